"""Samples in shards: the same bits everywhere, workers killed, little memory, the cost of a cluster, and a plan.

    python benchmarks/scale.py same kills memory streaming overhead writing tree

does all parts, or those that are named; the results are in ``scale.json``. Needs the extra ``dask``. Every part asserts
its answers; figures are those of the machine that it runs on.
"""

import heapq
import json
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from numpy.typing import NDArray

import cutpoint as cp
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.em.counts import pairwise_sum
from cutpoint.em.observations import Parameters, mark_masks
from cutpoint.kernels.words import EncodedWords, offsets_of
from cutpoint.shards.dask import FAN, block_size
from cutpoint.shards.store import MANIFEST, Manifest, ShardFile, ShardSize, arrays_of, file_of

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "scale.json"
BASEBALL = ROOT.parent / "shared" / "data" / "baseball" / "train.tsv"
SYMBOLS = "abcdefgh"
STEPS = 20
SHARD = 100_000
LIMIT = 400 * 2**20
"""Bytes of address space of the process that trains on ten times as much."""


def simulated(folder: Path, shards: int, words: int = SHARD, seed: int = 0) -> cp.ShardedSample:
    """Random words of 5 to 15 symbols with outcomes of a random acceptor, so many in each shard."""
    truth, alphabet, parts = cp.random_acceptor(8, SYMBOLS, rng=seed), cp.data.Alphabet(SYMBOLS), []
    folder.mkdir()
    for number in range(shards):
        rng = np.random.default_rng([seed, number])
        lengths = rng.integers(5, 15, size=words, endpoint=True)
        symbols = rng.integers(len(SYMBOLS), size=int(lengths.sum())).astype(np.int32)
        encoded = EncodedWords.without_marks(symbols, offsets_of(lengths))
        sample = cp.Sample.from_encoded(encoded, np.ones(words), alphabet, merge=True)
        accepted = rng.random(len(sample)) < truth.acceptances(sample)
        judged = replace(sample.decoded, ends=np.where(accepted, 1, 2).astype(np.int32))
        sample = cp.Sample.from_encoded(judged, sample.counts, alphabet)
        arrays = arrays_of(sample)
        content, checksum = file_of(arrays)
        name = f"shard-{number:06d}"
        (folder / name).write_bytes(content)
        size = ShardSize(sample.total, len(sample), len(sample.symbols), len(arrays["codes"]), coded=True)
        parts.append(ShardFile(name, checksum, size))
    (folder / MANIFEST).write_bytes(Manifest(alphabet, FIRST_MARKS, tuple(parts), True).content())
    return cp.ShardedSample.open(folder)


@contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """A cluster of processes with one thread each."""
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as made, Client(made) as client:
        yield client


def fitted(sample: Any, engine: Any, states: int = 8) -> bytes:
    """Transitions after some steps."""
    start = cp.random_acceptor(states, sample.alphabet, rng=7)
    fit = cp.baum_welch(start, sample, tolerance=0.0, max_steps=STEPS, engine=engine)
    return fit.acceptor.transitions.tobytes()


def same(folder: Path) -> dict[str, Any]:
    """The same bytes from every engine, on the baseball sample and on two million words."""
    samples = {"simulated, 2,000,000 words": simulated(folder / "same", 20)}
    if BASEBALL.exists():
        samples["baseball"] = cp.write_shards(cp.read_sample(BASEBALL), folder / "baseball", observations=1000)
    found = {}
    for name, sample in samples.items():
        ways: dict[str, bytes] = {}
        for way, engine in (
            ("local, 1 thread", cp.engines.Local(1)),
            ("local, 2 threads", cp.engines.Local(2)),
            ("out of core", cp.engines.Local(2, memory=0)),
        ):
            ways[way] = fitted(sample, engine)
        for workers in (1, 2):
            with cluster(workers) as client:
                ways[f"Dask, processes: {workers}"] = fitted(sample, cp.engines.Dask(client))
        assert len(set(ways.values())) == 1, f"{name}: the engines differ"
        found[name] = {"shards": len(sample.parts), "observations": sample.total, "ways that agree": list(ways)}
    return found


def kills(folder: Path) -> dict[str, Any]:
    """A worker killed at a random moment of a fit, twenty times; the result is always the same."""
    sample = simulated(folder / "kills", 16, 20_000)
    right = fitted(sample, cp.engines.Local(2))
    draws, seconds, usual, late = random.Random(1), [], [], 0
    while len(seconds) < 20:
        with cluster(2) as client:
            engine = cp.engines.Dask(client)
            usual.append(timed(lambda: check(fitted(sample, engine) == right)))  # noqa: B023
            killer = Killer(draws.choice(sorted(client.run(os.getpid).values())), draws.uniform(0.0, usual[-1]))
            killer.start()
            took = timed(lambda: check(fitted(sample, engine) == right))  # noqa: B023
            if killer.is_alive():
                late += 1  # the fit was done first: this one does not count
            else:
                seconds.append(took)
            killer.join()
    return {
        "kills during a fit": len(seconds),
        "kills that came too late": late,
        "seconds without, median": float(np.median(usual)),
        "seconds with, median": float(np.median(seconds)),
    }


