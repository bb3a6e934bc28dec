"""Acceptor as a value: input forms, exactness, equality, immutability, text."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import cutpoint as cp
from tests.strategies import acceptors

HALF = Fraction(1, 2)
COIN = cp.Acceptor(["h", "t"], "f", {"f": [[HALF, HALF], [0, 1]]}, "h", {"t"})


@pytest.mark.parametrize(
    "transitions",
    [
        {"f": [["1/2", "1/2"], [0, 1]]},
        {"f": [["0.5", Decimal("0.5")], [False, True]]},
        {"f": {"h": {"h": "1/2", "t": "1/2"}, "t": {"t": 1}}},
        {"f": {"t": "t", "h": ["1/2", HALF]}},
        [[[HALF, HALF], [0, 1]]],
        np.array([[[HALF, HALF], [0, 1]]], dtype=object),
        ((("1/2", "1/2"), (0, np.int64(1))),),
    ],
)
def test_forms_of_transitions(transitions: Any) -> None:
    acceptor = cp.Acceptor(["h", "t"], "f", transitions, "h", {"t"})
    assert acceptor == COIN
    assert acceptor.is_exact
    assert acceptor.exact_transitions[0, 0, 1] == HALF


@pytest.mark.parametrize("initial", ["h", {"h": 1}, {"h": "1", "t": 0}, [1, 0], (1, 0), np.array([1, 0])])
def test_forms_of_initial(initial: Any) -> None:
    assert COIN.replace(initial=initial) == COIN


@pytest.mark.parametrize(
    "final",
    [
        {"t"}, ["t"], ("t",), "t", frozenset("t"), {"t": True, "h": False}, {"t": 1}.keys(),
        [0, 1], (0, 1), [False, True], np.array([0, 1]), np.array([False, True]), np.array([0.0, 1.0]),
        (name for name in ["t"]),
    ],
)  # fmt: skip
def test_forms_of_final(final: Any) -> None:
    assert COIN.replace(final=final) == COIN


def test_final_of_integer_states() -> None:
    acceptor = cp.random_acceptor(3, "a", rng=0)
    assert acceptor.replace(final={0, 2}).final.tolist() == [True, False, True]
    assert acceptor.replace(final=[2]).final.tolist() == [False, False, True]
    assert acceptor.replace(final=[]).final.tolist() == [False, False, False]
    assert acceptor.replace(final=[True, False, True]).final.tolist() == [True, False, True]
    assert acceptor.replace(final=2).final_states == (2,)


def test_floats_are_kept_as_given() -> None:
    third = [1 / 3, 1 / 3, 1 - 1e-10 - 2 / 3]
    acceptor = cp.Acceptor(3, "a", [[third] * 3], [0.25, 0.25, 0.5], {0})
    assert acceptor.transitions[0, 0].tolist() == third
    assert not acceptor.is_exact
    assert acceptor.exact_initial.tolist() == [Fraction(1, 4), Fraction(1, 4), HALF]


def test_one_float_makes_all_floats() -> None:
    assert not COIN.replace(initial=[1.0, 0]).is_exact
    assert not cp.Acceptor(2, "ab", {"a": [["1/2", "1/2"], [0, 1]], "b": [[0.5, 0.5], [0, 1]]}, 0, {1}).is_exact


def test_normalized() -> None:
    acceptor = cp.Acceptor.normalized(["h", "t"], "f", {"f": [[3, 3], [0, 2]]}, [5, 0], {"t"})
    assert acceptor == COIN
    assert acceptor.is_exact
    floats = cp.Acceptor.normalized(2, "f", [[[0.98, 0.98], [0, 1]]], [1.0, 3.0], {1})
    assert floats.transitions[0, 0].tolist() == [0.5, 0.5]
    with pytest.raises(cp.errors.InvalidAcceptor, match="row of symbol 'f', state 1 sums to 0 and cannot be rescaled"):
        cp.Acceptor.normalized(2, "f", [[[1, 1], [0, 0]]], [1, 0], {1})
    with pytest.raises(cp.errors.InvalidAcceptor, match="initial sums to 0 and cannot be rescaled"):
        cp.Acceptor.normalized(2, "f", [[[1, 1], [1, 0]]], [0, 0], {1})
    with pytest.raises(cp.errors.InvalidAcceptor, match="must have entries that are not negative; got -1"):
        cp.Acceptor.normalized(2, "f", [[[3, -1], [1, 0]]], [1, 0], {1})


def test_the_smallest_float_can_be_rescaled() -> None:
    tiny = cp.Acceptor(2, "a", [[[1 + 1e-10, 5e-324], [0, 1]]], 0, {1})
    exact = tiny.rationalized(max_denominator=None)
    assert 0 < exact.exact_acceptance("a") < Fraction(5e-324)
    assert exact.acceptance("a") == 5e-324


def test_equality_is_of_values() -> None:
    floats = cp.Acceptor(["h", "t"], "f", {"f": [[0.5, 0.5], [0.0, 1.0]]}, "h", {"t"})
    assert floats == COIN
    assert hash(floats) == hash(COIN)
    thirds = COIN.replace(transitions=[[["1/3", "2/3"], [0, 1]]])
    rounded = COIN.replace(transitions=[[[1 / 3, 2 / 3], [0, 1]]])
    assert thirds != rounded, "a third is not its float"
    assert COIN != ~COIN
    assert COIN != "coin"
    assert COIN.replace(transitions=[[[HALF, HALF], [0.0, 1.0]]]) == COIN
    assert len({COIN, floats, thirds}) == 2


@given(acceptors())
def test_copies_are_equal_and_frozen(acceptor: cp.Acceptor) -> None:
    for twin in (copy.deepcopy(acceptor), pickle.loads(pickle.dumps(acceptor)), acceptor.replace()):
        assert twin == acceptor
        assert hash(twin) == hash(acceptor)
        assert not twin.transitions.flags.writeable


def test_immutable() -> None:
    with pytest.raises(AttributeError, match=r"an Acceptor is immutable: cannot set 'initial'\. Use replace"):
        COIN.initial = np.array([0.0, 1.0])
    with pytest.raises(AttributeError, match="cannot delete 'final'"):
        del COIN.final
    for array in (COIN.transitions, COIN.initial, COIN.final, COIN.exact_transitions, COIN.exact_initial):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array
    given_array = np.array([[[0.5, 0.5], [0.0, 1.0]]])
    acceptor = cp.Acceptor(2, "f", given_array, 0, {1})
    given_array[0, 0] = [1.0, 0.0]
    assert acceptor.transitions[0, 0, 0] == 0.5, "the caller's array was copied"


def test_relabeling_states_changes_nothing() -> None:
    acceptor = cp.random_acceptor(4, "ab", rng=3)
    order = [2, 0, 3, 1]
    renamed = cp.Acceptor(
        order, "ab", acceptor.transitions[:, order][:, :, order], acceptor.initial[order], acceptor.final[order]
    )
    words = cp.random_words("ab", 50, (0, 12), rng=1)
    np.testing.assert_allclose(renamed.acceptances(words), acceptor.acceptances(words), rtol=1e-13)


def test_repr_fits_on_a_screen() -> None:
    assert repr(COIN) == "<Acceptor: 2 states {h, t}, 1 symbol {f}, starts in {h}, accepts in {t}, exact>"
    huge = cp.random_acceptor([f"a state with a long name {i}" for i in range(60)], range(30), rng=0)
    assert len(repr(huge)) < 200
    assert "60 states {…}" in repr(huge)


def test_table() -> None:
    assert str(COIN) == COIN.table()
    assert COIN.table().splitlines() == ["         f:", "         h    t", "→  h     1/2  1/2", "   t *   0    1"]
    wide = cp.random_acceptor(3, "abcdefgh", rng=0)
    lines = wide.table(width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert sum(line.count(":") for line in lines) == 8
    assert wide.table(digits=2).splitlines()[2].startswith(f"→ {wide.initial[0]:.4g} ")
