"""Columns of tables as users have them: words, outcomes and weights, each refused with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from cutpoint.data.alphabet import Tokens, Word
from cutpoint.data.column_names import UNKNOWN, is_missing, verdict_of
from cutpoint.data.marks import Verdict
from cutpoint.errors import CutpointError
from cutpoint.wording import listed, shown, suggestion


@dataclass(frozen=True)
class Column:
    """Values of one column, and how to speak of them.

    Attributes
    ----------
    values : one per row.
    name : as messages call the column, such as ``column 'label'``.
    place : what to call row r in messages, such as ``data.tsv: line 3``.
    error : kind of error for a value that cannot be taken.
    """

    values: list[Any]
    name: str
    place: Callable[[int], str]
    error: type[CutpointError]

    def refusal(self, r: int, sentence: str) -> CutpointError:
        """Error that says where the value is that cannot be taken."""
        return self.error(f"{self.place(r)}, {self.name}: {sentence}")


def outcomes(column: Column, positive: object = None) -> list[Verdict]:
    """Outcomes of a column: True, False, or None where it is missing.

    Parameters
    ----------
    positive : the value that means "accepted", itself or as text; every other value that is not missing then means
        "rejected". None: the values must be bool, 0 and 1, or texts such as yes and no (``ACCEPTED``, ``REJECTED``).
    """
    table: dict[Hashable, Verdict] = {}
    try:
        for value in set(column.values):
            table[value] = verdict_of(value) if positive is None else _is_positive(value, positive)
    except (TypeError, ValueError):
        r = next(r for r, value in enumerate(column.values) if not _is_outcome(value, positive))
        raise column.refusal(
            r,
            "an outcome must be 1 or 0, true or false, yes or no, accepted or rejected, positive or negative, or empty "
            f"if it is not known; got {shown(column.values[r])}. Name the value that means accepted with positive=….",
        ) from None
    return [table[value] for value in column.values]


def check_positive(column: Column, found: Iterable[Verdict], positive: object) -> None:
    """Refuse a name of the accepted value that no row has: most likely it is misspelled."""
    if positive is None or True in found:
        return
    values = list(dict.fromkeys(value for value in column.values if not is_missing(value)))
    raise column.error(
        f"positive={shown(positive)} must be a value of {column.name}; "
        f"its values are {listed(values)}.{suggestion(positive, values)}"
    )


def weights(column: Column) -> list[float]:
    """Counts of a column; they must be finite and not negative."""
    found = []
    for r, value in enumerate(column.values):
        try:
            weight = float(value)
        except (TypeError, ValueError, OverflowError):
            raise column.refusal(r, f"a count must be a number; got {shown(value)}.") from None
        if not (math.isfinite(weight) and weight >= 0.0):
            raise column.refusal(r, f"a count must be finite and not negative; got {shown(value)}.")
        found.append(weight)
    return found


def words(column: Column, separator: str | None = None) -> Sequence[Word]:
    """Words of a column of texts or lists.

    Parameters
    ----------
    separator : what stands between the symbols of a text; None or "" if its symbols are its characters. Several blanks
        count as one; between other separators there must be a symbol.
    """
    if set(map(type, column.values)) <= {str}:
        return split_texts(column, column.values, separator) if separator else list(column.values)
    rows = range(len(column.values))
    found = [_word(column, r, value, separator) for r, value in zip(rows, column.values, strict=True)]
    symbols = chain.from_iterable(word for word in found if not isinstance(word, str))
    if {type(symbol) for symbol in symbols} - {str, int}:
        _check_symbols(column, found)
    return found


def split_texts(column: Column, texts: list[str], separator: str) -> Tokens:
    """Texts as words of several symbols."""
    if separator == " ":
        joined = "|".join(texts)
        if any(blanks in joined for blanks in ("  ", "| ", " |")) or joined != joined.strip(" "):
            texts = [" ".join(filter(None, text.split(" "))) for text in texts]
        return Tokens(texts, separator)
    _check_between(column, texts, separator)
    return Tokens(texts, separator)


def _check_between(column: Column, texts: list[str], separator: str) -> None:
    """Refuse separators without a symbol before, after or between them."""
    for r, text in enumerate(texts):
        if text and "" in text.split(separator):
            raise column.refusal(
                r, f"symbols between separators {shown(separator)} must not be empty; got {shown(text)}."
            )


def sequences(column: Column, separator: str | None) -> list[list[Any] | None]:
    """Verdicts or states along words: a list or a text per row, nothing where it is missing."""
    given = [r for r, value in enumerate(column.values) if not is_missing(value) and not isinstance(value, str)]
    found: list[list[Any] | None] = [None] * len(column.values)
    for r in given:
        found[r] = _listed(column, r, column.values[r])
    texts = {r: value for r, value in enumerate(column.values) if isinstance(value, str) and value}
    place = dict(enumerate(texts))
    here = Column(list(texts.values()), column.name, lambda k: column.place(place[k]), column.error)
    for r, word in zip(texts, words(here, separator), strict=True):
        found[r] = list(word)
    return found


def _is_positive(value: object, positive: object) -> Verdict:
    if is_missing(value) or (isinstance(value, str) and value.strip().casefold() in UNKNOWN - {str(positive)}):
        return None
    return bool(value == positive) or str(value).strip() == str(positive)


def _is_outcome(value: object, positive: object) -> bool:
    try:
        hash(value)
        if positive is None:
            verdict_of(value)
    except (TypeError, ValueError):
        return False
    return True


def _word(column: Column, r: int, value: object, separator: str | None) -> Word:
    if isinstance(value, str):
        here = Column([value], column.name, lambda _: column.place(r), column.error)
        return split_texts(here, [value], separator)[0] if separator else value
    if is_missing(value):
        raise column.refusal(r, "a word must not be missing; the empty word is an empty text or an empty list.")
    return _listed(column, r, value)


def _listed(column: Column, r: int, value: object) -> list[Any]:
    """What a cell holds that should be a list."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return list(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, bytes | dict | set):
        return list(value)
    raise column.refusal(
        r, f"expected a text or a list of symbols; got {shown(value)}. Read the column as text if it is one."
    )


def _check_symbols(column: Column, found: list[Word]) -> None:
    """Refuse symbols that are missing or cannot be symbols."""
    for r, word in enumerate(found):
        for i, symbol in enumerate(word):
            if is_missing(symbol) or not _is_hashable(symbol):
                raise column.refusal(r, f"position {i}: a symbol must be a text or a number; got {shown(symbol)}.")


def _is_hashable(value: object) -> bool:
    return isinstance(value, Hashable) and not isinstance(value, tuple | list | dict | set)
