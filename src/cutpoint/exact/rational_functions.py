"""Rational functions of named parameters, exact and in lowest terms; where they are positive, with exact ends."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import DivisionByZero, InvalidArgument, TooLarge
from cutpoint.exact.algebraic import AlgebraicNumber, CutPoint, real_roots
from cutpoint.exact.numbers import DEEPEST, entry, finite_number, from_flint, to_flint
from cutpoint.wording import counted, shown, signed_sum

if TYPE_CHECKING:
    from flint import fmpq_mpoly, fmpq_mpoly_ctx

MOST_WORDS = 10**6  # most words of memory for a power

CONSTANTS = int | float | Fraction | np.integer | np.floating


def parameters(names: str | Iterable[str]) -> tuple[RationalFunction, ...]:
    """Symbols for unknown probabilities, to be used as numbers are: their sums, products and quotients are functions.

    ``names`` are separated by blanks or commas. The result is a tuple, also of one symbol.

    Examples
    --------
    >>> p, q = cp.parameters("p q")
    >>> (1 - p) * q + p * q, (1 - p**2) / (1 - p), p / (p + q) - "1/2"
    (q, 1 + p, (p - q)/(2p + 2q))
    """
    found = names.replace(",", " ").split() if isinstance(names, str) else names
    listed = list(found) if isinstance(found, list | tuple | set) else []
    usable = all(isinstance(name, str) and name.isascii() and name.isidentifier() for name in listed)
    if not listed or not usable or any(map(keyword.iskeyword, listed)) or len(set(listed)) < len(listed):
        rule = "parameters need distinct names of letters, digits and underscores, such as 'p q'"
        raise InvalidArgument(f"{rule}; got {shown(names)}.")
    context = _context(listed)
    return tuple(RationalFunction(context.gen(context.variable_to_index(name)), context.constant(1)) for name in listed)


def has_parameters(values: object, depth: int = DEEPEST) -> bool:
    """Whether any entry of nested mappings, sequences or arrays is a function of parameters."""
    if isinstance(values, RationalFunction) or not depth:
        return depth > 0
    if isinstance(values, np.ndarray):
        inner: Iterable[Any] = values.flat if values.dtype == object else ()
    else:
        inner = values.values() if isinstance(values, Mapping) else values if isinstance(values, list | tuple) else ()
    return any(has_parameters(value, depth - 1) for value in inner)


class RationalFunction:
    r"""Quotient of two polynomials in named parameters with rational coefficients, in lowest terms: an exact value.

    Made by :func:`parameters`, by arithmetic, and by a :class:`ParametricAcceptor`. ``==`` is equality of functions.

    Examples
    --------
    >>> (p,) = cp.parameters("p")
    >>> f = p * (1 - p)
    >>> f, f.at(p="1/3"), f.derivative("p"), f.roots()
    (p - p^2, Fraction(2, 9), 1 - 2p, (Fraction(0, 1), Fraction(1, 1)))
    """

    __slots__ = ("denominator", "numerator")
    numerator: fmpq_mpoly
    denominator: fmpq_mpoly

    def __init__(self, numerator: fmpq_mpoly, denominator: fmpq_mpoly) -> None:
        from flint import fmpq_mpoly  # noqa: PLC0415

        if not (isinstance(numerator, fmpq_mpoly) and isinstance(denominator, fmpq_mpoly) and denominator):
            raise InvalidArgument("a RationalFunction is made by parameters('p q') and arithmetic, not of parts.")
        if not denominator.is_constant():
            divisor = numerator.gcd(denominator)
            numerator, denominator = numerator // divisor, denominator // divisor
        lead = denominator.leading_coefficient()
        object.__setattr__(self, "numerator", numerator * (1 / lead))
        object.__setattr__(self, "denominator", denominator * (1 / lead))

    @classmethod
    def of(cls, value: Any) -> RationalFunction:
        """The function itself, or a number as a constant one."""
        if isinstance(value, RationalFunction):
            return value
        constant, context = Fraction(finite_number("a coefficient", value)), _context(())
        return cls(context.constant(to_flint(constant)), context.constant(1))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that it depends on, in the order of the alphabet."""
        names = self.numerator.context().names()
        degrees = zip(names, self.numerator.degrees(), self.denominator.degrees(), strict=True)
        return tuple(name for name, above, below in degrees if above > 0 or below > 0)

    @property
    def constant(self) -> Fraction | None:
        """Its value, if it depends on no parameter."""
        if self.parameters:
            return None
        value = self.numerator.leading_coefficient() if self.numerator else to_flint(Fraction())
        return from_flint(value)

    def at(self, **values: Any) -> Any:
        """Value with numbers for parameters: a ``Fraction`` if none is left; names that it lacks are ignored."""
        given = {
            name: to_flint(Fraction(finite_number(f"the parameter {name}", value))) for name, value in values.items()
        }
        here: dict[str | int, Any] = {name: value for name, value in given.items() if name in self.parameters}
        above, below = (
            polynomial.subs(here) if here else polynomial for polynomial in (self.numerator, self.denominator)
        )
        if not below:
            where = ", ".join(f"{name} = {value}" for name, value in here.items())
            raise InvalidArgument(f"{self} is not defined at {where}: its denominator is 0 there.")
        found = RationalFunction(above, below)
        return found if found.constant is None else found.constant

    def derivative(self, parameter: str | None = None) -> RationalFunction:
        """Partial derivative by a parameter; by the only one if none is named."""
        name = self._only() if parameter is None else parameter
        above, below = self.numerator, self.denominator
        if name not in self.parameters:
            return RationalFunction.of(0)
        by = above.context().variable_to_index(name)
        return RationalFunction(above.derivative(by) * below - above * below.derivative(by), below * below)

    def roots(self) -> tuple[CutPoint, ...]:
        """Real zeros of a function of one parameter, increasing: fractions and algebraic numbers."""
        return _zeros(self.numerator)

    def _only(self) -> str:
        if len(self.parameters) != 1:
            raise InvalidArgument(
                f"name one of the parameters of {self}: {', '.join(self.parameters) or 'it has none'}."
            )
        return self.parameters[0]

    def _both(self, other: object) -> tuple[RationalFunction, RationalFunction] | None:
        """Both sides over the parameters of either; None if the other is not a number."""
        if not isinstance(other, RationalFunction):
            if not isinstance(other, CONSTANTS | str):
                return None
            other = RationalFunction.of(entry(other))
        mine, theirs = self.numerator.context(), other.numerator.context()
        if mine is theirs:
            return self, other
        context = _context({*mine.names(), *theirs.names()})
        return self._in(context), other._in(context)

    def _in(self, context: fmpq_mpoly_ctx) -> RationalFunction:
        """The same in another context, which has its parameters."""
        parts = (part.project_to_context(context) for part in (self.numerator, self.denominator))
        return RationalFunction(*parts)

    def __add__(self, other: object) -> RationalFunction:
        if (both := self._both(other)) is None:
            return NotImplemented
        (a, b), (c, d) = ((side.numerator, side.denominator) for side in both)
        return RationalFunction(a + c, b) if b == d else RationalFunction(a * d + c * b, b * d)

    def __mul__(self, other: object) -> RationalFunction:
        if (both := self._both(other)) is None:
            return NotImplemented
        one, two = both
        return RationalFunction(one.numerator * two.numerator, one.denominator * two.denominator)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> RationalFunction:
        return self * -1

    def __sub__(self, other: object) -> RationalFunction:
        return NotImplemented if (both := self._both(other)) is None else both[0] + both[1] * -1

    def __rsub__(self, other: object) -> RationalFunction:
        return -self + other

    def __truediv__(self, other: object) -> RationalFunction:
        if (both := self._both(other)) is None:
            return NotImplemented
        one, two = both
        if not two:
            raise DivisionByZero(f"{self} is divided by 0.")
        return RationalFunction(one.numerator * two.denominator, one.denominator * two.numerator)

    def __rtruediv__(self, other: object) -> RationalFunction:
        return NotImplemented if (both := self._both(other)) is None else both[1] / both[0]

    def __pow__(self, exponent: int) -> RationalFunction:
        if not isinstance(exponent, int):
            return NotImplemented
        if exponent < 0:
            return 1 / self**-exponent
        size = max(_words_of_power(part, exponent) for part in (self.numerator, self.denominator))
        if size > MOST_WORDS:
            raise TooLarge(
                f"a power of {shown(self)} would take {counted(size, 'word')} of memory; the limit is {MOST_WORDS:,}. "
                "Give its parameters values with .at(...) first, or take a smaller exponent."
            )
        return RationalFunction(self.numerator**exponent, self.denominator**exponent)

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __eq__(self, other: object) -> bool:
        if (both := self._both(other)) is None:
            return NotImplemented
        one, two = both
        return bool(one.numerator == two.numerator and one.denominator == two.denominator)

    def __hash__(self) -> int:
        return hash(str(self)) if self.constant is None else hash(self.constant)

    def _number(self) -> Fraction:
        if self.constant is None:
            raise InvalidArgument(
                f"{self} is no number: give its parameters values, such as .at({self.parameters[0]}='1/2')."
            )
        return self.constant

    def __float__(self) -> float:
        return float(self._number())

    def __lt__(self, other: Any) -> bool:
        return bool(self._number() < other)

    def __le__(self, other: Any) -> bool:
        return bool(self._number() <= other)

    def __gt__(self, other: Any) -> bool:
        return bool(self._number() > other)

    def __ge__(self, other: Any) -> bool:
        return bool(self._number() >= other)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a RationalFunction is immutable: cannot set {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        terms = tuple(
            tuple((powers, int(c.p), int(c.q)) for powers, c in part.terms())
            for part in (self.numerator, self.denominator)
        )
        return _restored, (self.numerator.context().names(), *terms)

    def __repr__(self) -> str:
        if self.denominator.is_constant():
            return _text(self.numerator)
        parts = self.numerator, self.denominator
        scale = math.lcm(*(int(c.q) for part in parts for c in part.coeffs()))
        if _text(self.denominator).startswith("-"):
            scale = -scale
        above, below = (_text(part * scale) for part in parts)
        if len(self.numerator.coeffs()) > 1:
            above = f"({above})"
        return f"{above}/{below}" if below.isidentifier() else f"{above}/({below})"


@dataclass(frozen=True, repr=False)
class ParameterInterval:
    """Numbers between two ends, each of which belongs to it or not; one number if the ends are equal.

    Ends are fractions or algebraic numbers, or infinite floats. ``x in interval`` is exact.
    """

    low: CutPoint | float
    high: CutPoint | float
    has_low: bool = True
    has_high: bool = True

    def __contains__(self, value: Any) -> bool:
        x = value if isinstance(value, AlgebraicNumber) else Fraction(finite_number("a parameter", value))
        return (self.low < x < self.high) or (self.has_low and x == self.low) or (self.has_high and x == self.high)

    def __repr__(self) -> str:
        if self.low == self.high:
            return f"{{{self.low}}}"
        return f"{'[' if self.has_low else '('}{self.low}, {self.high}{']' if self.has_high else ')'}"


def where_all_hold(conditions: Iterable[tuple[RationalFunction, bool]]) -> tuple[ParameterInterval, ...]:
    """Values of the one parameter for which functions are defined and above 0 (True) or at least 0 (False): intervals.

    The signs of polynomials change at their zeros only, so one number between two neighboring zeros speaks for all
    between them, and at a zero of one function the others have the signs that they have beside it.
    """
    asked = list(dict.fromkeys(conditions))
    names = {name for function, _ in asked for name in function.parameters}
    if len(names) > 1:
        raise InvalidArgument(
            f"such a set needs one parameter; got {', '.join(sorted(names))}. Give values to the others with .at(...)."
        )
    zeros = [(set(_zeros(function.numerator)), set(_zeros(function.denominator))) for function, _ in asked]
    ends: list[Any] = [-math.inf, *sorted({zero for pair in zeros for part in pair for zero in part}), math.inf]
    (name,) = names or {"p"}

    def between(low: Any, high: Any) -> list[bool | None]:
        """Whether each function is positive between two neighboring ends; None where it is 0 throughout."""
        values = [function.at(**{name: _between(low, high)}) for function, _ in asked]
        return [value > 0 if value else None for value in values]

    signs = [between(low, high) for low, high in pairwise(ends)]
    intervals: list[ParameterInterval] = []
    for k, sign in enumerate(signs):
        low, high = ends[k], ends[k + 1]
        at_low = k > 0 and all(
            low not in below and (not strict if low in above or sign[i] is None else bool(sign[i]))
            for i, ((above, below), (_, strict)) in enumerate(zip(zeros, asked, strict=True))
        )
        inside = all(bool(s) or (s is None and not strict) for s, (_, strict) in zip(sign, asked, strict=True))
        before = intervals[-1] if intervals and intervals[-1].high == low else None
        if at_low and before is not None:
            intervals[-1] = ParameterInterval(before.low, low, before.has_low, True)
        elif at_low:
            intervals.append(ParameterInterval(low, low))
        if inside and at_low:
            intervals[-1] = ParameterInterval(intervals[-1].low, high, intervals[-1].has_low, False)
        elif inside:
            intervals.append(ParameterInterval(low, high, False, False))
    return tuple(intervals)


def solved(equations: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Solution X of AX = B over functions, by elimination; A has an inverse."""
    size, table = len(equations), np.hstack([equations, right])
    for k in range(size):
        pivot = next(i for i in range(k, size) if table[i, k])
        table[[k, pivot]] = table[[pivot, k]]
        table[k] = table[k] / table[k, k]
        for i in range(size):
            if i != k and table[i, k]:
                table[i] = table[i] - table[k] * table[i, k]
    return table[:, size:]


class FunctionSpan:
    """Space of rows of functions that grows: a basis in echelon form."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, NDArray[Any]]] = []

    def add(self, row: NDArray[Any]) -> bool:
        """Whether a row is new; then the space contains it from now on."""
        for pivot, known in self._rows:
            if row[pivot]:
                row = row - known * row[pivot]
        pivot = next((i for i, value in enumerate(row) if value), -1)
        if pivot >= 0:
            self._rows.append((pivot, row / row[pivot]))
        return pivot >= 0


def _words_of_power(polynomial: fmpq_mpoly, exponent: int) -> int:
    """Words of 64 bits that a power of a polynomial takes at most, about: its terms times the size of each."""
    coefficients = polynomial.coeffs()
    largest = max((abs(int(x)) for c in coefficients for x in (c.p, c.q)), default=1)
    n_terms = math.prod(exponent * int(degree) + 1 for degree in polynomial.degrees()) if len(coefficients) > 1 else 1
    return n_terms * (1 + exponent * ((largest * len(coefficients)).bit_length() - 1) // 64)


def _between(low: Any, high: Any) -> Fraction:
    """A rational number strictly between two others."""
    width = Fraction(1)
    while True:
        left = low.interval(width)[1] if isinstance(low, AlgebraicNumber) else low
        right = high.interval(width)[0] if isinstance(high, AlgebraicNumber) else high
        if left < right:
            if left == -math.inf:
                return Fraction(0) if right == math.inf else Fraction(right) - 1
            return Fraction(left) + 1 if right == math.inf else (Fraction(left) + Fraction(right)) / 2
        width /= 2


def _zeros(polynomial: fmpq_mpoly) -> tuple[CutPoint, ...]:
    """Real zeros of a polynomial in at most one parameter, increasing; none of the polynomial 0."""
    used = [i for i, degree in enumerate(polynomial.degrees()) if degree > 0]
    if len(used) > 1:
        raise InvalidArgument(f"the zeros of {_text(polynomial)} are a curve: give values to all parameters but one.")
    if not used:
        return ()
    coefficients = [Fraction()] * (polynomial.degrees()[used[0]] + 1)
    for powers, c in polynomial.terms():
        coefficients[powers[used[0]]] = from_flint(c)
    return real_roots(coefficients)


def _text(polynomial: fmpq_mpoly) -> str:
    """A polynomial with its lowest terms first, such as 1 - p + 2p q^2/3."""
    names = polynomial.context().names()
    terms = sorted(polynomial.terms(), key=lambda term: (sum(term[0]), [-power for power in term[0]]))
    parts = []
    for powers, c in terms:
        factors = " ".join(f"{name}^{k}" if k > 1 else name for name, k in zip(names, powers, strict=True) if k)
        above, below = abs(int(c.p)), int(c.q)
        parts.append((c < 0, f"{'' if above == 1 and factors else above}{factors}{'' if below == 1 else f'/{below}'}"))
    return signed_sum(parts)


def _context(names: Iterable[str]) -> fmpq_mpoly_ctx:
    from flint import fmpq_mpoly_ctx  # noqa: PLC0415

    return fmpq_mpoly_ctx.get(tuple(sorted(names)), "lex")


Terms = Sequence[tuple[tuple[int, ...], int, int]]


def _restored(names: Sequence[str], *parts: Terms) -> RationalFunction:
    """The function of terms, as it is copied and pickled."""
    context = _context(names)
    polynomials = (
        context.from_dict({powers: to_flint(Fraction(above, below)) for powers, above, below in terms})
        for terms in parts
    )
    return RationalFunction(*polynomials)
