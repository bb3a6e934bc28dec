"""Cut-point languages: enumeration, counts, best words, isolation, Boolean operations, DFA by residuals."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import cast

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.guises import small_acceptor
from tests.oracles import acceptance, rational
from tests.strategies import acceptors


def all_words(symbols: str, length: int) -> list[str]:
    return ["".join(word) for n in range(length + 1) for word in product(symbols, repeat=n)]


@given(acceptors(max_states=3, max_symbols=2, exact=True), st.fractions(0, 1, max_denominator=6))
def test_membership_and_enumeration_are_exact(acceptor: cp.Acceptor, cut_point: Fraction) -> None:
    language = cp.Language(acceptor, cut_point)
    words = all_words("".join(map(str, acceptor.alphabet)), 4)
    members = [word for word in words if acceptor.exact_acceptance(word) > cut_point]
    assert [word for word in words if word in language] == members
    assert list(language.words(4)) == members
    assert [word for word, kept in zip(words, language.contains(words), strict=True) if kept] == members


def values(acceptor: cp.Acceptor, max_length: int) -> dict[str, Fraction]:
    """Acceptance of all words, by enumeration of every path."""
    machine = rational(acceptor)
    return {word: acceptance(machine, word) for word in all_words("".join(map(str, acceptor.alphabet)), max_length)}


@given(acceptors(max_states=3, max_symbols=2, exact=True), st.fractions(0, 1, max_denominator=6), st.booleans())
def test_searches_agree_with_enumeration(acceptor: cp.Acceptor, cut_point: Fraction, inclusive: bool) -> None:
    language, found = cp.Language(acceptor, cut_point, inclusive), values(acceptor, 4)
    members = [word for word, p in found.items() if p > cut_point or (inclusive and p == cut_point)]
    assert list(language.words(4)) == members
    assert [language.count(n) for n in range(5)] == [sum(len(word) == n for word in members) for n in range(5)]
    ranked = sorted(members, key=lambda word: (-found[word], len(word), word))
    assert language.most_accepted(7, max_length=4) == [(word, found[word]) for word in ranked[:7]]
    word = language.find_word(max_length=4)
    assert word in members if members else word is None
    nearest = language.isolation(max_length=4)
    best = min(found, key=lambda word: (abs(found[word] - cut_point), len(word), word))
    assert (nearest.word, nearest.acceptance) == (best, found[best])
    assert nearest.distance == abs(found[best] - cut_point)


@given(acceptors(max_states=3, max_symbols=2), st.floats(0, 1))
def test_searches_of_float_acceptors_are_exact_about_their_binary_values(acceptor: cp.Acceptor, cut: float) -> None:
    language, found, cut_point = cp.Language(acceptor, cut), values(acceptor, 3), Fraction(cut)
    members = [word for word, p in found.items() if p > cut_point]
    assert list(language.words(3)) == members
    assert [language.count(n) for n in range(4)] == [sum(len(word) == n for word in members) for n in range(4)]
    ranked = sorted(members, key=lambda word: (-found[word], len(word), word))
    assert [word for word, _ in language.most_accepted(5, max_length=3)] == ranked[:5]
    nearest = language.isolation(max_length=3)
    assert nearest.distance == min(abs(p - cut_point) for p in found.values())


def test_long_words_of_highest_acceptance() -> None:
    """p-adic acceptance grows with the numeral, far beyond what floats tell apart."""
    best = cp.Language(cp.p_adic(2), "1/2").most_accepted(3, max_length=200)
    assert [word for word, _ in best] == ["1" * 200, "1" * 199, "0" + "1" * 199]
    assert best[0].acceptance == 1 - Fraction(1, 2**200)


def test_equal_distributions_are_not_explored_twice() -> None:
    """2^60 words tie at acceptance 1: the first in length-lexicographic order come without a look at the rest."""
    even = cp.Language(cp.gallery.parity(), "1/2")
    first = [word for word, _ in zip(even.words(60), range(4), strict=False)]
    assert [word for word, _ in even.most_accepted(4, max_length=60)] == first
    assert cp.Language(cp.gallery.parity(), 1).find_word(max_length=60) is None


def test_searches_from_the_back_end_where_an_acceptor_forgets() -> None:
    """From the front, 6^30 prefixes look alike: how a word begins hardly matters. From the back few suffixes do."""
    forgets = cp.random_acceptor(8, "abcdef", rng=1)
    best = cp.Language(forgets, 0).most_accepted(4, max_length=30)
    short = all_words("abcdef", 4)
    assert best[0].word == max(short, key=forgets.exact_acceptance) == "eb"
    exact = [forgets.exact_acceptance(word) for word, _ in best]
    assert exact == sorted(exact, reverse=True)
    assert exact[1] > max(forgets.exact_acceptance(word) for word in short if word != "eb")
    assert cp.Language(forgets, exact[0]).find_word(max_length=100) is None
    assert list(cp.Language(forgets, "66/100").words()) == ["eb"]  # it ends: nothing longer can be accepted


def test_searches_from_the_front_end_where_words_are_decided_early() -> None:
    """The first symbols decide; from the back, every suffix may be the end of a word accepted with 9/10."""
    decided = {"in": {"in": 1}, "out": {"out": 1}}
    steps = {"a": {"new": {"in": "9/10", "out": "1/10"}} | decided, "b": {"new": {"out": 1}} | decided}
    language = cp.Language(cp.Acceptor(["new", "in", "out"], "ab", steps, "new", {"in"}), "1/2")
    assert [word for word, _ in language.most_accepted(4, max_length=60)] == ["a", "aa", "ab", "aaa"]


def test_nothing_is_enumerated_where_the_best_word_only_meets_the_cut_point() -> None:
    """25 symbols are too many to try all words; the bounds tie with the cut point, and only exact ones say so."""
    assert list(cp.Language(cp.gallery.tomita(4), 1).words(25)) == []
    nothing = cp.Acceptor(2, "abcd", [[["1/2", "1/2"], [0, 1]]] * 4, 0, np.array([False, False]))
    assert list(cp.Language(nothing, 0).words(25)) == []


def test_a_dfa_minus_a_language() -> None:
    third, half = cp.Language(cp.p_adic(2), "1/3"), cp.Language(cp.p_adic(2), "1/2")
    between = [
        word for word in all_words("01", 5) if Fraction(1, 3) < cp.p_adic(2).exact_acceptance(word) <= Fraction(1, 2)
    ]
    assert list((cast(cp.DFA, third.to_dfa()) - half).words(5)) == between


def test_limits_of_searches_are_told() -> None:
    language = cp.Language(cp.gallery.value_one("3/4"), "9/10")
    answer = language.find_word(max_length=40, limit=3)
    assert answer == cp.Unknown(explored=3)
    assert str(answer) == "unknown: 3 prefixes and suffixes explored, and there are more."
    with pytest.raises(
        cp.errors.TooLarge, match=r"3 prefixes and suffixes were explored without finding the 2 most accepted words"
    ):
        language.most_accepted(2, max_length=40, limit=3)
    irrational = cp.Language(cp.gallery.majority(), cp.AlgebraicNumber.sqrt("1/2"))
    with pytest.raises(cp.errors.TooLarge, match=r"5 columns were explored and there are more\. Increase limit=5"):
        irrational.isolation(max_length=30, limit=5)
    with pytest.raises(cp.errors.TooLarge, match="5 columns"):
        irrational.count(30, limit=5)


def test_isolation_of_the_p_adic_acceptor() -> None:
    """1/3 = 0.0101… in base 2: words of n digits come as near as 2^-n / 3, and their number does not matter."""
    nearest = cp.Language(cp.p_adic(2), "1/3").isolation(max_length=500)
    assert nearest.distance == Fraction(1, 3 * 2**500)
    assert nearest.word == "10" * 250
    at_root = cp.Language(cp.p_adic(2), cp.AlgebraicNumber.sqrt("1/2")).isolation(max_length=30)
    assert abs(at_root.acceptance**2 - Fraction(1, 2)) < Fraction(1, 2**29)
    assert isinstance(at_root.distance, float)
    assert 0 < at_root.distance < 2**-30
    assert cp.Language(cp.p_adic(2), "3/8").isolation(max_length=60).word == "110"  # 0.011


def test_the_first_of_many_nearest_words_is_named() -> None:
    """Whatever two symbols are read, acceptance is 2/5: suffixes with equal columns are kept as one, the first."""
    steps = [[[0, 1, 0, 0], [0, 0, "2/5", "3/5"], [0, 0, 0, 1], [0, 0, 0, 1]]] * 2
    nearest = cp.Language(cp.Acceptor(4, "ba", steps, 0, {2}), "1/2").isolation(max_length=3)
    assert (nearest.word, nearest.acceptance) == ("bb", Fraction(2, 5))


def test_words_go_on_without_a_longest_length() -> None:
    language = cp.Language(cp.gallery.tomita(1), "1/2")
    assert [word for word, _ in zip(language.words(), range(5), strict=False)] == ["", "1", "11", "111", "1111"]


# -- Boolean operations -------------------------------------------------------------------------------------------


def members(language: cp.Language | cp.DFA, symbols: str, length: int) -> set[str]:
    return {word for word in all_words(symbols, length) if word in language}


@given(acceptors(max_states=3, max_symbols=2, exact=True), st.fractions(0, 1, max_denominator=4), st.booleans())
def test_complement_and_operations_with_a_dfa(acceptor: cp.Acceptor, cut_point: Fraction, inclusive: bool) -> None:
    symbols = "".join(map(str, acceptor.alphabet))
    language = cp.Language(acceptor, cut_point, inclusive)
    odd = cp.DFA(cp.data.Alphabet(symbols), ((1,) * len(symbols), (0,) * len(symbols)), 0, frozenset({1}))
    inside, regular, everything = members(language, symbols, 4), members(odd, symbols, 4), set(all_words(symbols, 4))
    assert members(~language, symbols, 4) == everything - inside
    assert members(language & odd, symbols, 4) == members(odd & language, symbols, 4) == inside & regular
    assert members(language | odd, symbols, 4) == members(odd | language, symbols, 4) == inside | regular
    assert members(language - odd, symbols, 4) == inside - regular


def test_two_cut_points_of_one_acceptor_are_nested() -> None:
    acceptor = cp.gallery.majority()
    low, high = cp.Language(acceptor, "1/3"), cp.Language(acceptor, "1/2")
    with_tie = cp.Language(acceptor, "1/2", inclusive=True)
    assert (low & high, low | high) == (high, low)
    assert (with_tie & high, high | with_tie) == (high, with_tie)


def test_regular_languages_combine_with_any_other() -> None:
    irregular = cp.Language(cp.Acceptor(2, "01", [[["3/4", "1/4"], ["1/4", "3/4"]], [[0, 1], [1, 0]]], 0, {0}), "1/2")
    regular = cp.Language(cp.p_adic(2), "1/3")
    both = irregular & regular
    words = all_words("01", 6)
    assert [word in both for word in words] == [word in irregular and word in regular for word in words]


def test_operations_that_need_not_be_languages_are_explained() -> None:
    left = cp.Language(cp.gallery.majority(), "1/2")
    right = cp.Language(cp.p_adic(2).renamed(symbols={"0": "a", "1": "b"}), cp.AlgebraicNumber.sqrt("1/3"))
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        left & right
    assert str(refusal.value) == (
        "the intersection of two cut-point languages need not be a cut-point language, and 1,000 residuals do "
        "not show either of these to be regular. Give a DFA, such as Language.to_dfa(isolation=...), or ask for each word by "
        "itself: `word in L and word in M`."
    )
    with pytest.raises(TypeError):
        left & "words"  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda L: cp.Language(cp.p_adic(2), 1.5), "a cut point must be a number between 0 and 1; got 1.5."),
        (lambda L: cp.Language(cast("cp.Acceptor", "A"), 0.5), "expected an Acceptor; got 'A'."),
        (
            lambda L: cp.Language(cp.p_adic(2), 0.5, inclusive=cast("bool", 1)),
            "inclusive must be True or False; got 1.",
        ),
        (lambda L: L.words(-1), "max_length must be a whole number, 0 or more; got -1."),
        (lambda L: L.count(1.5), "length must be a whole number from 0 to 1,000,000; got 1.5."),
        (lambda L: L.most_accepted(0, 3), "k must be a whole number, 1 or more; got 0."),
        (lambda L: L.find_word(10**30), f"max_length must be a whole number from 0 to 10,000; got {10**30}."),
        (lambda L: L.find_word(3, limit=0), "limit must be a whole number, 1 or more; got 0."),
        (lambda L: L.isolation("long"), "max_length must be a whole number from 0 to 10,000; got 'long'."),
        (lambda L: L.to_dfa(isolation=0), "isolation must be a number above 0, at most 1; got 0."),
        (
            lambda L: L.to_dfa(isolation="1/10"),
            "the cut point is not isolated by 1/10: the word '1' has acceptance 1/2. "
            "Give a smaller isolation, or none.",
        ),
        (
            lambda L: L & cp.DFA(cp.data.Alphabet("ab"), ((0, 0),), 0, frozenset()),
            "automata must have the same alphabet; got {'0', '1'} and {'a', 'b'}.",
        ),
    ],
)
def test_refusals(call: Callable[[cp.Language], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        call(cp.Language(cp.p_adic(2), "1/2"))
    assert str(refusal.value) == sentence


# -- DFA by exact residuals ---------------------------------------------------------------------------------------


def test_words_are_made_one_by_one() -> None:
    first = [word for word, _ in zip(cp.Language(cp.p_adic(2), 0).words(10**6), range(3), strict=False)]
    assert first == ["1", "01", "10"]


@pytest.mark.parametrize(
    ("p", "cut_point", "length"),
    [
        (2, "1/2", 12),
        (2, "1/3", 12),
        (2, "3/7", 12),
        (2, "5/17", 12),
        (2, 0, 8),
        (2, 1, 8),
        (3, "2/5", 7),
        (10, "1/7", 5),
    ],
)
def test_dfa_of_the_p_adic_acceptor(p: int, cut_point: str, length: int) -> None:
    """Example 1: at a rational cut point the language is regular."""
    acceptor = cp.p_adic(p)
    dfa = cp.Language(acceptor, cut_point).to_dfa()
    assert isinstance(dfa, cp.DFA)
    words = all_words("".join(map(str, acceptor.alphabet)), length)
    value = [Fraction(int(word[::-1] or "0", p), p ** len(word)) for word in words]
    assert [dfa.accepts(word) for word in words] == [v > Fraction(cut_point) for v in value]
    assert dfa.n_states == distinguishable_states(dfa)
    assert dfa.to_acceptor().acceptances(words[:50]).tolist() == [float(word in dfa) for word in words[:50]]


def distinguishable_states(dfa: cp.DFA) -> int:
    """Number of classes after refining final / not final until nothing changes (Moore): minimal iff all states."""
    classes = [int(s in dfa.final) for s in range(dfa.n_states)]
    while True:
        keys = [(classes[s], *(classes[t] for t in dfa.transitions[s])) for s in range(dfa.n_states)]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        refined = [numbers[key] for key in keys]
        if len(set(refined)) == len(set(classes)):
            return len(set(refined))
        classes = refined


@pytest.mark.parametrize("number", range(1, 8))
def test_dfa_of_a_deterministic_acceptor_is_its_own(number: int) -> None:
    acceptor = cp.gallery.tomita(number)
    dfa = cp.Language(acceptor, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    words = all_words("01", 9)
    assert [dfa.accepts(word) for word in words] == (acceptor.acceptances(words) == 1.0).tolist()
    assert dfa.n_states == distinguishable_states(dfa)


def test_residuals_are_compared_up_to_a_positive_factor() -> None:
    """Each a brings the acceptance nearer to 1/2 without crossing it, each b mirrors it: two states are enough."""
    steps = {"a": [["3/4", "1/4"], ["1/4", "3/4"]], "b": [[0, 1], [1, 0]]}
    acceptor = cp.Acceptor(["s", "t"], "ab", steps, "s", {"s"})
    dfa = cp.Language(acceptor, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert dfa.n_states == 2
    assert all(dfa.accepts(word) == (word.count("b") % 2 == 0) for word in all_words("ab", 6))


def test_unknown_is_an_answer() -> None:
    answer = cp.Language(cp.gallery.majority(), "1/2").to_dfa(max_states=50)
    assert answer == cp.Unknown(explored=50)
    assert not answer
    assert "the cut point 1/2" in str(answer)


@given(acceptors(max_states=3, max_symbols=2), st.floats(0, 1))
def test_dfas_never_guess(acceptor: cp.Acceptor, cut_point: float) -> None:
    acceptor = acceptor.rationalized()
    answer = cp.Language(acceptor, cut_point).to_dfa(max_states=30)
    if isinstance(answer, cp.DFA):
        for word in all_words("".join(map(str, acceptor.alphabet)), 4):
            assert answer.accepts(word) == (acceptor.exact_acceptance(word) > Fraction(cut_point))


def test_float_rows_that_are_not_exactly_stochastic_are_refused() -> None:
    """0.1 + 0.9 is not 1 in binary: the residuals' signs would contradict membership at a tie."""
    acceptor = cp.Acceptor(2, "a", [[[0.7, 0.3], [0.1, 0.9]]], 0, {1})
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"rows that sum to exactly 1, .* Take acceptor\.rationalized\(\)"
    ):
        cp.Language(acceptor, 0.3).to_dfa()
    exact = cp.Language(acceptor.rationalized(), "3/10")
    dfa = exact.to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert (
        [dfa.accepts("a" * n) for n in range(4)] == ["a" * n in exact for n in range(4)] == [False, False, True, True]
    )


