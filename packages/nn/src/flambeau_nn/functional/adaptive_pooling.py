"""Pooling to a given output size: every output covers its share of the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

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


def _adaptive_max_pair(spatial: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"adaptive_max_pool{spatial}d"
    both = getattr(nn_ops, name)

    def with_indices(
        input: Tensor, output_size: OutputSize, return_indices: bool = False
    ) -> tuple[Tensor, Tensor]:
        return both(input, output_size)

    def pool(input: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
        pooled = both(input, output_size)
        return pooled if return_indices else pooled[0]

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"The last {spatial} dimension(s) to the given size; every output is the maximum of its "
        "share. With `return_indices` also the place of each maximum."
    )
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    with_indices.__doc__ = f"`{name}` and the place of each maximum."
    return pool, with_indices


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max_pair(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max_pair(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max_pair(3)
