"""Languages of acceptance at least, exactly and other than the cut point: against enumeration of all words."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.decision.relations import COMPLEMENT, implies
from tests.decision.test_language import all_words, values
from tests.decision.test_residuals import HOLDS, check_dfa
from tests.model.test_weighted import linears
from tests.strategies import acceptors, seeded_acceptor

RELATIONS: Any = st.sampled_from(list(HOLDS))
LEVELS = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)])
A = cp.p_adic(2)


@given(acceptors(max_states=3, max_symbols=2, exact=True), LEVELS, RELATIONS, st.booleans())
def test_membership_and_searches_agree_with_enumeration(
    acceptor: cp.Acceptor, level: Fraction, relation: Any, tie: bool
) -> None:
    found = values(acceptor, 4)
    cut_point = max(found.values()) if tie else level
    language = cp.Language(acceptor, cut_point, relation=relation)
    members = [word for word, p in found.items() if HOLDS[relation](p, cut_point)]
    assert [word for word in found if word in language] == members
    assert [
        word for word in found if word in cp.Language(acceptor.to_weighted(), cut_point, relation=relation)
    ] == members
    assert list(np.array(list(found))[language.contains(list(found))]) == members
    assert list(language.words(4)) == members
    assert [language.count(n) for n in range(5)] == [sum(len(word) == n for word in members) for n in range(5)]
    word = language.find_word(max_length=4)
    assert word in members if members else word is None
    assert [word for word in found if word not in ~language] == members
    if members:
        assert language.is_empty(max_length=4) is False


@given(acceptors(max_states=3, max_symbols=2, exact=True), LEVELS, RELATIONS)
def test_every_relation_becomes_a_strict_one(acceptor: cp.Acceptor, cut_point: Fraction, relation: Any) -> None:
    language = cp.Language(acceptor, cut_point, relation=relation)
    strict = language.to_strict()
    l = acceptor.n_states  # noqa: E741 - the paper's letter
    assert strict.relation == ">"
    assert strict.acceptor.n_states == {">": l, "≥": l + 2, "=": l * l + l + 2, "≠": l * l + l}[relation]
    assert list(strict.words(4)) == [w for w, p in values(acceptor, 4).items() if HOLDS[relation](p, cut_point)]


@given(linears(), st.fractions(-2, 2, max_denominator=4), RELATIONS, st.text("ab", max_size=2))
def test_relations_of_weighted_automata(f: cp.WeightedAutomaton, cut_point: Fraction, relation: Any, word: str) -> None:
    """Turakainen's acceptor keeps the sign of every value minus the cut point, so it serves all relations."""
    language = cp.Language(f, cut_point, relation=relation)
    found = {word: HOLDS[relation](f.exact_value(word), cut_point) for word in all_words("ab", 5)}
    short = all_words("ab", 3)
    members = [word for word in short if found[word]]
    assert list(language.words(3)) == members
    assert list(cp.Language(*f.to_acceptor(cut_point), relation=relation).words(3)) == members
    assert list(language.left_quotient(word).words(3)) == [behind for behind in short if found[word + behind]]


def test_exactly_is_the_square_of_the_difference() -> None:
    """(f - 1/2)² > 0 iff f ≠ 1/2; by Turakainen's construction that is a cut-point language of an acceptor, too."""
    difference = A.to_weighted() - "1/2"
    square, other = difference & difference, cp.Language(A, "1/2", relation="!=")
    assert list(cp.Language(square, 0).words(6)) == list(other.words(6)) == list(other.to_strict().words(6))
    assert list(cp.Language(*square.to_acceptor(0)).words(6)) == list(other.words(6))


@pytest.mark.parametrize("seed", range(6))
def test_dfas_of_exact_acceptances(seed: int) -> None:
    acceptor = seeded_acceptor(4 * seed + 1)  # an exact one
    for cut_point, relation in product([Fraction(0), Fraction(1, 2), Fraction(1)], HOLDS):
        dfa = cp.Language(acceptor, cut_point, relation=relation).to_dfa(max_states=100)
        if isinstance(dfa, cp.DFA):
            check_dfa(dfa, acceptor, cut_point, relation, 7)
            if dfa.certificate is not None:
                cp.decision.check(dfa)
        else:
            assert cut_point == Fraction(1, 2)


def test_dfas_at_ends_are_found_for_floats_too() -> None:
    leaks = cp.Acceptor(2, "ab", {"a": [[0.1, 0.9], [0, 1]], "b": [[1, 0], [0, 1]]}, 0, {0})
    never = cp.Language(leaks, 0, relation="=").to_dfa()
    assert isinstance(never, cp.DFA)
    assert never.shortest_word() is None
    with pytest.raises(cp.CutpointError, match="rows that sum to exactly 1"):
        cp.Language(leaks, "1/2", relation="=").to_dfa()


def test_emptiness_and_universality() -> None:
    half = cp.mixture([A, ~A])  # 1/2 for every word
    assert cp.Language(half, "1/2", relation="=").is_universal() is True
    assert cp.Language(half, "1/2", relation="!=").is_empty() is True
    assert cp.Language(half, "1/3", relation="=").is_empty() is True
    assert cp.Language(A, "1/3", relation="=").is_empty() is True  # no binary fraction is 1/3; its DFA says so
    assert cp.Language(A, "1/2", relation="=").is_universal() is False
    assert cp.Language(A, "1/2", relation="!=").is_universal() is False
    assert cp.Language(cp.gallery.majority(), "1/2", relation="=").is_empty() is False  # as many a as b
    assert cp.Language(cp.gallery.value_one(), "999/1000", relation="=").is_empty(max_length=5, limit=20) == cp.Unknown(
        20
    )


