"""How sure estimates are: bootstrap by resampling, standard_errors by the curvature of the log-likelihood."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.assess.selection import stacked, used_entries
from cutpoint.data import PlainWord, State, Symbol, Word, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.baum_welch import MAX_STEPS, TOLERANCE, baum_welch
from cutpoint.em.counts import Counts
from cutpoint.em.fit_result import Fit, Stop
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import AnySample, Engine, Parameters, check_evidence, mark_masks, observations
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.model.text import aligned, number
from cutpoint.search.learned import finished
from cutpoint.search.race import check_arguments, searched_part
from cutpoint.search.tournament import mapped
from cutpoint.wording import counted, shown

Bools = NDArray[np.bool_]
Places = NDArray[np.intp]


def _plain_words(acceptor: Acceptor, words: Words | None) -> tuple[PlainWord, ...]:
    """Words to answer about, checked against the alphabet."""
    return tuple(acceptor.alphabet.as_read(word) for word in each_word(() if words is None else words))


def _entry(acceptor: Acceptor, symbol: Symbol, before: State, after: State) -> tuple[int, int, int]:
    return acceptor.alphabet.code(symbol), acceptor.states.code(before), acceptor.states.code(after)


def _table(
    acceptor: Acceptor,
    words: tuple[PlainWord, ...],
    columns: dict[str, tuple[Floats, Floats, Floats]],
    estimated: Callable[..., bool],
    write: Callable[[float], str],
    digits: int,
) -> str:
    """Estimated entries and words beside further columns (of transitions, initial, acceptances), as plain text."""
    states, arrows = acceptor.states, product(acceptor.alphabet, acceptor.states, acceptor.states)
    names = [f"starts in {state}" for state in states] + [f"{a}: {s} → {t}" for a, s, t in arrows]
    entries, lines = len(names), [["", "estimate", *columns]]
    values = acceptor.transitions, acceptor.initial, acceptor.acceptances(words)
    cells = zip(
        *(np.concatenate((b, a, c), axis=None).tolist() for a, b, c in (values, *columns.values())), strict=True
    )
    for k, (name, (value, *rest)) in enumerate(zip([*names, *map(shown, words)], cells, strict=True)):
        if k >= entries or estimated(*rest):
            lines.append([name, number(value, digits), *map(write, rest)])
    return "\n".join(line.rstrip() for line in aligned(lines))


# -- Resampling --------------------------------------------------------------------------------------------------------

LEAST_TOTAL = 2  # fewest observations that can be resampled
REPETITIONS = 200
STIRRED = 0.05  # share of each row spread over its entries before each repetition, so that those near 0 can come back
MOST_OBSERVATIONS = 2**53
MOST_NUMBERS = 10**8


class Interval(NamedTuple):
    """Lower and upper ends: arrays of the shape of what they are about."""

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Result of :func:`bootstrap`: percentile intervals, and the repetitions they come from.

    Attributes
    ----------
    acceptor : the estimate: the given acceptor, fitted to the whole sample.
    level : share of the repetitions inside an interval.
    words : the words asked about.
    transition_draws, initial_draws, acceptance_draws : entries and acceptances of these words in every repetition,
        ``[k, a, s, t]``, ``[k, s]`` and ``[k, word]``.
    unfinished : repetitions whose climb hit ``max_steps``.
    """

    acceptor: Acceptor
    level: float
    words: tuple[PlainWord, ...]
    transition_draws: Floats
    initial_draws: Floats
    acceptance_draws: Floats
    unfinished: int

    @property
    def repetitions(self) -> int:
        """Number of repetitions."""
        return len(self.initial_draws)

    @property
    def transitions(self) -> Interval:
        """Intervals of the transitions, ``[a, s, t]``."""
        return self._interval(self.transition_draws)

    @property
    def initial(self) -> Interval:
        """Intervals of the initial distribution, ``[s]``."""
        return self._interval(self.initial_draws)

    @property
    def acceptances(self) -> Interval:
        """Intervals of the acceptance of each word asked about."""
        return self._interval(self.acceptance_draws)

    def transition(self, symbol: Symbol, before: State, after: State) -> tuple[float, float]:
        """Interval of one transition probability, by name."""
        low, high = self._interval(self.transition_draws[:, *_entry(self.acceptor, symbol, before, after)])
        return float(low), float(high)

    def of(self, words: Words) -> Interval:
        """Intervals of the acceptance of further words."""
        return self._interval(_acceptances(self.acceptor, self.transition_draws, self.initial_draws, words))

    def table(self, digits: int = 4) -> str:
        """Entries that are not the same in all repetitions, and words, with estimate and interval, as plain text."""
        low, high = zip(self.transitions, self.initial, self.acceptances, strict=True)
        columns, write = {"low": low, "high": high}, partial(number, digits=digits)
        return _table(self.acceptor, self.words, columns, lambda low, high: low < high, write, digits)

    def __repr__(self) -> str:
        widest = max(float((high - low).max()) for low, high in (self.transitions, self.initial))
        unfinished = f", {self.unfinished} of them stopped by max_steps" * bool(self.unfinished)
        return (
            f"<Bootstrap: {counted(self.repetitions, 'repetition')}{unfinished}, {100 * self.level:g} % intervals, "
            f"the widest of an entry {widest:.3g}\n  {self.acceptor!r}>"
        )

    def _interval(self, draws: Floats) -> Interval:
        tail = (1.0 - self.level) / 2.0
        return Interval(*np.quantile(draws, (tail, 1.0 - tail), axis=0))


