"""Largest and mean values of sliding windows and of adaptive regions."""

from __future__ import annotations

from collections.abc import Sequence

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
    length: int, kernel: int, stride: int, padding: int, dilation: int, count: int, device: object
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
            pooled_length(
                x.shape[2 + i], kernel[i], stride[i], padding[i], dilation[i], ceil_mode
            ),
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
