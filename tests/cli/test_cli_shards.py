"""The program on folders of shards."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code

WORDS = cp.random_words("01", 400, (0, 8), rng=1)
SAMPLE = cp.simulate(cp.gallery.parity(), WORDS, rng=2)
SLOW = pytest.mark.skipif(cp.kernel_info()["kernels"] == "reference", reason="a search takes thousands of E-steps")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    cp.write_sample(SAMPLE, path)
    return path


def run(*arguments: Any) -> int:
    return _exit_code(list(map(str, arguments)))


def test_what_says_how_to_read_a_table_is_not_for_shards(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, model = tmp_path / "shards", tmp_path / "parity.json"
    assert run("shard", table, "-o", folder) == 0
    cp.save(cp.gallery.parity(), model)
    for line in (["score", model, folder], ["info", folder], ["fit", folder, "-n", 2, "-o", model]):
        capsys.readouterr()
        assert run(*line, "--id", "who") == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert "--id is for tables" in told.err
    assert cp.load(model) == cp.gallery.parity()


def test_info_knows_shards(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "shards"
    assert run("shard", table, "-o", folder, "--observations", 50) == 0
    capsys.readouterr()
    assert run("info", folder) == 0
    shards = cp.ShardedSample.open(folder)
    assert capsys.readouterr().out == f"{shards!r}\n"
    assert run("info", folder, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "kind": "shards",
        "shards": len(shards.parts),
        "observations": 400,
        "distinct": len(SAMPLE),
        "symbols": 2,
        "alphabet": ["0", "1"],
    }


def test_shard_makes_a_folder(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "shards"
    assert run("shard", table, "-o", folder, "--observations", 50, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    shards = cp.ShardedSample.open(folder)
    assert (facts["shards"], facts["distinct"]) == (len(shards.parts), len(SAMPLE))
    assert facts["observations"] == 400
    assert run("shard", table, "-o", folder) == 3
    assert "holds shards already" in capsys.readouterr().err
    assert run("shard", tmp_path / "*.parquet", "-o", tmp_path / "other") == 3
    assert "no file has this name or matches this pattern" in capsys.readouterr().err
    assert run("shard", table, "-o", tmp_path / "text", "--observations", 50) == 0
    assert "distinct, 2 symbols; 0.0 MB when loaded" in capsys.readouterr().out


@SLOW
def test_fit_and_score_a_folder(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    searched = import_module("cutpoint.search.learn")
    monkeypatch.setattr(searched, "SEARCHED", 60)  # the part that is searched, not what winners climb on
    folder, model = tmp_path / "shards", tmp_path / "model.json"
    assert run("shard", table, "-o", folder, "--observations", 50) == 0
    assert run("fit", folder, "-n", 2, "-o", model, "--test", table, "--json") == 0
    facts = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert facts["learned_from"] == 400
    assert facts["held_out"]["accuracy"] > 0.99
    acceptor = cp.load(model)
    assert acceptor == cp.learn(cp.ShardedSample.open(folder), 2, rng=0).acceptor
    assert isinstance(acceptor, cp.Acceptor)
    assert run("score", model, folder, "-o", tmp_path / "scores.parquet") == 0
    found = polars.read_parquet(tmp_path / "scores.parquet")
    assert found.columns == ["word", "acceptance", "count", "accepted"]
    assert sorted(found["word"]) == sorted(SAMPLE.words)
    assert found["count"].sum() == 400
    assert found["acceptance"].to_list() == acceptor.acceptances(found["word"].to_list()).tolist()
    assert run("score", model, folder, "--engine", "local", "--only") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [float(line.split("\t")[0]) for line in lines] == found["acceptance"].to_list()
    assert run("score", model, table, "-o", tmp_path / "plain.parquet") == 0
    assert polars.read_parquet(tmp_path / "plain.parquet")["acceptance"].to_list() == (
        acceptor.acceptances(list(SAMPLE.words)).tolist()
    )


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file can grow beyond a size, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_and_nothing_is_left(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    polars = pytest.importorskip("polars")
    folder, model, events = tmp_path / "shards", tmp_path / "model.json", tmp_path / "events"
    cp.save(cp.gallery.parity(), model)
    events.mkdir()
    rows = polars.DataFrame({"id": [f"visitor {k}" for k in range(400)], "event": ["a"] * 400})
    for name in ("1.parquet", "2.parquet"):
        rows.write_parquet(events / name)
    with files_of_at_most(500):
        assert run("shard", table, "-o", folder) == 3
        assert run("shard", events / "*.parquet", "--id", "id", "--event", "event", "-o", folder) == 3
    for line in capsys.readouterr().err.splitlines():
        assert line.startswith(f"cutpoint: {folder}: the shards cannot be written (")
    assert run("shard", table, "-o", folder, "--observations", 50) == 0
    before = sorted(tmp_path.iterdir())
    with files_of_at_most(500):
        assert run("score", model, folder, "-o", tmp_path / "scores.parquet") == 3
    assert "scores.parquet: the file cannot be written (" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_refused(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, folder = tmp_path / "model.json", tmp_path / "shards"
    cp.save(cp.gallery.parity(), model)
    cp.write_shards(SAMPLE, folder, observations=50)
    for arguments, code, sentence in (
        (("score", model, table, "--engine", "local"), 2, "--engine is for a folder of shards"),
        (("score", model, folder, "--engine", "dask"), 2, "--engine dask and --scheduler ADDRESS go together"),
        (("fit", folder, "-o", model, "--scheduler", "tcp://x:1"), 2, "--engine dask and --scheduler ADDRESS go"),
        (("score", model, folder, "-o", tmp_path / "x.parquet", "--json"), 2, "a .parquet file has columns"),
        (("score", model, folder, "-o", tmp_path / "no" / "x.parquet"), 3, "x.parquet: cannot be written"),
    ):
        assert run(*arguments) == code
        assert sentence in capsys.readouterr().err
    (folder / "shard-000001").unlink()
    assert run("score", model, folder, "-o", tmp_path / "x.parquet") == 3
    assert "shard-000001: the file cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "x.parquet").exists()
    assert not list(tmp_path.glob(".scores-*"))


@SLOW
def test_fit_on_a_cluster(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distributed = pytest.importorskip("distributed")
    folder = tmp_path / "shards"
    cp.write_shards(table, folder, observations=50)
    assert run("fit", folder, "-n", 2, "-o", tmp_path / "here.json") == 0
    options = {"n_workers": 1, "processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as made:
        there = ("--engine", "dask", "--scheduler", made.scheduler_address)
        assert run("fit", folder, "-n", 2, "-o", tmp_path / "there.json", *there) == 0
        assert run("score", tmp_path / "here.json", folder, "-o", tmp_path / "x.tsv", *there) == 0
        assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR), "tracebacks beside sentences"
    assert cp.load(tmp_path / "here.json") == cp.load(tmp_path / "there.json")
    capsys.readouterr()
