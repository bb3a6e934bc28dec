"""Labels: what can be seen of a state, and which states agree with it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.wording import listed

Kinds = NDArray[np.int32]
"""Label of each state."""


@dataclass(frozen=True, eq=False)
class Labelling:
    """Every state carries one of some labels, which is what marks show of it: accepted or not, or a class.

    Attributes
    ----------
    names : the labels.
    of_mark : label shown by each mark of the sample; -1 for the mark that shows nothing.
    """

    names: tuple[Hashable, ...]
    of_mark: NDArray[np.int32]

    @classmethod
    def verdicts(cls, sample: Sample) -> Labelling:
        """Labels rejected and accepted; both must have been seen."""
        return cls._checked(sample, (False, True), [mark.verdict for mark in sample.mark_table])

    @classmethod
    def classes(cls, sample: Sample, names: Sequence[Hashable]) -> Labelling:
        """Classes as labels, in a sample whose seen "states" are classes."""
        if len(set(names)) < len(names):
            raise InvalidArgument(f"classes must be distinct; got {listed(names)}.")
        shown: list[Hashable] = []
        for mark in sample.mark_table:
            if mark.states is not None and (len(mark.states) > 1 or not mark.states <= set(names)):
                raise InvalidArgument(
                    f"what was seen must be one of the classes {listed(names)}; got {listed(mark.states)}."
                )
            if mark.verdict is not None and mark not in FIRST_MARKS:
                raise InvalidArgument("a sample of classes cannot hold verdicts at the same positions.")
            shown.append(None if mark.states is None else next(iter(mark.states)))
        if sample.ends.any():
            raise InvalidArgument("a sample of classes cannot hold verdicts; give the class as the last state instead.")
        return cls._checked(sample, tuple(names), shown)

    @classmethod
    def _checked(cls, sample: Sample, names: tuple[Hashable, ...], shown: list[Hashable]) -> Labelling:
        codes = {name: code for code, name in enumerate(names)}
        labelling = cls(names, np.array([-1 if name is None else codes[name] for name in shown], dtype=np.int32))
        seen = np.flatnonzero(labelling.totals(sample) > 0.0)
        if len(seen) < 2:
            found = f"only {listed(names[k] for k in seen)} was seen" if len(seen) else "no label was seen"
            raise InvalidSample(
                f"learning needs observations of at least two labels, such as accepted and rejected words; {found}. "
                "A rule that always gives the same answer needs no learning."
            )
        return labelling

    def masks(self, kinds: Kinds) -> NDArray[np.bool_]:
        """States that agree with each mark, ``[mark, s]``, where ``kinds`` are the labels of the states."""
        return np.asarray((self.of_mark[:, None] == -1) | (self.of_mark[:, None] == kinds))

    def positions(self, sample: Sample) -> NDArray[np.int32]:
        """Label seen at positions 0 … n of each word, -1 where nothing was."""
        ends = sample.offsets[1:] + np.arange(len(sample))
        labels = np.full(len(sample.symbols) + len(sample), -1, dtype=np.int32)
        if sample.marks is not None:
            labels[:] = self.of_mark[sample.marks]
        at_end = self.of_mark[sample.ends]
        labels[ends] = np.where(at_end >= 0, at_end, labels[ends])
        return labels

    def totals(self, sample: Sample) -> NDArray[np.float64]:
        """How often each label was seen."""
        labels = self.positions(sample)
        weights = np.repeat(sample.counts, sample.lengths + 1)
        sums = np.bincount(labels[labels >= 0], weights[labels >= 0], minlength=len(self.names))
        return sums.astype(np.float64)

    def spread(self, n_states: int, n_final: int | None = None) -> Kinds:
        """Labels dealt out to states in turn; or, with ``n_final``, so many of the last label."""
        if n_final is None:
            return np.arange(n_states, dtype=np.int32) % len(self.names)
        return (np.arange(n_states) >= n_states - n_final).astype(np.int32)
