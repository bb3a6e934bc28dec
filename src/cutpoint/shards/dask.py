"""The processes of a Dask cluster: shards live in the memory of workers, parameters go out, sums come back."""

from __future__ import annotations

import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import count, islice
from typing import Any

import numpy as np

from cutpoint.data import Alphabet
from cutpoint.em.counts import pairwise_sum
from cutpoint.em.observations import AnySample, Engine
from cutpoint.errors import CutpointError, EngineLost, InvalidArgument, KernelsUnavailable, MissingExtra
from cutpoint.kernels import kernel_info
from cutpoint.kernels.sparse_matrices import RaggedRows, SparsePattern
from cutpoint.shards.sharded_sample import LoadedShard, ShardedSample, ShardObservations
from cutpoint.wording import shown

PACKAGE = "cutpoint"

BLOCKS_PER_THREAD = 4  # tasks per thread of the cluster and step, so that a thread that is done early finds more
MOST_BLOCKS = 1024  # limit of the tasks per step: the scheduler hands them out one by one
FAN = 16  # number of sums that are added at a time on their way back, a power of two
PATIENCE = 60.0  # seconds without any worker after which an engine gives up
POLL = 2.0  # seconds between two checks that the cluster is still there

AGAIN = "with a checkpoint the work continues from its last step."


class Dask(Engine):
    """A Dask cluster. Workers load shards themselves and keep them with their prefix trees.

    A worker that dies takes its shards with it: others load them again and the step goes on, with the same result. If
    the scheduler is lost, or no worker is left for a while, the work stops with an :class:`EngineLost`; a fit with a
    ``checkpoint`` then goes on from its last step.

    Parameters
    ----------
    client : a ``distributed.Client``, or the address of a scheduler such as ``tcp://10.0.0.1:8786``.
    patience : seconds to wait for a worker when there is none.
    """

    def __init__(self, client: Any, patience: float = PATIENCE) -> None:
        if not (isinstance(patience, int | float) and patience > 0.0):
            raise InvalidArgument(f"patience must be a positive number of seconds; got {shown(patience)}.")
        self.patience = patience
        self._own = isinstance(client, str)
        if isinstance(client, str):
            client = _connected(client, patience)
        if not isinstance(client, _distributed().Client):
            raise InvalidArgument(f"expected a distributed.Client or the address of a scheduler; got {shown(client)}.")
        self.client: Any = client
        self._kernels: str | None = None

    def observe(self, sample: AnySample, alphabet: Alphabet) -> DaskObservations:
        """Have the workers load the shards of a sample; each block of them is one task, which can be repeated."""
        return DaskObservations(self, ShardedSample.as_one(sample), alphabet)

    def kernels(self) -> str:
        """Which kernels the first worker that was asked has; all others must have the same."""
        if self._kernels is None:
            self._answer(int)  # wait for a worker
            check_versions(self.ask("run", version, PACKAGE, on_error="return"))
            self._kernels = str(self._answer(kernel_signature))
        return self._kernels

    def close(self) -> None:
        """Leave the cluster, if it was joined by its address."""
        if self._own:
            self.client.close()

    def ask(self, method: str, *arguments: Any, **named: Any) -> Any:
        """Result of a method of the client, as long as it has a scheduler."""
        self.check_running()
        try:
            return getattr(self.client, method)(*arguments, **named)
        except (OSError, RuntimeError) as problem:
            raise self.lost(_first_line(problem)) from None

    def _answer(self, function: Callable[[], Any]) -> Any:
        key = f"cutpoint-{function.__name__}-{secrets.token_hex(8)}"
        return self.result(self.ask("submit", function, key=key, pure=False))

    def result(self, future: Any) -> Any:
        """Result of a task, or the error that it raised; a failure of the cluster itself becomes a sentence."""
        distributed, without_workers = _distributed(), 0.0
        while not self._is_done(future):
            without_workers = self._check_workers(without_workers)
        try:
            return future.result()
        except CutpointError:
            raise
        except distributed.scheduler.KilledWorker as killed:
            raise EngineLost(
                f"the cluster gave up: workers died again and again on the same shards ({_first_line(killed)}). "
                "Give the workers more memory, or make the shards smaller."
            ) from None
        except (distributed.CancelledError, OSError, RuntimeError) as problem:
            self.check_running()
            if future.status == "error":  # of the task itself
                raise
            if isinstance(problem, OSError):  # on the way, before the client has noticed
                raise self.lost(_first_line(problem)) from None
            raise EngineLost(f"the cluster dropped the work ({_first_line(problem)}). Run again; {AGAIN}") from None

    @staticmethod
    def _is_done(future: Any) -> bool:
        """Whether a task is done, well or not; waits for it a little."""
        try:
            future.exception(timeout=POLL)
        except Exception as problem:
            return not isinstance(problem, _distributed().TimeoutError)
        return True

    def _check_workers(self, since: float) -> float:
        """When the cluster was first seen without workers, 0 if it has some; an error if that is too long ago."""
        if self.ask("scheduler_info", n_workers=1)["workers"]:
            return 0.0
        if since and time.monotonic() - since > self.patience:
            waited = f"the cluster has had no worker for {self.patience:g} seconds"
            raise EngineLost(f"{waited}. Start workers and run again; {AGAIN}")
        return since or time.monotonic()

    def check_running(self) -> None:
        """Refuse to go on with a client that has lost its scheduler, or was closed."""
        if self.client.status == "closed":
            raise EngineLost(f"the client is closed. Connect a new one; {AGAIN}")
        if self.client.status != "running":
            raise self.lost(f"the client is {self.client.status}")

    def lost(self, reason: str) -> EngineLost:
        """Error of a lost scheduler."""
        return EngineLost(f"the scheduler was lost ({reason}). Start one and run again; {AGAIN}")


