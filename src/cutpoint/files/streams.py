"""Text of files, block by block: decompressed by extension, lines counted, memory bounded."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import stat
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from cutpoint.data import Sample
from cutpoint.data.storage import explained, reason
from cutpoint.errors import CutpointError, FormatError, InvalidArgument, MissingExtra
from cutpoint.files.tokens import Number, name_of_token, number_of
from cutpoint.wording import counted, shown

InputFile = str | os.PathLike[str] | IO[bytes] | IO[str]  # A path, ``"-"`` for standard input, or a file that is open
BLOCK = 1 << 20  # bytes that are read at once
LONGEST_LINE = 1 << 26  # bytes of the longest line that is read
LARGEST_RATIO = 200  # A file may grow by this factor when it is decompressed, ..
ALWAYS_FINE = 1 << 26  # ... and by any factor up to this size

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
"""Modules that decompress files, by extension."""
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


@dataclass(frozen=True)
class Block:
    """Whole lines of a text, each ended by a newline, and the number of the first."""

    text: str
    line: int

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbers of the lines and what they hold, without spaces around it; empty ones are left out."""
        for number, line in enumerate(self.text.split("\n"), self.line):
            if content := line.strip():
                yield number, content

    def after(self, line: int) -> Block:
        """The lines that follow one of them."""
        return Block(self.text.split("\n", line - self.line + 1)[-1], line + 1)


@dataclass(frozen=True)
class Rows:
    """Some rows of a table.

    Attributes
    ----------
    columns : values of each column, by its name, or by its number from 1 in TSV and CSV.
    lines : number of the line (in Parquet: of the row) where each row begins.
    unit : what ``lines`` counts.
    symbols : of all words, if the file declares them.
    has_whole_cases : whether all events of a case are among these rows, and not anywhere in the file.
    """

    columns: dict[str | int, list[Any]]
    lines: Sequence[int]
    unit: str = "line"
    symbols: Sequence[str] | None = None
    has_whole_cases: bool = False


def refusal(name: str, what: str, line: int | None = None, advice: str = "") -> CutpointError:
    """Error about the content of a file, and of a line if there is one."""
    return FormatError(what, where=name if line is None else f"{name}: line {line}", advice=advice)


def check_plain(sample: Sample, kind: str, fits: Callable[[str], object]) -> None:
    """Refuse a sample that a format with nothing but words and outcomes cannot hold."""
    if sample.marks is not None:
        raise InvalidArgument(f"{kind} cannot hold what was seen along the words. Write NDJSON.")
    for symbol in sample.alphabet:
        if not isinstance(symbol, str) or not fits(symbol):
            what = f"{kind} holds symbols that are texts without blanks; got {shown(symbol)}."
            raise InvalidArgument(f"{what} Write NDJSON.")


def name_of(source: InputFile) -> str:
    """What messages call a file."""
    if isinstance(source, str | os.PathLike):
        return "standard input" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the stream"


def extensions(source: InputFile) -> tuple[list[str], str | None]:
    """Extensions of the name of a file in lower case, and apart from them the one of its compression."""
    found = [] if source == "-" else [extension.lower() for extension in Path(name_of(source)).suffixes]
    packed = found.pop() if found and found[-1] in COMPRESSED else None
    return found, packed


def blocks(source: InputFile) -> Iterator[Block]:
    """Text of a file in blocks of whole lines; what is not UTF-8 text is refused with its line."""
    name, line, pieces = name_of(source), 1, [b""]
    with opened(source) as read:
        while data := read(BLOCK):
            end = data.rfind(b"\n") + 1
            pieces.append(data[:end] if end else data)
            if sum(map(len, pieces)) > LONGEST_LINE + BLOCK:
                raise refusal(name, f"a line must have at most {counted(LONGEST_LINE, 'byte')}; it has more.", line)
            if end:
                block = b"".join(pieces)
                yield Block(_text(block, name, line), line)
                line, pieces = line + block.count(b"\n"), [data[end:]]
        if last := b"".join(pieces):
            yield Block(_text(last + b"\n", name, line), line)


@contextmanager
def opened(source: InputFile) -> Iterator[Any]:
    """A function that reads at most so many bytes from a file, decompressed."""
    name, packed = name_of(source), None
    with ExitStack() as stack:
        if source == "-":
            file: Any = sys.stdin.buffer
        elif isinstance(source, str | os.PathLike):
            with explained("the file cannot be opened", name):
                file = raw = stack.enter_context(open(source, "rb"))
            packed = extensions(source)[1]
            if packed is not None:
                file = stack.enter_context(decompressor(packed, name).open(raw, "rb"))
        else:
            file = source
        yield _guarded(file.read, name, None if packed is None else raw)


