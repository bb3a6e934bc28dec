"""The paper's tables over the rationals: the recursions of the kernels on arrays of ``Fraction``, word by word."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Fractions = NDArray[Any]
Codes = NDArray[np.int32]


def matrix(transitions: Fractions, word: Codes) -> Fractions:
    """P(x) = P(x₁)…P(xₙ); the identity for the empty word."""
    product: Fractions = fractions(np.eye(transitions.shape[1], dtype=np.int64))
    for symbol in word:
        product = product @ transitions[symbol]
    return product


def distribution(transitions: Fractions, initial: Fractions, word: Codes) -> Fractions:
    """Row πP(x)."""
    row: Fractions = forward(transitions, initial, word)[-1]
    return row


def forward(transitions: Fractions, initial: Fractions, word: Codes) -> Fractions:
    """Table ``[k, s]`` of the rows after each prefix."""
    rows = [initial]
    for symbol in word:
        rows.append(rows[-1] @ transitions[symbol])
    return np.stack(rows)


def backward(transitions: Fractions, column: NDArray[Any], word: Codes) -> Fractions:
    """Table ``[i, s]`` of P(x_{i+1})…P(x_n) times a column of whole numbers."""
    columns = [fractions(column)]
    for symbol in word[::-1]:
        columns.append(transitions[symbol] @ columns[-1])
    return np.stack(columns[::-1])


def occupancy(
    transitions: Fractions, initial: Fractions, word: Codes, seen: NDArray[np.bool_]
) -> tuple[Fractions, float]:
    """Distribution over the states at each position given the evidence at the end, and the evidence's logarithm."""
    joint = forward(transitions, initial, word) * backward(transitions, seen[-1], word)
    total = joint[0].sum()
    return (joint / total, logarithm(total)) if total else (joint, -math.inf)


def most_likely_path(
    transitions: Fractions, initial: Fractions, word: Codes, seen: NDArray[np.bool_]
) -> tuple[list[int], float]:
    """Path of highest probability given the evidence at the end, the first in case of ties, and its logarithm."""
    best = fractions(seen[-1])
    choices = []
    for symbol in word[::-1]:  # from the back, so that ties go to the states that come first
        ahead = transitions[symbol] * best
        choices.append(ahead.argmax(axis=1))
        best = ahead.max(axis=1)
    start = initial * best
    path = [int(start.argmax())]
    for choice in reversed(choices):
        path.append(int(choice[path[-1]]))
    return path, logarithm(start.max())


def logarithm(probability: Fraction) -> float:
    """Natural logarithm of a fraction, however small; -inf of 0."""
    if not probability:
        return -math.inf
    return math.log(probability.numerator) - math.log(probability.denominator)


def fractions(values: NDArray[Any]) -> Fractions:
    """Whole numbers as ``Fraction``."""
    return np.array([Fraction(int(value)) for value in values.flat], dtype=object).reshape(values.shape)