class DaskObservations(ShardObservations):
    """Shards of one sample in the memory of workers, in blocks of neighbors."""

    def __init__(self, engine: Dask, sample: ShardedSample, alphabet: Alphabet) -> None:
        super().__init__(sample, alphabet)
        self._engine = engine
        self._name = f"cutpoint-{secrets.token_hex(8)}"
        self._questions = count(1)  # threads may ask at the same time: each gets a number of its own
        self._kernels = engine.kernels()
        size = block_size(len(sample.parts), self._threads())
        blocks = (replace(sample, parts=sample.parts[k : k + size]) for k in range(0, len(sample.parts), size))
        self._blocks = [self._task("load", number, _load, block, alphabet) for number, block in enumerate(blocks)]

    def sum_over_shards(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum over the shards: each block adds its own, then sums of neighbors meet; all by the one fixed tree."""
        step = next(self._questions)
        level, height = list(self._asked(step, pairwise_sum, function, arguments)), 0
        while len(level) > 1:
            height += 1
            groups = [level[k : k + FAN] for k in range(0, len(level), FAN)]
            level = [self._task(f"sum-{step}-{height}", k, pairwise_sum, group) for k, group in enumerate(groups)]
        return self._engine.result(level[0])

    def for_each_shard(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Values of the shards in their order, a few blocks at a time."""
        tasks = self._asked(next(self._questions), list, function, arguments)
        waiting = deque(islice(tasks, 2 * self._threads()))
        while waiting:
            waiting.extend(islice(tasks, 1))
            yield from self._engine.result(waiting.popleft())

    def close(self) -> None:
        """Let the workers forget the shards."""
        self._blocks = []

    def _threads(self) -> int:
        return max(1, int(sum(self._engine.ask("nthreads").values())))

    def _asked(self, step: int, collect: Callable[..., Any], *question: Any) -> Iterator[Any]:
        """A task for each block, whose values are collected there, as a list or a sum."""
        for number, block in enumerate(self._blocks):
            yield self._task(f"part-{step}", number, block_values, collect, block, self._kernels, *question)

    def _task(self, what: str, number: int, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._engine.ask("submit", function, *arguments, key=f"{self._name}-{what}-{number}", pure=False)


def block_size(shards: int, threads: int) -> int:
    """Shards in a block: a power of two, so that a block is a branch of the tree of sums.

    Examples
    --------
    >>> block_size(64, 2), block_size(5, 8), block_size(1000, 16), block_size(100_000, 256), block_size(100_000, 4096)
    (8, 1, 8, 64, 64)
    """
    wanted = min(BLOCKS_PER_THREAD * threads, MOST_BLOCKS)
    return 1 << int(math.log2(max(1.0, shards / wanted)))


# Functions that workers run


def _load(block: ShardedSample, alphabet: Alphabet) -> list[LoadedShard]:
    return [LoadedShard.load(block, number, alphabet) for number in range(len(block.parts))]


def block_values(
    collect: Callable[[Iterable[Any]], Any],
    block: Iterable[Any],
    expected: str,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    """Values of a function of the shards of a block, collected; refused where the kernels are not those expected."""
    found = kernel_signature()
    if found != expected:
        raise KernelsUnavailable(
            "workers must have the same kernels, so that results do not depend on who does what; one has "
            f"{expected}, another {found}. Set CUTPOINT_KERNELS and CUTPOINT_ISA alike on all workers."
        )
    arguments = aligned(arguments)
    return collect(function(shard, *arguments) for shard in block)


def aligned(value: Any) -> Any:
    """A value whose arrays lie as the kernels need them: a message may put them at odd addresses."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if isinstance(value, RaggedRows | SparsePattern):
        twin = object.__new__(type(value))
        twin.__dict__.update({name: aligned(part) for name, part in vars(value).items()})
        return twin
    if not isinstance(value, tuple | list):
        return value
    parts = map(aligned, value)
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def kernel_signature() -> str:
    """Which kernels a process has; the same ones give the same bits."""
    info = kernel_info()
    return f"{info['kernels']} for {info['instruction_set']}"


# Versions and connections


def installed() -> str | None:
    """Version of the package in this process."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def check_versions(found: Mapping[str, Any]) -> None:
    """Refuse workers, by their addresses, with another version of the package, or without it.

    A worker without the package would not survive the first task. One that is just being lost is no concern of ours.
    """
    here = installed()
    for worker, answer in found.items():
        there = None if isinstance(answer, PackageNotFoundError) else answer
        if isinstance(there, str | None) and there != here:
            raise KernelsUnavailable(
                f"workers must have the version of {PACKAGE} that this process has, {here}; the worker {worker} has "
                f'{there or "none"}. Install it there: pip install "{PACKAGE}[dask]=={here}".'
            )


def _first_line(problem: BaseException) -> str:
    line = next((line for line in str(problem).splitlines() if line.strip()), type(problem).__name__)
    return line[:200].strip().rstrip(".")


def _connected(address: str, patience: float) -> Any:
    """A client of the scheduler at an address, which is checked first: a client that fails closes slowly."""
    distributed = _distributed()
    try:
        distributed.comm.get_address_host(address)
    except ValueError as problem:
        found = f"{shown(address)} ({_first_line(problem)})"
        raise InvalidArgument(
            f"expected the address of a scheduler, such as tcp://10.0.0.1:8786; got {found}."
        ) from None
    try:
        return distributed.Client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TypeError) as problem:
        raise EngineLost(f"{address}: no scheduler answers there ({_first_line(problem)}).") from None


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415
    except ImportError:
        raise MissingExtra('Dask needs the extra dask: pip install "cutpoint[dask]".') from None
    return distributed
