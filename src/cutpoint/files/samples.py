"""Samples in files: TSV, CSV, NDJSON, Parquet, XES, Abbadingo, PAutomaC."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample, Symbol, Word
from cutpoint.data.alphabet import first_misfit
from cutpoint.data.column_names import SEEN, ColumnNames, Columns, given_columns, has_header, names_events
from cutpoint.data.columns import Column, warn_of_characters, word_arguments
from cutpoint.data.events import Attribute, Attributes, Gaps, comparable, event_words, sorted_rows
from cutpoint.data.marks import Verdict
from cutpoint.data.storage import path_of, write_whole
from cutpoint.errors import CutpointError, FormatError, InvalidArgument, InvalidFile, InvalidSample, UnknownSymbol
from cutpoint.files import abbadingo, delimited, ndjson, parquet, xes
from cutpoint.files.streams import COMPRESSED, InputFile, Rows, blocks, decompressor, extensions, name_of, refusal
from cutpoint.search.folds import Split
from cutpoint.wording import shown

FORMATS = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".xes": "xes",
    ".abbadingo": "abbadingo",
    ".pautomac": "pautomac",
}
"""Formats by extension."""
MERGED_AT = 1 << 23  # words and symbols that are collected before equal words are merged


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
    gaps: Gaps | None
    attributes: Attributes | None
    of_events: Mapping[str, Any]
    separator: str | None
    positive: object
    header: bool | None
    delimiter: str | None
    alphabet: Iterable[Symbol] | None


class ChunkOptions(ReadOptions, total=False):
    """How to read a file of words in chunks: see ``read_chunks``."""

    by: str | int | None
    only_words: bool


@dataclass(frozen=True)
class Chunk:
    """Some words of a file, in its order, and what is known of each.

    Attributes
    ----------
    words : str where symbols are characters, otherwise lists of symbols; score them as they are.
    lines : number of the line where each word was found (in Parquet: of the row), from 1.
    accepted, weights, verdicts, states : as ``Sample`` takes them; None if the file has no such column.
    ids : name of each word, such as its case in a table of events; None if the file has none.
    by : value of the column ``by`` for each word, in a table of events at the first event of the case.
    name, unit : for messages: the file, and what ``lines`` counts.
    declared : the alphabet, if the file names it.
    symbol_lines : in a table of events, the line of each symbol of each word.
    has_parts_of_cases : whether the file has one event per row, so that further events of a case may be in other files.
    """

    words: Sequence[Word]
    lines: Sequence[int]
    accepted: list[Verdict] | None = None
    weights: list[float] | None = None
    verdicts: list[Any] | None = None
    states: list[Any] | None = None
    ids: list[Hashable] | None = None
    by: list[Any] | None = None
    name: str = ""
    unit: str = "line"
    declared: Alphabet | None = None
    symbol_lines: list[list[int]] | None = None
    has_parts_of_cases: bool = False

    def place(self, r: int, i: int | None = None) -> str:
        """Where word r was found, or its symbol i, for messages; lines and positions are counted from 1."""
        if i is None or self.symbol_lines is None:
            return f"{self.name}: {self.unit} {self.lines[r]}" + (f", position {i + 1}" if i is not None else "")
        return f"{self.name}: {self.unit} {self.symbol_lines[r][i]}"

    def over(self, alphabet: Alphabet) -> Chunk:
        """The same words over an alphabet; an unknown symbol is refused with its line.

        Text files hold the symbols of an alphabet of numbers as texts, which become numbers again.
        """
        by_text = {str(symbol): symbol for symbol in alphabet}
        here = self
        if len(by_text) == len(alphabet) and not all(isinstance(symbol, str) for symbol in alphabet):
            here = replace(self, words=[[by_text.get(str(symbol), symbol) for symbol in word] for word in self.words])
        try:
            alphabet.encode(here.words)
        except UnknownSymbol:
            r, i, symbol = first_misfit(here.words, alphabet.__contains__)
            raise alphabet.unknown(symbol, f"{self.place(r, i)}: ") from None
        return here

    def part(self, rows: NDArray[np.int64]) -> Chunk:
        """Some of the words."""

        def chosen(values: Any) -> Any:
            return values and [values[r] for r in rows]

        each = ("words", "lines", "accepted", "weights", "verdicts", "states", "ids", "by", "symbol_lines")
        return replace(self, **{name: chosen(getattr(self, name)) for name in each})

    def sample(self, alphabet: Alphabet | None = None) -> Sample | None:
        """Sample of the words; None if all their weights are 0."""
        if self.weights is not None and not any(self.weights):
            return None
        with _counts_in(self.name):
            return Sample(self.words, self.accepted, self.verdicts, self.states, self.weights, alphabet, self.ids)


@contextmanager
def _counts_in(name: str) -> Iterator[None]:
    """Name the file if the sum of its counts is too large."""
    try:
        yield
    except InvalidSample as problem:
        raise refusal(name, str(problem)) from None


def read_sample(path: InputFile, **options: Unpack[ReadOptions]) -> Sample:
    r"""Sample in a file.

    Parameters
    ----------
    path : a file, ``"-"`` for standard input, or a file that is open. A name that ends in .gz, .bz2, .xz or .zst is
        decompressed.
    format : tsv, csv, ndjson, parquet, xes, abbadingo or pautomac; by default that of the extension (tsv if there is
        none, as for standard input).
    word, accepted, weight, verdicts, states : columns of a table with one word per row, by name or by number from 1.
    id, event, order, outcome, verdict, weight : columns of a table with one event per row; ``gaps`` and ``attributes``
        make symbols of waiting times and of what is known of a case: see ``Sample.from_events``.
    of_events : such options that are to hold if the table turns out to be one of events, unless they are given.
    separator : separator of the symbols of a word. By default blanks, if the words contain any; otherwise symbols are
        characters, as with ``""``.
    positive : the outcome that means accepted; by default outcomes are 1 and 0, true and false, yes and no, and such.
    header : whether the first line of a TSV or CSV file has the names of the columns. By default it has if columns are
        given by name, or if it contains a well-known name (``word``, ``accepted``, ``id``, …) and no outcome.
    delimiter : cell delimiter of a CSV file, by default a comma.
    alphabet : the symbols; by default those that occur, sorted, or those that the file declares.

    Notes
    -----
    Columns that are not given are found by well-known names: ``word`` or ``sequence``, ``accepted``, ``label`` or
    ``outcome``, ``count``; ``id``, ``event``, ``order`` or ``time``. Without a header a table has one column of words,
    or two columns, exactly one of which can be outcomes. The file is read once, block by block, and equal observations
    are merged on the way, so that memory grows with the distinct ones, and with the ids if there are any.

    Examples
    --------
    >>> import io
    >>> read_sample(io.StringIO("1\tlook buy\n0\tlook\n1\tlook buy\n"))
    Sample(3 observations, 2 distinct, 2 symbols, lengths 1 to 2: 2 accepted, 1 rejected)
    """
    return _sample_of(read_chunks(path, **options), name_of(path), options)


def read_cases(
    path: InputFile, callback: Callable[[int], object] | None = None, **options: Unpack[ReadOptions]
) -> Sample:
    r"""The same with an id for every row: its own or, in a file without ids, the number of its line.

    ``callback`` is called with the number of cases so far.

    Examples
    --------
    >>> import io
    >>> read_cases(io.StringIO("1\tab\n0\tb\n1\tab\n")).ids
    (1, 2, 3)
    """
    count = 0

    def noted(chunk: Chunk) -> Chunk:
        nonlocal count
        count += len(chunk.lines)
        if callback is not None:
            callback(count)
        return replace(chunk, ids=chunk.ids or list(chunk.lines))

    return _sample_of(map(noted, read_chunks(path, **options)), name_of(path), options)


@dataclass(frozen=True)
class TablePreview:
    """The first rows of a table, as text, and which column holds what, by its number from 0; or why that is not clear.

    ``header`` is whether the file names its columns. ``has_events``: there is one event per row, not one word.
    """

    format: str
    columns: list[str]
    header: bool
    rows: list[list[str]]
    roles: dict[str, int]
    has_events: bool
    problem: str | None = None


def preview(path: InputFile, most_rows: int = 1000, **options: Unpack[ChunkOptions]) -> TablePreview:
    r"""How a file would be read, before all of it is.

    Examples
    --------
    >>> import io
    >>> found = preview(io.StringIO("case,activity,label\n7,look,yes\n7,buy,yes\n"), format="csv")
    >>> found.columns, found.roles, found.rows[1]
    (['case', 'activity', 'label'], {'id': 0, 'event': 1, 'outcome': 2}, ['7', 'buy', 'yes'])
    """
    name, kind = name_of(path), format_of(path, options.get("format"))
    table = next(_rows(path, options), None)
    if table is None:
        raise refusal(name, "the file is empty.")
    problem, roles, given = None, dict[str, int](), dict[str, str | int]()
    try:
        given = dict(given_columns(options))
    except CutpointError as wrong:
        problem = str(wrong)
    header, table = _headed(table, given, options.get("header"), name)
    if problem is None:
        try:
            roles = _roles(header, table, given, options)[0]
        except CutpointError as wrong:
            problem = str(wrong)
    columns = [f"column {k + 1}" for k in range(header.width)] if header.names is None else list(header.names)
    cells = ["" if value is None else str(value) for column in table.columns.values() for value in column[:most_rows]]
    height = len(cells) // max(1, header.width)
    rows = [cells[r::height] for r in range(height)]
    has_events = "event" in roles or (not roles and names_events(options))
    return TablePreview(kind, columns, header.names is not None, rows, roles, has_events, problem)


def read_split(path: InputFile, by: str | int, holdout: float, **options: Unpack[ReadOptions]) -> Split:
    r"""Samples of the earlier and of the later words of a file: to learn from, and to judge by.

    Words are sorted by a column, such as the time when a case began (``by``; in a table of events its value at the
    first event of each case). About a share ``holdout`` of them, the last ones, are to judge by; words with equal
    values stay together. Both samples have the alphabet of all words, and the ids if there are any. The other options
    are those of ``read_sample``.

    Examples
    --------
    >>> import io
    >>> table = "word,accepted,day\nab,1,2024-03-01\nb,0,2024-03-09\na,0,2024-03-02\n"
    >>> [sample.words for sample in read_split(io.StringIO(table), "day", 0.3, format="csv")]
    [('ab', 'a'), ('b',)]
    """
    name, values, places = name_of(path), list[Any](), list[str]()

    def noted(chunk: Chunk) -> Chunk:
        """The chunk, its words called by their lines if they have no ids; values of words that count are kept."""
        for r, value in enumerate(chunk.by or ()):
            if chunk.weights is None or chunk.weights[r]:
                values.append(value)
                places.append(f"{chunk.unit} {chunk.lines[r]}")
        return replace(chunk, ids=chunk.ids or list(chunk.lines))

    whole = _sample_of(map(noted, read_chunks(path, **options, by=by)), name, options)
    column = Column(values, f"column {shown(by)}", places.__getitem__, name)
    keys = comparable(column, range(len(values)), "value to split by", instead="")
    order = np.array(sorted_rows(column, range(len(values)), keys)[::-1])
    sizes = np.cumsum(whole.known_cases.counts[order])
    first = keys[order[np.searchsorted(sizes, holdout * whole.total)]]
    is_later = np.array([key >= first for key in keys])
    if is_later.all():
        value = shown(values[order[-1]])
        what = f"there must be earlier words to learn from, and later ones to judge by; too many have {value}."
        raise column.refusal(None, what, "Split by another column.")
    return Split(whole.of_cases(~is_later), whole.of_cases(is_later))


def read_chunks(path: InputFile, **options: Unpack[ChunkOptions]) -> Iterator[Chunk]:
    r"""Words of a file in their order, some thousands at a time, for work in one pass with little memory.

    The options are those of ``read_sample``, and ``by``, a column to be kept for each word. With ``only_words``
    outcomes and what else was seen are not read. With an ``alphabet``, symbols that it does not have are refused, and
    the message names the line. A table of events comes as one chunk, because the events of a case may be anywhere in
    it, but XES in many.

    Examples
    --------
    >>> import io
    >>> (chunk,) = read_chunks(io.StringIO("0110\n\n01\n"))
    >>> chunk.words, list(chunk.lines)
    (['0110', '', '01'], [1, 2, 3])
    """
    unknown = options.keys() - ChunkOptions.__annotations__.keys()
    if unknown:
        known = sorted(ReadOptions.__annotations__)
        raise TypeError(f"unexpected option {sorted(unknown)[0]!r}; the options are {known}.")
    chunks = _chunks(_rows(path, options), name_of(path), options)
    symbols = options.get("alphabet")
    return chunks if symbols is None else (chunk.over(Alphabet(symbols)) for chunk in chunks)


def write_sample(sample: Sample, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Put a sample into a file: TSV, NDJSON, Abbadingo or PAutomaC, compressed if the extension says so.

    One row per distinct observation with its count (Abbadingo and PAutomaC repeat lines). NDJSON holds every sample
    whose symbols and states are texts and numbers; the others hold texts, and nothing that was seen along the words,
    PAutomaC no outcomes either. What a format cannot hold is refused. The alphabet is not stored: if it has more
    symbols than occur, or another order than the sorted one, pass it to ``read_sample`` again.

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
    path = path_of(path)
    kind = format_of(path, format)
    writers: dict[str, Callable[[Sample], str]] = {
        "tsv": delimited.written,
        "ndjson": ndjson.written,
        "abbadingo": abbadingo.written,
        "pautomac": partial(abbadingo.written, labeled=False),
    }
    if kind not in writers:
        raise InvalidArgument(f"samples are written as tsv, ndjson, abbadingo or pautomac; got {kind}.")
    try:
        content = writers[kind](sample).encode()
    except UnicodeEncodeError:
        raise InvalidArgument("symbols must be UTF-8 text; half a surrogate pair is not.") from None
    packed = extensions(path)[1]
    if packed is not None:
        same_bytes = {"mtime": 0} if packed == ".gz" else {}
        content = decompressor(packed, path).compress(content, **same_bytes)
    write_whole(path, content)


def _sample_of(chunks: Iterable[Chunk], name: str, options: ReadOptions) -> Sample:
    """Sample of all words of a file."""
    given = options.get("alphabet")
    alphabet = None if given is None else Alphabet(given)
    found: list[Sample] = []
    for chunk in chunks:
        sample = chunk.sample(alphabet)
        if sample is not None:
            found = _merged([*found, sample])
    if not found:
        raise refusal(name, "at least one observation must have a positive count; none has.")
    if chunk.accepted is not None:
        check_positive_outcome(found, options.get("positive"), name)
    with _counts_in(name):
        return Sample.concatenate(found, chunk.declared if alphabet is None else alphabet)


def check_positive_outcome(samples: Iterable[Sample], positive: object, name: str) -> None:
    """Refuse a name of the accepted outcome that no row of a file has: most likely it is misspelled."""
    if positive is not None and not any((sample.ends == 1).any() for sample in samples):
        what = f"must be an outcome that some row has; none has {shown(positive)}."
        raise FormatError(what, where=name, argument="positive")


def _merged(found: list[Sample]) -> list[Sample]:
    """The samples as one once the later ones are as large as the first, so that equal words are kept once."""
    first, *later = (len(sample.symbols) + len(sample) for sample in found)
    return found if sum(later) < max(first, MERGED_AT) else [Sample.concatenate(found)]


def format_of(path: InputFile, given: str | None) -> str:
    """Format of a sample as given, or by the extension."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if not (isinstance(given, str) and given in known):
            raise InvalidArgument(f"must be one of {', '.join(known)}; got {shown(given)}.", argument="format")
        return given
    found = [FORMATS[extension] for extension in extensions(path)[0] if extension in FORMATS]
    if found:
        return found[-1]
    if not isinstance(path, str | os.PathLike) or path == "-":
        return "tsv"
    if Path(path).is_dir():
        what = "expected a file; it is a folder, but not a folder of shards, as it has no manifest.json."
        advice = "Make one with cutpoint shard; if that was interrupted, run it again."
        raise InvalidFile(what, where=os.fspath(path), advice=advice)
    what = f"the format is not clear from the name {Path(path).name!r}."
    advice = f"Names may end in {', '.join((*FORMATS, *COMPRESSED))}. Or pass {{format}}, one of {', '.join(known)}."
    raise InvalidArgument(what, where=os.fspath(path), advice=advice)


