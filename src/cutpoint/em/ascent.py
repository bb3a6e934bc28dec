"""The loop that both algorithms of the paper share: E-step, M-step, compare; with limits, checkpoints, interrupts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cutpoint.data import Sample
from cutpoint.em.climb import Climb
from cutpoint.em.counts import Counts
from cutpoint.em.engine import Parameters
from cutpoint.em.fit import Fit, Stop
from cutpoint.em.m_step import MStep
from cutpoint.em.shards import Shards
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.wording import shown

if TYPE_CHECKING:
    from cutpoint.data.storage import Arrays
    from cutpoint.em.checkpoint import Checkpoint

TOLERANCE = 1e-6
MAX_STEPS = 1000


@dataclass(frozen=True)
class Progress:
    """Where a climb is: what a callback gets after each step.

    Attributes
    ----------
    steps : E-steps so far, after the first.
    objective : log-likelihood, plus the log-prior if there is one.
    gain : what the last EM step gained.
    seconds : time since the call.
    """

    steps: int
    objective: float
    gain: float
    seconds: float


Callback = Callable[[Progress], object]


@dataclass(frozen=True)
class Limits:
    """When a climb ends; the tolerance is per observation."""

    tolerance: float = TOLERANCE
    max_steps: int = MAX_STEPS
    time_limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a limit."""
        if not (isinstance(self.tolerance, int | float) and 0.0 <= self.tolerance < math.inf):
            raise InvalidArgument(f"tolerance must be a finite number, 0 or more; got {shown(self.tolerance)}.")
        whole_number("max_steps", self.max_steps, least=0)
        check_time_limit(self.time_limit)


def check_time_limit(seconds: float | None) -> None:
    """Refuse what is not a number of seconds."""
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0.0):
        raise InvalidArgument(f"time_limit must be a positive number of seconds, or None; got {shown(seconds)}.")


def check_callback(callback: object) -> None:
    """Refuse what cannot be called."""
    if callback is not None and not callable(callback):
        raise InvalidArgument(f"callback must be a function of a Progress, or None; got {shown(callback)}.")


def ascend(
    acceptor: Acceptor,
    sample: Sample | Shards,
    e_step: Callable[[Parameters], Counts],
    m_step: MStep,
    limits: Limits,
    accelerate: bool = False,
    callback: Callback | None = None,
    checkpoint: Checkpoint | None = None,
) -> Fit:
    """Repeat E-step and M-step until a step gains no more than the tolerance per observation.

    A step that gains nothing (rounding, or no information) leaves the acceptor as it was.
    """
    try:
        climb, gain = _begun(e_step, m_step, accelerate, checkpoint)
    except ImpossibleObservation as impossible:
        return Fit(acceptor, (-math.inf,), Stop.IMPOSSIBLE, -math.inf, str(impossible))
    try:
        stop, detail = _climbed(climb, gain, sample, limits, callback, checkpoint)
    except KeyboardInterrupt:
        stop, detail = Stop.INTERRUPTED, ""
    unchanged = zip(climb.parameters, (acceptor.transitions, acceptor.initial), strict=True)
    if not all(np.array_equal(found, given) for found, given in unchanged):
        acceptor = acceptor.replace(transitions=climb.parameters.transitions, initial=climb.parameters.initial)
    return Fit(acceptor, tuple(climb.history), stop, climb.counts.log_likelihood, detail)


def _climbed(
    climb: Climb,
    gain: float | None,
    sample: Sample | Shards,
    limits: Limits,
    callback: Callback | None,
    checkpoint: Checkpoint | None,
) -> tuple[Stop, str]:
    """Take steps, the last of which had this gain, until there is a reason to stop; the reason, and more about it."""
    began, enough = time.monotonic(), limits.tolerance * sample.total
    while gain is None or gain > enough:
        if climb.e_steps >= limits.max_steps:
            return Stop.STEP_LIMIT, ""
        try:
            gain = climb.step()
        except ImpossibleObservation as impossible:
            return Stop.IMPOSSIBLE, str(impossible)
        if checkpoint:
            checkpoint.save(_state(climb, gain))
        progress = Progress(climb.e_steps, climb.objective, gain, time.monotonic() - began)
        answer = callback(progress) if callback else None
        if isinstance(answer, bool | np.bool_) and answer:
            return Stop.INTERRUPTED, ""
        if limits.time_limit is not None and gain > enough and time.monotonic() - began >= limits.time_limit:
            return Stop.TIME_LIMIT, ""
    return Stop.CONVERGED if sample.has_evidence else Stop.NO_EVIDENCE, ""


def _begun(
    e_step: Callable[[Parameters], Counts], m_step: MStep, accelerate: bool, checkpoint: Checkpoint | None
) -> tuple[Climb, float | None]:
    """Climb from the start, or from where the checkpoint left it, with the gain of the last step."""
    saved = checkpoint.load() if checkpoint else None
    if saved is None:
        return Climb(e_step, m_step, m_step.start, accelerate), None
    place = Parameters(saved["transitions"], saved["initial"])
    cap, gain = saved["numbers"].tolist()
    return Climb(e_step, m_step, place, accelerate, tuple(saved["history"].tolist()), cap), gain


def _state(climb: Climb, gain: float) -> Arrays:
    return {
        "transitions": climb.parameters.transitions,
        "initial": climb.parameters.initial,
        "history": np.array(climb.history),
        "numbers": np.array([climb.cap, gain]),
    }
