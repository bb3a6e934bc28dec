"""Membership at cut points is exact: ties, neighbouring floats, irrational cut points, batches."""

import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.exact.algebraic import real_roots
from cutpoint.exact.certified import all_compared, all_values_compared, certified_bounds, compared
from tests.strategies import acceptors, words_of

CASES = 100_000
NATIVE = cp.kernel_info()["kernels"] == "native"


def p_adic_value(p: int, word: str) -> Fraction:
    """The acceptance of the p-adic acceptor, by the definition of a numeral: 0.x_n…x_1 in base p."""
    return Fraction(int(word[::-1] or "0", p), p ** len(word))


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_membership_at_ties_and_neighbouring_floats(p: int) -> None:
    """Cut points equal to the acceptance, to its float, and to the floats beside it."""
    acceptor, rng = cp.p_adic(p), np.random.default_rng(p)
    wrong_by_floats = 0
    for _ in range(CASES // 16 if NATIVE else CASES // 160):
        word = "".join(map(str, rng.integers(p, size=rng.integers(61))))
        value = p_adic_value(p, word)
        near = float(value)
        cuts: list[Fraction | float] = [value, near, math.nextafter(near, 0), math.nextafter(near, 1)]
        for cut_point in cuts:
            assert acceptor.accepts(word, cut_point) == (value > Fraction(cut_point))
        wrong_by_floats += any((acceptor.acceptance(word) > float(c)) != (value > Fraction(c)) for c in cuts)
    assert wrong_by_floats > 0


@pytest.mark.parametrize("word", ["10", "11", "12"])
def test_float_comparison_alone_is_wrong(word: str) -> None:
    """0.01 in base 5 is 1/25, but the float recursion arrives a bit above the float 0.04."""
    acceptor, value = cp.p_adic(5), p_adic_value(5, word)
    assert acceptor.acceptance(word) > float(value)
    assert not acceptor.accepts(word, value)


@given(st.data(), acceptors(exact=True))
def test_batches_agree_with_single_words_and_report_what_was_exact(data: st.DataObject, acceptor: cp.Acceptor) -> None:
    words = data.draw(st.lists(words_of(acceptor), min_size=1, max_size=6))
    cut_point = data.draw(st.sampled_from([acceptor.exact_acceptance(word) for word in words]))
    for inclusive in (False, True):
        language = cp.Language(acceptor, cut_point, inclusive)
        report = language.membership(words)
        values = [acceptor.exact_acceptance(word) for word in words]
        expected = [value >= cut_point if inclusive else value > cut_point for value in values]
        assert report.members.tolist() == language.contains(words).tolist() == expected
        assert [word in language for word in words] == expected
        assert all(report.exact[r] for r, value in enumerate(values) if value == cut_point)
        assert report.n_exact == sum(report.exact)


@pytest.mark.parametrize(
    ("step", "cut_point"),
    [
        (Fraction(1, 10**200), Fraction(1, 10**500)),  # the float is 0, and the probability above the cut point
        (Fraction(161, 10**164), Fraction("6e-324")),  # two paths, each rounded up to the smallest float
        (Fraction(161, 10**164), Fraction("5e-324")),
    ],
)
def test_below_the_smallest_float_integers_decide(step: Fraction, cut_point: Fraction) -> None:
    row = [0, step, step, 0, 1 - 2 * step]
    through = [0, 0, 0, step, 1 - step]
    stay = [0, 0, 0, 0, 1]
    acceptor = cp.Acceptor(5, "ab", [[row, stay, stay, stay, stay], [stay, through, through, stay, stay]], 0, {3})
    value = 2 * step * step
    assert acceptor.exact_acceptance("ab") == value
    assert acceptor.accepts("ab", cut_point) == (value > cut_point)
    assert acceptor.accepts("ab", value / 2)
    assert not acceptor.accepts("ab", value)
    for estimate in (0.0, 5e-324, 1e-323):  # each within the error of a float recursion
        assert compared(estimate, 2, 5, cut_point, lambda: value) == (1 if value > cut_point else -1)
        assert compared(estimate, 2, 5, value, lambda: value) == 0


def test_only_undecided_words_are_exact() -> None:
    acceptor = cp.p_adic(3)
    words = ["1", "2", "0", "01", "11", "1" * 50]
    report = cp.Language(acceptor, "1/3").membership(words)
    assert report.exact.tolist() == [True, False, False, True, False, False]
    assert repr(report) == "<Membership: 3 of 6 words in the language, 2 decided by exact arithmetic>"


@pytest.mark.parametrize("estimate", [0.0, 1e-300, 0.25, 1.0])
def test_certified_bounds_contain_the_estimate_and_are_narrow(estimate: float) -> None:
    """As wide as so many roundings, and no more: wider ones would leave everything to rational arithmetic."""
    low, high = certified_bounds(estimate, 10, 3)
    assert low < estimate < high
    assert high - low < Fraction(estimate) * 300 * Fraction(1, 2**52) + Fraction(1, 10**318)
    assert certified_bounds(estimate, 2**60, 3) == (Fraction(-1), Fraction(2))  # so many roundings have no bound


@pytest.mark.parametrize("n_states", [1, 3, 60])
@pytest.mark.parametrize("length", [0, 1, 5000])
@pytest.mark.parametrize("estimate", [5e-324, 1e-300, 0.25, 1.0])
def test_floats_decide_no_nearer_than_their_roundings(estimate: float, length: int, n_states: int) -> None:
    """The probability may be off by a rounding for each sum and product, n(l + 2) + l + 2, and by what underflows."""
    roundings, value = length * (n_states + 2) + n_states + 2, Fraction(estimate)
    off = value * roundings / 2**53 + (length + 1) * n_states**2 * Fraction(5e-324)
    low, high = certified_bounds(estimate, length, n_states)
    assert low < value - off
    assert high > value + off
    one, n = np.array([estimate]), np.array([length])
    for tie in (value - off, value + off):
        exact: Any = partial(_given, tie)
        assert compared(estimate, length, n_states, tie, exact) == 0
        for signs, used in (
            all_compared(one, n, n_states, tie, exact),
            all_values_compared(one, one, n, (n_states, 1.0), tie, exact),
        ):
            assert (signs.tolist(), used.tolist()) == ([0], [True])


def _given(value: Fraction, *_: int) -> Fraction:
    return value


# -- irrational cut points ----------------------------------------------------------------------------------------


def test_a_root_compares_exactly_with_fractions() -> None:
    root = cp.AlgebraicNumber([-1, 0, 2], 0, 1)
    low, high = Fraction(0), Fraction(1)
    for _ in range(200):  # beyond the precision of floats
        middle = (low + high) / 2
        assert (root > middle) == (2 * middle**2 < 1)
        low, high = (middle, high) if root > middle else (low, middle)
    assert float(root) == math.sqrt(0.5)
    assert root == cp.AlgebraicNumber.sqrt("1/2") == cp.AlgebraicNumber([0, -1, 0, 2], "1/2", 1)
    assert hash(root) == hash(cp.AlgebraicNumber.sqrt("1/2")) != hash(cp.AlgebraicNumber.sqrt("1/3"))
    assert len({cp.AlgebraicNumber.sqrt("1/4"), Fraction(1, 2)}) == 1
    assert root != cp.AlgebraicNumber.sqrt("1/3")
    assert not any(root == number for number in (math.nan, math.inf))
    assert -math.inf < root < math.inf
    assert -2 < root < 2  # beside the other root too
    for kind in (ZeroDivisionError, cp.CutpointError):
        with pytest.raises(kind, match=r"√\(1/2\) ≈ 0\.7071 is divided by 0\."):
            root / 0
    assert 1 - (1 - root) == root
    assert (1 - root) > Fraction(29, 100)
    assert root != 0.5
    assert cp.AlgebraicNumber([-1, 2], 0, 1) == Fraction(1, 2)
    assert cp.AlgebraicNumber([1, -3, 2], 0, 1) == Fraction(1, 2)  # (2x - 1)(x - 1): the bounds are not meant


def test_roots_closer_than_floats_are_ordered() -> None:
    """√2 and the root of a square 2⁻²⁰⁰ above 2 have the same float."""
    root, above = cp.AlgebraicNumber.sqrt(2), cp.AlgebraicNumber.sqrt(2 + Fraction(1, 2**200))
    assert float(root) == float(above)
    assert root < above
    assert above > root
    assert not above < root
    assert not root < cp.AlgebraicNumber([-2, 0, 1], 1, 3)
    assert cp.AlgebraicNumber.sqrt(2) < cp.AlgebraicNumber.sqrt(3)


def test_reprs_of_roots() -> None:
    assert repr(cp.AlgebraicNumber([-1, -1, 1], 1, 2)) == "<AlgebraicNumber of -1 - x + x^2: 1.61803398875>"
    assert repr(cp.AlgebraicNumber([1, 0, 0, -3], 0, 1)) == "<AlgebraicNumber of -1 + 3x^3: 0.693361274351>"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1], 0, 1), "an AlgebraicNumber needs a polynomial that is not constant, and low < high."),
        (([-1, 0, 2], 1, 0), "an AlgebraicNumber needs a polynomial that is not constant, and low < high."),
        (([-1, 2], "1/2", "1/2"), "an AlgebraicNumber needs a polynomial that is not constant, and low < high."),
        (([-1, 0, 2], -1, 1), "an AlgebraicNumber needs one real root between low and high; got 2."),
        (([1, 0, 1], 0, 1), "an AlgebraicNumber needs one real root between low and high; got 0."),
        (
            (["x"], 0, 1),
            "a coefficient or bound of an AlgebraicNumber must be a finite number or a string such as '1/3'; got 'x'.",
        ),
        (
            ([math.nan, 1], 0, 1),
            "a coefficient or bound of an AlgebraicNumber must be a finite number or a string such as '1/3'; got nan.",
        ),
    ],
)
def test_roots_that_are_not_roots(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        cp.AlgebraicNumber(*arguments)  # type: ignore[arg-type]
    assert str(refusal.value) == sentence


def test_root_is_immutable() -> None:
    with pytest.raises(AttributeError, match="cannot assign to field 'low'"):
        cp.AlgebraicNumber.sqrt("1/2").low = Fraction(0)  # type: ignore[misc]
    with pytest.raises(cp.errors.InvalidArgument, match=r"AlgebraicNumber\.sqrt needs a positive number; got -1"):
        cp.AlgebraicNumber.sqrt(-1)


def test_language_at_an_irrational_cut_point() -> None:
    """The binary digits of √½ say which words of the 2-adic acceptor lie above it."""
    root = cp.AlgebraicNumber.sqrt("1/2")
    language = cp.Language(cp.p_adic(2), root)
    for length in range(9):
        for number in range(2**length):
            word = f"{number:0{length}b}"[::-1] if length else ""
            assert (word in language) == (2 * Fraction(number, 2**length) ** 2 > 1)
    assert language.count(40) == 2**40 - 1 - math.isqrt(2**79)
    answer = language.to_dfa(max_states=50)
    assert answer == cp.Unknown(explored=50)
    assert str(answer) == (
        "unknown: 50 residuals at the cut point √(1/2) ≈ 0.7071 were explored, and there are more. "
        "Whether the language is regular is not decided; whether a word belongs to it is, for every word. "
        "Where acceptances stay away from the cut point, to_dfa(isolation=L.isolation()) can prove the DFA."
    )
    assert repr(language).startswith("<Language: acceptance > √(1/2) ≈ 0.7071 of <Acceptor:")


def test_a_root_outside_of_the_unit_interval_is_refused() -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="a cut point must be a number between 0 and 1"):
        cp.Language(cp.p_adic(2), cp.AlgebraicNumber.sqrt(2))


