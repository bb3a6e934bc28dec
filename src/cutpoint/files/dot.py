"""An acceptor as a drawing: states are nodes, and the label of an arrow has lines such as ``a, b: 1/2``.

What a drawing language has beside that is left to its own module. Names are words of :mod:`.names`, so that neither the
comma nor the colon of a label can be part of one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from html.entities import html5
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cutpoint.diagrams.diagram import Diagram, LabelStyle, Look
from cutpoint.diagrams.dot_text import dot_text
from cutpoint.errors import FormatError
from cutpoint.files.model import MOST_ENTRIES, MOST_FRACTIONS, Model, Options, only_acceptor
from cutpoint.files.numerals import number_of, numeral
from cutpoint.files.source import MOST_LINES, Source
from cutpoint.files.transitions import Number, assembled, check_room
from cutpoint.files.typed_names import MARK, is_unicode, name_of_token, token
from cutpoint.model import Acceptor
from cutpoint.wording import counted, shown

_ENCLOSING = re.compile(r"[()\[\]{}'\"]")
_MEANT = re.compile(
    r"""
    (?: .* [\s/|=(\[@] )? (?: [0-9]*\.[0-9]+ | [0-9]+\.? \s* / \s* [0-9]+ ) \s* [)\]]?
    | .* [^\s/|] \s* [/|] \s* [01]
    """,
    re.VERBOSE | re.DOTALL,
)
"""Symbols that look as if they had a probability without a colon."""


def entries(label: str) -> Iterator[tuple[str, Number]]:
    r"""Words of symbols with their probabilities; without one it is 1. ValueError if the label cannot be read.

    Examples
    --------
    >>> list(entries("a,\nb: 1/2\nc"))
    [('a', Fraction(1, 2)), ('b', Fraction(1, 2)), ('c', Fraction(1, 1))]
    """
    if label.count("\n") > MOST_ENTRIES:
        raise ValueError(f"the label has more than {counted(MOST_ENTRIES, 'line')}, the most that are read")
    waiting: list[str] = []
    for line in filter(None, map(str.strip, label.split("\n"))):
        waiting.append(line)
        if line.endswith(","):
            continue
        words, colon, value = " ".join(waiting).rpartition(":")
        waiting = []
        number = _number(value.strip()) if colon else Fraction(1)
        for word in _words(words if colon else value, is_numbered=bool(colon)):
            yield word, number
    if waiting:
        raise ValueError(f"expected lines such as a, b: 1/2 on the arrow of a step; got {shown(label)}")


def _words(text: str, is_numbered: bool) -> list[str]:
    """Words of a line of symbols; one with a bracket or a quote may hold a comma itself, and stands alone."""
    if text.count(",") > MOST_ENTRIES:
        raise ValueError(f"the label has more than {counted(MOST_ENTRIES, 'symbol')}, the most that are read")
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and _ENCLOSING.search(text):
        raise ValueError(f"brackets and quotes in a list are escaped as in web addresses, %28 for (; got {shown(text)}")
    for word in words:
        _check(word, is_numbered)
    return words


def _check(word: str, is_numbered: bool) -> None:
    if ":" in word:
        raise ValueError(
            rf"a line ends with its one probability, as in a: 1/4\nb: 3/4, and a colon in a symbol is written as %3A; "
            f"got {shown(word)}"
        )
    if not is_numbered and _MEANT.fullmatch(word[-100:]):
        raise ValueError(
            f"a probability stands behind a colon, as in a, b: 1/2; got {shown(word)}. If that is the symbol, write "
            ": 1 behind it"
        )


def _number(text: str) -> Number:
    try:
        return number_of(text)
    except ValueError:
        raise ValueError(f"expected a probability behind the colon, such as 1/2 or 0.5; got {shown(text)}") from None


WHOLE = LabelStyle(partial(token, digits=int), token, numeral, is_whole=True)

ADVICE = "Write probabilities as in a, b: 1/2, or load with normalized=True to rescale rows."
"""What to do about rows that do not sum to 1."""

MOST_PARALLEL = 100_000
"""Most arrows beyond one for each pair of nodes; what was saved has none."""

_STRAY = re.compile(r"%(?![0-9A-Fa-f]{2})")
_QUOTED = re.compile(r'".+"')
_NUMBER = re.compile(r"[0-9]+")


def whole_diagram(model: Model, kind: str) -> Diagram:
    """Diagram of an acceptor that leaves nothing out: every name and number in full, and the order of the symbols."""
    return only_acceptor(model, kind).diagram(Look(), WHOLE)


class DrawnNode(NamedTuple):
    """A node: its text, a double border if final; a mark, without a border, is no state but where runs come from."""

    text: str
    final: bool
    is_mark: bool
    place: int


class DrawnArrow(NamedTuple):
    """An arrow from node to node with its label, line by line."""

    before: str
    after: str
    label: str
    dashed: bool
    place: int


class Drawing:
    """Nodes and arrows of a file, in its order, and what acceptor they draw.

    ``line`` tells the number of the line from a place: the place is that number, or where in the text something begins.
    ``start`` shows how the language draws where runs start.
    """

    def __init__(self, source: Source, options: Options, line: Callable[[int], int], start: str) -> None:
        self.source, self.options, self.line, self.start = source, options, line, start
        self.nodes: dict[str, DrawnNode] = {}
        self.arrows: list[DrawnArrow] = []
        self.symbols: list[str] | None = None
        self._counts = {False: 0, True: 0}
        self._symbols: dict[str, Hashable] = {}
        self._fractions = 0

    def add_node(self, key: str, node: DrawnNode) -> None:
        """Take in a node."""
        self.nodes[key] = node
        self._counts[node.is_mark] += 1
        check_room(self.source, self._counts[node.is_mark], 1, exact=False)

    def add_arrow(self, arrow: DrawnArrow) -> None:
        """Take in an arrow."""
        self.arrows.append(arrow)

    def check_arrows(self, n_nodes: int, further: int = 0) -> None:
        """Refuse more arrows than a file that was saved can have, and far more than one from each node to each."""
        count = len(self.arrows) + further
        if count > MOST_LINES:
            raise self._too_many("arrow", MOST_LINES)
        if count > n_nodes**2 + MOST_PARALLEL:
            raise self.source.refused(
                f"the file has more than {counted(MOST_PARALLEL, 'arrow')} between the same nodes as others. "
                "Write all symbols of two states on one arrow, as in a, b: 1/2."
            )

    def add_symbols(self, words: str, place: int) -> None:
        """Take in the words of all symbols in their order."""
        if self.symbols is not None:
            raise self.refused(place, "the symbols are listed twice.")
        self.symbols = words.split(maxsplit=MOST_ENTRIES)

    def acceptor(self) -> Acceptor:
        """Acceptor that is drawn."""
        marks = {key for key, node in self.nodes.items() if node.is_mark}
        marks |= {arrow.before for arrow in self.arrows if arrow.dashed}
        states = {key: code for code, key in enumerate(key for key in self.nodes if key not in marks)}
        names = [self._state(self.nodes[key]) for key in states]
        steps: dict[tuple[int, str, int], Number] = {}
        initial: dict[int, Number] = {}
        for arrow in self.arrows:
            if arrow.after in marks:
                raise self._no_state(arrow)
            if arrow.before in marks:
                self._start(arrow, initial, states[arrow.after])
            else:
                self._step(arrow, steps, states)
        if not initial:
            raise self.source.refused(
                "expected a dashed arrow, or one from a node without a border, to each state that a run can start in; "
                f"got none. Draw one as in {self.start}"
            )
        check_room(self.source, len(states), len(self._symbols), exact=False)
        symbols = self._alphabet()
        self._check_complete(steps, list(states), symbols)
        return assembled(
            self.source,
            self.options,
            names,
            [self._symbols[word] for word in symbols],
            {(symbols[word], s, t): value for (s, word, t), value in steps.items() if value != 0},
            initial,
            [self.nodes[key].final for key in states],
            advice=ADVICE,
        )

    def refused(self, place: int, sentence: str) -> FormatError:
        """Error at a place."""
        return self.source.refused(sentence, f"line {self.line(place)}")

    def _too_many(self, noun: str, most: int) -> FormatError:
        return self.source.refused(f"the file has more than {counted(most, noun)}, the most that are read.")

    def _no_state(self, arrow: DrawnArrow) -> FormatError:
        """Error about an arrow to where runs come from."""
        where = f"{shown(arrow.after)}, which is no state"
        why = "it has no border" if self.nodes[arrow.after].is_mark else "a dashed arrow leaves it"
        return self.refused(arrow.place, f"an arrow leads to {where}: runs come from there, as {why}.")

    def _check_complete(
        self, steps: Iterable[tuple[int, str, int]], states: Sequence[str], symbols: Mapping[str, int]
    ) -> None:
        """Refuse a drawing in which some symbol leads nowhere from some state."""
        leads = np.zeros((len(symbols), len(states)), dtype=np.bool_)
        for s, word, _ in steps:
            leads[symbols[word], s] = True
        for a, s in np.argwhere(~leads):
            node = self.nodes[states[s]]
            raise self.refused(
                node.place,
                f"no arrow leads from {shown(node.text)} by {shown(list(symbols)[a])}. Every state needs one for each "
                "symbol, if only to a state that is never left.",
            )

    def _start(self, arrow: DrawnArrow, initial: dict[int, Number], state: int) -> None:
        if state in initial:
            raise self.refused(arrow.place, "this start arrow occurs twice.")
        text = arrow.label.strip()
        try:
            initial[state] = number_of(text) if text else Fraction(1)
        except ValueError:
            raise self.refused(
                arrow.place, f"expected a probability on a start arrow, or nothing; got {shown(text)}."
            ) from None

    def _step(self, arrow: DrawnArrow, steps: dict[tuple[int, str, int], Number], states: dict[str, int]) -> None:
        s, t = states[arrow.before], states[arrow.after]
        for word, value in self._entries(arrow):
            if word not in self._symbols:
                self._symbols[word] = self._name(word, arrow.place, digits=str)
            if (s, word, t) in steps:
                raise self.refused(arrow.place, f"the step by {shown(word)} occurs twice between these states.")
            steps[s, word, t] = value
            if len(steps) > MOST_ENTRIES:
                raise self._too_many("step", MOST_ENTRIES)
            self._fractions += isinstance(value, Fraction)
            if self._fractions > MOST_FRACTIONS:  # what is saved has either fractions alone or floats alone
                raise self._too_many("exact step", MOST_FRACTIONS)

    def _entries(self, arrow: DrawnArrow) -> Iterator[tuple[str, Number]]:
        """Words of symbols with their probabilities."""
        if not arrow.label.strip():
            raise self.refused(
                arrow.place,
                "expected lines such as a, b: 1/2 on the arrow of a step; got ''. One that only shows where runs start "
                f"is drawn as in {self.start}",
            )
        try:
            yield from entries(arrow.label)
        except ValueError as wrong:
            raise self.refused(arrow.place, f"{wrong}.") from None

    def _state(self, node: DrawnNode) -> Hashable:
        if not node.text:
            raise self.refused(
                node.place, f"expected the name of a state; got nothing. Where runs start is drawn as in {self.start}"
            )
        return self._name(node.text, node.place, digits=int)

    def _name(self, word: str, place: int, digits: type) -> Hashable:
        """Name from its word; what only a picture shows is refused, as are escapes that may also be the name."""
        if not word or "…" in word or word[0] == "'" or word[-1] == "'" or _QUOTED.fullmatch(word):
            raise self.refused(
                place, f"expected names in full and without quotes, not as a picture shows them; got {shown(word)}."
            )
        if "\\" in word or not word.isprintable() or _STRAY.search(word.removeprefix(MARK)):
            raise self.refused(
                place, f"control characters, \\ and % are escaped as in web addresses, %25 for %; got {shown(word)}."
            )
        try:
            return name_of_token(word, digits)
        except ValueError:
            raise self.refused(place, f"{shown(word)} cannot be read as a name.") from None

    def _alphabet(self) -> dict[str, int]:
        """Words of the symbols with their codes: as they are listed, or else sorted, numbers by their size."""
        used = self._symbols.keys()
        if self.symbols is None:
            return {word: code for code, word in enumerate(sorted(used, key=_natural))}
        codes = {word: code for code, word in enumerate(self.symbols)}
        if len(codes) < len(self.symbols) or used != codes.keys():
            wrong = min(used ^ codes.keys(), default="")
            what = f"{shown(wrong)} is {'missing' if wrong in used else 'on no arrow'}" if wrong else "one occurs twice"
            raise self.source.refused(f"expected a list of all symbols, each once; {what}.")
        return codes


def _natural(word: str) -> str:
    """Key that sorts s2 before s10: before a number stands how many digits it has, as a character."""
    return _NUMBER.sub(_ranked, word)


def _ranked(found: re.Match[str]) -> str:
    return f"{chr(min(len(found[0].lstrip('0')), sys.maxunicode))}{found[0]}\0"


MOST_PIECES = 20_000_000
"""Most words and signs of a file: one that was saved has at most nine for each of two million arrows."""

_LETTER = r"A-Za-z_\x80-\U0010ffff"
_SPACE = r"(?: [ \t\r\n\f\v]++ | //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/ | ^\#[^\n]*+ )*+"
_WORD = rf"[{_LETTER}][{_LETTER}0-9]*+ | -?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?![{_LETTER}0-9.])"
_TEXT = r'(?:[^"\\]++|\\.)*+'
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_NEXT = re.compile(
    rf"""{_SPACE}
    (?: (?P<word> {_WORD} ) | "(?P<quoted> {_TEXT} )" | (?P<sign> -> | -- | [{{}}\[\];,=:+] ) | (?P<end> \Z ) )?+
    """,
    _FLAGS,
)
_ATTRIBUTE = re.compile(
    rf"""{_SPACE} (?P<name> [A-Za-z_]++ ) {_SPACE} = {_SPACE}
    (?: (?P<word> {_WORD} ) | "(?P<quoted> {_TEXT} )" ) {_SPACE} [,;]?+
    """,
    _FLAGS,
)
_ESCAPE = re.compile(r'\\(?:(")|\n|\r\n|(.))', re.DOTALL)
_BEYOND = {
    '"': "the quote is not closed.",
    "/*": "the comment is not closed.",
    "<": "labels in HTML are not read. Write them in quotes.",
}


class Pieces:
    """A walk through the text of a file, piece by piece, without spaces and comments; what is no piece is refused.

    Attributes
    ----------
    kind : of the current piece: a ``word``, something ``quoted``, a ``sign``, or the ``end``.
    text : the piece itself; what was quoted without its quotes.
    place : where in the text it begins.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._text = source.text()
        self._next = self._count = 0
        self.advance()

    @property
    def is_name(self) -> bool:
        """Whether the current piece can name something."""
        return self.kind in ("word", "quoted")

    def advance(self) -> None:
        """Go on to the next piece; behind the end there is none."""
        found = _NEXT.match(self._text, self._next)
        kind = found.lastgroup if found else None
        if not found or not kind:
            raise self._unknown(found.end() if found else self._next)
        self.kind, self.text, self.place, self._next = kind, found[kind], found.start(kind), found.end()
        if kind == "quoted":
            self.text = self._unquoted(self.text)
        self._count += 1
        if self._count > MOST_PIECES:
            raise self.source.refused(f"the file has more than {counted(MOST_PIECES, 'word')}, the most that are read.")

    def attribute(self) -> tuple[str, str] | None:
        """Name and value of an attribute behind the current piece, which are passed; or None if there is no such."""
        found = _ATTRIBUTE.match(self._text, self._next)
        if not found:
            return None
        self._next = found.end()
        self._count += 1
        return found["name"], found["word"] or self._unquoted(found["quoted"])

    def line(self, place: int) -> int:
        """Number of the line of a place."""
        return self._text.count("\n", 0, place) + 1

    def _unknown(self, place: int) -> FormatError:
        got = self._text[place : place + 20]
        sentence = next((told for begin, told in _BEYOND.items() if got.startswith(begin)), "")
        return self.source.refused(
            sentence or f"expected a name, a number or a sign of DOT; got {shown(got)}.", f"line {self.line(place)}"
        )

    def _unquoted(self, text: str) -> str:
        """What stands between quotes: a quote is escaped there, and the end of a line; other escapes stay."""
        if text.count("\\") + text.count("&") > MOST_LINES:
            most = counted(MOST_LINES, "escape")
            raise self.source.refused(f"a text in quotes has more than {most}, the most that are read.")
        return _ESCAPE.sub(lambda found: found[1] or ("\\" + found[2] if found[2] else ""), text)


