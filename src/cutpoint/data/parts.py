"""Samples as bare arrays: sent to other processes, drawn from, put together, nothing merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.alphabet import Alphabet
from cutpoint.data.arrays import picked
from cutpoint.data.marks import Mark
from cutpoint.data.sample import Sample

NAMES = ("symbols", "offsets", "ends", "marks", "counts")
"""Arrays of a sample."""


def bare(sample: Sample) -> dict[str, Any]:
    """Arrays of a sample by their names, to be sent to another process."""
    return {name: getattr(sample, name) for name in NAMES}


def clothed(parts: Mapping[str, Any], alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
    """Sample of arrays as they are: nothing is merged, no mark renumbered."""
    for part in parts.values():
        if part is not None:
            part.setflags(write=False)
    sample = Sample.__new__(Sample)
    sample.__dict__.update(parts, alphabet=alphabet, mark_table=table)
    return sample


def drawn(sample: Sample, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Arrays of some of the observations."""
    counts = np.zeros(len(sample))
    counts[rows] = sample.counts[rows]
    return picked(sample.symbols, sample.offsets, sample.ends, sample.marks, counts)


def one_after_the_other(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Arrays of samples of one alphabet and one table of marks put together; equal observations are not merged."""
    lengths = np.concatenate([np.diff(part["offsets"]) for part in parts])
    marks = None
    if any(part["marks"] is not None for part in parts):
        marks = np.concatenate([_marks(part) for part in parts])
    together = {name: np.concatenate([part[name] for part in parts]) for name in ("symbols", "ends", "counts")}
    return together | {"offsets": np.concatenate(([0], np.cumsum(lengths))), "marks": marks}


def _marks(part: Mapping[str, Any]) -> NDArray[np.int32]:
    found: NDArray[np.int32] | None = part["marks"]
    return np.zeros(len(part["symbols"]) + len(part["ends"]), dtype=np.int32) if found is None else found
