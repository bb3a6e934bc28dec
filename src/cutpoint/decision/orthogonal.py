r"""The space of the rows :math:`\xi M(x)` in floats: an orthonormal basis, up to a tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutpoint.model.linear import Linear
from cutpoint.model.quintuple import Floats

INDEPENDENCE = 1e-12
"""A row is new if this part of its length, at least, lies outside of the space so far."""


@dataclass(frozen=True)
class Reached:
    """Orthonormal basis ``[i, s]`` of the rows, or the first word met whose value is beyond a limit."""

    basis: Floats
    word: tuple[int, ...] | None


def reach(function: Linear, above: float | None = None, independence: float = INDEPENDENCE) -> Reached:
    """Breadth first over words, keeping those whose rows are new; stop at the first with ``abs(value) > above``."""
    n_symbols, size = function.transitions.shape[:2]
    columns = (function.transitions @ function.final).T
    basis = np.zeros((0, size))
    if above is not None and abs(function.initial @ function.final) > above:
        return Reached(basis, ())
    words: list[tuple[int, ...]] = [()]
    rows = function.initial[None, :]
    basis, kept = _extended(basis, rows, independence)
    while kept:
        if above is not None:
            far = np.flatnonzero(np.abs(rows @ columns) > above)
            if len(far):
                return Reached(basis, (*words[far[0] // n_symbols], int(far[0]) % n_symbols))
        longer = np.stack([rows @ matrix for matrix in function.transitions], axis=1).reshape(-1, size)
        basis, kept = _extended(basis, longer, independence)
        words = [(*words[i // n_symbols], i % n_symbols) for i in kept]
        rows = longer[kept]
    return Reached(basis, None)


def _extended(basis: Floats, rows: Floats, independence: float) -> tuple[Floats, list[int]]:
    """Basis with the new ones among rows (Gram-Schmidt, twice), and their numbers."""
    lengths = np.linalg.norm(rows, axis=1)
    units = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    for _ in range(2):
        units = units - (units @ basis.T) @ basis
    size, at = rows.shape[1], len(basis)
    room = np.zeros((min(size, at + len(rows)), size))
    room[:at] = basis
    kept = []
    for i, unit in enumerate(units):
        if at == size:
            break
        rest, begun = unit, len(basis)
        for _ in range(2):
            rest = rest - (room[begun:at] @ rest) @ room[begun:at]
        length = np.linalg.norm(rest)
        if length > independence:
            rest = rest / length
            rest = rest - (room[:at] @ rest) @ room[:at]  # a short rest has lost digits
            room[at] = rest / np.linalg.norm(rest)
            kept.append(i)
            at += 1
    return room[:at], kept
