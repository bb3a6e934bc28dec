"""Lexicon: from the symbols of words, as users have them, to the codes of an acceptor."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Alphabet
from cutpoint.data.alphabet import Word, each_word
from cutpoint.data.column_names import is_missing
from cutpoint.errors import InvalidArgument
from cutpoint.kernels.words import EncodedWords
from cutpoint.wording import counted, listed, shown


def words_of(X: Any) -> list[Word]:
    """Words of ``X``, one per item: of a list, an array, a column, or a table with one column.

    Rows of a two-dimensional array with several columns are words of one length.

    Examples
    --------
    >>> words_of(np.array(["ab", ""])), words_of([["buy"], ["look", "quit"]])
    (['ab', ''], [['buy'], ['look', 'quit']])
    """
    if isinstance(X, str | bytes):
        raise InvalidArgument(
            f"X must hold one word per item; got a single {type(X).__name__}, {shown(X)}. For one word write [word]."
        )
    given = X if _is_rows(X) else _column("X", X)
    words: list[Word] = given.tolist() if isinstance(given, np.ndarray) else list(each_word(given))
    if not words:
        raise InvalidArgument("X must hold at least one word; got none.")
    return words


def labels_of(y: Any, n_words: int) -> NDArray[Any]:
    """Labels, one per word: all strings, all numbers or all bool.

    Examples
    --------
    >>> labels_of([True, False], 2)
    array([ True, False])
    """
    values = _values("y", y, n_words)
    for r, value in enumerate(values):
        if is_missing(value):
            raise InvalidArgument(f"y must hold a label for each word; got {shown(value)} for word {r}. Leave it out.")
        if not isinstance(value, str | bool | np.bool_ | int | float | np.integer | np.floating):
            raise InvalidArgument(f"labels must be strings, numbers or bool; got {shown(value)} for word {r}.")
    kinds = {isinstance(value, str) for value in values}
    if len(kinds) > 1:
        number, text = (next(v for v in values if isinstance(v, str) == kind) for kind in (False, True))
        raise InvalidArgument(f"labels must be of one kind; got both {shown(number)} and {shown(text)}.")
    return np.array(values)


def class_codes(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Number of the class of each label."""
    alike = (labels.dtype.kind == "U") == (classes.dtype.kind == "U")  # else numpy would compare 1 and "1" as texts
    known = np.isin(labels, classes) if alike else np.zeros(len(labels), dtype=np.bool_)
    if not known.all():
        r = int(np.argmin(known))
        raise InvalidArgument(
            f"y must hold labels of the classes {listed(classes.tolist())}; got {shown(labels[r].item())} for word {r}."
        )
    return np.searchsorted(classes, labels)


