"""Numbers in text files: a fraction or a whole number is exact, one with a point or an exponent is a float."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from cutpoint.errors import InvalidArgument

# Lengths are bounded, so that a long run of digits costs no more than it is long.
_EXACT = re.compile(r"[0-9]{1,4300}(/[0-9]{1,4300})?")
_FLOAT = re.compile(r"([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")


def numeral(value: Fraction | float) -> str:
    """Number as text that gives the same number back, of the same kind.

    Examples
    --------
    >>> numeral(Fraction(1, 3)), numeral(Fraction(1)), numeral(1.0), numeral(0.1)
    ('1/3', '1', '1.0', '0.1')
    """
    try:
        return str(value) if isinstance(value, Fraction) else repr(float(value))
    except ValueError:
        raise InvalidArgument(
            "a file can keep fractions of at most 4,300 digits; an entry has more. Use rationalized(...) or floats."
        ) from None


def number_of(text: str) -> Fraction | float:
    """Number from its text; ValueError if it is not one."""
    if _EXACT.fullmatch(text):
        try:
            return Fraction(text)
        except ZeroDivisionError:
            raise ValueError from None
    value = float(text) if _FLOAT.fullmatch(text) else math.inf
    if value == math.inf:
        raise ValueError
    return value
