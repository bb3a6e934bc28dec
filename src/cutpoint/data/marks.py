"""Marks: what was seen at single positions of runs, and their codes."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.alphabet import is_hashable, is_missing
from cutpoint.errors import InvalidSample
from cutpoint.wording import counted, shown

State = Hashable
Verdict = bool | None


class Mark(NamedTuple):
    """What was seen at one position of a run: a verdict (is the state final?), the possible states, or nothing."""

    verdict: Verdict = None
    states: frozenset[State] | None = None


NOTHING, ACCEPTED, REJECTED = Mark(), Mark(True), Mark(False)
FIRST_MARKS = (NOTHING, ACCEPTED, REJECTED)  # marks 0, 1 and 2 of every sample; ``Sample.ends`` holds only these

_NUMBERS: dict[Any, int] = {mark.verdict: number for number, mark in enumerate(FIRST_MARKS)}


def _verdict(value: object, where: str) -> Verdict:
    """A verdict as True, False or None; 0 and 1 are taken too."""
    if not is_hashable(value) or value not in _NUMBERS:
        raise InvalidSample(f"{where} must be True, False, or None for not known; got {shown(value)}.")
    return FIRST_MARKS[_NUMBERS[value]].verdict


def end_codes(accepted: list[object]) -> NDArray[np.int32]:
    """Verdicts on words as indices into the first marks."""
    try:
        return np.array([_NUMBERS[value] for value in accepted], dtype=np.int32)
    except (KeyError, TypeError):
        for r, value in enumerate(accepted):
            _verdict(value, f"accepted[{r}]")
        raise


def position_marks(
    verdicts: list[Any], states: list[Any], lengths: NDArray[np.int64], table: list[Mark]
) -> NDArray[np.int32]:
    """Index into the table (which grows) for every position of every word."""
    numbers = {mark: number for number, mark in enumerate(table)}
    codes: list[int] = []
    for r, (seen, run, length) in enumerate(zip(verdicts, states, lengths.tolist(), strict=True)):
        word_verdicts = _positions("verdicts", seen, r, length)
        word_states = _positions("states", run, r, length)
        for i, (verdict, state) in enumerate(zip(word_verdicts, word_states, strict=True)):
            mark = Mark(_verdict(verdict, f"verdicts[{r}][{i}]"), _possible(state, r, i))
            codes.append(numbers.setdefault(mark, len(numbers)))
    table[:] = list(numbers)
    return np.array(codes, dtype=np.int32)


def _positions(name: str, values: Iterable[Any] | None, r: int, length: int) -> Sequence[Any]:
    if values is None:
        return [None] * (length + 1)
    if not isinstance(values, Iterable):
        raise InvalidSample(f"{name}[{r}] must be a sequence of {length + 1} values or None; got {shown(values)}.")
    listed = list(values)
    if len(listed) != length + 1:
        raise InvalidSample(f"{name}[{r}] must have {after_each(length)}; got {len(listed)}.")
    return listed


def after_each(length: int) -> str:
    """Number of values that a word needs along it, for messages."""
    values, symbols = counted(length + 1, "value"), counted(length, "symbol")
    return f"{values} for a word of {symbols}, one before the first symbol and one after each"


def _possible(state: object, r: int, i: int) -> frozenset[State] | None:
    """States that a seen value allows: a set stands for one of its members, anything else for itself."""
    if state is None:
        return None
    if isinstance(state, set):
        if not state:
            raise InvalidSample(f"states[{r}][{i}] is an empty set, which no run can satisfy; use None for not seen.")
        return frozenset(state)
    if not is_hashable(state) or is_missing(state):
        raise InvalidSample(f"states[{r}][{i}] must be a state's name, a set of names or None; got {shown(state)}.")
    return frozenset((state,))


def joined_ends(
    ends: NDArray[np.int32], marks: NDArray[np.int32], offsets: NDArray[np.int64], table: list[Mark]
) -> NDArray[np.int32]:
    """Move each verdict after the last symbol to the word, so that one observation has one form (marks change)."""
    joined = ends.copy()
    last = offsets[1:] + np.arange(len(ends))
    numbers = {mark: number for number, mark in enumerate(table)}
    for r, position in enumerate(last.tolist()):
        mark = table[marks[position]]
        if mark.verdict is None:
            continue
        end = FIRST_MARKS.index(Mark(mark.verdict))
        if ends[r] not in (0, end):
            given = FIRST_MARKS[ends[r]].verdict
            what = f"accepted[{r}] and the last of verdicts[{r}] must agree, as both are about the whole word"
            raise InvalidSample(f"{what}; got {given} and {mark.verdict}.")
        joined[r] = end
        marks[position] = numbers.setdefault(Mark(None, mark.states), len(numbers))
    table[:] = list(numbers)
    return joined
