"""AcceptorClassifier keeps the contract of scikit-learn's classifiers, on words instead of rows of numbers.

scikit-learn's own ``check_estimator`` cannot be used: it feeds matrices of random numbers, and here an item of X is a
word, whose symbols are names. So each point of the contract is tested by hand.
"""

import inspect
import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import cutpoint as cp
from cutpoint.assess.evaluation import best_cut_point, chosen_cut_point
from cutpoint.data.alphabet import RARE, RARE_CHARACTER
from cutpoint.em.observations import Parameters
from cutpoint.estimator.classifier import RunningCounts, better, seed_of
from cutpoint.estimator.inputs import Lexicon, labels_of, words_of

WORDS = ["".join(map(str, word)) for word in cp.random_words("ab", 60, (0, 5), rng=1)]
ODD = ["odd" if word.count("a") % 2 else "even" for word in WORDS]
THIRDS = [("zero", "one", "two")[word.count("a") % 3] for word in WORDS]

many_searches = pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="many searches, which take minutes without compiled kernels"
)

Classifier = partial(cp.AcceptorClassifier, folds=2, cut_point=0.5)
Classes = partial(cp.AcceptorClassifier, folds=2)


@pytest.fixture(scope="module")
def two() -> cp.AcceptorClassifier:
    return Classifier(2).fit(WORDS, ODD)


@pytest.fixture(scope="module")
def three() -> cp.AcceptorClassifier:
    return Classes(4, team=2).fit(WORDS, THIRDS)


def same(one: cp.AcceptorClassifier, other: cp.AcceptorClassifier) -> bool:
    return bool(one.acceptor_ == other.acceptor_ and one.cut_point_ == other.cut_point_)


# -- Fitting and predicting ------------------------------------------------------------------------------------------


def test_two_classes_make_an_ordinary_acceptor(two: cp.AcceptorClassifier) -> None:
    assert two.classes_.tolist() == ["even", "odd"]
    assert two.score(WORDS, ODD) == 1.0
    assert two.predict(["a" * 9, "", "bab"]).tolist() == ["odd", "even", "odd"]
    assert two.alphabet_ == cp.data.Alphabet("ab")
    assert two.acceptor_.final.tolist() == (two.labels_ == "odd").tolist()
    assert isinstance(two.fit_, cp.search.Learned)
    assert two.fit_.acceptor == two.acceptor_
    table = two.predict_proba(WORDS)
    assert np.array_equal(table[:, 1], two.acceptor_.acceptances(WORDS))
    assert np.array_equal(table.sum(axis=1), np.ones(len(WORDS)))


def test_it_is_what_learn_finds(two: cp.AcceptorClassifier) -> None:
    sample = cp.Sample(WORDS, accepted=[label == "odd" for label in ODD])
    assert cp.learn(sample, n_states=2, folds=2, rng=0).acceptor == two.acceptor_


def test_many_classes_own_states(three: cp.AcceptorClassifier) -> None:
    assert three.classes_.tolist() == ["one", "two", "zero"]
    assert three.cut_point_ is None
    assert len(three.labels_) == three.acceptor_.n_states == 8
    assert three.score(WORDS, THIRDS) > 0.9
    table = three.predict_proba(WORDS)
    assert table.shape == (60, 3)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-14, atol=0)
    for word, row in zip(WORDS[:10], table, strict=False):
        ends = three.acceptor_.distribution(word)
        wanted = [ends[three.labels_ == name].sum() for name in three.classes_]
        np.testing.assert_allclose(row, wanted, rtol=1e-12, atol=0)
    assert three.predict(WORDS).tolist() == three.classes_[table.argmax(axis=1)].tolist()
    assert np.array_equal(three.decision_function(WORDS), table)


def test_logarithms_agree(two: cp.AcceptorClassifier, three: cp.AcceptorClassifier) -> None:
    for model in (two, three):
        np.testing.assert_allclose(
            np.exp(model.predict_log_proba(WORDS)), model.predict_proba(WORDS), rtol=1e-12, atol=1e-15
        )


@pytest.mark.parametrize("cut_point", [0.5, 0.9, "1/3"])
def test_decisions_are_log_odds_relative_to_the_cut_point(two: cp.AcceptorClassifier, cut_point: Any) -> None:
    soft = pickle.loads(pickle.dumps(two))
    soft.machine_ = cp.gallery.random_acceptor(2, "ab", rng=2).replace(final=two.acceptor_.final)
    soft.cut_point_ = 1 / 3 if cut_point == "1/3" else cut_point
    p = soft.predict_proba(WORDS)[:, 1]
    odds = np.log(p / (1 - p)) - np.log(soft.cut_point_ / (1 - soft.cut_point_))
    decisions = soft.decision_function(WORDS)
    np.testing.assert_allclose(decisions, odds, rtol=1e-9, atol=1e-12)
    assert np.array_equal(decisions > 0, p > soft.cut_point_)
    assert np.array_equal(soft.predict(WORDS) == "odd", p > soft.cut_point_)
    for value in p.tolist():  # a word at the cut point is not above it
        soft.cut_point_ = value
        assert np.array_equal(soft.decision_function(WORDS) > 0, p > value)
        assert np.array_equal(soft.predict(WORDS) == "odd", p > value)