def decompressor(extension: str, name: str) -> Any:
    """Module that reads and writes compressed files of an extension."""
    if extension != ".zst":
        return import_module(COMPRESSED[extension])
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(module)
        except ImportError:
            continue
    raise MissingExtra('files that end in .zst need the extra data: pip install "cutpoint[data]".', where=name)


def _guarded(read: Any, name: str, raw: IO[bytes] | None) -> Any:
    """A reader whose failures are sentences; decompression must stay in proportion to the file."""
    total = 0

    def guarded(size: int) -> bytes:
        nonlocal total
        try:
            found = read(size) or b""
            data: bytes = found.encode() if isinstance(found, str) else found
        except UnicodeEncodeError:
            raise refusal(name, "the text holds half a surrogate pair, which is not a character.") from None
        except EOFError:
            raise refusal(name, "the compressed file ends too early.", advice="Get a complete copy.") from None
        except Exception as problem:  # each compression library has errors of its own
            what = "cannot be read" if raw is None else "cannot be decompressed"
            raise refusal(name, f"the file {what} ({reason(problem)}).") from None
        total += len(data)
        if raw is not None and total > max(ALWAYS_FINE, LARGEST_RATIO * raw.tell()):
            what = (
                f"the file must grow by at most a factor of {LARGEST_RATIO} when it is decompressed; it grows by more."
            )
            raise refusal(name, what, advice="Decompress it first if you trust it.")
        return data

    return guarded


def _text(block: bytes, name: str, line: int) -> str:
    """Bytes as text with plain newlines; what is often met in place of UTF-8 text is named."""
    if line == 1:
        block = block.removeprefix(b"\xef\xbb\xbf")
        if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise refusal(name, "the text must be UTF-8; it is UTF-16.", 1, "Convert it.")
        for magic, extension in _MAGIC.items():
            if block.startswith(magic) and not block.isascii():
                raise refusal(name, f"the file is compressed; its name must then end in {extension}.")
    try:
        text = block.decode()
    except UnicodeDecodeError as problem:
        start = block.rfind(b"\n", 0, problem.start) + 1
        at = line + block.count(b"\n", 0, problem.start)
        byte = f"byte {problem.start - start + 1} of the line is 0x{block[problem.start]:02x}"
        advice = "Convert the file. Or open it with {encoding} and pass the open file."
        raise refusal(name, f"the text must be UTF-8; {byte}.", at, advice) from None
    if "\0" in text:
        at = line + text.count("\n", 0, text.index("\0"))
        raise refusal(name, "a text must not contain NUL characters.", at, "Is it UTF-16, or a binary file?")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            at = line + text.count("\n", 0, text.index("\r"))
            raise refusal(name, "a carriage return must be followed by a newline; one is not.", at)
    return text


MOST_TEXT = 2**27  # most bytes of a text, unpacked: a file that was saved stays below, a decompression bomb does not
MOST_LINES = 2_500_000  # most lines of a text: each takes hundreds of bytes of memory for as little as ten of text

LARGE_FILE = 1 << 25  # bytes from which reading a file shows its progress

PACKED = ".gz"
DIGEST = "digest of what follows: sha256:"  # comment at the beginning of a text, before the digits


class TextDigest:
    """The digest that a comment in the first line of a text claims, beside that of the lines that follow it."""

    def __init__(self, comment: str) -> None:
        self._begin = f"{comment} {DIGEST}".encode() if comment else b""
        self._claim: bytes | None = None
        self._found = hashlib.sha256()

    def update(self, lines: bytes) -> None:
        """The next lines of the text; their ends may be those of another system."""
        if self._claim is None:
            first, _, lines = lines.partition(b"\n")
            self._claim = first.strip() if self._begin and first.startswith(self._begin) else b""
        if self._claim:
            self._found.update(lines.replace(b"\r\n", b"\n"))

    def line_for(self, content: bytes) -> bytes:
        """First line for a content."""
        return self._begin + hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest().encode()

    @property
    def is_wrong(self) -> bool:
        """Whether the claim does not hold."""
        return bool(self._claim) and self._claim != self._begin + self._found.hexdigest().encode()


