"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.certified import exceeds
from cutpoint.exact.numbers import cut_point_value, entry, whole_number
from cutpoint.exact.rational import Integral, integral

__all__ = ["Integral", "cut_point_value", "entry", "exceeds", "integral", "whole_number"]
