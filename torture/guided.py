"""The row about readers that is led by coverage: atheris changes files towards lines that were not reached before.

Each batch is a process of its own, ``python -m torture.guided KIND SEED RUNS``: atheris ends the process it runs in.
"""

import contextlib
import gc
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any
from unittest.mock import patch

from torture.scoreboard import Row

RUNS = 1500
"""Files of a batch."""

LONGEST = 20_000
"""Bytes of the longest file that atheris makes."""

READERS = ("cutpoint.files", "cutpoint.data", "cutpoint.shards", "cutpoint.em.checkpoint", "cutpoint.cases.state_file")
"""Modules whose lines are counted."""

TRUSTING = "CUTPOINT_TRUSTING"
"""Variable that plants an error in the process: readers end with an error of Python's own."""


def no_atheris() -> str:
    """What is missing to be led by coverage."""
    return "" if importlib.util.find_spec("atheris") else "atheris is not installed (pip install atheris)"


def guided_readers(seed: int) -> int:
    """One kind of file, changed many times; half of the seeds make its digest right again."""
    from torture import stored

    kind = seed % len(stored.stored())
    command = [sys.executable, "-m", "torture.guided", str(kind), str(seed), str(RUNS)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{stored.stored()[kind].name}: {done.stdout[-1000:]}{done.stderr[-3000:]}"
    assert f"Done {RUNS} runs" in done.stderr, done.stderr[-3000:]
    return RUNS


def fuzz(number: int, seed: int, runs: int) -> None:
    """Read what atheris makes of a file; it ends the process, with an exit code other than 0 at the first failure."""
    from torture import stored
    from torture.readers import bounded

    atheris: Any = importlib.import_module("atheris")
    whole = stored.stored()  # all readers are loaded by now
    for each in gc.get_objects():
        if type(each) is FunctionType and str(each.__module__).startswith(READERS):
            atheris.instrument_func(each)
    kind, sign = whole[number], bool(seed // len(whole) % 2)
    with stored.scratch() as folder, tempfile.TemporaryDirectory() as corpus:
        Path(corpus, "whole").write_bytes(kind.files[kind.target])

        def read(content: bytes) -> None:
            with bounded():
                kind.found(folder, kind.sign(content) if sign else content)
            if TRUSTING in os.environ and content != kind.files[kind.target]:
                raise KeyError("planted")

        options = [f"-runs={runs}", f"-seed={seed + 1}", f"-max_len={LONGEST}", f"-artifact_prefix={corpus}/"]
        atheris.Setup(["guided", *options, corpus], read)
        atheris.Fuzz()


@contextlib.contextmanager
def errors_of_python() -> Iterator[None]:
    """A reader lets a KeyError through."""
    with patch.dict(os.environ, {TRUSTING: "1"}):
        yield


ROWS = [
    Row(
        "guided-readers",
        "The same where coverage leads the changes (atheris) to parts of the readers that others have not reached.",
        guided_readers,
        errors_of_python,
        timeout=300.0,
        minutes=5.0,
        missing=no_atheris,
    )
]

if __name__ == "__main__":
    fuzz(*map(int, sys.argv[1:]))
