"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .gumbel import EULER_GAMMA
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """Much like `Beta`, with the simple distribution function ``1 - (1 - x ** a) ** b``.

    a is ``concentration1``, b is ``concentration0``.
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        concentration1: Parameter,
        concentration0: Parameter,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            fb.zeros_like(self.concentration0, requires_grad=False),
            fb.ones_like(self.concentration0, requires_grad=False),
            validate_args=validate_args,
        )
        transforms = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, new)

    def _moment(self, order: int) -> Tensor:
        """The mean of ``x ** order``: ``b B(1 + order / a, b)``."""
        a, b = self.concentration1, self.concentration0
        first = 1 + order / a
        return (fb.lgamma(first) + fb.lgamma(b + 1) - fb.lgamma(first + b)).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """NaN where the density has no single peak: a < 1 or b < 1, or both are 1."""
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1) / (a * b - 1)).pow(a.reciprocal())
        return mode.masked_fill((a < 1) | (b < 1), fb.nan)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.square()

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = fb.digamma(b + 1) + EULER_GAMMA
        return (1 - 1 / b) + (1 - 1 / a) * harmonic - a.log() - b.log()
