"""Recurrences and closed forms of repeated words, against powers of matrices in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.model.test_weighted import NUMBERS, linears
from tests.refusals import check_refused
from tests.strategies import acceptors
from tests.words import rank


def checked(found: cp.decision.Recurrence, values: list[Fraction]) -> None:
    """All that a recurrence says of a sequence whose first values are known."""
    n = len(values)
    assert found.terms(n) == values
    assert [found.value(k) for k in range(n)] == values
    above, below = found.generating_function
    series = [sum((b * values[k - j] for j, b in enumerate(below[: k + 1])), Fraction(0)) for k in range(n)]
    assert series == [*above, *[0] * (n - len(above))]  # values times the denominator are the numerator
    half = n // 2
    assert found.order == rank([values[i : i + half] for i in range(half)])  # none is shorter
    assert sum(found.roots.values()) == found.order
    for root, times in found.roots.items():
        z = root if isinstance(root, complex) else complex(float(root))
        if times == 1:
            at_root = sum(float(c) * z**j for j, c in enumerate(found.characteristic))
            size = sum(abs(float(c)) * abs(z) ** j for j, c in enumerate(found.characteristic))
            assert abs(at_root) <= 1e-9 * size
    if (closed := found.closed_form) is not None:
        for k, value in enumerate(values):
            terms = (c * k**j * r**k if r else c * (k == j) for r, q in closed.items() for j, c in enumerate(q))
            assert sum(terms, Fraction(0)) == value


@given(linears(alphabet="a"))
def test_unary_weighted_automata(f: cp.WeightedAutomaton) -> None:
    checked(cp.recurrence(f), [f.exact_value("a" * k) for k in range(8)])


@given(acceptors(max_states=3, exact=True), st.data())
def test_a_word_repeated(A: cp.Acceptor, data: st.DataObject) -> None:
    word = data.draw(st.lists(st.sampled_from(list(A.alphabet)), max_size=2))
    checked(cp.recurrence(A, word), [A.exact_acceptance(word * k) for k in range(8)])


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 2)), max_size=2, unique_by=lambda pair: pair[0]), st.data())
def test_rational_roots_have_a_closed_form(roots: list[tuple[Fraction, int]], data: st.DataObject) -> None:
    """Jordan blocks of given roots, the root 0 and double ones among them."""
    size = sum(times for _, times in roots)
    matrix = np.full((size, size), Fraction(0), dtype=object)
    at = 0
    for root, times in roots:
        for i in range(times):
            matrix[at, at], at = root, at + 1
            if i:
                matrix[at - 2, at - 1] = Fraction(1)
    row, column = (data.draw(st.lists(NUMBERS, min_size=size, max_size=size)) for _ in range(2))
    f = cp.WeightedAutomaton("a", row, matrix[None], column)
    found = cp.recurrence(f)
    assert found.closed_form is not None
    assert set(found.roots) <= {root for root, _ in roots}
    checked(found, [f.exact_value("a" * k) for k in range(10)])


def test_as_text() -> None:
    steps = [[0, 1, 0], [0, 0, 1], ["1/2", 0, "1/2"]]
    cycle = cp.Acceptor(3, "a", [steps], 0, {2})
    assert str(cp.recurrence(cycle)) == "p(k) = 1/2·p(k-1) + 1/2·p(k-3); p(0) = 0, p(1) = 0, p(2) = 1"
    assert cp.recurrence(cycle).value(10**4) == cycle.power_acceptance("a", 10**4, exact=True)
    real = [root for root in cp.recurrence(cycle).roots if not isinstance(root, complex)]
    assert real == [Fraction(1)]
    late = cp.WeightedAutomaton(
        "a", [1, 0, -2, 0], [[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 3, 1], [0, 0, 0, 3]]], [1, 5, 0, 1]
    )
    assert repr(cp.recurrence(late)) == "<Recurrence of order 4: p(k) = -2/3·k·(3)^k + [k = 0] + 5·[k = 1]>"
    nothing = cp.recurrence(cp.WeightedAutomaton("a", [], [[]], []))
    assert str(nothing) == "p(k) = 0"
    assert nothing.terms(3) == [0, 0, 0]
    assert nothing.value(7) == 0
    assert nothing.closed_form == {}
    assert "1/2" in cp.recurrence(cp.p_adic(2), "1")._repr_html_()


def test_plot() -> None:
    found = cp.recurrence(cp.p_adic(2), "1")
    figure = cp.plots.recurrence(found, 5, cut_point="3/4")
    points, line = figure.axes[0].lines[:2]
    assert np.asarray(points.get_ydata()).tolist() == [0, 0.5, 0.75, 0.875, 0.9375]
    assert set(np.asarray(line.get_ydata()).tolist()) == {0.75}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cp.recurrence(cp.p_adic(2)),
            "word must be the word that is repeated, as there are several symbols {'0', '1'}; got None.",
        ),
        (lambda: cp.recurrence(3), "expected an Acceptor or a WeightedAutomaton; got 3."),  # type: ignore[arg-type]
        (lambda: cp.recurrence(cp.p_adic(2), "1").value(-1), "k must be a whole number from 0 to 1,000,000; got -1."),
        (lambda: cp.recurrence(cp.p_adic(2), "1").terms(0.5), "n must be a whole number from 0 to 1,000,000; got 0.5."),  # type: ignore[arg-type]
        (lambda: cp.recurrence(cp.p_adic(2), "12"), "position 1: symbol '2' is not in the alphabet {'0', '1'}."),
        (
            lambda: cp.decision.Recurrence([1], [0, 1]),
            "a recurrence needs as many first values as coefficients, in two lists; got [1] and [0, 1].",
        ),
        (
            lambda: cp.decision.Recurrence(["x"], [0]),
            "each of coefficients must be a finite number or a string such as '1/3'; got 'x'.",
        ),
        (lambda: cp.plots.recurrence("x", 5), "expected a Recurrence; got 'x'."),  # type: ignore[arg-type]
    ],
)
def test_refused_with_a_sentence(call: object, sentence: str) -> None:
    check_refused(call, cp.CutpointError, sentence)  # type: ignore[arg-type]
