r"""The paper's recursions in NumPy: the definition of what every kernel computes.

Conventions. ``transitions[a, s, t]`` is the probability of moving from state ``s`` to ``t`` when symbol ``a`` is
read; ``initial[s]`` and a column of numbers ``[s]`` complete an acceptor. Ragged words are one array ``symbols``
with ``offsets``: word ``r`` is ``symbols[offsets[r]:offsets[r + 1]]``.

What was seen of a run is a table ``masks[k, s]`` of zeros and ones, row 0 all ones (nothing seen), and indices into
it: ``marks[offsets[r] + r + i]`` for position ``i = 0 … n`` of word ``r`` (or ``marks=None``), and ``ends[r]`` for
the verdict on the whole word. With :math:`D_i = \mathrm{diag}(e_i)`, :math:`e_i` the mask at position ``i``:

.. math::

    \alpha_0 = \pi D_0, \quad \alpha_i = \alpha_{i-1} P(x_i) D_i, \quad p = \sum \alpha_n, \qquad
    \beta_n = 1, \quad \beta_{i-1} = P(x_i) D_i \beta_i .

``tree`` and ``threads`` are for kernels that share prefixes and use threads; results do not depend on them here.
A tree of :func:`coded_tree` has the words: then ``symbols``, ``offsets`` and ``marks`` are None.

Words of equal length are advanced together. All sums over states run in a fixed order and never through BLAS, so a
word scores the same bits alone and in any batch.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels import wide
from cutpoint.kernels.coding import CodedWords
from cutpoint.kernels.merging import merged_machine  # noqa: F401

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Masks = NDArray[np.bool_]

SMALLEST = 1e-300
"""No number smaller than this is used: what would become smaller is dropped, and accounted for."""

LARGEST_NEGLIGIBLE = 1e-20
"""If even larger entries had to be dropped, because some transition is as small, all words are redone."""

LOSS_ALLOWED = 2.0**-56
"""Largest share of a word's probability that dropping may remove; beyond it the word is redone with wide exponents."""

BLOCK = 2**18
"""Numbers held at once for a block of words of equal length."""


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
    product = np.eye(transitions.shape[1])
    for symbol in word:
        product = step(product, transitions[symbol])
    return product


