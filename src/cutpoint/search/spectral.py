"""What comes before a position of a word and what comes after it, as a matrix: starts for generators.

The paper's recursions are not needed here: frequencies of pieces of words and a few singular vectors are enough.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.observations import Parameters
from cutpoint.kernels.words import Codes, Floats

LONGEST = 8  # symbols of the longest pieces
MOST_BEFORE, MOST_AFTER = 4000, 1000  # most pieces on either side
LEAST = 10.0  # least weight of a piece, in observations of mean weight or of weight 1
SPREAD = 0.1  # share of a clustered start that is random, so that no entry begins at 0
TRIALS = 4  # runs of k-means, of which the best is kept
ROUNDS = 30  # rounds of k-means


class Pieces(NamedTuple):
    """Frequent pieces of words on one side of a position, the empty one first, each after those that it extends.

    Attributes
    ----------
    longest : number of the longest frequent piece at each position.
    shorter : number of the piece without its symbol farthest from the position, for each piece; 0 for the empty one.
    weights : of all positions with each piece.
    """

    longest: Codes
    shorter: Codes
    weights: Floats

    @property
    def within(self) -> Any:
        """Which pieces are part of each piece, itself included: a sparse matrix of zeros and ones."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        size = len(self.shorter)
        chain, rows, columns = np.arange(size), [np.arange(size)], [np.arange(size)]
        while chain.any():
            longer = chain > 0
            chain = np.where(longer, self.shorter[chain], 0)
            rows.append(np.flatnonzero(longer))
            columns.append(chain[longer])
        row, column = np.concatenate(rows), np.concatenate(columns)
        return csr_array((np.ones(len(row)), (row, column)), shape=(size, size))


class Windows(NamedTuple):
    """All positions of the words of a sample, and the pieces of words before and after them.

    ``steps`` is the symbol before each position, or the number of symbols where a word begins.
    """

    steps: Codes
    weights: Floats
    before: Pieces
    after: Pieces

    @classmethod
    def of(cls, sample: Sample, before: int, after: int, least: float = LEAST) -> Self:
        """Windows with about so many pieces at most on either side. Cost: linear in the number of symbols."""
        words, border = sample.decoded, len(sample.alphabet)
        steps = np.insert(words.symbols, words.offsets[:-1], border)
        weights = np.repeat(sample.counts, words.lengths + 1)
        least *= min(1.0, sample.total / len(sample))
        left = _pieces(steps, weights, border, before, least)
        right = _pieces(np.append(steps[1:], border)[::-1], weights[::-1], border, after, least)
        return cls(steps, weights, left, right._replace(longest=right.longest[::-1]))

    @property
    def hankel(self) -> Any:
        """Weight of the positions that come after one piece and before another, ``[before, after]``: sparse."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        shape = len(self.before.shorter), len(self.after.shorter)
        pairs = csr_array((self.weights, (self.before.longest, self.after.longest)), shape=shape)
        return (self.before.within.T @ pairs @ self.after.within).tocsr()


def _pieces(steps: Codes, weights: Floats, border: int, most: int, least: float) -> Pieces:
    """Pieces before each position, no lighter than ``least``; with ``border`` at positions where words begin.

    A piece of n symbols ends at a position where the piece of n - 1 symbols before it is followed by the step. The
    border is a symbol, the farthest of a piece.
    """
    longest = np.zeros(len(steps), dtype=np.int32)
    shorter, masses, size = [np.zeros(1, dtype=np.int32)], [weights.sum(keepdims=True)], 1
    places, pieces = np.arange(len(steps)), np.zeros(len(steps), dtype=np.int64)  # where pieces of some length end
    for _ in range(LONGEST):
        keys = pieces * (border + 1) + steps[places]
        mass = np.bincount(keys, weights[places])
        kept = np.flatnonzero((mass >= least) & (mass > 0.0))
        number = np.full(len(mass), -1)
        number[kept] = np.arange(len(kept))
        pieces = number[keys]
        places, pieces = places[pieces >= 0], pieces[pieces >= 0]
        if not len(places):
            break
        one_shorter = np.empty(len(kept), dtype=np.int32)
        one_shorter[pieces] = longest[places]
        longest[places] = pieces + size
        shorter.append(one_shorter)
        masses.append(mass[kept])
        size += len(kept)
        if size > most:
            least = max(least, float(np.partition(np.concatenate(masses), -most)[-most]))
        goes_on = np.append(steps[1:], border)[places] < border
        places, pieces = places[goes_on] + 1, pieces[goes_on]
    return _heaviest(Pieces(longest, np.concatenate(shorter), np.concatenate(masses)), least)


def _heaviest(pieces: Pieces, least: float) -> Pieces:
    """Pieces no lighter than ``least``, and always the empty one."""
    kept = pieces.weights >= least
    kept[0] = True
    nearest = np.arange(len(kept))
    while not kept[nearest].all():
        nearest = np.where(kept[nearest], nearest, pieces.shorter[nearest])
    number = (np.cumsum(kept) - 1)[nearest].astype(np.int32)
    return Pieces(number[pieces.longest], number[pieces.shorter[kept]], pieces.weights[kept])


def clustered(sample: Sample, n_states: int, rng: np.random.Generator) -> Parameters:
    """Start of a generator: states are clusters of what may come next, after the frequent pieces of words.

    For every frequent piece the frequencies of what follows are projected on the first singular vectors; k-means puts
    them into ``n_states`` clusters, and every position of a word belongs to the cluster of the longest frequent piece
    before it. Moves and stops are counted from position to position. States for which there is no cluster begin at
    random. Words alone are looked at, whatever else was seen.
    """
    windows, n_symbols = Windows.of(sample, MOST_BEFORE, MOST_AFTER), len(sample.alphabet)
    before = windows.before
    used = np.bincount(before.longest, windows.weights, minlength=len(before.weights))
    state = _clusters(_predictions(windows, n_states), used, n_states, rng)[before.longest]
    begins = windows.steps == n_symbols
    ends, arrivals = np.append(begins[1:], True), np.flatnonzero(~begins)
    moves = (state[arrivals - 1] * n_symbols + windows.steps[arrivals]) * n_states + state[arrivals]
    counts = np.bincount(moves, windows.weights[arrivals], minlength=n_states * n_symbols * n_states)
    stops = np.bincount(state[ends], windows.weights[ends], minlength=n_states)
    rows = np.column_stack((counts.reshape(n_states, n_symbols * n_states), stops))
    initial = np.bincount(state[begins], windows.weights[begins], minlength=n_states)
    return Parameters(
        _blended(rows, _random_rows(windows, n_symbols, n_states, rng)), _blended(initial, 1.0 / n_states)
    )


def _predictions(windows: Windows, rank: int) -> Floats:
    """What comes after each piece, on the first singular vectors of the frequencies: ``[piece, vector]``.

    Frequencies are scaled so that their errors are about equal.
    """
    from scipy.sparse import diags_array  # noqa: PLC0415

    before, after = (diags_array(1.0 / np.sqrt(side.weights)) for side in (windows.before, windows.after))
    scaled = before @ windows.hankel @ after
    return np.asarray(before @ (scaled @ _right_vectors(scaled, rank)))


def _right_vectors(matrix: Any, rank: int) -> Floats:
    """First right singular vectors of a sparse matrix, as columns, the most important first; fewer if it is small."""
    from scipy.sparse.linalg import svds  # noqa: PLC0415

    if rank < min(matrix.shape) - 1:
        _, values, rows = svds(matrix, k=rank, v0=np.ones(min(matrix.shape)))
        return np.asarray(rows[np.argsort(-values)].T)
    return np.asarray(np.linalg.svd(matrix.toarray(), full_matrices=False)[2][:rank].T)


def _clusters(points: Floats, weights: NDArray[Any], n_clusters: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Cluster of each point by k-means, the best of some trials from well separated centers."""
    cost, best = np.inf, np.zeros(len(points), dtype=np.intp)
    for _ in range(TRIALS):
        centers = points[_apart(points, weights, n_clusters, rng)]
        for _ in range(ROUNDS):
            distances = _distances(points, centers)
            labels = distances.argmin(axis=1)
            mass = np.bincount(labels, weights, minlength=len(centers))
            sums = np.zeros_like(centers)
            np.add.at(sums, labels, weights[:, None] * points)
            moved = np.where(mass[:, None] > 0.0, sums / np.maximum(mass, 1e-300)[:, None], centers)
            if np.array_equal(moved, centers):
                break
            centers = moved
        if (found := float(weights @ distances.min(axis=1))) < cost:
            cost, best = found, labels
    return best


