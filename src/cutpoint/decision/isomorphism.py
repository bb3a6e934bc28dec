"""Isomorphism: whether two acceptors are the same but for the names of their states."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import State
from cutpoint.errors import InvalidArgument
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.wording import listed

Colors = list[int]


def is_isomorphic(left: Acceptor, right: Acceptor) -> bool:
    """Whether two acceptors are the same but for the names and the order of their states.

    Same symbols, in any order; probabilities are compared exactly, floats by their binary values.
    :func:`isomorphism` gives the renaming.

    Examples
    --------
    >>> import cutpoint as cp
    >>> A = cp.p_adic(2)
    >>> cp.decision.is_isomorphic(A, A.renamed(states=str.upper)), cp.decision.is_isomorphic(A, ~A)
    (True, False)
    """
    return isomorphism(left, right) is not None


def isomorphism(left: Acceptor, right: Acceptor) -> dict[State, State] | None:
    """A renaming of the states that makes the left acceptor the right one; None if there is none.

    Among several the first, in the order of the states. States get colors by what they are and what they lead to and
    come from, until no color splits; what is left open is tried out.

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.decision.isomorphism(cp.p_adic(2), cp.p_adic(2).renamed(states={"s1": "no", "s2": "yes"}))
    {'s1': 'no', 's2': 'yes'}
    """
    check_acceptor(left)
    check_acceptor(right)
    if set(left.alphabet) != set(right.alphabet):
        raise InvalidArgument(
            f"acceptors must have the same alphabet; got {listed(left.alphabet)} and {listed(right.alphabet)}."
        )
    if left.n_states != right.n_states:
        return None
    match = _matched(*_codes(left, right))
    return None if match is None else {s: right.states[match[i]] for i, s in enumerate(left.states)}


def _codes(left: Acceptor, right: Acceptor) -> tuple[NDArray[np.int64], NDArray[np.int64], Colors]:
    """Both transitions ``[a, s, t]`` with equal numbers for equal probabilities, and first colors of all states."""
    exact = left.is_exact or right.is_exact
    order = [right.alphabet.code(symbol) for symbol in left.alphabet]
    steps = [left.exact_transitions, right.exact_transitions[order]] if exact else []
    steps = steps or [left.transitions, right.transitions[order]]
    starts = [left.exact_initial, right.exact_initial] if exact else [left.initial, right.initial]
    known: dict[Any, int] = {}
    numbered = [
        np.array([known.setdefault(value, len(known)) for value in array.flat], dtype=np.int64).reshape(array.shape)
        for array in steps
    ]
    finals = np.concatenate([left.final, right.final]).tolist()
    kinds = list(zip(np.concatenate(starts).tolist(), finals, strict=True))
    return numbered[0], numbered[1], _numbered(kinds)


def _numbered(kinds: list[Any]) -> Colors:
    """Equal numbers for equal kinds."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(kind, len(known)) for kind in kinds]


def _refined(left: NDArray[np.int64], right: NDArray[np.int64], colors: Colors) -> Colors:
    """Colors of the states of both sides, split until states of one color see the same colors around them."""
    n = left.shape[1]
    while True:
        kinds = []
        for steps, own in ((left, colors[:n]), (right, colors[n:])):
            for s in range(n):
                onward, backward = (zip(*part.tolist(), strict=True) for part in (steps[:, s], steps[:, :, s]))
                around = sorted(zip(own, onward, backward, strict=True))
                kinds.append((own[s], tuple(steps[:, s, s].tolist()), tuple(around)))
        refined = _numbered(kinds)
        if len(set(refined)) == len(set(colors)):
            return refined
        colors = refined


def _matched(left: NDArray[np.int64], right: NDArray[np.int64], colors: Colors) -> list[int] | None:
    """State of the right side for each of the left, or None: individualize a state, refine, go on or go back."""
    n = left.shape[1]
    stack: list[Iterator[Colors]] = [iter([colors])]
    while stack:
        colors = next(stack[-1], [])
        if not colors:
            stack.pop()
            continue
        colors = _refined(left, right, colors)
        if sorted(colors[:n]) != sorted(colors[n:]):
            continue
        open_state = next((s for s in range(n) if colors[:n].count(colors[s]) > 1), None)
        if open_state is not None:
            stack.append(_choices(colors, open_state))
            continue
        match = [colors.index(color, n) - n for color in colors[:n]]
        if (left == right[:, match][:, :, match]).all():
            return match
    return None


def _choices(colors: Colors, state: int) -> Iterator[Colors]:
    """Colors in which a state of the left side and one of its color on the right get a color of their own."""
    n = len(colors) // 2
    for other in range(n, 2 * n):
        if colors[other] == colors[state]:
            yield [len(colors) if s in (state, other) else color for s, color in enumerate(colors)]
