"""Baum-Welch, the paper's Alg. 2, with any evidence about the runs; and the loop that it shares with Alg. 1."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cutpoint.data import Sample
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.climb import Climb, EStep
from cutpoint.em.fit_result import Fit, Stop
from cutpoint.em.m_step import MStep, shares
from cutpoint.em.observations import (
    AnySample,
    Engine,
    Parameters,
    check_arguments,
    expected_counts,
    mark_masks,
    observations,
)
from cutpoint.errors import ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor, Generator
from cutpoint.model.generator import check_model
from cutpoint.wording import shown

TOLERANCE = 1e-6
MAX_STEPS = 1000


@dataclass(frozen=True)
class Progress:
    """Where a climb is: what a callback gets after each step.

    ``steps`` are the E-steps after the first; ``objective`` is the log-likelihood, plus the log-prior if there is one;
    ``gain`` is what the last EM step gained; ``seconds`` is the time since the call.
    """

    steps: int
    objective: float
    gain: float
    seconds: float


Callback = Callable[[Progress], object]


def baum_welch(
    model: Acceptor | Generator,
    sample: AnySample,
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

    A :class:`Generator` climbs by the same steps; it learns from words alone, too.

    Parameters
    ----------
    model : the start, an acceptor or a generator; its zero entries stay zero, its final states are kept.
    sample : words and what was seen of their runs: verdicts, states, both or neither, of any positions.
    tolerance : stop when a step raises the log-likelihood per observation by no more; the paper's :math:`\epsilon` is
        ``tolerance * sample.total``.
    max_steps : limit of the number of E-steps after the first (an accelerated step, two or three of them, is finished).
    prior : Dirichlet pseudo-counts added to the counts of the M-step: a number for every cell, or an array.
    learn_initial : whether to estimate the initial distribution too.
    threads : number of threads (default: all cores); the result does not depend on it.
    accelerate : take SQUAREM steps, which extrapolate two EM steps and are kept only where they gain: the same kind of
        maximum after far fewer E-steps. The history never decreases either way.
    fixed : entries that keep their value: an array of bool that fits ``transitions``, or a list of tuples
        ``(symbol,)``, ``(symbol, state)``, ``(symbol, state, next_state)``, with ``...`` for all; of a generator also
        ``(STOP, state)``.
    tied_states : groups of states that share their rows, for every symbol. Tied rows start from their mean.
    tied_symbols : groups of symbols that share their matrix; of a generator, up to how probable each symbol is.
    time_limit : limit in seconds; the step under way is finished.
    callback : called after each step with a :class:`Progress`; if it returns True, the climb stops.
    checkpoint : path of a file that holds the state after each step, written whole or not at all. If it exists, the
        climb goes on from there, bit for bit as if it had not been stopped; a file of another problem is refused.
    engine : who works on the sample: ``engines.Local()`` (the default for a sample in shards) or ``engines.Dask(...)``;
        all engines give the same bits.

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
    check_arguments(model, sample, threads, engine)
    check_callback(callback)
    limits = Limits(tolerance, max_steps, time_limit)
    if isinstance(sample, Sample):
        sample = sample.recoded(model.alphabet)  # here, so that its prefix tree is made once
    masks = mark_masks(model, sample)
    m_step = MStep.of(model, prior, learn_initial, fixed, tied_states, tied_symbols)  # Prop. 4.1 under constraints
    saved = None
    if checkpoint is not None:
        content = sample if isinstance(sample, Sample) else sample.digest()
        problem = model, content, accelerate, learn_initial, m_step.pseudo, m_step.constraints
        saved = Checkpoint(checkpoint, problem, Climb.expected(m_step))
    with observations(sample, model.alphabet, engine, threads) as data:  # in memory, streamed, or on a cluster
        e_step = partial(data.expected_counts, masks=masks)  # Prop. 4.2 with evidence
        return ascend(model, sample, e_step, m_step, limits, accelerate, callback, saved)


def baum_welch_step(
    model: Acceptor | Generator, sample: AnySample, learn_initial: bool = False, *, exact: bool = False
) -> Acceptor | Generator:
    r"""One step of Alg. 2: expected counts, and their shares in each row; a row that no run uses keeps its value.

    ``exact=True`` computes with fractions and gives an exact model; it needs one to start from, and a sample in memory.

    Examples
    --------
    >>> coin = cp.Acceptor(2, "f", [[["1/2", "1/2"], ["1/3", "2/3"]]], 0, {1})
    >>> sample = cp.Sample(["f", "ff"], accepted=[True, False])
    >>> cp.em.baum_welch_step(coin, sample, exact=True).exact_transitions[0].tolist()
    [[Fraction(6, 13), Fraction(7, 13)], [Fraction(1, 1), Fraction(0, 1)]]
    """
    check_model(model)
    if exact and not model.is_exact:
        raise InvalidArgument("an exact step needs a model with rational entries; use model.rationalized() first.")
    counts, current = expected_counts(model, sample, exact=exact), Parameters.of(model, exact)
    found = Parameters.packed(counts.transitions, counts.initial, counts.stop)
    initial = shares(found.initial, current.initial) if learn_initial else current.initial
    return model.replace(**Parameters(shares(found.rows, current.rows), initial).parts)


def ascend(
    model: Acceptor | Generator,
    sample: AnySample,
    e_step: EStep,
    m_step: MStep,
    limits: Limits,
    accelerate: bool = False,
    callback: Callback | None = None,
    checkpoint: Checkpoint | None = None,
) -> Fit:
    """Repeat E-step and M-step until a step gains no more than the tolerance: the loop of Alg. 1 and Alg. 2.

    A step that gains nothing (rounding, or no information) leaves the model as it was.
    """
    state = checkpoint.load() if checkpoint else None
    try:
        climb = Climb(e_step, m_step, accelerate, state)  # the first E-step
    except ImpossibleObservation as impossible:
        if checkpoint and state:
            raise checkpoint.refused("its parameters make an observation impossible.") from None
        return Fit(model, (-math.inf,), Stop.IMPOSSIBLE, -math.inf, str(impossible))
    if checkpoint and not math.isclose(climb.objective, climb.history[-1], rel_tol=1e-9, abs_tol=1e-9):
        raise checkpoint.refused("its parameters do not have the objective that its history ends with.")
    began, seconds, detail = time.monotonic(), 0.0, ""
    try:
        informative = sample.has_evidence or isinstance(model, Generator)  # words alone teach a generator
        while (stop := limits.reached(climb, sample.total, informative, seconds)) is None:
            try:
                climb.step()  # M-step, then the E-step at the new parameters; never down
            except ImpossibleObservation as impossible:
                stop, detail = Stop.IMPOSSIBLE, str(impossible)
                break
            if checkpoint:
                checkpoint.save(climb.state)
            progress = Progress(climb.e_steps, climb.objective, climb.gain, time.monotonic() - began)
            answer = callback(progress) if callback else None
            if isinstance(answer, bool | np.bool_) and answer:  # not just something that counts as true
                stop = Stop.INTERRUPTED
                break
            seconds = time.monotonic() - began
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    if not all(map(np.array_equal, climb.parameters, Parameters.of(model))):
        model = model.replace(**climb.parameters.parts)
    return Fit(model, tuple(climb.history), stop, climb.counts.log_likelihood, detail)


@dataclass(frozen=True)
class Limits:
    """When a climb ends; the tolerance is per observation."""

    tolerance: float = TOLERANCE
    max_steps: int = MAX_STEPS
    time_limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a limit."""
        if not (isinstance(self.tolerance, int | float) and 0.0 <= self.tolerance < math.inf):
            found = shown(self.tolerance)
            raise InvalidArgument(f"must be a finite number, 0 or more; got {found}.", argument="tolerance")
        whole_number("max_steps", self.max_steps, least=0)
        check_time_limit(self.time_limit)

    def reached(self, climb: Climb, total: float, informative: bool, seconds: float) -> Stop | None:
        """Why a climb stops here, or None if it goes on; ``seconds`` is its time so far, 0 before the first step."""
        if not climb.gain > self.tolerance * total:
            return Stop.CONVERGED if informative else Stop.NO_EVIDENCE
        if self.time_limit is not None and seconds >= self.time_limit:
            return Stop.TIME_LIMIT
        return Stop.STEP_LIMIT if climb.e_steps >= self.max_steps else None


def check_time_limit(seconds: float | None) -> None:
    """Refuse anything but a number of seconds."""
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0.0):
        raise InvalidArgument(f"must be a positive number of seconds; got {shown(seconds)}.", argument="time_limit")


def check_callback(callback: object) -> None:
    """Refuse anything that cannot be called."""
    if callback is not None and not callable(callback):
        raise InvalidArgument(f"callback must be a function of a Progress, or None; got {shown(callback)}.")
