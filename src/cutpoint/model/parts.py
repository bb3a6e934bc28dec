"""The parts of an acceptor as users write them, read into arrays and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from fractions import Fraction
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, State
from cutpoint.data.alphabet import Names, is_collection
from cutpoint.errors import InvalidAcceptor, InvalidArgument, UnknownState
from cutpoint.exact import RationalFunction, check_unmasked, entry, floats, has_parameters, whole_number
from cutpoint.exact.numbers import DEEPEST
from cutpoint.kernels import MOST_THREADS
from cutpoint.kernels.sparse_matrices import LEAST_STATES, SparseMatrices, is_worthwhile
from cutpoint.model.text import number
from cutpoint.wording import listed, shown, suggestion

ROW_TOLERANCE = 1e-9  # how far a row of floats may be from summing to 1
LARGEST = 1e300  # largest weight that is read
SMALLEST = 5e-324  # smallest positive float
LEAST = Fraction(SMALLEST) / 2  # a larger fraction is a positive float

Numbers = NDArray[Any]  # array of floats, or of ``Fraction`` if every entry is rational

MOST_STATES = 10**7  # most states that a number can ask for


class Fault(NamedTuple):
    """What is wrong with the numbers of a machine: the place in their array, or that of a row, and the sentence."""

    place: tuple[int, ...]
    sentence: str


def random_generator(rng: np.random.Generator | int) -> np.random.Generator:
    """Generator itself, or one made from a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InvalidArgument(f"rng must be a numpy Generator or a whole number, 0 or more, as seed; got {shown(rng)}.")
    return np.random.default_rng(rng)


def check_threads(threads: int | None) -> None:
    """Refuse anything but a number of threads."""
    if threads is not None:
        whole_number("threads", threads, least=1, most=MOST_THREADS)


class States(Names):
    """Distinct state names in a fixed order; an int n gives 0 … n-1."""

    def __new__(cls, states: int | Iterable[State]) -> States:
        """Check the names and number them."""
        if isinstance(states, States):
            return states
        counted_states = isinstance(states, int | np.integer) and not isinstance(states, bool)
        if isinstance(states, set | frozenset) or not (counted_states or is_collection(states)):
            raise InvalidAcceptor(f"states must be a number or names in an order, such as a list; got {shown(states)}.")
        size: Any = states if counted_states else len(states) if isinstance(states, Sized) else 0
        if not 0 <= size <= MOST_STATES:
            raise InvalidAcceptor(f"the number of states must be from 1 to {MOST_STATES:,}; got {shown(states)}.")
        names: Any = range(size) if counted_states else states
        self = cls.numbered(names, "state names", InvalidAcceptor)
        if not self:
            raise InvalidAcceptor("at least one state is needed; the state set is empty.")
        return self

    def mask(self, seen: Any) -> NDArray[np.bool_]:
        """Whether each state agrees with what was seen: one state, a set of them, or None for nothing."""
        if seen is None:
            return np.ones(len(self), dtype=np.bool_)
        names = seen if isinstance(seen, set | frozenset) else [seen]
        if not names:
            raise InvalidArgument("must not be an empty set; use None for not seen.", argument="states")
        found = np.zeros(len(self), dtype=np.bool_)
        found[[self.code(name, "states: ") for name in names]] = True
        return found

    def unknown(self, name: object, where: str) -> UnknownState:
        """Error for a state that is not among these."""
        sentence = f"{where}{shown(name)} is not a state; the states are {listed(self)}."
        return UnknownState(sentence + suggestion(name, self))


