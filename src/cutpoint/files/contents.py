"""What a file of a model holds: the acceptor or generator, what is kept beside it, and how large it may be."""

import math
from collections.abc import Container, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number
from cutpoint.kernels.sparse_matrices import SparseMatrices, is_worthwhile
from cutpoint.model import Acceptor, Generator
from cutpoint.model.mixtures import AnyMachine
from cutpoint.model.parts import MOST_STATES, rescaling
from cutpoint.model.prediction import Model
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted

Weights = Literal["log", "probability"]

MOST_ENTRIES = 2_000_000  # most transition probabilities, zeros included, of a text file; NPZ holds more
MOST_FRACTIONS = 500_000  # the same where they are exact
MOST_WORK = 2 * 10**14  # bound of the work of adding up the rows of a file: some seconds
LISTED = "DRN", "PRISM", "AT&T text"  # formats that list the moves of a sparse acceptor
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
    if kind in LISTED and machine.is_sparse:
        return
    sizes = len(machine.initial), len(machine.alphabet)
    fault = _too_large(*sizes)
    if not fault and machine.is_exact and len(machine.initial):
        fault = _too_large(*sizes, *machine.numbers().values())
    if fault:
        raise InvalidArgument(f"{kind} cannot hold this {type(machine).__name__.lower()}: {fault}")


def in_floats(machine: AnyMachine, options: Options, kind: str) -> AnyMachine:
    """The machine for formats that have no fractions: an exact one is rounded if that is allowed."""
    if not machine.is_exact:
        return machine
    if not options.rounded:
        keeping = ".drn" if isinstance(machine, Acceptor) and machine.is_sparse else ".json"
        advice = f"Pass {{rounded=True}} to write the nearest floats, or save as {keeping}, which keeps fractions."
        what = f"{kind} holds floats, and this {type(machine).__name__.lower()} is exact."
        raise InvalidArgument(what, advice=advice)
    return machine.replace(**machine.stored_numbers(exact=False))


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
    state_codes = {key: code for code, key in enumerate(states)}
    symbol_codes = {key: code for code, key in enumerate(alphabet)}
    codes = [(state_codes[s], symbol_codes[a], state_codes[t]) for s, a, t in steps]
    columns = np.array(codes, dtype=np.int64).reshape(-1, 3).T
    exact = all(isinstance(value, Fraction) for value in filter(None, steps.values()))
    values = np.array([*steps.values()], dtype=object if exact else np.float64)
    names = dict(enumerate(states.values())), dict(enumerate(alphabet.values()))
    start = {state_codes[state]: value for state, value in initial.items()}
    ends = {code for state, code in state_codes.items() if state in final}
    return assembled_columns(source, options, Places(*names, *columns), values, start, ends, advice)


class Places(NamedTuple):
    """Where the moves of a file lead: names by the numbers that the file has for states and symbols, and columns."""

    states: Mapping[int, Hashable]
    alphabet: Mapping[int, Hashable]
    sources: NDArray[np.int64]
    symbols: NDArray[np.int64]
    targets: NDArray[np.int64]


def assembled_columns(
    source: Source,
    options: Options,
    places: Places,
    values: NDArray[Any],
    initial: Mapping[int, Number],
    final: Container[int],
    advice: str = ADVICE,
) -> Acceptor:
    """Acceptor from columns of moves, by the numbers that a file has for states and symbols.

    It is stored sparse where that is worthwhile, and exact if all numbers are.
    """
    n, m = len(places.states), len(places.alphabet)
    check_states(source, n)
    is_sparse = is_worthwhile(n, m, len(values))
    if not is_sparse:
        check_room(source, n, m)
    exact = values.dtype == object and all(isinstance(value, Fraction) for value in initial.values())
    symbols = _codes(places.alphabet, places.symbols)
    sources, targets = (_codes(places.states, column) for column in (places.sources, places.targets))
    _check_complete(source, places, symbols * n + sources)
    kind = object if exact else np.float64
    matrices = SparseMatrices.from_entries(m, n, symbols, sources, targets, values.astype(kind))
    start = np.full(n, Fraction(0) if exact else 0.0, dtype=kind)
    state_codes = {key: code for code, key in enumerate(places.states)}
    for state, value in initial.items():
        start[state_codes[state]] = value
    ends = np.array([state in final for state in places.states], dtype=np.bool_)
    steps = matrices if is_sparse else matrices.to_dense()
    names = [*places.states.values()], [*places.alphabet.values()]
    return built(source, options, Acceptor, *names, steps, start, ends, advice=advice)


def _check_complete(source: Source, places: Places, rows: NDArray[np.int64]) -> None:
    """Refuse files in which rows are missing, before memory is taken for all that there would have to be."""
    n, m = len(places.states), len(places.alphabet)
    if n * m > max(len(rows), MOST_ENTRIES):
        found = np.unique(rows)
        gaps = np.flatnonzero(found != np.arange(len(found)))
        a, s = divmod(int(gaps[0]) if len(gaps) else len(found), n)
        state, symbol = [*places.states.values()][s], [*places.alphabet.values()][a]
        raise source.refused(f"row of symbol {symbol!r}, state {state!r} must sum to 1; got 0.")


def _codes(names: Mapping[int, Hashable], column: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the numbers of a column among those that have names."""
    known = np.fromiter(names, np.int64, len(names))
    if np.array_equal(known, np.arange(len(known))):
        return column
    order = np.argsort(known)
    return order[np.searchsorted(known[order], column)] if len(column) else column


def check_states(source: Source, n_states: int) -> int:
    """A number of states that a file may have."""
    if n_states > MOST_STATES:
        raise source.too_many("state", MOST_STATES)
    return n_states


def built(source: Source, options: Options, kind: type[AnyMachine], *parts: Any, advice: str = ADVICE) -> AnyMachine:
    """Acceptor or generator from its parts; an error of the machine names the file."""
    states, alphabet, *numbers, _ = parts
    if numbers[0].dtype == object and (fault := _too_large(len(states), len(alphabet), *numbers)):
        raise source.refused(fault)
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
    is_sparse = bool(fractions) and isinstance(fractions[0], SparseMatrices)
    if transitions > most and not is_sparse:
        kind = "exact transition" if fractions else "transition"
        return (
            f"{counted(n_states, 'state')} and {counted(n_symbols, 'symbol')} make {counted(transitions, kind)}, more "
            f"than the {most:,} of a text file; .npz holds more, as floats."
        )
    work = 0
    for row in chain.from_iterable(map(_rows, fractions)):
        common, count = 1, 0
        for value in row:
            if value.denominator > 1:
                common, count = math.lcm(common, value.denominator), count + 1
                if work + count * common.bit_length() ** 2 > MOST_WORK:
                    return "the fractions of its rows have common denominators too long to add them up."
        work += count * common.bit_length() ** 2
    return ""


def _rows(values: Any) -> Iterator[Any]:
    """Rows of fractions, of an array or sparse matrices."""
    if isinstance(values, SparseMatrices):
        return (values.values[first:last] for first, last in pairwise(values.starts.tolist()))
    return iter(values.reshape(-1, values.shape[-1]))
