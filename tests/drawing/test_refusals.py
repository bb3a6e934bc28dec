"""Drawings and tables: what is refused, and the sentence word for word."""

from collections.abc import Callable

import pytest

import cutpoint as cp
from tests.refusals import GOOD, Refusal, check_refused

A = cp.Acceptor(**GOOD)


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
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
