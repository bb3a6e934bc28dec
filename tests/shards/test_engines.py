"""Engines: the same bits from every one of them, also when workers come and go; sentences where work must stop."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.data import Alphabet, Mark
from cutpoint.em.counts import pairwise_sum
from cutpoint.em.observations import Parameters, observations
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.kernels.words import EncodedWords
from cutpoint.shards.dask import block_values, kernel_signature
from cutpoint.shards.engines import free_memory
from cutpoint.shards.sharded_sample import LoadedShard
from tests.shards.test_shards import folder_of, rich_sample

START = cp.random_acceptor(3, "ab", rng=5)
SAMPLE = cp.simulate(cp.random_acceptor(3, "ab", rng=0), cp.random_words("ab", 400, (0, 7), rng=1), rng=2)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> cp.ShardedSample:
    return folder_of(SAMPLE, tmp_path_factory.mktemp("shards") / "here", observations=20)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    with (  # a cluster gives up a worker that was killed and is not back in time, which is short on a busy machine
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
    ):
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as made:
        made.wait_for_workers(2)
        yield made


FORMS = pytest.mark.parametrize("start", [START, START.to_sparse()], ids=["dense", "sparse"])


def fitted(sample: Any, engine: Any = None, start: cp.Acceptor = START, **options: Any) -> cp.Fit:
    return cp.baum_welch(start, sample, tolerance=0.0, max_steps=6, engine=engine, **options)


def same(one: cp.Fit, other: cp.Fit) -> bool:
    return (
        one.acceptor.transitions.tobytes() == other.acceptor.transitions.tobytes()
        and one.history == other.history
        and one.log_likelihood == other.log_likelihood
    )


@pytest.mark.parametrize("n", range(1, 40))
def test_sums_pair_neighbors_level_by_level(n: int) -> None:
    level = [f"{k}" for k in range(n)]
    while len(level) > 1:  # the definition: neighbors are added, one left over goes up
        pairs = [f"({level[k]}+{level[k + 1]})" for k in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) // 2 * 2 :]

    class Term(str):
        __slots__ = ()

        def __add__(self, other: str) -> "Term":
            return Term(f"({self!s}+{other!s})")

    assert pairwise_sum(Term(k) for k in range(n)) == level[0]


@given(st.lists(st.floats(-1e10, 1e10), min_size=1, max_size=200), st.integers(0, 6))
def test_blocks_of_a_power_of_two_are_branches(values: list[float], power: int) -> None:
    size = 2**power
    blocks = [pairwise_sum(values[k : k + size]) for k in range(0, len(values), size)]
    assert pairwise_sum(blocks) == pairwise_sum(values)


@FORMS
def test_local_engines_give_the_same_bits(shards: cp.ShardedSample, start: cp.Acceptor) -> None:
    assert len(shards.parts) > 8
    right = fitted(shards, cp.engines.Local(1), start)
    assert right.steps == 6
    for engine in (cp.engines.Local(2), cp.engines.Local(2, memory=0), cp.engines.Local(3, memory=4000), None):
        assert same(fitted(shards, engine, start), right)
    assert same(fitted(cp.ShardedSample.of(SAMPLE, observations=20), start=start), right)


def test_shards_are_kept_as_far_as_there_is_room(shards: cp.ShardedSample) -> None:
    every, none = shards.memory, 0
    loaded = [LoadedShard.load(shards, k, shards.alphabet, keep_tree=False) for k in range(len(shards.parts))]
    sizes = list(map(sys.getsizeof, loaded))
    assert sum(sizes) < every
    for room, kept in ((every, len(sizes)), (sum(sizes), len(sizes)), (sum(sizes[:2]), 2), (none, 0)):
        with cp.engines.Local(1, memory=room).observe(shards, shards.alphabet) as data:
            with_trees = {*data.for_each_shard(lambda shard: shard.keep_tree)}
            assert (len(data.kept), with_trees) == (kept, {room >= every})
            if room < every:
                assert sum(map(sys.getsizeof, data.kept.values())) <= room
        assert not data.kept


def test_one_shard_is_the_sample_itself() -> None:
    plain = fitted(SAMPLE)
    assert same(fitted(SAMPLE, cp.engines.Local(2)), plain)
    one = cp.ShardedSample.of(SAMPLE, observations=10**6)
    assert len(one.parts) == 1
    assert same(fitted(one), fitted(next(one.samples())))


def test_counts_of_shards_are_those_of_the_sample(shards: cp.ShardedSample) -> None:
    whole, parts = cp.expected_counts(START, SAMPLE), cp.expected_counts(START, shards)
    np.testing.assert_allclose(parts.transitions, whole.transitions, rtol=1e-12, atol=0)
    np.testing.assert_allclose(parts.initial, whole.initial, rtol=1e-12, atol=0)
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12, abs=0)
    for inputs in (False, True):
        right = cp.log_likelihood(START, SAMPLE, with_inputs=inputs)
        assert cp.log_likelihood(START, shards, with_inputs=inputs) == pytest.approx(right, rel=1e-12, abs=0)


def test_scores_come_shard_by_shard(shards: cp.ShardedSample) -> None:
    found = {
        (word, accepted): value
        for sample, values in cp.em.acceptances_by_shard(START, shards)
        for word, accepted, value in zip(sample.words, sample.accepted, values.tolist(), strict=True)
    }
    right = dict(zip(zip(SAMPLE.words, SAMPLE.accepted, strict=True), START.acceptances(SAMPLE).tolist(), strict=True))
    assert found == right


def test_scores_that_are_given_up_wait_for_no_thread(shards: cp.ShardedSample, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may close an iterator in a thread that holds the lock of all pools of threads."""
    closed: list[Any] = []
    monkeypatch.setattr("cutpoint.shards.engines.LocalObservations.close", lambda data: closed.append(data.sample))
    scores = cp.em.acceptances_by_shard(START, shards)
    next(scores)
    scores.close()  # type: ignore[attr-defined]
    assert not closed
    assert len(list(cp.em.acceptances_by_shard(START, shards))) == len(shards.parts)
    assert len(closed) == 1


