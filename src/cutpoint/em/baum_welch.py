"""Baum-Welch, the paper's Alg. 2, with any evidence about the runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from cutpoint.data import Sample
from cutpoint.em.ascent import MAX_STEPS, TOLERANCE, Callback, Limits, ascend, check_callback
from cutpoint.em.e_step import check_threads
from cutpoint.em.engine import Engine
from cutpoint.em.evidence import check_sample_or_shards, mark_masks
from cutpoint.em.fit import Fit
from cutpoint.em.m_step import m_step
from cutpoint.em.sharded import check_engine, placed
from cutpoint.em.shards import Shards
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor


def baum_welch(
    acceptor: Acceptor,
    sample: Sample | Shards,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    prior: ArrayLike = 0.0,
    learn_initial: bool = False,
    threads: int | None = None,
    *,
    accelerate: bool = False,
    fixed: ArrayLike | Iterable[Sequence[Any]] | None = None,
    tied_states: Iterable[Iterable[Any]] = (),
    tied_symbols: Iterable[Iterable[Any]] = (),
    time_limit: float | None = None,
    callback: Callback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    engine: Engine | None = None,
) -> Fit:
    r"""Climb from an acceptor to a nearby maximum of the likelihood of a sample: the paper's Alg. 2.

    Parameters
    ----------
    acceptor : the start; its zero entries stay zero, its final states are kept.
    sample : words and what was seen of their runs: verdicts, states, both or neither, of any positions.
    tolerance : stop when a step raises the log-likelihood per observation by no more; the paper's :math:`\epsilon` is
        ``tolerance * sample.total``.
    max_steps : most E-steps to take after the first (an accelerated step, two or three of them, is finished).
    prior : Dirichlet pseudo-counts added to the counts of the M-step: a number for every cell, or an array.
    learn_initial : whether to estimate the initial distribution too.
    threads : number of threads, all cores unless told; the result does not depend on it.
    accelerate : take SQUAREM steps, which extrapolate two EM steps and are kept only where they gain: the same kind of
        maximum after far fewer E-steps. The history never decreases either way.
    fixed : entries that keep their value: an array of bool that fits ``transitions``, or a list of tuples
        ``(symbol,)``, ``(symbol, state)``, ``(symbol, state, next_state)``, with ``...`` for all.
    tied_states : groups of states that share their rows, for every symbol. Tied rows start from their mean.
    tied_symbols : groups of symbols that share their matrix.
    time_limit : most seconds to take; the step under way is finished.
    callback : called after each step with a :class:`Progress`; if it returns True, the climb stops.
    checkpoint : path of a file that holds the state after each step, written whole or not at all. If it exists, the
        climb goes on from there, bit for bit as if it had not been stopped; a file of another problem is refused.
    engine : who works on a sample in shards: ``engines.Local()`` (the default) or ``engines.Dask(...)``; all engines
        give the same bits.

    Returns
    -------
    A :class:`Fit`; its history never decreases. A row whose counts are all 0 keeps its value.

    Notes
    -----
    Each step costs :math:`O(l^2)` per symbol. From inputs alone nothing can be learned: the steps run as printed in
    the paper, return the acceptor unchanged, and ``Fit.stop`` says so. An observation that is impossible under the
    start ends the fit at once and is named in ``Fit.detail``. Ctrl-C returns the best so far.

    Examples
    --------
    >>> import cutpoint as cp
    >>> words = cp.random_words("ab", 500, (0, 6), rng=1)
    >>> sample = cp.simulate(cp.gallery.majority(), words, rng=2)
    >>> start = cp.gallery.random_acceptor(3, "ab", rng=3)
    >>> fit = cp.baum_welch(start, sample, learn_initial=True)
    >>> fit.stop.name, fit.log_likelihood > fit.history[0]
    ('CONVERGED', True)
    >>> faster = cp.baum_welch(start, sample, learn_initial=True, accelerate=True)
    >>> faster.steps < fit.steps, faster.log_likelihood > fit.log_likelihood - 1
    (True, True)
    """
    check_acceptor(acceptor)
    check_sample_or_shards(sample)
    check_threads(threads)
    check_callback(callback)
    check_engine(engine)
    limits = Limits(tolerance, max_steps, time_limit)
    if isinstance(sample, Sample):
        sample = sample.recoded(acceptor.alphabet)  # once, so that its prefix tree serves every step
    masks = mark_masks(acceptor, sample)
    step = m_step(acceptor, prior, learn_initial, fixed, tied_states, tied_symbols)
    saved = None
    if checkpoint is not None:
        from cutpoint.em.checkpoint import Checkpoint, digest  # noqa: PLC0415 - loads what files need

        options = accelerate, learn_initial, *step.pseudo, *step.bindings
        saved = Checkpoint(checkpoint, digest(sample, *step.start, masks, *options))
    where = placed(sample, acceptor.alphabet, engine, threads)
    try:
        e_step = partial(where.expected_counts, masks=masks)
        return ascend(acceptor, sample, e_step, step, limits, accelerate, callback, saved)
    finally:
        where.close()
