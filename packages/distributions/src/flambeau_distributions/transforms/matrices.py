"""Transforms to matrices of a special form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor

from .. import constraints
from ..triangular_vectors import tril_matrix_to_vec, vec_to_tril_matrix
from .transform import ParameterlessTransform


class LowerCholeskyTransform(ParameterlessTransform):
    """Square matrices to lower triangular ones with a positive diagonal, its exponential.

    What lies above the diagonal is dropped.
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return _matrix_shape(self, shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        return _matrix_shape(self, shape)


class PositiveDefiniteTransform(ParameterlessTransform):
    """Square matrices to positive definite ones, ``L L^T`` of a `LowerCholeskyTransform`."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(fb.linalg.cholesky(y))

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return _matrix_shape(self, shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        return _matrix_shape(self, shape)


def _matrix_shape(transform: object, shape: Sequence[int]) -> fb.Size:
    if len(shape) < 2:
        raise ValueError(f"{transform!r} needs a matrix, but got the shape {tuple(shape)}")
    return fb.Size(shape)


class CorrCholeskyTransform(ParameterlessTransform):
    """Vectors of n(n - 1)/2 numbers to the Cholesky factors of n by n correlation matrices.

    The tanh of each number is a partial correlation; each row of the factor is a point of the unit
    sphere made of them (Stan reference manual, "Cholesky factors of correlation matrices").
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = fb.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        # What of a row's length is left after each entry; before the first it is all, 1.
        left = (1 - partial.square()).sqrt().cumprod(-1)
        left = fb.cat([fb.ones_like(left[..., :1], requires_grad=False), left[..., :-1]], -1)
        identity = fb.eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return (partial + identity) * left

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - y.square().cumsum(-1)
        left = fb.cat([fb.ones_like(left[..., :1], requires_grad=False), left[..., :-1]], -1)
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return partial.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # Entry j of a row is a partial correlation times what the entries before it leave.
        left = tril_matrix_to_vec(1 - y.square().cumsum(-1), diag=-2)
        of_tanh = 2 * (math.log(2) - x - fb.nn_ops.softplus(-2 * x)).sum(-1)
        return 0.5 * left.log().sum(-1) + of_tanh

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        if len(shape) < 1:
            raise ValueError(f"{self!r} needs a vector, but got the shape {tuple(shape)}")
        count = shape[-1]
        n = (1 + math.isqrt(1 + 8 * count)) // 2
        if n * (n - 1) // 2 != count:
            raise ValueError(f"no n has n(n - 1)/2 = {count}: the shape is {tuple(shape)}")
        return fb.Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ValueError(f"{self!r} gives square matrices, but got the shape {tuple(shape)}")
        n = shape[-1]
        return fb.Size((*shape[:-2], n * (n - 1) // 2))
