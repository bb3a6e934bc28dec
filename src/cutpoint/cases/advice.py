"""Advice: which next events lead to the best forecast, among those that usually come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cutpoint.cases.explanation import explain, signed
from cutpoint.cases.forecast import kept_forecaster, road_of
from cutpoint.data import PlainWord, Symbol, Word, html
from cutpoint.diagrams.diagram import label
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.exact.numbers import finite_number
from cutpoint.model import Acceptor, Generator
from cutpoint.model.text import aligned, number
from cutpoint.wording import counted, printable, shown

LONGEST = 50  # most events ahead
MOST_EXPLORED = 100_000  # most continuations that are looked at
MOST_ROWS = 20  # most continuations of a table
NOT_CAUSAL = (
    "Not causal: the forecasts are about cases in which these events came by themselves. To bring one about may do "
    "something else; only an experiment can tell."
)


@dataclass(frozen=True)
class Continuation:
    """Events that may come next, and what they lead to.

    Attributes
    ----------
    events : one or more.
    forecast : probability to be accepted in the end, once they have come.
    cost : sum of their costs.
    probability : how probable it is under the law of inputs that they come next.
    """

    events: tuple[Symbol, ...]
    forecast: float
    cost: float
    probability: float

    @property
    def value(self) -> float:
        """The forecast minus the costs."""
        return self.forecast - self.cost


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Result of :func:`advise`.

    Attributes
    ----------
    prefix, forecast : the case so far, and its forecast.
    continuations : those that are allowed and plausible, the highest value first.
    implausible : allowed events left out because they hardly ever come next, with their probabilities.
    """

    prefix: PlainWord
    forecast: float
    continuations: tuple[Continuation, ...]
    implausible: Mapping[Symbol, float]
    min_probability: float
    outcome: str = "accepted"

    def rows(self, most: int | None = None) -> list[list[str]]:
        """Rows of the table, at most so many continuations."""
        found = [["next", f"forecast: {self.outcome}", "change", "cost", "value", "probability"]]
        for each in self.continuations[:most]:
            numbers = [f"{each.forecast:.4f}", signed(each.forecast - self.forecast), f"{each.cost:g}"]
            events = " ".join(map(label, each.events))
            found.append([events, *numbers, f"{each.value:.4f}", number(each.probability)])
        return found if any(each.cost for each in self.continuations) else [row[:3] + row[5:] for row in found]

    @property
    def notes(self) -> list[str]:
        """What was left out, and how to read the numbers."""
        hardly = f"hardly ever come next here, with a probability below {self.min_probability:g}"
        names = ", ".join(map(label, self.implausible))
        return [f"Left out, since they {hardly}: {names}."] * bool(names) + [NOT_CAUSAL]

    def table(self) -> str:
        """The best continuations with their forecasts, costs and probabilities, as plain text."""
        return "\n".join(line.rstrip() for line in aligned(self.rows(MOST_ROWS)))

    def __str__(self) -> str:
        return "\n".join([self._head, self.table(), *self.notes])

    def _repr_html_(self) -> str:
        parts = [html.paragraph(self._head), html.table(self.rows(MOST_ROWS), most_rows=MOST_ROWS)]
        return "".join([*parts, *map(html.paragraph, self.notes)])

    @property
    def _head(self) -> str:
        found = counted(len(self.continuations), "plausible continuation")
        expected = f"forecast {self.forecast:.4f} {printable(self.outcome)}"
        return f"after {counted(len(self.prefix), 'event')}, {expected}; {found}"

    def __repr__(self) -> str:
        if not self.continuations:
            return f"<Advice {self._head}>"
        first = self.continuations[0]
        best = (
            f"best {' '.join(map(label, first.events))} (value {first.value:.4f}, probability {first.probability:.4f})"
        )
        return f"<Advice {self._head}, {best}; not causal>"


