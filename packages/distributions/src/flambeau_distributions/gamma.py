"""The gamma distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .draws import standard_gamma
from .exp_family import ExponentialFamily

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Gamma with the shape ``concentration`` and the rate ``rate``, of the mean their ratio."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, concentration: Parameter, rate: Parameter, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Gamma, batch_shape, _instance, ("concentration", "rate"))

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.square()

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate
        # Zero would have no finite logarithm. Where a draw is raised, its gradient stays.
        return value + (value.detach().clamp(min=fb.finfo(value.dtype).tiny) - value.detach())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (
            fb.xlogy(self.concentration, self.rate)
            + fb.xlogy(self.concentration - 1, value)
            - self.rate * value
            - fb.lgamma(self.concentration)
        )

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return fb.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        concentration = self.concentration
        return (
            concentration
            - self.rate.log()
            + fb.lgamma(concentration)
            + (1 - concentration) * fb.digamma(concentration)
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return fb.lgamma(x + 1) - (x + 1) * (-y).log()
