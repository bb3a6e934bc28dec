"""Chunks: words of a file with what is known of them, some rows at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from cutpoint.data import Alphabet, Sample, Word
from cutpoint.data.column_names import ColumnNames, given_columns, has_header, verdict_of
from cutpoint.data.columns import Column, outcomes, sequences, weights, words
from cutpoint.data.events import EventTable, gathered
from cutpoint.data.marks import Verdict
from cutpoint.data.names import is_hashable
from cutpoint.errors import InvalidSample, UnknownSymbol
from cutpoint.files.delimited import Rows
from cutpoint.files.streams import REFUSED, refusal
from cutpoint.wording import counted, shown


@dataclass(frozen=True)
class Chunk:
    """Some words of a file, in its order, and what is known of each.

    Attributes
    ----------
    words : str where symbols are characters, otherwise lists of symbols; score them as they are.
    lines : number of the line where each word was found (in Parquet: of the row), from 1.
    accepted, weights, verdicts, states : as ``Sample`` takes them; None if the file has no such column.
    ids : in a table of events, whose events make up each word; otherwise None.
    name, unit : for messages: the file, and what ``lines`` counts.
    declared : the alphabet, if the file names it.
    """

    words: Sequence[Word]
    lines: Sequence[int]
    accepted: list[Verdict] | None = None
    weights: list[float] | None = None
    verdicts: list[Any] | None = None
    states: list[Any] | None = None
    ids: list[Hashable] | None = None
    name: str = ""
    unit: str = "line"
    declared: Alphabet | None = None

    def place(self, r: int) -> str:
        """Where word r was found, for messages."""
        return f"{self.name}: {self.unit} {self.lines[r]}"

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
            r, i, symbol = next(
                (r, i, symbol)
                for r, word in enumerate(here.words)
                for i, symbol in enumerate(word)
                if symbol not in alphabet
            )
            raise alphabet.unknown(symbol, f"{self.place(r)}, position {i}: ") from None
        return here

    def sample(self, alphabet: Alphabet | None = None) -> Sample | None:
        """Sample of the words; None if all their weights are 0."""
        if self.weights is not None and not any(self.weights):
            return None
        try:
            return Sample(self.words, self.accepted, self.verdicts, self.states, self.weights, alphabet)
        except InvalidSample as problem:  # counts whose sum is too large
            raise refusal(self.name, str(problem)) from None


def chunks_of(tables: Iterator[Rows], name: str, options: Mapping[str, Any]) -> Iterator[Chunk]:
    """Chunks of a table, which has one word per row or one event per row."""
    given = given_columns(options)
    rows = next(tables, None)
    if rows is None:
        raise refusal(name, "the file is empty.")
    first = [column[0] for column in rows.columns]
    if rows.names is None and has_header(first, given, options.get("header")):
        rows = rows.without_first([cell.strip() for cell in first])
    header = ColumnNames(rows.names, len(rows.columns), name)
    roles = header.chosen(given, rows.columns)
    later = (table if table.names is not None else table.named(rows.names) for table in tables)
    parts = _aligned(chain([rows], later), roles, header)
    if "event" in roles:
        yield _event_chunk(list(parts), roles, name, options)
        return
    separator = _Separator(options.get("separator"), options.get("alphabet"))
    found = False
    for part in parts:
        if part.lines:
            found = True
            yield _word_chunk(part, roles, name, options.get("positive"), separator)
    if not found:
        raise refusal(name, "the file has a header and no rows.")


def _aligned(tables: Iterator[Rows], roles: dict[str, int], header: ColumnNames) -> Iterator[Rows]:
    """Only the columns that were chosen, in the order of the roles; missing throughout where a part lacks one."""
    names = header.names
    for table in tables:
        if names is not None and (found := header.overlooked(table.names or (), roles)):
            raise refusal(
                header.where,
                f"{shown(found[0])} first occurs after {table.unit} {table.lines[0]}; the first {table.unit} must have "
                "it too, null if it is missing.",
            )
        columns = []
        for k in roles.values():
            place: int | None = k
            if names is not None and table.names is not None and table.names != names:
                place = table.names.index(names[k]) if names[k] in table.names else None
            columns.append([None] * len(table.lines) if place is None else table.columns[place])
        labels = [f"{k + 1}" if names is None else shown(names[k]) for k in roles.values()]
        yield Rows(labels, columns, table.lines, table.unit)


def _columns(rows: Rows, roles: dict[str, int], name: str) -> dict[str, Column]:
    """Columns by role, which know how to speak of their places."""

    def place(r: int) -> str:
        return f"{name}: {rows.unit} {rows.lines[r]}"

    return {
        role: Column(values, f"column {label}", place, REFUSED)
        for role, label, values in zip(roles, rows.names or [], rows.columns, strict=True)
    }


def _word_chunk(rows: Rows, roles: dict[str, int], name: str, positive: object, separator: _Separator) -> Chunk:
    columns = _columns(rows, roles, name)
    between = separator.of(columns["word"])
    found = words(columns["word"], between)
    accepted = outcomes(columns["accepted"], positive) if "accepted" in columns else None
    counts = weights(columns["weight"]) if "weight" in columns else None
    verdicts, states = (_along(columns.get(role), found, between) for role in ("verdicts", "states"))
    if verdicts is not None:
        verdicts = [_verdicts(columns["verdicts"], r, seen) for r, seen in enumerate(verdicts)]
        for r, (end, seen) in enumerate(zip(accepted or (), verdicts, strict=False)):
            if seen is not None and None not in (end, seen[-1]) and end != seen[-1]:
                raise columns["verdicts"].refusal(
                    r, "the last verdict and the outcome speak of the state after the whole word and must agree."
                )
    if states is not None:
        states = [_states(columns["states"], r, seen) for r, seen in enumerate(states)]
    return Chunk(found, rows.lines, accepted, counts, verdicts, states, name=name, unit=rows.unit)


def _event_chunk(parts: list[Rows], roles: dict[str, int], name: str, options: Mapping[str, Any]) -> Chunk:
    """All words of a table of events: the events of one id may stand anywhere in it."""
    columns = [list(chain.from_iterable(column)) for column in zip(*(part.columns for part in parts), strict=True)]
    lines = list(chain.from_iterable(part.lines for part in parts))
    if not lines:
        raise refusal(name, "the file has a header and no rows.")
    rows = Rows(parts[0].names, columns, lines, parts[0].unit)
    found = gathered(EventTable(**_columns(rows, roles, name)), options.get("positive"))
    counts, unit = found.weights, rows.unit
    first = [lines[r] for r in found.rows]
    listed: list[Word] = [*found.words]
    return Chunk(listed, first, found.accepted, counts, found.verdicts, None, found.ids, name, unit)


def _along(column: Column | None, found: Sequence[Word], separator: str | None) -> list[Any] | None:
    """Values along each word, one more than it has symbols."""
    if column is None:
        return None
    seen = sequences(column, separator)
    for r, (word, values) in enumerate(zip(found, seen, strict=True)):
        if values is not None and len(values) != len(word) + 1:
            raise column.refusal(
                r,
                f"the word has {counted(len(word), 'symbol')}, so there must be {counted(len(word) + 1, 'value')}, one "
                f"before the first symbol and one after each; got {len(values)}.",
            )
    return seen


def _states(column: Column, r: int, values: list[Any] | None) -> list[Any] | None:
    """States along a word; a list of states, as JSON has it, means one of them."""
    for value in values or ():
        names = value if isinstance(value, list) else [value]
        if not names or not all(is_hashable(name) for name in names):
            raise column.refusal(
                r, f"states must be names, lists of names, or null where none was seen; got {shown(value)}."
            )
    return None if values is None else [set(value) if isinstance(value, list) else value for value in values]


def _verdicts(column: Column, r: int, values: list[Any] | None) -> list[Verdict] | None:
    try:
        return None if values is None else [verdict_of(value) for value in values]
    except ValueError:
        raise column.refusal(r, f"verdicts must be 1, 0, true, false or missing; got {shown(values)}.") from None


class _Separator:
    """What stands between symbols in texts: as given, or told by the first texts that are not empty.

    If one of them holds a blank, blanks separate symbols; otherwise symbols are characters. A later blank is refused.
    """

    def __init__(self, given: str | None, alphabet: object) -> None:
        self.given = given
        self.told: str | None = None
        if given is None and alphabet is not None:
            sigma = Alphabet(alphabet)  # type: ignore[arg-type]
            self.given = "" if sigma.is_text and " " in sigma else None if sigma.is_text or not sigma else " "

    def of(self, column: Column) -> str | None:
        if self.given is not None:
            return self.given
        texts = [value for value in column.values if isinstance(value, str)]
        blank = any(" " in text for text in texts)
        if self.told == "" and blank:
            r = next(r for r, value in enumerate(column.values) if isinstance(value, str) and " " in value)
            raise column.refusal(
                r,
                "this word holds a blank, but none of the many before it does. Pass separator=' ' if blanks separate "
                "symbols, or separator='' if each character is one.",
            )
        if self.told is None and any(texts):
            self.told = " " if blank else ""
        return self.told
