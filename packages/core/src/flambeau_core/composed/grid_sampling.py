"""Sampling an image at given positions, and the positions of an affine map.

Jaderberg et al., "Spatial Transformer Networks", 2015. Positions are (x, y) or (x, y, z) with -1
and 1 at the borders: at the outer pixels' centres with ``align_corners``, else at their outer
edges.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op

_CUBIC = -0.75
_INTERPOLATIONS = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


@op("affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor", method=False)
def affine_grid_generator(theta: fb.Tensor, size: Sequence[int], align_corners: bool) -> fb.Tensor:
    """The positions (N, H, W, 2) or (N, D, H, W, 3) of an output of ``size`` under affine maps.

    ``theta`` is (N, 2, 3) or (N, 3, 4).
    """
    spatial = len(size) - 2
    if spatial not in (2, 3) or tuple(theta.shape) != (size[0], spatial, spatial + 1):
        raise RuntimeError(
            f"affine_grid_generator: expected theta of shape (N, 2, 3) or (N, 3, 4) for size "
            f"{tuple(size)}, but got {tuple(theta.shape)}"
        )
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


def _positions(n: int, align_corners: bool, like: fb.Tensor) -> fb.Tensor:
    """The positions of n pixels along one dimension."""
    if align_corners:
        places = [2 * i / (n - 1) - 1 for i in range(n)] if n > 1 else [0.0]
    else:
        places = [(2 * i + 1) / n - 1 for i in range(n)]
    return fb.tensor(places, dtype=like.dtype, device=like.device)


@op(
    "grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,"
    " bool align_corners) -> Tensor",
    method=False,
)
def grid_sampler(
    input: fb.Tensor,
    grid: fb.Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> fb.Tensor:
    """Values of (N, C, H, W) at the positions (N, h, w, 2): (N, C, h, w); likewise in 3-D.

    ``interpolation_mode`` is 0 bilinear, 1 nearest or (2-D only) 2 bicubic; ``padding_mode``, for
    positions outside, 0 zeros, 1 border or 2 reflection.
    """
    for name, number, names in (
        ("interpolation_mode", interpolation_mode, _INTERPOLATIONS),
        ("padding_mode", padding_mode, _PADDINGS),
    ):
        if not 0 <= number < len(names):
            raise RuntimeError(f"grid_sampler: {name} must be 0, 1 or 2, got {number}")
    mode, padding = _INTERPOLATIONS[interpolation_mode], _PADDINGS[padding_mode]
    _check_grid(input, grid, mode)
    sizes = input.shape[2:]
    places = [
        _pixel(grid[..., dim], sizes[len(sizes) - 1 - dim], align_corners)
        for dim in range(len(sizes))
    ][::-1]
    if mode == "bicubic":
        return _bicubic(input, places, padding, align_corners)
    places = [_inside(place, n, padding, align_corners) for place, n in zip(places, sizes)]
    if mode == "nearest":
        sampled = _taken(input, [place.round() for place in places])
        # The positions take part, with a gradient of zero.
        nothing = [place.clamp(0, n - 1) * 0 for place, n in zip(places, sizes)]
        return (
            sampled + sum(nothing[1:], nothing[0]).unsqueeze(1) if grid.requires_grad else sampled
        )
    return _linear(input, places)


def _declare_with_dimensions(dimensions: int) -> None:
    @op(
        f"grid_sampler_{dimensions}d(Tensor input, Tensor grid, int interpolation_mode,"
        " int padding_mode, bool align_corners) -> Tensor",
        method=False,
    )
    def sampler(
        input: fb.Tensor, grid: fb.Tensor, interpolation: int, padding: int, align_corners: bool
    ) -> fb.Tensor:
        """``grid_sampler`` of one number of dimensions."""
        if input.dim() != dimensions + 2 or grid.dim() != dimensions + 2:
            raise RuntimeError(
                f"grid_sampler_{dimensions}d: expected {dimensions + 2}-D input and grid, but got "
                f"shapes {tuple(input.shape)} and {tuple(grid.shape)}"
            )
        return grid_sampler(input, grid, interpolation, padding, align_corners)


_declare_with_dimensions(2)
_declare_with_dimensions(3)


def _check_grid(input: fb.Tensor, grid: fb.Tensor, mode: str) -> None:
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


def _pixel(position: fb.Tensor, n: int, align_corners: bool) -> fb.Tensor:
    """Positions in [-1, 1] as pixel numbers."""
    if align_corners:
        return (position + 1) * ((n - 1) / 2)
    return ((position + 1) * n - 1) / 2


def _inside(place: fb.Tensor, n: int, padding_mode: str, align_corners: bool) -> fb.Tensor:
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


def _taken(input: fb.Tensor, places: list[fb.Tensor]) -> fb.Tensor:
    """The pixels at whole-numbered places, 0 outside the image."""
    sizes = input.shape[2:]
    valid: fb.Tensor | None = None
    index: fb.Tensor | None = None
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


def _linear(input: fb.Tensor, places: list[fb.Tensor]) -> fb.Tensor:
    lows = [place.detach().floor() for place in places]
    shares = [place - low for place, low in zip(places, lows)]
    total: fb.Tensor | None = None
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight: fb.Tensor | None = None
        for side, share in zip(corner, shares):
            factor = share if side else 1 - share
            weight = factor if weight is None else weight * factor
        assert weight is not None
        pixels = _taken(input, [low + side for low, side in zip(lows, corner)])
        term = pixels * weight.unsqueeze(1)
        total = term if total is None else total + term
    assert total is not None
    return total


def _bicubic(
    input: fb.Tensor, places: list[fb.Tensor], padding_mode: str, align_corners: bool
) -> fb.Tensor:
    lows = [place.detach().floor() for place in places]
    weights = [_cubic_weights(place - low) for place, low in zip(places, lows)]
    total: fb.Tensor | None = None
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


def _cubic_weights(t: fb.Tensor) -> list[fb.Tensor]:
    """The weights of the four pixels around, t behind the second; Keys, 1981."""

    def near(x: fb.Tensor) -> fb.Tensor:
        return ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1

    def far(x: fb.Tensor) -> fb.Tensor:
        return ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]
