"""Stepwise EM: an acceptor that goes on learning from one batch of words after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.em import Counts
from cutpoint.em.m_step import shares
from cutpoint.em.observations import Parameters

Floats = NDArray[np.float64]

DECAY = 0.6
"""Between 1/2 and 1: the larger, the sooner the steps get small."""

LOOSE = 0.01
"""Share of every row of a symbol not read so far that is open to be learned."""


@dataclass(frozen=True, eq=False)
class Running:
    r"""Running mean of expected counts per word: the statistic of stepwise EM (Cappé and Moulines, 2009).

    .. math:: s \leftarrow (1 - \gamma) s + \gamma \frac{v}{n}, \qquad \gamma = (1 + N / n)^{-0.6}

    for a batch of n words with expected counts v after N words. For batches of one size the k-th has
    :math:`\gamma = k^{-0.6}`; a single word after many moves the mean but a little.

    Attributes
    ----------
    transitions, initial : the mean s.
    total : number of words N so far.
    """

    transitions: Floats
    initial: Floats
    total: float

    @classmethod
    def first(cls, counts: Counts, total: float) -> Running:
        """Mean of one batch."""
        return cls(counts.transitions / total, counts.initial / total, total)

    def after(self, counts: Counts, total: float) -> Running:
        """Mean after one more batch."""
        step = (1.0 + self.total / total) ** -DECAY
        return Running(
            (1.0 - step) * self.transitions + step * counts.transitions / total,
            (1.0 - step) * self.initial + step * counts.initial / total,
            self.total + total,
        )

    @property
    def read(self) -> NDArray[np.bool_]:
        """Whether each symbol was read so far, ``[a, 1, 1]``."""
        return np.asarray(self.transitions.sum(axis=(1, 2), keepdims=True) > 0.0)

    def opened(self, parameters: Parameters) -> Parameters:
        """Parameters in which no transition is closed for symbols that were not read so far."""
        if self.read.all():
            return parameters
        support = parameters.transitions.max(axis=0) > 0.0  # members of a team stay apart
        even = support / support.sum(axis=-1, keepdims=True)
        loose = (1.0 - LOOSE) * parameters.transitions + LOOSE * even
        return Parameters(np.where(self.read, parameters.transitions, loose), parameters.initial)

    def maximum(self, parameters: Parameters, prior: float) -> Parameters:
        """M-step: as if all words so far had the mean's counts; symbols not read keep their matrices."""
        weights = (
            self.total * mean + np.where(part > 0.0, prior, 0.0)
            for mean, part in zip((self.transitions, self.initial), parameters, strict=True)
        )
        transitions, initial = (shares(part, kept) for part, kept in zip(weights, parameters, strict=True))
        return Parameters(np.where(self.read, transitions, parameters.transitions), initial)
