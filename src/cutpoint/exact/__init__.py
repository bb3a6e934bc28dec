"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import AlgebraicNumber as AlgebraicNumber
from cutpoint.exact.algebraic import CutPoint as CutPoint
from cutpoint.exact.algebraic import cut_point_value as cut_point_value
from cutpoint.exact.certified import exceeds as exceeds
from cutpoint.exact.certified import which_exceed as which_exceed
from cutpoint.exact.numbers import entry as entry
from cutpoint.exact.numbers import finite_number as finite_number
from cutpoint.exact.numbers import whole_number as whole_number
from cutpoint.exact.recursions import IntegerForm as IntegerForm
from cutpoint.exact.recursions import fractions as fractions
from cutpoint.exact.recursions import lowest_terms as lowest_terms
