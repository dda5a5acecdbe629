"""Definitions of the elementwise ops of three tensors."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import composition


@composition("add_scaled")
def add_scaled(a: fb.Tensor, b: fb.Tensor, c: Any) -> fb.Tensor:
    """``a + b * c``."""
    return a + b * c


@composition("addcmul")
def addcmul(a: fb.Tensor, b: fb.Tensor, c: fb.Tensor, value: Any) -> fb.Tensor:
    """``a + value * b * c``."""
    return a + value * (b * c)


@composition("addcdiv")
def addcdiv(a: fb.Tensor, b: fb.Tensor, c: fb.Tensor, value: Any) -> fb.Tensor:
    """``a + value * (b / c)``."""
    return a + value * (b / c)


@composition("lerp")
def lerp(start: fb.Tensor, end: fb.Tensor, weight: Any) -> fb.Tensor:
    """``start + weight * (end - start)``, taken from the nearer end, so that 1 gives ``end``."""
    difference = end - start
    if isinstance(weight, fb.Tensor):
        near_start = start + weight * difference
        near_end = end - difference * (1 - weight)
        return fb.where(weight.abs() < 0.5, near_start, near_end)
    if abs(weight) < 0.5:
        return start + weight * difference
    return end - difference * (1 - weight)
