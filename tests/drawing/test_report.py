"""What is told of a learned acceptor: figures, credit of events, held-out parts, the page."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.search.folds import held_out

SAMPLE = cp.Sample(
    ["01", "1", "", "110", "1", "01"], accepted=[True, False, False, True, True, None], counts=[2, 1, 1, 3, 4, 5]
)


def test_evaluation_by_hand() -> None:
    """Acceptances by the 2-adic acceptor: 01 1/2, 1 1/2, the empty word 0, 110 3/8."""
    judged = cp.evaluate(cp.p_adic(2), SAMPLE, cut_point=0.25)
    seen = 2 * math.log(1 / 2) + 1 * math.log(1 / 2) + 0 + 3 * math.log(3 / 8) + 4 * math.log(1 / 2)
    assert judged.log_loss == pytest.approx(-seen / 11, rel=1e-12, abs=0)  # 5 words have no outcome
    assert judged.brier_score == pytest.approx((2 / 4 + 1 / 4 + 0 + 3 * 25 / 64 + 4 / 4) / 11, rel=1e-12, abs=0)
    assert judged.accuracy == (2 + 1 + 3 + 4) / 11  # all but the rejected 1
    assert cp.evaluate(cp.p_adic(2), SAMPLE, "1/2").accuracy == (1 + 1) / 11  # strictly above the cut point: none
    assert judged.auc == pytest.approx((9 + 6 * 0.5) / 18, rel=1e-12, abs=0)  # 9 above the empty word, 6 level with 1
    assert (judged.cut_point, judged.total, judged.base_rate) == (0.25, 11.0, 9 / 11)
    mean = judged.baselines["always the mean"]
    assert mean.log_loss == pytest.approx(-(9 * math.log(9 / 11) + 2 * math.log(2 / 11)) / 11, rel=1e-12, abs=0)
    assert (mean.auc, mean.accuracy) == (0.5, 9 / 11)
    impossible = cp.Sample(["1"], accepted=[False])
    assert cp.evaluate(cp.gallery.parity(), impossible).log_loss == math.inf


@pytest.mark.parametrize(
    ("share", "expected", "folds"), [(0.2, 20, 1), (0.3, 30, 3), (0.4, 40, 2), (0.5, 50, 1), (0.05, 5, 1)]
)
def test_the_share_held_out(share: float, expected: int, folds: int) -> None:
    words = ["".join(np.random.default_rng(r).choice(["a", "b"], size=6)) for r in range(100)]
    sample = cp.Sample(words, accepted=[r % 4 == 0 for r in range(100)])
    training, validation = held_out(sample, share, np.random.default_rng(1))
    assert (training.total, validation.total) == (100 - expected, expected)
    assert cp.Sample.concatenate([training, validation], sample.alphabet) == sample
    accepted = validation.counts[validation.ends == 1].sum()
    assert abs(accepted - expected / 4) <= folds


@pytest.mark.parametrize("lonely", range(10))
def test_a_lonely_label_stays_with_what_is_learned_from(lonely: int) -> None:
    sample = cp.Sample([f"{r:04b}" for r in range(10)], accepted=[r == lonely for r in range(10)])
    for accepted in (sample, cp.Sample([f"{r:04b}" for r in range(10)], accepted=[r != lonely for r in range(10)])):
        training, _ = held_out(accepted, 0.2, np.random.default_rng(0))
        assert set(training.ends.tolist()) == {1, 2}


def page_of(sample: cp.Sample, path: Path, title: str) -> str:
    start = cp.random_acceptor(2, sample.alphabet, rng=1)
    cp.report(cp.baum_welch(start, sample, max_steps=5), sample, path, title=title)
    return path.read_text()


def test_the_page_holds_everything_and_loads_nothing(tmp_path: Path) -> None:
    page = page_of(SAMPLE, tmp_path / "page.html", "What <it> is")
    headings = ["Evaluation", "The acceptor", "Learning", "Calibration", "Credit of events"]
    assert re.findall("<h2>(.*?)</h2>", page) == [*headings, "Predicted best", "Predicted worst"]
    assert "<h1>What &lt;it&gt; is</h1>" in page
    assert not re.search(r'(?:src|href)=(?!"data:)|<script|<link|@import|url\(', page)
    with pytest.raises(cp.errors.InvalidArgument, match="expected a Fit, as baum_welch or learn returns it; got 1"):
        cp.report(1, SAMPLE, tmp_path / "page.html")  # type: ignore[arg-type]


def test_words_are_sorted_by_how_well_they_are_predicted(tmp_path: Path) -> None:
    fit = cp.Fit(cp.p_adic(2), (-1.0,), cp.em.Stop.CONVERGED, -1.0)
    sample = cp.Sample(
        ["111", "0", "001", "1", "11", "01", "00", ""], [True, False, False, True, False, None, True, False]
    )
    cp.report(fit, sample, tmp_path / "page.html", outcomes=("<bought>", "left"))
    page = (tmp_path / "page.html").read_text()
    rows = re.findall(
        r"<tr><td [^>]*>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", page.partition("Predicted")[2]
    )
    assert sorted(rows[:2]) == [("(empty)", "0.0000", "left"), ("0", "0.0000", "left")]
    assert rows[2:] == [
        ("111", "0.8750", "&lt;bought&gt;"), ("00", "0.0000", "&lt;bought&gt;"), ("11", "0.7500", "left"),
    ]  # fmt: skip
    assert "probability: &lt;bought&gt;" in page


def test_odd_names_stay_text(tmp_path: Path) -> None:
    odd = ["<img src=x onerror=1>", "a&b", "\a bell", "x" * 400]
    sample = cp.Sample([[a, b] for a in odd for b in odd], accepted=[k % 2 == 0 for k in range(16)])
    page = page_of(sample, tmp_path / "page.html", "odd")
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    assert "x" * 100 not in page
    assert "\a" not in page


def test_verdicts_and_states_along_the_way_have_a_page_too(tmp_path: Path) -> None:
    sample = cp.Sample(["ab", "b"], verdicts=[[None, True, None], [True, None]])
    page = page_of(sample, tmp_path / "page.html", "along the way")
    assert re.findall("<h2>(.*?)</h2>", page)[3:] == ["Calibration", "Credit of events"]
    assert "always the mean" in page
    fit = cp.Fit(cp.p_adic(2), (-1.0,), cp.em.Stop.CONVERGED, -1.0)
    cp.report(fit, cp.Sample(["1"], states=[["s1", "s2"]]), tmp_path / "states.html")
    page = (tmp_path / "states.html").read_text()
    assert "log loss" in page
    assert "Calibration" not in page
    assert "always the mean" not in page
