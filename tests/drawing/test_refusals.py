"""Drawings and tables: what is refused, and the sentence word for word."""

from collections.abc import Callable

import pytest

import cutpoint as cp
from tests.refusals import GOOD, Refusal, check_refused

A = cp.Acceptor(**GOOD)
SAMPLE = cp.Sample(["a", "b"], accepted=[True, False])
FIT = cp.baum_welch(A, SAMPLE, max_steps=1)


REFUSED: list[Refusal] = [
    (
        lambda: cp.drawing.to_dot("A"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor, a Generator, a DFA or a BeliefNetwork to draw; got 'A'.",
    ),
    (
        lambda: cp.drawing.forward_table("x", "01"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor; got 'x'.",
    ),
    (
        lambda: cp.report(FIT, SAMPLE, "page.html", about=0.5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "about must be a mapping of texts, or None; got 0.5.",
    ),
    (
        lambda: cp.report(FIT, SAMPLE, "page.html", outcomes=("yes",)),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "outcomes must be two texts; got ('yes',).",
    ),
    (
        lambda: cp.report(FIT, SAMPLE, "page.html", cases=3),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "cases must be a Sample, or None; got 3.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
