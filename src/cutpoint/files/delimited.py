"""TSV and CSV: cells between tabs or commas, in CSV with quotes where they are needed."""

import csv
import io
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.storage import writing_whole
from cutpoint.files.streams import LONGEST_LINE, Block, Rows, check_plain, refusal
from cutpoint.wording import counted

FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n")  # the wide ones are signs in some languages


def rows_of(blocks: Iterator[Block], name: str, delimiter: str, quotes: bool) -> Iterator[Rows]:
    """Rows of a text, block by block; columns have numbers, and all rows as many cells as the first.

    Empty lines are left out of tables with two columns or more; in a table with one column they are empty cells.
    Without quotes every other character stands for itself, as in TSV.
    """
    width, block = 0, next(blocks, None)
    while block is not None:
        rest = None
        if not width and not block.text.strip("\n") and (more := next(blocks, None)):
            block = Block(block.text + more.text, block.line)  # empty lines alone do not tell the number of columns
            continue
        if quotes and '"' in block.text:
            rows, rest = _quoted_rows(block, blocks, name, delimiter, width)
        else:
            rows = _plain_rows(block, name, delimiter, width)
        width = len(rows.columns)
        if rows.lines:
            yield rows
        block = rest or next(blocks, None)


def written(sample: Sample) -> str:
    """A sample as TSV: words, outcomes and counts; blanks between symbols of several characters."""
    check_plain(sample, "TSV", lambda symbol: symbol and not set(symbol) & set(" \t\n\r\0"))
    rows = ["word\taccepted\tcount\n"]
    for seen in sample:
        # a blank follows a symbol that is alone, so that it is not read as characters
        word = seen.word if isinstance(seen.word, str) else " ".join(map(str, seen.word)) + " " * (len(seen.word) == 1)
        outcome = {True: "1", False: "0", None: ""}[seen.accepted]
        count = int(seen.count) if seen.count % 1 == 0 and seen.count < 1e15 else seen.count
        rows.append(f"{word}\t{outcome}\t{count}\n")
    return "".join(rows)


@contextmanager
def writing_spreadsheet(path: str | os.PathLike[str]) -> Iterator[Callable[[Mapping[str, Sequence[Any]]], None]]:
    """A function that adds rows, given by their columns, to a CSV file for a spreadsheet.

    A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@``. Such texts get an apostrophe in front, and
    all texts are in quotes. Numbers are written as they are. Other formats keep every text as it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with writing_spreadsheet(f"{folder}/scores.csv") as add:
    ...         add({"word": ["ab", "=1+1"], "log_acceptance": [-0.5, -2.0]})
    ...     print(pathlib.Path(folder, "scores.csv").read_text())
    "word","log_acceptance"
    "ab",-0.5
    "'=1+1",-2.0
    <BLANKLINE>
    """
    with writing_whole(path) as file:
        table = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        begun = False

        def add(columns: Mapping[str, Sequence[Any]]) -> None:
            nonlocal begun
            if not begun:
                table.writerow(columns)
            begun = True
            table.writerows(zip(*(map(_inert, column) for column in columns.values()), strict=True))

        yield add


def _inert(cell: Any) -> Any:
    """A cell that a spreadsheet shows and does not run."""
    if isinstance(cell, int) or (isinstance(cell, float) and math.isfinite(cell)):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA_SIGNS) or text.lstrip().startswith(FORMULA_SIGNS) else text


def _plain_rows(block: Block, name: str, delimiter: str, width: int) -> Rows:
    """Rows without quotes: all cells in one go if each line has as many as it should."""
    text = block.text
    width = width or text.lstrip("\n").split("\n", 1)[0].count(delimiter) + 1
    if _is_regular(text, delimiter, width):
        cells = text.replace("\n", delimiter).split(delimiter)[:-1]
        columns: dict[str | int, list[Any]] = {k + 1: cells[k::width] for k in range(width)}
        return Rows(columns, range(block.line, block.line + len(columns[1])))
    rows = [line.split(delimiter) if line else [] for line in text.split("\n")[:-1]]
    return _table(rows, range(block.line, block.line + len(rows)), name, width)


