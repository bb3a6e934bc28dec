"""Encoded words: what is taken, put together and recoded is what lists of words would give."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cutpoint.kernels import kernels
from cutpoint.kernels.words import EncodedWords, offsets_of

Plain = tuple[list[int], int, list[int]]
"""Symbols, end and marks of one word."""

WORDS = st.lists(
    st.lists(st.integers(0, 2), max_size=4).flatmap(
        lambda word: st.tuples(
            st.just(word),
            st.integers(0, 2),
            st.lists(st.integers(0, 3), min_size=len(word) + 1, max_size=len(word) + 1),
        )
    ),
    max_size=12,
)


def encoded(plain: list[Plain], marked: bool) -> EncodedWords:
    """Words as the value has them."""
    symbols = np.array([a for word, _, _ in plain for a in word], dtype=np.int32)
    marks = np.array([k for _, _, seen in plain for k in seen], dtype=np.int32) if marked else None
    ends = np.array([end for _, end, _ in plain], dtype=np.int32)
    return EncodedWords(symbols, offsets_of([len(word) for word, _, _ in plain]), ends, marks)


def listed(words: EncodedWords) -> list[Any]:
    """Words as lists; marks as zeros where there are none."""
    marks = np.zeros(words.positions[-1], dtype=np.int32) if words.marks is None else words.marks
    return [
        (words.word(r).tolist(), int(words.ends[r]), marks[words.positions[r] : words.positions[r + 1]].tolist())
        for r in range(len(words))
    ]


def expected(plain: list[Plain], marked: bool) -> list[Any]:
    return [(word, end, seen if marked else [0] * len(seen)) for word, end, seen in plain]


@given(WORDS, st.booleans(), st.data())
def test_words_are_taken_in_the_order_given(plain: list[Plain], marked: bool, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(plain) - 1), max_size=20)) if plain else []
    taken = encoded(plain, marked).take(np.array(rows, dtype=np.int64))
    assert listed(taken) == expected([plain[r] for r in rows], marked)
    assert (taken.marks is None) == (not marked)
    assert [array.dtype for array in (taken.symbols, taken.offsets, taken.ends)] == [np.int32, np.int64, np.int32]


@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=4))
def test_parts_are_put_one_after_the_other(parts: list[tuple[list[Plain], bool]]) -> None:
    together = EncodedWords.concatenate([encoded(*part) for part in parts])
    assert listed(together) == [word for part in parts for word in expected(*part)]
    assert (together.marks is None) == (not any(marked for _, marked in parts))


@given(WORDS, st.booleans())
def test_symbols_and_marks_are_recoded_each_by_its_table(plain: list[Plain], marked: bool) -> None:
    symbols, marks = np.array([7, 0, 5], dtype=np.int32), np.array([0, 9, 8, 7], dtype=np.int32)
    words = encoded(plain, marked)
    moved = [([int(symbols[a]) for a in word], end, seen) for word, end, seen in plain]
    assert listed(words.recode(symbols)) == expected(moved, marked)
    remarked = [(word, end, [int(marks[k]) for k in seen]) for word, end, seen in plain]
    assert listed(words.recode(marks=marks)) == expected(remarked, marked)


@given(WORDS, st.booleans())
def test_the_first_equal_word_is_found(plain: list[Plain], marked: bool) -> None:
    rows = expected(plain, marked)
    assert encoded(plain, marked).first_equal().tolist() == [rows.index(row) for row in rows]


@given(WORDS, st.booleans())
def test_evidence_is_the_masks_of_the_marks(plain: list[Plain], marked: bool) -> None:
    masks = np.array([[True, True, True], [True, False, True], [False, True, True], [False, False, True]])
    words = encoded(plain, marked)
    for r, (_, end, seen) in enumerate(expected(plain, marked)):
        table = [masks[k].tolist() for k in seen]
        table[-1] = (masks[seen[-1]] & masks[end]).tolist()
        assert words.evidence(masks, np.array([r]))[0].tolist() == table


def test_arrays_are_read_only_and_the_tree_stays_at_home() -> None:
    words = encoded([([0, 1], 1, [0, 0, 0]), ([1], 2, [0, 0])], marked=False)
    for array in (words.symbols, words.offsets, words.ends):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    tree: Any = kernels().prefix_tree(words)
    assert kernels().prefix_tree(words) is tree, "it is made once"
    sent = pickle.loads(pickle.dumps(words))
    assert listed(sent) == listed(words)
    assert not sent.symbols.flags.writeable
    if tree is not None:
        assert words.nbytes > sent.nbytes
