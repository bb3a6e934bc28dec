"""learn: finds what is there from every kind of evidence, repeats itself to the bit, and says what is wrong."""

import math
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import InMemory, Parameters
from cutpoint.search.folds import fold_counts, splits
from cutpoint.search.labels import Solution, known_states
from cutpoint.search.race import FoldResult
from cutpoint.search.starts import split_states, starts
from cutpoint.search.students import PER_OBSERVATION, taught
from cutpoint.search.tournament import SearchMonitor, thinned

PARITY = cp.gallery.parity()
heavy = pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="thousands of E-steps, which the reference is too slow for"
)


def labelled(truth: cp.Acceptor, count: int = 200, seed: int = 1, seen: Any = "accepted") -> cp.Sample:
    words = cp.random_words(truth.alphabet, count, (0, 8), rng=seed)
    return cp.simulate(truth, words, rng=seed + 1, seen=seen)


def mean_difference(one: cp.Acceptor, other: cp.Acceptor) -> float:
    words = cp.random_words(other.alphabet, 300, (0, 12), rng=99)
    return float(np.abs(one.acceptances(words) - other.acceptances(words)).mean())


def bits(fit: cp.search.Learned) -> tuple[bytes, ...]:
    return fit.acceptor.transitions.tobytes(), fit.acceptor.initial.tobytes(), np.array(fit.history).tobytes()


@heavy
def test_labels_alone_teach_parity() -> None:
    fit = cp.learn(labelled(PARITY), 2)
    long_words = cp.random_words("01", 100, (20, 40), rng=5)
    assert ((fit.acceptor.acceptances(long_words) > 0.5) == (PARITY.acceptances(long_words) > 0.5)).all()
    assert fit.stop is cp.em.Stop.SEARCHED
    assert fit.converged
    assert len(fit.members) == 5
    assert fit.acceptor in [member.acceptor for member in fit.members]
    assert fit.validation_loss < 0.05
    assert fit.log_likelihood == pytest.approx(cp.log_likelihood(fit.acceptor, labelled(PARITY)), rel=1e-12)
    assert fit.labels == tuple(fit.acceptor.final.tolist())


@heavy
def test_the_history_never_decreases_and_the_best_round_is_kept() -> None:
    fit = cp.learn(labelled(cp.random_acceptor(3, "ab", rng=4), 300), 3, folds=2)
    assert all(b >= a for a, b in zip(fit.history, fit.history[1:], strict=False))
    for member in fit.members:
        assert member.validation_loss == min(entry.validation_loss for entry in member.curve)


@heavy
def test_the_number_of_states_is_chosen() -> None:
    mod_three = cp.gallery.deterministic({k: {"a": (k + 1) % 3, "b": k} for k in range(3)}, 0, {0})
    fit = cp.learn(labelled(mod_three, 300), folds=3)
    tried = {size.n_states: size.loss for size in fit.sizes}
    assert sorted(tried)[:3] == [2, 4, 8]
    assert fit.acceptor.n_states == 4
    assert tried[4] < tried[2] / 5
    assert mean_difference(fit.acceptor, mod_three) < 0.01


@heavy
def test_a_team_is_the_mixture_of_its_members() -> None:
    sample = labelled(cp.random_acceptor(3, "ab", rng=4), 300)
    fit = cp.learn(sample, 3, team=3)
    assert len(fit.members) == 3
    assert fit.acceptor.n_states == 9
    words = cp.random_words("ab", 50, (0, 8), rng=1)
    mean = np.mean([member.acceptor.acceptances(words) for member in fit.members], axis=0)
    np.testing.assert_allclose(fit.acceptor.acceptances(words), mean, rtol=1e-12)
    assert fit.log_likelihood == pytest.approx(cp.log_likelihood(fit.acceptor, sample), rel=1e-12)


@heavy
def test_same_seed_same_bytes() -> None:
    sample = labelled(cp.random_acceptor(3, "ab", rng=4), 80)
    fits = [cp.learn(sample, 3, folds=2, rng=7, threads=threads) for threads in (1, 2, 1, 3)]
    assert len({bits(fit) for fit in fits}) == 1
    assert len({fit.e_steps for fit in fits}) == 1
    assert bits(cp.learn(sample, 3, folds=2, rng=8)) != bits(fits[0])
    assert bits(cp.learn(sample, 3, folds=2, rng=np.random.default_rng(7))) == bits(fits[0])


