"""Section 4 over the rationals: equal, bit for bit, to the enumeration of every path."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.errors import ImpossibleObservation
from tests import oracles
from tests.strategies import KINDS, acceptors, generators, samples


def same_counts(counts: cp.Counts, expected: oracles.OracleCounts, model: cp.Acceptor | cp.Generator) -> bool:
    cells = {
        (a, s, t): counts.transitions[i, j, k]
        for (i, a), (j, s), (k, t) in product(
            enumerate(model.alphabet), enumerate(model.states), enumerate(model.states)
        )
    }
    return cells == expected.transitions and counts.initial.tolist() == list(expected.initial.values())


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_the_tables_of_learning_equal_the_oracle(kind: str, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3, max_symbols=2, exact=data.draw(st.booleans())))
    sample = data.draw(samples(acceptor, kind))
    machine = oracles.rational(acceptor)
    expected, counts = oracles.expected_counts(machine, sample), cp.expected_counts(acceptor, sample, exact=True)
    assert same_counts(counts, expected, acceptor)
    assert counts.log_likelihood == pytest.approx(cp.log_likelihood(acceptor, sample), rel=1e-12, abs=1e-13)
    for observation, row in zip(sample, cp.em.hidden_runs(acceptor, sample, exact=True), strict=True):
        check, paths = oracles.agrees(machine, observation), oracles.paths(machine, observation.word)
        weights = [oracles.path_probability(machine, observation.word, path) * check(path) for path in paths]
        assert row.tolist() == [Fraction(observation.count) * weight / sum(weights) for weight in weights]
    whole = sample.reweighted(np.ceil(sample.counts))
    chances = [oracles.evidence_probability(machine, observation) for observation in whole]
    likelihood = prod(p ** int(u) for p, u in zip(chances, whole.counts, strict=True))
    assert cp.em.likelihood(acceptor, whole, exact=True) == likelihood
    inputs = prod(acceptor.n_symbols ** (len(o.word) * int(o.count)) for o in whole)
    assert cp.em.likelihood(acceptor, whole, with_inputs=True, exact=True) == likelihood / inputs


@given(st.data())
def test_an_exact_step_of_baum_welch_equals_the_oracle(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3, max_symbols=2, exact=True))
    sample = data.draw(samples(acceptor, data.draw(st.sampled_from(KINDS))))
    better = cp.em.baum_welch_step(acceptor, sample, learn_initial=True, exact=True)
    assert isinstance(better, cp.Acceptor)
    assert oracles.rational(better).step == oracles.em_step(oracles.rational(acceptor), sample)
    starts = oracles.expected_counts(oracles.rational(acceptor), sample).initial
    assert better.exact_initial.tolist() == [Fraction(value) / sum(starts.values()) for value in starts.values()]
    floats = cp.em.baum_welch_step(acceptor, sample, learn_initial=True)
    np.testing.assert_allclose(floats.transitions, better.transitions, rtol=1e-12, atol=1e-300)
    assert cp.em.baum_welch_step(acceptor, sample, exact=True).initial.tolist() == acceptor.initial.tolist()


@given(st.data())
def test_generators_too(data: st.DataObject) -> None:
    generator = data.draw(generators(max_symbols=2, exact=True))
    words = [word for word in ["", "a", "ab", "aab", "bb"] if set(word) <= set(generator.alphabet)]
    possible = [word for word in words if generator.exact_probability(word)]
    sample = cp.Sample(possible, counts=range(1, len(possible) + 1), alphabet=generator.alphabet)
    expected = oracles.expected_counts(oracles.rational(generator), sample)
    counts = cp.expected_counts(generator, sample, exact=True)
    assert same_counts(counts, expected, generator)
    floats = cp.expected_counts(generator, sample)
    assert counts.stop is not None
    assert floats.stop is not None
    np.testing.assert_allclose(counts.stop.astype(float), floats.stop, rtol=1e-12, atol=1e-300)
    assert sum(counts.stop) == sample.total
    assert cp.em.likelihood(generator, sample, exact=True) == prod(
        generator.exact_probability(observation.word) ** int(observation.count) for observation in sample
    )
    better = cp.em.baum_welch_step(generator, sample, exact=True)
    assert better.is_exact
    np.testing.assert_allclose(
        better.transitions, cp.em.baum_welch_step(generator, sample).transitions, rtol=1e-12, atol=1e-300
    )


def test_u_and_b_give_v_exactly() -> None:
    """Alg. 1 with the paper's own matrices: v = B u."""
    acceptor = cp.Acceptor("ab", "01", {"0": [["1/3", "2/3"], ["1/7", "6/7"]], "1": [["1/2", "1/2"], [0, 1]]}, "a", "b")
    sample = cp.Sample(["00", "01", "10", "11"], accepted=[True, False, None, True], counts=[5, 3, 2, 7])
    u = np.concatenate(cp.em.hidden_runs(acceptor, sample, exact=True))
    v = cp.design_matrix("ab", "01", 2).counts(u, exact=True)
    assert v.tolist() == cp.expected_counts(acceptor, sample, exact=True).transitions.tolist()
    assert {type(value) for value in v.flat} == {Fraction}


@given(acceptors(max_states=2, max_symbols=2, exact=True), st.integers(0, 2))
def test_the_belief_network_in_fractions(acceptor: cp.Acceptor, length: int) -> None:
    network, machine = cp.BeliefNetwork(acceptor, length), oracles.rational(acceptor)
    words, paths = list(network.words()), list(network.paths())
    inputs = Fraction(1, acceptor.n_symbols**length)
    expected = [[oracles.path_probability(machine, word, path) * inputs for path in paths] for word in words]
    assert network.joint_table(exact=True).tolist() == expected
    assert [[network.joint(word, path, exact=True) for path in paths] for word in words] == expected
    for factor, floats in zip(network.exact_factors, network.factors, strict=True):
        assert factor.variables == floats.variables
        assert factor.table.astype(float).tolist() == floats.table.tolist()
        assert {type(value) for value in factor.table.flat} == {Fraction}


def test_an_impossible_observation_and_a_long_word() -> None:
    with pytest.raises(ImpossibleObservation, match="'0'"):
        cp.expected_counts(cp.p_adic(2), cp.Sample(["1", "0"], accepted=[True, True]), exact=True)
    with pytest.raises(ImpossibleObservation):
        cp.em.hidden_runs(cp.p_adic(2), cp.Sample(["0"], accepted=[True]), exact=True)
    assert cp.em.likelihood(cp.p_adic(2), cp.Sample(["0"], accepted=[True]), exact=True) == 0
    counts = cp.expected_counts(cp.p_adic(3), cp.Sample(["12" * 300], accepted=[True]), exact=True)
    assert counts.transitions.sum() == 600