def bootstrap(
    acceptor: Acceptor,
    sample: AnySample,
    repetitions: int = REPETITIONS,
    words: Words | None = None,
    level: float = 0.95,
    *,
    learn_initial: bool = True,
    prior: ArrayLike = 0.0,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    threads: int | None = None,
    rng: np.random.Generator | int = 0,
    engine: Engine | None = None,
) -> Bootstrap:
    r"""Percentile intervals for every entry, and for the acceptance of words, by fitting to resampled observations.

    .. math:: u^* \sim \text{Multinomial}(N, u / N), \qquad
        \left[\hat q_{(1-level)/2}(\theta^*), \hat q_{(1+level)/2}(\theta^*)\right]

    Parameters
    ----------
    acceptor : where the climbs begin. Its zero entries stay zero, its final states are kept.
    sample : the observations. N of them (the whole number nearest to the sum of counts) are drawn again, in proportion
        to their counts, which should be those of independent observations. Of a sample in shards, 200,000 distinct
        observations are resampled: with more, the intervals are too wide.
    repetitions : number of resamples, some hundreds for the usual levels.
    words : words whose acceptance gets an interval; ``Bootstrap.of`` has it for further words.
    level : coverage, between 0 and 1.
    learn_initial : whether the initial distribution is estimated too; a start that is sure stays so.
    prior, tolerance, max_steps : as of :func:`baum_welch`; give the prior that the acceptor was learned with.
    threads, rng, engine : as of :func:`learn`.

    Notes
    -----
    The acceptor is first fitted to the whole sample (one from :func:`learn` was stopped early on purpose). Each
    repetition climbs, accelerated, from that estimate with a twentieth of each row spread over its entries, so states
    keep their names and entries near 0 can come back. Cost: one climb per repetition. What the sample does not
    determine moves little or at random: trust the intervals of acceptances there, not those of entries;
    :func:`standard_errors` says where.

    Examples
    --------
    >>> coin = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})
    >>> sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[70, 30])
    >>> trust = cp.bootstrap(coin, sample, repetitions=100, words=["f"])
    >>> [round(float(end), 2) for (end,) in trust.acceptances]
    [0.6, 0.79]
    """
    check_acceptor(acceptor)
    check_arguments(sample, threads, engine)
    sample = searched_part(sample, acceptor.alphabet, engine)
    whole_number("repetitions", repetitions, least=2)
    if isinstance(level, bool) or not (isinstance(level, int | float) and 0.0 < level < 1.0):
        raise InvalidArgument(f"level must be a number between 0 and 1, such as 0.95; got {shown(level)}.")
    check_evidence(sample)
    if not LEAST_TOTAL <= sample.total <= MOST_OBSERVATIONS:
        kind = InvalidArgument if sample.total < LEAST_TOTAL else TooLarge
        found = f"got {sample.total:g}. Scale the counts to the number of observations."
        raise kind(f"resampling needs at least {LEAST_TOTAL} and at most 2^53 observations; {found}")
    entries = acceptor.transitions.size
    if repetitions * entries > MOST_NUMBERS:
        raise TooLarge(
            f"{counted(repetitions, 'repetition')} of {counted(entries, 'entry')} exceed the limit of "
            f"{MOST_NUMBERS:,} numbers. Ask for fewer repetitions."
        )
    MStep.of(acceptor, prior)  # refuses a prior that does not fit
    asked = _plain_words(acceptor, words)
    climb = partial(baum_welch, learn_initial=learn_initial, accelerate=True, engine=engine)
    fitted = partial(climb, tolerance=tolerance, max_steps=max_steps, prior=prior)
    estimate = finished(fitted(acceptor, sample, threads=threads))
    start = _stirred(estimate.acceptor, acceptor, learn_initial)
    seed = int(random_generator(rng).integers(2**63))
    size = round(sample.total)
    shares = sample.counts / sample.total

    def repetition(k: int) -> Fit:
        drawn = np.random.default_rng([seed, k]).multinomial(size, shares)
        return fitted(start, sample.reweighted(drawn.astype(np.float64) * (sample.total / size)), threads=1)

    fits = mapped(repetition, range(repetitions), threads)
    transitions = np.stack([fit.acceptor.transitions for fit in fits])
    initial = np.stack([fit.acceptor.initial for fit in fits])
    draws = transitions, initial, _acceptances(acceptor, transitions, initial, asked)
    unfinished = sum(fit.stop is Stop.STEP_LIMIT for fit in fits)
    return Bootstrap(estimate.acceptor, float(level), asked, *draws, unfinished)


