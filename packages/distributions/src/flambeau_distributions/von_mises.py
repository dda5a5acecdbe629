"""The von Mises distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape
from .lazy_property import lazy_property

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["VonMises"]


class VonMises(Distribution):
    """Angles in [-pi, pi) around ``loc``; the larger ``concentration``, the nearer to it."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(
        self, loc: Parameter, concentration: Parameter, validate_args: bool | None = None
    ) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return self._expanded(VonMises, batch_shape, _instance, ("loc", "concentration"))

    @property
    def mean(self) -> Tensor:
        """The circular mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, ``1 - I1(concentration) / I0(concentration)``."""
        c = self.concentration
        return 1 - fb.special.i1e(c) / fb.special.i0e(c)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """By rejection from a wrapped Cauchy distribution.

        Best and Fisher, "Efficient simulation of the von Mises distribution", 1979. In float64,
        since the proposal of a small concentration loses the digits of float32.
        """
        shape = self._extended_shape(sample_shape)
        with fb.no_grad():
            c = self.concentration.double()
            proposal = _proposal(c).expand(shape)
            c = c.expand(shape)
            angles = fb.zeros(shape, dtype=fb.float64, device=c.device)
            is_open = fb.ones(shape, dtype=fb.bool, device=c.device)
            while is_open.any():
                u = fb.rand((3, *shape), dtype=fb.float64, device=c.device)
                z = (math.pi * u[0]).cos()
                f = (1 + proposal * z) / (proposal + z)
                distance = c * (proposal - f)
                accept = (distance * (2 - distance) > u[1]) | (
                    (distance / u[1]).log() + 1 - distance >= 0
                )
                angle = (u[2] - 0.5).sign() * f.clamp(-1, 1).acos()
                angles = fb.where(is_open & accept, angle, angles)
                is_open = is_open & ~accept
            angles = angles + self.loc
            return ((angles + math.pi) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        c = self.concentration
        # I0 scaled by its exponential growth, which cancels with the cosine's.
        log_scaled = fb.special.i0e(c).log()
        return c * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - log_scaled


def _proposal(concentration: Tensor) -> Tensor:
    """The parameter r of the wrapped Cauchy distribution from which to reject."""
    tau = 1 + (1 + 4 * concentration.square()).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * concentration)
    exact = (1 + rho.square()) / (2 * rho)
    series = 1 / concentration + concentration  # where rho is rounded to 0
    return fb.where(concentration < 1e-5, series, exact)
