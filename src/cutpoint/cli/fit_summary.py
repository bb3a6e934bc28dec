"""Summary of a fit: what ``cutpoint fit`` prints, as text or JSON."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutpoint.assess.evaluation import (
    Bin,
    CutPointChoice,
    Evaluation,
    SymbolEffect,
    calibration,
    evaluate,
    judged_words,
    symbol_effects,
)
from cutpoint.cli.output import integer_if_whole
from cutpoint.data import Sample
from cutpoint.diagrams.diagram import label
from cutpoint.model import Acceptor
from cutpoint.model.text import aligned
from cutpoint.search.learned import Learned
from cutpoint.wording import counted

MOST_MATRICES = 3  # number of symbols whose matrices are printed: those that move the acceptance most
MOST_STATES = 12  # largest matrix that is printed


@dataclass(frozen=True)
class FitSummary:
    """What a fit found, and how well it does on the words held out, if any are.

    Of shards, ``training`` is the part that was searched, and ``n_observations`` the number of all.
    """

    learned: Learned
    training: Sample
    held_out: Sample | None
    choice: CutPointChoice
    n_observations: float

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """Scores on the words held out."""
        if self.held_out is None:
            return None
        return evaluate(self.learned.acceptor, self.held_out, self.choice.cut_point)

    @cached_property
    def bins(self) -> tuple[Bin, ...]:
        """Calibration on the words held out."""
        if self.held_out is None or not self.held_out.ends.any():
            return ()
        return calibration(*judged_words(self.learned.acceptor, self.held_out))

    @property
    def figures(self) -> dict[str, float]:
        """Figures on the words held out, as far as they are finite."""
        judged = self.evaluation
        if judged is None or self.held_out is None:
            return {}
        named = {
            "log_loss": judged.log_loss,
            "mean_log_loss": mean_loss(self.training, self.held_out),
            "auc": judged.auc,
            "accuracy": judged.accuracy,
            "observations": integer_if_whole(judged.total),
        }
        return {name: value for name, value in named.items() if value is not None and np.isfinite(value)}

    def facts(self, output: str) -> dict[str, Any]:
        """Everything, for JSON."""
        acceptor = self.learned.acceptor
        return {
            "model": output,
            "states": acceptor.n_states,
            "symbols": acceptor.n_symbols,
            "cut_point": self.choice.cut_point,
            "cut_point_reason": self.choice.reason,
            "stop": self.learned.stop.name.lower(),
            "learned_from": integer_if_whole(self.n_observations),
            "held_out": self.figures,
            "calibration": [asdict(each) for each in self.bins],
            "symbol_effects": [asdict(each) for each in symbol_effects(acceptor, self.training)],
        }

    def text(self, output: str, report: str | None) -> str:
        """Everything, for people."""
        acceptor, seen = self.learned.acceptor, counted(integer_if_whole(self.n_observations), "observation")
        sizes = f"{counted(acceptor.n_states, 'state')} and {counted(acceptor.n_symbols, 'symbol')}"
        lines = [f"{sizes}, learned from {seen}; model in {output}"]
        lines += [f"cut point {self.choice.cut_point:g}: {self.choice.reason}", *self._judged()]
        for each in symbol_effects(acceptor, self.training)[:MOST_MATRICES]:
            lines += ["", *_matrix(acceptor, each, output)]
        lines += [
            "",
            f"score new words:  cutpoint score {output} new.tsv",
            f"in Python:        cp.read_model({output!r}).predict(words)",
        ]
        lines += [f"report:           {report}"] * (report is not None)
        return "\n".join(lines)

    def _judged(self) -> list[str]:
        judged, mean = self.evaluation, self.figures.get("mean_log_loss")
        if judged is None:
            return []
        rows = [["log loss", f"{judged.log_loss:.4f}", f"(always the mean: {mean:.4f})" if mean is not None else ""]]
        rows += [["AUC", f"{judged.auc:.4f}", ""]] if judged.auc is not None else []
        if judged.accuracy is not None:
            rows += [["accuracy", f"{judged.accuracy:.4f}", f"at the cut point {self.choice.cut_point:g}"]]
        lines = ["", f"on {counted(integer_if_whole(judged.total), 'observation')} held out", *_indented(rows)]
        if self.bins:
            rows = [["predicted", "accepted", "95 % interval", "words"]]
            for each in self.bins:
                interval = f"{each.low:.3f} to {each.high:.3f}"
                rows += [[f"{each.probability:.3f}", f"{each.accepted:.3f}", interval, f"{each.count:g}"]]
            lines += ["", "calibration", *_indented(rows)]
        return lines


def mean_loss(sample: Sample, fresh: Sample) -> float | None:
    """Log loss on fresh words of the share of accepted words in a sample; None where more than outcomes was seen."""
    if any(each.marks is not None or not each.ends.all() for each in (sample, fresh)):
        return None
    share, accepted = (float(each.counts[each.ends == 1].sum() / each.total) for each in (sample, fresh))
    with np.errstate(divide="ignore"):
        losses = -np.log([share, 1 - share])
    return float(sum(p * loss for p, loss in zip((accepted, 1 - accepted), losses, strict=True) if p > 0))


def _matrix(acceptor: Acceptor, each: SymbolEffect, output: str) -> list[str]:
    """How much a symbol moves the acceptance, and its matrix if that is not too large."""
    head = f"{label(each.symbol)}: moves the acceptance by {each.size:.3f} on average ({each.change:+.3f})"
    if acceptor.n_states > MOST_STATES:
        return [head, f"  (a matrix of {acceptor.n_states} states: cutpoint table {output})"]
    code = acceptor.alphabet.code(each.symbol)
    part = acceptor.replace(alphabet=["matrix"], transitions=acceptor.transitions[[code]])
    return [head, *part.table().splitlines()[1:]]


def _indented(rows: list[list[str]]) -> list[str]:
    return [f"  {line}".rstrip() for line in aligned(rows)]
