"""The Weibull distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .exponential import Exponential
from .gumbel import EULER_GAMMA
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``scale * e ** (1 / concentration)`` of a standard exponential variable e."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(
        self, scale: Parameter, concentration: Parameter, validate_args: bool | None = None
    ) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        rate = fb.ones_like(self.scale, requires_grad=False)
        transforms = [
            PowerTransform(self.concentration.reciprocal()),
            AffineTransform(0, self.scale),
        ]
        base = Exponential(rate, validate_args=validate_args)
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        return super().expand(batch_shape, new)

    @property
    def mean(self) -> Tensor:
        return self.scale * fb.lgamma(1 + self.concentration.reciprocal()).exp()

    @property
    def mode(self) -> Tensor:
        c = self.concentration
        return self.scale * ((c - 1).clamp(min=0) / c).pow(c.reciprocal())

    @property
    def variance(self) -> Tensor:
        inverse = self.concentration.reciprocal()
        second = fb.lgamma(1 + 2 * inverse).exp() - (2 * fb.lgamma(1 + inverse)).exp()
        return self.scale.square() * second

    def entropy(self) -> Tensor:
        inverse = self.concentration.reciprocal()
        return EULER_GAMMA * (1 - inverse) + (self.scale * inverse).log() + 1
