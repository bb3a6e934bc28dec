"""select: how many states, by held-out loss or by an information criterion."""

import math
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.baum_welch import baum_welch, check_callback
from cutpoint.em.counts import Counts
from cutpoint.em.fit_result import Fit, Stop
from cutpoint.em.observations import AnySample, Engine, InMemory, expected_counts, observations
from cutpoint.errors import InvalidArgument
from cutpoint.exact import check_choice, whole_number
from cutpoint.model import Acceptor
from cutpoint.model.parts import random_generator
from cutpoint.model.text import aligned
from cutpoint.search.folds import chosen_size, splits
from cutpoint.search.labels import known_states
from cutpoint.search.learn import PRIOR
from cutpoint.search.learned import SearchProgress, SizeLosses
from cutpoint.search.race import (
    FOLDS,
    LAST_STEPS,
    SEARCHED,
    check_arguments,
    check_prior,
    nearest_to_mean,
    race,
    refitted,
    usual_folds,
)
from cutpoint.search.tournament import Rules, SearchMonitor
from cutpoint.wording import counted, shown

SIZES = (2, 4, 8, 16)  # numbers of states to try by default
HALF_A_USE = 0.5  # entries with a smaller expected count are as good as 0; in complete data counts are 0, or 1 and more

Criterion = Literal["loss", "bic", "aic"]


@dataclass(frozen=True)
class SizeCandidate(SizeLosses):
    """A number of states, and what speaks for it.

    Attributes
    ----------
    losses : log loss on each fold, in nats per observation, of an acceptor that was learned and chosen without it.
    n_parameters : free parameters that the sample has a say in, counted as :func:`select` says.
    acceptor : of the folds' acceptors, after a few more E-steps on all observations, the one nearest to their mean.
    climbed : the highest maximum of the likelihood of the whole sample, climbed to from the folds' acceptors.
    n_observations : number of observations N.
    """

    n_parameters: int
    acceptor: Acceptor
    climbed: Fit
    n_observations: float

    @property
    def bic(self) -> float:
        """Bayesian information criterion, k log N - 2 ℓ."""
        return self.n_parameters * math.log(self.n_observations) - 2.0 * self.climbed.log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's information criterion, 2 k - 2 ℓ."""
        return 2.0 * self.n_parameters - 2.0 * self.climbed.log_likelihood


@dataclass(frozen=True, repr=False)
class Selection:
    """Result of :func:`select`: candidates in rising order of states, the chosen one, and what the choice went by."""

    criterion: Criterion
    candidates: tuple[SizeCandidate, ...]
    chosen: SizeCandidate

    @property
    def n_states(self) -> int:
        """The chosen number of states."""
        return self.chosen.n_states

    @property
    def best(self) -> Acceptor:
        """Acceptor of the chosen size; chosen by BIC or AIC, the maximum of the likelihood that they are about."""
        return self.chosen.acceptor if self.criterion == "loss" else self.chosen.climbed.acceptor

    def table(self) -> str:
        """All candidates as plain text; a star marks the chosen one."""
        lines = [["states", "log loss", "±", "parameters", "log-likelihood", "BIC", "AIC"]]
        for row in self.candidates:
            likelihood = row.climbed.log_likelihood
            numbers = [f"{row.loss:.4f}", f"{row.standard_error:.4f}", str(row.n_parameters)]
            numbers += [f"{round(value, 1) + 0.0:.1f}" for value in (likelihood, row.bic, row.aic)]  # never -0.0
            lines.append([f"{row.n_states}{' *' if row is self.chosen else ''}", *numbers])
        return "\n".join(line.rstrip() for line in aligned(lines))

    def __repr__(self) -> str:
        by = {"loss": "held-out log loss", "bic": "BIC", "aic": "AIC"}[self.criterion]
        return f"<Selection: {counted(self.n_states, 'state')} by {by}\n{self.table()}>".replace("\n", "\n  ")


