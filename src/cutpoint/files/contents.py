"""What a file of a model holds: the acceptor or generator, what is kept beside it, and how large it may be."""

import math
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Words
from cutpoint.decision import Language
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.exact import AlgebraicNumber, cut_point_value
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, is_scalar
from cutpoint.model import Acceptor, Generator
from cutpoint.model.generator import check_model
from cutpoint.model.mixtures import AnyMachine
from cutpoint.model.parts import rescaling
from cutpoint.wording import counted, listed, shown

Scalar = str | int | float | bool | None
Weights = Literal["log", "probability"]

MOST_ENTRIES = 2_000_000  # most transition probabilities, zeros included, of a text file; NPZ holds more
MOST_FRACTIONS = 500_000  # the same where they are exact
MOST_WORK = 2 * 10**14  # bound of the work of adding up the rows of a file: some seconds
ADVICE = "Use {normalized=True} to rescale rows."  # what to do about rows of a file that do not sum to 1


@dataclass(frozen=True)
class Model:
    """An acceptor or generator as files keep it and others use it, with a cut point, names of classes and notes.

    Attributes
    ----------
    machine : the acceptor or generator, also ``acceptor`` or ``generator``; its rule for unknown symbols
        (:meth:`Acceptor.with_unknown`) belongs to the model.
    cut_point : a ``Fraction`` if it was given exactly, a float, or None.
    metadata : notes, text to text, number, bool or None.
    classes : names of what is predicted, distinct text, numbers or bool. Of two, the second is the accepted one.
    labels : of three and more classes, the class of each state, in the order of the states.
    inputs : of an acceptor, a generator of its inputs, for forecasts (``cutpoint fit`` learns one), or None.

    Examples
    --------
    >>> model = Model(cp.p_adic(2), "1/2", {"author": "Rabin"}, classes=("small", "large"))
    >>> model.cut_point, model.predict(["01", "11"]).tolist(), model.probabilities(["01", "11"]).tolist()
    (Fraction(1, 2), ['small', 'large'], [[0.5, 0.5], [0.25, 0.75]])
    """

    machine: Acceptor | Generator
    cut_point: Any = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    classes: Sequence[Scalar] | None = None
    labels: Sequence[Scalar] | None = None
    inputs: Generator | None = None

    def __post_init__(self) -> None:
        check_model(self.machine)
        if self.inputs is not None and not (isinstance(self.inputs, Generator) and isinstance(self.machine, Acceptor)):
            found = [type(each).__name__ for each in (self.inputs, self.machine)]
            what = f"must be a Generator, and the model an Acceptor; got {found[0]} and {found[1]}."
            raise InvalidArgument(what, argument="inputs")
        if self.cut_point is not None:
            value = cut_point_value(self.cut_point)
            if isinstance(value, AlgebraicNumber):
                raise InvalidArgument(f"a file can keep a cut point that is rational or a float; got {shown(value)}.")
            object.__setattr__(self, "cut_point", float(value) if isinstance(self.cut_point, float) else value)
        if not isinstance(self.metadata, Mapping):
            raise InvalidArgument(f"must be a dictionary; got {shown(self.metadata)}.", argument="metadata")
        for key, note in self.metadata.items():
            if type(key) is not str or not is_scalar(key):
                raise InvalidArgument(f"must have keys that are text; got {shown(key)}.", argument="metadata")
            if not is_scalar(note):
                kinds = "text, a finite number, a bool or None"
                raise InvalidArgument(f"metadata[{key!r}] must be {kinds}; got {shown(note)}.")
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        for name in ("classes", "labels"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, _class_names(name, given))
        self._check_classes()

    def _check_classes(self) -> None:
        n_classes = 2 if self.classes is None else len(self.classes)
        if n_classes < 2 or len(set(self.classes or (0, 1))) < n_classes:
            what = f"must be at least two distinct names; got {shown(self.classes)}."
            raise InvalidArgument(what, argument="classes")
        if n_classes == 2 and self.labels is not None:
            what = "are for three and more classes; of two, the final states are the second's. Leave them out."
            raise InvalidArgument(what, argument="labels")
        if n_classes > 2 and self.cut_point is not None:
            raise InvalidArgument(f"is for two classes; there are {n_classes}. Leave it out.", argument="cut_point")
        fits = self.labels is not None and len(self.labels) == self.machine.n_states
        if n_classes > 2 and not (fits and set(self.labels or ()) <= set(self.classes or ())):
            what = f"must be the class of each of {counted(self.machine.n_states, 'state')}; got {shown(self.labels)}."
            raise InvalidArgument(what, argument="labels")

    def __repr__(self) -> str:
        beside = [f"cut point {self.cut_point}"] * (self.cut_point is not None)
        beside += [f"classes {listed(self.classes or ())}"] * (self.classes is not None)
        beside += [counted(len(self.metadata), "note")] * bool(self.metadata)
        beside += ["a law of inputs"] * (self.inputs is not None)
        return f"<Model{' with ' * bool(beside)}{', '.join(beside)}: {self.machine!r}>"

    def __hash__(self) -> int:
        return hash((self.machine, self.cut_point, self.classes))

    @property
    def acceptor(self) -> Acceptor:
        """The acceptor of the model."""
        if isinstance(self.machine, Acceptor):
            return self.machine
        raise InvalidArgument("expected an acceptor; the model is a generator.")

    @property
    def generator(self) -> Generator:
        """The generator of the model."""
        if isinstance(self.machine, Generator):
            return self.machine
        raise InvalidArgument("expected a generator; the model is an acceptor.")

    @property
    def known_inputs(self) -> Generator:
        """The law of inputs, or the generator itself; a model that has none is refused."""
        found = self.inputs if isinstance(self.machine, Acceptor) else self.machine
        if found is None:
            advice = "cutpoint fit learns one. Or learn one with law_of_inputs, and save it with inputs=."
            raise InvalidArgument("the model has no law of its inputs.", advice=advice)
        return found

    @property
    def owners(self) -> NDArray[np.bool_]:
        """Whether each state belongs to each class, ``[c, s]``; without classes, to those rejected and accepted."""
        if self.labels is None or self.classes is None:
            return np.stack((~self.machine.final, self.machine.final))
        return np.array([[label == name for label in self.labels] for name in self.classes])

    @property
    def class_names(self) -> Sequence[Scalar]:
        """The classes; False and True where they have no names."""
        return (False, True) if self.classes is None else self.classes

    @property
    def used_cut_point(self) -> float:
        """The cut point as a float; 1/2 if there is none."""
        return 0.5 if self.cut_point is None else float(self.cut_point)

    def probabilities(self, words: Words, threads: int | None = None) -> NDArray[np.float64]:
        """Probability of each class for each word, ``[word, class]``; without classes, of rejection and acceptance.

        Rows sum to 1. Symbols that the model does not know follow its rule. Of a generator, by Bayes' rule.
        """
        return self.machine.class_probabilities(self.owners, self.machine.encode(words), threads)

    def predict(self, words: Words, threads: int | None = None) -> NDArray[Any]:
        """Class of each word; without classes, True or False.

        Of two, the second where the acceptance is above the cut point (1/2 if there is none), never wrong by rounding;
        of more, the likeliest.
        """
        if self.labels is not None:
            codes = self.probabilities(words, threads).argmax(axis=1)
        else:
            cut_point = Fraction(1, 2) if self.cut_point is None else self.cut_point
            codes = self.accepted(list(words), cut_point, threads).astype(np.intp)
        names = self.class_names
        return np.asarray(np.array(names, dtype=None if len(set(map(type, names))) == 1 else object)[codes])

    def accepted(self, words: list[Any], cut_point: Fraction | float, threads: int | None) -> NDArray[np.bool_]:
        """Whether each word's acceptance is above the cut point; near it, rational numbers decide."""
        if isinstance(self.machine, Acceptor):
            return Language(self.machine, cut_point).membership(words, threads).members
        encoded = self.machine.encode(words)
        values, level = self.machine.acceptances(words, threads), float(cut_point)
        doubt = 1e-12 + 1e-15 * (encoded.lengths + 1) * (self.machine.n_states + 2)
        above = values > level
        for r in np.flatnonzero(np.abs(values - level) <= doubt):
            above[r] = self.machine.exact_acceptance(words[r]) > cut_point
        return np.asarray(above)


