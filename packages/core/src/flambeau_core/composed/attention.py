"""Scaled dot-product attention (Vaswani et al., 2017)."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.declare import op


@op(
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,"
    " float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False)"
    " -> Tensor",
    namespace="nn",
)
def scaled_dot_product_attention(
    query: fb.Tensor,
    key: fb.Tensor,
    value: fb.Tensor,
    attn_mask: fb.Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> fb.Tensor:
    """``softmax(query @ key.T * scale + mask) @ value``.

    Shapes ``(..., L, E)``, ``(..., S, E)`` and ``(..., S, V)``; the mask broadcasts to
    ``(..., L, S)`` and is either added or, if bool, tells which keys take part. A query for which
    no key takes part gets zeros. ``scale`` is ``1 / sqrt(E)`` by default; ``enable_gqa`` lets
    several query heads share one key head.
    """
    _check(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = _shared_heads(query, key), _shared_heads(query, value)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = fb.matmul(widened(query) * factor, widened(key).transpose(-2, -1))
    mask: Any = attn_mask
    if is_causal:
        ones = fb.ones(scores.shape[-2:], dtype=fb.bool, device=scores.device)
        mask = ones.tril()
    weights = _masked_softmax(scores, mask)
    if dropout_p > 0:
        weights = fb.nn_ops.dropout(weights, dropout_p, True)
    return fb.matmul(weights, widened(value)).to(query.dtype)


def _masked_softmax(scores: fb.Tensor, mask: fb.Tensor | None) -> fb.Tensor:
    if mask is None:
        return scores.softmax(-1)
    if mask.dtype == fb.bool:
        scores = scores.masked_fill(~mask, -math.inf)
    else:
        scores = scores + mask
    empty = (scores == -math.inf).all(-1, True)
    return scores.masked_fill(empty, 0).softmax(-1).masked_fill(empty, 0)


def _shared_heads(query: fb.Tensor, x: fb.Tensor) -> fb.Tensor:
    heads, shared = query.shape[-3], x.shape[-3]
    if shared == heads:
        return x
    if shared == 0 or heads % shared:
        raise RuntimeError(
            "scaled_dot_product_attention: number of heads in key and value must divide the "
            f"number of heads in query, got {shared} and {heads}"
        )
    return x.repeat_interleave(heads // shared, -3)


def _check(
    query: fb.Tensor, key: fb.Tensor, value: fb.Tensor, mask: fb.Tensor | None, is_causal: bool
) -> None:
    name = "scaled_dot_product_attention"
    shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)} and value {tuple(value.shape)}"
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            f"{name}: expected query, key, and value to have the same dtype, but got "
            f"{query.dtype}, {key.dtype} and {value.dtype}"
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(f"{name}: expected at least 2 dimensions, but got {shapes}")
    if mask is not None and is_causal:
        raise RuntimeError(f"{name}: explicit attn_mask should not be set when is_causal=True")
    if mask is not None and mask.dtype not in (fb.bool, query.dtype, fb.float32):
        raise RuntimeError(
            f"{name}: expected attn_mask dtype to be bool or to match query dtype, but got "
            f"{mask.dtype} and {query.dtype}"
        )
