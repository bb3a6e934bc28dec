"""standard_errors: from the curvature of the log-likelihood at its maximum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cutpoint.assess.selection import HALF_A_USE, stacked, used_entries
from cutpoint.data import PlainWord, Sample, State, Symbol, Word, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.counts import Counts
from cutpoint.em.observations import InMemory, Parameters, check_sample, check_threads, mark_masks
from cutpoint.errors import TooLarge
from cutpoint.model import Acceptor
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.text import aligned, number
from cutpoint.search.workers import mapped
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.intp]

STEP = 1e-3
"""Step of the differences, relative to the smaller of the two entries that it moves; their error is of fourth order."""

SEEN_SHARE = 1e-5
"""A direction of which a smaller share of the complete data's information was seen is not determined."""

BENT_SHARE = -1e-3
"""A share below this is no rounding on flat ground: the log-likelihood rises there."""

LOOSE_SHARE = 1e-3
"""A quantity is not determined if a larger share of it lies in such directions; less adds a tenth to its variance."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Free coordinates of an acceptor: the used entries of reached rows, but for the last of each row.

    Attributes
    ----------
    theta, counts : all rows of the acceptor and their expected counts, one below the other, the initial row last.
    used : entries with an expected count of at least a half, in rows that are not fixed.
    unreached : rows with several positive entries and an expected count below a half: nothing is known of them.
    boundary : entries of reached rows that are positive, yet hardly used: at the boundary, as good as 0.
    row, column, last : place of each free coordinate, and the column of the entry that gives way to it.
    """

    theta: Floats
    counts: Floats
    used: Bools
    unreached: Bools
    boundary: Bools
    row: Places
    column: Places
    last: Places

    @classmethod
    def of(cls, place: Parameters, counts: Counts, learn_initial: bool) -> Coordinates:
        """Coordinates at a place, given the E-step there."""
        theta, v = stacked(*place), stacked(counts.transitions, counts.initial)
        kept = np.ones(len(theta), dtype=np.bool_)
        kept[-1] = learn_initial
        reached = v.sum(axis=1) >= HALF_A_USE
        used = used_entries(counts) & kept[:, None]
        positive = theta > 0.0
        # A row whose entries are each used less than half a time has nothing to hold on to.
        reached &= used.any(axis=1)
        unreached = kept & ~reached & (positive.sum(axis=1) > 1)
        boundary = positive & ~used & (kept & reached)[:, None]
        last = used.shape[1] - 1 - used[:, ::-1].argmax(axis=1)
        free = used.copy()
        free[np.arange(len(used)), last] = False
        row, column = np.nonzero(free)
        return cls(theta, v, used, unreached, boundary, row, column, last[row])

    def __len__(self) -> int:
        """Count the free coordinates."""
        return len(self.row)

    def parameters(self, theta: Floats) -> Parameters:
        """Rows as transitions and initial distribution."""
        size = theta.shape[1]
        return Parameters(np.ascontiguousarray(theta[:-1]).reshape(-1, size, size), theta[-1])

    def moved(self, k: int, step: float) -> Floats:
        """Rows with coordinate k larger, and the last entry of its row smaller, by a step."""
        theta = self.theta.copy()
        theta[self.row[k], self.column[k]] += step
        theta[self.row[k], self.last[k]] -= step
        return theta

    def pulled(self, gradient: Floats) -> Floats:
        """Gradient in free coordinates of a function with this gradient in all entries."""
        return np.asarray(gradient[self.row, self.column] - gradient[self.row, self.last])

    def score(self, theta: Floats, counts: Floats) -> Floats:
        r"""Gradient of the log-likelihood, :math:`v_j / \theta_j - v_{last} / \theta_{last}` (Fisher's identity)."""
        ratio = np.divide(counts, theta, out=np.zeros_like(theta), where=self.used)
        return self.pulled(ratio)

    def spread(self) -> Floats:
        r"""Root B of the covariance that complete data would give: :math:`B B^T = (D_\theta - \theta\theta^T) / N`."""
        root = np.zeros((len(self), len(self)))
        for row in np.unique(self.row):
            own = np.flatnonzero(self.row == row)
            theta = self.theta[row, self.column[own]]
            mass = self.theta[row, self.used[row]].sum()
            covariance = (np.diag(theta) - np.outer(theta, theta) / mass) / self.counts[row].sum()
            root[np.ix_(own, own)] = np.linalg.cholesky(covariance)
        return root


