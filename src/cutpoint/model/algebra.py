"""Mixtures: one acceptor that behaves as several. Products and complements are ``A & B``, ``A | B`` and ``~A``."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from cutpoint.errors import InvalidArgument
from cutpoint.exact import entry
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.parts import ROW_TOLERANCE
from cutpoint.model.text import number
from cutpoint.model.weighted import block_diagonal
from cutpoint.wording import shown


def mixture(acceptors: Iterable[Acceptor], weights: Iterable[Any] | None = None) -> Acceptor:
    r"""One acceptor that behaves as acceptor k with probability :math:`w_k`: acceptance :math:`\sum_k w_k p_k`.

    States are pairs ``(k, state)``. Weights must sum to 1; by default they are equal. Exact if all parts are.

    Examples
    --------
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
    alphabet = members[0].alphabet
    automata = [member.to_weighted().reordered(alphabet) for member in members]
    exact = all(member.is_exact for member in members) and all(isinstance(share, Fraction) for share in shares)
    rows, transitions, _ = block_diagonal(automata, exact)
    portions = np.repeat(np.array(shares, dtype=rows.dtype), [member.n_states for member in members])
    return members[0].composed(
        [(k, state) for k, member in enumerate(members) for state in member.states],
        alphabet,
        transitions,
        rows * portions,
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
    valid = all(0 <= share <= 1 for share in shares)
    if not (valid and (sum(shares) == 1 if exact else abs(sum(shares) - 1) <= ROW_TOLERANCE)):
        raise InvalidArgument(
            f"the weights of a mixture must not be negative and must sum to 1; got {', '.join(map(number, shares))}."
        )
    return shares


def check_acceptor(value: object) -> None:
    """Refuse what is not an acceptor."""
    if not isinstance(value, Acceptor):
        raise InvalidArgument(f"expected an Acceptor; got {shown(value)}.")
