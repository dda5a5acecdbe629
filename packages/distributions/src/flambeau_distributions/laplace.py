"""The Laplace distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Laplace (double exponential) with the mean ``loc`` and the decay length ``scale``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Parameter, scale: Parameter, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Laplace, batch_shape, _instance, ("loc", "scale"))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.square()

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = fb.rand(shape, dtype=self.loc.dtype, device=self.loc.device)
        # In [-1, 1), and above -1 where the logarithm would be infinite.
        u = (2 * uniform - 1).clamp(min=fb.finfo(uniform.dtype).eps / 2 - 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        deviation = value - self.loc
        return 0.5 - 0.5 * deviation.sign() * (-deviation.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        u = value - 0.5
        return self.loc - self.scale * u.sign() * (-2 * u.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
