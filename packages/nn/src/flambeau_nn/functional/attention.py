"""Attention; Vaswani et al., "Attention Is All You Need", 2017."""

from __future__ import annotations

import math
from typing import NamedTuple

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import linear, scaled_dot_product_attention

from .padding import pad

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


class _Projections(NamedTuple):
    """The weights that make query, key and value, with their biases."""

    weights: tuple[Tensor, Tensor, Tensor]
    biases: tuple[Tensor | None, Tensor | None, Tensor | None]


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Projected, multi-headed attention of (L, N, E) or (L, E) to (S, N, *), and its weights.

    `key_padding_mask` (N, S) and `attn_mask` (L, S) or (N * heads, L, S) are bool, true where
    nothing may be seen, or added to the scores. The weights are (N, L, S), or (N, heads, L, S)
    where they are not averaged, and None where they are not needed. `bias_k` and `bias_v` add one
    more position, `add_zero_attn` one of zeros.
    """
    batched = _check_shapes(query, key, value, key_padding_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, embed_dim = query.shape
    if embed_dim != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}"
        )
    if embed_dim % num_heads:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    mask = _additive(attn_mask, query, "attn_mask")
    mask = None if mask is None else _checked_mask(mask, length, key.size(0), batch * num_heads)
    padding = _additive(key_padding_mask, query, "key_padding_mask")

    if use_separate_proj_weight:
        given = (q_proj_weight, k_proj_weight, v_proj_weight)
        projections = _projections(given, in_proj_bias)
    else:
        projections = _projections(_thirds(in_proj_weight), in_proj_bias)
    q, k, v = (
        linear(x, weight, bias)
        for x, weight, bias in zip((query, key, value), projections.weights, projections.biases)
    )
    if bias_k is not None and bias_v is not None:
        k = fb.cat([k, bias_k.expand(1, batch, -1)])
        v = fb.cat([v, bias_v.expand(1, batch, -1)])
        mask, padding = _one_more_column(mask), _one_more_column(padding)
    q = _heads(q, num_heads)
    k = _heads(k, num_heads) if static_k is None else static_k
    v = _heads(v, num_heads) if static_v is None else static_v
    if add_zero_attn:
        k = fb.cat([k, k.new_zeros((k.size(0), 1, k.size(2)))], 1)
        v = fb.cat([v, v.new_zeros((v.size(0), 1, v.size(2)))], 1)
        mask, padding = _one_more_column(mask), _one_more_column(padding)
    if padding is not None:
        seen = padding.reshape(batch, 1, 1, -1).expand(-1, num_heads, -1, -1)
        seen = seen.reshape(batch * num_heads, 1, -1)
        mask = seen if mask is None else mask + seen

    dropped = dropout_p if training else 0.0
    weights: Tensor | None = None
    if need_weights:
        weights = _weights(q, k, mask, dropped)
        mixed = fb.matmul(weights, v)
        weights = weights.reshape(batch, num_heads, length, -1)
        if average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            weights = weights.squeeze(0)
    else:
        mixed = scaled_dot_product_attention(q, k, v, mask, dropped)
    mixed = mixed.transpose(0, 1).reshape(length, batch, embed_dim)
    output = linear(mixed, out_proj_weight, out_proj_bias)
    return (output if batched else output.squeeze(1)), weights


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None
) -> bool:
    """Whether the inputs have a batch dimension; AssertionError when they do not agree."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query "
            "tensor"
        )
    kind = "batched" if query.dim() == 3 else "unbatched"
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(
            f"For {kind} ({query.dim()}-D) `query`, expected `key` and `value` to be "
            f"{query.dim()}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != query.dim() - 1:
        raise AssertionError(
            f"For {kind} ({query.dim()}-D) `query`, expected `key_padding_mask` to be `None` or "
            f"{query.dim() - 1}-D but found {key_padding_mask.dim()}-D tensor instead"
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    return query.dim() == 3


def _additive(mask: Tensor | None, like: Tensor, name: str) -> Tensor | None:
    """A mask to add to the scores: minus infinity where a bool mask is true."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype != fb.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    zeros = fb.zeros(mask.shape, dtype=like.dtype, device=mask.device)
    return zeros.masked_fill(mask, -math.inf)


def _checked_mask(mask: Tensor, length: int, sources: int, rows: int) -> Tensor:
    """The attention mask in three dimensions; RuntimeError for a wrong shape."""
    expected = {2: (length, sources), 3: (rows, length, sources)}
    if mask.dim() not in expected:
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if tuple(mask.shape) != expected[mask.dim()]:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be "
            f"{expected[mask.dim()]}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _thirds(weight: Tensor | None) -> tuple[Tensor | None, ...]:
    return (None, None, None) if weight is None else tuple(weight.chunk(3))


def _projections(weights: tuple[Tensor | None, ...], bias: Tensor | None) -> _Projections:
    for name, weight in zip(("q", "k", "v"), weights):
        if weight is None:
            raise AssertionError(f"the projection weight of {name} is missing")
    biases = (None, None, None) if bias is None else tuple(bias.chunk(3))
    return _Projections(weights, biases)  # type: ignore[arg-type]


def _heads(x: Tensor, num_heads: int) -> Tensor:
    """(L, N, E) to (N * heads, L, E / heads)."""
    length, batch, width = x.shape
    return x.reshape(length, batch * num_heads, width // num_heads).transpose(0, 1)


def _one_more_column(mask: Tensor | None) -> Tensor | None:
    return None if mask is None else pad(mask, (0, 1))


def _weights(q: Tensor, k: Tensor, mask: Tensor | None, dropout_p: float) -> Tensor:
    scores = fb.matmul(q * (1.0 / math.sqrt(q.size(-1))), k.transpose(-2, -1))
    if mask is not None:
        scores = scores + mask
    weights = nn_ops.softmax(scores, -1)
    return nn_ops.dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
