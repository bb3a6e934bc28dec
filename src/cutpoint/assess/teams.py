"""Teams: mixtures taken apart into their members, pruned, or imitated by a small acceptor."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cutpoint.assess.cross_validation import quietly_learned
from cutpoint.data import PlainWord, Sample, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.observations import AnySample, Engine, check_engine, check_evidence, impossible, log_likelihoods
from cutpoint.errors import InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, mixture
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.parts import check_threads, random_generator
from cutpoint.search.learn import PRIOR
from cutpoint.search.learned import Learned
from cutpoint.search.race import check_arguments, searched_part
from cutpoint.wording import counted, shown

BARRIERS = tuple(10.0**-k for k in range(1, 13))  # strength of what keeps weights positive while they are fitted
NEWTON_STEPS = 20
NO_WEIGHT = 1e-8  # members that get less are dropped


def members(team: Acceptor) -> tuple[tuple[Any, Acceptor], ...]:
    r"""Weights and members of a mixture: the inverse of :func:`mixture`.

    .. math:: P(a) = \mathrm{diag}(P_1(a), \dots, P_m(a)), \qquad \pi = (w_1 \pi_1, \dots, w_m \pi_m)

    States named ``(k, state)``, as :func:`mixture` names them, belong to member k and get back their own names. Of any
    other acceptor the members are the connected parts of the graph of its positive entries, and states keep their
    names. Parts that no run starts in are left out; an acceptor in one piece is its own only member, of weight 1.

    Returns
    -------
    Pairs ``(weight, acceptor)``; exact if the team is. Weights sum to 1. Cost :math:`O(l' l^2)`.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> team = cp.mixture([A, ~A], ["1/4", "3/4"])
    >>> [(str(weight), member == other) for (weight, member), other in zip(cp.assess.members(team), [A, ~A])]
    [('1/4', True), ('3/4', True)]
    """
    check_acceptor(team)
    linked = np.asarray((team.transitions > 0.0).any(axis=0))
    block, names = _named_blocks(team, linked) or (connected_components(linked, directed=False)[1], team.states)
    steps, start = (team.exact_transitions, team.exact_initial) if team.is_exact else (team.transitions, team.initial)
    found = []
    for k in dict.fromkeys(block.tolist()):
        own = np.flatnonzero(block == k)
        weight = start[own].sum()
        if weight > 0:
            rows = steps[:, own][:, :, own]
            part = type(team)([names[s] for s in own], team.alphabet, rows, start[own] / weight, team.final[own])
            found.append((weight if team.is_exact else float(weight), part))
    return tuple(found)


def _named_blocks(team: Acceptor, linked: NDArray[np.bool_]) -> tuple[NDArray[Any], tuple[Any, ...]] | None:
    """Member of each state and its name there, if the names are those of a mixture and no transition crosses."""
    if not all(isinstance(state, tuple) and len(state) == 2 and type(state[0]) is int for state in team.states):
        return None
    numbers, names = zip(*team.states, strict=True)
    block = np.array(numbers)
    in_turn = block[0] == 0 and np.isin(np.diff(block), (0, 1)).all()
    crossing = linked & (block[:, None] != block)
    return None if crossing.any() or not in_turn else (block, names)


@dataclass(frozen=True, repr=False)
class Pruned:
    """Result of :func:`prune`.

    Attributes
    ----------
    acceptor : the smaller team (a single acceptor, if one member is left).
    kept, weights : numbers of the members left, as :func:`members` counts them, and their new weights.
    loss_before, loss_after : log loss of the sample under the given team and the pruned one, in nats per observation.
    losses : log loss with m, m - 1, …, size members, weights fitted each time.
    """

    acceptor: Acceptor
    kept: tuple[int, ...]
    weights: tuple[float, ...]
    loss_before: float
    loss_after: float
    losses: tuple[float, ...]

    def __repr__(self) -> str:
        weights = ", ".join(f"{k}: {weight:.3g}" for k, weight in zip(self.kept, self.weights, strict=True))
        return (
            f"<Pruned: {counted(len(self.kept), 'member')} left of {len(self.kept) + len(self.losses) - 1} "
            f"(weights {weights}), log loss {self.loss_before:.4g} → {self.loss_after:.4g}\n  {self.acceptor!r}>"
        )


def prune(team: Acceptor, sample: AnySample, size: int, *, engine: Engine | None = None) -> Pruned:
    r"""Make a team smaller: drop the members of least use one by one, and fit the weights of the rest.

    .. math:: w = \arg\max_w \sum_r u_r \log \sum_k w_k\, p_{k,r}, \qquad w_k \ge 0, \quad \sum_k w_k = 1

    Parameters
    ----------
    team : a mixture, such as ``learn(sample, team=5).acceptor``.
    sample : observations to judge by; best are some that the members did not learn from.
    size : number of members to keep, at most. Members whose weight falls to 0 are dropped as well.

    Notes
    -----
    Members stay as they are; the log-likelihood is concave in the weights, and Newton steps inside of a barrier find
    its maximum. At each turn the member goes whose absence raises the log loss least, with the weights of the others
    fitted anew. Cost: one pass over the sample per member, then :math:`O(m^2)` fits of weights. An observation that is
    impossible under the whole team is refused; a member that alone explains one goes last, for an infinite loss.

    Examples
    --------
    >>> A, B = cp.p_adic(2), cp.gallery.parity()
    >>> sample = cp.simulate(A, cp.random_words("01", 200, (1, 6), rng=1), rng=2)
    >>> pruned = cp.assess.prune(cp.mixture([B, A, ~A]), sample, size=1)
    >>> pruned.kept, pruned.acceptor == A, pruned.loss_after < pruned.loss_before
    ((1,), True, True)
    """
    check_acceptor(team)
    check_arguments(sample, None, engine)
    check_evidence(sample)
    parts = members(team)
    whole_number("size", size, least=1, most=len(parts))
    sample = searched_part(sample, team.alphabet, engine)
    logs = np.stack([log_likelihoods(part, sample, engine=engine) for _, part in parts])
    weights = np.array([float(weight) for weight, _ in parts])
    rows = np.flatnonzero(np.isneginf(logs.max(axis=0))).tolist()
    if rows:
        raise impossible(sample, rows)
    shares = sample.counts / sample.total
    before = _loss(logs, shares, weights)
    kept = np.arange(len(parts))
    weights, loss = _fitted(logs, shares, weights)
    losses = [loss]
    while len(kept) > size:
        trials = [_fitted(logs[np.delete(kept, k)], shares, np.delete(weights, k)) for k in range(len(kept))]
        losses.append(min(loss for _, loss in trials))
        least = [loss for _, loss in trials].index(losses[-1])
        kept, weights = np.delete(kept, least), trials[least][0]
    kept, weights = kept[weights > 0.0], weights[weights > 0.0]
    chosen = [parts[k][1] for k in kept]
    smaller = chosen[0] if len(chosen) == 1 else mixture(chosen, weights.tolist())
    return Pruned(smaller, tuple(kept.tolist()), tuple(weights.tolist()), before, losses[-1], tuple(losses))


def _loss(logs: Floats, shares: Floats, weights: Floats) -> float:
    """Log loss of a mixture, from the log-probabilities under its members ``[k, r]``."""
    with np.errstate(divide="ignore"):
        return -float((shares * np.logaddexp.reduce(logs + np.log(weights)[:, None], axis=0)).sum())


def _fitted(logs: Floats, shares: Floats, weights: Floats) -> tuple[Floats, float]:
    """Weights of highest likelihood, and the log loss with them; if that is infinite, the weights as they were."""
    top = logs.max(axis=0)
    if np.isneginf(top).any():
        return weights / weights.sum() if weights.any() else np.full(len(weights), 1.0 / len(weights)), np.inf
    relative = np.exp(logs - top)
    fitted = np.full(len(logs), 1.0 / len(logs))
    for barrier in BARRIERS:
        for _ in range(NEWTON_STEPS):
            fitted, decrement = _newton_step(relative, shares, fitted, barrier)
            if decrement <= barrier:
                break
    fitted = np.where(fitted > NO_WEIGHT, fitted, 0.0)
    fitted /= fitted.sum()
    return fitted, _loss(logs, shares, fitted)


def _newton_step(relative: Floats, shares: Floats, weights: Floats, barrier: float) -> tuple[Floats, float]:
    r"""Step down :math:`\sum_k w_k - \sum_r u_r \log (w p)_r - \mu \sum_k \log w_k`, and what it promised to gain.

    Where the barrier vanishes the weights sum to 1 of themselves.
    """

    def value(at: Floats) -> float:
        return float(at.sum() - shares @ np.log(at @ relative) - barrier * np.log(at).sum())

    mean = weights @ relative
    slope = 1.0 - relative @ (shares / mean) - barrier / weights
    curve = (relative * (shares / mean**2)) @ relative.T + np.diag(barrier / weights**2)
    step = np.linalg.solve(curve, -slope)
    decrement = -float(slope @ step)
    length = min(1.0, 0.9 / max(float((-step / weights).max()), 1e-300))
    while length > 1e-12 and value(weights + length * step) > value(weights) - 1e-4 * length * decrement + 1e-15:
        length /= 2.0
    return weights + length * step, decrement


# -- Distilling --------------------------------------------------------------------------------------------------------

HELD_OUT = 0.2  # share of the words that judge the imitation
LEAST_EXTRA = 500  # fewest random words beside the given ones, by default
LEAST_WORDS = 10
FINISH_STEPS, FINISH_PRIOR = 300, 1e-4  # of the last climb: soft labels carry no noise, so little prior is needed


@dataclass(frozen=True, repr=False)
class Distilled:
    """Result of :func:`distill`, judged by words that were held out.

    Attributes
    ----------
    acceptor : the imitation.
    divergence : mean Kullback-Leibler divergence from the team's verdicts to the imitation's, in nats per word.
    difference, word : largest difference between the two acceptances, and the word where it occurs.
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
    engine: Engine | None = None,
) -> Distilled:
    r"""Imitate an acceptor, such as a team, by one with fewer states.

    .. math:: \mathrm{KL} = \frac1n \sum_x p_x \log\frac{p_x}{q_x} + (1 - p_x) \log\frac{1 - p_x}{1 - q_x}

    with :math:`p_x` the team's acceptance of a word and :math:`q_x` the imitation's.

    Parameters
    ----------
    words : words of the kind that matter, or a sample, of which only the words and their counts are used.
    extra : number of random words beside them, as long as the given ones and with symbols as frequent; by default as
        many as there are given, and at least 500.
    folds, threads, rng, engine : as of :func:`learn`.

    Returns
    -------
    A :class:`Distilled` with its stated loss on held-out words: a fifth of all different words, the rarest ones (drawn
    at random among equals), so that frequent words are always learned from.

    Notes
    -----
    Every word is learned from twice: accepted with weight :math:`p_x`, rejected with weight :math:`1 - p_x`, times its
    count; a random word counts as much as a given one does on average. Such soft labels say more than single verdicts.
    :func:`learn` searches, and a climb on all soft labels ends it. Cost: one search.

    Examples
    --------
    >>> A = cp.p_adic(2)
    >>> team = cp.mixture([A, A, A])
    >>> small = cp.assess.distill(team, 2, cp.random_words("01", 100, (1, 6), rng=1), extra=100, folds=2)
    >>> small.acceptor.n_states, small.divergence < 0.001, small.difference < 0.05
    (2, True, True)
    """
    check_acceptor(team)
    check_threads(threads)
    check_engine(engine)
    whole_number("n_states", n_states, least=1)
    draws = random_generator(rng)
    given = words.words if isinstance(words, Sample) else tuple(each_word(words))
    counts = words.counts if isinstance(words, Sample) else np.ones(len(given))
    encoded = team.alphabet.encode(given)
    extra = whole_number("extra", max(LEAST_EXTRA, len(given)) if extra is None else extra, least=0)
    pool = [team.alphabet.decode(encoded.word(r)) for r in range(len(encoded))]
    pool += _similar_words(team, encoded.symbols, encoded.lengths, extra, draws)
    distinct, weights = _merged(pool, np.concatenate((counts / counts.mean(), np.ones(len(pool) - len(counts)))))
    if len(distinct) < LEAST_WORDS:
        found = f"got {len(distinct)}. Give more words, or increase extra."
        raise InvalidArgument(f"distilling needs at least {LEAST_WORDS} different words; {found}")
    order = draws.permutation(len(distinct))
    order = order[np.argsort(weights[order], kind="stable")]
    n_held = round(HELD_OUT * len(distinct))
    held, taught = ([distinct[k] for k in part] for part in (order[:n_held], order[n_held:]))
    labels = _soft_labels(team, taught, weights[order[n_held:]])
    options: dict[str, Any] = {"threads": threads, "engine": engine}
    learned = quietly_learned(labels, n_states, prior=PRIOR, folds=folds, rng=draws, **options)
    options |= {"max_steps": FINISH_STEPS, "prior": FINISH_PRIOR, "learn_initial": True, "accelerate": True}
    fit = baum_welch(learned.acceptor, labels, **options)
    return Distilled(fit.acceptor, *_compared(team, fit.acceptor, held), len(held), learned)


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
    total = dict.fromkeys(words, 0.0)
    for word, weight in zip(words, weights.tolist(), strict=True):
        total[word] += weight
    return list(total), np.array(list(total.values()))


def _soft_labels(team: Acceptor, words: list[PlainWord], weights: Floats) -> Sample:
    """Every word accepted with its weight times its acceptance, and rejected with the rest of its weight."""
    counts = np.concatenate((weights * team.acceptances(words), weights * (~team).acceptances(words)))
    labels = [True] * len(words) + [False] * len(words)
    return Sample([*words, *words], accepted=labels, counts=counts, alphabet=team.alphabet)


def _compared(team: Acceptor, other: Acceptor, words: list[PlainWord]) -> tuple[float, float, PlainWord]:
    """Mean divergence, infinite where the other rules out what can happen; largest difference, and its word."""
    divergences = np.zeros(len(words))
    for own, its in ((team, other), (~team, ~other)):
        p, log_p, log_q = own.acceptances(words), own.log_acceptances(words), its.log_acceptances(words)
        some = p > 0.0
        divergences[some] += p[some] * (log_p[some] - log_q[some])
    apart = np.abs(team.acceptances(words) - other.acceptances(words))
    worst = int(np.argmax(apart))
    return float(np.maximum(divergences, 0.0).mean()), float(apart[worst]), words[worst]
