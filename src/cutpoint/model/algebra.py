"""Acceptors made from acceptors: product, mixture; complement is ``~A``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import State, Symbol
from cutpoint.errors import InvalidArgument
from cutpoint.exact import entry
from cutpoint.model.parts import ROW_TOLERANCE
from cutpoint.model.quintuple import Quintuple
from cutpoint.model.text import number
from cutpoint.wording import listed, shown

if TYPE_CHECKING:
    from cutpoint.model.acceptor import Acceptor


def product(left: Acceptor, right: Acceptor, final_rule: np.ufunc) -> Acceptor:
    r"""Two independent runs side by side; a pair of states is final by a rule on its two sides.

    .. math:: P(a) = P_1(a) \otimes P_2(a), \qquad \pi = \pi_1 \otimes \pi_2
    """
    (steps, other_steps), (start, other_start) = _common_parts([left, right])
    size = left.n_states * right.n_states
    both = steps[:, :, None, :, None] * other_steps[:, None, :, None, :]
    return combined(
        left,
        left.alphabet,
        [(s, t) for s in left.states for t in right.states],
        both.reshape(left.n_symbols, size, size),
        (start[:, None] * other_start).reshape(size),
        final_rule.outer(left.final, right.final).reshape(size),
    )


def mixture(acceptors: Iterable[Acceptor], weights: Iterable[Any] | None = None) -> Acceptor:
    r"""One acceptor that behaves as acceptor k with probability :math:`w_k`: acceptance :math:`\sum_k w_k p_k`.

    States are pairs ``(k, state)``. Equal weights unless told; weights must sum to 1. Exact if all parts are.

    Examples
    --------
    >>> import cutpoint as cp
    >>> A = cp.p_adic(2)
    >>> cp.mixture([A, ~A], ["1/4", "3/4"]).exact_acceptance("1")
    Fraction(1, 2)
    """
    if not isinstance(acceptors, Iterable):
        raise InvalidArgument(f"a mixture needs a list of acceptors; got {shown(acceptors)}.")
    members = list(acceptors)
    if not members:
        raise InvalidArgument("a mixture needs at least one acceptor; got none.")
    for member in members:
        check_acceptor(member)
    shares = _shares(weights, len(members))
    exact = all(isinstance(share, Fraction) for share in shares)
    steps, starts = _common_parts(members)
    exact = exact and all(member.is_exact for member in members)
    size = sum(member.n_states for member in members)
    kind = np.dtype(object if exact else np.float64)
    zero = Fraction(0) if exact else 0.0
    transitions = np.full((members[0].n_symbols, size, size), zero, dtype=kind)
    initial = np.full(size, zero, dtype=kind)
    at = 0
    for share, matrices, start in zip(shares, steps, starts, strict=True):
        block = slice(at, at + len(start))
        transitions[:, block, block] = matrices
        initial[block] = start.astype(kind) * (share if exact else float(share))
        at += len(start)
    return combined(
        members[0],
        members[0].alphabet,
        [(k, state) for k, member in enumerate(members) for state in member.states],
        transitions,
        initial,
        np.concatenate([member.final for member in members]),
    )


def _shares(weights: Iterable[Any] | None, n_members: int) -> list[Any]:
    """Weights of a mixture: fractions where they are rational, otherwise floats."""
    if weights is None:
        return [Fraction(1, n_members)] * n_members
    if not isinstance(weights, Iterable):
        raise InvalidArgument(f"a mixture needs a list of weights; got {shown(weights)}.")
    shares: list[Any] = [entry(weight) for weight in weights]
    if len(shares) != n_members:
        raise InvalidArgument(f"a mixture needs one weight per acceptor, {n_members}; got {len(shares)}.")
    exact = all(isinstance(share, Fraction) for share in shares)
    fair = all(0 <= share <= 1 for share in shares)
    if not (fair and (sum(shares) == 1 if exact else abs(sum(shares) - 1) <= ROW_TOLERANCE)):
        raise InvalidArgument(
            f"the weights of a mixture must not be negative and must sum to 1; got {', '.join(map(number, shares))}."
        )
    return shares


def combined(
    first: Acceptor,
    alphabet: Iterable[Symbol],
    states: Iterable[State],
    transitions: NDArray[Any],
    initial: NDArray[Any],
    final: NDArray[np.bool_],
) -> Acceptor:
    """Acceptor of the first one's kind. Sums that were off by nearly the tolerance are off by more: rescaled."""
    sums = transitions.sum(axis=-1), initial.sum(axis=-1)
    if transitions.dtype != object and any(np.abs(total - 1.0).max() > ROW_TOLERANCE for total in sums):
        return type(first).normalized(states, alphabet, transitions, initial, final)
    return type(first)(states, alphabet, transitions, initial, final)


def check_acceptor(value: object) -> None:
    """Refuse what is not an acceptor."""
    if not isinstance(value, Quintuple):
        raise InvalidArgument(f"expected an Acceptor; got {shown(value)}.")


def _common_parts(acceptors: Sequence[Acceptor]) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Transitions and initial rows over the first acceptor's alphabet; fractions if all acceptors are exact."""
    alphabet = acceptors[0].alphabet
    exact = all(acceptor.is_exact for acceptor in acceptors)
    steps, starts = [], []
    for acceptor in acceptors:
        if set(acceptor.alphabet) != set(alphabet):
            raise InvalidArgument(
                f"acceptors must have the same alphabet; got {listed(alphabet)} and {listed(acceptor.alphabet)}."
            )
        order = [acceptor.alphabet.code(symbol) for symbol in alphabet]
        steps.append((acceptor.exact_transitions if exact else acceptor.transitions)[order])
        starts.append(acceptor.exact_initial if exact else acceptor.initial)
    return steps, starts
