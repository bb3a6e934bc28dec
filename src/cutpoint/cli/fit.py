"""``cutpoint fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from cutpoint.cli import printing
from cutpoint.cli.engines import check_engine_options, engine_of, engine_options
from cutpoint.cli.findings import Findings, facts, findings, text
from cutpoint.cli.options import (
    FILE,
    check_distinct,
    check_output,
    check_standard_input,
    check_unread,
    json_option,
    reading_options,
    seed_option,
    threads_option,
)
from cutpoint.cli.spoken import spoken
from cutpoint.cli.watching import watched_search
from cutpoint.data import Sample
from cutpoint.drawing.report import report
from cutpoint.em.observations import Engine, check_evidence
from cutpoint.exact import cut_point_value
from cutpoint.files.models import save
from cutpoint.files.samples import read_sample
from cutpoint.search.folds import held_out
from cutpoint.search.learn import SEARCHED, learn
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards

NOT_CONVERGED = 4


@click.command()
@click.argument("data", type=FILE)
@click.option(
    "-n", "--states", type=click.IntRange(min=1), help="Number of states; by default chosen on held-out words."
)
@click.option("-o", "--output", type=FILE, required=True, help="File for the model: .json or .npz.")
@click.option("--team", type=click.IntRange(min=1), default=1, show_default=True, help="Acceptors in the mixture.")
@click.option("--test", type=FILE, help="File of words to judge by; by default a fifth of DATA is held out.")
@click.option(
    "--holdout", type=click.FloatRange(0, 0.5), default=0.2, show_default=True, help="Share of DATA held out, or 0."
)
@click.option(
    "--cut-point", help="Cut point to keep; by default the one of highest accuracy on the words learned from."
)
@click.option("--report", "page", type=FILE, help="File for an HTML page about the model.")
@click.option("--time-limit", type=float, help="Most seconds to search.")
@click.option("--checkpoint", type=FILE, help="File that lets a search which was stopped go on.")
@seed_option
@threads_option
@engine_options
@json_option
@reading_options
def command(
    data: str,
    states: int | None,
    output: str,
    team: int,
    test: str | None,
    holdout: float,
    cut_point: str | None,
    page: str | None,
    time_limit: float | None,
    checkpoint: str | None,
    seed: int,
    threads: int | None,
    engine: str | None,
    scheduler: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> int:
    """Learn a model from DATA: words with outcomes, one per row, or a table of events (--id, --order, --event).

    DATA may be a folder made by cutpoint shard; then nothing is held out, and --test gives words to judge by.
    Ctrl-C saves the best so far. Exit code 4 if the search was cut short.

    \b
    Example: cutpoint fit journeys.tsv -n 6 -o model.json --report report.html
    """
    check_standard_input(data, test)
    check_output(output, ".json", ".json.gz", ".npz")
    if page is not None:
        check_output(page)
    if cut_point is not None:
        cut_point_value(cut_point)
    check_distinct(output, page, checkpoint)
    check_engine_options(engine, scheduler, is_folder_of_shards(data))
    if is_folder_of_shards(data) and test is None:
        check_unread(reading, data)
    with engine_of(engine, scheduler, threads) as worker, watched_search() as watch:
        shards = ShardedSample.open(data) if is_folder_of_shards(data) else None
        sample = read_sample(data, **reading) if shards is None else _searched(shards, worker)
        check_evidence(sample)
        training, fresh = _parts(sample, test, holdout if shards is None else 0.0, seed, reading)
        learned = learn(
            shards or training,
            states,
            team,
            threads=threads,
            time_limit=time_limit,
            checkpoint=checkpoint,
            callback=watch,
            rng=seed,
            engine=worker if shards else None,
        )
    found = findings(learned, training, fresh, cut_point)
    save(found.acceptor, output, cut_point=found.cut_point, metadata=_notes(found, data, seed))
    if page is not None:
        report(learned, fresh or training, page, found.cut_point, title=f"Model of {_name(data)}")
    printing.data(printing.as_json(facts(found, output)) if as_json else text(found, output, page))
    if not learned.converged:
        printing.message(f"cutpoint: {spoken(str(learned.stop))}")
    return 0 if learned.converged else NOT_CONVERGED


def _notes(found: Findings, data: str, seed: int) -> dict[str, Any]:
    """Where the model comes from and how well it did, to be kept in its file."""
    origin = {"data": _name(data), "seed": seed, "stop": found.learned.stop.name.lower()}
    return origin | {f"held_out_{name}": value for name, value in found.figures.items()}


def _name(data: str) -> str:
    return "standard input" if data == "-" else Path(data).name


def _searched(shards: ShardedSample, worker: Engine) -> Sample:
    """The part of all shards that stands for them where words are looked at one by one."""
    with worker.observe(shards, shards.alphabet) as data:
        return data.subsample(SEARCHED)


def _parts(
    sample: Sample, test: str | None, holdout: float, seed: int, reading: dict[str, Any]
) -> tuple[Sample, Sample | None]:
    """What is learned from, and what is held out."""
    if test is not None:
        return sample, read_sample(test, **(reading | {"alphabet": sample.alphabet}))
    if not holdout:
        return sample, None
    return held_out(sample, holdout, np.random.default_rng(seed))
