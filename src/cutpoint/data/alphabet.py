"""Alphabet: symbols and their codes 0 … l'-1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import chain, product
from typing import Any, Literal, Self, TypeGuard, get_args, overload

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import CutpointError, InvalidArgument, UnknownSymbol
from cutpoint.exact import check_choice
from cutpoint.kernels import kernels
from cutpoint.kernels.words import EncodedWords, offsets_of
from cutpoint.wording import listed, shown, suggestion

HASHABLE = "hashable, such as strings or numbers"
MOST_ITEMS = 2**40  # most items of a collection: more would not fit into memory
PLAIN = {int, str}  # types of which every value can be a name
MISSING = {"NAType", "NaTType"}  # types of missing values in data frames, by name, so that pandas need not be imported

OnUnknown = Literal["error", "skip", "rare"]
"""What becomes of a symbol that is not in an alphabet: it is refused, left out, or read as the rare symbol."""
RARE, RARE_CHARACTER = "<rare>", "\ufffd"  # the rare symbol; among single characters, Unicode's replacement character


class Names(tuple[Hashable, ...]):
    """Distinct hashable names in a fixed order; name number k has code k."""

    _codes: dict[Hashable, int]

    @classmethod
    def numbered(cls, names: Iterable[Any], noun: str, error: type[CutpointError]) -> Self:
        """Names with their codes; what cannot be a name or occurs twice is refused."""
        self = super().__new__(cls, names)
        checked = () if set(map(type, self)) <= PLAIN else self
        for name in checked:
            if not is_hashable(name):
                raise error(f"{noun} must be {HASHABLE}; got {shown(name)}.")
        for name in filter(is_missing, checked):
            meaning = "what was not seen" if name is None else "a missing value"
            raise error(f"{noun} must not be {name}, which stands for {meaning}.")
        self._codes = {name: code for code, name in enumerate(self)}
        if len(self._codes) < len(self):
            repeated = [name for name, times in Counter(self).items() if times > 1]
            raise error(f"{noun} must be distinct; repeated: {listed(repeated)}.")
        return self

    def __contains__(self, name: object) -> bool:
        return is_hashable(name) and name in self._codes

    def code(self, name: Any, where: str = "") -> int:
        """Number of a name; an unknown one is refused with a sentence that begins with where it was met."""
        if name not in self:
            raise self.unknown(name, where)
        return self._codes[name]

    def unknown(self, name: object, where: str) -> CutpointError:
        """Error for a name that is not among these."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


def is_collection(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value can be gone through to its end; an array without a shape, or a range of trillions, cannot."""
    if not isinstance(value, Iterable) or getattr(value, "shape", None) == ():
        return False
    try:
        return not isinstance(value, Sized) or len(value) <= MOST_ITEMS
    except TypeError:  # SciPy's sparse arrays have no length
        return False


def is_hashable(name: object) -> bool:
    """Whether a value can be a name; a tuple that holds a list, say, cannot."""
    try:
        hash(name)
    except TypeError:
        return False
    return True


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, what data frames have instead, and NaN, also inside of a tuple."""
    return value is None or type(value).__name__ in MISSING or _has_nan(value)


def _has_nan(value: object) -> bool:
    """Whether a value does not equal itself: NaN of any type of number or date, or a tuple that holds one."""
    if isinstance(value, tuple | frozenset):
        return any(map(_has_nan, value))
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):
        return False