def distribution(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Last row of :func:`forward`, πP(x), without keeping the others."""
    row = initial.copy()
    for symbol in word:
        row = step(row, transitions[symbol])
    return row


def forward(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Table M of equation (e-M-1), n + 1 rows: M[0] = π, M[k] = M[k-1] P(x_k)."""
    table = np.empty((len(word) + 1, len(initial)))
    table[0] = initial
    for k, symbol in enumerate(word):
        table[k + 1] = step(table[k], transitions[symbol])
    return table


def backward(transitions: Floats, column: Floats, word: Codes) -> Floats:
    """Table of backward probabilities, n + 1 rows: b(n) = column, b(i-1) = P(x_i) b(i)."""
    table = np.empty((len(word) + 1, len(column)))
    table[-1] = column
    for i in range(len(word), 0, -1):
        table[i - 1] = step_back(transitions[word[i - 1]], table[i])
    return table


def acceptances(
    transitions: Floats,
    initial: Floats,
    column: Floats,
    symbols: Codes,
    offsets: Offsets,
    threads: int | None = None,
) -> Floats:
    """πP(x)f of every word, equation (e-M-2)."""
    scores = np.empty(len(offsets) - 1)
    for chosen, words in _blocks(symbols, offsets, len(initial)):
        rows = np.broadcast_to(initial, (len(chosen), len(initial)))
        for i in range(words.shape[1]):
            rows = step(rows, transitions[words[:, i]])
        scores[chosen] = dot(rows, column)
    return scores


def encode_texts(words: list[Any], table: Codes) -> None:
    """No quick way to encode words here: the alphabet does it symbol by symbol."""


def encode_lists(words: list[Any], codes: dict[Any, int]) -> None:
    """No quick way to encode words here: the alphabet does it symbol by symbol."""


def prefix_tree(symbols: Codes, offsets: Offsets, marks: Codes | None, n_symbols: int, n_marks: int) -> None:
    """No tree: the reference goes word by word. Kernels that share prefixes return theirs."""


def coded_tree(words: CodedWords, n_symbols: int, whole: bool) -> tuple[Codes, Offsets, Codes | None]:
    """Front-coded words spelled out. Kernels that share prefixes return a tree, ``whole`` or made on the way."""
    return words.spelled()


def log_probabilities(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    symbols: Codes | None,
    offsets: Offsets | None,
    marks: Codes | None,
    ends: Codes,
    tree: Any = None,
    threads: int | None = None,
) -> Floats:
    """Log-probability of what was seen of each word's run; -inf where it is impossible, and nowhere else."""
    logs = np.empty(len(ends))
    spelled, begins, marks = tree if symbols is None or offsets is None else (symbols, offsets, marks)
    for chosen, words in _blocks(spelled, begins, len(initial)):
        seen = _evidence(masks, begins, marks, ends, chosen, words.shape[1])
        _, scales, safe = _filter(transitions, initial, words, seen)
        logs[chosen[safe]] = _logs(scales[safe])
        if not safe.all():
            redo = ~safe
            logs[chosen[redo]] = wide.log_probability(transitions, initial, words[redo], seen[redo])
    return logs


def expected_counts(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    symbols: Codes | None,
    offsets: Offsets | None,
    marks: Codes | None,
    ends: Codes,
    weights: Floats,
    tree: Any = None,
    threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    r"""Prop. 4.2 with evidence: expected uses of every transition, of every first state, and the log-probabilities.

    .. math:: v[a, s, t] = \sum_r \frac{u_r}{p_r} \sum_{i: x_i = a} \alpha_{i-1}[s]\, P(a)[s,t]\, e_i[t]\, \beta_i[t]

    An impossible observation (log-probability -inf) adds nothing to the counts.
    """
    counts = np.zeros_like(transitions)
    first = np.zeros_like(initial)
    logs = np.empty(len(ends))
    spelled, begins, marks = tree if symbols is None or offsets is None else (symbols, offsets, marks)
    for chosen, words in _blocks(spelled, begins, len(initial)):
        seen = _evidence(masks, begins, marks, ends, chosen, words.shape[1])
        logs[chosen], pairs = _pair_posteriors(transitions, initial, words, seen)
        weight = np.where(np.isneginf(logs[chosen]), 0.0, weights[chosen])
        for i, pair in pairs:
            weighted = weight[:, None, None] * pair
            if i == 0:
                first += weighted[:, 0].sum(axis=0)
            else:
                np.add.at(counts, words[:, i - 1], weighted)
    return counts, first, logs


def occupancy(transitions: Floats, initial: Floats, word: Codes, seen: Masks) -> tuple[Floats, float]:
    """Posterior distribution over states at each position, given ``seen[i, s]``; and the log-probability of that."""
    logs, pairs = _pair_posteriors(transitions, initial, word[None, :], seen[None])
    table = np.empty(seen.shape)
    for i, pair in pairs:
        table[i] = pair[0].sum(axis=0)
    return table, float(logs[0])


def most_likely_path(transitions: Floats, initial: Floats, word: Codes, seen: Masks) -> tuple[NDArray[np.int64], float]:
    """State path of highest probability among those that agree with ``seen[i, s]``, and its log-probability.

    Ties go to the state that comes first, up to rounding. A log-probability of -inf says that no path agrees.
    """
    with np.errstate(divide="ignore"):
        log_transitions, score = np.log(transitions), np.where(seen[0], np.log(initial), -np.inf)
    came_from = np.empty((len(word), len(initial)), dtype=np.int64)
    for i, symbol in enumerate(word):
        reach = score[:, None] + log_transitions[symbol]
        came_from[i] = reach.argmax(axis=0)
        score = np.where(seen[i + 1], reach.max(axis=0), -np.inf)
    path = np.empty(len(word) + 1, dtype=np.int64)
    path[-1] = score.argmax()
    for i in range(len(word), 0, -1):
        path[i - 1] = came_from[i - 1, path[i]]
    return path, float(score.max())


def _blocks(symbols: Codes, offsets: Offsets, n_states: int) -> Iterator[tuple[NDArray[np.int64], Codes]]:
    """Words of equal length, a bounded number at a time: their indices, and their symbols as rows."""
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    for group in np.split(order, starts[1:]):
        if not len(group):
            continue
        length = int(lengths[group[0]])
        at_once = max(1, BLOCK // ((length + 1) * n_states + n_states**2))
        for start in range(0, len(group), at_once):
            chosen = group[start : start + at_once]
            yield chosen, symbols[offsets[chosen][:, None] + np.arange(length)]


def _evidence(
    masks: Masks, offsets: Offsets, marks: Codes | None, ends: Codes, chosen: NDArray[np.int64], length: int
) -> Masks:
    """Evidence of a block: ``[word, position, state]``, the verdict on the word joined to the last position."""
    if marks is None:
        seen = np.ones((len(chosen), length + 1, masks.shape[1]), dtype=np.bool_)
    else:
        seen = masks[marks[(offsets[chosen] + chosen)[:, None] + np.arange(length + 1)]]
    seen[:, -1] &= masks[ends[chosen]]
    return seen


def negligible(transitions: Floats) -> float:
    """Forward entries below this are dropped: above it, no product with a transition leaves the range of floats."""
    return SMALLEST / float(transitions.min(where=transitions > 0.0, initial=1.0))


def _filter(
    transitions: Floats, initial: Floats, words: Codes, seen: Masks
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Forward pass: rows scaled to sum 1 where something was seen, their scales, and which words lost nothing.

    ``lost`` is the probability of all that was dropped, in units of the current row; nothing else is ever lost. A word
    is safe when that is negligible beside its own probability. A scale of 0 says that the word is impossible, or, if
    something was dropped, that it is not safe.
    """
    n_words, length = words.shape
    smallest = negligible(transitions)
    rows = np.empty((length + 1, n_words, len(initial)))
    scales = np.ones((n_words, length + 1))
    lost = np.zeros(n_words)
    row = np.broadcast_to(initial, (n_words, len(initial)))
    for i in range(length + 1):
        if i > 0:
            row = step(row, transitions[words[:, i - 1]])
        row = np.where(seen[:, i], row, 0.0)
        scales[:, i] = np.where(seen[:, i].all(axis=1), 1.0, row.sum(axis=1))
        scale = _or_one(scales[:, i])
        row = row / scale[:, None]
        dropped = row < smallest
        lost = np.where(scales[:, i] > 0.0, lost / scale + row.sum(axis=1, where=dropped), np.sign(lost))
        rows[i] = row = np.where(dropped, 0.0, row)
    return rows, scales, (lost <= LOSS_ALLOWED) & (smallest < LARGEST_NEGLIGIBLE)


def _or_one(scales: Floats) -> Floats:
    """Scales to divide by: those of impossible words, which are 0, become 1."""
    return np.where(scales > 0.0, scales, 1.0)


def _logs(scales: Floats) -> Floats:
    """Logarithms of the products of scales; -inf where one is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(scales).sum(axis=1), dtype=np.float64)


def _pair_posteriors(
    transitions: Floats, initial: Floats, words: Codes, seen: Masks
) -> tuple[Floats, Iterator[tuple[int, Floats]]]:
    """Log-probabilities of a block and, from the last position to the first, ``(i, pair[word, s, t])``.

    ``pair`` is the posterior probability of being in s before and in t after symbol i; for i = 0 it has one row,
    the posterior of the first state.
    """
    rows, scales, safe = _filter(transitions, initial, words, seen)
    logs = np.full(len(words), -np.inf)
    logs[safe] = _logs(scales[safe])
    if safe.all():
        return logs, _smooth(transitions, words, seen, rows, scales)
    redo = ~safe
    logs[redo], wide_pairs = wide.pair_posteriors(transitions, initial, words[redo], seen[redo])
    pairs = _smooth(transitions, words[safe], seen[safe], rows[:, safe], scales[safe])
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
    transitions: Floats, words: Codes, seen: Masks, rows: Floats, scales: Floats
) -> Iterator[tuple[int, Floats]]:
    """Backward pass over forward rows.

    Columns are kept only where the forward row is positive: elsewhere they add nothing to any count, and there alone
    they could grow without bound.
    """
    column = np.where(rows[-1] > 0.0, 1.0, 0.0)
    for i in range(words.shape[1], 0, -1):
        matrices = transitions[words[:, i - 1]]
        after = np.where(seen[:, i], column, 0.0) / _or_one(scales[:, i])[:, None]
        yield i, rows[i - 1][:, :, None] * matrices * after[:, None, :]
        column = np.where(rows[i - 1] > 0.0, step_back(matrices, after), 0.0)
    yield 0, (rows[0] * column)[:, None, :]
