"""Spectral learning: what comes before a position of a word and what comes after it, as a matrix of low rank.

Frequencies of pieces of words and a few singular vectors are enough for a weighted automaton near the law of the words,
and for starts from which generators climb higher than from random ones; no climb is needed here.
"""

from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample, Words
from cutpoint.em.observations import Parameters, check_sample
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.exact import whole_number
from cutpoint.kernels.words import Codes, EncodedWords, Floats
from cutpoint.model import WeightedAutomaton
from cutpoint.model.parts import random_generator
from cutpoint.search.folds import clearly_lower, held_out
from cutpoint.wording import shown

LONGEST = 8  # symbols of the longest pieces
RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 75, 90, 110)  # tried on words held out
FEWEST = 20  # fewest words of which some are held out
FLOOR = 1e-6  # least probability of a next symbol in a law made of an automaton
LARGEST = 1e9  # entries of a row that are larger, beside the value of its prefix, are rounding errors
BASIS = 4000, 1000  # most pieces before and after a position
LEAST = 10.0  # least weight of a piece, in observations of mean weight or of weight 1
SPREAD = 0.1  # share of a clustered start that is random, so that no entry begins at 0
SMALLEST = 1e-7  # singular values of a smaller share of the first are rounding errors
CANDIDATES = 20  # pieces for each state, the heaviest, whose predictions may be corners
KEPT = 0.7  # share of these that one start looks at
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

    ``steps`` is the symbol before each position, or ``border``, the number of symbols, where a word begins.
    """

    steps: Codes
    weights: Floats
    before: Pieces
    after: Pieces
    border: int

    @classmethod
    def of(cls, sample: Sample, basis: tuple[int, int] = BASIS, least: float = LEAST) -> Self:
        """Windows with about so many pieces at most on either side. Cost: linear in the number of symbols."""
        words, border = sample.decoded, len(sample.alphabet)
        steps = np.insert(words.symbols, words.offsets[:-1], border)
        weights = np.repeat(sample.counts, words.lengths + 1)
        least *= min(1.0, sample.total / len(sample))
        left = _pieces(steps, weights, border, basis[0], least)
        right = _pieces(np.append(steps[1:], border)[::-1], weights[::-1], border, basis[1], least)
        return cls(steps, weights, left, right._replace(longest=right.longest[::-1]), border)


class Hankel(NamedTuple):
    """How often one piece of a word comes before a position and another after it; all pieces begin with the empty one.

    Attributes
    ----------
    matrix : weight of positions ``[before, after]``, sparse.
    shifted : for each symbol the weight of positions where the first piece, the symbol and the second piece follow one
        another, sparse as well.
    first : weight of the first positions of words, ``[after]``.
    last : weight of the last positions of words, ``[before]``.
    total : weight of the words.
    """

    matrix: Any
    shifted: list[Any]
    first: Floats
    last: Floats
    total: float

    @classmethod
    def of(cls, windows: Windows) -> Self:
        """Frequencies in words."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        steps, weights, before, after, border = windows
        left, right = before.within.T.tocsr(), after.within

        def between(places: NDArray[np.intp], shift: int) -> Any:
            pair = before.longest[places - shift], after.longest[places]
            pairs = csr_array((weights[places], pair), shape=(len(before.weights), len(after.weights)))
            return (left @ pairs @ right).tocsr()

        begins = steps == border
        ends, order = np.append(begins[1:], True), np.argsort(steps, kind="stable")
        bounds = np.searchsorted(steps[order], np.arange(border + 1))
        return cls(
            between(np.arange(len(steps)), 0),
            [between(order[i:j], 1) for i, j in pairwise(bounds.tolist())],
            np.bincount(after.longest[begins], weights[begins], minlength=len(after.weights)) @ right,
            left @ np.bincount(before.longest[ends], weights[ends], minlength=len(before.weights)),
            float(weights[begins].sum()),
        )

    def factored(self, rank: int) -> "Factors":
        r"""Solution of the highest rank, up to ``rank``, that the matrix has.

        With rows and columns scaled so that their errors are about equal, :math:`D H E \approx U S V^\top`,

        .. math:: M(a) = S^{-1} U^\top D\, H_a E V, \qquad
            \xi = \tfrac{1}{N}\, h_{\mathrm{first}} E V, \qquad \eta = S^{-1} U^\top D\, h_{\mathrm{last}}.
        """
        from scipy.sparse import diags_array  # noqa: PLC0415

        rows, columns = (
            1.0 / np.sqrt(part) for part in (self.matrix[:, [0]].toarray()[:, 0], self.matrix[[0]].toarray()[0])
        )
        left, values, right = _singular(diags_array(rows) @ self.matrix @ diags_array(columns), rank)
        project, column = (left / values).T * rows, right * columns[:, None]
        matrices = np.stack([project @ (shifted @ column) for shifted in self.shifted])
        states = left * values * rows[:, None]
        return Factors((self.first @ column / self.total, matrices, project @ self.last), states)


