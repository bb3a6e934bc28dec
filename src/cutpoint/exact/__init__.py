"""The recursions over the rationals, and comparisons that rounding cannot spoil."""

from cutpoint.exact.algebraic import (
    AlgebraicNumber as AlgebraicNumber,
    CutPoint as CutPoint,
    cut_point_value as cut_point_value,
)
from cutpoint.exact.certified import (
    SIGNS as SIGNS,
    Relation as Relation,
    all_compared as all_compared,
    all_values_compared as all_values_compared,
    compared as compared,
    sign as sign,
)
from cutpoint.exact.numbers import (
    check_choice as check_choice,
    check_unmasked as check_unmasked,
    entry as entry,
    finite_number as finite_number,
    floats as floats,
    whole_number as whole_number,
)
from cutpoint.exact.rational_functions import (
    ParameterInterval as ParameterInterval,
    RationalFunction as RationalFunction,
    has_parameters as has_parameters,
    parameters as parameters,
)
from cutpoint.exact.recursions import IntegerForm as IntegerForm, fractions as fractions, lowest_terms as lowest_terms
