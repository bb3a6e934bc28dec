"""Samples in files: TSV, CSV, NDJSON, Parquet, Abbadingo, PAutomaC."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict, Unpack

from cutpoint.data import Alphabet, Sample, Symbol
from cutpoint.data.storage import write_whole
from cutpoint.errors import InvalidArgument, InvalidFile, InvalidSample
from cutpoint.files import abbadingo, delimited, ndjson, parquet
from cutpoint.files.chunks import Chunk, chunks_of
from cutpoint.files.streams import COMPRESSED, Source, blocks, decompressor, extensions, name_of, refusal
from cutpoint.wording import shown

FORMATS = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".abbadingo": "abbadingo",
    ".pautomac": "pautomac",
}
"""Formats by extension."""
MERGED_AT = 1 << 23
"""Words and symbols that are gathered before they are merged."""


class ReadOptions(TypedDict, total=False):
    """How to read a file of words: see ``read_sample``."""

    format: str | None
    word: str | int | None
    accepted: str | int | None
    weight: str | int | None
    verdicts: str | int | None
    states: str | int | None
    id: str | int | None
    event: str | int | None
    order: str | int | None
    outcome: str | int | None
    verdict: str | int | None
    separator: str | None
    positive: object
    header: bool | None
    delimiter: str | None
    alphabet: Iterable[Symbol] | None


def read_sample(path: Source, **options: Unpack[ReadOptions]) -> Sample:
    r"""Sample in a file.

    Parameters
    ----------
    path : a file, ``"-"`` for standard input, or a file that is open. A name that ends in .gz, .bz2, .xz or .zst is
        decompressed.
    format : tsv, csv, ndjson, parquet, abbadingo or pautomac; by default told by the extension (tsv if there is none
        to look at, as for standard input).
    word, accepted, weight, verdicts, states : columns of a table with one word per row, by name or by number from 1.
    id, event, order, outcome, verdict, weight : columns of a table with one event per row: see ``Sample.from_events``.
    separator : what stands between the symbols of a word. By default blanks, if the words hold any; otherwise symbols
        are characters, as with ``""``.
    positive : the outcome that means accepted; by default outcomes are 1 and 0, true and false, yes and no, and such.
    header : whether the first line of a TSV or CSV file has the names of the columns. By default it has if columns are
        asked for by name, or if it holds a well-known name (``word``, ``accepted``, ``id``, …) and no outcome.
    delimiter : what stands between the cells of a CSV file, by default a comma.
    alphabet : the symbols; by default those that occur, sorted, or those that the file declares.

    Notes
    -----
    Columns that are not named are found by well-known names: ``word`` or ``sequence``, ``accepted``, ``label`` or
    ``outcome``, ``count``; ``id``, ``event``, ``order`` or ``time``. Without a header a table has one column of words,
    or two of which exactly one can be outcomes. The file is read once, block by block, and equal observations are
    merged on the way, so that memory grows with the distinct ones.

    Examples
    --------
    >>> import io
    >>> read_sample(io.StringIO("1\tlook buy\n0\tlook\n1\tlook buy\n"))
    Sample(3 observations, 2 distinct, 2 symbols, lengths 1 to 2: 2 accepted, 1 rejected)
    """
    given = options.get("alphabet")
    found: list[Sample] = []
    declared: Alphabet | None = None
    labeled = is_declared = True
    for chunk in read_chunks(path, **options):
        declared = chunk.declared
        is_declared = is_declared and declared is not None
        labeled = labeled and chunk.accepted is not None
        sample = chunk.sample(None if given is None else Alphabet(given))
        if sample is not None:
            found = _merged([*found, sample])
    if not found:
        raise refusal(name_of(path), "at least one observation must have a positive count; none has.")
    positive = options.get("positive")
    if positive is not None and labeled and not any((sample.ends == 1).any() for sample in found):
        raise refusal(name_of(path), f"positive={shown(positive)} must be an outcome of some word; it is of none.")
    if given is None and is_declared:
        given = declared
    try:
        return _joined(found, given)
    except InvalidSample as problem:  # counts whose sum is too large
        raise refusal(name_of(path), str(problem)) from None


def _merged(found: list[Sample]) -> list[Sample]:
    """The samples as one when the later have come to be as large as the first, so that equal words are kept once."""
    first, *later = (len(sample.symbols) + len(sample) for sample in found)
    return found if sum(later) < max(first, MERGED_AT) else [_joined(found)]


def _joined(found: list[Sample], alphabet: Iterable[Symbol] | None = None) -> Sample:
    return Sample.concatenate(
        found, Alphabet.of([sample.alphabet for sample in found]) if alphabet is None else alphabet
    )


def read_chunks(path: Source, **options: Unpack[ReadOptions]) -> Iterator[Chunk]:
    r"""Words of a file in their order, some thousands at a time, for work in one pass with little memory.

    The options are those of ``read_sample``. With an ``alphabet``, symbols that it does not have are refused, and the
    message names the line. A table of events comes as one chunk, for the events of an id may stand anywhere in it.

    Examples
    --------
    >>> import io
    >>> (chunk,) = read_chunks(io.StringIO("0110\n\n01\n"))
    >>> chunk.words, list(chunk.lines)
    (['0110', '', '01'], [1, 2, 3])
    """
    unknown = options.keys() - ReadOptions.__annotations__.keys()
    if unknown:
        raise TypeError(
            f"unexpected option {sorted(unknown)[0]!r}; the options are {sorted(ReadOptions.__annotations__)}."
        )
    alphabet = options.get("alphabet")
    chunks = _chunks(path, _format(path, options.get("format")), options)
    return chunks if alphabet is None else (chunk.over(Alphabet(alphabet)) for chunk in chunks)


def write_sample(sample: Sample, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Put a sample into a file: TSV, NDJSON or Abbadingo, compressed if the name says so.

    One row per distinct observation with its count (Abbadingo repeats lines). NDJSON holds every sample whose symbols
    and states are texts and numbers; TSV and Abbadingo hold texts, and nothing that was seen along the way. What a
    format cannot hold is refused. The alphabet is not stored: if it has more symbols than occur, or another order than
    the sorted one, pass it to ``read_sample`` again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "sample.tsv"
    ...     write_sample(Sample(["ab", "b", "ab"], accepted=[True, None, True]), path)
    ...     print(path.read_text().expandtabs())
    word    accepted        count
    ab      1       2
    b               1
    """
    if not isinstance(sample, Sample):
        raise InvalidArgument(f"expected a Sample; got {shown(sample)}.")
    kind = _format(path, format)
    if kind not in ("tsv", "ndjson", "abbadingo"):
        raise InvalidArgument(f"samples are written as tsv, ndjson or abbadingo; got {kind}.")
    write = {"tsv": delimited.written, "ndjson": ndjson.written, "abbadingo": abbadingo.written}[kind]
    try:
        content = write(sample).encode()
    except UnicodeEncodeError:
        raise InvalidArgument(
            "symbols must be text that can be encoded as UTF-8; half a surrogate pair is not."
        ) from None
    packed = extensions(path)[1]
    if packed is not None:
        same_bytes = {"mtime": 0} if packed == ".gz" else {}
        content = decompressor(packed, os.fspath(path)).compress(content, **same_bytes)
    try:
        write_whole(path, content)
    except OSError as problem:
        raise InvalidFile(f"{os.fspath(path)}: cannot be written ({problem.strerror}).") from None


