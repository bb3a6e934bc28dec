"""Weighted automata, their algebra, and Turakainen's construction, against enumeration with fractions."""

import operator
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.strategies import acceptors
from tests.words import values

NUMBERS = st.fractions(-3, 3, max_denominator=4)


@st.composite
def linears(draw: st.DrawFn, max_dimension: int = 3, alphabet: str = "ab") -> cp.WeightedAutomaton:
    """WeightedAutomaton functions with small entries of both signs; zeros and dimension 0 are common."""
    n = draw(st.integers(0, max_dimension))

    def row() -> list[Fraction]:
        return draw(st.lists(NUMBERS, min_size=n, max_size=n))

    start, final = row(), row()
    steps: Any = [[row() for _ in range(n)] for _ in alphabet]
    return cp.WeightedAutomaton(alphabet, start, np.array(steps, dtype=object).reshape(len(alphabet), n, n), final)


@given(linears(), linears(), NUMBERS)
def test_operations_act_on_the_values(f: cp.WeightedAutomaton, g: cp.WeightedAutomaton, c: Fraction) -> None:
    left, right = values(f, 2), values(g, 2)
    for word in left:
        x, y = left[word], right[word]
        assert f.exact_value(word) == x
        assert (f + g).exact_value(word) == x + y
        assert (f - g).exact_value(word) == x - y
        assert (-f).exact_value(word) == -x
        assert (c * f).exact_value(word) == (f * c).exact_value(word) == c * x
        assert (f & g).exact_value(word) == x * y
        assert (f + c).exact_value(word) == (c + f).exact_value(word) == x + c
        assert (c - f).exact_value(word) == c - x
        assert f.reverse().exact_value(word[::-1]) == x
        assert cp.WeightedAutomaton.constant("ab", c).exact_value(word) == c
        if c:
            assert (f / c).exact_value(word) == x / c
    assert all(made.is_exact for made in (f + g, f - g, -f, c * f, f & g, f + c, f.reverse()))


@given(linears(), st.floats(-2, 2))
def test_floats_follow_the_exact_values(f: cp.WeightedAutomaton, c: float) -> None:
    table = values(f, 3)
    words = list(table)
    exact = np.array([float(table[word]) for word in words])
    np.testing.assert_allclose(f.values(words), exact, rtol=0, atol=1e-11)
    assert [f.value(word) for word in words] == f.values(words).tolist()
    scaled = c * f
    assert scaled.is_exact == (f.dimension == 0)
    np.testing.assert_allclose(scaled.values(words), c * exact, rtol=0, atol=1e-11)
    np.testing.assert_allclose((f + c).values(words), exact + c, rtol=0, atol=1e-11)
    np.testing.assert_allclose((scaled & f).values(words), c * exact**2, rtol=0, atol=1e-8)


@given(acceptors(max_states=3, exact=True), acceptors(max_states=3, exact=True))
def test_acceptors_mean_their_acceptance(A: cp.Acceptor, B: cp.Acceptor) -> None:
    if A.n_symbols != B.n_symbols:
        B = ~A
    left, right = values(A, 2), values(B, 2)
    f = cp.WeightedAutomaton.of(A)
    assert f.is_exact
    assert f.dimension == A.n_states
    for word in left:
        assert (f + B).exact_value(word) == left[word] + right[word]
        assert (B - f).exact_value(word) == right[word] - left[word]
        assert (B & f).exact_value(word) == (f & B).exact_value(word) == left[word] * right[word]


@given(acceptors(max_states=3))
def test_an_acceptor_rests_on_a_weighted_automaton(A: cp.Acceptor) -> None:
    """The arrays are held once, and arithmetic stays with the weighted automaton."""
    f = A.to_weighted()
    assert f is A.to_weighted()
    assert f.is_exact == A.is_exact
    assert f.transitions is A.transitions
    assert f.initial is A.initial
    assert f.final.tolist() == A.final.astype(float).tolist()
    assert f.exact_transitions is A.exact_transitions
    assert f == cp.WeightedAutomaton(A.alphabet, *f.arrays()) == cp.WeightedAutomaton.of(A)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        with pytest.raises(TypeError):
            operation(A, 2)
    with pytest.raises(TypeError):
        operator.neg(A)  # type: ignore[arg-type]
    assert isinstance(~A, cp.Acceptor)
    assert isinstance(A & A, cp.Acceptor)
    assert isinstance(A & f, cp.WeightedAutomaton)


def splits(word: str) -> list[tuple[str, str]]:
    return [(word[:i], word[i:]) for i in range(len(word) + 1)]


