"""Rows about chance: samplers against exact probabilities, and intervals that cover the truth.

A count of n draws with a known probability is compared with the binomial distribution, whose tails are exact. The
levels are so low that a failure is a failure: see ``SAMPLER_ALARM`` and ``COVERAGE_ALARM``.
"""

import contextlib
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import binom

import cutpoint as cp
from torture import machines
from torture.scoreboard import Row

SAMPLER_ALARM = 1e-9
"""Probability of a false alarm in all counts of one batch together."""

COVERAGE_ALARM = 1e-6
"""The same of one kind of interval in one batch."""

COVERAGE_TOLERANCE = 0.05
"""Intervals for large samples may cover so much less than their level at the sizes tried here."""

DRAWS = 3000


def fits(counts: Mapping[Hashable, int], chances: Mapping[Hashable, Fraction], draws: int, alarm: float) -> None:
    """Counts of draws agree with probabilities that sum to 1, but for rounding of floats."""
    level = alarm / (2 * max(1, len(chances)))
    for each, count in counts.items():
        assert chances.get(each), f"{each!r} came up {count} times, and is impossible"
    for each, p in chances.items():
        count, chance = counts.get(each, 0), min(1.0, float(p))
        assert binom.cdf(count, draws, chance) >= level, f"{each!r} too seldom: {count} of {draws}, p = {chance}"
        assert binom.sf(count - 1, draws, chance) >= level, f"{each!r} too often: {count} of {draws}, p = {chance}"


def samplers(seed: int) -> int:
    """Every sampler, on a random model."""
    rng = np.random.default_rng(seed)
    law, model = machines.generator(rng, 3, "sparse"), machines.acceptor(rng, 3, "sparse")
    alarm = SAMPLER_ALARM / 6
    cases = 0
    for counts, chances in (_paths(model, rng), _verdicts(model, rng), *_random_words(rng), *_generated(law, rng)):
        fits(counts, chances, sum(counts.values()), alarm)
        cases += len(chances)
    return cases + _same_bytes(model, law, seed)


def _word(model: Any, rng: np.random.Generator, length: int) -> str:
    return "".join(rng.choice(list(model.alphabet), length))


def _paths(model: cp.Acceptor, rng: np.random.Generator) -> tuple[Counter[Any], dict[Any, Fraction]]:
    """Paths of states on a word, seen in a simulated sample and drawn one by one."""
    word = _word(model, rng, 2)
    P, start = machines.Whole.of(model).steps, machines.Whole.of(model).start
    codes = [model.alphabet.index(symbol) for symbol in word]
    chances = {}
    for path in product(range(model.n_states), repeat=3):
        weight = start[path[0]] * P[codes[0]][path[0]][path[1]] * P[codes[1]][path[1]][path[2]]
        chances[path] = Fraction(weight, 1 << 3 * machines.SCALE)
    sample = cp.simulate(model, [word] * DRAWS, rng, seen="states")
    counts: Counter[Any] = Counter()
    for each in sample:
        counts[tuple(each.states or ())] += int(each.count)
    for _ in range(300):
        counts[model.sample_path(word, rng)] += 1
    return counts, chances


def _verdicts(model: cp.Acceptor, rng: np.random.Generator) -> tuple[Counter[Any], dict[Any, Fraction]]:
    word = _word(model, rng, int(rng.integers(0, 6)))
    p = min(Fraction(1), machines.Whole.of(model).probability(word, model.final.astype(bool).tolist()))
    sample = cp.simulate(model, [word] * DRAWS, rng)
    return Counter({each.accepted: int(each.count) for each in sample}), {True: p, False: 1 - p}


def _random_words(rng: np.random.Generator) -> Iterator[tuple[Counter[Any], dict[Any, Fraction]]]:
    words = cp.random_words("abc", DRAWS, (1, 4), rng)
    yield Counter(map(len, words)), dict.fromkeys(range(1, 5), Fraction(1, 4))
    yield Counter(word[-1] for word in words), dict.fromkeys("abc", Fraction(1, 3))


def _generated(law: cp.Generator, rng: np.random.Generator) -> Iterator[tuple[Counter[Any], dict[Any, Fraction]]]:
    """Short words with their outcomes; all longer ones together."""
    whole, final = machines.Whole.of(law), law.final.astype(bool).tolist()
    chances: dict[Any, Fraction] = {}
    for word in machines.all_words(law.alphabet, 2):
        p = whole.probability(word, final)
        chances[word, True], chances[word, False] = p, whole.probability(word) - p
    chances["longer"] = 1 - sum(chances.values(), Fraction(0))
    counts: Counter[Any] = Counter()
    for each in law.simulate(DRAWS, rng, with_outcomes=True):
        counts[(each.word, each.accepted) if len(each.word) <= 2 else "longer"] += int(each.count)
    yield counts, {each: max(Fraction(0), p) for each, p in chances.items()}


