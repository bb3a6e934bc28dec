"""``cutpoint watch`` as users run it: killed and started again, interrupted, its reader gone, strict."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

import cutpoint as cp
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.state_file import StateFile
from cutpoint.cli.app import _exit_code
from cutpoint.cli.watch import one_interrupt_waits
from tests.consoles import environment, shell

PROGRAM = [sys.executable, "-c", "from cutpoint.cli import main; main()", "watch"]
A = cp.gallery.customers()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    cp.save(A, tmp_path / "model.json", cut_point=0.4)
    return tmp_path


def started(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    call = [*PROGRAM, "model.json", "--id", "who", "--event", "what", *options]
    return subprocess.Popen(call, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, env=environment(folder))


def pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def event_lines(n: int) -> list[bytes]:
    names = [str(symbol) for symbol in A.alphabet]
    return [b'{"who": "case %d", "what": "%s"}\n' % (i * i % 7, names[i % 5].encode()) for i in range(n)]


def noted(answers: dict[int, Any], lines: bytes) -> None:
    """Add answers; a line that is answered again has the same answer. One that is cut off is no answer."""
    for line in lines.splitlines(keepends=True):
        if line.endswith(b"\n"):
            answer = json.loads(line)
            assert answers.setdefault(answer["line"], answer) == answer


def check_complete(answers: dict[int, Any], lines: list[bytes], folder: Path) -> None:
    """Answers and kept cases are those of a program that was never killed."""
    runs, events = cp.Runs(A, 0.4), [json.loads(line) for line in lines]
    expected = runs.read_batch([event["who"] for event in events], [event["what"] for event in events])
    assert list(answers) == list(range(1, len(lines) + 1))
    assert [answer["events"] for answer in answers.values()] == expected.events.tolist()
    assert [answer["acceptance"] for answer in answers.values()] == expected.acceptances.tolist()
    assert ["alarm" in answer for answer in answers.values()] == expected.crossed.tolist()
    restored = cp.Runs.load(folder / "cases", A)
    assert {id: restored[id] for id in restored} == {id: runs[id] for id in runs}


def test_killed_again_and_again_it_loses_nothing_and_counts_nothing_twice(here: Path) -> None:
    """Each time it is killed at another moment, with lines on the way; the sender goes on after the last answer."""
    lines, answers = event_lines(400), dict[int, Any]()
    for some, more in ((5, 0), (30, 11), (30, 100), (1, 10), (30, 400)):
        with started(here, "--state", "cases", "--from-line", str(len(answers) + 1)) as process:
            into, out = pipes(process)
            rest = lines[len(answers) :]
            into.write(b"".join(rest[:some]))
            into.flush()
            noted(answers, out.readline())
            into.write(b"".join(rest[some : some + more]))
            into.flush()
            into.close() if more == 400 else process.kill()
            noted(answers, out.read())
        assert process.returncode == (0 if more == 400 else -signal.SIGKILL)
    check_complete(answers, lines, here)


def test_lines_kept_but_not_answered_before_a_crash_are_answered_once_more(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines, answers = event_lines(10), dict[int, Any]()
    with StateFile(str(here / "cases"), EventLines(cp.Runs(A, 0.4), "who", "what")) as kept:
        for batch in (lines[:4], lines[4:7]):
            kept.append(b"".join(batch))
            found = kept.lines.answers(kept.lines.parsed(b"".join(batch)))
            if len(batch) == 4:
                noted(answers, found)
    monkeypatch.chdir(here)
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"".join(lines[3:]))))
    monkeypatch.setattr(sys, "stdin", given)
    call = ["watch", "model.json", "--id", "who", "--event", "what", "--state", "cases", "--from-line", "4"]
    assert _exit_code(call) == 0
    done = capsysbinary.readouterr()
    assert done.err == b"cases: 4 open cases after 7 lines\n"
    assert [json.loads(line)["line"] for line in done.out.splitlines()] == [5, 6, 7, 8, 9, 10]
    noted(answers, done.out)
    check_complete(answers, lines, here)


def test_ctrl_c_ends_in_a_sentence_and_keeps_what_was_answered(here: Path) -> None:
    with started(here, "--state", "cases") as process:
        into, out = pipes(process)
        into.write(b"".join(event_lines(3)))
        into.flush()
        answered = [out.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest, err = out.read(), process.communicate()[1]
    assert (process.returncode, rest, err.strip()) == (130, b"", b"cutpoint: interrupted.")
    with StateFile(str(here / "cases"), EventLines(cp.Runs(A, 0.4), "who", "what")) as kept:
        assert kept.repeated == b"".join(answered)


def test_one_interrupt_waits_for_the_batch_and_two_do_not() -> None:
    done = []

    def batch(interrupts: int) -> None:
        with one_interrupt_waits():
            for i in range(interrupts):
                os.kill(os.getpid(), signal.SIGINT)
                done.append(i)

    for interrupts in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            batch(interrupts)
    assert done == [0, 0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_reader_who_leaves_is_no_error(here: Path) -> None:
    (here / "events.ndjson").write_bytes(b"".join(event_lines(20_000)))
    line = "cutpoint watch model.json --id who --event what < events.ndjson | head -1"
    done = shell(line, here)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")
