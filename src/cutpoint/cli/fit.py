"""``cutpoint fit``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from cutpoint.cli import printing
from cutpoint.cli.engines import check_engine_options, engine_of, engine_options
from cutpoint.cli.options import json_option, reading_options, seed_option, threads_option
from cutpoint.data import Sample
from cutpoint.data.names import counted
from cutpoint.errors import InvalidSample
from cutpoint.estimator.cut import best_cut_point
from cutpoint.exact import cut_point_value
from cutpoint.formats.models import save
from cutpoint.formats.samples import read_sample
from cutpoint.formats.shards.sample import ShardedSample, is_folder_of_shards
from cutpoint.learning.engine import Engine
from cutpoint.learning.evaluation import Evaluation, evaluate
from cutpoint.learning.folds import splits
from cutpoint.learning.learn import SEARCHED, learn
from cutpoint.learning.learned import Learned
from cutpoint.learning.search import SearchProgress
from cutpoint.learning.sharded import Sharded
from cutpoint.learning.telling import telling_symbols
from cutpoint.model import Acceptor
from cutpoint.show.calibration import Bin, calibration
from cutpoint.show.report import report

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_CONVERGED = 4
MOST_SHOWN = 3
"""Matrices of the most telling symbols that are printed."""


@dataclass(frozen=True)
class Outcome:
    """What a fit found, and how well it does on words held out."""

    learned: Learned
    cut_point: float
    training: Sample
    held_out: Sample | None
    evaluation: Evaluation | None
    bins: tuple[Bin, ...]

    @property
    def acceptor(self) -> Acceptor:
        """The acceptor found."""
        return self.learned.acceptor


@click.command()
@click.argument("data")
@click.option(
    "-n", "--states", type=click.IntRange(min=1), help="Number of states; by default chosen on held-out words."
)
@click.option("-o", "--output", required=True, help="File for the model: .json or .npz.")
@click.option("--team", type=click.IntRange(min=1), default=1, show_default=True, help="Acceptors in the mixture.")
@click.option("--test", help="File of words to judge by; by default a fifth of DATA is held out.")
@click.option(
    "--holdout", type=click.FloatRange(0, 0.5), default=0.2, show_default=True, help="Share of DATA held out."
)
@click.option(
    "--cut-point", help="Cut point to keep; by default the one of highest accuracy on the words learned from."
)
@click.option("--report", "page", help="File for an HTML page about the model.")
@click.option("--time-limit", type=float, help="Most seconds to search.")
@click.option("--checkpoint", help="File that lets a search which was stopped go on.")
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
    shards = ShardedSample.open(data) if is_folder_of_shards(data) else None
    check_engine_options(engine, scheduler, shards is not None)
    with engine_of(engine, scheduler, threads) as worker, printing.progress() as bar:
        training, held_out = (
            _parts_of_shards(shards, worker, test, reading)
            if shards
            else _parts(read_sample(data, **reading), test, holdout, seed, reading)
        )
        learned = learn(
            shards or training,
            states,
            team,
            threads=threads,
            time_limit=time_limit,
            checkpoint=checkpoint,
            callback=_watcher(bar),
            rng=seed,
            engine=worker if shards else None,
        )
    outcome = _outcome(learned, training, held_out, cut_point)
    notes: dict[str, Any] = {"data": Path(data).name, "seed": seed, "stop": learned.stop.name.lower()}
    save(outcome.acceptor, output, cut_point=outcome.cut_point, metadata=notes | _figures(outcome))
    if page is not None:
        report(learned, outcome.held_out or training, page, outcome.cut_point, title=f"Model of {Path(data).name}")
    printing.data(printing.as_json(_facts(outcome, output)) if as_json else _text(outcome, output, page))
    if not learned.converged:
        printing.message(f"cutpoint: {learned.stop}")
    return 0 if learned.converged else NOT_CONVERGED


def _parts(
    sample: Sample, test: str | None, holdout: float, seed: int, reading: dict[str, Any]
) -> tuple[Sample, Sample | None]:
    """What is learned from, and what is held out."""
    if test is not None:
        return sample, read_sample(test, **(reading | {"alphabet": sample.alphabet}))
    if not holdout:
        return sample, None
    if sample.total < 2 / holdout:
        raise InvalidSample(
            f"to hold out {holdout:g} of the words there must be at least {2 / holdout:g}; got "
            f"{counted(sample.total, 'word')}. Give --holdout 0, or --test with a file to judge by."
        )
    split = splits(sample, round(1 / holdout), np.random.default_rng(seed))[0]
    return split.training, split.validation


def _parts_of_shards(
    shards: ShardedSample, worker: Engine, test: str | None, reading: dict[str, Any]
) -> tuple[Sample, Sample | None]:
    """What stands for all shards where words are looked at one by one, and the words to judge by."""
    where = Sharded(shards, shards.alphabet, worker)
    try:
        part = where.part(SEARCHED)
    finally:
        where.close()
    return part, None if test is None else read_sample(test, **(reading | {"alphabet": shards.alphabet}))


def _watcher(bar: Any) -> Callable[[SearchProgress], None] | None:
    """Callback that moves a progress bar, if there is one."""
    if bar is None:
        return None
    task = bar.add_task("learning", total=None)

    def watch(at: SearchProgress) -> None:
        done = (at.fold - 1) * at.rounds + at.round
        told = f"{counted(at.n_states, 'state')}, fold {at.fold} of {at.folds}, held-out log loss {at.loss:.4f}"
        bar.update(task, description=told, completed=done, total=at.folds * at.rounds)

    return watch


def _outcome(learned: Learned, training: Sample, held_out: Sample | None, cut_point: str | None) -> Outcome:
    acceptor = learned.acceptor
    chosen = float(cut_point_value(cut_point)) if cut_point is not None else _best_cut(acceptor, training)
    if held_out is None:
        return Outcome(learned, chosen, training, None, None, ())
    told = held_out.ends > 0
    bins: tuple[Bin, ...] = ()
    if told.any():
        values = acceptor.acceptances(held_out)[told]
        bins = calibration(values, held_out.ends[told] == 1, held_out.counts[told])
    return Outcome(learned, chosen, training, held_out, evaluate(acceptor, held_out, chosen), bins)


def _best_cut(acceptor: Acceptor, training: Sample) -> float:
    told = training.ends > 0
    if not told.any():
        return 0.5
    values = acceptor.acceptances(training)[told]
    return best_cut_point(values, training.ends[told] == 1, training.counts[told])


def _figures(outcome: Outcome) -> dict[str, Any]:
    """Held-out figures, for the file and for JSON."""
    judged = outcome.evaluation
    if judged is None:
        return {}
    named = {"log_loss": judged.log_loss, "auc": judged.auc, "accuracy": judged.accuracy, "held_out": judged.total}
    return {name: value for name, value in named.items() if value is not None and np.isfinite(value)}


def _facts(outcome: Outcome, output: str) -> dict[str, Any]:
    return {
        "model": output,
        "states": outcome.acceptor.n_states,
        "symbols": outcome.acceptor.n_symbols,
        "cut_point": outcome.cut_point,
        "stop": outcome.learned.stop.name.lower(),
        "held_out": _figures(outcome),
        "calibration": [asdict(each) for each in outcome.bins],
        "telling": [asdict(each) for each in telling_symbols(outcome.acceptor, outcome.training)],
    }


def _text(outcome: Outcome, output: str, page: str | None) -> str:
    acceptor, judged = outcome.acceptor, outcome.evaluation
    lines = [f"{counted(acceptor.n_states, 'state')}, {counted(acceptor.n_symbols, 'symbol')}; model in {output}"]
    if judged is not None:
        lines += [f"held-out log loss  {judged.log_loss:.4f}   ({counted(judged.total, 'observation')})"]
        lines += [f"held-out AUC       {judged.auc:.4f}"] * (judged.auc is not None)
        if judged.accuracy is not None:
            lines += [f"held-out accuracy  {judged.accuracy:.4f}   at the cut point {outcome.cut_point:g}"]
        lines += ["", "calibration: predicted, accepted, words", *map(_bin_line, outcome.bins)]
    telling = telling_symbols(acceptor, outcome.training)[:MOST_SHOWN]
    for each in telling:
        lines += ["", f"{each.symbol}: moves the acceptance by {each.size:.3f} on average ({each.change:+.3f})"]
        lines += [_rows(acceptor, acceptor.alphabet.code(each.symbol))]
    lines += ["", f"score new words:  cutpoint score {output} new.tsv", f"in Python:        cp.load({output!r})"]
    lines += [f"report:           {page}"] * (page is not None)
    return "\n".join(lines)


def _bin_line(each: Bin) -> str:
    return f"  {each.probability:.3f}  {each.accepted:.3f}  {each.count:g}"


def _rows(acceptor: Acceptor, code: int) -> str:
    """Matrix of a symbol, as lines."""
    part = acceptor.replace(alphabet=[acceptor.alphabet[code]], transitions=acceptor.transitions[[code]])
    return part.table()
