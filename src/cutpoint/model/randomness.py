"""Randomness is an explicit argument everywhere: a generator, or a seed for one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import InvalidArgument
from cutpoint.kernels.words import EncodedWords
from cutpoint.wording import shown


def generator(rng: np.random.Generator | int) -> np.random.Generator:
    """Generator itself, or one made from a seed.

    Examples
    --------
    >>> generator(7).integers(100, size=3)
    array([94, 62, 68])
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InvalidArgument(f"rng must be a numpy Generator or a whole number, 0 or more, as seed; got {shown(rng)}.")
    return np.random.default_rng(rng)


def sampled_runs(
    transitions: NDArray[np.float64],
    initial: NDArray[np.float64],
    words: EncodedWords,
    rng: np.random.Generator,
) -> list[NDArray[np.int64]]:
    """One random run per word: codes of its n + 1 states. A transition of probability 0 is never made."""
    starts, lengths = words.positions[:-1], words.lengths
    draws = rng.random(int(words.positions[-1]))
    runs = np.empty(len(draws), dtype=np.int64)
    runs[starts] = _drawn(np.broadcast_to(initial, (len(lengths), len(initial))), draws[starts])
    order = np.argsort(-lengths, kind="stable")
    for i in range(int(lengths.max(initial=0))):
        active = order[: np.searchsorted(-lengths[order], -i)]
        place = starts[active] + i
        rows = transitions[words.symbols[words.offsets[active] + i], runs[place]]
        runs[place + 1] = _drawn(rows, draws[place + 1])
    return np.split(runs, starts[1:])


def _drawn(rows: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.int64]:
    """State drawn from each row by a number in [0, 1)."""
    cumulative = rows.cumsum(axis=1)
    chosen = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
    last_positive = rows.shape[1] - 1 - (rows[:, ::-1] > 0.0).argmax(axis=1)
    return np.asarray(np.minimum(chosen, last_positive), dtype=np.int64)
