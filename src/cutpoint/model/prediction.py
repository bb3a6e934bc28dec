"""Model: an acceptor or generator as it is used: it predicts, with a cut point, names of classes, a law of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Words
from cutpoint.data.alphabet import each_word, is_collection
from cutpoint.data.storage import Scalar, is_scalar
from cutpoint.errors import InvalidArgument
from cutpoint.exact import AlgebraicNumber, all_compared, cut_point_value
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.generator import Generator, check_model
from cutpoint.wording import counted, listed, shown

ALONG = "learned_along"  # note of a model that was learned from prefixes


@dataclass(frozen=True)
class Model:
    """An acceptor or generator as files keep it and others use it, with a cut point, names of classes and notes.

    ``A.model`` is that of a machine, and ``Model(...).machine`` a machine that carries what is given here: files keep
    it, ``A.predict`` follows it, and ``==`` of machines does not look at it.

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
        beside = {each.name: getattr(self, each.name) for each in fields(self)[1:]} | {"metadata": dict(self.metadata)}
        beside = {name: value for name, value in beside.items() if value not in (None, {})}
        object.__setattr__(self, "machine", self.machine._carrying(beside))

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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.machine, self.cut_point, dict(self.metadata), self.classes, self.labels, self.inputs)

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
    def is_along(self) -> bool:
        """Whether it was learned from prefixes, as ``cutpoint fit --along`` notes: then acceptances are forecasts."""
        return bool(self.metadata.get(ALONG))

    @property
    def outcome(self) -> str:
        """The name of accepted: of two classes, the second."""
        return "accepted" if self.classes is None or self.labels is not None else str(self.classes[1])

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
            codes = self.accepted(list(each_word(words)), cut_point, threads).astype(np.intp)
        names = self.class_names
        return np.asarray(np.array(names, dtype=None if len(set(map(type, names))) == 1 else object)[codes])

    def accepted(self, words: list[Any], cut_point: Fraction | float, threads: int | None) -> NDArray[np.bool_]:
        """Whether each word's acceptance is above the cut point; near it, rational numbers decide."""
        machine, encoded = self.machine, self.machine.encode(words)
        if isinstance(machine, Acceptor):
            exact = lambda r: machine.integers.value(encoded.word(r).tolist())  # noqa: E731
            values = machine.encoded_acceptances(encoded, threads)
            level = cut_point_value(cut_point)
            return all_compared(values, encoded.lengths, machine.n_states, level, exact)[0] > 0
        values, near = machine.acceptances(words, threads), float(cut_point)
        doubt = 1e-12 + 1e-15 * (encoded.lengths + 1) * (machine.n_states + 2)
        above = values > near
        for r in np.flatnonzero(np.abs(values - near) <= doubt):
            above[r] = machine.exact_acceptance(words[r]) > cut_point
        return np.asarray(above)


def _class_names(name: str, given: Any) -> tuple[Scalar, ...]:
    """Names of classes as Python values that files can keep."""
    if not is_collection(given) or isinstance(given, str):
        raise InvalidArgument(f"must be a list of names; got {shown(given)}.", argument=name)
    found = tuple(each.item() if isinstance(each, np.generic) else each for each in given)
    for each in found:
        if each is None or not is_scalar(each):
            raise InvalidArgument(f"must be text, finite numbers or bool; got {shown(each)}.", argument=name)
    return found
