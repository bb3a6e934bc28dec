"""Write the golden files of version 1: ``python -m tests.golden.generate``. They are never to change again."""

from pathlib import Path
from typing import Any

import numpy as np

import cutpoint as cp

FOLDER = Path(__file__).parent / "v1"


def golden() -> dict[str, tuple[cp.files.Model, dict[str, Any], dict[str, Any]]]:
    """Files with what they hold, and the options to write and to read them."""
    coin = cp.p_adic(3)
    pair = cp.mixture([coin, ~coin], ["1/7", "6/7"])
    steps = np.array(
        [[[0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [1e-300, 0.5, 0.5]], [[1 / 3] * 3, [0.25, 0.25, 0.5], [0, 0, 1]]]
    )
    names: list[Any] = ["new", ("seen", 2, None, True), 7]
    floats = cp.Acceptor(names, ["click", 1.5], steps, [0.5, 0.25, 0.25], np.array([False, True, True]))
    first = cp.Acceptor(3, "ab", steps, 0, np.array([False, True, True]))
    probability: dict[str, Any] = {"weights": "probability"}
    notes: dict[str, Any] = {"trained on": "journeys, 2024", "rows": 1000, "loss": 0.1, "final": True, "note": None}
    classes = cp.files.Model(first.with_unknown("skip"), classes=("no", "yes", 2), labels=(2, "no", "yes"))
    moves = {"0": {0: {0: 0.25, 1: 0.125}}, "1": {0: {1: 0.125}, 1: {0: 0.75}}}
    generator = cp.Generator(2, ["0", "1"], moves, {0: 0.75, 1: 0.25}, [0.5, 0.25])
    thirds = cp.Generator(["new", 7], ["click", 1.5], {"click": {"new": {7: "2/3"}}}, "new", {"new": "1/3", 7: 1}, {7})
    return {
        "generator.json": (cp.files.Model(thirds, "1/3"), {}, {}),
        "generator.npz": (cp.files.Model(generator.replace(final={1}), metadata={"rows": 7}), {}, {}),
        "generator.pautomac_model.txt": (cp.files.Model(generator), {}, {}),
        "classes.json": (classes, {}, {}),
        "classes.npz": (classes, {}, {}),
        "exact.json": (cp.files.Model(coin, "1/3"), {}, {}),
        "mixture.json": (cp.files.Model(pair), {}, {}),
        "floats.json": (cp.files.Model(floats, 0.25, notes), {}, {}),
        "floats.npz": (cp.files.Model(floats, 0.25, notes), {}, {}),
        "log.att": (cp.files.Model(floats), {}, {}),
        "first.att": (cp.files.Model(first), {}, {}),
        "exact.att": (cp.files.Model(pair), probability, probability),
        "exact.drn": (cp.files.Model(pair), {}, {}),
        "floats.drn": (cp.files.Model(floats), {}, {}),
        "first.drn": (cp.files.Model(first), {}, {}),
        "floats.tra": (cp.files.Model(floats), {}, {}),
        "first.tra": (cp.files.Model(first), {}, {}),
        "exact.dot": (cp.files.Model(pair), {}, {}),
        "floats.dot": (cp.files.Model(floats), {}, {}),
        "first.gv": (cp.files.Model(first), {}, {}),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, (model, options, _) in golden().items():
        cp.save(model, FOLDER / name, **options)
