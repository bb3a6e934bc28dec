"""Tokens: words as texts in which separators stand between the symbols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray


class Tokens(Sequence[list[str]]):
    """Words in texts, split when they are looked at.

    A million lists would keep Python's garbage collector busier than all other work; a text costs it nothing.

    Parameters
    ----------
    texts : one per word; the empty text is the empty word. There is a symbol before and after each separator.

    Examples
    --------
    >>> words = Tokens(["look buy", "", "look"], " ")
    >>> words[0], list(words), words.flat, words.offsets.tolist()
    (['look', 'buy'], [['look', 'buy'], [], ['look']], ['look', 'buy', 'look'], [0, 2, 2, 3])
    """

    def __init__(self, texts: list[str], separator: str) -> None:
        self.texts = texts
        self.separator = separator
        self.encoded: tuple[Sequence[object], NDArray[np.int32]] | None = None
        """Codes of all symbols and their alphabet, once they were asked for."""

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, r: int) -> list[str]: ...
    @overload
    def __getitem__(self, r: slice) -> Tokens: ...
    def __getitem__(self, r: int | slice) -> list[str] | Tokens:
        return Tokens(self.texts[r], self.separator) if isinstance(r, slice) else self._split(self.texts[r])

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._split, self.texts)

    @cached_property
    def flat(self) -> list[str]:
        """Symbols of all words, one after the other."""
        joined = self.separator.join(filter(None, self.texts))
        return joined.split(self.separator) if joined else []

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each word begins among all symbols; the last entry is the end."""
        separator = self.separator
        lengths = [text.count(separator) + 1 if text else 0 for text in self.texts]
        return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)

    def _split(self, text: str) -> list[str]:
        return text.split(self.separator) if text else []
