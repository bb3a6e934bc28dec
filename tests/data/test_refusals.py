"""Samples and alphabets: what is refused, and the sentence word for word."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import cutpoint as cp
from tests.refusals import Refusal, check_refused

ARGUMENTS: list[tuple[dict[str, Any], type[Exception], str]] = [
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
        "counts must be 0 or at least 1e-300; got 1e-310 for word 1.",
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
        "states[1] must have 2 values for a word of 1 symbol, one before the first symbol and one after each; got 1.",
    ),
    (
        {"words": ["ab"], "verdicts": [[True, False]]},
        cp.errors.InvalidSample,
        "verdicts[0] must have 3 values for a word of 2 symbols, one before the first symbol and one after each; "
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
        "accepted[0] and the last of verdicts[0] must agree, as both are about the whole word; got True and False.",
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
]


@pytest.mark.parametrize(("arguments", "kind", "sentence"), ARGUMENTS)
def test_arguments_of_a_sample(arguments: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.Sample(**arguments)
    assert str(refusal.value) == sentence


REFUSED: list[Refusal] = [
    (
        lambda: cp.data.Alphabet([([],)]),
        cp.errors.InvalidArgument,
        "symbols must be hashable, such as strings or numbers; got ([],).",
    ),
    (
        lambda: cp.data.Alphabet([math.nan]).code(float("nan")),
        cp.errors.UnknownSymbol,
        "symbol nan is not in the alphabet {nan}. Did you mean nan?",
    ),
    (
        lambda: cp.Sample(["a"], accepted=True),  # type: ignore[arg-type]
        cp.errors.InvalidSample,
        "accepted must have one value per word; got True.",
    ),
    (
        lambda: cp.Sample(["a"], verdicts=5),  # type: ignore[arg-type]
        cp.errors.InvalidSample,
        "verdicts must have one value per word; got 5.",
    ),
    (lambda: cp.Sample(["a"], states="ab"), cp.errors.InvalidSample, "states must have one value per word; got 'ab'."),
    (
        lambda: cp.Sample([[["a"]]]),  # type: ignore[list-item]
        cp.errors.InvalidArgument,
        "word 0, position 0: symbols must be hashable, such as strings or numbers; got ['a'].",
    ),
    (
        lambda: cp.Sample([5]),  # type: ignore[list-item]
        cp.errors.InvalidArgument,
        "word 0 must be a str or a sequence of symbols; got 5.",
    ),
    (
        lambda: cp.Sample(["a"], states=[[([],), None]]),
        cp.errors.InvalidSample,
        "states[0][0] must be a state's name, a set of names or None; got ([],).",
    ),
    (
        lambda: cp.Sample(["a", "b"], counts=[1e308, 1e308]),
        cp.errors.InvalidSample,
        "counts must have a sum of at most 1e+300; scale them down.",
    ),
    (
        lambda: cp.Sample(["a"], counts=[10**400]),
        cp.errors.InvalidSample,
        "counts must be numbers, one per word; got [1000000000000000000000000000000000000000000000000000000000….",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
