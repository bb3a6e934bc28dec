"""Which symbols tell most: how far reading them moves the acceptance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutpoint.data import Sample, Symbol
from cutpoint.em.observations import check_sample
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor

MOST_WORDS = 2000
"""Distinct words that are looked at, those with the largest counts."""


@dataclass(frozen=True)
class Telling:
    """What reading a symbol does to the acceptance of the word so far, over the positions where it was read.

    Attributes
    ----------
    symbol : the symbol.
    count : how often it was read.
    change : mean change of the acceptance.
    size : mean size of the change, up or down.
    """

    symbol: Symbol
    count: float
    change: float
    size: float


def telling_symbols(acceptor: Acceptor, sample: Sample) -> tuple[Telling, ...]:
    r"""Symbols of a sample in the order of what they tell: the sum of :math:`|p(x_1 … x_i) - p(x_1 … x_{i-1})|`.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["0011", "0000"], accepted=[True, False])
    >>> [(t.symbol, t.count, round(t.size, 3)) for t in telling_symbols(cp.p_adic(2), sample)]
    [('1', 2.0, 0.375), ('0', 6.0, 0.0)]
    """
    check_acceptor(acceptor)
    check_sample(sample)
    same = sample.recoded(acceptor.alphabet)
    counts, changes, sizes = (np.zeros(acceptor.n_symbols) for _ in range(3))
    for r in np.argsort(-same.counts, kind="stable")[:MOST_WORDS].tolist():
        codes = same.decoded.word(r)
        prefixes = acceptor.forward(acceptor.alphabet.decode(codes))[:, acceptor.final].sum(axis=1)
        moves, weight = np.diff(prefixes), same.counts[r]
        np.add.at(counts, codes, weight)
        np.add.at(changes, codes, weight * moves)
        np.add.at(sizes, codes, weight * np.abs(moves))
    read = np.maximum(counts, np.finfo(np.float64).tiny)
    order = [a for a in np.argsort(-sizes, kind="stable").tolist() if counts[a] > 0]
    return tuple(
        Telling(acceptor.alphabet[a], float(counts[a]), float(changes[a] / read[a]), float(sizes[a] / read[a]))
        for a in order
    )
