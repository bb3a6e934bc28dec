"""Lexicon: from the symbols of words, as users have them, to the codes of an acceptor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Word
from cutpoint.data.names import counted
from cutpoint.errors import InvalidArgument

RARE = "<rare>"
"""Symbol that stands for all that are rare or unknown."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """Words as codes of the symbols that occur in them; word r is ``codes[offsets[r]:offsets[r + 1]]``."""

    symbols: tuple[Hashable, ...]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class Lexicon:
    """Symbols that were learned, and what becomes of others.

    Attributes
    ----------
    learned : symbols that the words of training hold, the rare ones replaced.
    with_rare : whether symbols that were not learned are read as rare ones, or refused.
    length : length of all words if symbols are told apart by position, otherwise None.
    """

    learned: Alphabet
    with_rare: bool
    length: int | None

    @classmethod
    def of(
        cls, words: list[Word], weights: NDArray[np.float64], least: float | None, by_position: bool
    ) -> tuple[Lexicon, list[list[Hashable]]]:
        """Lexicon of some words, and the words in its symbols; those of less than ``least`` in all are rare."""
        spelling = _spelled(words)
        if not spelling.symbols:
            raise InvalidArgument("X must hold at least one word with a symbol; all words are empty.")
        length = None
        if by_position:
            length = _common_length(spelling.offsets)
            spelling = _by_position(spelling, length)
        symbols = list(spelling.symbols)
        if least is not None:
            each = np.repeat(weights, np.diff(spelling.offsets))
            totals = np.bincount(spelling.codes, each, minlength=len(symbols))
            symbols = [
                symbol if total >= least else rare(symbol, by_position)
                for symbol, total in zip(symbols, totals.tolist(), strict=True)
            ]
        distinct = list(dict.fromkeys(symbols))
        last = [symbol for symbol in distinct if _is_rare(symbol, by_position)] if least is not None else []
        alphabet = Alphabet([symbol for symbol in distinct if symbol not in last] + last)
        texts = [symbols[code] for code in spelling.codes.tolist()]
        spelt = [texts[start:stop] for start, stop in pairwise(spelling.offsets.tolist())]
        return cls(alphabet, least is not None, length), spelt

    @property
    def alphabet(self) -> Alphabet:
        """Symbols that were learned, and the rare one (by position: of each position) if it was not among them."""
        if not self.with_rare:
            return self.learned
        needed: list[Hashable] = [RARE] if self.length is None else [(i, RARE) for i in range(self.length)]
        return Alphabet([*self.learned, *(symbol for symbol in needed if symbol not in self.learned)])

    def encode(self, words: list[Word]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Codes of words in the alphabet, and their offsets."""
        alphabet = self.alphabet
        if not self.with_rare and self.length is None:
            return alphabet.encode(words)
        spelling = _spelled(words)
        by_position = self.length is not None
        if self.length is not None:
            _check_length(spelling.offsets, self.length)
            spelling = _by_position(spelling, self.length)
        table = np.array([self._code(alphabet, symbol, by_position) for symbol in spelling.symbols], dtype=np.int32)
        codes = table[spelling.codes] if len(table) else spelling.codes
        if (codes < 0).any():
            place = int(np.argmax(codes < 0))
            r = int(np.searchsorted(spelling.offsets, place, side="right")) - 1
            where = f"word {r}, position {place - spelling.offsets[r]}: "
            raise alphabet.unknown(spelling.symbols[spelling.codes[place]], where)
        return codes, spelling.offsets

    def in_symbols(self, words: list[Word]) -> list[list[Hashable]]:
        """Words in the symbols of the alphabet."""
        alphabet = self.alphabet
        codes, offsets = self.encode(words)
        symbols = [alphabet[code] for code in codes.tolist()]
        return [symbols[start:stop] for start, stop in pairwise(offsets.tolist())]

    def _code(self, alphabet: Alphabet, symbol: Hashable, by_position: bool) -> int:
        """Code of a symbol, of the rare one in its stead, or -1."""
        if symbol in alphabet:
            return alphabet.code(symbol)
        return alphabet.code(rare(symbol, by_position)) if self.with_rare else -1


def rare(symbol: Hashable, by_position: bool) -> Hashable:
    """What a rare symbol is read as; told apart by position, one for each position."""
    return (symbol[0], RARE) if by_position and isinstance(symbol, tuple) else RARE


def _is_rare(symbol: Hashable, by_position: bool) -> bool:
    return symbol == rare(symbol, by_position)


def _spelled(words: Sequence[Word]) -> Spelling:
    alphabet = Alphabet.of(words)
    return Spelling(alphabet, *alphabet.encode(words))


def _by_position(spelling: Spelling, length: int) -> Spelling:
    """Symbols become pairs of position and symbol."""
    positions = np.tile(np.arange(length), len(spelling.offsets) - 1)
    size = max(len(spelling.symbols), 1)
    pairs, codes = np.unique(positions * size + spelling.codes, return_inverse=True)
    symbols = tuple((pair // size, spelling.symbols[pair % size]) for pair in pairs.tolist())
    return Spelling(symbols, codes.astype(np.int32), spelling.offsets)


def _common_length(offsets: NDArray[np.int64]) -> int:
    """Length of all words; words of different lengths are refused."""
    lengths = np.diff(offsets)
    other = np.flatnonzero(lengths != lengths[0])
    if len(other):
        raise InvalidArgument(
            f"position=True needs words of one length; word 0 has {counted(int(lengths[0]), 'symbol')}, "
            f"word {other[0]} has {lengths[other[0]]}. Fill up the shorter ones with a symbol of their own, or leave "
            "position=False."
        )
    return int(lengths[0])


def _check_length(offsets: NDArray[np.int64], length: int) -> None:
    lengths = np.diff(offsets)
    other = np.flatnonzero(lengths != length)
    if len(other):
        raise InvalidArgument(
            f"with position=True words must have {counted(length, 'symbol')}, as in training; "
            f"word {other[0]} has {lengths[other[0]]}."
        )
