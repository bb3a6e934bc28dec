"""What a file of a model holds: the acceptor, what is kept beside it, and how large it may be."""

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
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import class_probabilities
from cutpoint.model.parts import RESCALE
from cutpoint.wording import counted, listed, shown

Scalar = str | int | float | bool | None
Weights = Literal["log", "probability"]

MOST_ENTRIES = 2_000_000  # most transition probabilities, zeros included, of a text file; NPZ holds more
MOST_FRACTIONS = 500_000  # the same where they are exact
MOST_WORK = 2 * 10**14  # bound of the work of adding up the rows of a file: some seconds
ADVICE = "Use {normalized=True} to rescale rows."  # what to do about rows of a file that do not sum to 1


@dataclass(frozen=True)
class Model:
    """An acceptor as it is kept in a file and used elsewhere, with a cut point, names of classes and notes.

    Attributes
    ----------
    acceptor : its rule for unknown symbols (:meth:`Acceptor.with_unknown`) belongs to the model.
    cut_point : a ``Fraction`` if it was given exactly, a float, or None.
    metadata : notes, text to text, number, bool or None.
    classes : names of what is predicted, distinct text, numbers or bool. Of two, the second is the accepted one.
    labels : of three and more classes, the class of each state, in the order of the states.

    Examples
    --------
    >>> model = Model(cp.p_adic(2), "1/2", {"author": "Rabin"}, classes=("small", "large"))
    >>> model.cut_point, model.predict(["01", "11"]).tolist(), model.probabilities(["01", "11"]).tolist()
    (Fraction(1, 2), ['small', 'large'], [[0.5, 0.5], [0.25, 0.75]])
    """

    acceptor: Acceptor
    cut_point: Any = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    classes: Sequence[Scalar] | None = None
    labels: Sequence[Scalar] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.acceptor, Acceptor):
            raise InvalidArgument(f"expected an Acceptor; got {shown(self.acceptor)}.")
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
        fits = self.labels is not None and len(self.labels) == self.acceptor.n_states
        if n_classes > 2 and not (fits and set(self.labels or ()) <= set(self.classes or ())):
            what = f"must be the class of each of {counted(self.acceptor.n_states, 'state')}; got {shown(self.labels)}."
            raise InvalidArgument(what, argument="labels")

    def __repr__(self) -> str:
        beside = [f"cut point {self.cut_point}"] * (self.cut_point is not None)
        beside += [f"classes {listed(self.classes or ())}"] * (self.classes is not None)
        beside += [counted(len(self.metadata), "note")] * bool(self.metadata)
        return f"<Model{' with ' * bool(beside)}{', '.join(beside)}: {self.acceptor!r}>"

    def __hash__(self) -> int:
        return hash((self.acceptor, self.cut_point, self.classes))

    @property
    def owners(self) -> NDArray[np.bool_]:
        """Whether each state belongs to each class, ``[c, s]``; without classes, to those rejected and accepted."""
        if self.labels is None or self.classes is None:
            return np.stack((~self.acceptor.final, self.acceptor.final))
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

        Rows sum to 1. Symbols that the acceptor does not know follow its rule.
        """
        return class_probabilities(self.acceptor, self.owners, self.acceptor.encode(words), threads)

    def predict(self, words: Words, threads: int | None = None) -> NDArray[Any]:
        """Class of each word; without classes, True or False.

        Of two, the second where the acceptance is above the cut point (1/2 if there is none), never wrong by rounding;
        of more, the likeliest.
        """
        if self.labels is not None:
            codes = self.probabilities(words, threads).argmax(axis=1)
        else:
            cut_point = Fraction(1, 2) if self.cut_point is None else self.cut_point
            codes = Language(self.acceptor, cut_point).membership(words, threads).members.astype(np.intp)
        names = self.class_names
        return np.asarray(np.array(names, dtype=None if len(set(map(type, names))) == 1 else object)[codes])


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
    """How a file is written or read: what its weights are, and whether numbers may be rounded, rows rescaled."""

    weights: Weights = "log"
    rounded: bool = False
    normalized: bool = False


@dataclass(frozen=True)
class SqlNames:
    """Names of the table of events that an exported query reads, and of its columns."""

    table: str = "events"
    id: str = "id"
    order: str = "position"
    event: str = "event"


def fitting(model: Model, kind: str, keeps_notes: bool = False) -> Acceptor:
    """The acceptor of a model if a text file of this kind can hold the model."""
    rule = model.acceptor.alphabet.on_unknown
    notes = {
        "a cut point": model.cut_point is not None,
        "names of classes": model.classes is not None,
        f"a rule for unknown symbols ({rule!r})": rule != "error",
        "metadata": bool(model.metadata),
    }
    if not keeps_notes and any(notes.values()):
        what = next(what for what, is_given in notes.items() if is_given)
        advice = "Leave it out with {bare=True}, or save as one of these."
        raise InvalidArgument(f"{kind} cannot hold {what}; .json and .npz can.", advice=advice)
    acceptor = model.acceptor
    if fault := _too_large(acceptor.n_states, acceptor.n_symbols, *(entries(acceptor) if acceptor.is_exact else ())):
        raise InvalidArgument(f"{kind} cannot hold this acceptor: {fault}")
    return acceptor


def in_floats(acceptor: Acceptor, options: Options, kind: str) -> Acceptor:
    """The acceptor for formats that have no fractions: an exact one is rounded if that is allowed."""
    if not acceptor.is_exact:
        return acceptor
    if not options.rounded:
        raise InvalidArgument(
            f"{kind} holds floats, and this acceptor is exact.",
            advice="Pass {rounded=True} to write the nearest floats, or save as .json, which keeps fractions.",
        )
    return acceptor.replace(transitions=acceptor.transitions, initial=acceptor.initial)


def entries(acceptor: Acceptor) -> tuple[NDArray[Any], NDArray[Any]]:
    """Transitions and initial distribution, in fractions if the acceptor is exact."""
    if acceptor.is_exact:
        return acceptor.exact_transitions, acceptor.exact_initial
    return acceptor.transitions, acceptor.initial


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
    return built(source, options, [*states.values()], [*alphabet.values()], transitions, start, ends, advice=advice)


def built(source: Source, options: Options, *parts: Any, advice: str = ADVICE) -> Acceptor:
    """Acceptor from its five parts; an error of the acceptor names the file."""
    states, alphabet, transitions, initial, _ = parts
    if transitions.dtype == object:
        check_room(source, len(states), len(alphabet), transitions, initial)
    try:
        return Acceptor.normalized(*parts) if options.normalized else Acceptor(*parts)
    except CutpointError as wrong:
        sentence, rescale, _ = str(wrong).partition(RESCALE)
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
