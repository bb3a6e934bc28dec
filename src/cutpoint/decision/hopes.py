"""The largest acceptance that may still come, from each state, whatever symbols are chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.rational import lowest_terms
from cutpoint.kernels.reference import step_back
from cutpoint.model import Acceptor

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat

Floats = NDArray[np.float64]


class Hopes:
    r"""Columns :math:`h_0 = f`, :math:`h_{k+1}(s) = \max_a \sum_t P(a)[s,t]\, h_k(t)`: exactly k more symbols.

    With ``at_most``, from one to k more symbols: :math:`\max(f, h_k)` takes the place of :math:`h_k` on the right. A
    row :math:`\pi P(x)` times such a column bounds the acceptance of the longer words that begin with x.
    """

    def __init__(self, acceptor: Acceptor, at_most: bool) -> None:
        self.acceptor = acceptor
        self.at_most = at_most
        self._floats: list[Floats] = [acceptor.final.astype(np.float64)]
        self._numerators: list[list[fmpz]] = []

    def column(self, remaining: int) -> Floats:
        """The column for so many more symbols."""
        while len(self._floats) <= remaining:
            ahead = np.maximum(self._floats[0], self._floats[-1]) if self.at_most else self._floats[-1]
            further: Floats = step_back(self.acceptor.transitions, ahead).max(axis=0)
            if len(self._floats) > 1 and (further == self._floats[-1]).all():
                return further
            self._floats.append(further)
        return self._floats[remaining]

    def exact_bound(self, codes: Sequence[int], remaining: int) -> Fraction:
        """The row of a prefix times the column, exactly."""
        row, below = self.acceptor.integers.row(codes)
        column, denominator = self._exact_column(remaining)
        total = sum((p * h for p, h in zip(row.entries(), column, strict=True)), start=below * 0)
        return lowest_terms(total, below * denominator)

    def _exact_column(self, remaining: int) -> tuple[list[fmpz], fmpz]:
        """The column in integers over a common denominator: column k over the k-th power of that of all matrices."""
        from flint import fmpz_mat  # noqa: PLC0415

        matrices, unit = self._over_one_denominator
        if not self._numerators:
            self._numerators.append([unit**0 * int(kept) for kept in self.acceptor.final])
        while len(self._numerators) <= remaining:
            k, ahead = len(self._numerators) - 1, self._numerators[-1]
            if self.at_most:
                ahead = [max(f * unit**k, h) for f, h in zip(self._numerators[0], ahead, strict=True)]
            column = fmpz_mat(len(ahead), 1, ahead)
            further = [
                max(values) for values in zip(*((matrix * column).entries() for matrix in matrices), strict=True)
            ]
            if k and further == [h * unit for h in self._numerators[-1]]:
                return self._numerators[k], unit**k
            self._numerators.append(further)
        return self._numerators[remaining], unit**remaining

    @cached_property
    def _over_one_denominator(self) -> tuple[list[fmpz_mat], fmpz]:
        """Matrices in integers, and the denominator of them all."""
        from flint import fmpz  # noqa: PLC0415

        integers = self.acceptor.integers
        unit = fmpz(math.lcm(*(int(below) for below in integers.denominators)))
        pairs = zip(integers.matrices, integers.denominators, strict=True)
        return [matrix * (unit // below) for matrix, below in pairs], unit
