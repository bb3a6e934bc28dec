"""What a file of a model holds: the acceptor or generator, what is kept beside it, and how large it may be."""

import math
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number
from cutpoint.model import Acceptor, Generator
from cutpoint.model.mixtures import AnyMachine
from cutpoint.model.parts import rescaling
from cutpoint.model.prediction import Model
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted

Weights = Literal["log", "probability"]

MOST_ENTRIES = 2_000_000  # most transition probabilities, zeros included, of a text file; NPZ holds more
MOST_FRACTIONS = 500_000  # the same where they are exact
MOST_WORK = 2 * 10**14  # bound of the work of adding up the rows of a file: some seconds
ADVICE = "Use {normalized=True} to rescale rows."  # what to do about rows of a file that do not sum to 1


@dataclass(frozen=True)
class Options:
    """How a file is written or read: its weights, and whether numbers are rounded, rows rescaled, names left out."""

    weights: Weights = "log"
    rounded: bool = False
    normalized: bool = False
    bare: bool = False


@dataclass(frozen=True)
class SqlNames:
    """Names of the table of events that an exported query reads, and of its columns."""

    table: str = "events"
    id: str = "id"
    order: str = "position"
    event: str = "event"


def fitting(model: Model, kind: str) -> Acceptor:
    """The acceptor of a model if a text file of this kind can hold the model: no generator, and nothing beside it."""
    if isinstance(model.machine, Generator):
        raise InvalidArgument(f"{kind} cannot hold a generator; .json, .npz and .pautomac_model.txt can.")
    check_bare(model, kind)
    check_size(model.acceptor, kind)
    return model.acceptor


def check_bare(model: Model, kind: str) -> None:
    """Refuse what is kept beside a machine, for formats that have no place for it."""
    rule = model.machine.alphabet.on_unknown
    notes = {
        "a cut point": model.cut_point is not None,
        "names of classes": model.classes is not None,
        f"a rule for unknown symbols ({rule!r})": rule != "error",
        "metadata": bool(model.metadata),
        "a law of inputs": model.inputs is not None,
    }
    if any(notes.values()):
        what = next(what for what, is_given in notes.items() if is_given)
        advice = "Leave it out with {bare=True}, or save as one of these."
        raise InvalidArgument(f"{kind} cannot hold {what}; .json and .npz can.", advice=advice)


def check_size(machine: Acceptor | Generator | WeightedAutomaton, kind: str) -> None:
    """Refuse what is too large for a text file."""
    fractions = machine.numbers().values() if machine.is_exact and len(machine.initial) else ()
    if fault := _too_large(len(machine.initial), len(machine.alphabet), *fractions):
        raise InvalidArgument(f"{kind} cannot hold this {type(machine).__name__.lower()}: {fault}")


def in_floats(machine: AnyMachine, options: Options, kind: str) -> AnyMachine:
    """The machine for formats that have no fractions: an exact one is rounded if that is allowed."""
    if not machine.is_exact:
        return machine
    if not options.rounded:
        raise InvalidArgument(
            f"{kind} holds floats, and this {type(machine).__name__.lower()} is exact.",
            advice="Pass {rounded=True} to write the nearest floats, or save as .json, which keeps fractions.",
        )
    return machine.replace(**machine.numbers(exact=False))


def check_room(source: Source, n_states: int, n_symbols: int, *fractions: NDArray[Any]) -> None:
    """Refuse what would take too much memory, or time to add up its fractions."""
    if fault := _too_large(n_states, n_symbols, *fractions):
        raise source.refused(fault)


def assembled(
    source: Source,
    options: Options,
    states: Mapping[Any, Hashable],
    alphabet: Mapping[Any, Hashable],
    steps: Mapping[tuple[Any, Any, Any], Number],
    initial: Mapping[Any, Number],
    final: Container[Any],
    advice: str = ADVICE,
) -> Acceptor:
    """Acceptor from names and transitions, by the keys that a file has for states and symbols.

    A step is state before, symbol, state after. The acceptor is exact if all numbers are; sizes are checked before
    memory is taken.
    """
    check_room(source, len(states), len(alphabet))
    numbers = (*filter(None, steps.values()), *initial.values())
    zero = Fraction(0) if all(isinstance(value, Fraction) for value in numbers) else 0.0
    transitions = np.full((len(alphabet), len(states), len(states)), zero)
    start = np.full(len(states), zero)
    state_codes = {key: code for code, key in enumerate(states)}
    symbol_codes = {key: code for code, key in enumerate(alphabet)}
    for (before, symbol, after), value in steps.items():
        transitions[symbol_codes[symbol], state_codes[before], state_codes[after]] = value
    for state, value in initial.items():
        start[state_codes[state]] = value
    ends = np.array([state in final for state in states], dtype=np.bool_)
    names = [*states.values()], [*alphabet.values()]
    return built(source, options, Acceptor, *names, transitions, start, ends, advice=advice)


def built(source: Source, options: Options, kind: type[AnyMachine], *parts: Any, advice: str = ADVICE) -> AnyMachine:
    """Acceptor or generator from its parts; an error of the machine names the file."""
    states, alphabet, *numbers, _ = parts
    if numbers[0].dtype == object:
        check_room(source, len(states), len(alphabet), *numbers)
    try:
        return kind.normalized(*parts) if options.normalized else kind(*parts)
    except CutpointError as wrong:
        sentence, rescale, _ = str(wrong).partition(rescaling(kind.__name__))
        raise source.refused(sentence.strip(), advice=advice if rescale else "") from None


def _too_large(n_states: int, n_symbols: int, *fractions: NDArray[Any]) -> str:
    """What is too large about an acceptor for a text file, or nothing; fractions are the parts that have them.

    To add up a row of fractions takes the square of its common denominator's length.
    """
    transitions, most = n_symbols * n_states**2, MOST_FRACTIONS if fractions else MOST_ENTRIES
    if transitions > most:
        kind = "exact transition" if fractions else "transition"
        return (
            f"{counted(n_states, 'state')} and {counted(n_symbols, 'symbol')} make {counted(transitions, kind)}, more "
            f"than the {most:,} of a text file; .npz holds more, as floats."
        )
    work = 0
    for row in chain.from_iterable(part.reshape(-1, n_states) for part in fractions):
        common, count = 1, 0
        for value in row:
            if value.denominator > 1:
                common, count = math.lcm(common, value.denominator), count + 1
                if work + count * common.bit_length() ** 2 > MOST_WORK:
                    return "the fractions of its rows have common denominators too long to add them up."
        work += count * common.bit_length() ** 2
    return ""