@heavy
@pytest.mark.parametrize("seen", ["verdicts", "states"])
def test_verdicts_and_states_along_the_way(seen: str) -> None:
    truth = cp.Acceptor("xyz", "ab", cp.random_acceptor(3, "ab", rng=6).transitions, "x", {"z"})
    final = {"z"} if seen == "states" else None
    fit = cp.learn(labelled(truth, 600, seen=seen), 3, final=final, folds=2)
    assert mean_difference(fit.acceptor, truth) < 0.04
    if seen == "states":
        assert tuple(fit.acceptor.states) == ("x", "y", "z")
        np.testing.assert_allclose(fit.acceptor.transitions, truth.transitions, atol=0.05)


@heavy
def test_a_mixture_of_all_evidence_with_states_half_hidden() -> None:
    truth = cp.Acceptor("xyz", "ab", cp.random_acceptor(3, "ab", rng=6).transitions, "x", {"z"})
    whole = labelled(truth, 800, seen="states")
    rng = np.random.default_rng(1)
    words, states, accepted = [], [], []
    for observation in whole:
        assert observation.states is not None
        accepted.append(observation.states[-1] == "z" if rng.random() < 0.8 else None)
        states.append([state if rng.random() < 0.5 else None for state in observation.states])
        words.append(observation.word)
    sample = cp.Sample(words, accepted=accepted, states=states, counts=whole.counts)
    fit = cp.learn(sample, folds=2)
    assert fit.acceptor.final_states == ("z",)
    assert mean_difference(fit.acceptor, truth) < 0.05


def test_more_states_than_were_seen() -> None:
    sample = cp.Sample(["ab", "b", "a"], accepted=[True, False, True], states=[[0, None, 1], [0, 0], [0, 1]])
    with pytest.warns(cp.errors.UnusedStatesWarning, match="1 of 3 states"):
        fit = cp.learn(sample, 3, folds=2)
    assert tuple(fit.acceptor.states) == (0, 1, ("hidden", 0))
    assert fit.acceptor.final_states == (1,)


@heavy
def test_classes_share_states() -> None:
    words = cp.random_words("ab", 300, (0, 8), rng=1)
    names = ["zero", "one", "two"]
    seen = [[None] * len(word) + [names[list(word).count("a") % 3]] for word in words]
    fit = cp.learn(cp.Sample(words, states=seen), 3, classes=names, folds=3)
    assert sorted(map(str, fit.labels)) == ["one", "two", "zero"]
    ends = fit.acceptor.distribution("a" * 7)
    assert fit.labels[int(ends.argmax())] == "one"


def test_ten_observations_are_enough_to_begin() -> None:
    words = ["", "1", "0", "11", "10", "01", "00", "111", "110", "011"]
    sample = cp.Sample(words, accepted=[word.count("1") % 2 == 1 for word in words])
    fit = cp.learn(sample, 2)
    assert ((fit.acceptor.acceptances(words) > 0.5) == np.array([word.count("1") % 2 == 1 for word in words])).all()
    assert math.isfinite(cp.learn(cp.Sample(["a", "b"], accepted=[True, False]), 2).log_likelihood)


@heavy
def test_a_warm_start_competes() -> None:
    sample = labelled(PARITY, 40)
    fit = cp.learn(sample, start=cp.random_acceptor("pq", "01", rng=1, final={"q"}), folds=2)
    assert fit.acceptor.n_states == 2
    with pytest.raises(cp.errors.InvalidArgument, match="n_states must be that of the start, 2; got 3"):
        cp.learn(sample, 3, start=PARITY)


@heavy
def test_the_number_of_final_states_can_be_set() -> None:
    fit = cp.learn(labelled(PARITY), 4, n_final=1, folds=2)
    assert fit.acceptor.final.sum() == 1


@heavy
def test_unused_states_are_told() -> None:
    with pytest.warns(cp.errors.UnusedStatesWarning, match=r"of 8 states are never used .*: fewer would do"):
        fit = cp.learn(labelled(PARITY), 8)
    assert fit.unused
    assert fit.detail in repr(fit)