class Factors(NamedTuple):
    """A weighted automaton of some rank; the first r rows and columns of all its parts are that of rank r.

    ``states`` are the normalized rows to which each piece before a position leads on the mean, ``[piece, dimension]``.
    """

    arrays: tuple[Floats, Floats, Floats]
    states: Floats

    def of_rank(self, rank: int) -> tuple[Floats, Floats, Floats]:
        """Row, matrices and column of a lower rank."""
        row, matrices, column = self.arrays
        return row[:rank], matrices[:, :rank, :rank], column[:rank]


def _singular(matrix: Any, rank: int) -> tuple[Floats, Floats, Floats]:
    """First singular vectors and values of a sparse matrix, vectors as columns; those that are not 0."""
    from scipy.sparse.linalg import svds  # noqa: PLC0415

    left: Any
    values: Any
    right: Any
    if rank < min(matrix.shape) // 4:
        left, values, right = svds(matrix, k=rank, v0=np.ones(min(matrix.shape)))
        left, values, right = left[:, ::-1], values[::-1], right[::-1]
    else:
        left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
    kept = np.flatnonzero(values[:rank] > SMALLEST * values[0])
    return left[:, kept], values[kept], right[kept].T


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


def spectral_automaton(
    sample: Sample, rank: int | None = None, basis: tuple[int, int] = BASIS, rng: np.random.Generator | int = 0
) -> WeightedAutomaton:
    r"""Weighted automaton near the law of the words of a sample, by singular vectors instead of climbs.

    Rows of the matrix H are the frequent pieces u of words before a position, columns the frequent pieces v after it;
    the empty piece and pieces up to the beginning or the end of a word are among them. :math:`H[u,v]` is the weight of
    the positions between u and v, and :math:`H_a[u,v]` that of u, a, v in a row. If the words come from a generator
    of l states, H has rank l or less, apart from chance, and with :math:`D H E \approx U S V^\top`, where D and E scale
    rows and columns by the roots of their weights,

    .. math:: M(a) = S^{-1} U^\top D\, H_a E V, \qquad
        \xi = \tfrac{1}{N}\, h_{\mathrm{first}} E V, \qquad \eta = S^{-1} U^\top D\, h_{\mathrm{last}}.

    From exact frequencies the probabilities :math:`p(x) = \xi M(x) \eta` are exact.

    Parameters
    ----------
    sample : words, at least one of them not empty; what was seen of their runs is not looked at.
    rank : dimension of the automaton, or less if the frequencies have a lower rank. None: chosen by the
        perplexity of a tenth of the words, held out (:func:`clipped_log_probabilities`).
    basis : most pieces before and after a position; the heaviest are taken.
    rng : which words are held out.

    Returns
    -------
    A :class:`WeightedAutomaton`. Its values are near probabilities, but they need not be: they may be negative, and
    need not sum to 1. :func:`clipped_log_probabilities` makes a law of them. To get a :class:`Generator`, learn one.

    Notes
    -----
    Cost: linear in the number of symbols, and the singular vectors of a sparse matrix of at most the ``basis``. There
    are no local maxima, and no guarantees for small samples either. Sources: Hsu, Kakade, Zhang, *A spectral algorithm
    for learning hidden Markov models* (2012); Balle, Carreras, Luque, Quattoni, *Spectral learning of weighted
    automata* (2014).

    Examples
    --------
    >>> G = cp.Generator(2, "ab", {"a": [[0, 0.5], [0, 0.3]], "b": [[0.3, 0], [0.6, 0]]}, 0, [0.2, 0.1])
    >>> W = cp.search.spectral_automaton(G.simulate(20_000, rng=1), rank=2)
    >>> W
    <WeightedAutomaton: dimension 2, 2 symbols {'a', 'b'}>
    >>> round(W.value("aab"), 3), round(G.probability("aab"), 3)
    (0.018, 0.018)
    """
    check_sample(sample)
    if not sample.lengths.any():
        raise InvalidSample("spectral learning needs a word that is not empty; all words of the sample are empty.")
    if not (isinstance(basis, tuple | list) and len(basis) == 2):
        found = shown(basis)
        raise InvalidArgument(
            f"must be two whole numbers, pieces before and after a position; got {found}.", argument="basis"
        )
    sizes = whole_number("basis", basis[0], least=1), whole_number("basis", basis[1], least=1)
    chosen = _chosen_rank(sample, sizes, random_generator(rng)) if rank is None else whole_number("rank", rank, least=1)
    return WeightedAutomaton.from_arrays(sample.alphabet, *_factors(sample, sizes, chosen).arrays)


