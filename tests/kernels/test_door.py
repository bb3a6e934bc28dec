"""The door of the kernels: what does not fit is refused by the compiled kernels and the reference in one sentence."""

import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.errors import CutpointError
from cutpoint.kernels import merging, native, reference
from cutpoint.kernels.words import EncodedWords, FrontCodedWords

MACHINE = cp.random_acceptor(3, "ab", rng=1)
WORD = np.array([0, 1, 1], dtype=np.int32)
WORDS = EncodedWords(WORD, np.array([0, 2, 2, 3]), np.array([0, 1, 1], dtype=np.int32))
MARKED = EncodedWords(WORD, WORDS.offsets, WORDS.ends, np.array([0, 1, 0, 0, 1, 0], dtype=np.int32))
MASKS = np.stack([np.ones(3, dtype=np.bool_), MACHINE.final])

GIVEN: dict[str, Any] = {
    "transitions": MACHINE.transitions,
    "initial": MACHINE.initial,
    "column": MACHINE.final.astype(np.float64),
    "final": MACHINE.final,
    "masks": MASKS,
    "word": WORD,
    "seen": np.ones((4, 3), dtype=np.bool_),
    "words": MARKED,
    "weights": np.ones(3),
    "stop": np.full(3, 0.5),
    "labels": np.array([0, 1, 0, -1, 1, 0], dtype=np.int32),
    "pseudo": np.ones(2),
}
KERNELS = {
    "acceptance": ["transitions", "initial", "column", "word"],
    "acceptances": ["transitions", "initial", "column", "words"],
    "backward": ["transitions", "column", "word"],
    "distribution": ["transitions", "initial", "word"],
    "expected_counts": ["transitions", "initial", "masks", "words", "weights", "stop"],
    "filtered": ["transitions", "initial", "final", "masks", "words"],
    "forward": ["transitions", "initial", "word"],
    "log_acceptances": ["transitions", "initial", "final", "words"],
    "log_probabilities": ["transitions", "initial", "masks", "words", "stop"],
    "matrix": ["transitions", "word"],
    "merged_machine": ["words", "labels", "weights", "pseudo"],
    "most_likely_path": ["transitions", "initial", "word", "seen", "stop"],
    "occupancy": ["transitions", "initial", "word", "seen", "stop"],
}


def words_with(**arrays: Any) -> EncodedWords:
    given = {name: getattr(MARKED, name) for name in ("symbols", "offsets", "ends", "marks")} | arrays
    return EncodedWords(**{name: np.array(values) for name, values in given.items()})


