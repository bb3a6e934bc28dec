"""Every public value can be copied and pickled: it shows the same, holds the same, and stays read-only."""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import numpy as np
import pytest

import cutpoint as cp


@cache
def values() -> dict[str, Any]:
    acceptor, start = cp.p_adic(2), cp.random_acceptor(2, "01", rng=1)
    sample = cp.simulate(acceptor, cp.random_words("01", 60, (1, 4), rng=1), rng=2)
    law = cp.Generator.from_ngrams(sample, n=2)
    model = cp.files.Model(acceptor, "1/2", metadata={"author": "Rabin", "year": 1963}, classes=("a", "b"), inputs=law)
    run = acceptor.run(cut_point="1/2")
    run.read("1")
    runs = cp.Runs(acceptor, "1/2")
    runs.read_batch(["x", "y"], ["0", "1"])
    found: list[Any] = [
        acceptor, law, acceptor.to_weighted(), cp.Language(acceptor, "1/3"), cp.Language(acceptor, "1/4").to_dfa(), sample,
        model, model.acceptor, cp.baum_welch(start, sample, max_steps=2), cp.learn(sample, n_states=2, rng=1),
        cp.evaluate(acceptor, sample), cp.explain(acceptor, "01", law), cp.credit(acceptor, sample, law),
        cp.advise(acceptor, "0", law), cp.cases.Forecaster(acceptor, law), run, runs, acceptor.chain("01"),
        cp.BeliefNetwork(acceptor, 2), cp.AlgebraicNumber.sqrt(2), acceptor.alphabet, cp.data.Alphabet("ab"),
        cp.equivalence(acceptor, ~acceptor), cp.draw(acceptor), cp.ShardedSample.of(sample, 20),
        cp.value(acceptor, max_length=5), cp.ergodicity(acceptor),
    ]  # fmt: skip
    return {f"{type(value).__name__} {number}": value for number, value in enumerate(found)}


def content(value: Any, known: set[int] | None = None) -> Hashable:
    """All numbers and names that a value of the package holds, and which of its arrays are read-only."""
    known = set() if known is None else known
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.flags.writeable, tuple(map(repr, value.ravel().tolist()))
    if isinstance(value, list | tuple) and type(value).__repr__ in (list.__repr__, tuple.__repr__):
        return tuple(content(each, known) for each in value)
    if isinstance(value, dict):
        return tuple((repr(key), content(each, known)) for key, each in value.items())
    if dataclasses.is_dataclass(value) and id(value) not in known:
        known.add(id(value))
        return tuple(content(getattr(value, field.name), known) for field in dataclasses.fields(value))
    return repr(value)


EQUAL = (
    cp.Acceptor,
    cp.Generator,
    cp.WeightedAutomaton,
    cp.Language,
    cp.files.Model,
    cp.AlgebraicNumber,
    cp.data.Alphabet,
)
COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value: pickle.loads(pickle.dumps(value, protocol=2)),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", values())
def test_a_copy_is_the_same_value(name: str, how: str) -> None:
    value = values()[name]
    twin = COPIES[how](value)
    assert type(twin) is type(value)
    assert repr(twin) == repr(value)
    assert content(twin) == content(value)
    if isinstance(value, EQUAL):
        assert (twin, hash(twin)) == (value, hash(value))


def test_a_copied_model_is_used_alike() -> None:
    model = next(value for value in values().values() if isinstance(value, cp.files.Model))
    for how in COPIES.values():
        twin = how(model)
        assert twin.metadata == {"author": "Rabin", "year": 1963}
        with pytest.raises(TypeError):
            twin.metadata["author"] = "another"
        assert twin.predict(["01", "11"]).tolist() == ["a", "b"]
        assert twin.acceptor.predict(["11"]).tolist() == ["b"]


def test_a_copied_run_goes_its_own_way() -> None:
    run = cp.p_adic(2).run()
    run.read("1")
    for how in COPIES.values():
        twin = how(run)
        twin.read("1")
        assert (run.acceptance, twin.acceptance) == (0.5, 0.75)
