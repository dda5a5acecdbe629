"""The distribution function of the standard normal distribution, and its logarithm."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op

__all__ = ["log_ndtr", "ndtr", "ndtri"]

ndtri = _C.find_op("special_ndtri")
_erfcx = _C.find_op("special_erfcx")


@op("ndtr(Tensor self) -> Tensor", namespace="special")
def ndtr(self: fb.Tensor) -> fb.Tensor:
    """The area under the standard normal density left of each element."""
    return (self * -math.sqrt(0.5)).erfc() * 0.5


@op("log_ndtr(Tensor self) -> Tensor", namespace="special")
def log_ndtr(self: fb.Tensor) -> fb.Tensor:
    """Logarithm of ``ndtr``, finite also where that underflows."""
    x = self if self.is_floating_point() else self.to(fb.get_default_dtype())
    left = x < -1
    low = x.masked_fill(~left, -1)
    high = x.masked_fill(left, 0)
    tail = (_erfcx(low * -math.sqrt(0.5)) / 2).log() - low.square() / 2
    return fb.where(left, tail, (high * math.sqrt(0.5)).erfc().div(-2).log1p())