class Killer(threading.Thread):
    """Kills a process after a while."""

    def __init__(self, process: int, delay: float) -> None:
        super().__init__()
        self.process, self.delay = process, delay

    def run(self) -> None:
        """Wait, then kill."""
        time.sleep(self.delay)
        os.kill(self.process, signal.SIGKILL)


def check(holds: bool) -> None:
    """Stop if something does not hold."""
    assert holds, "the result has changed"


def limited(path: str) -> None:
    """Train under a limit of the address space; prints the peak and the seconds per step."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    sample = cp.ShardedSample.open(path)
    start, seconds = cp.random_acceptor(8, SYMBOLS, rng=7), []
    fit = cp.baum_welch(start, sample, tolerance=0.0, max_steps=2, callback=lambda at: seconds.append(at.seconds))
    assert fit.history == tuple(sorted(fit.history))
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmPeak:")[1].split()[0]) * 1024
    print(json.dumps({"peak bytes": peak, "seconds per step": seconds[-1] / len(seconds)}))


def memory(folder: Path) -> dict[str, Any]:
    """Files ten times as large as the memory that is allowed: 64 different ones, again and again under other names."""
    few = simulated(folder / "few", 64)
    large, parts = folder / "large", []
    large.mkdir()
    while sum(Path(part.name).stat().st_size for part in few.parts) * len(parts) / 64 < 10 * LIMIT:
        part = few.parts[len(parts) % 64]
        name = f"shard-{len(parts):06d}"
        (large / name).hardlink_to(part.name)
        parts.append(ShardFile(name, part.checksum, part.size))
    (large / MANIFEST).write_bytes(Manifest(few.alphabet, few.mark_table, tuple(parts), True).content())
    sample = cp.ShardedSample.open(large)
    environment = os.environ | {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, __file__, "--limited", str(folder / "large")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    return {
        "limit bytes": LIMIT,
        "sample bytes": sample.memory,
        "words": sample.total,
        "file bytes": sum(Path(part.name).stat().st_size for part in sample.parts),
        **json.loads(run.stdout),
    }


def streaming(folder: Path) -> dict[str, Any]:
    """What it costs to read shards again in every step, by the number of states."""
    sample, found = simulated(folder / "streaming", 16), {}
    edges = sum(shard.size.edges for shard in sample.parts)
    for states in (4, 8, 16, 32):
        rows = in_turns(sample, [cp.engines.Local(2, memory=room) for room in (2**40, 0)], states)
        kept, streamed = np.median(rows, axis=0).tolist()
        found[f"{states} states"] = {
            "in memory, ns per edge": 1e9 * kept / edges,
            "out of core, ns per edge": 1e9 * streamed / edges,
            "ratio": float(np.median(rows[:, 1] / rows[:, 0])),
        }
    return found


def in_turns(sample: cp.ShardedSample, engines: list[Any], states: int, rounds: int = 9) -> NDArray[np.float64]:
    """Seconds of an E-step of each engine, which take turns, so that other work on the machine disturbs all alike."""
    acceptor = cp.random_acceptor(states, sample.alphabet, rng=7)
    place, masks = Parameters(acceptor.transitions, acceptor.initial), mark_masks(acceptor, sample)
    wheres = [engine.observe(sample, acceptor.alphabet) for engine in engines]
    first = [where.expected_counts(place, masks).transitions.tobytes() for where in wheres]
    assert len(set(first)) == 1, "the engines differ"
    rows = [
        [timed(lambda: where.expected_counts(place, masks)) for where in wheres]  # noqa: B023
        for _ in range(rounds)
    ]
    for where in wheres:
        where.close()
    return np.array(rows)


def timed(function: Callable[[], Any]) -> float:
    """Seconds of a call."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def overhead(folder: Path) -> dict[str, Any]:
    """A step on 64 shards of 100,000 words: two threads here, two processes of a cluster, taking turns."""
    sample = simulated(folder / "overhead", 64)
    found: dict[str, Any] = {"shards": 64, "words": sample.total, "loaded bytes": sample.memory}
    with cluster(2) as client:
        engine = cp.engines.Dask(client)
        for states in (8, 16):
            rows = in_turns(sample, [cp.engines.Local(2), engine], states)
            local, dask = np.median(rows, axis=0).tolist()
            ratio = float(np.median(rows[:, 1] / rows[:, 0]))
            found[f"{states} states"] = {"local seconds": local, "Dask seconds": dask, "ratio": ratio}
        acceptor = cp.random_acceptor(8, SYMBOLS, rng=7)
        counts = cp.expected_counts(acceptor, sample, engine=engine)
        found["bytes out per task"] = len(
            pickle.dumps((Parameters(acceptor.transitions, acceptor.initial), mark_masks(acceptor, sample)))
        )
        found["bytes back per sum"] = len(pickle.dumps(counts))
        with engine.observe(sample, acceptor.alphabet) as data:
            data.expected_counts(Parameters.of(acceptor), mark_masks(acceptor, sample))
            found["worker memory bytes"] = sorted(client.run(resident).values())
        empty = [client.submit(int, k, pure=False) for k in range(2000)]
        found["seconds per empty task"] = timed(lambda: client.gather(empty)) / 2000
    return found


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def step_of(shards: int, threads: int, shard: float, task: float, add: float) -> dict[str, Any]:
    """Simulated seconds of a step: one scheduler hands out tasks, threads work, sums wait for what they add.

    ``shard`` is the time of a shard's counts, ``task`` the scheduler's time for a task, ``add`` the time of a sum of up
    to sixteen counts with their way to the thread that adds them.
    """
    size = block_size(shards, threads)
    works = [min(size, shards - k) * shard for k in range(0, shards, size)]
    handed, idle = 0.0, [0.0] * threads
    ready, tasks, levels = [], len(works), 0
    for work in works:
        handed += task
        ready.append(_taken(idle, handed, work))
    while len(ready) > 1:
        levels += 1
        groups = [ready[k : k + FAN] for k in range(0, len(ready), FAN)]
        tasks += len(groups)
        sums = []
        for group in groups:
            handed = max(handed, *group) + task
            sums.append(_taken(idle, handed, add))
        ready = sums
    return {"shards per block": size, "tasks": tasks, "levels": levels, "seconds": ready[0]}


