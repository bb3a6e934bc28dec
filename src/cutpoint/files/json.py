"""Own JSON: every acceptor, exactly, with a cut point and notes beside it, and a digest of it all.

Strict: no duplicate keys, no NaN, nothing unknown. The standard reader gives plain values, ``msgspec`` turns them into
typed records, and every error names its place.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from cutpoint.data import Alphabet
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.exact import entry
from cutpoint.files.contents import Model, Options, built, check_fractions, check_room, entries, fitting
from cutpoint.files.source import Source
from cutpoint.files.tokens import Number, distinct_keys, json_value, name_of, numeral
from cutpoint.model import Acceptor
from cutpoint.model.parts import States
from cutpoint.wording import counted, listed, shown

FORMAT = "acceptor"
VERSION = 1

MOST_VALUES = 2_500_000
"""Most values of a document: each takes tens of bytes of memory for as little as one byte of text."""

LONGEST_NUMBER = 8600
"""Characters of the longest number in quotes: two integers of as many digits as Python reads."""

LARGEST, SMALLEST = 1e300, 5e-324
"""Numbers beyond have no use, and "1e-9999" would take a thousand times the memory of its text."""

Entry = int | float | str
Record = TypeVar("Record")

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
    cut_point: Entry | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    digest: str | UnsetType = UNSET


class Document(Header, forbid_unknown_fields=True, kw_only=True):
    """The members of a JSON file."""

    initial: list[Any]
    final: list[Any]
    transitions: dict[str, Any]


def write(model: Model, _: Options) -> dict[str, bytes]:
    """File of a model."""
    acceptor = fitting(model.acceptor, "JSON")
    steps, start = entries(acceptor)
    raw = header(
        model,
        initial=_values(start),
        final=[json_value(state) for state in acceptor.final_states],
        transitions={
            key: [_values(row) for row in matrix] for key, matrix in zip(keys(acceptor.alphabet), steps, strict=True)
        },
    )
    return {"": checked_length(_laid_out(raw | {"digest": digest(raw)})).encode()}


def read(source: Source, options: Options) -> Model:
    """Model of a file."""
    raw, found = parsed(source, source.text(), Document)
    states, alphabet = checked_names(source, found)
    n, symbols = len(states), keys(alphabet)
    check_room(source, n, len(alphabet))
    for key in symbols:
        if key not in found.transitions:
            raise source.refused(f"expected the key {key!r}, which is missing.", "transitions")
    for key in found.transitions.keys() - set(symbols):
        raise source.refused(f"expected keys out of {listed(symbols, limit=20)}; got {shown(key)}.", "transitions")
    rows = [row for key in symbols for row in _matrix(source, found.transitions[key], n, _place("transitions", key))]
    start = _numbers(source, record(source, found.initial, list[Entry], "initial"), n, "initial")
    final = _final(source, found.final, states)
    floats = any(isinstance(value, float) for row in (*rows, start) for value in row)
    check_room(source, n, len(alphabet), exact=not floats)
    if not floats:
        check_fractions(source, (*rows, start))
    steps = _array([value for row in rows for value in row], floats).reshape(len(alphabet), n, n)
    acceptor = built(source, options, states, alphabet, steps, _array(start, floats), final)
    return with_notes(source, acceptor, found, digest(raw))


def document(source: Source, text: str) -> dict[str, Any]:
    """JSON object in plain values; syntax errors name line and column, and too many values take no memory."""
    if has_many_values(text):
        raise source.refused(f"the file holds more than {counted(MOST_VALUES, 'value')}, the most that is read.")
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


def parsed(source: Source, text: str, kind: type[Record]) -> tuple[dict[str, Any], Record]:
    """Plain values and record of a model's file; files of another kind or of a later version are refused first."""
    raw = document(source, text)
    if "cutpoint" not in raw:
        raise source.refused('expected the key "cutpoint": this is not a model of cutpoint.')
    head = record(source, raw["cutpoint"], FileKind, "cutpoint")
    if head.format != FORMAT:
        known = f'"{FORMAT}", the only kind of model that this version of cutpoint reads'
        raise source.refused(f"expected {known}; got {shown(head.format)}.", "cutpoint.format")
    if not 1 <= head.version <= VERSION:
        known = f"a whole number from 1 to {VERSION}, the newest that this cutpoint reads (install a newer one)"
        raise source.refused(f"expected {known}; got {shown(head.version)}.", "cutpoint.version")
    return raw, record(source, raw, kind)


