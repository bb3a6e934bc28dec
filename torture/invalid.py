"""Rows about wrong input: models and samples that must be refused, and calls with arguments of all kinds."""

import contextlib
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.kernels.sparse_matrices import SparseMatrices
from torture import machines
from torture.scoreboard import Row

Parts = dict[str, Any]
Change = Callable[[np.random.Generator, Parts], object]
"""Spoils parts, or returns others that are wrong."""


def check_sentence(error: cp.CutpointError) -> None:
    """An error explains itself in a sentence or more, of a length that can be read."""
    text = str(error)
    assert 15 <= len(text) <= 1500, text
    assert " " in text, text
    assert text.rstrip()[-1] in ".?!)", text


def refused(call: Callable[..., object], **parts: Any) -> None:
    """A call is refused with a sentence; any other error passes."""
    try:
        found = call(**parts)
    except cp.CutpointError as error:
        check_sentence(error)
    else:
        raise AssertionError(f"accepted: {parts} as {found!r}")


# -- Models ------------------------------------------------------------------------------------------------------------

JUNK_NUMBERS: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, -0.5, -1e-300, -5e-324, 2j, None, "one half", "1/0", "", b"1", [], {}, object(),
    "nan", "inf", "-1/2", 10**400, Fraction(-1, 10**30), np.datetime64("2020-01-01"), "1e999", [0.5],
    np.array([0.5, 0.5]),
)  # fmt: skip


def _cell(values: Any, rng: np.random.Generator) -> tuple[Any, int]:
    """A row of nested lists, and a place in it."""
    row = values
    while isinstance(row[0], list):
        row = row[int(rng.integers(len(row)))]
    return row, int(rng.integers(len(row)))


def _put(name: str, value: Any) -> Change:
    def change(rng: np.random.Generator, parts: Parts) -> None:
        row, i = _cell(parts[name], rng)
        row[i] = value

    return change


def _off(name: str, by: float) -> Change:
    def change(rng: np.random.Generator, parts: Parts) -> None:
        row, i = _cell(parts[name], rng)
        row[i] = float(row[i]) + by

    return change


def _set(name: str, value: Callable[[Any], Any]) -> Change:
    def change(rng: np.random.Generator, parts: Parts) -> None:
        parts[name] = value(parts[name])

    return change


def _sets(name: str, *values: Callable[[Any], Any]) -> list[Change]:
    return [_set(name, value) for value in values]


def _masked(values: Any) -> Any:
    array = np.ma.masked_array(values)
    array[(0,) * array.ndim] = np.ma.masked
    return array


SHAPES: tuple[Callable[[Any], Any], ...] = (
    lambda v: np.array(v)[..., :-1],
    lambda v: np.array(v)[None],
    lambda v: [*v, v[0]],
    lambda v: v[:-1],
    lambda v: np.array(v).ravel()[:-1],
    lambda v: [],
    lambda v: None,
    lambda v: 3.5,
    lambda v: np.array(v, dtype=complex) + 1j,
    lambda v: [[[None]]],
    _masked,
)
NAMES: tuple[Callable[[Any], Any], ...] = (
    lambda v: [*v, v[0]],
    lambda v: [],
    lambda v: [[], *v[1:]],
    lambda v: None,
    lambda v: 1.5,
    lambda v: -1,
    lambda v: 0,
    lambda v: True,
    lambda v: [*v[:-1], {}],
    lambda v: set(v) | {"more"},
    lambda v: [math.nan, *v[1:]],
)
ROWS_OFF = [_off(name, by) for name in ("transitions", "initial") for by in (1e-6, -1e-8, 0.5)]
MODEL_CHANGES: list[Change] = [
    *(_put(name, value) for name in ("transitions", "initial") for value in JUNK_NUMBERS),
    *(change for name in ("transitions", "initial") for change in _sets(name, *SHAPES)),
    *(change for name in ("states", "alphabet") for change in _sets(name, *NAMES)),
    *_sets("initial", lambda _: "no such state", lambda _: {"no such state": 1}),
    *_sets("final", lambda _: {"no such state"}, lambda v: [*v, True], lambda _: 3),
    *_sets("final", lambda v: np.full(len(v), 0.5), lambda v: np.full(len(v), math.nan)),
    _set("transitions", lambda v: {"no such symbol": v[0]}),
    _set("transitions", lambda v: {a: {"no such state": {"q0": 1}} for a in "abc"[: len(v)]}),
    _set("transitions", lambda v: [[v[0], 1], *v[1:]]),
]
GENERATOR_CHANGES: list[Change] = [*(_put("stop", value) for value in JUNK_NUMBERS), *_sets("stop", *SHAPES)]