def test_an_acceptor_with_another_alphabet(shards: cp.ShardedSample) -> None:
    other = cp.random_acceptor(3, "cba", rng=5)
    whole = cp.expected_counts(other, SAMPLE)
    np.testing.assert_allclose(cp.expected_counts(other, shards).transitions, whole.transitions, rtol=1e-12, atol=0)
    with pytest.raises(cp.errors.UnknownSymbol, match="'b' is not in the alphabet"):
        cp.expected_counts(cp.random_acceptor(3, "ac", rng=5), shards)


def test_marks_along_the_way_mean_the_same_in_every_shard() -> None:
    sample = rich_sample()
    shards = cp.ShardedSample.of(sample, observations=2)
    acceptor = cp.Acceptor(["q", "r"], "ab", np.full((2, 2, 2), 0.5), "q", {"r"})
    whole = cp.expected_counts(acceptor, sample)
    np.testing.assert_allclose(cp.expected_counts(acceptor, shards).transitions, whole.transitions, rtol=1e-12, atol=0)


def test_files_with_marks_of_their_own(tmp_path: Path) -> None:
    rows = [
        {"word": "ab", "states": ["q", None, "r"], "accepted": None},
        {"word": "b", "states": [None, "r"], "accepted": None},
        {"word": "ba", "verdicts": [None, False, True], "accepted": None},
    ]
    for k, row in enumerate(rows):
        (tmp_path / f"{k}.ndjson").write_text(json.dumps(row) + "\n")
    shards = cp.ShardedSample.from_ndjson(f"{tmp_path}/*.ndjson")
    tables = {part.mark_table for part in shards.samples()}
    assert len(tables) == 3, "each file has marks of its own"
    acceptor = cp.Acceptor(["q", "r"], "ab", [[[0.3, 0.7], [0.6, 0.4]], [[0.2, 0.8], [0.9, 0.1]]], "q", {"r"})
    sample = cp.Sample(
        ["ab", "b", "ba"], states=[["q", None, "r"], [None, "r"], None], verdicts=[None, None, [None, False, True]]
    )
    whole = cp.expected_counts(acceptor, sample)
    np.testing.assert_allclose(cp.expected_counts(acceptor, shards).transitions, whole.transitions, rtol=1e-12, atol=0)
    with observations(shards, shards.alphabet) as data:
        part = data.subsample(100)
    assert [part[r] for r in range(3)] == [sample[r] for r in range(3)]


