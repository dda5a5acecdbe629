"""The beta distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .draws import sample_dirichlet
from .exp_family import ExponentialFamily

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """Beta, whose density is ``x ** (concentration1 - 1) * (1 - x) ** (concentration0 - 1) / B``.

    ``concentration1`` is the parameter often called alpha, ``concentration0`` beta.
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        concentration1: Parameter,
        concentration0: Parameter,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("concentration1", "concentration0")
        return self._expanded(Beta, batch_shape, _instance, names)

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        above = (a - 1).clamp(min=0)
        peak = above / (above + (b - 1).clamp(min=0))
        # Below 1 the density is infinite at both ends.
        return peak.masked_fill((a < 1) & (b < 1), 1.0)

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        concentration = fb.stack([self.concentration1, self.concentration0], -1)
        shape = self._extended_shape(sample_shape)
        return sample_dirichlet(concentration.expand((*shape, 2)))[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b = self.concentration1, self.concentration0
        return fb.xlogy(a - 1, value) + fb.xlogy(b - 1, 1 - value) - _log_beta(a, b)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return (
            _log_beta(a, b)
            - (a - 1) * fb.digamma(a)
            - (b - 1) * fb.digamma(b)
            + (a + b - 2) * fb.digamma(a + b)
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration1 - 1, self.concentration0 - 1

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return _log_beta(natural_params[0] + 1, natural_params[1] + 1)


def _log_beta(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of the beta function."""
    return fb.lgamma(a) + fb.lgamma(b) - fb.lgamma(a + b)
