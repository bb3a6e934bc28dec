"""Complete data: every state of every run was seen (section 4, up to Prop. 4.1): counts, design matrix, estimate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Alphabet, Sample, State
from cutpoint.data.sample import LARGEST_TOTAL
from cutpoint.em.observations import check_sample
from cutpoint.errors import InvalidArgument, InvalidSample, TooLarge
from cutpoint.exact import check_unmasked, entry, floats, whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model.parts import ROW_TOLERANCE, States
from cutpoint.model.text import aligned
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Row = tuple[Hashable, Hashable, Hashable]
Column = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]

LARGEST_MATRIX = 2**30  # limit of the bytes of a design matrix


def count_transitions(sample: Sample, states: int | Iterable[State]) -> Floats:
    """Counts v of complete data: how often each transition was made, ``[a, s, t]``.

    Parameters
    ----------
    sample : every observation must have all n + 1 states seen.
    states : the states, in the order of the result's axes.

    Examples
    --------
    >>> sample = cp.Sample(["00", "01"], states=["aab", "abb"])
    >>> cp.count_transitions(sample, "ab")
    array([[[1., 2.],
            [0., 0.]],
    <BLANKLINE>
           [[0., 0.],
            [0., 1.]]])
    """
    check_sample(sample)
    names = States(states)
    counts = np.zeros((len(sample.alphabet), len(names), len(names)))
    for r, count in enumerate(sample.counts):
        run = complete_run(sample, r, names)
        np.add.at(counts, (sample.decoded.word(r), run[:-1], run[1:]), count)
    return counts


def complete_run(sample: Sample, r: int, states: States) -> NDArray[np.int64]:
    """Codes of the states of observation r, all of which must have been seen."""
    seen = [mark.states for mark in sample.marks_of(r) if mark.states is not None and len(mark.states) == 1]
    if len(seen) != sample.lengths[r] + 1:
        raise InvalidSample(
            f"complete data needs a state at all {sample.lengths[r] + 1} positions; observation {sample.describe(r)} "
            f"has {len(seen)}. Use baum_welch for runs that were seen in part."
        )
    where = f"observation {sample.describe(r)}: "
    return np.array([states.code(state, where) for one in seen for state in one])


@dataclass(frozen=True)
class Columns(Sequence[Column]):
    """Labels (word, path) of the columns of a design matrix in the paper's order, made when asked for."""

    alphabet: Alphabet
    states: States
    length: int

    def __len__(self) -> int:
        return int(len(self.alphabet) ** self.length * len(self.states) ** (self.length + 1))

    @overload
    def __getitem__(self, number: int) -> Column: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Column, ...]: ...
    def __getitem__(self, number: int | slice) -> Column | tuple[Column, ...]:
        if isinstance(number, slice):
            return tuple(self[k] for k in range(*number.indices(len(self))))
        if not -len(self) <= number < len(self):
            raise IndexError(f"column {number} does not exist: the matrix has {len(self)} columns.")
        word, path = divmod(number % len(self), len(self.states) ** (self.length + 1))
        symbols = (self.alphabet[a] for a in digits(word, len(self.alphabet), self.length))
        return tuple(symbols), tuple(self.states[s] for s in digits(path, len(self.states), self.length + 1))


