"""Losses of classes and of probabilities. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

import warnings

from flambeau_core import Tensor, nn_ops

from .reduction import legacy_reduction

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "kl_div",
    "nll_loss",
]

_cross_entropy = nn_ops.cross_entropy
_nll_loss = nn_ops.nll_loss
_bce_with_logits = nn_ops.binary_cross_entropy_with_logits


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target], the mean weighted by the targets' weights.

    `input` is (N, C, *) or (C); `target` holds class indices (N, *) or probabilities like `input`;
    `weight` (C) scales classes; targets equal to `ignore_index` count for nothing.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return _cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[target] for log-probabilities (N, C, *) or (C) and class indices (N, *) or ()."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return _nll_loss(input, target, weight, ignore_index, reduction)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(t log p + (1 - t) log(1 - p)) for probabilities p, logarithms at least -100."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return nn_ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input) without overflow.

    `pos_weight` scales the positive part; it broadcasts to `input`.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    return _bce_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target (log target - input), for log-probabilities `input`; 0 where the target is 0.

    "batchmean" divides the sum by the first dimension, which is the divergence's definition.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if reduction == "batchmean":
        total = nn_ops.kl_div(input, target, "sum", log_target=log_target)
        return total / input.size(0) if input.dim() else total
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            stacklevel=2,
        )
    return nn_ops.kl_div(input, target, reduction, log_target=log_target)
