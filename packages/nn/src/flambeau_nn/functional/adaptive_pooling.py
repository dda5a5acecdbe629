"""Pooling to a given output size: every output covers its share of the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import adaptive_avg_pool1d

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
]

OutputSize = int | Sequence[int | None] | None


def _output_size(op: str, input: Tensor, spatial: int, output_size: OutputSize) -> tuple[int, ...]:
    """The wanted size of each spatial dimension; None keeps the input's."""
    if input.dim() <= spatial:
        raise ValueError(f"{op}(): Input dimension should be at least {spatial + 1}")
    if input.dim() > spatial + 2:
        raise RuntimeError(
            f"{op}(): Expected {spatial + 1}D or {spatial + 2}D input tensor, but got shape "
            f"{tuple(input.shape)}"
        )
    sizes = input.shape[input.dim() - spatial :]
    wanted = (
        (output_size,) * len(sizes)
        if output_size is None or isinstance(output_size, int)
        else tuple(output_size)
    )
    if len(wanted) == 1:
        wanted = wanted * len(sizes)
    if len(wanted) != len(sizes):
        raise RuntimeError(f"{op}(): output_size must have {len(sizes)} elements, got {wanted}")
    result = tuple(size if w is None else w for w, size in zip(wanted, sizes))
    if any(size < 0 for size in result):
        raise RuntimeError(
            f"{op}(): elements of output_size must be greater than or equal to 0 but received "
            f"{result}"
        )
    return result


def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
    """(N, C, H, W) or (C, H, W) to the given size; every output is the mean of its share."""
    size = _output_size("adaptive_avg_pool2d", input, 2, output_size)
    return nn_ops.adaptive_avg_pool2d(input, size)


def adaptive_avg_pool3d(input: Tensor, output_size: OutputSize) -> Tensor:
    """(N, C, D, H, W) or (C, D, H, W) to the given size."""
    size = _output_size("adaptive_avg_pool3d", input, 3, output_size)
    depth, height, width = input.shape[-3:]
    flat = nn_ops.adaptive_avg_pool2d(input.reshape(-1, depth, height, width), size[1:])
    area = size[1] * size[2]
    pooled = nn_ops.adaptive_avg_pool2d(flat.reshape(-1, 1, depth, area), (size[0], area))
    return pooled.reshape(*input.shape[:-3], *size)


def _adaptive_max_dim(input: Tensor, dim: int, size: int) -> tuple[Tensor, Tensor]:
    """The maximum of each share of one dimension, and where in that dimension it lies."""
    length = input.size(dim)
    starts = [i * length // size for i in range(size)]
    ends = [-((i + 1) * length // -size) for i in range(size)]
    widest = max((end - start for start, end in zip(starts, ends)), default=1)
    # Shorter shares repeat their last element, which changes no maximum.
    places = fb.tensor(
        [min(start + k, end - 1) for start, end in zip(starts, ends) for k in range(widest)],
        dtype=fb.int64,
        device=input.device,
    )
    shape = (*input.shape[:dim], size, widest, *input.shape[dim + 1 :])
    values, within = input.index_select(dim, places).reshape(shape).max(dim + 1)
    first = fb.tensor(starts, dtype=fb.int64, device=input.device)
    at = first.reshape((-1,) + (1,) * (input.dim() - dim - 1)) + within
    limit = fb.tensor(ends, dtype=fb.int64, device=input.device) - 1
    return values, fb.minimum(at, limit.reshape((-1,) + (1,) * (input.dim() - dim - 1)))


def _adaptive_max(input: Tensor, size: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Pools the last dimensions one after the other, the innermost first."""
    spatial = len(size)
    first = input.dim() - spatial
    values = input
    indices: Tensor | None = None
    for dim in range(input.dim() - 1, first - 1, -1):
        values, at = _adaptive_max_dim(values, dim, size[dim - first])
        if indices is None:
            indices = at
        else:
            below = 1
            for length in input.shape[dim + 1 :]:
                below *= length
            indices = indices.gather(dim, at) + at * below
    assert indices is not None
    return values, indices


def _adaptive_max_nd(spatial: int, input: Tensor, output_size: OutputSize) -> tuple[Tensor, Tensor]:
    op = f"adaptive_max_pool{spatial}d"
    size = _output_size(op, input, spatial, output_size)
    if 0 in input.shape[1:]:
        raise RuntimeError(
            f"{op}(): Expected input to have non-zero size for non-batch dimensions, but input has "
            f"sizes {list(input.shape)}"
        )
    return _adaptive_max(input, size)


def _adaptive_max_pair(spatial: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def with_indices(
        input: Tensor, output_size: OutputSize, return_indices: bool = False
    ) -> tuple[Tensor, Tensor]:
        return _adaptive_max_nd(spatial, input, output_size)

    def pool(input: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
        pooled = _adaptive_max_nd(spatial, input, output_size)
        return pooled if return_indices else pooled[0]

    pool.__name__ = pool.__qualname__ = f"adaptive_max_pool{spatial}d"
    pool.__doc__ = (
        f"The last {spatial} dimension(s) to the given size; every output is the maximum of its "
        "share. With `return_indices` also the place of each maximum."
    )
    with_indices.__name__ = with_indices.__qualname__ = f"{pool.__name__}_with_indices"
    with_indices.__doc__ = f"`{pool.__name__}` and the place of each maximum."
    return pool, with_indices


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max_pair(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max_pair(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max_pair(3)
