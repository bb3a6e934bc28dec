"""How near acceptances come to a cut point, and how many words lie above it: exact searches from the back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

import numpy as np

from cutpoint.data import Alphabet, PlainWord
from cutpoint.decision.columns import ACCEPTS_ALL, ACCEPTS_NONE, Column, Columns, Residual
from cutpoint.errors import TooLarge
from cutpoint.exact import CutPoint
from cutpoint.model.text import number
from cutpoint.wording import counted, shown

LIMIT = 10**5
"""Columns that a search looks at before it gives up."""


@dataclass(frozen=True)
class Isolation:
    """Word whose acceptance is nearest to a cut point among all words up to ``max_length``; exact."""

    word: PlainWord
    acceptance: Fraction
    cut_point: CutPoint
    max_length: int

    @property
    def distance(self) -> Fraction | float:
        """Distance of the acceptance from the cut point: a fraction if that is rational, otherwise a float."""
        if isinstance(self.cut_point, Fraction):
            return abs(self.acceptance - self.cut_point)
        low, high = self.cut_point.interval(Fraction(1, 2**200))
        return float(abs(self.acceptance - (low + high) / 2))

    def __repr__(self) -> str:
        return (
            f"<Isolation: {number(self.distance)} up to length {self.max_length}, "
            f"reached by {shown(self.word)} with acceptance {number(self.acceptance)}>"
        )


def nearest_word(alphabet: Alphabet, columns: Columns, max_length: int, limit: int) -> Isolation:
    """The word up to a length whose acceptance is nearest to the cut point; of several, the shortest and first.

    Suffixes are extended to the front, each column once. A column whose entries all lie farther from the cut point than
    the best word so far is left: acceptances are means of its entries.
    """
    best: tuple[Fraction, tuple[int, ...]] = columns.acceptance(columns.start), ()
    level: dict[Column, tuple[int, ...]] = {columns.start: ()}
    explored = 0
    for remaining in range(max_length, 0, -1):
        longer: dict[Column, tuple[int, ...]] = {}
        for column, codes in level.items():
            if _may_be_nearer(columns.span(column, remaining), best[0], columns.cut_point):
                explored = _counted_up(explored, limit)
                for symbol, before in enumerate(columns.before(column)):
                    word = (symbol, *codes)
                    longer[before] = min(word, longer.get(before, word))
        level = longer
        for column, codes in sorted(level.items(), key=itemgetter(1)):
            value = columns.acceptance(column)
            if _is_nearer(value, best[0], columns.cut_point):
                best = value, codes
    value, codes = best
    return Isolation(alphabet.decode(np.array(codes, dtype=np.int32)), value, columns.cut_point, max_length)


def count_words(columns: Columns, length: int, limit: int) -> int:
    """Number of words of a length in the language; suffixes with the same residual are counted together."""
    n_symbols = len(columns.matrices)
    level: dict[Residual, tuple[Column, int]] = {columns.residual(columns.start, length): (columns.start, 1)}
    total = explored = 0
    for remaining in range(length, 0, -1):
        longer: dict[Residual, tuple[Column, int]] = {}
        total += level.pop(ACCEPTS_ALL, ((), 0))[1] * n_symbols**remaining
        level.pop(ACCEPTS_NONE, None)
        for column, ways in level.values():
            explored = _counted_up(explored, limit)
            for before in columns.before(column):
                key = columns.residual(before, remaining - 1)
                same, so_far = longer.get(key, (before, 0))
                longer[key] = same, so_far + ways
        level = longer
    return total + sum(ways for column, ways in level.values() if columns.exceeds(columns.acceptance(column)))


def _counted_up(explored: int, limit: int) -> int:
    if explored == limit:
        raise TooLarge(
            f"{counted(explored, 'column')} are explored and there are more. Raise limit={limit} or take shorter words."
        )
    return explored + 1


def _is_nearer(value: Fraction, other: Fraction, cut_point: CutPoint) -> bool:
    """Whether one number is strictly nearer to the cut point than another."""
    if (value > cut_point) == (other > cut_point):
        return value < other if value > cut_point else value > other
    middle = (value + other) / 2
    return middle < cut_point if value > cut_point else middle > cut_point


def _may_be_nearer(span: tuple[Fraction, Fraction], best: Fraction, cut_point: CutPoint) -> bool:
    """Whether some number between two bounds is strictly nearer to the cut point than the best so far."""
    low, high = span
    if low <= cut_point <= high:
        return best != cut_point
    return _is_nearer(low if low > cut_point else high, best, cut_point)
