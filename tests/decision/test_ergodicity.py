"""Ergodicity: coefficients, orders and bounds against all short words."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from tests.strategies import seeded_acceptor

LENGTH = 12


def products(acceptor: cp.Acceptor, length: int) -> np.ndarray[Any, Any]:
    """Matrices of all words of a length, in floats."""
    found = np.eye(acceptor.n_states)[None]
    for _ in range(length):
        found = np.concatenate([found @ matrix for matrix in acceptor.transitions])
    return found


def are_scrambling(matrices: np.ndarray[Any, Any]) -> bool:
    supports = (matrices > 0).astype(int)
    return bool((supports @ supports.transpose(0, 2, 1) > 0).all())


@pytest.mark.parametrize("block", range(8))
def test_bounds_hold_for_all_words(block: int) -> None:
    """|p(xy) − p(zy)| over all x and z is the spread of the column of y, at most: from every state is worst."""
    for seed in range(25 * block, 25 * (block + 1)):
        acceptor = seeded_acceptor(seed, least_states=2)
        found = cp.ergodicity(acceptor)
        columns, spreads = acceptor.final.astype(np.float64)[:, None], []
        for _ in range(LENGTH + 1):
            spreads.append(float((columns.max(axis=0) - columns.min(axis=0)).max()))
            columns = np.hstack([matrix @ columns for matrix in acceptor.transitions])
        assert all(spread <= float(found.bound(n)) + 1e-12 for n, spread in enumerate(spreads))
        n = found.last_symbols("1/10", limit=2000)
        if isinstance(n, int) and n <= LENGTH:
            assert spreads[n] <= 0.1 + 1e-12
            assert not n or spreads[n - 1] > 0.1 - 1e-12
        short = [are_scrambling(products(acceptor, n)) for n in range(1, 8)]
        if isinstance(found.order, int):
            assert short == [n >= found.order for n in range(1, 8)]
        else:
            assert not any(short)
            assert found.never_scrambling
            power = np.linalg.matrix_power(acceptor.matrix(found.never_scrambling) > 0, 9)
            assert not are_scrambling(power[None])


@pytest.mark.parametrize("seed", range(1, 41, 2))
def test_definite_dfas_decide_what_is_far_enough_from_the_cut_point(seed: int) -> None:
    acceptor = seeded_acceptor(seed, least_states=2)
    for cut_point, epsilon in ((Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 3), Fraction(0))):
        dfa = cp.ergodicity(acceptor).definite_dfa(cut_point, epsilon, max_states=300)
        if isinstance(dfa, cp.DFA):
            for word in ("".join(letters) for n in range(7) for letters in product("ab", repeat=n)):
                acceptance = acceptor.exact_acceptance(word)
                if abs(acceptance - cut_point) > epsilon / 2 or not epsilon:
                    assert dfa.accepts(word) == (acceptance > cut_point)


def test_known_cases() -> None:
    binary = cp.ergodicity(cp.p_adic(2))
    assert binary.coefficients == (Fraction(1, 2), Fraction(1, 2))
    assert (binary.order, binary.order_coefficient, binary.definite_order) == (1, Fraction(1, 2), None)
    assert binary.is_scrambling
    assert binary.is_quasi_definite is True
    assert not binary.is_definite
    assert binary.bound(10) == Fraction(1, 1024)
    assert [binary.last_symbols(Fraction(1, 2**n)) for n in (0, 1, 5)] == [0, 1, 5]
    cantor = cp.p_adic(3).restricted("02")  # no acceptance between 1/3 and 2/3: the last digit decides
    assert cp.ergodicity(cantor).definite_dfa("1/2") == cp.Language(cantor, "1/2").to_dfa()

    shift = {"a": [[1, 0, 0], [1, 0, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 1], [0, 0, 1]]}
    slow = cp.ergodicity(cp.Acceptor(3, "ab", shift, 0, {2}))
    assert slow.order is None
    assert slow.is_quasi_definite is False
    assert slow.never_scrambling is not None
    last_two = cp.gallery.deterministic(
        {"": {"a": "a", "b": "b"}, "a": {"a": "aa", "b": "ab"}, "b": {"a": "ba", "b": "bb"}}
        | {first + last: {"a": last + "a", "b": last + "b"} for first in "ab" for last in "ab"}, "", {"ab"},
    )  # fmt: skip
    two = cp.ergodicity(last_two)
    assert (two.order, two.definite_order, two.order_coefficient) == (2, 2, 0)
    assert two.last_symbols(0) == 2
    assert two.definite_dfa("1/2") == cp.Language(last_two, "1/2").to_dfa()

    delay = cp.Acceptor(3, "a", [[[0, 1, 0], [0, 0, 1], [0, 0, 1]]], 0, {2})  # only its first state has another row
    assert cp.ergodicity(delay).definite_order == 2

    assert cp.ergodicity(cp.gallery.parity()).sia == (False, False)
    assert cp.ergodicity(cp.gallery.land_of_oz()).sia == (True,)
    single = cp.ergodicity(cp.Acceptor(1, "a", [[[1]]], 0, {0}))
    assert (single.coefficients, single.order, single.definite_order, single.bound(0)) == ((0,), 1, 0, 0)


def test_limits_are_told() -> None:
    cycle = {
        "a": np.roll(np.eye(9, dtype=int), 1, axis=1),
        "b": [[1 if t == max(s - 1, 0) else 0 for t in range(9)] for s in range(9)],
    }
    few = cp.ergodicity(cp.Acceptor(9, "ab", cycle, 0, {0}), limit=5)
    assert isinstance(few.order, cp.Unknown)
    assert not few.is_quasi_definite
    assert "whether quasi-definite is unknown" in repr(few)
    answer = cp.ergodicity(cp.p_adic(2)).definite_dfa("1/3", max_states=3)
    assert str(answer).startswith("unknown: 3 suffixes")
    assert cp.ergodicity(cp.p_adic(2)).last_symbols(Fraction(1, 2**40), limit=3) in (40, 41)


def test_what_is_shown() -> None:
    forgets = cp.ergodicity(cp.random_acceptor(3, "ab", rng=1))
    assert isinstance(forgets.coefficients[0], float)
    assert repr(forgets).startswith(
        "<Ergodicity: quasi-definite, products of 1 are scrambling, with coefficients up to "
    )


def test_of_many_symbols_the_first_are_shown() -> None:
    nine = cp.ergodicity(cp.random_acceptor(2, "abcdefghi", rng=1))
    assert [part.partition(":")[0] for part in repr(nine).partition("coefficients a")[2].split(", ")[1:]] == [
        *"bcdefgh",
        "…>",
    ]


def test_definite_acceptors_are_shown_with_their_number_of_symbols() -> None:
    last = cp.Acceptor(2, "ab", {"a": [[1, 0], [1, 0]], "b": [[0, 1], [0, 1]]}, 0, {1})
    assert repr(cp.ergodicity(last)) == "<Ergodicity: definite, decided by the last 1 symbol; coefficients a: 0, b: 0>"
    assert cp.ergodicity(last).last_symbols("1/10") == 1
