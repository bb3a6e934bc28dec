"""Many cases that are still going on, each known by an id: one row of numbers per case."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Symbol
from cutpoint.data.alphabet import HASHABLE, is_collection, is_hashable
from cutpoint.data.array_files import Arrays, Expected, packed, unpacked
from cutpoint.data.storage import content_of, path_of, write_whole
from cutpoint.errors import InvalidArgument, InvalidFile
from cutpoint.exact import all_compared, cut_point_value
from cutpoint.kernels import kernels
from cutpoint.kernels.reference import dot, step
from cutpoint.kernels.words import Floats, Masks
from cutpoint.model import Acceptor
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.digests import digest_of
from cutpoint.model.parts import ROW_TOLERANCE
from cutpoint.model.text import cut_point_text
from cutpoint.wording import counted, shown

MAGIC = b"cutpoint runs 2\n"
KEPT = 32  # first symbols of a case that are kept, to decide by rational numbers: ties are common in short words
FIRST_ROOM = 64  # cases that there is room for at first
MOST_EVENTS = 2**60  # of a case in a file
MOST_TURNS = 8  # events of a case in a batch up to which it is read together with others
UNKNOWN = -1  # a verdict so close to the cut point that floats cannot tell
IMPOSSIBLE = 1e-250  # what has at most this probability cannot be told from what has none

Slots = NDArray[np.int64]
Verdicts = NDArray[np.int8]
FRACTION = re.compile(rb"(?:([0-9]{1,4300})(?:/([0-9]{1,4300}))?)?")
Ids = msgspec.json.Decoder(list[str | int])


class CaseState(NamedTuple):
    """Where a case stands.

    Attributes
    ----------
    events : how many there were, also those whose symbols are unknown and left out.
    acceptance : probability that the word read so far is accepted, given what was seen on the way; of an event that was
        just read, before what was seen with it.
    accepted : whether it lies above the cut point; None without a cut point, or where floats cannot tell.
    crossed : whether the last symbol brought it to the other side of the cut point.
    impossible : whether what was seen with the last symbol has probability 0: it is left out.
    """

    events: int
    acceptance: float
    accepted: bool | None
    crossed: bool = False
    impossible: bool = False


@dataclass(frozen=True)
class CaseUpdates:
    """Where cases stood after each event of a batch, as columns; ``updates[i]`` is a :class:`CaseState`.

    Attributes
    ----------
    accepted : 1, 0, or -1 where it is not known.
    """

    events: NDArray[np.int64]
    acceptances: Floats
    accepted: Verdicts
    crossed: NDArray[np.bool_]
    impossible: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.events)

    def __getitem__(self, i: int) -> CaseState:
        """Where the case of event i stood after it."""
        columns = self.events, self.acceptances, self.accepted, self.crossed, self.impossible
        events, acceptance, accepted, *others = (column[i].item() for column in columns)
        return CaseState(events, acceptance, None if accepted == UNKNOWN else bool(accepted), *others)


class _ByCase:
    """Events of a batch, case by case: ``order`` has the events of each case in their order.

    Attributes
    ----------
    slots : place of each event's case in the table.
    starts, ends : where each case begins and ends in ``order``.
    rank : how many events of its case come before each event.
    """

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.order = np.argsort(slots, kind="stable")
        ordered = slots[self.order]
        self._is_first = np.ones(len(slots), dtype=np.bool_)
        self._is_first[1:] = ordered[1:] != ordered[:-1]
        self.starts, self.ends = np.flatnonzero(self._is_first), np.flatnonzero(np.roll(self._is_first, -1))
        self.rank = np.empty(len(slots), dtype=np.int64)
        self.rank[self.order] = np.arange(len(slots)) - np.repeat(self.starts, self.ends - self.starts + 1)

    def seen_before(self, seen: Masks, stored: Masks) -> Masks:
        """Whether something was seen of each event's case before the event, in the order of the batch."""
        before: Slots = np.cumsum(seen[self.order]) - seen[self.order]
        before -= np.repeat(before[self.starts], self.ends - self.starts + 1)
        found = stored[self.slots]
        found[self.order] |= before > 0
        return found

    def known_verdicts(self, accepted: Verdicts, stored: Verdicts) -> tuple[Verdicts, Verdicts]:
        """Verdicts after the events and before them, in ``order``; an unknown one is as it was before the event."""
        after, before = accepted[self.order], np.empty(len(accepted), dtype=np.int8)
        before[self.starts] = stored[self.slots[self.order[self.starts]]]
        for i in np.flatnonzero(after == UNKNOWN):
            after[i] = before[i] if self._is_first[i] else after[i - 1]
        later = np.flatnonzero(~self._is_first)
        before[later] = after[later - 1]
        return after, before


