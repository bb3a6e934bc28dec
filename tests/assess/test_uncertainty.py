"""Standard errors and the bootstrap: against closed forms, against each other, against simulated samples."""

import itertools
import math
import re
from collections.abc import Callable

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.assess.uncertainty import Coordinates, information
from cutpoint.em.observations import Parameters

TRUTH = cp.Acceptor(2, "ab", [[[0.8, 0.2], [0.3, 0.7]], [[0.4, 0.6], [0.9, 0.1]]], 0, {1})
WORDS = cp.random_words("ab", 1500, (1, 4), rng=5)
ASKED = ["a", "ab", "abba", "bbbb"]
COIN = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})
TOSSES = cp.Sample(["f", "f"], accepted=[True, False], counts=[70, 30])


def soft(acceptor: cp.Acceptor, words: list[str], weight: float = 100.0) -> cp.Sample:
    """Every word accepted as often as the acceptor says: a sample whose likelihood is highest at the acceptor."""
    p = acceptor.acceptances(words)
    labels = [True] * len(words) + [False] * len(words)
    return cp.Sample(words * 2, labels, counts=weight * np.concatenate((p, 1 - p)), alphabet=acceptor.alphabet)


@pytest.fixture(scope="module")
def sample() -> cp.Sample:
    return cp.simulate(TRUTH, WORDS, rng=6)


@pytest.fixture(scope="module")
def errors(sample: cp.Sample) -> cp.assess.StandardErrors:
    fit = cp.baum_welch(TRUTH, sample, accelerate=True, tolerance=1e-10)
    return cp.assess.standard_errors(fit.acceptor, sample, ASKED)


def test_complete_data_have_the_errors_of_multinomials() -> None:
    start = cp.random_acceptor("xyz", "ab", rng=2)
    runs = cp.simulate(start, cp.random_words("ab", 400, 6, rng=3), rng=4, seen="states")
    acceptor = cp.baum_welch(start, runs, learn_initial=True).acceptor
    errors = cp.assess.standard_errors(acceptor, runs)
    visits = cp.count_transitions(runs, "xyz").sum(axis=2, keepdims=True)
    p = acceptor.transitions
    assert errors.outcome is cp.assess.Information.REGULAR
    assert errors.transitions is not None
    assert errors.initial is not None
    np.testing.assert_allclose(errors.transitions, np.sqrt(p * (1 - p) / visits), rtol=1e-9, atol=0)
    np.testing.assert_allclose(errors.initial, np.sqrt(acceptor.initial * (1 - acceptor.initial) / 400), rtol=1e-9)
    np.testing.assert_allclose(errors.shares, 1.0, rtol=1e-9)


def test_a_coin_has_the_error_of_a_coin() -> None:
    errors = cp.assess.standard_errors(COIN, TOSSES, ["f", "ff"])
    assert errors.acceptances is not None
    assert errors.transition("f", 0, 1) == pytest.approx(math.sqrt(0.7 * 0.3 / 100), rel=1e-9)
    assert errors.acceptances[0] == pytest.approx(math.sqrt(0.7 * 0.3 / 100), rel=1e-9)
    assert errors.transition("f", 1, 0) == math.inf
    assert errors.acceptances[1] == math.inf  # needs the row of state 1, which nothing was seen of
    assert errors.outcome is cp.assess.Information.SINGULAR


def test_the_information_is_the_second_difference_of_the_likelihood() -> None:
    """At any place, mixed derivatives too, straight from the log-likelihood, which knows nothing of scores."""
    sample = cp.simulate(TRUTH, ["ab", "b", "aab", "bba"] * 50, rng=1)
    acceptor = cp.random_acceptor(3, "ab", rng=8, final={2})
    place = Parameters(acceptor.transitions, acceptor.initial)

    def e_step(parameters: Parameters) -> cp.Counts:
        return cp.expected_counts(acceptor.replace(**parameters.parts), sample)

    coordinates = Coordinates.of(place, e_step(place), learn_initial=True)
    found = information(coordinates, e_step, threads=2)
    assert len(coordinates) == 14
    h = 1e-4

    def value(j: int, k: int, steps: tuple[int, int]) -> float:
        theta = coordinates.moved(j, steps[0] * h) + coordinates.moved(k, steps[1] * h) - coordinates.theta
        return cp.log_likelihood(acceptor.replace(**coordinates.parameters(theta).parts), sample)

    for j, k in [(0, 0), (0, 1), (1, 5), (5, 5), (3, 13), (13, 13)]:
        corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        second = sum(a * b * value(j, k, (a, b)) for a, b in corners) / (4 * h * h)
        assert found[j, k] == pytest.approx(-second, rel=1e-4, abs=1e-3)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)


