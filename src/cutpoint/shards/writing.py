"""write_shards: any number of words sorted and counted, with memory for a few million symbols at a time."""

import io
import os
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Unpack

import numpy as np

from cutpoint.data import Alphabet, Mark, Sample
from cutpoint.data.column_names import ColumnNames, given_columns, has_header, names_events
from cutpoint.data.events import Attribute
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.storage import content_of, is_remote, write_whole
from cutpoint.errors import InvalidArgument, InvalidFile, MissingExtra
from cutpoint.exact import whole_number
from cutpoint.files.samples import ReadOptions, check_positive_outcome, format_of, read_chunks
from cutpoint.files.streams import extensions, refusal
from cutpoint.kernels.words import EncodedWords
from cutpoint.shards.sharded_sample import OBSERVATIONS, Paths, ShardedSample, common_alphabet, files_of, named_file
from cutpoint.shards.store import MANIFEST, Manifest, ShardFile, ShardSize, arrays_of, file_of, order_of
from cutpoint.wording import counted

RUN = 1 << 24  # words and symbols that are gathered, merged and sorted at a time
SCRATCH = ".shards-"  # how the name of the scratch folder begins, which holds sorted runs for a while
PROBES = 64  # words per shard and run that decide where shards begin


def write_shards(
    source: Sample | ShardedSample | Paths,
    folder: str | os.PathLike[str],
    observations: int = OBSERVATIONS,
    **options: Unpack[ReadOptions],
) -> ShardedSample:
    """Write observations into a folder of shards: sorted, so that equal beginnings are neighbors, and counted.

    Parameters
    ----------
    source : paths or patterns of tables of words or of events, as ``read_sample`` reads them; or a sample.
    folder : where the shards go; it is made, and must not hold shards yet.
    observations : about how many distinct observations a shard is to have.
    options : as for ``read_sample``.

    Notes
    -----
    The shards depend on the observations and their order alone; every distinct observation is in one shard. Words are
    read in runs of some millions of symbols, each sorted and written to a scratch folder; then shards are cut out of
    all runs, one range of words after the other. The manifest is written last: a folder without one is not a sample.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shards = write_shards(cp.Sample(["ab", "b", "aa"], accepted=[1, 0, 1]), folder, observations=2)
    ...     print(shards)
    ...     print(sorted(path.name for path in Path(folder).iterdir()))
    ShardedSample(2 shards, 3 observations, 3 distinct, 2 symbols)
    ['manifest.json', 'shard-000000', 'shard-000001']
    """
    whole_number("observations", observations, least=1)
    target = Path(folder)
    try:
        with _scratch_folder(target) as scratch:
            runs = (_on_disk(run, scratch / f"run-{k}") for k, run in enumerate(_runs(source, options, scratch)))
            _write(runs, options.get("alphabet"), target, observations)
    except OSError as problem:
        reason = problem.strerror or f"is the disk full? {problem}"  # NumPy tells how much was written, not why
        raise InvalidFile(f"{target}: the shards cannot be written ({reason}).") from None
    return ShardedSample.open(target)


@contextmanager
def _scratch_folder(target: Path) -> Iterator[Path]:
    """A scratch folder inside the one for the shards. If the work fails, nothing is left of it.

    While it is there no other process writes shards beside it, and one that was killed is not taken for complete.
    """
    new = not target.exists()
    target.mkdir(parents=True, exist_ok=True)
    why = ""
    if any((target / name).exists() for name in (MANIFEST, _shard_name(0))):
        why = "the folder holds shards already"
    elif any(target.glob(f"{SCRATCH}*")):
        why = "shards are being written into this folder, or were when the work was killed"
    if why:
        raise InvalidArgument(f"{target}: {why}. Name another one, or delete it first.")
    try:
        with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=target) as scratch:
            yield Path(scratch)
    except BaseException:
        if new:
            with suppress(OSError):  # something else was put there
                target.rmdir()
        raise


def _on_disk(sample: Sample, path: Path) -> Sample:
    """A sample in the order of its words, most of it left in files of a folder."""
    path.mkdir()
    run, arrays = sample.take(order_of(sample)), {}
    for name, array in {**vars(run.decoded), "counts": run.counts}.items():
        if array is not None:
            np.save(path / f"{name}.npy", array)
            arrays[name] = np.asarray(np.load(path / f"{name}.npy", mmap_mode="r"))
    counts = arrays.pop("counts")
    return Sample.from_encoded(EncodedWords(**arrays), counts, run.alphabet, run.mark_table)


def _runs(source: Sample | ShardedSample | Paths, options: ReadOptions, scratch: Path) -> Iterator[Sample]:
    """Samples of moderate size that make up the source."""
    samples = _samples(source, options, scratch)
    for first in samples:
        run, size = [first], len(first.symbols) + len(first)
        while size < RUN and (sample := next(samples, None)) is not None:
            run.append(sample)
            size += len(sample.symbols) + len(sample)
        yield Sample.concatenate(run)


