"""Transforms of real vectors to probability vectors."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor

from .. import constraints
from .elementwise import inside_unit_interval
from .transform import ParameterlessTransform


class SoftmaxTransform(ParameterlessTransform):
    """``y = softmax(x)`` over the last dimension.

    Not bijective, as vectors that differ by a constant have one image; good where a smooth path to
    the simplex is all that counts, as in optimization.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return fb.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return _vector_shape(self, shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        return _vector_shape(self, shape)


def _vector_shape(transform: object, shape: Sequence[int]) -> fb.Size:
    if len(shape) < 1:
        raise ValueError(f"{transform!r} needs a vector, but got the shape {tuple(shape)}")
    return fb.Size(shape)


class StickBreakingTransform(ParameterlessTransform):
    """Real vectors ``(..., K)`` to probability vectors ``(..., K + 1)``, one to one.

    Each number says which part of the rest of a stick of the length 1 is broken off, so shifted
    that zeros give equal probabilities (Stan reference manual, "Unit simplex").
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        part = inside_unit_interval(fb.sigmoid(x - _log_pieces_left(x)))
        left = (1 - part).cumprod(-1)
        one = fb.ones_like(x[..., :1], requires_grad=False)
        return fb.cat([part, one], -1) * fb.cat([one, left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        piece = y[..., :-1]
        left = (1 - piece.cumsum(-1)).clamp(min=fb.finfo(y.dtype).tiny)
        return piece.log() - left.log() + _log_pieces_left(piece)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # The Jacobian is triangular with the diagonal y * (1 - part).
        shifted = x - _log_pieces_left(x)
        return (y[..., :-1].log() - fb.nn_ops.softplus(shifted)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        shape = _vector_shape(self, shape)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        shape = _vector_shape(self, shape)
        return shape[:-1] + (shape[-1] - 1,)


def _log_pieces_left(x: Tensor) -> Tensor:
    """log of how many of the pieces are still to be broken off after each: K, ..., 1."""
    return fb.arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device).log()