def test_bootstrap_and_standard_errors_agree(sample: cp.Sample, errors: cp.assess.StandardErrors) -> None:
    again = cp.bootstrap(TRUTH, sample, 200, ASKED, rng=1)
    assert errors.outcome is cp.assess.Information.REGULAR
    assert errors.transitions is not None
    assert errors.acceptances is not None
    np.testing.assert_allclose(again.transition_draws.std(axis=0, ddof=1), errors.transitions, rtol=0.2)
    np.testing.assert_allclose(again.acceptance_draws.std(axis=0, ddof=1), errors.acceptances, rtol=0.2)
    low, high = again.transitions
    assert ((low < again.acceptor.transitions) & (again.acceptor.transitions < high)).all()
    np.testing.assert_allclose((high - low) / 2, 1.96 * errors.transitions, rtol=0.25)
    np.testing.assert_allclose(again.acceptor.transitions, errors.acceptor.transitions, atol=2e-3)


def test_standard_errors_are_the_spread_of_estimates_over_samples(errors: cp.assess.StandardErrors) -> None:
    """120 samples of the same words: the spread has a relative error of 1/sqrt(240), 0.065."""
    fits = [cp.baum_welch(TRUTH, cp.simulate(TRUTH, WORDS, rng=100 + k), accelerate=True).acceptor for k in range(120)]
    assert errors.transitions is not None
    assert errors.acceptances is not None
    spread = np.std([fit.transitions for fit in fits], axis=0, ddof=1)
    np.testing.assert_allclose(spread, errors.transitions, rtol=0.25)
    spread = np.std([fit.acceptances(ASKED) for fit in fits], axis=0, ddof=1)
    np.testing.assert_allclose(spread, errors.acceptances, rtol=0.25)


def test_the_delta_method_at_a_word_of_one_symbol(errors: cp.assess.StandardErrors) -> None:
    """The word a is accepted with the probability of one entry, so both have the same error."""
    assert errors.acceptances is not None
    assert errors.acceptances[0] == pytest.approx(errors.transition("a", 0, 1), rel=1e-12)
    np.testing.assert_array_equal(errors.of(ASKED[::-1]), errors.acceptances[::-1])
    assert errors.words == tuple(ASKED)
    lines = errors.table().splitlines()
    assert lines[0].split() == ["estimate", "±"]
    assert len(lines) == 1 + 8 + 4
    assert "regular: the information matrix is positive definite" in repr(errors)


def test_what_the_sample_does_not_determine_is_infinite_and_acceptances_are_not() -> None:
    """Three hidden states, labels of ends alone: entries can be turned into others, what words do cannot."""
    acceptor = cp.Acceptor(
        3,
        "ab",
        [[[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]], [[0.1, 0.2, 0.7], [0.6, 0.2, 0.2], [0.3, 0.6, 0.1]]],
        [0.5, 0.3, 0.2],
        {2},
    )
    words = ["".join(word) for n in range(7) for word in itertools.product("ab", repeat=n)]
    errors = cp.assess.standard_errors(acceptor, soft(acceptor, words), ASKED)
    assert errors.outcome is cp.assess.Information.SINGULAR
    assert errors.transitions is not None
    assert errors.acceptances is not None
    assert np.isposinf(errors.transitions).any()
    assert not np.isnan(errors.transitions).any()
    assert np.isfinite(errors.acceptances).all()
    # Matrices that keep 1 and f in place have three free numbers: so many directions are flat, and no others.
    assert (abs(errors.shares) < 1e-9).sum() == (~errors._curvature.determined).sum() == 3
    # The empty word was seen 100 times, and is rejected with the probability of two entries of the initial row.
    assert errors.initial is not None
    empty = errors.of([""])
    assert empty is not None
    assert 0.0 < empty[0] <= math.sqrt(0.2 * 0.8 / 100) * (1 + 1e-6)
    assert "singular" in str(errors.outcome)


def test_inputs_alone_determine_nothing() -> None:
    errors = cp.assess.standard_errors(TRUTH, cp.Sample(["ab", "ba"], counts=[50, 50]), ["ab"])
    assert errors.outcome is cp.assess.Information.SINGULAR
    assert errors.transitions is not None
    assert np.isposinf(errors.transitions).all()
    assert errors.of(["ab"]) == [math.inf]


