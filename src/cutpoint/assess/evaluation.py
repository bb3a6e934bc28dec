"""How well an acceptor predicts: evaluate, the best cut point on words not learned from, the effect of each symbol."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample, Symbol
from cutpoint.data.marks import ACCEPTED, FIRST_MARKS, REJECTED
from cutpoint.em.baum_welch import check_time_limit
from cutpoint.em.observations import (
    AnySample,
    Engine,
    acceptances_by_shard,
    check_any_sample,
    check_sample,
    log_likelihood,
)
from cutpoint.errors import ImpossibleObservation, InvalidArgument, InvalidSample
from cutpoint.exact import cut_point_value
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.search.folds import splits
from cutpoint.search.learn import learn
from cutpoint.search.learned import Learned, finished
from cutpoint.wording import counted

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How well an acceptor predicts a sample.

    Attributes
    ----------
    log_loss : mean of -log p over what was seen, in nats; infinite if something seen has probability 0.
    accuracy : share of the verdicts on words predicted right at the cut point; None if there are none.
    auc : probability that an accepted word has a higher acceptance than a rejected one, equal ones counted half; None
        without both kinds.
    cut_point : words with more than this acceptance are predicted to be accepted.
    total : observations, counted with their weights.
    """

    log_loss: float
    accuracy: float | None
    auc: float | None
    cut_point: float
    total: float

    def __repr__(self) -> str:
        named = [("log loss", self.log_loss), ("AUC", self.auc), (f"accuracy at {self.cut_point:g}", self.accuracy)]
        figures = ", ".join(f"{name} {value:.4f}" for name, value in named if value is not None)
        return f"<Evaluation of {counted(self.total, 'observation')}: {figures}>"


def evaluate(
    acceptor: Acceptor, sample: AnySample, cut_point: Any = 0.5, *, engine: Engine | None = None
) -> Evaluation:
    """Judge an acceptor, as it is, by a sample that it did not learn from, in memory or in shards.

    Examples
    --------
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 1000, (1, 6), rng=1), rng=2)
    >>> evaluate(cp.p_adic(2), sample)
    <Evaluation of 1000 observations: log loss 0.4702, AUC 0.8403, accuracy at 0.5 0.7310>
    """
    check_acceptor(acceptor)
    check_any_sample(sample)
    cut = float(cut_point_value(cut_point))
    loss, total = -log_likelihood(acceptor, sample, engine=engine) / sample.total, float(sample.total)
    values, accepted, weights = judged_words(acceptor, sample, engine)
    if not len(values):
        return Evaluation(loss, None, None, cut, total)
    right = weights[(values > cut) == accepted].sum() / weights.sum()
    return Evaluation(loss, float(right), area_under_curve(values, accepted, weights), cut, total)


def judged_words(acceptor: Acceptor, sample: AnySample, engine: Engine | None = None) -> tuple[Floats, Bools, Floats]:
    """Acceptance of every word with a verdict, whether it was accepted, and its weight."""
    columns = [
        (values[part.ends > 0], part.ends[part.ends > 0] == 1, part.counts[part.ends > 0])
        for part, values in acceptances_by_shard(acceptor, sample, engine=engine)
    ]
    values, accepted, weights = map(np.concatenate, zip(*columns, strict=True))
    return values, accepted, weights


def area_under_curve(values: Floats, accepted: Bools, weights: Floats) -> float | None:
    """Probability that an accepted one has the higher value, equal ones counted half; None without both kinds."""
    distinct, place = np.unique(values, return_inverse=True)
    weights = np.ldexp(weights, -int(np.frexp(weights.max(initial=1.0))[1]))  # products of counts stay in range
    above = np.bincount(place, weights * accepted, minlength=len(distinct))
    below = np.bincount(place, weights * ~accepted, minlength=len(distinct))
    if not (above.any() and below.any()):
        return None
    lower = np.cumsum(below) - 0.5 * below
    return float((above * lower).sum() / (above.sum() * below.sum()))


# -- The best cut point ------------------------------------------------------------------------------------------------

ENOUGH = 20  # with fewer words of either outcome nothing could be clearly better than 1/2
CLEARLY = 3.0  # standard errors by which a cut point must beat 1/2
SHARE_OF_TIME = 0.75  # share of a time limit for the search itself; the choice of the cut point takes the rest


class CutPointChoice(NamedTuple):
    """A cut point, and why it was chosen."""

    cut_point: float
    reason: str


def search_time(time_limit: float | None) -> float | None:
    """The part of a time limit that is left for the search if the cut point is chosen afterwards."""
    check_time_limit(time_limit)
    return None if time_limit is None else SHARE_OF_TIME * time_limit


