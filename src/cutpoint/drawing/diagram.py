"""Diagram: what the picture of an automaton shows, before any drawing language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import CutPoint, whole_number
from cutpoint.model import Acceptor
from cutpoint.model.text import number
from cutpoint.wording import counted, shown

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


MOST_LINES = 10
"""Most lines of an arrow's label."""
LINE_WIDTH = 20
"""Characters after which the symbols of a line are continued on the next one."""
FAINT = 0.2
"""Arrows whose largest probability is below this are the fainter the smaller it is."""
LEAST_INK = 45
"""Percentage of black of the faintest arrow."""
ORIENTATIONS = ("right", "down")


@dataclass(frozen=True)
class Look:
    """How a diagram is to look.

    Attributes
    ----------
    min_probability : smaller probabilities are left out.
    digits : decimals of a probability that is not shown as a fraction.
    orientation : ``"right"`` or ``"down"``: where the arrows lead by preference.
    """

    min_probability: float = 0.0
    digits: int = 4
    orientation: str = "right"

    def __post_init__(self) -> None:
        """Refuse what no diagram can look like."""
        least = self.min_probability
        if not (isinstance(least, int | float | Fraction) and 0 <= least <= 1):
            raise InvalidArgument(f"min_probability must be a number between 0 and 1; got {shown(least)}.")
        whole_number("digits", self.digits, least=1, most=17)
        if self.orientation not in ORIENTATIONS:
            raise InvalidArgument(f"orientation must be 'right' or 'down'; got {shown(self.orientation)}.")


@dataclass(frozen=True)
class Node:
    """A circle: its key in the drawing language, its text, a double border if final, a place if it has a fixed one."""

    key: str
    text: str
    final: bool = False
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Line:
    """A line of an arrow's label: symbols, and their probability if it is to be shown."""

    symbols: str
    probability: str = ""

    @property
    def text(self) -> str:
        """``symbol: probability``, or one of the two."""
        return ": ".join(part for part in (self.symbols, self.probability) if part)


@dataclass(frozen=True)
class Arrow:
    """An arrow between the nodes of two keys; ``strength`` is its largest probability."""

    source: str
    target: str
    lines: tuple[Line, ...] = ()
    strength: float = 1.0

    @property
    def ink(self) -> int:
        """Percentage of black."""
        return round(LEAST_INK + (100 - LEAST_INK) * min(self.strength / FAINT, 1.0))


@dataclass(frozen=True)
class Diagram:
    """Nodes, the dashed arrows into those a run can start in (their source is the word "start"), and the others.

    ``symbols`` are words for all symbols in their order, where a file is to keep it.
    """

    nodes: tuple[Node, ...]
    starts: tuple[Arrow, ...]
    arrows: tuple[Arrow, ...]
    look: Look
    symbols: tuple[str, ...] = ()

    @property
    def is_placed(self) -> bool:
        """Whether every node has its place."""
        return all(node.place for node in self.nodes)

    def check_size(self, most: int) -> None:
        """Refuse a diagram of more nodes or arrows than can be laid out in seconds."""
        arrows = len(self.arrows) + len(self.starts)
        if max(len(self.nodes), arrows) > most:
            raise TooLarge(
                f"a picture has at most {most} nodes and {most} arrows; this one has "
                f"{counted(len(self.nodes), 'node')} and {counted(arrows, 'arrow')}. Leave out small probabilities "
                "with min_probability=..., or take the text of to_dot to a tool of your own."
            )


@dataclass(frozen=True)
class Wording:
    """How a diagram puts into words the names of states, those of symbols, and probabilities.

    Attributes
    ----------
    state, symbol, number : the word of each.
    is_whole : whether every line of a label is written, however many there are, and the symbols in their order.
    """

    state: Callable[[object], str]
    symbol: Callable[[object], str]
    number: Callable[[Any], str]
    is_whole: bool = False


def state_diagram(acceptor: Acceptor, look: Look, wording: Wording | None = None) -> Diagram:
    """Diagram of an acceptor; in the words of a picture if there are no others.

    Examples
    --------
    >>> import cutpoint as cp
    >>> [line.text for line in state_diagram(cp.p_adic(2), Look()).arrows[0].lines]
    ['0: 1', '1: 1/2']
    """
    used = wording or Wording(label, symbol_label, partial(number, digits=look.digits))
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    start = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
    nodes = [
        Node(str(s), used.state(name), bool(final))
        for s, (name, final) in enumerate(zip(acceptor.states, acceptor.final, strict=True))
    ]
    starts = [
        Arrow("start", str(s), () if start[s] == 1 else (Line("", used.number(start[s])),), float(start[s]))
        for s in np.flatnonzero(_shown(start, look)).tolist()
    ]
    symbols = tuple(map(used.symbol, acceptor.alphabet))
    kept = _shown(steps, look)
    arrows = [
        _arrow(symbols, steps[:, s, t], kept[:, s, t], used, (f"{s}", f"{t}"))
        for s, t in np.argwhere(kept.any(axis=0)).tolist()
    ]
    return Diagram(tuple(nodes), tuple(starts), tuple(arrows), look, symbols if used.is_whole else ())


def wrapped(symbols: Iterable[str], probability: str = "") -> Iterator[Line]:
    """Lines of symbols, the last with their probability; a line that goes on ends with a comma.

    Examples
    --------
    >>> [line.text for line in wrapped(["to the left", "to the right", "on"], "1/2")]
    ['to the left,', 'to the right, on: 1/2']
    """
    lines = [""]
    for name in symbols:
        if lines[-1] and len(lines[-1]) + len(name) > LINE_WIDTH:
            lines.append("")
        lines[-1] += f"{name}, "
    *first, last = lines
    yield from (Line(text.rstrip()) for text in first)
    yield Line(last.removesuffix(", "), probability)


def bounded(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines as far as there is room, and a word about the rest."""
    whole = tuple(lines)
    if len(whole) <= MOST_LINES:
        return whole
    rest = len(whole) - MOST_LINES + 1
    return (*whole[: MOST_LINES - 1], Line(f"… and {counted(rest, 'more line')}"))


def _shown(values: NDArray[Any], look: Look) -> NDArray[np.bool_]:
    """Which probabilities are to be shown."""
    return np.asarray((values > 0) & (values >= look.min_probability), dtype=np.bool_)


def _arrow(
    symbols: tuple[str, ...],
    values: NDArray[Any],
    kept: NDArray[np.bool_],
    wording: Wording,
    ends: tuple[str, str],
) -> Arrow:
    """Arrow of one pair of states; symbols of the same probability share a line."""
    groups: dict[Any, list[str]] = {}
    for a in np.flatnonzero(kept).tolist():
        groups.setdefault(values[a], []).append(symbols[a])
    lines = (line for value, words in groups.items() for line in wrapped(words, wording.number(value)))
    return Arrow(*ends, tuple(lines) if wording.is_whole else bounded(lines), float(max(groups)))
