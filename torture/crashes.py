"""Rows about crashes: killed at any call, writes and allocations that fail.

A preloaded library (``faults.c``) counts the calls of a process that write, force, rename or remove files, or that take
memory, and makes the n-th fail or kill the process. One process has the library and forks for each case.
"""

import contextlib
import ctypes
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.state_file import StateFile
from cutpoint.data import storage
from cutpoint.kernels import kernels
from torture.scoreboard import Row

FILES, MEMORY = 1, 2
NEVER = 2**40
CARELESS = "CUTPOINT_CARELESS"
"""Variable that plants errors in the process with the library."""

OLD, NEW = cp.p_adic(2), cp.random_acceptor(12, "abc", rng=5)
WORDS = cp.Sample(["ab", "a", "", "bba", "abab"], [True, False, None, True, False], counts=[1.0, 2.0, 1.0, 3.0, 5.0])
START = cp.random_acceptor(3, "ab", rng=3)
LARGE = cp.random_acceptor(150, "abc", rng=7)
LONG = ["ab" * (k + 1) + "b" * 2000 for k in range(80)]


@dataclass(frozen=True)
class Scene:
    """Something that is done to files in a folder.

    Attributes
    ----------
    prepare : what is there before.
    act : what is done.
    outcome : what is found afterwards, by somebody who takes up the work.
    """

    prepare: Callable[[Path], Any]
    act: Callable[[Path], Any]
    outcome: Callable[[Path], Any]


@dataclass(frozen=True)
class _Saved:
    """A model that is replaced by another."""

    name: str

    def prepare(self, folder: Path) -> None:
        cp.save(OLD if self.name != "model.npz" else cp.random_acceptor(2, "ab", rng=1), folder / self.name)

    def act(self, folder: Path) -> None:
        cp.save(NEW, folder / self.name)

    def outcome(self, folder: Path) -> Any:
        found = cp.load(folder / self.name)
        cp.save(found, folder / self.name)
        left = sorted(path.name for path in folder.iterdir())
        assert left == [self.name], left
        return found


def _nothing(_: Path) -> None:
    """Leave the folder empty."""


def _fit(folder: Path) -> Any:
    fit = cp.baum_welch(START, WORDS, max_steps=5, tolerance=0.0, checkpoint=folder / "fit.checkpoint")
    return fit.acceptor, list(fit.history)


def _learn(folder: Path) -> Any:
    found = cp.learn(WORDS, 2, folds=2, rng=1, threads=1, checkpoint=folder / "search.checkpoint")
    return found.acceptor, list(found.history)


@dataclass(frozen=True)
class _Report:
    """A report with a title, of the same fit."""

    title: str

    def __call__(self, folder: Path) -> None:
        fit = cp.baum_welch(START, WORDS, max_steps=2, threads=1)
        cp.report(fit, WORDS, folder / "report.html", title=self.title)


def _page(folder: Path) -> str:
    """The report that is there, without its date; one more is written, and nothing else is left."""
    page = re.sub(r"\b\d{4}-\d\d-\d\d\b", "", (folder / "report.html").read_text())
    _Report("one more")(folder)
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["report.html"], left
    return page


BATCHES = [
    b"".join(b'{"id": "case %d", "event": "%d"}\n' % ((k * j) % 4, (k + j) % 2) for j in range(1, 5)) for k in range(5)
]


