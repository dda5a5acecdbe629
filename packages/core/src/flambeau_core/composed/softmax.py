"""Definitions of softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.composed.precision import widened
from flambeau_core.declare import composition, op


@composition("softmax")
def softmax(x: fb.Tensor, dim: int, dtype: Any = None) -> fb.Tensor:
    """Exponentials along ``dim`` divided by their sum."""
    x = x if dtype is None else x.to(dtype)
    if x.numel() == 0:
        return x.clone()
    wide = widened(x)
    powers = (wide - wide.detach().amax(dim, True)).exp()
    return (powers / powers.sum(dim, True)).to(x.dtype)


@composition("log_softmax")
def log_softmax(x: fb.Tensor, dim: int, dtype: Any = None) -> fb.Tensor:
    """Logarithm of ``softmax``, without leaving the logarithmic scale."""
    x = x if dtype is None else x.to(dtype)
    if x.numel() == 0:
        return x.clone()
    wide = widened(x)
    centred = wide - wide.detach().amax(dim, True)
    return (centred - centred.exp().sum(dim, True).log()).to(x.dtype)


@op("logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor")
def logsumexp(self: fb.Tensor, dim: Sequence[int], keepdim: bool) -> fb.Tensor:
    """``log(sum(exp(x)))`` over ``dim``, without overflow. Integers give the default dtype."""
    if not (self.is_floating_point() or self.is_complex()):
        self = self.to(fb.get_default_dtype())
    dims = list(dim) or list(range(self.dim()))
    if self.numel() == 0:
        return self.exp().sum(dims, keepdim).log()
    # Of complex numbers the real part makes the size.
    top = (self.real if self.is_complex() else self).detach().amax(dims, True)
    # An infinite maximum cannot be subtracted from itself.
    top = top.masked_fill(top.isinf(), 0)
    total = (self - top).exp().sum(dims, True).log() + top
    return total if keepdim or self.dim() == 0 else total.squeeze(dims)


@op("logcumsumexp(Tensor self, int dim) -> Tensor")
def logcumsumexp(self: fb.Tensor, dim: int) -> fb.Tensor:
    """Logarithm of the running sum of exponentials along ``dim``.

    Sums of ever longer stretches are joined in doubling steps (Hillis and Steele, 1986).
    """
    dim = wrap_dim("logcumsumexp", dim, self.shape)
    if self.dim() == 0 or self.numel() == 0:
        return self.clone()
    result, length, step = self, self.shape[dim], 1
    while step < length:
        joined = fb.logaddexp(
            result.narrow(dim, step, length - step), result.narrow(dim, 0, length - step)
        )
        result = fb.cat([result.narrow(dim, 0, step), joined], dim)
        step *= 2
    return self.clone() if result is self else result
