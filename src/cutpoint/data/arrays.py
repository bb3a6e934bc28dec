"""Arrays of samples: observations picked from one, several samples put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.marks import FIRST_MARKS, Mark
from cutpoint.errors import InvalidSample
from cutpoint.kernels.coding import places

if TYPE_CHECKING:
    from cutpoint.data.alphabet import Alphabet
    from cutpoint.data.sample import Sample


def picked(
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ends: NDArray[np.int32],
    marks: NDArray[np.int32] | None,
    counts: NDArray[np.float64],
) -> dict[str, Any]:
    """Parts of the sample that has only the observations of positive counts."""
    kept = np.flatnonzero(counts > 0.0)
    if not len(kept):
        raise InvalidSample("a sample must hold at least one observation with a positive count; got none.")
    lengths = np.diff(offsets)[kept]
    if marks is not None:
        marks = marks[places(offsets[kept] + kept, lengths + 1)]
    return {
        "symbols": _frozen(symbols[places(offsets[kept], lengths)]),
        "offsets": _frozen(np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)),
        "ends": _frozen(ends[kept]),
        "marks": None if marks is None or not marks.any() else _frozen(marks),
        "counts": _frozen(counts[kept]),
    }


def only_used_marks(marks: NDArray[np.int32], table: tuple[Mark, ...]) -> dict[str, Any]:
    """Marks renumbered so that the table holds the first three and those that occur."""
    used = np.union1d(np.arange(len(FIRST_MARKS)), marks)
    numbers = np.searchsorted(used, marks).astype(np.int32)
    return {"marks": _frozen(numbers), "mark_table": tuple(table[k] for k in used)}


def joined_parts(samples: Sequence[Sample], alphabet: Alphabet) -> tuple[Any, ...]:
    """Parts of all samples one after the other: symbols, offsets, ends, marks, table of marks, counts.

    The alphabet must have the symbols of all samples.
    """
    numbers: dict[Mark, int] = {mark: number for number, mark in enumerate(FIRST_MARKS)}
    marked = any(sample.marks is not None for sample in samples)
    lengths = np.concatenate([sample.lengths for sample in samples])
    return (
        np.concatenate([_codes(sample, alphabet) for sample in samples]),
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate([sample.ends for sample in samples]),
        np.concatenate([_marks(sample, numbers) for sample in samples]) if marked else None,
        tuple(numbers),
        np.concatenate([sample.counts for sample in samples]),
    )


def _codes(sample: Sample, alphabet: Alphabet) -> NDArray[np.int32]:
    table = np.array([alphabet.code(symbol) for symbol in sample.alphabet], dtype=np.int32)
    return table[sample.symbols] if len(table) else sample.symbols


def _marks(sample: Sample, numbers: dict[Mark, int]) -> NDArray[np.int32]:
    """Marks of a sample by a table for all samples, which grows."""
    if sample.marks is None:
        return np.zeros(len(sample.symbols) + len(sample), dtype=np.int32)
    table = [numbers.setdefault(mark, len(numbers)) for mark in sample.mark_table]
    return np.array(table, dtype=np.int32)[sample.marks]


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
