"""Determinants and their logarithms."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import LOW_BY_KERNEL, real_dtype, require_square_numbers
from flambeau_core.linalg.inverse import inverted
from flambeau_core.linalg.svd import decomposed

__all__ = ["det", "slogdet"]

Tensor = fb.Tensor


@primitive("_linalg_slogdet(Tensor A) -> (Tensor, Tensor)")
def sign_and_logarithm(A: Tensor) -> tuple[Tensor, Tensor]:
    sign = A.new_empty(A.shape[:-2])
    logabsdet = A.new_empty(A.shape[:-2], dtype=real_dtype(A))
    if sign.numel():
        _C.launch("slogdet", [sign, logabsdet], [A])
    return sign, logabsdet


@sign_and_logarithm.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    # d log det = tr(A^-1 dA), whose imaginary part turns the sign
    grad_sign, grad = grads
    if grad_sign is not None and grad_sign.is_complex():
        turned = (grad_sign.conj() * outputs[0]).imag * -1j
        grad = turned if grad is None else grad + turned
    if grad is None:
        return None
    return grad[..., None, None] * inverted(inputs[0], None)[0].mH


@primitive("_linalg_det(Tensor A) -> Tensor")
def determinant(A: Tensor) -> Tensor:
    sign, logabsdet = sign_and_logarithm(A)
    found: Tensor = sign * logabsdet.exp()
    return found


@determinant.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    A, det = inputs[0], outputs[0]
    if bool((det.detach() == 0).any()):
        return _through_singular_values(grads[0], A)
    return (grads[0] * det.conj())[..., None, None] * inverted(A, None)[0].mH


def _through_singular_values(grad: Tensor, A: Tensor) -> Tensor:
    """The gradient where there is no inverse: every singular value's cofactor."""
    U, S, Vh = decomposed(A, False, None)
    ones = fb.ones_like(S[..., :1])
    before = fb.cat([ones, S[..., :-1].cumprod(-1)], -1)
    after = fb.cat([ones, S.flip(-1)[..., :-1].cumprod(-1)], -1).flip(-1)
    phase = (determinant(U) * determinant(Vh)).conj()
    return (grad * phase)[..., None, None] * ((U * (before * after)[..., None, :]) @ Vh)


@op("det(Tensor A) -> Tensor", namespace="linalg", full_precision=True)
def det(A: Tensor) -> Tensor:
    """The determinant of each ``(..., n, n)`` matrix."""
    require_square_numbers("linalg.det", A, refusals=LOW_BY_KERNEL)
    found: Tensor = determinant(A)
    return found


@op("slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", namespace="linalg", full_precision=True)
def slogdet(A: Tensor) -> Any:
    """The sign (on the unit circle if complex) and the logarithm of the size of a determinant.

    Their product with the exponential is the determinant; a singular matrix has 0 and -inf.
    """
    require_square_numbers("linalg.slogdet", A)
    return fb.return_types.linalg_slogdet(*sign_and_logarithm(A))


def slogdet_of(self: Tensor) -> Any:
    """The same as ``linalg.slogdet``."""
    require_square_numbers("slogdet", self)
    return fb.return_types.slogdet(*sign_and_logarithm(self))


def logdet(self: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where that is negative."""
    require_square_numbers("logdet", self)
    sign, logabsdet = sign_and_logarithm(self)
    if self.is_complex():
        return logabsdet + sign.log()
    return fb.where(sign == -1, fb.full_like(logabsdet, fb.nan), logabsdet)
