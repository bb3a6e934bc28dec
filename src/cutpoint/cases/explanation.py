"""Why a case got its probability: what each event changed along the way, and what if it had not happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.cases.forecast import forecasts_along, kept_forecaster, possible, road_of, rows_along, steps_of
from cutpoint.data import PlainWord, Sample, Word, html
from cutpoint.diagrams.diagram import label
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.kernels.words import Codes, Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.text import aligned
from cutpoint.wording import counted, printable

MOST_EVENTS, MOST_EXACT_EVENTS = 20_000, 200  # longest word that has deletion values, in floats and exactly
MOST_TABULATED = 2000  # longest word whose table has them
MOST_NAMED = 5  # most events that the warning names
NEWTON_STEPS = 4  # each doubles the digits of a node, of which the first guess has four
BLOCK = 1 << 21  # numbers that the integration holds at once
VISIBLE = 0.0005  # of many changes, smaller ones have no bar of their own
UNUSUAL = 0.01  # a shortened word that comes up less often, for each time the word itself does, hardly occurs
ROUNDING = 1e-12  # a smaller change by the end is none
MOST_ROWS = 60  # most rows of a table in a notebook


class Step(NamedTuple):
    """A bar of the waterfall: some events, and the probability before and after them."""

    label: str
    before: float
    after: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    r"""Result of :func:`explain`.

    Attributes
    ----------
    word, acceptance : the case, and its probability to be accepted.
    forecasts : :math:`F_0 \dots F_n`, before the first event and after each one; None without a law of inputs.
    along : :math:`F_i - F_{i-1}`, what each event changed in what could be expected; None without forecasts.
    end : what the end changed, ``acceptance`` - :math:`F_n`; None without forecasts.
    baseline : where the sum begins: :math:`F_0`, the base rate, or without forecasts the acceptance of the empty word.
    shapley : what if an event had not happened: its Shapley value where absent means deleted. They sum to
        ``acceptance - empty``. None of a generator, whose acceptance of a word is a ratio.
    empty : acceptance of the empty word.
    shortened : how often the word without the event comes up, for each time the word itself does; near 0, the model
        has seen no such words, and the Shapley value is an accident of learning. None without a law of inputs.
    warning : a sentence on that, or None.
    """

    machine: Acceptor | Generator
    word: PlainWord
    inputs: Generator | None
    acceptance: Any
    forecasts: NDArray[Any] | None
    exact: bool = False
    outcome: str = "accepted"

    @property
    def along(self) -> NDArray[Any] | None:
        """What each event changed."""
        return None if self.forecasts is None else np.diff(self.forecasts)

    @property
    def end(self) -> Any:
        """What the end changed."""
        return None if self.forecasts is None else self.acceptance - self.forecasts[-1]

    @property
    def baseline(self) -> Any:
        """Where the sum begins."""
        return self.empty if self.forecasts is None else self.forecasts[0]

    @cached_property
    def empty(self) -> Any:
        """Acceptance of the empty word."""
        return self.machine.exact_acceptance(()) if self.exact else self.machine.acceptance(())

    @cached_property
    def shapley(self) -> NDArray[Any] | None:
        """Deletion Shapley value of each event."""
        if isinstance(self.machine, Generator):
            return None
        known, codes = self.machine.alphabet, self.machine.alphabet.encode_word(self.word)
        most = MOST_EXACT_EVENTS if self.exact else MOST_EVENTS
        if len(codes) > most:
            advice = "The changes along the way have no limit." if not self.exact else "Leave exact=True out."
            raise TooLarge(f"Shapley values have a limit of {most:,} events; got {len(codes):,}. {advice}")
        if self.exact:
            values = self.machine.integers.deletion_values(codes.tolist())
        else:
            values = deletion_values(self.machine.transitions, self.machine.initial, self.machine.final, codes)
        found = np.zeros(len(self.word), dtype=values.dtype)
        found[[known.on_unknown == "rare" or symbol in known for symbol in self.word]] = values
        return found

    @cached_property
    def shortened(self) -> Floats | None:
        """How often each shortened word comes up, for each time the word itself does."""
        return None if self.inputs is None else shortened_words(self.inputs, self.word)

    @property
    def warning(self) -> str | None:
        """Whether the Shapley values are about words that hardly occur."""
        if not len(self.word) or isinstance(self.machine, Generator):
            return None
        if self.shortened is None:
            return (
                "Whether cases with events deleted occur at all is not known without a law of inputs: where they do "
                "not, Shapley values are accidents of learning."
            )
        rare = np.flatnonzero(~(self.shortened >= UNUSUAL))
        if not len(rare):
            return None
        names = ", ".join(dict.fromkeys(label(self.word[i]) for i in rare[:MOST_NAMED].tolist()))
        return (
            f"Cases like this one without {names}{', …' * (len(rare) > MOST_NAMED)} hardly occur: less than once for a "
            "hundred like this one. The model has not learned what to say of them; do not rely on the Shapley values."
        )

    def steps(self, most: int = 30, shapley: bool = False) -> list[Step]:
        """Bars of a waterfall from the baseline to the acceptance, about so many: small changes are taken together."""
        if shapley or self.forecasts is None:
            values = self.shapley
            if values is None:
                raise InvalidArgument("must be False of a generator, which has no such values.", argument="shapley")
            levels, end = float(self.empty) + np.concatenate([[0.0], np.cumsum(values.astype(np.float64))]), []
        else:
            levels = self.forecasts.astype(np.float64)
            end = [Step("(end)", levels[-1], float(self.acceptance))] if abs(self.end) > ROUNDING else []
        sizes = np.abs(np.diff(levels))
        alone = np.ones(len(sizes), dtype=np.bool_)
        if len(sizes) > most:
            alone = sizes >= VISIBLE
            alone[np.argsort(-sizes, kind="stable")[most // 2 :]] = False
        last = [i for i in range(len(sizes)) if alone[i] or i + 1 == len(sizes) or alone[i + 1]]
        found = []
        for first, i in zip([0, *(i + 1 for i in last)], last, strict=False):
            name = f"{i + 1}. {label(self.word[i], room=24)}" if first == i else f"… {i + 1 - first} events"
            found.append(Step(name, float(levels[first]), float(levels[i + 1])))
        return found + end

    def rows(self) -> list[list[str]]:
        """Rows of the table."""
        shapley = self.shapley if len(self.word) <= MOST_TABULATED else None
        columns: dict[str, list[str]] = {"": ["", *map(str, range(1, len(self.word) + 1)), ""]}
        columns["event"] = ["(start)", *(label(symbol) for symbol in self.word), "(end)"]
        if self.forecasts is not None and self.along is not None:
            levels = [*self.forecasts, self.acceptance]
            columns[f"forecast: {self.outcome}"] = [f"{float(value):.4f}" for value in levels]
            columns["change"] = ["", *map(signed, (*self.along, self.end))]
        if shapley is not None:
            columns["Shapley value"] = ["", *map(signed, shapley), ""]
            if self.shortened is not None:
                columns["case without it"] = ["", *map(_times, self.shortened), ""]
        rows = [list(row) for row in zip(*([name, *cells] for name, cells in columns.items()), strict=True)]
        return rows if self.forecasts is not None else [rows[0], *rows[2:-1]]

    def table(self) -> str:
        """Every event with the forecast after it and its change, and what if it had not happened, as plain text."""
        return "\n".join(line.rstrip() for line in aligned(self.rows()))

    def __str__(self) -> str:
        return "\n".join([self._head, self.table(), *([self.warning] if self.warning else [])])

    def _repr_html_(self) -> str:
        warning = html.paragraph(self.warning) if self.warning else ""
        return html.paragraph(self._head) + html.table(self.rows(), most_rows=MOST_ROWS) + warning

    @property
    def _head(self) -> str:
        if self.forecasts is None:
            levels = {"without any event": self.empty}
        else:
            levels = {"before the first event": self.forecasts[0], "after the last": self.forecasts[-1]}
        values = [f"{float(value):.4f} {when}" for when, value in levels.items()]
        values.append(f"{float(self.acceptance):.4f} if it ends there")
        return f"{counted(len(self.word), 'event')}; {printable(self.outcome)} with probability {', '.join(values)}"

    def __repr__(self) -> str:
        changes = self.along
        most = ""
        if changes is not None and len(changes):
            i = int(np.abs(changes.astype(np.float64)).argmax())
            most = f", most by event {i + 1}, {label(self.word[i])} ({signed(changes[i])})"
        levels = f"{float(self.baseline):.4f} → {float(self.acceptance):.4f}"
        return f"<Explanation: {counted(len(self.word), 'event')}, {printable(self.outcome)} {levels}{most}>"


def signed(value: Any) -> str:
    """A change as text; one that is 0 to four digits has no sign."""
    text = f"{float(value):+.4f}"
    return text if float(text) else " 0.0000"


def _times(ratio: float) -> str:
    """How usual a shortened word is, as text."""
    return (
        "?"
        if np.isnan(ratio)
        else f"< {UNUSUAL}×"
        if ratio < UNUSUAL
        else f"{ratio:.2f}×"
        if ratio < 1e4
        else f"{ratio:.1e}×"
    )


def explain(
    acceptor: Acceptor | Generator,
    word: Word,
    inputs: Generator | None = None,
    *,
    prefixes: bool = False,
    exact: bool = False,
    outcome: str | None = None,
) -> Explanation:
    r"""Why a case got its probability to be accepted: two explanations that add up, and are not to be confused.

    **Along the way.** With :math:`F_i` the forecast after the first i events, the case still open,

    .. math:: \sum_{i=1}^n (F_i - F_{i-1}) + (\mathrm{acceptance} - F_n) = \mathrm{acceptance} - F_0

    is what each event, and at last the end, changed in what could be expected. All these words occur, so the data say
    what they are; an event that every case has gets nothing.

    **What if it had not happened**, a property of the model: Shapley values, where an absent event is deleted,

    .. math:: \varphi_i = \int_0^1 \alpha_i(t)\, (P(x_i) - I)\, \beta_i(t)\, dt

    with :math:`\alpha, \beta` the forward row and the backward column of the lazy matrices :math:`(1-t) I + t P(x_j)`.
    They sum to the acceptance of the word minus that of the empty word. Words with events deleted may never occur:
    ``Explanation.shortened`` has how usual they are, and ``warning`` says where they are not.

    Parameters
    ----------
    acceptor : the model; of a generator, whose own forecasts are taken, there are no Shapley values.
    inputs : the law of inputs, a generator, by default the one that the model carries; without any there are no
        forecasts.
    prefixes : the acceptor was learned from prefixes: then :math:`F_i` is the acceptance of the prefix, and the end
        changes nothing. A model of ``cutpoint fit --along`` knows it.
    exact : in rational numbers, with at most 200 events.
    outcome : your name for accepted, in tables and plots; by default the model's.

    Notes
    -----
    Forecasts cost :math:`O(n l^2)` once those of the pair are solved (:class:`cutpoint.cases.Forecaster`). The
    integrand is a polynomial of degree n - 1, which :math:`\lceil n/2 \rceil` Gauss-Legendre nodes integrate exactly:
    :math:`O(n^2 l^2)`, computed when asked for. A word of probability 0 under the law of inputs is refused.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> why = cp.explain(cp.p_adic(2), "011", inputs=G)
    >>> why
    <Explanation: 3 events, accepted 0.1667 → 0.7500, most by event 2, 1 (+0.3333)>
    >>> print(why)
    3 events; accepted with probability 0.1667 before the first event, 0.6667 after the last, 0.7500 if it ends there
       event    forecast: accepted  change   Shapley value  case without it
       (start)  0.1667
    1  0        0.1667               0.0000   0.0000        4.00×
    2  1        0.5000              +0.3333  +0.3750        4.00×
    3  1        0.6667              +0.1667  +0.3750        4.00×
       (end)    0.7500              +0.0833
    >>> cp.explain(cp.p_adic(2), "011", exact=True).shapley
    array([Fraction(0, 1), Fraction(3, 8), Fraction(3, 8)], dtype=object)
    """
    inputs, prefixes, outcome = road_of(acceptor, inputs, prefixes, outcome)
    acceptor.alphabet.encode_word(word)  # refuses unknown symbols, naming the position
    case = Sample([word])
    plain = case.words[0]
    forecasts: NDArray[Any] | None = None
    if prefixes or inputs is not None:
        forecasts = possible(forecasts_along(acceptor, case, inputs, prefixes), plain)
        if exact:
            forecasts = np.array(
                [_exact_forecast(acceptor, plain[:i], inputs, prefixes) for i in range(len(forecasts))]
            )
    acceptance = acceptor.exact_acceptance(plain) if exact else acceptor.acceptance(plain)
    return Explanation(acceptor, plain, inputs, acceptance, forecasts, exact, outcome)


def _exact_forecast(machine: Acceptor | Generator, prefix: PlainWord, inputs: Generator | None, prefixes: bool) -> Any:
    """The same as a ``Fraction``."""
    if isinstance(machine, Generator):
        return machine.forecast(prefix, exact=True)
    if prefixes or inputs is None:
        return machine.exact_acceptance(prefix)
    return kept_forecaster(machine, inputs).forecast(prefix, exact=True)


def deletion_values(transitions: Floats, initial: Floats, final: NDArray[Any], word: Codes) -> Floats:
    """Shapley value of each position of a word where absent means deleted, by Gauss-Legendre nodes: ``[i]``."""
    values, n = np.zeros(len(word)), len(word)
    if not n:
        return values
    symbols, codes = np.unique(word, return_inverse=True)
    moves = transitions[symbols] - np.eye(len(initial))
    nodes, weights = _nodes(-(-n // 2))
    room = max(BLOCK // (n * len(initial)), 1)
    for at in (slice(k, k + room) for k in range(0, len(nodes), room)):
        t, order = nodes[at, None], codes.tolist()
        rows, columns = np.tile(initial, (len(t), 1)), weights[at, None] * final
        changes = np.empty((n, *rows.shape))
        for i, a in enumerate(order):
            np.matmul(rows, moves[a], out=changes[i])
            rows += t * changes[i]
        for i in range(n - 1, -1, -1):
            values[i] += np.vdot(changes[i], columns)
            columns += t * (columns @ moves[order[i]].T)
    return values


@lru_cache(maxsize=64)
def _nodes(number: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on the interval from 0 to 1, by Newton steps from Tricomi's approximation."""
    x = np.cos(np.pi * (np.arange(number, 0, -1) - 0.25) / (number + 0.5))
    for _ in range(NEWTON_STEPS):
        before, now = np.ones_like(x), x.copy()
        for k in range(2, number + 1):
            before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
        slope = number * (x * now - before) / (x * x - 1.0)
        x -= now / slope
    return (x + 1.0) / 2.0, 1.0 / ((1.0 - x * x) * slope**2)


def shortened_words(inputs: Generator, word: PlainWord) -> Floats:
    """Probability of the word without each symbol, as a multiple of that of the word itself; NaN if that is 0.

    Both rows and columns are scaled to be conditional on the word, so that long words do not underflow.
    """
    case = Sample([word])
    rows, steps, codes = rows_along(inputs, case), steps_of(inputs, case.alphabet), case.decoded.word(0)
    ratios = np.empty(len(codes))
    with np.errstate(invalid="ignore", divide="ignore"):
        column = inputs.stop / (rows[-1] @ inputs.stop)
        for i in range(len(codes) - 1, -1, -1):
            emitted = (rows[i] @ steps[codes[i]]).sum()
            ratios[i] = rows[i] @ column / emitted
            column = steps[codes[i]] @ column / emitted
    return ratios
