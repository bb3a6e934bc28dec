"""DFAs extracted from cut-point languages: by exact residuals, and at an isolated cut point (Rabin)."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet
from cutpoint.decision.columns import ACCEPTS_ALL, ACCEPTS_NONE, Column, Columns, Residual
from cutpoint.decision.dfa import DFA, Unknown, closure
from cutpoint.errors import InvalidArgument
from cutpoint.exact import CutPoint
from cutpoint.kernels.reference import step
from cutpoint.model import Acceptor
from cutpoint.model.text import number
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]


def residual_dfa(alphabet: Alphabet, columns: Columns, max_states: int) -> DFA | Unknown:
    r"""Minimal DFA of a cut-point language by exact residuals, if the exploration closes.

    A word is accepted iff :math:`\pi P(x)(f - \lambda 1) > 0`. Reading it from the back, the column vectors
    :math:`P(z)(f - \lambda 1)` up to a positive factor are the states of a DFA for the reversed words. Reversing a DFA
    whose states are all reachable, and taking sets, gives the minimal DFA (Brzozowski).
    """
    seen: dict[Residual, Column] = {}

    def residual(column: Column) -> Residual:
        key = columns.residual(column)
        seen.setdefault(key, column)
        return key

    def before(key: Residual) -> list[Residual]:
        if key in (ACCEPTS_ALL, ACCEPTS_NONE):
            return [key] * len(alphabet)
        return [residual(column) for column in columns.before(seen[key])]

    numbers, steps, closed = closure(residual(columns.start), before, max_states)
    if not closed:
        return _undecided(max_states, columns.cut_point, "residual")
    accepting = [state for key, state in numbers.items() if _accepts_the_empty_word(key, columns, seen)]
    return _reversed_dfa(alphabet, steps, accepting, max_states, columns.cut_point)


def _accepts_the_empty_word(key: Residual, columns: Columns, seen: dict[Residual, Column]) -> bool:
    if key in (ACCEPTS_ALL, ACCEPTS_NONE):
        return key == ACCEPTS_ALL
    return columns.exceeds(columns.acceptance(seen[key]))


def _undecided(explored: int, cut_point: CutPoint, kind: str) -> Unknown:
    value = number(cut_point) if isinstance(cut_point, Fraction) else repr(cut_point)
    return Unknown(
        explored,
        f"unknown: {counted(explored, kind)} at the cut point {value} are explored, and there are more. Whether "
        "the language is regular is not decided; whether a word belongs to it is, for every word.",
    )


def _reversed_dfa(
    alphabet: Alphabet, steps: list[tuple[int, ...]], accepting: list[int], max_states: int, cut_point: CutPoint
) -> DFA | Unknown:
    """DFA of the reversed words of a DFA (state 0 first), by the subset construction; subsets are bit sets."""
    backward = [[0] * len(steps) for _ in alphabet]
    for state, row in enumerate(steps):
        for symbol, after in enumerate(row):
            backward[symbol][after] |= 1 << state

    def onward(subset: int) -> list[int]:
        members = [state for state in range(len(steps)) if subset >> state & 1]
        return [reduce(or_, (into[state] for state in members), 0) for into in backward]

    subsets, transitions, closed = closure(sum(1 << state for state in accepting), onward, max_states)
    if not closed:
        return Unknown(
            max_states,
            f"unknown: the language is regular, with {counted(len(steps), 'state')} for its words read from the back, "
            f"but read from the front its DFA has more than {counted(max_states, 'state')}. Raise max_states.",
        )
    final = frozenset(number for subset, number in subsets.items() if subset & 1)
    return DFA(alphabet, tuple(transitions), 0, final)


def isolated_dfa(acceptor: Acceptor, cut_point: CutPoint, isolation: Fraction, max_states: int) -> DFA | Unknown:
    r"""Minimal DFA of a language whose cut point is isolated: no acceptance within :math:`\delta` of it (Rabin).

    Acceptances of xz and yz differ by at most half of :math:`\|\pi P(x) - \pi P(y)\|_1`; if that is less than
    :math:`2\delta` both lie on the same side of the cut point. So words whose distributions differ by less than
    :math:`4\delta` in the 1-norm have the same future, and breadth-first exploration of such words closes.
    """
    words, steps = _explored(acceptor, isolation, max_states)
    if len(words) > max_states:
        return _undecided(max_states, cut_point, "distribution")
    final = frozenset(state for state, word in enumerate(words) if _is_above(acceptor, word, cut_point, isolation))
    return DFA(acceptor.alphabet, tuple(steps), 0, final).minimize()


def _explored(
    acceptor: Acceptor, isolation: Fraction, max_states: int
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Words with different distributions, and the number of the word that stands for each one-symbol extension."""
    words: list[tuple[int, ...]] = [()]
    rows = np.empty((max_states + 1, acceptor.n_states))
    rows[0] = acceptor.initial
    steps: list[tuple[int, ...]] = []
    for state, word in enumerate(words):
        rounding = 8.0 * (len(word) + 2) * (acceptor.n_states + 2) * 2.0**-53
        nearest = 4 * float(isolation) * (1 - 2.0**-50) - rounding
        after = []
        for symbol, matrix in enumerate(acceptor.transitions):
            row = step(rows[state], matrix)
            near = np.flatnonzero(np.abs(rows[: len(words)] - row).sum(axis=1) < nearest)
            if not near.size:
                rows[len(words)] = row
                words.append((*word, symbol))
                if len(words) > max_states:
                    return words, steps
            after.append(int(near[0]) if near.size else len(words) - 1)
        steps.append(tuple(after))
    return words, steps


def _is_above(acceptor: Acceptor, codes: tuple[int, ...], cut_point: CutPoint, isolation: Fraction) -> bool:
    """Whether a word is accepted; refuses a cut point that it shows not to be isolated."""
    acceptance = acceptor.integers.acceptance(acceptor.final, codes)
    if acceptance + isolation > cut_point and acceptance - isolation < cut_point:
        word = acceptor.alphabet.decode(np.array(codes, dtype=np.int32))
        raise InvalidArgument(
            f"the cut point is not isolated by {number(isolation)}: the word {shown(word)} has acceptance "
            f"{number(acceptance)}. Give a smaller isolation, or none."
        )
    return acceptance > cut_point
