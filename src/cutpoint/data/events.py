"""Tables of events: one row per event, gathered into one word per id."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.column_names import is_missing
from cutpoint.data.columns import Column, check_positive, outcomes, weights
from cutpoint.data.marks import Verdict
from cutpoint.data.names import is_hashable
from cutpoint.errors import CutpointError
from cutpoint.wording import shown


@dataclass(frozen=True)
class EventTable:
    """Columns of a table of events; only ``id`` and ``event`` are needed."""

    id: Column
    event: Column
    order: Column | None = None
    outcome: Column | None = None
    verdict: Column | None = None
    weight: Column | None = None


@dataclass(frozen=True)
class Gathered:
    """One word per id, in the order in which the ids first appear; ``rows`` are the rows of their first events."""

    ids: list[Hashable]
    words: list[list[Hashable]]
    accepted: list[Verdict] | None
    verdicts: list[list[Verdict]] | None
    weights: list[float] | None
    rows: list[int]


def gathered(table: EventTable, positive: object = None) -> Gathered:
    """Words of a table of events.

    Events of one id are put in order; those of equal order stay in the order of the table, as all do if the table has
    no column for it. A row without an event, the only one of its id, stands for the empty word.
    """
    ids, group = _groups(table.id)
    n_ids = len(ids)
    by_order = np.arange(len(group)) if table.order is None else _order(table.order)
    rows = by_order[np.argsort(group[by_order], kind="stable")]
    sizes = np.bincount(group, minlength=n_ids)
    bounds = np.concatenate(([0], np.cumsum(sizes))).tolist()
    first = np.full(n_ids, len(group), dtype=np.int64)
    np.minimum.at(first, group, np.arange(len(group)))
    events = _events(table.event, group, sizes)
    in_order = [events[r] for r in rows.tolist()]
    has_event = [event is not None for event in in_order]
    words = [in_order[i:j] if has_event[i] else [] for i, j in pairwise(bounds)]
    accepted = None if table.outcome is None else _constant(table, table.outcome, group, n_ids, positive)
    verdicts = None
    if table.verdict is not None:
        seen = _outcomes(table.verdict, positive)
        verdicts = [
            [None, *(seen[r] for r in rows[i:j].tolist())] if has_event[i] else [seen[rows[i]]]
            for i, j in pairwise(bounds)
        ]
        _check_ends(table, accepted, verdicts, first.tolist())
    counts = None if table.weight is None else _weights(table, table.weight, group, n_ids)
    return Gathered(ids, words, accepted, verdicts, counts, first.tolist())


def _groups(column: Column) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Distinct ids, and the number of the id of each row."""
    numbers: dict[Hashable, int] = {}
    for r, value in enumerate(column.values):
        if is_missing(value) or value == "" or not is_hashable(value):
            raise column.refusal(r, f"an event must belong to an id; got {shown(value)}.")
    group = [numbers.setdefault(value, len(numbers)) for value in column.values]
    return list(numbers), np.array(group, dtype=np.int64)


def _events(column: Column, group: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[Any]:
    """Events row by row, None for the row of an id that has no event."""
    events = list(column.values)
    for r, event in enumerate(events):
        if is_missing(event) or event == "":
            if sizes[group[r]] > 1:
                raise column.refusal(
                    r, "an event must not be missing where its id has other events. Leave out rows without an event."
                )
            events[r] = None
        elif not is_hashable(event):
            raise column.refusal(r, f"an event must be a text or a number; got {shown(event)}.")
    return events


def _order(column: Column) -> NDArray[np.int64]:
    """Rows in the order of a column; equal values keep the order of the table."""
    for r, value in enumerate(column.values):
        if is_missing(value) or value == "":
            raise column.refusal(
                r, "the order of an event must not be missing. Leave the row out, or sort the table and give no order."
            )
    keys = _moments(column) if set(map(type, column.values)) <= {str} else column.values
    kinds = set(map(type, keys))
    if kinds == {float} or (kinds == {int} and max(map(abs, keys)) < 2**63):
        return np.argsort(np.array(keys), kind="stable")
    try:
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    except TypeError as problem:
        raise column.error(
            f"{column.name} must have values that can be compared, all numbers or all dates or all times; "
            f"but {problem}."
        ) from None


def _moments(column: Column) -> list[Any]:
    """Texts as what they stand for: numbers if all are, else dates and times (ISO 8601), else themselves."""
    for kind in (int, float, datetime.fromisoformat):
        try:
            found: list[Any] = [kind(text) for text in column.values]
        except ValueError:
            continue
        if all(value == value for value in found):  # noqa: PLR0124  NaN is no place in an order
            return found
    for r, text in enumerate(column.values):
        if any(character.isdigit() for character in text):
            raise column.refusal(
                r,
                "an order in texts must be numbers throughout, or dates and times such as 2024-03-01 or "
                f"2024-03-01T09:30; got {shown(text)}, and as texts '10' comes before '9'. "
                "Convert it, or sort the table and give no order.",
            )
    return column.values


def _outcomes(column: Column, positive: object) -> list[Verdict]:
    found = outcomes(column, positive)
    check_positive(column, found, positive)
    return found


def _constant(table: EventTable, column: Column, group: NDArray[np.int64], n_ids: int, positive: object) -> list[Any]:
    """The outcome of each id; rows where it is missing say nothing, the others must agree."""
    return _agreed(table, column, _outcomes(column, positive), group, n_ids)


def _weights(table: EventTable, column: Column, group: NDArray[np.int64], n_ids: int) -> list[float]:
    return _agreed(table, column, weights(column), group, n_ids)


def _agreed(table: EventTable, column: Column, values: list[Any], group: NDArray[np.int64], n_ids: int) -> list[Any]:
    """One value per id."""
    found: list[Any] = [None] * n_ids
    for r, (number, value) in enumerate(zip(group.tolist(), values, strict=True)):
        if value is None or value == found[number]:
            continue
        if found[number] is not None:
            earlier = next(k for k in range(r) if group[k] == number and values[k] == found[number])
            raise column.refusal(
                r,
                f"all rows of an id must agree; id {shown(table.id.values[r])} has {shown(column.values[earlier])} "
                f"earlier and {shown(column.values[r])} here.",
            )
        found[number] = value
    return found


def _check_ends(
    table: EventTable, accepted: list[Verdict] | None, verdicts: list[list[Verdict]], first: list[int]
) -> None:
    """The outcome and the verdict after the last event speak of the same state."""
    if accepted is None or table.outcome is None:
        return
    for r, end, seen in zip(first, accepted, verdicts, strict=True):
        if None not in (end, seen[-1]) and end != seen[-1]:
            raise _disagreement(table, r)


def _disagreement(table: EventTable, r: int) -> CutpointError:
    return table.id.refusal(
        r,
        f"the outcome of id {shown(table.id.values[r])} and its verdict after the last event must agree: both speak of "
        "the state after the whole word.",
    )
