"""Forecasts: equal to enumeration over continuations and to the product, calibrated on simulated cases."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import cutpoint as cp
from cutpoint.cases import Forecaster
from tests.strategies import acceptors, generators, words_of

HALF = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])


@given(st.data())
def test_a_forecast_is_that_of_the_product(data: st.DataObject) -> None:
    generator = data.draw(generators(exact=True))
    acceptor = data.draw(acceptors(max_symbols=3, exact=True).filter(lambda A: A.n_symbols >= generator.n_symbols))
    prefix = data.draw(words_of(generator, 4))
    if generator.prefix_probability(prefix, exact=True) == 0:
        for exact in (False, True):
            with pytest.raises(cp.errors.ImpossibleObservation, match="probability 0"):
                cp.forecast(acceptor, prefix, inputs=generator, exact=exact)
        return
    both = generator.product(acceptor.restricted(generator.alphabet))
    found = cp.forecast(acceptor, prefix, inputs=generator, exact=True)
    assert found == both.forecast(prefix, exact=True)
    assert cp.forecast(acceptor, prefix, inputs=generator) == pytest.approx(float(found), rel=1e-10, abs=1e-14)


@given(st.data())
def test_a_forecast_equals_enumeration_over_continuations(data: st.DataObject) -> None:
    """Of a generator whose words have at most three symbols, so that all can be listed: exactly."""
    weights = st.lists(st.integers(0, 3), min_size=6, max_size=6)
    moves = np.zeros((2, 4, 4), dtype=int)
    moves[:, 0, 1:3], moves[:, 1, 2:], moves[:, 2, 3] = np.array(data.draw(weights)[:4]).reshape(2, 2), 1, 2
    generator = cp.Generator.normalized(4, "ab", moves, [2, 1, 0, 0], [1, 1, 2, 1])
    acceptor = data.draw(acceptors(max_symbols=2, exact=True).filter(lambda A: A.n_symbols == 2))
    prefix = data.draw(st.text("ab", max_size=2))
    whole = generator.prefix_probability(prefix, exact=True)
    if whole == 0:
        return
    words = [prefix + "".join(rest) for n in range(4) for rest in product("ab", repeat=n)]
    joint = sum(generator.exact_probability(word) * acceptor.exact_acceptance(word) for word in words)
    forecaster = Forecaster(acceptor, generator)
    assert forecaster.forecast(prefix, exact=True) == joint / whole
    assert forecaster.forecast(prefix) == pytest.approx(float(joint / whole), rel=1e-10, abs=1e-14)


def test_long_continuations_count() -> None:
    generator = cp.Generator(2, "a", [[[0.5, 0.25], [0.125, 0.5]]], 0, [0.25, 0.375])
    acceptor = cp.random_acceptor(3, "a", rng=4)
    words = ["a" * n for n in range(2, 200)]
    joint = sum(generator.probability(word) * acceptor.acceptance(word) for word in words)
    expected = joint / generator.prefix_probability("aa")
    assert cp.forecast(acceptor, "aa", inputs=generator) == pytest.approx(expected, rel=1e-10)


def test_forecasts_are_calibrated_on_simulated_cases() -> None:
    """Of cases with about the same forecast after some events, about that share is accepted in the end."""
    rng = np.random.default_rng(8)
    moves = rng.random((2, 3, 3)) * np.array([[[4.0]], [[1.0]]])
    inputs = cp.Generator.normalized(3, "ab", moves, rng.random(3), np.full(3, 1.5))
    acceptor = cp.Acceptor(
        3,
        "ab",
        {"a": [[0.9, 0.1, 0], [0, 0.95, 0.05], [0, 0, 1]], "b": [[1, 0, 0], [0.1, 0.5, 0.4], [0, 0.2, 0.8]]},
        0,
        {2},
    )
    words = [
        str(seen.word) for seen in inputs.simulate(20_000, rng=1) for _ in range(int(seen.count)) if len(seen.word) > 3
    ]
    accepted = rng.random(len(words)) < acceptor.acceptances(words)
    forecasts = Forecaster(acceptor, inputs).forecasts([word[:4] for word in words])
    order = np.argsort(forecasts)
    assert forecasts.max() - forecasts.min() > 0.1
    for part in np.array_split(order, 5):
        error = np.sqrt((forecasts[part] * (1 - forecasts[part])).sum())
        assert accepted[part].sum() == pytest.approx(forecasts[part].sum(), abs=4 * error)


def test_forecasts_go_from_the_base_rate_to_the_end() -> None:
    forecaster = Forecaster(cp.p_adic(2), HALF)
    assert forecaster.along("011") == pytest.approx([forecaster.forecast("011"[:i]) for i in range(4)], rel=1e-15)
    expected = [forecaster.forecast(word) for word in ("1", "11")]
    assert forecaster.forecasts(cp.Sample(["1", "11", "1"])) == pytest.approx(expected, rel=1e-15)
    assert forecaster.forecast(exact=True) == Fraction(1, 6)
    long_word = "01" * 5000
    assert forecaster.forecast(long_word) == pytest.approx(2 / 3 * 2 / 3 + 1 / 6, rel=1e-9)
    assert forecaster.forecasts([]).tolist() == []
    assert "forecast 0.1667 before the first symbol" in repr(forecaster)


def test_the_solution_is_kept_for_each_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    solved, solve = [], np.linalg.solve

    def counting(*system: NDArray[np.float64]) -> Any:
        solved.append(1)
        return solve(*system)

    monkeypatch.setattr(np.linalg, "solve", counting)
    acceptor = cp.random_acceptor(3, "01", rng=77)
    for prefix in ("", "0", "01"):
        cp.forecast(acceptor, prefix, inputs=HALF)
    assert len(solved) == 1
    assert cp.forecast(acceptor.with_unknown("skip"), "0", inputs=HALF.with_unknown("skip")) > 0
    assert len(solved) == 2  # equal machines whose rules for unknown symbols differ are kept apart


def test_unknown_symbols_follow_the_rules() -> None:
    wide = cp.Generator(1, "01x", {"0": [["1/4"]], "1": [["1/4"]], "x": [["1/4"]]}, 0, ["1/4"])
    with pytest.raises(cp.CutpointError, match="inputs make the symbol 'x', which the acceptor does not know"):
        cp.forecast(cp.p_adic(2), "", inputs=wide)
    skips = cp.p_adic(2).with_unknown("skip")
    without = cp.Generator(1, "01", {"0": [["1/3"]], "1": [["1/3"]]}, 0, ["1/3"])
    assert cp.forecast(skips, "1x", wide, exact=True) == cp.forecast(skips, "1", without, exact=True)
    with pytest.raises(cp.errors.UnknownSymbol, match="symbol '2' is not in the alphabet"):
        cp.forecast(cp.p_adic(3), "2", inputs=HALF)


def test_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, sentence in {
        (3, HALF): "expected an Acceptor; got 3",
        (cp.p_adic(2), 3): "inputs must be a Generator; got 3",
        (HALF, HALF): "a generator knows its own inputs: use its forecast",
    }.items():
        with pytest.raises(cp.CutpointError, match=sentence):
            cp.forecast(arguments[0], "", inputs=arguments[1])  # type: ignore[arg-type]
    monkeypatch.setattr("cutpoint.cases.forecast.MOST_EXACT_PAIRS", 1)
    with pytest.raises(
        cp.errors.TooLarge, match=r"a forecast takes 2 pairs of states; the limit is 1\. Leave exact=True out\."
    ):
        cp.forecast(cp.p_adic(2), "", inputs=HALF.replace(states=["one"], initial="one"), exact=True)


def test_large_systems_are_solved_by_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    acceptor = cp.random_acceptor(7, "abc", rng=1)
    inputs = cp.Generator.normalized(6, "abc", rng.random((3, 6, 6)), rng.random(6), rng.random(6) * 0.3)
    direct = Forecaster(acceptor, inputs).values
    monkeypatch.setattr("cutpoint.cases.forecast.MOST_DIRECT", 0)
    assert Forecaster(acceptor, inputs).values == pytest.approx(direct, rel=1e-10, abs=0)
    assert Forecaster(acceptor.replace(final=set()), inputs).values.tolist() == np.zeros((7, 6)).tolist()
    monkeypatch.setattr("cutpoint.cases.forecast.MOST_PAIRS", 41)
    with pytest.raises(cp.errors.TooLarge, match="a forecast takes 42 pairs of states; the limit is 41"):
        Forecaster(acceptor, inputs).forecast()
