"""The paper's tables, chains and estimates in rational numbers, against enumeration of every path."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.exact.numbers import entry, floats
from tests.oracles import acceptance, path_probability, paths, rational
from tests.strategies import acceptors, words_of


@given(st.data(), acceptors(max_states=3, max_symbols=2, exact=True))
def test_tables_are_exact(data: st.DataObject, acceptor: cp.Acceptor) -> None:
    word = data.draw(words_of(acceptor, max_length=4))
    machine = rational(acceptor)
    runs = {path: path_probability(machine, word, path) for path in paths(machine, word)}
    table = acceptor.forward(word, exact=True)
    for i in range(len(word) + 1):
        for j, state in enumerate(machine.states):
            assert table[i, j] == sum(p for path, p in runs.items() if path[i] == state)
    assert acceptor.distribution(word, exact=True).tolist() == table[-1].tolist()
    assert (acceptor.exact_initial @ acceptor.matrix(word, exact=True)).tolist() == (table[-1].tolist())
    inputs = Fraction(1, acceptor.n_symbols ** len(word))
    assert acceptor.input_probability(word, exact=True) == inputs
    for path, p in list(runs.items())[:5]:
        assert acceptor.joint(word, path, exact=True) == p * inputs
    ends = acceptor.backward(word, accepted=True, exact=True)
    assert (table * ends).sum(axis=1).tolist() == [acceptance(machine, word)] * (len(word) + 1)
    assert acceptor.backward(word, exact=True).tolist() == [[1] * acceptor.n_states] * (len(word) + 1)
    assert all(isinstance(value, Fraction) for value in [*table.flat, *ends.flat])


@given(st.data(), acceptors(max_states=3, max_symbols=2, exact=True), st.sampled_from([None, True, False]))
def test_conditional_tables_are_exact(data: st.DataObject, acceptor: cp.Acceptor, accepted: bool | None) -> None:
    word = data.draw(words_of(acceptor, max_length=4))
    machine = rational(acceptor)
    runs = {
        path: path_probability(machine, word, path)
        for path in paths(machine, word)
        if accepted is None or (path[-1] in machine.final) == accepted
    }
    total = sum(runs.values())
    if not total:
        with pytest.raises(cp.errors.ImpossibleObservation, match="it has probability 0"):
            acceptor.occupancy(word, accepted, exact=True)
        with pytest.raises(cp.errors.ImpossibleObservation, match="it has probability 0"):
            acceptor.most_likely_path(word, accepted, exact=True)
        return
    table = acceptor.occupancy(word, accepted, exact=True)
    for i in range(len(word) + 1):
        for j, state in enumerate(machine.states):
            assert table[i, j] == sum(p for path, p in runs.items() if path[i] == state) / total
    order = {state: j for j, state in enumerate(machine.states)}
    best = max(runs, key=lambda path: (runs[path], [-order[s] for s in path]))
    assert acceptor.most_likely_path(word, accepted, exact=True) == best


def test_belief_network_is_exact_too() -> None:
    network = cp.BeliefNetwork(cp.p_adic(3), 2)
    table = network.forward("12", exact=True)
    assert table[0].tolist() == [Fraction(1, 9), 0]
    assert table[-1].tolist() == [Fraction(2, 81), Fraction(7, 81)]
    assert network.input_probability("12", exact=True) == Fraction(1, 9)
    assert network.backward("12", exact=True).tolist() == [[1, 1]] * 3


def test_floats_count_as_their_binary_values() -> None:
    acceptor = cp.Acceptor(2, "a", [[[0.1, 0.9], [0.5, 0.5]]], 0, {1})
    assert acceptor.forward("a", exact=True)[1].tolist() == [Fraction(0.1), Fraction(0.9)]


def test_exact_acceptance_of_a_long_word() -> None:
    """10,000 symbols, 8 states, denominators of three digits: digits by the hundred thousand, checked mod a prime."""
    rng = np.random.default_rng(8)
    weights = rng.integers(1, 120, size=(2, 8, 8))
    acceptor = cp.Acceptor.normalized(8, "ab", weights, [1] * 8, {0, 3})
    word = "".join(rng.choice(["a", "b"], size=10_000))
    value = acceptor.exact_acceptance(word)
    prime = 2**61 - 1
    row = [pow(8, -1, prime)] * 8
    for symbol in word:  # the same recursion modulo a prime, in plain integers
        matrix = acceptor.exact_transitions["ab".index(symbol)]
        steps = [[x.numerator * pow(x.denominator, -1, prime) for x in line] for line in matrix]
        row = [sum(row[s] * steps[s][t] for s in range(8)) % prime for t in range(8)]
    assert value.numerator * pow(value.denominator, -1, prime) % prime == (row[0] + row[3]) % prime
    assert abs(float(value) - acceptor.acceptance(word)) < 1e-9
    assert len(str(value.denominator.bit_length())) >= 5


# -- chains -------------------------------------------------------------------------------------------------------


@given(acceptors(max_states=5, max_symbols=1, exact=True))
def test_chains_solve_their_equations_exactly(acceptor: cp.Acceptor) -> None:
    chain, floats = acceptor.chain("a", exact=True), acceptor.chain("a")
    assert chain.is_exact
    assert chain.classes == floats.classes
    steps = chain.matrix
    assert (chain.stationary @ steps).tolist() == chain.stationary.tolist()
    assert chain.stationary.sum(axis=1).tolist() == [1] * len(chain.recurrent_classes)
    assert (steps @ chain.absorption).tolist() == chain.absorption.tolist()
    assert chain.absorption.sum(axis=1).tolist() == [1] * acceptor.n_states
    for s, state in enumerate(acceptor.states):
        inside = state not in chain.transient_states
        ahead = sum(steps[s, t] * chain.expected_steps[t] for t in range(acceptor.n_states))
        assert chain.expected_steps[s] == (0 if inside else 1 + ahead)
    np.testing.assert_allclose(floats.stationary, chain.stationary.astype(float), rtol=1e-12)
    np.testing.assert_allclose(floats.absorption, chain.absorption.astype(float), rtol=1e-12)
    np.testing.assert_allclose(floats.limit, chain.limit.astype(float), rtol=1e-12)
    assert chain.power(3).tolist() == (steps @ steps @ steps).tolist()
    assert chain.power(0).tolist() == np.eye(acceptor.n_states).tolist()


def test_textbook_chains() -> None:
    assert cp.gallery.land_of_oz().chain("d", exact=True).stationary.tolist() == [
        [Fraction(2, 5), Fraction(1, 5), Fraction(2, 5)]
    ]
    ruin = cp.gallery.gambler(5, win="2/5").chain("p", exact=True)
    odds = Fraction(3, 2)  # the gambler's ruin: (r^k - 1) / (r^n - 1)
    assert ruin.absorption[:, 1].tolist() == [(odds**k - 1) / (odds**5 - 1) for k in range(6)]


def test_exact_chains_need_exact_rows() -> None:
    acceptor = cp.Acceptor(2, "a", [[[0.7, 0.3], [0.1, 0.9]]], 0, {1})
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        acceptor.chain("a", exact=True)
    assert str(refusal.value) == (
        "the rows of a chain's matrix must not be negative and must sum to 1 exactly; Acceptor.rationalized() makes "
        "exact rows of floats."
    )
    assert acceptor.rationalized().chain("a", exact=True).stationary.tolist() == [[Fraction(1, 4), Fraction(3, 4)]]


# -- maximum likelihood -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unseen", "row"),
    [
        ("uniform", [Fraction(1, 3)] * 3),
        ("stay", [0, 1, 0]),
        ([[["1/3", "1/3", "1/3"], ["1/7", "6/7", "0"], [0, 0, 1]]], [Fraction(1, 7), Fraction(6, 7), 0]),
    ],
)
def test_exact_estimate(unseen: Any, row: list[Any]) -> None:
    counts = [[[1, 2, 4], [0, 0, 0], ["1/3", "1/6", 0]]]
    estimate = cp.maximum_likelihood(counts, unseen, exact=True)  # type: ignore[arg-type]
    assert estimate[0].tolist() == [
        [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)],
        row,
        [Fraction(2, 3), Fraction(1, 3), 0],
    ]
    assert cp.Acceptor(3, "a", estimate, 0, {1}).is_exact


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([[[1, "x"], [0, 1]]], "counts must be an array [a, s, t] of finite numbers; got [[[1, 'x'], [0, 1]]]."),
        ([[[1, np.nan], [0, 1]]], "counts must be an array [a, s, t] of finite numbers; got [[[1, nan], [0, 1]]]."),
        ([[[1, -1], [0, 1]]], "counts must be finite and not negative; got -1 at [0, 0, 1]."),
        ([1, 2], "counts must have shape [a, s, t] with as many t as s; got shape (2,)."),
    ],
)
def test_counts_that_are_none(counts: Any, sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        cp.maximum_likelihood(counts, exact=True)
    assert str(refusal.value) == sentence


def test_unseen_row_may_be_an_error() -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="symbol number 0 was never read in state number 1"):
        cp.maximum_likelihood([[[1, 1], [0, 0]]], "error", exact=True)


def test_numbers_of_numpy() -> None:
    """Integers and truth values are exact; a long double is a float if it equals one."""
    assert entry(np.bool_(True)) == Fraction(1)
    assert type(entry(np.int64(3)).numerator) is int  # type: ignore[union-attr]
    third: Any = Fraction(1, 3)
    third._numerator, third._denominator = np.int64(1), np.int64(3)  # as arithmetic with integers of NumPy makes them
    assert type(entry(third).numerator) is int  # type: ignore[union-attr]
    assert entry(np.longdouble("0.5")) == 0.5
    assert math.isinf(entry(np.longdouble("inf")))
    if np.finfo(np.longdouble).eps < np.finfo(float).eps:
        with pytest.raises(cp.errors.InvalidArgument, match="no float equals the long double"):
            entry(np.longdouble(1) / 3)
        with pytest.raises(
            cp.errors.InvalidArgument, match="counts holds long doubles that no float equals, such as 0"
        ):
            floats("counts", np.array([0.5, np.longdouble(1) / 3]), "must be numbers")
        assert floats("counts", np.array([0.5, np.longdouble("inf")]), "").tolist() == [0.5, math.inf]