def read_transitions(transitions: object, alphabet: Alphabet, states: States, complete: bool = True) -> Any:
    """Array ``[a, s, t]`` from a mapping of symbols to matrices, or from an array; or sparse matrices.

    Unless ``complete``, symbols and rows may be left out of mappings: nothing happens there. What is given by single
    entries, in mappings or SciPy's sparse matrices, is sparse if there are enough states and few enough entries.
    """
    shape = (len(alphabet), len(states), len(states))
    if isinstance(transitions, SparseMatrices):
        if transitions.shape != shape:
            raise InvalidAcceptor(f"transitions must have shape {shape}; got sparse matrices {transitions.shape}.")
        return transitions
    if _is_sparse(transitions):
        what = "one matrix per symbol, in a list or by symbol in a dictionary"
        raise InvalidAcceptor(f"transitions must be {what}; got a single sparse matrix.")
    if not isinstance(transitions, Mapping):
        if not (isinstance(transitions, list | tuple) and any(map(_is_sparse, transitions))):
            return read_array(transitions, shape, "transitions", "one square matrix per symbol")
        if (found := len(transitions)) != len(alphabet):
            raise InvalidAcceptor(f"transitions must have one matrix per symbol, {len(alphabet)}; got {found}.")
        transitions = dict(zip(alphabet, transitions, strict=True))
    _check_keys(transitions, alphabet, "transitions", "a matrix for every symbol", complete)
    matrices = [transitions.get(symbol, {}) for symbol in alphabet]
    names = [f"transitions[{symbol!r}]" for symbol in alphabet]
    large = len(states) >= LEAST_STATES and all(isinstance(matrix, Mapping) for matrix in matrices)
    if large or any(map(_is_sparse, matrices)):
        entries = [_entries(matrix, name, states, complete) for matrix, name in zip(matrices, names, strict=True)]
        if not has_parameters([values for *_, values in entries]):
            return _sparse_or_dense(shape, names, states, entries)
    return _common([_matrix(matrix, name, states, complete) for matrix, name in zip(matrices, names, strict=True)])


Entries = tuple[NDArray[Any], NDArray[Any], Numbers]  # states before and after, and numbers


def _is_sparse(matrix: object) -> bool:
    """Whether a value is one of SciPy's sparse matrices."""
    return hasattr(matrix, "tocoo") and hasattr(matrix, "nnz")


def _sparse_or_dense(shape: tuple[int, int, int], names: list[str], states: States, entries: list[Entries]) -> Any:
    """Matrices from their entries: sparse, or an array if that is not worthwhile."""
    lengths = [len(values) for _, _, values in entries]
    for name, (before, after, _) in zip(names, entries, strict=True):
        places = np.sort(before.astype(np.int64) * len(states) + after)
        for place in places[:-1][places[1:] == places[:-1]]:
            s, t = divmod(int(place), len(states))
            found = f"has two from {states[s]!r} to {states[t]!r}"
            raise InvalidAcceptor(f"{name} must have one entry in each place; it {found}. Add them up first.")
    parts = [np.concatenate(part) for part in zip(*(places for *places, _ in entries), strict=True)]
    exact = all(values.dtype == object for *_, values in entries)
    values = np.concatenate([values if exact else values.astype(np.float64) for *_, values in entries])
    symbols = np.repeat(np.arange(shape[0]), lengths)
    matrices = SparseMatrices.from_entries(*shape[:2], symbols, parts[0], parts[1], values)
    return matrices if is_worthwhile(shape[1], shape[0], matrices.n_entries) else matrices.to_dense()


def _entries(matrix: object, where: str, states: States, complete: bool) -> Entries:
    """Entries of the matrix of one symbol: of a sparse matrix, nested mappings, or an array."""
    if _is_sparse(matrix):
        return _sparse_entries(matrix, where, len(states))
    if not isinstance(matrix, Mapping):
        dense = _matrix(matrix, where, states, complete)
        before, after = np.nonzero(dense)
        return before, after, dense[before, after]
    _check_keys(matrix, states, where, "a row for every state", complete)
    sources, targets, values = list[int](), list[int](), list[Any]()
    for name, row in matrix.items():
        place = f"{where}[{name!r}]"
        if isinstance(row, Mapping):
            targets += [states.code(t, f"{place}: ") for t in row]
            values += [_entry(p, f"{place}[{t!r}]") for t, p in row.items()]
        elif row in states and shape_of(row) != (len(states),):
            targets.append(states.code(row))
            values.append(Fraction(1))
        else:
            dense = _row(row, states, place)
            targets += np.flatnonzero(dense).tolist()
            values += dense[np.flatnonzero(dense)].tolist()
        sources += [states.code(name)] * (len(targets) - len(sources))
    return np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64), _common(values)


