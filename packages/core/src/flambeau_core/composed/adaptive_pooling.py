"""Pooling to a given output size: every output covers its share of the input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


def _output_size(name: str, x: fb.Tensor, spatial: int, output_size: Any) -> list[int]:
    """The wanted size of each spatial dimension; None keeps the input's."""
    if x.dim() <= spatial and not isinstance(output_size, int):
        raise ValueError(f"{name}: Input dimension should be at least {spatial + 1}, got {x.dim()}")
    if x.dim() not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}: Expected {spatial + 1}D or {spatial + 2}D input tensor, but got shape "
            f"{tuple(x.shape)}"
        )
    wanted = list(output_size) if isinstance(output_size, Sequence) else [output_size]
    if len(wanted) == 1:
        wanted *= spatial
    if len(wanted) != spatial:
        raise RuntimeError(f"{name}: output_size must have {spatial} elements, got {wanted}")
    sizes = [length if n is None else n for n, length in zip(wanted, x.shape[-spatial:])]
    if min(sizes) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{sizes}"
        )
    return sizes


@op("adaptive_avg_pool3d(Tensor self, any output_size) -> Tensor", namespace="nn")
def adaptive_avg_pool3d(self: fb.Tensor, output_size: Any) -> fb.Tensor:
    """``(N, C, D, H, W)`` or ``(C, D, H, W)`` to the given size; the mean of each share."""
    size = _output_size("adaptive_avg_pool3d", self, 3, output_size)
    depth, height, width = self.shape[-3:]
    flat = fb.nn_ops.adaptive_avg_pool2d(self.reshape(-1, depth, height, width), size[1:])
    area = size[1] * size[2]
    pooled = fb.nn_ops.adaptive_avg_pool2d(flat.reshape(-1, 1, depth, area), [size[0], area])
    return pooled.reshape([*self.shape[:-3], *size])


def _largest_along(x: fb.Tensor, dim: int, size: int) -> tuple[fb.Tensor, fb.Tensor]:
    """The maximum of each share of one dimension, and where in that dimension it lies."""
    length = x.shape[dim]
    share = fb.arange(size, device=x.device)
    starts = share * length // max(size, 1)
    lasts = ((share + 1) * length + size - 1) // max(size, 1) - 1
    widest = int((lasts - starts).max()) + 1 if size else 1
    # Shorter shares repeat their last element, which changes no maximum.
    places = starts.unsqueeze(1) + fb.arange(widest, device=x.device)
    shares = x.index_select(dim, fb.minimum(places, lasts.unsqueeze(1)).reshape(-1))
    shares = shares.reshape([*x.shape[:dim], size, widest, *x.shape[dim + 1 :]])
    values, within = shares.max(dim + 1)
    upright = [-1] + [1] * (x.dim() - dim - 1)
    return values, fb.minimum(starts.reshape(upright) + within, lasts.reshape(upright))


def _adaptive_max(
    name: str, x: fb.Tensor, spatial: int, output_size: Any
) -> tuple[fb.Tensor, fb.Tensor]:
    """Pools the last dimensions one after the other, the innermost first."""
    size = _output_size(name, x, spatial, output_size)
    if 0 in x.shape[1:]:
        raise RuntimeError(
            f"{name}: Expected input to have non-zero size for non-batch dimensions, but input has "
            f"sizes {list(x.shape)}"
        )
    first = x.dim() - spatial
    below = 1
    values, indices = _largest_along(x, x.dim() - 1, size[-1])
    for dim in range(x.dim() - 2, first - 1, -1):
        below *= x.shape[dim + 1]
        values, at = _largest_along(values, dim, size[dim - first])
        indices = indices.gather(dim, at) + at * below
    return values, indices


@op("adaptive_max_pool1d(Tensor self, any output_size) -> Tensor[]", namespace="both", method=False)
def adaptive_max_pool1d(self: fb.Tensor, output_size: Any) -> tuple[fb.Tensor, fb.Tensor]:
    """``(N, C, L)`` or ``(C, L)`` to the given size; each share's maximum, and its place."""
    return _adaptive_max("adaptive_max_pool1d", self, 1, output_size)


@op("adaptive_max_pool2d(Tensor self, any output_size) -> Tensor[]", namespace="nn")
def adaptive_max_pool2d(self: fb.Tensor, output_size: Any) -> tuple[fb.Tensor, fb.Tensor]:
    """``(N, C, H, W)`` or ``(C, H, W)`` to the given size; each share's maximum, and its place."""
    return _adaptive_max("adaptive_max_pool2d", self, 2, output_size)


@op("adaptive_max_pool3d(Tensor self, any output_size) -> Tensor[]", namespace="nn")
def adaptive_max_pool3d(self: fb.Tensor, output_size: Any) -> tuple[fb.Tensor, fb.Tensor]:
    """``(N, C, D, H, W)`` or ``(C, D, H, W)`` likewise; places count through the volume."""
    return _adaptive_max("adaptive_max_pool3d", self, 3, output_size)
