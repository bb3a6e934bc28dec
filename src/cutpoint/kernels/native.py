"""The compiled kernels, behind the signatures of :mod:`reference`.

What plain floats cannot hold is done again with wide exponents. Importing this module fails where the
extension was not built.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import KernelsUnavailable
from cutpoint.kernels import _native, cores, door, reference, wide
from cutpoint.kernels.door import AnyWords
from cutpoint.kernels.merging import MOST_NODES, ROUNDS_PER_STATE, MergedMachine
from cutpoint.kernels.reference import BestPath, ClimbPlace, ExpectedCounts, FilterResult, Occupancy
from cutpoint.kernels.words import Codes, EncodedWords, Floats, FrontCodedWords, Masks

SAFE = 1e-280  # acceptances of at least this have lost nothing to the smallest floats

NO_ROWS = np.empty(0, dtype=np.int64)
NO_STOP, NO_TABLE, NO_COUNTS = np.empty(0), np.empty((0, 0)), np.empty((0, 0, 0))
NO_WORDS = EncodedWords.without_marks(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64))

if (limit := os.environ.get("CUTPOINT_ISA", "")) not in ("", *_native.instruction_sets):
    raise KernelsUnavailable(
        f"CUTPOINT_ISA must be one of {', '.join(_native.instruction_sets)}; got {limit!r}. Unset it to use the best "
        "that this processor has."
    )

instruction_set = _native.instruction_set
encode_texts = _native.encode_texts
encode_lists = _native.encode_lists
matrix = reference.matrix


def acceptance(transitions: Floats, initial: Floats, column: Floats, word: Codes) -> float:
    """πP(x)f of one word: :func:`acceptances` without a value for many."""
    return _native.acceptance(transitions, initial, column, word)


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


def occupancy(transitions: Floats, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None) -> Occupancy:
    """Posterior distribution over states at each position of a word, given ``seen[i, s]``."""
    door.reading(transitions, word, seen, initial=initial, stop=stop)
    steps, symbols, positions = _until_stop(transitions, word, seen, stop)
    table, negligible = np.empty(positions.shape), reference.negligible(steps)
    log = np.nan
    if negligible < reference.LARGEST_NEGLIGIBLE:
        log = _native.occupancy(steps, initial, negligible, symbols, positions, table, stop is not None)
        if log == -np.inf:
            table[...] = 0.0
    if np.isnan(log):
        marks, ends = np.arange(len(seen), dtype=np.int32), np.zeros(1, dtype=np.int32)
        words, table = EncodedWords(word, np.array((0, len(word))), ends, marks), np.zeros(seen.shape)
        log = _wide_counts(transitions, initial, stop, seen, words, np.ones(1), NO_COUNTS, 1, table).log_probabilities[
            0
        ]
    return Occupancy(table[: len(seen)], log)


def filtered(transitions: Floats, initial: Floats, final: Masks, masks: Masks, words: EncodedWords) -> FilterResult:
    """The filter: what can be said at each position, before it is seen, of the state there."""
    door.evidence(transitions, initial, masks, words, None, None)
    door.array("final", final, "bool", [transitions.shape[-1]])
    negligible = reference.negligible(transitions)
    if not negligible < reference.LARGEST_NEGLIGIBLE:
        return reference.filtered(transitions, initial, final, masks, words)
    found = FilterResult(np.empty(words.positions[-1]), np.empty(words.positions[-1]))
    column, lost = final.astype(np.float64), np.empty(len(words))
    given = words.symbols, words.offsets, words.marks, words.ends
    _native.filtered(transitions, initial, column, masks, *given, *found, lost, negligible, cores())
    redo = np.flatnonzero(lost > reference.LOSS_ALLOWED)
    if len(redo):
        places = np.concatenate([np.arange(*words.positions[r : r + 2]) for r in redo])
        rest = reference.filtered(transitions, initial, final, masks, words.take(redo))
        found.acceptances[places], found.logs[places] = rest
    return found


def most_likely_path(
    transitions: Floats, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> BestPath:
    """State path of highest probability among those that agree with ``seen[i, s]``."""
    door.reading(transitions, word, seen, initial=initial, stop=stop)
    steps, symbols, positions = _until_stop(transitions, word, seen, stop)
    path = np.empty(len(positions), dtype=np.int64)
    with np.errstate(divide="ignore"):
        logs = np.log(steps), np.log(initial)
    log = _native.most_likely_path(*logs, symbols, positions, path)
    return BestPath(path[: len(seen)], log)


def _until_stop(transitions: Floats, word: Codes, seen: Masks, stop: Floats | None) -> tuple[Floats, Codes, Masks]:
    """Steps, word and positions; of a generator with its stop as one more symbol, which stays where it is."""
    if stop is None:
        return transitions, word, seen
    end = np.full(1, len(transitions), dtype=word.dtype)
    ones = np.ones((1, len(stop)), dtype=np.bool_)
    return np.concatenate((transitions, np.diag(stop)[None])), np.append(word, end), np.concatenate((seen, ones))


def merged_machine(
    words: EncodedWords,
    labels: Codes,
    weights: Floats,
    n_symbols: int,
    pseudo: Floats,
    n_states: int,
    width: int,
    least: float = -np.inf,
) -> MergedMachine:
    """Deterministic machine by red-blue merging; see ``kernels/merging.py``."""
    rounds = ROUNDS_PER_STATE * n_states
    table, seen = _native.merged_machine(
        words.symbols, words.offsets, labels, weights, n_symbols, pseudo, n_states, width, rounds, least, MOST_NODES
    )
    seen = seen.reshape(-1, len(pseudo))
    return MergedMachine(table.reshape(len(seen), n_symbols), seen)


def prefix_tree(words: AnyWords) -> tuple[Any, ...]:
    """Prefix tree, which the words keep: its arrays, described in ``native/kernels.hpp``, and last the tree itself.

    A tree that is made block by block has no arrays.
    """
    return words.prefix_tree(lambda: _coded_tree(words) if isinstance(words, FrontCodedWords) else _tree(words))


def _tree(words: EncodedWords) -> tuple[Any, ...]:
    return _native.prefix_tree(words.symbols, words.offsets, words.marks)


def _coded_tree(words: FrontCodedWords) -> tuple[Any, ...]:
    return _native.coded_tree(
        words.codes, words.marks, words.shared, words.lengths, words.block_words, words.whole_tree
    )


def acceptances(
    transitions: Floats, initial: Floats, column: Floats, words: EncodedWords, threads: int | None = None
) -> Floats:
    """πP(x)f of every word, equation (e-M-2)."""
    scores = np.empty(len(words))
    _native.acceptances(transitions, initial, column, words.symbols, words.offsets, scores, threads or cores())
    return scores


def log_acceptances(
    transitions: Floats, initial: Floats, final: Masks, words: EncodedWords, threads: int | None = None
) -> Floats:
    """Logarithm of the probability that each word leads to a final state, whatever was seen of it; -inf for 0."""
    door.machine(transitions, initial=initial)
    door.array("final", final, "bool", [transitions.shape[-1]])
    if final.all():
        door.words(words, len(transitions))
        return np.zeros(len(words))
    scores = acceptances(transitions, initial, final.astype(np.float64), words, threads)
    redo = np.flatnonzero(~(scores >= SAFE))
    scores[redo] = 1.0
    logs = np.log(scores)
    if len(redo):
        rest, masks = _some(words, redo), np.stack([np.ones_like(final), final])
        rest = EncodedWords(rest.symbols, rest.offsets, np.ones(len(rest), dtype=np.int32))
        found = _wide_counts(transitions, initial, None, masks, rest, np.ones(len(rest)), NO_COUNTS, threads)
        logs[redo] = found.log_probabilities
    return logs


def log_probabilities(
    transitions: Floats,
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
    transitions: Floats,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    threads: int | None = None,
    stop: Floats | None = None,
) -> ExpectedCounts:
    """Prop. 4.2 with evidence, over the prefix tree of the words: one pass down and one up serve all of them.

    The cost follows the edges of the tree, not the symbols. Words whose probability is too small for plain floats are
    left out there and done one by one with wide exponents.
    """
    return _all_counts(transitions, initial, stop, masks, words, weights, np.empty(transitions.shape), threads)


def climbed(
    place: ClimbPlace,
    pseudo: tuple[Floats, Floats],
    learn_initial: bool,
    e_steps: int,
    least_gain: float,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    threads: int | None = None,
) -> tuple[ClimbPlace, Floats]:
    """Accelerated steps of Baum-Welch as ``em/climb.py`` takes them, and the best objective after each E-step.

    They end when at least so many E-steps are done, when a step gains no more than ``least_gain``, or, perhaps before
    the first, at a step for which plain floats do not do. A place whose objective is NaN gets its E-step first; then it
    is NaN if that cannot be done.
    """
    place, history = ClimbPlace._make(map(np.array, place)), np.empty(e_steps + 2)
    ragged = NO_WORDS if isinstance(words, FrontCodedWords) else words
    done = _native.climb(
        place.transitions, place.initial, place.counts, place.initial_counts, *pseudo, place.numbers, history,
        learn_initial, least_gain, masks, ragged.symbols, ragged.offsets, ragged.marks, words.ends, weights,
        prefix_tree(words), threads or cores(),
    )  # fmt: skip
    return place, history[:done]


def _all_counts(
    transitions: Floats,
    initial: Floats,
    stop: Floats | None,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    counts: Floats,
    threads: int | None,
) -> ExpectedCounts:
    """Fill ``counts`` if it has a size."""
    found, redo = _tree_counts(transitions, initial, stop, masks, words, weights, counts, threads)
    if not len(redo):
        return found
    rest, others = _some(words.decoded(), redo), np.empty(counts.shape)
    more = _wide_counts(transitions, initial, stop, masks, rest, weights[redo], others, threads)
    found.log_probabilities[redo] = more.log_probabilities
    stops = None if found.stop is None or more.stop is None else found.stop + more.stop
    return ExpectedCounts(counts + more.transitions, found.initial + more.initial, stops, found.log_probabilities)


def _some(words: EncodedWords, rows: NDArray[np.int64]) -> EncodedWords:
    """The words of these rows; all of them without a copy, which of a long word would be the largest array."""
    return words if len(rows) == len(words) else words.take(rows)


def _tree_counts(
    transitions: Floats,
    initial: Floats,
    stop: Floats | None,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    counts: Floats,
    threads: int | None,
) -> tuple[ExpectedCounts, NDArray[np.int64]]:
    """Fill ``counts`` if it has a size; also the rows of words out of reach of plain floats, which are not counted."""
    first, logs, stops = np.empty(len(initial)), np.empty(len(words)), np.empty(0 if stop is None else len(stop))
    ragged = NO_WORDS if isinstance(words, FrontCodedWords) else words  # read for long words, which are never coded
    left_out = _native.expected_counts(
        transitions, initial, NO_STOP if stop is None else stop, masks, ragged.symbols, ragged.offsets, ragged.marks,
        words.ends, weights, prefix_tree(words), counts, first, stops, logs, threads or cores(),
    )  # fmt: skip
    found = ExpectedCounts(counts, first, None if stop is None else stops, logs)
    return found, np.flatnonzero(np.isnan(logs)) if left_out else NO_ROWS


def _wide_counts(
    transitions: Floats,
    initial: Floats,
    stop: Floats | None,
    masks: Masks,
    words: EncodedWords,
    weights: Floats,
    counts: Floats,
    threads: int | None,
    table: Floats = NO_TABLE,
) -> ExpectedCounts:
    """The recursions of ``wide.py``. Fills ``counts`` if it has a size, or the posteriors ``table[i, s]`` of one word.

    Cost: at 8 states, two to eight times that of plain floats. Memory: of the order of √n for words of n symbols.
    """
    first, stops = np.zeros(len(initial)), np.zeros(0 if stop is None else len(stop))
    probabilities = wide.Wide(np.empty(len(words)), np.empty(len(words), dtype=np.int64))
    _native.expect_wide(
        transitions, initial, NO_STOP if stop is None else stop, masks, words.symbols, words.offsets, words.marks,
        words.ends, weights, counts, first, stops, table, *probabilities, threads or cores(),
    )  # fmt: skip
    logs = wide.log(probabilities) if stop is not None else wide.log_evidence(probabilities, words.nothing_seen(masks))
    return ExpectedCounts(counts, first, None if stop is None else stops, logs)
