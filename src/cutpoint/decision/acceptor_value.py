"""The value of an acceptor: the least upper bound of its acceptances over all words, between two bounds."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from operator import itemgetter

from cutpoint.data import PlainWord
from cutpoint.decision.word_search import BestFirst, QueueEntry, promising_words, searches_from_both_ends
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.text import number
from cutpoint.wording import shown

LONGEST_TRIED = 100  # length of the words that are tried by default
NARROW = 1e-6  # bounds nearer than this are shown as one number and their distance
MOST_LOOKED_AT = 5000  # prefixes and suffixes that are looked at by default


@dataclass(frozen=True, repr=False)
class Bounds:
    r"""Bounds of the value :math:`\sup_x \pi P(x) f`: ``lower`` is the acceptance of ``word``, none is above ``upper``.

    Fractions if the acceptor is exact, otherwise floats: rounded away from each other unless the bounds are equal.
    """

    lower: Fraction | float
    word: PlainWord
    upper: Fraction | float

    @property
    def gap(self) -> Fraction | float:
        """What is not known: the difference of the bounds; 0 if the word is accepted most of all."""
        return self.upper - self.lower

    def __repr__(self) -> str:
        if self.gap == 0:
            return f"<Bounds: the value is {number(self.upper)}, reached by {shown(self.word)}>"
        low, high = number(self.lower, 6), number(self.upper, 6)
        if float(self.gap) < NARROW:  # both would be shown as one number, which no word need have
            found = f"best word found: {shown(self.word)}"
            return f"<Bounds: the value is {high}, or less by at most {float(self.gap):.2g}; {found}>"
        return f"<Bounds: the value is from {low}, the acceptance of {shown(self.word)}, to {high}>"


def value(acceptor: Acceptor, max_length: int | None = None, limit: int = MOST_LOOKED_AT) -> Bounds:
    r"""Bounds of the value :math:`\sup_x \pi P(x) f` of an acceptor, which hold for words of any length.

    *From below*: the acceptance of the best word found. *From above*: whoever sees the state before each symbol does
    at least as well as a word, and the value h of this decision process is known exactly. That is sharpened by looking
    ahead: every word begins with one of the prefixes y in a queue, and then is accepted with at most
    :math:`\pi P(y) h`; and it ends in one of the suffixes z in another, and then is accepted with at most the largest
    entry of :math:`P(z) f`. The most promising are continued; suffixes that another one dominates are dropped. If the
    bounds do not meet, some hundred suffixes of each length are kept for a better word.

    Parameters
    ----------
    max_length : length of the longest words that are tried; default 100.
    limit : prefixes and suffixes that are looked at, at most.

    Returns
    -------
    :class:`Bounds`. Equal bounds are a proof that ``word`` is accepted most of all. For an exact acceptor they are
    fractions, and no arithmetic is rounded. Rows of floats are rescaled to sum to exactly 1.

    Notes
    -----
    No program computes the value of every acceptor, or whether it is 1 (Gimbert and Oualhadj 2010): the bounds may
    stay apart, whatever the limit. Each prefix or suffix costs :math:`O(l' l^2)`, and comparison with those kept.

    Examples
    --------
    >>> cp.value(cp.gallery.gambler(4, win="2/5")).upper  # 4/13 is never reached
    Fraction(4, 13)
    >>> cp.value(cp.Acceptor(2, "ab", {"a": [["1/3", "2/3"], [1, 0]], "b": [[1, 0], ["1/2", "1/2"]]}, 0, {1}))
    <Bounds: the value is 2/3, reached by 'a'>
    """
    check_acceptor(acceptor)
    longest = LONGEST_TRIED if max_length is None else whole_number("max_length", max_length, least=0, most=10_000)
    steps = min(whole_number("limit", limit, least=1), sys.maxsize)
    exact = acceptor.rationalized(max_denominator=None)
    searches = searches_from_both_ends(exact, longest, copies=1, least=0.0, endless=True)
    best, upper = _followed(searches, steps)
    lower, codes = best.bound, best.codes
    if lower < upper:
        _, promising = max(islice(promising_words(exact, longest), steps), key=itemgetter(0))
        if (acceptance := exact.integers.value(promising)) > lower:
            lower, codes = acceptance, promising
    word = acceptor.alphabet.decode(codes)
    if acceptor.is_exact:
        return Bounds(lower, word, upper)
    if lower == upper:
        return Bounds(float(upper), word, float(upper))
    return Bounds(rounded(lower, -math.inf), word, rounded(upper, math.inf))


def _followed(searches: list[BestFirst], steps: int) -> tuple[QueueEntry, Fraction]:
    """The best word and an upper bound, after so many steps of searches in turn, or when nothing is left to find.

    The first word that leaves a queue surpasses whatever is left in it.
    """
    going, last = {search: iter(search) for search in searches}, {}
    for search in islice(cycle(searches), steps):
        if search in going:
            last[search] = next(going[search])
            if last[search].part is None:
                del going[search]
                if search.ceiling is None:
                    break
        elif not going:
            break
    found = [search.best for search in last if search.best is not None]
    uppers = (entry.bound if search.ceiling is None else search.ceiling for search, entry in last.items())
    return min(found), min(uppers)


def rounded(value: Fraction, direction: float) -> float:
    """The float nearest to a number from 0 to 1, on the side of the direction."""
    near = float(value)
    wrong = near > value if direction < 0 else near < value
    return math.nextafter(near, direction) if wrong else near
