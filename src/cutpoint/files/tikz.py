r"""TikZ: the state diagram of an acceptor for LaTeX, with nothing left out; read line by line, as it is written.

A comment, ``% symbols: ...``, keeps the order of the alphabet. LaTeX at large is not read: a picture that was
changed by hand is read as long as its lines keep their form.
"""

from __future__ import annotations

import re

from cutpoint.diagrams.tikz_text import SPECIAL, tikz_text
from cutpoint.errors import FormatError
from cutpoint.files.dot import Drawing, DrawnArrow, DrawnNode, whole_diagram
from cutpoint.files.model import Model, Options
from cutpoint.files.source import MOST_LINES, Source
from cutpoint.wording import counted, shown

START = r"\node (start0) at (0, 1) {start}; and \path (start0) edge[dashed] (0);"
"""How it is drawn that runs start in the node 0."""

_PLAIN = {text: character for character, text in SPECIAL.items()}
_SYMBOLS = "% symbols:"
_BEGIN = re.compile(r"\\begin\{tikzpicture\}(?:\[[^\]]*\])?")
_END = r"\end{tikzpicture}"
_KEY = r"\(([^()\s]+)\)"
_NODE = re.compile(rf"\\node(?:\[([^\]]*)\])? {_KEY} at \([^()]*\) \{{(.*)\}};")
_PATH = re.compile(rf"\\path {_KEY} edge(?:\[([^\]]*)\])?(?: node(?:\[[^\]]*\])? \{{(.*)\}})? {_KEY};")
_PIECE = re.compile(
    r"""
    \$ (?P<letter>[A-Za-z]) _\{ (?P<index>[0-9]++) \} \$
    | \$ \\frac \{ (?P<upper>[0-9]++) \} \{ (?P<lower>[0-9]++) \} \$
    | (?P<new_line> \\\\ (?:\{\}|\[[0-9.]++pt\]) )
    | (?P<special> \\text[a-z]++\{\} | \\dots\{\} | \\[{}$&\#_%] )
    | (?P<plain> [^\\{}$&\#^_%~<>|]++ )
    """,
    re.VERBOSE,
)
_ELSEWHERE = re.compile(r"\\(documentclass|documentstyle|usepackage|usetikzlibrary|begin\{(?!tikzpicture))")


def write(model: Model, _: Options) -> dict[str, bytes]:
    """State diagram of an acceptor."""
    return {"": f"{tikz_text(whole_diagram(model, 'TikZ'))}\n".encode()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a picture with one node or arrow per line."""
    picture = _Picture(source, options)
    for number, line in source.lines():
        picture.add(line, number)
    return Model(picture.drawing().acceptor())


class _Picture:
    """Lines of a ``tikzpicture``."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source = source
        self._drawing = Drawing(source, options, int, START)
        self.began = self.ended = False

    def drawing(self) -> Drawing:
        """Nodes and arrows, when all lines are there."""
        if not self.ended:
            raise self.source.refused(f"expected {_END} at the end of the picture. Is the file whole?")
        return self._drawing

    def add(self, line: str, number: int) -> None:
        """Take in a line."""
        if line.startswith("%"):
            if line.startswith(_SYMBOLS):
                self._drawing.add_symbols(line.removeprefix(_SYMBOLS), number)
        elif not self.began and _BEGIN.fullmatch(line):
            self.began = True
        elif not self.began or self.ended:
            raise self._unexpected(line, number)
        elif line == _END:
            self.ended = True
        elif found := _NODE.fullmatch(line):
            self._node(found, number)
        elif found := _PATH.fullmatch(line):
            self._arrow(found, number)
        else:
            raise self._unexpected(line, number)

    def _unexpected(self, line: str, number: int) -> FormatError:
        if _ELSEWHERE.match(line):
            sentence = f"expected a tikzpicture by itself, not a LaTeX document; got {shown(line)}. Cut it out."
        elif self.ended:
            sentence = f"expected nothing behind {_END}; got {shown(line)}."
        elif not self.began:
            sentence = rf"expected \begin{{tikzpicture}} on a line by itself; got {shown(line)}."
        else:
            lines = r"\node[state] (0) at (0, 0) {name}; or \path (0) edge node {a: 1} (1);"
            sentence = f"expected a line such as {lines} got {shown(line)}."
        return self._drawing.refused(number, sentence)

    def _node(self, found: re.Match[str], number: int) -> None:
        options, key, text = found.groups()
        if key in self._drawing.nodes:
            raise self._drawing.refused(number, f"the node {shown(key)} occurs twice.")
        kinds = _options(options)
        node = DrawnNode(self._text(text, number).strip(), "accepting" in kinds, "state" not in kinds, number)
        self._drawing.add_node(key, node)

    def _arrow(self, found: re.Match[str], number: int) -> None:
        before, options, label, after = found.groups()
        for key in (before, after):
            if key not in self._drawing.nodes:
                raise self._drawing.refused(number, f"expected the key of a node above; got {shown(key)}.")
        text = self._text(label or "", number)
        self._drawing.add_arrow(DrawnArrow(before, after, text, "dashed" in _options(options), number))
        self._drawing.check_arrows(len(self._drawing.nodes))

    def _text(self, text: str, number: int) -> str:
        """What LaTeX prints, in plain text: fractions with a slash, subscripts behind their letter."""
        if text.count("\\") + text.count("$") > MOST_LINES:
            most = counted(MOST_LINES, "escape")
            raise self._drawing.refused(number, f"the line has more than {most}, the most that are read.")
        parts: list[str] = []
        place = 0
        while place < len(text):
            found = _PIECE.match(text, place)
            part = _plain(found) if found else ""
            if not found or not part:
                got = shown(text[place : place + 30])
                raise self._drawing.refused(
                    number, rf"expected letters, $\frac{{1}}{{2}}$, $s_{{1}}$ or escaped signs; got {got}."
                )
            parts.append(part)
            place = found.end()
        return "".join(parts)


def _plain(found: re.Match[str]) -> str:
    """Plain text of a piece of LaTeX; nothing if it is a command that is not known."""
    if found["letter"]:
        return f"{found['letter']}{found['index']}"
    if found["upper"]:
        return f"{found['upper']}/{found['lower']}"
    if found["new_line"]:
        return "\n"
    return found["plain"] or _PLAIN.get(found["special"], "")


def _options(text: str | None) -> list[str]:
    return [option.strip() for option in (text or "").split(",")]
