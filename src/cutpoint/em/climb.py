"""Climb: parameters on their way up, one EM step at a time, plain or accelerated."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cutpoint.data.array_files import Expected, Schema
from cutpoint.em.counts import Counts
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import Parameters
from cutpoint.errors import ImpossibleObservation
from cutpoint.kernels.reference import ClimbPlace
from cutpoint.kernels.sparse_matrices import RaggedRows, entries_of
from cutpoint.kernels.words import Floats

FIRST_CAP = 4.0
"""Longest extrapolation at the start, in EM steps; it is raised and lowered fourfold as extrapolations succeed."""

SMALLEST_LOG = 1e-100  # smallest number whose logarithm is taken
FLOOR = 1e-12  # smallest share of a row after an extrapolation where a prior keeps entries positive

EStep = Callable[[Parameters], Counts]
Compiled = Callable[[ClimbPlace, Parameters, bool, int, float], tuple[ClimbPlace, Floats] | None]
Visited = tuple[Parameters, Counts, float]  # parameters, their counts and their objective


class Climb:
    """Parameters with their counts and objective: log-likelihood plus log-prior, which never falls.

    It begins at the start of the M-step, or at the ``state`` of an earlier climb, with an E-step there. With
    ``compiled``, what :meth:`InMemory.climbed` does with these masks, many steps are taken in one call where that is
    possible; the last digits may differ, but depend on the place alone and not on how the climb came there.

    Attributes
    ----------
    parameters, counts, objective : where the climb is, and the E-step there.
    history : the best objective so far, after each E-step.
    gain : what the first EM step of the last step gained; infinite before any.
    """

    def __init__(
        self,
        e_step: EStep,
        m_step: MStep,
        accelerate: bool = False,
        state: Mapping[str, Floats] | None = None,
        compiled: Compiled | None = None,
    ) -> None:
        self._e_step, self._m_step, self._accelerate = e_step, m_step, accelerate
        self._compiled = compiled if accelerate and m_step.is_plain else None
        self.gain, self.cap = math.inf, FIRST_CAP
        place = m_step.start
        if state is not None:
            rows: Any = state["transitions"]
            rows = place.rows.like(rows) if isinstance(place.rows, RaggedRows) else rows
            place = Parameters(rows, state["initial"])
            self.cap, self.gain = state["numbers"].tolist()
        self.parameters, self.counts, self.objective = self._visited(place)
        self.history = [self.objective] if state is None else state["history"].tolist()

    @property
    def state(self) -> dict[str, Any]:
        """What a climb needs to go on from here, as arrays."""
        return {
            "transitions": entries_of(self.parameters.rows),
            "initial": self.parameters.initial,
            "history": np.array(self.history),
            "numbers": np.array([self.cap, self.gain]),
        }

    @staticmethod
    def expected(m_step: MStep) -> Schema:
        """What must hold of a state, for climbs with this M-step."""
        start = m_step.start
        values = "probabilities that sum to 1, with the zeros, fixed entries and ties of the start"
        return {
            "transitions": Expected(np.float64, entries_of(start.rows).shape, values, m_step.allows_rows),
            "initial": Expected(np.float64, start.initial.shape, values, m_step.allows_initial),
            "history": Expected(np.float64, (None,), "finite numbers, none below the one before", _is_history),
            "numbers": Expected(np.float64, (2,), "a length and a gain", _are_cap_and_gain),
        }

    @property
    def e_steps(self) -> int:
        """Number of E-steps after the first."""
        return len(self.history) - 1

    def step(self) -> None:
        """Go up by one step: M-step and E-step, or two or three of them if accelerated."""
        first = self._visited(self._m_step(self.counts, self.parameters))
        self.gain = first[2] - self.objective
        self._go_to_best(self._leap(first) if self._accelerate and self.gain > 0.0 else [first])

    def advance(self, e_steps: int, least_gain: float = 0.0, is_late: Callable[[], bool] | None = None) -> bool:
        """Take steps until at least so many E-steps are done, or it is late; extrapolations start short again.

        Returns False if it converged: an EM step gained no more than ``least_gain``.
        """
        goal, self.cap = self.e_steps + e_steps, FIRST_CAP
        while self.e_steps < goal:
            if is_late is not None and is_late():
                break
            if not self._many_steps(goal - self.e_steps if is_late is None else 1, least_gain):
                self.step()
            if self.gain <= least_gain:
                return False
        return True

    def _many_steps(self, e_steps: int, least_gain: float) -> bool:
        """Steps in one call; False if there were none."""
        found = self._call((self.parameters, self.counts, self.objective), self.cap, self.gain, e_steps, least_gain)
        if found is None or not len(found[1]):
            return False
        place, history = found
        (self.parameters, self.counts, self.objective), (self.cap, self.gain) = (
            _place(place),
            place.numbers[2:].tolist(),
        )
        self.history += history.tolist()
        return True

    def _call(
        self, place: Visited, cap: float, gain: float, e_steps: int, least_gain: float
    ) -> tuple[ClimbPlace, Floats] | None:
        """What the kernel makes of a place; None where it is not to be asked."""
        if self._compiled is None:
            return None
        parameters, counts, objective = place
        numbers = np.array((counts.log_likelihood, objective, cap, gain))
        given = ClimbPlace(*parameters, counts.transitions, counts.initial, numbers)
        return self._compiled(given, self._m_step.pseudo, self._m_step.learn_initial, e_steps, least_gain)

    def _visited(self, parameters: Parameters) -> Visited:
        unknown = Counts(np.zeros_like(parameters.rows), np.zeros_like(parameters.initial), 0.0)
        found = self._call((parameters, unknown, math.nan), FIRST_CAP, math.inf, 0, 0.0)
        if found is not None and (visited := _place(found[0])) and not math.isnan(visited[2]):
            return visited
        counts = self._e_step(parameters)
        return parameters, counts, counts.log_likelihood + self._m_step.log_density(parameters)

    def _go_to_best(self, visited: list[Visited]) -> None:
        """Note every E-step, and stay where the objective is highest."""
        best, history = (self.parameters, self.counts, self.objective), []
        for candidate in visited:
            best = candidate if candidate[2] > best[2] else best
            history.append(best[2])
        self.parameters, self.counts, self.objective = best
        self.history += history

    def _leap(self, first: Visited) -> list[Visited]:
        """SQUAREM in log space: extrapolate two EM steps; where that gains less than the first, take the second."""
        second = self._m_step(first[1], first[0])
        length, leapt = extrapolated(self.parameters, first[0], second, self.cap)
        if self._m_step.has_prior:
            raised = (np.where(end > 0.0, np.maximum(to, FLOOR), 0.0) for to, end in zip(leapt, second, strict=True))
            leapt = Parameters(*raised)
        leapt = Parameters(*map(_where_moved, self.parameters, second, self._m_step.scaled(leapt, second)))
        try:
            third = self._visited(leapt)
        except ImpossibleObservation:
            third = (*first[:2], -math.inf)
        if third[2] >= first[2]:
            self.cap = self.cap * 4.0 if length >= self.cap else self.cap
            return [first, third]
        self.cap = max(FIRST_CAP, self.cap / 4.0)
        return [first, third, self._visited(second)]


def _place(found: ClimbPlace) -> Visited:
    """Parameters, counts and objective of a place that the kernel came to."""
    log_likelihood, objective, *_ = found.numbers.tolist()
    counts = Counts(found.counts, found.initial_counts, log_likelihood)
    return Parameters(found.transitions, found.initial), counts, objective


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


def _is_history(history: Floats) -> bool:
    return bool(len(history) and np.isfinite(history).all() and (np.diff(history) >= 0.0).all())


def _are_cap_and_gain(numbers: Floats) -> bool:
    cap, gain = numbers.tolist()
    return FIRST_CAP <= cap < math.inf and not math.isnan(gain)


def _where_moved(start: Floats, second: Floats, leapt: Floats) -> Floats:
    """The leap in rows that the two steps changed; the others, such as rows never reached, keep their bits."""
    moved = (second != start).any(axis=-1, keepdims=True)
    return np.where(moved, leapt, second)


def _exponential(logs: Floats) -> Floats:
    """Exponentials relative to the largest of each row, which is all that rows to be rescaled need."""
    relative: Floats = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return relative