def _chunks(path: Source, kind: str, options: ReadOptions) -> Iterator[Chunk]:
    name = name_of(path)
    if kind in ("abbadingo", "pautomac"):
        return abbadingo.chunks_of(blocks(path), name, labeled=kind == "abbadingo")
    if kind == "parquet":
        return chunks_of(parquet.rows_of(path), name, options)
    if kind == "ndjson":
        return chunks_of(ndjson.rows_of(blocks(path), name), name, options)
    delimiter = options.get("delimiter") or {"tsv": "\t", "csv": ","}[kind]
    if len(delimiter) != 1 or delimiter in '"\n\r':
        raise InvalidArgument(f"delimiter must be one character, not a quote or the end of a line; got {delimiter!r}.")
    return chunks_of(delimited.rows_of(blocks(path), name, delimiter, kind == "csv"), name, options)


def _format(path: Source, given: str | None) -> str:
    """Format that is given, or that the name of the file tells."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise InvalidArgument(f"format must be one of {', '.join(known)}; got {shown(given)}.")
        return given
    found = extensions(path)[0]
    told = [FORMATS[extension] for extension in found if extension in FORMATS]
    if told:
        return told[-1]
    if not isinstance(path, str | os.PathLike) or path == "-":
        return "tsv"
    if Path(path).is_dir():
        raise InvalidFile(
            f"{os.fspath(path)}: expected a file; it is a folder, and not one of shards, for it has no manifest.json. "
            "Make one with cutpoint shard; if that was interrupted, do it again."
        )
    raise InvalidArgument(
        f"{os.fspath(path)}: the format is not clear from the name {Path(path).name!r}. "
        f"Pass format=…, one of {', '.join(known)}; names may end in {', '.join((*FORMATS, *COMPRESSED))}."
    )
