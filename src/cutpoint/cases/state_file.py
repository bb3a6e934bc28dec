"""Running cases kept in a file, so that nothing that was answered is lost, not even to ``kill -9``.

The file holds all cases as they were after some line. A journal beside it holds the lines since then, in the batches in
which they came; a batch is on the disk before any of its lines is answered. Now and then the file is written anew and
the journal emptied. Both count lines, so that a crash between the two makes no line count twice.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.runs import MAGIC, Runs, stored_runs
from cutpoint.data.array_files import packed
from cutpoint.data.storage import content_of, explained, permissions_like, replaceable, write_whole
from cutpoint.errors import InvalidArgument, InvalidFile

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

HEADER = struct.Struct("<QII")  # lines before the batch, its length in bytes, its checksum
CHECKSUM = struct.Struct("<I")  # that of the header, so that a damaged length is not taken for a crash
SMALLEST_LIMIT = 1 << 26  # bytes up to which a journal is not emptied


class Journal:
    """Batches of lines in a file, each forced to the disk with its checksum; for one process at a time.

    What a crash left unfinished at the end was not answered and is cut off. Any other fault is a damaged file.
    """

    def __init__(self, path: str, like: str) -> None:
        self.path = path
        with explained("cannot be written", path, OSError):
            opener = partial(os.open, mode=permissions_like(like))
            self._file = open(replaceable(path), "ab", opener=opener)  # noqa: SIM115 - open until the end
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise InvalidArgument("is in use: another process watches with it.", where=path) from None

    def batches(self) -> Iterator[tuple[int, bytes]]:
        """Each batch with the number of lines before it."""
        content, start = content_of(self.path), 0
        while start < len(content):
            head = content[start : start + HEADER.size]
            begin = start + HEADER.size + CHECKSUM.size
            if begin > len(content):
                break
            if CHECKSUM.unpack(content[start + HEADER.size : begin])[0] != zlib.crc32(head):
                self._check_is_end(not content[begin:].strip(b"\0"), start)
                break
            lines, length, checksum = HEADER.unpack(head)
            batch = content[begin : begin + length]
            if len(batch) < length or zlib.crc32(batch) != checksum:
                self._check_is_end(begin + length >= len(content), start)
                break
            yield lines, batch
            start = begin + length
        with explained("cannot be written", self.path, OSError):
            os.truncate(self.path, start)

    def _check_is_end(self, is_end: bool, start: int) -> None:
        if not is_end:
            what = f"the journal is damaged at byte {start:,}, and there is more behind it."
            raise InvalidFile(what, where=self.path, advice="Use another copy.")

    def append(self, lines: int, batch: bytes) -> None:
        """Put a batch on the disk, after so many lines."""
        head = HEADER.pack(lines, len(batch), zlib.crc32(batch))
        with explained("cannot be written", self.path, OSError):
            self._file.write(head + CHECKSUM.pack(zlib.crc32(head)) + batch)
            self._file.flush()
            os.fsync(self._file.fileno())

    @property
    def size(self) -> int:
        """Number of bytes."""
        return os.fstat(self._file.fileno()).st_size

    def clear(self) -> None:
        """Forget all batches."""
        with explained("cannot be written", self.path, OSError):
            self._file.truncate(0)
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let other processes have it."""
        self._file.close()


class StateFile:
    """The cases of some :class:`EventLines` in a file and its journal, from which they are restored.

    Attributes
    ----------
    repeated : answers to the last batch of the journal, which may not have been written before a crash.
    """

    def __init__(self, path: str, lines: EventLines) -> None:
        self.path, self.lines = path, lines
        self.repeated = b""
        self._limit = SMALLEST_LIMIT
        self._journal = Journal(f"{path}.journal", like=path)
        try:
            self._restore()
        except BaseException:
            if not self._journal.size:  # nothing is lost, and no trace is left of a slip
                Path(self._journal.path).unlink()
            self._journal.close()
            raise

    def _restore(self) -> None:
        """Take up the cases of the file, then the lines of the journal that came after it."""
        exists, lines = Path(self.path).exists(), self.lines
        if exists:
            self._load()
        for before, batch in self._journal.batches():
            if before > lines.lines or not exists:
                what = f"the journal goes on after line {before}, and the file ends after line {lines.lines}."
                raise InvalidFile(what, where=self.path, advice="Use the file that belongs to the journal.")
            if before == lines.lines:
                self.repeated = lines.answers(lines.parsed(batch))
        if not exists:
            self.save()

    def _load(self) -> None:
        arrays = stored_runs(self.path, self.lines.runs.acceptor)
        runs = Runs.from_arrays(arrays, self.lines.runs.acceptor, self.path)
        settings = arrays["settings"].tobytes() if "settings" in arrays else self._settings
        if (runs.cut_point, settings) != (self.lines.runs.cut_point, self._settings):
            what = "the cases were kept with another cut point, other fields, closing events or unknown symbols."
            raise InvalidFile(what, where=self.path, advice="Give the same options, or name another file.")
        self.lines.runs = runs
        self.lines.lines = int(arrays.get("lines", 0))

    @property
    def _settings(self) -> bytes:
        return msgspec.json.encode(self.lines.settings)

    def append(self, batch: bytes) -> None:
        """Put lines on the disk before they are answered."""
        self._journal.append(self.lines.lines, batch)

    def save_if_long(self) -> None:
        """Write the file anew if reading the journal would take long."""
        if self._journal.size > self._limit:
            self.save()

    def save(self) -> None:
        """Write all cases to the file, and empty the journal."""
        settings = np.frombuffer(self._settings, dtype=np.uint8)
        arrays = self.lines.runs.to_arrays() | {"lines": np.array(self.lines.lines), "settings": settings}
        content = packed(MAGIC, arrays)
        write_whole(self.path, content)
        self._limit = max(SMALLEST_LIMIT, 2 * len(content))
        self._journal.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()
