"""The server under way: jobs with progress, stop and death of their workers; restarts; the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

import cutpoint as cp
from cutpoint.workbench import drafts
from cutpoint.workbench.messages import Draft
from tests.workbench.conftest import Workbench, running


def cases_file(n: int, seed: int = 1) -> bytes:
    """Cases of customers as a table of words with outcomes and ids."""
    words = cp.random_words(cp.gallery.customers().alphabet, n, (1, 6), rng=seed)
    sample = cp.simulate(cp.gallery.customers(), words, rng=seed + 1)
    rows = [
        f"{' '.join(map(str, each.word))}\t{'bought' if each.accepted else 'left'}\n"
        for each in sample
        for _ in range(int(each.count))
    ]
    lines = [f"c{k}\t{row}" for k, row in enumerate(rows)]
    return ("id\tword\toutcome\n" + "".join(lines)).encode()


def read(workbench: Workbench, content: bytes, name: str = "cases.tsv", **reading: Any) -> tuple[dict[str, Any], Any]:
    """The sample of a file as requests name it, and what was read."""
    sample = {"upload": workbench.upload(content), "name": name, "reading": reading}
    *_, (event, found) = workbench.events("read", {"sample": sample})
    assert event == "result", found
    return sample, found


@pytest.fixture(scope="module")
def sample(workbench: Workbench) -> dict[str, Any]:
    found, seen = read(workbench, cases_file(400), positive="bought", columns={"accepted": "outcome", "word": "word"})
    assert seen["problem"] is None
    assert seen["names"] == ["bought", "left"]
    return found


def test_a_file_is_read_and_its_columns_are_guessed(workbench: Workbench) -> None:
    content = cases_file(50)
    _, found = read(workbench, content, positive="bought")
    assert found["problem"] is None
    assert found["roles"] == {"word": 1, "accepted": 2, "id": 0}
    assert found["columns"] == ["id", "word", "outcome"]
    assert found["cases"] == 50
    assert found["rows"][0] == content.decode().split("\n")[1].split("\t")
    assert sorted(found["outcomes"]) == ["bought", "left"]
    assert found["accepted"] + found["rejected"] == 50
    assert found["n_symbols"] == 5


def test_a_file_that_cannot_be_read_shows_its_first_rows_and_why(workbench: Workbench) -> None:
    table = b"a,b,c\n1,look,x\n1,buy,y\n"
    _, found = read(workbench, table, "t.csv")
    assert found["problem"].startswith("t.csv: no column is called word, words, sequence, symbols, text or string")
    assert found["columns"] == ["a", "b", "c"]
    assert found["rows"][1] == ["1", "buy", "y"]
    _, plain = read(workbench, b"1,look,x\n1,buy,y\n", "t.csv")
    assert plain["problem"].startswith("t.csv: the table has 3 columns and no header with known names")
    assert plain["columns"] == ["column 1", "column 2", "column 3"]
    _, mended = read(workbench, table, "t.csv", columns={"id": "a", "event": "b"})
    assert mended["problem"] is None
    assert (mended["cases"], mended["events"], mended["n_symbols"]) == (1, True, 2)
    _, wrong = read(workbench, b"word,accepted\nab,perhaps\n", "t.csv")
    assert "perhaps" in wrong["problem"]
    assert wrong["roles"] == {"word": 0, "accepted": 1}
    _, empty = read(workbench, b"", "t.csv")
    assert empty["problem"] == "t.csv: the file is empty."


def test_the_delimiter_of_a_csv_file_is_found_and_can_be_corrected(workbench: Workbench) -> None:
    table = b"case;event;label\n1;a,b;yes\n1;c;yes\n"
    sample, found = read(workbench, table, "t.csv")
    assert (found["problem"], found["reading"]["delimiter"], found["n_symbols"]) == (None, ";", 2)
    _, again = read(workbench, table, "t.csv", **found["reading"])
    assert again == found
    _, corrected = read(workbench, table, "t.csv", delimiter=",")
    assert (
        "lines must have the same number of cells" in corrected["problem"] or corrected["columns"] != found["columns"]
    )
    assert read(workbench, b"case,event\n1,a;b\n", "t.csv")[1]["reading"]["delimiter"] is None
    assert sample["reading"] == {}


@pytest.mark.parametrize("name", ["t.tsv", "t.tsv.gz", "t.ndjson", "t.parquet", "t.xes"])
def test_files_of_all_formats(workbench: Workbench, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith(".parquet"):
        import polars

        polars.DataFrame({"case": [1, 1, 2], "event": ["a", "b", "a"], "label": ["yes", "yes", "no"]}).write_parquet(
            path
        )
    elif name.endswith(".xes"):
        path.write_text(
            '<log><trace><string key="concept:name" value="1"/><event><string key="concept:name" value="a"/></event>'
            '<event><string key="concept:name" value="b"/></event></trace></log>'
        )
    else:
        cp.write_sample(cp.Sample([("ab", "c"), ("c",)], accepted=[True, False]), path)
    _, found = read(workbench, path.read_bytes(), name)
    assert found["problem"] is None
    assert found["cases"] == (1 if name.endswith(".xes") else 2)


def test_progress_is_told_while_a_large_file_is_read(workbench: Workbench) -> None:
    content = cases_file(50_000)
    sample = {"upload": workbench.upload(content), "name": "large.tsv", "reading": {"positive": "bought"}}
    events = list(workbench.events("read", {"sample": sample}))
    told = [found for event, found in events if event == "progress"]
    assert told[-1]["done"] == told[-1]["total"] == len(content)
    assert events[-1][1]["cases"] == 50_000


def test_learning_tells_its_progress_and_gives_a_machine_with_all_that_it_needs(
    workbench: Workbench, sample: dict[str, Any]
) -> None:
    events = list(workbench.events("learn", {"sample": sample, "n_states": 2, "seed": 3}))
    assert [event for event, _ in events[:2]] == ["job", "progress"]
    assert events[1][1]["n_states"] == 2
    event, found = events[-1]
    assert event == "result", found
    model = drafts.model_of(msgspec.convert(found["draft"], Draft))
    assert model.acceptor.n_states == 2
    assert model.inputs is not None
    assert model.classes == ("left", "bought")
    assert found["best_so_far"] is False
    assert found["judgement"]["table"][0][1] == "model"
    assert found["judgement"]["calibration"]
    assert found["curves"][0]["e_steps"]
    assert found["credit"][0][0] == "event"


def test_cases_are_scored_filtered_and_explained(workbench: Workbench, sample: dict[str, Any]) -> None:
    A = cp.gallery.customers()
    draft = msgspec.to_builtins(drafts.draft_of(A.model))
    everything = workbench.ask("cases", {"machine": draft, "sample": sample, "limit": 500})
    assert everything["found"] == everything["total"] == 400
    for case in everything["cases"]:
        assert case["probability"] == pytest.approx(A.acceptance(case["word"]), rel=1e-12, abs=0)
        assert case["predicted"] == (case["probability"] > 0.5)
        assert case["wrong"] == (case["predicted"] != case["accepted"])
    wrong = workbench.ask(
        "cases",
        {"machine": draft, "sample": sample, "wrong": True, "outcome": True, "sort": "surprise", "descending": True},
    )
    assert wrong["found"] == sum(case["wrong"] and case["accepted"] for case in everything["cases"])
    assert [case["probability"] for case in wrong["cases"]] == sorted(case["probability"] for case in wrong["cases"])
    named = workbench.ask("cases", {"machine": draft, "sample": sample, "text": "C399"})
    assert [case["id"] for case in named["cases"]] == ["c399"]
    carts = workbench.ask("cases", {"machine": draft, "sample": sample, "text": "cart", "limit": 500})
    assert carts["found"] == sum("cart" in case["word"] for case in everything["cases"])
    law = cp.search.law_of_inputs(cp.Sample([case["word"] for case in everything["cases"]]))
    model = cp.files.Model(A, inputs=law)
    explained = workbench.ask("case", {"machine": msgspec.to_builtins(drafts.draft_of(model)), "word": ["ad", "visit"]})
    found = cp.explain(model.machine, ["ad", "visit"])
    assert found.forecasts is not None
    assert explained["forecasts"] == pytest.approx(found.forecasts.tolist(), rel=1e-9, abs=0)
    assert explained["acceptance"] == pytest.approx(0.172, rel=1e-12)
    assert explained["bars"][-1]["after"] == pytest.approx(explained["acceptance"], rel=1e-9)
    status, refused = workbench.post("case", json.dumps({"machine": draft, "word": ["add"]}).encode())
    assert status == 422
    assert "Did you mean 'ad'" in refused["sentence"] or "'ad'" in refused["sentence"]


def test_a_report_is_made(workbench: Workbench, sample: dict[str, Any]) -> None:
    draft = msgspec.to_builtins(drafts.draft_of(cp.gallery.customers().model))
    (file,) = workbench.ask("report", {"machine": draft, "sample": sample, "title": "<script>"})["files"]
    import base64

    page = base64.b64decode(file["content"]).decode()
    assert "<script>" not in page
    assert "bought" in page


def test_stop_keeps_the_best_so_far(workbench: Workbench, sample: dict[str, Any]) -> None:
    events = workbench.events("learn", {"sample": sample, "seed": 5})
    _, first = next(events)
    next(events)
    workbench.ask("stop", {"job": first["job"]})
    *_, (event, found) = events
    assert event == "result", found
    assert found["best_so_far"] is True
    assert drafts.model_of(msgspec.convert(found["draft"], Draft)).acceptor.n_symbols == 5


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in found.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the worker by /proc")
def test_a_worker_killed_in_the_middle_of_learning() -> None:
    with running() as workbench:
        sample, _ = read(workbench, cases_file(400), positive="bought")
        events = workbench.events("learn", {"sample": sample, "seed": 6})
        next(events)
        _, told = next(events)
        for child in children(workbench.process.pid):
            os.kill(child, signal.SIGKILL)
        *_, (event, found) = events
        assert (event, found["kind"]) == ("error", "WorkerEnded")
        assert "has ended" in found["sentence"]
        assert len(workbench.ask("gallery", {})["entries"]) > 10, "another worker takes over"
        again = workbench.events("learn", {"sample": sample, "seed": 6})
        _, first = next(again)
        assert next(again)[1]["e_steps"] > told["e_steps"], "it goes on where it was"
        workbench.ask("stop", {"job": first["job"]})
        *_, (event, found) = again
        assert event == "result", found
    assert workbench.process.returncode in (0, -signal.SIGTERM, 143)


def test_no_worker_is_left_when_the_server_is_killed() -> None:
    with running("gallery:parity") as workbench:
        assert workbench.ask("start", {})["draft"]["states"] == ["even", "odd"]
        workers = children(workbench.process.pid)
        assert workers
        workbench.process.kill()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_the_file_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{")
    with running(str(tmp_path / "model.json")) as workbench:
        started = workbench.ask("start", {"name": "x", "upload": "0" * 64})
        assert started["problem"].startswith("model.json: line 1, column 2")
        assert started["draft"] is None
    (tmp_path / "cases.tsv").write_bytes(cases_file(20))
    with running(str(tmp_path / "cases.tsv")) as workbench:
        started = workbench.ask("start", {})
        *_, (_, found) = workbench.events("read", {"sample": started["sample"]})
        assert found["columns"] == ["id", "word", "outcome"]


def test_a_link_is_opened_here() -> None:
    with running("http://127.0.0.1:1/other/#/machine?share=abc") as workbench:
        assert workbench.address.endswith("/#/machine?share=abc")
        assert "/other/" not in workbench.address


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "cutpoint", "workbench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_wrong_input_of_the_command_line_is_a_sentence(workbench: Workbench, tmp_path: Path) -> None:
    port = workbench.address.split(":")[2].split("/")[0]
    taken = run("--no-browser", "--port", port)
    assert (taken.returncode, taken.stdout) == (3, "")
    assert f"--port the port {port} is not free" in taken.stderr
    missing = run("--no-browser", str(tmp_path / "nothing.json"))
    assert "there is no such file" in missing.stderr
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    full = run("--static", str(tmp_path / "full"))
    assert full.returncode == 3
    assert "must be new, or empty" in full.stderr or "has no page" in full.stderr
