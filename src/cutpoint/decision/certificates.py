"""What proves a decision, and a checker that shares no code with the searches: plain loops over fractions.

A result that carries a proof has a ``certificate``; :func:`check` accepts it or raises :class:`InvalidProof` with a
sentence that names the step that fails. The checker reads the automata, the certificate and the result, and trusts
nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cutpoint.errors import InvalidArgument, InvalidProof
from cutpoint.exact import CutPoint, Relation
from cutpoint.wording import shown

if TYPE_CHECKING:
    from cutpoint.decision.dfa import DFA
    from cutpoint.model import Acceptor
    from cutpoint.model.weighted import WeightedAutomaton

Row = Sequence[Fraction]
Matrix = Sequence[Row]
Codes = tuple[int, ...]


@dataclass(frozen=True)
class RowSpace:
    """A space that contains the initial row and is closed under every matrix, hence contains the rows of all words.

    Each product of a basis row with a matrix is the combination of the basis with the product's own entries at the
    pivots as factors: that is the relation to check.
    """

    basis: tuple[tuple[Fraction, ...], ...]
    pivots: tuple[int, ...]


@dataclass(frozen=True)
class EqualityCertificate:
    """Rows of two automata side by side: on all of them both columns have the same value."""

    left: WeightedAutomaton
    right: WeightedAutomaton
    rows: RowSpace


@dataclass(frozen=True)
class MinimalityCertificate:
    """Equality with the original, and words whose Hankel block has full rank: no dimension is too many."""

    original: WeightedAutomaton
    rows: RowSpace
    prefixes: tuple[Codes, ...]
    suffixes: tuple[Codes, ...]


@dataclass(frozen=True)
class SupportCertificate:
    """The cut point is 0 or 1: the checker follows the sets of states that words reach beside the DFA."""

    acceptor: Acceptor
    cut_point: CutPoint
    relation: Relation


@dataclass(frozen=True)
class ResidualCertificate:
    """Table of residuals: suffixes, and for each symbol in front the number of the suffix with the same residual.

    Two numbers beyond the suffixes stand for "every prefix is accepted" and "none is". Where the column itself has
    entries on both sides of the cut point, ``lifted`` has one that is equal on all rows of words, after the numbers of
    the suffix and the symbol.
    """

    acceptor: Acceptor
    cut_point: CutPoint
    relation: Relation
    rows: RowSpace
    suffixes: tuple[Codes, ...]
    steps: tuple[Codes, ...]
    lifted: tuple[tuple[int, int, tuple[Fraction, ...]], ...]


@dataclass(frozen=True)
class IsolationCertificate:
    r"""An invariant: for each state of a DFA that reads words from the back, bounds of the columns :math:`P(z) f`.

    The bounds of state 0 contain the final states, those of the next state contain :math:`P(a)` times those of a state,
    and no state's acceptances come nearer to the cut point than ``distance``.
    """

    acceptor: Acceptor
    cut_point: CutPoint
    distance: Fraction
    steps: tuple[Codes, ...]
    low: tuple[tuple[Fraction, ...], ...]
    high: tuple[tuple[Fraction, ...], ...]


def check(result: Any) -> None:
    """Verify the proof that a result carries, exactly; :class:`InvalidProof` names the first step that fails.

    Parameters
    ----------
    result : an :class:`Equal`, a :class:`DFA` of :meth:`Language.to_dfa`, a :class:`WeightedAutomaton` of
        :func:`minimize` or an :class:`Isolation`, if its ``certificate`` is not None.

    Notes
    -----
    What is proven: of ``Equal``, that both automata have the same value on every word; of a minimized automaton that,
    and that no smaller dimension will do; of a DFA, that it accepts exactly the words of the language and that none
    with fewer states does; of an isolation, that no acceptance is nearer to the cut point than ``proven``.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> cp.decision.check(cp.equivalence(A, ~~A))
    >>> dfa = cp.Language(A, "1/3").to_dfa()
    >>> cp.decision.check(dfa)
    >>> from dataclasses import replace
    >>> cp.decision.check(replace(dfa, final=frozenset({0})))
    Traceback (most recent call last):
    ...
    cutpoint.errors.InvalidProof: the proof fails: state 0 of the DFA is final, and its first word is rejected.
    """
    certificate = getattr(result, "certificate", None)
    _check_kinds(certificate)
    match certificate:
        case EqualityCertificate():
            _check_equality(certificate.left, certificate.right, certificate.rows)
        case MinimalityCertificate():
            _check_equality(certificate.original, result, certificate.rows)
            _check_rank(result, certificate.prefixes, certificate.suffixes)
        case SupportCertificate():
            _check_support(result, certificate)
        case ResidualCertificate():
            _check_dfa(result, certificate.acceptor, *_checked_residuals(certificate))
        case IsolationCertificate():
            accepting = _checked_invariant(certificate)
            if hasattr(result, "transitions"):
                _check_dfa(result, certificate.acceptor, certificate.steps, accepting)
            else:
                _require(result.cut_point == certificate.cut_point, "the proof is about another cut point")
        case _:
            raise InvalidArgument(f"nothing proves {shown(result)}: it has no certificate.")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InvalidProof(f"the proof fails: {otherwise}.")


KINDS = {
    **dict.fromkeys(("basis", "low", "high"), (2, Fraction)),
    **dict.fromkeys(("prefixes", "suffixes", "steps"), (2, int)),
    "pivots": (1, int),
    "distance": (0, Fraction),
}
"""How deep the tuples of a part of a certificate are, and what they hold: a float could be right by rounding."""


def _check_kinds(certificate: object) -> None:
    """Every number is a fraction, every code a whole number."""
    for name, value in getattr(certificate, "__dict__", {}).items():
        if isinstance(value, RowSpace):
            _check_kinds(value)
        elif name in KINDS:
            _require(_is_nested(value, *KINDS[name]), f"{name} of the certificate has no such form")
        elif name == "lifted":
            _require(isinstance(value, tuple) and all(map(_is_lifted, value)), "a lifted column has no such form")


def _is_nested(value: object, depth: int, kind: type) -> bool:
    if depth:
        return isinstance(value, tuple) and all(_is_nested(each, depth - 1, kind) for each in value)
    return type(value) is kind


def _is_lifted(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 3:
        return False
    return _is_nested(value[:2], 1, int) and _is_nested(value[2], 1, Fraction)


def _check_alphabet(dfa: DFA, acceptor: Acceptor) -> None:
    _require(list(map(repr, dfa.alphabet)) == list(map(repr, acceptor.alphabet)), "the alphabets differ")


# -- Linear algebra -----------------------------------------------------------------------------------------------


def _dot(row: Iterable[Fraction], column: Iterable[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(row, column, strict=True) if x and y), start=Fraction(0))


def _row_times(row: Row, matrix: Matrix) -> list[Fraction]:
    return [_dot(row, column) for column in zip(*matrix, strict=True)]


def _times_column(matrix: Matrix, column: Row) -> list[Fraction]:
    return [_dot(row, column) for row in matrix]


def _beside(left: Matrix, right: Matrix) -> list[list[Fraction]]:
    """Block-diagonal matrix of two."""
    zero = Fraction(0)
    return [[*row, *[zero] * len(right)] for row in left] + [[*[zero] * len(left), *row] for row in right]


def _check_closed(space: RowSpace, initial: Row, matrices: Sequence[Matrix]) -> None:
    """The space contains the initial row and the products of its basis with every matrix."""
    sizes = {len(row) for row in space.basis}
    _require(sizes <= {len(initial)} and len(space.pivots) == len(space.basis), "rows of the basis have a wrong size")
    _require(all(0 <= pivot < len(initial) for pivot in space.pivots), "a pivot is not the number of a state")

    def contained(row: Row) -> bool:
        factors = [row[pivot] for pivot in space.pivots]
        combination = [_dot(factors, column) for column in zip(*space.basis, strict=True)] or [Fraction(0)] * len(row)
        return list(row) == combination

    _require(contained(initial), "the initial row is not in the space of the basis")
    for a, matrix in enumerate(matrices):
        for i, row in enumerate(space.basis):
            _require(contained(_row_times(row, matrix)), f"row {i} times the matrix of symbol {a} leaves the space")


def _parts(automaton: Any) -> tuple[list[Fraction], list[list[list[Fraction]]], list[Fraction]]:
    """Row, matrices and column as plain lists."""
    weighted = automaton.to_weighted()
    return weighted.exact_initial.tolist(), weighted.exact_transitions.tolist(), weighted.exact_final.tolist()


def _check_equality(left: WeightedAutomaton, right: WeightedAutomaton, rows: RowSpace) -> None:
    (row, steps, column), (other_row, other_steps, other_column) = _parts(left), _parts(right)
    _require(sorted(map(repr, left.alphabet)) == sorted(map(repr, right.alphabet)), "the alphabets differ")
    order = [list(right.alphabet).index(symbol) for symbol in left.alphabet]
    matrices = [_beside(matrix, other_steps[code]) for matrix, code in zip(steps, order, strict=True)]
    _check_closed(rows, [*row, *other_row], matrices)
    difference = [*column, *(-x for x in other_column)]
    for i, each in enumerate(rows.basis):
        _require(_dot(each, difference) == 0, f"the two columns differ on row {i} of the basis")


def _check_rank(automaton: WeightedAutomaton, prefixes: Sequence[Codes], suffixes: Sequence[Codes]) -> None:
    """As many words as dimensions on either side, and a Hankel block without a row that depends on the others."""
    initial, matrices, final = _parts(automaton)
    size = len(initial)
    _require(len(prefixes) == len(suffixes) == size, "there is not one prefix and one suffix for each dimension")
    codes = {code for word in (*prefixes, *suffixes) for code in word}
    _require(codes <= set(range(len(matrices))), "a prefix or suffix has an unknown symbol")
    block = []
    for prefix in prefixes:
        row = initial
        for code in prefix:
            row = _row_times(row, matrices[code])
        columns = []
        for suffix in suffixes:
            column = final
            for code in reversed(suffix):
                column = _times_column(matrices[code], column)
            columns.append(_dot(row, column))
        block.append(columns)
    for j in range(size):
        pivot = next((i for i in range(j, size) if block[i][j]), None)
        _require(pivot is not None, "the Hankel block of its prefixes and suffixes is singular")
        block[j], block[pivot or j] = block[pivot or j], block[j]
        for i in range(j + 1, size):
            factor = block[i][j] / block[j][j]
            block[i] = [x - factor * y for x, y in zip(block[i], block[j], strict=True)]


# -- DFAs ---------------------------------------------------------------------------------------------------------


def _check_dfa(dfa: DFA, acceptor: Acceptor, steps: Sequence[Codes], accepting: Sequence[bool]) -> None:
    """The DFA accepts the words that another one, which starts in state 0, accepts from the back; and it is minimal.

    A state of the DFA stands for the set of those states of the other from which words that lead to it are accepted.
    """
    _check_alphabet(dfa, acceptor)
    sets = {dfa.initial: frozenset(k for k, accepts in enumerate(accepting) if accepts)}
    for state in (queue := [dfa.initial]):
        inside, is_final = 0 in sets[state], state in dfa.final
        verdict = f"is {'' if is_final else 'not '}final, and its first word is"
        _require(inside == is_final, f"state {state} of the DFA {verdict} {'accepted' if inside else 'rejected'}")
        for a, after in enumerate(dfa.transitions[state]):
            found = frozenset(k for k, row in enumerate(steps) if row[a] in sets[state])
            if after not in sets:
                sets[after] = found
                queue.append(after)
            _require(sets[after] == found, f"state {after} of the DFA stands for words with different futures")
    _check_minimal(dfa)


def _check_minimal(dfa: DFA) -> None:
    """Every state is reached, and splitting states by what they accept leaves each alone (Moore)."""
    size, reached = len(dfa.transitions), {dfa.initial}
    for state in (queue := [dfa.initial]):
        fresh = set(dfa.transitions[state]) - reached
        reached |= fresh
        queue += fresh
    _require(len(reached) == size, "a state of the DFA is never reached")
    kinds, n_kinds = [int(state in dfa.final) for state in range(size)], 0
    while n_kinds != len(set(kinds)):
        n_kinds = len(set(kinds))
        numbers: dict[Any, int] = {}
        keys = [(kinds[s], *(kinds[after] for after in dfa.transitions[s])) for s in range(size)]
        kinds = [numbers.setdefault(key, len(numbers)) for key in keys]
    _require(n_kinds == size, "two states of the DFA accept the same words")


def _has(value: Fraction, certificate: ResidualCertificate | SupportCertificate) -> bool:
    match certificate.relation:
        case ">":
            return value > certificate.cut_point
        case "≥":
            return value >= certificate.cut_point
        case "=":
            return value == certificate.cut_point
        case "≠":
            return value != certificate.cut_point
        case _:
            raise InvalidProof(f"the proof fails: {shown(certificate.relation)} is no relation to a cut point.")


def _decide_alike(values: Sequence[Fraction], certificate: ResidualCertificate, inside: bool) -> bool:
    """Whether all means of some numbers are in the language, or none is: rational ones, so the cut point may be one."""
    cut_point = certificate.cut_point
    between = [cut_point] if isinstance(cut_point, Fraction) and min(values) <= cut_point <= max(values) else []
    return all(_has(x, certificate) == inside for x in (*values, *between))


def _check_stochastic(acceptor: Acceptor) -> tuple[list[Fraction], list[list[list[Fraction]]], list[Fraction]]:
    initial, matrices, final = _parts(acceptor)
    rows = [initial, *(row for matrix in matrices for row in matrix)]
    _require(all(sum(row) == 1 and min(row) >= 0 for row in rows), "a row of the acceptor does not sum to exactly 1")
    return initial, matrices, final


def _checked_residuals(certificate: ResidualCertificate) -> tuple[list[Codes], list[bool]]:
    """Steps of a table of residuals, the two sinks at the end, and which suffixes are words of the language."""
    initial, matrices, final = _check_stochastic(certificate.acceptor)
    basis, cut_point = certificate.rows.basis, certificate.cut_point
    _check_closed(certificate.rows, initial, matrices)
    reached = [s for s in range(len(initial)) if any(row[s] for row in basis)]
    columns: list[list[Fraction]] = []
    for suffix in certificate.suffixes:
        known = dict(zip(certificate.suffixes, columns, strict=False))
        _require(not columns or suffix[1:] in known, f"suffix {suffix} extends none before it")
        _require(
            bool(columns) == bool(suffix) and (not suffix or 0 <= suffix[0] < len(matrices)),
            f"suffix {suffix} is out of place",
        )
        columns.append(_times_column(matrices[suffix[0]], known[suffix[1:]]) if suffix else final)
    every, none = len(columns), len(columns) + 1
    lifted = {(k, a): column for k, a, column in certificate.lifted}
    _require(len(certificate.steps) == len(columns), "there is not one row of steps for each suffix")

    def as_function(column: Row) -> list[Fraction]:
        """Values on the basis: of the column minus the cut point, or of the column if that is irrational."""
        level = cut_point if isinstance(cut_point, Fraction) else 0
        return [_dot(row, [x - level for x in column]) for row in basis]

    functions = [as_function(column) for column in columns]
    for k, steps in enumerate(certificate.steps):
        _require(len(steps) == len(matrices), f"residual {k} has not one step for each symbol")
        for a, after in enumerate(steps):
            column: Row = _times_column(matrices[a], columns[k])
            function, what = as_function(column), f"symbol {a} in front of residual {k}"
            if after in (every, none):
                other = lifted.get((k, a), column)
                _require(
                    len(other) == len(column) and as_function(other) == function,
                    f"the column for {what} is another function",
                )
                alike = _decide_alike([other[s] for s in reached], certificate, after == every)
                _require(alike, f"{what} does not lead to a sink")
            else:
                _require(0 <= after < len(columns), f"{what} leads nowhere")
                factor = next((x / y for x, y in zip(function, functions[after], strict=True) if y), Fraction(1))
                _require(
                    (factor > 0 or (factor < 0 and certificate.relation in ("=", "≠")))
                    and (factor == 1 or isinstance(cut_point, Fraction))
                    and function == [factor * y for y in functions[after]],
                    f"{what} is not residual {after}",
                )
    accepting = [*(_has(_dot(initial, column), certificate) for column in columns), True, False]
    return [*certificate.steps, *((sink,) * len(matrices) for sink in (every, none))], accepting


def _check_support(dfa: DFA, certificate: SupportCertificate) -> None:
    _check_alphabet(dfa, certificate.acceptor)
    positive = certificate.cut_point == 0
    _require(positive or certificate.cut_point == 1, "the support decides at 0 and 1 only")
    initial, matrices, final = (_parts if positive else _check_stochastic)(certificate.acceptor)
    start = frozenset(s for s, p in enumerate(initial) if p)
    accepting = {s for s, x in enumerate(final) if x}
    seen = {(start, dfa.initial)}
    for subset, state in (queue := [(start, dfa.initial)]):
        acceptance = Fraction(1) if subset <= accepting else Fraction(bool(subset & accepting), 2)  # or between 0 and 1
        inside = _has(acceptance, certificate)
        _require(inside == (state in dfa.final), f"state {state} of the DFA is final or not against the support")
        for a, after in enumerate(dfa.transitions[state]):
            pair = frozenset(t for s in subset for t, p in enumerate(matrices[a][s]) if p), after
            if pair not in seen:
                seen.add(pair)
                queue.append(pair)
    _check_minimal(dfa)


def _checked_invariant(certificate: IsolationCertificate) -> list[bool]:
    """Which states of an invariant lie above the cut point; the others lie below."""
    initial, matrices, final = _parts(certificate.acceptor)
    low, high, size = certificate.low, certificate.high, len(certificate.steps)
    _require(len(low) == len(high) == size > 0, "there are not bounds for each state")
    _require(all(len(row) == len(initial) for row in (*low, *high)), "bounds have a wrong size")
    _require(min(x for row in (initial, *(r for m in matrices for r in m)) for x in row) >= 0, "an entry is negative")
    within = all(x <= y <= z for x, y, z in zip(low[0], final, high[0], strict=True))
    _require(within, "the bounds of state 0 do not contain the final states")
    for k, steps in enumerate(certificate.steps):
        _require(len(steps) == len(matrices) and all(0 <= after < size for after in steps), f"state {k} leads nowhere")
        for a, after in enumerate(steps):
            below, above = _times_column(matrices[a], low[k]), _times_column(matrices[a], high[k])
            kept = all(x >= y for x, y in zip(below, low[after], strict=True))
            kept = kept and all(x <= y for x, y in zip(above, high[after], strict=True))
            _require(kept, f"symbol {a} leads from state {k} out of the bounds of state {after}")
    _require(certificate.distance > 0, "the distance is not above 0")
    accepting = []
    for k in range(size):
        smallest, largest = _dot(initial, low[k]), _dot(initial, high[k])
        is_above = smallest - certificate.distance >= certificate.cut_point
        is_below = largest + certificate.distance <= certificate.cut_point
        _require(is_above or is_below, f"acceptances of state {k} may come nearer to the cut point than the distance")
        accepting.append(is_above)
    return accepting