@heavy
def test_progress_and_stopping() -> None:
    sample, seen = labelled(cp.random_acceptor(3, "ab", rng=4)), []

    def watched(progress: cp.search.SearchProgress) -> bool:
        seen.append(progress)
        return len(seen) == 4

    fit = cp.learn(sample, 2, callback=watched)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert [progress.round for progress in seen] == [1, 2, 3, 4]
    assert (seen[0].n_states, seen[0].fold, seen[0].folds) == (2, 0, 5)
    assert seen[-1].e_steps > seen[0].e_steps > 0
    assert fit.acceptor.n_states == 2
    assert cp.learn(sample, 2, time_limit=1e-6).stop is cp.em.Stop.TIME_LIMIT


@heavy
def test_ctrl_c_returns_the_best_so_far() -> None:
    def interrupting(progress: cp.search.SearchProgress) -> None:
        if progress.fold == 1:
            raise KeyboardInterrupt

    fit = cp.learn(labelled(PARITY), 2, callback=interrupting)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert len(fit.members) == 1


@heavy
def test_ctrl_c_in_the_first_tournament_returns_its_best_so_far() -> None:
    def interrupting(progress: cp.search.SearchProgress) -> None:
        raise KeyboardInterrupt

    fit = cp.learn(labelled(PARITY), 2, callback=interrupting)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert math.isfinite(fit.log_likelihood)
    stopped = cp.learn(labelled(PARITY), 2, callback=lambda progress: np.bool_(True))
    assert stopped.stop is cp.em.Stop.INTERRUPTED


@heavy
def test_functions_that_learn_inside_pass_ctrl_c_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("cutpoint.search.tournament.SearchMonitor.after_round", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cp.cross_validate(2, labelled(PARITY, 60), folds=2)
    with pytest.raises(KeyboardInterrupt):
        cp.imitate(cp.mixture([PARITY, PARITY]), labelled(PARITY, 60), 2, n_words=0)


@heavy
def test_few_visits_do_not_make_every_state_unused() -> None:
    sample = cp.Sample(["ab", "a", "b"], accepted=[True, False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cp.errors.UnusedStatesWarning)
        assert len(cp.learn(sample, 30, folds=2).unused) < 30


def test_a_checkpoint_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, "", "a\0b"):
        with pytest.raises(cp.errors.InvalidArgument, match="checkpoint must be the path of a file"):
            cp.learn(TWO, 2, checkpoint=path)
    if Path("/proc/self").exists():
        with pytest.raises(cp.errors.InvalidFile, match="/proc/x: cannot be written"):
            cp.baum_welch(cp.random_acceptor(2, "01", rng=1), labelled(PARITY, 9), checkpoint="/proc/x")


@heavy
def test_a_stopped_search_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    sample = labelled(cp.random_acceptor(3, "ab", rng=4), 60)
    whole = cp.learn(sample, 3, folds=2, rng=1)
    for stop_at in (1, 3, 20):
        path = tmp_path / f"{stop_at}.checkpoint"
        calls: list[int] = []

        def stopping(progress: cp.search.SearchProgress, calls: list[int] = calls, stop_at: int = stop_at) -> bool:
            calls.append(progress.round)
            return len(calls) == stop_at

        cp.learn(sample, 3, folds=2, rng=1, checkpoint=path, callback=stopping)
        resumed = cp.learn(sample, 3, folds=2, rng=1, checkpoint=path)
        assert bits(resumed) == bits(whole)
        assert resumed.e_steps == whole.e_steps
        assert [member.curve for member in resumed.members] == [member.curve for member in whole.members]
    with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
        cp.learn(sample, 3, folds=2, rng=2, checkpoint=path)


@heavy
def test_killed_at_random_moments_the_search_ends_the_same(tmp_path: Path) -> None:
    program = tmp_path / "search.py"
    program.write_text(
        "import sys, warnings, cutpoint as cp\n"
        "warnings.simplefilter('ignore')\n"
        "words = cp.random_words('ab', 100, (0, 8), rng=1)\n"
        "sample = cp.simulate(cp.random_acceptor(3, 'ab', rng=4), words, rng=2)\n"
        "fit = cp.learn(sample, 3, folds=2, rng=1, checkpoint=sys.argv[1] if sys.argv[1:] else None)\n"
        "print(fit.acceptor.transitions.tobytes().hex())\n"
    )
    command = [sys.executable, str(program)]
    whole = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    path = tmp_path / "search.checkpoint"
    rng = np.random.default_rng(3)
    for _ in range(2):
        running = subprocess.Popen([*command, str(path)], stdout=subprocess.DEVNULL)
        try:
            running.wait(timeout=float(rng.uniform(0.6, 1.6)))
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
    ended = subprocess.run([*command, str(path)], check=True, capture_output=True, text=True).stdout
    assert ended == whole


@settings(max_examples=50)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=20), st.integers(2, 5), st.integers(0, 99))
def test_folds_partition_the_sample(counts: list[int], folds: int, seed: int) -> None:
    words = [format(k, "b") for k in range(len(counts))]
    sample = cp.Sample(words, accepted=[k % 2 == 0 for k in range(len(counts))], counts=counts)
    parts = fold_counts(sample, folds, np.random.default_rng(seed))
    assert parts.sum(axis=0).tolist() == sample.counts.tolist()
    assert max(parts.sum(axis=1)) - min(parts.sum(axis=1)) <= 1
    for split in splits(sample, min(folds, int(sample.total)), np.random.default_rng(seed)):
        assert split.training.total + split.validation.total == sample.total


