"""Resizing: Pillow's filters for Pillow images, the same filters as matrices for tensors."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

import flambeau_core as fb
from flambeau_vision.transforms.functional.geometry import get_dimensions

__all__ = ["InterpolationMode", "resize"]


class InterpolationMode(Enum):
    """How the value between pixels is found."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


PIL_FILTERS = {
    InterpolationMode.NEAREST: Image.Resampling.NEAREST,
    InterpolationMode.NEAREST_EXACT: Image.Resampling.NEAREST,
    InterpolationMode.BILINEAR: Image.Resampling.BILINEAR,
    InterpolationMode.BICUBIC: Image.Resampling.BICUBIC,
    InterpolationMode.BOX: Image.Resampling.BOX,
    InterpolationMode.HAMMING: Image.Resampling.HAMMING,
    InterpolationMode.LANCZOS: Image.Resampling.LANCZOS,
}
Array = np.ndarray[Any, Any]


def output_size(
    height: int, width: int, size: int | Sequence[int], max_size: int | None
) -> tuple[int, int]:
    """Height and width after a resize of the shorter edge, or to both sizes."""
    sizes = [size] if isinstance(size, int) else list(size)
    if len(sizes) == 2:
        if max_size is not None:
            raise ValueError(
                "max_size should only be passed if size specifies the length of the smaller edge, "
                "i.e. size should be an int or a sequence of length 1 in torchscript mode."
            )
        return sizes[0], sizes[1]
    short, long = sorted((height, width))
    new_short = sizes[0]
    new_long = int(new_short * long / short)
    if max_size is not None:
        if max_size <= new_short:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested size for the "
                f"smaller edge size = {size}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_short, new_long) if height <= width else (new_long, new_short)


def resize(
    img: Any,
    size: int | Sequence[int],
    interpolation: InterpolationMode = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """An image of another size: (h, w), or one number for the shorter edge.

    Tensors [..., C, H, W] keep their dtype; integers are rounded. Raises ValueError for a filter
    that tensors do not have (box, hamming, lanczos).
    """
    _, rows, columns = get_dimensions(img)
    height, width = output_size(rows, columns, size, max_size)
    if (height, width) == (rows, columns):
        return img
    if not isinstance(img, fb.Tensor):
        return img.resize((width, height), PIL_FILTERS[interpolation])
    if interpolation in NEAREST_OFFSETS:
        offset = NEAREST_OFFSETS[interpolation]
        row_index = nearest(rows, height, offset).to(img.device)
        column_index = nearest(columns, width, offset).to(img.device)
        return img.index_select(-2, row_index).index_select(-1, column_index)
    if interpolation not in TENSOR_FILTERS:
        raise ValueError(f"tensors cannot be resized with the filter {interpolation.value!r}")
    dtype = img.dtype if img.is_floating_point() else fb.float32
    down = weights(rows, height, interpolation, bool(antialias)).to(img.device, dtype)
    across = weights(columns, width, interpolation, bool(antialias)).to(img.device, dtype)
    result = fb.matmul(fb.matmul(down, img.to(dtype)), across.t())
    if img.is_floating_point():
        return result
    limits = fb.iinfo(img.dtype)
    return result.round().clamp(limits.min, limits.max).to(img.dtype)


# Where in an output pixel its nearest input pixel is sought: at its edge, or in its middle.
NEAREST_OFFSETS = {InterpolationMode.NEAREST: 0.0, InterpolationMode.NEAREST_EXACT: 0.5}


def nearest(size: int, new_size: int, offset: float) -> fb.Tensor:
    positions = np.floor((np.arange(new_size) + offset) * (size / new_size))
    return fb.from_numpy(np.minimum(positions, size - 1).astype(np.int64))


def triangle(x: Array, smooth: bool) -> Array:
    return np.maximum(1.0 - np.abs(x), 0.0)


def cubic(x: Array, smooth: bool) -> Array:
    """R. Keys, "Cubic convolution interpolation for digital image processing" (1981).

    His parameter is -0.5 where the filter smooths, -0.75 where it only interpolates.
    """
    a = -0.5 if smooth else -0.75
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


# Each filter and how far it reaches, in pixels.
TENSOR_FILTERS = {
    InterpolationMode.BILINEAR: (triangle, 1.0),
    InterpolationMode.BICUBIC: (cubic, 2.0),
}


@lru_cache(maxsize=64)
def weights(size: int, new_size: int, mode: InterpolationMode, antialias: bool) -> fb.Tensor:
    """The matrix [new_size, size] that resamples one axis.

    With `antialias` the filter is widened by the factor of a reduction and renormalised at the
    borders, as Pillow does; without, values beyond a border repeat the outermost pixel.
    """
    kernel, reach = TENSOR_FILTERS[mode]
    scale = size / new_size
    centres = (np.arange(new_size) + 0.5) * scale
    matrix = np.zeros((new_size, size))
    stretch = max(scale, 1.0) if antialias else 1.0
    for row, centre in enumerate(centres):
        if antialias:
            first = max(int(centre - reach * stretch + 0.5), 0)
            last = min(int(centre + reach * stretch + 0.5), size)
            taps = np.arange(first, last)
        else:
            base = int(np.floor(centre - 0.5))
            taps = np.arange(base - int(reach) + 1, base + int(reach) + 1)
        values = kernel((taps + 0.5 - centre) / stretch, antialias)
        np.add.at(matrix[row], np.clip(taps, 0, size - 1), values / values.sum())
    return fb.from_numpy(matrix)
