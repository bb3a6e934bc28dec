"""Columns of a table chosen: by the names and numbers that are given, else by names that are well known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from cutpoint.data.alphabet import Symbol
from cutpoint.data.columns import verdict_of
from cutpoint.errors import InvalidArgument
from cutpoint.files.delimited import Rows
from cutpoint.files.streams import refusal
from cutpoint.wording import counted, listed, shown, suggestion

OUTCOMES = ("accepted", "label", "outcome", "target", "class")
WORD_TABLE: dict[str, tuple[str, ...]] = {
    "word": ("word", "words", "sequence", "symbols", "text", "string"),
    "accepted": OUTCOMES,
    "weight": ("count",),
    "verdicts": ("verdicts",),
    "states": ("states",),
}
EVENT_TABLE: dict[str, tuple[str, ...]] = {
    "id": ("id", "case", "case_id"),
    "event": ("event", "activity", "symbol"),
    "order": ("order", "time", "timestamp", "step"),
    "outcome": OUTCOMES,
    "verdict": ("verdict",),
    "weight": ("count",),
}
"""Names by which columns are known, in any case of letters."""


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


def given_columns(options: Mapping[str, Any]) -> dict[str, str | int]:
    """Columns that were named, by role; those of words and those of events do not go together."""
    roles = {role: options.get(role) for role in (*WORD_TABLE, *EVENT_TABLE)}
    given = {role: column for role, column in roles.items() if column is not None}
    of_words, of_events = ([role for role in given if role in table] for table in (WORD_TABLE, EVENT_TABLE))
    only_words, only_events = set(of_words) - set(of_events), set(of_events) - set(of_words)
    if only_words and only_events:
        raise InvalidArgument(
            f"a table has one word per row ({', '.join(sorted(only_words))}) or one event per row "
            f"({', '.join(sorted(only_events))}); name columns of one kind only."
        )
    return given


def with_header(first: Rows, given: Mapping[str, str | int], header: bool | None) -> bool:
    """Whether the first row holds the names of the columns.

    It does if columns are asked for by name, or if one of its cells is a well-known name and none of the others is an
    outcome.
    """
    if header is not None or any(isinstance(column, str) for column in given.values()):
        return header is not False
    cells = [_plain(column[0]) for column in first.columns]
    known = {name for table in (WORD_TABLE, EVENT_TABLE) for names in table.values() for name in names}
    return bool(known & set(cells)) and not any(_is_value(cell) for cell in cells if cell not in known)


def chosen_columns(first: Rows, given: Mapping[str, str | int], name: str) -> dict[str, int]:
    """Index of the column for each role that has one."""
    names = first.names
    found = {role: _index(first, role, column, name) for role, column in given.items()}
    if names is None and not found:
        return _unnamed(first, name)
    is_events = bool(found.keys() & (EVENT_TABLE.keys() - WORD_TABLE.keys()))
    if not found.keys() & (WORD_TABLE.keys() ^ EVENT_TABLE.keys()):
        plain = {_plain(known) for known in names or ()}
        is_events = not plain & {*WORD_TABLE["word"]} and all(plain & {*EVENT_TABLE[role]} for role in ("id", "event"))
    table = EVENT_TABLE if is_events else WORD_TABLE
    for role, known_as in table.items():
        if role in found:
            continue
        matches = [k for k, known in enumerate(names or ()) if _plain(known) in known_as and k not in found.values()]
        if len(matches) > 1:
            both = " and ".join(f"{k + 1}" for k in matches)
            raise refusal(name, f"the columns {both} could both be {role} by their names. Choose one with {role}=….")
        if matches:
            found[role] = matches[0]
    for role in ("id", "event") if is_events else ("word",):
        if role not in found:
            have = "they have no names" if names is None else f"the columns are {listed(names)}"
            raise refusal(name, f"no column is called {' or '.join(table[role])}; {have}. Choose one with {role}=….")
    return found


def check_no_other(table: Rows, names: list[str], roles: Mapping[str, int], name: str) -> None:
    """Refuse a column with a well-known name that only later rows have: it would be left out in silence."""
    known = EVENT_TABLE if "event" in roles else WORD_TABLE
    for other in table.names or ():
        if other not in names and any(_plain(other) in known[role] for role in known if role not in roles):
            raise refusal(
                name,
                f"{shown(other)} first occurs after {table.unit} {table.lines[0]}; the first "
                f"{table.unit} must have it too, null if it is missing.",
            )


def _unnamed(first: Rows, name: str) -> dict[str, int]:
    """Columns of a table without names: words alone, or words and outcomes, which look different."""
    if len(first.columns) == 1:
        return {"word": 0}
    if len(first.columns) == 2:
        could_be = [k for k, column in enumerate(first.columns) if _are_outcomes(column)]
        if len(could_be) == 1:
            return {"word": 1 - could_be[0], "accepted": could_be[0]}
    raise refusal(
        name,
        f"the table has {counted(len(first.columns), 'column')} and no header with known names, and it is not clear "
        "which holds the words. Number them, as in word=2, accepted=1, or pass header=True if the "
        "first row has the names.",
    )


def _index(first: Rows, role: str, column: str | int, name: str) -> int:
    width = len(first.columns)
    if isinstance(column, bool) or not isinstance(column, str | int):
        raise InvalidArgument(f"{role} must be the name or the number of a column; got {shown(column)}.")
    if isinstance(column, int):
        if not 1 <= column <= width:
            raise refusal(name, f"{role}={column}: the columns are numbered from 1 to {width}.")
        return column - 1
    names = first.names
    if names is None:
        raise refusal(name, f"{role}={shown(column)}: the columns have no names, as header=False. Give a number.")
    if names.count(column) != 1:
        what = "there are several" if column in names else f"the columns are {listed(names)}"
        raise refusal(name, f"{role}={shown(column)} must be one column; {what}.{suggestion(column, names)}")
    return names.index(column)


def _are_outcomes(column: list[str]) -> bool:
    """Whether all values of a column are outcomes, at least one of them known."""
    distinct = set(column)
    try:
        return any(verdict_of(value) is not None for value in distinct)
    except ValueError:
        return False


def _is_value(cell: str) -> bool:
    """Whether a cell is an outcome rather than a name."""
    try:
        return verdict_of(cell) is not None
    except ValueError:
        return False


def _plain(cell: object) -> str:
    return str(cell).strip().casefold()
