"""Fewer dimensions or fewer states with the same acceptance of every word: minimize, quotient and trim."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import State
from cutpoint.decision.certificates import MinimalityCertificate
from cutpoint.decision.equivalence import MOST_DIMENSIONS, checked_tolerance, joint_rows, lumped, row_basis
from cutpoint.errors import TooLarge
from cutpoint.exact.recursions import quotients
from cutpoint.exact.spans import Codes, independent_words, row_space
from cutpoint.kernels.sparse_matrices import SparseMatrices, edges_of, is_worthwhile, reachable
from cutpoint.model.acceptor import Acceptor, check_acceptor
from cutpoint.model.weighted import Weighable, WeightedAutomaton

FLOAT_TOLERANCE = 1e-9  # differences of floats up to this are taken as rounding, as in the check that rows sum to 1
Blocks = list[list[int]]  # sets of states that become one, each in the order of the states


def minimize(automaton: Weighable, tolerance: float | None = None) -> WeightedAutomaton:
    r"""Weighted automaton of least dimension with the same value for every word.

    Forward: the rows :math:`\xi M(x)` of all words span a space closed under every :math:`M(a)`; in coordinates of a
    basis of it the function keeps its values. Backward: the same for the columns :math:`M(x)\eta`. What remains has as
    many dimensions as the Hankel matrix :math:`H[x, y] = f(xy)` has rank, and nothing smaller can do.

    Parameters
    ----------
    automaton : an acceptor or a weighted automaton.
    tolerance : None for rational arithmetic if it is exact, and for 1e-9 if it has floats. A number: floats,
        and a row is dropped if all but this part of its length lies in the space of earlier ones. Values then change
        by about as much, more on long words.

    Returns
    -------
    :class:`WeightedAutomaton`; dimension 0 for the function that is 0. Its matrices need not be stochastic:
    :func:`quotient` stays among acceptors. In rational arithmetic its ``certificate`` proves that it has the same
    values and the least dimension (:func:`cutpoint.decision.check`).

    Notes
    -----
    Cost :math:`O(l' n^3)` arithmetic operations. Source: Schützenberger, *On the definition of a family of automata*,
    Information and Control 4 (1961); Carlyle and Paz, *Realizations by stochastic finite automata*, J. Comput. Syst.
    Sci. 5 (1971).

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> B = cp.mixture([A, ~A & A, A | A])
    >>> small = cp.minimize(B)
    >>> B.n_states, small.dimension, small.exact_value("0110") == B.exact_acceptance("0110")
    (10, 3, True)
    """
    whole = WeightedAutomaton.of(automaton)
    if not whole.dimension:
        return whole
    if whole.is_sparse and whole.dimension > MOST_DIMENSIONS:
        raise TooLarge(
            f"minimize makes a basis of rows over at most {MOST_DIMENSIONS:,} states of a sparse acceptor; it has "
            f"{whole.dimension:,}. Lump states with the same future first: quotient(A)."
        )
    if tolerance is None and whole.is_exact:
        small = _reduced(_reduced(whole).reverse()).reverse()
        small.__dict__["_proof"] = partial(_proof_of_minimality, whole, small)
        return small
    part = FLOAT_TOLERANCE if tolerance is None else checked_tolerance(tolerance)
    return _reduced_floats(_reduced_floats(whole, part).reverse(), part).reverse()


def _proof_of_minimality(original: WeightedAutomaton, small: WeightedAutomaton) -> MinimalityCertificate:
    """Equality, and words that show the rank of the Hankel matrix."""
    return MinimalityCertificate(original, joint_rows(original, small), *basis_words(small))


def basis_words(small: WeightedAutomaton) -> tuple[tuple[Codes, ...], tuple[Codes, ...]]:
    """First prefixes whose rows, and suffixes whose columns, are a basis, of an exact automaton of least dimension."""
    if not small.dimension:
        return (), ()
    prefixes, turned = (independent_words(f.integers, small.dimension) for f in (small, small.reverse()))
    return prefixes, tuple(word[::-1] for word in turned)


def _reduced(automaton: WeightedAutomaton) -> WeightedAutomaton:
    """The automaton in coordinates of the echelon basis U of its rows, read off at the pivots: ξ, U M(a), U η."""
    if not automaton.dimension:
        return automaton
    integers, span = automaton.integers, row_space(automaton.integers)
    pivots = list(span.pivots)
    matrices = [
        quotients(span.rows * matrix, below * span.denominator)[:, pivots]
        for matrix, below in zip(integers.matrices, integers.denominators, strict=True)
    ]
    column = span.basis @ automaton.exact_final
    return WeightedAutomaton(automaton.alphabet, automaton.exact_initial[pivots], np.stack(matrices), column)


def _reduced_floats(automaton: WeightedAutomaton, tolerance: float) -> WeightedAutomaton:
    """The automaton in coordinates of an orthonormal basis Q of its rows: ξQᵀ, Q M(a) Qᵀ, Q η."""
    basis, _ = row_basis(automaton, independence=tolerance)
    matrices, column = basis @ automaton.transitions @ basis.T, basis @ automaton.final
    if np.linalg.norm(column) <= tolerance * np.linalg.norm(automaton.final):  # what is left is rounding
        column = np.zeros_like(column)
    return WeightedAutomaton(automaton.alphabet, automaton.initial @ basis.T, matrices, column)


def quotient(acceptor: Acceptor, tolerance: float | None = None) -> Acceptor:
    r"""Acceptor whose states are classes of states with the same future: the coarsest lumping.

    States fall into one class if both or neither are final and, for every symbol and every class C, they enter C with
    the same probability :math:`\sum_{t \in C} P(a)[s, t]`: they are bisimilar. Found by splitting {final, not final}
    until nothing splits.

    Parameters
    ----------
    acceptor : with any initial distribution.
    tolerance : None to compare sums exactly if the acceptor is exact, and up to 1e-9 if it has floats. A number: sums
        count as equal if they differ by at most this from those of the first state of the class, and the new
        probabilities are the means over the class; acceptances then change by about as much per symbol.

    Returns
    -------
    Acceptor. A class of one state keeps its name; a larger one is named by the tuple of its states. States never
    reached are kept, :func:`trim` drops them. :func:`minimize` can go lower, but leaves the acceptors.

    Notes
    -----
    At most l rounds of cost :math:`O(l' l^2)`, of a sparse acceptor of a few sorts of its moves; there sums of floats
    are equal if they are after rounding to multiples of the tolerance.

    Source: Kemeny and Snell, *Finite Markov Chains* (1960), chapter VI.

    Examples
    --------
    >>> twice = cp.mixture([cp.p_adic(2), cp.p_adic(2)])
    >>> twice.n_states, cp.quotient(twice).n_states, bool(cp.equivalence(twice, cp.quotient(twice)))
    (4, 2, True)
    """
    check_acceptor(acceptor)
    exact = acceptor.is_exact and tolerance is None
    near = FLOAT_TOLERANCE if tolerance is None else checked_tolerance(tolerance)
    if exact or acceptor.is_sparse:  # equal sums, or sums that are equal after rounding, make classes
        matrices: Any = acceptor.to_weighted().to_sparse().stored_arrays(exact)[1]
        classes = matrices.lumping(np.unique(acceptor.final, return_inverse=True)[1], near)
        order = np.argsort(classes, kind="stable")
        begins = np.flatnonzero(np.diff(classes[order])) + 1
        return _lumped(acceptor, sorted(part.tolist() for part in np.split(order, begins)), exact)
    blocks = _split(list(range(acceptor.n_states)), acceptor.final[:, None].astype(np.int64), 0.5)
    while True:
        sums = np.concatenate([acceptor.transitions[:, :, block].sum(axis=2) for block in blocks]).T
        refined = [part for block in blocks for part in _split(block, sums[block], near)]
        if len(refined) == len(blocks):
            return _lumped(acceptor, sorted(blocks), exact)
        blocks = refined


def trim(acceptor: Acceptor) -> Acceptor:
    """Acceptor without the states that play no part.

    States that no word reaches are dropped. Of those that remain, all from which nothing final can be reached become
    one, and so do all from which nothing but final states can be reached. A state that stands for several is named by
    their tuple. Which probabilities are 0 decides, not their size; every word keeps its acceptance, up to rounding if
    rows of floats do not sum to exactly 1.

    Examples
    --------
    >>> steps = {"a": {0: {1: "1/2", 2: "1/2"}, 1: 1, 2: 3, 3: 2, 4: 1}}
    >>> cp.trim(cp.Acceptor(5, "a", steps, 0, {1}))
    <Acceptor: 3 states {0, 1, (2, 3)}, 1 symbol {a}, starts in {0}, accepts in {1}, exact>
    """
    check_acceptor(acceptor)
    return trimmed(acceptor, merge_sure=True)


def trimmed(acceptor: Acceptor, merge_sure: bool) -> Acceptor:
    """:func:`trim`, which may leave the states apart from which everything is accepted: no bit is lost then."""
    edges = edges_of(acceptor.stored)
    reached = reachable(edges, acceptor.initial > 0)
    dead, sure = ~reachable(edges.T, acceptor.final), ~reachable(edges.T, ~acceptor.final) & merge_sure
    blocks: Blocks = [[s] for s in np.flatnonzero(reached & ~dead & ~sure).tolist()]
    blocks += [block for kind in (dead, sure) if (block := np.flatnonzero(reached & kind).tolist())]
    return _lumped(acceptor, sorted(blocks), acceptor.is_exact)


def _split(block: list[int], sums: NDArray[Any], tolerance: float) -> Blocks:
    """Parts of a block whose states have rows of sums near that of the part's first state."""
    leaders: list[tuple[NDArray[Any], list[int]]] = []
    for state, row in zip(block, sums, strict=True):
        part = next((part for first, part in leaders if np.abs(row - first).max() <= tolerance), None)
        if part is None:
            leaders.append((row, [state]))
        else:
            part.append(state)
    return [part for _, part in leaders]


