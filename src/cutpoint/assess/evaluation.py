"""evaluate: how well an acceptor foretells observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.marks import ACCEPTED, FIRST_MARKS, REJECTED
from cutpoint.em.observations import check_sample, log_likelihood
from cutpoint.exact import cut_point_value
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.search.folds import splits
from cutpoint.wording import counted

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How well an acceptor foretells a sample.

    Attributes
    ----------
    log_loss : mean of -log p over what was seen, in nats; infinite if something seen has probability 0.
    accuracy : share of the verdicts on words told right at the cut point; None if there are none.
    auc : probability that an accepted word has a higher acceptance than a rejected one, equal ones counted half; None
        without both kinds.
    cut_point : words with more than this acceptance are taken to be accepted.
    total : observations, counted with their weights.
    """

    log_loss: float
    accuracy: float | None
    auc: float | None
    cut_point: float
    total: float

    def __repr__(self) -> str:
        named = [("log loss", self.log_loss), ("AUC", self.auc), (f"accuracy at {self.cut_point:g}", self.accuracy)]
        told = ", ".join(f"{name} {value:.4f}" for name, value in named if value is not None)
        return f"<Evaluation of {counted(self.total, 'observation')}: {told}>"


def evaluate(acceptor: Acceptor, sample: Sample, cut_point: Any = 0.5) -> Evaluation:
    """Judge an acceptor, as it is, by a sample that it did not learn from.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 1000, (1, 6), rng=1), rng=2)
    >>> evaluate(cp.p_adic(2), sample)
    <Evaluation of 1000 observations: log loss 0.4702, AUC 0.8403, accuracy at 0.5 0.7310>
    """
    check_acceptor(acceptor)
    check_sample(sample)
    cut = float(cut_point_value(cut_point))
    same = sample.recoded(acceptor.alphabet)
    loss, total = -log_likelihood(acceptor, same) / same.total, float(same.total)
    told = same.ends > 0
    if not told.any():
        return Evaluation(loss, None, None, cut, total)
    values, weights, accepted = acceptor.acceptances(same)[told], same.counts[told], same.ends[told] == 1
    right = weights[(values > cut) == accepted].sum() / weights.sum()
    return Evaluation(loss, float(right), area_under_curve(values, accepted, weights), cut, total)


def area_under_curve(values: Floats, accepted: NDArray[np.bool_], weights: Floats) -> float | None:
    """Probability that an accepted one has the higher value, equal ones counted half; None without both kinds."""
    distinct, place = np.unique(values, return_inverse=True)
    weights = np.ldexp(weights, -int(np.frexp(weights.max(initial=1.0))[1]))  # products of counts stay in range
    above = np.bincount(place, weights * accepted, minlength=len(distinct))
    below = np.bincount(place, weights * ~accepted, minlength=len(distinct))
    if not (above.any() and below.any()):
        return None
    lower = np.cumsum(below) - 0.5 * below
    return float((above * lower).sum() / (above.sum() * below.sum()))


ENOUGH = 20
"""With fewer words of either class nothing could be clearly better than 1/2."""

CLEARLY = 3.0
"""Standard errors by which a cut point must beat 1/2."""

HUNDREDTHS = np.array(sorted(range(1, 100), key=lambda k: abs(k - 50))) / 100.0
"""Cut points to choose from, the nearest to 1/2 first."""


def chosen_cut_point(sample: Sample, learned: Callable[[Sample], Acceptor], rng: np.random.Generator) -> float:
    """Cut point of highest accuracy on words not learned from: each half is scored by what the other half taught."""
    accepted, rejected = (sample.ends == FIRST_MARKS.index(mark) for mark in (ACCEPTED, REJECTED))
    if min(sample.counts[accepted].sum(), sample.counts[rejected].sum()) < ENOUGH:
        return 0.5
    halves = splits(sample, 2, rng)
    scores = np.concatenate([learned(half.training).acceptances(half.validation) for half in halves])
    labels = np.concatenate([half.validation.ends == FIRST_MARKS.index(ACCEPTED) for half in halves])
    return best_cut_point(scores, labels, np.concatenate([half.validation.counts for half in halves]))


def best_cut_point(scores: NDArray[np.float64], accepted: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
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
    for cut_point in HUNDREDTHS.tolist():
        changed = (scores > cut_point) != (scores > 0.5)
        right = changed & ((scores > cut_point) == accepted)
        total = float(weights[changed].sum())
        gain = 2.0 * float(weights[right].sum()) - total
        if gain > most and gain > CLEARLY * total**0.5:
            best, most = cut_point, gain
    return best
