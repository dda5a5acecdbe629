"""LU factorisation with row exchanges, and solving with it."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    BY_KERNEL,
    LOW_BY_KERNEL,
    broadcast_batches,
    require_matrix,
    require_number_type,
    require_same_dtype,
    require_square,
)
from flambeau_core.linalg.error import check_info
from flambeau_core.linalg.triangular import require_compatible, solve_with

__all__ = ["lu", "lu_factor", "lu_factor_ex", "lu_solve"]

Tensor = fb.Tensor


# ---- the factorisation --------------------------------------------------------------


@primitive("_linalg_lu_factor(Tensor A, bool pivot, str? check=None) -> (Tensor, Tensor, Tensor)")
def factored(A: Tensor, pivot: bool, check: str | None) -> tuple[Tensor, Tensor, Tensor]:
    LU = A.new_empty(A.shape)
    pivots = A.new_empty([*A.shape[:-2], min(A.shape[-2:])], dtype=fb.int32)
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if LU.numel():
        _C.launch("lu_factor", [LU, pivots, info], [A], (pivot,))
    if check:
        check_info(check, info, _zero_pivot, RuntimeError)
    return LU, pivots, info


def _zero_pivot(position: int) -> str:
    return (
        f"U[{position},{position}] is zero and using it on lu_solve would result in a division by "
        "zero. If you still want to perform the factorization, consider calling "
        "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
    )


@factored.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    LU, pivots, _ = outputs
    grad = _unpermuted_gradient(grads[0], LU)
    rows = permutation(pivots, LU.shape[-2])
    return permute_rows(grad, rows.argsort(-1))


def _unpermuted_gradient(grad: Tensor, LU: Tensor) -> Tensor:
    """The gradient for the matrix ``L U``, from the leading square and what goes beyond it."""
    m, n = LU.shape[-2:]
    k = min(m, n)
    L1 = LU[..., :k, :k].tril(-1) + fb.eye(k, dtype=LU.dtype, device=LU.device)
    U1 = LU[..., :k, :k].triu()
    lower = L1.mH @ grad[..., :k, :k].tril(-1)
    upper = grad[..., :k, :k].triu() @ U1.mH
    if n > k:
        lower = lower - grad[..., :k, k:] @ LU[..., :k, k:].mH
    if m > k:
        upper = upper - LU[..., k:, :k].mH @ grad[..., k:, :k]
    inner = lower.tril(-1) + upper.triu()

    def by_U(x: Tensor) -> Tensor:
        return solve_with(U1.mH, x, upper=False, left=False)

    def by_L(x: Tensor) -> Tensor:
        return solve_with(L1.mH, x, upper=True, unitriangular=True)

    square = by_L(by_U(inner))
    if n > k:
        return fb.cat([square, by_L(grad[..., :k, k:])], -1)
    if m > k:
        return fb.cat([square, by_U(grad[..., k:, :k])], -2)
    return square


def permutation(pivots: Tensor, rows: int) -> Tensor:
    """The row of A that ends in each row of ``L U``, ``(..., rows)``, from exchanges in order."""
    order = fb.arange(rows, device=pivots.device).expand([*pivots.shape[:-1], rows])
    others = pivots.to(fb.int64) - 1
    for i in range(pivots.shape[-1]):
        other = others[..., i : i + 1]
        here, there = order[..., i : i + 1], order.gather(-1, other)
        order = order.scatter(-1, other, here)
        order = fb.cat([order[..., :i], there, order[..., i + 1 :]], -1)
    return order


def permute_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Each matrix's rows in the order of its ``rows``."""
    return x.gather(-2, rows.unsqueeze(-1).expand([*rows.shape, x.shape[-1]]))


def unpacked(LU: Tensor) -> tuple[Tensor, Tensor]:
    """``L`` with ones on its diagonal, and ``U``."""
    m, n = LU.shape[-2:]
    k = min(m, n)
    L = LU[..., :k].tril(-1) + fb.eye(m, k, dtype=LU.dtype, device=LU.device)
    return L, LU[..., :k, :].triu()


def permutation_matrix(pivots: Tensor, rows: int, like: Tensor) -> Tensor:
    """P with ``A = P L U``."""
    order = permutation(pivots, rows)
    P = fb.zeros([*order.shape, rows], dtype=like.dtype, device=like.device)
    return P.scatter(-2, order.unsqueeze(-2), 1)


def _require(name: str, A: Tensor) -> None:
    require_matrix(name, A)
    require_number_type(name, A, BY_KERNEL)