def _class_names(name: str, given: Any) -> tuple[Scalar, ...]:
    """Names of classes as Python values that files can keep."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InvalidArgument(f"must be a list of names; got {shown(given)}.", argument=name)
    found = tuple(each.item() if isinstance(each, np.generic) else each for each in given)
    for each in found:
        if each is None or not is_scalar(each):
            raise InvalidArgument(f"must be text, finite numbers or bool; got {shown(each)}.", argument=name)
    return found


@dataclass(frozen=True)
class Options:
    """How a file is written or read: its weights, and whether numbers are rounded, rows rescaled, names left out."""

    weights: Weights = "log"
    rounded: bool = False
    normalized: bool = False
    bare: bool = False


@dataclass(frozen=True)
class SqlNames:
    """Names of the table of events that an exported query reads, and of its columns."""

    table: str = "events"
    id: str = "id"
    order: str = "position"
    event: str = "event"


def fitting(model: Model, kind: str) -> Acceptor:
    """The acceptor of a model if a text file of this kind can hold the model: no generator, and nothing beside it."""
    if isinstance(model.machine, Generator):
        raise InvalidArgument(f"{kind} cannot hold a generator; .json, .npz and .pautomac_model.txt can.")
    check_bare(model, kind)
    check_size(model.acceptor, kind)
    return model.acceptor


def check_bare(model: Model, kind: str) -> None:
    """Refuse what is kept beside a machine, for formats that have no place for it."""
    rule = model.machine.alphabet.on_unknown
    notes = {
        "a cut point": model.cut_point is not None,
        "names of classes": model.classes is not None,
        f"a rule for unknown symbols ({rule!r})": rule != "error",
        "metadata": bool(model.metadata),
        "a law of inputs": model.inputs is not None,
    }
    if any(notes.values()):
        what = next(what for what, is_given in notes.items() if is_given)
        advice = "Leave it out with {bare=True}, or save as one of these."
        raise InvalidArgument(f"{kind} cannot hold {what}; .json and .npz can.", advice=advice)


def check_size(machine: Acceptor | Generator, kind: str) -> None:
    """Refuse what is too large for a text file."""
    if fault := _too_large(
        machine.n_states, machine.n_symbols, *(machine.numbers().values() if machine.is_exact else ())
    ):
        raise InvalidArgument(f"{kind} cannot hold this {type(machine).__name__.lower()}: {fault}")


def in_floats(machine: AnyMachine, options: Options, kind: str) -> AnyMachine:
    """The machine for formats that have no fractions: an exact one is rounded if that is allowed."""
    if not machine.is_exact:
        return machine
    if not options.rounded:
        raise InvalidArgument(
            f"{kind} holds floats, and this {type(machine).__name__.lower()} is exact.",
            advice="Pass {rounded=True} to write the nearest floats, or save as .json, which keeps fractions.",
        )
    return machine.replace(**machine.numbers(exact=False))


def check_room(source: Source, n_states: int, n_symbols: int, *fractions: NDArray[Any]) -> None:
    """Refuse what would take too much memory, or time to add up its fractions."""
    if fault := _too_large(n_states, n_symbols, *fractions):
        raise source.refused(fault)


def assembled(
    source: Source,
    options: Options,
    states: Mapping[Any, Hashable],
    alphabet: Mapping[Any, Hashable],
    steps: Mapping[tuple[Any, Any, Any], Number],
    initial: Mapping[Any, Number],
    final: Container[Any],
    advice: str = ADVICE,
) -> Acceptor:
    """Acceptor from names and transitions, by the keys that a file has for states and symbols.

    A step is state before, symbol, state after. The acceptor is exact if all numbers are; sizes are checked before
    memory is taken.
    """
    check_room(source, len(states), len(alphabet))
    numbers = (*filter(None, steps.values()), *initial.values())
    zero = Fraction(0) if all(isinstance(value, Fraction) for value in numbers) else 0.0
    transitions = np.full((len(alphabet), len(states), len(states)), zero)
    start = np.full(len(states), zero)
    state_codes = {key: code for code, key in enumerate(states)}
    symbol_codes = {key: code for code, key in enumerate(alphabet)}
    for (before, symbol, after), value in steps.items():
        transitions[symbol_codes[symbol], state_codes[before], state_codes[after]] = value
    for state, value in initial.items():
        start[state_codes[state]] = value
    ends = np.array([state in final for state in states], dtype=np.bool_)
    names = [*states.values()], [*alphabet.values()]
    return built(source, options, Acceptor, *names, transitions, start, ends, advice=advice)


def built(source: Source, options: Options, kind: type[AnyMachine], *parts: Any, advice: str = ADVICE) -> AnyMachine:
    """Acceptor or generator from its parts; an error of the machine names the file."""
    states, alphabet, *numbers, _ = parts
    if numbers[0].dtype == object:
        check_room(source, len(states), len(alphabet), *numbers)
    try:
        return kind.normalized(*parts) if options.normalized else kind(*parts)
    except CutpointError as wrong:
        sentence, rescale, _ = str(wrong).partition(rescaling(kind.__name__))
        raise source.refused(sentence.strip(), advice=advice if rescale else "") from None


def _too_large(n_states: int, n_symbols: int, *fractions: NDArray[Any]) -> str:
    """What is too large about an acceptor for a text file, or nothing; fractions are the parts that have them.

    To add up a row of fractions takes the square of its common denominator's length.
    """
    transitions, most = n_symbols * n_states**2, MOST_FRACTIONS if fractions else MOST_ENTRIES
    if transitions > most:
        kind = "exact transition" if fractions else "transition"
        return (
            f"{counted(n_states, 'state')} and {counted(n_symbols, 'symbol')} make {counted(transitions, kind)}, more "
            f"than the {most:,} of a text file; .npz holds more, as floats."
        )
    work = 0
    for row in chain.from_iterable(part.reshape(-1, n_states) for part in fractions):
        common, count = 1, 0
        for value in row:
            if value.denominator > 1:
                common, count = math.lcm(common, value.denominator), count + 1
                if work + count * common.bit_length() ** 2 > MOST_WORK:
                    return "the fractions of its rows have common denominators too long to add them up."
        work += count * common.bit_length() ** 2
    return ""
