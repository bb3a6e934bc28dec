"""Tables with one event per row: the events of each case, in their order, make up one word."""

from collections.abc import Hashable, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.column_names import is_missing
from cutpoint.data.columns import Column, outcomes, weights
from cutpoint.data.names import is_hashable
from cutpoint.wording import shown


def event_arguments(
    columns: Mapping[str, Column], positive: object
) -> tuple[dict[str, Any], list[Hashable], list[int]]:
    """Arguments of ``Sample`` from the columns of a table of events; only ``id`` and ``event`` are needed.

    There is one word per case, in the order in which the cases first appear. Also returned are the id of each case,
    and the row where it first appears.

    Events of equal order stay in the order of the table, as all do if the table has no column for it. A row without an
    event, the only one of its case, stands for the empty word.
    """
    ids, case = _cases(columns["id"])
    in_order = _order(columns["order"]) if "order" in columns else np.arange(len(case))
    rows = in_order[np.argsort(case[in_order], kind="stable")].tolist()
    sizes = np.bincount(case, minlength=len(ids))
    rows_of = [rows[i:j] for i, j in pairwise([0, *np.cumsum(sizes).tolist()])]
    first = np.unique(case, return_index=True)[1].tolist()
    events = _events(columns["event"], sizes[case])
    found: dict[str, Any] = {"words": [[events[r] for r in part if events[r] is not None] for part in rows_of]}
    if "outcome" in columns:
        accepted = outcomes(columns["outcome"], positive, are_all=True)
        found["accepted"] = _per_case(columns, "outcome", accepted, case, len(ids))
    if "weight" in columns:
        found["counts"] = _per_case(columns, "weight", weights(columns["weight"]), case, len(ids))
    if "verdict" in columns:
        seen = outcomes(columns["verdict"], positive, are_all=True)
        along = [[seen[r] for r in part] for part in rows_of]
        found["verdicts"] = [[None] * bool(word) + each for word, each in zip(found["words"], along, strict=True)]
        for r, end, each in zip(first, found.get("accepted", ()), along, strict=False):
            if None not in (end, each[-1]) and end != each[-1]:
                case_id = shown(columns["id"].values[r])
                what = f"the outcome of case {case_id} and its verdict after the last event must agree."
                raise columns["id"].refusal(r, what)
    return found, ids, first


def _cases(column: Column) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Distinct ids, and the number of the case of each row."""
    numbers: dict[Hashable, int] = {}
    for r, value in enumerate(column.values):
        if is_missing(value) or value == "" or not is_hashable(value):
            raise column.refusal(r, f"every event must have a case id; got {shown(value)}.")
    case = [numbers.setdefault(value, len(numbers)) for value in column.values]
    return list(numbers), np.array(case, dtype=np.int64)


def _empty_rows(column: Column) -> list[int]:
    return [r for r, value in enumerate(column.values) if is_missing(value) or value == ""]


def _events(column: Column, sizes: NDArray[np.int64]) -> list[Any]:
    """Events row by row, None for the row of a case that has no event; ``sizes`` are the rows of the case of each."""
    events = list(column.values)
    for r in _empty_rows(column):
        if sizes[r] > 1:
            what = "an event must not be missing in a case that has others."
            raise column.refusal(r, what, "Leave out rows without an event.")
        events[r] = None
    for r, event in enumerate(events):
        if not is_hashable(event):
            raise column.refusal(r, f"an event must be a text or a number; got {shown(event)}.")
    return events


def _order(column: Column) -> NDArray[np.int64]:
    """Rows in the order of a column; equal values keep the order of the table."""
    for r in _empty_rows(column):
        advice = "Leave out the row, or sort the table and leave out the column."
        raise column.refusal(r, "the order of an event must not be missing.", advice)
    keys = _moments(column) if set(map(type, column.values)) <= {str} else column.values
    kinds = set(map(type, keys))
    if kinds == {float} or (kinds == {int} and max(map(abs, keys)) < 2**63):
        return np.argsort(np.array(keys), kind="stable")
    try:
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    except TypeError as problem:
        what = f"the values must be comparable, all numbers or all dates or all times; but {problem}."
        raise column.refusal(None, what) from None


def _moments(column: Column) -> list[Any]:
    """Texts as what they stand for: numbers if all are, else dates and times (ISO 8601), else themselves."""
    for kind in (int, float, datetime.fromisoformat):
        try:
            found: list[Any] = [kind(text) for text in column.values]
        except ValueError:
            continue
        if all(value == value for value in found):  # noqa: PLR0124  NaN has no place in an order
            return found
    for r, text in enumerate(column.values):
        if any(character.isdigit() for character in text):
            what = "an order in texts must be numbers, or dates and times such as 2024-03-01 or 2024-03-01T09:30"
            what = f"{what}; got {shown(text)}, and as texts '10' comes before '9'."
            raise column.refusal(r, what, "Convert it, or sort the table and leave out the column.")
    return column.values


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
