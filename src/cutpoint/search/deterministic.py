"""Deterministic machines some of whose labels are wrong: the simplest explanation of a sample."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.observations import Parameters
from cutpoint.search.labels import Kinds, Labelling, Solution

Floats = NDArray[np.float64]
Table = NDArray[np.intp]

DOUBTFUL = 0.01  # wrong labels that are so improbably uneven over the states are not just wrong labels


@dataclass(frozen=True)
class DeterministicMachine:
    """A deterministic machine and what was seen at the ends of words that it reads.

    Attributes
    ----------
    table : next state ``[state, symbol]``; the first state is the start.
    kinds : label of each state.
    seen : weight of each label at the ends of words that lead to each state, ``[state, label]``.
    """

    table: Table
    kinds: Kinds
    seen: Floats

    @property
    def wrong(self) -> float:
        """Share of wrong labels, not quite 0 if there are none."""
        return (float(self._split[1].sum()) + 0.5) / (float(self.seen.sum()) + 1.0)

    @property
    def code_length(self) -> float:
        r"""Nats to write down the machine, and the labels with its help.

        .. math:: l\,l' \log l + l \log k - \log\,(l-1)! \; - w \log\frac{\epsilon}{k-1} - (N-w) \log(1-\epsilon)

        with :math:`l` states, :math:`l'` symbols, :math:`k` labels and :math:`w` of :math:`N` labels wrong, a share
        :math:`\epsilon`. Machines that differ in the numbering of states alone are one.
        """
        (size, n_symbols), n_labels = self.table.shape, self.seen.shape[1]
        right, wrong = self._split.sum(axis=1).tolist()
        labels = -wrong * math.log(self.wrong / (n_labels - 1)) - right * math.log(1.0 - self.wrong)
        moves = size * (n_symbols * math.log(size) + math.log(n_labels)) - math.lgamma(size)
        return float(moves + labels)

    @property
    def even(self) -> bool:
        """Whether wrong labels may be equally frequent in all states, by the likelihood-ratio test."""
        from scipy.special import chdtrc, xlogy  # noqa: PLC0415

        def entropy(parts: Floats) -> Floats:
            return np.asarray(xlogy(parts, parts / np.maximum(parts.sum(axis=0), 1e-300)).sum(axis=0))

        gain = 2.0 * float(entropy(self._split).sum() - entropy(self._split.sum(axis=1)))
        return float(chdtrc(len(self.table) - 1, max(gain, 0.0))) >= DOUBTFUL

    @property
    def _split(self) -> Floats:
        """Weight of right and of wrong labels in each state, ``[2, state]``."""
        right = self.seen[np.arange(len(self.kinds)), self.kinds]
        return np.stack((right, self.seen.sum(axis=1) - right))

    def solution(self, n_states: int) -> Solution:
        """As an acceptor: a run follows the machine, or rarely shows one label from the beginning, whatever comes.

        So wrong labels need no leaks between the states of the machine, which would add up in long words. States left
        over are never reached.
        """
        size, n_labels = self.seen.shape
        rows = np.broadcast_to(np.eye(n_states), (self.table.shape[1], n_states, n_states)).copy()
        rows[:, :size] = np.eye(n_states)[self.table.T]
        blind = self.wrong / (n_labels - 1)
        initial = np.zeros(n_states)
        initial[0], initial[size : size + n_labels] = 1.0 - n_labels * blind, blind
        kinds = (np.arange(n_states, dtype=np.int32) - size) % n_labels
        kinds[:size] = self.kinds
        return Solution(Parameters(rows, initial), kinds)


def simplest(
    solutions: Iterable[Solution], sample: Sample, labelling: Labelling, n_states: int
) -> DeterministicMachine | None:
    """Of some acceptors, each rounded to its likeliest moves, the machine of shortest code.

    None where labels were seen within words, where every machine is too large to have ``n_states`` states together with
    one for each label, or where wrong labels are uneven over its states or as many as chance would bring.
    """
    labels = labelling.positions(sample)
    at_end = labels[sample.offsets[1:] + np.arange(len(sample))]
    n_labels = len(labelling.names)
    if (labels >= 0).sum() > (at_end >= 0).sum():
        return None
    machines = []
    for table, kinds in (rounded(*solution) for solution in solutions):
        if 1 < len(table) <= n_states - n_labels:  # a single state would say nothing about the words
            seen = np.zeros((len(table), n_labels))
            np.add.at(seen, (_ends(table, sample)[at_end >= 0], at_end[at_end >= 0]), sample.counts[at_end >= 0])
            machines.append(DeterministicMachine(table, kinds, seen))
    best = min(machines, key=lambda machine: machine.code_length, default=None)
    return best if best is not None and best.even and best.wrong < 1.0 - 1.0 / n_labels else None


def rounded(parameters: Parameters, kinds: Kinds) -> tuple[Table, Kinds]:
    """Table of the likeliest moves and labels of its states: those reached, equivalent ones joined."""
    moves = parameters.transitions.argmax(axis=2).T
    block, finer = np.full(len(kinds), -1), np.unique(kinds, return_inverse=True)[1]
    while finer.max() > block.max():
        block = finer
        finer = np.unique(np.column_stack((block, block[moves])), axis=0, return_inverse=True)[1].ravel()
    first = np.unique(block, return_index=True)[1]
    following = block[moves[first]]
    reached = [int(block[parameters.initial.argmax()])]
    for at in reached:
        reached += [to for to in dict.fromkeys(following[at].tolist()) if to not in reached]
    number = np.zeros(len(first), dtype=np.intp)
    number[reached] = np.arange(len(reached))
    return number[following[reached]], kinds[first[reached]]


def _ends(table: Table, sample: Sample) -> Table:
    """State to which each word leads."""
    state = np.zeros(len(sample), dtype=np.intp)
    for k in range(int(sample.lengths.max(initial=0))):
        longer = np.flatnonzero(sample.lengths > k)
        state[longer] = table[state[longer], sample.symbols[sample.offsets[longer] + k]]
    return state
