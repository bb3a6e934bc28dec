"""Checkpoints of searches: for the same problem alone, the same in every process; forged ones are refused."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.data.array_files import packed
from cutpoint.em.checkpoint import DELETE, MAGIC
from cutpoint.search.tournament import SAVED
from tests.forgeries import bomb, forgeries, signed, stored

TEN = ["", "0", "1", "01", "10", "11", "011", "110", "111", "0110"]
VERDICTS = [word.count("1") % 2 == 1 for word in TEN]
SAMPLE = cp.Sample(TEN, VERDICTS, ids=range(10))
SEEN = cp.Sample(TEN, VERDICTS, states=[["s", *[None] * len(word)] for word in TEN])
START = cp.random_acceptor(2, "01", rng=5)
GIVEN: dict[str, Any] = {"sample": SAMPLE, "n_states": 2, "folds": 2, "rng": 1, "threads": 1}

OTHER: dict[str, dict[str, Any]] = {
    "rng": {"rng": 2},
    "n_states": {"n_states": 3},
    "any number of states": {"n_states": None},
    "n_final": {"n_final": 1},
    "prior": {"prior": 0.5},
    "folds": {"folds": 3},
    "team": {"team": 2},
    "groups": {"groups": [*"xxyyzzuuvv"]},
    "start": {"start": START},
    "weights": {"sample": cp.Sample(TEN, VERDICTS, counts=range(1, 11))},
    "verdicts": {"sample": cp.Sample(TEN, VERDICTS[::-1])},
    "order of symbols": {"sample": cp.Sample(TEN, VERDICTS, alphabet="10")},
    "names of symbols": {"sample": cp.Sample([word.replace("1", "2") for word in TEN], VERDICTS)},
    "shards": {"sample": cp.ShardedSample.of(SAMPLE)},
}


def searched(path: Path, function: Any = cp.learn, rounds: int = 3, **options: Any) -> int:
    """First round of a search that is stopped early, counted through the folds; those done before are not among them."""
    calls: list[int] = []

    def stopping(progress: cp.search.SearchProgress) -> bool:
        calls.append(progress.fold * progress.rounds + progress.round)
        return len(calls) == rounds

    function(**GIVEN | options, checkpoint=path, callback=stopping)
    return calls[0] if calls else -1


@pytest.mark.parametrize("options", OTHER.values(), ids=OTHER)
def test_a_search_with_another_problem_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "search"
    assert searched(path) == 1
    content = path.read_bytes()
    with pytest.raises(cp.errors.InvalidArgument) as raised:
        searched(path, **options)
    what = "belongs to another problem: the sample, the start or an option differs."
    assert str(raised.value) == f"checkpoint {path} {what} {DELETE}"
    assert path.read_bytes() == content


def test_the_numbers_of_a_start_belong_to_the_problem(tmp_path: Path) -> None:
    path = tmp_path / "search"
    made = cp.Generator(
        2, "01", {"0": {0: {0: 0.5, 1: 0.2}, 1: {0: 0.4}}, "1": {1: {1: 0.4}}}, 0, [0.3, 0.2], final=[1]
    )
    for function, start in [(cp.learn, START), (cp.learn_generator, made)]:
        path.unlink(missing_ok=True)
        options: dict[str, Any] = {"function": function, "n_states": None}
        assert searched(path, start=start, rounds=1, **options) == 1
        assert searched(path, start=start, rounds=1, **options) == 2
        for other in (start.replace(transitions=start.transitions[::-1]), start.replace(final=~start.final), None):
            with pytest.raises(cp.errors.InvalidArgument, match="belongs to another problem"):
                searched(path, start=other, **options)


def test_what_decides_nothing_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "search"
    assert searched(path) == 1
    for options in ({"threads": 2}, {"time_limit": 1e9}, {"prior": 0.01}, {"rng": np.int64(1)}):
        assert searched(path, rounds=1, **options) not in (1, 2, 3)


CODE = """
import sys
import cutpoint as cp
words = ["", "0", "1", "01", "10", "11"]
sample = cp.Sample(words, states=[[{"left", "right", "up"}, *["up"] * len(word)] for word in words])
rounds = []
def stopping(progress):
    rounds.append(progress.round)
    return True
