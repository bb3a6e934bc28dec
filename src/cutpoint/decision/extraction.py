r"""What exact columns decide: DFAs, counts of words, distance from the cut point; also DFAs by distributions (Rabin).

The column of a word z is :math:`P(z) f`. The acceptance of :math:`yz` is :math:`\pi P(y)` times the column of z, a mean
of its entries, so words read from the back need nothing but columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import repeat
from math import gcd
from operator import itemgetter, or_

import numpy as np

from cutpoint.data import Alphabet, PlainWord
from cutpoint.decision.dfa import DFA, Unknown, closure
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import CutPoint, lowest_terms
from cutpoint.kernels.reference import step
from cutpoint.model import Acceptor
from cutpoint.model.text import number
from cutpoint.wording import counted, shown

Codes = tuple[int, ...]

Column = tuple[int, ...]
"""Numerators of the entries, then their common denominator; no factor is common to all."""

Residual = tuple[int, ...]

ACCEPTS_ALL, ACCEPTS_NONE = (1,), (-1,)
"""The two sinks among the residuals: every word before the suffix is accepted, none is."""

MOST_FOLLOWED = 100
"""Suffixes of one length up to which it is worth asking whether they all come to nothing."""

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


@dataclass(frozen=True)
class SuffixColumns:
    """Columns of an acceptor's suffixes in integers, and where they lie relative to a cut point."""

    acceptor: Acceptor
    cut_point: CutPoint
    inclusive: bool

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

    def exceeds(self, value: Fraction) -> bool:
        """Whether a word of this acceptance is in the language."""
        return value > self.cut_point or (self.inclusive and value == self.cut_point)

    def bounds(self, column: Column, remaining: int) -> tuple[Fraction, Fraction]:
        """Bounds of the acceptance of all words yz with at most so many symbols y."""
        *entries, denominator = column
        loss = 2 * (remaining + 1) * self.acceptor.row_excess
        return Fraction(min(entries), denominator) * (1 - loss), Fraction(max(entries), denominator) * (1 + loss)

    def residual(self, column: Column, remaining: int = 0) -> Residual:
        r"""What decides which words y before z are accepted: :math:`P(z) f - \lambda 1` up to a positive factor.

        Columns that accept every y of at most ``remaining`` symbols, or none, are each one residual. At an irrational
        cut point no two columns are multiples of each other unless they are equal, and where rows do not sum to 1 the
        factor must be 1.
        """
        low, high = self.bounds(column, remaining)
        if self.exceeds(low):
            return ACCEPTS_ALL
        if not self.exceeds(high):
            return ACCEPTS_NONE
        if self.acceptor.row_excess or not isinstance(self.cut_point, Fraction):
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

    def dfa(self, max_states: int) -> DFA | Unknown:
        """Minimal DFA of the language, if the exploration of residuals closes.

        They are the states of a DFA for the words read from the back. Reversing a DFA whose states are all reachable,
        and taking sets, gives the minimal DFA (Brzozowski).
        """
        seen: dict[Residual, Column] = {}

        def residual(column: Column) -> Residual:
            key = self.residual(column)
            seen.setdefault(key, column)
            return key

        def before(key: Residual) -> list[Residual]:
            return [residual(column) for column in self.before(seen[key])]

        numbers, steps, closed = closure(residual(self.start), before, max_states)
        if not closed:
            return _undecided(max_states, self.cut_point, "residual")
        accepting = [state for key, state in numbers.items() if self.exceeds(self.acceptance(seen[key]))]
        return _reversed_dfa(self.acceptor.alphabet, steps, accepting, max_states)

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
        return total + sum(ways for column, ways in level.values() if self.exceeds(self.acceptance(column)))

    def nearest_word(self, max_length: int, limit: int) -> Isolation:
        """The word up to a length whose acceptance is nearest to the cut point; of several, the shortest and first.

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
        value, codes = best
        return Isolation(self.acceptor.alphabet.decode(codes), value, self.cut_point, max_length)


def _undecided(explored: int, cut_point: CutPoint, kind: str) -> Unknown:
    value = number(cut_point) if isinstance(cut_point, Fraction) else repr(cut_point)
    return Unknown(
        explored,
        f"unknown: {counted(explored, kind)} at the cut point {value} were explored, and there are more. Whether "
        "the language is regular is not decided; whether a word belongs to it is, for every word.",
    )


def _reversed_dfa(alphabet: Alphabet, steps: list[Codes], accepting: list[int], max_states: int) -> DFA | Unknown:
    """DFA of the reversed words of a DFA (state 0 first), by the subset construction; subsets are bit sets."""
    backward = [[0] * len(steps) for _ in alphabet]
    for state, row in enumerate(steps):
        for symbol, after in enumerate(row):
            backward[symbol][after] |= 1 << state

    def onward(subset: int) -> list[int]:
        members = [state for state in range(len(steps)) if subset >> state & 1]
        return [reduce(or_, (into[state] for state in members), 0) for into in backward]

    subsets, transitions, closed = closure(sum(1 << state for state in accepting), onward, max_states)
    if not closed:
        return Unknown(
            max_states,
            f"unknown: the language is regular, with {counted(len(steps), 'state')} for its words read from the back, "
            f"but read from the front its DFA has more than {counted(max_states, 'state')}. Increase max_states.",
        )
    final = frozenset(number for subset, number in subsets.items() if subset & 1)
    return DFA(alphabet, tuple(transitions), 0, final)


def isolated_dfa(acceptor: Acceptor, cut_point: CutPoint, isolation: Fraction, max_states: int) -> DFA | Unknown:
    r"""Minimal DFA of a language whose cut point is isolated: no acceptance within :math:`\delta` of it (Rabin).

    Acceptances of xz and yz differ by at most half of :math:`\|\pi P(x) - \pi P(y)\|_1`; if that is less than
    :math:`2\delta` both lie on the same side of the cut point. So words whose distributions differ by less than
    :math:`4\delta` in the 1-norm have the same future, and breadth-first exploration of such words closes.
    """
    words: list[Codes] = [()]  # with different distributions, each in a row
    rows = np.empty((max_states + acceptor.n_symbols, acceptor.n_states))
    rows[0] = acceptor.initial

    def after(state: int) -> list[int]:
        """Number of the word that stands for each word that is one symbol longer."""
        rounding = 8.0 * (len(words[state]) + 2) * (acceptor.n_states + 2) * 2.0**-53
        nearest = 4 * float(isolation) * (1 - 2.0**-50) - rounding
        found = []
        for symbol, matrix in enumerate(acceptor.transitions):
            row = step(rows[state], matrix)
            near = np.flatnonzero(np.abs(rows[: len(words)] - row).sum(axis=1) < nearest)
            found.append(int(near[0]) if near.size else len(words))
            if not near.size:
                rows[len(words)] = row
                words.append((*words[state], symbol))
        return found

    _, steps, closed = closure(0, after, max_states)
    if not closed:
        return _undecided(max_states, cut_point, "distribution")
    final = frozenset(state for state, word in enumerate(words) if _is_above(acceptor, word, cut_point, isolation))
    return DFA(acceptor.alphabet, tuple(steps), 0, final).minimize()


def _is_above(acceptor: Acceptor, codes: Codes, cut_point: CutPoint, isolation: Fraction) -> bool:
    """Whether a word is accepted; refuses a cut point that it shows not to be isolated."""
    acceptance = acceptor.integers.value(codes)
    if acceptance + isolation > cut_point and acceptance - isolation < cut_point:
        raise InvalidArgument(
            f"the cut point is not isolated by {number(isolation)}: the word {shown(acceptor.alphabet.decode(codes))} "
            f"has acceptance {number(acceptance)}. Give a smaller isolation, or none."
        )
    return acceptance > cut_point


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
