"""Languages, DFAs and Hankel blocks of weighted automata, against enumeration with fractions."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from tests.model.test_weighted import NUMBERS, linears
from tests.refusals import check_refused
from tests.words import rank, values


@given(linears(), st.booleans(), st.data())
def test_membership_is_certified(f: cp.WeightedAutomaton, inclusive: bool, data: st.DataObject) -> None:
    table = values(f, 3)
    cut_point = data.draw(st.one_of(NUMBERS, st.sampled_from(sorted(set(table.values())))))
    L = cp.Language(f, cut_point, inclusive)
    inside = [word for word, value in table.items() if value > cut_point or (inclusive and value == cut_point)]
    assert list(L.words(3)) == inside
    assert L.contains(list(table)).tolist() == [word in inside for word in table]
    assert [word for word in table if word in ~L] == [word for word in table if word not in inside]
    assert (L & cp.Language(f, cut_point)).inclusive is False
    assert ("" in L) == ("" in inside)


@settings(max_examples=30)
@given(linears(), st.lists(st.text("ab", min_size=20, max_size=120), min_size=1, max_size=6), st.integers(-8, 8))
def test_no_margin_is_too_small(f: cp.WeightedAutomaton, words: list[str], ulps: int) -> None:
    """Cut points next to the value of a long word, whose terms cancel or leave the range of floats."""
    for g in (f, f * 0.1, f / 10**6):
        exact = [g.exact_value(word) for word in words]
        cut_point = exact[0] * (1 + Fraction(ulps, 2**55))
        assert cp.Language(g, cut_point).contains(words).tolist() == [value > cut_point for value in exact]


def test_numbers_beyond_floats_are_compared_exactly() -> None:
    f = cp.WeightedAutomaton("ab", [1, 0], {"a": [[10, 1], [0, 10]], "b": [["1/1000", 0], [0, -1]]}, [1, 1])
    assert "a" * 400 in cp.Language(f, 10**400)
    assert "a" * 400 not in cp.Language(f, 41 * 10**400)
    assert "a" * 400 in cp.Language(f, 41 * 10**400, inclusive=True)
    assert "b" * 200 in cp.Language(f, 0)  # 10**-600, which is 0 as a float
    assert "b" * 200 not in cp.Language(f, Fraction(1, 10**600))
    assert "b" * 110 + "a" * 30 in cp.Language(f, Fraction(1, 10**310))  # 4e-300, which passes through 0 as a float
    assert "b" * 200 + "a" * 500 in cp.Language(f, Fraction(1, 10**100))  # 5.1e-99, likewise
    tiny = cp.WeightedAutomaton("a", [10**300], [[[Fraction(1, 10**400)]]], [1])
    assert "a" in cp.Language(tiny, Fraction(1, 10**101))  # 1e-100, whose factor is 0 as a float
    assert cp.Language(f, 1).membership(["a", "b", ""]).n_exact == 1
    assert "a" in cp.Language(f, cp.AlgebraicNumber.sqrt(120))  # 11 > 10.95
    assert "a" not in cp.Language(f, cp.AlgebraicNumber.sqrt(122))
    assert "a" in ~cp.Language(f, cp.AlgebraicNumber.sqrt(122))


def test_displays_name_the_value() -> None:
    f = cp.WeightedAutomaton("a", [1], [[[2]]], [1])
    L = cp.Language(f, 3)
    assert repr(L) == f"<Language: value > 3 of {f!r}>"
    assert "Words of value more than 3. First words: &#x27;aa&#x27;" in L._repr_html_()


@given(st.integers(1, 5), st.data())
def test_a_dfa_comes_back(n: int, data: st.DataObject) -> None:
    row = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    steps = tuple(data.draw(row) for _ in range(n))
    D = cp.DFA(cp.data.Alphabet("ab"), steps, 0, frozenset(data.draw(st.sets(st.integers(0, n - 1)))))
    f = D.to_weighted()
    assert cp.DFA.from_weighted(f) == D.minimize()
    assert cp.DFA.from_weighted(1 - (2 * f - f)) == (~D).minimize()


@given(linears(), st.lists(st.text("ab", max_size=2), max_size=4), st.lists(st.text("ab", max_size=2), max_size=4))
def test_rank_of_the_hankel_block_is_the_least_dimension(
    f: cp.WeightedAutomaton, prefixes: list[str], suffixes: list[str]
) -> None:
    least, block, table = cp.minimize(f).dimension, cp.hankel_block(f), values(f, 4)
    assert block.rank == least == len(block.prefixes) == len(block.suffixes)
    assert block.values.tolist() == [[table[f"{x}{y}"] for y in block.suffixes] for x in block.prefixes]
    given_block = cp.hankel_block(f, prefixes, suffixes)
    rows = [[table[x + y] for y in suffixes] for x in prefixes]
    assert given_block.values.tolist() == rows
    assert given_block.rank == rank(rows) <= least
    whole = [word for word in table if len(word) <= 2]
    assert rank([[table[x + y] for y in whole] for x in whole]) == least
    assert block == cp.hankel_block(f)
    assert hash(block) == hash(cp.hankel_block(f))


def test_a_hankel_block_shows_itself() -> None:
    block = cp.hankel_block(cp.p_adic(2))
    assert repr(block) == "<HankelBlock: 2 by 2 words, rank 2>"
    assert "3/4" in block._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        block.values[0, 0] = 1
    floats = cp.hankel_block(cp.WeightedAutomaton("a", [0.1], [[[0.5]]], [1.0]))
    assert floats.values.tolist() == [[Fraction(0.1)]]
    assert cp.hankel_block(cp.p_adic(2), suffixes=["1"]).values.tolist() == [[Fraction(1, 2)], [Fraction(3, 4)]]


F = cp.WeightedAutomaton("ab", [1, 0], {"a": [[1, 2], [0, 1]], "b": [[1, 0], [0, 1]]}, [0, 1])
NEEDS_AN_ACCEPTOR = (
    "this needs an acceptor; the language is that of a weighted automaton f. Acceptor.from_weighted(f) is f, if it is "
    "stochastic; Language(*f.to_acceptor(cut_point), relation=...) has the same words in any case."
)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        *(
            (call, NEEDS_AN_ACCEPTOR)
            for call in (
                lambda: cp.Language(F, 1).count(3),
                lambda: cp.Language(F, 1).to_dfa(),
                lambda: cp.Language(F, 1).isolation(),
                lambda: cp.Language(F, 1).find_word(3),
                lambda: cp.Language(F, 1).most_accepted(1, 3),
                lambda: cp.Language(F, 1) & cp.Language(F + 1, 1),
            )
        ),
        (lambda: cp.Language(F, "two"), "a cut point must be a finite number or a string such as '1/3'; got 'two'."),
        (lambda: "abc" in cp.Language(F, 1), "position 2: symbol 'c' is not in the alphabet {'a', 'b'}."),
        (
            lambda: cp.DFA.from_weighted(F),
            "a DFA needs a function whose values are 0 and 1; that of the word 'a' is 2.",
        ),
        (lambda: cp.hankel_block(F, "ab"), "expected a collection of words; got 'ab'. For a single word write [word]."),
        (lambda: cp.hankel_block(3), "expected an Acceptor or a WeightedAutomaton; got 3."),  # type: ignore[arg-type]
    ],
)
def test_refused_with_a_sentence(call: Callable[[], Any], sentence: str) -> None:
    check_refused(call, cp.CutpointError, sentence)
