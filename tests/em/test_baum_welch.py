"""Baum-Welch with all that may bind and steer it: leaps, fixed entries, ties, limits, callbacks, weights."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

import cutpoint as cp
from cutpoint.em.climb import FIRST_CAP, Climb, extrapolated
from cutpoint.em.m_step import MStep
from cutpoint.em.observations import InMemory, Parameters, mark_masks
from tests import oracles
from tests.strategies import KINDS, acceptors, samples

Floats = NDArray[np.float64]

LABELLED = cp.Sample(["01", "1", "0", "10", "", "110"], accepted=[True, True, False, False, False, True])
START = cp.random_acceptor(["q1", "q2", "q3"], "01", rng=1)


def never_falls(history: Sequence[float]) -> bool:
    return all(b >= a for a, b in pairwise(history))


def em_gain(acceptor: cp.Acceptor, sample: cp.Sample, **options: Any) -> float:
    """What one plain EM step from an acceptor gains."""
    first, last = cp.baum_welch(acceptor, sample, tolerance=0, max_steps=1, **options).history
    return last - first


@st.composite
def problems(draw: st.DrawFn, zeros: bool = False, size: int = 5) -> tuple[cp.Acceptor, cp.Sample, dict[str, Any]]:
    """A start, a sample of any kind of evidence, and options; zeros: the start is where the sample came from."""
    truth = draw(acceptors(max_states=4))
    sample = draw(samples(truth, draw(st.sampled_from(KINDS)), max_words=size, max_length=size))
    start = truth
    if not zeros:
        seed = draw(st.integers(0, 2**16))
        start = cp.random_acceptor(truth.states, truth.alphabet, rng=seed, final=truth.final)
    options = {"prior": draw(st.sampled_from([0.0, 0.01, 0.5, 3.0])), "learn_initial": draw(st.booleans())}
    return start, sample, options


def partition(draw: st.DrawFn, names: Iterable[Any]) -> list[list[Any]]:
    """Disjoint groups of at least two names; some names are in none."""
    groups: dict[int, list[Any]] = {}
    for name in names:
        groups.setdefault(draw(st.integers(0, 2)), []).append(name)
    return [group for number, group in groups.items() if number and len(group) > 1]


def leaders(groups: list[list[Any]], names: Sequence[Any]) -> list[int]:
    """Per name, the number of the first name of its group."""
    first = {name: group[0] for group in groups for name in group}
    return [names.index(first.get(name, name)) for name in names]


@st.composite
def bound_problems(draw: st.DrawFn, size: int = 5) -> tuple[cp.Acceptor, cp.Sample, dict[str, Any]]:
    """Problems with ties of states and symbols and with fixed entries, in any combination."""
    start, sample, options = draw(problems(draw(st.booleans()), size))
    options["tied_states"] = partition(draw, start.states)
    options["tied_symbols"] = partition(draw, start.alphabet)
    if draw(st.booleans()):
        mask = np.array([draw(st.booleans()) for _ in range(start.transitions.size)]).reshape(start.transitions.shape)
        symbols, states = (
            leaders(options[o], tuple(n)) for o, n in zip(TIES, (start.alphabet, start.states), strict=True)
        )
        start = start.replace(transitions=start.transitions[symbols][:, states])
        assume(cp.log_likelihood(start, sample) > -math.inf)  # the rows of others may lack what the sample needs
        options["fixed"] = mask[symbols][:, states]
    return start, sample, options


TIES = "tied_symbols", "tied_states"


def check_bindings(start: cp.Acceptor, found: cp.Acceptor, options: dict[str, Any]) -> None:
    """Ties, fixed entries, zeros and the untouched parts, bit for bit."""
    table = found.transitions
    for name, names, axis in (("tied_symbols", start.alphabet, 0), ("tied_states", start.states, 1)):
        assert table.tobytes() == table.take(leaders(options.get(name, []), tuple(names)), axis=axis).tobytes()
    fixed = options.get("fixed")
    if fixed is not None:
        assert table[fixed].tolist() == start.transitions[fixed].tolist()
    if not any(options.get(name) for name in TIES):
        assert (table[start.transitions == 0] == 0).all()
    assert (found.initial[start.initial == 0] == 0).all()
    if not options["learn_initial"]:
        assert found.initial.tolist() == start.initial.tolist()
    np.testing.assert_allclose(table.sum(axis=-1), 1.0, rtol=1e-13)
    assert found.final.tolist() == start.final.tolist()


# Acceleration


@settings(max_examples=200)
@given(problems())
def test_accelerated_the_history_never_decreases_and_ends_where_em_rests(
    engine: Any, problem: tuple[cp.Acceptor, cp.Sample, dict[str, Any]]
) -> None:
    start, sample, options = problem
    fit = cp.baum_welch(start, sample, tolerance=1e-8, max_steps=3000, accelerate=True, **options, engine=engine)
    assert never_falls(fit.history)
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(
        cp.log_likelihood(fit.acceptor, sample, engine=engine), rel=1e-12, abs=1e-12
    )
    assert em_gain(fit.acceptor, sample, **options) <= 1e-6 * sample.total
    check_bindings(start, fit.acceptor, options)


@settings(max_examples=120)
@given(problems(zeros=True))
def test_accelerated_zeros_stay_and_rows_never_reached_keep_their_bits(
    engine: Any, problem: tuple[cp.Acceptor, cp.Sample, dict[str, Any]]
) -> None:
    start, sample, options = problem
    options["prior"] = 0.0
    never = cp.expected_counts(start, sample, engine=engine).transitions.sum(axis=2) == 0
    fit = cp.baum_welch(start, sample, tolerance=0, max_steps=12, accelerate=True, **options, engine=engine)
    assert fit.acceptor.transitions[never].tolist() == start.transitions[never].tolist()
    assert never_falls(fit.history)
    check_bindings(start, fit.acceptor, options)


def test_accelerated_a_row_never_reached_keeps_its_bits_over_many_leaps(engine: Any) -> None:
    """Thirds and sevenths are not themselves after a logarithm, an exponential and a division."""
    rows = np.random.default_rng(4).dirichlet(np.ones(5), size=(2, 5))
    rows[:, :4, 4] = 0.0
    rows[:, :4] /= rows[:, :4].sum(axis=-1, keepdims=True)
    start = cp.Acceptor(5, "01", rows, 0, {1, 4})
    sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 100, (0, 6), rng=1), rng=2)
    fit = cp.baum_welch(start, sample, tolerance=1e-9, accelerate=True, engine=engine)
    assert fit.steps > 10
    assert fit.acceptor.transitions[:, 4].tolist() == start.transitions[:, 4].tolist()
    assert fit.acceptor.transitions[:, 0].tolist() != start.transitions[:, 0].tolist()


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(6))
def test_accelerated_and_plain_steps_reach_the_same_maximum(engine: Any, seed: int, prior: float) -> None:
    """Words of one symbol: the objective is concave, so there is one maximum to reach."""
    start = cp.random_acceptor(3, "ab", rng=seed, final={2})
    sample = cp.Sample(["a", "b", "a", "b", ""], accepted=[True, True, False, False, True], counts=[5, 1, 2, 4, 3])
    plain, fast = (
        cp.baum_welch(start, sample, tolerance=1e-13, prior=prior, max_steps=5000, accelerate=accelerate, engine=engine)
        for accelerate in (False, True)
    )
    assert fast.converged
    assert plain.converged
    assert fast.history[-1] == pytest.approx(plain.history[-1], rel=1e-10)


def test_accelerated_fewer_e_steps_serve(engine: Any) -> None:
    sample = cp.simulate(cp.gallery.majority(), cp.random_words("ab", 500, (0, 6), rng=1), rng=2)
    start = cp.random_acceptor(3, "ab", rng=3)
    plain, fast = (
        cp.baum_welch(start, sample, tolerance=1e-9, max_steps=5000, accelerate=leap, engine=engine)
        for leap in (False, True)
    )
    assert plain.converged
    assert fast.converged
    assert fast.steps < plain.steps / 2
    assert fast.log_likelihood > plain.log_likelihood - 1e-3


def rows_of(weights: Parameters) -> Parameters:
    return Parameters(*(part / part.sum(axis=-1, keepdims=True) for part in weights))


@given(st.integers(0, 2**16), st.booleans())
def test_an_extrapolation_of_length_1_is_the_second_step(seed: int, zeros: bool) -> None:
    rng = np.random.default_rng(seed)
    places = []
    for _ in range(3):
        rows = rng.dirichlet(np.ones(4), size=(2, 4))
        if zeros:
            rows[0, 1, 2:] = 0.0
        places.append(rows_of(Parameters(rows, rng.dirichlet(np.ones(4)))))
    length, weights = extrapolated(places[0], places[1], places[2], cap=1.0)
    assert length == 1.0
    for part, expected in zip(rows_of(weights), places[2], strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-12, atol=0)
        assert (part[expected == 0] == 0).all()


@pytest.mark.parametrize(
    ("rate", "cap", "length"), [(0.5, 8.0, 2.0), (0.9, 100.0, 10.0), (0.9, 4.0, 4.0), (-0.5, 4.0, 1.0)]
)
def test_an_extrapolation_of_steps_that_shrink_lands_at_their_limit(rate: float, cap: float, length: float) -> None:
    """Logarithms on their way to a limit by a constant rate ρ: s = 1 / (1 - ρ), cut to [1, cap]."""
    limit, way = np.log([[[0.5, 0.25, 0.25]]]), np.array([[[0.3, -0.2, 0.1]]])
    places = [Parameters(np.exp(limit + rate**k * way), np.ones(1)) for k in range(3)]
    found, weights = extrapolated(places[0], places[1], places[2], cap=cap)
    assert found == pytest.approx(length, rel=1e-9)
    left = 1 - 2 * length * (1 - rate) + length**2 * (1 - rate) ** 2
    expected = rows_of(Parameters(np.exp(limit + left * way), np.ones(1))).transitions
    np.testing.assert_allclose(rows_of(weights).transitions, expected, rtol=1e-9)


def test_the_cap_is_raised_where_leaps_pay_and_lowered_where_not() -> None:
    sample = cp.simulate(cp.gallery.majority(), cp.random_words("ab", 200, (0, 6), rng=1), rng=2)
    start, places = cp.random_acceptor(3, "ab", rng=3), []
    masks = mark_masks(start, sample)

    def e_step(parameters: Parameters) -> cp.Counts:
        places.append(parameters)
        return InMemory(sample).expected_counts(parameters, masks)

    climb = Climb(e_step, MStep.of(start), accelerate=True)
    caps, e_steps = [climb.cap], []
    for _ in range(40):
        before = len(places)
        climb.step()
        caps.append(climb.cap)
        e_steps.append(len(places) - before)
        assert climb.e_steps == len(places) - 1
        assert climb.objective == climb.history[-1]
    assert caps[0] == FIRST_CAP
    assert {2, 3} == set(e_steps)
    for (old, new), taken in zip(pairwise(caps), e_steps, strict=True):
        assert new in ((old, 4 * old) if taken == 2 else (max(FIRST_CAP, old / 4),))
    assert max(caps) > FIRST_CAP
    assert any(b < a for a, b in pairwise(caps))


# Bindings


@settings(max_examples=200)
@given(bound_problems(), st.booleans())
def test_bound_the_history_never_decreases_and_the_bindings_hold(
    engine: Any, problem: tuple[cp.Acceptor, cp.Sample, dict[str, Any]], accelerate: bool
) -> None:
    start, sample, options = problem
    fit = cp.baum_welch(start, sample, tolerance=0, max_steps=15, accelerate=accelerate, **options, engine=engine)
    assert never_falls(fit.history)
    assert math.isfinite(fit.history[-1])
    check_bindings(start, fit.acceptor, options)


@settings(max_examples=100)
@given(bound_problems(size=3))
def test_one_bound_step_is_what_fractions_give(
    engine: Any, problem: tuple[cp.Acceptor, cp.Sample, dict[str, Any]]
) -> None:
    """Counts by enumeration, pooled and shared out by hand."""
    start, sample, options = problem
    step = MStep.of(start, **options)
    tied = start.replace(**step.start.parts)
    symbols, states = (leaders(options[o], tuple(n)) for o, n in zip(TIES, (start.alphabet, start.states), strict=True))
    means = pooled(start.transitions.tolist(), symbols, states)
    expected_start = [
        [[value / (symbols.count(a) * states.count(s)) for value in means[a, s]] for s in states] for a in symbols
    ]
    np.testing.assert_allclose(tied.transitions, np.array(expected_start, dtype=np.float64), rtol=1e-14, atol=0)

    counts = oracles.expected_counts(oracles.plain(tied), sample)
    prior = Fraction(options["prior"])
    weights = [
        [[counts.transitions[a, s, t] + prior * bool(tied.transitions[place(tied, a, s, t)]) for t in tied.states]
         for s in tied.states]
        for a in tied.alphabet
    ]  # fmt: skip
    sums = pooled(weights, symbols, states)
    fixed = options.get("fixed", np.zeros(start.transitions.shape, dtype=np.bool_))
    found = step(cp.expected_counts(tied, sample, engine=engine), step.start)
    for a, s in np.ndindex(*start.transitions.shape[:2]):
        row = [Fraction(float(value)) for value in tied.transitions[a, s]]
        free = [w if not f else Fraction(0) for w, f in zip(sums[symbols[a], states[s]], fixed[a, s], strict=True)]
        rest = sum((p for p, f in zip(row, fixed[a, s], strict=True) if not f), Fraction(0))
        shares = [rest * w / sum(free) for w in free] if any(free) else row
        expected = [float(p if f else share) for p, f, share in zip(row, fixed[a, s], shares, strict=True)]
        assert found.transitions[a, s] == pytest.approx(expected, rel=1e-11, abs=0)
    if options["learn_initial"]:
        first = [counts.initial[s] + prior * bool(start.initial[k]) for k, s in enumerate(start.states)]
        assert found.initial == pytest.approx([float(value / sum(first)) for value in first], rel=1e-11, abs=0)


def place(acceptor: cp.Acceptor, a: Any, s: Any, t: Any) -> tuple[int, int, int]:
    return acceptor.alphabet.code(a), acceptor.states.code(s), acceptor.states.code(t)


def pooled(rows: Any, symbols: list[int], states: list[int]) -> dict[tuple[int, int], list[Fraction]]:
    """Exact sums of the rows of each group, by its first symbol and first state."""
    sums: dict[tuple[int, int], list[Fraction]] = {}
    for a, matrix in enumerate(rows):
        for s, row in enumerate(matrix):
            old = sums.get((symbols[a], states[s]), [Fraction(0)] * len(row))
            sums[symbols[a], states[s]] = [x + Fraction(y) for x, y in zip(old, row, strict=True)]
    return sums


@pytest.mark.parametrize("accelerate", [False, True])
def test_with_fixed_entries_the_maximum_is_the_constrained_one(engine: Any, accelerate: bool) -> None:
    """Words of one symbol and a prior: strictly concave, so another method must find the same place."""
    start = cp.random_acceptor(["q1", "q2", "q3"], "a", rng=5, final={"q3"}).replace(initial=[0.2, 0.3, 0.5])
    sample = cp.Sample(["a", "a"], accepted=[True, False], counts=[7, 2])
    fixed = np.array([[[True, False, False], [False, False, True], [False, False, False]]])
    fit = cp.baum_welch(start, sample, 1e-15, 10_000, 0.5, fixed=fixed, accelerate=accelerate, engine=engine)

    def objective(free: Floats) -> float:
        table = start.transitions[0].copy()
        table[~fixed[0]] = free
        accepted = float(start.initial @ table[:, 2])
        return -(7 * math.log(accepted) + 2 * math.log(1 - accepted) + 0.5 * float(np.log(table).sum()))

    rows = np.nonzero(~fixed[0])[0]
    rest = 1 - np.where(fixed[0], start.transitions[0], 0.0).sum(axis=1)
    best: Any = minimize(  # type: ignore[call-overload]
        objective,
        np.array([rest[row] / (rows == row).sum() for row in rows]),
        method="SLSQP",
        bounds=[(1e-6, 1.0)] * len(rows),
        constraints=[{"type": "eq", "fun": lambda free, k=k: free[rows == k].sum() - rest[k]} for k in range(3)],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert fit.history[-1] == pytest.approx(-best.fun, rel=1e-10)
    np.testing.assert_allclose(fit.acceptor.transitions[~fixed], best.x, rtol=1e-4)


def test_with_ties_the_maximum_is_the_constrained_one(engine: Any) -> None:
    """Two symbols with one matrix: as if every b were an a."""
    sample = cp.Sample(["a", "b", "ab", "bb"], accepted=[True, False, True, True], counts=[3, 1, 2, 2])
    same = cp.Sample(["a", "a", "aa", "aa"], accepted=[True, False, True, True], counts=[3, 1, 2, 2])
    start = cp.random_acceptor(2, "a", rng=3)
    both = cp.Acceptor(2, "ab", np.repeat(start.transitions, 2, axis=0), start.initial, start.final)
    tied = cp.baum_welch(both, sample, tolerance=1e-13, tied_symbols=["ab"], engine=engine)
    alone = cp.baum_welch(start, same, tolerance=1e-13, engine=engine)
    assert tied.history == pytest.approx(alone.history, rel=1e-12)
    np.testing.assert_allclose(tied.acceptor.transitions[1], alone.acceptor.transitions[0], rtol=1e-9)


FORMS: list[tuple[Any, Any]] = [
    (True, np.s_[:, :, :]),
    (np.array([True, False, False]), np.s_[:, :, 0]),
    (np.array([[True], [False], [True]]), np.s_[:, [0, 2], :]),
    (np.array([[[False]], [[True]]]), np.s_[1, :, :]),
    ([("1",)], np.s_[1, :, :]),
    ([("1", "q2")], np.s_[1, 1, :]),
    ([("1", "q2", "q3")], np.s_[1, 1, 2]),
    ([(..., "q2")], np.s_[:, 1, :]),
    ([("0", ..., "q1")], np.s_[0, :, 0]),
    ([(..., ..., "q1")], np.s_[:, :, 0]),
    ([(...,)], np.s_[:, :, :]),
    (iter([("1", "q2", "q3")]), np.s_[1, 1, 2]),
    ({("1", "q2", "q3")}, np.s_[1, 1, 2]),
]


@pytest.mark.parametrize(("fixed", "where"), FORMS)
def test_fixed_in_all_its_forms(engine: Any, fixed: Any, where: Any) -> None:
    mask = np.zeros(START.transitions.shape, dtype=np.bool_)
    mask[where] = True
    fit = cp.baum_welch(START, LABELLED, tolerance=0, max_steps=5, fixed=fixed, engine=engine)
    assert fit == cp.baum_welch(START, LABELLED, tolerance=0, max_steps=5, fixed=mask, engine=engine)
    assert fit.acceptor.transitions[mask].tolist() == START.transitions[mask].tolist()
    moved = ~mask & ((~mask).sum(axis=-1, keepdims=True) > 1)
    assert (fit.acceptor.transitions[moved] != START.transitions[moved]).all()


@pytest.mark.parametrize("nothing", [False, [], np.zeros((2, 3, 3), dtype=np.bool_), None])
def test_nothing_fixed_and_nothing_tied_is_the_plain_step(engine: Any, nothing: Any) -> None:
    plain = cp.baum_welch(START, LABELLED, max_steps=5, engine=engine)
    assert (
        cp.baum_welch(START, LABELLED, max_steps=5, fixed=nothing, tied_states=[], tied_symbols=(), engine=engine)
        == plain
    )


def test_all_fixed_leaves_the_acceptor_as_it_was(engine: Any) -> None:
    fit = cp.baum_welch(START, LABELLED, fixed=True, engine=engine)
    assert fit.acceptor == START
    assert fit.stop is cp.em.Stop.CONVERGED


def test_a_row_that_does_not_quite_sum_to_1_leaves_no_negative_entry(engine: Any) -> None:
    """Rows may miss 1 by 1e-9; fixed entries above 1 must not push the free ones below 0."""
    start = cp.Acceptor(3, "a", [[[0.5, 0.5 + 5e-10, 1e-12], [0, 1, 0], [0, 0, 1]]], 0, {2})
    sample = cp.Sample(["a", "aa"], accepted=[True, False])
    fit = cp.baum_welch(start, sample, fixed=[("a", 0, 0), ("a", 0, 1)], max_steps=5, engine=engine)
    assert fit.acceptor.transitions[0, 0].tolist() == pytest.approx([0.5, 0.5 + 5e-10, 1e-12], rel=1e-15)
    assert fit.stop is cp.em.Stop.CONVERGED


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 11])
def test_rows_that_are_equal_may_be_tied_and_fixed_in_any_number(engine: Any, size: int) -> None:
    """The mean of equal values is the value itself, bit for bit, although 0.1 + … + 0.1 is not a multiple of 0.1."""
    row = [0.1, 0.9 / 7, *[(0.9 - 0.9 / 7) / (size - 2)] * (size - 2)] if size > 2 else [0.1, 0.9]
    start = cp.Acceptor(size, "a", [[row] * size], 0, {1})
    sample = cp.Sample(["a", "aa", "aaa"], accepted=[True, False, None])
    fixed = [("a", ..., 0)]
    fit = cp.baum_welch(start, sample, tied_states=[range(size)], fixed=fixed, max_steps=4, engine=engine)
    assert fit.acceptor.transitions[0, :, 0].tolist() == [0.1] * size
    assert cp.baum_welch(start, sample, tied_states=[range(size)], fixed=True, engine=engine).acceptor == start
    unlabelled = cp.Sample(["a", "aa"])
    assert cp.baum_welch(start, unlabelled, tied_states=[range(size)], engine=engine).acceptor == start


def test_tied_rows_start_from_their_mean(engine: Any) -> None:
    start = cp.Acceptor(2, "ab", {"a": [[1, 0], [0.5, 0.5]], "b": [[0.25, 0.75], [0, 1]]}, 0, {1})
    states = cp.baum_welch(start, cp.Sample(["a"], alphabet="ab"), tied_states=[[0, 1]], engine=engine)
    assert states.acceptor.transitions.tolist() == [[[0.75, 0.25]] * 2, [[0.125, 0.875]] * 2]
    symbols = cp.baum_welch(start, cp.Sample(["a"], alphabet="ab"), tied_symbols=["ab"], engine=engine)
    assert symbols.acceptor.transitions.tolist() == [[[0.625, 0.375], [0.25, 0.75]]] * 2
    both = cp.baum_welch(
        start, cp.Sample(["a"], alphabet="ab"), tied_states=[[0, 1]], tied_symbols=["ab"], engine=engine
    )
    assert both.acceptor.transitions.tolist() == [[[0.4375, 0.5625]] * 2] * 2


# Limits, callbacks, weights


@pytest.mark.parametrize("accelerate", [False, True])
def test_a_callback_sees_every_step(engine: Any, accelerate: bool) -> None:
    seen: list[cp.em.Progress] = []
    fit = cp.baum_welch(START, LABELLED, max_steps=20, accelerate=accelerate, callback=seen.append, engine=engine)
    assert fit == cp.baum_welch(START, LABELLED, max_steps=20, accelerate=accelerate, engine=engine)
    assert all(isinstance(progress, cp.em.Progress) for progress in seen)
    assert [progress.objective for progress in seen] == [fit.history[progress.steps] for progress in seen]
    steps = [0, *(progress.steps for progress in seen)]
    assert steps[-1] == fit.steps
    assert {b - a for a, b in pairwise(steps)} <= ({2, 3} if accelerate else {1})
    gains = [fit.history[a + 1] - fit.history[a] for a in steps[:-1]]
    assert [progress.gain for progress in seen] == pytest.approx(gains, rel=1e-12)
    assert never_falls([0.0, *(progress.seconds for progress in seen)])


@pytest.mark.parametrize("answer", [True, np.True_])
@pytest.mark.parametrize("last", [1, 2, 5])
def test_a_callback_that_returns_true_stops_the_climb(engine: Any, last: int, answer: Any) -> None:
    fit = cp.baum_welch(
        START, LABELLED, callback=lambda progress: answer if progress.steps == last else None, engine=engine
    )
    limited = cp.baum_welch(START, LABELLED, max_steps=last, engine=engine)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert limited.stop is cp.em.Stop.STEP_LIMIT
    assert (fit.acceptor, fit.history) == (limited.acceptor, limited.history)


@pytest.mark.parametrize("answer", [None, False, 0, 1, "stop", np.False_, np.zeros(3)])
def test_a_callback_that_returns_anything_else_does_not(engine: Any, answer: Any) -> None:
    assert cp.baum_welch(START, LABELLED, callback=lambda _: answer, engine=engine) == cp.baum_welch(
        START, LABELLED, engine=engine
    )


@pytest.mark.parametrize(
    "problem", [ZeroDivisionError("mine"), cp.errors.ImpossibleObservation("mine"), StopIteration()]
)
def test_what_a_callback_raises_passes_through(engine: Any, problem: Exception) -> None:
    def callback(progress: cp.em.Progress) -> None:
        if progress.steps == 3:
            raise problem

    with pytest.raises(type(problem)) as raised:
        cp.baum_welch(START, LABELLED, callback=callback, engine=engine)
    assert raised.value is problem


def test_ctrl_c_in_a_callback_returns_the_best_so_far(engine: Any) -> None:
    def callback(progress: cp.em.Progress) -> None:
        if progress.steps == 3:
            raise KeyboardInterrupt

    fit = cp.baum_welch(START, LABELLED, callback=callback, engine=engine)
    assert fit.stop is cp.em.Stop.INTERRUPTED
    assert fit.history == cp.baum_welch(START, LABELLED, max_steps=3, engine=engine).history


def test_a_time_limit_ends_the_climb_after_the_step_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(import_module("cutpoint.em.baum_welch"), "time", SimpleNamespace(monotonic=lambda: clock[0]))
    seen = []

    def callback(progress: cp.em.Progress) -> None:
        seen.append(progress.seconds)
        clock[0] += 2.0

    fit = cp.baum_welch(START, LABELLED, time_limit=5, callback=callback)
    assert fit.stop is cp.em.Stop.TIME_LIMIT
    assert "Allow more time" in str(fit.stop)
    assert seen == [0.0, 2.0, 4.0]
    assert fit.history == cp.baum_welch(START, LABELLED, max_steps=3).history
    assert not fit.converged


def test_a_tiny_time_limit_still_takes_one_step_and_a_long_one_changes_nothing(engine: Any) -> None:
    assert cp.baum_welch(START, LABELLED, time_limit=1e-300, engine=engine).steps == 1
    for limit in (1e9, math.inf):
        assert cp.baum_welch(START, LABELLED, time_limit=limit, engine=engine) == cp.baum_welch(
            START, LABELLED, engine=engine
        )


@settings(max_examples=60)
@given(st.data())
def test_weights_are_repetitions(engine: Any, data: st.DataObject) -> None:
    truth = data.draw(acceptors(max_states=3))
    sample = data.draw(samples(truth, "accepted"))
    start = cp.random_acceptor(truth.states, truth.alphabet, rng=1, final=truth.final)
    words, accepted = list(sample.words), list(sample.accepted)
    times = data.draw(st.lists(st.integers(0, 4), min_size=len(words), max_size=len(words)).filter(any))
    weighted = cp.Sample(words, accepted, counts=times, alphabet=truth.alphabet)
    repeated = cp.Sample(
        [word for word, n in zip(words, times, strict=True) for _ in range(n)],
        [verdict for verdict, n in zip(accepted, times, strict=True) for _ in range(n)],
        alphabet=truth.alphabet,
    )
    accelerate = data.draw(st.booleans())
    one, two = (
        cp.baum_welch(start, s, max_steps=8, accelerate=accelerate, engine=engine) for s in (weighted, repeated)
    )
    assert one == two


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("power", [-300, -30, 1, 200, 900])
def test_weights_of_any_size_are_the_same_climb(engine: Any, power: int, accelerate: bool) -> None:
    """A power of two scales all sums without rounding: the same bits, until entries near the smallest floats appear."""
    scale = 2.0**power
    options: dict[str, Any] = {"max_steps": 6, "learn_initial": True, "accelerate": accelerate}
    scaled = cp.Sample(LABELLED.words, LABELLED.accepted, counts=LABELLED.counts * scale)
    for prior in (0.0, 0.25):
        plain = cp.baum_welch(START, LABELLED, prior=prior, **options, engine=engine)
        fit = cp.baum_welch(START, scaled, prior=prior * scale, **options, engine=engine)
        assert fit.acceptor == plain.acceptor
        assert fit.history == tuple(value * scale for value in plain.history)
        assert fit.stop is plain.stop


# Refusals


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        (
            {"fixed": np.zeros((2, 3, 3))},
            cp.errors.InvalidArgument,
            "fixed must be an array of bool that fits the transitions' shape (2, 3, 3), or a list of entries such as "
            "(symbol, state) or (symbol, state, next state); got an array of float64, (2, 3, 3).",
        ),
        (
            {"fixed": np.zeros((3, 2), dtype=np.bool_)},
            cp.errors.InvalidArgument,
            "fixed must be an array of bool that fits the transitions' shape (2, 3, 3), or a list of entries such as "
            "(symbol, state) or (symbol, state, next state); got an array of bool, (3, 2).",
        ),
        (
            {"fixed": np.zeros((1, 2, 3, 3), dtype=np.bool_)},
            cp.errors.InvalidArgument,
            "fixed must be an array of bool that fits the transitions' shape (2, 3, 3), or a list of entries such as "
            "(symbol, state) or (symbol, state, next state); got an array of bool, (1, 2, 3, 3).",
        ),
        ({"fixed": 1}, cp.errors.InvalidArgument, "fixed must be an array of bool or a list of entries; got 1."),
        ({"fixed": "q1"}, cp.errors.InvalidArgument, "fixed must be an array of bool or a list of entries; got 'q1'."),
        (
            {"fixed": ["01"]},
            cp.errors.InvalidArgument,
            "an entry of fixed must be a tuple (symbol,), (symbol, state) or (symbol, state, next state), with ... for "
            "all; got '01'.",
        ),
        (
            {"fixed": [()]},
            cp.errors.InvalidArgument,
            "an entry of fixed must be a tuple (symbol,), (symbol, state) or (symbol, state, next state), with ... for "
            "all; got ().",
        ),
        (
            {"fixed": [("0", "q1", "q2", "q3")]},
            cp.errors.InvalidArgument,
            "an entry of fixed must be a tuple (symbol,), (symbol, state) or (symbol, state, next state), with ... for "
            "all; got ('0', 'q1', 'q2', 'q3').",
        ),
        ({"fixed": [("2",)]}, cp.errors.UnknownSymbol, "fixed: symbol '2' is not in the alphabet {'0', '1'}."),
        (
            {"fixed": [("0", "q4")]},
            cp.errors.UnknownState,
            "fixed: 'q4' is not a state; the states are {'q1', 'q2', 'q3'}.",
        ),
        (
            {"fixed": [("0", "q1", ["q2"])]},
            cp.errors.UnknownState,
            "fixed: ['q2'] is not a state; the states are {'q1', 'q2', 'q3'}.",
        ),
        ({"tied_states": "q1"}, cp.errors.InvalidArgument, "tied_states must be a list of groups; got 'q1'."),
        ({"tied_symbols": 3}, cp.errors.InvalidArgument, "tied_symbols must be a list of groups; got 3."),
        (
            {"tied_states": [["q1"]]},
            cp.errors.InvalidArgument,
            "tied_states: a group must hold at least two different names; got 1 name.",
        ),
        (
            {"tied_symbols": ["00"]},
            cp.errors.InvalidArgument,
            "tied_symbols: a group must hold at least two different names; got 1 name.",
        ),
        (
            {"tied_states": [[]]},
            cp.errors.InvalidArgument,
            "tied_states: a group must hold at least two different names; got 0 names.",
        ),
        (
            {"tied_states": [["q1", "q2"], ["q3", "q2"]]},
            cp.errors.InvalidArgument,
            "tied_states: a name can be in one group only; 'q2' is in two.",
        ),
        (
            {"tied_states": [["q1", "q4"]]},
            cp.errors.UnknownState,
            "tied_states: 'q4' is not a state; the states are {'q1', 'q2', 'q3'}.",
        ),
        (
            {"tied_symbols": ["0x"]},
            cp.errors.UnknownSymbol,
            "tied_symbols: symbol 'x' is not in the alphabet {'0', '1'}.",
        ),
        (
            {"tied_states": [["q1", "q2"]], "fixed": [("0", "q1", "q1")]},
            cp.errors.InvalidArgument,
            "rows that are tied must be fixed at the same entries, with the same values.",
        ),
        (
            {"tied_symbols": ["01"], "fixed": [(..., "q1", "q1")]},
            cp.errors.InvalidArgument,
            "rows that are tied must be fixed at the same entries, with the same values.",
        ),
        ({"time_limit": 0}, cp.errors.InvalidArgument, "time_limit must be a positive number of seconds; got 0."),
        (
            {"time_limit": float("nan")},
            cp.errors.InvalidArgument,
            "time_limit must be a positive number of seconds; got nan.",
        ),
        ({"time_limit": "10"}, cp.errors.InvalidArgument, "time_limit must be a positive number of seconds; got '10'."),
        ({"callback": 3}, cp.errors.InvalidArgument, "callback must be a function of a Progress, or None; got 3."),
    ],
)
def test_refusals(engine: Any, options: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        cp.baum_welch(START, LABELLED, **options, engine=engine)
    assert str(refusal.value) == sentence


def test_a_zero_fixed_in_one_of_two_tied_rows_is_refused(engine: Any) -> None:
    """The other row would bring its own value to the mean, and the fixed zero would move."""
    start = cp.Acceptor(2, "a", [[[0.0, 1.0], [0.5, 0.5]]], 0, {1})
    with pytest.raises(cp.errors.InvalidArgument, match="rows that are tied must be fixed at the same entries"):
        cp.baum_welch(
            start, cp.Sample(["a"], accepted=[True]), tied_states=[[0, 1]], fixed=[("a", 0, 0)], engine=engine
        )
