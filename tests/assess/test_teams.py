"""Teams: taken apart, made smaller, imitated."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.strategies import acceptors

A, B = cp.p_adic(2), cp.gallery.parity()
TEAM = cp.mixture([cp.random_acceptor(2, "01", rng=k, final={1}) for k in range(4)], [0.4, 0.3, 0.2, 0.1])


@given(st.data())
def test_members_undo_a_mixture(data: st.DataObject) -> None:
    """Whatever the members, in one piece or not: their names, values and weights come back."""
    first = data.draw(acceptors(max_states=3))
    others = [
        cp.random_acceptor(n, first.alphabet, rng=n).rationalized(100)
        for n in data.draw(st.lists(st.integers(1, 3), max_size=2))
    ]
    parts = [first, *others]
    raw = data.draw(st.lists(st.integers(1, 9), min_size=len(parts), max_size=len(parts)))
    weights = [Fraction(w, sum(raw)) for w in raw]
    found = cp.assess.members(cp.mixture(parts, weights))
    assert len(found) == len(parts)
    for (weight, member), part, given_weight in zip(found, parts, weights, strict=True):
        assert float(weight) == pytest.approx(float(given_weight), rel=1e-12)
        assert member.states == part.states
        assert member.final.tolist() == part.final.tolist()
        np.testing.assert_allclose(member.transitions, part.transitions, rtol=1e-15)
        np.testing.assert_allclose(member.initial, part.initial, rtol=1e-12, atol=0)
    if all(part.is_exact for part in parts):
        assert [member for _, member in found] == parts
        assert [weight for weight, _ in found] == weights


def test_members_of_an_acceptor_that_is_no_mixture_by_name() -> None:
    """Blocks by connection, states interleaved, names kept; a block without a start is left out."""
    steps = np.zeros((1, 5, 5))
    steps[0, [0, 2], [2, 0]] = steps[0, 1, 1] = steps[0, [3, 4], [4, 4]] = 1.0
    acceptor = cp.Acceptor("abcde", "x", steps, [0.25, 0.75, 0.0, 0.0, 0.0], {"c"})
    (first, left), (second, right) = cp.assess.members(acceptor)
    assert (first, second) == (0.25, 0.75)
    assert left.states == ("a", "c")
    assert left.final_states == ("c",)
    assert right.states == ("b",)
    assert left.acceptance("x") == 1.0


def test_one_piece_is_its_own_member() -> None:
    ((weight, member),) = cp.assess.members(A)
    assert weight == 1
    assert member == A
    product = A & B  # states are pairs too, but transitions cross
    assert cp.assess.members(product)[0][1] == product
    swapped = cp.Acceptor([(0, "s"), (1, "s")], "x", [[[0, 1], [1, 0]]], {(0, "s"): 1}, {(1, "s")})
    assert cp.assess.members(swapped) == ((1, swapped),)


def test_a_long_chain_is_one_piece() -> None:
    steps = np.zeros((1, 60, 60))
    order = np.random.default_rng(1).permutation(60)
    steps[0, order[:-1], order[1:]] = steps[0, order[-1], order[-1]] = 1.0
    assert len(cp.assess.members(cp.Acceptor(60, "x", steps, int(order[0]), {0}))) == 1


def test_members_and_mixture_give_the_same_probabilities() -> None:
    words = cp.random_words("01", 50, (0, 6), rng=1)
    total = sum(weight * part.acceptances(words) for weight, part in cp.assess.members(TEAM))
    np.testing.assert_allclose(total, TEAM.acceptances(words), rtol=1e-13)


def test_pruning_keeps_who_explains_the_sample() -> None:
    sample = cp.simulate(A, cp.random_words("01", 300, (1, 6), rng=1), rng=2)
    team = cp.mixture([B, A, ~A, ~B])
    pruned = cp.assess.prune(team, sample, 2)
    assert 1 in pruned.kept
    assert len(pruned.kept) <= 2
    assert pruned.loss_before == pytest.approx(-cp.log_likelihood(team, sample) / 300, rel=1e-12)
    assert pruned.loss_after == pytest.approx(-cp.log_likelihood(pruned.acceptor, sample) / 300, rel=1e-9)
    assert pruned.loss_after < pruned.loss_before
    assert (np.diff(pruned.losses) >= -1e-9).all()
    assert repr(pruned).startswith("<Pruned: ")
    assert cp.assess.prune(team, sample, 1).acceptor == A


def test_weights_are_those_of_highest_likelihood() -> None:
    """Two coins with one verdict: the mixture's acceptance is the share of accepted words."""
    coins = [cp.Acceptor(2, "f", [[[1 - p, p], [0, 1]]], 0, {1}) for p in (0.2, 0.9)]
    sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[62, 38])
    pruned = cp.assess.prune(cp.mixture(coins), sample, 2)
    assert pruned.acceptor.acceptance("f") == pytest.approx(0.62, rel=1e-8)
    assert pruned.weights == pytest.approx((0.4, 0.6), rel=1e-8)
    grid = np.linspace(0.01, 0.99, 99)
    best = max(cp.log_likelihood(cp.mixture(coins, [1 - w, w]), sample) for w in grid)
    assert -100 * pruned.loss_after >= best - 1e-9


def test_the_member_that_goes_is_the_one_whose_loss_hurts_least() -> None:
    sample = cp.simulate(TEAM, cp.random_words("01", 400, (0, 5), rng=3), rng=4)
    parts = [part for _, part in cp.assess.members(TEAM)]
    pruned = cp.assess.prune(TEAM, sample, 3)
    losses = {
        k: cp.assess.prune(cp.mixture([part for j, part in enumerate(parts) if j != k]), sample, 3).loss_after
        for k in range(4)
    }
    assert pruned.loss_before == pytest.approx(-cp.log_likelihood(TEAM, sample) / 400, rel=1e-12)
    (gone,) = set(range(4)) - set(pruned.kept)
    assert pruned.loss_after == pytest.approx(min(losses.values()), abs=1e-10)
    assert losses[gone] == pytest.approx(min(losses.values()), abs=1e-10)


def test_a_member_that_alone_explains_something_stays() -> None:
    sample = cp.Sample(["1", "11"], accepted=[True, True], counts=[99, 1])
    pruned = cp.assess.prune(cp.mixture([B, A]), sample, 1)  # parity never accepts 11
    assert pruned.kept == (1,)
    assert cp.assess.prune(cp.mixture([B, ~B]), sample, 1).loss_after == math.inf


def test_teams_of_named_states_are_pruned_by_what_was_seen_of_states() -> None:
    runs = cp.simulate(A, cp.random_words("01", 50, 4, rng=1), rng=2, seen="states")
    other = cp.random_acceptor(A.states, "01", rng=3)
    assert cp.assess.prune(cp.mixture([other, A]), runs, 1).acceptor == A


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cp.assess.members("team"), "expected an Acceptor; got 'team'."),  # type: ignore[arg-type]
        (lambda: cp.assess.prune(TEAM, cp.Sample(["1"], [True]), 5), "size must be a whole number from 1 to 4; got 5."),
        (lambda: cp.assess.prune(TEAM, cp.Sample(["1"], [True]), 0), "size must be a whole number from 1 to 4; got 0."),
    ],
)
def test_refusals(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        call()
    assert str(refusal.value) == sentence


def test_what_no_member_can_explain_is_named() -> None:
    sample = cp.Sample(["0"], accepted=[True])
    with pytest.raises(cp.errors.ImpossibleObservation, match=r"Observation '0' \(accepted\) has probability 0"):
        cp.assess.prune(cp.mixture([A, B]), sample, 1)
