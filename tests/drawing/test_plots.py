"""Plots: what they show, the same bytes each time, nothing left behind in pyplot, hostile names, missing extras."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp

SHOP = cp.Acceptor(
    ["cold", "warm"],
    ["ad", "visit"],
    {"ad": [["7/10", "3/10"], ["1/10", "9/10"]], "visit": [["1/2", "1/2"], [0, 1]]},
    "cold",
    {"warm"},
)
SAMPLE = cp.Sample(["01", "1", "11", "0"], accepted=[True, False, True, False])
FIT = cp.baum_welch(cp.random_acceptor(2, "01", rng=0), SAMPLE, max_steps=5)
SHOPPERS = cp.Sample([["ad", "visit"], ["ad"]], accepted=[True, False])
PLOTS: dict[str, Callable[..., Any]] = {
    "forward": lambda **more: cp.plots.forward(SHOP, ["ad", "visit", "ad"], **more),
    "learning": lambda **more: cp.plots.learning(FIT, **more),
    "calibration": lambda **more: cp.plots.calibration([0.1, 0.3, 0.9], [False, True, True], **more),
    "waterfall": lambda **more: cp.plots.waterfall(cp.explain(SHOP, ["ad", "visit"], prefixes=True), **more),
    "credit": lambda **more: cp.plots.credit(cp.credit(SHOP, SHOPPERS, prefixes=True), **more),
    "staircase": lambda **more: cp.plots.staircase(cp.p_adic(3), 2, "1/3", **more),
    "comparison": lambda **more: cp.plots.comparison(cp.p_adic(2), cp.gallery.parity(), **more),
}


def test_forward() -> None:
    axes, bar = PLOTS["forward"]().axes
    (image,) = axes.images
    expected = [[1, 0.7, 0.35, 0.31], [0, 0.3, 0.65, 0.69], [0, 0.3, 0.65, 0.69]]
    np.testing.assert_allclose(image.get_array(), expected, rtol=1e-12)
    assert image.get_clim() == (0, 1)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["ε", "ad", "visit", "ad"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["cold", "warm *", "accepted"]
    assert [text.get_text() for text in axes.texts][:4] == ["1", "0.7", "0.35", "0.31"]
    assert bar.get_ylabel() == "probability"


def test_forward_of_a_long_word_stays_readable() -> None:
    figure = cp.plots.forward(cp.random_acceptor(40, "ab", rng=0), "ab" * 500)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()][:3] == ["0", "34", "68"]
    assert len(axes.get_xticks()) <= 30
    assert len(axes.get_yticks()) <= 30
    assert not axes.texts
    assert max(figure.get_size_inches()) <= 16


def test_waterfall() -> None:
    (axes,) = PLOTS["waterfall"]().axes
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    np.testing.assert_allclose(ends, [(0, 0), (0, 0.3), (0.3, 0.65), (0, 0.65)], rtol=1e-12)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["before", "1. ad", "2. visit", "accepted"]
    (axes,) = cp.plots.waterfall(cp.explain(SHOP, ["ad", "visit"], outcome="$bought$"), shapley=True).axes
    assert axes.get_yticklabels()[0].get_text() == "the empty word"
    assert axes.get_xlabel() == "probability: $bought$"


def test_credit() -> None:
    (axes,) = PLOTS["credit"]().axes
    np.testing.assert_allclose([bar.get_width() for bar in axes.patches], [0.6, 0.35], rtol=1e-12)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ad", "visit"]
    assert axes.get_xlabel() == "credit: cases accepted, of 2"


def test_learning_curve() -> None:
    (axes,) = PLOTS["learning"]().axes
    (line,) = axes.lines
    assert line.get_xydata()[:, 1].tolist() == list(FIT.history)
    assert axes.get_title() == "5 steps: step limit"


def test_calibration_counts_what_happened() -> None:
    probabilities = [0.05, 0.15, 0.12, 0.95, 1.0, 0.95]
    accepted = [False, True, False, True, True, False]
    low, second, last = cp.assess.calibration(probabilities, accepted, counts=[4, 1, 1, 2, 1, 1])
    assert (low.probability, low.accepted, low.count) == (0.05, 0.0, 4.0)
    assert second.probability == pytest.approx(0.135, rel=1e-14)
    assert (second.accepted, second.count) == (0.5, 2.0)
    assert (last.accepted, last.count) == (0.75, 4.0)
    assert low.low == 0.0
    assert low.high == pytest.approx(0.4899, abs=1e-4)  # Wilson's interval of 0 of 4, from tables
    assert last.low == pytest.approx(0.3006, abs=1e-4)
    assert last.high == pytest.approx(0.9544, abs=1e-4)
    axes = cp.plots.calibration(probabilities, accepted, [4, 1, 1, 2, 1, 1]).axes[0]
    points = axes.collections[-1].get_offsets()
    assert np.asarray(points)[:, 1].tolist() == [0.0, 0.5, 0.75]


def test_calibration_of_a_true_model_covers_the_diagonal() -> None:
    words = cp.random_words("01", 4000, (3, 6), rng=1)
    sample = cp.simulate(cp.p_adic(2), words, rng=2)
    found = cp.assess.calibration(cp.p_adic(2).acceptances(sample), list(sample.accepted), sample.counts)
    assert sum(each.count for each in found) == 4000
    assert sum(each.low <= each.probability <= each.high for each in found) >= len(found) - 1


def test_staircase_of_the_p_adic_acceptor_is_the_diagonal() -> None:
    axes = PLOTS["staircase"]().axes[0]
    steps = axes.patches[0].get_data()
    np.testing.assert_allclose(steps.values, np.arange(9) / 9, rtol=1e-14)
    np.testing.assert_allclose(steps.edges, np.arange(10) / 9, rtol=1e-14)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["cut point 1/3"]
    (shaded,) = axes.collections
    left = min(path.vertices[:, 0].min() for path in shaded.get_paths())
    assert left == pytest.approx(4 / 9, rel=1e-12), "0.10 in base 3 is not above 1/3, strictly"


def test_comparison() -> None:
    figure = cp.plots.comparison(cp.p_adic(2), cp.gallery.parity(), words=["", "1", "11", "0"])
    scatter, histogram = figure.axes
    assert np.asarray(scatter.collections[0].get_offsets()).tolist() == [[0, 0], [0.5, 1], [0.75, 0], [0, 0]]
    assert histogram.get_title() == "largest difference 0.75: '11'"
    assert sum(patch.get_height() for patch in histogram.patches) == 4  # type: ignore[attr-defined]
    assert PLOTS["comparison"]().axes[0].get_title() == "511 words"
    same = cp.plots.comparison(SHOP, SHOP)
    assert same.axes[1].get_title() == "largest difference 0: ()"
    swapped = cp.Acceptor(["s1", "s2"], "10", cp.p_adic(2).exact_transitions[::-1], "s1", {"s2"})
    assert cp.plots.comparison(cp.p_adic(2), swapped).axes[1].get_title() == "largest difference 0: ''"


@pytest.mark.parametrize(
    ("name", "extension"), [*((name, "svg") for name in PLOTS), ("forward", "png"), ("calibration", "pdf")]
)
def test_files_are_the_same_each_time(name: str, extension: str, tmp_path: Path) -> None:
    PLOTS[name](path=tmp_path / f"a.{extension}")
    content = (tmp_path / f"a.{extension}").read_bytes()
    assert b"Date" not in content
    if extension == "svg":
        assert ET.fromstring(content).tag == "{http://www.w3.org/2000/svg}svg"
        assert PLOTS[name]()._repr_svg_().encode() == content
    else:
        PLOTS[name](path=str(tmp_path / f"b.{extension}"))
        assert content == (tmp_path / f"b.{extension}").read_bytes()


def test_own_axes() -> None:
    from matplotlib.figure import Figure

    for name, plot in PLOTS.items():
        figure = Figure()
        axes = figure.subplots(1, 2)
        assert plot(ax=axes if name == "comparison" else axes[0]) is figure
        assert axes[0].has_data()


def test_nothing_is_left_in_pyplot(tmp_path: Path) -> None:
    code = (
        "import sys, cutpoint as cp; cp.plots.forward(cp.p_adic(2), '01', path=sys.argv[1]); "
        "cp.plots.learning(cp.baum_welch(cp.p_adic(2), cp.Sample(['0'], accepted=[False]))); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.svg")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
    assert (tmp_path / "a.svg").exists()


def test_names_are_text_and_not_formulas(tmp_path: Path) -> None:
    hostile = ["$\\frac{$", "a<b>&", "bell\a", "$x$", "\ud800"]
    steps = np.full((5, 5, 5), 0.2)
    acceptor = cp.Acceptor(hostile, hostile, steps, [1, 0, 0, 0, 0], [True, False, False, False, False])
    figure = cp.plots.forward(acceptor, hostile, tmp_path / "a.svg")
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()][1:] == [
        "$\\frac{$", "a<b>&", "bell\\x07", "$x$", "\\ud800",
    ]  # fmt: skip
    ET.parse(tmp_path / "a.svg")
    cp.plots.comparison(acceptor, ~acceptor, words=[[name] for name in hostile], path=tmp_path / "b.svg")
    ET.parse(tmp_path / "b.svg")


@pytest.mark.parametrize("name", PLOTS)
def test_without_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cp.plots._canvas_class.cache_clear()
    with pytest.raises(cp.errors.MissingExtra) as refusal:
        PLOTS[name]()
    assert str(refusal.value) == 'plots need matplotlib; install it with: pip install "cutpoint[plot]".'


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: cp.plots.forward(SHOP, ["add"]), cp.errors.UnknownSymbol, "symbol 'add' is not in the alphabet"),
        (lambda: cp.plots.forward(3, "a"), cp.errors.InvalidArgument, "expected an Acceptor; got 3."),  # type: ignore[arg-type]
        (
            lambda: cp.plots.forward(SHOP, (), "a.gif"),
            cp.errors.InvalidArgument,
            "must end in .svg, .png or .pdf; got 'a.gif'.",
        ),
        (
            lambda: cp.plots.forward(SHOP, (), "no/such/a.svg"),
            cp.errors.InvalidFile,
            "no/such/a.svg: cannot be written (No such",
        ),
        (lambda: cp.plots.learning(SHOP), cp.errors.InvalidArgument, "expected a Fit, as"),  # type: ignore[arg-type]
        (
            lambda: cp.plots.staircase(SHOP, 0),
            cp.errors.InvalidArgument,
            "length must be a whole number, 1 or more; got 0.",
        ),
        (
            lambda: cp.plots.staircase(SHOP, 17),
            cp.errors.TooLarge,
            "a staircase has at most 100,000 steps; there are 131,072 words of length 17. Give",
        ),
        (
            lambda: cp.plots.staircase(SHOP, 2, 1.5),
            cp.errors.InvalidArgument,
            "a cut point must be a number between 0 and 1",
        ),
        (
            lambda: cp.plots.comparison(SHOP, cp.p_adic(2)),
            cp.errors.InvalidArgument,
            "acceptors must have the same alphabet",
        ),
        (
            lambda: cp.plots.comparison(SHOP, SHOP, words=[]),
            cp.errors.InvalidArgument,
            "there must be at least one word",
        ),
        (
            lambda: cp.plots.calibration([], []),
            cp.errors.InvalidArgument,
            "must be a sequence of one or more; got shape (0,).",
        ),
        (lambda: cp.plots.calibration([0.5, float("nan")], [True] * 2), cp.errors.InvalidArgument, "number 1 is nan."),
        (
            lambda: cp.plots.calibration([0.5], ["1"]),
            cp.errors.InvalidArgument,
            "True or False, or 1 or 0, for each word; number 0 is '1'.",
        ),
        (
            lambda: cp.plots.calibration(["x"], [True]),
            cp.errors.InvalidArgument,
            "probabilities must be numbers; got ['x'].",
        ),
        (lambda: cp.assess.calibration([0.5], [True, True]), cp.errors.InvalidArgument, "counts; got 1, 2 and 1."),
        (
            lambda: cp.assess.calibration([0.5], [True], counts=[-1]),
            cp.errors.InvalidArgument,
            "counts must be finite, not negative",
        ),
        (
            lambda: cp.assess.calibration([0.5], [True], bins=0),
            cp.errors.InvalidArgument,
            "bins must be a whole number from 1 to",
        ),
        (lambda: cp.assess.calibration([1.5], [True]), cp.errors.InvalidArgument, "between 0 and 1; number 0 is 1.5."),
    ],
)
def test_refusals(call: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert sentence in str(refusal.value)


def test_losses_by_number_of_events_leave_out_what_few_cases_have(tmp_path: Path) -> None:
    cases = cp.Sample(["10", "1", "01"], accepted=[True, True, False])
    losses = {"$cut$ short": cp.assess.losses_along(cp.p_adic(2).acceptances, cases)}
    figure = cp.plots.loss_by_length(losses, tmp_path / "losses.svg", least=3)
    (line,) = figure.axes[0].get_lines()
    assert np.asarray(line.get_xdata()).tolist() == [0, 1]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["$cut$ short"]  # type: ignore[union-attr]
    assert (tmp_path / "losses.svg").read_text().startswith("<?xml")
    for wrong in ({}, {"x": 1}, 5):
        with pytest.raises(cp.errors.InvalidArgument, match="losses_along"):
            cp.plots.loss_by_length(wrong)  # type: ignore[arg-type]
