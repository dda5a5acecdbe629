"""Transforms of single numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .. import constraints
from ..broadcasting import Parameter, sum_rightmost
from ..constraints import Constraint
from .transform import ParameterlessTransform, Transform

_softplus = fb.nn_ops.softplus


def _equal(a: Parameter, b: Parameter) -> bool:
    return bool((a == b).all()) if isinstance(a, Tensor) or isinstance(b, Tensor) else a == b  # type: ignore[union-attr]


def _shape_of(value: Parameter) -> Sequence[int]:
    return value.shape if isinstance(value, Tensor) else ()


class ExpTransform(ParameterlessTransform):
    """``y = exp(x)``."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive numbers; the exponent broadcasts with them."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Parameter, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else fb.tensor(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Tensor:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _equal(self.exponent, other.exponent)

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return fb.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class SigmoidTransform(ParameterlessTransform):
    """``y = 1 / (1 + exp(-x))``, kept away from 0 and 1 so that it has an inverse."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return inside_unit_interval(fb.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = inside_unit_interval(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -_softplus(-x) - _softplus(x)


def inside_unit_interval(y: Tensor) -> Tensor:
    info = fb.finfo(y.dtype)
    return y.clamp(min=info.tiny, max=1 - info.eps)


class SoftplusTransform(ParameterlessTransform):
    """``y = log(1 + exp(x))``."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return _softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-(-y).expm1()).log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -_softplus(-x)


class TanhTransform(ParameterlessTransform):
    """``y = tanh(x)``: more precise than sigmoid and affine transforms composed.

    Outputs at -1 or 1, where tanh is rounded, have infinite inverses: a cache returns the input.
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - _softplus(-2 * x))


class AbsTransform(ParameterlessTransform):
    """``y = |x|``, whose inverse is taken to be the positive one."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """``y = loc + scale * x``.

    Args:
        loc, scale: numbers or tensors that broadcast with ``x``; ``scale`` is not 0.
        event_dim: how many rightmost dimensions make one event.
    """

    bijective = True

    def __init__(
        self, loc: Parameter, scale: Parameter, event_dim: int = 0, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        if self._event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return self.domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _equal(self.loc, other.loc)
            and _equal(self.scale, other.scale)
        )

    __hash__ = None

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            shape = fb.broadcast_shapes(x.shape, self.scale.shape)
            logs = self.scale.abs().log().expand(shape)
        else:
            logs = fb.full_like(x, math.log(abs(self.scale)), requires_grad=False)
        return sum_rightmost(logs, self._event_dim)

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return fb.broadcast_shapes(shape, _shape_of(self.loc), _shape_of(self.scale))

    inverse_shape = forward_shape
