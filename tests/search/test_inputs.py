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


def test_a_process_of_many_steps_is_followed_and_its_constant_events_get_no_credit() -> None:
    rng = np.random.default_rng(1)
    good = rng.random(1000) < 0.5
    steps = [f"step {k}" for k in range(20)]
    words = [
        [*steps[:10], "good" if each else "bad", *["note"] * notes, *steps[10:]]
        for each, notes in zip(good, rng.integers(0, 4, 1000), strict=True)
    ]
    sample = cp.Sample(words, accepted=(rng.random(1000) < np.where(good, 0.8, 0.3)).tolist())
    law = law_of_inputs(sample)
    assert law is not None
    assert law.next_symbols(steps[:4])["step 4"] > 0.9
    acceptor = cp.learn(sample, n_states=2, rng=1).acceptor
    why = cp.explain(acceptor, words[0], inputs=law)
    assert why.along is not None
    assert why.baseline == pytest.approx(sample.seen.share_accepted, abs=0.02)
    np.testing.assert_allclose(why.along[:10], 0.0, atol=0.01)
    assert abs(why.along[10]) == pytest.approx(0.25, abs=0.06)
    np.testing.assert_allclose(why.along[11:], 0.0, atol=0.02)


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
