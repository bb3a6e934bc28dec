"""Random exact acceptors and the same ones in other guises."""

from fractions import Fraction

import numpy as np

import cutpoint as cp


def small_acceptor(rng: np.random.Generator, n_states: int, alphabet: str = "ab") -> cp.Acceptor:
    """Small weights over their sums, zeros among them."""
    weights = rng.integers(0, 4, size=(len(alphabet), n_states, n_states))
    weights[weights.sum(axis=2) == 0] = 1
    final = rng.random(n_states) < 0.5
    start = rng.integers(0, 3, size=n_states)
    start[rng.integers(n_states)] += 1
    return cp.Acceptor.normalized(n_states, alphabet, weights.tolist(), start.tolist(), final)


def permuted(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """The same states in another order."""
    order = rng.permutation(A.n_states)
    names = [f"p{i}" for i in range(A.n_states)]
    steps, start = (A.exact_transitions, A.exact_initial) if A.is_exact else (A.transitions, A.initial)
    return cp.Acceptor(names, A.alphabet, steps[:, order][:, :, order], start[order], A.final[order])


def split(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """One state in two copies that go on alike but are entered in other proportions on every way in."""
    s, n = int(rng.integers(A.n_states)), A.n_states
    steps = np.full((A.n_symbols, n + 1, n + 1), Fraction(0), dtype=object)
    steps[:, :n, :n] = A.exact_transitions
    start = np.array([*A.exact_initial, Fraction(0)], dtype=object)
    for row in [start, *steps.reshape(-1, n + 1)]:
        row[n] = row[s] * Fraction(int(rng.integers(0, 6)), 5)
        row[s] -= row[n]
    shares = [Fraction(int(k), 5) for k in rng.integers(0, 6, size=A.n_symbols)]
    steps[:, n] = steps[:, s]
    for a, share in enumerate(shares):  # the copy enters the two copies in its own proportions
        both = steps[a, n, s] + steps[a, n, n]
        steps[a, n, s], steps[a, n, n] = both * share, both * (1 - share)
    return cp.Acceptor(n + 1, A.alphabet, steps, start, np.append(A.final, A.final[s]))


def with_dummy(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """Product with an acceptor that accepts everything."""
    dummy = small_acceptor(rng, 2, "".join(map(str, A.alphabet)))
    return A & dummy.replace(final=np.array([True, True]))


def with_clock(A: cp.Acceptor, ticks: int) -> cp.Acceptor:
    """Product with a count of the symbols read, up to a number."""
    rows = {i: dict.fromkeys(A.alphabet, min(i + 1, ticks)) for i in range(ticks + 1)}
    return A & cp.gallery.deterministic(rows, 0, range(ticks + 1))


def different_from(A: cp.Acceptor, ticks: int, rng: np.random.Generator) -> cp.Acceptor:
    """Acceptor that differs from A on some word of the given length and on none shorter."""
    clocked = with_clock(A, ticks)
    word = rng.choice(list(map(str, A.alphabet)), size=ticks).tolist()
    reached = [i for i, p in enumerate(clocked.distribution(word)) if p > 0]
    final = clocked.final.copy()
    chosen = reached[int(rng.integers(len(reached)))]
    final[chosen] = ~final[chosen]
    return clocked.replace(final=final)
