"""Bounds of the value of an acceptor, emptiness and universality, against all short words."""

from fractions import Fraction
from itertools import product
from typing import cast

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.decision.word_search import searches_from_both_ends
from cutpoint.model.completion_bounds import MOST_SOLVED, endless_bounds
from tests.strategies import seeded_acceptor

LENGTH = 14


def largest_acceptance(acceptor: cp.Acceptor) -> float:
    """Over all words up to the length, in floats: all columns of one length at once."""
    columns, found = acceptor.final.astype(np.float64)[:, None], [0.0]
    for _ in range(LENGTH + 1):
        found.append(float((acceptor.initial @ columns).max()))
        columns = np.hstack([matrix @ columns for matrix in acceptor.transitions])
    return max(found)


@pytest.mark.parametrize("block", range(8))
def test_bounds_contain_the_best_of_all_short_words(block: int) -> None:
    for seed in range(25 * block, 25 * (block + 1)):
        acceptor = seeded_acceptor(seed)
        bounds, largest = cp.value(acceptor, max_length=LENGTH, limit=2000), largest_acceptance(acceptor)
        assert float(bounds.lower) == pytest.approx(largest, rel=1e-12, abs=0)
        assert float(bounds.lower) <= float(bounds.upper) <= 1
        if acceptor.is_exact:
            assert bounds.lower == acceptor.exact_acceptance(bounds.word)
        else:
            assert isinstance(bounds.upper, float)


@pytest.mark.parametrize("block", range(4))
def test_proven_emptiness_is_never_contradicted(block: int) -> None:
    decided = 0
    for seed in range(25 * block, 25 * (block + 1)):
        acceptor, cut_point = seeded_acceptor(4 * seed + 1), Fraction(seed % 11, 10)
        for inclusive in (False, True):
            if cut_point > 1:
                continue
            language = cp.Language(acceptor, cut_point, inclusive)
            words = ["".join(word) for n in range(7) for word in product("ab", repeat=n)]
            members, answers = language.contains(words), (language.is_empty(20, 300), language.is_universal(20, 300))
            assert not (answers[0] is True and members.any())
            assert not (answers[1] is True and not members.all())
            assert not (members.any() and answers[0] is not False)  # what a short word shows is found
            assert not (not members.all() and answers[1] is not False)
            decided += sum(not isinstance(answer, cp.Unknown) for answer in answers)
    assert decided > 85


def test_known_values() -> None:
    half = cp.value(cp.gallery.gambler(4))
    assert half.upper == Fraction(1, 2)  # approached and never reached
    assert 0 < half.gap < Fraction(1, 2**40)
    assert cp.value(cp.gallery.gambler(20, win="2/5")).upper == Fraction(3**10 * 2**10 - 2**20, 3**20 - 2**20)
    for p in (2, 3, 10):
        numeral = cp.value(cp.p_adic(p), max_length=40)
        assert (numeral.lower, numeral.upper) == (1 - Fraction(1, p**40), 1)
        assert numeral.word == str(p - 1) * 40
    one = cp.value(cp.gallery.value_one("3/4"), limit=1000)
    assert one.upper == 1
    assert one.lower > Fraction(8, 10)
    assert cp.value(cp.gallery.parity()) == cp.decision.Bounds(Fraction(1), "1", Fraction(1))


def test_a_state_that_waits_does_not_raise_the_bound() -> None:
    """Waiting for ever is no success: of all columns with h ≥ f and h ≥ P(a)h the least is found."""
    steps = {"w": np.eye(3, dtype=int), "g": [[0, "1/2", "1/2"], [0, 1, 0], [0, 0, 1]]}
    acceptor = cp.Acceptor(["wait", "won", "lost"], "wg", steps, "wait", {"won"})
    assert endless_bounds(acceptor).tolist() == [Fraction(1, 2), 1, 0]
    assert cp.value(acceptor) == cp.decision.Bounds(Fraction(1, 2), "g", Fraction(1, 2))


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_the_observed_process_are_certificates(seed: int) -> None:
    acceptor = seeded_acceptor(seed).rationalized(max_denominator=None)
    column = endless_bounds(acceptor)
    assert (column >= acceptor.final).all()
    assert (column >= acceptor.exact_transitions @ column).all()


def test_large_and_small_acceptors() -> None:
    assert cp.value(cp.gallery.gambler(MOST_SOLVED + 1), max_length=3).upper == 1
    assert cp.value(cp.Acceptor(1, "a", [[[1]]], 0, [])) == cp.decision.Bounds(Fraction(0), "", Fraction(0))
    assert cp.value(cp.p_adic(2), max_length=0).lower == 0


def test_dominated_suffixes_are_dropped_whatever_the_length() -> None:
    """Before a word of the language is found, as many suffixes are kept for words up to 600 symbols as up to 60."""
    acceptor, kept = cp.gallery.value_one("3/4"), []
    for max_length in (60, 600):
        search = searches_from_both_ends(acceptor, max_length, copies=1, least=0.85)[1]
        seen = 0
        for entry in search:
            seen += 1
            if acceptor.integers.value(entry.codes) > Fraction(85, 100):
                break
        kept.append(seen)
    assert kept[0] == kept[1] < 2000
    assert acceptor.exact_acceptance(cast(str, cp.Language(acceptor, "85/100").find_word(60))) > Fraction(85, 100)


def test_what_is_shown() -> None:
    assert repr(cp.value(cp.gallery.parity())) == "<Bounds: the value is 1, reached by '1'>"
    few = cp.value(cp.gallery.gambler(4), max_length=2)
    assert repr(few) == "<Bounds: the value is from 1/4, the acceptance of 'pp', to 1/2>"
    floats = cp.decision.Bounds(1 / 3, "pp", 0.87654321)
    assert repr(floats) == "<Bounds: the value is from 0.333333, the acceptance of 'pp', to 0.876543>"


def test_a_longer_suffix_does_not_displace_a_shorter_one() -> None:
    """``bc`` is nowhere worse than ``b``, but leaves less room: no word of five symbols that ends in it is accepted."""
    dead = {state: {"dead": 1} for state in (0, 1, 2, 3, 4, "likely", "rare", "late", "dead")}
    steps = {
        "a": dead | {state: {state + 1: 1} for state in range(4)},
        "b": dead | {4: {"likely": "9/10", "rare": "1/10"}},
        "c": dead | {"likely": {"late": 1}, "rare": {"late": 1}},
    }
    acceptor = cp.Acceptor(list(dead), "abc", steps, 0, {"likely", "late"})
    for search in searches_from_both_ends(acceptor, 5, copies=1, least=0.0):
        word = next(entry for entry in search if entry.part is None)
        assert (acceptor.alphabet.decode(word.codes), word.bound) == ("aaaab", Fraction(9, 10))


def test_a_word_is_found_where_bounds_tell_little() -> None:
    """From the front every prefix may still be accepted with 1; kept suffixes lead to a word that is accepted with 0.97."""
    hard = cp.gallery.value_one("3/4")
    language = cp.Language(hard, "97/100")
    found = language.find_word(100, limit=300)
    assert isinstance(found, str)
    assert hard.exact_acceptance(found) > Fraction(97, 100)
    assert language.is_empty(limit=300) is False
    bounds = cp.value(hard, limit=300)
    assert hard.exact_acceptance(bounds.word) == bounds.lower > Fraction(97, 100)


def test_bounds_that_nearly_meet_are_not_shown_as_equal() -> None:
    assert repr(cp.value(cp.p_adic(2), max_length=30)) == (
        f"<Bounds: the value is 1, or less by at most 9.3e-10; best word found: {'1' * 30!r}>"
    )
