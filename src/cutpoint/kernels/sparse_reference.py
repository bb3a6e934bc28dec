r"""The recursions of :mod:`reference` over sparse matrices: the definition of what the compiled sparse kernels compute.

Word by word. What was seen of a run enters as in :mod:`reference`; the E-step is done in numbers whose exponents never
run out (:mod:`wide`), so that nothing needs to be scaled or dropped. Sums run over the states in their order.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels import door, reference, wide
from cutpoint.kernels.door import AnyWords
from cutpoint.kernels.reference import BestPath, ExpectedCounts, FilterResult, Occupancy, dot
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.kernels.wide import COLUMNS, Wide
from cutpoint.kernels.words import Codes, EncodedWords, Floats, Masks

prefix_tree = reference.prefix_tree


def matrix(transitions: SparseMatrices, word: Codes) -> Floats:
    """P(x) = P(x₁)…P(xₙ) as a dense array, if that fits into memory."""
    return reference.matrix(transitions.to_dense(), word)


def distribution(transitions: SparseMatrices, initial: Floats, word: Codes) -> Floats:
    """The row πP(x)."""
    _check_word(transitions, word, initial=initial)
    row = initial.copy()
    for symbol in word:
        row = transitions.step(row, symbol)
    return row


def forward(transitions: SparseMatrices, initial: Floats, word: Codes) -> Floats:
    """Table M of equation (e-M-1), n + 1 rows."""
    _check_word(transitions, word, initial=initial)
    rows = [initial]
    for symbol in word:
        rows.append(transitions.step(rows[-1], symbol))
    return np.stack(rows)


def backward(transitions: SparseMatrices, column: Floats, word: Codes) -> Floats:
    """Table of backward probabilities, n + 1 rows."""
    _check_word(transitions, word, column=column)
    columns = [column]
    for symbol in word[::-1]:
        columns.append(transitions.step_back(symbol, columns[-1]))
    return np.stack(columns[::-1])


def acceptance(transitions: SparseMatrices, initial: Floats, column: Floats, word: Codes) -> float:
    """πP(x)f of one word."""
    door.sparse_machine(transitions, column=column)
    return float(dot(distribution(transitions, initial, word), column))


def acceptances(
    transitions: SparseMatrices, initial: Floats, column: Floats, words: EncodedWords, threads: int | None = None
) -> Floats:
    """πP(x)f of every word."""
    door.words(words, len(transitions))
    return np.array([acceptance(transitions, initial, column, words.word(r)) for r in range(len(words))], dtype=float)


def log_acceptances(
    transitions: SparseMatrices, initial: Floats, final: Masks, words: EncodedWords, threads: int | None = None
) -> Floats:
    """Logarithm of the probability that each word leads to a final state; -inf for 0."""
    masks, ends = np.stack([np.ones_like(final), final]), np.ones(len(words), dtype=np.int32)
    return log_probabilities(transitions, initial, masks, EncodedWords(words.symbols, words.offsets, ends))


def log_probabilities(
    transitions: SparseMatrices,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    threads: int | None = None,
    stop: Floats | None = None,
) -> Floats:
    """Log-probability of what was seen of each word's run; -inf where it is impossible, and nowhere else."""
    _check_evidence(transitions, initial, masks, words, stop)
    logs, words = np.empty(len(words)), words.decoded()
    for r in range(len(words)):
        seen = words.evidence(masks, np.array([r]))[0]
        for row in _rows(transitions, initial, words.word(r), seen):
            last = row
        logs[r] = _column(last, seen, stop)[0]
    return logs


def expected_counts(
    transitions: SparseMatrices,
    initial: Floats,
    masks: Masks,
    words: AnyWords,
    weights: Floats,
    threads: int | None = None,
    stop: Floats | None = None,
) -> ExpectedCounts:
    """Prop. 4.2 with evidence: expected uses of every stored entry and of every first state, and last ones."""
    _check_evidence(transitions, initial, masks, words, stop)
    door.array("weights", weights, "float64", [len(words)])
    counts, first, last = np.zeros(transitions.n_entries), np.zeros(len(initial)), np.zeros(len(initial))
    logs, words = np.empty(len(words)), words.decoded()
    for r in range(len(words)):
        word, seen = words.word(r), words.evidence(masks, np.array([r]))[0]
        rows = list(_rows(transitions, initial, word, seen))
        logs[r], column = _column(rows[-1], seen, stop)
        last += weights[r] * wide.rounded(wide.product(rows[-1], column))
        for i in range(len(word), 0, -1):
            here, uses, column = _back(transitions, rows[i - 1], word[i - 1], wide.where(seen[i], column))
            counts[here] += weights[r] * uses
        first += weights[r] * wide.rounded(wide.product(rows[0], column))
    return ExpectedCounts(transitions.like(counts), first, None if stop is None else last, logs)