def _rows(path: InputFile, options: ChunkOptions) -> Iterator[Rows]:
    """Rows of a file in any format."""
    name, kind = name_of(path), format_of(path, options.get("format"))
    if kind == "parquet":
        return parquet.rows_of(path)
    if kind == "xes":
        return xes.rows_of(path)
    if kind == "ndjson":
        return ndjson.rows_of(blocks(path), name)
    if kind in ("abbadingo", "pautomac"):
        return abbadingo.rows_of(blocks(path), name, labeled=kind == "abbadingo")
    delimiter = options.get("delimiter") or {"tsv": "\t", "csv": ","}[kind]
    if len(delimiter) != 1 or delimiter in '"\n\r':
        what = f"must be one character, not a quote or the end of a line; got {delimiter!r}."
        raise InvalidArgument(what, argument="delimiter")
    return delimited.rows_of(blocks(path), name, delimiter, quotes=kind == "csv")


def _chunks(tables: Iterator[Rows], name: str, options: Mapping[str, Any]) -> Iterator[Chunk]:
    """Chunks of a table, which has one word per row or one event per row."""
    rows = next(tables, None)
    if rows is None:
        raise refusal(name, "the file is empty.")
    keys, given = list(rows.columns), given_columns(options)
    header, rows = _headed(rows, given, options.get("header"), name)
    roles, options = _roles(header, rows, given, options)
    attributes = options["attributes"]
    has_events = "event" in roles
    labels = {role: f"column {k + 1 if header.names is None else shown(header.names[k])}" for role, k in roles.items()}

    def by_role(table: Rows) -> Rows:
        """The columns that were chosen; one that a part of the file lacks is missing in all its rows."""
        if found := header.overlooked(table.columns, roles):
            first_line = f"{table.unit} {table.lines[0]}; the first {table.unit}"
            raise refusal(name, f"{shown(found[0])} first occurs after {first_line} must have it too, null if missing.")
        missing = [None] * len(table.lines)
        return replace(table, columns={role: table.columns.get(keys[k], missing) for role, k in roles.items()})

    parts: Iterable[Rows] = map(by_role, chain([rows], tables))
    if has_events and not rows.has_whole_cases:  # the events of a case may be anywhere in the file
        parts = [_joined(list(parts))]
    given_separator, guess = _separator(options), None
    is_open = options.get("alphabet") is None  # otherwise its symbols tell what was meant
    is_empty = True
    for part in parts:
        if not part.lines:
            continue
        is_empty = False
        columns = {role: _column(part, role, label, name) for role, label in labels.items()}
        if has_events:
            made = options.get("gaps"), attributes
            cases = event_words(columns, options.get("positive"), *made, are_all=not part.has_whole_cases)
            found = cases.arguments | {"ids": cases.ids, "by": cases.by, "lines": [part.lines[r] for r in cases.first]}
            found["has_parts_of_cases"] = not part.has_whole_cases
            found["symbol_lines"] = [[part.lines[r] for r in each] for each in cases.rows]
        else:
            guess = _guessed_separator(columns["word"], guess, is_open) if given_separator is None else given_separator
            found = word_arguments(columns, guess, options.get("positive"), are_all=False) | {"lines": part.lines}
            found["by"] = columns["by"].values if "by" in columns else None
        weights, declared = found.pop("counts", None), None if part.symbols is None else Alphabet(part.symbols)
        yield Chunk(**found, weights=weights, name=name, unit=part.unit, declared=declared)
    if is_empty:
        raise refusal(name, "the file has a header and no rows.")


