"""Lines of events and their answers; the file and the journal that keep them."""

import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import cutpoint as cp
from cutpoint.cases import state_file
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.state_file import Journal, StateFile

BINARY = cp.p_adic(2)


def lines_of(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def event(id: Any, symbol: Any) -> dict[str, Any]:
    return {"id": id, "event": symbol, "more": {"nested": [1, None]}}


def answered(lines: EventLines, content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.answers(lines.parsed(content)).splitlines()]


def watching(cut_point: Any = "1/2", **options: Any) -> EventLines:
    return EventLines(cp.Runs(BINARY, cut_point), **options)


def test_each_line_has_its_answer() -> None:
    lines = watching()
    content = lines_of(event("a", "1"), event("b", "0"), event("a", "1"), event("a", "0"))
    assert answered(lines, content) == [
        {"line": 1, "id": "a", "events": 1, "acceptance": 0.5, "accepted": False},
        {"line": 2, "id": "b", "events": 1, "acceptance": 0.0, "accepted": False},
        {"line": 3, "id": "a", "events": 2, "acceptance": 0.75, "accepted": True, "alarm": "above"},
        {"line": 4, "id": "a", "events": 3, "acceptance": 0.375, "accepted": False, "alarm": "below"},
    ]
    assert answered(watching(None), lines_of(event(7, "1"))) == [{"line": 1, "id": 7, "events": 1, "acceptance": 0.5}]
    assert answered(lines, b"") == []
    assert answered(lines, lines_of(event(7, "1")))[0]["line"] == 5


def test_verdicts_count_for_the_events_that_follow(tmp_path: Path) -> None:
    named = cp.files.Model(cp.random_acceptor(2, "01", rng=1), classes=("wrong", "right")).acceptor
    seen = [True, None, "no", 1, "right", "?", 0]
    content = lines_of(*({"id": "a", "event": "1", "solved": value} for value in seen), event("a", "1"))
    run, expected = named.run(), []
    for verdict in (True, None, False, True, True, None, False, None):
        expected.append(run.read("1").acceptance)
        run.see(verdict)
    lines = EventLines(cp.Runs(named), verdict="solved")
    with StateFile(str(tmp_path / "cases"), lines) as kept:
        kept.append(content)
        said = answered(lines, content)
    assert [each["acceptance"] for each in said] == pytest.approx(expected, rel=1e-12, abs=0)
    again = EventLines(cp.Runs(named), verdict="solved")
    with StateFile(str(tmp_path / "cases"), again) as kept:  # from the journal
        assert [json.loads(line) for line in kept.repeated.splitlines()] == said
        kept.save()
    assert again.runs["a"] == lines.runs["a"]
    with pytest.raises(cp.errors.InvalidFile, match="kept with another cut point, other fields"):
        StateFile(str(tmp_path / "cases"), EventLines(cp.Runs(named)))
    wrong = {"id": "a", "event": "1", "solved": "hardly"}
    impossible = {"id": "b", "event": "0", "solved": True}
    said = answered(watching(None, verdict="solved"), lines_of(wrong, impossible, event("b", "1")))
    sentence = "'solved' must be true or false, 1 or 0, yes or no, or missing; got 'hardly'."
    assert said[0] == {"line": 1, "error": sentence}
    assert said[1] == {"line": 2, "id": "b", "events": 1, "acceptance": 0.0, "impossible": True}
    assert said[2] == {"line": 3, "id": "b", "events": 2, "acceptance": 0.5}


GOOD = '{"id": "a", "event": "1"}'
EXPECTED = "expected an object with the fields 'id' and 'event', texts or whole numbers "
BAD = {
    "hm": EXPECTED + "(JSON is malformed: invalid character (byte 0)).",
    '{"id": "a"': EXPECTED + "(Input data was truncated).",
    '{"id": "a"}': EXPECTED + "(Object missing required field `event`).",
    '{"id": null, "event": "1"}': EXPECTED + "(Expected `int | str`, got `null` - at `$.id`).",
    '{"id": 1.5, "event": "1"}': EXPECTED + "(Expected `int | str`, got `float` - at `$.id`).",
    '{"id": "a", "event": true}': EXPECTED + "(Expected `int | str`, got `bool` - at `$.event`).",
    "[1, 2]": EXPECTED + "(Expected `object`, got `array`).",
    GOOD + " " + GOOD: EXPECTED + "(JSON is malformed: trailing characters (byte 27)).",
    '{"id": "a", "event": "2"}': "symbol '2' is not in the alphabet {'0', '1'}.",
    '{"id": "a", "event": 1}': "symbol 1 is not in the alphabet {'0', '1'}. Did you mean '1' (a str, not an int)?",
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_line_is_answered_by_a_sentence_and_changes_nothing(bad: str) -> None:
    lines = watching()
    content = f"{GOOD}\n{bad}\n{GOOD}\n".encode()
    first, error, last = answered(lines, content)
    assert error == {"line": 2, "error": BAD[bad]}
    assert (first["events"], last["line"], last["events"]) == (1, 3, 2)
    assert lines.parsed(content).before_error().content == f"{GOOD}\n".encode()
    assert lines.parsed(content[: len(GOOD) + 1]).before_error().content == f"{GOOD}\n".encode()


@pytest.mark.parametrize(
    "bad",
    [b"\xff", b'{"id": "\xff", "event": "1"}', b"\0", b"[" * 10**5, b'{"id": "a", "event": "1", "x": ' + b"[" * 10**5],
)
def test_hostile_lines(bad: bytes) -> None:
    assert "error" in answered(watching(), bad + b"\n")[0]


def test_empty_lines_count_and_have_no_answer() -> None:
    content = f"\n{GOOD}\r\n  \n{GOOD}\n".encode()
    assert [answer["line"] for answer in answered(watching(), content)] == [2, 4]


def test_an_object_on_two_lines_is_not_taken_for_one_of_another_line() -> None:
    content = b'{"id": "a",\n"event": "1"}\n' + GOOD.encode() + GOOD.encode() + b"\n"
    assert ["error" in answer for answer in answered(watching(), content)] == [True, True, True]


def test_closing_events() -> None:
    """One that is a symbol is read first; a case that comes back begins anew, within a batch as between two."""
    content = [
        event("a", "1"),
        event("a", "done"),
        event("a", "1"),
        event("b", "0"),
        event("b", "done"),
        event("c", "done"),
    ]
    for size in (1, 2, 6):
        lines, answers = watching(close=["done", "0"]), []
        for i in range(0, 6, size):
            answers += answered(lines, lines_of(*content[i : i + size]))
        assert [answer["events"] for answer in answers] == [1, 1, 1, 1, 0, 0]
        assert [answer.get("closed") for answer in answers] == [None, True, None, True, True, True]
        assert [answer["acceptance"] for answer in answers] == [0.5, 0.5, 0.5, 0.0, 0.0, 0.0]
        assert list(lines.runs) == ["a"]


def test_symbols_that_are_not_texts() -> None:
    A = BINARY.renamed(symbols={"0": 0, "1": (1, 2)})
    lines = EventLines(cp.Runs(A))
    answers = answered(lines, lines_of(event(1, 0), event(1, "0"), event(1, "(1, 2)")))
    assert [answer["events"] for answer in answers] == [1, 2, 3]
    assert answers[-1]["acceptance"] == 0.5
    closing = EventLines(cp.Runs(A), close=["0", "9"])
    answers = answered(closing, lines_of(event(1, 0), event(2, 9), event(3, "0")))
    assert [(answer["events"], answer["closed"]) for answer in answers] == [(1, True), (0, True), (1, True)]
    with pytest.raises(cp.errors.InvalidArgument, match=r"event must be another field than the id; got 'x' for both\."):
        watching(id="x", event="x")


def fed(path: Path, content: bytes, lines: EventLines | None = None) -> list[dict[str, Any]]:
    """Answers to lines that are kept, as after a crash: the file is not written again at the end."""
    with StateFile(str(path), lines or watching()) as kept:
        kept.append(content)
        return answered(kept.lines, content)


def test_kept_lines_are_restored_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "cases"
    fed(path, lines_of(event("a", "1")))
    second = lines_of(event("a", "1"), event("b", "1"), "hm")
    answers = fed(path, second)
    assert (answers[0]["line"], answers[0]["events"]) == (2, 2)
    with StateFile(str(path), watching()) as kept:
        assert kept.lines.lines == 4
        assert kept.lines.runs["a"] == cp.cases.CaseState(2, 0.75, True)
        assert [json.loads(line) for line in kept.repeated.splitlines()] == answers
        kept.save()
    assert (tmp_path / "cases.journal").read_bytes() == b""
    assert cp.Runs.load(path, BINARY)["b"].events == 1
    with StateFile(str(path), watching()) as kept:
        assert (kept.lines.lines, kept.repeated) == (4, b"")


def test_a_crash_between_the_file_and_the_journal_counts_no_line_twice(tmp_path: Path) -> None:
    path, journal = tmp_path / "cases", tmp_path / "cases.journal"
    fed(path, lines_of(event("a", "1")))
    old = journal.read_bytes()
    with StateFile(str(path), watching()) as kept:
        kept.save()
    journal.write_bytes(old)
    assert fed(path, lines_of(event("a", "1")))[0]["events"] == 2
    with StateFile(str(path), watching()) as kept:
        assert kept.lines.runs["a"].events == 2


def test_every_unfinished_end_of_the_journal_is_cut_off(tmp_path: Path) -> None:
    """Cut at each byte, also with zeros behind: all whole batches are there, and the next one can be appended."""
    path, journal = tmp_path / "cases", tmp_path / "cases.journal"
    batches = [lines_of(event("a", "1")), lines_of(event("b", "0"), event("a", "0"))]
    ends = [0]
    for batch in batches:
        fed(path, batch)
        ends.append(journal.stat().st_size)
    whole, file = journal.read_bytes(), path.read_bytes()
    for cut, extended in product(range(0, len(whole), 3), (False, True)):
        end = min(end for end in ends if end > cut) if extended else cut
        journal.write_bytes(whole[:cut].ljust(end, b"\0"))
        path.write_bytes(file)
        expected = sum(batch.count(b"\n") for batch, end in zip(batches, ends[1:], strict=True) if end <= cut)
        assert fed(path, lines_of(event("c", "1")))[0]["line"] == expected + 1
        with StateFile(str(path), watching()) as kept:
            assert kept.lines.lines == expected + 1


def test_a_damaged_journal_is_refused(tmp_path: Path) -> None:
    path, journal = tmp_path / "cases", tmp_path / "cases.journal"
    fed(path, lines_of(event("a", "1")))
    first = journal.stat().st_size
    fed(path, lines_of(event("a", "1")))
    content = journal.read_bytes()
    for place in range(first):
        journal.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(cp.errors.InvalidFile, match="the journal is damaged at byte 0"):
            StateFile(str(path), watching())
    journal.write_bytes(content[first:])
    with pytest.raises(cp.errors.InvalidFile, match="the journal goes on after line 1, and the file ends after line 0"):
        StateFile(str(path), watching())
    path.unlink()
    with pytest.raises(cp.errors.InvalidFile, match="Use the file that belongs to the journal"):
        StateFile(str(path), watching())


def test_one_process_at_a_time_with_the_same_options(tmp_path: Path) -> None:
    path = str(tmp_path / "cases")
    with StateFile(path, watching()), pytest.raises(cp.errors.InvalidArgument, match="is in use"):
        StateFile(path, watching())
    for other in (watching("1/3"), watching(id="who"), watching(close=["0"]), watching(None)):
        with pytest.raises(cp.errors.InvalidFile, match="Give the same options, or name another file"):
            StateFile(path, other)
    with pytest.raises(cp.errors.InvalidFile, match="another acceptor"):
        StateFile(path, EventLines(cp.Runs(~BINARY, "1/2")))
    with StateFile(path, watching()):
        pass
    with pytest.raises(cp.errors.InvalidFile, match="cannot be written"):
        Journal("/nowhere/journal", like="/nowhere/state")


def test_a_batch_is_forced_to_the_disk_before_it_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StateFile(str(tmp_path / "cases"), watching()) as kept:
        forced, usual = [], os.fsync
        monkeypatch.setattr(os, "fsync", lambda file: forced.append((os.fstat(file).st_size, usual(file))))
        kept.append(lines_of(event("a", "1")))
        assert [size for size, _ in forced] == [(tmp_path / "cases.journal").stat().st_size]


def test_a_long_journal_is_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "SMALLEST_LIMIT", 100)
    with StateFile(str(tmp_path / "cases"), watching()) as kept:
        sizes = []
        for _ in range(300):
            content = lines_of(event("a", "1"))
            kept.append(content)
            kept.lines.answers(kept.lines.parsed(content))
            kept.save_if_long()
            sizes.append((tmp_path / "cases.journal").stat().st_size)
    assert sizes.count(0) > 1
    with StateFile(str(tmp_path / "cases"), watching()) as kept:
        assert kept.lines.runs["a"].events == 300
