"""An automaton as text: one line for the prompt, a table for the eye, a page and a diagram for a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, State, html
from cutpoint.diagrams.diagram import MOST_DISPLAYED, Diagram, LabelStyle, Look, label, state_diagram, symbol_label
from cutpoint.exact import CutPoint, RationalFunction, whole_number
from cutpoint.wording import counted, plain, printable

if TYPE_CHECKING:
    from cutpoint.model.machine import Machine
    from cutpoint.model.parametric import ParametricAcceptor

LINE = 100  # longest line of a repr
MOST_MATRICES = 6  # most matrices of a page
MOST_ENTRIES = 10_000  # most transitions of an acceptor whose page has a diagram
LARGEST_EXPONENT = 300  # numbers beyond 10 to this power, or its inverse, are shown by their own power of ten
LONG_NUMBER = 10**20  # a fraction with a larger numerator or denominator is shown as a decimal
LONG_FLOAT = 1e7  # floats from here on are shown with an exponent
LARGEST_PRINTED = 5000  # most transitions that print shows
MOST_SHOWN = 10**8  # most entries of matrices of which a page shows corners


class Displayed:
    """What acceptors, generators and weighted automata show of themselves."""

    alphabet: Alphabet

    @property
    def displayed_states(self) -> Sequence[State]:
        """Names at the heads of rows and in nodes."""
        raise NotImplementedError

    @property
    def marked_final(self) -> NDArray[np.bool_]:
        """Which states displays mark as final."""
        raise NotImplementedError

    def numbers(self, exact: bool | None = None) -> dict[str, NDArray[Any]]:
        """Transitions, the initial row, and a column if it is displayed, by name: fractions or floats."""
        raise NotImplementedError

    def table(self, width: int = 100, digits: int = 4) -> str:
        """All matrices as plain text; an arrow marks the states where runs can start, a star the final ones.

        A generator's probabilities to stop, and the final weights of a weighted automaton, have a column of their own.

        Examples
        --------
        >>> print(cp.p_adic(2).table())
                   0:           1:
                   s1   s2      s1   s2
        →  s1      1    0       1/2  1/2
           s2 *    1/2  1/2     0    1
        """
        whole_number("width", width, least=1)
        return table(self, width, whole_number("digits", digits, least=1, most=17))

    def __str__(self) -> str:
        if (size := _size(self)) > LARGEST_PRINTED:
            return f"{self!r}; table() shows all matrices"
        return self.table() if size else repr(self)

    def _repr_html_(self) -> str:
        return page(self, Look(digits=3))

    def diagram(self, look: Look, style: LabelStyle | None = None) -> Diagram:
        """State diagram, as :func:`cutpoint.draw` shows it; files write labels in a style of their own."""
        used = style or LabelStyle(label, symbol_label, partial(number, digits=look.digits))
        steps, start, *_ = (parts := self.numbers()).values()
        columns = dict(list(parts.items())[2:])
        names = self.displayed_states, self.alphabet
        return state_diagram(*names, steps, start, self.marked_final, look, used, columns)


def _size(automaton: Displayed) -> int:
    """Number of entries of all matrices."""
    return len(automaton.alphabet) * len(automaton.displayed_states) ** 2


def one_line(machine: Machine) -> str:
    """Repr of an acceptor or generator: sizes and names, shortened to fit on a line."""
    parts = [sizes(machine), f"starts in {_braced(compress(machine.states, machine.initial > 0))}"]
    if machine.stop is None or not machine.final.all():
        parts.append(f"accepts in {_braced(machine.final_states)}")
    rule = {"skip": ", skips unknown symbols", "rare": ", reads unknown symbols as rare ones"}
    if machine.is_sparse:
        parts.append(f"sparse with {counted(machine.stored.n_entries, 'move')}")  # type: ignore[union-attr]
    ends = f"{', exact' if machine.is_exact else ''}{rule.get(machine.alphabet.on_unknown, '')}"
    return f"<{type(machine).__name__}: {', '.join(parts)}{ends}>"


def sizes(machine: Machine | ParametricAcceptor) -> str:
    """Numbers and names of states and symbols."""
    states = f"{counted(machine.n_states, 'state')} {_braced(machine.states)}"
    return f"{states}, {counted(machine.n_symbols, 'symbol')} {_braced(machine.alphabet)}"


def table(machine: Displayed, width: int, digits: int) -> str:
    """All matrices of an automaton, and its column, side by side as far as the width allows."""
    (_, steps), (_, start), *columns = machine.numbers().items()
    names = [plain(state) for state in machine.displayed_states]
    arrows = [_arrow(weight) for weight in start]
    states = [marked_state(name, False, final) for name, final in zip(names, machine.marked_final, strict=True)]
    left = aligned([["", ""], ["", ""], *map(list, zip(arrows, states, strict=True))])
    bands: list[list[list[str]]] = [[left]]
    tables = [(f"{plain(symbol)}:", names, matrix) for symbol, matrix in zip(machine.alphabet, steps, strict=True)]
    for title, heads, matrix in [*tables, *((f"{name}:", [""], column[:, None]) for name, column in columns)]:
        lines = aligned([heads, *([number(p, digits) for p in row] for row in matrix)])
        block = aligned([[title], *([line] for line in lines)])
        used = sum(len(lines[0]) + 3 for lines in bands[-1])
        if used + len(block[0]) > width and len(bands[-1]) > 1:
            bands.append([left])
        bands[-1].append(block)
    return "\n\n".join("\n".join("   ".join(line).rstrip() for line in zip(*band, strict=True)) for band in bands)


def page(automaton: Displayed, look: Look) -> str:
    """HTML for a notebook or the report: the diagram, if it is small, the matrices, and the column."""
    states = automaton.displayed_states
    small = _size(automaton) <= MOST_ENTRIES and 0 < len(states) <= MOST_DISPLAYED
    diagram = automaton.diagram(look).html(html.summary(automaton)) if small else ""
    few = slice(html.MOST_COLUMNS + 1)
    names = [label(state) for state in states[few]]
    if _size(automaton) > MOST_SHOWN:
        return html.paragraph(html.summary(automaton))
    (_, steps), (_, start), *columns = automaton.numbers().items()
    marked = [marked_state(name, False, final) for name, final in zip(names, automaton.marked_final[few], strict=True)]
    heads = [f"{_arrow(weight)} {name}".strip() for weight, name in zip(start[few], marked, strict=True)]
    figures = []
    for symbol, matrix in zip(automaton.alphabet[:MOST_MATRICES], steps, strict=False):
        rows = [[head, *map(number, row)] for head, row in zip(heads, matrix[few, few], strict=True)]
        figures.append((label(symbol), html.table([["", *names], *rows], html.HEAD)))
    rest = len(automaton.alphabet) - len(figures)
    for name, column in columns:
        rows = [[head, number(p)] for head, p in zip(heads, column[few], strict=True)]
        figures.append((name, html.table([["", ""], *rows], html.HEAD)))
    more = html.paragraph(f"… and {counted(rest, 'more symbol')}") if rest else ""
    return html.paragraph(html.summary(automaton)) + diagram + html.side_by_side(figures) + more


def _arrow(weight: Any) -> str:
    """Mark before the name of a state: an arrow if a run can start there, and the weight unless it is 1."""
    return {"0": "", "1": "→"}.get(text := number(weight), f"→ {text}")


def marked_state(name: object, initial: bool, final: bool) -> str:
    """Name of a state at the head of a row: an arrow if a run can start there, a star if it is final."""
    return f"{'→ ' if initial else ''}{name}{' *' if final else ''}"


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as printable lines of equal width, columns aligned to the left."""
    cells = [[*map(printable, row)] for row in cells]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]


