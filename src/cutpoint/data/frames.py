"""Samples from data frames of pandas, polars or Arrow."""

from __future__ import annotations

from typing import Any

from cutpoint.data.column_names import ColumnNames
from cutpoint.data.columns import Column, check_positive, outcomes, sequences, weights, words
from cutpoint.data.events import EventTable, gathered
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.wording import shown


def word_rows(
    df: Any,
    word: str,
    accepted: str | None,
    weight: str | None,
    verdicts: str | None,
    states: str | None,
    separator: str | None,
    positive: object,
) -> dict[str, Any]:
    """What the constructor of a sample takes, from a table with one word per row."""
    frame = _eager(df)
    found: dict[str, Any] = {"words": words(_column(frame, "word", word), separator)}
    if accepted is not None:
        column = _column(frame, "accepted", accepted)
        found["accepted"] = outcomes(column, positive)
        check_positive(column, found["accepted"], positive)
    if weight is not None:
        found["counts"] = weights(_column(frame, "weight", weight))
    for name, chosen in (("verdicts", verdicts), ("states", states)):
        if chosen is not None:
            found[name] = sequences(_column(frame, name, chosen), separator)
    return found


def event_rows(
    df: Any,
    id: str,
    event: str,
    order: str | None,
    outcome: str | None,
    verdict: str | None,
    weight: str | None,
    positive: object,
) -> dict[str, Any]:
    """What the constructor of a sample takes, from a table with one event per row."""
    frame = _eager(df)
    optional = {"order": order, "outcome": outcome, "verdict": verdict, "weight": weight}
    columns = {name: _column(frame, name, chosen) for name, chosen in optional.items() if chosen is not None}
    table = EventTable(_column(frame, "id", id), _column(frame, "event", event), **columns)
    found = gathered(table, positive)
    return {
        "words": found.words,
        "accepted": found.accepted,
        "verdicts": found.verdicts,
        "counts": found.weights,
    }


def _eager(df: Any) -> Any:
    """The frame as narwhals has it, which is loaded only here."""
    import narwhals as nw  # noqa: PLC0415

    try:
        return nw.from_native(df, eager_only=True)
    except TypeError:
        what = "a lazy frame; call .collect() first" if hasattr(df, "collect") else f"a {type(df).__name__}"
        raise InvalidArgument(f"expected a data frame of pandas, polars or Arrow; got {what}.") from None
    except Exception as problem:  # repeated names of columns, whatever the library calls that
        raise InvalidArgument(f"the data frame cannot be read: {' '.join(str(problem).split())}") from None


def _column(frame: Any, role: str, name: str) -> Column:
    names = frame.columns
    name = names[ColumnNames(names, len(names)).index(role, name)]
    return Column(frame.get_column(name).to_list(), f"column {shown(name)}", lambda r: f"row {r}", InvalidSample)
