"""Columns of tables, in files and data frames: words, outcomes, counts; each value is checked at its place."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any
from warnings import warn

import numpy as np

from cutpoint.data.alphabet import Tokens, Word, is_hashable, is_missing
from cutpoint.data.column_names import OUTCOMES, ColumnNames, verdict_of
from cutpoint.data.marks import Verdict, after_each
from cutpoint.errors import CharactersWarning, CutpointError, FormatError, InvalidArgument, InvalidSample
from cutpoint.wording import counted, listed, shown, suggestion


@dataclass(frozen=True)
class Column:
    """Values of one column, and what messages call it.

    Attributes
    ----------
    values : one per row.
    name : such as ``column 'label'``.
    row : from the index of a row to its name, such as ``line 3``.
    file : empty for a data frame.
    """

    values: list[Any]
    name: str
    row: Callable[[int], str]
    file: str = ""

    def refusal(self, r: int | None, what: str, advice: str = "", argument: str = "") -> CutpointError:
        """Error about the value in row r, or about the whole column."""
        place = self.name if r is None else f"{self.row(r)}, {self.name}"
        kind, where = (FormatError, f"{self.file}: {place}") if self.file else (InvalidSample, place)
        return kind(what, where=where, argument=argument, advice=advice)


def frame_columns(
    df: Any, given: Mapping[str, str | None], has_events: bool, extra: Mapping[str, str | int] = MappingProxyType({})
) -> dict[str, Column]:
    """Columns of a data frame by role: those given, others by well-known names, and further ones for other roles."""
    import narwhals as nw  # noqa: PLC0415  needed for data frames alone

    try:
        frame = nw.from_native(df, eager_only=True)
    except TypeError:
        what = "a lazy frame; call .collect() first" if hasattr(df, "collect") else f"a {type(df).__name__}"
        raise InvalidArgument(f"expected a data frame of pandas, polars or Arrow; got {what}.") from None
    except Exception as problem:  # two columns of one name, which each library reports in its own way
        raise InvalidArgument(f"the data frame cannot be read: {' '.join(str(problem).split())}") from None
    names = ColumnNames(frame.columns, len(frame.columns))
    chosen = names.chosen({role: name for role, name in given.items() if name is not None}, has_events=has_events)
    chosen |= {role: names.index("attributes", name) for role, name in extra.items()}
    return {
        role: Column(frame[:, k].to_list(), f"column {shown(frame.columns[k])}", lambda r: f"row {r}")
        for role, k in chosen.items()
    }


def word_arguments(
    columns: Mapping[str, Column], separator: str | None, positive: object, *, are_all: bool
) -> dict[str, Any]:
    """Arguments of ``Sample`` from the columns of a table with one word per row; ``are_all`` as in ``outcomes``."""
    found: dict[str, Any] = {"words": _words(columns["word"], separator)}
    if "id" in columns:
        found["ids"] = columns["id"].values
    if "accepted" in columns:
        found["accepted"] = outcomes(columns["accepted"], positive, are_all=are_all)
    if "weight" in columns:
        found["counts"] = weights(columns["weight"])
    if "verdicts" in columns:
        along = _along(columns["verdicts"], found["words"], separator)
        found["verdicts"] = _verdicts(columns["verdicts"], along, found.get("accepted"))
    if "states" in columns:
        found["states"] = _states(columns["states"], _along(columns["states"], found["words"], separator))
    return found


MANY_CHARACTERS = 8  # texts of as many different characters are rather names than words


def warn_of_characters(texts: Iterable[object]) -> None:
    """Warn if the symbols of texts are their characters, but do not look like it."""
    different = {text for text in texts if isinstance(text, str) and text}
    characters = set("").union(*different)
    are_names = len(different) > 1 and len(characters) >= min(2 * len(different) + 1, MANY_CHARACTERS)
    if " " in characters or (are_names and max(map(len, different)) > 1):
        example = min(different, key=lambda text: (-len(text), text))
        what = f"each character is a symbol: {shown(example)} is a word of {counted(len(example), 'symbol')}."
        advice = "Pass {separator=' '} if blanks separate symbols. Pass {separator=''} if this is right."
        warn(CharactersWarning(what, advice=advice), stacklevel=2)


class PositiveOutcome(str):
    """The outcome that means accepted, which notes the names of all others that are read."""

    def __init__(self, _: object) -> None:
        self.others: set[str] = set()

    @property
    def names(self) -> tuple[str, str]:
        """Names of accepted and rejected: of two outcomes those that they have."""
        return str(self), next(iter(self.others)) if len(self.others) == 1 else f"not {self}"


def outcomes(column: Column, positive: object, *, are_all: bool) -> list[Verdict]:
    """Outcomes of a column: True, False, or None where it is missing.

    Parameters
    ----------
    positive : the value that means "accepted", itself or as text; every other value that is not missing then means
        "rejected". None: the values must be bool, 0 and 1, or texts such as yes and no (``OUTCOMES``).
    are_all : whether there are no other rows. Then one must be ``positive``, which is otherwise misspelled.
    """
    known: dict[Hashable, Verdict] = {}
    for r, value in enumerate(column.values):
        try:
            if value not in known:
                known[value] = verdict_of(value) if positive is None else _is_positive(value, positive)
        except (TypeError, ValueError):
            pairs = "1 or 0, true or false, yes or no, accepted or rejected, positive or negative"
            what = f"an outcome must be {pairs}, or empty if it is not known; got {shown(value)}."
            raise column.refusal(r, what, "Name the value that means accepted with {positive}.") from None
    if are_all and positive is not None and True not in known.values():
        values = [value for value in known if not is_missing(value)]
        what = f"must be one of the outcomes {listed(values)}; got {shown(positive)}.{suggestion(positive, values)}"
        raise column.refusal(None, what, argument="positive")
    if isinstance(positive, PositiveOutcome):
        positive.others.update(str(value).strip() for value, verdict in known.items() if verdict is False)
    return [known[value] for value in column.values]


def weights(column: Column) -> list[float]:
    """Counts of a column."""
    found: list[float] = []
    for r, value in enumerate(column.values):
        try:
            found.append(float(value))
        except (TypeError, ValueError, OverflowError):
            found.append(math.nan)
        if not 0.0 <= found[r] < math.inf:
            raise column.refusal(r, f"a count must be a number, finite and not negative; got {shown(value)}.")
    return found


def _words(column: Column, separator: str | None) -> Sequence[Word]:
    """Words of a column of texts or lists; without a separator, the symbols of a text are its characters."""
    kinds = set(map(type, column.values))
    if kinds <= {str}:
        if separator is None:
            warn_of_characters(column.values)
        return _tokens(column, separator) if separator else list(column.values)
    found = column.values
    if kinds != {list}:
        found = [_word(column, r, value, separator) for r, value in enumerate(found)]
    if not set(map(type, chain.from_iterable(found))) <= {str, int}:
        for r, word in enumerate(found):
            for i, symbol in enumerate(word):
                if is_missing(symbol) or isinstance(symbol, tuple) or not is_hashable(symbol):
                    raise column.refusal(
                        r,
                        f"position {i + bool(column.file)}: a symbol must be a text or a number; got {shown(symbol)}.",
                    )
    return found


def _tokens(column: Column, separator: str) -> Tokens:
    """Texts as words of several symbols, which are split later."""
    texts = column.values
    if separator != " ":
        for r, text in enumerate(texts):
            symbols_of(column, r, text, separator)
        return Tokens(texts, separator)
    joined = "|".join(texts)
    if any(blanks in joined for blanks in ("  ", "| ", " |")) or joined != joined.strip(" "):
        texts = [" ".join(filter(None, text.split(" "))) for text in texts]
    return Tokens(texts, separator)


def symbols_of(column: Column, r: int, text: str, separator: str) -> list[str]:
    """Symbols of one text: several blanks count as one; between other separators there must be a symbol."""
    found = text.split(separator) if text else []
    if separator == " ":
        return [symbol for symbol in found if symbol]
    if "" in found:
        raise column.refusal(r, f"symbols between separators {shown(separator)} must not be empty; got {shown(text)}.")
    return found


def _word(column: Column, r: int, value: object, separator: str | None) -> Word:
    """A word, or what was seen along one, from a text or a list."""
    if isinstance(value, str):
        return symbols_of(column, r, value, separator) if separator else value
    if is_missing(value):
        raise column.refusal(r, "a word must not be missing; the empty word is an empty text or an empty list.")
    if isinstance(value, list):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return list(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, bytes | dict | set):
        return list(value)
    raise column.refusal(r, f"expected a text or a list of symbols; got {shown(value)}.", "Read numbers as text.")


def _along(column: Column, found: Sequence[Word], separator: str | None) -> list[list[Any] | None]:
    """Values along each word, one more than it has symbols; None where there are none."""
    along: list[list[Any] | None] = []
    for r, (word, value) in enumerate(zip(found, column.values, strict=True)):
        is_empty = is_missing(value) or (isinstance(value, str) and not value)
        seen = None if is_empty else list(_word(column, r, value, separator))
        if seen is not None and len(seen) != len(word) + 1:
            raise column.refusal(r, f"there must be {after_each(len(word))}; got {len(seen)}.")
        along.append(seen)
    return along


def _verdicts(column: Column, along: list[list[Any] | None], accepted: list[Verdict] | None) -> list[Any]:
    """Verdicts along words; the last one and the outcome must agree."""
    found: list[list[Verdict] | None] = []
    for r, values in enumerate(along):
        try:
            seen = None if values is None else [verdict_of(value) for value in values]
        except ValueError:
            raise column.refusal(r, f"verdicts must be 1, 0, true, false or missing; got {shown(values)}.") from None
        if accepted and seen and None not in (accepted[r], seen[-1]) and accepted[r] != seen[-1]:
            raise column.refusal(r, "the last verdict and the outcome must agree, as both are about the whole word.")
        found.append(seen)
    return found


def _states(column: Column, along: list[list[Any] | None]) -> list[Any]:
    """States along words; a list of states, as JSON has it, means one of them."""
    for r, values in enumerate(along):
        for value in values or ():
            names = value if isinstance(value, list | set) else [value]
            if not names or not all(is_hashable(name) for name in names):
                what = "states must be names, lists of names, or null where none was seen"
                raise column.refusal(r, f"{what}; got {shown(value)}.")
    return [values and [set(value) if isinstance(value, list) else value for value in values] for values in along]


def _is_positive(value: object, positive: object) -> Verdict:
    text = str(value).strip()
    is_unknown = isinstance(value, str) and OUTCOMES.get(text.casefold(), False) is None
    if is_missing(value) or (is_unknown and text.casefold() != str(positive)):
        return None
    return bool(value == positive) or text == str(positive)
