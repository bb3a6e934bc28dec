"""Pictures: diagrams as text, or laid out by Graphviz as SVG, PNG or PDF (extra ``[draw]``)."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from cutpoint.data.storage import explained, write_whole
from cutpoint.diagrams.diagram import Arrow, Diagram, DiagramNode, Look
from cutpoint.diagrams.tikz_text import tikz_text
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.wording import counted, shown

MOST_DRAWN = 300
"""Most nodes, and most arrows, of a picture: Graphviz takes seconds for that many, a minute for twice as many."""
RESOLUTION = 144  # dots per inch of a PNG
DATE = re.compile(rb"/CreationDate \(D:\d+Z?\)")
LETTER, LINE_HEIGHT, MARGIN = 5.5 / 72, 14.4 / 72, 4 / 72
"""Size of labels in inches: about the width of a letter, the height of a line, and the space above and below it."""
GRAPHVIZ = Lock()  # graphviz keeps its state in the process: one picture at a time


class Drawable(Protocol):
    """A value that has a diagram: an acceptor, a generator, a DFA, a belief network."""

    def diagram(self, look: Look) -> Diagram:
        """Diagram of the value."""


def draw(
    value: Drawable,
    path: str | os.PathLike[str] | None = None,
    min_probability: float = 0.0,
    digits: int = 4,
    orientation: str = "right",
) -> Picture:
    """Picture of an acceptor, generator or DFA (the paper's Fig. 1) or of a belief network (Fig. 2), also in a file.

    The extension of the path decides what is written: ``.svg``, ``.png`` or ``.pdf`` by Graphviz, which the extra
    ``[draw]`` includes (``pip install "cutpoint[draw]"``), or ``.dot``, ``.gv``, ``.tikz`` or ``.tex`` as text without
    it. The options are those of :func:`to_dot`. The same value gives the same bytes each time. A picture rounds numbers
    and shortens names; ``cp.save(A, "model.dot")`` writes DOT that leaves nothing out.

    Examples
    --------
    >>> cp.draw(cp.p_adic(2))
    <Picture: 2 nodes, 5 arrows; .save(path) writes SVG, PNG, PDF, DOT or TikZ>
    """
    if not callable(getattr(type(value), "diagram", None)):
        what = "expected an Acceptor, a Generator, a DFA or a BeliefNetwork to draw"
        raise InvalidArgument(f"{what}; got {shown(value)}.")
    picture = Picture(value.diagram(Look(min_probability, digits, orientation)))
    if path is not None:
        picture.save(path)
    return picture


def to_dot(value: Drawable, min_probability: float = 0.0, digits: int = 4, orientation: str = "right") -> str:
    r"""Graphviz DOT text of the state diagram of an acceptor or a DFA, or of a belief network.

    In a state diagram a dashed arrow points to the states where a run can start, final states have a double border, and
    the arrows between two states are merged into one, labeled ``symbol: probability``; the smaller its largest
    probability, the fainter it is. A generator's states have their probability to stop below their names; none has a
    double border if all its words are accepted.

    Parameters
    ----------
    min_probability : smaller probabilities are left out.
    digits : decimals of probabilities; those of exact acceptors are shown as fractions.
    orientation : ``"right"`` or ``"down"``, where most arrows point.

    Examples
    --------
    >>> print(cp.drawing.to_dot(cp.p_adic(2)))
    digraph {
      rankdir=LR;
      node [fontname="Helvetica,Arial,sans-serif", shape=circle];
      edge [fontname="Helvetica,Arial,sans-serif", fontsize=12];
      start [label="start", shape=plaintext];
      0 [label="s1"];
      1 [label="s2", peripheries=2];
      start -> 0 [style=dashed];
      0 -> 0 [label="0: 1\n1: 1/2"];
      0 -> 1 [label="1: 1/2"];
      1 -> 0 [label="0: 1/2"];
      1 -> 1 [label="0: 1/2\n1: 1"];
    }
    """
    return draw(value, None, min_probability, digits, orientation).dot


def to_tikz(value: Drawable, min_probability: float = 0.0, digits: int = 4, orientation: str = "right") -> str:
    r"""TikZ text of the picture that :func:`to_dot` describes, for ``\usetikzlibrary{automata}``.

    One or two states are placed side by side as in the paper's Fig. 1, more of them on a circle, the nodes of a belief
    network on a grid as in Fig. 2. Exact probabilities are fractions; a name such as ``s1`` gets a subscript.

    Examples
    --------
    >>> print(cp.drawing.to_tikz(cp.gallery.parity()))
    % needs \usetikzlibrary{automata}
    \begin{tikzpicture}[->, every node/.style={align=center}]
      \node[state] (0) at (0, 0) {even};
      \node[state, accepting] (1) at (3.92, 0) {odd};
      \node (start0) at (0, 1.7) {start};
      \path (start0) edge[dashed] (0);
      \path (0) edge[out=200, in=160, loop] node[anchor=0] {0: 1} (0);
      \path (0) edge[bend left=20] node[auto] {1: 1} (1);
      \path (1) edge[bend left=20] node[auto] {1: 1} (0);
      \path (1) edge[out=20, in=-20, loop] node[anchor=180] {0: 1} (1);
    \end{tikzpicture}
    """
    return draw(value, None, min_probability, digits, orientation).tikz


@dataclass(frozen=True)
class Picture:
    """A diagram that shows itself in a notebook, and that can be saved."""

    diagram: Diagram

    @property
    def dot(self) -> str:
        """DOT text."""
        return dot_text(self.diagram)

    @property
    def tikz(self) -> str:
        """TikZ text."""
        return tikz_text(self.diagram)

    @cached_property
    def svg(self) -> str:
        """SVG element, which can be put into a page as it is."""
        text = self._rendered("svg").decode("utf-8")
        return text[text.index("<svg") :]

    @property
    def png(self) -> bytes:
        """PNG image."""
        return self._rendered("png", dpi=RESOLUTION)

    @property
    def pdf(self) -> bytes:
        """PDF page; without the date when it was made, so that it is the same each time."""
        return DATE.sub(lambda found: re.sub(rb"\d", b"0", found[0]), self._rendered("pdf"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format that the extension of the path names, whole or not at all."""
        extension = extension_of(path, (".svg", ".png", ".pdf", ".dot", ".gv", ".tikz", ".tex"))
        if extension == ".svg":
            content = f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}'.encode()
        elif extension in (".png", ".pdf"):
            content = self.png if extension == ".png" else self.pdf
        else:
            content = f"{self.tikz if extension in ('.tikz', '.tex') else self.dot}\n".encode()
        write_whole(path, content)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        arrows = len(self.diagram.arrows) + len(self.diagram.starts)
        sizes = f"{counted(len(self.diagram.nodes), 'node')}, {counted(arrows, 'arrow')}"
        return f"<Picture: {sizes}; .save(path) writes SVG, PNG, PDF, DOT or TikZ>"

    def _rendered(self, form: str, **attributes: int) -> bytes:
        self.diagram.check_size(MOST_DRAWN)
        _graphviz()
        if form != "svg" and not _has_fonts():
            raise MissingExtra(
                "PNG and PDF need a font, and this machine has none. Save as .svg, which uses the fonts of the machine "
                "where it is displayed, or install a font such as DejaVu Sans."
            )
        return _graph(self.diagram, form, attributes)


