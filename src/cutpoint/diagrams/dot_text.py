"""DOT text of a diagram, for Graphviz."""

from collections.abc import Iterator

from cutpoint.diagrams.diagram import Arrow, Diagram, DiagramNode, Look

NEW_LINE = "\\n"
"""The end of a line within a label: a backslash and an n."""
FONT = "Helvetica,Arial,sans-serif"
SHORT_NAME = 3
"""Names up to this length are drawn in circles, longer ones in ellipses."""


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
    shape = "circle" if all(len(node.text) <= SHORT_NAME for node in diagram.nodes) else "ellipse"
    yield f'node [fontname="{FONT}", shape={shape}];'
    yield f'edge [fontname="{FONT}", fontsize=12];'
    if diagram.symbols:
        yield f'symbols="{" ".join(map(_escaped, diagram.symbols))}";'
    if diagram.starts:
        yield 'start [label="start", shape=plaintext];'


def _node(node: DiagramNode, look: Look) -> str:
    used = [f'label="{_escaped(node.text)}"'] + ["peripheries=2"] * node.final
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
