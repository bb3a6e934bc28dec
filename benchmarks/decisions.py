"""Seconds of decisions about acceptors: equivalence, exact and with a tolerance, minimize, quotient.

    python benchmarks/decisions.py

Alphabet of 4 symbols. "Permuted": the same acceptor with its states in another order. "Split": the same with every
state in two copies, entered in random proportions. "One state": one state less is final. Every answer is checked.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cutpoint as cp

SYMBOLS = "abcd"


def thousandths(n: int, rng: np.random.Generator) -> cp.Acceptor:
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
    final[int(np.argmax(final))] = False
    return A.replace(final=final)


def timed(label: str, right: Callable[[Any], bool], job: Callable[..., Any], *arguments: Any) -> None:
    """Run once, check the answer, print a row."""
    began = time.perf_counter()
    answer = job(*arguments)
    spent = time.perf_counter() - began
    if not right(answer):
        raise SystemExit(f"{label}: wrong answer {answer!r}")
    print(f"| {label} | {spent:.2f} |", flush=True)


def equivalences(label: str, A: cp.Acceptor, rng: np.random.Generator, tolerance: float | None) -> None:
    """The same acceptor in another guise, and another one."""
    B = permuted(A, rng)
    for what, other, right in (
        ("permuted", B, bool),
        ("split", split(A, rng), bool),
        ("one state", other_final(B), lambda answer: not answer),
    ):
        sizes = f"{A.n_states} and {other.n_states} states"
        timed(f"{label}, {sizes}, {what}", right, cp.equivalence, A, other, tolerance)


def main() -> None:
    """Print a table of Markdown."""
    rng = np.random.default_rng(0)
    print("| decision | seconds |\n|---|---|")
    equivalences("exact equivalence, thousandths", thousandths(60, rng), rng, None)
    equivalences("exact equivalence, weights 0–9", small_weights(60, rng), rng, None)
    F = cp.random_acceptor(60, SYMBOLS, rng=1)
    timed("exact equivalence of floats, 60 and 60 states, permuted", bool, cp.equivalence, F, permuted(F, rng))
    equivalences("equivalence within 1e-9", cp.random_acceptor(300, SYMBOLS, rng=2), rng, 1e-9)
    double = split(small_weights(30, rng), rng)
    timed("minimize, exact, 60 states to 30", lambda small: small.dimension == 30, cp.minimize, double)
    timed("quotient, exact, 60 states to 30", lambda small: small.n_states == 30, cp.quotient, double)
    G = split(cp.random_acceptor(150, SYMBOLS, rng=3), rng)
    timed("minimize, floats, 300 states to 150", lambda small: small.dimension == 150, cp.minimize, G)
    timed("quotient, floats, 300 states to 150", lambda small: small.n_states == 150, cp.quotient, G)
    timed("is_isomorphic, exact, 60 states", bool, cp.decision.is_isomorphic, double, permuted(double, rng))


if __name__ == "__main__":
    main()
