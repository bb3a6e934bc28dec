"""Where files are written: a pipe, a device or a folder is refused and stays, a file keeps its permissions."""

import fcntl
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code
from cutpoint.data.storage import new_files, write_whole
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.files.exports import export
from cutpoint.files.parquet import writing_parquet

ACCEPTOR = cp.gallery.parity()
SAMPLE = cp.simulate(ACCEPTOR, cp.random_words("01", 40, (1, 4), rng=1), rng=2)
FIT = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), SAMPLE, max_steps=2)
WRITERS: dict[str, Callable[[Path], object]] = {
    "model.json": lambda path: cp.save(ACCEPTOR, path),
    "model.npz": lambda path: cp.save(ACCEPTOR, path, rounded=True),
    "sample.tsv": lambda path: cp.write_sample(SAMPLE, path),
    "picture.dot": lambda path: cp.draw(ACCEPTOR, path),
    "report.html": lambda path: cp.report(FIT, SAMPLE, path),
}
COMMANDS = ["score model.json words.tsv -o place", "score model.json words.tsv -o place.parquet"]
REASONS = {"pipe": "it is a device or a pipe, and only a file can be replaced", "folder": "it is a folder"}


def put(kind: str, place: Path) -> None:
    """Something that is no file; a pipe stands for devices, which only some users can make, and nobody should risk."""
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()


def kind_of(place: Path) -> int:
    return stat.S_IFMT(place.stat().st_mode)


@pytest.mark.parametrize("kind", REASONS)
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_file_is_not_replaced(name: str, kind: str, tmp_path: Path) -> None:
    place = tmp_path / name
    put(kind, place)
    before = kind_of(place)
    with pytest.raises(cp.errors.InvalidFile) as refusal:
        WRITERS[name](place)
    assert str(refusal.value) == f"{place}: cannot be written ({REASONS[kind]})."
    assert (kind_of(place), list(tmp_path.iterdir())) == (before, [place])


