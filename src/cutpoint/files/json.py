"""Own JSON: acceptors, generators and weighted automata, exactly, a cut point and notes beside, and a digest of it all.

Strict: no duplicate keys, no NaN, nothing unknown. The standard reader gives plain values, ``msgspec`` turns them into
typed records, and every error names its place.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from cutpoint.data import Alphabet
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.exact import entry
from cutpoint.files.contents import Options, built, check_room, check_size
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, distinct_keys, json_value, name_of, numeral
from cutpoint.model import Acceptor, Generator
from cutpoint.model.parts import States
from cutpoint.model.prediction import Model
from cutpoint.model.text import number
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted, listed, shown

WEIGHTED = "weighted automaton"  # the format of a weighted automaton, which has no states with names and no model
FORMATS: dict[str, type[Acceptor] | type[Generator]] = {"acceptor": Acceptor, "generator": Generator}
VERSION = 1

MOST_VALUES = 2_500_000
"""Most values of a document: each takes tens of bytes of memory for as little as one byte of text."""

LONGEST_NUMBER = 8600  # characters of the longest number in quotes: two integers of as many digits as Python reads

LARGEST, SMALLEST = 1e300, 5e-324
"""Numbers beyond have no use, and "1e-9999" would take a thousand times the memory of its text."""

Entry = int | float | str
Record = TypeVar("Record")
Collected = TypeVar("Collected")

_QUOTED = re.compile(r"`([^`]*)`")
_KINDS = {
    "int | float | str": 'a finite number or a string such as "1/3"',
    "array": "a list",
    "bool": "true or false",
    "bool | null": "true, false or null",
    "float": "a number",
    "int": "a whole number",
    "object": "an object",
    "str": "a string",
}
_WORD = re.compile(r"\w+")


class FileKind(msgspec.Struct, forbid_unknown_fields=True):
    """What kind of file a document is."""

    format: str
    version: int


class Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What JSON and NPZ say of a model beside its numbers."""

    cutpoint: FileKind
    states: list[Any]
    alphabet: list[Any]
    unknown: str = "error"
    cut_point: Entry | UnsetType = UNSET
    classes: list[Any] | None = None
    labels: list[Any] | None = None
    metadata: dict[str, Any] = {}
    inputs: dict[str, Any] | None = None
    digest: str | UnsetType = UNSET


Head = TypeVar("Head", bound=Header)


class Document(Header, forbid_unknown_fields=True, kw_only=True):
    """The members of a JSON file."""

    initial: list[Entry]
    stop: list[Entry] | UnsetType = UNSET
    final: list[Any]
    transitions: dict[str, Any]


class WeightedDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The members of a JSON file of a weighted automaton."""

    cutpoint: FileKind
    alphabet: list[Any]
    unknown: str = "error"
    initial: list[Entry]
    final: list[Entry]
    transitions: dict[str, Any]
    digest: str | UnsetType = UNSET


def write(model: Model | WeightedAutomaton, _: Options) -> dict[str, bytes]:
    """File of a model."""
    raw = content(model) if isinstance(model, Model) else _weighted_content(model)
    return {"": checked_length(_laid_out(raw | {"digest": digest(raw)}) + "\n").encode()}


def content(model: Model) -> dict[str, Any]:
    """Members of the file of a model, without the digest."""
    machine = model.machine
    check_size(machine, "JSON")
    steps, start, *stop = machine.numbers().values()
    return header(
        model,
        initial=start.tolist(),
        **({"stop": stop[0].tolist()} if stop else {}),
        final=[json_value(state) for state in machine.final_states],
        transitions=dict(zip(keys(machine.alphabet), steps.tolist(), strict=True)),
    )


def _weighted_content(automaton: WeightedAutomaton) -> dict[str, Any]:
    check_size(automaton, "JSON")
    for values in automaton.arrays():
        for value in values[(values != 0) & ((abs(values) < SMALLEST) | (abs(values) > LARGEST))]:
            raise InvalidArgument(f"JSON keeps weights from {SMALLEST:g} to {LARGEST:g}; got {number(value)}.")
    rule = automaton.alphabet.on_unknown
    return {
        "cutpoint": {"format": WEIGHTED, "version": VERSION},
        "alphabet": [json_value(symbol) for symbol in automaton.alphabet],
        **({} if rule == "error" else {"unknown": rule}),
        "initial": automaton.arrays()[0].tolist(),
        "final": automaton.arrays()[2].tolist(),
        "transitions": dict(zip(keys(automaton.alphabet), automaton.arrays()[1].tolist(), strict=True)),
    }


def read(source: Source, options: Options) -> Model | WeightedAutomaton:
    """Model, or weighted automaton, of a file."""
    raw = document(source, source.text())
    if isinstance(kind := raw.get("cutpoint"), dict) and kind.get("format") == WEIGHTED:
        return _weighted(source, raw)
    return model_of_document(source, raw, options)


def model_of_document(source: Source, raw: dict[str, Any], options: Options) -> Model:
    """Model of a document in plain values."""
    machine, found = _machine(source, raw, options)
    return with_notes(source, options, machine, found, digest(raw))


def _machine(source: Source, raw: dict[str, Any], options: Options) -> tuple[Acceptor | Generator, Document]:
    """Acceptor or generator of a document, and its record."""
    found, states, alphabet = parsed(source, raw, Document)
    vectors = {"initial": found.initial} | ({} if found.stop is UNSET else {"stop": found.stop})
    if len(found.initial) != len(states):
        raise source.refused(f"expected {counted(len(states), 'number')}; got {len(found.initial):,}.", "initial")
    steps, columns = _arrays(source, found.transitions, alphabet, **vectors)
    final = names(source, found.final, "final", list)
    if len(set(final)) < len(final):
        raise source.refused("expected every state at most once.", "final")
    machine = built(source, options, FORMATS[found.cutpoint.format], states, alphabet, steps, *columns, set(final))
    return machine, found


def _weighted(source: Source, raw: dict[str, Any]) -> WeightedAutomaton:
    """Weighted automaton of a document."""
    _check_version(source, record(source, raw["cutpoint"], FileKind, "cutpoint"), (WEIGHTED,))
    found = record(source, raw, WeightedDocument)
    alphabet = _alphabet(source, found.alphabet, found.unknown)
    steps, vectors = _arrays(source, found.transitions, alphabet, initial=found.initial, final=found.final)
    _check_digest(source, found.digest, digest(raw))
    try:
        return WeightedAutomaton(alphabet, vectors[0], steps, vectors[1])
    except CutpointError as wrong:
        raise source.refused(str(wrong)) from None


def _arrays(
    source: Source, transitions: dict[str, Any], alphabet: Alphabet, **vectors: list[Entry]
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Transitions and vectors, the first of which says how many states there are: all fractions, or all floats."""
    n, symbols = len(next(iter(vectors.values()))), keys(alphabet)
    check_room(source, n, len(alphabet))
    for key in symbols:
        if key not in transitions:
            raise source.refused(f"expected the key {key!r}, which is missing.", "transitions")
    for key in transitions.keys() - set(symbols):
        raise source.refused(f"expected keys out of {listed(symbols, limit=20)}; got {shown(key)}.", "transitions")
    rows = [row for key in symbols for row in _matrix(source, transitions[key], n, key)]
    read = [_numbers(source, values, n, name) for name, values in vectors.items()]
    kind = float if any(isinstance(value, float) for row in (*rows, *read) for value in row) else object
    steps = np.array(rows, dtype=kind).reshape(len(alphabet), n, n)
    return steps, [np.array(vector, dtype=kind) for vector in read]


def document(source: Source, text: str) -> dict[str, Any]:
    """JSON object in plain values; syntax errors name line and column, and too many values take no memory."""
    if has_many_values(text):
        raise source.too_many("value", MOST_VALUES)
    try:
        raw = json.loads(text, object_pairs_hook=distinct_keys, parse_int=_integer)
    except json.JSONDecodeError as wrong:
        place = f"line {wrong.lineno}, column {wrong.colno}"
        raise source.refused(f"this is not JSON ({wrong.msg}). Is the file whole?", place) from None
    except KeyError as repeated:
        raise source.refused(f"the key {shown(repeated.args[0])} occurs twice in an object.") from None
    except RecursionError:
        raise source.refused("the lists are nested too deeply.") from None
    return record(source, raw, dict[str, Any])


def record(source: Source, raw: object, kind: type[Record], place: str = "") -> Record:
    """Value of a type, from plain values; what does not fit is refused with its place."""
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, UnicodeError) as wrong:
        sentence, _, path = str(wrong).partition(" - at `$")
        where = place + path.removesuffix("`")
        raise source.refused(_sentence(sentence, kind), where.removeprefix(".")) from None


def parsed(
    source: Source, raw: dict[str, Any], kind: type[Head], version: int = VERSION
) -> tuple[Head, States, Alphabet]:
    """Record and names of a model's document; another kind of file or a later version is refused first."""
    if "cutpoint" not in raw:
        raise source.refused('expected the key "cutpoint": this is not a model of cutpoint.')
    head = record(source, raw["cutpoint"], FileKind, "cutpoint")
    _check_version(source, head, FORMATS, version)
    found = record(source, raw, kind)
    if "stop" in found.__struct_fields__ and ("stop" in raw) != (head.format == "generator"):
        raise source.refused(f"expected the key 'stop' of a generator, and only there; the format is {head.format}.")
    states = names(source, found.states, "states", States)
    return found, states, _alphabet(source, found.alphabet, found.unknown)


