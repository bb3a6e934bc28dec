"""Expected counts (Prop. 4.2 with evidence) and the likelihood of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.errors import CutpointError, ImpossibleObservation, InvalidArgument
from cutpoint.exact import whole_number
from cutpoint.kernels import MOST_THREADS, kernels
from cutpoint.learning.evidence import evidence, log_likelihoods, shared_tree
from cutpoint.model import Acceptor

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistic of a sample under an acceptor: how often each parameter is expected to have been used.

    Counts of parts of a sample add up to the counts of the whole, in any split.

    Attributes
    ----------
    transitions : the paper's v, ``[a, s, t]``.
    initial : expected number of runs that start in each state.
    log_likelihood : log-likelihood of the evidence.
    """

    transitions: Floats
    initial: Floats
    log_likelihood: float

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self.transitions.setflags(write=False)
        self.initial.setflags(write=False)

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of two disjoint samples together."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self.transitions.shape != other.transitions.shape:
            raise InvalidArgument(
                "counts can be added if they have the same symbols and states; "
                f"got shapes {self.transitions.shape} and {other.transitions.shape}."
            )
        return Counts(
            self.transitions + other.transitions,
            self.initial + other.initial,
            self.log_likelihood + other.log_likelihood,
        )


def expected_counts(acceptor: Acceptor, sample: Sample, threads: int | None = None) -> Counts:
    r"""Expected counts of a sample: the E-step of Baum-Welch, Prop. 4.2 with evidence.

    .. math:: v_{t;a,s} = \sum_r \frac{u_r}{p_r} \sum_{i: x_i = a} \alpha_{i-1}[s]\,\theta_{t;a,s}\, e_i[t]\,\beta_i[t]

    The sum runs over the positions with :math:`x_i = a` only, as in the proof of the proposition. Without evidence
    this is the paper's v; with every state seen it is the count of complete data. ``threads`` is the number of threads
    (all cores unless told); results are the same bit for bit. An impossible observation is an error that names it.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["1", "1"], accepted=[True, False])
    >>> cp.expected_counts(cp.p_adic(2), sample).transitions[1]
    array([[1., 1.],
           [0., 0.]])
    """
    if threads is not None:
        whole_number("threads", threads, least=1, most=MOST_THREADS)
    arrays = evidence(acceptor, sample)
    transitions, initial, logs = kernels().expected_counts(
        acceptor.transitions,
        acceptor.initial,
        *arrays,
        sample.counts,
        tree=shared_tree(acceptor, sample),
        threads=threads,
    )
    if not np.isfinite(transitions).all():
        raise CutpointError("the expected counts are not finite: a defect of the kernels. Please report the case.")
    log_likelihood = float((sample.counts * logs).sum())
    if log_likelihood == -math.inf:
        impossible = np.flatnonzero(np.isneginf(logs)).tolist()
        raise ImpossibleObservation(impossible_sentence(sample, impossible))
    return Counts(transitions, initial, log_likelihood)


def log_likelihood(acceptor: Acceptor, sample: Sample, with_inputs: bool = False) -> float:
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
    >>> round(cp.likelihood(cp.p_adic(2), cp.Sample(["1", "01"], accepted=[True, True])), 12)
    0.25
    """
    return math.exp(log_likelihood(acceptor, sample, with_inputs))


def impossible_sentence(sample: Sample, rows: Sequence[int]) -> str:
    """Sentence that names observations of probability 0."""
    others = f" (so have {len(rows) - 1} more)" if len(rows) > 1 else ""
    return (
        f"Observation {sample.describe(rows[0])} has probability 0 under the acceptor{others}: no run agrees with it. "
        "Use positive entries in transitions and initial, or leave out what log_likelihoods(acceptor, sample) gives "
        "-inf."
    )
