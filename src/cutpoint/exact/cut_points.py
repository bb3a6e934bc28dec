"""Cut points as users write them."""

import math
from fractions import Fraction

from cutpoint.errors import InvalidArgument
from cutpoint.exact.algebraic import Root
from cutpoint.exact.numbers import entry, printable

CutPoint = Fraction | Root
"""A rational cut point, or an irrational one as the root of a polynomial."""


def cut_point_value(value: object) -> CutPoint:
    """A cut point 0 ≤ λ ≤ 1 as an exact number; a float means its exact binary value.

    Examples
    --------
    >>> cut_point_value("1/3"), cut_point_value(0.5)
    (Fraction(1, 3), Fraction(1, 2))
    """
    if isinstance(value, Root) and 0 <= value <= 1:
        return value if value.rational is None else value.rational
    try:
        number = entry(value)
    except InvalidArgument:
        raise InvalidArgument(
            "a cut point must be a number between 0 and 1 (float, int, Fraction, Decimal, a string such as '1/3' or a "
            f"Root); got {printable(value)}."
        ) from None
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {number!r}.")
    exact = Fraction(number)
    if not 0 <= exact <= 1:
        raise InvalidArgument(f"a cut point must be a number between 0 and 1; got {printable(value)}.")
    return exact
