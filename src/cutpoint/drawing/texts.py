"""Pictures as text: the state diagram of the paper's Fig. 1, the belief network of Fig. 2, in DOT and in TikZ."""

from __future__ import annotations

from functools import singledispatch

from cutpoint.decision import DFA
from cutpoint.drawing.diagram import Arrow, Diagram, Look, Node, bounded, state_diagram, symbol_label, wrapped
from cutpoint.drawing.dot_text import dot_text
from cutpoint.drawing.tikz_text import tikz_text
from cutpoint.errors import InvalidArgument
from cutpoint.model import Acceptor, BeliefNetwork
from cutpoint.wording import shown

Drawable = Acceptor | DFA | BeliefNetwork


@singledispatch
def diagram(value: object, look: Look) -> Diagram:
    """Diagram of an acceptor, a DFA or a belief network."""
    raise InvalidArgument(f"expected an Acceptor, a DFA or a BeliefNetwork to draw; got {shown(value)}.")


@diagram.register
def _(acceptor: Acceptor, look: Look) -> Diagram:
    return state_diagram(acceptor, look)


@diagram.register
def _(dfa: DFA, look: Look) -> Diagram:
    nodes = tuple(Node(str(s), str(s), s in dfa.final) for s in range(dfa.n_states))
    arrows = []
    for s, row in enumerate(dfa.transitions):
        for t in dict.fromkeys(row):
            symbols = [symbol_label(symbol) for symbol, after in zip(dfa.alphabet, row, strict=True) if after == t]
            arrows.append(Arrow(str(s), str(t), bounded(wrapped(symbols))))
    return Diagram(nodes, (Arrow("start", str(dfa.initial)),), tuple(arrows), look)


@diagram.register
def _(network: BeliefNetwork, look: Look) -> Diagram:
    subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    nodes = [
        Node(name, name.translate(subscript), place=(int(name[1:]), "XS".index(name[0]))) for name in network.nodes
    ]
    return Diagram(tuple(nodes), (), tuple(Arrow(parent, child) for parent, child in network.arcs), look)


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
    return dot_text(diagram(value, Look(min_probability, digits, orientation)))


def to_tikz(
    value: Drawable,
    min_probability: float = 0.0,
    digits: int = 4,
    orientation: str = "right",
) -> str:
    r"""TikZ text of the picture that :func:`to_dot` describes, for ``\usetikzlibrary{automata}``.

    Up to two states stand side by side as in the paper's Fig. 1, more of them on a circle, the nodes of a belief
    network on a grid as in Fig. 2. Exact probabilities are fractions; a name such as ``s1`` gets a subscript.

    Examples
    --------
    >>> import cutpoint as cp
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
    return tikz_text(diagram(value, Look(min_probability, digits, orientation)))
