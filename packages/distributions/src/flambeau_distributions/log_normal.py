"""The log-normal distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter
from .distribution import Shape
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The exponential of a `Normal` variable of these parameters."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Normal

    def __init__(self, loc: Parameter, scale: Parameter, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(LogNormal, _instance))

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.square() / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        variance = self.scale.square()
        return variance.expm1() * (2 * self.loc + variance).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
