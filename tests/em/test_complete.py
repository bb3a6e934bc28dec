"""Section 4, complete data: counts, design matrix, maximum likelihood, likelihood."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp

# The columns printed in Example 2, by label; rows a;0,a b;0,a a;1,a b;1,a a;0,b b;0,b a;1,b b;1,b.
PRINTED = {
    ("00", "aaa"): [2, 0, 0, 0, 0, 0, 0, 0],
    ("00", "aab"): [1, 1, 0, 0, 0, 0, 0, 0],
    ("00", "aba"): [0, 1, 0, 0, 1, 0, 0, 0],
    ("00", "abb"): [0, 1, 0, 0, 0, 1, 0, 0],
    ("00", "baa"): [1, 0, 0, 0, 1, 0, 0, 0],
    ("00", "bab"): [0, 1, 0, 0, 1, 0, 0, 0],
    ("00", "bba"): [0, 0, 0, 0, 1, 1, 0, 0],
    ("00", "bbb"): [0, 0, 0, 0, 0, 2, 0, 0],
    ("11", "bbb"): [0, 0, 0, 0, 0, 0, 0, 2],
}


def test_example_2() -> None:
    B = cp.design_matrix("ab", "01", 2)
    assert B.shape == (8, 32)
    dense = B.matrix.toarray()
    assert dense.sum(axis=0).tolist() == [2] * 32
    assert [f"{t};{a},{s}" for t, a, s in B.rows] == [
        "a;0,a", "b;0,a", "a;1,a", "b;1,a", "a;0,b", "b;0,b", "a;1,b", "b;1,b",
    ]  # fmt: skip
    for (word, path), column in PRINTED.items():
        assert dense[:, B.column(word, path)].tolist() == column
    assert ["".join(map(str, w)) + "," + "".join(map(str, p)) for w, p in B.columns[:8]] == [
        "00,aaa", "00,aab", "00,aba", "00,abb", "00,baa", "00,bab", "00,bba", "00,bbb",
    ]  # fmt: skip
    assert B.columns[31] == B.columns[-1] == (("1", "1"), ("b", "b", "b"))
    assert B.table([31]).splitlines()[-1].split() == ["b;1,b", "2"]


def test_a_table_shows_the_first_columns_of_many() -> None:
    table = cp.design_matrix("ab", "01", 3).table().splitlines()
    assert [len(line.split()) for line in table] == [32] + 8 * [33]


@pytest.mark.parametrize(
    ("states", "symbols", "length"),
    [(1, 1, 0), (1, 1, 5), (1, 3, 3), (3, 1, 3), (2, 3, 3), (3, 2, 2), (4, 2, 1), (2, 2, 0)],
)
def test_design_matrix_against_plain_counting(states: int, symbols: int, length: int) -> None:
    B = cp.design_matrix(states, symbols, length)
    assert B.shape == (states**2 * symbols, symbols**length * states ** (length + 1))
    dense = B.matrix.toarray()
    runs = product(product(range(symbols), repeat=length), product(range(states), repeat=length + 1))
    for number, (word, path) in enumerate(runs):
        assert B.columns[number] == (word, path)
        assert B.column(word, path) == number
        used: Counter[object] = Counter((path[i + 1], word[i], path[i]) for i in range(length))
        assert dense[:, number].tolist() == [used[row] for row in B.rows]
    assert dense.sum(axis=0).tolist() == [length] * B.shape[1]
    with pytest.raises(IndexError, match="does not exist"):
        B.columns[B.shape[1]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 2), st.integers(0, 3))
def test_counts_by_both_routes(engine: Any, seed: int, n_states: int, n_symbols: int, length: int) -> None:
    """v = B u, equation (e-SA-A), equals counting along the runs."""
    acceptor = cp.random_acceptor([f"q{i}" for i in range(n_states)], "ab"[:n_symbols], rng=seed)
    words = cp.random_words(acceptor.alphabet, 12, length, rng=seed)
    sample = cp.simulate(acceptor, words, rng=seed, seen="states")
    B = cp.design_matrix(acceptor.states, acceptor.alphabet, length)
    u = B.runs(sample)
    assert u.sum() == 12
    v = cp.count_transitions(sample, acceptor.states)
    np.testing.assert_array_equal(B.counts(u), v)
    np.testing.assert_allclose(cp.expected_counts(acceptor, sample, engine=engine).transitions, v, rtol=1e-12, atol=0)
    first = Counter(
        states[0]
        for states, count in zip(sample.states, sample.counts, strict=True)
        if states
        for _ in range(int(count))
    )
    np.testing.assert_allclose(
        cp.expected_counts(acceptor, sample, engine=engine).initial, [first[s] for s in acceptor.states], rtol=1e-12
    )


def test_runs_of_a_sample_must_have_the_matrix_length() -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=r"for words of length 2; observation '0' .* has length 1"):
        cp.design_matrix("ab", "01", 2).runs(cp.Sample(["0"], states=["ab"]))


def test_maximum_likelihood() -> None:
    counts = np.array([[[3.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [2.0, 6.0]]])
    estimate = cp.maximum_likelihood(counts)
    assert estimate.tolist() == [[[0.75, 0.25], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]
    assert cp.maximum_likelihood(counts, unseen="stay")[0, 1].tolist() == [0.0, 1.0]
    assert cp.maximum_likelihood(counts, unseen="stay")[1, 0].tolist() == [1.0, 0.0]
    own = np.full((2, 2, 2), [0.125, 0.875])
    assert cp.maximum_likelihood(counts, unseen=own)[0, 1].tolist() == [0.125, 0.875]
    assert cp.maximum_likelihood(counts, unseen=own)[0, 0].tolist() == [0.75, 0.25]
    assert cp.maximum_likelihood([[[1, 3], [1, 1]]], unseen="error").tolist() == [[[0.25, 0.75], [0.5, 0.5]]]


@given(st.integers(0, 2**32 - 1))
def test_maximum_likelihood_is_the_maximum(seed: int) -> None:
    """Prop. 4.1: no other transitions give the counts a higher likelihood."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, size=(2, 3, 3)).astype(float)
    best = cp.em.counts_log_likelihood(counts, cp.maximum_likelihood(counts))
    for _ in range(20):
        other = rng.dirichlet(np.ones(3), size=(2, 3))
        assert cp.em.counts_log_likelihood(counts, other) <= best + 1e-12
        mixed = 0.999 * cp.maximum_likelihood(counts) + 0.001 * other
        assert cp.em.counts_log_likelihood(counts, mixed) <= best + 1e-12


