"""Lexicon: from the symbols of words, as users have them, to the codes of an acceptor."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Alphabet
from cutpoint.data.alphabet import OnUnknown, Word, each_word, is_missing
from cutpoint.data.columns import Column, symbols_of, warn_of_characters
from cutpoint.errors import InvalidArgument
from cutpoint.exact import floats
from cutpoint.kernels.words import EncodedWords
from cutpoint.wording import counted, listed, shown

NESTED = (str, list, tuple, np.ndarray)  # what can be a word inside of an array


def words_of(X: Any, separator: str | None = "") -> list[Word]:
    """Words of a list, an array (whose rows are words if it has several columns), a column, or a table with one column.

    The symbols of a text stand between separators; they are its characters if there is none, with a warning for None
    if that is probably not meant.

    >>> words_of(np.array(["ab", ""])), words_of([["buy"], ["look", "quit"]]), words_of(["look quit"], " ")
    (['ab', ''], [['buy'], ['look', 'quit']], [['look', 'quit']])
    """
    if isinstance(X, str | bytes):
        raise InvalidArgument(
            f"X must hold one word per item; got a single {type(X).__name__}, {shown(X)}. For one word write [word]."
        )
    one_word_a_row = isinstance(X, np.ndarray) and X.shape[1:] == (1,) and len(X) > 0 and isinstance(X[0, 0], NESTED)
    given = X if isinstance(X, np.ndarray) and X.ndim == 2 and not one_word_a_row else _column("X", X)
    if isinstance(given, np.ndarray) and given.dtype.kind in "fc":
        raise _measurements(f"of type {given.dtype}")
    words: list[Word] = given.tolist() if isinstance(given, np.ndarray) else list(each_word(given))
    if not words:
        raise InvalidArgument("X must hold at least one word; got none.")
    if separator is None:
        warn_of_characters(words)
    if not separator:
        return words
    column = Column(words, "X", lambda r: f"word {r}")
    return [symbols_of(column, r, each, separator) if isinstance(each, str) else each for r, each in enumerate(words)]


def _measurements(what: str) -> InvalidArgument:
    """Error for numbers that are measured, which are no symbols."""
    sentence = f"X must hold words, which consist of symbols; got measurements, {what}."
    return InvalidArgument(sentence, advice="Bin them, or convert them to integers if they are codes.")


def labels_of(y: Any, n_words: int) -> NDArray[Any]:
    """Labels, one per word: all strings, all numbers or all bool."""
    values = values_of("y", y, n_words)
    for r, value in enumerate(values):
        if is_missing(value):
            raise InvalidArgument(f"y must hold a label for each word; got {shown(value)} for word {r}. Leave it out.")
        if not isinstance(value, str | bool | np.bool_ | int | float | np.integer | np.floating):
            raise InvalidArgument(f"labels must be strings, numbers or bool; got {shown(value)} for word {r}.")
    examples = {isinstance(value, str): value for value in reversed(values)}
    if len(examples) > 1:
        raise InvalidArgument(
            f"labels must be of one kind; got both {shown(examples[False])} and {shown(examples[True])}."
        )
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
    values = values_of("sample_weight", sample_weight, n_words)
    weights = floats("sample_weight", values, "must hold numbers, one per word")
    for r in np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0))):
        raise InvalidArgument(f"sample_weight must be finite and not negative; got {weights[r]:g} for word {r}.")
    if not weights.any():
        raise InvalidArgument("sample_weight must be positive for at least one word; all weights are 0.")
    return weights


def values_of(name: str, values: Any, n_words: int) -> list[Any]:
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


@dataclass(frozen=True)
class Lexicon:
    """Symbols that were learned, and what becomes of others.

    Attributes
    ----------
    learned : symbols that the words of training hold, the rare ones replaced.
    unknown : what becomes of symbols that were not learned: ``"error"``, ``"skip"`` or ``"rare"``.
    rare : the rare symbol; where symbols are distinguished by position, the second part of one for each position.
    length : length of all words if symbols are distinguished by position, otherwise None.
    """

    learned: Alphabet
    unknown: OnUnknown
    rare: str
    length: int | None

    @classmethod
    def of(
        cls, words: list[Word], weights: NDArray[np.float64], unknown: OnUnknown, min_count: float, by_position: bool
    ) -> Self:
        """Lexicon of some words; with ``unknown="rare"``, symbols of less than ``min_count`` in all are rare."""
        found = Alphabet.of(words)
        if not found:
            raise InvalidArgument("X must hold at least one word with a symbol; all words are empty.")
        for symbol in found:
            if isinstance(symbol, float) and not symbol.is_integer():
                raise _measurements(f"such as {symbol}")
        totals: dict[Any, float] = {} if by_position else dict.fromkeys(found, 0.0)
        for word, weight in zip(words, weights.tolist(), strict=True):
            for symbol in _spelt(word, by_position):
                totals[symbol] = totals.get(symbol, 0.0) + weight
        ordered = sorted(totals, key=lambda pair: (pair[0], found.code(pair[1]))) if by_position else totals
        length = len(words[0]) if by_position else None
        draft, least = cls(found, unknown, found.rare, length), min_count if unknown == "rare" else 0.0
        read_as = (symbol if totals[symbol] >= least else draft.rare_for(symbol) for symbol in ordered)
        rare_last = sorted(dict.fromkeys(read_as), key=lambda s: unknown == "rare" and s == draft.rare_for(s))
        return replace(draft, learned=Alphabet(rare_last))

    @cached_property
    def alphabet(self) -> Alphabet:
        """Symbols that were learned, and the rare one (by position: of each position) if it was not among them."""
        if self.unknown != "rare":
            return Alphabet(self.learned, self.unknown)
        if self.length is None:
            return Alphabet(dict.fromkeys([*self.learned, self.rare]), "rare")
        return Alphabet(dict.fromkeys([*self.learned, *((i, self.rare) for i in range(self.length))]))

    def encode(self, words: list[Word]) -> EncodedWords:
        """Codes of words in the alphabet."""
        if self.length is None:
            return self.alphabet.encode(words)
        Alphabet.of(words)  # refuses what cannot be a symbol
        for r, word in enumerate(words):
            if self.length != len(word):
                raise InvalidArgument(
                    f"with position=True words must have {counted(self.length, 'symbol')}, as the first one in "
                    f"training; word {r} has {len(word)}. Pad shorter ones with a symbol of their own."
                )
        known = self.alphabet
        spelt = (_spelt(word, by_position=True) for word in words)
        if self.unknown == "rare":
            spelt = ([symbol if symbol in known else self.rare_for(symbol) for symbol in word] for word in spelt)
        return known.encode(list(spelt))

    def in_symbols(self, words: list[Word]) -> list[list[Hashable]]:
        """Words in the symbols of the alphabet."""
        encoded = self.encode(words)
        return [[self.alphabet[code] for code in encoded.word(r).tolist()] for r in range(len(encoded))]

    def rare_for(self, symbol: Any) -> Hashable:
        """What a rare symbol is read as; one for each position if these are distinguished."""
        return self.rare if self.length is None else (symbol[0], self.rare)


def _spelt(word: Word, by_position: bool) -> list[Any]:
    """Symbols of a word, by position as pairs of position and symbol."""
    return list(enumerate(word)) if by_position else list(word)
