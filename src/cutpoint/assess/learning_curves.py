"""learning_curve: how the loss on observations never seen falls with the number of observations learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutpoint.assess.cross_validation import quietly_learned
from cutpoint.assess.evaluation import evaluate
from cutpoint.data import Sample
from cutpoint.em.fit_result import plot_axes
from cutpoint.em.observations import check_sample
from cutpoint.errors import InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.wording import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ROUNDING = 1e-12  # probabilities this near to 0 and 1 are taken to be 0 and 1


@dataclass(frozen=True, repr=False)
class LearningCurve:
    """Result of :func:`learning_curve`.

    Attributes
    ----------
    sizes : numbers of observations learned from.
    losses : test log loss after each, in nats per outcome.
    n_states : states of each model, of a team those of one member.
    optimum : lowest loss that there can be, where the true acceptor is known; otherwise None.
    """

    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    n_states: tuple[int, ...]
    optimum: float | None = None

    def enough(self, share: float = 0.1) -> int | None:
        """Number of observations from which on the loss is within a share of the optimum; None if it never is.

        Without an optimum, the lowest loss of the curve takes its place.
        """
        best = min(self.losses) if self.optimum is None else self.optimum
        near = [loss <= (1.0 + share) * best for loss in self.losses]
        first = next((k for k in range(len(near)) if all(near[k:])), None)
        return None if first is None else self.sizes[first]

    def plot(self, axes: Axes | None = None) -> Axes:
        """Loss against the number of observations, and the optimum as a line (extra ``[plot]``)."""
        axes = plot_axes(axes)
        axes.plot(self.sizes, self.losses, marker="o", markersize=4, label="learned")
        if self.optimum is not None:
            axes.axhline(self.optimum, ls="--", lw=1, color="gray", label="best possible")
            axes.legend()
        axes.set(xscale="log", xlabel="observations learned from", ylabel="test log loss (nats)")
        axes.grid(alpha=0.3)
        return axes

    def __repr__(self) -> str:
        points = ", ".join(f"{size:,}: {loss:.4f}" for size, loss in zip(self.sizes, self.losses, strict=True))
        best = "" if self.optimum is None else f"; best possible {self.optimum:.4f}"
        return f"<LearningCurve: {points}{best}>"


def learning_curve(
    sample: Sample,
    test: Sample,
    sizes: Sequence[int],
    *,
    n_states: int | None = None,
    truth: Acceptor | None = None,
    rng: np.random.Generator | int = 0,
    **options: Any,
) -> LearningCurve:
    """Learn from more and more of a sample and judge each time by the same test sample.

    Parameters
    ----------
    sample : where observations are drawn from without putting them back; the smaller draws are parts of the larger.
    test : observations to judge by, none of them learned from.
    sizes : numbers of observations, rising.
    n_states, rng, options : as of :func:`learn`; ``n_states=None`` chooses anew for each size.
    truth : the acceptor that made the outcomes, if it is known. Then losses are expected ones of the words of the test
        sample, without the noise of its outcomes, and the optimum is that of the true acceptor.

    Notes
    -----
    Cost: one search for each size. "Within 10 % of the best possible" is a statement about a number of observations:
    ``curve.enough(0.1)``.

    Examples
    --------
    >>> truth = cp.gallery.parity()
    >>> sample = cp.simulate(truth, cp.random_words("01", 300, (0, 6), rng=1), rng=2)
    >>> test = cp.simulate(truth, cp.random_words("01", 200, (0, 9), rng=3), rng=4)
    >>> curve = cp.assess.learning_curve(sample, test, [20, 300], n_states=2, truth=truth, folds=2)
    >>> curve.optimum, curve.sizes, curve.losses[1] < 0.02
    (0.0, (20, 300), True)
    """
    check_sample(sample)
    check_sample(test)
    numbers = [whole_number("sizes", size, least=2) for size in sizes]
    if not numbers or numbers != sorted(set(numbers)):
        raise InvalidArgument(f"must be numbers that rise; got {shown(list(sizes))}.", argument="sizes")
    owners = np.repeat(np.arange(len(sample)), np.floor(sample.counts).astype(np.int64))
    if numbers[-1] > len(owners):
        what = f"must be at most {len(owners)}, the number of observations; got {numbers[-1]}."
        raise InvalidArgument(what, argument="sizes")
    optimum = None
    if truth is not None:
        check_acceptor(truth)
        test = _expected_outcomes(truth, test)
        optimum = evaluate(truth, test).log_loss
    draws = random_generator(rng)
    order, losses, states = draws.permutation(owners), [], []
    for size in numbers:
        part = sample.reweighted(np.bincount(order[:size], minlength=len(sample)).astype(np.float64))
        fit = quietly_learned(part, n_states, rng=int(draws.integers(2**63)), **options)
        losses.append(evaluate(fit.acceptor, test).log_loss)
        states.append(fit.members[0].model.n_states)
    return LearningCurve(tuple(numbers), tuple(losses), tuple(states), optimum)


def _expected_outcomes(truth: Acceptor, test: Sample) -> Sample:
    """The words of a sample, accepted and rejected, each weighted by its probability."""
    p = np.clip(truth.acceptances(test), 0.0, 1.0)
    p = np.where(np.minimum(p, 1.0 - p) < ROUNDING, np.round(p), p)  # what is sure up to rounding is sure
    words, accepted = [*test.words, *test.words], [True] * len(p) + [False] * len(p)
    return Sample(
        words, accepted=accepted, counts=np.concatenate((p, 1.0 - p)) * np.tile(test.counts, 2), alphabet=test.alphabet
    )