@pytest.mark.parametrize(("both", "together"), [(40, True), (15, True), (13, False)])
def test_words_under_two_headings_stay_together(both: int, together: bool) -> None:
    """Fourteen words that contradict themselves are too many to be chance (of one in a thousand)."""
    words = [format(k, "b") for k in range(60)]
    sample = cp.Sample(
        words + words[:both], accepted=[k % 2 == 0 for k in range(60)] + [k % 2 == 1 for k in range(both)]
    )
    found = splits(sample, 3, np.random.default_rng(1))
    shared = [set(split.training.words) & set(split.validation.words) for split in found]
    assert (not any(shared)) is together
    assert sum(split.validation.total for split in found) == sample.total
    sizes = [split.validation.total for split in found]
    assert max(sizes) - min(sizes) <= 2


def test_words_drawn_independently_are_shared_out_one_by_one() -> None:
    """Verdicts that are fair coins contradict each other half of the time, and that is chance."""
    words = [format(k, "b") for k in range(50)] * 4
    verdicts = (np.random.default_rng(5).random(200) < 0.5).tolist()
    found = splits(cp.Sample(words, accepted=verdicts), 2, np.random.default_rng(1))
    assert set(found[0].training.words) & set(found[0].validation.words)


def test_large_and_fractional_counts_are_shared_out() -> None:
    sample = cp.Sample(["a", "b"], accepted=[True, False], counts=[1e6, 2.5])
    parts = fold_counts(sample, 2, np.random.default_rng(0))
    np.testing.assert_allclose(parts.sum(axis=0), sample.counts, rtol=1e-15)
    assert parts[0, 0] == parts[1, 0] == 5e5


def test_starts_are_acceptors_with_every_label() -> None:
    sample = labelled(cp.random_acceptor(3, "abc", rng=4), 100)
    for n_states in (2, 3, 8):
        for start in starts(known_states(sample, n_states), sample, n_states, np.random.default_rng(0)):
            assert set(start.kinds.tolist()) == {0, 1}, start.name
            np.testing.assert_allclose(start.parameters.transitions.sum(axis=-1), 1.0, rtol=1e-12)
            np.testing.assert_allclose(start.parameters.initial.sum(), 1.0, rtol=1e-12)
            assert (start.parameters.transitions > 0).all()


@pytest.mark.parametrize("n_states", [4, 7])
def test_split_states_move_as_the_states_they_come_from(monkeypatch: pytest.MonkeyPatch, n_states: int) -> None:
    """Without noise the split machine is the smaller one in another form; with it, it has positive entries only."""
    small = cp.random_acceptor(3, "ab", rng=5)
    solution = Solution(Parameters.of(small), small.final.astype(np.int32))
    noisy = split_states(solution, n_states, np.random.default_rng(1))
    assert (noisy.parameters.transitions > 0).all()
    monkeypatch.setattr("cutpoint.search.starts.NOISE", 0.0)
    monkeypatch.setattr("cutpoint.search.starts.SLIGHT", 0.0)
    start = split_states(solution, n_states, np.random.default_rng(1))
    same = cp.Acceptor(n_states, "ab", *start.parameters, start.kinds.astype(bool))
    words = cp.random_words("ab", 50, (0, 9), rng=2)
    np.testing.assert_allclose(same.acceptances(words), small.acceptances(words), rtol=1e-12)


