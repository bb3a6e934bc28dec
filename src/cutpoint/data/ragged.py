"""Equal rows of ragged arrays: found by a hash, then compared symbol by symbol, so that the answer is exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.marks import FIRST_MARKS, Mark
from cutpoint.errors import InvalidSample
from cutpoint.kernels.coding import places

if TYPE_CHECKING:
    from cutpoint.data.alphabet import Alphabet
    from cutpoint.data.sample import Sample

Rows = tuple[NDArray[np.int32], NDArray[np.int64]]
"""Values of all rows one after the other, and where each row begins; the last entry is the end."""
BLOCK = 1 << 20
"""Values that are hashed at once."""


def first_equal(parts: list[Rows], labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Number of the first row that equals each row in all parts and in its label.

    Cost: a sort of the rows, and a few operations per value.

    Examples
    --------
    >>> words = np.array([1, 2, 1, 1, 2], dtype=np.int32), np.array([0, 2, 3, 5])
    >>> first_equal([words], np.zeros(3, dtype=np.int32)).tolist()
    [0, 1, 0]
    """
    hashes = labels.astype(np.uint64)
    for part in parts:
        hashes = _mixed(hashes + _hashes(*part))
    order = np.argsort(hashes, kind="stable")
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = hashes[order[1:]] != hashes[order[:-1]]
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[np.flatnonzero(is_new)[np.cumsum(is_new) - 1]]
    again = np.flatnonzero(first != np.arange(len(first)))
    if (labels[again] != labels[first[again]]).any() or not all(_all_equal(*p, again, first[again]) for p in parts):
        return _first_equal_by_bytes(parts, labels)  # two different rows of one hash: rare, or contrived
    return first


def _hashes(values: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """One number per row: its length plus the sum over its places of a random factor of value and one of place."""
    lengths = np.diff(offsets)
    hashes = lengths.astype(np.uint64)
    of_value = _mixed(np.arange(values.max(initial=0) + 1, dtype=np.uint64))
    of_place = _mixed(~np.arange(lengths.max(initial=0), dtype=np.uint64))
    for rows in _blocks(offsets):
        start, stop = offsets[rows.start], offsets[rows.stop]
        sums = np.zeros(stop - start + 1, dtype=np.uint64)
        place = places(np.zeros_like(lengths[rows]), lengths[rows])
        np.cumsum(of_value[values[start:stop]] * of_place[place], out=sums[1:])
        ends = offsets[rows.start : rows.stop + 1] - start
        hashes[rows] += sums[ends[1:]] - sums[ends[:-1]]  # sums wrap around, differences undo it
    return hashes


def _blocks(offsets: NDArray[np.int64]) -> Iterator[slice]:
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


def _all_equal(values: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[Any], others: NDArray[Any]) -> bool:
    """Whether each of some rows equals the other row it is paired with."""
    lengths = np.diff(offsets)
    if (lengths[rows] != lengths[others]).any():
        return False
    here, there = (values[places(offsets[:-1][chosen], lengths[chosen])] for chosen in (rows, others))
    return bool((here == there).all())


def _first_equal_by_bytes(parts: list[Rows], labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """The same answer from a dictionary of rows: slower, and free of hashes that could be contrived."""
    seen: dict[tuple[object, ...], int] = {}
    rows = zip(
        *([values[i:j].tobytes() for i, j in pairwise(offsets.tolist())] for values, offsets in parts), strict=True
    )
    return np.array(
        [seen.setdefault((label, *row), r) for r, (label, row) in enumerate(zip(labels.tolist(), rows, strict=True))],
        dtype=np.int64,
    )


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
