"""Cutting, padding and mirroring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageOps

import flambeau_core as fb

__all__ = ["center_crop", "crop", "get_dimensions", "hflip", "pad"]

# NumPy's names of the padding modes.
NUMPY_MODES = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric"}


def get_dimensions(img: Any) -> list[int]:
    """Channels, height and width of an image."""
    if isinstance(img, fb.Tensor):
        channels = 1 if img.ndim == 2 else img.shape[-3]
        return [channels, img.shape[-2], img.shape[-1]]
    if isinstance(img, Image.Image):
        width, height = img.size
        return [len(img.getbands()), height, width]
    raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """The given rectangle of an image; what lies outside of the image is zero."""
    if not isinstance(img, fb.Tensor):
        return img.crop((left, top, left + width, top + height))
    _, rows, columns = get_dimensions(img)
    bottom, right = top + height, left + width
    inside = img[..., max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if top >= 0 and left >= 0 and bottom <= rows and right <= columns:
        return inside
    sides = (max(-left, 0), max(-top, 0), max(right - columns, 0), max(bottom - rows, 0))
    return pad(inside, sides)


def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """The middle (h, w) of an image, which is padded with zeros where it is smaller."""
    if isinstance(output_size, int):
        output_size = (output_size, output_size)
    elif len(output_size) == 1:
        output_size = (output_size[0], output_size[0])
    height, width = output_size
    _, rows, columns = get_dimensions(img)
    if height > rows or width > columns:
        across, down = max(width - columns, 0), max(height - rows, 0)
        img = pad(img, (across // 2, down // 2, (across + 1) // 2, (down + 1) // 2))
        _, rows, columns = get_dimensions(img)
    top, left = round((rows - height) / 2.0), round((columns - width) / 2.0)
    return crop(img, top, left, height, width)


def hflip(img: Any) -> Any:
    """An image with left and right exchanged."""
    if isinstance(img, fb.Tensor):
        return img.flip(-1)
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def four_sides(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a padding given by 1, 2 or 4 numbers."""
    if isinstance(padding, int):
        return padding, padding, padding, padding
    if len(padding) == 1:
        return four_sides(padding[0])
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    if len(padding) == 4:
        return padding[0], padding[1], padding[2], padding[3]
    raise ValueError(
        f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(padding)} element tuple"
    )


def pad(
    img: Any,
    padding: int | Sequence[int],
    fill: float | Sequence[float] = 0,
    padding_mode: str = "constant",
) -> Any:
    """An image with a border.

    `padding`: one width, (left and right, top and bottom) or (left, top, right, bottom).
    `padding_mode`: "constant" (with `fill`), "edge", "reflect" (without repeating the edge) or
    "symmetric" (repeating it).
    """
    if padding_mode != "constant" and padding_mode not in NUMPY_MODES:
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    sides = four_sides(padding)
    if isinstance(img, fb.Tensor):
        return pad_tensor(img, sides, fill, padding_mode)
    if padding_mode == "constant":
        colour: Any = tuple(fill) if isinstance(fill, Sequence) else fill
        if not isinstance(colour, tuple) and len(img.getbands()) > 1:
            colour = (colour,) * len(img.getbands())
        return ImageOps.expand(img, border=sides, fill=colour)
    left, top, right, bottom = sides
    array = np.asarray(img)
    widths = [(top, bottom), (left, right), (0, 0)][: array.ndim]
    return Image.fromarray(np.pad(array, widths, NUMPY_MODES[padding_mode]))  # type: ignore[call-overload]


def pad_tensor(
    img: fb.Tensor,
    sides: tuple[int, int, int, int],
    fill: float | Sequence[float],
    padding_mode: str,
) -> fb.Tensor:
    left, top, right, bottom = sides
    rows, columns = img.shape[-2], img.shape[-1]
    if padding_mode == "constant":
        shape = (*img.shape[:-2], top + rows + bottom, left + columns + right)
        value = fill[0] if isinstance(fill, Sequence) else fill
        result = fb.full(shape, value, dtype=img.dtype, device=img.device)
        result[..., top : top + rows, left : left + columns] = img
        return result
    # Padding the positions instead of the values serves every mode and dtype.
    mode: Any = NUMPY_MODES[padding_mode]
    row_index = fb.from_numpy(np.pad(np.arange(rows), (top, bottom), mode)).to(img.device)
    column_index = fb.from_numpy(np.pad(np.arange(columns), (left, right), mode)).to(img.device)
    return img.index_select(-2, row_index).index_select(-1, column_index)
