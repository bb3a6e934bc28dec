"""Diagram: the nodes and arrows of a picture, whatever language it is drawn in."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.html import cleaned, escaped
from cutpoint.errors import InvalidArgument, MissingExtra, TooLarge
from cutpoint.exact import RationalFunction, check_choice, has_parameters, whole_number
from cutpoint.wording import counted, shown

ROOM = 28  # most characters of a name in a picture or a page; longer ones are shortened
MOST_LINES = 10  # most lines of an arrow's label
LINE_WIDTH = 20  # characters after which the symbols of a line are continued on the next one
FAINT = 0.2  # arrows whose largest probability is below this are the fainter the smaller it is
LEAST_INK = 45  # percentage of black of the faintest arrow
MOST_DISPLAYED = 60  # most nodes, and most arrows, of a diagram that a notebook shows as part of a value


@dataclass(frozen=True)
class Look:
    """How a diagram looks: the options of :func:`cutpoint.drawing.to_dot`."""

    min_probability: float = 0.0
    digits: int = 4
    orientation: str = "right"

    def __post_init__(self) -> None:
        """Refuse values outside of these ranges."""
        least = self.min_probability
        if not (isinstance(least, int | float | Fraction) and 0 <= least <= 1):
            raise InvalidArgument(f"must be a number between 0 and 1; got {shown(least)}.", argument="min_probability")
        whole_number("digits", self.digits, least=1, most=17)
        check_choice("orientation", self.orientation, "right", "down")


@dataclass(frozen=True)
class Line:
    """A line of a label: symbols, and their probability where it is shown."""

    symbols: str
    probability: str = ""

    @property
    def text(self) -> str:
        """``symbol: probability``, or one of the two."""
        return ": ".join(part for part in (self.symbols, self.probability) if part)


@dataclass(frozen=True)
class DiagramNode:
    """A circle: its key in the drawing language, its text, a double border if final, its place if that is fixed.

    ``notes`` are further lines.
    """

    key: str
    text: str
    final: bool = False
    place: tuple[int, int] | None = None
    notes: tuple[Line, ...] = ()

    @property
    def width(self) -> int:
        """Characters of the longest line."""
        return max(len(self.text), *(len(line.text) for line in self.notes), 0)


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
    """Nodes, dashed arrows from the word "start" to those where a run can start, and all other arrows.

    ``symbols`` are the names of all symbols in their order, for files that keep it.
    """

    nodes: tuple[DiagramNode, ...]
    starts: tuple[Arrow, ...]
    arrows: tuple[Arrow, ...]
    look: Look
    symbols: tuple[str, ...] = ()

    @property
    def is_placed(self) -> bool:
        """Whether every node has its place."""
        return all(node.place for node in self.nodes)

    def html(self, description: str) -> str:
        """Image for a page; empty where Graphviz is missing or the diagram is too large to read.

        An image has its own names and styles, which cannot collide with those of the page.
        """
        from cutpoint.diagrams.picture import Picture  # noqa: PLC0415  (loaded when a notebook first needs it)

        try:
            self.check_size(MOST_DISPLAYED)
            content = b64encode(Picture(self).svg.encode()).decode("ascii")
        except (MissingExtra, TooLarge):
            return ""
        return f'<img alt="{escaped(description)}" style="max-width: 100%" src="data:image/svg+xml;base64,{content}">'

    def check_size(self, most: int) -> None:
        """Refuse a diagram of more nodes or arrows than the most given."""
        arrows = len(self.arrows) + len(self.starts)
        if max(len(self.nodes), arrows) > most:
            raise TooLarge(
                f"a picture has at most {most} nodes and {most} arrows; this one has "
                f"{counted(len(self.nodes), 'node')} and {counted(arrows, 'arrow')}.",
                advice="Leave out small probabilities with {min_probability}, or save it as text (.dot or .tikz).",
            )


@dataclass(frozen=True)
class LabelStyle:
    """How states, symbols and probabilities are written in a diagram.

    ``is_whole``: whether labels have all their lines, however many, and the diagram the order of the symbols.
    """

    state: Callable[[object], str]
    symbol: Callable[[object], str]
    number: Callable[[Any], str]
    is_whole: bool = False


def state_diagram(
    states: Sequence[object],
    symbols: Sequence[object],
    transitions: NDArray[Any],
    initial: NDArray[Any],
    final: NDArray[np.bool_],
    look: Look,
    style: LabelStyle,
    columns: Mapping[str, NDArray[Any]] = MappingProxyType({}),
) -> Diagram:
    """Diagram of an automaton with the transitions ``[a, s, t]``: one arrow for each pair of states.

    Symbols of the same probability share a line of its label. Entries of named columns are noted in the states.
    """
    shown_in = [(note, values, _visible(values, look)) for note, values in columns.items()]
    notes = [
        tuple(Line(note, style.number(values[s])) for note, values, is_shown in shown_in if is_shown[s])
        for s in range(len(states))
    ]
    nodes = [DiagramNode(str(s), style.state(name), bool(final[s]), notes=notes[s]) for s, name in enumerate(states)]
    starts = [
        Arrow("start", str(s), () if initial[s] == 1 else (Line("", style.number(initial[s])),), _size(initial[s]))
        for s in np.flatnonzero(_visible(initial, look)).tolist()
    ]
    names = tuple(map(style.symbol, symbols))
    visible = _visible(transitions, look)
    arrows = []
    for s, t in np.argwhere(visible.any(axis=0)).tolist():
        groups: dict[Any, list[str]] = {}
        for a in np.flatnonzero(visible[:, s, t]).tolist():
            groups.setdefault(transitions[a, s, t], []).append(names[a])
        lines = [line for value, group in groups.items() for line in wrapped(group, style.number(value))]
        arrows.append(
            Arrow(str(s), str(t), tuple(lines) if style.is_whole else bounded(lines), max(map(_size, groups)))
        )
    return Diagram(tuple(nodes), tuple(starts), tuple(arrows), look, names if style.is_whole else ())


def wrapped(symbols: Iterable[str], probability: str = "") -> list[Line]:
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
    return [*(Line(text.rstrip()) for text in first), Line(last.removesuffix(", "), probability)]


def bounded(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines as far as there is room, and how many more there are."""
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    rest = len(lines) - MOST_LINES + 1
    return (*lines[: MOST_LINES - 1], Line(f"… and {counted(rest, 'more line')}"))


def label(name: object, room: int = ROOM) -> str:
    """Text of a name in one line; a name that is empty, or begins or ends with a space, gets quotes.

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
    """Text of a symbol among others; without quotes ``a,b`` would look like two of them, ``x:1`` like a probability.

    Examples
    --------
    >>> symbol_label("a"), symbol_label("a,b"), symbol_label("x:1")
    ('a', "'a,b'", "'x:1'")
    """
    return label(f"'{name}'" if isinstance(name, str) and {",", ":"} & set(name) else name)


def _size(value: Any) -> float:
    """Size of a weight as a float; a function of parameters counts as 1."""
    return 1.0 if isinstance(value, RationalFunction) and value.constant is None else abs(float(value))


def _visible(values: NDArray[Any], look: Look) -> NDArray[np.bool_]:
    """Which probabilities, or weights of either sign, are shown."""
    if has_parameters(values):
        values = np.vectorize(_size, otypes=[np.float64])(values)
    return np.asarray((values != 0) & (np.abs(values) >= look.min_probability), dtype=np.bool_)
