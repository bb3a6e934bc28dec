"""Rows about ways to the same answer: kernels, threads, batches, shards, forks, environments."""

import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.kernels import kernels
from cutpoint.kernels.words import FrontCodedWords
from torture.answers import Answers, Elsewhere, answers, files, models
from torture.scoreboard import Row

KERNELS: tuple[dict[str, str], ...] = (
    {"CUTPOINT_KERNELS": "reference"},
    *({"CUTPOINT_KERNELS": "native", "CUTPOINT_ISA": f"x86-64-v{k}"} for k in (2, 3, 4)),
)
"""Kernels and instruction sets; one that this machine lacks is the best below it that it has."""


AT_ANY_TIME = sys.version_info >= (3, 12)
"""Whether a process can be forked while other threads are at work."""


def same_bits(found: Answers, expected: Answers) -> None:
    """Answers are equal to the last bit."""
    for name, value in expected.items():
        assert np.asarray(found[name]).tobytes() == np.asarray(value).tobytes(), name


def nearly(found: Answers, expected: Answers) -> None:
    """Answers agree to twelve digits; those that went through logarithms and steps of a fit, to ten."""
    for name, value in expected.items():
        loose, other = name in ("fit", "history", "generator"), found[name]
        if name == "history":  # whether the last gain is 0 is up to rounding
            other, value = other[: len(value)], value[: len(other)]  # noqa: PLW2901
        tolerance = 1e-10 if loose else 1e-12
        np.testing.assert_allclose(other, value, rtol=tolerance, atol=1e-13 if loose else 1e-15, err_msg=name)


@cache
def elsewhere() -> list[Elsewhere]:
    """Processes with other kernels, for as long as this one lives."""
    return [Elsewhere(variables) for variables in KERNELS]


def routes(seed: int) -> int:
    """All ways to the answers of a seed."""
    expected = answers(seed)
    for process in elsewhere():
        nearly(process.answers(seed), expected)
    for threads in (1, 2, 8):
        same_bits(answers(seed, threads), expected)
    nearly(answers(seed, sparse=True), expected)
    model, law, sample, words = models(seed)
    for scores, single in (
        (expected["acceptances"], model.acceptance),
        (expected["log-acceptances"], model.log_acceptance),
        (expected["log-probabilities"], law.log_probability),
    ):
        assert scores.tolist() == [single(word) for word in words]
    return (len(KERNELS) + 5) * len(expected) + _shards(model, sample)


def _shards(model: cp.Acceptor, sample: cp.Sample) -> int:
    """A sample cut into shards, in memory and on disk, with the trees kept or not."""
    plain, parts = cp.expected_counts(model, sample), cp.shards.ShardedSample.of(sample, 7)
    found = [cp.expected_counts(model, parts, engine=cp.engines.Local(threads, 0)) for threads in (1, 2, 8)]
    found.append(cp.expected_counts(model, parts, engine=cp.engines.Local(2)))
    with tempfile.TemporaryDirectory() as folder:
        stored = cp.write_shards(sample, Path(folder) / "shards", 7)
        found.append(cp.expected_counts(model, stored))
        found += [_coded(model, part) for part in (cp.shards.ShardedSample.of(sample),)]
    for counts in found[:-1]:
        same_bits(_arrays(counts), _arrays(found[0]))
    nearly(_arrays(found[0]), _arrays(plain))
    nearly(_arrays(found[-1]), _arrays(plain))
    return len(found)


def _coded(model: cp.Acceptor, parts: cp.ShardedSample) -> cp.Counts:
    """Counts by front-coded words: the same bits as by plain ones in the same order."""
    part = parts.load(0)
    words = part.encoded.decoded()
    coded = FrontCodedWords.of(words)
    for whole in (True, False):
        twin = cp.Sample.from_encoded(replace(coded, whole_tree=whole), part.counts, part.alphabet, part.mark_table)
        plain = cp.Sample.from_encoded(words, part.counts, part.alphabet, part.mark_table)
        same_bits(_arrays(cp.expected_counts(model, twin)), _arrays(cp.expected_counts(model, plain)))
    return cp.expected_counts(model, part)


def _arrays(counts: cp.Counts) -> Answers:
    return {"t": counts.transitions, "i": counts.initial, "l": np.array([counts.log_likelihood])}


# -- Threads and forks -------------------------------------------------------------------------------------------------


