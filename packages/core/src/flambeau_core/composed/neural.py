"""Definitions of the layers that are a product or a look-up."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import composition


@composition("linear")
def linear(x: fb.Tensor, weight: fb.Tensor, bias: fb.Tensor | None) -> fb.Tensor:
    """``x @ weight.T + bias`` for ``(..., in)`` and a weight ``(out, in)``."""
    product = fb.matmul(x, weight.t())
    return product if bias is None else product + bias


@composition("dropout")
def dropout(x: fb.Tensor, p: float, training: bool) -> fb.Tensor:
    """Zeroes elements with probability ``p`` and scales the others by ``1 / (1 - p)``."""
    if not training:
        return x
    kept = fb.rand(x.shape, dtype=fb.float32, device=x.device) >= p
    return x * kept * (0.0 if p == 1 else 1 / (1 - p))


@composition("embedding")
def embedding(index: fb.Tensor, weight: fb.Tensor, padding_idx: int | None) -> fb.Tensor:
    """Rows of ``weight`` at ``index``; the row ``padding_idx`` gets no gradient."""
    rows = weight.index_select(0, index.reshape(-1).to(fb.int64))
    rows = rows.reshape([*index.shape, weight.shape[1]])
    if padding_idx is None:
        return rows
    padding = padding_idx % weight.shape[0]
    return fb.where((index == padding).unsqueeze(-1), rows.detach(), rows)
