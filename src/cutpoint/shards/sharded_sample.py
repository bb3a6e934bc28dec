"""Samples in shards: a folder that ``write_shards`` made, or tables as they are; and their observations."""

from __future__ import annotations

import hashlib
import io
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Mark, Sample
from cutpoint.data.column_names import names_events
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.storage import content_of, matching
from cutpoint.em.counts import Counts, pairwise_sum
from cutpoint.em.observations import AnySample, InMemory, Masks, Observations, Parameters, check_sample
from cutpoint.em.predictions import Predictions
from cutpoint.errors import InvalidArgument, InvalidFile, InvalidSample
from cutpoint.exact import whole_number
from cutpoint.files.samples import ReadOptions, read_sample
from cutpoint.files.streams import extensions
from cutpoint.kernels import kernels
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model.digests import digest_of
from cutpoint.shards.store import MANIFEST, Manifest, ShardFile, ShardSize, order_of
from cutpoint.wording import counted, listed

OBSERVATIONS = 100_000  # distinct observations of a shard, by default

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A path, a pattern such as ``data/*.parquet``, an address such as ``s3://…/*.parquet``, or several of them."""


@dataclass(frozen=True)
class ShardedSample:
    """A sample in shards, for data that do not fit into memory or take too long on one machine.

    ``ShardedSample.open(folder)`` takes shards that ``write_shards`` or ``cutpoint shard`` made, the form to prefer:
    sorted, counted, small, quick to load. The others take tables as they are. At first only sizes and checksums are
    read; ``baum_welch``, ``learn``, ``log_likelihood``, ``expected_counts`` and ``acceptances_by_shard`` have an engine
    load the shards, and refuse one that has changed.

    Examples
    --------
    >>> ShardedSample.of(cp.Sample(["ab", "b", "ab"], accepted=[True, False, True]), observations=1)
    ShardedSample(2 shards, 3 observations, 2 distinct, 2 symbols)
    """

    alphabet: Alphabet
    mark_table: tuple[Mark, ...]
    parts: tuple[Shard, ...]
    has_evidence: bool

    def __new__(cls, *given: Any, **_: Any) -> Self:
        """Refuse the name of a folder, which is opened instead."""
        if given and isinstance(given[0], str | os.PathLike):
            what = f"shards in a folder are opened: write ShardedSample.open({os.fspath(given[0])!r})."
            raise InvalidArgument(what, advice="Tables are taken by from_csv, from_ndjson and from_parquet.")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Refuse an empty sample."""
        if not self.parts:
            raise InvalidSample("a sample in shards must have at least one shard; got none.")
        for part in self.parts:
            if part.size.distinct < 1 or not part.size.total > 0.0:
                raise InvalidSample(f"{part.name}: a shard must hold at least one observation; this one is empty.")

    @classmethod
    def open(cls, *folders: str | os.PathLike[str]) -> ShardedSample:
        """Shards of a folder, by its manifest; or of several that were written over the same alphabet."""
        if not folders:
            raise InvalidArgument("expected a folder of shards; got none.")
        found = [Manifest.read(os.fspath(folder)) for folder in folders]
        first = found[0]
        for folder, other in zip(folders, found, strict=True):
            if other[:2] != first[:2]:
                what = "alphabet" if other.alphabet != first.alphabet else "table of marks"
                raise InvalidSample(
                    f"shards of one sample must have one {what}; that of {os.fspath(folder)} is not that of "
                    f"{os.fspath(folders[0])}.",
                    advice="Write them together. Or write each with the same {alphabet}.",
                )
        parts = tuple(part for each in found for part in each.parts)
        return cls(*first[:2], parts, any(each.has_evidence for each in found))

    @classmethod
    def of(cls, sample: Sample, observations: int = OBSERVATIONS) -> ShardedSample:
        """A sample in memory, sorted and cut into shards of so many distinct observations."""
        check_sample(sample)
        whole_number("observations", observations, least=1)
        order = order_of(sample)
        ranges = (sample.take(order[k : k + observations]) for k in range(0, len(order), observations))
        parts = (part.take(order_of(part, by_steps=True)) for part in ranges)
        shards = (MemoryShard(part, f"shard {k} of the sample in memory") for k, part in enumerate(parts))
        return replace(cls.as_one(sample), parts=tuple(shards))

    @classmethod
    def as_one(cls, sample: AnySample) -> ShardedSample:
        """A sample in memory as it is, as a single shard; a sample in shards itself."""
        if isinstance(sample, ShardedSample):
            return sample
        if not isinstance(sample, Sample):
            raise InvalidArgument(f"expected a Sample or a ShardedSample; got {type(sample).__name__}.")
        return cls(sample.alphabet, sample.mark_table, (MemoryShard(sample),), sample.has_evidence)

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
                "events of one id may be in several files, so tables of events are gathered first: use "
                "write_shards(...) or cutpoint shard."
            )
        tables, alphabets, marks, seen = [], [], dict.fromkeys(FIRST_MARKS), False
        for name in names:
            file_checksum, sample = _read(name, reading)
            tree: Any = kernels().prefix_tree(sample.encoded)
            size = ShardSize.of(sample, edges=0 if tree is None else len(tree[1]))
            tables.append(TableShard(name, digest_of(sample), file_checksum, size, reading))
            alphabets.append(sample.alphabet)
            marks.update(dict.fromkeys(sample.mark_table))
            seen = seen or sample.has_evidence
        given = reading.get("alphabet")
        alphabet = common_alphabet(names, alphabets) if given is None else Alphabet(given)
        return cls(alphabet, tuple(marks), tuple(tables), seen)

    @property
    def total(self) -> float:
        """Sum of all counts: the N of the paper."""
        return float(np.sum([part.size.total for part in self.parts]))

    @property
    def memory(self) -> int:
        """Bytes that all shards take when they are loaded."""
        return sum(part.size.memory for part in self.parts)

    def digest(self) -> str:
        """Digest of the content of all shards in their order, of the alphabet in its order and of the marks."""
        return digest_of(self.alphabet, self.mark_table, [part.checksum for part in self.parts])

    def load(self, number: int) -> Sample:
        """Sample of one shard."""
        return self.parts[number].load(self.alphabet, self.mark_table)

    def samples(self) -> Iterator[Sample]:
        """Sample of each shard, loaded one after the other."""
        return map(self.load, range(len(self.parts)))

    def observe(self, alphabet: Alphabet, threads: int | None = None) -> Observations:
        """Observations for the threads of this machine, which is what happens without an engine."""
        from cutpoint.shards.engines import Local  # noqa: PLC0415 - it works on samples of this kind

        return Local(threads).observe(self, alphabet)

    def __len__(self) -> int:
        """Count the distinct observations of each shard."""
        return sum(part.size.distinct for part in self.parts)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self.parts), 'shard')}, {counted(self.total, 'observation')}, "
            f"{len(self)} distinct, {counted(len(self.alphabet), 'symbol')})"
        )


@dataclass(frozen=True)
class MemoryShard:
    """A sample in memory as a shard: it travels with the task that loads it."""

    sample: Sample
    name: str = "the sample in memory"

    @property
    def checksum(self) -> str:
        """Digest of the sample."""
        return digest_of(self.sample)

    @property
    def size(self) -> ShardSize:
        """How much it holds."""
        return ShardSize.of(self.sample)

    def load(self, alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
        """The sample itself."""
        return self.sample


@dataclass(frozen=True)
class TableShard:
    """A file of words as a shard; it is read whole and must be the file that was first read.

    ``checksum`` is that of the sample which the options make of it, ``file_checksum`` the SHA-256 of the file itself.
    """

    name: str
    checksum: str
    file_checksum: str
    size: ShardSize
    options: dict[str, Any] = field(hash=False)

    def load(self, alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
        """Observations of the file, over an alphabet and marks of its own."""
        found, sample = _read(self.name, self.options)
        if found != self.file_checksum:
            raise InvalidFile(
                f"{self.name}: the file has changed since the sample was made: its SHA-256 is {found}, it was "
                f"{self.file_checksum}. Make the sample again."
            )
        return sample


Shard = ShardFile | TableShard | MemoryShard
"""One part of a sample: its name for messages, the checksum of its content, how much it holds, how to load it."""


class LoadedShard(InMemory):
    """A shard in memory, over the alphabet of an acceptor; masks are those of the whole sample.

    ``rows`` are the places of the shard's own marks in the ``mark_table`` of the whole sample.
    """

    def __init__(self, sample: Sample, rows: NDArray[np.intp], threads: int = 1, keep_tree: bool = True) -> None:
        super().__init__(sample, threads, keep_tree)
        self.rows = rows

    @classmethod
    def load(
        cls, sample: ShardedSample, number: int, alphabet: Alphabet, threads: int = 1, keep_tree: bool = True
    ) -> LoadedShard:
        """Load a shard of a sample over the alphabet of an acceptor."""
        loaded = sample.load(number).recoded(alphabet)
        numbers = {mark: number for number, mark in enumerate(sample.mark_table)}
        rows = np.array([numbers[mark] for mark in loaded.mark_table], dtype=np.intp)
        return cls(loaded, rows, threads, keep_tree)

    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step."""
        return super().expected_counts(parameters, masks[self.rows])

    def log_likelihoods(self, parameters: Parameters, masks: Masks) -> Floats:
        """Log-probability of each distinct observation."""
        return super().log_likelihoods(parameters, masks[self.rows])

    def predictions(self, parameters: Parameters, final: Masks, masks: Masks) -> Predictions:
        """What is said of each position where something was seen."""
        return super().predictions(parameters, final, masks[self.rows])

    def scored(self, parameters: Parameters, column: Floats) -> tuple[EncodedWords, Floats, Floats]:
        """The words without marks along the way, their counts and their acceptances, to be sent to another process."""
        ((sample, values),) = self.acceptances(parameters, column)
        return replace(sample.decoded, marks=None), sample.counts, values

    def every(self, stride: int) -> tuple[EncodedWords, Floats] | None:
        """Every so many observations with their counts, marks by the whole sample's table; None if there are none."""
        chosen = np.arange(len(self.sample)) % stride == stride // 2
        if not chosen.any():
            return None
        part = self.sample.reweighted(np.where(chosen, self.sample.counts, 0.0))
        return part.decoded.recode(marks=self.rows.astype(np.int32)), part.counts

    def __sizeof__(self) -> int:
        return self.sample.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return LoadedShard, (self.sample, self.rows, self.threads, self.keep_tree)


class ShardObservations(Observations):
    """Observations of a sample in shards: each question goes to every loaded shard, and the answers are added.

    An engine says how: it applies functions of a loaded shard and of plain values, which other processes can be sent.
    """

    def __init__(self, sample: ShardedSample, alphabet: Alphabet) -> None:
        self.sample, self.alphabet, self.total = sample, alphabet, sample.total

    def sum_over_shards(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of a function of each loaded shard and the arguments, added by ``pairwise_sum`` in the shards' order."""
        return pairwise_sum(self.for_each_shard(function, *arguments))

    @abstractmethod
    def for_each_shard(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Value of a function of each loaded shard and the arguments, in the shards' order."""

    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step."""
        counts: Counts = self.sum_over_shards(LoadedShard.expected_counts, parameters, masks)
        return counts

    def log_likelihoods(self, parameters: Parameters, masks: Masks) -> Floats:
        """Log-probability of each distinct observation, shard after shard."""
        return np.concatenate(list(self.for_each_shard(LoadedShard.log_likelihoods, parameters, masks)))

    def log_likelihood(self, members: Sequence[tuple[Parameters, Masks]], with_inputs: bool = False) -> float:
        """Log-likelihood under the mean of the members' probabilities."""
        return float(self.sum_over_shards(LoadedShard.log_likelihood, members, with_inputs))

    def acceptances(self, parameters: Parameters, column: Floats) -> Iterator[tuple[Sample, Floats]]:
        """Observations of each shard, without marks along the way, with their acceptances."""
        for words, counts, values in self.for_each_shard(LoadedShard.scored, parameters, column):
            yield Sample.from_encoded(words, counts, self.alphabet), values

    def predictions(self, parameters: Parameters, final: Masks, masks: Masks) -> Predictions:
        """What is said of each position where something was seen, shard after shard."""
        return Predictions.concatenate(list(self.for_each_shard(LoadedShard.predictions, parameters, final, masks)))

    def subsample(self, most: int) -> Sample:
        """About so many distinct observations, spread evenly over all shards."""
        stride = -(-len(self.sample) // most)
        parts = [part for part in self.for_each_shard(LoadedShard.every, stride) if part is not None]
        words, counts = zip(*parts, strict=True)
        together = EncodedWords.concatenate(words), np.concatenate(counts)
        return Sample.from_encoded(*together, self.alphabet, self.sample.mark_table)


def files_of(paths: Paths) -> list[str]:
    """Files that paths and patterns name, each once, in their order."""
    given: Any = paths if isinstance(paths, Iterable) and not isinstance(paths, str | os.PathLike) else [paths]
    found = list(dict.fromkeys(name for path in given for name in matching(path)))
    if not found:
        raise InvalidArgument("expected the path of at least one file; got none.")
    return found


def common_alphabet(names: Sequence[str], alphabets: Sequence[Alphabet]) -> Alphabet:
    """All symbols of several files; words of characters in one and of longer symbols in another are refused."""
    first = alphabets[0]
    for name, alphabet in zip(names, alphabets, strict=True):
        if alphabet and first and alphabet.is_text != first.is_text:
            some, others = (listed(list(symbols)[:3]) for symbols in (first, alphabet))
            raise InvalidSample(
                f"shards of one sample must have one alphabet; {names[0]} has symbols such as {some}, {name} "
                f"such as {others}.",
                advice="Say what separates symbols with {separator}. Or pass {alphabet}.",
            )
    return Alphabet.of(list(alphabets))


def _read(name: str, options: dict[str, Any]) -> tuple[str, Sample]:
    """Checksum of a file and its sample, from the same bytes."""
    if extensions(name)[1] is not None:
        raise InvalidArgument(f"{name}: a compressed table cannot be a shard. Decompress it, or use write_shards(...).")
    content = content_of(name)
    return hashlib.sha256(content).hexdigest(), read_sample(named_file(content, name), **options)


def named_file(content: bytes, name: str) -> IO[bytes]:
    """A file in memory, with a name for messages and for its format."""
    file = io.BytesIO(content)
    file.name = name
    return file


def is_folder_of_shards(path: str) -> bool:
    """Whether a path is a folder with a manifest."""
    return (Path(path) / MANIFEST).is_file()
