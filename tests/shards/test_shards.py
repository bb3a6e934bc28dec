"""Samples in shards: what is written is what was read, whatever the runs; wrong shards are refused in sentences."""

import errno
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.data.storage import write_whole
from cutpoint.kernels.words import FrontCodedWords
from cutpoint.shards import writing
from cutpoint.shards.store import MAGIC, Manifest, ShardFile, ShardSize, _arrays_in, arrays_of, file_of


def folder_of(sample: cp.Sample, folder: Path, observations: int) -> cp.ShardedSample:
    return cp.write_shards(sample, folder, observations=observations)


def joined(shards: cp.ShardedSample) -> cp.Sample:
    """All observations of shards as one sample."""
    return cp.Sample.concatenate(list(shards.samples()), shards.alphabet)


def rich_sample() -> cp.Sample:
    """Verdicts along the way, states, sets of states, weights, an empty word."""
    return cp.Sample(
        ["ab", "a", "", "b", "ab", "ba"],
        accepted=[True, None, False, True, None, None],
        verdicts=[None, [None, True], None, [False, None], None, [None, None, False]],
        states=[None, None, ["q"], None, ["q", None, "r"], ["q", {"q", "r"}, None]],
        counts=[1.0, 2.5, 3.0, 1.0, 1.0, 70000.0],
    )


OBSERVED = st.lists(
    st.tuples(st.text("abc", max_size=5), st.sampled_from([True, False, None]), st.sampled_from([1.0, 2.0, 0.5])),
    min_size=1,
    max_size=40,
)


@settings(max_examples=40)
@given(OBSERVED, st.integers(1, 20), st.sampled_from([1, 7, 40, 10**6]))
def test_what_is_written_is_what_was_read(
    tmp_path_factory: pytest.TempPathFactory, observed: list[tuple[str, bool | None, float]], size: int, run: int
) -> None:
    folder = tmp_path_factory.mktemp("written")
    rows = [{"word": w, "accepted": a, "count": c} for w, a, c in observed]
    half = len(rows) // 2
    names = []
    for name, part in (("1.ndjson", rows[:half]), ("2.ndjson", rows[half:])):
        if part:
            (folder / name).write_text("".join(json.dumps(row) + "\n" for row in part))
            names.append(folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "RUN", run)
        shards = cp.write_shards(names, folder / "shards", observations=size)
    words, accepted, counts = zip(*observed, strict=True)
    right = cp.Sample(words, accepted, counts=counts)
    assert joined(shards) == right
    assert shards.total == pytest.approx(right.total, rel=1e-12, abs=0)
    assert len(shards) == len(right), "every distinct observation is in one shard"
    keys = [list(sample.words) for sample in shards.samples()]
    assert [word for each in keys for word in each] == sorted(word for each in keys for word in each)


def test_shards_hold_marks_weights_and_the_empty_word(tmp_path: Path) -> None:
    sample = rich_sample()
    shards = folder_of(sample, tmp_path / "here", observations=2)
    assert len(shards.parts) == 3
    assert joined(shards) == sample
    assert shards.has_evidence
    assert repr(shards) == "ShardedSample(3 shards, 70008.5 observations, 6 distinct, 2 symbols)"


def test_symbols_of_any_kind_that_files_keep(tmp_path: Path) -> None:
    sample = cp.Sample([[1, "x"], [("p", 2)], [1]], accepted=[True, False, None])
    assert joined(folder_of(sample, tmp_path / "here", 1)) == sample
    many = cp.Sample([[k] for k in range(300)] + [[299, 0]], accepted=None)
    assert joined(folder_of(many, tmp_path / "many", 50)) == many


def test_the_number_of_observations_of_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "RUN", 4000)
    words = cp.random_words("abcd", 3000, (6, 9), rng=1)
    (tmp_path / "words.tsv").write_text("\n".join(map(str, words)))
    shards = cp.write_shards(tmp_path / "words.tsv", tmp_path / "here", observations=500)
    assert 5 <= len(shards.parts) <= 8
    assert max(part.size.distinct for part in shards.parts) < 1000
    assert joined(shards) == cp.Sample(words)