def _apart(points: Floats, weights: NDArray[Any], number: int, rng: np.random.Generator) -> list[int]:
    """Points to begin k-means from, each drawn by its squared distance from those before: k-means++."""
    chosen, chances = list[int](), weights
    nearest = np.full(len(points), np.inf)
    for _ in range(min(number, len(points))):
        if not chances.sum() > 0.0:
            break
        chosen.append(int(rng.choice(len(points), p=chances / chances.sum())))
        nearest = np.minimum(nearest, _distances(points, points[chosen[-1:]])[:, 0])
        chances = weights * nearest
    return chosen


def _distances(points: Floats, centers: Floats) -> Floats:
    """Squared distances, ``[point, center]``."""
    squares = (points**2).sum(axis=1)[:, None] - 2.0 * points @ centers.T + (centers**2).sum(axis=1)
    return np.asarray(np.maximum(squares, 0.0))


def _random_rows(windows: Windows, n_symbols: int, n_states: int, rng: np.random.Generator) -> Floats:
    """Rows of a generator that emits each symbol about as often as the words have it, and moves at random."""
    seen = np.bincount(windows.steps, windows.weights, minlength=n_symbols + 1) / windows.weights.sum()
    seen = (seen + 0.01 / len(seen)) / 1.01  # words that are not known yet may have any symbol
    moves = rng.dirichlet(np.full(n_states, 0.2), size=(n_states, n_symbols)) * seen[:-1, None]
    return np.column_stack((moves.reshape(n_states, -1), np.full(n_states, seen[-1])))


def _blended(counts: NDArray[Any], other: Floats | float) -> Floats:
    """Rows of relative frequencies with a share of other rows; those alone where nothing was counted."""
    totals = counts.sum(axis=-1, keepdims=True)
    rows = np.where(totals > 0.0, (1.0 - SPREAD) * counts / np.maximum(totals, 1e-300) + SPREAD * other, other)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
