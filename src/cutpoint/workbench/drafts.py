"""Drafts: machines as the page sends them, read by the package, and every fault of one that is no machine."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
from typing import Any

import msgspec
import numpy as np

from cutpoint.data import Alphabet
from cutpoint.diagrams.diagram import label
from cutpoint.errors import CutpointError, InvalidArgument, TooLarge
from cutpoint.exact import entry
from cutpoint.files.contents import Options
from cutpoint.files.json import VERSION, content, keys, model_of_document
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, name_of, numeral
from cutpoint.model import Acceptor, Generator, parts
from cutpoint.model.generator import state_faults
from cutpoint.model.parts import Fault, States
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown
from cutpoint.workbench.messages import Checked, Draft, Entry, Machine, Problem

MOST_PROBLEMS = 100  # most problems that are listed
MOST_ENTRIES = 500_000  # most transitions of a machine, zeros counted
MOST_KNOWN = 64  # most drafts that are known by their digests
BESIDE = ("unknown", "cut_point", "classes", "labels", "metadata", "inputs")  # what a file keeps beside a machine
WHERE = Source("the machine", "")

_known: OrderedDict[str, bytes] = OrderedDict()
_lock = Lock()


class UnknownDigest(CutpointError, KeyError):
    """A machine is named by a digest that is not known here, or no longer."""


def model_of(machine: Machine, normalized: bool = False) -> Model:
    """Model of a draft, or of the digest of one that was checked before."""
    return _model(_text(machine), normalized)


def acceptor_of(machine: Machine) -> Acceptor:
    """The same, which must be an acceptor."""
    return model_of(machine).acceptor


def draft_of(model: Model) -> Draft:
    """Draft of a model; a larger one, such as many that are sparse, would be too much for a page."""
    machine = model.machine
    n, k = machine.n_states, machine.n_symbols
    if k * n * n > MOST_ENTRIES:
        size = f"{counted(n, 'state')} and {counted(k, 'symbol')}, which make {k * n * n:,}"
        advice = "Work with it in Python, by cp.load, or make it smaller first: cp.trim, cp.quotient."
        raise TooLarge(f"the workbench shows at most {MOST_ENTRIES:,} transitions; this has {size}.", advice=advice)
    raw = content(model)
    beside = msgspec.json.decode(msgspec.json.encode({key: raw[key] for key in BESIDE if key in raw}, enc_hook=_plain))
    return Draft(
        kind=raw["cutpoint"]["format"],
        states=raw["states"],
        symbols=raw["alphabet"],
        transitions=[[_entries(row) for row in matrix] for matrix in raw["transitions"].values()],
        initial=_entries(raw["initial"]),
        final=machine.final.tolist(),
        stop=_entries(raw["stop"]) if "stop" in raw else None,
        beside=beside,
    )


def checked(machine: Machine, normalized: bool = False, rationalized: bool = False) -> Checked:
    """A draft looked through: all its problems; or the machine in floats, and the digest by which it is then known."""
    draft = machine if isinstance(machine, Draft) else msgspec.json.decode(_text(machine), type=Draft)
    faults = [] if normalized else problems(draft)
    if faults:
        return Checked(problems=faults[:MOST_PROBLEMS])
    try:
        model = model_of(draft, normalized)
    except CutpointError as wrong:
        return Checked(problems=[Problem(part="machine", sentence=_sentence(wrong))])
    return answer_for(model.machine.rationalized().model if rationalized else model)


def answer_for(model: Model) -> Checked:
    """What the page is told of a model."""
    found, draft = model.machine, draft_of(model)
    return Checked(
        digest=_remembered(msgspec.json.encode(draft)),
        draft=draft,
        exact=found.is_exact,
        summary=repr(found),
        state_labels=[label(state) for state in found.states],
        symbol_labels=[label(symbol) for symbol in found.alphabet],
        transitions=found.transitions.tolist(),
        initial=found.initial.tolist(),
        stop=found.stop.tolist() if isinstance(found, Generator) else None,
        cut_point=None if model.cut_point is None else numeral(model.cut_point),
    )


def problems(draft: Draft) -> list[Problem]:
    """Why a draft is no machine, in the package's own sentences, each with its place; empty if nothing is wrong."""
    found = [*_names(draft.states, "states", States), *_names(draft.symbols, "symbols", Alphabet), *_shapes(draft)]
    if found:
        return found
    numbers: dict[str, Any] = {"transitions": draft.transitions, "initial": draft.initial}
    if draft.kind == "generator":
        numbers["stop"] = draft.stop
    found = [problem for part, values in numbers.items() for problem in _misprints(part, values)]
    return found or list(_faults(draft, numbers))


def _names(values: list[Any], part: str, kind: type[States] | type[Alphabet]) -> Iterator[Problem]:
    try:
        kind([name_of(value) for value in values])
    except CutpointError as wrong:
        yield Problem(part=part, sentence=str(wrong))
    except ValueError:
        what = "a name must be text, a number, true, false, or a list of them"
        yield Problem(part=part, sentence=f"{what}; got {shown(values)}.")


