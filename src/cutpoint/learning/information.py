"""The observed information: curvature of the log-likelihood in free coordinates, exact up to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.learning.counts import Counts
from cutpoint.learning.engine import Parameters
from cutpoint.learning.freedom import HALF_A_USE, stacked, used_entries
from cutpoint.learning.workers import mapped

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
