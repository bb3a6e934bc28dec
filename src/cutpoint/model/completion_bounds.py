r"""Bounds of the acceptance of all words that begin alike.

From state s, no way to go on with one to k symbols is accepted with more than

.. math:: h_{k+1}(s) = \max_a \sum_t P(a)[s,t] \max(f(t), h_k(t)), \qquad h_0 = f,

nor, with min in place of max, with less. So :math:`\pi P(y)\, h_k` bounds the acceptance of the longer words that begin
with y. It is the value of a player who sees the state before each symbol; who only knows the word does no better. For
words of any length the bound is the least column with :math:`h \ge f` and :math:`h \ge P(a)\, h` for all a.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.recursions import Fractions, fractions, lowest_terms, over_common_denominator, solution
from cutpoint.kernels.reference import step_back
from cutpoint.kernels.words import Floats

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat

    from cutpoint.model.acceptor import Acceptor


SWEEPS, CHANGED = 1000, 1e-13  # sweeps in floats that look for good symbols, and the change that is an improvement
MOST_SOLVED = 120  # states up to which the best symbols are improved, and their values solved, exactly


def endless_bounds(acceptor: Acceptor) -> Fractions:
    r"""Column h of the largest probabilities of ending accepted for a player who sees each state: exact.

    It is the least with :math:`h \ge f` and :math:`h \ge P(a)\, h` for all a, so :math:`\pi P(y)\, h` bounds the
    acceptance of y and of all words that begin with it. Floats find a symbol for each state; its values are solved and
    the symbols improved in fractions until the inequalities hold (policy iteration). Rows must sum to exactly 1. Of
    more than some hundred states only those are told apart from which a final state can be reached: h is 1 there.

    Examples
    --------
    >>> [str(p) for p in endless_bounds(cp.gallery.gambler(4, win="2/5"))]
    ['0', '8/65', '4/13', '38/65', '1']
    """
    final, size = acceptor.final, acceptor.n_states
    h, choice = final.astype(np.float64), np.zeros(size, dtype=np.int64)
    if size > MOST_SOLVED:
        moves: NDArray[np.bool_] = np.any(acceptor.exact_transitions > 0, axis=0)
        return fractions(_hopeful(moves, final).astype(np.int64))
    for _ in range(SWEEPS):
        ahead = acceptor.transitions @ h
        better = ~final & (ahead.max(axis=0) > h + CHANGED)
        if not better.any():
            break
        choice[better], h[better] = ahead.argmax(axis=0)[better], ahead.max(axis=0)[better]
    while True:
        exact = _values_of_choice(acceptor, choice)
        ahead = acceptor.exact_transitions @ exact
        better = ~final & (ahead.max(axis=0) > exact)
        if not better.any():
            return exact
        choice[better] = ahead.argmax(axis=0)[better]


def _values_of_choice(acceptor: Acceptor, choice: NDArray[np.int64]) -> Fractions:
    """Probability of reaching a final state from each state, where a state reads the symbol chosen for it."""
    states = np.arange(acceptor.n_states)
    matrix = acceptor.exact_transitions[choice, states]
    values = fractions(acceptor.final.astype(np.int64))
    between = np.flatnonzero(_hopeful(matrix > 0, acceptor.final) & ~acceptor.final)
    if between.size:
        right = (matrix[between] @ values)[:, None]
        values[between] = solution(np.eye(between.size, dtype=np.int64) - matrix[np.ix_(between, between)], right)[:, 0]
    return values


def _hopeful(moves: NDArray[np.bool_], final: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """States from which moves can lead to a final one."""
    found = final
    while (more := found | moves[:, found].any(axis=1)).sum() > found.sum():
        found = more
    return found


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
