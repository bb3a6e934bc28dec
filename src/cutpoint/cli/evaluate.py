"""``cutpoint evaluate``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from cutpoint.assess.evaluation import NO_OUTCOMES, evaluate
from cutpoint.cli import options
from cutpoint.cli.evaluation_summary import DRIFT, STAR, facts, group_rows, indented, lines, say_if_left_out
from cutpoint.cli.groups import groups_of
from cutpoint.cli.output import json_text, line
from cutpoint.data import Sample
from cutpoint.data.alphabet import OnUnknown
from cutpoint.data.html import paragraph, table
from cutpoint.drawing.report import ENDINGS, evaluation_report
from cutpoint.em.observations import AnySample, check_evidence
from cutpoint.errors import InvalidSample
from cutpoint.files.samples import check_positive_outcome, read_chunks
from cutpoint.files.streams import name_of
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards
from cutpoint.wording import printable

ALL = "all"
OF_SHARDS = {  # what to do where the data are shards, which keep words with their outcomes, but no ids and columns
    "--baseline": "Evaluate a table with a part of the cases.",
    "--by": "Evaluate the table itself, or make a folder of shards for each group and evaluate each.",
    "--report": "It shows single cases, and shards keep no ids: evaluate a table with a part of the cases.",
}


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("data", type=options.FILE)
@options.cut_point
@options.unknown
@click.option("--last", is_flag=True, help="Judge only the last verdict on each word.")
@click.option("--baseline", type=options.FILE, help="File to train baselines on: the mean, and 1- to 4-grams.")
@click.option(
    "--by", metavar="COLUMN", help="Judge also in groups: by region, say, or by month where the column has dates."
)
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
    by: str | None,
    report: str | None,
    threads: int | None,
    engine: str | None,
    scheduler: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """How well MODEL predicts the outcomes in DATA, which it should not have learned from.

    Only rows with an outcome count; verdicts along a word are judged one by one, each from what came before it. A model
    of fit --along is judged by all prefixes of the cases, each case with the same weight. Every figure has a 95 %
    interval and is compared with always predicting the mean. In a table of events, --by takes the value at the first
    event of a case.

    \b
    Example: cutpoint evaluate model.json test.tsv --report evaluation.html
    """
    options.check_standard_input(model, data, baseline)
    options.check_distinct(report, inputs=(model, data, baseline))
    if report is not None:
        options.check_output(report, *ENDINGS)
    read = options.model_of(model, unknown=unknown)
    name, sharded = name_of(data), is_folder_of_shards(data)
    if sharded:
        options.check_not_given(reading, data)
        for option, given in (("--baseline", baseline), ("--by", by), ("--report", report)):
            if given is not None:
                raise click.UsageError(f"{option} is for tables, and {data} is a folder of shards. {OF_SHARDS[option]}")
    reading |= {"alphabet": read.machine.alphabet, "of_events": options.saved_reading(read)}
    with options.engine_of(engine, scheduler, threads, sharded) as worker:
        groups = {} if sharded else _samples(data, by, reading)
        sample: AnySample = (
            ShardedSample.open(data) if sharded else Sample.concatenate([*groups.values()], reading["alphabet"])
        )
        check_evidence(sample, NO_OUTCOMES, name)
        outcomes = options.outcomes_of(reading, read)
        training = None if baseline is None else _samples(baseline, None, reading)[ALL]
        cases = sample if isinstance(sample, Sample) and read.is_along else None
        if cases is not None:  # judged by all prefixes, as fit --along does
            sample, training = cases.prefixes("case"), training and training.prefixes("case")
            groups = {group: part.prefixes("case") for group, part in groups.items() if part.has_evidence}
        judged = evaluate(read.machine, sample, cut_point, baseline=training, last=last, engine=worker)
        share = judged.base_rate if training is None else training.seen.share_accepted
        parts = {
            group: evaluate(read.machine, part, cut_point, baseline=share, last=last, engine=worker)
            for group, part in groups.items()
            if part.has_evidence and by is not None
        }
    if baseline is not None:
        say_if_left_out(judged)
    rows = group_rows(parts, judged, outcomes[0])
    note = DRIFT if any(row[-1] == STAR for row in rows) else ""
    if report is not None and isinstance(sample, Sample):
        title = f"{Path(model).name} on {Path(name).name}"
        by_group = f'<div class="scroll">{table(rows, most_rows=len(rows))}</div>{paragraph(note)}' if parts else ""
        by_column, law = {f"By {by}": by_group}, read.inputs
        evaluation_report(judged, read.machine, sample, report, title, outcomes, by_column, inputs=law, cases=cases)
    if as_json:
        told = {"model": model, "data": name} | facts(judged)
        told |= {"groups": [{"group": group} | facts(each) for group, each in parts.items()]} if parts else {}
        line(json_text(told))
        return
    rate = "" if judged.base_rate is None else f", {100 * judged.base_rate:.1f} % {outcomes[0]}"
    prefixes = "" if cases is None else "all prefixes of "
    line("\n".join([printable(f"{model} on {prefixes}{judged.what} of {name}{rate}"), *lines(judged, outcomes[0])]))
    if parts:
        line("\n".join(["", printable(f"by {by}"), *indented(rows), *["", f"  {note}"] * bool(note)]))


def _samples(data: str, by: str | None, reading: dict[str, Any]) -> dict[str, Sample]:
    """Sample of each group of rows by a column, or of all rows as one group."""
    chunks = list(read_chunks(data, **reading, by=None if by is None else options.column_of(by)))
    ends = np.cumsum([len(chunk.words) for chunk in chunks])
    groups: dict[str, Sequence[int]] = {ALL: range(ends[-1])}
    if by is not None:
        groups = groups_of([value for chunk in chunks for value in chunk.by or ()], by)
    found = {}
    for group, rows in groups.items():
        places = zip(chunks, (0, *ends), np.split(np.array(rows), np.searchsorted(rows, ends[:-1])), strict=False)
        parts = [
            chunk if len(at) == len(chunk.words) else chunk.part(at - start) for chunk, start, at in places if len(at)
        ]
        samples = [part.sample(reading["alphabet"]) for part in parts]
        if known := [sample for sample in samples if sample is not None]:
            found[group] = Sample.concatenate(known, reading["alphabet"])
    if not found:
        raise InvalidSample("at least one observation must have a positive count; none has.", where=name_of(data))
    check_positive_outcome(found.values(), reading.get("positive"), name_of(data))
    return found
