"""Copy as Python: each script runs, and prints what the screen shows."""

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest

import cutpoint as cp
from cutpoint.workbench import drafts
from cutpoint.workbench.bridge import answer
from cutpoint.workbench.machine_screen import GALLERY
from tests.workbench.test_server import cases_file

GENERATOR = cp.Generator(["s"], "ab", {"a": [["1/2"]], "b": [["1/4"]]}, "s", {"s": "1/4"})


def plain(machine: Any) -> Any:
    return msgspec.to_builtins(drafts.draft_of(machine.model))


def ask(route: str, request: Any) -> Any:
    found = json.loads(answer(route, json.dumps(request)))
    assert found["status"] == 200, found
    return found["body"]


def printed(screen: str, request: dict[str, Any], folder: Path) -> str:
    """What the script of a screen prints, in a folder with its files."""
    found = ask("script", {"screen": screen, "request": request})
    for file in found["files"]:
        (folder / file["name"]).write_bytes(b64decode(file["content"]))
    (folder / "script.py").write_text(found["script"])
    done = subprocess.run(
        [sys.executable, "-W", "error", "script.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + found["script"]
    return done.stdout


def test_a_machine_is_written_as_it_is() -> None:
    """Of every kind of names and numbers; a large one, or one with more beside it, is a file."""
    made = [make() for make in GALLERY.values()]
    made += [GENERATOR, cp.p_adic(2) & cp.gallery.parity(), cp.random_acceptor(2, ["a b", 1, (2, "'")], rng=3)]
    for machine in made:
        found = ask("script", {"screen": "machine", "request": {"machine": plain(machine)}})
        assert found["files"] == []
        names: dict[str, Any] = {}
        exec(found["script"].replace("print(", "str("), names)
        assert names["A"] == machine


def test_a_large_machine_is_a_file_beside_the_script(tmp_path: Path) -> None:
    machine = cp.random_acceptor(20, "ab", rng=1)
    output = printed("step", {"machine": plain(machine), "word": [0, 1]}, tmp_path)
    assert (tmp_path / "machine.json").exists()
    assert str(machine.acceptance("ab")) in output


def test_a_step(tmp_path: Path) -> None:
    A = cp.p_adic(3)
    output = printed("step", {"machine": plain(A), "word": [1, 2], "exact": True, "accepted": True}, tmp_path)
    expected = [A.forward("12", exact=True), A.backward("12", True, exact=True), A.exact_acceptance("12")]
    expected += [A.most_likely_path("12", accepted=True), A.occupancy("12", accepted=True, exact=True)]
    assert output == "".join(f"{each}\n" for each in expected)
    output = printed("step", {"machine": plain(GENERATOR), "word": [0]}, tmp_path)
    assert "STOP: 0.25" in output


def test_a_cut_point_and_a_comparison(tmp_path: Path) -> None:
    A = cp.p_adic(2)
    output = printed("cut_point", {"machine": plain(A), "cut_point": "1/3", "max_length": 2}, tmp_path)
    words = ask("words", {"machine": plain(A), "cut_point": "1/3", "max_length": 2})["words"]
    listed = [f"{A.alphabet.decode(each['word'])} {each['exact']}" for each in words if each["side"] == "above"]
    assert output.splitlines()[: len(listed)] == listed
    assert output.splitlines()[-1] == "<DFA: 3 states, 2 symbols, 2 final>"
    output = printed("compare", {"left": plain(A), "right": plain(A & A)}, tmp_path)
    assert output == f"{cp.equivalence(A, A & A)}\n"
    output = printed("compare", {"left": plain(GENERATOR), "right": plain(GENERATOR)}, tmp_path)
    assert output == "equal on all words\n"


def test_learning_and_cases(tmp_path: Path) -> None:
    (tmp_path / "cases.tsv").write_bytes(cases_file(300))
    upload = ask("upload", b64encode((tmp_path / "cases.tsv").read_bytes()).decode())
    sample = {"upload": upload["upload"], "name": "cases.tsv", "reading": {"positive": "bought"}}
    output = printed("learn", {"sample": sample, "n_states": 2, "seed": 4}, tmp_path)
    assert "log loss" in output
    model = cp.load(tmp_path / "model.json")
    assert model.n_states == 2
    assert model.model.inputs is not None
    machine = plain(model)
    case = {"machine": machine, "word": ["ad", "visit"], "outcome": "bought"}
    output = printed("cases", {"cases": {"machine": machine, "sample": sample}, "case": case}, tmp_path)
    explained = f"{cp.explain(model, ['ad', 'visit'], outcome='bought')}\n"
    assert output.startswith("c0 0.")
    assert output.endswith(explained)
    assert len(output.removesuffix(explained).splitlines()) == 300
    for asked in (
        {"outcome": True, "sort": "length"},
        {"wrong": True, "sort": "surprise", "descending": True},
        {"wrong": False, "outcome": False, "sort": "probability"},
        {"text": "Cart", "sort": "row", "descending": True},
        {"text": "c29"},
    ):
        listed = ask("cases", {"machine": machine, "sample": sample, "limit": 500, **asked})["cases"]
        output = printed("cases", {"cases": {"machine": machine, "sample": sample, **asked}}, tmp_path)
        assert [line.split()[0] for line in output.splitlines()] == [each["id"] for each in listed]


@pytest.mark.parametrize("request_", [{"screen": "none", "request": {}}, {"screen": "step", "request": {"word": 1}}])
def test_what_is_no_screen_is_refused(request_: dict[str, Any]) -> None:
    found = json.loads(answer("script", json.dumps(request_)))
    assert found["status"] == 422