def _taken(idle: list[float], handed: float, work: float) -> float:
    """When a task is done that the first idle thread takes."""
    done = max(heapq.heappop(idle), handed) + work
    heapq.heappush(idle, done)
    return done


def tree(folder: Path) -> dict[str, Any]:
    """The tree of sums simulated with what was measured: first the step that was measured too, then 10¹⁰ words."""
    del folder
    measured = json.loads(RESULTS.read_text())["overhead"]
    acceptor = cp.random_acceptor(8, SYMBOLS, rng=7)
    counts = cp.expected_counts(acceptor, cp.Sample(["a"]))
    add = timed(lambda: pairwise_sum([counts] * FAN)) + 2.0 * measured["seconds per empty task"]
    costs = (2.0 * measured["8 states"]["local seconds"] / 64, measured["seconds per empty task"], add)
    rows = [{"shards": 64, "threads": 2, **step_of(64, 2, *costs), "measured": measured["8 states"]["Dask seconds"]}]
    rows += [{"shards": 100_000, "threads": n, **step_of(100_000, n, *costs)} for n in (64, 256, 1024, 4096)]
    return {"seconds per shard": costs[0], "seconds per task": costs[1], "seconds per sum": costs[2], "rows": rows}


def writing(folder: Path) -> dict[str, Any]:
    """How fast a text file of a million words becomes shards, and in how much memory."""
    rng, table = np.random.default_rng(1), folder / "words.tsv"
    letters = np.array(list(SYMBOLS))
    with table.open("w") as file:
        for _ in range(10):
            words = ("".join(letters[rng.integers(8, size=n)]) for n in rng.integers(5, 15, size=SHARD, endpoint=True))
            file.writelines(f"{word}\t{rng.integers(2)}\n" for word in words)
    code = (
        "import cutpoint as cp, sys, time; began = time.perf_counter(); "
        "cp.write_shards(sys.argv[1], sys.argv[2], word=1, accepted=2); "
        "peak = open('/proc/self/status').read().split('VmHWM:')[1].split()[0]; "  # getrusage has the parent's too
        "print(time.perf_counter() - began, int(peak) * 1024)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(table), str(folder / "shards")], capture_output=True, text=True, check=True
    )
    seconds, peak = map(float, run.stdout.split())
    return {"words": 10 * SHARD, "seconds": seconds, "peak bytes": peak, "table bytes": table.stat().st_size}


PARTS = {
    "same": same,
    "kills": kills,
    "memory": memory,
    "streaming": streaming,
    "overhead": overhead,
    "writing": writing,
    "tree": tree,
}


def main() -> None:
    """Run the parts that are named, all by default."""
    if sys.argv[1:2] == ["--limited"]:
        limited(sys.argv[2])
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            results[name] = PARTS[name](Path(folder))
        print(name, json.dumps(results[name], indent=1), flush=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
