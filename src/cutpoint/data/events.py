"""Tables with one event per row: the events of each case, in their order, make up one word."""

import math
import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.alphabet import is_hashable, is_missing
from cutpoint.data.columns import Column, outcomes, weights
from cutpoint.errors import InvalidArgument
from cutpoint.wording import counted, shown

MOST_VALUES = 200  # different values of an attribute: each is a symbol, with a matrix of its own
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
"""Seconds of the units in which gaps between events can be given."""
Gaps = str | float | timedelta | Sequence[str | float | timedelta]  # edges of waiting times; a text may hold several
Attributes = Sequence[str | int] | Mapping[str | int, Sequence[float] | None]  # columns, or the edges of each

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]+)")


@dataclass(frozen=True)
class EventWords:
    """Words of a table of events, one per case, in the order in which the cases first appear.

    Attributes
    ----------
    arguments : of ``Sample``: the words, and what is known of each.
    ids : of the cases.
    first : the row where each case first appears.
    rows : the row of each symbol, for each case.
    by : the value of the column ``by`` at the first event of each case; None if there is no such column.
    """

    arguments: dict[str, Any]
    ids: list[Hashable]
    first: list[int]
    rows: list[list[int]]
    by: list[Any] | None


@dataclass(frozen=True)
class Attribute:
    """Something known of a case from the beginning: a column whose value becomes a first symbol.

    Attributes
    ----------
    column : as given, by name or by number.
    edges : of a number: the symbol says between which of these it lies. Without them each value is a symbol.
    """

    column: str | int
    edges: tuple[float, ...] = ()

    @classmethod
    def each(cls, given: Attributes | None) -> dict[str, "Attribute"]:
        """Attributes as given, by the role that their columns have in a table."""
        if given is None:
            return {}
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidArgument(f"must be a list of columns; got {shown(given)}.", argument="attributes")
        edges = given.values() if isinstance(given, Mapping) else [None] * len(given)
        found = [cls(column, _edges("attributes", each, float)) for column, each in zip(given, edges, strict=True)]
        return {f"attribute {k}": attribute for k, attribute in enumerate(found)}

    def symbols(self, column: Column) -> list[str | None]:
        """Symbol of each row, such as ``goal=car`` or ``amount>=5000``; None where the value is missing."""
        name = str(self.column).removeprefix("case:")
        found = [None if is_missing(value) or value == "" else str(value) for value in column.values]
        if not self.edges:
            if (n_values := len({*found} - {None})) > MOST_VALUES:
                what = f"an attribute must have at most {counted(MOST_VALUES, 'different value')}; it has {n_values}."
                raise column.refusal(None, what, "If they are numbers, give edges with {attributes}.")
            return [None if value is None else f"{name}={value}" for value in found]
        labels = [f"{name}<{self.edges[0]:g}", *(f"{name}>={edge:g}" for edge in self.edges)]
        for r, value in enumerate(found):
            try:
                found[r] = None if value is None else labels[bisect_right(self.edges, float(value))]
            except ValueError:
                raise column.refusal(r, f"an attribute with edges must be a number; got {shown(value)}.") from None
        return found


