"""A file to be read: its bytes within bounds, and errors that name it."""

from __future__ import annotations

import gzip
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cutpoint.errors import FormatError, InvalidFile
from cutpoint.wording import counted

MOST_TEXT = 2**27
"""Most bytes of a text, unpacked: a file that was saved stays below, a bomb does not."""

MOST_LINES = 2_500_000
"""Most lines of a text: each takes hundreds of bytes of memory for as little as ten of text."""

PACKED = ".gz"


@dataclass(frozen=True)
class Source:
    """File of a model, in the parts of its path: ``packed`` is ``.gz``, or nothing."""

    stem: str
    suffix: str
    packed: str = ""

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(self.stem + self.suffix + self.packed)

    def beside(self, suffix: str) -> Source:
        """The file of the same name with another suffix."""
        return Source(self.stem, suffix, self.packed)

    def refused(self, sentence: str, place: str = "") -> FormatError:
        """Error about this file that says where in it."""
        return FormatError(f"{self.path}: {place}{': ' if place else ''}{sentence}")

    def content(self, most: int) -> bytes:
        """All bytes, unpacked; more than ``most`` are refused before memory is taken for them."""
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_size > most:
                    raise self._too_long(most)
                content = self._unpacked(file, most) if self.packed else file.read(most + 1)
        except OSError as problem:
            raise InvalidFile(f"{self.path}: cannot be read ({problem.strerror or problem}).") from None
        except ValueError as problem:
            if isinstance(problem, InvalidFile):
                raise
            raise InvalidFile(f"{str(self.path)!r}: cannot be read ({problem}).") from None
        if len(content) > most:
            raise self._too_long(most)
        return content

    def text(self) -> str:
        """The content as text in UTF-8, without the mark that some editors put at its beginning."""
        content = self.content(MOST_TEXT).removeprefix(BOM_UTF8)
        try:
            return content.decode()
        except UnicodeDecodeError as wrong:
            line = content.count(b"\n", 0, wrong.start) + 1
            raise self.refused("expected text in UTF-8; got bytes that are not.", f"line {line}") from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines of the text with their numbers, without spaces around them; empty ones are left out."""
        text = self.text()
        if text.count("\n") > MOST_LINES:
            raise self.refused(f"the file has more than {counted(MOST_LINES, 'line')}, the most that are read.")
        start, number = 0, 1
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            line = text[start:end].strip()
            if line:
                yield number, line
            start, number = end + 1, number + 1

    def _unpacked(self, file: IO[bytes], most: int) -> bytes:
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                return unpacked.read(most + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
            raise self.refused(f"the file is not a whole gzip file ({problem}). Use another copy.") from None

    def _too_long(self, most: int) -> FormatError:
        return self.refused(f"the file holds more than {counted(most, 'byte')}, the most that is read.")
