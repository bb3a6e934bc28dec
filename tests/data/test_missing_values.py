"""Masked entries, NaN of any type and long doubles that no float equals are refused wherever numbers or names come in."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.data import Alphabet
from cutpoint.errors import CutpointError

A = cp.random_acceptor(2, "ab", rng=1)
SAMPLE = cp.Sample(["ab", "b"], accepted=[True, False], ids=[1, 2])
STEPS = np.ma.array(A.transitions)
STEPS[0, 0, 0] = np.ma.masked
NAN = float("nan")


def masked(values: Any) -> Any:
    return np.ma.array(values, mask=[True, False])


def long(*values: str) -> Any:
    return np.array(values, dtype=np.longdouble)


MASKED: list[Callable[[], object]] = [
    lambda: cp.Acceptor(2, "ab", STEPS, 0, {0}),
    lambda: cp.Acceptor(2, "ab", list(STEPS), 0, {0}),
    lambda: cp.Acceptor(2, "ab", [list(matrix) for matrix in STEPS], 0, {0}),
    lambda: A.replace(initial=masked([0.5, 0.5])),
    lambda: A.replace(final=masked([True, True])),
    lambda: cp.Sample(["a", "b"], counts=masked([5, 1])),
    lambda: cp.Sample(["a", "b"], counts=list(masked([5, 1]))),
    lambda: cp.Sample(["a", "b"], accepted=masked([True, False])),
    lambda: cp.Sample(["a"], verdicts=[masked([True, False])]),
    lambda: cp.Sample(["a"], states=[masked([0, 1])]),
    lambda: cp.Sample(["a", "b"], ids=masked([5, 1])),
    lambda: SAMPLE.per_case(masked([0.5, 0.5])),
    lambda: SAMPLE.of_cases(masked([True, True])),
    lambda: cp.maximum_likelihood(STEPS),
    lambda: cp.maximum_likelihood(STEPS, exact=True),
    lambda: cp.baum_welch(A, SAMPLE, prior=STEPS),
    lambda: cp.baum_welch(A, SAMPLE, fixed=np.ma.array(A.transitions > 0.5, mask=A.transitions > 0.5)),
]
MISSING: list[Callable[[], object]] = [
    lambda: Alphabet(["a", NAN]),
    lambda: Alphabet(["a", np.longdouble("nan")]),
    lambda: Alphabet(["a", complex(NAN, 0)]),
    lambda: Alphabet(["a", Decimal("nan")]),
    lambda: Alphabet(["a", ("x", NAN)]),
    lambda: Alphabet(["a", np.datetime64("NaT")]),
    lambda: cp.Sample([["a", ("x", (1, NAN))]]),
    lambda: cp.Sample([["a", Decimal("nan")]]),
    lambda: cp.Sample([[np.datetime64("NaT")]]),
    lambda: cp.Sample([np.array([1.0, NAN])]),
    lambda: cp.Acceptor(["x", NAN], "a", [np.eye(2)], "x", {"x"}),
    lambda: cp.Sample(["a"], states=[[NAN, 1]]),
]
LONG: list[Callable[[], object]] = [
    lambda: cp.Sample(["a", "b"], counts=long("1e-4000", "1")),
    lambda: cp.Sample(["a", "b"], counts=long("1e4000", "1")),
    lambda: cp.Acceptor(2, "a", long("1e-4000", "1", "0", "1").reshape(1, 2, 2), 0, {0}),
    lambda: A.replace(initial=[np.longdouble("1e-4000"), np.longdouble(1)]),
    lambda: A.replace(initial={0: np.longdouble(1) / 3, 1: 1 - np.longdouble(1) / 3}),
    lambda: cp.mixture([A, A], long("1e-4000", "1")),
    lambda: cp.maximum_likelihood(STEPS.data.astype(np.longdouble) / 3),
]
CASES = [(call, "masked entries; fill them in first") for call in MASKED]
CASES += [(call, "missing value|must be a state's name") for call in MISSING]
if np.finfo(np.longdouble).precision > np.finfo(np.float64).precision:
    CASES += [(call, "long double") for call in LONG]


@pytest.mark.parametrize(("call", "sentence"), CASES)
def test_refused(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(CutpointError, match=sentence):
        call()


def test_what_means_the_same_is_taken() -> None:
    assert A.replace(initial=long("0.25", "0.75")).initial.tolist() == [0.25, 0.75]
    assert cp.Sample(["a", "b"], counts=np.ma.array([5, 1])).counts.tolist() == [5.0, 1.0]
    assert cp.Sample(["a"], states=[[None, 1]])[0].states == (None, 1)
    assert len(Alphabet([("x", None), "a"])) == 2


@pytest.mark.parametrize("counts", [[1e200, 1e-200], [1e-200, 1e200], [1e299, 1e-299]])
def test_weights_of_any_size_are_weights(counts: list[float]) -> None:
    """The observation of tiny weight alone needs a transition, which must not become 0."""
    sample = cp.Sample(["a", "a", "ab"], accepted=[True, False, True], counts=[*counts, 1.0])
    fit = cp.baum_welch(A, sample, max_steps=5000)
    assert fit.stop is cp.em.Stop.CONVERGED
    assert (np.diff(fit.history) >= 0.0).all()
    assert np.isfinite(cp.em.log_likelihoods(fit.acceptor, sample)).all()