def event_words(
    columns: Mapping[str, Column],
    positive: object,
    gaps: Gaps | None = None,
    attributes: Mapping[str, Attribute] = MappingProxyType({}),
    *,
    are_all: bool = True,
) -> EventWords:
    """Words from the columns of a table of events; only ``id`` and ``event`` are needed.

    Events of equal order stay in the order of the table, as all do if the table has no column for it. A row without an
    event, the only one of its case, stands for the empty word.

    Parameters
    ----------
    gaps : edges of waiting times; an event that comes later than the first edge after the one before it is preceded by
        a symbol such as ``wait>=1d``, of the largest edge reached.
    attributes : by role; their values become the first symbols of a case, in this order.
    are_all : as in ``outcomes``.
    """
    ids, case = _cases(columns["id"])
    sizes = np.bincount(case, minlength=len(ids))
    events = _events(columns["event"], sizes[case])
    in_order, moments = np.arange(len(case)), None
    if "order" in columns:
        filled = [r for r, event in enumerate(events) if event is not None]
        moments = comparable(columns["order"], filled)
        empty = [r for r, event in enumerate(events) if event is None]
        in_order = np.array([*sorted_rows(columns["order"], filled, moments), *empty], dtype=np.int64)
    rows = in_order[np.argsort(case[in_order], kind="stable")].tolist()
    rows_of = [rows[i:j] for i, j in pairwise([0, *np.cumsum(sizes).tolist()])]
    first = np.unique(case, return_index=True)[1].tolist()
    openings: list[list[Any]] = [[] for _ in ids]
    for role, attribute in attributes.items():
        symbols = _per_case(columns, role, attribute.symbols(columns[role]), case, len(ids))
        openings = [[*each, *[symbol] * (symbol is not None)] for each, symbol in zip(openings, symbols, strict=True)]
    waits = {} if gaps is None else _waits(columns, gaps, moments, rows_of, events)
    words, sources = [], []
    for opening, part in zip(openings, rows_of, strict=True):
        steps = [(symbol, r) for r in part for symbol in (waits.get(r), events[r]) if symbol is not None]
        words.append([*opening, *(symbol for symbol, _ in steps)])
        sources.append([*[part[0]] * len(opening), *(r for _, r in steps)])
    found: dict[str, Any] = {"words": words}
    if "outcome" in columns:
        accepted = outcomes(columns["outcome"], positive, are_all=are_all)
        found["accepted"] = _per_case(columns, "outcome", accepted, case, len(ids))
    if "weight" in columns:
        found["counts"] = _per_case(columns, "weight", weights(columns["weight"]), case, len(ids))
    if "verdict" in columns:
        seen = outcomes(columns["verdict"], positive, are_all=are_all)
        found["verdicts"] = [
            _along(opening, part, events, waits, seen) for opening, part in zip(openings, rows_of, strict=True)
        ]
        for r, end, each in zip(first, found.get("accepted", ()), found["verdicts"], strict=False):
            if None not in (end, each[-1]) and end != each[-1]:
                case_id = shown(columns["id"].values[r])
                what = f"the outcome of case {case_id} and its verdict after the last event must agree."
                raise columns["id"].refusal(r, what)
    by = [columns["by"].values[part[0]] for part in rows_of] if "by" in columns else None
    return EventWords(found, ids, first, sources, by)


SORTED = ", or sort the table and leave out the column"  # what else to do about the order of events


def comparable(
    column: Column, rows: Sequence[int], noun: str = "order of an event", instead: str = SORTED
) -> list[Any]:
    """Values of some rows of a column that has an order: numbers, dates, times; none may be missing.

    Texts become what they stand for: numbers if all are, else dates and times (year first); others are refused.
    """
    values = [column.values[r] for r in rows]
    for k in _empty(values):
        raise column.refusal(rows[k], f"the {noun} must not be missing.", f"Leave out the row{instead}.")
    if not set(map(type, values)) <= {str}:
        return values
    kinds = (int, float, _date)
    for kind in kinds:
        found = list(takewhile(lambda value: value is not None, (_read_as(kind, text) for text in values)))
        if len(found) == len(values):
            return found
    read = max(([_read_as(kind, text) for text in values] for kind in kinds), key=lambda read: -read.count(None))
    wrong = read.index(None)  # the first text that the kind of most others does not fit
    what = "an order in texts must be numbers, or dates and times such as 2024-03-01 or 2024-03-01T09:30"
    what = f"{what}; got {shown(values[wrong])}, and as texts '10' comes before '9', 'Feb' before 'Jan'."
    raise column.refusal(rows[wrong], what, f"Convert it{instead}.")


def _date(text: str) -> datetime:
    """Date or time in ISO form, also with slashes, where the year comes first; ValueError if it is none."""
    return datetime.fromisoformat(text.replace("/", "-"))


def _empty(values: Sequence[Any]) -> list[int]:
    """Indices of the values that are missing."""
    can_be_missing = not set(map(type, values)) <= {str, int}
    return [r for r, value in enumerate(values) if (can_be_missing and is_missing(value)) or value == ""]


def _read_as(kind: Any, text: str) -> Any:
    """What a text stands for, or None; NaN has no place in an order."""
    try:
        value = kind(text)
    except ValueError:
        return None
    return value if value == value else None  # noqa: PLR0124


def sorted_rows(column: Column, rows: Sequence[int], keys: list[Any]) -> list[int]:
    """Rows in the order of their keys; equal ones stay as they are."""
    kinds = set(map(type, keys))
    if kinds == {float} or (kinds == {int} and max(map(abs, keys)) < 2**63):
        order = np.argsort(np.array(keys), kind="stable").tolist()
    else:
        try:
            order = sorted(range(len(keys)), key=keys.__getitem__)
        except TypeError as problem:
            what = f"the values must be comparable, all numbers or all dates or all times; but {problem}."
            raise column.refusal(None, what) from None
    return [rows[k] for k in order]


def _along(
    opening: list[Any], rows: list[int], events: list[Any], waits: Mapping[int, str], seen: list[Any]
) -> list[Any]:
    """Verdicts before the first symbol of a case and after each."""
    found: list[Any] = [None] * (len(opening) + 1)
    for r in rows:
        if events[r] is None:
            found[-1] = seen[r]
        else:
            found += [*[None] * (r in waits), seen[r]]
    return found


