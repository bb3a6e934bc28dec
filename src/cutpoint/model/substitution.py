r"""Acceptors over other names and other symbols; powers of a word."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Symbol, Word
from cutpoint.data.names import Names
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import lowest_terms, whole_number
from cutpoint.model.algebra import combined
from cutpoint.model.parts import States
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from cutpoint.model.acceptor import Acceptor

Renaming = Mapping[Any, Any] | Callable[[Any], Hashable] | None

MOST_BITS = 10**9
"""Most bits that the exact power of a matrix may take."""


def renamed(acceptor: Acceptor, states: Renaming = None, symbols: Renaming = None) -> Acceptor:
    """The same acceptor with other names of states or symbols.

    Parameters
    ----------
    states, symbols : ``{old: new}``, where names left out stay as they are, or a function from old to new names.

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.p_adic(2).renamed(states={"s1": "no", "s2": "yes"}, symbols=int)
    <Acceptor: 2 states {no, yes}, 2 symbols {0, 1}, starts in {no}, accepts in {yes}, exact>
    """
    names = States(_new_names(acceptor.states, states, "states"))
    return acceptor.replace(states=names, alphabet=Alphabet(_new_names(acceptor.alphabet, symbols, "symbols")))


def restricted(acceptor: Acceptor, symbols: Iterable[Symbol]) -> Acceptor:
    """The same acceptor on words over some of its symbols, in the order given.

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.p_adic(10).restricted("01").exact_acceptance("01")
    Fraction(1, 10)
    """
    kept = Alphabet(symbols)
    codes = [acceptor.alphabet.code(symbol, "restricted: ") for symbol in kept]
    return acceptor.replace(alphabet=kept, transitions=_steps(acceptor)[codes])


def inverse_image(acceptor: Acceptor, words: Mapping[Any, Word]) -> Acceptor:
    r"""Acceptor over new symbols, each of which reads a word: :math:`P'(y) = P(h(y))`.

    With :math:`h` the substitution, the word :math:`y_1 \dots y_n` is accepted as :math:`h(y_1) \dots h(y_n)` is; so
    cut-point languages become their inverse images under :math:`h`. A symbol may stand for the empty word. Exact if the
    acceptor is.

    Examples
    --------
    >>> import cutpoint as cp
    >>> A = cp.p_adic(2).inverse_image({"x": "01", "y": ""})
    >>> A.exact_acceptance("xyx") == cp.p_adic(2).exact_acceptance("0101")
    True
    """
    if not isinstance(words, Mapping) or not words:
        raise InvalidArgument(f"a substitution must be a mapping {{new symbol: word}}; got {shown(words)}.")
    steps = np.stack([_matrix(acceptor, word) for word in words.values()])
    start = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
    return combined(acceptor, Alphabet(words), acceptor.states, steps, start, acceptor.final)


def power_acceptance(acceptor: Acceptor, word: Word, exponent: Any, exact: bool = False) -> Any:
    r"""Acceptance :math:`\pi P(x)^k f` of a word repeated k times, by repeated squaring: k may be 10**15.

    Parameters
    ----------
    exponent : k, a whole number from 0, or a collection of them, which gives an array.
    exact : Fractions instead of floats; their length grows with k.

    Notes
    -----
    Cost :math:`O(l^3 \log k)`. Rows of floats are rescaled to sum to 1 after every squaring, so that rounding does not
    pile up in the sums.

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.p_adic(3).power_acceptance("12", 2, exact=True), cp.p_adic(3).power_acceptance("1", [0, 1, 10**15])
    (Fraction(70, 81), array([0. , 0.33333333, 0.5 ]))
    """
    if isinstance(exponent, Iterable):
        times = [whole_number("an exponent", k, least=0) for k in exponent]
    else:
        times = [whole_number("an exponent", exponent, least=0)]
    codes = acceptor.alphabet.encode_word(word).tolist()
    values = _exact_powers(acceptor, codes, times) if exact else _powers(acceptor, word, times)
    if isinstance(exponent, Iterable):
        return np.array(values, dtype=object if exact else np.float64)
    return values[0]


def _powers(acceptor: Acceptor, word: Word, times: list[int]) -> list[float]:
    square = acceptor.matrix(word)
    rows = np.tile(acceptor.initial, (len(times), 1))
    for bit in range(max((k.bit_length() for k in times), default=0)):
        chosen = [i for i, k in enumerate(times) if k >> bit & 1]
        rows[chosen] = rows[chosen] @ square
        square = square @ square
        square /= square.sum(axis=1, keepdims=True)
    return [float(value) for value in rows @ acceptor.final]


def _exact_powers(acceptor: Acceptor, codes: list[int], times: list[int]) -> list[Fraction]:
    integers = acceptor.integers
    size = sum(int(integers.denominators[a]).bit_length() for a in codes)
    bits = size * max(times, default=0) * acceptor.n_states**2
    if bits > MOST_BITS:
        raise TooLarge(
            f"the exact power of the matrix would take about {counted(bits // 8, 'byte')}; "
            f"lower the exponent to about {MOST_BITS // (size * acceptor.n_states**2):,}, or leave exact=True out."
        )
    product = reduce(operator.mul, [integers.matrices[a] for a in codes]) if codes else None
    values = []
    for k in times:
        row = integers.initial if product is None else integers.initial * product**k
        below = integers.initial_denominator * math.prod(integers.denominators[a] for a in codes) ** k
        accepted = (number for number, kept in zip(row.entries(), acceptor.final, strict=True) if kept)
        values.append(lowest_terms(sum(accepted, start=below * 0), below))
    return values


def _matrix(acceptor: Acceptor, word: Word) -> NDArray[Any]:
    """P(x), of fractions if the acceptor is exact."""
    if not acceptor.is_exact:
        return acceptor.matrix(word)
    one = np.array([[Fraction(int(s == t)) for t in range(acceptor.n_states)] for s in range(acceptor.n_states)])
    return reduce(lambda product, a: product @ acceptor.exact_transitions[a], acceptor.alphabet.encode_word(word), one)


def _steps(acceptor: Acceptor) -> NDArray[Any]:
    return acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions


def _new_names(names: Names, renaming: Renaming, role: str) -> list[Any]:
    """New name of every old one, in their order."""
    if renaming is None:
        return list(names)
    if callable(renaming):
        return [renaming(name) for name in names]
    if not isinstance(renaming, Mapping):
        raise InvalidArgument(f"{role} must be a mapping {{old: new}} or a function; got {shown(renaming)}.")
    for name in renaming:
        names.code(name, f"{role}: ")
    return [renaming.get(name, name) for name in names]