def test_an_impossible_observation_is_named(shards: cp.ShardedSample) -> None:
    never = cp.Acceptor(1, "ab", np.ones((2, 1, 1)), 0, np.array([False]))
    with pytest.raises(cp.errors.ImpossibleObservation, match=r"\(accepted\) has probability 0"):
        cp.expected_counts(never, shards)
    assert cp.log_likelihood(never, shards) == -np.inf
    fit = cp.baum_welch(never, shards)
    assert fit.stop.name == "IMPOSSIBLE"


def test_learning_from_shards() -> None:
    if cp.kernel_info()["kernels"] == "reference":
        pytest.skip("a search takes thousands of E-steps, which the reference is too slow for")
    sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 300, (0, 8), rng=1), rng=2)
    shards = cp.ShardedSample.of(sample, observations=30)
    found = cp.learn(shards, n_states=2, rng=3)
    assert found.acceptor.acceptances(["1" * 21, "01" * 20]).round(2).tolist() == [1.0, 0.0]
    assert found.log_likelihood == pytest.approx(cp.log_likelihood(found.acceptor, sample), rel=1e-12, abs=0)
    again = cp.learn(shards, n_states=2, rng=3, engine=cp.engines.Local(1, memory=0))
    assert again.acceptor == found.acceptor


def test_the_part_that_is_searched_is_spread_over_all_shards(
    shards: cp.ShardedSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with observations(shards, shards.alphabet) as data:
        part = data.subsample(60)
        assert 30 <= len(part) <= 60
        assert data.subsample(10**6) == SAMPLE
    first = {sample.words[0][:1] for sample in shards.samples() if sample.words[0]}
    assert {word[:1] for word in part.words if word} == first


def test_a_checkpoint_is_for_every_engine_and_for_its_shards_alone(shards: cp.ShardedSample, tmp_path: Path) -> None:
    path = tmp_path / "here"
    cp.baum_welch(START, shards, tolerance=0.0, max_steps=3, checkpoint=path, engine=cp.engines.Local(1))
    assert same(fitted(shards, cp.engines.Local(2, memory=0), checkpoint=path), fitted(shards))
    with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
        fitted(cp.ShardedSample.of(SAMPLE, observations=30), checkpoint=path)
    turned = Alphabet([*START.alphabet][::-1])
    for model, sample in [
        (START.replace(alphabet=turned), shards),
        (START, replace(shards, alphabet=turned)),
        (START.replace(final=~START.final), shards),
        (START, replace(shards, mark_table=(*shards.mark_table, Mark(None, frozenset({0}))))),
    ]:
        with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
            cp.baum_welch(model, sample, checkpoint=path)


def test_what_is_read_from_a_table_belongs_to_the_problem(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word,good,great\nab,1,0\nb,0,1\naab,1,1\n")
    start = cp.random_acceptor(2, "ab", rng=1)
    good, great = (cp.ShardedSample.from_csv(tmp_path / "words.csv", accepted=name) for name in ("good", "great"))
    cp.baum_welch(start, good, max_steps=2, checkpoint=tmp_path / "run")
    cp.baum_welch(start, good, max_steps=3, checkpoint=tmp_path / "run")
    with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
        cp.baum_welch(start, great, checkpoint=tmp_path / "run")


@pytest.mark.parametrize("engine", ["dask", cp.engines.Local, 3])
def test_what_is_no_engine_is_refused(engine: Any) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="engine must be an engine such as"):
        fitted(SAMPLE, engine)


def test_what_engines_cannot_take() -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="threads"):
        cp.engines.Local(0)
    with pytest.raises(cp.errors.InvalidArgument, match="memory"):
        cp.engines.Local(memory=-1)
    pytest.importorskip("distributed")
    with pytest.raises(cp.errors.InvalidArgument, match=r"expected a distributed\.Client or the address"):
        cp.engines.Dask(3)
    with pytest.raises(cp.errors.InvalidArgument, match="patience must be a positive number"):
        cp.engines.Dask("tcp://127.0.0.1:1", patience=0)
    with pytest.raises(cp.errors.EngineLost, match=r"tcp://127\.0\.0\.1:1: no scheduler answers there"):
        cp.engines.Dask("tcp://127.0.0.1:1", patience=0.2)
    for address in ("nonsense", "tcp://10.0.0.1", "tcp://here:port", "foo://here:1", "inproc://x"):
        with pytest.raises(cp.errors.InvalidArgument, match="expected the address of a scheduler, such as tcp://"):
            cp.engines.Dask(address, patience=0.2)


