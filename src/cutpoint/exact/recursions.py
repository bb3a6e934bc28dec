r"""The forward recursion over the rationals: integer matrices over one common denominator per symbol.

.. math:: \pi P(x) f = \frac{\tilde\pi\, \tilde P(x_1) \cdots \tilde P(x_n) f}{d_\pi\, d_{x_1} \cdots d_{x_n}}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flint import fmpq_mat, fmpz, fmpz_mat

LONG = 200
"""Words longer than this are multiplied by halves."""


@dataclass(frozen=True)
class Integral:
    """Acceptor in integers: matrix a is ``matrices[a] / denominators[a]``, likewise the initial row."""

    matrices: tuple[fmpz_mat, ...]
    denominators: tuple[fmpz, ...]
    initial: fmpz_mat
    initial_denominator: fmpz

    def distribution(self, word: Sequence[int]) -> list[Fraction]:
        """πP(x), exactly."""
        row, denominator = self.row(word)
        return [lowest_terms(number, denominator) for number in row.entries()]

    def acceptance(self, final: NDArray[np.bool_], word: Sequence[int]) -> Fraction:
        """πP(x)f, exactly; cost O(n l²) products of integers that grow with the word."""
        row, denominator = self.row(word)
        accepted = (number for number, kept in zip(row.entries(), final, strict=True) if kept)
        return lowest_terms(sum(accepted, start=denominator * 0), denominator)

    def row(self, word: Sequence[int]) -> tuple[fmpz_mat, fmpz]:
        """Numerators and common denominator of πP(x); the denominator depends on the symbols only."""
        row = self.initial
        if len(word) > LONG:  # balanced products use fast multiplication; a row would meet huge numbers at each step
            row = row * self._product(word)
        else:
            for symbol in word:
                row = row * self.matrices[symbol]
        return row, self.initial_denominator * self._denominator(word)

    def column(self, final: NDArray[np.bool_], word: Sequence[int]) -> tuple[fmpz_mat, fmpz]:
        """Numerators and common denominator of P(x)f."""
        from flint import fmpz_mat  # noqa: PLC0415

        column = fmpz_mat(len(final), 1, [int(kept) for kept in final])
        for symbol in reversed(word):
            column = self.matrices[symbol] * column
        return column, self._denominator(word)

    def _denominator(self, word: Sequence[int]) -> fmpz:
        denominator = self.initial_denominator**0
        for symbol, times in Counter(word).items():
            denominator *= self.denominators[symbol] ** times
        return denominator

    def _product(self, word: Sequence[int]) -> fmpz_mat:
        """Product of the numerators' matrices, by halves."""
        if len(word) == 1:
            return self.matrices[word[0]]
        half = len(word) // 2
        return self._product(word[:half]) * self._product(word[half:])


def integral(transitions: NDArray[Any], initial: NDArray[Any]) -> Integral:
    """Integer form of an array ``[a, s, t]`` and a vector ``[s]`` of ``Fraction``."""
    scaled = [over_common_denominator(matrix) for matrix in transitions]
    row, denominator = over_common_denominator(initial[None, :])
    return Integral(tuple(matrix for matrix, _ in scaled), tuple(below for _, below in scaled), row, denominator)


