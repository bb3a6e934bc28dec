"""Isolated cut points: what is proven holds for all words, and nothing is proven where words come arbitrarily near."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from tests.decision.test_residuals import check_dfa


def random_dfa(rng: np.random.Generator, n_symbols: int) -> cp.DFA:
    size = int(rng.integers(2, 5))
    steps = tuple(tuple(row) for row in rng.integers(size, size=(size, n_symbols)).tolist())
    final = frozenset(np.flatnonzero(rng.random(size) < 0.5).tolist())
    return cp.DFA(cp.data.Alphabet("ab"[:n_symbols]), steps, 0, final)


def random_exact(rng: np.random.Generator, size: int, n_symbols: int) -> cp.Acceptor:
    weights = rng.integers(1, 6, (n_symbols, size, size)).tolist()
    return cp.Acceptor.normalized(size, "ab"[:n_symbols], weights, [1] * size, rng.random(size) < 0.5)


@pytest.mark.parametrize("seed", range(100))
def test_a_dfa_mixed_with_noise_is_proven_to_be_isolated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_symbols = int(rng.integers(1, 3))
    dfa, noise = random_dfa(rng, n_symbols), Fraction(int(rng.integers(1, 46)), 100)
    parts = [dfa.to_acceptor(), random_exact(rng, int(rng.integers(1, 4)), n_symbols)]
    language = cp.Language(cp.mixture(parts, [1 - noise, noise]), "1/2")
    isolation = language.isolation(max_length=6)
    assert isolation.proven is not None
    assert Fraction(1, 2) - noise - Fraction(1, 10**6) <= isolation.proven <= isolation.distance
    cp.decision.check(isolation)
    found = language.to_dfa(isolation=isolation)
    assert found == dfa.minimize()
    cp.decision.check(found)
    if seed < 10:
        assert isinstance(found, cp.DFA)
        check_dfa(found, language.acceptor, Fraction(1, 2), ">", 6)


def test_the_gap_of_a_cantor_set() -> None:
    """Base 3 without the digit 1: acceptances are below 1/3, or 2/3 and more."""
    language = cp.Language(cp.p_adic(3).restricted("02"), "1/2")
    isolation = language.isolation()
    assert isolation.proven == Fraction(1, 6)
    assert isolation.distance == Fraction(1, 6)  # of the word 2
    assert (isolation.rabin_bound, isolation.paz_bound) == (7, 4)
    dfa = language.to_dfa(isolation=isolation)
    assert isinstance(dfa, cp.DFA)
    assert dfa.n_states == 2
    assert repr(isolation).startswith("<Isolation: proven 1/6; observed ")


def test_an_acceptor_that_forgets_is_isolated_between_the_values_of_its_last_symbols() -> None:
    steps = {
        "a": [["9/10", "1/10", 0], ["4/5", "1/10", "1/10"], ["7/10", "1/5", "1/10"]],
        "b": [["1/10", "1/5", "7/10"]] * 3,
    }
    acceptor = cp.Acceptor(3, "ab", steps, 0, {2})
    for machine in (acceptor, cp.Acceptor(3, "ab", acceptor.transitions, 0, {2})):  # floats: rows are rescaled
        isolation = cp.Language(machine, "3/10").isolation()
        assert isolation.proven is not None
        assert Fraction(19, 100) < isolation.proven <= isolation.distance
        cp.decision.check(cp.Language(machine, "3/10").to_dfa(isolation=isolation))


@pytest.mark.parametrize("seed", range(40))
def test_what_an_invariant_proves_is_what_residuals_prove(seed: int) -> None:
    """Rows of each matrix are alike, so that acceptors forget; acceptances come as near as 1/4000 to the cut point."""
    rng = np.random.default_rng(seed)
    size, n_symbols = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    weights = 5 * rng.integers(1, 10, (n_symbols, 1, size)) + rng.integers(0, 4, (n_symbols, size, size))
    acceptor = cp.Acceptor.normalized(size, "abc"[:n_symbols], weights.tolist(), [1] * size, rng.random(size) < 0.5)
    language = cp.Language(acceptor, "2/5")
    isolation = language.isolation(max_length=5)
    assert isolation.proven is not None
    found = language.to_dfa(isolation=isolation)
    assert found == language.to_dfa(500)
    cp.decision.check(found)


def test_an_irrational_cut_point_can_be_isolated() -> None:
    root, noisy = cp.AlgebraicNumber.sqrt("1/2"), cp.mixture([cp.gallery.tomita(4), cp.p_adic(2)], ["4/5", "1/5"])
    language = cp.Language(noisy, root)
    isolation = language.isolation(max_length=6)
    assert isolation.proven is not None
    assert Fraction(4, 5) - isolation.proven - Fraction(1, 1000) < root <= Fraction(4, 5) - isolation.proven
    cp.decision.check(language.to_dfa(isolation=isolation))


def stationary(rng: np.random.Generator) -> tuple[cp.Acceptor, Fraction]:
    """One symbol, two states; acceptances converge to the stationary probability, and never or seldom have it."""
    p, q = (Fraction(int(rng.integers(1, 20)), int(rng.integers(20, 40))) for _ in range(2))
    return cp.Acceptor(2, "a", [[[1 - p, p], [q, 1 - q]]], 0, {1}), p / (p + q)


def not_isolated(seed: int) -> tuple[cp.Acceptor, Any]:
    rng = np.random.default_rng(seed)
    match seed % 4:
        case 0:
            return stationary(rng)
        case 1:  # p-adic numbers are dense
            return cp.p_adic(int(rng.integers(2, 5))), Fraction(int(rng.integers(1, 50)), 50)
        case 2:
            acceptor, limit = stationary(rng)
            other = cp.Acceptor(2, "a", [[[0, 1], [1, 0]]], 0, {0})  # 1 and 0 in turn
            return cp.mixture([acceptor, other], ["1/2", "1/2"]), limit / 2
        case _:
            return cp.p_adic(2), cp.AlgebraicNumber.sqrt(Fraction(int(rng.integers(1, 30)), 31))


@pytest.mark.parametrize("seed", range(100))
def test_nothing_is_proven_where_words_come_arbitrarily_near(seed: int) -> None:
    acceptor, cut_point = not_isolated(seed)
    isolation = cp.Language(acceptor, cut_point).isolation(max_length=6, max_states=100)
    assert isolation.proven is None
    assert isolation.rabin_bound is isolation.paz_bound is None
    with pytest.raises(cp.errors.InvalidArgument, match="was observed, not proven"):
        cp.Language(acceptor, cut_point).to_dfa(isolation=isolation)


def test_values_that_words_come_near_to_but_never_have_are_not_isolated() -> None:
    assert cp.Language(cp.gallery.value_one("3/4"), 1).isolation(max_length=8).proven is None


def test_a_proof_about_another_language_is_refused() -> None:
    isolation = cp.Language(cp.p_adic(3).restricted("02"), "1/2").isolation()
    with pytest.raises(cp.errors.InvalidArgument, match="is about another acceptor or cut point"):
        cp.Language(cp.p_adic(3).restricted("02"), "3/7").to_dfa(isolation=isolation)