def _factors(sample: Sample, basis: tuple[int, int], rank: int) -> Factors:
    return Hankel.of(Windows.of(sample, basis)).factored(rank)


def _chosen_rank(sample: Sample, basis: tuple[int, int], rng: np.random.Generator) -> int:
    """Lowest rank whose loss on words held out is not clearly higher than that of the best."""
    if sample.total < FEWEST:
        found = f"the rank is chosen by held-out words, which takes {FEWEST} words; got {sample.total:g}."
        raise InvalidSample(found, advice="Give the {rank}, or add words.")
    training, validation = held_out(sample, 0.1, rng)
    factors, part = _factors(training, basis, RANKS[-1]), np.arange(len(validation)) % min(5, len(validation))
    losses: dict[int, list[float]] = {}
    for rank in sorted({min(rank, len(factors.arrays[0])) for rank in RANKS}):
        logs = validation.counts * _clipped(factors.of_rank(rank), validation.decoded, FLOOR)
        losses[rank] = (-np.bincount(part, logs) / np.bincount(part, validation.counts)).tolist()
    best = min(losses.values(), key=sum)
    return next(rank for rank, loss in losses.items() if loss is best or not clearly_lower(best, loss))


def clipped_log_probabilities(automaton: WeightedAutomaton, words: Words | Sample, floor: float = FLOOR) -> Floats:
    r"""Log-probability of each word under the law that is nearest to what an automaton says from symbol to symbol.

    After a prefix x the automaton predicts the next symbol a, or the end, by

    .. math:: \frac{\xi M(x) M(a)\, \mathbf 1}{\xi M(x)\, \mathbf 1}, \qquad
        \frac{\xi M(x)\, \eta}{\xi M(x)\, \mathbf 1}, \qquad \mathbf 1 = \Bigl(I - \sum_a M(a)\Bigr)^{-1} \eta.

    Negative predictions change their sign (the probability is about as small as the error), all are clipped to at least
    ``floor`` and at most 1 and divided by their sum: so this is a law, its words sum to 1, and no word has probability
    0. Where a prefix has no positive value, what came before is forgotten. For the automaton of a generator whose
    predictions are above the floor these are the log-probabilities themselves. Of a :class:`Sample`, those of its
    distinct observations. Cost :math:`O(n r^2)` per word.

    Examples
    --------
    >>> G = cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25])
    >>> cp.search.clipped_log_probabilities(G.to_weighted(), ["", "ab"]).round(4), G.log_probability("ab")
    (array([-1.3863, -3.4657]), -3.4657359027997265)
    """
    if not isinstance(automaton, WeightedAutomaton):
        raise InvalidArgument(f"expected a WeightedAutomaton; got {shown(automaton)}.")
    if not (isinstance(floor, float) and 0.0 < floor < 1.0):
        raise InvalidArgument(f"must be a number between 0 and 1; got {shown(floor)}.", argument="floor")
    sigma = automaton.alphabet
    encoded = words.encoded_in(sigma) if isinstance(words, Sample) else sigma.encode(words)
    return _clipped(automaton.arrays(exact=False), encoded, floor)


