"""Pooling over windows: maximum, average, power average.

Maxima and averages are core's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

Size = int | Sequence[int]

_max_pool2d = nn_ops.max_pool2d


def _tuple(value: Size, n: int, name: str) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,) * n
    sizes = tuple(value)
    if len(sizes) == 1:
        return sizes * n
    if len(sizes) != n:
        raise RuntimeError(f"{name} must either be a single int, or a tuple of {n} ints")
    return sizes


def check_dims(op: str, input: Tensor, spatial: int) -> None:
    if input.dim() not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{op}() Expected {spatial + 1}D or {spatial + 2}D input tensor, but got "
            f"{input.dim()}D input of shape {tuple(input.shape)}"
        )


# -- maximum --------------------------------------------------------------------------------


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maximum of each window of (N, C, H, W) or (C, H, W).

    With `return_indices` also the place of each maximum, counted through the input plane.
    """
    if return_indices:
        return max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` and the place of each maximum."""
    return nn_ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


# -- maximum, undone ------------------------------------------------------------------------


def _unpool(input: Tensor, indices: Tensor, spatial: int, output_size: Sequence[int]) -> Tensor:
    if indices.dtype != fb.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype}")
    if input.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({input.shape}) but "
            f"got indices tensor with shape: {indices.shape}"
        )
    lead = tuple(input.shape[: input.dim() - spatial])
    count = 1
    for size in output_size:
        count *= size
    flat = indices.reshape(*lead, -1)
    if flat.numel() and (int(flat.max()) >= count or int(flat.min()) < 0):
        raise RuntimeError(
            f"Found an invalid max index: {int(flat.max())} (output volumes are of size "
            f"{'x'.join(map(str, output_size))})"
        )
    result = input.new_zeros((*lead, count)).scatter(-1, flat, input.reshape(*lead, -1))
    return result.reshape(*lead, *output_size)


def _unpool_nd(
    op: str,
    spatial: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    output_size: Sequence[int] | None,
) -> Tensor:
    check_dims(op, input, spatial)
    kernel = _tuple(kernel_size, spatial, "kernel_size")
    step = kernel if stride is None else _tuple(stride, spatial, "stride")
    edge = _tuple(padding, spatial, "padding")
    sizes = input.shape[input.dim() - spatial :]
    usual = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(sizes, step, edge, kernel)]
    if output_size is None:
        return _unpool(input, indices, spatial, usual)
    wanted = list(output_size)[-spatial:]
    for size, default, s in zip(wanted, usual, step):
        if not default - s < size < default + s:
            raise ValueError(
                f"invalid output_size {wanted} (dim {wanted.index(size)} must be between "
                f"{default - s} and {default + s})"
            )
    return _unpool(input, indices, spatial, wanted)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts the maxima of `max_pool1d` back to their places among zeros."""
    return _unpool_nd("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts the maxima of `max_pool2d` back to their places among zeros."""
    return _unpool_nd("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Puts the maxima of `max_pool3d` back to their places among zeros."""
    return _unpool_nd("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


# -- power average --------------------------------------------------------------------------


def _lp(mean: Tensor, norm_type: float, count: int) -> Tensor:
    return (mean.sign() * mean.abs() * count).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window of (N, C, L) or (C, L), p = `norm_type`."""
    (kernel,) = _tuple(kernel_size, 1, "kernel_size")
    return _lp(avg_pool1d(input.pow(norm_type), kernel, stride, 0, ceil_mode), norm_type, kernel)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window of (N, C, H, W) or (C, H, W), p = `norm_type`."""
    height, width = _tuple(kernel_size, 2, "kernel_size")
    mean = avg_pool2d(input.pow(norm_type), (height, width), stride, 0, ceil_mode)
    return _lp(mean, norm_type, height * width)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window of (N, C, D, H, W) or (C, D, H, W), p = `norm_type`."""
    depth, height, width = _tuple(kernel_size, 3, "kernel_size")
    mean = avg_pool3d(input.pow(norm_type), (depth, height, width), stride, 0, ceil_mode)
    return _lp(mean, norm_type, depth * height * width)
