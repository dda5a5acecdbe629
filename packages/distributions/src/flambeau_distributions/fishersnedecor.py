"""The F distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape
from .gamma import Gamma

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared variables, each over its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Parameter, df2: Parameter, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(FisherSnedecor, batch_shape, _instance, ("df1", "df2"))

    @property
    def mean(self) -> Tensor:
        """NaN up to ``df2 = 2``."""
        return (self.df2 / (self.df2 - 2)).masked_fill(self.df2 <= 2, fb.nan)

    @property
    def mode(self) -> Tensor:
        """NaN up to ``df1 = 2``."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, fb.nan)

    @property
    def variance(self) -> Tensor:
        """NaN up to ``df2 = 4``."""
        df1, df2 = self.df1, self.df2
        variance = 2 * df2.square() * (df1 + df2 - 2) / (df1 * (df2 - 2).square() * (df2 - 4))
        return variance.masked_fill(df2 <= 4, fb.nan)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        numerator = Gamma(0.5 * self.df1, self.df1, validate_args=False).rsample(sample_shape)
        return numerator / Gamma(0.5 * self.df2, self.df2, validate_args=False).rsample(
            sample_shape
        )

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = 0.5 * self.df1, 0.5 * self.df2, self.df1 / self.df2
        return (
            fb.lgamma(half1 + half2)
            - fb.lgamma(half1)
            - fb.lgamma(half2)
            + half1 * ratio.log()
            + (half1 - 1) * value.log()
            - (half1 + half2) * (ratio * value).log1p()
        )
