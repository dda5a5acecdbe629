"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Shape
from .exp_family import ExponentialFamily
from .logits import clamp_probs
from .success_probability import SuccessProbability

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ContinuousBernoulli"]

# Below this logit mean and variance are taken from their Taylor series, of which the first term
# that is left out is below 1e-11 of the sum: the differences of the formulas would lose digits.
_NEAR = 0.25
_MEAN_SERIES = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)
_VARIANCE_SERIES = (1 / 12, -1 / 240, 1 / 6048, -1 / 172800, 1 / 5322240)


def _polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    total = fb.full_like(x, coefficients[-1], requires_grad=False)
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


class ContinuousBernoulli(SuccessProbability, ExponentialFamily):
    """Numbers in [0, 1] with a density that is proportional to ``p ** x * (1 - p) ** (1 - x)``.

    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational
    autoencoders", NeurIPS 2019.

    Args:
        lims: the probabilities around 1/2 between which the formulas of densities lose their
            digits, and Taylor series are used instead.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Parameter | None = None,
        logits: Parameter | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set_probability(probs, logits)
        if probs is not None:
            if validate_args is not None:
                self._validate_args = validate_args
            inside = self.arg_constraints["probs"].check(self.probs)
            if self._validate_args and not inside.all():
                raise ValueError(f"probs must lie in [0, 1], but its values are\n{self.probs}")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("probs", "logits")
        new = self._expanded(ContinuousBernoulli, batch_shape, _instance, names)
        new._lims = self._lims
        return new

    def _is_far(self) -> Tensor:
        """Where the formulas hold, far enough from 1/2."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _far_probs(self) -> Tensor:
        """The probabilities, with one at which the formulas are finite in place of the others."""
        return fb.where(self._is_far(), self.probs, self._lims[0])

    def _log_norm(self) -> Tensor:
        """log of the constant by which the density is multiplied."""
        x = self.logits
        is_far = self._is_far()
        far = x.masked_fill(~is_far, 1.0)
        exact = (far / (far / 2).tanh()).log()
        series = math.log(2) + x.square() / 12 - 7 / 1440 * x.pow(4)
        return fb.where(is_far, exact, series)

    def _bend(self, x: Tensor, divisor: int) -> Tensor:
        """By how much `cdf` and `icdf` leave the diagonal near 1/2, to the second order."""
        logits = self.logits
        return logits * x * (1 - x) * (0.5 - logits * (1 - 2 * x) / divisor)

    @property
    def mean(self) -> Tensor:
        x = self.logits
        is_near = x.abs() < _NEAR
        far = x.masked_fill(is_near, _NEAR)
        exact = -(-far).expm1().reciprocal() - far.reciprocal()
        return fb.where(is_near, 0.5 + x * _polynomial(_MEAN_SERIES, x.square()), exact)

    @property
    def variance(self) -> Tensor:
        x = self.logits
        is_near = x.abs() < _NEAR
        far = x.masked_fill(is_near, _NEAR)
        # Beyond 80 the second term is nothing beside the first, and sinh would overflow.
        exact = (
            far.square().reciprocal() - (2 * (far.clamp(-80, 80) / 2).sinh()).square().reciprocal()
        )
        return fb.where(is_near, _polynomial(_VARIANCE_SERIES, x.square()), exact)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(fb.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        cross_entropy = fb.nn_ops.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return self._log_norm() - cross_entropy

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = self._far_probs()
        exact = (far.pow(value) * (1 - far).pow(1 - value) + far - 1) / (2 * far - 1)
        return fb.where(self._is_far(), exact, value - self._bend(value, 12)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        far = self._far_probs()
        exact = ((-far + value * (2 * far - 1)).log1p() - (-far).log1p()) / (
            far.log() - (-far).log1p()
        )
        return fb.where(self._is_far(), exact, value + self._bend(value, -6))

    def entropy(self) -> Tensor:
        log_probs0 = (-self.probs).log1p()
        log_probs1 = self.probs.log()
        return self.mean * (log_probs0 - log_probs1) - self._log_norm() - log_probs0

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """log((exp(x) - 1) / x)"""
        (x,) = natural_params
        is_far = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        far = fb.where(is_far, x, self._lims[0] - 0.5)
        exact = far.expm1().abs().log() - far.abs().log()
        return fb.where(is_far, exact, 0.5 * x + x.square() / 24 - x.pow(4) / 2880)
