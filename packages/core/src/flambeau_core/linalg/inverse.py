"""Solving with general square matrices, and inverting them."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    LOW_BY_KERNEL,
    broadcast_batches,
    identity_like,
    require_matrix,
    require_number_type,
    require_same_dtype,
    require_square,
    require_square_numbers,
)
from flambeau_core.linalg.error import check_info
from flambeau_core.linalg.triangular import require_compatible

__all__ = ["inv", "inv_ex", "solve", "solve_ex"]

Tensor = fb.Tensor


# ---- systems of equations -----------------------------------------------------------


@primitive("_linalg_solve(Tensor A, Tensor B, str? check=None) -> (Tensor, Tensor)")
def solved(A: Tensor, B: Tensor, check: str | None) -> tuple[Tensor, Tensor]:
    X = B.new_empty(B.shape)
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if A.numel():
        _C.launch("solve", [X, info], [A, B])
    if check:
        reason = "The solver failed because the input matrix is singular."
        check_info(check, info, lambda _: reason)
    return X, info


@solved.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    grad_B = solved(inputs[0].mH, grads[0], None)[0]
    return (-(grad_B @ outputs[0].mH) if needs[0] else None), grad_B


def is_vector(A: Tensor, B: Tensor) -> bool:
    """Whether a right-hand side is a batch of vectors rather than of matrices."""
    return B.dim() == 1 or (A.dim() - 1 == B.dim() and A.shape[:-1] == B.shape)


def _solution(
    name: str, A: Tensor, B: Tensor, left: bool, check: str | None
) -> tuple[Tensor, Tensor]:
    require_square(name, A)
    require_number_type(name, A, LOW_BY_KERNEL)
    require_same_dtype(name, A, B)
    vector = is_vector(A, B)
    if vector and not left:
        raise RuntimeError(
            f"{name}: Vector broadcasting of the left hand side is not supported for left=False. "
            f"In this case {name} is equivalent to B / A.squeeze(-1) "
            f"(shapes {tuple(A.shape)} and {tuple(B.shape)})"
        )
    right = B.unsqueeze(-1) if vector else B
    require_matrix(name, right, "B")
    require_compatible(name, A, right, left)
    matrix, right = broadcast_batches(name, A, right)
    if left:
        X, info = solved(matrix, right, check)
    else:
        X, info = solved(matrix.mT, right.mT, check)
        X = X.mT
    return (X.squeeze(-1) if vector else X), info


@op(
    "solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
    """Solves ``A X = B`` (``X A = B`` if not ``left``), ``A`` ``(..., n, n)``.

    ``B`` is ``(..., n, k)``, ``(n,)``, or vectors ``(..., n)`` with the batch shape of A; other
    batches broadcast.

    Raises:
        LinAlgError: a matrix is singular.
    """
    return _solution("linalg.solve", A, B, left, "torch.linalg.solve")[0]


@op(
    "solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False)"
    " -> (Tensor result, Tensor info)",
    namespace="linalg",
    full_precision=True,
)
def solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> Any:
    """The solution, and for each matrix 0, or k where the k-th pivot is 0."""
    name = "linalg.solve_ex"
    return fb.return_types.linalg_solve_ex(
        *_solution(name, A, B, left, name if check_errors else None)
    )


# ---- inverses -----------------------------------------------------------------------


@primitive("_linalg_inv(Tensor A, str? check=None) -> (Tensor, Tensor)")
def inverted(A: Tensor, check: str | None) -> tuple[Tensor, Tensor]:
    inverse = A.new_empty(A.shape)
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if A.numel():
        _C.launch("solve", [inverse, info], [A, identity_like(A, A.shape[-1])])
    if check:
        check_info(check, info, _not_invertible)
    return inverse, info


def _not_invertible(position: int) -> str:
    return (
        f"The diagonal element {position} is zero, the inversion could not be completed because "
        "the input matrix is singular."
    )


@inverted.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    adjoint = outputs[0].mH
    return -(adjoint @ (grads[0] @ adjoint))


@op("inv(Tensor A) -> Tensor", namespace="linalg", full_precision=True)
def inv(A: Tensor) -> Tensor:
    """The inverse of each ``(..., n, n)`` matrix.

    Raises:
        LinAlgError: a matrix is singular.
    """
    require_square_numbers("linalg.inv", A)
    inverse: Tensor = inverted(A, "linalg.inv")[0]
    return inverse


@op(
    "inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
    namespace="linalg",
    full_precision=True,
)
def inv_ex(A: Tensor, check_errors: bool) -> Any:
    """The inverse, and for each matrix 0, or k where the k-th pivot is 0."""
    name = "linalg.inv_ex"
    require_square_numbers(name, A)
    return fb.return_types.linalg_inv_ex(*inverted(A, name if check_errors else None))
