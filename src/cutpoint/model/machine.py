"""Machine: what acceptors and generators have in common, named states above a weighted automaton, and its values."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Sample, State, Word, Words
from cutpoint.data.alphabet import Names, OnUnknown, is_collection
from cutpoint.diagrams.diagram import Diagram, LabelStyle, Look, label, state_diagram, symbol_label
from cutpoint.errors import ImpossibleObservation, InvalidAcceptor, InvalidArgument, TooLarge
from cutpoint.exact import IntegerForm, whole_number
from cutpoint.kernels import kernels
from cutpoint.kernels.sparse_matrices import Matrices, SparseMatrices, check_dense, edges_of
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import text
from cutpoint.model.parts import SMALLEST, Numbers, States
from cutpoint.model.weighted import WeightedAutomaton, frozen
from cutpoint.wording import counted, shown

if TYPE_CHECKING:
    from cutpoint.model.prediction import Model

NUMBERS = ("transitions", "initial", "stop")  # parts that are numbers

MOST_DRAWN = 10**7  # most entries, zeros included, of what is drawn of a sparse machine

Renaming = Mapping[Any, Any] | Callable[[Any], Hashable] | None


class Machine(text.Displayed, ABC):
    """States with names, an alphabet, transitions ``[a, s, t]`` and an initial distribution: an immutable value."""

    PARTS: ClassVar[tuple[str, ...]]  # arguments of the constructor, in their order

    states: States
    alphabet: Alphabet
    initial: Floats
    final: NDArray[np.bool_]
    is_exact: bool
    stop: Floats | None = None  # probability to stop in each state, of a generator
    stored: Matrices
    """Transitions in the form in which they are stored: an array, or :class:`SparseMatrices`."""
    _weighted: WeightedAutomaton
    _beside: Mapping[str, Any] = MappingProxyType({})  # what its model keeps, by name

    def _hold(self, states: States, final: NDArray[np.bool_], weighted: WeightedAutomaton) -> None:
        """Set the parts, once."""
        shared = {name: getattr(weighted, name) for name in ("alphabet", "stored", "initial", "is_exact")}
        if not weighted.is_sparse:
            shared["transitions"] = weighted.transitions
        self.__dict__.update(states=states, final=frozen(final), _weighted=weighted, **shared)

    def replace(self, **changes: Any) -> Self:
        """The same with some of its parts changed, named as in the constructor."""
        kept = self._parts() | self.stored_numbers()
        if unknown := changes.keys() - kept.keys():
            what = f"{self._kind.lower()} has the parts {', '.join(kept)}"
            raise InvalidArgument(f"{what}; got {', '.join(sorted(unknown))}.")
        return self._as_before(type(self)(**(kept | changes)))

    def _parts(self) -> dict[str, Any]:
        """The parts that are not numbers, by name, in the order of the constructor; numbers are still to come."""
        return {name: None if name in NUMBERS else getattr(self, name) for name in self.PARTS}

    @classmethod
    @abstractmethod
    def normalized(cls, *parts: Any, **named_parts: Any) -> Self:
        """The machine of weights that are divided by their sums."""

    @classmethod
    def composed(cls, *parts: Any) -> Self:
        """From products of rows, whose float sums may be off by more than the tolerance: then rescaled."""
        try:
            return cls(*parts)
        except InvalidAcceptor:
            return cls.normalized(*parts)

    def rationalized(self, max_denominator: int | None = 10**6) -> Self:
        """Exact machine near this one: every entry the nearest fraction of small denominator, rows rescaled.

        With ``max_denominator=None`` entries are the exact binary values of the floats, only rescaled. One that is
        exact already is returned as it is.

        Examples
        --------
        >>> cp.Acceptor(2, "a", [[[0.1, 0.9], [0.5, 0.5]]], 0, {1}).rationalized().exact_acceptance("a")
        Fraction(9, 10)
        """
        if self.is_exact:
            return self
        numbers = self.stored_numbers(exact=True)
        if max_denominator is not None:
            most = whole_number("max_denominator", max_denominator, least=1)
            near = np.vectorize(lambda value: value.limit_denominator(most), otypes=[object])
            for name, values in numbers.items():
                is_sparse = isinstance(values, SparseMatrices)
                numbers[name] = values.like(near(values.values)) if is_sparse else near(values)
        return self._as_before(self.normalized(**(self._parts() | numbers)))

    def numbers(self, exact: bool | None = None) -> dict[str, Numbers]:
        """The parts that are numbers, by name: fractions or floats; by default fractions if the machine is exact."""
        return self._named(*self._weighted.arrays(exact))

    def stored_numbers(self, exact: bool | None = None) -> dict[str, Any]:
        """The same with transitions in the form in which they are stored."""
        return self._named(*self._weighted.stored_arrays(exact))

    def _named(self, row: Numbers, steps: Any, column: Numbers) -> dict[str, Any]:
        found = {"transitions": steps, "initial": row, "stop": column}
        return {name: values for name, values in found.items() if name in self.PARTS}

    @cached_property
    def transitions(self) -> Floats:
        """Transitions as a dense array ``[a, s, t]``; of a large sparse machine it is refused with its size."""
        return self._weighted.transitions

    @property
    def is_sparse(self) -> bool:
        """Whether only the transitions that are not 0 are stored."""
        return self._weighted.is_sparse

    def to_sparse(self) -> Self:
        """The same machine with the transitions alone stored that are not 0: see the page on sparse acceptors.

        Examples
        --------
        >>> A = cp.p_adic(2).to_sparse()
        >>> A.stored, A == cp.p_adic(2), A.to_dense().is_sparse
        (<SparseMatrices: 2 symbols, 2 states, 6 stored entries>, True, False)
        """
        matrices = self.stored_numbers()["transitions"]
        return self if self.is_sparse else self.replace(transitions=SparseMatrices.from_dense(matrices))

    def to_dense(self) -> Self:
        """The same machine with all transitions stored, if they fit into memory."""
        return self.replace(transitions=self.numbers()["transitions"]) if self.is_sparse else self

    def with_unknown(self, unknown: OnUnknown) -> Self:
        """The same with a rule for symbols that are not in its alphabet.

        ``"error"`` refuses them, as by default; ``"skip"`` leaves them out of words; ``"rare"`` reads them as the rare
        symbol that it has learned (:meth:`Sample.with_rare`). The rule is ``A.alphabet.on_unknown``; every operation on
        words follows it (tables along a word have a row for each symbol that is read), files keep it, and ``==`` does
        not look at it.

        Examples
        --------
        >>> A = cp.p_adic(10).with_unknown("skip")
        >>> A.exact_acceptance("1,5") == A.exact_acceptance("15")
        True
        """
        return self.replace(alphabet=Alphabet(self.alphabet, unknown))

    @property
    def _kind(self) -> str:
        name = type(self).__name__
        return f"an {name}" if name[0] in "AEIOU" else f"a {name}"

    @property
    def n_states(self) -> int:
        """Number of states, the paper's l."""
        return len(self.states)

    @property
    def n_symbols(self) -> int:
        """Number of symbols, the paper's l'."""
        return len(self.alphabet)

    @property
    def final_states(self) -> tuple[State, ...]:
        """Final states, in the order of the states."""
        return tuple(state for state, kept in zip(self.states, self.final, strict=True) if kept)

    @property
    def displayed_states(self) -> States:
        """The states."""
        return self.states

    @property
    def marked_final(self) -> NDArray[np.bool_]:
        """Final states as displays mark them: none of a generator whose words are all accepted."""
        return np.zeros_like(self.final) if self.stop is not None and self.final.all() else self.final

    def to_weighted(self) -> WeightedAutomaton:
        """The weighted automaton below."""
        return self._weighted

    @property
    def exact_transitions(self) -> Numbers:
        """Transitions as an array of ``Fraction``; of float entries, their exact binary values."""
        return self._weighted.exact_transitions

    @property
    def exact_initial(self) -> Numbers:
        """Initial distribution as an array of ``Fraction``."""
        return self._weighted.exact_initial

    @property
    def integers(self) -> IntegerForm:
        """Integer matrices over common denominators, for exact arithmetic."""
        return self._weighted.integers

    def near(self, state: State, steps: int = 1) -> MachinePart:
        """The states within some steps of a state, there or back, to be drawn: a part of a large machine.

        Examples
        --------
        >>> cp.draw(cp.p_adic(2).near("s2"))
        <Picture: 2 nodes, 5 arrows; .save(path) writes SVG, PNG, PDF, DOT or TikZ>
        """
        found = np.zeros(self.n_states, dtype=np.bool_)
        found[self.states.code(state)] = True
        edges = edges_of(self.stored)
        for _ in range(whole_number("steps", steps, least=0)):
            before, ones = found, found.astype(np.float64)
            found = found | (ones @ edges > 0.0) | (edges @ ones > 0.0)
            if np.array_equal(found, before):
                break
        return MachinePart(self, np.flatnonzero(found))

    def reached_by(self, word: Word) -> MachinePart:
        """The states that some run on a word passes through, to be drawn.

        Examples
        --------
        >>> cp.p_adic(2).reached_by("0")
        <MachinePart: 1 of 2 states>
        """
        row, found = self.initial > 0.0, self.initial > 0.0
        for symbol in self.alphabet.encode_word(word):
            row = row.astype(np.float64) @ self._weighted.matrix_of(int(symbol)) > 0.0
            found = found | row
        return MachinePart(self, np.flatnonzero(found))

    def diagram(self, look: Look, style: LabelStyle | None = None) -> Diagram:
        """State diagram, as :func:`cutpoint.draw` shows it; files write labels in a style of their own."""
        if self.is_sparse:
            check_picture(self.n_symbols, self.n_states)
        return super().diagram(look, style)

    def renamed(self, states: Renaming = None, symbols: Renaming = None) -> Self:
        """The same with other names of states or symbols.

        Each is ``{old: new}``, where names left out stay as they are, or a function from old to new names.

        Examples
        --------
        >>> cp.p_adic(2).renamed(states={"s1": "no", "s2": "yes"}, symbols=int)
        <Acceptor: 2 states {no, yes}, 2 symbols {0, 1}, starts in {no}, accepts in {yes}, exact>
        """
        names, sigma = _new_names(self.states, states, "states"), _new_names(self.alphabet, symbols, "symbols")
        return self.replace(states=States(names), alphabet=Alphabet(sigma))

    def path_codes(self, path: Iterable[State], length: int) -> list[int]:
        """Codes of the states of a run on a word of some length."""
        if not is_collection(path):
            raise InvalidArgument(f"a path must be a sequence of states; got {shown(path)}.")
        run = [self.states.code(state, f"path, position {i}: ") for i, state in enumerate(path)]
        if len(run) != whole_number("length", length, least=0) + 1:
            expected = f"a word of {counted(length, 'symbol')} has paths of {counted(length + 1, 'state')}"
            raise InvalidArgument(f"{expected}; got {len(run)}.")
        return run

    def most_likely_path(self, word: Word, accepted: bool | None = None, exact: bool = False) -> tuple[State, ...]:
        """State path of highest probability for a word, among all runs or those that end accepted, or rejected.

        Ties go to the states that come first, up to rounding unless ``exact``. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> cp.p_adic(2).most_likely_path("011", accepted=True)
        ('s1', 's1', 's2', 's2')
        """
        return tuple(self.states[s] for s in self._given_end("most_likely_path", word, accepted, exact))

    def occupancy(self, word: Word, accepted: bool | None = None, exact: bool = False) -> NDArray[Any]:
        """Probability of each state after each prefix, given the word and how its run ended: ``[i, s]``.

        Of an acceptor without a verdict this is ``forward``; every row sums to 1. Cost :math:`O(n l^2)`.

        Examples
        --------
        >>> cp.p_adic(2).occupancy("01", accepted=True)
        array([[1., 0.],
               [1., 0.],
               [0., 1.]])
        """
        return self._given_end("occupancy", word, accepted, exact)  # type: ignore[no-any-return]

    def distributions(self, words: Words | Sample) -> Floats:
        """Distribution over states after each word, or each distinct one of a sample: ``[word, state]``.

        Words advance together, symbol by symbol. A word of probability 0 under a generator is refused.

        Examples
        --------
        >>> cp.p_adic(2).distributions(["", "1", "01"]).tolist()
        [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]]
        """
        return self._rows_after(self.encode(words))

    def _rows_after(self, encoded: EncodedWords) -> Floats:
        """Distribution over states after each word, in codes of the alphabet."""
        check_dense((len(encoded), self.n_states), "the table")
        rows = np.tile(self.initial, (len(encoded), 1))
        for i in range(int(encoded.lengths.max(initial=0))):
            active = np.flatnonzero(encoded.lengths > i)
            symbols = encoded.symbols[encoded.offsets[active] + i]
            for symbol in np.unique(symbols):
                here = active[symbols == symbol]
                reached = rows[here] @ self._weighted.matrix_of(symbol)
                rows[here] = reached / np.maximum(reached.sum(axis=1, keepdims=True), SMALLEST)
        for r in np.flatnonzero(rows.sum(axis=1) < 0.5):
            raise never_emitted(self.alphabet.decode(encoded.word(int(r))))
        return rows

    def _given_end(self, recursion: str, word: Word, accepted: bool | None, exact: bool) -> Any:
        """Answer of a recursion, which has the same name in floats and exactly, given how the run ended."""
        codes, end = self.alphabet.encode_word(word), self.possible_ends(accepted)
        if exact:
            answer = getattr(self.integers, recursion)(codes.tolist(), self._last_column(end))
        else:
            check_dense((len(codes) + 1, self.n_states), "the table")
            evidence = np.ones((len(codes) + 1, self.n_states), dtype=np.bool_)
            evidence[-1] = end
            answer, log = getattr(kernels(self.stored), recursion)(
                self.stored, self.initial, codes, evidence, self.stop
            )
            answer = None if log == -math.inf else answer
        if answer is None:
            ending = "stops" if accepted is None else "ends accepted" if accepted else "ends rejected"
            raise ImpossibleObservation(f"no run on the word {shown(word)} {ending}: it has probability 0.")
        return answer

    @abstractmethod
    def _last_column(self, end: NDArray[np.bool_]) -> NDArray[Any]:
        """Exact column with which backward passes begin, for runs that end in some states."""

    def possible_ends(self, accepted: bool | None) -> NDArray[np.bool_]:
        """States in which a run may end."""
        if accepted is None:
            return np.ones_like(self.final)
        if not isinstance(accepted, bool | np.bool_):
            raise InvalidArgument(f"accepted must be True, False or None; got {shown(accepted)}.")
        return self.final if accepted else ~self.final

    # -- Value and displays -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return text.one_line(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        same = self.states == other.states and self._weighted == other._weighted
        return same and bool((self.final == other.final).all())

    def __hash__(self) -> int:
        return hash((self.states, self._weighted))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self._kind} is immutable: cannot set {name!r}. Use replace({name}=...).")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self._kind} is immutable: cannot delete {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        parts = tuple((self._parts() | self.stored_numbers()).values())
        return type(self), parts, {"_beside": dict(self._beside)}

    # -- How it is used -----------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The machine with what it carries to be used: cut point, names of classes, law of inputs and notes.

        Examples
        --------
        >>> A = cp.files.Model(cp.p_adic(2), cut_point="1/2", classes=("small", "large")).machine
        >>> A == cp.p_adic(2), A.model.cut_point, cp.p_adic(2).model.cut_point
        (True, Fraction(1, 2), None)
        """
        from cutpoint.model.prediction import Model  # noqa: PLC0415  # it knows acceptors and generators

        return Model(self, **self._beside)  # type: ignore[arg-type]

    def predict(self, words: Words, threads: int | None = None) -> NDArray[Any]:
        """Class of each word, by the cut point and the names that the machine carries: see :meth:`Model.predict`.

        Without names True or False, without a cut point at 1/2. :func:`cutpoint.load` gives back what was saved.

        Examples
        --------
        >>> cp.p_adic(2).predict(["01", "11"])
        array([False,  True])
        """
        return self.model.predict(words, threads)

    def _carrying(self, beside: Mapping[str, Any]) -> Self:
        """The same that carries what a :class:`Model` keeps beside it, by name."""
        if beside == self._beside:
            return self
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _beside=MappingProxyType(dict(beside)))
        return twin

    def _as_before(self, changed: Self) -> Self:
        """A changed machine, which is used as this one if it has as many states."""
        return changed._carrying(self._beside) if self._beside and changed.n_states == self.n_states else changed

    # -- Encoded words ------------------------------------------------------------------------------------------

    def encode(self, words: Words | Sample) -> EncodedWords:
        """Codes of words or of a sample's distinct words, in the order of this alphabet."""
        if not isinstance(words, Sample):
            return self.alphabet.encode(words)
        return words.encoded_in(self.alphabet)

    def _alone(self, word: Word) -> EncodedWords:
        """Codes of a single word."""
        return EncodedWords.single(self.alphabet.encode_word(word))