def test_repr_and_empty_batch() -> None:
    language = cp.Language(cp.p_adic(2), 0.5)
    assert repr(language).startswith("<Language: acceptance > 1/2 of <Acceptor: 2 states {s1, s2}")
    assert language.contains([]).dtype == np.bool_
    assert language == cp.Language(cp.p_adic(2), "1/2")
    assert language != cp.Language(cp.p_adic(2), "1/2", inclusive=True)
    assert repr(cp.Language(cp.p_adic(2), 0.5, inclusive=True)).startswith("<Language: acceptance ≥ 1/2 of")


@given(
    acceptors(max_states=2, max_symbols=2, exact=True),
    st.fractions(0, 1, max_denominator=4),
    st.fractions(0, 1, max_denominator=4),
)
def test_inclusion_of_languages(acceptor: cp.Acceptor, low: Fraction, high: Fraction) -> None:
    """Either way round an answer agrees with the words up to length 6; otherwise there is none."""
    one, two = cp.Language(acceptor, low), cp.Language(acceptor, high, inclusive=True)
    words = all_words("".join(map(str, acceptor.alphabet)), 6)
    for left, right in ((one, two), (two, one)):
        inside = all(word in right for word in words if word in left)
        try:
            assert (left <= right) == inside
            assert (right >= left) == inside
        except cp.errors.InvalidArgument:
            assert inside
    assert cp.Language(acceptor, high) <= two


