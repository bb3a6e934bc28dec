"""Ragged words as one value, in two storages: codes of all symbols, or each word by what it adds to the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Masks = NDArray[np.bool_]

BLOCK = 1 << 20  # values that are hashed at once


@dataclass(frozen=True, eq=False)
class WordArrays:
    """What all forms of words have in common: read-only arrays, and the prefix tree that belongs to them."""

    def __post_init__(self) -> None:
        """Freeze the arrays; those that a message from another process put at an odd address are copied."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                aligned = np.require(value, requirements="A")
                aligned.setflags(write=False)
                object.__setattr__(self, name, aligned)

    def prefix_tree(self, make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Prefix tree of the words as the compiled kernels make it; made once and kept with the words."""
        if "_tree" not in self.__dict__:
            self.__dict__.setdefault("_tree", make())  # threads that come at once make it twice, and keep the first
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
    def single(cls, codes: NDArray[np.int32]) -> Self:
        """One word without marks."""
        return cls.without_marks(codes, np.array([0, len(codes)], dtype=np.int64))

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

    def reversed(self) -> EncodedWords:
        """Each word from its last symbol to its first; marks stay at their positions."""
        starts = np.repeat(self.offsets[:-1] + self.offsets[1:] - 1, self.lengths)
        return replace(self, symbols=self.symbols[starts - np.arange(len(self.symbols))])

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

    def nothing_seen(self, masks: Masks) -> NDArray[np.bool_]:
        """Whether nothing at all was seen of the run of each word."""
        agree = np.asarray(masks.all(axis=1))
        if self.marks is None:
            return agree[self.ends]
        return agree[self.ends] & np.logical_and.reduceat(agree[self.marks], self.positions[:-1])

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
        hashes = self.ends.astype(np.uint64)
        for values, offsets in self._rows():
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

    def _rows(self) -> list[tuple[Codes, Offsets]]:
        """Symbols of all words, and marks if there are any, each with the place where those of a word begin."""
        return [(self.symbols, self.offsets)] + ([] if self.marks is None else [(self.marks, self.positions)])

    def _first_equal_by_bytes(self) -> NDArray[np.int64]:
        """The same answer from a dictionary of words: slower, and free of hashes that could be contrived."""
        seen: dict[tuple[object, ...], int] = {}
        rows = ([values[i:j].tobytes() for i, j in pairwise(offsets.tolist())] for values, offsets in self._rows())
        columns = self.ends.tolist(), *rows
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


BLOCK_NODES = 8192  # nodes after which a block takes no further word, here and in ``native/kernels.hpp``

LONGEST = 2**14 - 1
"""Symbols of the longest word that is coded; longer ones are no part of a tree, here and in ``native/kernels.hpp``."""


@dataclass(frozen=True, eq=False)
class FrontCodedWords(WordArrays):
    """Words, front-coded: a fraction of the memory of :class:`EncodedWords`, which they can be decoded to.

    Attributes
    ----------
    codes : of the nodes: 0 for the beginning of a word, otherwise the symbol and 1.
    shared, lengths : of each word, the number of steps that it shares with the word before, and of its symbols.
    block_words : first word of each block, and last the number of words.
    ends : mark on each word as a whole, 0 if nothing is known.
    marks : of the nodes, or None.
    whole_tree : whether the prefix tree is made whole and kept, or block by block whenever the kernels go through it,
        which takes no memory.

    Notes
    -----
    Codes, shared and lengths have one, two or four bytes. A shard is loaded again in every step, and most of that would
    go into new memory for wider ones.
    """

    codes: NDArray[Any]
    shared: NDArray[Any]
    lengths: NDArray[Any]
    block_words: Offsets
    ends: Codes
    marks: Codes | None = None
    whole_tree: bool = True

    @classmethod
    def of(cls, words: EncodedWords) -> FrontCodedWords:
        """Code words that stand in lexicographic order of their steps, none longer than ``LONGEST``."""
        lengths = words.lengths.astype(np.int32)
        shared = _shared_steps(words, lengths)
        starts = _block_starts(lengths + 1, shared)
        shared[starts[:-1]] = 0
        nodes = ranges(words.positions[:-1] + shared, lengths + 1 - shared)
        codes = np.insert(words.symbols + 1, words.offsets[:-1], 0)[nodes]
        seen = None if words.marks is None else words.marks[nodes]
        return cls(narrow(codes), narrow(shared), narrow(lengths), starts, words.ends, seen)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def firsts(self) -> Offsets:
        """First node of each word, and last the number of nodes."""
        return offsets_of(self.lengths.astype(np.int64) + 1 - self.shared)

    @property
    def block_nodes(self) -> Offsets:
        """First node of each block, and last the number of nodes."""
        starts = self.block_words[:-1]
        lengths, shared = (np.add.reduceat(each, starts, dtype=np.int64) for each in (self.lengths, self.shared))
        return offsets_of(lengths - shared + np.diff(self.block_words))

    def decoded(self) -> EncodedWords:
        """The words as ragged arrays.

        A step that a word shares is the node of the last word before it that has a node at this depth.
        """
        shared, lengths = self.shared.astype(np.int64), self.lengths.astype(np.int64)
        own, offsets = self.firsts[:-1] - shared, offsets_of(lengths + 1)
        nodes = np.empty(offsets[-1], dtype=np.int64)
        rows, depth = np.arange(len(lengths)), 0
        while len(rows):
            found = np.where(shared[rows] <= depth, own[rows] + depth, 0)
            nodes[offsets[rows] + depth] = np.maximum.accumulate(found)
            depth += 1
            rows = rows[lengths[rows] >= depth]
        symbols = np.delete(self.codes[nodes], offsets[:-1]).astype(np.int32) - 1
        marks = None if self.marks is None else self.marks[nodes]
        return EncodedWords(symbols, offsets - np.arange(len(offsets)), self.ends, marks)

    def fits(self, n_symbols: int, n_marks: int) -> bool:
        """Whether these are words over so many symbols and marks, as the kernels rely on."""
        return self._has_blocks() and self._shares_rightly() and self._has_nodes(n_symbols, n_marks)

    def _has_blocks(self) -> bool:
        """Whether every word is in a block that begins with a word of its own."""
        starts, words = self.block_words, len(self.lengths)
        return (
            len(starts) > 1
            and len(self.shared) == words
            and within(starts, words + 1)  # differences of numbers out of all bounds wrap around
            and bool(starts[0] == 0 and starts[-1] == words and (np.diff(starts) > 0).all())
            and not self.shared[starts[:-1]].any()
        )

    def _shares_rightly(self) -> bool:
        """Whether words are short, and share steps that the word before has; all of them only if they are this word."""
        shared, lengths = self.shared, self.lengths
        if lengths.min() < 0 or lengths.max() > LONGEST or shared.min() < 0 or shared.max() > LONGEST + 1:
            return False
        symbols = np.maximum(shared[1:], 1) - 1
        same = shared[1:] > lengths[1:]
        return bool((symbols <= np.minimum(lengths[1:], lengths[:-1])).all()) and np.array_equal(
            lengths[1:][same], lengths[:-1][same]
        )

    def _has_nodes(self, n_symbols: int, n_marks: int) -> bool:
        """Whether there are codes and marks for all steps that are not shared, 0 at beginnings alone."""
        codes, block_nodes = self.codes, self.block_nodes
        begins = len(self.shared) - int(np.count_nonzero(self.shared))
        only_blocks = begins == len(block_nodes) - 1
        return (
            len(codes) == block_nodes[-1]
            and bool(np.diff(block_nodes).max() <= BLOCK_NODES + LONGEST)
            and int(np.count_nonzero(codes)) == len(codes) - begins
            and not codes[block_nodes[:-1] if only_blocks else self.firsts[:-1][self.shared == 0]].any()
            and within(codes, n_symbols + 1)
            and (self.marks is None or (len(self.marks) == len(codes) and within(self.marks, n_marks)))
        )


def narrow(codes: NDArray[Any]) -> NDArray[Any]:
    """Non-negative codes in the smallest type out of one, two, four or eight bytes."""
    most = int(codes.max(initial=0))
    return codes.astype(next((k for k in (np.uint8, np.uint16, np.int32) if most <= np.iinfo(k).max), np.int64))


def _shared_steps(words: EncodedWords, lengths: Codes) -> Codes:
    """Number of steps that each word shares with the word before."""
    symbols, offsets, marks = words.symbols, words.offsets, words.marks
    shared, rows, depth = np.zeros(len(lengths), dtype=np.int32), np.arange(1, len(lengths)), 0
    while len(rows):
        alike = np.ones(len(rows), dtype=np.bool_)
        if depth:
            alike = symbols[offsets[rows] + depth - 1] == symbols[offsets[rows - 1] + depth - 1]
        if marks is not None:
            alike &= marks[offsets[rows] + rows + depth] == marks[offsets[rows - 1] + rows - 1 + depth]
        rows, depth = rows[alike], depth + 1
        shared[rows] = depth
        rows = rows[np.minimum(lengths[rows], lengths[rows - 1]) >= depth]
    return shared


def _block_starts(steps: Codes, shared: Codes) -> Offsets:
    """First word of each block, and last the number of words."""
    ends = np.cumsum(steps - shared, dtype=np.int64)
    starts = [0]
    while starts[-1] < len(steps):
        first = starts[-1]
        begun = ends[first] - steps[first]  # nodes before the block, were the first word's steps all its own
        starts.append(min(first + int(np.searchsorted(ends[first:], begun + BLOCK_NODES)) + 1, len(steps)))
    return np.array(starts, dtype=np.int64)


def within(codes: NDArray[Any], size: int) -> bool:
    """Whether all codes are out of 0 … size - 1."""
    return not len(codes) or (int(codes.min()) >= 0 and int(codes.max()) < size)
