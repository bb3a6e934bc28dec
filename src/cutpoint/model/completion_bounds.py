r"""Bounds of the acceptance of all words that begin alike.

From state s, no way to go on with one to k symbols is accepted with more than

.. math:: h_{k+1}(s) = \max_a \sum_t P(a)[s,t] \max(f(t), h_k(t)), \qquad h_0 = f,

nor, with min in place of max, with less. So :math:`\pi P(y)\, h_k` bounds the acceptance of the longer words that begin
with y. It is the value of a player who sees the state before each symbol; who only knows the word does no better.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cutpoint.exact.recursions import lowest_terms, over_common_denominator
from cutpoint.kernels.reference import step_back
from cutpoint.kernels.words import Floats

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat

    from cutpoint.model.acceptor import Acceptor


class CompletionBounds:
    """Columns that bound the acceptance of longer words: with ``at_most`` those above, for one to k more symbols.

    Without it, for exactly k more symbols: then h takes the place of max(f, h) on the right. ``lowest`` turns every max
    into a min.
    """

    def __init__(self, acceptor: Acceptor, at_most: bool, lowest: bool = False) -> None:
        self.acceptor = acceptor
        self.at_most = at_most
        self._extreme: np.ufunc = np.minimum if lowest else np.maximum
        self._pick = min if lowest else max
        self._floats: list[Floats] = [acceptor.final.astype(np.float64)]
        self._numerators: list[fmpz_mat] = []

    def column(self, remaining: int) -> Floats:
        """The column for so many more symbols."""
        while len(self._floats) <= remaining:
            ahead = self._extreme(self._floats[0], self._floats[-1]) if self.at_most else self._floats[-1]
            further: Floats = self._extreme.reduce(step_back(self.acceptor.transitions, ahead), axis=0)
            if len(self._floats) > 1 and (further == self._floats[-1]).all():
                return further
            self._floats.append(further)
        return self._floats[remaining]

    def exact_bound(self, codes: Sequence[int], remaining: int) -> Fraction:
        """The row of a prefix times the column, exactly."""
        return self.exact_product(*self.acceptor.integers.row(codes), remaining)

    def exact_product(self, row: fmpz_mat, below: fmpz, remaining: int) -> Fraction:
        """A row, given as numerators and their denominator, times the column."""
        column, denominator = self._exact_column(remaining)
        return lowest_terms((row * column)[0, 0], below * denominator)

    def _exact_column(self, remaining: int) -> tuple[fmpz_mat, fmpz]:
        """The column in integers over a common denominator: column k over the k-th power of that of all matrices."""
        matrices, unit = self._over_one_denominator
        if not self._numerators:
            self._numerators.append(self.acceptor.integers.final)
        while len(self._numerators) <= remaining:
            k, ahead = len(self._numerators) - 1, self._numerators[-1]
            if self.at_most:
                ahead = self._entrywise([*(self._numerators[0] * unit**k).entries(), *ahead.entries()])
            further = self._entrywise((matrices * ahead).entries())
            if k and further == self._numerators[-1] * unit:
                return self._numerators[k], unit**k
            self._numerators.append(further)
        return self._numerators[remaining], unit**remaining

    @cached_property
    def _over_one_denominator(self) -> tuple[fmpz_mat, fmpz]:
        """Matrices in integers, one above the other, and the denominator of them all."""
        return over_common_denominator(np.concatenate(self.acceptor.exact_transitions))

    def _entrywise(self, entries: list[fmpz]) -> fmpz_mat:
        """Column of the extreme entry in each place of several columns, one above the other."""
        from flint import fmpz_mat  # noqa: PLC0415

        size = self.acceptor.n_states
        return fmpz_mat(size, 1, [self._pick(entries[s::size]) for s in range(size)])