class Runs:
    r"""Live runs of one acceptor on many words, each known by an id: :class:`Run` for a million open cases.

    A case is a row of l numbers and its first 32 symbols, so memory grows with the number of open cases and not with
    their length. Verdicts at the cut point are certified: decided by floats where their error bound allows, by
    rational numbers for words of up to 32 symbols of which nothing was seen on the way, and otherwise None. What is
    seen with an event conditions the case, as :meth:`Run.see` does; the event's own acceptance is what could be
    expected before it was seen: P(verdict | the events so far, the verdicts before).

    Parameters
    ----------
    acceptor : which reads the cases.
    cut_point : at which cases are accepted, as in :class:`Language`; None for acceptances without verdicts.

    Examples
    --------
    >>> runs = cp.Runs(cp.p_adic(2), cut_point="1/2")
    >>> runs.read("ann", "1")
    CaseState(events=1, acceptance=0.5, accepted=False, crossed=False, impossible=False)
    >>> runs.read_batch(["bob", "ann", "bob"], "011").crossed
    array([False,  True, False])
    >>> runs["ann"]
    CaseState(events=2, acceptance=0.75, accepted=True, crossed=False, impossible=False)
    >>> runs.close("ann").acceptance, runs
    (0.75, <Runs: 1 open case, cut point 1/2>)
    >>> runs.read("bob", "1", accepted=True).acceptance, runs["bob"].acceptance
    (0.75, 1.0)
    """

    def __init__(self, acceptor: Acceptor, cut_point: Any = None) -> None:
        check_acceptor(acceptor)
        self.acceptor = acceptor
        self.cut_point = None if cut_point is None else cut_point_value(cut_point)
        self._slots: dict[Hashable, int] = {}
        self._free: list[int] = []
        self._matrices = np.concatenate([acceptor.transitions, [np.eye(acceptor.n_states)]])  # the last: not read
        kept = np.min_scalar_type(acceptor.n_symbols), KEPT
        fields: Any = [
            ("row", "f8", acceptor.n_states),
            ("events", "i8"),
            ("accepted", "i1"),
            ("seen", "?"),
            ("first", *kept),
        ]
        self._cases = np.zeros(FIRST_ROOM, dtype=fields)
        start = self._new = np.zeros(1, dtype=fields)
        start["row"] = acceptor.initial
        slot = np.zeros(1, dtype=np.int64)
        start["accepted"] = self._verdicts(dot(start["row"], self._final), start["events"], slot, start["seen"])

    def read(self, id: Hashable, symbol: Symbol, accepted: bool | None = None, states: Any = None) -> CaseState:
        """Read a symbol of one case, which is opened if it is new, and what was seen after it. Cost :math:`O(l^2)`."""
        return self.read_batch([id], [symbol], [accepted], [states])[0]

    def read_batch(
        self,
        ids: Iterable[Hashable],
        symbols: Iterable[Symbol],
        accepted: Iterable[bool | None] | None = None,
        states: Iterable[Any] | None = None,
    ) -> CaseUpdates:
        """Read one symbol per id, in order; ids may repeat. What is refused changes nothing.

        ``accepted`` and ``states`` are what was seen after each symbol, as of :meth:`Run.see`; None where nothing was.
        What has probability 0 is left out, and ``CaseUpdates.impossible`` says so.
        """
        if not (is_collection(ids) and is_collection(symbols)):
            raise InvalidArgument(f"a batch is ids and their symbols, in lists; got {shown(ids)} and {shown(symbols)}.")
        names, codes = list(ids), [self.code(symbol, f"event {i}: ") for i, symbol in enumerate(symbols)]
        if len(names) != len(codes):
            raise InvalidArgument(f"a batch needs one symbol per id, {len(names)}; got {len(codes)}.")
        for name in names:
            if not is_hashable(name):
                raise InvalidArgument(f"an id must be {HASHABLE}; got {shown(name)}.")
        return self.advance(names, np.array(codes, dtype=np.int32), self._masks(len(names), accepted, states))

    def _masks(self, n_events: int, accepted: Iterable[Any] | None, states: Iterable[Any] | None) -> Masks | None:
        """States that agree with what was seen after each event, ``[event, state]``; None if nothing was seen."""
        seen: dict[str, list[Any]] = {}
        for name, values in {"accepted": accepted, "states": states}.items():
            seen[name] = list(values) if is_collection(values) else [] if values is None else [values]
            if len(seen[name]) not in (0, n_events):
                raise InvalidArgument(f"must have one entry per id, {n_events}; got {len(seen[name])}.", argument=name)
        if all(value is None for values in seen.values() for value in values):
            return None
        pairs = zip_longest(*seen.values())
        return np.array([self.acceptor.possible_ends(one) & self.acceptor.states.mask(other) for one, other in pairs])

    def code(self, symbol: Symbol, where: str = "") -> int:
        """Code that a symbol is read as; the number of symbols stands for one that is left out."""
        code = self.acceptor.alphabet.read_as(symbol, where)
        return self.acceptor.n_symbols if code is None else code

    def advance(self, ids: Sequence[Hashable], codes: NDArray[np.int32], masks: Masks | None = None) -> CaseUpdates:
        """:meth:`read_batch` for codes as :meth:`code` gives them, and masks ``[event, state]`` of what was seen."""
        by_case = _ByCase(self._opened(ids))
        slots, last = by_case.slots, by_case.order[by_case.ends]
        events = self._cases["events"][slots] + by_case.rank + 1
        early = np.flatnonzero(events <= KEPT)
        self._cases["first"][slots[early], events[early] - 1] = codes[early]
        rows, impossible = self._rows_after(by_case, codes, masks)
        acceptances, was_seen = dot(rows, self._final), self._cases["seen"][slots]
        if masks is not None:
            seen = ~masks.all(axis=1) & ~impossible
            was_seen = by_case.seen_before(seen, self._cases["seen"])
            self._cases["seen"][slots[seen]] = True
        accepted = self._verdicts(acceptances, events, slots, was_seen)
        crossed = np.zeros(len(slots), dtype=np.bool_)
        if self.cut_point is not None:
            verdicts, before = by_case.known_verdicts(accepted, self._cases["accepted"])
            crossed[by_case.order] = verdicts != before
            self._cases["accepted"][slots[last]] = verdicts[by_case.ends]
        self._cases["events"][slots[last]] = events[last]
        return CaseUpdates(events, acceptances, accepted, crossed, impossible)

    def _rows_after(
        self, by_case: _ByCase, codes: NDArray[np.int32], masks: Masks | None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Row of the case after each event, before what was seen with it, and where that is impossible.

        The cases are advanced. Those with many events go one by one, the others together: the first event of each,
        symbol by symbol, then the second of each, and so on. The sums are the same. If something was seen, all go
        together.
        """
        slots, order, starts = by_case.slots, by_case.order, by_case.starts
        rows, after = self._cases["row"], np.empty((len(slots), self.acceptor.n_states))
        impossible = np.zeros(len(slots), dtype=np.bool_)
        lengths, together = np.diff(starts, append=len(slots)), np.ones(len(slots), dtype=np.bool_)
        for k in np.flatnonzero(lengths > MOST_TURNS) if masks is None else ():
            own = order[starts[k] : starts[k] + lengths[k]]
            after[own] = kernels().forward(self._matrices, rows[slots[own[0]]].copy(), codes[own])[1:]
            rows[slots[own[0]]] = after[own[-1]]
            together[own] = False
        left = np.flatnonzero(together)
        turns = by_case.rank[left] * len(self._matrices) + codes[left]
        left, turns = left[np.argsort(turns, kind="stable")], np.sort(turns)
        for turn in np.split(left, np.flatnonzero(np.diff(turns)) + 1) if len(left) else ():
            rows[slots[turn]] = after[turn] = step(rows[slots[turn]], self._matrices[codes[turn[0]]])
            if masks is not None:
                agreeing = np.where(masks[turn], after[turn], 0.0)
                totals = agreeing.sum(axis=1, keepdims=True)
                impossible[turn] = (fails := totals <= IMPOSSIBLE)[:, 0]
                rows[slots[turn]] = np.where(fails, after[turn], agreeing / np.where(fails, 1.0, totals))
        return after, impossible

    def _verdicts(self, acceptances: Floats, events: NDArray[np.int64], slots: Slots, seen: Masks) -> Verdicts:
        """Verdict of each acceptance after so many events, of which something was seen or not."""
        if self.cut_point is None:
            return np.full(len(acceptances), UNKNOWN, dtype=np.int8)
        unknown: list[int] = []

        def exact(r: int) -> Fraction:
            if events[r] > KEPT or seen[r]:
                unknown.append(r)
                return Fraction(0)
            first = self._cases["first"][slots[r], : events[r]]
            return self.acceptor.integers.value(first[first < self.acceptor.n_symbols].tolist())

        steps = np.where(seen, 4 * events + 2, events)  # divisions by sums, too, have errors that add up
        signs, _ = all_compared(acceptances, steps, self.acceptor.n_states, self.cut_point, exact)
        verdicts = (signs > 0).astype(np.int8)
        verdicts[unknown] = UNKNOWN
        return verdicts

    @property
    def _final(self) -> Floats:
        return self.acceptor.to_weighted().final

    def _opened(self, ids: Sequence[Hashable]) -> Slots:
        """Place of each case in the table; new cases get one."""
        places = self._slots
        found: list[Any] = [places.get(id) for id in ids]
        if None not in found:
            return np.array(found, dtype=np.int64)
        for id in ids:
            if id not in places:
                places[id] = self._free.pop() if self._free else len(places)
        new = [places[id] for id, place in zip(ids, found, strict=True) if place is None]
        if (room := len(self._cases)) <= (most := max(new)):
            grown = np.zeros(max(2 * room, most + 1), dtype=self._cases.dtype)
            grown[:room] = self._cases
            self._cases = grown
        self._cases[new] = self._new
        return np.array([places[id] for id in ids], dtype=np.int64)

    def close(self, id: Hashable) -> CaseState:
        """Forget a case; where it stood is returned."""
        last = self[id]
        self._free.append(self._slots.pop(id))
        return last

    def distribution(self, id: Hashable) -> Floats:
        """Probability of each state of a case."""
        return np.array(self._cases["row"][self._slot(id)])

    def __getitem__(self, id: Hashable) -> CaseState:
        """Where a case stands."""
        slot = self._slot(id)
        case = self._cases[slot : slot + 1]
        if case["seen"][0]:
            acceptance = dot(case["row"], self._final)
            (verdict,) = self._verdicts(acceptance, case["events"], np.array([slot]), case["seen"])
            case = case.copy()
            case["accepted"] = verdict
        return self._state(case[0])

    @property
    def before_first(self) -> CaseState:
        """Where every case stands before its first symbol."""
        return self._state(self._new[0])

    def _state(self, case: Any) -> CaseState:
        accepted = None if case["accepted"] == UNKNOWN else bool(case["accepted"])
        return CaseState(int(case["events"]), float(dot(case["row"], self._final)), accepted)

    def _slot(self, id: Hashable) -> int:
        if id not in self:
            raise InvalidArgument(f"there is no open case {shown(id)}.", advice="A case opens with its first symbol.")
        return self._slots[id]

    def __contains__(self, id: object) -> bool:
        return is_hashable(id) and id in self._slots

    def __iter__(self) -> Iterator[Hashable]:
        """Ids of the open cases."""
        return iter(self._slots)

    def __len__(self) -> int:
        """Number of open cases."""
        return len(self._slots)

    def __repr__(self) -> str:
        cut_point = "" if self.cut_point is None else f", cut point {cut_point_text(self.cut_point)}"
        return f"<Runs: {counted(len(self), 'open case')}{cut_point}>"

    # -- Files --------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all cases to a file, whole or not at all; ids must be texts or whole numbers.

        Examples
        --------
        >>> import os, tempfile
        >>> runs = cp.Runs(cp.p_adic(2), cut_point=0.5)
        >>> _ = runs.read_batch([17, "x", 17], "101")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "cases.runs")
        ...     runs.save(path)
        ...     cp.Runs.load(path, runs.acceptor)[17]
        CaseState(events=2, acceptance=0.75, accepted=True, crossed=False, impossible=False)
        """
        write_whole(path_of(path), packed(MAGIC, self.to_arrays()))

    @classmethod
    def load(cls, path: str | os.PathLike[str], acceptor: Acceptor) -> Self:
        """Cases of a file that :meth:`save` wrote, for the same acceptor; the cut point is that of the file."""
        where = path_of(path)
        return cls.from_arrays(stored_runs(where, acceptor), acceptor, where)

    def to_arrays(self) -> Arrays:
        """All cases as arrays, for ``cutpoint.data.array_files.packed``."""
        for id in self:
            if type(id) not in (str, int):
                raise InvalidArgument(f"ids that are saved must be texts or whole numbers; got {shown(id)}.")
        if self.cut_point is not None and not isinstance(self.cut_point, Fraction):
            raise InvalidArgument(f"a file can keep a cut point that is rational; got {shown(self.cut_point)}.")
        return {
            "ids": _bytes(msgspec.json.encode(list(self))),
            "cases": self._cases[list(self._slots.values())],
            "cut_point": _bytes(str("" if self.cut_point is None else self.cut_point).encode()),
            "acceptor": _bytes(_digest(self.acceptor)),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, acceptor: Acceptor, where: str) -> Self:
        """Cases from arrays of ``stored_runs``; errors name the file."""
        runs = cls(acceptor, arrays["cut_point"].tobytes().decode() or None)
        cases = arrays["cases"]
        try:
            ids = Ids.decode(arrays["ids"].tobytes())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise InvalidFile(f"the ids of the cases cannot be read ({problem}).", where=where) from None
        if len(cases) != len(ids) or len(set(ids)) != len(ids):
            raise InvalidFile("the ids and the numbers of the cases do not fit together.", where=where)
        if runs.cut_point is None and (cases["accepted"] != UNKNOWN).any():
            raise InvalidFile("there are verdicts, and no cut point.", where=where)
        runs._slots = {id: slot for slot, id in enumerate(ids)}
        runs._cases = np.concatenate([cases, runs._cases])
        return runs


def stored_runs(where: str, acceptor: Acceptor) -> Arrays:
    """Arrays of a file of cases of an acceptor; those of a state file have the lines read and the settings too."""
    check_acceptor(acceptor)

    def is_owner(owner: NDArray[np.uint8]) -> bool:
        if owner.tobytes() != _digest(acceptor):
            what = "the cases belong to another acceptor: its names or numbers differ."
            raise InvalidFile(what, where=where, advice="Load them with the acceptor that read them.")
        return True

    def are_cases(cases: NDArray[Any]) -> bool:
        rows, events, accepted = cases["row"], cases["events"], cases["accepted"]
        return bool(
            ((events >= 0) & (events <= MOST_EVENTS)).all()
            and (rows >= 0.0).all()
            and (np.abs(rows.sum(axis=1) - 1.0) <= 2.0 * ROW_TOLERANCE * (events + 1.0)).all()
            and ((accepted >= UNKNOWN) & (accepted <= 1)).all()
            and (cases["first"] <= acceptor.n_symbols).all()
        )

    text = Expected(np.uint8, (None,))
    expected = {
        "acceptor": Expected(np.uint8, (len(_digest(acceptor)),), holds=is_owner),
        "cut_point": text._replace(values="a cut point from 0 to 1, or none", holds=_is_cut_point),
        "ids": text,
        "cases": Expected(Runs(acceptor)._cases.dtype, (None,), "cases with distributions over the states", are_cases),
        "lines": Expected(np.int64, (), "a number of lines", lambda lines: int(lines) >= 0, optional=True),
        "settings": text._replace(optional=True),
    }
    return unpacked(MAGIC, content_of(where), where, expected)


def _is_cut_point(content: NDArray[np.uint8]) -> bool:
    """Whether a text is as ``str`` writes a fraction from 0 to 1, or empty."""
    found = FRACTION.fullmatch(content.tobytes())
    return found is not None and (not found[1] or 0 <= int(found[1]) <= int(found[2] or 1) != 0)


def _bytes(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, dtype=np.uint8)


def _digest(acceptor: Acceptor) -> bytes:
    """Digest of all that decides what a row means."""
    parts = acceptor.transitions, acceptor.initial, acceptor.final
    return bytes.fromhex(digest_of(acceptor.states, tuple(acceptor.alphabet), *parts))
