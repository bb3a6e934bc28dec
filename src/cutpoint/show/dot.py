"""DOT text for Graphviz: the state diagram of the paper's Fig. 1, the belief network of Fig. 2."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from cutpoint.decision import DFA
from cutpoint.errors import InvalidArgument
from cutpoint.model import Acceptor, BeliefNetwork
from cutpoint.model.text import number


@singledispatch
def to_dot(value: object) -> str:
    r"""Graphviz DOT text of the state diagram of an acceptor or a DFA, or of a belief network.

    In a state diagram a dashed arrow leads to the states it can start in, final states have a double border, and the
    arrows between two states are merged into one, labelled ``symbol: probability``.

    Examples
    --------
    >>> import cutpoint as cp
    >>> print(cp.to_dot(cp.p_adic(2)))
    digraph {
      rankdir=LR;
      start [shape=plaintext];
      0 [label="s1", shape=circle];
      1 [label="s2", shape=doublecircle];
      start -> 0 [style=dashed];
      0 -> 0 [label="0: 1\n1: 1/2"];
      0 -> 1 [label="1: 1/2"];
      1 -> 0 [label="0: 1/2"];
      1 -> 1 [label="0: 1/2\n1: 1"];
    }
    """
    raise InvalidArgument(f"to_dot draws an Acceptor, a DFA or a BeliefNetwork; got {type(value).__name__}.")


@to_dot.register
def _(acceptor: Acceptor) -> str:
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    start = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
    lines = ["rankdir=LR;", "start [shape=plaintext];"]
    for s, name in enumerate(acceptor.states):
        lines.append(f"{s} [label={_quoted(name)}, shape={'doublecircle' if acceptor.final[s] else 'circle'}];")
    for s, p in enumerate(start):
        if p > 0:
            lines.append(f"start -> {s} [style=dashed{'' if p == 1 else f', label={_quoted(number(p))}'}];")
    for s in range(acceptor.n_states):
        for t in range(acceptor.n_states):
            used = [(symbol, steps[a, s, t]) for a, symbol in enumerate(acceptor.alphabet) if steps[a, s, t] > 0]
            if used:
                label = "\\n".join(_escaped(f"{symbol}: {number(p)}") for symbol, p in used)
                lines.append(f'{s} -> {t} [label="{label}"];')
    return _digraph(lines)


@to_dot.register
def _(dfa: DFA) -> str:
    lines = ["rankdir=LR;", "start [shape=plaintext];"]
    lines += [f"{s} [shape={'doublecircle' if s in dfa.final else 'circle'}];" for s in range(dfa.n_states)]
    lines.append(f"start -> {dfa.initial} [style=dashed];")
    for s, row in enumerate(dfa.transitions):
        for t in dict.fromkeys(row):
            label = ", ".join(
                _escaped(str(symbol)) for symbol, after in zip(dfa.alphabet, row, strict=True) if after == t
            )
            lines.append(f'{s} -> {t} [label="{label}"];')
    return _digraph(lines)


@to_dot.register
def _(network: BeliefNetwork) -> str:
    inputs = [node for node in network.nodes if node.startswith("X")]
    states = [node for node in network.nodes if node.startswith("S")]
    lines = [
        "node [shape=circle];",
        *(f"{{rank=same; {'; '.join(row)};}}" for row in (inputs, states) if row),
    ]
    return _digraph([*lines, *(f"{parent} -> {child};" for parent, child in network.arcs)])


def _digraph(lines: Iterable[str]) -> str:
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}"])


def _quoted(text: object) -> str:
    return f'"{_escaped(str(text))}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
