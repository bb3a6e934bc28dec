"""Live runs: the distribution along the way, what was seen, certified verdicts, and proofs that they stay."""

import copy
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from tests import oracles
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors, words_of

FADING = cp.Acceptor(2, "ab", [[[1e-3, 1 - 1e-3], [0, 1]], np.eye(2)], initial=0, final={0})
"""State 0 is left for good, almost surely, at each a."""


def after(acceptor: cp.Acceptor, word: str, **options: Any) -> cp.model.Run:
    run = acceptor.run(**options)
    for symbol in word:
        run.read(symbol)
    return run


@given(acceptors().flatmap(lambda A: st.tuples(st.just(A), words_of(A, 8))))
def test_a_run_is_where_the_word_leads(case: tuple[cp.Acceptor, str]) -> None:
    A, word = case
    run = after(A, word)
    assert run.word == word
    assert len(run) == len(word)
    np.testing.assert_allclose(run.distribution, A.distribution(word), rtol=1e-12, atol=0)
    np.testing.assert_allclose(run.acceptance, A.acceptance(word), rtol=1e-12, atol=0)
    assert run.exact_acceptance == A.exact_acceptance(word)


@given(st.data())
def test_what_was_seen_conditions_the_run(data: st.DataObject) -> None:
    """All paths that agree with what was seen, enumerated: their share that ends in a final state."""
    A = data.draw(acceptors(exact=data.draw(st.booleans())))
    word = data.draw(words_of(A, 4))
    path = A.sample_path(word, rng=data.draw(st.integers(0, 1000)))
    run, verdicts, states = A.run(), [], []
    for i, state in enumerate(path):
        if i:
            run.read(word[i - 1])
        verdict = state in A.final_states if data.draw(st.booleans()) else None
        known: Any = data.draw(st.sampled_from([None, state, {state, A.states[0]}]))
        run.see(accepted=verdict, states=known)
        verdicts.append(verdict)
        states.append(known)
    (seen,) = cp.Sample([word], verdicts=[verdicts], states=[states], alphabet=A.alphabet)
    machine = oracles.rational(A)
    agreeing = [path for path in oracles.paths(machine, word) if oracles.agrees(machine, seen)(path)]
    weights = {path: oracles.path_probability(machine, word, path) for path in agreeing}
    total = sum(weights.values())
    accepted = sum(weight for path, weight in weights.items() if path[-1] in A.final_states) / total
    np.testing.assert_allclose(run.acceptance, float(accepted), rtol=1e-12, atol=0)
    np.testing.assert_allclose(run.distribution.sum(), 1.0, rtol=1e-12)
    if A.is_exact:
        assert run.exact_acceptance == accepted


@given(acceptors(exact=True).flatmap(lambda A: st.tuples(st.just(A), words_of(A, 5), st.integers(0, 12))))
def test_verdicts_are_certified(case: tuple[cp.Acceptor, str, int]) -> None:
    A, word, twelfths = case
    value = A.exact_acceptance(word)
    for cut_point in (Fraction(twelfths, 12), value):
        assert after(A, word, cut_point=cut_point).accepts == (value > cut_point)


@settings(max_examples=150)
@given(
    st.one_of(*(acceptors(max_states=3, max_symbols=2, exact=exact) for exact in (True, False))).flatmap(
        lambda A: st.tuples(st.just(A), words_of(A, 3), st.integers(0, 12), st.integers(0, 4), st.booleans())
    )
)
def test_decided_is_what_enumeration_says(case: tuple[cp.Acceptor, str, int, int, bool]) -> None:
    """Not only sound: with so few continuations the proof is found whenever there is one."""
    A, word, twelfths, most, see = case
    run = after(A, word, cut_point=Fraction(twelfths, 12))
    if see and 0 < run.exact_acceptance < 1:
        run.see(accepted=True)
    values = []
    for length in range(most + 1):
        for more in product(A.alphabet, repeat=length):
            longer = run.copy()
            for symbol in more:
                longer.read(symbol)
            values.append(longer.exact_acceptance)
    above = [value > Fraction(twelfths, 12) for value in values]
    found = run.decided(most)
    assert (found is not None) == (all(above) or not any(above))
    if found is not None:
        assert found.accepted == above[0]
        assert found.max_more == most
        if found.accepted:
            assert found.bound <= min(values) * (1 + 1e-12)
            assert found.bound > Fraction(twelfths, 12) or np.isclose(found.bound, twelfths / 12, rtol=1e-12, atol=0)
        else:
            assert found.bound >= max(values) * (1 - 1e-12)


def test_a_proof_may_look_far_ahead_where_the_state_is_final() -> None:
    """Once won, always won; the bound alone proves it, at any depth."""
    A = cp.Acceptor(2, "abcdefgh", [[[0.9, 0.1], [0, 1]]] * 8, initial=0, final={1})
    run = after(A, "abcabca", cut_point="1/2")
    assert run.accepts
    found = run.decided(10_000)
    assert found is not None
    assert str(found) == "accepted, at least 0.521703 for every continuation of up to 10,000 symbols"
    before = after(A, "a", cut_point="1/2")
    assert before.decided(5) is not None
    assert before.decided(6) is None  # the seventh symbol crosses


def test_decided_at_the_cut_point_itself_is_exact() -> None:
    stuck = cp.Acceptor(3, "a", {"a": {0: {1: "1/3", 2: "2/3"}, 1: 1, 2: 2}}, initial=0, final={1})
    assert after(stuck, "a", cut_point="1/3").decided(50) is not None  # never above, not even by a rounding
    assert not after(stuck, "a", cut_point="1/3").accepts
    assert after(stuck, "a", cut_point=Fraction(10**40 - 1, 3 * 10**40)).decided(50) is not None