def information(coordinates: Coordinates, e_step: Callable[[Parameters], Counts], threads: int | None) -> Floats:
    """Minus the Hessian of the log-likelihood: central differences of the exact score, four E-steps a coordinate."""

    def column(k: int) -> Floats:
        pair = coordinates.theta[coordinates.row[k], [coordinates.column[k], coordinates.last[k]]]
        step = STEP * float(pair.min())
        total = np.zeros(len(coordinates))
        for times, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
            theta = coordinates.moved(k, times * step)
            counts = e_step(coordinates.parameters(theta))
            total += weight * coordinates.score(theta, stacked(counts.transitions, counts.initial))
        return -total / (12.0 * step)

    columns = mapped(column, range(len(coordinates)), threads)
    matrix = np.array(columns).reshape(len(coordinates), len(coordinates))
    return (matrix + matrix.T) / 2.0


@dataclass(frozen=True, eq=False)
class Curvature:
    r"""Observed information beside that of complete data: eigenvalues are the shares of information that were seen.

    With :math:`B B^T` the covariance that complete data would give and :math:`B^T I B = Q \Lambda Q^T`, the covariance
    is :math:`B Q \Lambda^{-1} Q^T B^T`; where an eigenvalue is (nearly) 0, a direction is not determined.

    Attributes
    ----------
    shares : the eigenvalues, rising.
    directions : the matrix :math:`B Q`.
    """

    shares: Floats
    directions: Floats

    @classmethod
    def of(cls, matrix: Floats, spread: Floats) -> Curvature:
        """Curvature from an information matrix and the root of the complete data's covariance."""
        shares, turned = np.linalg.eigh(spread.T @ matrix @ spread)
        return cls(shares, spread @ turned)

    @property
    def determined(self) -> Bools:
        """Directions that the sample determines."""
        return np.asarray(self.shares > SEEN_SHARE)

    def variance(self, gradients: Floats) -> Floats:
        """Variance of quantities with these gradients, one per row; infinite where the sample does not determine it."""
        parts = (gradients @ self.directions) ** 2
        seen = self.determined
        loose = parts[:, ~seen].sum(axis=1) > LOOSE_SHARE**2 * parts.sum(axis=1)
        variances: Floats = np.where(loose, np.inf, (parts[:, seen] / self.shares[seen]).sum(axis=1))
        return variances


MOST_PARAMETERS = 4000

NEAR = 0.01
"""Largest gain in log-likelihood, doubled, that the curvature may promise at what counts as a maximum."""

ROUNDING = 1e-12
"""Derivatives of an acceptance that differ by less are equal."""


class Information(Enum):
    """What the curvature of the log-likelihood says; the value is the explanation."""

    REGULAR = "regular: the information matrix is positive definite, and no estimated entry is near 0."
    BOUNDARY = (
        "boundary: some entries are positive, yet used less than half a time in expectation. The normal theory does "
        "not hold for them (their standard error is infinite); the others' are as if these were known to be 0. Ask "
        "bootstrap(...) too."
    )
    SINGULAR = (
        "singular: the sample does not determine all entries. Those that could change without changing the likelihood "
        "have an infinite standard error, and so have the words that they matter for; the others' are valid."
    )
    NOT_MAXIMUM = (
        "not a maximum: the log-likelihood can still rise here, so its curvature says nothing about errors. Climb "
        "first: baum_welch(acceptor, sample, learn_initial=True, accelerate=True, tolerance=1e-9)."
    )

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False, repr=False)
class StandardErrors:
    """Result of :func:`standard_errors`.

    Attributes
    ----------
    acceptor : the estimate.
    outcome : an :class:`Information`; ``print(errors.outcome)`` explains it.
    transitions, initial : standard errors of the entries, ``[a, s, t]`` and ``[s]``: 0 where nothing was estimated
        (an entry that is 0, or alone in its row), infinite where the sample does not tell; None if not at a maximum.
    words, acceptances : the words asked about, and standard errors of their acceptance; None if not at a maximum.
    shares : eigenvalues of the observed information relative to that of complete data, rising: the share of information
        that was seen in each direction. Near 0, EM is slow and errors are large; all 1 for complete data.
    boundary : entries held fixed as (symbol, state, next state), or (state,) for the initial distribution.
    """

    acceptor: Acceptor
    outcome: Information
    transitions: Floats | None
    initial: Floats | None
    words: tuple[PlainWord, ...]
    acceptances: Floats | None
    shares: Floats
    boundary: tuple[tuple[Symbol | State, ...], ...]
    _coordinates: Coordinates
    _curvature: Curvature

    def transition(self, symbol: Symbol, before: State, after: State) -> float | None:
        """Standard error of one transition probability, by name."""
        a, (s, t) = self.acceptor.alphabet.code(symbol), map(self.acceptor.states.code, (before, after))
        return None if self.transitions is None else float(self.transitions[a, s, t])

    def of(self, words: Words) -> Floats | None:
        """Standard errors of the acceptance of further words."""
        if self.outcome is Information.NOT_MAXIMUM:
            return None
        gradients = [_acceptance_gradient(self.acceptor, word) for word in each_word(words)]
        return _errors(gradients, self._coordinates, self._curvature)

    def table(self, digits: int = 4) -> str:
        """Entries that were estimated, and words, with their standard errors, as plain text."""
        if self.transitions is None or self.initial is None or self.acceptances is None:
            return str(self.outcome)
        lines = [["", "estimate", "±"]]
        cells = [
            (f"starts in {state}", value, error)
            for state, value, error in zip(self.acceptor.states, self.acceptor.initial, self.initial, strict=True)
        ]
        for (a, s, t), value in np.ndenumerate(self.acceptor.transitions):
            name = f"{self.acceptor.alphabet[a]}: {self.acceptor.states[s]} → {self.acceptor.states[t]}"
            cells.append((name, value, self.transitions[a, s, t]))
        cells = [cell for cell in cells if cell[2] > 0.0]
        estimates = self.acceptor.acceptances(self.words)
        cells += zip(map(shown, self.words), estimates, self.acceptances, strict=True)
        lines += [[name, number(value, digits), f"{error:.{digits}f}"] for name, value, error in cells]
        return "\n".join(line.rstrip() for line in aligned(lines))

    def __repr__(self) -> str:
        smallest = f", least share of information seen {self.shares[0]:.3g}" if len(self.shares) else ""
        return (
            f"<StandardErrors: {counted(len(self._coordinates), 'free parameter')}{smallest}\n  {self.outcome}\n  "
            f"{self.acceptor!r}>"
        )


