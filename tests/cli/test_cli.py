"""The program as users run it: every verb, its examples, pipes, wrong input, exit codes, interrupts, terminals."""

import csv
import dataclasses
import datetime
import io
import json
import math
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

import cutpoint as cp
from cutpoint.assess.evaluation import CutPointChoice
from cutpoint.cli.app import VERBS, _exit_code, loaded
from cutpoint.cli.fit_summary import FitSummary
from tests.consoles import console_lines, environment, same_output, shell

WORDS = ["11", "01", "", "1", "0110"]
searches = pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="a search takes thousands of E-steps, too slow for the reference"
)


class Done(NamedTuple):
    """What a run of the program left."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]
RESCALE = "use cutpoint convert --normalized to rescale rows."


def binary(word: str) -> Fraction:
    """Acceptance of a word by the 2-adic acceptor: its digits from the last one on, behind the point."""
    return sum((Fraction(int(digit), 2 ** (k + 1)) for k, digit in enumerate(reversed(word))), Fraction(0))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a user might have."""
    folder = tmp_path_factory.mktemp("user")
    truth = cp.gallery.customers()
    journeys = cp.simulate(truth, cp.random_words(truth.alphabet, 120, (2, 5), rng=1), rng=2)
    cp.write_sample(journeys, folder / "journeys.tsv")
    law = cp.Generator.from_ngrams(journeys, n=2)
    cp.save(cp.files.Model(truth, "1/2", inputs=law), folder / "journeys.json")
    cp.save(cp.gallery.parity(), folder / "model.json", cut_point="1/2", metadata={"author": "somebody"})
    cp.save(cp.p_adic(2), folder / "binary.json", cut_point="1/2")
    (folder / "words.tsv").write_text("".join(f"{word}\n" for word in WORDS))
    (folder / "new.tsv").write_text("011\n10\n")
    (folder / "test.tsv").write_text("0\t011\n1\t10\n\t11\n0\t1\n")
    (folder / "events.csv").write_text("who;when;what;sold\nb;1;0;0\na;2;1;1\na;1;1;1\nb;2;1;0\n")
    (folder / "events.ndjson").write_text('{"who": "a", "what": "1"}\n{"who": "b", "what": "0"}\n')
    (folder / "one.tsv").write_text("1\tab\n1\tba\n" * 20)
    (folder / "inputs.tsv").write_text("ab\nba\n" * 20)
    (folder / "few.tsv").write_text("1\tab\n0\tba\n")
    inputs = cp.Generator(2, "01", {"0": {0: {0: 0.25, 1: 0.25}}, "1": {1: {0: 0.75}}}, 0, [0.5, 0.25])
    cp.save(inputs, folder / "3.pautomac_model.txt")
    cp.write_sample(inputs.simulate(200, rng=1), folder / "3.pautomac.train")
    cp.write_sample(inputs.simulate(50, rng=2), folder / "3.pautomac.test")
    (folder / "empty.tsv").write_text("")
    (folder / "noise.tsv").write_bytes(bytes(range(128, 256)) * 20)
    (folder / "noise.json").write_bytes(bytes(range(128, 256)) * 20)
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def here(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, and the tests in it."""
    shutil.copytree(prepared, tmp_path / "user")
    monkeypatch.chdir(tmp_path / "user")
    return tmp_path / "user"


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The program within this process, with text for standard input."""

    def run(*arguments: str, given: str | bytes = "") -> Done:
        raw = given if isinstance(given, bytes) else given.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(raw)), encoding="utf-8"))
        code = _exit_code(arguments)
        return Done(code, *capsys.readouterr())

    return run


# --- help -------------------------------------------------------------------------------------------------------------


def test_help_names_every_verb_and_loads_none_of_them(here: Path) -> None:
    heavy = [
        "numpy",
        "scipy",
        "rich",
        "flint",
        "polars",
        "narwhals",
        "matplotlib",
        "cutpoint.cli.languages",
        *(f"cutpoint.cli.{verb}" for verb in VERBS),
    ]
    code = (
        "import sys; from cutpoint.cli.app import _exit_code; _exit_code(['--help']); "
        f"print(sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert re.findall(r"^  (\w+)  +[A-Z]", done.stdout, re.MULTILINE) == list(VERBS)


def test_the_version(run: Run) -> None:
    assert run("--version") == (0, f"cutpoint {cp.__version__}\n", "")


def examples(verb: str) -> list[str]:
    """Example lines of a verb's help."""
    return re.findall(r"^ *Example: (.*)$", loaded(verb).help or "", re.MULTILINE)


@searches
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "workbench"])  # which goes on until it is ended
def test_examples_in_the_help_are_true(verb: str, here: Path) -> None:
    found = examples(verb)
    assert found
    assert all(line.startswith(f"cutpoint {verb} ") for line in found)
    for line in found:
        done = shell(line, here)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    made = {
        "demo": "tour.html",
        "fit": "report.html",
        "score": "scores.tsv",
        "evaluate": "evaluation.html",
        "draw": "p_adic.svg",
    }
    if verb in made:
        assert (here / made[verb]).stat().st_size > 20


def test_completion(here: Path) -> None:
    asked = {"_CUTPOINT_COMPLETE": "bash_complete", "COMP_WORDS": "cutpoint mi", "COMP_CWORD": "1"}
    assert shell("cutpoint", here, **asked).stdout == "plain,minimize\n"
    if shutil.which("bash"):
        source = shell("cutpoint", here, _CUTPOINT_COMPLETE="bash_source")
        assert "complete -o nosort -F _cutpoint_completion cutpoint" in source.stdout


# --- wrong input ------------------------------------------------------------------------------------------------------

