"""Front-coded words: what is coded is spelled again; trees of them are those of the words, kept or made on the way."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import InMemory, Parameters, mark_masks
from cutpoint.kernels import reference, words as coding
from cutpoint.kernels.words import EncodedWords, FrontCodedWords
from cutpoint.shards.store import order_of

try:
    from cutpoint.kernels import native
except ImportError:
    native = None  # type: ignore[assignment]


def in_step_order(sample: cp.Sample) -> cp.Sample:
    return sample.take(order_of(sample, by_steps=True))


def coded(sample: cp.Sample) -> cp.Sample:
    words = FrontCodedWords.of(sample.decoded)
    return cp.Sample.from_encoded(words, sample.counts, sample.alphabet, sample.mark_table)


def steps_of(sample: cp.Sample, r: int) -> list[tuple[int, int]]:
    first, last = sample.offsets[r], sample.offsets[r + 1]
    codes = [0, *(sample.symbols[first:last] + 1).tolist()]
    marks = [0] * len(codes) if sample.marks is None else sample.marks[first + r : last + r + 1].tolist()
    return list(zip(codes, marks, strict=True))


def right(sample: cp.Sample, most: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Nodes, shared steps and beginnings of blocks by the words of the definition."""
    nodes, shared, blocks = [], [], []
    before: list[tuple[int, int]] = []
    in_block = most
    for r in range(len(sample)):
        steps = steps_of(sample, r)
        if in_block >= most:
            blocks.append(r)
            in_block, before = 0, []
        same = 0
        while same < min(len(steps), len(before)) and steps[same] == before[same]:
            same += 1
        nodes += steps[same:]
        shared.append(same)
        in_block, before = in_block + len(steps) - same, steps
    return nodes, shared, [*blocks, len(sample)]


SEEN = st.sampled_from([None, True, False])
RUNS = st.lists(
    st.text("abc", max_size=6).flatmap(
        lambda word: st.tuples(st.just(word), SEEN, st.lists(SEEN, min_size=len(word), max_size=len(word)))
    ),
    min_size=1,
    max_size=30,
)


