"""State merging: the compiled machine is the plain one, consistent with its sample, and finds clean languages."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from cutpoint.kernels import kernels, merging, native, reference
from cutpoint.kernels.words import EncodedWords, offsets_of

NEAR = 1e-9
"""Scores nearer than this may be told apart by rounding alone."""


class Labelled(NamedTuple):
    """Arguments of the kernel that describe a sample."""

    words: EncodedWords
    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    n_symbols: int
    pseudo: NDArray[np.float64]


def labelled(
    words: Sequence[Sequence[int]],
    labels: Sequence[Sequence[int]],
    weights: Sequence[float],
    n_symbols: int,
    pseudo: Sequence[float] = (0.5, 0.5),
) -> Labelled:
    symbols = np.array([a for word in words for a in word], dtype=np.int32)
    return Labelled(
        EncodedWords.without_marks(symbols, offsets_of([*map(len, words)])),
        np.array([label for seen in labels for label in seen], dtype=np.int32),
        np.array(weights, dtype=np.float64),
        n_symbols,
        np.array(pseudo),
    )


def random_sample(seed: int, n_symbols: int, n_labels: int, along: bool) -> Labelled:
    """Words run through a random machine whose states prefer a label each; weights add up without rounding."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, size=(4, n_symbols))
    taste = rng.dirichlet(np.full(n_labels, 0.4), size=4)
    words = [rng.integers(0, n_symbols, size=rng.integers(0, 7)).tolist() for _ in range(rng.integers(1, 40))]
    labels = []
    for word in words:
        states = [0]
        for a in word:
            states.append(int(table[states[-1], a]))
        seen = [int(rng.choice(n_labels, p=taste[s])) if rng.random() < 0.8 else -1 for s in states]
        labels.append(seen if along else [-1] * len(word) + [max(seen[-1], 0)])
    weights = rng.integers(1, 2**20, size=len(words)) / 2.0**18
    return labelled(words, labels, weights.tolist(), n_symbols, rng.uniform(0.2, 1.5, size=n_labels).tolist())


def decided_by_rounding(scores: list[list[float]]) -> bool:
    """Whether two scores of one round, or a score and 0, are nearly but not exactly alike; 0 is exact everywhere."""
    values = np.sort([0.0, *(score for row in scores for score in row if np.isfinite(score))])
    gaps = np.diff(values)
    near = gaps <= NEAR * (1 + np.abs(values[1:]))
    return bool((near & ~((values[1:] == 0.0) & (values[:-1] == 0.0))).any())


