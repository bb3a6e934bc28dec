"""The row about clusters: a worker that is killed in the middle of a fit changes nothing."""

import contextlib
import importlib
import importlib.util
import os
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.em.counts import Counts
from torture.scoreboard import Row

START = cp.random_acceptor(3, "ab", rng=3)


def no_dask() -> str:
    """What is missing to run a cluster."""
    return "" if importlib.util.find_spec("distributed") else "no Dask: pip install cutpoint[dask]"


@cache
def cluster() -> Any:
    """A client of two workers, which are processes of this machine."""
    dask, distributed = (importlib.import_module(name) for name in ("dask", "distributed"))
    dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})  # a busy machine starts workers slowly
    workers = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    return distributed.Client(workers)


def fitted(shards: cp.ShardedSample, engine: Any = None, callback: Any = None) -> Any:
    """Bits of a fit."""
    fit = cp.baum_welch(START, shards, max_steps=6, tolerance=0.0, engine=engine, callback=callback)
    return fit.acceptor.transitions.tobytes(), fit.acceptor.initial.tobytes(), list(fit.history)


def deaths(seed: int) -> int:
    """A fit during which a worker is killed after some step; the cluster starts another."""
    rng = np.random.default_rng(seed)
    words = cp.random_words("ab", 200, (0, 8), rng=seed)
    shards = cp.ShardedSample.of(cp.simulate(cp.random_acceptor(3, "ab", rng=seed), words, rng=seed), observations=30)
    moment = int(rng.integers(1, 5))
    client = cluster()
    client.wait_for_workers(2, timeout=200)

    def kill(at: Any) -> None:
        if at.steps == moment:
            os.kill(client.submit(os.getpid, pure=False).result(), signal.SIGKILL)

    with np.errstate(all="raise"):
        found = fitted(shards, cp.engines.Dask(client), kill)
    assert found == fitted(shards), f"killed after step {moment}"
    return 1


@contextlib.contextmanager
def unsteady_sums() -> Iterator[None]:
    """What workers counted is added with an error in the last place."""
    right = Counts.__add__

    def wrong(self: Counts, other: Counts) -> Any:
        total = right(self, other)
        return type(total)(total.transitions * (1 + 2**-50), *list(vars(total).values())[1:])

    with patch.object(Counts, "__add__", wrong):
        yield


ROWS = [
    Row(
        "cluster-deaths",
        "A Dask worker that is killed in the middle of a fit changes no bit of the result.",
        deaths,
        unsteady_sums,
        timeout=300.0,
        minutes=5.0,
        missing=no_dask,
    )
]
