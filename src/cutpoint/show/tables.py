"""Tables for a terminal."""

from cutpoint.data import Word
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.text import aligned, number


def forward_table(acceptor: Acceptor, word: Word, digits: int = 4) -> str:
    """Table M of a word as text: the symbol read, the distribution over states, the acceptance of the prefix.

    Exact acceptors have exact tables; a fraction too long to read is shown as a decimal.

    Examples
    --------
    >>> import cutpoint as cp
    >>> print(cp.forward_table(cp.p_adic(2), "011"))
    k  read  s1   s2   accepted
    0        1    0    0
    1  0     1    0    0
    2  1     1/2  1/2  1/2
    3  1     1/4  3/4  3/4
    """
    check_acceptor(acceptor)
    table = acceptor.forward(word, exact=acceptor.is_exact)
    header = ["k", "read", *map(str, acceptor.states), "accepted"]
    rows = [
        [str(k), read, *(number(p, digits) for p in row), number(row[acceptor.final].sum(), digits)]
        for k, (read, row) in enumerate(zip(["", *map(str, word)], table, strict=True))
    ]
    return "\n".join(line.rstrip() for line in aligned([header, *rows]))