def _same_bytes(model: cp.Acceptor, law: cp.Generator, seed: int) -> int:
    words = [cp.random_words("ab", 50, (0, 9), rng=seed) for _ in range(2)]
    assert words[0] == words[1]
    for draw in (
        lambda: cp.simulate(model, ["a" * 5] * 50, rng=seed, seen="verdicts"),
        lambda: law.simulate(50, rng=seed),
        lambda: model.sample_path("a" * 20, rng=seed),
        lambda: cp.random_acceptor(3, "ab", rng=seed),
    ):
        assert draw() == draw()
    return 5


# -- Intervals ---------------------------------------------------------------------------------------------------------

SAMPLES = 80
SIZE = 300


def coverage(seed: int) -> int:
    """Many samples of one truth: how often the intervals of three kinds hold it."""
    rng = np.random.default_rng(seed)
    stay, leave, final = rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8), rng.random() < 0.5
    steps = [[[stay, 1 - stay], [leave, 1 - leave]]]
    truth = cp.Acceptor(2, "f", steps, 0, {int(final)})
    words, word = [w for w in ("f", "ff") for _ in range(SIZE // 2)], "ff"
    held: Counter[str] = Counter()
    p, losses = truth.acceptance(word), [_loss(truth.acceptance(w)) for w in ("f", "ff")]
    for _ in range(SAMPLES):
        sample = cp.simulate(truth, words, rng)
        estimate = cp.baum_welch(truth, sample, 1e-12, 2000, accelerate=True).acceptor
        error = cp.assess.standard_errors(estimate, sample, [word], learn_initial=False).of([word])
        assert error is not None
        held["standard errors"] += bool(abs(estimate.acceptance(word) - p) <= 1.959964 * float(error[0]))
        low, high = cp.evaluate(truth, sample).intervals["log_loss"]
        held["evaluation"] += bool(low <= sum(losses) / 2 <= high)
    repeated = SAMPLES // 4
    for _ in range(repeated):
        sample = cp.simulate(truth, words, rng)
        found = cp.bootstrap(truth, sample, 60, [word], learn_initial=False, rng=rng)
        (low,), (high,) = found.acceptances
        held["bootstrap"] += bool(low <= p <= high)
    for kind in ("standard errors", "evaluation", "bootstrap"):
        number = repeated if kind == "bootstrap" else SAMPLES
        least = 0.95 - COVERAGE_TOLERANCE
        assert binom.cdf(held[kind], number, least) >= COVERAGE_ALARM, f"{kind}: {held[kind]} of {number} cover"
    return 2 * SAMPLES + repeated


def _loss(p: float) -> float:
    return float(-p * np.log(p) - (1 - p) * np.log1p(-p))


# -- Planted errors ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def loaded_dice() -> Iterator[None]:
    """Random states are drawn from nine tenths of the unit interval."""
    from cutpoint.model import acceptor

    right = acceptor._random_states

    def wrong(rows: Any, draws: Any) -> Any:
        return right(rows, 0.8 * draws)

    with patch.object(acceptor, "_random_states", wrong):
        yield


@contextlib.contextmanager
def proud_intervals() -> Iterator[None]:
    """Standard errors are half of what they should be."""
    right: Any = cp.assess.StandardErrors.of

    def wrong(self: Any, words: Any) -> Any:
        return right(self, words) / 2

    with patch.object(cp.assess.StandardErrors, "of", wrong):
        yield


ROWS = [
    Row(
        "samplers",
        "`simulate`, `sample_path`, `random_words` and `Generator.simulate` draw with the exact probabilities (false "
        f"alarms: {SAMPLER_ALARM:g} per batch), and the same seed gives the same bytes.",
        samplers,
        loaded_dice,
    ),
    Row(
        "coverage",
        f"95 % intervals by standard errors, bootstrap and `evaluate` cover the truth at least "
        f"{95 - 100 * COVERAGE_TOLERANCE:g} times in a hundred, at {SIZE} observations (false alarms: "
        f"{COVERAGE_ALARM:g}).",
        coverage,
        proud_intervals,
    ),
]
