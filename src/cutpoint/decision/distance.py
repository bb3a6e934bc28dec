"""Distance: the largest difference of two acceptors over all words up to a length, with the word."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord
from cutpoint.decision.equivalence import equivalence
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.exact.spans import Codes
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.text import number
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted, shown, word_text

Numbers = NDArray[Any]  # floats, or integers of any size
ColumnPair = tuple[Numbers, Numbers]  # columns ``[z, s]`` of the same words on both sides


@dataclass(frozen=True, repr=False)
class Distance:
    """Largest absolute difference of two automata over some words, and the first word where it is reached."""

    value: Fraction | float
    word: PlainWord

    def __str__(self) -> str:
        return f"{number(self.value)} at {word_text(self.word)}"

    def __repr__(self) -> str:
        return f"Distance(value={shown(self.value)}, word={self.word!r})"


def distance(
    left: Acceptor | WeightedAutomaton,
    right: Acceptor | WeightedAutomaton,
    max_length: int,
    max_words: int = 100_000,
    callback: Callable[[int], object] | None = None,
) -> Distance:
    r"""Largest difference :math:`\max_{|x| \le n} |f(x) - g(x)|` of two acceptors or weighted automata, with the word.

    From the back, length by length: each word z has its columns :math:`P_A(z) f_A` and :math:`P_B(z) f_B`. Words with
    the same columns go on as one. A word is dropped with all words that end in it if none of them can go beyond the
    largest difference so far, whatever distributions come before it:

    .. math:: p_A(xz) - p_B(xz) \le \max_s\, [P_A(z) f_A]_s - \min_t\, [P_B(z) f_B]_t

    and the same with A and B exchanged. For weighted automata bounds of their rows take the place of distributions.

    Parameters
    ----------
    left, right : acceptors or weighted automata over the same symbols.
    max_length : n, the length of the longest words.
    max_words : most words kept at one length; the search says so if it would need more.
    callback : called with each length that is done.

    Returns
    -------
    :class:`Distance`. If both are exact its value is a ``Fraction`` and no arithmetic is rounded; its word is the first
    of those with the largest difference, by length and then in the order of the left alphabet. With floats both hold
    up to rounding. Two acceptors that always differ by 0 have distance 0 at the empty word.

    Notes
    -----
    Cost :math:`O(l' l^2)` per word kept. Few are kept, and n may be large, where an acceptor soon forgets where it was,
    or is deterministic. In general their number grows as :math:`l'^n`, and over words of any length the distance cannot
    be computed.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> cp.distance(A, A & A, max_length=8)
    Distance(value=Fraction(1, 4), word='1')
    """
    if not (callback is None or callable(callback)):
        raise InvalidArgument(f"must be a function of a length, or None; got {shown(callback)}.", argument="callback")
    longest, limit = whole_number("max_length", max_length, least=0), whole_number("max_words", max_words, least=1)
    first = WeightedAutomaton.of(left)
    second = WeightedAutomaton.of(right).reordered(first.alphabet)
    exact = first.is_exact and second.is_exact
    if left == right or (exact and equivalence(first, second)):  # no bound would ever drop a word
        return Distance(Fraction(0) if exact else 0.0, first.alphabet.decode(()))
    scales = _Scales(1, 1, 1)
    if exact:  # common denominators, so that all that follows is done in integers
        pairs = zip(first.arrays(), second.arrays(), strict=True)
        scales = _Scales(*(math.lcm(*(value.denominator for part in pair for value in part.flat)) for pair in pairs))
    sides = (
        _Side(first, isinstance(left, Acceptor), exact, scales, longest),
        _Side(second, isinstance(right, Acceptor), exact, scales, longest),
    )
    best, codes, length = _largest(sides, longest, limit, callback)
    value = Fraction(int(best), scales.initial * scales.final * scales.step**length) if exact else float(best)
    return Distance(value, first.alphabet.decode(codes))


class _Scales(NamedTuple):
    """Common denominators of both automata; all are 1 for floats."""

    initial: int
    step: int
    final: int


class _Side:
    """One of the two automata: floats, or integers over the common denominators."""

    def __init__(
        self, automaton: WeightedAutomaton, is_stochastic: bool, exact: bool, scales: _Scales, longest: int
    ) -> None:
        row, matrices, column = automaton.arrays(exact)
        self.scales = scales
        self.boxes = None if is_stochastic else _row_bounds(row * scales.initial, matrices, longest)
        if exact:
            pairs = zip((row, matrices, column), scales, strict=True)
            row, matrices, column = (np.vectorize(int, otypes=[object])(part * scale) for part, scale in pairs)
        self.initial, self.matrices, self.final = row, matrices, column

    def ranges(self, columns: Numbers, more: int) -> tuple[Numbers, Numbers]:
        """Bounds of the values of words that end as the columns do and have up to ``more`` symbols before.

        Those of a distribution are the least and the largest entry, however many symbols came before.
        """
        if self.boxes is None:
            return columns.min(axis=1) * self.scales.initial, columns.max(axis=1) * self.scales.initial
        low, high = self.boxes[more]
        up, down = np.maximum(columns, 0), np.minimum(columns, 0)
        return up @ low + down @ high, up @ high + down @ low


def _row_bounds(row: Numbers, matrices: Numbers, longest: int) -> list[tuple[Numbers, Numbers]]:
    """Bounds of each entry of the rows of all words up to length j, for j = 0 … longest."""
    found = [(row, row)]
    up, down = np.maximum(matrices, 0), np.minimum(matrices, 0)
    for _ in range(longest):
        low, high = found[-1]
        lows, highs = low @ up + high @ down, high @ up + low @ down
        found.append((np.minimum(row, lows.min(axis=0)), np.maximum(row, highs.max(axis=0))))
    return found


def _largest(
    sides: tuple[_Side, _Side], longest: int, limit: int, callback: Callable[[int], object] | None
) -> tuple[Any, Codes, int]:
    """Largest absolute difference, its word, and the length at which the search ended, whose scale it has."""
    left, right = sides
    columns = left.final[None, :], right.final[None, :]
    words: list[Codes] = [()]
    best: Any = -1  # times scale**length, as the columns are
    where: Codes = ()
    for length in range(longest + 1):
        if length:
            columns, words = _longer(sides, columns, words)
            best = best * left.scales.step
        if len(words) > limit:
            raise TooLarge(
                f"at length {length} there are {counted(len(words), 'word')} to keep; the limit is {limit:,}.",
                advice=f"Stop earlier with {{max_length={length - 1}}}. Or allow more words with {{max_words}}.",
            )
        values = np.abs(columns[0] @ left.initial - columns[1] @ right.initial)
        top = int(np.argmax(values))
        if values[top] > best:
            best, where = values[top], words[top]
        (low, high), (other_low, other_high) = (
            side.ranges(part, longest - length) for side, part in zip(sides, columns, strict=True)
        )
        kept = np.flatnonzero(np.maximum(high - other_low, other_high - low) > best)
        columns, words = (columns[0][kept], columns[1][kept]), [words[i] for i in kept]
        if callback is not None:
            callback(length)
        if not words:
            break
    return best, where, length


def _longer(sides: tuple[_Side, _Side], columns: ColumnPair, words: list[Codes]) -> tuple[ColumnPair, list[Codes]]:
    """Columns and words with one more symbol in front, in the order of the words; of equal columns the first."""
    left, right = (
        np.concatenate([part @ matrix.T for matrix in side.matrices]) for side, part in zip(sides, columns, strict=True)
    )
    first: dict[Any, int] = {}
    for i, both in enumerate(np.concatenate([left, right], axis=1)):
        first.setdefault(both.tobytes() if both.dtype != object else tuple(both), i)
    kept = list(first.values())
    return (left[kept], right[kept]), [(i // len(words), *words[i % len(words)]) for i in kept]
