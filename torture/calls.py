"""Row about hostile calls: every public function and method with arguments of all kinds.

A call may return, or raise a :class:`CutpointError` with a sentence. Python itself refuses a wrong number of
arguments, names that are none, and operators between values that have none, with its own ``TypeError``. Anything else
is a failure: other exceptions, a crash, a result with NaN in it, a call that takes longer than ``PATIENCE``.
"""

import contextlib
import inspect
import math
import os
import re
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from torture.invalid import check_sentence
from torture.scoreboard import Row

PATIENCE = 60
"""Seconds of processor time after which a call counts as hung; one that waits is told by the row's timeout."""

CALLS = 60
"""Calls of one seed."""

NAN = re.compile(r"\bnan\b", re.IGNORECASE)

OF_MACHINES = "class_log_probabilities", "class_probabilities", "composed"
TRUSTED = {
    "Acceptor": OF_MACHINES,
    "Generator": OF_MACHINES,
    "ParametricAcceptor": ("evidence_probability", "numbers"),
    "Sample": ("encoded_in", "from_encoded", "reweighted", "take", "marks_of", "describe", "recoded"),
    "ShardedSample": ("observe",),
    "Runs": ("advance", "from_arrays", "to_arrays"),
    "WeightedAutomaton": ("from_arrays", "encoded_values", "compared", "step", "matrix_of"),
    "CutpointError": ("at", "sentence"),
}
"""Methods through which parts of the package hand each other what they have checked; not for users."""

UNTRIED = {"AcceptorClassifier", "Counts", "CutpointError", "Different", "Equal", "Fit", "ShardedSample", "Unknown"}
"""Classes that are not built by users, or that scikit-learn has rules of its own for."""


QUANTUM = "MeasureOnce", "MeasureMany", "multiples", "sorted_words"


@cache
def values() -> dict[str, list[Any]]:
    """Good values by the name of a parameter; the wrong ones are these under other names, and junk."""
    model, other = cp.p_adic(2), cp.random_acceptor(3, "01", rng=1)
    law = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    words = cp.random_words("01", 30, (0, 5), rng=2)
    sample = cp.simulate(other, words, rng=3)
    fit = cp.baum_welch(other, sample, max_steps=3)
    acceptors = [model, other, cp.gallery.parity(), other.to_sparse()]
    return {
        "acceptor": acceptors, "model": [*acceptors, law], "automaton": [model, other.to_weighted()], "self": [],
        "left": acceptors, "right": acceptors, "other": acceptors, "machines": [[model, other], [law, law]],
        "inputs": [law, None], "law": [law], "value": [model, other, 0.5], "values": [[[0.5]], [1.0]], "fit": [fit],
        "sample": [sample, cp.Sample(words), cp.Sample(["01", ""], accepted=[True, False])],
        "samples": [[sample, sample]], "words": [words[:5], [], ["", "0110"], sample], "held_out": [None, words],
        "word": ["", "0", "0110", ("0", "1"), ["1"]], "prefix": ["", "01"], "path": [["s1", "s2"], [0, 1, 1]],
        "accepted": [None, True, False, [True, False]], "exact": [False, True], "cut_point": ["1/2", 0.3, 0, 1, None],
        "rng": [0, 1, np.random.default_rng(1)], "threads": [None, 1, 2], "states": [2, ["p", "q"], None],
        "alphabet": ["01", ["0", "1"]], "transitions": [np.full((2, 2, 2), 0.5), {"0": np.eye(2), "1": np.eye(2)}],
        "initial": [0, [0.5, 0.5]], "final": [{1}, [False, True], None], "stop": [[0.5, 0.5]],
        "number": [3], "n": [2, 3], "count": [3], "counts": [[1.0, 2.0], [[[1.0, 2.0], [3.0, 4.0]]]], "length": [0, 3],
        "lengths": [3, (0, 4)], "max_length": [0, 3, None], "max_words": [100], "limit": [1000], "k": [2],
        "max_states": [50], "max_steps": [3], "repetitions": [3], "folds": [2, None], "inner_folds": [2, None],
        "n_states": [2, None], "n_symbols": [2], "sizes": [[1, 2]], "tolerance": [1e-3], "prior": [0.01, 0.0],
        "level": [0.9], "horizon": [1, 2], "team": [1, 2], "time_limit": [2.0, None], "isolation": [None, "1/100"],
        "exponent": [0, 3, 10], "max_denominator": [10, None], "symbols": ["0", {"0": "x"}, None], "symbol": ["0"],
        "before": ["s1"], "after": ["s2"], "mapping": [{"x": "01"}], "width": [80], "digits": [3], "p": [2, 3],
        "concentration": [1.0], "outcome": ["accepted"], "min_probability": [0.01], "allowed": [None, "0"],
        "costs": [None, {"0": 1.0}], "prefixes": [False], "inclusive": [False, True], "per": ["symbol", "word"],
        "id": ["a", 7], "ids": [None, ["a", "b"]], "unseen": ["uniform"], "seen": ["states"],
        "weights": [None, ["1/4", "3/4"]], "groups": [None], "weight": ["case", "prefix"], "unknown": ["skip", "rare"],
        "criterion": ["loss", "bic"], "baseline": [None, 0.5], "coefficients": [[-1, 0, 2]], "low": [0], "high": [1],
        "start": [None], "classes": [None], "verdicts": [None], "node": ["S0"], "observations": [2], "rows": [[0, 1]],
        "min_count": [2], "with_outcomes": [None, True], "emission": [[[0.5, 0.5]]], "transition": [[[1.0]]],
        "format": [None], "title": ["A title"], "about": [None], "orientation": ["right"], "callback": [None],
        "with_inputs": [False], "n_final": [None, 1], "refit": [False],
        "relation": [None, ">", ">=", "=", "!="], "pairs": [[("a", "ab"), ("b", "")]],
        "unitaries": [[[[0, 1], [1, 0]]] * 2], "accepting": [{1}], "rejecting": [()],
        "end": [[[1, 0], [0, 1]]], "epsilon": ["1/100", 0], "suffixes": [None, ["", "1"]], "names": ["p q"],
        "result": [cp.minimize(model), cp.equivalence(model, ~~model)],
        "owners": [np.eye(2, dtype=bool)], "engine": [None], "checkpoint": [None], "memory": [None], "parts": [()],
        "accelerate": [True], "fixed": [None, [("0", 0, 1)]], "tied_states": [None, [[0, 1]]],
        "tied_symbols": [None, ["01"]], "bare": [True], "rounded": [True], "metadata": [None, {"a": 1}],
        "labels": [None, {"s1": "start"}],
        "last": [3], "direction": ["forward", "backward", "auto"], "student": [True, False], "learn_initial": [True],
        "predict": [True], "teacher": [other, cp.p_adic(2).acceptance], "n_words": [50], "steps": [1, 2],
        "state": ["s1", 0], "depth": [2], "goal": [3], "win": ["1/3"], "x": ["1/3"],
        "gaps": [None], "attributes": [()], "positive": [None, True],
    }  # fmt: skip


