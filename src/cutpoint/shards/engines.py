"""Engines: who works on the shards of a sample. All of them give the same bits.

An engine loads shards, maps a function over them with parameters, adds the results in a fixed order, and closes.
"""

from cutpoint.em.local import Local
from cutpoint.shards.dask import Dask

__all__ = ["Dask", "Local"]
