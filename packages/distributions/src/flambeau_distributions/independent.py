"""Batch dimensions taken as part of the event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flambeau_core import Tensor

from . import constraints
from .broadcasting import sum_rightmost
from .constraints import Constraint
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Independent"]

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """A distribution whose last batch dimensions belong to the event.

    ``Independent(Normal(loc, scale), 1)`` is a normal distribution of vectors with a diagonal
    covariance: `log_prob` adds up over the dimensions taken.

    Raises:
        ValueError: ``base_distribution`` has fewer than ``reinterpreted_batch_ndims`` batch
            dimensions.
    """

    arg_constraints: dict[str, Constraint] = {}
    base_dist: D

    def __init__(
        self,
        base_distribution: D,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch_shape = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch_shape):
            raise ValueError(
                f"reinterpreted_batch_ndims is {reinterpreted_batch_ndims}, but the base "
                f"distribution has the batch shape {tuple(batch_shape)}"
            )
        split = len(batch_shape) - reinterpreted_batch_ndims
        event_shape = batch_shape[split:] + base_distribution.event_shape
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(batch_shape[:split], event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(Independent, _instance)
        taken = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*batch_shape, *taken))
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_enumerate_support and self.reinterpreted_batch_ndims == 0

    @constraints.dependent_property
    def support(self) -> Constraint:
        base = self.base_dist.support
        assert base is not None
        if self.reinterpreted_batch_ndims == 0:
            return base
        return constraints.independent(base, self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("the support of an event of several dimensions is a product")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
