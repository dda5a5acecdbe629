"""Similarities and distances of vectors."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import cosine_similarity, pairwise_distance

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows i < j of (N, M), in the order of (i, j)."""
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = fb.triu_indices(input.size(0), input.size(0), 1, device=input.device)
    return (input.index_select(0, first) - input.index_select(0, second)).norm(p, -1)