@pytest.mark.parametrize("kind", ["parquet", "csv", "ndjson"])
def test_tables_as_they_are(kind: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    parts = [{"word": ["ab", "c"], "accepted": [1, 0]}, {"word": ["b", "ab", "ab"], "accepted": [1, 1, None]}]
    for k, part in enumerate(parts):
        frame = polars.DataFrame(part)
        getattr(frame, f"write_{kind}")(tmp_path / f"{k}.{kind}")
    read = {"parquet": cp.ShardedSample.from_parquet, "csv": cp.ShardedSample.from_csv}.get(
        kind, cp.ShardedSample.from_ndjson
    )
    shards = read(f"{tmp_path}/*.{kind}")
    right = cp.Sample(["ab", "c", "b", "ab", "ab"], accepted=[True, False, True, True, None])
    assert joined(shards) == right
    acceptor = cp.random_acceptor(2, "abc", rng=1)
    whole = cp.expected_counts(acceptor, right)
    np.testing.assert_allclose(cp.expected_counts(acceptor, shards).transitions, whole.transitions, rtol=1e-12, atol=0)
    (tmp_path / f"1.{kind}").write_bytes((tmp_path / f"0.{kind}").read_bytes())
    with pytest.raises(cp.errors.InvalidFile, match=rf"1\.{kind}: the file has changed .* SHA-256 is "):
        cp.expected_counts(acceptor, shards)


def test_addresses_are_read_with_fsspec(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    sample = cp.Sample(["ab", "b"], accepted=[True, False])
    folder_of(sample, tmp_path / "here", observations=1)
    assert joined(cp.ShardedSample.open(f"file://{tmp_path}/here")) == sample
    (tmp_path / "1.csv").write_text("word,accepted\nab,1\n")
    (tmp_path / "2.csv").write_text("word,accepted\nb,0\n")
    assert joined(cp.ShardedSample.from_csv(f"file://{tmp_path}/*.csv")) == sample
    assert joined(cp.write_shards(f"file://{tmp_path}/*.csv", tmp_path / "there")) == sample
    with pytest.raises(cp.errors.InvalidFile, match="no file has this name"):
        cp.ShardedSample.from_csv(f"file://{tmp_path}/*.tsv")


def events(tmp_path: Path) -> tuple[list[Path], cp.Sample]:
    """Events of ids spread over two files, in no order; and the sample that they make."""
    rng = np.random.default_rng(3)
    rows = []
    words, accepted = [], []
    for who in range(40):
        word = [str(rng.choice(["look", "buy", "quit"])) for _ in range(rng.integers(1, 6))]
        words.append(word)
        accepted.append(bool(rng.integers(2)))
        rows += [(f"p{who}", 10 * step, event, int(accepted[-1])) for step, event in enumerate(word)]
    rows = [rows[k] for k in rng.permutation(len(rows))]
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for path, part in zip(paths, (rows[:50], rows[50:]), strict=True):
        path.write_text("who,time,what,sold\n" + "".join(",".join(map(str, row)) + "\n" for row in part))
    return paths, cp.Sample(words, accepted)


@pytest.mark.parametrize("at_once", [10, 300, 10**6])
def test_events_of_an_id_are_gathered_from_all_files(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("polars")
    from cutpoint.shards import writing

    paths, right = events(tmp_path)
    monkeypatch.setattr(writing, "AT_ONCE", at_once)
    monkeypatch.setattr(writing, "BATCH", 7)
    columns: dict[str, Any] = {"id": "who", "event": "what", "outcome": "sold"}
    shards = cp.write_shards(paths, tmp_path / "here", observations=7, order="time", **columns)
    assert joined(shards) == right


def test_tables_of_events_that_could_be_split_are_refused(tmp_path: Path) -> None:
    paths, _ = events(tmp_path)
    with pytest.raises(cp.errors.InvalidArgument, match="tables of events are gathered first"):
        cp.ShardedSample.from_csv(paths, id="who", event="what")
    for path in paths:
        path.write_text(path.read_text().replace("who,time,what,sold", "id,time,event,outcome"))
    with pytest.raises(cp.errors.FormatError, match=r"this is a table of events\. Say so with id=… and event=…"):
        cp.write_shards(paths, tmp_path / "here")


def test_a_second_sample_does_not_go_into_the_same_folder(tmp_path: Path) -> None:
    sample = cp.Sample(["ab"], accepted=[True])
    folder_of(sample, tmp_path, 1)
    with pytest.raises(cp.errors.InvalidArgument, match="holds shards already"):
        folder_of(sample, tmp_path, 1)


def test_a_manifest_that_the_disk_refuses_at_last_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused_in_the_end(path: Path, content: bytes) -> None:
        write_whole(path, content)
        if path.name == "manifest.json":
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(writing, "write_whole", refused_in_the_end)
    with pytest.raises(cp.errors.InvalidFile, match="Input/output error"):
        cp.write_shards(cp.Sample(["ab"]), tmp_path / "here")
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("wrong", ["no rows", "full disk", "interrupted"])
def test_where_the_work_fails_nothing_is_left(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, target = tmp_path / "words.csv", tmp_path / "deep" / "here"
    table.write_text("word,accepted\n" + ("" if wrong == "no rows" else "ab,1\nb,0\nbb,0\n"))
    problem = OSError(errno.ENOSPC, "No space left on device") if wrong == "full disk" else KeyboardInterrupt()

    def written_until(path: Path, content: bytes) -> None:
        if path.name == "shard-000002":
            raise problem
        write_whole(path, content)

    monkeypatch.setattr(writing, "write_whole", written_until)
    kinds = {"no rows": cp.errors.FormatError, "full disk": cp.errors.InvalidFile, "interrupted": KeyboardInterrupt}
    sentences = {
        "no rows": "no rows",
        "full disk": r"cannot be written \(No space left on device\)",
        "interrupted": "^$",
    }
    with pytest.raises(kinds[wrong], match=sentences[wrong]):
        cp.write_shards(table, target, observations=1)
    assert not target.exists()
    target.mkdir(parents=True)
    (target / "shard-1.txt").write_text("of somebody else")
    with pytest.raises(kinds[wrong]):
        cp.write_shards(table, target, observations=1)
    assert [path.name for path in target.iterdir()] == ["shard-1.txt"]


def test_a_folder_in_which_others_write_is_left_alone(tmp_path: Path) -> None:
    for name in (".shards-xyz", "shard-000000"):
        target = tmp_path / f"with {name}"
        (target / name).mkdir(parents=True)
        with pytest.raises(cp.errors.InvalidArgument, match=r"shards .* Name another one, or delete it first"):
            cp.write_shards(cp.Sample(["a"]), target)
        assert [path.name for path in target.iterdir()] == [name]


def test_a_killed_writer_leaves_no_sample_and_is_told_of(tmp_path: Path) -> None:
    table, target = tmp_path / "words.csv", tmp_path / "here"
    table.write_text("word,accepted\nab,1\nb,0\n")
    program = (
        "import os, signal, sys, cutpoint as cp\n"
        "from cutpoint.shards import writing\n"
        "write = writing.write_whole\n"
        "kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "writing.write_whole = lambda path, content: (kill if path.name == 'manifest.json' else write)(path, content)\n"
        "cp.write_shards(sys.argv[1], sys.argv[2])\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(table), str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert "shard-000000" in {path.name for path in target.iterdir()}
    with pytest.raises(
        cp.errors.InvalidFile, match="it is a folder, but not a folder of shards, as it has no manifest"
    ):
        cp.read_sample(target)
    with pytest.raises(cp.errors.InvalidArgument, match="Name another one, or delete it first"):
        cp.write_shards(table, target)


def test_tables_are_understood_as_read_sample_does(tmp_path: Path) -> None:
    words, declared = tmp_path / "words.csv", tmp_path / "words.abbadingo"
    words.write_text("word,outcome\nab,won\nb,lost\n")
    with pytest.raises(cp.errors.FormatError, match="positive must be an outcome that some row has; none has 'win'"):
        cp.write_shards(words, tmp_path / "wrong", accepted="outcome", positive="win")
    shards = cp.write_shards(words, tmp_path / "right", accepted="outcome", positive="won")
    assert joined(shards) == cp.read_sample(words, accepted="outcome", positive="won")
    declared.write_text("2 3\n1 2 0 0\n0 1 0\n")
    shards = cp.write_shards(declared, tmp_path / "declared")
    assert shards.alphabet == cp.read_sample(declared).alphabet
    assert len(shards.alphabet) == 3


def test_shards_of_different_alphabets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("word,accepted\nlook buy,1\n")
    (tmp_path / "2.csv").write_text("word,accepted\nlook,1\n")
    for read in (cp.ShardedSample.from_csv, lambda paths: cp.write_shards(paths, tmp_path / "here")):
        with pytest.raises(
            cp.errors.InvalidSample, match=r"must have one alphabet; .*1\.csv has symbols such as .*separator=…"
        ):
            read(f"{tmp_path}/*.csv")
    shards = cp.ShardedSample.from_csv(f"{tmp_path}/*.csv", separator=" ")
    assert joined(shards) == cp.Sample([["look", "buy"], ["look"]], accepted=[True, True])


def test_folders_are_put_together_over_one_alphabet(tmp_path: Path) -> None:
    left, right = cp.Sample(["ab", "b"], [True, False], alphabet="ab"), cp.Sample(["b", "bb"], alphabet="ab")
    for name, sample in (("left", left), ("right", right), ("other", cp.Sample(["abc"]))):
        folder_of(sample, tmp_path / name, 1)
    both = cp.ShardedSample.open(tmp_path / "left", tmp_path / "right")
    assert joined(both) == left + right
    assert both.has_evidence
    with pytest.raises(cp.errors.InvalidSample, match=r"must have one alphabet; that of .*other is not that of .*left"):
        cp.ShardedSample.open(tmp_path / "left", tmp_path / "other")
    folder_of(rich_sample(), tmp_path / "marked", 10)
    with pytest.raises(cp.errors.InvalidSample, match="must have one table of marks"):
        cp.ShardedSample.open(tmp_path / "left", tmp_path / "marked")
    with pytest.raises(cp.errors.InvalidArgument, match="expected a folder of shards; got none"):
        cp.ShardedSample.open()


def test_a_shard_of_another_sample_is_refused(tmp_path: Path) -> None:
    here = folder_of(cp.Sample(["ab", "ba"]), tmp_path / "here", 1)
    there = folder_of(cp.Sample(["abc", "bac"]), tmp_path / "there", 1)
    mixed = [ShardFile(Path(part.name).name, part.checksum, part.size) for part in (here.parts[0], there.parts[1])]
    Path(here.parts[1].name).write_bytes(Path(there.parts[1].name).read_bytes())
    (tmp_path / "here" / "manifest.json").write_bytes(
        Manifest(here.alphabet, here.mark_table, tuple(mixed), False).content()
    )
    with pytest.raises(
        cp.errors.InvalidFile, match=r"shard-000001: the shard does not fit its manifest \(another alphabet"
    ):
        joined(cp.ShardedSample.open(tmp_path / "here"))


def test_an_empty_shard_is_refused(tmp_path: Path) -> None:
    here = folder_of(cp.Sample(["ab", "ba"]), tmp_path, 1)
    content = json.loads((tmp_path / "manifest.json").read_text())
    content["shards"][1]["distinct"] = 0
    _rewritten(tmp_path, content)
    with pytest.raises(cp.errors.InvalidSample, match="shard-000001: a shard must hold at least one observation"):
        cp.ShardedSample.open(tmp_path)
    with pytest.raises(cp.errors.InvalidSample, match="at least one shard"):
        cp.ShardedSample(here.alphabet, here.mark_table, (), has_evidence=False)
    (tmp_path / "empty.csv").write_text("word,accepted\n")
    with pytest.raises(cp.errors.FormatError, match="a header and no rows"):
        cp.ShardedSample.from_csv(tmp_path / "empty.csv")


def _rewritten(folder: Path, content: dict[str, Any]) -> None:
    """A manifest with other content and the digest that goes with it."""
    from cutpoint.files.json import digest

    content["digest"] = digest(content)
    (folder / "manifest.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: c["shards"][0].update(distinct=7), "the shard does not fit its manifest"),
        (lambda c: c["shards"][0].update(symbols=3), "the shard does not fit its manifest"),
        (lambda c: c["shards"][0].update(observations=2.0), "the shard does not fit its manifest"),
        (lambda c: c["shards"][0].update(edges=10**15), "the shard does not fit its manifest"),
        (lambda c: c["shards"][0].update(edges=0), "the shard does not fit its manifest"),
        (lambda c: c["shards"][0].update(sha256="0" * 64), "the manifest says 0000"),
        (lambda c: c["shards"][0].update(file="../secret"), "the name of a file beside the manifest"),
        (lambda c: c["shards"].append(c["shards"][0]), "shards of different names"),
        (lambda c: c["shards"][0].update(edges=-1), "shards.0..edges: expected a whole number >= 0"),
        (lambda c: c["shards"].clear(), "at least one shard"),
        (lambda c: c["alphabet"].append("a"), "symbols must be distinct"),
        (lambda c: c["alphabet"].append("z"), "the shard does not fit its manifest"),
        (lambda c: c["marks"].pop(0), "begins with no mark"),
        (lambda c: c["marks"].append([2, None]), "true, false or null"),
        (lambda c: c["cutpoint"].update(version=2), "another version of cutpoint wrote them"),
        (lambda c: c["cutpoint"].update(format="acceptor"), "not the manifest of a folder of shards"),
        (lambda c: c.update(evidence="no"), "expected true or false"),
        (lambda c: c.pop("evidence"), "'evidence', which is missing"),
    ],
)
def test_a_manifest_that_does_not_match_is_refused(tmp_path: Path, change: Any, sentence: str) -> None:
    folder_of(cp.Sample(["ab", "ba"], accepted=[True, False]), tmp_path, 1)
    content = json.loads((tmp_path / "manifest.json").read_text())
    change(content)
    _rewritten(tmp_path, content)
    with pytest.raises(cp.CutpointError, match=sentence):
        joined(cp.ShardedSample.open(tmp_path))


ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    7,
    2**63,
    10**30,
    1e308,
    0.5,
    "",
    "a",
    "\0",
    "../x",
    [],
    [1],
    {},
    [[None, ["s"]]],
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all members of a JSON value, itself first."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def test_forged_manifests_and_shards_are_refused_or_read(tmp_path: Path) -> None:
    """Members of the manifest changed at random, or bytes and numbers of a shard; all digests are right."""
    rng, states = np.random.default_rng(1), [["s", None, None], [None, "s", "t"], None, ["t"]]
    folder_of(cp.Sample(["ab", "ba", "b", ""], [True, False, None, True], states=states), tmp_path, 2)
    start, outcomes = cp.random_acceptor(["s", "t"], "ab", rng=1), set()
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for kind in rng.integers(4, size=300):
        content = json.loads(files["manifest.json"])
        if kind < 2:
            *above, last = list(places(content))[rng.integers(1, len([*places(content)]))]
            functools.reduce(lambda value, key: value[key], above, content)[last] = ODD[rng.integers(len(ODD))]
        else:
            entry = content["shards"][rng.integers(2)]
            shard = bytearray(files[entry["file"]])
            if kind == 2:
                shard[rng.integers(len(shard))] = rng.integers(256)
            else:
                arrays = {name: array.copy() for name, array in _arrays_in(bytes(shard)).items()}
                array = arrays[str(rng.choice(sorted(arrays)))]
                array[rng.integers(len(array))] = rng.choice([0, 1, 2, 3, 100, 255])
                shard[:] = file_of(arrays)[0]
            (tmp_path / entry["file"]).write_bytes(shard)
            entry["sha256"] = hashlib.sha256(shard).hexdigest()
        _rewritten(tmp_path, content)
        try:
            assert cp.log_likelihood(start, cp.ShardedSample.open(tmp_path)) < 0.0
            outcomes.add("read")
        except cp.CutpointError as problem:
            outcomes.add(type(problem).__name__)
        for name, whole in files.items():
            (tmp_path / name).write_bytes(whole)
    assert {"read", "InvalidFile", "FormatError"} <= outcomes


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    folder_of(cp.Sample(["ab", "ba"], accepted=[True, False]), tmp_path, 1)
    path = tmp_path / "manifest.json"
    content = path.read_text()
    path.write_text(content.replace('"distinct": 1', '"distinct": 2', 1))
    with pytest.raises(cp.errors.FormatError, match="the manifest is damaged"):
        cp.ShardedSample.open(tmp_path)
    path.write_text(content[:-20])
    with pytest.raises(cp.errors.FormatError, match="this is not JSON"):
        cp.ShardedSample.open(tmp_path)
    path.unlink()
    with pytest.raises(cp.errors.InvalidFile, match=r"manifest\.json: the file cannot be read"):
        cp.ShardedSample.open(tmp_path)


def refused(arrays: dict[str, Any], path: Path, size: ShardSize, sample: cp.Sample) -> None:
    content, checksum = file_of(arrays)
    path.write_bytes(content)
    with pytest.raises(cp.errors.InvalidFile, match="does not fit its manifest"):
        ShardFile(str(path), checksum, size).load(sample.alphabet, sample.mark_table)


def test_arrays_that_would_lead_the_kernels_astray_are_refused(tmp_path: Path) -> None:
    sample = cp.Sample(["ab", "abb", "ba", "ba"], accepted=[True, False, True, False])
    size = folder_of(sample, tmp_path / "here", 10).parts[0].size
    arrays = arrays_of(sample)
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "ends": [1, 2, 1, 2],
        "counts": [1, 1, 1, 1],
        "shape": [2, 3],
        "codes": [0, 1, 2, 2, 2, 1],
        "shared": [0, 3, 1, 3],
        "lengths": [2, 3, 2, 2],
        "block_words": [0, 4],
    }
    wrong: list[dict[str, Any]] = [
        {"codes": np.array([0, 1, 2, 2, 2, 3])},
        {"codes": np.array([0, 1, 2, 2, 2, -1])},
        {"codes": np.array([0, 1, 2, 2, 2, 0])},
        {"codes": np.array([1, 1, 2, 2, 2, 1])},
        {"codes": np.array([0, 1, 2, 2, 2])},
        {"codes": np.array([0.5, 1.0, 2.0, 2.0, 2.0, 1.0])},
        {"shared": np.array([1, 3, 1, 3])},
        {"shared": np.array([0, 4, 1, 3])},
        {"shared": np.array([0, 3, 1, -3])},
        {"shared": np.array([0, 3, 1])},
        {"shared": np.array([0, 3, 3, 1])},
        {"lengths": np.array([2, 3, -1, 5])},
        {"lengths": np.array([3, 3, 2, 2])},
        {"lengths": np.array([2, 3, 1, 3])},
        {"block_words": np.array([0, 3])},
        {"block_words": np.array([1, 4])},
        {"block_words": np.array([0, 1, 4])},
        {"block_words": np.array([0, 4, 4])},
        {"block_words": np.array([], dtype=np.int64)},
        {"block_words": np.array([0, 2**64 // 3, 2**65 // 3 - 2**64, 4])},
        {"ends": np.array([1, 2, 1, 3])},
        {"counts": np.array([1.0, np.nan, 1.0, 1.0])},
        {"counts": np.array([0.0, 1.0, 1.0, 1.0])},
        {"marks": np.array([0, 0, 0])},
        {"marks": np.array([0, 0, 0, 0, 0, 3])},
        {"shape": np.array([3, 3])},
        {"more": np.array([1])},
    ]
    for number, change in enumerate(wrong):
        refused({**arrays, **change}, tmp_path / f"{number}", size, sample)
    for name in arrays:
        refused({key: arrays[key] for key in arrays if key != name}, tmp_path / name, size, sample)


def test_a_block_beyond_all_bounds_is_refused(tmp_path: Path) -> None:
    sample = cp.Sample(cp.random_words("ab", 500, 99, rng=0))
    size = folder_of(sample, tmp_path / "here", 1000).parts[0].size
    arrays = arrays_of(sample)
    assert len(arrays["block_words"]) > 4
    refused({**arrays, "block_words": np.array([0, len(sample)])}, tmp_path / "one", size, sample)


def test_words_too_long_for_a_tree_are_held_plain(tmp_path: Path) -> None:
    sample = cp.Sample(["ab", "b" * 2**14, "b"], accepted=[True, False, True])
    shards = folder_of(sample, tmp_path / "here", 10)
    assert shards.load(0) == sample
    assert not isinstance(shards.load(0).encoded, FrontCodedWords)
    arrays = arrays_of(sample)
    assert arrays["lengths"].tolist() == [2, 1, 2**14]
    for change in (
        {"symbols": arrays["symbols"] + np.uint8(1)},
        {"symbols": arrays["symbols"][1:]},
        {"lengths": np.array([3, -1, 2**14 + 1])},
        {"lengths": np.array([2, 1, 2**14 + 1])},
        {"lengths": np.array([2**63 - 1, 2**63 - 1, 2**14 + 5])},
        {"marks": np.zeros(3, dtype=np.int32)},
    ):
        refused({**arrays, **change}, tmp_path / "wrong", shards.parts[0].size, sample)
    engines = [cp.engines.Local(1), cp.engines.Local(2, memory=0)]
    start = cp.random_acceptor(3, "ab", rng=1)
    counts = [cp.expected_counts(start, shards, engine=engine).transitions.tobytes() for engine in engines]
    assert counts[0] == counts[1] == cp.expected_counts(start, sample.recoded(start.alphabet)).transitions.tobytes()


def test_a_file_that_was_checked_is_checked_again_when_it_was_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if its length and the time of the change are those of before."""
    sample = cp.Sample(["ab", "ba"], accepted=[True, False])
    shards = folder_of(sample, tmp_path, 10)
    part, path = shards.parts[0], Path(shards.parts[0].name)
    hashed, real = [], hashlib.sha256

    def counted(content: bytes) -> Any:
        hashed.append(len(content))
        return real(content)

    monkeypatch.setattr("cutpoint.shards.store.hashlib.sha256", counted)
    assert shards.load(0) == shards.load(0) == sample
    assert len(hashed) == 2, "a file of this moment may change without a trace"
    before = path.stat()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - 10**10))
    monkeypatch.setattr("cutpoint.data.storage.SETTLED", -1)
    for _ in range(3):
        assert shards.load(0) == sample
    assert len(hashed) == 3
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(cp.errors.InvalidFile, match=f"{part.checksum}"):
        shards.load(0)
    path.write_bytes(content)
    assert shards.load(0) == sample
    with pytest.raises(cp.errors.InvalidFile, match="another alphabet"):
        part.load(cp.data.Alphabet("abc"), shards.mark_table)


def test_shards_elsewhere(tmp_path: Path) -> None:
    """A storage that is not this machine's file system."""
    fsspec = pytest.importorskip("fsspec")
    sample = rich_sample()
    folder_of(sample, tmp_path, observations=2)
    memory = fsspec.filesystem("memory")
    try:
        for path in tmp_path.iterdir():
            memory.pipe_file(f"/bucket/{path.name}", path.read_bytes())
        memory.pipe_file("/tables/1.csv", b"word,accepted\nab,1\n")
        memory.pipe_file("/tables/2.csv", b"word,accepted\nb,0\n")
        shards = cp.ShardedSample.open("memory://bucket")
        assert joined(shards) == sample
        tables = cp.ShardedSample.from_csv("memory://tables/*.csv")
        assert joined(tables) == cp.Sample(["ab", "b"], accepted=[True, False])
        name = shards.parts[1].name
        assert name.startswith("memory://bucket/shard-")
        content = memory.cat_file(name)
        memory.pipe_file(name, content[:-1] + b"?")
        with pytest.raises(cp.errors.InvalidFile, match=rf"{name}: the shard is not the one that was written"):
            shards.load(1)
        memory.rm(name)
        with pytest.raises(cp.errors.InvalidFile, match=rf"{name}: the file cannot be read"):
            shards.load(1)
        with pytest.raises(cp.errors.InvalidFile, match="no file has this name"):
            cp.ShardedSample.from_csv("memory://tables/*.parquet")
    finally:
        memory.store.clear()


def test_files_that_are_no_shards_are_refused(tmp_path: Path) -> None:
    sample = cp.Sample(["ab", "ba"], accepted=[True, False])
    part = folder_of(sample, tmp_path / "here", 10).parts[0]
    content = Path(part.name).read_bytes()
    changed = content.replace(b"[", b"{", 1), MAGIC + b"[1]\n", MAGIC + b'{"codes": ["|u1", %d]}\n' % 10**30
    for wrong in (b"", content[:-1], content + b"x", content[3:], *changed):
        (tmp_path / "wrong").write_bytes(wrong)
        checksum = hashlib.sha256(wrong).hexdigest()
        with pytest.raises(cp.errors.InvalidFile, match="does not fit its manifest"):
            ShardFile(str(tmp_path / "wrong"), checksum, part.size).load(sample.alphabet, sample.mark_table)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["manifest.json", "shard-000000"])
def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(name: str, tmp_path: Path) -> None:
    folder_of(cp.Sample(["ab"], [True]), tmp_path, 1)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(cp.errors.InvalidFile, match="it is a device or a pipe, and a file is expected"):
        list(cp.ShardedSample.open(tmp_path).samples())


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ("nowhere/*.csv", "no file has this name or matches this pattern"),
        ("", "expected the path of files"),
        ([], "at least one file"),
        (3, "expected the path of files"),
        ([3], "expected the path of files"),
    ],
)
def test_paths_that_name_nothing_are_refused(paths: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.ShardedSample.from_csv(paths)
    with pytest.raises(cp.CutpointError, match=sentence):
        cp.write_shards(paths, tmp_path / "here")


def test_what_cannot_be_cut_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match="expected a Sample"):
        cp.ShardedSample.of(["ab"])  # type: ignore[arg-type]
    with pytest.raises(cp.errors.InvalidArgument, match="observations"):
        cp.ShardedSample.of(cp.Sample(["ab"]), observations=0)
    (tmp_path / "file").write_text("")
    with pytest.raises(cp.errors.InvalidFile, match="the shards cannot be written"):
        cp.write_shards(cp.Sample(["ab"]), tmp_path / "file")
    assert not list(tmp_path.glob(".shards-*"))


def test_the_name_of_a_folder_is_no_sample() -> None:
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"are opened: write ShardedSample.open\('shards'\)\. Tables are"
    ):
        cp.ShardedSample("shards")  # type: ignore[call-arg, arg-type]
