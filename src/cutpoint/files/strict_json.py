"""Strict JSON: no duplicate keys, no NaN, nothing unknown; every refusal names its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from cutpoint.errors import InvalidArgument
from cutpoint.exact import entry
from cutpoint.files.source import Source
from cutpoint.files.typed_names import is_unicode, name_of
from cutpoint.wording import counted, listed, shown

MOST_VALUES = 2_500_000
"""Most values of a document: each takes tens of bytes of memory for as little as one byte of text."""

LONG_INTEGER = 4300
"""Digits of the longest integer that is read."""

LARGEST, SMALLEST = 1e300, 5e-324
"""Numbers beyond have no use, and "1e-9999" would take a thousand times the memory of its text."""

_WORD = re.compile(r"\w+")


class _Object(dict[str, Any]):
    """JSON object that remembers a key given twice."""

    repeated: str | None = None


@dataclass(frozen=True)
class Value:
    """A value of a JSON document and its place; what is taken out of it is checked."""

    source: Source
    place: str
    raw: Any

    def refuse(self, expected: str) -> NoReturn:
        """Say what was expected here and what was found."""
        raise self.source.refused(f"expected {expected}; got {_told(self.raw)}.", self.place)

    def fields(self, required: Iterable[str] = (), optional: Iterable[str] = ()) -> dict[str, Value]:
        """Members of an object that has the required keys and at most the optional ones beside them."""
        members, required, optional = self.members(), tuple(required), tuple(optional)
        allowed = {*required, *optional}
        for key in required:
            if key not in members:
                raise self.source.refused(f"expected the key {key!r}, which is missing.", self.place)
        for key in members:
            if key not in allowed:
                known = listed((*required, *optional), limit=20)
                raise self.source.refused(f"expected keys out of {known}; got {shown(key)}.", self.place)
        return members

    def members(self) -> dict[str, Value]:
        """Members of an object with any keys."""
        if not isinstance(self.raw, _Object):
            self.refuse("an object")
        if self.raw.repeated is not None:
            raise self.source.refused(f"the key {shown(self.raw.repeated)} occurs twice.", self.place)
        return {key: Value(self.source, joined(self.place, key), raw) for key, raw in self.raw.items()}

    def items(self, noun: str, length: int | None = None) -> list[Value]:
        """Items of a list."""
        return [Value(self.source, f"{self.place}[{i}]", raw) for i, raw in enumerate(self._list(noun, length))]

    def names(self, noun: str) -> list[Hashable]:
        """Names in a list."""
        return [item.name() for item in self.items(noun)]

    def name(self) -> Hashable:
        """Name of a state or symbol."""
        try:
            return name_of(self.raw)
        except ValueError:
            return self.refuse("a name (text, a number, true, false, or a list of them)")

    def numbers(self, length: int) -> list[Fraction | float]:
        """So many numbers: floats as they are, whole numbers and strings such as "1/3" as fractions."""
        values = self._list("number", length)
        if all(type(value) is float for value in values) and np.isfinite(values).all():
            return values
        found = [_number(value) for value in values]
        for item, value in zip(self.items("number"), found, strict=True) if None in found else ():
            if value is None:
                item.number()
        return found  # type: ignore[return-value]

    def number(self) -> Fraction | float:
        """A finite number."""
        found = _number(self.raw)
        return found if found is not None else self.refuse('a finite number or a string such as "1/3"')

    def text(self) -> str:
        """A string."""
        return self.raw if isinstance(self.raw, str) and is_unicode(self.raw) else self.refuse("a string")

    def scalar(self) -> Any:
        """Text, a finite number, a bool or null."""
        if isinstance(self.raw, dict | list) or (isinstance(self.raw, float) and not math.isfinite(self.raw)):
            self.refuse("a string, a finite number, true, false or null")
        return self.text() if isinstance(self.raw, str) else self.raw

    def _list(self, noun: str, length: int | None) -> list[Any]:
        expected = f"a list of {noun}s" if length is None else counted(length, noun)
        if not isinstance(self.raw, list):
            self.refuse(expected)
        if length is not None and len(self.raw) != length:
            raise self.source.refused(f"expected {expected}; got {len(self.raw):,}.", self.place)
        return self.raw


def document(source: Source, text: str) -> Value:
    """JSON document; syntax errors are refused with line and column, too many values before memory is taken."""
    if has_many_values(text):
        raise source.refused(f"the file holds more than {counted(MOST_VALUES, 'value')}, the most that is read.")
    try:
        raw = json.loads(text, object_pairs_hook=_object, parse_int=_integer)
    except json.JSONDecodeError as wrong:
        place = f"line {wrong.lineno}, column {wrong.colno}"
        raise source.refused(f"this is not JSON ({wrong.msg}). Is the file whole?", place) from None
    except RecursionError:
        raise source.refused("the lists are nested too deeply.") from None
    return Value(source, "", raw)


def has_many_values(text: str) -> bool:
    """Whether a document has more values than are read; each but the first begins behind one of three signs."""
    return sum(map(text.count, ",[{")) > MOST_VALUES


def canonical(raw: Any) -> bytes:
    """The same bytes for every JSON text of the same values."""
    return json.dumps(raw, sort_keys=True, separators=(",", ":")).encode()


def joined(place: str, key: str) -> str:
    """Place of a member: ``transitions.a``, or ``transitions["a b"]`` for keys that are not words."""
    step = key if _WORD.fullmatch(key) else f"[{shown(key)}]"
    return f"{place}.{step}" if place and step is key else place + step


def _number(raw: Any) -> Fraction | float | None:
    """A finite number of a size that has a use, or None."""
    if not isinstance(raw, str | int | float) or isinstance(raw, bool):
        return None
    if isinstance(raw, str) and len(raw) > 2 * LONG_INTEGER:
        return None
    try:
        found: Any = entry(raw)
    except InvalidArgument:
        return None
    return found if SMALLEST <= abs(found) <= LARGEST or found == 0 else None


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        found.repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return found


def _integer(text: str) -> int | float:
    """An integer; one too long to read becomes infinite, so that it is refused where it stands."""
    try:
        return int(text)
    except ValueError:
        return math.inf


def _told(raw: Any) -> str:
    """What was found, in a few words of JSON."""
    kinds: list[tuple[type, Callable[[Any], str]]] = [
        (dict, lambda _: "an object"),
        (list, lambda found: f"a list of {counted(len(found), 'item')}"),
        (bool, lambda found: str(found).lower()),
        (type(None), lambda _: "null"),
    ]
    if isinstance(raw, float) and math.isinf(raw):
        return "a number too large to hold"
    return next((tell(raw) for kind, tell in kinds if isinstance(raw, kind)), shown(raw))
