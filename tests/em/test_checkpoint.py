"""Checkpoints: a climb that was stopped, however it was stopped, ends bit for bit where it would have ended."""

import io
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import cutpoint as cp
from cutpoint.data.array_files import packed
from cutpoint.data.storage import write_whole
from cutpoint.em.checkpoint import DELETE, MAGIC
from cutpoint.model.digests import digest_of
from tests.forgeries import bomb, compressed, forgeries, huge, signed, stored
from tests.memory import RESET, peak, reset_peak

SAMPLE = cp.simulate(cp.gallery.majority(), cp.random_words("ab", 60, (0, 6), rng=1), rng=2)
START = cp.random_acceptor(10, "ab", rng=3)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "accelerated": {"accelerate": True},
    "prior": {"prior": 0.3, "learn_initial": True},
    "accelerated with a prior": {"prior": 0.3, "learn_initial": True, "accelerate": True},
    "tied states": {"tied_states": [[0, 1, 2], [4, 9]], "learn_initial": True},
    "accelerated and tied": {"tied_states": [[0, 1, 2]], "tied_symbols": ["ab"], "prior": 0.1, "accelerate": True},
    "fixed": {"fixed": [("a", 0, 1), ("b", 3)], "accelerate": True},
}


def bits(fit: cp.Fit) -> tuple[Any, ...]:
    """All that a fit says, as bits."""
    arrays = fit.acceptor.transitions.tobytes(), fit.acceptor.initial.tobytes(), np.array(fit.history).tobytes()
    return *arrays, fit.stop, fit.log_likelihood, fit.detail


def stopping_after(calls: int) -> Any:
    """Callback that stops the climb at its so manyth call."""
    seen: list[cp.em.Progress] = []

    def callback(progress: cp.em.Progress) -> bool:
        seen.append(progress)
        return len(seen) >= calls

    return callback


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_climb_stopped_after_any_number_of_steps_ends_the_same(
    engine: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    seen: list[cp.em.Progress] = []
    whole = cp.baum_welch(START, SAMPLE, 1e-4, 12, callback=seen.append, **options, engine=engine)
    assert len(seen) >= 4
    for calls in range(1, len(seen) + 1):
        path = tmp_path / f"{calls}.checkpoint"
        part = cp.baum_welch(
            START, SAMPLE, 1e-4, 12, callback=stopping_after(calls), checkpoint=path, **options, engine=engine
        )
        assert part.stop is cp.em.Stop.INTERRUPTED
        assert part.steps == seen[calls - 1].steps
        again: list[cp.em.Progress] = []
        rest = cp.baum_welch(START, SAMPLE, 1e-4, 12, callback=again.append, checkpoint=path, **options, engine=engine)
        assert bits(rest) == bits(whole)
        assert [progress.steps for progress in again] == [progress.steps for progress in seen[calls:]]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_climb_stopped_after_every_step_ends_the_same(engine: Any, options: dict[str, Any], tmp_path: Path) -> None:
    whole = cp.baum_welch(START, SAMPLE, 1e-4, 12, **options, engine=engine)
    path, calls = tmp_path / "run", 0
    while True:
        fit = cp.baum_welch(START, SAMPLE, 1e-4, 12, time_limit=1e-300, checkpoint=path, **options, engine=engine)
        calls += 1
        if fit.stop is not cp.em.Stop.TIME_LIMIT:
            break
    assert calls >= 4
    assert bits(fit) == bits(whole)
    assert bits(cp.baum_welch(START, SAMPLE, 1e-4, 12, checkpoint=path, **options, engine=engine)) == bits(whole)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_climb_that_converges_at_its_last_step_says_so_again(engine: Any, tmp_path: Path) -> None:
    whole = cp.baum_welch(START, SAMPLE, 1e-3, engine=engine)
    assert whole.stop is cp.em.Stop.CONVERGED
    limits: dict[str, Any] = {"tolerance": 1e-3, "max_steps": whole.steps}
    cp.baum_welch(
        START, SAMPLE, **limits, checkpoint=tmp_path / "run", callback=stopping_after(whole.steps), engine=engine
    )
    assert bits(cp.baum_welch(START, SAMPLE, **limits, checkpoint=tmp_path / "run", engine=engine)) == bits(whole)


@pytest.mark.parametrize("accelerate", [False, True])
def test_other_limits_go_on_from_the_same_file(engine: Any, accelerate: bool, tmp_path: Path) -> None:
    path = tmp_path / "run"
    short = cp.baum_welch(START, SAMPLE, 0, 5, accelerate=accelerate, checkpoint=path, engine=engine)
    assert short.stop is cp.em.Stop.STEP_LIMIT
    loose = cp.baum_welch(START, SAMPLE, 1e9, 30, accelerate=accelerate, checkpoint=path, engine=engine)
    assert (loose.history, loose.stop) == (short.history, cp.em.Stop.CONVERGED)
    longer = cp.baum_welch(START, SAMPLE, 0, 30, accelerate=accelerate, checkpoint=str(path), engine=engine)
    assert bits(longer) == bits(cp.baum_welch(START, SAMPLE, 0, 30, accelerate=accelerate, engine=engine))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.integers(1, 5), accelerate=st.booleans(), seed=st.integers(0, 10**6))