def _clipped(arrays: tuple[Floats, Floats, Floats], words: EncodedWords, floor: float) -> Floats:
    """Log-probabilities of words; all words advance together, the longest first."""
    row, matrices, column = arrays
    rest = np.eye(len(row)) - matrices.sum(axis=0)
    ones, visits = np.linalg.lstsq(rest, column)[0], np.linalg.lstsq(rest.T, row)[0]
    forgotten = visits / ((visits @ ones) or 1.0)
    columns = np.column_stack((*(matrices @ ones), column))
    order = np.argsort(-words.lengths, kind="stable")
    lengths, starts = words.lengths[order], words.offsets[order]
    logs, rows = np.zeros(len(order)), np.tile(row / ((row @ ones) or 1.0), (len(order), 1))
    symbols = np.append(words.symbols, 0)
    for i in range(int(lengths.max(initial=-1)) + 1):
        live = int(np.searchsorted(-lengths, -i, side="right"))
        following = np.where(lengths[:live] > i, symbols[starts[:live] + i], len(matrices))
        chances = np.clip(np.abs(rows[:live] @ columns), floor, 1.0)  # an error is about as large as it looks
        logs[:live] += np.log(chances[np.arange(live), following] / chances.sum(axis=1))
        for symbol in np.unique(following[lengths[:live] > i]):
            here = np.flatnonzero(following == symbol)
            moved = rows[here] @ matrices[symbol]
            mass = (moved @ ones)[:, None]
            possible = mass > np.abs(moved).max(axis=1, initial=0.0, keepdims=True) / LARGEST
            rows[here] = np.where(possible, moved / np.where(possible, mass, 1.0), forgotten)
    answer = np.empty_like(logs)
    answer[order] = logs
    return answer


def clustered(sample: Sample, n_states: int, rng: np.random.Generator) -> Parameters:
    """Start of a generator: states are clusters of what may come next, after the frequent pieces of words.

    For every frequent piece the frequencies of what follows are projected on the first singular vectors; k-means puts
    them into ``n_states`` clusters, and every position of a word belongs to the cluster of the longest frequent piece
    before it. Moves and stops are counted from position to position. States for which there is no cluster begin at
    random. Words alone are looked at, whatever else was seen.
    """
    windows, n_symbols = Windows.of(sample), len(sample.alphabet)
    before = windows.before
    used = np.bincount(before.longest, windows.weights, minlength=len(before.weights))
    points = Hankel.of(windows).factored(n_states).states
    state = _clusters(points, used, n_states, rng)[before.longest]
    begins = windows.steps == n_symbols
    ends, arrivals = np.append(begins[1:], True), np.flatnonzero(~begins)
    moves = (state[arrivals - 1] * n_symbols + windows.steps[arrivals]) * n_states + state[arrivals]
    counts = np.bincount(moves, windows.weights[arrivals], minlength=n_states * n_symbols * n_states)
    stops = np.bincount(state[ends], windows.weights[ends], minlength=n_states)
    rows = np.column_stack((counts.reshape(n_states, n_symbols * n_states), stops))
    initial = np.bincount(state[begins], windows.weights[begins], minlength=n_states)
    return _start(rows, initial, windows, rng)


