"""Markov chains over the rationals: linear equations solved exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flint import fmpq_mat

Fractions = NDArray[Any]


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
