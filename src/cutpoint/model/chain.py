"""The Markov chain that a stochastic matrix P(x) generates."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import InvalidArgument
from cutpoint.exact import check_unmasked, floats, fractions, whole_number
from cutpoint.exact.recursions import solution
from cutpoint.kernels.words import Floats
from cutpoint.model.weighted import frozen
from cutpoint.wording import counted

CHAIN_TOLERANCE = 1e-3  # how far rows may be from summing to 1: P(x) of a long word multiplies the errors of rows
SMALLEST = 1e-300  # rates below this are taken as this


@dataclass(frozen=True, init=False, eq=False, repr=False)
class MarkovChain:
    """Homogeneous Markov chain with the given transition matrix; made by :meth:`Acceptor.chain`.

    Examples
    --------
    >>> chain = cp.gallery.gambler(3).chain("p", exact=True)
    >>> chain.classes
    ((0,), (1, 2), (3,))
    >>> chain.absorption[1].tolist()
    [Fraction(2, 3), Fraction(1, 3)]
    """

    matrix: NDArray[Any]
    states: tuple[Hashable, ...]
    is_exact: bool
    _support: NDArray[np.bool_]

    def __init__(self, matrix: NDArray[Any], states: Sequence[Hashable], support: NDArray[np.bool_] | None = None):
        check_unmasked("matrix", matrix)
        rational = np.asarray(matrix).dtype == object
        values: NDArray[Any] = np.array(matrix) if rational else floats("matrix", matrix, "must be numbers")
        if values.shape != (len(states), len(states)):
            raise InvalidArgument(f"a chain of {len(states)} states needs a square matrix; got shape {values.shape}.")
        if not ((values >= 0).all() and (np.abs(values.sum(axis=1) - 1) <= (0 if rational else CHAIN_TOLERANCE)).all()):
            how = " exactly; Acceptor.rationalized() makes exact rows of floats" if rational else ""
            raise InvalidArgument(f"the rows of a chain's matrix must not be negative and must sum to 1{how}.")
        possible = np.asarray(values > 0, dtype=np.bool_) if support is None else support
        if not rational:
            values[possible] = np.maximum(values[possible], np.nextafter(0.0, 1.0))  # too small for a float, but not 0
        self.__dict__.update(matrix=frozen(values), states=tuple(states), is_exact=rational, _support=possible)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.matrix, self.states, self._support)

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
    def stationary(self) -> NDArray[Any]:
        r"""Stationary distributions :math:`\mu P = \mu`: one row per recurrent class; all others are their mixtures."""
        rows = self._zeros(len(self._closed), len(self.states))
        solve = _exact_stationary if self.is_exact else _stationary
        for row, members in zip(rows, self._closed, strict=True):
            row[members] = solve(self.matrix[np.ix_(members, members)])
        return frozen(rows)

    @cached_property
    def absorption(self) -> NDArray[Any]:
        """Probability, from each state, of ending in each recurrent class: ``[s, class]``; rows sum to 1."""
        return frozen(self._absorption[0])

    @cached_property
    def expected_steps(self) -> NDArray[Any]:
        """Expected number of steps, from each state, until a recurrent class is entered; 0 inside one."""
        return frozen(self._absorption[1])

    @cached_property
    def limit(self) -> NDArray[Any]:
        """Long-run share of time in each state, from each state: ``[s, t]``, the average of the powers of P."""
        return frozen(self.absorption @ self.stationary)

    def power(self, steps: int) -> NDArray[Any]:
        """Transition matrix of a number of steps."""
        times = whole_number("steps", steps, least=0)
        if self.is_exact and not times:
            return fractions(np.eye(len(self.states), dtype=np.int64))
        return np.asarray(np.linalg.matrix_power(self.matrix, times))

    def __repr__(self) -> str:
        return (
            f"<MarkovChain: {counted(len(self.states), 'state')}, recurrent classes of periods {list(self.periods)}, "
            f"{counted(len(self._transient), 'transient state')}>"
        )

    @cached_property
    def _classes(self) -> list[list[int]]:
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        _, labels = connected_components(self._support, connection="strong")
        return [np.flatnonzero(labels == group).tolist() for group in dict.fromkeys(labels.tolist())]

    @cached_property
    def _closed(self) -> list[list[int]]:
        return [group for group in self._classes if not np.delete(self._support[group], group, axis=1).any()]

    @cached_property
    def _transient(self) -> list[int]:
        recurrent = {s for members in self._closed for s in members}
        return [s for s in range(len(self.states)) if s not in recurrent]

    @cached_property
    def _absorption(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Chances of each recurrent class and expected steps, by eliminating the transient states one after another.

        Works on the rates of leaving a state and never subtracts, so that states which are left once in 1e14 steps do
        no harm. Each row of rates is scaled to have its largest at 1, and the time spent in the state accordingly.
        """
        inside, size = self._transient, len(self._transient)
        chances, steps = self._zeros(len(self.states), len(self._closed)), self._zeros(len(self.states))
        for k, members in enumerate(self._closed):
            chances[members, k] += 1
        within, leaving = self.matrix[np.ix_(inside, inside)], self.matrix[inside] @ chances
        if self.is_exact:
            if inside:
                equations = np.eye(size, dtype=np.int64) - within
                solved = solution(equations, np.column_stack([leaving, self._zeros(size) + 1]))
                chances[inside], steps[inside] = solved[:, :-1], solved[:, -1]
            return chances, steps
        rates, times = _scaled_rates(np.hstack([within, leaving]))
        for n in reversed(range(size)):
            others = np.r_[0:n, size : rates.shape[1]]
            total = rates[n, others].sum()
            with np.errstate(over="ignore"):  # more steps than a float can tell are infinitely many
                rates[n], times[n] = rates[n] / total, times[n] / total
            rates[np.ix_(range(n), others)] += np.outer(rates[:n, n], rates[n, others])
            times[:n] += rates[:n, n] * times[n]
        for n, state in enumerate(inside):
            chances[state] = rates[n, size:] + rates[n, :n] @ chances[inside[:n]]
            steps[state] = times[n] + rates[n, :n] @ steps[inside[:n]]
        return chances, steps

    def _zeros(self, *shape: int) -> NDArray[Any]:
        return fractions(np.zeros(shape, dtype=np.int64)) if self.is_exact else np.zeros(shape)

    def _period(self, members: list[int]) -> int:
        depth = {members[0]: 0}
        frontier, period = [members[0]], 0
        for s in frontier:
            for t in np.flatnonzero(self._support[s]).tolist():
                if t in depth:
                    period = gcd(period, depth[s] + 1 - depth[t])
                else:
                    depth[t] = depth[s] + 1
                    frontier.append(t)
        return period

    def _named(self, members: list[int]) -> tuple[Hashable, ...]:
        return tuple(self.states[s] for s in members)


