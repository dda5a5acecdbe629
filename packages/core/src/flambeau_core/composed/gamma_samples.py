"""Samples of the gamma and the Dirichlet distribution that can be differentiated.

The sampler is Marsaglia's and Tsang's (ACM TOMS 26, 2000), on the logarithmic scale since small
shapes give numbers that no dtype holds. The gradient by the shape is the implicit one (Figurnov
et al., 2018): the sample moves so that the distribution function at it keeps its value.
"""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.rejection_sampling import accepted, uniform
from flambeau_core.declare import op, primitive


@primitive("_log_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", function=False)
def log_standard_gamma(self: fb.Tensor, generator: Any) -> fb.Tensor:
    """Logarithms of gamma samples with the shapes ``self``, float64 and positive."""
    ordinary = (self > 0) & self.isfinite()
    alpha = self.masked_fill(~ordinary, 1).reshape(-1)
    # A shape below 1 is raised by 1, and the sample multiplied by u^(1 / shape).
    small = alpha < 1
    boost = (1 - uniform(alpha, generator)).log() / alpha

    def propose(a: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor]:
        d = a - 1 / 3
        z = fb.randn(a.shape, generator=generator, dtype=fb.float64, device=a.device)
        v = (1 + z / (9 * d).sqrt()) ** 3
        bound = z.square() / 2 + d * (1 - v + v.log())
        return (d * v).log(), (v > 0) & ((1 - uniform(a, generator)).log() < bound)

    sample = accepted((alpha + small.to(alpha.dtype),), propose)
    sample = fb.where(small, sample + boost, sample).reshape(self.shape)
    return fb.where(ordinary, sample, self.log())


@log_standard_gamma.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> fb.Tensor:
    slope: fb.Tensor = grad_outputs[0] * log_slope(inputs[0], outputs[0])
    return slope


def log_slope(alpha: fb.Tensor, log_x: fb.Tensor) -> fb.Tensor:
    """The derivative by ``alpha`` of the logarithm of the sample ``x``, all float64."""
    near = log_x < 0
    series = _slope_near_zero(fb.where(near, alpha, 1), fb.where(near, log_x, -1))
    below = ~near & (log_x <= alpha.log())
    left = _slope_from_left(fb.where(below, alpha, 2), fb.where(below, log_x, 0.5))
    above = ~near & ~below
    right = _slope_from_right(fb.where(above, alpha, 1), fb.where(above, log_x, 0.5))
    return fb.where(near, series, fb.where(below, left, right))


def _slope_near_zero(alpha: fb.Tensor, log_x: fb.Tensor) -> fb.Tensor:
    """From the power series of the incomplete gamma function (DLMF 8.7.1), for x < 1."""
    x = log_x.exp()
    first, second, power = fb.zeros_like(x), fb.zeros_like(x), fb.ones_like(x)
    for k in range(1, 20):
        power = power * (x / -k)
        first = first + power / (alpha + k)
        second = second + power / (alpha + k).square()
    head = (log_x - (alpha + 1).digamma()) / alpha
    return -x.exp() * (head + (log_x - alpha.digamma()) * first - second)


def _slope_from_left(alpha: fb.Tensor, log_x: fb.Tensor) -> fb.Tensor:
    """The integral over the part of the density left of x, at t = x exp(-s); 1 <= x <= alpha."""
    x = log_x.exp()
    d = 2 * (alpha - x) - 40
    end = 160 / (d + (d.square() + 320 * alpha).sqrt())
    offset = alpha.digamma() - log_x
    return _integral(end.detach(), lambda s: (offset + s) * (-alpha * s - x * (-s).expm1()).exp())


def _slope_from_right(alpha: fb.Tensor, log_x: fb.Tensor) -> fb.Tensor:
    """The integral over the part of the density right of x, at t = x exp(s); x > alpha."""
    x = log_x.exp()
    d = x - alpha
    end = 80 / (d + (d.square() + 80 * x).sqrt())
    offset = log_x - alpha.digamma()
    return _integral(end.detach(), lambda s: (offset + s) * (alpha * s - x * s.expm1()).exp())


def _integral(end: fb.Tensor, integrand: Any) -> fb.Tensor:
    """From 0 to ``end`` by the tanh-sinh rule (Takahasi and Mori, 1974)."""
    step, total = 1 / 16, fb.zeros_like(end)
    for k in range(-48, 49):
        angle = math.pi / 2 * math.sinh(k * step)
        place = 1 / (1 + math.exp(-2 * angle))
        weight = math.pi / 4 * step * math.cosh(k * step) / math.cosh(angle) ** 2
        total = total + weight * integrand(place * end)
    return total * end


def _checked(name: str, x: fb.Tensor) -> fb.Tensor:
    if not x.is_floating_point():
        raise NotImplementedError(f'"{name}" not implemented for {x.dtype}')
    return x.to(fb.float64)


@op("_standard_gamma(Tensor self, Generator? generator=None) -> Tensor")
def _standard_gamma(self: fb.Tensor, generator: Any) -> fb.Tensor:
    """Samples of the gamma distribution with shapes ``self`` and rate 1, above zero.

    Differentiable by the shape. NotImplementedError where the dtype is not floating.
    """
    sample = log_standard_gamma(_checked("_standard_gamma", self), generator).exp()
    return sample.to(self.dtype).clamp(min=fb.finfo(self.dtype).tiny)


@op("_standard_gamma_grad(Tensor self, Tensor output) -> Tensor")
def _standard_gamma_grad(self: fb.Tensor, output: fb.Tensor) -> fb.Tensor:
    """The implicit derivative of the sample ``output`` by its shape."""
    sample = _checked("_standard_gamma_grad", output)
    slope = log_slope(_checked("_standard_gamma_grad", self), sample.log())
    return (slope * sample).to(output.dtype)


@op("_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor")
def _sample_dirichlet(self: fb.Tensor, generator: Any) -> fb.Tensor:
    """Samples of Dirichlet distributions whose concentrations lie along the last dimension.

    Differentiable by the concentrations. NotImplementedError where the dtype is not floating.
    """
    logarithms = log_standard_gamma(_checked("_sample_dirichlet", self), generator)
    return logarithms.softmax(-1).to(self.dtype)
