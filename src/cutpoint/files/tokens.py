"""Names and numbers in files: names with their types as JSON values or single words, numbers exact or as floats."""

import json
import math
import re
from array import array
from collections.abc import Container, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.storage import is_scalar
from cutpoint.errors import InvalidArgument
from cutpoint.wording import shown

Number = Fraction | float

MOST_DEPTH = 100  # deepest nesting of tuples in a name
MARK = "%="  # begins a word that is the JSON of a name; an escaped string never begins with it

_DIGITS = re.compile(r"0|[1-9][0-9]*")
# Lengths are bounded, so that the cost of a long run of digits is linear in its length.
_EXACT = re.compile(r"[0-9]{1,4300}(/[0-9]{1,4300})?")
_FLOAT = re.compile(r"([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")
_FLOATS = re.compile(r"(?:(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?+|\.[0-9]{1,400}+)(?:[eE][+-]?[0-9]{1,4}+)?+ )*+")


def json_value(name: object, depth: int = 0) -> Any:
    """JSON value of a name: str, int, float, bool, None, and tuples of them as lists.

    NumPy's scalars become the Python values they equal.

    Examples
    --------
    >>> json_value((0, ("a", 0.5)))
    [0, ['a', 0.5]]
    """
    value = name.item() if isinstance(name, np.generic) else name
    if type(value) is tuple and depth < MOST_DEPTH:
        return [json_value(part, depth + 1) for part in value]
    if is_scalar(value):
        return value
    raise InvalidArgument(
        f"a file can keep names that are text, numbers of at most 4,300 digits, bools and tuples of them; "
        f"got {shown(name)} of type {type(name).__name__}. Give the acceptor other names with replace(...)."
    )


def name_of(value: Any, depth: int = 0) -> Hashable:
    """Name from a JSON value; ValueError if it cannot be one."""
    if isinstance(value, list) and depth < MOST_DEPTH:
        return tuple(name_of(part, depth + 1) for part in value)
    if not is_scalar(value):
        raise ValueError
    return value  # type: ignore[no-any-return]


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON object of its members, for ``object_pairs_hook``; a key that occurs twice is a KeyError."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def token(name: object, digits: type = str, reserved: Iterable[str] = ()) -> str:
    """Name as a word without spaces: text with % escapes; anything else is ``%=`` and its JSON.

    ``digits`` is the kind of name that plain digits stand for; reserved words are written in the long way.

    Examples
    --------
    >>> token("s1"), token("a b"), token("7"), token(7), token(7, digits=int), token((0, "q"))
    ('s1', 'a%20b', '7', '%=7', '7', '%=%5B0%2C%22q%22%5D')
    """
    value = json_value(name)
    if digits is int and type(value) is int and value >= 0:
        return str(value)
    short = type(value) is str and value not in ("", *reserved) and not (digits is int and _DIGITS.fullmatch(value))
    return _escaped(value) if short else MARK + _escaped(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def name_of_token(word: str, digits: type = str) -> Hashable:
    """Name from its word; ValueError if it cannot be one."""
    if digits is int and _DIGITS.fullmatch(word):
        return int(word)
    text = unquote(word.removeprefix(MARK), errors="strict")
    try:
        return name_of(json.loads(text)) if word.startswith(MARK) else text
    except RecursionError:
        raise ValueError from None


def unused(word: str, taken: Container[str]) -> str:
    """A word that is not taken yet: the word given, with underscores if need be."""
    while word in taken:
        word += "_"
    return word


def numeral(value: Number) -> str:
    """Number as text that gives the same number back, of the same kind.

    Examples
    --------
    >>> numeral(Fraction(1, 3)), numeral(Fraction(1)), numeral(1.0), numeral(0.1)
    ('1/3', '1', '1.0', '0.1')
    """
    try:
        return str(value) if isinstance(value, Fraction) else repr(float(value))
    except ValueError:
        raise InvalidArgument(
            "a file can keep fractions of at most 4,300 digits; an entry has more. Use rationalized(...) or floats."
        ) from None


def number_of(text: str) -> Number:
    """Number from its text: exact if a fraction or a whole number, else a float; ValueError if it is not a number."""
    if _EXACT.fullmatch(text):
        try:
            float(exact := Fraction(text))
        except (ZeroDivisionError, OverflowError):
            raise ValueError from None
        return exact
    value = float(text) if _FLOAT.fullmatch(text) else math.inf
    if value == math.inf:
        raise ValueError
    return value


def _escaped(text: str) -> str:
    return "".join(c if c.isalnum() or c in "_.-+" else quote(c, safe="") for c in text)


class NumberColumn:
    """Numbers of a file as they are read: fractions while all are rational or 0, equal ones shared; then floats."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._known: dict[str, int] = {}
        self._fractions: list[Fraction] = []
        self._codes: array[int] | None = array("q")  # of the fractions, -1 for a float that is 0
        self._floats = array("d")

    def extend(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Some more numbers, and the lines where they are."""
        exact = self._rational(texts, lines)
        rest = texts[exact:]
        floats = list(map(float, rest)) if _FLOATS.fullmatch(f"{' '.join(rest)} ") else [math.inf]
        if math.inf in floats:  # some are fractions, or no numbers
            places = (f"line {line}" for line in lines[exact:])
            floats = [float(self._source.probability(text, place)) for text, place in zip(rest, places, strict=True)]
        self._floats.extend(floats)

    def _rational(self, texts: Sequence[str], lines: Sequence[int]) -> int:
        """Add numbers up to the first that is not rational, with which all become floats; how many were added."""
        if self._codes is None:
            return 0
        for at, text in enumerate(texts):
            if text not in self._known:
                number = self._source.probability(text, f"line {lines[at]}")
                if isinstance(number, Fraction):
                    self._known[text] = len(self._fractions)
                    self._fractions.append(number)
                elif number == 0.0:
                    self._known[text] = -1
                else:
                    floats = np.array([*map(float, self._fractions), 0.0])[np.frombuffer(self._codes, dtype=np.int64)]
                    self._floats.frombytes(floats.tobytes())
                    self._codes = None
                    return at
            self._codes.append(self._known[text])
        return len(texts)

    def values(self) -> NDArray[Any]:
        """All numbers: fractions if every one is rational or 0, otherwise floats."""
        if self._codes is None:
            return np.frombuffer(self._floats)
        exact = np.array([*self._fractions, Fraction(0)], dtype=object)
        return exact[np.frombuffer(self._codes, dtype=np.int64)]
