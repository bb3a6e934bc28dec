"""learning_curve: draws are nested, losses are expected ones where the truth is known, and what is refused."""

from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.assess import LearningCurve

TRUTH = cp.random_acceptor(2, "ab", rng=7)
SAMPLE = cp.simulate(TRUTH, cp.random_words("ab", 400, (1, 6), rng=1), rng=2)
TEST = cp.simulate(TRUTH, cp.random_words("ab", 100, (1, 6), rng=3), rng=4)


def test_losses_fall_towards_the_optimum() -> None:
    curve = cp.assess.learning_curve(SAMPLE, TEST, [10, 400], n_states=2, truth=TRUTH, folds=2)
    p = TRUTH.acceptances(TEST.words)
    entropy = -(p * np.log(p) + (1 - p) * np.log1p(-p))
    assert curve.optimum == pytest.approx(float(np.average(entropy, weights=TEST.counts)), rel=1e-12)
    assert curve.optimum is not None
    assert curve.optimum <= curve.losses[1] < curve.losses[0]
    assert curve.n_states == (2, 2)
    noisy = cp.assess.learning_curve(SAMPLE, TEST, [10, 400], n_states=2, folds=2)
    assert noisy.optimum is None
    assert noisy.losses != curve.losses  # of outcomes as they were drawn
    again = cp.assess.learning_curve(SAMPLE, TEST, [10, 400], n_states=2, truth=TRUTH, folds=2, threads=1)
    assert again == curve


def test_enough_is_where_the_loss_stays_near_the_optimum() -> None:
    curve = LearningCurve((10, 20, 30, 40), (0.105, 0.2, 0.109, 0.1), (2,) * 4, optimum=0.1)
    assert curve.enough(0.1) == 30
    assert curve.enough(0.0) == 40
    assert LearningCurve((10, 20), (0.3, 0.2), (2, 2), optimum=0.1).enough() is None
    assert LearningCurve((10, 20), (0.3, 0.2), (2, 2)).enough() == 20
    assert repr(curve) == "<LearningCurve: 10: 0.1050, 20: 0.2000, 30: 0.1090, 40: 0.1000; best possible 0.1000>"


def test_what_is_sure_up_to_rounding_is_sure() -> None:
    """Rows of tenths sum to 1 up to rounding, and so do acceptances."""
    sure = cp.Acceptor(3, "a", {"a": [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1]]}, 0, {0, 1, 2})
    test = cp.Sample(["a" * n for n in range(1, 40)], accepted=[True] * 39)
    both = cp.Sample(["a", "aa", "aaa", "a"] * 9, accepted=[True, True, True, False] * 9)
    assert cp.assess.learning_curve(both, test, [30], n_states=2, truth=sure, folds=2).optimum == pytest.approx(
        0.0, abs=1e-12
    )


def test_the_plot_has_the_curve_and_the_optimum() -> None:
    pytest.importorskip("matplotlib")
    axes = LearningCurve((10, 20), (0.3, 0.2), (2, 2), optimum=0.1).plot()
    assert [np.asarray(line.get_ydata()).tolist() for line in axes.get_lines()] == [[0.3, 0.2], [0.1, 0.1]]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ([], "sizes must be numbers that rise"),
        ([20, 10], "sizes must be numbers that rise"),
        ([10, 1000], "sizes must be at most 400, the number of observations; got 1000"),
        ([1], "sizes must be"),
    ],
)
def test_sizes_that_cannot_be(sizes: Any, sentence: str) -> None:
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.assess.learning_curve(SAMPLE, TEST, sizes)
