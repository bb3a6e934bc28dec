r"""The forward recursion over the rationals: integer matrices over one common denominator per symbol.

.. math:: \pi P(x) f = \frac{\tilde\pi\, \tilde P(x_1) \cdots \tilde P(x_n) f}{d_\pi\, d_{x_1} \cdots d_{x_n}}
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flint import fmpz_mat


@dataclass(frozen=True)
class Integral:
    """Acceptor in integers: matrix a is ``matrices[a] / denominators[a]``, likewise the initial row."""

    matrices: tuple[fmpz_mat, ...]
    denominators: tuple[int, ...]
    initial: fmpz_mat
    initial_denominator: int

    def distribution(self, word: Iterable[int]) -> list[Fraction]:
        """πP(x), exactly."""
        for numerators, denominator in self._rows(word):
            last = numerators, denominator
        return [Fraction(int(number), last[1]) for number in last[0].entries()]

    def acceptance(self, final: NDArray[np.bool_], word: Iterable[int]) -> Fraction:
        """πP(x)f, exactly; cost O(n l²) products of integers that grow with the word."""
        return sum((p for p, kept in zip(self.distribution(word), final, strict=True) if kept), Fraction(0))

    def _rows(self, word: Iterable[int]) -> Iterator[tuple[fmpz_mat, int]]:
        """Numerators and denominator of πP(x) for every prefix."""
        row, denominator = self.initial, self.initial_denominator
        yield row, denominator
        for symbol in word:
            row = row * self.matrices[symbol]
            denominator *= self.denominators[symbol]
            yield row, denominator


def integral(transitions: NDArray[Any], initial: NDArray[Any]) -> Integral:
    """Integer form of an array ``[a, s, t]`` and a vector ``[s]`` of ``Fraction``."""
    scaled = [_over_common_denominator(matrix) for matrix in transitions]
    row, denominator = _over_common_denominator(initial[None, :])
    return Integral(tuple(matrix for matrix, _ in scaled), tuple(below for _, below in scaled), row, denominator)


def _over_common_denominator(fractions: NDArray[Any]) -> tuple[fmpz_mat, int]:
    # flint takes half as long to import as numpy: only those who ask for exact answers wait for it.
    from flint import fmpz_mat  # noqa: PLC0415

    denominator = math.lcm(*(value.denominator for value in fractions.flat))
    rows = [[int(value * denominator) for value in row] for row in fractions]
    return fmpz_mat(rows), denominator
