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
