"""Samples in shards: a folder that ``write_shards`` made, or tables as they are."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from cutpoint.data import Alphabet, Sample
from cutpoint.data.column_names import names_events
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.storage import content_of, matching
from cutpoint.em.shards import Head, Held, Shards, Size
from cutpoint.errors import InvalidArgument, InvalidFile, InvalidSample
from cutpoint.exact import whole_number
from cutpoint.files.samples import ReadOptions, read_sample
from cutpoint.files.streams import extensions
from cutpoint.kernels import kernels
from cutpoint.shards.manifest import read_manifest
from cutpoint.shards.packing import order_of
from cutpoint.wording import listed

OBSERVATIONS = 100_000
"""Distinct observations of a shard, unless told."""

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A path, a pattern such as ``data/*.parquet``, an address such as ``s3://…/*.parquet``, or several of them."""


@dataclass(frozen=True)
class Table:
    """A file of words as a shard; it is read whole and must be the file that was first read."""

    name: str
    checksum: str
    size: Size
    options: dict[str, Any] = field(hash=False)

    def load(self, head: Head) -> Sample:
        """Observations of the file."""
        found, sample = _read(self.name, self.options)
        if found != self.checksum:
            raise InvalidFile(
                f"{self.name}: the file has changed since the sample was made: its SHA-256 is {found}, it was "
                f"{self.checksum}. Make the sample again."
            )
        return sample


class ShardedSample(Shards):
    """A sample in shards, for what does not fit into memory or takes too long on one machine.

    ``ShardedSample.open(folder)`` takes shards that ``write_shards`` or ``cutpoint shard`` made, the form to prefer:
    sorted, counted, small, quick to load. The others take tables as they are. Nothing is loaded but what sizes and
    checksums need; ``baum_welch``, ``learn``, ``log_likelihood``, ``expected_counts`` and ``acceptances_by_shard`` have
    an engine load the shards, and refuse one that has changed.

    Examples
    --------
    >>> import cutpoint as cp
    >>> ShardedSample.of(cp.Sample(["ab", "b", "ab"], accepted=[True, False, True]), observations=1)
    ShardedSample(2 shards, 3 observations, 2 distinct, 2 symbols)
    """

    @classmethod
    def open(cls, *folders: str | os.PathLike[str]) -> ShardedSample:
        """Shards of a folder, by its manifest; or of several that were written over the same alphabet."""
        if not folders:
            raise InvalidArgument("expected a folder of shards; got none.")
        found = [read_manifest(os.fspath(folder)) for folder in folders]
        for folder, other in zip(folders, found, strict=True):
            if other.head != found[0].head:
                what = "alphabet" if other.alphabet != found[0].alphabet else "table of marks"
                raise InvalidSample(
                    f"shards of one sample must have one {what}; that of {os.fspath(folder)} is not that of "
                    f"{os.fspath(folders[0])}. Write them together, or each with the same alphabet=…."
                )
        parts = tuple(part for each in found for part in each.parts)
        return cls(found[0].head, parts, any(each.has_evidence for each in found))

    @classmethod
    def of(cls, sample: Sample, observations: int = OBSERVATIONS) -> ShardedSample:
        """A sample in memory, sorted and cut into shards of so many distinct observations."""
        if not isinstance(sample, Sample):
            raise InvalidArgument(f"expected a Sample; got {type(sample).__name__}.")
        whole_number("observations", observations, least=1)
        order = order_of(sample)
        parts = [order[k : k + observations] for k in range(0, len(order), observations)]
        shards = tuple(_held(sample, rows, k) for k, rows in enumerate(parts))
        return cls(Head(sample.alphabet, sample.mark_table), shards, sample.has_evidence)

    @classmethod
    def from_parquet(cls, paths: Paths, **options: Unpack[ReadOptions]) -> ShardedSample:
        """Parquet files with one word per row, each a shard; options as in ``read_sample``.

        Paths are patterns such as ``data/*.parquet``, or addresses such as ``s3://bucket/*.parquet`` where fsspec is
        installed. Every file is read once here, and again by the engine.
        """
        return cls._of_tables(paths, "parquet", options)

    @classmethod
    def from_csv(cls, paths: Paths, **options: Unpack[ReadOptions]) -> ShardedSample:
        """CSV files with one word per row, each a shard; as ``from_parquet``."""
        return cls._of_tables(paths, "csv", options)

    @classmethod
    def from_ndjson(cls, paths: Paths, **options: Unpack[ReadOptions]) -> ShardedSample:
        """NDJSON files with one word per row, each a shard; as ``from_parquet``."""
        return cls._of_tables(paths, "ndjson", options)

    @classmethod
    def _of_tables(cls, paths: Paths, kind: str, options: ReadOptions) -> ShardedSample:
        reading: dict[str, Any] = {"format": kind, **options}
        names = files_of(paths)
        if len(names) > 1 and names_events(reading):
            raise InvalidArgument(
                "events of one id may stand in several files, so tables of events are gathered first: use "
                "write_shards(...) or cutpoint shard."
            )
        tables, alphabets, marks, seen = [], [], dict.fromkeys(FIRST_MARKS), False
        for name in names:
            checksum, sample = _read(name, reading)
            edges = _edges(sample)
            size = Size(sample.total, len(sample), len(sample.symbols), edges, sample.marks is not None)
            tables.append(Table(name, checksum, size, reading))
            alphabets.append(sample.alphabet)
            marks.update(dict.fromkeys(sample.mark_table))
            seen = seen or sample.has_evidence
        given = reading.get("alphabet")
        alphabet = common_alphabet(names, alphabets) if given is None else Alphabet(given)
        return cls(Head(alphabet, tuple(marks)), tuple(tables), seen)


