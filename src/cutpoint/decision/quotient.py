"""Quotient and trim: fewer states, the same acceptance of every word, and still an acceptor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import State
from cutpoint.decision.equivalence import checked_tolerance
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.algebra import check_acceptor, combined

FLOAT_TOLERANCE = 1e-9
"""Sums of floats this near to each other count as equal, as in the check that rows sum to 1."""

Blocks = list[list[int]]
"""Sets of states that become one, each in the order of the states."""


def quotient(acceptor: Acceptor, tolerance: float | None = None) -> Acceptor:
    r"""Acceptor whose states are classes of states that go on alike: the coarsest lumping.

    States fall into one class if both or neither are final and, for every symbol and every class C, they enter C with
    the same probability :math:`\sum_{t \in C} P(a)[s, t]`. Found by splitting {final, not final} until nothing splits.

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
    At most l rounds of cost :math:`O(l' l^2)`. Source: Kemeny and Snell, *Finite Markov Chains* (1960), chapter VI.

    Examples
    --------
    >>> import cutpoint as cp
    >>> twice = cp.mixture([cp.p_adic(2), cp.p_adic(2)])
    >>> twice.n_states, cp.quotient(twice).n_states, bool(cp.equivalence(twice, cp.quotient(twice)))
    (4, 2, True)
    """
    check_acceptor(acceptor)
    exact = acceptor.is_exact and tolerance is None
    near = FLOAT_TOLERANCE if tolerance is None else checked_tolerance(tolerance)
    steps = acceptor.exact_transitions if exact else acceptor.transitions
    blocks = _split(list(range(acceptor.n_states)), acceptor.final[:, None].astype(np.int64), exact, 0.5)
    while True:
        sums = np.concatenate([steps[:, :, block].sum(axis=2) for block in blocks]).T
        refined = [part for block in blocks for part in _split(block, sums[block], exact, near)]
        if len(refined) == len(blocks):
            return _lumped(acceptor, sorted(blocks), exact)
        blocks = refined


def trim(acceptor: Acceptor) -> Acceptor:
    """Acceptor without the states that play no part.

    States that no word reaches are dropped. Of those that remain, all from which nothing final can be reached become
    one, and so do all from which nothing but final states can be reached. A state that stands for several is named by
    their tuple. Which probabilities are 0 decides, not their size; every word keeps its acceptance.

    Examples
    --------
    >>> import cutpoint as cp
    >>> steps = {"a": {0: {1: "1/2", 2: "1/2"}, 1: 1, 2: 3, 3: 2, 4: 1}}
    >>> cp.trim(cp.Acceptor(5, "a", steps, 0, {1}))
    <Acceptor: 3 states {0, 1, (2, 3)}, 1 symbol {a}, starts in {0}, accepts in {1}, exact>
    """
    check_acceptor(acceptor)
    edges = np.asarray((acceptor.transitions > 0).any(axis=0))
    reached = _closure(edges, acceptor.initial > 0)
    dead, sure = ~_closure(edges.T, acceptor.final), ~_closure(edges.T, ~acceptor.final)
    blocks: Blocks = [[s] for s in np.flatnonzero(reached & ~dead & ~sure).tolist()]
    blocks += [block for kind in (dead, sure) if (block := np.flatnonzero(reached & kind).tolist())]
    return _lumped(acceptor, sorted(blocks), acceptor.is_exact)


def _closure(edges: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """States that can be reached from some states along edges ``[from, to]``."""
    reached = start
    while True:
        more = reached | edges[reached].any(axis=0)
        if (more == reached).all():
            return reached
        reached = more


def _split(block: list[int], sums: NDArray[Any], exact: bool, tolerance: float) -> Blocks:
    """Parts of a block whose states have equal rows of sums; with floats, rows near that of the part's first state."""
    if exact:
        parts: dict[Hashable, list[int]] = {}
        for state, row in zip(block, sums, strict=True):
            parts.setdefault(tuple(row), []).append(state)
        return list(parts.values())
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
    steps, start = acceptor.transitions, acceptor.initial
    if exact:
        steps, start = acceptor.exact_transitions, acceptor.exact_initial
    entered = np.stack([steps[:, :, block].sum(axis=2) for block in blocks], axis=2)
    if exact:  # all states of a block agree
        rows = entered[:, [block[0] for block in blocks]]
    else:
        rows = np.stack([entered[:, block].mean(axis=1) for block in blocks], axis=1)
    initial = np.array([start[block].sum() for block in blocks])
    final = acceptor.final[[block[0] for block in blocks]]
    return combined(acceptor, acceptor.alphabet, _names(acceptor.states, blocks), rows, initial, final)


def _names(states: Sequence[State], blocks: Blocks) -> list[State]:
    """A single state keeps its name, several are named by their tuple; all by tuples if names would clash."""
    tuples: list[State] = [tuple(states[s] for s in block) for block in blocks]
    names = [states[block[0]] if len(block) == 1 else name for block, name in zip(blocks, tuples, strict=True)]
    return names if len(set(names)) == len(names) else tuples
