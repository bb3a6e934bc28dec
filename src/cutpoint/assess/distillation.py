"""distill: a small acceptor that imitates a large one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import PlainWord, Sample, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.fit import Stop
from cutpoint.em.observations import check_threads
from cutpoint.errors import InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.search.learn import PRIOR, learn
from cutpoint.search.learned import Learned
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]

HELD_OUT = 0.2
"""Share of the words that judge the imitation."""

LEAST_EXTRA = 500
"""Fewest random words beside the given ones, unless told."""

LEAST_WORDS = 10

FINISH_STEPS = 300
FINISH_PRIOR = 1e-4
"""Pseudo-counts of the last climb: soft labels carry no noise that a larger prior would have to hold against."""


@dataclass(frozen=True, repr=False)
class Distilled:
    """Result of :func:`distill`, judged by words that were held out.

    Attributes
    ----------
    acceptor : the imitation.
    divergence : mean Kullback-Leibler divergence from the team's verdicts to the imitation's, in nats per word.
    difference : largest difference between the two acceptances.
    word : the word where it occurs.
    n_words : number of held-out words.
    learned : the search that the imitation came from.
    """

    acceptor: Acceptor
    divergence: float
    difference: float
    word: PlainWord
    n_words: int
    learned: Learned

    def __repr__(self) -> str:
        return (
            f"<Distilled: divergence {self.divergence:.3g} nats, largest difference {self.difference:.3g} at "
            f"{shown(self.word)}, over {counted(self.n_words, 'held-out word')}\n  {self.acceptor!r}>"
        )


def distill(
    team: Acceptor,
    n_states: int,
    words: Words | Sample,
    *,
    extra: int | None = None,
    folds: int | None = None,
    threads: int | None = None,
    rng: np.random.Generator | int = 0,
) -> Distilled:
    r"""Imitate an acceptor, such as a team, by one with fewer states.

    .. math:: \mathrm{KL} = \frac1n \sum_x p_x \log\frac{p_x}{q_x} + (1 - p_x) \log\frac{1 - p_x}{1 - q_x}

    with :math:`p_x` the team's acceptance of a word and :math:`q_x` the imitation's.

    Parameters
    ----------
    team : the acceptor to imitate.
    n_states : number of states of the imitation.
    words : words of the kind that matter, or a sample, of which only the words and their counts are used.
    extra : number of random words beside them, as long as the given ones and with symbols as frequent; by default as
        many as there are given, and at least 500.
    folds, threads : as of :func:`learn`.
    rng : seed or generator; same seed, same result.

    Returns
    -------
    A :class:`Distilled` with its stated loss on held-out words: a fifth of all different words, the rarest ones (drawn
    at random among equals), so that frequent words are always learned from.

    Notes
    -----
    Every word is learned from twice: accepted with weight :math:`p_x`, rejected with weight :math:`1 - p_x`, times its
    count; a random word counts as much as a given one does on average. Soft labels say more than single verdicts, so
    fewer words are needed than to learn from observations. :func:`learn` searches, and a climb on all soft labels ends
    it. Cost: one search; scoring the team is cheap beside it.

    Examples
    --------
    >>> import cutpoint as cp
    >>> A = cp.p_adic(2)
    >>> team = cp.mixture([A, A, A])
    >>> small = cp.assess.distill(team, 2, cp.random_words("01", 100, (1, 6), rng=1), extra=100, folds=2)
    >>> small.acceptor.n_states, small.divergence < 0.001, small.difference < 0.05
    (2, True, True)
    """
    check_acceptor(team)
    check_threads(threads)
    whole_number("n_states", n_states, least=1)
    draws = random_generator(rng)
    given = words.words if isinstance(words, Sample) else tuple(each_word(words))
    counts = words.counts if isinstance(words, Sample) else np.ones(len(given))
    encoded = team.alphabet.encode(given)
    if extra is None:
        extra = max(LEAST_EXTRA, len(given))
    whole_number("extra", extra, least=0)
    pool = [team.alphabet.decode(encoded.word(r)) for r in range(len(encoded))]
    pool += _similar_words(team, encoded.symbols, encoded.lengths, extra, draws)
    distinct, weights = _merged(pool, np.concatenate((counts / counts.mean(), np.ones(len(pool) - len(counts)))))
    if len(distinct) < LEAST_WORDS:
        raise InvalidArgument(
            f"distilling needs at least {counted(LEAST_WORDS, 'different word')}; got {len(distinct)}. Give more "
            "words, or raise extra."
        )
    order = draws.permutation(len(distinct))
    order = order[np.argsort(weights[order], kind="stable")]
    n_held = round(HELD_OUT * len(distinct))
    held, taught = ([distinct[k] for k in part] for part in (order[:n_held], order[n_held:]))
    labels = _soft_labels(team, taught, weights[order[n_held:]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedStatesWarning)
        learned = learn(labels, n_states, prior=PRIOR, folds=folds, threads=threads, rng=draws)
    if learned.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    fit = baum_welch(
        learned.acceptor,
        labels,
        max_steps=FINISH_STEPS,
        prior=FINISH_PRIOR,
        learn_initial=True,
        threads=threads,
        accelerate=True,
    )
    divergence, difference, word = _compared(team, fit.acceptor, held)
    return Distilled(fit.acceptor, divergence, difference, word, len(held), learned)


def _similar_words(
    team: Acceptor, symbols: NDArray[np.int32], lengths: NDArray[np.int64], count: int, rng: np.random.Generator
) -> list[PlainWord]:
    """Random words with lengths drawn from some, and symbols as frequent as theirs (each seen once more)."""
    if not count or not len(lengths):
        return []
    frequency = np.bincount(symbols, minlength=team.n_symbols) + 1.0
    sizes = rng.choice(lengths, size=count)
    drawn = rng.choice(team.n_symbols, size=int(sizes.sum()), p=frequency / frequency.sum()).astype(np.int32)
    return [team.alphabet.decode(part) for part in np.split(drawn, np.cumsum(sizes)[:-1])]


def _merged(words: list[PlainWord], weights: Floats) -> tuple[list[PlainWord], Floats]:
    """Different words, and the sum of the weights of each."""
    total: dict[PlainWord, float] = {}
    for word, weight in zip(words, weights.tolist(), strict=True):
        total[word] = total.get(word, 0.0) + weight
    return list(total), np.array(list(total.values()))


def _soft_labels(team: Acceptor, words: list[PlainWord], weights: Floats) -> Sample:
    """Every word accepted with its weight times its acceptance, and rejected with the rest of its weight."""
    counts = np.concatenate((weights * team.acceptances(words), weights * (~team).acceptances(words)))
    labels = [True] * len(words) + [False] * len(words)
    return Sample([*words, *words], accepted=labels, counts=counts, alphabet=team.alphabet)


def _compared(team: Acceptor, other: Acceptor, words: list[PlainWord]) -> tuple[float, float, PlainWord]:
    """Mean divergence, largest difference of acceptances, and the word where it occurs."""
    apart = np.abs(team.acceptances(words) - other.acceptances(words))
    worst = int(np.argmax(apart))
    return float(_divergences(team, other, words).mean()), float(apart[worst]), words[worst]


def _divergences(team: Acceptor, other: Acceptor, words: list[PlainWord]) -> Floats:
    """Kullback-Leibler divergence of the verdicts on each word; infinite where the other rules out what can happen."""
    total = np.zeros(len(words))
    for own, its in ((team, other), (~team, ~other)):
        p, log_p, log_q = own.acceptances(words), own.log_acceptances(words), its.log_acceptances(words)
        some = p > 0.0
        total[some] += p[some] * (log_p[some] - log_q[some])
    return np.maximum(total, 0.0)
