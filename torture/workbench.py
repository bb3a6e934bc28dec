"""Row about the workbench: requests of every route, changed in any way."""

import contextlib
import copy
import json
import math
import random
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np

import cutpoint as cp
from torture import stored
from torture.readers import mutated
from torture.scoreboard import Row

with contextlib.suppress(ImportError):
    from cutpoint.workbench import drafts, machine_screen, messages, routes, uploads

REQUESTS = 150
"""Requests of one seed."""

JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, 1e-320, "", "0", "1/2", "-1/2", "1/0", "nan", "∞", "\0",
    "<b>", "../..", "a" * 300, "0" * 64, [], {}, [None], [[]], [[[]]], {"x": 1}, [0] * 2000, ".svg", ".json", ".sql",
    "learn", "cut_point", "accepted", {"metadata": {"a": []}}, {"cut_point": "2"}, {"unknown": "rare"},
)  # fmt: skip


def missing() -> str:
    """What the workbench needs and is not here."""
    try:
        import cutpoint.workbench.server  # noqa: F401
    except ImportError as problem:
        return str(problem)
    return ""


@cache
def requests() -> list[tuple[str, dict[str, Any]]]:
    """Good requests of every route."""
    law = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    floats = cp.files.Model(cp.random_acceptor(3, "01", rng=1), 0.5, {"by": "a"}, ("no", "yes"), inputs=law)
    models = cp.p_adic(2).model, floats, law.model, cp.files.Model(cp.gallery.customers(), "1/3")
    machines = [json.loads(msgspec.json.encode(drafts.draft_of(model))) for model in models]
    content = b"word,label\n0 1,yes\n1,no\n1 1,yes\n0,no\n0 0 1,yes\n"
    sample = {"upload": uploads.Folder.add(content).upload, "name": "cases.csv", "reading": {"separator": " "}}
    found: list[tuple[str, dict[str, Any]]] = [("start", {}), ("gallery", {}), ("read", {"sample": sample})]
    for machine in machines:
        step = {"machine": machine, "word": [0, 1, 1], "exact": True, "accepted": True}
        word = machine["symbols"][:2]
        found += [
            ("check", {"machine": machine, "normalized": False}),
            ("step", step),
            ("words", {"machine": machine, "cut_point": "1/2", "max_length": 4, "most": 50, "inclusive": False}),
            ("decide", {"machine": machine, "cut_point": "1/3", "max_states": 30}),
            ("compare", {"left": machine, "right": machines[0]}),
            ("diagram", {"machine": machine, "min_probability": 0.1, "orientation": "down", "digits": 3}),
            *(
                ("download", {"machine": machine, "format": kind, "name": "m", "rounded": True})
                for kind in machine_screen.DOWNLOADS
            ),
            ("case", {"machine": machine, "word": word, "outcome": "accepted", "exact": True}),
            ("cases", {"machine": machine, "sample": sample}),
            ("report", {"machine": machine, "sample": sample, "title": "A title"}),
            ("script", {"screen": "step", "request": step, "name": "machine"}),
            ("script", {"screen": "machine", "request": {"machine": machine}}),
        ]
    learn = {"sample": sample, "n_states": 1, "team": 1, "time_limit": 0.5, "generator": False, "holdout": 0.0}
    return [
        *found,
        ("learn", learn),
        ("learn", learn | {"generator": True}),
        ("script", {"screen": "learn", "request": learn}),
    ]


def hostile_requests(seed: int) -> int:
    """Requests with parts that are junk or of other requests, and with changed bytes."""
    rng, dice = np.random.default_rng(seed), random.Random(seed)
    with stored.scratch() as folder, patch.object(uploads.Folder, "path", folder), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        requests.cache_clear()  # uploads are in the folder of this seed
        for _ in range(REQUESTS):
            (name, request), (_, other) = dice.choice(requests()), dice.choice(requests())
            changed = _changed(request, dice, other)
            body = msgspec.json.encode(changed)
            if dice.random() < 0.2:
                body = mutated(rng, body, msgspec.json.encode(other))
            _check(name, body)
    return REQUESTS


def _changed(request: Any, dice: random.Random, other: Any) -> Any:
    """A request with a few parts replaced, left out or repeated."""
    found = copy.deepcopy(request)
    for _ in range(dice.choice([0, 1, 1, 2, 4])):
        places = list(_places(found))
        if not places:
            break
        owner, key = dice.choice(places)
        kind = dice.randrange(4)
        if kind == 0:
            del owner[key]
        elif kind == 1 and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        else:
            parts = [there[place] for there, place in _places(other)]
            owner[key] = copy.deepcopy(dice.choice([*JUNK, *parts]))
    return found


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in nested lists and dictionaries: the owner, and the key or number."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _check(name: str, body: bytes) -> None:
    asked = f"{name}: {body[:2000]!r}"
    found = routes.answer(name, body)
    assert found.status in (200, 400, 404, 409, 422), f"{asked}: {found.body!r}"
    if found.status == 200:
        _finite(msgspec.json.decode(found.body), asked)
    else:
        sentence = msgspec.json.decode(found.body, type=messages.Failure).sentence
        assert 15 <= len(sentence) <= 1500, f"{asked}: {sentence}"
        assert sentence.rstrip()[-1] in ".?!)", f"{asked}: {sentence}"


def _finite(value: Any, asked: str) -> None:
    """No number is missing that should be there: in JSON, NaN would be null in a list of numbers."""
    if isinstance(value, dict):
        for each in value.values():
            _finite(each, asked)
    elif isinstance(value, list):
        kinds = {type(each) for each in value}
        assert not (float in kinds and type(None) in kinds), f"{asked}: {value}"
        for each in value:
            _finite(each, asked)
    assert not (isinstance(value, float) and not math.isfinite(value)), f"{asked}: {value}"


@contextlib.contextmanager
def shapes_as_they_come() -> Iterator[None]:
    """Tables that are typed in are not compared with the numbers of states and symbols."""
    with patch.object(drafts, "_shapes", lambda draft: iter(())):
        yield


ROWS = [
    Row(
        "workbench",
        "Every route of the workbench answers a request, whatever it holds, or refuses it with a sentence: no fault, "
        "no crash, no number that is missing.",
        hostile_requests,
        shapes_as_they_come,
        timeout=300.0,
        missing=missing,
    )
]
