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

from cutpoint.data.storage import explained
from cutpoint.errors import FormatError
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

    def too_many(self, noun: str, most: int) -> FormatError:
        """Error about more of something than is read."""
        return self.refused(f"the file has more than {counted(most, noun)}, the most that are read.")

    def content(self, most: int) -> bytes:
        """All bytes, unpacked; more than ``most`` are refused before memory is taken for them."""
        with explained("cannot be read", str(self.path)), self.path.open("rb") as file:
            too_long = os.fstat(file.fileno()).st_size > most
            try:
                content = b"" if too_long else (gzip.GzipFile(fileobj=file) if self.packed else file).read(most + 1)
            except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
                raise self.refused(f"the file is not a whole gzip file ({problem}). Use another copy.") from None
        if too_long or len(content) > most:
            raise self.too_many("byte", most)
        return content

    def text(self) -> str:
        """The content as text in UTF-8, without the mark that some editors put at its beginning."""
        return self.decoded(self.content(MOST_TEXT).removeprefix(BOM_UTF8))

    def decoded(self, content: bytes, place: str = "") -> str:
        """Text in UTF-8 from bytes of this file, at a place of it; otherwise the line is named."""
        try:
            return content.decode()
        except UnicodeDecodeError as wrong:
            line = content.count(b"\n", 0, wrong.start) + 1
            raise self.refused("expected text in UTF-8; got bytes that are not.", place or f"line {line}") from None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Lines of the text with their places, without spaces around them; empty ones are left out."""
        text = self.text()
        if text.count("\n") > MOST_LINES:
            raise self.too_many("line", MOST_LINES)
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
