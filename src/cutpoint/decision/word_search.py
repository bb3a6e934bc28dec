r"""Words of high acceptance, found best first, from the front or from the back.

*From the front.* Of the words that begin with y and have one to k more symbols none has an acceptance above
:math:`\pi P(y)\, h_k`, where the column :math:`h_k` is that of ``model/completion_bounds.py``.

*From the back.* The acceptance of :math:`yz` is a mean of the entries of the column :math:`P(z) f`, so the largest of
them bounds the acceptance of the words that end in z. And since distributions are not negative, a suffix goes on no
better than a shorter one whose column is at least as large in every entry: it is dropped.

The first is good where words are decided early, the second where an acceptor forgets how a word began. Prefixes, or
suffixes, wait in a queue, the most promising first. Floats order them where their error bounds allow, rational numbers
where they do not.

An *endless* search continues words up to a length only, but its bounds are about words of any length.

Where bounds tell little, both go through very many prefixes and suffixes before they come to a good word.
:func:`promising_words` keeps some suffixes of each length and comes to one soon, but proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush, heapreplace
from typing import TYPE_CHECKING

import numpy as np

from cutpoint.exact.certified import UNIT_ROUNDOFF
from cutpoint.exact.recursions import IntegerForm, lowest_terms, over_common_denominator, quotients
from cutpoint.exact.spans import Codes
from cutpoint.kernels.reference import dot, step, step_back
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.completion_bounds import CompletionBounds, endless_bounds

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat

MOST_COMPARED = 4096  # suffixes with whose columns a new one is compared; later ones are not remembered
SPARE = 8  # suffixes that seem to dominate another and are compared with it exactly, beyond those that would do
MOST_KNOWN = 16384  # exact rows or columns that are remembered
MOST_KEPT, KEPT_ENTRIES = 256, 2**11  # suffixes of one length that are kept, at most, and entries of their columns
LONGEST_PROMISING = 1000  # length up to which they are

Place = tuple[int, bool, Codes]
"""Length, False for what goes before all words of that length, and the order of the alphabet."""


class _ExactParts:
    """Exact rows of prefixes, or columns of suffixes, each made of that of the part that is one symbol shorter."""

    def __init__(self, integers: IntegerForm, is_row: bool) -> None:
        self.integers = integers
        self.is_row = is_row
        self._known: dict[Codes, tuple[fmpz_mat, fmpz]] = {(): integers.row(()) if is_row else integers.column(())}

    def __getitem__(self, codes: Codes) -> tuple[fmpz_mat, fmpz]:
        """Numerators and their common denominator."""
        if found := self._known.get(codes):
            return found
        integers = self.integers
        shorter, symbol = (codes[:-1], codes[-1]) if self.is_row else (codes[1:], codes[0])
        part, below = self._known.get(shorter) or (integers.row if self.is_row else integers.column)(shorter)
        matrix = integers.matrices[symbol]
        found = part * matrix if self.is_row else matrix * part, below * integers.denominators[symbol]
        if len(self._known) < MOST_KNOWN:
            self._known[codes] = found
        return found

    def value(self, codes: Codes) -> Fraction:
        """Acceptance of the word."""
        part, below = self[codes]
        if self.is_row:
            return lowest_terms((part * self.integers.final)[0, 0], below * self.integers.final_denominator)
        return lowest_terms((self.integers.initial * part)[0, 0], below * self.integers.initial_denominator)


class _Front(CompletionBounds):
    """Words read from the front: what is known of all words with the same prefix, from its row."""

    def __init__(self, acceptor: Acceptor) -> None:
        super().__init__(acceptor, at_most=True)
        self.start = acceptor.initial
        self.exact = _ExactParts(acceptor.integers, is_row=True)
        self._continued: dict[tuple[int, bytes], list[Codes]] = {}

    def longer(self, codes: Codes, row: Floats) -> Iterator[tuple[Codes, Floats]]:
        """One symbol more, each in turn, with its row."""
        return (((*codes, a), after) for a, after in enumerate(step(row, self.acceptor.transitions)))

    def value(self, row: Floats) -> float:
        """Acceptance of the word itself."""
        return float(dot(row, self.column(0)))

    def bound(self, row: Floats, remaining: int) -> float:
        """Largest acceptance that one to so many more symbols may give."""
        return float(dot(row, self.column(remaining)))

    def exact_bound(self, codes: Codes, remaining: int) -> Fraction:  # type: ignore[override]
        """The same exactly."""
        return self.exact_product(*self.exact[codes], remaining)

    def is_needed(self, codes: Codes, row: Floats, copies: int, rounding: float) -> bool:
        """Whether fewer than ``copies`` prefixes of this length with exactly this row were continued: note one more."""
        alike = self._continued.setdefault((len(codes), row.tobytes()), [])
        if len(alike) >= copies:
            here = self._exact_row(codes)
            if sum(self._exact_row(other) == here for other in alike) >= copies:
                return False
        alike.append(codes)
        return True

    def _exact_row(self, codes: Codes) -> list[Fraction]:
        return quotients(*self.exact[codes]).ravel().tolist()

    def place(self, codes: Codes) -> Place:
        """The words that are one symbol longer come after the prefix in the order of the alphabet."""
        return len(codes) + 1, True, codes


class _EndlessFront(_Front):
    """The same where words may become as long as they like: one column bounds them all."""

    def __init__(self, acceptor: Acceptor) -> None:
        super().__init__(acceptor)
        column = endless_bounds(acceptor)
        self._endless = column.astype(np.float64)
        self._integers = over_common_denominator(column[:, None])

    def bound(self, row: Floats, remaining: int) -> float:
        return float(dot(row, self._endless))

    def exact_bound(self, codes: Codes, remaining: int) -> Fraction:  # type: ignore[override]
        (row, below), (column, denominator) = self.exact[codes], self._integers
        return lowest_terms((row * column)[0, 0], below * denominator)


class _Back:
    """Words read from the back: their columns, whose largest entries are bounds up to the sums of rows of floats."""

    def __init__(self, acceptor: Acceptor) -> None:
        self.acceptor = acceptor
        self.start = acceptor.final.astype(np.float64)
        sums = acceptor.exact_transitions.sum(axis=2)
        self.start_sum, self.step_sum = acceptor.exact_initial.sum(), max(Fraction(1), *sums.flat)
        self._kept: Floats = np.empty((0, acceptor.n_states))
        self._continued: list[Codes] = []
        self.exact = _ExactParts(acceptor.integers, is_row=False)

    def longer(self, codes: Codes, column: Floats) -> Iterator[tuple[Codes, Floats]]:
        return (((a, *codes), before) for a, before in enumerate(step_back(self.acceptor.transitions, column)))

    def value(self, column: Floats) -> float:
        return float(dot(self.acceptor.initial, column))

    def bound(self, column: Floats, remaining: int) -> float:
        return float(column.max()) * float(self.start_sum) * float(self.step_sum) ** remaining

    def exact_bound(self, codes: Codes, remaining: int) -> Fraction:
        column, below = self.exact[codes]
        largest = lowest_terms(max(column.entries()), below)
        return Fraction(largest * self.start_sum * self.step_sum**remaining)

    def is_needed(self, codes: Codes, column: Floats, copies: int, rounding: float) -> bool:
        """Whether fewer than ``copies`` earlier suffixes are at least as good in every state: note one more.

        A suffix is earlier if it is shorter, or as long and first in the order of the alphabet; whatever comes before
        it, words that end in it then precede those that end in this one, also where acceptances are equal.
        """
        count, near = len(self._continued), 2 * rounding
        kept = self._kept[:count]
        better, place = 0, (len(codes), codes)
        as_large = np.flatnonzero((kept * (1 + near) + 1e-290 >= column).all(axis=1))
        largest = as_large[np.argsort(-kept[as_large].sum(axis=1), kind="stable")]
        for i in largest[: copies + SPARE].tolist():
            other = self._continued[i]
            unsure = np.flatnonzero(kept[i] * (1 - near) <= column + 1e-290).tolist()
            if (len(other), other) < place and self._is_as_large(other, codes, unsure):
                better += 1
                if better == copies:
                    return False
        if count < MOST_COMPARED:
            if count == len(self._kept):
                self._kept = np.concatenate([kept, np.empty((count + 16, len(column)))])
            self._kept[count] = column
            self._continued.append(codes)
        return True

    def _is_as_large(self, codes: Codes, other: Codes, states: list[int]) -> bool:
        (left, below), (right, other_below) = self.exact[codes], self.exact[other]
        return all(left[s, 0] * other_below >= right[s, 0] * below for s in states)

    def place(self, codes: Codes) -> Place:
        """Any symbol may come before the suffix, so it goes before all words that are one symbol longer."""
        return len(codes) + 1, False, codes


@dataclass(frozen=True, eq=False)
class QueueEntry:
    """A word (``part`` is None), or all longer ones with this prefix or suffix; no acceptance is above the bound."""

    search: BestFirst
    codes: Codes
    estimate: float
    part: Floats | None

    @cached_property
    def bound(self) -> Fraction:
        """The bound behind the estimate, exactly."""
        if self.part is None:
            return self.search.end.exact.value(self.codes)
        return self.search.end.exact_bound(self.codes, self.search.max_length - len(self.codes))

    def __lt__(self, other: QueueEntry) -> bool:
        """Whether it comes first: the larger bound, then the shorter word, then the order of the alphabet."""
        a, b = self.estimate, other.estimate
        if self.search.are_apart(a, b):
            return a > b
        if self.bound != other.bound:
            return self.bound > other.bound
        return self._place < other._place

    @property
    def _place(self) -> Place:
        return (len(self.codes), True, self.codes) if self.part is None else self.search.end.place(self.codes)


class BestFirst:
    """The ``copies`` words of highest acceptance up to ``max_length`` symbols, if it is at least about ``least``.

    Iterate over an instance once. Prefixes of equal length and equal distribution go on alike: of each such kind only
    the first ``copies`` are continued, which is enough; nor are suffixes that so many earlier ones dominate. If
    ``endless``, what is as long as ``max_length`` is not continued, but ``ceiling`` bounds what it could lead to.
    """

    def __init__(self, end: _Front | _Back, max_length: int, copies: int, least: float, endless: bool = False) -> None:
        self.end = end
        self.acceptor = end.acceptor
        self.max_length = max_length
        self.copies = copies
        self.least = least
        self.endless = endless
        self.ceiling: Fraction | None = None
        self.best: QueueEntry | None = None
        """The best word met so far, whether or not it has left the queue."""
        self._rounding = float(16 * UNIT_ROUNDOFF) * ((max_length + 1) * (self.acceptor.n_states + 2))
        self._best: list[float] = []

    def are_apart(self, a: float, b: float) -> bool:
        """Whether two estimates differ by more than rounding, so that their order is that of what they stand for."""
        return abs(a - b) > self._rounding * max(a, b) + 1e-290

    def __iter__(self) -> Iterator[QueueEntry]:
        """Entries as they leave the queue: words in their order, and each part of a word before it is continued."""
        queue: list[QueueEntry] = []
        self._add(queue, (), self.end.start)
        while queue:
            best = heappop(queue)
            if best.part is None:
                yield best
            elif self.endless and len(best.codes) == self.max_length:
                self.ceiling = best.bound if self.ceiling is None else self.ceiling  # the first has the largest bound
                yield best
            elif self.end.is_needed(best.codes, best.part, self.copies, self._rounding):
                yield best
                for codes, part in self.end.longer(best.codes, best.part):
                    self._add(queue, codes, part)

    def _add(self, queue: list[QueueEntry], codes: Codes, part: Floats) -> None:
        """Queue a word, and longer ones if there is room for any; not those that so many words surely surpass."""
        value = self.end.value(part)
        if len(self._best) < self.copies:
            heappush(self._best, value)
        elif value > self._best[0]:
            heapreplace(self._best, value)
        if len(self._best) == self.copies:
            self.least = max(self.least, self._best[0])
        if not self._is_surpassed(value):
            word = QueueEntry(self, codes, value, None)
            self.best = word if self.best is None or word < self.best else self.best
            heappush(queue, word)
        if (remaining := self.max_length - len(codes)) > 0 or self.endless:
            bound = self.end.bound(part, remaining)
            if not self._is_surpassed(bound):
                heappush(queue, QueueEntry(self, codes, bound, part))

    def _is_surpassed(self, estimate: float) -> bool:
        return estimate < self.least and self.are_apart(estimate, self.least)


def searches_from_both_ends(
    acceptor: Acceptor, max_length: int, copies: int, least: float, endless: bool = False
) -> list[BestFirst]:
    """One search from the front and one from the back; which of them is quick depends on the acceptor."""
    ends = _EndlessFront(acceptor) if endless else _Front(acceptor), _Back(acceptor)
    return [BestFirst(end, max_length, copies, least, endless) for end in ends]


def promising_words(acceptor: Acceptor, max_length: int) -> Iterator[tuple[float, Codes]]:
    """The best word of each length among the suffixes that are kept, with its acceptance.

    Of the suffixes of one length those are kept that none of the others dominates; if there are too many of them, those
    with the largest sums.
    """
    most = min(MOST_KEPT, max(KEPT_ENTRIES // acceptor.n_states, 16))
    suffixes: list[Codes] = [()]
    columns = acceptor.final.astype(np.float64)[None]
    for _ in range(min(max_length, LONGEST_PROMISING) + 1):
        acceptances = dot(columns, acceptor.initial)
        best = int(acceptances.argmax())
        yield float(acceptances[best]), suffixes[best]
        longer = step_back(acceptor.transitions[:, None], columns).reshape(-1, acceptor.n_states)
        largest = np.argsort(-longer.sum(axis=1), kind="stable")[: 2 * most]
        dominates = (longer[largest, None] >= longer[largest]).all(axis=2)
        kept = largest[~np.triu(dominates, 1).any(axis=0)][:most]
        suffixes = [(i // len(suffixes), *suffixes[i % len(suffixes)]) for i in kept.tolist()]
        columns = longer[kept]