def test_log_likelihood_of_complete_data(engine: Any) -> None:
    """L(θ) = ∏ (1/l'ⁿ) π ∏ θ: with the inputs the product of the joints; without, v log θ and the first states."""
    acceptor = cp.random_acceptor("ab", "01", rng=8)
    sample = cp.Sample(["01", "01", "11"], states=["aab", "aab", "bba"])
    joint = acceptor.joint("01", "aab") ** 2 * acceptor.joint("11", "bba")
    assert cp.em.likelihood(acceptor, sample, with_inputs=True, engine=engine) == pytest.approx(joint, rel=1e-13)
    v = cp.count_transitions(sample, "ab")
    expected = cp.em.counts_log_likelihood(v, acceptor.transitions) + float(
        2 * np.log(acceptor.initial[0]) + np.log(acceptor.initial[1])
    )
    assert cp.log_likelihood(acceptor, sample, engine=engine) == pytest.approx(expected, rel=1e-13)


def test_log_likelihood_of_inputs(engine: Any) -> None:
    sample = cp.Sample(["01", "1", ""], counts=[2, 1, 5])
    acceptor = cp.random_acceptor(3, "01", rng=1)
    assert cp.log_likelihood(acceptor, sample, engine=engine) == 0.0
    assert cp.log_likelihood(acceptor, sample, with_inputs=True, engine=engine) == pytest.approx(
        -5 * math.log(2), rel=1e-14
    )
    assert cp.em.likelihood(acceptor, sample, with_inputs=True, engine=engine) == pytest.approx(
        float(Fraction(1, 32)), rel=1e-13
    )


def test_impossible_data_has_log_likelihood_minus_infinity(engine: Any) -> None:
    sample = cp.Sample(["0", "1"], states=[["s2", "s1"], ["s1", "s2"]])
    assert cp.log_likelihood(cp.p_adic(2), sample, engine=engine) == -math.inf
    assert cp.em.likelihood(cp.p_adic(2), sample, engine=engine) == 0.0
    assert cp.em.counts_log_likelihood([[[1, 1], [0, 0]]], [[[1, 0], [0, 1]]]) == -math.inf
    with pytest.raises(cp.errors.InvalidArgument, match="transitions must have the shape of the counts"):
        cp.em.counts_log_likelihood([[[1]]], [[[1, 0], [0, 1]]])


def test_complete_data_recovers_the_transitions() -> None:
    acceptor = cp.random_acceptor(3, "ab", rng=2)
    sample = cp.simulate(acceptor, cp.random_words("ab", 4000, 10, rng=3), rng=4, seen="states")
    estimate = cp.maximum_likelihood(cp.count_transitions(sample, acceptor.states))
    np.testing.assert_allclose(estimate, acceptor.transitions, atol=0.03)
