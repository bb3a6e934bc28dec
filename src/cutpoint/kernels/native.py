"""The compiled kernels, behind the signatures of :mod:`reference`.

What plain floats cannot hold is left to the reference with its wide exponents. Importing this module fails where the
extension was not built.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels import _native, reference
from cutpoint.kernels.coding import CodedWords, places
from cutpoint.kernels.merging import ROUNDS_PER_STATE
from cutpoint.kernels.reference import Codes, Floats, Masks, Offsets, matrix

__all__ = [
    "acceptances",
    "backward",
    "coded_tree",
    "distribution",
    "encode_lists",
    "encode_texts",
    "expected_counts",
    "forward",
    "instruction_set",
    "log_probabilities",
    "matrix",
    "merged_machine",
    "most_likely_path",
    "occupancy",
    "prefix_tree",
]

SAFE = 1e-280
"""Acceptances of at least this have lost nothing to the smallest floats."""

NO_SYMBOLS, NO_OFFSETS = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)


def instruction_set() -> str:
    """Instruction set chosen for this processor."""
    return _native.instruction_set()


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
    _native.acceptances(transitions, initial, column, symbols, offsets, scores, _threads(threads))
    return scores


def encode_texts(words: list[Any], table: Codes) -> tuple[Codes, Offsets] | None:
    """Codes and offsets of a list of str; None if something in it is not a str or not a symbol."""
    return _native.encode_texts(words, table)


def encode_lists(words: list[Any], codes: dict[Any, int]) -> tuple[Codes, Offsets] | None:
    """Codes and offsets of a list of lists or tuples; None if something in it is not, or not a symbol."""
    return _native.encode_lists(words, codes)


def distribution(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Last row of :func:`forward`, πP(x), without keeping the others."""
    work = np.empty((2, len(initial)))
    _native.distribution(transitions, initial, word, work)
    return np.array(work[0])


def forward(transitions: Floats, initial: Floats, word: Codes) -> Floats:
    """Table M of equation (e-M-1), n + 1 rows: M[0] = π, M[k] = M[k-1] P(x_k)."""
    table = np.empty((len(word) + 1, len(initial)))
    _native.forward(transitions, initial, word, table)
    return table


def backward(transitions: Floats, column: Floats, word: Codes) -> Floats:
    """Table of backward probabilities, n + 1 rows: b(n) = column, b(i-1) = P(x_i) b(i)."""
    table = np.empty((len(word) + 1, len(column)))
    _native.backward(transitions, column, word, table)
    return table


def occupancy(transitions: Floats, initial: Floats, word: Codes, seen: Masks) -> tuple[Floats, float]:
    """Posterior distribution over states at each position, given ``seen[i, s]``; and the log-probability of that."""
    table, negligible = np.empty(seen.shape), reference.negligible(transitions)
    log = np.nan
    if negligible < reference.LARGEST_NEGLIGIBLE:
        log = _native.occupancy(transitions, initial, negligible, word, seen, table)
        if log == -np.inf:
            table[...] = 0.0
    return (table, log) if not np.isnan(log) else reference.occupancy(transitions, initial, word, seen)


def most_likely_path(transitions: Floats, initial: Floats, word: Codes, seen: Masks) -> tuple[NDArray[np.int64], float]:
    """State path of highest probability among those that agree with ``seen[i, s]``, and its log-probability."""
    path = np.empty(len(word) + 1, dtype=np.int64)
    with np.errstate(divide="ignore"):
        logs = np.log(transitions), np.log(initial)
    return path, _native.most_likely_path(*logs, word, seen, path)


def merged_machine(
    symbols: Codes,
    offsets: Offsets,
    labels: Codes,
    weights: Floats,
    n_symbols: int,
    pseudo: Floats,
    n_states: int,
    width: int,
) -> tuple[Codes, Floats]:
    """Deterministic machine by red-blue merging; see ``kernels/merging.py``."""
    table, counts = _native.merged_machine(
        symbols, offsets, labels, weights, n_symbols, pseudo, n_states, width, ROUNDS_PER_STATE * n_states
    )
    counts = counts.reshape(-1, len(pseudo))
    return table.reshape(len(counts), n_symbols), counts


def prefix_tree(symbols: Codes, offsets: Offsets, marks: Codes | None, n_symbols: int, n_marks: int) -> tuple[Any, ...]:
    """Prefix tree of a sample, in blocks: its arrays, described in ``native/kernels.hpp``, and last the tree itself."""
    return _native.prefix_tree(symbols, offsets, marks, n_symbols, n_marks)


