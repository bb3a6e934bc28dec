"""What can be drawn: acceptors, DFAs and belief networks, each as a diagram."""

from __future__ import annotations

from functools import singledispatch

from cutpoint.data.names import shown
from cutpoint.decision import DFA
from cutpoint.diagrams.diagram import Arrow, Diagram, Look, Node, bounded, state_diagram, wrapped
from cutpoint.diagrams.labels import symbol_label
from cutpoint.errors import InvalidArgument
from cutpoint.model import Acceptor, BeliefNetwork

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
