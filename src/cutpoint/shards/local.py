"""The engine of one machine: threads over shards, which stay in memory if they fit and are streamed if they do not."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from cutpoint.data import Alphabet
from cutpoint.em.observations import AnySample, Engine
from cutpoint.exact import whole_number
from cutpoint.kernels import cores
from cutpoint.model.parts import check_threads
from cutpoint.shards.sharded_sample import LoadedShard, ShardedSample, ShardObservations

SHARE = 0.5
"""Share of the free memory that shards may fill."""


class Local(Engine):
    """Threads of this machine. Shards that do not fit into memory are read from disk again in every step.

    Parameters
    ----------
    threads : number of threads (default: all cores); results are the same bit for bit.
    memory : limit in bytes of the shards to keep (default: half of what is free); 0 keeps none. In addition each thread
        holds the shard that it works on.

    Examples
    --------
    >>> sample = cp.Sample(["1", "1"], accepted=[True, False])
    >>> with cp.engines.Local(threads=2) as engine:
    ...     cp.expected_counts(cp.p_adic(2), sample, engine=engine).transitions[1].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        check_threads(threads)
        if memory is not None:
            whole_number("memory", memory, least=0)
        self.threads = threads or cores()
        self.memory = memory

    def observe(self, sample: AnySample, alphabet: Alphabet) -> LocalObservations:
        """Observations of a sample; each shard is loaded when it is first needed."""
        memory = int(SHARE * free_memory()) if self.memory is None else self.memory
        return LocalObservations(ShardedSample.as_one(sample), alphabet, self.threads, memory)


class LocalObservations(ShardObservations):
    """Shards of one sample on this machine: all with their prefix trees if that fits.

    Otherwise as many as fit are kept without trees, in a fraction of the memory; the others are read again for every
    question. Trees are then made along the way.
    """

    def __init__(self, sample: ShardedSample, alphabet: Alphabet, threads: int, memory: int) -> None:
        super().__init__(sample, alphabet)
        self.kept: dict[int, LoadedShard] = {}
        self._threads = min(threads, len(sample.parts))
        self._pool = ThreadPoolExecutor(self._threads)
        self._loading = max(1, threads // len(sample.parts)), sample.memory <= memory
        self._room, self._lock = memory, Lock()

    def for_each_shard(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Values of the shards in their order; no more than a few wait for their turn."""
        numbers = range(len(self.sample.parts))
        futures = (self._pool.submit(self._value, number, function, arguments) for number in numbers)
        waiting = deque(islice(futures, 2 * self._threads))
        try:
            while waiting:
                waiting.extend(islice(futures, 1))
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """Stop the threads and drop the shards."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.kept.clear()

    def _value(self, number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Value of a shard, which is kept if there is room: for all of them with their trees, or for it without."""
        shard = self.kept.get(number)
        if shard is None:
            shard = LoadedShard.load(self.sample, number, self.alphabet, *self._loading)
            size = 0 if shard.keep_tree else sys.getsizeof(shard)
            with self._lock:
                if size <= self._room and number not in self.kept:  # another thread may have been as quick
                    self._room -= size
                    self.kept[number] = shard
        return function(shard, *arguments)


def free_memory() -> int:
    """Bytes of memory that this process may still take, by the system, its control group and its own limit."""
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        room = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**32
    with suppress(OSError, ValueError):  # no control group, or one without a limit
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        room = min(room, limit - used)
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            room = min(room, limit - used)
    return max(0, room)
