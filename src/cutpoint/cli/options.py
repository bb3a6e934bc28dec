"""Options that verbs share, and the values that they stand for.

The name of an option in Python is the argument of the library that it sets, so that errors can name the option instead.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from cutpoint.cli.output import message
from cutpoint.data.alphabet import OnUnknown
from cutpoint.data.columns import PositiveOutcome
from cutpoint.data.storage import replaceable
from cutpoint.errors import CutpointError, InvalidArgument, InvalidFile
from cutpoint.files.models import is_model_file, read_model
from cutpoint.model import Acceptor, Generator, gallery
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown, suggestion

if TYPE_CHECKING:
    from cutpoint.decision import Language
    from cutpoint.em.observations import Engine

Verb = TypeVar("Verb", bound=Callable[..., Any])

FILE = click.Path(path_type=str)
"""A file, or ``-`` for standard input; where it is a model, also one of the gallery, such as ``gallery:p_adic:2``."""

AT_LEAST_ONE = click.IntRange(min=1)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed = click.option("--seed", type=click.IntRange(min=0), default=0, help="Same seed, same result.")
threads = click.option("--threads", type=AT_LEAST_ONE, show_default="all cores", help="Number of threads.")
cut_point = click.option("--cut-point", metavar="NUMBER", show_default="the model's", help="Such as 0.5 or 1/3.")
unknown = click.option(
    "--unknown",
    type=click.Choice(get_args(OnUnknown)),
    show_default="the model's",
    help="Symbols that the model does not know: refuse them, leave them out, or read them as rare ones.",
)
digits = click.option("--digits", type=click.IntRange(1, 17), default=4, help="Significant digits.")
inputs = click.option("--inputs", type=FILE, help="File of the law of inputs, a generator.", show_default="the model's")
prefixes = click.option("--prefixes", is_flag=True, help="The model was learned from prefixes: it forecasts by itself.")
separator = click.option("--separator", help="Text between the symbols of a word.")

RELATION = {
    "--inclusive": (">=", "Also the words whose acceptance equals the cut point."),
    "--equal": ("=", "The words whose acceptance equals the cut point."),
    "--not-equal": ("!=", "The words whose acceptance does not equal the cut point."),
}

COLUMNS = {
    "word": "Column with the words, by name or by number from 1.",
    "accepted": "Column with the outcomes of the words.",
    "weight": "Column with the number of times that a word was seen.",
    "verdicts": "Column with the verdicts along the word: before the first symbol and after each.",
    "id": "Event table: column with the case id.",
    "order": "Event table: column with the time or the number of the event.",
    "event": "Event table: column with the event.",
    "outcome": "Event table: column with the outcome of the case.",
    "verdict": "Event table: column with the verdict after the event.",
}
READ_WITH = "read_with"  # note of a model: how words were made of events, as JSON
READING = {
    "format": ("tsv, csv, ndjson, parquet, xes, abbadingo or pautomac.", "by extension"),
    **{name: (text, False) for name, text in COLUMNS.items()},
    "gaps": ("Event table: waiting times that become symbols, such as 1h,1d,7d.", False),
    "separator": ("Text between the symbols of a word.", "blanks, if there are any"),
    "positive": ("Outcome that means accepted.", False),
    "delimiter": ("Cell delimiter of a CSV file.", "comma"),
}


def relation(verb: Verb) -> Callable[..., Any]:
    """Options on which words a language has; the verb gets ``relation``, None for acceptance above the cut point."""
    decorated: Callable[..., Any] = verb
    for name, (value, text) in reversed(RELATION.items()):
        decorated = click.option(name, "relation", flag_value=value, default=None, help=text)(decorated)
    return decorated


def language(verb: Verb) -> Callable[..., Any]:
    """Argument and options of verbs about a language: the verb gets it as ``language``."""

    @wraps(verb)
    def with_language(model: str, cut_point: str | None, relation: Any, **others: Any) -> Any:
        return verb(language=language_of(model_of(model), cut_point, relation), **others)

    return click.argument("model", type=FILE)(cut_point(relation(with_language)))


def language_of(model: Model, cut_point: str | None, relation: Any) -> Language:
    """Language of a model at a cut point, or at its own."""
    from cutpoint.decision import Language  # noqa: PLC0415

    if cut_point is None and model.cut_point is None:
        raise click.UsageError("the model has no cut point of its own; give one with --cut-point, such as 0.5 or 1/3.")
    return Language(model.acceptor, model.cut_point if cut_point is None else cut_point, relation=relation)


def reading(verb: Verb) -> Callable[..., Any]:
    """Options on how to read a file of words; the verb gets those that are given as a dictionary ``reading``."""

    @wraps(verb)
    def with_reading(*arguments: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in (*READING, "header")}
        found = {
            name: column_of(value) if name in COLUMNS else value for name, value in given.items() if value is not None
        }
        if "positive" in found:
            found["positive"] = PositiveOutcome(found["positive"])
        if attributes := options.pop("attributes"):
            found["attributes"] = dict(map(_attribute, attributes))
        return verb(*arguments, reading=found, **options)

    decorated: Callable[..., Any] = with_reading
    text = "First line of a TSV or CSV file has the names of the columns, or not."
    decorated = click.option("--header/--no-header", default=None, show_default="by its names", help=text)(decorated)
    text = "Event table: column of the case whose value becomes a first symbol; NAME:1000,5000 bins a number."
    decorated = click.option("--attributes", metavar="COLUMN", multiple=True, show_default=False, help=text)(decorated)
    for name, (text, default) in reversed(READING.items()):
        metavar = "COLUMN" if name in COLUMNS else "TEXT"
        decorated = click.option(f"--{name}", name, metavar=metavar, show_default=default, help=text)(decorated)
    return decorated


def column_of(text: str) -> str | int:
    """A column by its number, or by its name."""
    return int(text) if text.isdecimal() else text


def _attribute(text: str) -> tuple[str | int, str | None]:
    """Column of an attribute, and the edges by which it is binned, if any are given."""
    name, _, edges = text.rpartition(":")
    has_edges = bool(name) and re.fullmatch(r"[-+0-9.eE]+(,[-+0-9.eE]+)*", edges) is not None
    return (column_of(name), edges) if has_edges else (column_of(text), None)


def reading_to_save(reading: dict[str, Any]) -> dict[str, str]:
    """A note on how words were made of events, which scoring must do alike; none if they were taken as they are."""
    made = {name: reading[name] for name in ("gaps", "attributes") if name in reading}
    return {READ_WITH: json.dumps(made, ensure_ascii=False)} if made else {}


def saved_reading(model: Model) -> dict[str, Any]:
    """Options by which a model's words were made of events, as ``fit`` has saved them."""
    try:
        found = json.loads(str(model.metadata.get(READ_WITH, "{}")))
    except ValueError:
        found = {}
    found = found if isinstance(found, dict) else {}
    if isinstance(found.get("attributes"), dict):
        found["attributes"] = {column_of(name): edges for name, edges in found["attributes"].items()}
    return {name: found[name] for name in ("gaps", "attributes") if name in found}


