"""What a fit found, as text, as JSON and as notes in the file of the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cutpoint.assess.calibration import Bin, calibration
from cutpoint.assess.evaluation import Evaluation, best_cut_point, evaluate
from cutpoint.assess.telling import Telling, telling_symbols
from cutpoint.cli.printing import whole
from cutpoint.data import Sample
from cutpoint.drawing.diagram import label
from cutpoint.exact import cut_point_value
from cutpoint.model import Acceptor
from cutpoint.model.text import aligned
from cutpoint.search.learned import Learned
from cutpoint.wording import counted

MOST_MATRICES = 3
"""Matrices of the most telling symbols that are printed."""
MOST_STATES = 12
"""Most states of a matrix that is printed."""


@dataclass(frozen=True)
class Findings:
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

    @property
    def figures(self) -> dict[str, float]:
        """Figures on words held out, those that are numbers."""
        judged = self.evaluation
        if judged is None or self.held_out is None:
            return {}
        named = {
            "log_loss": judged.log_loss,
            "mean_log_loss": mean_loss(self.training, self.held_out),
            "auc": judged.auc,
            "accuracy": judged.accuracy,
            "observations": whole(judged.total),
        }
        return {name: value for name, value in named.items() if value is not None and np.isfinite(value)}


def findings(learned: Learned, training: Sample, held_out: Sample | None, cut_point: str | None) -> Findings:
    """What was learned, judged."""
    acceptor = learned.acceptor
    chosen = float(cut_point_value(cut_point)) if cut_point is not None else _best_cut(acceptor, training)
    if held_out is None:
        return Findings(learned, chosen, training, None, None, ())
    told = held_out.ends > 0
    bins: tuple[Bin, ...] = ()
    if told.any():
        values = acceptor.acceptances(held_out)[told]
        bins = calibration(values, held_out.ends[told] == 1, held_out.counts[told])
    return Findings(learned, chosen, training, held_out, evaluate(acceptor, held_out, chosen), bins)


def mean_loss(sample: Sample, fresh: Sample) -> float | None:
    """Log loss on fresh words of the share of accepted words in a sample; None where more than outcomes was seen."""
    if any(each.marks is not None or not each.ends.all() for each in (sample, fresh)):
        return None
    share, accepted = (float(each.counts[each.ends == 1].sum() / each.total) for each in (sample, fresh))
    with np.errstate(divide="ignore"):
        losses = -np.log([share, 1 - share])
    return float(sum(p * loss for p, loss in zip((accepted, 1 - accepted), losses, strict=True) if p > 0))


def facts(found: Findings, output: str) -> dict[str, Any]:
    """Everything, for JSON."""
    return {
        "model": output,
        "states": found.acceptor.n_states,
        "symbols": found.acceptor.n_symbols,
        "cut_point": found.cut_point,
        "stop": found.learned.stop.name.lower(),
        "learned_from": whole(found.training.total),
        "held_out": found.figures,
        "calibration": [asdict(each) for each in found.bins],
        "telling": [asdict(each) for each in telling_symbols(found.acceptor, found.training)],
    }


def text(found: Findings, output: str, page: str | None) -> str:
    """Everything, to be read."""
    acceptor = found.acceptor
    sizes = f"{counted(acceptor.n_states, 'state')} and {counted(acceptor.n_symbols, 'symbol')}"
    lines = [f"{sizes}, learned from {counted(whole(found.training.total), 'observation')}; model in {output}"]
    lines += _judged(found)
    for each in telling_symbols(acceptor, found.training)[:MOST_MATRICES]:
        lines += ["", *_telling(acceptor, each, output)]
    lines += ["", f"score new words:  cutpoint score {output} new.tsv", f"in Python:        cp.load({output!r})"]
    lines += [f"report:           {page}"] * (page is not None)
    return "\n".join(lines)


def _judged(found: Findings) -> list[str]:
    judged, figures = found.evaluation, found.figures
    if judged is None:
        return []
    mean = figures.get("mean_log_loss")
    rows = [["log loss", f"{judged.log_loss:.4f}", f"(always the mean: {mean:.4f})" if mean is not None else ""]]
    rows += [["AUC", f"{judged.auc:.4f}", ""]] if judged.auc is not None else []
    if judged.accuracy is not None:
        rows += [["accuracy", f"{judged.accuracy:.4f}", f"at the cut point {found.cut_point:g}"]]
    lines = ["", f"on {counted(whole(judged.total), 'observation')} held out", *_indented(rows)]
    if found.bins:
        header = ["predicted", "accepted", "95 % interval", "words"]
        bins = [
            [f"{b.probability:.3f}", f"{b.accepted:.3f}", f"{b.low:.3f} to {b.high:.3f}", f"{b.count:g}"]
            for b in found.bins
        ]
        lines += ["", "calibration", *_indented([header, *bins])]
    return lines


def _telling(acceptor: Acceptor, each: Telling, output: str) -> list[str]:
    """What a symbol does, and its matrix if that is not too large."""
    head = f"{label(each.symbol)}: moves the acceptance by {each.size:.3f} on average ({each.change:+.3f})"
    if acceptor.n_states > MOST_STATES:
        return [head, f"  (a matrix of {acceptor.n_states} states: cutpoint table {output})"]
    code = acceptor.alphabet.code(each.symbol)
    part = acceptor.replace(alphabet=["matrix"], transitions=acceptor.transitions[[code]])
    _, *rows = part.table().splitlines()
    return [head, *rows]


def _best_cut(acceptor: Acceptor, training: Sample) -> float:
    told = training.ends > 0
    if not told.any():
        return 0.5
    values = acceptor.acceptances(training)[told]
    return best_cut_point(values, training.ends[told] == 1, training.counts[told])


def _indented(rows: list[list[str]]) -> list[str]:
    return [f"  {line}".rstrip() for line in aligned(rows)]
