"""Files written whole or not at all, that notice a flipped byte."""

import glob
import hashlib
import io
import os
import secrets
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument, InvalidFile, MissingExtra

Arrays = dict[str, NDArray[Any]]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Put content into a file: a reader finds the old content or the new one, never a part of either."""
    write_together({Path(path): content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Put contents into files that belong together: none is replaced before all are on the disk."""
    with _new_files(contents) as files:
        for file, content in zip(files, contents.values(), strict=True):
            file.write(content)


@contextmanager
def writing_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file to write bit by bit, which takes its name when it is complete and not before."""
    with _new_files([path]) as (file,):
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()


@contextmanager
def explained(
    what: str, where: str, kinds: type[Exception] | tuple[type[Exception], ...] = Exception
) -> Iterator[None]:
    """Errors of the system, of a library or of a remote storage as one sentence about a file."""
    try:
        yield
    except (CutpointError, MemoryError):
        raise
    except kinds as problem:
        raise InvalidFile(f"{what} ({reason(problem)}).", where=where) from None


def reason(problem: Exception) -> str:
    """Why an operation failed, in a few words on one line."""
    return getattr(problem, "strerror", None) or " ".join(str(problem).split())[:200] or type(problem).__name__


@contextmanager
def _new_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[IO[bytes]]]:
    """Temporary files beside paths; at the end all are forced to the disk, renamed, and their folders forced to it."""
    paths = list(paths)
    targets = [replaceable(path) for path in paths]
    parts = [target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part") for target in targets]
    try:
        with explained("cannot be written", os.fspath(paths[0]), OSError):
            with ExitStack() as stack:
                files: list[IO[bytes]] = [stack.enter_context(part.open("xb")) for part in parts]
                yield files
                for file in files:
                    file.flush()
                    os.fsync(file.fileno())
            for part, target in zip(parts, targets, strict=True):
                os.replace(part, target)
            for folder in {target.parent for target in targets} if hasattr(os, "O_DIRECTORY") else ():
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink()


def replaceable(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to through all links; it need not exist yet.

    A folder is refused, and so is a pipe or a device such as ``/dev/null``, which a renamed file would replace.

    Examples
    --------
    >>> replaceable(os.curdir)
    Traceback (most recent call last):
    ...
    cutpoint.errors.InvalidFile: .: cannot be written (it is a folder).
    """
    with explained("cannot be written", os.fspath(path)):
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
        if target.exists() and not target.is_file():
            raise OSError("it is a device or a pipe, and only a file can be replaced")
    return target


def packed(magic: bytes, arrays: Arrays) -> bytes:
    """Arrays as bytes: first the kind of file, then a digest, then the arrays."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    content = buffer.getbuffer()
    return b"".join([magic, hashlib.sha256(content).digest(), content])


def unpacked(magic: bytes, content: bytes, where: str) -> Arrays:
    """Arrays from bytes; what is damaged or of another kind is refused."""
    if not content.startswith(magic):
        raise InvalidFile(f"this is not a file of the kind {magic.decode().strip()!r}.", where=where)
    head = len(magic) + hashlib.sha256().digest_size
    digest, arrays = content[len(magic) : head], content[head:]
    if hashlib.sha256(arrays).digest() != digest:
        what = "the file is damaged (its content does not match its digest)."
        raise InvalidFile(what, where=where, advice="Use another copy.")
    try:
        with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (ValueError, OSError, KeyError, zipfile.BadZipFile) as problem:
        raise InvalidFile(f"the arrays cannot be read ({problem}).", where=where) from None


def is_remote(path: str) -> bool:
    """Whether a path is an address that names its protocol."""
    return "://" in path


Stamp = tuple[int, ...]  # what changes with the content of a file: device, number, length, times
SETTLED = 2 * 10**9  # nanoseconds after which a change to a file is sure to give it another time


def content_of(path: str) -> bytes:
    """All bytes of a file."""
    return stamped_content(path)[0]


def stamped_content(path: str) -> tuple[bytes, Stamp | None]:
    """All bytes of a file, and its stamp: as long as that is the same, so are they.

    There is none for a remote file, nor for one that was changed a moment ago and may change again at the same time.
    """
    with explained("the file cannot be read", path):
        if is_remote(path):
            with _fsspec(path).open(path, "rb") as file:
                return file.read(), None
        with Path(path).open("rb") as file:
            content, found = file.read(), os.fstat(file.fileno())
    times = found.st_mtime_ns, found.st_ctime_ns
    is_settled = time.time_ns() - max(times) > SETTLED
    return content, (found.st_dev, found.st_ino, found.st_size, *times) if is_settled else None


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
    text = os.fspath(pattern) if isinstance(pattern, str | os.PathLike) else ""
    if not isinstance(text, str) or not text:
        raise InvalidArgument(f"expected the path of files, such as 'data/*.parquet'; got {pattern!r}.")
    if is_remote(text):
        with explained("the files cannot be listed", text):
            found = [file.fs.unstrip_protocol(file.path) for file in _fsspec(text).open_files(text, "rb")]
    else:
        found = [text] if Path(text).is_file() else [path for path in glob.glob(text) if Path(path).is_file()]
    if not found:
        raise InvalidFile("no file has this name or matches this pattern.", where=text)
    return sorted(found)


def beside(folder: str, name: str) -> str:
    """Path of a file in a folder, which may be an address."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(Path(folder) / name)


def _fsspec(path: str) -> Any:
    try:
        import fsspec  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtra('remote files need fsspec: pip install "cutpoint[dask]".', where=path) from None
    return fsspec
