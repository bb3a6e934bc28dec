r"""Words whose rows :math:`\pi P(x)` are independent, modulo a prime: quick, and certain in one direction.

Rows that are independent modulo a prime are so over the rationals, and a number that is not 0 modulo a prime is not 0.
What was dependent or 0 may be so by chance: :mod:`cutpoint.exact.spans` makes proofs of these answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutpoint.exact.rational import Integral

if TYPE_CHECKING:
    from flint import fmpz_mat, nmod_mat

Codes = tuple[int, ...]
"""A word as the numbers of its symbols."""


@dataclass(frozen=True)
class Explored:
    """What a search found: the first word whose value is not 0, or else a projection onto the space of all rows."""

    word: Codes | None
    pivots: tuple[int, ...]
    projection: nmod_mat
    """Row ``pivots[i]`` holds row i of the reduced echelon basis; other rows are 0."""


@dataclass(frozen=True)
class Machine:
    """Integer row, matrices side by side, column, and the matrices' products with the column side by side."""

    row: fmpz_mat
    matrices: fmpz_mat
    column: fmpz_mat
    columns: fmpz_mat

    @classmethod
    def of(cls, integers: Integral, column: fmpz_mat) -> Machine:
        """Machine of integer matrices; factors that are the same for all entries of a matrix play no part."""
        return cls(
            integers.initial,
            side_by_side(integers.matrices),
            column,
            side_by_side([matrix * column for matrix in integers.matrices]),
        )


def side_by_side(matrices: list[fmpz_mat] | tuple[fmpz_mat, ...]) -> fmpz_mat:
    """One wide matrix: times it, a row gives its products with all matrices, in their order."""
    from flint import fmpz_mat  # noqa: PLC0415

    rows = zip(*(matrix.tolist() for matrix in matrices), strict=True)
    return fmpz_mat([[value for row in parts for value in row] for parts in rows])


def primes() -> Iterator[int]:
    """Primes below 2**63, the largest first."""
    from flint import fmpz  # noqa: PLC0415

    return (number for number in range(2**63 - 1, 2, -2) if fmpz(number).is_prime())


def explore(machine: Machine, p: int, longest: int | None = None) -> Explored:
    """Breadth first over words, keeping those whose rows are new; stop at the first whose value is not 0 modulo p.

    That word is the first of all words up to ``longest``, by length and then by the order of the alphabet: a word
    that is left out has a row spanned by rows of earlier words, and so have its extensions.
    """
    from flint import nmod_mat  # noqa: PLC0415

    row, column, columns = (nmod_mat(part, p) for part in (machine.row, machine.column, machine.columns))
    matrices = None
    size, n_symbols = machine.row.ncols(), machine.columns.ncols()
    space = _Space(size, p)
    if int((row * column)[0, 0]):
        return space.found(())
    words: list[Codes] = [()]
    frontier, kept = row, space.add(row)
    while kept and (longest is None or len(words[0]) < longest):
        values = (frontier * columns).entries()
        first = next((i for i, value in enumerate(values) if int(value)), None)
        if first is not None:
            return space.found((*words[first // n_symbols], first % n_symbols))
        if longest is not None and len(words[0]) + 1 == longest:
            break
        matrices = nmod_mat(machine.matrices, p) if matrices is None else matrices
        longer = nmod_mat(len(words) * n_symbols, size, (frontier * matrices).entries(), p)
        kept = space.add(longer)
        words = [(*words[i // n_symbols], i % n_symbols) for i in kept]
        frontier = _selection(kept, longer.nrows(), p) * longer
    return space.found(None)


class _Space:
    """Row space that grows: the projection onto it along the unit vectors that are no pivots."""

    def __init__(self, size: int, p: int) -> None:
        from flint import nmod_mat  # noqa: PLC0415

        self.p = p
        self.pivots: list[int] = []
        self.projection = nmod_mat(size, size, [0] * size**2, p)

    def add(self, rows: nmod_mat) -> list[int]:
        """Numbers of the rows that are new, each judged after those before it."""
        rest = rows - rows * self.projection
        new = _stairs(rest.transpose().rref()[0])
        if new:
            fresh = (_selection(new, rows.nrows(), self.p) * rest).rref()[0]
            places = _stairs(fresh)
            at_pivots = _selection(places, fresh.ncols(), self.p).transpose()
            self.projection = self.projection - (self.projection * at_pivots) * fresh + at_pivots * fresh
            self.pivots += places
        return new

    def found(self, word: Codes | None) -> Explored:
        return Explored(word, tuple(sorted(self.pivots)), self.projection)


def _selection(chosen: list[int], size: int, p: int) -> nmod_mat:
    """Matrix that picks rows when it multiplies from the left."""
    from flint import nmod_mat  # noqa: PLC0415

    entries = [0] * (len(chosen) * size)
    for i, number in enumerate(chosen):
        entries[i * size + number] = 1
    return nmod_mat(len(chosen), size, entries, p)


def _stairs(echelon: nmod_mat) -> list[int]:
    """Columns of the pivots of an echelon form."""
    found, i = [], 0
    for j in range(echelon.ncols()):
        if i == echelon.nrows():
            break
        if int(echelon[i, j]):
            found.append(j)
            i += 1
    return found
