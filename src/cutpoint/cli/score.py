"""``cutpoint score``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

import click
import numpy as np
from numpy.typing import NDArray

from cutpoint.cli import printing
from cutpoint.cli.engines import check_engine_options, engine_of, engine_options
from cutpoint.cli.options import MODEL, cut_point_option, model_of, reading_options, threads_option
from cutpoint.data.storage import writing_whole
from cutpoint.decision import Language
from cutpoint.formats.samples import read_chunks
from cutpoint.formats.samples.chunks import Chunk
from cutpoint.formats.samples.scores import writing_parquet
from cutpoint.formats.shards.sample import ShardedSample, is_folder_of_shards
from cutpoint.learning import acceptances_by_shard
from cutpoint.learning.engine import Engine
from cutpoint.model import Acceptor


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data")
@cut_point_option
@click.option("--log", "logarithm", is_flag=True, help="Print natural logarithms, also of what is below 1e-308.")
@click.option("--only", is_flag=True, help="Print the numbers alone, without the words.")
@click.option("-o", "--output", help="File to write instead of printing; one that ends in .parquet is a table.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@threads_option
@engine_options
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
    engine: str | None,
    scheduler: str | None,
    reading: dict[str, Any],
) -> None:
    """Acceptance probability of every word of DATA, in its order and in one pass; - is standard input.

    Prints the word and its acceptance, and yes or no if the model has a cut point or one is given. DATA may be a folder
    made by cutpoint shard: then distinct words come in the order of the shards.

    \b
    Example: cutpoint score model.json journeys.tsv > scores.tsv
    """
    read = model_of(model)
    cut = read.cut_point if cut_point is None else cut_point
    language = None if cut is None else Language(read.acceptor, cut)
    rows = 0
    sharded = is_folder_of_shards(data)
    check_engine_options(engine, scheduler, sharded)
    with ExitStack() as stack:
        write = _writer(stack, output, logarithm, only, as_json)
        bar = stack.enter_context(printing.progress())
        task = bar.add_task("0 rows", total=None) if bar else None
        if sharded:
            worker = stack.enter_context(engine_of(engine, scheduler, threads))
            chunks = _of_shards(ShardedSample.open(data), read.acceptor, worker)
        else:
            chunks = ((chunk, None) for chunk in read_chunks(data, alphabet=read.acceptor.alphabet, **reading))
        for chunk, values in chunks:
            write(_scored(chunk, values, read.acceptor, language, logarithm, threads))
            rows += len(chunk.words)
            if bar and task is not None:
                bar.update(task, description=f"{rows:,} rows")


@dataclass(frozen=True)
class _Scored:
    """Words of a chunk, or the ids of their events, with their numbers and answers."""

    names: list[Any]
    by_id: bool
    values: list[float]
    answers: list[bool] | None
    counts: list[float] | None


def _of_shards(
    shards: ShardedSample, acceptor: Acceptor, worker: Engine
) -> Iterator[tuple[Chunk, NDArray[np.float64] | None]]:
    """Words of each shard with their acceptances, which the engine has computed."""
    for sample, values in acceptances_by_shard(acceptor, shards, engine=worker):
        yield Chunk(sample.words, range(1, len(sample) + 1), weights=sample.counts.tolist()), values


def _scored(
    chunk: Chunk,
    values: NDArray[np.float64] | None,
    acceptor: Acceptor,
    language: Language | None,
    logarithm: bool,
    threads: int | None,
) -> _Scored:
    if logarithm:
        values = acceptor.log_acceptances(chunk.words, threads)
    elif values is None:
        values = acceptor.acceptances(chunk.words, threads)
    names: list[Any] = chunk.ids if chunk.ids is not None else [_text(word) for word in chunk.words]
    answers = None if language is None else language.contains(chunk.words).tolist()
    return _Scored(names, chunk.ids is not None, values.tolist(), answers, chunk.weights)


def _writer(
    stack: ExitStack, output: str | None, logarithm: bool, only: bool, as_json: bool
) -> Callable[[_Scored], object]:
    """What writes scores: lines, or rows of a table."""
    number = "log_acceptance" if logarithm else "acceptance"
    if output is not None and output.endswith(".parquet"):
        if only or as_json:
            raise click.UsageError("--only and --json are for text; a Parquet file has columns.")
        table = stack.enter_context(writing_parquet(output))
        return lambda scored: table.add(_columns(scored, number))
    out = stack.enter_context(_written_to(output))
    return lambda scored: out.write(_lines(scored, number, only, as_json))


def _columns(scored: _Scored, number: str) -> dict[str, list[Any]]:
    columns = {"id" if scored.by_id else "word": scored.names, number: scored.values}
    if scored.counts is not None:
        columns["count"] = scored.counts
    return columns if scored.answers is None else columns | {"accepted": scored.answers}


def _lines(scored: _Scored, number: str, only: bool, as_json: bool) -> str:
    """Lines of a chunk, each with its line feed."""
    answers = [None] * len(scored.values) if scored.answers is None else scored.answers
    if as_json:
        key = "id" if scored.by_id else "word"
        each = zip(scored.names, scored.values, answers, strict=True)
        records = ({key: name, number: p, "accepted": answer} for name, p, answer in each)
        return "".join(f"{printing.as_json(_known(record), indent=None)}\n" for record in records)
    named = zip(scored.names, scored.values, strict=True)
    told = [str(p) for p in scored.values] if only else [f"{name}\t{p}" for name, p in named]
    if scored.answers is not None:
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
