"""Stacking: a logistic regression on counts of n-grams and on the log-odds of an acceptor or generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from cutpoint.data import Sample
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.search.folds import dependent_words

MOST_ODDS = 10.0  # log-odds are cut to this: what is surer than a machine can be is no better evidence
FOLDS, STRENGTHS = 5, (0.1, 0.3, 1.0, 3.0)  # the regression is as free as does best on folds of its own
BEGINNING, END = -1, -2  # marks of the ends of words in n-grams


class NgramStack:
    """Logistic regression on how often each 1- to n-gram occurs in a word, and on a machine's log-odds of the word.

    Where outcomes hang on local patterns, such as endings of names, n-grams see them at once; the machine sees the
    rest. It learns from log-odds of machines that did not learn from the word, as they will be for new words.
    """

    def __init__(self, size: int, words: EncodedWords, odds: Floats, codes: NDArray[np.intp], weights: Floats) -> None:
        from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold  # noqa: PLC0415

        self.size = size
        known = np.flatnonzero(np.isfinite(odds))
        self._table = CountVectorizer(analyzer=self._grams).fit(_listed(words))
        regression = LogisticRegression(solver="liblinear", max_iter=1000, random_state=0)
        together = dependent_words(words.take(known), codes[known] + 1, weights[known])
        groups = np.arange(len(known)) if together is None else together
        folds = StratifiedGroupKFold(max(2, min(FOLDS, np.bincount(codes[known]).min())), shuffle=True, random_state=0)
        self._regression = GridSearchCV(regression, {"C": STRENGTHS}, scoring="neg_log_loss", cv=folds)
        features = self._features(words.take(known), odds[known])
        self._regression.fit(features, codes[known], groups=groups, sample_weight=weights[known])

    def probabilities(self, words: EncodedWords, odds: Floats) -> Floats:
        """Probability of each of two classes for each word, given the machine's log-odds of the second."""
        return np.asarray(self._regression.predict_proba(self._features(words, odds)))

    def _features(self, words: EncodedWords, odds: Floats) -> Any:
        """Counts of n-grams, and last the log-odds."""
        counts = self._table.transform(_listed(words))
        return hstack((counts, csr_array(odds[:, None])), format="csr")

    def _grams(self, word: Sequence[int]) -> list[tuple[int, ...]]:
        marked = (BEGINNING, *word, END)
        return [marked[i : i + n] for n in range(1, self.size + 1) for i in range(len(marked) - n + 1)]


def _listed(words: EncodedWords) -> list[list[int]]:
    return [words.word(r).tolist() for r in range(len(words))]


def log_odds(machine: Acceptor | Generator, words: EncodedWords, threads: int | None = None) -> Floats:
    """Log-odds that each word is accepted, cut to a finite range."""
    logs = machine.class_log_probabilities(np.stack((~machine.final, machine.final)), words, threads)
    return np.asarray(np.clip(logs[:, 1] - logs[:, 0], -MOST_ODDS, MOST_ODDS))


def mean_odds(machines: Sequence[Acceptor | Generator], words: EncodedWords, threads: int | None) -> Floats:
    """Mean of the machines' log-odds of each word."""
    return np.asarray(np.mean([log_odds(machine, words, threads) for machine in machines], axis=0))


def held_out_odds(
    held_out: Sequence[tuple[Acceptor | Generator, Sample]], words: EncodedWords, threads: int | None
) -> Floats:
    """Log-odds of each word by the mean of the machines that did not learn from it; NaN where there is none."""
    found: dict[bytes, list[float]] = {}
    for machine, sample in held_out:
        for r, value in enumerate(log_odds(machine, sample.decoded, threads).tolist()):
            found.setdefault(sample.decoded.word(r).tobytes(), []).append(value)
    keys = (words.word(r).tobytes() for r in range(len(words)))
    return np.array([np.mean(found[key]) if key in found else np.nan for key in keys])