def files_of(paths: Paths) -> list[str]:
    """Files that paths and patterns name, each once, in their order."""
    given: Iterable[Any] = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(given, Iterable):
        raise InvalidArgument(f"expected the path of files, such as 'data/*.parquet'; got {paths!r}.")
    found = list(dict.fromkeys(name for path in given for name in matching(path)))
    if not found:
        raise InvalidArgument("expected the path of at least one file; got none.")
    return found


def common_alphabet(names: Sequence[str], alphabets: Sequence[Alphabet]) -> Alphabet:
    """All symbols of several files; words of characters in one and of longer symbols in another are refused."""
    for name, alphabet in zip(names, alphabets, strict=True):
        first = alphabets[0]
        if alphabet and first and alphabet.is_text != first.is_text:
            texts = (f"{listed(list(sigma)[:3])}" for sigma in (first, alphabet))
            raise InvalidSample(
                f"shards of one sample must have one alphabet; {names[0]} has symbols such as {next(texts)}, {name} "
                f"such as {next(texts)}. Say what separates symbols with separator=…, or pass alphabet=…."
            )
    return Alphabet.of(list(alphabets))


def _read(name: str, options: dict[str, Any]) -> tuple[str, Sample]:
    """Checksum of a file and its sample, from the same bytes."""
    if extensions(name)[1] is not None:
        raise InvalidArgument(f"{name}: a compressed table cannot be a shard. Decompress it, or use write_shards(...).")
    content = content_of(name)
    file = io.BytesIO(content)
    file.name = name
    return hashlib.sha256(content).hexdigest(), read_sample(file, **options)


def _edges(sample: Sample) -> int:
    tree: Any = kernels().prefix_tree(sample.encoded)
    return 0 if tree is None else len(tree[1])


def _held(sample: Sample, rows: Any, number: int) -> Held:
    part = sample.take(rows)
    return Held(part.take(order_of(part, by_steps=True)), f"shard {number} of the sample in memory")


def is_folder_of_shards(path: str) -> bool:
    """Whether a path is a folder with a manifest."""
    return (Path(path) / "manifest.json").is_file()
