"""The kernels for sparse matrices beside those for dense arrays, and the compiled ones beside the reference."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.errors import CutpointError
from cutpoint.kernels import _native, door, native, sparse_native, sparse_reference
from cutpoint.kernels.sparse_matrices import RaggedRows, SparseMatrices, SparsePattern, StateRows, added_up
from cutpoint.kernels.words import EncodedWords, FrontCodedWords, offsets_of

BOTH = (sparse_native, sparse_reference)
N_MASKS = 4


class Problem:
    """A random sparse machine, and words with what was seen of their runs.

    ``tiny`` entries leave the range of floats after few symbols; a generator has a column ``stop``.
    """

    def __init__(self, seed: int, n_states: int = 0, tiny: bool = False, generator: bool = False) -> None:
        rng = np.random.default_rng(seed)
        n, m = n_states or int(rng.integers(1, 40)), int(rng.integers(1, 4))
        dense = np.zeros((m, n, n))
        for row in dense.reshape(-1, n):
            reached = rng.choice(n, size=min(n, int(rng.integers(1, 4))), replace=False)
            weights = 10.0 ** -rng.integers(0, 60, len(reached)) if tiny else rng.random(len(reached))
            row[reached] = weights / weights.sum()
        self.stop = rng.random(n) / 2 if generator else None
        self.dense = dense if self.stop is None else dense * (1.0 - self.stop)[:, None] / m
        self.sparse = SparseMatrices.from_dense(self.dense)
        self.initial = np.eye(n)[0] if seed % 2 else np.full(n, 1.0 / n)
        self.final = rng.random(n) < 0.4
        self.column = self.final.astype(np.float64)
        self.masks = np.stack([np.ones(n, dtype=np.bool_), self.final, ~self.final, rng.random(n) < 0.7])
        lengths = rng.integers(0, 12, size=20)
        symbols = rng.integers(0, m, size=int(lengths.sum()), dtype=np.int32)
        marks = np.where(rng.random(len(symbols) + 20) < 0.2, rng.integers(0, N_MASKS, len(symbols) + 20), 0)
        ends = rng.integers(0, N_MASKS, size=20, dtype=np.int32)
        self.words = EncodedWords(symbols, offsets_of(lengths), ends, marks.astype(np.int32) if seed % 3 else None)
        self.weights = rng.random(20)
        self.word = max((self.words.word(r) for r in range(20)), key=len)
        self.seen = self.words.evidence(self.masks, np.array([int(lengths.argmax())]))[0]

    def __repr__(self) -> str:
        return f"Problem({self.sparse}, {'generator' if self.stop is not None else 'acceptor'})"


PROBLEMS = [
    *(Problem(seed) for seed in range(12)),
    *(Problem(seed, tiny=True) for seed in range(6)),
    *(Problem(seed, generator=True) for seed in range(6)),
    Problem(1, n_states=700),
]
QUESTIONS: dict[str, Callable[[Problem], Any]] = {
    "acceptances": lambda p: (p.initial, p.column, p.words),
    "forward": lambda p: (p.initial, p.word),
    "backward": lambda p: (p.column, p.word),
    "distribution": lambda p: (p.initial, p.word),
    "log_acceptances": lambda p: (p.initial, p.final, p.words),
    "log_probabilities": lambda p: (p.initial, p.masks, p.words, None, p.stop),
    "expected_counts": lambda p: (p.initial, p.masks, p.words, p.weights, None, p.stop),
    "occupancy": lambda p: (p.initial, p.word, p.seen, p.stop),
    "most_likely_path": lambda p: (p.initial, p.word, p.seen, p.stop),
    "filtered": lambda p: (p.initial, p.final, p.masks, p.words),
}


def arrays_of(answer: Any) -> list[Any]:
    """All arrays of an answer, sparse matrices as dense ones."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [part.to_dense() if isinstance(part, SparseMatrices) else part for part in parts if part is not None]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_all_kernels_agree(problem: Problem, question: str) -> None:
    """Numbers below 1e-180 are dropped by the compiled kernels where entries are tiny, never by the reference."""
    if problem.stop is not None and question in ("filtered", "log_acceptances"):
        pytest.skip("of acceptors only")
    given = QUESTIONS[question](problem)
    expected = arrays_of(getattr(native, question)(problem.dense, *given))
    if question in ("occupancy", "most_likely_path") and expected[-1] == -np.inf:
        expected = expected[-1:]
    for kernel in BOTH:
        answer = arrays_of(getattr(kernel, question)(problem.sparse, *given))[-len(expected) :]
        for found, wanted in zip(answer, expected, strict=True):
            least = 1e-150 if question in ("acceptances", "forward", "backward", "distribution") else 1e-13
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=least)


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_scores_have_the_bits_of_the_reference(problem: Problem) -> None:
    """A row is a list or an array, a word alone or among others: sums run over the states in their order."""
    given = problem.initial, problem.column
    scores = sparse_native.acceptances(problem.sparse, *given, problem.words)
    assert scores.tolist() == sparse_reference.acceptances(problem.sparse, *given, problem.words).tolist()
    alone = [sparse_native.acceptance(problem.sparse, *given, problem.words.word(r)) for r in range(len(scores))]
    assert scores.tolist() == alone


