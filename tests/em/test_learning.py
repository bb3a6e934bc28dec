"""Both algorithms of the paper: equal to each other and to the oracle, monotone, honest about why they stop."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.expectation_maximization import enumerated_counts
from cutpoint.em.m_step import MStep, factored, is_factored
from cutpoint.em.observations import InMemory, Parameters, mixture_log_likelihoods
from tests import oracles
from tests.strategies import KINDS, acceptors, samples


def spread(acceptor: cp.Acceptor, seed: int) -> cp.Acceptor:
    """Another acceptor with the same states and positive entries everywhere, to start from."""
    return cp.random_acceptor(acceptor.states, acceptor.alphabet, rng=seed, final=acceptor.final)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_both_algorithms_agree_step_by_step_with_each_other_and_the_oracle(
    engine: Any, kind: str, data: st.DataObject
) -> None:
    truth = data.draw(acceptors(max_states=3, max_symbols=2))
    sample = data.draw(samples(truth, kind))
    start = spread(truth, data.draw(st.integers(0, 2**16)))
    machine = oracles.plain(start)
    estimate = oracles.em_step(machine, sample)
    one = cp.baum_welch(start, sample, tolerance=0, max_steps=1, engine=engine).acceptor
    if sample.has_evidence and cp.log_likelihood(one, sample, engine=engine) > cp.log_likelihood(
        start, sample, engine=engine
    ):
        for a, rows in estimate.items():
            for s, row in rows.items():
                for t, value in row.items():
                    place = start.alphabet.code(a), start.states.code(s), start.states.code(t)
                    assert one.transitions[place] == pytest.approx(float(value), rel=1e-12, abs=0)
    for steps in (1, 2, 3, 5):
        slow = cp.expectation_maximization(start, sample, tolerance=0, max_steps=steps)
        fast = cp.baum_welch(start, sample, tolerance=0, max_steps=steps, engine=engine)
        if min(*np.diff(slow.history), *np.diff(fast.history)) > 1e-12:  # otherwise rounding decides which one moves
            np.testing.assert_allclose(fast.acceptor.transitions, slow.acceptor.transitions, rtol=1e-11, atol=1e-300)
        np.testing.assert_allclose(fast.log_likelihood, slow.log_likelihood, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_e_steps_agree(engine: Any, kind: str, data: st.DataObject) -> None:
    """Prop. 4.2: v by forward and backward probabilities is v by the matrix U."""
    acceptor = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(acceptor, kind))
    fast, slow = cp.expected_counts(acceptor, sample, engine=engine), enumerated_counts(acceptor, sample)
    np.testing.assert_allclose(fast.transitions, slow.transitions, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(fast.initial, slow.initial, rtol=1e-12, atol=1e-300)
    assert fast.log_likelihood == pytest.approx(slow.log_likelihood, rel=1e-12, abs=1e-13)
    runs = cp.em.hidden_runs(acceptor, sample)
    assert [run.sum() for run in runs] == pytest.approx(sample.counts, rel=1e-12)
    assert [len(run) for run in runs] == [acceptor.n_states ** (n + 1) for n in sample.lengths]


def test_u_and_b_give_v(engine: Any) -> None:
    """Alg. 1 with the paper's own matrices: v = B u for the expected u."""
    acceptor = cp.random_acceptor("ab", "01", rng=3)
    sample = cp.Sample(["00", "01", "10", "11"], accepted=[True, False, None, True], counts=[5, 3, 2, 7])
    B = cp.design_matrix("ab", "01", 2)
    u = np.concatenate(cp.em.hidden_runs(acceptor, sample))
    np.testing.assert_allclose(B.counts(u), cp.expected_counts(acceptor, sample, engine=engine).transitions, rtol=1e-13)