def coded_tree(words: CodedWords, n_symbols: int, whole: bool) -> tuple[Any, ...]:
    """Prefix tree that has its words: whole, or made block by block whenever it is gone through, in little memory."""
    arrays = words.codes, words.marks, words.shared, words.lengths, words.block_words, words.block_nodes
    return words, *_native.coded_tree(*arrays, n_symbols, whole)


def log_probabilities(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    symbols: Codes | None,
    offsets: Offsets | None,
    marks: Codes | None,
    ends: Codes,
    tree: tuple[Any, ...] | None = None,
    threads: int | None = None,
) -> Floats:
    """Log-probability of what was seen of each word's run; -inf where it is impossible, and nowhere else."""
    if tree is None and marks is None and symbols is not None and offsets is not None:
        logs = _end_log_probabilities(transitions, initial, masks, symbols, offsets, ends, threads)
    else:
        none, weights = np.empty(0), np.ones(len(ends))
        _, logs, _ = _expected_counts(
            transitions, initial, masks, symbols, offsets, marks, ends, weights, tree, threads, none
        )
    redo = np.flatnonzero(np.isnan(logs))
    if len(redo):
        words = _subset(redo, *_spelled(symbols, offsets, marks, tree))
        logs[redo] = reference.log_probabilities(transitions, initial, masks, *words, ends[redo])
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
    tree: tuple[Any, ...] | None = None,
    threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Prop. 4.2 with evidence, over the prefix tree of the words: one pass down and one up serve all of them.

    The cost follows the edges of the tree, not the symbols. Words whose probability is too small for plain floats are
    left out there and done by the reference with wide exponents.
    """
    counts = np.empty(transitions.shape)
    first, logs, left_out = _expected_counts(
        transitions, initial, masks, symbols, offsets, marks, ends, weights, tree, threads, counts
    )
    if left_out:
        redo = np.flatnonzero(np.isnan(logs))
        words = _subset(redo, *_spelled(symbols, offsets, marks, tree))
        more, more_first, logs[redo] = reference.expected_counts(
            transitions, initial, masks, *words, ends[redo], weights[redo]
        )
        counts, first = counts + more, first + more_first
    return counts, first, logs


def _expected_counts(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    symbols: Codes | None,
    offsets: Offsets | None,
    marks: Codes | None,
    ends: Codes,
    weights: Floats,
    tree: tuple[Any, ...] | None,
    threads: int | None,
    counts: Floats,
) -> tuple[Floats, Floats, int]:
    """Fill ``counts``, unless empty; initial counts, log-probabilities, and how many are NaN, out of plain floats."""
    if symbols is None or offsets is None:  # the tree has the words
        symbols, offsets, marks = NO_SYMBOLS, NO_OFFSETS, None
    if tree is None:
        tree = prefix_tree(symbols, offsets, marks, len(transitions), len(masks))
    first, logs = np.empty(len(initial)), np.empty(len(ends))
    left_out = _native.expected_counts(
        transitions, initial, masks, symbols, offsets, marks, ends, weights, tree, counts, first, logs,
        _threads(threads),
    )  # fmt: skip
    return first, logs, left_out


def _end_log_probabilities(
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    symbols: Codes,
    offsets: Offsets,
    ends: Codes,
    threads: int | None,
) -> Floats:
    """Log-probabilities of verdicts at the end alone; NaN where plain floats do not reach."""
    logs = np.full(len(ends), np.nan)
    for end in np.unique(ends).tolist():
        rows = np.flatnonzero(ends == end)
        if masks[end].all():
            logs[rows] = 0.0
            continue
        words, word_offsets, _ = (
            (symbols, offsets, None) if len(rows) == len(ends) else _subset(rows, symbols, offsets, None)
        )
        scores = acceptances(transitions, initial, masks[end].astype(np.float64), words, word_offsets, threads)
        reached = scores >= SAFE
        logs[rows[reached]] = np.log(scores[reached])
    return logs


def _spelled(
    symbols: Codes | None, offsets: Offsets | None, marks: Codes | None, tree: tuple[Any, ...] | None
) -> tuple[Codes, Offsets, Codes | None]:
    """Words as ragged arrays, out of the tree if they were not given."""
    if symbols is not None and offsets is not None:
        return symbols, offsets, marks
    words: CodedWords = tree[0]  # type: ignore[index]
    return words.spelled()


def _subset(
    rows: NDArray[np.int64], symbols: Codes, offsets: Offsets, marks: Codes | None
) -> tuple[Codes, Offsets, Codes | None]:
    """Some of the words, with their marks."""
    lengths = np.diff(offsets)[rows]
    chosen = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    words = symbols[places(offsets[rows], lengths)]
    return words, chosen, None if marks is None else marks[places(offsets[rows] + rows, lengths + 1)]


def _threads(threads: int | None) -> int:
    """Number of threads: all cores that this process may use, unless told."""
    if threads is not None:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
