"""Putting a neutral value where a mask is False."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb

Dims = int | Sequence[int] | None


def checked_mask(name: str, input: fb.Tensor, mask: fb.Tensor | None) -> fb.Tensor | None:
    """The mask as truth values; IndexError where it has more dimensions than the input."""
    if not isinstance(input, fb.Tensor):
        raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
    if mask is None:
        return None
    if not isinstance(mask, fb.Tensor):
        raise TypeError(f"{name}(): argument 'mask' must be Tensor, not {type(mask).__name__}")
    if mask.dim() > input.dim():
        raise IndexError(
            f"{name}: the mask must broadcast to the input, but has more dimensions: "
            f"shape {tuple(mask.shape)} for input of shape {tuple(input.shape)}"
        )
    return mask if mask.dtype == fb.bool else mask.to(fb.bool)


def filled(
    name: str,
    input: fb.Tensor,
    mask: fb.Tensor | None,
    value: float | Callable[[str, fb.dtype], float],
) -> fb.Tensor:
    """The input with ``value`` where the mask is False; these elements get no gradient.

    The value may depend on the dtype, as ``lowest`` does.
    """
    mask = checked_mask(name, input, mask)
    if mask is None:
        return input
    if callable(value):
        value = value(name, input.dtype)
    return input.masked_fill(~mask.expand(input.shape), value)


def lowest(name: str, dtype: fb.dtype) -> float:
    """What no element of the dtype is below: the identity of a maximum."""
    if dtype.is_floating_point:
        return -fb.inf
    _check_ordered(name, dtype)
    return fb.iinfo(dtype).min


def highest(name: str, dtype: fb.dtype) -> float:
    """What no element of the dtype is above: the identity of a minimum."""
    if dtype.is_floating_point:
        return fb.inf
    _check_ordered(name, dtype)
    return fb.iinfo(dtype).max


def _check_ordered(name: str, dtype: fb.dtype) -> None:
    if dtype.is_complex:
        raise TypeError(f"{name}: complex numbers have no order, got {dtype}")
    if dtype == fb.bool:
        raise NotImplementedError(f"{name}: not implemented for {dtype}")


def dimensions(input: fb.Tensor, dim: Dims) -> list[int]:
    """The dimensions that a reduction runs over; None and ``()`` mean all."""
    if isinstance(dim, int):
        return [dim]
    return list(dim) if dim else list(range(input.dim()))


def cast(input: fb.Tensor, dtype: Any) -> fb.Tensor:
    """The input in the dtype asked for, if one is."""
    return input if dtype is None else input.to(dtype)
