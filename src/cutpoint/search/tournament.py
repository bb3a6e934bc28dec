"""A tournament of climbs: many starts, few E-steps each; the better ones on held-out observations go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.array_files import Arrays, Expected, Schema, are_distributions
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.climb import Climb
from cutpoint.em.fit_result import Stop
from cutpoint.em.m_step import MStep, is_factored, shares
from cutpoint.em.observations import InMemory, Observations, Parameters
from cutpoint.errors import ImpossibleObservation
from cutpoint.kernels import cores
from cutpoint.kernels.words import Floats, Masks, within
from cutpoint.search.folds import Split
from cutpoint.search.labels import HiddenStates, Kinds, KnownStates, Solution
from cutpoint.search.learned import Round, SearchProgress
from cutpoint.search.starts import SLIGHT, Start, smoothed, starts

Piece = TypeVar("Piece")
Result = TypeVar("Result")

ROUND = 10  # E-steps between two looks at the held-out loss
SCHEDULE = (1000, 16, 8, 5) + (3,) * 24  # how many climbs go on, round by round
SHARPENING = 4  # rounds in which the finalists climb on with few moves in each row
PATIENCE = 4  # a climb ends after so many rounds without a lower held-out loss
AT_REST = 1e-7  # a climb ends where an EM step gains no more per observation
FIRST_STEPS = 40  # E-steps on short words in a climb that begins with them
SHORT = 0.2  # share of the observations that are short words
ENOUGH = 50_000  # distinct observations that are enough for the first rounds, while there are many climbs
MANY = 10  # so many climbs are many
AGAIN = 1000  # folds that begin again, near the winners of others, have numbers from here on
MOST_COUNTED = 2**40  # most rounds and E-steps that a checkpoint may speak of
FINALISTS = 3  # so many entrants of a tournament are kept; together they judge a number of states
LIKELY, UNLIKELY = 0.02, 1e-4  # moves of at least the first share of their row are likely; others begin at the second
STRONG, WEAK = 30.0, 0.1  # how much more and less prior likely and unlikely moves have when few are kept in each row


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
    exchange : whether folds may begin again near the winners of others.
    sharpening : rounds in which the finalists climb on with few moves in each row.
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
    exchange: bool = False
    sharpening: int = SHARPENING

    @property
    def rounds(self) -> int:
        """Most rounds of a tournament."""
        return len(self.schedule) + (self.sharpening if self.prior > 0.0 else 0)

    def asked(self, solution: Solution) -> tuple[Parameters, Masks]:
        """A solution as observations are asked about it: parameters, and the states that agree with each mark."""
        return solution.parameters, self.states.masks(solution.kinds)

    def starts_for(
        self, sample: Sample, n_states: int, rng: np.random.Generator, smaller: Solution | None
    ) -> list[Start]:
        """Starts of one tournament."""
        given = [self.given] if self.given and len(self.given.kinds) == n_states else []
        if self.starts is None:
            return [*given, *starts(self.states, sample, n_states, rng, smaller)]
        return [*given, *self.starts(sample, n_states, rng, smaller)]

    def loss(self, data: InMemory, solutions: Sequence[Solution]) -> float:
        """Log loss of solutions together: of what was seen, of a generator with its word, unless it is to predict."""
        members = [self.asked(solution) for solution in solutions]
        if not self.predicting:
            return data.loss(members)
        words = [(parameters, np.ones_like(masks)) for parameters, masks in members]
        gain = data.log_likelihood(members) - data.log_likelihood(words)
        return math.inf if math.isnan(gain) else -gain / data.sample.judged

    def climb(
        self, start: Solution, data: Observations, likely: Parameters | None = None, compiled: bool = True
    ) -> Climb:
        """Accelerated climb from a start, compiled where that is possible; a hidden Markov model stays one.

        Pseudo-counts are the same in every cell, or many where moves are ``likely`` in parameters, and few elsewhere.
        """
        parameters, masks = self.asked(start)
        if likely is None:
            pseudo = Parameters(*(np.full_like(part, self.prior) for part in parameters))
        else:
            pseudo = Parameters(*(self.prior * np.where(are_likely(part), STRONG, WEAK) for part in likely))
        e_step = partial(data.expected_counts, masks=masks)
        symbols = np.zeros(parameters.transitions.shape[0], dtype=np.intp) if is_factored(parameters) else None
        m_step = MStep(parameters, pseudo, learn_initial=True, symbol_groups=symbols)
        many = partial(data.climbed, masks=masks) if compiled and isinstance(data, InMemory) else None
        return Climb(e_step, m_step, accelerate=True, compiled=many)


@dataclass
class Entrant:
    """One climb: where it is now, and where its held-out loss was lowest (best, after so many steps).

    ``likely`` has the parameters whose likely moves are kept, if it is a climb with few moves in each row.
    """

    start: str
    kinds: Kinds
    now: Parameters
    best: Parameters
    loss: float = math.inf
    steps: int = 0
    curve: list[Round] = field(default_factory=list)
    at_rest: bool = False
    likely: Parameters | None = None
    climb: Climb | None = None
    data: InMemory | None = None

    @property
    def e_steps(self) -> int:
        """E-steps so far."""
        return self.curve[-1].e_steps if self.curve else 0

    def is_finished(self, patience: int) -> bool:
        """Whether more rounds would not help: at rest, impossible, or no better for long."""
        return self.at_rest or self.e_steps - self.steps >= patience * ROUND

    def append(self, result: Round) -> bool:
        """Note a round; returns whether its held-out loss is the lowest so far."""
        self.curve.append(result)
        is_best = result.validation_loss < self.loss
        if is_best:
            self.loss, self.steps = result.validation_loss, result.e_steps
        return is_best

    @property
    def solution(self) -> Solution:
        """The best parameters with the states' labels."""
        return Solution(self.best, self.kinds)

    def sharpened(self) -> Entrant:
        """A climb that begins at the likely moves of the best parameters."""
        place = Parameters(*(shares(np.where(are_likely(part), part, UNLIKELY), part) for part in self.best))
        return Entrant(f"{self.start}, sharpened", self.kinds, place, place, likely=self.best)


