"""The simplest explanation: a deterministic machine with wrong labels, unless the winners are clearly better."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.em.observations import Parameters
from cutpoint.search.deterministic import DeterministicMachine, rounded, simplest
from cutpoint.search.labels import Labelling, Solution

heavy = pytest.mark.skipif(
    cp.kernel_info()["kernels"] == "reference", reason="thousands of E-steps, which the reference is too slow for"
)
MOD_THREE = cp.gallery.deterministic({k: {"a": (k + 1) % 3, "b": k} for k in range(3)}, 0, {0})


def parameters_of(table: list[list[int]], start: int) -> Parameters:
    """Acceptor whose likeliest moves are those of a table."""
    size = len(table)
    rows = 0.6 * np.eye(size)[np.array(table).T] + 0.4 / size
    return Parameters(rows, 0.6 * np.eye(size)[start] + 0.4 / size)


def outcome(table: list[list[int]], kinds: list[int], start: int, word: tuple[int, ...]) -> int:
    for symbol in word:
        start = table[start][symbol]
    return kinds[start]


@st.composite
def machines(draw: st.DrawFn) -> tuple[list[list[int]], list[int], int]:
    size = draw(st.integers(1, 5))
    states = st.integers(0, size - 1)
    table = draw(st.lists(st.lists(states, min_size=2, max_size=2), min_size=size, max_size=size))
    return table, draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)), draw(states)


@settings(max_examples=80)
@given(machines())
def test_rounding_keeps_what_words_show_and_only_the_states_needed(
    machine: tuple[list[list[int]], list[int], int],
) -> None:
    table, kinds, start = machine
    small, small_kinds = rounded(parameters_of(table, start), np.array(kinds, dtype=np.int32))
    words = [word for n in range(6) for word in product((0, 1), repeat=n)]
    shown = {word: outcome(table, kinds, start, word) for word in words}
    for word in words:
        assert outcome(small.tolist(), small_kinds.tolist(), 0, word) == shown[word]
    futures = {
        tuple(outcome(table, kinds, state, word) for word in words)  # five states differ within four symbols, if ever
        for state in reachable(table, start)
    }
    assert len(small) == len(futures)


def reachable(table: list[list[int]], start: int) -> set[int]:
    found, new = {start}, {start}
    while new:
        new = {to for state in new for to in table[state]} - found
        found |= new
    return found


PARITY = DeterministicMachine(
    np.array([[0, 1], [1, 0]]), np.array([0, 1], dtype=np.int32), np.array([[47.0, 3.0], [2.0, 48.0]])
)


def test_as_an_acceptor_it_shows_wrong_labels_as_often_for_all_words() -> None:
    (rows, initial), kinds = PARITY.solution(6)
    acceptor = cp.Acceptor(6, "01", rows, initial, kinds == 1)
    share = 5.5 / 101
    assert PARITY.wrong == share
    words = ["", "1", "0110", "1" * 501]
    np.testing.assert_allclose(acceptor.acceptances(words), [share, 1 - share, share, 1 - share], rtol=1e-12)
    assert set(kinds.tolist()) == {0, 1}


def test_the_code_is_counted() -> None:
    share = 5.5 / 101
    labels = 5 * math.log(1 / share) + 95 * math.log(1 / (1 - share))
    assert PARITY.code_length == pytest.approx(4 * math.log(2) + 2 * math.log(2) + labels, rel=1e-12)
    three = DeterministicMachine(np.array([[0], [1], [2]]), np.zeros(3, dtype=np.int32), np.array([[8.0, 0, 1]] * 3))
    share = 3.5 / 28
    moves = 3 * math.log(3) + 3 * math.log(3) - math.log(2)  # of moves, of labels, less two numberings that are one
    assert three.code_length == pytest.approx(moves - 3 * math.log(share / 2) - 24 * math.log(1 - share), rel=1e-12)


def test_uneven_wrong_labels_are_noticed() -> None:
    assert PARITY.even
    uneven = DeterministicMachine(PARITY.table, PARITY.kinds, np.array([[50.0, 0.0], [12.0, 38.0]]))
    assert not uneven.even


def test_only_labels_at_the_ends_of_words_and_room_for_wrong_ones() -> None:
    words = cp.random_words("01", 60, (0, 6), rng=1)
    sample = cp.Sample(words, accepted=[list(word).count("1") % 2 == 1 for word in words])
    labelling = Labelling.verdicts(sample)
    solutions = [Solution(parameters_of([[0, 1], [1, 0]], 0), np.array([0, 1], dtype=np.int32))]
    found = simplest(solutions, sample, labelling, 4)
    assert found is not None
    assert found.table.tolist() == [[0, 1], [1, 0]]
    assert found.seen[0, 1] == found.seen[1, 0] == 0.0
    assert found.seen.sum() == 60.0
    assert simplest(solutions, sample, labelling, 3) is None
    constant = Solution(parameters_of([[0, 0]], 0), np.array([1], dtype=np.int32))
    few = cp.Sample(["", "1", "11", "01"], accepted=[False, True, False, True])
    found = simplest([constant, *solutions], few, labelling, 4)  # fewer nats without any machine
    assert found is not None
    assert len(found.table) == 2
    turned = [Solution(parameters, 1 - kinds) for parameters, kinds in solutions]
    assert simplest(turned, sample, labelling, 4) is None
    within = cp.Sample(["01", "1"], verdicts=[[None, False, True], None], accepted=[True, True])
    assert simplest(solutions, within, Labelling.verdicts(within), 4) is None


@heavy
@pytest.mark.parametrize("seed", [2, 3])
def test_flipped_labels_do_not_leak_into_long_words(seed: int) -> None:
    """The machine is found among the noise: its error is the share of flipped labels, however long the word."""
    words = cp.random_words("ab", 300, (0, 9), rng=1)
    sample = cp.simulate(cp.mixture([MOD_THREE, ~MOD_THREE], [0.95, 0.05]), words, rng=seed)
    with pytest.warns(cp.errors.UnusedStatesWarning):
        fit = cp.learn(sample, 8, folds=3, rng=3)
    assert "3 states that move without chance explain all but" in fit.detail
    assert fit.acceptor.n_states == 8
    flipped = sum(seen.count for seen in sample if seen.accepted != MOD_THREE.accepts(seen.word, 0.5))
    share = (flipped + 0.5) / (300 + 1)
    for length in (1, 6, 600):
        words = ["a" * n + "b" for n in range(length, length + 3)]
        expected = np.where(MOD_THREE.acceptances(words) > 0.5, 1.0 - share, share)
        np.testing.assert_allclose(fit.acceptor.acceptances(words), expected, rtol=1e-12)
    assert fit.log_likelihood == pytest.approx(cp.log_likelihood(fit.acceptor, sample), rel=1e-12)


@heavy
def test_chance_in_the_moves_is_not_taken_for_wrong_labels() -> None:
    truth = cp.random_acceptor(3, "ab", rng=6)
    sample = cp.simulate(truth, cp.random_words("ab", 1000, (0, 9), rng=1), rng=2)
    fit = cp.learn(sample, 5, folds=3, rng=3, student=False)
    assert fit.acceptor in [member.acceptor for member in fit.members]
