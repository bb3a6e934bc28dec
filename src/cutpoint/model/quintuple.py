"""Quintuple: the parts (S, Σ, P, π, f) of an acceptor as one validated, immutable value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample, State, Symbol, Words
from cutpoint.errors import InvalidAcceptor, InvalidArgument
from cutpoint.exact import Integral, integral, whole_number
from cutpoint.kernels.words import EncodedWords
from cutpoint.model import parts, text
from cutpoint.model.parts import States

Floats = NDArray[np.float64]

LARGEST_PRINTED = 5000
"""Most transitions that print shows."""


class Quintuple:
    """Validated, immutable (S, Σ, P, π, f), equal and hashed by value; :class:`Acceptor` adds what it does."""

    states: States
    alphabet: Alphabet
    transitions: Floats
    initial: Floats
    final: NDArray[np.bool_]
    is_exact: bool

    def __init__(
        self,
        states: int | Iterable[State],
        alphabet: Iterable[Symbol],
        transitions: Mapping[Any, Any] | Any,
        initial: Any,
        final: Any,
    ) -> None:
        names, sigma = States(states), Alphabet(alphabet)
        if not sigma:
            raise InvalidAcceptor("an acceptor needs at least one symbol; the alphabet is empty.")
        steps = parts.read_transitions(transitions, sigma, names)
        start = parts.read_initial(initial, names)
        parts.check_rows(steps, start, sigma, names)
        exact = steps.dtype == object and start.dtype == object
        self.__dict__.update(
            states=names,
            alphabet=sigma,
            transitions=frozen(np.ascontiguousarray(steps, dtype=np.float64) + 0.0),  # -0.0 becomes 0.0
            initial=frozen(np.ascontiguousarray(start, dtype=np.float64) + 0.0),
            final=frozen(parts.read_final(final, names)),
            is_exact=exact,
        )
        if exact:
            self.__dict__.update(exact_transitions=frozen(steps), exact_initial=frozen(start))

    @classmethod
    def normalized(
        cls,
        states: int | Iterable[State],
        alphabet: Iterable[Symbol],
        transitions: Any,
        initial: Any,
        final: Any,
    ) -> Self:
        """Acceptor from rows of non-negative weights: each row, and the initial one, is divided by its sum.

        Examples
        --------
        >>> from cutpoint import Acceptor
        >>> Acceptor.normalized(2, "a", [[[1, 2], [3, 1]]], [1, 1], {1}).exact_acceptance("")
        Fraction(1, 2)
        """
        names, sigma = States(states), Alphabet(alphabet)
        weights = parts.read_transitions(transitions, sigma, names), parts.read_initial(initial, names)
        return cls(names, sigma, *parts.scaled_rows(*weights, sigma, names), final)

    def rationalized(self, max_denominator: int | None = 10**6) -> Self:
        """Exact acceptor near this one: every entry the nearest fraction of small denominator, rows rescaled.

        With ``max_denominator=None`` entries are the exact binary values of the floats, only rescaled. An acceptor that
        is exact already is returned as it is.

        Examples
        --------
        >>> from cutpoint import Acceptor
        >>> Acceptor(2, "a", [[[0.1, 0.9], [0.5, 0.5]]], 0, {1}).rationalized().exact_acceptance("a")
        Fraction(9, 10)
        """
        if self.is_exact:
            return self
        steps, start = self.exact_transitions, self.exact_initial
        if max_denominator is not None:
            most = whole_number("max_denominator", max_denominator, least=1)
            near = np.vectorize(lambda value: value.limit_denominator(most), otypes=[object])
            steps, start = near(steps), near(start)
        return type(self).normalized(self.states, self.alphabet, steps, start, self.final)

    def replace(self, **changes: Any) -> Self:
        """Acceptor with some of its parts changed, named as in the constructor."""
        kept = {
            "states": self.states,
            "alphabet": self.alphabet,
            "transitions": self.exact_transitions if self.is_exact else self.transitions,
            "initial": self.exact_initial if self.is_exact else self.initial,
            "final": self.final,
        }
        unknown = changes.keys() - kept.keys()
        if unknown:
            raise InvalidArgument(f"an acceptor has the parts {', '.join(kept)}; got {', '.join(sorted(unknown))}.")
        return type(self)(**(kept | changes))

    @property
    def n_states(self) -> int:
        """Number of states, the paper's l."""
        return len(self.states)

    @property
    def n_symbols(self) -> int:
        """Number of symbols, the paper's l'."""
        return len(self.alphabet)

    @property
    def final_states(self) -> tuple[State, ...]:
        """Final states, in the order of the states."""
        return tuple(state for state, kept in zip(self.states, self.final, strict=True) if kept)

    def encode(self, words: Words | Sample) -> EncodedWords:
        """Codes of words or of a sample's distinct words, in the order of this alphabet."""
        if not isinstance(words, Sample):
            return self.alphabet.encode(words)
        return words.recoded(self.alphabet).decoded

    def table(self, width: int = 100, digits: int = 4) -> str:
        """All matrices as plain text; an arrow marks the states it can start in, a star the final ones.

        Examples
        --------
        >>> import cutpoint as cp
        >>> print(cp.p_adic(2).table())
                   0:           1:
                   s1   s2      s1   s2
        →  s1      1    0       1/2  1/2
           s2 *    1/2  1/2     0    1
        """
        return text.table(self, width, digits)

    def __str__(self) -> str:
        if self.n_states**2 * self.n_symbols > LARGEST_PRINTED:
            return f"{self!r}; table() shows all matrices"
        return self.table()

    def __repr__(self) -> str:
        return text.one_line(self)

    @cached_property
    def exact_transitions(self) -> NDArray[Any]:
        """Transitions as an array of ``Fraction``; of float entries, their exact binary values."""
        return fractions(self.transitions)

    @cached_property
    def exact_initial(self) -> NDArray[Any]:
        """Initial distribution as an array of ``Fraction``."""
        return fractions(self.initial)

    @cached_property
    def is_stochastic(self) -> bool:
        """Whether all rows sum to exactly 1; the binary values of floats seldom do."""
        sums = self.exact_transitions.sum(axis=2), self.exact_initial.sum()
        return self.is_exact or bool((sums[0] == 1).all() and sums[1] == 1)

    @cached_property
    def integers(self) -> Integral:
        """Integer matrices over common denominators, for exact arithmetic."""
        return integral(self.exact_transitions, self.exact_initial)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quintuple):
            return NotImplemented
        same = self._floats() == other._floats()
        if not same or not (self.is_exact or other.is_exact):
            return same
        return bool(
            (self.exact_transitions == other.exact_transitions).all()
            and (self.exact_initial == other.exact_initial).all()
        )

    def __hash__(self) -> int:
        return hash(self._floats())

    def _floats(self) -> tuple[Hashable, ...]:
        arrays = (self.transitions, self.initial, self.final)
        return (self.states, self.alphabet, *(array.tobytes() for array in arrays))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Acceptor is immutable: cannot set {name!r}. Use replace({name}=...).")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Acceptor is immutable: cannot delete {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        steps, start = (
            (self.exact_transitions, self.exact_initial) if self.is_exact else (self.transitions, self.initial)
        )
        return type(self), (self.states, self.alphabet, steps, start, self.final)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array for reading only; one of plain numbers rests on bytes, so nobody can make it writable again."""
    if array.dtype != object:
        return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
    array.setflags(write=False)
    return array


def fractions(values: Floats) -> NDArray[Any]:
    """Exact binary values of floats, for reading only."""
    return frozen(np.array([Fraction(value) for value in values.flat], dtype=object).reshape(values.shape))
