"""A sample in folds, and what the folds' numbers say together."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.wording import counted

FINEST = 20  # parts of a sample from which a share to hold out is put together
MOST_UNITS = 1000  # counts above this are shared out evenly instead of one by one
ALARM = 1e-3  # chance that words drawn independently are taken for dependent ones


class Split(NamedTuple):
    """Observations to learn from and observations to judge by."""

    training: Sample
    validation: Sample


def splits(sample: Sample, folds: int, rng: np.random.Generator) -> list[Split]:
    """Split a sample into folds, labels shared out evenly; each fold validates once.

    What is shared out are single observations, or the groups of the sample, each as a whole. Observations of equal
    words stay together where :func:`dependent_words` finds that they were not drawn independently.
    """
    number, noun, outcome = shared_out(sample)
    if number < folds:
        raise InvalidArgument(
            f"{counted(folds, 'fold')} need at least {counted(folds, noun)}{outcome}; got {counted(number, noun)}. "
            f"Ask for fewer folds, or add {noun}s."
        )
    split = _division(sample, folds, rng)
    return [split([fold]) for fold in range(folds)]


def shared_out(sample: Sample) -> tuple[float, str, str]:
    """Number of what folds share out and can judge by, what it is, and a word on outcomes if not all have them."""
    known = can_be_judged(sample)
    outcome = "" if known.all() else " with an outcome"
    if (groups := _groups(sample)) is not None:
        return len(np.unique(groups[known[sample.known_cases.observations]])), "group", outcome
    return float(sample.counts[known].sum()), "observation", outcome


def can_be_judged(sample: Sample) -> NDArray[np.bool_]:
    """Observations of whose runs something was seen; all of them where nothing was seen of any."""
    known = np.zeros(len(sample), dtype=np.bool_)
    known[sample.seen.observations] = True
    return known if known.any() else ~known


def held_out(sample: Sample, holdout: float, rng: np.random.Generator) -> Split:
    """Split a sample once, about a share of it to judge by; every label stays among what is learned from."""
    if not 1 / FINEST <= holdout <= 0.5:  # neither is a NaN
        raise InvalidArgument(f"must be from 1/{FINEST} to 1/2; got {holdout:g}.", argument="holdout")
    part = Fraction(holdout).limit_denominator(FINEST)
    number, noun, outcome = shared_out(sample)
    if number < 2 * part.denominator:
        raise InvalidSample(
            f"to hold out {holdout:g} of the {noun}s there must be at least {2 * part.denominator}{outcome}; got "
            f"{counted(number, noun)}.",
            advice="Add observations. Or judge by another file with {test}. Or hold out none with {holdout=0}.",
        )
    split = _division(sample, part.denominator, rng)
    for first in range(part.denominator):
        found = split([(first + k) % part.denominator for k in range(part.numerator)])
        if np.isin(sample.ends, found.training.ends).all():
            break
    return found


def _division(sample: Sample, folds: int, rng: np.random.Generator) -> Callable[[list[int]], Split]:
    """Share a sample out; the function returned splits it, given the folds to judge by."""
    if (groups := _groups(sample)) is not None:
        fold_of_row = group_folds(sample, groups, folds, rng)

        def split_groups(judging: list[int]) -> Split:
            judged = np.isin(fold_of_row, judging)
            return Split(sample.of_cases(~judged), sample.of_cases(judged))

        return split_groups
    numbers = dependent_words(sample.decoded, sample.ends, sample.counts)
    if numbers is None or numbers.max() + 1 < folds:
        parts = fold_counts(sample, folds, rng)
    else:
        fold_of_observation = _dealt_whole(numbers, _kinds(sample), sample.counts, folds, rng)
        parts = np.where(fold_of_observation == np.arange(folds)[:, None], sample.counts, 0.0)

    def split_observations(judging: list[int]) -> Split:
        judged = parts[judging].sum(axis=0)
        if (is_judged := _rows_judged(sample, judged)) is not None:
            return Split(sample.of_cases(~is_judged), sample.of_cases(is_judged))
        return Split(sample.reweighted(np.maximum(sample.counts - judged, 0.0)), sample.reweighted(judged))

    return split_observations


def fold_counts(sample: Sample, folds: int, rng: np.random.Generator) -> Floats:
    """Counts of each observation in each fold, ``[fold, r]``; they add up to the sample's counts."""
    whole = np.floor(sample.counts)
    single = np.where(whole <= MOST_UNITS, whole, 0.0).astype(np.int64)
    rest = sample.counts - single
    owners = np.concatenate((np.repeat(np.arange(len(sample)), single), np.flatnonzero((rest > 0.0) & (rest < 1.0))))
    weights = np.concatenate((np.ones(int(single.sum())), rest[(rest > 0.0) & (rest < 1.0)]))
    parts = np.zeros((folds, len(sample)))
    np.add.at(parts, (_dealt(_kinds(sample)[owners], folds, rng), owners), weights)
    return parts + np.where(rest >= 1.0, rest / folds, 0.0)


