"""Convolutions, straight from core, and their matrix forms `unfold` and `fold`."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)

from .padding import pad

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "unfold",
]

Size2d = int | Sequence[int]


def _pair(value: Size2d) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    if len(value) == 1:
        return value[0], value[0]
    height, width = value
    return height, width


def _window_positions(
    size: int, kernel: int, stride: int, padding: int, dilation: int
) -> tuple[int, list[int]]:
    """How many windows fit, and where in the padded input each element of each window lies.

    The positions are ordered by element, then by window.
    """
    count = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    positions = [k * dilation + w * stride for k in range(kernel) for w in range(count)]
    return count, positions


def unfold(
    input: Tensor,
    kernel_size: Size2d,
    dilation: Size2d = 1,
    padding: Size2d = 0,
    stride: Size2d = 1,
) -> Tensor:
    """The windows of (N, C, H, W) as columns: (N, C * kh * kw, number of windows).

    (C, H, W) gives (C * kh * kw, windows). Raises RuntimeError when no window fits.
    """
    if input.dim() not in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    if input.dim() == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    (kh, kw), (ph, pw) = _pair(kernel_size), _pair(padding)
    (sh, sw), (dh, dw) = _pair(stride), _pair(dilation)
    _require_positive("unfold", kernel=(kh, kw), dilation=(dh, dw), stride=(sh, sw))
    batch, channels, height, width = input.shape
    rows, row_at = _window_positions(height, kh, sh, ph, dh)
    columns, column_at = _window_positions(width, kw, sw, pw, dw)
    if rows < 1 or columns < 1:
        raise RuntimeError(
            f"Given input with spatial size ({height}, {width}), kernel_size=({kh}, {kw}), "
            f"dilation=({dh}, {dw}), padding=({ph}, {pw}), calculated shape of the array of "
            f"sliding blocks as ({rows}, {columns}), but its components must be at least one."
        )
    padded = pad(input, (pw, pw, ph, ph)) if ph or pw else input
    taken = padded.index_select(2, fb.tensor(row_at, device=input.device))
    taken = taken.index_select(3, fb.tensor(column_at, device=input.device))
    blocks = taken.reshape(batch, channels, kh, rows, kw, columns)
    return blocks.permute(0, 1, 2, 4, 3, 5).reshape(batch, channels * kh * kw, rows * columns)


def fold(
    input: Tensor,
    output_size: Size2d,
    kernel_size: Size2d,
    dilation: Size2d = 1,
    padding: Size2d = 0,
    stride: Size2d = 1,
) -> Tensor:
    """Adds windows given as columns up into images: the adjoint of `unfold`.

    (N, C * kh * kw, L) gives (N, C, H, W) with (H, W) = `output_size`.
    """
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(input.shape)}"
        )
    if input.dim() == 2:
        folded = fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride)
        return folded.squeeze(0)
    (kh, kw), (ph, pw) = _pair(kernel_size), _pair(padding)
    (sh, sw), (dh, dw) = _pair(stride), _pair(dilation)
    height, width = _pair(output_size)
    _require_positive("fold", kernel=(kh, kw), dilation=(dh, dw), stride=(sh, sw))
    batch, planes, windows = input.shape
    if planes % (kh * kw):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={planes} and kernel_size=({kh}, {kw})."
        )
    rows, row_at = _window_positions(height, kh, sh, ph, dh)
    columns, column_at = _window_positions(width, kw, sw, pw, dw)
    if rows < 1 or columns < 1 or rows * columns != windows:
        raise RuntimeError(
            f"Given output_size=({height}, {width}), kernel_size=({kh}, {kw}), dilation=({dh}, "
            f"{dw}), padding=({ph}, {pw}), stride=({sh}, {sw}), expected size of input's dimension "
            f"2 to match the calculated number of sliding blocks {rows} * {columns} = "
            f"{rows * columns}, but got input.size(2)={windows}."
        )
    channels = planes // (kh * kw)
    blocks = input.reshape(batch, channels, kh, kw, rows, columns).permute(0, 1, 2, 4, 3, 5)
    flat = blocks.reshape(batch, channels, kh * rows, kw * columns)
    tall = input.new_zeros((batch, channels, height + 2 * ph, kw * columns))
    tall = tall.index_add(2, fb.tensor(row_at, device=input.device), flat)
    image = input.new_zeros((batch, channels, height + 2 * ph, width + 2 * pw))
    image = image.index_add(3, fb.tensor(column_at, device=input.device), tall)
    return image[:, :, ph : ph + height, pw : pw + width]


def _require_positive(op: str, **sizes: tuple[int, int]) -> None:
    for name, (height, width) in sizes.items():
        if height <= 0 or width <= 0:
            raise RuntimeError(
                f"{op}(): {name} should be greater than zero, but got {height} x {width}"
            )
