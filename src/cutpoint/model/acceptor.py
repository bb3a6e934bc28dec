"""Acceptor: what a validated, immutable (S, Σ, P, π, f) does with words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample, State, Symbol, Word, Words
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import cut_point_value, exceeds, whole_number
from cutpoint.exact import recursions as tables
from cutpoint.kernels import MOST_THREADS, kernels
from cutpoint.kernels.words import EncodedWords
from cutpoint.model import substitution
from cutpoint.model.algebra import product
from cutpoint.model.chain import MarkovChain
from cutpoint.model.quintuple import Floats, Quintuple
from cutpoint.model.randomness import generator, sampled_runs
from cutpoint.wording import counted, shown


class Acceptor(Quintuple):
    r"""Stochastic acceptor :math:`A = (S, \Sigma, P, \pi, f)`: an immutable, hashable value.

    Parameters
    ----------
    states : :math:`S`, distinct hashable names, or an int n for the names 0 … n-1.
    alphabet : :math:`\Sigma`, distinct hashable symbols; a str gives its characters.
    transitions : :math:`P`, as ``{symbol: matrix}``, ``{symbol: {state: {state: p}}}`` (a state left out has
        probability 0; a single next state may stand for its row) or an array ``[a, s, t]``: symbol, from, to.
        Entries are numbers, ``Fraction``, or strings such as ``"1/3"``. If all are rational they are kept exactly.
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

    # -- Section 2: matrices, acceptance, cut points ------------------------------------------------------------

    def matrix(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Matrix :math:`P(x) = P(x_1) \cdots P(x_n)` of a word, (e-SA-prob2); the identity for the empty word.

        Entry ``[s, t]`` is the paper's :math:`\hat p(t \mid x, s)`. Cost :math:`O(n l^3)`. ``exact=True``, here and
        below, gives an array of ``Fraction``; float entries count as their exact binary values.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).matrix("1")
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        recursions, steps, _ = self._recursions(exact)
        product: NDArray[Any] = recursions.matrix(steps, self.alphabet.encode_word(word))
        return product

    def transition(self, symbol: Symbol, before: State, after: State) -> float:
        r"""One transition probability by name: the paper's :math:`\theta_{t;a,s}`, t = after, a = symbol, s = before.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).transition("1", "s1", "s2")
        0.5
        """
        place = self.alphabet.code(symbol), self.states.code(before), self.states.code(after)
        return float(self.transitions[place])

    def distribution(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Distribution over states after reading a word, :math:`\pi P(x)`. Cost :math:`O(n l^2)`."""
        recursions, steps, start = self._recursions(exact)
        row: NDArray[Any] = recursions.distribution(steps, start, self.alphabet.encode_word(word))
        return row

    def acceptance(self, word: Word) -> float:
        r"""Acceptance probability :math:`\pi P(x) f` of a word, equation (e-M-2). Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).acceptance("01")  # 0.10 in base 2
        0.5
        """
        return float(self.encoded_acceptances(self._alone(word))[0])

    def acceptances(self, words: Words | Sample, threads: int | None = None) -> Floats:
        """Acceptance probability of each word; of a :class:`Sample`, of its distinct observations.

        ``threads`` is the number of threads, all cores unless told; the result does not depend on it.
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
        >>> import cutpoint as cp
        >>> cp.p_adic(3).exact_acceptance("12")  # 0.21 in base 3
        Fraction(7, 9)
        """
        return self.integers.acceptance(self.final, self.alphabet.encode_word(word).tolist())

    def accepts(self, word: Word, cut_point: Any) -> bool:
        r"""Whether :math:`\pi P(x) f > \lambda`, strictly, equation (e-L); never wrong by rounding.

        The float answer is used where its error bound decides, rational arithmetic elsewhere. A cut point given as a
        str, ``Fraction`` or ``Decimal`` is exact; a float means its exact binary value.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(10).accepts("1", "1/10"), cp.p_adic(10).accepts("1", 0.1)  # the float 0.1 is a bit more
        (False, False)
        """
        value, estimate = cut_point_value(cut_point), self.acceptance(word)
        return exceeds(estimate, len(word), self.n_states, value, lambda: self.exact_acceptance(word))

    def chain(self, word: Word, exact: bool = False) -> MarkovChain:
        """Markov chain that :math:`P(x)` generates: its classes, stationary distributions and absorption."""
        if exact:
            return MarkovChain(self.matrix(word, exact=True), self.states)
        support = np.eye(self.n_states)
        for symbol in self.alphabet.encode_word(word):  # where P(x) is positive, even if it is too small for a float
            support = (support @ (self.transitions[symbol] > 0.0)) > 0.0
        return MarkovChain(self.matrix(word), self.states, np.asarray(support, dtype=np.bool_))

    # -- Section 3: tables and the joint distribution -----------------------------------------------------------

    def forward(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Distribution over states after each prefix of a word: the paper's table M, equation (e-M-1).

        .. math:: M[0] = \pi, \qquad M[k] = M[k-1]\, P(x_k)

        Shape ``(n + 1, n_states)``; every row sums to 1. Cost :math:`O(n l^2)`. The paper's forward probabilities,
        which carry the factor :math:`1/l'^n`, are :meth:`BeliefNetwork.forward`.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).forward("01")[-1]
        array([0.5, 0.5])
        >>> cp.p_adic(3).forward("1", exact=True)[-1].tolist()
        [Fraction(2, 3), Fraction(1, 3)]
        """
        recursions, steps, start = self._recursions(exact)
        table: NDArray[Any] = recursions.forward(steps, start, self.alphabet.encode_word(word))
        return table

    def backward(self, word: Word, accepted: bool | None = None, exact: bool = False) -> NDArray[Any]:
        r"""Probability, from each state after each prefix, that the rest of the run ends as told.

        .. math:: b(n) = g, \qquad b(i-1) = P(x_i)\, b(i)

        with :math:`g` all ones (``accepted=None``, the paper's :math:`b_{x,s}(i)`, which are then all 1 because rows
        sum to 1), ``final`` (True) or ``1 - final`` (False). Shape ``(n + 1, n_states)``. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).backward("01", accepted=True)[0]
        array([0.5 , 0.75])
        """
        column = self._seen_at_end(accepted).astype(np.float64)
        recursions, steps, _ = self._recursions(exact)
        table: NDArray[Any] = recursions.backward(steps, column, self.alphabet.encode_word(word))
        return table

    def input_probability(self, word: Word, exact: bool = False) -> Any:
        r"""Probability :math:`p_X(x) = l'^{-n} \sum_s M[n, s]` of an input with equally likely symbols, (e-M-1).

        The table sums to 1, so this is :math:`1/l'^n` whatever the transitions are. See :meth:`log_input_probability`
        for long words.

        Examples
        --------
        >>> import cutpoint as cp
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
        >>> import cutpoint as cp
        >>> cp.p_adic(2).joint("1", ["s1", "s2"])
        0.25
        """
        codes = self.alphabet.encode_word(word)
        run = self.path_codes(path, len(codes))
        if exact:
            factors = self.exact_transitions[codes, run[:-1], run[1:]]
            return Fraction(self.exact_initial[run[0]] * factors.prod()) / self.n_symbols ** len(codes)
        steps = self.transitions[codes, run[:-1], run[1:]]
        return float(self.initial[run[0]] * (steps / self.n_symbols).prod())

    def path_codes(self, path: Iterable[State], length: int) -> list[int]:
        """Codes of the states of a run on a word of some length."""
        if not isinstance(path, Iterable):
            raise InvalidArgument(f"a path must be a sequence of states; got {shown(path)}.")
        run = [self.states.code(state, f"path, position {i}: ") for i, state in enumerate(path)]
        if len(run) != length + 1:
            raise InvalidArgument(
                f"a word of {counted(length, 'symbol')} has paths of {counted(length + 1, 'state')}; got {len(run)}."
            )
        return run

    def most_likely_path(self, word: Word, accepted: bool | None = None, exact: bool = False) -> tuple[State, ...]:
        """State path of highest probability for a word, among all runs or those that end as told.

        Ties go to the states that come first, up to rounding unless ``exact``. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).most_likely_path("011", accepted=True)
        ('s1', 's1', 's2', 's2')
        """
        recursions, steps, start = self._recursions(exact)
        path, log_probability = recursions.most_likely_path(steps, start, *self._seen(word, accepted))
        self._check_possible(log_probability, word, accepted)
        return tuple(self.states[s] for s in path)

    def occupancy(self, word: Word, accepted: bool | None = None, exact: bool = False) -> NDArray[Any]:
        """Probability of each state after each prefix, given the word and how its run ended: ``[i, s]``.

        Without a verdict this is :meth:`forward`; every row sums to 1. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).occupancy("01", accepted=True)
        array([[1., 0.],
               [1., 0.],
               [0., 1.]])
        """
        recursions, steps, start = self._recursions(exact)
        table, log_probability = recursions.occupancy(steps, start, *self._seen(word, accepted))
        self._check_possible(log_probability, word, accepted)
        return table  # type: ignore[no-any-return]

    def sample_path(self, word: Word, rng: np.random.Generator | int) -> tuple[State, ...]:
        """One random run on a word: its n + 1 states, drawn with a generator or a seed.

        Examples
        --------
        >>> import cutpoint as cp
        >>> cp.p_adic(2).sample_path("01", rng=0)
        ('s1', 's1', 's1')
        """
        (run,) = sampled_runs(self.transitions, self.initial, self._alone(word), generator(rng))
        return tuple(self.states[s] for s in run)

    # -- Operations on acceptance probabilities -----------------------------------------------------------------

    def __invert__(self) -> Acceptor:
        r"""Complement ``~A``: accepts with probability :math:`1 - p`."""
        return self.replace(final=~self.final)

    def __and__(self, other: Acceptor) -> Acceptor:
        r"""Product ``A & B`` of independent runs: accepts with probability :math:`p q`."""
        return product(self, other, np.logical_and) if isinstance(other, Acceptor) else NotImplemented

    def __or__(self, other: Acceptor) -> Acceptor:
        r"""Probabilistic sum ``A | B`` of independent runs: accepts with probability :math:`p + q - p q`."""
        return product(self, other, np.logical_or) if isinstance(other, Acceptor) else NotImplemented

    # -- Other names, other symbols -----------------------------------------------------------------------------

    def renamed(self, states: Any = None, symbols: Any = None) -> Acceptor:
        """The same acceptor with other names: see :func:`cutpoint.model.substitution.renamed`."""
        return substitution.renamed(self, states, symbols)

    def restricted(self, symbols: Iterable[Symbol]) -> Acceptor:
        """The same acceptor on words over some of its symbols, in the order given."""
        return substitution.restricted(self, symbols)

    def inverse_image(self, words: Mapping[Any, Word]) -> Acceptor:
        """Each new symbol reads a word: see :func:`cutpoint.model.substitution.inverse_image`."""
        return substitution.inverse_image(self, words)

    def power_acceptance(self, word: Word, exponent: Any, exact: bool = False) -> Any:
        """Acceptance of a word repeated k times, k as large as you like: see :mod:`cutpoint.model.substitution`."""
        return substitution.power_acceptance(self, word, exponent, exact)

    def encoded_acceptances(self, words: EncodedWords, threads: int | None = None) -> Floats:
        """Acceptance probability of each word, given as :meth:`encode` returns them."""
        if threads is not None:
            whole_number("threads", threads, least=1, most=MOST_THREADS)
        column = self.final.astype(np.float64)
        scores: Floats = kernels().acceptances(self.transitions, self.initial, column, words, threads)
        return scores

    def _log_acceptances(self, words: EncodedWords, threads: int | None = None) -> Floats:
        if threads is not None:
            whole_number("threads", threads, least=1, most=MOST_THREADS)
        logs: Floats = kernels().log_acceptances(self.transitions, self.initial, self.final, words, threads)
        return logs

    def _recursions(self, exact: bool) -> tuple[Any, NDArray[Any], NDArray[Any]]:
        """The recursions in floats or over the rationals, with the transitions and initial row to match."""
        if exact:
            return tables, self.exact_transitions, self.exact_initial
        return kernels(), self.transitions, self.initial

    def _alone(self, word: Word) -> EncodedWords:
        """Codes of a single word."""
        codes = self.alphabet.encode_word(word)
        return EncodedWords.without_marks(codes, np.array([0, len(codes)], dtype=np.int64))

    def _seen_at_end(self, accepted: bool | None) -> NDArray[np.bool_]:
        if accepted is None:
            return np.ones_like(self.final)
        if not isinstance(accepted, bool | np.bool_):
            raise InvalidArgument(f"accepted must be True, False or None; got {shown(accepted)}.")
        return self.final if accepted else ~self.final

    def _seen(self, word: Word, accepted: bool | None) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Codes of a word, and evidence ``[i, s]``: nothing but the verdict at its end."""
        codes = self.alphabet.encode_word(word)
        seen = np.ones((len(codes) + 1, self.n_states), dtype=np.bool_)
        seen[-1] = self._seen_at_end(accepted)
        return codes, seen

    def _check_possible(self, log_probability: float, word: Word, accepted: bool | None) -> None:
        if log_probability == -math.inf:
            raise ImpossibleObservation(
                f"no run on the word {shown(word)} ends {'accepted' if accepted else 'rejected'}: it has probability 0."
            )