def _check_version(source: Source, head: FileKind, formats: Collection[str], last: int = VERSION) -> None:
    """Refuse another kind of file, or a later version."""
    versions = range(VERSION, last + 1)
    if head.format not in formats or head.version not in versions:
        kinds, numbers = " or ".join(map(repr, formats)), " or ".join(map(str, versions))
        known = f"{kinds} of version {numbers}, all that this cutpoint reads"
        found = f"{shown(head.format)} of version {shown(head.version)}"
        raise source.refused(f"expected {known} (install a newer one); got {found}.", "cutpoint")


def _alphabet(source: Source, symbols: list[Any], unknown: str) -> Alphabet:
    """Alphabet with its rule for unknown symbols."""
    alphabet = names(source, symbols, "alphabet", Alphabet)
    try:
        return Alphabet(alphabet, unknown)  # type: ignore[arg-type]  # refused if it is none
    except CutpointError as wrong:
        raise source.refused(wrong.what, "unknown") from None


def header(model: Model, **numbers: Any) -> dict[str, Any]:
    """What a file says of a model in JSON: its format, its names, numbers, and what is kept beside it."""
    found = {
        "cutpoint": {"format": type(model.machine).__name__.lower(), "version": VERSION},
        "states": [json_value(state) for state in model.machine.states],
        "alphabet": [json_value(symbol) for symbol in model.machine.alphabet],
        **numbers,
    }
    beside = {
        "unknown": None if model.machine.alphabet.on_unknown == "error" else model.machine.alphabet.on_unknown,
        "cut_point": model.cut_point,
        "classes": model.classes,
        "labels": model.labels,
        "metadata": dict(model.metadata) or None,
        "inputs": None if model.inputs is None else content(Model(model.inputs)),
    }
    return found | {key: value for key, value in beside.items() if value is not None}


def with_notes(
    source: Source, options: Options, machine: Acceptor | Generator, found: Header, content_digest: str
) -> Model:
    """Model of a machine and what the file keeps beside it; one without a digest was written by hand."""
    cut_point = None if found.cut_point is UNSET else _number(source, found.cut_point, "cut_point")
    inputs = None if found.inputs is None else _inputs(replace(source, member="inputs"), found.inputs, options)
    try:
        model = Model(machine, cut_point, found.metadata, found.classes, found.labels, inputs)
    except CutpointError as wrong:
        place = wrong.argument or ("metadata" if str(wrong).startswith("metadata") else "cut_point")
        raise source.refused(wrong.what, place) from None
    _check_digest(source, found.digest, content_digest)
    return model


def _check_digest(source: Source, given: str | UnsetType, content_digest: str) -> None:
    """Refuse a file whose digest is not that of its content."""
    if given not in (UNSET, content_digest):
        raise source.refused(
            "the file is damaged (its content does not match its digest). Use another copy; if the file was edited by "
            "hand, delete the line of its digest.",
            "digest",
        )


def _inputs(source: Source, raw: dict[str, Any], options: Options) -> Any:
    """Law of inputs, a generator with nothing beside it; that it is a generator is up to the model."""
    machine, _ = _machine(source, raw, options)
    for key in raw.keys() - content(Model(machine)).keys():
        raise source.refused(f"expected a generator with nothing beside it; got {shown(key)}.")
    return machine


def names(source: Source, values: list[Any], place: str, kind: Callable[[list[Hashable]], Collected]) -> Collected:
    """Names from a list of JSON values, as a collection; those that cannot be are refused with their place."""
    found: list[Hashable] = []
    for i, value in enumerate(values):
        try:
            found.append(name_of(value))
        except ValueError:
            known = "a name (text, a number, true, false, or a list of them)"
            raise source.refused(f"expected {known}; got {shown(value)}.", f"{place}[{i}]") from None
    try:
        return kind(found)
    except CutpointError as wrong:
        raise source.refused(str(wrong), place) from None


def checked_length(text: str) -> str:
    """The same text if it can be read again."""
    if has_many_values(text):
        raise InvalidArgument(
            f"a file can keep a model of {MOST_VALUES:,} values in JSON, names included; it has more."
        )
    return text


