"""Seconds of decisions about acceptors: equivalence, exact and with a tolerance, minimize, quotient.

    python benchmarks/decisions.py

Alphabet of 4 symbols. "Permuted": the same acceptor with its states in another order. "Split": the same with every state
in two copies, entered in random proportions. "One state": one state less is final. Every answer is checked.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cutpoint as cp

SYMBOLS = "abcd"


def sparse_thousandths(n: int, rng: np.random.Generator) -> cp.Acceptor:
    """Exact acceptor whose entries are multiples of 1/1000."""
    weights = rng.multinomial(1000, np.full(n, 1 / n), size=(len(SYMBOLS), n))
    return cp.Acceptor.normalized(n, SYMBOLS, weights.tolist(), [1] + [0] * (n - 1), set(range(0, n, 3)))


def small_weights(n: int, rng: np.random.Generator) -> cp.Acceptor:
    """Exact acceptor whose rows are weights 0 … 9 over their sums: every row has its own denominator."""
    weights = rng.integers(0, 10, size=(len(SYMBOLS), n, n))
    return cp.Acceptor.normalized(n, SYMBOLS, weights.tolist(), [1] + [0] * (n - 1), set(range(0, n, 3)))


def permuted(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """The same states in another order."""
    order = rng.permutation(A.n_states)
    steps, start = (A.exact_transitions, A.exact_initial) if A.is_exact else (A.transitions, A.initial)
    return cp.Acceptor(A.n_states, SYMBOLS, steps[:, order][:, :, order], start[order], A.final[order])


def split(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """Every state in two copies, entered in random proportions."""
    steps, start = (A.exact_transitions, A.exact_initial) if A.is_exact else (A.transitions, A.initial)
    shares: Any = rng.integers(1, 10, size=A.n_states)
    both = np.concatenate([over(shares, 10), over(10 - shares, 10)])
    both = both if A.is_exact else both.astype(float)
    larger = np.tile(steps, (1, 2, 2)) * both
    return cp.Acceptor(2 * A.n_states, SYMBOLS, larger, np.tile(start, 2) * both, np.tile(A.final, 2))


def over(values: Any, below: int) -> Any:
    """Integers over a denominator."""
    from fractions import Fraction

    return np.array([Fraction(int(value), below) for value in values], dtype=object)


def other_final(A: cp.Acceptor) -> cp.Acceptor:
    """The acceptor with one final state less."""
    final = A.final.copy()
    final[0] = False
    return A.replace(final=final)


def timed(label: str, job: Callable[[], Any], right: Callable[[Any], bool]) -> None:
    """Run once, check the answer, print a row."""
    began = time.perf_counter()
    answer = job()
    spent = time.perf_counter() - began
    if not right(answer):
        raise SystemExit(f"{label}: wrong answer {answer!r}")
    print(f"| {label} | {spent:.2f} |", flush=True)


def main() -> None:
    """Print a table of Markdown."""
    rng = np.random.default_rng(0)
    print("| decision | seconds |\n|---|---|")
    kinds = (("thousandths", sparse_thousandths), ("weights 0–9", small_weights))
    for name, make in kinds:
        A = make(60, rng)
        for what, B in (("permuted", permuted(A, rng)), ("split", split(A, rng))):
            timed(f"exact equivalence, 60 and {B.n_states} states, {name}, {what}", lambda: cp.equivalence(A, B), bool)
        B = other_final(permuted(A, rng))
        timed(f"exact equivalence, 60 and 60 states, {name}, one state", lambda: cp.equivalence(A, B), lambda e: not e)
    F = cp.random_acceptor(60, SYMBOLS, rng=1)
    timed("exact equivalence of floats, 60 and 60 states, permuted", lambda: cp.equivalence(F, permuted(F, rng)), bool)
    for n in (100, 300):
        F = cp.random_acceptor(n, SYMBOLS, rng=2)
        G = permuted(F, rng)
        timed(
            f"equivalence within 1e-9, {n} and {n} states, permuted", lambda: cp.equivalence(F, G, tolerance=1e-9), bool
        )
        H = other_final(G)
        timed(
            f"equivalence within 1e-9, {n} and {n} states, one state",
            lambda: cp.equivalence(F, H, 1e-9),
            lambda e: not e,
        )
    A = small_weights(30, rng)
    double = split(A, rng)
    timed("minimize, exact, 60 states to 30", lambda: cp.minimize(double), lambda m: m.dimension == 30)
    timed("quotient, exact, 60 states to 30", lambda: cp.quotient(double), lambda q: q.n_states == 30)
    G = split(cp.random_acceptor(150, SYMBOLS, rng=3), rng)
    timed("minimize, floats, 300 states to 150", lambda: cp.minimize(G), lambda m: m.dimension == 150)
    timed("quotient, floats, 300 states to 150", lambda: cp.quotient(G), lambda q: q.n_states == 150)
    timed("is_isomorphic, 60 states", lambda: cp.is_isomorphic(double, permuted(double, rng)), bool)


if __name__ == "__main__":
    main()
