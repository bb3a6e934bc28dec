"""Counts, design matrices and Baum-Welch: what is refused, and the sentence word for word."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from tests.refusals import GOOD, Refusal, check_refused

A = cp.Acceptor(**GOOD)

BINARY = cp.p_adic(2)

DESIGN = cp.design_matrix(2, 2, 1)

NAN: Any = [[[math.nan, 5], [math.nan, 5]]]

GENERATOR = cp.Generator(1, "ab", {"a": {0: {0: "1/4"}}, "b": {0: {0: "1/4"}}}, 0, ["1/2"])

LABELLED = cp.Sample(["ab", "b"], accepted=[True, False])


REFUSED: list[Refusal] = [
    (
        lambda: cp.count_transitions(LABELLED, ["q1", "q2"]),
        cp.errors.InvalidSample,
        "complete data needs a state at all 3 positions; observation 'ab' (accepted) has 0. Use baum_welch for runs "
        "that were seen in part.",
    ),
    (
        lambda: cp.count_transitions(cp.Sample(["a"], states=[["q1", "q9"]]), ["q1", "q2"]),
        cp.errors.UnknownState,
        "observation 'a' (no verdict, with what was seen along the way): 'q9' is not a state; the states are {'q1', "
        "'q2'}.",
    ),
    (
        lambda: cp.baum_welch(A, cp.Sample(["a"], states=[["q1", "q9"]])),
        cp.errors.UnknownState,
        "states of the sample: 'q9' is not a state; the states are {'q1', 'q2'}.",
    ),
    (
        lambda: cp.baum_welch(A, cp.Sample(["ac"], accepted=[True])),
        cp.errors.UnknownSymbol,
        "observation 'ac' (accepted), position 1: symbol 'c' is not in the alphabet {'a', 'b'}.",
    ),
    (
        lambda: cp.baum_welch(A, ["ab"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, tolerance=-1),
        cp.errors.InvalidArgument,
        "tolerance must be a finite number, 0 or more; got -1.",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, tolerance=float("nan")),
        cp.errors.InvalidArgument,
        "tolerance must be a finite number, 0 or more; got nan.",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, max_steps=1.5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "max_steps must be a whole number, 0 or more; got 1.5.",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, prior=-0.1),
        cp.errors.InvalidArgument,
        "prior must hold finite pseudo-counts, not negative; got -0.1.",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, prior=[1, 2, 3]),
        cp.errors.InvalidArgument,
        "prior must be a number or an array that fits the transitions' shape (2, 2, 2); got [1, 2, 3].",
    ),
    (
        lambda: cp.expected_counts(A, LABELLED, threads=0),
        cp.errors.InvalidArgument,
        "threads must be a whole number from 1 to 1,024; got 0.",
    ),
    (
        lambda: cp.expected_counts(A, cp.Sample(["", "b"], accepted=[True, True])),
        cp.errors.ImpossibleObservation,
        "Observation '' (accepted) has probability 0 under the model (so have 1 more): no run agrees with "
        "it. Use positive entries in transitions and initial, or leave out the observations for which "
        "log_likelihoods(model, sample) gives -inf.",
    ),
    (
        lambda: cp.expectation_maximization(A, cp.Sample(["a" * 40], accepted=[True])),
        cp.errors.TooLarge,
        "the matrix U would have 2,199,023,255,552 entries (2 states, words of up to 40 symbols); the limit "
        "is 10,000,000. Use baum_welch, which does not need it.",
    ),
    (
        lambda: cp.design_matrix(10, 10, 10),
        cp.errors.TooLarge,
        "the design matrix would have 1,000 rows and about 10^21 columns and take 230,967,998,504,638 "
        "gigabytes; the limit is 1 gigabyte. Use count_transitions or baum_welch, which do not need it.",
    ),
    (
        lambda: cp.design_matrix(2, 2, -1),
        cp.errors.InvalidArgument,
        "length must be a whole number from 0 to 1,000,000; got -1.",
    ),
    (
        lambda: cp.design_matrix(2, 2, 2).counts([1, 2]),
        cp.errors.InvalidArgument,
        "u must have one entry per column, 32; got shape (2,).",
    ),
    (
        lambda: cp.design_matrix("ab", "01", 2).column("0", "aa"),
        cp.errors.InvalidArgument,
        "a column has 2 symbols and 3 states; got 1 and 2.",
    ),
    (
        lambda: cp.design_matrix("ab", "01", 2).column("01", "aa"),
        cp.errors.InvalidArgument,
        "a column has 2 symbols and 3 states; got 2 and 2.",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, 2]]]),
        cp.errors.InvalidArgument,
        "counts must have shape [a, s, t] with as many t as s; got shape (1, 1, 2).",
    ),
    (
        lambda: cp.maximum_likelihood([[1, 2], [3, 4]]),
        cp.errors.InvalidArgument,
        "counts must have shape [a, s, t] with as many t as s; got shape (2, 2).",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, -2], [3, 4]]]),
        cp.errors.InvalidArgument,
        "counts must be finite and not negative; got -2 at [0, 0, 1].",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, 2], [0, 0]]], unseen="error"),
        cp.errors.InvalidArgument,
        "symbol number 0 was never read in state number 1: its row is unknown.",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, 2], [0, 0]]], unseen="random"),
        cp.errors.InvalidArgument,
        "unseen must be 'uniform', 'stay', 'error' or an array of transitions of shape (1, 2, 2); got 'random'.",
    ),
    (
        lambda: cp.expected_counts(BINARY, ["01"], exact=True),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.em.likelihood(BINARY, cp.Sample(["1"], counts=[0.5]), exact=True),
        cp.errors.InvalidArgument,
        "an exact likelihood needs counts that are whole numbers; got 0.5.",
    ),
    (
        lambda: cp.em.likelihood(BINARY, cp.Sample(["1"], accepted=[True], counts=[1e12]), exact=True),
        cp.errors.TooLarge,
        "the exact likelihood would take over 100 megabytes; use log_likelihood.",
    ),
    (
        lambda: cp.em.baum_welch_step(cp.random_acceptor(2, "01", rng=0), cp.Sample(["1"]), exact=True),
        cp.errors.InvalidArgument,
        "an exact step needs a model with rational entries; use model.rationalized() first.",
    ),
    (
        lambda: cp.expectation_maximization(BINARY, ["01"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.em.hidden_runs(BINARY, ["01"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.expectation_maximization(BINARY, cp.Sample(["0" * 20_000], accepted=[False])),
        cp.errors.TooLarge,
        "the matrix U would have about 10^6021 entries (2 states, words of up to 20,000 symbols); the "
        "limit is 10,000,000. Use baum_welch, which does not need it.",
    ),
    (
        lambda: cp.count_transitions(["ab"], 2),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.baum_welch("x", cp.Sample(["0"])),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor or a Generator; got 'x'.",
    ),
    (
        lambda: cp.expected_counts("x", cp.Sample(["0"])),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor or a Generator; got 'x'.",
    ),
    (
        lambda: cp.baum_welch(BINARY, cp.Sample(["1"], accepted=[True]), prior=1e308),
        cp.errors.InvalidArgument,
        "prior must hold finite pseudo-counts, not negative; got 1e+308.",
    ),
    (
        lambda: cp.baum_welch(BINARY, cp.Sample(["1"], accepted=[True]), prior=10**400),
        cp.errors.InvalidArgument,
        "prior must be a number or an array that fits the transitions' shape (2, 2, 2); got "
        "10000000000000000000000000000000000000000000000000000000000….",
    ),
    (
        lambda: cp.design_matrix(2, 2, 10_000),
        cp.errors.TooLarge,
        "the design matrix would have 8 rows and about 10^6021 columns and take about 10^6017 gigabytes; "
        "the limit is 1 gigabyte. Use count_transitions or baum_welch, which do not need it.",
    ),
    (
        lambda: cp.design_matrix(2, True, 2),
        cp.errors.InvalidArgument,
        "n_symbols must be a whole number from 1 to 1,000,000; got True.",
    ),
    (
        lambda: DESIGN.counts([math.nan] * 8),
        cp.errors.InvalidArgument,
        "u must be finite and not negative; got nan at [0].",
    ),
    (lambda: DESIGN.counts([-1] * 8), cp.errors.InvalidArgument, "u must be finite and not negative; got -1 at [0]."),
    (lambda: DESIGN.counts("x"), cp.errors.InvalidArgument, "u must be numbers, one per column; got 'x'."),
    (
        lambda: DESIGN.column([0], 5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a path must be a sequence of states; got 5.",
    ),
    (
        lambda: DESIGN.runs(["x"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, 0], [0, 0]]], unseen=NAN),
        cp.errors.InvalidArgument,
        "the rows of unseen must not be negative and must sum to 1; got [nan, 5.0] at [0, 0].",
    ),
    (
        lambda: cp.maximum_likelihood([[[1, 0], [0, 0]]], unseen=[["x"]]),
        cp.errors.InvalidArgument,
        "unseen must be an array [a, s, t] of numbers; got [['x']].",
    ),
    (
        lambda: cp.maximum_likelihood([[[1e308, 1e308], [1.0, 1.0]]]),
        cp.errors.InvalidArgument,
        "counts must have a sum of at most 1e+300; scale them down.",
    ),
    (
        lambda: cp.maximum_likelihood(np.zeros((1, 0, 0))),
        cp.errors.InvalidArgument,
        "counts must have shape [a, s, t] with as many t as s; got shape (1, 0, 0).",
    ),
    (
        lambda: cp.em.counts_log_likelihood([[[1, 0], [0, 0]]], NAN),
        cp.errors.InvalidArgument,
        "the rows of transitions must not be negative and must sum to 1; got [nan, 5.0] at [0, 0].",
    ),
    (
        lambda: cp.em.counts_log_likelihood([[[1]]], "x"),
        cp.errors.InvalidArgument,
        "transitions must be an array [a, s, t] of numbers; got 'x'.",
    ),
    (
        lambda: cp.design_matrix(2, "", 1),
        cp.errors.InvalidArgument,
        "a design matrix needs at least one symbol; the alphabet is empty.",
    ),
    (
        lambda: cp.log_likelihood(GENERATOR, cp.Sample(["a"]), with_inputs=True),
        cp.errors.InvalidArgument,
        "with_inputs is for acceptors: the probability of a generator has the inputs in it.",
    ),
    (
        lambda: cp.em.likelihood(GENERATOR, cp.Sample(["a"]), with_inputs=True, exact=True),
        cp.errors.InvalidArgument,
        "with_inputs is for acceptors: the probability of a generator has the inputs in it.",
    ),
    (
        lambda: cp.baum_welch(GENERATOR, cp.Sample(["a"]), fixed=[("a", 0)], tied_symbols=["ab"]),
        cp.errors.InvalidArgument,
        "of a generator, either entries can be fixed or symbols tied, not both.",
    ),
    (
        lambda: cp.baum_welch(GENERATOR.to_sparse(), cp.Sample(["a"]), tied_symbols=["ab"]),
        cp.errors.InvalidArgument,
        "symbols of a sparse generator cannot be tied. Take to_dense() of it first, if that fits into memory.",
    ),
    (
        lambda: cp.baum_welch(GENERATOR, cp.Sample(["a"]), max_steps=1).acceptor,
        cp.CutpointError,
        "this fit has a generator, not an acceptor: use fit.generator.",
    ),
    (
        lambda: cp.baum_welch(A, LABELLED, max_steps=1).generator,
        cp.CutpointError,
        "this fit has an acceptor, not a generator: use fit.acceptor, or learn_generator(...).",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