def _samples(source: Sample | ShardedSample | Paths, options: ReadOptions, scratch: Path) -> Iterator[Sample]:
    if isinstance(source, Sample | ShardedSample):
        yield from ShardedSample.as_one(source).samples()
        return
    names = files_of(source)
    scattered = names_events(options) and not all(format_of(name, options.get("format")) == "xes" for name in names)
    first: Alphabet | None = None
    none_positive = True  # every word has an outcome, and none is the positive one
    tables: Iterable[tuple[Any, Any]] = (
        gathered_tables(names, options, scratch)
        if scattered
        else ((named_file(content_of(name), name) if is_remote(name) else name, options) for name in names)
    )
    for table, reading in tables:
        for chunk in read_chunks(table, **reading):
            if chunk.has_parts_of_cases and not scattered and len(names) > 1:
                advice = "Say so with {id} and {event}, so that the events of a case are collected from all files."
                raise refusal(chunk.name, "this is a table of events.", advice=advice)
            sample = chunk.sample(chunk.declared if options.get("alphabet") is None else None)
            none_positive = none_positive and chunk.accepted is not None
            if sample is not None:
                first = first or sample.alphabet
                common_alphabet([names[0], chunk.name], [first, sample.alphabet])
                none_positive = none_positive and not (sample.ends == 1).any()
                yield sample
    if first is None:
        raise refusal(names[0], "at least one observation must have a positive count; none has.")
    if none_positive:
        check_positive_outcome([], options.get("positive"), names[0])


def _write(sorted_runs: Iterable[Sample], given: Iterable[Any] | None, folder: Path, observations: int) -> None:
    """Cut shards out of sorted runs, and write the manifest last."""
    runs = list(sorted_runs)
    alphabet = Alphabet.of([run.alphabet for run in runs]) if given is None else Alphabet(given)
    table = tuple(dict.fromkeys((*FIRST_MARKS, *(mark for run in runs for mark in run.mark_table))))
    seen = any(run.has_evidence for run in runs)
    parts: list[ShardFile] = []
    try:
        for sample in _ranges(runs, alphabet, observations):
            parts.append(_write_shard(_with_table(sample, table), folder, len(parts)))
        write_whole(folder / MANIFEST, Manifest(alphabet, table, tuple(parts), seen).content())
    except BaseException:
        (folder / MANIFEST).unlink(missing_ok=True)  # it may have its name already, and then be refused by the disk
        for number in range(len(parts) + 1):
            (folder / _shard_name(number)).unlink(missing_ok=True)
        raise


def _write_shard(sample: Sample, folder: Path, number: int) -> ShardFile:
    """Write a shard."""
    arrays = arrays_of(sample)
    content, checksum = file_of(arrays)
    edges = len(arrays.get("codes", ()))
    write_whole(folder / _shard_name(number), content)
    return ShardFile(_shard_name(number), checksum, ShardSize.of(sample, edges, coded=edges > 0))


def _shard_name(number: int) -> str:
    return f"shard-{number:06d}"


def _with_table(sample: Sample, table: tuple[Mark, ...]) -> Sample:
    """The same sample, its marks by another table."""
    numbers = np.array([table.index(mark) for mark in sample.mark_table], dtype=np.int32)
    return Sample.from_encoded(sample.decoded.recode(marks=numbers), sample.counts, sample.alphabet, table)


