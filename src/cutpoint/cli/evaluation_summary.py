"""An evaluation as ``fit`` and ``evaluate`` print it: as text or JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cutpoint.assess.baselines import MEAN, N_GRAMS
from cutpoint.assess.evaluation import Evaluation
from cutpoint.cli.output import integer_if_whole
from cutpoint.model.text import aligned

KEYS = {MEAN: "mean", N_GRAMS: "n_grams"}  # names of the baselines in JSON


def facts(judged: Evaluation) -> dict[str, Any]:
    """Everything, for JSON."""
    return {
        "observations": integer_if_whole(judged.total),
        "judged": integer_if_whole(judged.judged),
        "base_rate": judged.base_rate,
        "cut_point": judged.cut_point,
        **judged.figures._asdict(),
        "intervals": judged.intervals,
        "baselines": {KEYS[name]: figures._asdict() for name, figures in judged.baselines.items()},
        "calibration": [asdict(each) for each in judged.calibration()],
    }


def lines(judged: Evaluation, outcome: str = "accepted") -> list[str]:
    """Figures and calibration, for people, with their name for accepted."""
    found = indented(judged.rows())
    if bins := judged.calibration():
        rows = [["predicted", outcome, "95 % interval", "words" if judged.judged == judged.total else "verdicts"]]
        for each in bins:
            interval = f"{each.low:.3f} to {each.high:.3f}"
            rows += [[f"{each.probability:.3f}", f"{each.accepted:.3f}", interval, f"{each.count:g}"]]
        found += ["", "calibration", *indented(rows)]
    return found


def indented(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table as lines."""
    return [f"  {line}".rstrip() for line in aligned(rows)]
