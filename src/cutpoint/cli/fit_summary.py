"""Summary of a fit: what ``cutpoint fit`` prints, as text or JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutpoint.assess.evaluation import CutPointChoice, Evaluation, evaluate
from cutpoint.cases.credits import Credit, credit_or_reason
from cutpoint.cli.credit import facts as credit_facts
from cutpoint.cli.evaluation_summary import INFINITE, KEYS, facts, indented, lines
from cutpoint.cli.perplexity import keyed, perplexities, score_lines
from cutpoint.data import Sample
from cutpoint.model import Generator
from cutpoint.search.learned import Learned
from cutpoint.wording import counted, integer_if_whole, printable

MOST_CREDITED = 8  # most events whose credit is printed
COLUMNS = 5  # columns of the credit that are printed: not the rules of attribution
GRAMS = (2, 3)  # n-gram models that a generator must beat


@dataclass(frozen=True)
class FitSummary:
    """What a fit found, and how well it does on the words held out, if any are.

    Of shards, ``training`` is the part that was searched, and ``n_observations`` the number of all. Without a
    ``choice`` of a cut point no outcomes are predicted. With ``n_grams`` a logistic regression is judged by the same
    words. ``outcome`` is the user's name for accepted, ``inputs`` the law of inputs, if there is one. ``cases`` are the
    whole cases if the samples hold their prefixes.
    """

    learned: Learned
    training: Sample
    held_out: Sample | None
    choice: CutPointChoice | None
    n_observations: float
    n_grams: bool = False
    outcome: str = "accepted"
    inputs: Generator | None = None
    cases: Sample | None = None

    @cached_property
    def credit(self) -> Credit | str:
        """Credit of each event on the words learned from, or why there is none."""
        return credit_or_reason(
            self.learned.acceptor,
            self.cases or self.training,
            self.inputs,
            self.outcome,
            prefixes=self.cases is not None,
        )

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """Scores on the words held out, if they have outcomes that are predicted."""
        if self.held_out is None or self.choice is None or not self.held_out.has_evidence:
            return None
        return evaluate(self.learned.model, self.held_out, self.choice.cut_point, baseline=self.baseline)

    @property
    def baseline(self) -> Sample | float | None:
        """What baselines are made from: the training sample, or its mean alone."""
        return self.training if self.n_grams else (self.cases or self.training).seen.share_accepted

    @property
    def figures(self) -> dict[str, float | str]:
        """Figures on the words held out, which a model keeps as notes; of an infinite one, a sentence."""
        judged, named = self.evaluation, dict[str, Any]()
        if judged is not None:
            named = judged.figures._asdict() | {"observations": integer_if_whole(judged.total)}
            named |= {f"{KEYS[name]}_log_loss": each.log_loss for name, each in judged.baselines.items()}
        named = self._own_figures() | {name: value for name, value in named.items() if value is not None}
        return {name: value if np.isfinite(value) else INFINITE for name, value in named.items()}

    def facts(self, output: str) -> dict[str, Any]:
        """Everything, for JSON."""
        machine, choice = self.learned.model, {}
        if self.choice is not None:
            choice = {"cut_point": self.choice.cut_point, "cut_point_reason": self.choice.reason}
        return {
            "model": output,
            "states": machine.n_states,
            "symbols": machine.n_symbols,
            **choice,
            "stop": self.learned.stop.name.lower(),
            "along": self.cases is not None,
            "learned_from": integer_if_whole(self.n_observations),
            "held_out": {} if self.evaluation is None else facts(self.evaluation),
            **self._own_facts(),
        }

    def about(self, data: str, judged_by: str) -> dict[str, str]:
        """What the report says of the data."""
        cases = counted(integer_if_whole(self.n_observations), "case")
        others = judged_by if self.held_out is not None else "the same cases, so that the figures look too good"
        return {"learned from": f"{self._prefixes}{cases} of {data}; judged by {others}"}

    def text(self, output: str, report: str | None) -> str:
        """Everything, for people."""
        machine, seen = self.learned.model, counted(integer_if_whole(self.n_observations), "case")
        sizes = f"{counted(machine.n_states, 'state')} and {counted(machine.n_symbols, 'symbol')}"
        lines = [f"{sizes}, learned from {self._prefixes}{seen}; model in {output}"]
        lines += [] if self.choice is None else [f"cut point {self.choice.cut_point:g}: {self.choice.reason}"]
        lines += [*self._judged(), *self._own_lines(output), ""]
        lines += [f"{what + ':':18}{how}" for what, how in self._next_steps(output).items()]
        lines += [f"report:           {report}"] * (report is not None)
        return "\n".join(map(printable, lines))

    @property
    def _prefixes(self) -> str:
        return "" if self.cases is None else "all prefixes of "

    def _own_figures(self) -> dict[str, float]:
        """Further figures on the words held out."""
        return {}

    def _own_facts(self) -> dict[str, Any]:
        """What is said of this kind of model alone, for JSON."""
        return {"credit": None if isinstance(self.credit, str) else credit_facts(self.credit)}

    def _own_lines(self, output: str) -> list[str]:
        """What is said of this kind of model alone, for people."""
        if isinstance(self.credit, str):
            return ["", f"no credit of events: {self.credit}"]
        rows = [row[:COLUMNS] for row in self.credit.rows(MOST_CREDITED)]
        cases = counted(integer_if_whole(self.credit.cases), "case")
        head = f"credit of events over the {cases} learned from, in numbers of {self.outcome} cases"
        more = f"all of them: cutpoint credit {output} DATA" if len(self.credit.symbols) > MOST_CREDITED else ""
        return ["", head, *indented(rows), *[f"  {more}"] * bool(more)]

    def _next_steps(self, output: str) -> dict[str, str]:
        """What to do with the model."""
        return {
            "score new cases": f"cutpoint score {output} new.tsv",
            "in Python": f"cp.load({output!r}).predict(words)",
        }

    def _judged(self) -> list[str]:
        judged = self.evaluation
        return (
            [] if judged is None else ["", f"on {self._prefixes}{judged.what} held out", *lines(judged, self.outcome)]
        )


@dataclass(frozen=True)
class GeneratorSummary(FitSummary):
    """The same of a generator: beside how well outcomes are predicted, how well the words themselves are."""

    @cached_property
    def perplexities(self) -> Mapping[str, Mapping[str, float]]:
        """Perplexities of the words held out, beside those of n-gram models of the training words."""
        if self.held_out is None:
            return {}
        generator = self.learned.generator
        models = {f"{n}-gram": Generator.from_ngrams(self.training, n, generator.alphabet) for n in GRAMS}
        return perplexities({"model": generator} | models, self.held_out)

    def _own_figures(self) -> dict[str, float]:
        found = keyed(self.perplexities).get("model", {})
        return {f"perplexity_{unit}": value for unit, value in found.items()}

    def _own_facts(self) -> dict[str, Any]:
        return {"perplexity": keyed(self.perplexities)} if self.perplexities else {}

    def _own_lines(self, output: str) -> list[str]:
        if self.held_out is None:
            return []
        words = counted(integer_if_whole(self.held_out.total), "word")
        return ["", f"perplexity of {words} held out, the lower the better", *score_lines(self.perplexities)]

    def _next_steps(self, output: str) -> dict[str, str]:
        more = {} if self.choice is None else super()._next_steps(output)
        return more | {
            "draw words": f"cutpoint generate {output} -n 10",
            "judge words": f"cutpoint perplexity {output} new.tsv",
        }
