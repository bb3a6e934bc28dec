"""Reference kernels against the oracle; compiled kernels against the reference."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.em.observations import mark_masks
from cutpoint.kernels import chosen_kernels, kernels, native, reference, wide
from cutpoint.kernels.words import EncodedWords, offsets_of
from tests import oracles
from tests.strategies import KINDS, acceptors, samples, words_of


def log_fraction(value: Fraction) -> float:
    """log of a Fraction of any size, brought near 1 by a power of two first."""
    shift = value.denominator.bit_length() - value.numerator.bit_length()
    return math.log(value * Fraction(2) ** shift) - shift * math.log(2)


@given(st.data())
def test_acceptances_equal_the_oracle(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors())
    words = data.draw(st.lists(words_of(acceptor, 4), max_size=5))
    expected = [float(oracles.acceptance(oracles.plain(acceptor), word)) for word in words]
    assert acceptor.acceptances(words) == pytest.approx(expected, rel=1e-13, abs=0)


@given(st.data())
def test_native_scores_are_those_of_the_reference(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=12))
    words = data.draw(st.lists(words_of(acceptor, 40), max_size=30))
    arguments = acceptor.transitions, acceptor.initial, acceptor.final.astype(np.float64), acceptor.encode(words)
    assert native.acceptances(*arguments) == pytest.approx(reference.acceptances(*arguments), rel=1e-13, abs=0)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_the_native_filter_is_that_of_the_reference(kind: str, data: st.DataObject) -> None:
    """Of what was seen on runs of another acceptor, some is impossible."""
    truth = data.draw(acceptors(max_states=4))
    sample = data.draw(samples(truth, kind))
    for acceptor in (truth, cp.random_acceptor(truth.states, truth.alphabet, rng=1, concentration=1e-3)):
        masks, words = mark_masks(acceptor, sample), acceptor.encode(sample)
        arguments = acceptor.transitions, acceptor.initial, acceptor.final, masks, words
        for found, expected in zip(native.filtered(*arguments), reference.filtered(*arguments), strict=True):
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("n_states", [1, 2, 7, 8, 9, 33, 64])
def test_a_word_scores_the_same_bits_alone_and_in_a_batch(n_states: int) -> None:
    acceptor = cp.random_acceptor(n_states, "abc", rng=n_states)
    words = cp.random_words("abc", 50, (0, 30), rng=5)
    for kernel in (reference, native):
        machine = acceptor.transitions, acceptor.initial, acceptor.final.astype(np.float64)
        batch = kernel.acceptances(*machine, acceptor.encode(words))
        alone = [kernel.acceptances(*machine, acceptor.encode([word]))[0] for word in words]
        assert batch.tolist() == alone


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_expected_counts_equal_the_oracle(kind: str, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(acceptor, kind))
    expected = oracles.expected_counts(oracles.plain(acceptor), sample)
    counts, first, _, logs = kernels().expected_counts(
        acceptor.transitions, acceptor.initial, mark_masks(acceptor, sample), acceptor.encode(sample), sample.counts
    )
    for (a, s, t), value in expected.transitions.items():
        place = acceptor.alphabet.code(a), acceptor.states.code(s), acceptor.states.code(t)
        assert counts[place] == pytest.approx(float(value), rel=1e-12, abs=0)
    assert first == pytest.approx([float(v) for v in expected.initial.values()], rel=1e-12, abs=0)
    for log, (_, probability) in zip(logs, expected.probabilities, strict=True):
        assert log == pytest.approx(log_fraction(probability), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_wide_numbers_equal_plain_floats(kind: str, data: st.DataObject) -> None:
    """The path for extreme probabilities gives ordinary answers on ordinary cases."""
    acceptor = data.draw(acceptors(max_states=3))
    word = data.draw(words_of(acceptor, 5))
    sample = data.draw(samples(acceptor, kind, max_words=1))
    codes = acceptor.alphabet.encode_word(word)[None, :]
    seen = np.ones((1, codes.shape[1] + 1, acceptor.n_states), dtype=np.bool_)
    mask = mark_masks(acceptor, sample)[-1]
    if oracles.acceptance(oracles.plain(acceptor.replace(final=mask)), word) > 0:
        seen[:, -1] = mask
    logs, pairs = reference._pair_posteriors(acceptor.transitions, acceptor.initial, codes, seen, None)
    wide_logs, wide_pairs = wide.pair_posteriors(acceptor.transitions, acceptor.initial, codes, seen, None)
    assert wide_logs == pytest.approx(logs, rel=1e-12, abs=1e-14)
    for (i, pair), (j, wide_pair) in zip(pairs, wide_pairs, strict=True):
        assert i == j
        assert wide_pair == pytest.approx(pair, rel=1e-12, abs=0)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(-5000, 0)), min_size=1, max_size=6))
def test_wide_arithmetic_is_that_of_fractions(terms: list[tuple[float, int]]) -> None:
    numbers = wide.wide(np.array([value for value, _ in terms]))
    shifted = wide.Wide(numbers.fraction, numbers.exponent + np.array([shift for _, shift in terms]))
    exact = [Fraction(value) * Fraction(2) ** shift for value, shift in terms]
    total = wide.total(shifted, axis=0)
    square = wide.product(total, total)
    if sum(exact) == 0:
        assert wide.log(total) == -math.inf
        return
    assert float(wide.log(total)) == pytest.approx(log_fraction(sum(exact, Fraction(0))), rel=1e-14, abs=1e-15)
    assert float(wide.log(square)) == pytest.approx(2 * log_fraction(sum(exact, Fraction(0))), rel=1e-14, abs=1e-15)
    shares = wide.rounded(wide.quotient(shifted, total))
    assert shares == pytest.approx([float(x / sum(exact, Fraction(0))) for x in exact], rel=1e-14, abs=1e-307)


def leaking(stay: float) -> cp.Acceptor:
    """Accepts aⁿ with probability stayⁿ; a second accepting state can never be reached and stays at 1."""
    matrix = [[stay, 1 - stay, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    return cp.Acceptor(["here", "lost", "unreachable"], "a", [matrix], "here", {"here", "unreachable"})


@pytest.mark.parametrize(("stay", "length"), [(0.5, 1000), (0.5, 1080), (0.1, 5000), (1e-300, 1500), (1e-5, 90_000)])
def test_log_acceptance_far_below_the_range_of_floats(stay: float, length: int) -> None:
    expected = length * math.log(stay)
    assert leaking(stay).log_acceptance("a" * length) == pytest.approx(expected, rel=1e-12)


def test_counts_far_below_the_range_of_floats() -> None:
    """A state that can't be reached accepts surely: scaling the backward pass by it would lose the only run."""
    sample = cp.Sample(["a" * 1500, "a"], accepted=[True, False], counts=[2, 3])
    counts = cp.expected_counts(leaking(1e-300), sample)
    assert counts.transitions[0] == pytest.approx(np.array([[3000.0, 3.0, 0], [0, 0, 0], [0, 0, 0]]), rel=1e-12)
    assert counts.log_likelihood == pytest.approx(2 * 1500 * math.log(1e-300), rel=1e-12)