def test_functions_of_one_sample_refuse_shards(shards: cp.ShardedSample) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="expected a Sample in memory; got one in shards"):
        cp.count_transitions(shards, 3)  # type: ignore[arg-type]


def test_free_memory_is_a_number_of_bytes() -> None:
    assert 0 < free_memory() < 2**60


def test_a_loaded_shard_can_move_and_tells_its_size() -> None:
    import pickle

    sample = rich_sample()
    here = LoadedShard.load(cp.ShardedSample.as_one(sample), 0, sample.alphabet)
    there: LoadedShard = pickle.loads(pickle.dumps(here))
    assert there.sample == sample
    assert there.rows.tolist() == here.rows.tolist()
    assert sys.getsizeof(here) >= sum(part.nbytes for part in (sample.symbols, sample.offsets, sample.counts))


# Dask: from here on with a cluster of two processes.


@FORMS
def test_a_cluster_gives_the_same_bits(shards: cp.ShardedSample, client: Any, start: cp.Acceptor) -> None:
    right = fitted(shards, start=start)
    engine = cp.engines.Dask(client)
    assert same(fitted(shards, engine, start), right)
    assert same(fitted(SAMPLE, engine, start), fitted(SAMPLE, start=start))
    assert cp.log_likelihood(start, shards, engine=engine) == cp.log_likelihood(start, shards)
    here, there = (
        [values.tolist() for _, values in cp.em.acceptances_by_shard(start, shards, engine=each)]
        for each in (None, engine)
    )
    assert here == there
    with cp.engines.Dask(client.scheduler.address) as joined:
        assert same(fitted(shards, joined, start), right)
    assert client.status == "running"


def test_workers_forget_shards_that_are_let_go(shards: cp.ShardedSample, client: Any) -> None:
    fitted(shards, cp.engines.Dask(client))
    deadline = time.monotonic() + 10.0
    while any("cutpoint" in key for keys in client.has_what().values() for key in map(str, keys)):
        assert time.monotonic() < deadline, "shards are still there"
        time.sleep(0.05)


def test_arrays_that_a_message_put_at_odd_addresses_are_used() -> None:
    def odd(array: Any) -> Any:
        moved = np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
        assert not moved.flags.aligned
        return moved

    words = SAMPLE.decoded
    moved = EncodedWords(odd(words.symbols), odd(words.offsets), odd(words.ends))
    sample = cp.Sample.from_encoded(moved, odd(SAMPLE.counts), SAMPLE.alphabet)
    masks = np.ones((3, START.n_states), dtype=np.bool_)
    given, right = [Parameters(*map(change, Parameters.of(START))) for change in (odd, np.asarray)]
    found, expected = [
        block_values(
            pairwise_sum, [LoadedShard(each, np.arange(3))], kernel_signature(), LoadedShard.expected_counts, (p, masks)
        )
        for each, p in ((sample, given), (SAMPLE, right))
    ]
    assert np.array_equal(found.transitions, expected.transitions)
    stored: Any = START.to_sparse().stored
    pattern = replace(stored.pattern, starts=odd(stored.pattern.starts), columns=odd(stored.pattern.columns))
    sparse = Parameters(SparseMatrices(pattern, odd(stored.values)), odd(START.initial))
    loaded = [LoadedShard(SAMPLE, np.arange(3))]
    found = block_values(pairwise_sum, loaded, kernel_signature(), LoadedShard.expected_counts, (sparse, masks))
    np.testing.assert_allclose(found.transitions.to_dense(), expected.transitions, rtol=1e-12, atol=0)


