"""Rows of the scoreboard, the processes in which they are tried, and their tallies.

A row is a promise and a check of it. A check gets a seed, which alone determines the cases it tries. It runs in a
process of its own, so that a crash or a hang is a failure of that row and seed and of nothing else.
"""

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

LANES = 2
"""Rows tried at the same time."""

MOST_FAILURES = 5
"""A row ends at this many failures; those that follow would seldom say more."""

START = 120.0
"""Most seconds in which a process starts and plants its error."""


@dataclass(frozen=True)
class Row:
    """A promise of the package and the check that it holds.

    Functions are those of a module (not lambdas), since rows are sent to other processes.

    Parameters
    ----------
    name : short, without blanks.
    promise : the sentence for the docs.
    check : tries the cases of a seed and returns how many there were; any exception is a failure.
    plant : context manager which breaks the promise, so that the check fails at one of the first ``tries`` seeds.
    share : of the budget, in proportion to other rows.
    timeout : seconds after which a batch counts as hung; more on a machine that has more to do than it has cores.
    minutes : smallest budget that this row is part of.
    missing : what this machine lacks to run the row; empty if nothing.
    """

    name: str
    promise: str
    check: Callable[[int], int]
    plant: Callable[[], contextlib.AbstractContextManager[object]]
    share: float = 1.0
    timeout: float = 120.0
    minutes: float = 0.0
    missing: Callable[[], str] = str
    tries: int = 10


@dataclass(frozen=True)
class Failure:
    """A seed at which a row failed, and the last that its process said."""

    row: str
    seed: int
    text: str

    def __str__(self) -> str:
        return f"{self.text.rstrip()}\n  again: python -m torture --row {self.row} --seed {self.seed}"


@dataclass
class Tally:
    """What was tried of a row so far."""

    row: Row
    cases: int = 0
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""


def budgets(rows: Iterable[Row], minutes: float) -> list[tuple[Tally, float]]:
    """Tallies with the seconds of each row, longest first; rows that cannot run here have a note and no time."""
    tallies = [Tally(row) for row in rows]
    for tally in tallies:
        if minutes < tally.row.minutes:
            tally.note = f"not run: needs {tally.row.minutes:g} minutes"
        elif missing := tally.row.missing():
            tally.note = f"not run: {missing}"
    whole = sum(tally.row.share for tally in tallies if not tally.note)
    shares = [(tally, 0.0 if tally.note else min(1.0, LANES * tally.row.share / whole)) for tally in tallies]
    return sorted(((tally, 60.0 * minutes * share) for tally, share in shares), key=lambda pair: -pair[1])


def play(
    tallies: list[tuple[Tally, float]],
    first_seed: int,
    batches: int | None = None,
    ended: Callable[[Tally], object] | None = None,
) -> None:
    """Try each row for its seconds, at least one batch and at most so many; several rows at a time.

    A function is called with each row that has ended.

    Ctrl-C ends the processes of all rows, with all that they started, and is passed on.
    """
    todo, lock = iter(tallies), threading.Lock()
    seeds = range(first_seed, first_seed + (2**62 if batches is None else batches))
    stopping, workshops = threading.Event(), set[Workshop]()

    def lane() -> None:
        while not stopping.is_set():
            with lock:
                tally, seconds = next(todo, (None, 0.0))
            if tally is None:
                return
            if not tally.note:
                end = time.monotonic() + seconds
                with Workshop(tally.row) as workshop:
                    workshops.add(workshop)
                    _try_row(tally, workshop, end, seeds, stopping)
                    workshops.discard(workshop)
                if ended is not None:
                    ended(tally)

    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(lane) for _ in range(LANES)]
        try:
            for each in lanes:
                each.result()
        except KeyboardInterrupt:
            stopping.set()
            while not all(each.done() for each in lanes):
                for workshop in tuple(workshops):
                    workshop.kill()
                time.sleep(0.1)
            raise


