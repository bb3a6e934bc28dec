"""A tournament of climbs: many starts, few E-steps each; the better ones on held-out observations go on."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.storage import Arrays
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.climb import Climb
from cutpoint.em.fit_result import Stop
from cutpoint.em.m_step import MStep, is_factored
from cutpoint.em.observations import InMemory, Observations, Parameters
from cutpoint.errors import ImpossibleObservation
from cutpoint.kernels import cores
from cutpoint.kernels.words import Masks
from cutpoint.search.folds import Split
from cutpoint.search.labels import Kinds, KnownStates, Solution
from cutpoint.search.learned import Round, SearchProgress
from cutpoint.search.starts import SLIGHT, Start, smoothed, starts

Piece = TypeVar("Piece")
Result = TypeVar("Result")

ROUND = 10  # E-steps between two looks at the held-out loss
SCHEDULE = (1000,) * 2 + (16,) * 2 + (8,) * 4 + (4,) * 20  # how many climbs go on, round by round
PATIENCE = 12  # a climb ends after so many rounds without a lower held-out loss
AT_REST = 1e-7  # a climb ends where an EM step gains no more per observation
FIRST_STEPS = 40  # E-steps on short words in a climb that begins with them
SHORT = 0.2  # share of the observations that are short words
ENOUGH = 50_000  # distinct observations that are enough for the first rounds, while there are many climbs
MANY = 16  # so many climbs are many
FINALISTS = 4  # so many entrants of a tournament are kept; together they judge a number of states


@dataclass(frozen=True)
class Rules:
    """What all tournaments of a search have in common.

    Attributes
    ----------
    given : a start that comes beside the others.
    starts : makes the others from training observations, a number of states and the winner with fewer states, if any.
    schedule : how many climbs go on, round by round.
    patience : a climb ends after so many rounds without a lower held-out loss.
    many : while there are so many climbs, ``enough`` distinct observations are enough for them.
    finalists : so many entrants of a tournament are kept; together they judge a number of states.
    predicting : whether losses are those of what was seen given the word, which matters for generators alone.
    """

    states: KnownStates
    prior: float
    seed: int
    threads: int | None = None
    given: Start | None = None
    starts: Callable[[Sample, int, np.random.Generator, Solution | None], Iterable[Start]] | None = None
    schedule: tuple[int, ...] = SCHEDULE
    patience: int = PATIENCE
    many: int = MANY
    enough: int = ENOUGH
    predicting: bool = False
    finalists: int = FINALISTS

    def asked(self, solution: Solution) -> tuple[Parameters, Masks]:
        """A solution as observations are asked about it: parameters, and the states that agree with each mark."""
        return solution.parameters, self.states.masks(solution.kinds)

    def starts_for(
        self, sample: Sample, n_states: int, rng: np.random.Generator, smaller: Solution | None
    ) -> list[Start]:
        """Starts of one tournament."""
        given = [self.given] if self.given and len(self.given.kinds) == n_states else []
        if self.starts is None:
            return [*given, *starts(self.states, sample, n_states, rng)]
        return [*given, *self.starts(sample, n_states, rng, smaller)]

    def loss(self, data: InMemory, solutions: Sequence[Solution]) -> float:
        """Log loss of solutions together: of what was seen, of a generator with its word, unless it is to predict."""
        members = [self.asked(solution) for solution in solutions]
        if not self.predicting:
            return data.loss(members)
        words = [(parameters, np.ones_like(masks)) for parameters, masks in members]
        gain = data.log_likelihood(members) - data.log_likelihood(words)
        return math.inf if math.isnan(gain) else -gain / data.sample.judged

    def climb(self, start: Solution, data: Observations) -> Climb:
        """Accelerated climb from a start, the same pseudo-counts in every cell; a hidden Markov model stays one."""
        parameters, masks = self.asked(start)
        pseudo = Parameters(*(np.full_like(part, self.prior) for part in parameters))
        e_step = partial(data.expected_counts, masks=masks)
        symbols = np.zeros(parameters.transitions.shape[0], dtype=np.intp) if is_factored(parameters) else None
        m_step = MStep(parameters, pseudo, learn_initial=True, symbol_groups=symbols)
        return Climb(e_step, m_step, accelerate=True)


@dataclass
class Entrant:
    """One climb: where it is now, and where its held-out loss was lowest (best, after so many steps)."""

    start: str
    kinds: Kinds
    now: Parameters
    best: Parameters
    loss: float = math.inf
    steps: int = 0
    curve: list[Round] = field(default_factory=list)
    at_rest: bool = False
    climb: Climb | None = None
    data: InMemory | None = None
    patience: int = PATIENCE

    @property
    def e_steps(self) -> int:
        """E-steps so far."""
        return self.curve[-1].e_steps if self.curve else 0

    @property
    def finished(self) -> bool:
        """Whether more rounds would not help: at rest, impossible, or no better for long."""
        return self.at_rest or self.e_steps - self.steps >= self.patience * ROUND

    @property
    def solution(self) -> Solution:
        """The best parameters with the states' labels."""
        return Solution(self.best, self.kinds)


