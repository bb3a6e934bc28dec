"""Options that verbs share, and the values that they stand for."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import click

from cutpoint.data.storage import replaceable
from cutpoint.errors import CutpointError, InvalidArgument, InvalidFile
from cutpoint.files.model import Model
from cutpoint.files.models import read_model
from cutpoint.model import Acceptor, gallery
from cutpoint.wording import counted, shown, suggestion

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODEL = click.Path(path_type=str)
"""A model: a file, ``-`` for JSON on standard input, or one of the gallery, as ``gallery:p_adic:2``."""

FILE = click.Path(path_type=str)
"""Any other file; ``-`` is standard input where something is read."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same result."
)
threads_option = click.option("--threads", type=click.IntRange(min=1), help="Number of threads; all cores by default.")
cut_point_option = click.option("--cut-point", help="Such as 0.5 or 1/3; by default the model's own.")

READING = {
    "format": "tsv, csv, ndjson, parquet, abbadingo or pautomac; by default told by the extension.",
    "word": "Column of the words, by name or number from 1.",
    "accepted": "Column of the outcomes of words.",
    "weight": "Column of how often a word was seen.",
    "verdicts": "Column of verdicts along the word, before the first symbol and after each.",
    "id": "Of an event table: column of what tells one sequence from another.",
    "order": "Of an event table: column of the order of events.",
    "event": "Of an event table: column of the events.",
    "outcome": "Of an event table: column of the outcomes.",
    "verdict": "Of an event table: column of verdicts after each event.",
    "separator": "What stands between the symbols of a word; by default blanks if there are any.",
    "positive": "The outcome that means accepted.",
    "delimiter": "What stands between the cells of a CSV file; by default a comma.",
}


def reading_options(verb: Verb) -> Callable[..., Any]:
    """Options on how to read a file of words; the verb gets them as a dictionary ``reading``."""

    @wraps(verb)
    def with_reading(*arguments: Any, **options: Any) -> Any:
        given = {name: options.pop(f"reading_{name}") for name in READING}
        reading = {name: _column(name, value) for name, value in given.items() if value is not None}
        return verb(*arguments, reading=reading, **options)

    decorated: Callable[..., Any] = with_reading
    for name, explanation in reversed(READING.items()):
        decorated = click.option(f"--{name}", f"reading_{name}", metavar="TEXT", help=explanation)(decorated)
    return decorated


def _column(name: str, value: str) -> str | int:
    """A column by its number if it is one; other options are text."""
    is_column = name not in ("format", "separator", "positive", "delimiter")
    return int(value) if is_column and value.isdecimal() else value


def model_of(name: str, normalized: bool = False) -> Model:
    """Model of a file, of standard input, or of the gallery; its rows rescaled if that is wanted."""
    if name.startswith("gallery:"):
        return Model(_of_gallery(name))
    if name != "-":
        return read_model(name, normalized=normalized)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "standard-input.json"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_model(path, normalized=normalized)
        except CutpointError as wrong:
            raise type(wrong)(str(wrong).replace(str(path), "standard input")) from None


def check_standard_input(*names: str | None) -> None:
    """Refuse to read two things from standard input."""
    if names.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once only; name a file for the other.")


def check_distinct(*paths: str | None) -> None:
    """Refuse to write two results to one file, where the second would replace the first."""
    given = [path for path in paths if path is not None]
    places = [os.path.realpath(path) for path in given]
    for path, place in zip(given, places, strict=True):
        if places.count(place) > 1:
            raise click.UsageError(f"two results would be written to {path}; name another file for one of them.")


def check_unread(reading: dict[str, Any], data: str) -> None:
    """Refuse options on how to read a table where the data are shards, which were made with them."""
    if reading:
        raise click.UsageError(
            f"--{next(iter(reading))} is for tables, and {data} is a folder of shards. Give it to cutpoint shard."
        )


def check_output(path: str, *endings: str) -> None:
    """Refuse a file that could not be written, before long work is done for it."""
    target = Path(path)
    if endings and not target.name.lower().endswith(endings):
        raise InvalidFile(f"{path}: expected a name that ends in {' or '.join(endings)}.")
    try:
        replaceable(path)
    except OSError as problem:
        raise InvalidFile(f"{path}: cannot be written ({problem.strerror}).") from None
    if not target.parent.is_dir():
        raise InvalidFile(f"{path}: cannot be written (there is no folder {target.parent}).")
    if not os.access(target.parent, os.W_OK):
        raise InvalidFile(f"{path}: cannot be written (the folder {target.parent} does not allow it).")


def _of_gallery(name: str) -> Acceptor:
    _, kind, *arguments = name.split(":")
    makers = {key: getattr(gallery, key) for key in gallery.__all__ if key != "deterministic"}
    if kind not in makers:
        raise InvalidArgument(
            f"{name}: the gallery has {', '.join(makers)}; got {kind!r}.{suggestion(kind, list(makers))}"
        )
    values = [int(value) if value.isdecimal() else value for value in arguments]
    taken = signature(makers[kind])
    try:
        taken.bind(*values)
    except TypeError:
        names = ":".join(taken.parameters) or "nothing"
        raise InvalidArgument(
            f"{name}: after gallery:{kind} comes {names}; got {counted(len(values), 'value')}."
        ) from None
    try:
        made: Acceptor = makers[kind](*values)
    except CutpointError as wrong:
        raise InvalidArgument(f"{name}: {wrong}") from None
    return made


def cut_point_of(given: str | None, model: Model) -> Any:
    """The cut point that was given, or else the model's own."""
    if given is None and model.cut_point is None:
        raise click.UsageError("the model has no cut point of its own; give one with --cut-point, such as 0.5 or 1/3.")
    return model.cut_point if given is None else given


def word_of(text: str, model: Model, separator: str | None) -> Any:
    """A word as typed: characters if the symbols are characters, otherwise symbols with blanks between them."""
    alphabet = model.acceptor.alphabet
    by_text = {str(symbol): symbol for symbol in alphabet}
    by_character = all(len(name) == 1 for name in by_text) and (" " in by_text or " " not in text)
    if separator:
        parts = text.split(separator) if text else []
    else:
        parts = list(text) if by_character or separator == "" else text.split()
    for i, part in enumerate(parts):
        if part not in by_text:
            raise alphabet.unknown(part, f"word {shown(text)}, position {i}: ")
    return [by_text[part] for part in parts]
