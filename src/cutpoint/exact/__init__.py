"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.certified import exceeds
from cutpoint.exact.numbers import cut_point_value, entry, whole_number
from cutpoint.exact.rational import Integral, integral, lowest_terms
from cutpoint.exact.spans import Span, first_nonzero, row_space

__all__ = [
    "Integral",
    "Span",
    "cut_point_value",
    "entry",
    "exceeds",
    "first_nonzero",
    "integral",
    "lowest_terms",
    "row_space",
    "whole_number",
]
