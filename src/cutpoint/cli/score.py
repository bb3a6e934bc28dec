"""``cutpoint score``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from cutpoint.cli import printing
from cutpoint.cli.options import MODEL, cut_point_option, model_of, reading_options, threads_option
from cutpoint.data.storage import writing_whole
from cutpoint.decision import Language
from cutpoint.formats.samples import read_chunks
from cutpoint.formats.samples.chunks import Chunk
from cutpoint.model import Acceptor


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data")
@cut_point_option
@click.option("--log", "logarithm", is_flag=True, help="Print natural logarithms, also of what is below 1e-308.")
@click.option("--only", is_flag=True, help="Print the numbers alone, without the words.")
@click.option("-o", "--output", help="File to write instead of printing.")
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
    Example: cutpoint score model.json journeys.tsv > scores.tsv
    """
    read = model_of(model)
    cut = read.cut_point if cut_point is None else cut_point
    language = None if cut is None else Language(read.acceptor, cut)
    rows = 0
    with _written_to(output) as out, printing.progress() as bar:
        task = bar.add_task("0 rows", total=None) if bar else None
        for chunk in read_chunks(data, alphabet=read.acceptor.alphabet, **reading):
            out.write(_lines(chunk, read.acceptor, language, logarithm, only, as_json, threads))
            rows += len(chunk.words)
            if bar and task is not None:
                bar.update(task, description=f"{rows:,} rows")


def _lines(
    chunk: Chunk,
    acceptor: Acceptor,
    language: Language | None,
    logarithm: bool,
    only: bool,
    as_json: bool,
    threads: int | None,
) -> str:
    """Lines of a chunk, each with its line feed."""
    scored = acceptor.log_acceptances if logarithm else acceptor.acceptances
    values = scored(chunk.words, threads).tolist()
    names: list[Any] = chunk.ids if chunk.ids is not None else [_text(word) for word in chunk.words]
    answers = [None] * len(values) if language is None else language.contains(chunk.words).tolist()
    if as_json:
        key = "word" if chunk.ids is None else "id"
        each = zip(names, values, answers, strict=True)
        records = (
            {key: name, "log_acceptance" if logarithm else "acceptance": p, "accepted": a} for name, p, a in each
        )
        return "".join(f"{printing.as_json(_known(record), indent=None)}\n" for record in records)
    told = [str(p) for p in values] if only else [f"{name}\t{p}" for name, p in zip(names, values, strict=True)]
    if language is not None:
        told = [f"{line}\t{'yes' if answer else 'no'}" for line, answer in zip(told, answers, strict=True)]
    return "".join(f"{line}\n" for line in told)


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """A record without an answer that was not asked for."""
    return {key: value for key, value in record.items() if key != "accepted" or value is not None}


def _text(word: Any) -> str:
    return word if isinstance(word, str) else " ".join(map(str, word))


@contextmanager
def _written_to(path: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when it is complete."""
    if path is None:
        yield sys.stdout
    else:
        with writing_whole(path) as file:
            yield file
