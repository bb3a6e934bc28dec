"""The compiled kernels, behind the signatures of :mod:`reference`.

Scoring is compiled; the remaining recursions are those of the reference, taken over by name so that a caller never
needs to know which is which. Importing this module fails where the extension was not built.
"""

import numpy as np

from cutpoint.kernels import _native
from cutpoint.kernels.reference import (
    Codes,
    Floats,
    Offsets,
    backward,
    distribution,
    expected_counts,
    forward,
    log_probabilities,
    matrix,
    most_likely_path,
    occupancy,
)

__all__ = [
    "acceptances",
    "backward",
    "distribution",
    "expected_counts",
    "forward",
    "log_probabilities",
    "matrix",
    "most_likely_path",
    "occupancy",
]


def acceptances(transitions: Floats, initial: Floats, column: Floats, symbols: Codes, offsets: Offsets) -> Floats:
    """πP(x)f of every word, equation (e-M-2); the same bits as the reference."""
    scores = np.empty(len(offsets) - 1)
    _native.acceptances(transitions, initial, column, symbols, offsets, scores)
    return scores