def has_many_values(text: str) -> bool:
    """Whether a document has more values than are read; each but the first begins behind one of three signs."""
    return sum(map(text.count, ",[{")) > MOST_VALUES


def canonical(raw: Any) -> bytes:
    """The same bytes for every JSON text of the same values."""
    return json.dumps(raw, sort_keys=True, separators=(",", ":"), default=_fraction).encode()


def digest(raw: dict[str, Any], arrays: Iterable[NDArray[Any]] = ()) -> str:
    """Digest of the values of a document, its own digest aside, and of arrays that belong to it."""
    found = hashlib.sha256(canonical({key: value for key, value in raw.items() if key != "digest"}))
    for array in arrays:
        found.update(array.tobytes())
    return f"sha256:{found.hexdigest()}"


def keys(alphabet: Iterable[Any]) -> list[str]:
    """Key of each symbol's matrix: text as it is, other symbols as JSON; their numbers where two would agree.

    Examples
    --------
    >>> keys(["a", 1, (True, "b")]), keys(["1", 1])
    (['a', '1', '[true, "b"]'], ['0', '1'])
    """
    symbols = [json_value(symbol) for symbol in alphabet]
    texts = [symbol if isinstance(symbol, str) else json.dumps(symbol, ensure_ascii=False) for symbol in symbols]
    return texts if len(set(texts)) == len(texts) else [str(code) for code in range(len(texts))]


def _sentence(problem: str, kind: Any) -> str:
    """What msgspec found, in the words of our errors."""
    start, _, key = problem.removesuffix("`").partition(" field `")
    if start == "Object missing required":
        return f"expected the key {key!r}, which is missing."
    if start == "Object contains unknown":
        return f"expected keys out of {listed(getattr(kind, '__struct_fields__', ()), limit=20)}; got {shown(key)}."
    text = _QUOTED.sub(lambda found: _KINDS.get(found[1]) or found[1].replace(" | ", " or "), problem)
    return f"{text[0].lower()}{text[1:].replace(', got ', '; got ')}."


def _integer(text: str) -> int | float:
    """An integer; one too long to read becomes infinite, so that it is refused where it stands."""
    try:
        return int(text)
    except ValueError:
        return math.inf


def _matrix(source: Source, raw: object, length: int, key: str) -> list[list[Number]]:
    place = f"transitions.{key}" if _WORD.fullmatch(key) else f"transitions[{shown(key)}]"
    rows = record(source, raw, list[list[Entry]], place)
    if len(rows) != length:
        raise source.refused(f"expected {counted(length, 'row')}; got {len(rows):,}.", place)
    return [_numbers(source, row, length, f"{place}[{s}]") for s, row in enumerate(rows)]


def _numbers(source: Source, values: list[Entry], length: int, place: str) -> list[Number]:
    """So many numbers: floats as they are, whole numbers and strings such as "1/3" as fractions."""
    if len(values) != length:
        raise source.refused(f"expected {counted(length, 'number')}; got {len(values):,}.", place)
    if all(type(value) is float for value in values) and np.isfinite(values).all():
        return values  # type: ignore[return-value]
    return [_number(source, value, f"{place}[{i}]") for i, value in enumerate(values)]


def _number(source: Source, raw: Entry, place: str) -> Number:
    """A finite number of a size that has a use."""
    try:
        found: Any = math.nan if isinstance(raw, str) and len(raw) > LONGEST_NUMBER else entry(raw)
    except InvalidArgument:
        found = math.nan
    if not (SMALLEST <= abs(found) <= LARGEST or found == 0):
        raise source.refused(f"expected {_KINDS['int | float | str']}; got {shown(raw)}.", place)
    return found  # type: ignore[no-any-return]


def _laid_out(raw: dict[str, Any], margin: str = "\n") -> str:
    """JSON text with one line per row of a matrix, behind a margin."""
    matrices = ",".join(
        f"{margin}    {_text(key)}: [{margin}      " + f",{margin}      ".join(map(_text, matrix)) + f"{margin}    ]"
        for key, matrix in raw["transitions"].items()
    )
    texts = {key: _text(value) for key, value in raw.items() if key not in ("transitions", "inputs")}
    texts["transitions"] = f"{{{matrices}{margin}  }}"
    if "inputs" in raw:
        texts["inputs"] = _laid_out(raw["inputs"], margin + "  ")
    return "{" + ",".join(f"{margin}  {_text(key)}: {texts[key]}" for key in raw) + f"{margin}}}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_fraction)


def _fraction(value: Fraction) -> int | str:
    """A fraction in JSON, where floats have a point: whole numbers as such, others as strings."""
    text = numeral(value)
    return int(text) if text.removeprefix("-").isdigit() else text
