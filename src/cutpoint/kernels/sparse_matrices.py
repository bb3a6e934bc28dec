"""Sparse matrices, one for each symbol: which entries are stored, as compressed rows, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from cutpoint.errors import TooLarge
from cutpoint.kernels import door
from cutpoint.kernels.words import Codes, EncodedWords, Floats, Offsets, offsets_of, ranges

Numbers = NDArray[Any]

LEAST_STATES = 64  # from so many states on, what is given as single entries is stored sparse ...
MOST_SHARE = 1 / 8  # ... if at most this share of all entries is given
MOST_DENSE = 2**31  # most bytes of a dense array that sparse matrices are turned into
FUNCTIONS = (np.where, np.zeros_like, np.array_equal, np.allclose)  # of NumPy that work entry by entry


class RaggedRows(NDArrayOperatorsMixin):
    """Numbers in rows of different lengths, computed with entry by entry as arrays are; axis -1 is along a row.

    What NumPy would keep as an axis of length 1 (``keepdims=True``) is repeated for each entry of its row.

    Examples
    --------
    >>> rows = RaggedRows(np.array([1.0, 3.0, 5.0]), np.array([0, 2, 3]))
    >>> (rows / rows.sum(axis=-1, keepdims=True)).values
    array([0.25, 0.75, 1.  ])
    """

    def __init__(self, values: Numbers, starts: Offsets) -> None:
        self.values, self.starts = values, starts

    def like(self, values: Numbers) -> Self:
        """Other numbers in the same rows."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, values=values)
        return twin

    @property
    def dtype(self) -> np.dtype[Any]:
        """Kind of the numbers."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.values)

    def matched(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each entry the one at its place in another row, which has as many; ``rows`` says in which."""
        first = self.starts[:-1]
        return np.arange(self.size) + np.repeat(first[rows] - first, np.diff(self.starts))

    def astype(self, kind: Any) -> Self:
        """Numbers of another kind."""
        return self.like(self.values.astype(kind))

    def setflags(self, write: bool) -> None:
        """Allow writing to the numbers, or not."""
        self.values.setflags(write=write)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        return self.like(ufunc(*map(entries_of, given), **options))

    def __array_function__(self, function: Any, _: Any, given: Sequence[Any], options: dict[str, Any]) -> Any:
        if function not in FUNCTIONS:
            return NotImplemented
        answer = function(*map(entries_of, given), **options)
        return self.like(answer) if isinstance(answer, np.ndarray) else answer

    def __getitem__(self, chosen: Any) -> Any:
        return self.values[entries_of(chosen)]

    def __setitem__(self, chosen: Any, value: Any) -> None:
        self.values[entries_of(chosen)] = value

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Sum of all numbers, or of each row."""
        return self._along(np.add, axis, keepdims)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Largest number, or that of each row."""
        return self._along(np.maximum, axis, keepdims)

    def any(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Whether any is true, or any of each row."""
        return self._along(np.logical_or, axis, keepdims)

    def all(self) -> bool:
        """Whether all are true."""
        return bool(self.values.all())

    def _along(self, ufunc: np.ufunc, axis: int | None, keepdims: bool) -> Any:
        if axis is None:
            return ufunc.reduce(self.values)
        lengths = np.diff(self.starts)
        filled = lengths > 0
        found = ufunc.reduceat(self.values, self.starts[:-1][filled]) if filled.any() else self.values[:0]
        if keepdims:
            return self.like(np.repeat(found, lengths[filled]))
        rows = np.zeros(len(lengths), dtype=found.dtype)
        rows[filled] = found
        return rows


@dataclass(frozen=True, eq=False)
class SparsePattern:
    """Which entries ``[a, s, t]`` of the matrices are stored: those of row (a, s) have increasing columns.

    Attributes
    ----------
    starts : where row (a, s) begins, ``starts[a * n_states + s]``; the last entry is the number of all.
    columns : next state t of every stored entry.
    """

    n_symbols: int
    n_states: int
    starts: Offsets
    columns: Codes

    @classmethod
    def checked(cls, n_symbols: int, n_states: int, starts: Any, columns: Any) -> SparsePattern:
        """Refuse what is not a pattern."""
        door.array("starts", starts, "int64", [n_symbols * n_states + 1])
        door.array("columns", columns, "int32", [door.ANY])
        door.compressed_rows("transitions", n_symbols, n_states, starts, columns)
        return cls(n_symbols, n_states, _fixed(starts), _fixed(columns))

    @cached_property
    def sources(self) -> Codes:
        """State s before every stored entry."""
        rows = np.arange(self.n_symbols * self.n_states, dtype=np.int64) % max(self.n_states, 1)
        return np.repeat(rows.astype(np.int32), np.diff(self.starts))

    @cached_property
    def symbols(self) -> Codes:
        """Symbol a of every stored entry."""
        ends = self.starts[:: self.n_states] if self.n_states else np.zeros(self.n_symbols + 1, dtype=np.int64)
        return np.repeat(np.arange(self.n_symbols, dtype=np.int32), np.diff(ends))

    @cached_property
    def flat(self) -> Offsets:
        """Places of the stored entries in the dense array."""
        return (self.symbols.astype(np.int64) * self.n_states + self.sources) * self.n_states + self.columns

    def find(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which stored entries are at some places of the dense array; -1 where none is."""
        found = np.searchsorted(self.flat, places)
        is_stored = np.append(self.flat, -1)[found] == places
        return np.where(is_stored, found, -1)

    def of_symbol(self, a: int) -> slice:
        """Stored entries of a symbol."""
        return slice(int(self.starts[a * self.n_states]), int(self.starts[(a + 1) * self.n_states]))

    def kept(self, make: Callable[[], Any]) -> Any:
        """What the compiled kernels make of the pattern, once."""
        if "_kept" not in self.__dict__:
            self.__dict__.setdefault("_kept", make())
        return self.__dict__["_kept"]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.n_symbols, self.n_states, self.starts, self.columns)


