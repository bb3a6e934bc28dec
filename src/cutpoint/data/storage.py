"""Files written whole or not at all, that notice a flipped byte."""

from __future__ import annotations

import errno
import glob
import hashlib
import io
import os
import secrets
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import InvalidArgument, InvalidFile, MissingExtra

Arrays = dict[str, NDArray[Any]]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Put content into a file so that whoever reads it finds the old content or the new one, never a part.

    A temporary file beside it is written, forced to the disk and renamed; then the folder is forced to the disk.
    """
    write_together({Path(path): content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Put contents into files that belong together: none is replaced before all are on the disk."""
    staged: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            target = replaceable(path)
            staged[target] = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
            _written(staged[target], content)
        for target, part in staged.items():
            os.replace(part, target)
    except BaseException:
        for part in staged.values():
            part.unlink(missing_ok=True)
        raise
    for folder in {target.parent for target in staged}:
        _settled(folder)


@contextmanager
def writing_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file to write bit by bit, which takes its name when it is complete and not before."""
    try:
        target = replaceable(path)
        part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
        file = part.open("x", encoding="utf-8", newline="")
    except OSError as problem:
        raise InvalidFile(f"{os.fspath(path)}: cannot be written ({problem.strerror}).") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _settled(target.parent)


def replaceable(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, behind all links, which there may be none of yet.

    What is there and is no file must stay: a folder, but also a pipe or a device such as ``/dev/null``, which a renamed
    file would put out of the world if the user has the rights.

    Examples
    --------
    >>> replaceable(os.curdir)
    Traceback (most recent call last):
    ...
    IsADirectoryError: [Errno 21] it is a folder: '.'
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", os.fspath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is a device or a pipe, and only a file can be replaced", os.fspath(path))
    return target


def _written(path: Path, content: bytes) -> None:
    """Make a new file and force it to the disk; the user's mask decides who may read it."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _settled(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def packed(magic: bytes, arrays: Arrays) -> bytes:
    """Arrays as bytes: a first word that names the kind of file, a digest, then the arrays."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    content = buffer.getvalue()
    return magic + hashlib.sha256(content).digest() + content


def unpacked(magic: bytes, content: bytes, where: str) -> Arrays:
    """Arrays from bytes; what is not whole or not of this kind is refused."""
    head = len(magic) + hashlib.sha256().digest_size
    if not content.startswith(magic):
        raise InvalidFile(f"{where}: this is not a file of the kind {magic.decode().strip()!r}.")
    if hashlib.sha256(content[head:]).digest() != content[len(magic) : head]:
        raise InvalidFile(f"{where}: the file is damaged (its content does not match its digest). Use another copy.")
    try:
        with np.load(io.BytesIO(content[head:]), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (ValueError, OSError, KeyError, zipfile.BadZipFile) as problem:
        raise InvalidFile(f"{where}: the arrays cannot be read ({problem}).") from None


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
