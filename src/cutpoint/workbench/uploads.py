"""Files of cases that were uploaded: kept in a folder under their digests, and read into samples."""

import hashlib
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cutpoint.data import Sample
from cutpoint.data.column_names import EVENT_TABLE, WORD_TABLE
from cutpoint.data.columns import PositiveOutcome
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.samples import TablePreview, format_of, preview, read_cases
from cutpoint.files.streams import COMPRESSED, opened
from cutpoint.wording import printable, shown
from cutpoint.workbench.machine_screen import called
from cutpoint.workbench.messages import Reading, ReadProgress, ReadRequest, SampleFile, SampleRead, Uploaded

FIRST_ROWS = 20  # rows that are shown
FIRST_LINE = 1 << 16  # bytes in which the first line is looked for
MOST_OUTCOMES = 20  # outcomes that are listed
LONGEST_CELL = 200  # characters of a cell that are shown
DELIMITERS = ";\t|"  # of CSV files that have no comma in their first line
EVERY = 1 << 20  # bytes after which progress is reported
OUTCOMES = ("accepted", "rejected")
MOST_KEPT = 4  # samples that are kept in memory

_samples: dict[bytes, "NamedSample"] = {}

Report = Callable[[Any], bool]  # takes a message on the progress of a job; True: end it


class UnknownUpload(CutpointError, KeyError):
    """A file is named by a digest that is not known here, or no longer."""


class Folder:
    """Where uploads are: a folder of this run of the server."""

    path: Path | None = None

    @classmethod
    def file(cls, upload: str) -> Path:
        """File of an upload; a name that is no digest is refused, so that it leads nowhere else."""
        if cls.path is None or len(upload) != 64 or not set(upload) <= set("0123456789abcdef"):
            raise UnknownUpload("this file is not known here. Upload it again.")
        return cls.path / upload

    @classmethod
    def add(cls, content: bytes) -> Uploaded:
        """Keep a file."""
        digest = hashlib.sha256(content).hexdigest()
        cls.file(digest).write_bytes(content)
        return Uploaded(digest, len(content))


@dataclass(frozen=True)
class NamedSample:
    """A sample with what its file calls accepted and rejected, and warnings on how it was read."""

    sample: Sample
    names: tuple[str, str]
    warnings: list[str] = field(default_factory=list)


@dataclass
class Watched:
    """A file that tells how far it was read, under the name that the user knows."""

    name: str
    source: Callable[[int], bytes]
    report: Callable[[int], object]
    done: int = 0

    def read(self, size: int) -> bytes:
        """Bytes of the file, decompressed."""
        found = self.source(size)
        self.done += len(found)
        self.report(self.done)
        return found


def read(request: ReadRequest, report: Report) -> SampleRead:
    """What a file of cases holds; where it cannot be read, its first rows and the reason."""
    file = request.sample
    try:
        file = msgspec.structs.replace(file, reading=_delimited(file))
        seen = _preview(file)
        if seen.problem is not None and file.reading.header is None and _looks_headed(seen.rows):
            file = msgspec.structs.replace(file, reading=msgspec.structs.replace(file.reading, header=True))
            seen = _preview(file)
    except UnknownUpload:
        raise
    except CutpointError as wrong:
        return SampleRead(file.reading, problem=str(wrong))
    found = _of_preview(seen, file.reading)
    if seen.problem is None:
        try:
            return _of_sample(found, sample_of(file, report))
        except CutpointError as wrong:
            found = msgspec.structs.replace(found, problem=str(wrong))
    return found


def _preview(file: SampleFile) -> TablePreview:
    with _opened(file) as source:
        return preview(source, **_options(file.reading)[0])


def _looks_headed(rows: list[list[str]]) -> bool:
    """Whether the first row seems to have names that are not known: no cell of it is empty, or comes again below."""
    first, *rest = rows
    return bool(rest) and all(first) and not any(cell in below for cell, *below in zip(first, *rest, strict=True))


