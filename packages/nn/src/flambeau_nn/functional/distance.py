"""Similarities and distances of vectors."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, after broadcasting."""
    norm1 = x1.norm(2, dim, keepdim=True).clamp_min(eps)
    norm2 = x2.norm(2, dim, keepdim=True).clamp_min(eps)
    a, b = fb.broadcast_tensors(x1 / norm1, x2 / norm2)
    return (a * b).sum(dim)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """|x1 - x2 + eps|_p along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows i < j of (N, M), in the order of (i, j)."""
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = fb.triu_indices(input.size(0), input.size(0), 1, device=input.device)
    return (input.index_select(0, first) - input.index_select(0, second)).norm(p, -1)