Attributes = dict[str, str]

OTHER_LABELS = ("xlabel", "headlabel", "taillabel")
KEPT = ("label", "shape", "style", "peripheries", "dir", *OTHER_LABELS)
"""Attributes that say something about the acceptor; the others are about the picture."""
START = "start [shape=none]; start -> q0;"
"""How it is drawn that runs start in q0."""
BORDERLESS = ("plaintext", "plain", "none", "point")
DOUBLE = ("doublecircle", "doubleoctagon")
KEYWORDS = ("node", "edge", "graph", "digraph", "subgraph", "strict")

_SPECIAL = re.compile(r"\\(.)|&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,30});", re.DOTALL)
_BORDERS = re.compile(r"[0-9]{1,9}")


def write(model: Model, _: Options) -> dict[str, bytes]:
    """State diagram of an acceptor."""
    return {"": f"{dot_text(whole_diagram(model, 'DOT'))}\n".encode()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a directed graph that is its state diagram."""
    return Model(_Parser(source, options).acceptor())


class _Parser:
    """Statements of a graph, one after the other; nodes and arrows get the defaults of where they first appear."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source = source
        self.pieces = Pieces(source)
        self.drawing = Drawing(source, options, self.pieces.line, START)
        self.defaults: dict[str, Attributes] = {"node": {}, "edge": {}}
        self.nodes: dict[str, tuple[Attributes, int]] = {}

    def acceptor(self) -> Acceptor:
        """Acceptor of the graph."""
        self._head()
        while not self._takes("}"):
            self._statement()
        if self.pieces.kind != "end":
            raise self.refused("expected one graph and nothing behind it")
        for key, (attributes, place) in self.nodes.items():
            self.drawing.add_node(key, self._node(key, attributes, place))
        return self.drawing.acceptor()

    def refused(self, expected: str) -> FormatError:
        """Error at the current piece."""
        if self.pieces.kind == "end":
            return self.drawing.refused(self.pieces.place, "the file ends before its graph does. Is it whole?")
        return self.drawing.refused(self.pieces.place, f"{expected}; got {shown(self.pieces.text)}.")

    def _head(self) -> None:
        if self._keyword() != "digraph":
            raise self.refused("expected a directed graph, digraph { ... }, not strict")
        self.pieces.advance()
        if self.pieces.is_name:
            self.pieces.advance()
        if not self._takes("{"):
            raise self.refused("expected { at the beginning of the graph")

    def _statement(self) -> None:
        if self._takes(";"):
            return
        self._check_no_subgraph()
        place, keyword = self.pieces.place, self._keyword()
        if keyword:
            self._settings(keyword, place)
            return
        name = self._name("a node, an arrow or a setting")
        if self._takes("="):
            self._set({name: self._name("a value")}, place)
        else:
            self._arrows(name, place)

    def _settings(self, keyword: str, place: int) -> None:
        if keyword in ("digraph", "strict"):
            raise self.refused("expected a node, an arrow or a setting")
        self.pieces.advance()
        if not self._is("["):
            raise self.refused(f"expected attributes in brackets behind {keyword}")
        attributes = self._attributes()
        if keyword == "graph":
            self._set(attributes, place)
        else:
            self.defaults[keyword] = self.defaults[keyword] | _kept(attributes)

    def _set(self, attributes: Attributes, place: int) -> None:
        """Settings of the whole graph."""
        if "symbols" in attributes:
            self.drawing.add_symbols(attributes["symbols"], place)

    def _arrows(self, name: str, place: int) -> None:
        """A node, or arrows from one to the next."""
        self._meet(name, place)
        path = [name]
        while self._takes("->"):
            self._check_no_subgraph()
            path.append(self._name("the node that the arrow leads to"))
            self._meet(path[-1], place)
            self.drawing.check_arrows(len(self.nodes), len(path))
        if self.pieces.kind == "sign" and self.pieces.text in ("--", ":", "+"):
            raise self.refused("expected an arrow ->, or names without ports and without +")
        attributes = _kept(self._attributes())
        if len(path) == 1:
            self.nodes[name][0].update(attributes)
            return
        attributes = self.defaults["edge"] | attributes
        self._check_arrow(attributes, place)
        if _has_style("invis", attributes) and not attributes.get("label"):
            return  # it only keeps nodes apart
        label = self._text(attributes.get("label", ""), None, place)
        dashed = _has_style("dashed", attributes)
        for before, after in pairwise(path):
            self.drawing.add_arrow(DrawnArrow(before, after, label, dashed, place))

    def _check_arrow(self, attributes: Attributes, place: int) -> None:
        """Refuse arrows that do not show what they say, or say it where it is not read."""
        if attributes.get("dir", "forward").lower() != "forward":
            found = shown(attributes["dir"])
            raise self.drawing.refused(place, f"an arrow has one head, at its end; got dir={found}. Write a -> b.")
        for name in OTHER_LABELS:
            if attributes.get(name):
                raise self.drawing.refused(place, f"the symbols of an arrow are its label; got {name}. Write label=...")
        if _has_style("invis", attributes) and attributes.get("label"):
            raise self.drawing.refused(place, "an arrow that cannot be seen has a label. Leave out style=invis.")

    def _meet(self, name: str, place: int) -> None:
        if name not in self.nodes:
            self.nodes[name] = dict(self.defaults["node"]), place
            check_room(self.source, max(len(self.nodes) - 1, 1), 1, exact=False)  # one may be where runs come from

    def _attributes(self) -> Attributes:
        """Attributes in brackets, those that say something."""
        found: Attributes = {}
        while self._is("["):
            while attribute := self.pieces.attribute():
                if attribute[0] in (*KEPT, "symbols"):
                    found[attribute[0]] = attribute[1]
            self.pieces.advance()
            if not self._takes("]"):
                raise self._no_attribute()
        return found

    def _no_attribute(self) -> FormatError:
        """Error about what stands in place of an attribute; that of its value, if only that is wrong."""
        wrong = self.refused("expected attributes such as label=name, or ]")
        if self.pieces.is_name:
            self.pieces.advance()
            if self._takes("="):
                return self.refused("expected a value")
        return wrong

    def _node(self, key: str, attributes: Attributes, place: int) -> DrawnNode:
        shape = attributes.get("shape", "").lower()
        borders = attributes.get("peripheries", "2" if shape in DOUBLE else "1")
        if not _BORDERS.fullmatch(borders):
            raise self.drawing.refused(place, f"peripheries must be a whole number; got {shown(borders)}.")
        is_mark = shape in BORDERLESS or int(borders) == 0 or _has_style("invis", attributes)
        text = self._text(attributes.get("label", r"\N"), key, place)
        return DrawnNode(text.strip(), int(borders) > 1, is_mark, place)

    def _text(self, label: str, key: str | None, place: int) -> str:
        """Text of a label, as Graphviz prints it."""

        def meant(found: re.Match[str]) -> str:
            if found[1] in ("n", "l", "r"):
                return "\n"
            if found[1] == "N" and key is not None:
                return key
            if found[1] and found[1] in "NGETHL":
                raise self.drawing.refused(place, f"the label {shown(label)} stands for other text. Write that itself.")
            return found[1] or _entity(found[2], found[0])

        text = _SPECIAL.sub(meant, label)
        if not is_unicode(text):
            raise self.drawing.refused(place, "expected text; got half of a pair of surrogates.")
        return text

    def _is(self, sign: str) -> bool:
        """Whether the current piece is this sign."""
        return self.pieces.kind == "sign" and self.pieces.text == sign

    def _takes(self, sign: str) -> bool:
        """Whether the current piece is this sign; it is then passed."""
        if not self._is(sign):
            return False
        self.pieces.advance()
        return True

    def _keyword(self) -> str:
        """The current piece if it is a keyword, in small letters; or nothing."""
        word = self.pieces.text.lower() if self.pieces.kind == "word" else ""
        return word if word in KEYWORDS else ""

    def _check_no_subgraph(self) -> None:
        if self._is("{") or self._keyword() == "subgraph":
            raise self.refused("subgraphs are not read, write every arrow by itself and leave out ranks")

    def _name(self, expected: str) -> str:
        if not self.pieces.is_name or self._keyword():
            raise self.refused(f"expected {expected}")
        text = self.pieces.text
        self.pieces.advance()
        return text


def _kept(attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if name in KEPT}


def _has_style(style: str, attributes: Attributes) -> bool:
    return "style" in attributes and bool(re.search(rf"(?:^|,)\s*{style}\s*(?:,|$)", attributes["style"]))


def _entity(name: str, whole: str) -> str:
    """Character of an entity such as ``&lt;``; what is none stays as it is."""
    if not name.startswith("#"):
        return html5.get(f"{name};", whole)
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if code < 0x110000 else whole
