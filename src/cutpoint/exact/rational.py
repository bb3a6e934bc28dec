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
    from flint import fmpz, fmpz_mat

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
