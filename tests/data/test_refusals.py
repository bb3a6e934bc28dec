"""Samples and alphabets: what is refused, and the sentence word for word."""

import datetime
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import cutpoint as cp
from tests.refusals import Refusal, check_refused

TIMES = pl.DataFrame(
    {"case": [7, 7], "event": ["a", "b"], "time": ["2024-03-01", "2024-03-05"], "goal": ["car", "car"]}
)

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
        lambda: cp.data.Alphabet(["a", math.nan]),
        cp.errors.InvalidArgument,
        "symbols must not be nan, which stands for a missing value.",
    ),
    (
        lambda: cp.Sample(["ab", ["a", math.nan]]),
        cp.errors.InvalidArgument,
        "word 1, position 1: a symbol must not be nan, which stands for a missing value. Leave the symbol out, or give "
        "it a name such as 'missing'.",
    ),
    (
        lambda: cp.Sample(["a"]).per_case([1.0]),
        cp.errors.InvalidSample,
        "the sample has no ids. Name them with ids=…, or their column with id=….",
    ),
    (
        lambda: cp.Sample(["a", "b"], ids=[1, 2]).per_case([1.0]),
        cp.errors.InvalidSample,
        "there must be one value for each of the 2 distinct observations; got shape (1,).",
    ),
    (
        lambda: cp.Sample(["a", "b"], ids=[1]),
        cp.errors.InvalidSample,
        "ids must have one value per word; got 1 value for 2 words.",
    ),
    (
        lambda: cp.Sample.from_events(pl.DataFrame({"case": [1], "what": ["a"]})),
        cp.errors.InvalidArgument,
        "no column is called event, activity, symbol, event name, activity name, task or concept:name; the columns are "
        "{'case', 'what'}. Choose one with event=….",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, gaps=["1d", "1h"]),
        cp.errors.InvalidArgument,
        "gaps must have edges that are durations such as 30min, 1h, 2d and 1w, in increasing order; got ['1d', '1h'].",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, gaps=[60]),
        cp.errors.InvalidArgument,
        "gaps must have edges that are durations such as 30min, 1h, 2d and 1w, in increasing order; got [60].",
    ),
    (
        lambda: cp.Sample.from_events(TIMES.with_columns(time=pl.Series([1, 5])), gaps="1h"),
        cp.errors.InvalidArgument,
        "gaps must have edges that are numbers, in increasing order; got '1h'.",
    ),
    (
        lambda: cp.Sample.from_events(TIMES.drop("time"), gaps="1h"),
        cp.errors.InvalidArgument,
        "gaps needs the time of each event. Name the column with order=….",
    ),
    (
        lambda: cp.Sample.from_events(
            TIMES.with_columns(time=pl.Series([datetime.time(9), datetime.time(10)])), gaps="1h"
        ),
        cp.errors.InvalidSample,
        "column 'time': gaps between events need numbers, or dates and times; got datetime.time(9, 0).",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, attributes="goal"),
        cp.errors.InvalidArgument,
        "attributes must be a list of columns; got 'goal'.",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, attributes=["gaol"]),
        cp.errors.InvalidArgument,
        "attributes must be one of the columns {'case', 'event', 'time', 'goal'}; got 'gaol'. Did you mean 'goal'?",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, attributes={"goal": [1, 2]}),
        cp.errors.InvalidSample,
        "row 0, column 'goal': an attribute with edges must be a number; got 'car'.",
    ),
    (
        lambda: cp.Sample.from_events(TIMES, attributes={"goal": [2, 1]}),
        cp.errors.InvalidArgument,
        "attributes must have edges that are numbers, in increasing order; got [2, 1].",
    ),
    (
        lambda: cp.Sample.from_events(TIMES.with_columns(goal=pl.Series(["car", "boat"])), attributes=["goal"]),
        cp.errors.InvalidSample,
        "row 1, column 'goal': all rows of a case must agree; case 7 has 'car' earlier and 'boat' here.",
    ),
    (
        lambda: cp.Sample.from_events(
            pl.DataFrame({"case": range(300), "event": ["a"] * 300, "amount": range(300)}), attributes=["amount"]
        ),
        cp.errors.InvalidSample,
        "column 'amount': an attribute must have at most 200 different values; it has 300. If they are numbers, give "
        "edges with attributes=….",
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
    (
        lambda: cp.Sample(["a", "b"], ids=[1, 2]).grouped([1]),
        cp.errors.InvalidSample,
        "groups must have one value for each id of the sample, of which there are 2; got 1 value.",
    ),
    (
        lambda: cp.Sample(["a", "a"]).grouped(["x", "y"]),
        cp.errors.InvalidSample,
        "groups must have one value for each distinct observation, of which there are 1; got 2 values. Name your rows "
        "with ids= of Sample, then there is one for each.",
    ),
    (
        lambda: cp.Sample(["a", "b"]).grouped("x"),
        cp.errors.InvalidSample,
        "groups must have one value for each distinct observation, of which there are 2; got 'x'. Name your rows with "
        "ids= of Sample, then there is one for each.",
    ),
    (
        lambda: cp.Sample(["a", "b"]).grouped(["x", math.nan]),
        cp.errors.InvalidSample,
        "groups must be names or numbers; got nan for row 1.",
    ),
    (
        lambda: cp.Sample(["a"], accepted=[True]).prefixes("event"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "weight must be 'case' or 'prefix'; got 'event'.",
    ),
    (
        lambda: cp.Sample(["a"], verdicts=[[True, False]]).prefixes(),
        cp.errors.InvalidSample,
        "prefixes are of cases with an outcome in the end, and this sample has verdicts or states along its words. "
        "Learn from these as they are: verdict_probabilities predicts along the way.",
    ),
    (
        lambda: cp.Sample(["a" * 40_000]).prefixes(),
        cp.errors.TooLarge,
        "the prefixes of these words have 800,020,000 symbols in all; the limit is 500,000,000. Take fewer cases, or "
        "shorter ones.",
    ),
    (
        lambda: cp.Sample(["a"], counts=np.ma.masked_array([1.0], [True])),
        cp.errors.InvalidSample,
        "counts has masked entries; fill them in first.",
    ),
    (
        lambda: cp.Sample(["a"], ids=[[]]),  # type: ignore[list-item]
        cp.errors.InvalidSample,
        "ids must be hashable, such as strings or numbers; got [].",
    ),
    (
        lambda: cp.Sample(["a"]).per_case(range(10**15)),
        cp.errors.InvalidSample,
        "there must be one value for each of the 1 distinct observation; got shape ().",
    ),
    (
        lambda: cp.Sample.concatenate([3]),  # type: ignore[list-item]
        cp.errors.InvalidArgument,
        "samples must be a list of one or more Samples; got [3].",
    ),
    (
        lambda: cp.data.Alphabet(np.array(3)),
        cp.errors.InvalidArgument,
        "an alphabet must be symbols in an order, such as 'ab' or ['buy', 'quit']; got array(3).",
    ),
    (
        lambda: cp.data.Alphabet("ab", np.array(["skip"] * 2)),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "unknown must be 'error', 'skip' or 'rare'; got array(['skip', 'skip'], dtype='<U4').",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
