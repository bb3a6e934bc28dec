"""DFAs as values, compared with automata-lib; DFAs at isolated cut points."""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from automata.fa.dfa import DFA as Automaton  # noqa: N811
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.data import Alphabet
from cutpoint.decision.residuals import reversed_dfa

SYMBOLS = "ab"


@st.composite
def dfas(draw: st.DrawFn, max_states: int = 6) -> cp.DFA:
    n_states = draw(st.integers(1, max_states))
    state = st.integers(0, n_states - 1)
    rows = tuple(tuple(draw(state) for _ in SYMBOLS) for _ in range(n_states))
    return cp.DFA(cp.data.Alphabet(SYMBOLS), rows, draw(state), frozenset(draw(st.sets(state))))


def independent(dfa: cp.DFA) -> Automaton:
    """The same automaton in automata-lib, made without the package's own export."""
    return Automaton(
        states=set(range(len(dfa.transitions))),
        input_symbols=set(SYMBOLS),
        transitions={s: {SYMBOLS[a]: t for a, t in enumerate(row)} for s, row in enumerate(dfa.transitions)},
        initial_state=dfa.initial,
        final_states=set(dfa.final),
    )


@given(dfas(max_states=3), dfas(max_states=3))
def test_inclusion_agrees_with_another_implementation(left: cp.DFA, right: cp.DFA) -> None:
    one, two = independent(left), independent(right)
    assert (left <= right, left < right, left >= right) == (one <= two, one < two, one >= two)
    assert (left & right <= left, left - right <= right) == (True, one - two <= two)


@given(dfas(), dfas())
def test_values_agree_with_another_implementation(left: cp.DFA, right: cp.DFA) -> None:
    one, two = independent(left), independent(right)
    smallest = left.minimize()
    assert smallest.n_states == len(one.minify(retain_names=False).states)
    assert independent(smallest) == one
    assert (smallest == right.minimize()) == (one == two)
    assert smallest.minimize() == smallest
    assert independent(~left) == one.complement()
    assert independent(left & right) == one.intersection(two)
    assert independent(left | right) == one.union(two)
    assert independent(left - right) == one.difference(two)
    assert independent(left ^ right) == one.symmetric_difference(two)
    assert left.to_automata() == one
    assert independent(cp.DFA.from_automata(one)) == one


@given(dfas())
def test_words_and_counts_agree_with_runs(dfa: cp.DFA) -> None:
    words = ["".join(word) for n in range(6) for word in product(SYMBOLS, repeat=n)]
    accepted = [word for word in words if independent(dfa).accepts_input(word)]
    assert list(dfa.words(5)) == accepted
    assert dfa.contains(words).tolist() == [word in accepted for word in words]
    assert [dfa.count(n) for n in range(6)] == [sum(len(word) == n for word in accepted) for n in range(6)]
    shortest = dfa.shortest_word()
    assert shortest == (accepted[0] if accepted else None)  # six states: five symbols reach them all


def test_missing_transitions_lead_nowhere() -> None:
    partial = Automaton(
        states={"s", "t"},
        input_symbols={"a", "b"},
        transitions={"s": {"a": "t"}, "t": {}},
        initial_state="s",
        final_states={"t"},
        allow_partial=True,
    )
    dfa = cp.DFA.from_automata(partial)
    assert list(dfa.words(4)) == ["a"]
    assert dfa.n_states == 3