@pytest.mark.parametrize(("no", "yes"), [(False, True), (0, 1), (-1, 1), (2.0, 7.0), ("no", "yes")], ids=str)
def test_labels_of_any_kind(no: Any, yes: Any) -> None:
    model = Classifier(2).fit(WORDS[:20], [yes if label == "odd" else no for label in ODD[:20]])
    assert model.classes_.tolist() == [no, yes]
    assert model.predict(["a", "b"]).tolist() == [yes, no]
    assert model.predict(["a"]).dtype.kind == np.array([no]).dtype.kind


def test_the_cut_point_is_kept_as_given() -> None:
    assert cp.AcceptorClassifier(2, folds=2, cut_point="1/3").fit(WORDS, ODD).cut_point_ == 1 / 3


# -- The cut point ---------------------------------------------------------------------------------------------------


@many_searches
def test_the_cut_point_is_one_half_for_sure_rules_and_small_samples() -> None:
    assert cp.AcceptorClassifier(2, folds=2).fit(WORDS, ODD).cut_point_ == 0.5
    assert cp.AcceptorClassifier(2, folds=2).fit(WORDS[:12], ODD[:12]).cut_point_ == 0.5


def test_another_cut_point_must_be_clearly_better() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(2000)
    calibrated = rng.random(2000) < scores
    assert best_cut_point(scores, calibrated, np.ones(2000)) == 0.5
    assert best_cut_point(scores, scores > 0.7, np.ones(2000)) == pytest.approx(0.7, rel=0.05)
    assert best_cut_point(scores, scores > 0.7, np.full(2000, 0.001)) == 0.5  # weights of two words in all
    noise = [best_cut_point(rng.random(200), rng.random(200) < 0.5, np.ones(200)) for _ in range(100)]
    assert noise.count(0.5) >= 90


def test_folds_are_scored_by_what_the_others_taught() -> None:
    first, second = (
        cp.Sample([(k,) for k in part], accepted=[k % 2 == 1 for k in part], alphabet=range(100))
        for part in (range(50), range(50, 100))
    )

    def timid(known: cp.Sample) -> cp.Acceptor:
        """Sure of the words it has learned from, and too low for the others."""
        p = np.where(np.arange(100) % 2, 0.3, 0.1)
        codes = np.array([word[0] for word in known.words], dtype=np.intp)
        p[codes] = codes % 2
        rows = np.stack((1 - p, p), axis=1)
        return cp.Acceptor(2, range(100), np.stack((rows, rows), axis=1), initial=0, final={1})

    held_out = (timid(first), second), (timid(second), first)
    found = chosen_cut_point(cp.search.Learned(timid(first), (0.0,), cp.em.Stop.SEARCHED, 0.0, held_out=held_out))
    assert 0.1 <= found.cut_point < 0.3
    assert found.reason == "highest accuracy on cases not learned from"


# -- What X, y and weights may be --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        partial(np.array, dtype=object),
        lambda words: np.array(words, dtype=object)[:, None],
        lambda words: [list(word) for word in words],
        lambda words: [tuple(word) for word in words],
        lambda words: [np.array(list(word)) for word in words],
        lambda words: pd.Series(words, index=range(5, 5 + len(words))),
        lambda words: pd.Series([list(word) for word in words]),
        lambda words: pd.DataFrame({"word": words}),
        pl.Series,
        lambda words: pl.Series([list(word) for word in words]),
        lambda words: pl.DataFrame({"word": words}),
        pa.array,
        lambda words: pa.chunked_array([[list(word) for word in words[:3]], [list(word) for word in words[3:]]]),
        lambda words: pa.table({"word": words}),
        iter,
    ],
)
def test_words_come_in_many_forms(two: cp.AcceptorClassifier, form: Any) -> None:
    assert cp.Sample(words_of(form(WORDS))) == cp.Sample(WORDS)
    assert np.array_equal(two.predict(form(WORDS)), ODD)


def test_folds_of_the_search_keep_groups_together() -> None:
    words = ["a", "ab", "b", "ba", "abb", "bab", "aab", "bb"] * 3
    odd = [word.count("a") % 2 == 1 for word in words]
    groups = np.repeat(["x", "y", "z"], 8)
    model = cp.AcceptorClassifier(2, folds=3).fit(words, odd, groups=groups)
    for _, judged in model.fit_.held_out:
        assert len(set(judged.known_cases.ids)) == 1
    with pytest.raises(cp.errors.InvalidArgument, match="groups must have one value per word; got 2 values for 24"):
        model.fit(words, odd, groups=["x", "y"])
    with pytest.raises(cp.errors.InvalidArgument, match="5 folds need at least 5 groups; got 3 groups"):
        cp.AcceptorClassifier(2, folds=5).fit(words, odd, groups=groups)


