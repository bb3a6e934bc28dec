"""Verbs on generators: what they print, and one wrong input each."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code
from cutpoint.files import competition_score, write_solution

Run = Callable[..., tuple[int, str, str]]
STEPS = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
JUDGE = cp.Generator(["new", "good", "bad"], "ab", STEPS, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
PLAIN = cp.Generator(2, "01", {"0": {0: {0: 0.25, 1: 0.25}}, "1": {1: {0: 0.75}}}, 0, [0.5, 0.25])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    cp.save(PLAIN, "plain.json")
    cp.save(JUDGE, "judge.json", cut_point="3/5", classes=["no", "yes"])
    cp.save(cp.p_adic(2), "acceptor.json")
    Path("words.txt").write_text("a\nabb\nb\n")

    def run(line: str) -> tuple[int, str, str]:
        code = _exit_code(line.split())
        return code, *capsys.readouterr()

    return run


def test_generate_prints_or_writes_what_simulate_draws(run: Run) -> None:
    code, out, _ = run("generate plain.json -n 50 --seed 7")
    drawn = PLAIN.simulate(50, rng=7)
    assert (code, sorted(out.split("\n")[:-1])) == (0, expanded(drawn))
    _, out, _ = run("generate judge.json -n 20 --json")
    assert all(json.loads(line).keys() == {"accepted", "word"} for line in out.splitlines())
    code, out, err = run("generate plain.json -n 50 --seed 7 -o 1.pautomac.train")
    assert (code, out) == (0, "")
    assert err.startswith("written to 1.pautomac.train: Sample(50 observations")
    assert expanded(cp.read_sample("1.pautomac.train")) == expanded(drawn)


def expanded(sample: cp.Sample) -> list[str]:
    return sorted("".join(map(str, seen.word)) for seen in sample for _ in range(int(seen.count)))


def test_perplexity_beside_ngrams_and_solutions(run: Run) -> None:
    training, test = PLAIN.simulate(300, rng=1), PLAIN.simulate(40, rng=2)
    words = [*test.words]
    cp.write_sample(training, "training.tsv")
    cp.write_sample(cp.Sample(words), "test.pautomac")
    write_solution(np.exp(PLAIN.log_probabilities(words)), "solution.txt")
    code, out, _ = run(
        "perplexity plain.json test.pautomac --training training.tsv --grams 2 --solution solution.txt --json"
    )
    found = json.loads(out)
    assert (code, found["words"], found["impossible"]) == (0, len(words), 0)
    grams = cp.Generator.from_ngrams(training, 2, "01")
    solution = np.exp(PLAIN.log_probabilities(words))
    for name, model in {"model": PLAIN, "2-gram": grams}.items():
        assert found["perplexity"][name] == pytest.approx(
            {
                "per_symbol": model.perplexity(words),
                "per_word": model.perplexity(words, per="word"),
                "pautomac_score": competition_score(model, words, solution),
            }
        )
    assert found["perplexity"]["truth"]["pautomac_score"] == pytest.approx(competition_score(PLAIN, words, solution))
    code, out, _ = run("perplexity judge.json words.txt")
    assert out.splitlines()[0] == "perplexity of 3 words of words.txt"
    assert out.splitlines()[-1] == "  1 distinct word cannot come from the model, such as 'b'."
    assert "per symbol  inf" in out


def test_a_cut_point_without_outcomes_is_refused(run: Run) -> None:
    code, _, err = run("score plain.json words.txt --cut-point 0.5")
    assert code == 2
    assert "--cut-point is for outcomes, and this generator accepts every word. Leave it out." in err


def test_score_gives_log_probabilities_and_acceptances(run: Run) -> None:
    _, out, _ = run("score judge.json words.txt")
    rows = [line.split("\t") for line in out.splitlines()]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("a", "0.6", "no"),
        ("abb", str(JUDGE.acceptance("abb")), "no"),
        ("b", "nan", "no"),
    ]
    assert [float(row[1]) for row in rows] == [*map(JUDGE.log_probability, ("a", "abb")), -math.inf]
    _, out, _ = run("score judge.json words.txt --json --cut-point 0.5")
    assert [json.loads(line)["outcome"] for line in out.splitlines()] == ["yes", "no", "no"]
    assert json.loads(out.splitlines()[2])["acceptance"] is None
    _, out, _ = run("score judge.json words.txt --only")
    assert all(line.count("\t") == 1 for line in out.splitlines())
    run("score judge.json words.txt -o scores.parquet")
    polars = pytest.importorskip("polars")
    assert polars.read_parquet("scores.parquet").columns == [
        "word",
        "log_probability",
        "acceptance",
        "accepted",
        "outcome",
    ]
    Path("inputs.tsv").write_text("01\n\n")
    run("shard inputs.tsv -o shards")
    code, out, _ = run("score plain.json shards")
    assert (code, len(out.splitlines())) == (0, 2)


def test_info_convert_table_and_draw(run: Run) -> None:
    _, out, _ = run("info judge.json")
    assert out.splitlines()[:2] == [repr(JUDGE), "its words have 1.667 symbols on average"]
    _, out, _ = run("info judge.json --json")
    assert (json.loads(out)["machine"], json.loads(out)["expected_length"]) == ("generator", pytest.approx(5 / 3))
    assert run("convert plain.json 1.pautomac_model.txt")[0] == 0
    assert cp.load("1.pautomac_model.txt") == PLAIN
    _, out, _ = run("table judge.json --json")
    assert json.loads(out)["stop"] == ["0", "3/4", "1/2"]
    _, out, _ = run("draw judge.json")
    assert "digraph" in out


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("generate acceptor.json", 3, "acceptor.json: expected a generator; the model is an acceptor."),
        ("generate judge.json -o x.pautomac", 3, "PAutomaC cannot hold outcomes."),
        ("generate plain.json -o plain.json", 2, "plain.json is read, and the result would replace it"),
        ("generate plain.json -n 0", 2, "0 is not in the range"),
        ("perplexity acceptor.json words.txt", 3, "acceptor.json: expected a generator; the model is an acceptor."),
        ("perplexity plain.json words.txt", 3, "words.txt: line 1, position 1: symbol 'a' is not in the alphabet"),
        ("perplexity judge.json words.txt --solution words.txt", 3, "expected the number of probabilities, then one on each"),
        ("perplexity judge.json - --solution words.txt", 2, "--solution is for the words of a file"),
        ("perplexity judge.json nothing.tsv", 3, "nothing.tsv: the file cannot be opened"),
        ("score plain.json words.txt", 3, "symbol 'a' is not in the alphabet"),
        ("convert judge.json x.att", 3, "AT&T text cannot hold a generator"),
        ("convert judge.json x.pautomac_model.txt --rounded", 3, "PAutomaC cannot hold a cut point; .json and .npz can. Leave it out with --bare"),
        ("info nothing.pautomac_model.txt", 3, "nothing.pautomac_model.txt: cannot be read"),
        ("table judge.json ab", 3, "expected an acceptor; the model is a generator."),
        ("simulate judge.json", 3, "expected an acceptor; the model is a generator."),
        ("draw judge.json -o picture.xyz", 3, "picture.xyz"),
    ],
)  # fmt: skip
def test_wrong_input_is_a_sentence(run: Run, line: str, code: int, sentence: str) -> None:
    found, out, err = run(line)
    assert (found, out) == (code, "")
    assert sentence in err
    assert "Traceback" not in err


def test_fit_learns_the_law_of_words_alone(run: Run) -> None:
    drawn = PLAIN.simulate(400, rng=1)
    cp.write_sample(drawn, "training.tsv")
    cp.write_sample(PLAIN.simulate(50, rng=2), "test.tsv")
    code, out, err = run("fit training.tsv -n 2 --generator -o law.json")
    assert (code, err) == (0, "")
    assert out.startswith("2 states and 2 symbols, learned from 320 cases; model in law.json\n")
    assert "perplexity of 80 words held out, the lower the better" in out
    titles, per_symbol, per_word = (row.split() for row in out.splitlines()[3:6])
    assert titles == ["model", "2-gram", "3-gram"]
    assert float(per_symbol[2]) < 1.05 * min(map(float, per_symbol[3:]))
    assert len(per_word) == 5
    read = cp.read_model("law.json")
    assert read.cut_point is None
    assert read.metadata["held_out_perplexity_per_symbol"] == pytest.approx(float(per_symbol[2]), rel=1e-4)
    assert read.generator.perplexity(drawn) < 1.02 * PLAIN.perplexity(drawn)
    code, out, _ = run("fit training.tsv -n 2 --generator --test test.tsv -o law.json --json")
    facts = json.loads(out)
    assert facts["perplexity"]["model"]["per_word"] == pytest.approx(
        cp.load("law.json").perplexity(cp.read_sample("test.tsv", alphabet="01"), "word"), rel=1e-12
    )
    assert facts["perplexity"].keys() == {"model", "2-gram", "3-gram"}
    assert facts["held_out"] == {}
    code, out, _ = run("fit training.tsv -n 2 --generator --holdout 0 -o law.npz")
    assert (code, "perplexity of" in out) == (0, False)
    assert isinstance(cp.load("law.npz"), cp.Generator)
    run("shard training.tsv -o shards")
    code, out, _ = run("fit shards -n 2 --generator --test test.tsv -o law.json")
    assert code == 0
    assert "learned from 400 cases" in out


def test_fit_of_a_generator_judges_outcomes_by_bayes(run: Run) -> None:
    cp.write_sample(JUDGE.simulate(300, rng=1), "training.tsv")
    cp.write_sample(JUDGE.simulate(60, rng=2), "test.tsv")
    code, out, _ = run("fit training.tsv -n 3 --generator --test test.tsv -o judge2.json")
    assert code == 0
    read = cp.read_model("judge2.json")
    assert read.cut_point is not None
    judged = cp.evaluate(read.machine, cp.read_sample("test.tsv", alphabet="ab"), read.cut_point)
    assert f"log loss         {judged.log_loss:.4f}" in out
    assert "perplexity of 60 words held out" in out
    code, out, _ = run("score judge2.json words.txt")
    assert code == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fit words.txt --generator -o x.json --report x.html", "--report is about acceptors; with --generator leave"),
        ("fit words.txt --generator -o x.json", "to hold out 0.2 of the observations there must be at least 10; got 3"),
        ("fit words.txt -o x.json", "the sample holds inputs alone"),
        ("fit words.txt --generator --holdout 0 --cut-point .3 -o x.json", "--cut-point is for outcomes, and DATA has"),
        ("fit words.txt --generator --holdout 0 --baseline -o x.json", "--baseline is for outcomes, and DATA has not"),
        ("fit words.txt --generator -n 0 -o x.json", "'-n' / '--states'"),
    ],
)
def test_fit_refuses(run: Run, line: str, sentence: str) -> None:
    code, _, err = run(line)
    assert code in (2, 3)
    assert sentence in err
    assert "Traceback" not in err
