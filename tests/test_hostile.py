"""Unusual input and numbers at the edge get the right answer; what is refused is in the tables of the folders."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.em.baum_welch import Limits, ascend
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import Parameters

A = cp.p_adic(2)
B = cp.design_matrix(2, 2, 1)
EYE: Any = [np.eye(2)]


def test_vectors_of_any_kind_are_vectors_where_names_cannot_be_meant() -> None:
    for final in (
        [0.0, 1.0],
        [Fraction(0), Fraction(1)],
        (b for b in [False, True]),
        {"p": False, "q": True}.values(),
        np.array([0, 1]),
    ):
        assert cp.Acceptor(["p", "q"], "a", EYE, "p", final).final_states == ("q",)
    assert cp.Acceptor(2, "a", EYE, 0, (b for b in [False, True])).final_states == (1,)
    assert cp.Acceptor(2, "a", EYE, 0, {0: False, 1: True}.values()).final_states == (1,)


def test_numbers_of_numpy_are_exact_inside_fractions() -> None:
    primes = (1000003, 1000033, 1000037, 1000039)
    row = [Fraction(np.int64(1), np.int64(p)) for p in primes]  # type: ignore[call-overload]
    row.append(1 - sum((Fraction(1, p) for p in primes), Fraction(0)))
    assert cp.Acceptor(5, "a", [[row] * 5], 0, {1}).is_exact


def test_large_weights_are_rescaled_without_overflow() -> None:
    acceptor = cp.Acceptor.normalized(2, "a", np.array([[[1e308, 1e308], [0, 1.0]]]), 0, [])
    assert acceptor.transitions[0, 0].tolist() == [0.5, 0.5]


def test_rows_within_the_tolerance_can_be_combined() -> None:
    acceptor = cp.Acceptor(2, "a", [[[0.5, 0.5 + 9e-10], [0, 1]]], [0.5, 0.5 + 9e-10], {1})
    assert (acceptor & acceptor).acceptance("a") == pytest.approx(acceptor.acceptance("a") ** 2, rel=1e-8)
    mixed = cp.mixture([acceptor, acceptor], [0.5, 0.5 + 9e-10])
    assert mixed.acceptance("a") == pytest.approx(acceptor.acceptance("a"), rel=1e-8)


def test_long_fractions_are_shown_as_decimals() -> None:
    acceptor = cp.Acceptor(2, "a", [[[Fraction(1, 10**40), 1 - Fraction(1, 10**40)], [0, 1]]], 0, {1})
    assert "1e-40" in acceptor.table()
    assert "a: 1e-40" in cp.drawing.to_dot(acceptor)
    assert len(repr(cp.Language(A, Fraction(1, 3**200)))) < 200
    rare = cp.Acceptor(2, "a", [[[1e-7, 1 - 1e-7], [0, 1]]], [1e-6, 1 - 1e-6], {1})
    assert "→ 1e-06" in rare.table()


def test_small_concentrations_give_rows_close_to_deterministic() -> None:
    for concentration in (0.1, 0.01, 0.001):
        rows = cp.random_acceptor(4, "abcdef", rng=0, concentration=concentration).transitions
        assert rows.max(axis=2).mean() > 0.8
        assert (rows > 0).all()


def test_design_matrices_and_factors_are_values() -> None:
    assert cp.design_matrix(2, 2, 1) == B
    assert hash(cp.design_matrix(2, 2, 1)) == hash(B)
    assert cp.design_matrix(2, 2, 2) != B
    with pytest.raises(ValueError, match="read-only"):
        B.matrix.data[:] = 5
    with pytest.raises(ValueError, match="read-only"):
        cp.expected_counts(A, cp.Sample(["1"])).transitions[:] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        A.transitions.setflags(write=True)


def test_an_interrupt_before_anything_is_known_is_passed_on() -> None:
    def interrupted(parameters: Parameters) -> cp.Counts:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ascend(A, cp.Sample(["1"], accepted=[True]), interrupted, MStep.of(A), Limits())


def test_numbers_beyond_all_limits_are_taken() -> None:
    assert cp.Language(A, "1/3").find_word(3, limit=10**30) == "1"
    assert float(cp.AlgebraicNumber.sqrt(int("12" * 700))) == float("inf")


def test_exact_membership_near_a_tie_of_a_long_word() -> None:
    """Quadratic arithmetic would take minutes here."""
    acceptor = cp.Acceptor(2, "f", [[["3/10", "7/10"], ["7/10", "3/10"]]], 0, {1})
    word = "f" * 50_001
    assert acceptor.exact_acceptance("f" * 5) == (1 + Fraction(2, 5) ** 5) / 2
    assert acceptor.accepts(word, "1/2"), "above 1/2 by (2/5)**50001 / 2"
    assert not acceptor.accepts(word + "f", "1/2")
