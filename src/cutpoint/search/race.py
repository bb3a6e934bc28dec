"""A race of numbers of states, with a tournament for each fold; what all functions that search check and share."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cutpoint.data import Alphabet, Sample
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.fit_result import Stop
from cutpoint.em.observations import (
    AnySample,
    Engine,
    InMemory,
    Observations,
    Parameters,
    check_any_sample,
    check_engine,
    observations,
)
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor, Generator
from cutpoint.model.machine import Machine
from cutpoint.model.parts import check_threads
from cutpoint.search.folds import Split, chosen_size, shared_out, splits
from cutpoint.search.labels import Solution
from cutpoint.search.learned import SizeResult
from cutpoint.search.starts import SLIGHT, Start, smoothed
from cutpoint.search.tournament import AGAIN, Entrant, Rules, SearchEnded, SearchMonitor, saved_search, tournament
from cutpoint.wording import shown

FOLDS = 5
LAST_STEPS = 10  # E-steps of winners on all observations
SURE_SIZES = 3  # so many numbers of states are always tried
WORTH_DOUBLING = 0.1  # share of the loss that the last doubling of states must have saved for another to be tried
HOPELESS = 3.0  # sizes are given up when so many more gains as the last would not reach the yardstick
EXCHANGED, SECOND_ROUNDS = 2, 4  # other winners that a fold begins again from, and how many rounds they climb
CLEARLY = 0.6  # share of the loss of its own winner below which a fold takes what came of others
HALF_A_VISIT = 0.5  # states with fewer visits (where visits are few: with a hundredth of the mean) are not used
MOST_STATES = 2000  # most states that can be asked for: dozens of climbs hold their matrices at the same time
SEARCHED = 200_000  # most distinct observations of a sample in shards that are searched
NO_START = (
    "every start gives probability 0 to something that was seen: what was seen of the runs contradicts itself, or the "
    "final states."
)
CHECK_FINAL = "Check the verdicts and {final}, or increase {prior}."


def check_arguments(
    sample: AnySample, threads: int | None, engine: Engine | None, groups: Iterable[Hashable] | None = None
) -> AnySample:
    """The sample with its groups; refuses what is no argument of all functions that learn."""
    check_any_sample(sample)
    check_threads(threads)
    check_engine(engine)
    if groups is None:
        return sample
    if not isinstance(sample, Sample):
        raise InvalidArgument("are for a Sample in memory; this one is in shards.", argument="groups")
    return sample.grouped(groups)


def checked_size(n_states: int | None, start: Machine | None) -> int | None:
    """Number of states as asked for, or that of the start, if there is one."""
    if start is not None:
        if n_states not in (None, start.n_states):
            what = f"must be that of the start, {start.n_states}; got {n_states}."
            raise InvalidArgument(what, argument="n_states", advice="Leave it out, or the start.")
        n_states = start.n_states
    return None if n_states is None else whole_number("n_states", n_states, least=1, most=MOST_STATES)


def check_search(team: int, folds: int | None, prior: float) -> None:
    """Refuse what is not a size of a team, a number of folds or a number of pseudo-counts."""
    whole_number("team", team, least=1)
    if folds is not None:
        whole_number("folds", folds, least=2)
    check_prior(prior)


def check_direction(direction: str, sample: AnySample, checkpoint: object) -> None:
    """Refuse what is no direction, and what can be read in one direction alone."""
    if direction not in ("forward", "backward", "auto"):
        raise InvalidArgument(f"must be forward, backward or auto; got {shown(direction)}.", argument="direction")
    if direction != "forward" and not isinstance(sample, Sample):
        raise InvalidArgument("is for a Sample in memory; this one is in shards.", argument="direction")
    if direction == "auto" and checkpoint is not None:
        advice = "Search each {direction} with a file of its own."
        raise InvalidArgument("is for one search; 'auto' makes two.", argument="checkpoint", advice=advice)


def check_prior(prior: float) -> None:
    """Refuse what is not a number of pseudo-counts."""
    if isinstance(prior, bool) or not (isinstance(prior, int | float) and 0.0 <= prior < math.inf):
        raise InvalidArgument(f"must be a finite number, 0 or more; got {shown(prior)}.", argument="prior")


def searched_part(sample: AnySample, alphabet: Alphabet, engine: Engine | None = None) -> Sample:
    """Observations that are looked at one by one: all of a sample in memory, at most 200,000 of one in shards."""
    if isinstance(sample, Sample):
        return sample.recoded(alphabet)
    with observations(sample, alphabet, engine, None) as data:
        return data.subsample(SEARCHED)


def search_checkpoint(
    path: str | os.PathLike[str] | None,
    sample: AnySample,
    part: Sample,
    rules: Rules,
    sizes: Sequence[int],
    folds: int,
    options: tuple[object, ...],
    is_generator: bool = False,
) -> Checkpoint | None:
    """Checkpoint of a search, if there is a path; its problem is all that decides the result."""
    if path is None:
        return None
    content = None if isinstance(sample, Sample) else sample.digest()
    problem = is_generator, content, part, rules.seed, float(rules.prior), rules.predicting, sizes, folds, options
    return Checkpoint(path, problem, saved_search(rules, sizes, folds, len(part.alphabet), is_generator))


def usual_folds(sample: Sample) -> int:
    """Number of folds by default: five, fewer if there are fewer observations, or groups, that can be judged."""
    return max(2, min(FOLDS, int(shared_out(sample)[0])))


@dataclass(frozen=True)
class FoldResult:
    """The best entrants of a fold's tournament, and their held-out loss together; ``cut_short`` if it did not end."""

    split: Split
    finalists: list[Entrant]
    joint_loss: float
    cut_short: bool = False

    @classmethod
    def of(cls, split: Split, finalists: list[Entrant], rules: Rules) -> FoldResult:
        """Result of a tournament that did end."""
        return cls(split, finalists, rules.loss(InMemory(split.validation, 1), [f.solution for f in finalists]))

    @property
    def winner(self) -> Entrant:
        """The best entrant."""
        return self.finalists[0]


