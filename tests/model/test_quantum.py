"""Quantum automata against amplitudes multiplied step by step, and the examples of the literature."""

import copy
import math
import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.model.quantum import MeasureMany, MeasureOnce, multiples, sorted_words
from tests.refusals import check_refused

STAY, FLIP = [[1, 0], [0, 1]], [[0, 1], [1, 0]]


def unitary(n: int, rng: np.random.Generator) -> Any:
    q, r = np.linalg.qr(rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)))
    return q * (np.diag(r) / abs(np.diag(r)))


@pytest.mark.parametrize("seed", range(100))
def test_acceptance_is_that_of_the_amplitudes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    steps, start, end, psi = {a: unitary(n, rng) for a in "ab"}, unitary(n, rng), unitary(n, rng), unitary(n, rng)[0]
    kinds = rng.integers(0, 3, n)
    yes, no = kinds == 0, kinds == 1
    once, many = MeasureOnce(n, "ab", steps, psi, yes), MeasureMany(n, "ab", steps, psi, yes, no, end, start)
    words = ["".join(rng.choice(["a", "b"], rng.integers(0, 15))) for _ in range(4)]
    for word, found_once, found_many in zip(words, once.acceptances(words), many.acceptances(words), strict=True):
        row = psi
        for a in word:
            row = row @ steps[a]
        assert abs(found_once - (abs(row[yes]) ** 2).sum()) <= 1e-12
        row, accepted = psi, 0.0
        for matrix in (start, *(steps[a] for a in word), end):
            row = row @ matrix
            accepted += (abs(row[yes]) ** 2).sum()
            row = np.where(kinds == 2, row, 0)
        assert abs(found_many - accepted) <= 1e-12
        assert many.acceptance(word) == found_many
    np.testing.assert_allclose(once.unitaries, np.stack([steps["a"], steps["b"]]), rtol=1e-15, atol=0)


def test_gaussian_rationals_are_exact() -> None:
    """A full turn in steps of arccos(3/5), with a phase; floats of the same matrix agree."""
    U = {"a": [["3/5", "4/5i"], ["4/5 i", "3/5"]], "b": [["-i", 0], [0, "3/5-4/5i"]]}
    Q = MeasureOnce(["up", "down"], "ab", U, ["3/5", "-4/5j"], {"up"})
    assert Q.is_exact
    assert Q.to_weighted().is_exact
    floats = MeasureOnce(["up", "down"], "ab", Q.unitaries, [0.6, -0.8j], {"up"})
    assert not floats.is_exact
    rows = {"": (Fraction(3, 5), Fraction(0), Fraction(0), Fraction(-4, 5))}  # parts of both amplitudes
    for word in map("".join, product("ab", repeat=3)):
        exact = Q.exact_acceptance(word)
        np.testing.assert_allclose(floats.acceptance(word), float(exact), rtol=1e-13, atol=0)
        assert exact + MeasureOnce(["up", "down"], "ab", U, ["3/5", "-4/5j"], {"down"}).exact_acceptance(word) == 1
    assert Q.exact_acceptance("") == sum(part**2 for part in rows[""][:2])
    assert Q.exact_acceptance("a") == (Fraction(9, 25) + Fraction(16, 25)) ** 2
    assert cp.equivalence(Q, Q.to_weighted())
    assert cp.minimize(Q.to_weighted()).dimension <= 4


def test_values() -> None:
    Q, M = multiples(3), MeasureMany(2, "ab", [STAY, FLIP], 0, {1}, (), STAY)
    assert repr(Q) == "<MeasureOnce: 2 states, 1 symbol {'a'}, accepts in {0}>"
    assert repr(M) == "<MeasureMany: 2 states, 2 symbols {'a', 'b'}, accepts in {1}, rejects in {}, exact>"
    for value in (Q, M):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert twin == value
            assert hash(twin) == hash(value)
    assert MeasureMany(2, "ab", [FLIP, STAY], 0, {1}, (), STAY) != M
    assert multiples(4) != Q
    assert Q != "Q"
    with pytest.raises(AttributeError, match="a quantum automaton is immutable: cannot set 'final'"):
        Q.final = np.ones(2)  # type: ignore[assignment]


