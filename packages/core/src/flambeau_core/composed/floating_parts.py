"""Mantissa and exponent, and tests for signed infinities."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op("frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)")
def frexp(self: fb.Tensor) -> Any:
    """``self = mantissa * 2 ** exponent`` with ``0.5 <= |mantissa| < 1`` and int32 exponents.

    Zeros, infinities and NaN are their own mantissas, with exponent 0.

    Raises:
        RuntimeError: the tensor is not of a floating-point dtype.
    """
    if not self.is_floating_point():
        raise RuntimeError(f"frexp: only supports floating-point dtypes, got {self.dtype}")
    x = self.detach()
    ordinary = x.isfinite() & (x != 0)
    exponent = fb.where(ordinary, x.abs(), 1).log2().floor() + 1
    # In two steps, since 2 ** -exponent overflows for subnormal numbers.
    first = (exponent / 2).trunc()
    scaled = self * (-first).exp2() * (first - exponent).exp2()
    # The logarithm may have been rounded past a whole number.
    size = scaled.detach().abs()
    above, below = size >= 1, size < 0.5
    step = above.to(x.dtype) - below.to(x.dtype)
    mantissa = fb.where(ordinary, scaled * (-step).exp2(), self)
    exponent = (exponent + step).masked_fill(~ordinary, 0)
    return fb.return_types.frexp(mantissa, exponent.to(fb.int32))


def _is_infinite(name: str, x: fb.Tensor, infinity: float) -> fb.Tensor:
    if x.is_complex():
        raise RuntimeError(f"{name}: does not support complex inputs.")
    return x == infinity if x.is_floating_point() else fb.zeros_like(x, dtype=fb.bool)


@op("isposinf(Tensor self) -> Tensor")
def isposinf(self: fb.Tensor) -> fb.Tensor:
    """Whether elements are +inf; RuntimeError for complex tensors."""
    return _is_infinite("isposinf", self, math.inf)


@op("isneginf(Tensor self) -> Tensor")
def isneginf(self: fb.Tensor) -> fb.Tensor:
    """Whether elements are -inf; RuntimeError for complex tensors."""
    return _is_infinite("isneginf", self, -math.inf)