@settings(max_examples=1000)
@given(st.data())
def test_the_likelihood_never_decreases(engine: Any, data: st.DataObject) -> None:
    """All steps of 1,000 problems, the M-step applied by hand so that no guard can hide a fall."""
    truth = data.draw(acceptors(max_states=4))
    sample = data.draw(samples(truth, data.draw(st.sampled_from(KINDS)), max_words=6, max_length=6))
    learn_initial = data.draw(st.booleans())
    acceptor = spread(truth, data.draw(st.integers(0, 2**16)))
    step = MStep.of(acceptor, learn_initial=learn_initial)
    counts = cp.expected_counts(acceptor, sample, engine=engine)
    for _ in range(8):
        better = step(counts, Parameters(acceptor.transitions, acceptor.initial))
        acceptor = acceptor.replace(**better.parts)
        assert np.isfinite(acceptor.transitions).all()
        after = cp.expected_counts(acceptor, sample, engine=engine)
        assert np.isfinite(after.transitions).all()
        assert after.log_likelihood - counts.log_likelihood >= -1e-12 * (1 + abs(counts.log_likelihood))
        counts = after


@settings(max_examples=200)
@given(st.data())
def test_with_a_prior_the_history_never_decreases(engine: Any, data: st.DataObject) -> None:
    truth = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(truth, data.draw(st.sampled_from(KINDS)), max_words=6, max_length=5))
    start = spread(truth, data.draw(st.integers(0, 2**16)))
    fit = cp.baum_welch(
        start,
        sample,
        prior=data.draw(st.sampled_from([0.01, 0.5, 3.0])),
        learn_initial=True,
        max_steps=20,
        engine=engine,
    )
    assert all(b >= a for a, b in zip(fit.history, fit.history[1:], strict=False))
    assert math.isfinite(fit.log_likelihood)
    assert (fit.acceptor.transitions > 0).all()


@given(st.data())
def test_counts_add_in_any_split(engine: Any, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(acceptor, "accepted", max_words=6))
    cut = data.draw(st.integers(1, len(sample)))
    parts = [
        cp.Sample(
            [o.word for o in part], [o.accepted for o in part], counts=[o.count for o in part], alphabet=sample.alphabet
        )
        for part in (list(sample)[:cut], list(sample)[cut:])
        if part
    ]
    total = cp.expected_counts(acceptor, parts[0], engine=engine)
    for part in parts[1:]:
        total = total + cp.expected_counts(acceptor, part, engine=engine)
    whole = cp.expected_counts(acceptor, sample, engine=engine)
    np.testing.assert_allclose(total.transitions, whole.transitions, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(total.initial, whole.initial, rtol=1e-12, atol=1e-300)
    assert total.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12, abs=1e-13)


def test_counts_of_different_shapes_do_not_add(engine: Any) -> None:
    one = cp.expected_counts(cp.p_adic(2), cp.Sample(["0"]), engine=engine)
    other = cp.expected_counts(cp.p_adic(3), cp.Sample(["0"]), engine=engine)
    with pytest.raises(
        cp.errors.InvalidArgument, match="counts can be added if they have the same kind of model, symbols and states"
    ):
        one + other
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]


@pytest.mark.parametrize("algorithm", [cp.baum_welch, cp.expectation_maximization])
@given(st.data())
def test_inputs_alone_teach_nothing(engine: Any, algorithm: Any, data: st.DataObject) -> None:
    """The finding on inputs alone: one step as printed, θ returned unchanged, and Fit.stop says why."""
    acceptor = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(acceptor, "nothing"))
    fit = algorithm(acceptor, sample)
    assert fit.acceptor == acceptor
    assert fit.steps == 1
    assert fit.history == (0.0, 0.0)
    assert fit.stop is cp.em.Stop.NO_EVIDENCE
    assert fit.converged
    given = Parameters.of(acceptor)
    step = MStep.of(acceptor)(cp.expected_counts(acceptor, sample, engine=engine), given)
    assert abs(step.transitions - given.transitions).max() < 1e-15


def test_inputs_alone_teach_nothing_where_moves_are_tiny(engine: Any) -> None:
    """Words done in wide numbers have the log-probability 0 of no evidence, not a rounding error."""
    matrix = [[1.0, 5e-324, 0.0], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]
    acceptor = cp.Acceptor(3, "ab", {"a": matrix, "b": matrix[::-1]}, [0.2, 0.3, 0.5], {0})
    sample = cp.Sample(["ababbabab", "bbbabaaba", "a"])
    for stored in (acceptor, acceptor.to_sparse()):
        assert cp.baum_welch(stored, sample, engine=engine).history == (0.0, 0.0)


