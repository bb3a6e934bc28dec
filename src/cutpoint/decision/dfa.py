"""Deterministic finite automata, and how they are extracted from a cut-point language."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd
from operator import or_
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Word
from cutpoint.data.names import counted
from cutpoint.errors import InvalidArgument
from cutpoint.exact import Integral
from cutpoint.model import Acceptor
from cutpoint.model.gallery import deterministic

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class DFA:
    """Deterministic finite automaton: ``transitions[state][a]`` is the next state on symbol number a.

    Examples
    --------
    >>> import cutpoint as cp
    >>> dfa = cp.Language(cp.p_adic(2), "1/2").to_dfa()
    >>> dfa
    <DFA: 3 states, 2 symbols, 1 final>
    >>> dfa.accepts("11"), dfa.accepts("01")  # 0.11 > 1/2, 0.10 is not
    (True, False)
    """

    alphabet: Alphabet
    transitions: tuple[tuple[int, ...], ...]
    initial: int
    final: frozenset[int]

    def __post_init__(self) -> None:
        """Refuse transitions that lead nowhere."""
        object.__setattr__(self, "alphabet", Alphabet(self.alphabet))
        states = range(len(self.transitions))
        rows_fit = all(len(row) == len(self.alphabet) and set(row) <= set(states) for row in self.transitions)
        if not (rows_fit and self.initial in states and self.final <= set(states)):
            raise InvalidArgument(
                f"a DFA of {counted(len(states), 'state')} and {counted(len(self.alphabet), 'symbol')} needs one next "
                "state per symbol in every state, an initial state and final states, all numbered from 0."
            )

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    def accepts(self, word: Word) -> bool:
        """Whether the run on a word ends in a final state."""
        state = self.initial
        for symbol in self.alphabet.encode_word(word).tolist():
            state = self.transitions[state][symbol]
        return state in self.final

    __contains__ = accepts

    def to_acceptor(self) -> Acceptor:
        """The same automaton as an acceptor whose acceptance is 0 or 1."""
        rows = {s: dict(zip(self.alphabet, row, strict=True)) for s, row in enumerate(self.transitions)}
        return deterministic(rows, self.initial, self.final)

    def __repr__(self) -> str:
        sizes = f"{counted(self.n_states, 'state')}, {counted(len(self.alphabet), 'symbol')}"
        return f"<DFA: {sizes}, {len(self.final)} final>"


@dataclass(frozen=True)
class Unknown:
    """No answer within the limit: ``explored`` states were seen, and there are more. Raising it may or may not help."""

    explored: int

    def __bool__(self) -> bool:
        return False


ACCEPTS_ALL, ACCEPTS_NONE = (1,), (-1,)
"""The two sinks among the residuals: every entry positive, no entry positive."""


def residual_dfa(
    alphabet: Alphabet, integers: Integral, final: NDArray[np.bool_], cut_point: Fraction, max_states: int
) -> DFA | Unknown:
    r"""Minimal DFA of :math:`\{x : \pi P(x) f > \lambda\}` by exact residuals, if the exploration closes.

    A word is accepted iff :math:`\pi P(x)(f - \lambda 1) > 0`. Reading it from the back, the column vectors
    :math:`P(z)(f - \lambda 1)` up to a positive factor are the states of a DFA for the reversed words; a column with
    all entries positive accepts everything, one without a positive entry nothing. Reversing a DFA whose states are all
    reachable, and taking sets, gives the minimal DFA (Brzozowski).
    """
    matrices = [[[int(x) for x in row] for row in matrix.tolist()] for matrix in integers.matrices]
    start = [cut_point.denominator * int(kept) - cut_point.numerator for kept in final]

    def before(column: tuple[int, ...]) -> list[tuple[int, ...]]:
        if column in (ACCEPTS_ALL, ACCEPTS_NONE):
            return [column] * len(matrices)
        return [_residual(_times(matrix, column)) for matrix in matrices]

    explored = _closure(_residual(start), before, max_states)
    if explored is None:
        return Unknown(explored=max_states)
    columns, steps = explored
    initial = [int(x) for x in integers.initial.entries()]
    accepting = [state for column, state in columns.items() if _is_positive(initial, column)]
    return _reversed_dfa(alphabet, steps, accepting, max_states)


def _closure(
    start: Node, successors: Callable[[Node], list[Node]], limit: int
) -> tuple[dict[Node, int], list[tuple[int, ...]]] | None:
    """Nodes that can be reached, numbered in the order met, and their successors' numbers; None past the limit."""
    numbers = {start: 0}
    steps = []
    for node in (queue := [start]):
        after = successors(node)
        for other in after:
            if other not in numbers:
                if len(numbers) == limit:
                    return None
                numbers[other] = len(numbers)
                queue.append(other)
        steps.append(tuple(numbers[other] for other in after))
    return numbers, steps


def _residual(column: list[int]) -> tuple[int, ...]:
    """Column up to a positive factor; the sinks are each one residual."""
    if all(x > 0 for x in column):
        return ACCEPTS_ALL
    if all(x <= 0 for x in column):
        return ACCEPTS_NONE
    divisor = gcd(*column)
    return tuple(x // divisor for x in column)


def _times(matrix: list[list[int]], column: tuple[int, ...]) -> list[int]:
    return [sum(p * x for p, x in zip(row, column, strict=True)) for row in matrix]


def _is_positive(initial: list[int], column: tuple[int, ...]) -> bool:
    if column in (ACCEPTS_ALL, ACCEPTS_NONE):
        return column == ACCEPTS_ALL
    return sum(p * x for p, x in zip(initial, column, strict=True)) > 0


def _reversed_dfa(
    alphabet: Alphabet, steps: list[tuple[int, ...]], accepting: list[int], max_states: int
) -> DFA | Unknown:
    """DFA of the reversed words of a DFA (state 0 first), by the subset construction; subsets are bit sets."""
    backward = [[0] * len(steps) for _ in alphabet]
    for state, row in enumerate(steps):
        for symbol, after in enumerate(row):
            backward[symbol][after] |= 1 << state

    def onward(subset: int) -> list[int]:
        members = [state for state in range(len(steps)) if subset >> state & 1]
        return [reduce(or_, (into[state] for state in members), 0) for into in backward]

    explored = _closure(sum(1 << state for state in accepting), onward, max_states)
    if explored is None:
        return Unknown(explored=max_states)
    subsets, transitions = explored
    final = frozenset(number for subset, number in subsets.items() if subset & 1)
    return DFA(alphabet, tuple(transitions), 0, final)
