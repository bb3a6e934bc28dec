"""Names as labels: text of any name that can stand in a picture or a page, whatever is in it."""

from __future__ import annotations

from fractions import Fraction

from cutpoint.data.names import shown
from cutpoint.exact import CutPoint
from cutpoint.model.text import number

ROOM = 28
"""Most characters of a name in a picture or a page; longer ones are shortened."""


def label(name: object, room: int = ROOM) -> str:
    """Text of a name in one line; a name that begins or ends with a space, or has nothing in it, gets quotes.

    Examples
    --------
    >>> label("warm"), label((1, 2)), label(" "), label("x" * 99, room=5)
    ('warm', '(1, 2)', "' '", 'xxxx…')
    """
    try:
        text = str(name)
    except ValueError:  # an int of more than 4,300 digits
        text = shown(name)
    return cleaned(text if text and text == text.strip(" ") else f"'{text}'", room)


def symbol_label(name: object) -> str:
    """Text of a symbol among others: one that has a comma or a colon itself gets quotes.

    Without them ``a,b`` would look like two symbols, and ``x:1`` like a symbol of probability 1.

    Examples
    --------
    >>> symbol_label("a"), symbol_label("a,b"), symbol_label("x:1")
    ('a', "'a,b'", "'x:1'")
    """
    return label(f"'{name}'" if isinstance(name, str) and {",", ":"} & set(name) else name)


def cut_point_label(cut_point: CutPoint) -> str:
    """Text of a cut point: a fraction as it is, an irrational one as a decimal."""
    return number(cut_point if isinstance(cut_point, Fraction) else float(cut_point))


def cleaned(text: str, room: int) -> str:
    r"""Text in one line: what cannot be seen or written is escaped, what is too long is cut.

    A control character would make an SVG invalid, half of a surrogate pair could not be written at all, and a mark that
    turns the direction of writing would disarrange everything after it.

    Examples
    --------
    >>> cleaned("bell\a", 9)
    'bell\\x07'
    """
    text = text if len(text) <= room else text[: room - 1] + "…"
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
