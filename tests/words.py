"""All words up to a length with their values, in fractions: rows times matrices as plain lists."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import cutpoint as cp

Row = list[Fraction]


def listed(array: Any) -> Any:
    """Nested lists of fractions."""
    return [listed(part) for part in array] if hasattr(array, "__len__") else Fraction(array)


def valued_words(symbols: str, initial: Any, steps: Any, final: Any, longest: int) -> Iterator[tuple[str, Fraction]]:
    """Words by length and then in the order of the symbols, each with its value."""
    column: Row = listed(final)
    matrices: list[list[Row]] = listed(steps)
    level: list[tuple[str, Row]] = [("", listed(initial))]
    for _ in range(longest + 1):
        yield from ((word, dot(row, column)) for word, row in level)
        level = [
            (word + symbol, [dot(row, [line[t] for line in matrix]) for t in range(len(row))])
            for word, row in level
            for symbol, matrix in zip(symbols, matrices, strict=True)
        ]


def dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(left, right, strict=True)), start=Fraction(0))


def values(function: cp.Acceptor | cp.WeightedAutomaton, longest: int) -> dict[str, Fraction]:
    """Value of every word up to a length."""
    steps, start = function.exact_transitions, function.exact_initial
    final = function.final.astype(int).tolist() if isinstance(function, cp.Acceptor) else function.exact_final
    return dict(valued_words("".join(map(str, function.alphabet)), start, steps, final, longest))


def rank(rows: list[Row]) -> int:
    """Rank by elimination with fractions."""
    rows = [list(row) for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found
