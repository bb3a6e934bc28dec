"""Losses along the way: the mean over cases that have so many events, by hand and by enumeration."""

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
