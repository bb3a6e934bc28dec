"""select: how many states, by held-out loss or by an information criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.degrees_of_freedom import free_parameters
from cutpoint.em.e_step import check_threads, expected_counts
from cutpoint.em.engine import InMemory
from cutpoint.em.evidence import check_sample
from cutpoint.em.fit import Fit, Stop
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.kernels import cores
from cutpoint.model import Acceptor
from cutpoint.model.randomness import generator
from cutpoint.model.text import aligned
from cutpoint.search.folds import clearly_lower, splits, standard_error
from cutpoint.search.labelling import Labelling
from cutpoint.search.learn import FOLDS, PRIOR, check_prior
from cutpoint.search.rounds import Search, SearchProgress
from cutpoint.search.settings import Hidden, Named, Setting
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]

SIZES = (2, 4, 8, 16)
"""Numbers of states to try unless told."""

Criterion = Literal["loss", "bic", "aic"]


@dataclass(frozen=True)
class Candidate:
    """A number of states, and what speaks for it.

    Attributes
    ----------
    n_states : the number.
    losses : log loss on each fold, in nats per observation, of an acceptor that was learned and chosen without it.
    n_parameters : free parameters that the sample has a say in, counted as :func:`select` tells.
    acceptor : of the folds' acceptors, after a few more E-steps on all observations, the one nearest to their mean.
    climbed : the highest maximum of the likelihood of the whole sample, climbed to from the folds' acceptors.
    n_observations : number of observations N.
    """

    n_states: int
    losses: tuple[float, ...]
    n_parameters: int
    acceptor: Acceptor
    climbed: Fit
    n_observations: float

    @property
    def loss(self) -> float:
        """Mean of the held-out losses."""
        return float(np.mean(self.losses))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean loss over folds; infinite for a single fold."""
        return standard_error(self.losses)

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
    """Result of :func:`select`.

    Attributes
    ----------
    criterion : what the choice went by.
    candidates : one per number of states that was tried, in rising order.
    chosen : the one that was chosen.
    """

    criterion: Criterion
    candidates: tuple[Candidate, ...]
    chosen: Candidate

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
    sample: Sample,
    sizes: Iterable[int] = SIZES,
    criterion: Criterion = "loss",
    folds: int = FOLDS,
    *,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    prior: float = PRIOR,
    threads: int | None = None,
    callback: Callable[[SearchProgress], object] | None = None,
    rng: np.random.Generator | int = 0,
) -> Selection:
    r"""Choose the number of states: held-out log loss, BIC and AIC of each, side by side.

    .. math:: \mathrm{BIC} = k \log N - 2 \ell, \qquad \mathrm{AIC} = 2 k - 2 \ell

    Parameters
    ----------
    sample : what was observed.
    sizes : numbers of states to try; all of them are, on the same folds.
    criterion : "loss" takes a larger number only if its held-out loss is lower than that of the best smaller one by
        more than a standard error of the difference over folds; "bic" and "aic" take the lowest value.
    folds : number of folds.
    n_final, final, prior, threads, callback : as of :func:`learn`; a callback that returns True ends the selection
        with the numbers of states finished so far.
    rng : seed or generator; same seed, same result.

    Returns
    -------
    A :class:`Selection`: ``selection.n_states``, ``selection.best``, ``print(selection.table())``.

    Notes
    -----
    Trust the loss. BIC with the nominal number of parameters picks far too few states, because most entries of a
    learned acceptor are near 0 and cost nothing. So :math:`k` counts entries with an expected count of at least a half
    (Prop. 4.2, on the whole sample), minus one for each row that has any such entry, the initial row included; rows
    never reached count nothing. That helps, but the theory of both criteria assumes identifiable parameters away from
    0, which hidden states are not: BIC still tends to too few states. :math:`\ell` is the log-likelihood of the whole
    sample at the best maximum climbed to from the folds' winners, without prior; :math:`N` the number of observations.

    On each fold's rest, the search behind :func:`learn` climbs and chooses by a part of that rest, so the losses are
    honest. (Losses that chose the winners are too good, and the more so the more states there are.) Cost: as many
    E-steps as :func:`learn`, some thousands for each number of states.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 150, (0, 6), rng=1), rng=2)
    >>> selection = cp.select(sample, sizes=(2, 3), folds=2)
    >>> selection.n_states, selection.best.n_states
    (2, 2)
    """
    check_sample(sample)
    check_threads(threads)
    numbers = _checked_sizes(sizes)
    if criterion not in ("loss", "bic", "aic"):
        raise InvalidArgument(f"criterion must be 'loss', 'bic' or 'aic'; got {shown(criterion)}.")
    whole_number("folds", folds, least=2)
    check_prior(prior)
    judged = _Judged(sample, n_final, final, prior, folds, threads, callback, int(generator(rng).integers(2**62)))
    candidates: list[Candidate] = []
    for n_states in numbers:
        try:
            candidate, stop = judged.candidate(n_states)
        except KeyboardInterrupt:
            if not candidates:
                raise
            break
        if stop is Stop.SEARCHED or not candidates:
            candidates.append(candidate)
        if stop is not Stop.SEARCHED:
            break
    return Selection(criterion, tuple(candidates), _chosen(candidates, criterion))


