"""Files written whole or not at all, that notice a flipped byte."""

import glob
import io
import math
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import NoneType
from typing import IO, Any, TextIO

from cutpoint.errors import CutpointError, InvalidArgument, InvalidFile, MissingExtra
from cutpoint.wording import shown

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

Scalar = str | int | float | bool | None


def is_scalar(value: object) -> bool:
    """Whether JSON can keep a value that is no list: text, a finite number, a bool or None."""
    if type(value) not in (str, int, float, bool, NoneType):
        return False
    try:
        str(value).encode()
    except ValueError:  # half of a surrogate pair is no text, and Python prints integers of at most 4,300 digits
        return False
    return not isinstance(value, float) or math.isfinite(value)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Put content into a file: a reader finds the old content or the new one, never a part of either."""
    write_together({Path(path): content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Put contents into files that belong together: none is replaced before all are on the disk."""
    with new_files(contents) as files:
        for file, content in zip(files, contents.values(), strict=True):
            file.write(content)


@contextmanager
def writing_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file to write bit by bit, which takes its name when it is complete and not before."""
    with new_files([path]) as (file,):
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
def new_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[IO[bytes]]]:
    """Temporary files beside paths; at the end all are forced to the disk, renamed, and their folders forced to it.

    A file that replaces another has its permissions. What killed processes have left beside the paths is removed.
    """
    paths = list(paths)
    targets = [replaceable(path) for path in paths]
    parts: list[Path] = []
    try:
        with explained("cannot be written", os.fspath(paths[0]), OSError), ExitStack() as locks:
            with ExitStack() as stack:
                files: list[IO[bytes]] = []
                for target in targets:
                    _remove_abandoned(target)
                    files.append(stack.enter_context(_locked_part(target)))
                    parts.append(Path(files[-1].name))
                    locks.callback(os.close, os.dup(files[-1].fileno()))  # the lock lasts until the file is renamed
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
            _remove(part)


def scratch_folder(part: IO[bytes]) -> Path:
    """A folder beside a temporary file of :func:`new_files`, which is removed with it."""
    folder = Path(f"{part.name}s")
    folder.mkdir(mode=0o700)
    return folder


def _locked_part(target: Path) -> IO[bytes]:
    """A new temporary file beside another, with the permissions of that one, locked as long as its process lives."""
    while True:
        part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
        file = open(part, "xb", opener=partial(os.open, mode=0o600 if target.exists() else 0o666))  # noqa: SIM115
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
            if not os.fstat(file.fileno()).st_nlink:  # taken for abandoned before it was locked
                file.close()
                continue
        if target.exists():
            _take_permissions(file, target.stat())
        return file


def _take_permissions(file: IO[bytes], old: os.stat_result) -> None:
    """Give a file the mode of another, and its owner and group as far as the system allows."""
    mode, own = stat.S_IMODE(old.st_mode) & 0o777, os.fstat(file.fileno())
    if hasattr(os, "fchown") and (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(file.fileno(), -1, old.st_gid)
        except OSError:
            mode &= 0o707  # what the group was allowed is not for another group
        with suppress(OSError):
            os.fchown(file.fileno(), old.st_uid, -1)
    os.chmod(file.fileno() if os.chmod in os.supports_fd else file.name, mode)


def _remove_abandoned(target: Path) -> None:
    """Remove what killed processes have left of the same file: temporary files that nobody holds locked."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name[:40])}\.[0-9a-f]{{16}}\.part")
    with suppress(OSError):  # a folder that cannot be listed
        for part in (each for each in target.parent.iterdir() if name.fullmatch(each.name)):
            with suppress(OSError), part.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(part)


def _remove(part: Path) -> None:
    shutil.rmtree(f"{part}s", ignore_errors=True)
    with suppress(OSError):
        part.unlink()


def permissions_like(path: str | os.PathLike[str]) -> int:
    """Mode for a new file that belongs to another and should be no more readable than it; the umask still applies."""
    return stat.S_IMODE(os.stat(path).st_mode) & 0o666 if os.path.exists(path) else 0o666


def path_of(path: object) -> str:
    """Path of a file as text; what is none is refused."""
    try:
        return os.fspath(Path(path))  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgument(f"expected the path of a file; got {shown(path)}.") from None


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
        if target.is_symlink():
            raise OSError("it is a link that leads back to itself")
    return target


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
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError("it is a device or a pipe, and a file is expected")
            content, found = file.read(), os.fstat(file.fileno())
    times = found.st_mtime_ns, found.st_ctime_ns
    is_settled = time.time_ns() - max(times) > SETTLED
    return content, (found.st_dev, found.st_ino, found.st_size, *times) if is_settled else None


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting; a pipe that nobody writes to would be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


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
