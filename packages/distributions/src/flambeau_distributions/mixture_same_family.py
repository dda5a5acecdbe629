"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .categorical import Categorical
from .constraints import Constraint
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A component chosen by ``mixture_distribution``, then a draw from that component.

    Args:
        mixture_distribution: a `Categorical` of K outcomes.
        component_distribution: its last batch dimension, of the size K, holds the components.

    Raises:
        ValueError: another type of mixture, or shapes that do not go together.
    """

    arg_constraints: dict[str, Constraint] = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                "mixture_distribution must be a Categorical, but got "
                f"{type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "component_distribution must be a Distribution, but got "
                f"{type(component_distribution).__name__}"
            )
        _check_shapes(mixture_distribution, component_distribution)
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = component_distribution.batch_shape[-1]
        super().__init__(
            component_distribution.batch_shape[:-1],
            component_distribution.event_shape,
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._num_component = self._num_component
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._component_distribution = self._component_distribution.expand(
            (*batch_shape, self._num_component)
        )
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self) -> Constraint:
        base = self._component_distribution.support
        assert base is not None
        return constraints.MixtureSameFamilyConstraint(base)

    @property
    def mixture_distribution(self) -> Categorical:
        """Which component is chosen."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _weighted(self, of_components: Tensor) -> Tensor:
        """The sum over components, ``(*batch_shape, K, *event_shape)``, by their probabilities."""
        event_dim = len(self.event_shape)
        probs = self._mixture_distribution.probs
        weights = probs.reshape(probs.shape + (1,) * event_dim)
        return (weights * of_components).sum(-1 - event_dim)

    def _for_each_component(self, value: Tensor) -> Tensor:
        return value.unsqueeze(-1 - len(self.event_shape))

    @property
    def mean(self) -> Tensor:
        return self._weighted(self._component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the components' variances, and the variance of their means."""
        means = self._component_distribution.mean
        deviation = means - self._for_each_component(self.mean)
        return self._weighted(self._component_distribution.variance + deviation.square())

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with fb.no_grad():
            # Every place of the batch chooses for itself, also where they share the weights.
            chosen = self._mixture_distribution.expand(self._batch_shape).sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            event_dim = len(self.event_shape)
            index = chosen.reshape(chosen.shape + (1,) * (event_dim + 1))
            index = index.expand((*chosen.shape, 1, *self.event_shape))
            return drawn.gather(chosen.dim(), index).squeeze(chosen.dim())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        of_components = self._component_distribution.log_prob(self._for_each_component(value))
        weights = fb.log_softmax(self._mixture_distribution.logits, -1)
        return fb.logsumexp(of_components + weights, -1)

    def cdf(self, value: Tensor) -> Tensor:
        """Of components over single numbers."""
        of_components = self._component_distribution.cdf(self._for_each_component(value))
        return (of_components * self._mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(\n"
            f"  {self._mixture_distribution!r},\n"
            f"  {self._component_distribution!r})"
        )


def _check_shapes(mixture: Categorical, components: Distribution) -> None:
    shape = components.batch_shape
    sizes = zip(reversed(mixture.batch_shape), reversed(shape[:-1]))
    if not shape or any(a != b and 1 not in (a, b) for a, b in sizes):
        raise ValueError(
            f"the mixture's batch shape {tuple(mixture.batch_shape)} does not go together with "
            f"the components' batch shape {tuple(shape)}"
        )
    if mixture.param_shape[-1] != shape[-1]:
        raise ValueError(
            f"the mixture chooses among {mixture.param_shape[-1]} components, but there are "
            f"{shape[-1]}"
        )
