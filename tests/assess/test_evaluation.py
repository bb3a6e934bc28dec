"""What is judged and how: verdicts one by one, observations without an outcome never, baselines, intervals."""

import math
import sys
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import InMemory, Parameters, mark_masks
from cutpoint.kernels import reference, wide
from tests.oracles import plain, verdict_probability
from tests.refusals import Refusal, check_refused
from tests.strategies import KINDS, acceptors, samples

CUSTOMERS = cp.gallery.customers()
TRAINING, FRESH = (
    cp.simulate(CUSTOMERS, cp.random_words(CUSTOMERS.alphabet, 400, (1, 7), rng=rng), rng=rng + 1) for rng in (1, 3)
)
SMALL = cp.Sample([["ad"], ["cart"]], accepted=[False, True], alphabet=CUSTOMERS.alphabet)
UNKNOWN = cp.Sample([["ad"], ["visit", "cart"]], alphabet=CUSTOMERS.alphabet)


# --- the filter -------------------------------------------------------------------------------------------------------


@given(acceptors(max_states=3), st.sampled_from(KINDS), st.data())
@settings(max_examples=60, deadline=None)
def test_verdict_probabilities_are_those_of_all_paths(acceptor: cp.Acceptor, kind: str, data: st.DataObject) -> None:
    sample, machine = data.draw(samples(acceptor, kind)), plain(acceptor)
    found = cp.verdict_probabilities(acceptor, sample)
    assert len(found) == len(sample)
    for values, observation in zip(found, sample, strict=True):
        expected = [verdict_probability(machine, observation, i) for i in range(len(observation.word) + 1)]
        assert values.shape == (len(expected),)
        for value, truth in zip(values.tolist(), expected, strict=True):
            assert truth is not None  # samples are of simulated runs
            assert value == pytest.approx(float(truth), rel=1e-12, abs=0)


@given(acceptors(max_states=3), st.data())
@settings(max_examples=40, deadline=None)
def test_verdicts_seen_multiply_to_the_likelihood(acceptor: cp.Acceptor, data: st.DataObject) -> None:
    sample = data.draw(samples(acceptor, "verdicts"))
    likelihoods = np.exp(cp.em.log_likelihoods(acceptor, sample))
    for r, (values, observation) in enumerate(zip(cp.verdict_probabilities(acceptor, sample), sample, strict=True)):
        seen = observation.verdicts or (*[None] * len(observation.word), observation.accepted)
        chances = [p if verdict else 1 - p for p, verdict in zip(values, seen, strict=True) if verdict is not None]
        assert math.prod(chances) == pytest.approx(likelihoods[r], rel=1e-9, abs=1e-300)


@given(acceptors(max_states=3), st.sampled_from(KINDS), st.data())
@settings(max_examples=40, deadline=None)
def test_wide_numbers_say_the_same(acceptor: cp.Acceptor, kind: str, data: st.DataObject) -> None:
    sample = data.draw(samples(acceptor, kind))
    arrays = acceptor.transitions, acceptor.initial, acceptor.final
    masks, words = mark_masks(acceptor, sample), sample.decoded
    found = reference.filtered(*arrays, masks, words)
    for r in range(len(words)):
        at = slice(words.positions[r], words.positions[r + 1])
        seen = words.evidence(masks, np.array([r]))
        acceptances, logs = wide.filtered(*arrays, words.word(r)[None, :], seen)
        assert acceptances[0] == pytest.approx(found.acceptances[at], rel=1e-12, abs=0)
        assert logs[0] == pytest.approx(found.logs[at], rel=1e-9, abs=1e-12)
        assert found.logs[at].sum() == pytest.approx(cp.em.log_likelihoods(acceptor, sample)[r], rel=1e-9, abs=1e-12)


