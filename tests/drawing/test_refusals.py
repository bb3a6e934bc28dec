"""Drawings and tables: what is refused, and the sentence word for word."""

from collections.abc import Callable
from typing import Any

import pytest

import cutpoint as cp

GOOD: dict[str, Any] = {
    "states": ["q1", "q2"],
    "alphabet": "ab",
    "transitions": {"a": [[0.5, 0.5], [0, 1]], "b": [[1, 0], [0.25, 0.75]]},
    "initial": "q1",
    "final": {"q2"},
}

A = cp.Acceptor(**GOOD)


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (
        lambda: cp.drawing.to_dot("A"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor, a DFA or a BeliefNetwork to draw; got 'A'.",
    ),
    (
        lambda: cp.drawing.forward_table("x", "01"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor; got 'x'.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence
    assert len(sentence) < 400
