"""The report: an HTML page about a model, for the person who decides whether to use it."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cutpoint.assess.baselines import MEAN
from cutpoint.assess.evaluation import Evaluation, evaluate
from cutpoint.cases.credits import credit_or_reason
from cutpoint.cases.explanation import explain
from cutpoint.data import PlainWord, Sample, html
from cutpoint.data.html import paragraph, table
from cutpoint.data.storage import write_whole
from cutpoint.diagrams.diagram import Diagram, label
from cutpoint.diagrams.picture import Picture
from cutpoint.drawing import plots
from cutpoint.drawing.moves import MOST_EVENTS, Moves
from cutpoint.em import Fit
from cutpoint.errors import CutpointError, InvalidArgument, MissingExtra
from cutpoint.model import Acceptor, Generator
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".html", ".htm")
MOST_CASES = 2  # most cases of a kind and an outcome that are shown
MOST_MATRICES = 6  # most events whose matrices are shown
MOST_COLUMNS = 40  # most states of a matrix that is shown
MOST_BARS = 14  # most bars of a waterfall, about
MOST_CREDITED = 12  # most events whose credit is plotted
WIDTH = 5.2  # inches of a plot that must be legible on a telephone
LEAST_ENTRY = 0.005  # smaller probabilities of a matrix are left blank

STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--faint:#5c646d;--paper:#fff;--line:#d5dae0;--soft:#f4f6f8}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:var(--ink);
background:var(--paper);overflow-wrap:anywhere}
h1{margin:1rem 0 .25rem;line-height:1.2}h2{margin:2.5rem 0 .5rem;line-height:1.25}h3{margin:0 0 .25rem;font-size:1rem}
p{max-width:45rem}p.lead{font-size:1.1rem}.faint,figcaption{color:var(--faint)}
.scroll{overflow-x:auto}.scroll table{overflow-wrap:normal}figure{margin:1rem 0}img{max-width:100%;height:auto}
.wide img{max-width:max(100%,52rem)!important}
table{border-collapse:collapse}td,th{padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:baseline;
border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}td+td,th+th{white-space:nowrap}
.facts td+td{white-space:normal}.matrix td,.matrix th{padding:.1rem .35rem;font-size:.85rem}
details{margin:1rem 0}summary{cursor:pointer;font-weight:600}code{background:var(--soft);padding:.1rem .3rem}
.cases{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1rem}
article{border:1px solid var(--line);border-radius:.4rem;padding:.75rem 1rem;min-width:0}
article p{margin:.25rem 0}article .events{font-size:.9rem}
@media screen and (prefers-color-scheme:dark){
:root{--ink:#e3e5e8;--faint:#a0a7b0;--paper:#141414;--line:#3b4047;--soft:#24272b}
img{filter:invert(.92) hue-rotate(180deg)}}
@media print{:root{color-scheme:light}body{max-width:none;font-size:11pt}h2{break-after:avoid}
article,figure,tr{break-inside:avoid}.scroll{overflow:visible}.wide img{max-width:100%!important}
details::details-content{content-visibility:visible;block-size:auto}}
"""


def report(
    fit: Fit,
    sample: Sample,
    path: str | os.PathLike[str],
    cut_point: Any = 0.5,
    title: str = "A stochastic acceptor",
    outcomes: tuple[str, str] = ("accepted", "rejected"),
    baseline: Sample | float | None = None,
    about: Mapping[str, str] | None = None,
    inputs: Generator | None = None,
    cases: Sample | None = None,
) -> None:
    """Write an HTML page about a fit, judged by a sample, preferably one that it was not learned from.

    The page says how well the outcomes are predicted, beside the base rate and the baselines, and whether the
    probabilities can be taken at their word; it shows the moves that the model makes most, the matrices of the events
    that matter, and the cases that it is surest of and most wrong about, with their ids if the sample has them.

    Parameters
    ----------
    path : a file that ends in ``.html`` or ``.htm``. It loads nothing from elsewhere and needs no script.
    outcomes : your names for accepted and rejected.
    baseline : that of :func:`evaluate`.
    about : more to say in the table at the top, such as the names of files.
    inputs : the law of inputs, a generator (:func:`cutpoint.search.law_of_inputs`), by which cases are explained event
        by event (:func:`explain`). Without one there are no explanations, and the page says so; a generator needs none.
    cases : of a model that was learned from prefixes, the whole cases, whatever the sample to judge by holds.

    Notes
    -----
    The diagram needs the extra ``[draw]`` and is left out without it; plots need the extra ``[plot]``, and without it
    the page says so.

    Examples
    --------
    >>> import tempfile
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), sample)
    >>> cp.report(fit, sample, tempfile.mkdtemp() + "/report.html", outcomes=("bought", "left"))
    """
    if not isinstance(fit, Fit):
        raise InvalidArgument(f"expected a Fit, as baum_welch or learn returns it; got {shown(fit)}.")
    _check_path(path)
    evaluation = evaluate(fit.model, sample, cut_point, baseline=baseline)
    curve = paragraph(str(fit.stop)) + _plot(lambda: plots.learning(fit), "Learning curve")
    page = _Page(evaluation, fit.model, sample, outcomes, inputs, cases)
    _write_page(path, title, page.head(about or {}), page.sections({}, _folded("How it was learned", curve)))


