"""What an array must be before a kernel reads it: of one type, contiguous, of shapes that agree, codes within range.

Nothing is converted. The reference kernels check their arguments here; the compiled kernels check theirs in
``native/door.hpp``, in next to no time, and come here for the sentence when something does not hold.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.kernels.words import EncodedWords, FrontCodedWords
from cutpoint.wording import counted

ANY = -1  # a size that may be any
MOST_CODES = 2**31 - 2  # so that a code and 1 is a code
NARROW = "uint8, uint16, int32"

AnyWords = EncodedWords | FrontCodedWords


def array(name: str, value: Any, kinds: str, shape: Sequence[int], writable: bool = False) -> None:
    """Refuse what is not a contiguous, aligned array of one of these types and of this shape.

    Examples
    --------
    >>> array("symbols", np.array([0.5, 1.0]), "int32", [ANY])
    Traceback (most recent call last):
    cutpoint.errors.InvalidArgument: symbols must be a contiguous array of int32, shape (*); got float64, shape (2).
    """
    found = type(value).__name__
    if isinstance(value, np.ndarray):
        flags, agree = value.flags, len(shape) == value.ndim
        agree = agree and all(size in (ANY, there) for size, there in zip(shape, value.shape, strict=True))
        plain = flags.c_contiguous and flags.aligned and (flags.writeable or not writable)
        if agree and plain and value.dtype.isnative and value.dtype.name in kinds.split(", "):
            return
        found = f"{value.dtype.name}, shape {_shape(value.shape)}" + ", with gaps or read-only" * (agree and not plain)
    wanted = f"{'writable, ' * writable}contiguous array of {kinds}, shape {_shape(shape)}"
    raise InvalidArgument(f"must be a {wanted}; got {found}.", argument=name)


def _shape(sizes: Sequence[int]) -> str:
    return f"({', '.join('*' if size == ANY else str(size) for size in sizes)})"


def codes(name: str, value: Any, size: int, least: int = 0, count: int = ANY) -> None:
    """Refuse what is not an array of codes from ``least`` to ``size - 1``."""
    array(name, value, "int32", [count])
    wrong = np.flatnonzero((value < least) | (value >= size))
    if len(wrong):
        code_of(name, int(value[wrong[0]]), size, least)


def code_of(name: str, code: int, size: int, least: int = 0) -> NoReturn:
    """Refuse a code out of range."""
    bound = f"at least {least}" if code < least else f"at most {size - 1}"
    raise InvalidArgument(f"must be codes of {bound}; got {code}.", argument=name)


def alphabet(name: str, n_symbols: int) -> None:
    """Refuse more symbols than there are codes, before memory is taken for each of them."""
    if n_symbols > MOST_CODES:
        raise TooLarge(f"must be at most {MOST_CODES}, as codes are int32; got {n_symbols}.", argument=name)


def offsets(name: str, value: Any, n_symbols: int) -> None:
    """Refuse what does not say where words begin: from 0 to the number of symbols, never decreasing."""
    array(name, value, "int64", [ANY])
    if not (len(value) and value[0] == 0 and value[-1] == n_symbols and (value[:-1] <= value[1:]).all()):
        raise InvalidArgument(f"must begin with 0, never decrease and end with {n_symbols}.", argument=name)


def machine(transitions: Any, **columns: Any) -> None:
    """Refuse matrices ``[a, s, t]`` that are not square, and rows or columns ``[s]`` that do not fit them."""
    array("transitions", transitions, "float64", [ANY, ANY, ANY])
    n_states = transitions.shape[1]
    if not n_states:
        states("transitions")
    array("transitions", transitions, "float64", [ANY, n_states, n_states])
    for name, column in columns.items():
        if column is not None:
            array(name, column, "float64", [n_states])


def states(name: str) -> NoReturn:
    """Refuse a machine without states."""
    raise InvalidArgument("must have at least one state.", argument=name)


def reading(transitions: Any, word: Any, seen: Any = None, **columns: Any) -> None:
    """Refuse a machine, a word, and what was seen of its run ``[i, s]``, if they do not fit together."""
    machine(transitions, **columns)
    codes("symbols", word, len(transitions))
    if seen is not None:
        array("seen", seen, "bool", [len(word) + 1, transitions.shape[1]])


def words(value: AnyWords, n_symbols: int, n_masks: int | None = None) -> None:
    """Refuse words over more symbols, or with more marks, than there are; without ``n_masks`` marks do not matter."""
    if isinstance(value, FrontCodedWords):
        if not value.fits(n_symbols, MOST_CODES if n_masks is None else n_masks):
            front_coded("words")
    else:
        codes("symbols", value.symbols, n_symbols)
        offsets("offsets", value.offsets, len(value.symbols))
    if n_masks is None:
        return
    codes("ends", value.ends, n_masks, count=len(value.lengths))
    if isinstance(value, EncodedWords) and value.marks is not None:
        codes("marks", value.marks, n_masks, count=len(value.symbols) + len(value.lengths))


def evidence(transitions: Any, initial: Any, masks: Any, value: AnyWords, weights: Any, stop: Any) -> None:
    """Refuse the arguments of an E-step that do not fit together."""
    machine(transitions, initial=initial, stop=stop)
    array("masks", masks, "bool", [ANY, transitions.shape[1]])
    words(value, len(transitions), len(masks))
    if weights is not None:
        array("weights", weights, "float64", [len(value.lengths)])


def front_coded(name: str) -> NoReturn:
    """Refuse arrays that are not front-coded words."""
    raise InvalidArgument("must be front-coded as FrontCodedWords.of makes them, over these symbols.", argument=name)


def tree(name: str) -> NoReturn:
    """Refuse what is not the tree of the words."""
    raise InvalidArgument("must be the prefix tree of these words.", argument=name)


def apart(name: str) -> NoReturn:
    """Refuse an output in the memory of an input."""
    raise InvalidArgument("must not share memory with another argument.", argument=name)


def prefixes(name: str, most: int) -> NoReturn:
    """Refuse words with more prefixes than states can be numbered."""
    raise TooLarge(f"have more than {counted(most, 'distinct prefix')[:-1]}es; pass fewer words.", argument=name)


def compressed_rows(name: str, n_symbols: int, n_states: int, starts: Any, columns: Any) -> None:
    """Refuse rows of sparse matrices that are not in order, and columns that are no states, occur twice or decrease."""
    offsets("starts", starts, len(columns))
    wrong = np.flatnonzero((columns < 0) | (columns >= n_states))
    gaps = np.diff(columns.astype(np.int64))
    gaps[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(columns))] - 1] = 1  # from row to row anything goes
    entry = int(wrong[0]) if len(wrong) else int(np.argmax(gaps <= 0)) + 1 if (gaps <= 0).any() else None
    if entry is None:
        return
    row = int(np.searchsorted(starts, entry, side="right")) - 1
    where = f"row {row % n_states} of matrix {row // n_states}"
    column = int(columns[entry])
    if len(wrong):
        fault = f"must have columns from 0 to {n_states - 1}; got {column} in {where}."
    elif column == columns[entry - 1]:
        fault = f"must have one entry in each place; {where} has two in column {column}."
    else:
        fault = f"must have columns that increase in each row; in {where}, {column} follows {int(columns[entry - 1])}."
    raise InvalidArgument(fault, argument=name)


def pattern(name: str) -> NoReturn:
    """Refuse what is not a checked pattern of sparse matrices."""
    raise InvalidArgument("must be a pattern that sparse_pattern has checked.", argument=name)


def sparse_machine(matrices: Any, **columns: Any) -> None:
    """Refuse rows or columns ``[s]`` that do not fit sparse matrices, and numbers that are not floats."""
    array("values", matrices.values, "float64", [len(matrices.pattern.columns)])
    for name, column in columns.items():
        if column is not None:
            array(name, column, "float64", [matrices.pattern.n_states])
