"""The binomial distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .constraints import Constraint
from .distribution import Distribution, Shape
from .success_probability import SuccessProbability, check_one_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Binomial"]


class Binomial(SuccessProbability, Distribution):
    """How many of ``total_count`` trials succeed, each with the probability ``probs``."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Parameter = 1,
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
        return self._expanded(Binomial, batch_shape, _instance, names)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with fb.no_grad():
            return fb.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        log_choices = fb.lgamma(count + 1) - fb.lgamma(value + 1) - fb.lgamma(count - value + 1)
        return log_choices + value * self.logits - count * fb.nn_ops.softplus(self.logits)

    def entropy(self) -> Tensor:
        """The sum over all outcomes.

        Raises:
            NotImplementedError: the counts of the batch differ.
        """
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(expand=False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All counts.

        Raises:
            NotImplementedError: the counts of the batch differ.
        """
        count = self._common_count("enumerate_support")
        param = self._param
        return self._enumerated(
            fb.arange(count + 1, dtype=param.dtype, device=param.device), expand
        )

    def _common_count(self, what: str) -> int:
        count = int(self.total_count.max())
        if self.total_count.min() != count:
            raise NotImplementedError(f"{what} of a batch with different values of total_count")
        return count