def test_evidence_along_the_way_far_below_the_range_of_floats() -> None:
    """Nearly all mass is ruled out step after step, while what remains was negligible at first."""
    steps = {"a": [[0.9999, 1e-4, 0.0], [0.0, 1e-120, 1.0], [0.0, 0.0, 1.0]]}
    acceptor = cp.Acceptor(["x", "y", "z"], "a", steps, {"x": 1 - 2**-60, "y": 2**-60}, {"y"})
    sample = cp.Sample(["aaaa"], verdicts=[[True, True, True, True, True]])
    assert cp.log_likelihood(acceptor, sample) == pytest.approx(math.log(2**-60) + 4 * math.log(1e-120), rel=1e-13)
    assert cp.expected_counts(acceptor, sample).transitions[0, 1, 1] == pytest.approx(4.0)


def test_what_was_negligible_can_become_all() -> None:
    """A run of probability 1e-400 beside one that evidence rules out only at the end."""
    chain = {"a": [[1 - 1e-100, 1e-100, 0.0], [0.0, 1e-100, 1 - 1e-100], [0.0, 0.0, 1.0]]}
    acceptor = cp.Acceptor(["x", "y", "z"], "a", chain, "x", {"y"})
    word = "aaaa"
    expected = oracles.acceptance(oracles.plain(acceptor), word)
    assert acceptor.log_acceptance(word) == pytest.approx(log_fraction(expected), rel=1e-14)
    sample = cp.Sample([word], states=[["x", "y", None, None, "y"]])
    assert cp.log_likelihood(acceptor, sample) == pytest.approx(4 * math.log(1e-100), rel=1e-13)


def test_impossible_is_not_underflow() -> None:
    acceptor = leaking(0.5)
    dead = acceptor.replace(initial="lost")
    assert dead.log_acceptance("aaa") == -math.inf
    assert acceptor.log_acceptance("a" * 3000) == pytest.approx(3000 * math.log(0.5), rel=1e-12)


def test_no_nan_where_an_unreachable_state_would_overflow() -> None:
    """400 verdicts of probability 1/10 each: an unreachable state's backward value would pass 9**400."""
    steps = {"a": [[0.1, 0.9, 0.0], [0.1, 0.9, 0.0], [0.05, 0.0, 0.95]]}
    acceptor = cp.Acceptor(["yes", "no", "never"], "a", steps, "yes", {"yes", "never"})
    sample = cp.Sample(["a" * 400], verdicts=[[True] * 401])
    counts = cp.expected_counts(acceptor, sample)
    assert np.isfinite(counts.transitions).all()
    assert counts.transitions[0, 0, 0] == pytest.approx(400.0)
    assert counts.log_likelihood == pytest.approx(400 * math.log(0.1), rel=1e-13)


