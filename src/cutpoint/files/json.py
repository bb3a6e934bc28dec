"""Own JSON: every acceptor, exactly, with a cut point and notes beside it, and a digest of it all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.model import Model, Options, fitting
from cutpoint.files.numerals import numeral
from cutpoint.files.source import Source
from cutpoint.files.strict_json import MOST_VALUES, Value, canonical, document, has_many_values
from cutpoint.files.transitions import Number, built, check_fractions, check_room
from cutpoint.files.typed_names import plain
from cutpoint.model.parts import States

FORMAT = "acceptor"
VERSION = 1
HEAD = {"format": FORMAT, "version": VERSION}


def write(model: Model, _: Options) -> dict[str, bytes]:
    """File of a model."""
    acceptor = fitting(model.acceptor, "JSON")
    steps, start = (
        (acceptor.exact_transitions, acceptor.exact_initial)
        if acceptor.is_exact
        else (acceptor.transitions, acceptor.initial)
    )
    raw: dict[str, Any] = {
        **named_parts(model),
        "initial": _entries(start),
        "final": [plain(state) for state in acceptor.final_states],
        "transitions": {
            key: [_entries(row) for row in matrix] for key, matrix in zip(keys(acceptor.alphabet), steps, strict=True)
        },
        **notes(model),
    }
    raw["digest"] = digest(raw)
    return {"": checked_length("".join(_laid_out(raw))).encode()}


def read(source: Source, options: Options) -> Model:
    """Model of a file."""
    root = document(source, source.text())
    check_head(root)
    parts = root.fields(
        ("cutpoint", "states", "alphabet", "initial", "final", "transitions"), ("cut_point", "metadata", "digest")
    )
    states, alphabet = checked_names(parts)
    check_room(source, len(states), len(alphabet), exact=False)
    labels = keys(alphabet)
    matrices = parts["transitions"].fields(labels)
    rows = [row.numbers(len(states)) for key in labels for row in matrices[key].items("row", length=len(states))]
    start = parts["initial"].numbers(len(states))
    final = _final(parts["final"], states)
    floats = any(isinstance(value, float) for row in (*rows, start) for value in row)
    check_room(source, len(states), len(alphabet), exact=not floats)
    if not floats:
        check_fractions(source, (*rows, start))
    flat = [value for row in rows for value in row]
    steps = _array(source, flat, floats).reshape(len(alphabet), len(states), len(states))
    acceptor = built(source, options, states, alphabet, steps, _array(source, start, floats), final)
    model = with_notes(acceptor, parts)
    check_digest(parts, digest(root.raw))
    return model


def named_parts(model: Model) -> dict[str, Any]:
    """What a file of any kind says of a model in JSON: its format and its names."""
    return {
        "cutpoint": HEAD,
        "states": [plain(state) for state in model.acceptor.states],
        "alphabet": [plain(symbol) for symbol in model.acceptor.alphabet],
    }


def checked_length(text: str) -> str:
    """The same text if it can be read again."""
    if has_many_values(text):
        raise InvalidArgument(
            f"a file can keep a model of {MOST_VALUES:,} values in JSON, names included; this has more."
        )
    return text


def checked_names(parts: dict[str, Value]) -> tuple[States, Alphabet]:
    """States and alphabet of a file; names that cannot be are refused with their place."""
    states, alphabet = parts["states"].names("name"), parts["alphabet"].names("symbol")
    try:
        place = "states"
        names = States(states)
        place = "alphabet"
        return names, Alphabet(alphabet)
    except CutpointError as wrong:
        raise parts["states"].source.refused(str(wrong), place) from None


def notes(model: Model) -> dict[str, Any]:
    """The cut point and metadata of a model, where there are any."""
    found: dict[str, Any] = {}
    if model.cut_point is not None:
        found["cut_point"] = _entries([model.cut_point])[0]
    if model.metadata:
        found["metadata"] = dict(model.metadata)
    return found


def with_notes(acceptor: Any, parts: dict[str, Value]) -> Model:
    """Model of an acceptor and what the file keeps beside it."""
    metadata = parts["metadata"].members() if "metadata" in parts else {}
    cut_point = parts["cut_point"].number() if "cut_point" in parts else None
    try:
        return Model(acceptor, cut_point, {key: value.scalar() for key, value in metadata.items()})
    except CutpointError as wrong:
        place = "metadata" if str(wrong).startswith("metadata") else "cut_point"
        raise parts["cutpoint"].source.refused(str(wrong), place) from None


def check_head(root: Value) -> None:
    """Refuse files of another kind or of a version to come."""
    members = root.members()
    if "cutpoint" not in members:
        raise root.source.refused('expected the key "cutpoint": this is not a model of cutpoint.')
    head = members["cutpoint"].fields(("format", "version"))
    if head["format"].text() != FORMAT:
        head["format"].refuse(f'"{FORMAT}", the only kind of model that this version of cutpoint reads')
    if type(head["version"].raw) is not int or head["version"].raw < 1:
        head["version"].refuse("a whole number from 1 on")
    if head["version"].raw > VERSION:
        head["version"].refuse(f"at most {VERSION}, the newest that this cutpoint reads (install a newer one)")


def digest(raw: dict[str, Any], arrays: Iterable[NDArray[Any]] = ()) -> str:
    """Digest of the values of a document, its own digest aside, and of arrays that belong to it."""
    found = hashlib.sha256(canonical({key: value for key, value in raw.items() if key != "digest"}))
    for array in arrays:
        found.update(array.tobytes())
    return f"sha256:{found.hexdigest()}"


def check_digest(parts: dict[str, Value], found: str) -> None:
    """Refuse a file whose content is not what was written; one without a digest was written by hand."""
    if "digest" in parts and parts["digest"].text() != found:
        raise parts["digest"].source.refused(
            "the file is damaged (its content does not match its digest). Use another copy; if the file was edited by "
            "hand, delete the line of its digest.",
            "digest",
        )


def keys(alphabet: Iterable[Any]) -> list[str]:
    """Key of each symbol's matrix: text as it is, other symbols as JSON; their numbers where two would agree.

    Examples
    --------
    >>> keys(["a", 1, (True, "b")]), keys(["1", 1])
    (['a', '1', '[true, "b"]'], ['0', '1'])
    """
    symbols = [plain(symbol) for symbol in alphabet]
    texts = [symbol if isinstance(symbol, str) else json.dumps(symbol, ensure_ascii=False) for symbol in symbols]
    return texts if len(set(texts)) == len(texts) else [str(code) for code in range(len(texts))]


def _final(final: Value, states: States) -> NDArray[np.bool_]:
    column = np.zeros(len(states), dtype=np.bool_)
    for item in final.items("state"):
        name = item.name()
        if name not in states:
            item.refuse("a state")
        if column[states.code(name)]:
            item.refuse("every state at most once")
        column[states.code(name)] = True
    return column


def _array(source: Source, values: list[Number], floats: bool) -> NDArray[Any]:
    """Floats if one is; otherwise fractions."""
    try:
        return np.array([float(value) for value in values] if floats else values, dtype=float if floats else object)
    except OverflowError:
        raise source.refused("a number is too large to hold.") from None


def _entries(values: Iterable[Number]) -> list[Any]:
    """Numbers in JSON: floats as numbers with a point, whole numbers as such, other fractions as strings."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return values.tolist()  # type: ignore[no-any-return]
    return [
        float(value) if not isinstance(value, Fraction) else int(text) if (text := numeral(value)).isdigit() else text
        for value in values
    ]


def _laid_out(raw: dict[str, Any]) -> Iterator[str]:
    """JSON text with one line per row of a matrix."""
    yield "{"
    for i, (key, value) in enumerate(raw.items()):
        yield f"{',' * (i > 0)}\n  {_text(key)}: "
        yield from _matrices(value) if key == "transitions" else [_text(value)]
    yield "\n}\n"


def _matrices(transitions: dict[str, list[Any]]) -> Iterator[str]:
    yield "{"
    for i, (key, matrix) in enumerate(transitions.items()):
        yield f"{',' * (i > 0)}\n    {_text(key)}: [\n      "
        yield ",\n      ".join(_text(row) for row in matrix)
        yield "\n    ]"
    yield "\n  }"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
