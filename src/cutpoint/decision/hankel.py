"""Hankel blocks: the values of all words that are put together from a list of prefixes and a list of suffixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, Words, html
from cutpoint.data.alphabet import each_word
from cutpoint.decision.reduction import basis_words, minimize
from cutpoint.exact.recursions import over_common_denominator
from cutpoint.model.text import number
from cutpoint.model.weighted import Weighable, WeightedAutomaton, frozen
from cutpoint.wording import shown


@dataclass(frozen=True, eq=False, repr=False)
class HankelBlock:
    """Part of the Hankel matrix of a function f on words: ``values[i, j]`` is f of prefix i followed by suffix j."""

    prefixes: tuple[PlainWord, ...]
    suffixes: tuple[PlainWord, ...]
    values: NDArray[Any]
    """Fractions; floats count as their exact binary values."""

    @property
    def rank(self) -> int:
        """Rank over the rationals; that of the whole Hankel matrix is the least dimension of a weighted automaton."""
        return int(over_common_denominator(self.values)[0].rank()) if self.values.size else 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HankelBlock):
            return NotImplemented
        words = (self.prefixes, self.suffixes) == (other.prefixes, other.suffixes)
        return words and bool((self.values == other.values).all())

    def __hash__(self) -> int:
        return hash((self.prefixes, self.suffixes, tuple(self.values.flat)))

    def _repr_html_(self) -> str:
        rows = [[shown(word), *map(number, row)] for word, row in zip(self.prefixes, self.values, strict=True)]
        return html.paragraph(html.summary(self)) + html.table([["", *map(shown, self.suffixes)], *rows], html.HEAD)

    def __repr__(self) -> str:
        return f"<HankelBlock: {len(self.prefixes)} by {len(self.suffixes)} words, rank {self.rank}>"


def hankel_block(automaton: Weighable, prefixes: Words | None = None, suffixes: Words | None = None) -> HankelBlock:
    r"""Block of the Hankel matrix :math:`H[x, y] = f(xy)` of a weighted automaton, exactly.

    Parameters
    ----------
    prefixes, suffixes : words x and y; by default the first, by length and then in the order of the alphabet, whose
        rows and columns are independent. Then the block is square and has an inverse, and its rank is the dimension of
        :func:`minimize`.

    Examples
    --------
    >>> block = cp.hankel_block(cp.p_adic(2))
    >>> block.prefixes, block.suffixes, block.rank
    (('', '1'), ('', '1'), 2)
    >>> block.values.tolist()
    [[Fraction(0, 1), Fraction(1, 2)], [Fraction(1, 2), Fraction(3, 4)]]
    """
    weighted = WeightedAutomaton.of(automaton).rational()
    alphabet, given = weighted.alphabet, (prefixes, suffixes)
    found = basis_words(minimize(weighted)) if any(words is None for words in given) else ((), ())
    x, y = (
        [*basis] if words is None else [tuple(alphabet.encode_word(word).tolist()) for word in each_word(words)]
        for words, basis in zip(given, found, strict=True)
    )
    values = [weighted.integers.value(before + after) for before in x for after in y]
    table = frozen(np.array(values, dtype=object).reshape(len(x), len(y)))
    return HankelBlock(tuple(map(alphabet.decode, x)), tuple(map(alphabet.decode, y)), table)
