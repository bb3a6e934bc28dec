"""Which columns a table has: one answer and one sentence, whoever asks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cutpoint as cp
from cutpoint.cli.app import _exit_code
from cutpoint.data.column_names import EVENT_TABLE, WORD_TABLE, has_header
from cutpoint.shards import writing

ROWS = [("7", "2", "buy", "yes"), ("8", "1", "look", "no"), ("7", "1", "look", "")]
SAMPLE = cp.Sample([["look", "buy"], ["look"]], [True, False])


def table(path: Path, *names: str) -> Path:
    """Four columns of events, with or without a header."""
    rows = [names, *ROWS] if names else ROWS
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def in_shards(path: Path, **options: Any) -> cp.Sample:
    """The sample of a table whose events are gathered by id, as if it were large, and beside an empty case."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "AT_ONCE", 1)
        shards = cp.write_shards(path, path.parent / "shards", **options)
    return cp.Sample.concatenate(list(shards.samples()), shards.alphabet)


READERS: dict[str, Callable[..., cp.Sample]] = {"read_sample": cp.read_sample, "write_shards": in_shards}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("id", "time", "event", "outcome"), {}),
        (("Case_ID", " Timestamp", "ACTIVITY", "Label"), {}),
        (("case id", "step", "symbol", "class"), {}),
        (("who", "at", "what", "sold"), {"id": "who", "order": "at", "event": "what", "outcome": "sold"}),
        (("who", "order", "what", "target"), {"id": "who", "event": "what"}),
        (("id", "time", "event", "outcome"), {"id": 1, "order": 2, "event": 3, "outcome": 4}),
        ((), {"id": 1, "order": 2, "event": 3, "outcome": 4}),
        ((), {"id": 1, "order": 2, "event": 3, "outcome": 4, "header": False}),
    ],
)
def test_the_same_columns_are_found(tmp_path: Path, reader: str, names: tuple[str, ...], options: Any) -> None:
    if reader == "write_shards" and not options:
        options = {"id": names[0]}  # shards gather events by id only if a column of events is named
    assert READERS[reader](table(tmp_path / "t.csv", *names), **options) == SAMPLE


@pytest.mark.parametrize("reader", [*READERS, "cutpoint shard"])
@pytest.mark.parametrize(
    ("names", "options", "sentence"),
    [
        (
            ("id", "time", "event", "step"),
            {"id": "id"},
            "columns 2 and 4 could be 'order', by their names. Choose one with order=….",
        ),
        (
            ("who", "time", "event", "outcome"),
            {"event": "event"},
            "no column is called id, case, case id, case key, trace id or case:concept:name; the columns are {'who', "
            "'time', 'event', 'outcome'}. Choose one with id=….",
        ),
        (
            ("id", "time", "what", "outcome"),
            {"id": "id", "event": "whit"},
            "event must be one of the columns {'id', 'time', 'what', 'outcome'}; got 'whit'. Did you mean 'what'?",
        ),
        (("id", "at", "event", "outcome"), {"id": 7}, "id must be one of the columns {1, 2, 3, 4}; got 7."),
        (("id", "id", "event", "outcome"), {"id": "id"}, "id must be one column; 2 have the name 'id'. Give a number."),
    ],
)
def test_the_same_columns_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    reader: str,
    names: tuple[str, ...],
    options: dict[str, Any],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    table(Path("t.csv"), *names)
    if reader == "cutpoint shard":
        monkeypatch.setattr(writing, "AT_ONCE", 1)
        given = [text for role, column in options.items() for text in (f"--{role}", str(column))]
        assert _exit_code(["shard", "t.csv", "-o", "shards", *given]) == 3
        told = capsys.readouterr().err
        assert sentence.split(" ", 1)[1].split(" Choose", maxsplit=1)[0] in told  # options in place of arguments
        return
    with pytest.raises(cp.errors.FormatError) as caught:
        READERS[reader](Path("t.csv"), **options)
    assert str(caught.value).startswith(f"t.csv: {sentence}")


def test_data_frames_are_refused_with_the_same_sentence() -> None:
    df = pl.DataFrame(ROWS, ["id", "time", "what", "outcome"], orient="row")
    with pytest.raises(cp.errors.InvalidArgument) as caught:
        cp.Sample.from_events(df, id="id", event="whit")
    assert str(caught.value) == (
        "event must be one of the columns {'id', 'time', 'what', 'outcome'}; got 'whit'. Did you mean 'what'?"
    )
    assert cp.Sample.from_events(df, id=1, event="what", order="time", outcome=4) == SAMPLE  # type: ignore[arg-type]


def test_shards_with_attributes_and_gaps(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,time,event,goal,n\n7,1,look,car,5\n8,1,look,,50\n7,4,buy,car,\n")
    options: dict[str, Any] = {"id": "id", "gaps": [2], "attributes": {"goal": None, "n": [10]}}
    expected = cp.Sample([["goal=car", "n<10", "look", "wait>=2", "buy"], ["n>=10", "look"]])
    assert cp.read_sample(path, **options) == in_shards(path, **options) == expected


def test_shards_of_files_whose_columns_are_called_differently(tmp_path: Path) -> None:
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text("id,time,event\n7,2,buy\n8,1,look\n")
    two.write_text("outcome,timestamp,case,event\n,1,7,look\nyes,3,9,buy\n")
    shards = cp.write_shards([one, two], tmp_path / "shards", event="event")
    found = cp.Sample.concatenate(list(shards.samples()), shards.alphabet)
    assert found == cp.Sample([["look", "buy"], ["look"], ["buy"]], [None, None, True])


def test_no_name_stands_for_two_columns_of_one_table() -> None:
    for roles in (WORD_TABLE, EVENT_TABLE):
        names = [name for known in roles.values() for name in known]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["word"], True),
        (["words", "x"], True),
        (["word", "1"], False),
        (["look", "buy"], False),
        (["no", "text"], False),
    ],
)
def test_a_header_is_told_by_its_names(cells: list[str], expected: bool) -> None:
    assert has_header(cells, {}, None) is expected
    assert has_header(cells, {}, not expected) is not expected
    assert has_header(cells, {"word": "w"}, None)