def say_if_symbols_were_made(model: Model) -> None:
    """Say that symbols which ``fit`` made of gaps and attributes are not made where a model reads events itself."""
    if made := saved_reading(model):
        message(f"cutpoint: the symbols that --{' and --'.join(made)} made for fit must be events of their own here.")


def outcomes_of(reading: dict[str, Any], model: Model | None = None) -> tuple[str, str]:
    """What the user calls accepted and rejected, once the data are read: by the option and by the model's classes."""
    rejected, accepted = model.classes if model and model.classes and len(model.classes) == 2 else OUTCOMES
    if isinstance(positive := reading.get("positive"), PositiveOutcome):
        if model and model.classes and isinstance(accepted, str) and accepted != positive:
            raise click.UsageError(
                f"the model predicts {accepted!r}, so --positive must be the same; got {positive!r}."
            )
        return positive.names
    return str(accepted), str(rejected)


def check_not_given(reading: dict[str, Any], data: str) -> None:
    """Refuse options on how to read a table where the data are shards, which were made with them."""
    if reading:
        raise click.UsageError(
            f"--{next(iter(reading))} is for tables, and {data} is a folder of shards. Give it to cutpoint shard."
        )


def model_of(name: str, normalized: bool = False, unknown: OnUnknown | None = None) -> Model:
    """Model of a file, of standard input, or of the gallery; rows are rescaled, and the rule is another, if given."""
    found = _model_of(name, normalized)
    return found if unknown is None else replace(found, machine=found.machine.with_unknown(unknown))


def generator_of(name: str, unknown: OnUnknown | None = None) -> Model:
    """Model as :func:`model_of` finds it, which must be a generator."""
    found = model_of(name, unknown=unknown)
    try:
        _ = found.generator
    except CutpointError as error:
        raise error.at(name) from None
    return found


def two_outcomes(model: Model) -> Model:
    """The model, unless it has three or more classes."""
    if model.labels is not None:
        raise click.UsageError("this is for two outcomes; the model has more.")
    return model


def inputs_of(path: str | None) -> Generator | None:
    """The law of inputs of a file, if one is named."""
    return None if path is None else generator_of(path).generator


