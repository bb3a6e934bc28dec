"""The language of an acceptor at a cut point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, Word, Words
from cutpoint.data.alphabet import each_word
from cutpoint.decision.dfa import DFA, Unknown, residual_dfa
from cutpoint.errors import InvalidArgument
from cutpoint.exact import cut_point_value, exceeds, whole_number
from cutpoint.kernels.reference import dot, step
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.text import number


@dataclass(frozen=True, init=False)
class Language:
    r"""Cut-point language :math:`L_{A,\lambda} = \{x \in \Sigma^* \mid \pi P(x) f > \lambda\}`: equation (e-L).

    The inequality is strict. Membership is certified: it is never wrong by rounding. The cut point may be a float (its
    exact binary value), a ``Fraction``, a ``Decimal`` or a str such as ``"1/3"``.

    Examples
    --------
    >>> import cutpoint as cp
    >>> L = cp.Language(cp.p_adic(2), "1/2")
    >>> "11" in L, "1" in L  # 0.11 > 0.1 in base 2, but 0.1 is not
    (True, False)
    >>> list(L.words(max_length=3))
    ['11', '011', '101', '111']
    """

    acceptor: Acceptor
    cut_point: Fraction

    def __init__(self, acceptor: Acceptor, cut_point: Any) -> None:
        check_acceptor(acceptor)
        object.__setattr__(self, "acceptor", acceptor)
        object.__setattr__(self, "cut_point", cut_point_value(cut_point))

    def __contains__(self, word: Word) -> bool:
        return self.acceptor.accepts(word, self.cut_point)

    def contains(self, words: Words) -> NDArray[np.bool_]:
        """Membership of each word; only those too close to the cut point cost exact arithmetic."""
        listed = list(each_word(words))
        estimates = self.acceptor.acceptances(listed).tolist()
        return np.array([self._exceeds(p, word) for p, word in zip(estimates, listed, strict=True)], dtype=np.bool_)

    def words(self, max_length: int) -> Iterator[PlainWord]:
        """Words of the language up to a length, shortest first, then in the order of the alphabet; made one by one."""
        longest = whole_number("max_length", max_length, least=0)
        return (word for length in range(longest + 1) for word in self._words_of_length(length))

    def to_dfa(self, max_states: int = 10_000) -> DFA | Unknown:
        """Minimal DFA of the language by exact residuals, or :class:`Unknown` if more than ``max_states`` are met.

        Given enough states it closes for every p-adic acceptor at a rational cut point (a float such as 1/3 is rational
        with a denominator of 2**54). Whether it closes at all is undecidable in general.
        Float rows must sum to 1 in exact arithmetic; :meth:`Acceptor.rationalized` makes them.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.Language(cp.p_adic(2), "1/3").to_dfa()
        <DFA: 3 states, 2 symbols, 2 final>
        >>> cp.Language(cp.gallery.majority(), "1/2").to_dfa(max_states=100)
        Unknown(explored=100)
        """
        limit = whole_number("max_states", max_states, least=1)
        steps, start = self.acceptor.exact_transitions.sum(axis=2), self.acceptor.exact_initial.sum()
        if not ((steps == 1).all() and start == 1):
            raise InvalidArgument(
                "exact residuals need rows that sum to exactly 1, and the binary values of these floats do not. Take "
                "acceptor.rationalized(), or give entries such as '1/10'."
            )
        return residual_dfa(self.acceptor.alphabet, self.acceptor.integers, self.acceptor.final, self.cut_point, limit)

    def __repr__(self) -> str:
        return f"<Language: acceptance > {number(self.cut_point)} of {self.acceptor!r}>"

    def _words_of_length(self, length: int) -> Iterator[PlainWord]:
        """Depth-first over the prefixes, each with its distribution: memory grows with the length only."""
        alphabet, final = self.acceptor.alphabet, self.acceptor.final.astype(np.float64)
        stack: list[tuple[tuple[int, ...], NDArray[np.float64]]] = [((), self.acceptor.initial)]
        while stack:
            prefix, row = stack.pop()
            if len(prefix) < length:
                stack += [
                    ((*prefix, a), step(row, self.acceptor.transitions[a])) for a in reversed(range(len(alphabet)))
                ]
            else:
                word = alphabet.decode(np.array(prefix, dtype=np.int32))
                if self._exceeds(float(dot(row, final)), word):
                    yield word

    def _exceeds(self, estimate: float, word: Word) -> bool:
        return exceeds(
            estimate,
            len(word),
            self.acceptor.n_states,
            self.cut_point,
            lambda: self.acceptor.exact_acceptance(word),
        )
