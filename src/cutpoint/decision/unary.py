r"""One word repeated k times: the linear recurrence and the closed form of :math:`k \mapsto \pi P(x)^k f`, exactly.

The values satisfy the recurrence of the characteristic polynomial of the matrix in the form of least dimension, and
none shorter. For an alphabet of one symbol this is the whole function.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from cutpoint.data import Alphabet, Word, html
from cutpoint.decision.dfa import LONGEST_COUNTED
from cutpoint.decision.reduction import minimize
from cutpoint.errors import InvalidArgument
from cutpoint.exact import AlgebraicNumber, finite_number, whole_number
from cutpoint.exact.numbers import from_flint, polynomial as polynomial_of
from cutpoint.exact.recursions import rational_matrix, solution
from cutpoint.model.text import number
from cutpoint.model.weighted import Weighable, WeightedAutomaton
from cutpoint.wording import listed, shown, signed_sum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Polynomial = tuple[Fraction, ...]  # coefficients of 1, x, x², …


@dataclass(frozen=True)
class Recurrence:
    r"""A sequence with :math:`p(k) = c_1 p(k-1) + \dots + c_d p(k-d)` for all k ≥ d, and its first d values.

    Examples
    --------
    >>> fibonacci = cp.decision.Recurrence([1, 1], [0, 1])
    >>> [int(value) for value in fibonacci.terms(10)], int(fibonacci.value(90))
    ([0, 1, 1, 2, 3, 5, 8, 13, 21, 34], 2880067194370816120)
    >>> fibonacci.closed_form is None, list(fibonacci.roots)
    (True, [<AlgebraicNumber of -1 - x + x^2: -0.61803398875>, <AlgebraicNumber of -1 - x + x^2: 1.61803398875>])
    """

    coefficients: Sequence[Any]
    first: Sequence[Any]

    def __post_init__(self) -> None:
        parts = {"coefficients": self.coefficients, "first": self.first}
        if not all(isinstance(part, tuple | list) for part in parts.values()) or len({*map(len, parts.values())}) > 1:
            given = f"{shown(self.coefficients)} and {shown(self.first)}"
            raise InvalidArgument(
                f"a recurrence needs as many first values as coefficients, in two lists; got {given}."
            )
        for name, part in parts.items():
            object.__setattr__(self, name, tuple(Fraction(finite_number(f"each of {name}", value)) for value in part))

    @property
    def order(self) -> int:
        """Number d of earlier values that a value depends on."""
        return len(self.coefficients)

    @property
    def characteristic(self) -> Polynomial:
        r"""Coefficients of :math:`x^d - c_1 x^{d-1} - \dots - c_d`, that of 1 first."""
        return (*(-c for c in reversed(self.coefficients)), Fraction(1))

    @property
    def generating_function(self) -> tuple[Polynomial, Polynomial]:
        r"""Numerator and denominator of :math:`\sum_k p(k) z^k = N(z) / (1 - c_1 z - \dots - c_d z^d)`."""
        below = (Fraction(1), *(-c for c in self.coefficients))
        above = [sum((below[j] * self.first[i - j] for j in range(i + 1)), Fraction(0)) for i in range(self.order)]
        return tuple(above), below

    def terms(self, n: int) -> list[Fraction]:
        """The first n values."""
        return list(islice(self._values(), whole_number("n", n, least=0, most=LONGEST_COUNTED)))

    def _values(self) -> Iterator[Fraction]:
        yield from self.first
        last = list(self.first[::-1])
        for _ in count():
            value = sum((c * p for c, p in zip(self.coefficients, last, strict=True)), Fraction(0))
            yield value
            last = [value, *last][: self.order]

    def value(self, k: int) -> Fraction:
        """The value at k: the remainder of :math:`x^k` by the characteristic polynomial, by repeated squaring.

        It has about k digits, so k is at most 10**6; :meth:`Acceptor.power_acceptance` has larger ones in floats.
        """
        from flint import fmpq_poly  # noqa: PLC0415

        bits = bin(whole_number("k", k, least=0, most=LONGEST_COUNTED))[2:]
        modulus, power = polynomial_of(self.characteristic), fmpq_poly([1])
        for bit in bits:
            power = power * power * fmpq_poly([0, 1] if bit == "1" else [1]) % modulus
        return sum((from_flint(c) * p for c, p in zip(power.coeffs(), self.first, strict=False)), Fraction(0))

    @cached_property
    def roots(self) -> dict[Fraction | AlgebraicNumber | complex, int]:
        """Roots of the characteristic polynomial with their multiplicities: exact if real, otherwise in floats."""
        found: dict[Fraction | AlgebraicNumber | complex, int] = {}
        for factor, times in polynomial_of(self.characteristic).numer().factor()[1] if self.order else ():
            coefficients = [Fraction(int(c)) for c in factor.coeffs()]
            if factor.degree() == 1:
                found[-coefficients[0] / coefficients[1]] = times
                continue
            isolated: Any = factor.complex_roots()  # pairs of a ball and its multiplicity, which is 1
            for root, _ in isolated:
                low, high = (from_flint(end.fmpq()) for end in (root.real.lower(), root.real.upper()))
                found[AlgebraicNumber(coefficients, low, high) if root.imag == 0 else complex(root)] = times
        return found

    @cached_property
    def closed_form(self) -> dict[Fraction, Polynomial] | None:
        r"""Polynomials q with :math:`p(k) = \sum_r q_r(k)\, r^k`, by root r; None if a root is not rational.

        For the root 0 the coefficients are what is added at k = 0, 1, …, and nothing later.

        Examples
        --------
        >>> cp.recurrence(cp.Acceptor(2, "a", [[["1/2", "1/2"], ["1/4", "3/4"]]], 0, {1})).closed_form
        {Fraction(1, 4): (Fraction(-2, 3),), Fraction(1, 1): (Fraction(2, 3),)}
        """
        rational = {root: times for root, times in self.roots.items() if isinstance(root, Fraction)}
        if len(rational) < len(self.roots):
            return None
        terms = [(root, j) for root, times in sorted(rational.items()) for j in range(times)]
        if not terms:
            return {}
        equations = [[root**k * k**j if root else Fraction(k == j) for root, j in terms] for k in range(self.order)]
        right = np.array([[value] for value in self.first], dtype=object)
        solved = iter(solution(np.array(equations, dtype=object), right)[:, 0].tolist())
        return {root: tuple(next(solved) for _ in range(times)) for root, times in sorted(rational.items())}

    def __str__(self) -> str:
        r"""The closed form if all roots are rational, otherwise the recurrence."""
        if self.closed_form is None:
            parts = [_times(c, f"p(k-{i})") for i, c in enumerate(self.coefficients, 1) if c]
            start = ", ".join(f"p({k}) = {number(value)}" for k, value in enumerate(self.first))
            return f"p(k) = {signed_sum(parts)}; {start}"
        parts = []
        for root, polynomial in sorted(self.closed_form.items(), key=lambda term: -abs(term[0])):
            for j, c in enumerate(polynomial):
                if c and not root:
                    parts.append(_times(c, f"[k = {j}]"))
                elif c:
                    power = "" if root == 1 else f"({number(root)})^k"
                    parts.append(_times(c, "·".join(filter(None, [("", "k")[j] if j < 2 else f"k^{j}", power]))))
        return f"p(k) = {signed_sum(parts)}"

    def _repr_html_(self) -> str:
        return html.paragraph(str(self)) + html.table(
            [["k", *map(str, range(10))], ["p", *map(number, self.terms(10))]]
        )

    def __repr__(self) -> str:
        return f"<Recurrence of order {self.order}: {self}>"


def recurrence(automaton: Weighable, word: Word | None = None) -> Recurrence:
    r"""The shortest linear recurrence of :math:`k \mapsto \pi P(x)^k f`, the value of a word repeated k times.

    Parameters
    ----------
    automaton : an acceptor or weighted automaton; floats count as their exact binary values.
    word : x; by default the symbol of an alphabet of one.

    Returns
    -------
    :class:`Recurrence`, with the generating function, the roots and, if all are rational, the closed form. Its order is
    at most the number of states. Cost :math:`O(l^3)` and more for long fractions.

    Examples
    --------
    >>> weather = cp.Acceptor(["dry", "wet"], "d", {"d": [["9/10", "1/10"], ["1/2", "1/2"]]}, "dry", {"wet"})
    >>> print(cp.recurrence(weather))
    p(k) = 1/6 - 1/6·(2/5)^k
    >>> cp.recurrence(weather).generating_function[1]  # (1 - z)(1 - 2z/5)
    (Fraction(1, 1), Fraction(-7, 5), Fraction(2, 5))
    >>> print(cp.recurrence(cp.p_adic(2), "01"))
    p(k) = 2/3 - 2/3·(1/4)^k
    """
    weighted = WeightedAutomaton.of(automaton).rational()
    if word is None and len(weighted.alphabet) != 1:
        raise InvalidArgument(
            f"must be the word that is repeated, as there are several symbols {listed(weighted.alphabet)}; got None.",
            argument="word",
        )
    codes = [0] if word is None else weighted.alphabet.encode_word(word).tolist()
    if not weighted.dimension:
        return Recurrence((), ())
    row, _, column = weighted.arrays()
    matrix = weighted.integers.matrix(codes)[None]
    small = minimize(WeightedAutomaton.from_arrays(Alphabet("x"), row, matrix, column))
    if not small.dimension:
        return Recurrence((), ())
    coefficients = [from_flint(c) for c in rational_matrix(small.exact_transitions[0]).charpoly().coeffs()]
    first = tuple(small.exact_value("x" * k) for k in range(small.dimension))
    return Recurrence(tuple(-c for c in coefficients[-2::-1]), first)


def _times(factor: Fraction, what: str) -> tuple[bool, str]:
    """Whether a term is subtracted, and its size as text."""
    size = number(abs(factor))
    return factor < 0, f"{size}·{what}" if what and size != "1" else what or size
