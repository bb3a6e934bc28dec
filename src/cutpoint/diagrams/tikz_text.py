"""TikZ text of a diagram, for LaTeX: laid out on a line, a circle or a grid."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cutpoint.diagrams.diagram import Arrow, Diagram, DiagramNode, Line

SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "…": r"\dots{}",
        **{character: f"\\{character}" for character in "{}$&#_%"},
    }
)
"""Characters that LaTeX would not print as they are."""
NUMBERED = re.compile(r"([A-Za-z])([0-9]+)")  # A letter with a number gets a subscript, as in the paper
DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
"""Subscripts of the nodes of a belief network; those of a state are part of its name."""
START_DISTANCE = 1.7
LETTER = 0.18  # width of a letter, on average
SHORT_NAME = 4  # letters that fit in a node of the smallest size
LONG_NUMBER = 8  # labels with a probability of more characters are written along their arrows
POSITION = {1: "", 2: "", 3: ", pos=0.4"}
CROSSING = ", pos=0.3"
"""Position of labels on arrows by the number of nodes: the arrows of more than three nodes cross in the middle."""
GRID = 2.0


@dataclass(frozen=True)
class Place:
    """Position of a node, the angle (in degrees) that points away from the others, and the extra width of its name."""

    x: float
    y: float
    outward: float
    width: float = 0


def tikz_text(diagram: Diagram) -> str:
    """TikZ text of a diagram."""
    places = dict(zip((node.key for node in diagram.nodes), _places(diagram), strict=True))
    pairs = {(arrow.source, arrow.target) for arrow in diagram.arrows}
    lines = [_node(node, places[node.key]) for node in diagram.nodes]
    for arrow in diagram.starts:
        lines += _start(arrow, places[arrow.target], len(places))
    for arrow in diagram.arrows:
        both_ways = (arrow.target, arrow.source) in pairs
        lines.append(_arrow(arrow, places[arrow.source], places[arrow.target], both_ways, len(places)))
    return "\n".join(
        [
            r"% needs \usetikzlibrary{automata}",
            r"\begin{tikzpicture}[->, every node/.style={align=center}]",
            *(f"  {line}" for line in lines),
            r"\end{tikzpicture}",
        ]
    )


def _places(diagram: Diagram) -> Iterator[Place]:
    """Places of all nodes, clockwise on a circle from the left (from the top if the arrows point down)."""
    count, down = len(diagram.nodes), diagram.look.orientation == "down"
    texts = (line.text for arrow in diagram.arrows for line in arrow.lines)
    apart = (3.2 if count < 3 else 4.5) + LETTER * max(map(len, texts), default=0) + max(map(_width, diagram.nodes))
    radius = 0.0 if count == 1 else apart / 2 / math.sin(math.pi / count)
    for k, node in enumerate(diagram.nodes):
        if node.place:
            column, row = (node.place[0] - 1) * GRID, (1 - node.place[1]) * GRID
            yield Place(row, -column, 0) if down else Place(column, row, 0)
        else:
            angle = (90 if down else 180) - 360 * k / count
            x, y = _polar(radius, angle)
            yield Place(x, y - radius, angle, _width(node)) if down else Place(x + radius, y, angle, _width(node))


def _width(node: DiagramNode) -> float:
    """Extra width of a node with a long name."""
    return LETTER * max(node.width - SHORT_NAME, 0)


def _node(node: DiagramNode, place: Place) -> str:
    kind = "state, accepting" if node.final else "state"
    text = node.text.translate(DIGITS) if node.place else node.text
    notes = "".join(rf" \\ {_line(line)}" for line in node.notes)
    return rf"\node[{kind}] ({node.key}) at {_point(place.x, place.y)} {{{_name(text)}{notes}}};"


def _start(arrow: Arrow, place: Place, count: int) -> Iterator[str]:
    """The word "start" beside a node, between its loop and the arrow to the next node, and a dashed arrow."""
    angle = place.outward + (180 if count == 1 else -90 if count == 2 else -70)
    room = LETTER * sum(len(line.text) for line in arrow.lines)
    room = min(room, (2 if _is_long(arrow) else 1) * START_DISTANCE)
    name = f"start{arrow.target}"
    x, y = _polar(START_DISTANCE + room + place.width / 2, angle)
    yield rf"\node ({name}) at {_point(place.x + x, place.y + y)} {{start}};"
    side = "sloped, above" if _is_long(arrow) else "auto" if count < 3 else "auto, swap"
    yield _edge(name, arrow, ["dashed"], side)


def _arrow(arrow: Arrow, place: Place, target: Place, both_ways: bool, count: int) -> str:
    if arrow.source == arrow.target:
        angle = place.outward
        loop = [f"out={_short(angle + 20)}", f"in={_short(angle - 20)}", "loop"]
        return _edge(arrow.source, arrow, loop, f"anchor={_short((angle + 180) % 360)}")
    side = (_along(place, target) if count > 2 and _is_long(arrow) else "auto") + POSITION.get(count, CROSSING)
    return _edge(arrow.source, arrow, ["bend left=20"] * both_ways, side)


def _is_long(arrow: Arrow) -> bool:
    return any(len(line.probability) > LONG_NUMBER and "/" not in line.probability for line in arrow.lines)


def _along(place: Place, target: Place) -> str:
    """Side of a label that is written along its arrow: the outer side of the bend; letters are never upside down."""
    right, down = round(target.x - place.x, 2), round(place.y - target.y, 2)
    return "sloped, above" if (right, down) > (0, 0) else "sloped, below"


def _edge(source: str, arrow: Arrow, options: list[str], side: str) -> str:
    """Path of an arrow, with its label on a side of it."""
    used = options + [f"black!{arrow.ink}"] * (arrow.ink < 100)
    style = f"[{', '.join(used)}]" if used else ""
    text = f" node[{side}] {{{_label(arrow.lines)}}}" if arrow.lines else ""
    return rf"\path ({source}) edge{style}{text} ({arrow.target});"


def _label(lines: Iterable[Line]) -> str:
    """Label of an arrow; lines with fractions get some space between them.

    What follows the line break keeps LaTeX from reading a symbol ``*`` or ``[`` as belonging to it; a space after that
    would be printed.
    """
    texts = [_line(line) for line in lines]
    apart = "[3pt]" if any("\\frac" in text for text in texts) else "{}"
    return rf" \\{apart}".join(texts)


def _line(line: Line) -> str:
    if not line.probability:
        return line.symbols.translate(SPECIAL)
    upper, slash, lower = line.probability.partition("/")
    shown = rf"$\frac{{{upper}}}{{{lower}}}$" if slash else upper
    return f"{_name(line.symbols)}: {shown}" if line.symbols else shown


def _name(text: str) -> str:
    parts = NUMBERED.fullmatch(text)
    return f"${parts[1]}_{{{parts[2]}}}$" if parts else text.translate(SPECIAL)


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))


def _point(x: float, y: float) -> str:
    return f"({_short(x)}, {_short(y)})"


def _short(value: float) -> str:
    return f"{round(value, 2) + 0.0:g}"