def _shapes(draft: Draft) -> Iterator[Problem]:
    n, k = len(draft.states), len(draft.symbols)
    if not k:
        yield Problem(part="symbols", sentence="at least one symbol is needed; the alphabet is empty.")
    if draft.kind not in ("acceptor", "generator"):
        yield Problem(part="kind", sentence=f"kind must be acceptor or generator; got {shown(draft.kind)}.")
    sizes = {"initial": len(draft.initial), "final": len(draft.final)}
    if draft.kind == "generator":
        sizes["stop"] = len(draft.stop or ())
    for part, size in sizes.items():
        if size != n:
            yield Problem(part=part, sentence=f"{part} must have {counted(n, 'number')}, one per state; got {size:,}.")
    if len(draft.transitions) != k or any(len(m) != n or any(len(row) != n for row in m) for m in draft.transitions):
        what = f"transitions must have shape {(k, n, n)}: one square matrix per symbol"
        yield Problem(part="transitions", sentence=f"{what}; got another.")


def _misprints(part: str, values: Any) -> Iterator[Problem]:
    """Entries that are no numbers."""
    for place, value in np.ndenumerate(np.array(values, dtype=object)):
        try:
            entry(value)
        except InvalidArgument as wrong:
            yield _problem(part, Fault(place, str(wrong)))


def _faults(draft: Draft, given: dict[str, Any]) -> Iterator[Problem]:
    """Entries that are no probabilities, and rows that do not sum to 1."""
    states, symbols = (States(map(name_of, draft.states)), Alphabet(map(name_of, draft.symbols)))
    read = {part: parts.read_array(v, np.shape(np.array(v, dtype=object)), part, "") for part, v in given.items()}
    if any(array.dtype != object for array in read.values()):
        read = {part: array.astype(np.float64) for part, array in read.items()}
    for fault in parts.row_faults(read["initial"], symbols, states, draft.kind.title()):
        yield _problem("initial", fault)
    steps = read["transitions"]
    if draft.kind == "acceptor":
        for fault in parts.row_faults(steps, symbols, states):
            yield _problem("transitions", fault)
        return
    entries = [_problem("transitions", fault) for fault in parts.entry_faults(steps, symbols, states)]
    entries += [_problem("stop", fault) for fault in parts.entry_faults(read["stop"], symbols, states, "stop")]
    yield from entries or (
        Problem(part="transitions", state=fault.place[0], sentence=fault.sentence)
        for fault in state_faults(steps, read["stop"], states)
    )


def _problem(part: str, fault: Fault) -> Problem:
    """A fault of the transitions ``[symbol, state, column]`` or of a vector ``[state]``, or of a row of these."""
    place = dict(zip(("symbol", "state", "column") if part == "transitions" else ("state",), fault.place, strict=False))
    return Problem(part=part, sentence=fault.sentence, **place)


def _text(machine: Machine) -> bytes:
    """JSON of a draft, given itself or by its digest."""
    if isinstance(machine, Draft):
        return msgspec.json.encode(machine)
    with _lock:
        if machine not in _known:
            raise UnknownDigest("this machine is not known here, or no longer. Send it again.")
        _known.move_to_end(machine)
        return _known[machine]


def _remembered(text: bytes) -> str:
    digest = hashlib.sha256(text).hexdigest()
    with _lock:
        _known[digest] = text
        while len(_known) > MOST_KNOWN:
            _known.popitem(last=False)
    return digest


@lru_cache(maxsize=MOST_KNOWN)
def _model(text: bytes, normalized: bool) -> Model:
    draft = msgspec.json.decode(text, type=Draft)
    if unknown := draft.beside.keys() - set(BESIDE):
        raise InvalidArgument(f"beside a machine can be {', '.join(BESIDE)}; got {shown(min(unknown))}.")
    if found := [*_names(draft.symbols, "symbols", Alphabet), *_shapes(draft)]:
        raise InvalidArgument(found[0].sentence)
    symbols = [name_of(symbol) for symbol in draft.symbols]
    raw = {
        "cutpoint": {"format": draft.kind, "version": VERSION},
        "states": draft.states,
        "alphabet": draft.symbols,
        "initial": draft.initial,
        "final": [state for state, kept in zip(draft.states, draft.final, strict=True) if kept],
        "transitions": dict(zip(keys(symbols), draft.transitions, strict=True)),
        **({} if draft.stop is None else {"stop": draft.stop}),
        **draft.beside,
    }
    return model_of_document(WHERE, raw, Options(normalized=normalized))


def _entries(row: list[Number]) -> list[Entry]:
    """Numbers of a row: fractions as text, floats as they are."""
    return [value if isinstance(value, float) else numeral(value) for value in row]


def _plain(value: Any) -> str:
    """A fraction beside a machine, such as its cut point, as text."""
    return numeral(value)


def _sentence(wrong: CutpointError) -> str:
    return str(wrong).removeprefix(f"{WHERE.path}: ")