WRONG = [
    ("info nope", 3, "nope: there is no such file."),
    ("compare model.json nope", 3, "nope: there is no such file."),
    ("watch model.json --id x --event x", 3, "--event must be another field than the id; got 'x' for both."),
    ("watch model.json --cut-point 2", 3, "a cut point must be a number between 0 and 1; got '2'."),
    ("watch model.json --state nowhere/cases", 3, "nowhere/cases: cannot be written (there is no folder nowhere)."),
    ("watch model.json --state words.tsv", 3, "words.tsv: this is not a file of the kind 'cutpoint runs 2'."),
    ("watch words.tsv", 3, "words.tsv: expected a model: a file such as model.json, or gallery:parity."),
    ("demo -o nowhere/tour.html", 3, "nowhere/tour.html: cannot be written (there is no folder nowhere)."),
    ("demo -o folder", 3, "folder: expected a name that ends in .html or .htm."),
    ("evaluate model.json test.tsv --report nowhere/r.html", 3, "nowhere/r.html: cannot be written (there is no folder nowhere)."),
    ("fit nothing.tsv -o m.json", 3, "nothing.tsv: the file cannot be opened (No such file or directory)."),
    ("fit one.tsv -o m.json", 3, "learning needs observations of at least two labels, such as accepted and rejected words; only {True} was seen. A rule that always gives the same answer needs no learning."),
    ("fit inputs.tsv -o m.json", 3, "the sample holds inputs alone, and inputs alone carry no information about the transitions. Add the outcomes with --accepted, or with --outcome of an event table."),
    ("fit few.tsv -o m.json", 3, "to hold out 0.2 of the observations there must be at least 10; got 2 observations. Add observations. Or judge by another file with --test. Or hold out none with --holdout 0."),
    ("fit journeys.tsv -o m.json --holdout 0.01", 3, "--holdout must be from 1/20 to 1/2; got 0.01."),
    ("fit journeys.tsv -o m.json --holdout nan", 3, "--holdout must be from 1/20 to 1/2; got nan."),
    ("fit journeys.tsv -o m.drn", 3, "m.drn: expected a name that ends in .json, .json.gz or .npz."),
    ("fit journeys.tsv -o nowhere/m.json", 3, "nowhere/m.json: cannot be written (there is no folder nowhere)."),
    ("fit journeys.tsv -o m.json --report r.pdf", 3, "r.pdf: expected a name that ends in .html or .htm."),
    ("evaluate model.json test.tsv --report r.pdf", 3, "r.pdf: expected a name that ends in .html or .htm."),
    ("fit journeys.tsv -o m.json -n 4000", 3, "--states must be a whole number from 1 to 2,000; got 4000."),
    ("fit journeys.tsv -o m.json --cut-point 7", 3, "a cut point must be a number between 0 and 1; got '7'."),
    ("fit journeys.tsv -o m.json --time-limit -1", 3, "--time-limit must be a positive number of seconds; got -1.0."),
    ("fit journeys.tsv -o m.json --test words.tsv -n 2", 3, "words.tsv: line 1, position 1: symbol '11' is not in the alphabet {'ad', 'cart', 'mail', 'visit', 'wait'}."),
    ("fit events.csv --delimiter ; --id who -o m.json", 3, "events.csv: no column is called event, activity, symbol, event name, activity name, task or concept:name; the columns are {'who', 'when', 'what', 'sold'}. Choose one with --event."),
    ("fit journeys.tsv -o m.json --split-by day", 3, "journeys.tsv: --split-by must be one of the columns {'word', 'accepted', 'count'}; got 'day'."),
    ("fit journeys.tsv -o m.json --split-by accepted --holdout 0.5", 3, "journeys.tsv: column 'accepted': there must be earlier words to learn from, and later ones to judge by; too many have '0'. Split by another column."),
    ("fit journeys.tsv -o m.json --gaps 1d", 3, "journeys.tsv: --gaps is for tables with one event per row; this one has one word per row."),
    ("fit events.csv --delimiter ; --id who --event what --order when -o m.json --gaps 1d", 3, "--gaps must have edges that are numbers, in increasing order; got '1d'."),
    ("fit events.csv --delimiter ; --id who --event what -o m.json --attributes sod", 3, "events.csv: --attributes must be one of the columns {'who', 'when', 'what', 'sold'}; got 'sod'. Did you mean 'sold'?"),
    ("score nothing.json words.tsv", 3, "nothing.json: cannot be read (No such file or directory)."),
    ("score noise.json words.tsv", 3, "noise.json: line 1: expected text in UTF-8; got bytes that are not."),
    ("score model.json noise.tsv", 3, "noise.tsv: line 1: the text must be UTF-8; byte 1 of the line is 0x80. Convert the file."),
    ("score model.json empty.tsv", 3, "empty.tsv: the file is empty."),
    ("score model.json journeys.tsv", 3, "journeys.tsv: line 2, position 1: symbol 'cart' is not in the alphabet {'0', '1'}."),
    ("score model.json events.csv --delimiter ; --id whom --event what", 3, "events.csv: --id must be one of the columns {'who', 'when', 'what', 'sold'}; got 'whom'. Did you mean 'who'?"),
    ("score model.json words.tsv -o nowhere/scores.tsv", 3, "nowhere/scores.tsv: cannot be written (No such file or directory)."),
    ("accepts model.json 2", 3, "word '2', position 1: symbol '2' is not in the alphabet {'0', '1'}."),
    ("accepts gallery:partiy 1", 3, "gallery:partiy: the gallery has cerny, customers, double_binary, gambler, krylov, land_of_oz, majority, p_adic, parity, random_acceptor, tomita, value_one; got 'partiy'. Did you mean 'parity'?"),
    ("accepts gallery:p_adic 1", 3, "gallery:p_adic: after gallery:p_adic comes p; got 0 values."),
    ("accepts gallery:p_adic:1 1", 3, "gallery:p_adic:1: p must be a whole number from 2 to 1,000,000; got 1."),
    ("table folder", 3, "folder: expected a model: a file such as model.json, or gallery:parity."),
    ("table model.json 012", 3, "word '012', position 3: symbol '2' is not in the alphabet {'0', '1'}."),
    ("draw model.json -o model.bmp", 3, "the path of a picture must end in .svg, .png, .pdf, .dot, .gv, .tikz or .tex; got 'model.bmp'."),
    ("draw model.json --min-probability 2", 3, "--min-probability must be a number between 0 and 1; got 2.0."),
    ("simulate model.json -o words.parquet", 3, "samples are written as tsv, ndjson, abbadingo or pautomac; got parquet."),
    ("simulate model.json -o nowhere/words.tsv", 3, "nowhere/words.tsv: cannot be written (there is no folder nowhere)."),
    ("compare model.json gallery:p_adic:3", 3, "automata must have the same alphabet; got {'0', '1'} and {'0', '1', '2'}."),
    ("minimize model.json -o smaller.doc", 3, "smaller.doc: expected an extension out of .json, .npz, .att, .fst.txt, .drn, .tra, .dot, .gv, .jff, .pautomac_model.txt, with .gz behind a text format."),
    ("convert model.json model.drn", 3, "DRN cannot hold a cut point; .json and .npz can. Leave it out with --bare, or save as one of these."),
    ("convert gallery:p_adic:3 model.att", 3, "AT&T text with logarithms for weights holds floats, and this acceptor is exact. Pass --rounded to write the nearest floats, or save as .json, which keeps fractions."),
    ("export model.json -o model.py", 3, "model.py: expected an extension out of .js, .mjs, .sql, .onnx."),
    ("export model.json -o model.js --table t", 3, "--table is an option of SQL alone; the file is model.js."),
    ("export model.json -o nowhere/model.js", 3, "nowhere/model.js: cannot be written (No such file or directory)."),
    ("export nothing.json -o model.js", 3, "nothing.json: cannot be read (No such file or directory)."),
    ("info folder", 3, "folder: expected a file; it is a folder, but not a folder of shards, as it has no manifest.json. Make one with cutpoint shard; if that was interrupted, run it again."),
]  # fmt: skip

MISUSED = [
    ("", "Usage: cutpoint [OPTIONS] VERB [ARGS]..."),
    ("scor model.json words.tsv", "Error: there is no verb 'scor'. Did you mean 'score'?"),
    ("fit journeys.tsv", "Error: Missing option '-o' / '--output'."),
    (
        "fit journeys.tsv -o m.json --report ./m.json",
        "Error: two results would be written to m.json; name another file",
    ),
    (
        "fit journeys.tsv -o m.json --report journeys.tsv",
        "Error: journeys.tsv is read, and the result would replace it",
    ),
    ("score binary.json words.tsv -o words.tsv", "Error: words.tsv is read, and the result would replace it"),
    ("score binary.json words.tsv -o ./binary.json", "Error: ./binary.json is read, and the result would replace it"),
    ("fit journeys.tsv -o m.json --min-count 5", "Error: --min-count goes with --unknown rare."),
    ("fit journeys.tsv -o m.json --split-by day --holdout 0", "Error: --split-by holds out a part of a table; it does"),
    ("fit journeys.tsv -o m.json --checkpoint m.json", "Error: two results would be written to m.json; name another"),
    ("fit journeys.tsv -o m.json -n 0", "Error: Invalid value for '-n' / '--states': 0 is not in the range x>=1."),
    ("score - -", "Error: standard input (-) can be read once only; name a file for the other."),
    ("watch -", "Error: standard input has the events; name a file with the model."),
    ("watch model.json --from-line 3", "Error: --from-line is for going on where --state has ended."),
    ("watch model.json --state model.json", "Error: model.json is read, and the result would replace it; name another"),
    ("score model.json", "Error: Missing argument 'DATA'."),
    ("accepts gallery:parity 1", "Error: the model has no cut point of its own; give one with --cut-point, such as"),
    ("simulate model.json --length 3:1", "Error: Invalid value: expected a length such as 8, or a range such as 1:10;"),
    ("table", "Error: Missing argument 'MODEL'."),
    ("draw model.json --format bmp", "Error: Invalid value for '--format': 'bmp' is not one of"),
    ("draw model.json --format svg -o m.svg", "Error: --format is for text that is printed; the name of the file says"),
    (
        "score binary.json words.tsv --only --json",
        "Error: --only and --json do not go together: leave one of them out.",
    ),
    ("compare - -", "Error: standard input (-) can be read once only; name a file for the other."),
    ("minimize model.json --fast", "Error: No such option"),
    ("convert model.json", "Error: Missing argument 'OUTPUT'."),
    ("export model.json", "Error: Missing option '-o' / '--output'."),
    ("info", "Error: Missing argument 'FILE'."),
    ("demo --seed -1", "Error: Invalid value for '--seed': -1 is not in the range x>=0."),
]


@pytest.mark.parametrize(("line", "code", "sentence"), WRONG, ids=[line for line, _, _ in WRONG])
def test_bad_input_is_told_in_a_sentence(line: str, code: int, sentence: str, run: Run, here: Path) -> None:
    before = sorted(here.rglob("*"))
    assert run(*line.split()) == (code, "", f"cutpoint: {sentence}\n")
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize("folder", ["id=7", "{id}", "n_states", "time_limit=1", "rounded=True"])
def test_names_of_files_are_printed_as_they_are(folder: str, run: Run, here: Path) -> None:
    path = here / "lake" / folder / "part.csv"
    path.parent.mkdir(parents=True)
    path.write_text("who,what\na,1\n")
    named = f"lake/{folder}/part.csv"
    columns = "the columns are {'who', 'what'}"
    assert run("fit", named, "--id", "who", "-o", "m.json").err == (
        f"cutpoint: {named}: no column is called event, activity, symbol, event name, activity name, task or concept:name; {columns}. Choose one with --event.\n"
    )
    assert run("score", f"lake/{folder}/none.json", named).err == (
        f"cutpoint: lake/{folder}/none.json: cannot be read (No such file or directory).\n"
    )


@pytest.mark.parametrize(("line", "sentence"), MISUSED, ids=[line for line, _ in MISUSED])
def test_wrong_usage_is_told(line: str, sentence: str, run: Run) -> None:
    done = run(*line.split())
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


