"""Calibration: whether words with a predicted probability were accepted that often."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.errors import InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.wording import shown

Floats = NDArray[np.float64]

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