@dataclass(frozen=True)
class RaceOutcome:
    """Number of states that won, why the race ended, and the folds' results for each number tried."""

    n_states: int
    stop: Stop
    results: dict[int, list[FoldResult]]

    @property
    def sizes(self) -> tuple[SizeResult, ...]:
        """How each number of states did."""
        return tuple(
            SizeResult(size, tuple(r.winner.loss for r in results), tuple(r.joint_loss for r in results))
            for size, results in sorted(self.results.items())
            if results
        )


def race(
    sizes: Sequence[int],
    folds: Sequence[Split],
    rules: Rules,
    monitor: SearchMonitor,
    caution: float = 1.0,
    yardstick: int | None = None,
    least_gain: float = 0.0,
    first_fold: int = 0,
) -> RaceOutcome:
    """Tournaments for one number of states after the other, until a larger one is no longer clearly better.

    A ``yardstick`` is a number of states that comes first; the others are given up when they will not reach its loss.
    Where there is one fold, its validation part is split into several to see what is clear. ``first_fold`` is the
    number of the first fold, by which its tournaments are told apart from those of other races.
    """
    results: dict[int, list[FoldResult]] = {}
    losses: dict[int, list[float]] = {}
    stop = Stop.SEARCHED
    before: list[FoldResult] = []  # with the next smaller number of states
    judges = _parts_to_judge_by(folds, rules) if len(sizes) > 1 else []
    monitor.next_folds(first_fold, first_fold + len(folds), is_last_size=len(sizes) == 1)
    try:
        for size in sizes if yardstick is None else (yardstick, *(size for size in sizes if size != yardstick)):
            results[size] = []
            for fold, split in enumerate(folds, first_fold):
                smaller = next((result.winner.solution for result in before if result.split is split), None)
                finalists = tournament(split, size, fold, rules, monitor, smaller)
                if math.isfinite(finalists[0].loss):
                    results[size].append(FoldResult.of(split, finalists, rules))
                if yardstick is None and _is_given_up([result.joint_loss for result in results[size]], losses):
                    return RaceOutcome(chosen_size(losses, caution, least_gain), stop, results)
            if not results[size]:
                raise ImpossibleObservation(NO_START, advice=CHECK_FINAL)
            if rules.exchange and len(sizes) > 1:
                results[size] = exchanged(results[size], first_fold, rules, monitor)
            if size != yardstick:
                before = results[size]
            losses[size] = [result.joint_loss for result in results[size]]
            monitor.losses[size] = float(np.mean(losses[size]))
            if judges:
                finalists = results[size][0].finalists
                losses[size] = [rules.loss(judge, [each.solution for each in finalists]) for judge in judges]
            if _is_decided(losses, size, caution, least_gain, yardstick):
                break
    except (SearchEnded, KeyboardInterrupt) as ended:
        stop = ended.stop if isinstance(ended, SearchEnded) else Stop.INTERRUPTED
        if not any(results.values()):
            results[size] = [_cut_short(split, ended)]
    finished = chosen_size(losses, caution, least_gain) if losses else next(size for size in results if results[size])
    return RaceOutcome(finished, stop, results)


def _cut_short(split: Split, ended: SearchEnded | KeyboardInterrupt) -> FoldResult:
    """The best so far of the first tournament, if there is any."""
    if isinstance(ended, KeyboardInterrupt):
        raise ended
    best = min(ended.entrants, key=lambda entrant: entrant.loss)
    if not math.isfinite(best.loss):
        raise ImpossibleObservation(NO_START, advice=CHECK_FINAL) from None
    return FoldResult(split, [best], best.loss, cut_short=True)


