"""Names of states and symbols as JSON values and as single words of text, with their types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from cutpoint.errors import InvalidArgument
from cutpoint.wording import shown

MOST_DEPTH = 100
"""Deepest nesting of tuples in a name."""

MARK = "%="
"""Begins a word of text that is the JSON of a name; never the beginning of an escaped string."""

_DIGITS = re.compile(r"0|[1-9][0-9]*")


def plain(name: object, depth: int = 0) -> Any:
    """JSON value of a name: str, int, float, bool, None, and tuples of them as lists.

    NumPy's scalars become the Python values they equal.

    Examples
    --------
    >>> plain((0, ("a", 0.5)))
    [0, ['a', 0.5]]
    """
    value = name.item() if isinstance(name, np.generic) else name
    if type(value) is tuple and depth < MOST_DEPTH:
        return [plain(part, depth + 1) for part in value]
    if value is None or type(value) is bool or (type(value) is str and is_unicode(value)):
        return value
    if (type(value) is int and is_short(value)) or (type(value) is float and math.isfinite(value)):
        return value
    raise InvalidArgument(
        f"a file can keep names that are text, numbers of at most 4,300 digits, bools and tuples of them; "
        f"got {shown(name)} of type {type(name).__name__}. Give the acceptor other names with replace(...)."
    )


def name_of(value: Any, depth: int = 0) -> Hashable:
    """Name from a JSON value; ValueError if it cannot be one."""
    if isinstance(value, list) and depth < MOST_DEPTH:
        return tuple(name_of(part, depth + 1) for part in value)
    if isinstance(value, dict | list):
        raise ValueError
    if (isinstance(value, float) and not math.isfinite(value)) or (isinstance(value, str) and not is_unicode(value)):
        raise ValueError
    return value  # type: ignore[no-any-return]


def token(name: object, digits: type = str, reserved: Iterable[str] = ()) -> str:
    """Name as a word without spaces: text stands for itself, with % escapes; anything else is ``%=`` and its JSON.

    ``digits`` is the kind of name that plain digits stand for; reserved words are written in the long way.

    Examples
    --------
    >>> token("s1"), token("a b"), token("7"), token(7), token(7, digits=int), token((0, "q"))
    ('s1', 'a%20b', '7', '%=7', '7', '%=%5B0%2C%22q%22%5D')
    """
    value = plain(name)
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


def is_unicode(text: str) -> bool:
    """Whether a str is text: half of a surrogate pair is not."""
    return text.isascii() or not re.search("[\ud800-\udfff]", text)


def is_short(value: int) -> bool:
    """Whether Python prints an integer."""
    try:
        str(value)
    except ValueError:
        return False
    return True


def _escaped(text: str) -> str:
    return "".join(c if c.isalnum() or c in "_.-+" else quote(c, safe="") for c in text)