@dataclass(frozen=True)
class DesignMatrix:
    """The matrix B, sparse and of integers, with its labels: l²l' rows and l'ⁿlⁿ⁺¹ columns."""

    matrix: csc_array = field(compare=False)  # the other parts determine it
    alphabet: Alphabet
    states: States
    length: int

    @property
    def rows(self) -> tuple[Row, ...]:
        """Labels (to, symbol, from), in the paper's order: from, then symbol, then to."""
        return tuple((t, a, s) for s in self.states for a in self.alphabet for t in self.states)

    @property
    def columns(self) -> Columns:
        """Labels (word, path), words in lexicographic order, then paths."""
        return Columns(self.alphabet, self.states, self.length)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    def column(self, word: Sequence[Hashable], path: Sequence[Hashable]) -> int:
        """Number of the column of a run."""
        codes = self.alphabet.encode_word(word).tolist()
        if not isinstance(path, Iterable):
            raise InvalidArgument(f"a path must be a sequence of states; got {shown(path)}.")
        run = [self.states.code(state, f"path, position {i}: ") for i, state in enumerate(path)]
        if len(codes) != self.length or len(run) != self.length + 1:
            raise InvalidArgument(
                f"a column has {self.length} symbols and {self.length + 1} states; got {len(codes)} and {len(run)}."
            )
        return self._column(codes, run)

    def runs(self, sample: Sample) -> Floats:
        """Vector u of a sample of complete data: how often each run (x, s) was seen, one entry per column."""
        check_sample(sample)
        u = np.zeros(self.shape[1])
        for r, observation in enumerate(sample):
            codes = self.alphabet.encode_word(observation.word).tolist()
            if len(codes) != self.length:
                found = f"observation {sample.describe(r)} has length {len(codes)}"
                raise InvalidArgument(f"this design matrix is for words of length {self.length}; {found}.")
            u[self._column(codes, complete_run(sample, r, self.states).tolist())] += observation.count
        return u

    def counts(self, u: ArrayLike, exact: bool = False) -> NDArray[Any]:
        """Sufficient statistic v = B u as an array ``[a, s, t]``; of ``Fraction`` if ``exact``."""
        vector = floats("u", u, "must be numbers, one per column")
        if vector.shape != (self.shape[1],):
            raise InvalidArgument(f"u must have one entry per column, {self.shape[1]}; got shape {vector.shape}.")
        _check_not_negative(vector, "u")
        sums: NDArray[Any] = self.matrix @ vector
        if exact:
            sums, entries = np.full(self.shape[0], Fraction()), self.matrix.tocoo()
            np.add.at(sums, entries.row, entries.data * _fractions(u, "u")[entries.col])
        by_row = sums.reshape(len(self.states), len(self.alphabet), len(self.states))
        return np.ascontiguousarray(by_row.transpose(1, 0, 2))

    def table(self, columns: Iterable[int] | None = None) -> str:
        """The matrix, or some of its columns, as text with the paper's labels."""
        chosen = list(range(min(self.shape[1], 32)) if columns is None else columns)
        header = ["", *(",".join("".join(map(str, part)) for part in self.columns[k]) for k in chosen)]
        entries = self.matrix[:, chosen].toarray()
        body = ([f"{t};{a},{s}", *map(str, row)] for (t, a, s), row in zip(self.rows, entries, strict=True))
        return "\n".join(line.rstrip() for line in aligned([header, *body]))

    def __repr__(self) -> str:
        return (
            f"<DesignMatrix: {self.shape[0]} x {self.shape[1]}, {len(self.states)} states, {len(self.alphabet)} "
            f"symbols, words of length {self.length}>"
        )

    def _column(self, codes: Sequence[int], run: Sequence[int]) -> int:
        number = 0
        for code in codes:
            number = number * len(self.alphabet) + code
        for state in run:
            number = number * len(self.states) + state
        return number


