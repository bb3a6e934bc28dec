"""A sample in folds, and what the folds' numbers say together."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.kernels.words import Floats
from cutpoint.wording import counted

FINEST = 20  # parts of a sample from which a share to hold out is put together
MOST_UNITS = 1000  # counts above this are shared out evenly instead of one by one


class Split(NamedTuple):
    """Observations to learn from and observations to judge by."""

    training: Sample
    validation: Sample


def splits(sample: Sample, folds: int, rng: np.random.Generator) -> list[Split]:
    """Split a sample into folds by single observations, labels shared out evenly; each fold validates once."""
    known = can_be_judged(sample)
    total = float(sample.counts[known].sum())
    if total < folds:
        outcome = "" if known.all() else " with an outcome"
        raise InvalidArgument(
            f"{counted(folds, 'fold')} need at least {counted(folds, 'observation')}{outcome}; got "
            f"{counted(total, 'observation')}. Ask for fewer folds, or add observations."
        )
    return [
        Split(sample.reweighted(np.maximum(sample.counts - part, 0.0)), sample.reweighted(part))
        for part in fold_counts(sample, folds, rng)
    ]


def can_be_judged(sample: Sample) -> NDArray[np.bool_]:
    """Observations of whose runs something was seen; all of them where nothing was seen of any."""
    known = np.zeros(len(sample), dtype=np.bool_)
    known[sample.seen.observations] = True
    return known if known.any() else ~known


def held_out(sample: Sample, holdout: float, rng: np.random.Generator) -> Split:
    """Split a sample once, about a share of it to judge by; every label stays among what is learned from."""
    if not holdout >= 1 / FINEST:  # neither is a NaN
        raise InvalidArgument(f"must be at least 1/{FINEST}; got {holdout:g}.", argument="holdout")
    part, known = Fraction(holdout).limit_denominator(FINEST), can_be_judged(sample)
    total = float(sample.counts[known].sum())
    if total < 2 * part.denominator:
        outcome = "" if known.all() else " with an outcome"
        raise InvalidSample(
            f"to hold out {holdout:g} of the observations there must be at least {2 * part.denominator}{outcome}; got "
            f"{counted(total, 'observation')}.",
            advice="Add observations. Or judge by another file with {test}. Or hold out none with {holdout=0}.",
        )
    parts = fold_counts(sample, part.denominator, rng)
    for first in range(part.denominator):
        judged = np.roll(parts, -first, axis=0)[: part.numerator].sum(axis=0)
        rest = np.maximum(sample.counts - judged, 0.0)
        if all(rest[sample.ends == end].any() for end in np.unique(sample.ends)):
            break
    return Split(sample.reweighted(rest), sample.reweighted(judged))


def fold_counts(sample: Sample, folds: int, rng: np.random.Generator) -> Floats:
    """Counts of each observation in each fold, ``[fold, r]``; they add up to the sample's counts."""
    whole = np.floor(sample.counts)
    single = np.where(whole <= MOST_UNITS, whole, 0.0).astype(np.int64)
    rest = sample.counts - single
    owners = np.concatenate((np.repeat(np.arange(len(sample)), single), np.flatnonzero((rest > 0.0) & (rest < 1.0))))
    weights = np.concatenate((np.ones(int(single.sum())), rest[(rest > 0.0) & (rest < 1.0)]))
    mixed = rng.permutation(len(owners))
    kinds = np.where(can_be_judged(sample), sample.ends, -1)  # every fold gets its part of what it can judge by
    mixed = mixed[np.argsort(kinds[owners[mixed]], kind="stable")]
    fold = np.empty(len(owners), dtype=np.int64)
    fold[mixed] = np.arange(len(owners)) % folds
    parts = np.zeros((folds, len(sample)))
    np.add.at(parts, (fold, owners), weights)
    return parts + np.where(rest >= 1.0, rest / folds, 0.0)


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean over folds; infinite for a single fold, or where a value is infinite."""
    if len(values) < 2 or not np.isfinite(values).all():
        return math.inf
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def clearly_lower(one: Sequence[float], other: Sequence[float], caution: float = 1.0) -> bool:
    """Whether losses are lower on the mean by more than ``caution`` standard errors of the differences by fold.

    Where folds cannot be compared one by one (a single one, other numbers of them, infinite losses), the means decide.
    """
    if len(one) < 2 or len(one) != len(other) or not np.isfinite((one, other)).all():
        return float(np.mean(one)) < float(np.mean(other))
    gains = np.subtract(other, one)
    return float(gains.mean()) > caution * standard_error(gains.tolist())


def chosen_size(losses: Mapping[int, Sequence[float]], caution: float = 1.0) -> int:
    """Number of states to take, given the held-out losses of each number by fold: a larger one must be clearly better.

    This is the rule of both :func:`learn` and :func:`select`.
    """
    best, *larger = sorted(losses)
    for size in larger:
        if clearly_lower(losses[size], losses[best], caution):
            best = size
    return best
