"""Red-blue merging of the labelled prefix tree into a small deterministic machine: the definition, in plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from cutpoint.kernels import door
from cutpoint.kernels.words import Codes, EncodedWords, Floats

MOST_NODES = 2**31 - 1  # most distinct prefixes of all words: they are numbered in 32 bits
ROUNDS_PER_STATE = 200  # most merges and promotions for each state asked for; edges beyond them stay open


class MergedMachine(NamedTuple):
    """A deterministic machine: ``table[state, symbol]``, -1 where no word goes on; and ``seen[state, label]``.

    ``seen`` is the weight of each label in each state; state 0 is the first.
    """

    table: Codes
    seen: Floats


@dataclass(eq=False)
class Node:
    """A prefix: what was seen right there by label, how much at it and below it, and the next prefixes by symbol."""

    counts: list[float]
    mass: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)


def merged_machine(
    words: EncodedWords,
    labels: Codes,
    weights: Floats,
    n_symbols: int,
    pseudo: Floats,
    n_states: int,
    width: int,
    least: float = -math.inf,
) -> MergedMachine:
    """Deterministic machine of at most ``n_states`` states whose states tell the labels apart.

    The root of the prefix tree is the first state. While edges lead from states to nodes that are none, the ``width``
    best documented of them are tried against every state; the score of a merge is the sum over all nodes that fall
    together of the log Bayes factor "one distribution of labels" against "two", under Dirichlet pseudo-counts. The
    node whose best score is lowest becomes a state if that score is 0 or less and there is room; otherwise the
    merge of highest score is made.

    Parameters
    ----------
    labels : label at the n + 1 positions of each word, -1 where nothing was seen.
    weights : of the words.
    pseudo : pseudo-count of each label.
    least : two nodes whose own log Bayes factor is below this contradict each other, whatever those below them say,
        and are not merged. Where all contradict and there is no room for more states, their edges stay open.
    """
    door.alphabet("n_symbols", n_symbols)
    door.words(words, n_symbols)
    door.array("pseudo", pseudo, "float64", [door.ANY])
    door.codes("labels", labels, len(pseudo), -1, len(words.symbols) + len(words.lengths))
    door.array("weights", weights, "float64", [len(words.lengths)])
    root = _tree(words, labels, weights, len(pseudo))
    states = [root]
    for _ in range(ROUNDS_PER_STATE * n_states):
        edges = _frontier(states, n_symbols)[:width]
        if not edges:
            break
        scores = [[_trial(edge, state, pseudo, least) for state in states] for edge in edges]
        best = [max(row) for row in scores]
        if min(best) <= 0.0 and len(states) < n_states:
            source, symbol = edges[best.index(min(best))]
            states.append(source.children[symbol])
        elif max(best) > -math.inf:
            chosen = best.index(max(best))
            _merge(edges[chosen], states[scores[chosen].index(max(best))], pseudo, [])
        else:
            break
    number = {id(state): k for k, state in enumerate(states)}
    table = [[number.get(id(state.children.get(a)), -1) for a in range(n_symbols)] for state in states]
    return MergedMachine(np.array(table, dtype=np.int32), np.array([state.counts for state in states]))


def _tree(words: EncodedWords, labels: Codes, weights: Floats, n_labels: int) -> Node:
    root, starts, made = Node([0.0] * n_labels), words.positions, 1
    for r, weight in enumerate(weights.tolist()):
        seen = labels[starts[r] : starts[r + 1]].tolist()
        path = [root]
        for symbol in words.word(r).tolist():
            made += symbol not in path[-1].children
            path.append(path[-1].children.setdefault(symbol, Node([0.0] * n_labels)))
        if made > MOST_NODES:
            door.prefixes("words", MOST_NODES)
        mass = 0.0
        for node, label in zip(reversed(path), reversed(seen), strict=True):
            if label >= 0:
                node.counts[label] += weight
                mass += weight
            node.mass += mass
    return root


def _frontier(states: list[Node], n_symbols: int) -> list[tuple[Node, int]]:
    """Edges from states to nodes that are none yet, the best documented first."""
    red = set(map(id, states))
    edges = [
        (state, a)
        for state, a in product(states, range(n_symbols))
        if a in state.children and id(state.children[a]) not in red
    ]
    return sorted(edges, key=lambda edge: -edge[0].children[edge[1]].mass)


def _evidence(counts: list[float], pseudo: Floats) -> float:
    """Log marginal probability of labels drawn with one unknown distribution: Dirichlet-multinomial."""
    total, all_pseudo = sum(counts), float(pseudo.sum())
    if total == 0.0:
        return 0.0
    parts = sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(pseudo.tolist(), counts, strict=True))
    return parts - math.lgamma(all_pseudo + total) + math.lgamma(all_pseudo)


def _trial(edge: tuple[Node, int], state: Node, pseudo: Floats, least: float) -> float:
    """Score of a merge, which is undone again; -inf if two nodes contradict each other."""
    undo: list[tuple[Node, list[float], float, dict[int, Node]]] = []
    score = _merge(edge, state, pseudo, undo, least)
    for node, counts, mass, children in reversed(undo):
        node.counts, node.mass, node.children = counts, mass, children
    return score


def _merge(
    edge: tuple[Node, int],
    state: Node,
    pseudo: Floats,
    undo: list[tuple[Node, list[float], float, dict[int, Node]]],
    least: float = -math.inf,
) -> float:
    """Redirect an edge to a state and fold what was behind it into that state; the old nodes go to ``undo``."""
    source, symbol = edge
    pending = [(state, source.children[symbol])]
    undo.append((source, source.counts, source.mass, source.children))
    source.children = source.children | {symbol: state}
    score = 0.0
    while pending:
        into, node = pending.pop()
        undo.append((into, into.counts, into.mass, into.children))
        apart = _evidence(into.counts, pseudo) + _evidence(node.counts, pseudo)
        into.counts = [p + q for p, q in zip(into.counts, node.counts, strict=True)]
        into.mass += node.mass
        factor = _evidence(into.counts, pseudo) - apart
        if factor < least:
            return -math.inf
        score += factor
        pending += [(into.children[a], node.children[a]) for a in sorted(node.children.keys() & into.children.keys())]
        into.children = node.children | into.children
    return score
