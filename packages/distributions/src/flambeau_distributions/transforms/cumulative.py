"""The cumulative distribution function as a transform."""

from __future__ import annotations

from flambeau_core import Tensor

from .. import constraints
from ..constraints import Constraint
from ..distribution import Distribution
from .transform import Transform


class CumulativeDistributionTransform(Transform):
    """``y = F(x)`` of a distribution of single numbers: uniform, if x is drawn from it.

    Composed with the inverse of another one's it joins marginals to a copula.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:  # type: ignore[override]
        support = self.distribution.support
        assert support is not None
        return support

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