def design_matrix(n_states: int | Iterable[Hashable], n_symbols: int | Iterable[Hashable], length: int) -> DesignMatrix:
    r"""Design matrix :math:`B_{l,l'}` for words of a length: entry k if θ_{t;a,s} occurs k times in p(x, s).

    ``n_states`` and ``n_symbols`` are numbers, or names for the labels. All columns sum to ``length``. Memory grows as
    :math:`l'^n l^{n+1}`: a matrix over a gigabyte is refused with its size.

    Examples
    --------
    The matrix of the paper's Example 2:

    >>> B = design_matrix("ab", "01", 2)
    >>> B
    <DesignMatrix: 8 x 32, 2 states, 2 symbols, words of length 2>
    >>> print(B.table([0, 1, 2, 3, 31]))
           00,aaa  00,aab  00,aba  00,abb  11,bbb
    a;0,a  2       1       0       0       0
    b;0,a  0       1       1       1       0
    a;1,a  0       0       0       0       0
    b;1,a  0       0       0       0       0
    a;0,b  0       0       1       0       0
    b;0,b  0       0       0       1       0
    a;1,b  0       0       0       0       0
    b;1,b  0       0       0       0       2
    """
    from scipy.sparse import csc_array  # noqa: PLC0415

    states = States(n_states)
    if not isinstance(n_symbols, Iterable):
        n_symbols = range(whole_number("n_symbols", n_symbols, least=1, most=10**6))
    alphabet = Alphabet(n_symbols)
    if not alphabet:
        raise InvalidArgument("a design matrix needs at least one symbol; the alphabet is empty.")
    length = whole_number("length", length, least=0, most=10**6)
    rows, columns = len(states) ** 2 * len(alphabet), len(alphabet) ** length * len(states) ** (length + 1)
    size = columns * (length * (8 + 8 + 8) + 8)
    if size > LARGEST_MATRIX:
        raise TooLarge(
            f"the design matrix would have {counted(rows, 'row')} and {counted(columns, 'column')} and take "
            f"{counted(size // 2**30, 'gigabyte')}; the limit is {counted(LARGEST_MATRIX // 2**30, 'gigabyte')}. "
            "Use count_transitions or baum_welch, which do not need it."
        )
    words, paths = np.arange(len(alphabet) ** length)[:, None], np.arange(len(states) ** (length + 1))[None, :]
    symbols, run = digits(words, len(alphabet), length), digits(paths, len(states), length + 1)
    uses = [((run[i] * len(alphabet) + symbols[i]) * len(states) + run[i + 1]).ravel() for i in range(length)]
    used = np.concatenate([np.empty(0, dtype=np.int64), *uses])  # row of the parameter used at each position
    where = np.tile(np.arange(columns), length)
    matrix = csc_array((np.ones(len(used), dtype=np.int64), (used, where)), shape=(rows, columns))
    matrix.sum_duplicates()
    matrix.data.setflags(write=False)
    return DesignMatrix(matrix, alphabet, states, length)


def maximum_likelihood(counts: ArrayLike, unseen: Any = "uniform", exact: bool = False) -> NDArray[Any]:
    r"""Maximum likelihood estimate of the transitions from counts, Prop. 4.1.

    .. math:: \hat\theta_{t;a,s} = v_{t;a,s} \Big/ \sum_{t'} v_{t';a,s}

    Parameters
    ----------
    counts : ``[a, s, t]``, non-negative.
    unseen : what to put in a row whose counts are all 0, where the paper's formula is 0/0: ``"uniform"``, ``"stay"``
        (the state does not change), ``"error"``, or an array of transitions to take the row from.
    exact : give an array of ``Fraction``. Counts may then be fractions or strings such as ``"1/3"``; a float counts as
        its exact binary value.

    Examples
    --------
    >>> maximum_likelihood([[[3, 1], [0, 0]]])
    array([[[0.75, 0.25],
            [0.5 , 0.5 ]]])
    >>> maximum_likelihood([[[2, 1], [1, 0]]], exact=True)[0, 0].tolist()
    [Fraction(2, 3), Fraction(1, 3)]
    """
    if exact:
        return _exact_estimate(counts, unseen)
    v = checked_counts(counts)
    totals = v.sum(axis=-1, keepdims=True)
    never = totals[..., 0] == 0.0
    rows = _unseen_weights(unseen, v.shape, never)
    if isinstance(unseen, str):
        rows = rows / rows.sum(axis=-1, keepdims=True)
    return np.where(never[..., None], rows, v / np.where(totals > 0.0, totals, 1.0))


def counts_log_likelihood(counts: ArrayLike, transitions: ArrayLike) -> float:
    r"""Log-likelihood :math:`\ell(\theta) = \sum v_{t;a,s} \log \theta_{t;a,s}` of counts, with 0 log 0 = 0.

    The paper prints :math:`v \cdot \theta`; it is :math:`v \cdot \log\theta`. -inf if a counted transition has
    probability 0.

    Examples
    --------
    >>> round(counts_log_likelihood([[[3, 1], [0, 0]]], [[[0.75, 0.25], [0.5, 0.5]]]), 6)
    -2.249341
    """
    v = checked_counts(counts)
    theta = checked_transitions(transitions, v.shape, "transitions")
    used = v > 0.0
    if (theta[used] <= 0.0).any():
        return -np.inf
    return float((v[used] * np.log(theta[used])).sum())