def _model_of(name: str, normalized: bool) -> Model:
    if name.startswith("gallery:"):
        return Model(_of_gallery(name))
    if name != "-":
        if not is_model_file(name):
            check_exists(name)
            raise InvalidFile("expected a model: a file such as model.json, or gallery:parity.", where=name)
        return read_model(name, normalized=normalized)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "standard-input.json"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_model(path, normalized=normalized)
        except CutpointError as error:
            error.where = error.where.replace(str(path), "standard input")
            raise


def _of_gallery(name: str) -> Acceptor:
    _, kind, *arguments = name.split(":")
    makers = {key: getattr(gallery, key) for key in gallery.__all__ if key not in ("deterministic", "post")}
    if kind not in makers:
        known = f"the gallery has {', '.join(makers)}; got {kind!r}.{suggestion(kind, list(makers))}"
        raise InvalidArgument(known, where=name)
    values = [int(value) if value.isdecimal() else value for value in arguments]
    taken = signature(makers[kind])
    try:
        taken.bind(*values)
    except TypeError:
        wanted = f"after gallery:{kind} comes {':'.join(taken.parameters) or 'nothing'}"
        raise InvalidArgument(f"{wanted}; got {counted(len(values), 'value')}.", where=name) from None
    try:
        made: Acceptor = makers[kind](*values)
    except CutpointError as error:
        raise error.at(name) from None
    return made


def word_of(text: str, model: Model, separator: str | None) -> Any:
    """A word as typed: characters if the symbols are characters, otherwise symbols with blanks between them."""
    alphabet = model.machine.alphabet
    by_text = {str(symbol): symbol for symbol in alphabet}
    by_character = all(len(name) == 1 for name in by_text) and (" " in by_text or " " not in text)
    if separator:
        parts = text.split(separator) if text else []
    else:
        parts = list(text) if by_character or separator == "" else text.split()
    for i, part in enumerate(parts):
        if part not in by_text and alphabet.on_unknown == "error":
            raise alphabet.unknown(part, f"word {shown(text)}, position {i + 1}: ")
    return [by_text.get(part, part) for part in parts]


def check_exists(name: str) -> None:
    """Refuse a file that is not there, before its name is asked what it holds."""
    if name != "-" and not os.path.exists(name):
        raise InvalidFile("there is no such file.", where=name)


def check_standard_input(*names: str | None) -> None:
    """Refuse to read two things from standard input."""
    if names.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once only; name a file for the other.")


def check_distinct(*paths: str | None, inputs: Sequence[str | None] = ()) -> None:
    """Refuse to write a result over what is read, or two results to one file, where the second replaces the first."""
    given = [path for path in paths if path is not None]
    places = [os.path.realpath(path) for path in given]
    read = {os.path.realpath(path) for path in inputs if path not in (None, "-")}
    for path, place in zip(given, places, strict=True):
        if place in read:
            raise click.UsageError(f"{path} is read, and the result would replace it; name another file.")
        if places.count(place) > 1:
            raise click.UsageError(f"two results would be written to {path}; name another file for one of them.")


def check_output(path: str, *endings: str) -> None:
    """Refuse a file that could not be written, before long work is done for it."""
    target = Path(path)
    if endings and not target.name.lower().endswith(endings):
        raise InvalidFile(f"expected a name that ends in {', '.join(endings[:-1])} or {endings[-1]}.", where=path)
    replaceable(path)
    if not target.parent.is_dir():
        raise InvalidFile(f"cannot be written (there is no folder {target.parent}).", where=path)
    if not os.access(target.parent, os.W_OK):
        raise InvalidFile(f"cannot be written (the folder {target.parent} does not allow it).", where=path)


OUTCOMES = ("rejected", "accepted")
LOGGERS = ("distributed", "distributed.client", "distributed.core")
"""Loggers that report a lost cluster in tracebacks; we report it in a sentence."""


def engine(verb: Verb) -> Callable[..., Any]:
    """Options of verbs that take a folder of shards; the verb gets ``engine`` and ``scheduler``."""
    scheduler = click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler, tcp://HOST:PORT.")
    kind = click.option(
        "--engine",
        type=click.Choice(["local", "dask"]),
        show_default="local",
        help="For a folder of shards: threads of this machine, or a Dask cluster.",
    )
    return kind(scheduler(verb))


@contextmanager
def engine_of(engine: str | None, scheduler: str | None, threads: int | None, sharded: bool) -> Iterator[Engine]:
    """The engine that the options name, closed afterwards; options that do not go together are refused."""
    if engine is not None and not sharded:
        raise click.UsageError("--engine is for a folder of shards; make one with: cutpoint shard DATA -o FOLDER.")
    if (engine == "dask") != (scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler ADDRESS go together.")
    from cutpoint.shards.engines import Dask, Local  # noqa: PLC0415

    made: Engine = Dask(scheduler) if engine == "dask" else Local(threads)
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield made
    finally:
        made.close()