def test_a_file_that_must_not_be_read(run: Run, here: Path) -> None:
    (here / "words.tsv").chmod(0)
    if os.access(here / "words.tsv", os.R_OK):
        pytest.skip("this user may read everything")
    assert run("info", "words.tsv") == (3, "", "cutpoint: words.tsv: the file cannot be opened (Permission denied).\n")


def test_a_missing_extra_is_a_failure(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    code, out, err = run("draw", "model.json", "-o", "model.svg")
    assert (code, out) == (1, "")
    assert 'pip install "cutpoint[draw]"' in err


def test_standard_input_is_named_in_sentences(run: Run) -> None:
    assert run("info", "-", given="") == (3, "", "cutpoint: standard input: the file is empty.\n")
    code, _, err = run("table", "-", given="{")
    assert code == 3
    assert err.startswith("cutpoint: standard input: line 1, column 2: this is not JSON")


# --- every verb -------------------------------------------------------------------------------------------------------


def test_score(run: Run) -> None:
    expected = [float(binary(word)) for word in WORDS]
    answers = ["yes" if value > 0.5 else "no" for value in expected]
    told = [f"{word}\t{value}\t{answer}" for word, value, answer in zip(WORDS, expected, answers, strict=True)]
    assert run("score", "binary.json", "words.tsv").out.splitlines() == told
    assert run("score", "gallery:p_adic:2", "words.tsv", "--only").out == "".join(f"{value}\n" for value in expected)
    logs = [float(line) for line in run("score", "gallery:p_adic:2", "words.tsv", "--log", "--only").out.split()]
    assert [round(2.718281828459045**log, 12) for log in logs] == expected
    done = run("score", "binary.json", "-", "--json", "--cut-point", "1/4", given="\n".join(WORDS))
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"word": word, "acceptance": value, "accepted": value > 0.25}
        for word, value in zip(WORDS, expected, strict=True)
    ]
    impossible = run("score", "gallery:parity", "-", "--log", "--json", given="0\n1\n").out.splitlines()
    assert [json.loads(line)["log_acceptance"] for line in impossible] == [None, 0.0]


def test_score_of_events_and_into_a_file(run: Run, here: Path) -> None:
    columns = ["--delimiter", ";", "--id", "who", "--order", "when", "--event", "what"]
    done = run("score", "binary.json", "events.csv", *columns, "-o", "scores.tsv")
    assert done == (0, "", "")
    assert (here / "scores.tsv").read_text() == "b\t0.5\tno\na\t0.75\tyes\n"  # 01 and 11
    (here / "bad.tsv").write_text("11\n" * 400_000 + "12\n")
    done = run("score", "binary.json", "bad.tsv", "-o", "scores.tsv")
    assert done.err == "cutpoint: bad.tsv: line 400001, position 2: symbol '2' is not in the alphabet {'0', '1'}.\n"
    assert (here / "scores.tsv").read_text() == "b\t0.5\tno\na\t0.75\tyes\n"  # as it was
    assert not list(here.glob(".*.part"))


LOG = "Case ID,Activity,Timestamp,goal,amount,Outcome\n" + "".join(
    f"{k},{event},{day},{('car', 'boat')[k % 2]},{100 * k},{('Declined', 'Approved')[k % 3 == 0]}\n"
    for k in range(60)
    for event, day in (
        ("submit", f"2024-01-{1 + k // 4:02}"),
        ("check" if k % 3 else "offer", f"2024-02-{1 + k // 4:02}"),
    )
)


def test_score_of_events_names_the_line_of_the_symbol_and_reads_no_outcome(run: Run, here: Path) -> None:
    (here / "log.csv").write_text("id,event,outcome,label\na,1,Approved,?\nb,0,Declined,x\na,0,none,\nb,2,,\n")
    done = run("score", "binary.json", "log.csv")
    assert done.err == "cutpoint: log.csv: line 5: symbol '2' is not in the alphabet {'0', '1'}.\n"
    (here / "log.csv").write_text("id,event,outcome,label\na,1,Approved,?\nb,0,Declined,x\na,0,none,\nb,1,,\n")
    assert run("score", "binary.json", "log.csv").out == "a\t0.25\tno\nb\t0.5\tno\n"
    assert run("score", "binary.json", "log.csv", "--only").out == "0.25\n0.5\n"
    (here / "words.csv").write_text("customer id,word,label\n7,11,Approved\n8,01,\n")
    assert run("score", "binary.json", "words.csv").out == "11\t0.75\tyes\n01\t0.5\tno\n"
    assert run("score", "binary.json", "words.csv", "--id", "1").out == "7\t0.75\tyes\n8\t0.5\tno\n"


def test_names_in_the_first_line(run: Run, here: Path) -> None:
    (here / "odd.tsv").write_text("what\tend\n01\t1\n")
    assert run("info", "odd.tsv").err == (
        "cutpoint: odd.tsv: the table has 2 columns and no header with known names, so they must be given. Number them, "
        "as in --word 2 --accepted 1. Or pass --header if the first row has names.\n"
    )
    assert "lengths 2 to 2: 1 accepted" in run("info", "odd.tsv", "--header", "--word", "1", "--accepted", "2").out
    assert "3 distinct" in run("info", "-", "--no-header", given="text\nab\nb\n").out


def test_names_that_are_read_as_characters_are_told(here: Path) -> None:
    done = shell(r"printf 'buy\nlook\nbuy\n' | cutpoint info -", here)
    assert done.stderr == (
        "cutpoint: each character is a symbol: 'look' is a word of 4 symbols. Pass --separator ' ' if blanks separate "
        "symbols. Pass --separator '' if this is right.\n"
    )
    done = shell(r"printf 'buy\nlook\nbuy\n' | cutpoint info - --separator ' '", here)
    assert (done.stderr, "2 symbols, lengths 1 to 1" in done.stdout) == ("", True)


@searches
def test_fit_by_the_earlier_cases_and_score_as_it_was_fit(run: Run, here: Path) -> None:
    (here / "log.csv").write_text(LOG)
    reading = ["--positive", "Approved", "--gaps", "1d,1w", "--attributes", "goal", "--attributes", "amount:1000,3000"]
    done = run("fit", "log.csv", "-n", "2", "-o", "m.json", "--split-by", "Timestamp", "--json", *reading)
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert (told["learned_from"], told["held_out"]["observations"]) == (48, 12)
    names = {
        "goal=car",
        "goal=boat",
        "amount<1000",
        "amount>=1000",
        "amount>=3000",
        "wait>=1w",
        "submit",
        "check",
        "offer",
    }
    assert {*cp.load(here / "m.json").alphabet} == names
    scored = run("score", "m.json", "log.csv", "--json").out.splitlines()  # gaps and attributes are the model's
    assert [json.loads(line)["id"] for line in scored] == [str(k) for k in range(60)]
    sample = cp.read_sample(
        here / "log.csv", positive="Approved", gaps="1d,1w", attributes={"goal": None, "amount": [1000, 3000]}
    )
    expected = sample.per_case(cp.load(here / "m.json").acceptances(sample.words)).tolist()
    assert [json.loads(line)["acceptance"] for line in scored] == expected
    (here / "new.tsv").write_text("goal=car amount<1000 submit\n")
    assert run("score", "m.json", "new.tsv").code == 0
    split = cp.files.read_split(here / "log.csv", "Timestamp", 0.2, positive="Approved")
    assert split.training.ids == tuple(map(str, range(48)))
    assert split.validation.ids == tuple(map(str, range(48, 60)))


def test_score_keeps_one_line_per_word(run: Run, here: Path) -> None:
    cp.save(cp.Acceptor(1, ["a\tb", "c"], [[[1]], [[1]]], 0, {0}), here / "tab.json")
    (here / "tab.ndjson").write_text('{"word": ["c"]}\n{"word": ["a\\tb", "c"]}\n')
    assert run("score", "tab.json", "tab.ndjson") == (
        3,
        "",
        "cutpoint: tab.ndjson: line 2: the word holds a tab or a line feed. Use --json, or --only.\n",
    )
    assert json.loads(run("score", "tab.json", "tab.ndjson", "--json").out.splitlines()[1])["word"] == "a\tb c"


def test_scores_for_a_spreadsheet_hold_no_formulas(run: Run, here: Path) -> None:
    symbols = ["=1+1", "+x", "-x", "@x", " =x", "\uff1dx", 'a"=b', "c"]
    cp.save(cp.Acceptor(1, symbols, [[[1]]] * 8, 0, {0}), here / "odd.json", cut_point="1/2", classes=["-no", "=yes"])
    (here / "odd.ndjson").write_text("".join(json.dumps({"word": [symbol]}) + "\n" for symbol in symbols))
    assert run("score", "odd.json", "odd.ndjson", "-o", "scores.csv").code == 0
    header, *rows = csv.reader(io.StringIO((here / "scores.csv").read_text()))
    assert header == ["word", "acceptance", "accepted", "outcome"]
    assert [word for word, *_ in rows] == [*(f"'{symbol}" for symbol in symbols[:6]), 'a"=b', "c"]
    assert {tuple(row[1:]) for row in rows} == {("1.0", "True", "'=yes")}
    assert '"c",1.0,True,"\'=yes"\n' in (here / "scores.csv").read_text()  # texts in quotes, numbers without
    assert run("score", "odd.json", "odd.ndjson").out.splitlines()[0] == "=1+1\t1.0\t=yes"  # for programs: as it is
    (here / "words.tsv").write_text("0\n1\n")
    assert run("score", "gallery:parity", "words.tsv", "--log", "-o", "logs.csv").code == 0
    assert (here / "logs.csv").read_text() == '"word","log_acceptance"\n"0","\'-inf"\n"1",0.0\n'
    assert "a .csv file has columns" in run("score", "odd.json", "odd.ndjson", "-o", "scores.csv", "--only").err


