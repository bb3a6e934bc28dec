"""Fewer dimensions, fewer states, other names: minimize, quotient, trim, isomorphism."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.guises import permuted, small_acceptor, split, with_clock, with_dummy
from tests.model.test_weighted import linears
from tests.strategies import acceptors
from tests.words import rank, values


def hankel_rank(function: Any, longest: int) -> int:
    """Rank of the Hankel matrix of all words up to a length, which must be the dimension less 1 or more."""
    table = values(function, 2 * longest)
    words = [word for word in table if len(word) <= longest]
    return rank([[table[x + y] for y in words] for x in words])


def in_some_guise(seed: int) -> cp.Acceptor:
    rng = np.random.default_rng(seed)
    A = small_acceptor(rng, int(rng.integers(1, 3)))
    return (split, permuted, with_dummy, lambda A, rng: with_clock(A, 1), lambda A, rng: split(split(A, rng), rng))[
        seed % 5
    ](A, rng)


@given(st.one_of(acceptors(max_states=4, max_symbols=2, exact=True), st.integers(0, 999).map(in_some_guise), linears()))
def test_minimal_dimension_is_the_rank_of_the_hankel_matrix(function: Any) -> None:
    small = cp.minimize(function)
    size = cp.WeightedAutomaton.of(function).dimension
    assert small.is_exact
    assert small.dimension == hankel_rank(function, max(size - 1, 0))
    assert values(small, 4) == values(function, 4)
    assert cp.equivalence(small, function)
    again = cp.minimize(small)
    assert again.dimension == small.dimension
    assert cp.equivalence(again, function)


@pytest.mark.parametrize("seed", range(20))
def test_minimize_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = cp.random_acceptor(4, "ab", rng=seed)
    double = permuted(A & cp.random_acceptor(3, "ab", rng=seed + 50).replace(final=np.array([True] * 3)), rng)
    small = cp.minimize(double)
    assert small.dimension == cp.minimize(A.rationalized()).dimension == 4
    assert not small.is_exact
    words = cp.random_words("ab", 200, (0, 30), rng=seed)
    np.testing.assert_allclose(small.values(words), A.acceptances(words), rtol=0, atol=1e-8)
    assert cp.minimize(small).dimension == 4


def test_minimize_to_a_tolerance() -> None:
    """Rows that differ by 1e-6 are two for the default tolerance and one for a larger one."""
    d = 1e-6
    swap, stay = [[0, 0, 1], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]
    A = cp.Acceptor(3, "ab", [[[0, 0.5, 0.5], *swap], [[0, 0.5 + d, 0.5 - d], *stay]], 0, {1})
    coarse = cp.minimize(A, tolerance=1e-3)
    assert (cp.minimize(A).dimension, coarse.dimension) == (3, 2)
    words = list(values(A.rationalized(), 5))
    np.testing.assert_allclose(coarse.values(words), A.acceptances(words), rtol=0, atol=1e-4)
    assert cp.minimize(A.rationalized(10**7)).is_exact
    assert not cp.minimize(A.rationalized(10**7), tolerance=1e-3).is_exact


def test_minimize_known_sizes() -> None:
    A = cp.p_adic(2)
    assert cp.minimize(A).dimension == 2
    assert cp.minimize(A & A).dimension == 3  # p, p² and 1
    assert cp.minimize(cp.WeightedAutomaton.of(A) - A).dimension == 0
    assert cp.minimize(A.replace(final=set())).dimension == 0
    assert cp.minimize(A.replace(final={"s1", "s2"})).dimension == 1
    assert cp.minimize(cp.WeightedAutomaton("01", [], np.zeros((2, 0, 0)), [])).dimension == 0
    assert cp.minimize(0.5 * cp.WeightedAutomaton.of(A)).dimension == 2
    assert cp.minimize(0.0 * cp.WeightedAutomaton.of(A)).dimension == 0


# -- Quotient -------------------------------------------------------------------------------------------------------


def lumpable(A: cp.Acceptor, blocks: list[list[int]]) -> bool:
    """Whether states of a block are alike: both final or not, and equal sums into every block."""
    steps = A.exact_transitions.tolist()
    return all(
        A.final[s] == A.final[block[0]]
        and all(sum(m[s][t] for t in into) == sum(m[block[0]][t] for t in into) for m in steps for into in blocks)
        for block in blocks
        for s in block
    )


def partitions(items: list[int]) -> list[list[list[int]]]:
    """All ways to put items into blocks."""
    if not items:
        return [[]]
    head, *rest = items
    found = []
    for smaller in partitions(rest):
        found.append([[head], *smaller])
        found += [[*smaller[:i], [head, *block], *smaller[i + 1 :]] for i, block in enumerate(smaller)]
    return found


@given(st.one_of(acceptors(max_states=4, max_symbols=2, exact=True), st.integers(0, 999).map(in_some_guise)))
def test_quotient_is_the_coarsest_lumping(A: cp.Acceptor) -> None:
    small = cp.quotient(A)
    assert isinstance(small, cp.Acceptor)
    assert small.is_exact
    assert values(small, 4) == values(A, 4)
    if A.n_states <= 5:
        assert small.n_states == min(len(p) for p in partitions(list(range(A.n_states))) if lumpable(A, p))
    assert cp.quotient(small) == small


@pytest.mark.parametrize("seed", range(30))
def test_quotient_undoes_a_split(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = cp.quotient(small_acceptor(rng, 3))
    B = split(split(A, rng), rng)
    assert B.n_states == A.n_states + 2
    assert cp.decision.is_isomorphic(cp.quotient(B), A)
    floats = cp.Acceptor(B.states, B.alphabet, B.transitions, B.initial, B.final)
    lumped = cp.quotient(floats)
    assert lumped.n_states == A.n_states
    assert not lumped.is_exact
    assert cp.equivalence(lumped, A, tolerance=1e-12)


def test_quotient_to_a_tolerance() -> None:
    d = 1e-5
    steps = [[[0.2, 0.3, 0.5], [0.25, 0.25, 0.5], [0, 0.4, 0.6]], [[0.5, 0, 0.5 + 0], [0.5 - d, 0, 0.5 + d], [1, 0, 0]]]
    A = cp.Acceptor("xyz", "ab", steps, "x", {"z"})
    assert cp.quotient(A).n_states == 3
    B = cp.quotient(A, tolerance=1e-4)
    assert B.states == (("x", "y"), "z")
    expected = np.array([[0.5 - d / 2, 0.5 + d / 2], [1, 0]])
    np.testing.assert_allclose(B.transitions[1], expected, rtol=1e-12, atol=0)
    assert cp.quotient(A.rationalized(), tolerance=1e-4).states == B.states


def test_names_of_classes() -> None:
    rows = {"a": {"u": {"v": "1/2", "w": "1/2"}, "v": "v", "w": "w"}}
    A = cp.Acceptor(["u", "v", "w"], "a", rows, "u", {"v", "w"})
    assert cp.quotient(A).states == ("u", ("v", "w"))
    clash = A.renamed(states={"u": ("v", "w")})
    assert cp.quotient(clash).states == ((("v", "w"),), ("v", "w"))


# -- Trim -----------------------------------------------------------------------------------------------------------


@given(acceptors(max_states=4, max_symbols=2, exact=True))
def test_trim_leaves_only_states_that_play_a_part(A: cp.Acceptor) -> None:
    small = cp.trim(A)
    assert values(small, 4) == values(A, 4)
    words = list(values(small, small.n_states))
    seen = {s for word in words for s, p in zip(small.states, small.distribution(word), strict=True) if p > 0}
    assert seen == set(small.states)
    ends = {s: {small.replace(initial={s: 1}).acceptance(w) for w in words} for s in small.states}
    assert sum(end == {0.0} for end in ends.values()) <= 1
    assert sum(min(end) > 1 - 1e-12 for end in ends.values()) <= 1
    assert cp.trim(small) == small


def test_trim_drops_and_merges() -> None:
    steps = {
        "a": {
            "s": {"d1": "1/4", "y1": "1/4", "t": "1/2"},
            "t": "s",
            "d1": "d2",
            "d2": "d1",
            "y1": "y2",
            "y2": "y1",
            "lost": "s",
        }
    }
    A = cp.Acceptor(["s", "d1", "y1", "t", "d2", "y2", "lost"], "a", steps, "s", {"y1", "y2"})
    B = cp.trim(A)
    assert B.states == ("s", ("d1", "d2"), ("y1", "y2"), "t")
    assert cp.equivalence(A, B)
    assert B.transition("a", ("d1", "d2"), ("d1", "d2")) == 1.0
    tiny = cp.Acceptor(2, "a", [[[1 - 1e-17, 1e-300], [0, 1]]], 0, {1})
    assert cp.trim(tiny).n_states == 2


# -- Isomorphism ----------------------------------------------------------------------------------------------------


def first_isomorphism(A: cp.Acceptor, B: cp.Acceptor) -> dict[Any, Any] | None:
    """By trying all orders."""
    for order in permutations(range(B.n_states)):
        steps, start = B.exact_transitions[:, order][:, :, order], B.exact_initial[list(order)]
        if (
            (A.exact_transitions == steps).all()
            and (A.exact_initial == start).all()
            and (A.final == B.final[list(order)]).all()
        ):
            return {s: B.states[i] for s, i in zip(A.states, order, strict=True)}
    return None


def symmetric(seed: int) -> cp.Acceptor:
    """Acceptors with few different entries, so that many states look alike."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    targets = rng.integers(0, n, size=(2, n))
    steps = np.array([[[int(t == to) for t in range(n)] for to in row] for row in targets])
    return cp.Acceptor(n, "ab", steps, "uniform", rng.random(n) < 0.3)


