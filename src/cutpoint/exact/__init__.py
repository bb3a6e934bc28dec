"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import Root
from cutpoint.exact.certified import Comparisons, compared, exceeds
from cutpoint.exact.cut_points import CutPoint, cut_point_value
from cutpoint.exact.numbers import entry, whole_number
from cutpoint.exact.rational import Integral, integral, lowest_terms

__all__ = [
    "Comparisons",
    "CutPoint",
    "Integral",
    "Root",
    "compared",
    "cut_point_value",
    "entry",
    "exceeds",
    "integral",
    "lowest_terms",
    "whole_number",
]
