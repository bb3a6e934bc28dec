"""Settings of all tests; ``--engine=local`` or ``--engine=dask`` reruns the tests that take an engine through it."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from cutpoint.em.observations import Engine, Observations

EXAMPLES = int(os.environ.get("CUTPOINT_EXAMPLES", "50"))  # of each law; more take longer than six minutes

settings.register_profile(
    "cutpoint",
    deadline=None,
    derandomize=True,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("cutpoint")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=["local", "dask"], help="run only the tests that take an engine, through this")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--engine"):
        config.addinivalue_line("filterwarnings", "ignore::hypothesis.errors.HypothesisDeprecationWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--engine"):
        chosen = [item for item in items if "engine" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
        for item in chosen:
            given = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
            if given is not None:  # a step takes milliseconds there: few examples, also where a test asks for many
                item.obj._hypothesis_internal_use_settings = settings(given, max_examples=3)  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Who works on samples: None, or with ``--engine`` two threads or processes that get every sample in two shards."""
    chosen = request.config.getoption("--engine")
    if chosen is None:
        yield None
        return
    from cutpoint.shards.engines import Dask, Local

    if chosen == "local":
        yield InTwoShards(Local(2, memory=0))
        return
    distributed: Any = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield InTwoShards(Dask(client))


class InTwoShards(Engine):
    """An engine that gives another one each sample in two shards, or one if it has a single observation."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def observe(self, sample: Any, alphabet: Any) -> Observations:
        from cutpoint.shards.sharded_sample import MemoryShard, ShardedSample

        if not isinstance(sample, ShardedSample):
            halves = [rows for rows in np.array_split(np.arange(len(sample)), 2) if len(rows)]
            parts = [sample.reweighted(np.where(np.isin(np.arange(len(sample)), h), sample.counts, 0)) for h in halves]
            shards = tuple(MemoryShard(part) for part in parts)
            sample = ShardedSample(sample.alphabet, sample.mark_table, shards, sample.has_evidence)
        return self.engine.observe(sample, alphabet)