def advise(
    acceptor: Acceptor | Generator,
    prefix: Word,
    inputs: Generator | None = None,
    horizon: int = 1,
    allowed: Iterable[Symbol] | None = None,
    costs: Mapping[Any, Any] | None = None,
    *,
    min_probability: float = 0.01,
    prefixes: bool = False,
    outcome: str | None = None,
) -> Advice:
    r"""Continuations of a case, ranked by the forecast they lead to minus their costs.

    .. math:: \mathrm{value}(y) = F(x y) - \sum_i \mathrm{cost}(y_i), \qquad P(y \mid x) \ge \mathrm{min\_probability}

    Only continuations that are plausible under the law of inputs are compared: the model has seen nothing of the
    others. **This is not causal**: cases with an event may go well for other reasons.

    Parameters
    ----------
    acceptor, inputs, prefixes, outcome : as of :func:`explain`; the law of inputs is needed.
    prefix : the case so far.
    horizon : number of events ahead, at most; shorter continuations are compared, too.
    allowed : events to choose from, by default all.
    costs : of events, in units of probability: 0.1 for an event that must raise the forecast by 10 points to pay.
    min_probability : continuations less probable than this are left out.

    Notes
    -----
    At most ``horizon / min_probability`` continuations are plausible; more than 100,000 are refused. Each costs
    :math:`O(n (l^2 + g^2))` after n events. A prefix of probability 0 is refused.

    Examples
    --------
    >>> G = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    >>> advice = cp.advise(cp.p_adic(2), "0", inputs=G, horizon=2, costs={"1": 0.2})
    >>> print(advice.table())
    next  forecast: accepted  change   cost  value   probability
    1     0.5000              +0.3333  0.2   0.3000  0.25
    0 1   0.5000              +0.3333  0.2   0.3000  0.0625
    1 1   0.6667              +0.5000  0.4   0.2667  0.0625
    0     0.1667               0.0000  0     0.1667  0.25
    0 0   0.1667               0.0000  0     0.1667  0.0625
    1 0   0.3333              +0.1667  0.2   0.1333  0.0625
    """
    law, prefixes, outcome = road_of(acceptor, inputs, prefixes, outcome)
    if law is None:
        what = "must be given: advice needs to know which events usually come next."
        raise InvalidArgument(
            what, argument="inputs", advice="learn_generator finds one, and cutpoint fit saves one with every model."
        )
    whole_number("horizon", horizon, least=1, most=LONGEST)
    least = float(finite_number("min_probability", min_probability))
    if not 0.0 < least <= 1.0:
        what = f"must be above 0 and at most 1; got {shown(min_probability)}."
        raise InvalidArgument(what, argument="min_probability")
    case = explain(acceptor, prefix, law, prefixes=prefixes)  # refuses what cannot be
    symbols, prices = _allowed(law, allowed), _prices(law, costs)
    plausible: dict[tuple[Symbol, ...], float] = {}
    implausible: dict[Symbol, float] = {}
    level: dict[tuple[Symbol, ...], float] = {(): 1.0}
    for _ in range(horizon):
        longer = {}
        for events, probability in level.items():
            chances = law.next_symbols((*case.word, *events))
            for symbol in symbols:
                share = probability * chances[symbol]
                if share >= least:
                    longer[*events, symbol] = share
                elif not events:
                    implausible[symbol] = share
        plausible |= longer
        level = longer
        if len(plausible) > MOST_EXPLORED:
            advice = "Increase {min_probability}, or decrease {horizon}."
            raise TooLarge(f"there are more than {MOST_EXPLORED:,} plausible continuations.", advice=advice)
    forecasts = _forecasts(acceptor, law, prefixes, [(*case.word, *events) for events in ((), *plausible)])
    found = [
        Continuation(events, forecast, sum(prices.get(symbol, 0.0) for symbol in events), probability)
        for (events, probability), forecast in zip(plausible.items(), forecasts[1:], strict=True)
    ]
    found.sort(key=lambda each: (-each.value, -each.probability))
    return Advice(case.word, forecasts[0], tuple(found), implausible, least, outcome)


def _forecasts(machine: Acceptor | Generator, law: Generator, prefixes: bool, words: list[Any]) -> list[float]:
    """Forecast after each word, by the road of the model."""
    if isinstance(machine, Generator):
        return [machine.forecast(word) for word in words]
    found = machine.acceptances(words) if prefixes else kept_forecaster(machine, law).forecasts(words)
    return [float(value) for value in found]


def _allowed(law: Generator, allowed: Iterable[Symbol] | None) -> list[Symbol]:
    """Events to choose from, without repetitions."""
    if allowed is None:
        return list(law.alphabet)
    if isinstance(allowed, str) or not isinstance(allowed, Iterable):
        raise InvalidArgument(f"must be a collection of events; got {shown(allowed)}.", argument="allowed")
    found = list(dict.fromkeys(allowed))
    for symbol in found:
        law.alphabet.code(symbol, "allowed: ")
    return found


def _prices(law: Generator, costs: Mapping[Any, Any] | None) -> dict[Symbol, float]:
    """Cost of each event that has one."""
    if not isinstance(costs, Mapping | None):
        raise InvalidArgument(f"must be a mapping from events to numbers; got {shown(costs)}.", argument="costs")
    for symbol in costs or ():
        law.alphabet.code(symbol, "costs: ")
    return {symbol: float(finite_number(f"cost of {shown(symbol)}", cost)) for symbol, cost in (costs or {}).items()}
