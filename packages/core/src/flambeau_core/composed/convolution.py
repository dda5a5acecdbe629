"""Definitions of convolution in one to three dimensions, as products with sliding windows."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.patches import extract_patches, scatter_patches, zero_padded
from flambeau_core.composed.precision import widened
from flambeau_core.declare import composition, op


@composition("convolution")
def convolution(
    x: fb.Tensor,
    weight: fb.Tensor,
    bias: fb.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> fb.Tensor:
    """Cross-correlation of ``(N, C, *spatial)`` with ``(O, C / groups, *kernel)``."""
    dtype = x.dtype
    x, weight = widened(x), widened(weight)
    kernel = list(weight.shape[2:])
    for place, amount in enumerate(padding):
        x = zero_padded(x, 2 + place, amount, amount)
    patches = extract_patches(x, kernel, stride, dilation)
    batch, outputs = x.shape[0], weight.shape[0]
    windows = list(patches.shape[2 + len(kernel) :])
    depth = _product(weight.shape[1:])
    columns = patches.reshape(batch, groups, depth, _product(windows))
    rows = weight.reshape(groups, outputs // groups, depth)
    result = fb.matmul(rows, columns).reshape([batch, outputs, *windows])
    if bias is not None:
        result = result + bias.reshape([-1] + [1] * len(windows))
    return result.to(dtype)


@composition("convolution_backward_input")
def convolution_backward_input(
    grad: fb.Tensor,
    weight: fb.Tensor,
    input_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> fb.Tensor:
    """Gradient of ``convolution`` by its input, whose shape is ``input_size``.

    It is linear in ``grad`` and also serves as transposed convolution.
    """
    dtype = grad.dtype
    grad, weight = widened(grad), widened(weight)
    kernel = list(weight.shape[2:])
    batch, outputs = grad.shape[:2]
    windows = list(grad.shape[2:])
    depth = _product(weight.shape[1:])
    rows = weight.reshape(groups, outputs // groups, depth).transpose(1, 2)
    values = grad.reshape(batch, groups, outputs // groups, _product(windows))
    columns = fb.matmul(rows, values).reshape([batch, input_size[1], *kernel, *windows])
    padded = [length + 2 * amount for length, amount in zip(input_size[2:], padding)]
    image = scatter_patches(columns, padded, stride, dilation)
    for place, amount in enumerate(padding):
        image = image.narrow(2 + place, amount, input_size[2 + place])
    return image.to(dtype).contiguous()


def _product(lengths: Sequence[int]) -> int:
    product = 1
    for length in lengths:
        product *= length
    return product


@op(
    "conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
    namespace="both",
    method=False,
)
def conv_tbc(self: fb.Tensor, weight: fb.Tensor, bias: fb.Tensor, pad: int) -> fb.Tensor:
    """Convolution of ``(L, N, C_in)`` by a weight ``(k, C_in, C_out)``: ``(L_out, N, C_out)``."""
    for name, x in (("input", self), ("weight", weight)):
        if x.dim() != 3:
            raise RuntimeError(f"conv_tbc: {name} must have 3 dims, got shape {tuple(x.shape)}")
    rows = fb.nn_ops.conv1d(self.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return rows.permute(2, 0, 1)
