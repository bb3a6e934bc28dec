"""Where files are written: a pipe, a device or a folder in their place is refused by every writer, and stays."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code

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
