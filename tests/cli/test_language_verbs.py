"""The verbs about languages: words, count, dfa, isolation and value, and what they say of wrong input."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from flint import fmpz

import cutpoint as cp
from cutpoint.cli.app import _exit_code
from tests.cli.test_cli import Done, Run

HALF = ("gallery:p_adic:2", "--cut-point", "1/2")
A = cp.p_adic(2)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program within this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: Done(_exit_code(arguments), *capsys.readouterr())


@pytest.mark.parametrize(
    ("option", "relation"), [((), ">"), (("--inclusive",), ">="), (("--equal",), "="), (("--not-equal",), "!=")]
)
def test_words_counts_and_verdicts_are_those_of_the_language(option: tuple[str, ...], relation: str, run: Run) -> None:
    language = cp.Language(A, "1/2", relation=relation)  # type: ignore[arg-type]
    words = list(language.words(4))
    assert run("words", *HALF, *option, "--max-length", "4").out.splitlines() == words
    assert [json.loads(line) for line in run("words", *HALF, *option, "-n", "3", "--json").out.splitlines()] == words[
        :3
    ]
    told = run("count", *HALF, *option, "3", "60").out
    assert told == f"3\t{language.count(3)}\n60\t{language.count(60)}\n"
    verdicts = [
        line.split("\t")[1] for line in run("accepts", *HALF[:1], "0", "1", "11", *HALF[1:], *option).out.splitlines()
    ]
    assert verdicts == ["yes" if word in language else "no" for word in ("0", "1", "11")]


def test_words_of_longer_symbols(run: Run) -> None:
    told = run("words", "gallery:customers", "--cut-point", "3/5", "--max-length", "2").out.splitlines()
    assert told == [" ".join(map(str, word)) for word in cp.Language(cp.gallery.customers(), "3/5").words(2)]


def test_long_numbers_are_printed(run: Run) -> None:
    """Python prints no whole number of more than 4,300 digits unless it is told to."""
    odd, digits = ("count", "gallery:parity", "14400", "--cut-point", "1/2"), str(fmpz(2) ** 14_399)
    assert run(*odd).out == f"14400\t{digits}\n"
    assert run(*odd, "--json").out == f'{{"length": 14400, "count": {digits}}}\n'
    exact = run("accepts", "gallery:p_adic:2", "1" * 15_000, "--cut-point", "1/3", "--exact").out
    assert len(exact.split("\t")[-1]) > 9000


def test_a_dfa_is_printed_saved_and_drawn(run: Run, tmp_path: Path) -> None:
    dfa = cp.Language(A, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    told = json.loads(run("dfa", *HALF, "--json").out)
    assert told == {
        "states": dfa.n_states,
        "final": sorted(dfa.final),
        "transitions": [{"0": row[0], "1": row[1]} for row in dfa.transitions],
    }
    rows = [line.split("\t") for line in run("dfa", *HALF).out.splitlines()]
    assert rows == [["state", "0", "1", "final"]] + [
        [str(s), *map(str, row), "yes" if s in dfa.final else "no"] for s, row in enumerate(dfa.transitions)
    ]
    assert run("dfa", *HALF, "-o", "half.json").err == "written to half.json.\n"
    assert cp.load(tmp_path / "half.json") == dfa.to_acceptor()
    assert run("accepts", "half.json", "11").out == "11\tyes\t1.0\n"  # the cut point is in the file
    assert run("dfa", *HALF, "-o", "half.dot").code == 0
    assert "digraph" in (tmp_path / "half.dot").read_text()


def test_what_is_not_decided_is_said(run: Run) -> None:
    found = run("dfa", "gallery:majority", "--cut-point", "1/2", "--max-states", "50")
    assert found.code == 1
    assert found.out.startswith("unknown: 50 residuals at the cut point 1/2 were explored")
    assert "--isolated can prove the DFA" in found.out
    found = run("dfa", "gallery:majority", "--cut-point", "1/2", "--max-states", "50", "--isolated", "--json")
    assert (found.code, json.loads(found.out)["explored"]) == (1, 50)
    assert found.err == "cutpoint: the cut point was not proven to be isolated; residuals are explored.\n"
    limited = run("count", "gallery:majority", "40", "--cut-point", "1/2", "--limit", "5")
    assert (limited.code, limited.err.startswith("cutpoint: 5 columns were explored")) == (3, True)


def test_isolation_and_value(run: Run, tmp_path: Path) -> None:
    cp.save(cp.p_adic(3).restricted("02"), tmp_path / "cantor.json")
    told = run("isolation", "cantor.json", "--cut-point", "1/2").out.splitlines()
    assert told[1] == "proven 1/6 for all words; a DFA needs at most 4 states"
    facts = json.loads(run("isolation", "cantor.json", "--cut-point", "1/2", "--json").out)
    assert (facts["proven"], facts["distance"], facts["rabin_bound"], facts["paz_bound"]) == ("1/6", "1/6", 7, 4)
    assert run("dfa", "cantor.json", "--cut-point", "1/2", "--isolated").out.count("\n") == 3
    facts = json.loads(run("value", "gallery:gambler:4:2/5", "--max-length", "4", "--json").out)
    assert facts == {"lower": "148/625", "word": "pppp", "upper": "4/13"}
    assert Fraction(facts["lower"]) == cp.gallery.gambler(4, "2/5").exact_acceptance("pppp")


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("words gallery:parity", 2, "the model has no cut point of its own; give one with --cut-point"),
        ("words nothing.json --cut-point 1/2", 3, "nothing.json: cannot be read (No such file or directory)."),
        ("words gallery:parity --cut-point 2", 3, "a cut point must be a number between 0 and 1; got '2'."),
        (
            "words gallery:parity --cut-point x",
            3,
            "a cut point must be a finite number or a string such as '1/3'; got 'x'.",
        ),
        ("words gallery:parity --cut-point 1/2 --max-length -1", 2, "-1 is not in the range x>=0."),
        ("count gallery:parity --cut-point 1/2", 2, "Missing argument 'LENGTHS...'."),
        ("count gallery:parity 1000000 --cut-point 1/2", 2, "1000000 is not in the range 0<=x<=100000."),
        ("dfa gallery:parity --cut-point 1/2 -o x.bmp", 3, "x.bmp"),
        ("dfa gallery:random_acceptor:3:ab:1 --cut-point 1/2", 3, "rows that sum to exactly 1"),
        ("isolation gallery:parity --cut-point 1/2 --max-states 0", 2, "0 is not in the range x>=1."),
        ("value nothing", 3, "nothing: there is no such file."),
        ("value gallery:parity --limit 0", 2, "0 is not in the range x>=1."),
    ],
)
def test_wrong_input_gets_a_sentence(line: str, code: int, sentence: str, run: Run) -> None:
    done = run(*line.split())
    assert done.code == code
    assert sentence in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("verb", ["to_dfa", "to-dfa"])
def test_the_name_in_the_library_is_a_verb_too(verb: str, run: Run) -> None:
    assert run(verb, *HALF).out == run("dfa", *HALF).out
    assert "--max-states" in run(verb, "--help").out
    assert "Did you mean 'dfa'?" in run("dfaa", *HALF).err


def test_without_a_verb_the_help_is_shown_as_it_is(run: Run) -> None:
    """With click 8.2 and later its line ends were escaped."""
    code, out, err = run()
    assert (code, out, err) == (2, "", run("--help").out)
