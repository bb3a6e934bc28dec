"""One climb: parameters on their way up, by plain EM steps or by accelerated ones."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cutpoint.em.counts import Counts
from cutpoint.em.engine import Parameters
from cutpoint.em.m_step import MStep
from cutpoint.errors import ImpossibleObservation

FIRST_CAP = 4.0
"""Longest extrapolation at the start, in EM steps; it is raised and lowered fourfold as extrapolations succeed."""

SMALLEST_LOG = 1e-100
"""Smallest number whose logarithm is taken."""

FLOOR = 1e-12
"""Smallest share of a row after an extrapolation where a prior keeps entries positive."""


class Climb:
    """Parameters with their counts and objective: log-likelihood plus log-prior, which never falls.

    Attributes
    ----------
    parameters, counts, objective : where the climb is, and the E-step there.
    history : objective after each E-step, the best so far.
    cap : longest extrapolation at present.
    """

    def __init__(
        self,
        e_step: Callable[[Parameters], Counts],
        m_step: MStep,
        parameters: Parameters,
        accelerate: bool,
        history: tuple[float, ...] = (),
        cap: float = FIRST_CAP,
    ) -> None:
        self._e_step, self._m_step, self._accelerate = e_step, m_step, accelerate
        self.parameters = parameters
        self.counts, self.objective = self._valued(parameters)
        self.history = [*history] or [self.objective]
        self.cap = cap

    @property
    def e_steps(self) -> int:
        """Number of E-steps after the first."""
        return len(self.history) - 1

    def step(self) -> float:
        """Go up by one step (accelerated: two or three E-steps) and return the gain of its first EM step."""
        better = self._m_step(self.counts, self.parameters)
        counts, objective = self._valued(better)
        gain = objective - self.objective
        if self._accelerate and gain > 0.0:
            self._leap(better, counts, objective)
        else:
            self._go([(better, counts, objective)])
        return gain

    def advance(self, e_steps: int, least_gain: float = 0.0) -> bool:
        """Take steps until at least so many E-steps are done; extrapolations begin anew.

        Returns False if it came to rest: an EM step gained no more than ``least_gain``.
        """
        goal, self.cap = self.e_steps + e_steps, FIRST_CAP
        while self.e_steps < goal:
            if self.step() <= least_gain:
                return False
        return True

    def _valued(self, parameters: Parameters) -> tuple[Counts, float]:
        counts = self._e_step(parameters)
        return counts, counts.log_likelihood + self._m_step.log_density(parameters)

    def _go(self, visited: list[tuple[Parameters, Counts, float]]) -> None:
        """Note every E-step, and stand where the objective is highest."""
        place = self.parameters, self.counts, self.objective
        values = []
        for candidate in visited:
            place = candidate if candidate[2] > place[2] else place
            values.append(place[2])
        self.parameters, self.counts, self.objective = place
        self.history += values

    def _leap(self, first: Parameters, counts: Counts, objective: float) -> None:
        """SQUAREM in log space: extrapolate two EM steps; where that does not pay, take the two steps."""
        second = self._m_step(counts, first)
        length, leapt = extrapolated(self.parameters, first, second, self.cap)
        if self._m_step.has_prior:
            raised = (np.where(end > 0.0, np.maximum(to, FLOOR), 0.0) for to, end in zip(leapt, second, strict=True))
            leapt = Parameters(*raised)
        leapt = self._m_step.scaled(leapt, second)
        leapt = Parameters(*map(_where_moved, self.parameters, second, leapt))
        visited = [(first, counts, objective)]
        try:
            visited.append((leapt, *self._valued(leapt)))
        except ImpossibleObservation:
            visited.append((first, counts, -math.inf))
        if visited[-1][2] >= objective:
            self.cap = self.cap * 4.0 if length >= self.cap else self.cap
        else:
            visited.append((second, *self._valued(second)))
            self.cap = max(FIRST_CAP, self.cap / 4.0)
        self._go(visited)


def extrapolated(start: Parameters, first: Parameters, second: Parameters, cap: float) -> tuple[float, Parameters]:
    r"""Length and weights of a squared extrapolation along two EM steps :math:`x \to t_1 \to t_2`, in logarithms.

    .. math::

        r = \log t_1 - \log x, \quad w = \log t_2 - \log t_1 - r, \quad
        s = \sqrt{\frac{\sum t_1 r^2}{\sum t_1 w^2}}, \quad y = \exp(\log x + 2 s r + s^2 w)

    with s cut to [1, cap]; s = 1 gives :math:`t_2`. Varadhan and Roland, Scandinavian Journal of Statistics 35 (2008).
    """
    logs = [[np.log(np.maximum(part, SMALLEST_LOG)) for part in place] for place in (start, first, second)]
    speeds = [b - a for a, b in zip(logs[0], logs[1], strict=True)]
    turns = [c - b - r for b, c, r in zip(logs[1], logs[2], speeds, strict=True)]
    speed, turn = (
        sum(float((weight * value * value).sum()) for weight, value in zip(first, values, strict=True))
        for values in (speeds, turns)
    )
    length = min(max(math.sqrt(speed / turn), 1.0), cap) if turn > 0.0 else cap
    ends = [
        _exponential(x + 2.0 * length * r + length * length * w) for x, r, w in zip(logs[0], speeds, turns, strict=True)
    ]
    return length, Parameters(*(np.where(end > 0.0, to, 0.0) for to, end in zip(ends, second, strict=True)))


def _where_moved(
    start: NDArray[np.float64], second: NDArray[np.float64], leapt: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The leap in rows that the two steps changed; the others, such as rows never reached, keep their bits."""
    moved: NDArray[np.bool_] = (second != start).any(axis=-1, keepdims=True)
    return np.where(moved, leapt, second)


def _exponential(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponentials relative to the largest of each row, which is all that rows to be rescaled need."""
    relative: NDArray[np.float64] = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return relative
