"""The generalized Pareto distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .constraints import Constraint
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The excess of extremes over the threshold ``loc``, with the tail index ``concentration``.

    A negative concentration bounds the support at ``loc - scale / concentration``; at 0 the
    distribution is exponential.
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self,
        loc: Parameter,
        scale: Parameter,
        concentration: Parameter,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("loc", "scale", "concentration")
        return self._expanded(GeneralizedPareto, batch_shape, _instance, names)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        bound = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, bound.masked_fill(self.concentration >= 0, fb.inf))

    def _is_exponential(self) -> Tensor:
        return self.concentration.abs() < fb.finfo(self.concentration.dtype).eps

    def _shape(self) -> Tensor:
        """The concentration, with 1 where it is 0 and another formula is taken."""
        return self.concentration.masked_fill(self._is_exponential(), 1.0)

    @property
    def mean(self) -> Tensor:
        """NaN from ``concentration = 1``."""
        c = self.concentration
        return (self.loc + self.scale / (1 - c)).masked_fill(c >= 1, fb.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """NaN from ``concentration = 1/2``."""
        c = self.concentration
        variance = self.scale.square() / ((1 - c).square() * (1 - 2 * c))
        return variance.masked_fill(c >= 0.5, fb.nan)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(fb.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of a sample above ``value``."""
        if self._validate_args:
            self._validate_sample(value)
        standard = (value - self.loc) / self.scale
        shape = self._shape()
        return fb.where(self._is_exponential(), -standard, -(shape * standard).log1p() / shape)

    def log_prob(self, value: Tensor) -> Tensor:
        survival = self.log_survival_function(value)
        return (1 + self.concentration) * survival - self.scale.log()

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf`."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        log_survival = (-value).log1p()
        shape = self._shape()
        standard = fb.where(
            self._is_exponential(), -log_survival, (-shape * log_survival).expm1() / shape
        )
        return self.loc + self.scale * standard

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1
