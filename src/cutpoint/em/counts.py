"""Counts: the sufficient statistic of a sample, a value that can be added; and the order in which parts are added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from cutpoint.errors import InvalidArgument


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistic of a sample under a model: how often each parameter is expected to have been used.

    Counts of parts of a sample add up to the counts of the whole, in any split. ``transitions`` is the paper's v,
    ``[a, s, t]``; ``initial`` how many runs start in each state; ``log_likelihood`` that of the evidence; ``stop`` how
    many words end in each state, None for an acceptor. Arrays are of floats, or of ``Fraction`` where asked for.

    Examples
    --------
    >>> one = cp.expected_counts(cp.p_adic(2), cp.Sample(["011"], accepted=[True]))
    >>> two = cp.expected_counts(cp.p_adic(2), cp.Sample(["01"], accepted=[False]))
    >>> (one + two).transitions.sum(axis=(1, 2)), (one + two).initial  # two zeros and three ones were read
    (array([2., 3.]), array([2., 0.]))
    """

    transitions: NDArray[Any]
    initial: NDArray[Any]
    log_likelihood: float
    stop: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in (self.transitions, self.initial, self.stop):
            if array is not None:
                array.setflags(write=False)

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of two disjoint samples together."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self.transitions.shape != other.transitions.shape or (self.stop is None) != (other.stop is None):
            raise InvalidArgument(
                "counts can be added if they have the same kind of model, symbols and states; "
                f"got shapes {self.transitions.shape} and {other.transitions.shape}."
            )
        return Counts(
            self.transitions + other.transitions,
            self.initial + other.initial,
            self.log_likelihood + other.log_likelihood,
            None if self.stop is None or other.stop is None else self.stop + other.stop,
        )


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
