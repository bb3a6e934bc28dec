"""Ragged words as one value: codes of their symbols, and what was seen of their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Masks = NDArray[np.bool_]

BLOCK = 1 << 20
"""Values that are hashed at once."""


@dataclass(frozen=True, eq=False)
class WordArrays:
    """What all forms of words have in common: read-only arrays, and the prefix tree that belongs to them."""

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def prefix_tree(self, make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Prefix tree of the words as the compiled kernels make it; made once and kept with the words."""
        if "_tree" not in self.__dict__:
            self.__dict__["_tree"] = make()
        tree: tuple[Any, ...] = self.__dict__["_tree"]
        return tree

    @property
    def nbytes(self) -> int:
        """Bytes of memory, those of the prefix tree included."""
        held = *self._values(), *self.__dict__.get("_tree", ())
        return sum(value.nbytes for value in held if isinstance(value, np.ndarray))

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()


@dataclass(frozen=True, eq=False)
class EncodedWords(WordArrays):
    """Words over the codes of an alphabet, and what was seen of their runs.

    Attributes
    ----------
    symbols, offsets : codes of all words; word r is ``symbols[offsets[r]:offsets[r + 1]]``.
    ends : mark on each word as a whole, 0 if nothing is known.
    marks : mark at positions 0 … n of each word, ``marks[offsets[r] + r + i]``; None if nothing was seen on the way.

    Examples
    --------
    >>> words = EncodedWords.without_marks(np.array([1, 2, 0, 1], dtype=np.int32), np.array([0, 2, 2, 4]))
    >>> words.lengths.tolist(), words.word(2).tolist(), words.take(np.array([2, 0])).symbols.tolist()
    ([2, 0, 2], [0, 1], [0, 1, 1, 2])
    """

    symbols: Codes
    offsets: Offsets
    ends: Codes
    marks: Codes | None = None

    @classmethod
    def without_marks(cls, symbols: Codes, offsets: Offsets) -> Self:
        """Words of whose runs nothing was seen."""
        return cls(symbols, offsets, np.zeros(len(offsets) - 1, dtype=np.int32))

    @classmethod
    def concatenate(cls, parts: Sequence[EncodedWords]) -> Self:
        """All words of the parts in their order; equal ones are not merged."""
        lengths = np.concatenate([part.lengths for part in parts])
        marks = None
        if any(part.marks is not None for part in parts):
            none = (np.zeros(len(part.symbols) + len(part), dtype=np.int32) for part in parts)
            marks = np.concatenate(
                [m if part.marks is None else part.marks for part, m in zip(parts, none, strict=True)]
            )
        symbols, ends = (np.concatenate([getattr(part, name) for part in parts]) for name in ("symbols", "ends"))
        return cls(symbols, offsets_of(lengths), ends, marks)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each word."""
        return np.diff(self.offsets)

    @property
    def positions(self) -> Offsets:
        """Where the n + 1 positions of each word begin; the last entry is the number of all positions."""
        return self.offsets + np.arange(len(self.offsets))

    def word(self, r: int) -> Codes:
        """Codes of word r."""
        return self.symbols[self.offsets[r] : self.offsets[r + 1]]

    def decoded(self) -> EncodedWords:
        """The words themselves; other forms of words have to be decoded first."""
        return self

    def take(self, rows: NDArray[np.int64]) -> EncodedWords:
        """Some of the words, in the order given."""
        starts = np.asarray(self.offsets[rows])
        lengths = self.offsets[rows + 1] - starts
        marks = None if self.marks is None else self.marks[ranges(starts + rows, lengths + 1)]
        return EncodedWords(self.symbols[ranges(starts, lengths)], offsets_of(lengths), self.ends[rows], marks)

    def recode(self, symbols: Codes | None = None, marks: Codes | None = None) -> EncodedWords:
        """The same words in other codes: tables of the new code of each symbol and of each mark along the way."""
        return EncodedWords(
            self.symbols if symbols is None else symbols[self.symbols],
            self.offsets,
            self.ends,
            self.marks if marks is None or self.marks is None else marks[self.marks],
        )

    def evidence(self, masks: Masks, rows: NDArray[np.int64]) -> Masks:
        """States that agree with what was seen of some words of one length, ``[word, position, state]``.

        ``masks[k, s]`` says whether state s agrees with mark k. The mark on a word joins the one at its last position.
        """
        length = int(self.offsets[rows[0] + 1] - self.offsets[rows[0]])
        if self.marks is None:
            seen = np.ones((len(rows), length + 1, masks.shape[1]), dtype=np.bool_)
        else:
            seen = masks[self.marks[(self.offsets[rows] + rows)[:, None] + np.arange(length + 1)]]
        seen[:, -1] &= masks[self.ends[rows]]
        return seen

    def first_equal(self) -> NDArray[np.int64]:
        """Number of the first word that equals each word, also in its marks.

        Equal words are found by a hash and then compared symbol by symbol, so that the answer is exact. Cost: a sort of
        the words, and a few operations per symbol.

        Examples
        --------
        >>> symbols = np.array([1, 2, 1, 1, 2], dtype=np.int32)
        >>> EncodedWords.without_marks(symbols, np.array([0, 2, 3, 5])).first_equal().tolist()
        [0, 1, 0]
        """
        parts = [(self.symbols, self.offsets)]
        if self.marks is not None:
            parts.append((self.marks, self.positions))
        hashes = self.ends.astype(np.uint64)
        for values, offsets in parts:
            hashes = _mixed(hashes + _hashes(values, offsets))
        order = np.argsort(hashes, kind="stable")
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = hashes[order[1:]] != hashes[order[:-1]]
        first = np.empty(len(order), dtype=np.int64)
        first[order] = order[np.flatnonzero(is_new)[np.cumsum(is_new) - 1]]
        again = np.flatnonzero(first != np.arange(len(first)))
        if not _all_equal(self.take(again), self.take(first[again])):
            return self._first_equal_by_bytes()  # two different words of one hash: rare, or contrived
        return first

    def _first_equal_by_bytes(self) -> NDArray[np.int64]:
        """The same answer from a dictionary of words: slower, and free of hashes that could be contrived."""
        seen: dict[tuple[object, ...], int] = {}
        columns = [self.ends.tolist(), _row_bytes(self.symbols, self.offsets)]
        if self.marks is not None:
            columns.append(_row_bytes(self.marks, self.positions))
        return np.array([seen.setdefault(row, r) for r, row in enumerate(zip(*columns, strict=True))], dtype=np.int64)


def offsets_of(lengths: NDArray[Any] | Sequence[int]) -> Offsets:
    """Where each of several runs of entries begins; the last entry is the end of all.

    Examples
    --------
    >>> offsets_of(np.array([3, 0, 2])).tolist()
    [0, 3, 3, 5]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    return offsets


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of several runs of entries, one run after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - ends + lengths, lengths)


