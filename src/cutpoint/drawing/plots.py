"""Plots with matplotlib (extra ``[plot]``): tables, learning curves, calibration, staircases, comparisons.

The colors are those of Okabe and Ito, and the color map cividis: both work for people who do not see red or green.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import cycle, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.assess.along import LossesAlong
from cutpoint.assess.evaluation import calibration as calibration_bins
from cutpoint.cases.credits import Credit
from cutpoint.cases.explanation import Explanation
from cutpoint.data import Word, Words
from cutpoint.data.alphabet import each_word, short_words
from cutpoint.data.html import cleaned
from cutpoint.data.storage import write_whole
from cutpoint.decision import Language, Recurrence
from cutpoint.diagrams.diagram import label
from cutpoint.diagrams.picture import extension_of
from cutpoint.em import Fit
from cutpoint.errors import InvalidArgument, MissingExtra, TooLarge
from cutpoint.exact import cut_point_value, whole_number
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.text import marked_state, number
from cutpoint.wording import counted, listed, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "calibration",
    "comparison",
    "credit",
    "forward",
    "learning",
    "loss_by_length",
    "recurrence",
    "staircase",
    "waterfall",
]

BLUE, ORANGE, RED, GRAY = "#0072B2", "#E69F00", "#D55E00", "#767676"
COLOR_MAP = "cividis"  # colors of all plots; learning curves take the first ones in turn
MOST_STEPS = 100_000  # most words of a staircase
MOST_COMPARED = 1000  # most words that two acceptors are compared on by default
MOST_CELLS = 150  # most cells of a heat map with their numbers
MOST_TICKS = 30  # most names along an axis
METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "cutpoint"},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": "cutpoint", "Creator": "cutpoint"},
}
"""Metadata by extension, without dates, so that the same plot is the same bytes."""
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cutpoint", "svg.fonttype": "path", "pdf.fonttype": 42}

Path = str | os.PathLike[str]


def forward(acceptor: Acceptor, word: Word, path: Path | None = None, ax: Axes | None = None) -> Figure:
    """Heat map of the table M of a word: the distribution over states after each prefix, and its acceptance.

    Returns a matplotlib ``Figure`` that is not registered with pyplot; ``path`` (.svg, .png or .pdf) also writes it,
    and ``ax`` draws into axes of your own. Final states have a star.

    Examples
    --------
    >>> figure = cp.plots.forward(cp.p_adic(2), "0110")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['s1', 's2 *', 'accepted']
    """
    check_acceptor(acceptor)
    word = acceptor.alphabet.as_read(word)
    table = acceptor.forward(word)
    cells = np.vstack([table.T, table @ acceptor.final])
    finals = zip(acceptor.states, acceptor.final, strict=True)
    names = [marked_state(label(state), initial=False, final=final) for state, final in finals] + ["accepted"]
    symbols = ["ε", *(label(symbol, room=10) for symbol in word)]
    figure, axes = _axes(ax, np.clip(0.5 * len(symbols) + 2, 3.5, 16), np.clip(0.35 * len(names) + 1.2, 2, 12))
    image = axes.imshow(cells, cmap=COLOR_MAP, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.axhline(acceptor.n_states - 0.5, color="white", linewidth=3)
    many = len(symbols) > MOST_TICKS  # every third symbol, say, would mislead: then ticks are numbers of symbols read
    _name_ticks(axes.set_xticks, list(map(str, range(len(symbols)))) if many else symbols)
    _name_ticks(axes.set_yticks, names)
    if cells.size <= MOST_CELLS:
        for (row, column), value in np.ndenumerate(cells):
            ink = "white" if value < 0.5 else "black"
            axes.text(column, row, number(value, 2), ha="center", va="center", color=ink, fontsize=8)
    axes.set(xlabel="symbols read" if many else "symbol read", ylabel="state")
    figure.colorbar(image, ax=axes, label="probability")
    return _done(figure, path)


def learning(fit: Fit, path: Path | None = None, ax: Axes | None = None) -> Figure:
    """Learning curve of a :class:`Fit`, as ``fit.plot()`` draws it; after :func:`learn`, training and held-out loss.

    Examples
    --------
    >>> fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=0), cp.Sample(["01", "1"], accepted=[True, False]))
    >>> cp.plots.learning(fit).axes[0].get_xlabel()
    'step'
    """
    if not isinstance(fit, Fit):
        raise InvalidArgument(f"expected a Fit, as baum_welch or learn returns it; got {shown(fit)}.")
    figure, axes = _axes(ax, 6, 4)
    fit.plot(axes)
    return _done(figure, path)


def calibration(
    probabilities: ArrayLike,
    accepted: Any,
    counts: ArrayLike | None = None,
    bins: int = 10,
    path: Path | None = None,
    ax: Axes | None = None,
    outcome: str = "accepted",
) -> Figure:
    """Calibration plot: share of words accepted against their predicted probability, with 95 % intervals.

    The arguments are those of :func:`cutpoint.assess.calibration`, and your name for accepted. A model is calibrated
    where the diagonal runs through the intervals; the size of a point grows with its number of words.

    Examples
    --------
    >>> figure = cp.plots.calibration([0.1, 0.2, 0.8, 0.9], [False, False, True, True], bins=2)
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('predicted probability', 'share accepted')
    """
    found = calibration_bins(probabilities, accepted, counts, bins)
    figure, axes = _axes(ax, 5, 5)
    x, y = np.array([each.probability for each in found]), np.array([each.accepted for each in found])
    bars = [y - [each.low for each in found], [each.high for each in found] - y]
    sizes = np.array([each.count for each in found])
    axes.plot([0, 1], [0, 1], color=GRAY, linestyle="--", linewidth=1, label="calibrated")
    axes.errorbar(x, y, yerr=bars, color=BLUE, linewidth=1, capsize=3, label="share, 95 % interval")
    axes.scatter(x, y, s=15 + 120 * sizes / sizes.max(), color=BLUE, zorder=3)
    axes.set(xlabel="predicted probability", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.set_ylabel(f"share {label(outcome)}", parse_math=False)
    axes.set_aspect("equal")
    axes.legend(loc="upper left")
    axes.grid(alpha=0.3)
    return _done(figure, path)


def loss_by_length(
    losses: Mapping[str, LossesAlong], path: Path | None = None, ax: Axes | None = None, least: float = 1
) -> Figure:
    """Log loss against the number of events seen, a curve for each of several ways to predict cases that go on.

    ``losses`` has what :func:`cutpoint.assess.losses_along` gives, by name. Numbers of events that fewer than ``least``
    cases have are left out.

    Examples
    --------
    >>> cases = cp.Sample(["10", "1", "01"], accepted=[True, True, False])
    >>> figure = cp.plots.loss_by_length({"cut short": cp.assess.losses_along(cp.p_adic(2).acceptances, cases)})
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('events seen', 'log loss')
    """
    if not isinstance(losses, Mapping) or not all(isinstance(each, LossesAlong) for each in losses.values()):
        raise InvalidArgument(f"expected results of losses_along by name; got {shown(losses)}.")
    if not losses:
        raise InvalidArgument("expected at least one result of losses_along; got none.")
    figure, axes = _axes(ax, 9, 4)
    styles = product(("-", "--", ":"), (BLUE, ORANGE, RED, GRAY))
    for (name, along), (line, color) in zip(losses.items(), cycle(styles), strict=False):
        kept = along.cases >= least
        axes.plot(along.events[kept], along.losses[kept], line, color=color, marker=".", label=cleaned(name, 40))
    axes.set(xlabel="events seen", ylabel="log loss")
    for text in axes.legend(loc="upper left", bbox_to_anchor=(1, 1)).get_texts():  # beside the curves, not on them
        text.set_parse_math(False)
    axes.grid(alpha=0.3)
    return _done(figure, path)


def waterfall(
    explanation: Explanation,
    path: Path | None = None,
    ax: Axes | None = None,
    shapley: bool = False,
    most: int = MOST_TICKS,
) -> Figure:
    """What each event of a case changed in its probability, from the base rate down to the case itself.

    Of a long case small changes that follow each other are taken together, for about ``most`` bars. ``shapley`` has
    the Shapley values in place of the changes along the way, from the empty word on; so has an explanation without
    forecasts.

    Examples
    --------
    >>> figure = cp.plots.waterfall(cp.explain(cp.p_adic(2), "011", prefixes=True))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['before', '1. 0', '2. 1', '3. 1', 'accepted']
    """
    if not isinstance(explanation, Explanation):
        raise InvalidArgument(f"expected an Explanation, as explain returns it; got {shown(explanation)}.")
    steps = explanation.steps(whole_number("most", most, least=1), shapley)
    first = float(explanation.empty if shapley else explanation.baseline)
    ends = np.array([first, *(step.after for step in steps), float(explanation.acceptance)])
    starts = np.array([0.0, *(step.before for step in steps), 0.0])
    colors = [GRAY, *(BLUE if step.after >= step.before else RED for step in steps), GRAY]
    figure, axes = _axes(ax, 7, np.clip(0.28 * len(ends) + 1.2, 2.5, 12))
    axes.barh(range(len(ends)), ends - starts, left=starts, color=colors, height=0.7)
    axes.vlines(ends[:-1], np.arange(len(ends) - 1), np.arange(1, len(ends)), color=GRAY, linewidth=0.8)
    reach = max(float(ends.max()), 1e-3)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        text = f"{end:.3f}" if row in (0, len(ends) - 1) else f"{end - start:+z.3f}"
        axes.text(max(start, end) + 0.01 * reach, row, text, va="center", fontsize=8)
    begins = "the empty word" if shapley or explanation.forecasts is None else "before"
    names = [begins, *(step.label for step in steps), label(explanation.outcome)]
    axes.set_yticks(range(len(ends)), labels=names, parse_math=False)
    axes.set(xlim=(min(0.0, float(ends.min())), 1.12 * reach), ylim=(len(ends) - 0.4, -0.6))
    axes.set_xlabel(f"probability: {label(explanation.outcome)}", parse_math=False)
    return _done(figure, path)


def credit(found: Credit, path: Path | None = None, ax: Axes | None = None, most: int = 20) -> Figure:
    """Credit of the events that have the most, with 95 % intervals.

    Examples
    --------
    >>> sample = cp.Sample(["11", "0", "011"], accepted=[True, False, True])
    >>> figure = cp.plots.credit(cp.credit(cp.p_adic(2), sample, prefixes=True))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['1', '0']
    """
    if not isinstance(found, Credit):
        raise InvalidArgument(f"expected a Credit, as credit returns it; got {shown(found)}.")
    values, rows = found.along[:most], range(min(most, len(found.along)))
    figure, axes = _axes(ax, 7, np.clip(0.28 * len(values) + 1.2, 2.5, 12))
    axes.barh(rows, values, color=[BLUE if value >= 0 else RED for value in values], height=0.7)
    if found.intervals is not None:
        low, high = found.intervals[:most].T
        axes.hlines(rows, low, high, color="black", linewidth=1.2)
    axes.axvline(0, color=GRAY, linewidth=0.8)
    axes.set_yticks(rows, labels=[label(symbol, room=24) for symbol in found.symbols[:most]], parse_math=False)
    axes.set(ylim=(len(values) - 0.4, -0.6))
    axes.set_xlabel(f"credit: cases {label(found.outcome)}, of {found.cases:,.6g}", parse_math=False)
    return _done(figure, path)


def staircase(
    acceptor: Acceptor, length: int, cut_point: Any = None, path: Path | None = None, ax: Axes | None = None
) -> Figure:
    r"""Acceptance of all words of a length, over the number :math:`0.x_k \dots x_1` that a word spells from the back.

    The symbols are the digits :math:`0 \dots l'-1` in the order of the alphabet. For the p-adic acceptor acceptance
    *is* that number: the steps follow the diagonal. At a cut point the words above it are the language.

    Examples
    --------
    >>> figure = cp.plots.staircase(cp.p_adic(2), 3, cut_point="1/3")
    >>> steps = figure.axes[0].patches[0].get_data().values
    >>> [float(height) for height in steps]
    [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875]
    """
    check_acceptor(acceptor)
    whole_number("length", length, least=1)
    size = acceptor.n_symbols**length
    if size > MOST_STEPS:
        raise TooLarge(
            f"a staircase has at most {MOST_STEPS:,} steps; there are {counted(size, 'word')} of length {length}. "
            "Give a smaller length."
        )
    limit = None if cut_point is None else cut_point_value(cut_point)
    words = [word[::-1] for word in product(acceptor.alphabet, repeat=length)]
    heights, edges = acceptor.acceptances(words), np.arange(size + 1) / size
    figure, axes = _axes(ax, 6, 4.5)
    axes.stairs(heights, edges, color=BLUE, linewidth=1.2, baseline=None)
    if limit is not None:
        name = f"cut point {number(limit if isinstance(limit, Fraction) else float(limit))}"
        axes.axhline(float(limit), color=RED, linewidth=1, linestyle="--", label=name)
        above = np.repeat(Language(acceptor, limit).contains(words), 2)
        axes.fill_between(np.repeat(edges, 2)[1:-1], 0, 1, where=above, color=ORANGE, alpha=0.25, linewidth=0)
        axes.legend(loc="upper left")
    axes.set(xlabel=f"words of length {length}, read from the back as a number", ylabel="acceptance")
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02))
    axes.grid(alpha=0.3)
    return _done(figure, path)


def recurrence(
    found: Recurrence, length: int = 40, cut_point: Any = None, path: Path | None = None, ax: Axes | None = None
) -> Figure:
    """Values of a word repeated k times, for k = 0 … length - 1, and a cut point: see :func:`cutpoint.recurrence`.

    Examples
    --------
    >>> figure = cp.plots.recurrence(cp.recurrence(cp.p_adic(2), "1"), length=4)
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.0, 0.5, 0.75, 0.875]
    """
    if not isinstance(found, Recurrence):
        raise InvalidArgument(f"expected a Recurrence; got {shown(found)}.")
    terms = found.terms(whole_number("length", length, least=1, most=MOST_STEPS))
    figure, axes = _axes(ax, 6, 4)
    axes.plot(np.array([float(value) for value in terms]), "o-", color=BLUE, markersize=4, linewidth=0.8)
    if cut_point is not None:
        limit = cut_point_value(cut_point, is_probability=False)
        name = f"cut point {number(limit if isinstance(limit, Fraction) else float(limit))}"
        axes.axhline(float(limit), color=RED, linewidth=1, linestyle="--", label=name)
        axes.legend()
    axes.set(xlabel="k, times that the word is repeated", ylabel="p(k)")
    axes.grid(alpha=0.3)
    return _done(figure, path)


def comparison(
    first: Acceptor,
    second: Acceptor,
    words: Words | None = None,
    path: Path | None = None,
    ax: tuple[Axes, Axes] | None = None,
) -> Figure:
    """Acceptance of the same words by two acceptors: one against the other, and a histogram of the differences.

    By default the words are all short ones, up to the greatest length that gives at most 1,000. ``ax`` is a pair of
    axes.

    Examples
    --------
    >>> figure = cp.plots.comparison(cp.p_adic(2), cp.gallery.parity(), words=["", "1", "11"])
    >>> figure.axes[1].get_title()
    "largest difference 0.75: '11'"
    """
    check_acceptor(first)
    check_acceptor(second)
    if set(first.alphabet) != set(second.alphabet):
        raise InvalidArgument(
            f"acceptors must have the same alphabet; got {listed(first.alphabet)} and {listed(second.alphabet)}."
        )
    listed_words = short_words(first.alphabet, MOST_COMPARED) if words is None else list(each_word(words))
    if not listed_words:
        raise InvalidArgument("there must be at least one word to compare acceptors on; got none.")
    left, right = first.acceptances(listed_words), second.acceptances(listed_words)
    if ax is None:
        figure = _canvas(10, 4.5)
        scatter, histogram = figure.subplots(1, 2)
    else:
        scatter, histogram = ax
        figure = scatter.figure
    scatter.plot([0, 1], [0, 1], color=GRAY, linestyle="--", linewidth=1)
    scatter.scatter(left, right, s=12, color=BLUE, alpha=0.5, linewidth=0)
    scatter.set(xlabel="acceptance by the first", ylabel="acceptance by the second")
    scatter.set(title=f"{counted(len(listed_words), 'word')}", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    _differences(histogram, right - left, listed_words)
    for axes in (scatter, histogram):
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    return _done(figure, path)


def _differences(axes: Axes, differences: NDArray[np.float64], words: list[Any]) -> None:
    worst = int(np.abs(differences).argmax())
    reach = max(float(np.abs(differences).max()), 1e-12)
    axes.hist(differences, bins=41, range=(-reach, reach), color=BLUE)
    axes.axvline(0, color=GRAY, linestyle="--", linewidth=1)
    title = f"largest difference {abs(differences[worst]):.3g}: {cleaned(shown(words[worst]), room=24)}"
    axes.set(xlabel="second minus first", ylabel="words")
    axes.set_title(title, parse_math=False)


def rendered(figure: Figure, extension: str) -> bytes:
    """Bytes of a figure in the format of an extension; the same each time."""
    import matplotlib as mpl  # noqa: PLC0415

    buffer = BytesIO()
    with mpl.rc_context(SETTINGS):
        figure.savefig(buffer, format=extension[1:], metadata=METADATA[extension], dpi=120)
    return buffer.getvalue()


def _axes(ax: Any, width: float, height: float) -> tuple[Any, Any]:
    """A new figure with one pair of axes, or the axes given and their figure."""
    if ax is not None:
        return ax.figure, ax
    figure = _canvas(width, height)
    axes = figure.add_subplot()
    axes.set_prop_cycle(color=[BLUE, ORANGE, RED, GRAY])
    return figure, axes


def _canvas(width: float, height: float) -> Any:
    """Empty figure of a size in inches."""
    return _canvas_class()(figsize=(float(width), float(height)), layout="constrained")


@cache
def _canvas_class() -> type[Figure]:
    """Figures outside of pyplot, so that no backend is needed and nothing is kept, that notebooks show as SVG."""
    try:
        import matplotlib.figure as mpl  # noqa: PLC0415
    except ImportError:
        raise MissingExtra('plots need matplotlib; install it with: pip install "cutpoint[plot]".') from None

    class Canvas(mpl.Figure):
        def _repr_svg_(self) -> str:
            return rendered(self, ".svg").decode("utf-8")

    return Canvas


def _name_ticks(set_ticks: Any, names: list[str]) -> None:
    """Names along an axis, every one or every so many; a dollar sign in a name is a dollar sign."""
    step = -(-len(names) // MOST_TICKS)
    set_ticks(range(0, len(names), step), labels=names[::step], parse_math=False)


def _done(figure: Figure, path: Path | None) -> Figure:
    """The figure, written to a path if one is given."""
    if path is not None:
        write_whole(path, rendered(figure, extension_of(path, tuple(METADATA))))
    return figure