@given(
    st.one_of(acceptors(max_states=4, max_symbols=2, exact=True), st.integers(0, 2000).map(symmetric)),
    st.integers(0, 99),
)
def test_isomorphism_finds_the_first_renaming(A: cp.Acceptor, seed: int) -> None:
    B = permuted(A, np.random.default_rng(seed))
    found = cp.decision.isomorphism(A, B)
    assert found is not None
    assert found == first_isomorphism(A, B)
    assert cp.decision.is_isomorphic(A, B) is True
    flipped = A.final.copy()
    flipped[seed % A.n_states] ^= True
    C = B.replace(final=flipped)
    assert cp.decision.isomorphism(A, C) == first_isomorphism(A, C)


def test_isomorphism_needs_more_than_colors() -> None:
    """Two triangles and a hexagon: every state sees the same, and only trying out tells them apart."""

    def rings(*lengths: int) -> cp.Acceptor:
        rows, at = [], 0
        for n in lengths:
            rows += [{at + (i + 1) % n: "1/2", at + (i - 1) % n: "1/2"} for i in range(n)]
            at += n
        return cp.Acceptor(at, "a", {"a": dict(enumerate(rows))}, "uniform", range(0))

    assert not cp.decision.is_isomorphic(rings(3, 3), rings(6))
    assert cp.decision.is_isomorphic(rings(3, 4), rings(4, 3))
    assert cp.decision.isomorphism(rings(6), rings(6)) == {i: i for i in range(6)}


