"""Complete data: every state of every run was seen (section 4, up to Prop. 4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import Sample, State
from cutpoint.data.sample import LARGEST_TOTAL
from cutpoint.em.observations import Floats, check_sample
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.exact import entry
from cutpoint.model.parts import ROW_TOLERANCE, States
from cutpoint.wording import shown


def count_transitions(sample: Sample, states: int | Iterable[State]) -> Floats:
    """Counts v of complete data: how often each transition was made, ``[a, s, t]``.

    Parameters
    ----------
    sample : every observation must have all n + 1 states seen.
    states : the states, in the order of the result's axes.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.Sample(["00", "01"], states=["aab", "abb"])
    >>> cp.count_transitions(sample, "ab")
    array([[[1., 2.],
            [0., 0.]],
    <BLANKLINE>
           [[0., 0.],
            [0., 1.]]])
    """
    check_sample(sample)
    names = States(states)
    counts = np.zeros((len(sample.alphabet), len(names), len(names)))
    runs = [complete_run(sample, r, names) for r in range(len(sample))]
    for r, run in enumerate(runs):
        word = sample.decoded.word(r)
        np.add.at(counts, (word, run[:-1], run[1:]), sample.counts[r])
    return counts


def complete_run(sample: Sample, r: int, states: States) -> NDArray[np.int64]:
    """Codes of the states of observation r, all of which must have been seen."""
    seen = [mark.states for mark in sample.marks_of(r) if mark.states is not None and len(mark.states) == 1]
    if len(seen) != sample.lengths[r] + 1:
        raise InvalidSample(
            f"complete data needs a state at all {sample.lengths[r] + 1} positions; observation {sample.describe(r)} "
            f"has {len(seen)}. Use baum_welch for runs that were seen in part."
        )
    where = f"observation {sample.describe(r)}: "
    return np.array([states.code(state, where) for one in seen for state in one])


def maximum_likelihood(counts: ArrayLike, unseen: Any = "uniform", exact: bool = False) -> NDArray[Any]:
    r"""Maximum likelihood estimate of the transitions from counts, Prop. 4.1.

    .. math:: \hat\theta_{t;a,s} = v_{t;a,s} \Big/ \sum_{t'} v_{t';a,s}

    Parameters
    ----------
    counts : ``[a, s, t]``, non-negative.
    unseen : what to put in a row whose counts are all 0, where the paper's formula is 0/0: ``"uniform"``, ``"stay"``
        (the state does not change), ``"error"``, or an array of transitions to take the row from.
    exact : give an array of ``Fraction``. Counts may then be fractions or strings such as ``"1/3"``; a float counts as
        its exact binary value.

    Examples
    --------
    >>> maximum_likelihood([[[3, 1], [0, 0]]])
    array([[[0.75, 0.25],
            [0.5 , 0.5 ]]])
    >>> maximum_likelihood([[[2, 1], [1, 0]]], exact=True)[0, 0].tolist()
    [Fraction(2, 3), Fraction(1, 3)]
    """
    if exact:
        return _exact_estimate(counts, unseen)
    v = checked_counts(counts)
    totals = v.sum(axis=-1, keepdims=True)
    never = totals[..., 0] == 0.0
    rows = _unseen_weights(unseen, v.shape, never)
    if isinstance(unseen, str):
        rows = rows / rows.sum(axis=-1, keepdims=True)
    return np.where(never[..., None], rows, v / np.where(totals > 0.0, totals, 1.0))


def counts_log_likelihood(counts: ArrayLike, transitions: ArrayLike) -> float:
    r"""Log-likelihood :math:`\ell(\theta) = \sum v_{t;a,s} \log \theta_{t;a,s}` of counts, with 0 log 0 = 0.

    The paper prints :math:`v \cdot \theta`; it is :math:`v \cdot \log\theta`. -inf if a counted transition has
    probability 0.

    Examples
    --------
    >>> round(counts_log_likelihood([[[3, 1], [0, 0]]], [[[0.75, 0.25], [0.5, 0.5]]]), 6)
    -2.249341
    """
    v = checked_counts(counts)
    theta = checked_transitions(transitions, v.shape, "transitions")
    used = v > 0.0
    if (theta[used] <= 0.0).any():
        return -np.inf
    return float((v[used] * np.log(theta[used])).sum())


def checked_counts(counts: ArrayLike) -> Floats:
    """Counts as floats ``[a, s, t]``, finite and not negative."""
    try:
        v = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"counts must be an array [a, s, t] of numbers; got {shown(counts)}.") from None
    if v.ndim != 3 or v.shape[1] != v.shape[2] or not v.size:
        raise InvalidArgument(f"counts must have shape [a, s, t] with as many t as s; got shape {v.shape}.")
    wrong = np.argwhere(~(np.isfinite(v) & (v >= 0.0)))
    if len(wrong):
        a, s, t = wrong[0]
        raise InvalidArgument(f"counts must be finite and not negative; got {v[a, s, t]:g} at [{a}, {s}, {t}].")
    if not v.max() <= LARGEST_TOTAL / v.size:
        raise InvalidArgument(f"counts must have a sum of at most {LARGEST_TOTAL:g}; scale them down.")
    return v


def checked_transitions(transitions: Any, shape: tuple[int, ...], name: str) -> Floats:
    """Rows of probabilities ``[a, s, t]`` of a given shape."""
    try:
        theta = np.array(transitions, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{name} must be an array [a, s, t] of numbers; got {shown(transitions)}.") from None
    if theta.shape != shape:
        raise InvalidArgument(f"{name} must have the shape of the counts, {shape}; got {theta.shape}.")
    if not ((theta >= 0.0).all() and (np.abs(theta.sum(axis=-1) - 1.0) <= ROW_TOLERANCE).all()):
        raise InvalidArgument(f"the rows of {name} must not be negative and must sum to 1.")
    return theta


def _exact_estimate(counts: ArrayLike, unseen: Any) -> NDArray[Any]:
    """Maximum likelihood estimate in fractions; checked as the one in floats is."""
    v = _fractions(counts, "counts")
    never = checked_counts(v).sum(axis=-1) == 0.0
    given = unseen if isinstance(unseen, str) else _fractions(unseen, "unseen")
    weights = _unseen_weights(given, v.shape, never)
    chosen = np.where(never[..., None], _fractions(weights, "unseen") if given is unseen else given, v)
    return np.asarray(chosen / chosen.sum(axis=-1, keepdims=True))


def _fractions(values: ArrayLike, name: str) -> NDArray[Any]:
    """An array of fractions of what was given as numbers or strings."""
    given = np.array(values, dtype=object)
    try:
        return np.array([Fraction(entry(value)) for value in given.flat], dtype=object).reshape(given.shape)
    except (InvalidArgument, ValueError, OverflowError):  # ValueError, OverflowError: NaN and infinity
        raise InvalidArgument(f"{name} must be an array [a, s, t] of finite numbers; got {shown(values)}.") from None


def _unseen_weights(unseen: Any, shape: tuple[int, ...], never: NDArray[np.bool_]) -> Floats:
    """Rows for what was never seen, up to a factor."""
    if isinstance(unseen, str):
        if unseen == "uniform":
            return np.ones(shape)
        if unseen == "stay":
            return np.broadcast_to(np.eye(shape[-1]), shape)
        if unseen == "error":
            if never.any():
                a, s = np.argwhere(never)[0]
                raise InvalidArgument(f"symbol number {a} was never read in state number {s}: its row is unknown.")
            return np.ones(shape)
        raise InvalidArgument(
            f"unseen must be 'uniform', 'stay', 'error' or an array of transitions of shape {shape}; "
            f"got {shown(unseen)}."
        )
    return checked_transitions(unseen, shape, "unseen")