def are_likely(rows: Floats) -> NDArray[np.bool_]:
    """Which moves have a good share of their row, or the largest one."""
    return np.asarray(rows >= np.minimum(LIKELY, rows.max(axis=-1, keepdims=True)))


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
        self._callback, self._checkpoint = callback, checkpoint
        self._began = time.monotonic()
        self._deadline = math.inf if time_limit is None else self._began + time_limit
        self._tournaments: dict[tuple[int, int], tuple[int, list[Entrant]]] = {}
        self.e_steps, self.has_results = 0, False
        self.losses: dict[int, float] = {}
        self.next_folds(0, folds, is_last_size=False)
        if checkpoint and (saved := checkpoint.load()):
            self.e_steps = int(saved.pop("e_steps"))
            try:
                for n_states, fold in dict.fromkeys(tuple(map(int, name.split("/")[:2])) for name in saved):
                    parts = [saved[f"{n_states}/{fold}/{part}"] for part in SAVED]
                    self._tournaments[n_states, fold] = _restored(*parts)
            except (KeyError, ValueError):
                raise checkpoint.refused("the parts of a tournament do not fit together.") from None

    def resumed(self, n_states: int, fold: int) -> tuple[int, list[Entrant]]:
        """Rounds done in a tournament and its entrants after them, from the checkpoint."""
        return self._tournaments.get((n_states, fold), (0, []))

    def after_round(self, n_states: int, fold: int, number: int, entrants: list[Entrant], rounds: int) -> None:
        """Save the state, report progress, and end the search if the callback or the clock says so."""
        self.save(n_states, fold, number, entrants)
        seconds = time.monotonic() - self._began
        if self._callback:
            loss = min(entrant.loss for entrant in entrants)
            where = n_states, min(fold % AGAIN, self.last_fold - 1), self.last_fold, number, rounds
            left = self._seconds_left(fold, number / rounds)
            report = SearchProgress(*where, loss, self.e_steps, seconds, dict(self.losses), left)
            if self._callback(report) in (True,):
                raise SearchEnded(Stop.INTERRUPTED, entrants)
        if self.is_late:
            raise SearchEnded(Stop.TIME_LIMIT, entrants)

    def next_folds(self, first: int, last: int, is_last_size: bool) -> None:
        """Tell which folds come now, and whether the search ends with them."""
        self.last_fold, self._first_fold, self._is_last_size, self._stage_began = (
            last,
            first,
            is_last_size,
            time.monotonic(),
        )

    def _seconds_left(self, fold: int, share: float) -> float | None:
        """Time that the other folds will probably take, as the ones before did; at most until the deadline."""
        now = time.monotonic()
        left = math.inf
        if self._is_last_size and fold < AGAIN:
            done = fold - self._first_fold + share
            left = (now - self._stage_began) * (self.last_fold - self._first_fold - done) / done
        left = min(left, max(0.0, self._deadline - now))
        return left if math.isfinite(left) else None

    @property
    def is_late(self) -> bool:
        """Whether the time has run out."""
        return time.monotonic() >= self._deadline

    @property
    def clock(self) -> Callable[[], bool] | None:
        """Question whether the time has run out, for climbs to ask; None if there is no limit."""
        return None if self._deadline == math.inf else lambda: self.is_late and self.has_results

    def in_time(self, starts: Iterable[Start]) -> Iterator[Start]:
        """The first start, and others as long as there is time to make them."""
        for start in starts:
            yield start
            if self.is_late:
                return

    def save(self, n_states: int, fold: int, done: int, entrants: list[Entrant]) -> None:
        """Save the state of a tournament, beside those of the others, if there is a checkpoint."""
        if self._checkpoint is None:
            return
        self._tournaments[n_states, fold] = done, list(entrants)
        saved: Arrays = {"e_steps": np.array(self.e_steps)}
        for (size, number), state in self._tournaments.items():
            saved |= {f"{size}/{number}/{part}": array for part, array in zip(SAVED, _arrays(*state), strict=True)}
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
            starts = rules.starts_for(split.training, n_states, rng, smaller)
            entrants = mapped(enter, monitor.in_time(starts), rules.threads)
        number = done
        while number < rules.rounds:
            keep = rules.schedule[number] if number < len(rules.schedule) else rules.finalists
            if number <= len(rules.schedule):
                entrants = sorted(entrants, key=lambda entrant: entrant.loss)[:keep]
            if number == len(rules.schedule):  # from here on with few moves in each row, beside the finalists
                entrants += [entrant.sharpened() for entrant in entrants]
            active = [
                entrant
                for entrant in entrants
                if not entrant.is_finished(rules.patience)
                and (number < len(rules.schedule) or entrant.likely is not None)
            ]
            if not active:
                number = len(rules.schedule) if number < len(rules.schedule) else rules.rounds
                continue
            for where in (sketch, training, validation):  # so that no core is idle while few climbs are left
                where.threads = max(1, (rules.threads or cores()) // len(active))
            data = sketch if keep >= rules.many else training
            advance = partial(_round, data=data, validation=validation, rules=rules, monitor=monitor)
            monitor.e_steps += sum(mapped(partial(advance, last=data is training), active, rules.threads))
            number += 1
            monitor.after_round(n_states, fold, number, entrants, rules.rounds)
    except KeyboardInterrupt:
        if not any(math.isfinite(entrant.loss) for entrant in entrants):
            raise
        raise SearchEnded(Stop.INTERRUPTED, entrants) from None
    entrants = sorted(entrants, key=lambda entrant: entrant.loss)[: rules.finalists]
    if done < rules.rounds:
        monitor.save(n_states, fold, rules.rounds, entrants)
    return entrants


def _entered(start: Start, short: InMemory, rules: Rules) -> Entrant:
    """Entrant at its start, after its first steps on short words if it begins with them."""
    parameters = start.parameters
    if start.short_words_first:
        climb = rules.climb(Solution(parameters, start.kinds), short)
        climb.advance(FIRST_STEPS)
        parameters = Parameters(*(smoothed(part, SLIGHT) for part in climb.parameters))
    return Entrant(start.name, start.kinds, parameters, parameters)


def _round(
    entrant: Entrant, data: InMemory, last: bool, validation: InMemory, rules: Rules, monitor: SearchMonitor
) -> int:
    """Some E-steps, then a look at the held-out loss; returns the number of E-steps."""
    if monitor.is_late and monitor.has_results:
        return 0
    try:
        if entrant.climb is None or entrant.data is not data:
            place = Solution(entrant.now, entrant.kinds)
            entrant.climb, entrant.data = rules.climb(place, data, entrant.likely), data
        climb, before = entrant.climb, entrant.climb.e_steps
        entrant.at_rest = not climb.advance(ROUND, AT_REST * data.total, monitor.clock) and last
    except ImpossibleObservation:
        entrant.curve.append(Round(entrant.e_steps + rules.patience * ROUND, -math.inf, math.inf, math.inf))
        return 1
    entrant.now = climb.parameters
    loss = rules.loss(validation, [Solution(climb.parameters, entrant.kinds)])
    training_loss = -climb.counts.log_likelihood / data.judged(climb.parameters)
    if entrant.append(Round(entrant.e_steps + ROUND, climb.objective, training_loss, loss)):
        entrant.best = climb.parameters
    monitor.has_results = True
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


PLACES = ("now", "now_initial", "best", "best_initial", "likely", "likely_initial")
SAVED = ("rounds", "starts", "kinds", *PLACES, "is_sharp", "at_rest", "lengths", "curves")


def saved_search(rules: Rules, sizes: Collection[int], folds: int, n_symbols: int, is_generator: bool) -> Schema:
    """What must hold of the arrays of a checkpoint: for each tournament those of its entrants, one after the other."""
    found = {"e_steps": Expected(np.int64, (), "a number of E-steps", _are_counts)}
    n_labels = len(rules.states.labelling.names) if isinstance(rules.states, HiddenStates) else 2
    for size in sizes:
        shape = (size, n_symbols * size + 1) if is_generator else (n_symbols, size, size)
        rows, initial = (
            Expected(np.float64, (None, *each), "probabilities that sum to 1", are_distributions, optional=True)
            for each in (shape, (size,))
        )
        parts = (
            Expected(np.int64, (), "a number of rounds", lambda n: 0 <= int(n) <= rules.rounds, optional=True),
            Expected(np.uint8, (None,), "names of starts", optional=True),
            Expected(np.int32, (None, size), "labels of states", lambda kinds: within(kinds, n_labels), optional=True),
            *(rows, initial) * 3,
            *(Expected(np.bool_, (None,), optional=True),) * 2,
            Expected(np.int64, (None,), "numbers of rounds", _are_counts, optional=True),
            Expected(np.float64, (None, len(Round._fields)), "rounds with their losses", _are_rounds, optional=True),
        )
        for fold in (*range(folds), *range(AGAIN, AGAIN + 2 * folds)):
            found |= {f"{size}/{fold}/{part}": each for part, each in zip(SAVED, parts, strict=True)}
    return found


def _are_counts(numbers: NDArray[np.int64]) -> bool:
    return bool((numbers >= 0).all() and (numbers < MOST_COUNTED).all())


def _are_rounds(curves: Floats) -> bool:
    steps = curves[:, 0]
    return not np.isnan(curves).any() and bool(
        ((steps >= 0) & (steps < MOST_COUNTED) & (steps == np.floor(steps))).all()
    )


def _arrays(rounds: int, entrants: Sequence[Entrant]) -> list[NDArray[Any]]:
    """Arrays of a tournament, in the order of ``SAVED``."""
    curves = [result for entrant in entrants for result in entrant.curve]
    return [
        np.array(rounds),
        np.frombuffer("\n".join(entrant.start for entrant in entrants).encode(), dtype=np.uint8),
        np.stack([entrant.kinds for entrant in entrants]),
        *(np.stack(parts) for parts in zip(*map(_places, entrants), strict=True)),
        np.array([entrant.likely is not None for entrant in entrants]),
        np.array([entrant.at_rest for entrant in entrants]),
        np.array([len(entrant.curve) for entrant in entrants]),
        np.array(curves, dtype=np.float64).reshape(-1, len(Round._fields)),
    ]


def _places(entrant: Entrant) -> tuple[Floats, ...]:
    """Parameters of an entrant; the last are those of its likely moves, if it keeps to them."""
    return *entrant.now, *entrant.best, *(entrant.likely or entrant.best)


def _restored(rounds: NDArray[Any], starts: NDArray[Any], *parts: NDArray[Any]) -> tuple[int, list[Entrant]]:
    """Rounds done in a tournament and its entrants, from their arrays; ValueError if these do not fit together."""
    *of_entrants, lengths, curves = parts
    names, entrants = starts.tobytes().decode().split("\n"), []
    pieces = np.split(curves, np.cumsum(lengths)[:-1])
    if lengths.sum() != len(curves):
        raise ValueError
    for name, kinds, *rows, is_sharp, at_rest, curve in zip(names, *of_entrants, pieces, strict=True):
        now, best, likely = (Parameters(*rows[k : k + 2]) for k in (0, 2, 4))
        entrant = Entrant(name, kinds, now, best, at_rest=bool(at_rest), likely=likely if is_sharp else None)
        for result in curve.tolist():
            entrant.append(Round(int(result[0]), *result[1:]))
        entrants.append(entrant)
    return int(rounds), entrants
