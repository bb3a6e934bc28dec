"""AT&T text, as OpenFst compiles it: a weighted acceptor with one arc per line, and its tables of symbols.

A run starts in the first state of the file. Where the initial distribution is not all on the first state, an extra
state without a symbol's arc starts it: its arcs read nothing (``<eps>``) and carry the initial probabilities.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from cutpoint.errors import FormatError
from cutpoint.files.model import Model, Options, in_floats, only_acceptor
from cutpoint.files.numerals import number_of, numeral
from cutpoint.files.source import Source
from cutpoint.files.transitions import Number, assembled, check_room
from cutpoint.files.typed_names import name_of_token, token
from cutpoint.model import Acceptor
from cutpoint.wording import shown

EPSILON = "<eps>"
START = "start"

STEP = Decimal("1e-22")
"""Weights are written to this many places: their exponentials are then nearer to the float meant than to any other."""

EXACT = Context(prec=40)
LARGEST_WEIGHT = 800
"""The exponential of minus this is 0 in floats."""

_WEIGHT = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?")
_NEVER = {"infinity", "inf", "+infinity", "+inf"}


def write(model: Model, options: Options) -> dict[str, bytes]:
    """Arcs of an acceptor, and the tables that number its symbols and its states."""
    acceptor = only_acceptor(model, "AT&T text")
    if options.weights == "log":
        acceptor = in_floats(acceptor, options, "AT&T text with logarithms for weights")
    states = [token(state, digits=int) for state in acceptor.states]
    start = _start(states)
    lines = [*_start_lines(acceptor, start, states, options), *_arc_lines(acceptor, states, options)]
    lines += [f"{states[s]}\t{_weight(Fraction(1), options)}" for s in acceptor.final.nonzero()[0]]
    symbols = [token(symbol) for symbol in acceptor.alphabet]
    files = {
        "": lines,
        ".syms": [f"{word}\t{code}" for code, word in enumerate([EPSILON, *symbols])],
        ".ssyms": [
            f"{word}\t{code}" for code, word in enumerate([*states, *([] if _starts_first(acceptor) else [start])])
        ],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a file; its tables of symbols are not needed."""
    graph = _Graph(source, options)
    for number, line in source.lines():
        graph.add(line.split(), number)
    return Model(graph.acceptor())


@dataclass(frozen=True, slots=True)
class _Arc:
    before: str
    after: str
    symbol: str
    weight: Number
    line: int


