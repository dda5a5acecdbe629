"""Tensors of random values for tests."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

__all__ = ["make_tensor"]


def default_range(dtype: fb.dtype) -> tuple[float, float]:
    if dtype == fb.bool:
        return 0, 2
    if dtype == fb.uint8:
        return 0, 10
    return (-9, 9) if dtype.is_floating_point else (-9, 10)


def make_tensor(
    *shape: Any,
    dtype: fb.dtype,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
) -> fb.Tensor:
    """A tensor of values drawn evenly from [low, high).

    The range is [-9, 9) for floating dtypes, {-9 .. 9} for signed integers, {0 .. 9} for uint8 and
    both truth values for bool, unless it is given. `noncontiguous` leaves a gap after each value
    in memory; `exclude_zero` moves zeros to the smallest value above. Values come from the default
    generator of flambeau_core. Raises ValueError for an empty range.
    """
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    lowest, highest = default_range(dtype)
    low = lowest if low is None else low
    high = highest if high is None else high
    if low >= high:
        raise ValueError(f"make_tensor() needs low < high, got low={low} and high={high}")
    if dtype.is_floating_point:
        drawn = fb.rand(size, dtype=fb.float64) * (high - low) + low
        # Rounding to a narrower dtype can reach the excluded upper end.
        values = drawn.to(dtype)
        values = values.masked_fill(values >= high, low)
        smallest: Any = fb.finfo(dtype).tiny
    else:
        values = fb.randint(int(low), int(high), size).to(dtype)
        smallest = 1
    if exclude_zero:
        values = values.masked_fill(values == 0, smallest)
    values = values.to(device)
    if noncontiguous and values.numel() > 1:
        values = with_gaps(values)
    return values.requires_grad_(requires_grad) if requires_grad else values


def with_gaps(values: fb.Tensor) -> fb.Tensor:
    """The same values, each followed in memory by one that is not part of the tensor."""
    wide = fb.zeros((*values.shape, 2), dtype=values.dtype, device=values.device)
    result = wide[..., 0]
    result.copy_(values)
    return result