def _graph(diagram: Diagram, form: str, attributes: dict[str, int]) -> bytes:
    """Bytes of a diagram rendered by Graphviz in some format."""
    failed = explained("the diagram cannot be drawn", "temporary files", OSError)
    with failed, GRAPHVIZ, _without_font_warnings():
        graph = _graphviz().AGraph(string=dot_text(diagram))
        graph.graph_attr.update(attributes)
        try:
            if not diagram.is_placed:
                graph.layout(prog="dot")
                _lift_labels(graph, diagram)
            layout = "neato" if diagram.is_placed else "nop2"  # nop2: everything has its place by now
            rendered: bytes = graph.draw(format=form, prog=layout)
        finally:
            graph.close()
    return rendered


@contextmanager
def _without_font_warnings() -> Iterator[None]:
    """Keep warnings of the font library from standard error: the fonts of many systems are set up for another version.

    It writes them from compiled code, so the stream itself is replaced for a while; anything else is passed on.
    """
    try:
        stream = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stream, 2)
            os.close(stream)
            caught.seek(0)
            others = b"".join(line for line in caught if not line.startswith(b"Fontconfig warning"))
            with suppress(OSError):
                os.write(2, others)


def _lift_labels(graph: Any, diagram: Diagram) -> None:
    """Put the labels above all arrows, on white: arrows of dense diagrams cross them, and they must be readable.

    Graphviz draws an arrow and its label before the next arrow, but all arrows before the nodes: labels become nodes.
    The white is a little smaller than the text, or it would hide the arrow beside it.
    """
    graph.graph_attr["outputorder"] = "edgesfirst"
    for arrow in (arrow for arrow in (*diagram.starts, *diagram.arrows) if arrow.lines):
        edge = graph.get_edge(arrow.source, arrow.target)
        graph.add_node(
            f"{arrow.source}->{arrow.target}",
            label=edge.attr["label"].replace("<", "&lt;", 1),  # one that begins with < and ends with > would be markup
            pos=edge.attr["lp"],
            shape="box",
            style="filled",
            fillcolor="white",
            penwidth=0,
            fixedsize="shape",
            width=LETTER * max(len(line.text) for line in arrow.lines),
            height=LINE_HEIGHT * len(arrow.lines) - MARGIN,
            fontsize=12,
            fontcolor=edge.attr["fontcolor"] or "black",
        )
        edge.attr["label"] = ""