def _headed(rows: Rows, given: Columns, header: bool | None, name: str) -> tuple[ColumnNames, Rows]:
    """Names of the columns, and the rows below them."""
    width = len(rows.columns)
    if 1 not in rows.columns:
        return ColumnNames([str(key) for key in rows.columns], width, name), rows
    first = [column[0] for column in rows.columns.values()]
    if not has_header(first, given, header):
        return ColumnNames(None, width, name), rows
    below = {key: column[1:] for key, column in rows.columns.items()}
    return ColumnNames([cell.strip() for cell in first], width, name), replace(
        rows, columns=below, lines=rows.lines[1:]
    )


def _roles(
    header: ColumnNames, rows: Rows, given: Columns, options: Mapping[str, Any]
) -> tuple[dict[str, int], dict[str, Any]]:
    """Index of the column for each role, and the options, with attributes by role, that hold for this kind of table."""
    unneeded = SEEN if options.get("only_words") else ()
    roles = header.chosen(given, list(rows.columns.values()), rows.has_whole_cases or None, unneeded)
    found = {**options.get("of_events", {}), **options} if "event" in roles else dict(options)
    for option in ("gaps", "attributes"):
        if "event" not in roles and found.get(option) is not None:
            what = "is for tables with one event per row; this one has one word per row."
            raise FormatError(what, where=header.where, argument=option)
    attributes = Attribute.each(found.get("attributes"))
    roles |= {role: header.index("attributes", each.column) for role, each in attributes.items()}
    if header.names is not None:
        attributes = {role: replace(each, column=header.names[roles[role]]) for role, each in attributes.items()}
    if found.get("by") is not None:
        roles["by"] = header.index("by", found["by"])
    return roles, found | {"attributes": attributes}


