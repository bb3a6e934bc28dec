r"""The paper's recursions in NumPy: the definition of what every kernel computes.

Conventions. ``transitions[a, s, t]`` is the probability of moving from state ``s`` to ``t`` when symbol ``a`` is
read; ``initial[s]`` and a column of numbers ``[s]`` complete an acceptor. Words come whole, as
:class:`~cutpoint.kernels.words.EncodedWords` or front-coded.

What was seen of a run is a table ``masks[k, s]`` of zeros and ones, row 0 all ones (nothing seen); the marks of the
words are indices into it. With :math:`D_i = \mathrm{diag}(e_i)`, :math:`e_i` the mask at position ``i``:

.. math::

    \alpha_0 = \pi D_0, \quad \alpha_i = \alpha_{i-1} P(x_i) D_i, \quad p = \sum \alpha_n, \qquad
    \beta_n = 1, \quad \beta_{i-1} = P(x_i) D_i \beta_i .

A generator has a column ``stop[s]`` besides, and rows of moves that sum to less than 1; then :math:`p = \alpha_n \cdot
\mathrm{stop}` and :math:`\beta_n = \mathrm{stop}`, and rows are scaled on the way. For an acceptor ``stop`` is None.

``threads`` is for kernels that use threads (default: all cores); results do not depend on it.

Words of equal length are advanced together. All sums over states run in a fixed order and never through BLAS, so a
word scores the same bits alone and in any batch.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels import door, wide
from cutpoint.kernels.door import AnyWords
from cutpoint.kernels.merging import merged_machine  # noqa: F401
from cutpoint.kernels.words import Codes, EncodedWords, Floats, Masks

SMALLEST = 1e-300  # no number smaller than this is used: what would become smaller is dropped, and accounted for

LARGEST_NEGLIGIBLE = 1e-20
"""If even larger entries had to be dropped, because some transition is as small, all words are redone."""

LOSS_ALLOWED = 2.0**-56
"""Largest share of a word's probability that dropping may remove; beyond it the word is redone with wide exponents."""

BLOCK = 2**18  # numbers held at once for a block of words of equal length


class ExpectedCounts(NamedTuple):
    """Expected uses of each transition ``[a, s, t]`` and first state ``[s]``, and each word's log-probability.

    Of sparse matrices, the uses of the stored transitions. ``stop`` are the expected ends of words in each state
    ``[s]``, where the machine is a generator.
    """

    transitions: Any
    initial: Floats
    stop: Floats | None
    log_probabilities: Floats


class Occupancy(NamedTuple):
    """Posterior distribution over states ``table[i, s]``, and the log-probability of what was seen."""

    table: Floats
    log_probability: float


class BestPath(NamedTuple):
    """A state path of n + 1 states, and its log-probability."""

    states: NDArray[np.int64]
    log_probability: float


class FilterResult(NamedTuple):
    """P(final) at every position of every word, and the log-probability of what was seen there, given all before it.

    Where nothing was seen the logarithm is 0; after something impossible the probability is NaN.
    """

    acceptances: Floats
    logs: Floats


class ClimbPlace(NamedTuple):
    """Where a climb is: parameters and their expected counts.

    ``numbers`` are its log-likelihood, its objective, the longest leap that is allowed, and the last step's gain.
    """

    transitions: Floats
    initial: Floats
    counts: Floats
    initial_counts: Floats
    numbers: Floats


class ForwardPass(NamedTuple):
    """Forward rows ``[i, word, s]`` of a block, their scales ``[word, i]``, and which words lost nothing.

    A generator has one more scale: the probability to stop after the last row.
    """

    rows: Floats
    scales: Floats
    safe: NDArray[np.bool_]


def instruction_set() -> str:
    """Instruction set in use: that of NumPy."""
    return "numpy"


def step(rows: Floats, matrices: Floats) -> Floats:
    """One step of the forward recursion: rows times matrices, summed over the states in their order."""
    if matrices.ndim == 2 and rows.ndim == 2 and rows.size * rows.shape[1] > BLOCK:  # the same sums, in less memory
        total = rows[:, :1] * matrices[0]
        for s in range(1, len(matrices)):
            total += rows[:, s, None] * matrices[s]
        return np.asarray(total)
    return np.asarray((rows[..., :, None] * matrices).sum(axis=-2), dtype=np.float64)


def step_back(matrices: Floats, columns: Floats) -> Floats:
    """One step of the backward recursion: matrices times columns."""
    return np.asarray((matrices * columns[..., None, :]).sum(axis=-1), dtype=np.float64)


def dot(rows: Floats, column: Floats) -> Floats:
    """Rows times a column, summed over the states in their order (a plain sum would take them in pairs)."""
    return np.asarray(np.add.accumulate(rows * column, axis=-1)[..., -1], dtype=np.float64)


