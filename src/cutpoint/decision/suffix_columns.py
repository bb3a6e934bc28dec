r"""What exact columns decide: counts of words, the word nearest to the cut point, lengths that no word has.

The column of a word z is :math:`P(z) f`. The acceptance of :math:`yz` is :math:`\pi P(y)` times the column of z, a mean
of its entries, so words read from the back need nothing but columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from math import gcd
from operator import itemgetter

from cutpoint.errors import TooLarge
from cutpoint.exact import SIGNS, CutPoint, Relation, lowest_terms, sign
from cutpoint.exact.spans import Codes
from cutpoint.model import Acceptor
from cutpoint.wording import counted

Column = tuple[int, ...]  # numerators of the entries, then their common denominator; no factor is common to all

Residual = tuple[int, ...]

ACCEPTS_ALL, ACCEPTS_NONE = (1,), (-1,)
"""The two sinks among the residuals: every word before the suffix is accepted, none is."""

MOST_FOLLOWED = 100  # suffixes of one length up to which it is worth asking whether they all come to nothing
LIMIT = 10**5  # columns that a search looks at before it gives up


@dataclass(frozen=True)
class SuffixColumns:
    """Columns of an acceptor's suffixes in integers, and where they lie relative to a cut point."""

    acceptor: Acceptor
    cut_point: CutPoint
    relation: Relation = ">"

    @cached_property
    def near_cut_point(self) -> Fraction:
        """The cut point, or a rational number very near to an irrational one."""
        if isinstance(self.cut_point, Fraction):
            return self.cut_point
        return sum(self.cut_point.interval(Fraction(1, 2**200)), start=Fraction(0)) / 2

    @property
    def start(self) -> Column:
        """Column of the empty word, ``final``."""
        return *map(int, self.acceptor.final), 1

    def before(self, column: Column) -> Iterator[Column]:
        """Columns of az for each symbol a, from the column of z."""
        from flint import fmpz_mat  # noqa: PLC0415

        *entries, denominator = column
        vector = fmpz_mat(len(entries), 1, entries)
        integers = self.acceptor.integers
        for matrix, below in zip(integers.matrices, integers.denominators, strict=True):
            raw = [*map(int, (matrix * vector).entries()), int(below) * denominator]
            divisor = gcd(*raw)
            yield tuple(x // divisor for x in raw)

    def acceptance(self, column: Column) -> Fraction:
        """Acceptance of the word z itself: the initial row times its column."""
        integers = self.acceptor.integers
        entries = zip(integers.initial.entries(), column, strict=False)
        total = sum((p * x for p, x in entries), start=integers.initial_denominator * 0)
        return lowest_terms(total, integers.initial_denominator * column[-1])

    def sign(self, value: Fraction) -> int:
        """1 if an acceptance is above the cut point, 0 if it is equal to it, -1 if it is below."""
        return sign(value, self.cut_point)

    def has(self, value: Fraction) -> bool:
        """Whether a word of this acceptance is in the language."""
        return self.sign(value) in SIGNS[self.relation]

    def verdict(self, lowest: int, highest: int) -> bool | None:
        """True if all words whose acceptances have signs between two are in the language, False if none is."""
        signs = set(range(lowest, highest + 1))
        if not isinstance(self.cut_point, Fraction):  # acceptances are rational
            signs.discard(0)
        return True if signs <= SIGNS[self.relation] else None if signs & SIGNS[self.relation] else False

    def up_to_factor(self, values: list[int]) -> Residual:
        """Values without a common factor; where only being 0 counts, the first other than 0 is positive."""
        divisor = gcd(*values) or 1
        if self.relation in ("=", "≠") and next(filter(None, values), 0) < 0:
            divisor = -divisor
        return tuple(x // divisor for x in values)

    def bounds(self, column: Column, remaining: int) -> tuple[Fraction, Fraction]:
        """Bounds of the acceptance of all words yz with at most so many symbols y."""
        *entries, denominator = column
        loss = 2 * (remaining + 1) * self.acceptor.row_excess
        return Fraction(min(entries), denominator) * (1 - loss), Fraction(max(entries), denominator) * (1 + loss)

    def residual(self, column: Column, remaining: int = 0) -> Residual:
        r"""What decides which words y before z are accepted: :math:`P(z) f - \lambda 1` up to a positive factor.

        (Any factor but 0, if the language has the words of acceptance exactly :math:`\lambda`, or all others.)
        Columns that accept every y of at most ``remaining`` symbols, or none, are each one residual. At an irrational
        cut point no two columns are multiples of each other unless they are equal, and where rows do not sum to 1 the
        factor must be 1.
        """
        low, high = self.bounds(column, remaining)
        if (verdict := self.verdict(self.sign(low), self.sign(high))) is not None:
            return ACCEPTS_ALL if verdict else ACCEPTS_NONE
        if self.acceptor.row_excess or not isinstance(self.cut_point, Fraction):
            return column
        *entries, denominator = column
        return self.up_to_factor(
            [self.cut_point.denominator * x - self.cut_point.numerator * denominator for x in entries]
        )

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

    def count(self, length: int, limit: int) -> int:
        """Number of words of a length in the language; suffixes with the same residual are counted together."""
        level: dict[Residual, tuple[Column, int]] = {self.residual(self.start, length): (self.start, 1)}
        total = explored = 0
        for remaining in range(length, 0, -1):
            longer: dict[Residual, tuple[Column, int]] = {}
            total += level.pop(ACCEPTS_ALL, ((), 0))[1] * self.acceptor.n_symbols**remaining
            level.pop(ACCEPTS_NONE, None)
            for column, ways in level.values():
                explored = _one_more(explored, limit)
                for before in self.before(column):
                    key = self.residual(before, remaining - 1)
                    same, so_far = longer.get(key, (before, 0))
                    longer[key] = same, so_far + ways
            level = longer
        return total + sum(ways for column, ways in level.values() if self.has(self.acceptance(column)))

    def nearest_word(self, max_length: int, limit: int) -> tuple[Fraction, Codes]:
        """The acceptance nearest to the cut point of words up to a length, and the shortest and first word that has it.

        Suffixes are extended to the front, each column once. A column whose entries all lie farther from the cut point
        than the best word so far is left: acceptances are means of its entries.
        """
        best: tuple[Fraction, Codes] = self.acceptance(self.start), ()
        level: dict[Column, Codes] = {self.start: ()}
        explored = 0
        for remaining in range(max_length, 0, -1):
            longer: dict[Column, Codes] = {}
            for column, codes in level.items():
                if _may_be_nearer(self.bounds(column, remaining), best[0], self.cut_point):
                    explored = _one_more(explored, limit)
                    for symbol, before in enumerate(self.before(column)):
                        word = (symbol, *codes)
                        longer[before] = min(word, longer.get(before, word))
            level = longer
            for column, codes in sorted(level.items(), key=itemgetter(1)):
                value = self.acceptance(column)
                if _is_nearer(value, best[0], self.cut_point):
                    best = value, codes
        return best


def _one_more(explored: int, limit: int) -> int:
    if explored == limit:
        raise TooLarge(
            f"{counted(explored, 'column')} were explored and there are more. Increase limit={limit} or take shorter "
            "words."
        )
    return explored + 1


def _is_nearer(value: Fraction, other: Fraction, cut_point: CutPoint) -> bool:
    """Whether one number is strictly nearer to the cut point than another."""
    if (value > cut_point) == (other > cut_point):
        return value < other if value > cut_point else value > other
    middle = (value + other) / 2
    return middle < cut_point if value > cut_point else middle > cut_point


def _may_be_nearer(bounds: tuple[Fraction, Fraction], best: Fraction, cut_point: CutPoint) -> bool:
    """Whether some number between two bounds is strictly nearer to the cut point than the best so far."""
    low, high = bounds
    if low <= cut_point <= high:
        return best != cut_point
    return _is_nearer(low if low > cut_point else high, best, cut_point)
