"""The language of an acceptor, or of a weighted automaton, at a cut point."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, cycle, islice, product, repeat, takewhile
from math import log
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, Word, Words, html
from cutpoint.data.alphabet import short_words
from cutpoint.decision.acceptor_value import LONGEST_TRIED, MOST_LOOKED_AT
from cutpoint.decision.dfa import DFA, LONGEST_COUNTED, Unknown
from cutpoint.decision.equivalence import Different, equivalence
from cutpoint.decision.isolation import Isolation, isolated_dfa, proof_of_isolation, proven_dfa
from cutpoint.decision.relations import COMPLEMENT, IN_WORDS, RELATIONS, constant, implies, not_holding, strict
from cutpoint.decision.residuals import Residuals, support_dfa
from cutpoint.decision.suffix_columns import LIMIT, SuffixColumns
from cutpoint.decision.word_search import BestFirst, QueueEntry, promising_words, searches_from_both_ends
from cutpoint.diagrams.diagram import MOST_DISPLAYED
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import SIGNS, CutPoint, Relation, all_compared, compared, cut_point_value, entry, whole_number
from cutpoint.exact.certified import LONGEST
from cutpoint.exact.recursions import quotients
from cutpoint.kernels.reference import dot, step
from cutpoint.kernels.words import EncodedWords
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.completion_bounds import CompletionBounds
from cutpoint.model.machine import Machine
from cutpoint.model.text import cut_point_text
from cutpoint.model.weighted import Weighable, WeightedAutomaton, codes_of, is_automaton
from cutpoint.wording import counted, shown

MOST_SEARCHED = 10**5  # prefixes and suffixes that a best-first search looks at before it gives up
MOST_TRIED, MOST_LISTED = 200, 10  # shortest words that a notebook's display tries, and most of them that it lists
MOST_WORDS = 5000  # words whose acceptances an isolation observes by default
FEW_STATES = 100  # residuals up to which a DFA is tried for the words of exactly one acceptance
MOST_STATES = 1000  # residuals up to which a second language is tried to be shown regular
LONGEST_SEARCHED = 10_000  # longest words of best-first searches: their exact bounds grow with the length

Result = TypeVar("Result")


class AcceptedWord(NamedTuple):
    """A word with its acceptance: a fraction if the acceptor is exact, otherwise a float."""

    word: PlainWord
    acceptance: Fraction | float


@dataclass(frozen=True)
class Membership:
    """Which words of a batch belong to a language, which of them took rational arithmetic, and all acceptances."""

    members: NDArray[np.bool_]
    exact: NDArray[np.bool_]
    acceptances: NDArray[np.float64]

    @property
    def n_exact(self) -> int:
        """How many words needed rational arithmetic."""
        return int(self.exact.sum())

    def __repr__(self) -> str:
        return (
            f"<Membership: {int(self.members.sum()):,} of {counted(len(self.members), 'word')} in the language, "
            f"{self.n_exact:,} decided by exact arithmetic>"
        )


@dataclass(frozen=True, init=False)
class Language:
    r"""Cut-point language :math:`L_{A,\lambda} = \{x \in \Sigma^* \mid \pi P(x) f > \lambda\}`: equation (e-L).

    Or with another relation to the cut point: :math:`\ge`, :math:`=` or :math:`\ne`.

    Parameters
    ----------
    acceptor : :math:`A`; or a :class:`WeightedAutomaton` or what has one below it, whose value replaces the acceptance.
        Then :math:`\lambda` is any number, and what rests on probabilities (bounds, counts, DFAs) asks for
        :meth:`WeightedAutomaton.to_acceptor`.
    cut_point : :math:`\lambda`, a float (its exact binary value), ``Fraction``, ``Decimal``, a str such as ``"1/3"``,
        or an irrational :class:`AlgebraicNumber`.
    inclusive : whether words with acceptance exactly :math:`\lambda` belong to the language too: ``relation=">="``.
    relation : ``">"``, ``">="``, ``"="`` or ``"!="``.

    Notes
    -----
    Membership is certified: it is never wrong by rounding. ``~L`` is the complement, exactly so if
    ``acceptor.is_stochastic`` (rows of floats seldom sum to exactly 1). ``L & M``, ``L | M`` and ``L - M``
    are made where the result surely is a cut-point language: with a DFA or another regular language, or at two cut
    points of one acceptor. Cut-point languages are not closed under these operations in general.

    Examples
    --------
    >>> L = cp.Language(cp.p_adic(2), "1/2")
    >>> "11" in L, "1" in L, "1" in cp.Language(cp.p_adic(2), "1/2", inclusive=True)  # 0.11 > 0.1 in base 2
    (True, False, True)
    >>> list(L.words(max_length=3)), L.count(100) == 2**99 - 1
    (['11', '011', '101', '111'], True)
    >>> list(cp.Language(cp.p_adic(2), "1/2", relation="=").words(max_length=4))
    ['1', '01', '001', '0001']
    """

    automaton: Acceptor | WeightedAutomaton
    cut_point: CutPoint
    relation: Relation

    def __init__(
        self,
        acceptor: Weighable,
        cut_point: Any,
        inclusive: bool = False,
        relation: Literal[">", ">=", "≥", "=", "!=", "≠"] | None = None,
    ) -> None:
        if not is_automaton(acceptor) or isinstance(acceptor, Machine):
            check_acceptor(acceptor)
        if isinstance(acceptor, DFA):
            acceptor = acceptor.to_acceptor()
        automaton = acceptor if isinstance(acceptor, Acceptor) else acceptor.to_weighted()
        if not isinstance(inclusive, bool):
            meant = f" Write relation={inclusive!r}." if isinstance(inclusive, str) and inclusive in RELATIONS else ""
            raise InvalidArgument(f"must be True or False; got {shown(inclusive)}.{meant}", argument="inclusive")
        name = (">=" if inclusive else ">") if relation is None else relation
        if not isinstance(name, str) or name not in RELATIONS:
            raise InvalidArgument(f"must be '>', '>=', '=' or '!='; got {shown(relation)}.", argument="relation")
        if inclusive and RELATIONS[name] != "≥":
            raise InvalidArgument(f"means '>=', so it cannot go with relation={name!r}.", argument="inclusive")
        level = cut_point_value(cut_point, is_probability=isinstance(acceptor, Acceptor))
        self.__dict__.update(automaton=automaton, cut_point=level, relation=RELATIONS[name])

    @property
    def inclusive(self) -> bool:
        """Whether words with acceptance exactly the cut point belong to the language."""
        return 0 in SIGNS[self.relation]

    @property
    def acceptor(self) -> Acceptor:
        """The acceptor; a language of a weighted automaton has none."""
        if isinstance(self.automaton, Acceptor):
            return self.automaton
        raise InvalidArgument(
            "this needs an acceptor; the language is that of a weighted automaton f. Acceptor.from_weighted(f) is f, "
            "if it is stochastic; Language(*f.to_acceptor(cut_point), relation=...) has the same words in any case."
        )

    def __contains__(self, word: Word) -> bool:
        if isinstance(self.automaton, WeightedAutomaton):
            alone = EncodedWords.single(self.automaton.alphabet.encode_word(word))
            return int(self.automaton.compared(alone, self.cut_point)[0][0]) in SIGNS[self.relation]
        estimate = self.acceptor.acceptance(word)
        return self._sign(estimate, len(word), lambda: self.acceptor.exact_acceptance(word)) in SIGNS[self.relation]

    def contains(self, words: Words) -> NDArray[np.bool_]:
        """Membership of each word; only those too close to the cut point cost exact arithmetic."""
        return self.membership(words).members

    def membership(self, words: Words, threads: int | None = None) -> Membership:
        """Membership of each word, which words floats could not decide, and the acceptances in floats.

        Examples
        --------
        >>> cp.Language(cp.p_adic(3), "1/3").membership(["1", "2", "01", "11"])
        <Membership: 2 of 4 words in the language, 2 decided by exact arithmetic>
        """
        if isinstance(self.automaton, WeightedAutomaton):
            encoded = self.automaton.alphabet.encode(words)
            signs, decided, estimates = self.automaton.compared(encoded, self.cut_point, threads)
        else:
            encoded = self.acceptor.encode(words)
            estimates = self.acceptor.encoded_acceptances(encoded, threads)

            def exact(r: int) -> Fraction:
                return self.acceptor.integers.value(encoded.word(r).tolist())

            size = self.acceptor.n_states
            signs, decided = all_compared(estimates, encoded.lengths, size, self.cut_point, exact)
        return Membership(np.isin(signs, list(SIGNS[self.relation])), decided, estimates)

    def words(self, max_length: int | None = None) -> Iterator[PlainWord]:
        """Words of the language, shortest first, then in the order of the alphabet; made one by one.

        Without ``max_length`` it may go on for ever. Prefixes that surely lead to no word are left out, and it ends
        where no longer word can be in the language. Of a weighted automaton every word is tried.
        """
        longest = LONGEST if max_length is None else whole_number("max_length", max_length, least=0)
        if isinstance(self.automaton, WeightedAutomaton):
            codes = range(len(self.automaton.alphabet))
            tried = chain.from_iterable(product(codes, repeat=length) for length in range(longest + 1))
            return (word for word in map(self.automaton.alphabet.decode, tried) if word in self)
        if self.relation == "=" and self.acceptor.is_stochastic:  # bounds from the front tell little about few words
            dfa = self.to_dfa(FEW_STATES)
            if isinstance(dfa, DFA):
                return dfa.words(longest)
        bounds, in_reach = CompletionBounds(self.acceptor, at_most=False), self._columns.lengths_in_reach(longest)
        lengths = zip(range(longest + 1), takewhile(bool, in_reach), strict=False)
        return chain.from_iterable(self._words_of_length(length, bounds) for length, _ in lengths)

    def count(self, length: int, limit: int = LIMIT) -> int:
        """Number of words of a length in the language, exactly.

        Words are read from the back, and suffixes that decide alike are counted together, so regular languages take
        time proportional to the length; others may take more than ``limit`` suffixes, which is refused.
        """
        whole_number("limit", limit, least=1)
        return self._columns.count(whole_number("length", length, least=0, most=LONGEST_COUNTED), limit)

    def most_accepted(self, k: int, max_length: int, limit: int = MOST_SEARCHED) -> list[AcceptedWord]:
        """The k words of the language of highest acceptance up to a length, best first; fewer if there are fewer.

        Words of exactly equal acceptance come in length-lexicographic order. The search goes from the front and from
        the back in turn, with at most ``limit`` prefixes and suffixes.

        Examples
        --------
        >>> for word, acceptance in cp.Language(cp.p_adic(2), 0).most_accepted(3, max_length=60):
        ...     print(word[:3], "…", word[-3:], 1 - acceptance)
        111 … 111 1/1152921504606846976
        111 … 111 1/576460752303423488
        011 … 111 1/576460752303423488
        """
        whole_number("k", k, least=1)
        if self.relation in ("=", "≠"):
            raise InvalidArgument("most_accepted needs a language of acceptance above the cut point, or at least it.")
        ranked = self._race(self._ranked, max_length, k, limit)
        if ranked is None:
            raise TooLarge(
                f"{limit:,} prefixes and suffixes were explored without finding the {counted(k, 'most accepted word')}."
                f" Increase limit={limit}, or lower max_length or k."
            )
        return ranked

    def find_word(self, max_length: int, limit: int = MOST_SEARCHED) -> PlainWord | Unknown | None:
        """Some word of the language up to a length, searched best first; None is a proof that there is none.

        The shortest word is ``next(language.words())``. :class:`Unknown` after ``limit`` prefixes and suffixes, but for
        a word whose acceptance is not the cut point: :func:`equivalence` with a constant finds that.

        Examples
        --------
        >>> L = cp.Language(cp.gallery.value_one("3/4"), "7/10")
        >>> L.find_word(max_length=5) is None, L.find_word(max_length=40) in L
        (True, True)
        """
        longest = whole_number("max_length", max_length, least=0, most=LONGEST_SEARCHED)
        if self.relation == "≠":
            other = self._other_word()
            return other if other is not None and len(other) <= longest else None
        if self.relation == "=":
            try:
                acceptance, codes = self._columns.nearest_word(longest, whole_number("limit", limit, least=1))
            except TooLarge:
                return _unfound(limit)
            return self._word(codes) if acceptance == self.cut_point else None
        found = self._race(self._first_found, max_length, 1, limit, promising=self._promising_words(longest))
        if found is None:
            return _unfound(limit)
        return found[0] if found else None

    def is_empty(self, max_length: int = LONGEST_TRIED, limit: int = MOST_LOOKED_AT) -> bool | Unknown:
        r"""Whether no word at all belongs to the language, where bounds or a DFA decide it; undecidable in general.

        Some word up to ``max_length`` proves that it is not empty. If no acceptance can exceed the cut point, by the
        bounds of :func:`cutpoint.value`, it is empty; so it is if :meth:`to_dfa` ends and the DFA accepts nothing.
        Otherwise :class:`Unknown`, which is False as a bool. Rows of floats are rescaled to sum to exactly 1. Whether
        some acceptance is other than the cut point (``relation="!="``) is always decided.

        Examples
        --------
        >>> A = cp.gallery.gambler(4, win="2/5")  # plays on: 4/13 is approached and never reached
        >>> cp.Language(A, "4/13").is_empty(), cp.Language(A, "3/10").is_empty()
        (True, False)
        >>> print(cp.Language(cp.gallery.value_one("1/3"), "9/10").is_empty(limit=500))
        unknown: 500 prefixes and suffixes explored, and there are more.
        """
        if self.relation == "≠":
            return self._other_word() is None
        language = Language(self._stochastic, self.cut_point, relation=self.relation)
        if self.relation == "=":
            found = language.find_word(max_length, limit)
            if not isinstance(found, Unknown) and found is not None:
                return False
            least = Language(language.acceptor, self.cut_point, inclusive=True)
            sides = least, ~Language(language.acceptor, self.cut_point)
            if any(side.is_empty(max_length, limit) is True for side in sides):
                return True
        else:
            longest = whole_number("max_length", max_length, least=0, most=LONGEST_SEARCHED)
            promising = language._promising_words(longest)
            race = language._race(language._first_found, max_length, 1, limit, promising, endless=True)
            if race is not None:
                return not race
        dfa = language.to_dfa(MOST_STATES)
        return _unfound(limit) if isinstance(dfa, Unknown) else dfa.shortest_word() is None

    def is_universal(self, max_length: int = LONGEST_TRIED, limit: int = MOST_LOOKED_AT) -> bool | Unknown:
        """Whether every word belongs to the language: whether the complement is empty; see :meth:`is_empty`.

        Examples
        --------
        >>> A = cp.mixture([cp.p_adic(2), ~cp.gallery.parity()], ["1/3", "2/3"])
        >>> cp.Language(A, 0).is_universal(), cp.Language(A, "1/2").is_universal()  # an odd number of 1 is not 0
        (True, False)
        """
        if self.relation == "=":
            return self._other_word() is None
        return (~Language(self._stochastic, self.cut_point, relation=self.relation)).is_empty(max_length, limit)

    def is_finite(self, max_states: int = MOST_STATES) -> bool | Unknown:
        """Whether the language has finitely many words, where :meth:`to_dfa` ends; undecidable in general.

        Examples
        --------
        >>> L = cp.Language(cp.gallery.gambler(4), "1/3")
        >>> L.is_finite(), (~L).is_finite(), list((~L).words(10))
        (False, True, ['', 'p', 'pp', 'ppp'])
        """
        dfa = self.to_dfa(max_states)
        return dfa if isinstance(dfa, Unknown) else dfa.is_finite()

    def left_quotient(self, word: Word) -> Language:
        r"""The words that make a word of the language when they follow a given one: :math:`\{x \mid wx \in L\}`.

        The acceptor starts from :math:`\pi P(w)` instead of :math:`\pi`.

        Examples
        --------
        >>> L = cp.Language(cp.p_adic(2), "1/3")
        >>> list(L.left_quotient("10").words(2)), [word for word in L.words(4) if word.startswith("10")]
        (['1', '01', '11'], ['101', '1001', '1011'])
        """
        if isinstance(self.automaton, WeightedAutomaton):
            whole = self.automaton.rational()
            row = quotients(*whole.integers.row(whole.alphabet.encode_word(word).tolist())).ravel()
            behind = WeightedAutomaton.from_arrays(whole.alphabet, row, *whole.arrays()[1:])
            return Language(behind, self.cut_point, relation=self.relation)
        acceptor = self._exactly_stochastic()
        return Language(
            acceptor.replace(initial=acceptor.distribution(word, exact=True)), self.cut_point, relation=self.relation
        )

    def to_strict(self) -> Language:
        r"""The same words as those of acceptance above a cut point, :math:`p'(x) > \lambda'`, of another acceptor.

        For :math:`p \ge \lambda` it has 2 states more, for :math:`p \ne \lambda` it has :math:`l^2 + l`, for
        :math:`p = \lambda` 2 more than that: see ``decision/relations.py``. Floats count as their exact binary
        values.

        Examples
        --------
        >>> L = cp.Language(cp.p_adic(2), "1/2", relation="=")
        >>> M = L.to_strict()
        >>> M.relation, M.cut_point, M.acceptor.n_states, list(M.words(4)) == list(L.words(4))
        ('>', Fraction(5, 16), 8, True)
        """
        return Language(*strict(self._exactly_stochastic(), self.cut_point, self.relation))

    def isolation(self, max_length: int | None = None, limit: int = LIMIT, max_states: int = MOST_STATES) -> Isolation:
        r"""How near acceptances come to the cut point: the nearest word up to a length, and a proof for all words.

        Parameters
        ----------
        max_length : length of words up to which the nearest is found exactly (default: some thousands of words).
        limit : suffixes that are explored for that, at most.
        max_states : states of the invariant that proves isolation, at most; see ``cutpoint.decision.isolation``.

        Returns
        -------
        :class:`Isolation`. Its ``distance`` is observed: longer words may come nearer. Its ``proven`` holds for all
        words, and is None where nothing was proven: then the cut point may be isolated or not, which is undecidable.
        For the proof, float rows are rescaled to sum to exactly 1.

        Examples
        --------
        >>> cp.Language(cp.p_adic(2), "1/3").isolation(max_length=10)
        <Isolation: observed 1/3072 up to length 10, reached by '1010101010' with acceptance 341/1024>
        >>> cp.Language(cp.p_adic(3).restricted("02"), "1/2").isolation(max_length=5)
        <Isolation: proven 1/6; observed 1/6 up to length 5, reached by '2' with acceptance 2/3>
        """
        default = int(log(MOST_WORDS, max(2, self.acceptor.n_symbols)))
        longest = default if max_length is None else whole_number("max_length", max_length, 0, LONGEST_SEARCHED)
        most = whole_number("max_states", max_states, least=1)
        acceptance, codes = self._columns.nearest_word(longest, whole_number("limit", limit, least=1))
        observed = Isolation(self._word(codes), acceptance, self.cut_point, longest)
        columns = replace(self._columns, acceptor=self._stochastic)
        return replace(observed, certificate=proof_of_isolation(columns, float(observed.distance), most))

    def to_dfa(
        self, max_states: int = 10_000, isolation: Any = None, callback: Callable[[int], object] | None = None
    ) -> DFA | Unknown:
        r"""Minimal DFA of the language, or :class:`Unknown` if more than ``max_states`` are met.

        At the cut points 0 and 1 all that matters is which entries are positive, and the DFA is always found. (At 1,
        float rows count as if they summed to exactly 1.) At other cut points exact residuals are explored; nothing is
        taken on trust. Residuals are functions on the rows that words reach: unreachable states, or other states with
        the same acceptances, do not change them.

        Parameters
        ----------
        isolation : a :math:`\delta > 0` such that no word has an acceptance nearer than :math:`\delta` to the cut
            point, or an :class:`Isolation` that is proven. Then the language is regular (Rabin). With a proof the DFA
            comes with it. With a number, which is taken on trust, distributions are explored; a word that shows it to
            be wrong is named in an error, and float rows are rescaled to sum to exactly 1.
        callback : called with the number of residuals, sets or distributions met so far, after each that is explored.
            If it returns True, or at Ctrl-C, the answer is :class:`Unknown`.

        Notes
        -----
        Given enough states it closes for every p-adic acceptor at a rational cut point (a float such as 1/3 is rational
        with a denominator of 2**54) and for none at an irrational one. Whether a cut-point language is regular is
        undecidable. For exact residuals float rows must sum to 1 exactly; :meth:`Acceptor.rationalized` makes them.

        Examples
        --------
        >>> cp.Language(cp.p_adic(2), "1/3").to_dfa()
        <DFA: 3 states, 2 symbols, 2 final>
        >>> cp.Language(cp.gallery.majority(), "1/2").to_dfa(max_states=100).explored
        100
        >>> noisy = cp.mixture([cp.gallery.tomita(4), cp.p_adic(2)], ["4/5", "1/5"])
        >>> L = cp.Language(noisy, "1/2")
        >>> L.to_dfa(isolation=L.isolation())
        <DFA: 4 states, 2 symbols, 3 final>
        """
        most, report = whole_number("max_states", max_states, least=1), _no_report if callback is None else callback
        if not callable(report):
            raise InvalidArgument(
                f"must be a function of a number, or None; got {shown(callback)}.", argument="callback"
            )
        if isolation is not None and self.relation in ("=", "≠"):
            raise InvalidArgument("is for > and >=: no acceptance equals an isolated cut point.", argument="isolation")
        if isinstance(isolation, Isolation):
            return proven_dfa(isolation, self._stochastic, self.cut_point, most)
        if isolation is not None:
            distance = entry(isolation)
            if not 0 < distance <= 1:
                raise InvalidArgument(
                    f"must be a number above 0, at most 1; got {shown(isolation)}.", argument="isolation"
                )
            return isolated_dfa(self._stochastic, self.cut_point, Fraction(distance), most, report)
        if self.cut_point in (0, 1):
            return support_dfa(self._columns, most, report)
        self._exactly_stochastic()
        return Residuals(self._columns).dfa(most, report)

    def __invert__(self) -> Language:
        r"""Words outside, :math:`p \le \lambda` iff :math:`1 - p \ge 1 - \lambda`: strict becomes inclusive."""
        outside = COMPLEMENT[self.relation]
        if outside in ("=", "≠"):
            return Language(self.automaton, self.cut_point, relation=outside)
        if isinstance(self.automaton, WeightedAutomaton):
            return Language(-self.automaton, 0 - self.cut_point, relation=outside)
        return Language(~self.acceptor, 1 - self.cut_point, relation=outside)

    def __and__(self, other: Language | DFA) -> Language:
        r"""Words of both: :math:`p d + c (1 - d)`, where d is 1 on the regular side, and c has not the relation."""
        if not isinstance(other, Language | DFA):
            return NotImplemented
        if nested := self._nested(other):
            return nested[0]
        language, dfa = self._with_dfa(other, "intersection")
        regular, outside = dfa.to_acceptor(), not_holding(language.cut_point, language.relation)
        if outside is None:  # every word belongs to it: the DFA alone decides
            return Language(regular, Fraction(1, 2))
        both = language.acceptor & regular
        if outside:
            both = both | (constant(both.alphabet, outside) & ~regular)
        return Language(both, language.cut_point, relation=language.relation)

    def __or__(self, other: Language | DFA) -> Language:
        """Words of either: the complement of what is in neither."""
        if not isinstance(other, Language | DFA):
            return NotImplemented
        if nested := self._nested(other):
            return nested[1]
        language, dfa = self._with_dfa(other, "union")
        return ~(~language & ~dfa)

    def __sub__(self, other: Language | DFA) -> Language:
        return self & ~other if isinstance(other, Language | DFA) else NotImplemented

    def __rsub__(self, other: DFA) -> Language:
        return ~self & other if isinstance(other, DFA) else NotImplemented

    def __le__(self, other: Language | DFA) -> bool:
        """Whether every word of this language is in the other: by DFAs, or by a word that is not; else refused.

        Examples
        --------
        >>> half, third = (cp.Language(cp.p_adic(2), cut_point) for cut_point in ("1/2", "1/3"))
        >>> half <= third, third <= half, half < third
        (True, False, True)
        """
        return _included(self, other) if isinstance(other, Language | DFA) else NotImplemented

    def __ge__(self, other: Language | DFA) -> bool:
        return _included(other, self) if isinstance(other, Language | DFA) else NotImplemented

    def __lt__(self, other: Language | DFA) -> bool:
        return self <= other and not other <= self if isinstance(other, Language | DFA) else NotImplemented

    def __gt__(self, other: Language | DFA) -> bool:
        return other <= self and not self <= other if isinstance(other, Language | DFA) else NotImplemented

    __rand__ = __and__
    __ror__ = __or__

    def _nested(self, other: Language | DFA) -> tuple[Language, Language] | None:
        """Two languages of one acceptor, the smaller first; None if neither has all words of the other."""
        if isinstance(other, DFA) or self.automaton != other.automaton:
            return None
        mine, its = ((language.cut_point, language.relation) for language in (self, other))
        return (self, other) if implies(mine, its) else (other, self) if implies(its, mine) else None

    def _with_dfa(self, other: Language | DFA, operation: str) -> tuple[Language, DFA]:
        """One side as it is and the other as a DFA: given, or found by exact residuals."""
        if isinstance(other, DFA):
            return self, other
        for language, second in ((self, other), (other, self)):
            dfa = second.to_dfa(MOST_STATES) if second.acceptor.is_stochastic else None
            if isinstance(dfa, DFA):
                return language, dfa
        raise InvalidArgument(
            f"the {operation} of two cut-point languages need not be a cut-point language, and {MOST_STATES:,} "
            "residuals do not show either of these to be regular. Give a DFA, such as Language.to_dfa(isolation=...), "
            "or ask for each word by itself: `word in L and word in M`."
        )

    def _repr_html_(self) -> str:
        first = ""
        if len(self.automaton.initial) <= MOST_DISPLAYED:  # larger ones would take too long
            inside = (word for word in short_words(self.automaton.alphabet, MOST_TRIED) if word in self)
            found = [shown(word, room=40) for word in islice(inside, MOST_LISTED)]
            first = f" First words: {', '.join(found)} …" if found else ""
        bound = f"{IN_WORDS[self.relation]} {cut_point_text(self.cut_point)}"
        measure = "of value" if isinstance(self.automaton, WeightedAutomaton) else "accepted with a probability of"
        return html.paragraph(f"Words {measure} {bound}.{first}") + self.automaton._repr_html_()

    def __repr__(self) -> str:
        value = cut_point_text(self.cut_point)
        measure = "value" if isinstance(self.automaton, WeightedAutomaton) else "acceptance"
        return f"<Language: {measure} {self.relation} {value} of {self.automaton!r}>"

    @property
    def _stochastic(self) -> Acceptor:
        """The acceptor with rows that sum to exactly 1."""
        return self.acceptor.rationalized(max_denominator=None)

    def _exactly_stochastic(self) -> Acceptor:
        """The acceptor with fractions, whose rows must sum to exactly 1."""
        if not self.acceptor.is_stochastic:
            raise InvalidArgument(
                "this needs rows that sum to exactly 1, and the binary values of these floats do not. Take "
                "acceptor.rationalized(), or give entries such as '1/10'."
            )
        return self._stochastic

    def _other_word(self) -> PlainWord | None:
        """A shortest word whose acceptance is not the cut point; None is a proof that all acceptances are."""
        if not isinstance(self.cut_point, Fraction):
            return self.automaton.alphabet.decode(())
        level = WeightedAutomaton.constant(self.automaton.alphabet, self.cut_point)
        different = equivalence(self.automaton, level)
        return different.word if isinstance(different, Different) else None

    @property
    def _columns(self) -> SuffixColumns:
        return SuffixColumns(self.acceptor, self.cut_point, self.relation)

    def _words_of_length(self, length: int, bounds: CompletionBounds) -> Iterator[PlainWord]:
        """Depth-first over the prefixes, each with its distribution: memory grows with the length only."""
        stack: list[tuple[tuple[int, ...], NDArray[np.float64]]] = [((), self.acceptor.initial)]
        while stack:
            prefix, row = stack.pop()
            remaining = length - len(prefix)
            estimate = float(dot(row, bounds.column(remaining)))
            sign = self._sign(estimate, length, partial(bounds.exact_bound, prefix, remaining))
            if sign < min(SIGNS[self.relation]):
                continue
            if remaining:
                rows = step(row, self.acceptor.transitions)
                stack += [((*prefix, a), rows[a]) for a in reversed(range(self.acceptor.n_symbols))]
            elif sign in SIGNS[self.relation]:
                yield self._word(prefix)

    def _race(
        self,
        follow: Callable[[BestFirst], Iterator[Result | None]],
        max_length: int,
        copies: int,
        limit: int,
        promising: Iterator[Result | None] | None = None,
        endless: bool = False,
    ) -> Result | None:
        """First result of a search from the front and one from the back; None if ``limit`` steps in turn have none."""
        longest = whole_number("max_length", max_length, least=0, most=LONGEST_SEARCHED)
        steps, least = min(whole_number("limit", limit, least=1), sys.maxsize), float(self.cut_point)
        searches = [*map(follow, searches_from_both_ends(self.acceptor, longest, copies, least, endless))]
        searches += [promising] if promising else []
        results = (next(search) for search in islice(cycle(searches), steps))
        return next((result for result in results if result is not None), None)

    def _ranked(self, search: BestFirst) -> Iterator[list[AcceptedWord] | None]:
        """The words of highest acceptance, as many as are sought or all; None after each step until they are found."""
        found: list[AcceptedWord] = []
        for candidate in self._promising(search):
            if candidate.part is not None:
                yield None
                continue
            exact = self.acceptor.is_exact
            found.append(AcceptedWord(self._word(candidate.codes), candidate.bound if exact else candidate.estimate))
            if len(found) == search.copies:
                break
        yield found

    def _first_found(self, search: BestFirst) -> Iterator[list[PlainWord] | None]:
        """The first word met, or none; None after each step until that is known."""
        for candidate in self._promising(search):
            word = self._word(candidate.codes)
            if word in self:
                yield [word]
            yield None
        yield from repeat([] if search.ceiling is None or not self._columns.has(search.ceiling) else None)

    def _promising_words(self, max_length: int) -> Iterator[list[PlainWord] | None]:
        """A word that seems good, if it is one of the language; None after each that is not."""
        for _, codes in promising_words(self.acceptor, max_length):
            word = self._word(codes)
            yield [word] if word in self else None
        yield from repeat(None)

    def _promising(self, search: BestFirst) -> Iterator[QueueEntry]:
        """Candidates whose bounds exceed the cut point."""
        for candidate in search:
            sign = self._sign(candidate.estimate, search.max_length, lambda: candidate.bound)  # noqa: B023
            if sign not in SIGNS[self.relation]:
                return
            yield candidate

    def _sign(self, estimate: float, length: int, exact: Callable[[], Fraction]) -> int:
        """Sign of an acceptance, or a bound, for words up to a length, minus the cut point."""
        return compared(estimate, length, self.acceptor.n_states, self.cut_point, exact)

    def _word(self, codes: tuple[int, ...]) -> PlainWord:
        return self.acceptor.alphabet.decode(codes)


def _unfound(limit: int) -> Unknown:
    return Unknown(limit, f"unknown: {limit:,} prefixes and suffixes explored, and there are more.")


def _included(inner: Language | DFA, outer: Language | DFA) -> bool:
    """Whether every word of one language is in another, where that can be decided."""
    sides = inner, outer
    alphabets = [side.alphabet if isinstance(side, DFA) else side.acceptor.alphabet for side in sides]
    codes_of(*alphabets)  # refuses different symbols
    if isinstance(inner, Language) and (nested := inner._nested(outer)) and nested[0] is inner:
        return True
    if any(word in inner and word not in outer for word in short_words(alphabets[0], MOST_TRIED)):
        return False
    stochastic = all(isinstance(side, DFA) or side.acceptor.is_stochastic for side in sides)
    dfas = [side if isinstance(side, DFA) else side.to_dfa(MOST_STATES) for side in sides] if stochastic else []
    match dfas:
        case [DFA() as left, DFA() as right]:
            return left <= right
    raise InvalidArgument(
        f"inclusion of cut-point languages is undecidable; none of the first {MOST_TRIED:,} words is in the one and "
        f"not in the other, and {MOST_STATES:,} residuals do not show both to be regular. Give DFAs, such as "
        "Language.to_dfa(isolation=...)."
    )


def _no_report(explored: int) -> None:
    """The callback of an exploration that nobody asks about; Ctrl-C ends it all the same."""
