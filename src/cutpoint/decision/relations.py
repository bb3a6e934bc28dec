r"""Relations to a cut point, :math:`>`, :math:`\ge`, :math:`=` and :math:`\ne`, and how the others become the first.

For rational probabilities no relation gives more languages than :math:`>` does:

* :math:`p \ne \lambda` iff :math:`(p - \lambda)^2 > 0`, and :math:`p = \lambda` iff :math:`-(p - \lambda)^2 \ge 0`;
  squares are products of an acceptor with itself.
* :math:`p \ge \lambda` iff :math:`p + e > \lambda`, where :math:`e(x)` is positive and at most the distance of the cut
  point from any other number with the denominator of :math:`p(x)`, which grows by a factor with each symbol.

Sources: Paz, *Introduction to Probabilistic Automata* (1971), chapter III; Turakainen, *On stochastic languages*,
Information and Control 12 (1968).
"""

from fractions import Fraction
from typing import Any

from cutpoint.data import Alphabet
from cutpoint.exact import SIGNS, CutPoint, Relation, sign
from cutpoint.model import Acceptor
from cutpoint.model.mixtures import mixture

RELATIONS: dict[str, Relation] = {">": ">", ">=": "≥", "≥": "≥", "=": "=", "!=": "≠", "≠": "≠"}
"""Relations by what a user may write."""

IN_WORDS: dict[Relation, str] = {">": "more than", "≥": "at least", "=": "exactly", "≠": "anything but"}

COMPLEMENT: dict[Relation, Relation] = {">": "≥", "≥": ">", "=": "≠", "≠": "="}
r"""Relation of the words outside: for the first two to :math:`1 - p` and :math:`1 - \lambda`."""


def implies(inner: tuple[CutPoint, Relation], outer: tuple[CutPoint, Relation]) -> bool:
    """Whether every number that has one relation to a cut point has another relation to another cut point."""
    (level, relation), (other_level, other_relation) = inner, outer
    match (level > other_level) - (level < other_level):  # signs of a number against both, from small numbers to large
        case 0:
            pairs = [(-1, -1), (0, 0), (1, 1)]
        case -1:
            pairs = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1)]
        case _:
            pairs = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)]
    return all(b in SIGNS[other_relation] for a, b in pairs if a in SIGNS[relation])


def strict(acceptor: Acceptor, cut_point: CutPoint, relation: Relation) -> tuple[Acceptor, CutPoint]:
    """Acceptor and cut point such that its acceptance is above iff the given one has the relation; rows sum to 1."""
    if not isinstance(cut_point, Fraction) and relation in ("=", "≠"):  # acceptances are rational: none, or all words
        return (acceptor, Fraction(1)) if relation == "=" else strict(acceptor, Fraction(0), "≥")
    if not isinstance(cut_point, Fraction) or relation == ">":
        return acceptor, cut_point
    whole, square = 1 + 2 * cut_point, cut_point**2
    shares = [1 / whole, 2 * cut_point / whole]
    match relation:
        case "≠":  # p² + 2λ(1 - p) = (p - λ)² + 2λ - λ²
            return mixture([acceptor & acceptor, ~acceptor], shares), (2 * cut_point - square) / whole
        case "=":  # 1 - p² + 2λp = 1 + λ² - (p - λ)²
            return strict(mixture([~(acceptor & acceptor), acceptor], shares), (1 + square) / whole, "≥")
        case _:
            half = Fraction(1, 2)
            return mixture([acceptor, _within_distances(acceptor, cut_point)], [half, half]), cut_point / 2


def _within_distances(acceptor: Acceptor, cut_point: Fraction) -> Acceptor:
    """Acceptor of positive acceptances, at most the distance of the cut point from another acceptance of the word."""
    integers = acceptor.integers
    kept = [Fraction(1, int(below)) for below in integers.denominators]
    first = Fraction(1, cut_point.denominator * int(integers.initial_denominator))
    steps = [[[stay, 1 - stay], [0, 1]] for stay in kept]
    return Acceptor(["on", "off"], acceptor.alphabet, steps, [first, 1 - first], {"on"})


def constant(alphabet: Alphabet, probability: Fraction) -> Acceptor:
    """Acceptor of one acceptance for all words."""
    steps: Any = [[[1, 0], [0, 1]]] * len(alphabet)
    return Acceptor(["yes", "no"], alphabet, steps, [probability, 1 - probability], {"yes"})


def not_holding(cut_point: CutPoint, relation: Relation) -> Fraction | None:
    """A probability that does not have the relation to the cut point; None if all have it."""
    tried = [Fraction(0), *([cut_point] if isinstance(cut_point, Fraction) else ()), Fraction(1)]
    return next((value for value in tried if sign(value, cut_point) not in SIGNS[relation]), None)
