"""What can be seen of states: labels of states that are hidden, or names of states that were seen."""

from collections.abc import Collection, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Sample
from cutpoint.data.alphabet import Alphabet
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.em.m_step import shares
from cutpoint.em.observations import Parameters, agreeing_states, check_evidence
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.exact import whole_number
from cutpoint.kernels.words import Floats, Masks
from cutpoint.model import Acceptor, Generator
from cutpoint.model.machine import Machine
from cutpoint.wording import counted, listed, shown

Kinds = NDArray[np.int32]  # label of each state, as a number
SIZES = (2, 4, 8, 16, 32, 64)  # numbers of states tried when none is given


class Solution(NamedTuple):
    """Parameters, and the label of each state."""

    parameters: Parameters
    kinds: Kinds


@dataclass(frozen=True, eq=False)
class Labelling:
    """Every state carries one of some labels, which is what marks show of it: accepted or not, or a class.

    Attributes
    ----------
    names : the labels.
    of_mark : label shown by each mark of the sample; -1 for the mark that shows nothing.
    """

    names: tuple[Hashable, ...]
    of_mark: NDArray[np.int32]

    @classmethod
    def single(cls, sample: Sample, accepted: bool = True) -> Self:
        """One label for all states, which no mark shows."""
        return cls((accepted,), np.full(len(sample.mark_table), -1, dtype=np.int32))

    @classmethod
    def verdicts(cls, sample: Sample) -> Self:
        """Labels rejected and accepted; both must have been seen."""
        return cls._checked(sample, (False, True), [mark.verdict for mark in sample.mark_table])

    @classmethod
    def classes(cls, sample: Sample, names: Sequence[Hashable]) -> Self:
        """Classes as labels, in a sample whose seen "states" are classes."""
        try:
            distinct = set(names) if isinstance(names, Sequence) else None
        except TypeError:  # a list or another value that cannot be a name
            distinct = None
        if distinct is None:
            raise InvalidArgument(f"must be a list of names; got {shown(names)}.", argument="classes")
        if len(distinct) < len(names):
            raise InvalidArgument(f"classes must be distinct; got {listed(names)}.")
        seen: list[Hashable] = []
        for states in (mark.states for mark in sample.mark_table):
            if states is not None and (len(states) > 1 or not states <= distinct):
                raise InvalidArgument(
                    f"what was seen must be one of the classes {listed(names)}; got {listed(states)}."
                )
            seen.append(None if states is None else next(iter(states)))
        if sample.ends.any() or any(mark.verdict is not None for mark in sample.mark_table[len(FIRST_MARKS) :]):
            raise InvalidArgument("a sample of classes cannot hold verdicts; give the class as the last state instead.")
        return cls._checked(sample, tuple(names), seen)

    @classmethod
    def _checked(cls, sample: Sample, names: tuple[Hashable, ...], of_mark: list[Hashable]) -> Self:
        codes = [-1 if name is None else names.index(name) for name in of_mark]
        labelling = cls(names, np.array(codes, dtype=np.int32))
        seen = np.flatnonzero(labelling.totals(sample) > 0.0)
        if len(seen) < 2:
            found = f"only {listed(names[k] for k in seen)} was seen" if len(seen) else "no label was seen"
            raise InvalidSample(
                f"learning needs observations of at least two labels, such as accepted and rejected words; {found}. "
                "A rule that always gives the same answer needs no learning."
            )
        return labelling

    def positions(self, sample: Sample) -> NDArray[np.int32]:
        """Label seen at positions 0 … n of each word, -1 where nothing was."""
        ends = sample.offsets[1:] + np.arange(len(sample))
        labels = np.full(len(sample.symbols) + len(sample), -1, dtype=np.int32)
        if sample.marks is not None:
            labels[:] = self.of_mark[sample.marks]
        at_end = self.of_mark[sample.ends]
        labels[ends] = np.where(at_end >= 0, at_end, labels[ends])
        return labels

    def totals(self, sample: Sample) -> Floats:
        """How often each label was seen."""
        labels = self.positions(sample)
        weights = np.repeat(sample.counts, sample.lengths + 1)
        return np.bincount(labels[labels >= 0], weights[labels >= 0], minlength=len(self.names)).astype(np.float64)

    def spread(self, n_states: int, n_final: int | None = None) -> Kinds:
        """Labels dealt out to states in turn; or, with ``n_final``, so many of the last label."""
        if n_final is None:
            return np.arange(n_states, dtype=np.int32) % len(self.names)
        return (np.arange(n_states) >= n_states - n_final).astype(np.int32)


