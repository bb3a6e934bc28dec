"""Counts: the sufficient statistic of a sample, a value that can be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistic of a sample under an acceptor: how often each parameter is expected to have been used.

    Counts of parts of a sample add up to the counts of the whole, in any split.

    Attributes
    ----------
    transitions : the paper's v, ``[a, s, t]``.
    initial : expected number of runs that start in each state.
    log_likelihood : log-likelihood of the evidence.
    """

    transitions: Floats
    initial: Floats
    log_likelihood: float

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self.transitions.setflags(write=False)
        self.initial.setflags(write=False)

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of two disjoint samples together."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self.transitions.shape != other.transitions.shape:
            raise InvalidArgument(
                "counts can be added if they have the same symbols and states; "
                f"got shapes {self.transitions.shape} and {other.transitions.shape}."
            )
        return Counts(
            self.transitions + other.transitions,
            self.initial + other.initial,
            self.log_likelihood + other.log_likelihood,
        )


def impossible_sentence(sample: Sample, rows: Sequence[int]) -> str:
    """Sentence that names observations of probability 0."""
    others = f" (so have {len(rows) - 1} more)" if len(rows) > 1 else ""
    return (
        f"Observation {sample.describe(rows[0])} has probability 0 under the acceptor{others}: no run agrees with it. "
        "Use positive entries in transitions and initial, or leave out what log_likelihoods(acceptor, sample) gives "
        "-inf."
    )