def standard_errors(
    acceptor: Acceptor,
    sample: Sample,
    words: Words | None = None,
    *,
    learn_initial: bool = True,
    threads: int | None = None,
) -> StandardErrors:
    r"""Standard errors of a maximum-likelihood estimate: of every entry, and of the acceptance of words.

    .. math:: \mathrm{Cov}(\hat\theta) = I^{-1}, \qquad
        I_{jk} = -\frac{\partial^2 \ell}{\partial\theta_j\, \partial\theta_k}, \qquad
        \mathrm{Var}(p_x) = \nabla p_x^T\, I^{-1}\, \nabla p_x

    Parameters
    ----------
    acceptor : a maximum of the likelihood, such as :func:`baum_welch` climbs to.
    sample : the observations it was fitted to.
    words : words whose acceptance gets a standard error; ``StandardErrors.of`` tells it for further words.
    learn_initial : whether the initial distribution was estimated too.
    threads : number of threads, all cores unless told; the result does not depend on it.

    Returns
    -------
    :class:`StandardErrors`; what the sample does not tell is infinite or None, and ``outcome`` says why.

    Notes
    -----
    The free coordinates are the entries with an expected count of at least a half, but for the last one of each row,
    which gives way so that rows sum to 1. The score in them is exact, :math:`v_j / \theta_j - v_{last} /
    \theta_{last}` with the expected counts v (Fisher's identity), and its central differences of fourth order give the
    Hessian to some ten digits. Cost: four E-steps per free coordinate, and :math:`O(k^3)` for k of them.

    The errors are those of large samples (beware below some hundred observations), hold for the maximum at hand (states
    renamed are another one) and assume that the model is right. Three or more states of which only the ends' labels
    were seen are often not determined, while acceptances of words are.

    Examples
    --------
    >>> import cutpoint as cp
    >>> coin = cp.Acceptor(2, "f", [[[0.3, 0.7], [0.3, 0.7]]], 0, {1})
    >>> sample = cp.Sample(["f", "f"], accepted=[True, False], counts=[70, 30])
    >>> errors = cp.assess.standard_errors(coin, sample, words=["f"])
    >>> errors.acceptances.round(4), round((0.7 * 0.3 / 100) ** 0.5, 4)
    (array([0.0458]), 0.0458)
    >>> print(errors.table())
                estimate  ±
    f: 0 → 0    0.3       0.0458
    f: 0 → 1    0.7       0.0458
    f: 1 → 0    0.3       inf
    f: 1 → 1    0.7       inf
    'f'         0.7       0.0458
    """
    check_acceptor(acceptor)
    check_sample(sample)
    check_threads(threads)
    asked = tuple(
        acceptor.alphabet.decode(acceptor.alphabet.encode_word(word))
        for word in each_word(() if words is None else words)
    )
    sample = sample.recoded(acceptor.alphabet)
    e_step = partial(InMemory(sample, 1).expected_counts, masks=mark_masks(acceptor, sample))
    place = Parameters(acceptor.transitions, acceptor.initial)
    coordinates = Coordinates.of(place, e_step(place), learn_initial)
    if len(coordinates) > MOST_PARAMETERS:
        raise TooLarge(
            f"standard errors of {counted(len(coordinates), 'free parameter')} would need a matrix of "
            f"{counted(len(coordinates) ** 2, 'entry')}; at most {MOST_PARAMETERS:,} parameters can be. "
            "Ask bootstrap(...) instead."
        )
    curvature = Curvature.of(information(coordinates, e_step, threads), coordinates.spread())
    outcome = _outcome(coordinates, curvature)
    known = outcome is not Information.NOT_MAXIMUM
    rows = _entry_errors(coordinates, curvature) if known else None
    errors = (None, None) if rows is None else coordinates.parameters(rows)
    gradients = [_acceptance_gradient(acceptor, word) for word in asked]
    return StandardErrors(
        acceptor,
        outcome,
        errors[0],
        errors[1],
        asked,
        _errors(gradients, coordinates, curvature) if known else None,
        curvature.shares,
        _boundary_names(acceptor, coordinates),
        coordinates,
        curvature,
    )


