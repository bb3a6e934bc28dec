"""Summary of a fit: what ``cutpoint fit`` prints, as text or JSON."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutpoint.assess.evaluation import CutPointChoice, Evaluation, SymbolEffect, evaluate, symbol_effects
from cutpoint.cli.evaluation_summary import KEYS, facts, lines
from cutpoint.cli.output import integer_if_whole
from cutpoint.data import Sample
from cutpoint.diagrams.diagram import label
from cutpoint.model import Acceptor
from cutpoint.search.learned import Learned
from cutpoint.wording import counted

MOST_MATRICES = 3  # number of symbols whose matrices are printed: those that move the acceptance most
MOST_STATES = 12  # largest matrix that is printed


@dataclass(frozen=True)
class FitSummary:
    """What a fit found, and how well it does on the words held out, if any are.

    Of shards, ``training`` is the part that was searched, and ``n_observations`` the number of all. With
    ``n_grams`` a logistic regression is judged by the same words. ``outcome`` is the user's name for accepted.
    """

    learned: Learned
    training: Sample
    held_out: Sample | None
    choice: CutPointChoice
    n_observations: float
    n_grams: bool = False
    outcome: str = "accepted"

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """Scores on the words held out."""
        if self.held_out is None:
            return None
        return evaluate(self.learned.acceptor, self.held_out, self.choice.cut_point, baseline=self.baseline)

    @property
    def baseline(self) -> Sample | float | None:
        """What baselines are made from: the training sample, or its mean alone."""
        return self.training if self.n_grams else self.training.seen.share_accepted

    @property
    def figures(self) -> dict[str, float]:
        """Figures on the words held out, as far as they are finite."""
        judged = self.evaluation
        if judged is None:
            return {}
        named = judged.figures._asdict() | {"observations": integer_if_whole(judged.total)}
        named |= {f"{KEYS[name]}_log_loss": each.log_loss for name, each in judged.baselines.items()}
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
            "held_out": {} if self.evaluation is None else facts(self.evaluation),
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
        judged = self.evaluation
        return [] if judged is None else ["", f"on {judged.what} held out", *lines(judged, self.outcome)]


def _matrix(acceptor: Acceptor, each: SymbolEffect, output: str) -> list[str]:
    """How much a symbol moves the acceptance, and its matrix if that is not too large."""
    head = f"{label(each.symbol)}: moves the acceptance by {each.size:.3f} on average ({each.change:+.3f})"
    if acceptor.n_states > MOST_STATES:
        return [head, f"  (a matrix of {acceptor.n_states} states: cutpoint table {output})"]
    code = acceptor.alphabet.code(each.symbol)
    part = acceptor.replace(alphabet=["matrix"], transitions=acceptor.transitions[[code]])
    return [head, *part.table().splitlines()[1:]]
