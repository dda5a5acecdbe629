"""Losses of real values. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

import math
import warnings

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

from .reduction import legacy_reduction, reduced

__all__ = [
    "gaussian_nll_loss",
    "huber_loss",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]

_mse_loss = nn_ops.mse_loss


def _warn_of_sizes(target: Tensor, input: Tensor) -> None:
    if target.shape != input.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)^2, weighted where `weight` is given."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    _warn_of_sizes(target, input)
    if weight is not None:
        return _weighted(_mse_loss(input, target, "none"), weight, reduction)
    return _mse_loss(input, target, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|, weighted where `weight` is given."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    _warn_of_sizes(target, input)
    loss = (input - target).abs()
    return reduced(loss, reduction) if weight is None else _weighted(loss, weight, reduction)


def _weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """A loss times its weights; the mean divides by the sum of the weights."""
    if weight.shape != loss.shape:
        raise ValueError("Inputs and weights must have the same size.")
    weighted = loss * weight
    if reduction == "mean":
        return weighted.sum() / weight.sum()
    return reduced(weighted, reduction)


def _distance(input: Tensor, target: Tensor) -> Tensor:
    """|input - target|; a mask counts as zeros and ones."""
    if fb.bool in (input.dtype, target.dtype):
        dtype = fb.promote_types(input.dtype, target.dtype)
        input, target = input.to(dtype), target.to(dtype)
    return (input - target).abs()


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2; Girshick, 2015."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _warn_of_sizes(target, input)
    distance = _distance(input, target)
    if beta == 0:
        return reduced(distance, reduction)
    loss = fb.where(distance < beta, distance.square() * (0.5 / beta), distance - 0.5 * beta)
    return reduced(loss, reduction)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """d^2 / 2 where d = |input - target| <= delta, else delta (d - delta / 2); Huber, 1964."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _warn_of_sizes(target, input)
    distance = _distance(input, target)
    loss = fb.where(distance <= delta, distance.square() * 0.5, (distance - 0.5 * delta) * delta)
    return reduced(loss, reduction) if weight is None else _weighted(loss, weight, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """exp(x) - t x for the logarithm x of the rate, or x - t log(x + eps) for the rate itself.

    `full` adds Stirling's approximation of log t! where t > 1.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return nn_ops.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """(log v + (input - target)^2 / v) / 2 with the variance v = max(var, eps).

    `var` has the shape of `input`, or 1 (or nothing) in its last dimension. `full` adds the
    constant log(2 pi) / 2.
    """
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        variance = fb.ones_like(input) * var
    elif bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    else:
        variance = var
    if variance.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(variance.shape):
            variance = variance.unsqueeze(-1)
        elif not (variance.dim() == input.dim() and _differ_by_ones(variance, input)):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    # The floor must not take part in the gradient.
    variance = variance.clone()
    with fb.no_grad():
        variance.clamp_(min=eps)
    loss = 0.5 * (variance.log() + (input - target).square() / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def _differ_by_ones(a: Tensor, b: Tensor) -> bool:
    return all(m == n or m == 1 for m, n in zip(a.shape, b.shape))
