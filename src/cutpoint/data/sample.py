"""Sample: distinct observations with their counts, and what was seen of each run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import html
from cutpoint.data.alphabet import Alphabet, PlainWord, Symbol, Tokens, Words, each_word
from cutpoint.data.marks import FIRST_MARKS, Mark, State, Verdict, end_codes, joined_ends, position_marks
from cutpoint.data.ragged import first_equal, joined_parts, only_used_marks, picked
from cutpoint.errors import InvalidSample
from cutpoint.kernels import kernels
from cutpoint.kernels.coding import CodedWords
from cutpoint.wording import counted, shown

LARGEST_TOTAL = 1e300
"""Largest sum of counts, so that no sum of expected counts overflows."""

SMALLEST_COUNT = 1e-300
"""Smallest count, so that none loses its digits: floats near 0 have fewer."""


@dataclass(frozen=True)
class Observation:
    """One observation of a sample; ``verdicts`` and ``states`` have n + 1 entries, or are None if nothing was seen."""

    word: PlainWord
    accepted: Verdict
    verdicts: tuple[Verdict, ...] | None
    states: tuple[State | set[State], ...] | None
    count: float


class Sample:
    """Words with what was seen of their runs; equal observations are merged and their counts added.

    What is computed per observation is per *distinct* observation, in the order of ``words``; to keep the order of
    your own rows, score your own list of words.

    Parameters
    ----------
    words : words of any length, the empty word included.
    accepted : per word True (accepted), False (rejected) or None (not known).
    verdicts : per word n + 1 values True, False or None: was the run in a final state before the first symbol and
        after each one? Or None for a word of which nothing is known.
    states : per word n + 1 states of the run, or None where a state was not seen. A ``set`` means "one of these".
    counts : how often each observation was seen; any non-negative weight. Observations of weight 0 are left out.
    alphabet : the symbols; by default those that occur, sorted.

    Attributes
    ----------
    symbols, offsets : codes of all words; word r is ``symbols[offsets[r]:offsets[r + 1]]``.
    ends : per observation 0 (no verdict on the word), 1 (accepted) or 2 (rejected), an index into ``mark_table``.
    marks : index into ``mark_table`` for positions 0 … n of each word, or None if nothing was seen along the way.
    counts : weights of the distinct observations.

    Examples
    --------
    >>> sample = Sample(["ab", "b", "ab"], accepted=[True, False, True])
    >>> sample
    Sample(3 observations, 2 distinct, alphabet 'ab', lengths 1 to 2: 2 accepted, 1 rejected)
    >>> sample.words, sample.accepted, sample.counts.tolist()
    (('ab', 'b'), (True, False), [2.0, 1.0])
    """

    alphabet: Alphabet
    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    ends: NDArray[np.int32]
    marks: NDArray[np.int32] | None
    mark_table: tuple[Mark, ...]
    counts: NDArray[np.float64]

    def __init__(
        self,
        words: Words,
        accepted: Iterable[Verdict] | None = None,
        verdicts: Iterable[Iterable[Verdict] | None] | None = None,
        states: Iterable[Iterable[State | set[State]] | None] | None = None,
        counts: ArrayLike | None = None,
        alphabet: Iterable[Symbol] | None = None,
    ) -> None:
        listed = words if isinstance(words, Tokens) else list(each_word(words))
        weights = _weights(counts, len(listed))
        sigma = Alphabet.of(listed) if alphabet is None else Alphabet(alphabet)
        symbols, offsets = sigma.encode(listed)
        ends = end_codes(_per_word("accepted", accepted, len(listed)))
        table = list(FIRST_MARKS)
        marks = None
        if verdicts is not None or states is not None:
            seen = _per_word("verdicts", verdicts, len(listed)), _per_word("states", states, len(listed))
            marks = position_marks(*seen, np.diff(offsets), table)
            ends = joined_ends(ends, marks, offsets, table)
        self._fill(sigma, symbols, offsets, ends, marks, tuple(table), weights)

    def _fill(
        self,
        alphabet: Alphabet,
        symbols: NDArray[np.int32],
        offsets: NDArray[np.int64],
        ends: NDArray[np.int32],
        marks: NDArray[np.int32] | None,
        table: tuple[Mark, ...],
        weights: NDArray[np.float64],
    ) -> None:
        """Merge equal observations, keeping the order in which they first appear."""
        seen = [] if marks is None else [(marks, offsets + np.arange(len(offsets)))]
        weighted = np.flatnonzero(weights > 0.0)
        first = first_equal([(symbols, offsets), *seen], np.where(weights > 0.0, ends, -1).astype(np.int32))[weighted]
        counts = np.zeros(len(ends))
        np.add.at(counts, first, weights[weighted])
        self.__dict__.update(picked(symbols, offsets, ends, marks, counts), alphabet=alphabet, mark_table=FIRST_MARKS)
        if self.marks is not None:
            self.__dict__.update(only_used_marks(self.marks, table))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Sample is immutable: cannot set {name!r}. Make a new Sample.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Sample is immutable: cannot delete {name!r}.")

    def __len__(self) -> int:
        """Count the distinct observations."""
        return len(self.ends)

    @overload
    def __getitem__(self, r: int) -> Observation: ...
    @overload
    def __getitem__(self, r: slice) -> list[Observation]: ...
    def __getitem__(self, r: int | slice) -> Observation | list[Observation]:
        if isinstance(r, slice):
            return [self[k] for k in range(*r.indices(len(self)))]
        if not -len(self) <= r < len(self):
            raise IndexError(f"observation {r} does not exist: the sample has {counted(len(self), 'observation')}.")
        r %= len(self)
        word = self.alphabet.decode(self.symbols[self.offsets[r] : self.offsets[r + 1]])
        accepted = FIRST_MARKS[self.ends[r]].verdict
        verdicts, states = None, None
        marks = self.marks_of(r)
        if any(mark.verdict is not None for mark in marks):
            verdicts = (*(mark.verdict for mark in marks[:-1]), accepted)
        if any(mark.states is not None for mark in marks):
            states = tuple(_single(mark.states) for mark in marks)
        return Observation(word, accepted, verdicts, states, float(self.counts[r]))

    def __iter__(self) -> Iterator[Observation]:
        return (self[r] for r in range(len(self)))

    @property
    def words(self) -> tuple[PlainWord, ...]:
        """Words of the distinct observations."""
        return tuple(observation.word for observation in self)

    @property
    def accepted(self) -> tuple[Verdict, ...]:
        """Verdicts on the words of the distinct observations."""
        return tuple(FIRST_MARKS[end].verdict for end in self.ends)

    @property
    def verdicts(self) -> tuple[tuple[Verdict, ...] | None, ...]:
        """Verdicts after each prefix of the distinct observations."""
        return tuple(observation.verdicts for observation in self)

    @property
    def states(self) -> tuple[tuple[State | set[State], ...] | None, ...]:
        """States seen in the distinct observations."""
        return tuple(observation.states for observation in self)

    @property
    def total(self) -> float:
        """Sum of the counts: the N of the paper."""
        return float(self.counts.sum())

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each distinct observation."""
        return np.diff(self.offsets)

    @property
    def has_evidence(self) -> bool:
        """Whether anything at all was seen of any run; inputs alone carry no information about transitions."""
        return bool(self.ends.any()) or self.marks is not None

    @cached_property
    def tree(self) -> object:
        """Prefix tree of the observations, as the kernels want it; made once."""
        return kernels().prefix_tree(self.symbols, self.offsets, self.marks, len(self.alphabet), len(self.mark_table))

    def recoded(self, alphabet: Alphabet) -> Sample:
        """The same sample over another alphabet, which must have all its symbols."""
        if self.alphabet == alphabet:
            return self
        code = [alphabet.code(symbol) if symbol in alphabet else -1 for symbol in self.alphabet]
        symbols = np.array(code, dtype=np.int32)[self.symbols]
        for place in np.flatnonzero(symbols < 0):
            r = int(np.searchsorted(self.offsets, place, side="right")) - 1
            where = f"observation {self.describe(r)}, position {place - self.offsets[r]}: "
            alphabet.code(self.alphabet[self.symbols[place]], where)
        return Sample._restored(alphabet, symbols, self.offsets, self.ends, self.marks, self.mark_table, self.counts)

    def reweighted(self, counts: NDArray[np.float64]) -> Sample:
        """The same observations with other counts; those of count 0 are left out."""
        parts = picked(self.symbols, self.offsets, self.ends, self.marks, np.asarray(counts, dtype=np.float64))
        other = Sample.__new__(Sample)
        other.__dict__.update(parts, alphabet=self.alphabet, mark_table=self.mark_table)
        return other

    @property
    def is_complete(self) -> bool:
        """Whether every state of every run was seen: the complete data of the paper."""
        single = [mark.states is not None and len(mark.states) == 1 for mark in self.mark_table]
        return self.marks is not None and bool(np.array(single)[self.marks].all())

    def __add__(self, other: Sample) -> Sample:
        """Return both samples as one; symbols of the second that the first does not have come after its own."""
        if not isinstance(other, Sample):
            return NotImplemented
        return Sample.joined([self, other], dict.fromkeys((*self.alphabet, *other.alphabet)))

    @classmethod
    def joined(cls, samples: Sequence[Sample], alphabet: Iterable[Symbol]) -> Sample:
        """Several samples as one, over an alphabet that has all their symbols."""
        sigma = Alphabet(alphabet)
        parts = joined_parts(samples, sigma)
        _weights(parts[-1], len(parts[-1]))
        return cls._restored(sigma, *parts)

    @classmethod
    def from_frame(
        cls,
        df: Any,
        word: str = "word",
        accepted: str | None = None,
        weight: str | None = None,
        *,
        verdicts: str | None = None,
        states: str | None = None,
        separator: str | None = None,
        positive: object = None,
        alphabet: Iterable[Symbol] | None = None,
    ) -> Sample:
        """Sample of a pandas, polars or Arrow table with one word per row; the arguments name its columns.

        Words are lists, or texts: of characters, or of symbols with a ``separator`` between them. Outcomes are bool, 0
        and 1, texts such as yes and no, or ``positive`` names the accepted value; a missing one is not known.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"path": ["look buy", "look"], "sold": ["yes", "no"]})
        >>> Sample.from_frame(df, "path", "sold", separator=" ").words
        (('look', 'buy'), ('look',))
        """
        from cutpoint.data.tables import frame_words  # noqa: PLC0415

        given = {"word": word, "accepted": accepted, "weight": weight, "verdicts": verdicts, "states": states}
        return cls(**frame_words(df, given, separator, positive), alphabet=alphabet)

    @classmethod
    def from_events(
        cls,
        df: Any,
        *,
        id: str,
        event: str,
        order: str | None = None,
        outcome: str | None = None,
        verdict: str | None = None,
        weight: str | None = None,
        positive: object = None,
        alphabet: Iterable[Symbol] | None = None,
    ) -> Sample:
        """Sample of a pandas, polars or Arrow table with one event per row: one word per case.

        Events of a case (rows with the same ``id``) are sorted by ``order``; those of equal order, or all without it,
        stay as they are. The rows of a case must agree on ``outcome`` and ``weight``; ``verdict`` is the outcome so
        far, after each event. A row without an event, the only one of its case, is the empty word. Outcomes are read
        as in ``from_frame``.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"who": [7, 7, 8], "day": [2, 1, 1], "what": ["buy", "look", "look"], "sold": [1, 1, 0]})
        >>> Sample.from_events(df, id="who", order="day", event="what", outcome="sold").words
        (('look', 'buy'), ('look',))
        """
        from cutpoint.data.events import frame_events  # noqa: PLC0415

        given = {"id": id, "event": event, "order": order, "outcome": outcome, "verdict": verdict, "weight": weight}
        return cls(**frame_events(df, given, positive), alphabet=alphabet)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return self.alphabet == other.alphabet and self._contents() == other._contents()

    def __hash__(self) -> int:
        return hash((self.alphabet, frozenset(self._contents().items())))

    def _contents(self) -> dict[object, float]:
        """Count of every observation, told apart by word, verdict and marks."""
        return {(o.word, o.accepted, tuple(self.marks_of(r))): o.count for r, o in enumerate(self)}

    def marks_of(self, r: int) -> list[Mark]:
        """Marks at positions 0 … n of observation r; empty if nothing was seen along any word."""
        if self.marks is None:
            return []
        return [self.mark_table[k] for k in self.marks[self.offsets[r] + r : self.offsets[r + 1] + r + 1]]

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.symbols, self.offsets, self.ends, self.marks, self.mark_table, self.counts
        return Sample._restored, (self.alphabet, *parts)

    @classmethod
    def _restored(cls, *parts: Any) -> Sample:
        sample = cls.__new__(cls)
        sample._fill(*parts)
        return sample

    def describe(self, r: int) -> str:
        """Short name of observation r for messages."""
        observation = self[r]
        seen = {True: "accepted", False: "rejected", None: "no verdict"}[observation.accepted]
        extra = "" if self.marks is None else ", with what was seen along the way"
        return f"{shown(observation.word)} ({seen}{extra})"

    def _repr_html_(self) -> str:
        rows = []
        for seen in (self[r] for r in range(min(len(self), html.MOST_ROWS + 1))):
            along = [f"states {shown(seen.states)}"] * (seen.states is not None)
            along += [f"verdicts {shown(seen.verdicts)}"] * (seen.verdicts is not None)
            verdict = {True: "accepted", False: "rejected", None: ""}[seen.accepted]
            rows.append([shown(seen.word), verdict, f"{seen.count:g}", ", ".join(along)])
        header = ["word", "verdict", "count", "seen along the way"]
        return html.paragraph(repr(self)) + html.table([header, *rows])

    def __repr__(self) -> str:
        symbols = (
            f"alphabet {''.join(map(str, self.alphabet))!r}"
            if self.alphabet.is_text and len(self.alphabet) <= 30
            else counted(len(self.alphabet), "symbol")
        )
        lengths = self.lengths
        seen = [
            f"{self.counts[self.ends == end].sum():g} {name}"
            for end, name in ((1, "accepted"), (2, "rejected"))
            if (self.ends == end).any()
        ]
        if seen and not self.ends.all():
            seen.append(f"{self.counts[self.ends == 0].sum():g} without verdict")
        if self.is_complete:
            seen.append("all states seen")
        elif self.marks is not None:
            seen.append(f"{counted(int(np.count_nonzero(self.marks)), 'mark')} along the way")
        return (
            f"Sample({counted(self.total, 'observation')}, {len(self)} distinct, {symbols}, "
            f"lengths {lengths.min()} to {lengths.max()}: {', '.join(seen) or 'inputs alone'})"
        )


