"""``cutpoint fit``."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np

from cutpoint.assess.evaluation import NO_OUTCOMES, CutPointChoice, chosen_cut_point
from cutpoint.cli import options
from cutpoint.cli.evaluation_summary import say_if_left_out
from cutpoint.cli.fit_summary import FitSummary, GeneratorSummary
from cutpoint.cli.output import json_text, line, message, progress, search_state
from cutpoint.data import Alphabet, Sample
from cutpoint.data.alphabet import OnUnknown
from cutpoint.drawing.report import ENDINGS, report as write_report
from cutpoint.em.observations import check_evidence
from cutpoint.exact import cut_point_value
from cutpoint.files.models import save
from cutpoint.files.samples import read_sample, read_split
from cutpoint.files.streams import name_of
from cutpoint.model import Generator
from cutpoint.model.prediction import ALONG, Model
from cutpoint.search.folds import held_out
from cutpoint.search.generators import law_of_inputs, learn_generator
from cutpoint.search.learn import learn
from cutpoint.search.race import searched_part
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards

RARE = 2  # symbols seen fewer times are rare, unless --min-count says otherwise
NOT_CONVERGED = 4
HOLDOUT = 0.2  # share of the words to judge the model by


@click.command()
@click.argument("data", type=options.FILE)
@click.option("-n", "--states", "n_states", type=options.AT_LEAST_ONE, show_default="chosen", help="Number of states.")
@click.option(
    "--generator", is_flag=True, help="Learn the law of the words as well; DATA may then have words without outcomes."
)
@click.option(
    "--along", is_flag=True, help="Learn from all prefixes of the cases, to predict the outcome while a case goes on."
)
@click.option("-o", "--output", type=options.FILE, required=True, help="File for the model: .json or .npz.")
@click.option("--team", type=options.AT_LEAST_ONE, default=1, help="Number of models to mix.")
@click.option("--test", type=options.FILE, help="File with words to judge the model on, instead of a part of DATA.")
@click.option(
    "--holdout", type=click.FloatRange(0, 0.5), show_default="0.2", help="Share of DATA to judge the model on."
)
@click.option(
    "--baseline", is_flag=True, help="Also judge a logistic regression on 1- to 4-grams (needs scikit-learn)."
)
@click.option(
    "--split-by", "by", metavar="COLUMN", help="Hold out the words that come last by this column, such as a time."
)
@click.option(
    "--cut-point", metavar="NUMBER", show_default="best on cases not learned from", help="Cut point to store."
)
@click.option(
    "--unknown",
    type=click.Choice(get_args(OnUnknown)),
    default="error",
    help="Symbols not learned, when the model is used: refuse them, leave them out, or read them as rare ones.",
)
@click.option(
    "--min-count",
    type=options.AT_LEAST_ONE,
    show_default=str(RARE),
    help="With --unknown rare: symbols seen fewer times are learned as one rare symbol.",
)
@click.option("--report", type=options.FILE, help="File for an HTML page about the model.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Longest time to search.")
@click.option("--checkpoint", type=options.FILE, help="File from which a stopped search can be continued.")
@options.seed
@options.threads
@options.engine
@options.as_json
@options.reading
def command(
    data: str,
    generator: bool,
    along: bool,
    output: str,
    test: str | None,
    holdout: float | None,
    by: str | None,
    baseline: bool,
    cut_point: str | None,
    unknown: OnUnknown,
    min_count: int | None,
    report: str | None,
    time_limit: float | None,
    checkpoint: str | None,
    seed: int,
    threads: int | None,
    engine: str | None,
    scheduler: str | None,
    as_json: bool,
    reading: dict[str, Any],
    **search: Any,
) -> int:
    """Learn a model from DATA: words with outcomes, one per row, or a table of events (--id, --order, --event).

    DATA may be a folder made by cutpoint shard; then nothing is held out, and --test names words to judge by.
    Ctrl-C saves the best model so far. Exit code 4 means that the search was cut short.

    \b
    Example: cutpoint fit journeys.tsv -n 6 -o model.json --report report.html
    """
    options.check_standard_input(data, test)
    options.check_distinct(output, report, checkpoint, inputs=(data, test))
    options.check_output(output, ".json", ".json.gz", ".npz")
    if report is not None:
        options.check_output(report, *ENDINGS)
    choice = None if cut_point is None else CutPointChoice(float(cut_point_value(cut_point)), "as given")
    sharded = is_folder_of_shards(data)
    _check_judged_by(holdout, by, sharded, test)
    _check_unknown(unknown, min_count, sharded)
    _check_learned(generator, along, sharded, report)
    check = _words_will_do if generator else check_evidence
    if sharded and test is None:
        options.check_not_given(reading, data)
    with (
        options.engine_of(engine, scheduler, threads, sharded) as worker,
        progress("learning", search_state) as callback,
    ):
        shards = ShardedSample.open(data) if sharded else None
        if shards is not None:
            training, fresh = searched_part(shards, shards.alphabet, worker), None
        else:
            share = 0.0 if test else HOLDOUT if holdout is None else holdout
            training, fresh = _tables(data, by, share, seed, reading, check)
        check(training)
        training = _rare_as_one(training, unknown, min_count)
        alphabet = Alphabet(training.alphabet, None if unknown == "rare" else unknown)
        if test is not None:
            fresh = read_sample(test, **(reading | {"alphabet": alphabet}))
            check(fresh, NO_OUTCOMES, "standard input" if test == "-" else test)
        elif fresh is not None:
            fresh = fresh.recoded(alphabet)
        cases, judged = training, fresh or training
        if along:
            training, fresh = training.prefixes("prefix"), fresh and fresh.prefixes("case")
        predicts = not generator or _predicts(training, {"--cut-point": cut_point, "--baseline": baseline})
        search |= {"checkpoint": checkpoint, "threads": threads, "engine": worker if shards else None}
        search |= {"time_limit": time_limit, "callback": callback, "rng": seed}
        learned = (learn_generator if generator else learn)(shards or training, **search)
        inputs = None if generator else _inputs(cases, alphabet.on_unknown, threads, seed)
    choice = (choice or chosen_cut_point(learned)) if predicts else None
    outcome, total = options.outcomes_of(reading)[0], (shards or cases).total
    summary = (GeneratorSummary if generator else FitSummary)(
        learned, training, fresh, choice, total, baseline, outcome, inputs, cases if along else None
    )
    name = Path(name_of(data)).name
    _save(summary, output, {"data": name, "seed": seed}, alphabet.on_unknown, reading)
    if report is not None and choice is not None:
        about = summary.about(name, "others, held out" if test is None else name_of(test))
        write_report(
            learned,
            fresh or training,
            report,
            choice.cut_point,
            f"Model of {name}",
            options.outcomes_of(reading),
            summary.baseline,
            about,
            inputs,
            judged if along else None,
        )
    if baseline:
        say_if_left_out(summary.evaluation)
    line(json_text(summary.facts(output)) if as_json else summary.text(output, report))
    if not learned.converged:
        message(f"cutpoint: {learned.stop}")
    return 0 if learned.converged else NOT_CONVERGED


def _rare_as_one(training: Sample, unknown: OnUnknown, min_count: int | None) -> Sample:
    """The sample with rare symbols read as one, if that was asked for; it is said if there are none."""
    if unknown != "rare":
        return training
    found = training.with_rare(min_count or RARE)
    if found.alphabet.on_unknown != "rare":
        message("cutpoint: no symbol is rare, so there is nothing to learn about unknown ones: they will be left out.")
    return found


def _predicts(training: Sample, given: dict[str, Any]) -> bool:
    """Whether a generator will predict outcomes, as words of both outcomes teach; options that need it are refused."""
    both = training.marks is None and {1, 2} <= set(training.ends.tolist())
    for option, value in given.items():
        if value and not both:
            raise click.UsageError(f"{option} is for outcomes, and DATA has not both of them. Leave it out.")
    return both


def _words_will_do(*_: object) -> None:
    """What a generator needs to have seen of the runs: nothing."""


def _inputs(training: Sample, unknown: OnUnknown, threads: int | None, seed: int) -> Generator | None:
    """Law of inputs to save beside the acceptor; Ctrl-C leaves it out, for the model is there already."""
    with suppress(KeyboardInterrupt):
        found = law_of_inputs(training, threads=threads, rng=seed)
        return found and found.with_unknown(unknown)
    return None


def _save(summary: FitSummary, output: str, notes: dict[str, Any], unknown: OnUnknown, reading: dict[str, Any]) -> None:
    """Save the model with its cut point, the names of what it predicts, and notes on where it comes from."""
    learned, choice = summary.learned, summary.choice
    notes |= {"stop": learned.stop.name.lower()} | options.reading_to_save(reading)
    notes |= {} if summary.cases is None else {ALONG: True}
    notes |= {f"held_out_{figure}": value for figure, value in summary.figures.items()}
    machine = learned.model.with_unknown(unknown)
    classes = options.outcomes_of(reading)[::-1] if "positive" in reading else None
    model = Model(machine, metadata=notes, inputs=summary.inputs)
    save(model if choice is None else replace(model, cut_point=choice.cut_point, classes=classes), output)


def _check_learned(generator: bool, along: bool, sharded: bool, report: str | None) -> None:
    """Refuse options on what to learn that do not go together."""
    if report is not None and generator:
        raise click.UsageError("--report is about acceptors; with --generator leave it out.")
    if along and generator:
        raise click.UsageError("--along is for acceptors: a generator forecasts by itself. Leave one of them out.")
    if along and sharded:
        raise click.UsageError("--along is for tables, and DATA is a folder of shards.")


def _check_unknown(unknown: OnUnknown, min_count: int | None, sharded: bool) -> None:
    """Refuse options on unknown symbols that do not go together."""
    if min_count is not None and unknown != "rare":
        raise click.UsageError("--min-count goes with --unknown rare. Add it, or leave --min-count out.")
    if sharded and unknown == "rare":
        raise click.UsageError("--unknown rare is for tables, and DATA is a folder of shards. Use --unknown skip.")


def _check_judged_by(holdout: float | None, by: str | None, sharded: bool, test: str | None) -> None:
    """Refuse options on what to judge by that do not go together."""
    if holdout and (sharded or test is not None):
        other = (
            "--test names the words to judge by" if test is not None else "of a folder of shards nothing is held out"
        )
        raise click.UsageError(f"--holdout takes words from DATA, but {other}. Leave it out.")
    if by is not None and (sharded or test is not None or holdout == 0):
        raise click.UsageError(
            "--split-by holds out a part of a table; it does not go with shards, --test, or --holdout 0."
        )


def _tables(
    data: str, by: str | None, holdout: float, seed: int, reading: dict[str, Any], check: Callable[..., None]
) -> tuple[Sample, Sample | None]:
    """Words of a table to learn from, and those held out to judge by: the last ones by a column, or any."""
    if by is not None:
        training, fresh = read_split(data, options.column_of(by), holdout, **reading)
        check(training)
        check(fresh, NO_OUTCOMES, f"{data}, last by {by}")
        return training, fresh
    sample = read_sample(data, **reading)
    check(sample)
    return held_out(sample, holdout, np.random.default_rng(seed)) if holdout else (sample, None)