def weights_of(sample_weight: ArrayLike | None, n_words: int) -> NDArray[np.float64]:
    """Weights, one per word; by default 1."""
    if sample_weight is None:
        return np.ones(n_words)
    try:
        weights = np.asarray(_values("sample_weight", sample_weight, n_words), dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument(f"sample_weight must hold numbers, one per word; got {shown(sample_weight)}.") from None
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise InvalidArgument(
            f"sample_weight must be finite and not negative; got {weights[wrong[0]]:g} for word {wrong[0]}."
        )
    if not weights.any():
        raise InvalidArgument("sample_weight must be positive for at least one word; all weights are 0.")
    return weights


def _values(name: str, values: Any, n_words: int) -> list[Any]:
    """One value per word as a list."""
    column = _column(name, values)
    if isinstance(column, str | bytes) or not hasattr(column, "__iter__"):
        raise InvalidArgument(f"{name} must have one value per word; got {shown(values)}.")
    found = column.tolist() if isinstance(column, np.ndarray) else list(each_word(column))
    if len(found) != n_words:
        raise InvalidArgument(
            f"{name} must have one value per word; got {counted(len(found), 'value')} for {counted(n_words, 'word')}."
        )
    return found


def _column(name: str, values: Any) -> Any:
    """The one column of a table or of a two-dimensional array; what has no columns is returned as it is."""
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if len(shape) < 2:
        return values
    if len(shape) > 2 or shape[1] != 1:
        raise InvalidArgument(
            f"{name} must be one column, a value per word; got shape {shape}. Pass that column alone."
        )
    if isinstance(values, np.ndarray):
        return values[:, 0]
    for taken in ("to_series", "column"):  # polars, Arrow
        if hasattr(values, taken):
            return getattr(values, taken)(0)
    if hasattr(values, "iloc"):  # pandas
        return values.iloc[:, 0]
    raise InvalidArgument(f"{name} must be a list, an array or a column; got {type(values).__name__}.")


def _is_rows(X: Any) -> bool:
    """Whether X is an array whose rows are words: two-dimensional, and not a column of words."""
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return False
    return X.shape[1] != 1 or not (len(X) and isinstance(X[0, 0], str | list | tuple | np.ndarray))


RARE = "<rare>"  # symbol that stands for all that are rare or unknown


@dataclass(frozen=True)
class Lexicon:
    """Symbols that were learned, and what becomes of others.

    Attributes
    ----------
    learned : symbols that the words of training hold, the rare ones replaced.
    with_rare : whether symbols that were not learned are read as rare ones, or refused.
    length : length of all words if symbols are distinguished by position, otherwise None.
    """

    learned: Alphabet
    with_rare: bool
    length: int | None

    @classmethod
    def of(
        cls, words: list[Word], weights: NDArray[np.float64], least: float | None, by_position: bool
    ) -> tuple[Lexicon, list[list[Hashable]]]:
        """Lexicon of some words, and the words in its symbols; those of less than ``least`` in all are rare."""
        found = Alphabet.of(words)
        if not found:
            raise InvalidArgument("X must hold at least one word with a symbol; all words are empty.")
        length = len(words[0]) if by_position else None
        other = next((r for r, word in enumerate(words) if length is not None and len(word) != length), None)
        if other is not None:
            raise InvalidArgument(
                f"position=True needs words of one length; word 0 has {counted(len(words[0]), 'symbol')}, word {other} "
                f"has {len(words[other])}. Pad the shorter ones with a symbol of their own, or leave position=False."
            )
        spelt = [_spelt(word, by_position) for word in words]
        symbols: list[Any] = list(found)
        if by_position:
            symbols = sorted({pair for word in spelt for pair in word}, key=lambda pair: (pair[0], found.code(pair[1])))
        totals = dict.fromkeys(symbols, 0.0)
        for word, weight in zip(spelt, weights.tolist(), strict=True):
            for symbol in word:
                totals[symbol] += weight
        read_as = {
            symbol: symbol if least is None or totals[symbol] >= least else _rare(symbol, by_position)
            for symbol in symbols
        }
        distinct = dict.fromkeys(read_as.values())
        last = [symbol for symbol in distinct if least is not None and symbol == _rare(symbol, by_position)]
        alphabet = Alphabet([symbol for symbol in distinct if symbol not in last] + last)
        return cls(alphabet, least is not None, length), [[read_as[symbol] for symbol in word] for word in spelt]

    @cached_property
    def alphabet(self) -> Alphabet:
        """Symbols that were learned, and the rare one (by position: of each position) if it was not among them."""
        if not self.with_rare:
            return self.learned
        needed: list[Hashable] = [RARE] if self.length is None else [(i, RARE) for i in range(self.length)]
        return Alphabet([*self.learned, *(symbol for symbol in needed if symbol not in self.learned)])

    def encode(self, words: list[Word]) -> EncodedWords:
        """Codes of words in the alphabet."""
        if not self.with_rare and self.length is None:
            return self.alphabet.encode(words)
        Alphabet.of(words)  # refuses what cannot be a symbol
        other = next((r for r, word in enumerate(words) if self.length not in (None, len(word))), None)
        if other is not None:
            raise InvalidArgument(
                f"with position=True words must have {counted(self.length or 0, 'symbol')}, as in training; "
                f"word {other} has {len(words[other])}."
            )
        known, by_position = self.alphabet, self.length is not None
        return known.encode(
            [
                [s if s in known or not self.with_rare else _rare(s, by_position) for s in _spelt(word, by_position)]
                for word in words
            ]
        )

    def in_symbols(self, words: list[Word]) -> list[list[Hashable]]:
        """Words in the symbols of the alphabet."""
        encoded = self.encode(words)
        return [[self.alphabet[code] for code in encoded.word(r).tolist()] for r in range(len(encoded))]


def _spelt(word: Word, by_position: bool) -> list[Any]:
    """Symbols of a word, by position as pairs of position and symbol."""
    return list(enumerate(word)) if by_position else list(word)


def _rare(symbol: Any, by_position: bool) -> Hashable:
    """What a rare symbol is read as; one for each position if these are distinguished."""
    return (symbol[0], RARE) if by_position else RARE
