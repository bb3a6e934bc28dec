"""How a case that is still going on will end: an acceptor's verdict, averaged over what may still come."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample, Word, Words
from cutpoint.errors import InvalidArgument, TooLarge, UnknownSymbol
from cutpoint.exact import fractions
from cutpoint.exact.recursions import solution
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.acceptor import check_acceptor
from cutpoint.wording import counted, shown

MOST_PAIRS = 6000  # most pairs of states for which the system is solved
MOST_EXACT_PAIRS = 300  # the same in rational numbers


@dataclass(frozen=True, repr=False)
class Forecaster:
    r"""Forecasts of an acceptor where inputs have a generator's law; the linear system is solved once and kept.

    Given a word, the runs of both are independent. The probability :math:`V[s,g]` to be accepted in the end, from state
    s of the acceptor and g of the generator, is the solution of

    .. math:: V = f\,\mathrm{stop}^T + \sum_a P(a)\, V\, T(a)^T

    and the forecast after a prefix is :math:`\alpha\, V \beta^T` with the distributions over the states of both.

    Parameters
    ----------
    acceptor : :math:`P, f`; what it does with symbols that it does not know follows its rule.
    inputs : a generator, :math:`T` and stop.

    Notes
    -----
    With l and g states one system of l g unknowns, :math:`O(l^3 g^3)`; after that :math:`O(l^2 + g^2)` per symbol. At
    most 6,000 unknowns, 300 with ``exact=True``; more are refused. A prefix of probability 0 is refused.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> forecaster = Forecaster(cp.p_adic(2), G)
    >>> forecaster
    <Forecaster: acceptor of 2 states, inputs by a generator of 1 state, forecast 0.1667 before the first symbol>
    >>> forecaster.forecasts(["", "1", "11"]).round(4).tolist(), forecaster.forecast("11", exact=True)
    ([0.1667, 0.5, 0.6667], Fraction(2, 3))
    """

    acceptor: Acceptor
    inputs: Generator

    def __post_init__(self) -> None:
        if isinstance(self.acceptor, Generator):
            raise InvalidArgument("a generator knows its own inputs: use its forecast(prefix).")
        check_acceptor(self.acceptor)
        if not isinstance(self.inputs, Generator):
            raise InvalidArgument(f"must be a Generator; got {shown(self.inputs)}.", argument="inputs")
        for symbol in self.inputs.alphabet:
            try:
                self.acceptor.alphabet.encode_word([symbol])
            except UnknownSymbol:
                advice = "Learn both from the same sample, or use with_unknown('skip') on the acceptor."
                what = f"make the symbol {shown(symbol)}, which the acceptor does not know."
                raise InvalidArgument(what, argument="inputs", advice=advice) from None

    def forecast(self, prefix: Word = (), exact: bool = False) -> Any:
        """Probability that the case is accepted in the end, given how it begins; a ``Fraction`` with ``exact=True``."""
        values, law = self.exact_values if exact else self.values, self.inputs.distribution(prefix, exact)
        found = self.acceptor.distribution(prefix, exact) @ values @ law
        return Fraction(found) if exact else float(found)

    def forecasts(self, prefixes: Words | Sample) -> Floats:
        """Forecast after each prefix; of a :class:`Sample`, after each of its distinct words."""
        law, rows = self.inputs.distributions(prefixes), self.acceptor.distributions(prefixes)
        return np.asarray(((rows @ self.values) * law).sum(axis=1))

    def along(self, word: Word) -> Floats:
        """Forecasts before the first symbol and after each one: n + 1 numbers."""
        return self.forecasts([word[:i] for i in range(len(word) + 1)])

    @cached_property
    def values(self) -> Floats:
        """The solution :math:`V`, ``[s, g]``."""
        return self._values(exact=False)

    @cached_property
    def exact_values(self) -> NDArray[Any]:
        """The solution in ``Fraction``; floats count as their exact binary values."""
        return self._values(exact=True)

    def _values(self, exact: bool) -> NDArray[Any]:
        shape = self.acceptor.n_states, self.inputs.n_states
        size, most = shape[0] * shape[1], MOST_EXACT_PAIRS if exact else MOST_PAIRS
        if size > most:
            advice = "Leave exact=True out." if exact else "Take smaller ones, or learn from sample.prefixes()."
            raise TooLarge(f"a forecast takes {counted(size, 'pair')} of states; the limit is {most:,}. {advice}")
        _, steps, stop = self.inputs.to_weighted().arrays(exact)
        reading = [self.acceptor.matrix([symbol], exact) for symbol in self.inputs.alphabet]
        onward = sum(np.kron(matrix, step) for matrix, step in zip(reading, steps, strict=True))
        now = np.kron(fractions(self.acceptor.final) if exact else self.acceptor.final, stop)
        one = np.eye(size, dtype=np.int64)
        found = solution(fractions(one) - onward, now[:, None]) if exact else np.linalg.solve(one - onward, now)
        return np.asarray(found.reshape(shape))

    def __repr__(self) -> str:
        sizes = [counted(machine.n_states, "state") for machine in (self.acceptor, self.inputs)]
        first = f"forecast {self.forecast():.4g} before the first symbol"
        return f"<Forecaster: acceptor of {sizes[0]}, inputs by a generator of {sizes[1]}, {first}>"


def forecast(acceptor: Acceptor, prefix: Word, inputs: Generator, exact: bool = False) -> Any:
    r"""Probability that a case is accepted in the end, given how it begins and the law of what comes.

    .. math:: P(\text{accepted in the end} \mid x) = \sum_y P(y \mid x)\, \pi P(x y) f

    for a prefix x and all its continuations y. :class:`cutpoint.cases.Forecaster` answers many such questions; those of
    the pairs of acceptor and generator asked for last are kept.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> cp.forecast(cp.p_adic(2), "1", inputs=G), cp.forecast(cp.p_adic(2), "1", inputs=G, exact=True)
    (0.5, Fraction(1, 2))
    """
    asked = Forecaster(acceptor, inputs)
    return _kept(asked, acceptor.alphabet.on_unknown, inputs.alphabet.on_unknown).forecast(prefix, exact)


@lru_cache(maxsize=16)
def _kept(forecaster: Forecaster, *_: str) -> Forecaster:
    """The first of equal forecasters; rules for unknown symbols, of which ``==`` knows nothing, belong to the key."""
    return forecaster
