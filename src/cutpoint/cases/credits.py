"""Credit: what each event changed in the forecasts of many cases, beside the usual rules of attribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.assess.evaluation import REPETITIONS
from cutpoint.cases.explanation import signed
from cutpoint.cases.forecast import forecasts_along, road_of
from cutpoint.data import Sample, Symbol, html
from cutpoint.diagrams.diagram import label
from cutpoint.em.observations import check_sample
from cutpoint.errors import ImpossibleObservation, TooLarge
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.text import aligned
from cutpoint.wording import counted, integer_if_whole, printable, rounded_count

BLOCK = 1 << 18  # positions of words that are forecast at once
MOST_ROWS = 30  # most rows of a table in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Credit:
    """Result of :func:`credit`: arrays with a number for each symbol that occurs, the largest credit first.

    Attributes
    ----------
    symbols, times : the events, and how often they occur.
    along : sum of the changes in the forecast, over all times that the event occurs: a number of accepted cases.
    intervals : 95 % interval of each sum, ``[symbol, 2]``: percentiles over 200 samples of cases drawn with
        replacement, for a model that stays as it is. None with less than two cases.
    sizes : sum of the absolute changes; where it is large and the credit small, an event helps some cases and harms
        others.
    first_touch, last_touch : accepted cases that begin with the event, and that end with it.
    removal : share of the accepted cases that have the event: what would be lost if every case with it were lost.
    baseline, end : the forecast before the first event, and the sum of the changes by the ends of cases.
        ``baseline * cases + along.sum() + end`` is the sum of the acceptances.
    cases, left_out : number of cases, and of those left out because the law of inputs makes no such word.
    """

    symbols: tuple[Symbol, ...]
    times: Floats
    along: Floats
    intervals: Floats | None
    sizes: Floats
    first_touch: Floats
    last_touch: Floats
    removal: Floats
    baseline: float
    end: float
    cases: float
    left_out: float = 0.0
    outcome: str = "accepted"

    @property
    def each_time(self) -> Floats:
        """Mean change of the forecast each time that an event occurs."""
        return np.asarray(self.along / self.times)

    def rows(self, most: int | None = None) -> list[list[str]]:
        """Rows of the table, at most so many events."""
        found = [
            ["event", "times", "credit", "95 % interval", "each time", "first touch", "last touch", "removal effect"]
        ]
        for a, symbol in enumerate(self.symbols[:most]):
            interval = "" if self.intervals is None else " to ".join(f"{each:+.1f}" for each in self.intervals[a])
            touched = [rounded_count(values[a]) for values in (self.first_touch, self.last_touch)]
            numbers = [rounded_count(self.times[a]), f"{self.along[a]:+.1f}", interval, signed(self.each_time[a])]
            found.append([label(symbol), *numbers, *touched, f"{100 * self.removal[a]:.1f} %"])
        return found

    def table(self, most: int | None = None) -> str:
        """Every event with its credit, its interval and the rules of attribution, as plain text."""
        return "\n".join(line.rstrip() for line in aligned(self.rows(most)))

    @property
    def head(self) -> str:
        """What the numbers are, in a sentence."""
        left_out = f" ({self.left_out:,g} left out, which the law of inputs does not make)" if self.left_out else ""
        cases = counted(integer_if_whole(self.cases), "case")
        return (
            f"Credit over {cases}{left_out}: how many of those {printable(self.outcome)} are due to each event, beyond "
            f"the {100 * self.baseline:.1f} % expected before the first one. It is not causal, and the intervals take "
            "the model to be right."
        )

    def __str__(self) -> str:
        return f"{self.head}\n{self.table()}"

    def _repr_html_(self) -> str:
        return html.paragraph(self.head) + html.table(self.rows(), most_rows=MOST_ROWS)

    def __repr__(self) -> str:
        named = zip(map(label, self.symbols[:3]), self.along[:3].tolist(), strict=True)
        most = ", ".join(f"{name} {value:+.1f}" for name, value in named)
        events = most + ", …" * (len(self.symbols) > 3) or "no events"
        cases = counted(integer_if_whole(self.cases), "case")
        return f"<Credit over {cases}, {self.baseline:.4f} before the first event: {events}>"


def credit(
    acceptor: Acceptor | Generator,
    sample: Sample,
    inputs: Generator | None = None,
    *,
    prefixes: bool = False,
    outcome: str | None = None,
) -> Credit:
    r"""Credit of each event: the changes that it made in the forecasts of all cases, added up.

    .. math:: \mathrm{credit}(a) = \sum_r u_r \sum_{i:\, x_{r,i} = a} (F_{r,i} - F_{r,i-1})

    with the forecasts of :func:`explain`. The sum over all events, and over the ends of cases, is the sum of the
    acceptances minus the base rate times the number of cases. The common rules are given for comparison: all credit to
    the first event of an accepted case, all to the last one, or to each event what would be lost without it.

    Parameters
    ----------
    acceptor, inputs, prefixes, outcome : as of :func:`explain`.
    sample : the cases; where an outcome is not known, the acceptance takes its place.

    Notes
    -----
    Cost :math:`O(l^2 + g^2)` per event for l and g states, and 200 sums for the intervals, which are about the sample
    of cases and take the model as it is. The same sample gives the same intervals.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> sample = cp.Sample(["11", "0", "011"], accepted=[True, False, True], counts=[20, 30, 10])
    >>> found = cp.credit(cp.p_adic(2), sample, inputs=G)
    >>> found
    <Credit over 60 cases, 0.1667 before the first event: 1 +15.0, 0 +0.0>
    >>> print(found.table())
    event  times  credit  95 % interval   each time  first touch  last touch  removal effect
    1      60     +15.0   +11.5 to +19.0  +0.2500    20           30          100.0 %
    0      40     +0.0    +0.0 to +0.0     0.0000    10           0           33.3 %
    """
    check_sample(sample)
    inputs, prefixes, outcome = road_of(acceptor, inputs, prefixes, outcome)
    forecasts = _in_blocks(acceptor, sample, inputs, prefixes)
    words, positions = sample.decoded, sample.decoded.positions
    possible = ~np.isnan(forecasts[positions[1:] - 1])
    if not possible.any():
        what = "the law of inputs makes none of the words of the sample."
        raise ImpossibleObservation(what, advice="Learn both from the same sample.")
    counts, rows = np.where(possible, sample.counts, 0.0), np.flatnonzero(possible)
    acceptances = np.zeros(len(sample))
    acceptances[rows] = acceptor.acceptances(sample.take(rows))
    inner = np.ones(len(forecasts) - 1, dtype=np.bool_)
    inner[positions[1:-1] - 1] = False
    owner = np.repeat(np.arange(len(sample)), words.lengths)
    changes = np.where(possible[owner], np.diff(forecasts)[inner], 0.0)
    outcomes = np.where(sample.ends == 1, 1.0, np.where(sample.ends == 2, 0.0, acceptances)) * counts

    size = len(sample.alphabet)

    def summed(codes: NDArray[Any], weights: NDArray[Any]) -> Floats:
        return np.bincount(codes, weights, minlength=size).astype(np.float64)

    from scipy.sparse import coo_array  # noqa: PLC0415

    by_case = coo_array((changes, (owner, words.symbols)), shape=(len(sample), size)).tocsr()
    touched = np.unique(owner * size + words.symbols)
    some = np.flatnonzero(words.lengths)
    times, along = summed(words.symbols, counts[owner]), np.asarray(by_case.T @ counts)
    order = [a for a in np.argsort(-np.abs(along), kind="stable").tolist() if times[a] > 0.0]
    intervals = _intervals(by_case, counts)
    return Credit(
        symbols=tuple(sample.alphabet[a] for a in order),
        times=times[order],
        along=along[order],
        intervals=None if intervals is None else intervals[order],
        sizes=summed(words.symbols, np.abs(changes) * counts[owner])[order],
        first_touch=summed(words.symbols[words.offsets[some]], outcomes[some])[order],
        last_touch=summed(words.symbols[words.offsets[some + 1] - 1], outcomes[some])[order],
        removal=summed(touched % size, outcomes[touched // size])[order] / max(float(outcomes.sum()), 1e-300),
        baseline=float(forecasts[positions[rows[0]]]),
        end=float((counts[rows] * (acceptances[rows] - forecasts[positions[rows + 1] - 1])).sum()),
        cases=float(counts.sum()),
        left_out=float(sample.counts[~possible].sum()),
        outcome=outcome,
    )


def credit_or_reason(
    acceptor: Acceptor | Generator,
    sample: Sample,
    inputs: Generator | None,
    outcome: str = "accepted",
    prefixes: bool = False,
) -> Credit | str:
    """The credit of each event, or a sentence on why there is none."""
    if inputs is None and not prefixes:
        return "there is no law of inputs to forecast with."
    try:
        return credit(acceptor, sample, inputs, prefixes=prefixes, outcome=outcome)
    except (TooLarge, ImpossibleObservation) as error:
        return str(error)


def _in_blocks(acceptor: Acceptor | Generator, sample: Sample, inputs: Generator | None, prefixes: bool) -> Floats:
    """Forecasts along all words, of some at a time."""
    blocks = np.searchsorted(sample.decoded.positions, np.arange(BLOCK, sample.decoded.positions[-1], BLOCK))
    parts = (part for part in np.split(np.arange(len(sample)), blocks) if len(part))
    return np.concatenate([forecasts_along(acceptor, sample.take(part), inputs, prefixes) for part in parts])


def _intervals(by_case: Any, counts: Floats) -> Floats | None:
    """95 % interval of the sum over cases of each column, cases drawn with replacement."""
    size = round(float(counts.sum()))
    if not 2 <= size < 2**53:
        return None
    rng, shares = np.random.default_rng(0), counts / counts.sum()
    draws = [by_case.T @ rng.multinomial(size, shares).astype(np.float64) for _ in range(REPETITIONS)]
    return np.asarray(np.quantile(draws, [0.025, 0.975], axis=0).T)
