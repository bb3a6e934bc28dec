"""Independent pieces of work on several threads; the order of the results is that of the pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cutpoint.kernels import cores

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def mapped(function: Callable[[Piece], Result], pieces: Iterable[Piece], threads: int | None) -> list[Result]:
    """Results of a function on each piece, in their order; by default on all cores. An error ends the rest."""
    with ThreadPoolExecutor(threads or cores()) as pool:
        try:
            return list(pool.map(function, pieces))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