def test_separators_of_symbols() -> None:
    words, labels = ["look buy", "look", "buy look", ""] * 5, [1, 0, 1, 0] * 5
    model = cp.AcceptorClassifier(2, separator=" ", folds=2).fit(words, labels)
    assert model.alphabet_ == ("buy", "look")
    assert model.predict(["look  buy", ["look"]]).tolist() == [1, 0]
    assert model.decision_function(["look buy"]).shape == (1,)
    with pytest.warns(cp.errors.CharactersWarning, match="'buy look' is a word of 8 symbols"):
        cp.AcceptorClassifier(2, folds=2).fit(words, labels)


def test_rows_of_an_array_are_words(two: cp.AcceptorClassifier) -> None:
    assert two.predict(np.array([["a", "b"], ["a", "a"]])).tolist() == ["odd", "even"]
    assert words_of(np.array([[1], [2]])) == [[1], [2]]


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        partial(np.array, dtype=object),
        lambda labels: np.array(labels)[:, None],
        pd.Series,
        partial(pd.Series, dtype="category"),
        lambda labels: pd.DataFrame({"y": labels}),
        pl.Series,
        pa.array,
    ],
)
def test_labels_come_in_many_forms(two: cp.AcceptorClassifier, form: Any) -> None:
    assert labels_of(form(ODD), 60).tolist() == ODD
    assert two.score(WORDS, form(ODD)) == 1.0


def test_weights_are_repetitions() -> None:
    words, labels = [*WORDS[:40], "c"], [*ODD[:40], "odd"]
    weights = [*(k % 3 for k in range(40)), 0]
    repeated = [r for r, weight in enumerate(weights) for _ in range(weight)]
    weighted = Classifier(2).fit(words, labels, sample_weight=pd.Series(weights))
    assert weighted.alphabet_ == cp.data.Alphabet("ab")  # a word of weight 0 is not there
    assert same(weighted, Classifier(2).fit([words[r] for r in repeated], [labels[r] for r in repeated]))


# -- Unknown symbols and positions -------------------------------------------------------------------------------------


def test_unknown_symbols_are_refused(two: cp.AcceptorClassifier) -> None:
    for ask in (two.predict, two.predict_proba, two.predict_log_proba, two.decision_function):
        with pytest.raises(cp.errors.UnknownSymbol, match=r"^word 1, position 2: symbol 'x' is not in the alphabet"):
            ask(["ab", "abx"])


def test_rare_symbols_stand_for_unknown_ones() -> None:
    words = [*WORDS, "xa", "ya", "az", "xx"]  # x thrice, y and z once
    labels = [*ODD, "odd", "odd", "odd", "even"]
    model = Classifier(2, unknown="rare").fit(words, labels)
    assert tuple(model.alphabet_) == ("a", "b", "x", RARE_CHARACTER)
    assert model.fit_.acceptor == model.acceptor_
    sample = cp.Sample(
        [tuple(RARE_CHARACTER if symbol in "yz" else symbol for symbol in word) for word in words],
        accepted=[label == "odd" for label in labels],
        alphabet=("a", "b", "x", RARE_CHARACTER),
    )
    assert cp.learn(sample, 2, folds=2, rng=0).acceptor == model.acceptor_
    assert np.array_equal(model.predict_proba(["ay", "ax"]), model.predict_proba([["a", "never"], "ax"]))
    larger = Lexicon.of([*words], np.ones(len(words)), "rare", 4, by_position=False)
    assert tuple(larger.alphabet) == ("a", "b", RARE_CHARACTER)


def test_without_rare_symbols_an_unknown_one_changes_nothing(two: cp.AcceptorClassifier) -> None:
    model = Classifier(2, unknown="rare").fit(WORDS, ODD)
    assert tuple(model.alphabet_) == ("a", "b", RARE_CHARACTER)
    assert model.fit_.acceptor == two.acceptor_
    assert np.array_equal(model.acceptor_.transitions[2], np.eye(2))
    np.testing.assert_allclose(
        model.predict_proba(["abxa", "?", [7]]), two.predict_proba(["aba", "", ""]), rtol=1e-12, atol=0
    )


def test_position_tells_symbols_apart() -> None:
    words = ["aa", "ab", "ba", "bb"] * 5
    labels = [word[1] == "b" for word in words]  # only the second symbol counts
    model = Classifier(2, position=True).fit(words, labels)
    assert tuple(model.alphabet_) == ((0, "a"), (0, "b"), (1, "a"), (1, "b"))
    assert model.score(words, labels) == 1.0
    assert model.predict_proba(["ab"])[0, 1] == model.acceptor_.acceptance([(0, "a"), (1, "b")])
    with pytest.raises(
        cp.errors.InvalidArgument,
        match=r"^with position=True words must have 2 symbols, as the first one in training; word 1 has 3\. Pad",
    ):
        model.predict(["ab", "aba"])
    with pytest.raises(cp.errors.UnknownSymbol, match=r"^word 1, position 0: symbol \(0, 'c'\) is not in the alphabet"):
        model.predict(["ab", "cb"])
    with pytest.raises(cp.errors.InvalidArgument, match=r"as the first one in training; word 20 has 1\. Pad shorter"):
        Classifier(2, position=True).fit([*words, "a"], [*labels, True])