def test_a_larger_number_of_states_begins_from_the_winner_of_the_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """From what the winner became when folds without luck began again near the winners of others."""
    sizes: list[tuple[int, int]] = []
    exchanged: list[Parameters] = []

    def noted(states: Any, sample: cp.Sample, n_states: int, rng: Any, smaller: Solution | None) -> Any:
        if smaller is not None:
            sizes.append((n_states, len(smaller.kinds)))
            assert any(smaller.parameters is parameters for parameters in exchanged)
        return starts(states, sample, n_states, rng, smaller)

    def copied(results: list[FoldResult], *_: Any) -> list[FoldResult]:
        winners = [replace(each.winner, best=Parameters(*map(np.copy, each.winner.best))) for each in results]
        exchanged.extend(winner.best for winner in winners)
        return [replace(each, finalists=[winner]) for each, winner in zip(results, winners, strict=True)]

    monkeypatch.setattr("cutpoint.search.tournament.starts", noted)
    monkeypatch.setattr("cutpoint.search.race.exchanged", copied)
    cp.learn(labelled(PARITY, 60), folds=2, student=False)
    assert set(sizes) >= {(4, 2), (8, 4)}
    assert all(larger == 2 * smaller for larger, smaller in sizes)


def test_large_samples_are_thinned_for_the_first_rounds() -> None:
    sample = labelled(cp.random_acceptor(3, "abc", rng=4), 500)
    assert len(thinned(sample, 100)) <= 100
    assert thinned(sample, 10**6) is sample


