"""The loop that both algorithms of the paper share: E-step, M-step, compare."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Sample
from cutpoint.data.names import shown
from cutpoint.data.sample import LARGEST_TOTAL
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.learning.counts import Counts
from cutpoint.learning.evidence import check_sample
from cutpoint.learning.fit import Fit, Stop
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor

Floats = NDArray[np.float64]
TOLERANCE = 1e-6
MAX_STEPS = 1000


class Prior:
    """Dirichlet pseudo-counts; an entry that is 0 in the acceptor is structural and gets none."""

    def __init__(self, pseudo_counts: ArrayLike, acceptor: Acceptor, learn_initial: bool) -> None:
        try:
            given = np.asarray(pseudo_counts, dtype=np.float64)
            cells = np.broadcast_to(given, acceptor.transitions.shape)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(
                f"prior must be a number or an array that fits the transitions' shape {acceptor.transitions.shape}; "
                f"got {shown(pseudo_counts)}."
            ) from None
        if not ((cells >= 0.0) & (cells <= LARGEST_TOTAL / cells.size)).all():
            raise InvalidArgument(f"prior must hold finite pseudo-counts, not negative; got {shown(pseudo_counts)}.")
        self.transitions = np.where(acceptor.transitions > 0.0, cells, 0.0)
        share = float(given) if given.ndim == 0 and learn_initial else 0.0
        self.initial = np.where(acceptor.initial > 0.0, share, 0.0)

    def log_density(self, acceptor: Acceptor) -> float:
        """Logarithm of the prior's density up to a constant: Σ pseudo-count · log θ."""
        total = 0.0
        for pseudo, theta in ((self.transitions, acceptor.transitions), (self.initial, acceptor.initial)):
            used = pseudo > 0.0
            if used.any():
                with np.errstate(divide="ignore"):
                    total += float((pseudo[used] * np.log(theta[used])).sum())
        return total


def maximized(acceptor: Acceptor, counts: Counts, prior: Prior, learn_initial: bool) -> Acceptor:
    """M-step: rows of counts plus pseudo-counts, divided by their sums; a row without any keeps its value."""
    transitions = _shares(counts.transitions + prior.transitions, acceptor.transitions)
    initial = _shares(counts.initial + prior.initial, acceptor.initial) if learn_initial else acceptor.initial
    return acceptor.replace(transitions=transitions, initial=initial)


def ascend(
    acceptor: Acceptor,
    sample: Sample,
    e_step: Callable[[Acceptor, Sample], Counts],
    tolerance: float,
    max_steps: int,
    pseudo_counts: ArrayLike,
    learn_initial: bool,
) -> Fit:
    """Repeat E-step and M-step until a step gains no more than the tolerance per observation.

    A step that gains nothing (rounding, or no information) leaves the acceptor as it was.
    """
    check_acceptor(acceptor)
    check_sample(sample)
    _check_limits(tolerance, max_steps)
    sample = sample.recoded(acceptor.alphabet)  # once, so that its prefix tree serves every step
    prior = Prior(pseudo_counts, acceptor, learn_initial)
    stop, detail = Stop.STEP_LIMIT, ""
    history: list[float] = []
    try:
        counts = e_step(acceptor, sample)
        history.append(counts.log_likelihood + prior.log_density(acceptor))
        while len(history) <= max_steps:
            better = maximized(acceptor, counts, prior, learn_initial)
            better_counts = e_step(better, sample)
            objective = better_counts.log_likelihood + prior.log_density(better)
            gain = objective - history[-1]
            if gain > 0.0:
                acceptor, counts = better, better_counts
            history.append(max(objective, history[-1]))
            if gain <= tolerance * sample.total:
                stop = Stop.CONVERGED if sample.has_evidence else Stop.NO_EVIDENCE
                break
    except ImpossibleObservation as impossible:
        stop, detail = Stop.IMPOSSIBLE, str(impossible)
    except KeyboardInterrupt:
        if not history:
            raise
        stop = Stop.INTERRUPTED
    if not history:
        return Fit(acceptor, (-math.inf,), stop, -math.inf, detail)
    return Fit(acceptor, tuple(history), stop, counts.log_likelihood, detail)


def _shares(weights: Floats, fallback: Floats) -> Floats:
    """Rows divided by their sums; a row that sums to 0 is taken from the fallback."""
    totals = weights.sum(axis=-1, keepdims=True)
    reached = totals > 0.0
    return np.where(reached, weights / np.where(reached, totals, 1.0), fallback)


def _check_limits(tolerance: float, max_steps: int) -> None:
    if not (isinstance(tolerance, int | float) and 0.0 <= tolerance < math.inf):
        raise InvalidArgument(f"tolerance must be a finite number, 0 or more; got {shown(tolerance)}.")
    whole_number("max_steps", max_steps, least=0)
