"""Real roots of polynomials as exact numbers, for cut points that are not rational."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property, total_ordering
from itertools import pairwise
from math import lcm
from typing import Any

from cutpoint.errors import InvalidArgument
from cutpoint.exact.numbers import entry
from cutpoint.wording import shown

Polynomial = tuple[Fraction, ...]
"""Coefficients of 1, x, x², …; the last is not 0. The zero polynomial is ()."""

FLOAT_WIDTH = Fraction(1, 2**64)
"""Relative width of the interval whose middle becomes a float."""


@total_ordering
class AlgebraicNumber:
    r"""The real root of a polynomial with rational coefficients between two rational numbers: exact, never rounded.

    Parameters
    ----------
    coefficients : of 1, x, x², …; numbers or strings such as ``"1/3"``.
    low, high : the polynomial must have exactly one real root :math:`r` with low < r < high.

    Notes
    -----
    A root compares exactly with rational numbers: the sign of the polynomial tells. ``1 - root`` is a root again.

    Examples
    --------
    >>> half = AlgebraicNumber([-1, 0, 2], 0, 1)  # 2x² = 1: the square root of 1/2
    >>> half
    <AlgebraicNumber of -1 + 2x^2: 0.707106781187>
    >>> half > Fraction(7, 10), half > Fraction(5, 7), half == AlgebraicNumber.sqrt("1/2")
    (True, False, True)
    """

    polynomial: Polynomial
    low: Fraction
    high: Fraction

    def __init__(self, coefficients: Iterable[Any], low: Any, high: Any) -> None:
        if not isinstance(coefficients, Iterable):
            raise InvalidArgument(f"the coefficients of a root must be a list of numbers; got {shown(coefficients)}.")
        values = _irreducible(_trimmed([_rational(value) for value in coefficients]), _rational(low), _rational(high))
        self.__dict__.update(zip(("polynomial", "low", "high"), values, strict=True))

    @classmethod
    def sqrt(cls, number: Any) -> AlgebraicNumber:
        """Square root of a positive rational number.

        Examples
        --------
        >>> float(AlgebraicNumber.sqrt("1/4"))
        0.5
        """
        square = _rational(number)
        if square <= 0:
            raise InvalidArgument(f"the square root of a positive number is meant; got {shown(number)}.")
        return cls([-square, 0, 1], 0, square + 1)

    @property
    def rational(self) -> Fraction | None:
        """The root as a fraction, if it is one."""
        return -self.polynomial[0] / self.polynomial[1] if len(self.polynomial) == 2 else None

    def interval(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Rational numbers on both sides of the root, at most this far apart."""
        low, high = self.low, self.high
        while high - low > width:
            middle = (low + high) / 2
            low, high = (middle, high) if self > middle else (low, middle)
        return low, high

    def __float__(self) -> float:
        return self._float

    @cached_property
    def _float(self) -> float:
        if self.rational is not None:
            return float(self.rational)
        low, high = self.interval(Fraction(1, 4) * (self.high - self.low))
        while high - low > FLOAT_WIDTH * max(abs(low), abs(high)):
            low, high = self.interval((high - low) / 2**8)
        return float((low + high) / 2)

    def _sign_against(self, number: Fraction) -> int:
        """1 if the root is the larger of the two, -1 if the smaller, 0 if they are equal."""
        if number <= self.low:
            return 1
        if number >= self.high:
            return -1
        here, below = _value(self.polynomial, number), _value(self.polynomial, self.low)
        if here == 0:
            return 0
        return 1 if (here > 0) == (below > 0) else -1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, AlgebraicNumber):
            if self.polynomial != other.polynomial:
                return False
            low, high = max(self.low, other.low), min(self.high, other.high)
            return low < high and _roots_between(self.polynomial, low, high) == 1
        if isinstance(other, float | int | Fraction):
            return self._sign_against(Fraction(other)) == 0
        return NotImplemented

    def __lt__(self, other: object) -> bool:
        if isinstance(other, AlgebraicNumber):
            return self != other and float(self) < float(other)
        if isinstance(other, float | int | Fraction):
            return self._sign_against(Fraction(other)) < 0
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.polynomial if self.rational is None else self.rational)

    def __rsub__(self, number: object) -> AlgebraicNumber:
        """A rational number minus the root."""
        if not isinstance(number, int | Fraction):
            return NotImplemented
        return AlgebraicNumber(_mirrored(self.polynomial, Fraction(number)), number - self.high, number - self.low)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a AlgebraicNumber is immutable: cannot set {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.polynomial, self.low, self.high)

    def __repr__(self) -> str:
        powers = ["", "x", *(f"x^{k}" for k in range(2, len(self.polynomial)))]
        terms = [_term(c, power) for c, power in zip(self.polynomial, powers, strict=True) if c]
        text = " ".join(terms).removeprefix("+ ").replace("- ", "-", terms[0].startswith("-"))
        return f"<AlgebraicNumber of {text}: {float(self):.12g}>"


