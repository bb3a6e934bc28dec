"""WeightedAutomaton: any (row, matrices, column), held in floats and exactly, and the algebra of such functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Symbol, Word, Words
from cutpoint.errors import InvalidAcceptor, InvalidArgument
from cutpoint.exact import CutPoint, IntegerForm, all_values_compared, finite_number, fractions
from cutpoint.kernels import kernels
from cutpoint.kernels.reference import step
from cutpoint.kernels.sparse_matrices import Matrices, SparseMatrices, check_dense, entries_of
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model.parts import Numbers, States, check_threads, read_array, read_transitions, shape_of
from cutpoint.model.text import Displayed
from cutpoint.wording import counted, listed, shown

if TYPE_CHECKING:
    from cutpoint.model.acceptor import Acceptor

Arrays = tuple[Numbers, Numbers, Numbers]  # row ``[s]``, matrices ``[a, s, t]`` and column ``[s]``
StoredArrays = tuple[Numbers, Any, Numbers]  # the same with matrices in the form in which they are stored


class Weighable(Protocol):
    """What has a weighted automaton below it: acceptors, DFAs, quantum automata, and weighted automata themselves."""

    def to_weighted(self) -> WeightedAutomaton:
        """The weighted automaton."""


class SameLanguage(NamedTuple):
    """An acceptor and a cut point whose language is the one asked for."""

    acceptor: Acceptor
    cut_point: Fraction


@dataclass(frozen=True, init=False, eq=False, repr=False)
class WeightedAutomaton(Displayed):
    r"""A function on words :math:`x \mapsto \xi M(x_1) \cdots M(x_n) \eta`: an immutable, hashable value.

    The general case below :class:`Acceptor`, which adds names of states and the conditions that make it stochastic: a
    row :math:`\xi`, one matrix per symbol and a column :math:`\eta` of any numbers. Differences and minimal forms of
    acceptors live here.

    Parameters
    ----------
    alphabet : :math:`\Sigma`, distinct hashable symbols; a str gives its characters.
    initial : :math:`\xi`, a vector; its length is the dimension, 0 for the function that is 0.
    transitions : :math:`M`, as ``{symbol: matrix}`` or an array ``[a, s, t]``.
    final : :math:`\eta`, a vector.

    Notes
    -----
    Entries are numbers, ``Fraction`` or strings such as ``"1/3"``. If all are rational they are kept exactly, and so
    is what is made of them. ``==`` is same parts; :func:`cutpoint.equivalence` asks for same function.

    With f, g for weighted automata, acceptors (as their acceptance) or numbers (as constants):
    ``f + g``, ``f - g``, ``-f``, ``3 * f``, ``f / 3``, and ``f & g`` for the product word by word (Hadamard), which
    mirrors the product of acceptors. With automata, acceptors or DFAs on both sides, ``f @ g`` is the Cauchy product, a
    sum over all ways to cut a word in two; :meth:`star` sums over all ways to cut it in any number of pieces. Alphabets
    must have the same symbols; their order may differ.

    Examples
    --------
    >>> length = WeightedAutomaton("ab", [1, 0], {"a": [[1, 1], [0, 1]], "b": [[1, 1], [0, 1]]}, [0, 1])
    >>> length
    <WeightedAutomaton: dimension 2, 2 symbols {'a', 'b'}, exact>
    >>> length.value("abba"), (length & length).exact_value("abb"), (length - "1/2").exact_value("")
    (4.0, Fraction(9, 1), Fraction(-1, 2))
    >>> print(length)
              a:        b:        final:
              0  1      0  1
    →  0      1  1      1  1      0
       1 *    0  1      0  1      1
    """

    alphabet: Alphabet
    initial: Floats
    final: Floats
    is_exact: bool
    stored: Matrices
    """Matrices in the form in which they are stored: an array, or :class:`SparseMatrices`."""

    __array_ufunc__ = None
    """So that a number of NumPy times an automaton asks the automaton."""

    def __init__(self, alphabet: Iterable[Symbol], initial: Any, transitions: Mapping[Any, Any] | Any, final: Any):
        sigma = Alphabet(alphabet)
        if not sigma:
            raise InvalidArgument("a weighted automaton needs at least one symbol; the alphabet is empty.")
        shape = np.shape(initial) if hasattr(initial, "__array__") else shape_of(initial)
        if shape is None or len(shape) != 1:
            raise InvalidArgument(f"initial must be a vector of numbers; got {shown(initial)}.")
        (size,) = shape
        try:
            end = read_array(final, (size,), "final", "one number per dimension, as initial has")
            start = read_array(initial, (size,), "initial", "one number per dimension")
            steps = read_transitions(transitions, sigma, States.numbered(range(size), "dimensions", InvalidAcceptor))
        except InvalidAcceptor as wrong:
            raise InvalidArgument(str(wrong)) from None
        for name, array in {"initial": start, "final": end, "transitions": entries_of(steps)}.items():
            for place in np.argwhere(~np.isfinite(array)) if array.dtype != object else ():
                where = name + "".join(f"[{i}]" for i in place)
                raise InvalidArgument(f"{where} must be a finite number; got {array[tuple(place)]}.")
        self.__dict__.update(vars(self.from_arrays(sigma, start, steps, end)))

    @classmethod
    def from_arrays(cls, alphabet: Alphabet, initial: Numbers, transitions: Any, final: Numbers) -> Self:
        """Automaton of arrays that were checked before, or sparse matrices: exact if all three hold ``Fraction``."""
        self, arrays = cls.__new__(cls), (initial, final)
        is_sparse = isinstance(transitions, SparseMatrices)
        exact = transitions.dtype == object and all(array.dtype == object for array in arrays)
        row, column = map(_floats, arrays)
        matrices = transitions.fixed() if is_sparse else transitions
        stored = matrices.like(_floats(matrices.values)) if is_sparse else _floats(matrices)
        self.__dict__.update(alphabet=alphabet, initial=row, final=column, is_exact=exact, stored=stored)
        if exact:
            row, column = map(frozen, arrays)
            self.__dict__.update(exact_initial=row, exact_stored=matrices, exact_final=column)
        if not is_sparse:
            self.__dict__.update(transitions=stored, **({"exact_transitions": frozen(matrices)} if exact else {}))
        return self

    @classmethod
    def of(cls, automaton: Weighable) -> WeightedAutomaton:
        """What an acceptor, a DFA or a quantum automaton computes; a weighted automaton is returned as it is."""
        if not is_automaton(automaton):
            raise InvalidArgument(f"expected an Acceptor or a WeightedAutomaton; got {shown(automaton)}.")
        return automaton.to_weighted()

    @classmethod
    def constant(cls, alphabet: Iterable[Symbol], value: Any) -> WeightedAutomaton:
        """The automaton that has one value for all words."""
        sigma = Alphabet(alphabet)
        return cls(sigma, [1], [[[1]]] * len(sigma), [value])

    def to_weighted(self) -> WeightedAutomaton:
        """The automaton itself, so that acceptors and weighted automata can be asked alike."""
        return self

    @property
    def dimension(self) -> int:
        """Length of the row."""
        return len(self.initial)

    @property
    def is_sparse(self) -> bool:
        """Whether only the entries that are not 0 are stored."""
        return isinstance(self.stored, SparseMatrices)

    @cached_property
    def transitions(self) -> Floats:
        """Matrices as a dense array ``[a, s, t]``; of a large sparse automaton it is refused with its size."""
        return frozen(self.stored.to_dense())  # type: ignore[union-attr]  # arrays are set at once

    @cached_property
    def exact_stored(self) -> Any:
        """Matrices of ``Fraction`` in the form in which they are stored."""
        if isinstance(self.stored, SparseMatrices):
            return self.stored.like(frozen(fractions(self.stored.values)))
        return self.exact_transitions

    def to_sparse(self) -> WeightedAutomaton:
        """The same automaton with the entries alone stored that are not 0."""
        row, steps, column = self.stored_arrays()
        matrices = steps if self.is_sparse else SparseMatrices.from_dense(steps)
        return self.from_arrays(self.alphabet, row, matrices, column)

    def to_dense(self) -> WeightedAutomaton:
        """The same automaton with all entries stored."""
        return self.from_arrays(self.alphabet, *self.arrays())

    @cached_property
    def certificate(self) -> Any:
        """What proves that :func:`cutpoint.minimize` made this automaton of another; None if it did not."""
        return proof() if (proof := self.__dict__.get("_proof")) else None

    def arrays(self, exact: bool | None = None) -> Arrays:
        """Row, matrices and column: fractions or floats; by default fractions if the automaton is exact."""
        if self.is_exact if exact is None else exact:
            return self.exact_initial, self.exact_transitions, self.exact_final
        return self.initial, self.transitions, self.final

    def stored_arrays(self, exact: bool | None = None) -> StoredArrays:
        """The same with matrices in the form in which they are stored."""
        if self.is_exact if exact is None else exact:
            return self.exact_initial, self.exact_stored, self.exact_final
        return self.initial, self.stored, self.final

    def step(self, row: Floats, a: int) -> Floats:
        """A row times the matrix of a symbol, summed over the states in their order."""
        return self.stored.step(row, a) if isinstance(self.stored, SparseMatrices) else step(row, self.stored[a])

    def matrix_of(self, a: int) -> Any:
        """Matrix of a symbol: an array, or SciPy's ``csr_array``."""
        return self.stored.matrix(a) if isinstance(self.stored, SparseMatrices) else self.stored[a]

    def value(self, word: Word) -> float:
        r"""Value :math:`\xi M(x) \eta` of a word as a float; where terms cancel, digits are lost."""
        codes = self.alphabet.encode_word(word)
        if not self.dimension:
            return 0.0
        return float(kernels(self.stored).acceptance(self.stored, self.initial, self.final, codes))

    def values(self, words: Words) -> Floats:
        """Value of each word as a float."""
        return self.encoded_values(self.alphabet.encode(words))

    def encoded_values(self, words: EncodedWords, threads: int | None = None) -> Floats:
        """Value of each word in codes of this alphabet; the result does not depend on the number of threads."""
        check_threads(threads)
        if not isinstance(words, EncodedWords):
            raise InvalidArgument(f"must be as encode(words) returns them; got {shown(words)}.", argument="words")
        if not self.dimension:
            return np.zeros(len(words))
        scores: Floats = kernels(self.stored).acceptances(self.stored, self.initial, self.final, words, threads)
        return scores

    def exact_value(self, word: Word) -> Fraction:
        """Value of a word as a rational number; floats count as their exact binary values."""
        return self.integers.value(self.alphabet.encode_word(word).tolist())

    @cached_property
    def exact_initial(self) -> Numbers:
        """Row as an array of ``Fraction``; of float entries, their exact binary values."""
        return frozen(fractions(self.initial))

    @cached_property
    def exact_transitions(self) -> Numbers:
        """Matrices as a dense array of ``Fraction``."""
        return frozen(self.exact_stored.to_dense() if self.is_sparse else fractions(self.transitions))

    @cached_property
    def exact_final(self) -> Numbers:
        """Column as an array of ``Fraction``."""
        return frozen(fractions(self.final))

    @cached_property
    def integers(self) -> IntegerForm:
        """Integer matrices over common denominators, for exact arithmetic."""
        return IntegerForm.of(*self.stored_arrays(exact=True))

    def rational(self) -> WeightedAutomaton:
        """The same automaton with floats as their exact binary values; one that is exact is returned as it is."""
        return self if self.is_exact else self.from_arrays(self.alphabet, *self.stored_arrays(exact=True))

    def reordered(self, alphabet: Iterable[Symbol]) -> WeightedAutomaton:
        """The same automaton over the same symbols in another order."""
        sigma = Alphabet(alphabet)
        order = codes_of(sigma, self.alphabet)
        if sigma == self.alphabet:
            return self
        row, steps, column = self.stored_arrays()
        return self.from_arrays(sigma, row, steps.take(order, axis=0), column)

    def reverse(self) -> WeightedAutomaton:
        r"""Automaton of the words read backward: :math:`x_1 \dots x_n \mapsto` value of :math:`x_n \dots x_1`.

        Examples
        --------
        >>> cp.p_adic(10).to_weighted().reverse().exact_value("325")  # 0.325
        Fraction(13, 40)
        """
        row, steps, column = self.stored_arrays()
        return self.from_arrays(self.alphabet, column, steps.transpose(0, 2, 1), row)

    def to_acceptor(self, cut_point: Any = 0) -> SameLanguage:
        r"""Acceptor and new cut point with the same cut-point language, by Turakainen's construction.

        .. math:: \{x : \xi M(x) \eta > \lambda\} = \{x : \pi P(x) f > \mu\}

        for all words, the empty one included. The cut point :math:`\lambda` may be any number. Made in rational
        arithmetic; float entries count as their exact binary values. Dimension n gives at most :math:`2(n + 3)` states.
        Acceptances come near :math:`\mu` as words grow: ask ``accepts`` or ``Language``, which rounding cannot spoil.

        Source: Turakainen, *Generalized automata and stochastic languages*, Proc. Amer. Math. Soc. 21 (1969).

        Examples
        --------
        >>> steps = {"a": [[1, 1], [0, 1]], "b": [[1, -1], [0, 1]]}
        >>> surplus = WeightedAutomaton("ab", [1, 0], steps, [0, 1])  # number of a minus number of b
        >>> acceptor, cut_point = surplus.to_acceptor(0)
        >>> [word for word in ("", "a", "ab", "aba", "abb") if acceptor.accepts(word, cut_point)]
        ['a', 'aba']
        """
        from cutpoint.model.acceptor import Acceptor  # noqa: PLC0415  # an acceptor rests on this module

        level = Fraction(finite_number("a cut point", cut_point))
        row, matrices, column = _balanced(*self.arrays(exact=True), level)
        low, high = min(column), max(column)
        heights = (column - low) / (high - low or Fraction(1))
        parts = _split(np.stack([_stochastic(matrix) for matrix in matrices]), _stochastic(row), heights)
        return SameLanguage(Acceptor(len(parts[1]), self.alphabet, *parts), heights.sum() / len(row))

    def compared(
        self, words: EncodedWords, cut_point: CutPoint, threads: int | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_], Floats]:
        """Signs of values minus a cut point, never wrong by rounding; which words took fractions; all values."""
        with np.errstate(over="ignore", invalid="ignore"):  # what leaves the range of floats is compared exactly
            estimates, magnitudes = (f.encoded_values(words, threads) for f in (self, self.magnitude))
        row, steps, column = self.magnitude.stored_arrays()
        largest = max(row.sum(), steps.sum(axis=2).max(initial=0), column.max(initial=0))

        def exact(r: int) -> Fraction:
            return self.integers.value(words.word(r).tolist())

        norms = self.dimension, float(largest)
        signs, decided = all_values_compared(estimates, magnitudes, words.lengths, norms, cut_point, exact)
        return signs, decided, estimates

    @cached_property
    def magnitude(self) -> WeightedAutomaton:
        """The automaton of the absolute values of all entries, which bounds what rounding can do."""
        return self.from_arrays(self.alphabet, *map(np.abs, self.stored_arrays(exact=False)))

    # -- Algebra ------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> WeightedAutomaton:
        return self._beside(self._operand(other), 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> WeightedAutomaton:
        return self._beside(self._operand(other), -1)

    def __rsub__(self, other: Any) -> WeightedAutomaton:
        return self._operand(other)._beside(self, -1)

    def __neg__(self) -> WeightedAutomaton:
        return self * -1

    def __mul__(self, factor: Any) -> WeightedAutomaton:
        """Scalar multiple."""
        if is_automaton(factor):
            raise InvalidArgument("* takes a number; write f & g for the product of two functions word by word.")
        number = finite_number("a factor", factor)
        exact = self.is_exact and isinstance(number, Fraction)
        row, steps, column = self.stored_arrays(exact)
        with np.errstate(over="ignore"):  # the sentence about numbers that are not finite says more
            scaled = row * (number if exact else float(number))
        return type(self)(self.alphabet, scaled, steps, column)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> WeightedAutomaton:
        number = finite_number("a divisor", divisor)
        if number == 0:
            raise InvalidArgument("a weighted automaton cannot be divided by 0.")
        return self * (1 / number)

    def __and__(self, other: Any) -> WeightedAutomaton:
        r"""Hadamard product: :math:`(f \mathbin{\&} g)(x) = f(x)\, g(x)`, of dimension n m."""
        with np.errstate(over="ignore"):
            return type(self)(self.alphabet, *kronecker(self, self._operand(other)))

    __rand__ = __and__

    def __matmul__(self, other: Any) -> WeightedAutomaton:
        r"""Cauchy product: :math:`(f \mathbin{@} g)(x) = \sum_{uv = x} f(u)\, g(v)`, of dimension n + m.

        Examples
        --------
        >>> ones = WeightedAutomaton.constant("a", 1)
        >>> (ones @ ones).exact_value("aaa")  # four ways to cut it in two
        Fraction(4, 1)
        """
        return self._joined(other) if is_automaton(other) else self._no_factor(other)

    def __rmatmul__(self, other: Any) -> WeightedAutomaton:
        return WeightedAutomaton.of(other)._joined(self) if is_automaton(other) else self._no_factor(other)

    def _no_factor(self, other: object) -> WeightedAutomaton:
        raise InvalidArgument(f"@ takes an automaton on both sides, and * takes a number; got {shown(other)}.")

    def _joined(self, other: Any) -> WeightedAutomaton:
        """Cauchy product: a run of the first that ends, with its weight, becomes one of the second that starts."""
        second = self._operand(other)
        exact = self.is_exact and second.is_exact
        row, steps, column = block_diagonal([self.to_dense(), second.to_dense()], exact)
        n, (start, _, _), (_, matrices, end) = self.dimension, second.arrays(exact), self.arrays(exact)
        row[n:] = start * (row[:n] @ end)
        steps[:, :n, n:] = (matrices @ end)[:, :, None] * start
        column[:n] *= 0
        return type(self)(self.alphabet, row, steps, column)

    def star(self) -> WeightedAutomaton:
        r"""Sum of all powers of the Cauchy product, :math:`f^* = 1 + f + f @ f + \dots`, of dimension n + 1.

        Here 1 is the function that is 1 at the empty word and 0 elsewhere. If f is 0 at the empty word, :math:`f^*(x)`
        is the sum over all ways to cut x into words that are not empty, of the products of their values. In general it
        is the one solution g of :math:`g = 1 + f @ g`, which exists unless f is 1 at the empty word; the sum converges
        to it where f is less than 1 there in absolute value.

        Examples
        --------
        >>> letter = WeightedAutomaton("a", [1, 0], [[[0, 1], [0, 0]]], [0, 1])  # 1 at "a", 0 elsewhere
        >>> (letter + (letter @ letter)).star().exact_value("aaaaa")  # cut into pieces of length 1 and 2: Fibonacci
        Fraction(8, 1)
        """
        empty = self.exact_value("")
        if empty == 1:
            raise InvalidArgument("star needs a function that is not 1 at the empty word: its powers never add up.")
        row, steps, column = self.arrays()
        scale = 1 / (1 - empty) if self.is_exact else float(1 / (1 - empty))
        first = np.eye(self.dimension + 1, dtype=np.int64)[0].astype(steps.dtype)
        reached = np.concatenate([(row * scale @ steps)[:, None], steps], axis=1)  # from a cut, or from within a piece
        matrices = np.concatenate([(reached @ column)[:, :, None], reached], axis=2)
        return type(self)(self.alphabet, first, matrices, first * scale)

    def _operand(self, other: Any) -> WeightedAutomaton:
        """The other side of an operation over this alphabet: an automaton, or a number as a constant."""
        if is_automaton(other):
            return WeightedAutomaton.of(other).reordered(self.alphabet)
        role = "the other side, unless it is a WeightedAutomaton or an Acceptor,"
        return WeightedAutomaton.constant(self.alphabet, finite_number(role, other))

    def _beside(self, other: WeightedAutomaton, sign: int) -> WeightedAutomaton:
        row, steps, column = block_diagonal([self, other], self.is_exact and other.is_exact)
        signs = np.repeat([1, sign], [self.dimension, other.dimension])
        return self.from_arrays(self.alphabet, row, steps, column * signs)

    # -- Value --------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedAutomaton):
            return NotImplemented
        same = self._floats() == other._floats()
        if not same or not (self.is_exact or other.is_exact):
            return same
        pairs = zip(self._numbers(exact=True), other._numbers(exact=True), strict=True)
        return all((mine == its).all() for mine, its in pairs)

    def __hash__(self) -> int:
        return hash(self._floats())

    def _floats(self) -> tuple[Any, ...]:
        return (self.alphabet, self.dimension, *(array.tobytes() for array in self._numbers(exact=False)))

    def _numbers(self, exact: bool) -> Iterator[NDArray[Any]]:
        """All that is not 0, with its places in the matrices: the same however they are stored."""
        row, steps, column = self.stored_arrays(exact)
        yield from (row, column)
        if isinstance(steps, SparseMatrices):
            yield from (steps.pattern.flat, steps.values)
        else:
            places = np.flatnonzero(steps)
            yield from (places, steps.reshape(-1)[places])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.alphabet, *self.stored_arrays())

    @property
    def displayed_states(self) -> range:
        """Numbers of the dimensions."""
        return range(self.dimension)

    @property
    def marked_final(self) -> NDArray[np.bool_]:
        """Dimensions whose final weight is not 0."""
        return np.asarray(self.final != 0)

    def numbers(self, exact: bool | None = None) -> dict[str, Numbers]:
        """Transitions, initial and final, by name: fractions or floats; by default fractions if exact."""
        row, steps, column = self.arrays(exact)
        return {"transitions": steps, "initial": row, "final": column}

    def __repr__(self) -> str:
        symbols = listed(self.alphabet, limit=10)
        sizes = f"dimension {self.dimension}, {counted(len(self.alphabet), 'symbol')} {symbols}"
        form = f", sparse with {self.stored.n_entries:,} entries" if isinstance(self.stored, SparseMatrices) else ""
        return f"<WeightedAutomaton: {sizes}{form}{', exact' if self.is_exact else ''}>"


