"""Weighted automata in JSON: everything comes back, and what does not fit is refused with its place."""

import gzip
import json
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

import cutpoint as cp
from tests.model.test_weighted import linears

SCHEMA: Any = jsonschema.Draft202012Validator(
    json.loads((resources.files("cutpoint.files") / "weighted.schema.json").read_text())
)
F = cp.WeightedAutomaton("ab", ["1/2", -1], {"a": [[1, 2], [0, "1/3"]], "b": [[-1, 0], [0, 0]]}, [0, "1/4"])


@given(linears())
def test_read_after_write_is_the_identity(tmp_path_factory: pytest.TempPathFactory, f: cp.WeightedAutomaton) -> None:
    path = tmp_path_factory.mktemp("weighted") / "f.json"
    for g in (f, f * 0.1):
        cp.save(g, path)
        assert cp.load(path) == g
        assert cp.load(path).is_exact == g.is_exact
        assert SCHEMA.is_valid(json.loads(path.read_text()))


def test_symbols_and_their_rule_are_kept(tmp_path: Path) -> None:
    f = cp.WeightedAutomaton(cp.data.Alphabet([1, (2, "x")], "skip"), [1], [[[2]], [[-3]]], [-1])
    cp.save(f, tmp_path / "f.json.gz")
    found = cp.load(tmp_path / "f.json.gz")
    assert found == f
    assert SCHEMA.is_valid(json.loads(gzip.decompress((tmp_path / "f.json.gz").read_bytes())))
    assert found.exact_value([1, "unknown", (2, "x")]) == 6


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"initial": [1]}, "transitions.a: expected 1 row; got 2."),
        ({"final": ["x", 1]}, "final[0]: expected a finite number or a string such as \"1/3\"; got 'x'."),
        ({"transitions": {"a": [[1]]}}, "transitions: expected the key 'b', which is missing."),
        ({"states": [0, 1]}, "expected keys out of"),
        ({"alphabet": ["a", "a"]}, "alphabet: "),
        ({"unknown": "guess"}, "unknown: "),
        (
            {"cutpoint": {"format": "weighted automaton", "version": 2}},
            "cutpoint: expected 'weighted automaton' of version 1",
        ),
        ({"initial": ["1/3", -1]}, "digest: the file is damaged"),
    ],
)
def test_damage_is_refused_with_its_place(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    path = tmp_path / "f.json"
    cp.save(F, path)
    raw = json.loads(path.read_text()) | changes
    if "damaged" not in sentence:
        del raw["digest"]
    sizes_or_digest = "row" in sentence or "key 'b'" in sentence or "damaged" in sentence
    assert SCHEMA.is_valid(raw) == sizes_or_digest, "what a schema cannot say"
    path.write_text(json.dumps(raw))
    with pytest.raises(cp.errors.FormatError) as refusal:
        cp.load(path)
    assert sentence in str(refusal.value)


def test_what_a_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    cp.save(F, path)
    for call, sentence in (
        (lambda: cp.read_model(path), "expected a model; the file holds a weighted automaton, which load reads."),
        (lambda: cp.save(F, tmp_path / "f.npz"), "a weighted automaton is saved as .json, with nothing beside it."),
        (lambda: cp.save(F, path, cut_point=1), "a weighted automaton is saved as .json, with nothing beside it."),
        (lambda: cp.save(F * Fraction(1, 10**400), path), "JSON keeps weights from 4.94066e-324 to 1e+300; got "),
    ):
        with pytest.raises(cp.errors.InvalidArgument) as refusal:
            call()
        assert sentence in str(refusal.value)
