"""Definitions of the reductions, and of the orderings that follow from ``sort``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.declare import composition


def reduced_count(x: fb.Tensor, dims: Sequence[int] | None) -> int:
    """How many elements each result of a reduction over ``dims`` (None: all) is made of."""
    if dims is None:
        return int(x.numel())
    count = 1
    for dim in dims:
        count *= x.shape[dim] if x.dim() else 1
    return count


@composition("mean")
def mean(x: fb.Tensor, dims: Sequence[int] | None, keepdim: bool) -> fb.Tensor:
    """Sum over ``dims`` (none: all) divided by the number of elements."""
    dims = _all_dims(x, dims)
    total = widened(x).sum(dims, keepdim)
    return (total / reduced_count(x, dims)).to(x.dtype)


@composition("var")
def var(x: fb.Tensor, dims: Sequence[int] | None, correction: float, keepdim: bool) -> fb.Tensor:
    """Mean square distance from the mean, with ``max(n - correction, 0)`` as the divisor."""
    wide = widened(x)
    dims = _all_dims(x, dims)
    centred = wide - wide.mean(dims, True)
    total = centred.square().sum(dims, keepdim)
    return (total / max(reduced_count(x, dims) - correction, 0)).to(x.dtype)


def _all_dims(x: fb.Tensor, dims: Sequence[int] | None) -> list[int]:
    return list(dims) if dims else list(range(x.dim()))


@composition("max_dim")
def max_dim(x: fb.Tensor, dim: int, keepdim: bool) -> tuple[fb.Tensor, fb.Tensor]:
    """Largest values along ``dim`` and where they stand: the first of equals, NaN above all."""
    return _selected(x, x.argmax(dim, True), dim, keepdim)


@composition("min_dim")
def min_dim(x: fb.Tensor, dim: int, keepdim: bool) -> tuple[fb.Tensor, fb.Tensor]:
    """Smallest values along ``dim`` and where they stand: the first of equals, NaN below all."""
    return _selected(x, x.argmin(dim, True), dim, keepdim)


def _selected(
    x: fb.Tensor, index: fb.Tensor, dim: int, keepdim: bool
) -> tuple[fb.Tensor, fb.Tensor]:
    values = x.gather(dim, index)
    if keepdim or x.dim() == 0:
        return values, index
    return values.squeeze(dim), index.squeeze(dim)


@composition("topk")
def topk(
    x: fb.Tensor, k: int, dim: int, largest: bool, sorted: bool
) -> tuple[fb.Tensor, fb.Tensor]:
    """The ``k`` largest (or smallest) values along ``dim``, in order, and where they stand."""
    if x.dim() == 0:
        return x.clone(), fb.zeros((), dtype=fb.int64, device=x.device)
    order = x.detach().argsort(dim=dim, descending=largest, stable=True).narrow(dim, 0, k)
    return x.gather(dim, order), order


@composition("bincount")
def bincount(x: fb.Tensor, weights: fb.Tensor | None, minlength: int) -> fb.Tensor:
    """How often each number occurs in a 1-D integer tensor, or the sum of their weights."""
    length = max(int(x.max().item()) + 1 if x.numel() else 0, minlength)
    dtype: Any = fb.int64
    if weights is not None:
        dtype = weights.dtype if weights.dtype == fb.float32 else fb.float64
    ones = fb.ones_like(x, dtype=dtype) if weights is None else weights.to(dtype)
    return fb.zeros(length, dtype=dtype, device=x.device).index_add(0, x.to(fb.int64), ones)
