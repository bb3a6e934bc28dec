"""Adversarial models and words, and exact answers about them in whole numbers.

Nothing here uses the package's recursions: a model's floats become whole numbers over a power of two, and sums and
products of these are exact.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

import cutpoint as cp

SCALE = 1074
"""Every float is a whole number over two to this power."""

STYLES = ("even", "sparse", "tiny", "subnormal", "few values")

SYMBOLS = "abc"


def weights(rng: np.random.Generator, shape: tuple[int, ...], style: str) -> Any:
    """Non-negative weights in a style, with a positive one in each row."""
    if style == "even":
        values = rng.random(shape)
    elif style == "few values":
        values = rng.integers(0, 4, shape).astype(float)
    elif style == "sparse":
        values = rng.random(shape) * (rng.random(shape) < 0.4)
    else:
        deepest = 308.0 if style == "tiny" else 323.0
        values = 10.0 ** -np.where(rng.random(shape) < 0.5, rng.uniform(0, deepest, shape), rng.uniform(0, 2, shape))
    rows = values.reshape(-1, shape[-1])
    rows[np.arange(len(rows)), rng.integers(0, shape[-1], len(rows))] += 1.0
    return rows.reshape(shape)


def acceptor(
    rng: np.random.Generator, largest: int = 6, style: str | None = None, symbols: int | None = None
) -> cp.Acceptor:
    """An acceptor of up to so many states, its entries in some style."""
    n_states, n_symbols = int(rng.integers(1, largest + 1)), symbols or int(rng.integers(1, 4))
    style = style or str(rng.choice(STYLES))
    steps, start = weights(rng, (n_symbols, n_states, n_states), style), weights(rng, (n_states,), style)
    final = rng.random(n_states) < 0.5
    return cp.Acceptor.normalized(n_states, SYMBOLS[:n_symbols], steps, start, final)


def rational_acceptor(rng: np.random.Generator, largest: int = 4, symbols: int | None = None) -> cp.Acceptor:
    """An acceptor with entries in small whole numbers over their sums, zeros among them."""
    n_states, n_symbols = int(rng.integers(1, largest + 1)), symbols or int(rng.integers(1, 4))
    steps, start = weights(rng, (n_symbols, n_states, n_states), "few values"), weights(rng, (n_states,), "few values")
    final = rng.random(n_states) < 0.5
    entries = steps.astype(int).tolist(), start.astype(int).tolist()
    return cp.Acceptor.normalized(n_states, SYMBOLS[:n_symbols], *entries, final)


def generator(rng: np.random.Generator, largest: int = 6, style: str | None = None) -> cp.Generator:
    """A generator of up to so many states; each of them can stop."""
    n_states, n_symbols = int(rng.integers(1, largest + 1)), int(rng.integers(1, 4))
    style = style or str(rng.choice(STYLES))
    steps, start = weights(rng, (n_symbols, n_states, n_states), style), weights(rng, (n_states,), style)
    stop = weights(rng, (n_states, 1), style)[:, 0]
    return cp.Generator.normalized(
        n_states, SYMBOLS[:n_symbols], steps, start, stop, np.append(rng.random(n_states - 1) < 0.5, True)
    )


def words(rng: np.random.Generator, symbols: Sequence[Any], number: int, longest: int) -> list[str]:
    """Words, most of them short; the first is empty."""
    lengths = (longest * rng.random(number) ** 3).astype(int)
    lengths[0] = 0
    return ["".join(rng.choice(list(symbols), length)) for length in lengths]


def all_words(symbols: Sequence[Any], longest: int) -> list[str]:
    """All words up to a length, shortest first, then in the order of the alphabet."""
    return ["".join(letters) for length in range(longest + 1) for letters in product(symbols, repeat=length)]


@dataclass(frozen=True)
class Whole:
    """A model's numbers times 2**SCALE, as whole numbers."""

    codes: dict[Any, int]
    steps: list[list[list[int]]]
    start: list[int]
    stop: list[int] | None

    @classmethod
    def of(cls, model: cp.Acceptor | cp.Generator) -> "Whole":
        """Numbers of a model."""
        codes = {symbol: code for code, symbol in enumerate(model.alphabet)}
        stop = _whole(model.stop.tolist()) if isinstance(model, cp.Generator) else None
        return cls(codes, _whole(model.transitions.tolist()), _whole(model.initial.tolist()), stop)

    def forward(self, word: Sequence[Any]) -> list[list[int]]:
        """Rows after each prefix; row i in units of 2**(-SCALE (i + 1))."""
        rows = [self.start]
        for symbol in word:
            matrix = self.steps[self.codes[symbol]]
            states = range(len(matrix))
            rows.append([sum(rows[-1][s] * matrix[s][t] for s in states) for t in states])
        return rows

    def backward(self, word: Sequence[Any], last: list[int]) -> list[list[int]]:
        """Columns before each suffix, the last as given; column i in units of 2**(-SCALE (n - i)) of its unit."""
        columns = [last]
        for symbol in reversed(word):
            matrix = self.steps[self.codes[symbol]]
            columns.append([sum(p * b for p, b in zip(row, columns[-1], strict=True)) for row in matrix])
        return columns[::-1]

    def end(self, final: Sequence[bool] | None = None) -> tuple[list[int], int]:
        """The column at the end of a word, with its units: the stops (or ones) where ``final``."""
        column = [1] * len(self.start) if self.stop is None else self.stop
        kept = column if final is None else [value * bool(f) for value, f in zip(column, final, strict=True)]
        return kept, int(self.stop is not None)

    def probability(self, word: Sequence[Any], final: Sequence[bool] | None = None) -> Fraction:
        """Probability to end in a final state; of a generator, to come up and end so."""
        column, unit = self.end(final)
        total = sum(p * f for p, f in zip(self.forward(word)[-1], column, strict=True))
        return Fraction(total, 1 << SCALE * (len(word) + 1 + unit))

    def occupancy(self, word: Sequence[Any], final: Sequence[bool] | None = None) -> list[list[Fraction]] | None:
        """Posterior distribution over states at each position; None if the end is impossible."""
        column, _ = self.end(final)
        rows, columns = self.forward(word), self.backward(word, column)
        total = sum(p * f for p, f in zip(rows[-1], column, strict=True))
        if not total:
            return None
        pairs = [zip(row, column, strict=True) for row, column in zip(rows, columns, strict=True)]
        return [[Fraction(p * b, total) for p, b in pair] for pair in pairs]

    def uses(self, word: Sequence[Any], final: Sequence[bool] | None = None) -> list[tuple[int, list[list[Fraction]]]]:
        """At each position the symbol read and the posterior probability of each move; the end must be possible."""
        column, _ = self.end(final)
        rows, columns = self.forward(word), self.backward(word, column)
        total = sum(p * f for p, f in zip(rows[-1], column, strict=True))
        moves = []
        for i, symbol in enumerate(word):
            matrix = self.steps[self.codes[symbol]]
            states = range(len(matrix))
            moves.append(
                (
                    self.codes[symbol],
                    [[Fraction(rows[i][s] * matrix[s][t] * columns[i + 1][t], total) for t in states] for s in states],
                )
            )
        return moves

    def reached(self, prefix: Sequence[Any]) -> bool:
        """Whether a word can begin with this."""
        return any(self.forward(prefix)[-1])

    def next_symbols(self, prefix: Sequence[Any]) -> list[float]:
        """Probability of each symbol to come next, and last of the stop."""
        assert self.stop is not None
        row = self.forward(prefix)[-1]
        ends = [[sum(moves) for moves in matrix] for matrix in self.steps] + [self.stop]
        below = sum(row) << SCALE
        return [float(Fraction(sum(p * b for p, b in zip(row, end, strict=True)), below)) for end in ends]


