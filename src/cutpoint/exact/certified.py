r"""Comparison with a cut point that rounding cannot spoil.

All terms of the forward recursion are non-negative, so its float error is relative. With unit roundoff
:math:`u = 2^{-53}`, a word of length n and l states cost every path at most :math:`k = n(l+2) + l + 2` roundings
(the stored entries, products and sums), hence

.. math:: |\hat p - p| \le \gamma\, p + \eta, \qquad \gamma = \frac{k u}{1 - k u},

where :math:`\eta` covers what falls below the smallest normal float.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.algebraic import CutPoint

Signs = NDArray[np.int8]

Relation = Literal[">", "≥", "=", "≠"]
"""How the probability of a word of a language is to the cut point."""

SIGNS: dict[Relation, frozenset[int]] = {
    ">": frozenset({1}),
    "≥": frozenset({0, 1}),
    "=": frozenset({0}),
    "≠": frozenset({-1, 1}),
}
"""Signs of probability minus cut point that each relation allows."""

UNIT_ROUNDOFF = Fraction(1, 2**53)
SUBNORMAL = Fraction(1, 2**1070)  # 16 times the smallest float, to cover rows that sum to a little more than 1
LARGEST = 1e300  # cut points beyond are compared exactly
MOST_GROWTH = 500  # bits by which what underflow loses, at most 2**-1070 · (n + 1) · l², may have grown
LONGEST = 10**8  # up to this length rows that sum to 1 + 1e-9 enlarge an absolute error by less than 12 %


def sign(value: Fraction, cut_point: CutPoint) -> int:
    """1 if a number is above the cut point, 0 if it is equal to it, -1 if it is below."""
    return int(value > cut_point) - int(value < cut_point)


def compared(estimate: float, length: int, n_states: int, cut_point: CutPoint, exact: Callable[[], Fraction]) -> int:
    """Sign of the probability behind a float estimate minus the cut point; ``exact`` is called if the float can't say.

    ``estimate`` must come from fixed-order sums of the forward recursion over a word of this length.

    Examples
    --------
    >>> compared(0.1, 1, 2, Fraction(1, 10), exact=lambda: Fraction(1, 10))
    0
    """
    near = float(cut_point)
    if length <= LONGEST and abs(estimate - near) > _margin(estimate, length, n_states, near):
        return 1 if estimate > near else -1
    low, high = certified_bounds(estimate, length, n_states)
    if low > cut_point or high < cut_point:
        return 1 if low > cut_point else -1
    return sign(exact(), cut_point)


def all_compared(
    estimates: NDArray[np.float64],
    lengths: NDArray[np.int64],
    n_states: int,
    cut_point: CutPoint,
    exact: Callable[[int], Fraction],
) -> tuple[Signs, NDArray[np.bool_]]:
    """:func:`compared` for many words at once, and for which of them r ``exact(r)`` was needed: floats can't decide."""
    near = float(cut_point)
    signs = np.where(estimates > near, np.int8(1), np.int8(-1))
    used = np.zeros(len(estimates), dtype=np.bool_)

    def noted(r: int) -> Fraction:
        used[r] = True
        return exact(r)

    clear = (lengths <= LONGEST) & (np.abs(estimates - near) > _margin(estimates, lengths, n_states, near))
    for r in np.flatnonzero(~clear).tolist():
        signs[r] = compared(float(estimates[r]), int(lengths[r]), n_states, cut_point, partial(noted, r))
    return signs, used


def all_values_compared(
    estimates: NDArray[np.float64],
    magnitudes: NDArray[np.float64],
    lengths: NDArray[np.int64],
    norms: tuple[int, float],
    cut_point: CutPoint,
    exact: Callable[[int], Fraction],
) -> tuple[Signs, NDArray[np.bool_]]:
    r""":func:`all_compared` for values of either sign, whose error is relative to the sum of the paths' magnitudes.

    .. math:: |\hat p - p| \le \gamma\, |\xi|\, |M(x_1)| \cdots |M(x_n)|\, |\eta| + \eta_0

    ``norms`` are the dimension and the largest sum of magnitudes of a row, or entry of the column: what underflow loses
    grows at most by the latter with each symbol, and where that could be felt rational arithmetic decides.
    """
    n_states, largest = norms
    near = float(cut_point) if -LARGEST <= cut_point <= LARGEST else np.nan
    with np.errstate(over="ignore", invalid="ignore"):
        margin = _margin(magnitudes, lengths, n_states, abs(near), 1e-120)
        clear = np.abs(estimates - near) > margin  # never if a magnitude is infinite
    clear &= (lengths <= LONGEST) & ((lengths + 2) * np.log2(max(largest, 1.0)) < MOST_GROWTH)
    signs = np.where(estimates > near, np.int8(1), np.int8(-1))
    for r in np.flatnonzero(~clear).tolist():
        signs[r] = sign(exact(r), cut_point)
    return signs, ~clear


def _roundings(lengths: Any, n_states: int) -> Any:
    """Most roundings, n(l + 2) + l + 2, that a term of the forward recursion goes through."""
    return lengths * (n_states + 2) + n_states + 2


def _margin(estimates: Any, lengths: Any, n_states: int, near: float, underflow: float = 1e-290) -> Any:
    """Distance from the cut point, as a float, beyond which an estimate surely lies on its own side."""
    return 8 * _roundings(1.0 * lengths, n_states) * 2.0**-53 * estimates + 2.0**-50 * near + underflow


def certified_bounds(estimate: float, length: int, n_states: int) -> tuple[Fraction, Fraction]:
    """Rational numbers between which the probability behind a float estimate surely lies."""
    roundings = _roundings(length, n_states)
    if roundings >= 2**51 or length > LONGEST:
        return Fraction(-1), Fraction(2)
    relative = 2 * roundings * UNIT_ROUNDOFF
    absolute = (length + 1) * n_states * (n_states + 1) * SUBNORMAL
    value = Fraction(estimate)
    return value * (1 - relative) - absolute, value * (1 + relative) + absolute