def invalid_models(seed: int) -> int:
    """Every change of a model that makes it wrong, and further ones of a generator's stop."""
    rng = np.random.default_rng(seed)
    cases = 0
    for kind, sources in ((cp.Acceptor, machines.acceptor(rng)), (cp.Generator, machines.generator(rng))):
        own = GENERATOR_CHANGES if kind is cp.Generator else []
        for change in [*MODEL_CHANGES, *own, *ROWS_OFF]:
            parts = _parts(sources)
            change(rng, parts)
            refused(kind, **parts)
            if (listed := _listed(parts["transitions"])) is not None:
                refused(kind, **{**parts, "transitions": listed})
                cases += 1
            if change not in ROWS_OFF:
                refused(kind.normalized, **parts)
            cases += 2
    return cases


def _listed(transitions: Any) -> SparseMatrices | None:
    """The same numbers stored entry by entry, where they are numbers of some square matrices."""
    try:
        dense = np.array(transitions)
    except ValueError:  # of different lengths
        return None
    is_fit = dense.dtype == float and dense.ndim == 3 and dense.size and dense.shape[1] == dense.shape[2]
    return SparseMatrices.from_dense(dense) if is_fit and not np.ma.isMaskedArray(transitions) else None


def _parts(model: cp.Acceptor | cp.Generator) -> Parts:
    """Parts of a model with named states, as lists that can be changed."""
    names = [f"q{i}" for i in range(model.n_states)]
    parts = {"states": names, "alphabet": list(model.alphabet), "final": list(map(bool, model.final))}
    numbers = {"transitions": model.transitions, "initial": model.initial}
    if isinstance(model, cp.Generator):
        numbers["stop"] = model.stop
    return parts | {name: value.tolist() for name, value in numbers.items()}


# -- Samples -----------------------------------------------------------------------------------------------------------


def _at(name: str, value: Any) -> Change:
    def change(rng: np.random.Generator, parts: Parts) -> None:
        parts[name][int(rng.integers(len(parts[name])))] = value

    return change


SAMPLE_CHANGES: list[Change] = [
    *(_at("words", value) for value in (None, 3, 0.5, object(), ["a", []], ["a", {}], {"a": 1}, ["a", math.nan])),
    *(_at("accepted", value) for value in (2, -1, "yes", math.nan, [], object(), 0.5)),
    *(_at("counts", value) for value in (-1, math.nan, math.inf, "x", None, 2j, 10**400, [1], -1e-300)),
    *_sets("counts", lambda v: v[:-1], lambda v: [0] * len(v), lambda v: [v], lambda _: 3, lambda _: {"a": 1}),
    *_sets("counts", lambda v: [1e300] * len(v), _masked),
    *_sets("accepted", lambda v: [*v, True], lambda v: v[1:], lambda _: 3, lambda v: [v] * 2),
    *_sets("words", lambda _: None, lambda _: 3, lambda v: [v], lambda v: v[1:]),
    *_sets("alphabet", lambda v: v[1:], lambda v: [*v, v[0]], lambda _: 3, lambda _: [[]]),
    *_sets("verdicts", lambda v: v[:-1], lambda v: [each[:-1] for each in v], lambda _: 5),
    *_sets("verdicts", lambda v: [[2, *each[1:]] for each in v]),
    *_sets("states", lambda v: v[:-1], lambda v: [[*each, "q"] for each in v]),
    *_sets("states", lambda v: [[[], *each[1:]] for each in v], lambda v: [[set(), *each[1:]] for each in v]),
    *_sets("ids", lambda v: v[:-1], lambda _: 3, lambda v: [[] for _ in v]),
]


def invalid_samples(seed: int) -> int:
    """Every change of a sample that makes it wrong."""
    rng = np.random.default_rng(seed)
    words = ["abc", *machines.words(rng, "abc", 7, 8)]
    for change in SAMPLE_CHANGES:
        parts: Parts = {
            "words": list(words),
            "accepted": rng.choice([True, False], len(words)).tolist(),
            "counts": rng.random(len(words)).tolist(),
            "alphabet": list("abc"),
            "verdicts": [[None] * (len(word) + 1) for word in words],
            "states": [["q"] * (len(word) + 1) for word in words],
            "ids": list(range(len(words))),
        }
        cp.Sample(**parts)
        change(rng, parts)
        refused(cp.Sample, **parts)
    return len(SAMPLE_CHANGES)


# -- Planted errors ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def generous_rows() -> Iterator[None]:
    """Rows may sum to anything near 1."""
    with patch("cutpoint.model.parts.ROW_TOLERANCE", 1e-5):
        yield


@contextlib.contextmanager
def unread_weights() -> Iterator[None]:
    """Counts are not looked at."""

    def wrong(counts: Any, n_words: int) -> Any:
        return np.ones(n_words)

    with patch("cutpoint.data.sample._weights", wrong):
        yield


ROWS = [
    Row(
        "invalid-models",
        "A model with a wrong sum, a negative, infinite or missing number, a wrong shape, an unknown or repeated name "
        "is refused with a sentence.",
        invalid_models,
        generous_rows,
    ),
    Row(
        "invalid-samples",
        "So is a sample whose words, outcomes, verdicts, states, counts, names or ids do not fit together.",
        invalid_samples,
        unread_weights,
    ),
]