def test_watch(run: Run, here: Path) -> None:
    given = '{"id": "a", "event": "1"}\n{"id": "a", "event": "x"}\n{"id": "a", "event": "1"}\n'
    done = run("watch", "binary.json", given=given)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        '{"line":1,"id":"a","events":1,"acceptance":0.5,"accepted":false}',
        "{\"line\":2,\"error\":\"symbol 'x' is not in the alphabet {'0', '1'}.\"}",
        '{"line":3,"id":"a","events":2,"acceptance":0.75,"accepted":true,"alarm":"above"}',
    ]
    assert run("watch", "binary.json", given=b"\xef\xbb\xbf" + given.encode()) == done
    skipped = run("watch", "binary.json", "--unknown", "skip", given=given).out.splitlines()[1:]
    assert skipped[0] == '{"line":2,"id":"a","events":2,"acceptance":0.5,"accepted":false}'
    strict = run("watch", "binary.json", "--strict", "--state", "cases", given=given)
    sentence = "cutpoint: standard input: line 2: symbol 'x' is not in the alphabet {'0', '1'}.\n"
    assert (strict.code, strict.out.count("\n"), strict.err) == (3, 1, sentence)
    again = run("watch", "binary.json", "--state", "cases", "--close", "1", given=given)
    assert (again.code, again.out) == (3, "")
    again = run(
        "watch", "binary.json", "--state", "cases", given='{"id": "a", "event": "1"}'
    )  # no line feed at the end
    assert '"line":2,"id":"a","events":2' in again.out
    late = run("watch", "binary.json", "--state", "cases", "--from-line", "9", given=given)
    assert late.err.endswith("cutpoint: --from-line must be at most 3, the line after the last known one; got 9.\n")
    assert run("watch", "binary.json", "--state", "cases", given="").err == "cases: 1 open case after 2 lines\n"


def test_accepts(run: Run) -> None:
    told = "".join(f"{word}\t{'yes' if binary(word) > Fraction(1, 2) else 'no'}\t{binary(word)}\n" for word in WORDS)
    assert run("accepts", "binary.json", *WORDS, "--exact") == (0, told, "")
    assert run("accepts", "binary.json", "-", "--exact", given="\n".join(WORDS)) == (0, told, "")
    assert run("accepts", "binary.json", "1", "--inclusive").out == "1\tyes\t0.5\n"
    assert json.loads(run("accepts", "binary.json", "1", "--json", "--exact").out) == {
        "word": "1",
        "accepted": False,
        "acceptance": "1/2",
    }
    assert run("accepts", "gallery:customers", "ad visit", "--cut-point", "0", "--exact").out.endswith("yes\t43/250\n")
    assert run("accepts", "gallery:customers", "ad,visit", "--cut-point", "0", "--separator", ",").code == 0


def test_unknown_symbols_follow_the_rule(run: Run, here: Path) -> None:
    assert run("score", "binary.json", "-", "--unknown", "skip", given="1x1\nx\n").out == "1x1\t0.75\tyes\nx\t0.0\tno\n"
    assert run("accepts", "binary.json", "1x1", "--unknown", "skip").out == "1x1\tyes\t0.75\n"
    assert run("convert", "binary.json", "skipping.json", "--unknown", "skip").code == 0
    assert run("score", "skipping.json", "-", given="1x1\n").out == "1x1\t0.75\tyes\n"
    assert run("score", "skipping.json", "-", "--unknown", "error", given="1x1\n").code == 3
    assert run("table", "skipping.json", "1x1").out == run("table", "binary.json", "11").out
    columns = ["--delimiter", ";", "--id", "who", "--order", "when", "--event", "what"]
    (here / "odd.csv").write_text("who;when;what\na;2;1\na;1;1\nb;1;9\n")
    assert run("score", "skipping.json", "odd.csv", *columns).out == "a\t0.75\tyes\nb\t0.0\tno\n"
    assert run("score", "binary.json", "-", "--unknown", "rare", given="1").err == (
        "cutpoint: --unknown 'rare' needs the symbol '\ufffd' in the alphabet, which learning makes of rare symbols. "
        "Learn from Sample.with_rare(). Or use --unknown 'skip'.\n"
    )


def test_score_calls_outcomes_by_their_names(run: Run, here: Path) -> None:
    cp.save(cp.p_adic(2), here / "named.json", cut_point="1/2", classes=["small", "large"])
    assert run("score", "named.json", "-", given="11\n01\n").out == "11\t0.75\tlarge\n01\t0.5\tsmall\n"
    told = json.loads(run("score", "named.json", "-", "--json", given="11\n").out)
    assert told == {"word": "11", "acceptance": 0.75, "accepted": True, "outcome": "large"}
    assert run("score", "named.json", "-", "--only", given="11\n").out == "0.75\n"
    three = cp.Acceptor(3, "ab", np.stack([np.roll(np.eye(3), 1, axis=1), np.eye(3)]), 0, {2})
    cp.save(three, here / "three.json", classes=["x", "y", 3], labels=["x", "y", 3])
    assert run("score", "three.json", "-", given="\nab\naa\n").out == "\t1.0\tx\nab\t1.0\ty\naa\t1.0\t3\n"
    told = json.loads(run("score", "three.json", "-", "--json", given="aab\n").out)
    assert told == {"word": "aab", "probability": 1.0, "outcome": 3}
    assert run("score", "three.json", "words.tsv", "--log").code == 2
    assert run("minimize", "three.json").err == (
        "cutpoint: three.json: of three and more classes, states of one class would be merged with others.\n"
    )
    (here / "ab.tsv").write_text("ab\naa\n")
    assert run("score", "three.json", "ab.tsv", "-o", "named.parquet").code == 0
    table = pl.read_parquet(here / "named.parquet")
    assert table.to_dict(as_series=False) == {"word": ["ab", "aa"], "probability": [1.0, 1.0], "outcome": ["y", "3"]}


def test_export(run: Run, here: Path) -> None:
    assert run("export", "binary.json", "-o", "model.js", "--unknown", "skip", "--cut-point", "3/4") == (
        0,
        "",
        "written to model.js.\n",
    )
    text = (here / "model.js").read_text()
    assert "// Unknown symbols are left out.\n" in text
    assert "export const cutPoint = 0.75;\n" in text
    columns = ["--table", "log", "--id", "who", "--order", "when", "--event", "what"]
    assert run("export", "binary.json", "-o", "model.sql", *columns).code == 0
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE log (who TEXT, "when" INT, what TEXT)')
        database.executemany("INSERT INTO log VALUES (?, ?, ?)", [("a", 2, "1"), ("a", 1, "1"), ("b", 0, None)])
        assert database.execute((here / "model.sql").read_text()).fetchall() == [("a", 0.75, 1), ("b", 0.0, 0)]
    database.close()
    assert run("export", "gallery:p_adic:2", "-o", "model.onnx").code == 0
    assert run("table", "binary.json", "1").out.splitlines()[-1].split() == ["1", "1", "1/2", "1/2", "1/2"]


