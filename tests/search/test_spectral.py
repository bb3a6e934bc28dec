"""Pieces of words around positions, and what is made of their frequencies: automata, and starts for generators."""

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

import cutpoint as cp
from cutpoint.em.observations import Parameters
from cutpoint.search.spectral import LONGEST, Hankel, Pieces, Windows, clustered, cornered
from tests.refusals import Refusal, check_refused
from tests.strategies import generators, words_of

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


def test_starts_do_without_non_negative_least_squares_where_they_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("scipy.optimize.nnls", endless)
    sample = cycle().simulate(1000, 1)
    assert as_generator(cornered(sample, 6, np.random.default_rng(0)), sample).perplexity(sample) < 3.0


# -- Weighted automata ------------------------------------------------------------------------------------------------


def exact_hankel(generator: cp.Generator, length: int) -> Hankel:
    """Expected number of positions between all pieces up to a length: after any past, or from the beginning of a word."""
    moves, n_states = generator.transitions, generator.n_states
    visits = np.linalg.solve(np.eye(n_states) - moves.sum(axis=0).T, generator.initial)
    before, after = [visits, generator.initial], [np.ones(n_states), generator.stop]
    rows, columns = before, after
    for _ in range(length):
        rows, columns = [r @ m for r in rows for m in moves], [m @ c for c in columns for m in moves]
        before, after = before + rows, after + columns
    left, right = np.array(before), np.array(after).T
    matrix, *shifted = (csr_array(left @ step @ right) for step in (np.eye(n_states), *moves))
    return Hankel(matrix, shifted, generator.initial @ right, left @ generator.stop, 1.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rank", [3, 40])
def test_exact_frequencies_give_exact_probabilities(seed: int, rank: int) -> None:
    rows = np.random.default_rng(seed).dirichlet(np.full(7, 0.7), size=3)
    moves = rows[:, :-1].reshape(3, 2, 3).transpose(1, 0, 2)
    true = cp.Generator.normalized(3, "ab", moves, [0.5, 0.5, 0], rows[:, -1] + 0.1)
    row, matrices, column = exact_hankel(true, 3).factored(rank).arrays
    found = cp.WeightedAutomaton("ab", row, matrices, column)
    assert found.dimension == 3
    words = ["".join(word) for n in range(9) for word in product("ab", repeat=n)]
    np.testing.assert_allclose(found.values(words), true.to_weighted().values(words), rtol=0, atol=1e-8)


def test_a_sample_that_is_the_law_itself_gives_it_back() -> None:
    moves = {"a": {0: {1: "1/2"}, 1: {2: "1/3"}}, "b": {0: {2: "1/2"}, 1: {2: "1/3"}}}
    true = cp.Generator(3, "ab", moves, 0, {1: "1/3", 2: 1})
    words = [word for n in range(4) for word in map("".join, product("ab", repeat=n)) if true.probability(word)]
    law = cp.Sample(words, counts=[true.probability(word) for word in words])
    found = Hankel.of(Windows.of(law, least=0.0)).factored(10).arrays
    automaton = cp.WeightedAutomaton("ab", *found)
    assert automaton.dimension == 3
    for word in map("".join, product("ab", repeat=3)):
        for part in (word, word[:2], word[:1], ""):
            assert automaton.value(part) == pytest.approx(true.probability(part), abs=1e-12)


def test_many_words_give_probabilities_within_sampling_error() -> None:
    true = cycle()
    sample = true.simulate(100_000, 3)
    automaton = cp.search.spectral_automaton(sample, rank=6)
    words, chances = zip(*true.most_probable_words(40), strict=True)
    errors = np.sqrt(np.array(chances) / sample.total)
    assert (np.abs(automaton.values(words) - chances) < 4.0 * errors).all()
    assert automaton.values(words).sum() == pytest.approx(sum(chances), rel=0.01)


def perplexity(automaton: cp.WeightedAutomaton, test: cp.Sample) -> float:
    logs = cp.search.clipped_log_probabilities(automaton, test)
    return float(np.exp(-(test.counts @ logs) / (test.counts @ (test.lengths + 1))))


def test_the_rank_is_chosen_by_words_held_out() -> None:
    true = cycle()
    sample, test = true.simulate(5000, 4), true.simulate(1000, 5)
    chosen = cp.search.spectral_automaton(sample, basis=(150, 150))
    assert 4 <= chosen.dimension <= 6
    best, low, high = (perplexity(cp.search.spectral_automaton(sample, rank, (150, 150)), test) for rank in (4, 1, 60))
    assert perplexity(chosen, test) < 1.01 * true.perplexity(test)
    assert best < 1.01 * true.perplexity(test) < low
    assert best < high < 2.0 * best


def test_one_symbol_and_the_empty_word() -> None:
    sample = cp.Generator(1, "a", {"a": [[0.6]]}, 0, [0.4]).simulate(5000, 1)
    automaton = cp.search.spectral_automaton(sample, rank=1)
    for word in ("", "a", "aaa"):
        assert automaton.value(word) == pytest.approx(0.4 * 0.6 ** len(word), rel=0.1)
    unused = cp.search.spectral_automaton(cp.Sample(["a", ""] * 20, alphabet="ab"), basis=(1, 1))
    assert unused.value("b") == 0.0


def test_long_words() -> None:
    sample = cp.Sample(["ab" * 3000, "ab" * 3000 + "a"])
    automaton = cp.search.spectral_automaton(sample, rank=2)
    assert cp.search.clipped_log_probabilities(automaton, sample).min() > -100.0


# -- A law made of an automaton ---------------------------------------------------------------------------------------


@given(generators(zeros=False).flatmap(lambda G: st.tuples(st.just(G), st.lists(words_of(G, 9), max_size=5))))
@settings(max_examples=40, deadline=None)
def test_the_law_of_a_generator_is_its_own(drawn: tuple[cp.Generator, list[str]]) -> None:
    generator, words = drawn
    logs = cp.search.clipped_log_probabilities(generator.to_weighted(), words)
    np.testing.assert_allclose(logs, generator.log_probabilities(words), rtol=1e-9, atol=0)


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from([1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_clipped_probabilities_of_any_automaton_sum_to_one(seed: int, size: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    row, column, matrix = rng.normal(size=size), rng.normal(size=size), scale * rng.normal(size=(1, size, size))
    automaton = cp.WeightedAutomaton("a", row, matrix, column)
    logs = cp.search.clipped_log_probabilities(automaton, ["a" * n for n in range(100)], floor=0.5)
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-9)


SAMPLE = cp.Sample(["ab", "b"] * 20)
AUTOMATON = cp.search.spectral_automaton(SAMPLE, rank=1)
learned = cp.search.spectral_automaton
clipped = cp.search.clipped_log_probabilities

REFUSED: list[Refusal] = [
    (
        lambda: learned(["ab"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a Sample; got list. Write Sample(words, accepted=...).",
    ),
    (
        lambda: learned(cp.Sample([""] * 30, alphabet="ab")),
        cp.errors.InvalidSample,
        "spectral learning needs a word that is not empty; all words of the sample are empty.",
    ),
    (
        lambda: learned(cp.Sample(["ab", "b"])),
        cp.errors.InvalidSample,
        "the rank is chosen by held-out words, which takes 20 words; got 2. Give the rank=…, or add words.",
    ),
    (lambda: learned(SAMPLE, 0), cp.errors.InvalidArgument, "rank must be a whole number, 1 or more; got 0."),
    (
        lambda: learned(SAMPLE, basis=300),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "basis must be two whole numbers, pieces before and after a position; got 300.",
    ),
    (
        lambda: learned(SAMPLE, basis=(10, 0)),
        cp.errors.InvalidArgument,
        "basis must be a whole number, 1 or more; got 0.",
    ),
    (
        lambda: clipped("ab", ["a"]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a WeightedAutomaton; got 'ab'.",
    ),
    (
        lambda: clipped(AUTOMATON, ["a"], floor=0.0),
        cp.errors.InvalidArgument,
        "floor must be a number between 0 and 1; got 0.0.",
    ),
    (
        lambda: clipped(AUTOMATON, ["ac"]),
        cp.errors.UnknownSymbol,
        "word 0, position 1: symbol 'c' is not in the alphabet {'a', 'b'}.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refusals(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
