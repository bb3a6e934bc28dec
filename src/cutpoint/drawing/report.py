"""report: one page about a learned acceptor, for a browser; nothing is loaded from elsewhere."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.assess.evaluation import evaluate
from cutpoint.assess.telling import telling_symbols
from cutpoint.data import PlainWord, Sample
from cutpoint.drawing import plots
from cutpoint.drawing.diagram import Look, cleaned, label
from cutpoint.drawing.html import acceptor_html, table
from cutpoint.drawing.picture import save
from cutpoint.em import Fit
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.model import Acceptor
from cutpoint.wording import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_WORDS = 10
"""Words of a table."""

LEAST_DRAWN = 0.05
"""Less probable arrows are left out of the diagram."""

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
) -> None:
    """Write one HTML page about a fit, judged by a sample: best one that it did not learn from.

    The page holds the figures, the diagram and matrices, the learning curve, the calibration, the most telling symbols,
    and the words that the acceptor is surest and most wrong about. It loads nothing from elsewhere. Diagram and plots
    need the extras ``[draw]`` and ``[plot]``; without them the page says so in their place.

    Examples
    --------
    >>> import tempfile, cutpoint as cp
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), sample)
    >>> cp.report(fit, sample, tempfile.mkdtemp() + "/report.html")
    """
    if not isinstance(fit, Fit):
        raise InvalidArgument(f"expected a Fit, as baum_welch or learn returns it; got {shown(fit)}.")
    judged = evaluate(fit.acceptor, sample, cut_point)
    same = sample.recoded(fit.acceptor.alphabet)
    told = same.ends > 0
    values = fit.acceptor.acceptances(same)
    parts = [
        f"<h1>{escape(title)}</h1>",
        _section("Judged by", _figures(judged) + f"<p>{escape(repr(sample))}</p>"),
        _section("The acceptor", _acceptor(fit.acceptor)),
        _section("Learning", f"<p>{escape(str(fit.stop))}</p>" + _plot(lambda: plots.learning(fit))),
    ]
    if told.any():
        accepted, counts = same.ends[told] == 1, same.counts[told]
        parts += [_section("Calibration", _plot(lambda: plots.calibration(values[told], accepted, counts)))]
    parts += [_section("Most telling symbols", _telling(fit, same))]
    if told.any():
        parts += _words(same, values, told)
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )
    save(path, page.encode("utf-8"))


def _section(heading: str, content: str) -> str:
    return f"<h2>{escape(heading)}</h2>{content}"


def _acceptor(acceptor: Acceptor) -> str:
    """Diagram of what happens often, and the matrices of everything."""
    page = acceptor_html(acceptor, Look(min_probability=LEAST_DRAWN, digits=2))
    left_out = f"<p>The diagram leaves out what is less probable than {LEAST_DRAWN:g}; the matrices have it.</p>"
    return page + left_out * ("<img" in page)


def _figures(judged: Any) -> str:
    rows = [["log loss", f"{judged.log_loss:.4f}"]]
    rows += [["AUC", f"{judged.auc:.4f}"]] if judged.auc is not None else []
    if judged.accuracy is not None:
        rows += [[f"accuracy at the cut point {judged.cut_point:g}", f"{judged.accuracy:.4f}"]]
    return table([["figure", "value"], *rows])


def _plot(made: Callable[[], Figure]) -> str:
    """A plot as an image of its own, so that the names inside of two plots do not meet."""
    try:
        from cutpoint.drawing.canvas import rendered  # noqa: PLC0415

        content = b64encode(rendered(made(), ".svg")).decode("ascii")
    except (ImportError, MissingExtra):
        return '<p>Plots need matplotlib: <code>pip install "cutpoint[plot]"</code>.</p>'
    return f'<img alt="" src="data:image/svg+xml;base64,{content}">'


def _telling(fit: Fit, sample: Sample) -> str:
    found = telling_symbols(fit.acceptor, sample)[:MOST_WORDS]
    rows = [[label(each.symbol), f"{each.count:g}", f"{each.change:+.3f}", f"{each.size:.3f}"] for each in found]
    return table([["symbol", "read", "mean change of acceptance", "mean size of change"], *rows])


def _words(sample: Sample, values: NDArray[np.float64], told: NDArray[np.bool_]) -> list[str]:
    """Tables of the words that the acceptor is surest about and most wrong about."""
    accepted = sample.ends == 1
    error = np.where(told, np.abs(values - accepted), np.nan)
    order = np.argsort(error, kind="stable")[: int(told.sum())]
    right, wrong = order[:MOST_WORDS].tolist(), order[::-1][:MOST_WORDS].tolist()
    tables = {"Surest": [r for r in right if error[r] < 0.5], "Most wrong": [r for r in wrong if error[r] > 0.5]}
    return [_section(heading, _word_table(sample, values, rows)) for heading, rows in tables.items() if rows]


def _word_table(sample: Sample, values: NDArray[np.float64], rows: list[int]) -> str:
    cells = [
        [_text(sample[r].word), f"{values[r]:.4f}", "accepted" if sample.ends[r] == 1 else "rejected"] for r in rows
    ]
    return table([["word", "acceptance", "outcome"], *cells])


def _text(word: PlainWord) -> str:
    """A word as it would be typed; the empty word as such."""
    return cleaned(word if isinstance(word, str) else " ".join(map(str, word)), room=80) or "(empty)"