def results_of_folds(
    sizes: Sequence[int],
    folds: Sequence[Split],
    judges: int,
    rules: Rules,
    monitor: SearchMonitor,
    caution: float,
    least_gain: float,
) -> tuple[RaceOutcome, list[FoldResult]]:
    """A race on the first folds, the judges, and what its winner does on all folds."""
    judging = folds[:judges] if len(sizes) > 1 else folds
    outcome = race(sizes, judging, rules, monitor, caution, least_gain=least_gain)
    results, stop, size = outcome.results[outcome.n_states], outcome.stop, outcome.n_states
    if stop is Stop.SEARCHED and len(judging) < len(folds):
        others = race((size,), folds[len(judging) :], rules, monitor, first_fold=len(judging))
        results, stop = [*results, *(each for each in others.results[size] if not each.cut_short)], others.stop
    if stop is Stop.SEARCHED and rules.exchange:
        try:
            results = exchanged(results, len(folds), rules, monitor)
        except (SearchEnded, KeyboardInterrupt) as ended:
            stop = ended.stop if isinstance(ended, SearchEnded) else Stop.INTERRUPTED
    return replace(outcome, stop=stop), results


def exchanged(results: Sequence[FoldResult], first_fold: int, rules: Rules, monitor: SearchMonitor) -> list[FoldResult]:
    """The same results, where a fold that had no luck begins again near the winners of other folds.

    These have learned from what the fold is judged by, so what comes of them must be clearly better.
    """
    found = []
    for fold, result in enumerate(results, first_fold):
        others = sorted((other.winner for other in results if other is not result), key=lambda entrant: entrant.loss)
        near = [
            Start(other.start, Parameters(*(smoothed(part, SLIGHT) for part in other.best)), other.kinds)
            for other in others[:EXCHANGED]
        ]
        again = replace(rules, starts=lambda *_, near=near: near, given=None, schedule=(EXCHANGED,) * SECOND_ROUNDS)
        finalists = tournament(result.split, len(result.winner.kinds), AGAIN + fold, again, monitor) if near else []
        if finalists and finalists[0].loss < CLEARLY * result.winner.loss:
            found.append(FoldResult.of(result.split, finalists, rules))
        else:
            found.append(result)
    return found


def _parts_to_judge_by(folds: Sequence[Split], rules: Rules) -> list[InMemory]:
    """Parts of the validation part of a single fold; none where there are several folds."""
    if len(folds) > 1 or folds[0].validation.total < FOLDS:
        return []
    parts = splits(folds[0].validation, FOLDS, np.random.default_rng([rules.seed, 2]))
    return [InMemory(part.validation, 1) for part in parts]


def _is_given_up(found: list[float], losses: dict[int, list[float]]) -> bool:
    """Whether a number of states beyond the sure ones is worse on its first folds than a smaller one was there."""
    if len(losses) < SURE_SIZES or not found:
        return False
    best = min(losses.values(), key=np.mean)
    return float(np.mean(found)) > max(float(np.mean(best)), float(np.mean(best[: len(found)])))


def _is_decided(
    losses: dict[int, list[float]], size: int, caution: float, least_gain: float, yardstick: int | None
) -> bool:
    """Whether sizes beyond the last need not be tried: it is not clearly better, or the yardstick is out of reach."""
    tried = {other: found for other, found in losses.items() if other != yardstick}
    if len(tried) > SURE_SIZES and chosen_size(tried, caution, least_gain) != size:
        return True
    if len(tried) < SURE_SIZES:
        return False
    *_, before, now = (float(np.mean(found)) for found in tried.values())
    if yardstick is None:
        return len(tried) > SURE_SIZES and now > (1.0 - WORTH_DOUBLING) * before
    return now - float(np.mean(losses[yardstick])) > HOPELESS * (before - now)


def refitted(winner: Entrant, data: Observations, rules: Rules, steps: int, monitor: SearchMonitor) -> Solution:
    """Winner of a fold after a few E-steps on all observations; as it is if it is late."""
    if monitor.is_late:
        return winner.solution
    climb = rules.climb(winner.solution, data, winner.likely, compiled=False)  # as engines climb, with the same bits
    climb.advance(steps, is_late=monitor.clock)
    monitor.e_steps += climb.e_steps
    return Solution(climb.parameters, winner.kinds)


def nearest_to_mean(solutions: Sequence[Solution], sample: Sample, rules: Rules) -> int:
    """Number of the solution whose probabilities of what was seen are nearest to the mean of all of them."""
    data = InMemory(sample, rules.threads)
    probabilities = np.exp(np.stack([data.log_likelihoods(*rules.asked(solution)) for solution in solutions]))
    p, q = (np.clip(values, 1e-12, 1.0 - 1e-12) for values in (probabilities.mean(axis=0), probabilities))
    divergence = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))  # seen what was seen, or not
    return int(np.argmin((sample.counts * divergence).sum(axis=1)))


def unused_states(
    model: Acceptor | Generator, solutions: Sequence[Solution], data: Observations, rules: Rules
) -> tuple[Hashable, ...]:
    """States that no run visits, in expectation not even half a time."""
    counts = [data.expected_counts(*rules.asked(solution)) for solution in solutions]
    visits = np.concatenate([each.initial + each.transitions.sum(axis=(0, 1)) for each in counts])
    used = visits >= min(HALF_A_VISIT, 0.01 * float(visits.mean()))
    return tuple(state for state, visited in zip(model.states, used, strict=True) if not visited)