FILES = ["model.json", "model.npz", "model.dot", "sample.csv", "sample.jsonl", "page.html", "nowhere/model.json"]

JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**63, 10**30, -(2**40), 0.5, -0.0, 1e-320, 1e308, math.nan, math.inf, -math.inf, 1j,
    "", "0", "x", "1/2", "-1/2", "1/0", "nan", "∞", "\0", "\ud800", "a" * 300, b"", b"01", [], {}, (), set(),
    [None], [[]], [[[]]], {"x": 1}, {1: {2: 3}}, object(), type, len, lambda *_: 3, iter("01"), range(3),
    range(10**15), slice(None), Ellipsis, NotImplemented, Fraction(1, 3), Fraction(-7, 2), Fraction(1, 10**400),
    np.float32(0.5), np.int8(3), np.array([]), np.array(3), np.array([math.nan]), np.array(["0", "1"]),
    np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([1, 2], dtype=object), np.zeros((0, 2)), np.zeros((2, 0)),
    np.ma.masked_array([0.5, 0.5], [True, False]), np.datetime64("2020-01-01"), np.str_("01"),
    memoryview(b"01"), {"0", "1"}, frozenset({1}), Exception("x"), "01" * 500, ["0", 1], ["0", None], [True, None],
)  # fmt: skip


def calls_of_all_kinds(seed: int) -> int:
    """Random public functions, with random arguments."""
    rng = np.random.default_rng(seed)
    former = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for _ in range(CALLS):
                name, call = _target(rng)
                arguments = _arguments(rng, call)
                _check(name, call, arguments)
        finally:
            os.chdir(former)
    return CALLS


@cache
def functions() -> list[tuple[str, Any]]:
    """Public functions and classes, those of the gallery and of quantum automata, and (class, method)."""
    found: list[tuple[str, Any]] = [(f"gallery.{name}", getattr(cp.gallery, name)) for name in cp.gallery.__all__]
    found += [(f"quantum.{name}", getattr(cp.quantum, name)) for name in QUANTUM]
    found += [(name, getattr(cp.decision, name)) for name in ("check", "is_isomorphic", "isomorphism")]
    for kind in (cp.quantum.MeasureOnce, cp.quantum.MeasureMany, cp.decision.Ergodicity, cp.decision.Recurrence):
        found += _methods(kind.__name__, kind)
    for name in sorted(dir(cp)):
        value = getattr(cp, name)
        if inspect.isfunction(value) and name not in ("read_sample", "read_model", "load", "write_shards"):
            found.append((name, value))
        elif inspect.isclass(value) and name not in UNTRIED:
            found += [(name, value), *_methods(name, value)]
    return found


def _methods(name: str, kind: type) -> list[tuple[str, Any]]:
    """Public methods of a class that are for users."""
    methods = inspect.getmembers(kind, lambda each: inspect.isfunction(each) or inspect.ismethod(each))
    public = (m for m, _ in methods if not m.startswith("_") and m not in ("diagram", *TRUSTED.get(name, ())))
    return [(f"{name}.{method}", (kind, method)) for method in public]


