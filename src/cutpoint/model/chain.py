"""The Markov chain that a stochastic matrix P(x) generates."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class MarkovChain:
    """Homogeneous Markov chain with the given transition matrix; made by :meth:`Acceptor.chain`.

    Examples
    --------
    >>> import cutpoint as cp
    >>> chain = cp.gallery.gambler(3).chain("p")
    >>> chain.classes
    ((0,), (1, 2), (3,))
    >>> chain.absorption.round(3)
    array([[1.   , 0.   ],
           [0.667, 0.333],
           [0.333, 0.667],
           [0.   , 1.   ]])
    """

    def __init__(self, matrix: Floats, states: Sequence[Hashable]) -> None:
        self.matrix = matrix.copy()
        self.matrix.setflags(write=False)
        self.states = tuple(states)

    @cached_property
    def classes(self) -> tuple[tuple[Hashable, ...], ...]:
        """Communicating classes (states that reach each other), in the order of their first states."""
        return tuple(self._named(members) for members in self._classes)

    @cached_property
    def recurrent_classes(self) -> tuple[tuple[Hashable, ...], ...]:
        """Closed communicating classes, which the chain never leaves once inside."""
        return tuple(self._named(members) for members in self._closed)

    @cached_property
    def transient_states(self) -> tuple[Hashable, ...]:
        """States outside of every closed class."""
        return self._named(self._transient)

    @cached_property
    def periods(self) -> tuple[int, ...]:
        """Period of each recurrent class: the greatest common divisor of the lengths of its cycles."""
        return tuple(self._period(members) for members in self._closed)

    @property
    def is_irreducible(self) -> bool:
        """Whether all states communicate."""
        return len(self._classes) == 1

    @property
    def is_ergodic(self) -> bool:
        """Whether the chain converges to one distribution from every start: one recurrent class, of period 1."""
        return self.periods == (1,)

    @cached_property
    def stationary(self) -> Floats:
        r"""Stationary distributions :math:`\mu P = \mu`: one row per recurrent class; all others are their mixtures."""
        rows = np.zeros((len(self._closed), len(self.states)))
        for row, members in zip(rows, self._closed, strict=True):
            row[members] = _stationary(self.matrix[np.ix_(members, members)])
        return rows

    @cached_property
    def absorption(self) -> Floats:
        """Probability, from each state, of ending in each recurrent class: ``[s, class]``; rows sum to 1."""
        chances = np.zeros((len(self.states), len(self._closed)))
        for k, members in enumerate(self._closed):
            chances[members, k] = 1.0
        inside = self._transient
        if inside:
            chances[inside] = np.linalg.solve(self._outflow, self.matrix[inside] @ chances)
        return chances

    @cached_property
    def expected_steps(self) -> Floats:
        """Expected number of steps, from each state, until a recurrent class is entered; 0 inside one."""
        steps = np.zeros(len(self.states))
        if self._transient:
            steps[self._transient] = np.linalg.solve(self._outflow, np.ones(len(self._transient)))
        return steps

    @cached_property
    def limit(self) -> Floats:
        """Long-run share of time in each state, from each state: ``[s, t]``, the average of the powers of P."""
        return self.absorption @ self.stationary

    def power(self, steps: int) -> Floats:
        """Transition matrix of a number of steps."""
        return np.linalg.matrix_power(self.matrix, steps)

    def __repr__(self) -> str:
        return (
            f"<MarkovChain: {len(self.states)} states, {len(self._closed)} recurrent classes of periods "
            f"{list(self.periods)}, {len(self._transient)} transient states>"
        )

    @cached_property
    def _classes(self) -> list[list[int]]:
        reach = self.matrix > 0.0
        np.fill_diagonal(reach, val=True)
        while True:
            further = (reach.astype(np.float64) @ reach.astype(np.float64)) > 0.0
            if (further == reach).all():
                break
            reach = further
        members = [tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T]
        return [list(group) for group in dict.fromkeys(members)]

    @cached_property
    def _closed(self) -> list[list[int]]:
        def leaves(members: list[int]) -> bool:
            outside = np.ones(len(self.states), dtype=np.bool_)
            outside[members] = False
            return bool((self.matrix[members][:, outside] > 0.0).any())

        return [members for members in self._classes if not leaves(members)]

    @cached_property
    def _transient(self) -> list[int]:
        recurrent = {s for members in self._closed for s in members}
        return [s for s in range(len(self.states)) if s not in recurrent]

    @property
    def _outflow(self) -> Floats:
        """I - P on the transient states."""
        inside = self._transient
        return np.eye(len(inside)) - self.matrix[np.ix_(inside, inside)]

    def _period(self, members: list[int]) -> int:
        depth = {members[0]: 0}
        frontier, period = [members[0]], 0
        for s in frontier:
            for t in np.flatnonzero(self.matrix[s] > 0.0).tolist():
                if t in depth:
                    period = gcd(period, depth[s] + 1 - depth[t])
                else:
                    depth[t] = depth[s] + 1
                    frontier.append(t)
        return period

    def _named(self, members: list[int]) -> tuple[Hashable, ...]:
        return tuple(self.states[s] for s in members)


def _stationary(matrix: Floats) -> Floats:
    """Stationary distribution of an irreducible matrix by the elimination of Grassmann, Taksar and Heyman.

    No subtractions, so every entry is accurate to a few roundings, however small.
    """
    rates = matrix.copy()
    size = len(rates)
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= rates[n, :n].sum()
        rates[:n, :n] += np.outer(rates[:n, n], rates[n, :n])
    weights = np.ones(size)
    for n in range(1, size):
        weights[n] = weights[:n] @ rates[:n, n]
    return np.asarray(weights / weights.sum())
