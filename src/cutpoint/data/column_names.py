"""Well-known names: which column of a table holds what, and which outcome a text stands for."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutpoint.data.alphabet import is_missing
from cutpoint.data.marks import Verdict
from cutpoint.errors import CutpointError, FormatError, InvalidArgument
from cutpoint.wording import counted, listed, shown, suggestion

OUTCOME = ("accepted", "label", "outcome", "target", "class")
WORD_TABLE: dict[str, tuple[str, ...]] = {
    "word": ("word", "words", "sequence", "symbols", "text", "string"),
    "accepted": OUTCOME,
    "weight": ("count",),
    "verdicts": ("verdicts",),
    "states": ("states",),
    "id": ("id", "case", "case id"),
}
"""Columns of a table with one word per row: the names of each role, in any case of letters, with blanks, underscores
or nothing between words."""
EVENT_TABLE: dict[str, tuple[str, ...]] = {
    "id": ("id", "case", "case id", "case key", "trace id", "case:concept:name"),
    "event": ("event", "activity", "symbol", "event name", "activity name", "task", "concept:name"),
    "order": (
        *("order", "time", "timestamp", "step", "date", "datetime", "event time", "start time", "end time"),
        *("start timestamp", "end timestamp", "complete timestamp", "time:timestamp"),
    ),
    "outcome": (*OUTCOME, *(f"case:{name}" for name in OUTCOME)),
    "verdict": ("verdict",),
    "weight": ("count", "case:count"),
}
"""Columns of a table with one event per row."""
STANDARD = ("case:concept:name", "concept:name", "time:timestamp")  # names of the XES standard win over all others
ROLES = {**WORD_TABLE, **EVENT_TABLE}
NEEDED = {False: ("word",), True: ("id", "event")}  # columns that a table must have, by whether it is one of events
SEEN = frozenset(("accepted", "verdicts", "states", "outcome", "verdict"))  # columns that scoring does not need

OUTCOMES: dict[str, Verdict] = {
    **dict.fromkeys(("1", "1.0", "true", "t", "yes", "y", "accepted", "accept", "positive", "pos"), True),
    **dict.fromkeys(("0", "0.0", "false", "f", "no", "n", "rejected", "reject", "negative", "neg"), False),
    **dict.fromkeys(("", "?", "na", "n/a", "nan", "null"), None),
}
"""Outcomes by the texts that stand for them, in any case of letters; None for one that is missing."""

Columns = Mapping[str, str | int]  # columns by role, each given by name or by number from 1


def given_columns(options: Mapping[str, Any]) -> Columns:
    """Columns that options name; those of a word table and those of an event table do not go together."""
    given = {role: options[role] for role in ROLES if options.get(role) is not None}
    words, events = sorted(given.keys() - EVENT_TABLE.keys()), sorted(given.keys() - WORD_TABLE.keys())
    if words and events:
        kinds = f"one word per row ({', '.join(words)}) or one event per row ({', '.join(events)})"
        advice = "The column with the outcome is {accepted} where rows are words, {outcome} where they are events."
        raise InvalidArgument(f"a table has {kinds}; name columns of one kind only.", advice=advice)
    return given


def names_events(options: Mapping[str, Any]) -> bool:
    """Whether options name a case, or a column that only a table of events has."""
    return any(options.get(role) is not None for role in EVENT_TABLE.keys() - WORD_TABLE.keys() | {"id"})


def has_header(cells: Sequence[object], given: Columns, header: bool | None) -> bool:
    """Whether the first row of a table holds the names of its columns.

    It does if columns are given by name, or if one of its cells is a well-known name and none of the others is an
    outcome; ``header`` decides if it is not None.
    """
    if header is not None or any(isinstance(column, str) for column in given.values()):
        return header is not False
    tables = (WORD_TABLE, EVENT_TABLE)[: len(cells)]  # a table of events has two columns or more
    known = {_plain(name) for table in tables for names in table.values() for name in names}
    others = [cell for cell in cells if _plain(cell) not in known]
    return len(others) < len(cells) and not any(_are_outcomes([cell]) for cell in others)


@dataclass(frozen=True)
class ColumnNames:
    """Names of the columns of a table, and which of them holds what.

    Attributes
    ----------
    names : None if the columns have numbers only.
    width : number of columns.
    where : the file, for messages; empty for a data frame.

    Examples
    --------
    >>> ColumnNames(["Case ID", "what", "Label"], 3).chosen({"event": "what"})
    {'event': 1, 'id': 0, 'outcome': 2}
    """

    names: Sequence[str] | None
    width: int
    where: str = ""

    def chosen(
        self,
        given: Columns,
        columns: Sequence[list[Any]] = (),
        has_events: bool | None = None,
        unneeded: Collection[str] = (),
    ) -> dict[str, int]:
        """Index of the column for each role that has one; what is missing or ambiguous is refused.

        If there are neither names nor given columns, ``columns``, the values of the first rows, decide. ``has_events``
        is whether there is one event per row, if that is known; columns for ``unneeded`` roles are not looked for.
        """
        given = {role: column for role, column in given.items() if role not in unneeded}
        if self.names is None and not given:
            return {role: k for role, k in self._by_values(columns).items() if role not in unneeded}
        found = {role: self.index(role, column) for role, column in given.items()}
        names = [_plain(name) for name in self.names or ()]
        if has_events is None:
            has_events = self._has_events(given, names)
        for role, known in (EVENT_TABLE if has_events else WORD_TABLE).items():
            if role in found or role in unneeded:
                continue
            choose = f"Choose one with {{{role}}}."
            choose += " Or, if rows are events, name {id} and {event}, and {outcome}." * (role == "word")
            plain_known = set(map(_plain, known))
            matches = [k for k, name in enumerate(names) if name in plain_known and k not in found.values()]
            matches = [k for k in matches if names[k] in STANDARD] or matches
            if len(matches) == 1:
                found[role] = matches[0]
            elif matches:
                both = " and ".join(f"{k + 1}" for k in matches)
                raise self._refusal(f"columns {both} could be {role!r}, by their names.", choose)
            elif role in NEEDED[has_events]:
                have = "they have no names" if self.names is None else f"the columns are {listed(self.names)}"
                what = f"no column is called {', '.join(known[:-1])} or {known[-1]}; {have}."
                raise self._refusal(what, choose)
        return found

    def index(self, role: str, column: str | int) -> int:
        """Index of a column that was given."""
        if isinstance(column, bool) or not isinstance(column, str | int):
            raise InvalidArgument(f"must be the name or the number of a column; got {shown(column)}.", argument=role)
        known: list[Any] = list(self.names or ())
        if not known or (isinstance(column, int) and all(isinstance(name, str) for name in known)):
            known = list(range(1, self.width + 1))
        if known.count(column) > 1:
            what = f"must be one column; {known.count(column)} have the name {shown(column)}."
            raise self._refusal(what, "Give a number.", role)
        if column not in known:
            what = f"must be one of the columns {listed(known)}; got {shown(column)}.{suggestion(column, known)}"
            raise self._refusal(what, "", role)
        return known.index(column)

    def overlooked(self, later: Iterable[str | int], roles: Mapping[str, int]) -> list[str | int]:
        """Columns with a well-known name that only later rows of a table have: they would be left out in silence."""
        table = EVENT_TABLE if "event" in roles else WORD_TABLE
        known = {_plain(name) for role, names in table.items() if role not in roles for name in names}
        return [name for name in later if name not in (self.names or ()) and _plain(name) in known]

    def _has_events(self, given: Columns, names: list[str]) -> bool:
        """Whether there is one event per row: by the columns that are given, otherwise by well-known names."""
        if given.keys() & (WORD_TABLE.keys() ^ EVENT_TABLE.keys()):
            return bool(given.keys() & (EVENT_TABLE.keys() - WORD_TABLE.keys()))
        known = {role: {*map(_plain, ROLES[role])} & {*names} for role in ("word", "id", "event")}
        if known["word"] and not {*STANDARD[:2]} <= {*names}:
            return False
        return "id" in given or bool(known["id"] and known["event"])

    def _by_values(self, columns: Sequence[list[Any]]) -> dict[str, int]:
        """Words alone, or words and outcomes, which look different."""
        if self.width == 1:
            return {"word": 0}
        could_be = [k for k, column in enumerate(columns) if _are_outcomes(column)]
        if self.width == 2 and len(could_be) == 1:
            return {"word": 1 - could_be[0], "accepted": could_be[0]}
        what = f"the table has {counted(self.width, 'column')} and no header with known names, so they must be given."
        advice = "Number them, as in {word=2} {accepted=1}. Or pass {header=True} if the first row has names."
        raise self._refusal(what, advice)

    def _refusal(self, what: str, advice: str, argument: str = "") -> CutpointError:
        kind = FormatError if self.where else InvalidArgument
        return kind(what, where=self.where, argument=argument, advice=advice)


def verdict_of(value: object) -> Verdict:
    """Outcome that a value stands for; ValueError if it stands for none.

    Examples
    --------
    >>> [verdict_of(value) for value in (True, 0, "Yes", "rejected", "?")]
    [True, False, True, False, None]
    """
    if is_missing(value):
        return None
    if isinstance(value, str) and (text := value.strip().casefold()) in OUTCOMES:
        return OUTCOMES[text]
    if isinstance(value, bool | np.bool_ | int | np.integer | float | np.floating) and value in (0, 1):
        return bool(value)
    raise ValueError


def _are_outcomes(values: Sequence[object]) -> bool:
    """Whether all values are outcomes, at least one of them known."""
    try:
        return any([verdict_of(value) is not None for value in set(values)])  # noqa: C419  all are looked at
    except ValueError:
        return False


def _plain(name: object) -> str:
    """A name as it is compared."""
    return re.sub(r"[\s_]", "", str(name)).casefold()