@op(
    "lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
    namespace="linalg",
    full_precision=True,
)
def lu_factor(A: Tensor, pivot: bool) -> Any:
    """L below the diagonal and U in one ``(..., m, n)``, and the row exchanges, from 1.

    Raises:
        RuntimeError: U has a zero on its diagonal.
    """
    name = "linalg.lu_factor"
    _require(name, A)
    return fb.return_types.linalg_lu_factor(*factored(A, pivot, f"torch.{name}")[:2])


@op(
    "lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False)"
    " -> (Tensor LU, Tensor pivots, Tensor info)",
    namespace="linalg",
    full_precision=True,
)
def lu_factor_ex(A: Tensor, pivot: bool, check_errors: bool) -> Any:
    """The same as ``lu_factor``, and for each matrix 0, or k where U[k, k] is 0."""
    name = "linalg.lu_factor_ex"
    _require(name, A)
    return fb.return_types.linalg_lu_factor_ex(
        *factored(A, pivot, f"torch.{name}" if check_errors else None)
    )


@op(
    "lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
    namespace="linalg",
    full_precision=True,
)
def lu(A: Tensor, pivot: bool) -> Any:
    """``A = P L U``: a permutation, unit lower triangular and upper triangular matrices.

    For ``(..., m, n)`` they are ``(..., m, m)``, ``(..., m, k)`` and ``(..., k, n)``,
    ``k = min(m, n)``. Without ``pivot`` P is empty.
    """
    _require("linalg.lu", A)
    LU, pivots, _ = factored(A, pivot, None)
    P = permutation_matrix(pivots, A.shape[-2], A) if pivot else A.new_empty([0])
    return fb.return_types.linalg_lu(P, *unpacked(LU))


# ---- solving ------------------------------------------------------------------------


def solve_factored(
    LU: Tensor, pivots: Tensor, B: Tensor, left: bool = True, adjoint: bool = False
) -> Tensor:
    """``X`` of ``A X = B`` for checked arguments of one batch shape."""
    if not left:
        # X A = B is A^H X^H = B^H
        return solve_factored(LU, pivots, B.mH, True, not adjoint).mH
    rows = permutation(pivots, LU.shape[-2])
    if adjoint:
        Y = solve_with(LU.mH, B, upper=False)
        Y = solve_with(LU.mH, Y, upper=True, unitriangular=True)
        return permute_rows(Y, rows.argsort(-1))
    Y = solve_with(LU, permute_rows(B, rows), upper=False, unitriangular=True)
    return solve_with(LU, Y, upper=True)


def _checked(
    name: str, LU: Tensor, pivots: Tensor, B: Tensor, left: bool
) -> tuple[Tensor, Tensor, Tensor]:
    require_square(name, LU, "LU")
    require_number_type(name, LU, LOW_BY_KERNEL)
    require_matrix(name, B, "B")
    require_same_dtype(name, LU, B, "LU and B")
    require_pivots(name, pivots)
    require_compatible(name, LU, B, left)
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix, "
            f"got shapes {tuple(LU.shape)} and {tuple(pivots.shape)}"
        )
    LU_, B_ = broadcast_batches(name, LU, B)
    return LU_, pivots.expand(LU_.shape[:-1]), B_


def require_pivots(name: str, pivots: Tensor) -> None:
    if pivots.dtype != fb.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")


@op(
    "lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """Solves ``A X = B`` (``X A = B`` if not ``left``) after ``lu_factor``; A^H if ``adjoint``."""
    return solve_factored(*_checked("linalg.lu_solve", LU, pivots, B, left), left, adjoint)


def lu_solve_of(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solves ``A X = self`` after ``lu_factor``."""
    return solve_factored(*_checked("lu_solve", LU_data, LU_pivots, self, True))


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool) -> Any:
    """P, L and U from what ``lu_factor`` gives; what is not asked for is empty."""
    name = "lu_unpack"
    require_matrix(name, LU_data, "LU_data")
    if unpack_pivots and LU_pivots.dtype != fb.int32:
        raise RuntimeError(
            f"{name}: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype, "
            f"got {LU_pivots.dtype}"
        )
    empty = LU_data.new_empty([0])
    P = permutation_matrix(LU_pivots, LU_data.shape[-2], LU_data) if unpack_pivots else empty
    L, U = unpacked(LU_data) if unpack_data else (empty, LU_data.new_empty([0]))
    return fb.return_types.lu_unpack(P, L, U)


def lu_of(self: Tensor, pivot: bool, get_infos: bool) -> Any:
    """The packed factors and pivots of ``linalg.lu_factor_ex``, and its infos if asked for."""
    _require("lu", self)
    found = factored(self, pivot, None)
    return fb.return_types._lu_with_info(*found) if get_infos else tuple(found[:2])
