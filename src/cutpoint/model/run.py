"""A run of an acceptor on a word that is still being read: one case, event by event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cutpoint.data import PlainWord, State, Symbol
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import CutPoint, compared, cut_point_value, whole_number
from cutpoint.exact.recursions import lowest_terms, quotients
from cutpoint.kernels.reference import dot, negligible
from cutpoint.kernels.sparse_matrices import entries_of
from cutpoint.kernels.words import Floats, Masks
from cutpoint.model.text import cut_point_text
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from flint import fmpz, fmpz_mat

    from cutpoint.model.acceptor import Acceptor

UNDERFLOW = 1e-300  # more than a step can lose below the smallest floats
LOSS_ALLOWED = 1e-30  # if more of the distribution may be lost, it is computed again over the rationals
CLOSE = 1e-20  # distance from the cut point at which such a loss could matter
MOST_EXPLORED = 4096  # continuations that `decided` looks at one by one before it gives up
LONGEST_PROVEN = 10_000  # most symbols ahead of a proof: its columns are kept

Codes = tuple[int, ...]


@dataclass(frozen=True)
class FinalVerdict:
    """A proof that no continuation of at most ``max_more`` symbols changes the verdict.

    Attributes
    ----------
    accepted : the verdict.
    bound : every continuation has at least this acceptance if it is accepted, otherwise at most this; rounded.
    """

    accepted: bool
    max_more: int
    bound: float

    def __str__(self) -> str:
        side = "accepted, at least" if self.accepted else "not accepted, at most"
        return f"{side} {self.bound:.6g} for every continuation of up to {counted(self.max_more, 'symbol')}"


class Run:
    r"""A run on a word that is still being read: the distribution :math:`\alpha` over states after each symbol.

    .. math:: \alpha_0 = \pi, \qquad \alpha_i = \alpha_{i-1} P(x_i)

    What is seen of the run on the way, a verdict or states, conditions the distribution: entries of states that are
    ruled out become 0, and the others are divided by their sum. Made by :meth:`Acceptor.run`. A symbol costs
    :math:`O(l^2)`; all symbols are kept, so that verdicts close to the cut point can be decided by rational numbers.

    Examples
    --------
    >>> run = cp.p_adic(2).run(cut_point="1/2")
    >>> run.read("1").read("1")
    <Run: '11' read, acceptance 0.75, accepted at 1/2>
    >>> print(run.decided(1))
    None
    >>> run.see(accepted=True).distribution
    array([0., 1.])
    """

    acceptor: Acceptor
    cut_point: CutPoint | None

    def __init__(self, acceptor: Acceptor, cut_point: Any = None) -> None:
        self.acceptor = acceptor
        self.cut_point = None if cut_point is None else cut_point_value(cut_point)
        self._row: Floats = acceptor.initial
        self._steps: list[int | Masks] = []  # codes of symbols, and masks of what was seen
        self._seen = 0  # how many of these are masks
        self._lost = 0.0  # of the distribution, below the smallest floats
        self._negligible = negligible(entries_of(acceptor.stored))

    def read(self, symbol: Symbol) -> Self:
        """Read a symbol, and return the run itself; an unknown one changes nothing, or is read as a rare one."""
        code = self.acceptor.alphabet.read_as(symbol, f"position {len(self)}: ")
        if code is None:
            return self
        if self._row.min(where=self._row > 0.0, initial=1.0) < self._negligible:
            self._lost += UNDERFLOW
        self._row = self.acceptor.to_weighted().step(self._row, code)
        self._steps.append(code)
        return self

    def see(self, accepted: bool | None = None, states: State | set[State] | None = None) -> Self:
        """Take into account what is known of the state now; what is impossible is refused and changes nothing.

        Parameters
        ----------
        accepted : whether the word read so far was accepted; None if that is not known.
        states : the state, or a set of states of which it is one; None if that is not known.

        Examples
        --------
        >>> run = cp.p_adic(2).run().read("1")
        >>> run.see(states="s1").acceptance
        0.0
        """
        mask = self.acceptor.possible_ends(accepted) & self.acceptor.states.mask(states)
        if mask.all():
            return self
        row = np.where(mask, self._row, 0.0)
        total, lost = float(row.sum()), self._lost
        if total <= lost / LOSS_ALLOWED:  # so little is left that what was lost might count
            numerators, below = self.acceptor.integers.conditioned([*self._steps, mask])
            if below:
                row, total, lost = quotients(numerators, below).ravel().astype(np.float64), 1.0, UNDERFLOW
        if not total:
            raise ImpossibleObservation(f"what was seen has probability 0 after {self._place()}: the run is unchanged.")
        self._row, self._lost = row / total, lost / total
        self._steps.append(mask)
        self._seen += 1
        return self

    def copy(self) -> Self:
        """A run that stands at the same place and goes on by itself."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _steps=self._steps.copy())
        return twin

    __copy__ = copy

    def __len__(self) -> int:
        """Number of symbols read."""
        return len(self._steps) - self._seen

    def __bool__(self) -> bool:
        """A run is a run, also before its first symbol."""
        return True

    @property
    def word(self) -> PlainWord:
        """Symbols read so far."""
        return self.acceptor.alphabet.decode([step for step in self._steps if isinstance(step, int)])

    @property
    def distribution(self) -> Floats:
        """Probability of each state now, given what was seen."""
        return self._row.copy()

    @property
    def acceptance(self) -> float:
        """Probability that the word read so far is accepted, given what was seen on the way."""
        return float(dot(self._row, self.acceptor.to_weighted().final))

    @property
    def exact_acceptance(self) -> Fraction:
        """The acceptance as a rational number; floats count as their exact binary values."""
        row, below = self._exact_row()
        return lowest_terms((row * self.acceptor.integers.final)[0, 0], below)

    @property
    def accepts(self) -> bool:
        """Whether the acceptance lies above the cut point, strictly; never wrong by rounding."""
        return self._exceeds(self.acceptance, 0, lambda: self.exact_acceptance)

    def decided(self, max_more: int) -> FinalVerdict | None:
        r"""Proof that no continuation of at most ``max_more`` symbols changes the verdict, or None without a proof.

        Continuations are bounded all together by the columns

        .. math:: h_{k+1}(s) = \min_a \sum_t P(a)[s,t] \min(f(t), h_k(t)), \qquad h_0 = f,

        if the word is accepted now, otherwise with max in place of min. Where the bound does not decide, continuations
        are told apart by their next symbol, up to some thousands of them. None means that a continuation
        changes the verdict, or that there were too many to look at. Certified like :attr:`accepts`. One product of
        :math:`O(l)` if the bound decides; the columns are kept with the acceptor.

        Examples
        --------
        >>> run = cp.p_adic(2).run(cut_point="1/4").read("1").read("1")
        >>> run.decided(1)
        FinalVerdict(accepted=True, max_more=1, bound=0.375)
        >>> run.decided(2) is None  # "1100" has acceptance 3/16
        True
        """
        most, accepted = whole_number("max_more", max_more, 0, LONGEST_PROVEN), self.accepts
        prefixes: list[tuple[Codes, Floats]] = [((), self._row)]
        proven: list[float] = [self.acceptance]  # bounds of what lies on the side of the verdict
        for remaining in range(most, 0, -1):
            bounds = [self._bound(accepted, *prefix, remaining) for prefix in prefixes]
            proven += [bound for bound in bounds if bound is not None]
            unclear = [prefix for prefix, bound in zip(prefixes, bounds, strict=True) if bound is None]
            if len(proven) + len(unclear) * self.acceptor.n_symbols > MOST_EXPLORED:
                return None
            prefixes = [
                ((*codes, a), after)
                for codes, row in unclear
                for a in range(self.acceptor.n_symbols)
                for after in [self.acceptor.to_weighted().step(row, a)]
            ]
            for prefix in prefixes:
                if (value := self._bound(accepted, *prefix, 0)) is None:
                    return None
                proven.append(value)
        return FinalVerdict(accepted, most, min(proven) if accepted else max(proven))

    def _bound(self, accepted: bool, codes: Codes, row: Floats, remaining: int) -> float | None:
        """Bound of the continuations that begin with some symbols, None if it does not prove the verdict."""
        bounds = self.acceptor.completion_bounds[accepted]
        bound = float(dot(row, bounds.column(remaining)))
        exact = lambda: bounds.exact_product(*self._exact_row(codes), remaining)  # noqa: E731
        return bound if self._exceeds(bound, len(codes) + remaining, exact) == accepted else None

    def _exceeds(self, estimate: float, more: int, exact: Callable[[], Fraction]) -> bool:
        """Whether the number behind an estimate, made with so many more steps, lies above the cut point."""
        if self.cut_point is None:
            raise InvalidArgument("this run has no cut point to decide at.", advice="Start it with {cut_point}.")
        if self._lost and abs(estimate - float(self.cut_point)) < CLOSE:
            return exact() > self.cut_point
        # Relative errors of single entries add up step by step; that of a sum by which all were divided comes on top.
        length = 2 * (len(self._steps) + 1) if self._seen else len(self._steps)
        return compared(estimate, length + more, self.acceptor.n_states, self.cut_point, exact) > 0

    def _exact_row(self, more: Codes = ()) -> tuple[fmpz_mat, fmpz]:
        """Distribution after some more symbols, as numerators and their denominator."""
        return self.acceptor.integers.conditioned([*self._steps, *more])

    def _place(self) -> str:
        """What was read, and how often something was seen."""
        seen = f" with {counted(self._seen, 'observation')}" if self._seen else ""
        return f"{shown(self.word) if len(self) else 'the empty word'}{seen}"

    def __repr__(self) -> str:
        verdict = ""
        if self.cut_point is not None:
            verdict = f", {'accepted' if self.accepts else 'not accepted'} at {cut_point_text(self.cut_point)}"
        return f"<Run: {self._place()} read, acceptance {self.acceptance:.6g}{verdict}>"
