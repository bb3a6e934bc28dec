"""What the checks of arrays at the door of the compiled kernels cost: scoring with them and without, in turns.

    python benchmarks/door.py

The module without checks is built, in a few minutes, from a copy of the sources in which shapes, alignment, shared
memory, offsets and codes are taken as they come; nanobind looks at the types of arrays in both. The cost is the median
ratio of the processor time of neighbouring rounds, less 1. Noise is the same figure for the module against itself;
that two builds place their code differently is not in it.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.kernels import _native, native

ROOT = Path(__file__).parents[1]
WITHOUT = {  # what is left out, by file
    "door.hpp": [
        (" && reinterpret_cast<std::uintptr_t>(view.data()) % alignof(T) == 0;", ";"),
        ("for (std::size_t k = 0; fits && k < Axes; ++k)", "for (std::size_t k = 0; false; ++k)"),
        (
            "if (size == 0 || found.data()[0] != 0 || found.data()[size - 1] != static_cast<std::int64_t>(n_symbols))",
            "if (false)",
        ),
        ("if (overlap) refuse", "if (false && overlap) refuse"),
    ],
    "module.cpp": [
        (
            "ordered = ascend(offsets, first, last) && static_cast<size_t>(offsets[last]) <= symbols.size();",
            "ordered = true;",
        ),
        (
            "if (!ordered || !kernels.within(symbols.data() + offsets[first], count, 0, transitions.symbols))",
            "if (!ordered)",
        ),
        ("const size_t count = ordered ? static_cast<size_t>(offsets[last] - offsets[first]) : 0;", ""),
    ],
}
LENGTHS = (5, 15)
ROUNDS = 201
SECONDS = 0.01  # of one round, at least


def without_checks(copy: Path) -> ModuleType:
    """The compiled module without checks, built in a folder."""
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for name in ("native", "src"):
        shutil.copytree(ROOT / name, copy / name)
    for name, changes in WITHOUT.items():
        text = (copy / "native" / name).read_text()
        for old, new in changes:
            assert text.count(old) == 1, f"{name} has changed: {old}"
            text = text.replace(old, new)
        (copy / "native" / name).write_text(text)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(copy / "made"),
        str(copy),
    ]
    subprocess.run(command, check=True, env=os.environ | {"CUTPOINT_PAGE": "OFF"})
    (path,) = (copy / "made" / "cutpoint" / "kernels").glob("_native*.so")
    spec = importlib.util.spec_from_file_location("_native", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cost(module: ModuleType, base: ModuleType, scored: Callable[[], object]) -> tuple[float, float]:
    """Median ratio of processor time of two modules, and microseconds of the second for each call."""

    def spent(chosen: ModuleType, calls: int) -> float:
        with patch.object(native, "_native", chosen):
            began = time.process_time()
            for _ in range(calls):
                scored()
            return time.process_time() - began

    calls = 1
    while spent(base, calls) < SECONDS:
        calls *= 2
    pairs = []
    for k in range(ROUNDS):  # each comes first as often as the other
        order = (module, base) if k % 2 else (base, module)
        times = [spent(chosen, calls) for chosen in order]
        with_checks, without = times if k % 2 else times[::-1]
        pairs.append((with_checks / without, without / calls))
    ratio, seconds = np.median(pairs, axis=0)
    return float(ratio), 1e6 * float(seconds)


def refuses(module: ModuleType) -> bool:
    """Whether offsets are refused that end before the symbols do."""
    symbols, offsets = np.zeros(4, dtype=np.int32), np.array([0, 1, 3])
    try:
        module.acceptances(np.ones((1, 1, 1)), np.ones(1), np.ones(1), symbols, offsets, np.empty(2), 1)
    except ValueError:
        return True
    return False


def scores(module: ModuleType, acceptor: cp.Acceptor, words: list[str]) -> list[float]:
    """Acceptances by a module."""
    with patch.object(native, "_native", module):
        return acceptor.acceptances(words).tolist()


def main() -> None:
    """Build, compare the scores, measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        unchecked = without_checks(Path(folder))
        assert refuses(_native)
        assert not refuses(unchecked)
        print("| words | states | scored | µs without checks | cost of the checks | noise |\n|---|---|---|---|---|---|")
        for n_words, n_states in product((10, 50_000), (2, 16)):
            acceptor = cp.random_acceptor(n_states, "abcd", rng=1)
            words = ["".join(word) for word in cp.random_words("abcd", n_words, LENGTHS, rng=2)]
            assert scores(_native, acceptor, words) == scores(unchecked, acceptor, words)
            encoded = acceptor.encode(words)
            calls: dict[str, Callable[[], object]] = {
                "texts": partial(acceptor.acceptances, words, threads=1),
                "encoded words": partial(acceptor.encoded_acceptances, encoded, threads=1),
            }
            for name, call in calls.items():
                ratio, micro = cost(_native, unchecked, call)
                noise, _ = cost(_native, _native, call)
                row = f"| {n_words:,} | {n_states} | {name} | {micro:,.2f} | {ratio - 1:+.1%} | {noise - 1:+.1%} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
