"""Pieces of words around positions, and what is made of their frequencies: starts for generators."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import Parameters
from cutpoint.search.spectral import LONGEST, Hankel, Pieces, Windows, clustered, cornered

Start = Callable[[cp.Sample, int, np.random.Generator], Parameters]
texts = st.lists(st.text("ab", max_size=11), min_size=1, max_size=12)


def piece_names(pieces: Pieces, around: list[str], ending: bool) -> dict[int, str]:
    """Text of each piece, read off the positions that have it; ``around`` is all that comes before or after each."""
    names: dict[int, str] = {}
    for number, text in zip(pieces.longest.tolist(), around, strict=True):
        chain = [number]
        while chain[-1]:
            chain.append(int(pieces.shorter[chain[-1]]))
        for length, piece in enumerate(reversed(chain)):
            name = text[len(text) - length :] if ending else text[:length]
            assert names.setdefault(piece, name) == name
    return names


@given(texts, st.sampled_from([0.0, 2.0, 3.0]), st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_hankel_counts_positions_between_pieces(words: list[str], least: float, most: int) -> None:
    sample = cp.Sample(words, alphabet="ab")
    distinct = [str(word) for word in sample.words]
    windows = Windows.of(sample, (most, most), least)
    before = [f"^{word[:i]}" for word in distinct for i in range(len(word) + 1)]
    after = [f"{word[i:]}$" for word in distinct for i in range(len(word) + 1)]
    left, right = piece_names(windows.before, before, True), piece_names(windows.after, after, False)
    hankel = Hankel.of(windows).matrix.toarray()
    assert hankel.shape == (len(left), len(right))
    for u, left_name in left.items():
        for v, right_name in right.items():
            places = zip(windows.weights.tolist(), before, after, strict=True)
            expected = sum(w for w, b, a in places if b.endswith(left_name) and a.startswith(right_name))
            assert hankel[u, v] == expected
    assert windows.before.weights.tolist() == hankel[:, 0].tolist()
    assert windows.after.weights.tolist() == hankel[0].tolist()
    totals: Counter[str] = Counter()
    for weight, text in zip(windows.weights.tolist(), before, strict=True):
        totals.update({text[len(text) - k :]: weight for k in range(min(LONGEST, len(text)) + 1)})
    heaviest = sorted((weight for weight in totals.values() if weight >= least), reverse=True)
    bound = heaviest[most - 1] if len(heaviest) > most else least
    assert set(left.values()) == {""} | {name for name, weight in totals.items() if weight >= bound}


def cycle() -> cp.Generator:
    """Machine whose next symbol depends on all symbols before: on their number modulo 3, and on the first."""
    moves = np.zeros((2, 6, 6))
    for state in range(6):
        to = (state + 1) % 3 + 3 * (state // 3)
        moves[:, state, to] = [0.75, 0.15] if state % 3 == 0 else [0.1, 0.8]
    moves[:, 3] = moves[::-1, 3]
    return cp.Generator(6, "ab", moves, [0.5, 0, 0, 0.5, 0, 0], np.full(6, 0.1))


def as_generator(parameters: Parameters, sample: cp.Sample) -> cp.Generator:
    return cp.Generator(len(parameters.initial), sample.alphabet, **parameters.parts)


@pytest.mark.parametrize("start", [clustered, cornered])
def test_starts_are_near_the_machine(start: Start) -> None:
    true = cycle()
    sample, test = true.simulate(3000, 1), true.simulate(1000, 2)
    first = as_generator(start(sample, 6, np.random.default_rng(0)), sample)
    fit = cp.baum_welch(first, sample, max_steps=60, accelerate=True, learn_initial=True)
    assert first.perplexity(test) < 1.1 * true.perplexity(test)
    assert fit.generator.perplexity(test) < 1.005 * true.perplexity(test)


def test_corners_are_the_states_of_a_machine_that_hides_them() -> None:
    rng = np.random.default_rng(5)
    moves = rng.dirichlet(np.full(12, 0.3), size=4).reshape(4, 3, 4).transpose(1, 0, 2)
    true = cp.Generator.normalized(4, "abc", moves, [0.25] * 4, [0.05, 0.1, 0.1, 0.2])
    sample, test = true.simulate(5000, 1), true.simulate(1000, 2)
    start = as_generator(cornered(sample, 4, np.random.default_rng(0)), sample)
    assert start.perplexity(test) < 1.1 * true.perplexity(test)


@pytest.mark.parametrize("start", [clustered, cornered])
@pytest.mark.parametrize("n_states", [1, 2, 7, 60])
@pytest.mark.parametrize(
    "sample",
    [
        cp.Sample([""], alphabet="ab"),
        cp.Sample(["a" * n for n in range(40)], counts=[1e-3] * 40),
        cp.Sample(["ab", "", "b"] * 30),
        cp.Sample(["ab" * 20_000]),
    ],
    ids=["empty word", "one symbol", "short words", "long word"],
)
def test_any_sample_gives_a_law_with_all_symbols(sample: cp.Sample, n_states: int, start: Start) -> None:
    parameters = start(sample, n_states, np.random.default_rng(3))
    generator = as_generator(parameters, sample)
    assert (generator.transitions.sum(axis=(1, 2)) > 0.0).all()
    assert (generator.stop > 0.0).all()
    assert np.isfinite(generator.log_probabilities(sample)).all()
    again = start(sample, n_states, np.random.default_rng(3))
    assert all(map(np.array_equal, parameters, again))