def frozen(array: Numbers) -> Numbers:
    """The same array for reading only; one of plain numbers rests on bytes, so nobody can make it writable again."""
    if array.dtype != object:
        return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
    array.setflags(write=False)
    return array


def _floats(array: Numbers) -> Floats:
    """An array as floats for reading only; adding 0.0 leaves no -0.0."""
    if array.dtype == object:  # most of a large row are zeros, which need not be rounded one by one
        numbers, filled = np.zeros(array.shape), array.astype(np.bool_)
        numbers[filled] = array[filled]
        return frozen(numbers)
    return frozen(np.ascontiguousarray(array, dtype=np.float64) + 0.0)


def codes_of(symbols: Alphabet, alphabet: Alphabet) -> list[int]:
    """Codes of symbols in another alphabet, which must have the same symbols in some order."""
    if set(symbols) != set(alphabet):
        raise InvalidArgument(f"automata must have the same alphabet; got {listed(symbols)} and {listed(alphabet)}.")
    return [alphabet.code(symbol) for symbol in symbols]


def kronecker(left: WeightedAutomaton, right: WeightedAutomaton) -> StoredArrays:
    r"""Two automata side by side on one word: :math:`M(a) = M_1(a) \otimes M_2(a)`; exact if both are."""
    exact = left.is_exact and right.is_exact
    (row, steps, column), (other_row, other_steps, other_column) = _in_one_form((left, right), exact)
    size = left.dimension * right.dimension
    if isinstance(steps, SparseMatrices):
        both = steps.kronecker(other_steps)
    else:
        check_dense((len(left.alphabet), size, size), "the product")
        both = steps[:, :, None, :, None] * other_steps[:, None, :, None, :]
        both = both.reshape(len(left.alphabet), size, size)
    return np.outer(row, other_row).reshape(size), both, np.outer(column, other_column).reshape(size)


