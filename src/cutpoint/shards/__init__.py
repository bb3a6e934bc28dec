"""Samples in shards: folders with a manifest, tables as they are, and the engines that work on them."""

from cutpoint.shards import engines as engines
from cutpoint.shards.sharded_sample import ShardedSample as ShardedSample
from cutpoint.shards.writing import write_shards as write_shards