@given(linears(), linears())
def test_cauchy_product_sums_over_splits(f: cp.WeightedAutomaton, g: cp.WeightedAutomaton) -> None:
    left, right, both = values(f, 3), values(g, 3), f @ g
    assert both.is_exact
    assert both.dimension == f.dimension + g.dimension
    for word in left:
        assert both.exact_value(word) == sum(left[u] * right[v] for u, v in splits(word))


@given(linears())
def test_star_is_the_geometric_series(f: cp.WeightedAutomaton) -> None:
    """Powers of a proper function reach a word of length n n times at most; in general g = 1 + f @ g."""
    table = values(f, 3)
    if table[""] == 1:
        with pytest.raises(cp.errors.InvalidArgument, match="star needs a function that is not 1 at the empty word"):
            f.star()
        return
    star = values(f.star(), 3)
    assert f.star().dimension == f.dimension + 1
    for word, value in star.items():
        assert value == (not word) + sum(table[u] * star[v] for u, v in splits(word))
    if table[""] == 0:
        one = {word: Fraction(not word) for word in table}
        powers = [one]
        for _ in range(3):
            powers.append(
                {word: sum((powers[-1][u] * table[v] for u, v in splits(word)), Fraction(0)) for word in table}
            )
        assert star == {word: sum(power[word] for power in powers) for word in table}


def test_products_with_acceptors_and_dfas_on_either_side() -> None:
    f, A = cp.WeightedAutomaton("10", [1], [[[2]], [[3]]], [1]), cp.p_adic(2)
    D = cp.Language(A, "1/2").to_dfa()
    assert isinstance(D, cp.DFA)
    for g in (A, D):
        for word, value in values(f @ g, 3).items():
            assert value == sum(f.exact_value(u) * g.to_weighted().exact_value(v) for u, v in splits(word))
        for word, value in values(g @ f, 3).items():
            assert value == sum(g.to_weighted().exact_value(u) * f.exact_value(v) for u, v in splits(word))
    assert (D & f).exact_value("11") == 4
    assert (f - D).exact_value("11") == 3
    half = (f * 0.25).star()
    assert not half.is_exact
    np.testing.assert_allclose(half.value("1"), (0.5 / 0.75) / 0.75, rtol=1e-14, atol=0)


@given(acceptors(max_states=3))
def test_an_acceptor_comes_back(A: cp.Acceptor) -> None:
    assert cp.Acceptor.from_weighted(A.to_weighted(), A.states) == A


def test_displays() -> None:
    f = cp.WeightedAutomaton("ab", ["1/2", -1], {"a": [[1, 2], [0, "1/3"]], "b": [[-1, 0], [0, 0]]}, [0, "1/4"])
    assert str(f).splitlines() == [
        "             a:       b:      final:",
        "             0  1     0   1",
        "→ 1/2  0     1  2     -1  0   0",
        "→ -1   1 *   0  1/3   0   0   1/4",
    ]
    page = f._repr_html_()
    assert all(part in page for part in ("→ -1 1 *", "→ 1/2 0", "<b>final</b>", "1/4", "<img"))
    dot = cp.drawing.to_dot(f)
    assert all(part in dot for part in ("a: 1", "b: -1", "final: 1/4", "-1"))
    nothing = cp.WeightedAutomaton("a", [], [[]], [])
    assert str(nothing) == repr(nothing)
    assert "dimension 0" in nothing._repr_html_()
    assert "1e+300" in str(f * 1e300)


def test_symbols_are_matched_by_name() -> None:
    f, g = cp.WeightedAutomaton("ab", [1], [[[2]], [[3]]], [1]), cp.WeightedAutomaton("ba", [1], [[[5]], [[7]]], [1])
    assert (f + g).exact_value("aab") == 4 * 3 + 49 * 5
    assert (f & g).exact_value("aab") == 4 * 3 * 49 * 5
    assert g.reordered(f.alphabet).alphabet == f.alphabet
    assert f.reordered(f.alphabet) is f
    assert g.reordered(list(f.alphabet)).alphabet == f.alphabet
    with pytest.raises(cp.errors.InvalidArgument, match="an alphabet must be symbols in an order"):
        f.reordered(None)  # type: ignore[arg-type]


# -- Turakainen -----------------------------------------------------------------------------------------------------


@given(linears(), st.data())
def test_turakainen_keeps_the_language(f: cp.WeightedAutomaton, data: st.DataObject) -> None:
    """All words to length 4, at cut points that values reach: the strict inequality must hold its side."""
    table = values(f, 4)
    cut_point = data.draw(st.one_of(NUMBERS, st.sampled_from(sorted(set(table.values())))))
    acceptor, mark = f.to_acceptor(cut_point)
    assert isinstance(acceptor, cp.Acceptor)
    assert acceptor.is_exact
    assert acceptor.n_states <= 2 * (f.dimension + 3)
    assert 0 <= mark <= 1
    accepted = values(acceptor, 4)
    assert {word for word in table if table[word] > cut_point} == {word for word in table if accepted[word] > mark}


