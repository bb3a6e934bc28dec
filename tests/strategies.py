"""Random acceptors, words and samples for Hypothesis."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import cutpoint as cp
from cutpoint.model.mixtures import AnyMachine

KINDS = ("accepted", "verdicts", "states", "sets", "mixed", "nothing")


def in_either_form(draw: st.DrawFn, machine: AnyMachine) -> AnyMachine:
    """The machine, stored dense or sparse: every law holds of both."""
    return machine.to_sparse() if draw(st.booleans()) else machine


@st.composite
def acceptors(
    draw: st.DrawFn, max_states: int = 4, max_symbols: int = 3, zeros: bool = True, exact: bool = False
) -> cp.Acceptor:
    """Acceptors with small integer weights normalized, so that zeros and equal entries are common."""
    n_states = draw(st.integers(1, max_states))
    n_symbols = draw(st.integers(1, max_symbols))
    weight = st.integers(0 if zeros else 1, 5)

    def row() -> list[int]:
        values = draw(st.lists(weight, min_size=n_states, max_size=n_states))
        return values if any(values) else [1] * n_states

    weights: Any = [[row() for _ in range(n_states)] for _ in range(n_symbols)]
    start: Any = row()
    final = draw(st.lists(st.booleans(), min_size=n_states, max_size=n_states))
    if not exact:
        weights, start = np.array(weights, dtype=np.float64), np.array(start, dtype=np.float64)
    names = [f"q{i}" for i in range(n_states)]
    return in_either_form(draw, cp.Acceptor.normalized(names, "abc"[:n_symbols], weights, start, np.array(final)))


def seeded_acceptor(seed: int, least_states: int = 1) -> cp.Acceptor:
    """Two symbols and up to four states, with many zeros; every fourth seed gives floats, every third is stored sparse."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(least_states, 5))
    weights = rng.integers(0, 4, size=(2, size, size)) * (rng.random((2, size, size)) < 0.7)
    weights[weights.sum(axis=2) == 0] = 1
    start = np.eye(size, dtype=np.int64)[int(rng.integers(size))]
    kind = np.float64 if seed % 4 == 0 else np.int64
    found = cp.Acceptor.normalized(size, "ab", weights.astype(kind), start.astype(kind), rng.random(size) < 0.4)
    return found.to_sparse() if seed % 3 == 1 else found


@st.composite
def generators(
    draw: st.DrawFn, max_states: int = 3, max_symbols: int = 3, exact: bool = False, zeros: bool = True
) -> cp.Generator:
    """Generators with small integer weights normalized; every state can stop, or its moves lead to the first, which can."""
    n_states, n_symbols = draw(st.integers(1, max_states)), draw(st.integers(1, max_symbols))
    weight = st.integers(0 if zeros else 1, 5)
    size = n_symbols * n_states * n_states
    cells = np.array(draw(st.lists(weight, min_size=size, max_size=size)))
    moves = cells.reshape(n_symbols, n_states, n_states)
    stop = np.array([draw(st.integers(1, 5)), *(draw(weight) for _ in range(n_states - 1))])
    moves[0, stop == 0, 0] += 1
    start = np.array([*(draw(weight) for _ in range(n_states - 1)), draw(st.integers(1, 5))])
    final = draw(st.lists(st.booleans(), min_size=n_states, max_size=n_states))
    names = [f"q{i}" for i in range(n_states)]
    arrays = (moves, start, stop) if exact else (moves.astype(float), start.astype(float), stop.astype(float))
    return in_either_form(draw, cp.Generator.normalized(names, "abc"[:n_symbols], *arrays, np.array(final)))


@st.composite
def words_of(draw: st.DrawFn, acceptor: cp.Acceptor | cp.Generator, max_length: int = 5) -> str:
    return draw(st.text(alphabet=st.sampled_from(list(map(str, acceptor.alphabet))), max_size=max_length))


@st.composite
def samples(draw: st.DrawFn, acceptor: cp.Acceptor, kind: str, max_words: int = 4, max_length: int = 3) -> cp.Sample:
    """Samples of the given kind of evidence, taken from simulated runs, so that nothing in them is impossible."""
    words = draw(st.lists(words_of(acceptor, max_length), min_size=1, max_size=max_words))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    runs = [acceptor.sample_path(word, rng) for word in words]
    final = set(acceptor.final_states)
    counts = draw(st.lists(st.sampled_from([1.0, 2.0, 0.25, 7.5]), min_size=len(words), max_size=len(words)))

    def hide(values: Iterable[Any]) -> list[Any]:
        return [value if rng.random() < 0.5 else None for value in values]

    accepted: Any = None
    verdicts: Any = None
    states: Any = None
    if kind in ("accepted", "mixed"):
        accepted = hide([run[-1] in final for run in runs]) if kind == "mixed" else [run[-1] in final for run in runs]
    if kind in ("verdicts", "mixed"):
        verdicts = [hide([s in final for s in run]) for run in runs]
    if kind in ("states", "mixed"):
        states = [hide(run) for run in runs]
    if kind == "sets":
        states = [[{s, acceptor.states[0]} if rng.random() < 0.5 else None for s in run] for run in runs]
    return cp.Sample(words, accepted, verdicts, states, counts, alphabet=acceptor.alphabet)
