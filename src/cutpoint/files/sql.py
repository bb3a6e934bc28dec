"""A model as one SQL query over a table of events, in the words that SQLite and DuckDB share.

A recursive query cannot add up rows, so the probabilities of all states are columns: ``p0 … pk``.
"""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.files.contents import SqlNames
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, plain, shown

MOST_COLUMNS = 1900  # SQLite allows 2000 columns
MOST_VALUES = 400_000  # most numbers of a query that is still read in a second or two
LARGEST = 2**63 - 1

QUERY = """\
{head}
WITH RECURSIVE
steps (code, symbol, {entries}) AS (VALUES
{steps}
),
reading AS MATERIALIZED (
  SELECT e.{id} AS id, {code} AS code, ROW_NUMBER() OVER (PARTITION BY e.{id} ORDER BY e.{order}) AS step
  FROM {table} AS e LEFT JOIN steps AS k ON k.symbol = e.{event}
  WHERE {is_read}
),
cases AS MATERIALIZED (
  SELECT c.id AS id, COUNT(r.step) AS length
  FROM (SELECT DISTINCT {id} AS id FROM {table}) AS c LEFT JOIN reading AS r ON r.id = c.id
  GROUP BY c.id
),
runs (id, length, step, {columns}) AS (
  SELECT id, length, 0, {initial} FROM cases
  UNION ALL
  SELECT o.id, o.length, o.step + 1,
{sums}
  FROM runs AS o JOIN reading AS r ON r.id = o.id AND r.step = o.step + 1 LEFT JOIN steps AS k ON k.code = r.code
),
ends AS (
  SELECT id, {answers} FROM runs WHERE step = length
)
SELECT {answer_columns}, CASE {outcome} END AS outcome FROM ends ORDER BY id;
"""


def written(model: Model, head: Iterable[str], names: SqlNames) -> str:
    """Text of the query."""
    acceptor, alphabet = model.acceptor, model.acceptor.alphabet
    places = np.argwhere((acceptor.transitions > 0).any(axis=0)).tolist()
    if len(places) > MOST_COLUMNS or len(places) * len(alphabet) > MOST_VALUES:
        raise TooLarge(
            f"an SQL query can have {MOST_COLUMNS:,} steps from state to state and {MOST_VALUES:,} numbers; this model "
            f"has {counted(len(places), 'step')} for {counted(len(alphabet), 'symbol')}.",
            advice="Learn a model of fewer states, or export it as .onnx or .js.",
        )
    symbols = _literals("symbols", alphabet)
    states = range(acceptor.n_states)
    rows = [
        f"  ({code}, {symbol}, {', '.join(_number(matrix[s, t]) for s, t in places)})"
        for code, (symbol, matrix) in enumerate(zip(symbols, acceptor.transitions, strict=True))
    ]
    into = [[f"o.p{s} * k.m{s}_{t}" for s, t in places if t == state] for state in states]
    answers, outcome = _answers(model)
    rule = alphabet.on_unknown
    event = _identifier(names.event)
    return QUERY.format(
        head="\n".join(f"-- {line}" for line in head),
        entries=", ".join(f"m{s}_{t}" for s, t in places),
        steps=",\n".join(rows),
        code=f"COALESCE(k.code, {alphabet.code(alphabet.rare)})" if rule == "rare" else "k.code",
        is_read="k.code IS NOT NULL" if rule == "skip" else f"e.{event} IS NOT NULL",
        table=_identifier(names.table),
        id=_identifier(names.id),
        order=_identifier(names.order),
        event=event,
        columns=", ".join(f"p{s}" for s in states),
        initial=", ".join(map(_number, acceptor.initial)),
        # A state that is never entered has probability 0, or NULL after an unknown symbol, as all others.
        sums=",\n".join("    " + (" + ".join(terms) or "0e0 * k.code") for terms in into),
        answers=", ".join(f"{sum_of} AS {name}" for name, sum_of in answers.items()),
        answer_columns=", ".join(["id", *answers]),
        outcome=" ".join(outcome),
    )


def _answers(model: Model) -> tuple[dict[str, str], list[str]]:
    """Columns of probabilities with their sums, and the cases that give the name of the class."""
    sums = [" + ".join(f"p{s}" for s in np.flatnonzero(owner)) or "0e0 * p0" for owner in model.owners]
    names = model.class_names
    texts = _literals("classes", names if len({isinstance(name, str) for name in names}) == 1 else map(str, names))
    if model.labels is None:
        cut = _number(model.used_cut_point)
        return {"acceptance": sums[1]}, [
            f"WHEN acceptance {sign} {cut} THEN {texts[k]}" for sign, k in ((">", 1), ("<=", 0))
        ]
    columns = [_identifier(f"P({plain(name)})") for name in names]
    if len({column.casefold() for column in columns}) < len(columns):  # databases do not tell Yes from yes
        columns = [_identifier(f"P{k}({plain(name)})") for k, name in enumerate(names)]
    outcome = [
        f"WHEN {' AND '.join(f'{column} >= {other}' for other in columns if other != column)} THEN {text}"
        for column, text in zip(columns, texts, strict=True)
    ]
    return dict(zip(columns, sums, strict=True)), outcome


def _literals(role: str, names: Iterable[Any]) -> list[str]:
    """Names in SQL: all text, or all numbers and truth values."""
    found = [name.item() if isinstance(name, np.generic) else name for name in names]
    for name in found:
        if not isinstance(name, str | int | float) or isinstance(name, str) != isinstance(found[0], str):
            raise InvalidArgument(f"in SQL the {role} must be all text or all numbers; got {shown(name)}.")
        if (isinstance(name, str) and "\0" in name) or (isinstance(name, int) and abs(name) > LARGEST):
            kinds = "text without the character NUL, or numbers of 64 bits"
            raise InvalidArgument(f"in SQL the {role} must be {kinds}; got {shown(name)}.")
    return [_literal(name) for name in found]


def _literal(value: str | float) -> str:
    """A name in SQL; one with control characters, which editors may change, is escaped in JSON."""
    if isinstance(value, str) and not value.isprintable():
        return f"({_literal(json.dumps(value))} ->> '$')"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).upper() if isinstance(value, int) else _number(value)


def _number(value: float) -> str:
    """A float with an exponent: numbers without one are decimals in DuckDB."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _identifier(name: str) -> str:
    if not isinstance(name, str) or not name or not name.isprintable():
        raise InvalidArgument(f"the name of a table or column must be printable text; got {shown(name)}.")
    return '"' + name.replace('"', '""') + '"'