def over_common_denominator(fractions: NDArray[Any]) -> tuple[fmpz_mat, fmpz]:
    """Integer matrix and denominator of a matrix of ``Fraction``."""
    # flint takes half as long to import as numpy: only those who ask for exact answers wait for it.
    from flint import fmpz, fmpz_mat  # noqa: PLC0415

    denominator = math.lcm(*(value.denominator for value in fractions.flat))
    numerators = [value.numerator * (denominator // value.denominator) for value in fractions.flat]
    return fmpz_mat(fractions.shape[0], fractions.shape[1], numerators), fmpz(denominator)


def lowest_terms(numerator: fmpz, denominator: fmpz) -> Fraction:
    """Quotient in lowest terms. Python's own gcd takes minutes on numbers of a million digits, flint's does not."""
    divisor = numerator.gcd(denominator)
    reduced = Fraction()
    reduced._numerator = int(numerator // divisor)  # type: ignore[attr-defined]
    reduced._denominator = int(denominator // divisor)  # type: ignore[attr-defined]
    return reduced


Fractions = NDArray[Any]
Codes = NDArray[np.int32]


def matrix(transitions: Fractions, word: Codes) -> Fractions:
    """P(x) = P(x₁)…P(xₙ); the identity for the empty word."""
    product: Fractions = fractions(np.eye(transitions.shape[1], dtype=np.int64))
    for symbol in word:
        product = product @ transitions[symbol]
    return product


def distribution(transitions: Fractions, initial: Fractions, word: Codes) -> Fractions:
    """Row πP(x)."""
    row: Fractions = forward(transitions, initial, word)[-1]
    return row


def forward(transitions: Fractions, initial: Fractions, word: Codes) -> Fractions:
    """Table ``[k, s]`` of the rows after each prefix."""
    rows = [initial]
    for symbol in word:
        rows.append(rows[-1] @ transitions[symbol])
    return np.stack(rows)


def backward(transitions: Fractions, column: NDArray[Any], word: Codes) -> Fractions:
    """Table ``[i, s]`` of P(x_{i+1})…P(x_n) times a column of whole numbers."""
    columns = [fractions(column)]
    for symbol in word[::-1]:
        columns.append(transitions[symbol] @ columns[-1])
    return np.stack(columns[::-1])


def occupancy(
    transitions: Fractions, initial: Fractions, word: Codes, seen: NDArray[np.bool_]
) -> tuple[Fractions, float]:
    """Distribution over the states at each position given the evidence at the end, and the evidence's logarithm."""
    joint = forward(transitions, initial, word) * backward(transitions, seen[-1], word)
    total = joint[0].sum()
    return (joint / total, logarithm(total)) if total else (joint, -math.inf)


def most_likely_path(
    transitions: Fractions, initial: Fractions, word: Codes, seen: NDArray[np.bool_]
) -> tuple[list[int], float]:
    """Path of highest probability given the evidence at the end, the first in case of ties, and its logarithm."""
    best = fractions(seen[-1])
    choices = []
    for symbol in word[::-1]:  # from the back, so that ties go to the states that come first
        ahead = transitions[symbol] * best
        choices.append(ahead.argmax(axis=1))
        best = ahead.max(axis=1)
    start = initial * best
    path = [int(start.argmax())]
    for choice in reversed(choices):
        path.append(int(choice[path[-1]]))
    return path, logarithm(start.max())


def logarithm(probability: Fraction) -> float:
    """Natural logarithm of a fraction, however small; -inf of 0."""
    if not probability:
        return -math.inf
    return math.log(probability.numerator) - math.log(probability.denominator)


def fractions(values: NDArray[Any]) -> Fractions:
    """Whole numbers as ``Fraction``."""
    return np.array([Fraction(int(value)) for value in values.flat], dtype=object).reshape(values.shape)


def stationary(matrix: Fractions) -> Fractions:
    """Row with μP = μ and Σμ = 1 of an irreducible stochastic matrix."""
    size = len(matrix)
    equations = (matrix - np.eye(size, dtype=np.int64)).T
    equations[-1] = Fraction(1)  # any one equation follows from the others
    return _solution(equations, [[int(s == size - 1)] for s in range(size)])[:, 0]


def absorption(within: Fractions, leaving: Fractions) -> tuple[Fractions, Fractions]:
    """Chances of each way out and expected steps until then, from transient states.

    ``within[s, t]`` are the transitions among them, ``leaving[s, k]`` the chances to leave by way k at once.
    """
    equations = np.eye(len(within), dtype=np.int64) - within
    solution = _solution(equations, [[*row, Fraction(1)] for row in leaving.tolist()])
    return solution[:, :-1], solution[:, -1]


def _solution(equations: Fractions, right: Sequence[Sequence[Any]]) -> Fractions:
    solved = _rational(equations.tolist()).solve(_rational(right))
    values = [Fraction(int(x.p), int(x.q)) for x in solved.entries()]
    return np.array(values, dtype=object).reshape(len(equations), -1)


def _rational(rows: Sequence[Sequence[Any]]) -> fmpq_mat:
    from flint import fmpq, fmpq_mat  # noqa: PLC0415

    return fmpq_mat([[fmpq(Fraction(x).numerator, Fraction(x).denominator) for x in row] for row in rows])
