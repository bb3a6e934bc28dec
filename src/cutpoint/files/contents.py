"""What a file of a model holds: the acceptor, what is kept beside it, and how large it may be."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.exact import AlgebraicNumber, cut_point_value
from cutpoint.files.source import Source
from cutpoint.files.tokens import Number, is_scalar, is_unicode
from cutpoint.model import Acceptor
from cutpoint.model.parts import RESCALE
from cutpoint.wording import counted, shown

Scalar = str | int | float | bool | None
Weights = Literal["log", "probability"]
Steps = Mapping[tuple[int, int, int], Number]
"""Probabilities other than 0 by symbol, state before, state after."""

MOST_ENTRIES = 2_000_000
"""Most transition probabilities, zeros included, of a text file; NPZ holds more."""

MOST_FRACTIONS = 500_000
"""The same where they are exact."""

MOST_WORK = 2 * 10**14
"""Bound of the work of adding up the rows of a file: some seconds."""

ADVICE = "Use {normalized=True} to rescale rows."
"""What to do about rows of a file that do not sum to 1."""


@dataclass(frozen=True)
class Model:
    """An acceptor as it is kept in a file: with its cut point, if one was chosen, and notes about it.

    Attributes
    ----------
    acceptor : the acceptor.
    cut_point : the cut point, a ``Fraction`` if it was given exactly, a float, or None.
    metadata : notes, text to text, number, bool or None.

    Examples
    --------
    >>> import cutpoint as cp
    >>> Model(cp.p_adic(2), "1/2", {"author": "Rabin"}).cut_point
    Fraction(1, 2)
    """

    acceptor: Acceptor
    cut_point: Any = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)

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
            if type(key) is not str or not is_unicode(key):
                raise InvalidArgument(f"must have keys that are text; got {shown(key)}.", argument="metadata")
            if not is_scalar(note):
                raise InvalidArgument(
                    f"metadata[{key!r}] must be text, a finite number, a bool or None; got {shown(note)}."
                )
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __hash__(self) -> int:
        return hash((self.acceptor, self.cut_point))


@dataclass(frozen=True)
class Options:
    """How a file is written or read: what its weights are, and whether numbers may be rounded, rows rescaled."""

    weights: Weights = "log"
    rounded: bool = False
    normalized: bool = False


def only_acceptor(model: Model, kind: str) -> Acceptor:
    """The acceptor of a model, for text formats that keep nothing beside it."""
    if model.cut_point is not None or model.metadata:
        what = "a cut point" if model.cut_point is not None else "metadata"
        advice = "Leave it out with {bare=True}, or save as one of these."
        raise InvalidArgument(f"{kind} cannot hold {what}; .json and .npz can.", advice=advice)
    return fitting(model.acceptor, kind)


def fitting(acceptor: Acceptor, kind: str) -> Acceptor:
    """The same acceptor if a text file can hold it."""
    fault = too_many(acceptor.n_states, acceptor.n_symbols, acceptor.is_exact)
    if not fault and acceptor.is_exact:
        fault = too_long(acceptor.exact_transitions.reshape(-1, acceptor.n_states))
    if fault:
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


def too_many(n_states: int, n_symbols: int, exact: bool) -> str:
    """What is too large about an acceptor for a text file, or nothing."""
    transitions, most = n_symbols * n_states**2, MOST_FRACTIONS if exact else MOST_ENTRIES
    if transitions <= most:
        return ""
    kind = "exact transition" if exact else "transition"
    return (
        f"{counted(n_states, 'state')} and {counted(n_symbols, 'symbol')} make {counted(transitions, kind)}, more than "
        f"the {most:,} of a text file; .npz holds more, as floats."
    )


def too_long(rows: Iterable[Iterable[Fraction]]) -> str:
    """What is too long about fractions: to add up a row takes the square of its common denominator's length."""
    work = 0
    for row in rows:
        common, count = 1, 0
        for value in row:
            if value.denominator > 1:
                common, count = math.lcm(common, value.denominator), count + 1
                if work + count * common.bit_length() ** 2 > MOST_WORK:
                    return "the fractions of its rows have common denominators too long to add them up."
        work += count * common.bit_length() ** 2
    return ""


def check_room(source: Source, n_states: int, n_symbols: int, exact: bool = False) -> None:
    """Refuse what would take too much memory."""
    if fault := too_many(n_states, n_symbols, exact):
        raise source.refused(fault)


def assembled(
    source: Source,
    options: Options,
    states: Sequence[Hashable],
    alphabet: Sequence[Hashable],
    steps: Steps,
    initial: Mapping[int, Number],
    final: Sequence[bool],
    advice: str = ADVICE,
) -> Acceptor:
    """Acceptor from its transitions, with sizes checked before memory is taken; exact if all numbers are."""
    exact = all(isinstance(value, Fraction) for values in (steps, initial) for value in values.values())
    check_room(source, len(states), len(alphabet), exact)
    if exact:
        rows: dict[tuple[int, int], list[Any]] = {}
        for (a, s, _), value in steps.items():
            rows.setdefault((a, s), []).append(value)
        check_fractions(source, [*rows.values(), list(initial.values())])
    transitions = _filled((len(alphabet), len(states), len(states)), steps, exact)
    start = _filled((len(states),), initial, exact)
    return built(source, options, states, alphabet, transitions, start, np.array(final, dtype=np.bool_), advice=advice)


def check_fractions(source: Source, rows: Iterable[Iterable[Any]]) -> None:
    """Refuse rows of fractions that would take too long to add up."""
    if fault := too_long(rows):
        raise source.refused(fault)


def built(source: Source, options: Options, *parts: Any, advice: str = ADVICE) -> Acceptor:
    """Acceptor from its five parts; an error of the acceptor names the file."""
    try:
        return Acceptor.normalized(*parts) if options.normalized else Acceptor(*parts)
    except CutpointError as wrong:
        sentence, rescale, _ = str(wrong).partition(RESCALE)
        raise source.refused(sentence.strip(), advice=advice if rescale else "") from None


def _filled(shape: tuple[int, ...], values: Mapping[Any, Number], exact: bool) -> NDArray[Any]:
    array = np.full(shape, Fraction(0), dtype=object) if exact else np.zeros(shape)
    for place, value in values.items():
        array[place] = value if exact else float(value)
    return array
