"""What is told of a learned acceptor: figures, credit of events, held-out parts, the page."""

import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.drawing.moves import Moves
from cutpoint.search.folds import held_out
from tests.strategies import acceptors

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


EVENTS = "Which events make the difference"


def page_of(sample: cp.Sample, path: Path, title: str) -> str:
    start = cp.random_acceptor(2, sample.alphabet, rng=1)
    cp.report(cp.baum_welch(start, sample, max_steps=5), sample, path, title=title)
    return path.read_text()


def fit_of(acceptor: cp.Acceptor) -> cp.Fit:
    return cp.Fit(acceptor, (-1.0,), cp.em.Stop.CONVERGED, -1.0)


def headings(page: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", page)


def test_the_page_holds_everything_and_loads_nothing(tmp_path: Path) -> None:
    page = page_of(SAMPLE, tmp_path / "page.html", "What <it> is")
    cases = ["Cases it is surest of", "Cases it is most wrong about"]
    assert headings(page) == ["How good it is", "Can its probabilities be believed?", EVENTS, "What it learned", *cases]
    assert "<h1>What &lt;it&gt; is</h1>" in page
    assert "81.8 % of 11 cases have the outcome “accepted”." in page
    assert "to say “accepted” every time is right for 82 %." in page
    assert not re.search(r'(?:src|href)=(?!"data:)|<script|<link|@import|url\(', page)
    assert "prefers-color-scheme:dark" in page
    with pytest.raises(cp.errors.InvalidArgument, match="expected a Fit, as baum_welch or learn returns it; got 1"):
        cp.report(1, SAMPLE, tmp_path / "page.html")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.html.gz"])
def test_a_report_is_html(tmp_path: Path, name: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=r"the path of a report must end in \.html or \.htm; got"):
        cp.report(fit_of(cp.p_adic(2)), SAMPLE, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_model_that_is_no_better_than_the_mean_is_said_to_be_so(tmp_path: Path) -> None:
    words = cp.random_words("01", 200, (1, 6), rng=1)
    luck = cp.Sample(words, accepted=[k % 2 == 0 for k in range(200)])
    cp.report(fit_of(cp.p_adic(2)), luck, tmp_path / "page.html")
    assert "not clearly better than always the mean" in (tmp_path / "page.html").read_text()
    cp.report(fit_of(cp.p_adic(2)), cp.simulate(cp.p_adic(2), words, rng=2), tmp_path / "page.html")
    assert "not clearly better than always the mean" not in (tmp_path / "page.html").read_text()


def test_cases_are_sorted_by_how_well_they_are_predicted(tmp_path: Path) -> None:
    sample = cp.Sample(
        ["111", "0", "001", "1", "11", "01", "00", "", "0"],
        [True, False, False, True, False, None, True, False, False],
        ids=["ann", "b<b", "c", "d", "e", "f", "g", "h", "i"],
    )
    cp.report(fit_of(cp.p_adic(2)), sample, tmp_path / "page.html", outcomes=("<bought>", "left"))
    page = (tmp_path / "page.html").read_text()
    right, wrong = page.split("<h2>Cases it is ")[1:]
    told = "<article><h3>(.*?)</h3><p[^>]*>(.*?)</p>"
    assert re.findall(told, right) == [
        ("Case ann: &lt;bought&gt;; predicted 87.5 % &lt;bought&gt;", "111"),
        ("Case b&lt;b: left; predicted 0.0 % &lt;bought&gt;", "0 (2 cases with these events)"),
        ("Case h: left; predicted 0.0 % &lt;bought&gt;", "(no events)"),
    ]
    assert re.findall(told, wrong) == [
        ("Case g: &lt;bought&gt;; predicted 0.0 % &lt;bought&gt;", "00"),
        ("Case e: left; predicted 75.0 % &lt;bought&gt;", "11"),
    ]


def test_cases_are_explained_by_the_law_of_inputs(tmp_path: Path) -> None:
    """Every case has its waterfall, and there is the credit of all events; a generator needs no other law."""
    sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 60, (1, 4), rng=1), rng=2)
    law = cp.Generator.from_ngrams(sample, n=1)
    cp.report(fit_of(cp.p_adic(2)), sample, tmp_path / "page.html", outcomes=("won", "lost"))
    without = (tmp_path / "page.html").read_text()
    assert "it takes a law of inputs, which this model does not have" in without
    assert not re.findall("<article>(?:(?!</article>).)*<img", without)
    cp.report(fit_of(cp.p_adic(2)), sample, tmp_path / "page.html", outcomes=("won", "lost"), inputs=law)
    page = (tmp_path / "page.html").read_text()
    assert "law of inputs, which" not in page
    assert "Credit over 60 cases: how many of those won are due to each event" in page
    assert page.count('<img alt="What each event changed in the probability of won"') == page.count("<article>") > 0
    judged = cp.evaluate(law, sample)
    cp.drawing.evaluation_report(judged, law, sample, tmp_path / "page.html")
    assert "Credit over 60 cases" in (tmp_path / "page.html").read_text()
    zeros = cp.Generator(1, "01", [[["1/2"]], [[0]]], 0, ["1/2"])
    cp.report(fit_of(cp.p_adic(2)), sample, tmp_path / "page.html", inputs=zeros)
    assert "What its events changed is left out: " in (tmp_path / "page.html").read_text()


