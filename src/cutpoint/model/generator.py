"""Generator: a machine that makes its words itself, one law for all of them; what it says about words."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Alphabet, PlainWord, Sample, State, Symbol, Word, Words
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.errors import InvalidAcceptor, InvalidArgument, TooLarge
from cutpoint.exact import check_choice, fractions, whole_number
from cutpoint.exact.recursions import quotients, solution
from cutpoint.kernels import kernels
from cutpoint.kernels.sparse_matrices import SparseMatrices, StateRows, edges_of, reachable
from cutpoint.kernels.words import Codes, EncodedWords, Floats, offsets_of
from cutpoint.model import parts, text
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.machine import Machine, never_emitted
from cutpoint.model.ngrams import ngram_chain
from cutpoint.model.parts import ROW_TOLERANCE, Numbers, States, check_threads, random_generator
from cutpoint.model.weighted import WeightedAutomaton, kronecker
from cutpoint.wording import listed, shown

MOST_SYMBOLS = 10**9  # most symbols that simulated words may be expected to have together
MOST_LENGTH = 10**6  # the same of each of them
MOST_EXPLORED = 10**6  # most prefixes that the search for probable words looks at
STRETCH = 64  # symbols of a long prefix that are read together
SMALL_ROW = 1e-100  # probability of a stretch down to which none of its rows is too small for floats

Path = tuple[Any, int] | None  # a word by its last symbol and what is before it


class StopSymbol:
    """The end of a word, among the symbols that may come next: ``cp.STOP``.

    Examples
    --------
    >>> coin = cp.Generator(1, "ht", {"h": [["1/4"]], "t": [["1/4"]]}, 0, ["1/2"])
    >>> coin.next_symbols("h")[cp.STOP]
    0.5
    """

    def __repr__(self) -> str:
        return "STOP"

    def __reduce__(self) -> str:
        return "STOP"


STOP = StopSymbol()


@dataclass(frozen=True)
class Surprise:
    r"""How unusual a word is under a generator, in nats.

    Attributes
    ----------
    events : :math:`-\log P(x_i \mid x_1 \dots x_{i-1})` for each symbol, and last for the end of the word.
    total : their sum, :math:`-\log p(x)`.
    p_value : share of held-out words that are at least as surprising, counting this word as one of them; None without
        held-out words.
    """

    events: Floats
    total: float
    p_value: float | None = None

    def __repr__(self) -> str:
        *symbols, end = self.events.tolist()
        parts = [f"{self.total:.4g} nats", f"end {end:.4g}"]
        if symbols:
            top = max(range(len(symbols)), key=symbols.__getitem__)
            parts.insert(1, f"most at position {top} of {len(symbols)} ({symbols[top]:.4g})")
        shown_value = [] if self.p_value is None else [f"p-value {self.p_value:.3g} among held-out words"]
        return f"<Surprise: {', '.join(parts + shown_value)}>"


class Generator(Machine):
    r"""Stochastic generator: a machine that emits a word symbol by symbol and stops; an immutable, hashable value.

    In state s it emits a and moves to t with probability :math:`T(a)[s,t]`, or stops with probability ``stop[s]``. The
    word x comes up with probability

    .. math:: p(x) = \pi\, T(x_1) \cdots T(x_n)\, \mathrm{stop}

    and counts as accepted if it stops in a final state.

    Parameters
    ----------
    states : distinct hashable names, or an int n for the names 0 … n-1.
    alphabet : distinct hashable symbols; a str gives its characters.
    transitions : :math:`T`, as ``{symbol: matrix}``, ``{symbol: {state: {state: p}}}`` (what is left out is 0) or an
        array ``[a, s, t]``: symbol, from, to. Entries are numbers, ``Fraction``, or strings such as ``"1/3"``. If all
        are rational they are kept exactly.
    initial : :math:`\pi`, a state, ``{state: p}``, a vector, or ``"uniform"``.
    stop : probability to stop in each state, ``{state: p}`` or a vector.
    final : states in which words that stop are accepted; by default all.

    Notes
    -----
    The moves and the stop of a state must sum to 1: exactly for rational entries, within 1e-9 for floats, which are
    kept as given; :meth:`normalized` rescales. From every state a stop must be possible: then
    :math:`\sum_x p(x) = 1`.

    Examples
    --------
    >>> G = cp.Generator(["s"], "ab", {"a": [["1/2"]], "b": [["1/4"]]}, "s", {"s": "1/4"})
    >>> G
    <Generator: 1 state {s}, 2 symbols {a, b}, starts in {s}, exact>
    >>> G.exact_probability("ab"), G.next_symbols("ab", exact=True)
    (Fraction(1, 32), {'a': Fraction(1, 2), 'b': Fraction(1, 4), STOP: Fraction(1, 4)})
    """

    PARTS = ("states", "alphabet", "transitions", "initial", "stop", "final")

    stop: Floats

    def __init__(
        self,
        states: int | Iterable[State],
        alphabet: Iterable[Symbol],
        transitions: Any,
        initial: Any,
        stop: Any,
        final: Any = None,
    ) -> None:
        names, sigma = States(states), Alphabet(alphabet)
        if not sigma:
            raise InvalidAcceptor("a generator needs at least one symbol; the alphabet is empty.")
        steps, start, end = _read(transitions, initial, stop, sigma, names)
        parts.check_rows(start, sigma, names, "Generator")
        _check_states(steps, end, sigma, names)
        kept = np.ones(len(names), dtype=np.bool_) if final is None else parts.read_final(final, names)
        weighted = WeightedAutomaton.from_arrays(sigma, start, steps, end)
        self._hold(names, kept, weighted)
        self.__dict__["stop"] = weighted.final

    @classmethod
    def normalized(
        cls,
        states: int | Iterable[State],
        alphabet: Iterable[Symbol],
        transitions: Any,
        initial: Any,
        stop: Any,
        final: Any = None,
    ) -> Self:
        """Generator from non-negative weights: those of each state, and the initial ones, are divided by their sum.

        Examples
        --------
        >>> cp.Generator.normalized(1, "ab", {"a": [[2]], "b": [[1]]}, [1], [1]).exact_probability("a")
        Fraction(1, 8)
        """
        names, sigma = States(states), Alphabet(alphabet)
        steps, start, end = _read(transitions, initial, stop, sigma, names)
        parts.check_entries(steps, sigma, names)
        parts.check_entries(end, sigma, names, "stop")
        sums = steps.sum(axis=(0, 2)) + end
        for s in np.flatnonzero(sums == 0):
            raise InvalidAcceptor(f"state {names[s]!r} has no moves and no stop: its weights sum to 0. Give it some.")
        start = parts.scaled_rows(start, sigma, names)
        shares = sums[steps.pattern.sources] if isinstance(steps, SparseMatrices) else sums[:, None]
        return cls(names, sigma, steps / shares, start, end / sums, final)

    @classmethod
    def from_hmm(
        cls, start: Any, transition: Any, emission: Any, stop: Any, alphabet: Iterable[Symbol] | None = None
    ) -> Self:
        r"""Generator of a hidden Markov model: in each state it emits a symbol, then stops or moves on.

        .. math:: T(a)[s,t] = e[s,a] (1 - \mathrm{stop}[s]) P[s,t], \qquad T(a)[s,\text{end}] = e[s,a]\,\mathrm{stop}[s]

        with one more state, ``"end"``, which stops. Exact if all parts are rational. With
        ``tied_symbols=[G.alphabet]``, ``baum_welch`` keeps this form: its steps are those of a hidden Markov model.

        Parameters
        ----------
        start, transition, emission : :math:`\pi[s]`, :math:`P[s,t]` and :math:`e[s,a]`, each row a distribution.
        stop : probability to stop after a symbol: a number, or one for each state. A hidden Markov model as such has no
            such law; 1 / (mean length of words) is a natural choice.
        alphabet : the symbols, by default 0, 1, 2, …

        Examples
        --------
        >>> G = cp.Generator.from_hmm([1, 0], [["1/2", "1/2"], [0, 1]], [["3/4", "1/4"], [0, 1]], "1/3", "ab")
        >>> G.exact_probability("ab")  # 3/4 · 2/3 · (1/2 · 1/4 + 1/2 · 1) · 1/3
        Fraction(5, 48)
        """
        (n, *_), (_, n_symbols, *_) = (*(parts.shape_of(start) or ()), 1), (*(parts.shape_of(emission) or ()), 1, 1)
        sigma = Alphabet(range(n_symbols) if alphabet is None else alphabet)
        first, moves, emitted = (
            _distributions(start, (n,), "start", "one number per state"),
            _distributions(transition, (n, n), "transition", "one row and one column per state"),
            _distributions(emission, (n, len(sigma)), "emission", "one row per state, one column per symbol"),
        )
        ends = parts.read_array([stop] * n if np.ndim(stop) == 0 else stop, (n,), "stop", "a number, or one per state")
        if not ((ends >= 0) & (ends <= 1)).all():
            raise InvalidAcceptor(f"stop must be a probability, or one per state; got {shown(stop)}.")
        first, moves, emitted, ends = _of_one_kind(first, moves, emitted, ends)
        steps = np.zeros((len(sigma), n + 1, n + 1), dtype=moves.dtype)
        steps[:, :n] = emitted.T[:, :, None] * np.column_stack(((1 - ends)[:, None] * moves, ends))
        return cls([*range(n), "end"], sigma, steps, np.append(first, 0), {"end": 1})

    @classmethod
    def from_hmmlearn(cls, model: Any, stop: Any, alphabet: Iterable[Symbol] | None = None) -> Self:
        """Generator of a fitted ``CategoricalHMM`` of hmmlearn, which has no law of stopping: see :meth:`from_hmm`.

        With one ``stop`` for all states, ``log_probability(x)`` is ``score(x) + (n - 1) log(1 - stop) + log(stop)``.
        """
        names = "startprob_", "transmat_", "emissionprob_"
        if not all(hasattr(model, name) for name in names) or hasattr(model, "n_trials"):
            raise InvalidArgument(
                f"expected a fitted CategoricalHMM, which has {', '.join(names)}, and not a multinomial one, which "
                f"emits several symbols at once; got {shown(model)}."
            )
        return cls.from_hmm(model.startprob_, model.transmat_, model.emissionprob_, stop, alphabet)

    @classmethod
    def from_ngrams(cls, words: Words | Sample, n: int = 3, alphabet: Iterable[Symbol] | None = None) -> Self:
        r"""The n-gram model of words, a Markov chain of order n - 1: the baseline for what is learned.

        Contexts are interpolated as Witten and Bell do, down to equal probabilities, so that every word over the
        alphabet has a positive one. With c(ha) for how often a, or the end of the word, follows h, t(h) for how many
        different ones do, and h' for h without its first symbol:

        .. math:: P(a \mid h) = \frac{c(ha) + t(h)\, P(a \mid h')}{c(h) + t(h)}

        States are named by their contexts, ``"^"`` for the beginning of a word. What else a sample says of its words is
        not used.

        Examples
        --------
        >>> G = cp.Generator.from_ngrams(["ab", "ab", "aab"], n=2)
        >>> G
        <Generator: 3 states {^, a, b}, 2 symbols {a, b}, starts in {^}>
        >>> {symbol: round(p, 3) for symbol, p in G.next_symbols("a").items()}
        {'a': 0.295, 'b': 0.603, STOP: 0.103}
        """
        whole_number("n", n, least=1)
        sample = words if isinstance(words, Sample) else Sample(words, alphabet=alphabet)
        if alphabet is not None and sample.alphabet != Alphabet(alphabet):
            sample = Sample(sample.words, counts=sample.counts, alphabet=alphabet)
        states, steps, stop = ngram_chain(sample, n)
        return cls(states, sample.alphabet, steps, states[0], stop)

    def to_weighted(self, accepted: bool | None = None) -> WeightedAutomaton:
        r"""The function :math:`x \mapsto p(x)`, or :math:`p(x, \text{accepted})`, as a :class:`WeightedAutomaton`.

        Examples
        --------
        >>> G = cp.Generator(1, "a", {"a": [["1/2"]]}, 0, ["1/2"])
        >>> G.to_weighted().exact_value("aa")
        Fraction(1, 8)
        """
        if accepted is None:
            return self._weighted
        row, steps, column = self._weighted.stored_arrays()
        return WeightedAutomaton.from_arrays(self.alphabet, row, steps, column * self.possible_ends(accepted))

    @property
    def exact_stop(self) -> Numbers:
        """Probabilities to stop as an array of ``Fraction``; of float entries, their exact binary values."""
        return self._weighted.exact_final

    # -- Probabilities of words ---------------------------------------------------------------------------------

    def probability(self, word: Word) -> float:
        r"""Probability :math:`p(x) = \pi T(x)\,\mathrm{stop}` that the word x comes up. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> cp.Generator(1, "a", {"a": [[0.5]]}, 0, [0.5]).probability("aa")
        0.125
        """
        return self._weighted.value(word)

    def log_probability(self, word: Word) -> float:
        """Natural logarithm of the probability of a word: accurate far below 1e-308; -inf if it is 0."""
        return float(self._logs(self._alone(word))[0])

    def log_probabilities(self, words: Words | Sample, threads: int | None = None) -> Floats:
        """Natural logarithm of each word's probability; of a :class:`Sample`, of its distinct observations.

        Words that begin alike share the work. ``threads`` is the number of threads, by default one per core; the
        result does not depend on it.
        """
        return self._logs(self.encode(words), threads=threads)

    def exact_probability(self, word: Word) -> Fraction:
        """Probability of a word as a rational number; floats count as their exact binary values."""
        return self._weighted.exact_value(word)

    def prefix_probability(self, prefix: Word, exact: bool = False) -> Any:
        r"""Probability :math:`\pi T(x) 1` that the word which comes up begins with a prefix."""
        codes = self.alphabet.encode_word(prefix)
        if exact:
            return Fraction(quotients(*self.integers.row(codes.tolist())).sum())
        return float(kernels(self.stored).distribution(self.stored, self.initial, codes).sum())

    def distribution(self, prefix: Word, exact: bool = False) -> NDArray[Any]:
        """Distribution over states after a prefix came up; a prefix of probability 0 is refused."""
        codes = self.alphabet.encode_word(prefix)
        if exact:
            row = quotients(*self.integers.row(codes.tolist())).ravel()
            return np.asarray(row / self._possible(row.sum(), prefix))
        row = self.initial.copy()
        for start in range(0, len(codes), STRETCH):
            row = self._row_after(row, codes[start : start + STRETCH], prefix)
        return row

    def _row_after(self, row: Floats, codes: Codes, prefix: Word) -> Floats:
        """Distribution after some more symbols of a prefix; where it becomes small, they are taken in halves."""
        after = kernels(self.stored).distribution(self.stored, row, codes)
        total, half = float(after.sum()), len(codes) // 2
        if total >= SMALL_ROW or not half:
            return np.asarray(after / self._possible(total, prefix))
        return self._row_after(self._row_after(row, codes[:half], prefix), codes[half:], prefix)

    def next_symbols(self, prefix: Word = (), exact: bool = False) -> dict[Any, Any]:
        """Probability of each symbol to come next after a prefix, and of ``STOP``; they sum to 1.

        Examples
        --------
        >>> G = cp.Generator(2, "ab", {"a": {0: {1: 1}}, "b": {1: {0: "1/2"}}}, 0, {1: "1/2"})
        >>> G.next_symbols("a")
        {'a': 0.0, 'b': 0.5, STOP: 0.5}
        """
        row, (_, steps, stop) = self.distribution(prefix, exact), self._weighted.stored_arrays(exact)
        values = [*(row @ steps.sum(axis=2).T), row @ stop]
        convert = Fraction if exact else float
        return dict(zip([*self.alphabet, STOP], map(convert, values), strict=True))

    def perplexity(self, words: Words | Sample, per: str = "symbol") -> float:
        r"""Perplexity of words: the exponential of the mean surprise, ``per`` symbol (each end counts as one) or word.

        .. math:: \exp\Bigl(-\frac{\sum_r u_r \log p(x_r)}{\sum_r u_r (n_r + 1)}\Bigr)

        Infinite if a word has probability 0. A :class:`Sample` counts with its weights, whatever else was seen.

        Examples
        --------
        >>> cp.Generator(1, "a", {"a": [[0.5]]}, 0, [0.5]).perplexity(["", "a", "aaa"])
        2.0
        """
        check_choice("per", per, "symbol", "word")
        encoded = self.encode(words)
        if not len(encoded):
            raise InvalidArgument("the perplexity of no words is not defined: give at least one word.")
        counts = words.counts if isinstance(words, Sample) else np.ones(len(encoded))
        units = counts * (encoded.lengths + 1) if per == "symbol" else counts
        logs = self._logs(encoded)
        mean = -math.inf if np.isneginf(logs).any() else float((counts * logs).sum() / units.sum())
        return math.exp(-mean) if -mean < 700 else math.inf

    def most_probable_words(self, number: int = 10) -> list[tuple[PlainWord, float]]:
        """The most probable words with their probabilities, best first; equal ones in the order in which they grow.

        A best-first search: no word is more probable than its prefixes. A search that would look at more than a million
        prefixes is refused.

        Examples
        --------
        >>> cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25]).most_probable_words(3)
        [('', 0.25), ('a', 0.125), ('b', 0.0625)]
        """
        whole_number("number", number, least=1)
        order, found = count(), list[tuple[PlainWord, float]]()
        waiting: list[tuple[float, int, Path, Floats | None]] = [(-1.0, next(order), None, self.initial)]
        while waiting and len(found) < number:
            bound, _, path, row = heapq.heappop(waiting)
            if row is None:
                codes = list[int]()
                while path is not None:
                    path, symbol = path
                    codes.append(symbol)
                found.append((self.alphabet.decode(np.array(codes[::-1], dtype=np.int32)), -bound))
                continue
            if next(order) > MOST_EXPLORED:
                raise TooLarge(
                    f"the {number} most probable words are not found among {MOST_EXPLORED:,} prefixes: too many words "
                    f"are about equally probable ({len(found)} are found). Ask for fewer."
                )
            whole = float(row @ self.stop)
            if whole > 0.0:
                heapq.heappush(waiting, (-whole, next(order), path, None))
            for symbol in range(self.n_symbols):
                following = row @ self._weighted.matrix_of(symbol)
                if (mass := float(following.sum())) > 0.0:
                    heapq.heappush(waiting, (-mass, next(order), (path, symbol), following))
        return found

    def surprise(self, word: Word, held_out: Words | Sample | None = None) -> Surprise:
        """How unusual a word is: event by event, in total, and beside held-out words; see :class:`Surprise`.

        Examples
        --------
        >>> G = cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25])
        >>> G.surprise("ab", held_out=["a", "", "aaa"]).p_value, G.surprise("ab").events.round(3).tolist()
        (0.5, [0.693, 1.386, 1.386])
        """
        row, chances = self.initial, list[float]()
        for symbol in self.alphabet.encode_word(word):
            reached = row @ self._weighted.matrix_of(symbol)
            chances.append(float(reached.sum()))
            row = reached / (chances[-1] or 1.0)
        with np.errstate(divide="ignore"):
            events = -np.log(np.array([*chances, row @ self.stop]))
        total = -self.log_probability(word)
        if held_out is None:
            return Surprise(events, total)
        logs = self.log_probabilities(held_out)
        counts = held_out.counts if isinstance(held_out, Sample) else np.ones(len(logs))
        least = total * (1.0 - 1e-12)  # equal words count, whatever rounding does
        as_surprising = float(counts[-logs >= least].sum())
        return Surprise(events, total, (1.0 + as_surprising) / (1.0 + float(counts.sum())))

    # -- Outcomes -----------------------------------------------------------------------------------------------

    def acceptance(self, word: Word) -> float:
        r"""Probability that a word is accepted, given that it came up: Bayes' rule.

        .. math:: P(\text{accepted} \mid x) = \frac{\pi T(x) (\mathrm{stop} \circ f)}{\pi T(x)\, \mathrm{stop}}

        A word of probability 0 is refused.

        Examples
        --------
        >>> T = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
        >>> G = cp.Generator(["new", "good", "bad"], "ab", T, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
        >>> G.acceptance("a"), G.exact_acceptance("ab")
        (0.6, Fraction(3, 7))
        """
        return float(self.acceptances([word])[0])

    def acceptances(self, words: Words | Sample, threads: int | None = None) -> Floats:
        """Probability of each word to be accepted, given that it came up; one of probability 0 is refused."""
        return self.class_probabilities(np.stack((~self.final, self.final)), self.encode(words), threads)[:, 1]

    def class_probabilities(self, owners: NDArray[np.bool_], words: EncodedWords, threads: int | None = None) -> Floats:
        """Probability of each class of states to have the word's end, given that it came up: see :class:`Acceptor`."""
        return np.exp(self.class_log_probabilities(owners, words, threads))

    def class_log_probabilities(
        self, owners: NDArray[np.bool_], words: EncodedWords, threads: int | None = None
    ) -> Floats:
        """Natural logarithms of :meth:`class_probabilities`: accurate far below 1e-308."""
        logs = np.stack([self._logs(words, owner, threads) for owner in owners], axis=1)
        whole = np.logaddexp.reduce(logs, axis=1)
        for r in np.flatnonzero(np.isneginf(whole)):
            self._possible(0.0, self.alphabet.decode(words.word(int(r))))
        return np.asarray(logs - whole[:, None])

    def exact_acceptance(self, word: Word) -> Fraction:
        """Probability that a word is accepted, given that it came up, as a rational number."""
        accepted, whole = self.to_weighted(accepted=True).exact_value(word), self.exact_probability(word)
        return accepted / Fraction(self._possible(whole, word))

    def forecast(self, prefix: Word = (), exact: bool = False) -> Any:
        r"""Probability that the word will be accepted in the end, given how it begins.

        .. math:: h = \mathrm{stop} \circ f + \sum_a T(a)\, h, \qquad \text{forecast} = \alpha(x) \cdot h

        with :math:`\alpha(x)` the distribution over states after the prefix. One linear system, solved once and kept.
        """
        value = self.distribution(prefix, exact) @ (self._exact_hopes if exact else self._hopes)
        return Fraction(value) if exact else float(value)

    def expected_length(self, prefix: Word = (), exact: bool = False) -> Any:
        """Expected number of symbols to come after a prefix, by default of the whole word.

        Examples
        --------
        >>> cp.Generator(1, "a", {"a": [["3/4"]]}, 0, ["1/4"]).expected_length(exact=True)
        Fraction(3, 1)
        """
        ones = np.ones(self.n_states) if not exact else fractions(np.ones(self.n_states, dtype=np.int64))
        visits = self.distribution(prefix, exact) @ self.until_stop(ones)
        return Fraction(visits) - 1 if exact else float(visits) - 1.0

    def until_stop(self, values: ArrayLike) -> NDArray[Any]:
        r"""Expected sum of a value ``[s]`` over the states from each state on until it stops: :math:`(I - T)^{-1} v`.

        :math:`T = \sum_a T(a)`. Exact for an array of ``Fraction``.
        """
        exact = isinstance(values, np.ndarray) and values.dtype == object
        read = parts.read_array(values, (self.n_states,), "values", "one number per state")
        if not exact and isinstance(self.stored, SparseMatrices):
            return _solved_sparse(self.stored.moves(), self.stop, read.astype(np.float64))
        _, steps, stop = self._weighted.arrays(exact)
        return summed_until_stop(steps.sum(axis=0), stop, read if exact else read.astype(np.float64))

    @cached_property
    def _hopes(self) -> Floats:
        """Probability from each state to stop accepted in the end."""
        return np.asarray(self.until_stop(self.stop * self.final))

    @cached_property
    def _exact_hopes(self) -> Numbers:
        return self.until_stop(self.exact_stop * self.final)

    def product(self, acceptor: Acceptor) -> Generator:
        r"""Generator of the same words, accepted as an acceptor does: both run on the word independently.

        States are pairs; :math:`T(a) \otimes P(a)`, final where the acceptor is. Its forecasts are those of
        :func:`cutpoint.forecast`.
        """
        if not isinstance(acceptor, Acceptor):
            raise InvalidArgument(f"expected an Acceptor; got {shown(acceptor)}.")
        other = acceptor.to_weighted().reordered(self.alphabet)
        start, steps, _ = kronecker(self._weighted, other)
        stop = np.repeat(self._weighted.stored_arrays(self.is_exact and other.is_exact)[2], acceptor.n_states)
        pairs = [(s, t) for s in self.states for t in acceptor.states]
        return Generator.composed(pairs, self.alphabet, steps, start, stop, np.tile(acceptor.final, self.n_states))

    # -- Words made ---------------------------------------------------------------------------------------------

    def simulate(self, number: int, rng: np.random.Generator | int, with_outcomes: bool | None = None) -> Sample:
        """Draw words; with their outcomes, by default if not all states are final.

        Examples
        --------
        >>> cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25]).simulate(100, rng=0)
        Sample(100 observations, 42 distinct, alphabet 'ab', lengths 0 to 19: inputs alone)
        """
        whole_number("number", number, least=1)
        if (length := self.expected_length()) > MOST_LENGTH:
            raise TooLarge(f"a word would have about {length:.3g} symbols; the limit is {MOST_LENGTH:,}.")
        if number * (length + 1.0) > MOST_SYMBOLS:
            raise TooLarge(f"{number:,} words would have about {number * length:.3g} symbols together; draw fewer.")
        draws = random_generator(rng)
        drawn = self._state_rows.drawn if self.is_sparse else self._drawn_moves
        first = np.searchsorted(np.cumsum(self.initial) / self.initial.sum(), draws.random(number), side="right")
        state, active = np.minimum(first, self.n_states - 1), np.arange(number)
        owners: list[NDArray[np.int64]] = []
        emitted: list[NDArray[np.int64]] = []
        while len(active):
            chosen = drawn(state[active], draws.random(len(active)))
            active, chosen = active[chosen > 0], chosen[chosen > 0] - 1
            state[active] = chosen % self.n_states
            owners.append(active)
            emitted.append(chosen // self.n_states)
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        symbols = np.concatenate(emitted)[order].astype(np.int32)
        offsets = offsets_of(np.bincount(owner, minlength=number).tolist())
        words = EncodedWords.without_marks(symbols, offsets)
        if not self.final.all() if with_outcomes is None else with_outcomes:
            words = replace(words, ends=np.where(self.final[state], 1, 2).astype(np.int32))
        return Sample.from_encoded(words, np.ones(number), self.alphabet, FIRST_MARKS, merge=True)

    @cached_property
    def _cumulative_rows(self) -> Floats:
        """For each state the sums of its stop and its moves, up to 1."""
        moves = self.transitions.transpose(1, 0, 2).reshape(self.n_states, -1)
        cumulative = np.cumsum(np.column_stack((self.stop, moves)), axis=1)
        return np.asarray(cumulative / cumulative[:, -1:])

    def _drawn_moves(self, states: NDArray[np.int64], uniform: Floats) -> NDArray[np.int64]:
        """For each state 0, a stop, or 1 + a n + t, a move to t that emits a, by numbers in [0, 1)."""
        chosen = np.empty(len(states), dtype=np.int64)
        for s in np.unique(states):
            here = states == s
            chosen[here] = np.searchsorted(self._cumulative_rows[s], uniform[here], side="right")
        return chosen

    @cached_property
    def _state_rows(self) -> StateRows:
        return StateRows(self.stored, self.stop)  # type: ignore[arg-type]

    # -- What does not apply ---- ---------------------------------------------------------------------------------

    def _no_set_operation(self, *_: object) -> NoReturn:
        raise InvalidArgument(
            "~, & and | are for acceptors: the probabilities of a generator's words sum to 1, and their complement or "
            "product would not. Use product(acceptor), mixture([...]), or to_weighted() for arithmetic."
        )

    __invert__ = __and__ = __rand__ = __or__ = __ror__ = _no_set_operation

    # -- Encoded words ------------------------------------------------------------------------------------------

    def _logs(self, words: EncodedWords, ends: NDArray[np.bool_] | None = None, threads: int | None = None) -> Floats:
        """Log-probability of each word together with an end in some states, by default in any."""
        check_threads(threads)
        every = np.ones_like(self.final)
        masks = np.stack([every, every if ends is None else ends])
        ended = EncodedWords(words.symbols, words.offsets, np.ones(len(words), dtype=np.int32))
        given = self.stored, self.initial, masks, ended, threads, self.stop
        logs: Floats = kernels(self.stored).log_probabilities(*given)
        return logs

    def _possible(self, probability: Any, word: Word) -> Any:
        """A probability, unless it is 0."""
        if probability == 0:
            raise never_emitted(word)
        return probability

    def _last_column(self, end: NDArray[np.bool_]) -> NDArray[Any]:
        return self.exact_stop * end


def summed_until_stop(moves: NDArray[Any], stop: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Solution x of x = values + moves x, exact for arrays of ``Fraction``.

    Rows of floats sum to 1 up to rounding; the diagonal is what is left of 1, so that the system stays regular.
    """
    equations = -moves
    np.fill_diagonal(equations, 0)
    np.fill_diagonal(equations, stop - equations.sum(axis=1))
    try:
        if moves.dtype == object:
            return solution(equations, values[:, None])[:, 0]
        found = np.linalg.solve(equations, values)
    except (np.linalg.LinAlgError, ZeroDivisionError):
        found = np.full(len(values), np.nan)
    if not np.isfinite(found).all():
        raise TooLarge("words of this generator hardly ever end: a stop is too improbable. Raise the smallest ones.")
    return np.asarray(found)


def _solved_sparse(moves: Any, stop: Floats, values: Floats) -> Floats:
    """The same for sparse moves."""
    from scipy.sparse import diags_array, eye_array  # noqa: PLC0415
    from scipy.sparse.linalg import spsolve  # noqa: PLC0415

    away = moves - diags_array(moves.diagonal())
    equations = diags_array(stop + away.sum(axis=1)) - away + 0.0 * eye_array(len(stop))
    found = np.asarray(spsolve(equations.tocsc(), values))
    if not np.isfinite(found).all():
        raise TooLarge("words of this generator hardly ever end: a stop is too improbable. Raise the smallest ones.")
    return found


def check_model(value: object) -> None:
    """Refuse what is neither an acceptor nor a generator."""
    if not isinstance(value, Machine):
        raise InvalidArgument(f"expected an Acceptor or a Generator; got {shown(value)}.")


def _read(
    transitions: Any, initial: Any, stop: Any, alphabet: Alphabet, states: States
) -> tuple[Any, Numbers, Numbers]:
    """Transitions, initial distribution and stop as arrays of the same kind: all exact, or all floats."""
    arrays = (
        parts.read_transitions(transitions, alphabet, states, complete=False),
        parts.read_initial(initial, states),
        parts.read_vector(stop, states, "stop"),
    )
    steps, start, end = _of_one_kind(*arrays)
    return steps, start, end


def _of_one_kind(*arrays: Numbers) -> tuple[Numbers, ...]:
    """The arrays as they are if all are exact; otherwise all as floats."""
    exact = all(array.dtype == object for array in arrays)
    return arrays if exact else tuple(array.astype(np.float64) for array in arrays)


def _distributions(values: Any, shape: tuple[int, ...], name: str, meaning: str) -> Numbers:
    """Array whose rows, or itself, are distributions."""
    rows = parts.read_array(values, shape, name, meaning)
    tolerance = 0 if rows.dtype == object else ROW_TOLERANCE
    for place, row in enumerate(np.atleast_2d(rows)):
        if (row < 0).any() or not abs(row.sum() - 1) <= tolerance:
            where = f"{name}[{place}]" if rows.ndim > 1 else name
            found = listed(text.number(value, 12) for value in row).replace("'", "")
            raise InvalidAcceptor(f"{where} must be probabilities that sum to 1; got {found}.")
    return rows


def _check_states(steps: Any, stop: Numbers, alphabet: Alphabet, states: States) -> None:
    """Refuse entries that are not probabilities, states that do not sum to 1, and states without a way to stop."""
    parts.check_entries(steps, alphabet, states)
    parts.check_entries(stop, alphabet, states, "stop")
    for fault in state_faults(steps, stop, states):
        raise InvalidAcceptor(fault.sentence)


def state_faults(steps: Any, stop: Numbers, states: States) -> Iterator[parts.Fault]:
    """States that do not sum to 1; without any, the first of those that have no way to stop."""
    sums = steps.sum(axis=(0, 2)) + stop
    wrong = np.flatnonzero(sums != 1 if steps.dtype == object else np.abs(sums - 1.0) > ROW_TOLERANCE)
    for s in wrong.tolist():
        found = text.number(sums[s], 12)
        advice = parts.rescaling("Generator")
        sentence = f"the moves and the stop of state {states[s]!r} must sum to 1; got {found}. {advice}"
        yield parts.Fault((s,), sentence)
    ends = reachable(edges_of(steps).T, np.asarray(stop > 0, dtype=np.bool_))
    if not (len(wrong) or ends.all()):
        never = listed(state for state, can in zip(states, ends, strict=True) if not can)
        yield parts.Fault(
            (int(np.flatnonzero(~ends)[0]),),
            f"from every state a word must be able to end; from {never} no path leads to a state with a stop. Give a "
            "positive stop to a state on the way.",
        )