def test_symbols_of_any_kind_are_kept() -> None:
    dfa = cp.DFA(cp.data.Alphabet([1, ("x", 2)]), ((1, 0), (0, 1)), 0, frozenset({1}))
    automaton = dfa.to_automata()
    assert automaton.accepts_input([1, ("x", 2)])
    assert dfa.accepts([1, ("x", 2)])
    assert list(dfa.words(1)) == [(1,)]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cp.DFA(cp.data.Alphabet("ab"), ((0,),), 0, frozenset()),
            "a DFA over 2 symbols needs one next state per symbol in every state, an initial state and final states, "
            "all numbered from 0; got ((0,),), initial 0, final frozenset().",
        ),
        (
            lambda: (
                cp.DFA(cp.data.Alphabet("ab"), ((0, 0),), 0, frozenset())
                & cp.DFA(cp.data.Alphabet("ac"), ((0, 0),), 0, frozenset())
            ),
            "automata must have the same alphabet; got {'a', 'b'} and {'a', 'c'}.",
        ),
        (
            lambda: cp.DFA(cp.data.Alphabet("ab"), 5, 0, frozenset()),  # type: ignore[arg-type]
            "a DFA over 2 symbols needs one next state per symbol in every state, an initial state and final states, "
            "all numbered from 0; got 5, initial 0, final frozenset().",
        ),
        (
            lambda: cp.DFA(cp.data.Alphabet("a"), (([],),), 0, frozenset()),  # type: ignore[arg-type]
            "a DFA over 1 symbol needs one next state per symbol in every state, an initial state and final states, "
            "all numbered from 0; got (([],),), initial 0, final frozenset().",
        ),
        (lambda: cp.DFA.from_automata("dfa"), "expected a DFA of automata-lib; got 'dfa'."),
    ],
)
def test_refusals(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        call()
    assert str(refusal.value) == sentence


def test_alphabets_in_another_order_are_matched() -> None:
    ends_in_a = cp.DFA(cp.data.Alphabet("ab"), ((1, 0), (1, 0)), 0, frozenset({1}))
    turned = cp.DFA(cp.data.Alphabet("ba"), ((0, 1), (0, 1)), 0, frozenset({1}))
    assert (ends_in_a ^ turned).shortest_word() is None


def random_dfa(rng: random.Random) -> cp.DFA:
    n_states = rng.randint(1, 8)
    rows = tuple(tuple(rng.randrange(n_states) for _ in SYMBOLS) for _ in range(n_states))
    return cp.DFA(cp.data.Alphabet(SYMBOLS), rows, 0, frozenset(s for s in range(n_states) if rng.random() < 0.5))


@pytest.mark.parametrize("case", range(200))
def test_isolated_cut_points_give_the_original_language(case: int) -> None:
    """A DFA mixed with noise of weight ε: acceptances stay away from 1/2 by 1/2 - ε."""
    rng = random.Random(case)
    dfa = random_dfa(rng)
    noise = cp.random_acceptor(rng.randint(1, 4), SYMBOLS, rng=case).rationalized(20)
    weight = Fraction(rng.randint(1, 45), 100)
    mixed = cp.mixture([dfa.to_acceptor(), noise], [1 - weight, weight])
    if case % 2:  # floats, whose rows need not sum to 1 in binary
        mixed = mixed.replace(transitions=mixed.transitions, initial=mixed.initial)
    extracted = cp.Language(mixed, "1/2").to_dfa(isolation=(Fraction(1, 2) - weight) * Fraction(999, 1000))
    assert isinstance(extracted, cp.DFA)
    assert independent(extracted) == independent(dfa)
    assert extracted.n_states == len(independent(dfa).minify().states)


def test_noise_at_every_step_that_dies_out() -> None:
    """Rows of a DFA mixed with jumps to a state of its own: the tail is lost, the cut point below it isolated."""
    acceptor = cp.Acceptor(
        ["even", "odd"], "ab", {"a": [["1/10", "9/10"], ["9/10", "1/10"]], "b": [[1, 0], [1, 0]]}, "even", {"odd"}
    )
    language = cp.Language(acceptor, "1/20")
    nearest = language.isolation(max_length=8)
    dfa = language.to_dfa(isolation=nearest.distance)
    assert isinstance(dfa, cp.DFA)
    words = ["".join(word) for n in range(9) for word in product("ab", repeat=n)]
    assert dfa.contains(words).tolist() == language.contains(words).tolist()


def test_isolation_at_the_limit_of_states_is_unknown() -> None:
    answer = cp.Language(cp.p_adic(2), "1/3").to_dfa(max_states=5, isolation="1/1000000")
    assert answer == cp.Unknown(explored=5)
    assert "5 distributions at the cut point 1/3" in str(answer)
    tenth = cp.Acceptor(2, "a", {"a": [["9/10", "1/10"], ["9/10", "1/10"]]}, 0, {1})
    assert isinstance(
        cp.Language(tenth, "1/2").to_dfa(max_states=2**63, isolation="1/10"), cp.DFA
    )  # no limit in effect


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_minimize_many_states(seed: int) -> None:
    """Copies of a small DFA that lead into each other at random collapse again."""
    rng = np.random.default_rng(seed)
    small = random_dfa(random.Random(seed))
    copies = 50
    rows = tuple(
        tuple(int(t * copies + rng.integers(copies)) for t in small.transitions[s // copies])
        for s in range(small.n_states * copies)
    )
    large = cp.DFA(small.alphabet, rows, 0, frozenset(s for s in range(len(rows)) if s // copies in small.final))
    assert large.minimize() == small.minimize()


def test_a_dfa_is_equivalent_to_itself_and_a_shortest_word_tells_others_apart() -> None:
    half = cp.Language(cp.p_adic(2), "1/2").to_dfa()
    assert isinstance(half, cp.DFA)
    assert half.equivalence(half)
    different = half.equivalence(~half)
    assert (different.word, different.left, different.right) == ("", 0, 1)  # type: ignore[union-attr]


def test_too_many_states_when_read_from_the_front_are_told() -> None:
    """The k-th symbol from the back: k + 1 states from the back, 2^k from the front."""
    steps: list[tuple[int, ...]] = [(min(k + 1, 8),) * 2 for k in range(9)]
    steps[6] = (8, 7)  # the seventh symbol from the back is b
    steps[7] = (7, 7)
    answer = reversed_dfa(Alphabet("ab"), steps, [7], 50)
    assert isinstance(answer, cp.decision.Unknown)
    assert "read from the front its DFA has more than 50 states" in str(answer)
    found = reversed_dfa(Alphabet("ab"), steps, [7], 200)
    assert isinstance(found, cp.DFA)
    assert found.n_states == 128
    words = cp.random_words("ab", 200, (0, 12), rng=1)
    assert all(found.accepts(word) == (len(word) > 6 and word[-7] == "b") for word in words)