def checked_counts(counts: ArrayLike) -> Floats:
    """Counts as floats ``[a, s, t]``, finite and not negative."""
    v = floats("counts", counts, "must be an array [a, s, t] of numbers")
    if v.ndim != 3 or v.shape[1] != v.shape[2] or not v.size:
        raise InvalidArgument(f"counts must have shape [a, s, t] with as many t as s; got shape {v.shape}.")
    _check_not_negative(v, "counts")
    if not v.max() <= LARGEST_TOTAL / v.size:
        raise InvalidArgument(f"counts must have a sum of at most {LARGEST_TOTAL:g}; scale them down.")
    return v


def _check_not_negative(values: Floats, name: str) -> None:
    for place in np.argwhere(~(np.isfinite(values) & (values >= 0.0))).tolist():
        found = f"{values[tuple(place)]:g} at {place}"
        raise InvalidArgument(f"{name} must be finite and not negative; got {found}.")


def checked_transitions(transitions: Any, shape: tuple[int, ...], name: str) -> Floats:
    """Rows of probabilities ``[a, s, t]`` of a given shape."""
    theta = floats(name, transitions, "must be an array [a, s, t] of numbers")
    if theta.shape != shape:
        raise InvalidArgument(f"{name} must have the shape of the counts, {shape}; got {theta.shape}.")
    fits = (theta >= 0.0).all(axis=-1) & (np.abs(theta.sum(axis=-1) - 1.0) <= ROW_TOLERANCE)
    for place in np.argwhere(~fits).tolist():
        row = shown(theta[tuple(place)].tolist())
        raise InvalidArgument(f"the rows of {name} must not be negative and must sum to 1; got {row} at {place}.")
    return theta


def _exact_estimate(counts: ArrayLike, unseen: Any) -> NDArray[Any]:
    """Maximum likelihood estimate in fractions; checked as the one in floats is."""
    v = _fractions(counts, "counts")
    never = checked_counts(v).sum(axis=-1) == 0.0
    given = unseen if isinstance(unseen, str) else _fractions(unseen, "unseen")
    weights = _unseen_weights(given, v.shape, never)
    chosen = np.where(never[..., None], _fractions(weights, "unseen") if given is unseen else given, v)
    return np.asarray(chosen / chosen.sum(axis=-1, keepdims=True))


def _fractions(values: ArrayLike, name: str) -> NDArray[Any]:
    """An array of fractions of what was given as numbers or strings."""
    check_unmasked(name, values)
    given = np.array(values, dtype=object)
    try:
        return np.array([Fraction(entry(value)) for value in given.flat], dtype=object).reshape(given.shape)
    except (InvalidArgument, ValueError, OverflowError):  # ValueError, OverflowError: NaN and infinity
        raise InvalidArgument(f"{name} must be an array [a, s, t] of finite numbers; got {shown(values)}.") from None


def _unseen_weights(unseen: Any, shape: tuple[int, ...], never: NDArray[np.bool_]) -> Floats:
    """Rows for what was never seen, up to a factor."""
    if not isinstance(unseen, str):
        return checked_transitions(unseen, shape, "unseen")
    if unseen not in ("uniform", "stay", "error"):
        known = f"'uniform', 'stay', 'error' or an array of transitions of shape {shape}"
        raise InvalidArgument(f"unseen must be {known}; got {shown(unseen)}.")
    if unseen == "error" and never.any():
        a, s = np.argwhere(never)[0]
        raise InvalidArgument(f"symbol number {a} was never read in state number {s}: its row is unknown.")
    return np.broadcast_to(np.eye(shape[-1]), shape) if unseen == "stay" else np.ones(shape)


def digits(numbers: Any, base: int, size: int) -> list[Any]:
    """Digits of numbers, or of arrays of them, the first one the most significant: words and paths by their numbers."""
    return [numbers // base ** (size - 1 - i) % base for i in range(size)]
