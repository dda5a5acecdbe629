"""Cholesky factorisation of positive definite matrices, and what it solves."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    BY_KERNEL,
    LOW_BY_KERNEL,
    broadcast_batches,
    identity_like,
    require_matrix,
    require_same_dtype,
    require_square_numbers,
)
from flambeau_core.linalg.error import check_info
from flambeau_core.linalg.triangular import require_compatible, solve_with

__all__ = ["cholesky", "cholesky_ex"]

Tensor = fb.Tensor


@primitive("_linalg_cholesky(Tensor A, str? check=None) -> (Tensor, Tensor)")
def factored(A: Tensor, check: str | None) -> tuple[Tensor, Tensor]:
    L = A.new_empty(A.shape)
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if A.numel():
        _C.launch("cholesky", [L, info], [A])
    if check:
        check_info(check, info, _not_positive_definite)
    return L, info


def _not_positive_definite(order: int) -> str:
    return (
        "The factorization could not be completed because the input is not positive-definite "
        f"(the leading minor of order {order} is not positive-definite)."
    )


@factored.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    # Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527
    L = outputs[0]
    product = L.mH @ grads[0]
    half = product.tril(-1) + fb.diag_embed(product.diagonal(0, -2, -1) * 0.5)
    grad = solve_with(L, solve_with(L.mH, half, upper=True), upper=False, left=False)
    return (grad + grad.mH) * 0.5


@op("cholesky(Tensor self, *, bool upper=False) -> Tensor", namespace="linalg", full_precision=True)
def cholesky(self: Tensor, upper: bool) -> Tensor:
    """The lower triangular ``L`` with ``A = L L^H`` for each ``(..., n, n)`` positive definite A.

    ``upper`` gives ``L^H`` and reads the upper triangle instead of the lower.

    Raises:
        LinAlgError: a matrix is not positive definite.
    """
    require_square_numbers("linalg.cholesky", self, refusals=LOW_BY_KERNEL)
    return _triangle(self, upper, "linalg.cholesky")[0]


def _triangle(A: Tensor, upper: bool, check: str | None) -> tuple[Tensor, Tensor]:
    L, info = factored(A.mH if upper else A, check)
    return (L.mH if upper else L), info


@op(
    "cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False)"
    " -> (Tensor L, Tensor info)",
    namespace="linalg",
    full_precision=True,
)
def cholesky_ex(self: Tensor, upper: bool, check_errors: bool) -> Any:
    """The factor, and for each matrix 0, or the order of the first minor that is not positive.

    Raises:
        LinAlgError: a matrix is not positive definite and ``check_errors``.
    """
    name = "linalg.cholesky_ex"
    require_square_numbers(name, self, refusals=LOW_BY_KERNEL)
    return fb.return_types.linalg_cholesky_ex(
        *_triangle(self, upper, name if check_errors else None)
    )


def cholesky_of(self: Tensor, upper: bool) -> Tensor:
    """The same as ``linalg.cholesky``."""
    require_square_numbers("cholesky", self, refusals=BY_KERNEL)
    return _triangle(self, upper, "cholesky")[0]


# ---- what a factor solves -----------------------------------------------------------
# PyTorch's gradients for a factor are those of the whole matrix, also where it is not read.


@primitive("_cholesky_solve(Tensor B, Tensor L, bool upper) -> Tensor")
def solved(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    lower = L.mH if upper else L
    return solve_with(lower.mH, solve_with(lower, B, upper=False), upper=True)


@solved.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    _, L, upper = inputs
    grad_B = solved(grads[0], L, upper)
    if not needs[1]:
        return grad_B, None
    return grad_B, _factor_gradient(-(grad_B @ outputs[0].mH), L, upper)


def _factor_gradient(grad: Tensor, L: Tensor, upper: bool) -> Tensor:
    """From the gradient of the product ``L L^H``, or ``L^H L``."""
    both = grad + grad.mH
    return L @ both if upper else both @ L


def cholesky_solve(self: Tensor, input2: Tensor, upper: bool) -> Tensor:
    """Solves ``A X = B`` for ``B`` ``(..., n, k)``, given A's Cholesky factor ``(..., n, n)``."""
    name = "cholesky_solve"
    require_matrix(name, self, "b")
    require_square_numbers(name, input2, "L", BY_KERNEL)
    require_same_dtype(name, self, input2, "b and L")
    require_compatible(name, input2, self, True)
    factor, right = broadcast_batches(name, input2, self)
    X: Tensor = solved(right, factor, upper)
    return X


@primitive("_cholesky_inverse(Tensor L, bool upper) -> Tensor")
def inverted(L: Tensor, upper: bool) -> Tensor:
    lower = L.mH if upper else L
    inverse = solve_with(lower, identity_like(lower, lower.shape[-1]), upper=False)
    return inverse.mH @ inverse


@inverted.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    L, upper = inputs
    inverse = outputs[0]
    return _factor_gradient(-(inverse @ (grads[0] @ inverse)), L, upper)


def cholesky_inverse(self: Tensor, upper: bool) -> Tensor:
    """The inverse of the matrix whose Cholesky factor is given, ``(..., n, n)``."""
    require_square_numbers("cholesky_inverse", self, refusals=BY_KERNEL)
    inverse: Tensor = inverted(self, upper)
    return inverse