def _exact_stationary(matrix: NDArray[Any]) -> NDArray[Any]:
    """Row with μP = μ and Σμ = 1 of an irreducible stochastic matrix of ``Fraction``."""
    size = len(matrix)
    equations = (matrix - np.eye(size, dtype=np.int64)).T
    equations[-1] = 1  # any one equation follows from the others
    return solution(equations, np.eye(size, dtype=np.int64)[:, -1:])[:, 0]


def _stationary(matrix: Floats) -> Floats:
    """Stationary distribution of an irreducible matrix by the elimination of Grassmann, Taksar and Heyman.

    No subtractions, so every entry is accurate to a few roundings, as far as floats reach.
    """
    rates, times = _scaled_rates(matrix)
    size = len(rates)
    for n in range(size - 1, 0, -1):
        total = rates[n, :n].sum()
        rates[:n, n] /= total
        rates[:n, :n] += np.outer(rates[:n, n], rates[n, :n])
    weights = np.ones(size)
    for n in range(1, size):
        weights[n] = weights[:n] @ rates[:n, n]
        weights /= weights.max()
    weights = weights * (times / times.max())
    return np.asarray(weights / weights.sum())


def _scaled_rates(matrix: Floats) -> tuple[Floats, Floats]:
    """Rates of leaving (the diagonal removed), each row scaled to have its largest at 1, and the time units that go."""
    rates = matrix.copy()
    np.fill_diagonal(rates, 0.0)
    largest = rates.max(axis=1, initial=SMALLEST)
    return rates / largest[:, None], 1.0 / largest