@pytest.mark.parametrize("kind", REASONS)
def test_a_link_to_what_is_no_file_is_followed(kind: str, tmp_path: Path) -> None:
    put(kind, tmp_path / "place")
    (tmp_path / "link.json").symlink_to(tmp_path / "place")
    with pytest.raises(cp.errors.InvalidFile, match=REASONS[kind]):
        cp.save(ACCEPTOR, tmp_path / "link.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "place"]
    assert (tmp_path / "link.json").is_symlink()


@pytest.mark.parametrize("kind", REASONS)
@pytest.mark.parametrize("command", COMMANDS)
def test_scores_do_not_replace_it_either(
    command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cp.save(ACCEPTOR, tmp_path / "model.json")
    (tmp_path / "words.tsv").write_text("01\n")
    place = tmp_path / command.rsplit(maxsplit=1)[-1]
    put(kind, place)
    before = kind_of(place), sorted(tmp_path.iterdir())
    assert _exit_code(command.split()) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"cutpoint: {place.name}: ")
    assert told.err.endswith(f"cannot be written ({REASONS[kind]}).\n")
    assert (kind_of(place), sorted(tmp_path.iterdir())) == before


@pytest.mark.parametrize("kind", REASONS)
def test_a_checkpoint_is_a_file(kind: str, tmp_path: Path) -> None:
    put(kind, tmp_path / "place")
    with pytest.raises(cp.errors.InvalidArgument, match=r"^checkpoint must be the path of a file; got '.*place'\.$"):
        cp.baum_welch(cp.random_acceptor(2, "01", rng=3), SAMPLE, checkpoint=tmp_path / "place")


# Permissions, links, and what a killed process leaves


def scores(path: Path) -> None:
    with writing_parquet(path) as add:
        add({"word": ["a", "b"], "acceptance": [0.5, 1.0]})


EVERY_WRITER: dict[str, Callable[[Path], object]] = WRITERS | {
    "model.tra": lambda path: cp.save(ACCEPTOR, path, rounded=True),
    "model.json.gz": lambda path: cp.save(ACCEPTOR, path),
    "sample.ndjson": lambda path: cp.write_sample(SAMPLE, path),
    "picture.svg": lambda path: cp.draw(ACCEPTOR, path),
    "plot.png": lambda path: cp.plots.learning(FIT, path),
    "model.sql": lambda path: export(ACCEPTOR, path),
    "run": lambda path: Checkpoint(path, "problem", {}).save({}),
    "cases.runs": lambda path: cp.Runs(ACCEPTOR).save(path),
    "scores.parquet": scores,
}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[None]:
    usual = os.umask(0o027)
    yield
    os.umask(usual)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("name", EVERY_WRITER)
def test_a_file_keeps_its_mode_and_a_new_one_obeys_the_umask(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    EVERY_WRITER[name](path)
    written = {each.name: mode(each) for each in tmp_path.iterdir()}
    assert set(written.values()) == {0o640}
    for kept in (0o600, 0o444, 0o664):
        for each in tmp_path.iterdir():
            each.chmod(kept)
        EVERY_WRITER[name](path)
        assert {each.name: mode(each) for each in tmp_path.iterdir()} == dict.fromkeys(written, kept)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    write_whole(path, b"new")
    assert (path.read_bytes(), path.stat().st_uid, path.stat().st_gid) == (b"new", 1234, 2345)


def test_what_a_foreign_group_was_allowed_is_not_given_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o664)
    usual = os.fstat
    monkeypatch.setattr(os, "fstat", lambda file: FakeStatus(usual(file)))

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    write_whole(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o604)


class FakeStatus:
    """What the system says of a file, but for its group."""

    def __init__(self, status: os.stat_result) -> None:
        self._status = status

    def __getattr__(self, name: str) -> int:
        found: int = getattr(self._status, name)
        return found + (name == "st_gid")


@pytest.mark.usefixtures("umask")
def test_the_journal_is_as_private_as_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    cp.save(ACCEPTOR, tmp_path / "model.json")
    path = tmp_path / "cases.runs"
    for kept in (0o640, 0o600):
        assert _exit_code(["watch", str(tmp_path / "model.json"), "--state", str(path)]) == 0
        assert (mode(path), mode(tmp_path / "cases.runs.journal")) == (kept, kept)
        (tmp_path / "cases.runs.journal").unlink()
        path.chmod(0o600)


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real, link, dangling = tmp_path / "folder" / "real.json", tmp_path / "link.json", tmp_path / "dangling.json"
    link.symlink_to(real)
    dangling.symlink_to(link)
    for acceptor in (cp.p_adic(2), cp.p_adic(3)):  # at first the links lead to nothing
        cp.save(acceptor, dangling)
        assert cp.load(real) == acceptor
        assert link.is_symlink()
        assert dangling.is_symlink()
        assert not real.is_symlink()
    assert [path.name for path in real.parent.iterdir()] == ["real.json"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    link, other = tmp_path / "link.json", tmp_path / "other.json"
    link.symlink_to(other)
    other.symlink_to(link)
    with pytest.raises(cp.errors.InvalidFile, match=r"link.json: cannot be written \(it is a link that leads back to"):
        cp.save(ACCEPTOR, link)
    assert link.is_symlink()


KILLED = """
import os, signal, sys
from cutpoint.data.storage import new_files, scratch_folder
with new_files([sys.argv[1]]) as (file,):
    file.write(b"half")
    (scratch_folder(file) / "rows").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_save_removes_what_a_kill_has_left_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / ("a long name of a model, " * 3 + "[a-f].json")
    process = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert process.returncode == -signal.SIGKILL
    left = [each.name for each in tmp_path.iterdir()]
    assert len(left) == 2
    foreign = [".other.0123456789abcdef.part", f"{path.name}.part", f".{path.name[:40]}.x.part"]
    for name in foreign:
        (tmp_path / name).write_bytes(b"foreign")
    with new_files([path]) as (live,):  # a live process has one too, which the save leaves alone
        live.write(b"first")
        write_whole(path, b"second")
        assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, Path(live.name).name, *foreign])
    assert path.read_bytes() == b"first"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, *foreign])


def test_a_part_that_was_removed_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = fcntl.flock
    removed: list[str] = []

    def late(file: Any, operation: int) -> None:
        if operation == fcntl.LOCK_EX and not removed:
            removed.append(file.name)
            Path(file.name).unlink()
        usual(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "file", b"content")
    assert len(removed) == 1
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"content")]