def _lumped(acceptor: Acceptor, blocks: Blocks, exact: bool) -> Acceptor:
    """Acceptor on blocks of states: means over the first index, sums over the second."""
    start, steps, _ = acceptor.to_weighted().stored_arrays(exact)
    if isinstance(steps, SparseMatrices):
        return _lumped_sparse(acceptor, blocks, start, steps)
    entered = np.stack([steps[:, :, block].sum(axis=2) for block in blocks], axis=2)
    rows = np.stack([entered[:, block].mean(axis=1) for block in blocks], axis=1)  # exact: all of a block agree
    initial = np.array([start[block].sum() for block in blocks])
    final = acceptor.final[[block[0] for block in blocks]]
    return acceptor.composed(_names(acceptor.states, blocks), acceptor.alphabet, rows, initial, final)


def _lumped_sparse(acceptor: Acceptor, blocks: Blocks, start: NDArray[Any], steps: SparseMatrices) -> Acceptor:
    """The same over stored entries; of exact rows, which agree within a block, the first alone."""
    classes = np.full(acceptor.n_states, -1, dtype=np.int64)
    classes[np.concatenate(blocks)] = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
    initial, rows, final = lumped(start, steps, acceptor.final, classes, mean=steps.dtype != object)
    given = acceptor.alphabet, rows if is_worthwhile(len(blocks), len(rows), rows.n_entries) else rows.to_dense()
    return acceptor.composed(_names(acceptor.states, blocks), *given, initial, final)


def _names(states: Sequence[State], blocks: Blocks) -> list[State]:
    """A single state keeps its name, several are named by their tuple; all by tuples if names would clash."""
    tuples: list[State] = [tuple(states[s] for s in block) for block in blocks]
    names = [states[block[0]] if len(block) == 1 else name for block, name in zip(blocks, tuples, strict=True)]
    return names if len(set(names)) == len(names) else tuples