def _single(states: frozenset[State] | None) -> State | set[State]:
    """One state as itself, several as a set, as the constructor takes them."""
    if states is None:
        return None
    return next(iter(states)) if len(states) == 1 else set(states)


def _per_word(name: str, values: Iterable[Any] | None, n_words: int) -> list[Any]:
    """One value per word, None where nothing is given."""
    if values is None:
        return [None] * n_words
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidSample(f"{name} must have one value per word; got {shown(values)}.")
    listed = list(values)
    if len(listed) != n_words:
        raise InvalidSample(
            f"{name} must have one value per word; got {counted(len(listed), 'value')} for {counted(n_words, 'word')}."
        )
    return listed


def _weights(counts: ArrayLike | None, n_words: int) -> NDArray[np.float64]:
    if counts is None:
        return np.ones(n_words)
    try:
        weights = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidSample(f"counts must be numbers, one per word; got {shown(counts)}.") from None
    if weights.shape != (n_words,):
        raise InvalidSample(
            f"counts must have one value per word; got shape {weights.shape} for {counted(n_words, 'word')}."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise InvalidSample(f"counts must be finite and not negative; got {weights[wrong[0]]:g} for word {wrong[0]}.")
    if n_words and weights.max() > LARGEST_TOTAL / n_words:
        raise InvalidSample(f"counts must have a sum of at most {LARGEST_TOTAL:g}; scale them down.")
    wrong = np.flatnonzero((weights > 0.0) & (weights < SMALLEST_COUNT))
    if len(wrong):
        raise InvalidSample(
            f"counts must be 0 or at least {SMALLEST_COUNT:g}; got {weights[wrong[0]]:g} for word {wrong[0]}. "
            "Scale them up."
        )
    return weights


NAMES = ("symbols", "offsets", "ends", "marks", "counts")
"""Arrays of a sample."""


def bare(sample: Sample) -> dict[str, Any]:
    """Arrays of a sample by their names, to be sent to another process."""
    return {name: getattr(sample, name) for name in NAMES}


def clothed(parts: Mapping[str, Any], alphabet: Alphabet, table: tuple[Mark, ...]) -> Sample:
    """Sample of arrays as they are: nothing is merged, no mark renumbered."""
    for part in parts.values():
        if part is not None:
            part.setflags(write=False)
    sample = Sample.__new__(Sample)
    sample.__dict__.update(parts, alphabet=alphabet, mark_table=table)
    return sample


def drawn(sample: Sample, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Arrays of some of the observations."""
    counts = np.zeros(len(sample))
    counts[rows] = sample.counts[rows]
    return picked(sample.symbols, sample.offsets, sample.ends, sample.marks, counts)


def one_after_the_other(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Arrays of samples of one alphabet and one table of marks put together; equal observations are not merged."""
    lengths = np.concatenate([np.diff(part["offsets"]) for part in parts])
    marks = None
    if any(part["marks"] is not None for part in parts):
        marks = np.concatenate([_marks(part) for part in parts])
    together = {name: np.concatenate([part[name] for part in parts]) for name in ("symbols", "ends", "counts")}
    return together | {"offsets": np.concatenate(([0], np.cumsum(lengths))), "marks": marks}


def _marks(part: Mapping[str, Any]) -> NDArray[np.int32]:
    found: NDArray[np.int32] | None = part["marks"]
    return np.zeros(len(part["symbols"]) + len(part["ends"]), dtype=np.int32) if found is None else found


Spelled = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32] | None]