def plain_machine(sample: Labelled, n_states: int, width: int, least: float) -> tuple[Any, bool]:
    """Machine of the plain implementation, and whether rounding took part in its choices."""
    trial, scores, doubtful = merging._trial, [], False
    frontier = merging._frontier

    def noted_trial(*arguments: Any) -> float:
        scores.append(trial(*arguments))
        return scores[-1]

    def noted_frontier(*arguments: Any) -> Any:
        nonlocal doubtful
        doubtful = doubtful or decided_by_rounding([scores])
        scores.clear()
        return frontier(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_trial", noted_trial)
        patch.setattr(merging, "_frontier", noted_frontier)
        machine = merging.merged_machine(*sample, n_states, width, least)
    return machine, doubtful


SIZES = [(1, 1), (1, 5), (2, 1), (3, 2), (5, 10), (20, 3), (20, 1000)]


@pytest.mark.parametrize(("n_symbols", "n_labels"), [(1, 2), (2, 2), (2, 3), (3, 5), (26, 2), (300, 3)])
def test_the_compiled_machine_is_the_plain_one(n_symbols: int, n_labels: int) -> None:
    compared, doubted, contradicted = 0, 0, 0
    for seed, along in product(range(28), (False, True)):
        n_states, width = SIZES[seed % len(SIZES)]
        least = (-np.inf, -3.1, 0.013)[seed % 3]  # log Bayes factor below which nodes contradict each other
        sample = random_sample(seed, n_symbols, n_labels, along)
        (table, counts), doubtful = plain_machine(sample, n_states, width, least)
        found, found_counts = native.merged_machine(*sample, n_states, width, least)
        contradicted += found.tolist() != native.merged_machine(*sample, n_states, width)[0].tolist()
        check_consistent(sample, found, found_counts)
        check_consistent(sample, table, counts)
        doubted += doubtful
        if not doubtful:
            compared += 1
            assert found.tolist() == table.tolist()
            assert found_counts.tolist() == counts.tolist()
            assert (found.dtype, found_counts.dtype) == (table.dtype, counts.dtype) == (np.int32, np.float64)
    assert compared >= 30, f"{doubted} of 56 comparisons were left to rounding"
    assert contradicted >= 5


def check_consistent(sample: Labelled, table: NDArray[np.int32], counts: NDArray[np.float64]) -> None:
    """Every word runs to an end or to an open edge; without open edges the labels on the way add up to the counts."""
    assert table.shape == (len(counts), sample.n_symbols)
    assert ((table >= -1) & (table < len(table))).all()
    total = np.zeros_like(counts)
    for r, weight in enumerate(sample.weights.tolist()):
        word = sample.words.word(r).tolist()
        seen = sample.labels[sample.words.positions[r] : sample.words.positions[r + 1]].tolist()
        state = 0
        for label, a in zip(seen, [*word, -1], strict=True):
            if label >= 0:
                total[state, label] += weight
            if a < 0:
                break
            state = int(table[state, a])
            if state < 0:
                break
    assert total.tolist() == counts.tolist()


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 4), st.integers(1, 20), st.integers(1, 12))
def test_a_machine_is_deterministic_and_consistent(
    seed: int, n_symbols: int, n_labels: int, n_states: int, width: int
) -> None:
    sample = random_sample(seed, n_symbols, n_labels, along=bool(seed % 2))
    table, counts = kernels().merged_machine(*sample, n_states, width)
    assert 1 <= len(table) <= n_states
    check_consistent(sample, table, counts)
    reached = {0, *table.ravel().tolist()} - {-1}
    assert reached == set(range(len(table)))
    for state, a in zip(*np.nonzero(table < 0), strict=True):
        assert (state, a) not in pairs_read(sample, table)
    assert counts.sum() == sample.weights @ labels_per_word(sample)


def pairs_read(sample: Labelled, table: NDArray[np.int32]) -> set[tuple[int, int]]:
    pairs = set()
    for r in range(len(sample.weights)):
        state = 0
        for a in sample.words.word(r).tolist():
            pairs.add((state, a))
            state = int(table[state, a])
    return pairs


def labels_per_word(sample: Labelled) -> NDArray[np.float64]:
    ends = sample.words.positions.tolist()
    return np.array([(sample.labels[a:b] >= 0).sum() for a, b in pairwise(ends)], dtype=np.float64)


def even_zeros_and_ones(word: Sequence[int]) -> bool:
    return word.count(0) % 2 == 0 and word.count(1) % 2 == 0


def no_000(word: Sequence[int]) -> bool:
    return "000" not in "".join(map(str, word))


def zeros_minus_ones_by_three(word: Sequence[int]) -> bool:
    return (word.count(0) - word.count(1)) % 3 == 0


def only_ones(word: Sequence[int]) -> bool:
    return 0 not in word


LANGUAGES: list[tuple[Callable[[Sequence[int]], bool], int]] = [
    (only_ones, 2),
    (no_000, 4),
    (even_zeros_and_ones, 4),
    (zeros_minus_ones_by_three, 3),
]


@pytest.mark.parametrize("module", [native, merging], ids=["native", "reference"])
@pytest.mark.parametrize(("language", "size"), LANGUAGES, ids=[language.__name__ for language, _ in LANGUAGES])
def test_a_clean_language_is_found_exactly(language: Callable[[Sequence[int]], bool], size: int, module: Any) -> None:
    """From 400 labelled words to the language on all words up to length 12."""
    rng = np.random.default_rng(5)
    words = [rng.integers(0, 2, size=rng.integers(0, 13)).tolist() for _ in range(390)]
    words += [[1] * n for n in range(10)]
    labels = [[-1] * len(word) + [int(language(word))] for word in words]
    table, counts = module.merged_machine(*labelled(words, labels, [1.0] * 400, 2), size + 6, 8)
    assert len(table) == size
    accepting = counts[:, 1] > 0
    assert ((counts > 0).sum(axis=1) == 1).all()
    for length in range(13):
        for word in product((0, 1), repeat=length):
            state = 0
            for a in word:
                state = int(table[state, a])
            assert accepting[state] == language(word)


