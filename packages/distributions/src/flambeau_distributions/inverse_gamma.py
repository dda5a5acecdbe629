"""The inverse gamma distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter
from .distribution import Shape
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """One over a `Gamma` variable of these parameters."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(
        self, concentration: Parameter, rate: Parameter, validate_args: bool | None = None
    ) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        power = PowerTransform(-fb.ones((), dtype=base.rate.dtype, device=base.rate.device))
        super().__init__(base, power, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self) -> Tensor:
        """The shape of the gamma variable."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma variable."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        """Infinite up to ``concentration = 1``."""
        mean = self.rate / (self.concentration - 1)
        return mean.masked_fill(self.concentration <= 1, fb.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """Infinite up to ``concentration = 2``."""
        c = self.concentration
        variance = self.rate.square() / ((c - 1).square() * (c - 2))
        return variance.masked_fill(c <= 2, fb.inf)

    def entropy(self) -> Tensor:
        c = self.concentration
        return c + self.rate.log() + fb.lgamma(c) - (1 + c) * fb.digamma(c)
