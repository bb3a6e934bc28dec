"""A sample of front-coded words, as shard files have them: the words are spelled out only where they are asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.alphabet import Alphabet
from cutpoint.data.marks import Mark
from cutpoint.data.parts import clothed
from cutpoint.data.sample import Sample
from cutpoint.kernels import kernels
from cutpoint.kernels.coding import CodedWords

Spelled = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32] | None]


class CodedSample(Sample):
    """Distinct observations as they stand in a shard; learning needs ``coded``, ``ends`` and ``counts`` alone."""

    coded: CodedWords

    def __init__(
        self,
        coded: CodedWords,
        ends: NDArray[np.int32],
        counts: NDArray[np.float64],
        alphabet: Alphabet,
        table: tuple[Mark, ...],
    ) -> None:
        self.__dict__.update(coded=coded, ends=ends, counts=counts, alphabet=alphabet, mark_table=table)

    def __reduce__(self) -> tuple[Any, ...]:
        return CodedSample, (self.coded, self.ends, self.counts, self.alphabet, self.mark_table)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each distinct observation."""
        return self.coded.lengths.astype(np.int64)

    def spelled(self) -> Sample:
        """The same observations with their words spelled out, which this sample does not keep."""
        symbols, offsets, marks = self.coded.spelled()
        parts = {"symbols": symbols, "offsets": offsets, "ends": self.ends, "marks": marks, "counts": self.counts}
        return clothed(parts, self.alphabet, self.mark_table)

    @cached_property
    def _spelled(self) -> Spelled:
        words = self.spelled()
        return words.symbols, words.offsets, words.marks

    @property
    def symbols(self) -> NDArray[np.int32]:  # type: ignore[override]
        """Codes of all words, one after the other."""
        return self._spelled[0]

    @property
    def offsets(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Where each word begins."""
        return self._spelled[1]

    @property
    def marks(self) -> NDArray[np.int32] | None:  # type: ignore[override]
        """Marks at all positions."""
        return None if self.coded.marks is None else self._spelled[2]

    @cached_property
    def tree(self) -> object:
        """Prefix tree of the observations, as the kernels want it; made once."""
        return kernels().coded_tree(self.coded, len(self.alphabet), whole=True)

    @property
    def passing_tree(self) -> object:
        """Prefix tree that takes no memory: its blocks are made whenever the kernels go through them."""
        return kernels().coded_tree(self.coded, len(self.alphabet), whole=False)
