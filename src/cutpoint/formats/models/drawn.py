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
from typing import NamedTuple

import numpy as np

from cutpoint.data.names import counted, shown
from cutpoint.diagrams.diagram import Diagram, Look, Wording, state_diagram
from cutpoint.errors import FormatError
from cutpoint.formats.models.arrays import Number, assembled, check_room
from cutpoint.formats.models.drawn_labels import entries
from cutpoint.formats.models.model import MOST_ENTRIES, MOST_FRACTIONS, Model, Options, only_acceptor
from cutpoint.formats.models.names import MARK, name_of_token, token
from cutpoint.formats.models.numerals import number_of, numeral
from cutpoint.formats.models.source import MOST_LINES, Source
from cutpoint.model import Acceptor

WHOLE = Wording(partial(token, digits=int), token, numeral, is_whole=True)

ADVICE = "Write probabilities as in a, b: 1/2, or load with normalized=True to rescale rows."
"""What to do about rows that do not sum to 1."""

MOST_PARALLEL = 100_000
"""Most arrows beyond one for each pair of nodes; what was saved has none."""

_STRAY = re.compile(r"%(?![0-9A-Fa-f]{2})")
_QUOTED = re.compile(r'".+"')
_NUMBER = re.compile(r"[0-9]+")


def whole_diagram(model: Model, kind: str) -> Diagram:
    """Diagram of an acceptor that leaves nothing out: every name and number in full, and the order of the symbols."""
    return state_diagram(only_acceptor(model, kind), Look(), WHOLE)


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