@pytest.mark.parametrize("n_states", [40, 20_000])
def test_threads_give_the_same_bits(n_states: int) -> None:
    """From 16,384 states on even a few words are dealt out to several tasks."""
    rng = np.random.default_rng(3)
    symbols, sources = np.repeat([0, 1], 2 * n_states), np.tile(np.repeat(np.arange(n_states), 2), 2)
    columns = rng.integers(0, n_states, len(sources))
    both = added_up(2, n_states, symbols, sources, columns, rng.random(len(sources)))
    sparse = both / both.sum(axis=-1, keepdims=True)
    words = cp.data.Alphabet("ab").encode(cp.random_words("ab", 400, (0, 14), rng=1))
    words = EncodedWords(words.symbols, words.offsets, rng.integers(0, 2, len(words), dtype=np.int32))
    masks = np.stack([np.ones(n_states, dtype=np.bool_), rng.random(n_states) < 0.5])
    given = sparse, np.full(n_states, 1.0 / n_states), masks, words, np.ones(len(words))
    one, two = (sparse_native.expected_counts(*given, threads) for threads in (1, 2))
    assert one.transitions.values.tobytes() == two.transitions.values.tobytes()
    assert one.log_probabilities.tobytes() == two.log_probabilities.tobytes()
    scores = [sparse_native.acceptances(*given[:2], masks[1].astype(float), words, threads) for threads in (1, 2)]
    assert scores[0].tobytes() == scores[1].tobytes()
    assert one.transitions.sum() == pytest.approx(words.lengths.sum(), rel=1e-12)


def words_of(problem: Problem) -> list[list[int]]:
    return [problem.words.word(r).tolist() for r in range(len(problem.words))]


def test_long_words_and_front_coded_ones() -> None:
    problem = Problem(5)
    long = np.tile(problem.word, 40_000 // len(problem.word))
    words = EncodedWords.single(long)
    masks, weights = problem.masks, np.ones(1)
    dense = native.expected_counts(problem.dense, problem.initial, masks, words, weights)
    sparse = sparse_native.expected_counts(problem.sparse, problem.initial, masks, words, weights)
    np.testing.assert_allclose(sparse.transitions.to_dense(), dense.transitions, rtol=1e-9, atol=1e-9)
    assert sparse_native.acceptances(problem.sparse, problem.initial, problem.column, words) == pytest.approx(
        native.acceptances(problem.dense, problem.initial, problem.column, words), rel=1e-11
    )
    ordered = cp.data.Alphabet(range(len(problem.sparse))).encode(sorted({tuple(w) for w in words_of(problem)}))
    coded = FrontCodedWords.of(ordered)
    given = problem.initial, masks, coded, np.ones(len(coded.lengths))
    whole = sparse_native.expected_counts(problem.sparse, *given).transitions.to_dense()
    np.testing.assert_allclose(whole, native.expected_counts(problem.dense, *given).transitions, rtol=1e-12, atol=1e-15)


def test_no_words_and_no_entries() -> None:
    empty = SparseMatrices.from_dense(np.zeros((2, 3, 3)))
    words = EncodedWords.without_marks(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64))
    row, word = np.array([0.5, 0.5, 0.0]), np.array([0, 1], dtype=np.int32)
    for kernel in BOTH:
        assert kernel.acceptances(empty, row, row, words).size == 0
        assert kernel.acceptance(empty, row, row, word) == 0.0
        assert kernel.forward(empty, row, word).tolist() == [[0.5, 0.5, 0.0], [0.0] * 3, [0.0] * 3]
        found = kernel.expected_counts(empty, row, np.ones((1, 3), dtype=np.bool_), words, np.empty(0))
        assert found.transitions.n_entries == 0


