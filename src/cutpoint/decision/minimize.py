"""Minimize: the linear function of fewest dimensions that gives every word the same value."""

from __future__ import annotations

import numpy as np

from cutpoint.decision.equivalence import checked_tolerance, reach
from cutpoint.exact import lowest_terms
from cutpoint.exact.spans import row_space
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.weighted import WeightedAutomaton

FLOAT_TOLERANCE = 1e-9
"""Below this part of their length, directions of float rows are rounding."""


def minimize(function: Acceptor | WeightedAutomaton, tolerance: float | None = None) -> WeightedAutomaton:
    r"""WeightedAutomaton function of least dimension with the same value for every word.

    Forward: the rows :math:`\xi M(x)` of all words span a space closed under every :math:`M(a)`; in coordinates of a
    basis of it the function keeps its values. Backward: the same for the columns :math:`M(x)\eta`. What remains has as
    many dimensions as the Hankel matrix :math:`H[x, y] = f(xy)` has rank, and nothing smaller can do.

    Parameters
    ----------
    function : an acceptor or a linear function.
    tolerance : None for rational arithmetic if the function is exact, and for 1e-9 if it has floats. A number: floats,
        and a row is dropped if all but this part of its length lies in the space of earlier ones. Values then change
        by about as much, more on long words.

    Returns
    -------
    :class:`WeightedAutomaton`; dimension 0 for the function that is 0. Its matrices need not be stochastic:
    :func:`quotient` stays among acceptors.

    Notes
    -----
    Cost :math:`O(l' n^3)` arithmetic operations. Source: Schützenberger, *On the definition of a family of automata*,
    Information and Control 4 (1961); Carlyle and Paz, *Realizations by stochastic finite automata*, J. Comput. Syst.
    Sci. 5 (1971).

    Examples
    --------
    >>> import cutpoint as cp
    >>> A = cp.p_adic(2)
    >>> B = cp.mixture([A, ~A & A, A | A])
    >>> small = cp.minimize(B)
    >>> B.n_states, small.dimension, small.exact_value("0110") == B.exact_acceptance("0110")
    (10, 3, True)
    """
    whole = WeightedAutomaton.of(function)
    if not whole.dimension:
        return whole
    if tolerance is None and whole.is_exact:
        return _reduced(_reduced(whole).reverse()).reverse()
    part = FLOAT_TOLERANCE if tolerance is None else checked_tolerance(tolerance)
    return _reduced_floats(_reduced_floats(whole, part).reverse(), part).reverse()


def _reduced(function: WeightedAutomaton) -> WeightedAutomaton:
    """The function in coordinates of the echelon basis U of its rows, read off at the pivots: ξ, U M(a), U η."""
    if not function.dimension:
        return function
    integers, span = function.integers, row_space(function.integers)
    pivots, size = list(span.pivots), len(span.pivots)
    matrices = np.zeros((len(function.alphabet), size, size), dtype=object)
    for a, (matrix, denominator) in enumerate(zip(integers.matrices, integers.denominators, strict=True)):
        rows, below = span.rows * matrix, denominator * span.denominator
        matrices[a] = [[lowest_terms(rows[i, j], below) for j in pivots] for i in range(size)]
    column = span.basis @ function.exact_final
    return WeightedAutomaton(function.alphabet, function.exact_initial[pivots], matrices, column)


def _reduced_floats(function: WeightedAutomaton, tolerance: float) -> WeightedAutomaton:
    """The function in coordinates of an orthonormal basis Q of its rows: ξQᵀ, Q M(a) Qᵀ, Q η."""
    basis = reach(function, independence=tolerance).basis
    matrices, column = basis @ function.transitions @ basis.T, basis @ function.final
    if np.linalg.norm(column) <= tolerance * np.linalg.norm(function.final):  # what is left is rounding
        column = np.zeros_like(column)
    return WeightedAutomaton(function.alphabet, function.initial @ basis.T, matrices, column)
