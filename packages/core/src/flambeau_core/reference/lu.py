"""LU factorisation with row exchanges, and solving with triangular matrices.

Both work on all matrices of a batch at once, by blocks of columns, so that most of the work is
matrix products (Golub and Van Loan, Matrix Computations, 2013, sections 3.1 and 3.2).
"""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array
from flambeau_core.reference.table import Kernel

BLOCK = 32


def size_for_pivoting(xp: Any, x: Array) -> Array:
    """LAPACK's cheap magnitude, |re| + |im|: the choice of pivots follows it."""
    return xp.abs(x.real) + xp.abs(x.imag) if x.dtype.kind == "c" else xp.abs(x)


def exchange_rows(xp: Any, a: Array, row: int, other: Array) -> None:
    """Swaps one row with a row of its own in each matrix of ``(batch, m, n)``."""
    batch = xp.arange(len(a))
    kept = a[:, row].copy()
    a[:, row] = a[batch, other]
    a[batch, other] = kept


def factor(xp: Any, lu: Array, pivots: Array, info: Array, pivot: bool) -> None:
    """In place on ``(batch, m, n)``; pivots count from 1."""
    m, n = lu.shape[-2:]
    for start in range(0, min(m, n), BLOCK):
        end = min(start + BLOCK, m, n)
        for j in range(start, end):
            pivots[:, j] = j + 1
            if pivot:
                best = j + size_for_pivoting(xp, lu[:, j:, j]).argmax(-1)
                exchange_rows(xp, lu, j, best)
                pivots[:, j] = best + 1
            diagonal = lu[:, j, j]
            zero = diagonal == 0
            info[zero & (info == 0)] = j + 1
            lu[:, j + 1 :, j] /= xp.where(zero, 1, diagonal)[:, None]
            lu[:, j + 1 :, j + 1 : end] -= lu[:, j + 1 :, j, None] * lu[:, None, j, j + 1 : end]
        for j in range(start, end):
            lu[:, j + 1 : end, end:] -= lu[:, j + 1 : end, j, None] * lu[:, None, j, end:]
        lu[:, end:, end:] -= xp.matmul(lu[:, end:, start:end], lu[:, start:end, end:])


def first_zero_pivot(xp: Any, a: Array) -> int:
    """The first k with U[k, k] = 0, counted from 1."""
    info = xp.zeros(1, "int32")
    factor(xp, a.copy()[None], xp.zeros((1, len(a)), "int32"), info, True)
    # rounding may leave a pivot that another order of operations finds to be 0
    return int(info[0]) or len(a)


def lu_factor(xp: Any, out: Array, pivots: Array, info: Array, a: Array, *, pivot: int) -> None:
    lu = xp.array(a).reshape(info.size, *a.shape[-2:])
    at = xp.zeros((info.size, pivots.shape[-1]), "int32")
    singular = xp.zeros(info.size, "int32")
    factor(xp, lu, at, singular, bool(pivot))
    out[...] = lu.reshape(out.shape)
    pivots[...] = at.reshape(pivots.shape)
    info[...] = singular.reshape(info.shape)


def triangular_solve(
    xp: Any, out: Array, a: Array, b: Array, *, upper: int, unitriangular: int
) -> None:
    out[...] = b
    # seen from its last row and column, an upper triangle is a lower one
    x = out[..., ::-1, :] if upper else out
    lower = a[..., ::-1, ::-1] if upper else a
    n = a.shape[-1]
    for start in range(0, n, BLOCK):
        end = min(start + BLOCK, n)
        x[..., start:end, :] -= xp.matmul(lower[..., start:end, :start], x[..., :start, :])
        for i in range(start, end):
            known = xp.matmul(lower[..., i : i + 1, start:i], x[..., start:i, :])
            x[..., i : i + 1, :] -= known
            if not unitriangular:
                x[..., i, :] /= lower[..., i, i, None]


KERNELS = {
    "lu_factor": Kernel(lu_factor, "fc"),
    "triangular_solve": Kernel(triangular_solve, "fc"),
}
