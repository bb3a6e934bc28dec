"""Deterministic finite automata as small values: run, minimize, compare, combine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from operator import and_, mul, or_, xor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, PlainWord, Word, Words, html
from cutpoint.data.alphabet import each_word
from cutpoint.decision.certificates import IsolationCertificate, ResidualCertificate, SupportCertificate
from cutpoint.decision.equivalence import Different, Equal
from cutpoint.decision.reduction import minimize
from cutpoint.diagrams.diagram import (
    MOST_DISPLAYED,
    Arrow,
    Diagram,
    DiagramNode,
    Look,
    bounded,
    label,
    symbol_label,
    wrapped,
)
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.gallery import deterministic
from cutpoint.model.text import marked_state
from cutpoint.model.weighted import Weighable, WeightedAutomaton, codes_of
from cutpoint.wording import counted, shown

LONGEST_COUNTED = 10**6  # most symbols of words that are counted: their number may have as many digits


@dataclass(frozen=True)
class Unknown:
    """No answer within the limit: ``explored`` states were seen, and there are more. False as a bool.

    ``reason`` says what was decided and what was not. A higher limit may or may not help.

    Examples
    --------
    >>> root = cp.AlgebraicNumber.sqrt("1/2")
    >>> found = cp.Language(cp.p_adic(2), root).to_dfa(max_states=50)
    >>> found, bool(found)
    (Unknown(explored=50), False)
    """

    explored: int
    reason: str = field(default="", compare=False, repr=False)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return self.reason or f"unknown: {counted(self.explored, 'state')} explored, and there are more."

    def _repr_html_(self) -> str:
        return html.paragraph(str(self))


Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class DFA:
    """Deterministic finite automaton: ``transitions[state][a]`` is the next state on symbol number a.

    ``~D``, ``D & E``, ``D | E``, ``D - E`` and ``D ^ E`` are the Boolean operations on languages, minimized; ``D <= E``
    asks whether every word of D is one of E.

    Examples
    --------
    >>> dfa = cp.Language(cp.p_adic(2), "1/2").to_dfa()
    >>> dfa
    <DFA: 3 states, 2 symbols, 1 final>
    >>> dfa.accepts("11"), dfa.accepts("01")  # 0.11 > 1/2, 0.10 is not
    (True, False)
    >>> dfa.count(100) == 2**99 - 1
    True
    """

    alphabet: Alphabet
    transitions: tuple[tuple[int, ...], ...]
    initial: int
    final: frozenset[int]
    certificate: ResidualCertificate | SupportCertificate | IsolationCertificate | None = field(
        default=None, compare=False, repr=False
    )
    """What proves that a DFA of :meth:`Language.to_dfa` is right, for :func:`cutpoint.decision.check`."""

    def __post_init__(self) -> None:
        """Refuse transitions that lead nowhere."""
        alphabet = Alphabet(self.alphabet)
        try:
            rows, final = tuple(tuple(row) for row in self.transitions), frozenset(self.final)
            states, size = set(range(len(rows))), len(alphabet)
            fits = {self.initial} | final <= states and all(len(row) == size and set(row) <= states for row in rows)
        except TypeError:
            fits = False
        if not fits:
            raise InvalidArgument(
                f"a DFA over {counted(len(alphabet), 'symbol')} needs one next state per symbol in every state, an "
                f"initial state and final states, all numbered from 0; got {shown(self.transitions)}, initial "
                f"{shown(self.initial)}, final {shown(self.final)}."
            )
        self.__dict__.update(alphabet=alphabet, transitions=rows, final=final)

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    def accepts(self, word: Word) -> bool:
        """Whether the run on a word ends in a final state."""
        return self._after(word) in self.final

    def _after(self, word: Word) -> int:
        """State in which the run on a word ends."""
        state = self.initial
        for symbol in self.alphabet.encode_word(word).tolist():
            state = self.transitions[state][symbol]
        return state

    __contains__ = accepts

    def contains(self, words: Words) -> NDArray[np.bool_]:
        """Whether each word is accepted."""
        return np.array([self.accepts(word) for word in each_word(words)], dtype=np.bool_)

    def minimize(self) -> DFA:
        """The DFA of fewest states for the same language, its states numbered in the order words meet them.

        Two DFAs over the same alphabet accept the same words iff their minimized forms are equal.
        """
        met, steps, _ = closure(self.initial, lambda s: list(self.transitions[s]))
        table = np.array(steps, dtype=np.int64)
        is_final = np.array([state in self.final for state in met])
        kinds, n_kinds = is_final.astype(np.int64), 0
        while True:  # Moore: states of one kind stay together while their next states are of the same kinds
            keys = np.column_stack([kinds, kinds[table]])
            _, first, kinds = np.unique(keys, axis=0, return_index=True, return_inverse=True)
            kinds = kinds.reshape(-1)
            if len(first) == n_kinds:
                break
            n_kinds = len(first)
        order = np.argsort(first)
        numbers = np.argsort(order)[kinds]
        transitions = map(tuple, numbers[table[first[order]]].tolist())
        return DFA(self.alphabet, tuple(transitions), 0, frozenset(np.flatnonzero(is_final[first[order]]).tolist()))

    def shortest_word(self) -> PlainWord | None:
        """Shortest accepted word, the first in the order of the alphabet; None if the language is empty."""
        came = {self.initial: (self.initial, -1)}  # from which state, on which symbol
        for state in (queue := [self.initial]):
            if state in self.final:
                break
            for symbol, after in enumerate(self.transitions[state]):
                if after not in came:
                    came[after] = state, symbol
                    queue.append(after)
        else:
            return None
        codes = []
        while state != self.initial:
            state, symbol = came[state]
            codes.append(symbol)
        return self.alphabet.decode(codes[::-1])

    def equivalence(self, other: DFA) -> Equal | Different:
        """Whether another DFA accepts the same words; if not, a shortest word that one of the two accepts.

        Examples
        --------
        >>> half, third = (cp.Language(cp.p_adic(2), cut_point).to_dfa() for cut_point in ("1/2", "1/3"))
        >>> half.equivalence(third)
        Different(word='1', left=Fraction(0, 1), right=Fraction(1, 1))
        """
        if not isinstance(other, DFA):
            raise InvalidArgument(f"expected a DFA; got {shown(other)}.")
        word = (self ^ other).shortest_word()
        if word is None:
            return Equal()
        return Different(word, Fraction(self.accepts(word)), Fraction(other.accepts(word)))

    def count(self, length: int) -> int:
        """Number of accepted words of a length; cost :math:`O(l n^2)`, since the number has n digits."""
        ways = [int(state in self.final) for state in range(self.n_states)]
        for _ in range(whole_number("length", length, least=0, most=LONGEST_COUNTED)):
            ways = [sum(ways[after] for after in row) for row in self.transitions]
        return ways[self.initial]

    def is_finite(self) -> bool:
        """Whether finitely many words are accepted: a run within states that lead to final ones never comes round."""
        live, leading = set(self.final), set[int]()
        while live != leading:
            leading = live
            live = leading | {s for s, row in enumerate(self.transitions) if not leading.isdisjoint(row)}
        reached = {self.initial} & live
        for _ in range(self.n_states):
            reached = {after for s in reached for after in self.transitions[s]} & live
        return not reached

    def left_quotient(self, word: Word) -> DFA:
        """Minimal DFA of the words that are accepted behind a given one."""
        return DFA(self.alphabet, self.transitions, self._after(word), self.final).minimize()

    def words(self, max_length: int) -> Iterator[PlainWord]:
        """Accepted words up to a length, shortest first, then in the order of the alphabet; made one by one."""
        longest = whole_number("max_length", max_length, least=0)
        if longest >= self.n_states and self.is_finite():
            longest = self.n_states - 1
        return chain.from_iterable(self._words_of_length(length) for length in range(longest + 1))

    def _words_of_length(self, length: int) -> Iterator[PlainWord]:
        live = [self.final]  # states from which exactly k more symbols can lead to a final state
        for _ in range(length):
            live.append(frozenset(s for s, row in enumerate(self.transitions) if live[-1].intersection(row)))
        stack: list[tuple[tuple[int, ...], int]] = [((), self.initial)]
        while stack:
            prefix, state = stack.pop()
            remaining = length - len(prefix)
            if state in live[remaining]:
                if not remaining:
                    yield self.alphabet.decode(prefix)
                else:
                    after = enumerate(self.transitions[state])
                    stack += [((*prefix, symbol), state) for symbol, state in reversed(list(after))]

    def __invert__(self) -> DFA:
        return DFA(self.alphabet, self.transitions, self.initial, frozenset(range(self.n_states)) - self.final)

    def __and__(self, other: DFA) -> DFA:
        return self._side_by_side(other, and_) if isinstance(other, DFA) else NotImplemented

    def __or__(self, other: DFA) -> DFA:
        return self._side_by_side(other, or_) if isinstance(other, DFA) else NotImplemented

    def __xor__(self, other: DFA) -> DFA:
        return self._side_by_side(other, xor) if isinstance(other, DFA) else NotImplemented

    def __sub__(self, other: DFA) -> DFA:
        return self & ~other if isinstance(other, DFA) else NotImplemented

    def __le__(self, other: DFA) -> bool:
        """Whether every word that is accepted here is accepted there, too; ``<`` if there are more there."""
        return (self - other).shortest_word() is None if isinstance(other, DFA) else NotImplemented

    def __lt__(self, other: DFA) -> bool:
        return self <= other and not other <= self if isinstance(other, DFA) else NotImplemented

    def _side_by_side(self, other: DFA, rule: Callable[[bool, bool], bool]) -> DFA:
        """Minimal DFA that runs both; a pair of states is final by a rule on its two sides."""
        order = codes_of(self.alphabet, other.alphabet)

        def after(pair: tuple[int, int]) -> list[tuple[int, int]]:
            left, right = self.transitions[pair[0]], other.transitions[pair[1]]
            return [(s, right[a]) for s, a in zip(left, order, strict=True)]

        pairs, steps, _ = closure((self.initial, other.initial), after)
        final = frozenset(k for (s, t), k in pairs.items() if rule(s in self.final, t in other.final))
        return DFA(self.alphabet, tuple(steps), 0, final).minimize()

    def to_acceptor(self) -> Acceptor:
        """The same automaton as an acceptor whose acceptance is 0 or 1."""
        rows = {s: dict(zip(self.alphabet, row, strict=True)) for s, row in enumerate(self.transitions)}
        return deterministic(rows, self.initial, self.final)

    def to_weighted(self) -> WeightedAutomaton:
        """The function that is 1 on the words of the language and 0 elsewhere, exact."""
        return self.to_acceptor().to_weighted()

    @classmethod
    def from_weighted(cls, automaton: Weighable) -> DFA:
        r"""Minimal DFA of a function on words whose values are 0 and 1; another one is refused with a word.

        In the form of least dimension n a row :math:`\xi M(x)` is known by the values of x with n suffixes, so there
        are at most :math:`2^n` rows, which are followed in rational arithmetic. Floats count as their binary values.

        Examples
        --------
        >>> first, last = cp.DFA.from_weighted(cp.gallery.tomita(1)), cp.DFA.from_weighted(cp.gallery.tomita(4))
        >>> both = cp.DFA.from_weighted(first.to_weighted() & last)
        >>> both == first & last
        True
        """
        small = minimize(WeightedAutomaton.of(automaton).rational())
        start, matrices, column = small.arrays(exact=True)
        met: dict[tuple[Fraction, ...], tuple[int, ...]] = {tuple(start): ()}  # the first word of each row

        def after(row: tuple[Fraction, ...]) -> list[tuple[Fraction, ...]]:
            value = sum(map(mul, row, column))
            if value not in (0, 1):
                word = shown(small.alphabet.decode(met[row]))
                raise InvalidArgument(
                    f"a DFA needs a function whose values are 0 and 1; that of the word {word} is {value}."
                )
            rows = [tuple(np.array(row, dtype=object) @ matrix) for matrix in matrices]
            for symbol, reached in enumerate(rows):
                met.setdefault(reached, (*met[row], symbol))
            return rows

        numbers, steps, _ = closure(tuple(start), after)
        return cls(
            small.alphabet, tuple(steps), 0, frozenset(k for row, k in numbers.items() if sum(map(mul, row, column)))
        )

    def to_automata(self) -> Any:
        """The same automaton as a ``DFA`` of automata-lib (extra ``automata``)."""
        try:
            from automata.fa.dfa import DFA as Automaton  # noqa: N811, PLC0415
        except ImportError:
            raise MissingExtra('export to automata-lib needs it: pip install "cutpoint[automata]".') from None
        symbols: Any = list(self.alphabet)  # its types say str, but it takes any symbol
        return Automaton(
            states=set(range(self.n_states)),
            input_symbols=set(symbols),
            transitions={s: dict(zip(symbols, row, strict=True)) for s, row in enumerate(self.transitions)},
            initial_state=self.initial,
            final_states=set(self.final),
        )

    @classmethod
    def from_automata(cls, automaton: Any) -> DFA:
        """DFA from a DFA or NFA of automata-lib. A transition that it lacks leads to a state that accepts nothing.

        Examples
        --------
        >>> from automata.fa.nfa import NFA
        >>> list(cp.DFA.from_automata(NFA.from_regex("(ab)*|b")).words(4))
        ['', 'b', 'ab', 'abab']
        """
        parts = ("input_symbols", "transitions", "initial_state", "final_states")
        if type(automaton).__name__ == "NFA":
            from automata.fa.dfa import DFA as Automaton  # noqa: N811, PLC0415  # it is installed, or there were no NFA

            automaton = Automaton.from_nfa(automaton)
        if type(automaton).__name__ != "DFA" or any(not hasattr(automaton, part) for part in parts):
            raise InvalidArgument(f"expected a DFA of automata-lib; got {shown(automaton)}.")
        alphabet = Alphabet(sorted(automaton.input_symbols, key=str))
        sink: Any = object()
        numbers, steps, _ = closure(
            automaton.initial_state, lambda s: [automaton.transitions.get(s, {}).get(a, sink) for a in alphabet]
        )
        final = frozenset(number for state, number in numbers.items() if state in automaton.final_states)
        return cls(alphabet, tuple(steps), 0, final)

    def diagram(self, look: Look) -> Diagram:
        """State diagram, as :func:`cutpoint.draw` shows it."""
        nodes = tuple(DiagramNode(str(s), str(s), s in self.final) for s in range(self.n_states))
        arrows = []
        for s, row in enumerate(self.transitions):
            for t in dict.fromkeys(row):
                symbols = [symbol_label(symbol) for symbol, after in zip(self.alphabet, row, strict=True) if after == t]
                arrows.append(Arrow(str(s), str(t), bounded(wrapped(symbols))))
        return Diagram(nodes, (Arrow("start", str(self.initial)),), tuple(arrows), look)

    def _repr_html_(self) -> str:
        few = html.MOST_COLUMNS + 1
        rows = [
            [marked_state(s, s == self.initial, s in self.final), *map(str, row[:few])]
            for s, row in enumerate(self.transitions[: html.MOST_ROWS + 1])
        ]
        small = self.n_states <= MOST_DISPLAYED
        picture = self.diagram(Look()).html(html.summary(self)) if small else ""
        table = html.table([["", *map(label, self.alphabet[:few])], *rows], html.HEAD)
        return html.paragraph(html.summary(self)) + picture + table

    def __repr__(self) -> str:
        sizes = f"{counted(self.n_states, 'state')}, {counted(len(self.alphabet), 'symbol')}"
        return f"<DFA: {sizes}, {len(self.final)} final>"


def closure(
    start: Node,
    successors: Callable[[Node], list[Node]],
    limit: int = sys.maxsize,
    callback: Callable[[int], object] | None = None,
) -> tuple[dict[Node, int], list[tuple[int, ...]], bool]:
    """Nodes that can be reached, numbered breadth first, their successors' numbers, and whether those are all.

    The exploration is given up when more than ``limit`` nodes are met. A callback gets the number of nodes met so far;
    where there is one, Ctrl-C ends the exploration, and so does the answer True.
    """
    numbers = {start: 0}
    steps: list[tuple[int, ...]] = []
    try:
        for node in (queue := [start]):
            after = successors(node)
            for other in after:
                if other not in numbers:
                    if len(numbers) == limit:
                        return numbers, steps, False
                    numbers[other] = len(numbers)
                    queue.append(other)
            steps.append(tuple(numbers[other] for other in after))
            if callback is not None and callback(len(numbers)) is True:
                return numbers, steps, False
    except KeyboardInterrupt:
        if callback is None:
            raise
        return numbers, steps, False
    return numbers, steps, True