def _stirred(estimate: Acceptor, given: Acceptor, learn_initial: bool) -> Acceptor:
    """Estimate with a share of each row spread evenly over the entries that the given acceptor has."""

    def spread(rows: Floats, positive: NDArray[np.bool_]) -> Floats:
        entries = positive.sum(axis=-1, keepdims=True)
        mixed = (1.0 - STIRRED) * rows + STIRRED * positive / entries
        return np.where(entries > 1, mixed, rows)  # in a row of one entry nothing was estimated: it keeps its bits

    initial = spread(estimate.initial, given.initial > 0.0) if learn_initial else estimate.initial
    return estimate.replace(transitions=spread(estimate.transitions, given.transitions > 0.0), initial=initial)


def _acceptances(acceptor: Acceptor, transitions: Floats, initial: Floats, words: Words) -> Floats:
    """Acceptance of words under every repetition, ``[k, word]``."""
    draws = zip(transitions, initial, strict=True)
    return np.stack([acceptor.replace(transitions=rows, initial=start).acceptances(words) for rows, start in draws])


# -- Curvature ---------------------------------------------------------------------------------------------------------

STEP = 1e-3  # of the differences, relative to the smaller of the two entries that it moves; the error is its 4th power
SEEN_SHARE = 1e-5  # a direction of which a smaller share of the complete data's information was seen is not determined
BENT_SHARE = -1e-3  # a share below this is no rounding on flat ground: the log-likelihood rises there
NEAR = 0.01  # largest gain in log-likelihood, doubled, that the curvature may promise at what counts as a maximum
ROUNDING = 1e-12  # derivatives of an acceptance that differ by less are equal
MOST_PARAMETERS = 4000
LOOSE_SHARE = 1e-3  # a quantity of which a larger share lies in directions not determined is not determined


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Free coordinates of an acceptor: the used entries of reached rows, but for the last of each row.

    Attributes
    ----------
    theta, counts : all rows of the acceptor and their expected counts, one below the other, the initial row last.
    used : entries with an expected count of at least a half, in rows that are not fixed.
    unreached : rows with several positive entries and an expected count below a half: nothing is known of them.
    boundary : entries of reached rows that are positive, yet hardly used: at the boundary, as good as 0.
    row, column, last : place of each free coordinate, and the column of the entry that gives way to it.
    """

    theta: Floats
    counts: Floats
    used: Bools
    unreached: Bools
    boundary: Bools
    row: Places
    column: Places
    last: Places

    @classmethod
    def of(cls, parameters: Parameters, counts: Counts, learn_initial: bool) -> Self:
        """Coordinates at some parameters, given the E-step there."""
        theta, v = stacked(*parameters), stacked(counts.transitions, counts.initial)
        kept = np.arange(len(theta)) < len(theta) - (not learn_initial)
        used, positive = used_entries(counts) & kept[:, None], theta > 0.0
        reached = used.any(axis=1)  # a row whose entries are each used less than half a time has nothing to hold on to
        unreached = kept & ~reached & (positive.sum(axis=1) > 1)
        boundary = positive & ~used & (kept & reached)[:, None]
        last = used.shape[1] - 1 - used[:, ::-1].argmax(axis=1)
        free = used.copy()
        free[np.arange(len(used)), last] = False
        row, column = np.nonzero(free)
        return cls(theta, v, used, unreached, boundary, row, column, last[row])

    def __len__(self) -> int:
        """Count the free coordinates."""
        return len(self.row)

    def parameters(self, theta: Floats) -> Parameters:
        """Rows as transitions and initial distribution."""
        size = theta.shape[1]
        return Parameters(np.ascontiguousarray(theta[:-1]).reshape(-1, size, size), theta[-1])

    def moved(self, k: int, step: float) -> Floats:
        """Rows with coordinate k larger, and the last entry of its row smaller, by a step."""
        theta = self.theta.copy()
        theta[self.row[k], self.column[k]] += step
        theta[self.row[k], self.last[k]] -= step
        return theta

    def pulled(self, gradient: Floats) -> Floats:
        """Gradient in free coordinates of a function with this gradient in all entries."""
        difference = gradient[..., self.row, self.column] - gradient[..., self.row, self.last]
        return np.ascontiguousarray(difference)

    def score(self, theta: Floats, counts: Floats) -> Floats:
        r"""Gradient of the log-likelihood, :math:`v_j / \theta_j - v_{last} / \theta_{last}` (Fisher's identity)."""
        return self.pulled(np.divide(counts, theta, out=np.zeros_like(theta), where=self.used))

    def spread(self) -> Floats:
        r"""Root B of the covariance that complete data would give: :math:`B B^T = (D_\theta - \theta\theta^T) / N`."""
        root = np.zeros((len(self), len(self)))
        for row in np.unique(self.row):
            own = np.flatnonzero(self.row == row)
            theta = self.theta[row, self.column[own]]
            mass = self.theta[row, self.used[row]].sum()
            covariance = (np.diag(theta) - np.outer(theta, theta) / mass) / self.counts[row].sum()
            root[np.ix_(own, own)] = np.linalg.cholesky(covariance)
        return root


def information(coordinates: Coordinates, e_step: Callable[[Parameters], Counts], threads: int | None) -> Floats:
    """Minus the Hessian of the log-likelihood: central differences of the exact score, four E-steps a coordinate."""

    def column(k: int) -> Floats:
        pair = coordinates.theta[coordinates.row[k], [coordinates.column[k], coordinates.last[k]]]
        step = STEP * float(pair.min())
        total = np.zeros(len(coordinates))
        for times, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
            theta = coordinates.moved(k, times * step)
            counts = e_step(coordinates.parameters(theta))
            total += weight * coordinates.score(theta, stacked(counts.transitions, counts.initial))
        return -total / (12.0 * step)

    columns = mapped(column, range(len(coordinates)), threads)
    matrix = np.array(columns).reshape(len(coordinates), len(coordinates))
    return (matrix + matrix.T) / 2.0


@dataclass(frozen=True, eq=False)
class Curvature:
    r"""Observed information beside that of complete data: eigenvalues are the shares of information that were seen.

    With :math:`B B^T` the covariance that complete data would give and :math:`B^T I B = Q \Lambda Q^T`, the covariance
    is :math:`B Q \Lambda^{-1} Q^T B^T`; where an eigenvalue is (nearly) 0, a direction is not determined.

    Attributes
    ----------
    shares : the eigenvalues, rising.
    directions : the matrix :math:`B Q`.
    """

    shares: Floats
    directions: Floats

    @property
    def determined(self) -> Bools:
        """Directions that the sample determines."""
        return np.asarray(self.shares > SEEN_SHARE)

    def variance(self, gradients: Floats) -> Floats:
        """Variance of quantities with these gradients, one per row; infinite where the sample does not determine it."""
        parts = (gradients @ self.directions) ** 2
        seen = self.determined
        loose = parts[:, ~seen].sum(axis=1) > LOOSE_SHARE**2 * parts.sum(axis=1)
        return np.where(loose, np.inf, (parts[:, seen] / self.shares[seen]).sum(axis=1))


class Information(Enum):
    """What the curvature of the log-likelihood says; the value is the explanation."""

    REGULAR = "regular: the information matrix is positive definite, and no estimated entry is near 0."
    BOUNDARY = (
        "boundary: some positive entries are used less than half a time in expectation. Their standard error is "
        "infinite; the others' are as if these were known to be 0. Ask bootstrap(...) too."
    )
    SINGULAR = (
        "singular: the sample does not determine all entries. Those that could change without changing the likelihood "
        "have an infinite standard error, and so have the words that they matter for; the others' are valid."
    )
    NOT_MAXIMUM = (
        "not a maximum: the log-likelihood can still rise here, so its curvature says nothing about errors. Climb on "
        "without a prior: baum_welch(acceptor, sample, learn_initial=True, accelerate=True, tolerance=1e-12, "
        "max_steps=100_000). If the initial distribution was not learned, pass learn_initial=False. Or ask "
        "bootstrap(...), which needs no maximum."
    )

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False, repr=False)
class StandardErrors:
    """Result of :func:`standard_errors`.

    Attributes
    ----------
    acceptor, words : the estimate, and the words asked about.
    outcome : an :class:`Information`; ``print(errors.outcome)`` explains it.
    transitions, initial : standard errors of the entries, ``[a, s, t]`` and ``[s]``: 0 where nothing was estimated
        (an entry that is 0, or alone in its row), infinite where the sample does not determine the entry. These and
        ``acceptances`` are None if not at a maximum.
    """

    acceptor: Acceptor
    words: tuple[PlainWord, ...]
    outcome: Information
    transitions: Floats | None
    initial: Floats | None
    _coordinates: Coordinates
    _curvature: Curvature

    @cached_property
    def acceptances(self) -> Floats | None:
        """Standard errors of the acceptance of the words asked about."""
        return self.of(self.words)

    @property
    def shares(self) -> Floats:
        """Share of the complete data's information that was seen in each direction, rising; near 0, EM is slow."""
        return self._curvature.shares

    @property
    def boundary(self) -> tuple[tuple[Symbol | State, ...], ...]:
        """Entries held fixed, positive yet hardly used: (symbol, state, next state), or (state,) of the initial row."""
        symbols, states = self.acceptor.alphabet, self.acceptor.states
        cells = [(*divmod(row, len(states)), t) for row, t in np.argwhere(self._coordinates.boundary).tolist()]
        return tuple((symbols[a], states[s], states[t]) if a < len(symbols) else (states[t],) for a, s, t in cells)

    def transition(self, symbol: Symbol, before: State, after: State) -> float | None:
        """Standard error of one transition probability, by name."""
        entry = _entry(self.acceptor, symbol, before, after)
        return None if self.transitions is None else float(self.transitions[entry])

    def of(self, words: Words) -> Floats | None:
        """Standard errors of the acceptance of words by the delta method; infinite where an unreached row matters."""
        if self.outcome is Information.NOT_MAXIMUM:
            return None
        at = self._coordinates
        each = [_acceptance_gradient(self.acceptor, word) for word in each_word(words)]
        gradients = np.array(each).reshape(len(each), *at.theta.shape)
        rows = np.where(at.theta > 0.0, gradients, np.nan)[:, at.unreached]
        unknown = (np.nanmax(rows, axis=2) - np.nanmin(rows, axis=2) > ROUNDING).any(axis=1)
        return np.where(unknown, np.inf, np.sqrt(self._curvature.variance(at.pulled(gradients))))

    def table(self, digits: int = 4) -> str:
        """Entries that were estimated, and words, with their standard errors, as plain text."""
        if self.transitions is None or self.initial is None or self.acceptances is None:
            return str(self.outcome)
        columns, write = {"±": (self.transitions, self.initial, self.acceptances)}, f"{{:.{digits}f}}".format
        return _table(self.acceptor, self.words, columns, lambda error: error > 0.0, write, digits)

    def __repr__(self) -> str:
        smallest = f", least share of information seen {self.shares[0]:.3g}" if len(self.shares) else ""
        return (
            f"<StandardErrors: {counted(len(self._coordinates), 'free parameter')}{smallest}\n  {self.outcome}\n  "
            f"{self.acceptor!r}>"
        )


