"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import Root
from cutpoint.exact.certified import Comparisons, compared, exceeds
from cutpoint.exact.cut_points import CutPoint, cut_point_value
from cutpoint.exact.numbers import entry, whole_number
from cutpoint.exact.rational import Integral, integral, lowest_terms
from cutpoint.exact.spans import Span, first_nonzero, row_space

__all__ = [
    "Comparisons",
    "CutPoint",
    "Integral",
    "Root",
    "Span",
    "compared",
    "cut_point_value",
    "entry",
    "exceeds",
    "first_nonzero",
    "integral",
    "lowest_terms",
    "row_space",
    "whole_number",
]