def threads_and_forks(seed: int) -> int:
    """One sample and model used by eight threads at once, and by children forked while they work.

    Python 3.11 has a lock in cached properties, which a thread may hold at the moment of a fork and then blocks the
    child for ever; there the children are forked after the threads have ended.
    """
    expected = answers(seed)
    model, _, sample, words = models(seed)
    shared = model.acceptances(words).tobytes(), cp.expected_counts(model, sample).transitions.tobytes()
    wrong: list[str] = []
    begun = threading.Barrier(9)

    def work(k: int) -> None:
        begun.wait()
        for _ in range(3):
            now = model.acceptances(words).tobytes(), cp.expected_counts(model, sample).transitions.tobytes()
            if now != shared:
                wrong.append(f"thread {k}")
        same_bits(answers(seed, 1 + k % 3), expected)

    with ThreadPoolExecutor(8) as pool:
        tasks = [pool.submit(work, k) for k in range(8)]
        begun.wait()
        codes = [_forked(seed, expected) for _ in range(2 * AT_ANY_TIME)]
        for task in tasks:
            task.result()
    codes += [_forked(seed, expected) for _ in range(2 - len(codes))]
    assert not wrong, wrong
    assert codes == [0, 0], codes
    return 8 * 4 + 2


def _forked(seed: int, expected: Answers) -> int:
    """Exit code of a child that computes the answers again; 0 if they are the same."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            same_bits(answers(seed), expected)
            code = 0
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


# -- Environments ------------------------------------------------------------------------------------------------------


def environments(seed: int) -> int:
    """The files of a seed from a process with another hash seed, language, time zone, folder and number of threads."""
    rng = np.random.default_rng(seed)
    variables = {
        "PYTHONHASHSEED": str(rng.integers(2**32)),
        "LC_ALL": str(rng.choice(["C", "C.UTF-8", "POSIX"])),
        "PYTHONUTF8": str(rng.choice(["0", "1"])),
        "TZ": str(rng.choice(["UTC", "Pacific/Kiritimati", "America/St_Johns"])),
        "OPENBLAS_NUM_THREADS": str(rng.integers(1, 4)),
        "OMP_NUM_THREADS": str(rng.integers(1, 4)),
        "COLUMNS": str(rng.integers(20, 200)),
        "HOME": "/nonexistent",
    }
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        process = Elsewhere(variables, there, cwd=there)
        own = files(seed, Path(here))
        found = process.line(seed).decode()
        process.end()
    assert found == repr(own), (variables, found, own)
    return len(own)


# -- Planted errors ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def more_threads_other_sums() -> Iterator[None]:
    """Expected counts depend on the number of threads in the last bit."""
    right = kernels().expected_counts

    def wrong(*arguments: Any, threads: int | None = None, **options: Any) -> Any:
        found = right(*arguments, threads=threads, **options)
        return found if threads != 2 else replace(found, transitions=np.nextafter(found.transitions, 2.0))

    with patch.object(kernels(), "expected_counts", wrong):
        yield


@contextlib.contextmanager
def rows_kept_between_calls() -> Iterator[None]:
    """Scores depend on which thread asks."""
    right = kernels().acceptances

    def wrong(*arguments: Any, **options: Any) -> Any:
        found = right(*arguments, **options)
        return found if threading.current_thread() is threading.main_thread() else np.nextafter(found, 2.0)

    with patch.object(kernels(), "acceptances", wrong):
        yield


@contextlib.contextmanager
def files_know_the_process() -> Iterator[None]:
    """Models are saved with the number of the process."""
    right = cp.save

    def wrong(model: Any, path: Any, **options: Any) -> None:
        right(model, path, **{**options, "metadata": {"process": os.getpid()}})

    with patch.object(cp, "save", wrong):
        yield


ROWS = [
    Row(
        "routes",
        "Threads, batches, shards in memory or on disk, and front-coded words give the same bits; other kernels, "
        "instruction sets and models stored entry by entry the same numbers to twelve digits, fits to ten.",
        routes,
        more_threads_other_sums,
    ),
    Row(
        "threads-and-forks",
        "Values may be shared by any number of threads, and used after a fork (with Python 3.11, while no other "
        "thread is at work): the same bits.",
        threads_and_forks,
        rows_kept_between_calls,
    ),
    Row(
        "environments",
        "Models, samples, scores and reports (but for the date) are the same bytes whatever the hash seed, language, "
        "time zone, folder, terminal and number of threads.",
        environments,
        files_know_the_process,
    ),
]
