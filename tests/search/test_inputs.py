"""Laws of inputs: near the truth, quick and small, and no word is impossible."""

import math

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.search import law_of_inputs

TRUTH = cp.Generator(2, "ab", {"a": {0: {1: 0.8}}, "b": {1: {0: 0.6}}}, 0, [0.2, 0.4])


def test_the_law_is_near_the_truth_and_outcomes_play_no_part() -> None:
    words = [seen.word for seen in TRUTH.simulate(600, rng=1) for _ in range(int(seen.count))]
    law = law_of_inputs(cp.simulate(cp.random_acceptor(2, "ab", rng=1), words, rng=2))
    assert law is not None
    assert law == law_of_inputs(cp.Sample(words))
    for prefix in ("", "a", "ab", "aba"):
        expected = TRUTH.next_symbols(prefix)
        assert law.next_symbols(prefix) == pytest.approx(expected, abs=0.06)


def test_no_word_is_impossible() -> None:
    law = law_of_inputs(cp.Sample(["ab", "ab", "aab"], alphabet="abc"))
    assert law is not None
    assert law.n_states <= 8
    for word in ("", "ba", "ccc", "bcabca"):
        assert law.probability(word) > 0
    np.testing.assert_allclose(law.transitions.sum(axis=(0, 2)) + law.stop, 1.0, rtol=1e-12)


@pytest.mark.parametrize("words", [[""], ["", ""], ["a"], ["ab" * 500]])
def test_few_words(words: list[str]) -> None:
    law = law_of_inputs(cp.Sample(words, alphabet="ab"))
    assert law is not None
    assert math.isfinite(law.log_probability(words[0]))


def test_large_alphabets_get_fewer_states_or_none() -> None:
    some = law_of_inputs(cp.Sample([[k, k + 1] for k in range(20)], alphabet=range(1000)))
    assert some is not None
    assert some.n_states == 3
    assert law_of_inputs(cp.Sample([[0]], alphabet=range(50_000))).n_states == 1  # type: ignore[union-attr]
    assert law_of_inputs(cp.Sample([[0]], alphabet=range(100_001))) is None