def test_a_deterministic_acceptor_is_regular_at_an_irrational_cut_point_too() -> None:
    dfa = cp.Language(cp.gallery.tomita(4), cp.AlgebraicNumber.sqrt("1/2")).to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert dfa == cp.Language(cp.gallery.tomita(4), "1/2").to_dfa()


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        (
            lambda: cp.AlgebraicNumber(5, 0, 1),  # type: ignore[arg-type]
            "an AlgebraicNumber needs a list of coefficients; got 5.",
        ),
        (
            lambda: cp.AlgebraicNumber.sqrt(Decimal("1e-999999")),
            "a coefficient or bound of an AlgebraicNumber must be a finite number or a string such as '1/3'; got "
            "Decimal('1E-999999').",
        ),
        (
            lambda: cp.Language(cp.p_adic(2), "1/3").to_dfa(isolation=Decimal("1e-999999")),
            "expected a finite number or a string such as '1/3'; got Decimal('1E-999999').",
        ),
    ],
)
def test_numbers_that_are_none_get_a_sentence(slip: Callable[[], object], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        slip()
    assert str(refusal.value) == sentence


@given(st.fractions(min_value=-3, max_value=3), st.fractions(min_value=-3, max_value=3))
def test_sums_and_products_with_rational_numbers(scale: Fraction, shift: Fraction) -> None:
    """r = √½ is known by r² = 1/2: so is every a r + b, whose square less 2b times itself is rational."""
    root = cp.AlgebraicNumber.sqrt("1/2")
    value = scale * root + shift
    assert float(value) == pytest.approx(float(scale) * 0.5**0.5 + float(shift), rel=1e-12, abs=1e-13)
    if not isinstance(value, cp.AlgebraicNumber):
        assert not scale
        assert value == shift
        return
    assert (value - shift) / scale == root
    assert shift - value == -(root * scale)
    c, b, a = value.polynomial
    assert (-b / a, c / a) == (2 * shift, shift**2 - scale**2 / 2)
    with pytest.raises(ZeroDivisionError):
        root / 0
    with pytest.raises(TypeError):
        root / "2"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (cp.AlgebraicNumber.sqrt("1/2"), "√(1/2) ≈ 0.7071"),
        (cp.AlgebraicNumber.sqrt(2) / -1, "-√2 ≈ -1.414"),
        (1 - cp.AlgebraicNumber.sqrt("1/2"), "1 - √(1/2) ≈ 0.2929"),
        (cp.AlgebraicNumber([-1, 1, 1], 0, 1), "-1/2 + √(5/4) ≈ 0.618"),
        (cp.AlgebraicNumber([1, 0, 0, -3], 0, 1), "the root of -1 + 3x^3 ≈ 0.6934"),
        (cp.AlgebraicNumber.sqrt(4), "2 ≈ 2"),
    ],
)
def test_algebraic_numbers_are_shown_as_what_they_are(number: cp.AlgebraicNumber, text: str) -> None:
    assert str(number) == text


