"""What a search is about: states that are all hidden, or states with names some of which were seen."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.alphabet import Alphabet
from cutpoint.em.engine import Parameters
from cutpoint.em.evidence import table_masks
from cutpoint.em.m_step import shares
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.model import Acceptor
from cutpoint.model.parts import States
from cutpoint.search.deterministic import Machine, Place, simplest
from cutpoint.search.labelling import Kinds, Labelling
from cutpoint.search.starts import SMOOTHING, Start, all_starts, random_parameters, smoothed
from cutpoint.wording import counted, listed, shown

Masks = NDArray[np.bool_]

SIZES = (2, 4, 8, 16, 32, 64)
"""Numbers of states tried when none is given."""

SURE_SIZES = 3
"""So many of them are always tried."""

PERTURBED = 3
"""Random starts beside the one made from what was seen of named states."""


class Setting(Protocol):
    """What the search needs to know of the states."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of states to choose from."""

    def masks(self, kinds: Kinds) -> Masks:
        """States that agree with each mark of the sample."""

    def starts(self, sample: Sample, n_states: int, rng: np.random.Generator) -> Iterator[Start]:
        """Starts of one tournament."""

    def acceptor(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Acceptor:
        """Acceptor of some parameters."""

    def labels(self, kinds: Kinds) -> tuple[Hashable, ...]:
        """What each state shows."""

    def machine(self, places: list[Place], sample: Sample, n_states: int) -> Machine | None:
        """Deterministic machine near some acceptor that explains the sample by itself and some wrong labels, if any."""


class Hidden:
    """States without names: of each only a label can be seen, a verdict or a class."""

    def __init__(self, labelling: Labelling, n_final: int | None = None) -> None:
        self.labelling = labelling
        self.masks = labelling.masks
        self._n_final = n_final
        self.sizes = tuple(size for size in SIZES if size > max(len(labelling.names) - 1, n_final or 1))

    def starts(self, sample: Sample, n_states: int, rng: np.random.Generator) -> Iterator[Start]:
        """By merging, at random, at random with short words first, lazy."""
        return all_starts(sample, self.labelling, n_states, self._n_final, rng)

    def acceptor(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Acceptor:
        """Acceptor with numbered states; those of the last label are final."""
        return Acceptor(len(kinds), alphabet, *parameters, kinds == len(self.labelling.names) - 1)

    def labels(self, kinds: Kinds) -> tuple[Hashable, ...]:
        """Verdict or class of each state."""
        return tuple(self.labelling.names[kind] for kind in kinds)

    def machine(self, places: list[Place], sample: Sample, n_states: int) -> Machine | None:
        """The simplest one, unless a number of final states was asked for."""
        return simplest(places, sample, self.labelling, n_states) if self._n_final is None else None

    def check_size(self, n_states: int) -> None:
        """Refuse fewer states than labels, or than final states and one more."""
        names = self.labelling.names
        if n_states < len(names):
            what = (
                "an accepting and a rejecting one" if names == (False, True) else f"one for each class {listed(names)}"
            )
            raise InvalidArgument(
                f"n_states must be at least {len(names)}, {what}; got {n_states}. Ask for more states."
            )
        if self._n_final is not None and not 1 <= self._n_final < n_states:
            raise InvalidArgument(
                f"n_final must be from 1 to n_states - 1, here {n_states - 1}; got {shown(self._n_final)}."
            )


class Named:
    """States with names, as seen in the sample, and perhaps some more that nobody saw."""

    def __init__(
        self,
        sample: Sample,
        n_states: int | None,
        final: Collection[Hashable] | None,
        start: Acceptor | None = None,
    ) -> None:
        if start is not None:
            for name in _seen_states(sample):
                start.states.code(name, "states of the sample: ")
        seen = list(start.states) if start is not None else _seen_states(sample)
        if n_states is not None and n_states < len(seen):
            raise InvalidArgument(
                f"n_states must be at least {len(seen)}, the number of states seen in the sample; got {n_states}."
            )
        extra = (n_states or len(seen)) - len(seen)
        self.states = (*seen, *(("hidden", k) for k in range(extra)))
        self.final = start.final if start is not None else _final_states(sample, self.states, final)
        self.sizes = (len(self.states),)
        self._masks = table_masks(States(self.states), self.final, sample.mark_table)

    def masks(self, kinds: Kinds) -> Masks:
        """The same for every start: names are known."""
        return self._masks

    def starts(self, sample: Sample, n_states: int, rng: np.random.Generator) -> Iterator[Start]:
        """From transitions whose both ends were seen, and near there."""
        counts, first = _seen_transitions(sample, self._masks)
        size = len(self.states)
        even = Parameters(np.full_like(counts, 1.0 / size), np.full(size, 1.0 / size))
        rows = Parameters(shares(counts, even.transitions), shares(first, even.initial))
        kinds = self.final.astype(np.int32)
        yield Start("seen", Parameters(*(smoothed(part, SMOOTHING) for part in rows)), kinds)
        for _ in range(PERTURBED):
            other = random_parameters(len(counts), size, rng)
            mixed = (0.7 * part + 0.3 * drawn for part, drawn in zip(rows, other, strict=True))
            yield Start("near seen", Parameters(*(smoothed(part, SMOOTHING) for part in mixed)), kinds)

    def acceptor(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Acceptor:
        """Acceptor with the states' names."""
        return Acceptor(self.states, alphabet, *parameters, self.final)

    def labels(self, kinds: Kinds) -> tuple[Hashable, ...]:
        """Whether each state is final."""
        return tuple(self.final.tolist())

    def machine(self, places: list[Place], sample: Sample, n_states: int) -> Machine | None:
        """None: states with names are not to be changed for others."""
        return None


def _seen_states(sample: Sample) -> list[Hashable]:
    """Names of states in the order of their marks, sorted where that is possible."""
    names = list(dict.fromkeys(name for mark in sample.mark_table for name in sorted(mark.states or (), key=repr)))
    try:
        return sorted(names)  # type: ignore[type-var]
    except TypeError:
        return names


def _final_states(
    sample: Sample, states: tuple[Hashable, ...], final: Collection[Hashable] | None
) -> NDArray[np.bool_]:
    """Final states: as given, or those seen where the verdict was "accepted"."""
    if final is not None:
        unknown = [state for state in final if state not in states]
        if unknown:
            raise InvalidArgument(
                f"final must hold states of the sample; got {shown(unknown[0])}, not in {listed(states)}."
            )
        return np.array([state in final for state in states])
    found: dict[Hashable, bool] = {}
    for verdict, state in _verdicts_on_states(sample):
        if found.setdefault(state, verdict) != verdict:
            raise InvalidSample(
                f"state {shown(state)} was seen both accepted and rejected; a state is final or not. Leave out the "
                "states at those positions, or pass final={...}."
            )
    if not any(found.values()):
        raise InvalidArgument(
            f"the final states cannot be told from the sample: no state ({counted(len(states), 'state')}) was seen "
            "together with the verdict accepted. Pass final={...}."
        )
    return np.array([found.get(state, False) for state in states])


def _verdicts_on_states(sample: Sample) -> Iterator[tuple[bool, Hashable]]:
    """Pairs of a verdict and the state that it was given on, where just one state was seen."""
    table = sample.mark_table
    pairs = {(mark.verdict, mark.states) for mark in table}
    if sample.marks is not None:
        last = sample.marks[sample.offsets[1:] + np.arange(len(sample))]
        pairs |= {(table[end].verdict, table[mark].states) for end, mark in zip(sample.ends, last, strict=True)}
    for verdict, states in sorted(pairs, key=repr):
        if verdict is not None and states is not None and len(states) == 1:
            yield verdict, next(iter(states))


def _seen_transitions(sample: Sample, masks: Masks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts of transitions whose both ends were seen, and of first states that were."""
    size = masks.shape[1]
    counts, first = np.zeros((len(sample.alphabet), size, size)), np.zeros(size)
    if sample.marks is None:
        return counts, first
    single = np.where(masks.sum(axis=1) == 1, masks.argmax(axis=1), -1)[sample.marks]
    weights = np.repeat(sample.counts, sample.lengths + 1)
    starts = sample.offsets[:-1] + np.arange(len(sample))
    before = np.delete(np.arange(len(single)), sample.offsets[1:] + np.arange(len(sample)))
    both = (single[before] >= 0) & (single[before + 1] >= 0)
    place = sample.symbols[both], single[before][both], single[before + 1][both]
    np.add.at(counts, place, weights[before][both])
    known = single[starts] >= 0
    np.add.at(first, single[starts][known], sample.counts[known])
    return counts, first