def _checked_sizes(sizes: Iterable[int]) -> list[int]:
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise InvalidArgument(f"sizes must be a list of numbers of states; got {shown(sizes)}.")
    numbers = sorted({whole_number("each of sizes", size, least=1) for size in sizes})
    if not numbers:
        raise InvalidArgument("sizes must hold at least one number of states; got none.")
    return numbers


@dataclass(frozen=True)
class _Judged:
    """Searches on the rest of each fold, judged by the fold."""

    sample: Sample
    n_final: int | None
    final: Collection[Hashable] | None
    prior: float
    folds: int
    threads: int | None
    callback: Callable[[SearchProgress], object] | None
    seed: int

    def candidate(self, n_states: int) -> tuple[Candidate, Stop]:
        """What speaks for a number of states, and whether all folds could."""
        setting = self._setting(n_states)
        whole = self._search(self.sample, setting, 0)
        losses, places = [], []
        stop = Stop.SEARCHED
        for k, split in enumerate(splits(self.sample, self.folds, np.random.default_rng(self.seed))):
            search = self._search(split.training, setting, k)
            _, stop = search.run((n_states,))
            if not search.winners[n_states]:
                raise ImpossibleObservation(
                    f"no acceptor with {counted(n_states, 'state')} was found that makes all held-out observations "
                    "possible. Use a positive prior."
                )
            winner = search.winners[n_states][0]
            masks = setting.masks(winner.kinds)
            losses.append(InMemory(split.validation, self.threads).loss(search.refitted(winner), masks))
            places.append((whole.refitted(winner), winner.kinds))
            if stop is not Stop.SEARCHED:
                break
        acceptors = [setting.acceptor(self.sample.alphabet, *place) for place in places]
        climb = partial(baum_welch, learn_initial=True, accelerate=True, threads=self.threads)
        climbed = max((climb(one, self.sample) for one in acceptors), key=lambda fit: fit.log_likelihood)
        n_parameters = free_parameters(expected_counts(climbed.acceptor, self.sample, self.threads))
        nearest = acceptors[whole.nearest_to_all(places)]
        return Candidate(n_states, tuple(losses), n_parameters, nearest, climbed, self.sample.total), stop

    def _setting(self, n_states: int) -> Setting:
        """Hidden states, or named ones where states were seen."""
        if any(mark.states is not None for mark in self.sample.mark_table):
            return Named(self.sample, n_states, self.final)
        hidden = Hidden(Labelling.verdicts(self.sample), self.n_final)
        hidden.check_size(n_states)
        return hidden

    def _search(self, part: Sample, setting: Setting, fold: int) -> Search:
        """Search on a part of the sample, of which one inner fold chooses."""

        def told(progress: SearchProgress) -> object:
            return self.callback(replace(progress, fold=fold, folds=self.folds)) if self.callback else None

        inner = max(2, min(FOLDS, int(part.total)))
        return Search(part, setting, inner, 1, self.prior, self.threads or cores(), self.seed + fold, callback=told)


def _chosen(candidates: list[Candidate], criterion: Criterion) -> Candidate:
    if criterion != "loss":
        return min(candidates, key=lambda row: row.bic if criterion == "bic" else row.aic)
    best = candidates[0]
    for row in candidates[1:]:
        if clearly_lower(row.losses, best.losses):
            best = row
    return best
