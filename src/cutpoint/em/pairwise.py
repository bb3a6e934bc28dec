"""Sums over shards: pairs, then pairs of pairs, in the order of the shards alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def pairwise_sum(values: Iterable[Any]) -> Any:
    """Sum of values by a tree that depends on their number alone, with few of them in memory at a time.

    Neighbors are added, then neighbors of these sums, and so on; one that is left over goes up as it is. So any run of
    2ᵏ values that begins at a multiple of 2ᵏ is a branch of the tree, and may be added elsewhere.

    Examples
    --------
    >>> pairwise_sum("abcdefg"), pairwise_sum([pairwise_sum("abcd"), pairwise_sum("efg")])
    ('abcdefg', 'abcdefg')
    """
    branches: list[tuple[int, Any]] = []
    for value in values:
        level, branch = 0, value
        while branches and branches[-1][0] == level:
            branch = branches.pop()[1] + branch
            level += 1
        branches.append((level, branch))
    if not branches:
        raise ValueError("a sum needs at least one value")
    _, total = branches.pop()
    while branches:
        total = branches.pop()[1] + total
    return total