@dataclass(frozen=True, eq=False, repr=False)
class MachinePart:
    """Some states of a machine and the moves between them, as a picture for :func:`draw`."""

    machine: Machine
    codes: NDArray[np.intp]

    def diagram(self, look: Look, style: LabelStyle | None = None) -> Diagram:
        """State diagram of the part; one that is too large for a picture is refused."""
        matrices, start, *columns = (numbers := self.machine.stored_numbers()).values()
        check_picture(self.machine.n_symbols, len(self.codes))
        if isinstance(matrices, SparseMatrices):
            classes = np.full(self.machine.n_states, -1, dtype=np.int64)
            classes[self.codes] = np.arange(len(self.codes))
            matrices = matrices.lumped(classes, np.ones(self.machine.n_states, dtype=np.int64)).to_dense()
        else:
            matrices = matrices[:, self.codes][:, :, self.codes]
        names = [self.machine.states[s] for s in self.codes], self.machine.alphabet
        notes = dict(zip(list(numbers)[2:], (column[self.codes] for column in columns), strict=True))
        marked = self.machine.marked_final[self.codes]
        used = style or LabelStyle(label, symbol_label, partial(text.number, digits=look.digits))
        return state_diagram(*names, matrices, start[self.codes], marked, look, used, notes)

    def __repr__(self) -> str:
        return f"<MachinePart: {len(self.codes):,} of {counted(self.machine.n_states, 'state')}>"


