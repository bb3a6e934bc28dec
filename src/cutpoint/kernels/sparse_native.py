"""The compiled kernels for sparse matrices, behind the signatures of :mod:`sparse_reference`."""

from typing import Any

import numpy as np

from cutpoint.kernels import _native, cores, door, native, reference, sparse_reference
from cutpoint.kernels.door import AnyWords
from cutpoint.kernels.native import NO_ROWS, NO_STOP, NO_TABLE, NO_WORDS, SAFE
from cutpoint.kernels.reference import BestPath, ExpectedCounts, FilterResult, Occupancy
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.kernels.words import Codes, EncodedWords, Floats, FrontCodedWords, Masks

NO_COUNTS = np.empty(0)

matrix = sparse_reference.matrix
prefix_tree = native.prefix_tree


def _stored(transitions: SparseMatrices) -> tuple[Any, Floats]:
    """The pattern as the compiled kernels know it, checked once, and the numbers."""
    pattern = transitions.pattern
    sizes = pattern.n_symbols, pattern.n_states, pattern.starts, pattern.columns
    return pattern.kept(lambda: _native.sparse_pattern(*sizes)), transitions.values


def distribution(transitions: SparseMatrices, initial: Floats, word: Codes) -> Floats:
    """The row πP(x)."""
    row = np.empty(len(initial))
    _native.sparse_distribution(*_stored(transitions), initial, word, row)
    return row


def forward(transitions: SparseMatrices, initial: Floats, word: Codes) -> Floats:
    """Table M of equation (e-M-1), n + 1 rows."""
    table = np.empty((len(word) + 1, len(initial)))
    _native.sparse_table(*_stored(transitions), initial, word, table, False)
    return table


def backward(transitions: SparseMatrices, column: Floats, word: Codes) -> Floats:
    """Table of backward probabilities, n + 1 rows."""
    table = np.empty((len(word) + 1, len(column)))
    _native.sparse_table(*_stored(transitions), column, word, table, True)
    return table


def acceptance(transitions: SparseMatrices, initial: Floats, column: Floats, word: Codes) -> float:
    """πP(x)f of one word."""
    words = EncodedWords.without_marks(word, np.array((0, len(word))))
    return float(acceptances(transitions, initial, column, words)[0])


def acceptances(
    transitions: SparseMatrices, initial: Floats, column: Floats, words: EncodedWords, threads: int | None = None
) -> Floats:
    """πP(x)f of every word, over their prefix tree: words that begin alike share the work."""
    scores = np.empty(len(words))
    tree = prefix_tree(words)
    _native.sparse_acceptances(
        *_stored(transitions), initial, column, tree, words.symbols, words.offsets, scores, threads or cores()
    )
    return scores


def log_acceptances(
    transitions: SparseMatrices, initial: Floats, final: Masks, words: EncodedWords, threads: int | None = None
) -> Floats:
    """Logarithm of the probability that each word leads to a final state; -inf for 0."""
    door.array("final", final, "bool", [transitions.pattern.n_states])
    if final.all():
        door.words(words, len(transitions))
        return np.zeros(len(words))
    scores = acceptances(transitions, initial, final.astype(np.float64), words, threads)
    redo = np.flatnonzero(~(scores >= SAFE))
    scores[redo] = 1.0
    logs = np.log(scores)
    if len(redo):
        rest, masks = words.take(redo), np.stack([np.ones_like(final), final])
        rest = EncodedWords(rest.symbols, rest.offsets, np.ones(len(rest), dtype=np.int32))
        found = _counts(transitions, initial, None, masks, rest, np.ones(len(rest)), NO_COUNTS, threads, wide=True)
        logs[redo] = found.log_probabilities
    return logs


def log_probabilities(
    transitions: SparseMatrices,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    threads: int | None = None,
    stop: Floats | None = None,
) -> Floats:
    """Log-probability of what was seen of each word's run; -inf where it is impossible, and nowhere else."""
    weights = np.ones(len(words))
    return _all_counts(transitions, initial, stop, masks, words, weights, NO_COUNTS, threads).log_probabilities


def expected_counts(
    transitions: SparseMatrices,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    threads: int | None = None,
    stop: Floats | None = None,
) -> ExpectedCounts:
    """Prop. 4.2 with evidence, over the prefix tree of the words; counts of the stored entries alone."""
    counts = np.empty(transitions.n_entries)
    found = _all_counts(transitions, initial, stop, masks, words, weights, counts, threads)
    return found._replace(transitions=transitions.like(found.transitions))


