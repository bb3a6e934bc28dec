"""``cutpoint evaluate``."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from cutpoint.assess.evaluation import NO_OUTCOMES, evaluate
from cutpoint.cli import options
from cutpoint.cli.evaluation_summary import facts, lines
from cutpoint.cli.output import json_text, line, message
from cutpoint.data import Sample
from cutpoint.data.alphabet import OnUnknown
from cutpoint.drawing.report import evaluation_report
from cutpoint.em.observations import AnySample, check_evidence
from cutpoint.files.samples import read_sample
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("data", type=options.FILE)
@options.cut_point
@options.unknown
@click.option("--last", is_flag=True, help="Judge the last verdict on each word alone.")
@click.option("--baseline", type=options.FILE, help="File to train baselines on: the mean, and 1- to 4-grams.")
@click.option("--report", type=options.FILE, help="File for an HTML page.")
@options.threads
@options.engine
@options.as_json
@options.reading
def command(
    model: str,
    data: str,
    cut_point: str | None,
    unknown: OnUnknown | None,
    last: bool,
    baseline: str | None,
    report: str | None,
    threads: int | None,
    engine: str | None,
    scheduler: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """How well MODEL predicts the outcomes in DATA, which it should not have learned from.

    Only rows with an outcome count; verdicts along a word are judged one by one, each from what came before it. Every
    figure has a 95 % interval and stands beside that of always the mean.

    \b
    Example: cutpoint evaluate model.json test.tsv --report evaluation.html
    """
    options.check_standard_input(model, data, baseline)
    options.check_distinct(report, inputs=(model, data, baseline))
    if report is not None:
        options.check_output(report)
    read = options.model_of(model, unknown=unknown)
    cut = next(each for each in (cut_point, read.cut_point, 0.5) if each is not None)
    name, sharded = "standard input" if data == "-" else data, is_folder_of_shards(data)
    if sharded:
        options.check_not_given(reading, data)
        for option, given in (("--baseline", baseline), ("--report", report)):
            if given is not None:
                raise click.UsageError(f"{option} is for tables, and {data} is a folder of shards.")
    outcomes = options.outcomes_of(reading, read)
    reading |= {"alphabet": read.acceptor.alphabet, "of_events": options.saved_reading(read)}
    with options.engine_of(engine, scheduler, threads, sharded) as worker:
        sample: AnySample = ShardedSample.open(data) if sharded else read_sample(data, **reading)
        check_evidence(sample, NO_OUTCOMES, name)
        training = None if baseline is None else read_sample(baseline, **reading)
        judged = evaluate(read.acceptor, sample, cut, baseline=training, last=last, engine=worker if sharded else None)
    if baseline is not None and find_spec("sklearn") is None:
        message('cutpoint: 1- to 4-grams need scikit-learn; install it with: pip install "cutpoint[sklearn]".')
    if report is not None and isinstance(sample, Sample):
        title = f"{Path(model).name} on {Path(name).name}"
        evaluation_report(judged, read.acceptor, sample, report, title, outcomes)
    if as_json:
        line(json_text({"model": model, "data": name} | facts(judged)))
        return
    rate = "" if judged.base_rate is None else f", {100 * judged.base_rate:.1f} % {outcomes[0]}"
    line("\n".join([f"{model} on {judged.what} of {name}{rate}", *lines(judged, outcomes[0])]))
