"""What a model must beat: always the mean, and a logistic regression on runs of one to four symbols."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.sample import SeenPositions
from cutpoint.em.observations import AnySample, check_sample
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.kernels.words import Floats
from cutpoint.wording import shown

MEAN, N_GRAMS = "always the mean", "1-4-grams"
MOST_TOKENS = 1_000_000  # of what the regression is trained on; of more, every so many positions are taken
AT_ONCE = 300_000  # tokens of what is predicted at once


def baseline_acceptances(
    seen: SeenPositions, sample: AnySample, training: Sample | float | None, last: bool
) -> dict[str, Floats]:
    """Probability of "accepted" at each position by each baseline, by name; none where states were seen."""
    if not seen.verdicts.all() or any(mark.states is not None for mark in sample.mark_table):
        return {}
    if training is None or isinstance(training, float | int):
        share = seen.share_accepted if training is None else training
        if not 0.0 <= (share or 0.0) <= 1.0:
            what = f"must be a sample, or a number between 0 and 1; got {shown(training)}."
            raise InvalidArgument(what, argument="baseline")
        return {MEAN: np.full(len(seen.weights), share, dtype=np.float64)}
    check_sample(training)
    check_sample(sample)
    given = training.seen
    given = given.take(given.last_verdicts() if last else np.flatnonzero(given.verdicts))
    if given.share_accepted is None:
        raise InvalidSample("a sample to train baselines on must have outcomes; this one has none.")
    found = {MEAN: np.full(len(seen.weights), given.share_accepted)}
    if isinstance(sample, Sample) and 0.0 < given.share_accepted < 1.0:
        regression = _n_gram_acceptances(training, given, sample, seen)
        found |= {} if regression is None else {N_GRAMS: regression}
    return found


def _n_gram_acceptances(training: Sample, given: SeenPositions, sample: Sample, seen: SeenPositions) -> Floats | None:
    """Logistic regression on all runs of one to four symbols and earlier verdicts; None without scikit-learn."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    except ImportError:
        return None
    numbers: dict[Any, int] = {}  # one number per symbol in both samples; texts of symbols could hold blanks
    grams = CountVectorizer(token_pattern=r"\S+", lowercase=False, ngram_range=(1, 4))
    model = LogisticRegression(max_iter=1000)
    given = given.take(np.arange(0, len(given.weights), 1 + int((given.positions + 2).sum()) // MOST_TOKENS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a baseline that has not quite converged is still one
        model.fit(
            grams.fit_transform(_texts(training, given, numbers)), given.verdicts == 1, sample_weight=given.weights
        )
    block = np.cumsum(seen.positions + 2) // AT_ONCE
    parts = np.split(np.arange(len(block)), np.flatnonzero(np.diff(block)) + 1)
    tables = (grams.transform(_texts(sample, seen.take(part), numbers)) for part in parts)
    return np.concatenate([model.predict_proba(table)[:, 1] for table in tables])


def _texts(sample: Sample, seen: SeenPositions, numbers: dict[Any, int]) -> Iterator[str]:
    """Symbols up to each position and the verdicts before it, as a text; both ends of a word are marked."""
    codes = [f"{numbers.setdefault(symbol, len(numbers))}" for symbol in sample.alphabet]
    verdicts = {(r, i): "?+-"[v] for r, i, v in zip(*(each.tolist() for each in sample.seen[:3]), strict=True)}
    for r, positions in groupby(zip(*(each.tolist() for each in seen[:2]), strict=True), key=itemgetter(0)):
        word = sample.decoded.word(r).tolist()
        tokens = [f"{verdicts.get((r, i), '')} {codes[symbol]}" for i, symbol in enumerate(word)]
        for _, position in positions:
            yield f"^ {' '.join(tokens[:position])}{' $' * (position == len(word))}"
