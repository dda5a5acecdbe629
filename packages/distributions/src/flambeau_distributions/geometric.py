"""The geometric distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape
from .success_probability import SuccessProbability

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Geometric"]

_softplus = fb.nn_ops.softplus


class Geometric(SuccessProbability, Distribution):
    """How many trials fail before the first one succeeds, each with the probability ``probs``."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set_probability(probs, logits)
        super().__init__(shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            raise ValueError(
                f"parameter probs of {self!r}, a tensor of the shape {tuple(shape)}, must be "
                f"positive, but its values are\n{self.probs}"
            )

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(Geometric, batch_shape, _instance, ("probs", "logits"))

    @property
    def mean(self) -> Tensor:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        return fb.zeros_like(self.probs, requires_grad=False)

    @property
    def variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with fb.no_grad():
            probs = self.probs.expand(shape)
            uniform = fb.rand(shape, dtype=probs.dtype, device=probs.device)
            uniform = uniform.clamp(min=fb.finfo(probs.dtype).tiny)
            return (uniform.log() / (-probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        probs, value = broadcast_all(self.probs, value)
        # Where p is 1 a success comes at once: 0 * log(0) counts as 0.
        failures = fb.where((probs == 1) & (value == 0), fb.zeros_like(probs), (-probs).log1p())
        return value * failures + probs.log()

    def entropy(self) -> Tensor:
        outcome = self.probs * _softplus(-self.logits) + (1 - self.probs) * _softplus(self.logits)
        return outcome / self.probs
