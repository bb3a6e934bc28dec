"""Rows about numbers: floats against exact answers, forecasts and explanations, and what happens at ties."""

import contextlib
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.kernels import kernels
from torture import machines
from torture.scoreboard import Row

UNIT = Fraction(1, 2**53)
SMALLEST = Fraction(1, 2**1070)


def roundings(length: int, n_states: int) -> int:
    """Most roundings that the number of a word can go through: see the certified comparison in docs/design.md."""
    return length * (n_states + 2) + n_states + 2


def close(found: float, exact: Fraction, length: int, n_states: int) -> bool:
    """Whether a float is as near to the exact number as the documented bound says."""
    absolute = (length + 1) * n_states * (n_states + 1) * SMALLEST
    return abs(Fraction(float(found)) - exact) <= 2 * roundings(length, n_states) * UNIT * exact + absolute


def close_log(found: float, exact: Fraction, length: int, n_states: int) -> bool:
    """Whether a logarithm is: -inf for impossible words and no others."""
    log = machines.logarithm(exact)
    allowed = 4 * roundings(length, n_states) * 2.0**-53 + 1e-14 * abs(log)
    return bool(found == log if exact == 0 else abs(found - log) <= allowed)


def float_against_exact(seed: int) -> int:
    """Acceptances, logarithms, occupancy and counts of one acceptor, and of one generator."""
    rng = np.random.default_rng(seed)
    return _acceptor(rng) + _generator(rng)


def _acceptor(rng: np.random.Generator) -> int:
    model = machines.acceptor(rng)
    whole, l = machines.Whole.of(model), model.n_states
    model = model.to_sparse() if rng.integers(2) else model
    words = machines.words(rng, model.alphabet, 20, 60) + machines.words(rng, model.alphabet, 2, 250)
    final = model.final.astype(bool).tolist()
    exact = [whole.probability(word, final) for word in words]
    for word, p, found, log in zip(words, exact, model.acceptances(words), model.log_acceptances(words), strict=True):
        assert close(found, p, len(word), l), (model, word, found, float(p))
        assert close_log(log, p, len(word), l), (model, word, log, machines.logarithm(p))
        assert model.acceptance(word) == found, (model, word)
        rows = [Fraction(value, 1 << machines.SCALE * (len(word) + 1)) for value in whole.forward(word)[-1]]
        found_row = model.distribution(word)
        assert all(close(a, b, len(word), l) for a, b in zip(found_row, rows, strict=True)), (model, word)
        assert (model.forward(word)[-1] == found_row).all(), (model, word)
    short = [word for word in words if len(word) <= 12][:4]
    for word in short:
        _posteriors(model, whole, word)
    return 3 * len(words) + len(short)


def _generator(rng: np.random.Generator) -> int:
    model = machines.generator(rng)
    whole, l = machines.Whole.of(model), model.n_states
    model = model.to_sparse() if rng.integers(2) else model
    words = machines.words(rng, model.alphabet, 20, 60)
    logs = model.log_probabilities(words)
    for word, log in zip(words, logs, strict=True):
        p = whole.probability(word)
        assert close(model.probability(word), p, len(word) + 1, l), (model, word, float(p))
        assert close_log(log, p, len(word) + 1, l), (model, word, log, machines.logarithm(p))
        if p:
            share = whole.probability(word, model.final.astype(bool).tolist()) / p
            np.testing.assert_allclose(model.acceptance(word), float(share), rtol=1e-12, atol=1e-300)
    short = [word for word in words if len(word) <= 12][:4]
    for word in short:
        _posteriors(model, whole, word)
    return 3 * len(words) + len(short)


def _posteriors(model: cp.Acceptor | cp.Generator, whole: machines.Whole, word: str) -> None:
    """Occupancy and expected counts of a word, by every verdict on it."""
    for accepted in (None, True, False):
        final = None if accepted is None else [bool(f) == accepted for f in model.final]
        table = whole.occupancy(word, final)
        if table is None:
            continue
        found = model.occupancy(word, accepted)
        np.testing.assert_allclose(found, np.array(table, dtype=float), rtol=1e-12, atol=1e-16)
        uses = np.zeros(model.transitions.shape)
        for code, moves in whole.uses(word, final):
            uses[code] += np.array(moves, dtype=float)
        sample = cp.Sample([word], None if accepted is None else [accepted], alphabet=model.alphabet)
        counts = cp.expected_counts(model, sample)
        np.testing.assert_allclose(counts.transitions, uses, rtol=1e-12, atol=1e-16)
        np.testing.assert_allclose(counts.initial, found[0], rtol=1e-12, atol=1e-16)


