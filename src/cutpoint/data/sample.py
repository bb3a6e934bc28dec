"""Sample: distinct observations with their counts, and what was seen of each run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data import html
from cutpoint.data.alphabet import (
    HASHABLE,
    Alphabet,
    PlainWord,
    Symbol,
    Tokens,
    Words,
    each_word,
    is_collection,
    is_hashable,
    is_missing,
)
from cutpoint.data.marks import FIRST_MARKS, Mark, State, Verdict, end_codes, joined_ends, position_marks
from cutpoint.errors import InvalidArgument, InvalidSample, TooLarge
from cutpoint.exact import check_choice, check_unmasked, floats, whole_number
from cutpoint.kernels.words import EncodedWords, FrontCodedWords, offsets_of, ranges
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from cutpoint.data.events import Attributes, Gaps


def _by_position(alphabet: Alphabet) -> Alphabet:
    """The alphabet for words with verdicts or states along them, which have one for each position: none is skipped."""
    return Alphabet(alphabet, "error") if alphabet.on_unknown == "skip" else alphabet


LARGEST_TOTAL = 1e300  # largest sum of counts, so that no sum of expected counts overflows
SMALLEST_COUNT = 1e-300  # smallest count, so that none loses its digits: floats near 0 have fewer

MOST_PREFIX_SYMBOLS = 500_000_000  # most symbols of all prefixes together: two gigabytes
MOST_EQUAL_CASES = 20  # most parts in which equal cases without ids are shared out among folds

NO_OBSERVATION = "a sample must hold at least one observation with a positive count; got none."


@dataclass(frozen=True)
class Observation:
    """One observation of a sample; ``verdicts`` and ``states`` have n + 1 entries, or are None if nothing was seen."""

    word: PlainWord
    accepted: Verdict
    verdicts: tuple[Verdict, ...] | None
    states: tuple[State | set[State], ...] | None
    count: float


class CaseIds(NamedTuple):
    """Ids of the rows that a sample was made of, the observation that each row has become, and its count.

    Equal observations are merged, so several rows may share one; its count is the sum of theirs. ``groups`` numbers the
    groups of rows that folds never split; None where folds share out single observations.
    """

    ids: tuple[Hashable, ...]
    observations: NDArray[np.int64]
    counts: NDArray[np.float64]
    groups: NDArray[np.int64] | None = None

    def take(self, rows: NDArray[np.int64]) -> CaseIds:
        """Some of the rows, also several times."""
        groups = None if self.groups is None else self.groups[rows]
        return CaseIds(tuple([self.ids[r] for r in rows.tolist()]), self.observations[rows], self.counts[rows], groups)

    def moved(self, places: NDArray[np.int64]) -> CaseIds:
        """The same after observations have got other numbers, or -1 where they were left out."""
        found = self._replace(observations=places[self.observations])
        kept = found.observations >= 0
        return found if kept.all() else found.take(np.flatnonzero(kept))

    @classmethod
    def concatenate(cls, samples: Sequence[Sample]) -> CaseIds | None:
        """Cases of samples one after the other; None unless all have them."""
        known = [sample.cases for sample in samples if sample.cases is not None]
        if len(known) < len(samples):
            return None
        starts = accumulate(map(len, samples), initial=0)
        places = [each.observations + start for each, start in zip(known, starts, strict=False)]
        counts = np.concatenate([each.counts for each in known])
        numbers = [np.unique(each.groups, return_inverse=True)[1] for each in known if each.groups is not None]
        groups = None
        if len(numbers) == len(known):
            first = accumulate((int(each.max()) + 1 for each in numbers), initial=0)
            groups = np.concatenate([each + start for each, start in zip(numbers, first, strict=False)])
        return cls(tuple(chain.from_iterable(each.ids for each in known)), np.concatenate(places), counts, groups)


class SeenPositions(NamedTuple):
    """Positions of a sample at which something was seen, observation by observation.

    Attributes
    ----------
    observations, positions : number of the distinct observation, and of the symbols read.
    verdicts : 1 accepted, 2 rejected, 0 where only a state was seen.
    weights : count of the observation.
    """

    observations: NDArray[np.int64]
    positions: NDArray[np.int64]
    verdicts: NDArray[np.int32]
    weights: NDArray[np.float64]

    def take(self, rows: NDArray[Any]) -> SeenPositions:
        """Some of the positions."""
        return SeenPositions(*(column[rows] for column in self))

    def last_verdicts(self) -> NDArray[np.int64]:
        """Where the last verdict of each observation that has any stands among the positions."""
        rows = np.flatnonzero(self.verdicts)
        return np.asarray(rows[np.diff(self.observations[rows], append=-1) != 0])

    @property
    def share_accepted(self) -> float | None:
        """Share of the verdicts that are "accepted"; None without verdicts."""
        total = self.weights[self.verdicts > 0].sum()
        return float(self.weights[self.verdicts == 1].sum() / total) if total > 0.0 else None


class Sample:
    """Words with what was seen of their runs; equal observations are merged and their counts added.

    Results per observation are per *distinct* observation, in the order of ``words``. With ``ids``, ``per_case`` gives
    them for each of your own rows.

    Parameters
    ----------
    words : words of any length, the empty word included.
    accepted : per word True (accepted), False (rejected) or None (not known).
    verdicts : per word n + 1 values True, False or None: was the run in a final state before the first symbol and
        after each one? Or None for a word of which nothing is known.
    states : per word n + 1 states of the run, or None where a state was not seen. A ``set`` means "one of these".
    counts : how often each observation was seen; any non-negative weight. Observations of weight 0 are left out.
    alphabet : the symbols; by default those that occur, sorted.
    ids : name of each word, such as the number of its case. They have no part in equality of samples.

    Attributes
    ----------
    encoded : words and what was seen of their runs as codes, ragged or front-coded: ``symbols``, ``offsets``, ``ends``
        and ``marks`` are read from it.
    mark_table : what the codes in ``ends`` and ``marks`` mean.
    counts : weights of the distinct observations.
    cases : the ids, and the observation of each; None without ids, or if they are not known any more, as after
        ``reweighted``.

    Examples
    --------
    >>> sample = Sample(["ab", "b", "ab"], accepted=[True, False, True])
    >>> sample
    Sample(3 observations, 2 distinct, alphabet 'ab', lengths 1 to 2: 2 accepted, 1 rejected)
    >>> sample.words, sample.accepted, sample.counts.tolist()
    (('ab', 'b'), (True, False), [2.0, 1.0])
    """

    encoded: EncodedWords | FrontCodedWords
    counts: NDArray[np.float64]
    alphabet: Alphabet
    mark_table: tuple[Mark, ...]
    cases: CaseIds | None

    def __init__(
        self,
        words: Words,
        accepted: Iterable[Verdict] | None = None,
        verdicts: Iterable[Iterable[Verdict] | None] | None = None,
        states: Iterable[Iterable[State | set[State]] | None] | None = None,
        counts: ArrayLike | None = None,
        alphabet: Iterable[Symbol] | None = None,
        ids: Iterable[Hashable] | None = None,
    ) -> None:
        listed = words if isinstance(words, Tokens) else list(each_word(words))
        weights = _weights(counts, len(listed))
        sigma = Alphabet.of(listed) if alphabet is None else Alphabet(alphabet)
        encoded = (sigma if verdicts is None and states is None else _by_position(sigma)).encode(listed)
        ends = end_codes(_per_word("accepted", accepted, len(listed)))
        table = list(FIRST_MARKS)
        marks = None
        if verdicts is not None or states is not None:
            seen = _per_word("verdicts", verdicts, len(listed)), _per_word("states", states, len(listed))
            marks = position_marks(*seen, encoded.lengths, table)
            ends = joined_ends(ends, marks, encoded.offsets, table)
        seen_words = replace(encoded, ends=ends, marks=marks)
        rows = np.arange(len(listed))
        cases = None if ids is None else CaseIds(tuple(_per_word("ids", ids, len(listed))), rows, weights)
        for name in () if cases is None else cases.ids:
            if not is_hashable(name):
                raise InvalidSample(f"ids must be {HASHABLE}; got {shown(name)}.")
        made = Sample.from_encoded(seen_words, weights, sigma, tuple(table), merge=True, cases=cases)
        self.__dict__.update(vars(made))

    @classmethod
    def from_encoded(
        cls,
        encoded: EncodedWords | FrontCodedWords,
        counts: NDArray[np.float64],
        alphabet: Alphabet,
        mark_table: tuple[Mark, ...] = FIRST_MARKS,
        *,
        merge: bool = False,
        cases: CaseIds | None = None,
    ) -> Sample:
        """Sample of encoded words and their counts.

        By default they must be distinct and have positive counts, and are taken as they are. With ``merge`` equal
        observations become one, those of count 0 are left out, and so are marks of the table that do not occur.
        """
        if merge:
            encoded, counts, mark_table, places = _merged(encoded.decoded(), counts, mark_table)
            cases = cases and cases.moved(places)
        counts = np.require(counts, requirements="A")
        counts.setflags(write=False)
        sample = cls.__new__(cls)
        sample.__dict__.update(encoded=encoded, counts=counts, mark_table=mark_table, alphabet=alphabet, cases=cases)
        return sample

    def __setattr__(self, name: str, *_: object) -> None:
        raise AttributeError(f"a Sample is immutable: cannot change {name!r}. Make a new Sample.")

    __delattr__ = __setattr__

    def __len__(self) -> int:
        """Count the distinct observations."""
        return len(self.encoded)

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
        word = self.alphabet.decode(self.decoded.word(r))
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
    def ids(self) -> tuple[Hashable, ...] | None:
        """Ids of the rows that the sample was made of, in their order; None if it has none."""
        return None if self.cases is None else self.cases.ids

    def per_case(self, values: ArrayLike) -> NDArray[Any]:
        """One value for each of the ``ids``, given one for each distinct observation, such as its acceptance.

        Examples
        --------
        >>> sample = Sample(["01", "1", "01"], ids=["ann", "bob", "cleo"])
        >>> dict(zip(sample.ids, sample.per_case(cp.p_adic(2).acceptances(sample.words)).tolist()))
        {'ann': 0.5, 'bob': 0.5, 'cleo': 0.5}
        """
        check_unmasked("values", values, InvalidSample)
        found = np.asarray(values if is_collection(values) else None)
        if found.shape[:1] != (len(self),):
            what = f"there must be one value for each of the {counted(len(self), 'distinct observation')}"
            raise InvalidSample(f"{what}; got shape {found.shape}.")
        return np.asarray(found[self.known_cases.observations])

    def of_cases(self, rows: ArrayLike) -> Sample:
        """Observations of some of the ``ids``, given by their indices or as a mask, with the counts of these alone.

        Examples
        --------
        >>> sample = Sample(["01", "1", "01"], ids=["ann", "bob", "cleo"])
        >>> sample.of_cases([0, 1]).counts.tolist()
        [1.0, 1.0]
        """
        check_unmasked("rows", rows, InvalidSample)
        cases = self.known_cases
        part = cases.take(np.arange(len(cases.ids))[np.asarray(rows)])
        counts = np.bincount(part.observations, part.counts, minlength=len(self)).astype(np.float64)
        return self._with_counts(counts, part.moved(np.cumsum(counts > 0.0) - 1))

    def grouped(self, groups: Iterable[Hashable]) -> Sample:
        """The same sample, of whose folds none splits a group: all words of a person, a shop or a day stay together.

        There must be a group for each of the ``ids``, in their order; for each distinct observation of a sample that
        has none. This is what ``groups=`` of :func:`learn` and others does.

        Examples
        --------
        >>> sample = Sample(["01", "1", "01"], ids=[1, 2, 3]).grouped(["ann", "bob", "ann"])
        >>> sample.cases.groups.tolist()
        [0, 1, 0]
        """
        cases = self.cases or CaseIds(tuple(range(len(self))), np.arange(len(self)), self.counts)
        names = list(groups) if is_collection(groups) and not isinstance(groups, str) else []
        if len(names) != len(cases.ids):
            each, advice = "id of the sample", ""
            if self.cases is None:
                each, advice = "distinct observation", "Name your rows with ids= of Sample, then there is one for each."
            found = counted(len(names), "value") if names else shown(groups)
            what = f"must have one value for each {each}, of which there are {len(cases.ids):,}; got {found}."
            raise InvalidSample(what, argument="groups", advice=advice)
        numbers: dict[Hashable, int] = {}
        for r, name in enumerate(names):
            if is_missing(name) or not is_hashable(name):
                raise InvalidSample(f"must be names or numbers; got {shown(name)} for row {r}.", argument="groups")
            numbers.setdefault(name, len(numbers))
        codes = np.array([numbers[name] for name in names])
        return self._with_cases(cases._replace(groups=codes))

    def _with_cases(self, cases: CaseIds) -> Sample:
        return Sample.from_encoded(self.encoded, self.counts, self.alphabet, self.mark_table, cases=cases)

    def prefixes(self, weight: Literal["case", "prefix"] = "case") -> Sample:
        """Every prefix of every case as a word with the eventual outcome, to learn a model that predicts along the way.

        A case of n events has n + 1 prefixes: the empty one, and itself. They stay together: no fold splits a case.
        The ids are those of the cases (without ids, the number of the distinct observation), once for each prefix.

        Parameters
        ----------
        weight : ``"case"``: all prefixes of a case together count as much as the case: for a figure in which every case
            has the same say. ``"prefix"``: each of them does, to learn from. Where short cases end otherwise than long
            ones, only this gives each prefix the mean outcome of all cases that begin with it.

        Notes
        -----
        What is learned from them answers, after any number of events, how probable it is that the case will be
        accepted in the end. Learning costs little more than from whole words, since prefixes of a case share a path of
        the prefix tree; the words themselves take memory for n (n + 1) / 2 symbols.

        Examples
        --------
        >>> cases = Sample(["ab", "b"], accepted=[True, False], ids=["ann", "bob"]).prefixes()
        >>> for seen in cases:
        ...     print(repr(seen.word), seen.accepted, round(seen.count, 3))
        '' True 0.333
        'a' True 0.333
        'ab' True 0.333
        '' False 0.5
        'b' False 0.5
        >>> cases.ids
        ('ann', 'ann', 'ann', 'bob', 'bob')
        """
        check_choice("weight", weight, "case", "prefix")
        if self.marks is not None:
            raise InvalidSample(
                "prefixes are of cases with an outcome in the end, and this sample has verdicts or states along its "
                "words. Learn from these as they are: verdict_probabilities predicts along the way."
            )
        numbers = self.lengths + 1
        if (total := float((self.lengths * numbers / 2).sum())) > MOST_PREFIX_SYMBOLS:
            what = (
                f"the prefixes of these words have {total:,.0f} symbols in all; the limit is {MOST_PREFIX_SYMBOLS:,}."
            )
            raise TooLarge(what, advice="Take fewer cases, or shorter ones.")
        starts, rows = offsets_of(numbers), np.repeat(np.arange(len(self)), numbers)
        lengths = np.arange(starts[-1]) - starts[rows]
        words = EncodedWords(self.symbols[ranges(self.offsets[rows], lengths)], offsets_of(lengths), self.ends[rows])
        shares = 1.0 / numbers if weight == "case" else np.ones(len(self))
        cases = self.cases or self._equal_cases()
        each = numbers[cases.observations]
        groups = np.arange(len(each)) if cases.groups is None else cases.groups
        counts = cases.counts * shares[cases.observations]
        repeated = cases._replace(counts=counts, groups=groups).take(np.repeat(np.arange(len(each)), each))
        repeated = repeated._replace(observations=ranges(starts[cases.observations], each))
        return Sample.from_encoded(words, (self.counts * shares)[rows], self.alphabet, merge=True, cases=repeated)

    def _equal_cases(self) -> CaseIds:
        """Cases of a sample without ids: as many as an observation's count says, at most so many."""
        parts = np.clip(np.ceil(self.counts), 1, MOST_EQUAL_CASES).astype(np.int64)
        rows = np.repeat(np.arange(len(self)), parts)
        return CaseIds(tuple(rows.tolist()), rows, (self.counts / parts)[rows])

    @property
    def known_cases(self) -> CaseIds:
        """The cases; a sample without them is refused."""
        if self.cases is None:
            raise InvalidSample("the sample has no ids.", advice="Name them with {ids}, or their column with {id}.")
        return self.cases

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

    @cached_property
    def decoded(self) -> EncodedWords:
        """The encoded words as ragged arrays."""
        return self.encoded.decoded()

    @property
    def symbols(self) -> NDArray[np.int32]:
        """Codes of all words; word r is ``symbols[offsets[r]:offsets[r + 1]]``."""
        return self.decoded.symbols

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each word begins; the last entry is the end."""
        return self.decoded.offsets

    @property
    def ends(self) -> NDArray[np.int32]:
        """Per observation 0 (no verdict on the word), 1 (accepted) or 2 (rejected), an index into ``mark_table``."""
        return self.encoded.ends

    @property
    def marks(self) -> NDArray[np.int32] | None:
        """Index into ``mark_table`` for positions 0 … n of each word, or None if nothing was seen along the way."""
        return None if self.encoded.marks is None else self.decoded.marks

    @property
    def total(self) -> float:
        """Sum of the counts: the N of the paper."""
        return float(self.counts.sum())

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each distinct observation."""
        return self.encoded.lengths.astype(np.int64)

    @property
    def has_evidence(self) -> bool:
        """Whether anything at all was seen of any run; inputs alone carry no information about transitions."""
        return bool(self.ends.any()) or self.encoded.marks is not None

    @property
    def seen(self) -> SeenPositions:
        """Positions at which something was seen: those that can be judged."""
        if self.marks is None:
            rows = np.flatnonzero(self.ends)
            return SeenPositions(rows, self.lengths[rows], self.ends[rows], self.counts[rows])
        of_mark = end_codes([mark.verdict for mark in self.mark_table])
        last = self.decoded.positions[1:] - 1
        verdicts, is_seen = of_mark[self.marks], self.marks > 0
        verdicts[last] = np.where(self.ends > 0, self.ends, verdicts[last])
        is_seen[last] |= self.ends > 0
        places = np.flatnonzero(is_seen)
        rows = np.repeat(np.arange(len(self)), self.lengths + 1)[places]
        return SeenPositions(rows, places - self.decoded.positions[rows], verdicts[places], self.counts[rows])

    @cached_property
    def judged(self) -> float:
        """Number of positions at which something was seen, with their counts: what a log loss is the mean over."""
        return float(self.seen.weights.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of memory, the prefix tree of the words included."""
        ragged = 0 if self.__dict__.get("decoded", self.encoded) is self.encoded else self.decoded.nbytes
        return self.encoded.nbytes + self.counts.nbytes + ragged

    def recoded(self, alphabet: Alphabet) -> Sample:
        """The same sample over another alphabet; what becomes of symbols that it does not have is up to it."""
        if self.alphabet == alphabet:
            same_rule = self.alphabet.on_unknown == alphabet.on_unknown
            parts = (self.encoded, self.counts, alphabet, self.mark_table)
            return self if same_rule else Sample.from_encoded(*parts, cases=self.cases)
        parts = (self.encoded_in(alphabet), self.counts, alphabet, self.mark_table)
        return Sample.from_encoded(*parts, merge=True, cases=self.cases)

    def encoded_in(self, alphabet: Alphabet) -> EncodedWords:
        """Codes of the distinct observations in another alphabet, one by one, also where they become equal."""
        if self.alphabet == alphabet:
            return self.decoded
        rule = alphabet if self.marks is None else _by_position(alphabet)
        table = np.array([alphabet.code(s) if s in alphabet else -1 for s in self.alphabet], dtype=np.int32)
        codes = table[self.symbols]
        for place in np.flatnonzero(codes < 0) if rule.on_unknown == "error" else ():
            r = int(np.searchsorted(self.offsets, place, side="right")) - 1
            where = f"observation {self.describe(r)}, position {place - self.offsets[r]}: "
            alphabet.code(self.alphabet[self.symbols[place]], where)
        return replace(rule.settled(codes, self.offsets), ends=self.ends, marks=self.marks)

    def reversed(self) -> Sample:
        """The same sample with each word read from its last symbol to its first; outcomes stay.

        What was seen within words would not be what was seen of the reversed ones, and is refused.

        Examples
        --------
        >>> Sample(["abb", "a"], accepted=[True, False]).reversed().words
        ('bba', 'a')
        """
        within = np.delete(self.marks, self.decoded.positions[1:] - 1).any() if self.marks is not None else False
        if within:
            raise InvalidArgument("a sample can be reversed if outcomes were seen at the ends of its words alone.")
        parts = (self.decoded.reversed(), self.counts, self.alphabet, self.mark_table)
        return Sample.from_encoded(*parts, cases=self.cases)

    def with_rare(self, min_count: int = 2) -> Sample:
        """The same sample with symbols of fewer than ``min_count`` occurrences read as one rare symbol.

        The rare symbol is ``"<rare>"``, or the character U+FFFD where all symbols are single characters; it comes last
        in the alphabet. What is learned from the sample reads every symbol that it does not know as the rare one
        (``unknown="rare"``). If no symbol is rare there is nothing to learn about unknown ones: they are skipped.
        Counts of observations count as repetitions.

        Examples
        --------
        >>> sample = Sample(["abab", "axb", "ayb"], accepted=[True, False, False]).with_rare(2)
        >>> sample.alphabet, sample.words
        (Alphabet('ab�', unknown='rare'), ('abab', 'a�b'))
        >>> sample.alphabet.encode_word("azb").tolist()
        [0, 2, 1]
        """
        least = whole_number("min_count", min_count, least=1)
        seen = np.bincount(self.symbols, np.repeat(self.counts, self.lengths), minlength=len(self.alphabet))
        rare = self.alphabet.rare
        kept = [symbol for symbol, times in zip(self.alphabet, seen, strict=True) if times >= least and symbol != rare]
        has_rare = seen.sum() > sum(seen[self.alphabet.code(symbol)] for symbol in kept)
        return self.recoded(Alphabet([*kept, rare], "rare") if has_rare else Alphabet(kept, "skip"))

    def reweighted(self, counts: NDArray[np.float64]) -> Sample:
        """The same observations with other counts; those of count 0 are left out, and so are the ids."""
        return self._with_counts(np.asarray(counts, dtype=np.float64))

    def _with_counts(self, counts: NDArray[np.float64], cases: CaseIds | None = None) -> Sample:
        """The same observations with other counts, those of count 0 left out, and the cases that they then have."""
        rows = np.flatnonzero(counts > 0.0)
        if not len(rows):
            raise InvalidSample(NO_OBSERVATION)
        words = _unmarked(self.encoded.decoded().take(rows))
        return Sample.from_encoded(words, counts[rows], self.alphabet, self.mark_table, cases=cases)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Some of the observations, in the order given."""
        words, places = self.encoded.decoded().take(rows), np.full(len(self), -1)
        places[rows] = np.arange(len(rows))
        cases = self.cases and self.cases.moved(places)
        return Sample.from_encoded(words, self.counts[rows], self.alphabet, self.mark_table, cases=cases)

    @property
    def is_complete(self) -> bool:
        """Whether every state of every run was seen: the complete data of the paper."""
        single = [mark.states is not None and len(mark.states) == 1 for mark in self.mark_table]
        return self.marks is not None and bool(np.array(single)[self.marks].all())

    def __add__(self, other: Sample) -> Sample:
        """Return both samples as one; symbols of the second that the first does not have come after its own."""
        if not isinstance(other, Sample):
            return NotImplemented
        return Sample.concatenate([self, other], dict.fromkeys((*self.alphabet, *other.alphabet)))

    @classmethod
    def concatenate(cls, samples: Sequence[Sample], alphabet: Iterable[Symbol] | None = None) -> Sample:
        """Several samples as one, over an alphabet that has all their symbols (by default those, sorted)."""
        given, samples = samples, list(samples) if is_collection(samples) else []
        if not samples or not all(isinstance(sample, Sample) for sample in samples):
            raise InvalidArgument(f"must be a list of one or more Samples; got {shown(given)}.", argument="samples")
        sigma = Alphabet.of(sample.alphabet for sample in samples) if alphabet is None else Alphabet(alphabet)
        parts = []
        numbers = {mark: number for number, mark in enumerate(FIRST_MARKS)}
        for sample in samples:
            symbols = [sigma.code(symbol) for symbol in sample.alphabet]
            marks = [numbers.setdefault(mark, len(numbers)) for mark in sample.mark_table if sample.marks is not None]
            parts.append(sample.decoded.recode(*(np.array(table, dtype=np.int32) for table in (symbols, marks))))
        counts = _weights(np.concatenate([sample.counts for sample in samples]), sum(map(len, samples)))
        words, cases = EncodedWords.concatenate(parts), CaseIds.concatenate(samples)
        return cls.from_encoded(words, counts, sigma, tuple(numbers), merge=True, cases=cases)

    @classmethod
    def from_frame(
        cls,
        df: Any,
        word: str | None = None,
        accepted: str | None = None,
        weight: str | None = None,
        *,
        verdicts: str | None = None,
        states: str | None = None,
        id: str | None = None,
        separator: str | None = None,
        positive: object = None,
        alphabet: Iterable[Symbol] | None = None,
    ) -> Sample:
        """Sample of a pandas, polars or Arrow table with one word per row; the arguments name its columns.

        Columns that are not named are found by well-known names, as in files. Words are lists, or texts: of characters,
        or of symbols with a ``separator`` between them. Outcomes are bool, 0 and 1, texts such as yes and no, or
        ``positive`` names the accepted value; a missing one is not known.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"path": ["look buy", "look"], "sold": ["yes", "no"]})
        >>> Sample.from_frame(df, "path", "sold", separator=" ").words
        (('look', 'buy'), ('look',))
        """
        from cutpoint.data.columns import frame_columns, word_arguments  # noqa: PLC0415

        given = {"word": word, "accepted": accepted, "weight": weight, "verdicts": verdicts, "states": states, "id": id}
        found = word_arguments(frame_columns(df, given, has_events=False), separator, positive, are_all=True)
        return cls(**found, alphabet=alphabet)

    @classmethod
    def from_events(
        cls,
        df: Any,
        *,
        id: str | None = None,
        event: str | None = None,
        order: str | None = None,
        outcome: str | None = None,
        verdict: str | None = None,
        weight: str | None = None,
        gaps: Gaps | None = None,
        attributes: Attributes | None = None,
        positive: object = None,
        alphabet: Iterable[Symbol] | None = None,
    ) -> Sample:
        """Sample of a pandas, polars or Arrow table with one event per row: one word per case, whose ids it keeps.

        Columns that are not named are found by well-known names, as in files. Events of a case (rows with the same
        ``id``) are sorted by ``order``; those of equal order, or all without it, stay as they are. The rows of a case
        must agree on ``outcome`` and ``weight``; ``verdict`` is the outcome so far, after each event. A row without an
        event, the only one of its case, is the empty word. Outcomes are read as in ``from_frame``.

        ``attributes`` are columns that say something of the case from the beginning; their values become its first
        symbols, such as ``goal=car``. A mapping gives the edges by which numbers are binned, such as
        ``{"goal": None, "amount": [1000, 5000]}`` for ``amount<1000``, ``amount>=1000`` and ``amount>=5000``. ``gaps``
        are edges of waiting times, such as ``["1h", "1d"]`` (units s, min, h, d, w), or numbers if ``order`` has
        numbers: before an event that comes so much later than the one before it there is a symbol such as ``wait>=1d``.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"who": [7, 7, 8], "day": [2, 1, 1], "what": ["buy", "look", "look"], "sold": [1, 1, 0]})
        >>> Sample.from_events(df, id="who", order="day", event="what", outcome="sold").words
        (('look', 'buy'), ('look',))
        """
        from cutpoint.data.columns import frame_columns  # noqa: PLC0415
        from cutpoint.data.events import Attribute, event_words  # noqa: PLC0415

        given = {"id": id, "event": event, "order": order, "outcome": outcome, "verdict": verdict, "weight": weight}
        known = Attribute.each(attributes)
        columns = frame_columns(df, given, has_events=True, extra={role: each.column for role, each in known.items()})
        found = event_words(columns, positive, gaps, known)
        return cls(**found.arguments, alphabet=alphabet, ids=found.ids)

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
        values = (self.encoded, self.counts, self.alphabet, self.mark_table)
        return Sample.from_encoded, values, {"cases": self.cases}

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
        symbols = counted(len(self.alphabet), "symbol")
        if self.alphabet.is_text and len(self.alphabet) <= 30:
            symbols = f"alphabet {''.join(map(str, self.alphabet))!r}"
        lengths, seen = self.lengths, []
        if self.ends.any():
            for end, name in ((1, "accepted"), (2, "rejected"), (0, "without verdict")):
                if (self.ends == end).any():
                    seen.append(f"{self.counts[self.ends == end].sum():g} {name}")
        if self.is_complete:
            seen.append("all states seen")
        elif self.marks is not None:
            seen.append(f"{counted(int(np.count_nonzero(self.marks)), 'mark')} along the way")
        return (
            f"Sample({counted(self.total, 'observation')}, {len(self)} distinct, {symbols}, "
            f"lengths {lengths.min()} to {lengths.max()}: {', '.join(seen) or 'inputs alone'})"
        )


def _merged(
    encoded: EncodedWords, weights: NDArray[np.float64], table: tuple[Mark, ...]
) -> tuple[EncodedWords, NDArray[np.float64], tuple[Mark, ...], NDArray[np.int64]]:
    """Equal observations merged, in the order in which they first appear; marks that occur, and their table.

    Also the place where each observation has gone, -1 for those of count 0.
    """
    places = np.where(weights > 0.0, 0, -1)
    used = np.flatnonzero(weights)
    if len(used) < len(weights):
        encoded, weights = encoded.take(used), weights[used]
    if not len(encoded):
        raise InvalidSample(NO_OBSERVATION)
    first = encoded.first_equal()
    rows = np.flatnonzero(first == np.arange(len(first)))
    places[used] = np.searchsorted(rows, first)
    encoded, counts = _unmarked(encoded.take(rows)), np.bincount(first, weights)[rows].astype(np.float64)
    if encoded.marks is None:
        return encoded, counts, FIRST_MARKS, places
    known = np.union1d(np.arange(len(FIRST_MARKS)), encoded.marks)
    numbers = np.zeros(len(table), dtype=np.int32)
    numbers[known] = np.arange(len(known))
    return encoded.recode(marks=numbers), counts, tuple(table[k] for k in known), places


def _unmarked(words: EncodedWords) -> EncodedWords:
    """Words without their marks along the way, if all of these say that nothing was seen."""
    return words if words.marks is None or words.marks.any() else replace(words, marks=None)


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
    check_unmasked(name, values, InvalidSample)
    listed = list(values)
    if len(listed) != n_words:
        found = f"{counted(len(listed), 'value')} for {counted(n_words, 'word')}"
        raise InvalidSample(f"{name} must have one value per word; got {found}.")
    return listed


def _weights(counts: ArrayLike | None, n_words: int) -> NDArray[np.float64]:
    if counts is None:
        return np.ones(n_words)
    weights = floats("counts", counts, "must be numbers, one per word", InvalidSample)
    if weights.shape != (n_words,):
        found = f"shape {weights.shape} for {counted(n_words, 'word')}"
        raise InvalidSample(f"counts must have one value per word; got {found}.")
    for what, are_wrong in (
        ("finite and not negative", ~(np.isfinite(weights) & (weights >= 0.0))),
        (f"0 or at least {SMALLEST_COUNT:g}", (weights > 0.0) & (weights < SMALLEST_COUNT)),
    ):
        for r in np.flatnonzero(are_wrong):
            raise InvalidSample(f"counts must be {what}; got {weights[r]:g} for word {r}.")
    if n_words and weights.max() > LARGEST_TOTAL / n_words:
        raise InvalidSample(f"counts must have a sum of at most {LARGEST_TOTAL:g}; scale them down.")
    return weights