class _Graph:
    """States, arcs and final states in the order in which a file names them."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self.states: dict[str, None] = {}
        self.arcs: list[_Arc] = []
        self.final: dict[str, int] = {}

    def add(self, fields: list[str], line: int) -> None:
        """Take in a line."""
        if len(fields) > 4:
            raise self.refused(line, f"expected at most 4 columns, those of an acceptor; got {len(fields)}.")
        if fields[0] not in self.states:
            self.states[fields[0]] = None
            check_room(self.source, len(self.states), 1, exact=False)
        weight = self._number(fields[-1], line) if len(fields) in (2, 4) else Fraction(1)
        if len(fields) <= 2:
            self._end(fields[0], weight, line)
        elif weight != 0:
            self.arcs.append(_Arc(fields[0], fields[1], fields[2], weight, line))

    def acceptor(self) -> Acceptor:
        """Acceptor of the lines."""
        if not self.states:
            raise self.source.refused("expected an arc or a final state; the file is empty.")
        first = next(iter(self.states))
        silent = [arc for arc in self.arcs if arc.symbol == EPSILON]
        initial = {first: Fraction(1)} if not silent else self._distribution(first, silent)
        for arc in self.arcs:
            self.states.setdefault(arc.after)
        if silent:
            del self.states[first]
        states = {word: code for code, word in enumerate(self.states)}
        symbols: dict[str, int] = {}
        steps: dict[tuple[int, int, int], Number] = {}
        for arc in self.arcs:
            if arc.symbol != EPSILON:
                place = symbols.setdefault(arc.symbol, len(symbols)), states[arc.before], states[arc.after]
                if place in steps:
                    raise self.refused(arc.line, "this arc occurs twice.")
                steps[place] = arc.weight
        return assembled(
            self.source,
            self.options,
            [self._name(word, digits=int) for word in states],
            [self._name(word, digits=str) for word in symbols],
            steps,
            {states[word]: weight for word, weight in initial.items()},
            [word in self.final for word in states],
        )

    def refused(self, line: int, sentence: str) -> FormatError:
        return self.source.refused(sentence, f"line {line}")

    def _distribution(self, first: str, silent: list[_Arc]) -> dict[str, Number]:
        """Initial distribution, from the arcs that read nothing: only the first state may have them."""
        for arc in self.arcs:
            if (arc.before == first) != (arc.symbol == EPSILON) or arc.after == first:
                raise self.refused(
                    arc.line,
                    f"{EPSILON} can only begin a run: expected it on all arcs of the first state, {shown(first)}, "
                    "which no arc enters, and on no other.",
                )
        if first in self.final:
            raise self.refused(self.final[first], "a state whose arcs read nothing cannot be final.")
        initial = {arc.after: arc.weight for arc in silent}
        if len(initial) < len(silent):
            raise self.source.refused(f"an arc occurs twice among those of the first state, {shown(first)}.")
        return initial

    def _end(self, state: str, weight: Number, line: int) -> None:
        if weight not in (0, 1):
            raise self.refused(line, f"an acceptor's states are final or not; got a weight between, {float(weight):g}.")
        if state in self.final:
            raise self.refused(line, f"the state {shown(state)} is final twice.")
        if weight:
            self.final[state] = line

    def _number(self, text: str, line: int) -> Number:
        try:
            return _probability(text) if self.options.weights == "log" else number_of(text)
        except ValueError:
            meaning = "minus the logarithm of a probability" if self.options.weights == "log" else "a probability"
            raise self.refused(line, f"expected a weight, {meaning}; got {shown(text)}.") from None

    def _name(self, word: str, digits: type) -> Hashable:
        try:
            return name_of_token(word, digits)
        except ValueError:
            raise self.source.refused(f"{shown(word)} cannot be read as a name.") from None


def _starts_first(acceptor: Acceptor) -> bool:
    return bool(acceptor.initial[0] == 1.0 and not acceptor.initial[1:].any())


def _are_numbers(states: list[str]) -> bool:
    return all(state.isascii() and state.isdigit() for state in states)


def _start(states: list[str]) -> str:
    """Word for the state that is put in front: the next number, or a word that is not a state's."""
    if _are_numbers(states):
        return str(max(map(int, states)) + 1)
    return next(word for word in (START + "_" * k for k in range(len(states) + 1)) if word not in states)


def _start_lines(acceptor: Acceptor, start: str, states: list[str], options: Options) -> Iterator[str]:
    if not _starts_first(acceptor):
        row = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
        for s in acceptor.initial.nonzero()[0]:
            yield f"{start}\t{states[s]}\t{EPSILON}\t{_weight(row[s], options)}"


def _arc_lines(acceptor: Acceptor, states: list[str], options: Options) -> Iterator[str]:
    """Arcs state by state, symbol by symbol: the order in which names first appear is that of the acceptor."""
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    symbols = [token(symbol) for symbol in acceptor.alphabet]
    for s, a, t in zip(*acceptor.transitions.swapaxes(0, 1).nonzero(), strict=True):
        yield f"{states[s]}\t{states[t]}\t{symbols[a]}\t{_weight(steps[a, s, t], options)}"


@lru_cache(maxsize=10_000, typed=True)
def _weight(value: Number, options: Options) -> str:
    if options.weights == "probability":
        return numeral(value)
    weight = EXACT.quantize(EXACT.ln(Decimal(float(value))).copy_negate(), STEP)
    return f"{weight:f}".rstrip("0").rstrip(".") if weight else "0"


@lru_cache(maxsize=10_000)
def _probability(text: str) -> Number:
    """Probability of a weight: its exponential, rounded once; exactly 1 or 0 where the weight says so."""
    if text.lower() in _NEVER:
        return 0.0
    if not _WEIGHT.fullmatch(text):
        raise ValueError
    weight = Decimal(text)
    if weight < -1:
        raise ValueError
    return float(EXACT.exp(weight.copy_negate())) if weight < LARGEST_WEIGHT else 0.0