def test_each_position_has_its_rare_symbol() -> None:
    words: list[Any] = [(1, 2), (1, 3), (1, 2), (4, 3), (1, 2)]
    lexicon = Lexicon.of(words, np.ones(5), "rare", 2, by_position=True)
    assert tuple(lexicon.learned) == ((0, 1), (1, 2), (1, 3), (0, RARE))
    assert lexicon.in_symbols(words)[3] == [(0, RARE), (1, 3)]
    assert tuple(lexicon.alphabet) == (*lexicon.learned, (1, RARE))
    assert lexicon.in_symbols([(3, 3), (1, 9)]) == [[(0, RARE), (1, 3)], [(0, 1), (1, RARE)]]


# -- Stepwise EM -------------------------------------------------------------------------------------------------------


def test_batches_draw_the_acceptor_towards_the_truth() -> None:
    truth = cp.gallery.parity()
    truth = truth.replace(alphabet="ba", transitions=0.9 * truth.transitions + 0.05)
    sample = cp.simulate(truth, WORDS * 40, rng=5)
    words = [word for word, count in zip(sample.words, sample.counts, strict=True) for _ in range(int(count))]
    labels = [label for label, count in zip(sample.accepted, sample.counts, strict=True) for _ in range(int(count))]
    order = np.random.default_rng(0).permutation(len(words))
    batches = [([words[r] for r in part], [labels[r] for r in part]) for part in np.array_split(order, 24)]
    model = Classifier(2)
    before = model.partial_fit(*batches[0]).acceptor_
    searched = model.fit_
    for batch in batches[1:]:
        model.partial_fit(*batch)
    assert model.fit_ is searched
    assert cp.log_likelihood(model.acceptor_, sample) > cp.log_likelihood(before, sample)
    best = cp.baum_welch(before, sample, prior=0.01, learn_initial=True).log_likelihood
    assert cp.log_likelihood(model.acceptor_, sample) > best - 0.002 * sample.total


def test_the_first_batch_is_a_fit_and_a_fit_can_go_on(two: cp.AcceptorClassifier) -> None:
    begun = Classifier(2).partial_fit(WORDS, ODD)
    assert same(begun, two)
    once = begun.partial_fit(WORDS[:30], ODD[:30]).acceptor_
    again = pickle.loads(pickle.dumps(two)).partial_fit(WORDS[:30], ODD[:30])
    assert again.acceptor_ == once != two.acceptor_
    assert same(begun.fit(WORDS, ODD), two)  # fit begins anew


def test_the_same_words_again_are_an_em_step(two: cp.AcceptorClassifier) -> None:
    """The mean of equal counts is those counts, so the step is Baum-Welch's."""
    sample = cp.Sample(WORDS, accepted=[label == "odd" for label in ODD])
    model = pickle.loads(pickle.dumps(two)).partial_fit(WORDS, ODD)
    counts = cp.expected_counts(two.acceptor_, sample)
    weights = 2 * counts.transitions + 0.01  # the prior of learn
    np.testing.assert_allclose(
        model.acceptor_.transitions, weights / weights.sum(axis=-1, keepdims=True), rtol=1e-9, atol=0
    )


def test_steps_get_smaller() -> None:
    zero = cp.Counts(np.zeros((1, 1, 1)), np.zeros(1), 0.0)
    running = RunningCounts.first(cp.Counts(np.full((1, 1, 1), 8.0), np.ones(1), 0.0), 2.0)
    assert running.mean.transitions[0, 0, 0] == 4.0
    second = running.after(zero, 2.0)
    assert second.mean.transitions[0, 0, 0] == pytest.approx(4.0 * (1 - 2**-0.6), rel=1e-12)
    assert second.after(zero, 2.0).mean.transitions[0, 0, 0] == pytest.approx(
        4.0 * (1 - 2**-0.6) * (1 - 3**-0.6), rel=1e-12
    )
    assert second.total == 4.0


def test_a_rare_symbol_is_learned_once_it_is_met() -> None:
    model = Classifier(2, unknown="rare").partial_fit(WORDS, ODD)
    flipped = [word + "c" for word in WORDS]  # a symbol that turns the answer round
    for _ in range(60):
        model.partial_fit(flipped, ["even" if label == "odd" else "odd" for label in ODD])
    assert model.predict(["c", "ac"]).tolist() == ["odd", "even"]
    assert model.predict(["aa", "ab"]).tolist() == ["even", "odd"]