def matrix(transitions: Floats, word: Codes) -> Floats:
    """P(x) = P(x₁)…P(xₙ), equation (e-SA-prob2); the identity for the empty word."""
    door.reading(transitions, word)
    product = np.eye(transitions.shape[1])
    for symbol in word:
        product = step(product, transitions[symbol])
    return product


def distribution(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Last row of :func:`forward`, πP(x), without keeping the others."""
    door.reading(transitions, word, initial=initial)
    row = initial.copy()
    for symbol in word:
        row = step(row, transitions[symbol])
    return row


def forward(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Table M of equation (e-M-1), n + 1 rows: M[0] = π, M[k] = M[k-1] P(x_k)."""
    door.reading(transitions, word, initial=initial)
    table = np.empty((len(word) + 1, len(initial)))
    table[0] = initial
    for k, symbol in enumerate(word):
        table[k + 1] = step(table[k], transitions[symbol])
    return table


def backward(transitions: Floats, column: Floats, word: Codes) -> Floats:
    """Table of backward probabilities, n + 1 rows: b(n) = column, b(i-1) = P(x_i) b(i)."""
    door.reading(transitions, word, column=column)
    table = np.empty((len(word) + 1, len(column)))
    table[-1] = column
    for i in range(len(word), 0, -1):
        table[i - 1] = step_back(transitions[word[i - 1]], table[i])
    return table


def encode_texts(words: list[Any], table: Codes) -> None:
    """No quick way to encode words here: the alphabet does it symbol by symbol."""


def encode_lists(words: list[Any], codes: dict[Any, int]) -> None:
    """No quick way to encode words here: the alphabet does it symbol by symbol."""


def prefix_tree(words: AnyWords) -> None:
    """No tree: the reference goes word by word. Kernels that share prefixes return theirs."""


def climbed(*_: Any) -> None:
    """There are no steps of EM in one call: ``em/climb.py`` takes them one by one."""


def acceptance(transitions: Floats, initial: Floats, column: Floats, word: Codes) -> float:
    """πP(x)f of one word, equation (e-M-2)."""
    door.reading(transitions, word, initial=initial, column=column)
    words = EncodedWords.without_marks(word, np.array((0, len(word))))
    return float(acceptances(transitions, initial, column, words)[0])


def acceptances(
    transitions: Floats, initial: Floats, column: Floats, words: EncodedWords, threads: int | None = None
) -> Floats:
    """πP(x)f of every word, equation (e-M-2)."""
    door.machine(transitions, initial=initial, column=column)
    door.words(words, len(transitions))
    scores = np.empty(len(words))
    for chosen, symbols in _blocks(words, len(initial)):
        rows = np.broadcast_to(initial, (len(chosen), len(initial)))
        for i in range(symbols.shape[1]):
            rows = step(rows, transitions[symbols[:, i]])
        scores[chosen] = dot(rows, column)
    return scores


def log_acceptances(
    transitions: Floats, initial: Floats, final: Masks, words: EncodedWords, threads: int | None = None
) -> Floats:
    """Logarithm of the probability that each word leads to a final state, whatever was seen of it; -inf for 0."""
    door.machine(transitions, initial=initial)
    door.array("final", final, "bool", [transitions.shape[-1]])
    masks, ends = np.stack([np.ones_like(final), final]), np.ones(len(words), dtype=np.int32)
    return log_probabilities(transitions, initial, masks, EncodedWords(words.symbols, words.offsets, ends))


def log_probabilities(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    threads: int | None = None,
    stop: Floats | None = None,
) -> Floats:
    """Log-probability of what was seen of each word's run; -inf where it is impossible, and nowhere else.

    Of a generator, the probability that the word came up is part of it.
    """
    door.evidence(transitions, initial, masks, words, None, stop)
    logs, words = np.empty(len(words)), words.decoded()
    for chosen, symbols in _blocks(words, len(initial)):
        seen = words.evidence(masks, chosen)
        _, scales, safe = _filter(transitions, initial, symbols, seen, stop)
        logs[chosen[safe]] = _logs(scales[safe])
        if not safe.all():
            redo = ~safe
            logs[chosen[redo]] = wide.log_probability(transitions, initial, symbols[redo], seen[redo], stop)
    return logs


def filtered(transitions: Floats, initial: Floats, final: Masks, masks: Masks, words: EncodedWords) -> FilterResult:
    r"""The filter: what can be said at each position, before it is seen, of the state there.

    .. math:: P(s_i \in F \mid x_1 \dots x_i, e_0 \dots e_{i-1}) = \alpha_{i-1} P(x_i) f \,/\, \sum_s \alpha_{i-1}[s]
    """
    door.evidence(transitions, initial, masks, words, None, None)
    door.array("final", final, "bool", [transitions.shape[-1]])
    column = final.astype(np.float64)
    found = FilterResult(np.empty(words.positions[-1]), np.empty(words.positions[-1]))
    for chosen, symbols in _blocks(words, len(initial)):
        seen = words.evidence(masks, chosen)
        rows, scales, safe = _filter(transitions, initial, symbols, seen, None)
        acceptances = np.empty(scales.shape)
        acceptances[:, 0] = dot(initial, column)
        for i in range(symbols.shape[1]):
            acceptances[:, i + 1] = dot(step(rows[i], transitions[symbols[:, i]]), column)
        impossible = np.cumsum(scales == 0.0, axis=1)[:, :-1] > 0
        acceptances[:, 1:][impossible] = np.nan
        with np.errstate(divide="ignore"):
            logs = np.log(scales)
        if not safe.all():
            redo = ~safe
            acceptances[redo], logs[redo] = wide.filtered(transitions, initial, final, symbols[redo], seen[redo])
        at = words.positions[chosen][:, None] + np.arange(symbols.shape[1] + 1)
        found.acceptances[at], found.logs[at] = acceptances, logs
    return found


def expected_counts(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    threads: int | None = None,
    stop: Floats | None = None,
) -> ExpectedCounts:
    r"""Prop. 4.2 with evidence: expected uses of every transition and of every first state.

    .. math:: v[a, s, t] = \sum_r \frac{u_r}{p_r} \sum_{i: x_i = a} \alpha_{i-1}[s]\, P(a)[s,t]\, e_i[t]\, \beta_i[t]

    An impossible observation (log-probability -inf) adds nothing to the counts.
    """
    door.evidence(transitions, initial, masks, words, weights, stop)
    counts = np.zeros_like(transitions)
    first, last = np.zeros_like(initial), np.zeros_like(initial)
    logs, words = np.empty(len(words)), words.decoded()
    for chosen, symbols in _blocks(words, len(initial)):
        logs[chosen], pairs = _pair_posteriors(transitions, initial, symbols, words.evidence(masks, chosen), stop)
        weight = np.where(np.isneginf(logs[chosen]), 0.0, weights[chosen])
        for i, pair in pairs:
            weighted = weight[:, None, None] * pair
            if i == 0:
                first += weighted[:, 0].sum(axis=0)
            else:
                np.add.at(counts, symbols[:, i - 1], weighted)
            if i == symbols.shape[1]:
                last += weighted.sum(axis=(0, 1))
    return ExpectedCounts(counts, first, None if stop is None else last, logs)


def occupancy(transitions: Floats, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None) -> Occupancy:
    """Posterior distribution over states at each position of a word, given ``seen[i, s]``."""
    door.reading(transitions, word, seen, initial=initial, stop=stop)
    logs, pairs = _pair_posteriors(transitions, initial, word[None, :], seen[None], stop)
    table = np.empty(seen.shape)
    for i, pair in pairs:
        table[i] = pair[0].sum(axis=0)
    return Occupancy(table, float(logs[0]))


def most_likely_path(
    transitions: Floats, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> BestPath:
    """State path of highest probability among those that agree with ``seen[i, s]``.

    Ties go to the state that comes first, up to rounding. A log-probability of -inf says that no path agrees.
    """
    door.reading(transitions, word, seen, initial=initial, stop=stop)
    with np.errstate(divide="ignore"):
        log_transitions, score = np.log(transitions), np.where(seen[0], np.log(initial), -np.inf)
    came_from = np.empty((len(word), len(initial)), dtype=np.int64)
    for i, symbol in enumerate(word):
        reach = score[:, None] + log_transitions[symbol]
        came_from[i] = reach.argmax(axis=0)
        score = np.where(seen[i + 1], reach.max(axis=0), -np.inf)
    if stop is not None:
        with np.errstate(divide="ignore"):
            score = score + np.log(stop)
    path = np.empty(len(word) + 1, dtype=np.int64)
    path[-1] = score.argmax()
    for i in range(len(word), 0, -1):
        path[i - 1] = came_from[i - 1, path[i]]
    return BestPath(path, float(score.max()))


def _blocks(words: EncodedWords, n_states: int) -> Iterator[tuple[NDArray[np.int64], Codes]]:
    """Words of equal length, a bounded number at a time: their indices, and their symbols as rows."""
    lengths = words.lengths
    order = np.argsort(lengths, kind="stable")
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    for group in np.split(order, starts[1:]):
        if not len(group):
            continue
        length = int(lengths[group[0]])
        at_once = max(1, BLOCK // ((length + 1) * n_states + n_states**2))
        for start in range(0, len(group), at_once):
            chosen = group[start : start + at_once]
            yield chosen, words.symbols[words.offsets[chosen][:, None] + np.arange(length)]


def negligible(transitions: Floats, stop: Floats | None = None) -> float:
    """Forward entries below this are dropped: above it, no product with a transition leaves the range of floats."""
    factors = (transitions,) if stop is None else (transitions, stop)
    return SMALLEST / min(float(factor.min(where=factor > 0.0, initial=1.0)) for factor in factors)


@np.errstate(over="ignore")  # what was lost may be more than a float holds beside a tiny probability: not safe
def _filter(transitions: Floats, initial: Floats, words: Codes, seen: Masks, stop: Floats | None) -> ForwardPass:
    """Forward pass: rows are scaled to sum 1 where something was seen, of a generator everywhere.

    ``lost`` is the probability of all that was dropped, in units of the current row; nothing else is ever lost. A word
    is safe when that is negligible beside its own probability. A scale of 0 says that the word is impossible, or, if
    something was dropped, that it is not safe.
    """
    n_words, length = words.shape
    smallest = negligible(transitions, stop)
    rows = np.empty((length + 1, n_words, len(initial)))
    scales = np.ones((n_words, length + 1))
    lost = np.zeros(n_words)
    row = np.broadcast_to(initial, (n_words, len(initial)))
    for i in range(length + 1):
        if i > 0:
            row = step(row, transitions[words[:, i - 1]])
        row = np.where(seen[:, i], row, 0.0)
        nothing_seen = seen[:, i].all(axis=1) & (stop is None)
        scales[:, i] = np.where(nothing_seen, 1.0, row.sum(axis=1))
        scale = _or_one(scales[:, i])
        row = row / scale[:, None]
        dropped = row < smallest
        lost = np.where(scales[:, i] > 0.0, lost / scale + row.sum(axis=1, where=dropped), np.sign(lost))
        rows[i] = row = np.where(dropped, 0.0, row)
    if stop is not None:
        chance = (row * stop).sum(axis=1)
        scales, lost = np.column_stack((scales, chance)), np.where(chance > 0.0, lost / _or_one(chance), np.sign(lost))
    return ForwardPass(rows, scales, (lost <= LOSS_ALLOWED) & (smallest < LARGEST_NEGLIGIBLE))


def _or_one(scales: Floats) -> Floats:
    """Scales to divide by: those of impossible words, which are 0, become 1."""
    return np.where(scales > 0.0, scales, 1.0)


def _logs(scales: Floats) -> Floats:
    """Logarithms of the products of scales; -inf where one is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(scales).sum(axis=1), dtype=np.float64)


def _pair_posteriors(
    transitions: Floats, initial: Floats, words: Codes, seen: Masks, stop: Floats | None
) -> tuple[Floats, Iterator[tuple[int, Floats]]]:
    """Log-probabilities of a block and, from the last position to the first, ``(i, pair[word, s, t])``.

    ``pair`` is the posterior probability of being in s before and in t after symbol i; for i = 0 it has one row,
    the posterior of the first state.
    """
    rows, scales, safe = _filter(transitions, initial, words, seen, stop)
    logs = np.full(len(words), -np.inf)
    logs[safe] = _logs(scales[safe])
    if safe.all():
        return logs, _smooth(transitions, words, seen, rows, scales, stop)
    redo = ~safe
    logs[redo], wide_pairs = wide.pair_posteriors(transitions, initial, words[redo], seen[redo], stop)
    pairs = _smooth(transitions, words[safe], seen[safe], rows[:, safe], scales[safe], stop)
    return logs, _joined(safe, pairs, wide_pairs)


def _joined(
    safe: NDArray[np.bool_], pairs: Iterator[tuple[int, Floats]], wide_pairs: Iterator[tuple[int, Floats]]
) -> Iterator[tuple[int, Floats]]:
    """Pair posteriors of a block whose words were done by two routes."""
    for (i, pair), (_, wide_pair) in zip(pairs, wide_pairs, strict=True):
        both = np.empty((len(safe), *pair.shape[1:]))
        both[safe], both[~safe] = pair, wide_pair
        yield i, both


def _smooth(
    transitions: Floats, words: Codes, seen: Masks, rows: Floats, scales: Floats, stop: Floats | None
) -> Iterator[tuple[int, Floats]]:
    """Backward pass over forward rows.

    Columns are kept only where the forward row is positive: elsewhere they add nothing to any count, and there alone
    they could grow without bound.
    """
    column = np.where(rows[-1] > 0.0, 1.0 if stop is None else stop / _or_one(scales[:, -1:]), 0.0)
    for i in range(words.shape[1], 0, -1):
        matrices = transitions[words[:, i - 1]]
        after = np.where(seen[:, i], column, 0.0) / _or_one(scales[:, i])[:, None]
        yield i, rows[i - 1][:, :, None] * matrices * after[:, None, :]
        column = np.where(rows[i - 1] > 0.0, step_back(matrices, after), 0.0)
    yield 0, (rows[0] * column)[:, None, :]