class SparseMatrices(RaggedRows):
    """Matrices ``[a, s, t]`` of which some entries are stored, none of them 0 at first: floats or ``Fraction``.

    Matrices over one pattern can be added, compared and so on, entry by entry; a row is ``[a, s]``.

    Examples
    --------
    >>> matrices = SparseMatrices.from_dense(np.array([[[0.0, 1.0], [0.5, 0.5]]]))
    >>> matrices
    <SparseMatrices: 1 symbol, 2 states, 3 stored entries>
    >>> matrices.sum(axis=-1), matrices.step(np.array([0.5, 0.5]), 0)
    (array([[1., 1.]]), array([0.25, 0.75]))
    """

    ndim = 3

    def __init__(self, pattern: SparsePattern, values: Numbers) -> None:
        super().__init__(values, pattern.starts)
        self.pattern = pattern

    @classmethod
    def from_entries(
        cls,
        n_symbols: int,
        n_states: int,
        symbols: NDArray[Any],
        sources: NDArray[Any],
        columns: NDArray[Any],
        values: Numbers,
    ) -> SparseMatrices:
        """Matrices from entries in any order; zeros are left out, a place that occurs twice is refused."""
        rows = symbols.astype(np.int64) * n_states + sources
        order = np.lexsort((columns, rows))
        order = order[values[order] != 0]
        rows, columns = rows[order], columns[order].astype(np.int32)
        starts = offsets_of(np.bincount(rows, minlength=n_symbols * n_states))
        return cls(SparsePattern.checked(n_symbols, n_states, starts, columns), values[order])

    @classmethod
    def from_dense(cls, matrices: Numbers) -> SparseMatrices:
        """Matrices of an array, whose entries that are not 0 are stored."""
        n_symbols, n_states, _ = matrices.shape
        symbols, sources, columns = np.nonzero(matrices)
        starts = offsets_of(np.bincount(symbols * n_states + sources, minlength=n_symbols * n_states))
        pattern = SparsePattern(n_symbols, n_states, _fixed(starts), _fixed(columns.astype(np.int32)))
        return cls(pattern, matrices[symbols, sources, columns])

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of symbols, states and states."""
        return self.pattern.n_symbols, self.pattern.n_states, self.pattern.n_states

    @property
    def n_entries(self) -> int:
        """Number of stored entries."""
        return len(self.values)

    def __len__(self) -> int:
        return self.pattern.n_symbols

    def __getitem__(self, chosen: Any) -> Any:
        """An entry ``[a, s, t]``, a row, the dense matrix of a symbol, or the numbers where a mask is set."""
        if isinstance(chosen, tuple):
            return self.at(*chosen, *[np.arange(self.shape[2])][: 3 - len(chosen)])[()]
        return self.take([chosen]).to_dense()[0] if isinstance(chosen, int) else super().__getitem__(chosen)

    def __array__(self, *_: Any, **__: Any) -> Numbers:
        """The dense array, for who asks NumPy for one."""
        return self.to_dense()

    def to_dense(self) -> Numbers:
        """The dense array; one that would take too much memory is refused with an estimate."""
        check_dense(self.shape)
        dense = np.zeros(self.shape, dtype=self.dtype)
        if self.dtype == object:
            dense[...] = self.values[0] * 0 if len(self.values) else 0
        dense.reshape(-1)[self.pattern.flat] = self.values
        return dense

    def fixed(self) -> SparseMatrices:
        """The same without zeros, and with numbers that nobody can write to."""
        kept = self.values != 0
        matrices = self if kept.all() else SparseMatrices.from_entries(*self.shape[:2], *self.entries())
        return matrices.like(_fixed(matrices.values))

    def at(self, symbols: Any, sources: Any, columns: Any) -> Numbers:
        """Entries at some places, those that are not stored as 0."""
        n = np.int64(self.pattern.n_states)
        places = (np.asarray(symbols, dtype=np.int64) * n + sources) * n + columns
        found = self.pattern.find(places)
        return np.where(found < 0, 0, self.values[found]) if self.n_entries else found * 0

    def chosen(self, place: Sequence[int | slice]) -> NDArray[np.bool_]:
        """Which stored entries are at a place: codes of a symbol, a state and a next state, or slices for all."""
        found = np.ones(self.size, dtype=np.bool_)
        for part, codes in zip(place, self.entries(), strict=False):
            found &= True if isinstance(part, slice) else codes == part
        return found

    def entries(self) -> tuple[Codes, Codes, Codes, Numbers]:
        """Symbol, state, next state and number of every stored entry, in this order."""
        return self.pattern.symbols, self.pattern.sources, self.pattern.columns, self.values

    def matrix(self, a: int) -> Any:
        """Matrix of a symbol as SciPy's ``csr_array``."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        n, here = self.pattern.n_states, self.pattern.of_symbol(a)
        starts = self.starts[a * n : (a + 1) * n + 1] - here.start
        return csr_array((self.values[here], self.pattern.columns[here], starts), shape=(n, n))

    def moves(self) -> Any:
        """Sum of the magnitudes of all matrices as SciPy's ``csr_array``: which states lead to which."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        places = self.pattern.sources, self.pattern.columns
        return csr_array((np.abs(self.values.astype(np.float64)), places), shape=self.shape[1:])

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        """Sum over some axes, or of all entries; ``keepdims`` of the rows alone, as they are stored."""
        if axis == (0, 2):
            return self.sum(axis=-1).sum(axis=0)
        if axis in (None, -1, 2):
            found = super().sum(-1 if axis == 2 else axis, keepdims)
            return found.reshape(self.shape[:2]) if axis is not None and not keepdims else found
        kept = [k for k in range(3) if k not in (axis if isinstance(axis, tuple) else (axis,))]
        check_dense(shape := tuple(self.shape[k] for k in kept))
        sums = np.zeros(shape, dtype=self.dtype)
        np.add.at(sums, tuple(self.entries()[k] for k in kept), self.values)
        return sums

    def step(self, row: Numbers, a: int) -> Numbers:
        """Row times the matrix of a symbol, summed over the states in their order."""
        return self._summed(self.pattern.columns, self.pattern.sources, row, a)

    def step_back(self, a: int, column: Numbers) -> Numbers:
        """Matrix of a symbol times a column."""
        return self._summed(self.pattern.sources, self.pattern.columns, column, a)

    def _summed(self, to: Codes, of: Codes, vector: Numbers, a: int) -> Numbers:
        here = self.pattern.of_symbol(a)
        terms = vector[of[here]] * self.values[here]
        if terms.dtype == np.float64:
            return np.bincount(to[here], weights=terms, minlength=self.pattern.n_states)
        sums = vector * 0
        np.add.at(sums, to[here], terms)
        return sums

    def extended(self, leaders: NDArray[np.int64]) -> SparseMatrices:
        """The same with more entries stored, 0 at first: rows (a, s) that have one leading row all have the same.

        ``leaders[a * n_states + s]`` is the number of the leading row.
        """
        m, n, _ = self.shape
        rows = leaders[self.pattern.symbols.astype(np.int64) * n + self.pattern.sources]
        places = np.unique(rows * n + self.pattern.columns)
        starts = offsets_of(np.bincount(places // n, minlength=m * n))
        lengths = np.diff(starts)[leaders]
        columns = (places % n).astype(np.int32)[ranges(starts[leaders], lengths)]
        pattern = SparsePattern(m, n, offsets_of(lengths), columns)
        return SparseMatrices(pattern, self.at(pattern.symbols, pattern.sources, pattern.columns))

    def drawn(self, symbols: NDArray[Any], sources: NDArray[Any], draws: Floats) -> NDArray[np.int64]:
        """Next state chosen from each row by a number in [0, 1); an entry of probability 0 is never chosen."""
        rows = symbols.astype(np.int64) * self.pattern.n_states + sources
        return self.pattern.columns[chosen_entries(self, rows, draws)].astype(np.int64)

    def take(self, symbols: Sequence[int], axis: int = 0) -> SparseMatrices:
        """Matrices of some symbols, in the order given."""
        n = self.pattern.n_states
        parts = [self.pattern.of_symbol(a) for a in symbols]
        lengths = np.diff(self.starts).reshape(-1, n)[list(symbols)].reshape(-1)
        chosen = np.concatenate([np.arange(part.start, part.stop) for part in parts])
        pattern = SparsePattern(len(symbols), n, offsets_of(lengths), self.pattern.columns[chosen])
        return SparseMatrices(pattern, self.values[chosen])

    def transpose(self, *_: int) -> SparseMatrices:
        """The transposed matrices: axes 0, 2, 1."""
        symbols, sources, columns, values = self.entries()
        return SparseMatrices.from_entries(*self.shape[:2], symbols, columns, sources, values)

    def kronecker(self, other: SparseMatrices) -> SparseMatrices:
        """Product of the matrices of each symbol over pairs of states."""
        parts = [(self.pattern.of_symbol(a), other.pattern.of_symbol(a)) for a in range(len(self))]
        made = sum((mine.stop - mine.start) * (its.stop - its.start) for mine, its in parts)
        check_dense((made, 8), "the product")  # numbers of each entry, places and order while it is made
        pairs = [np.meshgrid(np.r_[mine], np.r_[its], indexing="ij") for mine, its in parts]
        left, right = (np.concatenate([side.ravel() for side in sides]) for sides in zip(*pairs, strict=True))
        n = other.pattern.n_states
        sources, columns = (
            mine[left].astype(np.int64) * n + its[right]
            for mine, its in zip(self.entries()[1:3], other.entries()[1:3], strict=True)
        )
        size, values = self.pattern.n_states * n, self.values[left] * other.values[right]
        return SparseMatrices.from_entries(len(self), size, self.pattern.symbols[left], sources, columns, values)

    @classmethod
    def block_diagonal(cls, blocks: Sequence[SparseMatrices]) -> SparseMatrices:
        """Matrices with those of several along their diagonals."""
        sizes = [block.pattern.n_states for block in blocks]
        shifts = np.repeat(offsets_of(sizes)[:-1], [block.n_entries for block in blocks])
        symbols, sources, columns, values = map(np.concatenate, zip(*(b.entries() for b in blocks), strict=True))
        return cls.from_entries(len(blocks[0]), sum(sizes), symbols, sources + shifts, columns + shifts, values)

    def lumped(self, classes: NDArray[np.int64], shares: Numbers) -> SparseMatrices:
        """Matrices over classes of states, -1 for those that are dropped: entries that fall together are added.

        ``shares[s]`` is the part that the row of state s has in that of its class.
        """
        symbols, sources, columns, values = self.entries()
        chosen = (classes[sources] >= 0) & (classes[columns] >= 0) & (shares[sources] != 0)
        symbols, sources, columns = symbols[chosen], sources[chosen], columns[chosen]
        parts = values[chosen] * shares[sources]
        return added_up(
            self.shape[0], int(classes.max(initial=-1)) + 1, symbols, classes[sources], classes[columns], parts
        )

    def numerators(self) -> SparseMatrices:
        """Fractions as whole numbers over a denominator for each symbol: their sums are equal where the sums are."""
        numbers = list[int]()
        for a in range(len(self)):
            values = self.values[self.pattern.of_symbol(a)].tolist()
            below = math.lcm(*{value.denominator for value in values})
            numbers += [value.numerator * (below // value.denominator) for value in values]
        small = len(numbers) * max(map(abs, numbers), default=0) < 2**63
        return self.like(np.array(numbers, dtype=np.int64 if small else object))

    def lumping(self, classes: NDArray[np.int64], near: float) -> NDArray[np.int64]:
        """The coarsest classes of states, within those given, that enter each class with the same sums.

        A round looks at the moves into classes that are new, and of the parts of a class the largest is not: a state is
        looked at again a few times, however long the paths are. Sums of floats are rounded to multiples of ``near``.
        """
        matrices, classes = self.numerators() if self.dtype == object else self, classes.copy()
        fresh = np.ones(len(classes), dtype=np.bool_)
        while fresh.any():
            states, kinds = matrices._entering(classes, fresh, near)
            fresh = np.zeros(len(classes), dtype=np.bool_)
            if len(states):
                _split_classes(classes, states, kinds, fresh)
        return classes

    def _entering(
        self, classes: NDArray[np.int64], fresh: NDArray[np.bool_], near: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """States that enter new classes, and their kinds: equal where class and sums into new classes are."""
        entries = np.flatnonzero(fresh[self.pattern.columns])
        symbols, sources, columns, values = (part[entries] for part in self.entries())
        order = np.lexsort((classes[columns], symbols, sources))
        sources = sources[order]
        groups = symbols[order].astype(np.int64) * (int(classes.max()) + 1) + classes[columns[order]]
        firsts = np.flatnonzero(np.append(True, (np.diff(groups) != 0) | (np.diff(sources) != 0))[: len(groups)])
        sums = np.add.reduceat(values[order], firsts) if len(firsts) else values
        codes = sums if self.dtype != np.float64 else np.round(sums / near)
        firsts, codes = firsts[(codes != 0).astype(np.bool_)], codes[(codes != 0).astype(np.bool_)]
        known: dict[Any, int] = {}
        pairs = zip(groups[firsts].tolist(), codes.tolist(), strict=True)
        entered = np.array([known.setdefault(pair, len(known)) for pair in pairs], dtype=np.int32)
        states, lengths = np.unique(sources[firsts], return_counts=True)
        rows = EncodedWords(entered, offsets_of(lengths), classes[states].astype(np.int32))
        return states.astype(np.int64), np.unique(rows.first_equal(), return_inverse=True)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pattern, self.values)

    def __repr__(self) -> str:
        from cutpoint.wording import counted  # noqa: PLC0415

        m, n, _ = self.shape
        sizes = f"{counted(m, 'symbol')}, {counted(n, 'state')}, {self.n_entries:,} stored entries"
        return f"<SparseMatrices: {sizes}>"


Matrices = Floats | SparseMatrices
"""Matrices ``[a, s, t]`` in either form."""


def added_up(
    n_symbols: int, n_states: int, symbols: NDArray[Any], sources: NDArray[Any], columns: NDArray[Any], values: Numbers
) -> SparseMatrices:
    """Matrices from entries of which those of one place are added."""
    places = (symbols.astype(np.int64) * n_states + sources) * n_states + columns
    order = np.argsort(places, kind="stable")
    firsts = np.flatnonzero(np.diff(places[order], prepend=-1))
    sums = np.add.reduceat(values[order], firsts) if len(firsts) else values[:0]
    chosen = order[firsts]
    return SparseMatrices.from_entries(n_symbols, n_states, symbols[chosen], sources[chosen], columns[chosen], sums)


def _split_classes(
    classes: NDArray[np.int64], states: NDArray[np.int64], kinds: NDArray[np.int64], fresh: NDArray[np.bool_]
) -> None:
    """Split classes into kinds of some of their states and the others; all parts but the largest become new."""
    sizes = np.bincount(classes)
    others = sizes - np.bincount(classes[states], minlength=len(sizes))
    parts, owners = np.bincount(kinds), np.empty(int(kinds.max()) + 1, dtype=np.int64)
    owners[kinds] = classes[states]
    order = np.lexsort((-parts, owners))
    largest = order[np.append(True, np.diff(owners[order]) != 0)]  # of each class that has kinds
    stays = largest[parts[largest] > others[owners[largest]]]
    names = np.full(len(parts), -1, dtype=np.int64)
    names[stays] = owners[stays]
    renamed = np.flatnonzero(names < 0)
    names[renamed] = len(sizes) + np.arange(len(renamed))
    left = owners[stays][others[owners[stays]] > 0]  # classes whose other states become a new one
    moved = np.full(len(sizes), -1, dtype=np.int64)
    moved[left] = len(sizes) + len(renamed) + np.arange(len(left))
    is_other = moved[classes] >= 0
    is_other[states] = False
    classes[is_other], fresh[is_other] = moved[classes[is_other]], True
    fresh[states] = names[kinds] != classes[states]
    classes[states] = names[kinds]


class StateRows(RaggedRows):
    """The rows of a generator's states: all moves of a state, by symbol and next state, and last its stop."""

    ndim = 2

    def __init__(self, matrices: SparseMatrices, stop: Numbers) -> None:
        pattern = self.pattern = matrices.pattern
        order = np.argsort(pattern.sources, kind="stable")
        starts = offsets_of(np.bincount(pattern.sources, minlength=pattern.n_states) + 1)
        self.places = np.empty(matrices.n_entries, dtype=np.int64)  # of the stored entries in the rows
        self.places[order] = np.arange(len(order)) + pattern.sources[order]
        values = np.empty(int(starts[-1]), dtype=np.result_type(matrices.values, stop))
        values[self.places], values[starts[1:] - 1] = matrices.values, stop
        super().__init__(values, starts)

    @property
    def matrices(self) -> SparseMatrices:
        """The moves."""
        return SparseMatrices(self.pattern, self.values[self.places])

    @property
    def stop(self) -> Numbers:
        """The stop of each state."""
        return self.values[self.starts[1:] - 1]

    def drawn(self, states: NDArray[np.int64], draws: Floats) -> NDArray[np.int64]:
        """For each state 0, a stop, or 1 + a n + t, a move to t that emits a, by numbers in [0, 1)."""
        turned = (draws - self.stop[states]) % 1.0  # as if the stop came first, as it does in a dense generator
        pattern, chosen = self.pattern, chosen_entries(self, states, turned)
        codes = np.zeros(len(self.values), dtype=np.int64)
        codes[self.places] = 1 + pattern.symbols.astype(np.int64) * pattern.n_states + pattern.columns
        return codes[chosen]


