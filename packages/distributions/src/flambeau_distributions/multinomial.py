"""The multinomial distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .binomial import Binomial
from .broadcasting import broadcast_all, sum_rightmost
from .categorical import Categorical
from .constraints import Constraint
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K outcomes comes up in ``total_count`` trials, ``(..., K)``.

    Args:
        total_count: one number for the whole batch.
        probs, logits: as of a `Categorical`.

    Raises:
        NotImplementedError: ``total_count`` is a tensor.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError(
                f"total_count must be one integer for the batch, but got {total_count!r}"
            )
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        self._binomial = Binomial(total_count, probs=self._categorical.probs)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._expanded(Multinomial, batch_shape, _instance, ())
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = Binomial(self.total_count, probs=new._categorical.probs)
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Constraint:
        return constraints.multinomial(self.total_count)

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
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = fb.Size(sample_shape)
        with fb.no_grad():
            # (*sample_shape, *batch_shape, total_count)
            outcomes = self._categorical.sample((self.total_count, *shape)).movedim(0, -1)
            counts = self.probs.new_zeros(self._extended_shape(shape))
            ones = fb.ones_like(outcomes, dtype=counts.dtype)
            return counts.scatter_add(-1, outcomes, ones)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        # An outcome that cannot come up and does not counts as 0, not as 0 * -inf.
        impossible = (value == 0) & (logits == -fb.inf)
        log_powers = value * logits.masked_fill(impossible, 0)
        log_orders = fb.lgamma(value.sum(-1) + 1) - fb.lgamma(value + 1).sum(-1)
        return log_orders + log_powers.sum(-1)

    def entropy(self) -> Tensor:
        count = fb.tensor(self.total_count, dtype=self.probs.dtype, device=self.probs.device)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        weights = self._binomial.log_prob(counts).exp() * fb.lgamma(counts + 1)
        expected = sum_rightmost(weights.sum(0), 1)
        return count * self._categorical.entropy() - fb.lgamma(count + 1) + expected
