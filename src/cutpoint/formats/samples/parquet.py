"""Parquet: tables of columns, read with polars, a slice of rows at a time."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

from cutpoint.errors import InvalidFile, MissingExtra
from cutpoint.formats.samples.rows import Rows
from cutpoint.formats.samples.streams import Source, extensions, name_of, opened, refusal

SLICE = 1 << 16
"""Rows that are read at once."""


def rows_of(source: Source) -> Iterator[Rows]:
    """Rows of a file, slice by slice; they are counted from 1."""
    name = name_of(source)
    polars = _polars(name)
    failures = (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError)
    content = _seekable(source, name)
    try:
        table = polars.scan_parquet(content, glob=False)
        names = table.collect_schema().names()
        start = 0
        while len(frame := table.slice(start, SLICE).collect()):
            columns = [frame[column].to_list() for column in names]
            yield Rows(names, columns, range(start + 1, start + 1 + len(frame)), "row")
            start += len(frame)
    except failures as problem:
        sentence = " ".join(str(problem).split()).rstrip(".")
        raise refusal(name, f"the file cannot be read as Parquet ({sentence[:200]}).") from None


def _seekable(source: Source, name: str) -> Any:
    """A path as it is; anything else as bytes in memory, for Parquet begins with its end."""
    if isinstance(source, str | os.PathLike) and source != "-":
        if extensions(source)[1]:
            raise refusal(name, "a Parquet file is compressed inside; it must not be compressed once more.")
        if not os.path.isfile(source):  # polars would take a web address too
            raise InvalidFile(f"{name}: the file cannot be opened (No such file).")
        return os.path.abspath(source)
    with opened(source) as read:
        return io.BytesIO(b"".join(iter(lambda: read(1 << 20), b"")))


def _polars(name: str) -> Any:
    try:
        import polars  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(f'{name}: Parquet needs the extra data: pip install "cutpoint[data]".') from None
    return polars
