"""Alphabet: symbols and their codes 0 … l'-1."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.names import Names, is_hashable, listed, shown, suggestion
from cutpoint.errors import InvalidArgument, UnknownSymbol

Symbol = Hashable
Word = Sequence[Hashable] | NDArray[Any]
"""A str (its symbols are characters) or a sequence of symbols; the empty word is ``""`` or ``()``."""
Words = Iterable[Word]
PlainWord = str | tuple[Hashable, ...]
"""A word as the package hands it back: a str where every symbol is one character, otherwise a tuple."""


class Alphabet(Names):
    """Distinct symbols in a fixed order; symbol number a has code a. A str gives its characters.

    Examples
    --------
    >>> sigma = Alphabet("ab")
    >>> sigma
    Alphabet('ab')
    >>> sigma.code("b"), "c" in sigma
    (1, False)
    >>> symbols, offsets = sigma.encode(["ab", "", "b"])
    >>> symbols.tolist(), offsets.tolist()
    ([0, 1, 1], [0, 2, 2, 3])
    """

    def __new__(cls, symbols: Iterable[Symbol]) -> Alphabet:
        """Check the symbols and number them."""
        if isinstance(symbols, Alphabet):
            return symbols
        if not isinstance(symbols, Iterable) or isinstance(symbols, set | frozenset):
            raise InvalidArgument(
                "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']; "
                f"got {shown(symbols)}{', which has none' if isinstance(symbols, Iterable) else ''}."
            )
        if isinstance(symbols, np.ndarray):
            symbols = symbols.tolist()
        self = cls.numbered(symbols)
        if self.unhashable:
            raise InvalidArgument(
                "symbols must be hashable, such as strings or numbers; "
                f"got {shown(self.unhashable[0])} in the alphabet."
            )
        if None in self:
            raise InvalidArgument("None cannot be a symbol: it stands for something that was not seen.")
        if self.repeated:
            raise InvalidArgument(f"symbols must be distinct; repeated in the alphabet: {listed(self.repeated)}.")
        return self

    @classmethod
    def of(cls, words: Words) -> Alphabet:
        """Symbols that occur in words: sorted where they can be, otherwise in order of appearance."""
        plain = [_plain(word, r) for r, word in enumerate(each_word(words))]
        try:
            seen = dict.fromkeys(symbol for word in plain for symbol in word)
        except TypeError:
            r, i, symbol = next(
                (r, i, symbol)
                for r, word in enumerate(plain)
                for i, symbol in enumerate(word)
                if not is_hashable(symbol)
            )
            raise InvalidArgument(
                f"word {r}, position {i}: symbols must be hashable, such as strings or numbers; got {shown(symbol)}."
            ) from None
        try:
            return cls(sorted(seen))  # type: ignore[type-var]
        except TypeError:
            return cls(seen)

    def unknown(self, name: object, where: str) -> UnknownSymbol:
        """Error for a symbol that is not in the alphabet."""
        return UnknownSymbol(
            f"{where}symbol {shown(name)} is not in the alphabet {listed(self)}.{suggestion(name, self)}"
        )

    def encode_word(self, word: Word) -> NDArray[np.int32]:
        """Codes of the symbols of one word."""
        plain = _plain(word)
        try:
            return np.array([self._codes[symbol] for symbol in plain], dtype=np.int32)
        except (KeyError, TypeError):
            raise self._refused(plain, "") from None

    def encode(self, words: Words) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Codes of many words, one after the other, and their ``len(words) + 1`` offsets."""
        plain = [_plain(word, r) for r, word in enumerate(each_word(words))]
        offsets = np.zeros(len(plain) + 1, dtype=np.int64)
        np.cumsum([len(word) for word in plain], out=offsets[1:])
        try:
            if plain and all(type(word) is str for word in plain):
                return self._encode_text("".join(plain)), offsets  # type: ignore[arg-type]
            codes = [self._codes[symbol] for word in plain for symbol in word]
        except (KeyError, TypeError):
            wrong = next(r for r, word in enumerate(plain) if any(symbol not in self for symbol in word))
            raise self._refused(plain[wrong], f"word {wrong}, ") from None
        return np.array(codes, dtype=np.int32), offsets

    def decode(self, codes: NDArray[np.int32]) -> PlainWord:
        """Word of the given codes: a str where every symbol is one character, otherwise a tuple."""
        symbols = [self[code] for code in np.asarray(codes).tolist()]
        if self.is_text:
            return "".join(map(str, symbols))
        return tuple(symbols)

    @property
    def is_text(self) -> bool:
        """Whether every symbol is a single character, so that words can be strings."""
        return bool(self) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in self)

    def __repr__(self) -> str:
        return f"Alphabet({''.join(self)!r})" if self.is_text else f"Alphabet({list(self)!r})"  # type: ignore[arg-type]

    def _encode_text(self, text: str) -> NDArray[np.int32]:
        """Codes of a long str, one lookup table for all of its characters."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        table = np.full(int(points.max(initial=0)) + 1, -1, dtype=np.int32)
        for symbol, code in self._codes.items():
            if isinstance(symbol, str) and len(symbol) == 1 and ord(symbol) < len(table):
                table[ord(symbol)] = code
        codes = table[points]
        if (codes < 0).any():
            raise KeyError
        return codes

    def _refused(self, word: Word, where: str) -> UnknownSymbol:
        """Error for the first symbol of a word that is not in the alphabet."""
        position, symbol = next((i, symbol) for i, symbol in enumerate(word) if symbol not in self)
        if isinstance(word, str) and not self.is_text:
            return UnknownSymbol(
                f"{where}position {position}: symbol {shown(symbol)} is not in the alphabet {listed(self)}. "
                "A str is read character by character; pass a list of symbols instead."
            )
        return self.unknown(symbol, f"{where}position {position}: ")


def each_word(words: Words) -> Words:
    """The words themselves, after a check for the usual slip of passing one str."""
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise InvalidArgument(f"expected a collection of words; got {shown(words)}. For a single word write [word].")
    return words


def _plain(word: Word, number: int | None = None) -> Sequence[Hashable]:
    """A word as a str, list or tuple of Python symbols."""
    if isinstance(word, str | list | tuple):
        return word
    if isinstance(word, np.ndarray) and word.ndim == 1:
        return word.tolist()  # type: ignore[no-any-return]
    if isinstance(word, Sequence) and not isinstance(word, bytes | bytearray):
        return word
    where = "a word" if number is None else f"word {number}"
    raise InvalidArgument(f"{where} must be a str or a sequence of symbols; got {shown(word)}.")
