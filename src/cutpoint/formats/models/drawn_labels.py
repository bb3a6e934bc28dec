r"""Labels of a drawing's arrows: lines such as ``a, b: 1/2``, symbols and what probability they have.

A line without a colon is written by hand and has symbols alone, of probability 1. Where the end of a symbol there looks
like a probability, as in ``a (0.5)`` or ``a/0.5``, somebody meant one: it is not read as part of the symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from cutpoint.data.names import counted, shown
from cutpoint.formats.models.arrays import Number
from cutpoint.formats.models.model import MOST_ENTRIES
from cutpoint.formats.models.numerals import number_of

_ENCLOSING = re.compile(r"[()\[\]{}'\"]")
_MEANT = re.compile(
    r"""
    (?: .* [\s/|=(\[@] )? (?: [0-9]*\.[0-9]+ | [0-9]+\.? \s* / \s* [0-9]+ ) \s* [)\]]?
    | .* [^\s/|] \s* [/|] \s* [01]
    """,
    re.VERBOSE | re.DOTALL,
)
"""Symbols that look as if they had a probability without a colon."""


def entries(label: str) -> Iterator[tuple[str, Number]]:
    r"""Words of symbols with their probabilities; without one it is 1. ValueError if the label cannot be read.

    Examples
    --------
    >>> list(entries("a,\nb: 1/2\nc"))
    [('a', Fraction(1, 2)), ('b', Fraction(1, 2)), ('c', Fraction(1, 1))]
    """
    if label.count("\n") > MOST_ENTRIES:
        raise ValueError(f"the label has more than {counted(MOST_ENTRIES, 'line')}, the most that are read")
    waiting: list[str] = []
    for line in filter(None, map(str.strip, label.split("\n"))):
        waiting.append(line)
        if line.endswith(","):
            continue
        words, colon, value = " ".join(waiting).rpartition(":")
        waiting = []
        number = _number(value.strip()) if colon else Fraction(1)
        for word in _words(words if colon else value, is_numbered=bool(colon)):
            yield word, number
    if waiting:
        raise ValueError(f"expected lines such as a, b: 1/2 on the arrow of a step; got {shown(label)}")


def _words(text: str, is_numbered: bool) -> list[str]:
    """Words of a line of symbols; one with a bracket or a quote may hold a comma itself, and stands alone."""
    if text.count(",") > MOST_ENTRIES:
        raise ValueError(f"the label has more than {counted(MOST_ENTRIES, 'symbol')}, the most that are read")
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and _ENCLOSING.search(text):
        raise ValueError(f"brackets and quotes in a list are escaped as in web addresses, %28 for (; got {shown(text)}")
    for word in words:
        _check(word, is_numbered)
    return words


def _check(word: str, is_numbered: bool) -> None:
    if ":" in word:
        raise ValueError(
            rf"a line ends with its one probability, as in a: 1/4\nb: 3/4, and a colon in a symbol is written as %3A; "
            f"got {shown(word)}"
        )
    if not is_numbered and _MEANT.fullmatch(word[-100:]):
        raise ValueError(
            f"a probability stands behind a colon, as in a, b: 1/2; got {shown(word)}. If that is the symbol, write "
            ": 1 behind it"
        )


def _number(text: str) -> Number:
    try:
        return number_of(text)
    except ValueError:
        raise ValueError(f"expected a probability behind the colon, such as 1/2 or 0.5; got {shown(text)}") from None
