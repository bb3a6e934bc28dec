r"""The space of all rows :math:`\pi P(x)` over the rationals, and the first word of a value other than 0: both proven.

A search modulo a prime gives a guess; more primes make it a proof, in one of two ways.

*By size.* Up to length k the values are integers below a bound once denominators are cleared. What is 0 modulo primes
whose product exceeds the bound is 0. Words shorter than the dimension decide about all words.

*By closure.* The echelon basis is read back as fractions from its residues. If, in exact arithmetic, its space contains
:math:`\pi` and is closed under every :math:`P(a)`, it contains all rows; its dimension is at most theirs, because rows
that are independent modulo a prime are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.modular import Codes, Explored, Machine, explore, primes
from cutpoint.exact.rational import Integral, over_common_denominator

if TYPE_CHECKING:
    from flint import fmpz_mat

SPARE_BITS = 20
"""A fraction is read back only if its parts are this much shorter than its residue: chance would not give that."""


@dataclass(frozen=True)
class Span:
    """A space of rows: reduced echelon basis ``rows / denominator``, with ones at the pivots."""

    rows: fmpz_mat
    denominator: int
    pivots: tuple[int, ...]

    @property
    def basis(self) -> NDArray[Any]:
        """The basis as an array ``[i, s]`` of ``Fraction``."""
        entries = [Fraction(int(value), self.denominator) for value in self.rows.entries()]
        return np.array(entries, dtype=object).reshape(self.rows.nrows(), self.rows.ncols())


def row_space(integers: Integral) -> Span:
    """Space of the rows πP(x) of all words; cost grows with the lengths of the fractions in its echelon basis."""
    from flint import fmpz_mat  # noqa: PLC0415

    nothing = fmpz_mat(integers.initial.ncols(), 1, [0] * integers.initial.ncols())
    machine, residues, fresh = Machine.of(integers, nothing), _Residues(), primes()
    while True:
        residues.add(explore(machine, p := next(fresh)), p)
        span = residues.span()
        if span is not None and _is_closed(integers, span):
            return span


def first_nonzero(integers: Integral, final: NDArray[Any]) -> Codes | None:
    """First word, by length and then by the order of the symbols, whose value πP(x)f is not 0; None if all are 0."""
    column, _ = over_common_denominator(final[:, None])
    machine, residues, fresh = Machine.of(integers, column), _Residues(), primes()
    size, product = integers.initial.ncols(), 1
    best: Codes | None = None
    while True:
        found = explore(machine, p := next(fresh), None if best is None else len(best))
        product *= p
        if found.word is not None:
            best = found.word if best is None else min(best, found.word, key=lambda word: (len(word), word))
        if product > _largest_value(integers, column, size - 1 if best is None else len(best)):
            return best
        if best is None:
            residues.add(found, p)
            span = residues.span()
            if span is not None and _is_closed(integers, span) and _is_zero(span.rows * column):
                return None


def _largest_value(integers: Integral, column: fmpz_mat, length: int) -> int:
    """Bound of the integer values of words up to a length, by the norms of the factors."""
    step = max(max(sum(abs(int(x)) for x in row) for row in matrix.tolist()) for matrix in integers.matrices)
    start = sum(abs(int(x)) for x in integers.initial.entries())
    most: int = start * max(step, 1) ** length * max(abs(int(x)) for x in column.entries())
    return most


def _is_closed(integers: Integral, span: Span) -> bool:
    """Whether the space contains the initial row and its own products with every matrix, in exact arithmetic."""
    from flint import fmpz_mat  # noqa: PLC0415

    size = span.rows.ncols()
    at_pivots = fmpz_mat(size, len(span.pivots), [int(s == pivot) for s in range(size) for pivot in span.pivots])
    images = (integers.initial, *(span.rows * matrix for matrix in integers.matrices))
    return all(_is_zero(rows * span.denominator - rows * at_pivots * span.rows) for rows in images)


class _Residues:
    """Echelon basis modulo the product of the primes seen so far; primes that lost something are passed over."""

    def __init__(self) -> None:
        self.count = 0
        self.modulus = 1
        self.pivots: tuple[int, ...] | None = None
        self.values: NDArray[Any] = np.zeros((0, 0), dtype=object)

    def add(self, found: Explored, p: int) -> None:
        """Take in one more prime (Chinese remainders)."""
        rank = [-len(found.pivots), *found.pivots]
        known = None if self.pivots is None else [-len(self.pivots), *self.pivots]
        if known is not None and rank > known:
            return
        rows = found.projection.tolist()
        values = np.array([[int(x) for x in rows[i]] for i in found.pivots], dtype=object)
        if rank != known:
            self.count, self.modulus, self.pivots = 1, p, found.pivots
            self.values = values.reshape(-1, found.projection.ncols())
            return
        step = (values.reshape(self.values.shape) - self.values) * pow(self.modulus, -1, p) % p
        self.values = self.values + step * self.modulus
        self.modulus *= p
        self.count += 1

    def span(self) -> Span | None:
        """The basis as fractions, if every residue is that of a short one; asked for after 1, 2, 4, 8, … primes."""
        from flint import fmpz_mat  # noqa: PLC0415

        if self.count & (self.count - 1):
            return None
        largest = math.isqrt(self.modulus) >> SPARE_BITS
        known: dict[int, Fraction | None] = {}
        entries: list[Fraction] = []
        for residue in self.values.flat:
            if residue not in known:
                known[residue] = _short_fraction(residue, self.modulus, largest)
            value = known[residue]
            if value is None:
                return None
            entries.append(value)
        denominator = math.lcm(*(value.denominator for value in entries))
        numerators = [int(value * denominator) for value in entries]
        return Span(fmpz_mat(len(self.values), self.values.shape[1], numerators), denominator, self.pivots or ())


def _short_fraction(residue: int, modulus: int, largest: int) -> Fraction | None:
    """The fraction with this residue and parts up to ``largest``, by Euclid's algorithm; None if there is none."""
    before, here = (modulus, 0), (residue, 1)
    while here[0] > largest:
        times = before[0] // here[0]
        before, here = here, (before[0] - times * here[0], before[1] - times * here[1])
    numerator, denominator = here
    if abs(denominator) > largest or math.gcd(numerator, denominator) != 1:
        return None
    return Fraction(numerator, denominator)


def _is_zero(matrix: fmpz_mat) -> bool:
    return not any(x != 0 for x in matrix.entries())