def test_the_stop_explains_itself(engine: Any) -> None:
    fit = cp.baum_welch(cp.p_adic(2), cp.Sample(["01", "1"]), engine=engine)
    assert str(fit.stop) == (
        "no evidence: the sample holds inputs alone, and inputs alone carry no information about the transitions "
        "(rows sum to 1, so every choice of them gives the inputs the same likelihood). Add what was seen of the runs: "
        "Sample(words, accepted=...), verdicts=... or states=..."
    )
    sample = cp.Sample(["01", "1", "0", "10"], accepted=[True, True, False, False])
    start = cp.random_acceptor(2, "01", rng=1)
    limited = cp.baum_welch(start, sample, tolerance=0, max_steps=2, engine=engine)
    assert limited.stop is cp.em.Stop.STEP_LIMIT
    assert limited.steps == 2
    assert "before convergence; increase max_steps" in str(limited.stop)
    assert cp.baum_welch(start, sample, max_steps=0, engine=engine).acceptor == start
    done = cp.baum_welch(start, sample, tolerance=1e-3, engine=engine)
    assert done.stop is cp.em.Stop.CONVERGED
    assert done.history[-1] - done.history[-2] <= 1e-3 * sample.total
    assert done.history[-2] - done.history[-3] > 1e-3 * sample.total
    assert done.log_likelihood == pytest.approx(cp.log_likelihood(done.acceptor, sample, engine=engine), rel=1e-14)
    assert repr(done).startswith(f"<Fit: {done.steps} steps, log-likelihood ")
    assert "log-likelihood plus log-prior" in repr(cp.baum_welch(start, sample, prior=1.0, max_steps=2, engine=engine))


@pytest.mark.parametrize("algorithm", [cp.baum_welch, cp.expectation_maximization])
def test_an_impossible_observation_is_named(algorithm: Any) -> None:
    acceptor = cp.gallery.parity()
    sample = cp.Sample(["01", "11"], accepted=[True, True])
    fit = algorithm(acceptor, sample)
    assert fit.stop is cp.em.Stop.IMPOSSIBLE
    assert fit.log_likelihood == -math.inf
    assert fit.history == (-math.inf,)
    assert fit.acceptor == acceptor
    assert fit.detail.startswith("Observation '11' (accepted) has probability 0 under the model: no run agrees")
    assert not fit.converged


def test_an_impossible_observation_of_weight_zero_does_no_harm(engine: Any) -> None:
    sample = cp.Sample(["01", "11"], accepted=[True, True], counts=[1, 0])
    assert cp.baum_welch(cp.gallery.parity(), sample, engine=engine).stop is cp.em.Stop.CONVERGED


@given(st.data())
def test_rows_never_reached_keep_their_values_and_zeros_stay(engine: Any, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=4))
    sample = data.draw(samples(acceptor, "accepted"))
    counts = cp.expected_counts(acceptor, sample, engine=engine)
    fit = cp.baum_welch(acceptor, sample, max_steps=5, tolerance=0, engine=engine)
    never = counts.transitions.sum(axis=2) == 0
    assert fit.acceptor.transitions[never].tolist() == acceptor.transitions[never].tolist()
    assert (fit.acceptor.transitions[acceptor.transitions == 0] == 0).all()
    assert fit.acceptor.initial.tolist() == acceptor.initial.tolist()
    assert fit.acceptor.final.tolist() == acceptor.final.tolist()


def test_learning_the_initial_distribution(engine: Any) -> None:
    sample = cp.Sample(["", "", ""], states=[["b"], ["b"], ["a"]], alphabet="x")
    start = cp.random_acceptor("ab", "x", rng=0)
    fit = cp.baum_welch(start, sample, learn_initial=True, engine=engine)
    np.testing.assert_allclose(fit.acceptor.initial, [1 / 3, 2 / 3], rtol=1e-14)
    assert fit.acceptor.transitions.tolist() == start.transitions.tolist()