def int32(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


CODED = FrontCodedWords.of(EncodedWords.without_marks(int32(0, 0, 1), np.array([0, 1, 3])))

WRONG: list[tuple[str, Any, str]] = [
    ("transitions", MACHINE.transitions.astype(np.float32), "transitions must be a contiguous array of float64"),
    ("transitions", MACHINE.transitions.astype(">f8"), "transitions must be a contiguous array of float64"),
    ("transitions", MACHINE.transitions.transpose(0, 2, 1), "with gaps"),
    (
        "transitions",
        np.ascontiguousarray(MACHINE.transitions[:, :2]),
        r"shape \(\*, 2, 2\); got float64, shape \(2, 2, 3\)",
    ),
    ("transitions", MACHINE.transitions[0], r"shape \(\*, \*, \*\)"),
    ("transitions", np.empty((2, 0, 0)), "transitions must have at least one state"),
    ("initial", MACHINE.initial[:2], r"initial must be .* shape \(3\); got float64, shape \(2\)"),
    ("initial", MACHINE.initial.tolist(), "initial must be .*; got list"),
    ("initial", np.frombuffer(bytes(25), dtype=np.float64, offset=1), "initial must be a contiguous array of float64"),
    ("column", np.ones((3, 1)), r"column must be .* shape \(3\)"),
    ("final", np.ones(3), "final must be a contiguous array of bool"),
    ("final", np.ones(2, dtype=np.bool_), r"final must be .* shape \(3\)"),
    ("masks", MASKS[:, ::2], "masks must be"),
    ("masks", MASKS.astype(np.int8), "masks must be a contiguous array of bool"),
    ("masks", MASKS[:1], "must be codes of at most 0; got 1"),
    ("word", int32(0, -1, 1), "symbols must be codes of at least 0; got -1"),
    ("word", int32(0, 10**8, 1), "symbols must be codes of at most 1; got 100000000"),
    ("word", int32(0, 1, 2), "symbols must be codes of at most 1; got 2"),
    ("word", np.array([0.0, 1.0, 1.0]), "symbols must be a contiguous array of int32"),
    ("word", np.array([0, 1, 1]), "symbols must be a contiguous array of int32"),
    ("word", int32(0, 1, 1, 1, 0, 1)[::2], "symbols must be a contiguous array of int32"),
    ("seen", np.ones((3, 3), dtype=np.bool_), r"seen must be .* shape \(4, 3\)"),
    ("seen", np.ones((4, 3)), "seen must be a contiguous array of bool"),
    ("words", words_with(symbols=int32(0, 1, -1)), "symbols must be codes of at least 0; got -1"),
    ("words", words_with(symbols=int32(0, 10**8, 1)), "symbols must be codes of at most 1; got 100000000"),
    ("words", words_with(symbols=[0.5, 1.0, 1.0]), "symbols must be a contiguous array of int32"),
    ("words", words_with(offsets=[0, 2, 1, 3]), "offsets must begin with 0, never decrease and end with 3"),
    ("words", words_with(offsets=[1, 2, 2, 3]), "offsets must begin with 0"),
    ("words", words_with(offsets=[0, 2, 2, 4]), "offsets must begin with 0"),
    ("words", words_with(offsets=[0, -(2**62), 2, 3]), "offsets must begin with 0"),
    ("words", words_with(offsets=int32(0, 2, 2, 3)), "offsets must be a contiguous array of int64"),
    ("weights", np.ones(2), r"weights must be .* shape \(3\)"),
    ("weights", np.ones(3, dtype=np.longdouble), "weights must be a contiguous array of float64"),
    ("stop", np.ones(2), r"stop must be .* shape \(3\)"),
    ("labels", int32(0, 1, 0, -2, 1, 0), "labels must be codes of at least -1; got -2"),
    ("labels", int32(0, 1, 0, 2, 1, 0), "labels must be codes of at most 1; got 2"),
    ("labels", int32(0, 1, 0), r"labels must be .* shape \(6\)"),
    ("pseudo", np.ones((2, 1)), "pseudo must be"),
]
MARKS_WRONG: list[tuple[str, Any, str]] = [
    ("words", words_with(ends=int32(0, 1, 2)), "ends must be codes of at most 1; got 2"),
    ("words", words_with(ends=int32(0, 1)), r"ends must be .* shape \(3\)"),
    ("words", words_with(marks=int32(0, 1, 0, 0, 9, 0)), "marks must be codes of at most 1; got 9"),
    ("words", words_with(marks=int32(0, 1, 0)), r"marks must be .* shape \(6\)"),
    ("words", FrontCodedWords(CODED.codes + np.uint8(9), *CODED._values()[1:]), "front-coded"),
    ("words", FrontCodedWords(CODED.codes, CODED.shared + np.uint8(9), *CODED._values()[2:]), "front-coded"),
]
CASES = [(kernel, *case) for case in WRONG for kernel in KERNELS if case[0] in KERNELS[kernel]]
CASES += [(kernel, *case) for case in MARKS_WRONG for kernel in ("expected_counts", "log_probabilities")]


def call(module: Any, kernel: str, **arguments: Any) -> Any:
    given = {name: GIVEN[name] for name in KERNELS[kernel]} | arguments
    if kernel == "merged_machine":
        given = {"n_symbols": 2, "n_states": 2, "width": 1} | given
    return getattr(module, kernel)(**given)


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_fits_passes(kernel: str) -> None:
    mine, theirs = (call(module, kernel) for module in (native, reference))
    for one, other in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else [(mine, theirs)]:
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(("kernel", "name", "value", "sentence"), CASES)
def test_what_does_not_fit_is_refused_by_both_kernels_alike(kernel: str, name: str, value: Any, sentence: str) -> None:
    refusals = []
    for module in (native, reference):
        with pytest.raises(CutpointError, match=sentence) as refused:
            call(module, kernel, **{name: value})
        refusals.append((type(refused.value), refused.value.argument, str(refused.value)))
    assert refusals[0] == refusals[1]


@pytest.mark.parametrize("module", [native, merging])
def test_more_prefixes_than_can_be_numbered(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 4)
    assert len(call(module, "merged_machine").table) > 0
    monkeypatch.setattr(module, "MOST_NODES", 3)
    with pytest.raises(cp.errors.TooLarge, match="words have more than 3 distinct prefixes"):
        call(module, "merged_machine")


@pytest.mark.parametrize("module", [native, merging])
@pytest.mark.parametrize("n_symbols", [2**31, 2**62])
def test_more_symbols_than_there_are_codes(module: Any, n_symbols: int) -> None:
    with pytest.raises(cp.errors.TooLarge, match=f"n_symbols must be at most 2147483646, .* got {n_symbols}"):
        call(module, "merged_machine", n_symbols=n_symbols)


@pytest.mark.parametrize("words", [["ab"], np.array([0, 1]), None])
def test_encoded_acceptances_of_what_is_not_encoded(words: Any) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=r"words must be as encode\(words\) returns them"):
        MACHINE.encoded_acceptances(words)


@pytest.mark.parametrize(
    ("variable", "sentence"),
    [
        ("CUTPOINT_ISA", "CUTPOINT_ISA must be one of .*; got 'nonsense'. Unset it"),
        ("CUTPOINT_KERNELS", "CUTPOINT_KERNELS must be 'native' or 'reference'; got 'nonsense'. Unset it"),
    ],
)
def test_nonsense_in_the_environment(variable: str, sentence: str) -> None:
    code = "import cutpoint as cp; cp.kernel_info()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {variable: "nonsense"},
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("cutpoint.errors.KernelsUnavailable")
    assert re.search(sentence, done.stderr)
