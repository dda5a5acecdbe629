"""Losses that ask for a margin between what is near and what is far."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.composed.losses import loss, reduced
from flambeau_core.composed.similarity import pairwise_distance


def hinge(x: fb.Tensor) -> fb.Tensor:
    """``max(0, x)``, with the gradient of ``clamp`` at zero."""
    return x.clamp(min=0)


@loss("margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, reduction)")
def margin_ranking_loss(
    input1: fb.Tensor, input2: fb.Tensor, target: fb.Tensor, margin: float, reduction: str | int
) -> fb.Tensor:
    """``max(0, -target * (input1 - input2) + margin)``, target 1 or -1."""
    return reduced(
        "margin_ranking_loss", hinge(-target * (input1 - input2) + float(margin)), reduction
    )


@loss("hinge_embedding_loss(Tensor self, Tensor target, float margin=1, reduction)")
def hinge_embedding_loss(
    self: fb.Tensor, target: fb.Tensor, margin: float, reduction: str | int
) -> fb.Tensor:
    """``x`` where the target is 1, ``max(0, margin - x)`` where it is -1."""
    near = fb.where(target != -1, self, 0)
    far = fb.where(target != 1, hinge(float(margin) - self), 0)
    return reduced("hinge_embedding_loss", near + far, reduction)


@loss(
    "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, reduction)"
)
def cosine_embedding_loss(
    input1: fb.Tensor, input2: fb.Tensor, target: fb.Tensor, margin: float, reduction: str | int
) -> fb.Tensor:
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Shapes ``(N, D)``, ``(N, D)`` and ``(N,)``, or without ``N``.
    """
    name = "cosine_embedding_loss"
    if target.dim() not in (0, 1):
        raise RuntimeError(
            f"{name}: 0D or 1D target tensor expected, multi-target not supported, but got shape "
            f"{tuple(target.shape)}"
        )
    dims = target.dim() + 1
    if input1.dim() != dims or input2.dim() != dims:
        raise RuntimeError(
            f"{name}: {target.dim()}D target tensor expects {dims}D input tensors, but found "
            f"inputs with sizes {list(input1.shape)} and {list(input2.shape)}"
        )
    eps = 1e-12
    dot = (input1 * input2).sum(-1)
    squares = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cosine = dot / squares.sqrt()
    near = fb.where(target == 1, 1 - cosine, 0)
    far = fb.where(target == -1, hinge(cosine - margin), 0)
    return reduced(name, near + far, reduction)


@loss(
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0,"
    " float p=2.0, float eps=1e-6, bool swap=False, reduction)"
)
def triplet_margin_loss(
    anchor: fb.Tensor,
    positive: fb.Tensor,
    negative: fb.Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    reduction: str | int,
) -> fb.Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, distances of order ``p``.

    ``swap`` takes the nearer of anchor and positive for the negative's distance (Balntas et al.,
    2016).
    """
    name = "triplet_margin_loss"
    if margin <= 0:
        raise ValueError(f"{name}: margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            f"{name}: The anchor, positive, and negative tensors are expected to have the same "
            f"number of dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, "
            f"and negative {negative.dim()}D inputs"
        )
    to_positive = pairwise_distance(anchor, positive, p, eps, False)
    to_negative = pairwise_distance(anchor, negative, p, eps, False)
    if swap:
        to_negative = fb.minimum(to_negative, pairwise_distance(positive, negative, p, eps, False))
    return reduced(name, hinge(margin + to_positive - to_negative), reduction)
