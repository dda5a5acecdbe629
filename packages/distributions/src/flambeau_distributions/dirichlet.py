"""The Dirichlet distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .distribution import Shape
from .draws import sample_dirichlet
from .exp_family import ExponentialFamily

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Probability vectors ``(..., K)`` with the parameters ``concentration``, ``(..., K)``."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("concentration must have at least one dimension, but got a number")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Dirichlet, batch_shape, _instance, ("concentration",))

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0)
        mode = above / above.sum(-1, keepdim=True)
        # Below 1 the density is infinite in every corner: the first one is as good as any.
        infinite = (self.concentration < 1).all(-1, keepdim=True)
        corner = fb.zeros_like(mode)
        corner[..., 0] = 1
        return fb.where(infinite, corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (
            fb.xlogy(self.concentration - 1, value).sum(-1)
            + fb.lgamma(self.concentration.sum(-1))
            - fb.lgamma(self.concentration).sum(-1)
        )

    def entropy(self) -> Tensor:
        count = self.concentration.shape[-1]
        total = self.concentration.sum(-1)
        return (
            fb.lgamma(self.concentration).sum(-1)
            - fb.lgamma(total)
            - (count - total) * fb.digamma(total)
            - ((self.concentration - 1) * fb.digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration - 1,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x = natural_params[0] + 1
        return fb.lgamma(x).sum(-1) - fb.lgamma(x.sum(-1))