@given(RUNS, st.booleans(), st.sampled_from([1, 5, 8192]))
def test_words_are_coded_and_spelled(runs: list[Any], marked: bool, most: int) -> None:
    words, accepted, verdicts = zip(*runs, strict=True)
    seen = [(*given, last) for given, last in zip(verdicts, accepted, strict=True)] if marked else None
    sample = in_step_order(cp.Sample(words, accepted, verdicts=seen, alphabet="abc"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "BLOCK_NODES", most)
        found = FrontCodedWords.of(sample.decoded)
        nodes, shared, blocks = right(sample, most)
        marks = [0] * len(nodes) if found.marks is None else found.marks.tolist()
        assert list(zip(found.codes.tolist(), marks, strict=True)) == nodes
        assert (found.shared.tolist(), found.block_words.tolist()) == (shared, blocks)
        assert found.fits(3, len(sample.mark_table))
        assert not found.fits(2, len(sample.mark_table)) or "c" not in {*"".join(words)}
    for mine, expected in zip(found.decoded()._values(), sample.decoded._values(), strict=True):
        np.testing.assert_array_equal(mine, expected)
    assert coded(sample) == sample


@pytest.mark.parametrize("size", [3, 300, 70_000])
def test_codes_take_as_few_bytes_as_they_can(size: int) -> None:
    words = FrontCodedWords.of(EncodedWords.without_marks(np.array([size - 1], dtype=np.int32), np.array([0, 1])))
    assert words.codes.dtype.itemsize == {3: 1, 300: 2, 70_000: 4}[size]
    assert words.decoded().symbols.tolist() == [size - 1]


def samples() -> list[cp.Sample]:
    """Many blocks; marks along the way; many symbols, more than a table of depths would hold; few words, empty ones."""
    rng = np.random.default_rng(1)
    many = cp.random_words("abcd", 6000, (0, 14), rng=1)
    truth = cp.random_acceptor(3, "abcd", rng=2)
    wide = cp.random_words(range(3000), 400, (0, 60), rng=3)
    return [
        cp.simulate(truth, many, rng=1),
        cp.simulate(truth, many[:2500], rng=1, seen="verdicts"),
        cp.Sample(wide, accepted=rng.random(len(wide)) < 0.5, alphabet=range(3000)),
        cp.Sample(["", "ab", "ab"], accepted=[True, False, True], counts=[0.5, 3.0, 1.0], alphabet="abcd"),
    ]


@pytest.mark.skipif(native is None, reason="the compiled kernels are not installed")
@pytest.mark.parametrize("number", range(4))
def test_a_tree_of_coded_words_is_that_of_the_words(number: int) -> None:
    sample = in_step_order(samples()[number])
    (*tree, _), (*found, _) = (native.prefix_tree(each.encoded) for each in (sample, coded(sample)))
    for mine, other in zip(found, tree, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("passing", [False, True])
def test_counts_are_those_of_the_words_bit_for_bit(number: int, passing: bool) -> None:
    sample = in_step_order(samples()[number])
    acceptor = cp.random_acceptor(3, sample.alphabet, rng=4)
    place, masks = Parameters(acceptor.transitions, acceptor.initial), mark_masks(acceptor, sample)
    plain, other = InMemory(sample, 1), InMemory(coded(sample), 2, keep_tree=not passing)
    assert isinstance(other._words, FrontCodedWords)
    assert other._words.whole_tree is not passing
    mine, theirs = (memory.expected_counts(place, masks) for memory in (plain, other))
    assert mine.transitions.tobytes() == theirs.transitions.tobytes()
    assert mine.initial.tobytes() == theirs.initial.tobytes()
    assert mine.log_likelihood == theirs.log_likelihood
    assert plain.log_likelihoods(place, masks).tobytes() == other.log_likelihoods(place, masks).tobytes()


@settings(max_examples=20)
@given(RUNS)
def test_the_reference_knows_coded_words(runs: list[Any]) -> None:
    words, accepted, _ = zip(*runs, strict=True)
    sample = in_step_order(cp.Sample(words, accepted, alphabet="abc"))
    acceptor = cp.random_acceptor(2, "abc", rng=4)
    given_ = acceptor.transitions, acceptor.initial, mark_masks(acceptor, sample)
    mine, theirs = (reference.expected_counts(*given_, s.encoded, s.counts) for s in (coded(sample), sample))
    for found, expected in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("passing", [False, True])
def test_words_out_of_reach_of_floats_are_spelled_and_done_with_wide_exponents(passing: bool) -> None:
    """A word of probability 2^-2000: the tree leaves it out, and the word comes back out of it."""
    acceptor = cp.Acceptor(2, "a", [[[0.5, 0.5], [0.0, 1.0]]], 0, {0})
    sample = in_step_order(cp.Sample(["a" * 2000, "a" * 3, "a"], accepted=[True, True, False]))
    place, masks = Parameters(acceptor.transitions, acceptor.initial), mark_masks(acceptor, sample)
    plain, other = InMemory(sample), InMemory(coded(sample), keep_tree=not passing)
    logs = plain.log_likelihoods(place, masks)
    assert logs.min() == pytest.approx(-2000 * np.log(2.0), rel=1e-14, abs=0)
    assert other.log_likelihoods(place, masks).tobytes() == logs.tobytes()
    mine, theirs = (memory.expected_counts(place, masks) for memory in (plain, other))
    assert mine.transitions[0, 0, 0] == pytest.approx(2003.0, rel=1e-12, abs=0)
    assert mine.transitions.tobytes() == theirs.transitions.tobytes()


def test_a_coded_sample_is_moved_as_it_is() -> None:
    sample = coded(in_step_order(samples()[1]))
    sent = pickle.loads(pickle.dumps(sample))
    assert isinstance(sent.encoded, FrontCodedWords)
    assert sent.mark_table == sample.mark_table
    for mine, expected in zip(sent.encoded._values(), sample.encoded._values(), strict=True):
        np.testing.assert_array_equal(mine, expected)
    assert "decoded" not in sample.__dict__
    assert sent == sample
