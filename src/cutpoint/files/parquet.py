"""Parquet files, read and written some rows at a time; a new file appears when it is complete."""

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cutpoint.data.storage import explained, new_files, scratch_folder
from cutpoint.errors import InvalidFile, MissingExtra
from cutpoint.files.streams import InputFile, Rows, extensions, name_of, opened, refusal

SLICE = 1 << 16  # rows that are read at once


def rows_of(source: InputFile) -> Iterator[Rows]:
    """Rows of a file, slice by slice; they are counted from 1."""
    name = name_of(source)
    polars = _polars(name)
    failures = (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError)
    content = _seekable(source, name)
    try:
        table = polars.scan_parquet(content, glob=False)
        start = 0
        while len(frame := table.slice(start, SLICE).collect()):
            columns = {column: frame[column].to_list() for column in frame.columns}
            yield Rows(columns, range(start + 1, start + 1 + len(frame)), "row")
            start += len(frame)
    except failures as problem:
        sentence = " ".join(str(problem).split()).rstrip(".")
        raise refusal(name, f"the file cannot be read as Parquet ({sentence[:200]}).") from None


def _seekable(source: InputFile, name: str) -> Any:
    """A path as it is; anything else as bytes in memory, because the end of a Parquet file is read first."""
    if isinstance(source, str | os.PathLike) and source != "-":
        if extensions(source)[1]:
            raise refusal(name, "a Parquet file is compressed inside and must not be compressed again.")
        if not os.path.isfile(source):  # polars would take a web address too
            raise InvalidFile("the file cannot be opened (No such file).", where=name)
        return os.path.abspath(source)
    with opened(source) as read:
        return io.BytesIO(b"".join(iter(lambda: read(1 << 20), b"")))


def _polars(name: str) -> Any:
    try:
        import polars  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtra('Parquet needs the extra data: pip install "cutpoint[data]".', where=name) from None
    return polars


@contextmanager
def writing_parquet(path: str | os.PathLike[str]) -> Iterator[Callable[[Mapping[str, Sequence[Any]]], None]]:
    """A function that adds rows, given by their columns, to a table.

    At the end the table becomes a file, streamed from its parts in a folder, so that memory stays small.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with writing_parquet(Path(folder) / "scores.parquet") as add:
    ...         add({"word": ["a", "b"], "acceptance": [0.5, 1.0]})
    ...         add({"word": ["c"], "acceptance": [0.0]})
    ...     next(rows_of(Path(folder) / "scores.parquet")).columns["word"]
    ['a', 'b', 'c']
    """
    polars = _polars(os.fspath(path))
    parts: list[Path] = []

    def add(columns: Mapping[str, Sequence[Any]]) -> None:
        parts.append(folder / f"{len(parts):08d}.parquet")
        polars.LazyFrame(dict(columns)).sink_parquet(parts[-1])

    failures = (OSError, polars.exceptions.PolarsError)
    with explained("the file cannot be written", os.fspath(path), failures), new_files([path]) as (file,):
        folder = scratch_folder(file)
        yield add
        polars.scan_parquet(parts).sink_parquet(folder / "whole")
        with (folder / "whole").open("rb") as whole:
            shutil.copyfileobj(whole, file)
