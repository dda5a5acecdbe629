"""Scaled dot-product attention; Vaswani et al., "Attention Is All You Need", 2017."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query key^T * scale + mask) value: (*, L, E), (*, S, E), (*, S, V) to (*, L, V).

    `attn_mask` broadcasts to (*, L, S): a bool mask keeps where it is true, another is added.
    `is_causal` lets position i see positions up to i. `scale` is 1 / sqrt(E) by default. With
    `enable_gqa` each head of key and value serves several heads of the query. A row that sees
    nothing gives zeros.
    """
    if attn_mask is not None and is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dim() < 2:
            raise RuntimeError(
                f"scaled_dot_product_attention: Expected query, key, and value to be at least 2 "
                f"dimensional, but {name} has shape {list(tensor.shape)}"
            )
        if tensor.dtype != query.dtype:
            raise RuntimeError(
                "Expected query, key, and value to have the same dtype, but got query.dtype: "
                f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
            )
    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
        value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
    if scale is None:
        scale = 1.0 / math.sqrt(query.size(-1))

    scores = fb.matmul(query * scale, key.transpose(-2, -1))
    if is_causal:
        seen = fb.ones(query.size(-2), key.size(-2), dtype=fb.bool, device=query.device).tril()
        scores = scores.masked_fill(~seen, -math.inf)
    elif attn_mask is not None:
        if attn_mask.dtype == fb.bool:
            scores = scores.masked_fill(~attn_mask, -math.inf)
        else:
            scores = scores + attn_mask
    weights = nn_ops.softmax(scores, -1)
    if attn_mask is not None:
        blind = (scores == -math.inf).all(-1, keepdim=True)
        weights = weights.masked_fill(blind, 0.0)
    if dropout_p > 0.0:
        weights = nn_ops.dropout(weights, dropout_p, True)
    return fb.matmul(weights, value)
