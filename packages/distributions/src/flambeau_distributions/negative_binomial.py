"""The negative binomial distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape
from .gamma import Gamma
from .success_probability import SuccessProbability, check_one_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NegativeBinomial"]


class NegativeBinomial(SuccessProbability, Distribution):
    """How many trials succeed, each with the probability ``probs``, before ``total_count`` fail.

    ``total_count`` may be any number from 0: the density continues to it.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Parameter,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_of(probs, logits)
        if probs is not None:
            self.total_count, self.probs = broadcast_all(total_count, probs)
        elif logits is not None:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = self.total_count.to(self._param.dtype)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("total_count", "probs", "logits")
        return self._expanded(NegativeBinomial, batch_shape, _instance, names)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / fb.sigmoid(-self.logits)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        # A Poisson variable whose rate is a gamma variable.
        rates = Gamma(self.total_count, (-self.logits).exp(), validate_args=False)
        with fb.no_grad():
            return fb.poisson(rates.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        softplus = fb.nn_ops.softplus
        unnormalized = -self.total_count * softplus(self.logits) - value * softplus(-self.logits)
        normalizer = (
            fb.lgamma(1 + value) + fb.lgamma(self.total_count) - fb.lgamma(self.total_count + value)
        )
        # With no failure to wait for, nothing succeeds: inf - inf stands for 0.
        return unnormalized - normalizer.masked_fill(self.total_count + value == 0, 0.0)
