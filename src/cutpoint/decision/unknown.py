"""The answer when a limit was reached first."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutpoint.data.names import counted


@dataclass(frozen=True)
class Unknown:
    """No answer within the limit: ``explored`` states were seen, and there are more. Raising it may or may not help.

    ``reason`` says what was decided and what was not. As a truth value it is false.

    Examples
    --------
    >>> bool(Unknown(explored=100))
    False
    """

    explored: int
    reason: str = field(default="", compare=False, repr=False)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return self.reason or f"unknown: {counted(self.explored, 'state')} explored, and there are more."
