"""Numbers as users write them: rationals are kept exactly, floats stay floats; and as flint has them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.wording import shown

if TYPE_CHECKING:
    from flint import fmpq, fmpq_poly

DEEPEST = 32  # levels of nested lists that are looked into, more than arrays have
LONG_EXPONENT = re.compile(r"[eE][+-]?0*\d{5,}")  # five digits, or more, would make a number of as many digits


def entry(value: object) -> Fraction | float:
    """A number: a ``Fraction`` for rationals, decimals and strings such as ``"1/3"``; otherwise a float.

    Examples
    --------
    >>> entry("1/3"), entry(1), entry(0.5)
    (Fraction(1, 3), Fraction(1, 1), 0.5)
    """
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    if isinstance(value, float | np.floating):
        if isinstance(value, np.longdouble) and math.isfinite(value) and float(value) != value:
            raise InvalidArgument(f"no float equals the long double {value!s}; pass float(...) of it, or a Fraction.")
        return float(value)
    try:
        if isinstance(value, np.bool_):
            return Fraction(int(value))
        if isinstance(value, Rational):  # int(): NumPy integers would overflow in silence
            return Fraction(int(value.numerator), int(value.denominator))
        if isinstance(value, Decimal | str) and not LONG_EXPONENT.search(str(value)):
            return Fraction(value)
    except ZeroDivisionError:
        raise InvalidArgument(f"a fraction needs a denominator other than 0; got {value!r}.") from None
    except (ValueError, OverflowError, InvalidOperation):
        pass
    raise InvalidArgument(f"expected a finite number or a string such as '1/3'; got {shown(value)}.")


def finite_number(name: str, value: object) -> Fraction | float:
    """:func:`entry` for an argument of a given name, which must be finite."""
    try:
        number = entry(value)
    except InvalidArgument:
        number = math.nan
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidArgument(f"{name} must be a finite number or a string such as '1/3'; got {shown(value)}.")
    return number


def floats(name: str, values: object, rule: str, error: type[CutpointError] = InvalidArgument) -> NDArray[np.float64]:
    """Array of floats, new, for an argument of a given name; what is masked or would change is refused.

    Examples
    --------
    >>> floats("counts", [1, 2], "must be numbers")
    array([1., 2.])
    >>> floats("counts", np.ma.array([1, 2], mask=[True, False]), "must be numbers")
    Traceback (most recent call last):
    cutpoint.errors.InvalidArgument: counts has masked entries; fill them in first.
    """
    check_unmasked(name, values, error)
    try:
        given = np.asarray(values)
        with np.errstate(over="ignore", under="ignore"):
            found = given.astype(np.float64, casting="unsafe" if given.dtype.kind != "c" else "safe")
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} {rule}; got {shown(values)}.") from None
    if given.dtype == np.longdouble and ((changed := found != given) & np.isfinite(given)).any():
        example = given[changed].flat[0]
        raise error(f"{name} holds long doubles that no float equals, such as {example!s}; pass them as float64.")
    return found


def check_unmasked(name: str, values: object, error: type[CutpointError] = InvalidArgument) -> None:
    """Refuse an array with masked entries, also in lists: NumPy would read what lies behind the mask."""
    if _is_masked(values):
        raise error(f"{name} has masked entries; fill them in first.")


def _is_masked(values: object, depth: int = DEEPEST) -> bool:
    if isinstance(values, list | tuple):
        inner = any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in set(map(type, values)))
        return inner and depth > 0 and any(_is_masked(value, depth - 1) for value in values)
    return bool(np.ma.is_masked(values))


def to_flint(number: Fraction) -> fmpq:
    """A fraction as a number of flint."""
    from flint import fmpq  # noqa: PLC0415

    return fmpq(int(number.numerator), int(number.denominator))


def from_flint(number: fmpq) -> Fraction:
    """A number of flint as a fraction."""
    return Fraction(int(number.p), int(number.q))


def polynomial(coefficients: Iterable[Fraction]) -> fmpq_poly:
    """Polynomial of flint with these coefficients of 1, x, x², …."""
    from flint import fmpq_poly  # noqa: PLC0415

    return fmpq_poly([to_flint(c) for c in coefficients])


def check_choice(name: str, value: object, *choices: str) -> None:
    """Refuse anything but one of some words, for an argument of a given name."""
    if not (isinstance(value, str) and value in choices):
        known = f"{', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
        raise InvalidArgument(f"must be {known}; got {shown(value)}.", argument=name)


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number of a given range, for an argument of a given name."""
    whole = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else least - 1
    if whole < least or (most is not None and whole > most):
        limit = f", {least} or more" if most is None else f" from {least} to {most:,}"
        raise InvalidArgument(f"must be a whole number{limit}; got {shown(value)}.", argument=name)
    return whole