def _hashes(values: Codes, offsets: Offsets) -> NDArray[np.uint64]:
    """One number per row: its length plus the sum over its places of a random factor of value and one of place."""
    lengths = np.diff(offsets)
    hashes = lengths.astype(np.uint64)
    of_value = _mixed(np.arange(values.max(initial=0) + 1, dtype=np.uint64))
    of_place = _mixed(~np.arange(lengths.max(initial=0), dtype=np.uint64))
    for rows in _blocks(offsets):
        start, stop = offsets[rows.start], offsets[rows.stop]
        sums = np.zeros(stop - start + 1, dtype=np.uint64)
        place = ranges(np.zeros_like(lengths[rows]), lengths[rows])
        np.cumsum(of_value[values[start:stop]] * of_place[place], out=sums[1:])
        ends = offsets[rows.start : rows.stop + 1] - start
        hashes[rows] += sums[ends[1:]] - sums[ends[:-1]]  # sums wrap around, differences undo it
    return hashes


def _blocks(offsets: Offsets) -> Iterator[slice]:
    """Rows in blocks of about a million values, so that what is computed on the way stays small."""
    bounds = np.searchsorted(offsets, np.arange(0, offsets[-1], BLOCK))
    ends = np.unique(np.append(bounds[bounds < len(offsets) - 1], [0, len(offsets) - 1])).tolist()
    return (slice(i, j) for i, j in pairwise(ends))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look random: the finalizer of SplitMix64."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _all_equal(words: EncodedWords, others: EncodedWords) -> bool:
    """Whether each word equals the other word in its place, also in its marks."""
    pairs = [(getattr(words, field.name), getattr(others, field.name)) for field in fields(words)]
    return all(one is None or np.array_equal(one, other) for one, other in pairs)


def _row_bytes(values: Codes, offsets: Offsets) -> list[bytes]:
    return [values[i:j].tobytes() for i, j in pairwise(offsets.tolist())]
