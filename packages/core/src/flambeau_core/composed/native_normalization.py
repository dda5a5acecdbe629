"""Normalizations that give their statistics too, in the form that graphs call them."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.declare import op


def _statistics(x: fb.Tensor, dims: Sequence[int], eps: float) -> tuple[fb.Tensor, fb.Tensor]:
    """Mean and reciprocal standard deviation over ``dims``, which stay with size 1."""
    wide = widened(x)
    mean = wide.mean(dims, True)
    return mean, (wide.var(dims, correction=0, keepdim=True) + eps).rsqrt()


@op(
    "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias,"
    " float eps) -> (Tensor, Tensor, Tensor)",
    method=False,
)
def native_layer_norm(
    input: fb.Tensor,
    normalized_shape: Sequence[int],
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    eps: float,
) -> tuple[fb.Tensor, fb.Tensor, fb.Tensor]:
    """``layer_norm``, the mean and the reciprocal standard deviation, which have no gradient."""
    result = fb.layer_norm(input, normalized_shape, weight, bias, eps)
    dims = range(input.dim() - len(normalized_shape), input.dim())
    mean, rstd = _statistics(input.detach(), list(dims), eps)
    return result, mean.to(input.dtype), rstd.to(input.dtype)


@op(
    "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
    " Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    method=False,
)
def native_batch_norm(
    input: fb.Tensor,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    running_mean: fb.Tensor | None,
    running_var: fb.Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[fb.Tensor, fb.Tensor, fb.Tensor]:
    """``batch_norm``, and the statistics that training used, which have no gradient.

    Outside of training the statistics are empty tensors.
    """
    result = fb.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return result, input.new_empty(0), input.new_empty(0)
    mean, rstd = _statistics(input.detach(), [0, *range(2, input.dim())], eps)
    return result, mean.reshape(-1).to(input.dtype), rstd.reshape(-1).to(input.dtype)


@op(
    "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW,"
    " int group, float eps) -> (Tensor, Tensor, Tensor)",
    method=False,
)
def native_group_norm(
    input: fb.Tensor,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    batch: int,
    channels: int,
    positions: int,
    group: int,
    eps: float,
) -> tuple[fb.Tensor, fb.Tensor, fb.Tensor]:
    """``group_norm``, and mean and reciprocal standard deviation ``(N, group)``.

    Raises RuntimeError if the input does not hold ``N * C * HxW`` elements.
    """
    if group < 1 or channels % group:
        raise RuntimeError(
            f"native_group_norm: expected C={channels} to be divisible by group={group}"
        )
    if input.numel() != batch * channels * positions:
        raise RuntimeError(
            f"native_group_norm: input of shape {tuple(input.shape)} does not hold N * C * HxW = "
            f"{batch} * {channels} * {positions} elements"
        )
    grouped = input.reshape(batch, group, channels // group * positions)
    mean, rstd = _statistics(grouped, [2], eps)
    result = ((widened(grouped) - mean) * rstd).reshape(batch, channels, positions)
    if weight is not None:
        result = result * weight.reshape(1, -1, 1)
    if bias is not None:
        result = result + bias.reshape(1, -1, 1)
    mean, rstd = (x.reshape(batch, group).to(input.dtype) for x in (mean, rstd))
    return result.to(input.dtype).reshape(input.shape), mean, rstd
