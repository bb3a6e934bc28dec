"""Shard files: observations sorted, so that equal beginnings stand together, in few bytes and with a digest."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.parts import clothed
from cutpoint.data.paths import content_of
from cutpoint.data.sample import Sample
from cutpoint.data.shards import Head, Size
from cutpoint.data.storage import Arrays
from cutpoint.errors import InvalidFile

MAGIC = b"cutpoint shard 1\n"
KINDS = ("|u1", "<u2", "<i4", "<i8", "<f8")
"""Kinds of numbers in a file."""
NARROW = (np.uint8, np.uint16, np.int32)
"""Types for codes, the smallest that holds them all is taken."""


@dataclass(frozen=True)
class Packed:
    """A shard file: its path, its SHA-256 as the manifest has it, and how much it holds."""

    name: str
    checksum: str
    size: Size

    def load(self, head: Head) -> Sample:
        """Observations of the file, if it is the file that the manifest speaks of."""
        content = content_of(self.name)
        found = hashlib.sha256(content).hexdigest()
        if found != self.checksum:
            raise InvalidFile(
                f"{self.name}: the shard is not the one that was written: its SHA-256 is {found}, the manifest says "
                f"{self.checksum}. Use another copy, or write the shards again."
            )
        return _sample(_arrays_in(content), head, self)


def order_of(sample: Sample) -> NDArray[np.int64]:
    """Order of the observations by their words; a word comes after its beginnings."""
    keys = keys_of(sample)
    return np.array(sorted(range(len(sample)), key=keys.__getitem__), dtype=np.int64)


def keys_of(sample: Sample) -> list[bytes]:
    """Bytes of each word that sort as its codes do."""
    width = next(k for k in (1, 2, 4) if len(sample.alphabet) <= 256**k)
    content = sample.symbols.astype(f">u{width}").tobytes()
    return [content[i:j] for i, j in pairwise((sample.offsets * width).tolist())]


def arrays_of(sample: Sample, order: NDArray[np.int64]) -> Arrays:
    """Arrays of the observations in an order, each in the smallest type that holds it."""
    lengths = sample.lengths[order]
    starts = sample.offsets[:-1][order]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    arrays: Arrays = {
        "symbols": narrow(sample.symbols[np.repeat(starts, lengths) + within]),
        "lengths": narrow(lengths),
        "ends": narrow(sample.ends[order]),
        "counts": _narrow_counts(sample.counts[order]),
        "shape": np.array([len(sample.alphabet), len(sample.mark_table)]),
    }
    if sample.marks is not None:
        more = lengths + 1
        ends = np.cumsum(more)
        within = np.arange(ends[-1]) - np.repeat(ends - more, more)
        arrays["marks"] = narrow(sample.marks[np.repeat(starts + order, more) + within])
    return arrays


def parts_of(arrays: Arrays) -> dict[str, Any]:
    """Arrays of a sample from those of :func:`arrays_of`."""
    return {
        "symbols": arrays["symbols"].astype(np.int32),
        "offsets": np.concatenate(([0], np.cumsum(arrays["lengths"].astype(np.int64)))),
        "ends": arrays["ends"].astype(np.int32),
        "marks": arrays["marks"].astype(np.int32) if "marks" in arrays else None,
        "counts": arrays["counts"].astype(np.float64),
    }


def file_of(arrays: Arrays) -> tuple[bytes, str]:
    """Content of a shard file and its SHA-256: what it is, a line of JSON with kinds and lengths, then the arrays.

    Not NumPy's own format, whose header goes through Python's parser: that fails in threads up to Python 3.12.
    """
    plain = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    head = json.dumps({name: [array.dtype.str, len(array)] for name, array in plain.items()}).encode()
    content = b"".join((MAGIC, head, b"\n", *(array.tobytes() for array in plain.values())))
    return content, hashlib.sha256(content).hexdigest()


def _arrays_in(content: bytes) -> Arrays:
    """Arrays of a file; none if it is not a shard."""
    end = content.find(b"\n", len(MAGIC))
    if not content.startswith(MAGIC) or end < 0:
        return {}
    arrays: Arrays = {}
    try:
        place = end + 1
        for name, (kind, length) in json.loads(content[len(MAGIC) : end]).items():
            if kind not in KINDS:
                return {}
            arrays[name] = np.frombuffer(content, dtype=kind, count=length, offset=place)
            place += arrays[name].nbytes
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
    return arrays if place == len(content) else {}


def narrow(codes: NDArray[Any]) -> NDArray[Any]:
    """Non-negative codes in the smallest type."""
    most = int(codes.max(initial=0))
    return codes.astype(next((kind for kind in NARROW if most <= np.iinfo(kind).max), np.int64))


def _narrow_counts(counts: NDArray[np.float64]) -> NDArray[Any]:
    """Counts that are small whole numbers as such, others as they are."""
    whole = (counts == np.floor(counts)).all() and counts.max(initial=0.0) < 2**31
    return narrow(counts) if whole else counts


def _sample(arrays: Arrays, head: Head, shard: Packed) -> Sample:
    """Sample of a file's arrays, after every check that the kernels rely on."""
    try:
        parts = parts_of(arrays)
        symbols, marks, counts = parts["symbols"], parts["marks"], parts["counts"]
        lengths = np.diff(parts["offsets"])
        fits = (
            arrays["shape"].tolist() == [len(head.alphabet), len(head.mark_table)]
            and {array.ndim for array in arrays.values()} == {1}
            and len(lengths) == len(parts["ends"]) == len(counts) == shard.size.distinct
            and int(parts["offsets"][-1]) == len(symbols) == shard.size.symbols
            and bool((lengths >= 0).all() and (counts > 0.0).all() and np.isfinite(counts).all())
            and _within(symbols, len(head.alphabet))
            and _within(parts["ends"], 3)
            and (marks is None or (_within(marks, len(head.mark_table)) and len(marks) == len(symbols) + len(counts)))
        )
    except (KeyError, ValueError, TypeError):
        fits = False
    if not fits:
        raise InvalidFile(
            f"{shard.name}: the shard does not fit its manifest (another alphabet, or another number of observations). "
            "Shards of one sample are written together: write them again."
        )
    return clothed(parts, head.alphabet, head.mark_table)


def _within(codes: NDArray[np.int32], size: int) -> bool:
    return not len(codes) or (int(codes.min()) >= 0 and int(codes.max()) < size)