def test_turakainen_of_the_zero_function() -> None:
    nothing = cp.WeightedAutomaton("a", [], [[]], [])
    for cut_point, holds in ((0, False), (-1, True), (1, False)):
        acceptor, mark = nothing.to_acceptor(cut_point)
        assert all(acceptor.accepts("a" * n, mark) == holds for n in range(4))


def test_turakainen_of_floats_is_exact() -> None:
    """The cut point is the exact binary value that a word reaches: the word is not above it."""
    f = cp.WeightedAutomaton("ab", [0.1, -0.7], [[[0.3, -1.5], [0.2, 0.9]], [[-0.4, 0.6], [1.1, 0.3]]], [0.3, 1.7])
    cut_point = f.exact_value("ab")
    acceptor, mark = f.to_acceptor(cut_point)
    for word, value in values(f, 6).items():
        assert acceptor.accepts(word, mark) == (value > cut_point), word


def test_turakainen_names_its_parts() -> None:
    made = cp.WeightedAutomaton.of(cp.p_adic(2)).to_acceptor("1/2")
    assert isinstance(made, cp.model.SameLanguage)
    assert list(cp.Language(made.acceptor, made.cut_point).words(3)) == list(cp.Language(cp.p_adic(2), "1/2").words(3))


# -- The value ------------------------------------------------------------------------------------------------------


def test_same_parts_are_the_same_value() -> None:
    f = cp.WeightedAutomaton("ab", ["1/3", 0], {"a": [[1, 2], [0, 1]], "b": [[1, -2], [0, 1]]}, [0, 1])
    g = cp.WeightedAutomaton("ab", [Fraction(1, 3), 0], [[[1, 2], [0, 1]], [[1, -2], [0, 1]]], (0, 1))
    assert f == g
    assert hash(f) == hash(g)
    assert pickle.loads(pickle.dumps(f)) == f
    nearly = cp.WeightedAutomaton("ab", [Fraction(1, 3) + Fraction(1, 10**30), 0], g.exact_transitions, [0, 1])
    assert nearly.initial.tolist() == f.initial.tolist()
    assert nearly != f
    assert f != cp.WeightedAutomaton("ab", f.initial, f.transitions, f.final)  # the float 1/3 is another number
    assert f != "f"
    assert cp.WeightedAutomaton("a", [0.0], [[[-0.0]]], [1.0]) == cp.WeightedAutomaton("a", [0.0], [[[0.0]]], [1.0])
    assert cp.WeightedAutomaton("a", [], [[]], []) == cp.WeightedAutomaton("a", np.zeros(0), np.zeros((1, 0, 0)), ())


def test_nothing_can_be_changed() -> None:
    f = cp.WeightedAutomaton("a", ["1/2"], [[[2]]], [1])
    with pytest.raises(AttributeError, match="cannot assign to field 'initial'"):
        f.initial = np.zeros(1)  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot delete field 'final'"):
        del f.final
    for part in (f.initial, f.exact_initial, f.transitions, f.exact_transitions, f.final, f.exact_final):
        with pytest.raises(ValueError, match="read-only"):
            part[...] = 0


def test_repr_and_numpy_numbers() -> None:
    f = cp.WeightedAutomaton(["go", "stop"], [1], [[[2]], [["1/2"]]], [1])
    assert repr(f) == "<WeightedAutomaton: dimension 1, 2 symbols {'go', 'stop'}, exact>"
    assert repr(np.float64(0.5) * f) == "<WeightedAutomaton: dimension 1, 2 symbols {'go', 'stop'}>"
    assert (np.int64(3) * f).exact_value(["go", "go"]) == 12
    assert repr(cp.WeightedAutomaton("a", [], [[]], [])) == "<WeightedAutomaton: dimension 0, 1 symbol {'a'}, exact>"


TEXT: Any = "f"

PARTS: dict[str, Any] = {
    "alphabet": "ab",
    "initial": [1, 0],
    "transitions": {"a": [[1, 2], [0, 1]], "b": [[1, 0], [0, 1]]},
    "final": [0, 1],
}