def _waits(
    columns: Mapping[str, Column], gaps: Gaps, moments: list[Any] | None, rows_of: list[list[int]], events: list[Any]
) -> dict[int, str]:
    """Symbol of the waiting time before each row that has one."""
    if moments is None:
        what = "needs the time of each event."
        raise InvalidArgument(what, argument="gaps", advice="Name the column with {order}.")
    if not moments:  # no case has an event
        return {}
    filled = (r for r, event in enumerate(events) if event is not None)
    at = dict(zip(filled, moments, strict=True))
    try:
        found = {r: at[r] - at[before] for part in rows_of for before, r in pairwise(part)}
    except TypeError:
        what = f"gaps between events need numbers, or dates and times; got {shown(moments[0])}."
        raise columns["order"].refusal(None, what) from None
    are_numbers = isinstance(moments[0], int | float)
    edges = _edges("gaps", gaps, float if are_numbers else _seconds, above=0.0)
    names = [each if isinstance(each, str) else _in_units(each) for each in _parts(gaps)]
    in_seconds = {r: gap.total_seconds() if isinstance(gap, timedelta) else gap for r, gap in found.items()}
    return {r: f"wait>={names[bisect_right(edges, gap) - 1]}" for r, gap in in_seconds.items() if gap >= edges[0]}


def _parts(edges: object) -> list[Any]:
    """Edges one by one: of a list, or of a text with commas."""
    if isinstance(edges, str):
        return [part.strip() for part in edges.split(",")]
    return list(edges) if isinstance(edges, Iterable) else [edges]


def _edges(argument: str, given: object, number: Any, above: float = -math.inf) -> tuple[float, ...]:
    """Edges as numbers, in increasing order; none if none are given."""
    if given is None:
        return ()
    try:
        found = tuple(number(each) for each in _parts(given))
    except (TypeError, ValueError):
        found = (math.nan,)
    if not found or not all(one < other for one, other in pairwise((above, *found, math.inf))):
        kinds = "durations such as 30min, 1h, 2d and 1w" if number is _seconds else "numbers"
        what = f"must have edges that are {kinds}, in increasing order; got {shown(given)}."
        raise InvalidArgument(what, argument=argument)
    return found


def _seconds(duration: object) -> float:
    """Seconds of a duration; ValueError if it is none."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    found = _DURATION.fullmatch(str(duration))
    if not found or found[2] not in UNITS:
        raise ValueError
    return float(found[1]) * UNITS[found[2]]


def _in_units(edge: float | timedelta) -> str:
    """An edge as text: a duration in the largest unit of which it is a multiple."""
    if not isinstance(edge, timedelta):
        return f"{edge:g}"
    seconds = edge.total_seconds()
    unit = next((unit for unit in reversed(UNITS) if seconds % UNITS[unit] == 0), "s")
    return f"{seconds / UNITS[unit]:g}{unit}"


def _cases(column: Column) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Distinct ids, and the number of the case of each row."""
    numbers: dict[Hashable, int] = {}
    for r in (*_empty(column.values), *(r for r, value in enumerate(column.values) if not is_hashable(value))):
        raise column.refusal(r, f"every event must have a case id; got {shown(column.values[r])}.")
    case = [numbers.setdefault(value, len(numbers)) for value in column.values]
    return list(numbers), np.array(case, dtype=np.int64)


def _events(column: Column, sizes: NDArray[np.int64]) -> list[Any]:
    """Events row by row, None for the row of a case that has no event; ``sizes`` are the rows of the case of each."""
    events = list(column.values)
    for r in _empty(events):
        if sizes[r] > 1:
            what = "an event must not be missing in a case that has others."
            raise column.refusal(r, what, "Leave out rows without an event.")
        events[r] = None
    if not is_hashable(tuple(events)):
        r = next(r for r, event in enumerate(events) if not is_hashable(event))
        raise column.refusal(r, f"an event must be a text or a number; got {shown(events[r])}.")
    return events


def _per_case(
    columns: Mapping[str, Column], role: str, values: list[Any], case: NDArray[np.int64], n_cases: int
) -> list[Any]:
    """One value per case; rows where it is missing say nothing, the others must agree."""
    found: list[Any] = [None] * n_cases
    for r, (number, value) in enumerate(zip(case.tolist(), values, strict=True)):
        if value is None or value == found[number]:
            continue
        if found[number] is not None:
            earlier = next(k for k in range(r) if case[k] == number and values[k] == found[number])
            given, case_id = columns[role].values, shown(columns["id"].values[r])
            what = f"case {case_id} has {shown(given[earlier])} earlier and {shown(given[r])} here"
            raise columns[role].refusal(r, f"all rows of a case must agree; {what}.")
        found[number] = value
    return found