def test_a_model_of_prefixes_is_judged_by_them_and_explained_on_whole_cases(tmp_path: Path) -> None:
    cases = cp.simulate(cp.p_adic(2), cp.random_words("01", 60, (1, 4), rng=1), rng=2)
    cp.report(fit_of(cp.p_adic(2)), cases.prefixes(), tmp_path / "page.html", cases=cases)
    page = (tmp_path / "page.html").read_text()
    assert "of all prefixes of 60 cases have the outcome" in page
    assert "Credit over 60 cases" in page
    assert page.count('<img alt="What each event changed') == page.count("<article>") > 0


def test_odd_names_stay_text(tmp_path: Path) -> None:
    odd = ["<img src=x onerror=1>", "a&b", "\a bell", "x" * 400]
    sample = cp.Sample([[a, b] for a in odd for b in odd], accepted=[k % 2 == 0 for k in range(16)], ids=odd * 4)
    path = tmp_path / "page.html"
    fit = cp.baum_welch(cp.random_acceptor(2, sample.alphabet, rng=1), sample, max_steps=5)
    cp.report(fit, sample, path, title=odd[0], outcomes=(odd[0], odd[1]), about={odd[0]: odd[0]})
    page = path.read_text()
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    assert "x" * 100 not in page
    assert "\a" not in page


def test_verdicts_and_states_along_the_way_have_a_page_too(tmp_path: Path) -> None:
    sample = cp.Sample(["ab", "b"], verdicts=[[False, True, None], [True, None]])
    page = page_of(sample, tmp_path / "page.html", "along the way")
    assert headings(page) == ["How good it is", "Can its probabilities be believed?", EVENTS, "What it learned"]
    assert "3 verdicts on 2 cases" in page
    assert "always the mean" in page
    cp.report(fit_of(cp.p_adic(2)), cp.Sample(["1"], states=[["s1", "s2"]]), tmp_path / "states.html")
    page = (tmp_path / "states.html").read_text()
    assert headings(page) == ["How good it is", EVENTS, "What it learned"]
    assert "log loss" in page
    assert "always the mean" not in page


@pytest.mark.parametrize("words", [[""], ["", "1"], ["1" * 3000]])
def test_small_machines_and_odd_words_have_a_page(tmp_path: Path, words: list[str]) -> None:
    sample = cp.Sample(words, accepted=[True] * len(words), alphabet="1")
    for acceptor in (cp.Acceptor(1, "1", [[[1]]], 0, {0}), cp.random_acceptor(3, "1", rng=1)):
        cp.report(fit_of(acceptor), sample, tmp_path / "page.html")
        assert "What it learned" in (tmp_path / "page.html").read_text()


