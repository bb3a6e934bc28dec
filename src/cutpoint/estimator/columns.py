"""What users of scikit-learn pass: words, labels and weights as lists, arrays or columns of a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data.alphabet import Word, each_word
from cutpoint.data.columns import is_missing
from cutpoint.data.names import counted, listed, shown
from cutpoint.errors import InvalidArgument


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
    """Weights, one per word; 1 unless told."""
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
