"""What runs of a model do while they read a sample: the moves they make most, and how the cases end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample, Symbol
from cutpoint.data.html import cleaned
from cutpoint.diagrams.diagram import Diagram, LabelStyle, Look, label, state_diagram, symbol_label
from cutpoint.em.counts import Counts
from cutpoint.em.observations import expected_counts
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.text import number

MOST_STATES = 8  # most states of the diagram
MOST_ARROWS = 12  # most arrows of the diagram
LEAST_START = 0.1  # least share of the cases that start in a state with an arrow from "start"
ROOM = 18  # most characters of an event's name beside an arrow
MOST_EVENTS = 3  # most events beside an arrow
LEAST_EVENT = 0.05  # least share of the moves by the first of them, for another to stand there as well


@dataclass(frozen=True, eq=False)
class Moves:
    r"""Moves that runs of a model are expected to make while they read the words of a sample, whatever their outcome.

    Attributes
    ----------
    machine : an acceptor or a generator.
    made, accepted : expected counts of all runs, and of those runs that end accepted.

    Notes
    -----
    Two E-steps: over the words alone, and over the words accepted, each weighted with its acceptance. So every figure
    is about words that occur, which data identify.
    """

    machine: Acceptor | Generator
    made: Counts
    accepted: Counts

    @classmethod
    def of(cls, machine: Acceptor | Generator, sample: Sample) -> Moves:
        """Moves of a model on the words of a sample."""
        same = sample.recoded(machine.alphabet)
        words = EncodedWords.without_marks(same.symbols, same.offsets)
        counts = _dense_counts(machine, words, same.counts)
        weights = same.counts * machine.acceptances(same)
        if not weights.any():
            return cls(machine, counts, Counts(0.0 * counts.transitions, 0.0 * counts.initial, 0.0))
        return cls(machine, counts, _dense_counts(machine, replace(words, ends=np.ones_like(words.ends)), weights))

    @cached_property
    def shares(self) -> Floats:
        """Of the visits to each state, the share by runs that end accepted; NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(_visits(self.accepted) / _visits(self.made))

    @cached_property
    def parts(self) -> list[NDArray[np.intp]]:
        """States of each part that runs do not leave, such as a member of a team; the one visited most first."""
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  (slow to import)

        visits, (_, part) = _visits(self.made), connected_components(self.made.transitions.sum(axis=0) > 0.0)
        found = [np.flatnonzero((part == k) & (visits > 0.0)) for k in np.unique(part)]
        return sorted(filter(len, found), key=lambda states: -round(visits[states].sum(), 6))

    def symbols_that_matter(self, most: int) -> list[Symbol]:
        """Symbols by how much their moves change the share of runs that end accepted, largest first."""
        change = np.abs(np.nan_to_num(self.shares)[None, :] - np.nan_to_num(self.shares)[:, None])
        sizes = (self.made.transitions * change).sum(axis=(1, 2))
        return [self.machine.alphabet[a] for a in np.argsort(-sizes, kind="stable")[:most].tolist()]

    def names(self, states: NDArray[np.intp]) -> list[str]:
        """Names of states; those of a member of a team without the number of the member."""
        found = [self.machine.states[s] for s in states.tolist()]
        if len(self.parts) > 1 and all(isinstance(name, tuple) and len(name) == 2 for name in found):
            found = [name[1] for name in found]
        return [label(name) for name in found]

    def strongest(self) -> tuple[Diagram, float]:
        """Diagram of the moves to another state made most, in the first of the parts; the share of them that it has.

        It has the states visited most and the arrows that connect them best, then others. A state's share of runs that
        end accepted is below its name; beside an arrow are the events that cause it most.
        """
        part = self.parts[0]
        states = np.sort(part[np.argsort(-_visits(self.made)[part], kind="stable")[:MOST_STATES]])
        elsewhere = np.where(np.eye(self.machine.n_states), 0.0, self.made.transitions)
        made = elsewhere[:, states][:, :, states]
        arrows = made.sum(axis=0)
        ways = _connecting(arrows)
        first = np.argsort(-(arrows + arrows.sum() * ways), axis=None, kind="stable")[:MOST_ARROWS]
        kept = np.isin(np.arange(arrows.size), first).reshape(arrows.shape) & (arrows > 0.0)
        ranks = np.argsort(np.argsort(-made, axis=0, kind="stable"), axis=0)
        shown = kept & (made > 0.0) & (made >= LEAST_EVENT * made.max(axis=0)) & (ranks < MOST_EVENTS)
        values = np.where(shown, np.asarray(self.machine.transitions)[:, states][:, :, states], 0.0)
        rounded = np.round(values, 2)  # so that events of about the same probability share a line
        starts = self.made.initial[states] >= LEAST_START * self.made.initial[part].sum()
        texts = [f"{name}\n{100 * self.shares[s]:.0f} %" for s, name in zip(states, self.names(states), strict=True)]
        diagram = state_diagram(
            texts,
            self.machine.alphabet,
            np.where(rounded > 0.0, rounded, values),
            starts.astype(np.float64),
            self.machine.final[states],
            Look(digits=2),
            LabelStyle(str, lambda symbol: cleaned(symbol_label(symbol), ROOM), partial(number, digits=2)),
        )
        return diagram, float(arrows[kept].sum() / max(elsewhere[:, part].sum(), 1e-300))


def _dense_counts(machine: Acceptor | Generator, words: EncodedWords, weights: Floats) -> Counts:
    """Expected counts as a dense array, also of a machine that is stored sparse."""
    counts = expected_counts(machine, Sample.from_encoded(words, weights, machine.alphabet, merge=True))
    return replace(counts, transitions=np.asarray(counts.transitions))


def _visits(counts: Counts) -> Floats:
    """Expected visits to each state."""
    return np.asarray(counts.transitions.sum(axis=(0, 1)) + counts.initial)


def _connecting(arrows: Floats) -> NDArray[np.bool_]:
    """The fewest arrows that connect all states, as strong as can be: a spanning tree."""
    from scipy.sparse.csgraph import minimum_spanning_tree  # noqa: PLC0415  (slow to import)

    both = arrows + arrows.T
    lengths = np.divide(1.0, both, out=np.zeros_like(both), where=both > 0.0)
    tree = minimum_spanning_tree(lengths).toarray() > 0.0
    return np.asarray((tree | tree.T) & ((arrows > arrows.T) | (tree & (arrows == arrows.T))))