@cache
def instances() -> dict[str, list[Any]]:
    """Values whose methods are called."""
    good, (p,) = values(), cp.parameters("p")
    parametric: Any = cp.Acceptor(2, "01", {"0": [[1, 0], [1 - p, p]], "1": [[1 - p, p], [0, 1]]}, 0, {1})
    return {
        "Acceptor": good["acceptor"],
        "ParametricAcceptor": [parametric],
        "Generator": [good["law"][0]],
        "WeightedAutomaton": [cp.p_adic(2).to_weighted()],
        "Language": [
            cp.Language(cp.p_adic(2), "1/3"),
            cp.Language(good["acceptor"][1], 0.5, inclusive=True),
            cp.Language(cp.p_adic(2), "1/2", relation="="),
            cp.Language(cp.p_adic(2).to_weighted(), "1/2", relation="!="),
        ],
        "MeasureOnce": [cp.quantum.multiples(3)],
        "MeasureMany": [cp.quantum.sorted_words()],
        "Ergodicity": [cp.ergodicity(cp.p_adic(2)), cp.ergodicity(cp.gallery.parity())],
        "Recurrence": [cp.recurrence(cp.gallery.land_of_oz())],
        "DFA": [cp.Language(cp.p_adic(2), "1/3").to_dfa()],
        "Sample": good["sample"],
        "BeliefNetwork": [cp.BeliefNetwork(cp.p_adic(2), 2)],
        "AlgebraicNumber": [cp.AlgebraicNumber.sqrt(2)],
        "Runs": [],
    }


def _target(rng: np.random.Generator) -> tuple[str, Callable[..., Any]]:
    listed = functions()
    name, found = listed[int(rng.integers(len(listed)))]
    if not isinstance(found, tuple):
        return name, found
    kind, method = found
    bound = getattr(kind, method)
    if inspect.ismethod(bound):
        return name, bound  # of the class
    owners = instances()[kind.__name__] or [cp.Runs(cp.p_adic(2), "1/2")]
    return name, getattr(owners[int(rng.integers(len(owners)))], method)


def _arguments(rng: np.random.Generator, call: Callable[..., Any]) -> dict[str, Any]:
    """A value for each parameter without a default and for some of the others; some of them junk."""
    good, chosen = values(), {}
    junk_share = rng.choice([0.15, 0.5])
    for parameter in inspect.signature(call).parameters.values():
        needed = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or not (needed or rng.random() < 0.3):
            continue
        fitting = FILES if "PathLike" in str(parameter.annotation) else good.get(parameter.name, [])
        if not fitting or rng.random() < junk_share:
            pool: list[Any] = [*JUNK, *(value for each in good.values() for value in each)]
            chosen[parameter.name] = pool[int(rng.integers(len(pool)))]
        else:
            chosen[parameter.name] = fitting[int(rng.integers(len(fitting)))]
        if "bool" in str(parameter.annotation) and isinstance(chosen[parameter.name], np.ndarray):
            chosen[parameter.name] = True  # a flag is any value that has a truth value, and arrays have none
    return chosen


def _check(name: str, call: Callable[..., Any], arguments: dict[str, Any]) -> None:
    asked = f"{name}({', '.join(f'{key}={_short(value)}' for key, value in arguments.items())})"
    try:
        with _limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = call(**arguments)
            if isinstance(found, Iterator):
                found = list(islice(found, 100))
            text = "" if isinstance(found, np.ndarray) else repr(found)  # Python prints no fractions of 4,300 digits
    except cp.CutpointError as error:
        check_sentence(error)
        return
    except Exception as error:
        if isinstance(error, TypeError) and error.__traceback__ and not error.__traceback__.tb_next:
            return  # refused by Python before anything ran
        raise AssertionError(asked) from error
    assert not (isinstance(found, float) and math.isnan(found)), asked
    assert not (isinstance(found, np.ndarray) and found.dtype.kind == "f" and np.isnan(found).any()), asked
    assert not NAN.search(text), f"{asked}: {text}"


def _short(value: object) -> str:
    with contextlib.suppress(Exception):
        return repr(value)[:200]
    return object.__repr__(value)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def late(signum: int, frame: FrameType | None) -> NoReturn:
        raise RuntimeError(f"no answer after {PATIENCE} seconds")

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


@contextlib.contextmanager
def unchecked_whole_numbers() -> Iterator[None]:
    """Lengths, limits and other whole numbers are taken as they come."""
    with contextlib.ExitStack() as stack:
        for module in ("decision.language", "model.simulation", "em.baum_welch", "model.acceptor", "decision.dfa"):
            stack.enter_context(patch(f"cutpoint.{module}.whole_number", lambda name, value, **_: value))
        yield


ROWS = [
    Row(
        "hostile-calls",
        "Whatever is passed to a public function or method, it answers, or refuses with a `CutpointError` that says "
        "why: no other exception, no crash, no NaN, no hang.",
        calls_of_all_kinds,
        unchecked_whole_numbers,
        timeout=300.0,
    )
]