def cornered(sample: Sample, n_states: int, rng: np.random.Generator) -> Parameters:
    r"""Start of a generator: states are the extreme predictions of what comes next, after the frequent pieces of words.

    If the words come from a generator, each prediction is a mixture of those of its states, so that these are the
    corners of all predictions. ``n_states`` corners are taken one by one, each farthest from the span of those before;
    some pieces are left out at random, so that another ``rng`` gives other corners. Then the matrices of the
    spectral automaton are written in the corners z as states,

    .. math:: z_s M(a) \approx \sum_t T(a)[s,t]\, z_t, \qquad T(a)[s,t] \ge 0,

    by least squares. States beyond the rank of the frequencies begin at random.
    """
    windows, n_symbols = Windows.of(sample), len(sample.alphabet)
    (first, matrices, last), states = Hankel.of(windows).factored(n_states)
    heaviest = np.argsort(-windows.before.weights, kind="stable")[: CANDIDATES * n_states]
    candidates = states[heaviest[(rng.random(len(heaviest)) < KEPT) | (heaviest == 0)]]
    corners = candidates[_corners(candidates, n_states)]
    rows, initial = np.zeros((n_states, n_symbols, n_states)), np.zeros(n_states)
    size = len(corners)
    for symbol, matrix in enumerate(matrices):
        rows[:size, symbol, :size] = [_non_negative(corners, row @ matrix) for row in corners]
    initial[:size] = _non_negative(corners, first)
    stops = np.zeros(n_states)
    stops[:size] = np.maximum(corners @ last, 0.0)
    return _start(np.column_stack((rows.reshape(n_states, -1), stops)), initial, windows, rng)


def _non_negative(corners: Floats, row: Floats) -> Floats:
    """Weights of the corners, none of them negative, whose sum is nearest to a row."""
    from scipy.optimize import nnls  # noqa: PLC0415

    try:
        return np.asarray(nnls(corners.T, row)[0])
    except RuntimeError:  # it goes round in circles, by rounding
        return np.asarray(np.maximum(np.linalg.lstsq(corners.T, row)[0], 0.0))


def _corners(points: Floats, number: int) -> list[int]:
    """Points farthest from the span of those chosen before, one by one: the successive projection algorithm."""
    rest, chosen = points.copy(), list[int]()
    while len(chosen) < number:
        lengths = (rest**2).sum(axis=1)
        farthest = int(lengths.argmax())
        if chosen and lengths[farthest] < 1e-18 * (points[chosen[0]] ** 2).sum():
            break
        chosen.append(farthest)
        direction = rest[farthest] / np.sqrt(lengths[farthest])
        rest -= np.outer(rest @ direction, direction)
    return chosen


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


def _start(rows: NDArray[Any], initial: NDArray[Any], windows: Windows, rng: np.random.Generator) -> Parameters:
    """Parameters near the weights of moves and stops, with a random share that has every symbol."""
    n_states, n_symbols = len(initial), windows.border
    seen = np.bincount(windows.steps, windows.weights, minlength=n_symbols + 1) / windows.weights.sum()
    seen = (seen + 0.01 / len(seen)) / 1.01  # words that are not known yet may have any symbol
    moves = rng.dirichlet(np.full(n_states, 0.2), size=(n_states, n_symbols)) * seen[:-1, None]
    other = np.column_stack((moves.reshape(n_states, -1), np.full(n_states, seen[-1])))
    return Parameters(_blended(rows, other), _blended(initial, 1.0 / n_states))


def _blended(counts: NDArray[Any], other: Floats | float) -> Floats:
    """Rows of relative frequencies with a share of other rows; those alone where nothing was counted."""
    totals = counts.sum(axis=-1, keepdims=True)
    rows = np.where(totals > 0.0, (1.0 - SPREAD) * counts / np.maximum(totals, 1e-300) + SPREAD * other, other)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
