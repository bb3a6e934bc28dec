"""Many running cases by id: the same answers as one run each, in any batches, saved and restored."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.runs import KEPT, MAGIC, MOST_TURNS
from cutpoint.cases.state_file import StateFile
from cutpoint.data.array_files import packed
from tests.forgeries import bomb, forgeries, huge, signed, stored
from tests.memory import RESET, peak, reset_peak
from tests.refusals import Refusal, check_refused
from tests.strategies import acceptors

BINARY = cp.p_adic(2)


def one_by_one(A: cp.Acceptor, cut_point: Any, events: list[tuple[int, str]]) -> list[cp.cases.CaseState]:
    """What a run for each case says."""
    runs: dict[int, cp.model.Run] = {}
    states = []
    for id, symbol in events:
        run = runs.setdefault(id, A.run(cut_point))
        before = run.accepts
        run.read(symbol)
        states.append(cp.cases.CaseState(len(run), run.acceptance, run.accepts, run.accepts != before))
    return states


@given(st.data())
def test_batches_agree_with_single_runs(data: st.DataObject) -> None:
    """Bit for bit, whatever the batches, also where a case fills a batch, and at the cut point itself."""
    A = data.draw(acceptors(exact=data.draw(st.booleans())))
    event = st.tuples(st.integers(0, 3), st.sampled_from(list(map(str, A.alphabet))))
    events = data.draw(st.lists(event, max_size=4 * MOST_TURNS))
    cut_point = Fraction(data.draw(st.integers(0, 12)), 12)
    runs, answers = cp.Runs(A, cut_point), []
    rest = events
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        batch, rest = rest[:size], rest[size:]
        updates = runs.read_batch([id for id, _ in batch], [symbol for _, symbol in batch])
        answers += [updates[i] for i in range(len(updates))]
    assert answers == one_by_one(A, cut_point, events)
    for id in runs:
        word = "".join(symbol for other, symbol in events if other == id)
        assert runs.distribution(id).tolist() == pytest.approx(A.distribution(word).tolist(), rel=1e-12, abs=0)
        assert runs[id].accepted == A.accepts(word, cut_point)


@given(st.data())
def test_what_is_seen_on_the_way_counts_as_for_single_runs(data: st.DataObject) -> None:
    A = data.draw(acceptors())
    event = st.tuples(
        st.integers(0, 2),
        st.sampled_from(list(map(str, A.alphabet))),
        st.sampled_from([None, None, True, False]),
        st.sampled_from([None, None, *A.states, set(A.states)]),
    )
    events, cut_point = data.draw(st.lists(event, max_size=30)), data.draw(st.sampled_from([0.3, 0.5]))
    runs, places = cp.Runs(A, cut_point), data.draw(st.lists(st.integers(0, 30), max_size=4))
    single: dict[int, cp.model.Run] = {}
    found = []
    for start, end in pairwise(sorted({0, *places, 30})):
        if batch := events[start:end]:
            updates = runs.read_batch(*zip(*batch, strict=True))
            found += [updates[i] for i in range(len(updates))]
    for state, (id, symbol, *seen) in zip(found, events, strict=True):
        run = single.setdefault(id, A.run(cut_point))
        before = run.read(symbol).acceptance
        impossible = False
        try:
            run.see(*seen)
        except cp.errors.ImpossibleObservation:
            impossible = True
        assert (state.events, state.impossible) == (len(run), impossible)
        assert state.acceptance == pytest.approx(before, rel=1e-12, abs=1e-300)
        assert state.accepted in (before > cut_point, None)
    for id, run in single.items():
        assert runs.distribution(id) == pytest.approx(run.distribution, rel=1e-12, abs=1e-300)
        assert runs[id].acceptance == pytest.approx(run.acceptance, rel=1e-12, abs=1e-300)


def test_alarms_are_about_what_was_expected_before_a_verdict(tmp_path: Path) -> None:
    runs = cp.Runs(BINARY, "3/5")
    said = runs.read_batch(["a"] * 3, "110", accepted=[True, None, False])
    assert said.acceptances.tolist() == [0.5, 1.0, 0.5]
    assert said.accepted.tolist() == [0, 1, 0]
    assert said.crossed.tolist() == [False, True, True]
    runs.save(tmp_path / "cases")
    for each in (runs, cp.Runs.load(tmp_path / "cases", BINARY)):
        assert each["a"] == cp.cases.CaseState(3, 0.0, accepted=False)
        assert each.read("a", "1", accepted=True) == cp.cases.CaseState(4, 0.5, accepted=False)
        assert each["a"] == cp.cases.CaseState(4, 1.0, accepted=True)
    tied = cp.Runs(BINARY, "1/2")
    assert tied.read("a", "1", states="s2").accepted is False  # by rational numbers
    assert tied.read("a", "0") == cp.cases.CaseState(2, 0.5, accepted=None)  # these do not know what was seen
    assert tied.read_batch("bcb", "110", accepted=[True, None, None]).accepted.tolist() == [0, 0, -1]


def test_cases_with_many_events_in_a_batch() -> None:
    A, rng = cp.random_acceptor(5, "abc", rng=2), np.random.default_rng(3)
    events = [
        (int(id), "abc"[symbol]) for id, symbol in zip(rng.integers(0, 3, 400), rng.integers(0, 3, 400), strict=True)
    ]
    runs, answers = cp.Runs(A, 0.5), []
    for start in range(0, 400, 50):
        updates = runs.read_batch(*zip(*events[start : start + 50], strict=True))
        answers += [updates[i] for i in range(50)]
    assert answers == one_by_one(A, 0.5, events)


def test_cases_close_and_make_room() -> None:
    runs = cp.Runs(BINARY, "1/2")
    for i in range(1000):
        runs.read(i, "1")
    for i in range(0, 1000, 2):
        assert runs.close(i).events == 1
    assert len(runs) == 500
    room = len(runs._cases)
    runs.read_batch([f"new {i}" for i in range(500)], "0" * 500)
    assert len(runs._cases) == room
    assert {runs[i].acceptance for i in range(1, 1000, 2)} == {0.5}
    assert {runs[f"new {i}"] for i in range(500)} == {cp.cases.CaseState(1, 0.0, False)}
    runs.close(1)
    assert runs.read(1, "0").events == 1  # a closed case begins anew
    assert "new 3" in runs
    assert ["unhashable"] not in runs
    assert repr(runs) == "<Runs: 1,000 open cases, cut point 1/2>"
    assert repr(cp.Runs(BINARY)) == "<Runs: 0 open cases>"


def test_a_verdict_that_floats_cannot_tell_is_none_for_long_cases() -> None:
    """From the first symbol on the acceptance is exactly 1/3; so is the cut point."""
    stuck = cp.Acceptor(3, "a", {"a": {0: {1: "1/3", 2: "2/3"}, 1: 1, 2: 2}}, initial=0, final={1})
    runs = cp.Runs(stuck, "1/3")
    updates = runs.read_batch(["x"] * (KEPT + 2), "a" * (KEPT + 2))
    assert updates.accepted.tolist() == [0] * KEPT + [-1, -1]
    assert not updates.crossed.any()
    assert updates[KEPT].accepted is None
    assert runs["x"].accepted is False  # what was known of it last
    above = cp.Runs(stuck, Fraction(10**30 - 1, 3 * 10**30)).read_batch("x" * KEPT, "a" * KEPT)
    assert above.accepted.all()
    assert above.crossed.tolist() == [True] + [False] * (KEPT - 1)


def test_without_a_cut_point_there_are_no_verdicts() -> None:
    runs = cp.Runs(BINARY)
    assert runs.read("a", "1") == cp.cases.CaseState(1, 0.5, None, False)
    assert runs.read_batch([], []).events.tolist() == []


def test_unknown_symbols_follow_the_rule_of_the_alphabet() -> None:
    skipping = BINARY.with_unknown("skip")
    runs, run = cp.Runs(skipping, "1/2"), skipping.run("1/2")
    updates = runs.read_batch("aaaa", "1x1y")
    assert updates.acceptances.tolist() == [0.5, 0.5, 0.75, 0.75]
    assert updates.accepted.tolist() == [0, 0, 1, 1]
    assert updates.events.tolist() == [1, 2, 3, 4]
    for symbol in "1x1y":
        run.read(symbol)
    assert run.word == "11"
    rare = cp.Acceptor(2, ["a", "<rare>"], {"a": np.eye(2), "<rare>": [[0, 1], [0, 1]]}, 0, {1}).with_unknown("rare")
    assert cp.Runs(rare).read(1, "never seen").acceptance == 1.0
    assert rare.run().read("never seen").acceptance == 1.0


@pytest.mark.parametrize("cut_point", [None, "1/3", 0.1])
def test_saved_and_restored(tmp_path: Path, cut_point: Any) -> None:
    A = cp.gallery.customers()
    runs = cp.Runs(A, cut_point)
    rng = np.random.default_rng(1)
    ids: list[Any] = ["zoë", 17, "17", -(2**80), ""]
    for _ in range(50):
        runs.read(ids[rng.integers(5)], A.alphabet[rng.integers(A.n_symbols)])
    runs.close("17")
    runs.save(tmp_path / "cases")
    again = cp.Runs.load(tmp_path / "cases", A)
    assert list(again) == list(runs)
    assert again.cut_point == runs.cut_point
    for id in runs:
        assert again[id] == runs[id]
        assert again.distribution(id).tolist() == runs.distribution(id).tolist()
    for id in ("new", 17, "another", "17"):
        assert again.read(id, "ad") == runs.read(id, "ad")


def test_a_saved_file_is_for_its_acceptor_and_notices_damage(tmp_path: Path) -> None:
    path = tmp_path / "cases"
    runs = cp.Runs(BINARY, 0.5)
    runs.read("a", "1")
    runs.save(path)
    other = r"cases: the cases belong to another acceptor: .* Load them with the acceptor that read them\."
    with pytest.raises(cp.errors.InvalidFile, match=other):
        cp.Runs.load(path, ~BINARY)
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(cp.errors.InvalidFile):
            cp.Runs.load(path, BINARY)
    arrays = stored(MAGIC, content)
    for name, wrong in [
        ("ids", b"[1, 2]"),
        ("ids", b"[1.5]"),
        ("cases", b"\0"),
        ("cut_point", b"2"),
        ("acceptor", b""),
    ]:
        path.write_bytes(packed(MAGIC, arrays | {name: np.frombuffer(wrong, dtype=np.uint8)}))
        with pytest.raises(cp.CutpointError):
            cp.Runs.load(path, BINARY)
    path.write_bytes(packed(MAGIC, {name: array for name, array in arrays.items() if name != "ids"}))
    with pytest.raises(cp.errors.InvalidFile):
        cp.Runs.load(path, BINARY)


def state_of(path: Path) -> cp.Runs:
    """Cases of a state file, as ``cutpoint watch`` takes them up."""
    lines = EventLines(cp.Runs(BINARY, "1/2"))
    with StateFile(str(path), lines):
        lines.answers(lines.parsed(b'{"id": "a", "event": "1"}\n{"id": "new", "event": "0"}\n'))
    return lines.runs


def load(path: Path) -> cp.Runs:
    return cp.Runs.load(path, BINARY)


def forged_from(tmp_path: Path) -> tuple[Path, bytes]:
    """A state file with two cases, one of them with more events than are kept."""
    path, lines = tmp_path / "cases", EventLines(cp.Runs(BINARY, "1/2"))
    with StateFile(str(path), lines) as file:
        lines.answers(lines.parsed(b'{"id": "a", "event": "1"}\n' * 40 + b'{"id": 7, "event": "0"}\n'))
        file.save()
    return path, path.read_bytes()


FORGED: list[tuple[str, Any, str]] = [
    (
        "row",
        [2.0, 0.0],
        "cases: expected cases with distributions over the states; got other values. Use another copy.",
    ),
    ("row", [np.nan, 1.0], "cases: expected cases with distributions over the states; got other values."),
    ("row", [-1.0, 2.0], "cases: expected cases with distributions over the states; got other values."),
    ("events", -1, "cases: expected cases with distributions over the states; got other values."),
    ("events", 2**63 - 1, "cases: expected cases with distributions over the states; got other values."),
    ("accepted", -128, "cases: expected cases with distributions over the states; got other values."),
    ("first", 3, "cases: expected cases with distributions over the states; got other values."),
    ("cut_point", b"1/0", "cut_point: expected a cut point from 0 to 1, or none; got other values."),
    ("cut_point", b"1e999999999", "cut_point: expected a cut point from 0 to 1, or none; got other values."),
    ("cut_point", b"", "there are verdicts, and no cut point."),
    ("ids", b'["a", "a"]', "the ids and the numbers of the cases do not fit together."),
    ("ids", b"[" * 100_000, "the ids of the cases cannot be read (Expected "),
    ("lines", np.array(-5), "lines: expected a number of lines; got other values."),
    ("lines", np.zeros(10**6), "lines: expected an array of '<i8' of shape (); got '<f8' of shape (1000000,)."),
    ("settings", b"{", "the cases were kept with another cut point, other fields, closing events or unknown symbols."),
    ("more", b"", "'more': expected no array of this name."),
]


@pytest.mark.parametrize(("name", "value", "sentence"), FORGED, ids=lambda value: str(value)[:20])
def test_forged_cases_are_refused(name: str, value: Any, sentence: str, tmp_path: Path) -> None:
    path, content = forged_from(tmp_path)
    arrays = stored(MAGIC, content)
    if name in (arrays["cases"].dtype.names or ()):
        arrays["cases"][name][0] = value
    else:
        arrays[name] = np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes) else value
    path.write_bytes(packed(MAGIC, arrays))
    with pytest.raises(cp.errors.InvalidFile) as raised:
        state_of(path)
    assert str(raised.value).startswith(f"{path}: {sentence}")


@pytest.mark.skipif(not RESET.exists(), reason="needs Linux's account of memory")
def test_cases_are_not_decompressed(tmp_path: Path) -> None:
    path, content = forged_from(tmp_path)
    arrays = stored(MAGIC, content)
    for archive in (bomb(arrays, "cases", 1 << 29), huge(arrays, "cases", (10**12,)), bomb(arrays, "x", 1 << 29)):
        path.write_bytes(signed(MAGIC, archive))
        before = reset_peak()
        for read in (load, state_of):
            with pytest.raises(cp.errors.InvalidFile):
                read(path)
        assert peak() - before < 30_000


@pytest.mark.parametrize("read", [load, state_of])
def test_forgeries_are_refused_or_read_on(read: Any, tmp_path: Path) -> None:
    path, content = forged_from(tmp_path)
    refused = 0
    for forged in forgeries(MAGIC, content, 300, seed=1):
        path.write_bytes(forged)
        try:
            runs = read(path)
        except cp.errors.InvalidFile:
            refused += 1
        else:
            for id in [*runs]:
                assert 0.0 <= runs.read(id, "1").acceptance <= 1.0 + 1e-6
    assert refused > 150


def saved(runs: cp.Runs, id: Any = "a") -> None:
    runs.read(id, "1")
    runs.save("/nowhere/cases")


REFUSALS: list[Refusal] = [
    (
        lambda: cp.Runs(BINARY).read_batch("ab", "12"),
        cp.errors.UnknownSymbol,
        "event 1: symbol '2' is not in the alphabet {'0', '1'}.",
    ),
    (
        lambda: cp.Runs(BINARY).read_batch("ab", "1"),
        cp.errors.InvalidArgument,
        "a batch needs one symbol per id, 2; got 1.",
    ),
    (
        lambda: cp.Runs(BINARY).read([1], "1"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "an id must be hashable, such as strings or numbers; got [1].",
    ),
    (
        lambda: cp.Runs(BINARY)["x"],
        cp.errors.InvalidArgument,
        "there is no open case 'x'. A case opens with its first symbol.",
    ),
    (
        lambda: saved(cp.Runs(BINARY), ("a", 1)),
        cp.errors.InvalidArgument,
        "ids that are saved must be texts or whole numbers; got ('a', 1).",
    ),
    (
        lambda: saved(cp.Runs(BINARY, cp.AlgebraicNumber.sqrt("1/2"))),
        cp.errors.InvalidArgument,
        "a file can keep a cut point that is rational; got <AlgebraicNumber of -1 + 2x^2: 0.707106781187>.",
    ),
    (
        lambda: saved(cp.Runs(BINARY)),
        cp.errors.InvalidFile,
        "/nowhere/cases: cannot be written (No such file or directory).",
    ),
    (
        lambda: cp.Runs(BINARY).read_batch(["a"], None),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "a batch is ids and their symbols, in lists; got ['a'] and None.",
    ),
    (
        lambda: cp.Runs(BINARY).save(3),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected the path of a file; got 3.",
    ),
    (lambda: cp.Runs("model.json"), cp.errors.InvalidArgument, "expected an Acceptor; got 'model.json'."),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSALS, ids=lambda value: "")
def test_refusals(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)


def test_what_is_refused_changes_nothing() -> None:
    runs = cp.Runs(BINARY)
    runs.read("a", "1")
    for ids, symbols in [("ab", "1x"), (["b", ["c"]], "11"), ("ab", "111")]:
        with pytest.raises(cp.CutpointError):
            runs.read_batch(ids, symbols)
    assert list(runs) == ["a"]
    assert runs["a"].events == 1
