"""An evaluation as ``fit`` and ``evaluate`` print it: as text or JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import numpy as np

from cutpoint.assess.baselines import MEAN, N_GRAMS
from cutpoint.assess.evaluation import Evaluation
from cutpoint.cli.output import message
from cutpoint.model.text import aligned
from cutpoint.wording import integer_if_whole, rounded_count

KEYS = {MEAN: "mean", N_GRAMS: "n_grams"}  # names of the baselines in JSON

INFINITE = "infinite: something happened to which the model gives probability 0"

STAR = "*"  # marks a group that differs from the whole
DRIFT = (
    f"{STAR} the Brier score of all lies outside of the interval; so it would for one in twenty groups that are alike."
)


def facts(judged: Evaluation) -> dict[str, Any]:
    """Everything, for JSON."""
    infinite = [name for name, value in judged.figures._asdict().items() if value is not None and np.isinf(value)]
    return {
        "observations": integer_if_whole(judged.total),
        "judged": integer_if_whole(judged.judged),
        "base_rate": judged.base_rate,
        "cut_point": judged.cut_point,
        **judged.figures._asdict(),
        **({"null": dict.fromkeys(infinite, INFINITE)} if infinite else {}),
        "intervals": judged.intervals,
        "baselines": {KEYS[name]: figures._asdict() for name, figures in judged.baselines.items()},
        "calibration": [asdict(each) for each in judged.calibration()],
    }


def lines(judged: Evaluation, outcome: str = "accepted") -> list[str]:
    """Figures and calibration, for people, with their name for accepted."""
    found = indented(judged.rows())
    if bins := judged.calibration():
        rows = [["predicted", outcome, "95 % interval", "cases" if judged.judged == judged.total else "verdicts"]]
        for each in bins:
            interval = f"{each.low:.3f} to {each.high:.3f}"
            rows += [[f"{each.probability:.3f}", f"{each.accepted:.3f}", interval, rounded_count(each.count)]]
        found += ["", "calibration", *indented(rows)]
    return found


def group_rows(parts: Mapping[str, Evaluation], whole: Evaluation, outcome: str) -> list[list[str]]:
    """Figures of each group, for people; a star marks one that differs from the whole."""
    rows = [["", "cases", outcome, "predicted", "log loss", MEAN, "AUC", "Brier score", "95 % interval", ""]]
    for group, judged in parts.items():
        values, _, weights = judged.predictions.verdicts()
        mean = np.average(values, weights=weights) if len(values) else None
        constant = judged.baselines[MEAN].log_loss if judged.baselines else None
        figures = [judged.base_rate, mean, judged.log_loss, constant, judged.auc, judged.brier_score]
        interval = judged.intervals.get("brier_score", ())
        is_apart = interval and not interval[0] <= (whole.brier_score or 0.0) <= interval[1]
        cells = [group, rounded_count(judged.total), *("" if x is None else f"{x:.4f}" for x in figures)]
        rows.append([*cells, " to ".join(f"{end:.4f}" for end in interval), STAR if is_apart else ""])
    return rows


def say_if_left_out(judged: Evaluation | None) -> None:
    """Say that the regression, which was asked for, is left out for want of scikit-learn."""
    if judged is not None and N_GRAMS not in judged.baselines and find_spec("sklearn") is None:
        message('cutpoint: 1- to 4-grams need scikit-learn; install it with: pip install "cutpoint[sklearn]".')


def indented(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table as lines."""
    return [f"  {line}".rstrip() for line in aligned(rows)]
