"""Definitions of the layers that are a product or a look-up."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import composition, op


@composition("linear")
def linear(x: fb.Tensor, weight: fb.Tensor, bias: fb.Tensor | None) -> fb.Tensor:
    """``x @ weight.T + bias`` for ``(..., in)`` and a weight ``(out, in)``."""
    product = fb.matmul(x, weight.t())
    return product if bias is None else product + bias


@op(
    "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
    namespace="both",
)
def bilinear(
    input1: fb.Tensor, input2: fb.Tensor, weight: fb.Tensor, bias: fb.Tensor | None
) -> fb.Tensor:
    """``y[.., o] = sum_ij x1[.., i] weight[o, i, j] x2[.., j] + bias[o]``.

    Shapes ``(*, I)``, ``(*, J)`` with the same leading dimensions, ``(O, I, J)`` and ``(O,)``.
    """
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            f"bilinear: input batch dimensions do not match: got {tuple(input1.shape)} and "
            f"{tuple(input2.shape)}"
        )
    if weight.dim() != 3 or (input1.shape[-1], input2.shape[-1]) != tuple(weight.shape[1:]):
        raise RuntimeError(
            f"bilinear: inputs of shapes {tuple(input1.shape)} and {tuple(input2.shape)} do not "
            f"match weight of shape {tuple(weight.shape)}"
        )
    out_features, in1, in2 = weight.shape
    rows1, rows2 = input1.reshape(-1, in1), input2.reshape(-1, in2)
    # (N, I) by (I, O J) leaves a row of O J for each example, which meets the row of J.
    mixed = fb.matmul(rows1, weight.permute(1, 0, 2).reshape(in1, out_features * in2))
    mixed = mixed.reshape(-1, out_features, in2)
    result = fb.matmul(mixed, rows2.unsqueeze(2)).squeeze(2)
    if bias is not None:
        result = result + bias
    return result.reshape([*input1.shape[:-1], out_features])


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
