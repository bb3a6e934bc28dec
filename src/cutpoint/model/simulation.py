"""Data with a known truth: random words, and what would be seen of an acceptor's runs on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from cutpoint.data import Alphabet, PlainWord, Sample, Symbol, Words
from cutpoint.errors import InvalidArgument
from cutpoint.model.acceptor import Acceptor


def random_words(
    alphabet: Iterable[Symbol], count: int, lengths: int | tuple[int, int], rng: np.random.Generator | int
) -> list[PlainWord]:
    """Words of uniformly random symbols; ``lengths`` is one length, or (least, most) for uniformly random lengths.

    Examples
    --------
    >>> random_words("ab", 3, (0, 4), rng=1)
    ['ba', 'ab', 'baa']
    """
    sigma, draws = Alphabet(alphabet), np.random.default_rng(rng)
    least, most = (lengths, lengths) if isinstance(lengths, int) else lengths
    if not 0 <= least <= most:
        raise InvalidArgument(f"lengths must be a number or a pair 0 <= least <= most; got {lengths!r}.")
    if count < 0:
        raise InvalidArgument(f"count must not be negative; got {count}.")
    sizes = draws.integers(least, most, size=count, endpoint=True)
    return [sigma.decode(draws.integers(len(sigma), size=size).astype(np.int32)) for size in sizes]


def simulate(
    acceptor: Acceptor,
    words: Words,
    rng: np.random.Generator | int,
    seen: Literal["accepted", "verdicts", "states", "nothing"] = "accepted",
) -> Sample:
    """One random run on each word, and what is seen of it, as a :class:`Sample`.

    ``seen`` is "accepted" (the verdict on each word), "verdicts" (one after each prefix), "states" (complete data) or
    "nothing" (inputs alone).

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.simulate(cp.p_adic(2), ["01", "11", "1"] * 100, rng=0)
    Sample(300 observations, 6 distinct, alphabet '01', lengths 1 to 2: 177 accepted, 123 rejected)
    """
    if seen not in ("accepted", "verdicts", "states", "nothing"):
        raise InvalidArgument(f"seen must be 'accepted', 'verdicts', 'states' or 'nothing'; got {seen!r}.")
    draws, listed = np.random.default_rng(rng), list(words)
    runs = [acceptor.sample_path(word, draws) for word in listed]
    if seen == "nothing":
        return Sample(listed, alphabet=acceptor.alphabet)
    if seen == "states":
        return Sample(listed, states=runs, alphabet=acceptor.alphabet)
    final = dict(zip(acceptor.states, acceptor.final.tolist(), strict=True))
    if seen == "verdicts":
        return Sample(listed, verdicts=[[final[s] for s in run] for run in runs], alphabet=acceptor.alphabet)
    return Sample(listed, accepted=[final[run[-1]] for run in runs], alphabet=acceptor.alphabet)
