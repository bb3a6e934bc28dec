"""Cut-point languages: membership, enumeration, DFA."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutpoint as cp
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
        (10, "1/7", 4),
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
    with pytest.raises(cp.InvalidArgument, match=r"rows that sum to exactly 1, .* Take acceptor\.rationalized\(\)"):
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
