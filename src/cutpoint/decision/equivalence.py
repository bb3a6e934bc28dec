"""Whether two acceptors are the same: on every word (equivalence), or up to the names of states (isomorphism)."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, State
from cutpoint.decision.certificates import EqualityCertificate, RowSpace
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import RationalFunction, entry
from cutpoint.exact.rational_functions import FunctionSpan
from cutpoint.exact.spans import Codes, Span, first_nonzero, row_space
from cutpoint.kernels.sparse_matrices import SparseMatrices, check_dense, edges_of, reachable
from cutpoint.kernels.words import Floats
from cutpoint.model.acceptor import Acceptor, check_acceptor
from cutpoint.model.parametric import ParametricAcceptor
from cutpoint.model.text import number
from cutpoint.model.weighted import Weighable, WeightedAutomaton, block_diagonal, codes_of
from cutpoint.wording import shown, word_text

INDEPENDENCE = 1e-12  # A row is new if this part of its length, at least, lies outside of the space so far


def row_basis(
    automaton: WeightedAutomaton, above: float = math.inf, independence: float = INDEPENDENCE
) -> tuple[Floats, tuple[int, ...] | None]:
    """Orthonormal basis ``[i, s]`` of the rows, and the first word met with ``abs(value) > above``, which ends it.

    Breadth first over words; those whose rows are new are extended.
    """
    n_symbols, size = len(automaton.alphabet), automaton.dimension
    matrices = [automaton.matrix_of(a) for a in range(n_symbols)]
    columns = np.stack([matrix @ automaton.final for matrix in matrices], axis=1)
    basis = np.zeros((0, size))
    if abs(automaton.initial @ automaton.final) > above:
        return basis, ()
    words: list[tuple[int, ...]] = [()]
    rows = automaton.initial[None, :]
    basis, kept = _extended(basis, rows, independence)
    while kept:
        far = np.flatnonzero(np.abs(rows @ columns) > above)
        if len(far):
            return basis, (*words[far[0] // n_symbols], int(far[0]) % n_symbols)
        longer = np.stack([rows @ matrix for matrix in matrices], axis=1).reshape(-1, size)
        basis, kept = _extended(basis, longer, independence)
        words = [(*words[i // n_symbols], i % n_symbols) for i in kept]
        rows = longer[kept]
    return basis, None


def _extended(basis: Floats, rows: Floats, independence: float) -> tuple[Floats, list[int]]:
    """Basis with the new ones among rows (Gram-Schmidt, twice), and their numbers."""
    lengths = np.linalg.norm(rows, axis=1)
    units = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    for _ in range(2):
        units = units - (units @ basis.T) @ basis
    size, at = rows.shape[1], len(basis)
    check_dense((min(size, at + len(rows)), size), "the basis of rows")
    room = np.zeros((min(size, at + len(rows)), size))
    room[:at] = basis
    kept = []
    for i, unit in enumerate(units):
        if at == size:
            break
        rest, begun = unit, len(basis)
        for _ in range(2):
            rest = rest - (room[begun:at] @ rest) @ room[begun:at]
        length = np.linalg.norm(rest)
        if length > independence:
            rest = rest / length
            rest = rest - (room[:at] @ rest) @ room[:at]  # a short rest has lost digits
            room[at] = rest / np.linalg.norm(rest)
            kept.append(i)
            at += 1
    return room[:at], kept


MOST_DIMENSIONS = 3000  # most classes of states of sparse acceptors over which a basis of rows is made
MOST_WORK = 100_000  # states of sparse acceptors that are left while short words are tried
ROUNDING = 1e-15  # initial weights that cancel are off by less
SMALLEST_TOLERANCE = 1e-12  # values of floats are not known better than this


@dataclass(frozen=True)
class Equal:
    """Same value on all words: proven, or with a tolerance, as far as :func:`equivalence` says. True as a bool.

    Examples
    --------
    >>> found = cp.equivalence(cp.p_adic(2), ~~cp.p_adic(2))
    >>> print(found, bool(found))
    equal on all words True
    """

    tolerance: float | None = None
    automata: tuple[WeightedAutomaton, WeightedAutomaton] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def certificate(self) -> EqualityCertificate | None:
        """What proves it, for :func:`cutpoint.decision.check`; None with a tolerance, and for DFAs."""
        return None if self.automata is None else EqualityCertificate(*self.automata, joint_rows(*self.automata))

    def __str__(self) -> str:
        if self.tolerance is None:
            return "equal on all words"
        return f"no difference above {self.tolerance:g} found"


@dataclass(frozen=True, repr=False)
class Different:
    """A word on which two automata differ, and their values there. False as a bool.

    ``of_floats`` says that a ``Fraction`` is the exact value of floats: it is then printed as a float.

    Examples
    --------
    >>> found = cp.equivalence(cp.p_adic(2), cp.gallery.parity())
    >>> found.word, found.left, found.right, bool(found)
    ('1', Fraction(1, 2), Fraction(1, 1), False)
    """

    word: PlainWord
    left: Fraction | float | RationalFunction
    right: Fraction | float | RationalFunction
    of_floats: bool = field(default=False, compare=False)

    @property
    def difference(self) -> Any:
        """Left value minus right value."""
        return self.left - self.right

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        left, right = self.printed
        difference = float(self.difference) if self.of_floats else self.difference
        return (
            f"different on {word_text(self.word)}: {number(left)} and {number(right)}, difference {number(difference)}"
        )

    def __repr__(self) -> str:
        left, right = map(shown, self.printed)
        return f"Different(word={self.word!r}, left={left}, right={right})"

    @property
    def printed(self) -> tuple[Any, Any]:
        """Both values as they are printed."""
        return (float(self.left), float(self.right)) if self.of_floats else (self.left, self.right)


def equivalence(
    left: Weighable | ParametricAcceptor, right: Weighable | ParametricAcceptor, tolerance: float | None = None
) -> Equal | Different:
    r"""Whether two acceptors accept every word with the same probability; if not, the first word that shows it.

    Breadth first over words, with a basis of the rows of :math:`A \ominus B` met so far: a word whose row depends on
    earlier ones can be left out with all its extensions, so at most :math:`n = l_A + l_B` words are extended.

    Parameters
    ----------
    left, right : acceptors or weighted automata over the same symbols. A :class:`ParametricAcceptor` is compared for
        all parameters: the values of the word are then functions, which may agree for some of them.
    tolerance : None for the exact answer; floats then count as their exact binary values. A number, 1e-12 or more, for
        learned acceptors, where rounding must not decide.

    Returns
    -------
    :class:`Equal` or :class:`Different`. Without a tolerance both are proven, and the word is the shortest one, among
    the shortest the first in the order of the left alphabet; its values are ``Fraction``.

    Notes
    -----
    The search runs modulo primes of 63 bits and is then proven (``cutpoint.exact.spans``): cost
    :math:`O(l' n^3)` per prime; a few primes if the words are short or the reason for equality is simple (states
    permuted, split, never reached), in the worst case as many as :math:`n \log_2 D / 63`, with :math:`D` the common
    denominator of a matrix.

    With a tolerance the search runs in floats, and rows count as dependent up to 1e-12 of their length. ``Different``
    is certain up to the rounding of its two values; its word need not be the shortest. ``Equal`` says that no word
    tried (those of a basis, and one symbol more) differs by more than the tolerance: acceptors that drift apart slowly
    can do so on long words. :func:`distance` looks at all words up to a length.

    Source: Tzeng, *A polynomial-time algorithm for the equivalence of probabilistic automata*, SIAM J. Comput. 21
    (1992); Kiefer, Murawski, Ouaknine, Wachter and Worrell, *Language equivalence for probabilistic automata*, CAV
    (2011).

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> cp.equivalence(A, ~~A)
    Equal(tolerance=None)
    >>> cp.equivalence(A, A & A)
    Different(word='1', left=Fraction(1, 2), right=Fraction(1, 4))
    """
    if isinstance(left, ParametricAcceptor) or isinstance(right, ParametricAcceptor):
        return _parametric_equivalence(left, right)
    first, second = WeightedAutomaton.of(left), WeightedAutomaton.of(right)
    above = None if tolerance is None else checked_tolerance(tolerance)
    difference = _difference(first, second, exact=above is None)
    codes = None if first == second else _first_word(difference, above)
    if codes is None:
        return Equal(above, (first, second) if above is None else None)
    word = first.alphabet.decode(codes)
    value: Any = WeightedAutomaton.exact_value if above is None else WeightedAutomaton.value
    return Different(word, value(first, word), value(second, word), not (first.is_exact and second.is_exact))


def _difference(left: WeightedAutomaton, right: WeightedAutomaton, exact: bool) -> WeightedAutomaton:
    """Left minus right: states of the right side have the sign of their weight at the start."""
    row, steps, column = block_diagonal([left, right.reordered(left.alphabet)], exact)
    row[left.dimension :] *= -1
    return WeightedAutomaton.from_arrays(left.alphabet, row, steps, column)


def _first_word(difference: WeightedAutomaton, tolerance: float | None) -> Codes | None:
    """First word whose value is not 0, or above a tolerance; None if there is none."""
    if difference.is_sparse:
        large = difference.dimension > MOST_DIMENSIONS
        codes, length = _short_word(difference, tolerance or 0) if large else (None, 0)
        if codes is not None:
            return codes
        difference = _over_classes(difference, tolerance)
        if difference.dimension > MOST_DIMENSIONS:
            raise TooLarge(
                f"the acceptors agree on all words of up to {length} symbols; a proof for all words would take a basis "
                f"of rows over {difference.dimension:,} classes of states, more than {MOST_DIMENSIONS:,}. Compare "
                "longer words with distance(A, B, max_length), or smaller acceptors."
            )
    if not difference.dimension:
        return None
    return first_nonzero(difference.integers) if tolerance is None else row_basis(difference, tolerance)[1]


def _over_classes(difference: WeightedAutomaton, tolerance: float | None) -> WeightedAutomaton:
    """The same function of words with classes of states of the same future, from either side, for states.

    Where the two sides meet in a class their initial weights cancel, and what has no weight is left out.
    """
    row, steps, column = _useful(*difference.stored_arrays())
    classes = steps.lumping(np.unique(column, return_inverse=True)[1], tolerance or 1.0)
    row, steps, column = lumped(row, steps, column, classes)
    if tolerance is not None:
        row[np.abs(row) < ROUNDING] = 0.0
    return WeightedAutomaton.from_arrays(difference.alphabet, *_useful(row, steps, column))


def _useful(row: NDArray[Any], steps: SparseMatrices, column: NDArray[Any]) -> tuple[Any, SparseMatrices, Any]:
    """The same function of words without the states that no word reaches or that lead to no value."""
    if not len(row):
        return row, steps, column
    edges = edges_of(steps)
    useful = reachable(edges, row != 0) & reachable(edges.T, column != 0)
    return lumped(row, steps, column, np.where(useful, np.cumsum(useful) - 1, -1))


def lumped(
    row: NDArray[Any], steps: SparseMatrices, column: NDArray[Any], classes: NDArray[np.int64], mean: bool = False
) -> tuple[Any, SparseMatrices, Any]:
    """The same over classes of states, -1 for those that are left out.

    The first of each class stands for it, since the others have equal sums, or the ``mean`` of their rows.
    """
    kept = np.flatnonzero(classes >= 0)
    _, first, sizes = np.unique(classes[kept], return_index=True, return_counts=True)
    leaders, shares = kept[first], np.zeros(len(row), dtype=np.float64 if mean else np.int64)
    shares[kept if mean else leaders] = 1 / sizes[classes[kept]] if mean else 1
    weights = row[leaders] * 0
    np.add.at(weights, classes[kept], row[kept])
    return weights, steps.lumped(classes, shares), column[leaders]


def _short_word(difference: WeightedAutomaton, above: float) -> tuple[Codes | None, int]:
    """First word, by length and order, whose value is above a bound, as far as some work suffices; length tried."""
    row, steps, column = difference.stored_arrays()
    starts, columns, values = steps.starts.tolist(), steps.pattern.columns.tolist(), steps.values.tolist()
    words: list[tuple[Codes, dict[int, Any]]] = [((), {s: row[s] for s in np.flatnonzero(row).tolist()})]
    work = 0
    for codes, reached in words:  # which grow as they are read
        if abs(sum(weight * column[s] for s, weight in reached.items())) > above:
            return codes, len(codes)
        for a in range(len(difference.alphabet) if work < MOST_WORK else 0):
            longer: dict[int, Any] = {}
            work += 1 + len(reached)
            for s, weight in reached.items():
                at = a * difference.dimension + s
                for e in range(starts[at], starts[at + 1]):
                    longer[columns[e]] = longer.get(columns[e], 0) + weight * values[e]
            words.append(((*codes, a), longer))
    return None, len(words[-1][0]) - 1


def _parametric_equivalence(left: object, right: object) -> Equal | Different:
    """Whether two acceptors are the same for all parameters: the basis of rows is one over the rational functions."""
    sides = [ParametricAcceptor.of(side) for side in (left, right)]
    order = codes_of(sides[0].alphabet, sides[1].alphabet)
    span = FunctionSpan()
    steps = [sides[0].transitions, sides[1].transitions[order]]
    queue: list[tuple[tuple[int, ...], list[NDArray[Any]]]] = [((), [side.initial for side in sides])]
    for codes, rows in queue:
        values = [RationalFunction.of(row[side.final].sum()) for row, side in zip(rows, sides, strict=True)]
        if values[0] != values[1]:
            return Different(sides[0].alphabet.decode(codes), values[0], values[1])
        if span.add(np.concatenate(rows)):
            queue += [((*codes, a), [rows[k] @ steps[k][a] for k in range(2)]) for a in range(sides[0].n_symbols)]
    return Equal()


def joint_rows(left: WeightedAutomaton, right: WeightedAutomaton) -> RowSpace:
    """Space of the rows of two automata side by side."""
    if (left.is_sparse or right.is_sparse) and left.dimension + right.dimension > MOST_DIMENSIONS:
        raise TooLarge(f"a certificate has a basis of rows, of at most {MOST_DIMENSIONS:,} states of sparse acceptors.")
    difference = left.rational() - right.rational()
    return as_row_space(row_space(difference.integers)) if difference.dimension else RowSpace((), ())


def as_row_space(span: Span) -> RowSpace:
    """A space of rows as part of a certificate."""
    return RowSpace(tuple(map(tuple, span.basis.tolist())), span.pivots)


def checked_tolerance(value: object) -> float:
    """A tolerance as a float: finite, and large enough that rounding does not decide."""
    try:
        found = float(entry(value))
    except (InvalidArgument, OverflowError):
        found = math.nan
    if not SMALLEST_TOLERANCE <= found < math.inf:
        raise InvalidArgument(
            f"must be a finite number, {SMALLEST_TOLERANCE:g} or more, because below that rounding decides; "
            f"got {shown(value)}.",
            argument="tolerance",
        )
    return found


Colors = list[int]


def is_isomorphic(left: Acceptor, right: Acceptor) -> bool:
    """Whether two acceptors are the same but for the names and the order of their states.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> cp.decision.is_isomorphic(A, A.renamed(states=str.upper)), cp.decision.is_isomorphic(A, ~A)
    (True, False)
    """
    return isomorphism(left, right) is not None


def isomorphism(left: Acceptor, right: Acceptor) -> dict[State, State] | None:
    """A renaming of the states that makes the left acceptor the right one; None if there is none.

    Same symbols, in any order; probabilities are compared exactly, floats by their binary values. Among several
    renamings the first, in the order of the states. States get colors by what they are and what they lead to and come
    from, until no color splits; what is left open is tried out.

    Examples
    --------
    >>> cp.decision.isomorphism(cp.p_adic(2), cp.p_adic(2).renamed(states={"s1": "no", "s2": "yes"}))
    {'s1': 'no', 's2': 'yes'}
    """
    check_acceptor(left)
    check_acceptor(right)
    order = codes_of(left.alphabet, right.alphabet)
    if left.n_states != right.n_states:
        return None
    exact = left.is_exact or right.is_exact
    (start, own, _), (other_start, other, _) = (side.to_weighted().arrays(exact) for side in (left, right))
    steps = np.array(_numbered([*own.flat, *other[order].flat]), dtype=np.int64).reshape(2, *own.shape)
    kinds = zip([*start, *other_start], [*left.final, *right.final], strict=True)
    match = _matching(steps[0], steps[1], _numbered(kinds))
    return None if match is None else {s: right.states[match[i]] for i, s in enumerate(left.states)}


def _numbered(kinds: Iterable[Hashable]) -> Colors:
    """Equal numbers for equal kinds."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(kind, len(known)) for kind in kinds]


