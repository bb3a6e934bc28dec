"""Predicting along the way on three simulated processes: ``python examples/along.py [picture.png]``.

Prints the log loss after each number of events of several ways to predict how a case will end, and draws that of the
first process. Those that look ahead must beat both the base rate and the acceptor of whole cases, cut short.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import cutpoint as cp
from cutpoint.assess.baselines import N_GRAMS, baseline_acceptances

LEAST = 300  # numbers of events that fewer cases have are left out
SIZES = 6, 24  # states: of whole cases; of prefixes, whose acceptor must also know what may still come
LEVEL = 1.02  # one model for all lengths against a regression for each: within 2 %


def loans() -> tuple[cp.Acceptor, cp.Generator]:
    """Applications that are checked, sometimes sent back, and at last decided."""
    law = cp.Generator(
        ["new", "checked", "open"],
        ["online", "branch", "complete", "missing", "call", "offer"],
        {
            "online": {"new": {"checked": 0.6}},
            "branch": {"new": {"checked": 0.4}},
            "complete": {"checked": {"open": 0.5}},
            "missing": {"checked": {"checked": 0.4, "open": 0.1}},
            "call": {"open": {"open": 0.35, "checked": 0.1}},
            "offer": {"open": {"open": 0.3}},
        },
        "new",
        [0, 0, 0.25],
    )
    verdict = {
        "online": [[0.6, 0.4, 0], [0, 1, 0], [0, 0, 1]],
        "branch": [[0.6, 0, 0.4], [0, 1, 0], [0, 0, 1]],
        "complete": [[0.5, 0.1, 0.4], [0.05, 0.9, 0.05], [0, 0, 1]],
        "missing": [[0.5, 0.5, 0], [0, 1, 0], [0.2, 0.4, 0.4]],
        "call": [[0.7, 0.1, 0.2], [0.2, 0.7, 0.1], [0.1, 0, 0.9]],
        "offer": [[0.3, 0.1, 0.6], [0.1, 0.8, 0.1], [0, 0.02, 0.98]],
    }
    return cp.Acceptor(["unsure", "weak", "strong"], law.alphabet, verdict, "unsure", {"strong"}), law


def machines(seed: int) -> tuple[cp.Acceptor, cp.Generator]:
    """Some acceptor of six states that mostly stays where it is, so that there is something to foresee; and inputs."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(6 * 4, 0.3), size=4).reshape(4, 6, 4).transpose(1, 0, 2) * 0.88
    inputs = cp.Generator(4, "abcdef", law, 0, np.full(4, 0.12))
    restless = cp.random_acceptor(6, "abcdef", rng=seed, concentration=0.15)
    return restless.replace(transitions=0.85 * np.eye(6) + 0.15 * restless.transitions), inputs


PROCESSES: dict[str, Callable[[], tuple[cp.Acceptor, cp.Generator]]] = {
    "loans": loans,
    "machine 1": lambda: machines(1),
    "machine 2": lambda: machines(2),
}


def cases(acceptor: cp.Acceptor, inputs: cp.Generator, number: int, seed: int) -> cp.Sample:
    """So many cases with their outcomes."""
    words = [seen.word for seen in inputs.simulate(number, rng=seed) for _ in range(int(seen.count))]
    return cp.simulate(acceptor, words, rng=seed + 1)


def losses(
    name: str,
    training: int = 3000,
    fresh: int = 20_000,
    regression: bool = True,
    sizes: tuple[int, int] = SIZES,
    **search: Any,
) -> dict[str, cp.assess.LossesAlong]:
    """Losses of several ways to predict, on cases that none of them has seen."""
    truth, law = PROCESSES[name]()
    known, unseen = cases(truth, law, training, 1), cases(truth, law, fresh, 3)
    options = {"team": 3, "rng": 1} | search
    whole = cp.learn(known, sizes[0], **options).acceptor
    along = cp.learn(known.prefixes("prefix"), sizes[1], **options).acceptor
    inputs = cp.search.law_of_inputs(known)
    assert inputs is not None
    share = known.seen.share_accepted
    ways: dict[str, Callable[[cp.Sample], Any]] = {
        "base rate": lambda sample: np.full(len(sample), share),
        "whole cases, cut short": whole.acceptances,
        "forecast: acceptor and law of inputs": cp.cases.Forecaster(whole, inputs).forecasts,
        "learned from prefixes": along.acceptances,
        "the truth": cp.cases.Forecaster(truth, law).forecasts,
    }
    found = {way: cp.assess.losses_along(predict, unseen) for way, predict in ways.items()}
    return found | ({"a regression for each length": regressions(known, unseen)} if regression else {})


def regressions(known: cp.Sample, unseen: cp.Sample) -> cp.assess.LossesAlong:
    """Losses of logistic regressions on 1- to 4-grams, one for each number of events."""
    training = known.prefixes("prefix")

    def predict(sample: cp.Sample) -> Any:
        values = np.full(len(sample), known.seen.share_accepted)
        for length in np.flatnonzero(np.bincount(sample.lengths, sample.counts) >= LEAST)[1:]:
            rows, seen = np.flatnonzero(sample.lengths == length), np.flatnonzero(training.lengths == length)
            part = sample.take(rows)
            values[rows] = baseline_acceptances(part.seen, part, training.take(seen), last=False)[N_GRAMS]
        return values

    return cp.assess.losses_along(predict, unseen)


def check(found: dict[str, cp.assess.LossesAlong]) -> None:
    """Both roads are better than ways that do not look ahead, at every number of events; before any, all is even."""
    base, cut_short, forecast, prefixes, _, *regression = (along.losses for along in found.values())
    for k in np.flatnonzero(found["base rate"].cases >= LEAST)[1:]:
        assert forecast[k] < min(base[k], cut_short[k]), k
        assert prefixes[k] < min(base[k], cut_short[k]), k
        assert all(prefixes[k] <= LEVEL * each[k] for each in regression), k


def main(path: str | None) -> None:
    """Print the losses of all processes, and draw those of the first."""
    for name in PROCESSES:
        found = losses(name)
        print(f"\n{name}\nevents  cases  " + "  ".join(found))
        for k in np.flatnonzero(found["base rate"].cases >= LEAST):
            row = "  ".join(f"{along.losses[k]:{len(way)}.4f}" for way, along in found.items())
            print(f"{k:6}  {found['base rate'].cases[k]:5.0f}  {row}", flush=True)
        if path is not None and name == "loans":
            cp.plots.loss_by_length(found, path, least=LEAST)
        check(found)


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else None)