def _in_one_form(automata: Sequence[WeightedAutomaton], exact: bool) -> list[StoredArrays]:
    """Row, matrices and column of each; all sparse if any is."""
    if any(automaton.is_sparse for automaton in automata):
        automata = [automaton.to_sparse() for automaton in automata]
    return [automaton.stored_arrays(exact) for automaton in automata]


def block_diagonal(automata: Sequence[WeightedAutomaton], exact: bool) -> StoredArrays:
    """One automaton that computes the sum of several over the same alphabet."""
    rows, steps, columns = zip(*_in_one_form(automata, exact), strict=True)
    if isinstance(steps[0], SparseMatrices):
        return np.concatenate(rows), SparseMatrices.block_diagonal(steps), np.concatenate(columns)
    size, at = sum(map(len, rows)), 0
    blocks = np.full((len(automata[0].alphabet), size, size), Fraction(0) if exact else 0.0, dtype=steps[0].dtype)
    for matrices in steps:
        block = slice(at, at + matrices.shape[1])
        blocks[:, block, block], at = matrices, block.stop
    return np.concatenate(rows), blocks, np.concatenate(columns)


def is_automaton(value: object) -> bool:
    """Whether a value has a weighted automaton below it."""
    return hasattr(type(value), "to_weighted")


def _balanced(initial: Numbers, transitions: Numbers, final: Numbers, cut_point: Fraction) -> Arrays:
    """Value minus cut point, with matrices whose rows and columns sum to 0 and a row that sums to 0."""
    n_symbols, size, _ = transitions.shape
    matrices = np.full((n_symbols, size + 3, size + 3), Fraction(0), dtype=object)
    inner = matrices[:, 1:-1, 1:-1]
    inner[:, :-1, :-1] = transitions
    inner[:, -1, -1] = Fraction(1)
    matrices[:, 1:-1, 0] = -inner.sum(axis=2)
    matrices[:, -1, 1:-1] = -inner.sum(axis=1)
    matrices[:, -1, 0] = inner.sum(axis=(1, 2))
    zero, one = [Fraction(0)], Fraction(1)
    row = np.concatenate([[-initial.sum() - one], initial, [one], zero])
    return row, matrices, np.concatenate([zero, final, [-cut_point], zero])


def _stochastic(values: Numbers) -> Numbers:
    """Rows that sum to 0, shifted and scaled: entries that are not negative, and sum to 1."""
    bound = max(abs(value) for value in values.flat) or Fraction(1)
    return np.asarray((values + bound) / (bound * values.shape[-1]))


def _split(steps: Numbers, start: Numbers, heights: Numbers) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """States with a final entry of 0 or 1: those in between become two, entered in proportion."""
    shares = [(s, accepts, share) for s, h in enumerate(heights) for accepts, share in ((True, h), (False, 1 - h))]
    kept = [(s, accepts, share) for s, accepts, share in shares if share]
    states, portions = [s for s, _, _ in kept], np.array([share for _, _, share in kept], dtype=object)
    final = np.array([accepts for _, accepts, _ in kept], dtype=np.bool_)
    return steps[:, states][:, :, states] * portions, start[states] * portions, final
