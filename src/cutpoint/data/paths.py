"""Paths of files: on this machine, and with fsspec anywhere else (``s3://``, ``gs://``, ``https://``, …)."""

from __future__ import annotations

import glob
import os
import time
from pathlib import Path
from typing import Any

from cutpoint.errors import InvalidArgument, InvalidFile, MissingExtra


def is_remote(path: str) -> bool:
    """Whether a path is an address that names its protocol."""
    return "://" in path


Stamp = tuple[int, ...]
"""What a file system says of a file that changes with its content: device, number, length, times."""

SETTLED = 2 * 10**9
"""Nanoseconds after which a change to a file is sure to give it another time."""


def content_of(path: str) -> bytes:
    """All bytes of a file."""
    return stamped_content(path)[0]


def stamped_content(path: str) -> tuple[bytes, Stamp | None]:
    """All bytes of a file, and its stamp: as long as that is the same, so are they.

    There is none for a file elsewhere, nor for one that was changed a moment ago and may be again within the same time.
    """
    try:
        if not is_remote(path):
            with Path(path).open("rb") as file:
                return file.read(), _stamp(os.fstat(file.fileno()))
        with _fsspec(path).open(path, "rb") as file:
            return file.read(), None
    except (MissingExtra, MemoryError):
        raise
    except Exception as problem:  # each kind of storage has errors of its own
        raise InvalidFile(f"{path}: the file cannot be read ({_reason(problem)}).") from None


def _stamp(found: os.stat_result) -> Stamp | None:
    times = found.st_mtime_ns, found.st_ctime_ns
    return (found.st_dev, found.st_ino, found.st_size, *times) if time.time_ns() - max(times) > SETTLED else None


def matching(pattern: str | os.PathLike[str]) -> list[str]:
    """Paths of the files that a pattern such as ``data/*.parquet`` names, sorted; at least one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "c.txt"):
    ...         _ = (Path(folder) / name).write_text("")
    ...     [Path(path).name for path in matching(f"{folder}/*.csv")]
    ['a.csv', 'b.csv']
    """
    try:
        text = os.fspath(pattern)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text:
        raise InvalidArgument(f"expected the path of files, such as 'data/*.parquet'; got {pattern!r}.")
    if is_remote(text):
        found = _globbed(text)
    else:
        found = [text] if Path(text).is_file() else [path for path in glob.glob(text) if Path(path).is_file()]
    if not found:
        raise InvalidFile(f"{text}: no file has this name or fits this pattern.")
    return sorted(found)


def beside(folder: str, name: str) -> str:
    """Path of a file in a folder, which may be an address."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(Path(folder) / name)


def _globbed(pattern: str) -> list[str]:
    try:
        files = _fsspec(pattern).open_files(pattern, "rb")
        return [file.fs.unstrip_protocol(file.path) for file in files]
    except MissingExtra:
        raise
    except Exception as problem:  # as above
        raise InvalidFile(f"{pattern}: the files cannot be listed ({_reason(problem)}).") from None


def _fsspec(path: str) -> Any:
    try:
        import fsspec  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(f'{path}: addresses need fsspec: pip install "cutpoint[dask]".') from None
    return fsspec


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
