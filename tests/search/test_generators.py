"""learn_generator: finds laws of words, tells outcomes apart as Bayes would, repeats itself to the bit, and refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.search.generators import GeneratorStarts
from cutpoint.search.labels import HiddenStates, Labelling

heavy = pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="hundreds of E-steps, which the reference is too slow for"
)

DETERMINISTIC = cp.Generator(  # from each state a symbol leads to one other
    3, "ab", {"a": {0: {1: 0.7}, 1: {2: 0.5}}, "b": {1: {0: 0.3}, 2: {0: 0.6}}}, 0, [0.3, 0.2, 0.4]
)
HMM = cp.Generator.from_hmm(
    [0.5, 0.5, 0.0],
    [[0.8, 0.2, 0.0], [0.0, 0.7, 0.3], [0.4, 0.0, 0.6]],
    [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]],
    0.1,
    "ab",
)
TURNS = [  # two laws with the same symbols and lengths, which take turns in another order
    cp.Generator(
        3, "abc", {"abc"[k]: {k: {t: 0.8}, (k + 1) % 3: {t: 0.1}} for k, t in enumerate(turn)}, "uniform", [0.1] * 3
    )
    for turn in ((1, 2, 0), (2, 0, 1))
]
BOTH = cp.mixture(TURNS).replace(final=[False] * 3 + [True] * 3)


def bits(fit: cp.search.Learned) -> tuple[bytes, ...]:
    return *(part.tobytes() for part in fit.generator.numbers().values()), np.array(fit.history).tobytes()


def bayes_loss(model: Any, sample: cp.Sample) -> float:
    """Log loss of the outcomes of a sample, word by word with P(accepted | word)."""
    logs = [np.log(model.acceptance(o.word) if o.accepted else 1.0 - model.acceptance(o.word)) for o in sample]
    return -float(np.average(logs, weights=sample.counts))


def test_words_alone_give_a_deterministic_machine_back_by_merging() -> None:
    sample = DETERMINISTIC.simulate(2000, rng=1)
    ((table, _),) = GeneratorStarts(HiddenStates(Labelling.single(sample), None), None).merged(sample)
    assert table.tolist() == [[1, -1], [2, 0], [-1, 0]]
    fit = cp.learn_generator(sample, rng=0)
    assert fit.generator.n_states == 3
    np.testing.assert_allclose(fit.generator.next_symbols("ab")["a"], 0.7, rtol=0.05)
    fresh = DETERMINISTIC.simulate(2000, rng=3)
    assert fit.generator.perplexity(fresh) < 1.002 * DETERMINISTIC.perplexity(fresh)
    assert fit.stop is cp.em.Stop.SEARCHED
    assert fit.labels == (True,) * 3
    assert fit.log_likelihood == pytest.approx(cp.log_likelihood(fit.generator, sample), rel=1e-12)


@heavy
def test_the_law_of_a_hidden_markov_model_is_found_within_a_small_loss() -> None:
    sample = HMM.simulate(2000, rng=1)
    fit = cp.learn_generator(sample, 4, rng=2)
    fresh = HMM.simulate(2000, rng=3)
    truth, found = (model.perplexity(fresh) for model in (HMM, fit.generator))
    assert found < 1.005 * truth
    assert found < cp.Generator.from_ngrams(sample, 3).perplexity(fresh)
    assert fit.validation_loss == pytest.approx(-fit.log_likelihood / 2000, rel=0.05)  # nats per word


@heavy
@pytest.mark.parametrize("predict", [False, True])
def test_outcomes_are_told_apart_as_bayes_would(predict: bool) -> None:
    fit = cp.learn_generator(BOTH.simulate(1500, rng=1), 6, predict=predict, rng=2)
    fresh = BOTH.simulate(1000, rng=3)
    assert bayes_loss(fit.generator, fresh) < 1.08 * bayes_loss(BOTH, fresh)
    assert set(fit.labels) == {False, True}
    assert fit.labels == tuple(fit.generator.final.tolist())
    if predict:
        assert fit.validation_loss == pytest.approx(bayes_loss(BOTH, fresh), rel=0.3)  # nats per outcome
    else:
        assert fit.validation_loss == pytest.approx(-cp.log_likelihood(BOTH, fresh) / 1000, rel=0.1)


@heavy
def test_outcomes_that_are_missing_or_all_alike() -> None:
    sample = BOTH.simulate(800, rng=1)
    known = [accepted if r % 3 == 0 else None for r, accepted in enumerate(sample.accepted)]
    fit = cp.learn_generator(cp.Sample(sample.words, accepted=known, counts=sample.counts), 6, rng=2)
    fresh = BOTH.simulate(1000, rng=3)
    assert bayes_loss(fit.generator, fresh) < 1.25 * bayes_loss(BOTH, fresh)
    alike = cp.learn_generator(cp.Sample(sample.words, accepted=[False] * len(sample), counts=sample.counts), 6, rng=2)
    assert alike.generator.perplexity(fresh) < 1.05 * BOTH.perplexity(fresh)


@heavy
def test_classes_own_states() -> None:
    words = [law.simulate(300, rng=k).words for k, law in enumerate([*TURNS, DETERMINISTIC])]
    names = ["one", "two", "three"]
    runs = [[*[None] * len(word), name] for name, part in zip(names, words, strict=True) for word in part]
    sample = cp.Sample([word for part in words for word in part], states=runs)
    fit = cp.learn_generator(sample, 9, classes=names, predict=True, rng=1)
    assert set(fit.labels) == set(names)
    owners = np.array([[label == name for label in fit.labels] for name in names])
    table = fit.generator.class_probabilities(owners, fit.generator.encode(["cbacbacba", "abcabcabc", "abab"]))
    assert table.argmax(axis=1).tolist() == [1, 0, 2]
    none_of_it = cp.Sample(["a", "b"] * 5, states=[[None, "x"], [None, "y"]] * 5)
    late = cp.learn_generator(none_of_it, 3, classes=["x", "y", "z"], folds=2)
    assert set(late.labels) == {"x", "y", "z"}


@heavy
def test_verdicts_along_words() -> None:
    truth = DETERMINISTIC.replace(final=[False, False, True])
    runs = cp.Generator.simulate(truth, 600, rng=1)
    state = {(0, "a"): 1, (1, "a"): 2, (1, "b"): 0, (2, "b"): 0}
    verdicts = []
    for word in runs.words:
        path = [0]
        for symbol in word:
            path.append(state[path[-1], str(symbol)])
        verdicts.append([s == 2 for s in path])
    fit = cp.learn_generator(cp.Sample(runs.words, verdicts=verdicts, counts=runs.counts), 3, rng=2)
    fresh = truth.simulate(500, rng=3)
    assert fit.generator.perplexity(fresh) < 1.02 * truth.perplexity(fresh)
    for word in ("aab", "aa", "ababaa", "ab"):
        assert fit.generator.acceptance(word) == pytest.approx(truth.acceptance(word), abs=0.05)


def test_seen_states_have_names() -> None:
    sample = cp.Sample(
        ["ab", "aab", "b", "ab"] * 5, states=[["s", "s", "t"], ["s", "s", "s", "t"], ["s", "t"], ["s", None, "t"]] * 5
    )
    fit = cp.learn_generator(sample, final={"t"}, rng=1)
    assert tuple(fit.generator.states) == ("s", "t")
    assert fit.generator.final_states == ("t",)
    assert fit.generator.next_symbols("a")["b"] == pytest.approx(20 / 40, rel=0.01)  # 40 symbols in s
    assert fit.generator.next_symbols("ab")[cp.STOP] == pytest.approx(1.0, abs=0.01)


@heavy
def test_a_team_is_the_mixture_of_its_members() -> None:
    sample = HMM.simulate(600, rng=1)
    fit = cp.learn_generator(sample, 3, team=3, rng=2)
    assert (len(fit.members), fit.generator.n_states) == (3, 9)
    words = ["", "a", "abba", "bbbbab"]
    mean = np.mean([[member.generator.probability(word) for word in words] for member in fit.members], axis=0)
    np.testing.assert_allclose([fit.generator.probability(word) for word in words], mean, rtol=1e-12)
    assert fit.log_likelihood == pytest.approx(cp.log_likelihood(fit.generator, sample), rel=1e-12)


@heavy
@pytest.mark.parametrize("n_states", [1, 5])
def test_the_number_of_states_may_be_given(n_states: int) -> None:
    fit = cp.learn_generator(HMM.simulate(300, rng=1), n_states, rng=2)
    assert fit.generator.n_states == n_states
    begun = cp.learn_generator(HMM.simulate(300, rng=1), start=HMM, rng=2)
    assert begun.generator.n_states == HMM.n_states
    assert begun.log_likelihood > 1.005 * cp.log_likelihood(HMM, HMM.simulate(300, rng=1))


@heavy
def test_same_seed_same_bytes() -> None:
    sample = BOTH.simulate(150, rng=1)
    fits = [cp.learn_generator(sample, 4, rng=7, threads=threads) for threads in (1, 2, 3)]
    assert len({bits(fit) for fit in fits}) == 1
    assert len({fit.e_steps for fit in fits}) == 1
    assert bits(cp.learn_generator(sample, 4, rng=8)) != bits(fits[0])


@heavy
def test_a_stopped_search_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    sample = BOTH.simulate(150, rng=1)
    whole = cp.learn_generator(sample, 4, rng=7, folds=2)
    for stop_at in (1, 6, 25):
        path, calls = tmp_path / f"{stop_at}.checkpoint", list[int]()

        def stopping(progress: cp.search.SearchProgress, calls: list[int] = calls, stop_at: int = stop_at) -> bool:
            calls.append(progress.round)
            return len(calls) == stop_at

        stopped = cp.learn_generator(sample, 4, rng=7, folds=2, checkpoint=path, callback=stopping)
        assert stopped.stop is cp.em.Stop.INTERRUPTED or len(calls) < stop_at
        resumed = cp.learn_generator(sample, 4, rng=7, folds=2, checkpoint=path)
        assert bits(resumed) == bits(whole)
        assert resumed.e_steps == whole.e_steps
    given: dict[str, Any] = {"rng": 7, "folds": 2, "checkpoint": path}
    for other in ({"predict": True}, {"rng": 8}, {"prior": 0.1}):
        with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
            cp.learn_generator(sample, 4, **(given | other))


@heavy
def test_engines_work_on_all_observations(engine: Any) -> None:
    sample = HMM.simulate(200, rng=1)
    fit = cp.learn_generator(sample, 2, folds=2, rng=3, engine=engine)
    plain = cp.learn_generator(sample, 2, folds=2, rng=3)
    np.testing.assert_allclose(fit.generator.transitions, plain.generator.transitions, rtol=1e-6, atol=1e-12)
    shards = cp.ShardedSample.of(sample, observations=50)
    fits = [cp.learn_generator(shards, 2, folds=2, rng=3, engine=each) for each in (engine, cp.engines.Local(1))]
    assert bits(fits[0]) == bits(fits[1])  # the same shards, the same bits


@heavy
def test_out_of_time_the_best_so_far_is_returned() -> None:
    fit = cp.learn_generator(HMM.simulate(300, rng=1), 4, time_limit=1e-6)
    assert fit.stop is cp.em.Stop.TIME_LIMIT
    assert not fit.converged
    assert np.isfinite(fit.log_likelihood)


def test_a_few_words_are_enough() -> None:
    fit = cp.learn_generator(cp.Sample(["a", "b"]), 2)
    assert np.isfinite(fit.log_likelihood)
    assert cp.learn_generator(cp.Sample(["", ""], alphabet="a"), 1).generator.probability("") > 0.99


def test_symbols_of_one_class_are_possible_in_the_other() -> None:
    sample = cp.Sample(["ab", "aab", "b"] * 9 + ["cd", "ccd", "d"] * 9, accepted=[False] * 27 + [True] * 27)
    for n_states in (2, 4):
        fit = cp.learn_generator(sample, n_states, rng=1)
        assert 0.0 < fit.generator.acceptance("ac") < 1.0


WORDS = cp.Sample(["ab", "a", "", "b"])


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((["ab", "a"],), {}, r"^expected a Sample; got list\. Write Sample"),
        ((cp.Sample(["ab"]),), {}, r"^2 folds need at least 2 observations; got 1 observation\."),
        ((WORDS, 0), {}, r"^n_states must"),
        ((WORDS, 2, 0), {}, r"^team must"),
        ((WORDS, 2), {"folds": 1}, r"^folds must"),
        ((WORDS, 2), {"prior": -1}, r"^prior must be a finite number, 0 or more; got -1\."),
        ((WORDS, 2), {"predict": True}, r"^predict is for samples with accepted and rejected words\."),
        ((WORDS, 2), {"final": {0}}, r"^final is for states with names; no state was seen\. Leave it out\.$"),
        ((WORDS, 2), {"start": cp.p_adic(2)}, r"^start must be a Generator; got "),
        ((WORDS, 2), {"start": HMM}, r"^n_states must be that of the start, 4; got 2\. Leave it out, or the start\."),
        ((WORDS, 2), {"classes": ["x", "y"]}, r"^learning needs observations of at least two labels"),
        ((WORDS, 2), {"classes": 3}, r"^classes must be a list of names; got 3\.$"),
        ((WORDS, 2), {"classes": [[1], [1]]}, r"^classes must be a list of names; got \[\[1\], \[1\]\]\.$"),
        ((cp.Sample(["", ""], alphabet=""),), {}, r"^a generator needs at least one symbol; all words are empty, and"),
        ((WORDS, 2), {"time_limit": -1}, r"^time_limit must"),
        ((WORDS, 2), {"callback": 3}, r"^callback must"),
        ((WORDS, 2), {"threads": 0}, r"^threads must"),
        ((cp.Sample(["a", "b"], accepted=[True, False]), 1), {}, r"^n_states must be at least 2, an accepting and"),
    ],
)
def test_refusals(arguments: tuple[Any, ...], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.learn_generator(*arguments, **options)


def test_words_that_were_all_rejected_are_not_accepted() -> None:
    for accepted in ([False] * 4, [False, None] * 2):
        fit = cp.learn_generator(cp.Sample(["a", "aa", "ab", "b"], accepted=accepted), 1)
        assert not fit.generator.acceptances(["a", "bb"]).any()
        assert fit.labels == (False,)


def test_states_may_be_seen_without_any_verdict() -> None:
    sample = cp.Sample(["a", "ab"] * 5, states=[["x", "y"], ["x", None, "z"]] * 5)
    fit = cp.learn_generator(sample)
    assert fit.generator.states == ("x", "y", "z")
    assert fit.generator.probability("a") == pytest.approx(0.5, abs=0.01)