def standard_errors(
    acceptor: Acceptor,
    sample: AnySample,
    words: Words | None = None,
    *,
    learn_initial: bool = True,
    threads: int | None = None,
    engine: Engine | None = None,
) -> StandardErrors:
    r"""Standard errors of a maximum-likelihood estimate: of every entry, and of the acceptance of words.

    .. math:: \mathrm{Cov}(\hat\theta) = I^{-1}, \qquad
        I_{jk} = -\frac{\partial^2 \ell}{\partial\theta_j\, \partial\theta_k}, \qquad
        \mathrm{Var}(p_x) = \nabla p_x^T\, I^{-1}\, \nabla p_x

    Parameters
    ----------
    acceptor : a maximum of the likelihood, such as :func:`baum_welch` climbs to.
    sample : the observations it was fitted to.
    words : words whose acceptance gets one too; ``StandardErrors.of`` has it for further words.
    learn_initial : whether the initial distribution was estimated too.
    threads, engine : as of :func:`learn`.

    Notes
    -----
    The free coordinates are the entries with an expected count of at least a half, but for the last one of each row,
    which gives way so that rows sum to 1. The score in them is exact (Fisher's identity), and its central differences
    of fourth order give the Hessian to some ten digits. Cost: four E-steps per free coordinate, and :math:`O(k^3)` for
    k of them.

    The errors are those of large samples (beware below some hundred observations) and assume that the model is right.
    Three or more states of which only the ends' labels were seen are often not determined; acceptances of words are.

    Examples
    --------
    >>> coin = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})
    >>> sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[70, 30])
    >>> print(cp.assess.standard_errors(coin, sample, words=["f"]).table())
                estimate  ±
    f: 0 → 0    0.3       0.0458
    f: 0 → 1    0.7       0.0458
    f: 1 → 0    0.3       inf
    f: 1 → 1    0.7       inf
    'f'         0.7       0.0458
    """
    check_acceptor(acceptor)
    check_arguments(sample, threads, engine)
    acceptor = acceptor.to_dense()
    asked = _plain_words(acceptor, words)
    estimate = Parameters.of(acceptor)
    with observations(sample, acceptor.alphabet, engine, 1) as data:
        e_step = partial(data.expected_counts, masks=mark_masks(acceptor, sample))
        coordinates = Coordinates.of(estimate, e_step(estimate), learn_initial)
        if len(coordinates) > MOST_PARAMETERS:
            raise TooLarge(
                f"standard errors have a limit of {MOST_PARAMETERS:,} free parameters; got {len(coordinates):,}. Ask "
                "bootstrap(...) instead."
            )
        matrix, root = information(coordinates, e_step, threads), coordinates.spread()
    shares, turned = np.linalg.eigh(root.T @ matrix @ root)
    curvature = Curvature(shares, root @ turned)
    outcome = _outcome(coordinates, curvature)
    errors = None if outcome is Information.NOT_MAXIMUM else _entry_errors(coordinates, curvature)
    transitions, initial = errors or (None, None)
    return StandardErrors(acceptor, asked, outcome, transitions, initial, coordinates, curvature)


