"""The words and signs of DOT text, one after the other.

The reader of DOT is our own: those on pip need Graphviz, or build a tree of whatever they are given. A model file is a
small part of the language, read here in one pass, in bounded time and memory, with the line of what is wrong in it.
"""

from __future__ import annotations

import re

from cutpoint.data.names import counted, shown
from cutpoint.errors import FormatError
from cutpoint.formats.models.source import MOST_LINES, Source

MOST_PIECES = 20_000_000
"""Most words and signs of a file: one that was saved has at most nine for each of two million arrows."""

_LETTER = r"A-Za-z_\x80-\U0010ffff"
_SPACE = r"(?: [ \t\r\n\f\v]++ | //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/ | ^\#[^\n]*+ )*+"
_WORD = rf"[{_LETTER}][{_LETTER}0-9]*+ | -?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?![{_LETTER}0-9.])"
_QUOTED = r'(?:[^"\\]++|\\.)*+'
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_NEXT = re.compile(
    rf"""{_SPACE}
    (?: (?P<word> {_WORD} ) | "(?P<quoted> {_QUOTED} )" | (?P<sign> -> | -- | [{{}}\[\];,=:+] ) | (?P<end> \Z ) )?+
    """,
    _FLAGS,
)
_ATTRIBUTE = re.compile(
    rf"""{_SPACE} (?P<name> [A-Za-z_]++ ) {_SPACE} = {_SPACE}
    (?: (?P<word> {_WORD} ) | "(?P<quoted> {_QUOTED} )" ) {_SPACE} [,;]?+
    """,
    _FLAGS,
)
_ESCAPE = re.compile(r'\\(?:(")|\n|\r\n|(.))', re.DOTALL)
_BEYOND = {
    '"': "the quote is not closed.",
    "/*": "the comment is not closed.",
    "<": "labels in HTML are not read. Write them in quotes.",
}


class Pieces:
    """A walk through the text of a file, piece by piece, without spaces and comments; what is no piece is refused.

    Attributes
    ----------
    kind : of the current piece: a ``word``, something ``quoted``, a ``sign``, or the ``end``.
    text : the piece itself; what was quoted without its quotes.
    place : where in the text it begins.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._text = source.text()
        self._next = self._count = 0
        self.advance()

    @property
    def is_name(self) -> bool:
        """Whether the current piece can name something."""
        return self.kind in ("word", "quoted")

    def advance(self) -> None:
        """Go on to the next piece; behind the end there is none."""
        found = _NEXT.match(self._text, self._next)
        kind = found.lastgroup if found else None
        if not found or not kind:
            raise self._unknown(found.end() if found else self._next)
        self.kind, self.text, self.place, self._next = kind, found[kind], found.start(kind), found.end()
        if kind == "quoted":
            self.text = self._unquoted(self.text)
        self._count += 1
        if self._count > MOST_PIECES:
            raise self.source.refused(f"the file has more than {counted(MOST_PIECES, 'word')}, the most that are read.")

    def attribute(self) -> tuple[str, str] | None:
        """Name and value of an attribute behind the current piece, which are passed; or None if there is no such."""
        found = _ATTRIBUTE.match(self._text, self._next)
        if not found:
            return None
        self._next = found.end()
        self._count += 1
        return found["name"], found["word"] or self._unquoted(found["quoted"])

    def line(self, place: int) -> int:
        """Number of the line of a place."""
        return self._text.count("\n", 0, place) + 1

    def _unknown(self, place: int) -> FormatError:
        got = self._text[place : place + 20]
        sentence = next((told for begin, told in _BEYOND.items() if got.startswith(begin)), "")
        return self.source.refused(
            sentence or f"expected a name, a number or a sign of DOT; got {shown(got)}.", f"line {self.line(place)}"
        )

    def _unquoted(self, text: str) -> str:
        """What stands between quotes: a quote is escaped there, and the end of a line; other escapes stay."""
        if text.count("\\") + text.count("&") > MOST_LINES:
            most = counted(MOST_LINES, "escape")
            raise self.source.refused(f"a text in quotes has more than {most}, the most that are read.")
        return _ESCAPE.sub(lambda found: found[1] or ("\\" + found[2] if found[2] else ""), text)
