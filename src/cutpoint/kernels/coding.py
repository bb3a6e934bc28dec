"""Front-coded words: each by the steps that it does not share with the word before, which are the nodes of a tree.

The steps of a word are its beginning and its symbols, each with the mark that was seen there. Words stand in
lexicographic order of their steps, in blocks; the first word of a block shares nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels.words import Codes, EncodedWords, Offsets, WordArrays, offsets_of, ranges

BLOCK_NODES = 8192
"""Nodes after which a block takes no further word, here and in ``native/kernels.hpp``."""

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