@searches
def test_fit_along_learns_from_prefixes(run: Run, here: Path) -> None:
    rng = np.random.default_rng(1)
    good = rng.random(600) < 0.5
    yes = rng.random(600) < np.where(good, 0.9, 0.2)
    rows = [f"{int(y)}\tsubmit check {'good' if g else 'bad'}" for y, g in zip(yes, good, strict=True)]
    (here / "cases.tsv").write_text("\n".join(rows) + "\n")
    done = run("fit", "cases.tsv", "--along", "-n", "2", "--positive", "1", "-o", "along.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("2 states and 4 symbols, learned from all prefixes of 480 cases; model in")
    assert "on all prefixes of 120 cases held out" in done.out
    wrong = run("evaluate", "along.json", "cases.tsv", "--positive", "0")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.endswith("Error: the model predicts '1', so --positive must be the same; got '0'.\n")
    judged = run("evaluate", "along.json", "cases.tsv", "--positive", "1", "--report", "page.html").out
    assert judged.startswith("along.json on all prefixes of 600 cases of cases.tsv, ")
    assert "all prefixes of 600 cases" in (here / "page.html").read_text()
    counts = [row.split()[-1] for row in judged.partition("calibration\n")[2].splitlines()[1:]]
    assert sum(map(float, counts)) == pytest.approx(600, abs=0.5)  # one decimal each
    model = cp.read_model(here / "along.json")
    seen = model.acceptor.acceptances([[], ["submit"], ["submit", "check"], ["submit", "check", "good"]])
    np.testing.assert_allclose(seen, [0.55, 0.55, 0.55, 0.9], atol=0.06)
    assert model.metadata["learned_along"] is True
    told = json.loads(run("explain", "along.json", "submit check good", "--json").out)
    assert told["end"] == 0  # it forecasts by itself
    assert model.known_inputs.next_symbols(["submit"])["check"] > 0.95  # of whole cases
    for options, sentence in (
        (["--generator"], "--along is for acceptors: a generator forecasts by itself. Leave one of them out."),
        (["--holdout", "0"], ""),
    ):
        done = run("fit", "cases.tsv", "--along", "-n", "2", *options, "-o", "along.json")
        assert (done.code, sentence in done.err) == (2 if sentence else 0, True)


@searches
def test_fit_learns_rare_symbols_as_one(run: Run, here: Path) -> None:
    rows = [f"{k % 2}\tlook {'buy' if k % 2 else 'quit'}" for k in range(60)]
    (here / "rare.tsv").write_text("\n".join([*rows, *(f"1\tlook odd{k}" for k in range(9))]))
    fit = ["fit", "rare.tsv", "-n", "2", "--holdout", "0", "--positive", "1", "-o", "rare.json"]
    assert run(*fit, "--unknown", "rare", "--min-count", "3").code == 0
    model = cp.read_model(here / "rare.json")
    assert model.acceptor.alphabet == ("buy", "look", "quit", "<rare>")
    assert model.predict([["look", "never seen"], ["look", "quit"]]).tolist() == ["1", "0"]
    assert cp.forecast(model.acceptor, ["look", "never seen"], model.known_inputs) > 0.5
    assert run("score", "rare.json", "-", given="look zap\n").out.endswith("\t1\n")
    assert run(*fit, "--unknown", "rare", "--min-count", "1").err.startswith("cutpoint: no symbol is rare, so ")
    assert cp.load(here / "rare.json").alphabet.on_unknown == "skip"  # there is nothing to learn from
    assert run("fit", "rare.tsv", "-n", "2", "--unknown", "skip", "-o", "rare.json", "--test", "rare.tsv").code == 0
    assert cp.load(here / "rare.json").alphabet.on_unknown == "skip"


def test_bytes_that_are_no_text_are_told(here: Path) -> None:
    done = shell(r"printf '\377\n' | cutpoint accepts model.json -", here)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(r"cutpoint: word '\\xff', position 1: symbol")


def test_table(run: Run) -> None:
    rows = [[str(1 - binary(word)), str(binary(word))] for word in ("", "1", "11", "110")]
    told = json.loads(run("table", "binary.json", "110", "--json").out)
    assert told == {"states": ["s1", "s2"], "word": ["1", "1", "0"], "forward": rows}
    lines = run("table", "binary.json", "110").out.splitlines()
    assert [line.split()[-3:-1] for line in lines[1:]] == rows
    matrices = json.loads(run("table", "gallery:parity", "--json").out)
    assert matrices["transitions"] == {"0": [["1", "0"], ["0", "1"]], "1": [["0", "1"], ["1", "0"]]}
    assert run("table", "gallery:parity").out == f"{cp.gallery.parity().table()}\n"


def test_draw(run: Run, here: Path) -> None:
    assert run("draw", "model.json") == (0, f"{cp.drawing.to_dot(cp.gallery.parity())}\n", "")
    assert r"\begin{tikzpicture}" in run("draw", "model.json", "--format", "tikz").out
    done = run("draw", "model.json", "-o", "model.tex")
    assert (done.code, done.out, done.err) == (0, "", "written to model.tex.\n")
    assert (here / "model.tex").read_text().strip() == cp.drawing.to_tikz(cp.gallery.parity()).strip()


def test_draw_a_part_of_a_large_machine(run: Run) -> None:
    moves = {"step": {s: (s + 1) % 4_000 for s in range(4_000)}}
    cp.save(cp.Acceptor(4_000, ["step"], moves, 0, {3}), "large.drn")
    whole = run("draw", "large.drn")
    assert whole.code != 0
    assert "a picture of 4,000 states is too large; draw a part of it with --near STATE or --word WORD." in whole.err
    assert run("draw", "large.drn", "--near", "7", "--steps", "2").out.count('[label="7"]') == 1
    assert run("draw", "large.drn", "--word", "step step").code == 0


def test_simulate(run: Run, here: Path) -> None:
    first = run("simulate", "gallery:parity", "-n", "30", "--length", "3:5", "--seed", "4")
    assert first == run("simulate", "gallery:parity", "-n", "30", "--length", "3:5", "--seed", "4")
    rows = [line.split("\t") for line in first.out.splitlines()]
    assert len(rows) == 30
    assert all(int(outcome) == word.count("1") % 2 and 3 <= len(word) <= 5 for outcome, word in rows)
    other = run("simulate", "gallery:parity", "-n", "30", "--length", "3:5", "--seed", "5", "--json")
    assert [json.loads(line)["word"] for line in other.out.splitlines()] != [word for _, word in rows]
    done = run("simulate", "gallery:customers", "-n", "30", "-o", "some.ndjson")
    assert (done.code, done.out) == (0, "")
    assert cp.read_sample(here / "some.ndjson").total == 30


def test_compare(run: Run) -> None:
    assert run("compare", "model.json", "gallery:parity") == (0, "equal on all words\n", "")
    told = json.loads(run("compare", "model.json", "binary.json", "--json", "--max-length", "3").out)
    assert told["equal"] is False
    assert (told["word"], told["left"], told["right"]) == ("1", "1", "1/2")
    farthest = max(
        abs(word.count("1") % 2 - binary(word))
        for word in ("", *(f"{k:0{n}b}" for n in (1, 2, 3) for k in range(2**n)))
    )
    assert told["distance"]["value"] == str(farthest)
    cp.save(cp.Acceptor(1, "01", [[[1.0]], [[1.0]]], 0, {0}), "always.json")
    assert run("compare", "always.json", "gallery:parity").out == "different on '': 1 and 0, difference 1\n"
    assert json.loads(run("compare", "always.json", "gallery:parity", "--json").out)["left"] == 1.0
    truth = cp.gallery.customers()
    cp.save(truth.replace(transitions=truth.transitions[[1, 0, *range(2, truth.n_symbols)]]), "other.json")
    out = run("compare", "journeys.json", "other.json", "--max-length", "2").out
    assert re.match(r"different on '[a-z ]+': .*\n.* at '[a-z ]+'\n", out), out


def test_a_verdict_is_told_though_the_distance_is_too_far(run: Run, here: Path) -> None:
    cp.save(cp.random_acceptor(3, "abcde", rng=1), here / "first.json")
    steps = [[[1 - p, p], [p, 1 - p]] for p in (0.01, 0.02, 0.03, 0.04, 0.05)]
    cp.save(cp.Acceptor(2, "abcde", steps, 0, {1}), here / "slow.json")
    done = run("compare", "slow.json", "first.json", "--max-length", "100000")
    assert (done.code, done.out[:13]) == (3, "different on ")
    assert re.search(
        r"at length \d+ there are [\d,]+ words to keep; the limit is 100,000\. Stop earlier with --max-length \d+\.\n$",
        done.err,
    )
    assert run("compare", "slow.json", "slow.json", "--max-length", "100000").out == "equal on all words\n0 at ''\n"


def test_minimize(run: Run, here: Path) -> None:
    double = cp.mixture([cp.gallery.parity(), cp.gallery.parity()])
    cp.save(double, here / "double.json", cut_point="1/3")
    told = json.loads(run("minimize", "double.json", "-o", "smaller.json", "--json").out)
    assert told == {"states": 4, "lumped": 2, "dimension": 2}
    assert cp.read_model(here / "smaller.json").cut_point == Fraction(1, 3)
    assert run("compare", "double.json", "smaller.json").out == "equal on all words\n"


def test_rows_that_are_off_are_rescaled_by_the_program_too(run: Run, here: Path) -> None:
    row = 'p -> q [label="a: 1/4"] p -> p [label="a: 1/4"] q -> q [label=a]'
    (here / "off.dot").write_text(f"digraph {{ i [shape=none] i -> p {row} }}")
    done = run("convert", "off.dot", "off.json")
    assert (done.code, done.err.split("got 1/2. ")[1]) == (
        3,
        "Write probabilities as in a, b: 1/2, or use --normalized to rescale rows.\n",
    )
    assert run("convert", "off.dot", "off.json", "--normalized").code == 0
    assert cp.load(here / "off.json") == cp.Acceptor("pq", "a", {"a": [["1/2", "1/2"], [0, 1]]}, "p", set())
    (here / "off.att").write_text("0 0 a 0\n0 0 b 1\n0\n")
    assert f" U{RESCALE[1:]}\n" in run("info", "off.att").err


def test_convert(run: Run, here: Path) -> None:
    assert run("convert", "binary.json", "packed.json.gz") == (0, "", "written to packed.json.gz.\n")
    kept = cp.read_model(here / "packed.json.gz")
    assert (kept.acceptor, kept.cut_point) == (cp.p_adic(2), Fraction(1, 2))
    assert run("convert", "model.json", "model.drn", "--bare", "--rounded").code == 0
    assert run("convert", "binary.json", "model.dot", "--bare") == (0, "", "written to model.dot.\n")
    assert cp.load(here / "model.dot") == cp.load(here / "binary.json")
    assert json.loads(run("info", "model.dot", "--json").out)["exact"] is True
    assert "TikZ is a picture" in run("convert", "binary.json", "model.tikz", "--bare").err
    assert run("draw", "model.dot", "-o", "picture.dot").code == 0
    assert (here / "picture.dot").read_text().strip() == cp.drawing.to_dot(cp.p_adic(2))
    assert cp.load(here / "model.drn").acceptances(WORDS).tolist() == [word.count("1") % 2 for word in WORDS]
    done = shell("cat binary.json | cutpoint convert - again.json --cut-point 1/7 && cutpoint info again.json", here)
    assert done.stdout.splitlines()[1] == "cut point: 1/7"


def test_info(run: Run) -> None:
    told = json.loads(run("info", "model.json", "--json").out)
    assert told == {
        "kind": "model",
        "machine": "acceptor",
        "states": 2,
        "symbols": 2,
        "alphabet": ["0", "1"],
        "final": ["odd"],
        "exact": True,
        "cut_point": "1/2",
        "classes": None,
        "unknown": "error",
        "inputs": None,
        "metadata": {"author": "somebody"},
    }
    assert run("info", "model.json").out.splitlines()[1:] == ["cut point: 1/2", "author: somebody"]
    assert run("info", "-", given=Path("model.json").read_bytes()).out == run("info", "model.json").out
    seen = run("info", "-", "--format", "ndjson", given='{"word": "ab", "accepted": true}\n')
    assert seen.out.startswith("Sample(1 observation")
    data = json.loads(run("info", "-", "--json", given="1\tab\n0\tb\n1\tab\n").out)
    counts = {"observations": 3, "distinct": 2, "symbols": 2, "shortest": 1, "longest": 2, "accepted": 2, "rejected": 1}
    assert data == {"kind": "data", "alphabet": ["a", "b"]} | counts


SECTIONS = [
    "How good it is",
    "Can its probabilities be believed?",
    "Which events make the difference",
    "What it learned",
    "Cases it is surest of",
]


def test_evaluate(run: Run, here: Path) -> None:
    """Parity: 011 is even and rejected, 10 odd and accepted, 1 odd and yet rejected; 11 has no outcome."""
    done = run("evaluate", "model.json", "test.tsv", "--report", "page.html", "--positive", "1")
    assert done.code == 0
    first, _, *figures = done.out.splitlines()
    assert first == "model.json on 3 cases of test.tsv, 33.3 % 1"
    assert [" ".join(line.split()) for line in figures[:4]] == [
        "log loss inf 0.6365",
        "Brier score 0.3333 0.0000 to 1.0000 0.2222",
        "AUC 0.7500 0.5000 to 1.0000 0.5000",
        "accuracy at 0.5 0.6667 0.0000 to 1.0000 0.6667",
    ]
    page = (here / "page.html").read_text()
    assert [*SECTIONS, "Cases it is most wrong about"] == re.findall("<h2>(.*?)</h2>", page)
    assert "<h1>model.json on test.tsv</h1>" in page
    told = json.loads(run("evaluate", "binary.json", "-", "--json", given=(here / "test.tsv").read_bytes()).out)
    assert (told["data"], told["observations"], told["judged"], told["cut_point"]) == ("standard input", 3, 3, 0.5)
    assert told["log_loss"] == pytest.approx(-math.log((1 - 3 / 4) * (1 / 4) * (1 / 2)) / 3)
    assert told["brier_score"] == pytest.approx((9 / 16 + 9 / 16 + 1 / 4) / 3)
    assert set(told["intervals"]) == {"log_loss", "brier_score", "auc", "accuracy"}
    assert told["baselines"]["mean"]["log_loss"] == pytest.approx(-(math.log(1 / 3) + 2 * math.log(2 / 3)) / 3)
    assert sum(each["count"] for each in told["calibration"]) == 3


def test_an_infinite_figure_is_told_and_explained(run: Run, here: Path) -> None:
    (here / "wrong.tsv").write_text("0\t1\n1\t11\n1\t1\n")
    told = json.loads(run("evaluate", "model.json", "wrong.tsv", "--json").out)
    assert told["log_loss"] is None
    assert told["null"] == {"log_loss": "infinite: something happened to which the model gives probability 0"}
    sample = cp.read_sample("wrong.tsv")
    learned = dataclasses.replace(cp.learn(sample, n_states=2, rng=1), model=cp.load("model.json"))
    summary = FitSummary(learned, sample, sample, CutPointChoice(0.5, "as given"), 3.0)
    assert summary.figures["log_loss"] == told["null"]["log_loss"]
    assert summary.figures["accuracy"] == told["accuracy"]


def test_evaluate_judges_verdicts_along_words(run: Run, here: Path) -> None:
    rows = [{"word": "11", "verdicts": [None, True, None]}, {"word": "1", "verdicts": [False, True]}]
    (here / "along.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(run("evaluate", "binary.json", "along.ndjson", "--json").out)
    assert (told["observations"], told["judged"]) == (2, 3)
    assert told["log_loss"] == pytest.approx(2 * math.log(2) / 3)
    told = json.loads(run("evaluate", "binary.json", "along.ndjson", "--json", "--last").out)
    assert (told["observations"], told["judged"], told["base_rate"]) == (2, 2, 1.0)
    assert run("evaluate", "binary.json", "along.ndjson").out.startswith("binary.json on 3 verdicts on 2 cases of")


def test_evaluate_takes_generators(run: Run, here: Path) -> None:
    """Two coins make a word of one symbol each: P(accepted | a) = 1/3 by Bayes' rule, P(accepted | b) = 2/3."""
    moves = {"a": [[0, "1/6", "2/6"], [0, 0, 0], [0, 0, 0]], "b": [[0, "2/6", "1/6"], [0, 0, 0], [0, 0, 0]]}
    cp.save(cp.Generator(["start", "yes", "no"], "ab", moves, "start", [0, 1, 1], {"yes"}), here / "coins.json")
    (here / "coins.tsv").write_text("1\ta\n1\tb\n0\tb\n\ta\n")
    told = json.loads(run("evaluate", "coins.json", "coins.tsv", "--report", "page.html", "--json").out)
    assert told["log_loss"] == pytest.approx(-math.log((1 / 3) * (2 / 3) * (1 / 3)) / 3)
    assert (told["observations"], told["accuracy"]) == (3, 1 / 3)
    assert "Cases it is surest of" in (here / "page.html").read_text()


def test_evaluate_by_groups_and_periods(run: Run, here: Path) -> None:
    """The outcome is the parity of a word until May, and its opposite from then on."""
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(200)]
    rows = [(day, f"{k:08b}", int((f"{k:b}".count("1") + (day.month > 4)) % 2)) for k, day in enumerate(days)]
    table = [f"{word},{outcome},{day},{'even' if k % 2 == 0 else ''}\n" for k, (day, word, outcome) in enumerate(rows)]
    (here / "dated.csv").write_text("word,accepted,day,kind\n" + "".join(table))
    done = run("evaluate", "model.json", "dated.csv", "--by", "day", "--report", "page.html")
    assert (done.code, done.err) == (0, "")
    lines = done.out.partition("by day\n")[2].splitlines()
    assert [line.split()[0] for line in lines[1:8]] == [f"2024-0{month}" for month in range(1, 8)]
    assert [line.split()[1] for line in lines[1:8]] == ["31", "29", "31", "30", "31", "30", "18"]
    assert all("0.0000 to 0.0000" in line for line in lines[1:5])
    assert all("inf" in line and "1.0000 to 1.0000" in line for line in lines[5:8])
    assert all(line.endswith(" *") for line in lines[1:8])
    assert "<h2>By day</h2>" in (here / "page.html").read_text()
    assert "one in twenty" in lines[-1]
    assert "one in twenty" not in run("evaluate", "gallery:parity", "dated.csv", "--by", "kind").out
    told = json.loads(run("evaluate", "model.json", "dated.csv", "--by", "kind", "--json").out)
    assert [(each["group"], each["observations"]) for each in told["groups"]] == [("even", 100), ("(missing)", 100)]
    assert told["observations"] == 200
    events = "who,when,what,sold,shop\na,1,1,1,x\na,2,0,1,y\nb,1,1,0,y\nb,2,1,0,x\nc,1,0,0,x\n"
    (here / "shops.csv").write_text(events)
    line = ["--id", "who", "--order", "when", "--event", "what", "--outcome", "sold", "--by", "shop", "--json"]
    told = json.loads(run("evaluate", "model.json", "shops.csv", *line).out)
    assert [(each["group"], each["observations"]) for each in told["groups"]] == [("x", 2), ("y", 1)]  # of first events
    assert told["accuracy"] == 1.0
    wrong = (
        "dated.csv: --by must be one of the columns {'word', 'accepted', 'day', 'kind'}; got 'dya'. Did you mean 'day'?"
    )
    assert run("evaluate", "model.json", "dated.csv", "--by", "dya") == (3, "", f"cutpoint: {wrong}\n")
    wrong = "--by must be a column of at most 30 different values, or of numbers or dates; 'who' has 31 values."
    (here / "many.csv").write_text("word,accepted,who\n" + "".join(f"1,1,p{k}\n" for k in range(31)))
    assert run("evaluate", "model.json", "many.csv", "--by", "who") == (3, "", f"cutpoint: {wrong}\n")
    (here / "none.csv").write_text("word,accepted,count\n1,1,0\n")
    wrong = "cutpoint: none.csv: at least one observation must have a positive count; none has.\n"
    assert run("evaluate", "model.json", "none.csv") == (3, "", wrong)


def test_evaluate_of_shards_and_of_baselines(run: Run, here: Path) -> None:
    assert run("simulate", "gallery:parity", "-n", "50", "-o", "parity.tsv").code == 0
    assert run("shard", "parity.tsv", "-o", "shards", "--observations", "9").code == 0
    table, shards = (
        json.loads(run("evaluate", "binary.json", data, "--json").out) for data in ("parity.tsv", "shards")
    )
    for key in ("observations", "judged", "base_rate", "log_loss", "brier_score", "auc", "accuracy"):
        assert shards[key] == pytest.approx(table[key], rel=1e-12)
    for option in (["--report", "page.html"], ["--baseline", "parity.tsv"], ["--by", "day"]):
        done = run("evaluate", "binary.json", "shards", *option)
        assert (done.code, f"{option[0]} is for tables, and shards is a folder of shards." in done.err) == (2, True)
    told = json.loads(run("evaluate", "binary.json", "test.tsv", "--baseline", "parity.tsv", "--json").out)
    assert set(told["baselines"]) == {"mean", "n_grams"}
    code = "import sys; sys.modules.update(dict.fromkeys(['sklearn'])); from cutpoint.cli import main; main()"
    line = ["evaluate", "binary.json", "test.tsv", "--baseline", "parity.tsv"]
    alone = subprocess.run([sys.executable, "-c", code, *line], cwd=here, capture_output=True, text=True, check=True)
    assert "1-4-grams" not in alone.stdout
    assert 'pip install "cutpoint[sklearn]"' in alone.stderr


# --- learning ---------------------------------------------------------------------------------------------------------


@searches
def test_fit(run: Run, here: Path) -> None:
    assert run("simulate", "gallery:parity", "-n", "300", "-o", "parity.tsv").code == 0
    done = run("fit", "parity.tsv", "-n", "2", "-o", "fit.json", "--report", "page.html", "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert (told["states"], told["symbols"], told["learned_from"], told["stop"]) == (2, 2, 240, "searched")
    assert told["held_out"]["observations"] == 60
    assert told["held_out"]["auc"] == told["held_out"]["accuracy"] == 1.0
    assert told["held_out"]["log_loss"] < 0.01
    assert 0.68 < told["held_out"]["baselines"]["mean"]["log_loss"] < 0.7
    assert {each["event"] for each in told["credit"]["events"]} == {"0", "1"}
    assert told["credit"]["cases"] == 240
    kept = cp.read_model(here / "fit.json")
    assert kept.metadata["held_out_log_loss"] == told["held_out"]["log_loss"]
    assert kept.metadata["data"] == "parity.tsv"
    assert kept.inputs is not None
    assert cp.forecast(kept.acceptor, "1", kept.inputs) == pytest.approx(0.5, abs=0.2)
    assert "law of inputs: a generator of 8 states" in run("info", "fit.json").out
    scored = run("score", "fit.json", "-", given="1\n11\n10101\n").out
    assert [line.split("\t")[2] for line in scored.splitlines()] == ["yes", "no", "yes"]
    page = (here / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert not re.search(r'(?:src|href)=(?!"data:)', page)  # nothing is loaded from elsewhere
    assert set(SECTIONS) <= set(re.findall(r"<h2>(.*?)</h2>", page))
    assert " cases of parity.tsv; judged by others, held out" in page


@searches
def test_what_is_judged_by_must_have_outcomes_and_be_given_once(run: Run, here: Path) -> None:
    assert run("simulate", "gallery:parity", "-n", "60", "-o", "parity.tsv").code == 0
    done = run("fit", "parity.tsv", "-n", "2", "-o", "fit.json", "--test", "new.tsv")
    assert (done.code, done.out) == (3, "")
    sentence = "cutpoint: new.tsv: a sample to judge by must have outcomes; this one has words alone. Add the outcomes"
    assert done.err.startswith(f"{sentence} with --accepted, ")
    assert run("evaluate", "model.json", "new.tsv").err == done.err
    assert not (here / "fit.json").exists()
    assert run("shard", "parity.tsv", "-o", "shards").code == 0
    for line, why in (
        (["parity.tsv", "--test", "test.tsv"], "--test names the words to judge by"),
        (["shards"], "of a folder of shards nothing is held out"),
    ):
        done = run("fit", *line, "-n", "2", "-o", "fit.json", "--holdout", "0.3")
        assert done.code == 2
        assert f"--holdout takes words from DATA, but {why}. Leave it out.\n" in done.err
    done = run("fit", "parity.tsv", "-n", "2", "-o", "fit.json", "--test", "test.tsv", "--baseline", "--json")
    told = json.loads(done.out)["held_out"]
    assert told["observations"] == 3  # the fourth word has no outcome
    assert set(told["baselines"]) == {"mean", "n_grams"}


@searches
def test_the_report_uses_the_name_of_the_outcome(run: Run, here: Path) -> None:
    rows = (f"{k},{k:b},{'Approved' if k % 2 else 'Declined'}\n" for k in range(40))
    (here / "named.csv").write_text("id,word,accepted\n" + "".join(rows))
    line = ["fit", "named.csv", "--positive", "Approved", "-n", "2", "-o", "named.json", "--report", "named.html"]
    assert run(*line, "--separator", "").code == 0
    page = (here / "named.html").read_text()
    assert "have the outcome “Approved”." in page
    cases = re.findall(r"<h3>Case (\d+): (.*?); predicted .*? % Approved</h3><p[^>]*>([01]+)</p>", page)
    assert {outcome for _, outcome, _ in cases} == {"Approved", "Declined"}
    for number, outcome, word in cases:
        assert (f"{int(number):b}", "Approved" if int(number) % 2 else "Declined") == (word, outcome)
    assert cp.load(here / "named.json").model.classes == ("Declined", "Approved")
    (here / "named.csv").write_text((here / "named.csv").read_text() + "41,101,Withdrawn\n")
    assert run(*line, "--separator", "").code == 0
    assert cp.load(here / "named.json").model.classes == ("not Approved", "Approved")


@searches
def test_fit_needs_no_extra(here: Path) -> None:
    extras = ["sklearn", "pandas", "polars", "pyarrow", "matplotlib", "pygraphviz", "automata"]
    code = f"import sys; sys.modules.update(dict.fromkeys({extras!r})); from cutpoint.cli import main; main()"
    line = ["fit", "few.tsv", "-n", "2", "-o", "few.json", "--holdout", "0", "--report", "few.html"]
    done = subprocess.run([sys.executable, "-c", code, *line], cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert 'pip install "cutpoint[plot]"' in (here / "few.html").read_text()


@searches
def test_fit_of_events_with_odd_names_prints_in_bounds(run: Run, here: Path) -> None:
    long, tag = "x" * 300, "<script>alert(1)</script>"
    rows = [
        (k, j, event, int(tag in word))
        for k, word in enumerate([[tag, long], [long, long], [tag], [long]] * 10)
        for j, event in enumerate(word)
    ]
    (here / "odd.csv").write_text("id,time,event,sold\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    done = run(
        "fit",
        "odd.csv",
        "-n",
        "2",
        "--outcome",
        "sold",
        "--team",
        "7",
        "-o",
        "odd.npz",
        "--report",
        "odd.html",
        "--holdout",
        "0.5",
    )
    assert (done.code, done.err) == (0, "")
    assert "credit of events" in done.out
    assert "on 20 cases held out\n" in done.out
    assert max(map(len, done.out.splitlines())) < 120
    assert "<script" not in (here / "odd.html").read_text()
    assert cp.load(here / "odd.npz").n_states == 14


@searches
def test_fit_without_anything_held_out(run: Run) -> None:
    done = run("fit", "few.tsv", "-n", "2", "-o", "few.json", "--holdout", "0")
    assert done.code == 0
    assert done.out.startswith("2 states and 2 symbols, learned from 2 cases; model in few.json\n")
    assert "\ncut point 0.5: fewer than 20 cases of one outcome are too few to choose another\n\n" in done.out
    assert "held out" not in done.out
    tested = run("fit", "few.tsv", "-n", "2", "-o", "few.json", "--test", "few.tsv")
    assert "\non 2 cases held out\n" in tested.out


@searches
def test_fit_warns_in_a_sentence(here: Path) -> None:
    (here / "small.tsv").write_text("1\tb\n0\tbb\n1\tab\n0\ta\n" * 10)
    done = shell("cat small.tsv | cutpoint fit - -n 4 --holdout 0 -o m.json", here)
    assert (done.returncode, cp.read_model(here / "m.json").metadata["data"]) == (0, "standard input")
    assert re.fullmatch(r"cutpoint: \d of 4 states are never used \(\{.*\}\): fewer would do\.\n", done.stderr)


@searches
def test_fit_out_of_time_keeps_the_best(run: Run, here: Path) -> None:
    done = run("fit", "journeys.tsv", "-o", "m.json", "--time-limit", "0.001")
    assert done.code == 4
    sentence = "the time ran out before convergence; the model is the best so far. Allow more time."
    assert done.err == f"cutpoint: time limit: {sentence}\n"
    assert cp.load(here / "m.json").n_symbols == 5


@searches
def test_ctrl_c_keeps_the_best(here: Path) -> None:
    assert shell("cutpoint simulate gallery:tomita:4 -n 5000 --length 1:15 -o big.tsv", here).returncode == 0
    command = ["cutpoint", "fit", "big.tsv", "-o", "m.json", "--checkpoint", "search"]
    searching = subprocess.Popen(
        command, cwd=here, env=environment(here), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (here / "search").exists() and searching.poll() is None:
        time.sleep(0.02)
    searching.send_signal(signal.SIGINT)
    out, err = searching.communicate(timeout=120)
    assert searching.returncode == 4
    assert err == "cutpoint: interrupted: stopped by the user; the model is the best so far.\n"
    assert "model in m.json\n" in out
    assert cp.read_model(here / "m.json").metadata["stop"] == "interrupted"


READY = "import cutpoint.cli as cli; cli.leave_on_interrupt(); print('ready', flush=True); cli.main()"
"""The program, which tells when it is ready for an interrupt: before anything of weight is loaded."""


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5])
def test_ctrl_c_ends_in_a_sentence_whenever_it_comes(delay: float, here: Path) -> None:
    (here / "many.tsv").write_text("0110\n" * 300_000)
    line = [sys.executable, "-c", READY, "score", "binary.json", "many.tsv", "-o", "scores.tsv"]
    scoring = subprocess.Popen(line, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert scoring.stdout is not None
    assert scoring.stdout.readline() == "ready\n"
    time.sleep(delay)
    scoring.send_signal(signal.SIGINT)
    _, err = scoring.communicate(timeout=120)
    assert (scoring.returncode, err) in ((130, "\ncutpoint: interrupted.\n"), (0, ""))
    assert not list(here.glob(".*.part"))


SWALLOWING = """
import contextlib, os, signal, time
with contextlib.suppress(BaseException):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
"""
"""A module whose loading takes an exception for something else, as loaders of compiled modules do."""


def test_ctrl_c_while_modules_load_leaves_at_once() -> None:
    hooked = f"import cutpoint.cli.app as app; app.import_module = lambda name: exec({SWALLOWING!r}); {READY}"
    done = subprocess.run([sys.executable, "-c", hooked, "score"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "ready\n", "\ncutpoint: interrupted.\n")


def test_an_ignored_interrupt_stays_ignored(here: Path) -> None:
    done = shell("trap '' INT; cutpoint score binary.json words.tsv & sleep 0.2; kill -INT $!; wait $!", here)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", len(WORDS))


def test_the_program_as_a_module(here: Path) -> None:
    line = [sys.executable, "-m", "cutpoint", "accepts", "binary.json", "11"]
    done = subprocess.run(line, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "11\tyes\t0.75\n", "")


# --- pipes and terminals ----------------------------------------------------------------------------------------------


def test_pipes(here: Path) -> None:
    done = shell(
        "cutpoint simulate gallery:p_adic:2 -n 50 | cut -f2 | cutpoint score gallery:p_adic:2 - | sort -u", here
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) > 20
    assert all(float(value) == binary(word) for word, value in rows)


def test_a_reader_who_leaves_is_no_error(here: Path) -> None:
    (here / "many.tsv").write_text("0110\n" * 300_000)
    done = shell("cutpoint score binary.json many.tsv | head -1", here)
    assert (done.stdout, done.stderr) == ("0110\t0.375\tno\n", "")
    done = shell(
        "{ sleep 0.3; cutpoint table gallery:parity; } | true", here, PYTHONUNBUFFERED=""
    )  # gone before the first line
    assert (done.stdout, done.stderr) == ("", "")


CLOSED = "cutpoint: standard output is closed. Send it to a file, or to /dev/null if it is not wanted.\n"


def test_streams_that_are_closed(here: Path) -> None:
    done = shell("cutpoint table binary.json >&-", here)
    assert (done.returncode, done.stderr) == (1, CLOSED)
    for verb in ("score binary.json -", "info -"):
        done = shell(f"cutpoint {verb} <&-", here)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", "cutpoint: standard input: the file is empty.\n")
    done = shell("cutpoint accepts binary.json 11 2>&-", here)
    assert (done.returncode, done.stdout, done.stderr) == (0, "11\tyes\t0.75\n", "")
    done = shell("cutpoint convert binary.json copy.json 2>&-", here)
    assert (done.returncode, cp.load(here / "copy.json")) == (0, cp.p_adic(2))
    assert shell("cutpoint table nothing.json >&- 2>&- <&-", here).returncode == 1


def test_output_that_a_locale_cannot_show(here: Path) -> None:
    done = shell("cutpoint table gallery:parity", here, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\u2192" in done.stdout


def seen_in_terminal(line: str, folder: Path, **more: str) -> tuple[str, int]:
    """What a terminal shows of the standard error of a command."""
    mine, its = pty.openpty()
    done = subprocess.Popen(["sh", "-c", line], cwd=folder, env=environment(folder, TERM="xterm", **more), stderr=its)
    os.close(its)
    shown = b"".join(iter(lambda: _read(mine), b""))
    os.close(mine)
    return shown.decode(), done.wait()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side has closed it
        return b""


@searches
def test_a_terminal_sees_progress_and_a_pipe_does_not(here: Path) -> None:
    line = "cutpoint fit journeys.tsv -n 2 -o m.json --json --time-limit 0.01 > told.json"
    shown, code = seen_in_terminal(line, here)
    assert code == 4
    assert re.search(r"2 states, fold 1 of 5, held-out log loss 0\.\d{4}, about 0 s left", shown)
    assert "\x1b[3" in shown  # colors
    assert json.loads((here / "told.json").read_text())["states"] == 2
    shown, code = seen_in_terminal(line, here, NO_COLOR="1")
    assert "held-out log loss" in shown
    assert not re.search(r"\x1b\[[\d;]*3\d[\d;]*m", shown)
    done = shell(line, here)
    assert (done.returncode, done.stdout) == (4, "")
    assert re.fullmatch(r"cutpoint: time limit: .*\n", done.stderr)


def test_rows_are_counted_in_a_terminal(here: Path) -> None:
    (here / "many.tsv").write_text("0110\n" * 100_000)
    shown, code = seen_in_terminal("cutpoint score binary.json many.tsv > scores.tsv", here)
    assert code == 0
    assert "100,000 rows" in shown
    assert (here / "scores.tsv").read_text() == "0110\t0.375\tno\n" * 100_000


# --- the page ---------------------------------------------------------------------------------------------------------


@searches
def test_the_page_shows_what_the_program_does(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "cli.md"
    shown = console_lines(page.read_text())
    assert {verb for verb in VERBS if any(f"cutpoint {verb}" in command for command, _ in shown)} == set(VERBS) - {
        "demo",
        "workbench",  # which goes on until it is ended
    }
    for command, output in shown:
        done = shell(f"({command}) 2>&1", tmp_path)
        assert same_output(output, done.stdout), f"$ {command}\n{done.stdout}"


def test_outputs_that_differ_are_noticed() -> None:
    assert same_output("a 0.501\nb", "a 0.502\nb\n")
    assert same_output("a\n...", "a\nb\n")
    assert not same_output("a 0.50\nb", "a 0.52\nb\n")
    assert not same_output("a 5", "a 6")
    assert not same_output("a\n...", "b\na\n")


@pytest.fixture(autouse=True)
def no_terminal_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help and errors wrap as they do in a pipe."""
    monkeypatch.setenv("COLUMNS", "80")
