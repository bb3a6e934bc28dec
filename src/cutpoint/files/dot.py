r"""DOT: the state diagram of an acceptor for Graphviz, with nothing left out; graphs written by hand are read too.

States are nodes, and the label of an arrow has lines such as ``a, b: 1/2``. Names are words of :mod:`.tokens`, so that
neither the comma nor the colon of a label can be part of one. A dashed arrow, or one from a node without a border,
shows where runs start. What DOT means is left to Graphviz' own parser; a look at the words of the file before bounds
what it can take, and refuses what may be meant otherwise.
"""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from html import unescape
from itertools import product
from threading import Lock
from typing import IO, Any

from cutpoint.diagrams.diagram import LabelStyle, Look
from cutpoint.diagrams.picture import dot_text
from cutpoint.errors import FormatError, MissingExtra
from cutpoint.files.contents import MOST_ENTRIES, MOST_FRACTIONS, Options, assembled, check_room, fitting
from cutpoint.files.streams import MOST_LINES, Source
from cutpoint.files.tokens import MARK, Number, number_of, numeral, token
from cutpoint.model import Acceptor
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown

START = "start [shape=none]; start -> q0;"  # how it is drawn that runs start in q0
ADVICE = "Write probabilities as in a, b: 1/2, or use {normalized=True} to rescale rows."
"""What to do about rows that do not sum to 1."""
BORDERLESS = ("plaintext", "plain", "none", "point")
DOUBLE = ("doublecircle", "doubleoctagon")
OTHER_LABELS = ("xlabel", "headlabel", "taillabel")

WHOLE = LabelStyle(partial(token, digits=int), token, numeral, is_whole=True)
"""Every name and number in full, and the order of the symbols."""


def write(model: Model, _: Options) -> dict[str, bytes]:
    """State diagram of an acceptor that leaves nothing out."""
    return {"": f"{dot_text(fitting(model, 'DOT').diagram(Look(), WHOLE))}\n".encode()}


# -- Words of a file ---------------------------------------------------------------------------------------------

MOST_WORDS = 10_000_000
"""Most words and signs outside of brackets: a file that was saved has at most five for each of two million arrows."""
MOST_PARALLEL = 100_000  # most arrows beyond one for each pair of nodes; what was saved has none
MOST_VALUES = 2**26
"""Most values of attributes: Graphviz keeps one for each attribute of each node and arrow, given or not."""
KEYWORDS = 10  # words that are no states: node, edge, graph, and where runs start

_COMMENT = r"//[^\n]*+ | /\*.*?\*/ | ^\#[^\n]*+"
_BLANK = rf"(?: [ \t\r\n;]++ | {_COMMENT} )"
_LETTER = r"A-Za-z_\x80-\U0010ffff"
_QUOTE = r'"(?:[^"\\]++|\\.)*+"'
_WORD = rf"""(?: [{_LETTER}][{_LETTER}0-9]*+ | -?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?![{_LETTER}0-9.]) | {_QUOTE} )"""
_OPEN = rf"""\[ (?: {_QUOTE} | {_COMMENT} | [^\]"<+/\#]++ | /(?!\*) | \# )*+"""
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_HEAD = re.compile(rf"{_BLANK}*+ (?: [Dd][Ii][Gg][Rr][Aa][Pp][Hh] {_BLANK}*+ {_WORD}?+ {_BLANK}*+ \{{ )?+", _FLAGS)
_PIECE = re.compile(
    rf"""{_BLANK}++ | (?P<setting> {_WORD} {_BLANK}*+ = {_BLANK}*+ {_WORD} ) | (?P<node> {_WORD} ) | (?P<arrow> -> )
    | (?P<attributes> {_OPEN} \] ) | (?P<end> \}} {_BLANK}*+ ) | (?P<other> . )""",
    _FLAGS,
)
_BRACKET = re.compile(_OPEN, _FLAGS)
_COMMENT_OR_QUOTE = re.compile(rf"{_COMMENT} | {_QUOTE}", _FLAGS)
_RUN = re.compile(r'[^"\\]{4000}')
"""Graphviz reads at most 16,384 bytes at a time; a backslash at the end of a line continues a text in quotes."""
_HIDDEN = re.compile(r'"(?:\\\r?\n)*%')
_ATTRIBUTE = re.compile(rf"( {_WORD} ) {_BLANK}*+ (=?) | [0-9]++", _FLAGS)
_REFUSED = {
    '"': "the quote is not closed.",
    "/*": "the comment is not closed.",
    "<": "labels in HTML are not read. Write them in quotes.",
    "--": "expected an arrow ->; got --.",
    ":": "ports are not read. Write a name with a colon in quotes.",
    "+": "texts joined by + are not read. Write them as one.",
    "{": "subgraphs are not read. Write every arrow by itself and leave out ranks.",
    ",": "expected one node on each side of an arrow; got ','. Write every arrow by itself.",
}


