"""Events of running cases as lines of NDJSON, and a line of NDJSON that answers each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from cutpoint.cases.runs import Runs
from cutpoint.data.column_names import verdict_of
from cutpoint.data.storage import reason
from cutpoint.errors import InvalidArgument, UnknownSymbol

NOT_READ = -1  # code of an event that only closes its case, and of a line that holds no event
FAULTS = msgspec.MsgspecError, UnicodeDecodeError, RecursionError
VERDICTS = (False, True, None)  # by 0, 1 and -1
SEEN = {None: 0, True: 1, False: 2}  # marks of what was seen


class EventAnswer(msgspec.Struct, gc=False):
    """Where a case stands after the event of a line."""

    line: int
    id: str | int
    events: int
    acceptance: float
    accepted: bool | UnsetType | None = UNSET
    alarm: str | UnsetType = UNSET
    closed: bool | UnsetType = UNSET
    impossible: bool | UnsetType = UNSET


class LineError(msgspec.Struct):
    """What is wrong with a line; it changes no case."""

    line: int
    error: str


@dataclass(frozen=True)
class ParsedLines:
    """Lines of NDJSON and the events in them.

    Attributes
    ----------
    content : the lines themselves, each with its line feed.
    codes : of the symbols, -1 where no symbol is to be read.
    closing : lines whose event closes its case.
    verdicts : of what was seen with the events: 1 accepted, 2 rejected, 0 nothing; None if there are no verdicts.
    errors : by line, counted from 0.
    """

    content: bytes
    ids: list[str | int | None]
    codes: list[int]
    closing: set[int]
    verdicts: list[int] | None
    errors: dict[int, str]

    def before_error(self) -> ParsedLines:
        """The lines before the first one with an error, or all of them."""
        end = min(self.errors, default=len(self.ids))
        content = b"".join(line + b"\n" for line in self.content.split(b"\n")[:end])
        verdicts = self.verdicts and self.verdicts[:end]
        closing = {i for i in self.closing if i < end}
        return ParsedLines(content, self.ids[:end], self.codes[:end], closing, verdicts, {})


class EventLines:
    r"""Lines of events read by :class:`Runs`, each answered by a line.

    Parameters
    ----------
    runs : the cases.
    id, event : names of the fields with the id of the case and with its event.
    close : events that close their case: they are read if they are symbols, and then the case is forgotten.
    verdict : name of a field that an event may have: whether the case was seen to be accepted right after it (true or
        false, 1 or 0, yes or no, or the model's names of its classes), which counts for the events that follow.

    Examples
    --------
    >>> lines = EventLines(cp.Runs(cp.p_adic(2), "1/2"), id="who", event="what")
    >>> print(lines.answers(lines.parsed(b'{"who": "ann", "what": "1"}\nwhat?\n')).decode(), end="")
    {"line":1,"id":"ann","events":1,"acceptance":0.5,"accepted":false}
    {"line":2,"error":"expected an object with the fields 'who' and 'what', texts or whole numbers (JSON is malformed:
    invalid character (byte 0))."}
    """

    def __init__(
        self, runs: Runs, id: str = "id", event: str = "event", close: Collection[str] = (), verdict: str | None = None
    ) -> None:
        if id == event:
            raise InvalidArgument(f"must be another field than the id; got {event!r} for both.", argument="event")
        if verdict in (id, event):
            raise InvalidArgument(f"must be a field of its own; got {verdict!r}.", argument="verdict")
        self.runs = runs
        self.lines = 0
        """Number of lines answered so far."""
        self.settings = [
            id,
            event,
            runs.acceptor.alphabet.on_unknown,
            *sorted(close),
            *([[verdict]] if verdict else []),
        ]
        """What decides how a line is understood."""
        alphabet = runs.acceptor.alphabet
        by_text = {str(symbol): code for code, symbol in enumerate(alphabet)}
        self._close = {*close, *(int(name) for name in close if name.isdecimal())}
        closing = dict.fromkeys(self._close, NOT_READ)
        plain = {symbol: code for code, symbol in enumerate(alphabet) if type(symbol) in (str, int)}
        self._codes: dict[Any, int] = closing | by_text | plain
        self._expected = f"expected an object with the fields {id!r} and {event!r}, texts or whole numbers"
        fields: Any = [("id", str | int), ("event", str | int)]
        names = {"id": id, "event": event}
        if verdict is not None:
            fields.append(("verdict", str | int | float | bool | None, None))
            names["verdict"] = verdict
            self._expected += f", and maybe {verdict!r}"
        kind = msgspec.defstruct("Event", fields, rename=names, gc=False)
        self._verdict = verdict
        self._marks = dict(zip(runs.acceptor.model.classes or (), (2, 1), strict=False))
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)
        self._encoder = msgspec.json.Encoder()
        self._unknown = lru_cache(maxsize=1024)(self._code_or_refusal)  # the same ones come again and again

    def parsed(self, content: bytes) -> ParsedLines:
        """Events of whole lines; changes nothing."""
        events, errors = self._events(content)
        ids = [each and each.id for each in events]
        codes: list[Any] = [NOT_READ if each is None else self._codes.get(each.event) for each in events]
        for i in [i for i, code in enumerate(codes) if code is None]:
            codes[i] = found = self._unknown(events[i].event)
            if isinstance(found, str):
                ids[i], codes[i], errors[i] = None, NOT_READ, found
        verdicts = None if self._verdict is None else self._verdicts(events, ids, codes, errors)
        closing = {i for i, each in enumerate(events) if each and each.event in self._close} if self._close else set()
        return ParsedLines(content, ids, codes, closing - errors.keys(), verdicts, errors)

    def _verdicts(self, events: list[Any], ids: list[Any], codes: list[int], errors: dict[int, str]) -> list[int]:
        """Mark of what was seen with each event; a line whose verdict makes no sense is not read."""
        found = [0 if each is None or each.verdict is None else self._mark(each.verdict) for each in events]
        for i in [i for i, mark in enumerate(found) if mark is None]:
            what = f"{self._verdict!r} must be true or false, 1 or 0, yes or no, or missing; got {events[i].verdict!r}."
            ids[i], codes[i], errors[i], found[i] = None, NOT_READ, errors.get(i, what), 0
        return found  # type: ignore[return-value]

    def _mark(self, value: Any) -> int | None:
        if value in self._marks:
            return self._marks[value]
        try:
            return SEEN[verdict_of(value)]
        except ValueError:
            return None

    def _code_or_refusal(self, symbol: str | int) -> int | str:
        """What an unknown symbol is read as, or why it is not read."""
        try:
            return self.runs.code(symbol)
        except UnknownSymbol as error:
            return str(error)

    def _events(self, content: bytes) -> tuple[list[Any], dict[int, str]]:
        """Event of each line, None where there is none, and errors by line."""
        n_lines = content.count(b"\n")
        if content.count(b"}\n{") == n_lines - 1:  # otherwise an object might spread over lines
            with suppress(*FAULTS):
                events = self._decoder.decode_lines(content)
                if len(events) == n_lines:
                    return events, {}
        events, errors = [None] * n_lines, {}
        for i, line in enumerate(content.split(b"\n")[:-1]):
            if line and not line.isspace():
                try:
                    events[i] = self._decoder.decode(line)
                except FAULTS as problem:
                    errors[i] = f"{self._expected} ({reason(problem)})."
        return events, errors

    def answers(self, parsed: ParsedLines) -> bytes:
        """Read the events; a line for each line, but for those that are empty."""
        answers: list[Any] = [None] * len(parsed.ids)
        for i, error in parsed.errors.items():
            answers[i] = LineError(self.lines + i + 1, error)
        for stretch in _stretches(parsed):
            reading = [i for i in stretch if parsed.codes[i] != NOT_READ]
            for i, answer in zip(reading, self._read(parsed, reading), strict=True):
                answers[i] = answer
            for i in parsed.closing.intersection(stretch):
                id: Any = parsed.ids[i]
                state = self.runs.close(id) if id in self.runs else self.runs.before_first
                verdict = UNSET if self.runs.cut_point is None else state.accepted
                number = self.lines + i + 1
                answers[i] = answers[i] or EventAnswer(number, id, state.events, state.acceptance, verdict)
                answers[i].closed = True
        self.lines += len(answers)
        return self._encoder.encode_lines([answer for answer in answers if answer is not None])

    def _read(self, parsed: ParsedLines, reading: list[int]) -> Iterable[EventAnswer]:
        """Answers to the events of some lines, none of whose cases is closed among them."""
        ids: list[Any] = [parsed.ids[i] for i in reading]
        seen = None
        if parsed.verdicts is not None and any(marks := [parsed.verdicts[i] for i in reading]):
            final = self.runs.acceptor.final
            seen = np.stack([np.ones_like(final), final, ~final])[marks]
        updates = self.runs.advance(ids, np.array([parsed.codes[i] for i in reading], dtype=np.int32), seen)
        numbers = [self.lines + i + 1 for i in reading]
        accepted: Iterable[Any] = repeat(UNSET)
        if self.runs.cut_point is not None:
            accepted = [VERDICTS[verdict] for verdict in updates.accepted.tolist()]
        columns = numbers, ids, updates.events.tolist(), updates.acceptances.tolist(), accepted
        answers = list(map(EventAnswer, *columns))
        for i in np.flatnonzero(updates.crossed).tolist():
            answers[i].alarm = "above" if answers[i].accepted else "below"
        for i in np.flatnonzero(updates.impossible).tolist():
            answers[i].impossible = True
        return answers


def _stretches(parsed: ParsedLines) -> Iterator[range]:
    """Lines one after the other, cut where a case begins anew that was closed."""
    start, closed = 0, set[Any]()
    for i in parsed.closing and range(len(parsed.ids)):
        if parsed.ids[i] in closed:
            yield range(start, i)
            start, closed = i, set()
        if i in parsed.closing:
            closed.add(parsed.ids[i])
    yield range(start, len(parsed.ids))
