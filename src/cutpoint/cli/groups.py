"""Groups of rows by the value of a column: periods of dates, parts of numbers, or the values themselves."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np

from cutpoint.data.alphabet import is_missing
from cutpoint.errors import InvalidArgument
from cutpoint.wording import shown

MOST_GROUPS = 30  # of more values, dates are grouped into days, months or years, numbers into fifths
NO_VALUE = "(missing)"
Group = tuple[Any, str]  # a key to sort by, and the name


def groups_of(values: Sequence[Any], column: str | int) -> dict[str, Sequence[int]]:
    """Rows of each group, by name, in the order of the groups; those without a value come last.

    Examples
    --------
    >>> groups_of(["10", "9", "", "9"], "visits")
    {'9': [1, 3], '10': [0], '(missing)': [2]}
    """
    known = [r for r, value in enumerate(values) if not (is_missing(value) or value == "")]
    found: dict[Group, list[int]] = {}
    for r, group in zip(known, _groups([values[r] for r in known], column), strict=True):
        found.setdefault(group, []).append(r)
    missing = sorted({*range(len(values))} - {*known})
    groups: dict[str, Sequence[int]] = {name: found[key, name] for key, name in sorted(found)}
    return groups | ({NO_VALUE: missing} if missing else {})


def _groups(values: list[Any], column: str | int) -> list[Group]:
    texts = [str(value) for value in values]
    numbers, moments = _all_read(float, values), _all_read(_moment, values)
    if len(set(texts)) <= MOST_GROUPS:
        return list(zip(numbers or moments or texts, texts, strict=True))
    if numbers is not None:
        found = np.array(numbers)
        fifths = np.searchsorted(np.quantile(found, [0.2, 0.4, 0.6, 0.8]), found)
        parts = {k: found[fifths == k] for k in np.unique(fifths).tolist()}
        names = {k: f"{part.min():g} to {part.max():g}" for k, part in parts.items()}
        return [(k, names[k]) for k in fifths.tolist()]
    for length in (10, 7, 4):  # a day, a month, a year
        periods = [moment[:length] for moment in moments or texts]
        if moments and len(set(periods)) <= MOST_GROUPS:
            return list(zip(periods, periods, strict=True))
    what = f"must be a column of at most {MOST_GROUPS} different values, or of numbers or dates"
    raise InvalidArgument(f"{what}; {shown(column)} has {len(set(texts)):,} values.", argument="by")


def _all_read(kind: Callable[[Any], Any], values: list[Any]) -> list[Any] | None:
    """What all values stand for; None if one does not."""
    try:
        return [kind(value) for value in values]
    except (TypeError, ValueError):
        return None


def _moment(value: Any) -> str:
    return (value if isinstance(value, date) else datetime.fromisoformat(value)).isoformat()
