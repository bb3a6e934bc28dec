"""Settings of all tests; ``--engine=dask`` reruns the learning suite on a cluster of two processes."""

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "cutpoint", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("cutpoint")

LEARNING_SUITE = (
    "test_learning.py",
    "test_baum_welch.py",
    "test_checkpoint.py",
    "test_complete.py",
    "test_select.py",
    "test_uncertainty.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=["dask"], help="rerun the learning suite through this engine")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--engine"):
        config.addinivalue_line("filterwarnings", "ignore::hypothesis.errors.HypothesisDeprecationWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--engine"):
        chosen = [item for item in items if item.path.name in LEARNING_SUITE]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
        for item in chosen:
            given = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
            if given is not None:  # a step takes milliseconds there: few examples, also where a test asks for many
                item.obj._hypothesis_internal_use_settings = settings(given, max_examples=3)  # type: ignore[attr-defined]


@pytest.fixture(scope="session", autouse=True)
def _through_the_engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """With ``--engine=dask``: what InMemory is asked in this process is answered by a cluster, from two shards."""
    if not request.config.getoption("--engine"):
        yield
        return
    from cutpoint.em import loaded
    from cutpoint.em.engine import InMemory
    from cutpoint.shards.engines import Dask

    distributed: Any = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
        pytest.MonkeyPatch.context() as patch,
    ):
        engine = Dask(client)
        places: WeakKeyDictionary[InMemory, Any] = WeakKeyDictionary()

        def placed(memory: InMemory) -> Any:
            if memory not in places:
                places[memory] = engine.load(_halves(memory.sample), memory.sample.alphabet)
            return places[memory]

        def logs(memory: InMemory, parameters: Any, masks: Any) -> Any:
            return np.concatenate(list(placed(memory).each(_logs, parameters, masks)))

        patch.setattr(
            InMemory,
            "expected_counts",
            lambda memory, *given, **named: placed(memory).total(loaded.counts, *given, *named.values()),
        )
        patch.setattr(InMemory, "log_likelihoods", logs)
        yield


def _logs(shard: Any, parameters: Any, masks: Any) -> Any:
    return shard.memory.log_likelihoods(parameters, masks[shard.rows])


def _halves(sample: Any) -> Any:
    """A sample in two shards, or one if it has a single observation."""
    from cutpoint.em.shards import Head, Held, Shards

    head = Head(sample.alphabet, sample.mark_table)
    rows = [half for half in np.array_split(np.arange(len(sample)), 2) if len(half)]
    parts = tuple(Held(sample.take(half), f"half {k}") for k, half in enumerate(rows))
    return Shards(head, parts, sample.has_evidence)
