"""Text of files, block by block: compression by extension, lines counted, memory bounded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from cutpoint.errors import CutpointError, FormatError, InvalidFile, MissingExtra
from cutpoint.wording import counted

Source = str | os.PathLike[str] | IO[bytes] | IO[str]
"""A path, ``"-"`` for standard input, or a file that is open."""

REFUSED = FormatError
"""Kind of error for a file whose content cannot be taken."""
BLOCK = 1 << 20
"""Bytes that are read at once."""
LONGEST_LINE = 1 << 26
"""Bytes of the longest line that is read."""
LARGEST_RATIO = 200
"""A file may grow by this factor when it is decompressed, ..."""
ALWAYS_FINE = 1 << 26
"""... and by any factor up to this size."""

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
"""Modules that decompress files, by extension."""
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


@dataclass(frozen=True)
class Block:
    """Whole lines of a text, each ended by a newline, and the number of the first."""

    text: str
    line: int


def refusal(name: str, sentence: str, line: int | None = None) -> CutpointError:
    """Error that says in which file, and where in it, something cannot be taken."""
    return REFUSED(f"{name}: {sentence}" if line is None else f"{name}: line {line}: {sentence}")


def name_of(source: Source) -> str:
    """What messages call a source."""
    if isinstance(source, str | os.PathLike):
        return "standard input" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the stream"


def extensions(source: Source) -> tuple[list[str], str | None]:
    """Extensions of the name of a source in lower case, and apart from them the one of its compression."""
    found = [] if source == "-" else [extension.lower() for extension in Path(name_of(source)).suffixes]
    packed = found.pop() if found and found[-1] in COMPRESSED else None
    return found, packed


def blocks(source: Source) -> Iterator[Block]:
    """Text of a source in blocks of whole lines; what is not UTF-8 text is refused with its line."""
    name, line, pieces = name_of(source), 1, [b""]
    with opened(source) as read:
        while data := read(BLOCK):
            end = data.rfind(b"\n") + 1
            pieces.append(data[:end] if end else data)
            if sum(map(len, pieces)) > LONGEST_LINE + BLOCK:
                raise refusal(name, f"the line must have at most {counted(LONGEST_LINE, 'byte')}; it has more.", line)
            if end:
                block = b"".join(pieces)
                yield Block(_text(block, name, line), line)
                line, pieces = line + block.count(b"\n"), [data[end:]]
        if last := b"".join(pieces):
            yield Block(_text(last + b"\n", name, line), line)


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """A function that reads bytes from a source, decompressed, at most as many as it is asked for."""
    name = name_of(source)
    if not isinstance(source, str | os.PathLike):
        yield _guarded(lambda size: _encoded(source.read(size), name), name, None)
    elif source == "-":
        yield _guarded(sys.stdin.buffer.read, name, None)
    else:
        packed = extensions(source)[1]
        try:
            raw = open(source, "rb")  # noqa: SIM115
        except (OSError, ValueError) as problem:
            raise InvalidFile(f"{name}: the file cannot be opened ({_reason(problem)}).") from None
        with raw:
            if packed is None:
                yield _guarded(raw.read, name, None)
            else:
                with decompressor(packed, name).open(raw, "rb") as file:
                    yield _guarded(file.read, name, raw)


def decompressor(extension: str, name: str) -> Any:
    """Module that reads and writes compressed files of an extension."""
    if extension != ".zst":
        return import_module(COMPRESSED[extension])
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(module)
        except ImportError:
            continue
    raise MissingExtra(f'{name}: files that end in .zst need the extra data: pip install "cutpoint[data]".')


def _guarded(read: Any, name: str, raw: IO[bytes] | None) -> Any:
    """A reader whose failures are sentences; decompression must stay in proportion to the file."""
    total = 0

    def guarded(size: int) -> bytes:
        nonlocal total
        try:
            data: bytes = read(size)
        except CutpointError:
            raise
        except EOFError:
            raise refusal(name, "the compressed file ends too early. Get a whole copy.") from None
        except Exception as problem:  # each library of compression has errors of its own
            what = "cannot be read" if raw is None else "cannot be decompressed"
            raise refusal(name, f"the file {what} ({_reason(problem)}).") from None
        total += len(data)
        if raw is not None and total > max(ALWAYS_FINE, LARGEST_RATIO * raw.tell()):
            raise refusal(
                name,
                f"the file must grow by at most a factor of {LARGEST_RATIO} when it is decompressed; it grows by more. "
                "Decompress it first if you trust it.",
            )
        return data

    return guarded


def _encoded(data: bytes | str | None, name: str) -> bytes:
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError:
            raise refusal(name, "the text holds half a surrogate pair, which is no character.") from None
    return data or b""


def _text(block: bytes, name: str, line: int) -> str:
    if line == 1:
        block = block.removeprefix(b"\xef\xbb\xbf")
        _check_kind(block, name)
    try:
        text = block.decode()
    except UnicodeDecodeError as problem:
        start = block.rfind(b"\n", 0, problem.start) + 1
        raise refusal(
            name,
            f"the text must be UTF-8; byte {problem.start - start + 1} of the line is 0x{block[problem.start]:02x}. "
            "Convert the file, or open it yourself with its encoding and pass the open file.",
            line + block.count(b"\n", 0, problem.start),
        ) from None
    if "\0" in text:
        at = line + text.count("\n", 0, text.index("\0"))
        raise refusal(name, "a text must not hold NUL characters. Is it UTF-16, or no text at all?", at)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            at = line + text.count("\n", 0, text.index("\r"))
            raise refusal(name, "a carriage return must stand before a newline; one stands alone.", at)
    return text


def _check_kind(block: bytes, name: str) -> None:
    """Tell those apart that are often met in place of UTF-8 text."""
    if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise refusal(name, "the text must be UTF-8; it is UTF-16. Convert it.", 1)
    for magic, extension in _MAGIC.items():
        if block.startswith(magic) and not block.isascii():
            raise refusal(name, f"the file is compressed; its name must then end in {extension}.")


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
