"""What a model says at each position where something was seen, before it is seen: what every judgement is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.sample import SeenPositions
from cutpoint.kernels import kernels
from cutpoint.kernels.sparse_matrices import Matrices
from cutpoint.kernels.words import Floats, Masks

COLUMNS = ("acceptances", "losses")


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of what was seen in a sample, each from the symbols so far and from what was seen before.

    Attributes
    ----------
    seen : the positions, and what was seen there.
    acceptances : probability of "accepted" there; NaN where something before was impossible.
    losses : -log of the probability of what was seen, in nats.
    n_observations : number of distinct observations of the sample.
    """

    seen: SeenPositions
    acceptances: Floats
    losses: Floats
    n_observations: int

    @classmethod
    def of_filter(
        cls, sample: Sample, transitions: Matrices, initial: Floats, final: Masks, masks: Masks
    ) -> Predictions:
        """Predictions of verdicts and states along words, by the filter."""
        seen, words = sample.seen, sample.decoded
        found = kernels(transitions).filtered(transitions, initial, final, masks, words)
        places = words.positions[seen.observations] + seen.positions
        return cls(seen, found.acceptances[places], -found.logs[places] + 0.0, len(sample))

    @classmethod
    def concatenate(cls, parts: Sequence[Predictions]) -> Predictions:
        """Predictions of the parts of a sample, one after the other."""
        starts = np.cumsum([0, *(part.n_observations for part in parts)])
        seen = [
            part.seen._replace(observations=part.seen.observations + start)
            for part, start in zip(parts, starts, strict=False)
        ]
        acceptances, losses = (np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS)
        return cls(SeenPositions(*map(np.concatenate, zip(*seen, strict=True))), acceptances, losses, int(starts[-1]))

    def verdicts(self, weights: Floats | None = None) -> tuple[Floats, Masks, Floats]:
        """Probability of each verdict that can be predicted, whether it was "accepted", and its weight or another."""
        weights = self.seen.weights if weights is None else weights
        chosen = (self.seen.verdicts > 0) & ~np.isnan(self.acceptances)
        return self.acceptances[chosen], self.seen.verdicts[chosen] == 1, weights[chosen]

    def by(self, acceptances: Floats) -> Predictions:
        """Predictions of the same verdicts by other probabilities."""
        with np.errstate(divide="ignore"):
            losses = -np.log(np.where(self.seen.verdicts == 1, acceptances, 1.0 - acceptances)) + 0.0
        return replace(self, acceptances=acceptances, losses=losses)

    def take(self, rows: NDArray[Any]) -> Predictions:
        """Some of the predictions."""
        return replace(self, seen=self.seen.take(rows), acceptances=self.acceptances[rows], losses=self.losses[rows])
