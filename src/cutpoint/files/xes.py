"""XES, the standard format of process logs (IEEE 1849): a trace is a case, with events and attributes of its own.

The file is read as it comes, some thousands of events at a time. A document type is refused, and with it all entities.
"""

import io
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from cutpoint.errors import CutpointError
from cutpoint.files.streams import BLOCK, LONGEST_LINE, InputFile, Rows, name_of, opened, refusal
from cutpoint.wording import counted, shown

ROWS = 1 << 13  # events that make up a block, which ends with a trace
MOST_COLUMNS = 1000  # different attributes of a block
MOST_DEPTH = 100  # elements within each other
VALUES: dict[str, Any] = {"string": str, "date": str, "id": str, "int": int, "float": float, "boolean": str}
"""Kinds of attributes that are read, and what their values become; lists and containers are left out."""


def rows_of(source: InputFile) -> Iterator[Rows]:
    """Rows of a log, one per event; a trace without events is one row without an event.

    The columns are the keys of the attributes, those of the trace with ``case:`` in front, as in ``case:concept:name``.
    All events of a trace are in one block.
    """
    log = _Log(name_of(source), is_text=isinstance(source, io.TextIOBase))
    with opened(source) as read:
        while data := read(BLOCK):
            log.read(data)
            if len(log.events) >= ROWS and (rows := log.whole_traces()):
                yield rows
    log.read(b"", is_last=True)
    if rows := log.whole_traces():
        yield rows


class _Log:
    """What was read of a log, and where in it the parser is."""

    def __init__(self, name: str, is_text: bool) -> None:
        self.name = name
        self.events: list[tuple[int, dict[str, Any]]] = []  # line and attributes of each event that was read
        self.n_whole = 0  # events in traces that have ended
        self.n_bytes = 0
        self.path: list[str] = []  # elements that are open
        self.trace: dict[str, Any] = {}
        self.n_traces = 0
        self.first_of_trace = 0
        self.names: set[int] = set()  # hashes of the names of traces
        self.parser = expat.ParserCreate("utf-8" if is_text else None)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def read(self, data: bytes, is_last: bool = False) -> None:
        """Go on with further bytes; a part without end is refused before it fills the memory."""
        self.n_bytes += len(data)
        try:
            self.parser.Parse(data, is_last)
        except expat.ExpatError as problem:
            if not self.n_bytes:
                raise refusal(self.name, "the file is empty.") from None
            what = f"the XML is not well-formed ({expat.ErrorString(problem.code)})."
            raise refusal(self.name, what, problem.lineno) from None
        except CutpointError:
            raise
        except (LookupError, ValueError) as problem:  # an encoding that Python does not have
            raise refusal(self.name, f"the XML cannot be read ({problem}).") from None
        if self.n_bytes - self.parser.CurrentByteIndex > LONGEST_LINE:
            raise self._refusal(f"an element must have at most {counted(LONGEST_LINE, 'byte')}; it has more.")

    def whole_traces(self) -> Rows | None:
        """Events of the traces that have ended, as rows; they are forgotten here."""
        whole, self.events = self.events[: self.n_whole], self.events[self.n_whole :]
        self.first_of_trace -= self.n_whole
        self.n_whole = 0
        keys = dict.fromkeys(key for _, event in whole for key in event)
        if len(keys) > MOST_COLUMNS:
            raise self._refusal(f"events must have at most {counted(MOST_COLUMNS, 'different attribute')}; got more.")
        columns: dict[str | int, list[Any]] = {key: [event.get(key) for _, event in whole] for key in keys}
        return Rows(columns, [line for line, _ in whole], has_whole_cases=True) if whole else None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element, path = tag.rpartition(":")[2], self.path
        path.append(element)
        depth = len(path)
        if depth == 1 and element != "log":
            raise self._refusal(f"expected an XES log, an element <log>; got <{shown(tag)[1:-1]}>.")
        if depth == 2 and element == "trace":
            self.trace, self.first_of_trace = {}, len(self.events)
            self.line_of_trace = self.parser.CurrentLineNumber
        elif depth == 3 and path[1] == "trace" and element == "event":
            self.events.append((self.parser.CurrentLineNumber, {}))
        elif depth == 3 and path[1] == "trace" and element in VALUES:
            self._attribute(self.trace, element, attributes, "case:")
        elif depth == 4 and path[1:3] == ["trace", "event"] and element in VALUES:
            self._attribute(self.events[-1][1], element, attributes)
        elif depth > MOST_DEPTH:
            raise self._refusal(f"elements must be nested at most {MOST_DEPTH} deep; they are deeper.")

    def _attribute(self, found: dict[str, Any], kind: str, given: dict[str, str], prefix: str = "") -> None:
        key, text = given.get("key"), given.get("value")
        if key is None or text is None:
            raise self._refusal(f"an attribute must have a key and a value; <{kind}> lacks one.")
        try:
            found[prefix + key] = VALUES[kind](text)
        except ValueError:
            what = f"the attribute {shown(key)} must be a number, as it is of the kind {kind}; got {shown(text)}."
            raise self._refusal(what) from None
        if len(found) > MOST_COLUMNS:
            raise self._refusal(f"there must be at most {counted(MOST_COLUMNS, 'attribute')}; got more.")

    def _end(self, tag: str) -> None:
        if len(self.path) == 2 and self.path[1] == "trace":
            self._check_name()
            if len(self.events) == self.first_of_trace:
                self.events.append((self.line_of_trace, {}))
            for _, event in self.events[self.first_of_trace :]:
                event.update(self.trace)
            self.n_whole = len(self.events)
        self.path.pop()

    def _check_name(self) -> None:
        """Refuse a second trace of the same name: scores could not be told apart."""
        name = self.trace.get("case:concept:name")
        if hash(name) in self.names:
            what = f"the name of a trace must occur once; {shown(name)} is that of an earlier trace too."
            raise refusal(self.name, what, self.line_of_trace)
        if name is not None:
            self.names.add(hash(name))

    def _doctype(self, *_: object) -> None:
        raise self._refusal("a log must not have a document type (DOCTYPE), which could declare entities.")

    def _refusal(self, what: str) -> CutpointError:
        return refusal(self.name, what, self.parser.CurrentLineNumber)
