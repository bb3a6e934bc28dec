"""Scoring a large file from the shell: seconds and memory, beside ``wc -l`` and plain reading on the same file.

    python benchmarks/scoring.py

docs/cli.md has the table that it prints. The peak is that of the program with Python and NumPy in it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cutpoint as cp

SIZES = (100_000, 1_000_000)
ROUNDS = 3
PROGRAM = "from cutpoint.cli import main; main()"
READER = "import csv, sys; print(sum(1 for row in csv.reader(open(sys.argv[1]), delimiter='\\t')))"


class Cost(NamedTuple):
    """Seconds of the processor and megabytes at the peak."""

    seconds: float
    megabytes: float


def cost(command: list[str], output: Path) -> Cost:
    """Cost of a command, the best of a few rounds."""
    small = (  # a peak is never less than that of the process which started the command: this one would be large
        "import os, subprocess, sys; child = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], 'wb')); "
        "_, status, used = os.wait4(child.pid, 0); assert not status, status; "
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    started = [sys.executable, "-I", "-S", "-c", small, str(output), *command]
    runs = [subprocess.run(started, capture_output=True, text=True, check=True) for _ in range(ROUNDS)]
    return min(Cost(*map(float, run.stdout.split())) for run in runs)


def journeys(path: Path, rows: int) -> None:
    """A file of journeys with outcomes."""
    rng = np.random.default_rng(rows)
    names = np.array(cp.gallery.customers().alphabet)
    with path.open("w") as file:
        for r in range(rows):  # one by one: the child's peak counts what this process held when it began
            file.write(f"{r % 2}\t{' '.join(names[rng.integers(len(names), size=rng.integers(2, 13))])}\n")


def check(scored: Path, rows: int) -> None:
    """The scores are as many as the rows, and every thousandth is right."""
    truth, count = cp.gallery.customers(), 0
    with scored.open() as lines:
        for count, line in enumerate(lines, 1):
            if count % 1000 == 1:
                word, score, _ = line.split("\t")
                assert float(score) == truth.acceptances([word.split(" ")])[0]
    assert count == rows


def main() -> None:
    """Measure and print a table."""
    print("| rows | | processor seconds | rows per second | peak memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model, out = Path(folder) / "model.json", Path(folder) / "scores.tsv"
        cp.save(cp.gallery.customers(), model, cut_point="1/2")
        for rows in SIZES:
            data = Path(folder) / f"{rows}.tsv"
            journeys(data, rows)
            commands = {
                "`cutpoint score`": [sys.executable, "-c", PROGRAM, "score", str(model), str(data)],
                "`wc -l`": ["wc", "-l", str(data)],
                "Python's `csv`, reading alone": [sys.executable, "-c", READER, str(data)],
            }
            for name, command in commands.items():
                used = cost(command, out)
                peak = ""
                if "score" in command:
                    check(out, rows)
                    peak = f"{used.megabytes:.0f} MB"
                print(f"| {rows:,} | {name} | {used.seconds:.2f} | {rows / max(used.seconds, 1e-3):,.0f} | {peak} |")


if __name__ == "__main__":
    main()
