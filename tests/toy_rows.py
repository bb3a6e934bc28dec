"""Rows to try the scoreboard with; without other imports, since each process that tries them has to make these."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator

BROKEN = False


@contextlib.contextmanager
def break_it() -> Iterator[None]:
    global BROKEN  # noqa: PLW0603
    BROKEN = True
    yield


@contextlib.contextmanager
def change_nothing() -> Iterator[None]:
    yield


@contextlib.contextmanager
def cannot_plant() -> Iterator[None]:
    raise AttributeError("no such function")
    yield


def holds(seed: int) -> int:
    assert not BROKEN, "planted"
    return 10


def fails_at_odd_seeds(seed: int) -> int:
    assert seed % 2 == 0, f"odd: {seed}"
    return 1


def dies_at_odd_seeds(seed: int) -> int:
    if seed % 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    return 1


def hangs_at_odd_seeds(seed: int) -> int:
    time.sleep(60 * (seed % 2))
    return 1
