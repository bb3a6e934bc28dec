"""Tables for a terminal, which a notebook shows in HTML."""

from __future__ import annotations

from collections.abc import Sequence

from cutpoint.data import Word, html
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.text import aligned, number
from cutpoint.wording import plain


class TextTable(str):
    """Text of a table, aligned for a terminal; ``cells`` has it row by row, the header first."""

    __slots__ = ("cells",)
    cells: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, cells: Sequence[Sequence[str]]) -> TextTable:
        """Table of rows of cells."""
        self = cls("\n".join(line.rstrip() for line in aligned(cells)))
        self.cells = tuple(tuple(row) for row in cells)
        return self

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html.table(self.cells)


def forward_table(acceptor: Acceptor, word: Word, digits: int = 4) -> TextTable:
    """Table M of a word: the symbol read, the distribution over states, the acceptance of the prefix.

    A ``str`` for a terminal, an HTML table in a notebook. Exact acceptors have exact tables; a fraction too long to
    read is shown as a decimal.

    Examples
    --------
    >>> cp.drawing.forward_table(cp.p_adic(2), "011")
    k  read  s1   s2   accepted if it ended here
    0        1    0    0
    1  0     1    0    0
    2  1     1/2  1/2  1/2
    3  1     1/4  3/4  3/4
    """
    check_acceptor(acceptor)
    word = acceptor.alphabet.as_read(word)
    table = acceptor.forward(word, exact=acceptor.is_exact)
    header = ["k", "read", *map(plain, acceptor.states), "accepted if it ended here"]
    rows = [
        [str(k), read, *(number(p, digits) for p in row), number(row[acceptor.final].sum(), digits)]
        for k, (read, row) in enumerate(zip(["", *map(plain, word)], table, strict=True))
    ]
    return TextTable.of([header, *rows])