def _ranges(runs: list[Sample], alphabet: Alphabet, observations: int) -> Iterator[Sample]:
    """Observations of all runs by ranges of words, each of about so many; equal ones merged."""
    runs = [_sorted_over(run, alphabet) for run in runs]
    if len(runs) == 1:
        for k in range(0, len(runs[0]), observations):
            yield runs[0].take(np.arange(k, min(k + observations, len(runs[0]))))
        return
    width = next(k for k in (1, 2, 4) if len(alphabet) <= 256**k)

    def key(run: Sample, r: int) -> bytes:
        """Bytes that sort as the words do."""
        return run.decoded.word(r).astype(f">u{width}").tobytes()

    stride = max(1, observations // PROBES)
    probes = sorted(key(run, r) for run in runs for r in range(0, len(run), stride))
    cuts = dict.fromkeys([b"", *probes[PROBES::PROBES]])
    bounds = [[*(bisect_left(range(len(run)), cut, key=partial(key, run)) for cut in cuts), len(run)] for run in runs]
    for starts in zip(*(pairwise(bound) for bound in bounds), strict=True):
        slices = [run.take(np.arange(i, j)) for run, (i, j) in zip(runs, starts, strict=True) if i < j]
        if slices:
            yield Sample.concatenate(slices, alphabet)


def _sorted_over(run: Sample, alphabet: Alphabet) -> Sample:
    """A run over the alphabet of all, still sorted: as it is on disk where the order of its symbols is the same."""
    codes = [alphabet.code(symbol) for symbol in run.alphabet]
    if codes == list(range(len(codes))):
        return Sample.from_encoded(run.encoded, run.counts, alphabet, run.mark_table)
    words = run.decoded.recode(np.array(codes, dtype=np.int32))
    other = Sample.from_encoded(words, run.counts, alphabet, run.mark_table)
    return other if codes == sorted(codes) else other.take(order_of(other))


# Tables of events that are too large for memory, or in several files: all events of an id are brought together.

AT_ONCE = 1 << 26  # bytes of a table that are gathered at once; as Python values they take some ten times as much
BATCH = 1 << 18  # rows that are read at once

READERS = {".parquet": "scan_parquet", ".csv": "scan_csv", ".tsv": "scan_csv", ".txt": "scan_csv"}
READERS |= {".ndjson": "scan_ndjson", ".jsonl": "scan_ndjson"}


def gathered_tables(
    names: list[str], options: Mapping[str, Any], scratch: Path
) -> Iterator[tuple[str | IO[bytes], dict[str, Any]]]:
    """Tables with whole ids, and how to read each: the only file if it is small, otherwise parts of all by id.

    Rows go to a part by a hash of their id, in their order, with polars streaming; then the parts are read one by one.
    """
    size = sum(os.path.getsize(name) for name in names if not is_remote(name))
    if len(names) == 1 and size <= AT_ONCE:
        yield names[0], dict(options)
        return
    try:
        import polars  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            f'{names[0]}: gathering events of several or large files needs polars: pip install "cutpoint[data]".'
        ) from None
    reading = {role: value for role, value in options.items() if role not in ("format", "header", "delimiter")}
    attributes = Attribute.each(options.get("attributes"))
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        parts, columns = _scattered(polars, names, options, Path(place), max(1, -(-size // AT_ONCE)))
        if attributes:
            reading["attributes"] = {columns.pop(role): each.edges or None for role, each in attributes.items()}
        for part in parts:
            content = io.BytesIO()
            polars.concat([polars.read_parquet(path) for path in part], how="diagonal_relaxed").write_parquet(content)
            name = f"{names[0]} ({counted(len(names), 'file')}), events gathered by id"
            yield named_file(content.getvalue(), name), {**reading, **columns, "format": "parquet"}


def _scattered(
    polars: Any, names: list[str], options: Mapping[str, Any], scratch: Path, buckets: int
) -> tuple[list[list[Path]], dict[str, str]]:
    """Files of each bucket, in the order of the rows, and the names of their columns by role."""
    parts: list[list[Path]] = [[] for _ in range(buckets)]
    columns: dict[str, str] = {}
    number = 0
    for name in names:
        for batch, chosen in _read(polars, name, options):
            columns = {role: batch.columns[k] for role, k in chosen.items()} | columns
            table = polars.DataFrame({columns[role]: batch.to_series(k) for role, k in chosen.items()})
            place = table[columns["id"]].cast(polars.String).hash(seed=0).fill_null(0) % buckets
            for k in sorted(place.unique().to_list()):
                path = scratch / f"{number}.parquet"
                content = io.BytesIO()
                table.filter(place == k).write_parquet(content)
                path.write_bytes(content.getbuffer())
                parts[k].append(path)
                number += 1
    return [part for part in parts if part], columns


def _read(polars: Any, name: str, options: Mapping[str, Any]) -> Iterator[tuple[Any, dict[str, int]]]:
    """Rows of a table, a batch at a time, and which column holds what; what goes wrong is said of the table."""
    given, (found, compression) = given_columns(options), extensions(name)
    known = [extension for extension in found if extension in READERS]
    kind = "." + str(options["format"]) if options.get("format") else known[-1] if known else ""
    if kind not in READERS or compression is not None:
        raise InvalidArgument(f"{name}: events are gathered from csv, tsv, ndjson and parquet, not compressed.")
    how: dict[str, Any] = {}
    header: list[str] | None = None  # of a text: its names as the file has them, or none
    try:
        if READERS[kind] == "scan_csv":  # cells as texts, as read_sample takes them
            how = {"infer_schema": False, "separator": options.get("delimiter") or ("," if kind == ".csv" else "\t")}
            first = polars.read_csv(name, n_rows=1, has_header=False, **how).row(0)
            how["has_header"] = has_header(first, given, options.get("header"))
            header = [str(cell).strip() for cell in first] if how["has_header"] else []
        table = getattr(polars, READERS[kind])(name, **how)
        if hasattr(table, "collect_batches"):
            batches = table.collect_batches(chunk_size=BATCH, maintain_order=True)
        else:
            batches = table.collect(engine="streaming").iter_slices(BATCH)
        for batch in batches:
            names = batch.columns if header is None else header or None
            columns = ColumnNames(names, len(batch.columns), name)
            attributes = Attribute.each(options.get("attributes"))
            extra = {role: columns.index("attributes", each.column) for role, each in attributes.items()}
            yield batch, columns.chosen(given) | extra
    except (polars.exceptions.PolarsError, OSError) as problem:
        raise refusal(name, f"the table cannot be read ({' '.join(str(problem).split())[:200]}).") from None
