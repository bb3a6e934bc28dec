"""Shard files: observations sorted, so that each is told by what it adds to the one before, with a digest."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.sample import Sample
from cutpoint.data.storage import Arrays, Stamp, stamped_content
from cutpoint.em.shards import Head, Size
from cutpoint.errors import InvalidFile
from cutpoint.kernels.coding import LONGEST, FrontCodedWords, narrow, within
from cutpoint.kernels.words import EncodedWords, offsets_of

MAGIC = b"cutpoint shard 1\n"
KINDS = ("|u1", "<u2", "<i4", "<i8", "<f8")
"""Kinds of numbers in a file."""
NARROW = ("codes", "shared", "lengths")
"""Arrays of coded words that stay as they are in a file, of at most four bytes."""


@dataclass(frozen=True)
class Packed:
    """A shard file: its path, its SHA-256 as the manifest has it, and how much it holds."""

    name: str
    checksum: str
    size: Size

    def load(self, head: Head) -> Sample:
        """Observations of the file, if it is the file that the manifest speaks of.

        All of it is checked when it is first loaded, and again when the file was touched since.
        """
        content, stamp = stamped_content(self.name)
        key = self, len(head.alphabet), len(head.mark_table)
        if stamp is not None and _CHECKED.get(key) == stamp:
            return _sample(_arrays_in(content), head)
        found = hashlib.sha256(content).hexdigest()
        if found != self.checksum:
            raise InvalidFile(
                f"{self.name}: the shard is not the one that was written: its SHA-256 is {found}, the manifest says "
                f"{self.checksum}. Use another copy, or write the shards again."
            )
        arrays = _arrays_in(content)
        if not _is_whole(arrays, head, self.size) or not _fits(sample := _sample(arrays, head), self.size):
            raise InvalidFile(
                f"{self.name}: the shard does not fit its manifest (another alphabet, or another number of "
                "observations). Shards of one sample are written together: write them again."
            )
        if stamp is not None:
            _CHECKED[key] = stamp
        return sample


_CHECKED: dict[tuple[Packed, int, int], Stamp] = {}
"""Stamps of the files that were found to be right."""


def order_of(sample: Sample, by_steps: bool = False) -> NDArray[np.int64]:
    """Order of the observations by their words, or by words with marks; a word comes after its beginnings."""
    marks = sample.marks if by_steps else None
    keys = _keys(sample.symbols, sample.offsets) if marks is None else _step_keys(sample, marks)
    return np.array(sorted(range(len(sample)), key=keys.__getitem__), dtype=np.int64)


def arrays_of(sample: Sample) -> Arrays:
    """Arrays of a file: front-coded words, or plain ones if one is too long for that; all in their smallest types."""
    sample = sample.take(order_of(sample, by_steps=True))
    arrays: Arrays = {
        "ends": narrow(sample.ends),
        "counts": _narrow_counts(sample.counts),
        "shape": np.array([len(sample.alphabet), len(sample.mark_table)]),
    }
    if sample.lengths.max() > LONGEST:
        words: dict[str, NDArray[Any] | None] = {
            "symbols": sample.symbols,
            "lengths": sample.lengths,
            "marks": sample.marks,
        }
    else:
        coded = FrontCodedWords.of(sample.decoded)
        words = {name: getattr(coded, name) for name in ("codes", "shared", "lengths", "block_words", "marks")}
    return arrays | {name: narrow(array) for name, array in words.items() if array is not None}


def file_of(arrays: Arrays) -> tuple[bytes, str]:
    """Content of a shard file and its SHA-256: what it is, a line of JSON with kinds and lengths, then the arrays.

    Not NumPy's own format, whose header goes through Python's parser: that fails in threads up to Python 3.12.
    """
    plain = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    head = json.dumps({name: [array.dtype.str, len(array)] for name, array in plain.items()}).encode()
    content = b"".join((MAGIC, head, b"\n", *(array.tobytes() for array in plain.values())))
    return content, hashlib.sha256(content).hexdigest()


def _keys(symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[bytes]:
    """Bytes of each word that sort as its codes do."""
    width = next(k for k in (1, 2, 4) if symbols.max(initial=0) < 256**k)
    content = symbols.astype(f">u{width}").tobytes()
    return [content[i:j] for i, j in pairwise((offsets * width).tolist())]


def _step_keys(sample: Sample, marks: NDArray[np.int32]) -> list[bytes]:
    """Bytes of each word that sort as its steps do: the first mark, then pairs of symbol and mark."""
    steps = np.empty(2 * len(marks), dtype=np.int32)
    steps[0::2] = np.insert(sample.symbols, sample.offsets[:-1], 0)
    steps[1::2] = marks
    return _keys(steps, 2 * sample.decoded.positions)


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


def _narrow_counts(counts: NDArray[np.float64]) -> NDArray[Any]:
    """Counts that are small whole numbers as such, others as they are."""
    whole = (counts == np.floor(counts)).all() and counts.max(initial=0.0) < 2**31
    return narrow(counts) if whole else counts


def _is_whole(arrays: Arrays, head: Head, size: Size) -> bool:
    """Whether a file has all its arrays, and as many observations as the manifest says, over the same alphabet."""
    names = arrays.keys() - {"marks"}
    words = {"codes", "shared", "lengths", "block_words"} if "codes" in names else {"symbols", "lengths"}
    if names != words | {"ends", "counts", "shape"}:
        return False
    ends, counts = arrays["ends"], arrays["counts"]
    return (
        arrays["shape"].tolist() == [len(head.alphabet), len(head.mark_table)]
        and all(array.dtype.kind in "iu" for name, array in arrays.items() if name != "counts")
        and len(arrays["lengths"]) == len(ends) == len(counts) == size.distinct
        and all(arrays[name].dtype.itemsize <= 4 for name in words & {*NARROW} if "codes" in words)
        and int(arrays["lengths"].sum(dtype=np.int64)) == size.symbols
        and bool((counts > 0.0).all() and np.isfinite(counts).all())
        and math.isclose(float(counts.sum(dtype=np.float64)), size.total, rel_tol=1e-9)
        and len(arrays.get("codes", ())) == size.edges
        and within(ends, 3)
    )


def _sample(arrays: Arrays, head: Head) -> Sample:
    """Sample of a file's arrays."""
    ends, counts = arrays["ends"].astype(np.int32), arrays["counts"].astype(np.float64)
    marks = arrays["marks"].astype(np.int32) if "marks" in arrays else None
    if "codes" in arrays:
        codes, shared, lengths = (np.require(arrays[name], requirements="A") for name in NARROW)
        coded = FrontCodedWords(codes, shared, lengths, arrays["block_words"].astype(np.int64), ends, marks)
        return Sample.from_encoded(coded, counts, head.alphabet, head.mark_table)
    words = EncodedWords(arrays["symbols"].astype(np.int32), offsets_of(arrays["lengths"]), ends, marks)
    return Sample.from_encoded(words, counts, head.alphabet, head.mark_table)


def _fits(sample: Sample, size: Size) -> bool:
    """Whether the words and marks of a sample are what the kernels rely on."""
    shape = len(sample.alphabet), len(sample.mark_table)
    if isinstance(sample.encoded, FrontCodedWords):
        return sample.encoded.fits(*shape)
    symbols, marks = sample.symbols, sample.marks
    return (
        within(sample.offsets, size.symbols + 1)  # sums of lengths out of all bounds wrap around
        and bool(sample.lengths.min() >= 0)
        and len(symbols) == size.symbols
        and within(symbols, shape[0])
        and (marks is None or (len(marks) == len(symbols) + len(sample) and within(marks, shape[1])))
    )
