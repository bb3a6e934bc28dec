"""Two builds of cutpoint in one run: how long calls take in this environment against another.

    python benchmarks/compare.py OTHER/bin/python

Both are started once and asked in turn, so that a busy machine disturbs both alike; the figure is the ratio of the
fastest rounds. A build of an older version is a worktree with an environment of its own.
"""

import subprocess
import sys
from timeit import Timer

ROUNDS = 101
SECONDS = 0.005  # of a measurement

SETUP = """
import numpy as np, cutpoint as cp
A = cp.random_acceptor({states}, "abcd", rng=1)
words = cp.random_words("abcd", {words}, {lengths}, rng=2)
encoded, word = A.encode(words), words[0]
sample = cp.simulate(A, words, rng=3)
"""
SMALL = {"words": 10, "lengths": (5, 15)}
LARGE = {"words": 100_000, "lengths": (5, 15)}
CALLS = {
    "A.acceptance(word)": ("A.acceptance(word)", SMALL),
    "10 words": ("A.acceptances(words)", SMALL),
    "10 words, encoded": ("A.encoded_acceptances(encoded, 1)", SMALL),
    "100,000 words, encoded": ("A.encoded_acceptances(encoded, 1)", LARGE),
    "A.forward(word)": ("A.forward(word)", SMALL),
    "A.occupancy(word)": ("A.occupancy(word)", SMALL),
    "A.most_likely_path(word)": ("A.most_likely_path(word)", SMALL),
    "E-step of 10 words": ("cp.expected_counts(A, sample, threads=1)", SMALL),
    "E-step of 100,000 words": ("cp.expected_counts(A, sample, threads=1)", LARGE),
}


def serve() -> None:
    """Measure the calls that are asked for, line by line."""
    timers: dict[str, tuple[Timer, int]] = {}
    for line in sys.stdin:
        name, states = line.rstrip("\n").split("\t")
        if line not in timers:
            call, sizes = CALLS[name]
            timer = Timer(call, SETUP.format(states=states, **sizes))
            timers.clear()
            timers[line] = timer, max(1, int(SECONDS / timer.timeit(3) * 3))
        timer, number = timers[line]
        print(timer.timeit(number) / number, flush=True)


def main(other: str) -> None:
    """Print a line for each call: microseconds here, and the ratio."""
    children = [
        subprocess.Popen([python, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for python in (sys.executable, other)
    ]

    def seconds(child: "subprocess.Popen[str]", line: str) -> float:
        assert child.stdin
        assert child.stdout
        child.stdin.write(line)
        child.stdin.flush()
        return float(child.stdout.readline())

    print(f"{'':<26}{'states':>7}{'here, µs':>12}{'ratio':>8}")
    for name in CALLS:
        for states in (2, 8, 24):
            line = f"{name}\t{states}\n"
            rounds = [[seconds(child, line) for child in children] for _ in range(ROUNDS)]
            here, there = (min(column) for column in zip(*rounds, strict=True))
            print(f"{name:<26}{states:>7}{1e6 * here:>12.2f}{here / there:>8.3f}", flush=True)
    for child in children:
        child.terminate()


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) > 1 else serve()