def occupancy(
    transitions: SparseMatrices, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> Occupancy:
    """Posterior distribution over states at each position of a word, given ``seen[i, s]``."""
    _check_word(transitions, word, initial=initial, stop=stop)
    rows, table = list(_rows(transitions, initial, word, seen)), np.empty(seen.shape)
    log, column = _column(rows[-1], seen, stop)
    for i in range(len(word), -1, -1):
        column = wide.where(seen[i], column)
        table[i] = wide.rounded(wide.product(rows[i], column))
        if i > 0:
            column = _back(transitions, rows[i - 1], word[i - 1], column)[2]
    return Occupancy(table, log)


def filtered(
    transitions: SparseMatrices, initial: Floats, final: Masks, masks: Masks, words: EncodedWords
) -> FilterResult:
    """The filter: what can be said at each position, before it is seen, of the state there."""
    _check_evidence(transitions, initial, masks, words, None)
    found = FilterResult(np.empty(words.positions[-1]), np.zeros(words.positions[-1]))
    for r in range(len(words)):
        word, seen = words.word(r), words.evidence(masks, np.array([r]))[0]
        ahead = wide.wide(initial)
        for i in range(len(word) + 1):
            at, whole = words.positions[r] + i, wide.total(ahead, axis=-1)
            share = wide.quotient(wide.total(wide.where(final, ahead), axis=-1), whole)
            found.acceptances[at] = wide.rounded(share) if whole.fraction > 0.0 else np.nan
            row = wide.where(seen[i], ahead)
            if not seen[i].all():
                found.logs[at] = wide.log(wide.quotient(wide.total(row, axis=-1), whole))
            ahead = _step(transitions, row, word[i]) if i < len(word) else row
    return found


def most_likely_path(
    transitions: SparseMatrices, initial: Floats, word: Codes, seen: Masks, stop: Floats | None = None
) -> BestPath:
    """State path of highest probability among those that agree with ``seen[i, s]``; ties as in :mod:`reference`."""
    _check_word(transitions, word, initial=initial, stop=stop)
    pattern, came_from = transitions.pattern, np.zeros((len(word), len(initial)), dtype=np.int64)
    with np.errstate(divide="ignore"):
        logs, score = np.log(transitions.values), np.where(seen[0], np.log(initial), -np.inf)
        last = 0.0 if stop is None else np.log(stop)
    for i, symbol in enumerate(word):
        here = pattern.of_symbol(symbol)
        sources, columns = pattern.sources[here], pattern.columns[here]
        reach, best = score[sources] + logs[here], np.full(len(initial), -np.inf)
        np.maximum.at(best, columns, reach)
        first = np.flatnonzero(reach == best[columns])[::-1]  # backward, so that the first state is written last
        came_from[i, columns[first]] = sources[first]
        score = np.where(seen[i + 1], best, -np.inf)
    path = np.zeros(len(word) + 1, dtype=np.int64)
    path[-1] = (score + last).argmax()
    for i in range(len(word), 0, -1):
        path[i - 1] = came_from[i - 1, path[i]]
    return BestPath(path, float((score + last).max()))


def _rows(transitions: SparseMatrices, initial: Floats, word: Codes, seen: Masks) -> Iterator[Wide]:
    """Forward rows of the runs that agree with what was seen."""
    yield (row := wide.where(seen[0], wide.wide(initial)))
    for symbol, mask in zip(word, seen[1:], strict=True):
        yield (row := wide.where(mask, _step(transitions, row, symbol)))


def _step(transitions: SparseMatrices, row: Wide, symbol: int) -> Wide:
    pattern, here = transitions.pattern, transitions.pattern.of_symbol(symbol)
    terms = wide.product(wide.at(row, pattern.sources[here]), wide.wide(transitions.values[here]))
    return wide.total_by(terms, pattern.columns[here], pattern.n_states)


def _column(last: Wide, seen: Masks, stop: Floats | None) -> tuple[float, Wide]:
    """Log-probability of an observation, and the column with which its backward pass begins."""
    end = wide.wide(np.ones(len(last.fraction)) if stop is None else stop)
    probability = wide.total(wide.product(last, end), axis=-1)
    log = wide.log_evidence(probability, seen.all() & (stop is None))
    return float(log), wide.quotient(end, wide.at(probability, COLUMNS))


def _back(transitions: SparseMatrices, before: Wide, symbol: int, column: Wide) -> tuple[slice, Floats, Wide]:
    """Stored entries of a symbol, their posterior uses at one position, and the column before it."""
    pattern, here = transitions.pattern, transitions.pattern.of_symbol(symbol)
    onward = wide.product(wide.wide(transitions.values[here]), wide.at(column, pattern.columns[here]))
    uses = wide.rounded(wide.product(wide.at(before, pattern.sources[here]), onward))
    return here, uses, wide.total_by(onward, pattern.sources[here], pattern.n_states)


def _check_word(transitions: SparseMatrices, word: Codes, **columns: NDArray[np.float64] | None) -> None:
    door.sparse_machine(transitions, **columns)
    door.codes("symbols", word, len(transitions))


def _check_evidence(
    transitions: SparseMatrices, initial: Floats, masks: Masks, words: AnyWords, stop: Floats | None
) -> None:
    door.sparse_machine(transitions, initial=initial, stop=stop)
    door.array("masks", masks, "bool", [door.ANY, len(initial)])
    door.words(words, len(transitions), len(masks))
