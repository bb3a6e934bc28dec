"""Tables of events that are too large for memory, or in several files: all events of an id brought together."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from cutpoint.data.column_names import ColumnNames, Columns, given_columns, has_header
from cutpoint.data.storage import is_remote
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.files.streams import extensions, refusal
from cutpoint.wording import counted

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
    reading = {role: value for role, value in options.items() if role not in ("format", "header", "delimiter")}
    with tempfile.TemporaryDirectory(dir=workshop) as place:
        parts, columns = _scattered(polars, names, options, Path(place), max(1, -(-size // AT_ONCE)))
        for part in parts:
            content = io.BytesIO()
            polars.concat([polars.read_parquet(path) for path in part], how="diagonal_relaxed").write_parquet(content)
            content.seek(0)
            content.name = f"{names[0]} ({counted(len(names), 'file')}), events gathered by id"
            yield content, {**reading, **columns, "format": "parquet"}


def _scattered(
    polars: Any, names: list[str], options: Mapping[str, Any], workshop: Path, buckets: int
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
                path = workshop / f"{number}.parquet"
                content = io.BytesIO()
                table.filter(place == k).write_parquet(content)
                path.write_bytes(content.getbuffer())
                parts[k].append(path)
                number += 1
    return [part for part in parts if part], columns


def _read(polars: Any, name: str, options: Mapping[str, Any]) -> Iterator[tuple[Any, dict[str, int]]]:
    """Rows of a table, a batch at a time, and which column holds what; what goes wrong is said of the table."""
    given = given_columns(options)
    try:
        batches, header = _batches(polars, name, options, given)
        for batch in batches:
            names = batch.columns if header is None else header or None
            yield batch, ColumnNames(names, len(batch.columns), name).chosen(given)
    except (polars.exceptions.PolarsError, OSError) as problem:
        raise refusal(name, f"the table cannot be read ({' '.join(str(problem).split())[:200]}).") from None


def _batches(
    polars: Any, name: str, options: Mapping[str, Any], given: Columns
) -> tuple[Iterator[Any], list[str] | None]:
    """Batches of rows; of a text also the names of its columns as they stand there, or none if it has no header."""
    found = extensions(name)
    known = [extension for extension in found[0] if extension in READERS]
    kind = "." + str(options["format"]) if options.get("format") else known[-1] if known else ""
    if kind not in READERS or found[1] is not None:
        raise InvalidArgument(f"{name}: events are gathered from csv, tsv, ndjson and parquet, not compressed.")
    reader, header = READERS[kind], None
    how: dict[str, Any] = {}
    if reader == "scan_csv":  # cells as texts, as read_sample takes them
        how = {"infer_schema": False, "separator": options.get("delimiter") or ("," if kind == ".csv" else "\t")}
        first = polars.read_csv(name, n_rows=1, has_header=False, **how).row(0)
        how["has_header"] = has_header(first, given, options.get("header"))
        header = [str(cell).strip() for cell in first] if how["has_header"] else []
    table = getattr(polars, reader)(name, **how)
    if hasattr(table, "collect_batches"):
        return iter(table.collect_batches(chunk_size=BATCH, maintain_order=True)), header
    return iter(table.collect(engine="streaming").iter_slices(BATCH)), header


def _polars(name: str) -> Any:
    try:
        import polars  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            f'{name}: gathering events of several or large files needs the extra data: pip install "cutpoint[data]".'
        ) from None
    return polars
