"""Pooling over windows: maximum, average, power average.

Core has those of one and two dimensions; a window of three dimensions is one over two followed by
one over the third.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import (
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool1d_with_indices,
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


def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W)."""
    values, indices = max_pool3d_with_indices(
        input, kernel_size, stride, padding, dilation, ceil_mode
    )
    return (values, indices) if return_indices else values


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d` and the place of each maximum, counted through the input volume."""
    check_dims("max_pool3d", input, 3)
    kernel = _tuple(kernel_size, 3, "kernel_size")
    step = kernel if stride is None else _tuple(stride, 3, "stride")
    edge = _tuple(padding, 3, "padding")
    gap = _tuple(dilation, 3, "dilation")
    depth, height, width = input.shape[-3:]
    planes = input.reshape(-1, depth, height, width)
    flat, in_plane = nn_ops.max_pool2d_with_indices(
        planes, kernel[1:], step[1:], edge[1:], gap[1:], ceil_mode
    )
    rows, columns = flat.shape[-2:]
    values, place = nn_ops.max_pool2d_with_indices(
        flat.reshape(-1, 1, depth, rows * columns),
        (kernel[0], 1),
        (step[0], 1),
        (edge[0], 0),
        (gap[0], 1),
        ceil_mode,
    )
    shape = (*input.shape[:-3], values.size(-2), rows, columns)
    # `place` finds the winner among the planes' maxima, `in_plane` where that one came from.
    chosen = place.reshape(place.size(0), -1)
    below = in_plane.reshape(place.size(0), -1).gather(1, chosen)
    layer = chosen.div(rows * columns, rounding_mode="floor")
    indices = layer * (height * width) + below
    return values.reshape(shape), indices.reshape(shape)


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


# -- average --------------------------------------------------------------------------------


def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
    check_dims("avg_pool3d", input, 3)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    kernel = _tuple(kernel_size, 3, "kernel_size")
    step = kernel if stride is None else _tuple(stride, 3, "stride")
    edge = _tuple(padding, 3, "padding")
    depth, height, width = input.shape[-3:]
    # Integers must be rounded once only, after both steps.
    exact = input if input.is_floating_point() else input.double()
    flat = avg_pool2d(
        exact.reshape(-1, depth, height, width),
        kernel[1:],
        step[1:],
        edge[1:],
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
    rows, columns = flat.shape[-2:]
    pooled = avg_pool2d(
        flat.reshape(-1, 1, depth, rows * columns),
        (kernel[0], 1),
        (step[0], 1),
        (edge[0], 0),
        ceil_mode,
        count_include_pad,
        None if divisor_override is None else 1,
    )
    shape = (*input.shape[:-3], pooled.size(-2), rows, columns)
    return pooled.reshape(shape).to(input.dtype)


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