def evaluation_report(
    evaluation: Evaluation,
    model: Acceptor | Generator,
    sample: Sample,
    path: str | os.PathLike[str],
    title: str = "Evaluation",
    outcomes: tuple[str, str] = ("accepted", "rejected"),
    groups: Mapping[str, str] | None = None,
    about: Mapping[str, str] | None = None,
    inputs: Generator | None = None,
    cases: Sample | None = None,
) -> None:
    """Write the page of :func:`report` about an evaluation of a model; ``groups`` are further parts by heading.

    Examples
    --------
    >>> import tempfile
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> evaluation = cp.evaluate(cp.p_adic(2), sample)
    >>> cp.drawing.evaluation_report(evaluation, cp.p_adic(2), sample, tempfile.mkdtemp() + "/page.html")
    """
    _check_path(path)
    page = _Page(evaluation, model, sample, outcomes, inputs, cases)
    _write_page(path, title, page.head(about or {}), page.sections(groups or {}))


class _Page:
    """What the page says of an evaluation of a model by a sample."""

    def __init__(
        self,
        evaluation: Evaluation,
        model: Acceptor | Generator,
        sample: Sample,
        outcomes: tuple[str, str],
        inputs: Generator | None,
        cases: Sample | None,
    ) -> None:
        if not (cases is None or isinstance(cases, Sample)):
            raise InvalidArgument(f"must be a Sample, or None; got {shown(cases)}.", argument="cases")
        if not (isinstance(outcomes, tuple | list) and len(outcomes) == 2):
            raise InvalidArgument(f"must be two texts; got {shown(outcomes)}.", argument="outcomes")
        self.evaluation, self.model = evaluation, model
        self.inputs = model if isinstance(model, Generator) else inputs
        self.sample, self.outcomes = (cases or sample).recoded(model.alphabet), outcomes
        self.has_prefixes = cases is not None
        self.is_explained = self.has_prefixes or self.inputs is not None
        self.judged = "all prefixes of " if cases is not None and cases is not sample else ""

    def head(self, about: Mapping[str, str]) -> str:
        """The answer in a few sentences, and what it is about."""
        if not isinstance(about, Mapping):
            raise InvalidArgument(f"must be a mapping of texts, or None; got {shown(about)}.", argument="about")
        lengths, judged = self.sample.lengths, self.evaluation
        sizes = f"{lengths.min():,} to {lengths.max():,}" if lengths.min() < lengths.max() else f"{lengths.max():,}"
        facts = {
            "judged by": self._cases,
            "events per case": f"{sizes}, of {counted(len(self.sample.alphabet), 'kind')}",
            "model": f"{counted(self.model.n_states, 'state')}; cut point {judged.cut_point:g}",
            **about,
            "date": f"{datetime.now(UTC).date()}",
        }
        rows = "".join(f"<tr><td>{html.escaped(a)}</td><td>{html.escaped(b)}</td></tr>" for a, b in facts.items())
        lead = "".join(f'<p class="lead">{html.escaped(each)}</p>' for each in self._answers())
        return f'{lead}<table class="facts">{rows}</table>'

    def _answers(self) -> Iterable[str]:
        """What the figures mean, in sentences."""
        judged, mean = self.evaluation, self.evaluation.baselines.get(MEAN)
        if judged.base_rate is None or judged.accuracy is None:
            return
        low, high = (f"{100 * end:.0f}" for end in judged.intervals.get("accuracy", (judged.accuracy,) * 2))
        usual = max(judged.base_rate, 1 - judged.base_rate)
        first, second = (f"“{name}”" for name in self.outcomes)
        yield (
            f"{100 * judged.base_rate:.1f} % of {self._cases} have the outcome {first}. The model predicts "
            f"{100 * judged.accuracy:.0f} % of the outcomes right (95 % interval {low} to {high} %); to say "
            f"{first if judged.base_rate > 0.5 else second} every time is right for {100 * usual:.0f} %."
        )
        if judged.auc is not None:
            yield (
                f"Of two cases, one with the outcome {first} and one with {second}, it gives the first the higher "
                f"probability in {100 * judged.auc:.0f} of 100 pairs; chance is 50."
            )
        end = judged.intervals.get("log_loss", (0.0, judged.log_loss))[1]
        if mean is not None and not end < mean.log_loss:
            yield (
                "Its probabilities are not clearly better than always the mean: the interval of its log loss reaches "
                f"up to {end:.4f}, and that of always the mean is {mean.log_loss:.4f}."
            )

    @property
    def _cases(self) -> str:
        return self.judged + self.evaluation.what.replace("observation", "case")

    def sections(self, groups: Mapping[str, str], *folded: str) -> dict[str, str]:
        """All parts of the page by heading."""
        return {
            "How good it is": _scrolling(table(self.evaluation.rows())) + paragraph(FIGURES),
            **groups,
            "Can its probabilities be believed?": self._calibration(),
            "Which events make the difference": self._credit(),
            "What it learned": self._learned() + "".join(folded),
            **self._best_and_worst(),
        }

    def _calibration(self) -> str:
        """Plot of the predicted probabilities beside what happened; nothing without verdicts."""
        values, accepted, weights = self.evaluation.predictions.verdicts()
        if not len(values):
            return ""
        name = self.outcomes[0]
        told = (
            "Cases with similar predictions are put together; each point shows how many of them turned out "
            f"“{name}”. The closer to the dashed line, the better; where the bar of a point (a 95 % interval) crosses "
            "that line, nothing is wrong."
        )
        plot = _plot(lambda: plots.calibration(values, accepted, weights, outcome=name), "Calibration plot")
        return paragraph(told) + plot

    def _credit(self) -> str:
        """What each event changed in the forecasts of all cases."""
        if not self.is_explained:
            return paragraph(NO_LAW)
        found = credit_or_reason(self.model, self.sample, self.inputs, self.outcomes[0], self.has_prefixes)
        if isinstance(found, str):
            return paragraph(f"What single events changed is left out: {found}")
        plot = _plot(lambda: _narrow(plots.credit(found, most=MOST_CREDITED)), "Credit of events")
        rows = found.rows()
        return paragraph(found.head) + plot + _folded("All events", _scrolling(table(rows, most_rows=len(rows))))

    def _learned(self) -> str:
        """Diagram of the strongest moves, and the matrices of the events that matter."""
        moves = Moves.of(self.model, self.sample)
        diagram, share = moves.strongest()
        picture = _narrower(diagram).html(f"Diagram of {counted(len(diagram.nodes), 'state')}")
        members, names = len(moves.parts), moves.names(moves.parts[0])
        told = paragraph(f"The model is a team of {members} machines; below is one of them.") * (members > 1)
        if picture and diagram.arrows:
            few = f" and {len(diagram.nodes)} of {len(names)} states" * (len(diagram.nodes) < len(names))
            whole = f"The picture shows {100 * share:.0f} % of the moves from one state to another{few}"
            caption = (
                "A case moves from state to state with each event. Below the name of a state: of the visits to it, the "
                f"share by cases that end “{self.outcomes[0]}”, as all do that end in a state with a double border. "
                f"Beside an arrow: the events that cause it most, at most {MOST_EVENTS}, each with its probability to "
                f"do so there. Events that keep a case where it is are left out. {whole}."
            )
            told += f'<figure class="wide"><div class="scroll">{picture}</div><figcaption>{html.escaped(caption)}'
            told += "</figcaption></figure>"
        if len(names) > MOST_COLUMNS:
            return told
        states = moves.parts[0]
        parts = []
        for symbol in moves.symbols_that_matter(MOST_MATRICES):
            matrix = self.model.transitions[self.model.alphabet.code(symbol)][np.ix_(states, states)]
            rows = [
                [name, *("" if p < LEAST_ENTRY else f"{p:.2f}" for p in row)]
                for name, row in zip(names, matrix, strict=True)
            ]
            cells = table([["", *names], *rows], html.HEAD, len(rows), len(names))
            parts.append(f'<h3>{html.escaped(label(symbol))}</h3><div class="scroll matrix">{cells}</div>')
        rest = f"Probabilities below {LEAST_ENTRY} are left blank. The rows are the states before the event."
        return told + _folded("Matrices of the events that matter most", paragraph(rest) + "".join(parts))

    def _best_and_worst(self) -> dict[str, str]:
        """Cases whose outcome is predicted best and worst, from the events alone."""
        known, accepted = self.sample.ends > 0, self.sample.ends == 1
        values = np.full(len(self.sample), 0.5)
        if known.any():
            values[known] = self.model.acceptances(self.sample.take(np.flatnonzero(known)))
        error = np.abs(values - accepted)
        order = np.flatnonzero(known)[np.argsort(error[known], kind="stable")]
        right, wrong = order[error[order] < 0.5], order[::-1][error[order[::-1]] > 0.5]
        found, explained = {}, paragraph(WATERFALL) * self.is_explained
        for heading, rows in {"Cases it is surest of": right, "Cases it is most wrong about": wrong}.items():
            chosen = [*rows[accepted[rows]][:MOST_CASES].tolist(), *rows[~accepted[rows]][:MOST_CASES].tolist()]
            if chosen:
                found[heading] = (
                    explained + f'<div class="cases">{"".join(self._case(r, values[r]) for r in chosen)}</div>'
                )
        return found

    def _case(self, r: int, value: float) -> str:
        """A case: its id, how it ended and what was predicted, its events."""
        cases, times = self.sample.cases, round(float(self.sample.counts[r]))
        ids = () if cases is None else (cases.ids[k] for k in np.flatnonzero(cases.observations == r).tolist())
        name = "".join(f"Case {label(first)}: " for first in islice(ids, 1))
        ended = self.outcomes[0 if self.sample.ends[r] == 1 else 1]
        told = f"{name}{ended}; predicted {100 * value:.1f} % {self.outcomes[0]}"
        word = self.sample.alphabet.decode(self.sample.decoded.word(r))
        alike = f" ({times:,} cases with these events)" if times > 1 else ""
        events = f'<p class="events faint">{html.escaped(_events(word))}{alike}</p>'
        return f"<article><h3>{html.escaped(told)}</h3>{events}{self._waterfall(word)}</article>"

    def _waterfall(self, word: PlainWord) -> str:
        """What each event of a case changed; nothing without a law of inputs."""
        if not self.is_explained:
            return ""
        try:
            why = explain(self.model, word, self.inputs, prefixes=self.has_prefixes, outcome=self.outcomes[0])
        except CutpointError as error:
            return paragraph(f"What its events changed is left out: {error}")

        def plot() -> Figure:
            figure = _narrow(plots.waterfall(why, most=MOST_BARS))
            figure.axes[0].set(xlim=(0.0, 1.2), xticks=[0, 0.2, 0.4, 0.6, 0.8, 1])  # of all cases alike
            return figure

        return _plot(plot, f"What each event changed in the probability of {self.outcomes[0]}")


