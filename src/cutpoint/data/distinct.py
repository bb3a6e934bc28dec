"""Equal rows of ragged arrays: found by a hash, then compared symbol by symbol, so that the answer is exact."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.kernels.coding import places

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
