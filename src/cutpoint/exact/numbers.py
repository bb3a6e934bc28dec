"""Numbers as users write them: rationals are kept exactly, floats stay floats."""

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational

import numpy as np

from cutpoint.errors import InvalidArgument


def entry(value: object) -> Fraction | float:
    """A number: a ``Fraction`` for rationals, decimals and strings such as ``"1/3"``; otherwise a float.

    Examples
    --------
    >>> entry("1/3"), entry(1), entry(0.5)
    (Fraction(1, 3), Fraction(1, 1), 0.5)
    """
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, np.bool_):
        return Fraction(int(value))
    if isinstance(value, Rational | Decimal | str | np.integer):
        try:
            return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
        except ZeroDivisionError:
            raise InvalidArgument(f"a fraction needs a denominator other than 0; got {value!r}") from None
        except (ValueError, OverflowError, InvalidOperation):
            pass
    raise InvalidArgument(f"expected a finite number or a string such as '1/3'; got {value!r}")


def cut_point_value(value: object) -> Fraction:
    """A cut point 0 ≤ λ ≤ 1 as an exact rational; a float means its exact binary value.

    Examples
    --------
    >>> cut_point_value("1/3"), cut_point_value(0.5)
    (Fraction(1, 3), Fraction(1, 2))
    """
    try:
        number = entry(value)
    except InvalidArgument:
        raise InvalidArgument(
            "a cut point must be a number between 0 and 1 (float, int, Fraction, Decimal or a string such as '1/3'); "
            f"got {value!r}."
        ) from None
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {number!r}.")
    exact = Fraction(number)
    if not 0 <= exact <= 1:
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {value!r}.")
    return exact
