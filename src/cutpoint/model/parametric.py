"""Acceptors whose probabilities are functions of named parameters: every answer is a function, too."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, State, Symbol, Word
from cutpoint.errors import InvalidAcceptor, InvalidArgument
from cutpoint.exact import AlgebraicNumber, cut_point_value
from cutpoint.exact.rational_functions import ParameterInterval, RationalFunction, solved, where_all_hold
from cutpoint.model import parts, text
from cutpoint.model.acceptor import Acceptor, check_acceptor
from cutpoint.model.chain import MarkovChain
from cutpoint.model.parts import States
from cutpoint.model.weighted import frozen
from cutpoint.wording import shown


class ParametricAcceptor(text.Displayed):
    r"""Stochastic acceptor whose entries are functions of parameters: an immutable value for all their values at once.

    ``cp.Acceptor(...)`` makes one where an entry has a parameter of :func:`parameters`; its arguments are the same.
    Each row must sum to 1 as an identity. Whether entries are probabilities depends on the values: :meth:`at` checks
    it, and ``domain`` is the set where they are.

    Examples
    --------
    >>> (p,) = cp.parameters("p")
    >>> A = cp.Acceptor(["s1", "s2"], "01", {"0": [[1, 0], [1 - p, p]], "1": [[1 - p, p], [0, 1]]}, "s1", {"s2"})
    >>> A
    <ParametricAcceptor: 2 states {s1, s2}, 2 symbols {0, 1}, parameter p>
    >>> A.acceptance("01"), A.acceptance("11"), A.at(p="1/2") == cp.p_adic(2)
    (p, 2p - p^2, True)
    >>> A.accepted_where("11", "1/2")
    ((1 - √(1/2) ≈ 0.2929, 1],)
    """

    states: States
    alphabet: Alphabet
    transitions: NDArray[Any]
    initial: NDArray[Any]
    final: NDArray[np.bool_]

    def __init__(
        self, states: int | Iterable[State], alphabet: Iterable[Symbol], transitions: Any, initial: Any, final: Any
    ) -> None:
        names, sigma = States(states), Alphabet(alphabet)
        if not sigma:
            raise InvalidAcceptor("an acceptor needs at least one symbol; the alphabet is empty.")
        steps, start = parts.read_transitions(transitions, sigma, names), parts.read_initial(initial, names)
        functions = [np.vectorize(RationalFunction.of, otypes=[object])(rows) for rows in (steps, start)]
        for rows in functions:
            parts.check_identities(rows, sigma, names)
        self.__dict__.update(states=names, alphabet=sigma, final=frozen(parts.read_final(final, names)))
        self.__dict__.update(transitions=frozen(functions[0]), initial=frozen(functions[1]))

    @classmethod
    def of(cls, acceptor: object) -> ParametricAcceptor:
        """An acceptor with numbers as one whose functions are constant; a parametric one as it is."""
        if isinstance(acceptor, ParametricAcceptor):
            return acceptor
        check_acceptor(acceptor)
        return cls(**{name: getattr(acceptor, name) for name in Acceptor.PARTS} | acceptor.numbers(exact=True))  # type: ignore[attr-defined]

    @property
    def n_states(self) -> int:
        """Number of states, the paper's l."""
        return len(self.states)

    @property
    def n_symbols(self) -> int:
        """Number of symbols, the paper's l'."""
        return len(self.alphabet)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of the alphabet."""
        return tuple(sorted({name for function in self._entries for name in function.parameters}))

    def at(self, **values: Any) -> Any:
        """Acceptor with numbers for the parameters; while some are left, a parametric one.

        Examples
        --------
        >>> p, q = cp.parameters("p q")
        >>> A = cp.Acceptor(2, "a", [[[1 - p, p], [q, 1 - q]]], 0, {1})
        >>> A.at(p="1/3"), A.at(p="1/3", q="1/2").exact_acceptance("aa")
        (<ParametricAcceptor: 2 states {0, 1}, 1 symbol {a}, parameter q>, Fraction(7, 18))
        """
        if unknown := sorted(values.keys() - set(self.parameters)):
            known = ", ".join(self.parameters) or "none"
            raise InvalidArgument(f"the parameters of this acceptor are {known}; got {', '.join(unknown)}.")
        put = np.vectorize(lambda function: function.at(**values), otypes=[object])
        return Acceptor(self.states, self.alphabet, put(self.transitions), put(self.initial), self.final)

    def matrix(self, word: Word) -> NDArray[Any]:
        """Matrix P(x) of a word: an array of functions. Cost :math:`O(n l^3)` operations on polynomials."""
        product: NDArray[Any] = np.vectorize(RationalFunction.of, otypes=[object])(
            np.eye(self.n_states, dtype=np.int64)
        )
        for a in self.alphabet.encode_word(word).tolist():
            product = product @ self.transitions[a]
        return product

    def forward(self, word: Word) -> NDArray[Any]:
        """Distribution over states after each prefix of a word, ``[k, s]``: an array of functions."""
        rows = [self.initial]
        for a in self.alphabet.encode_word(word).tolist():
            rows.append(rows[-1] @ self.transitions[a])
        return np.stack(rows)

    def acceptance(self, word: Word) -> RationalFunction:
        r"""Acceptance probability :math:`\pi P(x) f` of a word as a function of the parameters."""
        return RationalFunction.of(self.forward(word)[-1][self.final].sum())

    def evidence_probability(self, codes: Iterable[int], seen: NDArray[np.bool_]) -> RationalFunction:
        """Probability of the runs on a word that agree with what was seen, ``[i, s]``, as a function."""
        row = self.initial * seen[0]
        for a, mask in zip(codes, seen[1:], strict=True):
            row = (row @ self.transitions[a]) * mask
        return RationalFunction.of(row.sum())

    def absorption(self, word: Word) -> NDArray[Any]:
        """Probability, from each state, of ending in each recurrent class of P(x): ``[s, class]``, as functions.

        Classes are those of parameters at which no entry vanishes that is not 0 throughout, in the order of
        ``A.at(...).chain(word).recurrent_classes``.

        Examples
        --------
        >>> (p,) = cp.parameters("p")
        >>> rows = {0: 0, 1: {2: p, 0: 1 - p}, 2: {3: p, 1: 1 - p}, 3: 3}
        >>> cp.Acceptor(4, "t", {"t": rows}, 1, {3}).absorption("t")[1, 1]  # the gambler's ruin
        p^2/(1 - p + p^2)
        """
        matrix = self.matrix(word)
        support = matrix != 0
        shape = MarkovChain(support / support.sum(axis=1, keepdims=True), self.states)
        classes = [[self.states.code(state) for state in members] for members in shape.recurrent_classes]
        inside = [self.states.code(state) for state in shape.transient_states]
        chances = np.full((self.n_states, len(classes)), RationalFunction.of(0))
        for k, members in enumerate(classes):
            chances[members, k] = RationalFunction.of(1)
        if inside:
            equations = np.eye(len(inside), dtype=np.int64) - matrix[np.ix_(inside, inside)]
            chances[inside] = solved(equations, matrix[inside] @ chances)
        return chances

    @cached_property
    def domain(self) -> tuple[ParameterInterval, ...]:
        """Values of the one parameter at which all entries are probabilities, as intervals with exact ends."""
        return where_all_hold(self._are_probabilities)

    def accepted_where(self, word: Word, cut_point: Any, inclusive: bool = False) -> tuple[ParameterInterval, ...]:
        r"""Values of the one parameter at which a word is accepted, :math:`\pi P(x) f > \lambda`, within the domain.

        The ends are exact: zeros of polynomials, which are isolated by Sturm's theorem.
        """
        level = cut_point_value(cut_point)
        if isinstance(level, AlgebraicNumber):
            raise InvalidArgument(f"accepted_where needs a rational cut point; got {shown(cut_point)}.")
        return where_all_hold([*self._are_probabilities, (self.acceptance(word) - level, not inclusive)])

    @property
    def _entries(self) -> list[RationalFunction]:
        return [*self.transitions.flat, *self.initial.flat]

    @property
    def _are_probabilities(self) -> list[tuple[RationalFunction, bool]]:
        return [(function, False) for function in self._entries if function.parameters]

    def numbers(self, exact: bool | None = None) -> dict[str, NDArray[Any]]:
        """The functions, by the names of an acceptor's parts."""
        return {"transitions": self.transitions, "initial": self.initial}

    @property
    def displayed_states(self) -> States:
        """Names at the heads of rows and in nodes."""
        return self.states

    @property
    def marked_final(self) -> NDArray[np.bool_]:
        """Final states as displays mark them."""
        return self.final

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParametricAcceptor):
            return NotImplemented
        named = (self.states, self.alphabet) == (other.states, other.alphabet)
        return named and all(np.array_equal(a, b) for a, b in zip(self._parts, other._parts, strict=True))

    def __hash__(self) -> int:
        return hash((self.states, self.alphabet, *self._entries))

    @property
    def _parts(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
        return self.transitions, self.initial, self.final

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a ParametricAcceptor is immutable: cannot set {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.states, self.alphabet, *self._parts)

    def __repr__(self) -> str:
        names = f"parameter{'s' * (len(self.parameters) != 1)} {', '.join(self.parameters) or 'none'}"
        return f"<ParametricAcceptor: {text.sizes(self)}, {names}>"