def test_away_from_a_maximum_there_are_no_errors(sample: cp.Sample) -> None:
    errors = cp.assess.standard_errors(cp.random_acceptor(2, "ab", rng=4, final={1}), sample, ["a"])
    assert errors.outcome is cp.assess.Information.NOT_MAXIMUM
    assert errors.transitions is errors.initial is errors.acceptances is errors.of(["ab"]) is None
    assert errors.transition("a", 0, 1) is None
    assert errors.table() == str(errors.outcome)
    beside = COIN.replace(transitions=[[[0.25, 0.75], [0.3, 0.7]]])  # where the curvature is that of a maximum
    assert cp.assess.standard_errors(beside, TOSSES).outcome is cp.assess.Information.NOT_MAXIMUM
    assert str(errors.outcome).startswith("not a maximum: the log-likelihood can still rise here")


def test_the_climb_that_is_advised_ends_at_a_maximum() -> None:
    """Also where a climb of 1,000 steps was made before, and has not converged."""
    words = cp.random_words(cp.gallery.customers().alphabet, 2000, (1, 8), rng=1)
    sample = cp.simulate(cp.gallery.customers(), words, rng=2)
    start = cp.random_acceptor(5, sample.alphabet, rng=1)
    fit = cp.baum_welch(start, sample, learn_initial=True, accelerate=True, tolerance=1e-9)
    before = cp.assess.standard_errors(fit.acceptor, sample).outcome
    assert before is cp.assess.Information.NOT_MAXIMUM
    (advised,) = re.findall(r"baum_welch\(.*?\)", str(before))
    climbed = eval(advised, {"baum_welch": cp.baum_welch, "acceptor": fit.acceptor, "sample": sample})
    assert cp.assess.standard_errors(climbed.acceptor, sample).outcome is not cp.assess.Information.NOT_MAXIMUM


def test_entries_at_the_boundary_are_named() -> None:
    runs = cp.Sample(["x"] * 100, states=["ab"] * 60 + ["aa"] * 40)
    acceptor = cp.Acceptor("abc", "x", [[[0.4, 0.6 - 1e-9, 1e-9], [0, 1, 0], [0, 0, 1]]], "a", {"b"})
    errors = cp.assess.standard_errors(acceptor, runs, ["x"])
    assert errors.outcome is cp.assess.Information.BOUNDARY
    assert errors.boundary == (("x", "a", "c"),)
    assert errors.transition("x", "a", "c") == math.inf
    assert errors.transition("x", "a", "b") == pytest.approx(math.sqrt(0.24 / 100), rel=1e-6)
    assert errors.transition("x", "b", "b") == errors.transition("x", "b", "a") == 0.0


def test_nothing_to_estimate() -> None:
    sample = cp.Sample(["1", "11"], accepted=[True, False])
    errors = cp.assess.standard_errors(cp.gallery.parity(), sample, ["1"])
    assert errors.outcome is cp.assess.Information.REGULAR
    assert errors.acceptances is not None
    assert errors.acceptances.tolist() == [0.0]
    again = cp.bootstrap(cp.gallery.parity(), sample, 3, ["1"])
    assert again.acceptances.low.tolist() == again.acceptances.high.tolist() == [1.0]


def test_the_bootstrap_of_a_coin_is_binomial() -> None:
    """Each estimate is a resampled share, so the draws are those of the generator itself."""
    again = cp.bootstrap(COIN, TOSSES, 50, ["f"], rng=3)
    seed = int(np.random.default_rng(3).integers(2**63))
    shares = [np.random.default_rng([seed, k]).multinomial(100, [0.7, 0.3])[0] / 100 for k in range(50)]
    np.testing.assert_allclose(again.acceptance_draws[:, 0], shares, rtol=1e-5)
    np.testing.assert_allclose(again.acceptances, np.quantile(shares, [0.025, 0.975])[:, None], rtol=1e-5)
    np.testing.assert_allclose(again.of(["f"]), again.acceptances, rtol=0, atol=0)
    assert again.transition("f", 0, 1) == pytest.approx(tuple(np.quantile(shares, [0.025, 0.975])), rel=1e-5)
    assert again.transition("f", 1, 0)[0] == again.transition("f", 1, 0)[1]  # never reached
    assert again.repetitions == 50
    assert again.table().splitlines()[-1].startswith("'f'")
    assert "f: 1" not in again.table()
    half = cp.bootstrap(COIN, TOSSES, 50, ["f"], level=0.5, rng=3)
    np.testing.assert_allclose(half.acceptances, np.quantile(shares, [0.25, 0.75])[:, None], rtol=1e-5)


