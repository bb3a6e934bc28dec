"""Engines: who works on a sample. All of them give the same bits.

An engine makes the observations of a sample: it loads shards, asks them, and adds the answers in a fixed order.
"""

from cutpoint.shards.dask import Dask
from cutpoint.shards.local import Local

__all__ = ["Dask", "Local"]
