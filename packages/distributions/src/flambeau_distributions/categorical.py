"""The categorical distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .constraints import Constraint
from .distribution import Distribution, Shape
from .lazy_property import lazy_property
from .logits import logits_to_probs, probs_to_logits
from .success_probability import check_one_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Categorical"]


class Categorical(Distribution):
    """An integer from 0 to K - 1, by probabilities along the last dimension.

    Args:
        probs: numbers from 0, ``(..., K)``, divided by their sum.
        logits: any real numbers instead, from which their log-sum-exp is subtracted.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_of(probs, logits)
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("probs must have at least one dimension, but got the shape ()")
            self.probs = probs / probs.sum(-1, keepdim=True)
        elif logits is not None:
            if logits.dim() < 1:
                raise ValueError("logits must have at least one dimension, but got the shape ()")
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        self._num_events = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._expanded(Categorical, batch_shape, _instance, ("probs", "logits"))
        new._num_events = self._num_events
        return new

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @property
    def param_shape(self) -> fb.Size:
        """``batch_shape + (K,)``."""
        return self._param.shape

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        """NaN: the outcomes are names, not numbers."""
        return fb.full_like(self._param[..., 0], fb.nan, requires_grad=False)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        """NaN, as the mean."""
        return self.mean

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Outcomes as int64, ``sample_shape + batch_shape``."""
        sample_shape = fb.Size(sample_shape)
        rows = self.probs.detach().reshape(-1, self._num_events)
        count = sample_shape.numel()
        shape = self._extended_shape(sample_shape)
        if count == 0 or len(rows) == 0:  # multinomial draws at least one
            return fb.empty(shape, dtype=fb.int64, device=rows.device)
        return fb.multinomial(rows, count, True).T.reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        index, logits = fb.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=fb.finfo(self.logits.dtype).min)  # 0 * -inf is NaN
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        outcomes = fb.arange(self._num_events, dtype=fb.int64, device=self._param.device)
        return self._enumerated(outcomes, expand)