def test_inclusion_in_a_dfa_and_across_acceptors() -> None:
    half, third = (cp.Language(cp.p_adic(2), cut_point) for cut_point in ("1/2", "1/3"))
    small, large = half.to_dfa(), third.to_dfa()
    assert isinstance(small, cp.DFA)
    assert isinstance(large, cp.DFA)
    assert (half <= large, small <= third, third <= small, large <= half) == (True, True, False, False)
    assert (half < third, small < third, third > small, third < half) == (True, True, True, False)
    same = cp.Language(cp.mixture([cp.p_adic(2), cp.p_adic(2)], ["1/3", "2/3"]), "1/2")
    assert (half <= same, same <= half, half < same, half > same) == (True, True, False, False)
    assert (third > half, half > third, half > small) == (True, False, False)
    with pytest.raises(TypeError):
        half <= 3  # type: ignore[operator]  # noqa: B015


@pytest.mark.parametrize(("seed", "cut_point"), [(344, "1/4"), (828, "2/3"), (2584, "1/2"), (3580, "1/10")])
def test_suffixes_that_do_not_decide_alike_are_counted_apart(seed: int, cut_point: str) -> None:
    """Acceptors found among thousands, on which counts go wrong if residuals are a little wrong."""
    rng = np.random.default_rng(seed)
    acceptor = small_acceptor(rng, int(rng.integers(2, 4)))
    members = [word for word, p in values(acceptor, 6).items() if p > Fraction(cut_point)]
    counts = [cp.Language(acceptor, cut_point).count(n) for n in range(7)]
    assert counts == [sum(len(word) == n for word in members) for n in range(7)]


def test_limits_are_those_that_are_given() -> None:
    """One suffix, the empty one, is explored for words of one symbol, and that is allowed."""
    language = cp.Language(cp.p_adic(2), "1/3")
    assert language.count(1, limit=1) == 1
    assert language.isolation(max_length=1, limit=1).word == "1"
    with pytest.raises(cp.errors.TooLarge, match=r"1 column"):
        language.count(4, limit=1)
    assert cp.value(cp.p_adic(2), max_length=3, limit=1).upper >= Fraction(7, 8)
