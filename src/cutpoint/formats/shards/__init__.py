"""Samples in shards: folders with a manifest, and tables as they are."""

from cutpoint.formats.shards.sample import ShardedSample
from cutpoint.formats.shards.writing import write_shards

__all__ = ["ShardedSample", "write_shards"]
