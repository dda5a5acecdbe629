"""Norms of vectors, and distances made from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.composed.precision import widened
from flambeau_core.composed.subgradients import root_with_zero_slope
from flambeau_core.composed.vector_norms import vector_norm
from flambeau_core.declare import op


def nuclear_norm(x: fb.Tensor, dims: Sequence[int] | None, keepdim: bool) -> fb.Tensor:
    """Sum of the singular values of the matrices in two dimensions (None: of a matrix)."""
    axes = list(range(x.dim())) if dims is None else list(dims)
    if len(axes) != 2:
        raise RuntimeError(
            f"norm: the nuclear norm needs 2 dimensions, got dim={axes} for shape {tuple(x.shape)}"
        )
    from flambeau_core.linalg.norms import matrix_norm_of

    norm = matrix_norm_of("norm", widened(x), "nuc", axes, keepdim, None)
    return norm.to(x.real.dtype if x.is_complex() else x.dtype)


@op("norm(Tensor self, any p='fro', any dim=None, bool keepdim=False, dtype? dtype=None) -> Tensor")
def norm(self: fb.Tensor, p: Any, dim: Any, keepdim: bool, dtype: Any) -> fb.Tensor:
    """The ``p``-norm (a number, inf, or "fro", the same as 2) over ``dim``, all if None.

    "nuc" is the sum of singular values over two dimensions. Raises RuntimeError for integers.
    """
    x = self if dtype is None else self.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f"norm: expected a floating point or complex tensor as input, got {x.dtype}"
        )
    dims = [dim] if isinstance(dim, int) else None if dim is None else list(dim)
    if p == "nuc":
        return nuclear_norm(x, dims, keepdim)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"norm: only 'fro' and 'nuc' are named norms, got {p!r}")
    if isinstance(p, fb.Tensor):
        p = p.item()
    return vector_norm(x, 2 if p in (None, "fro") else p, dims or None, keepdim)


@op("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor")
def dist(self: fb.Tensor, other: fb.Tensor, p: float) -> fb.Tensor:
    """The ``p``-norm of the difference, broadcast."""
    return vector_norm(self - other, p, None, False)


@op("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", inplace=True)
def renorm(self: fb.Tensor, p: float, dim: int, maxnorm: float) -> fb.Tensor:
    """Scales down every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm``."""
    if p <= 0:
        raise RuntimeError(f"renorm: non-positive norm not supported, got p={p}")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if self.dim() < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {self.dim()} dimensions"
        )
    dim = wrap_dim("renorm", dim, self.shape)
    others = [i for i in range(self.dim()) if i != dim]
    size = vector_norm(widened(self), p, others, True)
    factor = fb.where(size > maxnorm, maxnorm / (size + 1e-7), fb.ones_like(size))
    return (self * factor).to(self.dtype)


@op(
    "cdist(Tensor x1, Tensor x2, float p=2.0,"
    " any compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor",
    method=False,
)
def cdist(x1: fb.Tensor, x2: fb.Tensor, p: float, compute_mode: Any) -> fb.Tensor:
    """Distances ``(..., P, R)`` of all rows of ``(..., P, M)`` and ``(..., R, M)``.

    Euclidean distances of more than 25 rows come from a matrix product, unless ``compute_mode``
    is "donot_use_mm_for_euclid_dist".
    """
    if x1.dim() < 2 or x2.dim() < 2:
        raise RuntimeError(
            "cdist: inputs must have at least 2 dimensions, "
            f"got shapes {tuple(x1.shape)} and {tuple(x2.shape)}"
        )
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            "cdist: inputs must have the same number of columns, "
            f"got shapes {tuple(x1.shape)} and {tuple(x2.shape)}"
        )
    if not (x1.is_floating_point() and x2.is_floating_point()):
        raise RuntimeError(f"cdist: only supports floating dtypes, got {x1.dtype} and {x2.dtype}")
    if p < 0:
        raise RuntimeError(f"cdist: only supports non-negative p values, got {p}")
    modes = {
        None: 0,
        "use_mm_for_euclid_dist_if_necessary": 0,
        "use_mm_for_euclid_dist": 1,
        "donot_use_mm_for_euclid_dist": 2,
    }
    if compute_mode not in modes:
        raise ValueError(f"cdist: {compute_mode!r} is not a valid value for compute_mode")
    many = max(x1.shape[-2], x2.shape[-2]) > 25
    if p == 2 and (modes[compute_mode] == 1 or (modes[compute_mode] == 0 and many)):
        return _euclidean_by_product(x1, x2)
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if difference.shape[-1] == 0:
        return difference.sum(-1)
    return vector_norm(difference, p, [-1], False)


def _euclidean_by_product(x1: fb.Tensor, x2: fb.Tensor) -> fb.Tensor:
    square1 = x1.square().sum(-1, True)
    square2 = x2.square().sum(-1, True).transpose(-2, -1)
    square = square1 + square2 - 2 * fb.matmul(x1, x2.transpose(-2, -1))
    return root_with_zero_slope(square.clamp(min=0))