def test_members_of_a_team_and_unread_symbols_keep_apart() -> None:
    blocks = np.kron(np.eye(2), np.full((2, 2), 0.5))
    parameters = Parameters(np.stack([blocks, np.eye(4)]), np.full(4, 0.25))
    running = RunningCounts.first(cp.Counts(np.stack([blocks, np.zeros((4, 4))]), np.ones(4), 0.0), 4.0)
    opened = running.opened(parameters)
    assert np.array_equal(opened.transitions > 0, np.stack([blocks > 0, blocks > 0]))
    best = running.maximum(opened, prior=0.01)
    assert np.array_equal(best.transitions[1], opened.transitions[1])
    assert np.array_equal(best.transitions > 0, opened.transitions > 0)


@many_searches
def test_many_classes_go_on_and_may_come_late() -> None:
    early = [r for r, label in enumerate(THIRDS) if label != "zero"]
    model = Classes(3).partial_fit(
        [WORDS[r] for r in early], [THIRDS[r] for r in early], classes=["zero", "two", "one"]
    )
    assert model.classes_.tolist() == ["one", "two", "zero"]
    assert sorted(model.labels_) == ["one", "two", "zero"]
    late = [r for r, label in enumerate(THIRDS) if label == "zero"]
    before = model.predict_log_proba([WORDS[r] for r in late])[:, 2].mean()
    for _ in range(20):
        model.partial_fit(WORDS, THIRDS)
    assert model.predict_log_proba([WORDS[r] for r in late])[:, 2].mean() > before
    assert model.predict([""]).tolist() == ["zero"]
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"^y must hold labels of the classes .* got 'four' for word 1\.$"
    ):
        model.partial_fit(["a", "b"], ["one", "four"])
    with pytest.raises(cp.errors.InvalidArgument, match=r"^classes must be those of the first batch"):
        model.partial_fit(["a"], ["one"], classes=["one", "two"])
    with pytest.raises(cp.errors.InvalidArgument, match=r"got 1 for word 0\.$"):
        model.partial_fit(["a"], [1])
    with pytest.raises(cp.errors.UnknownSymbol, match=r"^word 0, position 1: symbol 'x'"):
        model.partial_fit(["ax"], ["one"])


# -- Generators ------------------------------------------------------------------------------------------------------

LAWS = [  # runs of a, b and c that take turns in other ways, so that no count tells whose a word is
    cp.Generator(
        3, "abc", {"abc"[k]: {k: {t: 0.85}, (k + 1) % 3: {t: 0.05}} for k, t in enumerate(turn)}, "uniform", [0.1] * 3
    )
    for turn in ((1, 2, 0), (2, 0, 1), (0, 1, 2))
]


def made_by(laws: list[cp.Generator], number: int, seed: int) -> tuple[list[str], list[str]]:
    """Words of each law, shuffled, with the number of the law as label."""
    words, labels = [], []
    for k, law in enumerate(laws):
        sample = law.simulate(number, rng=seed + k)
        words += [str(word) for word, count in zip(sample.words, sample.counts, strict=True) for _ in range(int(count))]
        labels += [str(k)] * number
    order = np.random.default_rng(seed).permutation(len(words)).tolist()
    return [words[r] for r in order], [labels[r] for r in order]


def bayes(laws: list[cp.Generator], words: list[str]) -> Any:
    """P(law | word), all laws equally frequent."""
    p = np.array([[law.probability(word) for law in laws] for word in words])
    return p / p.sum(axis=1, keepdims=True)


@many_searches
@pytest.mark.parametrize("n_laws", [2, 3])
def test_a_generator_classifies_by_the_law_of_the_words(n_laws: int) -> None:
    laws = LAWS[:n_laws]
    model = cp.AcceptorClassifier(3 * n_laws, kind="generator").fit(*made_by(laws, 200, seed=1))
    assert isinstance(model.generator_, cp.Generator)
    assert model.classes_.tolist() == [str(k) for k in range(n_laws)]
    words, labels = made_by(laws, 200, seed=7)
    table, best = model.predict_proba(words), bayes(laws, words)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12, atol=0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(words)), table, rtol=1e-12, atol=0)
    codes = np.array([int(label) for label in labels])
    losses = [-np.log(p[np.arange(len(words)), codes]).mean() for p in (table, best)]
    assert losses[0] < 1.08 * losses[1]
    assert (model.predict(words) == labels).mean() > (best.argmax(axis=1) == codes).mean() - 0.02
    for word, row in zip(words[:9], table, strict=False):
        ends = model.generator_.distribution(word) * model.generator_.stop
        wanted = np.array([ends[model.labels_ == name].sum() for name in model.classes_])
        np.testing.assert_allclose(row, wanted / wanted.sum(), rtol=1e-9, atol=0)
    assert pickle.loads(pickle.dumps(model)).machine_ == model.machine_
    with pytest.raises(AttributeError, match=r"^a generator was learned: use generator_, or machine_ for either kind"):
        _ = model.acceptor_


