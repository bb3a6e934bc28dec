"""Where climbs begin: sparse random acceptors, lazy ones, and machines merged from the labelled prefix tree."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.em.m_step import shares
from cutpoint.em.observations import Parameters
from cutpoint.kernels import kernels
from cutpoint.kernels.words import Floats
from cutpoint.search.labels import Kinds, KnownStates, Labelling, NamedStates, Solution

SPARSITY = 0.2  # Dirichlet parameter of random rows: most of a row goes to few states
SMOOTHING = 0.1  # share of every start that is spread evenly, so that no entry begins at 0
SLIGHT = 0.05  # the same after a lazy mixture or a curriculum
MERGES = ((0.1, 8), (0.5, 1), (0.5, 8), (2.0, 8))  # prior strength, edges compared
TWINS = ((0.5, 1), (0.5, 8), (2.0, 8))  # the same for starts with doubled states
RANDOM_STARTS = 6  # random starts of each kind: plain, after a curriculum of short words, lazy
NOISE = 0.3  # standard deviation of the logarithms by which the parts of a split state differ
PERTURBED = 3  # random starts beside the one made from what was seen of named states


class Start(NamedTuple):
    """Parameters to begin from, the labels of the states, and whether short words come first."""

    name: str
    parameters: Parameters
    kinds: Kinds
    short_words_first: bool = False


def starts(
    states: KnownStates, sample: Sample, n_states: int, rng: np.random.Generator, smaller: Solution | None = None
) -> Iterator[Start]:
    """Starts of one tournament, the most promising first: near what was seen of states, or by merging and at random.

    ``smaller`` is the winner with fewer states, if there is one. Its states are split, so that a larger number is
    judged by what it adds and not by whether its climbs had luck.
    """
    n_symbols = len(sample.alphabet)
    if isinstance(states, NamedStates):
        rows, kinds = states.seen_rows(sample), states.final.astype(np.int32)
        yield Start("seen", Parameters(*(smoothed(part, SMOOTHING) for part in rows)), kinds)
        for _ in range(PERTURBED):
            other = random_parameters(n_symbols, len(kinds), rng)
            mixed = (0.7 * part + 0.3 * random for part, random in zip(rows, other, strict=True))
            yield Start("near seen", Parameters(*(smoothed(part, SMOOTHING) for part in mixed)), kinds)
        return
    labelling, n_final = states.labelling, states.n_final
    if smaller is not None and n_final is None:
        yield split_states(smaller, n_states, rng.spawn(1)[0])
    for strength, width in MERGES:
        yield merged(sample, labelling, n_states, n_final, strength, width, rng)
    if n_final is None:
        for strength, width in TWINS:
            yield twinned(sample, labelling, n_states, strength, width, rng)
    kinds = labelling.spread(n_states, n_final)
    for name in ("random", "curriculum", "lazy"):
        for _ in range(RANDOM_STARTS):
            parameters = random_parameters(n_symbols, n_states, rng)
            yield Start(name, lazy(parameters, rng) if name == "lazy" else parameters, kinds, name == "curriculum")


def split_states(solution: Solution, n_states: int, rng: np.random.Generator) -> Start:
    """Machine whose states are those of a smaller one, split into some that differ a little.

    Of a generator, emissions and moves differ independently, so that a hidden Markov model stays one.
    """
    (rows, initial), kinds = solution
    old = len(initial)
    parent = np.concatenate((np.arange(old), rng.permutation(np.arange(n_states - old) % old)))
    parent = parent[np.argsort(parent, kind="stable")]
    number = np.bincount(parent)[parent]
    moves = np.ascontiguousarray(solution.parameters.transitions[:, parent][:, :, parent]) / number
    stop = solution.parameters.stop
    if stop is None:
        moves = smoothed(shares(moves * np.exp(NOISE * rng.standard_normal(moves.shape)), moves), SLIGHT)
    else:
        emitted, onward = (np.exp(NOISE * rng.standard_normal((size, n_states))) for size in (len(moves), n_states))
        moves, stop = moves * emitted[:, :, None] * onward, stop[parent]
    rows = Parameters.packed(moves, initial, stop).rows
    first = np.exp(NOISE * rng.standard_normal(n_states)) * initial[parent] / number
    return Start("split", Parameters(shares(rows, rows), shares(first, first)), kinds[parent])


def random_parameters(n_symbols: int, n_states: int, rng: np.random.Generator) -> Parameters:
    """Sparse random rows, smoothed."""
    rows = rng.dirichlet(np.full(n_states, SPARSITY), size=(n_symbols, n_states))
    return Parameters(smoothed(rows, SMOOTHING), smoothed(rng.dirichlet(np.ones(n_states)), SLIGHT))


def lazy(parameters: Parameters, rng: np.random.Generator) -> Parameters:
    """Each symbol leaves the state as it is with a probability of its own."""
    n_symbols, n_states, _ = parameters.transitions.shape
    stay = rng.random((n_symbols, 1, 1))
    rows = stay * np.eye(n_states) + (1.0 - stay) * parameters.transitions
    return Parameters(smoothed(rows, SLIGHT), parameters.initial)


def merged(
    sample: Sample,
    labelling: Labelling,
    n_states: int,
    n_final: int | None,
    strength: float,
    width: int,
    rng: np.random.Generator,
) -> Start:
    """Machine merged from the labelled prefix tree; states it does not need begin at random."""
    table, seen, rates = _machine(sample, labelling, n_states, strength, width)
    found = len(table)
    rows = random_parameters(len(sample.alphabet), n_states, rng).transitions
    rows[:, :found] = smoothed(_one_hot(table, np.eye(n_states)[:found]), SMOOTHING)
    initial = smoothed((np.arange(n_states) == 0).astype(np.float64), SMOOTHING)
    kinds = labelling.spread(n_states, n_final)
    kinds[:found] = (seen + rates).argmax(axis=1)  # seen most often; the base rates decide where nothing was
    name = f"merged ({strength:g}, {width})"
    return Start(name, Parameters(rows, initial), _repaired(kinds, seen, rates, n_final))


def twinned(
    sample: Sample, labelling: Labelling, n_states: int, strength: float, width: int, rng: np.random.Generator
) -> Start:
    """Machine merged into fewer states, each with two labels then doubled, so that noise in labels needs no leaks.

    The two states move alike; whatever leads there is split between them as the labels were.
    """
    table, seen, rates = _machine(sample, labelling, max(1, n_states * 2 // 3), strength, width)
    found = len(table)
    order = np.argsort(-(seen + rates), axis=1, kind="stable")
    ranked = np.take_along_axis(seen + rates, order, axis=1)
    doubled = np.argsort(-ranked[:, 1], kind="stable")[: n_states - found]
    home = np.eye(found, n_states)  # where a run that is led to a merged state arrives
    kinds = labelling.spread(n_states)
    kinds[:found] = order[:, 0]
    parents = np.concatenate((np.arange(found), doubled))
    for twin, state in enumerate(doubled.tolist(), found):
        kinds[twin] = order[state, 1]
        home[state, [state, twin]] = ranked[state, :2] / ranked[state, :2].sum()
    rows = random_parameters(len(sample.alphabet), n_states, rng).transitions
    rows[:, : len(parents)] = smoothed(_one_hot(table, home)[:, parents], SLIGHT)
    kinds = _repaired(kinds, seen, rates)
    return Start(f"twinned ({strength:g}, {width})", Parameters(rows, smoothed(home[0], SLIGHT)), kinds)


def _machine(
    sample: Sample, labelling: Labelling, n_states: int, strength: float, width: int
) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Next state by state and symbol, weight of each label in each state, and the base rates of the labels."""
    rates = labelling.totals(sample) / labelling.totals(sample).sum()
    pseudo = strength * len(rates) * np.maximum(rates, 1e-6)
    table, seen = kernels().merged_machine(
        sample.decoded, labelling.positions(sample), sample.counts, len(sample.alphabet), pseudo, n_states, width
    )
    return table, seen, rates


def _one_hot(table: NDArray[np.int32], home: Floats) -> Floats:
    """Rows ``[a, state, t]`` of a table of next states, each a row of ``home``; even where no next state is known."""
    return np.where(table.T[:, :, None] < 0, 1.0 / home.shape[1], home[np.maximum(table.T, 0)])


def smoothed(rows: Floats, share: float) -> Floats:
    """Rows with a share spread evenly."""
    return np.asarray((1.0 - share) * rows + share / rows.shape[-1])


def _repaired(kinds: Kinds, seen: Floats, rates: Floats, n_final: int | None = None) -> Kinds:
    """Labels such that each occurs, or the last one as often as asked for."""
    shares = np.zeros((len(kinds), len(rates)))
    shares[: len(seen)] = (seen + rates) / (seen.sum(axis=1, keepdims=True) + 1.0)
    if n_final is not None:
        chosen = np.argsort(-shares[:, -1], kind="stable")[:n_final]
        return np.isin(np.arange(len(kinds)), chosen).astype(np.int32)
    repaired = kinds.copy()
    for label in range(len(rates)):
        if label not in repaired:
            spare = np.bincount(repaired)[repaired] > 1
            repaired[int(np.where(spare, shares[:, label], -1.0).argmax())] = label
    return repaired