@heavy
def test_few_made_up_words_weigh_as_many_as_are_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a student of a large sample would climb on the sample alone, far beyond where its held-out loss was lowest."""
    lessons: list[tuple[cp.Sample, float]] = []

    def noted(sample: cp.Sample, words: cp.Sample, probabilities: Any, labelling: Any) -> cp.Sample:
        lessons.append((sample, float((words.counts * probabilities).sum())))
        return taught(sample, words, probabilities, labelling)

    monkeypatch.setattr("cutpoint.search.students.taught", noted)
    monkeypatch.setattr("cutpoint.search.students.MADE_UP", 200)
    cp.learn(labelled(cp.random_acceptor(3, "ab", rng=4), 500), n_states=2, folds=2)
    ((sample, weight),) = lessons
    assert 0.7 < weight / (PER_OBSERVATION * sample.total) < 0.8  # a quarter of the words judge


def test_reweighted_samples_keep_what_was_seen() -> None:
    sample = cp.Sample(["ab", "b", ""], verdicts=[[None, True, None], None, [True]], accepted=[False, True, True])
    part = sample.reweighted(np.array([2.0, 0.0, 0.5]))
    assert part == cp.Sample(
        ["ab", ""], verdicts=[[None, True, None], [True]], accepted=[False, True], counts=[2, 0.5], alphabet="ab"
    )
    with pytest.raises(cp.errors.InvalidSample, match="at least one observation"):
        sample.reweighted(np.zeros(3))


TWO = cp.Sample(["a", "b", "ab"], accepted=[True, False, True])
REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    (TWO, {"n_states": 0}, "n_states must be a whole number from 1 to 2,000; got 0."),
    (TWO, {"n_states": 1}, "n_states must be at least 2, an accepting and a rejecting one; got 1."),
    (TWO, {"n_states": 2.5}, "n_states must be a whole number from 1 to 2,000; got 2.5."),
    (TWO, {"team": 0}, "team must be a whole number, 1 or more; got 0."),
    (TWO, {"folds": 1}, "folds must be a whole number, 2 or more; got 1."),
    (
        TWO,
        {"folds": 9},
        "9 folds need at least 9 observations; got 3 observations. Ask for fewer folds, or add observations.",
    ),
    (
        TWO,
        {"n_states": 2, "team": 4},
        "4 folds need at least 4 observations; got 3 observations. Ask for fewer folds, or add observations.",
    ),
    (TWO, {"prior": -1}, "prior must be a finite number, 0 or more; got -1."),
    (TWO, {"prior": math.nan}, "prior must be a finite number, 0 or more; got nan."),
    (TWO, {"n_states": 3, "n_final": 3}, "n_final must be from 1 to n_states - 1, here 2; got 3."),
    (TWO, {"time_limit": 0}, "time_limit must be a positive number of seconds; got 0."),
    (TWO, {"final": {1}}, "final is for states with names; no state was seen. Pass n_final=…."),
    (TWO, {"rng": "x"}, "rng must be a numpy Generator or a whole number, 0 or more, as seed; got 'x'."),
    (
        TWO,
        {"classes": ["p", "q"]},
        "a sample of classes cannot hold verdicts; give the class as the last state instead.",
    ),
    (TWO, {"n_states": 10**6}, "n_states must be a whole number from 1 to 2,000; got 1000000."),
    (TWO, {"n_final": 100}, "n_states must be given with so many labels or final states."),
    (TWO, {"callback": 3}, "callback must be a function of a Progress, or None; got 3."),
    (
        cp.Sample(["a", "b"], states=[[None, "p"], [None, "q"]]),
        {"classes": "pqq"},
        "classes must be distinct; got {'p', 'q', 'q'}.",
    ),
    (
        cp.Sample(["a", "b"], accepted=[True, False], states=[["x", "y"], ["x", "x"]], counts=[4, 4]),
        {"final": {"x"}, "folds": 2},
        "every start gives probability 0 to something that was seen: what was seen of the runs contradicts itself, or "
        "the final states. Check the verdicts and final=…, or increase prior=….",
    ),
    (["a"], {}, "expected a Sample; got list. Write Sample(words, accepted=...)."),
    (
        cp.Sample(["a", "b"], accepted=[True, True]),
        {},
        "learning needs observations of at least two labels, such as accepted and rejected words; only {True} was seen. "
        "A rule that always gives the same answer needs no learning.",
    ),
    (
        cp.Sample(["a", "b"]),
        {},
        "the sample holds inputs alone, and inputs alone carry no information about the transitions. Add the "
        "outcomes with accepted=…, or with outcome=… of an event table. Or verdicts=… or states=….",
    ),
    (
        cp.Sample(["a"], states=[["p", "q"]]),
        {},
        "the sample does not say which states are final: no state (2 states) was seen together with the verdict "
        "accepted. Pass final=….",
    ),
    (
        cp.Sample(["a", "b"], states=[["p", "q"], ["p", "q"]], accepted=[True, False]),
        {},
        "state 'q' was seen both accepted and rejected; a state is final or not. Leave out the states at those "
        "positions, or pass final=….",
    ),
    (
        cp.Sample(["a"], states=[["p", "q"]]),
        {"final": {"r"}},
        "final must hold states of the sample; got 'r', not in {'p', 'q'}.",
    ),
    (
        cp.Sample(["a"], states=[["p", "q"]]),
        {"n_states": 1, "final": {"q"}},
        "n_states must be at least 2, the number of states seen in the sample; got 1.",
    ),
    (
        cp.Sample(["a", "b", "c"], states=[[None, "p"], [None, "q"], [None, "r"]]),
        {"n_states": 2, "classes": "pqr"},
        "n_states must be at least 3, one for each class {'p', 'q', 'r'}; got 2.",
    ),
    (
        cp.Sample(["a", "b"], states=[[None, "p"], [None, "q"]]),
        {"classes": "pr"},
        "what was seen must be one of the classes {'p', 'r'}; got {'q'}.",
    ),
]


@pytest.mark.parametrize(("sample", "options", "sentence"), REFUSALS, ids=lambda value: str(value)[:40])
def test_refusals(sample: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cp.CutpointError) as refusal:
        cp.learn(sample, **options)
    assert str(refusal.value) == sentence


@heavy
def test_plot_and_repr() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cp.errors.UnusedStatesWarning)
        fit = cp.learn(labelled(PARITY, 24), folds=2)
    axes = fit.plot()
    assert len(axes.lines) == 2 * len(fit.members)
    assert repr(fit).startswith("<Learned: held-out log loss ")
    assert "log loss by number of states: 2: " in repr(fit)


def test_the_clock_is_looked_at_while_starts_are_made() -> None:
    made: list[Any] = []
    names: list[Any] = ["a", "b", "c"]
    starts = (made.append(name) or name for name in names)  # type: ignore[func-returns-value]
    assert list(SearchMonitor(1, time_limit=1e-9).in_time(starts)) == made == names[:1]
    assert list(SearchMonitor(1, time_limit=100.0).in_time(starts)) == names[1:]


ENDINGS = cp.gallery.deterministic({0: {"a": 1, "b": 0}, 1: {"a": 1, "b": 0}}, 0, {1})  # words that end with an a


@heavy
def test_backwards_the_first_symbol_is_the_last() -> None:
    """Whether a word begins with an a takes two states forwards and backwards, but the automaton reads it forwards."""
    words = cp.random_words("ab", 300, (1, 8), rng=1)
    sample = cp.Sample(words, accepted=[str(word)[0] == "a" for word in words])
    fit = cp.learn(sample, 2, direction="backward", folds=2, rng=1)
    assert fit.direction == "backward"
    values = fit.automaton.values(["abbb", "baaa"])
    np.testing.assert_allclose(values, [1.0, 0.0], atol=0.05)
    assert isinstance(fit.model, cp.Acceptor)
    np.testing.assert_allclose(fit.model.acceptances(["bbba", "aaab"]), values, rtol=1e-12, atol=1e-15)
    with pytest.raises(cp.CutpointError, match="this fit reads words backwards"):
        _ = fit.acceptor


@heavy
def test_auto_reads_backwards_only_where_that_is_better() -> None:
    sample = labelled(ENDINGS, 150)
    fit = cp.learn(sample, 2, direction="auto", folds=2, rng=1)
    assert fit.direction == "forward"
    assert bits(fit) == bits(
        cp.learn(sample, 2, direction="forward", folds=2, rng=int(np.random.default_rng(1).integers(2**63)))
    )
    words = cp.random_words("ab", 600, (3, 9), rng=2)
    third = cp.Sample(words, accepted=[str(word)[-3] == "a" for word in words])
    assert cp.learn(third, 5, direction="auto", folds=2, rng=1).direction == "backward"  # forwards it takes eight


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"direction": "sideways"}, "direction must be forward, backward or auto; got 'sideways'"),
        ({"direction": "auto", "checkpoint": "x"}, "checkpoint is for one search; 'auto' makes two"),
    ],
)
def test_directions_that_cannot_be(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.learn(labelled(PARITY), 2, **options)


def test_only_outcomes_can_be_read_backwards() -> None:
    seen = cp.Sample(["ab", "b"], verdicts=[[None, True, False], [None, True]])
    with pytest.raises(cp.CutpointError, match="outcomes were seen at the ends of its words alone"):
        seen.reversed()
    shards = cp.ShardedSample.of(labelled(PARITY))
    with pytest.raises(cp.CutpointError, match="direction is for a Sample in memory"):
        cp.learn(shards, 2, direction="backward")


@heavy
@pytest.mark.parametrize("n_states", [4, None])
def test_a_time_limit_is_kept_within_a_tenth(monkeypatch: pytest.MonkeyPatch, n_states: int | None) -> None:
    """On a clock that an E-step moves on by a second, whatever the machine is doing."""
    now = 0.0

    def timed(method: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal now
            found = method(*given, **named)
            now += 1.0 if isinstance(found, cp.em.Counts) else max(1, len(found[1]))
            return found

        return call

    for name in ("climbed", "expected_counts"):
        monkeypatch.setattr(InMemory, name, timed(getattr(InMemory, name)))
    monkeypatch.setattr("cutpoint.search.tournament.time.monotonic", lambda: now)
    fit = cp.learn(labelled(cp.random_acceptor(3, "ab", rng=4), 300), n_states, time_limit=400, threads=1)
    assert fit.stop is cp.em.Stop.TIME_LIMIT
    assert 400 <= now <= 440