def test_irrational_cut_points_are_never_met() -> None:
    root = cp.AlgebraicNumber.sqrt("1/2")
    never, always = (cp.Language(A, root, relation=relation) for relation in ("=", "!="))
    assert list(never.words(4)) == list(never.to_strict().words(4)) == []
    assert list(always.words(4)) == list(always.to_strict().words(4)) == all_words("01", 4)
    assert (never.is_empty(), always.is_universal(), never.count(50), always.count(50)) == (True, True, 0, 2**50)
    assert never.to_dfa() == ~always.to_dfa()  # type: ignore[operator]
    assert cp.Language(A, root, inclusive=True).to_strict() == cp.Language(A, root)


@given(acceptors(max_states=2, max_symbols=2, exact=True), LEVELS, RELATIONS)
def test_boolean_operations_with_a_dfa(acceptor: cp.Acceptor, cut_point: Fraction, relation: Any) -> None:
    symbols = "".join(map(str, acceptor.alphabet))
    dfa = cp.DFA(
        acceptor.alphabet, ((1,) * len(symbols), (0,) * len(symbols)), 0, frozenset({1})
    )  # words of odd length
    language = cp.Language(acceptor, cut_point, relation=relation)
    members = {w for w, p in values(acceptor, 4).items() if HOLDS[relation](p, cut_point)}
    odd = {w for w in all_words(symbols, 4) if len(w) % 2}
    assert set((language & dfa).words(4)) == members & odd
    assert set((language | dfa).words(4)) == members | odd
    assert set((language - dfa).words(4)) == members - odd


def test_two_languages_of_one_acceptor_are_compared_by_their_cut_points() -> None:
    numbers = [Fraction(k, 12) for k in range(13)]
    for level, other in product([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)], repeat=2):
        for relation, second in product(COMPLEMENT, repeat=2):
            inside = {x for x in numbers if HOLDS[relation](x, level)}
            assert implies((level, relation), (other, second)) == (
                inside <= {x for x in numbers if HOLDS[second](x, other)}
            )
    majority = cp.gallery.majority()  # no DFA: residuals do not close
    tie, least = cp.Language(majority, "1/2", relation="="), cp.Language(majority, "1/2", inclusive=True)
    assert tie <= least
    assert not least <= tie
    assert tie & least == tie


@given(acceptors(max_states=3, max_symbols=2, exact=True), LEVELS, RELATIONS, st.text("ab", max_size=3))
def test_left_quotients(acceptor: cp.Acceptor, cut_point: Fraction, relation: Any, word: str) -> None:
    word = "".join(symbol for symbol in word if symbol in acceptor.alphabet)
    language = cp.Language(acceptor, cut_point, relation=relation)
    longer = {w for w, p in values(acceptor, 3 + len(word)).items() if HOLDS[relation](p, cut_point)}
    behind = [w for w in all_words("".join(map(str, acceptor.alphabet)), 3) if word + w in longer]
    assert list(language.left_quotient(word).words(3)) == behind
    dfa = language.to_dfa(max_states=30)
    if isinstance(dfa, cp.DFA):
        assert list(dfa.left_quotient(word).words(3)) == behind


@given(st.integers(1, 5), st.data())
def test_finite_languages(size: int, data: st.DataObject) -> None:
    state = st.integers(0, size - 1)
    rows = data.draw(st.lists(st.tuples(state, state), min_size=size, max_size=size))
    dfa = cp.DFA(A.alphabet, tuple(rows), data.draw(state), frozenset(data.draw(st.sets(state))))
    assert dfa.is_finite() == (not any(dfa.count(n) for n in range(size, 2 * size)))  # the pumping lemma


def test_finiteness_of_languages() -> None:
    never, unknown = cp.Language(A, "1/3", relation="="), cp.Language(cp.gallery.majority(), "1/2").is_finite(50)
    assert never.is_finite() is True
    assert isinstance(unknown, cp.Unknown)
    assert cp.Language(A, "1/2", relation="=").is_finite() is False


def test_a_word_other_than_the_cut_point_may_have_the_longest_length() -> None:
    """Acceptance is 0 up to three symbols, and 1 from the fourth on."""
    chain = [[1 if t == min(s + 1, 4) else 0 for t in range(5)] for s in range(5)]
    A = cp.Acceptor(5, "a", [chain], 0, {4})
    other = cp.Language(A, 0, relation="!=")
    assert other.find_word(max_length=4) == "aaaa"
    assert other.find_word(max_length=3) is None


def test_at_an_irrational_cut_point_every_word_is_other_than_it() -> None:
    root = cp.AlgebraicNumber.sqrt("1/2")
    assert cp.Language(cp.p_adic(2), root, relation="!=").find_word(max_length=0) == ""
    assert cp.Language(cp.p_adic(2), root, relation="=").find_word(max_length=5) is None


def test_words_of_a_finite_language_come_to_an_end() -> None:
    half = cp.Acceptor(2, "a", [[["1/2", "1/2"], [0, 1]]], 0, {1})
    exactly = cp.Language(half, "1/2", relation="=")
    assert list(exactly.words()) == ["a"]
    dfa = exactly.to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert list(dfa.words(10**9)) == ["a"]


def test_a_dfa_has_a_language_with_all_that_acceptors_have() -> None:
    dfa = cp.Language(cp.p_adic(2), "1/3").to_dfa()
    assert isinstance(dfa, cp.DFA)
    language = cp.Language(dfa, "1/2")
    assert language.to_dfa() == dfa
    assert language.count(5) == dfa.count(5)
