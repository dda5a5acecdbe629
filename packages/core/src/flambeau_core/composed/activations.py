"""Activation functions: definitions of those with kernels, and those without."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.composed.subgradients import magnitude
from flambeau_core.declare import composition, op


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


def _optionally_inplace(function: Callable[..., fb.Tensor]) -> Callable[..., fb.Tensor]:
    """Adds a last argument ``inplace``: whether the result is also written into the input."""

    @functools.wraps(function)
    def with_flag(x: fb.Tensor, *arguments: Any) -> fb.Tensor:
        *parameters, inplace = arguments
        if not inplace:
            return function(x, *parameters)
        # The copy is what the gradient is computed from once the input is overwritten.
        return x.copy_(function(x.clone(), *parameters))

    return with_flag


@op("logsigmoid(Tensor self) -> Tensor", namespace="nn")
def logsigmoid(x: fb.Tensor) -> fb.Tensor:
    """``log(sigmoid(x))``, without overflow, and differentiable at zero."""
    return x.masked_fill(x >= 0, 0) - negative_magnitude(x).exp().log1p()


def _between(
    x: fb.Tensor, low: float, high: float, line: fb.Tensor, least: float, most: float
) -> fb.Tensor:
    """``line`` where ``low < x < high``, else it limited; only there does it have a gradient."""
    return fb.where((x > low) & (x < high), line, line.detach().clamp(least, most))


@op(
    "hardtanh(Tensor self, float min_val=-1.0, float max_val=1.0, bool inplace=False) -> Tensor",
    namespace="nn",
)
@_optionally_inplace
def hardtanh(x: fb.Tensor, min_val: float, max_val: float) -> fb.Tensor:
    """``x`` limited to ``[min_val, max_val]``; the derivative at both limits is 0."""
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val {min_val} cannot be greater than max_val {max_val}")
    if not x.is_floating_point():
        return x.clamp(int(min_val), int(max_val))
    return _between(x, min_val, max_val, x, min_val, max_val)


@op("relu6(Tensor self, bool inplace=False) -> Tensor", namespace="nn")
@_optionally_inplace
def relu6(x: fb.Tensor) -> fb.Tensor:
    """``min(max(x, 0), 6)``."""
    return hardtanh(x, 0.0, 6.0, False)


@op("hardsigmoid(Tensor self, bool inplace=False) -> Tensor", namespace="nn")
@_optionally_inplace
def hardsigmoid(x: fb.Tensor) -> fb.Tensor:
    """``relu6(x + 3) / 6``."""
    return _between(x, -3.0, 3.0, x / 6 + 0.5, 0.0, 1.0)


@op("hardswish(Tensor self, bool inplace=False) -> Tensor", namespace="nn")
@_optionally_inplace
def hardswish(x: fb.Tensor) -> fb.Tensor:
    """``x * relu6(x + 3) / 6`` (Howard et al., 2019)."""
    curve = x * (x + 3) / 6
    return fb.where(x >= 3, x, curve.masked_fill(x <= -3, 0))


@op("mish(Tensor self, bool inplace=False) -> Tensor", namespace="nn")
@_optionally_inplace
def mish(x: fb.Tensor) -> fb.Tensor:
    """``x * tanh(softplus(x))`` (Misra, 2019)."""
    return x * softplus(x, 1.0, 20.0).tanh()


@op("glu(Tensor self, int dim=-1) -> Tensor", namespace="nn")
def glu(x: fb.Tensor, dim: int) -> fb.Tensor:
    """First half along ``dim`` times the sigmoid of the second half (Dauphin et al., 2017)."""
    if x.dim() == 0:
        raise RuntimeError("glu: does not support 0-dimensional tensors")
    dim = wrap_dim("glu", dim, x.shape)
    half, odd = divmod(x.shape[dim], 2)
    if odd:
        raise RuntimeError(
            f"glu: halving dimension must be even, but dimension {dim} has size {x.shape[dim]}"
        )
    return x.narrow(dim, 0, half) * fb.sigmoid(x.narrow(dim, half, half))


@op("softsign(Tensor self) -> Tensor", namespace="nn")
def softsign(x: fb.Tensor) -> fb.Tensor:
    """``x / (1 + |x|)``."""
    return x / (magnitude(x) + 1)


@op("tanhshrink(Tensor self) -> Tensor", namespace="nn")
def tanhshrink(x: fb.Tensor) -> fb.Tensor:
    """``x - tanh(x)``."""
    return x - x.tanh()


@op("hardshrink(Tensor self, float lambd=0.5) -> Tensor", namespace="both")
def hardshrink(x: fb.Tensor, lambd: float) -> fb.Tensor:
    """``x`` where ``|x| > lambd``, zero elsewhere."""
    return _outside(x, lambd, x)


def _outside(x: fb.Tensor, lambd: float, line: fb.Tensor) -> fb.Tensor:
    """``line`` where ``|x| > lambd``, else 0; NaN stays NaN, but has no gradient."""
    flat = x.detach().masked_fill(x == x, 0)
    return fb.where((x > lambd) | (x < -lambd), line, flat)


@op("softshrink(Tensor self, float lambd=0.5) -> Tensor", namespace="nn")
def softshrink(x: fb.Tensor, lambd: float) -> fb.Tensor:
    """``x`` moved towards zero by ``lambd``, zero where it would cross it."""
    if lambd < 0:
        raise RuntimeError(f"softshrink: lambda must be greater or equal to 0, but found {lambd}")
    return _outside(x, lambd, fb.where(x > 0, x - lambd, x + lambd))


@op(
    "threshold(Tensor self, Scalar threshold, Scalar value, bool inplace=False) -> Tensor",
    namespace="both",
    method=False,
)
def threshold(x: fb.Tensor, threshold: float, value: float, inplace: bool) -> fb.Tensor:
    """``x`` where above ``threshold``, ``value`` elsewhere."""
    return threshold_(x, threshold, value) if inplace else x.masked_fill(x <= threshold, value)


@op(
    "threshold_(Tensor self, Scalar threshold, Scalar value) -> Tensor",
    namespace="both",
    method=False,
)
def threshold_(x: fb.Tensor, threshold: float, value: float) -> fb.Tensor:
    """``threshold`` in place; elements that share memory are written alike."""
    alone = x
    for dim in range(x.dim()):
        if x.stride(dim) == 0 and x.shape[dim] > 1:
            alone = alone.narrow(dim, 0, 1)
    before = alone.clone()
    alone.copy_(before.masked_fill(before <= threshold, value))
    return x


@op(
    "rrelu(Tensor self, float lower=0.125, float upper=0.3333333333333333, bool training=False,"
    " Generator? generator=None) -> Tensor",
    namespace="both",
    method=False,
    inplace=True,
)
def rrelu(x: fb.Tensor, lower: float, upper: float, training: bool, generator: Any) -> fb.Tensor:
    """Leaky ReLU whose slope is drawn from U(lower, upper) in training and is the mean else.

    Xu et al., "Empirical Evaluation of Rectified Activations in Convolutional Network", 2015.
    """
    if lower > upper:
        raise RuntimeError(
            f"rrelu: Lower bound should be less than or equal to the upper bound, got {lower} and "
            f"{upper}"
        )
    if not training:
        return fb.nn_ops.leaky_relu(x, (lower + upper) / 2)
    slope = fb.empty_like(x, requires_grad=False).uniform_(lower, upper, generator=generator)
    return fb.where(x <= 0, x * slope, x)


@op("prelu(Tensor self, Tensor weight) -> Tensor", namespace="both")
def prelu(x: fb.Tensor, weight: fb.Tensor) -> fb.Tensor:
    """``x`` where positive, ``weight * x`` elsewhere; one weight, or one a channel (dim 1)."""
    if weight.dim() > 1:
        raise RuntimeError(
            f"prelu: expected `weight` to be a scalar or 1D tensor, got {tuple(weight.shape)}"
        )
    if weight.numel() != 1:
        channels = x.shape[1] if x.dim() > 1 else 1
        if x.dim() == 0:
            raise RuntimeError("prelu: not allow zero-dim input tensor for several weights")
        if channels != weight.numel():
            raise RuntimeError(
                f"prelu: mismatch of parameter numbers and input channel size. Found parameter "
                f"numbers = {weight.numel()} and channel size = {channels}."
            )
        weight = weight.reshape([-1] + [1] * (x.dim() - 2))
    elif weight.dim() == 1:
        weight = weight.squeeze(0)
    return fb.where(x > 0, x, weight * x)
