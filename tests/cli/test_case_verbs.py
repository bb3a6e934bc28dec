"""Verbs about cases: what they print, and wrong input."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code

Run = Callable[..., tuple[int, str, str]]
LAW = cp.Generator.from_ngrams([["ad", "visit", "cart"], ["ad", "wait"], ["mail", "visit", "cart"]], n=2)
CASE = ["ad", "visit", "cart"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    cp.save(cp.gallery.customers(), "model.json", cut_point=0.5, classes=["left", "bought"])
    cp.save(LAW, "law.json")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = _exit_code(arguments)
        return code, *capsys.readouterr()

    return run


def test_explain_prints_what_the_library_says(run: Run) -> None:
    why = cp.explain(cp.gallery.customers(), CASE, inputs=LAW, outcome="bought")
    code, out, err = run("explain", "model.json", "ad visit cart", "--inputs", "law.json", "--plot", "why.svg")
    assert (code, out, err) == (0, f"{why}\n", "")
    assert Path("why.svg").read_text().startswith("<?xml")
    _, out, _ = run("explain", "model.json", "ad visit cart", "--inputs", "law.json", "--json")
    told = json.loads(out)
    assert why.along is not None
    assert why.shapley is not None
    assert told["along"] == pytest.approx(why.along)
    assert told["shapley"] == pytest.approx(why.shapley)
    assert (told["word"], told["outcome"], told["acceptance"]) == (CASE, "bought", why.acceptance)
    _, out, _ = run("explain", "model.json", "ad,visit", "--separator", ",", "--prefixes", "--exact", "--json")
    assert json.loads(out)["forecasts"] == ["0", "1/50", "43/250"]
    code, out, _ = run("explain", "model.json", "")
    assert (code, out.split(";")[0]) == (0, "0 events")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("explain", "model.json", "ad vist"), 3, "Did you mean 'visit'?"),
        (("explain", "model.json", "ad", "--inputs", "model.json"), 3, "model.json: expected a generator"),
        (("explain", "model.json", "ad", "--plot", "why.txt"), 3, "why.txt: expected a name that ends in .svg"),
        (("explain", "model.json", "ad", "--inputs", "missing.json"), 3, "missing.json"),
        (("explain", "law.json", "ad", "--shapley", "--plot", "why.svg"), 3, "--shapley must be False of a generator"),
    ],
)
def test_wrong_input_ends_in_a_sentence(run: Run, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    ended, out, err = run(*arguments)
    assert (ended, out) == (code, "")
    assert sentence in err