def _sparse_entries(matrix: Any, where: str, size: int) -> Entries:
    """Entries of one of SciPy's sparse matrices, which nothing is taken for granted of."""
    if matrix.shape != (size, size):
        raise InvalidAcceptor(f"{where} must have shape {(size, size)}; got a sparse matrix of shape {matrix.shape}.")
    for part in (getattr(matrix, name, None) for name in ("indices", "indptr", "row", "col")):
        if part is not None and not np.issubdtype(part.dtype, np.integer):
            raise InvalidAcceptor(f"{where} must have whole numbers for indices; got {part.dtype}.")
    try:
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        found = matrix.tocoo()
    except ValueError as fault:
        raise InvalidAcceptor(f"{where} is not a well-formed sparse matrix ({str(fault).rstrip('.')}).") from None
    before, after = np.asarray(found.row, dtype=np.int64), np.asarray(found.col, dtype=np.int64)
    for wrong in np.flatnonzero((np.minimum(before, after) < 0) | (np.maximum(before, after) >= size)):
        place = f"({before[wrong]}, {after[wrong]})"
        raise InvalidAcceptor(f"{where} must have indices from 0 to {size - 1}; got {place}.")
    values = read_array(found.data, (len(before),), where, "one number per stored entry")
    return before, after, values


def read_initial(initial: object, states: States) -> Numbers:
    """Vector ``[s]`` from a state, a mapping of states to probabilities, a vector, or "uniform"."""
    if isinstance(initial, str) and initial == "uniform" and initial not in states:
        return np.array([Fraction(1, len(states))] * len(states), dtype=object)
    return read_vector(initial, states, "initial")


def read_vector(values: object, states: States, where: str) -> Numbers:
    """Vector ``[s]`` from a state, a mapping of states to numbers, or a vector."""
    return _row(values, states, where)


def read_final(final: object, states: States) -> NDArray[np.bool_]:
    """Vector ``[s]`` of bool from a collection of states, a state, or a vector of l zeros and ones."""
    names: Iterable[object]
    check_unmasked("final", final, InvalidAcceptor)
    if isinstance(final, np.ndarray) and final.dtype == np.bool_ and final.shape == (len(states),):
        return final.copy()
    if final in states:
        names = [final]
    elif isinstance(final, Mapping):
        names = [state for state, kept in final.items() if _bit(kept)]
    elif isinstance(final, str | Set):
        names = final
    elif not is_collection(final) or (isinstance(final, np.ndarray) and final.ndim != 1):
        raise InvalidAcceptor(f"final must be a collection of states or a vector; got {shown(final)}.")
    else:
        names = values = list(final.tolist() if isinstance(final, np.ndarray) else final)
        boolean = bool(values) and all(isinstance(value, bool | np.bool_) for value in values)
        is_vector = isinstance(final, np.ndarray) or boolean
        bits = len(values) == len(states) and all(_is_bit(value) for value in values)
        if bits and not is_vector and all(value in states for value in values):
            found = f"final={shown(final)} can be read as state names and as a vector of zeros and ones"
            raise InvalidAcceptor(f"{found}. Pass a set of states, or a bool array.")
        if is_vector and len(values) != len(states):
            expected = f"final as a vector must have one value per state, {len(states)}"
            raise InvalidAcceptor(f"{expected}; got {len(values)}.")
        if is_vector or bits:
            return np.array([_bit(value) for value in values], dtype=np.bool_)
    kept = np.zeros(len(states), dtype=np.bool_)
    kept[[states.code(name, "final: ") for name in names]] = True
    return kept


def rescaling(kind: str) -> str:
    """What to do about rows of an Acceptor, or a Generator, that do not sum to 1."""
    return f"Use {kind}.normalized(...) to rescale rows."


def check_rows(rows: Any, alphabet: Alphabet, states: States, kind: str = "Acceptor") -> None:
    """Refuse entries that are not probabilities and rows that do not sum to 1."""
    _refuse(row_faults(rows, alphabet, states, kind))


