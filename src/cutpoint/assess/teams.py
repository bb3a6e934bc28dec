"""Teams: mixtures taken apart into their members, or pruned."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cutpoint.em.observations import AnySample, Engine, check_evidence, impossible, log_likelihoods
from cutpoint.exact import whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, mixture
from cutpoint.model.acceptor import check_acceptor
from cutpoint.search.race import check_arguments, searched_part
from cutpoint.wording import counted

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
