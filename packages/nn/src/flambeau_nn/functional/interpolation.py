"""Resizing along the spatial dimensions.

Every mode but "area" and the nearest ones is the same computation, dimension after dimension: a
weighted sum of a few source positions. `_Taps` holds those positions and weights.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import flambeau_core as fb
from flambeau_core import Tensor

from .adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

_LINEAR_DIMS = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}
_MODES = ("nearest", "nearest-exact", "area", *_LINEAR_DIMS)


class _Taps(NamedTuple):
    """For every output position of a dimension: source positions and their weights."""

    positions: list[list[int]]
    weights: list[list[float]]


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes the spatial dimensions of (N, C, *) to `size`, or by `scale_factor`.

    Modes: "nearest", "nearest-exact", "area", "linear" (3-D input), "bilinear" and "bicubic"
    (4-D), "trilinear" (5-D). `align_corners` puts the corner pixels' centres on each other.
    `antialias` widens the filter when shrinking (bilinear and bicubic). Raises ValueError for
    settings that contradict each other, NotImplementedError for a mode that does not fit the input.
    """
    spatial = input.dim() - 2
    _check_settings(mode, align_corners, antialias, input.dim())
    sizes, scales = _wanted_sizes(input, size, scale_factor, recompute_scale_factor)
    if any(n <= 0 for n in sizes) or any(n == 0 for n in input.shape[1:]):
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input (size: "
            f"{list(input.shape[2:])}) and output (size: {sizes})"
        )
    if mode == "area":
        pools = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)
        return pools[spatial - 1](input, sizes)
    ratios = [
        n / out if scale is None else 1.0 / scale
        for n, out, scale in zip(input.shape[2:], sizes, scales)
    ]
    if mode.startswith("nearest"):
        offset = 0.5 if mode == "nearest-exact" else 0.0
        return _nearest(input, sizes, ratios, offset)
    return _weighted(input, sizes, ratios, mode, bool(align_corners), antialias)


def _check_settings(mode: str, align_corners: bool | None, antialias: bool, ndim: int) -> None:
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    if antialias and not (mode in ("bilinear", "bicubic") and ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D "
            "tensor as input"
        )
    if mode not in _MODES or ndim not in (3, 4, 5) or _LINEAR_DIMS.get(mode, ndim) != ndim:
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            f"{ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | "
            f"nearest-exact (got {mode})"
        )


def _wanted_sizes(
    input: Tensor,
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
    recompute_scale_factor: bool | None,
) -> tuple[list[int], list[float | None]]:
    """The output sizes, and the scale factors where they determine the positions."""
    spatial = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = [size] * spatial if isinstance(size, int) else [int(n) for n in size]
        if len(sizes) != spatial:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input "
                f"with spatial dimensions of {list(input.shape[2:])} and output size of {sizes}."
            )
        return sizes, [None] * spatial
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = (
        [float(scale_factor)] * spatial
        if isinstance(scale_factor, (int, float))
        else [float(factor) for factor in scale_factor]
    )
    if len(factors) != spatial:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input "
            f"with spatial dimensions of {list(input.shape[2:])} and scale_factor of shape "
            f"{factors}."
        )
    sizes = [math.floor(n * factor) for n, factor in zip(input.shape[2:], factors)]
    return sizes, [None] * spatial if recompute_scale_factor else list(factors)


def _nearest(input: Tensor, sizes: list[int], ratios: list[float], offset: float) -> Tensor:
    result = input
    for dim, (size, ratio) in enumerate(zip(sizes, ratios), start=2):
        last = input.size(dim) - 1
        places = [min(math.floor((i + offset) * ratio), last) for i in range(size)]
        if places != list(range(last + 1)):
            result = result.index_select(dim, fb.tensor(places, device=input.device))
    return result.clone() if result is input else result


