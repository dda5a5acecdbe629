"""The relaxed categorical distribution over vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .categorical import Categorical
from .distribution import Distribution, Shape
from .logits import clamp_probs
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithm of a `RelaxedOneHotCategorical` variable.

    Maddison, Mnih and Teh, "The concrete distribution" (arXiv:1611.00712).
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Parameter,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        (self.temperature,) = broadcast_all(temperature)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._expanded(ExpRelaxedCategorical, batch_shape, _instance, ())
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return new

    @property
    def param_shape(self) -> fb.Size:
        """``batch_shape + (K,)``."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = clamp_probs(fb.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -(-uniform.log()).log()
        return fb.log_softmax((self.logits + gumbel) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        outcomes = self._event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        scores = fb.log_softmax(logits - value * self.temperature, -1).sum(-1)
        count = fb.full_like(self.temperature, float(outcomes), requires_grad=False)
        return scores + fb.lgamma(count) + (outcomes - 1) * self.temperature.log()


class RelaxedOneHotCategorical(TransformedDistribution):
    """Probability vectors that tend to a `OneHotCategorical` as the temperature tends to 0.

    Its samples are differentiable functions of the parameters (Jang, Gu and Poole,
    "Categorical reparameterization with Gumbel-softmax", arXiv:1611.01144).
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Parameter,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(RelaxedOneHotCategorical, _instance)
        return super().expand(batch_shape, new)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
