"""What a second thread brings, beside what the machine allows: two processes that share nothing.

    python benchmarks/threads.py

One E-step (8 states, alphabet 8, words of about 50) with one thread, with two, and at the same time in two processes
with one thread each. Where the two processes get no further either, the machine is the limit, not the kernel.
"""

import multiprocessing
import time
from multiprocessing.synchronize import Event
from typing import Any

import numpy as np

import cutpoint as cp

ACCEPTOR = cp.random_acceptor(8, "abcdefgh", rng=0)
SAMPLE = cp.simulate(ACCEPTOR, cp.random_words("abcdefgh", 20_000, (45, 55), rng=1), rng=2)
REPETITIONS = 40
ROUNDS = 6


def spent(threads: int) -> float:
    """Seconds of some E-steps."""
    began = time.perf_counter()
    for _ in range(REPETITIONS):
        cp.expected_counts(ACCEPTOR, SAMPLE, threads=threads)
    return time.perf_counter() - began


def alone(results: Any, start: Event) -> None:
    """Do the work of one thread when told to."""
    cp.expected_counts(ACCEPTOR, SAMPLE, threads=1)
    results.put(0.0)
    start.wait()
    results.put(spent(1))


def side_by_side() -> float:
    """Seconds until both of two processes have done the work of one thread each."""
    results, start = multiprocessing.Queue(), multiprocessing.Event()
    workers = [multiprocessing.Process(target=alone, args=(results, start)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in workers:
        results.get()
    start.set()
    slowest = max(results.get() for _ in workers)
    for worker in workers:
        worker.join()
    return slowest


def main() -> None:
    """Take turns and print the ratios."""
    rows = []
    for _ in range(ROUNDS):
        one = spent(1)
        rows.append((one / spent(2), 2.0 * one / side_by_side()))
        print(f"two threads {rows[-1][0]:.2f}×, two processes {rows[-1][1]:.2f}×", flush=True)
    threads, processes = np.median(rows, axis=0)
    print(f"median: two threads {threads:.2f}×, two processes {processes:.2f}×")


if __name__ == "__main__":
    main()
