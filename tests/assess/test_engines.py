"""Every function that learns or judges takes an engine and samples in shards, with the same answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cutpoint as cp

TRUTH = cp.random_acceptor(2, "ab", rng=4, final={1})
SAMPLE = cp.simulate(TRUTH, cp.random_words("ab", 60, (0, 5), rng=1), rng=2)
TEAM = cp.mixture([TRUTH, ~TRUTH, cp.random_acceptor(2, "ab", rng=5, final={1})])


def learned(sample: Any, engine: Any) -> list[Any]:
    fit = cp.learn(sample, 2, folds=2, engine=engine)
    return [fit.acceptor.transitions, fit.log_likelihood]


def selected(sample: Any, engine: Any) -> list[Any]:
    (row,) = cp.select(sample, sizes=(2,), folds=2, engine=engine).candidates
    return [row.acceptor.transitions, row.losses, row.climbed.log_likelihood, row.n_parameters]


def cross_validated(sample: Any, engine: Any) -> list[Any]:
    scores = cp.cross_validate(TRUTH, sample, folds=2, engine=engine)
    assert scores.auc is not None
    return [scores.log_loss.values, scores.auc.values]


def judged(sample: Any, engine: Any) -> list[Any]:
    found = cp.evaluate(TRUTH, sample, engine=engine)
    return [found.log_loss, found.accuracy, found.auc, found.total]


def resampled(sample: Any, engine: Any) -> list[Any]:
    trust = cp.bootstrap(TRUTH, sample, repetitions=3, words=["ab"], max_steps=20, engine=engine)
    return [trust.transition_draws, trust.acceptance_draws]


def curved(sample: Any, engine: Any) -> list[Any]:
    errors = cp.assess.standard_errors(TRUTH, sample, ["ab"], engine=engine)
    return [errors.shares]


def pruned(sample: Any, engine: Any) -> list[Any]:
    found = cp.assess.prune(TEAM, sample, 2, engine=engine)
    return [found.kept, found.weights, found.losses]


@pytest.mark.parametrize("answers", [learned, selected, cross_validated, judged, resampled, curved, pruned])
def test_an_engine_gives_the_same_answers(answers: Callable[[Any, Any], list[Any]], engine: Any) -> None:
    worker = engine or cp.engines.Local(1)
    for sample in (SAMPLE, cp.ShardedSample.of(SAMPLE, observations=20)):
        for found, value in zip(answers(sample, worker), answers(sample, None), strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-6)


@pytest.mark.parametrize("answers", [judged, curved, pruned])
def test_a_sample_in_shards_gets_the_answers_of_one_in_memory(
    answers: Callable[[Any, Any], list[Any]], engine: Any
) -> None:
    shards = cp.ShardedSample.of(SAMPLE, observations=20)
    for found, value in zip(answers(shards, engine), answers(SAMPLE, None), strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-6)


def test_an_engine_imitates_the_same(engine: Any) -> None:
    words = cp.random_words("ab", 40, (1, 5), rng=1)
    one, other = (
        cp.imitate(TEAM, words, 2, n_words=0, folds=2, engine=worker)
        for worker in (None, engine or cp.engines.Local(1))
    )
    np.testing.assert_allclose(one.acceptor.transitions, other.acceptor.transitions, rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cp.select(SAMPLE, engine="x"),  # type: ignore[arg-type]
        lambda: cp.cross_validate(TRUTH, SAMPLE, engine="x"),  # type: ignore[arg-type]
        lambda: cp.evaluate(TRUTH, SAMPLE, engine="x"),  # type: ignore[arg-type]
        lambda: cp.bootstrap(TRUTH, SAMPLE, engine="x"),  # type: ignore[arg-type]
        lambda: cp.assess.standard_errors(TRUTH, SAMPLE, engine="x"),  # type: ignore[arg-type]
        lambda: cp.assess.prune(TEAM, SAMPLE, 2, engine="x"),  # type: ignore[arg-type]
        lambda: cp.imitate(TEAM, cp.random_words("ab", 20, 5, rng=1), 2, n_words=0, engine="x"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_engine_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="engine must be an engine such as"):
        call()
