"""A loaded shard, and the functions that engines map over loaded shards.

They are plain functions of plain values, so that they can be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample
from cutpoint.em.counts import Counts
from cutpoint.em.engine import Floats, InMemory, Masks, Parameters
from cutpoint.em.shards import Head, Shard
from cutpoint.kernels import kernels
from cutpoint.kernels.words import EncodedWords


class Loaded:
    """Observations of a shard over the alphabet of an acceptor, with their prefix tree.

    ``rows`` are the places of the shard's own marks in the table of marks of the whole sample, which masks follow.
    """

    def __init__(self, sample: Sample, rows: NDArray[np.intp], threads: int = 1, passing: bool = False) -> None:
        self.sample, self.rows, self.passing = sample, rows, passing
        self.memory = InMemory(sample, threads, passing)

    def __sizeof__(self) -> int:
        return self.sample.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return Loaded, (self.sample, self.rows, self.memory.threads, self.passing)


def load(shard: Shard, head: Head, alphabet: Alphabet, threads: int = 1, passing: bool = False) -> Loaded:
    """Load a shard over the alphabet of an acceptor."""
    sample = shard.load(head).recoded(alphabet)
    numbers = {mark: number for number, mark in enumerate(head.mark_table)}
    rows = np.array([numbers[mark] for mark in sample.mark_table], dtype=np.intp)
    return Loaded(sample, rows, threads, passing)


def counts(shard: Loaded, parameters: Parameters, masks: Masks) -> Counts:
    """Expected counts of a shard."""
    return shard.memory.expected_counts(parameters, masks[shard.rows])


def log_likelihood(shard: Loaded, members: Sequence[tuple[Parameters, Masks]], with_inputs: bool = False) -> float:
    """Log-likelihood of a shard under the mean of the members' probabilities."""
    logs = [shard.memory.log_likelihoods(parameters, masks[shard.rows]) for parameters, masks in members]
    mean = logs[0] if len(logs) == 1 else np.logaddexp.reduce(logs, axis=0) - math.log(len(logs))
    if np.isneginf(mean).any():
        return -math.inf
    if with_inputs:
        mean = mean - math.log(len(shard.sample.alphabet)) * shard.sample.lengths
    return float((shard.sample.counts * mean).sum())


def acceptances(shard: Loaded, parameters: Parameters, column: Floats) -> tuple[EncodedWords, Floats, Floats]:
    """Words of a shard without what was seen along the way, their counts and their acceptances."""
    words = replace(shard.sample.encoded.decoded(), marks=None)
    values = kernels().acceptances(*parameters, column, words, shard.memory.threads)
    return words, shard.sample.counts, values


def every(shard: Loaded, stride: int) -> tuple[EncodedWords, Floats] | None:
    """Every so many observations with their counts, marks by the table of the whole sample; None if there is none."""
    chosen = np.arange(len(shard.sample)) % stride == stride // 2
    if not chosen.any():
        return None
    part = shard.sample.reweighted(np.where(chosen, shard.sample.counts, 0.0))
    return part.decoded.recode(marks=shard.rows.astype(np.int32)), part.counts