@pytest.mark.parametrize(
    ("changes", "kind", "sentence"),
    [
        (
            {"alphabet": ""},
            cp.errors.InvalidArgument,
            "a weighted automaton needs at least one symbol; the alphabet is empty.",
        ),
        ({"initial": 3}, cp.errors.InvalidArgument, "initial must be a vector of numbers; got 3."),
        (
            {"initial": range(10**15)},
            cp.errors.InvalidArgument,
            "final must have shape (1000000000000000,) (one number per dimension, as initial has); got shape (2,).",
        ),
        ({"initial": "ab"}, cp.errors.InvalidArgument, "initial must be a vector of numbers; got 'ab'."),
        ({"initial": [[1, 0]]}, cp.errors.InvalidArgument, "initial must be a vector of numbers; got [[1, 0]]."),
        (
            {"initial": [1, "x"]},
            cp.errors.InvalidArgument,
            "initial[1]: expected a finite number or a string such as '1/3'; got 'x'.",
        ),
        ({"initial": [1.0, np.nan]}, cp.errors.InvalidArgument, "initial[1] must be a finite number; got nan."),
        (
            {"final": [0, 1, 2]},
            cp.errors.InvalidArgument,
            "final must have shape (2,) (one number per dimension, as initial has); got shape (3,).",
        ),
        ({"final": [0, np.inf]}, cp.errors.InvalidArgument, "final[1] must be a finite number; got inf."),
        (
            {"transitions": {"a": [[1]]}},
            cp.errors.InvalidArgument,
            "transitions must have a matrix for every symbol; none for {'b'}.",
        ),
        (
            {"transitions": {"a": [[1]], "b": [[1]]}},
            cp.errors.InvalidArgument,
            "transitions['a'] must have shape (2, 2) (one row and one column per state); got shape (1, 1).",
        ),
        (
            {"transitions": {"c": [[1]]}},
            cp.errors.UnknownSymbol,
            "transitions: symbol 'c' is not in the alphabet {'a', 'b'}.",
        ),
        (
            {"transitions": [[[1]]]},
            cp.errors.InvalidArgument,
            "transitions must have shape (2, 2, 2) (one square matrix per symbol); got shape (1, 1, 1).",
        ),
        (
            {"initial": []},
            cp.errors.InvalidArgument,
            "final must have shape (0,) (one number per dimension, as initial has); got shape (2,).",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.WeightedAutomaton(**(PARTS | changes))
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        (
            lambda f: f + cp.WeightedAutomaton("abc", [1], [[[1]]] * 3, [1]),
            "automata must have the same alphabet; got {'a', 'b'} and {'a', 'b', 'c'}.",
        ),
        (lambda f: f * f, "* takes a number; write f & g for the product of two functions word by word."),
        (lambda f: f * cp.p_adic(2), "* takes a number; write f & g for the product of two functions word by word."),
        (lambda f: f * 1e308 * 1e308, "initial[0] must be a finite number; got inf."),
        (lambda f: (f * 1e200) & (f * 1e200), "initial[0] must be a finite number; got inf."),
        (lambda f: f * float("nan"), "a factor must be a finite number or a string such as '1/3'; got nan."),
        (lambda f: f * "two", "a factor must be a finite number or a string such as '1/3'; got 'two'."),
        (
            lambda f: np.array([1.0, 2.0]) * f,
            "a factor must be a finite number or a string such as '1/3'; got array([1., 2.]).",
        ),
        (lambda f: f @ 2, "@ takes an automaton on both sides, and * takes a number; got 2."),
        (lambda f: 2 @ f, "@ takes an automaton on both sides, and * takes a number; got 2."),
        (lambda f: (f + 1).star(), "star needs a function that is not 1 at the empty word: its powers never add up."),
        (
            cp.Acceptor.from_weighted,
            "row of symbol 'a', state 0 must sum to 1; got 3. Use Acceptor.normalized(...) to rescale rows.",
        ),
        (
            lambda f: cp.Acceptor.from_weighted(f / 3 + "1/2"),
            "the final weights of an acceptor are 0 and 1; got 1/2 in dimension 2. Take to_acceptor(cut_point).",
        ),
        (lambda f: f / 0, "a weighted automaton cannot be divided by 0."),
        (
            lambda f: f + None,
            "the other side, unless it is a WeightedAutomaton or an Acceptor, must be a finite number or a string such as '1/3'; got None.",
        ),
        (
            lambda f: f.to_acceptor(float("inf")),
            "a cut point must be a finite number or a string such as '1/3'; got inf.",
        ),
        (lambda f: f.to_acceptor("half"), "a cut point must be a finite number or a string such as '1/3'; got 'half'."),
        (lambda f: f.value("abc"), "position 2: symbol 'c' is not in the alphabet {'a', 'b'}."),
        (lambda f: cp.WeightedAutomaton.of(TEXT), "expected an Acceptor or a WeightedAutomaton; got 'f'."),
    ],
)
def test_slips_get_a_sentence(slip: Any, sentence: str) -> None:
    with pytest.raises(cp.CutpointError) as refusal:
        slip(cp.WeightedAutomaton(**PARTS))
    assert str(refusal.value) == sentence
