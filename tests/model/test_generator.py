"""Generators: probabilities of words, next symbols, outcomes, forecasts; laws and refusals."""

import math
import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.kernels import native, reference
from tests import oracles
from tests.strategies import generators, words_of


def probability(machine: oracles.Plain, word: str) -> Fraction:
    return sum((oracles.path_probability(machine, word, path) for path in oracles.paths(machine, word)), Fraction(0))


@given(st.data())
def test_probabilities_equal_the_oracle(data: st.DataObject) -> None:
    generator = data.draw(generators(exact=True))
    words = data.draw(st.lists(words_of(generator, 4), min_size=1, max_size=5))
    truth = [probability(oracles.rational(generator), word) for word in words]
    assert [generator.exact_probability(word) for word in words] == truth
    assert [generator.probability(word) for word in words] == pytest.approx([*map(float, truth)], rel=1e-13, abs=0)
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([*map(float, truth)]))
    assert generator.log_probabilities(words) == pytest.approx(logs, rel=1e-12, abs=1e-14)


@given(generators(exact=True))
def test_all_words_together_have_probability_one(generator: cp.Generator) -> None:
    """By the linear system: the chance to stop in the end is exactly 1 from every state."""
    assert set(generator.until_stop(generator.exact_stop)) == {1}
    assert generator.replace(final=None).forecast(exact=True) == 1