def _outcome(coordinates: Coordinates, curvature: Curvature) -> Information:
    """What the curvature says, the worst first."""
    seen = curvature.determined
    pull = (coordinates.score(coordinates.theta, coordinates.counts) @ curvature.directions) ** 2
    gain = float((pull[seen] / curvature.shares[seen]).sum() + pull[~seen].sum())
    if gain > NEAR or (curvature.shares < BENT_SHARE).any():
        return Information.NOT_MAXIMUM
    if not seen.all() or coordinates.unreached.any():
        return Information.SINGULAR
    return Information.BOUNDARY if coordinates.boundary.any() else Information.REGULAR


def _entry_errors(coordinates: Coordinates, curvature: Curvature) -> Floats:
    """Standard error of each entry, in the order of all rows."""
    errors = np.zeros_like(coordinates.theta)
    errors[coordinates.row, coordinates.column] = np.sqrt(curvature.variance(np.eye(len(coordinates))))
    for row in np.unique(coordinates.row):
        own = coordinates.row == row
        given_way = curvature.variance(-own.astype(np.float64)[None])
        errors[row, coordinates.last[own][0]] = float(np.sqrt(given_way[0]))
    errors[coordinates.boundary] = np.inf
    errors[coordinates.unreached[:, None] & (coordinates.theta > 0.0)] = np.inf
    return errors


def _acceptance_gradient(acceptor: Acceptor, word: Word) -> Floats:
    """Derivatives of a word's acceptance with respect to all entries, in the order of all rows."""
    codes = acceptor.alphabet.encode_word(word)
    before, after = acceptor.forward(word), acceptor.backward(word, accepted=True)
    steps = np.zeros_like(acceptor.transitions)
    for i, a in enumerate(codes):
        steps[a] += np.outer(before[i], after[i + 1])
    return stacked(steps, after[0])


def _errors(gradients: list[Floats], coordinates: Coordinates, curvature: Curvature) -> Floats:
    """Standard errors by the delta method; infinite where a row that was never reached matters."""
    if not gradients:
        return np.zeros(0)
    free = np.array([coordinates.pulled(gradient) for gradient in gradients])
    errors: Floats = np.sqrt(curvature.variance(free))
    for k, gradient in enumerate(gradients):
        rows = np.where(coordinates.theta > 0.0, gradient, np.nan)[coordinates.unreached]
        if len(rows) and float((np.nanmax(rows, axis=1) - np.nanmin(rows, axis=1)).max()) > ROUNDING:
            errors[k] = np.inf
    return errors


def _boundary_names(acceptor: Acceptor, coordinates: Coordinates) -> tuple[tuple[Symbol | State, ...], ...]:
    names = []
    for row, t in np.argwhere(coordinates.boundary).tolist():
        a, s = divmod(row, acceptor.n_states)
        last = acceptor.states[t]
        names.append((acceptor.alphabet[a], acceptor.states[s], last) if a < acceptor.n_symbols else (last,))
    return tuple(names)