options = {"checkpoint": sys.argv[1], "callback": stopping, "folds": 2, "rng": 1}
cp.learn(sample, final={"left", "up", "right"} - {"right"}, **options)
print(*rounds)
"""


def test_the_same_problem_goes_on_in_every_process(tmp_path: Path) -> None:
    found = []
    for seed in "012":
        command = [sys.executable, "-c", CODE, str(tmp_path / "search")]
        process = subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        )
        found.append([int(number) for number in process.stdout.split()])
    assert found == [[1], [2], [3]]


FORGED: list[tuple[str, Any, str]] = [
    ("e_steps", lambda array: -array, "e_steps: expected a number of E-steps; got other values."),
    ("2/0/rounds", lambda array: array + 1000, "2/0/rounds: expected a number of rounds; got other values."),
    ("2/0/kinds", lambda array: array + 1, "2/0/kinds: expected labels of states; got other values."),
    ("2/0/now", lambda array: array * np.nan, "2/0/now: expected probabilities that sum to 1; got other values."),
    ("2/0/best", lambda array: array + 1, "2/0/best: expected probabilities that sum to 1; got other values."),
    ("2/0/now_initial", lambda array: -array, "2/0/now_initial: expected probabilities that sum to 1;"),
    ("2/0/best", lambda array: array[..., :1], "2/0/best: expected an array of '<f8' of shape (any, 2, 2, 2); got"),
    ("2/0/curves", lambda array: array * np.nan, "2/0/curves: expected rounds with their losses; got other values."),
    ("2/0/curves", lambda array: array[:-1], "the parts of a tournament do not fit together."),
    ("2/0/lengths", lambda array: array[:-1], "the parts of a tournament do not fit together."),
    ("2/0/starts", lambda array: array * 0 + 255, "the parts of a tournament do not fit together."),
    ("2/0/starts", lambda array: None, "the parts of a tournament do not fit together."),
    ("2/0/best", lambda array: array[:0], "the parts of a tournament do not fit together."),
    ("4/0/rounds", lambda array: np.array(1), "'4/0/rounds': expected no array of this name."),
    ("2/2/rounds", lambda array: np.array(1), "'2/2/rounds': expected no array of this name."),
]


@pytest.mark.parametrize(("name", "forge", "sentence"), FORGED)
def test_forged_searches_are_refused(name: str, forge: Any, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "search"
    searched(path)
    arrays = stored(MAGIC, path.read_bytes())
    assert {*arrays} == {"problem", "e_steps", *(f"2/0/{part}" for part in SAVED)}
    forged = arrays | {name: forge(arrays.get(name))}
    path.write_bytes(packed(MAGIC, {key: array for key, array in forged.items() if array is not None}))
    with pytest.raises(cp.errors.InvalidFile) as raised:
        searched(path)
    assert str(raised.value).startswith(f"checkpoint {path}: {sentence}")
    assert str(raised.value).endswith(DELETE)


@pytest.mark.parametrize("function", [cp.learn, cp.learn_generator])
def test_forgeries_are_refused_or_searched_on(function: Any, tmp_path: Path) -> None:
    path, refused = tmp_path / "search", 0
    searched(path, function, rounds=8)
    content = path.read_bytes()
    arrays = stored(MAGIC, content)
    for forged in [*forgeries(MAGIC, content, 150, seed=1), signed(MAGIC, bomb(arrays, "2/0/now", 1 << 26))]:
        path.write_bytes(forged)
        try:
            searched(path, function, rounds=1)
        except (cp.errors.InvalidFile, cp.errors.InvalidArgument) as problem:
            refused += str(problem).endswith(DELETE)
        except cp.errors.ImpossibleObservation:
            pass
    assert refused > 75
