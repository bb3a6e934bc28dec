"""The compiled kernels: equal to the reference in every corner, to the bit for any number of threads."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import mark_masks
from cutpoint.kernels import native, reference
from tests import memory
from tests.strategies import KINDS, acceptors, samples


def both(acceptor: cp.Acceptor, sample: cp.Sample, threads: int = 1) -> tuple[Any, Any]:
    arguments = acceptor.transitions, acceptor.initial, mark_masks(acceptor, sample), acceptor.encode(sample)
    return (
        native.expected_counts(*arguments, sample.counts, threads=threads),
        reference.expected_counts(*arguments, sample.counts),
    )


def check_equal(acceptor: cp.Acceptor, sample: cp.Sample, rtol: float = 1e-12) -> None:
    (counts, first, _, logs), (expected, expected_first, _, expected_logs) = both(acceptor, sample)
    np.testing.assert_allclose(logs, expected_logs, rtol=rtol, atol=1e-13)
    np.testing.assert_allclose(counts, expected, rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(first, expected_first, rtol=1e-10, atol=1e-300)
    arguments = acceptor.transitions, acceptor.initial, mark_masks(acceptor, sample), acceptor.encode(sample)
    np.testing.assert_allclose(native.log_probabilities(*arguments), expected_logs, rtol=rtol, atol=1e-13)


@settings(max_examples=400)
@given(st.data())
def test_small_cases_of_every_kind(data: st.DataObject) -> None:
    truth = data.draw(acceptors(max_states=10))
    sample = data.draw(samples(truth, data.draw(st.sampled_from(KINDS)), max_words=20, max_length=8))
    check_equal(truth, sample)


@pytest.mark.parametrize("kind", ["accepted", "verdicts", "states", "nothing"])
@pytest.mark.parametrize("n_states", [1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 31, 32, 33, 40, 70])
def test_every_number_of_states(n_states: int, kind: Any) -> None:
    acceptor = cp.random_acceptor(n_states, "abcde", rng=n_states)
    words = cp.random_words("abcde", 300, (0, 25), rng=1)
    check_equal(acceptor, cp.simulate(acceptor, words, rng=2, seen=kind))
    machine, encoded = (acceptor.transitions, acceptor.initial), acceptor.encode(words)
    mine, theirs = (m.acceptances(*machine, acceptor.final.astype(np.float64), encoded) for m in (native, reference))
    np.testing.assert_allclose(mine, theirs, rtol=1e-13)
    mine, theirs = (module.log_acceptances(*machine, acceptor.final, encoded) for module in (native, reference))
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n_symbols", [1, 2, 5000])
def test_alphabets_of_one_and_of_thousands(n_symbols: int) -> None:
    acceptor = cp.random_acceptor(3, range(n_symbols), rng=1)
    sample = cp.simulate(acceptor, cp.random_words(range(n_symbols), 400, (0, 12), rng=1), rng=2)
    check_equal(acceptor, sample)


def test_many_blocks_and_shared_prefixes() -> None:
    """More nodes than a block holds, words that begin alike, words inside words, empty words, weights."""
    acceptor = cp.random_acceptor(5, "ab", rng=1)
    rng = np.random.default_rng(3)
    words = [*cp.random_words("ab", 3000, (0, 14), rng=1), *("a" * n for n in range(60))]
    words += cp.random_words("ab", 400, 90, rng=2)
    sample = cp.Sample(words, accepted=rng.random(len(words)) < 0.5, counts=rng.random(len(words)) * 3)
    tree = native.prefix_tree(sample.encoded)
    nodes, blocks = len(tree[1]), len(tree[0]) - 1
    assert blocks > 3
    distinct = len({word[:n] for word in words for n in range(len(word) + 1)})
    assert distinct <= nodes < distinct + 100 * blocks
    assert sorted(tree[12].tolist()) == list(range(len(sample)))
    check_equal(acceptor, sample)


@pytest.mark.parametrize("n_states", [2, 8, 12, 40])
def test_the_same_bits_for_any_number_of_threads(n_states: int) -> None:
    acceptor = cp.random_acceptor(n_states, "abcd", rng=1)
    words = cp.random_words("abcd", 5000, (0, 40), rng=2)
    sample = cp.simulate(acceptor, words, rng=3, seen="verdicts")
    results = [cp.expected_counts(acceptor, sample, threads=n) for n in (1, 2, 3, 7)]
    assert len({counts.transitions.tobytes() for counts in results}) == 1
    assert len({counts.initial.tobytes() for counts in results}) == 1
    assert len({counts.log_likelihood for counts in results}) == 1
    assert len({acceptor.acceptances(words, threads=n).tobytes() for n in (1, 2, 3, 7)}) == 1


@pytest.mark.parametrize("kind", ["accepted", "verdicts"])
@pytest.mark.parametrize("n_states", [2, 3, 7, 20])
def test_long_words_are_done_with_checkpoints(n_states: int, kind: Any) -> None:
    """Words of more than 16,384 symbols take another path, also beside short ones and across many checkpoints."""
    acceptor = cp.random_acceptor(n_states, "ab", rng=1)
    words = [*cp.random_words("ab", 2, 20_011, rng=1), *cp.random_words("ab", 20, 30, rng=3), "ab" * 8192]
    check_equal(acceptor, cp.simulate(acceptor, words, rng=2, seen=kind), rtol=20_011 * 2.0**-50)


@pytest.mark.skipif(not memory.RESET.exists(), reason="this system does not tell peaks of memory")
def test_a_long_word_needs_little_memory() -> None:
    code = """if True:
        import numpy as np, cutpoint as cp
        from cutpoint.kernels import native
        from cutpoint.kernels.words import EncodedWords
        acceptor = cp.random_acceptor(8, "ab", rng=1)
        n = 3_000_000
        symbols = np.random.default_rng(0).integers(2, size=n).astype(np.int32)
        words = EncodedWords(symbols, np.array([0, n]), np.array([1], dtype=np.int32))
        masks = np.stack([np.ones(8, dtype=bool), acceptor.final])
        before = reset_peak()
        counts, first, _, logs = native.expected_counts(
            acceptor.transitions, acceptor.initial, masks, words, np.ones(1), threads=1)
        native.acceptances(acceptor.transitions, acceptor.initial, masks[1] * 1.0, words, 1)
        print(peak() - before, round(counts.sum()), round(first.sum(), 9))
    """
    code = Path(memory.__file__).read_text() + code
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    kilobytes, total, first = done.stdout.split()
    assert int(kilobytes) < 20_000, "a table of all rows would take 190 MB"
    assert (total, first) == ("3000000", "1.0")


@given(st.data())
def test_tables_of_one_word(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors(max_states=5))
    sample = data.draw(samples(acceptor, data.draw(st.sampled_from(KINDS)), max_words=1, max_length=12))
    sample, masks = sample.recoded(acceptor.alphabet), mark_masks(acceptor, sample)
    (seen,) = sample.decoded.evidence(masks, np.array([0]))
    row, column, word = acceptor.initial, acceptor.final.astype(np.float64), sample.symbols
    for name in ("forward", "distribution"):
        mine, theirs = (getattr(module, name)(acceptor.transitions, row, word) for module in (native, reference))
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-300)
    mine, theirs = (module.backward(acceptor.transitions, column, word) for module in (native, reference))
    np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-300)
    mine, theirs = (module.occupancy(acceptor.transitions, row, word, seen) for module in (native, reference))
    np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-12, atol=1e-300)
    assert mine[1] == pytest.approx(theirs[1], rel=1e-12, abs=1e-14)
    mine, theirs = (module.most_likely_path(acceptor.transitions, row, word, seen) for module in (native, reference))
    assert mine[0].tolist() == theirs[0].tolist()
    assert mine[1] == pytest.approx(theirs[1], rel=1e-13, abs=1e-15)


def test_occupancy_out_of_range() -> None:
    acceptor = cp.Acceptor(2, "a", [[[1e-150, 1.0], [0.0, 1.0]]], 0, {0})
    word, seen = np.zeros(9, dtype=np.int32), np.ones((10, 2), dtype=np.bool_)
    seen[-1] = acceptor.final
    table, log = native.occupancy(acceptor.transitions, acceptor.initial, word, seen)
    np.testing.assert_allclose(table, [[1.0, 0.0]] * 10, rtol=1e-14)
    assert log == pytest.approx(9 * np.log(1e-150), rel=1e-14)


def test_probabilities_out_of_range_beside_ordinary_ones() -> None:
    """Words that the tree leaves to wide exponents, impossible ones and ordinary ones in one sample."""
    steps = {"a": [[1e-200, 1.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]], "b": np.eye(3)}
    acceptor = cp.Acceptor(["x", "y", "z"], "ab", steps, "x", {"x", "z"})
    words = ["a", "aa", "aaa", "b", "ab", "a" * 50, ""]
    sample = cp.Sample(words, accepted=[True, True, False, True, False, True, True], counts=[1, 2, 3, 4, 5, 6, 7])
    check_equal(acceptor, sample)
    only_x = acceptor.replace(final={"x"})
    sample = cp.Sample(["aaa", "ab", "b"], accepted=[True, True, True])
    check_equal(only_x, sample)
    assert cp.em.log_likelihoods(only_x, sample)[0] == pytest.approx(3 * np.log(1e-200), rel=1e-14)
    subnormal = acceptor.replace(transitions={"a": [[5e-324, 1.0, 0.0], [0, 0.5, 0.5], [0, 0, 1]], "b": np.eye(3)})
    check_equal(subnormal, cp.Sample(words, accepted=[True] * 7, alphabet="ab"))


@pytest.mark.parametrize("weight", [1.0, 1e11, 1e299])
def test_large_weights_on_small_probabilities(weight: float) -> None:
    """The weight of a word over its probability is beyond the floats; the expected counts are not."""
    half = cp.Acceptor(2, "a", [[[0.5, 0.5], [0, 1]]], 0, {0})
    check_equal(half, cp.Sample(["a" * 990, "a"], accepted=[True, False], counts=[weight, 1]))
    rare = cp.Acceptor(2, "a", [[[1 - 1e-9, 1e-9], [0, 1]]], 0, {1})
    check_equal(rare, cp.Sample(["a"], accepted=[True], counts=[weight]))
    counts = cp.expected_counts(rare, cp.Sample(["a"], accepted=[True], counts=[weight])).transitions
    assert counts[0, 0, 1] == pytest.approx(weight, rel=1e-14)


@pytest.mark.parametrize("length", [16_000, 20_000])
def test_what_cannot_happen_stays_zero(length: int) -> None:
    """A structural zero between two states whose rows and columns are 300 orders of magnitude apart."""
    apart = cp.Acceptor(2, "a", [np.eye(2)], [1 - 1e-299, 1e-299], {1})
    counts = cp.expected_counts(apart, cp.Sample(["a" * length], accepted=[True], counts=[2e5])).transitions
    np.testing.assert_allclose(counts[0], np.array([[0.0, 0.0], [0.0, 2e5 * length]]), rtol=1e-9)


def test_impossible_occupancy_is_zero() -> None:
    parity, seen = cp.gallery.parity(), np.array([[True, True], [True, False]])
    for module in (native, reference):
        table, log = module.occupancy(parity.transitions, parity.initial, np.array([1], dtype=np.int32), seen)
        assert table.tolist() == [[0.0, 0.0], [0.0, 0.0]]
        assert log == -np.inf


def test_impossible_observations_add_nothing() -> None:
    acceptor = cp.gallery.parity()
    sample = cp.Sample(["01", "11", "1"], accepted=[True, True, False])
    (counts, first, _, logs), _ = both(acceptor, sample)
    assert logs.tolist() == [0.0, -np.inf, -np.inf]
    assert counts.sum() == 2.0
    assert first.tolist() == [1.0, 0.0]


def test_a_sample_over_another_order_of_symbols() -> None:
    acceptor = cp.random_acceptor(3, "ba", rng=1)
    sample = cp.Sample(["ab", "b", "aab"], accepted=[True, False, True])
    check_equal(acceptor, sample)
    fit = cp.baum_welch(acceptor, sample, max_steps=3)
    same = cp.baum_welch(acceptor, sample.recoded(acceptor.alphabet), max_steps=3)
    assert fit == same


@pytest.mark.parametrize("isa", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_every_instruction_set(isa: str) -> None:
    """The kernels for lesser processors, on this one: the same tests' core, in a process of its own."""
    code = """if True:
        import sys, cutpoint as cp
        from tests.kernels.test_native import check_equal
        from tests.kernels.test_wide import test_compiled_recursions_give_the_bits_of_the_definition as check_wide
        for n_states in (1, 2, 4, 7, 8, 13, 32, 37):
            acceptor = cp.random_acceptor(n_states, "abc", rng=n_states)
            words = cp.random_words("abc", 200, (0, 20), rng=1)
            for kind in ("accepted", "verdicts"):
                check_equal(acceptor, cp.simulate(acceptor, words, rng=2, seen=kind))
            check_wide(n_states, generator=True)
        print(cp.kernel_info()["instruction_set"])
    """
    environment = os.environ | {"CUTPOINT_ISA": isa, "CUTPOINT_KERNELS": "native"}
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment, cwd=root
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in (isa, "x86-64-v2", "x86-64-v3", "plain")


def test_many_python_threads_at_once() -> None:
    acceptor = cp.random_acceptor(6, "abc", rng=1)
    words = cp.random_words("abc", 2000, (0, 30), rng=2)
    sample = cp.simulate(acceptor, words, rng=3)
    scores, counts = acceptor.acceptances(words), cp.expected_counts(acceptor, sample).transitions.tobytes()
    wrong: list[str] = []

    def work() -> None:
        for _ in range(10):
            if acceptor.acceptances(words).tobytes() != scores.tobytes():
                wrong.append("scores")
            if cp.expected_counts(acceptor, sample).transitions.tobytes() != counts:
                wrong.append("counts")

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
