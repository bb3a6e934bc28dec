"""Tests collected once and run in forks: each run begins from the same clean process, and costs its tests only.

The module is a plugin of pytest as well as the way to talk to it. Its process collects the tests and answers requests:
which lines the tests reach, and which test fails first with some functions changed.
"""

import gc
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import hypothesis
import pytest

from torture.scoreboard import load

ROOT = Path(__file__).parents[1]
PIPES = "CUTPOINT_FORKED_TESTS"
"""Variable with the two pipes of the process that collects tests."""

MEMORY = 6 << 30
"""Bytes of addresses that a fork may take beyond those of the process."""

LEAST, SLOWER = 5.0, 3.0
"""Seconds of processor time that a test may take with a mutant: these, and so many times those without."""

WAITING = 10.0
"""Seconds by the clock for each of these, on a busy machine."""

IN_A_FUNCTION = 1
"""Flag of code whose names are numbered (``CO_OPTIMIZED``): functions, not classes or modules."""


class ForkedTests:
    """The process that has collected tests.

    Parameters
    ----------
    tests : files and folders.
    """

    def __init__(self, tests: Sequence[str]) -> None:
        (its_in, self._out), (self._in, its_out) = os.pipe(), os.pipe()
        plain = ["-n", "0", "-p", "no:cacheprovider", "-p", "torture.forked_tests"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *plain, *tests],
            cwd=ROOT,
            env={**os.environ, PIPES: f"{its_in}:{its_out}"},
            pass_fds=(its_in, its_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(its_in)
        os.close(its_out)
        self._answers = open(self._in, "rb")  # noqa: SIM115 - closed with the process

    def close(self) -> None:
        """End the process."""
        os.close(self._out)
        self._answers.close()
        self.process.wait()

    def __enter__(self) -> "ForkedTests":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, *request: Any) -> Any:
        os.write(self._out, json.dumps(request).encode() + b"\n")
        line = self._answers.readline()
        if not line:
            raise RuntimeError(f"pytest could not collect the tests: exit code {self.process.wait()}")
        return json.loads(line)

    @cached_property
    def names(self) -> list[str]:
        """Names of all tests."""
        found: list[str] = self._ask("names")
        return found

    def lines(self, test: str, files: Sequence[str], seconds: float) -> tuple[float, list[str]] | None:
        """Seconds that a test takes while its lines of these files are noted, and the lines; None if it fails."""
        found = self._ask("lines", test, list(files), seconds)
        return found and (found[0], found[1])

    def first_failure(self, module: str, number: int, tests: dict[str, float]) -> str | None:
        """Test that fails with a mutant, or how it ended the process, empty if none does.

        A test that takes much more processor time than its seconds ends the process. None if the mutant must be there
        before others import the module.
        """
        found: str | None = self._ask("first_failure", module, number, tests)
        return found


# -- The process ---------------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Instead of running the tests, answer until nobody asks."""
    if PIPES not in os.environ:
        return None
    requests, answers = map(int, os.environ.pop(PIPES).split(":"))
    hypothesis.settings.register_profile(
        "forked", hypothesis.settings(), database=None, phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate]
    )
    hypothesis.settings.load_profile("forked")  # nothing is shrunk or kept
    items = {item.nodeid: item for item in session.items}
    with open(requests, "rb") as lines:
        for line in lines:
            kind, *given = json.loads(line)
            answer = list(items) if kind == "names" else ANSWERS[kind](session, items, *given)
            os.write(answers, json.dumps(answer).encode() + b"\n")
    return True


def _forked(work: Callable[[], Any], seconds: float) -> Any:
    """What a fork answers; its exit code if it dies, "hung" after so many seconds, more of them on a busy machine."""
    into, out = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, resource.RLIM_INFINITY))
        os.close(into)
        with open(out, "wb") as answer:
            answer.write(json.dumps(work()).encode())
        os._exit(0)
    os.close(out)
    found, end = b"", time.monotonic() + seconds * load()
    while select.select([into], [], [], max(0.0, end - time.monotonic()))[0]:
        if not (piece := os.read(into, 1 << 20)):
            break
        found += piece
    else:
        found = b'"hung"'
    os.close(into)
    if found == b'"hung"':
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(found or f'"exit code {code}"')


def _run(session: pytest.Session, items: Sequence[pytest.Item], seconds: Iterable[float] = ()) -> str:
    """Name of the first test that fails, empty if none does; one that takes too long ends the process."""
    for item, following, most in zip_longest(items, items[1:], seconds):
        signal.setitimer(signal.ITIMER_VIRTUAL, most or 0.0)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid
    return ""


def _lines(session: pytest.Session, items: dict[str, pytest.Item], test: str, files: list[str], seconds: float) -> Any:
    """How long a test takes, and which lines it reaches, as ``file:line``; None if it fails."""

    def work() -> Any:
        reached, watched = set[tuple[str, int]](), set(files)

        def in_frame(frame: FrameType, event: str, _: object) -> Any:
            if event == "line":
                reached.add((frame.f_code.co_filename, frame.f_lineno))
            return in_frame

        def called(frame: FrameType, _: str, __: object) -> Any:
            return in_frame if frame.f_code.co_filename in watched else None

        begin = time.perf_counter()
        sys.settrace(called)
        try:
            failed = _run(session, [items[test]])
        finally:
            sys.settrace(None)
        return None if failed else (time.perf_counter() - begin, [f"{file}:{line}" for file, line in sorted(reached)])

    found = _forked(work, seconds)
    return None if isinstance(found, str) else found


def _first_failure(
    session: pytest.Session, items: dict[str, pytest.Item], module: str, number: int, tests: dict[str, float]
) -> str | None:
    seconds = [LEAST + SLOWER * each for each in tests.values()]

    def work() -> str | None:
        return _run(session, [items[test] for test in tests], seconds) if _replaced(module, number) else None

    found: str | None = _forked(work, WAITING * sum(seconds))
    return found


ANSWERS: dict[str, Callable[..., Any]] = {"lines": _lines, "first_failure": _first_failure}


def _replaced(module: str, number: int) -> bool:
    """Whether a mutant could be put into the functions that are loaded: not if other code of the module is changed."""
    from torture.mutants import codes_of

    pairs = list(different(*codes_of(module, number)))
    functions = [each for each in gc.get_objects() if type(each) is FunctionType]
    return all(pair is not None and _put(functions, *pair) for pair in pairs)


def _put(functions: Iterable[FunctionType], old: CodeType, new: CodeType) -> bool:
    inner, found = list(_inner(old)), False
    for function in functions:
        if function.__code__ == old and function.__code__.co_filename == old.co_filename:
            function.__code__, found = new, True
        elif function.__code__ in inner:
            return False
    return found


def _inner(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def different(old: CodeType, new: CodeType) -> Iterable[tuple[CodeType, CodeType] | None]:
    """Functions in which two codes of a module differ; None where something else of it does."""
    if old.co_flags & IN_A_FUNCTION:
        if old != new:
            yield old, new
        return
    codes = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
    others = [[repr(each) for each in code.co_consts if not isinstance(each, CodeType)] for code in (old, new)]
    if others[0] != others[1] or old.co_code != new.co_code or len(codes[0]) != len(codes[1]):
        yield None
        return
    for pair in zip(*codes, strict=True):
        yield from different(*pair)
