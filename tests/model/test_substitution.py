"""Other names, other symbols, and powers of a word."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutpoint as cp
from tests.strategies import acceptors, words_of
from tests.words import values


@given(acceptors(max_states=3, max_symbols=2, exact=True))
def test_other_names_change_nothing_else(A: cp.Acceptor) -> None:
    B = A.renamed(states=lambda state: f"{state}'", symbols={"a": "x"})
    assert B.states == tuple(f"{state}'" for state in A.states)
    assert B.alphabet == ("x", *A.alphabet[1:])
    assert B.is_exact
    assert [*values(B, 3).values()] == [*values(A, 3).values()]
    assert B.renamed(states=dict(zip(B.states, A.states, strict=True)), symbols={"x": "a"}) == A
    assert A.renamed() == A


@given(acceptors(max_states=3, max_symbols=3, exact=True))
def test_restriction_keeps_the_words_that_remain(A: cp.Acceptor) -> None:
    kept = A.alphabet[::-2]
    B = A.restricted(kept)
    assert B.alphabet == kept
    whole = values(A, 3)
    assert values(B, 3) == {
        word: whole[word] for n in range(4) for word in map("".join, product(map(str, kept), repeat=n))
    }


@given(acceptors(max_states=3, max_symbols=2, exact=True), st.data())
def test_an_inverse_image_reads_the_words_behind_the_symbols(A: cp.Acceptor, data: st.DataObject) -> None:
    words = {symbol: data.draw(words_of(A, max_length=2)) for symbol in "xy"}
    B = A.inverse_image(words)
    assert B.is_exact
    whole = values(A, 6)
    assert values(B, 3) == {word: whole["".join(words[y] for y in word)] for word in values(B, 3)}
    floats = cp.Acceptor(A.states, A.alphabet, A.transitions, A.initial, A.final).inverse_image(words)
    assert not floats.is_exact
    np.testing.assert_allclose(floats.acceptances(["xyx", ""]), B.acceptances(["xyx", ""]), rtol=1e-12, atol=0)


def test_an_inverse_image_of_rows_that_are_off_is_rescaled() -> None:
    A = cp.Acceptor(2, "a", [[[0.5, 0.5 + 9e-10], [0.5, 0.5 + 9e-10]]], 0, {1})
    B = A.inverse_image({"x": "a" * 50})
    assert abs(B.transitions.sum(axis=2) - 1).max() < 1e-12
    assert B.acceptance("x") == pytest.approx(0.5, abs=1e-7)


@given(acceptors(max_states=3, max_symbols=2, exact=True), st.data())
def test_powers_are_repetitions(A: cp.Acceptor, data: st.DataObject) -> None:
    word = data.draw(words_of(A, max_length=2))
    whole = values(A, 8)
    times = [0, 1, 2, 4, 3]
    exact = A.power_acceptance(word, times, exact=True)
    assert exact.tolist() == [whole[word * k] for k in times]
    np.testing.assert_allclose(A.power_acceptance(word, times), exact.astype(float), rtol=1e-12, atol=0)
    assert A.power_acceptance(word, 3, exact=True) == whole[word * 3]
    assert isinstance(A.power_acceptance(word, 3), float)


def test_huge_powers() -> None:
    """From s1 the probability of being in s2 after k steps is (1 - (1 - 3/2**40)**k) / 3; the limit is 1/3."""
    e = Fraction(1, 2**40)
    A = cp.Acceptor(2, "a", [[[1 - e, e], [2 * e, 1 - 2 * e]]], 0, {1})
    times = [2**40, 3 * 10**11, 10**15, 10**30]
    expected = [-np.expm1(k * np.log1p(-3.0 * 2.0**-40)) / 3 for k in times]
    np.testing.assert_allclose(A.power_acceptance("a", times), expected, rtol=1e-3, atol=0)
    assert A.power_acceptance("aa", 2**39) == pytest.approx(expected[0], rel=1e-3, abs=0)
    assert cp.p_adic(2).power_acceptance("1", 5000, exact=True) == 1 - Fraction(1, 2**5000)
    cyclic = cp.gallery.tomita(6)
    assert cyclic.power_acceptance("0", [3 * 10**20, 3 * 10**20 + 1]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        (
            lambda A: A.renamed(states={"s3": "x"}),
            "states: 's3' is not a state; the states are {'s1', 's2'}.",
        ),
        (lambda A: A.renamed(states={"s1": "s2"}), "state names must be distinct; repeated: {'s2'}."),
        (lambda A: A.renamed(states=["a", "b"]), "states must be a mapping {old: new} or a function; got ['a', 'b']."),
        (lambda A: A.renamed(symbols={"2": "x"}), "symbols: symbol '2' is not in the alphabet {'0', '1'}."),
        (lambda A: A.renamed(symbols=lambda _: "x"), "symbols must be distinct; repeated: {'x'}."),
        (lambda A: A.restricted("02"), "restricted: symbol '2' is not in the alphabet {'0', '1'}."),
        (lambda A: A.restricted(""), "an acceptor needs at least one symbol; the alphabet is empty."),
        (lambda A: A.inverse_image({}), "a substitution must be a mapping {new symbol: word}; got {}."),
        (lambda A: A.inverse_image("01"), "a substitution must be a mapping {new symbol: word}; got '01'."),
        (lambda A: A.inverse_image({"x": "02"}), "position 1: symbol '2' is not in the alphabet {'0', '1'}."),
        (lambda A: A.power_acceptance("0", -1), "an exponent must be a whole number, 0 or more; got -1."),
        (lambda A: A.power_acceptance("0", [1, 2.5]), "an exponent must be a whole number, 0 or more; got 2.5."),
        (lambda A: A.power_acceptance("2", 1), "position 0: symbol '2' is not in the alphabet {'0', '1'}."),
        (
            lambda A: A.power_acceptance("0", 10**12, exact=True),
            "the exact power of the matrix would take about 1,000,000,000,000 bytes; lower the exponent to about 125,000,000, or leave exact=True out.",
        ),
    ],
)
def test_slips_get_a_sentence(slip: Any, sentence: str) -> None:
    with pytest.raises(cp.CutpointError) as refusal:
        slip(cp.p_adic(2))
    assert str(refusal.value) == sentence
