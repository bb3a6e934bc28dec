"""The language of an acceptor at a cut point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, Word, Words
from cutpoint.data.alphabet import each_word
from cutpoint.data.names import counted, shown
from cutpoint.decision import boolean
from cutpoint.decision.best_first import BestFirst, Candidate
from cutpoint.decision.columns import Columns
from cutpoint.decision.dfa import DFA
from cutpoint.decision.extraction import isolated_dfa, residual_dfa
from cutpoint.decision.isolation import LIMIT, Isolation, count_words, nearest_word
from cutpoint.decision.unknown import Unknown
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import CutPoint, compared, cut_point_value, entry, exceeds, whole_number
from cutpoint.kernels.reference import dot, step, step_back
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.text import number


class Accepted(NamedTuple):
    """A word with its acceptance: a fraction if the acceptor is exact, otherwise a float."""

    word: PlainWord
    acceptance: Fraction | float


@dataclass(frozen=True)
class Membership:
    """Which words of a batch belong to a language, and which of them floats alone could not decide."""

    members: NDArray[np.bool_]
    exact: NDArray[np.bool_]

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

    Parameters
    ----------
    acceptor : :math:`A`.
    cut_point : :math:`\lambda`, a float (its exact binary value), ``Fraction``, ``Decimal``, a str such as ``"1/3"``,
        or an irrational :class:`Root`.
    inclusive : the inequality is strict unless this is true; then words with acceptance exactly :math:`\lambda` belong
        to the language too.

    Notes
    -----
    Membership is certified: it is never wrong by rounding. ``~L`` is the complement. ``L & M``, ``L | M`` and ``L - M``
    are made where the result surely is a cut-point language: with a DFA or another regular language, or at two cut
    points of one acceptor. Cut-point languages are not closed under these operations in general.

    Examples
    --------
    >>> import cutpoint as cp
    >>> L = cp.Language(cp.p_adic(2), "1/2")
    >>> "11" in L, "1" in L, "1" in cp.Language(cp.p_adic(2), "1/2", inclusive=True)  # 0.11 > 0.1 in base 2
    (True, False, True)
    >>> list(L.words(max_length=3)), L.count(100) == 2**99 - 1
    (['11', '011', '101', '111'], True)
    """

    acceptor: Acceptor
    cut_point: CutPoint
    inclusive: bool

    def __init__(self, acceptor: Acceptor, cut_point: Any, inclusive: bool = False) -> None:
        check_acceptor(acceptor)
        if not isinstance(inclusive, bool):
            raise InvalidArgument(f"inclusive must be True or False; got {shown(inclusive)}.")
        object.__setattr__(self, "acceptor", acceptor)
        object.__setattr__(self, "cut_point", cut_point_value(cut_point))
        object.__setattr__(self, "inclusive", inclusive)

    def __contains__(self, word: Word) -> bool:
        return self._exceeds(self.acceptor.acceptance(word), word)

    def contains(self, words: Words) -> NDArray[np.bool_]:
        """Membership of each word; only those too close to the cut point cost exact arithmetic."""
        return self.membership(words).members

    def membership(self, words: Words) -> Membership:
        """Membership of each word, and which words floats could not decide.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.Language(cp.p_adic(3), "1/3").membership(["1", "2", "01", "11"])
        <Membership: 2 of 4 words in the language, 2 decided by exact arithmetic>
        """
        listed = list(each_word(words))
        symbols, offsets = self.acceptor.encode(listed)

        def exact(r: int) -> Fraction:
            word = symbols[offsets[r] : offsets[r + 1]].tolist()
            return self.acceptor.integers.acceptance(self.acceptor.final, word)

        estimates = self.acceptor.acceptances(listed)
        answers = compared(estimates, np.diff(offsets), self.acceptor.n_states, self.cut_point, exact, self.inclusive)
        return Membership(answers.above, answers.exact)

    def words(self, max_length: int | None = None) -> Iterator[PlainWord]:
        """Words of the language, shortest first, then in the order of the alphabet; made one by one.

        Without ``max_length`` it goes on for ever. Prefixes that surely lead to no word are left out.
        """
        lengths = count() if max_length is None else range(whole_number("max_length", max_length, least=0) + 1)
        return (word for length in lengths for word in self._words_of_length(length))

    def count(self, length: int, limit: int = LIMIT) -> int:
        """Number of words of a length in the language, exactly.

        Words are read from the back, and suffixes that decide alike are counted together, so regular languages take
        time proportional to the length; others may take more than ``limit`` suffixes, which is refused.
        """
        whole_number("limit", limit, least=1)
        return count_words(self._columns, whole_number("length", length, least=0), limit)

    def most_accepted(self, k: int, max_length: int, limit: int = LIMIT) -> list[Accepted]:
        """The k words of the language of highest acceptance up to a length, best first; fewer if there are fewer.

        Words of exactly equal acceptance come in length-lexicographic order. At most ``limit`` prefixes are explored.

        Examples
        --------
        >>> import cutpoint as cp
        >>> for word, acceptance in cp.Language(cp.p_adic(2), 0).most_accepted(3, max_length=60):
        ...     print(word[:3], "…", word[-3:], 1 - acceptance)
        111 … 111 1/1152921504606846976
        111 … 111 1/576460752303423488
        011 … 111 1/576460752303423488
        """
        whole_number("k", k, least=1)
        search = BestFirst(self.acceptor, whole_number("max_length", max_length, least=0), copies=k)
        found: list[Accepted] = []
        for candidate in self._promising(search, whole_number("limit", limit, least=1)):
            if candidate is None:
                raise TooLarge(
                    f"{search.explored:,} prefixes are explored and {len(found)} of the {k} most "
                    f"accepted words are found. Raise limit={limit}, or lower max_length or k."
                )
            if candidate.row is None:
                exact = self.acceptor.is_exact
                found.append(Accepted(self._word(candidate.codes), candidate.bound if exact else candidate.estimate))
                if len(found) == k:
                    break
        return found

    def find_word(self, max_length: int, limit: int = LIMIT) -> PlainWord | Unknown | None:
        """Some word of the language up to a length, searched best first; None is a proof that there is none.

        The shortest word is ``next(language.words())``. :class:`Unknown` after ``limit`` prefixes.

        Examples
        --------
        >>> import cutpoint as cp
        >>> L = cp.Language(cp.gallery.value_one("3/4"), "9/10")
        >>> L.find_word(max_length=5) is None, L.find_word(max_length=40) in L
        (True, True)
        """
        search = BestFirst(self.acceptor, whole_number("max_length", max_length, least=0), copies=1)
        for candidate in self._promising(search, whole_number("limit", limit, least=1)):
            if candidate is None:
                return Unknown(search.explored, f"unknown: {search.explored:,} prefixes explored, and there are more.")
            word = self._word(candidate.codes)
            if word in self:
                return word
        return None

    def isolation(self, max_length: int, limit: int = LIMIT) -> Isolation:
        r"""Smallest distance of any acceptance from the cut point among words up to a length, with the word; exact.

        This is evidence, not proof, that :math:`\lambda` is isolated: longer words may come nearer. At most ``limit``
        suffixes are explored.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.Language(cp.p_adic(2), "1/3").isolation(max_length=10)
        <Isolation: 1/3072 up to length 10, reached by '1010101010' with acceptance 341/1024>
        """
        longest = whole_number("max_length", max_length, least=0)
        return nearest_word(self.acceptor.alphabet, self._columns, longest, whole_number("limit", limit, least=1))

    def to_dfa(self, max_states: int = 10_000, isolation: Any = None) -> DFA | Unknown:
        r"""Minimal DFA of the language, or :class:`Unknown` if more than ``max_states`` are met.

        Parameters
        ----------
        isolation : a :math:`\delta > 0` such that no word has an acceptance nearer than :math:`\delta` to the cut
            point. Then the language is regular (Rabin), and the exploration of distributions closes. That
            :math:`\delta` is right is taken on trust; a word that shows it to be wrong is named in an error. Float rows
            are rescaled to sum to exactly 1. Without it exact residuals are explored, and nothing is taken on trust.

        Notes
        -----
        Given enough states it closes for every p-adic acceptor at a rational cut point (a float such as 1/3 is rational
        with a denominator of 2**54) and for none at an irrational one. Whether it closes at all is undecidable in
        general. For exact residuals float rows must sum to 1 exactly; :meth:`Acceptor.rationalized` makes them.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.Language(cp.p_adic(2), "1/3").to_dfa()
        <DFA: 3 states, 2 symbols, 2 final>
        >>> cp.Language(cp.gallery.majority(), "1/2").to_dfa(max_states=100).explored
        100
        >>> noisy = cp.mixture([cp.gallery.tomita(4), cp.p_adic(2)], ["4/5", "1/5"])
        >>> cp.Language(noisy, "1/2").to_dfa(isolation="3/10")
        <DFA: 4 states, 2 symbols, 3 final>
        """
        most = whole_number("max_states", max_states, least=1)
        if isolation is not None:
            return isolated_dfa(
                self.acceptor.rationalized(max_denominator=None), self.cut_point, _isolation(isolation), most
            )
        if not self.acceptor.is_stochastic:
            raise InvalidArgument(
                "exact residuals need rows that sum to exactly 1, and the binary values of these floats do not. Take "
                "acceptor.rationalized(), or give entries such as '1/10'."
            )
        return residual_dfa(self.acceptor.alphabet, self._columns, most)

    def __invert__(self) -> Language:
        return boolean.complement(self)

    def __and__(self, other: Language | DFA) -> Language:
        return boolean.intersection(self, other) if isinstance(other, Language | DFA) else NotImplemented

    def __or__(self, other: Language | DFA) -> Language:
        return boolean.union(self, other) if isinstance(other, Language | DFA) else NotImplemented

    def __sub__(self, other: Language | DFA) -> Language:
        return boolean.intersection(self, ~other) if isinstance(other, Language | DFA) else NotImplemented

    __rand__ = __and__
    __ror__ = __or__

    def __repr__(self) -> str:
        value = number(self.cut_point) if isinstance(self.cut_point, Fraction) else repr(self.cut_point)
        return f"<Language: acceptance {'≥' if self.inclusive else '>'} {value} of {self.acceptor!r}>"

    @property
    def _columns(self) -> Columns:
        return Columns.of(self.acceptor, self.cut_point, self.inclusive)

    def _words_of_length(self, length: int) -> Iterator[PlainWord]:
        """Depth-first over the prefixes, each with its distribution: memory grows with the length only."""
        alphabet, hopes = self.acceptor.alphabet, [self.acceptor.final.astype(np.float64)]
        for _ in range(length):  # largest acceptance from each state with exactly k more symbols
            hopes.append(step_back(self.acceptor.transitions, hopes[-1]).max(axis=0))
        stack: list[tuple[tuple[int, ...], NDArray[np.float64]]] = [((), self.acceptor.initial)]
        while stack:
            prefix, row = stack.pop()
            remaining = length - len(prefix)
            estimate = float(dot(row, hopes[remaining]))
            if not remaining:
                word = self._word(prefix)
                if self._exceeds(estimate, word):
                    yield word
            elif self._may_exceed(estimate, length):
                rows = step(row, self.acceptor.transitions)
                stack += [((*prefix, a), rows[a]) for a in reversed(range(len(alphabet)))]

    def _promising(self, search: BestFirst, limit: int) -> Iterator[Candidate | None]:
        """Candidates whose bounds exceed the cut point; None where the limit is reached."""
        for candidate in search:
            if not self._may_exceed(candidate.estimate, search.max_length, candidate):
                return
            if candidate.row is not None and search.explored >= limit:
                yield None
                return
            yield candidate

    def _may_exceed(self, estimate: float, length: int, candidate: Candidate | None = None) -> bool:
        """Whether a bound is above the cut point; without a candidate to ask for its exact value, if in doubt it is."""
        return exceeds(
            estimate,
            length,
            self.acceptor.n_states,
            self.cut_point,
            lambda: candidate.bound if candidate else Fraction(2),
            self.inclusive,
        )

    def _word(self, codes: tuple[int, ...]) -> PlainWord:
        return self.acceptor.alphabet.decode(np.array(codes, dtype=np.int32))

    def _exceeds(self, estimate: float, word: Word) -> bool:
        return exceeds(
            estimate,
            len(word),
            self.acceptor.n_states,
            self.cut_point,
            lambda: self.acceptor.exact_acceptance(word),
            self.inclusive,
        )


def _isolation(value: Any) -> Fraction:
    distance = entry(value)
    if not 0 < distance <= 1:
        raise InvalidArgument(f"isolation must be a number above 0, at most 1; got {shown(value)}.")
    return Fraction(distance)
