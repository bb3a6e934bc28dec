r"""Minimal DFAs of cut-point languages with proof: by the support of the matrices, and by exact residuals.

The residual of a suffix z is the function :math:`y \mapsto \pi P(y)\, (P(z) f - \lambda 1)` of prefixes y, up to a
positive factor: its signs say which prefixes make words of the language. Two columns are one residual if they agree on
the space of the rows :math:`\pi P(y)`, so it does not matter how many states compute the acceptances, or how.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet
from cutpoint.decision.certificates import ResidualCertificate, SupportCertificate
from cutpoint.decision.dfa import DFA, Unknown, closure
from cutpoint.decision.equivalence import as_row_space
from cutpoint.decision.suffix_columns import ACCEPTS_ALL, ACCEPTS_NONE, Column, Residual, SuffixColumns
from cutpoint.exact import SIGNS, CutPoint, fractions
from cutpoint.exact.numbers import from_flint
from cutpoint.exact.recursions import rational_matrix
from cutpoint.exact.spans import Codes, row_space
from cutpoint.model import Acceptor
from cutpoint.model.text import cut_point_text
from cutpoint.wording import counted

if TYPE_CHECKING:
    from flint import fmpz_mat

Callback = Callable[[int], object]

N_ROWS = 20  # rows of short words at which a residual is tried before a linear program bounds its signs
CLOSE = 1e-7  # what a linear program leaves of an inequality that it meets with equality


def support_dfa(columns: SuffixColumns, max_states: int, callback: Callback) -> DFA | Unknown:
    """Minimal DFA of the language at the cut point 0 or 1; at 1, float rows count as if they summed to exactly 1.

    Which entries are positive decides: the subset construction closes with at most :math:`2^l` sets of states.
    """
    acceptor = columns.acceptor
    inside, outside, moves = bits(acceptor.final), bits(~acceptor.final), supports(acceptor)

    def onward(subset: int) -> list[int]:
        return [image(subset, successors) for successors in moves]

    def belongs(subset: int) -> bool:
        """Whether words that reach these states, and no others, are in the language."""
        sign = -bool(subset & outside) if columns.cut_point else bool(subset & inside)
        return sign in SIGNS[columns.relation]

    subsets, steps, closed = closure(bits(acceptor.initial > 0), onward, max_states, callback)
    if not closed:
        return Unknown(
            len(subsets),
            f"unknown: {_explored(len(subsets), max_states, 'set', ' of states')}. The language is regular: a larger "
            "max_states will do.",
        )
    final = frozenset(k for subset, k in subsets.items() if belongs(subset))
    dfa = DFA(acceptor.alphabet, tuple(steps), 0, final).minimize()
    if columns.cut_point and not acceptor.is_stochastic:
        return dfa
    return replace(dfa, certificate=SupportCertificate(acceptor, columns.cut_point, columns.relation))


class Residuals:
    """Residuals of an acceptor at a cut point, as functions on the rows that words reach."""

    def __init__(self, columns: SuffixColumns) -> None:
        self.columns = columns
        self.span = row_space(columns.acceptor.integers)
        self.basis = self.span.basis
        self.reached = [s for s in range(columns.acceptor.n_states) if any(self.basis[:, s])]
        self.free = [s for s in self.reached if s not in self.span.pivots]
        self.extreme_rows: list[NDArray[np.float64]] = []  # at the pivots, where linear programs ended without a proof
        self.decisive_rows: list[NDArray[Any]] = []  # the same exactly: rows of the space without negative entries
        self.lifted: dict[Column, NDArray[Any]] = {}
        """For columns that a linear program shows to be sinks, one with the same residual and entries on one side."""
        self.first: dict[Residual, tuple[Column, Codes]] = {}
        """For each residual the first column and its suffix."""

    def dfa(self, max_states: int, callback: Callback) -> DFA | Unknown:
        """Minimal DFA of the language, if the exploration of residuals closes.

        They are the states of a DFA for the words read from the back. Reversing a DFA whose states are all reachable,
        and taking sets, gives the minimal DFA (Brzozowski).
        """
        columns = self.columns

        def met(column: Column, suffix: Codes) -> Residual:
            residual = self.residual(column)
            self.first.setdefault(residual, (column, suffix))
            return residual

        def before(residual: Residual) -> list[Residual]:
            column, suffix = self.first[residual]
            if residual in (ACCEPTS_ALL, ACCEPTS_NONE):
                return [residual] * columns.acceptor.n_symbols
            return [met(longer, (a, *suffix)) for a, longer in enumerate(columns.before(column))]

        numbers, steps, closed = closure(met(columns.start, ()), before, max_states, callback)
        if not closed:
            return undecided(len(numbers), max_states, columns.cut_point, "residual")
        firsts = ((k, self.first[residual][0]) for residual, k in numbers.items())
        accepting = [k for k, column in firsts if columns.has(columns.acceptance(column))]
        dfa = reversed_dfa(columns.acceptor.alphabet, steps, accepting, max_states, callback)
        return replace(dfa, certificate=self._certificate(numbers, steps)) if isinstance(dfa, DFA) else dfa

    def _certificate(self, numbers: dict[Residual, int], steps: list[Codes]) -> ResidualCertificate:
        """The table of residuals, those that are no sinks first; a start that is a sink is taken as if it were none."""
        columns = self.columns
        states = [key for key in numbers if key not in (ACCEPTS_ALL, ACCEPTS_NONE)] or list(numbers)
        places = {numbers[key]: place for place, key in enumerate(states) if key in self.first}
        sinks = {numbers.get(ACCEPTS_ALL): len(states), numbers.get(ACCEPTS_NONE): len(states) + 1}
        places |= {number: place for number, place in sinks.items() if number is not None}
        lifted = []
        for k, residual in enumerate(states if self.lifted else ()):
            column, _ = self.first[residual]
            for a, longer in enumerate(columns.before(column)):
                if residual in (ACCEPTS_ALL, ACCEPTS_NONE) and column in self.lifted:
                    lifted.append((k, a, tuple(columns.acceptor.exact_transitions[a] @ self.lifted[column])))
                elif longer in self.lifted:
                    lifted.append((k, a, tuple(self.lifted[longer])))
        table = tuple(tuple(places[after] for after in steps[numbers[residual]]) for residual in states)
        suffixes = tuple(self.first[residual][1] for residual in states)
        rows = as_row_space(self.span)
        parts = (columns.acceptor, columns.cut_point, columns.relation)
        return ResidualCertificate(*parts, rows, suffixes, table, tuple(lifted))

    def residual(self, column: Column) -> Residual:
        """The column as a function on rows, up to a positive factor, or one of the two sinks."""
        from flint import fmpz_mat  # noqa: PLC0415

        if (side := self.sink(column)) is not None:
            return ACCEPTS_ALL if side else ACCEPTS_NONE
        *entries, denominator = column
        cut_point = self.columns.cut_point
        if isinstance(cut_point, Fraction):
            entries = [cut_point.denominator * x - cut_point.numerator * denominator for x in entries]
        values = [int(x) for x in (self.span.rows * fmpz_mat(len(entries), 1, entries)).entries()]
        if not isinstance(cut_point, Fraction):  # then no two columns are multiples of each other unless they are equal
            values.append(int(self.span.denominator) * denominator)
        return self.columns.up_to_factor(values)

    def sink(self, column: Column) -> bool | None:
        """True if every prefix is accepted before this suffix, False if none is, None if that is not proven."""
        from flint import fmpz_mat  # noqa: PLC0415

        *entries, denominator = column
        signs = [self._sign(entries[s], denominator) for s in self.reached]
        verdict = self.columns.verdict(min(signs), max(signs))
        if verdict is None and self.free:  # the entries of other columns with the same residual may be on one side
            rows, sums = self.short_rows
            at_rows = zip((rows * fmpz_mat(len(entries), 1, entries)).entries(), sums, strict=True)
            signs = [self._sign(int(value), below * denominator) for value, below in at_rows]
            likely = self.columns.verdict(min(signs), max(signs))
            side = max(signs) or min(signs) or (1 if likely else -1)
            if likely is not None and (other := self._lifted(column, side, likely)) is not None:
                self.lifted[column] = other
                return likely
        return verdict

    def _lifted(self, column: Column, side: int, verdict: bool) -> NDArray[Any] | None:
        r"""Column :math:`w` with :math:`rw = rc` for all reached rows r and entries that prove a verdict on all words.

        Its entries at the pivots follow from those at other states, which a linear program chooses such that the
        smallest (``side=1``) or largest entry is as far on the side as can be. What it finds is checked exactly.
        """
        from scipy.optimize import linprog  # noqa: PLC0415

        *entries, denominator = column
        level = self.columns.near_cut_point
        target = self.basis @ np.array([side * (Fraction(x, denominator) - level) for x in entries], dtype=object)
        scale = max(map(abs, target)) or Fraction(1)
        target, factors = target / scale, self.basis[:, self.free]
        if any(float(row @ target.astype(float)) < -CLOSE for row in self.extreme_rows):
            return None
        for row in self.decisive_rows:
            sign = self.columns.sign(level + side * (row @ target))
            if self.columns.verdict(sign, sign) is not verdict:
                return None
        # Unknown: w at the free states, then t. Maximize t with w >= t there and target - factors w >= t at the pivots.
        n_free, n_pivots = len(self.free), len(target)
        left = np.block([[-np.eye(n_free), np.ones((n_free, 1))], [factors.astype(float), np.ones((n_pivots, 1))]])
        right = np.concatenate([np.zeros(n_free), target.astype(float)])
        found: Any = linprog(
            np.append(np.zeros(n_free), -1.0), A_ub=left, b_ub=right, bounds=(None, None), method="highs"
        )
        if found.status:
            return None
        if found.fun > CLOSE:  # at this row, a reached one or not, the bound ends on the other side
            self.extreme_rows.append(-found.ineqlin.marginals[n_free:])
            return None
        equations = np.column_stack([fractions(left), np.concatenate([fractions(np.zeros(n_free)), target])])
        equations[n_free:, :n_free] = factors
        for chosen in (_rounded(found.x), _with_equality(equations[found.slack < CLOSE], found.x)):
            lifted: NDArray[Any] = np.full(len(entries), Fraction(1), dtype=object)  # unreachable states play no part
            lifted[self.free], lifted[list(self.span.pivots)] = chosen[:-1], target - factors @ chosen[:-1]
            lifted = level + side * scale * lifted
            signs = [self.columns.sign(x) for x in lifted]
            if self.columns.verdict(min(signs), max(signs)) is verdict:
                return lifted
        decisive = _rounded(-found.ineqlin.marginals[n_free:])
        entries = decisive @ self.basis
        if isinstance(self.columns.cut_point, Fraction) and min(entries) >= 0 < sum(entries):
            self.decisive_rows.append(decisive)  # columns with one residual have one value there
        return None

    def _sign(self, numerator: int, denominator: int) -> int:
        """Sign of a quotient, an acceptance of words, minus the cut point."""
        cut_point = self.columns.cut_point
        if not isinstance(cut_point, Fraction):
            return self.columns.sign(Fraction(numerator, denominator))
        above = cut_point.denominator * numerator - cut_point.numerator * denominator
        return (above > 0) - (above < 0)

    @cached_property
    def short_rows(self) -> tuple[fmpz_mat, list[int]]:
        """Rows of short words in integers without a common factor, each once, and their sums."""
        from flint import fmpz_mat  # noqa: PLC0415

        integers, found = self.columns.acceptor.integers, dict[tuple[int, ...], int]()
        for row in (queue := [integers.initial]):
            divisor = gcd(*(values := [int(x) for x in row.entries()]))
            key = tuple(x // divisor for x in values)
            if key not in found:
                found[key] = sum(key)
                queue += [row * matrix for matrix in integers.matrices]
            if len(found) == N_ROWS:
                break
        return fmpz_mat(list(map(list, found))), list(found.values())


def _rounded(values: NDArray[np.float64]) -> NDArray[Any]:
    return np.array([Fraction(value).limit_denominator(10**6) for value in values], dtype=object)


def _with_equality(equations: NDArray[Any], near: NDArray[np.float64]) -> NDArray[Any]:
    """Solution of linear equations, their right sides in the last column; what they leave open is as in ``near``."""
    echelon, rank = rational_matrix(equations).rref()
    rows = [list(map(from_flint, row)) for row in echelon.tolist()[:rank]]
    values = _rounded(near)
    for row in reversed(rows):
        pivot = next(j for j, x in enumerate(row) if x)
        if pivot < len(values):
            values[pivot] = row[-1] - sum(row[j] * values[j] for j in range(pivot + 1, len(values)))
    return values


def undecided(explored: int, limit: int, cut_point: CutPoint, kind: str) -> Unknown:
    """What is known when an exploration does not close: it reached its limit, or was interrupted before."""
    return Unknown(
        explored,
        f"unknown: {_explored(explored, limit, kind, f' at the cut point {cut_point_text(cut_point)}')}. Whether "
        "the language is regular is not decided; whether a word belongs to it is, for every word. Where acceptances "
        "stay away from the cut point, to_dfa(isolation=L.isolation()) can prove the DFA.",
    )


def _explored(explored: int, limit: int, kind: str, where: str = "") -> str:
    """How far an exploration came, and why not farther."""
    ended = "and there are more" if explored >= limit else "then it was interrupted"
    return f"{counted(explored, kind)}{where} {'was' if explored == 1 else 'were'} explored, {ended}"


def reversed_dfa(
    alphabet: Alphabet, steps: list[Codes], accepting: list[int], max_states: int, callback: Callback | None = None
) -> DFA | Unknown:
    """DFA of the reversed words of a DFA (state 0 first), by the subset construction; subsets are bit sets."""
    backward = [[0] * len(steps) for _ in alphabet]
    for state, row in enumerate(steps):
        for symbol, after in enumerate(row):
            backward[symbol][after] |= 1 << state

    def onward(subset: int) -> list[int]:
        return [image(subset, into) for into in backward]

    subsets, transitions, closed = closure(sum(1 << state for state in accepting), onward, max_states, callback)
    if not closed:
        return Unknown(
            len(subsets),
            f"unknown: the language is regular, with {counted(len(steps), 'state')} for its words read from the back, "
            f"but read from the front its DFA has more than {counted(len(subsets), 'state')}. Increase max_states.",
        )
    final = frozenset(number for subset, number in subsets.items() if subset & 1)
    return DFA(alphabet, tuple(transitions), 0, final)


def bits(members: NDArray[np.bool_]) -> int:
    """Set of states as the bits of a number."""
    return sum(1 << int(state) for state in np.flatnonzero(members))


def supports(acceptor: Acceptor) -> list[list[int]]:
    """For each symbol and state the set of states that may follow."""
    return [[bits(row > 0) for row in matrix] for matrix in acceptor.transitions]


def image(states: int, successors: Sequence[int]) -> int:
    """Union of the successors of a set of states."""
    return reduce(or_, (after for state, after in enumerate(successors) if states >> state & 1), 0)
