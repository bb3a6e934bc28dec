"""Advice: all continuations that are plausible and allowed, ranked by the forecast they lead to minus costs."""

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors, generators, words_of

HALF = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
NEVER = cp.Generator(1, "01", {"0": [["1/2"]], "1": [[0]]}, 0, ["1/2"])
A = cp.p_adic(2)


@given(st.data())
@settings(max_examples=40)
def test_advice_equals_enumeration(data: st.DataObject) -> None:
    inputs = data.draw(generators(zeros=False))
    acceptor = data.draw(acceptors(max_symbols=3).filter(lambda A: A.n_symbols == inputs.n_symbols))
    prefix = data.draw(words_of(inputs, 3))
    horizon, least = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.011, 0.053, 0.31]))
    allowed = sorted(data.draw(st.sets(st.sampled_from(list(map(str, inputs.alphabet))), min_size=1)))
    found = cp.advise(acceptor, prefix, inputs, horizon, allowed, {"a": 0.1}, min_probability=least)
    expected = {}
    for events in (events for n in range(1, horizon + 1) for events in product(allowed, repeat=n)):
        word = prefix + "".join(events)
        probability = inputs.prefix_probability(word) / inputs.prefix_probability(prefix)
        if probability >= least:
            expected[events] = cp.forecast(acceptor, word, inputs=inputs) - 0.1 * events.count("a")
    assert {each.events for each in found.continuations} == set(expected)
    values = [each.value for each in found.continuations]
    assert values == sorted(values, reverse=True)
    assert values == pytest.approx([expected[each.events] for each in found.continuations], abs=1e-9)  # type: ignore[index]
    assert found.forecast == pytest.approx(cp.forecast(acceptor, prefix, inputs=inputs), abs=1e-12)


def test_what_hardly_ever_comes_next_is_left_out() -> None:
    found = cp.advise(A, "0", inputs=NEVER)
    assert [each.events for each in found.continuations] == [("0",)]
    assert found.implausible == {"1": 0.0}
    assert "Left out, since they hardly ever come next here, with a probability below 0.01: 1." in str(found)
    assert "Not causal" in str(found)
    assert "not causal" in repr(found)
    none = cp.advise(A, "0", inputs=NEVER, allowed=["1"])
    assert none.continuations == ()
    assert repr(none) == "<Advice after 1 event, forecast 0.0000 accepted; 0 plausible continuations>"
    assert "Not causal" in none._repr_html_()


def test_every_road_to_a_forecast() -> None:
    by_prefixes = cp.advise(A, "0", inputs=HALF, prefixes=True)
    assert {each.events: each.forecast for each in by_prefixes.continuations} == {("1",): 0.5, ("0",): 0.0}
    alone, pair = cp.advise(HALF.product(A), "1", horizon=2), cp.advise(A, "1", inputs=HALF, horizon=2)
    assert [each.events for each in alone.continuations] == [each.events for each in pair.continuations]
    assert [each.forecast for each in alone.continuations] == pytest.approx([c.forecast for c in pair.continuations])


def test_costs_change_the_order() -> None:
    free, dear = (cp.advise(A, "", inputs=HALF, costs=costs) for costs in (None, {"1": "1/2"}))
    assert [each.events for each in free.continuations] == [("1",), ("0",)]
    assert [each.events for each in dear.continuations] == [("0",), ("1",)]
    assert "cost" not in free.table()
    assert "cost" in dear.table()


REFUSALS: dict[str, Refusal] = {
    "no law": (
        lambda: cp.advise(A, "0"),
        cp.errors.InvalidArgument,
        "inputs must be given: advice needs to know which events usually come next. "
        "learn_generator finds one, and cutpoint fit saves one with every model.",
    ),
    "horizon": (
        lambda: cp.advise(A, "0", inputs=HALF, horizon=0),
        cp.errors.InvalidArgument,
        "horizon must be a whole number from 1 to 50; got 0.",
    ),
    "probability": (
        lambda: cp.advise(A, "0", inputs=HALF, min_probability=0),
        cp.errors.InvalidArgument,
        "min_probability must be above 0 and at most 1; got 0.",
    ),
    "allowed": (
        lambda: cp.advise(A, "0", inputs=HALF, allowed=["2"]),
        cp.errors.UnknownSymbol,
        "allowed: symbol '2' is not in the alphabet {'0', '1'}.",
    ),
    "a single text": (
        lambda: cp.advise(A, "0", inputs=HALF, allowed="01"),
        cp.errors.InvalidArgument,
        "allowed must be a collection of events; got '01'.",
    ),
    "costs": (
        lambda: cp.advise(A, "0", inputs=HALF, costs={"1": "much"}),
        cp.errors.InvalidArgument,
        "cost of '1' must be a finite number or a string such as '1/3'; got 'much'.",
    ),
    "no mapping": (
        lambda: cp.advise(A, "0", inputs=HALF, costs=[1]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "costs must be a mapping from events to numbers; got [1].",
    ),
    "too many": (
        lambda: cp.advise(A, "0", inputs=HALF, horizon=20, min_probability=1e-15),
        cp.errors.TooLarge,
        "there are more than 10 plausible continuations. Increase min_probability=…, or decrease horizon=….",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.cases.advice.MOST_EXPLORED", 10)
    check_refused(*REFUSALS[name])
