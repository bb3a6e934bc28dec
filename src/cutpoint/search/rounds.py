"""The search behind learn: tournaments over folds and numbers of states, and what becomes of their winners."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.fit import Stop
from cutpoint.em.observations import InMemory, Observations, Parameters
from cutpoint.errors import ImpossibleObservation
from cutpoint.search.deterministic import Machine
from cutpoint.search.folds import Split, clearly_lower, splits
from cutpoint.search.journal import Journal
from cutpoint.search.labelling import Kinds
from cutpoint.search.learned import Size
from cutpoint.search.settings import SURE_SIZES, Setting
from cutpoint.search.starts import Start
from cutpoint.search.tournament import SCHEDULE, Entrant, Tournament, climb_from

Floats = NDArray[np.float64]

LAST_STEPS, TEAM_STEPS = 10, 30
"""E-steps of a fold's winner on all observations, alone and in a team: members may fit more closely, they err apart."""

NO_START = (
    "every start gives probability 0 to something that was seen: what was seen of the runs contradicts itself, or the "
    "final states. Check final={...} and the verdicts, or raise prior."
)

LUCK = 3.0
"""Standard errors by which the winners must be better than a simple machine: what they are judged by chose them."""

FEW = 4
"""So many entrants of a fold are judged together, to choose the number of states."""


@dataclass(frozen=True)
class SearchProgress:
    """Where a search is: what the callback of :func:`learn` gets after each round.

    Attributes
    ----------
    n_states, fold, folds : the tournament under way.
    round, rounds : how far it is.
    loss : lowest held-out log loss in it so far.
    e_steps, seconds : since the call.
    """

    n_states: int
    fold: int
    folds: int
    round: int
    rounds: int
    loss: float
    e_steps: int
    seconds: float


