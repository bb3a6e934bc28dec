"""Sections 2 and 3 of the paper: laws of P(x), tables, acceptance, paths."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests import oracles
from tests.strategies import acceptors, words_of


@given(st.data())
def test_matrix_of_a_word(data: st.DataObject) -> None:
    """Prop. 2.1, 2.2, (e-SA-phat4), (e-SA-prob2): a homomorphism into the stochastic matrices."""
    acceptor = data.draw(acceptors())
    x, y = data.draw(words_of(acceptor)), data.draw(words_of(acceptor))
    np.testing.assert_array_equal(acceptor.matrix(""), np.eye(acceptor.n_states))
    np.testing.assert_allclose(acceptor.matrix(x + y), acceptor.matrix(x) @ acceptor.matrix(y), rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(acceptor.matrix(x).sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(acceptor.distribution(x), acceptor.initial @ acceptor.matrix(x), rtol=1e-13, atol=1e-300)


@given(st.data())
def test_tables_agree_with_enumeration(data: st.DataObject) -> None:
    """(e-M-1) and (e-M-2): the tables give what summing over all paths gives."""
    acceptor = data.draw(acceptors(max_states=3))
    word = data.draw(words_of(acceptor, 4))
    machine = oracles.plain(acceptor)
    forward, backward = acceptor.forward(word), acceptor.backward(word, accepted=True)
    assert forward.shape == backward.shape == (len(word) + 1, acceptor.n_states)
    for k in range(len(word) + 1):
        for j, state in enumerate(acceptor.states):
            reached = sum(
                oracles.path_probability(machine, word[:k], path)
                for path in oracles.paths(machine, word[:k])
                if path[-1] == state
            )
            assert forward[k, j] == pytest.approx(float(reached), rel=1e-13, abs=0)
            onward = acceptor.replace(initial=state)
            assert backward[k, j] == pytest.approx(
                float(oracles.acceptance(oracles.plain(onward), word[k:])), rel=1e-13, abs=0
            )
        assert forward[k] @ backward[k] == pytest.approx(acceptor.acceptance(word), rel=1e-13, abs=1e-300)
    np.testing.assert_allclose(acceptor.backward(word), 1.0, rtol=1e-13)
    np.testing.assert_allclose(backward + acceptor.backward(word, accepted=False), 1.0, rtol=1e-12)
    assert acceptor.acceptance(word) == pytest.approx(float(oracles.acceptance(machine, word)), rel=1e-13, abs=0)
    assert acceptor.input_probability(word) == pytest.approx(acceptor.n_symbols ** -len(word), rel=1e-13)


@given(st.data())
def test_joint_sums_to_the_input_marginal(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3))
    word = data.draw(words_of(acceptor, 3))
    runs = list(product(acceptor.states, repeat=len(word) + 1))
    joint = {run: acceptor.joint(word, run) for run in runs}
    assert math.fsum(joint.values()) == pytest.approx(acceptor.input_probability(word), rel=1e-12)
    best = acceptor.most_likely_path(word)
    assert joint[best] == pytest.approx(max(joint.values()), rel=1e-12)


@pytest.mark.parametrize("accepted", [None, True, False])
@given(st.data())
def test_paths_and_occupancy_given_a_verdict(accepted: bool | None, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3))
    word = data.draw(words_of(acceptor, 4))
    machine = oracles.plain(acceptor)
    runs = {
        path: oracles.path_probability(machine, word, path)
        for path in oracles.paths(machine, word)
        if accepted is None or (path[-1] in machine.final) == accepted
    }
    total = sum(runs.values(), Fraction(0))
    if total == 0:
        with pytest.raises(cp.errors.ImpossibleObservation, match="it has probability 0"):
            acceptor.occupancy(word, accepted)
        with pytest.raises(cp.errors.ImpossibleObservation, match="it has probability 0"):
            acceptor.most_likely_path(word, accepted)
        return
    assert runs[acceptor.most_likely_path(word, accepted)] == max(runs.values())
    occupancy = acceptor.occupancy(word, accepted)
    for i in range(len(word) + 1):
        for j, state in enumerate(acceptor.states):
            expected = sum((p for path, p in runs.items() if path[i] == state), Fraction(0)) / total
            assert occupancy[i, j] == pytest.approx(float(expected), rel=1e-12, abs=0)


@given(st.data())
def test_exact_acceptance_is_the_oracles(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3, exact=data.draw(st.booleans())))
    word = data.draw(words_of(acceptor, 4))
    if acceptor.is_exact:
        start = dict(zip(acceptor.states, acceptor.exact_initial, strict=True))
        assert sum(start.values()) == 1
        plain = oracles.Plain(
            tuple(acceptor.states),
            tuple(acceptor.alphabet),
            {
                a: {
                    s: dict(zip(acceptor.states, acceptor.exact_transitions[i, j], strict=True))
                    for j, s in enumerate(acceptor.states)
                }
                for i, a in enumerate(acceptor.alphabet)
            },
            start,
            frozenset(acceptor.final_states),
        )
    else:
        plain = oracles.plain(acceptor)
    expected = oracles.acceptance(plain, word)
    assert acceptor.exact_acceptance(word) == expected
    for cut_point in (
        expected,
        float(expected),
        np.nextafter(float(expected), 2.0),
        np.nextafter(float(expected), -1.0),
    ):
        if 0 <= cut_point <= 1:
            assert acceptor.accepts(word, cut_point) == (expected > Fraction(cut_point))


def test_certified_comparison_where_floats_fail() -> None:
    """On p-adic words there are cut points on which comparing floats is wrong; the certified answer never is."""
    rng = np.random.default_rng(7)
    wrong = 0
    for p in (3, 5, 7, 10):
        acceptor = cp.p_adic(p)
        for _ in range(200):
            digits = [str(d) for d in rng.integers(p, size=int(rng.integers(1, 60)))]
            value = sum((Fraction(int(d), p ** (len(digits) - i)) for i, d in enumerate(digits)), Fraction(0))
            for cut_point in (value, float(value)):
                expected = value > Fraction(cut_point)
                assert acceptor.accepts(digits, cut_point) is expected
                wrong += (acceptor.acceptance(digits) > cut_point) != expected
    assert wrong > 0


@pytest.mark.parametrize("p", range(2, 11))
def test_p_adic_acceptance_is_the_reversed_numeral(p: int) -> None:
    """Example 1, exactly: all words up to length 8 for p = 2, random words up to length 200 for every p."""
    acceptor = cp.p_adic(p)
    rng = np.random.default_rng(p)
    words: list[tuple[str, ...]] = [tuple(map(str, rng.integers(p, size=n))) for n in (0, 1, 7, 50, 200)]
    if p == 2:
        words += [word for n in range(9) for word in product("01", repeat=n)]
    for word in words:
        value = Fraction(int("".join(reversed(word)) or "0", p), p ** len(word))
        assert acceptor.exact_acceptance(word) == value
        assert acceptor.acceptance(word) == pytest.approx(float(value), rel=1e-13)


@given(st.data())
def test_operations_on_acceptance(data: st.DataObject) -> None:
    """~A, A & B, A | B and mixtures do to acceptances what their names say, exactly."""
    a = data.draw(acceptors(max_states=3, max_symbols=1, exact=True))
    b = data.draw(acceptors(max_states=3, max_symbols=1, exact=True))
    word = data.draw(words_of(a, 5))
    p, q = a.exact_acceptance(word), b.exact_acceptance(word)
    assert (~a).exact_acceptance(word) == 1 - p
    assert ~~a == a
    assert (a & b).exact_acceptance(word) == p * q
    assert (a | b).exact_acceptance(word) == p + q - p * q
    assert cp.mixture([a, b], ["1/3", "2/3"]).exact_acceptance(word) == p / 3 + 2 * q / 3
    assert cp.mixture([a, b]).exact_acceptance(word) == (p + q) / 2
    floating = cp.mixture([a, b], [0.3, 0.7])
    assert not floating.is_exact
    assert floating.acceptance(word) == pytest.approx(0.3 * float(p) + 0.7 * float(q), rel=1e-12, abs=1e-300)


def test_operations_need_a_common_alphabet() -> None:
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"automata must have the same alphabet; got \{'0', '1'\} and \{'d'\}\."
    ):
        cp.p_adic(2) & cp.gallery.land_of_oz()
    with pytest.raises(TypeError):
        cp.p_adic(2) & 3  # type: ignore[operator]
    reordered = cp.Acceptor(
        ["s1", "s2"], "10", {s: cp.p_adic(2).exact_transitions[i] for i, s in enumerate("01")}, "s1", {"s2"}
    )
    assert (cp.p_adic(2) & reordered).exact_acceptance("011") == Fraction(9, 16)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([0.5], r"a mixture needs one weight per member, 2; got \[0\.5\]\."),
        ([0.5, 0.6], r"must not be negative and must sum to 1; got 0\.5, 0\.6\."),
        ([-1, 2], r"must not be negative and must sum to 1; got -1, 2\."),
    ],
)
def test_mixture_refuses(weights: list[float], sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=sentence):
        cp.mixture([cp.p_adic(2), cp.p_adic(2)], weights)


def test_sampled_paths_follow_the_forward_table() -> None:
    acceptor, word, rng = cp.random_acceptor(3, "ab", rng=4), "abba", np.random.default_rng(5)
    runs = np.array([acceptor.sample_path(word, rng) for _ in range(20_000)])
    for i, row in enumerate(acceptor.forward(word)):
        shares = np.bincount(runs[:, i].astype(int), minlength=3) / len(runs)
        np.testing.assert_allclose(shares, row, atol=5 * 0.5 / math.sqrt(len(runs)))
    assert acceptor.sample_path(word, rng=9) == acceptor.sample_path(word, rng=9)


def test_sampled_paths_never_use_a_transition_of_probability_zero() -> None:
    acceptor = cp.gallery.krylov(3)
    for seed in range(200):
        assert acceptor.joint("+-+--", acceptor.sample_path("+-+--", seed)) > 0


def test_edge_cases() -> None:
    one = cp.Acceptor(1, ["only"], [[[1]]], 0, {0})
    assert one.acceptance([]) == 1.0
    assert one.acceptance(["only"] * 1000) == 1.0
    assert one.acceptances([]).tolist() == []
    assert one.log_acceptances([]).tolist() == []
    nothing_final = cp.p_adic(2).replace(final=set())
    assert nothing_final.acceptance("01") == 0.0
    assert nothing_final.log_acceptance("01") == -math.inf
    assert cp.p_adic(2).forward("").tolist() == [[1.0, 0.0]]
    assert cp.p_adic(2).input_probability("01" * 2000) == 0.0
    assert cp.p_adic(2).log_input_probability("01" * 2000) == pytest.approx(-4000 * math.log(2))
    assert cp.p_adic(2).acceptances(np.array([["0", "1"], ["1", "1"]])).tolist() == [0.5, 0.75]
    assert cp.p_adic(2).accepts("0", 0) is False
    assert cp.p_adic(2).accepts("1" * 100, 1) is False


def test_samples_can_be_scored() -> None:
    sample = cp.Sample(["b", "ab", "b"], accepted=[True, False, True])
    acceptor = cp.random_acceptor(2, "ba", rng=1)
    assert acceptor.acceptances(sample).tolist() == acceptor.acceptances(["b", "ab"]).tolist()
    with pytest.raises(cp.errors.UnknownSymbol, match="symbol 'b' is not in the alphabet"):
        cp.random_acceptor(2, "ac", rng=1).acceptances(sample)


def test_a_long_word_scores_without_a_table() -> None:
    acceptor = cp.p_adic(2)
    assert acceptor.acceptance("01" * 500_000) == pytest.approx(2 / 3)
