"""bootstrap: how much an estimate would change with another sample of the same kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import PlainWord, Sample, State, Symbol, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.baum_welch import MAX_STEPS, TOLERANCE, baum_welch
from cutpoint.em.fit import Fit, Stop
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import check_evidence, check_sample, check_threads
from cutpoint.errors import ImpossibleObservation, InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.model.text import aligned, number
from cutpoint.search.workers import mapped
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]

LEAST_TOTAL = 2
"""Fewest observations that can be resampled."""

REPETITIONS = 200

STIRRED = 0.05
"""Share of the estimate that is spread over its row before each repetition, so that entries near 0 can come back."""

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
    transitions, initial : intervals of every entry, as arrays ``[a, s, t]`` and ``[s]``.
    words, acceptances : the words asked about, and intervals of their acceptance, in their order.
    transition_draws, initial_draws : entries in every repetition, ``[k, a, s, t]`` and ``[k, s]``.
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
        a, (s, t) = self.acceptor.alphabet.code(symbol), map(self.acceptor.states.code, (before, after))
        low, high = self._interval(self.transition_draws[:, a, s, t])
        return float(low), float(high)

    def of(self, words: Words) -> Interval:
        """Intervals of the acceptance of further words."""
        return self._interval(_acceptances(self.acceptor, self.transition_draws, self.initial_draws, words))

    def table(self, digits: int = 4) -> str:
        """Entries that are not the same in all repetitions, and words, with estimate and interval, as plain text."""
        lines = [["", "estimate", "low", "high"]]
        low, high = self.initial
        names = [f"starts in {state}" for state in self.acceptor.states]
        cells = list(zip(names, self.acceptor.initial, low, high, strict=True))
        low, high = self.transitions
        for (a, s, t), value in np.ndenumerate(self.acceptor.transitions):
            name = f"{self.acceptor.alphabet[a]}: {self.acceptor.states[s]} → {self.acceptor.states[t]}"
            cells.append((name, value, low[a, s, t], high[a, s, t]))
        cells = [cell for cell in cells if cell[2] < cell[3]]
        if self.words:
            estimates = self.acceptor.acceptances(self.words)
            cells += zip(map(shown, self.words), estimates, *self.acceptances, strict=True)
        lines += [[name, *(number(value, digits) for value in values)] for name, *values in cells]
        return "\n".join(line.rstrip() for line in aligned(lines))

    def __repr__(self) -> str:
        widest = max((float((high - low).max()) for low, high in (self.transitions, self.initial)), default=0.0)
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
    sample: Sample,
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
) -> Bootstrap:
    r"""Percentile intervals for every entry, and for the acceptance of words, by fitting to resampled observations.

    .. math:: u^* \sim \text{Multinomial}(N, u / N), \qquad
        \left[\hat q_{(1-level)/2}(\theta^*), \hat q_{(1+level)/2}(\theta^*)\right]

    Parameters
    ----------
    acceptor : where the climbs begin. Its zero entries stay zero, its final states are kept.
    sample : the observations. N of them are drawn again, in proportion to their counts. If the counts do not sum to a
        whole number, N is the nearest one and the drawn counts are scaled to the same sum; weights that are not counts
        of independent observations make the intervals too narrow or too wide.
    repetitions : number of resamples, some hundreds for the usual levels.
    words : words whose acceptance gets an interval; ``Bootstrap.of`` tells it for further words.
    level : coverage, between 0 and 1.
    learn_initial : whether the initial distribution is estimated too; a start that is sure stays so.
    prior, tolerance, max_steps : as of :func:`baum_welch`; give the prior that the acceptor was learned with.
    threads : number of threads, all cores unless told; the result does not depend on it.
    rng : seed or generator; same seed, same result.

    Returns
    -------
    A :class:`Bootstrap`.

    Notes
    -----
    The acceptor is first fitted to the whole sample. Each repetition climbs, accelerated, from that estimate with a
    twentieth of each row spread over its entries, so states keep their names and entries near 0 can come back. Cost:
    one climb per repetition. What the sample does not determine (three or more states of which only the ends' labels
    are seen can often be turned into others of the same behavior) moves little or at random along flat directions:
    trust the intervals of acceptances there, not those of entries; :func:`standard_errors` tells. An acceptor from
    :func:`learn` was stopped early on purpose; the estimate here is the maximum nearby.

    Examples
    --------
    >>> import cutpoint as cp
    >>> coin = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})
    >>> sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[70, 30])
    >>> trust = cp.bootstrap(coin, sample, repetitions=100, words=["f"])
    >>> [round(float(end), 2) for (end,) in trust.acceptances]
    [0.6, 0.79]
    """
    check_acceptor(acceptor)
    check_sample(sample)
    check_threads(threads)
    _check_options(acceptor, sample, repetitions, level)
    if sample.total < LEAST_TOTAL:
        raise InvalidArgument(
            f"resampling needs at least {LEAST_TOTAL} observations; got {counted(sample.total, 'observation')}. Give "
            "counts that say how often each observation was seen."
        )
    MStep.of(acceptor, prior)  # refuses a prior that does not fit
    asked = tuple(
        acceptor.alphabet.decode(acceptor.alphabet.encode_word(word))
        for word in each_word(() if words is None else words)
    )
    sample = sample.recoded(acceptor.alphabet)
    fitted = partial(
        baum_welch,
        tolerance=tolerance,
        max_steps=max_steps,
        prior=prior,
        learn_initial=learn_initial,
        accelerate=True,
    )
    estimate = fitted(acceptor, sample, threads=threads)
    if estimate.stop is Stop.IMPOSSIBLE:
        raise ImpossibleObservation(estimate.detail)
    if estimate.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    start = _stirred(estimate.acceptor, acceptor, learn_initial)
    seed = int(random_generator(rng).integers(2**63))
    size = max(1, round(sample.total))
    shares = sample.counts / sample.total

    def repetition(k: int) -> Fit:
        drawn = np.random.default_rng([seed, k]).multinomial(size, shares)
        return fitted(start, sample.reweighted(drawn.astype(np.float64) * (sample.total / size)), threads=1)

    fits = mapped(repetition, range(repetitions), threads)
    transitions = np.stack([fit.acceptor.transitions for fit in fits])
    initial = np.stack([fit.acceptor.initial for fit in fits])
    return Bootstrap(
        estimate.acceptor,
        float(level),
        asked,
        transitions,
        initial,
        _acceptances(acceptor, transitions, initial, asked),
        sum(fit.stop is Stop.STEP_LIMIT for fit in fits),
    )


def _check_options(acceptor: Acceptor, sample: Sample, repetitions: int, level: float) -> None:
    whole_number("repetitions", repetitions, least=2)
    if isinstance(level, bool) or not (isinstance(level, int | float) and 0.0 < level < 1.0):
        raise InvalidArgument(f"level must be a number between 0 and 1, such as 0.95; got {shown(level)}.")
    check_evidence(sample)
    if sample.total > MOST_OBSERVATIONS:
        raise TooLarge(
            f"resampling takes at most 2^53 observations; got {sample.total:g}. Scale the counts to the number of "
            "observations."
        )
    entries = repetitions * acceptor.transitions.size
    if entries > MOST_NUMBERS:
        raise TooLarge(
            f"{counted(repetitions, 'repetition')} of {counted(acceptor.transitions.size, 'entry')} are "
            f"{counted(entries, 'number')}; at most {MOST_NUMBERS:,} are kept. Ask for fewer repetitions."
        )


def _stirred(estimate: Acceptor, given: Acceptor, learn_initial: bool) -> Acceptor:
    """Estimate with a share of each row spread evenly over the entries that the given acceptor has."""

    def spread(rows: Floats, positive: NDArray[np.bool_]) -> Floats:
        mixed: Floats = (1.0 - STIRRED) * rows + STIRRED * positive / positive.sum(axis=-1, keepdims=True)
        # Where a row has one entry, or is as it was, nothing was estimated: it keeps its bits.
        return np.where(positive.sum(axis=-1, keepdims=True) > 1, mixed, rows)

    initial = spread(estimate.initial, given.initial > 0.0) if learn_initial else estimate.initial
    return estimate.replace(transitions=spread(estimate.transitions, given.transitions > 0.0), initial=initial)


def _acceptances(acceptor: Acceptor, transitions: Floats, initial: Floats, words: Words) -> Floats:
    """Acceptance of words under every repetition, ``[k, word]``."""
    draws = zip(transitions, initial, strict=True)
    rows = [acceptor.replace(transitions=rows, initial=start).acceptances(words) for rows, start in draws]
    return np.stack(rows)
