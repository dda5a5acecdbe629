"""Distances and similarities of vectors along a dimension."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.composed.broadcasting import broadcast_shapes
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.composed.vector_norms import vector_norm
from flambeau_core.declare import op


@op(
    "pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-6, bool keepdim=False)"
    " -> Tensor",
    namespace="both",
    method=False,
)
def pairwise_distance(
    x1: fb.Tensor, x2: fb.Tensor, p: float, eps: float, keepdim: bool
) -> fb.Tensor:
    """The ``p``-norm over the last dimension of ``x1 - x2 + eps``."""
    return vector_norm(x1 - x2 + eps, p, [-1], keepdim)


@op(
    "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-8) -> Tensor",
    namespace="both",
    method=False,
)
def cosine_similarity(x1: fb.Tensor, x2: fb.Tensor, dim: int, eps: float) -> fb.Tensor:
    """Dot product over ``dim`` of both vectors divided by their norms, which are at least eps."""
    shape = broadcast_shapes(x1.shape, x2.shape)
    dtype = fb.promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise RuntimeError(f"cosine_similarity: expected common dtype to be floating, got {dtype}")
    a, b = x1.to(dtype).expand(shape), x2.to(dtype).expand(shape)
    dim = wrap_dim("cosine_similarity", dim, len(shape))
    unit_a, unit_b = _unit(a, dim, eps), _unit(b, dim, eps)
    return (unit_a * unit_b).sum(dim)


def _unit(x: fb.Tensor, dim: int, eps: float) -> fb.Tensor:
    return x / vector_norm(x, 2, [dim], True).clamp(min=eps)


@op("pdist(Tensor self, float p=2.0) -> Tensor", namespace="both", method=False)
def pdist(self: fb.Tensor, p: float) -> fb.Tensor:
    """The ``p``-norm distances of all pairs of rows ``i < j`` of ``(N, M)``, in their order."""
    if self.dim() != 2:
        raise RuntimeError(f"pdist: only supports 2D tensors, got shape {tuple(self.shape)}")
    if p < 0:
        raise RuntimeError(f"pdist: only supports non-negative p values, got {p}")
    first, second = fb.triu_indices(len(self), len(self), 1, device=self.device)
    return vector_norm(self.index_select(0, first) - self.index_select(0, second), p, [-1], False)
