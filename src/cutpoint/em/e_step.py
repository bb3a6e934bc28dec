"""The E-step of an acceptor on a sample (Prop. 4.2 with evidence), and the likelihood of a sample."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.counts import Counts
from cutpoint.em.engine import Engine, InMemory, Parameters
from cutpoint.em.evidence import check_sample, check_sample_or_shards, mark_masks
from cutpoint.em.local import Local
from cutpoint.em.sharded import Sharded, check_engine, placed
from cutpoint.em.shards import Shards
from cutpoint.exact import whole_number
from cutpoint.kernels import MOST_THREADS
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor


def expected_counts(
    acceptor: Acceptor, sample: Sample | Shards, threads: int | None = None, *, engine: Engine | None = None
) -> Counts:
    r"""Expected counts of a sample: the E-step of Baum-Welch, Prop. 4.2 with evidence.

    .. math:: v_{t;a,s} = \sum_r \frac{u_r}{p_r} \sum_{i: x_i = a} \alpha_{i-1}[s]\,\theta_{t;a,s}\, e_i[t]\,\beta_i[t]

    The sum runs over the positions with :math:`x_i = a` only, as in the proof of the proposition. Without evidence
    this is the paper's v; with every state seen it is the count of complete data. ``threads`` is the number of threads
    (all cores unless told); results are the same bit for bit. An impossible observation is an error that names it.
    A sample in shards is worked on by the ``engine``, by default the threads of this machine.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["1", "1"], accepted=[True, False])
    >>> cp.expected_counts(cp.p_adic(2), sample).transitions[1]
    array([[1., 1.],
           [0., 0.]])
    """
    with _placed(acceptor, sample, threads, engine) as where:
        return where.expected_counts(_parameters(acceptor), mark_masks(acceptor, sample))


def log_likelihoods(acceptor: Acceptor, sample: Sample) -> NDArray[np.float64]:
    """Log-probability of what was seen, for each distinct observation of a sample; -inf where it is impossible.

    Examples
    --------
    >>> import cutpoint as cp
    >>> cp.em.log_likelihoods(cp.p_adic(2), cp.Sample(["1", "0"], accepted=[True, True])).round(3)
    array([-0.693,   -inf])
    """
    check_sample(sample)
    with _placed(acceptor, sample) as where:
        assert isinstance(where, InMemory), "a sample without an engine is in memory"
        return where.log_likelihoods(_parameters(acceptor), mark_masks(acceptor, sample))


def log_likelihood(
    acceptor: Acceptor, sample: Sample | Shards, with_inputs: bool = False, *, engine: Engine | None = None
) -> float:
    r"""Log-likelihood :math:`\ell = \sum_r u_r \log p_r` of what was seen in a sample; -inf if impossible.

    :math:`p_r` is the probability of the evidence given the word, so inputs alone have 0. ``with_inputs`` adds the
    paper's constant :math:`-\sum_r u_r n_r \log l'`, the probability of the inputs themselves: then :math:`\ell` is
    the paper's :math:`\ell_X` for inputs alone and :math:`\ell_{X,S}` for complete data.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["1", "01"], accepted=[True, True])
    >>> round(cp.log_likelihood(cp.p_adic(2), sample), 6)  # log 1/2 + log 1/2
    -1.386294
    """
    if engine is not None or not isinstance(sample, Sample):
        with _placed(acceptor, sample, None, engine) as where:
            assert isinstance(where, Sharded), "shards, or a sample with an engine"
            return where.log_likelihood([(_parameters(acceptor), mark_masks(acceptor, sample))], with_inputs)
    logs = log_likelihoods(acceptor, sample)
    if np.isneginf(logs).any():
        return -math.inf
    inputs = -math.log(acceptor.n_symbols) * sample.lengths if with_inputs else 0.0
    return float((sample.counts * (logs + inputs)).sum())


def likelihood(acceptor: Acceptor, sample: Sample, with_inputs: bool = False) -> float:
    """Likelihood L = exp(ℓ) of a sample; 0 where it is impossible or below the range of floats.

    See :func:`log_likelihood`, which does not underflow.

    Examples
    --------
    >>> import cutpoint as cp
    >>> round(cp.em.likelihood(cp.p_adic(2), cp.Sample(["1", "01"], accepted=[True, True])), 12)
    0.25
    """
    return math.exp(log_likelihood(acceptor, sample, with_inputs))


def check_threads(threads: int | None) -> None:
    """Refuse what is not a number of threads."""
    if threads is not None:
        whole_number("threads", threads, least=1, most=MOST_THREADS)


def acceptances_by_shard(
    acceptor: Acceptor, sample: Shards, *, engine: Engine | None = None
) -> Iterator[tuple[Sample, NDArray[np.float64]]]:
    """Acceptances of the words of a sample in shards: for each shard its observations and one number for each.

    The observations come over the acceptor's alphabet and without what was seen along the way, shard by shard, so that
    no more than a few shards are in memory.

    Examples
    --------
    >>> import cutpoint as cp
    >>> shards = cp.ShardedSample.of(cp.Sample(["1", "0", "01"]), observations=2)
    >>> [values.tolist() for _, values in cp.em.acceptances_by_shard(cp.p_adic(2), shards)]
    [[0.0, 0.5], [0.5]]
    """
    check_sample_or_shards(sample)
    with _placed(acceptor, sample, None, engine or Local()) as where:
        assert isinstance(where, Sharded), "there is an engine"
        yield from where.acceptances(_parameters(acceptor), acceptor.final.astype(np.float64))


@contextmanager
def _placed(
    acceptor: Acceptor, sample: Sample | Shards, threads: int | None = None, engine: Engine | None = None
) -> Iterator[InMemory | Sharded]:
    """A sample where it is worked on, and let go afterwards."""
    check_acceptor(acceptor)
    check_sample_or_shards(sample)
    check_threads(threads)
    check_engine(engine)
    where = placed(sample, acceptor.alphabet, engine, threads)
    try:
        yield where
    finally:
        where.close()


def _parameters(acceptor: Acceptor) -> Parameters:
    return Parameters(acceptor.transitions, acceptor.initial)
