r"""Isolated cut points: how near acceptances come, proofs that none comes nearer, and DFAs there (Rabin).

*Proof by an invariant.* Suffixes z whose columns :math:`P(z) f` are near to each other become one state of a DFA that
reads words from the back. Each state gets bounds of its columns: those of the empty word contain f, and those of the
next state contain :math:`P(a)` times those of the state. Such bounds hold for every suffix, so if the acceptances
between them leave out a neighborhood of the cut point, it is isolated, and the DFA decides the language. How the states
and bounds were found does not matter: that they are an invariant is checked in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord
from cutpoint.decision.certificates import IsolationCertificate
from cutpoint.decision.dfa import DFA, Unknown, closure
from cutpoint.decision.residuals import Callback, reversed_dfa, undecided
from cutpoint.decision.suffix_columns import SuffixColumns
from cutpoint.errors import InvalidArgument
from cutpoint.exact import CutPoint
from cutpoint.exact.spans import Codes
from cutpoint.kernels.reference import step
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.text import number
from cutpoint.wording import shown

REFINEMENTS, ENOUGH = 4, 0.95  # attempts at a better proof, and the part of what was observed that will do
SIMPLE = 10**4  # bounds with denominators up to this are tried before those on a grid
NEAR = 1e-9  # how near all bounds must be to simple fractions for that
GRID = 2**40  # bounds that are not simple fractions are rounded to multiples of 1 / GRID
ROUNDS = 200  # rounds in which bounds on the grid are widened until they are an invariant
SWEEPS, CONVERGED = 2000, 1e-13  # sweeps in floats, at most, and the change at which they end


@dataclass(frozen=True)
class Isolation:
    """How near acceptances come to a cut point: observed up to a length, and proven for all words where that succeeds.

    ``word`` has the acceptance nearest to the cut point among all words up to ``max_length``; exact.
    """

    word: PlainWord
    acceptance: Fraction
    cut_point: CutPoint
    max_length: int
    certificate: IsolationCertificate | None = field(default=None, repr=False)

    @property
    def distance(self) -> Fraction | float:
        """Distance of the acceptance from the cut point: a fraction if that is rational, otherwise a float."""
        if isinstance(self.cut_point, Fraction):
            return abs(self.acceptance - self.cut_point)
        low, high = self.cut_point.interval(Fraction(1, 2**200))
        return float(abs(self.acceptance - (low + high) / 2))

    @property
    def proven(self) -> Fraction | None:
        r"""A :math:`\delta > 0` such that no word at all comes nearer to the cut point; None if none was proven."""
        return None if self.certificate is None else self.certificate.distance

    @property
    def rabin_bound(self) -> int | None:
        r"""States that a DFA needs at most, :math:`(1 + r / \delta)^{l - 1}` with r final states (Rabin 1963)."""
        return self._bound(lambda acceptor, distance: int(acceptor.final.sum()) / distance)

    @property
    def paz_bound(self) -> int | None:
        r"""The same by Paz (1971), :math:`(1 + 1 / 2\delta)^{l - 1}`."""
        return self._bound(lambda acceptor, distance: 1 / (2 * distance))

    def _bound(self, term: Callable[[Acceptor, Fraction], Fraction]) -> int | None:
        if self.certificate is None:
            return None
        acceptor, distance = self.certificate.acceptor, self.certificate.distance
        return floor((1 + term(acceptor, distance)) ** (acceptor.n_states - 1))

    def __repr__(self) -> str:
        proven = f"proven {number(self.proven)}; " if self.proven else ""
        return (
            f"<Isolation: {proven}observed {number(self.distance)} up to length {self.max_length}, "
            f"reached by {shown(self.word)} with acceptance {number(self.acceptance)}>"
        )


def proof_of_isolation(columns: SuffixColumns, observed: float, max_states: int) -> IsolationCertificate | None:
    """An invariant that keeps all acceptances away from the cut point, if one is found; exact.

    Suffixes are merged coarsely first, then more and more finely, until there are too many of them, or until they are
    told apart much better than the nearest word requires. After a proof that is weaker than what was observed, a few
    finer ones are tried.
    """
    fineness, best, spare = 0.5, None, REFINEMENTS
    while observed and spare and fineness > max(observed / 64, 2.0**-40):
        merged = _near_suffixes(columns, fineness, max_states)
        if merged is None:
            break
        found = _invariant(columns, *merged)
        if found is not None and (best is None or found.distance > best.distance):
            best = found
        if best is not None:
            spare = 0 if best.distance > ENOUGH * observed else spare - 1
        fineness /= 2
    return best


def proven_dfa(isolation: Isolation, acceptor: Acceptor, cut_point: CutPoint, max_states: int) -> DFA | Unknown:
    """Minimal DFA at a cut point that is proven to be isolated; refuses what is not proven, or of another language."""
    certificate = isolation.certificate
    if certificate is None:
        raise InvalidArgument(
            f"{shown(isolation)} was observed, not proven. Give a number to take it on trust.", argument="isolation"
        )
    if (certificate.acceptor, certificate.cut_point) != (acceptor, cut_point):
        raise InvalidArgument("is about another acceptor or cut point.", argument="isolation")
    smallest = np.array(certificate.low) @ acceptor.exact_initial
    accepting = [k for k, value in enumerate(smallest) if value > certificate.cut_point]
    dfa = reversed_dfa(acceptor.alphabet, list(certificate.steps), accepting, max_states)
    return replace(dfa, certificate=certificate) if isinstance(dfa, DFA) else dfa


def _near_suffixes(columns: SuffixColumns, fineness: float, max_states: int) -> tuple[Floats, list[Codes]] | None:
    """States of a DFA that reads words from the back, one for suffixes that are near: columns, and steps.

    Columns are near if no distribution tells them apart by more than the fineness: sets of states between which there
    are no moves have weights that are fixed. None if there are too many states.
    """
    acceptor, level = columns.acceptor, float(columns.near_cut_point)
    weights = _weights_of_parts(acceptor)
    met = np.empty((max_states + acceptor.n_symbols, acceptor.n_states))
    met[0], count = acceptor.final, 1

    def before(state: int) -> list[int]:
        nonlocal count
        found = []
        for matrix in acceptor.transitions:
            column = matrix @ met[state]
            apart = np.abs(met[:count] - column)
            distances = sum(weight * apart[:, part].max(axis=1) for weight, part in weights)
            same_side = (met[:count] @ acceptor.initial > level) == (acceptor.initial @ column > level)
            nearest = int(np.argmin(np.where(same_side, distances, np.inf)))
            if not (same_side[nearest] and distances[nearest] <= fineness):
                met[count], nearest = column, count
                count += 1
            found.append(nearest)
        return found

    _, steps, closed = closure(0, before, max_states)
    return (met[:count], steps) if closed else None


def _weights_of_parts(acceptor: Acceptor) -> list[tuple[float, NDArray[np.int64]]]:
    """Sets of states between which there are no moves, with their probability, which is the same after every word."""
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n_parts, parts = connected_components(acceptor.transitions.sum(axis=0) > 0, directed=False)
    members = [np.flatnonzero(parts == part) for part in range(n_parts)]
    return [(weight, part) for part in members if (weight := float(acceptor.initial[part].sum()))]


def _invariant(columns: SuffixColumns, met: Floats, steps: list[Codes]) -> IsolationCertificate | None:
    """Bounds of the columns of each state that are an invariant and leave out the cut point; None if none are found."""
    bounds = _float_bounds(columns, met, steps)
    if bounds is None:
        return None
    simple = [Fraction(x).limit_denominator(SIMPLE) for x in bounds.flat]
    grid = lcm(*(x.denominator for x in simple))
    tried = [(grid, 1, [int(x * grid) for x in simple])] if _are_near(simple, bounds) else []
    low, high = bounds * GRID
    tried.append((GRID, ROUNDS, [int(x) for x in (*np.floor(low).flat, *np.ceil(high).flat)]))
    for grid, rounds, values in tried:
        low, high = np.array(values, dtype=object).reshape(bounds.shape)
        if _widened(columns.acceptor, np.array(steps), low, high, rounds):
            low, high = ([[Fraction(x, grid) for x in row] for row in side.tolist()] for side in (low, high))
            distance = _distance(columns, np.array(low), np.array(high))
            if distance > 0:
                rows = (tuple(map(tuple, side)) for side in (low, high))
                return IsolationCertificate(columns.acceptor, columns.cut_point, distance, tuple(steps), *rows)
    return None


def _are_near(simple: list[Fraction], bounds: Floats) -> bool:
    return bool(np.abs(np.array(simple, dtype=np.float64) - bounds.ravel()).max() < NEAR)


def _float_bounds(columns: SuffixColumns, met: Floats, steps: list[Codes]) -> Floats | None:
    """Smallest and largest entries ``[2, k, s]`` of the columns of each state; None if the cut point is between."""
    acceptor, level = columns.acceptor, float(columns.near_cut_point)
    bounds, after = np.stack([met, -met]), np.array(steps)  # the second half is of minus the columns: smallest both
    for _ in range(SWEEPS):
        before = bounds.copy()
        for a, matrix in enumerate(acceptor.transitions):
            for side, images in zip(bounds, before @ matrix.T, strict=True):
                np.minimum.at(side, after[:, a], images)
        smallest, largest = bounds @ acceptor.initial * [[1], [-1]]
        if ((smallest <= level) & (level <= largest)).any():
            return None
        if (before - bounds).max() < CONVERGED:
            break
    both: Floats = bounds * np.array([1.0, -1.0])[:, None, None]
    return both


def _widened(acceptor: Acceptor, after: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any], rounds: int) -> bool:
    """Widen bounds in whole numbers, in place, until products with the matrices stay within; whether they do."""
    from flint import fmpz_mat  # noqa: PLC0415

    integers = acceptor.integers
    for _ in range(rounds):
        previous = low.copy(), high.copy()
        for a, (matrix, below) in enumerate(zip(integers.matrices, integers.denominators, strict=True)):
            for bound, sign, narrower in ((low, 1, np.minimum), (high, -1, np.maximum)):
                images = (matrix * fmpz_mat((sign * bound).T.tolist())).tolist()
                floors = sign * np.array([[int(x // below) for x in row] for row in images], dtype=object).T
                narrower.at(bound, after[:, a], floors)
        if (low == previous[0]).all() and (high == previous[1]).all():
            return True
    return False


def _distance(columns: SuffixColumns, low: NDArray[Any], high: NDArray[Any]) -> Fraction:
    """How far the acceptances of all states are from the cut point, at least; not above 0 if they may meet it."""
    cut_point, initial = columns.cut_point, columns.acceptor.exact_initial
    below, above = (cut_point,) * 2 if isinstance(cut_point, Fraction) else cut_point.interval(Fraction(1, 2**200))
    return Fraction(min(max(x - above, below - y) for x, y in zip(low @ initial, high @ initial, strict=True)))


def isolated_dfa(
    acceptor: Acceptor, cut_point: CutPoint, isolation: Fraction, max_states: int, callback: Callback
) -> DFA | Unknown:
    r"""Minimal DFA of a language whose cut point is isolated: no acceptance within :math:`\delta` of it (Rabin).

    Acceptances of xz and yz differ by at most half of :math:`\|\pi P(x) - \pi P(y)\|_1`; if that is less than
    :math:`2\delta` both lie on the same side of the cut point. So words whose distributions differ by less than
    :math:`4\delta` in the 1-norm have the same future, and breadth-first exploration of such words closes.
    """
    words: list[Codes] = [()]  # with different distributions, each in a row
    rows = acceptor.initial[np.newaxis].copy()

    def after(state: int) -> list[int]:
        """Number of the word that stands for each word that is one symbol longer."""
        nonlocal rows
        rounding = 8.0 * (len(words[state]) + 2) * (acceptor.n_states + 2) * 2.0**-53
        nearest = 4 * float(isolation) * (1 - 2.0**-50) - rounding
        found = []
        for symbol, matrix in enumerate(acceptor.transitions):
            row = step(rows[state], matrix)
            near = np.flatnonzero(np.abs(rows[: len(words)] - row).sum(axis=1) < nearest)
            found.append(int(near[0]) if near.size else len(words))
            if not near.size:
                if len(words) == len(rows):
                    rows = np.concatenate([rows, np.empty_like(rows)])
                rows[len(words)] = row
                words.append((*words[state], symbol))
        return found

    met, steps, closed = closure(0, after, max_states, callback)
    if not closed:
        return undecided(len(met), max_states, cut_point, "distribution")
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
