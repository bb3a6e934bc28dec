"""JFLAP files (``.jff``): deterministic finite automata, read into acceptors whose rows have a single 1."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn
from xml.parsers import expat

from cutpoint.errors import FormatError, InvalidArgument
from cutpoint.files.contents import Model, Options, assembled, check_room
from cutpoint.files.source import MOST_TEXT, Source
from cutpoint.files.tokens import Number
from cutpoint.model import Acceptor
from cutpoint.wording import shown

SINK = "sink"
MOST_DEPTH = 10
"""Deepest nesting of elements; JFLAP's own files have four levels."""

LONGEST_TEXT = 10_000
"""Most characters of an element."""


def write(_: Model, __: Options) -> dict[str, bytes]:
    """Refuse: JFLAP has no probabilities."""
    raise InvalidArgument("JFLAP files are only read, not written: they have no probabilities. Save as .json, say.")


def read(source: Source, options: Options) -> Model:
    """Acceptor of a deterministic automaton; where it is partial, the missing steps lead to a state ``sink``."""
    automaton = _Reader(source).automaton()
    return Model(automaton.acceptor(source, options))


@dataclass
class _Automaton:
    """States by id with their names; steps with the lines they stand on."""

    names: dict[str, str] = field(default_factory=dict)
    initial: list[str] = field(default_factory=list)
    final: set[str] = field(default_factory=set)
    steps: dict[tuple[str, str], str] = field(default_factory=dict)

    def acceptor(self, source: Source, options: Options) -> Acceptor:
        """Complete the automaton; every step has probability 1."""
        if len(self.initial) != 1:
            raise source.refused(f"expected one initial state; got {len(self.initial)}.")
        symbols = sorted({symbol for _, symbol in self.steps})
        ids = list(self.names)
        names: list[Hashable] = list(self.names.values())
        if len(self.steps) < len(ids) * len(symbols):
            names.append(next(name for name in (SINK + "_" * k for k in range(len(ids) + 1)) if name not in names))
        check_room(source, len(names), len(symbols), exact=True)
        code = {state: s for s, state in enumerate(ids)}
        steps: dict[tuple[int, int, int], Number] = {}
        for a, symbol in enumerate(symbols):
            for s in range(len(names)):
                after = self.steps.get((ids[s], symbol)) if s < len(ids) else None
                steps[a, s, code[after] if after is not None else len(ids)] = Fraction(1)
        start = {code[self.initial[0]]: Fraction(1)}
        final = [s < len(ids) and ids[s] in self.final for s in range(len(names))]
        return assembled(source, options, names, symbols, steps, start, final)


class _Reader:
    """Elements as they come; a document type, where entities could be declared, is refused at once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found = _Automaton()
        self.path: list[str] = []
        self.text = ""
        self.state = ""
        self.parts: dict[str, str] = {}
        self.kind = ""
        self.late: list[tuple[int, str]] = []
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = lambda *_: self.refuse("a document type is not read; delete it.")
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._characters

    def automaton(self) -> _Automaton:
        """Read the whole file."""
        try:
            self.parser.Parse(self.source.content(MOST_TEXT), True)
        except expat.ExpatError as wrong:
            text = expat.errors.messages[wrong.code]
            raise self.source.refused(f"this is not XML ({text}). Is the file whole?", f"line {wrong.lineno}") from None
        except FormatError:
            raise
        except (LookupError, ValueError) as wrong:  # an encoding that Python does not know
            raise self.source.refused(f"this is not XML ({wrong}).") from None
        if self.kind != "fa":
            raise self.source.refused(f"expected an automaton of type fa, a finite one; got {shown(self.kind)}.")
        for line, state in self.late:
            if state not in self.found.names:
                raise self.source.refused(f"the state {shown(state)} is not declared.", f"line {line}")
        return self.found

    def refuse(self, sentence: str) -> NoReturn:
        """Error at the current line."""
        raise self.source.refused(sentence, f"line {self.parser.CurrentLineNumber}")

    def _open(self, element: str, attributes: dict[str, str]) -> None:
        self.path.append(element)
        self.text = ""
        if len(self.path) > MOST_DEPTH:
            self.refuse("the elements are nested too deeply.")
        if element == "state":
            self._declare(attributes)
        elif element == "transition":
            self.parts = {}
        elif element == "initial" and self.path[-2:-1] == ["state"]:
            self.found.initial.append(self.state)
        elif element == "final" and self.path[-2:-1] == ["state"]:
            self.found.final.add(self.state)

    def _close(self, element: str) -> None:
        self.path.pop()
        inside = self.path[-1] if self.path else ""
        if element == "type" and inside == "structure":
            self.kind = self.text.strip()
        elif inside == "transition":
            if element in self.parts:
                self.refuse(f"<{element}> occurs twice in a transition.")
            self.parts[element] = self.text
        elif element == "transition":
            self._step()

    def _characters(self, text: str) -> None:
        if len(self.text) + len(text) > LONGEST_TEXT:
            self.refuse(f"expected at most {LONGEST_TEXT:,} characters in an element.")
        self.text += text

    def _declare(self, attributes: dict[str, str]) -> None:
        self.state = attributes.get("id", "")
        if "id" not in attributes or self.state in self.found.names:
            self.refuse("every state needs an id of its own.")
        self.found.names[self.state] = attributes.get("name", self.state)

    def _step(self) -> None:
        if not {"from", "to", "read"} <= self.parts.keys():
            self.refuse("a transition needs <from>, <to> and <read>.")
        before, after, symbol = self.parts["from"].strip(), self.parts["to"].strip(), self.parts["read"]
        if len(symbol) != 1:
            what = "one that reads nothing" if not symbol else shown(symbol)
            self.refuse(f"a deterministic automaton reads one character in each step; got {what}.")
        if (before, symbol) in self.found.steps:
            self.refuse(
                f"the automaton is not deterministic: a second step of state {shown(before)} reads {shown(symbol)}."
            )
        self.late += [(self.parser.CurrentLineNumber, before), (self.parser.CurrentLineNumber, after)]
        self.found.steps[before, symbol] = after
