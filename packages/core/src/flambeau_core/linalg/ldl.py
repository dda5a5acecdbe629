"""Factorisation of symmetric and Hermitian matrices that need not be definite."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    LOW_BY_KERNEL,
    broadcast_batches,
    require_matrix,
    require_same_dtype,
    require_square_numbers,
)
from flambeau_core.linalg.error import check_info
from flambeau_core.linalg.lu import require_pivots
from flambeau_core.linalg.triangular import require_compatible

__all__ = ["ldl_factor", "ldl_factor_ex", "ldl_solve"]

Tensor = fb.Tensor


@primitive("_linalg_ldl_factor(Tensor A, bool hermitian, str? check) -> (Tensor, Tensor, Tensor)")
def factored(A: Tensor, hermitian: bool, check: str | None) -> tuple[Tensor, Tensor, Tensor]:
    LD = A.new_empty(A.shape)
    pivots = A.new_empty(A.shape[:-1], dtype=fb.int32)
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if LD.numel():
        _C.launch("ldl_factor", [LD, pivots, info], [A], (hermitian,))
    if check:
        check_info(check, info, _zero_block)
    return LD, pivots, info


def _zero_block(position: int) -> str:
    return (
        f"D[{position},{position}] is zero and using it on ldl_solve would result in a division "
        "by zero."
    )


@op(
    "ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
    namespace="linalg",
    full_precision=True,
)
def ldl_factor(self: Tensor, hermitian: bool) -> Any:
    """L and the block diagonal D of symmetric (Hermitian if ``hermitian``) matrices in one.

    The lower triangle of ``(..., n, n)`` is read. Pivots ``(..., n)`` are LAPACK's.

    Raises:
        LinAlgError: a block of D is 0.
    """
    name = "linalg.ldl_factor"
    require_square_numbers(name, self, refusals=LOW_BY_KERNEL)
    return fb.return_types.linalg_ldl_factor(*factored(self, hermitian, f"torch.{name}")[:2])


@op(
    "ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False)"
    " -> (Tensor LD, Tensor pivots, Tensor info)",
    namespace="linalg",
    full_precision=True,
)
def ldl_factor_ex(self: Tensor, hermitian: bool, check_errors: bool) -> Any:
    """The same as ``ldl_factor``, and for each matrix 0, or k where D[k, k] is 0."""
    name = "linalg.ldl_factor_ex"
    require_square_numbers(name, self, refusals=LOW_BY_KERNEL)
    return fb.return_types.linalg_ldl_factor_ex(
        *factored(self, hermitian, f"torch.{name}" if check_errors else None)
    )


@primitive("_linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, bool hermitian) -> Tensor")
def solved(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    X = B.new_empty(B.shape)
    if X.numel():
        _C.launch("ldl_solve", [X], [LD, pivots, B], (hermitian,))
    return X


@solved.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    if needs[0]:
        raise NotImplementedError("linalg.ldl_solve: the derivative for LD is not implemented")
    LD, pivots, _, hermitian = inputs
    if hermitian:
        return None, None, solved(LD, pivots, grads[0], True)
    # the adjoint of a symmetric matrix is its conjugate
    return None, None, solved(LD, pivots, grads[0].conj(), False).conj()


@op(
    "ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    """Solves ``A X = B`` for ``B`` ``(..., n, k)`` after ``ldl_factor``."""
    name = "linalg.ldl_solve"
    require_square_numbers(name, LD, "LD", LOW_BY_KERNEL)
    require_matrix(name, B, "B")
    require_compatible(name, LD, B, True)
    require_same_dtype(name, LD, B, "LD and B")
    if pivots.dtype != fb.int64:
        require_pivots(name, pivots)
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, "
            f"got shapes {tuple(LD.shape)} and {tuple(pivots.shape)}"
        )
    LD_, B_ = broadcast_batches(name, LD, B)
    X: Tensor = solved(LD_, pivots.expand(LD_.shape[:-1]), B_, hermitian)
    return X
