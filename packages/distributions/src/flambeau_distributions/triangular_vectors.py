"""Lower triangles of matrices as vectors, row by row."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core import Tensor


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries on and below a diagonal, ``(..., n, n)`` to ``(..., k)``.

    Raises:
        ValueError: there is no such diagonal.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) must be in [{-n}, {n - 1}] for matrices of {n} rows")
    rows, columns = fb.tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The matrix with these entries on and below a diagonal, and zeros above.

    Raises:
        RuntimeError: no matrix has so many entries there.
    """
    count = vec.shape[-1]
    if diag <= 0:  # a triangle of n + diag rows
        n = round((math.sqrt(8 * count + 1) - 1) / 2) - diag
    else:  # a triangle of n rows and the diagonals above it: n - 1, ..., n - diag entries
        slope = 2 * diag + 1
        n = round((math.sqrt(slope**2 + 4 * (diag * (diag + 1) + 2 * count)) - slope) / 2)
    rows, columns = fb.tril_indices(n, n, diag, device=vec.device)
    if rows.numel() != count:
        raise RuntimeError(f"{count} entries do not fill the triangle at diagonal {diag}")
    matrix = vec.new_zeros((*vec.shape[:-1], n, n))
    matrix[..., rows, columns] = vec
    return matrix
