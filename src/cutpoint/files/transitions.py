"""From the transitions of a text file to an acceptor, with sizes checked before memory is taken."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError
from cutpoint.files.model import Options, too_long, too_many
from cutpoint.files.source import Source
from cutpoint.model import Acceptor
from cutpoint.model.parts import RESCALE

Number = Fraction | float
Steps = Mapping[tuple[int, int, int], Number]
"""Probabilities other than 0 by symbol, state before, state after."""

ADVICE = "Load it with normalized=True to rescale rows."
"""What to do about rows of a file that do not sum to 1."""


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
    """Acceptor from its transitions; exact if all numbers are."""
    exact = all(isinstance(value, Fraction) for values in (steps, initial) for value in values.values())
    check_room(source, len(states), len(alphabet), exact)
    if exact:
        rows: dict[tuple[int, int], list[Any]] = {}
        for (a, s, _), value in steps.items():
            rows.setdefault((a, s), []).append(value)
        check_fractions(source, [*rows.values(), list(initial.values())])
    transitions = _filled((len(alphabet), len(states), len(states)), steps, exact)
    start = _filled((len(states),), {(s,): value for s, value in initial.items()}, exact)
    parts = states, alphabet, transitions, start, np.array(final, dtype=np.bool_)
    return built(source, options, *parts, advice=advice)


def check_room(source: Source, n_states: int, n_symbols: int, exact: bool) -> None:
    """Refuse what would take too much memory."""
    fault = too_many(n_states, n_symbols, exact)
    if fault:
        raise source.refused(f"{fault}.")


def check_fractions(source: Source, rows: Iterable[Iterable[Any]]) -> None:
    """Refuse rows of fractions that would take too long to add up."""
    fault = too_long(rows)
    if fault:
        raise source.refused(f"{fault}.")


def built(source: Source, options: Options, *parts: Any, advice: str = ADVICE) -> Acceptor:
    """Acceptor from its five parts; what the acceptor refuses is told with the name of the file."""
    try:
        return Acceptor.normalized(*parts) if options.normalized else Acceptor(*parts)
    except CutpointError as wrong:
        raise source.refused(str(wrong).replace(RESCALE, advice)) from None


def _filled(shape: tuple[int, ...], values: Mapping[Any, Number], exact: bool) -> NDArray[Any]:
    array = np.full(shape, Fraction(0), dtype=object) if exact else np.zeros(shape)
    for place, value in values.items():
        array[place] = value if exact else float(value)
    return array
