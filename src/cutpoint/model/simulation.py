"""Data with a known truth: random words, and what would be seen of an acceptor's runs on them."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, PlainWord, Sample, Symbol, Words
from cutpoint.data.alphabet import each_word
from cutpoint.errors import InvalidArgument
from cutpoint.exact import check_choice, whole_number
from cutpoint.model.acceptor import Acceptor, check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.wording import shown

MOST_SYMBOLS = 10**9  # most symbols that random words may have together


def random_words(
    alphabet: Iterable[Symbol], count: int, lengths: int | tuple[int, int], rng: np.random.Generator | int
) -> list[PlainWord]:
    """Words of uniformly random symbols; ``lengths`` is one length, or (least, most) for uniformly random lengths.

    Examples
    --------
    >>> random_words("ab", 3, (0, 4), rng=1)
    ['ba', 'ab', 'baa']
    """
    sigma, draws = Alphabet(alphabet), random_generator(rng)
    if not sigma:
        raise InvalidArgument("random words need at least one symbol; the alphabet is empty.")
    least, most = lengths if isinstance(lengths, tuple) and len(lengths) == 2 else (lengths, lengths)
    least, most = (whole_number("each of lengths", length, least=0, most=MOST_SYMBOLS) for length in (least, most))
    if least > most:
        raise InvalidArgument(f"lengths must be a number or a pair (least, most); got {shown(lengths)}.")
    whole_number("count", count, least=0, most=MOST_SYMBOLS // max(most, 1))
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
    >>> cp.simulate(cp.p_adic(2), ["01", "11", "1"] * 100, rng=0)
    Sample(300 observations, 6 distinct, alphabet '01', lengths 1 to 2: 177 accepted, 123 rejected)
    """
    views: dict[str, Callable[[NDArray[np.int64]], Any]] = {
        "accepted": lambda run: bool(acceptor.final[run[-1]]),
        "verdicts": lambda run: acceptor.final[run].tolist(),
        "states": lambda run: [acceptor.states[s] for s in run.tolist()],
    }
    check_choice("seen", seen, *views, "nothing")
    check_acceptor(acceptor)
    draws, listed = random_generator(rng), list(each_word(words))
    runs = acceptor._sample_runs(acceptor.encode(listed), draws)
    marks = {seen: [views[seen](run) for run in runs]} if seen in views else {}
    return Sample(listed, alphabet=acceptor.alphabet, **marks)
