"""The compiled recursions in wide numbers give the bits of their definition."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cutpoint as cp
from cutpoint.kernels import native, reference, wide
from cutpoint.kernels.reference import ExpectedCounts
from cutpoint.kernels.words import EncodedWords, Floats, Masks, offsets_of

SIZES = [1, 2, 3, 4, 5, 8, 9, 16, 19, 33]


def extreme(rng: np.random.Generator, shape: Any) -> Floats:
    """Numbers from the smallest to 1, some of them 0: of all sizes, or of a few far apart."""
    exponents = rng.uniform(-1074, 0, shape) if rng.random() < 0.5 else rng.choice([0.0, -5.0, -700.0], shape)
    return np.asarray(np.where(rng.random(shape) < 0.2, 0.0, rng.uniform(0.5, 1, shape) * 2.0**exponents))


def case(
    n_states: int, seed: int, generator: bool
) -> tuple[Floats, Floats, Masks, EncodedWords, Floats, Floats | None]:
    """A machine, words with marks, and weights."""
    rng = np.random.default_rng((n_states, seed))
    masks = np.concatenate([np.ones((1, n_states)), rng.random((3, n_states)) < 0.7]).astype(np.bool_)
    lengths = np.array([0, 1, 2, 7, 150])
    n_positions = lengths.sum() + len(lengths)
    marks = np.where(rng.random(n_positions) < 0.1, rng.integers(1, 4, n_positions), 0).astype(np.int32)
    symbols, ends = (rng.integers(k, size=size).astype(np.int32) for k, size in ((3, lengths.sum()), (4, len(lengths))))
    words = EncodedWords(symbols, offsets_of(lengths), ends, marks if rng.random() < 0.7 else None)
    stop = extreme(rng, n_states) if generator else None
    weights = rng.uniform(0, 1, len(lengths)) * 10.0 ** rng.integers(-20, 20, len(lengths))
    return extreme(rng, (3, n_states, n_states)), extreme(rng, n_states), masks, words, weights, stop


def check_bits(mine: Floats, theirs: Floats) -> None:
    """Equal to the last bit, down to where a share times a weight loses bits because floats end."""
    mine, theirs = (np.where(np.abs(values) < 1e-280, 0.0, values) for values in (mine, theirs))
    np.testing.assert_array_equal(mine, theirs)


def defined(
    transitions: Floats, initial: Floats, words: EncodedWords, seen: Masks, weight: float, stop: Floats | None
) -> tuple[ExpectedCounts, Floats]:
    """Counts of one word by the definition, and its table of posteriors."""
    logs, pairs = wide.pair_posteriors(transitions, initial, words.symbols[None], seen, stop)
    counts, last, table = np.zeros_like(transitions), np.zeros_like(initial), np.zeros(seen.shape[1:])
    for i, (pair,) in pairs:
        weighted = weight * pair
        if i == 0:
            first = weighted[0]
        else:
            counts[words.symbols[i - 1]] += weighted
        if i == len(words.symbols):
            last = np.add.accumulate(weighted)[-1]
        table[i] = np.add.accumulate(pair)[-1]
    return ExpectedCounts(counts, first, None if stop is None else last, logs), table


@pytest.mark.parametrize("generator", [False, True])
@pytest.mark.parametrize("n_states", SIZES)
def test_compiled_recursions_give_the_bits_of_the_definition(n_states: int, generator: bool) -> None:
    for seed in range(10):
        transitions, initial, masks, words, weights, stop = case(n_states, seed, generator)
        machine, singles = (transitions, initial, stop), []
        for r in range(len(words)):
            word, weight = words.take(np.array([r])), weights[r : r + 1]
            seen = word.evidence(masks, np.array([0]))
            expected, table = defined(transitions, initial, word, seen, float(weight[0]), stop)
            found = native._wide_counts(*machine, masks, word, weight, np.empty(transitions.shape), 1)
            for mine, theirs in zip(found, expected, strict=True):
                if mine is not None and theirs is not None:
                    check_bits(mine, theirs)
            log_only = native._wide_counts(*machine, masks, word, weight, native.NO_COUNTS, 1)
            assert log_only.log_probabilities == expected.log_probabilities
            check_bits(posteriors(transitions, initial, word, seen[0], stop), table)
            singles.append(expected)
        several = [native._wide_counts(*machine, masks, words, weights, np.empty(transitions.shape), k) for k in (1, 3)]
        for name in ("transitions", "initial", "stop", "log_probabilities"):
            one, three = (getattr(found, name) for found in several)
            parts = [getattr(single, name) for single in singles]
            if one is not None:
                np.testing.assert_array_equal(one, three)
                whole = np.concatenate(parts) if name == "log_probabilities" else np.sum(parts, axis=0)
                np.testing.assert_allclose(one, whole, rtol=1e-13, atol=1e-280)


def posteriors(transitions: Floats, initial: Floats, word: EncodedWords, seen: Masks, stop: Floats | None) -> Floats:
    """The table of posteriors, whether or not plain floats would do."""
    table, marks = np.zeros(seen.shape), np.arange(len(seen), dtype=np.int32)
    marked = EncodedWords(word.symbols, word.offsets, np.zeros(1, dtype=np.int32), marks)
    native._wide_counts(transitions, initial, stop, seen, marked, np.ones(1), native.NO_COUNTS, 1, table)
    return table


def leaking(length: int) -> tuple[cp.Acceptor, NDArray[np.int32]]:
    """Six states that lose a share in every step to two that reject, and a random word."""
    rng = np.random.default_rng(0)
    steps = rng.dirichlet(np.ones(8), (2, 8))
    steps[:, 6:, :6] = 0.0
    steps[:, 6:] /= steps[:, 6:].sum(axis=-1, keepdims=True)
    return cp.Acceptor(8, "ab", steps, 0, range(6)), rng.integers(2, size=length).astype(np.int32)


def test_a_long_word_by_every_route() -> None:
    """Checkpoints on the way, and the routes that lead to wide numbers, against the reference."""
    acceptor, word = leaking(3000)
    machine, words = (
        (acceptor.transitions, acceptor.initial),
        EncodedWords.without_marks(word, np.array((0, len(word)))),
    )
    ended = EncodedWords(words.symbols, words.offsets, np.ones(1, dtype=np.int32))
    seen = np.ones((len(word) + 1, 8), dtype=np.bool_)
    masks, seen[-1] = np.stack([seen[0], acceptor.final]), acceptor.final
    stop = np.full(8, 1e-3)
    for mine, theirs in (
        [module.log_acceptances(*machine, acceptor.final, words) for module in (native, reference)],
        [module.log_probabilities(*machine, masks, ended) for module in (native, reference)],
        [module.log_probabilities(*machine, masks, ended, stop=stop) for module in (native, reference)],
        [module.occupancy(*machine, word, seen).table for module in (native, reference)],
        [module.expected_counts(*machine, masks, ended, np.full(1, 3.7)).transitions for module in (native, reference)],
    ):
        np.testing.assert_array_equal(mine, theirs)
    assert mine.sum() == pytest.approx(3.7 * len(word), rel=1e-11)