@cache
def _has_fonts() -> bool:
    """Whether letters come out as letters: without fonts, as in many containers, they would be empty boxes."""
    letter = Diagram((DiagramNode("0", "a"),), (), (), Look())
    return b"/Font" in _graph(letter, "pdf", {})


def _graphviz() -> Any:
    """The module with Graphviz inside."""
    try:
        import pygraphviz  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            'SVG, PNG and PDF need Graphviz; install it with: pip install "cutpoint[draw]". Without it, save the '
            "picture as text: .dot, .gv, .tikz or .tex."
        ) from None
    return pygraphviz


def extension_of(path: object, known: tuple[str, ...]) -> str:
    """Extension of a path in lowercase, one of those known."""
    extension = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    if extension not in known:
        endings = f"{', '.join(known[:-1])} or {known[-1]}"
        raise InvalidArgument(f"the path of a picture must end in {endings}; got {shown(path)}.")
    return extension


NEW_LINE = "\\n"  # the end of a line within a label: a backslash and an n
FONT = "Helvetica,Arial,sans-serif"
SHORT_NAME = 3  # names up to this length are drawn in circles, longer ones in ellipses


def dot_text(diagram: Diagram) -> str:
    """DOT text of a diagram."""
    lines = [*_header(diagram), *(_node(node, diagram.look) for node in diagram.nodes)]
    lines += [_arrow(arrow, diagram.look, "style=dashed") for arrow in diagram.starts]
    lines += [_arrow(arrow, diagram.look) for arrow in diagram.arrows]
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}"])


def _header(diagram: Diagram) -> Iterator[str]:
    """Settings of the whole picture; nodes that have a place are put there by Graphviz' neato."""
    right = diagram.look.orientation == "right"
    yield "layout=neato;" if diagram.is_placed else f"rankdir={'LR' if right else 'TB'};"
    shape = "circle" if all(node.width <= SHORT_NAME for node in diagram.nodes) else "ellipse"
    yield f'node [fontname="{FONT}", shape={shape}];'
    yield f'edge [fontname="{FONT}", fontsize=12];'
    if diagram.symbols:
        yield f'symbols="{" ".join(map(_escaped, diagram.symbols))}";'
    if diagram.starts:
        yield 'start [label="start", shape=plaintext];'


def _node(node: DiagramNode, look: Look) -> str:
    text = NEW_LINE.join(map(_escaped, [node.text, *(line.text for line in node.notes)]))
    used = [f'label="{text}"'] + ["peripheries=2"] * node.final
    if node.place:
        column, row = node.place if look.orientation == "right" else node.place[::-1]
        used.append(f'pos="{column},{-row}!"')
    return f"{node.key} [{', '.join(used)}];"


def _arrow(arrow: Arrow, look: Look, *attributes: str) -> str:
    used = list(attributes)
    if arrow.lines:
        space = " " if look.orientation == "down" else ""  # labels are then beside the arrows and would touch them
        text = NEW_LINE.join(f"{space}{_escaped(line.text)}{space}" for line in arrow.lines)
        used.append(f'label="{text}"')
    if arrow.ink < 100:
        gray = f"{round(255 * (1 - arrow.ink / 100)):02x}" * 3
        used.append(f'color="#{gray}", fontcolor="#{gray}"')
    return f"{arrow.source} -> {arrow.target}{' [' + ', '.join(used) + ']' if used else ''};"


def _escaped(text: str) -> str:
    """Text between the quotes of a label: Graphviz reads backslashes, quotes and entities such as ``&lt;``."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