def _delimited(file: SampleFile) -> Reading:
    """How a file is read, with the delimiter of its first line if it is a CSV file without a comma there.

    The library asks for it instead of guessing; here the guess is shown beside the first rows, and can be corrected.
    """
    with _opened(file) as source:
        first = source.read(FIRST_LINE).decode(errors="replace").partition("\n")[0]
        is_csv = format_of(source, file.reading.format) == "csv"
    if not is_csv or file.reading.delimiter is not None or "," in first:
        return file.reading
    best = max(DELIMITERS, key=first.count)
    return msgspec.structs.replace(file.reading, delimiter=best if best in first else None)


def sample_of(file: SampleFile, report: Report | None = None) -> NamedSample:
    """Sample of a file; the last few are kept."""
    key = msgspec.json.encode(file)
    found = _samples.pop(key, None) or _read(file, report)
    _samples[key] = found
    while len(_samples) > MOST_KEPT:
        del _samples[next(iter(_samples))]
    return found


def _read(file: SampleFile, report: Report | None) -> NamedSample:
    options, positive = _options(file.reading)
    path = Folder.file(file.upload)
    size, cases, told = path.stat().st_size if path.exists() else 0, 0, 0

    def tell(done: int) -> None:
        nonlocal told
        if report is not None and (done >= told + EVERY or done == size):
            told = done
            report(ReadProgress(done, max(done, size), cases))

    def count(found: int) -> None:
        nonlocal cases
        cases = found

    with warnings.catch_warnings(record=True) as caught, _opened(file, tell) as source:
        warnings.simplefilter("always")
        sample = read_cases(source, count, **options)
    names = positive.names if positive is not None else OUTCOMES
    return NamedSample(sample, names, [str(each.message) for each in caught])


@contextmanager
def _opened(file: SampleFile, report: Callable[[int], object] = lambda _: None) -> Iterator[Any]:
    """An upload as an open file, decompressed as its name says."""
    path, packed = Folder.file(file.upload), Path(file.name).suffix.lower()
    if not path.exists():
        raise UnknownUpload("this file is not known here, or no longer. Upload it again.")
    name = Path(file.name).name
    if packed in COMPRESSED:  # the extension says how it is decompressed
        path, name = shutil.copyfile(path, path.with_name(path.name + packed)), name[: -len(packed)]
    with called(str(path), file.name), opened(path) as source:
        yield Watched(name, source, report)


def _options(reading: Reading) -> tuple[dict[str, Any], PositiveOutcome | None]:
    """Options of ``read_sample``."""
    known = WORD_TABLE | EVENT_TABLE
    for role in reading.columns:
        if role not in known:
            raise InvalidArgument(f"must be out of {', '.join(known)}; got {shown(role)}.", argument="columns")
    plain = {name: getattr(reading, name) for name in ("format", "header", "delimiter", "separator")}
    positive = None if reading.positive is None else PositiveOutcome(reading.positive)
    found = {name: value for name, value in plain.items() if value is not None} | reading.columns
    return found | ({} if positive is None else {"positive": positive}), positive


def _of_preview(seen: TablePreview, reading: Reading) -> SampleRead:
    column = seen.roles.get("outcome", seen.roles.get("accepted"))
    outcomes = [] if column is None else [value for value, _ in Counter(r[column] for r in seen.rows).most_common()]
    rows = [[printable(cell)[:LONGEST_CELL] for cell in row] for row in seen.rows[:FIRST_ROWS]]
    return SampleRead(
        reading,
        problem=seen.problem,
        format=seen.format,
        events=seen.has_events,
        columns=seen.columns,
        header=seen.header,
        rows=rows,
        roles=seen.roles,
        possible=(list(WORD_TABLE), list(EVENT_TABLE)),
        outcomes=outcomes[:MOST_OUTCOMES],
    )


def _of_sample(found: SampleRead, read: NamedSample) -> SampleRead:
    sample, cases = read.sample, read.sample.known_cases
    ends = sample.per_case(sample.ends)
    return msgspec.structs.replace(
        found,
        cases=len(cases.ids),
        distinct=len(sample),
        n_symbols=len(sample.alphabet),
        lengths=(int(sample.lengths.min()), int(sample.lengths.max())),
        accepted=int((ends == 1).sum()),
        rejected=int((ends == 2).sum()),
        unjudged=int((ends == 0).sum()),
        names=read.names,
        warnings=read.warnings,
    )