def occupancy(
    transitions: SparseMatrices, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> Occupancy:
    """Posterior distribution over states at each position of a word, given ``seen[i, s]``."""
    door.array("seen", seen, "bool", [len(word) + 1, transitions.pattern.n_states])
    marks, ends = np.arange(1, len(seen) + 1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    words, table = EncodedWords(word, np.array((0, len(word))), ends, marks), np.zeros(seen.shape)
    masks = np.concatenate((np.ones((1, len(initial)), dtype=np.bool_), seen))
    for is_wide in (False, True):
        given = transitions, initial, stop, masks, words, np.ones(1), NO_COUNTS, 1
        log = _counts(*given, wide=is_wide, table=table).log_probabilities[0]
        if not np.isnan(log):
            break
    return Occupancy(table, float(log))


def filtered(
    transitions: SparseMatrices, initial: Floats, final: Masks, masks: Masks, words: EncodedWords
) -> FilterResult:
    """The filter: what can be said at each position, before it is seen, of the state there."""
    door.array("final", final, "bool", [transitions.pattern.n_states])
    found = FilterResult(np.empty(words.positions[-1]), np.empty(words.positions[-1]))
    pattern, values = _stored(transitions)
    lost, column = np.empty(len(words)), final.astype(np.float64)
    given = words.symbols, words.offsets, words.marks, words.ends
    _native.sparse_filtered(pattern, values, initial, column, masks, *given, *found, lost, cores())
    redo = np.flatnonzero(lost > reference.LOSS_ALLOWED)
    if len(redo):
        places = np.concatenate([np.arange(*words.positions[r : r + 2]) for r in redo])
        rest = sparse_reference.filtered(transitions, initial, final, masks, words.take(redo))
        found.acceptances[places], found.logs[places] = rest
    return found


def most_likely_path(
    transitions: SparseMatrices, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> BestPath:
    """State path of highest probability among those that agree with ``seen[i, s]``."""
    path = np.empty(len(word) + 1, dtype=np.int64)
    ending = NO_STOP if stop is None else stop
    log = _native.sparse_most_likely_path(*_stored(transitions), initial, ending, word, seen, path)
    return BestPath(path, log)


def _all_counts(
    transitions: SparseMatrices,
    initial: Floats,
    stop: Floats | None,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    counts: Floats,
    threads: int | None,
) -> ExpectedCounts:
    """Fill ``counts`` if it has a size; words out of reach of plain floats are done again with wide exponents."""
    found = _counts(transitions, initial, stop, masks, words, weights, counts, threads, tree=prefix_tree(words))
    logs = found.log_probabilities
    redo = np.flatnonzero(np.isnan(logs)) if np.isnan(logs.sum()) else NO_ROWS
    if not len(redo):
        return found
    rest, others = words.decoded().take(redo), np.empty(len(counts))
    more = _counts(transitions, initial, stop, masks, rest, weights[redo], others, threads, wide=True)
    logs[redo] = more.log_probabilities
    stops = None if found.stop is None or more.stop is None else found.stop + more.stop
    return ExpectedCounts(counts + more.transitions, found.initial + more.initial, stops, logs)


def _counts(
    transitions: SparseMatrices,
    initial: Floats,
    stop: Floats | None,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    counts: Floats,
    threads: int | None,
    tree: tuple[Any, ...] | None = None,
    wide: bool = False,
    table: Floats = NO_TABLE,
) -> ExpectedCounts:
    """The words of a tree, or without one each for itself; the logarithm is NaN where plain floats do not reach."""
    first, logs, stops = np.empty(len(initial)), np.empty(len(words)), np.empty(0 if stop is None else len(stop))
    ragged = NO_WORDS if isinstance(words, FrontCodedWords) else words  # read for long words, which are never coded
    _native.sparse_expected_counts(
        *_stored(transitions), initial, NO_STOP if stop is None else stop, masks, ragged.symbols, ragged.offsets,
        ragged.marks, words.ends, weights, tree, counts, first, stops, logs, table, threads or cores(), wide,
    )  # fmt: skip
    if wide and stop is None:
        logs[words.decoded().nothing_seen(masks)] = 0.0  # as in ``wide.py``
    return ExpectedCounts(counts, first, None if stop is None else stops, logs)