class CodedSample(Sample):
    """Distinct observations as they stand in a shard; learning needs ``coded``, ``ends`` and ``counts`` alone."""

    coded: CodedWords

    def __init__(
        self,
        coded: CodedWords,
        ends: NDArray[np.int32],
        counts: NDArray[np.float64],
        alphabet: Alphabet,
        table: tuple[Mark, ...],
    ) -> None:
        self.__dict__.update(coded=coded, ends=ends, counts=counts, alphabet=alphabet, mark_table=table)

    def __reduce__(self) -> tuple[Any, ...]:
        return CodedSample, (self.coded, self.ends, self.counts, self.alphabet, self.mark_table)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each distinct observation."""
        return self.coded.lengths.astype(np.int64)

    def spelled(self) -> Sample:
        """The same observations with their words spelled out, which this sample does not keep."""
        symbols, offsets, marks = self.coded.spelled()
        parts = {"symbols": symbols, "offsets": offsets, "ends": self.ends, "marks": marks, "counts": self.counts}
        return clothed(parts, self.alphabet, self.mark_table)

    @cached_property
    def _spelled(self) -> Spelled:
        words = self.spelled()
        return words.symbols, words.offsets, words.marks

    @property
    def symbols(self) -> NDArray[np.int32]:  # type: ignore[override]
        """Codes of all words, one after the other."""
        return self._spelled[0]

    @property
    def offsets(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Where each word begins."""
        return self._spelled[1]

    @property
    def marks(self) -> NDArray[np.int32] | None:  # type: ignore[override]
        """Marks at all positions."""
        return None if self.coded.marks is None else self._spelled[2]

    @cached_property
    def tree(self) -> object:
        """Prefix tree of the observations, as the kernels want it; made once."""
        return kernels().coded_tree(self.coded, len(self.alphabet), whole=True)

    @property
    def passing_tree(self) -> object:
        """Prefix tree that takes no memory: its blocks are made whenever the kernels go through them."""
        return kernels().coded_tree(self.coded, len(self.alphabet), whole=False)
