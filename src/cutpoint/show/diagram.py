"""Diagram: what a picture of an acceptor, a DFA or a belief network shows, before any drawing language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.names import counted, shown
from cutpoint.decision import DFA
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor, BeliefNetwork
from cutpoint.show.labels import label

Drawable = Acceptor | DFA | BeliefNetwork

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
    probability: Any = None


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
    """Nodes, the dashed arrows into those a run can start in (their source is the word "start"), and the others."""

    nodes: tuple[Node, ...]
    starts: tuple[Arrow, ...]
    arrows: tuple[Arrow, ...]
    look: Look

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


@singledispatch
def diagram(value: object, look: Look) -> Diagram:
    """Diagram of an acceptor, a DFA or a belief network."""
    raise InvalidArgument(f"expected an Acceptor, a DFA or a BeliefNetwork to draw; got {shown(value)}.")


@diagram.register
def _(acceptor: Acceptor, look: Look) -> Diagram:
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    start = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
    nodes = [
        Node(str(s), label(name), bool(final))
        for s, (name, final) in enumerate(zip(acceptor.states, acceptor.final, strict=True))
    ]
    starts = [
        Arrow("start", str(s), () if start[s] == 1 else (Line("", start[s]),), float(start[s]))
        for s in np.flatnonzero(_shown(start, look)).tolist()
    ]
    kept = _shown(steps, look)
    arrows = [_arrow(acceptor, steps[:, s, t], kept[:, s, t], f"{s}", f"{t}") for s, t in np.argwhere(kept.any(axis=0))]
    return Diagram(tuple(nodes), tuple(starts), tuple(arrows), look)


@diagram.register
def _(dfa: DFA, look: Look) -> Diagram:
    nodes = tuple(Node(str(s), str(s), s in dfa.final) for s in range(dfa.n_states))
    arrows = []
    for s, row in enumerate(dfa.transitions):
        for t in dict.fromkeys(row):
            symbols = [symbol for symbol, after in zip(dfa.alphabet, row, strict=True) if after == t]
            arrows.append(Arrow(str(s), str(t), _bounded(_wrapped(symbols))))
    return Diagram(nodes, (Arrow("start", str(dfa.initial)),), tuple(arrows), look)


@diagram.register
def _(network: BeliefNetwork, look: Look) -> Diagram:
    subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    nodes = [
        Node(name, name.translate(subscript), place=(int(name[1:]), "XS".index(name[0]))) for name in network.nodes
    ]
    return Diagram(tuple(nodes), (), tuple(Arrow(parent, child) for parent, child in network.arcs), look)


def _shown(values: NDArray[Any], look: Look) -> NDArray[np.bool_]:
    """Which probabilities are to be shown."""
    return np.asarray((values > 0) & (values >= look.min_probability), dtype=np.bool_)


def _arrow(acceptor: Acceptor, values: NDArray[Any], kept: NDArray[np.bool_], source: str, target: str) -> Arrow:
    """Arrow of one pair of states; symbols of the same probability share a line."""
    groups: dict[Any, list[object]] = {}
    for a in np.flatnonzero(kept).tolist():
        groups.setdefault(values[a], []).append(acceptor.alphabet[a])
    lines = (line for value, symbols in groups.items() for line in _wrapped(symbols, value))
    return Arrow(source, target, _bounded(lines), float(max(groups)))


def _wrapped(symbols: list[object], probability: Any = None) -> Iterator[Line]:
    """Lines of symbols, the last with their probability."""
    lines = [""]
    for name in map(label, symbols):
        if lines[-1] and len(lines[-1]) + len(name) > LINE_WIDTH:
            lines.append("")
        lines[-1] += f"{name}, "
    *first, last = lines
    yield from (Line(text.rstrip()) for text in first)
    yield Line(last.removesuffix(", "), probability)


def _bounded(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines as far as there is room, and a word about the rest."""
    whole = tuple(lines)
    if len(whole) <= MOST_LINES:
        return whole
    rest = len(whole) - MOST_LINES + 1
    return (*whole[: MOST_LINES - 1], Line(f"… and {counted(rest, 'more line')}"))
