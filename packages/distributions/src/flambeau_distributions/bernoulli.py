"""The Bernoulli distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .exp_family import ExponentialFamily
from .success_probability import SuccessProbability

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Bernoulli"]

_cross_entropy = fb.nn_ops.binary_cross_entropy_with_logits


class Bernoulli(SuccessProbability, ExponentialFamily):
    """1 with the probability ``probs``, else 0; or with ``logits`` instead."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set_probability(probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Bernoulli, batch_shape, _instance, ("probs", "logits"))

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return mode.masked_fill(self.probs == 0.5, fb.nan)  # both are as probable

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with fb.no_grad():
            return fb.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -_cross_entropy(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return _cross_entropy(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        param = self._param
        return self._enumerated(fb.arange(2, dtype=param.dtype, device=param.device), expand)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (fb.logit(self.probs),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return fb.nn_ops.softplus(natural_params[0])
