"""The cut point for two classes, chosen by words that were not learned from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.marks import ACCEPTED, FIRST_MARKS, REJECTED
from cutpoint.learning.folds import splits
from cutpoint.model import Acceptor

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
