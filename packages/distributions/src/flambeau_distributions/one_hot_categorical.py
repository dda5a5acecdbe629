"""The categorical distribution over one-hot vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .categorical import Categorical
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """One-hot vectors ``(..., K)``, by the parameters of a `Categorical`."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._expanded(OneHotCategorical, batch_shape, _instance, ())
        new._categorical = self._categorical.expand(batch_shape)
        return new

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> fb.Size:
        """``batch_shape + (K,)``."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return _one_hot(self._categorical.mode, self.probs)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with fb.no_grad():
            return _one_hot(self._categorical.sample(sample_shape), self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        probs = self.probs
        identity = fb.eye(probs.shape[-1], dtype=probs.dtype, device=probs.device)
        return self._enumerated(identity, expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples have the gradient of the probabilities.

    The straight-through estimator of Bengio, Léonard and Courville (arXiv:1308.3432).
    """

    has_rsample = True

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        # The difference is zero, but has the gradient.
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


def _one_hot(index: Tensor, probs: Tensor) -> Tensor:
    """Ones at an index along a new last dimension, with the dtype of ``probs``."""
    outcomes = fb.arange(probs.shape[-1], device=probs.device)
    return (index.unsqueeze(-1) == outcomes).to(probs.dtype)