def row_faults(rows: Any, alphabet: Alphabet, states: States, kind: str = "Acceptor") -> Iterator[Fault]:
    """Entries that are not probabilities, then rows that do not sum to 1."""
    yield from entry_faults(rows, alphabet, states)
    terms = rows[rows.astype(np.bool_)] if rows.dtype == object and rows.ndim == 1 else rows  # zeros cost as much
    sums = np.asarray(terms.sum(axis=-1))  # a vector of fractions sums to a plain one
    for place in np.argwhere(sums != 1 if rows.dtype == object else np.abs(sums - 1.0) > ROW_TOLERANCE):
        found = number(sums[tuple(place)], 12)
        name = _row_name(place, alphabet, states)
        yield Fault(tuple(place.tolist()), f"{name} must sum to 1; got {found}. {rescaling(kind)}")


def check_identities(rows: Numbers, alphabet: Alphabet, states: States) -> None:
    """Refuse rows of functions that do not sum to 1 for all parameters, and negative numbers among them."""
    numbers = np.array([0 if f.constant is None else f.constant for f in rows.flat], dtype=object).reshape(rows.shape)
    check_entries(numbers, alphabet, states)
    sums = np.asarray(rows.sum(axis=-1))
    for place in np.argwhere(sums != 1):
        found = f"{_row_name(place, alphabet, states)} must sum to 1 for all parameters; got {sums[tuple(place)]}"
        raise InvalidAcceptor(f"{found}. Write 1 - p for the rest of a row, for example.")


def scaled_rows(rows: Any, alphabet: Alphabet, states: States) -> Any:
    """Rows divided by their sums; a row that sums to 0 is refused."""
    check_entries(rows, alphabet, states)
    top = 1 if rows.dtype == object else np.maximum(rows.max(axis=-1, keepdims=True), SMALLEST)
    parts = rows / top  # so that no sum overflows
    for place in np.argwhere(np.asarray(parts.sum(axis=-1)) == 0):
        name = _row_name(place, alphabet, states)
        raise InvalidAcceptor(f"{name} sums to 0 and cannot be rescaled; give it a positive entry.")
    return parts / parts.sum(axis=-1, keepdims=True)


def _row_name(place: NDArray[np.intp], alphabet: Alphabet, states: States, vector: str = "initial") -> str:
    """Name of the row of transitions ``[a, s]`` or ``[a, s, t]``, or of a vector."""
    return vector if len(place) < 2 else f"row of symbol {alphabet[place[0]]!r}, state {states[place[1]]!r}"


def check_entries(rows: Any, alphabet: Alphabet, states: States, vector: str = "initial") -> None:
    """Refuse entries that are negative, not finite, or too small for a float."""
    _refuse(entry_faults(rows, alphabet, states, vector))


def entry_faults(rows: Any, alphabet: Alphabet, states: States, vector: str = "initial") -> Iterator[Fault]:
    """Entries that are negative, not finite, or too small for a float."""
    values = rows.values if isinstance(rows, SparseMatrices) else rows
    extreme, negative = np.zeros(values.shape, dtype=np.bool_), np.zeros(values.shape, dtype=np.bool_)
    if values.dtype == object:
        filled, fault = values.astype(np.bool_), "0 or in the range of floats"
        negative[filled] = values[filled] < 0
        extreme[filled] = ~negative[filled] & (values[filled] <= LEAST)
    else:
        extreme, negative, fault = ~np.isfinite(values), values < 0, "finite"
    for wrong, rule in ((extreme, fault), (negative, "not negative")):
        for found in np.argwhere(wrong):
            place = np.array([part[found[0]] for part in rows.entries()[:3]]) if values is not rows else found
            yield Fault(
                tuple(place.tolist()),
                f"{_row_name(place, alphabet, states, vector)} must have entries that are {rule}; "
                f"got {number(values[tuple(found)], 12)} for state {states[place[-1]]!r}.",
            )


def _refuse(faults: Iterable[Fault]) -> None:
    """Raise the first of the faults, if there are any."""
    for fault in faults:
        raise InvalidAcceptor(fault.sentence)


def _check_keys(given: Mapping[Any, Any], names: Names, where: str, parts: str, complete: bool) -> None:
    """Refuse a mapping whose keys are not names, or, if it must be complete, not all the names."""
    for name in given:
        names.code(name, f"{where}: ")
    if complete and (missing := [name for name in names if name not in given]):
        raise InvalidAcceptor(f"{where} must have {parts}; none for {listed(missing)}.")


