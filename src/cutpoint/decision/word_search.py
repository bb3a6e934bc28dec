r"""Words of high acceptance, found best first, from the front or from the back.

*From the front.* Of the words that begin with y and have one to k more symbols none has an acceptance above
:math:`\pi P(y)\, h_k`, where the column :math:`h_k` is that of ``model/completion_bounds.py``.

*From the back.* The acceptance of :math:`yz` is a mean of the entries of the column :math:`P(z) f`, so the largest of
them bounds the acceptance of the words that end in z.

The first is good where words are decided early, the second where an acceptor forgets how a word began. Prefixes, or
suffixes, wait in a queue, the most promising first. Floats order them where their error bounds allow, rational numbers
where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush, heapreplace

import numpy as np

from cutpoint.exact.certified import UNIT_ROUNDOFF
from cutpoint.exact.recursions import quotients
from cutpoint.kernels.reference import dot, step, step_back
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.completion_bounds import CompletionBounds

Codes = tuple[int, ...]
Place = tuple[int, bool, Codes]
"""Length, False for what goes before all words of that length, and the order of the alphabet."""


class _Front(CompletionBounds):
    """Words read from the front: what is known of all words with the same prefix, from its row."""

    def __init__(self, acceptor: Acceptor) -> None:
        super().__init__(acceptor, at_most=True)
        self.start = acceptor.initial

    def longer(self, codes: Codes, row: Floats) -> Iterator[tuple[Codes, Floats]]:
        """One symbol more, each in turn, with its row."""
        return (((*codes, a), after) for a, after in enumerate(step(row, self.acceptor.transitions)))

    def value(self, row: Floats) -> float:
        """Acceptance of the word itself."""
        return float(dot(row, self.column(0)))

    def bound(self, row: Floats, remaining: int) -> float:
        """Largest acceptance that one to so many more symbols may give."""
        return float(dot(row, self.column(remaining)))

    def exact_part(self, codes: Codes) -> list[Fraction]:
        """What must be equal for two prefixes of equal length to have the same continuations."""
        return quotients(*self.acceptor.integers.row(codes)).ravel().tolist()

    def place(self, codes: Codes) -> Place:
        """The words that are one symbol longer come after the prefix in the order of the alphabet."""
        return len(codes) + 1, True, codes


class _Back:
    """Words read from the back: their columns, whose largest entries are bounds up to the sums of rows of floats."""

    def __init__(self, acceptor: Acceptor) -> None:
        self.acceptor = acceptor
        self.start = acceptor.final.astype(np.float64)
        sums = acceptor.exact_transitions.sum(axis=2)
        self.start_sum, self.step_sum = acceptor.exact_initial.sum(), max(Fraction(1), *sums.flat)

    def longer(self, codes: Codes, column: Floats) -> Iterator[tuple[Codes, Floats]]:
        return (((a, *codes), before) for a, before in enumerate(step_back(self.acceptor.transitions, column)))

    def value(self, column: Floats) -> float:
        return float(dot(self.acceptor.initial, column))

    def bound(self, column: Floats, remaining: int) -> float:
        return float(column.max()) * float(self.start_sum) * float(self.step_sum) ** remaining

    def exact_bound(self, codes: Codes, remaining: int) -> Fraction:
        return Fraction(max(self.exact_part(codes)) * self.start_sum * self.step_sum**remaining)

    def exact_part(self, codes: Codes) -> list[Fraction]:
        return quotients(*self.acceptor.integers.column(codes)).ravel().tolist()

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
            return self.search.acceptor.integers.value(self.codes)
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

    Iterate over an instance once. Prefixes, or suffixes, of equal length and equal distribution, or column, go on
    alike: of each such kind only the first ``copies`` are continued, which is enough.
    """

    def __init__(self, end: _Front | _Back, max_length: int, copies: int, least: float) -> None:
        self.end = end
        self.acceptor = end.acceptor
        self.max_length = max_length
        self.copies = copies
        self.least = least
        self._rounding = float(16 * UNIT_ROUNDOFF) * ((max_length + 1) * (self.acceptor.n_states + 2))
        self._best: list[float] = []
        self._continued: dict[tuple[int, bytes], list[Codes]] = {}

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
            elif self._is_needed(best.codes, best.part):
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
            heappush(queue, QueueEntry(self, codes, value, None))
        if (remaining := self.max_length - len(codes)) > 0:
            bound = self.end.bound(part, remaining)
            if not self._is_surpassed(bound):
                heappush(queue, QueueEntry(self, codes, bound, part))

    def _is_surpassed(self, estimate: float) -> bool:
        return estimate < self.least and self.are_apart(estimate, self.least)

    def _is_needed(self, codes: Codes, part: Floats) -> bool:
        """Whether fewer than ``copies`` parts of this length with exactly this row or column were continued."""
        alike = self._continued.setdefault((len(codes), part.tobytes()), [])
        if len(alike) >= self.copies:
            here = self.end.exact_part(codes)
            if sum(self.end.exact_part(other) == here for other in alike) >= self.copies:
                return False
        alike.append(codes)
        return True


def searches_from_both_ends(acceptor: Acceptor, max_length: int, copies: int, least: float) -> list[BestFirst]:
    """One search from the front and one from the back; which of them is quick depends on the acceptor."""
    return [BestFirst(end, max_length, copies, least) for end in (_Front(acceptor), _Back(acceptor))]
