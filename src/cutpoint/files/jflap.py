"""JFLAP files (``.jff``): deterministic finite automata, read into acceptors whose rows have a single 1."""

from fractions import Fraction
from typing import NoReturn
from xml.parsers import expat

from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.contents import Options, assembled, check_room
from cutpoint.files.streams import MOST_TEXT, Source
from cutpoint.files.tokens import unused
from cutpoint.model import Acceptor
from cutpoint.model.prediction import Model
from cutpoint.wording import shown

MOST_DEPTH = 10  # deepest nesting of elements; JFLAP's own files have four levels
LONGEST_TEXT = 10_000  # most characters of an element


def write(_: Model, __: Options) -> dict[str, bytes]:
    """Refuse: JFLAP has no probabilities."""
    raise InvalidArgument("JFLAP files are only read, not written: they have no probabilities. Save as .json, say.")


def read(source: Source, options: Options) -> Model:
    """Acceptor of a deterministic automaton; where it is partial, the missing steps lead to a state ``sink``."""
    return Model(JflapReader(source).acceptor(options))


class JflapReader:
    """Elements as they come; a document type, where entities could be declared, is refused at once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = self.text = self.state = ""
        self.path: list[str] = []
        self.parts: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.initial: list[str] = []
        self.final: set[str] = set()
        self.steps: dict[tuple[str, str], tuple[str, int]] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = lambda *_: self.refuse("a document type is not read; delete it.")
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._characters
        try:
            self.parser.Parse(source.content(MOST_TEXT), True)
        except expat.ExpatError as wrong:
            text = expat.errors.messages[wrong.code]
            raise source.refused(f"this is not XML ({text}). Is the file whole?", f"line {wrong.lineno}") from None
        except CutpointError:
            raise
        except (LookupError, ValueError) as wrong:  # an encoding that Python does not know
            raise source.refused(f"this is not XML ({wrong}).") from None

    def acceptor(self, options: Options) -> Acceptor:
        """The automaton, completed; every step has probability 1."""
        if self.kind != "fa":
            raise self.source.refused(f"expected an automaton of type fa, a finite one; got {shown(self.kind)}.")
        for (before, _), (after, line) in self.steps.items():
            for state in sorted({before, after} - self.names.keys()):
                raise self.source.refused(f"the state {shown(state)} is not declared.", f"line {line}")
        if len(self.initial) != 1:
            raise self.source.refused(f"expected one initial state; got {len(self.initial)}.")
        names, sink = dict(self.names), unused("sink", self.names)
        symbols = {symbol: symbol for symbol in sorted({symbol for _, symbol in self.steps})}
        if len(self.steps) < len(names) * len(symbols):
            names[sink] = unused("sink", names.values())
        check_room(self.source, len(names), len(symbols))
        steps = {(before, symbol, sink): Fraction(1) for before in names for symbol in symbols}
        for (before, symbol), (after, _) in self.steps.items():
            del steps[before, symbol, sink]
            steps[before, symbol, after] = Fraction(1)
        initial = {self.initial[0]: Fraction(1)}
        return assembled(self.source, options, names, symbols, steps, initial, self.final)

    def refuse(self, sentence: str) -> NoReturn:
        """Error at the current line."""
        raise self.source.refused(sentence, f"line {self.parser.CurrentLineNumber}")

    def _open(self, element: str, attributes: dict[str, str]) -> None:
        self.path.append(element)
        self.text = ""
        if len(self.path) > MOST_DEPTH:
            self.refuse("the elements are nested too deeply.")
        if element == "state":
            self.state = attributes.get("id", "")
            if "id" not in attributes or self.state in self.names:
                self.refuse("every state needs an id of its own.")
            self.names[self.state] = attributes.get("name", self.state)
        elif element == "transition":
            self.parts = {}
        elif self.path[-2:] == ["state", "initial"]:
            self.initial.append(self.state)
        elif self.path[-2:] == ["state", "final"]:
            self.final.add(self.state)

    def _close(self, element: str) -> None:
        self.path.pop()
        if [*self.path[-1:], element] == ["structure", "type"]:
            self.kind = self.text.strip()
        elif self.path[-1:] == ["transition"]:
            if element in self.parts:
                self.refuse(f"<{element}> occurs twice in a transition.")
            self.parts[element] = self.text
        elif element == "transition":
            self._step()

    def _characters(self, text: str) -> None:
        if len(self.text) + len(text) > LONGEST_TEXT:
            self.refuse(f"expected at most {LONGEST_TEXT:,} characters in an element.")
        self.text += text

    def _step(self) -> None:
        if not {"from", "to", "read"} <= self.parts.keys():
            self.refuse("a transition needs <from>, <to> and <read>.")
        before, after, symbol = self.parts["from"].strip(), self.parts["to"].strip(), self.parts["read"]
        if len(symbol) != 1:
            found = shown(symbol) if symbol else "one that reads nothing"
            self.refuse(f"a deterministic automaton reads one character in each step; got {found}.")
        if (before, symbol) in self.steps:
            second = f"a second step of state {shown(before)} reads {shown(symbol)}"
            self.refuse(f"the automaton is not deterministic: {second}.")
        self.steps[before, symbol] = after, self.parser.CurrentLineNumber
