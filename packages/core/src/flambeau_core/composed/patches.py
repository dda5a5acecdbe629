"""Sliding windows over spatial dimensions: cutting them out, and adding them back."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op


def window_count(length: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """How many windows fit a dimension, floor((length + 2p - d(k - 1) - 1) / s) + 1."""
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def zero_padded(x: fb.Tensor, dim: int, before: int, after: int) -> fb.Tensor:
    """Zeros added along ``dim``; negative numbers cut off instead."""
    if before < 0 or after < 0:
        start = max(-before, 0)
        x = x.narrow(dim, start, x.shape[dim] - start - max(-after, 0))
    parts = [x]
    shape = list(x.shape)
    if before > 0:
        shape[dim] = before
        parts.insert(0, x.new_zeros(shape))
    if after > 0:
        shape[dim] = after
        parts.append(x.new_zeros(shape))
    return fb.cat(parts, dim) if len(parts) > 1 else x


def extract_patches(
    x: fb.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> fb.Tensor:
    """Windows of ``(N, C, *spatial)`` as a view ``(N, C, *kernel, *windows)``."""
    count = len(kernel)
    for place in range(count):
        span = dilation[place] * (kernel[place] - 1) + 1
        x = x.unfold(2 + place, span, stride[place])
        if dilation[place] > 1:
            x = x[..., :: dilation[place]]
    windows = list(range(2, 2 + count))
    return x.permute([0, 1, *range(2 + count, 2 + 2 * count), *windows])


def _positions(
    kernel: Sequence[int],
    windows: Sequence[int],
    size: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    device: fb.device,
) -> fb.Tensor:
    """Place in the flattened plane ``size`` of every element of every window, 1-D."""
    count = len(kernel)
    total = fb.zeros((), dtype=fb.int64, device=device)
    for place in range(count):
        tap = fb.arange(kernel[place], device=device) * dilation[place]
        start = fb.arange(windows[place], device=device) * stride[place]
        shape = [1] * (2 * count)
        shape[place], shape[count + place] = kernel[place], windows[place]
        line = (tap.unsqueeze(1) + start.unsqueeze(0)).reshape(shape)
        total = total * size[place] + line
    return total.reshape(-1)


def scatter_patches(
    patches: fb.Tensor, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> fb.Tensor:
    """Adds windows ``(N, C, *kernel, *windows)`` up at their places in ``(N, C, *size)``."""
    count = len(size)
    kernel = patches.shape[2 : 2 + count]
    windows = patches.shape[2 + count :]
    index = _positions(kernel, windows, size, stride, dilation, patches.device)
    area = 1
    for length in size:
        area *= length
    batch, channels = patches.shape[:2]
    plane = patches.new_zeros((batch, channels, area))
    summed = plane.index_add(2, index, patches.reshape(batch, channels, index.shape[0]))
    return summed.reshape([batch, channels, *size])


def _pair(name: str, argument: str, value: Sequence[int], least: int) -> list[int]:
    pair = list(value) * 2 if len(value) == 1 else list(value)
    if len(pair) != 2:
        raise RuntimeError(f"{name}: expected {argument} of 1 or 2 numbers, got {list(value)}")
    if min(pair) < least:
        bound = "greater than zero" if least else "non-negative"
        raise RuntimeError(f"{name}: {argument} should be {bound}, but got {list(value)}")
    return pair


@op(
    "im2col(Tensor self, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1)"
    " -> Tensor",
    namespace="nn",
)
def im2col(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> fb.Tensor:
    """Windows of ``(N, C, H, W)`` (or ``(C, H, W)``) as columns ``(N, C * kernel, windows)``."""
    kernel = _pair("im2col", "kernel_size", kernel_size, 1)
    dilation = _pair("im2col", "dilation", dilation, 1)
    padding = _pair("im2col", "padding", padding, 0)
    stride = _pair("im2col", "stride", stride, 1)
    if self.dim() not in (3, 4) or 0 in self.shape[-3:]:
        raise RuntimeError(
            "im2col: expected 3-D or 4-D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {tuple(self.shape)}"
        )
    x = self if self.dim() == 4 else self.unsqueeze(0)
    for place in range(2):
        if (
            window_count(
                x.shape[2 + place], kernel[place], stride[place], padding[place], dilation[place]
            )
            < 1
        ):
            raise RuntimeError(
                f"im2col: input of shape {tuple(self.shape)} with padding {padding} is smaller "
                f"than the kernel {kernel} with dilation {dilation}"
            )
        x = zero_padded(x, 2 + place, padding[place], padding[place])
    patches = extract_patches(x, kernel, stride, dilation)
    count = patches.shape[-1] * patches.shape[-2]
    columns = patches.reshape(x.shape[0], x.shape[1] * kernel[0] * kernel[1], count)
    return columns if self.dim() == 4 else columns.squeeze(0)


@op(
    "col2im(Tensor self, int[] output_size, int[] kernel_size, int[] dilation=1, int[] padding=0,"
    " int[] stride=1) -> Tensor",
    namespace="nn",
)
def col2im(
    self: fb.Tensor,
    output_size: Sequence[int],
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> fb.Tensor:
    """Adds columns ``(N, C * kernel, windows)`` of windows up to ``(N, C, *output_size)``."""
    size = _pair("col2im", "output_size", output_size, 1)
    kernel = _pair("col2im", "kernel_size", kernel_size, 1)
    dilation = _pair("col2im", "dilation", dilation, 1)
    padding = _pair("col2im", "padding", padding, 0)
    stride = _pair("col2im", "stride", stride, 1)
    if self.dim() not in (2, 3):
        raise RuntimeError(f"col2im: expected a 2-D or 3-D input, but got: {tuple(self.shape)}")
    x = self if self.dim() == 3 else self.unsqueeze(0)
    windows = [
        window_count(size[i], kernel[i], stride[i], padding[i], dilation[i]) for i in range(2)
    ]
    area = kernel[0] * kernel[1]
    if x.shape[1] % area:
        raise RuntimeError(
            f"col2im: expected size of input's dimension 1 to be divisible by the product of "
            f"kernel_size {kernel}, but got input of shape {tuple(self.shape)}"
        )
    if min(windows) < 1 or x.shape[2] != windows[0] * windows[1]:
        raise RuntimeError(
            f"col2im: given output_size={size}, kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, stride={stride}, expected {windows[0]} x {windows[1]} windows, "
            f"but got input of shape {tuple(self.shape)}"
        )
    patches = x.reshape([x.shape[0], x.shape[1] // area, *kernel, *windows])
    padded = [size[i] + 2 * padding[i] for i in range(2)]
    image = scatter_patches(patches, padded, stride, dilation)
    for i in range(2):
        image = image.narrow(2 + i, padding[i], size[i])
    return image.contiguous() if self.dim() == 3 else image.squeeze(0).contiguous()
