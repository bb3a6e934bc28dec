"""Tables of events that are too large for memory, or in several files: all events of an id brought together."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from cutpoint.data.storage import is_remote
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.files.column_names import EVENT_TABLE
from cutpoint.files.streams import extensions, refusal
from cutpoint.wording import counted, listed

AT_ONCE = 1 << 26
"""Bytes of a table that are gathered at once; as Python values they take some ten times as much."""

BATCH = 1 << 18
"""Rows that are read at once."""

READERS = {".parquet": "scan_parquet", ".csv": "scan_csv", ".tsv": "scan_csv", ".ndjson": "scan_ndjson"}
READERS |= {".jsonl": "scan_ndjson", ".txt": "scan_csv"}


def gathered_tables(
    names: list[str], options: Mapping[str, Any], workshop: Path
) -> Iterator[tuple[str | IO[bytes], dict[str, Any]]]:
    """Tables with whole ids, and how to read each: the only file if it is small, otherwise parts of all by id.

    Rows go to a part by a hash of their id, in their order, with polars streaming; then the parts are read one by one.
    """
    size = sum(os.path.getsize(name) for name in names if not is_remote(name))
    if len(names) == 1 and size <= AT_ONCE:
        yield names[0], dict(options)
        return
    polars = _polars(names[0])
    columns = {role: options[role] for role in EVENT_TABLE if options.get(role) is not None}
    reading = {role: value for role, value in options.items() if role not in ("format", "header", "delimiter")}
    with tempfile.TemporaryDirectory(dir=workshop) as place:
        parts = _scattered(polars, names, options, columns, Path(place), max(1, -(-size // AT_ONCE)))
        for part in parts:
            content = io.BytesIO()
            polars.concat([polars.read_parquet(path) for path in part], how="diagonal_relaxed").write_parquet(content)
            content.seek(0)
            content.name = f"{names[0]} ({counted(len(names), 'file')}), events gathered by id"
            yield content, {**reading, "format": "parquet"}


def _scattered(
    polars: Any, names: list[str], options: Mapping[str, Any], columns: dict[str, Any], workshop: Path, buckets: int
) -> list[list[Path]]:
    """Files of each bucket, in the order of the rows."""
    parts: list[list[Path]] = [[] for _ in range(buckets)]
    number = 0
    for name in names:
        for batch in _read(polars, name, options):
            chosen = _chosen(batch, columns, name)
            place = batch[chosen["id"]].cast(polars.String).hash(seed=0).fill_null(0) % buckets
            for k in sorted(place.unique().to_list()):
                path = workshop / f"{number}.parquet"
                content = io.BytesIO()
                batch.filter(place == k).select(list(dict.fromkeys(chosen.values()))).write_parquet(content)
                path.write_bytes(content.getbuffer())
                parts[k].append(path)
                number += 1
    return [part for part in parts if part]


def _read(polars: Any, name: str, options: Mapping[str, Any]) -> Iterator[Any]:
    """Rows of a table, a batch at a time; what goes wrong is said of the table."""
    try:
        yield from _batches(polars, name, options)
    except (polars.exceptions.PolarsError, OSError) as problem:
        raise refusal(name, f"the table cannot be read ({' '.join(str(problem).split())[:200]}).") from None


def _batches(polars: Any, name: str, options: Mapping[str, Any]) -> Iterator[Any]:
    found = extensions(name)
    known = [extension for extension in found[0] if extension in READERS]
    kind = "." + str(options["format"]) if options.get("format") else known[-1] if known else ""
    if kind not in READERS or found[1] is not None:
        raise InvalidArgument(f"{name}: events are gathered from csv, tsv, ndjson and parquet, not compressed.")
    reader = READERS[kind]
    how: dict[str, Any] = {}
    if reader == "scan_csv":  # cells as texts, as read_sample takes them
        delimiter = options.get("delimiter") or ("," if kind == ".csv" else "\t")
        how = {"infer_schema": False, "separator": delimiter, "has_header": options.get("header") is not False}
    table = getattr(polars, reader)(name, **how)
    if hasattr(table, "collect_batches"):
        return iter(table.collect_batches(chunk_size=BATCH, maintain_order=True))
    return iter(table.collect(engine="streaming").iter_slices(BATCH))


def _chosen(batch: Any, columns: dict[str, Any], name: str) -> dict[str, str]:
    """Names of the columns by role; well-known ones that were not asked for come along."""
    found: dict[str, str] = {}
    for role, column in columns.items():
        number = column - 1 if isinstance(column, int) else -1
        named = batch.columns[number] if 0 <= number < len(batch.columns) else column
        if named not in batch.columns:
            raise refusal(name, f"{role}={column!r} must be a column; the columns are {listed(batch.columns)}.")
        found[role] = named
    plain = {column.strip().casefold(): column for column in batch.columns}
    for role, known in EVENT_TABLE.items():
        matches = [plain[each] for each in known if each in plain and plain[each] not in found.values()]
        if role not in found and matches:
            found[role] = matches[0]
    for role in ("id", "event"):
        if role not in found:
            raise refusal(name, f"a table of events needs a column for {role}. Name it with {role}=….")
    return found


def _polars(name: str) -> Any:
    try:
        import polars  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            f'{name}: gathering events of several or large files needs the extra data: pip install "cutpoint[data]".'
        ) from None
    return polars
