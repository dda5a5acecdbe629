"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    BY_KERNEL,
    LOW_BY_KERNEL,
    identity_like,
    real_dtype,
    require_number_type,
    require_square,
    require_square_numbers,
)
from flambeau_core.linalg.error import check_info, not_converged
from flambeau_core.linalg.inverse import solved
from flambeau_core.linalg.phases import require_gauge_invariance

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]

Tensor = fb.Tensor


def _differences(left: Tensor, right: Tensor) -> Tensor:
    """``right_j - left_i`` for all pairs, ones on the diagonal."""
    n = left.shape[-1]
    return right.unsqueeze(-2) - left.unsqueeze(-1) + identity_like(left.unsqueeze(-1), n)


# ---- Hermitian matrices -------------------------------------------------------------


@primitive("_linalg_eigh(Tensor A, bool upper, str? check=None) -> (Tensor, Tensor)")
def hermitian(A: Tensor, upper: bool, check: str | None) -> tuple[Tensor, Tensor]:
    w = A.new_empty(A.shape[:-1], dtype=real_dtype(A))
    V = A.new_empty(A.shape)
    _launch_hermitian(A, w, V, upper, check)
    return w, V


def _launch_hermitian(
    A: Tensor, w: Tensor, V: Tensor | None, upper: bool, check: str | None
) -> None:
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if A.numel():
        _C.launch("eigh", [w, V, info], [A], (upper,))
    if check:
        check_info(check, info, not_converged("eigenvalues"))


@hermitian.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    # Boeddeker et al., On the computation of complex-valued gradients with application to
    # statistically optimum beamforming, arXiv:1701.00392, 4.3
    grad_w, grad_V = grads
    w, V = outputs
    if grad_V is None:
        return (V * grad_w.unsqueeze(-2)) @ V.mH
    inner = V.mH @ grad_V
    if inner.is_complex():
        require_gauge_invariance("linalg_eigh_backward", "eigenvectors", inner)
    inner = inner / _differences(w, w)
    inner = inner - fb.diag_embed(inner.diagonal(0, -2, -1))
    if grad_w is not None:
        inner = inner + fb.diag_embed(grad_w)
    return V @ (inner @ V.mH)


@primitive("_linalg_eigvalsh(Tensor A, bool upper, str? check=None) -> Tensor")
def hermitian_values(A: Tensor, upper: bool, check: str | None) -> Tensor:
    w = A.new_empty(A.shape[:-1], dtype=real_dtype(A))
    _launch_hermitian(A, w, None, upper, check)
    return w


@hermitian_values.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    A, upper, _ = inputs
    V = hermitian(A, upper, None)[1]
    return (V * grads[0].unsqueeze(-2)) @ V.mH


def is_upper(name: str, UPLO: str) -> bool:
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"{name}: Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper() == "U"


@op(
    "eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)",
    namespace="linalg",
    full_precision=True,
)
def eigh(self: Tensor, UPLO: str) -> Any:
    """Ascending real eigenvalues ``(..., n)`` and orthonormal eigenvectors of Hermitian matrices.

    ``UPLO`` says which triangle of ``(..., n, n)`` is read. The vectors are the columns; signs
    and phases, and the basis where values repeat, are arbitrary.

    Raises:
        LinAlgError: the iteration did not converge.
    """
    name = "linalg.eigh"
    require_square_numbers(name, self, refusals=BY_KERNEL)
    return fb.return_types.linalg_eigh(*hermitian(self, is_upper(name, UPLO), name))


@op("eigvalsh(Tensor self, str UPLO='L') -> Tensor", namespace="linalg", full_precision=True)
def eigvalsh(self: Tensor, UPLO: str) -> Tensor:
    """The ascending real eigenvalues of Hermitian matrices, as of ``eigh``."""
    name = "linalg.eigvalsh"
    require_square_numbers(name, self, refusals=BY_KERNEL)
    w: Tensor = hermitian_values(self, is_upper(name, UPLO), name)
    return w


# ---- general matrices ---------------------------------------------------------------


@primitive("_linalg_eig(Tensor A, str? check=None) -> (Tensor, Tensor)")
def general(A: Tensor, check: str | None) -> tuple[Tensor, Tensor]:
    w = A.new_empty(A.shape[:-1], dtype=A.dtype.to_complex())
    V = A.new_empty(A.shape, dtype=A.dtype.to_complex())
    _launch_general(A, w, V, check)
    return w, V


def _launch_general(A: Tensor, w: Tensor, V: Tensor | None, check: str | None) -> None:
    if check and not bool(A.isfinite().all()):
        raise RuntimeError(f"torch.{check}: input tensor should not contain infs or NaNs.")
    info = A.new_zeros(A.shape[:-2], dtype=fb.int32)
    if A.numel():
        _C.launch("eig", [w, V, info], [A])
    if check:
        check_info(check, info, not_converged("eigenvalues"))


@general.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    # Boeddeker et al., arXiv:1701.00392, 4.3, with the columns of V held at length 1
    grad_w, grad_V = grads
    w, V = outputs
    if grad_V is None:
        return solved(V.mH, grad_w.unsqueeze(-1) * V.mH, None)[0]
    inner = V.mH @ grad_V
    require_gauge_invariance("linalg_eig_backward", "eigenvectors", inner)
    inner = inner - (V.mH @ (V * inner.diagonal(0, -2, -1).real.unsqueeze(-2)))
    inner = inner / _differences(w.conj(), w.conj())
    inner = inner - fb.diag_embed(inner.diagonal(0, -2, -1))
    if grad_w is not None:
        inner = inner + fb.diag_embed(grad_w)
    return solved(V.mH, inner @ V.mH, None)[0]


@primitive("_linalg_eigvals(Tensor A, str? check=None) -> Tensor")
def general_values(A: Tensor, check: str | None) -> Tensor:
    w = A.new_empty(A.shape[:-1], dtype=A.dtype.to_complex())
    _launch_general(A, w, None, check)
    return w


@general_values.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    V = general(inputs[0], None)[1]
    return solved(V.mH, grads[0].unsqueeze(-1) * V.mH, None)[0]


@op(
    "eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
    namespace="linalg",
    full_precision=True,
)
def eig(self: Tensor) -> Any:
    """Complex eigenvalues ``(..., n)`` and eigenvectors of length 1 of ``(..., n, n)`` matrices.

    The values come in no order; the phases of the vectors, the columns, are arbitrary.

    Raises:
        RuntimeError: the input has infinities or NaN.
        LinAlgError: the iteration did not converge.
    """
    name = "linalg.eig"
    require_square(name, self)
    require_number_type(name, self, LOW_BY_KERNEL)
    return fb.return_types.linalg_eig(*general(self, name))


@op("eigvals(Tensor self) -> Tensor", namespace="linalg", full_precision=True)
def eigvals(self: Tensor) -> Tensor:
    """The complex eigenvalues of ``(..., n, n)`` matrices, in no order."""
    name = "linalg.eigvals"
    require_square(name, self)
    require_number_type(name, self, LOW_BY_KERNEL)
    w: Tensor = general_values(self, name)
    return w
