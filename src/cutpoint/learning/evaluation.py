"""evaluate: how well an acceptor foretells observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.names import counted
from cutpoint.exact import cut_point_value
from cutpoint.learning.e_step import log_likelihood
from cutpoint.learning.evidence import check_sample
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor

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
