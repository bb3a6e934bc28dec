"""The engine of one machine: threads over shards, which stay in memory if they fit and are streamed if they do not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from cutpoint.data import Alphabet
from cutpoint.em.loaded import Loaded, load
from cutpoint.em.pairwise import pairwise_sum
from cutpoint.em.shards import Shards
from cutpoint.exact import whole_number
from cutpoint.kernels import MOST_THREADS, cores

SHARE = 0.5
"""Share of the free memory that shards may fill."""


class Local:
    """Threads of this machine. What does not fit into memory is read from disk again in every step.

    Parameters
    ----------
    threads : number of threads, all cores unless told; results are the same bit for bit.
    memory : most bytes of shards to keep, by default half of what is free; 0 keeps none. Beside them each thread holds
        the shard that it works on.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["1", "1"], accepted=[True, False])
    >>> with cp.engines.Local(threads=2) as engine:
    ...     cp.expected_counts(cp.p_adic(2), sample, engine=engine).transitions[1].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        if threads is not None:
            whole_number("threads", threads, least=1, most=MOST_THREADS)
        if memory is not None:
            whole_number("memory", memory, least=0)
        self.threads = threads or cores()
        self.memory = memory

    def load(self, shards: Shards, alphabet: Alphabet) -> LocalShards:
        """Take shards; each is loaded when it is first needed."""
        return LocalShards(shards, alphabet, self.threads, int(SHARE * free()) if self.memory is None else self.memory)

    def close(self) -> None:
        """Nothing to let go of: shards go with what was loaded."""

    def __enter__(self) -> Local:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LocalShards:
    """Shards of one sample on this machine: all with their prefix trees if that fits.

    Otherwise as many as fit are kept without, in a fraction of the memory; the others come and go. Trees are then made
    along the way.
    """

    def __init__(self, shards: Shards, alphabet: Alphabet, threads: int, memory: int) -> None:
        self._shards, self._alphabet = shards, alphabet
        self._inner = max(1, threads // len(shards.parts))
        self._pool = ThreadPoolExecutor(min(threads, len(shards.parts)))
        self._kept: dict[int, Loaded] = {}
        self._room, self._lock = memory, Lock()
        self._passing = shards.memory > memory

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum over the shards, in the fixed order."""
        return pairwise_sum(self.each(function, *arguments))

    def each(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Values of the shards in their order; no more than a few wait for their turn."""
        waiting = []
        try:
            for number in range(len(self._shards.parts)):
                waiting.append(self._pool.submit(self._value, number, function, arguments))
                if len(waiting) > 2 * self._pool._max_workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """Let the shards go."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._kept.clear()

    def _value(self, number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        shard = self._kept.get(number)
        if shard is None:
            shard = load(self._shards.parts[number], self._shards.head, self._alphabet, self._inner, self._passing)
            self._keep(number, shard)
        return function(shard, *arguments)

    def _keep(self, number: int, shard: Loaded) -> None:
        """Keep a shard if there is room: for all of them, or for this one."""
        size = sys.getsizeof(shard) if self._passing else 0
        with self._lock:
            if size <= self._room and number not in self._kept:  # another thread may have been as quick
                self._room -= size
                self._kept[number] = shard


def free() -> int:
    """Bytes of memory that this process may still take, by the system, its control group and its own limit."""
    room = [_available(), _left_in_group()]
    try:
        import resource  # noqa: PLC0415 - not on every system

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            room.append(limit - used)
    except (ImportError, OSError, ValueError):
        pass
    return max(0, min(room))


def _available() -> int:
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**32


def _left_in_group() -> int:
    try:
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no control group, or one without a limit
        return 2**62
    return limit - used
