"""The design matrix B: from counts of runs to counts of transitions, v = B u (equation e-SA-A)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Alphabet, Sample
from cutpoint.em.complete_data import complete_run
from cutpoint.em.observations import Floats, check_sample
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.model.parts import States
from cutpoint.model.text import aligned
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Row = tuple[Hashable, Hashable, Hashable]
Column = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]

LARGEST_MATRIX = 2**30
"""Most bytes a design matrix may take; a larger one is refused."""


@dataclass(frozen=True)
class Columns(Sequence[Column]):
    """Labels (word, path) of the columns in the paper's order, made when asked for."""

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
        return self._labels(word, self.alphabet, self.length), self._labels(path, self.states, self.length + 1)

    @staticmethod
    def _labels(number: int, names: Sequence[Hashable], size: int) -> tuple[Hashable, ...]:
        return tuple(names[number // len(names) ** (size - 1 - i) % len(names)] for i in range(size))


@dataclass(frozen=True)
class DesignMatrix:
    """The matrix B with its labels.

    Attributes
    ----------
    matrix : sparse integer matrix, l²l' rows and l'ⁿlⁿ⁺¹ columns.
    rows : labels (to, symbol, from), in the paper's order: from, then symbol, then to.
    columns : labels (word, path), words in lexicographic order, then paths.
    """

    matrix: csc_array = field(compare=False)  # the other parts determine it
    alphabet: Alphabet
    states: States
    length: int

    @property
    def rows(self) -> tuple[Row, ...]:
        """Labels (to, symbol, from) of the rows."""
        return tuple((t, a, s) for s in self.states for a in self.alphabet for t in self.states)

    @property
    def columns(self) -> Columns:
        """Labels (word, path) of the columns."""
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
                raise InvalidArgument(
                    f"this design matrix is for words of length {self.length}; "
                    f"observation {sample.describe(r)} has length {len(codes)}."
                )
            u[self._column(codes, complete_run(sample, r, self.states).tolist())] += observation.count
        return u

    def counts(self, u: ArrayLike) -> Floats:
        """Sufficient statistic v = B u as an array ``[a, s, t]``."""
        try:
            vector = np.array(u, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(f"u must be numbers, one per column; got {shown(u)}.") from None
        if vector.shape != (self.shape[1],):
            raise InvalidArgument(f"u must have one entry per column, {self.shape[1]}; got shape {vector.shape}.")
        if not (np.isfinite(vector) & (vector >= 0.0)).all():
            raise InvalidArgument("u must be counts of runs: finite and not negative.")
        by_row = (self.matrix @ vector).reshape(len(self.states), len(self.alphabet), len(self.states))
        return np.ascontiguousarray(by_row.transpose(1, 0, 2))

    def table(self, columns: Iterable[int] | None = None) -> str:
        """The matrix, or some of its columns, as text with the paper's labels."""
        chosen = list(range(min(self.shape[1], 32)) if columns is None else columns)
        header = [
            "",
            *(f"{_joined(word)},{_joined(path)}" for word, path in (self.columns[k] for k in chosen)),
        ]
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
        for base, digits in ((len(self.alphabet), codes), (len(self.states), run)):
            for digit in digits:
                number = number * base + digit
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
    length = whole_number("length", length, least=0)
    rows, columns = len(states) ** 2 * len(alphabet), len(alphabet) ** length * len(states) ** (length + 1)
    size = columns * (length * (8 + 8 + 8) + 8)
    if size > LARGEST_MATRIX:
        raise TooLarge(
            f"the design matrix would have {counted(rows, 'row')} and {counted(columns, 'column')} and take "
            f"{counted(size // 2**30, 'gigabyte')}; at most {counted(LARGEST_MATRIX // 2**30, 'gigabyte')} is made. "
            "Use count_transitions or baum_welch, which do not need it."
        )
    used = np.concatenate([np.empty(0, dtype=np.int64), *_uses(len(states), len(alphabet), length)])
    where = np.tile(np.arange(columns), length)
    matrix = csc_array((np.ones(len(used), dtype=np.int64), (used, where)), shape=(rows, columns))
    matrix.sum_duplicates()
    matrix.data.setflags(write=False)
    return DesignMatrix(matrix, alphabet, states, length)


def _uses(n_states: int, n_symbols: int, length: int) -> Iterator[NDArray[np.int64]]:
    """For each position, the row of the parameter used there by every column."""
    words = np.arange(n_symbols**length)[:, None]
    paths = np.arange(n_states ** (length + 1))[None, :]
    for i in range(length):
        symbol = words // n_symbols ** (length - 1 - i) % n_symbols
        before = paths // n_states ** (length - i) % n_states
        after = paths // n_states ** (length - 1 - i) % n_states
        yield ((before * n_symbols + symbol) * n_states + after).reshape(-1)


def _joined(labels: Iterable[Any]) -> str:
    return "".join(map(str, labels))
