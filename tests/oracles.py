"""Answers by plain enumeration of every state path in Fractions.

Nothing here uses the recursions, kernels or encodings of the package: an acceptor comes in as plain dictionaries of
Fractions, and a run is a tuple of states.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import cutpoint as cp

Path = tuple[Hashable, ...]


@dataclass(frozen=True)
class Plain:
    """An acceptor or generator as dictionaries: ``step[symbol][s][t]``, ``start[s]``, ``final``, ``stop[s]``."""

    states: tuple[Hashable, ...]
    symbols: tuple[Hashable, ...]
    step: dict[Hashable, dict[Hashable, dict[Hashable, Fraction]]]
    start: dict[Hashable, Fraction]
    final: frozenset[Hashable]
    stop: dict[Hashable, Fraction] | None = None


def plain(acceptor: cp.Acceptor | cp.Generator) -> Plain:
    """The numbers stored in a model's float arrays, as exact Fractions."""
    states, symbols = tuple(acceptor.states), tuple(acceptor.alphabet)
    step = {
        a: {
            s: {t: Fraction(float(acceptor.transitions[i, j, k])) for k, t in enumerate(states)}
            for j, s in enumerate(states)
        }
        for i, a in enumerate(symbols)
    }
    start = {s: Fraction(float(acceptor.initial[j])) for j, s in enumerate(states)}
    final = frozenset(s for j, s in enumerate(states) if acceptor.final[j])
    stop = None
    if isinstance(acceptor, cp.Generator):
        stop = {s: Fraction(float(acceptor.stop[j])) for j, s in enumerate(states)}
    return Plain(states, symbols, step, start, final, stop)


def rational(acceptor: cp.Acceptor | cp.Generator) -> Plain:
    """A model's own Fractions; of float entries, their exact binary values."""
    numbers = plain(acceptor)
    if not acceptor.is_exact:
        return numbers
    steps, start = acceptor.exact_transitions, acceptor.exact_initial
    step = {
        a: {s: dict(zip(numbers.states, steps[i, j].tolist(), strict=True)) for j, s in enumerate(numbers.states)}
        for i, a in enumerate(numbers.symbols)
    }
    stop = None
    if isinstance(acceptor, cp.Generator):
        stop = dict(zip(numbers.states, acceptor.exact_stop.tolist(), strict=True))
    return replace(numbers, step=step, start=dict(zip(numbers.states, start.tolist(), strict=True)), stop=stop)


def path_probability(machine: Plain, word: Sequence[Hashable], path: Path) -> Fraction:
    """π(s₁) ∏ θ(s_{i+1}; x_i, s_i), without the inputs' own probability; of a generator, times its last stop."""
    probability = machine.start[path[0]]
    for i, symbol in enumerate(word):
        probability *= machine.step[symbol][path[i]][path[i + 1]]
    return probability if machine.stop is None else probability * machine.stop[path[-1]]


def paths(machine: Plain, word: Sequence[Hashable]) -> list[Path]:
    return list(product(machine.states, repeat=len(word) + 1))


def agrees(machine: Plain, observation: cp.data.Observation) -> Callable[[Path], bool]:
    """Whether a path agrees with all that was seen."""

    def check(path: Path) -> bool:
        if observation.accepted is not None and (path[-1] in machine.final) != observation.accepted:
            return False
        for i, verdict in enumerate(observation.verdicts or ()):
            if verdict is not None and (path[i] in machine.final) != verdict:
                return False
        for i, state in enumerate(observation.states or ()):
            if isinstance(state, set):
                if path[i] not in state:
                    return False
            elif state is not None and path[i] != state:
                return False
        return True

    return check


def acceptance(machine: Plain, word: Sequence[Hashable]) -> Fraction:
    return sum(
        (path_probability(machine, word, path) for path in paths(machine, word) if path[-1] in machine.final),
        Fraction(0),
    )


def evidence_probability(machine: Plain, observation: cp.data.Observation) -> Fraction:
    check = agrees(machine, observation)
    return sum(
        (path_probability(machine, observation.word, path) for path in paths(machine, observation.word) if check(path)),
        Fraction(0),
    )


def verdict_probability(machine: Plain, observation: cp.data.Observation, i: int) -> Fraction | None:
    """P(the state after i symbols is final | what was seen before), by all paths; None if that is impossible."""
    word = observation.word[:i]
    verdicts = (*observation.verdicts[:i], None) if observation.verdicts else None
    states = (*observation.states[:i], None) if observation.states else None
    check = agrees(machine, replace(observation, word=word, accepted=None, verdicts=verdicts, states=states))
    weights = {path: path_probability(machine, word, path) for path in paths(machine, word) if check(path)}
    total = sum(weights.values(), Fraction(0))
    return sum((p for path, p in weights.items() if path[-1] in machine.final), Fraction(0)) / total if total else None


@dataclass
class OracleCounts:
    transitions: dict[tuple[Hashable, Hashable, Hashable], Fraction]
    initial: dict[Hashable, Fraction]
    probabilities: list[tuple[Fraction, Fraction]]
    """Count and probability of every observation."""


def expected_counts(machine: Plain, sample: cp.Sample) -> OracleCounts:
    """Expected uses of every transition (a, s, t) and first state, by weighing every path that agrees."""
    uses = {(a, s, t): Fraction(0) for a in machine.symbols for s in machine.states for t in machine.states}
    first = dict.fromkeys(machine.states, Fraction(0))
    probabilities = []
    for observation in sample:
        check, count = agrees(machine, observation), Fraction(observation.count)
        weights = {
            path: path_probability(machine, observation.word, path)
            for path in paths(machine, observation.word)
            if check(path)
        }
        total = sum(weights.values(), Fraction(0))
        probabilities.append((count, total))
        for path, weight in weights.items():
            share = count * weight / total if total else Fraction(0)
            first[path[0]] += share
            for i, symbol in enumerate(observation.word):
                uses[symbol, path[i], path[i + 1]] += share
    return OracleCounts(uses, first, probabilities)


def em_step(machine: Plain, sample: cp.Sample) -> dict[Hashable, dict[Hashable, dict[Hashable, Fraction]]]:
    """One EM step: counts divided by the sums of their rows; a row never used keeps its value."""
    counts = expected_counts(machine, sample)
    estimate: dict[Hashable, dict[Hashable, dict[Hashable, Fraction]]] = {}
    for a in machine.symbols:
        estimate[a] = {}
        for s in machine.states:
            total = sum((counts.transitions[a, s, t] for t in machine.states), Fraction(0))
            estimate[a][s] = (
                {t: counts.transitions[a, s, t] / total for t in machine.states} if total else machine.step[a][s]
            )
    return estimate
