"""Generators made of other models: hidden Markov models, n-grams, mixtures."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM, MultinomialHMM
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from tests.strategies import generators, words_of


def hidden_markov_model(seed: int, n_states: int = 3, n_symbols: int = 4) -> Any:
    rng = np.random.default_rng(seed)
    model = CategoricalHMM(n_states, n_features=n_symbols, n_iter=1, tol=0, init_params="", random_state=0)
    model.startprob_ = rng.dirichlet(np.ones(n_states))
    model.transmat_ = rng.dirichlet(np.ones(n_states), size=n_states)
    model.emissionprob_ = rng.dirichlet(np.ones(n_symbols), size=n_states)
    return model


@given(st.data())
def test_a_hidden_markov_model_emits_then_stops_or_moves(data: st.DataObject) -> None:
    """Against the sum over all state paths, in fractions."""
    weights = st.lists(st.integers(1, 4), min_size=2, max_size=2)
    start, *rows = ([Fraction(w, sum(ws)) for w in ws] for ws in data.draw(st.lists(weights, min_size=5, max_size=5)))
    transition, emission = rows[:2], rows[2:]
    stop = [Fraction(1, data.draw(st.integers(1, 5))) for _ in range(2)]
    generator = cp.Generator.from_hmm(start, transition, emission, stop, "ab")
    assert generator.is_exact
    assert generator.exact_probability("") == 0
    word = data.draw(st.text("ab", min_size=1, max_size=4))
    total = Fraction(0)
    for path in product(range(2), repeat=len(word)):
        p = start[path[0]] * stop[path[-1]]
        for i, state in enumerate(path):
            p *= emission[state]["ab".index(word[i])]
            if i + 1 < len(path):
                p *= (1 - stop[state]) * transition[state][path[i + 1]]
        total += p
    assert generator.exact_probability(word) == total


@pytest.mark.parametrize("seed", range(5))
def test_hmmlearn_scores_the_same_up_to_the_law_of_stopping(seed: int) -> None:
    model, stop = hidden_markov_model(seed), 0.1
    generator = cp.Generator.from_hmmlearn(model, stop=stop)
    rng = np.random.default_rng(seed)
    words = [rng.integers(4, size=length).tolist() for length in (1, 2, 5, 30, 400)]
    for word, log in zip(words, generator.log_probabilities(words), strict=True):
        ending = (len(word) - 1) * np.log(1 - stop) + np.log(stop)
        assert log - ending == pytest.approx(model.score(np.array(word)[:, None]), rel=1e-10, abs=0)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_with_tied_symbols_is_a_step_of_hmmlearn(seed: int) -> None:
    """With the same stop in all states, which then tells nothing about them."""
    model = hidden_markov_model(seed)
    generator = cp.Generator.from_hmmlearn(model, stop=0.2)
    sample = generator.simulate(200, rng=seed)
    step = cp.baum_welch(generator, sample, max_steps=1, learn_initial=True, tied_symbols=[generator.alphabet])
    words = [[*word] for word, count in zip(sample.words, sample.counts, strict=True) for _ in range(int(count))]
    model.fit(np.concatenate(words)[:, None], lengths=[*map(len, words)])
    made = step.generator
    onward = made.transitions[:, :3].sum(axis=0)[:, :3]
    assert made.initial[:3] == pytest.approx(model.startprob_, rel=1e-8)
    emitted = made.transitions[:, :3].sum(axis=2).T
    assert emitted == pytest.approx(model.emissionprob_, rel=1e-8)
    assert onward / onward.sum(axis=1, keepdims=True) == pytest.approx(model.transmat_, rel=1e-8)


def test_what_is_no_hidden_markov_model_is_refused() -> None:
    bad: dict[str, tuple[Any, ...]] = {
        r"^emission\[1\] must be probabilities that sum to 1; got \{0.5, 0.4\}\.": (
            [1, 0],
            np.eye(2),
            [[0, 1], [0.5, 0.4]],
            0.1,
        ),
        r"^start must be probabilities that sum to 1; got \{3/2, -1/2\}\.": (
            ["3/2", "-1/2"],
            np.eye(2),
            np.eye(2),
            0.1,
        ),
        r"^stop must be a probability, or one per state; got 2\.": ([1], [[1]], [[1]], 2),
        r"no path leads to a state with a stop": ([1], [[1]], [[1]], 0),
        r"^transition must have shape \(1, 1\)": ([1], [1], [[1]], 0.5),
        r"^emission must have shape \(1, 2\)": ([1], [[1]], [[1]], 0.5, "ab"),
        r"^start must have shape": (1, [[1]], [[1]], 0.5),
    }
    for sentence, arguments in bad.items():
        with pytest.raises(cp.errors.InvalidAcceptor, match=sentence):
            cp.Generator.from_hmm(*arguments)
    for model in (object(), CategoricalHMM(2), MultinomialHMM(2)):
        with pytest.raises(cp.CutpointError, match="expected a fitted CategoricalHMM"):
            cp.Generator.from_hmmlearn(model, stop=0.1)


def smoothed(words: list[str], context: str, following: str, n: int, alphabet: str) -> Fraction:
    """P(following | context) by definition; ``^`` begins and ``$`` ends a word."""
    outcomes = f"{alphabet}$"

    def level(h: str) -> Fraction:
        counts = Counter(
            f"^{w}$"[i] for w in words for i in range(1, len(w) + 2) if f"^{w}"[:i].endswith(h) and len(h) <= i
        )
        below = level(h[1:]) if h else Fraction(1, len(outcomes))
        if not counts:
            return below
        return (counts[following] + len(counts) * below) / (counts.total() + len(counts))

    whole = f"^{context}"
    return level(whole[max(len(whole) - n + 1, 0) :])


@settings(max_examples=50)
@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=5), st.text("abc", max_size=5), st.integers(1, 4))
def test_ngrams_equal_their_definition(words: list[str], prefix: str, n: int) -> None:
    generator = cp.Generator.from_ngrams(words, n, alphabet="abc")
    found = generator.next_symbols(prefix)
    expected = [smoothed(words, prefix, symbol, n, "abc") for symbol in "abc$"]
    assert sum(expected) == 1
    assert list(found.values()) == pytest.approx([*map(float, expected)], rel=1e-12)
    assert min(found.values()) > 0


def test_ngrams_of_a_sample_count_its_observations_and_name_contexts() -> None:
    sample = cp.Sample(["ab", "b"], accepted=[True, False], counts=[2, 1])
    assert cp.Generator.from_ngrams(sample, 3) == cp.Generator.from_ngrams(["ab", "ab", "b"])
    assert set(cp.Generator.from_ngrams(sample, 2).states) == {"^", "a", "b"}
    assert cp.Generator.from_ngrams([["look", "buy"]], 2).states == ("^", "buy", "look")
    assert cp.Generator.from_ngrams(["^a", "a"], 3).states[1] == (True, "^")  # texts would not tell the contexts apart
    assert cp.Generator.from_ngrams([""], 1, alphabet="a").probability("") == 0.75


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((["a"], 0), "n must be a whole number"), (([],), "at least one observation"), (([""],), "at least one symbol")],
)
def test_ngrams_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.Generator.from_ngrams(*arguments)


def test_too_many_contexts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.model.ngrams.MOST_ENTRIES", 30)
    with pytest.raises(cp.errors.TooLarge, match="the 4-grams of this sample have more than 3 contexts over 2 symbols"):
        cp.Generator.from_ngrams(["abababbb"], 4)


@given(st.data())
def test_a_mixture_of_generators_adds_their_laws_and_knows_who_spoke(data: st.DataObject) -> None:
    pair = [data.draw(generators(max_symbols=1, exact=True)), data.draw(generators(max_symbols=1, exact=True))]
    both = cp.mixture(pair, ["1/3", "2/3"])
    word = data.draw(words_of(both, 4))
    parts = [share * g.exact_probability(word) for share, g in zip((Fraction(1, 3), Fraction(2, 3)), pair, strict=True)]
    assert both.exact_probability(word) == sum(parts)
    assert both.forecast(exact=True) == (pair[0].forecast(exact=True) + 2 * pair[1].forecast(exact=True)) / 3
    if sum(parts):
        last = both.occupancy(word, exact=True)[-1]
        assert last[: pair[0].n_states].sum() == parts[0] / sum(parts)


def test_mixtures_refused() -> None:
    generator = cp.Generator(1, "01", [[[0.5]], [[0.25]]], 0, [0.25])
    assert cp.mixture([generator, generator]).stop.tolist() == [0.25, 0.25]
    for members in ([generator, cp.p_adic(2)], [cp.p_adic(2), generator], [3], []):
        with pytest.raises(cp.CutpointError, match="a mixture needs a list of acceptors, or one of generators"):
            cp.mixture(members)  # type: ignore[type-var]