def _watch(folder: Path) -> Any:
    """Batches one after the other, from the first that was not kept; now and then the file is written anew."""
    with StateFile(str(folder / "cases"), EventLines(cp.Runs(OLD, "1/2"))) as kept:
        for k in range(kept.lines.lines // 4, len(BATCHES)):
            kept.append(BATCHES[k])
            kept.lines.answers(kept.lines.parsed(BATCHES[k]))
            if k % 2:
                kept.save()
        runs = kept.lines.runs
        return {case: runs[case] for case in runs}, kept.lines.lines


def _write_shards(folder: Path) -> Any:
    cp.write_shards(WORDS, folder / "shards", observations=2)


def _read_shards(folder: Path) -> Any:
    """Observations; those of shards that were not completed are written again."""
    try:
        shards = cp.ShardedSample.open(folder / "shards")
    except cp.CutpointError:
        shutil.rmtree(folder / "shards", ignore_errors=True)
        shards = cp.write_shards(WORDS, folder / "shards", observations=2)
    return cp.Sample.concatenate(list(shards.samples()), shards.alphabet)


def _cases(folder: Path) -> Any:
    runs = cp.Runs.load(folder / "runs", OLD)
    return {case: runs[case] for case in runs}


@dataclass(frozen=True)
class _Runs:
    """Running cases that are saved after so many events."""

    events: int

    def __call__(self, folder: Path) -> None:
        runs = cp.Runs(OLD, "1/2")
        runs.read_batch([k % 3 for k in range(self.events)], ["1", "0"] * (self.events // 2))
        runs.save(folder / "runs")


ON_DISK = {
    **{each.name: Scene(each.prepare, each.act, each.outcome) for each in map(_Saved, ("model.json", "model.npz"))},
    "checkpoint": Scene(_nothing, _fit, _fit),
    "search": Scene(_nothing, _learn, _learn),
    "report": Scene(_Report("old"), _Report("new"), _page),
    "watch": Scene(_nothing, _watch, _watch),
    "shards": Scene(_nothing, _write_shards, _read_shards),
    "runs": Scene(_Runs(4), _Runs(8), _cases),
}  # fmt: skip


def _scores(_: Path) -> Any:
    return LARGE.log_acceptances(LONG[:20]).tolist()


def _counts(_: Path) -> Any:
    counts = cp.expected_counts(START, cp.Sample(LONG, [k % 2 == 0 for k in range(len(LONG))]))
    return counts.transitions.tolist()


def _loaded(folder: Path) -> Any:
    return cp.load(folder / "model.npz")


def _sample(folder: Path) -> Any:
    return cp.read_sample(folder / "words.tsv")


def _climb(_: Path) -> Any:
    fit = cp.baum_welch(START, cp.Sample(LONG, [k % 2 == 0 for k in range(len(LONG))]), max_steps=2)
    return fit.acceptor.transitions.tolist()


def _inputs(folder: Path) -> None:
    cp.save(LARGE, folder / "model.npz")
    cp.write_sample(cp.Sample(LONG), folder / "words.tsv")


IN_MEMORY = {
    action.__name__.strip("_"): Scene(_inputs, action, action)
    for action in (_scores, _counts, _loaded, _sample, _climb)
}
SCENES = {**ON_DISK, **IN_MEMORY}


# -- The process with the library ---------------------------------------------------------------------------------


def no_compiler() -> str:
    """What is missing to build the library."""
    if not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "__libc_malloc"):
        return "calls can be made to fail on Linux with the GNU C library only"
    return "" if shutil.which("cc") else "no C compiler (cc) to build the library that lets calls fail"


class Stage:
    """The process that plays scenes; each case is a fork of it."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        library = Path(self.folder.name, "faults.so")
        source = Path(__file__).with_name("faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), "CUTPOINT_FAULTS": str(library)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "torture.crashes"],
            cwd=Path(__file__).parents[1],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def play(self, scene: str, folder: Path, kind: int, n: int, number: int = 0, bytes: int = 0) -> tuple[str, Any]:
        """How a scene ended (done, refused, killed …), and how many calls were counted or what was said."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([scene, str(folder), kind, n, number, bytes]) + "\n")
        self.process.stdin.flush()
        end, text = json.loads(self.process.stdout.readline())
        return end, text


@cache
def stage() -> Stage:
    """The one of this process."""
    return Stage()


def serve() -> None:
    """Play scenes, one for each line of the standard input."""
    library = ctypes.CDLL(os.environ["CUTPOINT_FAULTS"])
    library.fault_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_size_t]
    library.fault_disarm.restype = ctypes.c_long
    if CARELESS in os.environ:
        storage.new_files = _careless_files
        chosen: Any = kernels()
        chosen.acceptances = _careless_scores(chosen.acceptances)
    for line in sys.stdin:
        scene, folder, *fault = json.loads(line)
        into, out = os.pipe()
        child = os.fork()
        if not child:
            os.write(out, json.dumps(_played(library, SCENES[scene], Path(folder), fault)).encode())
            os._exit(0)
        os.close(out)
        with open(into, "rb") as answers:
            answer = answers.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        end = "killed" if code == -signal.SIGKILL else f"exit code {code}"
        print(answer.decode() or json.dumps([end, ""]), flush=True)  # noqa: T201 - the answer


def _played(library: Any, scene: Scene, folder: Path, fault: list[int]) -> list[Any]:
    try:
        if fault[0] == MEMORY:
            scene.act(folder)  # what is taken once, for the modules, is not the scene's
        library.fault_arm(*fault)
        try:
            found = scene.act(folder)
        finally:
            counted = library.fault_disarm()
        if fault[0] == MEMORY and found != scene.act(folder):
            return ["wrong", "another result than without a failed allocation"]
        return ["done", counted]
    except cp.CutpointError as refusal:
        return ["refused", str(refusal)]
    except MemoryError:
        return ["no memory", ""] if fault[0] == MEMORY else ["wrong", "MemoryError"]
    except BaseException as problem:
        return ["wrong", repr(problem)]


@contextlib.contextmanager
def _careless_files(paths: Any) -> Iterator[Any]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(open(path, "wb")) for path in paths]


