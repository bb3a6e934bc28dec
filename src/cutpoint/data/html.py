"""HTML for notebooks and the report: escaped, and bounded whatever is in it."""

from collections.abc import Sequence
from html import escape
from typing import TypeVar

from cutpoint.wording import printable

Item = TypeVar("Item")

MOST_ROWS, MOST_COLUMNS = 12, 12  # most rows and columns of a table; an ellipsis says that there are more
LONGEST = 1000  # most characters of a text
ELLIPSIS = "…"
TEXT, HEAD = "text-align: left; min-width: 5em; overflow-wrap: anywhere", "text-align: left; white-space: nowrap"
"""Style of a table's first column: text of any length, or names of states. Notebooks align everything to the right."""


def table(
    cells: Sequence[Sequence[str]], first: str = TEXT, most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS
) -> str:
    r"""Table whose first row is the header; where rows or columns are left out there is an ellipsis.

    Examples
    --------
    >>> print(table([["state", "0"], ["a<b", "1"]], HEAD).replace("<tr>", "\n<tr>"))
    <table style="margin: 0 0 1em 0">
    <tr><th style="text-align: left; white-space: nowrap">state</th><th>0</th></tr>
    <tr><td style="text-align: left; white-space: nowrap">a&lt;b</td><td>1</td></tr></table>
    """
    rows = [_first(row, most_columns + 1, ELLIPSIS) for row in _first(cells, most_rows + 1, [ELLIPSIS])]
    lines = [_row(rows[0], "th", first), *(_row(row, "td", first) for row in rows[1:])]
    return f'<table style="margin: 0 0 1em 0">{"".join(lines)}</table>'


def paragraph(text: str) -> str:
    """Paragraph of text."""
    return f"<p>{escaped(text)}</p>"


def side_by_side(figures: Sequence[tuple[str, str]]) -> str:
    """Captions with their contents, beside each other as far as the page is wide."""
    figure = '<figure style="margin: 0"><figcaption><b>{}</b></figcaption>{}</figure>'
    parts = [figure.format(escaped(caption), content) for caption, content in figures]
    return f'<div style="display: flex; flex-wrap: wrap; gap: 1em">{"".join(parts)}</div>'


def summary(value: object) -> str:
    """Repr of a value without its brackets."""
    return repr(value).removeprefix("<").removesuffix(">")


def escaped(text: str) -> str:
    """Text within a page: bounded, nothing invisible in it, nothing that is read as HTML."""
    return escape(cleaned(text, LONGEST))


def cleaned(text: str, room: int) -> str:
    r"""Printable text in one line; what is too long is cut.

    Examples
    --------
    >>> cleaned("bell\a", 9)
    'bell\\x07'
    """
    return printable(text if len(text) <= room else text[: room - 1] + ELLIPSIS)


def _row(cells: Sequence[str], tag: str, first: str) -> str:
    head, *rest = map(escaped, cells)
    return f'<tr><{tag} style="{first}">{head}</{tag}>{"".join(f"<{tag}>{cell}</{tag}>" for cell in rest)}</tr>'


def _first(items: Sequence[Item], most: int, ellipsis: Item) -> list[Item]:
    """Items as far as there is room, and a sign that there are more."""
    return [*items[:most], ellipsis] if len(items) > most else list(items)