def _term(coefficient: Fraction, power: str) -> str:
    size = "" if power and abs(coefficient) == 1 else str(abs(coefficient))
    return f"{'-' if coefficient < 0 else '+'} {size}{power}"


def _rational(value: object) -> Fraction:
    number = entry(value)
    if isinstance(number, float) and not float("-inf") < number < float("inf"):
        raise InvalidArgument(f"the coefficients and bounds of a root must be finite; got {number!r}.")
    return Fraction(number)


def _irreducible(polynomial: Polynomial, low: Fraction, high: Fraction) -> tuple[Polynomial, Fraction, Fraction]:
    """The irreducible factor, over the integers, that has the root between two numbers."""
    from flint import fmpz_poly  # noqa: PLC0415

    if len(polynomial) < 2 or not low < high:
        raise InvalidArgument("a root needs a polynomial that is not constant, and low < high.")
    scale = lcm(*(c.denominator for c in polynomial))
    _, factors = fmpz_poly([int(c * scale) for c in polynomial]).factor()
    plain = [tuple(Fraction(int(c)) for c in factor.coeffs()) for factor, _ in factors]
    found = [(factor, _roots_between(factor, low, high)) for factor in plain]
    count = sum(roots for _, roots in found)
    if count != 1:
        raise InvalidArgument(
            f"a root needs bounds with exactly one real root of its polynomial strictly between them; got {count}."
        )
    (factor,) = (factor for factor, roots in found if roots)
    return factor, low, high


def _roots_between(polynomial: Polynomial, low: Fraction, high: Fraction) -> int:
    """Number of real roots of a polynomial without double roots strictly between two numbers (Sturm)."""
    chain = [polynomial, _trimmed([k * c for k, c in enumerate(polynomial)][1:])]
    while len(chain[-1]) > 1:
        chain.append(tuple(-c for c in _remainder(chain[-2], chain[-1])))
    changes = _sign_changes(chain, low) - _sign_changes(chain, high)  # roots with low < r <= high
    return changes - (_value(polynomial, high) == 0)


def _sign_changes(chain: Sequence[Polynomial], at: Fraction) -> int:
    signs = [value > 0 for value in (_value(polynomial, at) for polynomial in chain) if value]
    return sum(a != b for a, b in pairwise(signs))


def _remainder(dividend: Polynomial, divisor: Polynomial) -> Polynomial:
    rest = list(dividend)
    while len(rest) >= len(divisor):
        factor, shift = rest[-1] / divisor[-1], len(rest) - len(divisor)
        rest = [c - factor * divisor[k - shift] if k >= shift else c for k, c in enumerate(rest)][:-1]
    return _trimmed(rest)


def _mirrored(polynomial: Polynomial, number: Fraction) -> Polynomial:
    """The polynomial of number - x, by Horner's rule."""
    result: list[Fraction] = []
    for c in reversed(polynomial):
        raised = [number * a for a in result] + [Fraction(0)]
        for k, a in enumerate(result):
            raised[k + 1] -= a
        raised[0] += c
        result = raised
    return _trimmed(result)


def _trimmed(coefficients: Sequence[Fraction]) -> Polynomial:
    last = max((k for k, c in enumerate(coefficients) if c), default=-1)
    return tuple(coefficients[: last + 1])


def _value(polynomial: Polynomial, at: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(polynomial):
        total = total * at + c
    return total


CutPoint = Fraction | AlgebraicNumber
"""A rational cut point, or an irrational one as the root of a polynomial."""


def cut_point_value(value: object) -> CutPoint:
    """A cut point 0 ≤ λ ≤ 1 as an exact number; a float means its exact binary value.

    Examples
    --------
    >>> cut_point_value("1/3"), cut_point_value(0.5)
    (Fraction(1, 3), Fraction(1, 2))
    """
    if isinstance(value, AlgebraicNumber) and 0 <= value <= 1:
        return value if value.rational is None else value.rational
    try:
        number = entry(value)
    except InvalidArgument:
        raise InvalidArgument(
            "a cut point must be a number between 0 and 1 (float, int, Fraction, Decimal, a string such as '1/3' or a "
            f"AlgebraicNumber); got {shown(value)}."
        ) from None
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {number!r}.")
    exact = Fraction(number)
    if not 0 <= exact <= 1:
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {shown(value)}.")
    return exact
