"""How many numbers of an acceptor a sample has a say in: its free parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cutpoint.em.counts import Counts

HALF_A_USE = 0.5
"""Entries with a smaller expected count are as good as 0; in complete data counts are 0, or 1 and more."""


def stacked(transitions: NDArray[np.float64], initial: NDArray[np.float64]) -> NDArray[np.float64]:
    """All rows one below the other: that of symbol a, state s is row ``a * n_states + s``, the initial one is last."""
    return np.concatenate((transitions.reshape(-1, len(initial)), initial[None]))


def used_entries(counts: Counts) -> NDArray[np.bool_]:
    """Entries that are used at least half a time in expectation, in the order of :func:`stacked`."""
    return np.asarray(stacked(counts.transitions, counts.initial) >= HALF_A_USE)


def free_parameters(counts: Counts) -> int:
    """Used entries minus one for each row that has any: rows sum to 1."""
    used = used_entries(counts).sum(axis=1)
    return int(np.maximum(used - 1, 0).sum())
