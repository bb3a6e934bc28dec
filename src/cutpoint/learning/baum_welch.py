"""Baum-Welch, the paper's Alg. 2, with any evidence about the runs."""

from __future__ import annotations

from numpy.typing import ArrayLike

from cutpoint.data import Sample
from cutpoint.learning.ascent import MAX_STEPS, TOLERANCE, ascend
from cutpoint.learning.counts import Counts, expected_counts
from cutpoint.learning.fit import Fit
from cutpoint.model import Acceptor


def baum_welch(
    acceptor: Acceptor,
    sample: Sample,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    prior: ArrayLike = 0.0,
    learn_initial: bool = False,
    threads: int | None = None,
) -> Fit:
    r"""Climb from an acceptor to a nearby maximum of the likelihood of a sample: the paper's Alg. 2.

    Parameters
    ----------
    acceptor : the start; its zero entries stay zero, its final states are kept.
    sample : words and what was seen of their runs: verdicts, states, both or neither, of any positions.
    tolerance : stop when a step raises the log-likelihood per observation by no more; the paper's :math:`\epsilon` is
        ``tolerance * sample.total``.
    max_steps : most steps to take.
    prior : Dirichlet pseudo-counts added to the counts of the M-step: a number for every cell, or an array.
    learn_initial : whether to estimate the initial distribution too.
    threads : number of threads, all cores unless told; the result does not depend on it.

    Returns
    -------
    A :class:`Fit`; its history never decreases. A row whose counts are all 0 keeps its value.

    Notes
    -----
    Each step costs :math:`O(l^2)` per symbol. From inputs alone nothing can be learned: the steps run as printed in
    the paper, return the acceptor unchanged, and ``Fit.stop`` says so. An observation that is impossible under the
    start ends the fit at once and is named in ``Fit.detail``.

    Examples
    --------
    >>> import cutpoint as cp
    >>> words = cp.random_words("ab", 500, (0, 6), rng=1)
    >>> sample = cp.simulate(cp.gallery.majority(), words, rng=2)
    >>> fit = cp.baum_welch(cp.gallery.random_acceptor(3, "ab", rng=3), sample, learn_initial=True)
    >>> fit.stop.name, fit.log_likelihood > fit.history[0]
    ('CONVERGED', True)
    """

    def e_step(current: Acceptor, data: Sample) -> Counts:
        return expected_counts(current, data, threads)

    return ascend(acceptor, sample, e_step, tolerance, max_steps, prior, learn_initial)
