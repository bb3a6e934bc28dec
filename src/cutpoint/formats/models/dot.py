r"""Graphviz DOT: the state diagram of an acceptor, with nothing left out.

A double border makes a state final. Where runs start is told by arrows that are dashed, or come from a node without a
border; their labels are the initial probabilities. The graph's attribute ``symbols``, which Graphviz passes over, keeps
the order of the alphabet.
"""

from __future__ import annotations

import re
from html.entities import html5
from itertools import pairwise

from cutpoint.data.names import shown
from cutpoint.diagrams.dot import dot_text
from cutpoint.errors import FormatError
from cutpoint.formats.models.arrays import check_room
from cutpoint.formats.models.dot_syntax import Pieces
from cutpoint.formats.models.drawn import Drawing, DrawnArrow, DrawnNode, whole_diagram
from cutpoint.formats.models.model import Model, Options
from cutpoint.formats.models.names import is_unicode
from cutpoint.formats.models.source import Source
from cutpoint.model import Acceptor

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
