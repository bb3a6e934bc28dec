"""Model: an acceptor with what may be kept beside it; and what a format can hold of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from cutpoint.errors import InvalidArgument
from cutpoint.exact import AlgebraicNumber, cut_point_value
from cutpoint.files.typed_names import is_short, is_unicode
from cutpoint.model import Acceptor
from cutpoint.wording import counted, shown

Scalar = str | int | float | bool | None
Weights = Literal["log", "probability"]

MOST_ENTRIES = 2_000_000
"""Most transition probabilities, zeros included, of a text file; NPZ holds more."""

MOST_FRACTIONS = 500_000
"""The same where they are exact."""

MOST_WORK = 2 * 10**14
"""Bound of the work of adding up the rows of a file: some seconds."""


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
        object.__setattr__(self, "metadata", MappingProxyType(_notes(self.metadata)))

    def __hash__(self) -> int:
        return hash((self.acceptor, self.cut_point))


@dataclass(frozen=True)
class Options:
    """How a file is written or read: what its weights are, and whether numbers may be rounded, rows rescaled."""

    weights: Weights = "log"
    rounded: bool = False
    normalized: bool = False


def only_acceptor(model: Model, kind: str) -> Acceptor:
    """The acceptor of a model, for formats with no room beside it; and not more than a text file holds."""
    if model.cut_point is not None or model.metadata:
        what = "a cut point" if model.cut_point is not None else "metadata"
        raise InvalidArgument(f"{kind} cannot hold {what}; .json and .npz can. Leave it out, or save as one of these.")
    return fitting(model.acceptor, kind)


def fitting(acceptor: Acceptor, kind: str) -> Acceptor:
    """The same acceptor if a text file can hold it."""
    fault = too_many(acceptor.n_states, acceptor.n_symbols, acceptor.is_exact)
    if not fault and acceptor.is_exact:
        fault = too_long(acceptor.exact_transitions.reshape(-1, acceptor.n_states))
    if fault:
        raise InvalidArgument(f"{kind} cannot hold this acceptor: {fault}.")
    return acceptor


def too_many(n_states: int, n_symbols: int, exact: bool) -> str:
    """What is too large about an acceptor for a text file, or nothing."""
    entries, most = n_symbols * n_states**2, MOST_FRACTIONS if exact else MOST_ENTRIES
    if entries <= most:
        return ""
    kind = "exact transition" if exact else "transition"
    return (
        f"{counted(n_states, 'state')} and {counted(n_symbols, 'symbol')} make {counted(entries, kind)}, more than "
        f"the {most:,} of a text file; .npz holds more, as floats"
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
                    return "the fractions of its rows have common denominators too long to add them up"
        work += count * common.bit_length() ** 2
    return ""


def in_floats(acceptor: Acceptor, options: Options, kind: str) -> Acceptor:
    """The acceptor for formats that have no fractions: an exact one is rounded if that is allowed."""
    if not acceptor.is_exact:
        return acceptor
    if not options.rounded:
        raise InvalidArgument(
            f"{kind} holds floats, and this acceptor is exact. Pass rounded=True to write the nearest floats, or save "
            "as .json, which keeps fractions."
        )
    return acceptor.replace(transitions=acceptor.transitions, initial=acceptor.initial)


def _notes(metadata: object) -> dict[str, Scalar]:
    if not isinstance(metadata, Mapping):
        raise InvalidArgument(f"metadata must be a dictionary; got {shown(metadata)}.")
    for key, value in metadata.items():
        if type(key) is not str or not is_unicode(key):
            raise InvalidArgument(f"metadata must have keys that are text; got {shown(key)}.")
        if not _is_scalar(value):
            raise InvalidArgument(
                f"metadata[{key!r}] must be text, a finite number, a bool or None; got {shown(value)}."
            )
    return dict(metadata)


def _is_scalar(value: object) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is int:
        return is_short(value)
    return value is None or type(value) is bool or (type(value) is str and is_unicode(value))
