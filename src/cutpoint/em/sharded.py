"""A sample in shards for many E-steps, whichever engine does the work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cutpoint.data import Alphabet, Sample
from cutpoint.em import loaded
from cutpoint.em.counts import Counts
from cutpoint.em.engine import Engine, Floats, InMemory, Masks, Parameters
from cutpoint.em.local import Local
from cutpoint.em.shards import Shards, held
from cutpoint.errors import InvalidArgument
from cutpoint.kernels.words import EncodedWords
from cutpoint.wording import shown


class Sharded:
    """Shards with an engine; the same questions as :class:`InMemory` answers, with the same answers for every engine.

    Parameters go out, counts come back.
    """

    def __init__(self, sample: Shards, alphabet: Alphabet, engine: Engine | None = None, threads: int | None = None):
        self.shards = sample
        self.alphabet = alphabet
        self.total = sample.total
        self._placed = (engine or Local(threads)).load(sample, alphabet)

    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step."""
        counts: Counts = self._placed.total(loaded.counts, parameters, masks)
        return counts

    def log_likelihood(self, members: list[tuple[Parameters, Masks]], with_inputs: bool = False) -> float:
        """Log-likelihood under the mean of the members' probabilities; -inf if something is impossible."""
        return float(self._placed.total(loaded.log_likelihood, members, with_inputs))

    def acceptances(self, parameters: Parameters, column: Floats) -> Iterator[tuple[Sample, Floats]]:
        """Observations of each shard with their acceptances."""
        for words, counts, values in self._placed.each(loaded.acceptances, parameters, column):
            yield Sample.from_encoded(words, counts, self.alphabet), values

    def part(self, most: int) -> Sample:
        """About so many distinct observations, taken evenly from all shards; all of them if there are no more."""
        stride = -(-len(self.shards) // most)
        parts = [part for part in self._placed.each(loaded.every, stride) if part is not None]
        words, counts = zip(*parts, strict=True)
        together = EncodedWords.concatenate(words), np.concatenate(counts)
        return Sample.from_encoded(*together, self.alphabet, self.shards.mark_table)

    def close(self) -> None:
        """Let the shards go."""
        self._placed.close()


def placed(
    sample: Sample | Shards, alphabet: Alphabet, engine: Engine | None, threads: int | None
) -> InMemory | Sharded:
    """A sample where it is to be worked on: in memory unless it is in shards or an engine is given."""
    if isinstance(sample, Sample):
        sample = sample.recoded(alphabet)
        if engine is None:
            return InMemory(sample, threads)
        sample = held(sample)
    return Sharded(sample, alphabet, engine, threads)


def check_engine(engine: Any) -> None:
    """Refuse what is no engine."""
    if engine is not None and (isinstance(engine, type) or not isinstance(engine, Engine)):
        raise InvalidArgument(
            f"engine must be an engine such as engines.Local() or engines.Dask(client), or None; got {shown(engine)}."
        )
