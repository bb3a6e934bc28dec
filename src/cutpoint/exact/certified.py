r"""Comparison with a cut point that rounding cannot spoil.

All terms of the forward recursion are non-negative, so its float error is relative. With unit roundoff
:math:`u = 2^{-53}`, a word of length n and l states cost every path at most :math:`k = n(l+2) + l + 2` roundings
(the stored entries, products and sums), hence

.. math:: |\hat p - p| \le \gamma\, p + \eta, \qquad \gamma = \frac{k u}{1 - k u},

where :math:`\eta` covers what falls below the smallest normal float.
"""

from collections.abc import Callable
from fractions import Fraction

UNIT_ROUNDOFF = Fraction(1, 2**53)
SUBNORMAL = Fraction(1, 2**1070)
"""Sixteen times the smallest float, which also covers rows that sum to a little more than 1."""
LONGEST = 10**8
"""Up to this length rows that sum to 1 + 1e-9 enlarge an absolute error by less than 12 %."""


def exceeds(estimate: float, length: int, n_states: int, cut_point: Fraction, exact: Callable[[], Fraction]) -> bool:
    """Whether the probability behind a float estimate is > cut_point; ``exact`` is called only if the float can't say.

    ``estimate`` must come from fixed-order sums of the forward recursion over a word of this length.

    Examples
    --------
    >>> exceeds(0.75, 2, 2, Fraction(1, 2), exact=lambda: 1 / 0)
    True
    >>> exceeds(0.1, 1, 2, Fraction(1, 10), exact=lambda: Fraction(1, 10))
    False
    """
    roundings = length * (n_states + 2) + n_states + 2
    near = float(cut_point)
    margin = 8 * roundings * 2.0**-53 * estimate + 2.0**-50 * near + 1e-290
    if length <= LONGEST and abs(estimate - near) > margin:  # far away: no need to look closely
        return estimate > near
    if roundings < 2**51 and length <= LONGEST:
        relative = 2 * roundings * UNIT_ROUNDOFF
        absolute = (length + 1) * n_states * (n_states + 1) * SUBNORMAL
        value = Fraction(estimate)
        if value * (1 - relative) - absolute > cut_point:
            return True
        if value * (1 + relative) + absolute < cut_point:
            return False
    return exact() > cut_point
