"""Choosing the number of states, and judging by held-out observations."""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.assess.evaluation import area_under_curve
from cutpoint.assess.selection import Criterion, _chosen, free_parameters
from cutpoint.search.folds import Split, splits
from cutpoint.search.race import race

PARITY = cp.simulate(cp.gallery.parity(), cp.random_words("01", 80, (0, 4), rng=1), rng=2)
COIN = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})


@pytest.fixture(scope="module")
def selection() -> cp.assess.Selection:
    return cp.select(PARITY, sizes=(3, 2), folds=2, rng=5)


def test_the_smaller_number_wins_where_more_states_do_not_help(selection: cp.assess.Selection) -> None:
    assert [row.n_states for row in selection.candidates] == [2, 3]
    assert selection.n_states == selection.chosen.n_states == 2
    assert selection.best == selection.chosen.acceptor
    assert selection.best.acceptances(["1" * 21, "01" * 20]).round(1).tolist() == [1.0, 0.0]
    lines = selection.table().splitlines()
    assert lines[0].split() == ["states", "log", "loss", "±", "parameters", "log-likelihood", "BIC", "AIC"]
    assert lines[1].split()[:2] == ["2", "*"]
    assert repr(selection).startswith("<Selection: 2 states by held-out log loss\n  states")


def test_criteria_are_what_their_formulas_say(selection: cp.assess.Selection) -> None:
    for row in selection.candidates:
        likelihood = cp.log_likelihood(row.climbed.acceptor, PARITY)
        k = row.n_parameters
        assert row.n_observations == 80.0
        assert row.bic == pytest.approx(k * math.log(80) - 2 * likelihood, rel=1e-12)
        assert row.aic == pytest.approx(2 * k - 2 * likelihood, rel=1e-12)
        assert row.loss == pytest.approx(sum(row.losses) / 2, rel=1e-15)
        assert row.standard_error == pytest.approx(abs(row.losses[0] - row.losses[1]) / 2, rel=1e-12)
        assert likelihood >= cp.log_likelihood(row.acceptor, PARITY)


def test_criteria_are_about_the_highest_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    heights = []

    def noted(*parts: Any, **options: Any) -> cp.Fit:
        heights.append(cp.baum_welch(*parts, **options).log_likelihood)
        return cp.baum_welch(*parts, **options)

    monkeypatch.setattr(sys.modules["cutpoint.assess.selection"], "baum_welch", noted)
    noisy = cp.simulate(cp.random_acceptor(3, "01", rng=3), cp.random_words("01", 60, (0, 4), rng=1), rng=2)
    (row,) = cp.select(noisy, sizes=(3,), folds=2).candidates
    assert row.climbed.log_likelihood == max(heights) > min(heights)


