"""The scoreboard itself: failures, crashes and hangs are counted, and planted errors must be found."""

import multiprocessing
import signal
import threading
from typing import Any

import pytest
from torture import calls, mutants, page, scoreboard
from torture.rows import ROWS
from torture.scoreboard import Row, Tally, budgets, play, self_test

from tests import toy_rows


def played(check: Any, seconds: float = 60.0, batches: int | None = None, **options: Any) -> Tally:
    """A row tried from seed 3 until the time is over, it failed twice, or so many seeds were tried."""
    tally = Tally(Row("toy", "A toy.", check, toy_rows.break_it, **options))
    play([(tally, seconds)], 3, batches)
    return tally


@pytest.fixture(autouse=True)
def _two_failures_end_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "MOST_FAILURES", 2)


def test_cases_are_counted_until_the_time_is_over() -> None:
    tally = played(toy_rows.holds, seconds=0.5)
    assert tally.cases >= 10
    assert tally.cases % 10 == 0
    assert tally.failures == []
    assert tally.seconds > 0.0


def test_a_row_ends_after_so_many_batches() -> None:
    assert played(toy_rows.holds, batches=4).cases == 40


def test_an_interrupt_ends_the_processes_of_rows() -> None:
    tally = Tally(Row("toy", "A toy.", toy_rows.hangs_at_odd_seeds, toy_rows.break_it))
    threading.Timer(1.0, signal.pthread_kill, [threading.get_ident(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        play([(tally, 60.0)], first_seed=3)
    assert multiprocessing.active_children() == []
    assert tally.failures == []


def test_a_failure_says_how_to_see_it_again() -> None:
    tally = played(toy_rows.fails_at_odd_seeds)
    assert [failure.seed for failure in tally.failures] == [3, 5]
    assert tally.cases == 1
    assert "AssertionError: odd: 3" in str(tally.failures[0])
    assert str(tally.failures[0]).endswith("again: python -m torture --row toy --seed 3")


def test_a_crash_is_a_failure_of_its_seed_alone() -> None:
    tally = played(toy_rows.dies_at_odd_seeds)
    assert [failure.seed for failure in tally.failures] == [3, 5]
    assert tally.cases == 1
    assert "in dies_at_odd_seeds" in tally.failures[0].text
    assert tally.failures[0].text.endswith("the process died: signal 11 (SIGSEGV)")


@pytest.mark.parametrize(("load", "seconds"), [(1.0, "0.5"), (3.0, "1.5")])
def test_a_hang_is_a_failure_of_its_seed_alone(load: float, seconds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "load", lambda: load)
    tally = played(toy_rows.hangs_at_odd_seeds, timeout=0.5)
    assert [failure.seed for failure in tally.failures] == [3, 5]
    assert tally.cases == 1
    assert tally.failures[0].text == f"no answer after {seconds} seconds"


def test_rows_that_do_not_fit_say_so() -> None:
    short, long = (
        Row("a", "", toy_rows.holds, toy_rows.break_it),
        Row("b", "", toy_rows.holds, toy_rows.break_it, minutes=10),
    )
    lacking = Row("c", "", toy_rows.holds, toy_rows.break_it, missing=lambda: "no compiler", share=5)
    notes = {tally.row.name: (tally.note, seconds) for tally, seconds in budgets([short, long, lacking], 2)}
    assert notes == {"a": ("", 120.0), "b": ("not run: needs 10 minutes", 0.0), "c": ("not run: no compiler", 0.0)}


@pytest.mark.parametrize(
    ("check", "plant", "expected"),
    [
        (toy_rows.holds, toy_rows.break_it, ""),
        (toy_rows.holds, toy_rows.change_nothing, "the planted error was not found by 2 seeds"),
        (toy_rows.holds, toy_rows.cannot_plant, "the error could not be planted"),
        (toy_rows.fails_at_odd_seeds, toy_rows.change_nothing, "fails without a planted error"),
    ],
)
def test_planted_errors_must_be_found(check: Any, plant: Any, expected: str) -> None:
    problem = self_test(Row("toy", "", check, plant, tries=2))
    assert problem.startswith(expected)
    assert bool(problem) == bool(expected)


def test_the_page_is_written_between_its_marks(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text(f"before\n{page.BEGIN}\nformer\n{page.END}\nafter\n")
    tallies = [
        Tally(Row("toy", "Always.", toy_rows.holds, toy_rows.break_it), 1234),
        Tally(ROWS[0], note="not run: needs 10 minutes"),
    ]
    page.write(tallies, 60, 7)
    text = page.PAGE.read_text()
    assert text.startswith(f"before\n{page.BEGIN}\n")
    assert text.endswith(f"{page.END}\nafter\n")
    assert "former" not in text
    assert "| toy | Always. | 1,234 | 0 | 0 |" in text
    assert "| not run: needs 10 minutes |  |  |" in text
    assert "60 minutes" in text
    assert "first seed 7" in text


def test_methods_of_every_public_class_are_called() -> None:
    """A class that is new among the public names needs a value in ``calls.instances``."""
    assert {name.partition(".")[0] for name, found in calls.functions() if isinstance(found, tuple)} <= {
        *calls.instances()
    }


def test_rows_are_well_named() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert all(" " not in name and row.promise.endswith(".") for name, row in zip(names, ROWS, strict=True))


def test_lines_that_are_left_alone_are_in_their_modules() -> None:
    """A line that has changed is no longer one whose mutants are known to be equivalent."""
    for module, lines in (each for reason in mutants.EQUIVALENT.values() for each in reason.items()):
        found = {line.partition("  #")[0].strip() for line in mutants.source_of(module).read_text().splitlines()}
        assert found.issuperset(lines), module
