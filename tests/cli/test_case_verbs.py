"""Verbs about cases: what they print, and wrong input."""

import json
import os
import signal
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
    Path("words.txt").write_text("ad visit\nwait\n")

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


def test_credit_prints_what_the_library_says(run: Run) -> None:
    Path("data.tsv").write_text("bought\tad visit cart\nleft\tad wait\nbought\tmail visit cart\n")
    sample = cp.read_sample("data.tsv", positive="bought", word=2, accepted=1)
    found = cp.credit(cp.gallery.customers(), sample, inputs=LAW, outcome="bought")
    arguments = [
        "credit",
        "model.json",
        "data.tsv",
        "--inputs",
        "law.json",
        "--positive",
        "bought",
        "--word",
        "2",
        "--accepted",
        "1",
    ]
    code, out, err = run(*arguments, "--plot", "credit.svg")
    assert (code, out, err) == (0, f"{found}\n", "")
    assert Path("credit.svg").exists()
    told = json.loads(run(*arguments, "--json")[1])
    assert [each["event"] for each in told["events"]] == list(found.symbols)
    assert [each["along"] for each in told["events"]] == pytest.approx(found.along.tolist())
    assert (told["cases"], told["outcome"], told["data"]) == (3, "bought", "data.tsv")
    assert run("credit", "model.json", "words.txt", "--prefixes")[0] == 0


def test_advise_prints_what_the_library_says(run: Run) -> None:
    found = cp.advise(
        cp.gallery.customers(), ["ad"], LAW, 2, ["visit", "cart"], {"cart": 0.1}, min_probability=0.02, outcome="bought"
    )
    arguments = "advise model.json ad --inputs law.json --horizon 2 --allowed visit --allowed cart --cost cart=1/10"
    code, out, err = run(*arguments.split(), "--min-probability", "0.02")
    assert (code, out, err) == (0, f"{found}\n", "")
    told = json.loads(run(*arguments.split(), "--min-probability", "0.02", "--json")[1])
    assert [tuple(each["events"]) for each in told["continuations"]] == [each.events for each in found.continuations]
    assert [each["value"] for each in told["continuations"]] == pytest.approx([c.value for c in found.continuations])
    assert told["note"].startswith("Not causal")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("explain", "model.json", "ad vist"), 3, "Did you mean 'visit'?"),
        (("explain", "model.json", "ad", "--inputs", "model.json"), 3, "model.json: expected a generator"),
        (("explain", "model.json", "ad", "--plot", "why.txt"), 3, "why.txt: expected a name that ends in .svg"),
        (("explain", "model.json", "ad", "--inputs", "missing.json"), 3, "missing.json"),
        (("credit", "model.json", "law.json"), 3, "law.json"),
        (("credit", "model.json", "missing.tsv", "--inputs", "law.json"), 3, "missing.tsv"),
        (
            ("credit", "gallery:customers", "words.txt"),
            3,
            "--inputs must be given: a forecast needs the law of inputs.",
        ),
        (("advise", "model.json", "ad"), 3, "--inputs must be given: advice needs to know"),
        (("advise", "model.json", "ad", "--inputs", "law.json", "--cost", "cart"), 2, "--cost needs EVENT=NUMBER"),
        (("advise", "model.json", "ad", "--inputs", "law.json", "--allowed", "crt"), 3, "Did you mean 'cart'?"),
        (("explain", "law.json", "ad", "--shapley", "--plot", "why.svg"), 3, "--shapley must be False of a generator"),
    ],
)
def test_wrong_input_ends_in_a_sentence(run: Run, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    ended, out, err = run(*arguments)
    assert (ended, out) == (code, "")
    assert sentence in err


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        (("explain", "model.json", "ad visit cart", "--inputs", "law.json", "--plot", "result.svg"), "os.fsync"),
        (("explain", "model.json", "ad visit cart", "--json"), "cutpoint.cases.explanation.deletion_values"),
        (("credit", "model.json", "words.txt", "--inputs", "law.json", "--plot", "result.svg"), "os.fsync"),
        (("credit", "model.json", "words.txt", "--inputs", "law.json"), "cutpoint.cases.credits._intervals"),
        (("advise", "model.json", "ad", "--inputs", "law.json"), "cutpoint.cases.advice._forecasts"),
        (("evaluate", "model.json", "outcomes.tsv", "--report", "result.html"), "os.fsync"),
        (("evaluate", "model.json", "outcomes.tsv"), "cutpoint.assess.evaluation._predictions"),
    ],
)
def test_ctrl_c_ends_in_a_sentence_and_leaves_nothing_half_written(
    arguments: tuple[str, ...], at: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("outcomes.tsv").write_text("yes\tad visit cart\nno\tad wait\nyes\tmail visit cart\n")
    before = sorted(os.listdir())
    assert run(*arguments)[0] == 0  # goes well unless interrupted
    for name in set(os.listdir()) - set(before):
        Path(name).unlink()
    monkeypatch.setattr(at, lambda *_, **__: os.kill(os.getpid(), signal.SIGINT))
    assert run(*arguments) == (130, "", "\ncutpoint: interrupted.\n")
    assert sorted(os.listdir()) == before
