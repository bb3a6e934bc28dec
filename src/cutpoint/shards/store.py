"""A folder of shards: files of sorted, front-coded observations, and the manifest with their checksums."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Mark
from cutpoint.data.array_files import Arrays
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.sample import Sample
from cutpoint.data.storage import Stamp, beside, content_of, stamped_content
from cutpoint.errors import InvalidFile
from cutpoint.files.json import FileKind, digest, document, names, record
from cutpoint.files.streams import MOST_TEXT, Source
from cutpoint.files.tokens import json_value
from cutpoint.kernels.words import LONGEST, EncodedWords, FrontCodedWords, narrow, offsets_of, within

MANIFEST = "manifest.json"
FORMAT = "shards"
VERSION = 1

MAGIC = b"cutpoint shard 1\n"
KINDS = ("|u1", "<u2", "<i4", "<i8", "<f8")  # kinds of numbers in a shard file
NARROW = ("codes", "shared", "lengths")  # arrays of coded words that stay as they are in a file, of at most four bytes
PER_OBSERVATION = 8 + 4 + 8 + 12  # bytes in memory of a count, a verdict, the coding of a word, and an end in the tree
PER_EDGE = 8  # bytes in memory of an edge of the prefix tree; twelve where marks are seen along the way


@dataclass(frozen=True)
class ShardSize:
    """How much a shard holds.

    ``edges`` are those of its prefix tree, 0 if they were not counted; ``coded`` says that each word is stored as what
    it adds to the word before.
    """

    total: float
    distinct: int
    symbols: int
    edges: int = 0
    marked: bool = False
    coded: bool = False

    @classmethod
    def of(cls, sample: Sample, edges: int = 0, coded: bool = False) -> ShardSize:
        """Size of a sample."""
        return cls(sample.total, len(sample), len(sample.symbols), edges, sample.marks is not None, coded)

    @property
    def memory(self) -> int:
        """Bytes that a loaded shard takes, with its prefix tree."""
        edges = self.edges or self.symbols + self.distinct
        stored = edges if self.coded else self.symbols + self.distinct
        each, along = PER_OBSERVATION * self.distinct, 4 * (edges + stored) if self.marked else 0
        return each + PER_EDGE * edges + (1 if self.coded else 4) * stored + along


@dataclass(frozen=True)
class ShardFile:
    """A shard file: its path, its SHA-256 according to the manifest, and how much it holds."""

    name: str
    checksum: str
    size: ShardSize

    def load(self, alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
        """Observations of the file, if it is the file that the manifest lists.

        All of it is checked when it is first loaded, and again when the file was touched since.
        """
        content, stamp = stamped_content(self.name)
        key = self, len(alphabet), len(table)
        if stamp is not None and _CHECKED.get(key) == stamp:
            return _sample(_arrays_in(content), alphabet, table)
        found = hashlib.sha256(content).hexdigest()
        if found != self.checksum:
            raise InvalidFile(
                f"{self.name}: the shard is not the one that was written: its SHA-256 is {found}, the manifest says "
                f"{self.checksum}. Use another copy, or write the shards again."
            )
        arrays = _arrays_in(content)
        whole = _is_whole(arrays, (len(alphabet), len(table)), self.size)
        if not whole or not _fits(sample := _sample(arrays, alphabet, table), self.size):
            raise InvalidFile(
                f"{self.name}: the shard does not fit its manifest (another alphabet, or another number of "
                "observations). Shards of one sample are written together: write them again."
            )
        if stamp is not None:
            _CHECKED[key] = stamp
        return sample


_CHECKED: dict[tuple[ShardFile, int, int], Stamp] = {}  # stamps of the files that were found to be right

Count = Annotated[int, msgspec.Meta(ge=0)]


class ShardRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A shard in the manifest's JSON."""

    file: str
    sha256: str
    observations: Annotated[float, msgspec.Meta(ge=0, le=1e300)]
    distinct: Count
    symbols: Count
    edges: Count


class ManifestRecord(msgspec.Struct, forbid_unknown_fields=True):
    """The members of the manifest's JSON."""

    cutpoint: FileKind
    alphabet: list[Any]
    marks: list[tuple[bool | None, list[Any] | None]]
    evidence: bool
    shards: list[ShardRecord]
    digest: str = ""


