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
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.recursions import IntegerForm, over_common_denominator, quotients
from cutpoint.kernels.sparse_matrices import check_dense

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat, nmod_mat

Codes = tuple[int, ...]  # A word as the numbers of its symbols


def primes() -> Iterator[int]:
    """Primes below 2**63, the largest first."""
    from flint import fmpz  # noqa: PLC0415

    return (number for number in range(2**63 - 1, 2, -2) if fmpz(number).is_prime())


def explore(form: IntegerForm, p: int, longest: int | None = None, values: bool = True) -> ModularSpace:
    """Breadth first over words, keeping those whose rows are new; stop at the first whose value is not 0 modulo p.

    That word is the first of all words up to ``longest``, by length and then by the order of the alphabet: a word
    that is left out has a row spanned by rows of earlier words, and so have its extensions. Denominators play no part.
    Without ``values`` no word is looked for, only the space.
    """
    from flint import nmod_mat  # noqa: PLC0415

    row, matrices = nmod_mat(form.initial, p), None
    size, n_symbols = form.initial.ncols(), len(form.matrices)
    space = ModularSpace(size, p)
    if values and int((row * nmod_mat(form.final, p))[0, 0]):
        space.word = ()
        return space
    columns = nmod_mat(form.columns, p) if values else None
    words: list[Codes] = [()]
    frontier, kept = row, space.add(row)
    while kept and (longest is None or len(words[0]) < longest):
        space.words += words
        if columns is not None:
            found = (i for i, value in enumerate((frontier * columns).entries()) if int(value))
            if (first := next(found, None)) is not None:
                space.word = (*words[first // n_symbols], first % n_symbols)
                return space
        if longest is not None and len(words[0]) + 1 == longest:
            break
        matrices = nmod_mat(form.side_by_side, p) if matrices is None else matrices
        longer = nmod_mat(len(words) * n_symbols, size, (frontier * matrices).entries(), p)
        kept = space.add(longer)
        words = [(*words[i // n_symbols], i % n_symbols) for i in kept]
        frontier = _selection(kept, longer.nrows(), p) * longer
    return space


class ModularSpace:
    """Row space modulo p that grows, as the projection onto it along the unit vectors that are no pivots.

    Row ``pivots[i]`` of the projection is row i of the reduced echelon basis; other rows are 0. ``word`` is the first
    word whose value is not 0, if the search met one; ``words`` are those whose rows were new.
    """

    def __init__(self, size: int, p: int) -> None:
        from flint import nmod_mat  # noqa: PLC0415

        check_dense((size, size), "a projection onto a space of rows,")
        self.p = p
        self.word: Codes | None = None
        self.words: list[Codes] = []
        self.pivots: list[int] = []
        self.projection = nmod_mat(size, size, [0] * size**2, p)

    def add(self, rows: nmod_mat) -> list[int]:
        """Numbers of the rows that are new, each judged after those before it."""
        rest = rows - rows * self.projection
        new = _pivot_columns(rest.transpose().rref()[0])
        if new:
            fresh = (_selection(new, rows.nrows(), self.p) * rest).rref()[0]
            places = _pivot_columns(fresh)
            at_pivots = _selection(places, fresh.ncols(), self.p).transpose()
            self.projection = self.projection - (self.projection * at_pivots) * fresh + at_pivots * fresh
            self.pivots = sorted([*self.pivots, *places])
        return new


def _selection(chosen: list[int], size: int, p: int) -> nmod_mat:
    """Matrix that picks rows when it multiplies from the left."""
    from flint import nmod_mat  # noqa: PLC0415

    entries = [0] * (len(chosen) * size)
    for i, number in enumerate(chosen):
        entries[i * size + number] = 1
    return nmod_mat(len(chosen), size, entries, p)


def _pivot_columns(echelon: nmod_mat) -> list[int]:
    """Columns of the pivots of an echelon form."""
    found: list[int] = []
    for j in range(echelon.ncols()):
        if len(found) < echelon.nrows() and int(echelon[len(found), j]):
            found.append(j)
    return found


SPARE_BITS = 20  # a fraction is read back only if it is this much shorter than its residue, which is hardly chance


@dataclass(frozen=True)
class Span:
    """A space of rows: reduced echelon basis ``rows / denominator``, with ones at the pivots."""

    rows: fmpz_mat
    denominator: fmpz
    pivots: tuple[int, ...]

    @property
    def basis(self) -> NDArray[Any]:
        """The basis as an array ``[i, s]`` of ``Fraction``."""
        return quotients(self.rows, self.denominator)


def row_space(form: IntegerForm) -> Span:
    """Space of the rows πP(x) of all words; cost grows with the lengths of the fractions in its echelon basis."""
    residues, fresh = _Residues(), primes()
    while True:
        residues.add(explore(form, next(fresh), values=False))
        span = residues.span()
        if span is not None and _is_closed(form, span):
            return span


def independent_words(form: IntegerForm, size: int) -> tuple[Codes, ...]:
    """The first words whose rows are independent, if so many are."""
    found = (explore(form, p, values=False).words for p in primes())
    return next(tuple(words) for words in found if len(words) == size)


def first_nonzero(form: IntegerForm) -> Codes | None:
    """First word, by length and then by the order of the symbols, whose value πP(x)f is not 0; None if all are 0."""
    residues, fresh = _Residues(), primes()
    size, product = form.initial.ncols(), 1
    best: Codes | None = None
    while True:
        found = explore(form, p := next(fresh), None if best is None else len(best))
        product *= p
        if found.word is not None:
            best = found.word if best is None else min(best, found.word, key=lambda word: (len(word), word))
        if product > _largest_value(form, size - 1 if best is None else len(best)):
            return best
        if best is None:
            residues.add(found)
            span = residues.span()
            if span is not None and _is_closed(form, span) and (span.rows * form.final).is_zero():
                return None


def _largest_value(form: IntegerForm, length: int) -> int:
    """Bound of the integer values of words up to a length, by the norms of the factors."""
    step = max(max(sum(abs(int(x)) for x in row) for row in matrix.tolist()) for matrix in form.matrices)
    start = sum(abs(int(x)) for x in form.initial.entries())
    most: int = start * max(step, 1) ** length * max(abs(int(x)) for x in form.final.entries())
    return most


def _is_closed(form: IntegerForm, span: Span) -> bool:
    """Whether the space contains the initial row and its own products with every matrix, in exact arithmetic."""
    from flint import fmpz_mat  # noqa: PLC0415

    size = span.rows.ncols()
    at_pivots = fmpz_mat(size, len(span.pivots), [int(s == pivot) for s in range(size) for pivot in span.pivots])
    images = (form.initial, *(span.rows * matrix for matrix in form.matrices))
    return all((rows * span.denominator - rows * at_pivots * span.rows).is_zero() for rows in images)


class _Residues:
    """Echelon basis modulo the product of the primes seen so far; primes that lost something are passed over."""

    def __init__(self) -> None:
        self.count, self.modulus = 0, 1
        self.pivots: list[int] = []
        self.values: NDArray[Any] = np.zeros((0, 0), dtype=object)

    def add(self, found: ModularSpace) -> None:
        """Take in one more prime (Chinese remainders)."""
        rank, known = [-len(found.pivots), *found.pivots], [-len(self.pivots), *self.pivots]
        if self.count and rank > known:
            return
        rows = found.projection.tolist()
        entries = [int(x) for i in found.pivots for x in rows[i]]
        values = np.array(entries, dtype=object).reshape(-1, found.projection.ncols())
        if not self.count or rank != known:
            self.count, self.modulus, self.pivots, self.values = 1, found.p, found.pivots, values
            return
        self.values = self.values + (values - self.values) * pow(self.modulus, -1, found.p) % found.p * self.modulus
        self.modulus *= found.p
        self.count += 1

    def span(self) -> Span | None:
        """The basis as fractions, if every residue is that of a short one; asked for after 1, 2, 4, 8, … primes."""
        if self.count & (self.count - 1):
            return None
        largest = math.isqrt(self.modulus) >> SPARE_BITS
        short = cache(lambda residue: _short_fraction(residue, self.modulus, largest))
        entries = list(takewhile(lambda value: value is not None, map(short, self.values.flat)))
        if len(entries) < self.values.size:
            return None
        basis = np.array(entries, dtype=object).reshape(self.values.shape)
        return Span(*over_common_denominator(basis), tuple(self.pivots))


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
