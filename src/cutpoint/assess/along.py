"""losses_along: how well cases are predicted while they go on, after each number of events."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.assess.evaluation import NO_OUTCOMES
from cutpoint.data import Sample
from cutpoint.em.observations import check_evidence
from cutpoint.errors import InvalidArgument
from cutpoint.kernels.words import Floats


class LossesAlong(NamedTuple):
    """Result of :func:`losses_along`, for each number of events seen: how many cases have so many, and the log loss."""

    events: NDArray[np.int64]
    cases: Floats
    losses: Floats


def losses_along(predict: Callable[[Sample], ArrayLike], sample: Sample) -> LossesAlong:
    r"""Log loss of predictions of the eventual outcome after 0, 1, 2, … events of each case.

    .. math:: \text{loss}_k = -\frac{1}{N_k} \sum_{r:\, n_r \ge k} u_r \log p(\text{outcome}_r \mid x_1 \dots x_k),
        \qquad N_k = \sum_{r:\, n_r \ge k} u_r

    Parameters
    ----------
    predict : what gives a probability for each distinct word of a sample of prefixes: ``A.acceptances`` of an acceptor
        learned from prefixes, ``Forecaster(A, G).forecasts`` of an acceptor and a law of inputs, or a function.
    sample : cases with outcomes; those without do not count.

    Notes
    -----
    A loss is infinite where an outcome happened that had probability 0. Cost: one prediction for each distinct prefix.

    Examples
    --------
    >>> cases = cp.Sample(["10", "1", "00"], accepted=[True, True, False])
    >>> along = cp.assess.losses_along(cp.p_adic(2).acceptances, cases)
    >>> along.events.tolist(), along.cases.tolist(), along.losses.round(2).tolist()
    ([0, 1, 2], [3.0, 3.0, 2.0], [inf, 0.46, 0.69])
    """
    check_evidence(sample, NO_OUTCOMES)
    prefixes = sample.prefixes("prefix")
    judged = np.flatnonzero(prefixes.ends)
    values = np.asarray(predict(prefixes), dtype=np.float64)
    if values.shape != (len(prefixes),):
        what = f"must give one probability for each of {len(prefixes):,} distinct prefixes; got shape {values.shape}."
        raise InvalidArgument(what, argument="predict")
    lengths, weights = prefixes.lengths[judged], prefixes.counts[judged]
    with np.errstate(divide="ignore"):
        costs = -np.log(np.where(prefixes.ends == 1, values, 1.0 - values)[judged])
    cases = np.bincount(lengths, weights).astype(np.float64)
    return LossesAlong(np.arange(len(cases)), cases, np.bincount(lengths, weights * costs) / cases)