def test_weights_that_are_no_counts_are_resampled_in_proportion() -> None:
    light = cp.Sample(["f", "f"], accepted=[True, False], counts=[7.0, 3.25])
    again = cp.bootstrap(COIN, light, 40, ["f"], rng=3)
    seed = int(np.random.default_rng(3).integers(2**63))
    p = 7.0 / 10.25
    shares = [np.random.default_rng([seed, k]).multinomial(10, [p, 1 - p])[0] / 10 for k in range(40)]
    np.testing.assert_allclose(again.acceptance_draws[:, 0], shares, atol=1e-5)


def test_entries_near_zero_can_come_back() -> None:
    """A start that is sure would accept aa with at least 1/4; 0.2 were accepted, so the last entry is 0, almost."""
    start = cp.Acceptor(2, "a", [[[0.5, 0.5], [0.5, 0.5]]], 0, {1})
    sample = cp.Sample(["a", "a", "aa", "aa"], [True, False, True, False], counts=[500, 500, 20, 80])
    again = cp.bootstrap(start, sample, 60, tolerance=1e-9, rng=0)
    assert again.acceptor.transition("a", 1, 1) < 1e-4
    assert again.transition("a", 1, 1)[1] > 0.02


def test_zeros_stay_zeros() -> None:
    start = cp.Acceptor(3, "f", [[[0.0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]]], 0, {1})
    again = cp.bootstrap(start, TOSSES, 5, ["f"])
    assert (again.transition_draws[:, start.transitions == 0.0] == 0.0).all()
    assert again.initial.high.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same_bytes(
    threads: int, sample: cp.Sample, errors: cp.assess.StandardErrors
) -> None:
    draws = [cp.bootstrap(TRUTH, sample, 6, ["ab"], threads=t, rng=7) for t in (None, threads)]
    assert draws[0].transition_draws.tobytes() == draws[1].transition_draws.tobytes()
    assert draws[0].acceptance_draws.tobytes() == draws[1].acceptance_draws.tobytes()
    again = cp.assess.standard_errors(errors.acceptor, sample, ASKED, threads=threads)
    assert again.transitions is not None
    assert errors.transitions is not None
    assert again.transitions.tobytes() == errors.transitions.tobytes()


def test_repetitions_that_were_cut_short_are_counted(sample: cp.Sample) -> None:
    again = cp.bootstrap(cp.random_acceptor(2, "ab", rng=4, final={1}), sample, 3, max_steps=2, tolerance=0.0)
    assert again.unfinished == 3
    assert repr(again).startswith("<Bootstrap: 3 repetitions, 3 of them stopped by max_steps, 95 % intervals")


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda: cp.bootstrap(COIN, TOSSES, repetitions=1),
            cp.errors.InvalidArgument,
            "repetitions must be a whole number, 2 or more; got 1.",
        ),
        (
            lambda: cp.bootstrap(COIN, TOSSES, level=95),
            cp.errors.InvalidArgument,
            "level must be a number between 0 and 1, such as 0.95; got 95.",
        ),
        (
            lambda: cp.bootstrap(COIN, cp.Sample(["f"])),
            cp.errors.InvalidSample,
            "the sample holds inputs alone, and inputs alone carry no information about the transitions. Add the "
            "outcomes with accepted=…, or with outcome=… of an event table. Or verdicts=… or states=….",
        ),
        (
            lambda: cp.bootstrap(COIN, cp.Sample(["f"], [True], counts=[1e20])),
            cp.errors.TooLarge,
            "resampling needs at least 2 and at most 2^53 observations; got 1e+20. Scale the counts to the number of "
            "observations.",
        ),
        (
            lambda: cp.bootstrap(COIN, TOSSES, repetitions=10**8),
            cp.errors.TooLarge,
            "100,000,000 repetitions of 4 entries exceed the limit of 100,000,000 numbers. Ask for fewer repetitions.",
        ),
        (lambda: cp.bootstrap("A", TOSSES), cp.errors.InvalidArgument, "expected an Acceptor; got 'A'."),  # type: ignore[arg-type]
        (
            lambda: cp.assess.standard_errors(COIN, ["f"]),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "expected a Sample; got list. Write Sample(words, accepted=...).",
        ),
        (
            lambda: cp.assess.standard_errors(COIN, TOSSES, words=["x"]),
            cp.errors.UnknownSymbol,
            "position 0: symbol 'x' is not in the alphabet {'f'}.",
        ),
    ],
)
def test_refusals(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence


def test_impossible_observations_are_named() -> None:
    sample = cp.Sample(["1"], accepted=[False], counts=[10])
    for function in (cp.bootstrap, cp.assess.standard_errors):
        with pytest.raises(cp.errors.ImpossibleObservation, match=r"Observation '1' \(rejected\) has probability 0"):
            function(cp.gallery.parity(), sample)
