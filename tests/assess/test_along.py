"""Losses along the way: the mean over cases that have so many events, by hand and by enumeration."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.assess import losses_along

A = cp.random_acceptor(3, "ab", rng=1)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.text("ab", max_size=5), st.sampled_from([True, False, None]), st.floats(0.5, 9)), max_size=9)
)
def test_losses_are_means_over_cases_that_have_so_many_events(cases: list[tuple[str, bool | None, float]]) -> None:
    cases = [*cases, ("ab", True, 1.0)]
    words, accepted, counts = zip(*cases, strict=True)
    found = losses_along(A.acceptances, cp.Sample(words, accepted=accepted, counts=counts, alphabet="ab"))
    judged = [case for case in cases if case[1] is not None]
    assert found.events.tolist() == list(range(max(len(word) for word, _, _ in judged) + 1))
    for k in found.events.tolist():
        reached = [(word[:k], outcome, count) for word, outcome, count in judged if len(word) >= k]
        total = sum(count for _, _, count in reached)
        loss = sum(-n * np.log(A.acceptance(w) if y else 1 - A.acceptance(w)) for w, y, n in reached) / total
        assert (found.cases[k], found.losses[k]) == pytest.approx((total, loss), rel=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="predict must give one probability for each of 3 distinct"):
        losses_along(lambda _: [0.5], cp.Sample(["ab"], accepted=[True]))
    with pytest.raises(cp.errors.CutpointError, match="outcome"):
        losses_along(A.acceptances, cp.Sample(["ab"]))


@pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="two searches, which the reference is too slow for"
)
def test_both_roads_beat_the_base_rate_and_the_case_cut_short() -> None:
    """One of the three processes of the example, with fewer cases; all of them are checked by running it."""
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "along.py"))
    found = example["losses"]("loans", 1000, 5000, regression=False, sizes=(3, 6), team=1, folds=2)
    example["check"](found)
    assert found["learned from prefixes"].losses[0] == pytest.approx(found["base rate"].losses[0], rel=0.002)


def test_weights_of_prefixes_differ_where_short_cases_end_otherwise() -> None:
    cases = cp.Sample(["", "aaa"], accepted=[True, False], counts=[100, 100])
    share = {weight: [o.count for o in cases.prefixes(weight) if not o.word] for weight in ("case", "prefix")}
    assert share == {"case": [100, 25], "prefix": [100, 100]}  # the second has the base rate
