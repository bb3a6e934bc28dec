"""A tournament of climbs: many starts, few E-steps each; the better ones on held-out observations go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.climb import Climb
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import InMemory, Observations, Parameters
from cutpoint.errors import ImpossibleObservation
from cutpoint.search.folds import Split
from cutpoint.search.labelling import Kinds
from cutpoint.search.starts import SLIGHT, Start, smoothed

ROUND = 10
"""E-steps between two looks at the held-out loss."""

SCHEDULE = (1000,) * 2 + (16,) * 2 + (8,) * 4 + (4,) * 20
"""How many climbs go on, round by round."""

PATIENCE = 12
"""A climb ends after so many rounds without a lower held-out loss."""

AT_REST = 1e-7
"""A climb ends where an EM step gains no more per observation."""

FIRST_STEPS = 40
"""E-steps on short words in a climb that begins with them."""

SHORT = 0.2
"""Share of the observations that are short words."""

ENOUGH = 50_000
"""Distinct observations that are enough for the first rounds, while there are many climbs."""

MANY = 16
"""So many climbs are many."""

Masks = NDArray[np.bool_]


@dataclass
class Entrant:
    """One climb, and the best place it has been to, judged by held-out loss after each round.

    Attributes
    ----------
    curve : E-steps, objective, training loss and held-out loss after each round.
    best, loss, steps : where the held-out loss was lowest, that loss, and the E-steps it took.
    """

    name: str
    kinds: Kinds
    place: Parameters
    best: Parameters
    loss: float = math.inf
    steps: int = 0
    curve: list[tuple[int, float, float, float]] = field(default_factory=list)
    at_rest: bool = False
    climb: Climb | None = None
    engine: InMemory | None = None

    @property
    def finished(self) -> bool:
        """Whether more rounds would not help: at rest, impossible, or no better for long."""
        done = self.curve[-1][0] if self.curve else 0
        return self.at_rest or done - self.steps >= PATIENCE * ROUND


class Tournament:
    """Climbs on the training part of a split, judged by the other part; same result for any number of threads."""

    def __init__(self, split: Split, masks: Callable[[Kinds], Masks], prior: float, threads: int) -> None:
        self._masks, self._prior, self._threads = masks, prior, threads
        self._training, self._validation = (InMemory(part, 1) for part in split)
        part = thinned(split.training, ENOUGH)
        self._first = self._training if part is split.training else InMemory(part, 1)
        self._short = InMemory(_shortest(part), 1)
        self.e_steps = 0

    def run(
        self,
        starts: Iterable[Start],
        after_round: Callable[[int, list[Entrant]], None],
        entrants: Sequence[Entrant] = (),
        done: int = 0,
    ) -> list[Entrant]:
        """Entrants after all rounds, the best first; ``after_round`` is told what was reached.

        A tournament goes on from the entrants that are in after some rounds as if it had not been stopped.
        """
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                entrants = entrants or list(pool.map(self._entered, starts))
                for number, keep in enumerate(SCHEDULE[done:], done + 1):
                    entrants = sorted(entrants, key=lambda entrant: entrant.loss)[:keep]
                    active = [entrant for entrant in entrants if not entrant.finished]
                    engine = self._first if keep >= MANY else self._training
                    self.e_steps += sum(pool.map(partial(self._round, engine), active))
                    after_round(number, entrants)
                    if not active:
                        break
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return sorted(entrants, key=lambda entrant: entrant.loss)

    def joint_loss(self, entrants: Sequence[Entrant]) -> float:
        """Held-out loss of the mean of some entrants' probabilities, each at its best."""
        members = [(entrant.best, self._masks(entrant.kinds)) for entrant in entrants]
        return -self._validation.log_likelihood(members) / self._validation.total

    def _entered(self, start: Start) -> Entrant:
        """Entrant at its start, after its first steps on short words if it begins with them."""
        place = start.parameters
        if start.short_words_first:
            climb = climb_from(place, self._short, self._masks(start.kinds), self._prior)
            climb.advance(FIRST_STEPS)
            place = Parameters(*(smoothed(part, SLIGHT) for part in climb.parameters))
        return Entrant(start.name, start.kinds, place, place)

    def _round(self, engine: InMemory, entrant: Entrant) -> int:
        """Some E-steps, then a look at the held-out loss; returns the number of E-steps."""
        before = entrant.curve[-1][0] if entrant.curve else 0
        try:
            if entrant.climb is None or entrant.engine is not engine:
                masks = self._masks(entrant.kinds)
                entrant.climb, entrant.engine = climb_from(entrant.place, engine, masks, self._prior), engine
            climb, taken = entrant.climb, entrant.climb.e_steps
            entrant.at_rest = not climb.advance(ROUND, AT_REST * engine.total) and engine is self._training
        except ImpossibleObservation:
            entrant.curve.append((before + PATIENCE * ROUND, -math.inf, math.inf, math.inf))
            return 1
        loss = self._validation.loss(climb.parameters, self._masks(entrant.kinds))
        entrant.place = climb.parameters
        training = -climb.counts.log_likelihood / engine.total
        entrant.curve.append((before + ROUND, climb.objective, training, loss))
        if loss < entrant.loss:
            entrant.best, entrant.loss, entrant.steps = climb.parameters, loss, before + ROUND
        return climb.e_steps - taken


def climb_from(place: Parameters, engine: Observations, masks: Masks, prior: float) -> Climb:
    """Accelerated climb from a place, the same pseudo-counts in every cell."""
    pseudo = Parameters(*(np.full_like(part, prior) for part in place))
    e_step = partial(engine.expected_counts, masks=masks)
    return Climb(e_step, MStep(place, pseudo, learn_initial=True), accelerate=True)


def thinned(sample: Sample, most: int) -> Sample:
    """Every k-th distinct observation, so that no more than some are left."""
    stride = -(-len(sample) // most)
    return (
        sample if stride <= 1 else sample.reweighted(np.where(np.arange(len(sample)) % stride == 0, sample.counts, 0.0))
    )


def _shortest(sample: Sample) -> Sample:
    """Observations of the shortest words, a fixed share of them all."""
    order = np.argsort(sample.lengths, kind="stable")
    enough = np.searchsorted(np.cumsum(sample.counts[order]), SHORT * sample.total)
    chosen = np.zeros(len(sample))
    chosen[order[: enough + 1]] = sample.counts[order[: enough + 1]]
    return sample.reweighted(chosen)
