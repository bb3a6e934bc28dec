"""imitate: any teacher, words that matter, how near it comes, and what is no teacher."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.search.students import divergence

A = cp.p_adic(2)
WORDS = cp.random_words("01", 80, (1, 6), rng=1)
LONG = cp.random_words("01", 50, (8, 10), rng=3)


class Regression:
    """What scikit-learn calls a classifier."""

    def predict_proba(self, words: Any) -> Any:
        accepted = A.acceptances(words)
        return np.column_stack((1.0 - accepted, accepted))


@pytest.mark.parametrize(
    ("teacher", "inputs"),
    [
        (cp.mixture([A, A]), WORDS),
        (A.acceptances, cp.Sample(WORDS, accepted=[True] * 80)),
        (Regression(), cp.Generator.from_ngrams(WORDS, n=2)),
    ],
    ids=["team", "function", "classifier"],
)
def test_any_teacher_is_imitated(teacher: Any, inputs: Any) -> None:
    fit = cp.imitate(teacher, inputs, 2, n_words=200, folds=2, rng=2)
    assert fit.acceptor.n_states == 2
    assert fit.divergence < 2e-3
    assert np.abs(fit.acceptor.acceptances(LONG) - A.acceptances(LONG)).max() < 0.1
    assert fit.n_words >= 10
    gaps = []
    for word, its, own in fit.differences:
        assert its == A.acceptance(word)
        assert own == fit.acceptor.acceptance(word)
        gaps.append(abs(its - own))
    assert gaps == sorted(gaps, reverse=True)
    assert repr(fit).startswith("<Imitation: divergence ")


def test_same_seed_same_imitation() -> None:
    one, other = (cp.imitate(A, WORDS, 2, n_words=40, folds=2, rng=5, threads=threads) for threads in (1, 3))
    assert one.acceptor == other.acceptor
    assert one.differences == other.differences


def test_the_divergence_is_that_of_two_coins() -> None:
    teacher, other = np.array([[0.75, 1.0, 0.5], [0.25, 0.0, 0.5]]), np.array([[0.5, 1.0, 1.0], [0.5, 0.0, 0.0]])
    expected = [0.25 * math.log(0.5) + 0.75 * math.log(1.5), 0.0, math.inf]
    np.testing.assert_allclose(divergence(teacher, other), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cp.imitate(A, ["1"], 2, n_words=0),
            "inputs must have at least 10 different words; got 1. Give more words, or increase n_words=….",
        ),
        (lambda: cp.imitate(A, WORDS, 0, n_words=0), "n_states must be a whole number from 1 to 2,000; got 0."),
        (lambda: cp.imitate(A, WORDS, 2, n_words=-1), "n_words must be a whole number, 0 or more; got -1."),
        (
            lambda: cp.imitate("x", WORDS, 2, n_words=0),
            "teacher must be an acceptor, a generator, a classifier or a function; got 'x'.",
        ),
        (
            lambda: cp.imitate(lambda words: [2.0] * len(words), WORDS, 2, n_words=0),
            f"teacher must give probabilities from 0 to 1; got 2 for {cp.Sample(WORDS).words[0]!r}.",
        ),
        (
            lambda: cp.imitate(lambda words: [0.5], WORDS, 2, n_words=0),
            f"teacher must give one probability for each of {len(cp.Sample(WORDS))} words; got shape (1,).",
        ),
    ],
)
def test_refusals(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        call()
    assert str(refusal.value) == sentence
