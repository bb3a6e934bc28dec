r"""Columns :math:`P(z) f` of words z read from the back, exactly: what remains of an acceptor when z is still to come.

The acceptance of :math:`yz` is :math:`\pi P(y)` times the column of z, a mean of its entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import gcd
from typing import TYPE_CHECKING

from cutpoint.exact import CutPoint
from cutpoint.model import Acceptor

if TYPE_CHECKING:
    from flint import fmpz_mat

Column = tuple[int, ...]
"""Numerators of the entries, then their common denominator; no factor is common to all."""

Residual = tuple[int, ...]

ACCEPTS_ALL, ACCEPTS_NONE = (1,), (-1,)
"""The two sinks among the residuals: every word before the suffix is accepted, none is."""

MOST_FOLLOWED = 100
"""Suffixes of one length up to which it is worth asking whether they all come to nothing."""


@dataclass(frozen=True)
class Columns:
    """Columns of an acceptor in integers, and where they lie relative to a cut point."""

    matrices: tuple[fmpz_mat, ...]
    denominators: tuple[int, ...]
    initial: tuple[int, ...]
    initial_denominator: int
    start: Column
    cut_point: CutPoint
    inclusive: bool
    excess: Fraction
    """How far the sums of rows are from 1; not 0 for most acceptors with float entries."""

    @classmethod
    def of(cls, acceptor: Acceptor, cut_point: CutPoint, inclusive: bool) -> Columns:
        """Columns of an acceptor, beginning with ``final``, the column of the empty word."""
        integers = acceptor.integers
        sums = [*acceptor.exact_transitions.sum(axis=2).flat, acceptor.exact_initial.sum()]
        return cls(
            integers.matrices,
            tuple(int(d) for d in integers.denominators),
            tuple(int(x) for x in integers.initial.entries()),
            int(integers.initial_denominator),
            (*(int(kept) for kept in acceptor.final), 1),
            cut_point,
            inclusive,
            max(abs(total - 1) for total in sums),
        )

    def before(self, column: Column) -> Iterator[Column]:
        """Columns of az for each symbol a, from the column of z."""
        from flint import fmpz_mat  # noqa: PLC0415

        *entries, denominator = column
        vector = fmpz_mat(len(entries), 1, entries)
        for matrix, below in zip(self.matrices, self.denominators, strict=True):
            raw = [*map(int, (matrix * vector).entries()), below * denominator]
            divisor = gcd(*raw)
            yield tuple(x // divisor for x in raw)

    def acceptance(self, column: Column) -> Fraction:
        """Acceptance of the word z itself: the initial row times its column."""
        total = sum(p * x for p, x in zip(self.initial, column, strict=False))
        return Fraction(total, self.initial_denominator * column[-1])

    def exceeds(self, value: Fraction) -> bool:
        """Whether a word of this acceptance is in the language."""
        return value > self.cut_point or (self.inclusive and value == self.cut_point)

    def span(self, column: Column, remaining: int) -> tuple[Fraction, Fraction]:
        """Bounds of the acceptance of all words yz with at most so many symbols y."""
        *entries, denominator = column
        loss = 2 * (remaining + 1) * self.excess
        return Fraction(min(entries), denominator) * (1 - loss), Fraction(max(entries), denominator) * (1 + loss)

    def residual(self, column: Column, remaining: int = 0) -> Residual:
        r"""What decides which words y before z are accepted: :math:`P(z) f - \lambda 1` up to a positive factor.

        Columns that accept every y of at most ``remaining`` symbols, or none, are each one residual. At an irrational
        cut point no two columns are multiples of each other unless they are equal, and where rows do not sum to 1 the
        factor must be 1.
        """
        low, high = self.span(column, remaining)
        if self.exceeds(low):
            return ACCEPTS_ALL
        if not self.exceeds(high):
            return ACCEPTS_NONE
        if self.excess or not isinstance(self.cut_point, Fraction):
            return column
        *entries, denominator = column
        above = [self.cut_point.denominator * x - self.cut_point.numerator * denominator for x in entries]
        divisor = gcd(*above)
        return tuple(x // divisor for x in above)

    def lengths_in_reach(self, max_length: int) -> Iterator[bool]:
        """For each length whether words may be as long; False is a proof that none of it or beyond is in the language.

        Every word ends in one of the suffixes followed here. Where there are too many of them the answer is True.
        """
        level = {self.residual(self.start, max_length): self.start}
        remaining = max_length
        while level.keys() - {ACCEPTS_NONE} and ACCEPTS_ALL not in level and len(level) <= MOST_FOLLOWED:
            yield True
            remaining -= 1
            followed = [column for key, column in level.items() if key != ACCEPTS_NONE]
            longer = (before for column in followed for before in self.before(column))
            level = {self.residual(column, remaining): column for column in longer}
        yield from repeat(level.keys() != {ACCEPTS_NONE})
