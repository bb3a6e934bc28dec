r"""Isolated cut points: how near acceptances come, and DFAs by distributions (Rabin)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cutpoint.data import PlainWord
from cutpoint.decision.dfa import DFA, Unknown, closure
from cutpoint.decision.residuals import Callback, undecided
from cutpoint.decision.suffix_columns import Codes
from cutpoint.errors import InvalidArgument
from cutpoint.exact import CutPoint
from cutpoint.kernels.reference import step
from cutpoint.model import Acceptor
from cutpoint.model.text import number
from cutpoint.wording import shown


@dataclass(frozen=True)
class Isolation:
    """Word whose acceptance is nearest to a cut point among all words up to ``max_length``; exact."""

    word: PlainWord
    acceptance: Fraction
    cut_point: CutPoint
    max_length: int

    @property
    def distance(self) -> Fraction | float:
        """Distance of the acceptance from the cut point: a fraction if that is rational, otherwise a float."""
        if isinstance(self.cut_point, Fraction):
            return abs(self.acceptance - self.cut_point)
        low, high = self.cut_point.interval(Fraction(1, 2**200))
        return float(abs(self.acceptance - (low + high) / 2))

    def __repr__(self) -> str:
        return (
            f"<Isolation: {number(self.distance)} up to length {self.max_length}, "
            f"reached by {shown(self.word)} with acceptance {number(self.acceptance)}>"
        )


def isolated_dfa(
    acceptor: Acceptor, cut_point: CutPoint, isolation: Fraction, max_states: int, callback: Callback
) -> DFA | Unknown:
    r"""Minimal DFA of a language whose cut point is isolated: no acceptance within :math:`\delta` of it (Rabin).

    Acceptances of xz and yz differ by at most half of :math:`\|\pi P(x) - \pi P(y)\|_1`; if that is less than
    :math:`2\delta` both lie on the same side of the cut point. So words whose distributions differ by less than
    :math:`4\delta` in the 1-norm have the same future, and breadth-first exploration of such words closes.
    """
    words: list[Codes] = [()]  # with different distributions, each in a row
    rows = np.empty((max_states + acceptor.n_symbols, acceptor.n_states))
    rows[0] = acceptor.initial

    def after(state: int) -> list[int]:
        """Number of the word that stands for each word that is one symbol longer."""
        rounding = 8.0 * (len(words[state]) + 2) * (acceptor.n_states + 2) * 2.0**-53
        nearest = 4 * float(isolation) * (1 - 2.0**-50) - rounding
        found = []
        for symbol, matrix in enumerate(acceptor.transitions):
            row = step(rows[state], matrix)
            near = np.flatnonzero(np.abs(rows[: len(words)] - row).sum(axis=1) < nearest)
            found.append(int(near[0]) if near.size else len(words))
            if not near.size:
                rows[len(words)] = row
                words.append((*words[state], symbol))
        return found

    met, steps, closed = closure(0, after, max_states, callback)
    if not closed:
        return undecided(len(met), max_states, cut_point, "distribution")
    final = frozenset(state for state, word in enumerate(words) if _is_above(acceptor, word, cut_point, isolation))
    return DFA(acceptor.alphabet, tuple(steps), 0, final).minimize()


def _is_above(acceptor: Acceptor, codes: Codes, cut_point: CutPoint, isolation: Fraction) -> bool:
    """Whether a word is accepted; refuses a cut point that it shows not to be isolated."""
    acceptance = acceptor.integers.value(codes)
    if acceptance + isolation > cut_point and acceptance - isolation < cut_point:
        raise InvalidArgument(
            f"the cut point is not isolated by {number(isolation)}: the word {shown(acceptor.alphabet.decode(codes))} "
            f"has acceptance {number(acceptance)}. Give a smaller isolation, or none."
        )
    return acceptance > cut_point