# -- What runs do ------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(acceptors(max_states=3, max_symbols=2), st.data())
def test_moves_by_enumeration(acceptor: cp.Acceptor, data: st.DataObject) -> None:
    words = data.draw(st.lists(st.lists(st.sampled_from(list(acceptor.alphabet)), max_size=3), min_size=1, max_size=4))
    moves = Moves.of(acceptor, cp.Sample(words, alphabet=acceptor.alphabet))
    made = np.zeros(acceptor.transitions.shape)
    visits, ended = np.zeros(acceptor.n_states), np.zeros(acceptor.n_states)
    for word in words:
        for path in product(range(acceptor.n_states), repeat=len(word) + 1):
            steps = [*zip(map(acceptor.alphabet.code, word), path, path[1:], strict=False)]
            p = acceptor.initial[path[0]] * math.prod(acceptor.transitions[step] for step in steps)
            for step in steps:
                made[step] += p
            np.add.at(visits, list(path), p)
            np.add.at(ended, list(path), p * acceptor.final[path[-1]])
    np.testing.assert_allclose(moves.made.transitions, made, rtol=1e-9, atol=1e-12)
    seen = visits > 0
    np.testing.assert_allclose(moves.shares[seen], (ended / np.where(seen, visits, 1))[seen], rtol=1e-9, atol=1e-12)


def test_the_picture_is_small_whatever_the_model() -> None:
    names = [f"event {k}" for k in range(29)]
    acceptor = cp.random_acceptor(16, names, rng=1)
    moves = Moves.of(acceptor, cp.Sample([[names[(k * i) % 29] for i in range(50)] for k in range(1, 20)]))
    diagram, share = moves.strongest()
    assert len(diagram.nodes) == 8
    assert len(diagram.arrows) <= 12
    assert max(len(arrow.lines) for arrow in diagram.arrows) <= 3
    assert 0 < share < 1
    assert len(connected({(arrow.source, arrow.target) for arrow in diagram.arrows})) == 8


def test_the_picture_is_connected_and_small_where_all_moves_are_alike() -> None:
    """Two halves of four states, alike inside; a run changes sides once in a hundred moves."""
    sides = np.kron([[0.99, 0.01], [0.01, 0.99]], np.full((4, 4), 1 / 4))
    acceptor = cp.Acceptor(8, "abcdef", [sides] * 6, 0, {7})
    diagram, _ = Moves.of(acceptor, cp.Sample(["abcdef" * 20])).strongest()
    assert len(connected({(arrow.source, arrow.target) for arrow in diagram.arrows})) == 8
    assert len(diagram.arrows) == 12
    assert {len(line.symbols.split(", ")) for arrow in diagram.arrows for line in arrow.lines} == {3}


def test_events_that_hardly_cause_a_move_are_not_beside_its_arrow() -> None:
    steps = {"a": [[0.5, 0.5], [0.5, 0.5]], "b": [[0.9999, 0.0001], [0.4, 0.6]]}
    diagram, _ = Moves.of(cp.Acceptor(2, "ab", steps, 0, {1}), cp.Sample(["ab" * 20])).strongest()
    found = {
        arrow.source: [line.symbols for line in arrow.lines] for arrow in diagram.arrows if arrow.target != arrow.source
    }
    assert found == {"0": ["a"], "1": ["a", "b"]}


def connected(pairs: set[tuple[str, str]]) -> set[str]:
    """Nodes that pairs connect with the first one."""
    found = {min(pairs)[0]}
    while new := {node for pair in pairs if found & set(pair) for node in pair} - found:
        found |= new
    return found


def test_a_team_shows_one_of_its_members(tmp_path: Path) -> None:
    parity = cp.gallery.parity()
    team = cp.mixture([parity, cp.p_adic(2), ~parity])
    sample = cp.simulate(team, cp.random_words("01", 100, (1, 6), rng=1), rng=2)
    assert [len(part) for part in Moves.of(team, sample).parts] == [2, 2, 2]
    cp.report(fit_of(team), sample, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "The model is a team of 3 machines; below is one of them." in page
    assert "<th>even</th><th>odd</th>" in page
