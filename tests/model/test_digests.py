"""Digests of problems: the same in every process, whatever the order of a set; another for every part that counts."""

import enum
import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.model.digests import digest_of

A = cp.Acceptor(["s", "t"], "ab", [[[0.5, 0.5], [0, 1]], [[1, 0], [0.25, 0.75]]], "s", {"t"})
WORDS: dict[str, Any] = {"words": ["ab", "b"], "accepted": [True, False], "states": [[{"s", "t"}, None, None], None]}


def sample(**changes: Any) -> cp.Sample:
    return cp.Sample(**WORDS | changes)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


DIFFERENT: list[Any] = [
    (), [[]], "", "a", b"a", ["a"], [["a"]], ["a", "b"], "ab", {"a"}, {"a", "b"}, {"a": "b"}, {"b": "a"},
    None, 0, 1, -1, 10**5000, True, False, 1.0, 0.1, -0.0, 0.0, float("inf"), Fraction(1, 3), "1/3",
    date(2020, 1, 1), datetime(2020, 1, 1), timedelta(1), timedelta(seconds=1), Color.RED, Color.BLUE, "\ud800",
    np.arange(4), np.arange(4, dtype=np.int32), np.arange(4).reshape(2, 2), np.arange(4.0), np.zeros(0), np.zeros((0, 2)),
    A, A.replace(states=["t", "s"]), A.replace(alphabet="ba"), A.replace(alphabet="ac"), A.with_unknown("skip"),
    A.replace(final=["s"]), A.replace(initial="t"), A.replace(transitions=A.transitions[::-1]),
    cp.Generator(2, "ab", {"a": {0: {1: 0.8}}, "b": {1: {0: 0.6}}}, 0, [0.2, 0.4]),
    sample(), sample(words=["ab", "a"]), sample(accepted=[True, True]), sample(counts=[1, 2]),
    sample(states=[["s", None, None], None]), sample(states=[[{"s", "u"}, None, None], None]),
    sample(alphabet="ba"), sample(alphabet="abc"), sample().grouped(["x", "x"]), sample().grouped(["x", "y"]),
]  # fmt: skip


def test_every_difference_is_seen() -> None:
    found = [digest_of(value) for value in DIFFERENT]
    assert len(set(found)) == len(DIFFERENT)
    assert len({digest_of(value, value) for value in DIFFERENT} | {*found}) == 2 * len(DIFFERENT)


def test_what_makes_no_difference() -> None:
    assert digest_of(("a", 1)) == digest_of((np.str_("a"), np.int64(1)))
    assert digest_of({"a": 1, "b": {2, 3}}) == digest_of({"b": frozenset((3, 2)), "a": 1})
    columns = np.arange(6.0).reshape(2, 3)
    assert digest_of(columns) == digest_of(np.asfortranarray(columns))
    assert digest_of(A) == digest_of(A.replace())
    assert digest_of(sample()) == digest_of(sample(ids=["one", "two"]))


class Unknown:
    def __repr__(self) -> str:
        return "x"


@pytest.mark.parametrize("value", [Unknown(), [Unknown()], {Unknown()}, np.array([Unknown()]), len, iter("ab")])
def test_a_value_of_an_unknown_type_is_refused_and_not_told_by_its_text(value: Any) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=r"^the values of a problem must be texts, numbers, arrays or"):
        digest_of(value)


def test_every_process_finds_the_same() -> None:
    code = (
        "import cutpoint as cp\n"
        "from cutpoint.model.digests import digest_of\n"
        "names = {'left', 'right', 'up', 'down', 3, (1, 'x')}\n"
        "sample = cp.Sample(['ab'], states=[[names, None, names - {3}]])\n"
        "print(digest_of(names, sample, {name: name for name in names}, frozenset([frozenset('abc'), 1])))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in "012"
    }
    assert len(found) == 1
