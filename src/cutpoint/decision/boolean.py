"""Boolean operations on cut-point languages, where they are sound."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from cutpoint.decision.dfa import DFA
from cutpoint.errors import InvalidArgument

if TYPE_CHECKING:
    from cutpoint.decision.language import Language

MOST_STATES = 1000
"""States up to which the second language is tried to be made a DFA."""

HALF = Fraction(1, 2)


def complement(language: Language) -> Language:
    r"""Words outside: :math:`p \le \lambda` iff :math:`1 - p \ge 1 - \lambda`; strict becomes inclusive and back.

    Where rows of floats do not sum to exactly 1 this holds up to rounding: ``~A`` accepts with the rest of their sums.
    """
    return type(language)(~language.acceptor, 1 - language.cut_point, inclusive=not language.inclusive)


def intersection(left: Language, right: Language | DFA) -> Language:
    r"""Words of both, :math:`p\, d > \lambda` where d is 1 on the regular side and 0 elsewhere."""
    nested = _nested(left, right)
    if nested is not None:
        return nested[0]
    language, dfa = _with_dfa(left, right, "intersection")
    if _holds_everything(language):
        return type(language)(dfa.to_acceptor(), HALF)
    return type(language)(language.acceptor & dfa.to_acceptor(), language.cut_point, language.inclusive)


def union(left: Language, right: Language | DFA) -> Language:
    r"""Words of either: the complement of what is in neither."""
    nested = _nested(left, right)
    if nested is not None:
        return nested[1]
    language, dfa = _with_dfa(left, right, "union")
    return complement(intersection(complement(language), ~dfa))


def _nested(left: Language, right: Language | DFA) -> tuple[Language, Language] | None:
    """Two cut points of one acceptor, the smaller language first."""
    if isinstance(right, DFA) or left.acceptor != right.acceptor:
        return None
    larger, smaller = sorted((left, right), key=lambda language: (language.cut_point, not language.inclusive))
    return smaller, larger


def _holds_everything(language: Language) -> bool:
    """Whether the cut point lets every word in; then words outside of a DFA must be kept out by another one."""
    return language.inclusive and language.cut_point == 0


def _with_dfa(left: Language, right: Language | DFA, operation: str) -> tuple[Language, DFA]:
    """One side as it is and the other as a DFA: given, or found by exact residuals."""
    if isinstance(right, DFA):
        return left, right
    for language, other in ((left, right), (right, left)):
        dfa = other.to_dfa(MOST_STATES) if other.acceptor.is_stochastic else None
        if isinstance(dfa, DFA):
            return language, dfa
    raise InvalidArgument(
        f"the {operation} of two cut-point languages need not be a cut-point language, and neither of these is shown "
        f"to be regular by {MOST_STATES:,} residuals. Give a DFA, such as Language.to_dfa(isolation=...), or ask for "
        "each word by itself: `word in L and word in M`."
    )
