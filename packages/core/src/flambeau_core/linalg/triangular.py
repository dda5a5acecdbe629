"""Solving with triangular matrices."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    BY_KERNEL,
    broadcast_batches,
    require_matrix,
    require_number_type,
    require_same_dtype,
    require_square,
)

__all__ = ["solve_triangular"]

Tensor = fb.Tensor


@primitive("_linalg_solve_triangular(Tensor A, Tensor B, bool upper, bool unitriangular) -> Tensor")
def solved(A: Tensor, B: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    X = B.new_empty(B.shape)
    if X.numel():
        _C.launch("triangular_solve", [X], [A, B], (upper, unitriangular))
    return X


@solved.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    A, _, upper, unitriangular = inputs
    grad_B = solved(A.mH, grads[0], not upper, unitriangular)
    if not needs[0]:
        return None, grad_B
    grad_A = -(grad_B @ outputs[0].mH)
    offset = 1 if unitriangular else 0
    return (grad_A.triu(offset) if upper else grad_A.tril(-offset)), grad_B


def solve_with(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The solution for checked matrices of one batch shape."""
    if left:
        return solved(A, B, upper, unitriangular)
    return solved(A.mT, B.mT, not upper, unitriangular).mT


def require_compatible(name: str, A: Tensor, B: Tensor, left: bool) -> None:
    if A.shape[-1] != B.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]}; "
            f"shapes {tuple(A.shape)} and {tuple(B.shape)})"
        )


@op(
    "solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True,"
    " bool unitriangular=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def solve_triangular(
    self: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool
) -> Tensor:
    """Solves ``A X = B`` (``X A = B`` if not ``left``) for a triangular matrix.

    ``A`` is ``(..., n, n)``, ``B`` ``(..., n, k)``, or ``(..., k, n)`` on the right; batches
    broadcast. Only the triangle that ``upper`` names is read, without its diagonal, taken as
    ones, if ``unitriangular``. A zero on the diagonal gives infinities, no error.
    """
    name = "linalg.solve_triangular"
    require_square(name, self)
    require_matrix(name, B, "B")
    require_same_dtype(name, self, B)
    require_number_type(name, self, BY_KERNEL)
    require_compatible(name, self, B, left)
    A, B = broadcast_batches(name, self, B)
    return solve_with(A, B, upper=upper, left=left, unitriangular=unitriangular)


def triangular_solve(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    """Solves ``A X = self`` for triangular ``A``, or its transpose; also returns a copy of A."""
    name = "triangular_solve"
    require_square(name, A)
    require_matrix(name, self, "b")
    require_same_dtype(name, self, A, "b and A")
    require_number_type(name, A, BY_KERNEL)
    require_compatible(name, A, self, True)
    matrix, right = broadcast_batches(name, A, self)
    if transpose:
        solution = solve_with(matrix.mT, right, upper=not upper, unitriangular=unitriangular)
    else:
        solution = solve_with(matrix, right, upper=upper, unitriangular=unitriangular)
    return fb.return_types.triangular_solve(solution, matrix.clone())