@given(st.data())
def test_prefixes_and_next_symbols_are_consistent(data: st.DataObject) -> None:
    generator = data.draw(generators(exact=True))
    word = data.draw(words_of(generator, 4))
    whole = generator.prefix_probability(word, exact=True)
    onward = sum(generator.prefix_probability(word + str(symbol), exact=True) for symbol in generator.alphabet)
    assert whole == onward + generator.exact_probability(word)
    assert generator.prefix_probability(word) == pytest.approx(float(whole), rel=1e-13, abs=0)
    if whole == 0:
        with pytest.raises(cp.errors.ImpossibleObservation, match="probability 0"):
            generator.next_symbols(word)
        return
    following = generator.next_symbols(word, exact=True)
    assert sum(following.values()) == 1
    assert following[cp.STOP] == generator.exact_probability(word) / whole
    floats = generator.next_symbols(word)
    assert sum(floats.values()) == pytest.approx(1, rel=1e-12)
    assert list(floats.values()) == pytest.approx([float(value) for value in following.values()], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("rare", [0.4, 1e-9, 1e-200])
def test_long_prefixes_do_not_underflow(rare: float) -> None:
    """The state is what was read last; a prefix of 2,000 symbols has a probability of down to 1e-200,000."""
    G = cp.Generator(2, "ab", {"a": [[0.5 - rare, 0], [rare, 0]], "b": [[0, rare], [0, 0.2]]}, 0, [0.5, 0.8 - rare])
    assert G.next_symbols("ab" * 1000) == pytest.approx({"a": rare, "b": 0.2, cp.STOP: 0.8 - rare}, rel=1e-12, abs=0)
    with pytest.raises(cp.errors.ImpossibleObservation, match="probability 0"):
        G.replace(transitions={"a": [[0.5, 0], [0, 0]], "b": [[0, 0], [0, 0.2]]}, stop=[0.5, 0.8]).distribution(
            "ab" * 99
        )


@given(st.data())
def test_outcomes_by_bayes_rule(data: st.DataObject) -> None:
    generator = data.draw(generators(exact=True))
    word = data.draw(words_of(generator, 4))
    machine = oracles.rational(generator)
    accepted, whole = oracles.acceptance(machine, word), probability(machine, word)
    if whole == 0:
        with pytest.raises(cp.errors.ImpossibleObservation, match="probability 0"):
            generator.acceptance(word)
        return
    assert generator.exact_acceptance(word) == accepted / whole
    assert generator.acceptance(word) == pytest.approx(float(accepted / whole), rel=1e-12, abs=0)
    table = generator.occupancy(word, exact=True)
    assert (table.sum(axis=1) == 1).all()
    assert (table[-1] * generator.final).sum() == accepted / whole
    assert generator.occupancy(word) == pytest.approx(table.astype(float), rel=1e-11, abs=1e-14)
    path = generator.most_likely_path(word, exact=True)
    assert oracles.path_probability(machine, word, path) == max(
        oracles.path_probability(machine, word, other) for other in oracles.paths(machine, word)
    )


@given(generators(exact=True))
def test_forecasts_and_lengths_solve_their_equations(generator: cp.Generator) -> None:
    """One step on: the forecast is the mean over what may come next; so is the expected length, plus the step."""
    for prefix in ("", "a", "ab"[: generator.n_symbols]):
        if generator.prefix_probability(prefix, exact=True) == 0:
            continue
        following = generator.next_symbols(prefix, exact=True)
        stop = following.pop(cp.STOP)
        forecast = stop * (generator.exact_acceptance(prefix) if stop else 0)
        length = Fraction(0)
        for symbol, chance in following.items():
            if chance:
                forecast += chance * generator.forecast(prefix + symbol, exact=True)
                length += chance * (1 + generator.expected_length(prefix + symbol, exact=True))
        assert generator.forecast(prefix, exact=True) == forecast
        assert generator.forecast(prefix) == pytest.approx(float(forecast), rel=1e-11, abs=1e-14)
        assert generator.expected_length(prefix, exact=True) == length


def test_a_forecast_equals_enumeration_over_continuations() -> None:
    """With a chance to stop of at least 0.4, words of more than 60 further symbols do not matter at 1e-13."""
    rng = np.random.default_rng(5)
    moves = rng.random((1, 3, 3))
    generator = cp.Generator.normalized(3, "a", moves, [1, 1, 0], moves.sum(axis=(0, 2)), {0})
    words = ["a" * n for n in range(2, 90)]
    joint = sum(generator.to_weighted(accepted=True).value(word) for word in words)
    assert generator.forecast("aa") == pytest.approx(joint / generator.prefix_probability("aa"), rel=1e-10)


@pytest.mark.parametrize("kernel", [reference, native])
@given(st.data())
def test_expected_counts_equal_the_oracle(kernel: object, data: st.DataObject) -> None:
    generator = data.draw(generators())
    sample = generator.simulate(4, rng=data.draw(st.integers(0, 2**32)), with_outcomes=data.draw(st.booleans()))
    sample = cp.Sample(
        [word[:3] for word in sample.words], sample.accepted, counts=sample.counts, alphabet=generator.alphabet
    )
    masks = cp.em.observations.mark_masks(generator, sample)
    found = kernel.expected_counts(  # type: ignore[attr-defined]
        generator.transitions, generator.initial, masks, sample.decoded, sample.counts, stop=generator.stop
    )
    expected = oracles.expected_counts(oracles.plain(generator), sample)
    for (a, s, t), value in expected.transitions.items():
        place = generator.alphabet.code(a), generator.states.code(s), generator.states.code(t)
        assert found.transitions[place] == pytest.approx(float(value), rel=1e-12, abs=0)
    assert found.initial == pytest.approx([float(v) for v in expected.initial.values()], rel=1e-12, abs=0)
    logs = [math.log(p) if p else -math.inf for _, p in expected.probabilities]
    assert found.log_probabilities == pytest.approx(logs, rel=1e-12, abs=1e-14)
    stops = found.initial + found.transitions.sum(axis=(0, 1)) - found.transitions.sum(axis=(0, 2))
    assert found.stop == pytest.approx(stops, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n_states", [1, 2, 3, 8, 9, 16, 24, 33])
def test_compiled_kernels_equal_the_reference_on_long_words(n_states: int) -> None:
    rng = np.random.default_rng(n_states)
    moves = rng.dirichlet(np.full(4 * n_states, 0.3), size=n_states).reshape(n_states, 4, n_states).transpose(1, 0, 2)
    stop = rng.random(n_states) * 0.02 + 1e-3
    generator = cp.Generator.normalized(n_states, "abcd", moves * (1 - stop)[:, None], [1.0] * n_states, stop, {0})
    sample = generator.simulate(60, rng=1)
    long_word = "".join(rng.choice(list("abcd"), size=20_000))  # beyond the prefix tree, and below the smallest float
    sample += cp.Sample([long_word], accepted=[True], alphabet="abcd")
    masks = cp.em.observations.mark_masks(generator, sample)
    arguments = generator.transitions, generator.initial, masks, sample.decoded, sample.counts
    one, two = (kernel.expected_counts(*arguments, stop=generator.stop) for kernel in (native, reference))
    assert one.stop is not None
    for left, right in zip(one, two, strict=True):
        assert left == pytest.approx(right, rel=1e-9, abs=1e-9)
    again = native.expected_counts(*arguments, threads=1, stop=generator.stop)
    assert [part.tobytes() for part in one] == [part.tobytes() for part in again]  # type: ignore[union-attr]


def test_the_likelihood_never_decreases(engine: cp.em.observations.Engine | None) -> None:
    truth = cp.Generator(2, "ab", {"a": [[0.5, 0.3], [0.0, 0.1]], "b": [[0.0, 0.1], [0.6, 0.0]]}, 0, [0.1, 0.3], {1})
    sample = truth.simulate(300, rng=3)
    rng = np.random.default_rng(0)
    start = cp.Generator.normalized(3, "ab", rng.random((2, 3, 3)), rng.random(3), rng.random(3), {2})
    for accelerate in (False, True):
        fit = cp.baum_welch(start, sample, learn_initial=True, accelerate=accelerate, max_steps=60, engine=engine)
        assert (np.diff(fit.history) >= 0).all()
        assert fit.generator.log_probabilities(sample) is not None
        assert fit.log_likelihood > cp.log_likelihood(truth, sample) - 1
    words = cp.Sample(sample.words, counts=sample.counts)
    assert cp.baum_welch(start, words, max_steps=5).stop.name in ("STEP_LIMIT", "CONVERGED")


def test_an_m_step_normalizes_moves_and_stop_together() -> None:
    generator = cp.Generator(2, "ab", {"a": [[0.5, 0.3], [0.0, 0.1]], "b": [[0.0, 0.1], [0.6, 0.0]]}, 0, [0.1, 0.3])
    sample = generator.simulate(50, rng=0)
    counts = cp.expected_counts(generator, sample)
    fitted = cp.baum_welch(generator, sample, max_steps=1).generator
    assert counts.stop is not None
    totals = counts.transitions.sum(axis=(0, 2)) + counts.stop
    assert fitted.transitions == pytest.approx(counts.transitions / totals[:, None], rel=1e-12)
    assert fitted.stop == pytest.approx(counts.stop / totals, rel=1e-12)
    kept = cp.baum_welch(generator, sample, max_steps=3, fixed=[(cp.STOP, 0), ("a", 0, 1)]).generator
    assert (kept.stop[0], kept.transitions[0, 0, 1]) == (0.1, 0.3)
    assert kept.stop[1] != 0.3


@given(st.integers(0, 2**32))
def test_tied_symbols_keep_the_form_of_a_hidden_markov_model(seed: int) -> None:
    """T(a)[s, t] = E[s, a] P[s, t], and each step is that of the two factors."""
    rng = np.random.default_rng(seed)
    emission, moves = rng.dirichlet(np.ones(4), size=3), rng.dirichlet(np.ones(3), size=3)
    steps = emission[:, :3].T[:, :, None] * moves[None]
    generator = cp.Generator.normalized(3, "abc", steps, [1, 1, 1], emission[:, 3])
    sample = generator.simulate(30, rng=seed)
    counts = cp.expected_counts(generator, sample)
    fitted = cp.baum_welch(generator, sample, max_steps=1, tolerance=0, tied_symbols=["abc"]).generator
    onward = counts.transitions.sum(axis=0)
    onward /= onward.sum(axis=1, keepdims=True)
    assert counts.stop is not None
    emitted = counts.transitions.sum(axis=2) / (counts.transitions.sum(axis=(0, 2)) + counts.stop)
    assert fitted.transitions == pytest.approx(emitted[:, :, None] * onward, rel=1e-9, abs=1e-15)


def test_simulated_words_have_the_law() -> None:
    generator = cp.Generator(2, "ab", {"a": [[0.2, 0.3], [0, 0.1]], "b": [[0, 0.1], [0.6, 0]]}, 0, [0.4, 0.3], {1})
    sample = generator.simulate(20_000, rng=7)
    shares: dict[tuple[str, bool], float] = {}
    for observation in sample:
        key = str(observation.word), bool(observation.accepted)
        shares[key] = shares.get(key, 0.0) + observation.count / sample.total
    for word in map("".join, (*product("ab", repeat=1), *product("ab", repeat=2), "")):
        for accepted in (True, False):
            p = generator.to_weighted(accepted=accepted).value(word)
            assert shares.get((word, accepted), 0.0) == pytest.approx(p, abs=5 * math.sqrt(p / 20_000) + 1e-12)


def test_the_most_probable_words_are_found_first() -> None:
    generator = cp.Generator(2, "ab", {"a": [[0.2, 0.3], [0, 0.1]], "b": [[0, 0.1], [0.6, 0]]}, 0, [0.4, 0.3])
    found = generator.most_probable_words(12)
    all_words = ("".join(word) for n in range(9) for word in product("ab", repeat=n))
    best = sorted((generator.probability(word) for word in all_words), reverse=True)[:12]
    assert [p for _, p in found] == pytest.approx(best, rel=1e-12)
    assert all(generator.probability(word) == pytest.approx(p, rel=1e-12) for word, p in found)


def test_long_words_do_not_underflow() -> None:
    generator = cp.Generator(1, "ab", {"a": [[0.25]], "b": [[0.5]]}, 0, [0.25])
    word = "a" * 100_000
    assert generator.probability(word) == 0.0
    assert generator.log_probability(word) == pytest.approx(100_001 * math.log(0.25), rel=1e-12)
    assert generator.surprise(word[:2000]).events.sum() == pytest.approx(2001 * math.log(4), rel=1e-9)
    assert generator.occupancy(word).tolist() == [[1.0]] * 100_001


def test_a_product_with_an_acceptor_keeps_the_words_and_takes_its_verdicts() -> None:
    generator = cp.Generator(2, "01", {"0": {0: {1: "1/2"}, 1: {0: "1/4"}}, "1": {1: {1: "1/2"}}}, 0, ["1/2", "1/4"])
    both = generator.product(cp.p_adic(2))
    for word in ("", "0", "01", "011"):
        assert both.exact_probability(word) == generator.exact_probability(word)
        if generator.exact_probability(word):
            assert both.exact_acceptance(word) == cp.p_adic(2).exact_acceptance(word)


def test_values() -> None:
    arguments = (2, "a", {"a": {0: {1: "1/3"}}}, 0, ["2/3", 1])
    generator = cp.Generator(*arguments)
    assert generator == cp.Generator(*arguments)
    assert generator != generator.replace(final={0})
    assert hash(generator) == hash(cp.Generator(*arguments))
    assert pickle.loads(pickle.dumps(generator)) == generator
    assert pickle.loads(pickle.dumps(cp.STOP)) is cp.STOP
    with pytest.raises(AttributeError, match="immutable"):
        generator.stop = np.ones(2)


BAD = {
    "must sum to 1; got 0.9": (1, "a", [[[0.5]]], 0, [0.4]),
    "must sum to 1; got 5/4": (1, "a", [[["3/4"]]], 0, ["1/2"]),
    "not negative": (1, "a", [[[1.5]]], 0, [-0.5]),
    "no path leads to a state with a stop": (2, "a", {"a": {0: {1: "1/2"}, 1: {1: 1}}}, 0, ["1/2", 0]),
    "must be finite|are finite": (1, "a", [[[math.nan]]], 0, [0.5]),
    "alphabet is empty": (1, "", np.zeros((0, 1, 1)), 0, [1]),
    "must have shape": (2, "a", [[[0.5]]], 0, [0.5, 0.5]),
}


@pytest.mark.parametrize("sentence", BAD)
def test_refused(sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidAcceptor, match=sentence):
        cp.Generator(*BAD[sentence])


def test_set_operations_are_refused_with_a_sentence() -> None:
    generator = cp.Generator(1, "a", [[[0.5]]], 0, [0.5])
    with pytest.raises(cp.CutpointError, match="for acceptors"):
        ~generator  # noqa: B018
    for other in (generator, cp.p_adic(2)):
        with pytest.raises(cp.CutpointError, match="for acceptors"):
            generator & other
        with pytest.raises(cp.CutpointError, match="for acceptors"):
            other | generator
    with pytest.raises(cp.errors.UnknownState, match="2 is not a state"):
        cp.Generator(2, "a", {"a": {0: {2: 1}}}, 0, [0, 1])
    with pytest.raises(cp.errors.UnknownSymbol, match="'z'"):
        generator.probability("z")
    with pytest.raises(cp.CutpointError, match="at least one word"):
        generator.perplexity([])
    assert generator.replace(transitions=[[[0]]], stop=[1]).perplexity(["a"]) == math.inf


def test_displays_show_stop() -> None:
    steps = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
    generator = cp.Generator(["new", "good", "bad"], "ab", steps, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
    assert str(generator) == generator.table()
    assert generator.table().splitlines() == [
        "            a:               b:               stop:",
        "            new  good  bad   new  good  bad",
        "→  new      0    1/2   1/2   0    0     0     0",
        "   good *   0    0     0     0    1/4   0     3/4",
        "   bad      0    0     0     0    0     1/2   1/2",
    ]
    assert "<b>stop</b>" in generator._repr_html_()
    dot, tikz = cp.drawing.to_dot(generator), cp.drawing.to_tikz(generator)
    assert r'1 [label="good\nstop: 3/4", peripheries=2];' in dot
    assert '0 [label="new"];' in dot
    assert r"{good \\ stop: $\frac{3}{4}$};" in tikz
    assert "stop: 1/2" not in cp.drawing.to_dot(generator, min_probability=0.6)
    without_outcomes = generator.replace(final=None)
    assert "peripheries" not in cp.drawing.to_dot(without_outcomes)
    assert "*" not in without_outcomes.table()


def test_a_surprise_says_what_stands_out() -> None:
    generator = cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25])
    assert repr(generator.surprise("aba")) == "<Surprise: 4.159 nats, most at position 1 of 3 (1.386), end 1.386>"
    assert repr(generator.surprise("", [""])) == "<Surprise: 1.386 nats, end 1.386, p-value 1 among held-out words>"


def test_words_that_hardly_ever_end_have_lengths_and_no_tracebacks() -> None:
    for moves in (1.0, 1.0 + 5e-10):  # sums to 1 within the tolerance, and leaves nothing of I - T
        endless = cp.Generator(1, "a", [[[moves]]], 0, [1e-12])
        assert endless.expected_length() == pytest.approx(1e12)
        assert float(endless.expected_length(exact=True)) == pytest.approx(1e12)
        assert endless.forecast() == endless.forecast(exact=True) == 1
        assert cp.forecast(cp.Acceptor(1, "a", [[[1]]], 0, {0}), "a", inputs=endless) == 1
        with pytest.raises(
            cp.errors.TooLarge, match=r"^a word would have about 1e\+12 symbols; the limit is 1,000,000"
        ):
            endless.simulate(1, rng=0)
    circle = cp.Generator(2, "a", [[[0.0, 1.0], [1.0, 0.0]]], 0, [1e-17, 0.0])
    with pytest.raises(cp.errors.TooLarge, match="hardly ever end"):
        circle.expected_length()


def test_a_search_for_words_that_hardly_ever_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cp.model.generator, "MOST_EXPLORED", 20_000)
    with pytest.raises(cp.errors.TooLarge, match="not found among 20,000 prefixes"):
        cp.Generator(1, "a", [[[1.0]]], 0, [1e-12]).most_probable_words(1)
    certain = cp.Generator(3, "ab", {"a": {0: {1: 1}}, "b": {1: {2: 1}}}, 0, {2: 1})
    assert certain.most_probable_words(1) == [("ab", 1.0)]


def test_until_stop_refuses_what_is_not_one_number_per_state() -> None:
    generator = cp.Generator(1, "a", [[["1/2"]]], 0, ["1/2"])
    assert generator.until_stop([1]).tolist() == [2.0]
    refused: tuple[Any, ...] = (None, 5, [1.0, 2.0], ["a"])
    for values in refused:
        with pytest.raises(cp.errors.InvalidAcceptor, match=r"^values"):
            generator.until_stop(values)


def test_an_impossible_word_is_as_surprising_as_another() -> None:
    generator = cp.Generator(1, "ab", {"a": [[0.5]]}, 0, [0.5])
    assert generator.surprise("b", held_out=["bb", "a"]).p_value == pytest.approx(2 / 3)


def test_contexts_are_no_longer_than_words() -> None:
    assert cp.Generator.from_ngrams(["ab", "b"], n=10**30) == cp.Generator.from_ngrams(["ab", "b"], n=4)