class Tokens(Sequence[list[str]]):
    """Words in texts, split when they are looked at.

    A million lists would keep Python's garbage collector busier than all other work; a text costs it nothing.

    Parameters
    ----------
    texts : one per word, with a symbol before and after each separator; the empty text is the empty word.

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
        return offsets_of([text.count(separator) + 1 if text else 0 for text in self.texts])

    def _split(self, text: str) -> list[str]:
        return text.split(self.separator) if text else []


Symbol = Hashable
Word = Sequence[Hashable] | NDArray[Any]
"""A str (its symbols are characters) or a sequence of symbols; the empty word is ``""`` or ``()``."""
Words = Iterable[Word]
PlainWord = str | tuple[Hashable, ...]
"""A word as the package hands it back: a str where every symbol is one character, otherwise a tuple."""


class Alphabet(Names):
    """Distinct symbols in a fixed order; symbol number a has code a. A str gives its characters.

    Parameters
    ----------
    unknown : what becomes of other symbols in words: ``"error"`` refuses them, ``"skip"`` leaves them out, ``"rare"``
        reads them as the symbol :attr:`rare`, which the alphabet must have (:meth:`Sample.with_rare` makes it). It is
        kept as ``on_unknown``. Two alphabets of the same symbols are equal, whatever they do with others.

    Examples
    --------
    >>> sigma = Alphabet("ab")
    >>> sigma
    Alphabet('ab')
    >>> sigma.code("b"), "c" in sigma
    (1, False)
    >>> words = sigma.encode(["ab", "", "b"])
    >>> words.symbols.tolist(), words.offsets.tolist()
    ([0, 1, 1], [0, 2, 2, 3])
    >>> Alphabet("ab", unknown="skip").encode(["axb", "x"]).offsets.tolist()
    [0, 2, 2]
    """

    on_unknown: OnUnknown

    def __new__(cls, symbols: Iterable[Symbol], unknown: OnUnknown | None = None) -> Alphabet:
        """Check the symbols and number them; an alphabet is taken as it is unless ``unknown`` says otherwise."""
        if unknown is not None:
            check_choice("unknown", unknown, *get_args(OnUnknown))
        if isinstance(symbols, Alphabet) and unknown in (None, symbols.on_unknown):
            return symbols
        if not is_collection(symbols) or isinstance(symbols, set | frozenset):
            what = "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']"
            raise InvalidArgument(f"{what}; got {shown(symbols)}.")
        in_python = symbols.tolist() if isinstance(symbols, np.ndarray) else symbols
        self = cls.numbered(in_python, "symbols", InvalidArgument)
        self.on_unknown = "error" if unknown is None else unknown
        if self.on_unknown == "rare" and self.rare not in self:
            raise InvalidArgument(
                f"'rare' needs the symbol {self.rare!r} in the alphabet, which learning makes of rare symbols.",
                argument="unknown",
                advice="Learn from Sample.with_rare(). Or use {unknown='skip'}.",
            )
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self), self.on_unknown)

    @classmethod
    def of(cls, words: Words) -> Alphabet:
        """Symbols that occur in words: sorted where they can be, otherwise in order of appearance."""
        plain: list[Any] = [words.flat] if isinstance(words, Tokens) else list(each_word(words))
        if not set(map(type, plain)) <= {str, list, tuple}:
            plain = [_plain(word, r) for r, word in enumerate(plain)]
        try:
            seen = dict.fromkeys(chain.from_iterable(plain))
        except TypeError:
            r, i, symbol = first_misfit(plain, is_hashable)
            raise InvalidArgument(f"word {r}, position {i}: symbols must be {HASHABLE}; got {shown(symbol)}.") from None
        if any(symbol is not None and is_missing(symbol) for symbol in seen):
            r, i, symbol = first_misfit(plain, lambda symbol: symbol is None or not is_missing(symbol))
            what = f"word {r}, position {i}: a symbol must not be {symbol}, which stands for a missing value."
            raise InvalidArgument(what, advice="Leave the symbol out, or give it a name such as 'missing'.")
        try:
            return cls(sorted(seen))
        except TypeError:
            return cls(seen)

    def unknown(self, name: object, where: str) -> UnknownSymbol:
        """Error for a symbol that is not in the alphabet."""
        what = f"{where}symbol {shown(name)} is not in the alphabet {listed(self)}."
        return UnknownSymbol(what + suggestion(name, self))

    @property
    def rare(self) -> str:
        """The symbol that stands for rare and unknown ones: ``"<rare>"``, or one character where all symbols are."""
        return RARE_CHARACTER if self.is_text else RARE

    def read_as(self, symbol: Symbol, where: str = "") -> int | None:
        """Code that a symbol is read as: its own, that of the rare symbol, or None if it is left out."""
        if symbol in self or self.on_unknown == "error":
            return self.code(symbol, where)
        return self._codes[self.rare] if self.on_unknown == "rare" else None

    def encode_word(self, word: Word) -> NDArray[np.int32]:
        """Codes of the symbols of one word, without those that are skipped."""
        plain = _plain(word)
        try:
            return np.array([self._codes[symbol] for symbol in plain], dtype=np.int32)
        except (KeyError, TypeError):
            return self._encode_each([plain], "").symbols

    def as_read(self, word: Word) -> PlainWord:
        """The word whose symbols are read: unknown ones are left out or replaced by the rare one."""
        return self.decode(self.encode_word(word))

    def settled(self, codes: NDArray[np.int32], offsets: NDArray[np.int64]) -> EncodedWords:
        """Words in which unknown symbols, of code -1, are read as the rare one or left out."""
        known = codes >= 0
        if self.on_unknown == "rare":
            codes = np.where(known, codes, np.int32(self._codes[self.rare]))
        elif self.on_unknown == "skip":
            codes, offsets = codes[known], offsets_of(known)[offsets]
        return EncodedWords.without_marks(codes, offsets)

    def encode(self, words: Words) -> EncodedWords:
        """Codes of many words.

        Lists of str, lists of lists or tuples, 2-D arrays and Arrow list columns go through without a Python loop over
        the symbols.
        """
        if is_arrow(words):
            return self._encode_arrow(words)
        if isinstance(words, Tokens):
            if words.encoded is None or words.encoded[0] != self:
                quick = kernels().encode_lists([words.flat], self._codes)
                if quick is None and self.on_unknown == "error":
                    return self._encode_each(list(words))
                if quick is None:
                    codes = np.array([self._codes.get(symbol, -1) for symbol in words.flat], dtype=np.int32)
                    return self.settled(codes, words.offsets)
                words.encoded = self, quick[0]
            return EncodedWords.without_marks(words.encoded[1], words.offsets)
        if isinstance(words, np.ndarray) and words.ndim == 2:
            words = words.tolist()
        listed = words if type(words) is list else list(each_word(words))
        kind = type(listed[0]) if listed else None
        quick = None
        if kind is str:
            quick = kernels().encode_texts(listed, self._points)
        elif kind in (list, tuple):
            quick = kernels().encode_lists(listed, self._codes)
        return EncodedWords.without_marks(*quick) if quick is not None else self._encode_each(listed)

    def _encode_each(self, words: Sequence[Word], where: str = "word {}, ") -> EncodedWords:
        """Codes of words of any kind, symbol by symbol; says which symbol of which word is unknown."""
        plain = [_plain(word, r) for r, word in enumerate(words)]
        # A str where no symbol is a character is a slip, and its characters are not unknown symbols.
        misread = not len(self._points) and any(isinstance(word, str) for word in plain)
        strict = misread or self.on_unknown == "error"
        code = self._codes.__getitem__ if strict else lambda symbol: self._codes.get(symbol, -1)
        try:
            codes = np.array([code(symbol) for word in plain for symbol in word], dtype=np.int32)
        except (KeyError, TypeError):
            fits = self.__contains__ if strict else is_hashable
            r = first_misfit(plain, fits)[0]
            raise self._refused(plain[r], where.format(r), fits) from None
        return self.settled(codes, offsets_of([len(word) for word in plain]))

    def _encode_arrow(self, words: Any) -> EncodedWords:
        """Codes of an Arrow list column, through its dictionary of distinct symbols."""
        column = words.to_arrow() if hasattr(words, "to_arrow") else words
        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        try:
            symbols = column.flatten().dictionary_encode()
            lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        except (AttributeError, NotImplementedError, TypeError):
            kind = getattr(column, "type", type(column).__name__)
            raise InvalidArgument(f"expected an Arrow column of lists, one word per row; got {kind}.") from None
        if column.null_count or symbols.null_count:
            raise InvalidArgument("words must not be missing, nor symbols in them: the Arrow column has nulls.")
        known = symbols.dictionary.to_pylist()
        codes = np.array([self._codes[symbol] if symbol in self else -1 for symbol in known], dtype=np.int32)
        if self.on_unknown == "error" and (codes < 0).any():
            return self._encode_each(column.to_pylist())
        return self.settled(codes[symbols.indices.to_numpy()], offsets_of(lengths))

    @cached_property
    def _points(self) -> NDArray[np.int32]:
        """Code of every code point that is a symbol, -1 for the others."""
        points = {ord(s): code for s, code in self._codes.items() if isinstance(s, str) and len(s) == 1}
        table = np.full(max(points, default=-1) + 1, -1, dtype=np.int32)
        table[list(points)] = list(points.values())
        return table

    def decode(self, codes: Sequence[int] | NDArray[np.int32]) -> PlainWord:
        """Word of the given codes: a str where every symbol is one character, otherwise a tuple."""
        symbols = [self[code] for code in np.asarray(codes).tolist()]
        return "".join(map(str, symbols)) if self.is_text else tuple(symbols)

    @property
    def is_text(self) -> bool:
        """Whether every symbol is a single character, so that words can be strings."""
        return bool(self) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in self)

    def __repr__(self) -> str:
        symbols = "".join(map(str, self)) if self.is_text else list(self)
        rule = "" if self.on_unknown == "error" else f", unknown={self.on_unknown!r}"
        return f"Alphabet({symbols!r}{rule})"

    def _refused(self, word: Word, where: str, fits: Callable[[Any], bool]) -> UnknownSymbol:
        """Error for the first symbol of a word that does not fit."""
        _, position, symbol = first_misfit([word], fits)
        if isinstance(word, str) and not self.is_text:
            what = f"{where}position {position}: symbol {shown(symbol)} is not in the alphabet {listed(self)}."
            return UnknownSymbol(what, advice="A str is read character by character; pass a list of symbols instead.")
        return self.unknown(symbol, f"{where}position {position}: ")


def is_arrow(words: object) -> bool:
    """Whether words are a column of Arrow or polars."""
    return hasattr(words, "to_arrow") or type(words).__module__.startswith("pyarrow")


def each_word(words: Words) -> Words:
    """The words themselves, as Python has them, after a check for the usual slip of passing one str."""
    if is_arrow(words):
        column: Any = words
        return column.to_list() if hasattr(column, "to_list") else column.to_pylist()  # type: ignore[no-any-return]
    if isinstance(words, str | bytes | range) or not is_collection(words):
        raise InvalidArgument(f"expected a collection of words; got {shown(words)}. For a single word write [word].")
    return words


def first_misfit(words: Iterable[Iterable[Any]], fits: Callable[[Any], bool]) -> tuple[int, int, Any]:
    """First symbol that does not fit: number of its word, position, and the symbol itself."""
    return next((r, i, symbol) for r, word in enumerate(words) for i, symbol in enumerate(word) if not fits(symbol))


def short_words(alphabet: Alphabet, most: int) -> list[PlainWord]:
    """All words up to the greatest length that gives no more than a number of words; at least the empty one."""
    words: list[PlainWord] = []
    for length in range(most + 1):
        if words and len(words) + len(alphabet) ** length > most:
            break
        codes = product(range(len(alphabet)), repeat=length)
        words += [alphabet.decode(np.array(word, dtype=np.int32)) for word in codes]
    return words


def _plain(word: Word, number: int | None = None) -> Sequence[Hashable]:
    """A word as a str, list or tuple of Python symbols."""
    if isinstance(word, str | list | tuple):
        return word
    if hasattr(word, "as_py"):  # an Arrow scalar
        return _plain(word.as_py(), number)
    if isinstance(word, np.ndarray) and word.ndim == 1:
        return word.tolist()  # type: ignore[no-any-return]
    if isinstance(word, Sequence) and not isinstance(word, bytes | bytearray):
        return word
    where = "a word" if number is None else f"word {number}"
    raise InvalidArgument(f"{where} must be a str or a sequence of symbols; got {shown(word)}.")
