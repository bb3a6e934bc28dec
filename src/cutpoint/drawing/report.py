"""The report: an HTML page about a learned acceptor."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from cutpoint.assess.evaluation import Evaluation, evaluate
from cutpoint.cases.credits import credit_or_reason
from cutpoint.data import PlainWord, Sample
from cutpoint.data.html import cleaned, paragraph, table
from cutpoint.data.storage import write_whole
from cutpoint.diagrams.diagram import Look
from cutpoint.drawing import plots
from cutpoint.em import Fit
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.model import Acceptor, Generator
from cutpoint.model.text import page
from cutpoint.wording import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 10  # most symbols or words of a table
LEAST_DRAWN = 0.05  # arrows of a smaller probability are left out of the diagram

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;"
    "background:#fff}"
    "table{border-collapse:collapse;margin:.5rem 1rem .5rem 0}td,th{padding:.15rem .6rem;text-align:left;"
    "border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums}td+td{white-space:nowrap}"
    "img,svg{max-width:100%;height:auto}h2{margin-top:2rem}figure{margin:0;max-width:100%;overflow-x:auto}"
    "code{background:#f3f3f3;padding:.1rem .3rem}"
)


def report(
    fit: Fit,
    sample: Sample,
    path: str | os.PathLike[str],
    cut_point: Any = 0.5,
    title: str = "A stochastic acceptor",
    outcomes: tuple[str, str] = ("accepted", "rejected"),
    baseline: Sample | float | None = None,
    inputs: Generator | None = None,
) -> None:
    """Write an HTML page about a fit, evaluated on a sample, preferably one that it was not learned from.

    The page has the scores beside those of baselines, the diagram and matrices, the learning curve, the calibration,
    the credit of events, if there is a law of ``inputs``, and the words that the acceptor predicts best and worst.
    ``outcomes`` are your names for accepted and rejected, ``baseline`` is that of :func:`evaluate`. The page loads
    nothing from elsewhere. The diagram needs the extra ``[draw]`` and is left out without it; plots need the extra
    ``[plot]``, and without it the page says so.

    Examples
    --------
    >>> import tempfile
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), sample)
    >>> cp.report(fit, sample, tempfile.mkdtemp() + "/report.html", outcomes=("bought", "left"))
    """
    if not isinstance(fit, Fit):
        raise InvalidArgument(f"expected a Fit, as baum_welch or learn returns it; got {shown(fit)}.")
    evaluation = evaluate(fit.acceptor, sample, cut_point, baseline=baseline)
    sections = {
        "Evaluation": table(evaluation.rows()) + paragraph(repr(sample)),
        "The acceptor": _acceptor(fit.acceptor),
        "Learning": paragraph(str(fit.stop)) + _plot(lambda: plots.learning(fit)),
        "Calibration": _calibration(evaluation, outcomes[0]),
        "Credit of events": _credit(fit.acceptor, sample, inputs, outcomes[0]),
    }
    _write_page(path, title, sections | _best_and_worst(fit.acceptor, sample, outcomes))


def evaluation_report(
    evaluation: Evaluation,
    acceptor: Acceptor | Generator,
    sample: Sample,
    path: str | os.PathLike[str],
    title: str = "Evaluation",
    outcomes: tuple[str, str] = ("accepted", "rejected"),
    groups: Mapping[str, str] | None = None,
) -> None:
    """Write an HTML page about an evaluation of an acceptor on a sample; ``groups`` are further parts by heading.

    Examples
    --------
    >>> import tempfile
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> evaluation = cp.evaluate(cp.p_adic(2), sample)
    >>> cp.drawing.evaluation_report(evaluation, cp.p_adic(2), sample, tempfile.mkdtemp() + "/page.html")
    """
    sections = {"Evaluation": table(evaluation.rows()) + paragraph(repr(sample)), **(groups or {})}
    sections["Calibration"] = _calibration(evaluation, outcomes[0])
    _write_page(path, title, sections | _best_and_worst(acceptor, sample, outcomes))


def _best_and_worst(acceptor: Acceptor | Generator, sample: Sample, outcomes: tuple[str, str]) -> dict[str, str]:
    """Words whose outcome is predicted best and worst, from the word alone."""
    same, sections = sample.recoded(acceptor.alphabet), {}
    known, accepted, values = same.ends > 0, same.ends == 1, np.full(len(same), 0.5)
    if known.any():
        values[known] = acceptor.acceptances(same.take(np.flatnonzero(known)))
    error = np.abs(values - accepted)
    order = [r for r in np.argsort(error, kind="stable").tolist() if known[r]]
    right, wrong = ([r for r in order if error[r] < 0.5], [r for r in order[::-1] if error[r] > 0.5])
    for heading, rows in {"Predicted best": right[:MOST_ROWS], "Predicted worst": wrong[:MOST_ROWS]}.items():
        cells = [[_text(same[r].word), f"{values[r]:.4f}", outcomes[0 if accepted[r] else 1]] for r in rows]
        if cells:
            sections[heading] = table([["word", f"probability: {outcomes[0]}", "outcome"], *cells])
    return sections


def _write_page(path: str | os.PathLike[str], title: str, sections: Mapping[str, str]) -> None:
    """A page of sections by heading; those without content are left out."""
    parts = [f"<h2>{escape(heading)}</h2>{content}" for heading, content in sections.items() if content]
    document = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )
    write_whole(path, document.encode("utf-8"))


def _acceptor(acceptor: Acceptor) -> str:
    """Diagram of the probable arrows, and all matrices."""
    content = page(acceptor, Look(min_probability=LEAST_DRAWN, digits=2))
    left_out = paragraph(f"The diagram leaves out probabilities below {LEAST_DRAWN:g}; the matrices have them.")
    return content + left_out * ("<img" in content)


def _calibration(evaluation: Evaluation, outcome: str) -> str:
    """Plot of the predicted probabilities beside what happened; nothing without verdicts."""
    values, accepted, weights = evaluation.predictions.verdicts()
    return _plot(lambda: plots.calibration(values, accepted, weights, outcome=outcome)) if len(values) else ""


def _plot(plot: Callable[[], Figure]) -> str:
    """A plot as an image, whose names and styles cannot collide with those of another one."""
    try:
        content = b64encode(plots.rendered(plot(), ".svg")).decode("ascii")
    except MissingExtra:
        return '<p>Plots need matplotlib: <code>pip install "cutpoint[plot]"</code>.</p>'
    return f'<img alt="" src="data:image/svg+xml;base64,{content}">'


def _credit(acceptor: Acceptor, sample: Sample, inputs: Generator | None, outcome: str) -> str:
    """What each event changed in the forecasts of the cases that the page is about."""
    found = credit_or_reason(acceptor, sample, inputs, outcome)
    if isinstance(found, str):
        return paragraph(f"Left out: {found}")
    return paragraph(found.head) + _plot(lambda: plots.credit(found, most=MOST_ROWS)) + table(found.rows(MOST_ROWS))


def _text(word: PlainWord) -> str:
    """A word as it would be typed; the empty word as such."""
    return cleaned(word if isinstance(word, str) else " ".join(map(str, word)), room=80) or "(empty)"
