"""Inverses, ranks and solutions of matrices that need not have full rank."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    broadcast_batches,
    real_dtype,
    require_matrix,
    require_number_type,
    require_square,
)
from flambeau_core.linalg.eigen import hermitian as eigen_decomposed
from flambeau_core.linalg.eigen import hermitian_values
from flambeau_core.linalg.svd import decomposed
from flambeau_core.linalg.svd import values as singular_values

__all__ = ["lstsq", "matrix_rank", "pinv"]

Tensor = fb.Tensor


# ---- what counts as zero ------------------------------------------------------------


def _tolerance(name: str, kind: str, value: Any, A: Tensor) -> Tensor:
    """A tolerance as a real tensor."""
    if not isinstance(value, Tensor):
        return fb.full([], value, dtype=real_dtype(A), device=A.device)
    if value.is_complex():
        raise RuntimeError(
            f"torch.{name}: {kind} tensor of complex type is not supported. Got {value.dtype}"
        )
    return value.to(real_dtype(A))


def tolerances(name: str, A: Tensor, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """The absolute and the relative one; without either it is ``max(m, n)`` epsilons, relative."""
    absolute = _tolerance(name, "atol", 0.0 if atol is None else atol, A)
    if rtol is None:
        usual = fb.finfo(real_dtype(A)).eps * max(A.shape[-2:])
        if atol is None:
            return absolute, _tolerance(name, "rtol", usual, A)
        return absolute, fb.where(absolute > 0, fb.zeros_like(absolute), usual)
    return absolute, _tolerance(name, "rtol", rtol, A)


def _cutoff(sizes: Tensor, atol: Tensor, rtol: Tensor) -> Tensor:
    """For each matrix the size up to which a singular value counts as 0, ``(..., 1)``."""
    return fb.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * sizes.amax(-1, True))


# ---- pseudoinverse ------------------------------------------------------------------


@primitive("_linalg_pinv(Tensor A, Tensor atol, Tensor rtol, bool hermitian) -> Tensor")
def pseudoinverse(A: Tensor, atol: Tensor, rtol: Tensor, hermitian: bool) -> Tensor:
    if hermitian:
        w, V = eigen_decomposed(A, False, "linalg.eigh")
        inverse, left, right = _inverted(w, atol, rtol), V, V
    else:
        U, S, Vh = decomposed(A, False, "linalg.svd")
        inverse, left, right = _inverted(S, atol, rtol), Vh.mH, U
    found: Tensor = (left * inverse.unsqueeze(-2)) @ right.mH
    return found


def _inverted(values: Tensor, atol: Tensor, rtol: Tensor) -> Tensor:
    sizes = values.abs()
    return fb.where(sizes > _cutoff(sizes, atol, rtol), values.reciprocal(), 0.0)


@pseudoinverse.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    return pseudoinverse_gradient(grads[0], inputs[0], outputs[0]), None, None


def pseudoinverse_gradient(grad: Tensor, A: Tensor, P: Tensor) -> Tensor:
    """Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
    problems whose variables separate, SIAM Journal on Numerical Analysis 10 (1973)."""
    Ph, gh = P.mH, grad.mH
    inside = Ph @ (grad @ Ph)
    right = gh @ (P @ Ph)
    left = (Ph @ P) @ gh
    return right - A @ (P @ right) + left - (left @ P) @ A - inside


@op(
    "pinv(Tensor self, any rcond, bool hermitian=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def pinv_to_relative(self: Tensor, rcond: Any, hermitian: bool) -> Tensor:
    """The pseudoinverse, with the relative tolerance alone."""
    return _pinv(self, 0.0, rcond, hermitian)


@op(
    "pinv(Tensor self, *, any atol=None, any rtol=None, bool hermitian=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def pinv(self: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    """The Moore-Penrose inverse ``(..., n, m)`` of ``(..., m, n)`` matrices.

    Singular values up to ``max(atol, rtol * largest)`` count as 0; ``rtol`` is ``max(m, n)``
    epsilons unless a tolerance is given. ``hermitian`` matrices go by their eigenvalues.
    """
    return _pinv(self, atol, rtol, hermitian)


def _pinv(A: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    name = "linalg.pinv"
    require_matrix(name, A)
    require_number_type(name, A)
    if hermitian:
        require_square("linalg.eigh", A)
    tolerance = tolerances(name, A, atol, rtol)
    if A.numel() == 0:
        return A.mT.clone()
    found: Tensor = pseudoinverse(A, *tolerance, hermitian)
    return found


def pinverse(self: Tensor, rcond: float) -> Tensor:
    """The same as ``linalg.pinv`` with a relative tolerance."""
    return _pinv(self, 0.0, rcond, False)


# ---- rank ---------------------------------------------------------------------------


@op(
    "matrix_rank(Tensor self, any tol, bool hermitian=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def matrix_rank_to_absolute(self: Tensor, tol: Any, hermitian: bool) -> Tensor:
    """The rank, with an absolute tolerance alone."""
    return _rank(self, tol, 0.0, hermitian)


@op(
    "matrix_rank(Tensor self, *, any atol=None, any rtol=None, bool hermitian=False) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def matrix_rank(self: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    """How many singular values exceed ``max(atol, rtol * largest)``, as int64 ``(...)``.

    ``rtol`` is ``max(m, n)`` epsilons unless a tolerance is given; the eigenvalues of
    ``hermitian`` matrices serve instead.
    """
    return _rank(self, atol, rtol, hermitian)


def _rank(A: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    name = "linalg.matrix_rank"
    require_matrix(name, A, "input")
    require_number_type("linalg.eigvalsh" if hermitian else "linalg.svd", A)
    if hermitian:
        require_square("linalg.eigvalsh", A)
    tolerance = tolerances(name, A, atol, rtol)
    matrices = A.detach()
    if A.numel() == 0:
        return A.new_zeros(A.shape[:-2], dtype=fb.int64)
    if hermitian:
        sizes = hermitian_values(matrices, False, "linalg.eigvalsh").abs()
    else:
        sizes = singular_values(matrices, "linalg.svd")
    return (sizes > _cutoff(sizes, *tolerance)).sum(-1)


# ---- least squares ------------------------------------------------------------------


@primitive("_linalg_lstsq(Tensor A, Tensor B, float rcond) -> (Tensor, Tensor, Tensor)")
def least_squares(A: Tensor, B: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor]:
    batch, (m, n) = list(A.shape[:-2]), A.shape[-2:]
    X = A.new_zeros([*batch, n, B.shape[-1]])
    rank = A.new_zeros(batch, dtype=fb.int64)
    S = A.new_zeros([*batch, min(m, n)], dtype=real_dtype(A))
    if A.numel():
        _C.launch("lstsq", [X, rank, S], [A, B], (rcond,))
    return X, rank, S


@least_squares.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    A, B, rcond = inputs
    grad = grads[0]  # the singular values are handed out without their history
    if grad is None:
        return None, None
    P = _pinv(A, 0.0, rcond, False)
    grad_A = pseudoinverse_gradient(grad @ B.mH, A, P) if needs[0] else None
    return grad_A, P.mH @ grad


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _require_equations(name: str, A: Tensor, B: Tensor, driver: Any) -> None:
    if A.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions, got {tuple(A.shape)}")
    if B.dim() < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A.dtype != B.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{A.dtype} and other's dtype {B.dtype}"
        )
    require_number_type(name, A)
    if driver not in (None, *_DRIVERS):
        raise RuntimeError(
            f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )


@op(
    "lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None)"
    " -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    namespace="linalg",
    full_precision=True,
)
def lstsq(self: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> Any:
    """``X`` of least norm that minimises ``|A X - B|`` for each ``(..., m, n)`` matrix.

    ``b`` is ``(..., m, k)``, or ``(..., m)`` with A's batch shape. Singular values up to
    ``rcond`` (``max(m, n)`` epsilons) times the largest count as 0. ``driver`` names LAPACK's
    function, and so what else is given: the rank by all but "gels", the singular values by
    "gelsd" and "gelss", the sums of squares of what is left over, where ``m > n`` and the rank
    is full, by all but "gelsy", the default. What is not given is empty.
    """
    name = "torch.linalg.lstsq"
    _require_equations(name, self, b, driver)
    vector = b.dim() == 1 or (self.dim() - 1 == b.dim() and self.shape[:-1] == b.shape)
    right = b.unsqueeze(-1) if vector else b
    if self.shape[-2] != right.shape[-2]:
        raise RuntimeError(
            f"{name}: input.size(-2) should match other.size({-1 if vector else -2}), "
            f"got shapes {tuple(self.shape)} and {tuple(b.shape)}"
        )
    A, B = broadcast_batches(name, self, right)
    if rcond is None:
        rcond = fb.finfo(real_dtype(A)).eps * max(A.shape[-2:])
    X, rank, S = least_squares(A, B, rcond)
    residuals = _residuals(A, B, X, rank, driver or "gelsy")
    return fb.return_types.linalg_lstsq(
        X.squeeze(-1) if vector else X,
        residuals,
        rank.new_empty([0]) if driver == "gels" else rank,
        S.detach() if driver in ("gelsd", "gelss") else S.new_empty([0]),
    )


def _residuals(A: Tensor, B: Tensor, X: Tensor, rank: Tensor, driver: str) -> Tensor:
    m, n = A.shape[-2:]
    absent = m <= n or driver == "gelsy"
    if absent or not (driver == "gels" or bool((rank == n).all())):
        return X.reshape([-1])[:0].abs()
    difference = A @ X - B
    if difference.is_complex():
        difference = fb.view_as_real(difference)
        return difference.square().sum([-3, -1])
    return difference.square().sum(-2)
