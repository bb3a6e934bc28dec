"""``cutpoint score``."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple, TextIO

import click
import numpy as np
from numpy.typing import NDArray

from cutpoint.cli import printing
from cutpoint.cli.options import (
    FILE,
    MODEL,
    check_standard_input,
    cut_point_option,
    model_of,
    reading_options,
    threads_option,
)
from cutpoint.data.storage import writing_whole
from cutpoint.data.tokens import Tokens
from cutpoint.decision import Language
from cutpoint.errors import InvalidFile
from cutpoint.formats.samples import read_chunks
from cutpoint.formats.samples.chunks import Chunk
from cutpoint.model import Acceptor


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=FILE)
@cut_point_option
@click.option("--log", "logarithm", is_flag=True, help="Print natural logarithms, also of what is below 1e-308.")
@click.option("--only", is_flag=True, help="Print the numbers alone, without the words.")
@click.option("-o", "--output", type=FILE, help="File to write instead of printing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@threads_option
@reading_options
def command(
    model: str,
    data: str,
    cut_point: str | None,
    logarithm: bool,
    only: bool,
    output: str | None,
    as_json: bool,
    threads: int | None,
    reading: dict[str, Any],
) -> None:
    """Acceptance probability of every word of DATA, in its order and in one pass; - is standard input.

    Prints the word and its acceptance, and yes or no if the model has a cut point or one is given.

    \b
    Example: cutpoint score model.json new.tsv > scores.tsv
    """
    check_standard_input(model, data)
    read = model_of(model)
    cut = read.cut_point if cut_point is None else cut_point
    language = None if cut is None else Language(read.acceptor, cut)
    rows = 0
    with _written_to(output) as out, printing.progress(output is not None or not sys.stdout.isatty()) as bar:
        task = bar.add_task("0 rows", total=None) if bar else None
        for chunk in read_chunks(data, alphabet=read.acceptor.alphabet, **reading):
            scores = _scores(chunk, read.acceptor, language, logarithm, threads)
            out.write(_json_lines(chunk, scores, logarithm) if as_json else _lines(chunk, scores, only))
            rows += len(chunk.words)
            if bar and task is not None:
                bar.update(task, description=f"{rows:,} rows")


class Scores(NamedTuple):
    """Acceptances of some words, or their logarithms, and whether the words are accepted if there is a cut point."""

    values: list[float]
    answers: NDArray[np.bool_] | None


def _scores(
    chunk: Chunk, acceptor: Acceptor, language: Language | None, logarithm: bool, threads: int | None
) -> Scores:
    found = language.membership(chunk.words, threads) if language else None
    if logarithm:
        values = acceptor.log_acceptances(chunk.words, threads)
    else:
        values = found.acceptances if found else acceptor.acceptances(chunk.words, threads)
    return Scores(values.tolist(), found.members if found else None)


def _lines(chunk: Chunk, scores: Scores, only: bool) -> str:
    """Lines of a chunk, each with its line feed."""
    ends = repeat("\n") if scores.answers is None else np.where(scores.answers, "\tyes\n", "\tno\n").tolist()
    if only:
        return "".join([f"{value}{end}" for value, end in zip(scores.values, ends, strict=False)])
    lines = [f"{name}\t{value}{end}" for name, value, end in zip(_names(chunk), scores.values, ends, strict=False)]
    text = "".join(lines)
    tabs = 1 if scores.answers is None else 2
    if text.count("\n") != len(lines) or text.count("\t") != tabs * len(lines):
        r = next(r for r, line in enumerate(lines) if line.count("\n") > 1 or line.count("\t") > tabs)
        raise InvalidFile(f"{chunk.place(r)}: the word holds a tab or a line feed. Use --json, or --only.")
    return text


def _json_lines(chunk: Chunk, scores: Scores, logarithm: bool) -> str:
    """A JSON object per line."""
    key, value_key = "word" if chunk.ids is None else "id", "log_acceptance" if logarithm else "acceptance"
    ends = repeat("}\n")
    if scores.answers is not None:
        ends = np.where(scores.answers, ', "accepted": true}\n', ', "accepted": false}\n').tolist()
    names = [_quoted(name) if isinstance(name, str) else printing.as_json(name, None) for name in _names(chunk)]
    values = [repr(value) if value > -math.inf else "null" for value in scores.values]
    each = zip(names, values, ends, strict=False)
    return "".join([f'{{"{key}": {name}, "{value_key}": {value}{end}' for name, value, end in each])


def _names(chunk: Chunk) -> Sequence[Any]:
    """What to call each word: its id, or itself as the file has it."""
    if chunk.ids is not None:
        return chunk.ids
    words: Any = chunk.words
    if isinstance(words, Tokens):
        return words.texts
    return [word if isinstance(word, str) else " ".join(map(str, word)) for word in words]


@contextmanager
def _written_to(path: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when it is complete."""
    if path is None:
        yield sys.stdout
    else:
        with writing_whole(path) as file:
            yield file