def dependent_words(words: EncodedWords, labels: NDArray[np.integer], counts: Floats) -> NDArray[np.int64] | None:
    """Number of each observation's word, if rows of equal words contradict each other more than chance allows.

    Two rows of a word that were drawn independently agree with a probability of at least 1 over the number of labels.
    In a list that has every word once under each heading they never do, and whoever learned from one of them is misled
    about the other. Labels of 0 are not known. Where counts are not whole, nothing can be said.
    """
    known = labels != 0
    if not known.any() or (counts % 1.0).any():
        return None
    seen: dict[bytes, int] = {}
    numbers = np.array([seen.setdefault(words.word(r).tobytes(), len(seen)) for r in range(len(words))])
    names, codes = np.unique(labels[known], return_inverse=True)
    table = np.zeros((len(seen), len(names)))
    np.add.at(table, (numbers[known], codes), counts[known])
    table = table[table.sum(axis=1) > 1.0]
    total = table.sum(axis=1, keepdims=True)
    agreement = (table / total * (table - 1.0) / (total - 1.0)).sum(axis=1)  # share of pairs; Hoeffding's inequality
    if not len(table) or agreement.mean() + math.sqrt(-math.log(ALARM) / (2 * len(table))) >= 1.0 / len(names):
        return None
    return numbers


def _rows_judged(sample: Sample, judged: Floats) -> NDArray[np.bool_] | None:
    """Which of the rows that a sample was made of are judged, the first of equal ones; None if rows would be split."""
    if sample.cases is None or (sample.cases.counts != 1.0).any() or (judged % 1.0).any():
        return None
    order = np.argsort(sample.cases.observations, kind="stable")
    owners = sample.cases.observations[order]
    is_judged = np.empty(len(owners), dtype=np.bool_)
    is_judged[order] = np.arange(len(owners)) - np.searchsorted(owners, owners) < judged[owners]
    return is_judged


def _groups(sample: Sample) -> NDArray[np.int64] | None:
    """Group of each of the rows that a sample was made of; None if it is shared out by single observations."""
    return None if sample.cases is None else sample.cases.groups


def group_folds(sample: Sample, groups: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Fold of each of the rows that a sample was made of, given their groups; rows of one group have the same.

    Groups are dealt by the outcome that most of their rows have, the largest first: folds differ by no more than a
    group.
    """
    cases = sample.known_cases
    _, numbers = np.unique(groups, return_inverse=True)
    return _dealt_whole(numbers, _kinds(sample)[cases.observations], cases.counts, folds, rng)


def _dealt_whole(
    groups: NDArray[np.int64], kinds: NDArray[np.int64], counts: Floats, folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Fold of each item, given the numbers of their groups, their kinds and their counts."""
    totals = np.zeros((int(groups.max()) + 1, len(FIRST_MARKS) + 1))
    np.add.at(totals, (groups, kinds), counts)
    return np.asarray(_dealt(totals.argmax(axis=1), folds, rng, totals.sum(axis=1))[groups])


def _kinds(sample: Sample) -> NDArray[np.int64]:
    """What observations are told apart by when they are shared out: every fold gets its part of what it can judge."""
    return np.where(can_be_judged(sample), sample.ends + 1, 0).astype(np.int64)


def _dealt(
    kinds: NDArray[np.int64], folds: int, rng: np.random.Generator, sizes: Floats | None = None
) -> NDArray[np.int64]:
    """Fold of each item: shuffled, sorted by kind and then from large to small, and dealt one by one."""
    mixed = rng.permutation(len(kinds))
    falling = np.zeros(len(kinds)) if sizes is None else -sizes
    mixed = mixed[np.lexsort((falling[mixed], kinds[mixed]))]
    fold = np.empty(len(kinds), dtype=np.int64)
    fold[mixed] = np.arange(len(kinds)) % folds
    return fold


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean over folds; infinite for a single fold, or where a value is infinite."""
    if len(values) < 2 or not np.isfinite(values).all():
        return math.inf
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def clearly_lower(one: Sequence[float], other: Sequence[float], caution: float = 1.0, least_gain: float = 0.0) -> bool:
    """Whether losses are lower on the mean by more than ``caution`` standard errors of the differences by fold.

    With a ``least_gain``, also by more than this share of the loss.

    Where folds cannot be compared one by one (a single one, other numbers of them, infinite losses), the means decide.
    """
    if len(one) < 2 or len(one) != len(other) or not np.isfinite((one, other)).all():
        return float(np.mean(one)) < (1.0 - least_gain) * float(np.mean(other))
    gains = np.subtract(other, one)
    least = max(caution * standard_error(gains.tolist()), least_gain * float(np.mean(other)))
    return float(gains.mean()) > least


def chosen_size(losses: Mapping[int, Sequence[float]], caution: float = 1.0, least_gain: float = 0.0) -> int:
    """Number of states to take, given the held-out losses of each number by fold: a larger one must be clearly better.

    This is the rule of both :func:`learn`, which also asks for a least gain, and :func:`select`.
    """
    best, *larger = sorted(losses)
    for size in larger:
        if clearly_lower(losses[size], losses[best], caution, least_gain):
            best = size
    return best