def test_isomorphism_compares_names_of_symbols_and_exact_numbers() -> None:
    A = cp.p_adic(3)
    assert cp.decision.is_isomorphic(A, A.restricted("201"))
    assert not cp.decision.is_isomorphic(A, A.renamed(symbols={"1": "2", "2": "1"}))
    assert not cp.decision.is_isomorphic(cp.p_adic(2), cp.p_adic(2) & cp.p_adic(2))
    floats = cp.Acceptor(A.states, A.alphabet, A.transitions, A.initial, A.final)
    assert not cp.decision.is_isomorphic(A, floats)  # the float 1/3 is another number
    assert cp.decision.is_isomorphic(floats, permuted(floats, np.random.default_rng(1)))
    assert not cp.decision.is_isomorphic(A, A.replace(initial=[Fraction(1, 2), Fraction(1, 2)]))


TEXT: Any = "A"
THREE: Any = 3
LINEAR: Any = cp.WeightedAutomaton.of(cp.p_adic(2))
TOLERANCE = "tolerance must be a finite number, 1e-12 or more, because below that rounding decides; got "


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        (lambda A: cp.minimize(TEXT), "expected an Acceptor or a WeightedAutomaton; got 'A'."),
        (lambda A: cp.minimize(A, tolerance=float("nan")), TOLERANCE + "nan."),
        (lambda A: cp.quotient(TEXT), "expected an Acceptor; got 'A'."),
        (lambda A: cp.quotient(A, tolerance=-1), TOLERANCE + "-1."),
        (
            lambda A: cp.trim(LINEAR),
            "expected an Acceptor; got <WeightedAutomaton: dimension 2, 2 symbols {'0', '1'}, exac….",
        ),
        (lambda A: cp.decision.is_isomorphic(A, THREE), "expected an Acceptor; got 3."),
        (
            lambda A: cp.decision.is_isomorphic(A, cp.p_adic(3)),
            "automata must have the same alphabet; got {'0', '1'} and {'0', '1', '2'}.",
        ),
    ],
)
def test_slips_get_a_sentence(slip: Any, sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        slip(cp.p_adic(2))
    assert str(refusal.value) == sentence


def test_floats_that_cancel_leave_no_dimension() -> None:
    """Of f - f nothing but rounding remains, which is no direction of its own."""
    function = cp.WeightedAutomaton.of(cp.random_acceptor(3, "ab", rng=1))
    assert cp.minimize(function - function).dimension == 0
    assert cp.minimize(function - 3 * function + function / "1/2").dimension == 0
    assert cp.minimize(function - function + "1/1000000").dimension == 1
