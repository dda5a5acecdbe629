"""Factorisation of symmetric and Hermitian indefinite matrices by diagonal pivoting.

Bunch and Kaufman, Some stable methods for calculating inertia and solving symmetric linear
systems, Mathematics of Computation 31 (1977). Pivots are encoded as LAPACK does: k + 1 for an
exchange with row k, and twice -(k + 1) for a block of two rows.
"""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.lu import size_for_pivoting
from flambeau_core.reference.precision import Array
from flambeau_core.reference.table import Kernel

# bounds the growth of elements equally for both sizes of pivot
ALPHA = (1 + 17**0.5) / 8


def diagonal_size(xp: Any, element: Array, conj: Any) -> Array:
    """Only the real part counts on the diagonal of a Hermitian matrix."""
    return size_for_pivoting(xp, (element + conj(element)) / 2)


def choose_pivot(xp: Any, a: Array, k: int, conj: Any) -> tuple[int, int, bool]:
    """The row to exchange, how many rows the pivot takes, and whether the column is all 0."""
    diagonal = diagonal_size(xp, a[k, k], conj)
    below = size_for_pivoting(xp, a[k + 1 :, k])
    largest = below.max() if below.size else 0
    if max(diagonal, largest) == 0 or not diagonal == diagonal:
        return k, 1, True
    if diagonal >= ALPHA * largest:
        return k, 1, False
    row = k + 1 + int(below.argmax())
    others = xp.concatenate([a[row, k:row], a[row + 1 :, row]])
    row_largest = size_for_pivoting(xp, others).max()
    if diagonal >= ALPHA * largest * (largest / row_largest):
        return k, 1, False
    if diagonal_size(xp, a[row, row], conj) >= ALPHA * row_largest:
        return row, 1, False
    return row, 2, False


def exchange(a: Array, i: int, j: int, first: int, conj: Any) -> None:
    """Swaps rows and columns ``i < j`` of the lower triangle from column ``first`` on."""
    a[j + 1 :, [i, j]] = a[j + 1 :, [j, i]]
    between = a[i + 1 : j, i].copy()
    a[i + 1 : j, i] = conj(a[j, i + 1 : j])
    a[j, i + 1 : j] = conj(between)
    a[j, i] = conj(a[j, i])
    a[i, i], a[j, j] = a[j, j], a[i, i]
    if first < i:
        a[[i, j], first] = a[[j, i], first]


def factor(xp: Any, a: Array, pivots: Array, conj: Any) -> int:
    """In place in the lower triangle of one matrix; returns its info."""
    n, k, info = len(a), 0, 0
    while k < n:
        row, size, empty = choose_pivot(xp, a, k, conj)
        last = k + size - 1
        if row != last:
            exchange(a, last, row, k, conj)
        pivots[k : k + size] = row + 1 if size == 1 else -(row + 1)
        if empty:
            info = info or k + 1
        else:
            eliminate(xp, a, k, size, conj)
        k += size
    return info


def pivot_block(a: Array, k: int, size: int, conj: Any) -> Array:
    """The pivot as a whole matrix; on the diagonal of a Hermitian one only reals count."""
    block = a[k : k + size, k : k + size].copy()
    if size == 2:
        block[0, 1] = conj(block[1, 0])
    for i in range(size):
        block[i, i] = (block[i, i] + conj(block[i, i])) / 2
    return block


def eliminate(xp: Any, a: Array, k: int, size: int, conj: Any) -> None:
    block = pivot_block(a, k, size, conj)
    for i in range(k, k + size):
        a[i, i] = block[i - k, i - k]
    rest = a[k + size :, k + size :]
    below = a[k + size :, k : k + size].copy()
    multipliers = xp.linalg.solve(block.T, below.T).T if size == 2 else below / block
    update = xp.matmul(multipliers, conj(below).T)
    lower = xp.tri(len(rest), dtype=bool)
    rest[lower] -= update[lower]
    a[k + size :, k : k + size] = multipliers


def ldl_factor(
    xp: Any, out: Array, pivots: Array, info: Array, a: Array, *, hermitian: int
) -> None:
    conj = xp.conj if hermitian else lambda x: x
    for index in xp.ndindex(info.shape):
        work = xp.tril(a[index])
        info[index] = factor(xp, work, pivots[index], conj)
        out[index] = work


def steps(pivots: Array) -> list[tuple[int, int]]:
    """Where the pivots begin, and their sizes."""
    found, k = [], 0
    while k < len(pivots):
        size = 1 if pivots[k] > 0 else 2
        found.append((k, size))
        k += size
    return found


def solve(xp: Any, ld: Array, pivots: Array, x: Array, conj: Any) -> None:
    """In place on one right-hand side ``(n, k)``."""
    for k, size in steps(pivots):
        last, row = k + size - 1, abs(int(pivots[k])) - 1
        x[[last, row]] = x[[row, last]]
        x[k + size :] -= xp.matmul(ld[k + size :, k : k + size], x[k : k + size])
        block = pivot_block(ld, k, size, conj)
        x[k : k + size] = (
            xp.linalg.solve(block, x[k : k + size]) if size == 2 else (x[k : k + size] / block)
        )
    for k, size in reversed(steps(pivots)):
        last, row = k + size - 1, abs(int(pivots[k])) - 1
        below = conj(ld[k + size :, k : k + size]).T
        x[k : k + size] -= xp.matmul(below, x[k + size :])
        x[[last, row]] = x[[row, last]]


def ldl_solve(xp: Any, out: Array, ld: Array, pivots: Array, b: Array, *, hermitian: int) -> None:
    conj = xp.conj if hermitian else lambda x: x
    out[...] = b
    for index in xp.ndindex(out.shape[:-2]):
        solve(xp, ld[index], pivots[index], out[index], conj)


KERNELS = {"ldl_factor": Kernel(ldl_factor, "fc"), "ldl_solve": Kernel(ldl_solve, "fc")}
