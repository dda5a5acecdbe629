"""The relaxed Bernoulli distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape
from .logits import clamp_probs
from .success_probability import SuccessProbability
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(SuccessProbability, Distribution):
    """The logit of a `RelaxedBernoulli` variable, a logistic variable.

    Maddison, Mnih and Teh (arXiv:1611.00712); Jang, Gu and Poole (arXiv:1611.01144).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        temperature: Parameter,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set_probability(probs, logits)
        (self.temperature,) = broadcast_all(temperature)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("probs", "logits")
        new = self._expanded(LogitRelaxedBernoulli, batch_shape, _instance, names)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs)
        uniform = clamp_probs(fb.rand(shape, dtype=probs.dtype, device=probs.device))
        logistic = uniform.log() - (-uniform).log1p()
        return (logistic + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        standard = logits - value * self.temperature
        return self.temperature.log() + standard - 2 * fb.nn_ops.softplus(standard)


class RelaxedBernoulli(TransformedDistribution):
    """Numbers in (0, 1) that tend to a `Bernoulli` variable as the temperature tends to 0.

    Its samples are differentiable functions of the parameters (papers: `LogitRelaxedBernoulli`).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: Parameter,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """log(p / (1 - p))."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """p."""
        return self.base_dist.probs
