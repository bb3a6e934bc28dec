"""Bad input gets a clear sentence: one case each, the sentence word for word."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp

GOOD: dict[str, Any] = {
    "states": ["q1", "q2"],
    "alphabet": "ab",
    "transitions": {"a": [[0.5, 0.5], [0, 1]], "b": [[1, 0], [0.25, 0.75]]},
    "initial": "q1",
    "final": {"q2"},
}


def with_a(matrix: Any) -> dict[str, Any]:
    return GOOD | {"transitions": {"a": matrix, "b": [[1, 0], [0, 1]]}}


@pytest.mark.parametrize(
    ("parts", "kind", "sentence"),
    [
        (
            with_a([[0.5, 0.5], [0.9, 0.08]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q2' must sum to 1; got 0.98. Use Acceptor.normalized(...) to rescale rows.",
        ),
        (
            with_a([["1/3", "1/3"], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q1' must sum to 1; got 2/3. Use Acceptor.normalized(...) to rescale rows.",
        ),
        (
            with_a([[0.5, 0.5 + 2e-9], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q1' must sum to 1; got 1.000000002. Use Acceptor.normalized(...) to rescale rows.",
        ),
        (
            with_a([[1.5, -0.5], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q1' must have entries that are not negative; got -0.5 for state 'q2'.",
        ),
        (
            with_a([[0.5, 0.5], ["4/3", "-1/3"]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q2' must have entries that are not negative; got -0.333333333333 for state 'q2'.",
        ),
        (
            with_a([[float("nan"), 0.5], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q1' must have entries that are finite; got nan for state 'q1'.",
        ),
        (
            with_a([[0.5, float("inf")], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "row of symbol 'a', state 'q1' must have entries that are finite; got inf for state 'q2'.",
        ),
        (
            with_a([[0.5, 0.25, 0.25], [0, 1, 0]]),
            cp.errors.InvalidAcceptor,
            "transitions['a'] must have shape (2, 2) (one row and one column per state); got shape (2, 3).",
        ),
        (
            with_a([[0.5, 0.5], [1]]),
            cp.errors.InvalidAcceptor,
            "transitions['a'] must have shape (2, 2) (one row and one column per state); got rows of different lengths.",
        ),
        (
            with_a("1/2"),
            cp.errors.InvalidAcceptor,
            "transitions['a'] must have shape (2, 2) (one row and one column per state); got '1/2'.",
        ),
        (
            GOOD | {"transitions": np.ones((2, 2))},
            cp.errors.InvalidAcceptor,
            "transitions must have shape (2, 2, 2) (one matrix per symbol); got shape (2, 2).",
        ),
        (
            with_a([["one half", 0.5], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "transitions['a'][0][0]: expected a finite number or a string such as '1/3'; got 'one half'.",
        ),
        (
            with_a([["1/0", 0.5], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "transitions['a'][0][0]: a fraction needs a denominator other than 0; got '1/0'.",
        ),
        (
            with_a([[None, 0.5], [0, 1]]),
            cp.errors.InvalidAcceptor,
            "transitions['a'][0][0]: expected a finite number or a string such as '1/3'; got None.",
        ),
        (
            GOOD | {"transitions": {"a": [[1, 0], [0, 1]]}},
            cp.errors.InvalidAcceptor,
            "transitions must have a matrix for every symbol; none for {'b'}.",
        ),
        (
            GOOD | {"transitions": GOOD["transitions"] | {"B": [[1, 0], [0, 1]]}},
            cp.errors.UnknownSymbol,
            "transitions: symbol 'B' is not in the alphabet {'a', 'b'}. Did you mean 'b'?",
        ),
        (
            with_a({"q1": {"q1": 1}}),
            cp.errors.InvalidAcceptor,
            "transitions['a'] must have a row for every state; none for {'q2'}.",
        ),
        (
            with_a({"q1": {"q1": 1}, "q2": {"q3": 1}}),
            cp.errors.UnknownState,
            "transitions['a']['q2']: 'q3' is not a state; the states are {'q1', 'q2'}.",
        ),
        (
            with_a({"q1": {"q1": 1}, "q2": {"q2": 1}, "x": {"q1": 1}}),
            cp.errors.UnknownState,
            "transitions['a']: 'x' is not a state; the states are {'q1', 'q2'}.",
        ),
        (
            GOOD | {"states": ["q1", "q1"]},
            cp.errors.InvalidAcceptor,
            "state names must be distinct; repeated: {'q1'}.",
        ),
        (GOOD | {"states": []}, cp.errors.InvalidAcceptor, "an acceptor needs at least one state; the state set is empty."),
        (GOOD | {"states": 0}, cp.errors.InvalidAcceptor, "an acceptor needs at least one state; the state set is empty."),
        (GOOD | {"states": -1}, cp.errors.InvalidAcceptor, "the number of states must be from 1 to 1,000,000; got -1."),
        (
            GOOD | {"states": 2.0},
            cp.errors.InvalidAcceptor,
            "states must be a number or names in an order, such as a list; got 2.0.",
        ),
        (
            GOOD | {"states": [["q1"], "q2"]},
            cp.errors.InvalidAcceptor,
            "state names must be hashable, such as strings or numbers; got ['q1'].",
        ),
        (
            GOOD | {"alphabet": "aba"},
            cp.errors.InvalidArgument,
            "symbols must be distinct; repeated in the alphabet: {'a'}.",
        ),
        (GOOD | {"alphabet": ""}, cp.errors.InvalidAcceptor, "an acceptor needs at least one symbol; the alphabet is empty."),
        (
            GOOD | {"alphabet": 5},
            cp.errors.InvalidArgument,
            "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']; got 5.",
        ),
        (
            GOOD | {"alphabet": [["a"], "b"]},
            cp.errors.InvalidArgument,
            "symbols must be hashable, such as strings or numbers; got ['a'] in the alphabet.",
        ),
        (
            GOOD | {"initial": "Q1"},
            cp.errors.UnknownState,
            "initial: 'Q1' is not a state; the states are {'q1', 'q2'}. Did you mean 'q1'?",
        ),
        (
            GOOD | {"initial": {"q1": 0.5, "q3": 0.5}},
            cp.errors.UnknownState,
            "initial: 'q3' is not a state; the states are {'q1', 'q2'}.",
        ),
        (
            GOOD | {"initial": [0.5, 0.4]},
            cp.errors.InvalidAcceptor,
            "initial must sum to 1; got 0.9. Use Acceptor.normalized(...) to rescale rows.",
        ),
        (
            GOOD | {"initial": [2, -1]},
            cp.errors.InvalidAcceptor,
            "initial must have entries that are not negative; got -1 for state 'q2'.",
        ),
        (
            GOOD | {"initial": [1, 0, 0]},
            cp.errors.InvalidAcceptor,
            "initial must have shape (2,) (one probability per state); got shape (3,).",
        ),
        (
            GOOD | {"final": {"q3"}},
            cp.errors.UnknownState,
            "final: 'q3' is not a state; the states are {'q1', 'q2'}.",
        ),
        (
            GOOD | {"final": [True]},
            cp.errors.InvalidAcceptor,
            "final as a vector must have one value per state, 2; got 1.",
        ),
        (
            GOOD | {"final": np.array([0.5, 1.0])},
            cp.errors.InvalidAcceptor,
            "final as a vector must hold zeros and ones only; got 0.5.",
        ),
        (
            GOOD | {"states": 2, "initial": 0, "final": [0, 1]},
            cp.errors.InvalidAcceptor,
            "final=[0, 1] can be read as state names and as a vector of zeros and ones. Pass a set of states, or a bool "
            "array.",
        ),
    ],
)  # fmt: skip
def test_acceptor(parts: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.Acceptor(**parts)
    assert str(refusal.value) == sentence
    assert isinstance(refusal.value, cp.CutpointError)
    assert isinstance(refusal.value, KeyError if "Unknown" in kind.__name__ else ValueError)


A = cp.Acceptor(**GOOD)


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda: A.acceptance("abx"),
            cp.errors.UnknownSymbol,
            "position 2: symbol 'x' is not in the alphabet {'a', 'b'}.",
        ),
        (
            lambda: A.acceptances(["a", "b", "", "abababaA"]),
            cp.errors.UnknownSymbol,
            "word 3, position 7: symbol 'A' is not in the alphabet {'a', 'b'}. Did you mean 'a'?",
        ),
        (
            lambda: A.acceptances([["a"], ["a", 3]]),
            cp.errors.UnknownSymbol,
            "word 1, position 1: symbol 3 is not in the alphabet {'a', 'b'}.",
        ),
        (
            lambda: A.acceptance(["a", ["b"]]),  # type: ignore[list-item]
            cp.errors.UnknownSymbol,
            "position 1: symbol ['b'] is not in the alphabet {'a', 'b'}.",
        ),
        (
            lambda: cp.p_adic(2).acceptance([0, 1]),
            cp.errors.UnknownSymbol,
            "position 0: symbol 0 is not in the alphabet {'0', '1'}. Did you mean '0' (a str, not an int)?",
        ),
        (
            lambda: cp.Acceptor(1, ["buy", "quit"], [[[1]], [[1]]], 0, {0}).acceptance("buy"),
            cp.errors.UnknownSymbol,
            "position 0: symbol 'b' is not in the alphabet {'buy', 'quit'}. A str is read character by character; pass "
            "a list of symbols instead.",
        ),
        (
            lambda: A.acceptances("ab"),
            cp.errors.InvalidArgument,
            "expected a collection of words; got 'ab'. For a single word write [word].",
        ),
        (
            lambda: A.acceptances(["a", 5]),  # type: ignore[list-item]
            cp.errors.InvalidArgument,
            "word 1 must be a str or a sequence of symbols; got 5.",
        ),
        (
            lambda: A.acceptance(b"ab"),
            cp.errors.InvalidArgument,
            "a word must be a str or a sequence of symbols; got b'ab'.",
        ),
        (
            lambda: A.accepts("a", 1.5),
            cp.errors.InvalidArgument,
            "a cut point must be a number between 0 and 1; got 1.5.",
        ),
        (
            lambda: A.accepts("a", "half"),
            cp.errors.InvalidArgument,
            "a cut point must be a number between 0 and 1 (float, int, Fraction, Decimal, a string such as '1/3' or an AlgebraicNumber); got 'half'.",
        ),
        (
            lambda: cp.Language(A, float("nan")),
            cp.errors.InvalidArgument,
            "a cut point must be a number between 0 and 1; got nan.",
        ),
        (
            lambda: cp.Language(A, Fraction(-1, 2)),
            cp.errors.InvalidArgument,
            "a cut point must be a number between 0 and 1; got Fraction(-1, 2).",
        ),
        (
            lambda: cp.Language(A, 0.5).words(-1),
            cp.errors.InvalidArgument,
            "max_length must be a whole number, 0 or more; got -1.",
        ),
        (
            lambda: cp.Language(A, 0.5).to_dfa(max_states=0),
            cp.errors.InvalidArgument,
            "max_states must be a whole number, 1 or more; got 0.",
        ),
        (
            lambda: A.backward("a", accepted="yes"),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "accepted must be True, False or None; got 'yes'.",
        ),
        (
            lambda: A.joint("ab", ["q1", "q2"]),
            cp.errors.InvalidArgument,
            "a word of 2 symbols has paths of 3 states; got 2.",
        ),
        (
            lambda: A.joint("a", ["q1", "q7"]),
            cp.errors.UnknownState,
            "path, position 1: 'q7' is not a state; the states are {'q1', 'q2'}.",
        ),
        (
            lambda: A.replace(alphabets="ab"),
            cp.errors.InvalidArgument,
            "an acceptor has the parts states, alphabet, transitions, initial, final; got alphabets.",
        ),
        (
            lambda: cp.BeliefNetwork(A, -1),
            cp.errors.InvalidArgument,
            "the length of a belief network must be a whole number, 0 or more; got -1.",
        ),
        (
            lambda: cp.BeliefNetwork(A, 3).forward("ab"),
            cp.errors.InvalidArgument,
            "this network is for inputs of length 3; got length 2.",
        ),
        (
            lambda: cp.BeliefNetwork(A, 20).joint_table(),
            cp.errors.TooLarge,
            "the joint table would have 1,048,576 rows and 2,097,152 columns; the limit is 10,000,000 entries. "
            "Use joint, forward or a shorter length.",
        ),
        (lambda: cp.p_adic(1), cp.errors.InvalidArgument, "p must be a whole number from 2 to 1,000,000; got 1."),
        (
            lambda: cp.gallery.tomita(8),
            cp.errors.InvalidArgument,
            "the number of a Tomita language must be a whole number from 1 to 7; got 8.",
        ),
        (
            lambda: cp.simulate(A, ["a"], rng=1, seen="all"),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "seen must be 'accepted', 'verdicts', 'states' or 'nothing'; got 'all'.",
        ),
        (
            lambda: cp.drawing.to_dot("A"),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "expected an Acceptor, a DFA or a BeliefNetwork to draw; got 'A'.",
        ),
    ],
)
def test_use_of_an_acceptor(call: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        (
            {"words": ["ab", "b"], "accepted": [True]},
            cp.errors.InvalidSample,
            "accepted must have one value per word; got 1 value for 2 words.",
        ),
        (
            {"words": ["ab", "b"], "accepted": [True, "no"]},
            cp.errors.InvalidSample,
            "accepted[1] must be True, False, or None for not known; got 'no'.",
        ),
        (
            {"words": ["ab", "b"], "accepted": [True, 2]},
            cp.errors.InvalidSample,
            "accepted[1] must be True, False, or None for not known; got 2.",
        ),
        (
            {"words": ["ab", "b"], "counts": [1, -2]},
            cp.errors.InvalidSample,
            "counts must be finite and not negative; got -2 for word 1.",
        ),
        (
            {"words": ["ab", "b"], "counts": [1, float("nan")]},
            cp.errors.InvalidSample,
            "counts must be finite and not negative; got nan for word 1.",
        ),
        (
            {"words": ["ab", "b"], "counts": [1e-300, 1e-310]},
            cp.errors.InvalidSample,
            "counts must be 0 or at least 1e-300; got 1e-310 for word 1. Scale them up.",
        ),
        (
            {"words": ["ab", "b"], "counts": [1]},
            cp.errors.InvalidSample,
            "counts must have one value per word; got shape (1,) for 2 words.",
        ),
        (
            {"words": ["ab"], "counts": ["many"]},
            cp.errors.InvalidSample,
            "counts must be numbers, one per word; got ['many'].",
        ),
        (
            {"words": []},
            cp.errors.InvalidSample,
            "a sample must hold at least one observation with a positive count; got none.",
        ),
        (
            {"words": ["ab"], "counts": [0]},
            cp.errors.InvalidSample,
            "a sample must hold at least one observation with a positive count; got none.",
        ),
        (
            {"words": "ab"},
            cp.errors.InvalidArgument,
            "expected a collection of words; got 'ab'. For a single word write [word].",
        ),
        (
            {"words": ["ab", "b"], "states": [["q1", "q1", "q2"], ["q1"]]},
            cp.errors.InvalidSample,
            "word 1 has 1 symbol, so states[1] must have 2 values, one before the first symbol and one after each; got 1.",
        ),
        (
            {"words": ["ab"], "verdicts": [[True, False]]},
            cp.errors.InvalidSample,
            "word 0 has 2 symbols, so verdicts[0] must have 3 values, one before the first symbol and one after each; "
            "got 2.",
        ),
        (
            {"words": ["ab"], "verdicts": [True]},
            cp.errors.InvalidSample,
            "verdicts[0] must be a sequence of 3 values or None; got True.",
        ),
        (
            {"words": ["ab"], "verdicts": [[True, None, "x"]]},
            cp.errors.InvalidSample,
            "verdicts[0][2] must be True, False, or None for not known; got 'x'.",
        ),
        (
            {"words": ["a"], "accepted": [True], "verdicts": [[None, False]]},
            cp.errors.InvalidSample,
            "accepted[0] is True, but the last of verdicts[0] is False; both speak of the state after the whole word and "
            "must agree.",
        ),
        (
            {"words": ["a"], "states": [["q1", set()]]},
            cp.errors.InvalidSample,
            "states[0][1] is an empty set, which no run can satisfy; use None for not seen.",
        ),
        (
            {"words": ["a"], "states": [["q1", ["q2"]]]},
            cp.errors.InvalidSample,
            "states[0][1] must be a state's name, a set of names or None; got ['q2'].",
        ),
        (
            {"words": ["abc"], "alphabet": "ab"},
            cp.errors.UnknownSymbol,
            "word 0, position 2: symbol 'c' is not in the alphabet {'a', 'b'}.",
        ),
    ],
)
def test_sample(arguments: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.Sample(**arguments)
    assert str(refusal.value) == sentence


LABELLED = cp.Sample(["ab", "b"], accepted=[True, False])


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
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
            "Observation '' (accepted) has probability 0 under the acceptor (so have 1 more): no run agrees with it. Use "
            "positive entries in transitions and initial, or leave out what log_likelihoods(acceptor, sample) gives -inf.",
        ),
        (
            lambda: cp.expectation_maximization(A, cp.Sample(["a" * 40], accepted=[True])),
            cp.errors.TooLarge,
            "the matrix U would have 2,199,023,255,552 entries (2 states, words of up to 40 symbols); at most 10,000,000 "
            "are made. Use baum_welch, which does not need it.",
        ),
        (
            lambda: cp.design_matrix(10, 10, 10),
            cp.errors.TooLarge,
            "the design matrix would have 1,000 rows and about 10^21 columns and take 230,967,998,504,638 gigabytes; at "
            "most 1 gigabyte is made. Use count_transitions or baum_welch, which do not need it.",
        ),
        (
            lambda: cp.design_matrix(2, 2, -1),
            cp.errors.InvalidArgument,
            "length must be a whole number, 0 or more; got -1.",
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
    ],
)
def test_learning(call: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence
