"""Affine and bilinear maps."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import linear

__all__ = ["bilinear", "linear"]


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y[.., o] = sum_ij x1[.., i] weight[o, i, j] x2[.., j] + bias[o].

    `input1` is (*, I), `input2` (*, J) with the same leading dimensions, `weight` (O, I, J).
    """
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match: got {input1.shape} and "
            f"{input2.shape}"
        )
    if input1.size(-1) != weight.size(1) or input2.size(-1) != weight.size(2):
        raise RuntimeError(
            f"bilinear(): input sizes {input1.size(-1)} and {input2.size(-1)} do not match weight "
            f"{weight.shape}"
        )
    out_features, in1, in2 = weight.shape
    rows1, rows2 = input1.reshape(-1, in1), input2.reshape(-1, in2)
    # [B, I] x [I, O * J] leaves one row of O * J for each example, which meets the row of J.
    mixed = fb.matmul(rows1, weight.permute(1, 0, 2).reshape(in1, out_features * in2))
    mixed = mixed.reshape(-1, out_features, in2)
    result = fb.matmul(mixed, rows2.unsqueeze(2)).squeeze(2)
    if bias is not None:
        result = result + bias
    return result.reshape(*input1.shape[:-1], out_features)