class HiddenStates:
    """States without names: only a label of each can be seen, a verdict or a class."""

    def __init__(self, labelling: Labelling, n_states: int | None, n_final: int | None = None) -> None:
        self.labelling, self.n_final, names = labelling, n_final, labelling.names
        self.sizes = tuple(size for size in SIZES if size > max(len(names) - 1, n_final or 1))
        if n_states is None:
            if not self.sizes:
                raise InvalidArgument("must be given with so many labels or final states.", argument="n_states")
        elif n_states < len(names):
            classes = f"one for each class {listed(names)}"
            each = "an accepting and a rejecting one" if names == (False, True) else classes
            raise InvalidArgument(f"must be at least {len(names)}, {each}; got {n_states}.", argument="n_states")
        elif n_final is not None and n_final >= n_states:
            what = f"must be from 1 to n_states - 1, here {n_states - 1}; got {n_final}."
            raise InvalidArgument(what, argument="n_final")

    def masks(self, kinds: Kinds) -> Masks:
        """States that agree with each mark of the sample, ``[mark, s]``."""
        of_mark = self.labelling.of_mark[:, None]
        return np.asarray((of_mark == -1) | (of_mark == kinds))

    def acceptor(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Acceptor:
        """Acceptor with numbered states; those of the last label are final."""
        return Acceptor(len(kinds), alphabet, **parameters.parts, final=kinds == len(self.labelling.names) - 1)

    def generator(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Generator:
        """Generator with numbered states; those of the last label are final, unless all are rejecting."""
        names = self.labelling.names
        final = (kinds == len(names) - 1) & (names != (False,))
        return Generator(len(kinds), alphabet, **parameters.parts, final=final)

    def labels(self, kinds: Kinds) -> tuple[Hashable, ...]:
        """Verdict or class of each state."""
        return tuple(self.labelling.names[kind] for kind in kinds)


class NamedStates:
    """States with names, as seen in the sample, and perhaps some more that nobody saw."""

    def __init__(
        self, sample: Sample, n_states: int | None, final: Collection[Hashable] | None, start: Machine | None = None
    ) -> None:
        seen = list(dict.fromkeys(name for mark in sample.mark_table for name in sorted(mark.states or (), key=repr)))
        with suppress(TypeError):  # in the order of their marks where they cannot be sorted
            seen = sorted(seen)  # type: ignore[type-var]
        if start is not None:
            for name in seen:
                start.states.code(name, "states of the sample: ")
            seen = list(start.states)
        if n_states is not None and n_states < len(seen):
            what = f"must be at least {len(seen)}, the number of states seen in the sample; got {n_states}."
            raise InvalidArgument(what, argument="n_states")
        self.names = (*seen, *(("hidden", k) for k in range((n_states or len(seen)) - len(seen))))
        self.final = start.final if start is not None else _final_states(sample, self.names, final)
        self.sizes = (len(self.names),)
        self._masks = agreeing_states(sample.mark_table, self.final, self.names)

    def masks(self, kinds: Kinds) -> Masks:
        """States that agree with each mark of the sample; the same for every start, for names are known."""
        return self._masks

    def acceptor(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Acceptor:
        """Acceptor with the states' names."""
        return Acceptor(self.names, alphabet, **parameters.parts, final=self.final)

    def generator(self, alphabet: Alphabet, parameters: Parameters, kinds: Kinds) -> Generator:
        """Generator with the states' names."""
        return Generator(self.names, alphabet, **parameters.parts, final=self.final)

    def labels(self, kinds: Kinds) -> tuple[Hashable, ...]:
        """Whether each state is final."""
        return tuple(self.final.tolist())

    def seen_rows(self, sample: Sample) -> Parameters:
        """Shares of the transitions whose both ends were seen, and of the first states that were; even without any."""
        counts, first, _ = self.seen_counts(sample)
        even = np.full(len(self.names), 1.0 / len(self.names))
        return Parameters(shares(counts, np.broadcast_to(even, counts.shape)), shares(first, even))

    def seen_counts(self, sample: Sample) -> tuple[Floats, Floats, Floats]:
        """Counts of the transitions whose both ends were seen, and of the first and the last states that were."""
        size = len(self.names)
        counts, first, last = np.zeros((len(sample.alphabet), size, size)), np.zeros(size), np.zeros(size)
        if sample.marks is not None:
            single = np.where(self._masks.sum(axis=1) == 1, self._masks.argmax(axis=1), -1)[sample.marks]
            weights = np.repeat(sample.counts, sample.lengths + 1)
            starts = sample.offsets[:-1] + np.arange(len(sample))
            before = np.delete(np.arange(len(single)), sample.offsets[1:] + np.arange(len(sample)))
            both = (single[before] >= 0) & (single[before + 1] >= 0)
            cells = sample.symbols[both], single[before][both], single[before + 1][both]
            np.add.at(counts, cells, weights[before][both])
            for places, number in ((starts, first), (sample.offsets[1:] + np.arange(len(sample)), last)):
                known = single[places] >= 0
                np.add.at(number, single[places][known], sample.counts[known])
        return counts, first, last


KnownStates: TypeAlias = HiddenStates | NamedStates


def known_states(
    sample: Sample,
    n_states: int | None,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    start: Acceptor | None = None,
) -> KnownStates:
    """What a sample and the options of :func:`learn` say about the states."""
    check_evidence(sample)
    if classes is None and any(mark.states is not None for mark in sample.mark_table):
        if n_final is not None:
            advice = "Pass {final}."
            raise InvalidArgument("is for states without names; states were seen.", argument="n_final", advice=advice)
        return NamedStates(sample, n_states, final, start)
    if classes is not None:
        return HiddenStates(Labelling.classes(sample, classes), n_states)
    if final is not None:
        advice = "Pass {n_final}."
        raise InvalidArgument("is for states with names; no state was seen.", argument="final", advice=advice)
    if n_final is not None:
        whole_number("n_final", n_final, least=1)
    return HiddenStates(Labelling.verdicts(sample), n_states, n_final)


def _final_states(sample: Sample, states: tuple[Hashable, ...], final: Collection[Hashable] | None) -> Masks:
    """Final states: as given, or those seen alone where the verdict was "accepted"."""
    if final is not None:
        unknown = [state for state in final if state not in states]
        if unknown:
            what = f"must hold states of the sample; got {shown(unknown[0])}, not in {listed(states)}."
            raise InvalidArgument(what, argument="final")
        return np.array([state in final for state in states])
    table = sample.mark_table
    pairs = {(mark.verdict, mark.states) for mark in table}
    if sample.marks is not None:
        last = sample.marks[sample.offsets[1:] + np.arange(len(sample))]
        pairs |= {(table[end].verdict, table[mark].states) for end, mark in zip(sample.ends, last, strict=True)}
    found: dict[Hashable, bool] = {}
    for verdict, seen in sorted(pairs, key=repr):
        if verdict is None or seen is None or len(seen) > 1:
            continue
        (state,) = seen
        if found.setdefault(state, verdict) != verdict:
            raise InvalidSample(
                f"state {shown(state)} was seen both accepted and rejected; a state is final or not.",
                advice="Leave out the states at those positions, or pass {final}.",
            )
    if not any(found.values()):
        raise InvalidArgument(
            f"the sample does not say which states are final: no state ({counted(len(states), 'state')}) was seen "
            "together with the verdict accepted.",
            advice="Pass {final}.",
        )
    return np.array([found.get(state, False) for state in states])