def test_what_a_callback_raises_loses_nothing(
    engine: Any, tmp_path: Path, calls: int, accelerate: bool, seed: int
) -> None:
    start, path = cp.random_acceptor(4, "ab", rng=seed), tmp_path / "run"
    path.unlink(missing_ok=True)
    stop = stopping_after(calls)

    def callback(progress: cp.em.Progress) -> None:
        if stop(progress):
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        cp.baum_welch(start, SAMPLE, 0, 20, accelerate=accelerate, callback=callback, checkpoint=path, engine=engine)
    rest: list[cp.em.Progress] = []
    fit = cp.baum_welch(
        start, SAMPLE, 0, 20, accelerate=accelerate, callback=rest.append, checkpoint=path, engine=engine
    )
    whole: list[cp.em.Progress] = []
    assert bits(fit) == bits(
        cp.baum_welch(start, SAMPLE, 0, 20, accelerate=accelerate, callback=whole.append, engine=engine)
    )
    assert len(rest) == len(whole) - calls


def test_ctrl_c_loses_at_most_the_step_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cutpoint.em.observations import InMemory

    e_step, calls = InMemory.expected_counts, iter(range(100))

    def interrupted(*arguments: Any, **options: Any) -> cp.Counts:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return e_step(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(InMemory, "expected_counts", interrupted)
        part = cp.baum_welch(START, SAMPLE, 0, 20, checkpoint=tmp_path / "run")
    assert (part.stop, part.steps) == (cp.em.Stop.INTERRUPTED, 4)
    rest = cp.baum_welch(START, SAMPLE, 0, 20, checkpoint=tmp_path / "run")
    assert bits(rest) == bits(cp.baum_welch(START, SAMPLE, 0, 20))


# Killed processes

SCRIPT = """
import sys
import cutpoint as cp
sample = cp.Sample(
    ["ab", "ba", "b", "aab", "bb", "abab"] * 2,
    states=[[{"left", "right"}, None, None], None, [None, {"right", "up", "down"}], None, None, None] * 2,
    accepted=[True, False, True, True, False, None, True, True, False, True, True, False],
)
start = cp.random_acceptor(["left", "right", "up", "down"], "ab", rng=1)
def callback(progress):
    print(progress.steps, flush=True)
options = {"tolerance": 0, "max_steps": 60, "learn_initial": True, "prior": 0.01, "accelerate": sys.argv[2] == "True"}
fit = cp.baum_welch(start, sample, callback=callback, checkpoint=sys.argv[1] or None, **options)
numbers = [*fit.history, *fit.acceptor.transitions.ravel(), *fit.acceptor.initial, fit.log_likelihood]
print("end", fit.stop.name, *(float(number).hex() for number in numbers))
"""


def begun(path: Path | str, accelerate: bool) -> subprocess.Popen[str]:
    """The script in a process of its own, whose sets have an order of their own."""
    command = [sys.executable, "-c", SCRIPT, str(path), str(accelerate)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONHASHSEED": "random"})


@pytest.mark.parametrize("accelerate", [False, True])
def test_a_process_that_is_killed_again_and_again_ends_the_same(accelerate: bool, tmp_path: Path) -> None:
    """SIGKILL at random moments; what was reported was saved, so at most the step under way is lost."""
    with begun("", accelerate) as uninterrupted:
        expected, _ = uninterrupted.communicate()
    steps = [int(line) for line in expected.splitlines()[:-1]]
    moments, path, reached = random.Random(7), tmp_path / "run", 0
    for _ in range(4):
        with begun(path, accelerate) as process:
            assert process.stdout is not None
            for _ in range(moments.randint(1, 6)):
                step = int(process.stdout.readline())
                assert step in steps
                assert reached < step
                reached = step
            for _ in range(moments.randint(0, 3000)):
                pass
            process.send_signal(signal.SIGKILL)
            more = [int(line) for line in process.stdout.read().split()]
            reached = max([reached, *more])
        assert process.returncode == -signal.SIGKILL
        saved = stored(MAGIC, path.read_bytes())
        assert len(saved["history"]) - 1 in [reached, *[step for step in steps if step > reached][:1]]
    with begun(path, accelerate) as process:
        rest, _ = process.communicate()
    assert rest.splitlines()[-1] == expected.splitlines()[-1]
    assert [int(line) for line in rest.splitlines()[:-1]] == steps[-len(rest.splitlines()) + 1 :]
    assert rest.splitlines()[-1].startswith("end STEP_LIMIT ")


# Files


def saved_run(path: Path, **options: Any) -> bytes:
    cp.baum_welch(START, SAMPLE, 0, 3, checkpoint=path, **options)
    return path.read_bytes()


def test_parts_of_files_are_never_taken_for_a_checkpoint(tmp_path: Path) -> None:
    content = saved_run(tmp_path / "other")
    (tmp_path / "other").unlink()
    for name in (".run.x.part", "run.part", ".run.part"):
        (tmp_path / name).write_bytes(content[: len(content) // 2])
    steps: list[cp.em.Progress] = []
    cp.baum_welch(START, SAMPLE, 0, 3, callback=steps.append, checkpoint=tmp_path / "run")
    assert [progress.steps for progress in steps] == [1, 2, 3]
    assert (tmp_path / "run").read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 4


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    content = saved_run(path)

    def full(_: int) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(cp.errors.InvalidFile, match=r"run: cannot be written \(no space left\)\.$"):
            write_whole(path, b"new")
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"


def test_the_file_holds_arrays_and_no_pickle(tmp_path: Path) -> None:
    content = saved_run(tmp_path / "run")
    arrays = stored(MAGIC, content)
    assert {name: (array.dtype.kind, array.shape) for name, array in arrays.items()} == {
        "problem": ("u", (64,)),
        "transitions": ("f", (2, 10, 10)),
        "initial": ("f", (10,)),
        "history": ("f", (4,)),
        "numbers": ("f", (2,)),
    }
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(ValueError, match="Object arrays cannot be saved when allow_pickle=False"):
        packed(MAGIC, {"a": objects})
    buffer = io.BytesIO()
    pickled: Any = arrays | {"initial": np.array([Unpickled()] * 10)}
    np.savez(buffer, **pickled)
    assert b"Unpickled" in buffer.getvalue()
    (tmp_path / "run").write_bytes(signed(MAGIC, buffer.getvalue()))
    assert "initial: expected an array of '<f8' of shape (10,); got '|O' of shape (10,)." in refusal(tmp_path / "run")
    assert not Unpickled.times


class Unpickled:
    """Counts how often it was made from a pickle."""

    times = 0

    def __setstate__(self, state: object) -> None:
        Unpickled.times += 1

    def __getstate__(self) -> object:
        return 1


def refusal(path: Path, **options: Any) -> str:
    """Sentence with which a checkpoint is refused; the file is left as it was."""
    content = path.read_bytes() if path.is_file() else None
    arguments: dict[str, Any] = {"model": START, "sample": SAMPLE} | options
    with pytest.raises((cp.errors.InvalidArgument, cp.errors.InvalidFile)) as raised:
        cp.baum_welch(**arguments, checkpoint=path)
    assert content is None or path.read_bytes() == content
    return str(raised.value)


@pytest.mark.parametrize("change", [1, 128])
def test_a_flipped_byte_anywhere_is_noticed(change: int, tmp_path: Path) -> None:
    path = tmp_path / "run"
    content = saved_run(path)
    head = len(MAGIC)
    for position in [*range(head + 40), *range(head + 40, len(content), 61), len(content) - 1]:
        damaged = bytearray(content)
        damaged[position] ^= change
        path.write_bytes(damaged)
        if position < head:
            sentence = f"checkpoint {path}: this is not a file of the kind 'cutpoint checkpoint 2'. {DELETE}"
        else:
            sentence = f"checkpoint {path}: the file is damaged (its content does not match its digest). {DELETE}"
        assert refusal(path) == sentence


def test_a_file_cut_short_or_too_long_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run"
    content = saved_run(path)
    for part in (b"", content[:5], content[: len(MAGIC)], content[:100], content[:-1], content + b"\0"):
        path.write_bytes(part)
        assert re.search("not a file of the kind|the file is damaged", refusal(path))


def test_where_a_checkpoint_cannot_be(engine: Any, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    assert refusal(folder / "run") == f"checkpoint: the folder {str(folder)!r} does not exist. Make it first."
    assert refusal(tmp_path) == f"checkpoint must be the path of a file; got {str(tmp_path)!r}."
    (tmp_path / "file").write_bytes(b"")
    assert refusal(tmp_path / "file" / "run") == (
        f"checkpoint: the folder {str(tmp_path / 'file')!r} does not exist. Make it first."
    )
    with pytest.raises(cp.errors.InvalidArgument) as raised:
        cp.baum_welch(START, SAMPLE, checkpoint=3, engine=engine)  # type: ignore[arg-type]
    assert str(raised.value) == "checkpoint must be the path of a file; got 3."


OTHER: dict[str, dict[str, Any]] = {
    "start": {"model": cp.random_acceptor(10, "ab", rng=4)},
    "final": {"model": START.replace(final=~START.final)},
    "initial": {"model": START.replace(initial=np.roll(START.initial, 1))},
    "names of states": {"model": START.replace(states=range(1, 11))},
    "names of symbols": {
        "model": START.replace(alphabet="ac"),
        "sample": cp.Sample(
            [str(word).replace("b", "c") for word in SAMPLE.words], SAMPLE.accepted, counts=SAMPLE.counts
        ),
    },
    "marks": {"sample": cp.Sample(SAMPLE.words, SAMPLE.accepted, states=[[0, *[None] * len(w)] for w in SAMPLE.words])},
    "order of symbols": {"model": cp.Acceptor(10, "ba", START.transitions, START.initial, START.final)},
    "sample": {"sample": cp.Sample(["ab", "b"], accepted=[True, False])},
    "weights": {"sample": cp.Sample(SAMPLE.words, SAMPLE.accepted, counts=SAMPLE.counts * 2)},
    "verdicts": {"sample": cp.Sample(SAMPLE.words, [not verdict for verdict in SAMPLE.accepted], counts=SAMPLE.counts)},
    "prior": {"prior": 0.5},
    "learn_initial": {"learn_initial": True},
    "accelerate": {"accelerate": True},
    "fixed": {"fixed": [("a", 0)]},
    "tied_states": {"tied_states": [[0, 1]]},
    "tied_symbols": {"tied_symbols": ["ab"]},
}


@pytest.mark.parametrize("options", OTHER.values(), ids=OTHER)
def test_a_checkpoint_of_another_problem_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run"
    saved_run(path)
    assert refusal(path, **options) == (
        f"checkpoint {path} belongs to another problem: the sample, the start or an option differs. "
        "Name another file, or delete this one to start again."
    )


@pytest.mark.parametrize(
    "options",
    [{"threads": 3}, {"engine": cp.engines.Local(1)}, {"time_limit": 1e9}, {"tolerance": 1e-9}, {"max_steps": 9}],
    ids=lambda options: next(iter(options)),
)
def test_what_decides_nothing_belongs_to_no_problem(options: dict[str, Any], tmp_path: Path) -> None:
    saved_run(tmp_path / "run")
    steps: list[cp.em.Progress] = []
    limits = {"tolerance": 0, "max_steps": 4} | options
    cp.baum_welch(START, SAMPLE, **limits, checkpoint=tmp_path / "run", callback=steps.append)
    assert steps[0].steps == 4


def test_problems_are_told_apart_by_the_kind_of_their_parts() -> None:
    """Three numbers that say "states 0 and 1 are tied", and a mask of 24 entries with the same bytes."""
    tied = np.array([1, 0, 0])
    free = np.frombuffer(tied.tobytes(), dtype=np.bool_)
    found = [
        digest_of(SAMPLE, *parts) for parts in ([tied], [free], [free.reshape(6, 2, 2)], [None], [True], [], [tied] * 2)
    ]
    assert len(set(found)) == len(found)
    assert digest_of(SAMPLE, tied) == digest_of(SAMPLE, np.array([1, 0, 0]))


# Files whose digest is right and whose content is not

GIVEN: dict[str, Any] = {"fixed": [("a", 0, 1)], "tied_states": [[4, 9]], "learn_initial": True}
TRANSITIONS = "transitions: expected probabilities that sum to 1, with the zeros, fixed entries and ties of the start;"
INITIAL = TRANSITIONS.replace("transitions", "initial", 1)
HISTORY = "history: expected finite numbers, none below the one before; got other values."
NUMBERS = "numbers: expected a length and a gain; got other values."
FORGED: list[tuple[str, Any, str]] = [
    ("initial", lambda array: array * 2, INITIAL),
    ("initial", lambda array: np.where(array == array.max(), np.nan, array), INITIAL),
    ("initial", lambda array: -array, INITIAL),
    (
        "initial",
        lambda array: array[:-1],
        "initial: expected an array of '<f8' of shape (10,); got '<f8' of shape (9,).",
    ),
    ("initial", lambda array: array.astype("f4"), "initial: expected an array of '<f8' of shape (10,); got '<f4'"),
    ("initial", lambda array: None, "initial: expected an array of '<f8' of shape (10,); there is none."),
    ("transitions", lambda array: np.full_like(array, np.inf), TRANSITIONS),
    ("transitions", lambda array: array[:1], "transitions: expected an array of '<f8' of shape (2, 10, 10); got '<f8'"),
    ("transitions", lambda array: np.roll(array, 1, axis=2), TRANSITIONS),  # a fixed entry moved
    ("transitions", lambda array: array[:, [*range(9), 8]], TRANSITIONS),  # ties broken
    ("transitions", np.asfortranarray, ""),
    ("history", lambda array: array[:0], HISTORY),
    ("history", lambda array: array[::-1], HISTORY),
    ("history", lambda array: array * np.nan, HISTORY),
    ("history", lambda array: array + 1.0, "its parameters do not have the objective that its history ends with."),
    ("numbers", lambda array: array * np.nan, NUMBERS),
    ("numbers", lambda array: array * 0, NUMBERS),
    (
        "problem",
        lambda array: array[:0],
        "problem: expected an array of '|u1' of shape (64,); got '|u1' of shape (0,).",
    ),
    ("more", lambda array: np.zeros(3), "'more': expected no array of this name."),
]


@pytest.mark.parametrize(("name", "forge", "sentence"), FORGED)
def test_forged_content_is_refused(name: str, forge: Any, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    arrays = stored(MAGIC, saved_run(path, **GIVEN))
    forged = arrays | {name: forge(arrays.get(name))}
    path.write_bytes(packed(MAGIC, {key: array for key, array in forged.items() if array is not None}))
    if sentence:
        found = refusal(path, **GIVEN)
        assert found.startswith(f"checkpoint {path}: {sentence}")
        assert found.endswith(DELETE)
    else:
        cp.baum_welch(START, SAMPLE, 0, 4, checkpoint=path, **GIVEN)


def test_a_place_where_something_is_impossible_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    arrays = stored(MAGIC, saved_run(path))
    away = np.eye(10)[int(np.flatnonzero(~START.final)[0])]
    path.write_bytes(packed(MAGIC, arrays | {"transitions": np.broadcast_to(away, (2, 10, 10))}))
    assert refusal(path) == f"checkpoint {path}: its parameters make an observation impossible. {DELETE}"


@pytest.mark.skipif(not RESET.exists(), reason="needs Linux's account of memory")
@pytest.mark.parametrize("name", ["history", "more", "problem"])
def test_nothing_is_decompressed_and_no_declared_shape_believed(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    arrays = stored(MAGIC, saved_run(path))
    for archive, sentence in [
        (bomb(arrays, name, 1 << 29), "expected an array that is stored as it is, not compressed."),
        (compressed(arrays), "expected an array that is stored as it is, not compressed."),
        (huge(arrays, name, (10**9,)), r"expected (no|an) array|got 0 bytes"),
        (huge(arrays, name, (10**18, 10**18, 0)), r"expected (no|an) array"),
    ]:
        path.write_bytes(signed(MAGIC, archive))
        assert path.stat().st_size < 2**20
        before = reset_peak()
        assert re.search(sentence, refusal(path))
        assert peak() - before < 30_000


@pytest.mark.parametrize("accelerate", [False, True])
def test_forgeries_are_refused_or_climb_on(accelerate: bool, tmp_path: Path) -> None:
    """A forged place that passes is a place; from there the climb goes up to a proper acceptor."""
    path, refused = tmp_path / "run", 0
    content = saved_run(path, accelerate=accelerate)
    for forged in forgeries(MAGIC, content, 300, seed=int(accelerate)):
        path.write_bytes(forged)
        try:
            fit = cp.baum_welch(START, SAMPLE, 0, 6, accelerate=accelerate, checkpoint=path)
        except (cp.errors.InvalidFile, cp.errors.InvalidArgument) as problem:
            refused += str(problem).endswith(DELETE)
        else:
            assert (np.diff(fit.history) >= 0.0).all()
            assert fit.acceptor.transitions.sum(axis=2) == pytest.approx(1.0, rel=1e-9, abs=0)
    assert refused > 150
