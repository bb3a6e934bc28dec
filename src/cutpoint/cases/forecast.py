"""How a case that is still going on will end: an acceptor's verdict, averaged over what may still come."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample, Word, Words
from cutpoint.errors import ImpossibleObservation, InvalidArgument, TooLarge, UnknownSymbol
from cutpoint.exact import fractions
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.generator import check_model, summed_until_stop
from cutpoint.model.machine import Machine
from cutpoint.wording import counted, shown

MOST_PAIRS = 250_000  # most pairs of states for which the system is solved
MOST_DIRECT = 2_000  # the same by elimination; larger ones are solved by iteration
MOST_EXACT_PAIRS = 300  # the same in rational numbers
RESIDUAL = 1e-13  # of a solution by iteration, relative to the right side


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
    With l and g states one system of l g unknowns, solved by elimination, :math:`O(l^3 g^3)`, from 2,000 unknowns on by
    iteration (GMRES), :math:`O(l' l g (l + g))` per round; after that :math:`O(l^2 + g^2)` per symbol. At most 250,000
    unknowns, 300 with ``exact=True``; more are refused. A prefix of probability 0 is refused.

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
        return possible(self.along_words(Sample([word])), word)

    def along_words(self, words: Sample) -> Floats:
        """The same of each distinct word, one after the other; NaN from where a word has probability 0."""
        rows = rows_along(self.acceptor, words) @ self.values
        return np.asarray((rows * rows_along(self.inputs, words)).sum(axis=1))

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
        reading = np.stack([self.acceptor.matrix([symbol], exact) for symbol in self.inputs.alphabet])
        now: NDArray[Any] = np.kron(fractions(self.acceptor.final) if exact else self.acceptor.final, stop)
        if size > MOST_DIRECT and not exact:
            return _iterated(reading, steps, now).reshape(shape)
        onward = sum(np.kron(matrix, step) for matrix, step in zip(reading, steps, strict=True))
        return summed_until_stop(np.asarray(onward), np.tile(stop, shape[0]), now).reshape(shape)

    def __repr__(self) -> str:
        sizes = [counted(machine.n_states, "state") for machine in (self.acceptor, self.inputs)]
        first = f"forecast {self.forecast():.4g} before the first symbol"
        return f"<Forecaster: acceptor of {sizes[0]}, inputs by a generator of {sizes[1]}, {first}>"


def _iterated(reading: Floats, steps: Floats, now: Floats) -> Floats:
    """Solution of the system, whose matrix is never made."""
    from scipy.sparse.linalg import LinearOperator, gmres  # noqa: PLC0415  # only those who need it wait for it

    shape = reading.shape[1], steps.shape[1]

    def remainder(values: Floats) -> Floats:
        ahead = values.reshape(shape) @ steps.transpose(0, 2, 1)
        return np.asarray(values - (reading @ ahead).sum(axis=0).ravel())

    operator = LinearOperator((len(now), len(now)), matvec=remainder, dtype=np.float64)
    found, fault = gmres(operator, now, rtol=RESIDUAL, atol=0.0, restart=60, maxiter=200)
    if fault:
        raise TooLarge(f"a forecast over {counted(len(now), 'pair')} of states did not converge. Take smaller models.")
    return np.asarray(found)


def forecast(acceptor: Acceptor, prefix: Word, inputs: Generator | None = None, exact: bool = False) -> Any:
    r"""Probability that a case is accepted in the end, given how it begins and the law of what comes.

    .. math:: P(\text{accepted in the end} \mid x) = \sum_y P(y \mid x)\, \pi P(x y) f

    for a prefix x and all its continuations y. The law of inputs is by default the one that the model carries
    (``cutpoint fit`` saves one); one of ``cutpoint fit --along`` forecasts by itself.
    :class:`cutpoint.cases.Forecaster` answers many such questions; those of the pairs of acceptor and generator asked
    for last are kept.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> cp.forecast(cp.p_adic(2), "1", inputs=G), cp.forecast(cp.p_adic(2), "1", inputs=G, exact=True)
    (0.5, Fraction(1, 2))
    """
    if inputs is None and isinstance(acceptor, Acceptor):
        if acceptor.model.is_along:
            return acceptor.exact_acceptance(prefix) if exact else acceptor.acceptance(prefix)
        inputs = acceptor.model.known_inputs
    return kept_forecaster(acceptor, inputs).forecast(prefix, exact)


def kept_forecaster(acceptor: Acceptor, inputs: Generator) -> Forecaster:
    """The forecaster of a pair, with what it has solved if the pair was asked for lately."""
    return _kept(Forecaster(acceptor, inputs), acceptor.alphabet.on_unknown, inputs.alphabet.on_unknown)


@lru_cache(maxsize=16)
def _kept(forecaster: Forecaster, *_: str) -> Forecaster:
    """The first of equal forecasters; rules for unknown symbols, of which ``==`` knows nothing, belong to the key."""
    return forecaster


class Road(NamedTuple):
    """How a model forecasts: by which law of inputs, whether it was learned from prefixes, and the name of accepted."""

    inputs: Generator | None
    prefixes: bool
    outcome: str


def road_of(machine: Acceptor | Generator, inputs: Generator | None, prefixes: bool, outcome: str | None) -> Road:
    """What is given, and for the rest what the model carries; a generator is the law of its own inputs."""
    if inputs is not None and not isinstance(inputs, Generator):
        raise InvalidArgument(f"must be a Generator; got {shown(inputs)}.", argument="inputs")
    check_model(machine)
    known = machine.model
    own = known.inputs if isinstance(machine, Acceptor) else machine
    return Road(own if inputs is None else inputs, prefixes or known.is_along, outcome or known.outcome)


def forecasts_along(
    machine: Acceptor | Generator, words: Sample, inputs: Generator | None, prefixes: bool = False
) -> Floats:
    """Forecasts along words as :meth:`Forecaster.along_words` has them, by each road.

    A generator knows its own inputs; an acceptor that was learned from prefixes predicts by their acceptance; any other
    acceptor needs the law of inputs.
    """
    if isinstance(machine, Generator):
        return np.asarray(rows_along(machine, words) @ machine.until_stop(machine.stop * machine.final))
    check_acceptor(machine)
    if prefixes:
        return np.asarray(rows_along(machine, words) @ machine.final)
    if inputs is None:
        advice = (
            "Pass a Generator, as learn_generator finds it, or {prefixes=True} if the model was learned from prefixes."
        )
        raise InvalidArgument("must be given: a forecast needs the law of inputs.", argument="inputs", advice=advice)
    return kept_forecaster(machine, inputs).along_words(words)


def possible(forecasts: Floats, word: Word) -> Floats:
    """Forecasts along a word, unless it has probability 0."""
    if np.isnan(forecasts).any():
        place = int(np.isnan(forecasts).argmax())
        what = (
            f"the law of inputs makes no word that begins with the first {counted(place, 'symbol')} of {shown(word)}."
        )
        raise ImpossibleObservation(what, advice="Learn it from more words, or with a positive prior.")
    return forecasts


def rows_along(machine: Machine, words: Sample) -> Floats:
    """Distribution over states before the first symbol of each distinct word and after each one: ``[position, state]``.

    Words follow each other as in ``EncodedWords.positions``. NaN from where a generator makes no such word.
    """
    machine.encode(words)  # refuses symbols that it does not know, naming the place
    steps, read = steps_of(machine, words.alphabet), words.decoded
    rows = np.empty((read.positions[-1], machine.n_states))
    rows[read.positions[:-1]] = machine.initial
    for i in range(int(read.lengths.max(initial=0))):
        active = np.flatnonzero(read.lengths > i)
        symbols, places = read.symbols[read.offsets[active] + i], read.positions[active] + i
        for symbol in np.unique(symbols):
            here = places[symbols == symbol]
            rows[here + 1] = rows[here] @ steps[symbol]
            if machine.stop is not None:
                with np.errstate(invalid="ignore"):
                    rows[here + 1] /= rows[here + 1].sum(axis=1, keepdims=True)
    return rows


def steps_of(machine: Machine, symbols: Alphabet) -> Floats:
    """What reading each of some symbols does, ``[a, s, t]``: nothing where the machine leaves a symbol out."""
    known = machine.alphabet
    rare = known.on_unknown == "rare"
    codes = [
        known.code(known.rare if rare and symbol not in known else symbol) if rare or symbol in known else -1
        for symbol in symbols
    ]
    return np.concatenate([machine.transitions, np.eye(machine.n_states)[None]])[codes]
