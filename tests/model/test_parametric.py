"""Acceptors with parameters: at every rational point they are the acceptors with numbers, exactly."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.exact import ParameterInterval, RationalFunction
from tests import oracles
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors, words_of

p, q = cp.parameters("p q")

POINTS = [Fraction(k, 21) for k in range(1, 21)]  # 20 rational points

KINDS: dict[str, list[Any]] = {
    "polynomials": [[1 - p, p], [p * q, 1 - p * q], [(1 - p) ** 2, 1 - (1 - p) ** 2], ["1/3", "2/3"]],
    "quotients": [[p / (p + q), q / (p + q)], [1 / (1 + p), p / (1 + p)], [1 - p, p], [0, 1]],
}


def machine(kind: str) -> cp.ParametricAcceptor:
    a, b, c, d = KINDS[kind]
    found: Any = cp.Acceptor(["s", "t"], "ab", {"a": [a, b], "b": [c, d]}, {"s": q, "t": 1 - q}, {"t"})
    assert isinstance(found, cp.ParametricAcceptor)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_at_twenty_points_all_functions_are_the_numbers_of_the_package(kind: str) -> None:
    parametric = machine(kind)
    words = ["".join(word) for n in range(4) for word in product("ab", repeat=n)]
    sample = cp.Sample(
        ["ab", "b", "aab"], accepted=[True, False, None], states=[None, ["s", None], None], counts=[2, 1, 3]
    )
    likelihood = cp.em.likelihood(parametric, sample)
    functions = {
        word: (parametric.acceptance(word), parametric.matrix(word), parametric.forward(word)) for word in words
    }
    for k, point in enumerate(POINTS):
        values = {"p": point, "q": POINTS[(7 * k + 3) % 20]}
        acceptor = parametric.at(**values)
        assert isinstance(acceptor, cp.Acceptor)
        assert acceptor.is_exact
        put = np.vectorize(lambda function, values=values: function.at(**values), otypes=[object])
        for word, (acceptance, matrix, forward) in functions.items():
            assert acceptance.at(**values) == acceptor.exact_acceptance(word)
            assert oracles.acceptance(oracles.rational(acceptor), word) == acceptance.at(**values)
            assert put(matrix).tolist() == acceptor.matrix(word, exact=True).tolist()
            assert put(forward).tolist() == acceptor.forward(word, exact=True).tolist()
        assert likelihood.at(**values) == cp.em.likelihood(acceptor, sample, exact=True)
        half = parametric.at(p=values["p"])
        assert half.parameters == ("q",)
        assert half.at(q=values["q"]) == acceptor


def test_absorption_is_that_of_the_chain() -> None:
    rows = {0: 0, 1: {2: p, 0: 1 - p}, 2: {3: q, 1: 1 - q}, 3: 3, 4: {1: p, 4: 1 - p}}
    gambler: Any = cp.Acceptor(5, "t", {"t": rows}, 1, {3})
    absorption = gambler.absorption("t")
    for point, other in zip(POINTS, reversed(POINTS), strict=True):
        expected = gambler.at(p=point, q=other).chain("t", exact=True).absorption
        assert [[f.at(p=point, q=other) for f in row] for row in absorption] == expected.tolist()


def test_derivatives_are_those_of_polynomials() -> None:
    f = machine("quotients").acceptance("aba")
    step = Fraction(1, 10**9)
    for point in POINTS:
        slope = (f.at(p=point + step, q="1/2") - f.at(p=point - step, q="1/2")) / (2 * step)
        assert abs(slope - f.derivative("p").at(p=point, q="1/2")) < Fraction(1, 10**12)


@pytest.mark.parametrize("cut_point", ["1/2", "0", "1/3", "9/10"])
@pytest.mark.parametrize("inclusive", [False, True])
def test_where_a_word_is_accepted(cut_point: str, inclusive: bool) -> None:
    parametric = machine("polynomials").at(q="1/2")
    for word in ["", "a", "ab", "bab"]:
        found = parametric.accepted_where(word, cut_point, inclusive)
        inner = [end for interval in found for end in (interval.low, interval.high) if isinstance(end, Fraction)]
        for point in [*POINTS, Fraction(0), Fraction(1), Fraction(-1), Fraction(3, 2), *inner]:
            try:
                value = parametric.at(p=point).exact_acceptance(word)
                inside = value > Fraction(cut_point) or (inclusive and value == Fraction(cut_point))
            except cp.errors.InvalidAcceptor:
                inside = False
            assert any(point in interval for interval in found) == inside, (word, point, found)


def test_touching_zeros_and_single_points() -> None:
    tie: Any = cp.Acceptor(2, "a", [[[1 - p * (1 - p), p * (1 - p)], [0, 1]]], 0, {1})
    assert tie.accepted_where("a", "1/4") == ()
    assert tie.accepted_where("a", "1/4", inclusive=True) == (ParameterInterval(Fraction(1, 2), Fraction(1, 2)),)
    assert repr(tie.accepted_where("a", "1/4", inclusive=True)) == "({1/2},)"
    assert repr((~tie.at(p="1/2")).exact_acceptance("a")) == "Fraction(3, 4)"
    (whole,) = tie.accepted_where("", 0, inclusive=True)
    assert whole == ParameterInterval(Fraction(0), Fraction(1))
    odd: Any = cp.Acceptor(2, "a", [[[1 / p, 1 - 1 / p], [0, 1]]], 0, {1})
    assert repr(odd.domain) == "([1, inf),)"
    assert repr(odd.accepted_where("a", "1/2")) == "((2, inf),)"


@given(acceptors(max_states=3, max_symbols=2, exact=True), acceptors(max_states=2, max_symbols=2, exact=True))
def test_equivalence_agrees_with_that_of_numbers(one: cp.Acceptor, two: cp.Acceptor) -> None:
    if one.n_symbols == two.n_symbols:
        expected = cp.equivalence(one, two)
        assert cp.equivalence(cp.ParametricAcceptor.of(one), two) == expected
    assert cp.equivalence(cp.ParametricAcceptor.of(one), one) == cp.Equal()


def test_equivalence_for_all_parameters() -> None:
    one = machine("polynomials")
    a, b, c, d = KINDS["polynomials"]
    split = {
        "a": [a[:1] + [a[1] / 2] * 2, [b[0], b[1], 0], [b[0], 0, b[1]]],
        "b": [[c[0], c[1], 0], [d[0], 0, d[1]], [*d, 0]],
    }
    same: Any = cp.Acceptor("stu", "ab", split, {"s": q, "u": 1 - q}, "tu")
    assert cp.equivalence(one, same) == cp.Equal()
    other = one.at(q="1/2")
    different = cp.equivalence(one, other)
    assert isinstance(different, cp.Different)
    assert (different.word, different.left, different.right) == ("", 1 - q, Fraction(1, 2))
    assert different.difference.roots() == (Fraction(1, 2),)
    longer: Any = cp.Acceptor(
        "st", "ab", {"a": [a, b], "b": [c, [Fraction(1, 3) + p - p, Fraction(2, 3)]]}, {"s": q, "t": 1 - q}, "t"
    )
    assert cp.equivalence(one, longer) == cp.Equal()


@settings(max_examples=50)
@given(st.data())
def test_constant_functions_are_numbers(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3, max_symbols=2, exact=True))
    word = data.draw(words_of(acceptor))
    parametric = cp.ParametricAcceptor.of(acceptor)
    assert parametric.acceptance(word) == acceptor.exact_acceptance(word)
    assert parametric.at() == acceptor


def test_the_value() -> None:
    one = machine("quotients")
    assert one == machine("quotients")
    assert hash(one) == hash(machine("quotients"))
    assert one != machine("polynomials")
    assert pickle.loads(pickle.dumps(one)) == one
    assert "p/(p + q)" in str(one)
    assert "p/(p + q)" in one._repr_html_()
    assert 'label="a: q/(p + q)' in cp.drawing.to_dot(one)
    assert cp.Acceptor(1, "a", {"a": [[p / p]]}, 0, {0}).at() == cp.Acceptor(1, "a", {"a": [[1]]}, 0, {0})  # type: ignore[attr-defined]
    mixed: Any = cp.Acceptor(2, "a", [[[0.5, 0.5], [1 - p, p]]], 0, {1})
    assert mixed.acceptance("aa") == Fraction(1, 4) + p / 2
    with pytest.raises(AttributeError, match="immutable"):
        one.states = ()  # type: ignore[assignment]


@given(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=6, max_size=6), st.fractions(-3, 3, max_denominator=5))
def test_arithmetic_of_functions(numbers: list[Fraction], point: Fraction) -> None:
    """f(x) ∘ g(x) is (f ∘ g)(x)."""
    a, b, c, d, e, x = numbers
    f, g = a + b * p + c * p * q, d * q**2 - e + p
    at = {"p": x, "q": point}
    assert (f + g).at(**at) == f.at(**at) + g.at(**at)
    assert (f - g * 2).at(**at) == f.at(**at) - 2 * g.at(**at)
    assert (f * g**2).at(**at) == f.at(**at) * g.at(**at) ** 2
    if g.at(**at):
        assert (f / g).at(**at) == f.at(**at) / g.at(**at)
        assert f / g == (f * (1 + q)) / (g * (q + 1))
        assert hash(f / g) == hash((f * (1 + q)) / (g * (q + 1)))
    product_of_roots = (p - a) * (p - b) * (p**2 - 2) * (2 * p - 1)
    roots = product_of_roots.roots()
    assert sorted(map(float, roots)) == pytest.approx(sorted({float(a), float(b), 0.5, 2**0.5, -(2**0.5)}))
    assert pickle.loads(pickle.dumps(f)) == f


REFUSED: list[Refusal] = [
    (
        lambda: cp.parameters("p p"),
        cp.errors.InvalidArgument,
        "parameters need distinct names of letters, digits and underscores, such as 'p q'; got 'p p'.",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[[p, q], [0, 1]]], 0, {1}),
        cp.errors.InvalidAcceptor,
        "row of symbol 'a', state 0 must sum to 1 for all parameters; got p + q. Write 1 - p for the rest of a row, for "
        "example.",
    ),
    (
        lambda: machine("polynomials").at(r=1),
        cp.errors.InvalidArgument,
        "the parameters of this acceptor are p, q; got r.",
    ),
    (
        lambda: machine("polynomials").at(p=2, q="1/2"),
        cp.errors.InvalidAcceptor,
        "row of symbol 'a', state 's' must have entries that are not negative; got -1 for state 's'.",
    ),
    (
        lambda: machine("polynomials").domain,
        cp.errors.InvalidArgument,
        "such a set needs one parameter; got p, q. Give values to the others with .at(...).",
    ),
    (lambda: (1 / p).at(p=0), cp.errors.InvalidArgument, "1/p is not defined at p = 0: its denominator is 0 there."),
    (lambda: float(p), cp.errors.InvalidArgument, "p is no number: give its parameters values, such as .at(p='1/2')."),
    (
        lambda: cp.Generator(1, "a", [[[p]]], 0, [1 - p]),
        cp.errors.InvalidArgument,
        "p is no number: give its parameters values, such as .at(p='1/2').",
    ),
    (
        lambda: machine("polynomials").at(q=0).accepted_where("a", cp.AlgebraicNumber.sqrt("1/2")),
        cp.errors.InvalidArgument,
        "accepted_where needs a rational cut point; got <AlgebraicNumber of -1 + 2x^2: 0.707106781187>.",
    ),
    (
        lambda: RationalFunction.of(1).derivative(),
        cp.errors.InvalidArgument,
        "name one of the parameters of 1: it has none.",
    ),
    (
        lambda: cp.em.likelihood(machine("polynomials"), cp.Sample(["a"], accepted=[True], counts=[10**6])),
        cp.errors.TooLarge,
        "the exact likelihood would take over 100 megabytes; use log_likelihood.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)


def test_numbers_among_functions() -> None:
    two = RationalFunction.of(2)
    assert two < 3
    assert not two < 2
    assert two <= 2
    assert not two <= 1
    assert two > 1
    assert not two > 2
    assert two >= 2
    assert not two >= 3
    assert hash(two) == hash(2)
    assert {p: 1}[RationalFunction.of(0) + p] == 1
    assert p.derivative("q") == 0
    assert p.derivative() == 1
    assert (p**-2).at(p="1/3") == 9
    assert p**0 == 1
    assert 1 / p == p**-1
    assert bool(p - p) is False
    assert bool(p) is True
    for name in ("__add__", "__mul__", "__truediv__", "__rtruediv__"):
        assert getattr(p, name)(None) is NotImplemented
    assert p.__pow__(0.5) is NotImplemented  # type: ignore[operator]
    assert p != (1, 2)
    for kind in (ZeroDivisionError, cp.CutpointError):
        with pytest.raises(kind, match="p is divided by 0"):
            p / 0
    with pytest.raises(cp.errors.InvalidArgument, match="is made by parameters"):
        type(p)(1, 2)  # type: ignore[arg-type]
    assert str(p ** (10**30)) == f"p^{10**30}"
    for base, exponent in ((1 + p, 10**6), (p + q, 10**4), (2 * p, 10**30), (1 / (1 - p), 10**9)):
        with pytest.raises(cp.errors.TooLarge, match="of memory; the limit is 1,000,000"):
            base**exponent
    assert ((1 + p) ** 500).at(p=1) == 2**500
    with pytest.raises(AttributeError, match="immutable"):
        p.numerator = q.numerator
    with pytest.raises(cp.errors.InvalidArgument, match="are a curve"):
        (p * q - 1).roots()


def test_a_difference_has_the_functions_of_both_sides() -> None:
    left: Any = cp.Acceptor(2, "ab", {"a": [[1 - p, p], [0, 1]], "b": [[1, 0], [0, 1]]}, 0, {1})
    right: Any = cp.Acceptor(2, "ab", {"a": [[1 - q, q], [0, 1]], "b": [[1, 0], [0, 1]]}, 0, {1})
    found: Any = cp.equivalence(left, right)
    assert (found.word, found.left, found.right) == ("a", p, q)
    assert cp.equivalence(left, left)