def test_blocks_do_not_change_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    acceptor = cp.random_acceptor(3, "ab", rng=1)
    sample = cp.simulate(acceptor, cp.random_words("ab", 300, (0, 9), rng=2), rng=3)
    whole = cp.expected_counts(acceptor, sample)
    monkeypatch.setattr(reference, "BLOCK", 100)
    small = cp.expected_counts(acceptor, sample)
    np.testing.assert_allclose(small.transitions, whole.transitions, rtol=1e-12, atol=0)


def test_the_choice_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen_kernels.cache_clear()
    monkeypatch.setenv("CUTPOINT_KERNELS", "reference")
    assert cp.kernel_info()["kernels"] == "reference"
    chosen_kernels.cache_clear()
    monkeypatch.setenv("CUTPOINT_KERNELS", "native")
    assert cp.kernel_info()["kernels"] == "native"
    chosen_kernels.cache_clear()
    monkeypatch.setenv("CUTPOINT_KERNELS", "quick")
    with pytest.raises(
        cp.errors.KernelsUnavailable, match=r"CUTPOINT_KERNELS must be 'native' or 'reference'; got 'quick'\."
    ):
        cp.kernel_info()
    chosen_kernels.cache_clear()


def test_without_the_extension_the_reference_takes_over_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cutpoint.kernels.native", None)
    monkeypatch.delattr("cutpoint.kernels.native")
    monkeypatch.delenv("CUTPOINT_KERNELS", raising=False)
    chosen_kernels.cache_clear()
    with pytest.warns(RuntimeWarning, match="the compiled kernels of cutpoint cannot be used"):
        assert cp.kernel_info()["kernels"] == "reference"
    chosen_kernels.cache_clear()
    monkeypatch.setenv("CUTPOINT_KERNELS", "native")
    with pytest.raises(cp.errors.KernelsUnavailable, match="CUTPOINT_KERNELS=native, but the compiled kernels are not"):
        kernels()
    chosen_kernels.cache_clear()


EXTREME = np.array([0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-200, 1e-100, 1e-16, 0.3, 1.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(20))
def test_no_warning_escapes_from_extreme_probabilities(seed: int) -> None:
    """Subnormal entries, impossible words, huge weights: answers without a RuntimeWarning, in range, from both kernels."""
    rng = np.random.default_rng(seed)
    n, n_symbols = rng.integers(1, 4, size=2).tolist()
    steps, initial, stop = (rng.choice(EXTREME, size=shape) for shape in ((n_symbols, n, n), n, n))
    offsets = offsets_of(rng.integers(0, rng.choice([3, 8, 20]), size=4))
    symbols, ends, marks = (
        rng.integers(most, size=size).astype(np.int32)
        for most, size in ((n_symbols, offsets[-1]), (4, 4), (4, offsets[-1] + 4))
    )
    words = EncodedWords(symbols, offsets, ends, marks)
    masks = np.concatenate([np.ones((1, n), dtype=np.bool_), rng.random((3, n)) < 0.5])
    seen, weights = rng.random((len(symbols) + 1, n)) < 0.7, rng.choice([1e-300, 1.0, 1e290], size=4)
    for module in (native, reference):
        module.filtered(steps, initial, masks[1], masks, words)
        module.log_acceptances(steps, initial, masks[1], words)
        for column in (None, stop):
            assert not np.isnan(module.log_probabilities(steps, initial, masks, words, stop=column)).any()
            assert np.isfinite(module.expected_counts(steps, initial, masks, words, weights, stop=column).initial).all()
            module.most_likely_path(steps, initial, symbols, seen, column)
            assert np.isfinite(module.occupancy(steps, initial, symbols, seen, column).table).all()


@pytest.mark.parametrize("kernel", [reference, native])
def test_states_that_are_never_reached_do_not_spoil_counts(kernel: Any) -> None:
    """Their columns grow with every unlikely verdict, by 1e12 here, beyond all floats."""
    steps = np.array([[[1e-12, 1 - 1e-12, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    masks = np.array([[True, True, True], [True, False, True]])
    marks, word = np.ones(41, dtype=np.int32), np.zeros(40, dtype=np.int32)
    words = EncodedWords(word, np.array([0, 40]), np.zeros(1, dtype=np.int32), marks)
    found = kernel.expected_counts(steps, np.array([1.0, 0.0, 0.0]), masks, words, np.ones(1))
    assert found.transitions.tolist() == [[[pytest.approx(40.0), 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    assert found.log_probabilities[0] == pytest.approx(40 * math.log(1e-12), rel=1e-12, abs=0)


def test_steps_of_many_rows_are_those_of_few() -> None:
    """Beyond some size sums are added one by one, to save memory: the same bits."""
    rng = np.random.default_rng(1)
    rows, matrix = rng.random((600, 24)), rng.random((24, 24))
    together = reference.step(rows, matrix)
    assert together.tolist() == [reference.step(row[None], matrix)[0].tolist() for row in rows]
    np.testing.assert_allclose(together, rows @ matrix, rtol=1e-13, atol=0)
