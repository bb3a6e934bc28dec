"""Mixture: one machine that behaves as one of several, each with its weight."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from cutpoint.data.alphabet import is_collection
from cutpoint.errors import InvalidArgument
from cutpoint.exact import entry
from cutpoint.model import text
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.generator import Generator
from cutpoint.model.machine import Machine
from cutpoint.model.parts import ROW_TOLERANCE
from cutpoint.model.weighted import block_diagonal
from cutpoint.wording import shown

AnyMachine = TypeVar("AnyMachine", bound=Machine)


def mixture(machines: Iterable[AnyMachine], weights: Iterable[Any] | None = None) -> AnyMachine:
    r"""One acceptor, or generator, that behaves as number k with probability :math:`w_k`.

    Acceptances of acceptors, probabilities of a generator's words: :math:`p(x) = \sum_k w_k p_k(x)`.

    States are pairs ``(k, state)``. Weights must sum to 1; by default they are equal. Exact if all parts are. Which
    generator made a word is then a question for its states: after a prefix, those of number k have the posterior weight
    :math:`w_k p_k / \sum_j w_j p_j` of Bayes' rule.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> cp.mixture([A, ~A], ["1/4", "3/4"]).exact_acceptance("1")
    Fraction(1, 2)
    >>> G, H = (cp.Generator(1, "a", [[[p]]], 0, [1 - p]) for p in (Fraction(3, 4), Fraction(1, 2)))
    >>> [str(share) for share in cp.mixture([G, H]).distribution("aa", exact=True)]
    ['9/13', '4/13']
    """
    members: list[AnyMachine] = list(machines) if is_collection(machines) else []
    kind = Generator if members and isinstance(members[0], Generator) else Acceptor
    if not members or not all(isinstance(member, kind) for member in members):
        what = "a mixture needs a list of acceptors, or one of generators, at least one"
        raise InvalidArgument(f"{what}; got {shown(members or machines)}.")
    shares = _shares(weights, len(members))
    alphabet = members[0].alphabet
    automata = [member.to_weighted().reordered(alphabet) for member in members]
    exact = all(member.is_exact for member in members) and all(isinstance(share, Fraction) for share in shares)
    rows, transitions, column = block_diagonal(automata, exact)
    portions = np.repeat(np.array(shares, dtype=rows.dtype), [member.n_states for member in members])
    states = [(k, state) for k, member in enumerate(members) for state in member.states]
    stop = () if kind is Acceptor else (column,)
    final = np.concatenate([member.final for member in members])
    return members[0].composed(states, alphabet, transitions, rows * portions, *stop, final)


def _shares(weights: Iterable[Any] | None, n_members: int) -> list[Any]:
    """Weights of a mixture: fractions where they are rational, otherwise floats."""
    if weights is None:
        return [Fraction(1, n_members)] * n_members
    shares: list[Any] = [entry(weight) for weight in weights] if is_collection(weights) else []
    if len(shares) != n_members:
        raise InvalidArgument(f"a mixture needs one weight per member, {n_members}; got {shown(weights)}.")
    tolerance = 0 if all(isinstance(share, Fraction) for share in shares) else ROW_TOLERANCE
    if not (all(0 <= share <= 1 for share in shares) and abs(sum(shares) - 1) <= tolerance):
        found = ", ".join(map(text.number, shares))
        raise InvalidArgument(f"the weights of a mixture must not be negative and must sum to 1; got {found}.")
    return shares