def chosen_entries(rows: RaggedRows, which: NDArray[np.int64], draws: Floats) -> NDArray[np.int64]:
    """Entry chosen from each of some rows by a number in [0, 1); one of probability 0 is never chosen."""
    first, lengths = rows.starts[which], rows.starts[which + 1] - rows.starts[which]
    begins = offsets_of(lengths)
    values = rows.values[ranges(first, lengths)]
    sums = np.cumsum(values)
    before = np.append(0.0, sums)[begins[:-1]]
    goals = np.repeat(draws * (sums[begins[1:] - 1] - before), lengths)
    passed = (sums - np.repeat(before, lengths) <= goals) | (values == 0.0)
    last = lengths - 1
    if (values == 0.0).any():  # the last that can be chosen
        places = np.where(values > 0.0, np.arange(len(values)) - np.repeat(begins[:-1], lengths), 0)
        last = np.maximum.reduceat(places, begins[:-1])
    return np.asarray(first + np.minimum(np.add.reduceat(passed, begins[:-1]), last))


def entries_of(rows: Any) -> Any:
    """Numbers of rows, of an array or ragged: as an array."""
    return rows.values if isinstance(rows, RaggedRows) else rows


def edges_of(matrices: Any) -> Any:
    """Which states lead to which, in an array or sparse matrices, as SciPy's ``csr_array``."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    return matrices.moves() if isinstance(matrices, SparseMatrices) else csr_array((matrices > 0).any(axis=0))


def reachable(edges: Any, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """States that can be reached from some states along edges ``[from, to]``, as :func:`edges_of` has them."""
    from scipy.sparse import block_array, csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415

    graph = block_array([[csr_array((1, 1)), csr_array(start[None, :])], [None, edges]], format="csr")
    found = np.zeros(len(start) + 1, dtype=np.bool_)
    found[breadth_first_order(graph, 0, return_predecessors=False)] = True
    return found[1:]


def is_worthwhile(n_states: int, n_symbols: int, n_entries: int) -> bool:
    """Whether matrices given by single entries are stored sparse: there are enough states and few enough entries."""
    return n_states >= LEAST_STATES and n_entries <= MOST_SHARE * n_symbols * n_states**2


def check_dense(shape: Sequence[int], what: str = "the dense array") -> None:
    """Refuse an array of floats that would not fit into memory."""
    size = 8 * int(np.prod(shape, dtype=object))
    if size > MOST_DENSE:
        sizes = " × ".join(f"{n:,}" for n in shape)
        raise TooLarge(
            f"{what} of {sizes} numbers would take {size / 1e9:,.1f} GB; the limit is {MOST_DENSE / 1e9:.1f} GB. "
            "The acceptor is stored sparse: ask about words, or trim it."
        )


def _fixed(array: Numbers) -> Numbers:
    """The array for reading only; one of plain numbers rests on bytes, so nobody can make it writable again."""
    if array.dtype != object:
        return np.frombuffer(array.tobytes(), dtype=array.dtype)
    array.setflags(write=False)
    return array