def test_a_worker_killed_during_a_fit_changes_nothing(shards: cp.ShardedSample, client: Any) -> None:
    victims = list(client.run(os.getpid).values())

    def kill(at: cp.em.Progress) -> None:
        if at.steps == 2:
            os.kill(victims[0], signal.SIGKILL)

    assert same(fitted(shards, cp.engines.Dask(client), callback=kill), fitted(shards))
    assert victims[0] not in client.run(os.getpid).values()


def test_a_worker_added_during_a_fit_changes_nothing(shards: cp.ShardedSample, client: Any, cluster: Any) -> None:
    def add(at: cp.em.Progress) -> None:
        if at.steps == 2:
            cluster.scale(3)
            client.wait_for_workers(3)

    assert same(fitted(shards, cp.engines.Dask(client), callback=add), fitted(shards))
    cluster.scale(2)


@pytest.mark.parametrize("name", ["local", "dask"])
def test_a_shard_missing_or_damaged_is_named(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    engine = cp.engines.Local(2) if name == "local" else cp.engines.Dask(request.getfixturevalue("client"))
    shards = folder_of(SAMPLE, tmp_path / "here", observations=100)
    victim = Path(shards.parts[1].name)
    content = victim.read_bytes()
    victim.write_bytes(content[:-30] + bytes([content[-30] ^ 1]) + content[-29:])
    with pytest.raises(cp.errors.InvalidFile, match=rf"shard-000001: .*SHA-256 is .*says {shards.parts[1].checksum}"):
        fitted(shards, engine)
    victim.unlink()
    with pytest.raises(cp.errors.InvalidFile, match="shard-000001: the file cannot be read"):
        fitted(shards, engine)
    victim.write_bytes(content)
    assert same(fitted(shards, engine), fitted(shards))


def test_workers_with_other_kernels_are_refused(shards: cp.ShardedSample, client: Any) -> None:
    from cutpoint.shards.dask import block_values, kernel_signature

    assert block_values(pairwise_sum, [1, 2], kernel_signature(), lambda shard: shard, ()) == 3
    with cp.engines.Dask(client).observe(shards, shards.alphabet) as data:
        data._kernels = "native for another machine"
        with pytest.raises(cp.errors.KernelsUnavailable, match="workers must have the same kernels"):
            data.sum_over_shards(type)


def test_workers_with_another_version_or_none_are_refused(
    shards: cp.ShardedSample, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutpoint.shards.dask.installed", lambda: "9.9")
    with pytest.raises(
        cp.errors.KernelsUnavailable, match=r"this process has, 9\.9; the worker tcp://\S+ has \d\S+\. Install"
    ):
        fitted(shards, cp.engines.Dask(client))
    monkeypatch.setattr("cutpoint.shards.dask.PACKAGE", "no-such-package")
    with pytest.raises(
        cp.errors.KernelsUnavailable, match=r"the worker tcp://\S+ has none\. Install it there: pip install"
    ):
        fitted(shards, cp.engines.Dask(client))


def murder(shard: Any) -> None:
    """End the process of a worker, as a system does that is short of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_die_again_and_again_stop_the_work_with_a_sentence(client: Any) -> None:
    one = cp.ShardedSample.of(SAMPLE)
    with (
        cp.engines.Dask(client).observe(one, one.alphabet) as data,
        pytest.raises(
            cp.errors.EngineLost, match=r"died again and again .*[^. ]\)\. Give the workers more memory, or make"
        ),
    ):
        data.sum_over_shards(murder)
    client.wait_for_workers(2)


def test_a_cluster_that_was_restarted_stops_with_a_sentence(shards: cp.ShardedSample, client: Any) -> None:
    def restart(at: cp.em.Progress) -> None:
        if at.steps == 2:  # a machine under load takes its time, and a worker that was just leaving never comes back
            client.restart(timeout=300, wait_for_workers=False)

    with pytest.raises(
        cp.errors.EngineLost, match=r"the cluster dropped the work .* with a checkpoint the work continues"
    ):
        fitted(shards, cp.engines.Dask(client), callback=restart)
    assert same(fitted(shards, cp.engines.Dask(client)), fitted(shards))


class Unreachable:
    """A task whose result is lost on the way, or one that failed by itself."""

    def __init__(self, status: str) -> None:
        self.status = status

    def exception(self, timeout: float) -> None: ...

    def result(self) -> None:
        raise ConnectionResetError("in <TCP (closed)>: Connection reset by peer.")


def test_a_result_lost_on_the_way_is_told_as_a_lost_scheduler(client: Any) -> None:
    engine = cp.engines.Dask(client)
    with pytest.raises(
        cp.errors.EngineLost, match=r"scheduler was lost \(in <TCP \(closed\)>: Connection reset by peer\)\. "
    ):
        engine.result(Unreachable("finished"))
    with pytest.raises(ConnectionResetError, match="reset by peer"):
        engine.result(Unreachable("error"))


def test_a_closed_client_stops_with_a_sentence(shards: cp.ShardedSample, cluster: Any) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as other:
        engine = cp.engines.Dask(other)
        with pytest.raises(cp.errors.EngineLost, match="the client is closed"):
            fitted(shards, engine, callback=lambda at: other.close() if at.steps == 2 else None)
        for closed in (engine, cp.engines.Dask(other)):
            with pytest.raises(cp.errors.EngineLost, match="the client is closed"):
                fitted(shards, closed)


def test_an_impossible_observation_is_named_across_processes(shards: cp.ShardedSample, client: Any) -> None:
    never = cp.Acceptor(1, "ab", np.ones((2, 1, 1)), 0, np.array([False]))
    with pytest.raises(cp.errors.ImpossibleObservation, match=r"\(accepted\) has probability 0"):
        cp.expected_counts(never, shards, engine=cp.engines.Dask(client))


def test_a_lost_scheduler_stops_with_a_sentence_and_the_checkpoint_goes_on(
    shards: cp.ShardedSample, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    file, saved = tmp_path / "scheduler.json", tmp_path / "saved"
    arguments = ["--port", "0", "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file)]
    scheduler = _started("scheduler", *arguments)
    while not (file.exists() and file.read_text().endswith("}")):
        assert scheduler.poll() is None, "the scheduler did not start"
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    worker = _started("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")

    def kill(at: cp.em.Progress) -> None:
        if at.steps == 3:
            scheduler.kill()
            scheduler.wait()

    try:
        with (
            cp.engines.Dask(address, patience=20.0) as engine,
            pytest.raises(
                cp.errors.EngineLost, match=r"the scheduler was lost .* with a checkpoint the work continues"
            ),
        ):
            fitted(shards, engine, callback=kill, checkpoint=saved)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    steps: list[int] = []
    resumed = fitted(shards, callback=lambda at: steps.append(at.steps), checkpoint=saved)
    assert steps[0] == 4
    assert same(resumed, fitted(shards))


def test_no_worker_for_long_stops_with_a_sentence(shards: cp.ShardedSample) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        distributed.Client(empty) as client,
        pytest.raises(cp.errors.EngineLost, match=r"no worker for 0\.5 seconds"),
    ):
        fitted(shards, cp.engines.Dask(client, patience=0.5))


def _started(what: str, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_questions_of_several_threads_are_not_mixed_up(cluster: Any, shards: cp.ShardedSample) -> None:
    with ThreadPoolExecutor(8) as pool, cp.engines.Dask(cluster.scheduler_address) as engine:
        data = engine.observe(shards, shards.alphabet)
        ready = Barrier(8)

        def asked(number: int) -> tuple[int, int]:
            ready.wait()
            return data.sum_over_shards(_numbered, number), next(data.for_each_shard(_numbered, number))

        for _ in range(5):
            found = list(pool.map(asked, range(1, 9)))
            assert found == [(number * len(shards.parts), number) for number in range(1, 9)]


def _numbered(shard: LoadedShard, number: int) -> int:
    return number