def _joined(parts: list[Rows]) -> Rows:
    columns = {key: list(chain.from_iterable(part.columns[key] for part in parts)) for key in parts[0].columns}
    return replace(parts[0], columns=columns, lines=list(chain.from_iterable(part.lines for part in parts)))


def _column(rows: Rows, role: str, label: str, name: str) -> Column:
    return Column(rows.columns[role], label, lambda r: f"{rows.unit} {rows.lines[r]}", name)


def _separator(options: Mapping[str, Any]) -> str | None:
    """Separator of symbols in texts: as given, or as the alphabet needs it; None if that is not clear."""
    given, symbols = options.get("separator"), options.get("alphabet")
    if given is not None or symbols is None:
        return given
    alphabet = Alphabet(symbols)
    if alphabet and not alphabet.is_text:
        return " "
    return "" if " " in alphabet else None


def _guessed_separator(column: Column, earlier: str | None, is_open: bool) -> str | None:
    """A blank if a text has one; otherwise "", and a later blank is refused; None while all texts are empty.

    If it is open whether the symbols are characters, and they do not look like it, a warning says so.
    """
    if earlier == " ":
        return earlier
    texts = [value if isinstance(value, str) else "" for value in column.values]
    blank = next((r for r, text in enumerate(texts) if " " in text), None)
    if blank is not None and earlier == "":
        advice = "Pass {separator=' '} if blanks separate symbols. Pass {separator=''} if each character is one."
        raise column.refusal(blank, "this word contains a blank, but none of the many before it does.", advice)
    if blank is None and earlier is None and is_open:
        warn_of_characters(texts)
    return " " if blank is not None else "" if any(texts) else earlier
