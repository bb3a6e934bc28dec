"""How a refusal is checked, for the table of each folder."""

from collections.abc import Callable
from typing import Any

import pytest

Refusal = tuple[Callable[[], object], type[Exception], str]
"""A call, the kind of error that it must raise, and the sentence word for word."""

GOOD: dict[str, Any] = {
    "states": ["q1", "q2"],
    "alphabet": "ab",
    "transitions": {"a": [[0.5, 0.5], [0, 1]], "b": [[1, 0], [0.25, 0.75]]},
    "initial": "q1",
    "final": {"q2"},
}
"""Parts of an acceptor that fit together."""


def check_refused(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    """The call is refused with this sentence, and the sentence is short enough to be read."""
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence
    assert len(sentence) < 400