@many_searches
def test_auto_takes_what_does_better_on_held_out_words(two: cp.AcceptorClassifier) -> None:
    """A generator is ahead on words of two laws; where all words have one, its few states are busy with that law."""
    words, labels = made_by(LAWS[:2], 100, seed=1)
    assert isinstance(Classifier(6, kind="auto").fit(words, labels).machine_, cp.Generator)
    odd = [word.count("a") % 2 == 1 for word in words]
    assert same(Classifier(2, kind="auto").fit(words, odd), Classifier(2).fit(words, odd))
    sizes = cp.search.learned.SizeResult
    fits = [
        cp.search.Learned(
            two.machine_, (0.0,), cp.em.Stop.SEARCHED, 0.0, sizes=(sizes(2, losses, losses),), members=two.fit_.members
        )
        for losses in ((0.4, 0.4, 0.1), (0.5, 0.2), (0.3,))
    ]
    assert better(fits[0], fits[1]) is fits[1]  # .35 on the folds that both have
    assert better(fits[1], fits[0]) is fits[1]
    assert better(fits[0], fits[0]) is fits[0]
    assert better(fits[1], fits[2]) is fits[2]


@many_searches
def test_generators_are_saved_and_go_on(tmp_path: Any) -> None:
    words, labels = made_by(LAWS, 60, seed=1)
    model = Classes(6, kind="generator").fit(words, labels)
    cp.save(model.to_model(), tmp_path / "laws.json")
    read = cp.read_model(tmp_path / "laws.json")
    assert read.machine == model.generator_
    assert np.array_equal(read.predict(words), model.predict(words))
    assert np.array_equal(read.probabilities(words), model.predict_proba(words))
    more, more_labels = made_by(LAWS, 300, seed=5)
    codes = np.searchsorted(model.classes_, more_labels)
    before = model.predict_log_proba(more)[np.arange(len(more)), codes].mean()
    for part in np.array_split(np.arange(len(more)), 4):
        model.partial_fit([more[r] for r in part], [more_labels[r] for r in part])
    assert model.predict_log_proba(more)[np.arange(len(more)), codes].mean() > before


@many_searches
def test_unknown_symbols_say_nothing_about_the_class_until_they_are_learned() -> None:
    words, labels = made_by(LAWS[:2], 60, seed=1)
    model = Classifier(4, kind="generator", unknown="rare").fit(words, labels)
    np.testing.assert_allclose(
        model.predict_proba(["aXbc", "Y"]), model.predict_proba(["abc", ""]), rtol=1e-9, atol=1e-12
    )
    for _ in range(20):
        model.partial_fit([word + "X" * (label == "1") for word, label in zip(words, labels, strict=True)], labels)
    assert model.predict_proba(["X"])[0, 1] > 0.9
    assert model.predict_proba([""])[0, 1] < 0.5


def test_the_same_words_again_are_an_em_step_of_a_generator() -> None:
    words, labels = made_by(LAWS[:2], 30, seed=1)
    model = Classifier(2, kind="generator", prior=0.02).fit(words, labels)
    counts = cp.expected_counts(model.generator_, cp.Sample(words, accepted=[label == "1" for label in labels]))
    before = model.generator_
    after = model.partial_fit(words, labels).generator_
    assert counts.stop is not None
    weights = np.column_stack((2 * counts.transitions.transpose(1, 0, 2).reshape(2, -1), 2 * counts.stop))
    weights += np.where(
        np.column_stack((before.transitions.transpose(1, 0, 2).reshape(2, -1), before.stop)) > 0, 0.02, 0
    )
    np.testing.assert_allclose(after.stop, weights[:, -1] / weights.sum(axis=1), rtol=1e-9, atol=0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "hmm"}, r"^kind must be one of \{'acceptor', 'generator', 'auto'\}; got 'hmm'\.$"),
        ({"kind": "generator", "n_final": 1}, r"^n_final is for kind='acceptor'\. Leave it out\.$"),
        ({"kind": "auto", "n_final": 1}, r"^n_final is for kind='acceptor'"),
        (
            {"kind": "generator", "n_states": 1},
            r"^n_states must be at least 2, an accepting and a rejecting one; got 1",
        ),
    ],
)
def test_options_of_kinds(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=sentence):
        cp.AcceptorClassifier(**options).fit(WORDS, ODD)


# -- scikit-learn's tools ----------------------------------------------------------------------------------------------


def test_arguments_are_stored_and_cloned() -> None:
    marks: dict[str, Any] = {
        name: object() for name in inspect.signature(cp.AcceptorClassifier.__init__).parameters if name != "self"
    }
    model = cp.AcceptorClassifier(**marks)
    assert vars(model) == marks
    assert model.get_params() == marks
    assert clone(Classifier(7)).get_params() == Classifier(7).get_params()
    assert "n_states=7" in repr(Classifier(7))
    assert Classifier(7).set_params(n_states=3).n_states == 3


