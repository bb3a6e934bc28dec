"""``cutpoint demo``: a tour, on customer journeys from a known hidden process."""

import time
from importlib.util import find_spec
from pathlib import Path

import click
import numpy as np

from cutpoint.assess.evaluation import evaluate
from cutpoint.cli import options
from cutpoint.cli.output import line, progress, search_state
from cutpoint.data import Sample
from cutpoint.drawing.report import ENDINGS, report
from cutpoint.drawing.tables import forward_table
from cutpoint.kernels import kernel_info
from cutpoint.model import gallery, random_words, simulate
from cutpoint.search.generators import law_of_inputs
from cutpoint.search.learn import learn
from cutpoint.workbench.page_files import PAGE

TRUTH = gallery.customers()  # what nobody sees: how interested a customer is. Those who are ready at the end buy
JOURNEY = ["ad", "visit", "wait", "mail", "cart"]
N_TRAINING, N_FRESH = 8_000, 4_000
N_SLOW, SECONDS_SLOW = 1_000, 20.0  # journeys to learn from and longest time to search without compiled kernels


@click.command()
@click.option("-o", "--output", type=options.FILE, default="cutpoint-demo.html", help="HTML report.")
@options.seed
@options.threads
def command(output: str, seed: int, threads: int | None) -> None:
    """A tour: customer journeys from a known hidden process, a model learned from the outcomes alone, a report.

    \b
    Example: cutpoint demo -o tour.html
    """
    options.check_output(output, *ENDINGS)
    _title("The hidden process: one matrix per event, four states")
    line(TRUTH.table(digits=2))
    _title(f"The probabilities after each event of the journey {' '.join(JOURNEY)}")
    line(str(forward_table(TRUTH, JOURNEY)))
    slow = kernel_info()["kernels"] == "reference"
    sample, fresh = _journeys(N_SLOW if slow else N_TRAINING, 2 * seed), _journeys(N_FRESH, 2 * seed + 1)
    _title(f"{sample.total:,.0f} journeys; only the events and the outcome are seen")
    line(repr(sample))
    began = time.monotonic()
    with progress("learning", search_state) as callback:
        limit = SECONDS_SLOW if slow else None
        learned = learn(sample, n_states=4, threads=threads, time_limit=limit, callback=callback, rng=seed)
    _title(f"Learned from them in {time.monotonic() - began:.0f} s, with four states")
    line(learned.acceptor.table(digits=2))
    _title(f"Log loss on {N_FRESH:,} new journeys (less is better)")
    judged = evaluate(learned.acceptor, fresh, baseline=sample)
    losses = {"the hidden process itself": evaluate(TRUTH, fresh).log_loss, "learned": judged.log_loss}
    losses |= {name: figures.log_loss for name, figures in judged.baselines.items()}
    for name, loss in losses.items():
        line(f"{name:34} {loss:.4f}")
    words = random_words(TRUTH.alphabet, 2_000, (9, 14), rng=seed + 5)
    apart = np.abs(learned.acceptor.acceptances(words) - TRUTH.acceptances(words))
    line(f"\non longer journeys, learned and true probabilities differ by {apart.mean():.3f} on average.")
    rate, inputs = sample.seen.share_accepted, law_of_inputs(sample, threads=threads, rng=seed)
    report(learned, fresh, output, title="Customer journeys", baseline=rate, inputs=inputs)
    line(f"\nreport: {Path(output).resolve()}")
    line("next: cutpoint fit your-data.tsv -o model.json --report report.html")
    if find_spec("starlette") and PAGE.is_dir():  # the extra, and a page that was built
        line("see it think, in a browser: cutpoint workbench gallery:customers")


def _title(text: str) -> None:
    line(f"\n{text}\n{'-' * len(text)}")


def _journeys(count: int, seed: int) -> Sample:
    words = random_words(TRUTH.alphabet, count, (2, 8), rng=2 * seed)
    return simulate(TRUTH, words, rng=2 * seed + 1)
