"""Well-known names: which column of a table holds what, and which outcome a text stands for."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
}
"""Columns of a table with one word per row: the names of each role, in any case of letters, with blanks or
underscores."""
EVENT_TABLE: dict[str, tuple[str, ...]] = {
    "id": ("id", "case", "case id"),
    "event": ("event", "activity", "symbol"),
    "order": ("order", "time", "timestamp", "step"),
    "outcome": OUTCOME,
    "verdict": ("verdict",),
    "weight": ("count",),
}
"""Columns of a table with one event per row."""
ROLES = {**WORD_TABLE, **EVENT_TABLE}
NEEDED = ("word", "id", "event")
"""Columns that a table of their kind must have."""

OUTCOMES: dict[str, Verdict] = {
    **dict.fromkeys(("1", "1.0", "true", "t", "yes", "y", "accepted", "accept", "positive", "pos"), True),
    **dict.fromkeys(("0", "0.0", "false", "f", "no", "n", "rejected", "reject", "negative", "neg"), False),
    **dict.fromkeys(("", "?", "na", "n/a", "nan", "null"), None),
}
"""Outcomes by the texts that stand for them, in any case of letters; None for one that is missing."""

MISSING = {"NAType", "NaTType"}
"""Types of missing values in data frames, by name, so that pandas need not be imported."""

Columns = Mapping[str, str | int]
"""Columns by role, each given by name or by number from 1."""


def given_columns(options: Mapping[str, Any]) -> Columns:
    """Columns that options name; those of a word table and those of an event table do not go together."""
    given = {role: options[role] for role in ROLES if options.get(role) is not None}
    words, events = sorted(given.keys() - EVENT_TABLE.keys()), sorted(given.keys() - WORD_TABLE.keys())
    if words and events:
        kinds = f"one word per row ({', '.join(words)}) or one event per row ({', '.join(events)})"
        raise InvalidArgument(f"a table has {kinds}; name columns of one kind only.")
    return given


def names_events(options: Mapping[str, Any]) -> bool:
    """Whether options name a column that only a table of events has."""
    return any(options.get(role) is not None for role in EVENT_TABLE.keys() - WORD_TABLE.keys())


def has_header(cells: Sequence[object], given: Columns, header: bool | None) -> bool:
    """Whether the first row of a table holds the names of its columns.

    It does if columns are given by name, or if one of its cells is a well-known name and none of the others is an
    outcome; ``header`` decides if it is not None.
    """
    if header is not None or any(isinstance(column, str) for column in given.values()):
        return header is not False
    known = {name for names in ROLES.values() for name in names}
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

    def chosen(self, given: Columns, columns: Sequence[list[Any]] = ()) -> dict[str, int]:
        """Index of the column for each role that has one; what is missing or ambiguous is refused.

        If there are neither names nor given columns, ``columns``, the values of the first rows, decide.
        """
        if self.names is None and not given:
            return self._by_values(columns)
        found = {role: self.index(role, column) for role, column in given.items()}
        names = [_plain(name) for name in self.names or ()]
        for role, known in (EVENT_TABLE if self._has_events(given, names) else WORD_TABLE).items():
            if role in found:
                continue
            choose = f"Choose one with {{{role}}}."
            matches = [k for k, name in enumerate(names) if name in known and k not in found.values()]
            if len(matches) == 1:
                found[role] = matches[0]
            elif matches:
                both = " and ".join(f"{k + 1}" for k in matches)
                raise self._refusal(f"columns {both} could be {role!r}, by their names.", choose)
            elif role in NEEDED:
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
        known = {name for role, names in table.items() if role not in roles for name in names}
        return [name for name in later if name not in (self.names or ()) and _plain(name) in known]

    def _has_events(self, given: Columns, names: list[str]) -> bool:
        """Whether there is one event per row: by the columns that are given, otherwise by well-known names."""
        if given.keys() & (WORD_TABLE.keys() ^ EVENT_TABLE.keys()):
            return names_events(given)
        has_word, has_id, has_event = (any(name in ROLES[role] for name in names) for role in NEEDED)
        return has_id and has_event and not has_word

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


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, and what data frames have instead."""
    is_nan = isinstance(value, float | np.floating) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in MISSING


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
    return " ".join(str(name).replace("_", " ").casefold().split())
