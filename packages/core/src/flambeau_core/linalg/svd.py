"""Singular values and singular vectors."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    LOW_BY_KERNEL,
    identity_like,
    real_dtype,
    require_matrix,
    require_number_type,
)
from flambeau_core.linalg.error import check_info, not_converged
from flambeau_core.linalg.phases import require_gauge_invariance

__all__ = ["svd", "svdvals"]

Tensor = fb.Tensor


@primitive("_linalg_svd(Tensor A, bool full_matrices, str? check=None) -> (Tensor, Tensor, Tensor)")
def decomposed(A: Tensor, full_matrices: bool, check: str | None) -> tuple[Tensor, Tensor, Tensor]:
    batch, (m, n) = list(A.shape[:-2]), A.shape[-2:]
    k = min(m, n)
    U = A.new_empty([*batch, m, m if full_matrices else k])
    S = A.new_empty([*batch, k], dtype=real_dtype(A))
    Vh = A.new_empty([*batch, n if full_matrices else k, n])
    _launch(A, U, S, Vh, full_matrices, check)
    return U, S, Vh


def _launch(
    A: Tensor,
    U: Tensor | None,
    S: Tensor,
    Vh: Tensor | None,
    full_matrices: bool,
    check: str | None,
) -> None:
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if info.numel():
        _C.launch("svd", [U, S, Vh, info], [A], (full_matrices,))
    if check:
        check_info(check, info, lambda code: _failure(A, code))


def _failure(A: Tensor, code: int) -> str:
    if bool(A.isfinite().all()):
        return not_converged("singular values")(code)
    return "The algorithm failed to converge because the input matrix contained non-finite values."


@decomposed.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    """The part within the spans of U and V, and what leaves the smaller span.

    Townsend, Differentiating the singular value decomposition, 2016, for real matrices; complex
    ones have a phase in common to each pair of vectors besides.
    """
    grad_U, grad_S, grad_Vh = grads
    U, S, Vh = outputs
    m, n, k = U.shape[-2], Vh.shape[-1], S.shape[-1]
    U, Vh = U[..., :k], Vh[..., :k, :]
    grad_U = None if grad_U is None else grad_U[..., :k]
    grad_Vh = None if grad_Vh is None else grad_Vh[..., :k, :]
    grad = _within(grad_U, grad_S, grad_Vh, U, S, Vh)
    if m > k and grad_U is not None:
        scaled = grad_U / S.unsqueeze(-2)
        return (U @ grad + scaled - U @ (U.mH @ scaled)) @ Vh
    if n > k and grad_Vh is not None:
        scaled = grad_Vh / S.unsqueeze(-1)
        return U @ (grad @ Vh + scaled - (scaled @ Vh.mH) @ Vh)
    return (U @ grad) @ Vh if m >= n else U @ (grad @ Vh)


def _within(
    grad_U: Tensor | None,
    grad_S: Tensor | None,
    grad_Vh: Tensor | None,
    U: Tensor,
    S: Tensor,
    Vh: Tensor,
) -> Tensor:
    """The gradient in the coordinates of the singular vectors, ``(..., k, k)``."""
    parts: list[Tensor] = []
    if grad_S is not None:
        parts.append(fb.diag_embed(grad_S.to(U.dtype)))
    square = S * S
    difference = square.unsqueeze(-2) - square.unsqueeze(-1)
    difference = difference + identity_like(difference, S.shape[-1])
    skew_U = None if grad_U is None else _skew(U.mH @ grad_U)
    skew_V = None if grad_Vh is None else _skew(Vh @ grad_Vh.mH)
    if skew_U is not None:
        parts.append(skew_U / difference * S.unsqueeze(-2))
    if skew_V is not None:
        parts.append(S.unsqueeze(-1) * (skew_V / difference))
    if U.is_complex() and (skew_U is not None or skew_V is not None):
        parts = [*parts[: grad_S is not None], *map(_off_diagonal, parts[grad_S is not None :])]
        parts.append(_phases(skew_U, skew_V, S))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _skew(x: Tensor) -> Tensor:
    return x - x.mH


def _off_diagonal(x: Tensor) -> Tensor:
    return x - fb.diag_embed(x.diagonal(0, -2, -1))


def _phases(skew_U: Tensor | None, skew_V: Tensor | None, S: Tensor) -> Tensor:
    """What turns the phases of both vectors of a pair; turning one alone means nothing."""
    given = [x for x in (skew_U, skew_V) if x is not None]
    both = given[0] if len(given) == 1 else given[0] + given[1]
    require_gauge_invariance("svd_backward", "singular vectors", both)
    if skew_U is None or skew_V is None:
        return fb.zeros_like(both)
    return fb.diag_embed(skew_U.diagonal(0, -2, -1) / (2 * S))


@primitive("_linalg_svdvals(Tensor A, str? check=None) -> Tensor")
def values(A: Tensor, check: str | None) -> Tensor:
    S = A.new_empty([*A.shape[:-2], min(A.shape[-2:])], dtype=real_dtype(A))
    if S.numel():
        _launch(A, None, S, None, False, check)
    return S


@values.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    U, _, Vh = decomposed(inputs[0], False, None)
    return (U * grads[0].unsqueeze(-2)) @ Vh


def _require(name: str, A: Tensor, driver: Any) -> None:
    require_matrix(name, A)
    require_number_type(name, A, LOW_BY_KERNEL)
    if driver is not None:
        raise RuntimeError(
            f"{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER "
            f"backend, got {driver!r}"
        )


@op(
    "svd(Tensor A, bool full_matrices=True, *, str? driver=None)"
    " -> (Tensor U, Tensor S, Tensor Vh)",
    namespace="linalg",
    full_precision=True,
)
def svd(A: Tensor, full_matrices: bool, driver: Any) -> Any:
    """``A = U diag(S) Vh`` for each ``(..., m, n)`` matrix, singular values descending.

    U is ``(..., m, m)`` and Vh ``(..., n, n)``, or, without ``full_matrices``, both have only
    ``k = min(m, n)`` vectors. Signs and phases of the pairs of vectors are arbitrary.

    Raises:
        LinAlgError: the iteration did not converge.
    """
    _require("linalg.svd", A, driver)
    return fb.return_types.linalg_svd(*decomposed(A, full_matrices, "linalg.svd"))


@op("svdvals(Tensor A, *, str? driver=None) -> Tensor", namespace="linalg", full_precision=True)
def svdvals(A: Tensor, driver: Any) -> Tensor:
    """The descending singular values ``(..., min(m, n))`` of ``(..., m, n)`` matrices."""
    _require("linalg.svdvals", A, driver)
    S: Tensor = values(A, "linalg.svdvals")
    return S


def svd_of(self: Tensor, some: bool, compute_uv: bool) -> Any:
    """``(U, S, V)`` with ``self = U diag(S) V^H``; without ``compute_uv`` U and V are zeros."""
    name = "svd"
    _require(name, self, None)
    if not compute_uv:
        batch, (m, n) = list(self.shape[:-2]), self.shape[-2:]
        U, V = self.new_zeros([*batch, m, m]), self.new_zeros([*batch, n, n])
        return fb.return_types.svd(U, values(self, name), V)
    U, S, Vh = decomposed(self, not some, name)
    return fb.return_types.svd(U, S, Vh.mH)
