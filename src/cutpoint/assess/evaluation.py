"""How well an acceptor predicts: evaluate, the best cut point on words not learned from, the effect of each symbol."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Sample, Symbol
from cutpoint.em.observations import (
    AnySample,
    Engine,
    acceptances_by_shard,
    check_any_sample,
    check_sample,
    log_likelihood,
)
from cutpoint.errors import InvalidArgument
from cutpoint.exact import cut_point_value, whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.search.learned import Learned
from cutpoint.wording import counted, shown

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
    accuracy = float(weights[(values > cut) == accepted].sum() / weights.sum()) if len(values) else None
    return Evaluation(loss, accuracy, area_under_curve(values, accepted, weights), cut, total)


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


class CutPointChoice(NamedTuple):
    """A cut point, and why it was chosen."""

    cut_point: float
    reason: str


def chosen_cut_point(fit: Learned) -> CutPointChoice:
    """Cut point of highest accuracy on words not learned from: each fold is scored by the winner of the others.

    It stays 1/2 unless another is clearly better.
    """
    folds = [judged_words(acceptor, sample) for acceptor, sample in fit.held_out]
    scores, accepted, weights = map(np.concatenate, zip(*folds, strict=True))
    if min(weights[accepted].sum(), weights[~accepted].sum()) < ENOUGH:
        return CutPointChoice(0.5, f"fewer than {ENOUGH} words of one outcome are too few to choose another")
    cut_point = best_cut_point(scores, accepted, weights)
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


SIGMAS = 1.959963984540054  # half-width of a 95 % interval in standard deviations


@dataclass(frozen=True)
class Bin:
    """Words of similar probability: its mean, the share accepted, how many, and a 95 % interval of the share."""

    probability: float
    accepted: float
    count: float
    low: float
    high: float


def calibration(
    probabilities: ArrayLike, accepted: Sequence[Any] | NDArray[Any], counts: ArrayLike | None = None, bins: int = 10
) -> tuple[Bin, ...]:
    r"""Probabilities in bins of equal width beside what happened; empty bins are left out.

    With :math:`n` words in a bin and the share :math:`q` of them accepted, the interval is Wilson's,

    .. math:: \frac{q + z^2/2n \pm z \sqrt{q(1-q)/n + z^2/4n^2}}{1 + z^2/n}, \qquad z = 1.96

    which stays within 0 and 1 and is honest for few words.

    Parameters
    ----------
    probabilities : per word the predicted probability, as ``A.acceptances(words)`` gives it.
    accepted : per word True or False.
    counts : how often each was seen, by default once.
    bins : number of bins between 0 and 1.

    Examples
    --------
    >>> low, high = cp.assess.calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False], bins=2)
    >>> high.probability, high.accepted, high.count, round(high.low, 2), round(high.high, 2)
    (0.9, 0.5, 2.0, 0.09, 0.91)
    """
    predicted, seen, weights = _checked(probabilities, accepted, counts)
    number = whole_number("bins", bins, least=1, most=1000)
    place = np.minimum((predicted * number).astype(np.int64), number - 1)
    found = []
    for k in np.unique(place[weights > 0.0]).tolist():
        inside = place == k
        count = float(weights[inside].sum())
        share = float((weights * seen)[inside].sum()) / count
        mean = float((weights * predicted)[inside].sum()) / count
        found.append(Bin(mean, share, count, *_interval(share, count)))
    return tuple(found)


def _interval(share: float, count: float) -> tuple[float, float]:
    z2 = SIGMAS**2 / count
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2)
    return min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)


def _checked(probabilities: Any, accepted: Any, counts: Any) -> tuple[Floats, Floats, Floats]:
    try:
        predicted = np.asarray(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"probabilities must be numbers; got {shown(probabilities)}.") from None
    if predicted.ndim != 1 or not len(predicted):
        raise InvalidArgument(f"probabilities must be a sequence of one or more; got shape {predicted.shape}.")
    seen = list(accepted)
    for k in np.flatnonzero(~((predicted >= 0) & (predicted <= 1 + 1e-9))):
        raise InvalidArgument(f"probabilities must be between 0 and 1; number {k} is {predicted[k]}.")
    for r, value in enumerate(seen):
        if not isinstance(value, bool | np.bool_):
            raise InvalidArgument(f"accepted must be True or False for each word; number {r} is {shown(value)}.")
    weights = np.ones(len(predicted)) if counts is None else np.asarray(counts, dtype=np.float64)
    if not (len(seen) == len(predicted) and weights.shape == predicted.shape):
        sizes = f"{len(predicted)}, {len(seen)} and {weights.size}"
        raise InvalidArgument(f"there must be as many probabilities as verdicts and counts; got {sizes}.")
    if not (np.isfinite(weights) & (weights >= 0.0)).all() or not weights.any():
        raise InvalidArgument("counts must be finite, not negative, and not all 0.")
    return np.minimum(predicted, 1.0), np.array(seen, dtype=np.float64), weights
