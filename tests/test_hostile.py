"""Input that nobody should pass, and numbers at the edge: a sentence or the right answer, never a raw traceback."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint import gallery
from cutpoint.em.baum_welch import Limits, ascend
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import Parameters

A = cp.p_adic(2)
B = cp.design_matrix(2, 2, 1)
T = Fraction(1, 10**5000)
EYE: Any = [np.eye(2)]

NAN: Any = [[[math.nan, 5], [math.nan, 5]]]

REFUSED: dict[str, Callable[[], object]] = {
    "final: floats that are also names": lambda: cp.Acceptor(2, "a", EYE, 0, [0.0, 1.0]),
    "final: fractions that are also names": lambda: cp.Acceptor(2, "a", EYE, 0, [Fraction(0), Fraction(1)]),
    "final: a mixture of bool and int": lambda: cp.Acceptor(2, "a", EYE, 0, [np.True_, 0]),
    "final: a 0-d array": lambda: cp.Acceptor(2, "a", EYE, 0, np.array(1)),
    "final: a mapping to arrays": lambda: cp.Acceptor(2, "a", EYE, 0, {0: np.array([1, 2])}),
    "entry below the floats": lambda: cp.Acceptor(2, "a", [[[1 - T, T], [0, 1]]], 0, {1}),
    "row that cannot be printed": lambda: cp.Acceptor(2, "a", [[[T, 0], [0, 1]]], 0, []),
    "huge integer among floats": lambda: cp.Acceptor(2, "a", [[[0.5, 10**400], [0, 1]]], 0, []),
    "huge exponent": lambda: cp.Acceptor(2, "a", [[["1e-10000000", 0], [0, 1]]], 0, []),
    "masked entries": lambda: cp.Acceptor(1, "a", np.ma.masked_array([[[1.0]]], mask=[[[True]]]), 0, []),
    "states in no order": lambda: cp.Acceptor({"p", "q"}, "x", EYE, "p", {"q"}),
    "alphabet in no order": lambda: cp.Acceptor(2, {"x", "y"}, [*EYE, *EYE], 0, {1}),
    "state named None": lambda: cp.Acceptor([None, "b"], "a", EYE, "b", {"b"}),
    "too many states": lambda: cp.Acceptor(10**20, "a", [[[1]]], 0, []),
    "unhashable state inside a tuple": lambda: cp.Acceptor([([],)], "a", [[[1]]], 0, []),
    "a tuple that is a state and a row": lambda: cp.Acceptor([(0, 1), (1, 0)], "a", EYE, (0, 1), set()),
    "misspelled next state": lambda: cp.Acceptor(["p", "q"], "a", {"a": {"p": "Q", "q": "p"}}, "p", {"q"}),
    "next state that is a number": lambda: cp.Acceptor(["p", "q"], "a", {"a": {"p": 3, "q": "p"}}, "p", {"q"}),
    "unhashable symbol inside a tuple": lambda: cp.data.Alphabet([([],)]),
    "unknown symbol that cannot be printed": lambda: A.acceptance([10**5000]),
    "NaN that is not the same NaN": lambda: cp.data.Alphabet([math.nan]).code(float("nan")),
    "cut point that cannot be printed": lambda: cp.Language(A, 10**5000),
    "language of a str": lambda: cp.Language("x", 0.5),  # type: ignore[arg-type]
    "network of a str": lambda: cp.BeliefNetwork("x", 2),  # type: ignore[arg-type]
    "words as one str": lambda: cp.Language(A, 0.5).contains("01"),
    "simulate one str": lambda: cp.simulate(A, "01", 0),
    "words as a number": lambda: cp.Language(A, 0.5).contains(5),  # type: ignore[arg-type]
    "accepted as a scalar": lambda: cp.Sample(["a"], accepted=True),  # type: ignore[arg-type]
    "verdicts as a scalar": lambda: cp.Sample(["a"], verdicts=5),  # type: ignore[arg-type]
    "states as a str": lambda: cp.Sample(["a"], states="ab"),
    "a word nested too deep": lambda: cp.Sample([[["a"]]]),  # type: ignore[list-item]
    "a word that is a number": lambda: cp.Sample([5]),  # type: ignore[list-item]
    "an unhashable state inside a tuple": lambda: cp.Sample(["a"], states=[[([],), None]]),
    "counts whose sum overflows": lambda: cp.Sample(["a", "b"], counts=[1e308, 1e308]),
    "a count too large for a float": lambda: cp.Sample(["a"], counts=[10**400]),
    "a path that is a number": lambda: A.joint("01", 5),  # type: ignore[arg-type]
    "a network's path that is a number": lambda: cp.BeliefNetwork(A, 2).joint("01", 5),  # type: ignore[arg-type]
    "mixture of one acceptor": lambda: cp.mixture(A),  # type: ignore[arg-type]
    "mixture of numbers": lambda: cp.mixture([A, 5]),  # type: ignore[list-item]
    "weights as a number": lambda: cp.mixture([A, A], 5),  # type: ignore[arg-type]
    "weights as words": lambda: cp.mixture([A, A], ["x", "y"]),
    "weights that cannot be printed": lambda: cp.mixture([A, A], [T, 1]),
    "huge weight beside a float": lambda: cp.mixture([A, A], [0.5, Fraction(10**400)]),
    "U of a list": lambda: cp.expectation_maximization(A, ["01"]),  # type: ignore[arg-type]
    "hidden runs of a list": lambda: cp.em.hidden_runs(A, ["01"]),  # type: ignore[arg-type]
    "U too large to print": lambda: cp.expectation_maximization(A, cp.Sample(["0" * 20_000], accepted=[False])),
    "count transitions of a list": lambda: cp.count_transitions(["ab"], 2),  # type: ignore[arg-type]
    "learn from a str": lambda: cp.baum_welch("x", cp.Sample(["0"])),  # type: ignore[arg-type]
    "counts from a str": lambda: cp.expected_counts("x", cp.Sample(["0"])),  # type: ignore[arg-type]
    "table of a str": lambda: cp.drawing.forward_table("x", "01"),  # type: ignore[arg-type]
    "prior too large": lambda: cp.baum_welch(A, cp.Sample(["1"], accepted=[True]), prior=1e308),
    "prior too large for a float": lambda: cp.baum_welch(A, cp.Sample(["1"], accepted=[True]), prior=10**400),
    "design matrix too large to print": lambda: cp.design_matrix(2, 2, 10_000),
    "joint table too large to print": lambda: cp.BeliefNetwork(A, 600).joint_table(),
    "design matrix of a bool": lambda: cp.design_matrix(2, True, 2),
    "u of NaN": lambda: B.counts([math.nan] * 8),
    "u negative": lambda: B.counts([-1] * 8),
    "u of words": lambda: B.counts("x"),
    "column of a number": lambda: B.column([0], 5),  # type: ignore[arg-type]
    "runs of a list": lambda: B.runs(["x"]),  # type: ignore[arg-type]
    "unseen rows of NaN": lambda: cp.maximum_likelihood([[[1, 0], [0, 0]]], unseen=NAN),
    "unseen rows of words": lambda: cp.maximum_likelihood([[[1, 0], [0, 0]]], unseen=[["x"]]),
    "counts that overflow": lambda: cp.maximum_likelihood([[[1e308, 1e308], [1.0, 1.0]]]),
    "counts without states": lambda: cp.maximum_likelihood(np.zeros((1, 0, 0))),
    "likelihood at NaN": lambda: cp.em.counts_log_likelihood([[[1, 0], [0, 0]]], NAN),
    "likelihood at words": lambda: cp.em.counts_log_likelihood([[[1]]], "x"),
    "seed -1": lambda: A.sample_path("01", -1),
    "seed of words": lambda: cp.simulate(A, ["01"], "x"),  # type: ignore[arg-type]
    "seed 1.5": lambda: cp.random_acceptor(2, "a", 1.5),  # type: ignore[arg-type]
    "random words of nothing": lambda: cp.random_words("", 3, 2, 0),
    "random words without end": lambda: cp.random_words("ab", 10**15, 2, 0),
    "random words of float length": lambda: cp.random_words("ab", 3, 2.0, 0),  # type: ignore[arg-type]
    "random words of three lengths": lambda: cp.random_words("ab", 3, (1, 2, 3), 0),  # type: ignore[arg-type]
    "random words, count 2.5": lambda: cp.random_words("ab", 2.5, 2, 0),  # type: ignore[arg-type]
    "concentration infinite": lambda: cp.random_acceptor(2, "a", 0, concentration=math.inf),
    "concentration of words": lambda: cp.random_acceptor(2, "a", 0, concentration="x"),  # type: ignore[arg-type]
    "a Tomita list": lambda: gallery.tomita([1]),  # type: ignore[arg-type]
    "a gambler with a list": lambda: gallery.gambler(4, start=[1]),  # type: ignore[arg-type]
    "a value of words": lambda: gallery.value_one("abc"),
    "a value divided by 0": lambda: gallery.value_one("1/0"),
    "deterministic of a number": lambda: gallery.deterministic(5, 0, set()),  # type: ignore[arg-type]
    "deterministic rows of numbers": lambda: gallery.deterministic({"a": 5}, "a", set()),  # type: ignore[dict-item]
    "deterministic to nowhere": lambda: gallery.deterministic({"a": {"x": "b"}}, "a", set()),
    "a DFA that leads nowhere": lambda: cp.DFA(cp.data.Alphabet("ab"), ((5, 0),), 0, frozenset()),
    "occupancy that is impossible, on a long word": lambda: A.occupancy("0" * 10**5, accepted=True),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case: str) -> None:
    with pytest.raises(cp.CutpointError) as refusal:
        REFUSED[case]()
    sentence = str(refusal.value)
    assert sentence.endswith((".", "?", ")")), sentence
    assert 10 < len(sentence) < 400, sentence


def test_vectors_of_any_kind_are_vectors_where_names_cannot_be_meant() -> None:
    for final in (
        [0.0, 1.0],
        [Fraction(0), Fraction(1)],
        (b for b in [False, True]),
        {"p": False, "q": True}.values(),
        np.array([0, 1]),
    ):
        assert cp.Acceptor(["p", "q"], "a", EYE, "p", final).final_states == ("q",)
    assert cp.Acceptor(2, "a", EYE, 0, (b for b in [False, True])).final_states == (1,)
    assert cp.Acceptor(2, "a", EYE, 0, {0: False, 1: True}.values()).final_states == (1,)


def test_numbers_of_numpy_are_exact_inside_fractions() -> None:
    primes = (1000003, 1000033, 1000037, 1000039)
    row = [Fraction(np.int64(1), np.int64(p)) for p in primes]  # type: ignore[call-overload]
    row.append(1 - sum((Fraction(1, p) for p in primes), Fraction(0)))
    assert cp.Acceptor(5, "a", [[row] * 5], 0, {1}).is_exact


def test_large_weights_are_rescaled_without_overflow() -> None:
    acceptor = cp.Acceptor.normalized(2, "a", np.array([[[1e308, 1e308], [0, 1.0]]]), 0, [])
    assert acceptor.transitions[0, 0].tolist() == [0.5, 0.5]


def test_rows_within_the_tolerance_can_be_combined() -> None:
    acceptor = cp.Acceptor(2, "a", [[[0.5, 0.5 + 9e-10], [0, 1]]], [0.5, 0.5 + 9e-10], {1})
    assert (acceptor & acceptor).acceptance("a") == pytest.approx(acceptor.acceptance("a") ** 2, rel=1e-8)
    mixed = cp.mixture([acceptor, acceptor], [0.5, 0.5 + 9e-10])
    assert mixed.acceptance("a") == pytest.approx(acceptor.acceptance("a"), rel=1e-8)


def test_long_fractions_are_shown_as_decimals() -> None:
    acceptor = cp.Acceptor(2, "a", [[[Fraction(1, 10**40), 1 - Fraction(1, 10**40)], [0, 1]]], 0, {1})
    assert "1e-40" in acceptor.table()
    assert "a: 1e-40" in cp.drawing.to_dot(acceptor)
    assert len(repr(cp.Language(A, Fraction(1, 3**200)))) < 200
    rare = cp.Acceptor(2, "a", [[[1e-7, 1 - 1e-7], [0, 1]]], [1e-6, 1 - 1e-6], {1})
    assert "→ 1e-06" in rare.table()


def test_small_concentrations_give_rows_close_to_deterministic() -> None:
    for concentration in (0.1, 0.01, 0.001):
        rows = cp.random_acceptor(4, "abcdef", rng=0, concentration=concentration).transitions
        assert rows.max(axis=2).mean() > 0.8
        assert (rows > 0).all()


def test_design_matrices_and_factors_are_values() -> None:
    assert cp.design_matrix(2, 2, 1) == B
    assert hash(cp.design_matrix(2, 2, 1)) == hash(B)
    assert cp.design_matrix(2, 2, 2) != B
    with pytest.raises(ValueError, match="read-only"):
        B.matrix.data[:] = 5
    with pytest.raises(ValueError, match="read-only"):
        cp.expected_counts(A, cp.Sample(["1"])).transitions[:] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        A.transitions.setflags(write=True)


def test_an_interrupt_before_anything_is_known_is_passed_on() -> None:
    def interrupted(parameters: Parameters) -> cp.Counts:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ascend(A, cp.Sample(["1"], accepted=[True]), interrupted, MStep.of(A), Limits())


def test_exact_membership_near_a_tie_of_a_long_word() -> None:
    """Quadratic arithmetic would take minutes here."""
    acceptor = cp.Acceptor(2, "f", [[["3/10", "7/10"], ["7/10", "3/10"]]], 0, {1})
    word = "f" * 50_001
    assert acceptor.exact_acceptance("f" * 5) == (1 + Fraction(2, 5) ** 5) / 2
    assert acceptor.accepts(word, "1/2"), "above 1/2 by (2/5)**50001 / 2"
    assert not acceptor.accepts(word + "f", "1/2")