class Ended(Exception):
    """The search must end here, for a reason."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop


@dataclass
class Search:
    """Tournaments of one search. Each depends on its own seed, fold and number of states alone.

    Of a sample in shards, ``sample`` is the part that is searched and ``whole`` all of it, which winners climb on.
    """

    sample: Sample
    setting: Setting
    folds: int
    fold_limit: int
    prior: float
    threads: int
    seed: int
    given: Start | None = None
    callback: Callable[[SearchProgress], object] | None = None
    time_limit: float | None = None
    journal: Journal | None = None
    whole: Observations | None = None
    e_steps: int = 0
    winners: dict[int, list[Entrant]] = field(default_factory=dict)
    finalists: dict[int, list[tuple[Split, list[Entrant]]]] = field(default_factory=dict)
    sizes: dict[int, Size] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Split the sample."""
        self._began = time.monotonic()
        self._splits: list[Split] = splits(self.sample, self.folds, np.random.default_rng([self.seed, 0]))
        self._splits = self._splits[: self.fold_limit]

    def run(self, sizes: tuple[int, ...], caution: float = 1.0) -> tuple[int, Stop]:
        """Try numbers of states in turn and return the best one, and why the search ended.

        A larger number is better if its held-out loss is lower by more than ``caution`` standard errors of the
        difference.
        """
        best: int | None = None
        try:
            for k, size in enumerate(sizes):
                self._tournaments(size)
                if not self.winners[size]:
                    raise ImpossibleObservation(NO_START)
                losses = self.sizes[size].joint_losses
                if best is None or clearly_lower(losses, self.sizes[best].joint_losses, caution):
                    best = size
                elif k >= SURE_SIZES:
                    break
        except (Ended, KeyboardInterrupt) as ended:
            finished = [size for size, winners in self.winners.items() if winners]
            if not finished and isinstance(ended, Ended):
                raise ImpossibleObservation(NO_START) from None
            if not finished:
                raise
            best = best if best is not None else finished[0]
            return best, ended.stop if isinstance(ended, Ended) else Stop.INTERRUPTED
        assert best is not None, "there is at least one size"
        return best, Stop.SEARCHED

    def refitted(self, winner: Entrant, steps: int = LAST_STEPS) -> Parameters:
        """Winner of a fold after a few E-steps on all observations."""
        engine = self.whole or InMemory(self.sample, self.threads)
        climb = climb_from(winner.best, engine, self.setting.masks(winner.kinds), self.prior)
        climb.advance(steps)
        self.e_steps += climb.e_steps
        return climb.parameters

    def visits(self, place: Parameters, kinds: Kinds) -> Floats:
        """Expected number of visits to each state."""
        engine = self.whole or InMemory(self.sample, self.threads)
        counts = engine.expected_counts(place, self.setting.masks(kinds))
        visits: Floats = counts.initial + counts.transitions.sum(axis=(0, 1))
        return visits

    def log_likelihood(self, members: list[tuple[Parameters, Kinds]]) -> float:
        """Log-likelihood of the whole sample under the mixture of some members."""
        if self.whole is not None:
            return self.whole.log_likelihood([(place, self.setting.masks(kinds)) for place, kinds in members])
        engine = InMemory(self.sample, self.threads)
        return engine.log_likelihood([(place, self.setting.masks(kinds)) for place, kinds in members])

    def _logs(self, members: list[tuple[Parameters, Kinds]]) -> Floats:
        engine = InMemory(self.sample, self.threads)
        return np.stack([engine.log_likelihoods(place, self.setting.masks(kinds)) for place, kinds in members])

    def nearest_to_all(self, members: list[tuple[Parameters, Kinds]]) -> int:
        """Member whose probabilities of what was seen are nearest to the mean of all members'."""
        probabilities = np.exp(self._logs(members))
        mean = probabilities.mean(axis=0)
        apart = [_divergence(mean, own) for own in probabilities]
        return int(np.argmin([float((self.sample.counts * value).sum()) for value in apart]))

    def simplest(self, n_states: int) -> Machine | None:
        """Deterministic machine that takes some labels for wrong, unless the folds' winners are clearly better."""
        finalists = self.finalists.get(n_states, [])
        places = [(entrant.best, entrant.kinds) for _, entrants in finalists for entrant in entrants]
        machine = self.setting.machine(places, self.sample, n_states)
        if machine is None:
            return None
        place, kinds = machine.place(n_states)
        gains, counts = [], []
        for split, (winner, *_) in finalists:
            engine = InMemory(split.validation, self.threads)
            logs = engine.log_likelihoods(winner.best, self.setting.masks(winner.kinds))
            gains.append(logs - engine.log_likelihoods(place, self.setting.masks(kinds)))
            counts.append(split.validation.counts)
        gain, count = np.concatenate(gains), np.concatenate(counts)
        mean = float(np.average(gain, weights=count))
        error = math.sqrt(float(np.average((gain - mean) ** 2, weights=count)) / float(count.sum()))
        return machine if mean <= LUCK * error else None

    def _tournaments(self, n_states: int) -> None:
        """One tournament per fold."""
        self.winners[n_states] = []
        joint: list[float] = []
        for fold, split in enumerate(self._splits):
            tournament = Tournament(split, self.setting.masks, self.prior, self.threads)
            entrants = self._entrants(tournament, split, n_states, fold)
            if not np.isfinite(entrants[0].loss):
                continue
            self.winners[n_states].append(entrants[0])
            self.finalists.setdefault(n_states, []).append((split, entrants[:FEW]))
            joint.append(tournament.joint_loss(entrants[:FEW]))
            losses = tuple(winner.loss for winner in self.winners[n_states])
            self.sizes[n_states] = Size(n_states, losses, tuple(joint))

    def _entrants(self, tournament: Tournament, split: Split, n_states: int, fold: int) -> list[Entrant]:
        """Entrants after a tournament, the best first; taken from the journal as far as it goes."""
        rng = np.random.default_rng([self.seed, 1, n_states, fold])
        done, entrants = self.journal.recalled(n_states, fold) if self.journal else (0, [])
        starts = [] if entrants else list(self.setting.starts(split.training, n_states, rng))
        if self.given is not None and not entrants:
            starts.insert(0, self.given)

        latest: list[Entrant] = []

        def after_round(number: int, active: list[Entrant]) -> None:
            latest[:] = active
            before = self.e_steps + tournament.e_steps
            if self.journal:
                self.journal.note(n_states, fold, number, active, before)
            self._watched(n_states, fold, number, active, before)

        if self.journal:
            self.e_steps = max(self.e_steps, self.journal.e_steps)
        if done < len(SCHEDULE):
            try:
                entrants = tournament.run(starts, after_round, entrants, done)
            except KeyboardInterrupt:
                if not latest:
                    raise
                self._end(n_states, latest, Stop.INTERRUPTED)
            finally:
                self.e_steps += tournament.e_steps
            if self.journal:
                self.journal.note(n_states, fold, len(SCHEDULE), entrants[:FEW], self.e_steps)
        return entrants

    def _watched(self, n_states: int, fold: int, number: int, entrants: list[Entrant], e_steps: int) -> None:
        """Report progress; end the search when told to, or when time is up."""
        seconds = time.monotonic() - self._began
        if self.callback:
            loss = min(entrant.loss for entrant in entrants)
            place = n_states, fold, len(self._splits), number, len(SCHEDULE)
            if self.callback(SearchProgress(*place, loss, e_steps, seconds)) in (True,):
                self._end(n_states, entrants, Stop.INTERRUPTED)
        if self.time_limit is not None and seconds >= self.time_limit:
            self._end(n_states, entrants, Stop.TIME_LIMIT)

    def _end(self, n_states: int, entrants: list[Entrant], stop: Stop) -> NoReturn:
        """End the search; its first tournament gives its best so far."""
        best = min(entrants, key=lambda entrant: entrant.loss)
        if not any(self.winners.values()) and np.isfinite(best.loss):
            self.winners[n_states].append(best)
            self.sizes[n_states] = Size(n_states, (best.loss,), (best.loss,))
        raise Ended(stop)


def _divergence(mean: Floats, own: Floats) -> Floats:
    """Kullback-Leibler divergence of two-valued distributions: seen what was seen, or not."""
    p, q = (np.clip(values, 1e-12, 1.0 - 1e-12) for values in (mean, own))
    divergence: Floats = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))
    return divergence
