"""Student's t distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .chi2 import Chi2
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t with ``df`` degrees of freedom, shifted by ``loc`` and stretched by ``scale``."""

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Parameter,
        loc: Parameter = 0.0,
        scale: Parameter = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(StudentT, batch_shape, _instance, ("df", "loc", "scale"))

    @property
    def mean(self) -> Tensor:
        """NaN up to one degree of freedom."""
        return self.loc.masked_fill(self.df <= 1, fb.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Infinite up to two degrees of freedom, NaN up to one."""
        variance = self.scale.square() * self.df / (self.df - 2)
        return variance.masked_fill(self.df <= 2, fb.inf).masked_fill(self.df <= 1, fb.nan)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = fb.randn(shape, dtype=self.df.dtype, device=self.df.device)
        chi2 = Chi2(self.df, validate_args=False).rsample(sample_shape)
        return self.loc + self.scale * normal * (chi2 / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        standard = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + fb.lgamma(0.5 * self.df)
            - fb.lgamma(0.5 * (self.df + 1))
        )
        return -0.5 * (self.df + 1) * (standard.square() / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = fb.lgamma(half) + math.lgamma(0.5) - fb.lgamma(next_half)
        return (
            self.scale.log()
            + next_half * (fb.digamma(next_half) - fb.digamma(half))
            + 0.5 * self.df.log()
            + log_beta
        )
