"""Folds of groups: none is split, they add up, labels and sizes are even, and folds within folds keep to them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.search.folds import held_out, shared_out, splits

PARITY = cp.gallery.parity()


def group_names(sample: cp.Sample) -> set[Any]:
    assert sample.cases is not None
    assert sample.cases.groups is not None
    return set(sample.cases.groups.tolist())


rows = st.lists(
    st.tuples(st.text("ab", max_size=3), st.booleans(), st.integers(0, 7), st.floats(0.25, 4)), min_size=8, max_size=60
)


@settings(max_examples=25)
@given(rows, st.integers(2, 5), st.integers(0, 99))
def test_folds_never_split_a_group(cases: list[tuple[str, bool, int, float]], folds: int, seed: int) -> None:
    words, accepted, groups, counts = map(list, zip(*cases, strict=True))
    sample = cp.Sample(words, accepted=accepted, counts=counts, ids=range(len(words))).grouped(groups)
    if len(set(groups)) < folds:
        with pytest.raises(cp.errors.InvalidArgument, match=r"folds need at least \d groups; got"):
            splits(sample, folds, np.random.default_rng(seed))
        return
    sizes = []
    for training, validation in splits(sample, folds, np.random.default_rng(seed)):
        assert not group_names(training) & group_names(validation)
        assert group_names(training) | group_names(validation) == group_names(sample)
        assert training + validation == sample or (training + validation).total == pytest.approx(sample.total)
        for part in (training, validation):
            assert part.cases is not None
            np.testing.assert_allclose(
                np.bincount(part.cases.observations, part.cases.counts, minlength=len(part)), part.counts, rtol=1e-12
            )
        sizes.append(validation.total)
    largest = max(sum(c for c, g in zip(counts, groups, strict=True) if g == k) for k in set(groups))
    assert max(sizes) - min(sizes) <= 2 * largest + 1e-9  # one for each outcome


def test_labels_of_groups_are_even_and_a_group_is_held_out_whole() -> None:
    words = cp.random_words("01", 400, (0, 6), rng=1)
    groups = np.arange(400) // 4
    accepted = (groups % 4 == 0).tolist()
    sample = cp.Sample(words, accepted=accepted, ids=range(400)).grouped(groups)
    for _, validation in splits(sample, 5, np.random.default_rng(3)):
        assert validation.total == 80
        assert validation.seen.share_accepted == 0.25
    training, fresh = held_out(sample, 0.2, np.random.default_rng(0))
    assert (training.total, fresh.total) == (320, 80)
    assert not group_names(training) & group_names(fresh)


def test_equal_rows_of_different_groups_are_shared_out() -> None:
    sample = cp.Sample(["a"] * 6, accepted=[True] * 6, ids=range(6)).grouped("xxyyzz"[k] for k in range(6))
    assert len(sample) == 1
    assert shared_out(sample) == (3, "group", "")
    assert [split.validation.counts.tolist() for split in splits(sample, 3, np.random.default_rng(0))] == [[2]] * 3


def test_groups_of_observations_without_outcomes_do_not_count() -> None:
    sample = cp.Sample(["a", "b", "c"], accepted=[True, False, None]).grouped([1, 2, 3])
    assert shared_out(sample) == (2, "group", " with an outcome")
    with pytest.raises(cp.errors.InvalidArgument, match="3 folds need at least 3 groups with an outcome; got 2 groups"):
        splits(sample, 3, np.random.default_rng(0))


def test_learning_judges_by_whole_groups_also_within_folds() -> None:
    words = cp.random_words("01", 120, (0, 6), rng=1)
    sample = cp.Sample(words, accepted=[word.count("1") % 2 == 1 for word in words], ids=range(120))
    groups = [f"person {r % 12}" for r in range(120)]
    fit = cp.learn(sample, 2, groups=groups, folds=3, rng=1)
    validated = [group_names(part) for _, part in fit.held_out]
    assert len(validated) == 3
    assert all(not one & other for k, one in enumerate(validated) for other in validated[:k])
    assert fit.acceptor.acceptance("1101") > 0.9
    scores = cp.cross_validate(2, sample, 2, groups=groups, inner_folds=2)
    assert scores.log_loss.mean < 0.2
    assert cp.select(sample, (2,), folds=2, groups=groups).n_states == 2


def test_each_word_its_own_group_scores_as_no_group_does() -> None:
    words = cp.random_words("01", 200, (0, 6), rng=1)
    sample = cp.simulate(cp.p_adic(2), words, rng=2)
    free = cp.cross_validate(cp.p_adic(2), sample, refit=False)
    grouped = cp.cross_validate(cp.p_adic(2), sample, refit=False, groups=range(len(sample)))
    assert grouped.log_loss.mean == pytest.approx(free.log_loss.mean, abs=3 * free.log_loss.standard_error)


def test_a_group_that_tells_the_outcome_no_longer_flatters() -> None:
    """Words say who they are of, and people always have the same outcome: only grouped folds see that it is useless."""
    rng = np.random.default_rng(5)
    fate = rng.integers(0, 2, 16).astype(bool)
    people = np.repeat(np.arange(16), 10)
    sample = cp.Sample([["abcdefghijklmnop"[k]] for k in people], accepted=fate[people].tolist(), ids=range(160))
    start = cp.random_acceptor(2, sample.alphabet, rng=1)
    flattered = cp.cross_validate(start, sample, 4).log_loss.mean
    honest = cp.cross_validate(start, sample, 4, groups=people.tolist()).log_loss.mean
    assert flattered < 0.1
    assert honest > 0.6


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "ab"]), st.booleans()), min_size=10, max_size=60), st.integers(0, 99)
)
def test_what_is_held_out_keeps_its_ids(cases: list[tuple[str, bool]], seed: int) -> None:
    """Equal rows are merged; which of them is held out does not matter, but each is on one side."""
    words, accepted = map(list, zip(*cases, strict=True))
    sample = cp.Sample(words, accepted=accepted, alphabet="ab", ids=range(len(words)))
    split = held_out(sample, 0.2, np.random.default_rng(seed))
    assert split == held_out(sample.reweighted(sample.counts), 0.2, np.random.default_rng(seed))
    seen: set[object] = set()
    for part in split:
        for number, observation in zip(part.known_cases.ids, part.known_cases.observations, strict=True):
            assert (part.words[observation], part.accepted[observation]) == cases[number]  # type: ignore[call-overload]
            seen.add(number)
        assert np.bincount(part.known_cases.observations).tolist() == part.counts.tolist()
    assert seen == set(range(len(words)))
    assert sum(len(part.known_cases.ids) for part in split) == len(words)