@pytest.mark.parametrize("module", [native, reference], ids=["native", "reference"])
class TestCorners:
    """Cases worked out by hand."""

    def test_no_words(self, module: Any) -> None:
        table, counts = module.merged_machine(*labelled([], [], [], 2), 3, 4)
        assert (table.tolist(), counts.tolist()) == ([[-1, -1]], [[0.0, 0.0]])

    def test_empty_words_and_an_empty_alphabet(self, module: Any) -> None:
        table, counts = module.merged_machine(*labelled([[], []], [[0], [1]], [1.0, 2.5], 0), 3, 4)
        assert (table.shape, counts.tolist()) == ((1, 0), [[1.0, 2.5]])

    def test_nothing_labelled_is_one_state(self, module: Any) -> None:
        """A score of 0 makes a state while there is room, and a merge when there is none."""
        table, counts = module.merged_machine(*labelled([[0, 1, 0]], [[-1] * 4], [1.0], 2), 1, 4)
        assert (table.tolist(), counts.tolist()) == ([[0, 0]], [[0.0, 0.0]])

    def test_one_state_takes_all(self, module: Any) -> None:
        table, counts = module.merged_machine(*labelled([[0], [1, 1]], [[-1, 0], [0, 1, 1]], [3.0, 0.5], 3), 1, 1)
        assert (table.tolist(), counts.tolist()) == ([[0, 0, -1]], [[3.5, 1.0]])

    def test_parity(self, module: Any) -> None:
        word = [0] * 9
        table, counts = module.merged_machine(*labelled([word], [[0, 1] * 5], [1.0], 1), 5, 2)
        assert (table.tolist(), counts.tolist()) == ([[1], [0]], [[5.0, 0.0], [0.0, 5.0]])

    def test_contradictions_are_not_merged(self, module: Any) -> None:
        """A hundred times one label, then a hundred times another: without room for a state the edge stays open."""
        sample = labelled([[0]], [[0, 1]], [100.0], 1)
        assert module.merged_machine(*sample, 1, 1)[0].tolist() == [[0]]
        table, counts = module.merged_machine(*sample, 1, 1, -10.0)
        assert (table.tolist(), counts.tolist()) == ([[-1]], [[100.0, 0.0]])
        assert module.merged_machine(*sample, 2, 1, -10.0)[0].tolist() == [[1], [-1]]

    def test_no_edge_is_tried(self, module: Any) -> None:
        table, counts = module.merged_machine(*labelled([[0]], [[1, 0]], [2.0], 2), 3, 0)
        assert (table.tolist(), counts.tolist()) == ([[-1, -1]], [[0.0, 2.0]])

    def test_what_is_beyond_the_last_round_stays_open(self, module: Any) -> None:
        """One state has 200 rounds: of 250 edges the 50 least documented are left."""
        words = [[a] for a in range(250)]
        table, counts = module.merged_machine(
            *labelled(words, [[-1, 0]] * 250, np.arange(250, 0, -1).tolist(), 250), 1, 3
        )
        assert table.tolist() == [[0] * 200 + [-1] * 50]
        assert counts.tolist() == [[sum(range(51, 251)), 0.0]]

    def test_a_long_word(self, module: Any) -> None:
        n = 2000
        table, counts = module.merged_machine(*labelled([[0] * n], [[0, 1] * (n // 2) + [0]], [1.0], 1), 2, 1)
        assert (table.tolist(), counts.tolist()) == ([[1], [0]], [[n // 2 + 1, 0.0], [0.0, n // 2]])
