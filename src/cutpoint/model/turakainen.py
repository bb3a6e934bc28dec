r"""Turakainen's construction: a linear function with a cut point becomes a stochastic acceptor with another one.

Given :math:`\xi M(x) \eta > \lambda` in dimension n. All steps hold for the empty word too.

1. One more dimension with matrix 1 and final entry :math:`-\lambda` moves the cut point to 0.
2. Two more make all row and column sums 0, so that :math:`N(a) J = J N(a) = 0` with :math:`J` all ones:

   .. math:: N(a) = \begin{pmatrix} 0 & 0 & 0 \\ -M 1 & M & 0 \\ 1^T M 1 & -1^T M & 0 \end{pmatrix}, \qquad
             \xi' = (-\xi 1,\ \xi,\ 0), \quad \eta' = (0,\ \eta,\ 0)^T

   The first row and the last column are 0, so products keep :math:`M(x)` in the middle and
   :math:`\xi' N(x) \eta' = \xi M(x) \eta`; and :math:`\xi'` sums to 0.
3. With q the new size and :math:`c_a \ge |N(a)_{st}|`, the matrix :math:`S(a) = (N(a) + c_a J) / (c_a q)` is doubly
   stochastic and :math:`\xi' S(x) \eta' = \xi' N(x) \eta' / \prod_i c_{x_i} q`: the same sign.
4. With :math:`t \ge |\xi'_s|`, the row :math:`\pi = (\xi' + t 1^T) / (t q)` is a distribution. Columns of S(x) sum
   to 1, so :math:`\pi S(x) \eta' = \xi' S(x) \eta' / (t q) + 1^T \eta' / q`, which is above
   :math:`\mu = 1^T \eta' / q` iff the value is positive.
5. A positive affine map brings :math:`\eta'` and :math:`\mu` into [0, 1]; a state with final entry h strictly between
   is split into one that is final, entered with probability h, and one that is not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


def stochastic_parts(
    initial: Numbers, transitions: Numbers, final: Numbers, cut_point: Fraction
) -> tuple[Numbers, Numbers, NDArray[np.bool_], Fraction]:
    """Transitions, initial distribution, final states and cut point of the acceptor; arrays of ``Fraction``."""
    row, matrices, column = _balanced(*_with_cut_point_zero(initial, transitions, final, cut_point))
    size = len(row)
    steps = np.stack([(matrix + bound) / (bound * size) for matrix in matrices for bound in [_bound(matrix)]])
    start = (row + _bound(row)) / (_bound(row) * size)
    low, high = min(column), max(column)
    heights = (column - low) / (high - low if high > low else Fraction(1))
    return (*_split(steps, start, heights), heights.sum() / size)


def _with_cut_point_zero(
    initial: Numbers, transitions: Numbers, final: Numbers, cut_point: Fraction
) -> tuple[Numbers, Numbers, Numbers]:
    matrices = _bordered(transitions, 0, 1)
    matrices[:, -1, -1] = Fraction(1)
    one, level = [Fraction(1)], [-cut_point]
    return np.concatenate([initial, one]), matrices, np.concatenate([final, level])


def _balanced(initial: Numbers, transitions: Numbers, final: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Matrices whose rows and columns sum to 0, and a row that sums to 0."""
    matrices = _bordered(transitions, 1, 1)
    matrices[:, 1:-1, 0] = -transitions.sum(axis=2)
    matrices[:, -1, 1:-1] = -transitions.sum(axis=1)
    matrices[:, -1, 0] = transitions.sum(axis=(1, 2))
    zero = [Fraction(0)]
    return np.concatenate([[-initial.sum()], initial, zero]), matrices, np.concatenate([zero, final, zero])


def _bordered(matrices: Numbers, before: int, after: int) -> Numbers:
    """Matrices with rows and columns of zeros around them."""
    n_symbols, size, _ = matrices.shape
    larger = np.full((n_symbols, before + size + after, before + size + after), Fraction(0), dtype=object)
    larger[:, before : before + size, before : before + size] = matrices
    return larger


def _bound(values: Numbers) -> Fraction:
    """Largest absolute value; 1 if all are 0."""
    return max(abs(value) for value in values.flat) or Fraction(1)


def _split(steps: Numbers, start: Numbers, heights: Numbers) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """States with a final entry of 0 or 1: those in between become two, entered in proportion."""
    shares = [(s, accepts, share) for s, h in enumerate(heights) for accepts, share in ((True, h), (False, 1 - h))]
    kept = [(s, accepts, share) for s, accepts, share in shares if share]
    states, portions = [s for s, _, _ in kept], np.array([share for _, _, share in kept], dtype=object)
    final = np.array([accepts for _, accepts, _ in kept], dtype=np.bool_)
    return steps[:, states][:, :, states] * portions, start[states] * portions, final
