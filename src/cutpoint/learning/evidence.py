"""A sample as an acceptor sees it: codes of its own alphabet, and masks over its own states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Mark, Sample
from cutpoint.errors import InvalidArgument
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor


class Evidence(NamedTuple):
    """Arguments of the kernels that describe a sample, in their order."""

    masks: NDArray[np.bool_]
    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    marks: NDArray[np.int32] | None
    ends: NDArray[np.int32]


def evidence(acceptor: Acceptor, sample: Sample) -> Evidence:
    """Arrays of a sample for the kernels; unknown symbols and states are refused."""
    check_acceptor(acceptor)
    check_sample(sample)
    return Evidence(mark_masks(acceptor, sample), *acceptor.encode(sample), sample.marks, sample.ends)


def mark_masks(acceptor: Acceptor, sample: Sample) -> NDArray[np.bool_]:
    """States that agree with each mark of a sample, ``[mark, s]``."""
    masks = np.ones((len(sample.mark_table), acceptor.n_states), dtype=np.bool_)
    for mask, mark in zip(masks, sample.mark_table, strict=True):
        _restrict(mask, acceptor, mark)
    return masks


def check_sample(sample: object) -> None:
    """Refuse what is not a sample."""
    if not isinstance(sample, Sample):
        raise InvalidArgument(f"expected a Sample; got {type(sample).__name__}. Write Sample(words, accepted=...).")


def _restrict(mask: NDArray[np.bool_], acceptor: Acceptor, mark: Mark) -> None:
    """Keep in a mask the states that agree with a mark: the e of the recursions."""
    if mark.verdict is not None:
        mask &= acceptor.final if mark.verdict else ~acceptor.final
    if mark.states is not None:
        seen = [acceptor.states.code(state, "states of the sample: ") for state in mark.states]
        mask &= np.isin(np.arange(acceptor.n_states), seen)