def test_a_prior_is_added_to_the_counts(engine: Any) -> None:
    sample = cp.Sample(["x", "x", "x"], states=["ab", "ab", "aa"])
    start = cp.random_acceptor("ab", "x", rng=0)
    fit = cp.baum_welch(start, sample, prior=1.0, tolerance=0, max_steps=1, engine=engine)
    np.testing.assert_allclose(fit.acceptor.transitions[0], [[2 / 5, 3 / 5], [1 / 2, 1 / 2]], rtol=1e-14)
    rows = np.array([[[0.0, 1.0], [0.0, 0.0]]])
    partly = cp.baum_welch(start, sample, prior=rows, tolerance=0, max_steps=1, engine=engine)
    np.testing.assert_allclose(partly.acceptor.transitions[0, 0], [1 / 4, 3 / 4], rtol=1e-14)
    assert partly.acceptor.transitions[0, 1].tolist() == start.transitions[0, 1].tolist()


def test_a_prior_leaves_structural_zeros_alone(engine: Any) -> None:
    start = cp.Acceptor(2, "x", [[[0.5, 0.5], [0.0, 1.0]]], {0: 1.0}, {1})
    fit = cp.baum_welch(
        start, cp.Sample(["x", "xx"], accepted=[True, False]), prior=2.0, learn_initial=True, max_steps=3, engine=engine
    )
    assert fit.acceptor.transitions[0, 1].tolist() == [0.0, 1.0]
    assert fit.acceptor.initial.tolist() == [1.0, 0.0]


def test_ctrl_c_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = cp.Sample(["01", "1", "0", "10"], accepted=[True, True, False, False])
    start = cp.random_acceptor(2, "01", rng=1)
    calls = []

    whole = InMemory.expected_counts

    def interrupted(engine: InMemory, parameters: Parameters, masks: Any) -> cp.Counts:
        calls.append(start.replace(**parameters.parts))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(engine, parameters, masks)

    monkeypatch.setattr(InMemory, "expected_counts", interrupted)
    fit = cp.baum_welch(start, sample, tolerance=0)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert fit.acceptor == calls[2]
    assert fit.steps == 2
    assert fit.log_likelihood == cp.log_likelihood(calls[2], sample)


def test_complete_data_is_one_step_to_the_maximum_likelihood(engine: Any) -> None:
    acceptor = cp.random_acceptor(3, "ab", rng=2)
    sample = cp.simulate(acceptor, cp.random_words("ab", 50, 5, rng=3), rng=4, seen="states")
    fit = cp.baum_welch(cp.random_acceptor(3, "ab", rng=5), sample, engine=engine)
    expected = cp.maximum_likelihood(cp.count_transitions(sample, 3), unseen=fit.acceptor.transitions)
    np.testing.assert_allclose(fit.acceptor.transitions, expected, rtol=1e-12)
    assert fit.steps == 2


def test_labels_alone_teach_a_language(engine: Any) -> None:
    """Ends in b, from 300 labelled words: learned and used on words never seen."""
    truth = cp.gallery.deterministic({0: {"a": 0, "b": 1}, 1: {"a": 0, "b": 1}}, 0, {1})
    sample = cp.simulate(truth, cp.random_words("ab", 300, (0, 6), rng=1), rng=2)
    fit = cp.baum_welch(cp.random_acceptor(2, "ab", rng=3), sample, learn_initial=True, engine=engine)
    test = cp.random_words("ab", 200, (10, 20), rng=4)
    assert ((fit.acceptor.acceptances(test) > 0.5) == (truth.acceptances(test) > 0.5)).all()


def test_verdicts_along_the_way_pin_the_states(engine: Any) -> None:
    truth = cp.Acceptor(2, "ab", [[[0.9, 0.1], [0.3, 0.7]], [[0.2, 0.8], [0.6, 0.4]]], 0, {1})
    sample = cp.simulate(truth, cp.random_words("ab", 3000, 8, rng=1), rng=2, seen="verdicts")
    fit = cp.baum_welch(cp.random_acceptor(2, "ab", rng=3, final={1}), sample, learn_initial=True, engine=engine)
    np.testing.assert_allclose(fit.acceptor.transitions, truth.transitions, atol=0.03)
    np.testing.assert_allclose(fit.acceptor.initial, truth.initial, atol=1e-12)


