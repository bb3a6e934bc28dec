"""TSV and CSV: cells between tabs or commas, in CSV with quotes where they are needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument
from cutpoint.files.streams import LONGEST_LINE, Block, refusal
from cutpoint.wording import counted, shown


@dataclass(frozen=True)
class Rows:
    """Some rows of a table.

    Attributes
    ----------
    names : names of the columns, or None if they have numbers only.
    columns : one list of values per column.
    lines : number of the line (in Parquet: of the row) where each row begins.
    unit : what ``lines`` counts.
    """

    names: list[str] | None
    columns: list[list[Any]]
    lines: Sequence[int]
    unit: str = "line"

    def without_first(self, names: list[str]) -> Rows:
        """The rows after the first, which was the header."""
        return Rows(names, [column[1:] for column in self.columns], self.lines[1:], self.unit)

    def named(self, names: list[str] | None) -> Rows:
        """The same rows with names for the columns."""
        return Rows(names, self.columns, self.lines, self.unit)


def rows_of(blocks: Iterable[Block], name: str, delimiter: str, quotes: bool) -> Iterator[Rows]:
    """Rows of a text, block by block; columns have no names yet, and all rows as many cells as the first.

    Empty lines are left out of tables with two columns or more; in a table with one column they are empty cells.
    Without quotes every other character stands for itself, as in TSV.
    """
    width, open_text, open_line = 0, "", 1
    for block in blocks:
        text, line = (open_text + block.text, open_line) if open_text else (block.text, block.line)
        if not width and text.strip("\n"):
            width = _first_width(text, delimiter, quotes)
        elif not width:  # empty lines alone do not tell the number of columns
            open_text, open_line = text, line
            continue
        if quotes and '"' in text:
            rows, rest, rest_line = _quoted_rows(text, line, name, delimiter, width)
        else:
            rows, rest, rest_line = _plain_rows(text, line, name, delimiter, width), "", line
        if len(rest) > LONGEST_LINE:
            raise refusal(name, "the quote that is opened in this row is not closed.", rest_line)
        open_text, open_line = rest, rest_line
        if rows.lines:
            yield rows
    if not width and open_text:
        yield _plain_rows(open_text, open_line, name, delimiter, 1)
    elif open_text:
        raise refusal(name, "the quote that is opened in this row is not closed before the file ends.", open_line)


def written(sample: Sample) -> str:
    """A sample as TSV: words, outcomes and counts; blanks stand between symbols of several characters."""
    if sample.marks is not None:
        raise InvalidArgument("TSV cannot hold what was seen along the way. Write NDJSON.")
    wrong = [
        symbol
        for symbol in sample.alphabet
        if not isinstance(symbol, str) or not symbol or set(symbol) & set(" \t\n\r\0")
    ]
    if wrong:
        raise InvalidArgument(f"TSV holds symbols that are texts without blanks; got {shown(wrong[0])}. Write NDJSON.")
    outcome = {True: "1", False: "0", None: ""}
    rows = [f"{_spelled(seen.word)}\t{outcome[seen.accepted]}\t{_number(seen.count)}\n" for seen in sample]
    return "word\taccepted\tcount\n" + "".join(rows)


def _spelled(word: Any) -> str:
    """A word as text. A blank follows a symbol that is alone, so that it is not read as characters."""
    return word if isinstance(word, str) else " ".join(map(str, word)) + " " * (len(word) == 1)


def _first_width(text: str, delimiter: str, quotes: bool) -> int:
    """Number of cells of the first row that is not empty."""
    first = text.lstrip("\n")
    if not (quotes and '"' in first.split("\n", 1)[0]):
        return first.split("\n", 1)[0].count(delimiter) + 1
    width, place, pattern = 1, 0, _pattern(delimiter)
    while (cell := pattern.match(first, place)) and cell[3] == delimiter:
        width, place = width + 1, cell.end()
    return width


def _plain_rows(text: str, line: int, name: str, delimiter: str, width: int) -> Rows:
    """Rows without quotes: all cells in one go if each line has as many as it should."""
    if width == 1 and delimiter not in text:
        cells = text.split("\n")[:-1]
        return Rows(None, [cells], range(line, line + len(cells)))
    if delimiter.isascii() and _is_regular(text, delimiter, width):
        cells = text.replace("\n", delimiter).split(delimiter)[:-1]
        columns = [cells[k::width] for k in range(width)]
        return Rows(None, columns, range(line, line + len(columns[0])))
    found = [(number, row) for number, row in enumerate(text.split("\n")[:-1], line) if row]
    split = [row.split(delimiter) for _, row in found]
    for (number, _), row in zip(found, split, strict=True):
        _check_width(len(row), width, name, number)
    return Rows(None, [list(column) for column in zip(*split, strict=True)], [number for number, _ in found])


def _is_regular(text: str, delimiter: str, width: int) -> bool:
    """Whether every line has the same number of delimiters."""
    characters = np.frombuffer(text.encode(), dtype=np.uint8)
    marks = characters[(characters == ord(delimiter)) | (characters == ord("\n"))]
    if len(marks) % width:
        return False
    expected = np.array([ord(delimiter)] * (width - 1) + [ord("\n")], dtype=np.uint8)
    return bool((marks.reshape(-1, width) == expected).all())


def _quoted_rows(text: str, line: int, name: str, delimiter: str, width: int) -> tuple[Rows, str, int]:
    """Rows with quotes, and the text and line of a last row whose quote is still open."""
    pattern = _pattern(delimiter)
    columns: list[list[str]] = [[] for _ in range(width)]
    lines: list[int] = []
    place = 0
    while place < len(text):
        start = place
        row: list[str] = []
        while True:
            cell = pattern.match(text, place)
            if cell is None:
                if text[place] == '"' and _is_open(text, place):
                    return Rows(None, columns, lines), text[start:], line
                at = line + text.count("\n", start, place)
                raise refusal(name, _misplaced(len(row) + 1), at)
            row.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
            place = cell.end()
            if cell[3] == "\n":
                break
        if width == 1 or text[start:place] != "\n":
            _check_width(len(row), width, name, line)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            lines.append(line)
        line += text.count("\n", start, place)
    return Rows(None, columns, lines), "", line


def _pattern(delimiter: str) -> re.Pattern[str]:
    """A cell, with or without quotes, and what ends it."""
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^"\n{mark}]*))({mark}|\n)')


def _is_open(text: str, place: int) -> bool:
    """Whether the quote at this place is not closed in the text."""
    closing = re.compile(r'"[^"]*(?:""[^"]*)*"').match(text, place)
    return closing is None


def _misplaced(column: int) -> str:
    return f'column {column}: a cell with quotes must begin and end with one, and hold others twice (""); it does not.'


def _check_width(found: int, width: int, name: str, line: int) -> None:
    if found != width:
        raise refusal(name, f"expected {counted(width, 'column')}, as in the first row; got {found}.", line)


def _number(count: float) -> str:
    return str(int(count)) if count % 1 == 0 and count < 1e15 else repr(count)