def check_words(source: Source, text: str) -> None:
    """Refuse what would make a graph too large, and what is no single directed graph of plain nodes and arrows."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    if not text.endswith("{", 0, start):
        raise _unexpected(source, text, start, "expected a directed graph, digraph { ... }, not strict")
    nodes: set[str] = set()
    attributes: set[str] = set()
    arrows, ended = 0, False
    for count, found in enumerate(_PIECE.finditer(text, start)):
        kind, piece = found.lastgroup, found[0]
        if kind == "other" or (ended and kind):
            raise _unexpected(source, text, found.start(), "expected one graph and nothing behind it" if ended else "")
        if kind == "node" and piece not in nodes:
            nodes.add(piece)
            check_room(source, max(len(nodes) - KEYWORDS, 1), 1)
            if _HIDDEN.match(piece):
                raise _unexpected(source, text, found.start(), "expected a label for a name that begins with %")
        elif kind == "attributes":
            attributes.update(name for name, sign in _ATTRIBUTE.findall(piece) if sign)
        arrows += kind == "arrow"
        ended = ended or kind == "end"
        for noun, number, most in (("word", count, MOST_WORDS), ("arrow", arrows, MOST_LINES)):
            if number > most:
                raise source.too_many(noun, most)
    if not ended:
        raise _unexpected(source, text, len(text))
    if any(name.replace("\\\n", "").strip('"') == "key" for name in attributes):
        raise source.refused("arrows with a key are not read. Leave out key=.")
    if arrows > len(nodes) ** 2 + MOST_PARALLEL:
        raise source.refused(
            f"the file has more than {counted(MOST_PARALLEL, 'arrow')} between the same nodes as others. "
            "Write all symbols of two states on one arrow, as in a, b: 1/2."
        )
    if (arrows + len(nodes)) * len(attributes) > MOST_VALUES:
        raise source.too_many("attribute value", MOST_VALUES)


def _unexpected(source: Source, text: str, place: int, expected: str = "") -> FormatError:
    """Error about what is found at a place; within brackets, about what keeps them from being closed."""
    bracket = _BRACKET.match(text, place)
    place = bracket.end() if bracket and not expected else place
    rest = text[place : place + 20].partition("\n")[0]
    sentence = next((known for begin, known in _REFUSED.items() if rest.startswith(begin)), "")
    if expected or not sentence:
        sentence = f"{expected or 'expected a name, a number or a sign of DOT'}; got {shown(rest)}."
    if place == len(text):
        sentence = "the file ends before its graph does. Is it whole?"
    return source.refused(sentence, f"line {text.count(chr(10), 0, place) + 1}")


# -- Graphviz ----------------------------------------------------------------------------------------------------

GRAPHVIZ = Lock()  # one file at a time: Graphviz reports what it cannot read on the standard error of the process

_REPORT = re.compile(r"(?:Error|Warning): (.*?) in line ([0-9]+)([^\n]*)")


def read(source: Source, options: Options) -> Model:
    """Acceptor of a state diagram."""
    text = source.text()
    check_words(source, text)
    try:
        from pygraphviz import graphviz  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(
            'DOT is read with Graphviz; install it with: pip install "cutpoint[draw]".', where=str(source.path)
        ) from None
    # Graphviz sets this before it draws: a node without a label shows its name.
    graphviz.agattr(None, graphviz.AGNODE, b"label", rb"\N")
    graph = _parsed(graphviz, source, text)
    try:
        return Model(Drawing(source, graphviz, graph).acceptor(options))
    finally:
        graphviz.agclose(graph)


def _parsed(graphviz: Any, source: Source, text: str) -> Any:
    """Graph of a text, as a handle: the class AGraph reads no empty names, and guesses encodings."""
    with GRAPHVIZ, _standard_error() as kept, tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as report:
        file.write(_COMMENT_OR_QUOTE.sub(_broken, text).encode())
        file.seek(0)
        os.dup2(report.fileno(), 2)
        try:
            graph = graphviz.agread(file, None)
        except ValueError:
            graph = None
        finally:
            os.dup2(kept.fileno(), 2)
        report.seek(0)
        problem = report.read(1000).decode(errors="replace")
    if graph is not None and not problem:
        return graph
    if graph is not None:
        graphviz.agclose(graph)
    found = _REPORT.match(problem)
    sentence = f"{found[1]}{found[3]}" if found else shown(problem)
    raise source.refused(f"Graphviz cannot read this ({sentence[:200]}).", f"line {found[2]}" if found else "")


def _standard_error() -> IO[bytes]:
    """Another handle of the standard error; a process without one, such as a service, gets one that leads nowhere."""
    try:
        return os.fdopen(os.dup(2), "wb")
    except OSError:
        nowhere = open(os.devnull, "wb")  # noqa: SIM115
        os.dup2(nowhere.fileno(), 2)
        return nowhere


def _broken(found: re.Match[str]) -> str:
    """A text in quotes with lines as short as Graphviz wants them."""
    return _RUN.sub(lambda run: f"{run[0]}\\\n", found[0]) if found[0].startswith('"') else found[0]


def _items(first: Any, following: Callable[[Any], Any]) -> Iterator[Any]:
    while first is not None:
        yield first
        first = following(first)


# -- From a drawing to an acceptor -------------------------------------------------------------------------------

_UNMARKED = re.compile(
    r"""
    (?: .* [\s/|=(\[@] )? (?: [0-9]*\.[0-9]+ | [0-9]+\.? \s* / \s* [0-9]+ ) \s* [)\]]?
    | .* [^\s/|] \s* [/|] \s* [01]
    """,
    re.VERBOSE | re.DOTALL,
)
"""Symbols that look as if they had a probability without a colon."""
_SPECIAL = re.compile(r"\\(.)|&\#?\w{1,40};", re.DOTALL)


class Drawing:
    """Nodes and arrows of a graph, and what acceptor they draw."""

    def __init__(self, source: Source, graphviz: Any, graph: Any) -> None:
        self.source, self.graphviz, self.graph = source, graphviz, graph
        self.texts: dict[str, str] = {}
        self.final: set[str] = set()
        self.marks: dict[str, str] = {}  # nodes that are no states but where runs come from, and why
        self.symbols: dict[str, Hashable] = {}
        self.steps: dict[tuple[str, str, str], Number] = {}
        self.initial: dict[str, Number] = {}
        self.fractions = 0

    def acceptor(self, options: Options) -> Acceptor:
        """Acceptor that is drawn."""
        nodes = list(_items(self.graphviz.agfstnode(self.graph), partial(self.graphviz.agnxtnode, self.graph)))
        for node in nodes:
            self._add_node(node)
        arrows = [arrow for node in nodes for arrow in self._visible_arrows(node)]
        for before, _, arrow in arrows:
            if self._has_style(arrow, "dashed"):
                self.marks.setdefault(before, "a dashed arrow leaves it")
        states = {key: self._state(key) for key in self.texts if key not in self.marks}
        for before, after, arrow in arrows:
            place = f"arrow {shown(before)} -> {shown(after)}"
            label = self._text(self._value(arrow, "label"), place)
            if after in self.marks:
                why = f"{shown(after)} is no state but where runs start, as {self.marks[after]}"
                raise self.source.refused(f"{why}: no arrow can lead there.", place)
            if before in self.marks:
                self._add_start(after, label.strip(), place)
            else:
                self._add_steps(before, after, label, place)
        if not self.initial:
            raise self.source.refused(
                "expected a dashed arrow, or one from a node without a border, to each state that a run can start in; "
                f"got none. Draw one as in {START}"
            )
        symbols = {word: self.symbols[word] for word in self._alphabet()}
        self._check_complete(states, symbols)
        return assembled(self.source, options, states, symbols, self.steps, self.initial, self.final, ADVICE)

    def _key(self, node: Any) -> str:
        return (self.graphviz.agnameof(node) or b"").decode()

    def _value(self, item: Any, attribute: str) -> str:
        """Value of an attribute, empty where it is not given."""
        return (self.graphviz.agget(item, attribute.encode()) or b"").decode()

    def _add_node(self, node: Any) -> None:
        """Take in a node: a state, final if its border is double, or a mark, which has none."""
        key = self._key(node)
        place, shape = f"node {shown(key)}", self._value(node, "shape").lower()
        borders = self._value(node, "peripheries") or ("2" if shape in DOUBLE else "1")
        if not re.fullmatch("[0-9]{1,9}", borders):
            raise self.source.refused(f"peripheries must be a whole number; got {shown(borders)}.", place)
        if shape in BORDERLESS or int(borders) == 0 or self._has_style(node, "invis"):
            self.marks[key] = "it has no border"
        if int(borders) > 1:
            self.final.add(key)
        self.texts[key] = self._text(self._value(node, "label"), place, key).strip()

    def _visible_arrows(self, node: Any) -> Iterator[tuple[str, str, Any]]:
        """Arrows from a node; one that does not show what it says, or says it where it is not read, is refused."""
        for arrow in _items(self.graphviz.agfstout(self.graph, node), partial(self.graphviz.agnxtout, self.graph)):
            before, after = self._key(node), self._key(self.graphviz.aghead(arrow))
            place, direction = f"arrow {shown(before)} -> {shown(after)}", self._value(arrow, "dir")
            if direction.lower() not in ("", "forward"):
                sentence = f"an arrow has one head, at its end; got dir={shown(direction)}. Write a -> b."
                raise self.source.refused(sentence, place)
            for name in filter(partial(self._value, arrow), OTHER_LABELS):
                raise self.source.refused(f"the symbols of an arrow are its label; got {name}. Write label=...", place)
            if not self._has_style(arrow, "invis"):
                yield before, after, arrow
            elif self._value(arrow, "label"):  # without one it only keeps nodes apart
                raise self.source.refused("an arrow that cannot be seen has a label. Leave out style=invis.", place)

    def _has_style(self, item: Any, style: str) -> bool:
        return style in [each.strip() for each in self._value(item, "style").split(",")]

    def _text(self, label: str, place: str, key: str | None = None) -> str:
        """Text of a label, as Graphviz prints it."""
        if label.count("\\") + label.count("&") > MOST_LINES:
            raise self.source.too_many("escape", MOST_LINES)

        def meaning(found: re.Match[str]) -> str:
            if found[1] and found[1] in "nlr":
                return "\n"
            if found[1] == "N" and key is not None:
                return key
            text = found[1] or unescape(found[0])
            if (found[1] and text in "NGETHL") or text == "\ufffd":
                raise self.source.refused(f"the label {shown(label)} stands for other text. Write that itself.", place)
            return text

        return _SPECIAL.sub(meaning, label)

    def _check_complete(self, states: Iterable[str], symbols: Iterable[str]) -> None:
        """Refuse a drawing in which some symbol leads nowhere from some state."""
        leads = {(before, word) for before, word, _ in self.steps}
        for word, before in product(symbols, states):
            if (before, word) not in leads:
                raise self.source.refused(
                    f"no arrow leads from {shown(self.texts[before])} by {shown(word)}. Every state needs one for each "
                    "symbol, if only to a state that is never left.",
                    f"node {shown(before)}",
                )

    def _add_start(self, state: str, text: str, place: str) -> None:
        if state in self.initial:
            raise self.source.refused("this start arrow occurs twice.", place)
        try:
            self.initial[state] = number_of(text) if text else Fraction(1)
        except ValueError:
            sentence = f"expected a probability on a start arrow, or nothing; got {shown(text)}."
            raise self.source.refused(sentence, place) from None

    def _add_steps(self, before: str, after: str, label: str, place: str) -> None:
        for word, value in label_entries(label, partial(self.source.refused, place=place)):
            if word not in self.symbols:
                self.symbols[word] = self._name(word, place)
            if (before, word, after) in self.steps:
                raise self.source.refused(f"the step by {shown(word)} occurs twice between these states.", place)
            self.steps[before, word, after] = value
            self.fractions += isinstance(value, Fraction)
            if len(self.steps) > MOST_ENTRIES:
                raise self.source.too_many("step", MOST_ENTRIES)
            if self.fractions > MOST_FRACTIONS:  # what is saved has either fractions alone or floats alone
                raise self.source.too_many("exact step", MOST_FRACTIONS)

    def _state(self, key: str) -> Hashable:
        if not self.texts[key]:
            sentence = f"expected the name of a state; got nothing. Where runs start is drawn as in {START}"
            raise self.source.refused(sentence, f"node {shown(key)}")
        return self._name(self.texts[key], f"node {shown(key)}", digits=int)

    def _name(self, word: str, place: str, digits: type = str) -> Hashable:
        """Name from its word; what only a picture shows is refused, as are escapes that may also be the name."""
        if not word or "…" in word or word[0] == "'" or word[-1] == "'" or re.fullmatch('".+"', word):
            raise self.source.refused(
                f"expected names in full and without quotes, not as a picture shows them; got {shown(word)}.", place
            )
        if "\\" in word or not word.isprintable() or re.search("%(?![0-9A-Fa-f]{2})", word.removeprefix(MARK)):
            raise self.source.refused(
                f"control characters, \\ and % are escaped as in web addresses, %25 for %; got {shown(word)}.", place
            )
        return self.source.name(word, digits, place)

    def _alphabet(self) -> list[str]:
        """Words of the symbols: as they are listed, or else sorted, numbers by their size."""
        used, listed = self.symbols.keys(), self.graphviz.agget(self.graph, b"symbols")
        if listed is None:
            return sorted(used, key=_natural)
        words: list[str] = listed.decode().split(maxsplit=MOST_ENTRIES)
        if len(set(words)) < len(words) or used != set(words):
            wrong = min(used ^ set(words), default="")
            what = f"{shown(wrong)} is {'missing' if wrong in used else 'on no arrow'}" if wrong else "one occurs twice"
            raise self.source.refused(f"expected a list of all symbols, each once; {what}.")
        return words


def label_entries(label: str, refused: Callable[[str], FormatError]) -> Iterator[tuple[str, Number]]:
    r"""Words of symbols with their probabilities; without one it is 1.

    Examples
    --------
    >>> list(label_entries("a,\nb: 1/2\nc", FormatError))
    [('a', Fraction(1, 2)), ('b', Fraction(1, 2)), ('c', Fraction(1, 1))]
    """
    if max(map(label.count, ",\n")) > MOST_ENTRIES:
        raise refused(f"the label has more than {counted(MOST_ENTRIES, 'symbol')}, the most that are read.")
    lines = [line.strip() for line in label.split("\n")]
    expected = "expected lines such as a, b: 1/2 on the arrow of a step"
    if not any(lines):
        raise refused(f"{expected}; got ''. One that only shows where runs start is drawn as in {START[:-1]}.")
    begun = ""
    for line in filter(None, lines):
        begun = f"{begun} {line}".strip()
        if line.endswith(","):
            continue
        text, colon, value = begun.rpartition(":")
        begun = ""
        try:
            number = number_of(value.strip()) if colon else Fraction(1)
        except ValueError:
            got = shown(value.strip())
            raise refused(f"expected a probability behind the colon, such as 1/2 or 0.5; got {got}.") from None
        for word in _symbols(text if colon else value, bool(colon), refused):
            yield word, number
    if begun:
        raise refused(f"{expected}; got {shown(label)}.")


def _symbols(text: str, has_number: bool, refused: Callable[[str], FormatError]) -> list[str]:
    """Words of a line of symbols; one with a bracket or a quote may hold a comma itself, and stands alone."""
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and not set("()[]{}'\"").isdisjoint(text):
        raise refused(f"brackets and quotes in a list are escaped as in web addresses, %28 for (; got {shown(text)}.")
    for word in words:
        if ":" in word:
            raise refused(
                r"a line ends with its one probability, as in a: 1/4\nb: 3/4, and a colon in a symbol is written as "
                f"%3A; got {shown(word)}."
            )
        if not has_number and _UNMARKED.fullmatch(word[-100:]):
            raise refused(
                f"a probability stands behind a colon, as in a, b: 1/2; got {shown(word)}. If that is the symbol, "
                "write : 1 behind it."
            )
    return words


def _natural(word: str) -> str:
    """Key that sorts s2 before s10: each number is preceded by how many digits it has, as a character."""
    return re.sub("[0-9]+", lambda run: f"{chr(min(len(run[0].lstrip('0')), sys.maxunicode))}{run[0]}\0", word)