def header(model: Model, **numbers: Any) -> dict[str, Any]:
    """What a file says of a model in JSON: its format, its names, numbers, and what is kept beside it."""
    found = {
        "cutpoint": {"format": FORMAT, "version": VERSION},
        "states": [json_value(state) for state in model.acceptor.states],
        "alphabet": [json_value(symbol) for symbol in model.acceptor.alphabet],
        **numbers,
    }
    if model.cut_point is not None:
        found["cut_point"] = _values([model.cut_point])[0]
    return found | ({"metadata": dict(model.metadata)} if model.metadata else {})


def with_notes(source: Source, acceptor: Acceptor, found: Header, content_digest: str) -> Model:
    """Model of an acceptor and what the file keeps beside it; one without a digest was written by hand."""
    cut_point = None if found.cut_point is UNSET else _number(source, found.cut_point, "cut_point")
    try:
        model = Model(acceptor, cut_point, {} if found.metadata is UNSET else found.metadata)
    except CutpointError as wrong:
        place = "metadata" if str(wrong).startswith("metadata") else "cut_point"
        raise source.refused(str(wrong), place) from None
    if found.digest not in (UNSET, content_digest):
        raise source.refused(
            "the file is damaged (its content does not match its digest). Use another copy; if the file was edited by "
            "hand, delete the line of its digest.",
            "digest",
        )
    return model


def checked_names(source: Source, found: Header) -> tuple[States, Alphabet]:
    """States and alphabet of a file; names that cannot be are refused with their place."""
    states, alphabet = names(source, found.states, "states"), names(source, found.alphabet, "alphabet")
    try:
        place = "states"
        checked = States(states)
        place = "alphabet"
        return checked, Alphabet(alphabet)
    except CutpointError as wrong:
        raise source.refused(str(wrong), place) from None


def names(source: Source, values: list[Any], place: str) -> list[Hashable]:
    """Names from a list of JSON values."""
    found: list[Hashable] = []
    for i, value in enumerate(values):
        try:
            found.append(name_of(value))
        except ValueError:
            known = "a name (text, a number, true, false, or a list of them)"
            raise source.refused(f"expected {known}; got {shown(value)}.", f"{place}[{i}]") from None
    return found


def checked_length(text: str) -> str:
    """The same text if it can be read again."""
    if has_many_values(text):
        raise InvalidArgument(
            f"a file can keep a model of {MOST_VALUES:,} values in JSON, names included; this has more."
        )
    return text


def has_many_values(text: str) -> bool:
    """Whether a document has more values than are read; each but the first begins behind one of three signs."""
    return sum(map(text.count, ",[{")) > MOST_VALUES


def canonical(raw: Any) -> bytes:
    """The same bytes for every JSON text of the same values."""
    return json.dumps(raw, sort_keys=True, separators=(",", ":")).encode()


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


def _place(place: str, key: str) -> str:
    """Place of a member: ``transitions.a``, or ``transitions['a b']`` for keys that are not words."""
    return f"{place}.{key}" if _WORD.fullmatch(key) else f"{place}[{shown(key)}]"


def _matrix(source: Source, raw: object, length: int, place: str) -> list[list[Number]]:
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


def _final(source: Source, values: list[Any], states: States) -> NDArray[np.bool_]:
    column = np.zeros(len(states), dtype=np.bool_)
    for i, name in enumerate(names(source, values, "final")):
        if name not in states or column[states.code(name)]:
            expected = "every state at most once" if name in states else "a state"
            raise source.refused(f"expected {expected}; got {shown(name)}.", f"final[{i}]")
        column[states.code(name)] = True
    return column


def _array(values: list[Number], floats: bool) -> NDArray[Any]:
    """Floats if one is; otherwise fractions."""
    return np.array([float(value) for value in values]) if floats else np.array(values, dtype=object)


def _values(numbers: Iterable[Number]) -> list[Any]:
    """Numbers in JSON: floats as numbers with a point, whole numbers as such, other fractions as strings."""
    if isinstance(numbers, np.ndarray) and numbers.dtype == np.float64:
        return numbers.tolist()  # type: ignore[no-any-return]
    return [
        float(value) if not isinstance(value, Fraction) else int(text) if (text := numeral(value)).isdigit() else text
        for value in numbers
    ]


def _laid_out(raw: dict[str, Any]) -> str:
    """JSON text with one line per row of a matrix."""
    matrices = ",".join(
        f"\n    {_text(key)}: [\n      " + ",\n      ".join(map(_text, matrix)) + "\n    ]"
        for key, matrix in raw["transitions"].items()
    )
    texts = {key: _text(value) for key, value in raw.items() if key != "transitions"}
    texts["transitions"] = f"{{{matrices}\n  }}"
    return "{" + ",".join(f"\n  {_text(key)}: {texts[key]}" for key in raw) + "\n}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
