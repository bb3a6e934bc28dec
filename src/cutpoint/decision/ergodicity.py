r"""Ergodicity of the matrices of an acceptor: how soon it forgets the beginning of a word.

The Dobrushin coefficient :math:`\tau(P) = \frac12 \max_{s,t} \|P_s - P_t\|_1` is at most 1, and
:math:`\tau(PQ) \le \tau(P)\,\tau(Q)`. It is below 1 iff P is *scrambling*: any two rows are positive in some column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord
from cutpoint.decision.acceptor_value import rounded
from cutpoint.decision.dfa import DFA, Node, Unknown, closure
from cutpoint.decision.residuals import image, reversed_dfa, supports
from cutpoint.decision.suffix_columns import ACCEPTS_ALL, ACCEPTS_NONE, LIMIT, Column, SuffixColumns
from cutpoint.errors import InvalidArgument
from cutpoint.exact import cut_point_value, finite_number, whole_number
from cutpoint.exact.recursions import Fractions, rational_matrix
from cutpoint.exact.spans import Codes
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.text import number
from cutpoint.wording import counted, plain, shown

GRID = 2**53  # floats are rounded to multiples of 1 / GRID so that rows sum to exactly 1
MOST_PAIRS = 20_000  # pairs of disjoint sets of states that are followed
MOST_PRODUCTS = 4096  # products of matrices whose coefficients are compared

Integers = NDArray[Any]  # of Python's integers
Pair = tuple[int, ...]  # two sets of states as bits
START: Pair = (-1, -1)  # before the first symbol: any two states
END = ()  # where nothing is left to follow


@dataclass(frozen=True, repr=False)
class Ergodicity:
    r"""How an acceptor forgets. Fractions for exact acceptors; of floats, rounded to rows that sum to 1, floats.

    ``coefficients`` are Dobrushin's of each P(a), in the order of the alphabet. ``sia`` says which P(a) are SIA: their
    powers converge to a matrix of equal rows. ``order`` is the least k such that all products of k matrices are
    scrambling; None if there is no such k, and then no power of P(``never_scrambling``) is; :class:`Unknown` if the
    limit was reached. ``order_coefficient`` is the largest coefficient of those products, None if there are too many of
    them; ``definite_order`` the least k such that all products of k matrices have equal rows, None if there is none.
    """

    acceptor: Acceptor
    coefficients: tuple[Fraction | float, ...]
    sia: tuple[bool, ...]
    order: int | Unknown | None
    never_scrambling: PlainWord | None
    order_coefficient: Fraction | float | None
    definite_order: int | None

    @property
    def is_scrambling(self) -> bool:
        """Whether each P(a) is scrambling."""
        return self.order == 1

    @property
    def is_definite(self) -> bool:
        """Whether the last symbols alone, some fixed number of them, decide the acceptance of longer words."""
        return self.definite_order is not None

    @property
    def is_quasi_definite(self) -> bool | Unknown:
        """Whether they decide it as nearly as one likes; iff all products of matrices are SIA (Wolfowitz, Paz)."""
        return self.order if isinstance(self.order, Unknown) else self.order is not None

    def bound(self, length: int) -> Fraction | float:
        r"""Bound :math:`\tau_k^{\lfloor n/k \rfloor}` of :math:`|p(xy) - p(zy)|` for all x, z, and y of n symbols."""
        n = whole_number("length", length, least=0, most=10**6)
        if self.definite_order is not None and n >= self.definite_order:
            return Fraction(0) if self.acceptor.is_exact else 0.0
        if self.order_coefficient is None or not isinstance(self.order, int):
            base, times = max(self.coefficients), n
        else:
            base, times = self.order_coefficient, n // self.order
        power = base**times
        return power if isinstance(power, Fraction) or times < 2 else math.nextafter(power, 1.0)

    def last_symbols(self, epsilon: Any, limit: int = LIMIT) -> int | Unknown | None:
        r"""Number n of last symbols that fix the acceptance: :math:`|p(xy) - p(zy)| \le \varepsilon`.

        For all words x, z, and y of at least n symbols. It is the least n for which the entries of every column P(y)f
        are as near to each other, found by following the suffixes whose entries are not. None if some of them go round
        in a circle: then words of any length may differ by more. If there are more than ``limit`` suffixes, n comes
        from :meth:`bound`.

        Examples
        --------
        >>> cp.ergodicity(cp.p_adic(2)).last_symbols("1/1000")
        10
        """
        width = _width(epsilon)
        columns = SuffixColumns(_stochastic(self.acceptor), Fraction(0))

        def node(column: Column) -> Column:
            low, high = columns.bounds(column, 0)
            return END if high - low <= width else column

        def before(column: Column) -> list[Column]:
            return [node(longer) for longer in columns.before(column)] if column else []

        found = _longest_path(node(columns.start), before, whole_number("limit", limit, least=1))
        if isinstance(found, Unknown):
            return self._by_bound(width) or found
        return found if isinstance(found, int) else None

    def definite_dfa(self, cut_point: Any, epsilon: Any = 0, max_states: int = 10_000) -> DFA | Unknown:
        r"""Minimal DFA that looks at the last symbols only, right wherever :math:`|p(x) - \lambda| > \varepsilon / 2`.

        Suffixes y are continued to the front until all entries of P(y)f are on one side of the cut point, or differ by
        at most :math:`\varepsilon`. With :math:`\varepsilon = 0` the DFA is that of the language :math:`p > \lambda`,
        provided that it ends: :class:`Unknown` otherwise.

        Examples
        --------
        >>> cp.ergodicity(cp.p_adic(2)).definite_dfa("1/3", epsilon="1/8")
        <DFA: 4 states, 2 symbols, 3 final>
        """
        width, level = _width(epsilon), cut_point_value(cut_point)
        columns = SuffixColumns(_stochastic(self.acceptor), level)

        def node(column: Column) -> Column:
            low, high = columns.bounds(column, 0)
            if low > level or high <= level or high - low <= width:
                return ACCEPTS_ALL if (low + high) / 2 > level else ACCEPTS_NONE
            return column

        def before(column: Column) -> list[Column]:
            if column in (ACCEPTS_ALL, ACCEPTS_NONE):
                return [column] * self.acceptor.n_symbols
            return [node(longer) for longer in columns.before(column)]

        most = whole_number("max_states", max_states, least=1)
        met, steps, closed = closure(node(columns.start), before, most)
        if not closed:
            return Unknown(
                len(met),
                f"unknown: {len(met):,} suffixes with acceptances on both sides of the cut point were explored, and "
                "there are more. Increase epsilon or max_states.",
            )
        accepting = [
            k
            for column, k in met.items()
            if column == ACCEPTS_ALL or (column != ACCEPTS_NONE and columns.acceptance(column) > level)
        ]
        return reversed_dfa(self.acceptor.alphabet, steps, accepting, most)

    def _by_bound(self, width: Fraction) -> int | None:
        """A number of last symbols by the coefficient of products, if there is one."""
        if self.order_coefficient is None or not isinstance(self.order, int) or not width:
            return self.definite_order
        if not (left := Fraction(self.order_coefficient)):
            return self.order
        ratio = (math.log(width.numerator) - math.log(width.denominator)) / math.log1p(-float(1 - left))
        return self.order * (int(ratio * (1 + 1e-12)) + 1)

    def __repr__(self) -> str:
        pairs = zip(self.acceptor.alphabet[:8], self.coefficients, strict=False)
        each = ", ".join(f"{plain(symbol)}: {number(tau)}" for symbol, tau in pairs)
        more = ", …" if len(self.coefficients) > 8 else ""
        return f"<Ergodicity: {self._kind()}; coefficients {each}{more}>"

    def _kind(self) -> str:
        if isinstance(self.order, Unknown):
            return "whether quasi-definite is unknown"
        if self.order is None:
            return f"not quasi-definite, no power of the matrix of {shown(self.never_scrambling)} is scrambling"
        if self.definite_order is not None:
            return f"definite, decided by the last {counted(self.definite_order, 'symbol')}"
        tau = "" if self.order_coefficient is None else f", with coefficients up to {number(self.order_coefficient)}"
        return f"quasi-definite, products of {self.order} are scrambling{tau}"


def ergodicity(acceptor: Acceptor, limit: int = MOST_PAIRS) -> Ergodicity:
    r"""Whether, and how soon, an acceptor forgets how a word began.

    If all products of k matrices are scrambling, with coefficients up to :math:`\tau_k`, then for all words x, y, z

    .. math:: |p(xy) - p(zy)| \le \tau_k^{\lfloor |y| / k \rfloor}

    A product is not scrambling iff two states lead to disjoint sets of states along its word, so k is found by
    following pairs of disjoint sets: there are at most :math:`(3^l - 2^{l+1} + 1) / 2`, and no k exists iff they go
    round in a circle.

    Parameters
    ----------
    limit : pairs of sets that are followed, at most; beyond it ``order`` is :class:`Unknown` unless a circle was met.

    Returns
    -------
    :class:`Ergodicity`.

    Notes
    -----
    Sources: Wolfowitz, *Products of indecomposable, aperiodic, stochastic matrices*, Proc. Amer. Math. Soc. 14 (1963);
    Paz, *Introduction to Probabilistic Automata* (1971), chapter II.

    Examples
    --------
    >>> cp.ergodicity(cp.p_adic(2))
    <Ergodicity: quasi-definite, products of 1 are scrambling, with coefficients up to 1/2; coefficients 0: 1/2, 1: 1/2>
    >>> cp.ergodicity(cp.gallery.parity())
    <Ergodicity: not quasi-definite, no power of the matrix of '0' is scrambling; coefficients 0: 1, 1: 1>
    """
    check_acceptor(acceptor)
    exact, most = _stochastic(acceptor), whole_number("limit", limit, least=1)
    coefficients = [_coefficient(*product) for product in _products(exact)]
    order, circle = (1, None) if max(coefficients) < 1 else _scrambling_order(exact, most)

    def shown_as(tau: Fraction) -> Fraction | float:
        return tau if acceptor.is_exact else rounded(tau, math.inf)

    largest = _largest_coefficient(exact, order) if isinstance(order, int) else None
    return Ergodicity(
        acceptor,
        tuple(map(shown_as, coefficients)),
        tuple(exact.chain((symbol,), exact=True).is_ergodic for symbol in exact.alphabet),
        order,
        None if circle is None else acceptor.alphabet.decode(circle),
        None if largest is None else shown_as(largest),
        _definite_order(exact),
    )


def _stochastic(acceptor: Acceptor) -> Acceptor:
    """An exact acceptor: floats become the nearest multiples of 1 / GRID, but no positive one 0, and rows sum to 1."""
    if acceptor.is_exact:
        return acceptor

    def on_grid(rows: Floats) -> Fractions:
        wholes = np.maximum(np.rint(rows * GRID), rows > 0).astype(np.int64)
        largest = wholes.argmax(axis=-1)[..., None]
        rest = GRID - wholes.sum(axis=-1, keepdims=True)
        np.put_along_axis(wholes, largest, np.take_along_axis(wholes, largest, -1) + rest, -1)
        return np.array([Fraction(x, GRID) for x in wholes.ravel().tolist()], dtype=object).reshape(rows.shape)

    steps, start = on_grid(acceptor.transitions), on_grid(acceptor.initial)
    return Acceptor(acceptor.states, acceptor.alphabet, steps, start, acceptor.final)


def _width(epsilon: Any) -> Fraction:
    width = Fraction(finite_number("epsilon", epsilon))
    if not 0 <= width <= 1:
        raise InvalidArgument(f"must be a number from 0 to 1; got {shown(epsilon)}.", argument="epsilon")
    return width


def _products(acceptor: Acceptor) -> Iterator[tuple[Integers, int]]:
    """Each matrix in integers, and their common denominator."""
    integers = acceptor.integers
    for matrix, below in zip(integers.matrices, integers.denominators, strict=True):
        yield np.array([[int(x) for x in row] for row in matrix.tolist()], dtype=object), int(below)


def _coefficient(matrix: Integers, denominator: int) -> Fraction:
    """Dobrushin's coefficient of a matrix; 0 of a single row."""
    apart = (abs(matrix[s + 1 :] - matrix[s]).sum(axis=1).max() for s in range(len(matrix) - 1))
    return Fraction(max(apart, default=0), 2 * denominator)


