"""Acceptors, networks, mixtures, the gallery and simulation: what is refused, and the sentence word for word."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from tests.refusals import GOOD, Refusal, check_refused


def with_a(matrix: Any) -> dict[str, Any]:
    return GOOD | {"transitions": {"a": matrix, "b": [[1, 0], [0, 1]]}}


A = cp.Acceptor(**GOOD)

BINARY = cp.p_adic(2)

DEEP: Any = []
for _ in range(5000):
    DEEP = [DEEP]

T = Fraction(1, 10**5000)
"""A number too small for a float and too long to print."""

EYE: Any = [np.eye(2)]


PARTS: list[tuple[dict[str, Any], type[Exception], str]] = [
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
        "transitions must have shape (2, 2, 2) (one square matrix per symbol); got shape (2, 2).",
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
    (GOOD | {"states": ["q1", "q1"]}, cp.errors.InvalidAcceptor, "state names must be distinct; repeated: {'q1'}."),
    (GOOD | {"states": []}, cp.errors.InvalidAcceptor, "at least one state is needed; the state set is empty."),
    (GOOD | {"states": 0}, cp.errors.InvalidAcceptor, "at least one state is needed; the state set is empty."),
    (GOOD | {"states": -1}, cp.errors.InvalidAcceptor, "the number of states must be from 1 to 10,000,000; got -1."),
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
    (GOOD | {"alphabet": "aba"}, cp.errors.InvalidArgument, "symbols must be distinct; repeated: {'a'}."),
    (
        GOOD | {"alphabet": ""},
        cp.errors.InvalidAcceptor,
        "an acceptor needs at least one symbol; the alphabet is empty.",
    ),
    (
        GOOD | {"alphabet": 5},
        cp.errors.InvalidArgument,
        "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']; got 5.",
    ),
    (
        GOOD | {"alphabet": [["a"], "b"]},
        cp.errors.InvalidArgument,
        "symbols must be hashable, such as strings or numbers; got ['a'].",
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
    (GOOD | {"final": {"q3"}}, cp.errors.UnknownState, "final: 'q3' is not a state; the states are {'q1', 'q2'}."),
    (GOOD | {"final": [True]}, cp.errors.InvalidAcceptor, "final as a vector must have one value per state, 2; got 1."),
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
]


@pytest.mark.parametrize(("parts", "kind", "sentence"), PARTS)
def test_parts_of_an_acceptor(parts: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.Acceptor(**parts)
    assert str(refusal.value) == sentence
    assert isinstance(refusal.value, cp.CutpointError)
    assert isinstance(refusal.value, KeyError if "Unknown" in kind.__name__ else ValueError)


REFUSED: list[Refusal] = [
    (lambda: A.acceptance("abx"), cp.errors.UnknownSymbol, "position 2: symbol 'x' is not in the alphabet {'a', 'b'}."),
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
    (lambda: A.accepts("a", 1.5), cp.errors.InvalidArgument, "a cut point must be a number between 0 and 1; got 1.5."),
    (
        lambda: A.accepts("a", "half"),
        cp.errors.InvalidArgument,
        "a cut point must be a finite number or a string such as '1/3'; got 'half'.",
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
        "the length of a belief network must be a whole number from 0 to 1,000,000; got -1.",
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
        lambda: cp.Acceptor(2, "a", EYE, 0, [0.0, 1.0]),
        cp.errors.InvalidAcceptor,
        "final=[0.0, 1.0] can be read as state names and as a vector of zeros and ones. Pass a set of "
        "states, or a bool array.",
    ),
    (
        lambda: cp.Acceptor(2, "a", EYE, 0, [Fraction(0), Fraction(1)]),
        cp.errors.InvalidAcceptor,
        "final=[Fraction(0, 1), Fraction(1, 1)] can be read as state names and as a vector of zeros and "
        "ones. Pass a set of states, or a bool array.",
    ),
    (
        lambda: cp.Acceptor(2, "a", EYE, 0, [np.True_, 0]),
        cp.errors.InvalidAcceptor,
        "final=[np.True_, 0] can be read as state names and as a vector of zeros and ones. Pass a set of "
        "states, or a bool array.",
    ),
    (
        lambda: cp.Acceptor(2, "a", EYE, 0, np.array(1)),
        cp.errors.InvalidAcceptor,
        "final must be a collection of states or a vector; got array(1).",
    ),
    (
        lambda: cp.Acceptor(2, "a", EYE, 0, {0: np.array([1, 2])}),
        cp.errors.InvalidAcceptor,
        "final as a vector must hold zeros and ones only; got array([1, 2]).",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[[1 - T, T], [0, 1]]], 0, {1}),
        cp.errors.InvalidAcceptor,
        "row of symbol 'a', state 0 must have entries that are 0 or in the range of floats; got 1e-5000 for state 1.",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[["1/3", Fraction(2, 3) + Fraction(1, 10**30)], [0, 1]]], 0, {1}),
        cp.errors.InvalidAcceptor,
        "row of symbol 'a', state 0 must sum to 1; got 1+1e-30. Use Acceptor.normalized(...) to rescale rows.",
    ),
    (
        lambda: cp.quantum.MeasureOnce(2, "a", [[["3/5", "4/5"], ["-4/5", Fraction(3, 5) - T]]], 0, {0}),
        cp.errors.InvalidAcceptor,
        "unitary of symbol 'a', row of state 1: squared magnitudes must sum to 1; got 1-1e-5000.",
    ),
    (
        lambda: BINARY.power_acceptance("1", np.array(3)),
        cp.errors.InvalidArgument,
        "an exponent must be a whole number, 0 or more; got array(3).",
    ),
    (
        lambda: cp.Acceptor(2, "a", EYE, 0, DEEP),
        cp.errors.UnknownState,
        "final: a list nested too deeply to print is not a state; the states are {0, 1}.",
    ),
    (
        lambda: cp.Acceptor(2, "a", DEEP, 0, {1}),
        cp.errors.InvalidAcceptor,
        "transitions must have shape (1, 2, 2) (one square matrix per symbol); got rows of different lengths.",
    ),
    (
        lambda: cp.WeightedAutomaton("a", DEEP, EYE, [1, 0]),
        cp.errors.InvalidArgument,
        "initial must be a vector of numbers; got a list nested too deeply to print.",
    ),
    (
        lambda: BINARY.path_codes(["s1"], None),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "length must be a whole number, 0 or more; got None.",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[[T, 0], [0, 1]]], 0, []),
        cp.errors.InvalidAcceptor,
        "row of symbol 'a', state 0 must have entries that are 0 or in the range of floats; got 1e-5000 for state 0.",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[[0.5, 10**400], [0, 1]]], 0, []),
        cp.errors.InvalidAcceptor,
        "transitions[0][0][1]: expected a number of at most 1e+300; got "
        "10000000000000000000000000000000000000000000000000000000000….",
    ),
    (
        lambda: cp.Acceptor(2, "a", [[["1e-10000000", 0], [0, 1]]], 0, []),
        cp.errors.InvalidAcceptor,
        "transitions[0][0][0]: expected a finite number or a string such as '1/3'; got '1e-10000000'.",
    ),
    (
        lambda: cp.Acceptor(1, "a", np.ma.masked_array([[[1.0]]], mask=[[[True]]]), 0, []),
        cp.errors.InvalidAcceptor,
        "transitions has masked entries; fill them in first.",
    ),
    (
        lambda: cp.Acceptor({"p"}, "x", [[[1]]], "p", {"p"}),
        cp.errors.InvalidAcceptor,
        "states must be a number or names in an order, such as a list; got {'p'}.",
    ),
    (
        lambda: cp.Acceptor(2, {"x"}, EYE, 0, {1}),
        cp.errors.InvalidArgument,
        "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']; got {'x'}.",
    ),
    (
        lambda: cp.Acceptor([None, "b"], "a", EYE, "b", {"b"}),
        cp.errors.InvalidAcceptor,
        "state names must not be None, which stands for what was not seen.",
    ),
    (
        lambda: cp.Acceptor(10**20, "a", [[[1]]], 0, []),
        cp.errors.InvalidAcceptor,
        "the number of states must be from 1 to 10,000,000; got 100000000000000000000.",
    ),
    (
        lambda: cp.Acceptor([([],)], "a", [[[1]]], 0, []),
        cp.errors.InvalidAcceptor,
        "state names must be hashable, such as strings or numbers; got ([],).",
    ),
    (
        lambda: cp.Acceptor([(0, 1), (1, 0)], "a", EYE, (0, 1), set()),
        cp.errors.InvalidAcceptor,
        "initial: (0, 1) can be read as a state and as a row. Pass a list for a row, a dictionary for a state.",
    ),
    (
        lambda: cp.Acceptor(["p", "q"], "a", {"a": {"p": "Q", "q": "p"}}, "p", {"q"}),
        cp.errors.UnknownState,
        "transitions['a']['p']: 'Q' is not a state; the states are {'p', 'q'}. Did you mean 'q'?",
    ),
    (
        lambda: cp.Acceptor(["p", "q"], "a", {"a": {"p": 3, "q": "p"}}, "p", {"q"}),
        cp.errors.UnknownState,
        "transitions['a']['p']: 3 is not a state; the states are {'p', 'q'}.",
    ),
    (
        lambda: BINARY.acceptance([10**5000]),
        cp.errors.UnknownSymbol,
        "position 0: symbol an int of about 5001 digits is not in the alphabet {'0', '1'}.",
    ),
    (
        lambda: cp.BeliefNetwork("x", 2),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor; got 'x'.",
    ),
    (
        lambda: cp.simulate(BINARY, "01", 0),
        cp.errors.InvalidArgument,
        "expected a collection of words; got '01'. For a single word write [word].",
    ),
    (
        lambda: BINARY.joint("01", 5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a path must be a sequence of states; got 5.",
    ),
    (
        lambda: cp.BeliefNetwork(BINARY, 2).joint("01", 5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a path must be a sequence of states; got 5.",
    ),
    (
        lambda: cp.mixture(BINARY),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a mixture needs a list of acceptors, or one of generators, at least one; got <Acceptor: 2 states {s1, s2}, 2 symbols {0, 1}, starts in {….",
    ),
    (
        lambda: cp.mixture([BINARY, 5]),  # type: ignore[type-var]
        cp.errors.InvalidArgument,
        "a mixture needs a list of acceptors, or one of generators, at least one; got [<Acceptor: 2 states {s1, s2}, 2 symbols {0, 1}, starts in ….",
    ),
    (
        lambda: cp.mixture([BINARY, BINARY], 5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a mixture needs one weight per member, 2; got 5.",
    ),
    (
        lambda: cp.mixture([BINARY, BINARY], ["x", "y"]),
        cp.errors.InvalidArgument,
        "expected a finite number or a string such as '1/3'; got 'x'.",
    ),
    (
        lambda: cp.mixture([BINARY, BINARY], [T, 1]),
        cp.errors.InvalidArgument,
        "the weights of a mixture must not be negative and must sum to 1; got 1e-5000, 1.",
    ),
    (
        lambda: cp.mixture([BINARY, BINARY], [0.5, Fraction(10**400)]),
        cp.errors.InvalidArgument,
        "the weights of a mixture must not be negative and must sum to 1; got 0.5, 1e400.",
    ),
    (
        lambda: cp.BeliefNetwork(BINARY, 600).joint_table(),
        cp.errors.TooLarge,
        "the joint table would have about 10^181 rows and about 10^181 columns; the limit is 10,000,000 "
        "entries. Use joint, forward or a shorter length.",
    ),
    (
        lambda: BINARY.sample_path("01", -1),
        cp.errors.InvalidArgument,
        "rng must be a numpy Generator or a whole number, 0 or more, as seed; got -1.",
    ),
    (
        lambda: cp.simulate(BINARY, ["01"], "x"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "rng must be a numpy Generator or a whole number, 0 or more, as seed; got 'x'.",
    ),
    (
        lambda: cp.random_acceptor(2, "a", 1.5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "rng must be a numpy Generator or a whole number, 0 or more, as seed; got 1.5.",
    ),
    (
        lambda: cp.random_words("", 3, 2, 0),
        cp.errors.InvalidArgument,
        "random words need at least one symbol; the alphabet is empty.",
    ),
    (
        lambda: cp.random_words("ab", 10**15, 2, 0),
        cp.errors.InvalidArgument,
        "count must be a whole number from 0 to 500,000,000; got 1000000000000000.",
    ),
    (
        lambda: cp.random_words("ab", 3, 2.0, 0),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "each of lengths must be a whole number from 0 to 1,000,000,000; got 2.0.",
    ),
    (
        lambda: cp.random_words("ab", 3, (1, 2, 3), 0),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "each of lengths must be a whole number from 0 to 1,000,000,000; got (1, 2, 3).",
    ),
    (
        lambda: cp.random_words("ab", 2.5, 2, 0),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "count must be a whole number from 0 to 500,000,000; got 2.5.",
    ),
    (
        lambda: cp.random_acceptor(2, "a", 0, concentration=math.inf),
        cp.errors.InvalidArgument,
        "concentration must be positive and at most 1e+06; got inf.",
    ),
    (
        lambda: cp.random_acceptor(2, "a", 0, concentration="x"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "concentration must be positive and at most 1e+06; got 'x'.",
    ),
    (
        lambda: cp.gallery.tomita([1]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "the number of a Tomita language must be a whole number from 1 to 7; got [1].",
    ),
    (
        lambda: cp.gallery.gambler(4, start=[1]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "start must be a whole number from 0 to 4; got [1].",
    ),
    (
        lambda: cp.gallery.value_one("abc"),
        cp.errors.InvalidArgument,
        "x must be a finite number or a string such as '1/3'; got 'abc'.",
    ),
    (
        lambda: cp.gallery.value_one("1/0"),
        cp.errors.InvalidArgument,
        "x must be a finite number or a string such as '1/3'; got '1/0'.",
    ),
    (
        lambda: cp.gallery.deterministic(5, 0, set()),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "transitions must be a mapping {state: {symbol: state}}; got 5.",
    ),
    (
        lambda: cp.gallery.deterministic({"a": 5}, "a", set()),  # type: ignore[dict-item]
        cp.errors.InvalidArgument,
        "transitions must be a mapping {state: {symbol: state}}; got {'a': 5}.",
    ),
    (
        lambda: cp.gallery.deterministic({"a": {"x": "b"}}, "a", set()),
        cp.errors.UnknownState,
        "transitions['x']['a']: 'b' is not a state; the states are {'a'}.",
    ),
    (
        lambda: BINARY.occupancy("0" * 10**5, accepted=True),
        cp.errors.ImpossibleObservation,
        "no run on the word '0000000000000000000000000000000000000000000000000000000000… ends accepted: "
        "it has probability 0.",
    ),
    (
        lambda: BINARY.encoded_acceptances(["01"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "words must be as encode(words) returns them; got ['01'].",
    ),
    (
        lambda: cp.gallery.deterministic({"a": {"x": "a"}}, ["a"], ["a"]),  # type: ignore[arg-type]
        cp.errors.UnknownState,
        "initial: ['a'] is not a state; the states are {'a'}.",
    ),
    (
        lambda: cp.random_acceptor(range(10**15), "01", rng=1),
        cp.errors.InvalidAcceptor,
        "states must be a number or names in an order, such as a list; got range(0, 1000000000000000).",
    ),
    (
        lambda: BINARY.replace(final=range(10**15)),
        cp.errors.InvalidAcceptor,
        "final must be a collection of states or a vector; got range(0, 1000000000000000).",
    ),
    (
        lambda: BINARY.acceptances(range(10**15)),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a collection of words; got range(0, 1000000000000000). For a single word write [word].",
    ),
    (
        lambda: BINARY.predict(3),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a collection of words; got 3. For a single word write [word].",
    ),
    (
        lambda: BINARY.joint("0", np.array(3)),
        cp.errors.InvalidArgument,
        "a path must be a sequence of states; got array(3).",
    ),
    (
        lambda: cp.simulate(BINARY, [], rng=0),
        cp.errors.InvalidSample,
        "a sample must hold at least one observation with a positive count; got none.",
    ),
    (
        lambda: BINARY.run().see(states=["s1"]),  # type: ignore[arg-type]
        cp.errors.UnknownState,
        "states: ['s1'] is not a state; the states are {'s1', 's2'}.",
    ),
    (
        lambda: cp.mixture(range(10**15)),  # type: ignore[type-var]
        cp.errors.InvalidArgument,
        "a mixture needs a list of acceptors, or one of generators, at least one; got range(0, 1000000000000000).",
    ),
    (
        lambda: BINARY.replace(transitions=range(10**15)),
        cp.errors.InvalidAcceptor,
        "transitions must have shape (2, 2, 2) (one square matrix per symbol); got shape (1000000000000000,).",
    ),
    (
        lambda: cp.expected_counts(3, cp.Sample(["0"]), exact=True),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor or a Generator; got 3.",
    ),
    (lambda: BINARY.table(0), cp.errors.InvalidArgument, "width must be a whole number, 1 or more; got 0."),
    (
        lambda: cp.BeliefNetwork(BINARY, 1).values(np.array(["S0", "S1"])),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "the network has the nodes X1, S1, S2; got array(['S0', 'S1'], dtype='<U2').",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
