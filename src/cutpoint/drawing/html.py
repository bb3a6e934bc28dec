"""Pages: acceptors, samples and what comes of them as HTML for a notebook; escaped, and bounded whatever their size."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import singledispatch
from html import escape
from itertools import islice
from typing import Any, TypeVar

from cutpoint.data import Observation, Sample
from cutpoint.decision import DFA, Language
from cutpoint.drawing.diagram import Look, cleaned, cut_point_label, label
from cutpoint.drawing.picture import Picture
from cutpoint.drawing.plots import short_words
from cutpoint.drawing.texts import diagram
from cutpoint.em import Fit
from cutpoint.errors import MissingExtra, TooLarge
from cutpoint.model import Acceptor, BeliefNetwork
from cutpoint.model.text import number
from cutpoint.search.learned import Learned
from cutpoint.wording import counted, shown

Item = TypeVar("Item")

MOST_ROWS, MOST_COLUMNS, MOST_MATRICES, MOST_WORDS = 12, 12, 6, 10
"""Most of what a page shows; that there is more is told by an ellipsis."""
MOST_SEARCHED = 200
"""Words among which the first of a language are looked for."""
MOST_PICTURED = 60
"""Most nodes, and most arrows, of a diagram that is drawn without being asked for."""
MOST_ENTRIES = 10_000
"""Most transitions of an acceptor that is drawn without being asked for."""
ELLIPSIS = "…"
TEXT, HEAD = "text-align: left; min-width: 5em; overflow-wrap: anywhere", "text-align: left; white-space: nowrap"
"""How the first column of a table is set: texts of any length, or names of states. A notebook sets all to the right."""


@singledispatch
def html(value: object) -> str:
    """HTML of a value; its repr if it has no page of its own.

    Examples
    --------
    >>> html("<b>")
    '<pre>&#x27;&lt;b&gt;&#x27;</pre>'
    """
    return f"<pre>{escape(repr(value))}</pre>"


@html.register
def _(acceptor: Acceptor) -> str:
    return acceptor_html(acceptor, Look(digits=3))


def acceptor_html(acceptor: Acceptor, look: Look) -> str:
    """Page of an acceptor: the diagram with a look of its own, and the matrices."""
    shown_symbols = acceptor.alphabet[:MOST_MATRICES]
    matrices = [_captioned(label(symbol), _matrix(acceptor, a)) for a, symbol in enumerate(shown_symbols)]
    rest = acceptor.n_symbols - len(matrices)
    more = _paragraph(f"… and {counted(rest, 'more symbol')}") if rest else ""
    small = acceptor.transitions.size <= MOST_ENTRIES and acceptor.n_states <= MOST_PICTURED
    return _paragraph(_plain(acceptor)) + (_pictured(acceptor, look) if small else "") + _beside(matrices) + more


@html.register
def _(dfa: DFA) -> str:
    header = ["", *map(label, dfa.alphabet[: MOST_COLUMNS + 1])]
    rows = [
        [_state(s, s in dfa.final, s == dfa.initial), *map(str, row[: MOST_COLUMNS + 1])]
        for s, row in enumerate(dfa.transitions[: MOST_ROWS + 1])
    ]
    small = dfa.n_states <= MOST_PICTURED
    return _paragraph(_plain(dfa)) + (_pictured(dfa) if small else "") + table([header, *rows], HEAD)


@html.register
def _(network: BeliefNetwork) -> str:
    return _paragraph(_plain(network)) + (_pictured(network) if network.length <= MOST_PICTURED // 2 else "")


@html.register
def _(language: Language) -> str:
    found: list[str] = []
    if language.acceptor.n_states <= MOST_PICTURED:  # larger ones take too long for a look
        words = short_words(language.acceptor.alphabet, MOST_SEARCHED)
        inside = (word for word in words if word in language)
        found = [shown(word, room=40) for word in islice(inside, MOST_WORDS)]
    first = f" First words: {', '.join(found)} {ELLIPSIS}" if found else ""
    least = "at least" if language.inclusive else "more than"
    head = f"Words accepted with a probability of {least} {cut_point_label(language.cut_point)}.{first}"
    return _paragraph(head) + html(language.acceptor)


@html.register
def _(sample: Sample) -> str:
    rows = [_observation(sample[r]) for r in range(min(len(sample), MOST_ROWS + 1))]
    return _paragraph(repr(sample)) + table([["word", "verdict", "count", "seen along the way"], *rows])


@html.register
def _(fit: Fit) -> str:
    return _results(fit, [])


@html.register
def _(learned: Learned) -> str:
    loss = f"{learned.validation_loss:.4g} over {counted(len(learned.members), 'fold')}"
    sizes = [[f"with {counted(size.n_states, 'state')}", f"{size.loss:.4g}"] for size in learned.sizes]
    return _results(learned, [["held-out log loss", loss], *sizes])


def table(cells: Sequence[Sequence[str]], first: str = TEXT) -> str:
    r"""Table of a page, the first row as header; rows and columns beyond the most are told by an ellipsis.

    Examples
    --------
    >>> print(table([["state", "0"], ["a<b", "1"]], HEAD).replace("<tr>", "\n<tr>"))
    <table style="margin: 0 0 1em 0">
    <tr><th style="text-align: left; white-space: nowrap">state</th><th>0</th></tr>
    <tr><td style="text-align: left; white-space: nowrap">a&lt;b</td><td>1</td></tr></table>
    """
    rows = [_first(row, MOST_COLUMNS + 1, ELLIPSIS) for row in _first(cells, MOST_ROWS + 1, [ELLIPSIS])]
    lines = [_row(rows[0], "th", first), *(_row(row, "td", first) for row in rows[1:])]
    return f'<table style="margin: 0 0 1em 0">{"".join(lines)}</table>'


def _row(cells: Sequence[str], tag: str, first: str) -> str:
    head, *rest = map(_text, cells)
    return f'<tr><{tag} style="{first}">{head}</{tag}>{"".join(f"<{tag}>{cell}</{tag}>" for cell in rest)}</tr>'


def _first(items: Sequence[Item], most: int, ellipsis: Item) -> list[Item]:
    """Items as far as there is room, and a sign that there are more."""
    return [*items[:most], ellipsis] if len(items) > most else list(items)


def _matrix(acceptor: Acceptor, a: int) -> str:
    """Matrix of one symbol."""
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    few = slice(MOST_COLUMNS + 1)
    names = [label(state) for state in acceptor.states[few]]
    rows = [
        [_state(names[s], bool(acceptor.final[s]), bool(acceptor.initial[s] > 0)), *(number(p) for p in row)]
        for s, row in enumerate(steps[a, few, few])
    ]
    return table([["", *names], *rows], HEAD)


def _state(name: object, final: bool, initial: bool) -> str:
    """Name of a state at the head of a row: an arrow if a run can start there, a star if it is final."""
    return f"{'→ ' if initial else ''}{name}{' *' if final else ''}"


def _observation(seen: Observation) -> list[str]:
    along = [f"states {shown(seen.states)}"] * (seen.states is not None)
    along += [f"verdicts {shown(seen.verdicts)}"] * (seen.verdicts is not None)
    verdict = {True: "accepted", False: "rejected", None: ""}[seen.accepted]
    return [shown(seen.word), verdict, f"{seen.count:g}", ", ".join(along)]


def _results(fit: Fit, more: list[list[str]]) -> str:
    rows = [["log-likelihood", f"{fit.log_likelihood:.6g}"], ["steps", f"{fit.steps:,}"], *more]
    told = _paragraph(str(fit.stop)) + (_paragraph(fit.detail) if fit.detail else "")
    return table([[type(fit).__name__, ""], *rows]) + told + html(fit.acceptor)


def _pictured(value: Any, look: Look | None = None) -> str:
    """Picture of a value within the page, or nothing where Graphviz is missing or there is too much to see.

    As an image of its own, so that neither its names nor its styles meet those of the page.
    """
    picture = Picture(diagram(value, look or Look(digits=3)))
    try:
        picture.diagram.check_size(MOST_PICTURED)
        image = b64encode(picture.svg.encode()).decode("ascii")
    except (MissingExtra, TooLarge):
        return ""
    return f'<img alt="{_text(_plain(value))}" style="max-width: 100%" src="data:image/svg+xml;base64,{image}">'


def _plain(value: object) -> str:
    """Repr of a value without its brackets."""
    return repr(value).removeprefix("<").removesuffix(">")


def _captioned(caption: str, content: str) -> str:
    return f'<figure style="margin: 0"><figcaption><b>{_text(caption)}</b></figcaption>{content}</figure>'


def _beside(parts: Sequence[str]) -> str:
    return f'<div style="display: flex; flex-wrap: wrap; gap: 1em">{"".join(parts)}</div>'


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _text(text: str) -> str:
    """Text within a page: bounded, nothing unseen in it, nothing that the page would read as its own."""
    return escape(cleaned(text, room=1000))
