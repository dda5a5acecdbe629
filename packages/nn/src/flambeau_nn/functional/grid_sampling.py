"""Sampling an image at given positions, and the positions of an affine map.

Jaderberg et al., "Spatial Transformer Networks", 2015. Positions are (x, y) or (x, y, z) with -1
and 1 at the borders: at the outer pixels' centres with `align_corners`, else at their outer edges.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["affine_grid", "grid_sample"]

_CUBIC = -0.75


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The positions (N, H, W, 2) or (N, D, H, W, 3) of an output of `size` under affine maps.

    `theta` is (N, 2, 3) or (N, 3, 4).
    """
    spatial = len(size) - 2
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if spatial not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {tuple(size)}"
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} "
            f"for size {tuple(size)}. Got {tuple(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    if align_corners is None:
        align_corners = _default_corners("affine_grid")
    axes = [_positions(n, align_corners, theta) for n in size[2:]]
    shape = (*size[2:], 1)
    columns = []
    for place in reversed(range(spatial)):
        along = [1] * (spatial + 1)
        along[place] = size[2 + place]
        columns.append(axes[place].reshape(along).expand(shape))
    base = fb.cat([*columns, fb.ones(shape, dtype=theta.dtype, device=theta.device)], -1)
    flat = base.reshape(1, -1, spatial + 1)
    return fb.matmul(flat, theta.transpose(1, 2)).reshape(size[0], *size[2:], spatial)


def _positions(n: int, align_corners: bool, like: Tensor) -> Tensor:
    """The positions of n pixels along one dimension."""
    if align_corners:
        places = [2 * i / (n - 1) - 1 for i in range(n)] if n > 1 else [0.0]
    else:
        places = [(2 * i + 1) / n - 1 for i in range(n)]
    return fb.tensor(places, dtype=like.dtype, device=like.device)


def _default_corners(op: str) -> bool:
    warnings.warn(
        f"Default {op} and affine_grid behavior has changed to align_corners=False since 1.3.0. "
        "Please specify align_corners=True if the old behavior is desired.",
        stacklevel=3,
    )
    return False


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Values of (N, C, H, W) at the positions (N, h, w, 2): (N, C, h, w); likewise in 3-D.

    `mode` is "bilinear", "nearest" or (2-D only) "bicubic"; `padding_mode`, for positions outside,
    "zeros", "border" or "reflection".
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        align_corners = _default_corners("grid_sample")
    _check_grid(input, grid, mode)
    sizes = input.shape[2:]
    places = [
        _pixel(grid[..., dim], sizes[len(sizes) - 1 - dim], align_corners)
        for dim in range(len(sizes))
    ][::-1]
    if mode == "bicubic":
        return _bicubic(input, places, padding_mode, align_corners)
    places = [_inside(place, n, padding_mode, align_corners) for place, n in zip(places, sizes)]
    if mode == "nearest":
        sampled = _taken(input, [place.round() for place in places])
        # The positions take part, with a gradient of zero.
        nothing = [place.clamp(0, n - 1) * 0 for place, n in zip(places, sizes)]
        return (
            sampled + sum(nothing[1:], nothing[0]).unsqueeze(1) if grid.requires_grad else sampled
        )
    return _linear(input, places)


def _check_grid(input: Tensor, grid: Tensor, mode: str) -> None:
    spatial = input.dim() - 2
    if spatial not in (2, 3) or input.dim() != grid.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.size(0) != grid.size(0):
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.size(-1) != spatial:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {spatial} in last dimension, but got grid "
            f"with sizes {list(grid.shape)}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            f"sizes {list(input.shape)}"
        )
    if mode == "bicubic" and spatial == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def _pixel(position: Tensor, n: int, align_corners: bool) -> Tensor:
    """Positions in [-1, 1] as pixel numbers."""
    if align_corners:
        return (position + 1) * ((n - 1) / 2)
    return ((position + 1) * n - 1) / 2


def _inside(place: Tensor, n: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Pixel numbers moved into the image as the border or reflection asks."""
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
        if span == 0:
            place = place * 0
        else:
            # A triangle wave of period 2 span.
            offset = (place - low).remainder(2 * span)
            place = span - (offset - span).abs() + low
    return place.clamp(0, n - 1)


def _taken(input: Tensor, places: list[Tensor]) -> Tensor:
    """The pixels at whole-numbered places, 0 outside the image."""
    sizes = input.shape[2:]
    valid: Tensor | None = None
    index: Tensor | None = None
    for place, n in zip(places, sizes):
        inside = (place >= 0) & (place <= n - 1)
        valid = inside if valid is None else valid & inside
        number = place.detach().nan_to_num(0.0).clamp(0, n - 1).to(fb.int64)
        index = number if index is None else index * n + number
    assert valid is not None and index is not None
    batch, channels = input.shape[:2]
    flat = index.reshape(batch, 1, -1).expand(batch, channels, -1)
    values = input.reshape(batch, channels, -1).gather(2, flat)
    values = values.reshape(batch, channels, *index.shape[1:])
    return values * valid.unsqueeze(1).to(input.dtype)


def _linear(input: Tensor, places: list[Tensor]) -> Tensor:
    lows = [place.detach().floor() for place in places]
    shares = [place - low for place, low in zip(places, lows)]
    total: Tensor | None = None
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight: Tensor | None = None
        for side, share in zip(corner, shares):
            factor = share if side else 1 - share
            weight = factor if weight is None else weight * factor
        assert weight is not None
        pixels = _taken(input, [low + side for low, side in zip(lows, corner)])
        term = pixels * weight.unsqueeze(1)
        total = term if total is None else total + term
    assert total is not None
    return total


def _bicubic(input: Tensor, places: list[Tensor], padding_mode: str, align_corners: bool) -> Tensor:
    lows = [place.detach().floor() for place in places]
    weights = [_cubic_weights(place - low) for place, low in zip(places, lows)]
    total: Tensor | None = None
    for row, column in itertools.product(range(4), repeat=2):
        taps = [low + (tap - 1) for low, tap in zip(lows, (row, column))]
        taps = [
            _inside(tap, n, padding_mode, align_corners) for tap, n in zip(taps, input.shape[2:])
        ]
        weight = (weights[0][row] * weights[1][column]).unsqueeze(1)
        term = _taken(input, taps) * weight
        total = term if total is None else total + term
    assert total is not None
    return total


def _cubic_weights(t: Tensor) -> list[Tensor]:
    """The weights of the four pixels around, t behind the second; Keys, 1981."""

    def near(x: Tensor) -> Tensor:
        return ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1

    def far(x: Tensor) -> Tensor:
        return ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]
