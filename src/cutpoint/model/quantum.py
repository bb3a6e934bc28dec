r"""Quantum automata as small values that become weighted automata: measured once at the end, or after every symbol.

A state is a row :math:`\psi` of amplitudes, and a symbol multiplies it by a unitary matrix. Probabilities are quadratic
in :math:`\psi` and linear in :math:`\rho = \psi^* \psi`, a Hermitian matrix of :math:`n^2` real coordinates: so the
acceptance is that of a :class:`WeightedAutomaton`, and equivalence, minimal forms and languages are those of weighted
automata. Complex numbers are computed with as pairs of real ones,

.. math:: X + iY \mapsto \begin{pmatrix} X & Y \\ -Y & X \end{pmatrix},

which turns products into products and the conjugate transpose into the transpose: exactly so for rational parts.

Sources: Moore and Crutchfield, *Quantum automata and quantum grammars*, Theoret. Comput. Sci. 237 (2000); Kondacs and
Watrous, *On the power of quantum finite state automata*, FOCS 1997; Ambainis and Freivalds, *1-way quantum finite
automata: strengths, weaknesses and generalizations*, FOCS 1998.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, State, Symbol, Word, Words
from cutpoint.errors import InvalidAcceptor, InvalidArgument, TooLarge
from cutpoint.exact import AlgebraicNumber, entry, whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model.parts import ROW_TOLERANCE, Numbers, States, read_array, read_final, shape_of
from cutpoint.model.text import number
from cutpoint.model.weighted import WeightedAutomaton, frozen
from cutpoint.wording import counted, listed, shown

MOST_STATES = 32  # most states: matrices of the weighted automaton have the fourth power of them as entries

_COMPLEX = re.compile(
    r"(?P<real>[+-]?[^+-]+(?:e[+-]\d+)?)??(?P<imaginary>[+-]?[^+-]*?(?:e[+-]\d+)?)[ij]", re.IGNORECASE
)


class QuantumAutomaton(ABC):
    """States, an alphabet, a unitary matrix for each symbol and a row of amplitudes: an immutable, hashable value."""

    states: States
    alphabet: Alphabet
    is_exact: bool
    _parts: Mapping[str, Numbers]  # matrices and the row as real blocks, marks of states, by name

    NAMES: ClassVar[Mapping[str, str]]

    def _hold(self, states: Any, alphabet: Any, unitaries: Any, initial: Any, more: Mapping[str, Any]) -> None:
        """Check and keep the parts; ``more`` are further unitary matrices, by name."""
        names, sigma = States(states), Alphabet(alphabet)
        if len(names) > MOST_STATES:
            raise TooLarge(f"a quantum automaton has at most {MOST_STATES} states; got {len(names)}.")
        if not sigma:
            raise InvalidAcceptor("a quantum automaton needs at least one symbol; the alphabet is empty.")
        if isinstance(unitaries, Mapping):
            for symbol in unitaries:
                sigma.code(symbol, "unitaries: ")
            if missing := [symbol for symbol in sigma if symbol not in unitaries]:
                raise InvalidAcceptor(f"unitaries must have a matrix for every symbol; none for {listed(missing)}.")
            unitaries = [unitaries[symbol] for symbol in sigma]
        elif shape_of(unitaries) is None or len(shape_of(unitaries) or ()) != 3 or len(unitaries) != len(sigma):
            raise InvalidAcceptor(f"unitaries must have one square matrix per symbol; got {shown(unitaries)}.")
        roles = {f"unitary of symbol {symbol!r}": matrix for symbol, matrix in zip(sigma, unitaries, strict=True)}
        blocks = {role: _block(matrix, len(names), role) for role, matrix in (roles | dict(more)).items()}
        for role, block in blocks.items():
            _check_unitary(block, role, names)
        row = initial if not _is_state(initial, names) else [int(state == initial) for state in names]
        amplitudes = _block([row], len(names), "initial")
        if not _is_near((amplitudes @ amplitudes.T)[0, 0], 1):
            length = number((amplitudes @ amplitudes.T)[0, 0], 12)
            raise InvalidAcceptor(f"initial must have squared amplitudes that sum to 1; got {length}.")
        exact = all(block.dtype == object for block in (*blocks.values(), amplitudes))
        kept = {
            name: frozen(b if exact else b.astype(np.float64)) for name, b in (blocks | {"initial": amplitudes}).items()
        }
        self.__dict__.update(states=names, alphabet=sigma, is_exact=exact, _parts=kept)

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.states)

    @property
    def unitaries(self) -> NDArray[np.complex128]:
        """The unitary matrices ``[a, s, t]`` in complex floats; rows multiply from the left."""
        n = self.n_states
        blocks = [self._parts[f"unitary of symbol {symbol!r}"].astype(np.float64) for symbol in self.alphabet]
        return np.stack([block[:n, :n] + 1j * block[:n, n:] for block in blocks])

    def to_weighted(self) -> WeightedAutomaton:
        """The weighted automaton whose values are the acceptances, exact if the automaton is.

        Its dimension is n², and one more if measured after every symbol.
        """
        return self._weighted

    @cached_property
    @abstractmethod
    def _weighted(self) -> WeightedAutomaton:
        """The weighted automaton, made once."""

    def acceptance(self, word: Word) -> float:
        """Probability that a word is accepted."""
        return self.to_weighted().value(word)

    def acceptances(self, words: Words) -> Floats:
        """Probability that each word is accepted."""
        return self.to_weighted().values(words)

    def exact_acceptance(self, word: Word) -> Fraction:
        """Acceptance as a rational number; floats count as their exact binary values."""
        return self.to_weighted().exact_value(word)

    def _step(self, name: str) -> Numbers:
        """What a unitary does to the coordinates of a Hermitian matrix: ρ to U*ρU, ``[k, l]``."""
        block = self._parts[name]
        return _coordinates(np.asarray(block.T @ _basis(self.n_states, block.dtype) @ block))

    def _start(self) -> Numbers:
        """Coordinates of the first ρ."""
        row = self._parts["initial"]
        return np.asarray(_coordinates((row.T @ row)[None])[0])

    def _marks(self, states: NDArray[np.bool_]) -> Numbers:
        """Column that sums the probabilities of some states: the diagonal of ρ."""
        column = np.zeros(self.n_states**2, dtype=np.int64)
        column[: self.n_states] = states
        return column.astype(object if self.is_exact else np.float64)

    def _named(self, states: NDArray[np.bool_]) -> str:
        return listed([state for state, kept in zip(self.states, states, strict=True) if kept])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        ends = tuple(tuple(getattr(self, name).tolist()) for name in self.NAMES)
        return (
            self.states,
            self.alphabet,
            ends,
            tuple((name, *part.ravel().tolist()) for name, part in self._parts.items()),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a quantum automaton is immutable: cannot set {name!r}.")

    def __repr__(self) -> str:
        symbols = f"{counted(len(self.alphabet), 'symbol')} {listed(self.alphabet, limit=10)}"
        ends = ", ".join(f"{verb} in {self._named(getattr(self, name))}" for name, verb in self.NAMES.items())
        exact = ", exact" if self.is_exact else ""
        return f"<{type(self).__name__}: {counted(self.n_states, 'state')}, {symbols}, {ends}{exact}>"


class MeasureOnce(QuantumAutomaton):
    r"""Quantum automaton that is measured once, at the end (Moore and Crutchfield).

    .. math:: p(x) = \sum_{s \in F} |(\psi\, U(x_1) \cdots U(x_n))_s|^2

    Parameters
    ----------
    states : distinct names, or an int n for the names 0 … n-1; at most 32.
    alphabet : distinct symbols.
    unitaries : ``{symbol: matrix}`` or an array ``[a, s, t]`` of unitary matrices, by which rows are multiplied: entry
        ``[s, t]`` is the amplitude of the move from s to t. Entries are numbers, complex or not, or strings such as
        ``"3/5"``, ``"4/5i"`` and ``"1/3-2/3i"``. If all parts are rational they are kept, and checked, exactly; floats
        within 1e-9.
    initial : :math:`\psi`, a state, or a row of amplitudes whose squares sum to 1.
    final : F, a collection of states.

    Examples
    --------
    >>> turn = cp.quantum.MeasureOnce(2, "a", {"a": [["3/5", "4/5i"], ["4/5i", "3/5"]]}, 0, {0})
    >>> turn
    <MeasureOnce: 2 states, 1 symbol {'a'}, accepts in {0}, exact>
    >>> turn.exact_acceptance("a"), turn.exact_acceptance("aa"), turn.to_weighted().dimension
    (Fraction(9, 25), Fraction(49, 625), 4)
    """

    NAMES: ClassVar = {"final": "accepts"}

    final: NDArray[np.bool_]

    def __init__(
        self, states: int | Iterable[State], alphabet: Iterable[Symbol], unitaries: Any, initial: Any, final: Any
    ) -> None:
        self._hold(states, alphabet, unitaries, initial, {})
        self.__dict__.update(final=frozen(read_final(final, self.states)))

    @cached_property
    def _weighted(self) -> WeightedAutomaton:
        steps = np.stack([self._step(f"unitary of symbol {symbol!r}") for symbol in self.alphabet])
        return WeightedAutomaton(self.alphabet, self._start(), steps, self._marks(self.final))


class MeasureMany(QuantumAutomaton):
    r"""Quantum automaton that is measured after every symbol and at the end of the word (Kondacs and Watrous).

    After each step the run stops accepted with the probability of the accepting states, stops rejected with that of the
    rejecting ones, and otherwise goes on with the amplitudes of the others. A word is read between two end markers.

    Parameters
    ----------
    states, alphabet, unitaries, initial : as for :class:`MeasureOnce`; no amplitude of ``initial`` is in a state that
        accepts or rejects, unless there is a matrix ``start``.
    accepting, rejecting : states in which a run stops; what has not stopped behind the end marker is not accepted.
    end : unitary matrix of the end marker behind the word.
    start : unitary matrix of the end marker before the word; by default none is read.

    Examples
    --------
    >>> flip = [[0, 1], [1, 0]]
    >>> stay = [[1, 0], [0, 1]]
    >>> once = cp.quantum.MeasureMany(["go", "yes"], "ab", {"a": stay, "b": flip}, "go", {"yes"}, (), end=stay)
    >>> [once.acceptance(word) for word in ("", "aa", "ab", "ba")]  # whether there is a b
    [0.0, 0.0, 1.0, 1.0]
    """

    NAMES: ClassVar = {"accepting": "accepts", "rejecting": "rejects"}

    accepting: NDArray[np.bool_]
    rejecting: NDArray[np.bool_]

    def __init__(
        self,
        states: int | Iterable[State],
        alphabet: Iterable[Symbol],
        unitaries: Any,
        initial: Any,
        accepting: Any,
        rejecting: Any,
        end: Any,
        start: Any = None,
    ) -> None:
        self._hold(states, alphabet, unitaries, initial, {"end": end} | ({} if start is None else {"start": start}))
        yes, no = (frozen(read_final(side, self.states)) for side in (accepting, rejecting))
        if (yes & no).any():
            raise InvalidAcceptor(f"a state cannot accept and reject; both have {self._named(yes & no)}.")
        stopped = np.flatnonzero((self._parts["initial"].reshape(2, 2, -1) != 0).any(axis=(0, 1)) & (yes | no))
        if start is None and len(stopped):
            raise InvalidAcceptor(f"a run cannot start in state {self.states[stopped[0]]!r}, where it stops.")
        self.__dict__.update(accepting=yes, rejecting=no)

    @cached_property
    def _weighted(self) -> WeightedAutomaton:
        accepted = self._marks(self.accepting)
        on = ~(self.accepting | self.rejecting)
        goes_on = _coordinates(np.tile(np.outer(on, on), (1, 2, 2)).astype(np.int64))[0]

        def measured(name: str) -> Numbers:
            """A step with its measurement; the last coordinate is the probability of having accepted."""
            step = self._step(name)
            last = np.zeros(len(step), dtype=step.dtype)
            return np.block(
                [[step * goes_on, (step @ accepted)[:, None]], [last[None], np.ones((1, 1), dtype=np.int64)]]
            )

        row = np.append(self._start(), 0)
        row = row @ measured("start") if "start" in self._parts else row
        steps = np.stack([measured(f"unitary of symbol {symbol!r}") for symbol in self.alphabet])
        return WeightedAutomaton(self.alphabet, row, steps, measured("end")[:, -1])


def multiples(p: int) -> MeasureOnce:
    r"""Two states that accept :math:`a^k` with probability :math:`\cos^2(\pi k / p)`: 1 for the multiples of p alone.

    Other words are accepted with at most :math:`\cos^2(\pi / p)`, so every cut point between is isolated. A stochastic
    acceptor of one symbol with an isolated cut point has, for a prime p, at least p states: beyond some length its
    acceptances nearly repeat with a period that is the least common multiple of lengths of cycles of its states.
    Ambainis and Freivalds (1998) keep the error fixed with :math:`O(\log p)` states.

    Examples
    --------
    >>> L = cp.Language(cp.quantum.multiples(7), 0.9)
    >>> [k for k in range(30) if "a" * k in L]
    [0, 7, 14, 21, 28]
    """
    angle = np.pi / whole_number("p", p, least=1, most=10**6)
    cos, sin = np.cos(angle), np.sin(angle)
    return MeasureOnce(2, "a", {"a": [[cos, sin], [-sin, cos]]}, 0, {0})


def sorted_words() -> MeasureMany:
    r"""The words :math:`a^* b^*`, accepted with probability q, others with at most 1 - q, where q³ + q = 1 (q = 0.68…).

    No automaton of this kind does it with a probability above 7/9. Source: Ambainis and Freivalds (1998).

    Examples
    --------
    >>> Q = cp.quantum.sorted_words()
    >>> [round(Q.acceptance(word), 6) for word in ("", "aabb", "b", "ba", "abab")]
    [0.682328, 0.682328, 0.682328, 0.317672, 0.317672]
    """
    q = float(AlgebraicNumber([-1, 1, 0, 1], 0, 1))
    r, s, t = np.sqrt(q), np.sqrt(1 - q), np.sqrt(q * (1 - q))
    first = [[1 - q, t, 0, r], [t, q, 0, -s], [0, 0, 1, 0], [r, -s, 0, 0]]
    second = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
    end = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    names = ["both", "b", "yes", "no"]
    return MeasureMany(names, "ab", {"a": first, "b": second}, [s, r, 0, 0], {"yes"}, {"no"}, end)


def _is_state(value: object, names: States) -> bool:
    try:
        return value in names
    except (TypeError, ValueError):  # an array
        return False


def _parts_of(value: object) -> tuple[Fraction | float, Fraction | float]:
    """Real and imaginary part of a number."""
    if isinstance(value, complex | np.complexfloating):
        return float(value.real), float(value.imag)
    if isinstance(value, str) and (found := _COMPLEX.fullmatch(value.replace(" ", ""))):
        size = found["imaginary"]
        return entry(found["real"] or "0"), entry(f"{size}1" if size in ("", "+", "-") else size)
    return entry(value), Fraction(0)


def _block(values: Any, size: int, role: str) -> Numbers:
    """Complex matrix ``[r, size]`` as a real one ``[2r, 2 size]``; fractions if all parts are rational."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    rows = 1 if role == "initial" else size
    if shape_of(values) != (rows, size):
        expected = f"a state or {counted(size, 'amplitude')}" if role == "initial" else f"{size} rows of {size} numbers"
        raise InvalidAcceptor(f"{role} must be {expected}; got {shown(values[0] if role == 'initial' else values)}.")
    pairs = []
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            try:
                pairs.append(_parts_of(value))
            except InvalidArgument:
                place = f"{role}[{j}]" if role == "initial" else f"{role}, row {i}, column {j}"
                known = "a finite number or a string such as '3/5' or '3/5+4/5i'"
                raise InvalidAcceptor(f"{place} must be {known}; got {shown(value)}.") from None
    real, imaginary = (
        read_array([p[k] for p in pairs], (len(pairs),), role, "numbers").reshape(rows, size) for k in (0, 1)
    )
    block: Numbers = np.block([[real, imaginary], [-imaginary, real]])
    if not real.dtype == imaginary.dtype == object:
        block = block.astype(np.float64)
    if block.dtype != object and not np.isfinite(block).all():
        raise InvalidAcceptor(f"{role} must have entries that are finite.")
    return block


