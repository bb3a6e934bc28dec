"""The EM algorithm with the explicit matrix U, the paper's Alg. 1: it enumerates all state paths."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Sample
from cutpoint.em.baum_welch import MAX_STEPS, TOLERANCE, Limits, ascend
from cutpoint.em.complete_data import digits
from cutpoint.em.counts import Counts
from cutpoint.em.fit_result import Fit
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import Parameters, check_sample, impossible, mark_masks
from cutpoint.errors import TooLarge
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.wording import counted

MOST_PATHS = 10**7  # limit of the entries of U


def expectation_maximization(
    acceptor: Acceptor,
    sample: Sample,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    prior: ArrayLike = 0.0,
    learn_initial: bool = False,
) -> Fit:
    """EM with the explicit matrix U: the paper's Alg. 1, for study and as a check of :func:`baum_welch`.

    Returns the same as :func:`baum_welch` with the same arguments, step by step, but visits all l^(n+1) paths of
    each word: a sample with more than ten million is refused. It takes no ``engine``, as no large sample gets so far.

    Examples
    --------
    >>> sample = cp.Sample(["01", "11", "10"], accepted=[True, True, False])
    >>> start = cp.gallery.random_acceptor(2, "01", rng=0)
    >>> one, two = (f(start, sample, max_steps=5) for f in (cp.expectation_maximization, cp.baum_welch))
    >>> bool(abs(one.acceptor.transitions - two.acceptor.transitions).max() < 1e-12)
    True
    """
    check_paths(acceptor, sample)
    acceptor, sample = acceptor.to_dense(), sample.recoded(acceptor.alphabet)

    def e_step(parameters: Parameters) -> Counts:
        return enumerated_counts(acceptor.replace(**parameters.parts), sample)

    m_step = MStep.of(acceptor, prior, learn_initial)
    return ascend(acceptor, sample, e_step, m_step, Limits(tolerance, max_steps))


def hidden_runs(acceptor: Acceptor, sample: Sample, exact: bool = False) -> tuple[NDArray[Any], ...]:
    r"""Matrix U of Alg. 1, one row per distinct observation: expected number of times each state path was taken.

    .. math:: u_{x,s} = u_x\, p_{X,S}(x, s) / p_X(x)

    over all paths that agree with the evidence. Paths are in lexicographic order, l^(n+1) for a word of length n.
    ``exact=True`` gives arrays of ``Fraction``.

    Examples
    --------
    >>> cp.em.hidden_runs(cp.p_adic(2), cp.Sample(["11"], accepted=[True], counts=[3]))  # paths 111, 112, …, 222
    (array([0., 1., 0., 2., 0., 0., 0., 0.]),)
    """
    check_paths(acceptor, sample)
    return tuple(run.row for run in _runs(acceptor, sample, exact))


def enumerated_counts(acceptor: Acceptor, sample: Sample) -> Counts:
    """E-step of Alg. 1: the matrix U, and from it the sufficient statistic v by counting along the paths."""
    transitions, initial, logs = np.zeros_like(acceptor.transitions), np.zeros_like(acceptor.initial), []
    for run in _runs(acceptor, sample):
        np.add.at(initial, run.paths[0], run.row)
        for symbol, (before, after) in zip(run.word, pairwise(run.paths), strict=True):
            np.add.at(transitions[symbol], (before, after), run.row)
        logs.append(run.log_likelihood)
    return Counts(transitions, initial, math.fsum(logs))


def check_paths(acceptor: Acceptor, sample: Sample) -> None:
    """Refuse a sample whose matrix U would not fit."""
    check_acceptor(acceptor)
    check_sample(sample)
    lengths = sample.lengths.tolist()
    size = sum(acceptor.n_states ** (length + 1) for length in lengths)
    if size > MOST_PATHS:
        raise TooLarge(
            f"the matrix U would have {counted(size, 'entry')} ({counted(acceptor.n_states, 'state')}, words of up to "
            f"{counted(max(lengths), 'symbol')}); the limit is {MOST_PATHS:,}. Use baum_welch, which does not need it."
        )


class _HiddenRun(NamedTuple):
    """All paths of a word, ``[i, path]``, with their row of U and the log-likelihood of what was seen."""

    word: NDArray[np.int32]
    paths: NDArray[np.int64]
    row: NDArray[Any]
    log_likelihood: float


def _runs(acceptor: Acceptor, sample: Sample, exact: bool = False) -> Iterator[_HiddenRun]:
    """Hidden run of each observation; in fractions the row of U is ``exact``, and the log-likelihood is left at 0."""
    sample, masks = sample.recoded(acceptor.alphabet), mark_masks(acceptor, sample)
    with np.errstate(divide="ignore"):
        log_initial, log_transitions = np.log(acceptor.initial), np.log(acceptor.transitions)
    for r, count in enumerate(sample.counts.tolist()):
        word = sample.decoded.word(r)
        (seen,) = sample.decoded.evidence(masks, np.array([r]))
        with np.errstate(divide="ignore"):
            log_seen = np.log(seen)
        n_paths = acceptor.n_states ** (len(word) + 1)
        paths = np.stack(digits(np.arange(n_paths), acceptor.n_states, len(word) + 1))
        if exact:
            weights = acceptor.exact_initial[paths[0]] * seen[np.arange(len(word) + 1)[:, None], paths].all(axis=0)
            for symbol, (before, after) in zip(word, pairwise(paths), strict=True):
                weights = weights * acceptor.exact_transitions[symbol][before, after]
            if not weights.any():
                raise impossible(sample, [r])
            yield _HiddenRun(word, paths, weights * (Fraction(count) / weights.sum()), 0.0)
            continue
        logs = log_initial[paths[0]] + log_seen[0][paths[0]]
        for i, symbol in enumerate(word):
            logs = logs + log_transitions[symbol][paths[i], paths[i + 1]] + log_seen[i + 1][paths[i + 1]]
        top = logs.max()
        if top == -math.inf:
            raise impossible(sample, [r])
        weights = np.exp(logs - top)
        # Without evidence the probability is 1 by definition, not up to rounding: then the likelihood is constant.
        log_probability = 0.0 if seen.all() else float(top + np.log(weights.sum()))
        yield _HiddenRun(word, paths, count * (weights / weights.sum()), count * log_probability)
