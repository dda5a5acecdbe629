"""Elementwise functions made of others."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.declare import op


@op("frac(Tensor self) -> Tensor", inplace=True)
def frac(self: fb.Tensor) -> fb.Tensor:
    """The fractional part, with the sign of the element."""
    if not self.is_floating_point():
        raise RuntimeError(f'"frac" not implemented for {self.dtype}')
    return self - self.trunc()


def _require_real(name: str, x: fb.Tensor) -> None:
    if x.is_complex():
        raise RuntimeError(f"{name}: is not supported on complex tensors")


@op("deg2rad(Tensor self) -> Tensor", inplace=True)
def deg2rad(self: fb.Tensor) -> fb.Tensor:
    """Degrees as radians."""
    _require_real("deg2rad", self)
    return self * (math.pi / 180)


@op("rad2deg(Tensor self) -> Tensor", inplace=True)
def rad2deg(self: fb.Tensor) -> fb.Tensor:
    """Radians as degrees."""
    _require_real("rad2deg", self)
    return self * (180 / math.pi)


@op("logit(Tensor self, float? eps=None) -> Tensor", inplace=True)
def logit(self: fb.Tensor, eps: float | None) -> fb.Tensor:
    """``log(x / (1 - x))``, of ``x`` kept in ``[eps, 1 - eps]`` if ``eps`` is given."""
    x = self if self.is_floating_point() else self.to(fb.get_default_dtype())
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    else:  # outside of [0, 1] the slope is NaN like the value
        x = x * fb.ones_like(x).masked_fill((x < 0) | (x > 1), math.nan)
    # Both ends have the right infinite slope this way.
    wide = widened(x)
    return (wide.log() - (-wide).log1p()).to(x.dtype)


@op("heaviside(Tensor self, Tensor values) -> Tensor", inplace=True)
def heaviside(self: fb.Tensor, values: fb.Tensor) -> fb.Tensor:
    """0 for negative elements, 1 for positive ones, ``values`` at zero."""
    _require_real("heaviside", self)
    if self.dtype != values.dtype:
        raise RuntimeError(
            f"heaviside: is not implemented for tensors with different dtypes, "
            f"got {self.dtype} and {values.dtype}"
        )
    return fb.where(self == 0, values.detach(), (self > 0).to(self.dtype))


@op("ldexp(Tensor self, Tensor other) -> Tensor", inplace=True)
def ldexp(self: fb.Tensor, other: fb.Tensor) -> fb.Tensor:
    """``self * 2 ** other``."""
    return self * fb.pow(2.0, other)


@op("float_power(Operand self, Operand exponent) -> Tensor", method=True)
def float_power(self: Any, exponent: Any) -> fb.Tensor:
    """Power in double precision (complex if an argument is)."""
    if not isinstance(self, fb.Tensor) and not isinstance(exponent, fb.Tensor):
        raise TypeError("float_power(): at least one argument must be a Tensor")
    dtype = _double_precision(self, exponent)
    base, power = (x.to(dtype) if isinstance(x, fb.Tensor) else x for x in (self, exponent))
    return fb.pow(base, power)


@op("float_power_(Tensor self, Operand exponent) -> self", function=False)
def float_power_(self: fb.Tensor, exponent: Any) -> fb.Tensor:
    """``float_power`` in place; RuntimeError unless the tensor has the result's dtype."""
    dtype = _double_precision(self, exponent)
    if self.dtype != dtype:
        raise RuntimeError(
            f"float_power_: the base has dtype {self.dtype}, but the result requires {dtype}"
        )
    return self.pow_(exponent)


def _double_precision(*operands: Any) -> Any:
    """The double-precision dtype that holds tensors and numbers of any kind."""
    is_complex = any(
        x.is_complex() if isinstance(x, fb.Tensor) else isinstance(x, complex) for x in operands
    )
    return fb.complex128 if is_complex else fb.float64


@op("logaddexp2(Tensor self, Tensor other) -> Tensor")
def logaddexp2(self: fb.Tensor, other: fb.Tensor) -> fb.Tensor:
    """``log2(2 ** self + 2 ** other)``, without overflow."""
    _require_real("logaddexp2", self)
    if fb.bool in (self.dtype, other.dtype):
        self, other = (x.to(fb.uint8) if x.dtype == fb.bool else x for x in (self, other))
    top = fb.maximum(self, other)
    same_infinity = top.isinf() & (self == other)
    gap = (self - other).abs().masked_fill(same_infinity, 0)
    return (top + (-gap).exp2().log1p() / math.log(2)).to(top.dtype)


@op("sinc(Tensor self) -> Tensor", inplace=True)
def sinc(self: fb.Tensor) -> fb.Tensor:
    """``sin(pi x) / (pi x)``, and 1 at zero."""
    x = self
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(fb.get_default_dtype())
    angle = widened(x) * math.pi
    # Near 0 the power series, whose derivatives lose no digits.
    near = angle.detach().abs() < 0.5
    square = angle.masked_fill(~near, 0).square()
    series = 1 - square / 210
    for factors in (156, 110, 72, 42, 20, 6):
        series = 1 - square / factors * series
    far = angle.masked_fill(near, 1)
    return fb.where(near, series, far.sin() / far).to(x.dtype)


@op("clamp_min(Tensor self, Operand min) -> Tensor", inplace=True)
def clamp_min(self: fb.Tensor, min: Any) -> fb.Tensor:
    """Elements below ``min`` replaced by it."""
    return fb.clamp(self, min=min)


@op("clamp_max(Tensor self, Operand max) -> Tensor", inplace=True)
def clamp_max(self: fb.Tensor, max: Any) -> fb.Tensor:
    """Elements above ``max`` replaced by it."""
    return fb.clamp(self, max=max)


@op(
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    inplace=True,
)
def nan_to_num(
    self: fb.Tensor, nan: float | None, posinf: float | None, neginf: float | None
) -> fb.Tensor:
    """NaN replaced by ``nan`` (0 if None), infinities by the given or the largest numbers."""
    if self.is_complex():
        parts = nan_to_num(fb.view_as_real(self), nan, posinf, neginf)
        return fb.view_as_complex(parts.contiguous())
    if not self.is_floating_point():
        return self.clone()
    limits = fb.finfo(self.dtype)
    top = limits.max if posinf is None else posinf
    bottom = limits.min if neginf is None else neginf
    x = self.masked_fill(self.isnan(), 0.0 if nan is None else nan)
    x = x.masked_fill(self == math.inf, top)
    return x.masked_fill(self == -math.inf, bottom)
