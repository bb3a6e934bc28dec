"""Where a sample lives while parameters climb: in memory, or in shards that an engine holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample
from cutpoint.em.counts import Counts, impossible_sentence
from cutpoint.em.shards import Shards
from cutpoint.errors import CutpointError, ImpossibleObservation
from cutpoint.kernels import kernels
from cutpoint.kernels.coding import FrontCodedWords

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


class Parameters(NamedTuple):
    """What learning changes: transitions ``[a, s, t]`` and the initial distribution ``[s]``."""

    transitions: Floats
    initial: Floats


class InMemory:
    """A sample for many E-steps. Masks say, per mark of the sample, which states agree with it.

    With ``passing`` the prefix tree of front-coded words is not kept, but made along the way.
    """

    def __init__(self, sample: Sample, threads: int | None = None, passing: bool = False) -> None:
        self.sample = sample
        self.total = sample.total
        self.threads = threads
        self._words = sample.encoded
        if passing and isinstance(self._words, FrontCodedWords):
            self._words = replace(self._words, whole_tree=False)
        kernels().prefix_tree(self._words)  # now, so that its size is known

    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step; an impossible observation is an error that names it."""
        transitions, initial, logs = kernels().expected_counts(
            *parameters, masks, self._words, self.sample.counts, self.threads
        )
        if not np.isfinite(transitions).all():
            raise CutpointError("the expected counts are not finite: a defect of the kernels. Please report the case.")
        logs *= self.sample.counts  # in place: the system takes long to give new memory for as many numbers
        log_likelihood = float(logs.sum())
        if log_likelihood == -math.inf:
            impossible = np.flatnonzero(np.isneginf(logs)).tolist()
            raise ImpossibleObservation(impossible_sentence(self.sample, impossible))
        return Counts(transitions, initial, log_likelihood)

    def log_likelihoods(self, parameters: Parameters, masks: Masks) -> Floats:
        """Log-probability of what was seen, for each distinct observation."""
        logs: Floats = kernels().log_probabilities(*parameters, masks, self._words, self.threads)
        return logs

    def loss(self, parameters: Parameters, masks: Masks) -> float:
        """Mean of -log p over the observations: the log loss."""
        return -float((self.sample.counts * self.log_likelihoods(parameters, masks)).sum()) / self.total

    def close(self) -> None:
        """Nothing to let go of."""


class Placed(Protocol):
    """Shards that an engine has loaded, or will load when they are needed."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of a function of each loaded shard and the arguments, added by ``pairwise_sum`` in the shards' order."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Value of a function of each loaded shard and the arguments, in the shards' order."""

    def close(self) -> None:
        """Let the shards go."""


@runtime_checkable
class Engine(Protocol):
    """Who works on the shards of a sample: the threads of this machine, or a cluster."""

    def load(self, shards: Shards, alphabet: Alphabet) -> Placed:
        """Take shards, over the alphabet of an acceptor."""

    def close(self) -> None:
        """Let go of everything."""
