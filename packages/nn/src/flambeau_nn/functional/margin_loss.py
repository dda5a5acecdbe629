"""Losses that ask for a margin between what is near and what is far."""

from __future__ import annotations

from collections.abc import Callable

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

from .activation import logsigmoid
from .distance import pairwise_distance
from .reduction import check_reduction, legacy_reduction, reduced

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), target 1 or -1."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return nn_ops.margin_ranking_loss(input1, input2, target, margin, reduction)


def _hinge(value: Tensor) -> Tensor:
    """max(0, value), with the gradient of `clamp` at 0."""
    return value.clamp(min=0)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return nn_ops.hinge_embedding_loss(input, target, margin, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1; (N, D), (N, D), (N)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return nn_ops.cosine_embedding_loss(input1, input2, target, margin, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) with distances of order p.

    `swap` takes the nearer of anchor and positive as the negative's distance; Balntas et al., 2016.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return nn_ops.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
    check_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and "
            f"negative {negative.dim()}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    to_positive = distance(anchor, positive)
    to_negative = distance(anchor, negative)
    if swap:
        to_negative = fb.minimum(to_negative, distance(positive, negative))
    return reduced(_hinge(margin + to_positive - to_negative), reduction)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target input)), target 1 or -1."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return reduced((-(target * input)).exp().log1p(), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """sum_i max(0, margin - x[target] + x[i])^p / C over i != target; (N, C) and (N)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    check_reduction(reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    index = target.reshape(-1, 1)
    _require_row_targets("multi_margin_loss", rows, index.reshape(-1))
    terms = _hinge(margin - rows.gather(1, index) + rows).pow(p)
    if weight is not None:
        terms = terms * weight[index.reshape(-1)].unsqueeze(1)
    terms = terms.scatter(1, index, 0.0)
    loss = terms.sum(1) / rows.size(1)
    return reduced(loss.reshape(target.shape), reduction)


def _require_row_targets(op: str, rows: Tensor, target: Tensor) -> None:
    if rows.dim() != 2 or rows.size(1) == 0:
        raise RuntimeError(
            f"{op}: Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(rows.shape)}"
        )
    if target.size(0) != rows.size(0):
        raise RuntimeError(
            f"{op}: inconsistent target size, expected {[rows.size(0)]} but got "
            f"{list(target.shape)}"
        )


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """sum_ij max(0, 1 - x[target j] + x[i]) / C over i in no target; (N, C) or (C).

    The targets of a row are its indices before the first -1.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    check_reduction(reduction)
    if input.shape != target.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    classes = input.size(-1) if input.dim() else 1
    rows, labels = input.reshape(-1, classes), target.reshape(-1, classes)
    listed = (labels < 0).cumsum(1) == 0
    index = labels.clamp(min=0)
    hits = fb.zeros_like(rows, requires_grad=False).scatter_add(1, index, listed.to(rows.dtype))
    other = (hits == 0).unsqueeze(1)
    wanted = rows.gather(1, index).unsqueeze(2)
    terms = _hinge(1 - wanted + rows.unsqueeze(1))
    terms = terms * (listed.unsqueeze(2) & other).to(rows.dtype)
    loss = terms.sum((1, 2)) / classes
    return reduced(loss.reshape(input.shape[:-1]), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the classes of the binary cross-entropy of logits; (N, C) and (N, C)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(-1) / input.size(-1), reduction)