def _is_regular(text: str, delimiter: str, width: int) -> bool:
    """Whether every line has the same number of delimiters."""
    if width == 1 or not delimiter.isascii():
        return width == 1 and delimiter not in text
    characters = np.frombuffer(text.encode(), dtype=np.uint8)
    marks = characters[(characters == ord(delimiter)) | (characters == ord("\n"))]
    if len(marks) % width:
        return False
    expected = np.array([ord(delimiter)] * (width - 1) + [ord("\n")], dtype=np.uint8)
    return bool((marks.reshape(-1, width) == expected).all())


def _table(rows: list[list[str]], lines: Sequence[int], name: str, width: int) -> Rows:
    """Columns of rows, the empty ones left out of tables with two columns or more."""
    if not all(rows):
        filled = [(row or [""], line) for row, line in zip(rows, lines, strict=True) if row or width == 1]
        rows, lines = [row for row, _ in filled], [line for _, line in filled]
    for row, line in zip(rows, lines, strict=True) if set(map(len, rows)) - {width} else ():
        if len(row) != width:
            raise refusal(name, f"expected {counted(width, 'column')}, as in the first row; got {len(row)}.", line)
    return Rows({k + 1: [row[k] for row in rows] for k in range(width)}, lines)


def _quoted_rows(
    block: Block, blocks: Iterator[Block], name: str, delimiter: str, width: int
) -> tuple[Rows, Block | None]:
    """Rows that begin in a block with quotes, and what is left of a further block that was needed to close one."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))  # of a cell, 128 kB by default
    lines = _lines(block)
    n_lines, start = len(lines), 0

    def each_line() -> Iterator[str]:
        yield from lines[:n_lines]
        size = sum(map(len, lines[start:]))
        for more in blocks:  # asked for only while a quote is open
            size += len(more.text)
            if size > LONGEST_LINE:
                what = f"a quote opened in this row is not closed within {counted(LONGEST_LINE, 'character')}."
                raise refusal(name, what, block.line + start)
            added = _lines(more)
            lines.extend(added)
            yield from added
        raise refusal(name, "a quote opened in this row is not closed before the file ends.", block.line + start)

    reader = csv.reader(each_line(), delimiter=delimiter, strict=True)
    rows, starts = [], []
    while (start := reader.line_num) < n_lines:
        try:
            rows.append(next(reader))
        except csv.Error as problem:
            _check_quotes(lines[start : reader.line_num], delimiter, name, block.line + start)
            raise refusal(name, f"the row cannot be read ({problem}).", block.line + start) from None
        starts.append(start)
    table = _table(rows, [block.line + k for k in starts], name, width or len(next(filter(None, rows))))
    # the reader takes a quote inside a cell as it is
    if any('"' in "".join(column) for column in table.columns.values()):
        for row, first, last in zip(rows, starts, [*starts[1:], start], strict=True):
            if '"' in "".join(row):
                _check_quotes(lines[first:last], delimiter, name, block.line + first)
    rest = "".join(lines[start:])
    return table, Block(rest, block.line + start) if rest else None


def _check_quotes(lines: list[str], delimiter: str, name: str, line: int) -> None:
    """Refuse a row in which a cell is neither without quotes nor quoted as a whole."""
    text, place = "".join(lines), 0
    for k, cell in enumerate(next(csv.reader(lines, delimiter=delimiter)), 1):
        is_quoted = text.startswith('"', place)
        spelled = '"' + cell.replace('"', '""') + '"' if is_quoted else cell
        if not text.startswith(spelled, place) or ('"' in cell and not is_quoted):
            rule = 'a cell with quotes must begin and end with one, and have any others doubled ("")'
            raise refusal(name, f"column {k}: {rule}; it does not.", line)
        place += len(spelled) + 1


def _lines(block: Block) -> list[str]:
    return io.StringIO(block.text, newline="\n").readlines()
