"""Real roots of polynomials as exact numbers, for cut points that are not rational."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, total_ordering
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from cutpoint.errors import DivisionByZero, InvalidArgument, TooLarge
from cutpoint.exact.numbers import finite_number, from_flint, polynomial as flint_polynomial, to_flint
from cutpoint.wording import shown, signed_sum

if TYPE_CHECKING:
    from flint import fmpq

HIGHEST_DEGREE = 500  # of polynomials whose roots are told apart in some seconds
FLOAT_WIDTH = Fraction(1, 2**64)  # relative width of the interval whose middle becomes a float


@total_ordering
@dataclass(frozen=True, init=False, eq=False, repr=False)
class AlgebraicNumber:
    r"""The real root of a polynomial with rational coefficients between two rational numbers: exact, never rounded.

    Coefficients are those of 1, x, x², …, numbers or strings such as ``"1/3"``; there must be exactly one real root
    :math:`r` with low < r < high. Comparisons are exact, by the sign of the polynomial. Sums and products with rational
    numbers, such as ``1 - root`` or ``root / 2``, are algebraic numbers again.

    Examples
    --------
    >>> half = AlgebraicNumber([-1, 0, 2], 0, 1)  # 2x² = 1: the square root of 1/2
    >>> half
    <AlgebraicNumber of -1 + 2x^2: 0.707106781187>
    >>> print(half, "and", 1 - half / 2)
    √(1/2) ≈ 0.7071 and 1 - √(1/8) ≈ 0.6464
    >>> half > Fraction(7, 10), half > Fraction(5, 7), half == AlgebraicNumber.sqrt("1/2")
    (True, False, True)
    """

    polynomial: tuple[Fraction, ...]
    """Coefficients of the irreducible polynomial over the integers; the last is not 0."""
    low: Fraction
    high: Fraction

    def __init__(self, coefficients: Iterable[Any], low: Any, high: Any) -> None:
        if not isinstance(coefficients, Iterable) or getattr(coefficients, "shape", None) == ():
            raise InvalidArgument(f"an AlgebraicNumber needs a list of coefficients; got {shown(coefficients)}.")
        given = [_rational(value) for value in islice(coefficients, HIGHEST_DEGREE + 2)]
        if len(given) > HIGHEST_DEGREE + 1:
            raise TooLarge(f"the polynomial of an AlgebraicNumber has at most the degree {HIGHEST_DEGREE}.")
        polynomial, below, above = flint_polynomial(given), _rational(low), _rational(high)
        if polynomial.degree() < 1 or not below < above:
            raise InvalidArgument("an AlgebraicNumber needs a polynomial that is not constant, and low < high.")
        factors = [tuple(Fraction(int(c)) for c in factor.coeffs()) for factor, _ in polynomial.numer().factor()[1]]
        roots = [factor for factor in factors for _ in range(_roots_between(factor, below, above))]
        if len(roots) != 1:
            raise InvalidArgument(f"an AlgebraicNumber needs one real root between low and high; got {len(roots)}.")
        self.__dict__.update(polynomial=roots[0], low=below, high=above)

    @classmethod
    def sqrt(cls, number: Any) -> AlgebraicNumber:
        """Square root of a positive rational number."""
        square = _rational(number)
        if square <= 0:
            raise InvalidArgument(f"AlgebraicNumber.sqrt needs a positive number; got {shown(number)}.")
        return cls([-square, 0, 1], 0, square + 1)

    @property
    def rational(self) -> Fraction | None:
        """The root as a fraction, if it is one."""
        return -self.polynomial[0] / self.polynomial[1] if len(self.polynomial) == 2 else None

    def interval(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Rational numbers on both sides of the root, at most this far apart."""
        if not (isinstance(width, int | float | Fraction) and width > 0):
            raise InvalidArgument(f"must be a positive number; got {shown(width)}.", argument="width")
        return self._narrowed(self.low, self.high, width)

    def _narrowed(self, low: Fraction, high: Fraction, width: Fraction) -> tuple[Fraction, Fraction]:
        """An interval with the root in it, halved until it is narrow enough."""
        while high - low > width:
            middle = (low + high) / 2
            low, high = (middle, high) if self > middle else (low, middle)
        return low, high

    def __float__(self) -> float:
        return self._float

    @cached_property
    def _float(self) -> float:
        low = high = self.rational
        if low is None or high is None:
            low, high = self.interval(Fraction(1, 4) * (self.high - self.low))
            while high - low > FLOAT_WIDTH * max(abs(low), abs(high)):
                low, high = self._narrowed(low, high, (high - low) / 2**8)
        try:
            return float((low + high) / 2)
        except OverflowError:  # beyond all floats
            return math.inf if low > 0 else -math.inf

    def _sign_against(self, other: Any) -> int:
        """1 if the root is larger than another number, -1 if it is smaller, 0 if they are equal."""
        if isinstance(other, AlgebraicNumber):
            low, high = max(self.low, other.low), min(self.high, other.high)
            if self.polynomial == other.polynomial and low < high and _roots_between(self.polynomial, low, high):
                return 0
            width = min(self.high - self.low, other.high - other.low)
            while True:  # the intervals of two different numbers part at some width
                (low, high), (other_low, other_high) = self.interval(width), other.interval(width)
                if high <= other_low or other_high <= low:
                    return -1 if high <= other_low else 1
                width /= 2**16
        if other in (math.inf, -math.inf):
            return -1 if other > 0 else 1
        number = Fraction(other)
        if not self.low < number < self.high:
            return 1 if number <= self.low else -1
        polynomial = flint_polynomial(self.polynomial)
        here, below = polynomial(to_flint(number)), polynomial(to_flint(self.low))
        return 0 if here == 0 else 1 if (here > 0) == (below > 0) else -1

    def __eq__(self, other: object) -> bool:
        return self._sign_against(other) == 0 if _is_comparable(other) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._sign_against(other) < 0 if _is_comparable(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.polynomial if self.rational is None else self.rational)

    def __add__(self, number: object) -> AlgebraicNumber:
        return self._linear(Fraction(1), Fraction(number)) if isinstance(number, int | Fraction) else NotImplemented

    __radd__ = __add__

    def __sub__(self, number: object) -> AlgebraicNumber:
        return self + -number if isinstance(number, int | Fraction) else NotImplemented

    def __rsub__(self, number: object) -> AlgebraicNumber:
        return self._linear(Fraction(-1), Fraction(number)) if isinstance(number, int | Fraction) else NotImplemented

    def __neg__(self) -> AlgebraicNumber:
        return 0 - self

    def __mul__(self, number: object) -> AlgebraicNumber | Fraction:
        if not isinstance(number, int | Fraction):
            return NotImplemented
        return self._linear(Fraction(number), Fraction()) if number else Fraction()

    __rmul__ = __mul__

    def __truediv__(self, number: object) -> AlgebraicNumber:
        if not isinstance(number, int | Fraction):
            return NotImplemented
        if not number:
            raise DivisionByZero(f"{self} is divided by 0.")
        return self._linear(1 / Fraction(number), Fraction())

    def _linear(self, scale: Fraction, shift: Fraction) -> AlgebraicNumber:
        """The root times a number other than 0, plus a number."""
        moved = flint_polynomial(self.polynomial)(flint_polynomial([-shift / scale, 1 / scale]))
        coefficients = [from_flint(c) for c in moved.coeffs()]
        return AlgebraicNumber(coefficients, *sorted((scale * self.low + shift, scale * self.high + shift)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.polynomial, self.low, self.high)

    def __str__(self) -> str:
        return f"{self._formula} ≈ {float(self):.4g}"

    def __repr__(self) -> str:
        return f"<AlgebraicNumber of {self._equation}: {float(self):.12g}>"

    @property
    def _formula(self) -> str:
        """Square roots as such, other numbers by their polynomial."""
        if self.rational is not None:
            return str(self.rational)
        if len(self.polynomial) > 3:
            return f"the root of {self._equation}"
        c, b, a = self.polynomial
        middle, square = -b / (2 * a), (b / (2 * a)) ** 2 - c / a
        root = f"√{square}" if square.denominator == 1 else f"√({square})"
        if not middle:
            return root if self > 0 else f"-{root}"
        return f"{middle} {'+' if self > middle else '-'} {root}"

    @property
    def _equation(self) -> str:
        powers = ["", "x", *(f"x^{k}" for k in range(2, len(self.polynomial)))]
        terms = zip(self.polynomial, powers, strict=True)
        return signed_sum((c < 0, f"{'' if power and abs(c) == 1 else abs(c)}{power}") for c, power in terms if c)


def _rational(value: object) -> Fraction:
    return Fraction(finite_number("a coefficient or bound of an AlgebraicNumber", value))


def _roots_between(polynomial: Sequence[Fraction], low: Fraction, high: Fraction) -> int:
    """Number of real roots of a polynomial without double roots strictly between two numbers (Sturm)."""
    from flint import fmpq_poly  # noqa: PLC0415

    chain = [flint_polynomial(polynomial), flint_polynomial(polynomial).derivative()]
    while chain[-1].degree() > 0:  # divided by what the coefficients have in common, which would grow without bound
        numerator = -(chain[-2] % chain[-1]).numer()
        chain.append(fmpq_poly(numerator // numerator.content()))

    def changes(at: fmpq) -> int:
        signs = [value > 0 for value in (link(at) for link in chain) if value != 0]
        return sum(a != b for a, b in pairwise(signs))

    below, above = to_flint(low), to_flint(high)
    return changes(below) - changes(above) - int(chain[0](above) == 0)  # the changes count roots with low < r <= high


def real_roots(coefficients: Sequence[Fraction]) -> tuple[CutPoint, ...]:
    """Real zeros of a polynomial with these coefficients of 1, x, x², …, increasing, each once.

    Every factor over the rationals is cut in halves (Sturm) until each part has one zero.

    Examples
    --------
    >>> [str(root) for root in real_roots([Fraction(c) for c in (2, -4, -1, 2)])]  # (x² - 2)(2x - 1)
    ['-√2 ≈ -1.414', '1/2', '√2 ≈ 1.414']
    """
    found: list[CutPoint] = []
    for flint_factor, _ in flint_polynomial(coefficients).numer().factor()[1]:
        factor = [Fraction(int(c)) for c in flint_factor.coeffs()]
        if len(factor) == 2:
            found.append(-factor[0] / factor[1])
            continue
        bound = 1 + max(abs(c / factor[-1]) for c in factor)  # Cauchy
        parts = [(-bound, bound)]
        for low, high in parts:
            count = _roots_between(factor, low, high)
            if count == 1:
                found.append(AlgebraicNumber(factor, low, high))
            elif count:
                parts += [(low, (low + high) / 2), ((low + high) / 2, high)]
    return tuple(sorted(found))


def _is_comparable(other: object) -> bool:
    return isinstance(other, AlgebraicNumber | float | int | Fraction) and not (
        isinstance(other, float) and math.isnan(other)
    )


CutPoint = Fraction | AlgebraicNumber  # A rational cut point, or an irrational one as the root of a polynomial


def cut_point_value(value: object, is_probability: bool = True) -> CutPoint:
    """A cut point as an exact number, 0 ≤ λ ≤ 1 for probabilities; a float means its exact binary value."""
    if isinstance(value, AlgebraicNumber):
        exact: CutPoint = value if value.rational is None else value.rational
    else:
        exact = Fraction(finite_number("a cut point", value))
    if is_probability and not 0 <= exact <= 1:
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {shown(value)}.")
    return exact