@dataclass(frozen=True)
class Source:
    """File of a model, in the parts of its path: ``packed`` is ``.gz``, or nothing; ``member`` a part inside.

    Where the format has comments, ``comment`` begins one, and the first line can be a digest of the others.
    """

    stem: str
    suffix: str
    packed: str = ""
    member: str = ""
    comment: str = ""

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(self.stem + self.suffix + self.packed)

    def beside(self, suffix: str) -> Source:
        """The file of the same name with another suffix."""
        return Source(self.stem, suffix, self.packed)

    def refused(self, sentence: str, place: str = "", advice: str = "") -> FormatError:
        """Error about this file that says where in it."""
        place = ".".join(filter(None, (self.member, place)))
        return FormatError(sentence, where=f"{self.path}: {place}" if place else str(self.path), advice=advice)

    def too_many(self, noun: str, most: int) -> FormatError:
        """Error about more of something than is read."""
        return self.refused(f"the file has more than {counted(most, noun)}, the most that are read.")

    def content(self, most: int) -> bytes:
        """All bytes, unpacked; more than ``most`` are refused before memory is taken for them."""
        with explained("cannot be read", str(self.path)), self.path.open("rb") as file:
            found = os.fstat(file.fileno())
            is_plain = stat.S_ISREG(found.st_mode) and not self.packed
            too_long, most = found.st_size > most, min(most, found.st_size if is_plain else MOST_TEXT)
            try:
                content = b"" if too_long else (gzip.GzipFile(fileobj=file) if self.packed else file).read(most + 1)
            except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
                raise self.refused(f"the file is not a whole gzip file ({problem}). Use another copy.") from None
        if too_long or len(content) > most:
            raise self.too_many("byte", most)
        return content

    def text(self) -> str:
        """The content as text in UTF-8, without the mark that some editors put at its beginning."""
        content = self.content(MOST_TEXT).removeprefix(BOM_UTF8)
        digest = TextDigest(self.comment)
        digest.update(content)
        if digest.is_wrong:
            raise self.damaged()
        return self.decoded(content)

    def with_digest(self, content: bytes) -> bytes:
        """The content of a file behind a comment with its digest, which is checked when it is read."""
        return TextDigest(self.comment).line_for(content) + b"\n" + content

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

    def streamed(self) -> Iterator[Block]:
        """A text of any length in blocks, read once and in bounded memory.

        A digest in the first line is compared at the end. Large files show their progress in a terminal.
        """
        line, digest = 1, TextDigest(self.comment)
        for content in self._whole_lines():
            digest.update(content)
            try:
                text = content.decode().replace("\r\n", "\n")
            except UnicodeDecodeError as wrong:
                at = line + content.count(b"\n", 0, wrong.start)
                raise self.refused("expected text in UTF-8; got bytes that are not.", f"line {at}") from None
            yield Block(text if text.endswith("\n") else text + "\n", line)
            line += content.count(b"\n")
        if digest.is_wrong:
            raise self.damaged()

    def is_damaged(self) -> bool:
        """Whether a text that can be read again does not match the digest in its first line."""
        digest = TextDigest(self.comment)
        if self.comment and self.path.is_file():
            for content in self._whole_lines():
                digest.update(content)
        return digest.is_wrong

    def _whole_lines(self) -> Iterator[bytes]:
        """The file, unpacked, in pieces that end where a line does."""
        rest, mark = b"", BOM_UTF8
        for piece in self._pieces():
            data = rest + piece.removeprefix(mark)
            end, mark = data.rfind(b"\n") + 1, b""
            if len(data) - end > LONGEST_LINE:
                raise self.refused(f"a line must have at most {counted(LONGEST_LINE, 'byte')}; it has more.")
            if end:
                yield data[:end]
            rest = data[end:]
        if rest:
            yield rest

    def _pieces(self) -> Iterator[bytes]:
        """The file, unpacked, piece by piece."""
        with explained("cannot be read", str(self.path)), self.path.open("rb") as file, ExitStack() as stack:
            size, total = os.fstat(file.fileno()).st_size, 0
            shown_file: Any = file
            if size >= LARGE_FILE and sys.stderr.isatty():
                from rich.console import Console  # noqa: PLC0415
                from rich.progress import wrap_file  # noqa: PLC0415

                bar = wrap_file(file, size, description=self.path.name, console=Console(stderr=True), transient=True)
                shown_file = stack.enter_context(bar)
            read = gzip.GzipFile(fileobj=shown_file) if self.packed else shown_file
            try:
                while piece := read.read(BLOCK):
                    total += len(piece)
                    if self.packed and total > max(ALWAYS_FINE, LARGEST_RATIO * file.tell()):
                        raise self.too_many("byte", max(ALWAYS_FINE, LARGEST_RATIO * size))
                    yield piece
            except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
                raise self.refused(f"the file is not a whole gzip file ({problem}). Use another copy.") from None

    def damaged(self) -> FormatError:
        """Error about a text that does not match its digest."""
        what = "the file is damaged, or was edited (the rest does not match the digest in the first line)."
        return self.refused(f"{what} Use another copy; to accept it as it is, delete that line.")

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
