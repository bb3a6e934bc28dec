"""The recursions of :mod:`reference` in numbers whose exponent is a 64-bit integer.

A probability of e^-1,000,000 is an ordinary number here, and no product of non-zero numbers is ever zero: what comes
out as 0 is impossible, not underflowed. Slower than plain floats, so only the words that need it come here.

Sums run over the states in their order, and rounding does not depend on a power of two: these are the results of floats
without bounds to their exponents. ``native/wide.hpp`` gives the same bits by other means.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels.words import Codes, Floats, Masks

ZERO = -(2**60)  # exponent of zero: below all others, and still far from overflow when a few are added
NEGLIGIBLE = -1100  # a term this many powers of two below the largest does not change a sum
COLUMNS, ROWS = np.s_[..., None], np.s_[..., None, :]  # a row beside the matrices of its states, a column above them


class Wide(NamedTuple):
    """Numbers ``fraction · 2**exponent`` with fraction 0 or in [1/2, 1)."""

    fraction: Floats
    exponent: NDArray[np.int64]


def wide(values: Floats) -> Wide:
    """Floats as wide numbers, exactly."""
    fraction, exponent = np.frexp(values)
    return Wide(fraction, np.where(fraction == 0.0, ZERO, exponent.astype(np.int64)))


def product(left: Wide, right: Wide) -> Wide:
    """Entrywise product, with broadcasting."""
    fraction, shift = np.frexp(left.fraction * right.fraction)
    return Wide(fraction, np.where(fraction == 0.0, ZERO, left.exponent + right.exponent + shift))


def total(terms: Wide, axis: int) -> Wide:
    """Sum along an axis."""
    top = terms.exponent.max(axis=axis, keepdims=True)
    shift = np.maximum(terms.exponent - top, NEGLIGIBLE).astype(np.int32)
    sums = np.add.accumulate(np.ldexp(terms.fraction, shift), axis=axis)
    fraction, carry = np.frexp(np.take(sums, -1, axis=axis))
    return Wide(fraction, np.where(fraction == 0.0, ZERO, top.squeeze(axis) + carry))


def total_by(terms: Wide, groups: Codes, n_groups: int) -> Wide:
    """Sum of the terms of each group, in their order."""
    top = np.full(n_groups, ZERO)
    np.maximum.at(top, groups, terms.exponent)
    shift = np.maximum(terms.exponent - top[groups], NEGLIGIBLE).astype(np.int32)
    sums = np.bincount(groups, weights=np.ldexp(terms.fraction, shift), minlength=n_groups)
    fraction, carry = np.frexp(sums)
    return Wide(fraction, np.where(fraction == 0.0, ZERO, top + carry))


def quotient(numerator: Wide, denominator: Wide) -> Wide:
    """Quotients, with broadcasting; 0 where the denominator is 0."""
    possible = denominator.fraction > 0.0
    shares = np.where(possible, numerator.fraction, 0.0) / np.where(possible, denominator.fraction, 1.0)
    fraction, shift = np.frexp(shares)
    return Wide(fraction, np.where(fraction == 0.0, ZERO, numerator.exponent - denominator.exponent + shift))


def rounded(values: Wide) -> Floats:
    """Numbers of about 1 or less as floats."""
    return np.asarray(np.ldexp(values.fraction, np.maximum(values.exponent, NEGLIGIBLE).astype(np.int32)))


def log(values: Wide) -> Floats:
    """Natural logarithms; -inf for zero."""
    positive = values.fraction > 0.0
    logs = np.log(np.where(positive, values.fraction, 1.0)) + values.exponent * np.log(2.0)
    return np.where(positive, logs, -np.inf)


def log_evidence(probability: Wide, nothing_seen: NDArray[np.bool_] | np.bool_) -> Floats:
    """Log-probability of what was seen; without evidence exactly 0, though rows sum to 1 only up to rounding."""
    return np.where(nothing_seen, 0.0, log(probability))


def log_probability(transitions: Floats, initial: Floats, words: Codes, seen: Masks, stop: Floats | None) -> Floats:
    """Log-probability of the evidence on each word of a block; -inf exactly where it is impossible."""
    for row in _forward(wide(transitions), wide(initial), words, seen):
        last = row
    return log_evidence(total(product(last, _last_column(seen, stop)), axis=-1), seen.all(axis=(1, 2)) & (stop is None))


def filtered(transitions: Floats, initial: Floats, final: Masks, words: Codes, seen: Masks) -> tuple[Floats, Floats]:
    """P(final) and log-probability of what was seen at each position of a block, ``[word, i]``, given all before it."""
    steps, ahead = wide(transitions), _rows(wide(initial), len(words))
    acceptances, logs = np.empty(seen.shape[:2]), np.zeros(seen.shape[:2])
    for i, row in enumerate(_forward(steps, wide(initial), words, seen)):
        whole = total(ahead, axis=-1)
        possible, is_seen = whole.fraction > 0.0, ~seen[:, i].all(axis=1)
        share = quotient(total(where(np.broadcast_to(final, seen[:, i].shape), ahead), axis=-1), whole)
        acceptances[:, i] = np.where(possible, rounded(share), np.nan)
        logs[is_seen, i] = log(quotient(total(row, axis=-1), whole))[is_seen]
        if i < words.shape[1]:
            ahead = _step(row, steps, words[:, i])
    return acceptances, logs


def pair_posteriors(
    transitions: Floats, initial: Floats, words: Codes, seen: Masks, stop: Floats | None
) -> tuple[Floats, Iterator[tuple[int, Floats]]]:
    """Log-probabilities and pair posteriors of a block, as ``reference._pair_posteriors``; zeros where impossible."""
    steps = wide(transitions)
    rows = list(_forward(steps, wide(initial), words, seen))
    end = _last_column(seen, stop)
    probability = total(product(rows[-1], end), axis=-1)
    column = quotient(end, at(probability, COLUMNS))
    logs = log_evidence(probability, seen.all(axis=(1, 2)) & (stop is None))
    return logs, _backward(steps, words, seen, rows, column)


def _last_column(seen: Masks, stop: Floats | None) -> Wide:
    """Column with which every backward pass begins: ones, or the probabilities to stop."""
    return wide(np.broadcast_to(1.0 if stop is None else stop, seen[:, -1].shape))


def _forward(steps: Wide, initial: Wide, words: Codes, seen: Masks) -> Iterator[Wide]:
    yield (row := where(seen[:, 0], _rows(initial, len(words))))
    for i in range(words.shape[1]):
        yield (row := where(seen[:, i + 1], _step(row, steps, words[:, i])))


def _rows(initial: Wide, n_words: int) -> Wide:
    """The initial row for each word of a block."""
    shape = n_words, len(initial.fraction)
    return Wide(np.broadcast_to(initial.fraction, shape), np.broadcast_to(initial.exponent, shape))


def _step(rows: Wide, steps: Wide, symbols: Codes) -> Wide:
    """One step of the forward recursion, each row by the matrix of its symbol."""
    return total(product(at(rows, COLUMNS), at(steps, symbols)), axis=-2)


def _backward(steps: Wide, words: Codes, seen: Masks, rows: list[Wide], column: Wide) -> Iterator[tuple[int, Floats]]:
    for i in range(words.shape[1], 0, -1):
        after = at(where(seen[:, i], column), ROWS)
        onward = product(at(steps, words[:, i - 1]), after)
        yield i, rounded(product(at(rows[i - 1], COLUMNS), onward))
        column = total(onward, axis=-1)
    yield 0, rounded(at(product(rows[0], column), ROWS))


def where(kept: Masks, values: Wide) -> Wide:
    """Numbers where a mask is set, elsewhere 0."""
    return Wide(np.where(kept, values.fraction, 0.0), np.where(kept, values.exponent, ZERO))


def at(values: Wide, index: Any) -> Wide:
    """Numbers at an index of arrays."""
    return Wide(values.fraction[index], values.exponent[index])