def test_same_input_same_bytes(engine: Any) -> None:
    sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    start = cp.random_acceptor(3, "01", rng=3)
    fits = [
        cp.baum_welch(start, sample, max_steps=10, threads=threads, engine=engine) for threads in (None, 1, 1, 2, 5)
    ]
    assert len({fit.acceptor.transitions.tobytes() for fit in fits}) == 1
    assert len(set(fits)) == 1


def test_the_exact_counts_of_a_small_case(engine: Any) -> None:
    """Worked by hand: p-adic 2, word 11 accepted. Runs s1 s1 s2 (1/4) and s1 s2 s2 (1/2), total 3/4."""
    counts = cp.expected_counts(cp.p_adic(2), cp.Sample(["11"], accepted=[True]), engine=engine)
    third = Fraction(1, 3)
    np.testing.assert_allclose(counts.transitions[1], [[float(third), 1.0], [0.0, float(2 * third)]], rtol=1e-15)
    assert counts.log_likelihood == pytest.approx(math.log(0.75), rel=1e-15)


def test_plot(engine: Any) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    sample = cp.Sample(["01", "1", "0", "10"], accepted=[True, True, False, False])
    fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=1), sample, max_steps=5, engine=engine)
    axes = fit.plot()
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == list(fit.history)
    assert axes.get_xlabel() == "step"
    assert fit.plot(axes) is axes


def test_entries_without_pseudo_counts_play_no_part_in_the_density(engine: Any) -> None:
    """Also those that are 0, whose logarithm is -inf."""
    start = cp.Acceptor(2, "x", [[[0.5, 0.5], [0.0, 1.0]]], {0: 1.0}, {1})
    sample, prior = cp.Sample(["x", "xx"], accepted=[True, False]), np.array([[[3.0, 0.0], [0.0, 0.0]]])
    fit = cp.baum_welch(start, sample, prior=prior, tolerance=0, max_steps=2, engine=engine)
    likelihoods = [cp.log_likelihood(start, sample) + 3.0 * math.log(0.5)]
    assert fit.history[0] == pytest.approx(likelihoods[0], rel=1e-12, abs=0)
    assert np.isfinite(fit.history).all()


@pytest.mark.parametrize(("most", "kept"), [(9, 9), (8, 4), (5, 4), (4, 3), (1, 1)])
def test_a_subsample_takes_every_so_many_observations(most: int, kept: int) -> None:
    sample = cp.Sample(["a" * k for k in range(9)], accepted=[True] * 9)
    part = InMemory(sample).subsample(most)
    stride = -(-9 // most)
    assert part.words == sample.words[stride // 2 :: stride]
    assert len(part) == kept <= most


def test_a_team_gives_what_was_seen_the_mean_of_its_members_probabilities() -> None:
    members = np.log([[0.2, 0.5, 0.5], [0.6, 0.5, 0.125], [0.1, 0.5, 0.125]])
    np.testing.assert_allclose(mixture_log_likelihoods(list(members)), np.log([0.3, 0.5, 0.25]), rtol=1e-14)


def test_rows_in_the_form_of_a_hidden_markov_model() -> None:
    """Which symbol comes and which state comes next are independent, with the chances that each had; stops stay."""
    rows = np.random.default_rng(3).dirichlet(np.ones(7), 3)
    found = factored(rows)
    before, after = (each[:, :-1].reshape(3, 2, 3) for each in (rows, found))
    for axis in (1, 2):
        np.testing.assert_allclose(after.sum(axis), before.sum(axis), rtol=1e-14)
    products = after.sum(2, keepdims=True) * after.sum(1, keepdims=True) / after.sum((1, 2), keepdims=True)
    np.testing.assert_allclose(after, products, rtol=1e-14)
    assert found[:, -1].tolist() == rows[:, -1].tolist()
    initial = np.array([1.0, 0.0, 0.0])
    assert is_factored(Parameters(found, initial))
    nearly = found.copy()
    nearly[0, :2] += np.array([1e-6, -1e-6]) * nearly[0, :2].min()
    assert not is_factored(Parameters(nearly, initial))
    np.testing.assert_allclose(factored(rows, np.arange(2)), rows, rtol=1e-14)
