r"""Words of high acceptance, found best first.

From state s, no way to go on with at most k symbols is accepted with more than

.. math:: h_0 = f, \qquad h_{k+1}(s) = \max\Big(f(s),\ \max_a \sum_t P(a)[s,t]\, h_k(t)\Big),

so :math:`\pi P(x)` times the inner maximum bounds the acceptance of every longer word that begins with x. Prefixes
wait in a queue, the most promising first. Floats order them where their error bounds allow, rational numbers where they
do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.exact.certified import UNIT_ROUNDOFF
from cutpoint.kernels.reference import dot, step, step_back
from cutpoint.model import Acceptor

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A word (``row`` is None), or all continuations of a prefix, with the largest acceptance that they can have."""

    search: BestFirst
    codes: tuple[int, ...]
    estimate: float
    row: Floats | None

    @cached_property
    def bound(self) -> Fraction:
        """The bound behind the estimate, exactly."""
        remaining = 0 if self.row is None else self.search.max_length - len(self.codes)
        reached = self.search.acceptor.integers.distribution(self.codes)
        pairs = zip(reached, self.search.exact_bounds(remaining), strict=True)
        return sum((p * h for p, h in pairs), start=Fraction(0))

    def __lt__(self, other: Candidate) -> bool:
        """Whether it comes first: the larger bound, then the shorter word, then the order of the alphabet."""
        a, b = self.estimate, other.estimate
        if abs(a - b) > self.search.rounding * max(a, b) + 1e-290:
            return a > b
        if self.bound != other.bound:
            return self.bound > other.bound
        return self._first_word < other._first_word

    @property
    def _first_word(self) -> tuple[int, tuple[int, ...]]:
        """Length of the shortest word that it holds, and how that begins."""
        return len(self.codes) + (self.row is not None), self.codes


class BestFirst:
    """Words of at most ``max_length`` symbols in the order of falling acceptance; iterate over an instance once.

    Prefixes of equal length and equal distribution go on alike: of each such kind only the first ``copies`` are
    continued, which is enough for the first ``copies`` words.
    """

    def __init__(self, acceptor: Acceptor, max_length: int, copies: int) -> None:
        self.acceptor = acceptor
        self.max_length = max_length
        self.copies = copies
        self.explored = 0
        self.rounding = float(16 * UNIT_ROUNDOFF) * ((max_length + 1) * (acceptor.n_states + 2))
        self._final = acceptor.final.astype(np.float64)
        self._bounds = [self._final]
        self._exact_bounds: list[NDArray[Any]] = [np.array([Fraction(int(kept)) for kept in acceptor.final])]
        self._continued: dict[tuple[int, bytes], list[tuple[int, ...]]] = {}

    def __iter__(self) -> Iterator[Candidate]:
        """Candidates as they leave the queue: words in their order, and each prefix before it is continued."""
        queue: list[Candidate] = []
        self._add(queue, (), self.acceptor.initial)
        while queue:
            best = heappop(queue)
            if best.row is None:
                yield best
            elif self._is_needed(best.codes, best.row):
                yield best
                self.explored += 1
                for symbol, row in enumerate(step(best.row, self.acceptor.transitions)):
                    self._add(queue, (*best.codes, symbol), row)

    def _add(self, queue: list[Candidate], codes: tuple[int, ...], row: Floats) -> None:
        """Queue a word, and its continuations if there is room for any."""
        heappush(queue, Candidate(self, codes, float(dot(row, self._final)), None))
        if len(codes) < self.max_length:
            bound = float(dot(row, self.bounds(self.max_length - len(codes))))
            heappush(queue, Candidate(self, codes, bound, row))

    def _is_needed(self, codes: tuple[int, ...], row: Floats) -> bool:
        """Whether fewer than ``copies`` prefixes of this length with exactly this distribution were continued."""
        alike = self._continued.setdefault((len(codes), row.tobytes()), [])
        if len(alike) >= self.copies:
            exact = self.acceptor.integers.distribution
            here = exact(codes)
            if sum(exact(other) == here for other in alike) >= self.copies:
                return False
        alike.append(codes)
        return True

    def bounds(self, remaining: int) -> Floats:
        """Largest acceptance, from each state, with one to so many more symbols; ``final`` for none."""
        while len(self._bounds) <= remaining:
            last = np.maximum(self._final, self._bounds[-1])
            further: Floats = step_back(self.acceptor.transitions, last).max(axis=0)
            if len(self._bounds) > 1 and (further == self._bounds[-1]).all():
                return further
            self._bounds.append(further)
        return self._bounds[remaining]

    def exact_bounds(self, remaining: int) -> NDArray[Any]:
        """The same column in rational numbers."""
        while len(self._exact_bounds) <= remaining:
            last = np.maximum(self._exact_bounds[0], self._exact_bounds[-1])
            further: NDArray[Any] = (self.acceptor.exact_transitions @ last).max(axis=0)
            if len(self._exact_bounds) > 1 and (further == self._exact_bounds[-1]).all():
                return further
            self._exact_bounds.append(further)
        return self._exact_bounds[remaining]
