"""The compiled climb against the loop in Python, which defines it."""

from functools import partial

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.em.climb import Climb
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import InMemory, Parameters, mark_masks
from cutpoint.kernels import kernel_info

pytestmark = pytest.mark.skipif(kernel_info()["kernels"] != "native", reason="the reference takes steps one by one")


def climbs(
    start: cp.Acceptor, sample: cp.Sample, prior: float = 0.01, learn_initial: bool = True, threads: int = 1
) -> tuple[Climb, Climb]:
    """The same climb in Python and compiled."""
    data, masks = InMemory(sample.recoded(start.alphabet), threads), mark_masks(start, sample)
    place = Parameters.of(start)
    m_step = MStep(place, Parameters(*(np.full_like(part, prior) for part in place)), learn_initial)
    e_step, many = partial(data.expected_counts, masks=masks), partial(data.climbed, masks=masks)
    return Climb(e_step, m_step, accelerate=True), Climb(e_step, m_step, accelerate=True, compiled=many)


def sample_of(n_words: int = 300) -> cp.Sample:
    """Words with an outcome at their end; some with verdicts along the way."""
    truth = cp.random_acceptor(3, "ab", rng=1)
    words = cp.random_words("ab", n_words, (0, 12), rng=2)
    verdicts: list[list[bool | None]] = [[None] * (len(word) + 1) for word in words]
    for k, (word, p) in enumerate(zip(words, truth.acceptances(words), strict=True)):
        verdicts[k][-1] = bool(p > 0.5)
        if k % 3 == 0:
            verdicts[k][len(word) // 2] = bool(k % 2)
    return cp.Sample(words, verdicts=verdicts)


@pytest.mark.parametrize(
    ("n_states", "prior", "learn_initial"), [(2, 0.01, True), (5, 0.0, True), (8, 0.3, False), (9, 0.01, True)]
)
def test_a_compiled_climb_takes_the_steps_of_the_loop(n_states: int, prior: float, learn_initial: bool) -> None:
    start = cp.random_acceptor(n_states, "ab", rng=n_states)
    zeros = np.where(start.transitions < 0.1, 0.0, start.transitions) if n_states == 9 else start.transitions
    start = cp.Acceptor.normalized(n_states, "ab", zeros, start.initial, start.final)
    loop, compiled = climbs(start, sample_of(), prior, learn_initial)
    for _ in range(3):
        assert loop.advance(10)
        assert compiled.advance(10)
        assert len(compiled.history) == len(loop.history)
        np.testing.assert_allclose(compiled.history, loop.history, rtol=1e-9, atol=0)
        np.testing.assert_allclose(compiled.parameters.rows, loop.parameters.rows, rtol=1e-5, atol=1e-11)
        np.testing.assert_allclose(compiled.counts.transitions, loop.counts.transitions, rtol=1e-5, atol=1e-8)
        assert compiled.cap == loop.cap
        assert (np.diff(compiled.history) >= 0.0).all()
        assert ((compiled.parameters.rows == 0.0) == (start.transitions == 0.0)).all()
    assert (compiled.parameters.initial == start.initial).all() != learn_initial


def test_a_compiled_climb_has_the_same_bits_on_any_number_of_threads() -> None:
    start, sample = cp.random_acceptor(16, "ab", rng=1), sample_of(6000)
    places = []
    for threads in (1, 2, 3):
        _, climb = climbs(start, sample, threads=threads)
        climb.advance(20)
        places.append(climb.parameters.rows.tobytes() + np.array(climb.history).tobytes())
    assert len(set(places)) == 1


def test_steps_that_plain_floats_do_not_reach_are_taken_by_the_loop() -> None:
    """A transition of 1e-290 would leave the range of floats; the kernel says so and the loop goes on."""
    rows = {"a": [[1.0 - 1e-290, 1e-290], [0.5, 0.5]], "b": [[1.0, 0.0], [0.0, 1.0]]}
    start = cp.Acceptor(2, "ab", rows, [0.5, 0.5], {1})
    sample = cp.Sample(["ab", "ba", "aab"], accepted=[True, False, True])
    loop, compiled = climbs(start, sample, prior=0.0)
    loop.advance(6), compiled.advance(6)
    assert len(compiled.history) == len(loop.history)
    np.testing.assert_allclose(compiled.parameters.rows, loop.parameters.rows, rtol=1e-9, atol=1e-12)


def test_a_climb_at_rest_ends() -> None:
    """A tolerance above every gain ends it after its first step, compiled or not."""
    for climb in climbs(cp.random_acceptor(4, "ab", rng=3), sample_of()):
        assert not climb.advance(50, least_gain=1e9)
        assert 1 <= climb.e_steps <= 3
