"""Digests of values: the same in every process for the same problem, another where anything differs that decides."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from datetime import date, time, timedelta
from enum import Enum
from fractions import Fraction
from types import NoneType
from typing import Any

import numpy as np

from cutpoint.data import Alphabet, Sample
from cutpoint.errors import InvalidArgument
from cutpoint.kernels.sparse_matrices import RaggedRows
from cutpoint.model.machine import Machine
from cutpoint.wording import shown

Table = dict[type, Callable[[Any], Any]]

OF_MACHINES = "states", "alphabet", "stored", "initial", "final", "stop"
OF_SAMPLES = "alphabet", "mark_table", "symbols", "offsets", "ends", "counts", "marks"

BYTES: Table = {
    NoneType: lambda value: b"",
    bool: lambda value: b"%d" % value,
    int: lambda value: f"{value:x}".encode(),
    float: lambda value: value.hex().encode(),
    str: lambda value: value.encode(errors="surrogatepass"),
    bytes: lambda value: value,
    date: lambda value: value.isoformat().encode(),
    time: lambda value: value.isoformat().encode(),
}
PARTS: Table = {
    Enum: lambda value: (type(value).__qualname__, value.name),
    Fraction: lambda value: (value.numerator, value.denominator),
    timedelta: lambda value: (value.days, value.seconds, value.microseconds),
    Machine: lambda value: (type(value).__name__, *(getattr(value, name) for name in OF_MACHINES)),
    Sample: lambda value: (*(getattr(value, name) for name in OF_SAMPLES), _groups(value)),
    RaggedRows: lambda value: (value.starts, value.pattern.columns, value.values),
    Alphabet: lambda value: (value.on_unknown, *value),
    tuple: lambda value: value,
    list: tuple,
}
UNORDERED: Table = {AbstractSet: lambda value: value, Mapping: lambda value: value.items()}


def digest_of(*values: object) -> str:
    """SHA-256 of values, by what they hold: arrays by kind, shape and bytes, models and samples by arrays and names.

    Sets and mappings have no order. A value of an unknown type is refused, and never told from others by its text,
    which may be another in each process, or the same for different values.

    Examples
    --------
    >>> digest_of({"a", "b"}, np.arange(3)) == digest_of({"b", "a"}, np.arange(3))
    True
    >>> digest_of("ab") == digest_of("a", "b")
    False
    """
    return _digest(values).hex()


def _digest(value: Any) -> bytes:
    """Digest of what a value is and of its bytes, or of the digests of its parts."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        head = f"{value.dtype.descr} {value.shape}".encode()
        return _joined("array", [hashlib.sha256(head).digest(), np.ascontiguousarray(value).reshape(-1).view(np.uint8)])
    for table in (PARTS, BYTES, UNORDERED):
        for kind, content in table.items():
            if isinstance(value, kind):
                found = content(value)
                parts = [found] if table is BYTES else map(_digest, found)
                return _joined(kind.__name__, sorted(parts) if table is UNORDERED else parts)
    raise InvalidArgument(
        f"the values of a problem must be texts, numbers, arrays or tuples of them, to be told from others when it is "
        f"continued; got {shown(value)} of type {type(value).__name__}.",
        advice="Give symbols and states such names.",
    )


def _groups(sample: Sample) -> object:
    """Which observations folds must not split, if that is known."""
    cases = sample.cases
    return None if cases is None or cases.groups is None else (cases.observations, cases.groups)


def _joined(kind: str, parts: Iterable[Any]) -> bytes:
    found = hashlib.sha256(f"{kind}\n".encode())
    for part in parts:
        found.update(part)
    return found.digest()
