"""Credit: the sum of what explanations say of each case, with intervals and the usual rules of attribution."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.cases import credits as credit_module
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors, generators, samples

HALF = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
NEVER = cp.Generator(1, "01", {"0": [["1/2"]], "1": [[0]]}, 0, ["1/2"])


@given(st.data())
@settings(max_examples=40)
def test_credit_is_the_sum_of_explanations(data: st.DataObject) -> None:
    inputs = data.draw(generators(zeros=False))
    acceptor = data.draw(acceptors(max_symbols=3).filter(lambda A: A.n_symbols == inputs.n_symbols))
    sample = data.draw(samples(acceptor, "mixed"))
    prefixes = data.draw(st.booleans())
    found = cp.credit(acceptor, sample, inputs=inputs, prefixes=prefixes)
    along, sizes, times = (
        defaultdict[object, float](float),
        defaultdict[object, float](float),
        defaultdict[object, float](float),
    )
    end = total = 0.0
    for seen in sample:
        why = cp.explain(acceptor, seen.word, inputs=inputs, prefixes=prefixes)
        assert why.along is not None
        for symbol, change in zip(seen.word, why.along, strict=True):
            along[symbol] += seen.count * change
            sizes[symbol] += seen.count * abs(change)
            times[symbol] += seen.count
        end += seen.count * why.end
        total += seen.count * why.acceptance
    assert set(found.symbols) == set(times)
    for values, expected in ((found.along, along), (found.sizes, sizes), (found.times, times)):
        assert values.tolist() == pytest.approx([expected[symbol] for symbol in found.symbols], abs=1e-9)
    assert found.end == pytest.approx(end, abs=1e-9)
    assert found.baseline * found.cases + found.along.sum() + found.end == pytest.approx(total, abs=1e-9)


def test_rules_of_attribution() -> None:
    sample = cp.Sample(["011", "0", "11", "10", ""], accepted=[True, False, True, None, True], counts=[1, 5, 2, 6, 1])
    found = cp.credit(cp.p_adic(2), sample, inputs=HALF)
    by = {symbol: a for a, symbol in enumerate(found.symbols)}
    unknown = 6 * cp.p_adic(2).acceptance("10")  # where the outcome is not known, the acceptance takes its place
    assert found.first_touch[[by["0"], by["1"]]].tolist() == pytest.approx([1.0, 2.0 + unknown])
    assert found.last_touch[[by["0"], by["1"]]].tolist() == pytest.approx([unknown, 3.0])
    whole = 1 + 2 + unknown + 1
    assert found.removal[[by["0"], by["1"]]].tolist() == pytest.approx([(1 + unknown) / whole, (3 + unknown) / whole])


def test_intervals_hold_the_credit_of_the_process() -> None:
    """Over samples drawn anew, the intervals hold the credit expected of as many cases about 19 times in 20."""
    acceptor = cp.random_acceptor(3, "01", rng=4)
    large = HALF.simulate(200_000, rng=0)
    truth = cp.credit(acceptor, large, inputs=HALF)
    expected = dict(zip(truth.symbols, truth.along / truth.cases, strict=True))
    held = []
    for seed in range(1, 41):
        found = cp.credit(acceptor, HALF.simulate(300, rng=seed), inputs=HALF)
        assert found.intervals is not None
        ends = zip(found.symbols, found.intervals, strict=True)
        held += [low <= found.cases * expected[symbol] <= high for symbol, (low, high) in ends]
    assert 0.85 <= np.mean(held) <= 1.0
    again = cp.credit(acceptor, HALF.simulate(300, rng=40), inputs=HALF)
    assert again.intervals is not None
    np.testing.assert_array_equal(again.intervals, found.intervals)


def test_events_that_all_cases_have_get_nothing() -> None:
    law = cp.Generator(
        ["new", "checked", "good", "bad"],
        ["check", "good", "bad"],
        {"check": {"new": {"checked": 1}}, "good": {"checked": {"good": 0.5}}, "bad": {"checked": {"bad": 0.5}}},
        "new",
        {"good": 1, "bad": 1},
    )
    acceptor = cp.random_acceptor(4, law.alphabet, rng=5)  # with opinions on words that do not occur
    found = cp.credit(acceptor, law.simulate(1000, rng=1), inputs=law)
    assert found.symbols[2] == "check"
    assert abs(found.along[2]) < 1e-9
    assert found.sizes[2] < 1e-9
    assert np.abs(found.along[:2]).min() > 1


def test_cases_that_the_law_does_not_make_are_left_out() -> None:
    found = cp.credit(cp.p_adic(2), cp.Sample(["00", "01", "1"], counts=[3, 2, 1]), inputs=NEVER)
    assert (found.cases, found.left_out, found.symbols) == (3.0, 3.0, ("0",))
    assert "3 left out" in str(found)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = HALF.simulate(500, rng=1)
    whole = cp.credit(cp.p_adic(2), sample, inputs=HALF)
    monkeypatch.setattr(credit_module, "BLOCK", 7)
    parts = cp.credit(cp.p_adic(2), sample, inputs=HALF)
    assert parts.along.tolist() == pytest.approx(whole.along.tolist(), rel=1e-12)


def test_a_single_case_the_empty_word_and_a_generator() -> None:
    single = cp.credit(cp.p_adic(2), cp.Sample(["01"], accepted=[True]), inputs=HALF)
    assert single.intervals is None
    assert "credit" in single.table()
    empty = cp.credit(cp.p_adic(2), cp.Sample([""], alphabet="01"), inputs=HALF)
    assert empty.symbols == ()
    assert empty.end == pytest.approx(-1 / 6)
    assert repr(empty) == "<Credit over 1 case, 0.1667 before the first event: no events>"
    product = HALF.product(cp.p_adic(2))
    sample = HALF.simulate(50, rng=3)
    alone, pair = cp.credit(product, sample), cp.credit(cp.p_adic(2), sample, inputs=HALF)
    assert alone.along.tolist() == pytest.approx(pair.along.tolist(), rel=1e-9)
    assert "<table" in pair._repr_html_()


REFUSALS: dict[str, Refusal] = {
    "no law": (
        lambda: cp.credit(cp.p_adic(2), cp.Sample(["01"])),
        cp.errors.InvalidArgument,
        "inputs must be given: a forecast needs the law of inputs. Pass a Generator, as learn_generator finds it, or "
        "prefixes=True if the model was learned from prefixes.",
    ),
    "never": (
        lambda: cp.credit(cp.p_adic(2), cp.Sample(["1"]), inputs=NEVER),
        cp.errors.ImpossibleObservation,
        "the law of inputs makes none of the words of the sample. Learn both from the same sample.",
    ),
    "unknown symbol": (
        lambda: cp.credit(cp.p_adic(2), cp.Sample(["12"]), inputs=HALF),
        cp.errors.UnknownSymbol,
        "observation '12' (no verdict), position 1: symbol '2' is not in the alphabet {'0', '1'}.",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    check_refused(*REFUSALS[name])