def test_too_many_continuations_are_no_proof() -> None:
    """The player who sees the state gets beyond this cut point, and no short word does."""
    A = cp.random_acceptor(6, "abcdefgh", rng=1)
    cut_point = 0.99 * float(A.initial @ A.completion_bounds[0].column(40))
    run = A.run(cut_point)
    assert not run.accepts
    assert run.decided(2) is not None
    assert run.decided(40) is None
    assert run.decided(10_000) is None


def test_tiny_and_lost_probabilities_are_not_impossible() -> None:
    """After 200 a the first state has probability 1e-600, which no float can hold: seen, it is certain all the same."""
    run = after(FADING, "a" * 200)
    assert run.see(accepted=True).distribution.tolist() == [1.0, 0.0]
    assert run.exact_acceptance == 1
    with pytest.raises(cp.errors.ImpossibleObservation):
        after(FADING, "ab").see(accepted=True).see(accepted=False)
    exact = FADING.rationalized()
    run = after(exact, "a" * 200, cut_point=0)
    assert run.acceptance == 0.0
    assert run.accepts
    assert run.see(accepted=True).acceptance == 1.0


def test_digits_lost_below_the_smallest_floats_are_found_again() -> None:
    """Two states fade alike, to some dozens of the smallest float: seen, their shares are as they were."""
    A = cp.Acceptor(3, "a", [[[1e-3, 0, 1 - 1e-3], [0, 1e-3, 1 - 1e-3], [0, 0, 1]]], [0.3, 0.6, 0.1], final={0})
    run = after(A, "a" * 107)
    assert 0 < run.distribution[0] < 1e-321
    np.testing.assert_allclose(run.see(states={0, 1}).distribution, [1 / 3, 2 / 3, 0], rtol=1e-12, atol=0)


def test_long_runs_with_evidence_stay_quick_and_right() -> None:
    """A share that fades at each of 3,000 observations; what falls below the smallest floats is watched."""
    A = cp.Acceptor(3, "a", [[[0.5, 0.5, 0], [0.1, 0.9, 0], [0, 0, 1]]], [0.4, 0.2, 0.4], final={0, 2})
    run, row = A.run(cut_point=0.3), np.array([0.4, 0.2, 0.4])
    for i in range(3000):
        run.read("a").see(states={0, 1} if i % 2 else {0, 1, 2})
        row = row @ A.transitions[0] * ([1, 1, 0] if i % 2 else 1)
        row /= row.sum()
    np.testing.assert_allclose(run.distribution, row, rtol=1e-9)
    assert not run.accepts


def test_copies_go_on_by_themselves() -> None:
    run = after(cp.p_adic(2), "1", cut_point="1/2")
    for twin in (run.copy(), copy.copy(run)):
        twin.read("1").see(accepted=True)
        assert (run.word, twin.word) == ("1", "11")
        assert (run.acceptance, twin.acceptance) == (0.5, 1.0)


def test_representations() -> None:
    run = cp.gallery.customers().run()
    assert repr(run) == "<Run: the empty word read, acceptance 0>"
    assert repr(run.read("ad").see(accepted=False)) == "<Run: ('ad',) with 1 observation read, acceptance 0>"
    assert run
    irrational = cp.p_adic(2).run(cut_point=cp.AlgebraicNumber.sqrt("1/2"))
    text = "<Run: '1' read, acceptance 0.5, not accepted at √(1/2) ≈ 0.7071>"
    assert repr(irrational.read("1")) == text


def test_a_run_of_one_state_and_its_distribution_is_a_copy() -> None:
    run = cp.Acceptor(1, "a", [[[1]]], 0, {0}).run("1/2")
    run.distribution[0] = 5
    assert run.read("a").see(accepted=True).distribution.tolist() == [1.0]
    assert run.decided(100) == cp.model.FinalVerdict(True, 100, 1.0)


BINARY = cp.p_adic(2)
REFUSALS: list[Refusal] = [
    (
        lambda: BINARY.run().read("1").read("2"),
        cp.errors.UnknownSymbol,
        "position 1: symbol '2' is not in the alphabet {'0', '1'}.",
    ),
    (
        lambda: BINARY.run().accepts,
        cp.errors.InvalidArgument,
        "this run has no cut point to decide at. Start it with cut_point=….",
    ),
    (
        lambda: BINARY.run().see(accepted=True),
        cp.errors.ImpossibleObservation,
        "what was seen has probability 0 after the empty word: the run is unchanged.",
    ),
    (
        lambda: BINARY.run().see(accepted=1),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "accepted must be True, False or None; got 1.",
    ),
    (
        lambda: BINARY.run().see(states=set()),
        cp.errors.InvalidArgument,
        "states must not be an empty set; use None for not seen.",
    ),
    (
        lambda: BINARY.run().see(states="s3"),
        cp.errors.UnknownState,
        "states: 's3' is not a state; the states are {'s1', 's2'}.",
    ),
    (lambda: BINARY.run(1.5), cp.errors.InvalidArgument, "a cut point must be a number between 0 and 1; got 1.5."),
    (
        lambda: BINARY.run("1/2").decided(-1),
        cp.errors.InvalidArgument,
        "max_more must be a whole number from 0 to 10,000; got -1.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSALS, ids=lambda value: "")
def test_refusals(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)


def test_what_is_refused_changes_nothing() -> None:
    run = after(BINARY, "0", cut_point="1/2")
    before = repr(run), run.distribution.tolist()
    steps: list[tuple[Callable[..., object], Any]] = [(run.read, "x"), (run.read, ["1"]), (run.see, True)]
    for wrong, argument in steps:
        with pytest.raises(cp.CutpointError):
            wrong(argument)
        assert (repr(run), run.distribution.tolist()) == before
