"""Randomness is an explicit argument everywhere: a generator, or a seed for one."""

import numpy as np

from cutpoint.data.names import shown
from cutpoint.errors import InvalidArgument


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
