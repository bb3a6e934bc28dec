"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import AlgebraicNumber, CutPoint, cut_point_value
from cutpoint.exact.certified import Comparisons, compared, exceeds
from cutpoint.exact.numbers import entry, whole_number
from cutpoint.exact.recursions import IntegerForm, fractions, lowest_terms

__all__ = [
    "AlgebraicNumber",
    "Comparisons",
    "CutPoint",
    "IntegerForm",
    "compared",
    "cut_point_value",
    "entry",
    "exceeds",
    "fractions",
    "lowest_terms",
    "whole_number",
]
