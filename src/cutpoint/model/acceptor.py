"""Acceptor: a validated, immutable (S, Σ, P, π, f) with named states, and what it does with words."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from types import MethodType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample, State, Symbol, Word, Words
from cutpoint.data.alphabet import is_collection
from cutpoint.errors import InvalidAcceptor, InvalidArgument, TooLarge
from cutpoint.exact import compared, cut_point_value, has_parameters, whole_number
from cutpoint.exact.recursions import quotients
from cutpoint.kernels import kernels
from cutpoint.kernels.sparse_matrices import SparseMatrices, check_dense
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import parts
from cutpoint.model.chain import MarkovChain
from cutpoint.model.completion_bounds import CompletionBounds
from cutpoint.model.machine import Machine
from cutpoint.model.parts import States, check_threads, random_generator
from cutpoint.model.run import Run
from cutpoint.model.text import number
from cutpoint.model.weighted import WeightedAutomaton, kronecker
from cutpoint.wording import counted, shown

MOST_BITS = 10**9  # most bits that the exact power of a matrix may take


class Acceptor(Machine):
    r"""Stochastic acceptor :math:`A = (S, \Sigma, P, \pi, f)`: an immutable, hashable value.

    It is also called a probabilistic finite automaton (PFA).

    Parameters
    ----------
    states : :math:`S`, distinct hashable names, or an int n for the names 0 … n-1.
    alphabet : :math:`\Sigma`, distinct hashable symbols; a str gives its characters.
    transitions : :math:`P`, as ``{symbol: matrix}``, ``{symbol: {state: {state: p}}}`` (a state left out has
        probability 0; a single next state may stand for its row) or an array ``[a, s, t]``: symbol, from, to.
        Entries are numbers, ``Fraction``, or strings such as ``"1/3"``. If all are rational they are kept exactly.
        With entries of :func:`parameters` the result is a :class:`ParametricAcceptor`.
    initial : :math:`\pi`, a state, ``{state: p}``, a vector, or ``"uniform"``.
    final : :math:`f`, a collection of states, or a vector of zeros and ones.

    Notes
    -----
    Rows must sum to 1, equation (e-SA-marg0): exactly for rational entries, within 1e-9 for floats, which are kept as
    given. :meth:`normalized` rescales.

    Examples
    --------
    >>> coin = Acceptor(["heads", "tails"], "f", {"f": [["1/2", "1/2"], ["1/2", "1/2"]]}, "heads", {"tails"})
    >>> coin
    <Acceptor: 2 states {heads, tails}, 1 symbol {f}, starts in {heads}, accepts in {tails}, exact>
    >>> coin.acceptance("fff"), coin.exact_acceptance("fff")
    (0.5, Fraction(1, 2))
    >>> Acceptor(2, "a", [[[0.5, 0.4], [0, 1]]], initial=0, final={1})
    Traceback (most recent call last):
    ...
    cutpoint.errors.InvalidAcceptor: row of symbol 'a', state 0 must sum to 1; got 0.9. Use Acceptor.normalized(...) to
    rescale rows.
    """

    PARTS = ("states", "alphabet", "transitions", "initial", "final")
    __signature__: ClassVar[inspect.Signature]

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """A :class:`ParametricAcceptor` where an entry has a parameter."""
        if cls is Acceptor and (has_parameters(given[2:4]) or has_parameters(named)):
            from cutpoint.model.parametric import ParametricAcceptor  # noqa: PLC0415  # it knows acceptors

            return ParametricAcceptor(*given, **named)
        return super().__new__(cls)

    def __init__(
        self, states: int | Iterable[State], alphabet: Iterable[Symbol], transitions: Any, initial: Any, final: Any
    ) -> None:
        names, sigma = States(states), Alphabet(alphabet)
        if not sigma:
            raise InvalidAcceptor("an acceptor needs at least one symbol; the alphabet is empty.")
        steps = parts.read_transitions(transitions, sigma, names)
        start = parts.read_initial(initial, names)
        for rows in (steps, start):
            parts.check_rows(rows, sigma, names)
        kept = parts.read_final(final, names)
        column = np.array([Fraction(0), Fraction(1)])[kept.astype(np.intp)]
        self._hold(names, kept, WeightedAutomaton.from_arrays(sigma, start, steps, column))

    @classmethod
    def normalized(
        cls, states: int | Iterable[State], alphabet: Iterable[Symbol], transitions: Any, initial: Any, final: Any
    ) -> Self:
        """Acceptor from rows of non-negative weights: each row, and the initial one, is divided by its sum.

        Examples
        --------
        >>> Acceptor.normalized(2, "a", [[[1, 2], [3, 1]]], [1, 1], {1}).exact_acceptance("")
        Fraction(1, 2)
        """
        names, sigma = States(states), Alphabet(alphabet)
        weights = parts.read_transitions(transitions, sigma, names), parts.read_initial(initial, names)
        steps, start = (parts.scaled_rows(rows, sigma, names) for rows in weights)
        return cls(names, sigma, steps, start, final)

    @classmethod
    def from_weighted(cls, automaton: WeightedAutomaton, states: int | Iterable[State] | None = None) -> Self:
        """The weighted automaton as an acceptor, if it is one; states are named 0, 1, 2, … by default.

        :meth:`WeightedAutomaton.to_acceptor` finds one with the same cut-point language for any other.

        Examples
        --------
        >>> A = cp.p_adic(2)
        >>> cp.Acceptor.from_weighted(A.to_weighted(), A.states) == A
        True
        """
        weighted = WeightedAutomaton.of(automaton)
        row, steps, column = weighted.stored_arrays()
        for place in np.flatnonzero((column != 0) & (column != 1)):
            found = f"got {number(column[place])} in dimension {place}"
            raise InvalidAcceptor(
                f"the final weights of an acceptor are 0 and 1; {found}. Take to_acceptor(cut_point)."
            )
        return cls(len(row) if states is None else states, weighted.alphabet, steps, row, column != 0)

    def to_weighted(self) -> WeightedAutomaton:
        r"""The row :math:`\pi`, matrices :math:`P(a)` and column :math:`f` alone: a :class:`WeightedAutomaton`.

        Examples
        --------
        >>> (cp.p_adic(2).to_weighted() * 3).exact_value("1")
        Fraction(3, 2)
        """
        return self._weighted

    @cached_property
    def row_excess(self) -> Fraction:
        """How far the sums of rows are from 1, at most; not 0 for most acceptors with float entries."""
        sums = [*self._weighted.exact_stored.sum(axis=2).flat, self.exact_initial.sum()]
        return Fraction(max(abs(total - 1) for total in sums))

    @property
    def is_stochastic(self) -> bool:
        """Whether all rows sum to exactly 1; the binary values of floats seldom do."""
        return self.is_exact or self.row_excess == 0

    # -- Section 2: matrices, acceptance, cut points ------------------------------------------------------------

    def matrix(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Matrix :math:`P(x) = P(x_1) \cdots P(x_n)` of a word, (e-SA-prob2); the identity for the empty word.

        Entry ``[s, t]`` is the paper's :math:`\hat p(t \mid x, s)`. Cost :math:`O(n l^3)`. ``exact=True``, here and
        below, gives an array of ``Fraction``; float entries count as their exact binary values.

        Examples
        --------
        >>> cp.p_adic(2).matrix("1")
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        codes = self.alphabet.encode_word(word)
        if exact:
            return self.integers.matrix(codes.tolist())
        return kernels(self.stored).matrix(self.stored, codes)  # type: ignore[no-any-return]

    def transition(self, symbol: Symbol, before: State, after: State) -> float:
        r"""One transition probability by name: the paper's :math:`\theta_{t;a,s}`, t = after, a = symbol, s = before.

        Examples
        --------
        >>> cp.p_adic(2).transition("1", "s1", "s2")
        0.5
        """
        place = self.alphabet.code(symbol), self.states.code(before), self.states.code(after)
        return float(_entries_at(self.stored, *place))

    def distribution(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Distribution over states after reading a word, :math:`\pi P(x)`. Cost :math:`O(n l^2)`."""
        codes = self.alphabet.encode_word(word)
        if exact:
            return quotients(*self.integers.row(codes.tolist())).ravel()
        return kernels(self.stored).distribution(self.stored, self.initial, codes)  # type: ignore[no-any-return]

    def acceptance(self, word: Word) -> float:
        r"""Acceptance probability :math:`\pi P(x) f` of a word, equation (e-M-2). Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> cp.p_adic(2).acceptance("01")  # 0.10 in base 2
        0.5
        """
        return self._weighted.value(word)

    def acceptances(self, words: Words | Sample, threads: int | None = None) -> Floats:
        """Acceptance probability of each word; of a :class:`Sample`, of its distinct observations.

        ``threads`` is the number of threads, by default one per core; the result does not depend on it.
        The error is relative, about n(l + 2) roundings, down to 1e-300; use :meth:`log_acceptances` below that.
        """
        return self.encoded_acceptances(self.encode(words), threads)

    def log_acceptance(self, word: Word) -> float:
        """Natural logarithm of the acceptance probability: accurate far below 1e-308; -inf if it is 0.

        Examples
        --------
        >>> fading = Acceptor(2, "a", [[[1e-3, 1 - 1e-3], [0, 1]]], initial=0, final={0})
        >>> fading.acceptance("a" * 1000), round(fading.log_acceptance("a" * 1000), 6)
        (0.0, -6907.755279)
        """
        return float(self._log_acceptances(self._alone(word))[0])

    def log_acceptances(self, words: Words | Sample, threads: int | None = None) -> Floats:
        """Natural logarithm of each word's acceptance probability, -inf exactly where a word can't be accepted."""
        return self._log_acceptances(self.encode(words), threads)

    def exact_acceptance(self, word: Word) -> Fraction:
        r"""Acceptance probability :math:`\pi P(x) f` as a rational number; floats count as their exact binary values.

        Examples
        --------
        >>> cp.p_adic(3).exact_acceptance("12")  # 0.21 in base 3
        Fraction(7, 9)
        """
        return self._weighted.exact_value(word)

    def accepts(self, word: Word, cut_point: Any) -> bool:
        r"""Whether :math:`\pi P(x) f > \lambda`, strictly, equation (e-L); never wrong by rounding.

        The float answer is used where its error bound decides, rational arithmetic elsewhere. A cut point given as a
        str, ``Fraction`` or ``Decimal`` is exact; a float means its exact binary value.

        Examples
        --------
        >>> cp.p_adic(10).accepts("1", "1/10"), cp.p_adic(10).accepts("1", 0.1)  # the float 0.1 is a bit more
        (False, False)
        """
        value, estimate = cut_point_value(cut_point), self.acceptance(word)
        return compared(estimate, len(word), self.n_states, value, lambda: self.exact_acceptance(word)) > 0

    def run(self, cut_point: Any = None) -> Run:
        """A run that reads symbol by symbol, for a case that is still going on. Cost :math:`O(l^2)` per symbol.

        Examples
        --------
        >>> run = cp.p_adic(2).run(cut_point="1/2")
        >>> for symbol in "011":
        ...     run.read(symbol)
        <Run: '0' read, acceptance 0, not accepted at 1/2>
        <Run: '01' read, acceptance 0.5, not accepted at 1/2>
        <Run: '011' read, acceptance 0.75, accepted at 1/2>
        """
        return Run(self, cut_point)

    @cached_property
    def completion_bounds(self) -> tuple[CompletionBounds, CompletionBounds]:
        """Columns that bound the acceptance of longer words from above, and from below."""
        return CompletionBounds(self, at_most=True), CompletionBounds(self, at_most=True, lowest=True)

    def chain(self, word: Word, exact: bool = False) -> MarkovChain:
        """Markov chain that :math:`P(x)` generates: its classes, stationary distributions and absorption."""
        if exact:
            return MarkovChain(self.matrix(word, exact=True), self.states)
        check_dense((self.n_states, self.n_states), "the matrix of the chain")
        support = np.eye(self.n_states)
        for symbol in self.alphabet.encode_word(word):  # where P(x) is positive, even if it is too small for a float
            support = (support @ (self.transitions[symbol] > 0.0)) > 0.0
        return MarkovChain(self.matrix(word), self.states, np.asarray(support, dtype=np.bool_))

    def _last_column(self, end: NDArray[np.bool_]) -> NDArray[Any]:
        return end

    # -- Section 3: tables and the joint distribution -----------------------------------------------------------

    def forward(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Distribution over states after each prefix of a word: the paper's table M, equation (e-M-1).

        .. math:: M[0] = \pi, \qquad M[k] = M[k-1]\, P(x_k)

        Shape ``(n + 1, n_states)``; every row sums to 1. Cost :math:`O(n l^2)`. The paper's forward probabilities,
        which carry the factor :math:`1/l'^n`, are :meth:`BeliefNetwork.forward`.

        Examples
        --------
        >>> cp.p_adic(2).forward("01")[-1]
        array([0.5, 0.5])
        """
        codes = self.alphabet.encode_word(word)
        if exact:
            return self.integers.forward(codes.tolist())
        check_dense((len(codes) + 1, self.n_states), "the table")
        return kernels(self.stored).forward(self.stored, self.initial, codes)  # type: ignore[no-any-return]

    def backward(self, word: Word, accepted: bool | None = None, exact: bool = False) -> NDArray[Any]:
        r"""Probability, from each state after each prefix, that the rest of the run ends accepted, or rejected.

        .. math:: b(n) = g, \qquad b(i-1) = P(x_i)\, b(i)

        with :math:`g` all ones (``accepted=None``, the paper's :math:`b_{x,s}(i)`, which are then all 1 because rows
        sum to 1), ``final`` (True) or ``1 - final`` (False). Shape ``(n + 1, n_states)``. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> cp.p_adic(2).backward("01", accepted=True)[0]
        array([0.5 , 0.75])
        """
        codes, end = self.alphabet.encode_word(word), self.possible_ends(accepted)
        if exact:
            return self.integers.backward(codes.tolist(), end)
        check_dense((len(codes) + 1, self.n_states), "the table")
        return kernels(self.stored).backward(self.stored, end.astype(np.float64), codes)  # type: ignore[no-any-return]

    def input_probability(self, word: Word, exact: bool = False) -> Any:
        r"""Probability :math:`p_X(x) = l'^{-n} \sum_s M[n, s]` of an input with equally likely symbols, (e-M-1).

        The table sums to 1, so this is :math:`1/l'^n` whatever the transitions are. See :meth:`log_input_probability`
        for long words.

        Examples
        --------
        >>> cp.p_adic(2).input_probability("010")
        0.125
        """
        if exact:
            return Fraction(self.distribution(word, exact=True).sum()) / self.n_symbols ** len(word)
        return float(self.distribution(word).sum()) * float(self.n_symbols) ** -len(word)

    def log_input_probability(self, word: Word) -> float:
        """Natural logarithm of :meth:`input_probability`; does not underflow."""
        return math.log(self.distribution(word).sum()) - len(word) * math.log(self.n_symbols)

    def joint(self, word: Word, path: Iterable[State], exact: bool = False) -> Any:
        r"""Joint probability of an input and a state path of length n + 1.

        .. math:: p_{X,S}(x, s) = \frac{1}{l'^n}\, \pi_{s_1} \theta_{s_2; x_1, s_1} \cdots \theta_{s_{n+1}; x_n, s_n}

        Examples
        --------
        >>> cp.p_adic(2).joint("1", ["s1", "s2"])
        0.25
        """
        codes = self.alphabet.encode_word(word)
        run = self.path_codes(path, len(codes))
        if exact:
            factors = _entries_at(self._weighted.exact_stored, codes, run[:-1], run[1:])
            return Fraction(self.exact_initial[run[0]] * factors.prod()) / self.n_symbols ** len(codes)
        steps = _entries_at(self.stored, codes, run[:-1], run[1:])
        return float(self.initial[run[0]] * (steps / self.n_symbols).prod())

    def sample_path(self, word: Word, rng: np.random.Generator | int) -> tuple[State, ...]:
        """One random run on a word: its n + 1 states, drawn with a generator or a seed.

        Examples
        --------
        >>> cp.p_adic(2).sample_path("01", rng=0)
        ('s1', 's1', 's1')
        """
        (run,) = self._sample_runs(self._alone(word), random_generator(rng))
        return tuple(self.states[s] for s in run)

    def _sample_runs(self, words: EncodedWords, rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """One random run per encoded word: codes of its n + 1 states. A transition of probability 0 is never made."""
        starts, lengths = words.positions[:-1], words.lengths
        draws = rng.random(int(words.positions[-1]))
        runs = np.empty(len(draws), dtype=np.int64)
        possible = np.flatnonzero(self.initial)
        first = np.broadcast_to(self.initial[possible], (len(lengths), len(possible)))
        runs[starts] = possible[_random_states(first, draws[starts])]
        order = np.argsort(-lengths, kind="stable")
        for i in range(int(lengths.max(initial=0))):
            active = order[: np.searchsorted(-lengths[order], -i)]
            place = starts[active] + i
            symbols = words.symbols[words.offsets[active] + i]
            if isinstance(self.stored, SparseMatrices):
                runs[place + 1] = self.stored.drawn(symbols, runs[place], draws[place + 1])
            else:
                runs[place + 1] = _random_states(self.stored[symbols, runs[place]], draws[place + 1])
        return np.split(runs, starts[1:]) if len(words) else []

    # -- Acceptors made from acceptors --------------------------------------------------------------------------

    def __invert__(self) -> Self:
        r"""Complement ``~A``: accepts with probability :math:`1 - p`."""
        return self.replace(final=~self.final)

    def __and__(self, other: Acceptor) -> Acceptor:
        r"""Product ``A & B`` of independent runs: accepts with probability :math:`p q`."""
        return self._product(other, np.logical_and) if isinstance(other, Acceptor) else NotImplemented

    def __or__(self, other: Acceptor) -> Acceptor:
        r"""Probabilistic sum ``A | B`` of independent runs: accepts with probability :math:`p + q - p q`."""
        return self._product(other, np.logical_or) if isinstance(other, Acceptor) else NotImplemented

    def _product(self, other: Acceptor, final_rule: np.ufunc) -> Acceptor:
        """Two independent runs side by side; a pair of states is final by a rule on its two sides."""
        start, steps, _ = kronecker(self._weighted, other._weighted.reordered(self.alphabet))
        pairs = [(s, t) for s in self.states for t in other.states]
        return self.composed(pairs, self.alphabet, steps, start, final_rule.outer(self.final, other.final).ravel())

    def restricted(self, symbols: Iterable[Symbol]) -> Self:
        """The same acceptor on words over some of its symbols, in the order given.

        Examples
        --------
        >>> cp.p_adic(10).restricted("01").exact_acceptance("01")
        Fraction(1, 10)
        """
        kept = Alphabet(symbols)
        codes = [self.alphabet.code(symbol, "restricted: ") for symbol in kept]
        return self.replace(alphabet=kept, transitions=self._weighted.stored_arrays()[1].take(codes, axis=0))

    def inverse_image(self, words: Mapping[Any, Word]) -> Self:
        r"""Acceptor over new symbols, each of which reads a word: :math:`P'(y) = P(h(y))`.

        The word :math:`y_1 \dots y_n` is accepted as :math:`h(y_1) \dots h(y_n)` is: cut-point languages become
        their inverse images under the substitution :math:`h`. A symbol may stand for the empty word.

        Examples
        --------
        >>> A = cp.p_adic(2).inverse_image({"x": "01", "y": ""})
        >>> A.exact_acceptance("xyx") == cp.p_adic(2).exact_acceptance("0101")
        True
        """
        if not isinstance(words, Mapping) or not words:
            raise InvalidArgument(f"a substitution must be a mapping {{new symbol: word}}; got {shown(words)}.")
        steps = np.stack([self.matrix(word, exact=self.is_exact) for word in words.values()])
        return self.composed(self.states, Alphabet(words), steps, self._weighted.arrays()[0], self.final)

    def power_acceptance(self, word: Word, exponent: Any, exact: bool = False) -> Any:
        r"""Acceptance :math:`\pi P(x)^k f` of a word repeated k times, by repeated squaring: k may be 10**15.

        The exponent is a whole number from 0, or a collection of them, which gives an array. Cost
        :math:`O(l^3 \log k)`; exact results grow with k. Rows of floats are rescaled to sum to 1 after every squaring.

        Examples
        --------
        >>> cp.p_adic(3).power_acceptance("12", 2, exact=True), cp.p_adic(3).power_acceptance("1", [0, 1, 10**15])
        (Fraction(70, 81), array([0. , 0.33333333, 0.5 ]))
        """
        several = is_collection(exponent)
        times = [whole_number("an exponent", k, least=0) for k in (exponent if several else [exponent])]
        values = self._exact_powers(word, times) if exact else self._powers(word, times)
        return np.array(values, dtype=object if exact else np.float64) if several else values[0]

    def _powers(self, word: Word, times: list[int]) -> list[float]:
        square = self.matrix(word)
        rows = np.tile(self.initial, (len(times), 1))
        for bit in range(max((k.bit_length() for k in times), default=0)):
            chosen = [i for i, k in enumerate(times) if k >> bit & 1]
            rows[chosen] = rows[chosen] @ square
            square = square @ square
            square /= square.sum(axis=1, keepdims=True)
        return [float(value) for value in rows @ self.final]

    def _exact_powers(self, word: Word, times: list[int]) -> list[Fraction]:
        codes = self.alphabet.encode_word(word).tolist()
        size = sum(int(self.integers.denominators[a]).bit_length() for a in codes) * self.n_states**2
        bits = size * max(times, default=0)
        if bits > MOST_BITS:
            raise TooLarge(
                f"the exact power of the matrix would take about {counted(bits // 8, 'byte')}; "
                f"lower the exponent to about {MOST_BITS // size:,}, or leave exact=True out."
            )
        return [self.integers.value(codes, repeat=k) for k in times]

    # -- Encoded words ------------------------------------------------------------------------------------------

    def encoded_acceptances(self, words: EncodedWords, threads: int | None = None) -> Floats:
        """Acceptance probability of each word, given as :meth:`encode` returns them."""
        return self._weighted.encoded_values(words, threads)

    def class_probabilities(self, owners: NDArray[np.bool_], words: EncodedWords, threads: int | None = None) -> Floats:
        """Probability that a word's run ends in a state of each class, ``[word, class]``; rows sum to 1.

        ``owners[c, s]`` says whether state s belongs to class c; each state belongs to one.
        """
        check_threads(threads)
        given, used = (self.stored, self.initial), kernels(self.stored)
        if len(owners) == 2:
            accepted = np.clip(used.acceptances(*given, owners[1].astype(np.float64), words, threads), 0.0, 1.0)
            return np.stack((1.0 - accepted, accepted), axis=1)
        columns = [used.acceptances(*given, owner.astype(np.float64), words, threads) for owner in owners]
        table = np.stack(columns, axis=1)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def class_log_probabilities(
        self, owners: NDArray[np.bool_], words: EncodedWords, threads: int | None = None
    ) -> Floats:
        """Natural logarithms of :meth:`class_probabilities`: accurate far below 1e-308; -inf where it is 0."""
        check_threads(threads)
        given, used = (self.stored, self.initial), kernels(self.stored)
        return np.stack([used.log_acceptances(*given, owner, words, threads) for owner in owners], axis=1)

    def _log_acceptances(self, words: EncodedWords, threads: int | None = None) -> Floats:
        check_threads(threads)
        given = self.stored, self.initial, self.final
        logs: Floats = kernels(self.stored).log_acceptances(*given, words, threads)
        return logs


# What help shows: __new__ takes anything.
Acceptor.__signature__ = inspect.signature(MethodType(Acceptor.__init__, Acceptor))


def _entries_at(matrices: Any, symbols: Any, before: Any, after: Any) -> Any:
    """Entries at some places, of an array or sparse matrices."""
    if isinstance(matrices, SparseMatrices):
        return matrices.at(symbols, np.asarray(before), np.asarray(after))
    return matrices[symbols, before, after]


def _random_states(rows: Floats, draws: Floats) -> NDArray[np.int64]:
    """State chosen from each row by a number in [0, 1)."""
    cumulative = rows.cumsum(axis=1)
    chosen = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
    last_positive = rows.shape[1] - 1 - (rows[:, ::-1] > 0.0).argmax(axis=1)
    return np.asarray(np.minimum(chosen, last_positive), dtype=np.int64)


def check_acceptor(value: object) -> None:
    """Refuse what is not an acceptor."""
    if not isinstance(value, Acceptor):
        raise InvalidArgument(f"expected an Acceptor; got {shown(value)}.")