def _careless_scores(right: Any) -> Any:
    def wrong(*arguments: Any, **options: Any) -> Any:
        try:
            return right(*arguments, **options)
        except MemoryError:
            return np.zeros(1)

    return wrong


# -- Rows ---------------------------------------------------------------------------------------------------------


@cache
def _known(scene: str) -> tuple[list[Any], int]:
    """Outcomes that are right, before and after a scene, and how many calls it makes."""
    right = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SCENES[scene].prepare(folder)
        with contextlib.suppress(cp.CutpointError):
            right.append(SCENES[scene].outcome(folder))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SCENES[scene].prepare(folder)
        end, calls = stage().play(scene, folder, FILES, NEVER)
        assert end == "done", (scene, end, calls)
        right.append(SCENES[scene].outcome(folder))
    return right, calls


def killed(seed: int) -> int:
    """Each scene killed at some call, and taken up again; sometimes killed twice."""
    return _on_disk(seed, number=0)


def failing_writes(seed: int) -> int:
    """Each scene with a disk that is full or broken at some call."""
    return _on_disk(seed, (errno.ENOSPC, errno.EIO)[seed % 2])


def _on_disk(seed: int, number: int) -> int:
    rng = np.random.default_rng(seed)
    for name in ON_DISK:
        right, calls = _known(name)
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            SCENES[name].prepare(folder)
            n = int(rng.integers(calls))
            end, text = stage().play(name, folder, FILES, n, number)
            fine = ("refused", "done") if number else ("killed", "done")
            assert end in fine, f"{name}, call {n}: {end}: {text}"
            if name in ("checkpoint", "search", "watch") and rng.integers(2):
                end, text = stage().play(name, folder, FILES, int(rng.integers(calls)), number)
                assert end in ("killed", "done", "refused"), f"{name}, again: {end}: {text}"
            try:
                found = SCENES[name].outcome(folder)
            except cp.CutpointError as refusal:
                raise AssertionError(f"{name}, call {n}: {refusal}") from refusal
            assert found in right, f"{name}, call {n}: {found}"
    return len(ON_DISK)


def failing_allocations(seed: int) -> int:
    """Each scene with an allocation that fails."""
    rng = np.random.default_rng(seed)
    least = int(rng.choice([1 << 17, 1 << 18, 1 << 19]))  # NumPy itself crashes where it cannot have a buffer of 64 kB
    cases = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _inputs(folder)
        for name in IN_MEMORY:
            end, calls = stage().play(name, folder, MEMORY, NEVER, errno.ENOMEM, least)
            assert end == "done", (name, end, calls)
            for n in rng.integers(0, calls, 6 if calls else 0).tolist():
                end, text = stage().play(name, folder, MEMORY, n, errno.ENOMEM, least)
                fine = ("done", "refused", "no memory")
                assert end in fine, f"{name}, allocation {n} of {least:,} bytes: {end} {text}"
                cases += 1
    return cases


@contextlib.contextmanager
def careless() -> Iterator[None]:
    """Files are written in place, and a failed allocation is taken for a result."""
    with patch.dict(os.environ, {CARELESS: "1"}):
        yield


ROWS = [
    Row(
        "kill-9",
        "Killed at any call while it saves, fits or learns with a checkpoint, watches with a state file, writes shards "
        "or a report, a process leaves the old file or the new one; work taken up again ends with the same bits.",
        killed,
        careless,
        missing=no_compiler,
    ),
    Row(
        "failing-writes",
        "A disk that is full or broken at any call gives a sentence, and the old file is there or the new one.",
        failing_writes,
        careless,
        missing=no_compiler,
    ),
    Row(
        "failing-allocations",
        "Scoring, counting, fitting and reading end with MemoryError or a sentence where 128 kB or more cannot be had, "
        "and work again afterwards.",
        failing_allocations,
        careless,
        missing=no_compiler,
    ),
]  # fmt: skip

if __name__ == "__main__":
    serve()