def chosen_cut_point(
    fit: Learned, sample: Sample, seed: int, time_limit: float | None = None, **options: Any
) -> CutPointChoice:
    """Cut point for what a search found in a sample: of highest accuracy on words not learned from.

    Two more searches with as many states, each on half of the words, score the other half. It stays 1/2 unless another
    is clearly better. ``options`` are those of :func:`learn`; the halves take a quarter of the time limit.
    """
    if time_limit is not None:
        options["time_limit"] = (1.0 - SHARE_OF_TIME) / 2.0 * time_limit

    def learned(half: Sample) -> Acceptor:
        return finished(learn(half, fit.members[0].acceptor.n_states, team=2, folds=2, rng=seed, **options)).acceptor

    try:
        finished(fit)
        return cut_point_by_halves(sample, learned, np.random.default_rng([seed, 1]))
    except KeyboardInterrupt:
        return CutPointChoice(0.5, "the search was interrupted before another could be chosen")
    except (InvalidArgument, InvalidSample, ImpossibleObservation):
        return CutPointChoice(0.5, "half of the words are not enough to learn from and choose another")


def cut_point_by_halves(
    sample: Sample, learned: Callable[[Sample], Acceptor], rng: np.random.Generator
) -> CutPointChoice:
    """Cut point of highest accuracy where each half of a sample is scored by what the other half taught."""
    accepted, rejected = (sample.ends == FIRST_MARKS.index(mark) for mark in (ACCEPTED, REJECTED))
    if min(sample.counts[accepted].sum(), sample.counts[rejected].sum()) < ENOUGH:
        return CutPointChoice(0.5, f"fewer than {ENOUGH} words of one outcome are too few to choose another")
    halves = [judged_words(learned(half.training), half.validation) for half in splits(sample, 2, rng)]
    cut_point = best_cut_point(*map(np.concatenate, zip(*halves, strict=True)))
    reason = "no other is clearly better" if cut_point == 0.5 else "highest accuracy"
    return CutPointChoice(cut_point, f"{reason} on words not learned from")


def best_cut_point(scores: Floats, accepted: Bools, weights: Floats) -> float:
    r"""Hundredth of highest accuracy, or 1/2 unless the gain over it is more than three standard errors.

    If b words are put right by moving the cut point away from 1/2 and c words wrong, the gain is b - c and its
    standard error :math:`\sqrt{b + c}` (McNemar).

    Examples
    --------
    >>> scores = np.repeat([0.1, 0.3, 0.9], 100)
    >>> best_cut_point(scores, scores > 0.2, np.ones(300))
    0.29
    >>> best_cut_point(scores, np.arange(300) % 2 == 1, np.ones(300))
    0.5
    """
    best, most = 0.5, 0.0
    nearest_first = sorted(range(1, 100), key=lambda k: abs(k - 50))
    for cut_point in (k / 100.0 for k in nearest_first):
        changed = (scores > cut_point) != (scores > 0.5)
        right = changed & ((scores > cut_point) == accepted)
        total = float(weights[changed].sum())
        gain = 2.0 * float(weights[right].sum()) - total
        if gain > most and gain > CLEARLY * total**0.5:
            best, most = cut_point, gain
    return best


# -- The effect of symbols ---------------------------------------------------------------------------------------------

MOST_WORDS = 2000  # distinct words that are looked at, those with the largest counts


@dataclass(frozen=True)
class SymbolEffect:
    """What reading a symbol does to the acceptance of the word so far: how often, its mean change and mean size."""

    symbol: Symbol
    count: float
    change: float
    size: float


def symbol_effects(acceptor: Acceptor, sample: Sample) -> tuple[SymbolEffect, ...]:
    r"""Effect of each symbol of a sample, by the sum of all :math:`|p(x_1 … x_i) - p(x_1 … x_{i-1})|`, largest first.

    Examples
    --------
    >>> sample = cp.Sample(["0011", "0000"], accepted=[True, False])
    >>> [(each.symbol, each.count, round(each.size, 3)) for each in symbol_effects(cp.p_adic(2), sample)]
    [('1', 2.0, 0.375), ('0', 6.0, 0.0)]
    """
    check_acceptor(acceptor)
    check_sample(sample)
    same = sample.recoded(acceptor.alphabet)
    counts, changes, sizes = (np.zeros(acceptor.n_symbols) for _ in range(3))
    for r in np.argsort(-same.counts, kind="stable")[:MOST_WORDS].tolist():
        codes = same.decoded.word(r)
        prefixes = acceptor.forward(acceptor.alphabet.decode(codes))[:, acceptor.final].sum(axis=1)
        moves, weight = np.diff(prefixes), same.counts[r]
        np.add.at(counts, codes, weight)
        np.add.at(changes, codes, weight * moves)
        np.add.at(sizes, codes, weight * np.abs(moves))
    return tuple(
        SymbolEffect(acceptor.alphabet[a], float(counts[a]), float(changes[a] / counts[a]), float(sizes[a] / counts[a]))
        for a in np.argsort(-sizes, kind="stable").tolist()
        if counts[a] > 0
    )