def _weighted(
    input: Tensor,
    sizes: list[int],
    ratios: list[float],
    mode: str,
    align_corners: bool,
    antialias: bool,
) -> Tensor:
    wide = input if input.dtype in (fb.float32, fb.float64) else input.float()
    cubic = mode == "bicubic"
    result = wide
    # The innermost dimension first: it shortens the rows that the others walk over.
    for dim in range(input.dim() - 1, 1, -1):
        n, size, ratio = input.size(dim), sizes[dim - 2], ratios[dim - 2]
        if align_corners:
            ratio = (n - 1) / (size - 1) if size > 1 else 0.0
        if antialias:
            taps = _antialias_taps(n, size, ratio, align_corners, cubic)
        elif cubic:
            taps = _cubic_taps(n, size, ratio, align_corners)
        else:
            taps = _linear_taps(n, size, ratio, align_corners)
        if n != size or taps.positions != [[i] for i in range(n)]:
            result = _apply_taps(result, dim, taps)
            if input.dtype == fb.uint8:  # as image libraries do, after each dimension
                result = (result + 0.5).floor().clamp(0, 255)
    return result.to(input.dtype)


def _apply_taps(input: Tensor, dim: int, taps: _Taps) -> Tensor:
    shape = (-1,) + (1,) * (input.dim() - dim - 1)
    total: Tensor | None = None
    for places, weights in zip(zip(*taps.positions), zip(*taps.weights)):
        chosen = input.index_select(dim, fb.tensor(list(places), device=input.device))
        factor = fb.tensor(list(weights), dtype=input.dtype, device=input.device).reshape(shape)
        term = chosen * factor
        total = term if total is None else total + term
    assert total is not None
    return total


def _source(i: int, ratio: float, align_corners: bool) -> float:
    return i * ratio if align_corners else (i + 0.5) * ratio - 0.5


def _linear_taps(n: int, size: int, ratio: float, align_corners: bool) -> _Taps:
    taps = _Taps([], [])
    for i in range(size):
        at = max(_source(i, ratio, align_corners), 0.0)
        low = min(math.floor(at), n - 1)
        taps.positions.append([low, min(low + 1, n - 1)])
        share = min(max(at - low, 0.0), 1.0)
        taps.weights.append([1.0 - share, share])
    return taps


def _cubic(distance: float, a: float) -> float:
    """The cubic convolution kernel; Keys, 1981."""
    x = abs(distance)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def _cubic_taps(n: int, size: int, ratio: float, align_corners: bool) -> _Taps:
    taps = _Taps([], [])
    for i in range(size):
        at = _source(i, ratio, align_corners)
        low = math.floor(at)
        around = range(low - 1, low + 3)
        taps.positions.append([min(max(k, 0), n - 1) for k in around])
        taps.weights.append([_cubic(at - k, -0.75) for k in around])
    return taps


def _antialias_taps(n: int, size: int, ratio: float, align_corners: bool, cubic: bool) -> _Taps:
    """The filter stretched by the shrinking ratio, its weights summing to 1."""
    kernel: Callable[[float], float]
    if cubic:
        kernel = _antialias_cubic
    else:
        kernel = _triangle
    stretch = max(ratio, 1.0)
    reach = stretch * (2.0 if cubic else 1.0)
    taps = _Taps([], [])
    for i in range(size):
        centre = (i + 0.5) * ratio
        first = max(int(centre - reach + 0.5), 0)
        last = min(int(centre + reach + 0.5), n)
        weights = [kernel((k - centre + 0.5) / stretch) for k in range(first, last)]
        total = sum(weights)
        taps.positions.append(list(range(first, last)))
        taps.weights.append([weight / total for weight in weights] if total else weights)
    longest = max(map(len, taps.positions))
    for places, weights in zip(taps.positions, taps.weights):
        missing = longest - len(places)
        places.extend([places[-1]] * missing)
        weights.extend([0.0] * missing)
    return taps


def _triangle(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _antialias_cubic(x: float) -> float:
    return _cubic(x, -0.5)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The older name of `interpolate`."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """`interpolate` in mode "nearest", under its older name."""
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """`interpolate` in mode "bilinear" with aligned corners, under its older name."""
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
