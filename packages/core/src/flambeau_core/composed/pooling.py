"""Largest and mean values of sliding windows and of adaptive regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.patches import extract_patches, zero_padded
from flambeau_core.composed.precision import widened
from flambeau_core.declare import composition, op


def pooled_length(
    length: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """Number of windows; in ceil mode one more may hang over, if it starts inside."""
    room = length + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= length + padding:
        count -= 1
    return count


def _window_positions(
    length: int,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int,
    count: int,
    device: fb.device,
) -> fb.Tensor:
    """Positions ``(kernel, count)`` that the windows of one dimension cover.

    Places outside are replaced by the first one inside, which leaves a maximum unchanged.
    """
    taps = fb.arange(kernel, device=device).unsqueeze(1) * dilation
    starts = fb.arange(count, device=device).unsqueeze(0) * stride - padding
    positions = taps + starts
    outside = (positions < 0) | (positions >= length)
    first = positions.masked_fill(outside, length).amin(0, True)
    return fb.where(outside, first, positions)


@composition("max_pool2d")
def max_pool2d(
    x: fb.Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> tuple[fb.Tensor, fb.Tensor]:
    """Largest values of the windows of ``(N, C, H, W)``, and their places in the ``H W`` plane."""
    height, width = x.shape[2:]
    rows, columns = (
        _window_positions(
            x.shape[2 + i],
            kernel[i],
            stride[i],
            padding[i],
            dilation[i],
            pooled_length(x.shape[2 + i], kernel[i], stride[i], padding[i], dilation[i], ceil_mode),
            x.device,
        )
        for i in range(2)
    )
    shape = [kernel[0], kernel[1], rows.shape[1], columns.shape[1]]
    places = rows.reshape(shape[0], 1, shape[2], 1) * width + columns.reshape(
        1, shape[1], 1, shape[3]
    )
    places = places.reshape(shape[0] * shape[1], -1)
    plane = x.reshape(x.shape[0], x.shape[1], height * width)
    windows = plane.detach().index_select(2, places.reshape(-1))
    windows = windows.reshape(x.shape[0], x.shape[1], *places.shape)
    best = windows.argmax(2, True)
    index = places.expand(windows.shape).gather(2, best).squeeze(2)
    size = [x.shape[0], x.shape[1], shape[2], shape[3]]
    return plane.gather(2, index).reshape(size), index.reshape(size)


@composition("avg_pool2d")
def avg_pool2d(
    x: fb.Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> fb.Tensor:
    """Mean of the windows of ``(N, C, H, W)``.

    A window's sum is divided by ``divisor``, or by its size inside the (padded) input.
    """
    wide = widened(x)
    sizes = []
    for i in range(2):
        length = x.shape[2 + i]
        count = pooled_length(length, kernel[i], stride[i], padding[i], 1, ceil_mode)
        overhang = (count - 1) * stride[i] + kernel[i] - length - padding[i]
        wide = zero_padded(wide, 2 + i, padding[i], max(overhang, 0))
        start = fb.arange(count, device=x.device) * stride[i] - padding[i]
        end = (start + kernel[i]).clamp(max=length + padding[i])
        if not count_include_pad:
            start, end = start.clamp(min=0), end.clamp(max=length)
        sizes.append(end - start)
    windows = extract_patches(wide, kernel, stride, [1, 1])[..., : sizes[0].shape[0], :]
    total = windows.sum([2, 3])
    if divisor:
        return (total / divisor).to(x.dtype)
    return (total / (sizes[0].unsqueeze(1) * sizes[1])).to(x.dtype)


@composition("adaptive_avg_pool2d")
def adaptive_avg_pool2d(x: fb.Tensor, output_size: Sequence[int]) -> fb.Tensor:
    """Mean of ``output_size`` regions that cover the last two dimensions evenly."""
    wide = widened(x)
    for place, count in enumerate(output_size):
        wide = _region_means(wide, place - len(output_size), count)
    return wide.to(x.dtype)


def _region_means(x: fb.Tensor, dim: int, count: int) -> fb.Tensor:
    """Means along ``dim`` of regions from floor(i n / count) to ceil((i + 1) n / count)."""
    length = x.shape[dim]
    if count == 0:
        return x.narrow(dim, 0, 0)
    region = fb.arange(count, device=x.device)
    start = (region * length).div(count, rounding_mode="floor")
    end = -((-(region + 1) * length).div(count, rounding_mode="floor"))
    longest = int((end - start).max().item())
    positions = start.unsqueeze(1) + fb.arange(longest, device=x.device)
    outside = positions >= end.unsqueeze(1)
    taken = x.movedim(dim, -1).index_select(-1, positions.clamp(max=length - 1).reshape(-1))
    taken = taken.reshape([*taken.shape[:-1], count, longest])
    means = taken.masked_fill(outside, 0).sum(-1) / (end - start)
    return means.movedim(-1, dim)


def _require_batch(name: str, x: fb.Tensor) -> None:
    if x.dim() not in (2, 3):
        raise RuntimeError(
            f"{name}: expected 2D or 3D (batch mode) tensor, but got shape {tuple(x.shape)}"
        )


def _one(name: str, argument: str, value: Sequence[int]) -> int:
    if len(value) != 1:
        raise RuntimeError(f"{name}: {argument} must be a single int, got {list(value)}")
    return value[0]


def _require_windows(
    name: str, x: fb.Tensor, kernel: int, stride: int, padding: int, dilation: int, ceil: bool
) -> None:
    if kernel < 1 or stride < 1 or dilation < 1:
        raise RuntimeError(
            f"{name}: kernel_size, stride and dilation must be greater than zero, "
            f"got {kernel}, {stride} and {dilation}"
        )
    if padding < 0 or 2 * padding > (kernel - 1) * dilation + 1:
        raise RuntimeError(
            f"{name}: padding should be at least 0 and at most half of effective kernel size, "
            f"but got padding={padding} for kernel_size={kernel}"
        )
    if pooled_length(x.shape[-1], kernel, stride, padding, dilation, ceil) < 1:
        raise RuntimeError(
            f"{name}: invalid computed output size for input of shape {tuple(x.shape)} and "
            f"kernel_size={kernel}"
        )


@op(
    "max_pool1d_with_indices(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0,"
    " int[] dilation=1, bool ceil_mode=False) -> Tensor[]",
    namespace="both",
    method=False,
)
def max_pool1d_with_indices(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> tuple[fb.Tensor, fb.Tensor]:
    """Largest values of the windows of ``(N, C, L)`` or ``(C, L)``, and where they stand."""
    name = "max_pool1d"
    _require_batch(name, self)
    kernel = _one(name, "kernel_size", kernel_size)
    step = _one(name, "stride", stride) if stride else kernel
    amount, spread = _one(name, "padding", padding), _one(name, "dilation", dilation)
    _require_windows(name, self, kernel, step, amount, spread, ceil_mode)
    values, indices = fb.nn_ops.max_pool2d_with_indices(
        self.unsqueeze(-2), [1, kernel], [1, step], [0, amount], [1, spread], ceil_mode
    )
    return values.squeeze(-2), indices.squeeze(-2)


@op(
    "max_pool1d(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0,"
    " int[] dilation=1, bool ceil_mode=False, bool return_indices=False) -> any",
    namespace="both",
    method=False,
)
def max_pool1d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    """Largest values of the windows of ``(N, C, L)`` or ``(C, L)``; optionally where they stand."""
    pooled = max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled[0]


@op(
    "avg_pool1d(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0,"
    " bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
    namespace="both",
    method=False,
)
def avg_pool1d(
    self: fb.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
) -> fb.Tensor:
    """Mean of the windows of ``(N, C, L)`` or ``(C, L)``."""
    name = "avg_pool1d"
    _require_batch(name, self)
    kernel = _one(name, "kernel_size", kernel_size)
    step = _one(name, "stride", stride) if stride else kernel
    amount = _one(name, "padding", padding)
    _require_windows(name, self, kernel, step, amount, 1, ceil_mode)
    return fb.nn_ops.avg_pool2d(
        self.unsqueeze(-2), [1, kernel], [1, step], [0, amount], ceil_mode, count_include_pad
    ).squeeze(-2)


@op("adaptive_avg_pool1d(Tensor self, int[] output_size) -> Tensor", namespace="both", method=False)
def adaptive_avg_pool1d(self: fb.Tensor, output_size: Sequence[int]) -> fb.Tensor:
    """Mean of ``output_size`` regions that cover the last dimension evenly."""
    _require_batch("adaptive_avg_pool1d", self)
    size = _one("adaptive_avg_pool1d", "output_size", output_size)
    return fb.nn_ops.adaptive_avg_pool2d(self.unsqueeze(-2), [1, size]).squeeze(-2)