def is_too_large_to_draw(n_symbols: int, n_states: int) -> bool:
    """Whether a sparse machine has more entries, zeros included, than are drawn."""
    return n_symbols * n_states**2 > MOST_DRAWN


def check_picture(n_symbols: int, n_states: int) -> None:
    """Refuse a picture of more than anybody could look at."""
    if is_too_large_to_draw(n_symbols, n_states):
        raise TooLarge(
            f"a picture of {n_states:,} states is too large; draw the states near one, cp.draw(A.near(state)), or "
            "those that a word reaches, cp.draw(A.reached_by(word))."
        )


def never_emitted(word: Word) -> ImpossibleObservation:
    """Error about a word that a generator cannot make."""
    return ImpossibleObservation(
        f"the word {shown(word)} has probability 0 under the generator: no run emits it. Check the word, or learn with "
        "a positive prior."
    )


def _new_names(names: Names, renaming: Renaming, role: str) -> list[Any]:
    """New name of every old one, in their order."""
    if renaming is None:
        return list(names)
    if callable(renaming):
        return [renaming(name) for name in names]
    if not isinstance(renaming, Mapping):
        raise InvalidArgument(f"{role} must be a mapping {{old: new}} or a function; got {shown(renaming)}.")
    for name in renaming:
        names.code(name, f"{role}: ")
    return [renaming.get(name, name) for name in names]
