r"""The recursions over the rationals: integer matrices over one common denominator per symbol.

.. math:: \pi P(x) f = \frac{\tilde\pi\, \tilde P(x_1) \cdots \tilde P(x_n) \tilde f}{d_\pi d_{x_1} \cdots d_{x_n} d_f}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.numbers import from_flint, to_flint
from cutpoint.kernels.sparse_matrices import SparseMatrices, check_dense

if TYPE_CHECKING:
    from flint import fmpq_mat, fmpz, fmpz_mat

Fractions = NDArray[Any]  # array of ``Fraction``
Codes = Sequence[int]  # A word as the numbers of its symbols
Masks = NDArray[np.bool_]  # ``[i, s]``: states that agree with what was seen at each position

ZERO = Fraction()
LONG = 200  # words longer than this are multiplied by halves


@dataclass(frozen=True)
class IntegerForm:
    """A row, one matrix per symbol and a column in integers: matrix a is ``matrices[a] / denominators[a]``, and so on.

    Every exact answer about a word comes from here.
    """

    initial: fmpz_mat
    matrices: tuple[Any, ...]  # of flint, or :class:`SparseIntegers`
    final: fmpz_mat
    initial_denominator: fmpz
    denominators: tuple[fmpz, ...]
    final_denominator: fmpz

    @classmethod
    def of(cls, initial: Fractions, transitions: Fractions | SparseMatrices, final: Fractions) -> IntegerForm:
        """Integer form of arrays ``[s]``, ``[a, s, t]`` (or sparse matrices) and ``[s]`` of ``Fraction``."""
        (row, row_below), (column, column_below) = map(over_common_denominator, (initial[None, :], final[:, None]))
        if isinstance(transitions, SparseMatrices):
            pairs: Any = (SparseIntegers.of(transitions, a) for a in range(len(transitions)))
        else:
            pairs = map(over_common_denominator, transitions)
        matrices, below = zip(*pairs, strict=True)
        return cls(row, matrices, column, row_below, below, column_below)

    def value(self, word: Codes, repeat: int = 1) -> Fraction:
        """πP(x)f, or πP(x)ᵏf of a word repeated k times; cost O(n l²) products of integers that grow with the word."""
        row, below = self.row(word, repeat)
        return lowest_terms((row * self.final)[0, 0], below * self.final_denominator)

    def row(self, word: Codes, repeat: int = 1) -> tuple[fmpz_mat, fmpz]:
        """Numerators and common denominator of πP(x)ᵏ; the denominator depends on the symbols only."""
        row = self.initial
        # Balanced products use fast multiplication; a row would meet huge numbers at each step. Products of sparse
        # matrices are soon dense.
        if (not self.is_sparse and len(word) > LONG) or (word and repeat != 1):
            row = row * self._product(word) ** repeat
        else:
            for symbol in word:
                row = row * self.matrices[symbol]
        return row, self.initial_denominator * self._denominator(word) ** repeat

    @property
    def is_sparse(self) -> bool:
        """Whether the matrices are sparse."""
        return isinstance(self.matrices[0], SparseIntegers)

    def conditioned(self, steps: Sequence[int | NDArray[np.bool_]]) -> tuple[fmpz_mat, fmpz]:
        """Numerators and denominator of the row after symbols and masks of what was seen; 0 below if it is impossible.

        The row is divided by its sum where something was seen, and nowhere else.
        """
        codes = [step for step in steps if isinstance(step, int)]
        if len(codes) == len(steps):
            return self.row(codes)
        row, below = self.initial, self.initial_denominator
        for step in steps:
            if isinstance(step, int):
                row, below = row * self.matrices[step], below * self.denominators[step]
            else:
                row = _masked(row, step)
                below = sum(row.entries(), start=below * 0)
        return row, below

    def agreeing(self, word: Codes, seen: Masks, stops: bool) -> tuple[list[fmpz_mat], fmpz_mat, Fraction]:
        """Forward rows of the runs that agree with what was seen, the column at their end as a row, their probability.

        ``seen[i, s]`` says whether state s agrees with what was seen after i symbols; the column is that of the form
        where it ``stops``, otherwise all ones.
        """
        from flint import fmpz_mat  # noqa: PLC0415

        rows = [_masked(self.initial, seen[0])]
        for symbol, mask in zip(word, seen[1:], strict=True):
            rows.append(_masked(rows[-1] * self.matrices[symbol], mask))
        below = self.initial_denominator * self._denominator(word) * (self.final_denominator if stops else 1)
        size = self.initial.ncols()
        end = self.final.transpose() if stops else fmpz_mat(1, size, [1] * size)
        return rows, end, lowest_terms((rows[-1] * end.transpose())[0, 0], below)

    def uses(self, word: Codes, seen: Masks, stops: bool) -> tuple[list[Fractions], Fractions, Fractions, Fraction]:
        """Expected uses of the entries of each matrix, first and last states in a run, given what was seen; its chance.

        Entries are those that are stored, in their order: of a matrix that is not sparse all of them. The denominators
        of a path are those of its word, so expectations are quotients of integers. All are 0 where what was seen is
        impossible.
        """
        rows, end, probability = self.agreeing(word, seen, stops)
        total = (rows[-1] * end.transpose())[0, 0]
        moves = [[total * 0] * len(matrix.entries()) for matrix in self.matrices]
        column = end
        for i in range(len(word), 0, -1):
            column = _masked(column, seen[i])
            outer = _outer(rows[i - 1], column, self.matrices[word[i - 1]])
            moves[word[i - 1]] = [m + more for m, more in zip(moves[word[i - 1]], outer, strict=True)]
            column = column * self.matrices[word[i - 1]].transpose()
        used = [[m * p for m, p in zip(a, b.entries(), strict=True)] for a, b in zip(moves, self.matrices, strict=True)]
        first, last = (
            [a * b for a, b in zip(rows[k].entries(), side.entries(), strict=True)]
            for k, side in ((0, column), (-1, end))
        )
        below = total if total else total + 1

        def expected(numerators: list[fmpz]) -> Fractions:
            return np.array([lowest_terms(number, below) for number in numerators], dtype=object)

        return [*map(expected, used)], expected(first), expected(last), probability

    def column(self, word: Codes) -> tuple[fmpz_mat, fmpz]:
        """Numerators and common denominator of P(x)f."""
        column = self.final
        for symbol in reversed(word):
            column = self.matrices[symbol] * column
        return column, self.final_denominator * self._denominator(word)

    def matrix(self, word: Codes) -> Fractions:
        """P(x) = P(x₁)…P(xₙ); the identity for the empty word."""
        if not len(word):
            return fractions(np.eye(self.initial.ncols(), dtype=np.int64))
        return quotients(self._product(word), self._denominator(word))

    def forward(self, word: Codes) -> Fractions:
        """Table ``[k, s]`` of the rows πP(x₁)…P(x_k)."""
        row, below = self.initial, self.initial_denominator
        rows = [quotients(row, below)]
        for symbol in word:
            row, below = row * self.matrices[symbol], below * self.denominators[symbol]
            rows.append(quotients(row, below))
        return np.concatenate(rows)

    def backward(self, word: Codes, end: NDArray[Any]) -> Fractions:
        """Table ``[i, s]`` of P(x_{i+1})…P(x_n) times a column."""
        column, below = over_common_denominator(fractions(end)[:, None])
        columns = [quotients(column, below)]
        for symbol in reversed(word):
            column, below = self.matrices[symbol] * column, below * self.denominators[symbol]
            columns.append(quotients(column, below))
        return np.concatenate(columns[::-1], axis=1).T

    def occupancy(self, word: Codes, end: NDArray[Any]) -> Fractions | None:
        """Distribution over the states at each position, runs weighted by a column where they end; None if none can."""
        joint = self.forward(word) * self.backward(word, end)
        total = joint[0].sum()
        return joint / total if total else None

    def most_likely_path(self, word: Codes, end: NDArray[Any]) -> list[int] | None:
        """Path of highest probability, weighted by a column at its end, the first of equals; None if there is none."""
        column, _ = over_common_denominator(fractions(end)[:, None])  # denominators are the same for all paths
        best = np.array([int(value) for value in column.entries()], dtype=object)
        choices = []
        for symbol in reversed(word):  # from the back, so that ties go to the states that come first
            matrix = self.matrices[symbol]
            if isinstance(matrix, SparseIntegers):
                choice, best = matrix.best_next(best)
            else:
                ahead = np.array(matrix.tolist(), dtype=object) * best
                choice, best = ahead.argmax(axis=1), ahead.max(axis=1)
            choices.append(choice)
        start = np.array(self.initial.entries(), dtype=object) * best
        path = [int(start.argmax())]
        for choice in reversed(choices):
            path.append(int(choice[path[-1]]))
        return path if start.max() else None

    def deletion_values(self, word: Codes) -> Fractions:
        """Shapley value of each position where absent means deleted: see :func:`cutpoint.explain`.

        Row k of a block is the sum over all choices of k positions, in integers over the denominators of all positions
        passed. Cost O(n³ l) products.
        """
        from flint import fmpz, fmpz_mat  # noqa: PLC0415

        def longer(block: fmpz_mat, matrix: fmpz_mat, denominator: fmpz) -> fmpz_mat:
            size, none = (block.nrows() + 1, block.ncols()), [fmpz(0)] * block.ncols()
            without, with_it = (block * denominator).entries() + none, none + (block * matrix).entries()
            return fmpz_mat(*size, without) + fmpz_mat(*size, with_it)

        before, after, n = [self.initial], [self.final.transpose()], len(word)
        for a in word:
            before.append(longer(before[-1], self.matrices[a], self.denominators[a]))
        for a in reversed(word):
            after.append(longer(after[-1], self.matrices[a].transpose(), self.denominators[a]))
        weights = [math.factorial(size) * math.factorial(n - 1 - size) for size in range(n)]
        whole = self.initial_denominator * self._denominator(word) * self.final_denominator * math.factorial(n)
        values = []
        for i, a in enumerate(word):
            block, ahead = before[i], after[n - 1 - i].transpose()
            table = block * self.matrices[a] * ahead - block * self.denominators[a] * ahead
            cells = ((j, k) for j in range(table.nrows()) for k in range(table.ncols()))
            total = sum((weights[j + k] * table[j, k] for j, k in cells), start=fmpz(0))
            values.append(lowest_terms(total, whole))
        return np.array(values, dtype=object)

    @cached_property
    def side_by_side(self) -> fmpz_mat:
        """All matrices as one wide one: times it, a row gives its products with each matrix, in their order."""
        return _beside(self.matrices)

    @cached_property
    def columns(self) -> fmpz_mat:
        """Products of the matrices with the column, side by side."""
        return _beside([matrix * self.final for matrix in self.matrices])

    def _denominator(self, word: Codes) -> fmpz:
        powers = (self.denominators[symbol] ** times for symbol, times in Counter(word).items())
        return math.prod(powers, start=self.initial_denominator**0)

    def _product(self, word: Codes) -> Any:
        """Product of the numerators' matrices, by halves."""
        if len(word) == 1:
            return self.matrices[word[0]].to_dense() if self.is_sparse else self.matrices[word[0]]
        half = len(word) // 2
        return self._product(word[:half]) * self._product(word[half:])


