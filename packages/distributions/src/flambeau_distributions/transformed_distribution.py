"""The distribution of a transformed random variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import sum_rightmost
from .constraints import Constraint
from .distribution import Distribution, Shape
from .independent import Independent
from .transforms import ComposeTransform, Transform

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """What becomes of draws from a base distribution under transforms, the first one first.

    The density at y = f(x) is that at x over ``|det dy/dx|``, so ``log_prob`` needs the inverses
    of all transforms.

    Raises:
        ValueError: something else than transforms, or a base distribution with fewer dimensions
            than the transforms' events have.
    """

    arg_constraints: dict[str, Constraint] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = _listed(transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        if len(base_shape) < transform.domain.event_dim:
            raise ValueError(
                f"the transforms need a base distribution of at least "
                f"{transform.domain.event_dim} dimensions, but its shape is {tuple(base_shape)}"
            )
        forward_shape = transform.forward_shape(base_shape)
        # Parameters of the transforms may broadcast the base.
        expanded = transform.inverse_shape(forward_shape)
        if base_shape != expanded:
            batch_shape = expanded[: len(expanded) - base_event_dim]
            base_distribution = base_distribution.expand(batch_shape)
        taken = transform.domain.event_dim - base_event_dim
        if taken > 0:
            base_distribution = Independent(base_distribution, taken)
        self.base_dist = base_distribution
        event_dim = transform.codomain.event_dim + max(-taken, 0)
        split = len(forward_shape) - event_dim
        super().__init__(forward_shape[:split], forward_shape[split:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        new.transforms = self.transforms
        shape = (*batch_shape, *self.event_shape)
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        base_batch_shape = shape[: len(shape) - len(self.base_dist.event_shape)]
        new.base_dist = self.base_dist.expand(base_batch_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Constraint | None:
        if not self.transforms:
            return self.base_dist.support
        codomain = self.transforms[-1].codomain
        more = len(self.event_shape) - codomain.event_dim
        return constraints.independent(codomain, more) if more > 0 else codomain

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with fb.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for t in self.transforms:
            x = t(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for t in reversed(self.transforms):
            x = t.inv(y)
            event_dim += t.domain.event_dim - t.codomain.event_dim
            term = t.log_abs_det_jacobian(x, y)
            log_prob = log_prob - sum_rightmost(term, event_dim - t.domain.event_dim)
            y = x
        base = self.base_dist.log_prob(y)
        return log_prob + sum_rightmost(base, event_dim - len(self.base_dist.event_shape))

    def cdf(self, value: Tensor) -> Tensor:
        """The transforms have to be monotonic functions of single numbers."""
        for t in reversed(self.transforms):
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._mirrored(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """The transforms have to be monotonic functions of single numbers."""
        return self._forward(self.base_dist.icdf(self._mirrored(value)))

    def _mirrored(self, probability: Tensor) -> Tensor:
        """p where the transforms rise together, 1 - p where they fall."""
        sign: Any = 1
        for t in self.transforms:
            sign = sign * t.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5


def _listed(transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or a list, but got {transforms!r}")
    for t in transforms:
        if not isinstance(t, Transform):
            raise ValueError(f"transforms must hold Transforms only, but got {t!r}")
    return transforms