FIGURES = (
    "Log loss and Brier score: less is better. AUC and accuracy: more is better. Intervals are of 200 resampled "
    "samples; the other columns are predictions that know little, which a useful model must beat."
)
WATERFALL = (
    "From top to bottom: what could be expected before the first event, what each event changed in that, what the end "
    "of the case changed, and the prediction."
)
NO_LAW = (
    "What single events changed is left out: it takes a law of inputs, which this model does not have. cutpoint fit "
    "learns one; in Python pass inputs=cp.search.law_of_inputs(sample)."
)


def _events(word: Iterable[Any]) -> str:
    """Events of a case in their order; letters side by side, others with how often they come in a row."""
    if isinstance(word, str):
        return word or "(no events)"
    runs = [(label(symbol), len(list(times))) for symbol, times in groupby(word)]
    return " · ".join(f"{name} ×{times}" if times > 1 else name for name, times in runs) or "(no events)"


def _check_path(path: str | os.PathLike[str]) -> None:
    if not (isinstance(path, str | os.PathLike) and Path(path).suffix.lower() in ENDINGS):
        raise InvalidArgument(f"the path of a report must end in .html or .htm; got {shown(path)}.")


def _write_page(path: str | os.PathLike[str], title: str, head: str, sections: Mapping[str, str]) -> None:
    """A page of sections by heading; those without content are left out."""
    parts = [f"<section><h2>{escape(name)}</h2>{content}</section>" for name, content in sections.items() if content]
    document = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{html.escaped(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{html.escaped(title)}</h1>{head}{''.join(parts)}</body></html>\n"
    )
    write_whole(path, document.encode("utf-8"))


def _scrolling(content: str) -> str:
    return f'<div class="scroll">{content}</div>'


def _folded(heading: str, content: str) -> str:
    return f"<details><summary>{escape(heading)}</summary>{content}</details>"


def _narrower(diagram: Diagram) -> Diagram:
    """The diagram from left to right or from top to bottom, whichever is narrower."""
    ways = [replace(diagram, look=replace(diagram.look, orientation=each)) for each in ("right", "down")]
    try:
        return min(ways, key=lambda way: int(re.findall(r'<svg width="(\d+)', Picture(way).svg)[0]))
    except MissingExtra:
        return diagram


def _narrow(figure: Figure) -> Figure:
    figure.set_size_inches(WIDTH, figure.get_figheight())
    return figure


def _plot(plot: Callable[[], Figure], description: str) -> str:
    """A plot as an image, whose names and styles cannot collide with those of another one."""
    try:
        content = b64encode(plots.rendered(plot(), ".svg")).decode("ascii")
    except MissingExtra:
        return '<p>Plots need matplotlib: <code>pip install "cutpoint[plot]"</code>.</p>'
    return f'<img alt="{html.escaped(description)}" src="data:image/svg+xml;base64,{content}">'
