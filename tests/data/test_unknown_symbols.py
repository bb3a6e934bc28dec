"""Symbols that are not in an alphabet: refused, left out, or read as the rare symbol."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.data import Alphabet
from cutpoint.data.alphabet import RARE, RARE_CHARACTER, Tokens
from tests.refusals import Refusal, check_refused

LETTERS = cp.random_acceptor(3, "abc" + RARE_CHARACTER, rng=1)
JOURNEYS = cp.random_acceptor(3, ["visit", "cart", RARE], rng=2)
words = st.lists(st.text("abcxyz", max_size=8), max_size=6)


def without(word: Any, alphabet: Alphabet) -> list[Any]:
    return [symbol for symbol in word if symbol in alphabet]


@given(words)
def test_skipped_symbols_leave_the_word_without_them(words: list[str]) -> None:
    skipping = LETTERS.with_unknown("skip")
    expected = LETTERS.acceptances([without(word, LETTERS.alphabet) for word in words])
    assert np.array_equal(skipping.acceptances(words), expected)
    assert [skipping.acceptance(word) for word in words] == expected.tolist()


@given(words)
def test_unknown_symbols_are_read_as_the_rare_one(words: list[str]) -> None:
    reading = LETTERS.with_unknown("rare")
    spelt = ["".join(c if c in LETTERS.alphabet else RARE_CHARACTER for c in word) for word in words]
    assert np.array_equal(reading.acceptances(words), LETTERS.acceptances(spelt))
    assert [reading.exact_acceptance(word) for word in words] == [LETTERS.exact_acceptance(word) for word in spelt]


@pytest.mark.parametrize(
    "guise",
    [
        list,
        lambda words: [tuple(word) for word in words],
        lambda words: Tokens([" ".join(word) for word in words], " "),
        lambda words: pl.Series(words, dtype=pl.List(pl.String)),
        lambda words: [np.array(word, dtype=object) for word in words],
    ],
)
def test_words_in_every_guise_follow_the_rule(guise: Callable[[Any], Any]) -> None:
    given = [["visit", "phone", "cart"], [], ["phone"], ["cart"]]
    known = [["visit", "cart"], [], [], ["cart"]]
    rare = [["visit", RARE, "cart"], [], [RARE], ["cart"]]
    assert np.array_equal(JOURNEYS.with_unknown("skip").acceptances(guise(given)), JOURNEYS.acceptances(known))
    assert np.array_equal(JOURNEYS.with_unknown("rare").acceptances(guise(given)), JOURNEYS.acceptances(rare))
    with pytest.raises(cp.errors.UnknownSymbol, match=r"^word 0, position 1: symbol 'phone' is not in the alphabet"):
        JOURNEYS.acceptances(guise(given))


def test_every_operation_follows_the_rule() -> None:
    skipping = LETTERS.with_unknown("skip")
    assert np.array_equal(skipping.forward("axb"), LETTERS.forward("ab"))
    assert "axxb" in cp.Language(skipping, LETTERS.acceptance("ab") - 1e-9)
    assert "axxb" not in cp.Language(skipping, LETTERS.acceptance("ab") + 1e-9)
    for made in (pickle.loads(pickle.dumps(skipping)), ~skipping, skipping & skipping, skipping.replace(final={0})):
        assert made.alphabet.on_unknown == "skip"
    assert skipping == LETTERS
    assert hash(skipping) == hash(LETTERS)
    assert skipping.with_unknown("error").alphabet.on_unknown == "error"
    assert repr(LETTERS.alphabet) == f"Alphabet('abc{RARE_CHARACTER}')"
    assert repr(JOURNEYS.with_unknown("rare").alphabet) == "Alphabet(['visit', 'cart', '<rare>'], unknown='rare')"
    assert repr(skipping).endswith(", skips unknown symbols>")


def test_samples_follow_the_rule_of_the_alphabet() -> None:
    sample = cp.Sample(["axb", "ab", "ayb", "xx"], accepted=[True, True, False, None])
    assert sample.recoded(Alphabet("ab", unknown="skip")).words == ("ab", "ab", "")
    assert cp.Sample(["axb", "ab"], alphabet=Alphabet("ab", unknown="skip")).counts.tolist() == [2]
    skipping = LETTERS.with_unknown("skip")
    assert np.array_equal(skipping.acceptances(sample), LETTERS.acceptances(["ab", "ab", "ab", ""]))  # one by one
    assert cp.evaluate(skipping, sample).total == cp.evaluate(LETTERS, sample.recoded(skipping.alphabet)).total
    seen = cp.Sample(["axb"], verdicts=[[None, True, False, None]])
    assert cp.Sample(
        ["axb"], verdicts=[[True, False, True, None]], alphabet=Alphabet(LETTERS.alphabet, "rare")
    ).lengths == [3]
    for call in (lambda: seen.recoded(skipping.alphabet), lambda: skipping.acceptances(seen)):
        with pytest.raises(cp.errors.UnknownSymbol, match=r"position 1: symbol 'x' is not in the alphabet"):
            call()


def test_rare_symbols_are_folded_into_one() -> None:
    sample = cp.Sample(["abab", "axb", "ayb", "ax"], accepted=[True, False, False, True], counts=[1, 2, 1, 1])
    folded = sample.with_rare(4)
    assert folded.alphabet == Alphabet(["a", "b", RARE_CHARACTER])
    assert folded.words == ("abab", f"a{RARE_CHARACTER}b", f"a{RARE_CHARACTER}")
    assert folded.counts.tolist() == [1, 3, 1]
    assert cp.learn(folded, 2, rng=0).acceptor.alphabet.on_unknown == "rare"
    words = cp.Sample([["visit", "zip"], ["visit"]]).with_rare()
    assert words.alphabet == ("visit", RARE)
    assert cp.Sample(["q"]).with_rare().alphabet == (RARE_CHARACTER,)
    again = folded.with_rare(4)
    assert (again.words, again.alphabet) == (folded.words, folded.alphabet)


def test_without_rare_symbols_unknown_ones_are_skipped() -> None:
    sample = cp.Sample(["abab", "ba"], accepted=[True, False], alphabet="abc")  # c is declared and never read
    folded = sample.with_rare(2)
    assert repr(folded.alphabet) == "Alphabet('ab', unknown='skip')"
    assert folded.words == sample.words


REFUSALS: dict[str, Refusal] = {
    "no such rule": (
        lambda: LETTERS.with_unknown("ignore"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "unknown must be 'error', 'skip' or 'rare'; got 'ignore'.",
    ),
    "no rare symbol": (
        lambda: cp.gallery.customers().with_unknown("rare"),
        cp.errors.InvalidArgument,
        "unknown 'rare' needs the symbol '<rare>' in the alphabet, which learning makes of rare symbols. "
        "Learn from Sample.with_rare(). Or use unknown='skip'.",
    ),
    "a symbol that cannot be one": (
        lambda: LETTERS.with_unknown("skip").acceptances([["a", []]]),  # type: ignore[list-item]
        cp.errors.UnknownSymbol,
        f"word 0, position 1: symbol [] is not in the alphabet {{'a', 'b', 'c', '{RARE_CHARACTER}'}}.",
    ),
    "a str where symbols are words": (
        lambda: JOURNEYS.with_unknown("skip").acceptance("visit"),
        cp.errors.UnknownSymbol,
        "position 0: symbol 'v' is not in the alphabet {'visit', 'cart', '<rare>'}. "
        "A str is read character by character; pass a list of symbols instead.",
    ),
    "no count": (
        lambda: cp.Sample(["a"]).with_rare(0),
        cp.errors.InvalidArgument,
        "min_count must be a whole number, 1 or more; got 0.",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    check_refused(*REFUSALS[name])