def cut_point_text(value: CutPoint) -> str:
    """A cut point as text: as :func:`number` shows it, or by its root or polynomial if it is irrational."""
    return number(value) if isinstance(value, Fraction) else str(value)


def number(value: Any, digits: int = 4) -> str:
    """A number as text: short fractions as they are, others with a few digits; only 0 and 1 look like 0 and 1.

    Examples
    --------
    >>> number(Fraction(1, 3)), number(0.25), number(1e-7), number(1 - 1e-7), number(Fraction(1, 10**40))
    ('1/3', '0.25', '1e-07', '1-1e-07', '1e-40')
    >>> number(Fraction(1, 10**400)), number(-Fraction(12) ** 1000), number(1 + Fraction(1, 10**30))
    ('1e-400', '-1.518e1079', '1+1e-30')
    """
    if isinstance(value, RationalFunction):
        return str(value)
    exact = value
    if isinstance(value, Fraction):
        if max(abs(value.numerator), value.denominator) < LONG_NUMBER:
            return str(value)
        size = math.log10(abs(value.numerator)) - math.log10(value.denominator)
        if abs(size) > LARGEST_EXPONENT:  # beyond the range of floats
            mantissa = f"{10 ** (size - math.floor(size)):.{max(digits, 1)}g}"
            return f"{'-' if value < 0 else ''}{mantissa}e{math.floor(size)}"
        value = value.numerator / value.denominator
    if abs(value) >= LONG_FLOAT:
        return f"{value:.{max(digits, 1)}g}"
    text = np.format_float_positional(value, max(digits, 0), trim="-")
    if text in ("0", "-0") and value != 0:
        text = f"{value:.{max(digits, 1)}g}"
    elif text == "1" and exact != 1:
        text = f"1{'-' if exact < 1 else '+'}{number(abs(1 - exact), 1)}"
    return text


def _braced(names: Iterable[object], room: int = LINE // 5) -> str:
    """Names in braces, as many as the room allows."""
    shown: list[str] = []
    for name in names:
        shown.append(plain(name))
        if len(", ".join(shown)) > room:
            shown[-1] = "…"
            break
    return "{" + ", ".join(shown) + "}"