def int32(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def int64(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("starts", "columns", "sentence"),
    [
        (int64(0, 2, 3), int32(0, 2, 1), "transitions must have columns from 0 to 1; got 2 in row 0 of matrix 0."),
        (int64(0, 1, 3), int32(0, 1, -1), "transitions must have columns from 0 to 1; got -1 in row 1 of matrix 0."),
        (
            int64(0, 2, 3),
            int32(1, 1, 0),
            "transitions must have one entry in each place; row 0 of matrix 0 has two in column 1.",
        ),
        (
            int64(0, 2, 3),
            int32(1, 0, 0),
            "transitions must have columns that increase in each row; in row 0 of matrix 0, 0 follows 1.",
        ),
        (int64(0, 4, 3), int32(0, 1, 0), "starts must begin with 0, never decrease and end with 3."),
        (int64(0, 2), int32(0, 1), "starts must be a contiguous array of int64, shape (3); got int64, shape (2)."),
    ],
)
def test_wrong_patterns_are_refused_in_one_sentence(starts: Any, columns: Any, sentence: str) -> None:
    for check in (SparsePattern.checked, _native.sparse_pattern):
        with pytest.raises(CutpointError) as refusal:
            check(1, 2, starts, columns)
        assert str(refusal.value) == sentence


@pytest.mark.parametrize("kernel", BOTH)
def test_kernels_refuse_what_does_not_fit(kernel: ModuleType) -> None:
    problem = Problem(2)
    for given in (
        (problem.sparse, problem.initial[1:], problem.column, problem.word),
        (problem.sparse, problem.initial, problem.column.astype(np.float32), problem.word),
        (problem.sparse, problem.initial, problem.column, problem.word + np.int32(99)),
        (problem.sparse.like(problem.sparse.values[1:]), problem.initial, problem.column, problem.word),
    ):
        with pytest.raises(CutpointError, match="must be"):
            kernel.acceptance(*given)
    with pytest.raises(CutpointError, match="must be a pattern that sparse_pattern has checked"):
        door.pattern("pattern")


def test_ragged_rows_are_computed_with_as_arrays_are() -> None:
    rng = np.random.default_rng(1)
    dense = rng.random((2, 5, 5)) * (rng.random((2, 5, 5)) < 0.5)
    dense[:, :, 0] += 0.1
    sparse = SparseMatrices.from_dense(dense)
    np.testing.assert_allclose(sparse.sum(axis=-1), dense.sum(axis=-1))
    np.testing.assert_allclose(sparse.sum(axis=(0, 2)), dense.sum(axis=(0, 2)))
    scaled = sparse / sparse.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(scaled.to_dense(), dense / dense.sum(axis=-1, keepdims=True))
    chosen: Any = np.where(sparse > 0.5, sparse, 0.0)
    np.testing.assert_allclose(chosen.to_dense(), np.where(dense > 0.5, dense, 0.0))
    assert sparse[1, 2, 0] == dense[1, 2, 0]
    np.testing.assert_array_equal(sparse[1], dense[1])
    np.testing.assert_array_equal(sparse.transpose(0, 2, 1).to_dense(), dense.transpose(0, 2, 1))
    np.testing.assert_array_equal(sparse.take([1, 0]).to_dense(), dense[[1, 0]])
    np.testing.assert_allclose(sparse.kronecker(sparse)[1], np.kron(dense[1], dense[1]))
    stop = rng.random(5)
    rows = StateRows(sparse, stop)
    np.testing.assert_array_equal(rows.matrices.to_dense(), dense)
    np.testing.assert_allclose(rows.sum(axis=-1), dense.sum(axis=(0, 2)) + stop)
    with pytest.raises(TypeError):
        np.sort(RaggedRows(np.ones(2), np.array([0, 1, 2])))  # type: ignore[call-overload]