def test_losses_are_those_of_observations_that_chose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The searches see the rest of each fold alone, and all of it."""
    parts: list[cp.Sample] = []

    def noted(sizes: Any, folds: list[Split], *given: Any) -> Any:
        parts.extend(split.training + split.validation for split in folds)
        return race(sizes, folds, *given)

    monkeypatch.setattr("cutpoint.assess.selection.race", noted)
    cp.select(PARITY, sizes=(2,), folds=2, rng=5)
    assert [part.total for part in parts] == [40.0, 40.0]
    assert parts[0] + parts[1] == PARITY


@pytest.mark.parametrize("criterion", ["bic", "aic"])
def test_the_lowest_criterion_is_chosen(criterion: Criterion, selection: cp.assess.Selection) -> None:
    rows = list(selection.candidates)
    chosen = _chosen(rows, criterion)
    assert getattr(chosen, criterion) == min(getattr(row, criterion) for row in rows)
    assert _chosen([replace(rows[0], n_parameters=1000), rows[1]], criterion) == rows[1]
    found = replace(selection, criterion=criterion, chosen=chosen)
    assert found.best == chosen.climbed.acceptor
    assert f"by {criterion.upper()}" in repr(found)


def test_a_larger_number_must_be_clearly_better(selection: cp.assess.Selection) -> None:
    """Gains of 0.1 in the mean: with a standard error of 0.02 they count, with one of 0.2 they do not."""
    small, large = selection.candidates
    small = replace(small, losses=(0.5, 0.6, 0.7))
    assert _chosen([small, replace(large, losses=(0.4, 0.47, 0.63))], "loss").n_states == 3
    assert _chosen([small, replace(large, losses=(0.1, 0.8, 0.6))], "loss").n_states == 2


def test_parameters_are_used_entries_minus_reached_rows() -> None:
    """Complete data, counted by hand: rows (3, 1), (0, 2), never reached; first states (2, 0)."""
    counts = cp.Counts(
        np.array([[[3.0, 1.0, 0.0], [0.0, 2.0, 0.3], [0.0, 0.0, 0.0]]]), np.array([1.0, 2.0, 1.0]), log_likelihood=0.0
    )
    assert free_parameters(counts) == 1 + 0 + 0 + 2


def test_a_callback_ends_the_selection_with_what_is_finished() -> None:
    found = cp.select(PARITY, sizes=(2, 3), folds=2, callback=lambda progress: progress.n_states == 3)
    assert [row.n_states for row in found.candidates] == [2]


def test_the_area_under_the_curve() -> None:
    values = np.array([0.1, 0.4, 0.4, 0.8])
    accepted = np.array([False, False, True, True])
    ones = np.ones(4)
    # Pairs: (0.4, 0.1) right, (0.4, 0.4) half, (0.8, both) right.
    assert area_under_curve(values, accepted, ones) == 3.5 / 4
    assert area_under_curve(values, accepted, np.array([1.0, 3.0, 1.0, 1.0])) == (1 + 1.5 + 1 + 3) / 8
    assert area_under_curve(values, accepted, 1e290 * ones) == 3.5 / 4
    assert area_under_curve(values, accepted, np.array([1.0, 1.0, 3.0, 1.0])) == (4.5 + 2) / 8
    assert area_under_curve(values, ~accepted, ones) == 0.5 / 4
    assert area_under_curve(values, np.ones(4, dtype=np.bool_), ones) is None


def test_an_acceptor_as_it_is_gets_the_scores_of_its_folds() -> None:
    truth = cp.p_adic(2)
    sample = cp.simulate(truth, cp.random_words("01", 300, (0, 5), rng=1), rng=2)
    scores = cp.cross_validate(truth, sample, folds=3, refit=False, rng=9)
    parts = [split.validation for split in splits(sample, 3, np.random.default_rng(9))]
    losses = [-cp.log_likelihood(truth, part) / part.total for part in parts]
    assert scores.log_loss.values == pytest.approx(losses, rel=1e-14)
    assert scores.log_loss.mean == pytest.approx(np.mean(losses), rel=1e-14)
    assert scores.log_loss.standard_error == pytest.approx(np.std(losses, ddof=1) / math.sqrt(3), rel=1e-12)
    right = [
        sum(o.count for o in part if (truth.acceptance(o.word) > 0.5) == o.accepted) / part.total for part in parts
    ]
    assert scores.accuracy is not None
    assert scores.auc is not None
    assert scores.accuracy.values == pytest.approx(right, rel=1e-14)
    assert 0.5 < scores.auc.mean < 1.0
    assert repr(scores).startswith("<CrossValidation over 3 folds: log loss 0.")


def test_refitting_sees_the_training_part_alone() -> None:
    sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[7, 4])
    scores = cp.cross_validate(COIN, sample, folds=2, prior=0.0, rng=1)
    parts = [split.validation for split in splits(sample, 2, np.random.default_rng(1))]
    expected = []
    for held, rest in (parts, parts[::-1]):
        p = rest.counts[0] / rest.total
        expected.append(-float(held.counts @ np.log([p, 1 - p])) / held.total)
    assert scores.log_loss.values == pytest.approx(expected, rel=1e-9)


def test_learning_from_scratch_is_judged_by_what_it_never_saw() -> None:
    scores = cp.cross_validate(2, PARITY, folds=2, inner_folds=2, rng=3)
    assert scores.accuracy is not None
    assert scores.accuracy.values == (1.0, 1.0)
    assert scores.log_loss.mean < 0.05


def test_what_cannot_be_scored_is_none_and_never_a_nan() -> None:
    complete = cp.simulate(cp.p_adic(2), cp.random_words("01", 40, 3, rng=1), rng=2, seen="states")
    scores = cp.cross_validate(cp.p_adic(2), complete, folds=2)
    assert scores.accuracy is None
    assert scores.auc is None
    assert "accuracy" not in repr(scores)
    surprised = cp.Sample(["1"], accepted=[False], counts=[10])
    flat = cp.cross_validate(cp.gallery.parity(), surprised, folds=2, refit=False)
    assert flat.log_loss.mean == flat.log_loss.standard_error == math.inf
    assert flat.auc is None
    assert flat.accuracy is not None
    assert flat.accuracy.values == (0.0, 0.0)


def test_any_number_of_threads_gives_the_same(selection: cp.assess.Selection) -> None:
    again = cp.select(PARITY, sizes=(2, 3), folds=2, rng=5, threads=3)
    assert again.table() == selection.table()
    assert [row.acceptor for row in again.candidates] == [row.acceptor for row in selection.candidates]
    assert [row.climbed.acceptor for row in again.candidates] == [row.climbed.acceptor for row in selection.candidates]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cp.select(PARITY, criterion="BIC"),  # type: ignore[arg-type]
            "criterion must be 'loss', 'bic' or 'aic'; got 'BIC'.",
        ),
        (lambda: cp.select(PARITY, sizes=()), "sizes must be a list of one or more numbers of states; got ()."),
        (lambda: cp.select(PARITY, sizes=4), "sizes must be a list of one or more numbers of states; got 4."),  # type: ignore[arg-type]
        (lambda: cp.select(PARITY, sizes=(2, 0)), "each of sizes must be a whole number, 1 or more; got 0."),
        (lambda: cp.select(PARITY, prior=-1), "prior must be a finite number, 0 or more; got -1."),
        (lambda: cp.select(PARITY, folds=1), "folds must be a whole number, 2 or more; got 1."),
        (
            lambda: cp.select("01"),  # type: ignore[arg-type]
            "expected a Sample; got str. Write Sample(words, accepted=...).",
        ),
        (
            lambda: cp.cross_validate("4", PARITY),  # type: ignore[arg-type]
            "model must be an Acceptor or a number of states; got '4'.",
        ),
        (
            lambda: cp.cross_validate(COIN, PARITY, n_final=1),
            "n_final, final and inner_folds are for a number of states; an acceptor has its own.",
        ),
        (
            lambda: cp.cross_validate(2, PARITY, refit=False),
            "refit=False judges an acceptor as it is; with a number of states there is nothing yet.",
        ),
    ],
)
def test_refusals(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        call()
    assert str(refusal.value) == sentence


def test_an_impossible_start_is_named() -> None:
    surprised = cp.Sample(["1"], accepted=[False], counts=[10])
    with pytest.raises(cp.errors.ImpossibleObservation, match=r"Observation '1' \(rejected\) has probability 0"):
        cp.cross_validate(cp.gallery.parity(), surprised, folds=2)