class SearchEnded(Exception):
    """The search must end here; the entrants of the tournament under way are as they are."""

    def __init__(self, stop: Stop, entrants: list[Entrant]) -> None:
        super().__init__(stop)
        self.stop, self.entrants = stop, entrants


class SearchMonitor:
    """Counts E-steps, reports progress, ends the search when asked to or out of time, saves a checkpoint each round."""

    def __init__(
        self,
        folds: int,
        callback: Callable[[SearchProgress], object] | None = None,
        time_limit: float | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._folds, self._callback, self._time_limit, self._checkpoint = folds, callback, time_limit, checkpoint
        self._began = time.monotonic()
        self._tournaments: dict[tuple[int, int], tuple[int, list[Entrant]]] = {}
        saved = (checkpoint.load() if checkpoint else None) or {}
        self.e_steps = int(saved.pop("e_steps", np.zeros(1))[0])
        for key in sorted({name.split("/")[0] for name in saved}):
            n_states, fold, done, size = saved[f"{key}/place"].tolist()
            entrants = [_restored({name: saved[f"{key}/{k}/{name}"] for name in SAVED}) for k in range(size)]
            self._tournaments[n_states, fold] = done, entrants

    def resumed(self, n_states: int, fold: int) -> tuple[int, list[Entrant]]:
        """Rounds done in a tournament and its entrants after them, from the checkpoint."""
        return self._tournaments.get((n_states, fold), (0, []))

    def after_round(self, n_states: int, fold: int, number: int, entrants: list[Entrant], rounds: int) -> None:
        """Save the state, report progress, and end the search if the callback or the clock says so."""
        self.save(n_states, fold, number, entrants)
        seconds = time.monotonic() - self._began
        if self._callback:
            loss = min(entrant.loss for entrant in entrants)
            where = n_states, fold, self._folds, number, rounds
            if self._callback(SearchProgress(*where, loss, self.e_steps, seconds)) in (True,):
                raise SearchEnded(Stop.INTERRUPTED, entrants)
        if self._time_limit is not None and seconds >= self._time_limit:
            raise SearchEnded(Stop.TIME_LIMIT, entrants)

    def save(self, n_states: int, fold: int, done: int, entrants: list[Entrant]) -> None:
        """Save the state of a tournament, beside those of the others, if there is a checkpoint."""
        if self._checkpoint is None:
            return
        self._tournaments[n_states, fold] = done, list(entrants)
        saved: Arrays = {"e_steps": np.array([self.e_steps])}
        for number, (key, (rounds, active)) in enumerate(self._tournaments.items()):
            saved[f"{number}/place"] = np.array([*key, rounds, len(active)])
            for k, entrant in enumerate(active):
                saved.update({f"{number}/{k}/{name}": value for name, value in _arrays(entrant).items()})
        self._checkpoint.save(saved)


def tournament(
    split: Split, n_states: int, fold: int, rules: Rules, monitor: SearchMonitor, smaller: Solution | None = None
) -> list[Entrant]:
    """Entrants after all rounds, the best on the validation part first; ``smaller`` is the winner with fewer states.

    Climbs run on the training part. The result depends on seed, fold and number of states alone: not on the number of
    threads, nor on whether the tournament was stopped and resumed from a checkpoint.
    """
    training, validation = (InMemory(part, 1) for part in split)
    part = thinned(split.training, rules.enough)
    sketch = training if part is split.training else InMemory(part, 1)  # enough to tell poor climbs from good ones
    done, entrants = monitor.resumed(n_states, fold)
    try:
        if not entrants:
            rng = np.random.default_rng([rules.seed, 1, n_states, fold])
            enter = partial(_entered, short=InMemory(_shortest(part), 1), rules=rules)
            entrants = mapped(enter, rules.starts_for(split.training, n_states, rng, smaller), rules.threads)
        for number, keep in enumerate(rules.schedule[done:], done + 1):
            entrants = sorted(entrants, key=lambda entrant: entrant.loss)[:keep]
            active = [entrant for entrant in entrants if not entrant.finished]
            for where in (sketch, training, validation):  # so that no core is idle while few climbs are left
                where.threads = max(1, (rules.threads or cores()) // max(1, len(active)))
            data = sketch if keep >= rules.many else training
            advance = partial(_round, data=data, last=data is training, validation=validation, rules=rules)
            monitor.e_steps += sum(mapped(advance, active, rules.threads))
            monitor.after_round(n_states, fold, number, entrants, len(rules.schedule))
            if not active:
                break
    except KeyboardInterrupt:
        if not any(math.isfinite(entrant.loss) for entrant in entrants):
            raise
        raise SearchEnded(Stop.INTERRUPTED, entrants) from None
    entrants = sorted(entrants, key=lambda entrant: entrant.loss)[: rules.finalists]
    if done < len(rules.schedule):
        monitor.save(n_states, fold, len(rules.schedule), entrants)
    return entrants


def _entered(start: Start, short: InMemory, rules: Rules) -> Entrant:
    """Entrant at its start, after its first steps on short words if it begins with them."""
    parameters = start.parameters
    if start.short_words_first:
        climb = rules.climb(Solution(parameters, start.kinds), short)
        climb.advance(FIRST_STEPS)
        parameters = Parameters(*(smoothed(part, SLIGHT) for part in climb.parameters))
    return Entrant(start.name, start.kinds, parameters, parameters, patience=rules.patience)


def _round(entrant: Entrant, data: InMemory, last: bool, validation: InMemory, rules: Rules) -> int:
    """Some E-steps, then a look at the held-out loss; returns the number of E-steps."""
    try:
        if entrant.climb is None or entrant.data is not data:
            entrant.climb, entrant.data = rules.climb(Solution(entrant.now, entrant.kinds), data), data
        climb, before = entrant.climb, entrant.climb.e_steps
        entrant.at_rest = not climb.advance(ROUND, AT_REST * data.total) and last
    except ImpossibleObservation:
        entrant.curve.append(Round(entrant.e_steps + entrant.patience * ROUND, -math.inf, math.inf, math.inf))
        return 1
    entrant.now = climb.parameters
    loss = rules.loss(validation, [Solution(climb.parameters, entrant.kinds)])
    training_loss = -climb.counts.log_likelihood / data.judged(climb.parameters)
    entrant.curve.append(Round(entrant.e_steps + ROUND, climb.objective, training_loss, loss))
    if loss < entrant.loss:
        entrant.best, entrant.loss, entrant.steps = climb.parameters, loss, entrant.e_steps
    return climb.e_steps - before


def thinned(sample: Sample, most: int) -> Sample:
    """Every k-th distinct observation, so that no more than some are left."""
    if len(sample) <= most:
        return sample
    kept = np.arange(len(sample)) % math.ceil(len(sample) / most) == 0
    return sample.reweighted(np.where(kept, sample.counts, 0.0))


def _shortest(sample: Sample) -> Sample:
    """Observations of the shortest words, a fixed share of them all."""
    order = np.argsort(sample.lengths, kind="stable")
    enough = np.searchsorted(np.cumsum(sample.counts[order]), SHORT * sample.total)
    chosen = np.zeros(len(sample))
    chosen[order[: enough + 1]] = sample.counts[order[: enough + 1]]
    return sample.reweighted(chosen)


def mapped(function: Callable[[Piece], Result], pieces: Iterable[Piece], threads: int | None) -> list[Result]:
    """Results of a function on each piece, in their order; by default on all cores. An error ends the rest."""
    with ThreadPoolExecutor(threads or cores()) as pool:
        try:
            return list(pool.map(function, pieces))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


SAVED = ("name", "kinds", "place", "place_initial", "best", "best_initial", "numbers", "curve")  # of an entrant


def _arrays(entrant: Entrant) -> Arrays:
    values = (
        np.frombuffer(entrant.start.encode(), dtype=np.uint8),
        entrant.kinds,
        *entrant.now,
        *entrant.best,
        np.array([entrant.loss, entrant.steps, entrant.at_rest, entrant.patience]),
        np.array(entrant.curve, dtype=np.float64).reshape(-1, 4),
    )
    return dict(zip(SAVED, values, strict=True))


def _restored(saved: Arrays) -> Entrant:
    name, kinds, *rows, numbers, curve = (saved[part] for part in SAVED)
    loss, steps, at_rest, patience = numbers.tolist()
    rounds = [Round(int(row[0]), *row[1:]) for row in curve.tolist()]
    now, best = Parameters(*rows[:2]), Parameters(*rows[2:])
    place = name.tobytes().decode(), kinds, now, best, loss, int(steps), rounds, bool(at_rest)
    return Entrant(*place, patience=int(patience))
