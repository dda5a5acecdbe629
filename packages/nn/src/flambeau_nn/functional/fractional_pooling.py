"""Fractional max pooling; Graham, 2014."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]

Size = int | Sequence[int]
Ratio = float | Sequence[float]


def _output_size(
    name: str, input: Tensor, spatial: int, output_size: Size | None, output_ratio: Ratio | None
) -> Size:
    if output_size is not None:
        return output_size
    if output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    ratios = [output_ratio] * spatial if isinstance(output_ratio, float) else list(output_ratio)
    return [int(length * ratio) for length, ratio in zip(input.shape[-spatial:], ratios)]


def _pair(spatial: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"fractional_max_pool{spatial}d"
    pool_with = getattr(nn_ops, name)

    def with_indices(
        input: Tensor,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: Ratio | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        size = _output_size(name, input, spatial, output_size, output_ratio)
        samples = _random_samples
        if samples is None:
            lead = input.shape[:2] if input.dim() == spatial + 2 else (1, input.size(0))
            samples = fb.rand((*lead, spatial), dtype=input.dtype, device=input.device)
        return pool_with(input, kernel_size, size, samples)

    def pool(
        input: Tensor,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: Ratio | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        pooled = with_indices(
            input, kernel_size, output_size, output_ratio, return_indices, _random_samples
        )
        return pooled if return_indices else pooled[0]

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"Maxima of randomly placed windows over the last {spatial} dimensions, down to a size or "
        "to a share of the input's. With `return_indices` also the place of each maximum."
    )
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    with_indices.__doc__ = f"`{name}` and the place of each maximum."
    return pool, with_indices


fractional_max_pool2d, fractional_max_pool2d_with_indices = _pair(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _pair(3)