def test_tags() -> None:
    tags = cp.AcceptorClassifier().__sklearn_tags__()
    assert is_classifier(cp.AcceptorClassifier())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.required


def test_pickles_predict_the_same(two: cp.AcceptorClassifier, three: cp.AcceptorClassifier) -> None:
    for model in (two, three):
        copy = pickle.loads(pickle.dumps(model))
        assert copy.predict_proba(WORDS).tobytes() == model.predict_proba(WORDS).tobytes()
        assert copy.fit_.members == model.fit_.members


def test_same_seed_same_bytes(two: cp.AcceptorClassifier) -> None:
    again = clone(two).set_params(threads=1).fit(WORDS, ODD)
    assert again.acceptor_.transitions.tobytes() == two.acceptor_.transitions.tobytes()
    assert again.predict_proba(WORDS).tobytes() == two.predict_proba(WORDS).tobytes()


def test_seeds_come_in_many_forms() -> None:
    for make in (np.random.default_rng, np.random.RandomState):
        assert seed_of(make(3)) == seed_of(make(3)) != seed_of(make(4))
        rng = make(3)
        assert seed_of(rng) != seed_of(rng)
    assert seed_of(None) != seed_of(None)
    assert seed_of(np.int64(7)) == 7


@many_searches
@pytest.mark.filterwarnings("ignore::cutpoint.errors.UnusedStatesWarning")  # three are too many for parity
def test_grid_search_cross_validation_and_pipelines() -> None:
    words, labels = pd.Series(WORDS[:40]), ODD[:40]
    upper = make_pipeline(FunctionTransformer(lambda words: [word.upper() for word in words]), Classifier())
    search = GridSearchCV(upper, {"acceptorclassifier__n_states": np.array([2, 3])}, cv=2)
    search.fit(words, labels, acceptorclassifier__sample_weight=np.ones(40))
    assert search.best_score_ > 0.9
    assert search.predict(["AAA"]).tolist() == ["odd"]
    assert search.best_estimator_[-1].alphabet_ == cp.data.Alphabet("AB")
    lists = [list(word) for word in words]
    assert cross_val_score(Classifier(2), lists, labels, cv=2, scoring="neg_log_loss").min() > -0.5


# -- Without the extra ---------------------------------------------------------------------------------------------------


def test_it_loads_lazily_and_names_the_extra() -> None:
    code = (
        "import sys, cutpoint as cp\n"
        "assert 'sklearn' not in sys.modules and 'AcceptorClassifier' in dir(cp)\n"
        "sys.modules['sklearn'] = None\n"
        "try: cp.AcceptorClassifier\n"
        "except cp.errors.MissingExtra as error: print(error)\n"
        "print(hasattr(cp, 'Nonsense'))\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "AcceptorClassifier needs scikit-learn; install it with: pip install 'cutpoint[sklearn]'.\nFalse\n"
    )


# -- Refusals ------------------------------------------------------------------------------------------------------------

NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "X", "y", "weights", "sentence"),
    [
        ({}, ["a", "b"], [1, 1], None, "y must hold at least two classes, on words of positive weight; got only {1}. A rule that always gives the same answer needs no learning."),
        ({}, ["a", "b"], [1, 0], [1, 0], "y must hold at least two classes, on words of positive weight; got only {1}. A rule that always gives the same answer needs no learning."),
        ({"n_states": 2}, ["a", "b", "c"], [1, 2, 3], None, "n_states must be at least 3, one for each class {1, 2, 3}; got 2."),
        ({"n_states": 1}, ["a", "b"], [1, 2], None, "n_states must be at least 2, an accepting and a rejecting one; got 1."),
        ({"n_states": 0}, ["a", "b"], [1, 2], None, "n_states must be a whole number from 1 to 2,000; got 0."),
        ({}, ["a", "b"], [0, 1], [1, NAN], "sample_weight must be finite and not negative; got nan for word 1."),
        ({}, ["a", "b"], [0, 1], [-2, 1], "sample_weight must be finite and not negative; got -2 for word 0."),
        ({}, ["a", "b"], [0, 1], [0, 0], "sample_weight must be positive for at least one word; all weights are 0."),
        ({}, ["a", "b"], [0, 1], [1], "sample_weight must have one value per word; got 1 value for 2 words."),
        ({}, ["a", "b"], [0, 1], ["x", 1], "sample_weight must hold numbers, one per word; got ['x', 1]."),
        ({}, ["a", "b"], [0, 1], [0.5, 0.5], "there must be at least 2 words, one for each fold, and weights count as repetitions; got 1 in all. Add words, or scale sample_weight to a mean of 1."),
        ({}, ["a", "b"], [0, 1, 1], None, "y must have one value per word; got 3 values for 2 words."),
        ({}, ["a", "b"], [0, None], None, "y must hold a label for each word; got None for word 1. Leave it out."),
        ({}, ["a", "b"], ["no", NAN], None, "y must hold a label for each word; got nan for word 1. Leave it out."),
        ({}, ["a", "b"], pd.Series(["no", pd.NA], dtype=object), None, "y must hold a label for each word; got <NA> for word 1. Leave it out."),
        ({}, ["a", "b"], [0, "1"], None, "labels must be of one kind; got both 0 and '1'."),
        ({}, ["a", "b"], [(0,), 1], None, "labels must be strings, numbers or bool; got (0,) for word 0."),
        ({}, ["a", "b"], "ab", None, "y must have one value per word; got 'ab'."),
        ({}, ["a", "b"], None, None, "y must have one value per word; got None."),
        ({}, ["a", "b"], np.zeros((2, 2)), None, "y must be one column, a value per word; got shape (2, 2). Pass that column alone."),
        ({}, [], [], None, "X must hold at least one word; got none."),
        ({}, np.array([[0.5, 1.5], [2.5, 3.0]]), [0, 1], None, "X must hold words, which consist of symbols; got measurements, of type float64. Bin them, or convert them to integers if they are codes."),
        ({}, [[1.0, 1.5], [2.5]], [0, 1], None, "X must hold words, which consist of symbols; got measurements, such as 1.5. Bin them, or convert them to integers if they are codes."),
        ({}, [["a", "b"], ["a", NAN]], [0, 1], None, "word 1, position 1: a symbol must not be nan, which stands for a missing value. Leave the symbol out, or give it a name such as 'missing'."),
        ({"separator": 1}, ["a", "b"], [0, 1], None, "separator must be a text or None; got 1."),
        ({"separator": ","}, ["a,b", "a,,b"], [0, 1], None, "word 1, X: symbols between separators ',' must not be empty; got 'a,,b'."),
        ({}, ["", ""], [0, 1], None, "X must hold at least one word with a symbol; all words are empty."),
        ({}, "ab", [0, 1], None, "X must hold one word per item; got a single str, 'ab'. For one word write [word]."),
        ({}, ["a", None], [0, 1], None, "word 1 must be a str or a sequence of symbols; got None."),
        ({}, pd.DataFrame({"a": ["a"], "b": ["b"]}), [0], None, "X must be one column, a value per word; got shape (1, 2). Pass that column alone."),
        ({}, ["ab", [["c"]]], [0, 1], None, "word 1, position 0: symbols must be hashable, such as strings or numbers; got ['c']."),
        ({"unknown": "ignore"}, ["a", "b"], [0, 1], None, "unknown must be 'error', 'skip' or 'rare'; got 'ignore'."),
        ({"min_count": 0}, ["a", "b"], [0, 1], None, "min_count must be a whole number, 1 or more; got 0."),
        ({"position": "yes"}, ["a", "b"], [0, 1], None, "position must be True or False; got 'yes'."),
        ({"cut_point": 1}, ["a", "b"], [0, 1], None, "cut_point must lie between 0 and 1, both excluded; got 1."),
        ({"cut_point": 1.5}, ["a", "b"], [0, 1], None, "a cut point must be a number between 0 and 1; got 1.5."),
        ({"cut_point": 0.5}, ["a", "b", "c"], [0, 1, 2], None, "cut_point is for two classes; y has 3. Leave it out."),
        ({"n_final": 1}, ["a", "b", "c"], [0, 1, 2], None, "n_final is for two classes; y has 3. Leave it out."),
        ({"folds": 3}, ["a", "b"], [0, 1], None, "there must be at least 3 words, one for each fold, and weights count as repetitions; got 2 in all. Add words, or scale sample_weight to a mean of 1."),
        ({"time_limit": "5"}, ["a", "b"], [0, 1], None, "time_limit must be a positive number of seconds; got '5'."),
        ({"random_state": "x"}, ["a", "b"], [0, 1], None, "random_state must be a whole number, 0 or more; got 'x'."),
    ],
)  # fmt: skip
def test_bad_input_gets_a_clear_sentence(options: dict[str, Any], X: Any, y: Any, weights: Any, sentence: str) -> None:
    model = cp.AcceptorClassifier(**({"n_states": 3} | options))
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        model.fit(X, y, sample_weight=weights)
    assert isinstance(caught.value, cp.CutpointError)
    assert str(caught.value) == sentence
    with pytest.raises(NotFittedError):
        model.predict(["a"])


def test_measurements_are_not_labels() -> None:
    with pytest.raises(ValueError, match="continuous"):
        Classifier(2).fit(["a", "b"], [0.25, 1.75])


def test_nothing_can_be_asked_before_fit() -> None:
    model = cp.AcceptorClassifier()
    for ask in (model.predict, model.predict_proba, model.predict_log_proba, model.decision_function):
        with pytest.raises(NotFittedError):
            ask(["a"])


def test_bad_words_are_refused_when_predicting(two: cp.AcceptorClassifier) -> None:
    for words, sentence in (("ab", "got a single str, 'ab'"), ([], "at least one word"), ([3], "word 0 must be a str")):
        with pytest.raises(cp.errors.InvalidArgument, match=sentence):
            two.predict(words)