def _whole(values: Any) -> Any:
    if isinstance(values, list):
        return [_whole(value) for value in values]
    numerator, denominator = values.as_integer_ratio()
    return numerator * ((1 << SCALE) // denominator)


def logarithm(value: Fraction) -> float:
    """Natural logarithm, to the last few bits however small the number is; -inf for 0."""
    if value <= 0:
        return -math.inf
    top, bottom = value.numerator, value.denominator
    shift = top.bit_length() - bottom.bit_length()
    scaled = Fraction(top, bottom << shift) if shift >= 0 else Fraction(top << -shift, bottom)
    return math.log(scaled) + shift * math.log(2.0)


# -- Rational models ---------------------------------------------------------------------------------------------------


def exact_value(model: cp.Acceptor | cp.WeightedAutomaton, word: Sequence[Any], final: Any) -> Fraction:
    """Value of a word under the exact entries of a model, by sums over paths."""
    codes = {symbol: code for code, symbol in enumerate(model.alphabet)}
    row = list(model.exact_initial)
    for symbol in word:
        matrix = model.exact_transitions[codes[symbol]]
        row = [sum((p * matrix[s, t] for s, p in enumerate(row)), Fraction(0)) for t in range(len(row))]
    return sum((p * (f if isinstance(f, Fraction) else bool(f)) for p, f in zip(row, final, strict=True)), Fraction(0))


class Forecasts:
    """Forecasts in rationals: the linear system by elimination, over pairs of states."""

    def __init__(self, model: cp.Acceptor, law: cp.Generator) -> None:
        self.model, self.law = Whole.of(model), Whole.of(law)
        assert self.law.stop is not None
        one, states, laws = 1 << SCALE, range(len(self.model.start)), range(len(self.law.start))
        rows = []
        for s in states:
            for g in laws:
                row = [Fraction(s == t and g == h) for t in states for h in laws]
                for P, T in zip(self.model.steps, self.law.steps, strict=True):
                    moves = [Fraction(P[s][t] * T[g][h], one * one) for t in states for h in laws]
                    row = [a - b for a, b in zip(row, moves, strict=True)]
                rows.append([*row, Fraction(self.law.stop[g] * bool(model.final[s]), one)])
        self.values = _solved(rows)

    def forecast(self, prefix: Sequence[Any]) -> Fraction:
        """Probability to end accepted after a prefix that can come up."""
        row, law = self.model.forward(prefix)[-1], self.law.forward(prefix)[-1]
        total = sum(p * q * v for (p, q), v in zip(product(row, law), self.values, strict=True))
        return Fraction(total) / (sum(law) << SCALE * (len(prefix) + 1))


def _solved(rows: list[list[Fraction]]) -> list[Fraction]:
    """Solution of linear equations, each with its right side last."""
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def shapley(value: Callable[[str], Fraction], word: str) -> list[Fraction]:
    """Shapley values of positions where absent means deleted, by all subsets."""
    n, found = len(word), [Fraction(0)] * len(word)
    values = {kept: value("".join(word[i] for i in kept)) for m in range(n + 1) for kept in combinations(range(n), m)}
    for kept, worth in values.items():
        for i in set(range(n)) - set(kept):
            share = Fraction(1, n * math.comb(n - 1, len(kept)))
            found[i] += share * (values[tuple(sorted((*kept, i)))] - worth)
    return found
