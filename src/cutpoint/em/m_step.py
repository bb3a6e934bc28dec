"""The M-step, with its prior and constraints: structural zeros, fixed entries, tied rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.data.alphabet import Names, is_collection
from cutpoint.data.array_files import are_distributions
from cutpoint.data.sample import LARGEST_TOTAL
from cutpoint.em.counts import Counts
from cutpoint.em.observations import Parameters
from cutpoint.errors import InvalidArgument
from cutpoint.exact import check_unmasked, floats
from cutpoint.kernels.sparse_matrices import RaggedRows, SparseMatrices
from cutpoint.kernels.words import Floats
from cutpoint.model import STOP, Acceptor, Generator
from cutpoint.model.parts import ROW_TOLERANCE
from cutpoint.wording import counted, shown

Group = NDArray[np.intp]
ENTRIES = -1  # the axis of ties between the entries of ragged rows


class MStep:
    r"""Maximum of the expected log-likelihood plus log-prior under the constraints, row by row:

    .. math:: \theta_{t;a,s} = \frac{v_{t;a,s} + c_{t;a,s}}{\sum_{t'} v_{t';a,s} + c_{t';a,s}}

    An entry that is 0 at the start is structural: it stays 0 and gets no pseudo-count. Fixed entries keep their value
    and the free ones share what is left of the row. Counts of rows that are tied are added up first. A row without
    counts keeps its value. The row of a generator's state holds all its moves and its stop. Symbols that are tied there
    lead on alike: :math:`T(a)[s,t] = E[s,a]\,P[s,t]` with one P for the group, which is the form of a hidden Markov
    model.
    """  # noqa: D400

    def __init__(
        self,
        start: Parameters,
        pseudo: Parameters,
        learn_initial: bool,
        fixed: NDArray[np.bool_] | None = None,
        symbol_groups: Group | None = None,
        state_groups: Group | None = None,
    ) -> None:
        self.learn_initial = learn_initial
        self._is_generator = start.stop is not None
        self._alike_symbols = symbol_groups if self._is_generator else None
        axes: Any = ((0, state_groups),) if self._is_generator else ((0, symbol_groups), (1, state_groups))
        if isinstance(start.rows, RaggedRows) and any(group is not None for _, group in axes):
            axes = [(ENTRIES, start.rows.matched(_leading_rows(start, symbol_groups, state_groups)))]
        self._groups = [(axis, group) for axis, group in axes if group is not None]
        self.start = Parameters(self._in_form(self._mean(start.rows)), start.initial)
        self.pseudo = Parameters(
            np.where(self.start.rows > 0.0, pseudo.rows, 0.0),
            np.where(start.initial > 0.0, pseudo.initial, 0.0) if learn_initial else np.zeros_like(start.initial),
        )
        self._free: NDArray[np.bool_] | None = None
        if fixed is not None and fixed.any():
            self._free = ~fixed
            # Not 1 minus the fixed entries, which is negative where a row sums to 1 + 1e-10.
            self._mass = np.where(fixed, 0.0, self.start.rows).sum(axis=-1, keepdims=True)

    @classmethod
    def of(
        cls,
        model: Acceptor | Generator,
        prior: ArrayLike = 0.0,
        learn_initial: bool = False,
        fixed: ArrayLike | Iterable[Sequence[Any]] | None = None,
        tied_states: Iterable[Iterable[Any]] = (),
        tied_symbols: Iterable[Iterable[Any]] = (),
    ) -> MStep:
        """M-step with prior and constraints in the model's own names, as ``baum_welch`` takes them."""
        groups = (
            _groups("tied_symbols", tied_symbols, model.alphabet),
            _groups("tied_states", tied_states, model.states),
        )
        start = _with_ties(Parameters.of(model), *groups)
        matrices = start.transitions
        pseudo, kept = _pseudo_counts(prior, model, matrices), _fixed_entries(fixed, model, matrices)
        step = cls(start, pseudo, learn_initial, kept, *groups)
        free = step._free
        if free is not None and step._alike_symbols is not None:
            raise InvalidArgument("of a generator, either entries can be fixed or symbols tied, not both.")
        if free is not None and not (step._alike(free) and step._alike(np.where(free, 0.0, start.rows))):
            raise InvalidArgument("rows that are tied must be fixed at the same entries, with the same values.")
        return step

    def __call__(self, counts: Counts, current: Parameters) -> Parameters:
        """Parameters of highest expected objective, given the counts of an E-step at the current ones."""
        expected = Parameters.packed(counts.transitions, counts.initial, counts.stop)
        rows = self._pooled(expected.rows + self.pseudo.rows)
        return self.scaled(Parameters(rows, expected.initial + self.pseudo.initial), current)

    def scaled(self, weights: Parameters, current: Parameters) -> Parameters:
        """Rows of weights made to sum to 1, fixed entries and rows without weight taken from the current ones."""
        initial = shares(weights.initial, current.initial) if self.learn_initial else current.initial
        if self._free is None:
            return Parameters(shares(self._in_form(weights.rows), current.rows), initial)
        free = np.where(self._free, weights.rows, 0.0)
        rescaled = shares(free, np.zeros_like(free)) * self._mass
        kept = ~self._free | (free.sum(axis=-1, keepdims=True) == 0.0)
        return Parameters(np.where(kept, current.rows, rescaled), initial)

    def log_density(self, parameters: Parameters) -> float:
        """Logarithm of the prior's density up to a constant: Σ pseudo-count · log θ."""
        total = 0.0
        for pseudo, theta in zip(self.pseudo, parameters, strict=True):
            used = (pseudo > 0.0) if (pseudo == 0.0).any() else ...  # all of them in their own shape, for the same bits
            with np.errstate(divide="ignore"):
                total += float((pseudo[used] * np.log(theta[used])).sum())
        return total

    @property
    def has_prior(self) -> bool:
        """Whether there are any pseudo-counts."""
        return any(bool(pseudo.any()) for pseudo in self.pseudo)

    @property
    def is_plain(self) -> bool:
        """Whether these are rows of an acceptor, each on its own: none tied, nothing fixed."""
        return not self._is_generator and not self._groups and self._free is None

    @property
    def constraints(self) -> list[NDArray[Any]]:
        """Ties and free entries as arrays, to tell one problem from another."""
        ties = [np.concatenate(([axis], group)) for axis, group in self._groups]
        return ties + [part for part in (self._alike_symbols, self._free) if part is not None]

    def allows_rows(self, rows: Any) -> bool:
        """Whether rows can have come from the start by M-steps: they sum to 1 and keep the constraints."""
        kept = self.start.rows == 0.0 if self._free is None else (self.start.rows == 0.0) | ~self._free
        rows = self.start.rows.like(rows) if isinstance(self.start.rows, RaggedRows) else rows
        tied = all(
            np.allclose(rows, _taken(rows, axis, group), rtol=ROW_TOLERANCE, atol=0.0) for axis, group in self._groups
        )
        return are_distributions(rows) and np.array_equal(rows[kept], self.start.rows[kept]) and tied

    def allows_initial(self, initial: Floats) -> bool:
        """Whether an initial distribution can have come from the start by M-steps."""
        kept = self.start.initial == 0.0 if self.learn_initial else np.ones(len(initial), dtype=np.bool_)
        return are_distributions(initial) and np.array_equal(initial[kept], self.start.initial[kept])

    def _in_form(self, rows: Floats) -> Floats:
        """Rows of a generator in which tied symbols lead on alike: products of what each symbol and each move has."""
        return rows if self._alike_symbols is None else factored(rows, self._alike_symbols)

    def _pooled(self, rows: Floats) -> Floats:
        """Sum of tied rows, in every one of them."""
        for axis, group in self._groups:
            rows = _sums(rows, axis, group)
        return rows

    def _mean(self, rows: Floats) -> Floats:
        """Mean of tied rows, in every one of them; rows that are equal keep their bits."""
        for axis, group in self._groups:
            first = _taken(rows, axis, group)
            sizes = np.bincount(group, minlength=len(group))[group]
            others = [other for other in range(rows.ndim) if axis not in (other, ENTRIES)]
            rows = first + _sums(rows - first, axis, group) / np.expand_dims(sizes, others)
        return rows

    def _alike(self, rows: NDArray[Any]) -> bool:
        """Whether tied rows are equal."""
        return all(np.array_equal(rows, _taken(rows, axis, group)) for axis, group in self._groups)


def factored(rows: Floats, symbol_groups: Group | None = None) -> Floats:
    r"""Rows of a generator in the form :math:`T(a)[s,t] = E[s,a]\,P[s,t]`, with one P for each group of symbols.

    By default one for all symbols: the form of a hidden Markov model. Sums over either side are kept.
    """
    moves = rows[:, :-1].reshape(len(rows), -1, len(rows))
    groups = np.zeros(moves.shape[1], dtype=np.intp) if symbol_groups is None else symbol_groups
    onward = shares(_sums(moves, 1, groups), np.zeros_like(moves))
    products = moves.sum(axis=2, keepdims=True) * onward
    return np.concatenate((products.reshape(len(rows), -1), rows[:, -1:]), axis=1)


def is_factored(parameters: Parameters) -> bool:
    """Whether a generator has the form of a hidden Markov model, up to rounding."""
    return parameters.stop is not None and np.allclose(
        factored(parameters.rows), parameters.rows, rtol=1e-9, atol=1e-15
    )


def shares(weights: Floats, fallback: Floats) -> Floats:
    """Rows divided by their sums; a row that sums to 0 is taken from the fallback."""
    totals = weights.sum(axis=-1, keepdims=True)
    reached = totals > 0.0
    rows: Floats = weights / np.where(reached, totals, 1.0)
    return rows if reached.all() else np.where(reached, rows, fallback)


def _leading_rows(start: Parameters, symbol_groups: Group | None, state_groups: Group | None) -> NDArray[np.int64]:
    """Of the rows that are tied, the first of each group, for every row of a sparse machine."""
    m, n, _ = start.transitions.shape
    symbols = np.arange(m) if symbol_groups is None else symbol_groups
    states = np.arange(n) if state_groups is None else state_groups
    return np.asarray(states if start.stop is not None else np.add.outer(symbols * n, states).ravel(), dtype=np.int64)


def _with_ties(start: Parameters, symbol_groups: Group | None, state_groups: Group | None) -> Parameters:
    """Sparse parameters with the same entries stored in rows that are tied; others as they are."""
    if (symbol_groups is None and state_groups is None) or not isinstance(start.rows, RaggedRows):
        return start
    if start.stop is not None and symbol_groups is not None:
        advice = "Take to_dense() of it first, if that fits into memory."
        raise InvalidArgument("symbols of a sparse generator cannot be tied.", advice=advice)
    m, n, _ = start.transitions.shape
    leaders = _leading_rows(start, symbol_groups, state_groups)
    if start.stop is not None:
        leaders = np.add.outer(np.arange(m) * n, leaders).ravel()
    return Parameters.packed(start.transitions.extended(leaders), start.initial, start.stop)


def _taken(rows: Any, axis: int, group: Group) -> Any:
    """For each row along an axis the first of its group; or for each entry of ragged rows."""
    return rows.like(rows.values[group]) if axis == ENTRIES else rows.take(group, axis=axis)


def _sums(rows: Any, axis: int, group: Group) -> Any:
    """Sum of the rows of each group along an axis, in every one of them; or of the entries of ragged rows."""
    if axis == ENTRIES:
        return rows.like(np.bincount(group, weights=rows.values, minlength=rows.size)[group])
    moved = np.moveaxis(rows, axis, 0)
    sums = np.zeros_like(moved)
    np.add.at(sums, group, moved)
    return np.ascontiguousarray(np.moveaxis(sums[group], 0, axis))


def _cells(values: NDArray[Any], matrices: Any) -> Any:
    """An array broadcast to the shape of matrices; of sparse ones its values at the entries that are stored."""
    cells = np.broadcast_to(values, matrices.shape)
    return matrices.like(cells[matrices.entries()[:3]]) if isinstance(matrices, SparseMatrices) else cells


def _pseudo_counts(prior: ArrayLike, model: Acceptor | Generator, matrices: Any) -> Parameters:
    """Pseudo-counts of every cell; the initial distribution and stop get them only from a single number."""
    rule = f"must be a number or an array that fits the transitions' shape {matrices.shape}"
    given = floats("prior", prior, rule)
    try:
        cells = _cells(given, matrices)
    except ValueError:
        raise InvalidArgument(f"prior {rule}; got {shown(prior)}.") from None
    if not ((cells >= 0.0) & (cells <= LARGEST_TOTAL / cells.size)).all():
        raise InvalidArgument(f"prior must hold finite pseudo-counts, not negative; got {shown(prior)}.")
    others = np.full(model.n_states, float(given) if given.ndim == 0 else 0.0)
    return Parameters.packed(cells, others, others if isinstance(model, Generator) else None)


def _fixed_entries(fixed: Any, model: Acceptor | Generator, matrices: Any) -> Any:
    """Mask of the fixed entries: from an array of bool, or from (symbol, state) and (symbol, state, state)."""
    if fixed is None:
        return None
    stop = np.zeros(model.n_states, dtype=np.bool_)

    def rows(mask: Any) -> Any:
        return Parameters.packed(mask, model.initial, stop if isinstance(model, Generator) else None).rows

    shape = matrices.shape
    check_unmasked("fixed", fixed)
    if isinstance(fixed, np.ndarray | bool):
        array = np.asarray(fixed)
        with suppress(ValueError):
            if array.dtype == np.bool_:
                return rows(_cells(array, matrices).astype(np.bool_))
        raise InvalidArgument(
            f"fixed must be an array of bool that fits the transitions' shape {shape}, or a list of entries such "
            f"as (symbol, state) or (symbol, state, next state); got an array of {array.dtype}, {array.shape}."
        )
    mask = np.zeros_like(matrices, dtype=np.bool_)
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        raise InvalidArgument(f"fixed must be an array of bool or a list of entries; got {shown(fixed)}.")
    for item in fixed:
        if not isinstance(item, tuple) or not 1 <= len(item) <= 3:
            raise InvalidArgument(
                f"an entry of fixed must be a tuple (symbol,), (symbol, state) or (symbol, state, next state), with "
                f"... for all; got {shown(item)}."
            )
        if isinstance(model, Generator) and item[0] is STOP and len(item) <= 2:
            stop[slice(None) if item[1:] in ((), (...,)) else model.states.code(item[1], "fixed: ")] = True
            continue
        axes = zip(item, (model.alphabet, model.states, model.states), strict=False)
        place = [slice(None) if part is ... else names.code(part, "fixed: ") for part, names in axes]
        mask[mask.chosen(place) if isinstance(mask, SparseMatrices) else tuple(place)] = True
    return rows(mask)


def _groups(argument: str, groups: Iterable[Iterable[Any]], names: Names) -> Group | None:
    """Number of the group of each name, or None if there are no groups."""
    number = np.arange(len(names))
    seen: set[int] = set()
    if isinstance(groups, str) or not is_collection(groups):
        raise InvalidArgument(f"{argument} must be a list of groups; got {shown(groups)}.")
    for group in groups:
        codes = {names.code(name, f"{argument}: ") for name in (group if is_collection(group) else [group])}
        if len(codes) < 2:
            found = counted(len(codes), "name")
            raise InvalidArgument(f"{argument}: a group must hold at least two different names; got {found}.")
        if seen & codes:
            repeated = shown(names[min(seen & codes)])
            raise InvalidArgument(f"{argument}: a name can be in one group only; {repeated} is in two.")
        seen |= codes
        number[list(codes)] = min(codes)
    return number if seen else None
