"""The Poisson distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .exp_family import ExponentialFamily

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """Counts of the mean ``rate``."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Parameter, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Poisson, batch_shape, _instance, ("rate",))

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with fb.no_grad():
            return fb.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return fb.xlogy(value, rate) - rate - fb.lgamma(value + 1)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.rate.log(),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return natural_params[0].exp()
