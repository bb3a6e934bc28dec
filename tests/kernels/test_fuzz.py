"""Every function of the compiled module with arguments that do not fit: exceptions, never a crash.

A process of its own calls the functions, so that a crash is a failure of the test and not the end of the suite.
"""

import subprocess
import sys

import pytest

PROGRAM = r"""
import os, resource, sys
import numpy as np
import cutpoint as cp
from cutpoint.kernels import _native, native
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.kernels.words import EncodedWords, FrontCodedWords

if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which takes terabytes of addresses, and has a limit of its own
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # what asks for more memory gets an exception
rng = np.random.default_rng(int(sys.argv[1]))
rounds = int(sys.argv[2])
A = cp.random_acceptor(3, "ab", rng=1)
P, row, masks = A.transitions, A.initial, np.array([[1, 1, 1], [1, 0, 1]], dtype=bool)
word = np.array([0, 1, 1, 0, 0], dtype=np.int32)
words = EncodedWords(word, np.array([0, 2, 2, 5]), np.array([0, 1, 1], dtype=np.int32), np.array([0, 1, 0, 0, 1, 0, 0, 1], dtype=np.int32))
long = EncodedWords(np.tile(word, 4000), np.array([0, 20_000]), np.array([1], dtype=np.int32))
coded = FrontCodedWords.of(EncodedWords.without_marks(np.array([0, 0, 1, 0, 1], dtype=np.int32), np.array([0, 1, 3, 5])))
points = np.full(128, -1, dtype=np.int32)
points[97:99] = 0, 1


def counts(words, tree):
    return [P, row, np.empty(0), masks, words.symbols, words.offsets, words.marks, words.ends, np.ones(len(words)), tree,
            np.empty(P.shape), np.empty(3), np.empty(0), np.empty(len(words)), 2]


def climb(words, tree):
    return [P, row, P, row, P, row, np.array([-9.0, -9.0, 4.0, 1.0]), np.empty(9), True, 0.0, masks, words.symbols,
            words.offsets, words.marks, words.ends, np.ones(len(words)), tree, 2]


S = SparseMatrices.from_dense(np.array([[[0, 1, 0], [0.5, 0, 0.5], [1, 0, 0]], [[0.2, 0.8, 0], [1, 0, 0], [0, 0, 1]]]))
stored = [_native.sparse_pattern(2, 3, S.pattern.starts, S.pattern.columns), S.values]


def sparse_counts(words, tree, wide=False):
    return [*stored, row, np.full(3, 0.5), masks, words.symbols, words.offsets, words.marks, words.ends, np.ones(len(words)),
            tree, np.empty(8), np.empty(3), np.empty(3), np.empty(len(words)), np.empty((0, 0)), 2, wide]


ragged = [words.symbols, words.offsets]
whole, blocks = [coded.codes, None, coded.shared, coded.lengths, coded.block_words, True], native._coded_tree(coded)
CALLS = {
    "instruction_set": [[]],
    "acceptance": [[P, row, row, word]],
    "acceptances": [[P, row, row, *ragged, np.empty(3), 2]],
    "prefix_tree": [[*ragged, None], [*ragged, words.marks]],
    "coded_tree": [whole, [*whole[:-1], False], [coded.codes, np.zeros(len(coded.codes), dtype=np.int32), *whole[2:]]],
    "expected_counts": [counts(words, native._tree(words)), counts(long, native._tree(long)), counts(coded.decoded(), blocks)],
    "climb": [climb(words, native._tree(words)), climb(coded.decoded(), blocks)],
    "expect_wide": [
        [P, row, stop, masks, *ragged, words.marks, words.ends, np.ones(3), np.empty(P.shape), np.empty(3),
         np.empty(len(stop)), np.empty((0, 0)), np.empty(3), np.empty(3, dtype=np.int64), 2]
        for stop in (np.empty(0), np.full(3, 0.5))
    ],
    "filtered": [
        [P, row, row, masks, *ragged, words.marks, words.ends, np.empty(8), np.empty(8), np.empty(3), 1e-300, 2]
    ],
    "merged_machine": [[*ragged, words.marks, np.ones(3), 2, np.ones(2), 3, 2, 9, -np.inf, 2**31 - 1]],
    "forward": [[P, row, word, np.empty((6, 3))]],
    "backward": [[P, row, word, np.empty((6, 3))]],
    "distribution": [[P, row, word, np.empty((2, 3))]],
    "occupancy": [[P, row, 1e-300, word, np.ones((6, 3), dtype=bool), np.empty((6, 3)), False]],
    "most_likely_path": [[np.log(P), np.log(row), word, np.ones((6, 3), dtype=bool), np.empty(6, dtype=np.int64)]],
    "sparse_pattern": [[2, 3, S.pattern.starts, S.pattern.columns]],
    "sparse_acceptances": [[*stored, row, row, native._tree(x), x.symbols, x.offsets, np.empty(len(x)), 2] for x in (words, long)],
    "sparse_distribution": [[*stored, row, word, np.empty(3)]],
    "sparse_table": [[*stored, row, word, np.empty((6, 3)), backward] for backward in (False, True)],
    "sparse_expected_counts": [sparse_counts(words, native._tree(words)), sparse_counts(long, native._tree(long)),
                               sparse_counts(coded.decoded(), blocks), sparse_counts(words, None, True)],
    "sparse_filtered": [
        [*stored, row, row, masks, *ragged, words.marks, words.ends, np.empty(8), np.empty(8), np.empty(3), 2]
    ],
    "sparse_most_likely_path": [
        [*stored, row, np.empty(0), word, np.ones((6, 3), dtype=bool), np.empty(6, dtype=np.int64)]
    ],
    "encode_texts": [[["ab", "", "b"], points]],
    "encode_lists": [[[["a"], (), ["b", "a"]], {"a": 0, "b": 1}]],
}
missing = {name for name in dir(_native) if callable(getattr(_native, name)) and not name.startswith("_")} - CALLS.keys()
assert not missing, f"no calls of {missing}"
EXTREME = [-1, 1, 2, 3, 7, 127, 255, 10**8, 2**31 - 1, -(2**31), 2**62, -(2**63)]
SIZES = [-1, 0, 1, 1000, 2**31, 2**62, -(2**63)]  # none for which there is just enough memory
THINGS = [None, 0, -1, 2**70, 0.5, "ab", b"abc", [], [1], ["a", None], [["a", []]], (), {}, {"a": -1, "b": 2**40},
          {"a": "b", "b": 1}, object(), np.ma.masked, np.float64(1), np.array(None), np.empty((0, 3, 3)), np.empty((2, 0, 0)),
          memoryview(bytes(24)), native._tree(words), blocks, (blocks[-1], 1)]


def wrong_array(x):
    kind = rng.integers(12)
    if kind == 0:
        return x.astype(rng.choice(["f4", "f8", ">f8", "i1", "u1", "u2", "i4", ">i4", "i8", "u8", "?", "c16", "O", "g"]))
    if kind == 1:
        return x[..., : rng.integers(x.shape[-1] + 1)]
    if kind == 2:
        return np.concatenate([x, x]) if x.ndim else x
    if kind == 3:
        return x.reshape(rng.permutation([*x.shape, 1]))
    if kind == 4:
        return x[..., ::-1] if rng.integers(2) else np.repeat(x, 2, axis=-1)[..., ::2]
    if kind == 5:
        y = x.copy()
        y.setflags(write=False)
        return y
    if kind == 6:
        return np.broadcast_to(x.ravel()[:1], x.shape) if x.size else x
    if kind == 7:
        memory = bytearray(x.nbytes + 1)
        return np.frombuffer(memory, dtype=x.dtype, offset=1).reshape(x.shape)
    if kind == 8:
        return x.T
    if kind == 9 and x.dtype.kind == "f":
        y = x.copy()
        y.flat[: rng.integers(x.size + 1)] = rng.choice([np.nan, np.inf, -np.inf, -1.0, 1e308, 5e-324])
        return y
    y = x.copy()
    if x.dtype.kind in "iu" and x.size:
        limits = np.iinfo(x.dtype)
        for _ in range(rng.integers(1, 4)):
            y.flat[rng.integers(x.size)] = min(max(EXTREME[rng.integers(len(EXTREME))], limits.min), limits.max)
    return y


done = refused = 0
for _ in range(rounds):
    for name, calls in CALLS.items():
        for given in calls:
            if not given:
                continue
            arguments = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
            try:
                for _ in range(1 + (rng.random() < 0.2)):
                    at = rng.integers(len(arguments))
                    x = arguments[at]
                    choice = rng.random()
                    arrays = [y for y in arguments if isinstance(y, np.ndarray)]
                    if isinstance(x, np.ndarray) and x.ndim and choice < 0.75:
                        arguments[at] = wrong_array(x)
                    elif choice < 0.85 and arrays:
                        arguments[at] = arrays[rng.integers(len(arrays))]
                    elif isinstance(x, int) and choice < 0.95:
                        arguments[at] = SIZES[rng.integers(len(SIZES))]
                    else:
                        arguments[at] = THINGS[rng.integers(len(THINGS))]
                getattr(_native, name)(*arguments)
                done += 1
            except (TypeError, ValueError, MemoryError, OverflowError):
                refused += 1
print(done, refused)
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_that_python_passes_crashes(seed: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seed), "400"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    passed, refused = map(int, done.stdout.split())
    assert refused > passed