def select(
    sample: AnySample,
    sizes: Iterable[int] = SIZES,
    criterion: Criterion = "loss",
    folds: int = FOLDS,
    *,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    prior: float = PRIOR,
    groups: Iterable[Hashable] | None = None,
    threads: int | None = None,
    callback: Callable[[SearchProgress], object] | None = None,
    rng: np.random.Generator | int = 0,
    engine: Engine | None = None,
) -> Selection:
    r"""Choose the number of states: held-out log loss, BIC and AIC of each, side by side.

    .. math:: \mathrm{BIC} = k \log N - 2 \ell, \qquad \mathrm{AIC} = 2 k - 2 \ell

    Parameters
    ----------
    sample : what was observed. Of a sample in shards a part is searched, as :func:`learn` does.
    sizes : numbers of states to try, all of them on the same folds.
    criterion : "loss" takes a larger number only if its held-out loss is lower than that of the best smaller one by
        more than a standard error of the difference over folds; "bic" and "aic" take the lowest value.
    n_final, final, prior, groups, threads, callback, rng, engine : as of :func:`learn`; a callback that returns True
        ends the selection with the numbers of states finished so far.

    Notes
    -----
    Trust the loss. Most entries of a learned acceptor are near 0 and cost nothing, so :math:`k` counts entries with an
    expected count of at least a half (Prop. 4.2, on the whole sample), minus one for each row that has any, the initial
    row included. Yet the theory of both criteria assumes identifiable parameters away from 0, which hidden states are
    not: BIC still tends to too few states. :math:`\ell` is the log-likelihood of the whole sample at the best maximum
    climbed to from the folds' winners, without prior; :math:`N` the number of observations.

    On each fold's rest, the search behind :func:`learn` climbs and chooses by a part of that rest, so the losses are
    honest. Cost: as many E-steps as :func:`learn`, some thousands for each number of states.

    Examples
    --------
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 150, (0, 6), rng=1), rng=2)
    >>> selection = cp.select(sample, sizes=(2, 3), folds=2)
    >>> selection.n_states, selection.best.n_states
    (2, 2)
    """
    sample = check_arguments(sample, threads, engine, groups)
    numbers = () if isinstance(sizes, str) or not isinstance(sizes, Iterable) else tuple(sizes)
    if not numbers:
        raise InvalidArgument(f"sizes must be a list of one or more numbers of states; got {shown(sizes)}.")
    numbers = tuple(sorted({whole_number("each of sizes", size, least=1) for size in numbers}))
    check_choice("criterion", criterion, "loss", "bic", "aic")
    whole_number("folds", folds, least=2)
    check_prior(prior)
    check_callback(callback)
    seed = int(random_generator(rng).integers(2**62))
    candidates: list[SizeCandidate] = []
    with observations(sample, sample.alphabet, engine, threads) as data:
        part = sample if isinstance(sample, Sample) else data.subsample(SEARCHED)
        outer = splits(part, folds, np.random.default_rng(seed))

        def candidate(n_states: int) -> tuple[SizeCandidate, Stop]:
            """Search on the rest of each fold, judge by the fold, and climb on the whole sample from the winners."""
            states = known_states(part, n_states, n_final, final)
            losses, solutions = [], []
            for k, split in enumerate(outer):
                rules = Rules(states, prior, seed + k, threads)
                inner = splits(split.training, usual_folds(split.training), np.random.default_rng([seed + k, 0]))
                monitor = SearchMonitor(folds, callback and partial(_report, callback, k))
                found = race((n_states,), inner[:1], rules, monitor)
                winner = found.results[n_states][0].winner
                alone = refitted(winner, InMemory(split.training, threads), rules, LAST_STEPS, monitor)
                losses.append(InMemory(split.validation, threads).loss([rules.asked(alone)]))
                solutions.append(refitted(winner, data, rules, LAST_STEPS, monitor))
                if found.stop is not Stop.SEARCHED:
                    break
            acceptors = [states.acceptor(part.alphabet, *solution) for solution in solutions]
            climb = partial(baum_welch, learn_initial=True, accelerate=True, threads=threads, engine=engine)
            climbed = max((climb(each, sample) for each in acceptors), key=lambda fit: fit.log_likelihood)
            number = free_parameters(expected_counts(climbed.acceptor, sample, threads, engine=engine))
            nearest = acceptors[nearest_to_mean(solutions, part, rules)]
            return SizeCandidate(n_states, tuple(losses), number, nearest, climbed, sample.total), found.stop

        for n_states in numbers:
            try:
                found, stop = candidate(n_states)
            except KeyboardInterrupt:
                if not candidates:
                    raise
                break
            if stop is Stop.SEARCHED or not candidates:
                candidates.append(found)
            if stop is not Stop.SEARCHED:
                break
    return Selection(criterion, tuple(candidates), _chosen(candidates, criterion))


def _report(callback: Callable[[SearchProgress], object], fold: int, progress: SearchProgress) -> object:
    """Report progress of the search on the rest of a fold."""
    return callback(replace(progress, fold=fold))


def _chosen(candidates: list[SizeCandidate], criterion: Criterion) -> SizeCandidate:
    if criterion != "loss":
        return min(candidates, key=attrgetter(criterion))
    size = chosen_size({row.n_states: row.losses for row in candidates})
    return next(row for row in candidates if row.n_states == size)


def stacked(transitions: NDArray[np.float64], initial: NDArray[np.float64]) -> NDArray[np.float64]:
    """All rows one below the other: that of symbol a, state s is row ``a * n_states + s``, the initial one is last."""
    return np.concatenate((transitions.reshape(-1, len(initial)), initial[None]))


def used_entries(counts: Counts) -> NDArray[np.bool_]:
    """Entries that are used at least half a time in expectation, in the order of :func:`stacked`."""
    return np.asarray(stacked(counts.transitions, counts.initial) >= HALF_A_USE)


def free_parameters(counts: Counts) -> int:
    """Number of free parameters that a sample has a say in: used entries minus one for each row that has any."""
    used = used_entries(counts).sum(axis=1)
    return int(np.maximum(used - 1, 0).sum())