def _outcome(at: Coordinates, curvature: Curvature) -> Information:
    """What the curvature says, the worst first."""
    seen = curvature.determined
    pull = (at.score(at.theta, at.counts) @ curvature.directions) ** 2
    gain = float((pull[seen] / curvature.shares[seen]).sum() + pull[~seen].sum())
    if gain > NEAR or (curvature.shares < BENT_SHARE).any():
        return Information.NOT_MAXIMUM
    if not seen.all() or at.unreached.any():
        return Information.SINGULAR
    return Information.BOUNDARY if at.boundary.any() else Information.REGULAR


def _entry_errors(at: Coordinates, curvature: Curvature) -> Parameters:
    """Standard error of each entry."""
    errors = np.zeros_like(at.theta)
    errors[at.row, at.column] = np.sqrt(curvature.variance(np.eye(len(at))))
    for row in np.unique(at.row):
        own = at.row == row
        errors[row, at.last[own][0]] = np.sqrt(curvature.variance(-own.astype(np.float64)[None])[0])
    errors[at.boundary | (at.unreached[:, None] & (at.theta > 0.0))] = np.inf
    return at.parameters(errors)


def _acceptance_gradient(acceptor: Acceptor, word: Word) -> Floats:
    """Derivatives of a word's acceptance with respect to all entries, in the order of all rows."""
    before, after = acceptor.forward(word), acceptor.backward(word, accepted=True)
    steps = np.zeros_like(acceptor.transitions)
    for i, a in enumerate(acceptor.alphabet.encode_word(word)):
        steps[a] += np.outer(before[i], after[i + 1])
    return stacked(steps, after[0])
