"""An evaluation as ``fit`` and ``evaluate`` print it: as text or JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from cutpoint.assess.baselines import MEAN, N_GRAMS
from cutpoint.assess.evaluation import Evaluation
from cutpoint.cli.output import integer_if_whole
from cutpoint.model.text import aligned

KEYS = {MEAN: "mean", N_GRAMS: "n_grams"}  # names of the baselines in JSON

DRIFT = "* the log loss of all lies outside of the interval; of twenty groups that are alike, one would have a star."


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


def group_rows(parts: Mapping[str, Evaluation], whole: Evaluation, outcome: str) -> list[list[str]]:
    """Figures of each group, for people; a star marks a log loss that is not that of the whole, chance aside."""
    rows = [["", "observations", outcome, "predicted", "log loss", "95 % interval", MEAN, "AUC"]]
    for group, judged in parts.items():
        values, _, weights = judged.predictions.verdicts()
        low, high = judged.intervals.get("log_loss", (0.0, math.inf))
        cells = [f"{integer_if_whole(judged.total):,}", judged.base_rate, np.average(values, weights=weights)]
        cells += [f"{judged.log_loss:.4f}{'' if low <= whole.log_loss <= high else ' *'}"]
        cells += [f"{low:.4f} to {high:.4f}" if high < math.inf else "", judged.baselines[MEAN].log_loss, judged.auc]
        rows.append([group, *("" if c is None else c if isinstance(c, str) else f"{c:.4f}" for c in cells)])
    return rows


def indented(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table as lines."""
    return [f"  {line}".rstrip() for line in aligned(rows)]