def test_long_words_and_rare_verdicts_stay_exact() -> None:
    """Of two states that never mix, one is nearly ruled out by each verdict: the odds are powers of 1e-9."""
    rare = cp.Acceptor(
        ["a0", "a1", "b0", "b1"],
        "x",
        [[[1 - 1e-9, 1e-9, 0, 0], [1 - 1e-9, 1e-9, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]]],
        {"a0": 0.5, "b0": 0.5},
        {"a1", "b1"},
    )
    n = 200
    sample = cp.Sample(["x" * n], verdicts=[[None, *[True] * (n // 2), *[False] * (n // 2)]])
    (found,) = cp.verdict_probabilities(rare, sample)

    def truth(i: int) -> float:
        yes, no = min(i - 1, n // 2), max(i - 1 - n // 2, 0)
        a = Fraction(1e-9) ** yes * (1 - Fraction(1e-9)) ** no
        b = Fraction(1, 2) ** (yes + no)
        return float((a * Fraction(1e-9) + b / 2) / (a + b))

    assert found[1:] == pytest.approx([truth(i) for i in range(1, n + 1)], rel=1e-9, abs=0)
    judged = cp.evaluate(rare, sample)
    assert judged.log_loss == pytest.approx(-cp.log_likelihood(rare, sample) / n, rel=1e-12, abs=0)
    assert (judged.judged, judged.total) == (n, 1.0)


def test_after_something_impossible_nothing_is_said() -> None:
    sample = cp.Sample(["11", "1"], verdicts=[[True, None, None], None], accepted=[True, True])
    impossible, possible = cp.verdict_probabilities(cp.gallery.parity(), sample)
    assert impossible[0] == 0.0
    assert np.isnan(impossible[1:]).all()
    assert possible.tolist() == [0.0, 1.0]
    judged = cp.evaluate(cp.gallery.parity(), sample)
    assert judged.log_loss == math.inf
    assert judged.accuracy == 1 / 2  # of what can be predicted, the verdict on the first word is wrong
    assert "log_loss" not in judged.intervals


# --- what is judged ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seen", ["accepted", "verdicts"])
def test_words_without_an_outcome_change_no_figure(seen: Literal["accepted", "verdicts"]) -> None:
    sample = cp.simulate(CUSTOMERS, cp.random_words(CUSTOMERS.alphabet, 60, (1, 5), rng=1), rng=2, seen=seen)
    once, again = (cp.evaluate(CUSTOMERS, each, baseline=SMALL) for each in (sample, sample + UNKNOWN))
    assert once.figures == again.figures
    assert once.baselines == again.baselines
    assert once.intervals == again.intervals
    assert once.calibration() == again.calibration()
    assert (once.total, once.judged, once.base_rate) == (again.total, again.judged, again.base_rate)
    asked = [(Parameters.of(CUSTOMERS), mark_masks(CUSTOMERS, sample))]
    assert InMemory(sample).loss(asked) == InMemory(sample + UNKNOWN).loss(asked) == pytest.approx(once.log_loss)


def test_losses_of_a_search_are_of_what_was_seen() -> None:
    """With nine words in ten unknown, every loss that is shown is that of the words with an outcome."""
    words = cp.random_words("01", 400, (1, 5), rng=1)
    labelled = cp.simulate(cp.gallery.parity(), words[:40], rng=2)
    sample = labelled + cp.Sample(words[40:], alphabet=labelled.alphabet)
    fit = cp.learn(sample, n_states=2, folds=4, rng=3)
    judged = [cp.evaluate(acceptor, part) for acceptor, part in fit.held_out]
    assert [each.total for each in judged] == [10.0] * 4  # every fold gets its part of what it can judge by
    assert fit.validation_loss == pytest.approx(np.mean([each.log_loss for each in judged]), rel=1e-9)
    assert fit.sizes[0].losses == tuple(member.validation_loss for member in fit.members)
    scores = cp.cross_validate(cp.gallery.parity(), sample, folds=4, refit=False)
    assert scores.accuracy is not None
    assert scores.accuracy.values == (1.0,) * 4


def test_verdicts_are_judged_one_by_one_or_the_last_alone() -> None:
    sample = cp.Sample(["11", "0"], verdicts=[[None, True, None], [False, None]], accepted=[False, None], counts=[2, 3])
    judged = cp.evaluate(cp.p_adic(2), sample, cut_point=0.4)
    # After 1: 1/2, seen; then in s2, after another 1: 1, not so. Before 0: 0, seen.
    assert (judged.judged, judged.total, judged.log_loss) == (7.0, 5.0, math.inf)
    assert judged.brier_score == pytest.approx((2 * 0.25 + 2 * 1 + 3 * 0) / 7)
    assert judged.accuracy == (2 + 3) / 7
    assert judged.what == "7 verdicts on 5 cases"
    assert repr(judged).startswith("<Evaluation of 7 verdicts on 5 cases: log loss inf (always the mean: 0.")
    last = cp.evaluate(cp.p_adic(2), sample, last=True)
    assert (last.judged, last.total, last.accuracy, last.base_rate) == (5.0, 5.0, 3 / 5, 0.0)


def test_states_have_a_log_loss_alone() -> None:
    sample = cp.Sample(["1", "1"], states=[["s1", "s2"], ["s1", None]], counts=[1, 2])
    judged = cp.evaluate(cp.p_adic(2), sample)
    assert judged.log_loss == pytest.approx(math.log(2) / 4)
    assert judged.figures[1:] == (None, None, None)
    assert (judged.base_rate, judged.baselines, judged.calibration()) == (None, {}, ())
    assert judged.what == "4 seen states on 3 cases"
    assert judged.table().splitlines()[1].split()[:3] == ["log", "loss", "0.1733"]


def test_generators_are_judged_by_what_they_say_of_outcomes() -> None:
    moves = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
    generator = cp.Generator(["new", "good", "bad"], "ab", moves, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
    sample = cp.Sample(["a", "ab", "a", "abb"], accepted=[True, True, False, None], counts=[3, 2, 1, 5])
    chances = [generator.exact_acceptance("a"), generator.exact_acceptance("ab"), 1 - generator.exact_acceptance("a")]
    judged = cp.evaluate(generator, sample)
    expected = -sum(n * math.log(p) for n, p in zip((3, 2, 1), chances, strict=True)) / 6
    assert judged.log_loss == pytest.approx(expected, rel=1e-12)
    assert (judged.total, judged.accuracy) == (6.0, 3 / 6)
    assert judged.baselines["always the mean"].accuracy == 5 / 6


def test_shards_give_the_same() -> None:
    sample = cp.simulate(CUSTOMERS, cp.random_words(CUSTOMERS.alphabet, 90, (0, 5), rng=1), rng=2, seen="verdicts")
    shards = cp.ShardedSample.of(sample + UNKNOWN, observations=20)
    whole, parts = cp.evaluate(CUSTOMERS, sample), cp.evaluate(CUSTOMERS, shards)
    assert parts.figures == pytest.approx(whole.figures, rel=1e-12)
    assert (parts.judged, parts.total) == (whole.judged, whole.total)
    assert parts.baselines["always the mean"] == pytest.approx(whole.baselines["always the mean"], rel=1e-12)


# --- intervals and baselines ------------------------------------------------------------------------------------------


def test_intervals_are_as_wide_as_theory_says() -> None:
    judged = cp.evaluate(CUSTOMERS, FRESH)
    assert judged.accuracy is not None
    low, high = judged.intervals["accuracy"]
    expected = 2 * 1.96 * math.sqrt(judged.accuracy * (1 - judged.accuracy) / 400)
    assert high - low == pytest.approx(expected, rel=0.2)
    losses = judged.predictions.losses
    spread = math.sqrt(np.cov(losses, fweights=judged.predictions.seen.weights.astype(int)) / 400)
    low, high = judged.intervals["log_loss"]
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.2)
    for name, (low, high) in judged.intervals.items():
        assert low < getattr(judged, name) < high


def test_verdicts_of_a_word_are_resampled_together() -> None:
    """A hundred words of fifty equal verdicts are worth a hundred verdicts, not five thousand."""
    stuck = cp.Acceptor(2, "x", [[[1.0, 0.0], [0.0, 1.0]]], [0.5, 0.5], {1})
    flat = cp.Acceptor(2, "x", [[[0.5, 0.5], [0.5, 0.5]]], [0.5, 0.5], {1})
    sample = cp.simulate(stuck, ["x" * 49] * 100, rng=1, seen="verdicts")
    found = cp.evaluate(flat.replace(transitions=[[[0.4, 0.6], [0.4, 0.6]]], initial=[0.4, 0.6]), sample)
    low, high = found.intervals["accuracy"]
    assert high - low == pytest.approx(2 * 1.96 * 0.05, rel=0.2)


def test_baselines_by_hand() -> None:
    training = cp.Sample(["a", "b"], accepted=[True, False], counts=[30, 10])
    fresh = cp.Sample(["a", "b"], accepted=[True, False], counts=[2, 2])
    coin = cp.Acceptor(2, "ab", [[[0.5, 0.5]] * 2] * 2, 0, {1})
    own, given, number = (cp.evaluate(coin, fresh, baseline=each) for each in (None, training, 0.75))
    assert own.baselines == {"always the mean": (math.log(2), 0.25, 0.5, 0.5)}
    expected = -(math.log(0.75) + math.log(0.25)) / 2
    assert given.baselines["always the mean"].log_loss == pytest.approx(expected)
    assert number.baselines["always the mean"] == given.baselines["always the mean"]
    grams = given.baselines["1-4-grams"]
    assert (grams.auc, grams.accuracy) == (1.0, 1.0)
    assert grams.log_loss < 0.3
    header, *rows = (line.split() for line in given.table().splitlines())
    assert header == ["model", "95", "%", "interval", "always", "the", "mean", "1-4-grams"]
    assert rows[0][:3] == ["log", "loss", "0.6931"]


def test_n_grams_are_those_of_a_logistic_regression_on_counted_runs() -> None:
    sklearn_text = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.linear_model import LogisticRegression

    def runs(word: object) -> list[tuple[str, ...]]:
        marked = ("<", *word, ">")  # type: ignore[misc]
        return [marked[i : i + n] for n in range(1, 5) for i in range(len(marked) - n + 1)]

    table = sklearn_text.CountVectorizer(analyzer=runs)
    model = LogisticRegression(max_iter=1000)
    model.fit(table.fit_transform(TRAINING.words), TRAINING.ends == 1, sample_weight=TRAINING.counts)
    chances = model.predict_proba(table.transform(FRESH.words))[:, 1]
    right = np.where(FRESH.ends == 1, chances, 1 - chances)
    expected = -float((FRESH.counts * np.log(right)).sum() / FRESH.total)
    found = cp.evaluate(CUSTOMERS, FRESH, baseline=TRAINING)
    assert found.baselines["1-4-grams"].log_loss == pytest.approx(expected, rel=1e-3)
    assert found.log_loss < expected < found.baselines["always the mean"].log_loss


def test_n_grams_know_the_verdicts_before_and_nothing_after(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = cp.Acceptor(2, "xy", [np.eye(2), np.eye(2)], [0.5, 0.5], {1})
    words = cp.random_words("xy", 60, (2, 6), rng=1)
    sample = cp.simulate(stuck, words, rng=2, seen="verdicts")
    monkeypatch.setattr("cutpoint.assess.baselines.AT_ONCE", 50)  # in many parts, which changes nothing
    found = cp.evaluate(stuck, sample, baseline=sample).baselines["1-4-grams"]
    seen = sample.seen
    first = float(seen.weights[seen.positions == 0].sum() / seen.weights.sum())
    assert found.accuracy is not None
    assert 1 - first < found.accuracy < 1 - first / 4  # the first verdict of a word cannot be known, the others can
    last = cp.evaluate(stuck, sample, baseline=sample, last=True).baselines["1-4-grams"]
    assert last.accuracy == 1.0


def test_without_scikit_learn_there_is_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    assert list(cp.evaluate(CUSTOMERS, FRESH, baseline=TRAINING).baselines) == ["always the mean"]


def test_one_outcome_alone_has_no_regression_and_no_area() -> None:
    one = cp.Sample(["1", "11"], accepted=[True, True], alphabet="01")
    judged = cp.evaluate(cp.p_adic(2), one, baseline=one)
    assert list(judged.baselines) == ["always the mean"]
    assert judged.auc is None
    assert "AUC" not in judged.table()
    assert judged.baselines["always the mean"].log_loss == 0.0


def test_calibration_takes_zeros_and_ones() -> None:
    probabilities = [0.1, 0.2, 0.8, 0.9]
    expected = cp.assess.calibration(probabilities, [False, False, True, True])
    for ones in ([0, 0, 1, 1], np.array([0, 0, 1, 1]), np.array([0.0, 0.0, 1.0, 1.0])):
        assert cp.assess.calibration(probabilities, ones) == expected


REFUSALS: list[Refusal] = [
    (
        lambda: cp.evaluate(CUSTOMERS, UNKNOWN),
        cp.errors.InvalidSample,
        "a sample to judge by must have outcomes; this one has words alone. Add the outcomes with accepted=…, or with outcome=… of an event table. Or verdicts=… or states=….",
    ),
    (
        lambda: cp.evaluate(CUSTOMERS, FRESH, baseline=UNKNOWN),
        cp.errors.InvalidSample,
        "a sample to train baselines on must have outcomes; this one has none.",
    ),
    (
        lambda: cp.evaluate(CUSTOMERS, FRESH, baseline=1.5),
        cp.errors.InvalidArgument,
        "baseline must be a sample, or a number between 0 and 1; got 1.5.",
    ),
    (
        lambda: cp.evaluate(CUSTOMERS, cp.ShardedSample.of(FRESH), baseline=TRAINING),
        cp.errors.InvalidArgument,
        "expected a Sample in memory; got one in shards, which this function does not take.",
    ),
    (
        lambda: cp.evaluate(cp.p_adic(2), cp.Sample(["1"], states=[["s1", None]]), last=True),
        cp.errors.InvalidSample,
        "last must be False where states alone were seen; it is about verdicts.",
    ),
    (
        lambda: cp.cross_validate(CUSTOMERS, cp.Sample([["ad"]], accepted=[True], counts=[3]) + UNKNOWN, folds=5),
        cp.errors.InvalidArgument,
        "5 folds need at least 5 observations with an outcome; got 3 observations. Ask for fewer folds, or add observations.",
    ),
    (
        lambda: cp.evaluate(cp.Generator(1, "a", [[["1/2"]]], 0, ["1/2"]), cp.Sample(["a"], verdicts=[[True, None]])),
        cp.errors.InvalidSample,
        "a generator is judged by outcomes of whole words; more was seen along these words.",
    ),
    (
        lambda: cp.assess.calibration([0.5], [2]),
        cp.errors.InvalidArgument,
        "accepted must be True or False, or 1 or 0, for each word; number 0 is 2.",
    ),
    (
        lambda: cp.verdict_probabilities(CUSTOMERS, cp.ShardedSample.of(FRESH)),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample in memory; got one in shards, which this function does not take.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSALS)
def test_refusals(call: object, kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)  # type: ignore[arg-type]
