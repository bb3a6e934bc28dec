"""AT&T text, as OpenFst compiles it: a weighted acceptor with one arc per line, and its tables of symbols.

A run starts in the first state of the file. Where the initial distribution is not all on the first state, an extra
state starts it: its arcs read nothing (``<eps>``) and carry the initial probabilities.
"""

import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from cutpoint.files.contents import Options, Weights, assembled, fitting, in_floats
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, number_of, numeral, token, unused
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.model.prediction import Model
from cutpoint.wording import shown

EPSILON = "<eps>"

STEP = Decimal("1e-22")
"""Weights are written to this many places: their exponentials are then nearer to the float meant than to any other."""

EXACT = Context(prec=40)
LARGEST_WEIGHT = 800  # the exponential of minus this is 0 in floats

_WEIGHT = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})(e[+-]?[0-9]{1,3})?|\+?inf(inity)?", re.I | re.A)

Step = tuple[str, str, str]  # state, symbol and next state of an arc, as words of the file


def write(model: Model, options: Options) -> dict[str, bytes]:
    """Arcs of an acceptor, state by state and symbol by symbol, and the tables that number its symbols and states."""
    acceptor = fitting(model, "AT&T text")
    if options.weights == "log":
        acceptor = in_floats(acceptor, options, "AT&T text with logarithms for weights")
    states = [token(state, digits=int) for state in acceptor.states]
    symbols = [token(symbol) for symbol in acceptor.alphabet]
    steps, initial = acceptor.stored_numbers().values()
    moves = steps if isinstance(steps, SparseMatrices) else SparseMatrices.from_dense(steps)
    lines, extra = [], []
    if initial[0] != 1 or acceptor.initial[1:].any():
        extra = [_start(states)]
        for s in acceptor.initial.nonzero()[0]:
            lines.append(f"{extra[0]}\t{states[s]}\t{EPSILON}\t{_weight(initial[s], options.weights)}")
    codes, before, after, values = moves.entries()
    for k in np.argsort(before, kind="stable").tolist():
        arc = f"{states[before[k]]}\t{states[after[k]]}\t{symbols[codes[k]]}"
        lines.append(f"{arc}\t{_weight(values[k], options.weights)}")
    lines += [f"{states[s]}\t{_weight(Fraction(1), options.weights)}" for s in acceptor.final.nonzero()[0]]
    files = {
        "": lines,
        ".syms": [f"{word}\t{code}" for code, word in enumerate([EPSILON, *symbols])],
        ".ssyms": [f"{word}\t{code}" for code, word in enumerate([*states, *extra])],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a file; its tables of symbols are not needed."""
    names: dict[str, None] = {}
    steps: dict[Step, Number] = {}
    places: dict[Step, str] = {}
    final: dict[str, str] = {}
    for place, line in source.lines():
        fields = line.split()
        if len(fields) > 4:
            raise source.refused(f"expected at most 4 columns, those of an acceptor; got {len(fields)}.", place)
        if fields[0] not in names:
            names[fields[0]] = None
        weight = _number(source, fields[-1], options.weights, place) if len(fields) in (2, 4) else Fraction(1)
        if len(fields) > 2 and weight != 0:
            step = fields[0], fields[2], fields[1]
            if step in steps:
                raise source.refused("this arc occurs twice.", place)
            steps[step], places[step] = weight, place
        elif len(fields) <= 2:
            if weight not in (0, 1):
                sentence = f"an acceptor's states are final or not; got a weight between, {float(weight):g}."
                raise source.refused(sentence, place)
            if fields[0] in final:
                raise source.refused(f"the state {shown(fields[0])} is final twice.", place)
            if weight:
                final[fields[0]] = place
    if not names:
        raise source.refused("expected an arc or a final state; the file is empty.")
    first = next(iter(names))
    initial: dict[str, Number] = {step[2]: weight for step, weight in steps.items() if step[1] == EPSILON}
    if initial:
        _check_silent(source, first, places, final)
        del names[first]
        steps = {step: weight for step, weight in steps.items() if step[1] != EPSILON}
    names.update(dict.fromkeys(after for _, _, after in places))
    states = {word: source.name(word, digits=int) for word in names}
    symbols = {word: source.name(word) for _, word, _ in steps}
    return Model(assembled(source, options, states, symbols, steps, initial or {first: Fraction(1)}, final))


def _check_silent(source: Source, first: str, places: dict[Step, str], final: dict[str, str]) -> None:
    """Refuse arcs that read nothing anywhere but in front of all others."""
    for (before, symbol, after), place in places.items():
        if (before == first) != (symbol == EPSILON) or after == first:
            raise source.refused(
                f"{EPSILON} can only begin a run: expected it on all arcs of the first state, {shown(first)}, which no "
                "arc enters, and on no other.",
                place,
            )
    if first in final:
        raise source.refused("a state whose arcs read nothing cannot be final.", final[first])


def _start(states: list[str]) -> str:
    """Word for the extra state: the next number, or a word that is not a state's."""
    if all(state.isascii() and state.isdigit() for state in states):
        return str(max(map(int, states)) + 1)
    return unused("start", states)


@lru_cache(maxsize=10_000, typed=True)
def _weight(value: Number, weights: Weights) -> str:
    if weights == "probability":
        return numeral(value)
    weight = EXACT.quantize(EXACT.ln(Decimal(float(value))).copy_negate(), STEP)
    return f"{weight:f}".rstrip("0").rstrip(".") if weight else "0"


def _number(source: Source, text: str, weights: Weights, place: str) -> Number:
    try:
        return _exponential(text) if weights == "log" else number_of(text)
    except ValueError:
        meaning = "minus the logarithm of a probability" if weights == "log" else "a probability"
        raise source.refused(f"expected a weight, {meaning}; got {shown(text)}.", place) from None


@lru_cache(maxsize=10_000)
def _exponential(text: str) -> float:
    """Probability of a weight: its exponential, rounded once; exactly 1 or 0 where the weight says so."""
    if not _WEIGHT.fullmatch(text) or (weight := Decimal(text)) < -1:
        raise ValueError
    return float(EXACT.exp(weight.copy_negate())) if weight < LARGEST_WEIGHT else 0.0
