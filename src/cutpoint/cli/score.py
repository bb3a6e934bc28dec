"""``cutpoint score``."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import repeat
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from cutpoint.cli import options
from cutpoint.cli.output import data as print_data, json_text, progress
from cutpoint.data import Sample
from cutpoint.data.alphabet import OnUnknown, Tokens
from cutpoint.data.storage import writing_whole
from cutpoint.decision import Language
from cutpoint.em import acceptances_by_shard
from cutpoint.em.observations import Engine
from cutpoint.errors import InvalidFile
from cutpoint.files.delimited import writing_spreadsheet
from cutpoint.files.parquet import writing_parquet
from cutpoint.files.samples import Chunk, read_chunks
from cutpoint.model import Acceptor, Generator
from cutpoint.model.prediction import Model
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards
from cutpoint.wording import plain

TABLES = {".parquet": writing_parquet, ".csv": writing_spreadsheet}


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("data", type=options.FILE)
@options.cut_point
@options.unknown
@click.option("--log", is_flag=True, help="Print natural logarithms, also of probabilities below 1e-308.")
@click.option("--only", is_flag=True, help="Print only the numbers, without words and answers.")
@click.option("-o", "--output", type=options.FILE, help="File to write: .parquet, .csv for a spreadsheet, or text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@options.threads
@options.engine
@options.reading
def command(
    model: str,
    data: str,
    cut_point: str | None,
    unknown: OnUnknown | None,
    log: bool,
    only: bool,
    output: str | None,
    as_json: bool,
    threads: int | None,
    engine: str | None,
    scheduler: str | None,
    reading: dict[str, Any],
) -> None:
    """Acceptance probability of every word of DATA, in its order and in one pass; - is standard input.

    Prints each word (or its id, if DATA has ids) and its acceptance; with a cut point, also yes or no or the name of
    the outcome. For a model of three or more outcomes, prints the likeliest and its probability. For a generator,
    prints the logarithm of the word's probability, then its acceptance if not all states are final. Outcomes in DATA
    are not read. DATA may be a folder made by cutpoint shard: distinct words then come in the order of the shards.

    \b
    Example: cutpoint score model.json new.tsv > scores.tsv
    """
    if only and as_json:
        raise click.UsageError("--only and --json do not go together: leave one of them out.")
    options.check_standard_input(model, data)
    options.check_distinct(output, inputs=(model, data))
    read = options.model_of(model, unknown=unknown)
    cut = read.cut_point if cut_point is None else cut_point
    if read.labels is not None and (log or cut_point is not None):
        raise click.UsageError("--log and --cut-point are for two outcomes; the model has more.")
    machine = read.machine
    if cut_point is not None and isinstance(machine, Generator) and machine.final.all():
        raise click.UsageError("--cut-point is for outcomes, and this generator accepts every word. Leave it out.")
    language = Language(machine, cut) if cut is not None and isinstance(machine, Acceptor) else None
    read = read if cut is None or read.labels is not None else replace(read, cut_point=cut)
    sharded, rows = is_folder_of_shards(data), 0
    with ExitStack() as stack:
        worker = stack.enter_context(options.engine_of(engine, scheduler, threads, sharded))
        write = _writer(stack, output, only, as_json)
        wanted = output is not None or not sys.stdout.isatty()
        callback = stack.enter_context(progress("", lambda rows: {"description": f"{rows:,} rows"}, wanted))
        if sharded:
            options.check_not_given(reading, data)
            chunks = _of_shards(data, machine, worker)
        else:
            how: dict[str, Any] = {
                "alphabet": machine.alphabet,
                "only_words": True,
                "of_events": options.saved_reading(read),
            }
            chunks = ((chunk, None) for chunk in read_chunks(data, **(how | reading)))
        for chunk, values in chunks:
            write(chunk, _scores(chunk, values, read, language, log, threads))
            rows += len(chunk.words)
            if callback:
                callback(rows)


class Scores(NamedTuple):
    """Columns of numbers of some words, and whether the words are accepted if there is a cut point.

    Of three and more classes, probabilities of the likeliest and their numbers. ``classes`` are the names, if any.
    """

    columns: dict[str, list[float]]
    answers: NDArray[np.bool_ | np.intp] | None
    classes: Sequence[Any] | None

    def ends(self, texts: Sequence[str], without: str) -> Iterable[str]:
        """Text behind each score: that of its answer, or the same for all if there is none."""
        answers = self.answers
        return repeat(without) if answers is None else np.array(texts, dtype=object)[answers.astype(np.intp)].tolist()


def _of_shards(
    data: str, machine: Acceptor | Generator, worker: Engine
) -> Iterator[tuple[Chunk, NDArray[np.float64] | None]]:
    """Words of each shard, with their acceptances by an acceptor, which the engine has computed."""
    shards = ShardedSample.open(data)
    if isinstance(machine, Acceptor):
        scored: Iterable[tuple[Sample, Any]] = acceptances_by_shard(machine, shards, engine=worker)
    else:
        scored = ((sample, None) for sample in shards.samples())
    for sample, values in scored:
        numbers = range(1, len(sample) + 1)
        yield Chunk(sample.words, numbers, weights=sample.counts.tolist(), name=data, unit="word"), values


def _scores(
    chunk: Chunk,
    known: NDArray[np.float64] | None,
    model: Model,
    language: Language | None,
    log: bool,
    threads: int | None,
) -> Scores:
    """Scores of a chunk, whose acceptances may be known."""
    if model.labels is not None:
        table = model.probabilities(chunk.words, threads)
        return Scores({"probability": table.max(axis=1).tolist()}, table.argmax(axis=1), model.classes)
    if isinstance(model.machine, Generator):
        return _generator_scores(chunk, model, model.machine, threads)
    found = language.membership(chunk.words, threads) if language else None
    answers = found.members if found else None
    if log:
        logs = model.machine.log_acceptances(chunk.words, threads).tolist()
        return Scores({"log_acceptance": logs}, answers, model.classes)
    if known is None:
        known = found.acceptances if found else model.machine.acceptances(chunk.words, threads)
    return Scores({"acceptance": known.tolist()}, answers, model.classes)


def _generator_scores(chunk: Chunk, model: Model, generator: Generator, threads: int | None) -> Scores:
    """Logarithms of probabilities; with final states also acceptances, NaN where a word has probability 0."""
    logs = generator.log_probabilities(chunk.words, threads)
    columns = {"log_probability": logs.tolist()}
    if generator.final.all():
        return Scores(columns, None, None)
    possible = np.flatnonzero(logs > -math.inf)
    words = [chunk.words[r] for r in possible.tolist()]
    accepted = np.full(len(logs), math.nan)
    accepted[possible] = generator.acceptances(words, threads)
    columns["acceptance"] = accepted.tolist()
    if model.cut_point is None:
        return Scores(columns, None, None)
    answers = np.zeros(len(logs), dtype=np.bool_)
    answers[possible] = model.accepted(words, model.cut_point, threads)
    return Scores(columns, answers, model.classes)


def _writer(stack: ExitStack, output: str | None, only: bool, as_json: bool) -> Callable[[Chunk, Scores], object]:
    """The function that writes scores, as lines or as rows of a table; a file appears only when it is complete."""
    table = next((ending for ending in TABLES if output is not None and output.endswith(ending)), None)
    if output is not None and table is not None:
        if only or as_json:
            raise click.UsageError(f"--only and --json are for text; a {table} file has columns.")
        add = stack.enter_context(TABLES[table](output))
        return lambda chunk, scores: add(_columns(chunk, scores))
    write = partial(print_data, is_json=as_json) if output is None else stack.enter_context(writing_whole(output)).write
    return lambda chunk, scores: write(_json_lines(chunk, scores) if as_json else _lines(chunk, scores, only))


def _columns(chunk: Chunk, scores: Scores) -> dict[str, Sequence[Any]]:
    """Columns of a table."""
    columns: dict[str, Sequence[Any]] = {_name_column(chunk): list(_names(chunk)), **scores.columns}
    if chunk.weights is not None:
        columns["count"] = chunk.weights
    if scores.answers is None:
        return columns
    if scores.answers.dtype == np.bool_:
        columns["accepted"] = scores.answers.tolist()
    if scores.classes is not None:
        columns["outcome"] = list(scores.ends(list(map(str, scores.classes)), ""))
    return columns


def _lines(chunk: Chunk, scores: Scores, only: bool) -> str:
    """Lines of a chunk, each with its line feed."""
    first, *others = scores.columns.values()
    texts = ["\t".join(map(str, row)) for row in zip(first, *others, strict=True)] if others else first
    if only:
        return "".join([f"{text}\n" for text in texts])
    ends = scores.ends([f"\t{plain(name)}\n" for name in scores.classes or ("no", "yes")], "\n")
    lines = [f"{name}\t{text}{end}" for name, text, end in zip(_names(chunk), texts, ends, strict=False)]
    text = "".join(lines)
    tabs = len(scores.columns) + (scores.answers is not None)
    if text.count("\n") != len(lines) or text.count("\t") != tabs * len(lines):
        r = next(r for r, line in enumerate(lines) if line.count("\n") > 1 or line.count("\t") > tabs)
        raise InvalidFile("the word holds a tab or a line feed. Use --json, or --only.", where=chunk.place(r))
    return text


def _json_lines(chunk: Chunk, scores: Scores) -> str:
    """A JSON object per line."""
    ends_of = [f', "outcome": {json_text(name, None)}}}\n' for name in scores.classes or ()] or ["}\n", "}\n"]
    if "probability" not in scores.columns:
        ends_of = [f', "accepted": {word}{end}' for word, end in zip(("false", "true"), ends_of, strict=True)]
    ends = scores.ends(ends_of, "}\n")
    names = [_quoted(name) if isinstance(name, str) else json_text(name, None) for name in _names(chunk)]
    parts = [
        [f'"{column}": {repr(value) if value > -math.inf else "null"}' for value in values]
        for column, values in scores.columns.items()
    ]
    texts = map(", ".join, zip(*parts, strict=True)) if len(parts) > 1 else parts[0]
    key, each = _name_column(chunk), zip(names, texts, ends, strict=False)
    return "".join([f'{{"{key}": {name}, {text}{end}' for name, text, end in each])


def _name_column(chunk: Chunk) -> str:
    return "word" if chunk.ids is None else "id"


def _names(chunk: Chunk) -> Sequence[Any]:
    """What to call each word: its id, or the word as the file has it."""
    if chunk.ids is not None:
        return chunk.ids
    words: Any = chunk.words
    if isinstance(words, Tokens):
        return words.texts
    return [word if isinstance(word, str) else " ".join(map(str, word)) for word in words]
