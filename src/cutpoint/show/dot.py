"""DOT text for Graphviz: the state diagram of the paper's Fig. 1, the belief network of Fig. 2."""

from __future__ import annotations

from collections.abc import Iterator

from cutpoint.model.text import number
from cutpoint.show.diagram import Arrow, Diagram, Drawable, Line, Look, Node, diagram

NEW_LINE = "\\n"
"""What ends a line within a label: a backslash and an n."""
FONT = "Helvetica,Arial,sans-serif"
SHORT_NAME = 3
"""Names up to this length stand in circles, longer ones in ellipses."""


def to_dot(
    value: Drawable,
    min_probability: float = 0.0,
    digits: int = 4,
    orientation: str = "right",
) -> str:
    r"""Graphviz DOT text of the state diagram of an acceptor or a DFA, or of a belief network.

    In a state diagram a dashed arrow leads to the states it can start in, final states have a double border, and the
    arrows between two states are merged into one, labelled ``symbol: probability``; the smaller its largest
    probability, the fainter it is.

    Parameters
    ----------
    value : what is drawn.
    min_probability : smaller probabilities are left out.
    digits : decimals of probabilities; those of exact acceptors are shown as fractions.
    orientation : ``"right"`` or ``"down"``, where the arrows lead by preference.

    Examples
    --------
    >>> import cutpoint as cp
    >>> print(cp.to_dot(cp.p_adic(2)))
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
    return dot_text(diagram(value, Look(min_probability, digits, orientation)))


def dot_text(drawn: Diagram) -> str:
    """DOT text of a diagram."""
    lines = [*_header(drawn), *(_node(node, drawn.look) for node in drawn.nodes)]
    lines += [_arrow(arrow, drawn.look, "style=dashed") for arrow in drawn.starts]
    lines += [_arrow(arrow, drawn.look) for arrow in drawn.arrows]
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}"])


def _header(drawn: Diagram) -> Iterator[str]:
    """Settings of the whole picture; nodes that have a place are drawn there, by Graphviz' neato."""
    right = drawn.look.orientation == "right"
    yield "layout=neato;" if drawn.is_placed else f"rankdir={'LR' if right else 'TB'};"
    shape = "circle" if all(len(node.text) <= SHORT_NAME for node in drawn.nodes) else "ellipse"
    yield f'node [fontname="{FONT}", shape={shape}];'
    yield f'edge [fontname="{FONT}", fontsize=12];'
    if drawn.starts:
        yield 'start [label="start", shape=plaintext];'


def _node(node: Node, look: Look) -> str:
    used = [f'label="{_escaped(node.text)}"'] + ["peripheries=2"] * node.final
    if node.place:
        column, row = node.place if look.orientation == "right" else node.place[::-1]
        used.append(f'pos="{column},{-row}!"')
    return f"{node.key} [{', '.join(used)}];"


def _arrow(arrow: Arrow, look: Look, *attributes: str) -> str:
    used = list(attributes)
    if arrow.lines:
        space = " " if look.orientation == "down" else ""  # labels then stand beside the arrows and would touch them
        text = NEW_LINE.join(f"{space}{_escaped(line_text(line, look.digits))}{space}" for line in arrow.lines)
        used.append(f'label="{text}"')
    if arrow.ink < 100:
        gray = f"{round(255 * (1 - arrow.ink / 100)):02x}" * 3
        used.append(f'color="#{gray}", fontcolor="#{gray}"')
    return f"{arrow.source} -> {arrow.target}{' [' + ', '.join(used) + ']' if used else ''};"


def line_text(line: Line, digits: int) -> str:
    """Line of a label as plain text: ``symbol: probability``, or one of the two."""
    if line.probability is None:
        return line.symbols
    shown = number(line.probability, digits)
    return f"{line.symbols}: {shown}" if line.symbols else shown


def _escaped(text: str) -> str:
    """Text between the quotes of a label: Graphviz reads backslashes, quotes and entities such as ``&lt;``."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
