"""Explanations: equal to enumeration over all deletions, they add up, and give credit where it is due."""

import time
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.cases.explanation import deletion_values
from tests import oracles
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors, generators, words_of

HALF = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
NEVER = cp.Generator(1, "01", {"0": [["1/2"]], "1": [[0]]}, 0, ["1/2"])
CASES = {end: ["submit", "check", "offer", end] for end in ("good", "bad")}


def enumerated(acceptor: cp.Acceptor, word: str) -> list[Fraction]:
    """Shapley values by all choices of events that are kept."""
    machine, n = oracles.rational(acceptor), len(word)
    kept: dict[tuple[int, ...], Fraction] = {}
    for chosen in (chosen for size in range(n + 1) for chosen in combinations(range(n), size)):
        shorter = "".join(word[i] for i in chosen)
        kept[chosen] = acceptor.exact_acceptance(shorter) if n > 4 else oracles.acceptance(machine, shorter)
    values = []
    for i in range(n):
        others = [chosen for chosen in kept if i not in chosen]
        gains = [(kept[tuple(sorted((*rest, i)))] - kept[rest]) / (n * comb(n - 1, len(rest))) for rest in others]
        values.append(sum(gains, Fraction(0)))
    return values


@given(st.data())
def test_shapley_values_equal_enumeration(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3, exact=True))
    word = data.draw(words_of(acceptor, 4))
    expected = enumerated(acceptor, word)
    exact = cp.explain(acceptor, word, exact=True)
    assert exact.shapley is not None
    assert exact.shapley.tolist() == expected
    assert exact.shapley.sum() == exact.acceptance - exact.empty
    found = cp.explain(acceptor, word).shapley
    assert found == pytest.approx([float(value) for value in expected], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("n", [5, 12])
def test_shapley_values_of_twelve_events_equal_enumeration(n: int) -> None:
    acceptor = cp.random_acceptor(3, "abc", rng=n).rationalized(9)
    word = "abcacbbaccab"[:n]
    expected = enumerated(acceptor, word)
    exact = cp.explain(acceptor, word, exact=True).shapley
    assert exact is not None
    assert exact.tolist() == expected
    assert cp.explain(acceptor, word).shapley == pytest.approx([float(value) for value in expected], rel=1e-12)


def test_shapley_values_of_two_thousand_events_add_up() -> None:
    acceptor = cp.random_acceptor(3, "abc", rng=5)
    word = cp.random_words("abc", 1, 2000, rng=6)[0]
    why = cp.explain(acceptor, word)
    assert why.shapley is not None
    assert len(why.shapley) == 2000
    assert why.shapley.sum() == pytest.approx(why.acceptance - why.empty, abs=1e-12)


def test_fifty_events_take_about_a_millisecond() -> None:
    acceptor, rng = cp.random_acceptor(16, "abcdefgh", rng=1), np.random.default_rng(2)
    word = rng.integers(0, 8, 50).astype(np.int32)
    times = []
    for _ in range(30):
        start = time.perf_counter()
        deletion_values(acceptor.transitions, acceptor.initial, acceptor.final, word)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.002  # 0.0004 on an idle core


@given(st.data())
@settings(max_examples=40)
def test_changes_along_the_way_add_up(data: st.DataObject) -> None:
    generator = data.draw(generators(exact=True, zeros=False))
    acceptor = data.draw(acceptors(max_symbols=3, exact=True).filter(lambda A: A.n_symbols >= generator.n_symbols))
    word = data.draw(words_of(generator, 4))
    exact, floats = (cp.explain(acceptor, word, inputs=generator, exact=exact) for exact in (True, False))
    assert exact.forecasts is not None
    assert exact.along is not None
    assert floats.along is not None
    assert exact.forecasts.tolist() == [
        cp.forecast(acceptor, word[:i], inputs=generator, exact=True) for i in range(len(word) + 1)
    ]
    assert exact.along.sum() + exact.end == exact.acceptance - exact.baseline
    assert floats.along.astype(float) == pytest.approx(exact.along.astype(float), abs=1e-12)
    assert floats.end == pytest.approx(float(exact.end), abs=1e-12)
    shortened = [generator.exact_probability(word[:i] + word[i + 1 :]) for i in range(len(word))]
    whole = generator.exact_probability(word)
    if whole:
        assert floats.shortened == pytest.approx([float(p / whole) for p in shortened], rel=1e-12)


def test_a_law_of_inputs_far_below_the_range_of_floats() -> None:
    word = "01" * 1000
    why = cp.explain(cp.p_adic(2), word, inputs=HALF)
    assert why.shortened == pytest.approx(np.full(2000, 4.0), rel=1e-9)


@pytest.fixture(scope="module")
def planted() -> tuple[cp.Sample, cp.Sample, cp.Generator]:
    """Two thousand cases of which the last event decides, their prefixes, and a law of them."""
    rng = np.random.default_rng(0)
    good = rng.random(2000) < 0.5
    accepted = (rng.random(2000) < np.where(good, 0.8, 0.3)).tolist()
    words = [CASES["good" if each else "bad"] for each in good]
    prefixes = [word[:i] for word in words for i in range(5)]
    sample = cp.Sample(words, accepted=accepted)
    along = cp.Sample(prefixes, accepted=[yes for yes in accepted for _ in range(5)])
    return sample, along, cp.learn_generator(sample, rng=1).generator


@pytest.mark.parametrize("n_states", [2, 4, 8])
def test_the_decisive_event_gets_its_due(planted: tuple[cp.Sample, cp.Sample, cp.Generator], n_states: int) -> None:
    """Events that every case has get nothing, whatever the model believes about words without them."""
    sample, prefixes, inputs = planted
    for learned_from in (sample, prefixes):
        acceptor = cp.learn(
            learned_from, n_states=n_states, folds=2 if learned_from is sample else None, rng=2
        ).acceptor
        for end, sign in (("good", 1), ("bad", -1)):
            why = cp.explain(acceptor, CASES[end], inputs=inputs, prefixes=learned_from is prefixes)
            assert why.along is not None
            assert np.abs(why.along[:3]).max() <= 0.01, why
            assert why.along[3] == pytest.approx(0.25 * sign, abs=0.03), why
            assert abs(why.end) <= 0.01
            assert why.warning is not None
            assert "without submit, check, offer" in why.warning


def test_a_generator_explains_by_its_own_forecasts() -> None:
    steps = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
    judge = cp.Generator(["new", "good", "bad"], "ab", steps, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
    why = cp.explain(judge, "ab", exact=True)
    assert why.forecasts is not None
    assert why.forecasts.tolist() == [judge.forecast("ab"[:i], exact=True) for i in range(3)]
    assert (why.acceptance, why.shapley, why.warning) == (Fraction(3, 7), None, None)
    assert cp.explain(judge, "ab").forecasts == pytest.approx(why.forecasts.astype(float), rel=1e-14)
    assert "Shapley" not in str(why)


def test_without_a_law_of_inputs_there_are_shapley_values_alone() -> None:
    why = cp.explain(cp.p_adic(2), "01")
    assert (why.forecasts, why.along, why.end, why.shortened) == (None, None, None, None)
    assert why.baseline == why.empty == 0.0
    assert "not known without a law of inputs" in str(why)
    assert repr(why) == "<Explanation: 2 events, accepted 0.0000 → 0.5000>"


def test_the_empty_word_one_state_and_symbols_left_out() -> None:
    why = cp.explain(cp.p_adic(2), "", inputs=HALF)
    assert why.along is not None
    assert why.shapley is not None
    assert (len(why.along), len(why.shapley), why.warning) == (0, 0, None)
    assert why.end == pytest.approx(-1 / 6)
    assert "(end)" in str(why)
    always = cp.Acceptor(1, "01", np.ones((2, 1, 1)), 0, {0})
    assert cp.explain(always, "0110").shapley == pytest.approx(np.zeros(4), abs=1e-15)
    lenient = cp.p_adic(2).with_unknown("skip")
    skipping = cp.explain(lenient, "0x11", inputs=HALF.with_unknown("skip"))
    plain = cp.explain(cp.p_adic(2), "011", inputs=HALF)
    assert skipping.along is not None
    assert skipping.shapley is not None
    assert plain.along is not None
    assert plain.shapley is not None
    assert np.delete(skipping.along, 1) == pytest.approx(plain.along)
    assert np.delete(skipping.shapley, 1) == pytest.approx(plain.shapley)
    assert skipping.along[1] == skipping.shapley[1] == 0.0


def test_a_long_case_has_few_bars() -> None:
    why = cp.explain(cp.p_adic(2), "0" * 500 + "1" + "0" * 99, inputs=HALF)
    steps = why.steps(most=10)
    assert len(steps) <= 12
    assert sum(step.after - step.before for step in steps) == pytest.approx(why.acceptance - why.baseline)
    assert [step.before for step in steps[1:]] == [step.after for step in steps[:-1]]
    assert any(step.label == "501. 1" for step in steps)
    assert all(abs(step.after - step.before) >= 0.0005 for step in steps if not step.label.startswith(("…", "(")))
    assert why._repr_html_().count("<tr>") < 70


REFUSALS: dict[str, Refusal] = {
    "impossible": (
        lambda: cp.explain(cp.p_adic(2), "011", inputs=NEVER),
        cp.errors.ImpossibleObservation,
        "the law of inputs makes no word that begins with the first 2 symbols of '011'. Learn it from more words, or "
        "with a positive prior.",
    ),
    "inputs": (
        lambda: cp.explain(cp.p_adic(2), "011", inputs=cp.p_adic(2)),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "inputs must be a Generator; got <Acceptor: 2 states {s1, s2}, 2 symbols {0, 1}, starts in {….",
    ),
    "unknown symbol": (
        lambda: cp.explain(cp.p_adic(2), "012"),
        cp.errors.UnknownSymbol,
        "position 2: symbol '2' is not in the alphabet {'0', '1'}.",
    ),
    "too long": (
        lambda: cp.explain(cp.p_adic(2), "01" * 150, exact=True).shapley,
        cp.errors.TooLarge,
        "Shapley values have a limit of 200 events; got 300. Leave exact=True out.",
    ),
    "generator's values": (
        lambda: cp.explain(HALF, "01").steps(shapley=True),
        cp.errors.InvalidArgument,
        "shapley must be False of a generator, which has no such values.",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    check_refused(*REFUSALS[name])
