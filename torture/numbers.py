"""Rows about numbers: floats against exact answers, and what happens at ties."""

import contextlib
from collections.abc import Iterator
from fractions import Fraction
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
    words = machines.words(rng, model.alphabet, 20, 60)
    final = model.final.astype(bool).tolist()
    exact = [whole.probability(word, final) for word in words]
    for word, p, found, log in zip(words, exact, model.acceptances(words), model.log_acceptances(words), strict=True):
        assert close(found, p, len(word), l), (model, word, found, float(p))
        assert close_log(log, p, len(word), l), (model, word, log, machines.logarithm(p))
        assert model.acceptance(word) == found, (model, word)
    short = [word for word in words if len(word) <= 12][:4]
    for word in short:
        _posteriors(model, whole, word)
    return 2 * len(words) + len(short)


def _generator(rng: np.random.Generator) -> int:
    model = machines.generator(rng)
    whole, l = machines.Whole.of(model), model.n_states
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


@contextlib.contextmanager
def slightly_wrong_scores() -> Iterator[None]:
    """Scores of words are too large by one part in 10¹²."""
    right = kernels().acceptances

    def wrong(*arguments: Any, **options: Any) -> Any:
        return right(*arguments, **options) * (1 + 1e-12)

    with patch.object(kernels(), "acceptances", wrong):
        yield


ROWS = [
    Row(
        "float-against-exact",
        "Acceptances, log-probabilities, occupancies and expected counts are the exact ones up to the documented "
        "rounding, for entries down to the smallest floats; −inf means impossible and nothing else.",
        float_against_exact,
        slightly_wrong_scores,
        share=2.0,
    )
]
