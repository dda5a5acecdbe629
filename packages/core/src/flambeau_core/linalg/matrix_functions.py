"""Powers and the exponential of a matrix."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op, primitive
from flambeau_core.linalg.arguments import identity_like, require_square
from flambeau_core.linalg.inverse import inv, solved

__all__ = ["matrix_exp", "matrix_power"]

Tensor = fb.Tensor


@op("matrix_power(Tensor self, int n) -> Tensor", namespace="linalg")
def matrix_power(self: Tensor, n: int) -> Tensor:
    """``(..., m, m)`` matrices to a whole power, of their inverses if it is negative.

    Raises:
        LinAlgError: ``n`` is negative and a matrix is singular.
    """
    require_square("linalg.matrix_power", self)
    if n == 0:
        # an input that requires gradients gets zeros
        return self.clone().copy_(identity_like(self, self.shape[-1]))
    base: Tensor = self if n > 0 else inv(self)
    result: Tensor | None = None
    left = abs(n)
    while True:
        if left & 1:
            result = base if result is None else result @ base
        left >>= 1
        if left == 0:
            assert result is not None
            return result.clone() if result is self else result
        base = base @ base


# Higham, The scaling and squaring method for the matrix exponential revisited, SIAM Journal on
# Matrix Analysis and Applications 26 (2005): numerator of the [13/13] Pade approximant, and the
# norm up to which it is exact to double precision.
_COEFFICIENTS = [
    math.factorial(26 - j)
    * math.factorial(13)
    / (math.factorial(26) * math.factorial(j) * math.factorial(13 - j))
    for j in range(14)
]
_LARGEST_NORM = 5.371920351148152


@primitive("_linalg_matrix_exp(Tensor A) -> Tensor")
def exponential(A: Tensor) -> Tensor:
    wide = A.to(fb.complex128 if A.is_complex() else fb.float64)
    norm = wide.abs().sum(-2).amax(-1)
    halvings = (norm / _LARGEST_NORM).log2().ceil().clamp(0, 1100)
    halvings = halvings.masked_fill(norm == 0, 0).masked_fill(~norm.isfinite(), 0)
    result = _pade(wide * fb.exp2(-halvings)[..., None, None].to(wide.dtype))
    for step in range(int(halvings.max())):
        due = (halvings > step)[..., None, None]
        result = fb.where(due, result @ result, result)
    return result.to(A.dtype)


def _pade(A: Tensor) -> Tensor:
    """``q(-A)^-1 q(A)`` with the odd powers in U and the even ones in V."""
    c = _COEFFICIENTS
    identity = identity_like(A, A.shape[-1])
    A2 = A @ A
    A4 = A2 @ A2
    A6 = A4 @ A2
    U = A6 @ (c[13] * A6 + c[11] * A4 + c[9] * A2)
    U = A @ (U + c[7] * A6 + c[5] * A4 + c[3] * A2 + c[1] * identity)
    V = A6 @ (c[12] * A6 + c[10] * A4 + c[8] * A2)
    V = V + c[6] * A6 + c[4] * A4 + c[2] * A2 + c[0] * identity
    result: Tensor = solved(V - U, V + U, None)[0]
    return result


@exponential.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    # exp of [[A^H, G], [0, A^H]] has the derivative in the direction G as its corner
    adjoint = inputs[0].mH
    n = adjoint.shape[-1]
    upper = fb.cat([adjoint, grads[0]], -1)
    lower = fb.cat([fb.zeros_like(adjoint), adjoint], -1)
    return exponential(fb.cat([upper, lower], -2))[..., :n, n:]


@op("matrix_exp(Tensor self) -> Tensor", namespace="linalg", full_precision=True)
def matrix_exp(self: Tensor) -> Tensor:
    """The sum of ``A^k / k!`` for each ``(..., n, n)`` matrix."""
    name = "linalg.matrix_exp"
    require_square(name, self)
    if not (self.is_floating_point() or self.is_complex()):
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {self.dtype}"
        )
    if self.numel() == 0:
        return self.clone()
    result: Tensor = exponential(self)
    return result
