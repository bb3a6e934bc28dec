"""A sample as an acceptor sees it: codes of its own alphabet, and masks over its own states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Mark, Sample
from cutpoint.em.shards import Shards
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.kernels.words import EncodedWords
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.parts import States


class Evidence(NamedTuple):
    """Arguments of the kernels that describe a sample, in their order."""

    masks: NDArray[np.bool_]
    words: EncodedWords


def evidence(acceptor: Acceptor, sample: Sample) -> Evidence:
    """Masks and words of a sample for the kernels; unknown symbols and states are refused."""
    check_acceptor(acceptor)
    check_sample(sample)
    same = sample.recoded(acceptor.alphabet)
    return Evidence(mark_masks(acceptor, same), same.decoded)


def mark_masks(acceptor: Acceptor, sample: Sample | Shards) -> NDArray[np.bool_]:
    """States that agree with each mark of a sample, ``[mark, s]``."""
    return table_masks(acceptor.states, acceptor.final, sample.mark_table)


def table_masks(states: States, final: NDArray[np.bool_], table: Sequence[Mark]) -> NDArray[np.bool_]:
    """States that agree with each mark of a table: the e of the recursions."""
    masks = np.ones((len(table), len(states)), dtype=np.bool_)
    for k, mark in enumerate(table):
        if mark.verdict is not None:
            masks[k] &= final if mark.verdict else ~final
        if mark.states is not None:
            seen = [states.code(state, "states of the sample: ") for state in mark.states]
            masks[k] &= np.isin(np.arange(len(states)), seen)
    return masks


def check_sample(sample: object) -> None:
    """Refuse what is not a sample."""
    if isinstance(sample, Shards):
        raise InvalidArgument("expected a Sample in memory; got one in shards, which this function does not take.")
    if not isinstance(sample, Sample):
        raise InvalidArgument(f"expected a Sample; got {type(sample).__name__}. Write Sample(words, accepted=...).")


def check_sample_or_shards(sample: object) -> None:
    """Refuse what is neither a sample nor one in shards."""
    if not isinstance(sample, Shards):
        check_sample(sample)


def check_evidence(sample: Sample | Shards) -> None:
    """Refuse inputs alone."""
    if not sample.has_evidence:
        raise InvalidSample(
            "the sample holds inputs alone, and inputs alone carry no information about the transitions. Add what was "
            "seen of the runs: Sample(words, accepted=...), verdicts=... or states=..."
        )
