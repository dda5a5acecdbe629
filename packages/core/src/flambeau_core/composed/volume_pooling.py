"""Pooling of volumes: one over planes, followed by one over depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


def _triple(name: str, argument: str, value: Sequence[int]) -> list[int]:
    triple = list(value) * 3 if len(value) == 1 else list(value)
    if len(triple) != 3:
        raise RuntimeError(
            f"{name}: {argument} must either be a single int, or a tuple of 3 ints, "
            f"got {list(value)}"
        )
    return triple


def _require_volumes(name: str, x: fb.Tensor) -> None:
    if x.dim() not in (4, 5):
        raise RuntimeError(
            f"{name}: Expected 4D or 5D input tensor, but got {x.dim()}D input of shape "
            f"{tuple(x.shape)}"
        )


_MAX = (
    "(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1,"
    " bool ceil_mode=False"
)


@op(f"max_pool3d_with_indices{_MAX}) -> Tensor[]", namespace="nn")
def max_pool3d_with_indices(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> tuple[fb.Tensor, fb.Tensor]:
    """``max_pool3d`` and the place of each maximum, counted through the input volume."""
    name = "max_pool3d"
    _require_volumes(name, self)
    kernel = _triple(name, "kernel_size", kernel_size)
    step = _triple(name, "stride", stride) if stride else kernel
    edge = _triple(name, "padding", padding)
    gap = _triple(name, "dilation", dilation)
    depth, height, width = self.shape[-3:]
    flat, in_plane = fb.nn_ops.max_pool2d_with_indices(
        self.reshape(-1, depth, height, width), kernel[1:], step[1:], edge[1:], gap[1:], ceil_mode
    )
    rows, columns = flat.shape[-2:]
    values, place = fb.nn_ops.max_pool2d_with_indices(
        flat.reshape(-1, 1, depth, rows * columns),
        [kernel[0], 1],
        [step[0], 1],
        [edge[0], 0],
        [gap[0], 1],
        ceil_mode,
    )
    # `place` finds the winner among the planes' maxima, `in_plane` where that one came from.
    chosen = place.reshape(place.shape[0], -1)
    below = in_plane.reshape(place.shape[0], -1).gather(1, chosen)
    layer = chosen.div(rows * columns, rounding_mode="floor")
    shape = [*self.shape[:-3], values.shape[-2], rows, columns]
    return values.reshape(shape), (layer * (height * width) + below).reshape(shape)


@op(f"max_pool3d{_MAX}, bool return_indices=False) -> any", namespace="both", method=False)
def max_pool3d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    """Largest values of the windows of ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
    pooled = max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled[0]


@op(
    "avg_pool3d(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0,"
    " bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    namespace="nn",
)
def avg_pool3d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> fb.Tensor:
    """Mean of the windows of ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
    name = "avg_pool3d"
    _require_volumes(name, self)
    if divisor_override == 0:
        raise RuntimeError(f"{name}: divisor must be not zero")
    kernel = _triple(name, "kernel_size", kernel_size)
    step = _triple(name, "stride", stride) if stride else kernel
    edge = _triple(name, "padding", padding)
    depth, height, width = self.shape[-3:]
    # Integers must be rounded once only, after both steps.
    exact = self if self.is_floating_point() else self.double()
    flat = fb.nn_ops.avg_pool2d(
        exact.reshape(-1, depth, height, width),
        kernel[1:],
        step[1:],
        edge[1:],
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
    rows, columns = flat.shape[-2:]
    pooled = fb.nn_ops.avg_pool2d(
        flat.reshape(-1, 1, depth, rows * columns),
        [kernel[0], 1],
        [step[0], 1],
        [edge[0], 0],
        ceil_mode,
        count_include_pad,
        None if divisor_override is None else 1,
    )
    return pooled.reshape([*self.shape[:-3], pooled.shape[-2], rows, columns]).to(self.dtype)
