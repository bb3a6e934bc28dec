"""Shards: a sample in parts that are loaded one by one, where they are needed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cutpoint.data.alphabet import Alphabet
from cutpoint.data.marks import FIRST_MARKS, Mark
from cutpoint.data.sample import Sample
from cutpoint.errors import InvalidSample
from cutpoint.wording import counted

PER_OBSERVATION = 8 + 4 + 8 + 12
"""Bytes in memory of a count, a verdict, what tells a word, and an end in the tree."""

PER_EDGE = 8
"""Bytes in memory of an edge of the prefix tree; twelve where marks are seen along the way."""


@dataclass(frozen=True)
class Head:
    """What all shards of a sample share: the alphabet, and what their marks mean."""

    alphabet: Alphabet
    mark_table: tuple[Mark, ...] = FIRST_MARKS


@dataclass(frozen=True)
class Size:
    """How much a shard holds.

    ``edges`` are those of its prefix tree, 0 if they were not counted; ``coded`` says that each word is held as what it
    adds to the word before, not spelled out.
    """

    total: float
    distinct: int
    symbols: int
    edges: int = 0
    marked: bool = False
    coded: bool = False

    @property
    def memory(self) -> int:
        """Bytes that a loaded shard takes, with its prefix tree."""
        edges = self.edges or self.symbols + self.distinct
        held = edges if self.coded else self.symbols + self.distinct
        each, along = PER_OBSERVATION * self.distinct, 4 * (edges + held) if self.marked else 0
        return each + PER_EDGE * edges + (1 if self.coded else 4) * held + along


class Shard(Protocol):
    """One part of a sample: where it is, the checksum of its content, how much it holds, how to load it."""

    @property
    def name(self) -> str:
        """Name for messages."""

    @property
    def checksum(self) -> str:
        """SHA-256 of the content."""

    @property
    def size(self) -> Size:
        """How much it holds."""

    def load(self, head: Head) -> Sample:
        """Observations of the shard; what does not match the checksum is refused."""


@dataclass(frozen=True)
class Shards:
    """A sample in shards; what is asked of them all is added in a fixed order, whoever does the work."""

    head: Head
    parts: tuple[Shard, ...]
    has_evidence: bool

    def __post_init__(self) -> None:
        """Refuse a sample of nothing."""
        if not self.parts:
            raise InvalidSample("a sample in shards must have at least one shard; got none.")
        for part in self.parts:
            if part.size.distinct < 1 or not part.size.total > 0.0:
                raise InvalidSample(f"{part.name}: a shard must hold at least one observation; this one is empty.")

    @property
    def alphabet(self) -> Alphabet:
        """The symbols."""
        return self.head.alphabet

    @property
    def mark_table(self) -> tuple[Mark, ...]:
        """What was seen at single positions, as in a :class:`Sample`."""
        return self.head.mark_table

    @property
    def total(self) -> float:
        """Sum of all counts: the N of the paper."""
        return float(np.sum([part.size.total for part in self.parts]))

    @property
    def memory(self) -> int:
        """Bytes that all shards take when they are loaded."""
        return sum(part.size.memory for part in self.parts)

    @property
    def digest(self) -> str:
        """Digest of the content of all shards, in their order."""
        return hashlib.sha256("".join(part.checksum for part in self.parts).encode()).hexdigest()

    def __len__(self) -> int:
        """Count the distinct observations of each shard."""
        return sum(part.size.distinct for part in self.parts)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self.parts), 'shard')}, {counted(self.total, 'observation')}, "
            f"{len(self)} distinct, {counted(len(self.alphabet), 'symbol')})"
        )


@dataclass(frozen=True)
class Held:
    """A sample in memory as a shard: it travels with the task that loads it."""

    sample: Sample
    name: str = "the sample in memory"

    @property
    def checksum(self) -> str:
        """SHA-256 of the arrays."""
        sample = self.sample
        found = hashlib.sha256(repr([*sample.alphabet]).encode())
        for array in (sample.symbols, sample.offsets, sample.ends, sample.marks, sample.counts):
            found.update(b"none" if array is None else array.tobytes())
        return found.hexdigest()

    @property
    def size(self) -> Size:
        """How much it holds."""
        sample = self.sample
        return Size(sample.total, len(sample), len(sample.symbols), 0, sample.marks is not None)

    def load(self, head: Head) -> Sample:
        """The sample itself."""
        return self.sample


def held(sample: Sample) -> Shards:
    """A sample in memory as a single shard."""
    return Shards(Head(sample.alphabet, sample.mark_table), (Held(sample),), sample.has_evidence)
