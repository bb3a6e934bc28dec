"""Rows: some rows of a table, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


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
