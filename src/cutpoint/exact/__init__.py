"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import AlgebraicNumber, CutPoint, cut_point_value
from cutpoint.exact.certified import Comparisons, compared, exceeds
from cutpoint.exact.numbers import entry, whole_number
from cutpoint.exact.recursions import Integral, integral, lowest_terms

__all__ = [
    "AlgebraicNumber",
    "Comparisons",
    "CutPoint",
    "Integral",
    "compared",
    "cut_point_value",
    "entry",
    "exceeds",
    "integral",
    "lowest_terms",
    "whole_number",
]