def _refined(left: NDArray[np.int64], right: NDArray[np.int64], colors: Colors) -> Colors:
    """Colors of the states of both sides, split until states of one color see the same colors around them."""
    n = left.shape[1]
    while True:
        kinds = []
        for steps, own in ((left, colors[:n]), (right, colors[n:])):
            for s in range(n):
                onward, backward = (zip(*part.tolist(), strict=True) for part in (steps[:, s], steps[:, :, s]))
                around = sorted(zip(own, onward, backward, strict=True))
                kinds.append((own[s], tuple(steps[:, s, s].tolist()), tuple(around)))
        refined = _numbered(kinds)
        if len(set(refined)) == len(set(colors)):
            return refined
        colors = refined


def _matching(left: NDArray[np.int64], right: NDArray[np.int64], colors: Colors) -> list[int] | None:
    """State of the right side for each of the left, or None: individualize a state, refine, go on or go back."""
    n = left.shape[1]
    stack: list[Iterator[Colors]] = [iter([colors])]
    while stack:
        colors = next(stack[-1], [])
        if not colors:
            stack.pop()
            continue
        colors = _refined(left, right, colors)
        if sorted(colors[:n]) != sorted(colors[n:]):
            continue
        open_state = next((s for s in range(n) if colors[:n].count(colors[s]) > 1), None)
        if open_state is not None:
            stack.append(_choices(colors, open_state))
            continue
        match = [colors.index(color, n) - n for color in colors[:n]]
        if (left == right[:, match][:, :, match]).all():
            return match
    return None


def _choices(colors: Colors, state: int) -> Iterator[Colors]:
    """Colors in which a state of the left side and one of its color on the right get a color of their own."""
    n = len(colors) // 2
    for other in range(n, 2 * n):
        if colors[other] == colors[state]:
            yield [len(colors) if s in (state, other) else color for s, color in enumerate(colors)]
