"""A loaded shard, and the functions that engines map over loaded shards.

They are plain functions of plain values, so that they can be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Mark, Sample
from cutpoint.data.sample import CodedSample, bare, clothed, drawn
from cutpoint.em.counts import Counts
from cutpoint.em.engine import Floats, InMemory, Masks, Parameters
from cutpoint.em.shards import Head, Shard
from cutpoint.kernels import kernels


class Loaded:
    """Observations of a shard over the alphabet of an acceptor, with their prefix tree.

    ``rows`` are the places of the shard's own marks in the table of marks of the whole sample, which masks follow.
    """

    def __init__(self, sample: Sample, rows: NDArray[np.intp], threads: int = 1, passing: bool = False) -> None:
        self.sample, self.rows, self.passing = sample, rows, passing
        self.memory = InMemory(sample, threads, passing)

    def __sizeof__(self) -> int:
        held = {**self.sample.__dict__}
        tree = held.pop("tree", None) or ()
        arrays = {id(array): array for array in (*held.values(), *tree)}  # a tree of coded words has them too
        return sum(getattr(array, "nbytes", 0) for array in arrays.values())

    def __reduce__(self) -> tuple[Any, ...]:
        how = self.rows, self.memory.threads, self.passing
        if isinstance(self.sample, CodedSample):
            return Loaded, (self.sample, *how)
        return _moved, (bare(self.sample), self.sample.alphabet, self.sample.mark_table, *how)


def load(shard: Shard, head: Head, alphabet: Alphabet, threads: int = 1, passing: bool = False) -> Loaded:
    """Load a shard over the alphabet of an acceptor."""
    sample = shard.load(head).recoded(alphabet)
    numbers = {mark: number for number, mark in enumerate(head.mark_table)}
    rows = np.array([numbers[mark] for mark in sample.mark_table], dtype=np.intp)
    return Loaded(sample, rows, threads, passing)


def _moved(parts: dict[str, Any], alphabet: Alphabet, table: tuple[Mark, ...], *how: Any) -> Loaded:
    """A loaded shard in the process that it was sent to, where its tree grows anew."""
    return Loaded(clothed(parts, alphabet, table), *how)


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


def acceptances(shard: Loaded, parameters: Parameters, column: Floats) -> tuple[dict[str, Any], Floats]:
    """Arrays of a shard with the acceptances of its words."""
    sample = _spelled(shard.sample)
    values = kernels().acceptances(*parameters, column, sample.symbols, sample.offsets, shard.memory.threads)
    return bare(sample), values


def every(shard: Loaded, stride: int) -> dict[str, Any] | None:
    """Arrays of every so many observations, marks by the table of the whole sample; None if there is none."""
    rows = np.arange(stride // 2, len(shard.sample), stride)
    if not len(rows):
        return None
    parts = drawn(_spelled(shard.sample), rows)
    return parts | {"marks": None if parts["marks"] is None else shard.rows[parts["marks"]].astype(np.int32)}


def _spelled(sample: Sample) -> Sample:
    """A sample with its words spelled out, for once."""
    return sample.spelled() if isinstance(sample, CodedSample) else sample
