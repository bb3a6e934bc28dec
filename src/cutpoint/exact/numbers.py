"""Numbers as users write them: rationals are kept exactly, floats stay floats."""

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational

import numpy as np

from cutpoint.errors import InvalidArgument
from cutpoint.wording import shown

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


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number of a given range, for an argument of a given name."""
    whole = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else least - 1
    if whole < least or (most is not None and whole > most):
        limit = f", {least} or more" if most is None else f" from {least} to {most:,}"
        raise InvalidArgument(f"must be a whole number{limit}; got {shown(value)}.", argument=name)
    return whole