def _largest_coefficient(acceptor: Acceptor, length: int) -> Fraction | None:
    """The largest coefficient of all products of so many matrices; None if there are too many of them."""
    if acceptor.n_symbols**length > MOST_PRODUCTS:
        return None
    matrices = list(_products(acceptor))
    level = matrices
    for _ in range(length - 1):
        level = [(left @ right, below * other) for left, below in level for right, other in matrices]
    return max(_coefficient(*product) for product in level)


def _scrambling_order(acceptor: Acceptor, limit: int) -> tuple[int | Unknown | None, Codes | None]:
    """The least k such that all products of k matrices are scrambling, or a word of which no power is."""
    moves = supports(acceptor)

    def after(pair: Pair) -> list[Pair]:
        """For each symbol the pair that it leads to; the end once the sets meet: they never part again."""
        if pair == START:
            return [(1 << s, 1 << t) for s, t in combinations(range(acceptor.n_states), 2)]
        images = (sorted(image(states, after) for states in pair) for after in moves) if pair else ()
        return [END if left & right else (left, right) for left, right in images]

    found = _longest_path(START, after, limit)
    if isinstance(found, Unknown):
        return found, None
    return (max(found - 1, 1), None) if isinstance(found, int) else (None, found)


def _longest_path(start: Node, after: Callable[[Node], list[Node]], limit: int) -> int | Unknown | Codes:
    """Number of steps of the longest path from a start, or the symbols along a circle, if paths do not end."""
    nodes, steps, closed = closure(start, after, limit)
    graph = {k: set(row) for k, row in enumerate(steps)}
    try:
        ordered = list(TopologicalSorter(graph).static_order())  # those that come after a node precede it
    except CycleError as circle:
        around = circle.args[1][::-1]
        return tuple(steps[s].index(t) for s, t in pairwise(around))
    if not closed:
        explored = f"unknown: {len(nodes):,} suffixes, or pairs of sets of states, were followed, and there are more."
        return Unknown(len(nodes), f"{explored} Increase limit.")
    longest: dict[int, int] = {}
    for k in ordered:
        longest[k] = max((longest[t] + 1 for t in graph[k]), default=0)
    return longest[0]


def _definite_order(acceptor: Acceptor) -> int | None:
    """The least k such that all products of k matrices have equal rows; None if there is none.

    Differences of rows span a space that the matrices map into itself, and shrinks or stays with each symbol.
    """
    from flint import fmpq_mat  # noqa: PLC0415

    size = acceptor.n_states
    if any(matrix.trace() != 1 for matrix in acceptor.exact_transitions):  # it maps some difference to a multiple
        return None
    matrices = [rational_matrix(matrix) for matrix in acceptor.exact_transitions]
    basis: list[list[Any]] = [[int(t == 0) - int(t == s) for t in range(size)] for s in range(1, size)]
    for k in range(size):
        if not basis:
            return k
        images = [row for matrix in matrices for row in (fmpq_mat(basis) * matrix).tolist()]
        reduced, rank = fmpq_mat(images).rref()
        if rank == len(basis):
            return None
        basis = reduced.tolist()[:rank]
    return None