class Manifest(NamedTuple):
    """What the manifest of a folder of shards says."""

    alphabet: Alphabet
    mark_table: tuple[Mark, ...]
    parts: tuple[ShardFile, ...]
    has_evidence: bool

    def content(self) -> bytes:
        """Content of the file; shards are named without their folder."""
        found = ManifestRecord(
            FileKind(FORMAT, VERSION),
            [json_value(symbol) for symbol in self.alphabet],
            [
                (mark.verdict, None if mark.states is None else sorted(map(json_value, mark.states), key=repr))
                for mark in self.mark_table
            ],
            self.has_evidence,
            [ShardRecord(part.name, part.checksum, *astuple(part.size)[:4]) for part in self.parts],
        )
        raw = msgspec.to_builtins(found)
        return (json.dumps(raw | {"digest": digest(raw)}, ensure_ascii=False, indent=1) + "\n").encode()

    @classmethod
    def read(cls, folder: str) -> Manifest:
        """Manifest of a folder, none of its shards loaded yet."""
        path = beside(folder, MANIFEST)
        source = Source(path.removesuffix(".json"), ".json")
        content = content_of(path)
        if len(content) > MOST_TEXT:
            raise source.refused("the manifest is too long to be read.")
        raw = document(source, source.decoded(content))
        kind = raw.get("cutpoint")
        if not isinstance(kind, dict) or kind.get("format") != FORMAT:
            raise source.refused("this is not the manifest of a folder of shards.")
        if kind.get("version") != VERSION:
            raise source.refused(f"the shards must be of version {VERSION}; another version of cutpoint wrote them.")
        found = record(source, raw, ManifestRecord)
        if found.digest != digest(raw):
            raise source.refused("the manifest is damaged: its digest does not match. Use another copy.")
        alphabet = names(source, found.alphabet, "alphabet", Alphabet)
        table = tuple(
            Mark(verdict, None if states is None else names(source, states, f"marks[{k}][1]", frozenset))
            for k, (verdict, states) in enumerate(found.marks)
        )
        if table[:3] != FIRST_MARKS:
            raise source.refused("expected a table that begins with no mark, accepted and rejected.", "marks")
        shards = tuple(_shard(source, k, entry, folder, len(table) > 3) for k, entry in enumerate(found.shards))
        if len({shard.name for shard in shards}) != len(shards):
            raise source.refused("expected shards of different names.", "shards")
        return cls(alphabet, table, shards, found.evidence)


def _shard(source: Source, k: int, entry: ShardRecord, folder: str, marked: bool) -> ShardFile:
    if "/" in entry.file or "\\" in entry.file or entry.file in ("", ".", ".."):
        raise source.refused("expected the name of a file beside the manifest.", f"shards[{k}].file")
    size = ShardSize(entry.observations, entry.distinct, entry.symbols, entry.edges, marked, entry.edges > 0)
    return ShardFile(beside(folder, entry.file), entry.sha256, size)


def order_of(sample: Sample, by_steps: bool = False) -> NDArray[np.int64]:
    """Order of the observations by their words, or by words with marks; a word comes after its beginnings."""
    marks = sample.marks if by_steps else None
    keys = _keys(sample.symbols, sample.offsets) if marks is None else _step_keys(sample, marks)
    return np.array(sorted(range(len(sample)), key=keys.__getitem__), dtype=np.int64)


def arrays_of(sample: Sample) -> Arrays:
    """Arrays of a file: front-coded words, or plain ones if one is too long for that; all in their smallest types."""
    sample = sample.take(order_of(sample, by_steps=True))
    counts = sample.counts
    are_whole = (counts == np.floor(counts)).all() and counts.max(initial=0.0) < 2**31
    arrays: Arrays = {
        "ends": narrow(sample.ends),
        "counts": narrow(counts) if are_whole else counts,
        "shape": np.array([len(sample.alphabet), len(sample.mark_table)]),
    }
    if sample.lengths.max() > LONGEST:
        words: dict[str, Any] = {"symbols": sample.symbols, "lengths": sample.lengths, "marks": sample.marks}
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
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return {}
    return arrays if place == len(content) else {}


def _is_whole(arrays: Arrays, shape: tuple[int, int], size: ShardSize) -> bool:
    """Whether a file has all its arrays, and as many observations as the manifest says, over the same alphabet."""
    names = arrays.keys() - {"marks"}
    words = {"codes", "shared", "lengths", "block_words"} if "codes" in names else {"symbols", "lengths"}
    if names != words | {"ends", "counts", "shape"}:
        return False
    ends, counts = arrays["ends"], arrays["counts"]
    return (
        arrays["shape"].tolist() == [*shape]
        and all(array.dtype.kind in "iu" for name, array in arrays.items() if name != "counts")
        and len(arrays["lengths"]) == len(ends) == len(counts) == size.distinct
        and all(arrays[name].dtype.itemsize <= 4 for name in words & {*NARROW} if "codes" in words)
        and int(arrays["lengths"].sum(dtype=np.int64)) == size.symbols
        and bool((counts > 0.0).all() and np.isfinite(counts).all())
        and math.isclose(float(counts.sum(dtype=np.float64)), size.total, rel_tol=1e-9)
        and len(arrays.get("codes", ())) == size.edges
        and within(ends, 3)
    )


def _sample(arrays: Arrays, alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
    """Sample of a file's arrays."""
    ends, counts = arrays["ends"].astype(np.int32), arrays["counts"].astype(np.float64)
    marks = arrays["marks"].astype(np.int32) if "marks" in arrays else None
    if "codes" in arrays:
        codes, shared, lengths = (np.require(arrays[name], requirements="A") for name in NARROW)
        coded = FrontCodedWords(codes, shared, lengths, arrays["block_words"].astype(np.int64), ends, marks)
        return Sample.from_encoded(coded, counts, alphabet, table)
    words = EncodedWords(arrays["symbols"].astype(np.int32), offsets_of(arrays["lengths"]), ends, marks)
    return Sample.from_encoded(words, counts, alphabet, table)


def _fits(sample: Sample, size: ShardSize) -> bool:
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