def _try_row(tally: Tally, workshop: "Workshop", end: float, seeds: range, stopping: threading.Event) -> None:
    begin = time.monotonic()
    for seed in seeds:
        outcome = workshop.outcome(seed)
        if stopping.is_set():
            return
        if isinstance(outcome, Failure):
            tally.failures.append(outcome)
        else:
            tally.cases += outcome
        tally.seconds = time.monotonic() - begin
        if time.monotonic() >= end or len(tally.failures) >= MOST_FAILURES:
            return


def self_test(row: Row, first_seed: int = 0) -> str:
    """What is wrong with a row; empty if its planted error is found by a seed that passes without it."""
    for seed in range(first_seed, first_seed + row.tries):
        with Workshop(row, planted=True) as workshop:
            if workshop.trouble:
                return f"the error could not be planted: {workshop.trouble}"
            found = isinstance(workshop.outcome(seed), Failure)
        if found:
            with Workshop(row) as workshop:
                outcome = workshop.outcome(seed)
            return f"fails without a planted error: {outcome}" if isinstance(outcome, Failure) else ""
    return f"the planted error was not found by {row.tries} seeds"


class Workshop:
    """The process in which a row is tried: started when needed, and again after it died."""

    def __init__(self, row: Row, planted: bool = False) -> None:
        self.row, self.planted = row, planted
        self.trouble = ""
        self.process: multiprocessing.process.BaseProcess | None = None
        self.directory = tempfile.TemporaryDirectory()

    def __enter__(self) -> "Workshop":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end(patience=10.0)
        self.directory.cleanup()

    def outcome(self, seed: int) -> int | Failure:
        """Number of cases tried with a seed, or its failure."""
        if self.process is None:
            self._start()
        if not self.trouble:
            self.mine.send(seed)
        answer = self.trouble or self._answer(self.row.timeout)
        return answer if isinstance(answer, int) else Failure(self.row.name, seed, answer)

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.mine, its = spawn.Pipe()
        log = os.path.join(self.directory.name, "log")
        self.process = spawn.Process(target=_serve, args=(self.row, self.planted, its, log))
        self.process.start()
        its.close()
        ready = self._answer(START)
        self.trouble = "" if ready == 0 else str(ready)

    def _answer(self, seconds: float) -> int | str:
        begin = time.monotonic()
        try:
            while (left := begin + (most := seconds * load()) - time.monotonic()) > 0:
                if self.mine.poll(left):
                    answer: int | str = self.mine.recv()
                    return answer
            end = f"no answer after {most:g} seconds"
        except (EOFError, ConnectionError):
            assert self.process is not None
            self.process.join()
            end = f"the process died: {_exit(self.process.exitcode or 0)}"
        self._end()
        log = Path(self.directory.name, "log")
        said = log.read_text(errors="replace").splitlines()[-20:] if log.exists() else []
        return "\n".join([*said, end])

    def _end(self, patience: float = 0.0) -> None:
        """End the process with all that it started."""
        if self.process is not None:
            self.mine.close()
            self.process.join(patience)
            self.kill()
            self.process.join()
            self.process = None

    def kill(self) -> None:
        """Kill the process, if there is one, and all that it started; another thread may be waiting for its answer."""
        process = self.process
        if process is not None and process.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()


def load() -> float:
    """How much longer things take than on an idle machine: processes that want to run for each core, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _exit(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.Signals(-code).name})"


def _serve(row: Row, planted: bool, connection: Connection, log: str) -> None:
    """Answer seeds with numbers of cases or tracebacks until nobody asks; what is printed goes into a log."""
    os.setsid()
    with open(log, "wb", buffering=0) as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    faulthandler.enable()
    warnings.simplefilter("error", RuntimeWarning)
    try:
        with row.plant() if planted else contextlib.nullcontext():
            connection.send(0)
            while True:
                connection.send(_cases(row, connection.recv()))
    except EOFError:
        return
    except Exception:
        connection.send(traceback.format_exc())


def _cases(row: Row, seed: int) -> int | str:
    try:
        return row.check(seed)
    except Exception:
        return traceback.format_exc()