def test_algebraic_numbers_out_of_reach_of_floats_and_other_types() -> None:
    huge = cp.AlgebraicNumber.sqrt(Fraction(2 * 10**700))
    assert float(huge) == math.inf
    assert float(-huge) == -math.inf
    assert float(cp.AlgebraicNumber.sqrt(Fraction(2, 10**700))) == 0.0
    root: Any = cp.AlgebraicNumber.sqrt(2)
    assert pickle.loads(pickle.dumps(root)) == root
    assert root * 0 == 0
    assert root.__mul__(0.5) is root.__truediv__("2") is root.__add__(0.5) is NotImplemented
    with pytest.raises(cp.errors.InvalidArgument, match=r"needs a positive number; got 0\."):
        cp.AlgebraicNumber.sqrt(0)


def test_roots_of_cubic_polynomials() -> None:
    """x³ - 3x + 1 has the roots 2 cos(2π/9), 2 cos(4π/9), 2 cos(8π/9); x³ - 2 has one."""
    cubic = [1, -3, 0, 1]
    expected = sorted(2 * math.cos(2 * math.pi * k / 9) for k in (1, 2, 4))
    assert list(map(float, real_roots(list(map(Fraction, cubic))))) == pytest.approx(expected, rel=1e-14, abs=0)
    for root, low in zip(expected, (-2, 0, 1), strict=True):
        assert float(cp.AlgebraicNumber(cubic, low, low + 1)) == pytest.approx(root, rel=1e-14, abs=0)
    assert float(cp.AlgebraicNumber([-2, 0, 0, 1], -10, 10)) == pytest.approx(2 ** (1 / 3), rel=1e-14, abs=0)
    with pytest.raises(cp.errors.InvalidArgument, match=r"one real root between low and high; got 3\."):
        cp.AlgebraicNumber(cubic, -2, 2)
    quintic = [Fraction(c) for c in (1, 0, -5, 0, 0, 1)]  # x⁵ - 5x² + 1 has three
    assert len(real_roots(quintic)) == 3


def test_roots_of_high_degree_are_told_apart_soon() -> None:
    """Coefficients of a Sturm chain double in length with each remainder unless their common factor is left out."""
    root = cp.AlgebraicNumber([-1, *np.random.default_rng(3).integers(-9, 10, 100).tolist(), 1], -1, 0)
    assert -1 < root < 0
    low, high = root.interval(Fraction(1, 10**9))
    assert low < root < high


def test_polynomials_without_an_end_are_refused() -> None:
    with pytest.raises(cp.errors.TooLarge, match="at most the degree 500"):
        cp.AlgebraicNumber(range(10**15), 0, 1)
    with pytest.raises(cp.errors.InvalidArgument, match="needs a list of coefficients"):
        cp.AlgebraicNumber(np.array(3), 0, 1)