@pytest.mark.parametrize("p", [2, 3, 5, 7, 13])
def test_two_states_find_the_multiples_of_p(p: int) -> None:
    Q = multiples(p)
    between = (1 + math.cos(math.pi / p) ** 2) / 2
    assert Q.n_states == 2
    assert cp.Language(Q, between).contains(["a" * k for k in range(4 * p)]).tolist() == [
        k % p == 0 for k in range(4 * p)
    ]
    assert cp.minimize(Q.to_weighted()).dimension == (2 if p == 2 else 3)


def test_sorted_words() -> None:
    """Words of a*b* with q, all others with at most 1 - q."""
    Q, q = sorted_words(), float(cp.AlgebraicNumber([-1, 1, 0, 1], 0, 1))
    for n in range(8):
        for word in map("".join, product("ab", repeat=n)):
            acceptance = Q.acceptance(word)
            if "ba" in word:
                assert acceptance <= 1 - q + 1e-12
            else:
                np.testing.assert_allclose(acceptance, q, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: MeasureOnce(2, "a", {"a": [["3/5", "4/5"], [0, 1]]}, 0, {0}),
            "unitary of symbol 'a', rows of states 0 and 1 must be orthogonal; their product has the part 4/5.",
        ),
        (
            lambda: MeasureOnce(["x", "y"], "a", {"a": [[1, 0], [0, 0.99]]}, "x", {"x"}),
            "unitary of symbol 'a', row of state 'y': squared magnitudes must sum to 1; got 0.9801.",
        ),
        (
            lambda: MeasureOnce(2, "a", {"a": [[1, 0], [0, "1+1/1000000000000i"]]}, 0, {0}),
            "unitary of symbol 'a', row of state 1: squared magnitudes must sum to 1; got 1+1e-24.",
        ),
        (
            lambda: MeasureOnce(2, "a", {"a": STAY}, [1, 1], {0}),
            "initial must have squared amplitudes that sum to 1; got 2.",
        ),
        (lambda: MeasureOnce(2, "a", {"a": STAY}, [1], {0}), "initial must be a state or 2 amplitudes; got [1]."),
        (lambda: MeasureOnce(2, "a", {"a": STAY}, "up", {0}), "initial must be a state or 2 amplitudes; got 'up'."),
        (
            lambda: MeasureOnce(2, "a", {"a": [[1]]}, 0, {0}),
            "unitary of symbol 'a' must be 2 rows of 2 numbers; got [[1]].",
        ),
        (
            lambda: MeasureOnce(2, "a", {"a": [[1, "one"], [0, 1]]}, 0, {0}),
            "unitary of symbol 'a', row 0, column 1 must be a finite number or a string such as '3/5' or '3/5+4/5i'; got "
            "'one'.",
        ),
        (
            lambda: MeasureOnce(2, "a", {"a": [[1, float("nan")], [0, 1]]}, 0, {0}),
            "unitary of symbol 'a' must have entries that are finite.",
        ),
        (
            lambda: MeasureOnce(2, "ab", {"a": STAY}, 0, {0}),
            "unitaries must have a matrix for every symbol; none for {'b'}.",
        ),
        (
            lambda: MeasureOnce(2, "ab", [STAY], 0, {0}),
            "unitaries must have one square matrix per symbol; got [[[1, 0], [0, 1]]].",
        ),
        (
            lambda: MeasureOnce(2, "", [], 0, {0}),
            "a quantum automaton needs at least one symbol; the alphabet is empty.",
        ),
        (lambda: MeasureOnce(33, "a", {}, 0, {0}), "a quantum automaton has at most 32 states; got 33."),
        (lambda: MeasureMany(2, "a", [STAY], 0, {1}, {1}, STAY), "a state cannot accept and reject; both have {1}."),
        (lambda: MeasureMany(2, "a", [STAY], 0, {0}, {1}, STAY), "a run cannot start in state 0, where it stops."),
        (lambda: MeasureMany(2, "a", [STAY], 0, {1}, (), 3), "end must be 2 rows of 2 numbers; got 3."),
        (lambda: multiples(0), "p must be a whole number from 1 to 1,000,000; got 0."),
    ],
)
def test_refused_with_a_sentence(call: Any, sentence: str) -> None:
    check_refused(call, cp.CutpointError, sentence)