@dataclass(frozen=True)
class SparseIntegers:
    """A sparse matrix of integers, which multiplies rows and columns as a matrix of flint does.

    Attributes
    ----------
    size : number of rows, and of columns.
    rows, columns, numbers : of the stored entries, by rows.
    """

    size: int
    rows: list[int]
    columns: list[int]
    numbers: list[Any]

    @classmethod
    def of(cls, matrices: SparseMatrices, a: int) -> tuple[SparseIntegers, fmpz]:
        """Integers and their denominator of the matrix of a symbol, whose entries are ``Fraction``."""
        from flint import fmpz  # noqa: PLC0415

        here, pattern = matrices.pattern.of_symbol(a), matrices.pattern
        values = matrices.values[here].tolist()
        below = math.lcm(*{value.denominator for value in values})
        numbers = [fmpz(value.numerator * (below // value.denominator)) for value in values]
        places = pattern.sources[here].tolist(), pattern.columns[here].tolist()
        return cls(pattern.n_states, *places, numbers), fmpz(below)

    def entries(self) -> list[Any]:
        """The stored numbers."""
        return self.numbers

    def transpose(self) -> SparseIntegers:
        """The transposed matrix; its entries are not in order."""
        return SparseIntegers(self.size, self.columns, self.rows, self.numbers)

    def __rmul__(self, row: fmpz_mat) -> fmpz_mat:
        """A row, or several, times the matrix."""
        from flint import fmpz_mat  # noqa: PLC0415

        return fmpz_mat([_gathered(part, self.rows, self.columns, self.numbers, self.size) for part in row.tolist()])

    def __mul__(self, other: Any) -> fmpz_mat:
        """The matrix times a column, a number or another matrix, which makes it dense."""
        from flint import fmpz_mat  # noqa: PLC0415

        if isinstance(other, fmpz_mat) and other.ncols() == 1:
            entries = _gathered(other.entries(), self.columns, self.rows, self.numbers, self.size)
            return fmpz_mat(self.size, 1, entries)
        return self.to_dense() * (other.to_dense() if isinstance(other, SparseIntegers) else other)

    def __pow__(self, exponent: int) -> fmpz_mat:
        return self.to_dense() ** exponent

    def to_dense(self) -> fmpz_mat:
        """The matrix of flint, if it fits into memory."""
        from flint import fmpz_mat  # noqa: PLC0415

        check_dense((self.size, self.size), "the exact matrix")
        matrix = fmpz_mat(self.size, self.size)
        for s, t, number in zip(self.rows, self.columns, self.numbers, strict=True):
            matrix[s, t] = number
        return matrix

    def tolist(self) -> list[list[Any]]:
        """Rows of the dense matrix."""
        return self.to_dense().tolist()

    def best_next(self, values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """For each row the column of the largest product with a value, the first of equals, and the product."""
        choice, best = np.zeros(self.size, dtype=np.int64), values * 0
        for s, t, number in zip(self.rows, self.columns, self.numbers, strict=True):
            if (product := int(number) * values[t]) > best[s]:
                choice[s], best[s] = t, product
        return choice, best


def _gathered(values: list[Any], of: list[int], to: list[int], numbers: list[Any], size: int) -> list[Any]:
    """Sums of products of values and numbers."""
    sums = [0] * size
    for k, number in enumerate(numbers):
        if value := values[of[k]]:
            sums[to[k]] += value * number
    return sums


def _outer(row: fmpz_mat, column: fmpz_mat, matrix: fmpz_mat | SparseIntegers) -> list[Any]:
    """Products of a row and a column at the stored entries of a matrix."""
    if not isinstance(matrix, SparseIntegers):
        return (row.transpose() * column).entries()
    before, after = row.entries(), column.entries()
    return [before[s] * after[t] for s, t in zip(matrix.rows, matrix.columns, strict=True)]


def over_common_denominator(values: Fractions) -> tuple[fmpz_mat, fmpz]:
    """Integer matrix and denominator of a matrix of ``Fraction``."""
    # flint takes half as long to import as numpy: only those who ask for exact answers wait for it.
    from flint import fmpz, fmpz_mat  # noqa: PLC0415

    denominator = math.lcm(*(value.denominator for value in values.flat))
    numerators = [value.numerator * (denominator // value.denominator) for value in values.flat]
    return fmpz_mat(values.shape[0], values.shape[1], numerators), fmpz(denominator)


def lowest_terms(numerator: fmpz, denominator: fmpz) -> Fraction:
    """Quotient in lowest terms. Python's own gcd takes minutes on numbers of a million digits, flint's does not."""
    if not numerator:
        return ZERO
    divisor = numerator.gcd(denominator)
    reduced = Fraction()
    reduced._numerator = int(numerator // divisor)  # type: ignore[attr-defined]
    reduced._denominator = int(denominator // divisor)  # type: ignore[attr-defined]
    return reduced


def quotients(numerators: fmpz_mat, denominator: fmpz) -> Fractions:
    """Entries of an integer matrix over a denominator."""
    values = [lowest_terms(number, denominator) for number in numerators.entries()]
    return np.array(values, dtype=object).reshape(numerators.nrows(), numerators.ncols())


def fractions(values: NDArray[Any]) -> Fractions:
    """Numbers as ``Fraction``; of floats, their exact binary values."""
    return np.array([Fraction(value) for value in values.ravel().tolist()], dtype=object).reshape(values.shape)


def solution(equations: Fractions, right: Fractions) -> Fractions:
    """Exact solution X of AX = B."""
    solved = rational_matrix(equations).solve(rational_matrix(right))
    values = [from_flint(x) for x in solved.entries()]
    return np.array(values, dtype=object).reshape(right.shape)


def rational_matrix(values: Fractions) -> fmpq_mat:
    """Matrix of flint from an array of ``Fraction``."""
    from flint import fmpq_mat  # noqa: PLC0415

    return fmpq_mat([[to_flint(x) for x in row] for row in values])


def _masked(row: fmpz_mat, mask: NDArray[np.bool_]) -> fmpz_mat:
    """A row with 0 where the mask is not set."""
    from flint import fmpz_mat  # noqa: PLC0415

    entries = [value if kept else 0 for value, kept in zip(row.entries(), mask, strict=True)]
    return fmpz_mat(1, len(entries), entries)


def _beside(matrices: Iterable[fmpz_mat]) -> fmpz_mat:
    from flint import fmpz_mat  # noqa: PLC0415

    rows = zip(*(matrix.tolist() for matrix in matrices), strict=True)
    return fmpz_mat([[value for row in parts for value in row] for parts in rows])