def forecasts(seed: int) -> int:
    """Forecasts of an acceptor under a law of inputs, and explanations of words, beside rational ones."""
    rng = np.random.default_rng(seed)
    law = machines.generator(rng, 3)
    model = machines.acceptor(rng, 3, symbols=len(law.alphabet))
    exact = machines.Forecasts(model, law)
    words = [word for word in machines.words(rng, law.alphabet, 8, 6) if exact.law.reached(word)]
    forecaster = cp.cases.forecast.Forecaster(model, law)
    final = model.final.astype(bool).tolist()
    for word in words:
        expected = [float(exact.forecast(word[:i])) for i in range(len(word) + 1)]
        np.testing.assert_allclose(forecaster.along(word), expected, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(cp.forecast(model, word, law), expected[-1], rtol=1e-10, atol=1e-13)
        why: Any = cp.explain(model, word, law)
        np.testing.assert_allclose(why.forecasts, expected, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(why.along.sum() + why.end, why.acceptance - why.baseline, rtol=0, atol=1e-13)
        shapley = machines.shapley(lambda part: exact.model.probability(part, final), word)
        np.testing.assert_allclose(why.shapley, np.array(shapley, dtype=float), rtol=1e-12, atol=1e-14)
        after = law.next_symbols(word)
        np.testing.assert_allclose(list(after.values()), exact.law.next_symbols(word), rtol=1e-12, atol=1e-300)
    return 6 * len(words)


# -- Ties --------------------------------------------------------------------------------------------------------------


def ties(seed: int) -> int:
    """Membership of words at cut points equal to acceptances, at their floats, and beside both."""
    rng = np.random.default_rng(seed)
    model = machines.acceptor(rng, 5) if seed % 2 else machines.rational_acceptor(rng, 4)
    final = model.final.astype(bool).tolist()
    value = machines.Whole.of(model).probability if not model.is_exact else partial(machines.exact_value, model)
    words = machines.words(rng, model.alphabet, 12, 30)
    exact = [value(word, final) for word in words]
    cases = 0
    for p in rng.permutation(len(words))[:4].tolist():
        for cut in _cut_points(exact[p]):
            strict = [number > cut for number in exact]
            _decided(model, words, cut, strict, [number >= cut for number in exact])
            cases += 5 * len(words)
    for square in (Fraction(int(k), 7) for k in rng.integers(1, 7, 2)):
        root = cp.AlgebraicNumber.sqrt(square)
        found = cp.Language(model, root).contains(words).tolist()
        assert found == [number * number > square for number in exact], (model, words, root)
        cases += len(words)
    return cases + (_deterministic(model, exact[0], final) if model.is_exact else 0)


def _cut_points(p: Fraction) -> list[Any]:
    """An acceptance, its float, the floats beside it, and numbers nearer than any float; between 0 and 1."""
    near, least = float(p), Fraction(1, 2**2000)
    floats = near, math.nextafter(near, 0.0), math.nextafter(near, 1.0)
    return [Fraction(cut) for cut in (p, *floats, p - least, p + least, 0, 1) if 0 <= cut <= 1]


def _decided(model: cp.Acceptor, words: list[str], cut: Fraction, strict: list[bool], inclusive: list[bool]) -> None:
    written = str(cut) if cut.denominator < 2**2000 else cut
    language, closed, runs = cp.Language(model, cut), cp.Language(model, cut, inclusive=True), cp.Runs(model, cut)
    assert language.contains(words).tolist() == strict, (model, words, cut)
    assert closed.contains(words).tolist() == inclusive, (model, words, cut)
    for word, above, least in zip(words, strict, inclusive, strict=True):
        assert model.accepts(word, written) is above, (model, word, cut)
        assert (word in language) is above, (model, word, cut)
        assert (word in closed) is least, (model, word, cut)
        run = model.run(cut)
        for symbol in word:
            run.read(symbol)
        assert run.accepts is above, (model, word, cut)
        if word:
            seen = runs.read_batch([word] * len(word), list(word))[len(word) - 1]
            assert seen.accepted is above, (model, word, cut)
            runs.close(word)


def _deterministic(model: cp.Acceptor, cut: Fraction, final: list[bool]) -> int:
    """All words up to a length by the DFA, where exploration closes."""
    found = cp.Language(model, cut).to_dfa(max_states=200)
    if isinstance(found, cp.Unknown):
        return 0
    words = machines.all_words(model.alphabet, 5)
    assert found.contains(words).tolist() == [machines.exact_value(model, w, final) > cut for w in words], (model, cut)
    return len(words)


# -- Planted errors ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def slightly_wrong_scores() -> Iterator[None]:
    """Scores of words are too large by one part in 10¹²."""
    right = kernels().acceptances

    def wrong(*arguments: Any, **options: Any) -> Any:
        return right(*arguments, **options) * (1 + 1e-12)

    with patch.object(kernels(), "acceptances", wrong):
        yield


@contextlib.contextmanager
def floats_decide() -> Iterator[None]:
    """Comparisons with a cut point trust the float."""

    def wrong(estimate: float, length: int, n_states: int, cut_point: Any, *_: Any, **__: Any) -> int:
        return 1 if estimate > float(cut_point) else -1

    with patch("cutpoint.decision.language.compared", wrong):
        yield


@contextlib.contextmanager
def forecasts_of_the_start() -> Iterator[None]:
    """The law of inputs has not read the last symbol."""
    right = cp.Generator.distribution

    def wrong(self: cp.Generator, prefix: Any, exact: bool = False) -> Any:
        return right(self, prefix[:-1], exact)

    with patch.object(cp.Generator, "distribution", wrong):
        yield


ROWS = [
    Row(
        "float-against-exact",
        "Acceptances, log-probabilities, occupancies and expected counts are the exact ones up to the documented "
        "rounding, for entries down to the smallest floats; −inf means impossible and nothing else.",
        float_against_exact,
        slightly_wrong_scores,
        share=2.0,
    ),
    Row(
        "forecasts-and-explanations",
        "Forecasts, next symbols, changes along the way and Shapley values are the exact ones to ten digits, and the "
        "parts of an explanation add up.",
        forecasts,
        forecasts_of_the_start,
    ),
    Row(
        "ties",
        "`accepts`, `in`, `contains`, live runs and DFAs decide as rational arithmetic does, at cut points equal to an "
        "acceptance, its float, the floats beside it, and square roots.",
        ties,
        floats_decide,
    ),
]