def _matrix(matrix: object, where: str, states: States, complete: bool) -> Numbers:
    """Matrix of one symbol, from nested mappings or an array."""
    if not isinstance(matrix, Mapping):
        return read_array(matrix, (len(states), len(states)), where, "one row and one column per state")
    _check_keys(matrix, states, where, "a row for every state", complete)
    return _common([_row(matrix.get(state, {}), states, f"{where}[{state!r}]") for state in states])


def _row(row: object, states: States, where: str) -> Numbers:
    """Row from a mapping (states left out have probability 0), a single next state, or a vector."""
    if isinstance(row, Mapping):
        values: list[Any] = [Fraction(0)] * len(states)
        for state, probability in row.items():
            values[states.code(state, f"{where}: ")] = _entry(probability, f"{where}[{state!r}]")
        return _common(values)
    if row in states:
        if shape_of(row) == (len(states),):
            found = f"{where}: {shown(row)} can be read as a state and as a row"
            raise InvalidAcceptor(f"{found}. Pass a list for a row, a dictionary for a state.")
        return _row({row: 1}, states, where)
    if isinstance(row, str) or not isinstance(row, Iterable):
        states.code(row, f"{where}: ")
    return read_array(row, (len(states),), where, "one probability per state")


def read_array(values: object, shape: tuple[int, ...], where: str, meaning: str) -> Numbers:
    """Array of floats, or of fractions if all entries are rational; the shape must fit."""
    check_unmasked(where, values, InvalidAcceptor)
    if 0 in shape and np.size(values) == 0:  # type: ignore[arg-type]
        return np.zeros(shape, dtype=object)
    if hasattr(values, "__array__"):
        values = np.asarray(values)
    found = shape_of(values)
    if found != shape:
        given = "rows of different lengths" if found is None else f"shape {found}" if found else shown(values)
        raise InvalidAcceptor(f"{where} must have shape {shape} ({meaning}); got {given}.")
    if isinstance(values, np.ndarray) and np.issubdtype(values.dtype, np.floating):
        return floats(where, values, "must be numbers", InvalidAcceptor)
    flat = np.array(values, dtype=object).reshape(-1)
    entries = [_entry(v, where, at) for v, at in zip(flat, np.ndindex(*shape), strict=True)]
    return _common(entries).reshape(shape)


def _entry(value: object, where: str, at: tuple[int, ...] = ()) -> Fraction | float | RationalFunction:
    if isinstance(value, RationalFunction):
        return value
    try:
        number = entry(value)
        if isinstance(number, Fraction) and abs(number.numerator) > int(LARGEST) * number.denominator:
            raise InvalidArgument(f"expected a number of at most {LARGEST:g}; got {shown(value)}.")
    except InvalidArgument as wrong:
        raise InvalidAcceptor(f"{where}{''.join(f'[{i}]' for i in at)}: {wrong}") from None
    return number


def _common(values: list[Any]) -> Numbers:
    """Entries or rows as one array: of fractions if all are, or if some have parameters, otherwise of floats."""
    exact = all(isinstance(v, Fraction) or (isinstance(v, np.ndarray) and v.dtype == object) for v in values)
    return np.array(values, dtype=object if exact or has_parameters(values) else np.float64)


def shape_of(values: object, depth: int = DEEPEST) -> tuple[int, ...] | None:
    """Shape of nested sequences; None if they are ragged, or nested more deeply than arrays can be."""
    if isinstance(values, np.ndarray):
        return tuple(values.shape)
    if isinstance(values, range):
        return (len(values),)
    if isinstance(values, str) or not isinstance(values, Sequence):
        return ()
    inner = {shape_of(value, depth - 1) for value in values} if depth else {None}
    if len(inner) > 1 or None in inner:
        return None
    return (len(values), *(inner.pop() or ())) if inner else (0,)


def _bit(value: object) -> bool:
    if not _is_bit(value):
        raise InvalidAcceptor(f"final as a vector must hold zeros and ones only; got {shown(value)}.")
    return bool(value)


def _is_bit(value: object) -> bool:
    return isinstance(value, Number | np.bool_) and value in (0, 1)