def _is_near(value: Any, goal: int) -> bool:
    """Equal if exact, within the tolerance of rows if a float."""
    return bool(value == goal if isinstance(value, Fraction) else abs(value - goal) <= ROW_TOLERANCE)


def _check_unitary(block: Numbers, role: str, names: States) -> None:
    """Refuse a matrix whose rows are not of length 1, or not orthogonal."""
    products, n = block @ block.T, len(names)
    for s in range(n):
        if not _is_near(products[s, s], 1):
            length = number(products[s, s], 12)
            raise InvalidAcceptor(f"{role}, row of state {names[s]!r}: squared magnitudes must sum to 1; got {length}.")
        for t in range(s):
            for value in (products[s, t], products[s, n + t]):
                if not _is_near(value, 0):
                    pair = f"rows of states {names[t]!r} and {names[s]!r}"
                    raise InvalidAcceptor(
                        f"{role}, {pair} must be orthogonal; their product has the part {number(value, 12)}."
                    )


def _basis(n: int, kind: Any) -> Numbers:
    """Basis of the Hermitian matrices, in real blocks ``[k, 2n, 2n]``: the diagonal, real parts, imaginary parts."""
    (i, j), diagonal = np.triu_indices(n, 1), np.arange(n)
    real, imaginary = n + np.arange(len(i)), n + len(i) + np.arange(len(i))
    basis = np.zeros((n * n, 2 * n, 2 * n), dtype=np.int64)
    for shift in (0, n):  # both copies of the real part; the imaginary part has opposite signs in its own
        sign, other = (1, n) if shift == 0 else (-1, -n)
        basis[diagonal, shift + diagonal, shift + diagonal] = 1
        basis[real, shift + i, shift + j] = basis[real, shift + j, shift + i] = 1
        basis[imaginary, shift + i, shift + other + j] = sign
        basis[imaginary, shift + j, shift + other + i] = -sign
    return basis.astype(kind)


def _coordinates(blocks: Numbers) -> Numbers:
    """Coordinates ``[k, l]`` of Hermitian matrices in real blocks, in the order of the basis."""
    n = blocks.shape[-1] // 2
    rows, columns = np.triu_indices(n, 1)
    diagonal = np.arange(n)
    return np.concatenate(
        [blocks[:, diagonal, diagonal], blocks[:, rows, columns], blocks[:, rows, n + columns]], axis=1
    )
