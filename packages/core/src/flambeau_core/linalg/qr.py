"""QR factorisation, and the Householder reflections that it is made of."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import (
    BY_KERNEL,
    LOW_BY_KERNEL,
    identity_like,
    require_matrix,
    require_number_type,
    require_same_dtype,
)
from flambeau_core.linalg.triangular import solve_with

__all__ = ["householder_product", "qr"]

Tensor = fb.Tensor


# ---- the factorisation --------------------------------------------------------------


@primitive("_linalg_qr(Tensor A, str mode) -> (Tensor, Tensor)")
def factored(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    batch, (m, n) = list(A.shape[:-2]), A.shape[-2:]
    k = m if mode == "complete" else min(m, n)
    Q = A.new_empty([*batch, m, k] if mode != "r" else [0])
    R = A.new_empty([*batch, k, n])
    if Q.numel() or R.numel():
        _C.launch("qr", [None if mode == "r" else Q, R], [A], (mode == "complete",))
    return Q, R


@factored.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    mode = inputs[1]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to require gradients."
        )
    Q, R = outputs
    grad_Q, grad_R = grads
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols, "
            f"here {m} > {n}"
        )
    if m >= n:
        return _square_gradient(grad_Q, grad_R, Q, R)
    # A = [A1, A2] with A1 = Q R1 square, and R2 = Q^H A2
    R1, R2 = R[..., :m], R[..., m:]
    if grad_R is None:
        left = _square_gradient(grad_Q, None, Q, R1)
        return fb.cat([left, fb.zeros_like(R2)], -1)
    through = Q @ (R2 @ grad_R[..., m:].mH)
    grad_Q = through if grad_Q is None else grad_Q + through
    left = _square_gradient(grad_Q, grad_R[..., :m], Q, R1)
    return fb.cat([left, Q @ grad_R[..., m:]], -1)


def _square_gradient(grad_Q: Any, grad_R: Any, Q: Tensor, R: Tensor) -> Tensor:
    """Walter and Lehmann, Algorithmic differentiation of linear algebra functions, 2018, 3.3."""
    inner = None if grad_R is None else grad_R @ R.mH
    if grad_Q is not None:
        product = Q.mH @ grad_Q
        inner = -product if inner is None else inner - product
    assert inner is not None
    # A Hermitian matrix with the same upper triangle
    upper = inner.triu(1)
    hermitian = upper + upper.mH + fb.diag_embed(_real_part(inner.diagonal(0, -2, -1)))
    grad = Q @ hermitian
    if grad_Q is not None:
        grad = grad + grad_Q
    return solve_with(R.mH, grad, upper=False, left=False)


def _real_part(x: Tensor) -> Tensor:
    return x.real.to(x.dtype) if x.is_complex() else x


@op(
    "qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
    namespace="linalg",
    full_precision=True,
)
def qr(A: Tensor, mode: str) -> Any:
    """``A = Q R`` for each ``(..., m, n)`` matrix, Q with orthonormal columns, R upper triangular.

    ``mode`` is "reduced" (``k = min(m, n)`` columns), "complete" (m) or "r", without Q.
    """
    name = "linalg.qr"
    require_matrix(name, A)
    require_number_type(name, A, LOW_BY_KERNEL)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    return fb.return_types.linalg_qr(*factored(A, mode))


def qr_of(self: Tensor, some: bool) -> Any:
    """The same as ``linalg.qr``, reduced if ``some``."""
    require_matrix("qr", self)
    require_number_type("qr", self, LOW_BY_KERNEL)
    return fb.return_types.qr(*factored(self, "reduced" if some else "complete"))


@primitive("_geqrf(Tensor self) -> (Tensor, Tensor)")
def packed(self: Tensor) -> tuple[Tensor, Tensor]:
    a = self.new_empty(self.shape)
    tau = self.new_empty([*self.shape[:-2], min(self.shape[-2:])])
    if a.numel():
        _C.launch("geqrf", [a, tau], [self])
    return a, tau


def geqrf(self: Tensor) -> Any:
    """R, below it the Householder vectors of Q, and their factors ``(..., min(m, n))``."""
    require_matrix("geqrf", self, "input")
    require_number_type("geqrf", self, BY_KERNEL)
    return fb.return_types.geqrf(*packed(self))


# ---- reflections --------------------------------------------------------------------


def _require_reflections(name: str, a: Tensor, tau: Tensor) -> None:
    require_matrix(name, a, "input")
    require_number_type(name, a, BY_KERNEL)
    require_same_dtype(name, a, tau, "input and tau")
    if a.shape[-1] < tau.shape[-1] if tau.dim() else True:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1], got shapes "
            f"{tuple(a.shape)} and {tuple(tau.shape)}"
        )
    if a.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to those of input, "
            f"got shapes {tuple(a.shape)} and {tuple(tau.shape)}"
        )


def reflected(a: Tensor, tau: Tensor, c: Tensor, left: bool, adjoint: bool) -> Tensor:
    """``Q c`` or ``c Q``, Q (or its adjoint) the product of the reflections ``1 - tau v v^H``."""
    count = tau.shape[-1]
    vectors = a[..., :count].tril(-1) + fb.eye(a.shape[-2], count, dtype=a.dtype, device=a.device)
    factors = tau.conj() if adjoint else tau
    order = range(count) if left == adjoint else reversed(range(count))
    for i in order:
        v = vectors[..., i : i + 1]
        factor = factors[..., i, None, None]
        if left:
            c = c - factor * (v @ (v.mH @ c))
        else:
            c = c - factor * ((c @ v) @ v.mH)
    return c


@op(
    "householder_product(Tensor input, Tensor tau) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first n columns of the product of k reflections, as ``geqrf`` leaves them.

    ``input`` is ``(..., m, n)`` with ``m >= n >= k``, ``tau`` ``(..., k)``.
    """
    name = "linalg.householder_product"
    require_matrix(name, input, "input")
    if input.shape[-2] < input.shape[-1]:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1], "
            f"got shape {tuple(input.shape)}"
        )
    _require_reflections(name, input, tau)
    m, n = input.shape[-2:]
    columns = identity_like(input, m)[..., :n].clone()
    if tau.shape[-1] == 0:  # no reflection joins the result to the graph
        columns = columns + input.masked_fill(fb.ones_like(input, dtype=fb.bool), 0)
    return reflected(input, tau, columns, True, False)


def orgqr(self: Tensor, input2: Tensor) -> Tensor:
    """The same as ``linalg.householder_product``."""
    product: Tensor = householder_product(self, input2)
    return product


def ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool, transpose: bool) -> Tensor:
    """The product of ``input3`` with the m x m matrix Q of k reflections, or with its adjoint.

    ``self`` is ``(..., m, k)``; Q stands on the left, or else on the right.
    """
    name = "ormqr"
    require_matrix(name, self, "input")
    require_matrix(name, input3, "other")
    _require_reflections(name, self, input2)
    require_same_dtype(name, self, input3, "input and other")
    side = input3.shape[-2 if left else -1]
    if side != self.shape[-2] or input2.shape[-1] > self.shape[-2]:
        raise RuntimeError(
            f"{name}: other.shape[{-2 if left else -1}] must be equal to input.shape[-2] and at "
            f"least tau.shape[-1], got shapes {tuple(self.shape)}, {tuple(input2.shape)} and "
            f"{tuple(input3.shape)}"
        )
    if self.shape[:-2] != input3.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of other to be equal to those of input, "
            f"got shapes {tuple(self.shape)} and {tuple(input3.shape)}"
        )
    return reflected(self, input2, input3, left, transpose)
