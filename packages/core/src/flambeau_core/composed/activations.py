"""Definitions of the activation functions that backends may also supply as kernels."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core.declare import composition


def negative_magnitude(x: fb.Tensor) -> fb.Tensor:
    """``-|x|``, with the derivative -1 at zero, where that of ``abs`` is 0."""
    return fb.where(x >= 0, -x, x)


@composition("sigmoid")
def sigmoid(x: fb.Tensor) -> fb.Tensor:
    """``1 / (1 + exp(-x))``, without overflow on either side."""
    if x.is_complex():
        return (1 + (-x).exp()).reciprocal()
    decay = negative_magnitude(x).exp()
    upper = (1 + decay).reciprocal()
    return fb.where(x >= 0, upper, decay * upper)


@composition("relu")
def relu(x: fb.Tensor) -> fb.Tensor:
    """``max(x, 0)``; NaN stays NaN, and the derivative at zero is 0."""
    return x.masked_fill(x <= 0, 0)


@composition("silu")
def silu(x: fb.Tensor) -> fb.Tensor:
    """``x * sigmoid(x)`` (Elfwing et al., 2018)."""
    return x * fb.sigmoid(x)


@composition("gelu")
def gelu(x: fb.Tensor, tanh: int) -> fb.Tensor:
    """``x`` times the normal distribution function (Hendrycks and Gimpel, 2016).

    ``tanh`` nonzero takes their approximation by a hyperbolic tangent.
    """
    if tanh:
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + inner.tanh())
    return 0.5 * x * (x * -math.sqrt(0.5)).erfc()


@composition("softplus")
def softplus(x: fb.Tensor, beta: float, threshold: float) -> fb.Tensor:
    """``log(1 + exp(beta * x)) / beta``, and ``x`` itself where ``beta * x > threshold``."""
    scaled = x * beta
    linear = scaled > threshold
    return fb.where(linear, x, scaled.masked_fill(linear, 0).exp().log1p() / beta)


@composition("leaky_relu")
def leaky_relu(x: fb.Tensor, negative_slope: float) -> fb.Tensor:
    """``x`` where positive, ``negative_slope * x`` elsewhere."""
    return fb.where(x > 0, x, x * negative_slope)


@composition("elu")
def elu(x: fb.Tensor, alpha: float, scale: float, input_scale: float) -> fb.Tensor:
    """``scale * x`` where positive, ``scale * alpha * (exp(input_scale * x) - 1)`` elsewhere."""
    negative = x <= 0
    below = (x.masked_fill(~negative, 0) * input_scale).expm1() * (alpha * scale)
    return fb.where(negative, below, x * scale)
