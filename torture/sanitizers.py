"""The row about memory and threads: the compiled kernels under the sanitizers."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

from torture.scoreboard import Row

NATIVE = Path(__file__).parents[1] / "native"
SOURCES = ("exercise", "kernels", "tree", "tables", "merging", "sparse")
KINDS = ("thread", "address,undefined")
OPTIONS = ["-std=c++20", "-O1", "-g", "-Wno-psabi", "-fno-sanitize-recover=all", "-pthread"]
OPTIONS += ["-DCUTPOINT_TABLE=kernels_baseline", '-DCUTPOINT_NAME="plain"']
PLANTED = "CUTPOINT_EXERCISE"
"""Variable with an error that the program is to make, such as ``leak``."""


def no_sanitizers() -> str:
    """What is missing to build the kernels with sanitizers."""
    if not shutil.which("c++") or not (NATIVE / "exercise.cpp").exists():
        return "no C++ compiler"
    for kind in KINDS:
        command = ["c++", "-x", "c++", f"-fsanitize={kind}", "-o", os.devnull, "-"]
        if subprocess.run(command, input=b"int main() {}", capture_output=True, check=False).returncode:
            return f"the C++ compiler has no -fsanitize={kind}"
    return ""


@cache
def program(kind: str) -> str:
    """The kernels with a sanitizer, built once for each process."""
    folder = tempfile.mkdtemp()
    sources = [NATIVE / f"{name}.cpp" for name in SOURCES]
    subprocess.run(["c++", *OPTIONS, f"-fsanitize={kind}", "-o", f"{folder}/exercise", *sources], check=True)
    return f"{folder}/exercise"


def sanitized(seed: int) -> int:
    """All kernels, many threads at once."""
    kind = KINDS[seed % 2]
    planted = [os.environ[PLANTED]] if PLANTED in os.environ else []
    done = subprocess.run([program(kind), *planted], capture_output=True, text=True, check=False)
    assert not done.returncode, f"{kind}: {done.stdout[-1000:]}{done.stderr[-3000:]}"
    return 1


@contextlib.contextmanager
def a_leak() -> Iterator[None]:
    """The program loses memory."""
    with patch.dict(os.environ, {PLANTED: "leak"}):
        yield


ROWS = [
    Row(
        "sanitizers",
        "The compiled kernels, called by many threads at once, have no data race, no leak, no access out of bounds and "
        "no undefined behavior.",
        sanitized,
        a_leak,
        timeout=600.0,
        minutes=20.0,
        missing=no_sanitizers,
    )
]  # fmt: skip
