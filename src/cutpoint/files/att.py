"""AT&T text, as OpenFst compiles it: a weighted acceptor with one arc per line, and its tables of symbols.

A run starts in the first state of the file. Where the initial distribution is not all on the first state, an extra
state starts it: its arcs read nothing (``<eps>``) and carry the initial probabilities.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from cutpoint.files.contents import (
    Model,
    Options,
    Weights,
    assembled,
    check_room,
    entries,
    in_floats,
    only_acceptor,
)
from cutpoint.files.source import Source
from cutpoint.files.tokens import Number, number_of, numeral, token
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
    """Arcs of an acceptor, state by state and symbol by symbol, and the tables that number its symbols and states."""
    acceptor = only_acceptor(model, "AT&T text")
    if options.weights == "log":
        acceptor = in_floats(acceptor, options, "AT&T text with logarithms for weights")
    states = [token(state, digits=int) for state in acceptor.states]
    symbols = [token(symbol) for symbol in acceptor.alphabet]
    steps, initial = entries(acceptor)
    lines, extra = [], []
    if initial[0] != 1 or acceptor.initial[1:].any():
        extra = [_start(states)]
        for s in acceptor.initial.nonzero()[0]:
            lines.append(f"{extra[0]}\t{states[s]}\t{EPSILON}\t{_weight(initial[s], options.weights)}")
    for s, a, t in zip(*acceptor.transitions.swapaxes(0, 1).nonzero(), strict=True):
        lines.append(f"{states[s]}\t{states[t]}\t{symbols[a]}\t{_weight(steps[a, s, t], options.weights)}")
    lines += [f"{states[s]}\t{_weight(Fraction(1), options.weights)}" for s in acceptor.final.nonzero()[0]]
    files = {
        "": lines,
        ".syms": [f"{word}\t{code}" for code, word in enumerate([EPSILON, *symbols])],
        ".ssyms": [f"{word}\t{code}" for code, word in enumerate([*states, *extra])],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


class Arc(NamedTuple):
    """A line of the file."""

    before: str
    after: str
    symbol: str
    weight: Number
    line: int


def read(source: Source, options: Options) -> Model:
    """Acceptor of a file; its tables of symbols are not needed."""
    names: dict[str, None] = {}
    arcs: list[Arc] = []
    final: dict[str, int] = {}
    for line, text in source.lines():
        fields = text.split()
        if len(fields) > 4:
            sentence = f"expected at most 4 columns, those of an acceptor; got {len(fields)}."
            raise source.refused(sentence, f"line {line}")
        if fields[0] not in names:
            names[fields[0]] = None
            check_room(source, len(names), 1)
        weight = _number(source, fields[-1], options.weights, line) if len(fields) in (2, 4) else Fraction(1)
        if len(fields) <= 2:
            _add_final(source, final, fields[0], weight, line)
        elif weight != 0:
            arcs.append(Arc(fields[0], fields[1], fields[2], weight, line))
    if not names:
        raise source.refused("expected an arc or a final state; the file is empty.")
    first = next(iter(names))
    initial = _initial(source, first, arcs, final)
    names.update((arc.after, None) for arc in arcs)
    if first not in initial:
        del names[first]
    states = {word: code for code, word in enumerate(names)}
    symbols: dict[str, int] = {}
    steps: dict[tuple[int, int, int], Number] = {}
    for arc in arcs:
        if arc.symbol != EPSILON:
            place = symbols.setdefault(arc.symbol, len(symbols)), states[arc.before], states[arc.after]
            if place in steps:
                raise source.refused("this arc occurs twice.", f"line {arc.line}")
            steps[place] = arc.weight
    acceptor = assembled(
        source,
        options,
        [source.name(word, digits=int) for word in states],
        [source.name(word) for word in symbols],
        steps,
        {states[word]: weight for word, weight in initial.items()},
        [word in final for word in states],
    )
    return Model(acceptor)


def _initial(source: Source, first: str, arcs: list[Arc], final: dict[str, int]) -> dict[str, Number]:
    """Initial distribution: the first state, or where its arcs lead if they read nothing; no others may do so."""
    silent = [arc for arc in arcs if arc.symbol == EPSILON]
    if not silent:
        return {first: Fraction(1)}
    for arc in arcs:
        if (arc.before == first) != (arc.symbol == EPSILON) or arc.after == first:
            raise source.refused(
                f"{EPSILON} can only begin a run: expected it on all arcs of the first state, {shown(first)}, which no "
                "arc enters, and on no other.",
                f"line {arc.line}",
            )
    if first in final:
        raise source.refused("a state whose arcs read nothing cannot be final.", f"line {final[first]}")
    initial = {arc.after: arc.weight for arc in silent}
    if len(initial) < len(silent):
        raise source.refused(f"an arc occurs twice among those of the first state, {shown(first)}.")
    return initial


def _add_final(source: Source, final: dict[str, int], state: str, weight: Number, line: int) -> None:
    if weight not in (0, 1):
        sentence = f"an acceptor's states are final or not; got a weight between, {float(weight):g}."
        raise source.refused(sentence, f"line {line}")
    if state in final:
        raise source.refused(f"the state {shown(state)} is final twice.", f"line {line}")
    if weight:
        final[state] = line


def _start(states: list[str]) -> str:
    """Word for the extra state: the next number, or a word that is not a state's."""
    if all(state.isascii() and state.isdigit() for state in states):
        return str(max(map(int, states)) + 1)
    return next(word for word in (START + "_" * k for k in range(len(states) + 1)) if word not in states)


@lru_cache(maxsize=10_000, typed=True)
def _weight(value: Number, weights: Weights) -> str:
    if weights == "probability":
        return numeral(value)
    weight = EXACT.quantize(EXACT.ln(Decimal(float(value))).copy_negate(), STEP)
    return f"{weight:f}".rstrip("0").rstrip(".") if weight else "0"


def _number(source: Source, text: str, weights: Weights, line: int) -> Number:
    try:
        return _exponential(text) if weights == "log" else number_of(text)
    except ValueError:
        meaning = "minus the logarithm of a probability" if weights == "log" else "a probability"
        raise source.refused(f"expected a weight, {meaning}; got {shown(text)}.", f"line {line}") from None


@lru_cache(maxsize=10_000)
def _exponential(text: str) -> float:
    """Probability of a weight: its exponential, rounded once; exactly 1 or 0 where the weight says so."""
    if text.lower() in _NEVER:
        return 0.0
    if not _WEIGHT.fullmatch(text):
        raise ValueError
    weight = Decimal(text)
    if weight < -1:
        raise ValueError
    return float(EXACT.exp(weight.copy_negate())) if weight < LARGEST_WEIGHT else 0.0
