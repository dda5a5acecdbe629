"""The p-norm along dimensions, which other norms and distances are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.composed.subgradients import (
    magnitude,
    power_with_zero_slope,
    root_with_zero_slope,
)

__all__ = ["vector_norm"]


def vector_norm(x: fb.Tensor, p: float, dims: Sequence[int] | None, keepdim: bool) -> fb.Tensor:
    """The ``p``-norm over ``dims`` (None: all): ``sum(|x| ** p) ** (1 / p)`` and its limits.

    Derivatives that do not exist are 0; a largest element's is shared by those that equal it.
    """
    axes = list(range(x.dim())) if dims is None else list(dims)
    dtype = x.real.dtype if x.is_complex() else x.dtype
    wide = widened(x)
    if p == 2:
        square = fb.view_as_real(wide).square().sum(-1) if wide.is_complex() else wide.square()
        return root_with_zero_slope(square.sum(axes, keepdim)).to(dtype)
    size = magnitude(wide)
    if p == math.inf:
        norm = size.amax(axes, keepdim)
    elif p == -math.inf:
        norm = size.amin(axes, keepdim)
    elif p == 1:
        norm = size.sum(axes, keepdim)
    elif p == 0:
        norm = size.masked_fill(size != 0, 1).masked_fill(size == 0, 0).sum(axes, keepdim)
    else:
        total = power_with_zero_slope(size, p).sum(axes, keepdim)
        norm = power_with_zero_slope(total, 1 / p)
    return norm.to(dtype)
