"""A file to read: its bytes within bounds, its lines, and errors that name it and the place."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cutpoint.errors import FormatError, InvalidFile
from cutpoint.files.tokens import Number, name_of_token, number_of
from cutpoint.wording import counted, shown

MOST_TEXT = 2**27
"""Most bytes of a text, unpacked: a file that was saved stays below, a decompression bomb does not."""

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

    def refused(self, sentence: str, place: str = "", advice: str = "") -> FormatError:
        """Error about this file that says where in it."""
        return FormatError(sentence, where=f"{self.path}: {place}" if place else str(self.path), advice=advice)

    def content(self, most: int) -> bytes:
        """All bytes, unpacked; more than ``most`` are refused before memory is taken for them."""
        try:
            with self.path.open("rb") as file:
                too_long = os.fstat(file.fileno()).st_size > most
                opened = gzip.GzipFile(fileobj=file) if self.packed else file
                content = b"" if too_long else opened.read(most + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
            raise self.refused(f"the file is not a whole gzip file ({problem}). Use another copy.") from None
        except (OSError, ValueError) as problem:  # ValueError: a null character in the path
            path = self.path if isinstance(problem, OSError) else repr(str(self.path))
            reason = getattr(problem, "strerror", None) or problem
            raise InvalidFile(f"cannot be read ({reason}).", where=str(path)) from None
        if too_long or len(content) > most:
            raise self.refused(f"the file holds more than {counted(most, 'byte')}, the most that is read.")
        return content

    def text(self) -> str:
        """The content as text in UTF-8, without the mark that some editors put at its beginning."""
        content = self.content(MOST_TEXT).removeprefix(BOM_UTF8)
        try:
            return content.decode()
        except UnicodeDecodeError as wrong:
            line = content.count(b"\n", 0, wrong.start) + 1
            raise self.refused("expected text in UTF-8; got bytes that are not.", f"line {line}") from None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Lines of the text with their places, without spaces around them; empty ones are left out."""
        text = self.text()
        if text.count("\n") > MOST_LINES:
            raise self.refused(f"the file has more than {counted(MOST_LINES, 'line')}, the most that are read.")
        for number, found in enumerate(re.finditer(r"[^\n]*\n?", text), start=1):
            if line := found[0].strip():
                yield f"line {number}", line

    def name(self, word: str, digits: type = str, place: str = "") -> Hashable:
        """Name of a state or symbol from its word in this file."""
        try:
            return name_of_token(word, digits)
        except ValueError:
            raise self.refused(f"{shown(word)} cannot be read as a name.", place) from None

    def probability(self, text: str, place: str) -> Number:
        """Number that stands at a place of this file."""
        try:
            return number_of(text)
        except ValueError:
            raise self.refused(f"expected a probability; got {shown(text)}.", place) from None
