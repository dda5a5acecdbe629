"""Transforms that move pixels. Chance comes from the default generator of flambeau_core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_vision.transforms import functional as F
from flambeau_vision.transforms.functional import InterpolationMode

__all__ = ["CenterCrop", "Pad", "RandomCrop", "RandomHorizontalFlip", "Resize"]


def pair(size: int | Sequence[int]) -> tuple[int, int]:
    """Height and width of a size, where one number means both."""
    if isinstance(size, int):
        return size, size
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(f"Please provide only two dimensions (h, w) for size, got {size!r}.")
    return size[0], size[1]


class Resize(nn.Module):
    """Resize an image to (h, w), or its shorter edge to one size.

    `max_size` bounds the longer edge when `size` is one number. `antialias` matters to tensors
    alone: Pillow always smooths.
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if not isinstance(size, int | Sequence):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size = size
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class CenterCrop(nn.Module):
    """Cut (h, w) out of the middle; an image that is smaller is padded with zeros."""

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = pair(size)

    def forward(self, img: Any) -> Any:
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class Pad(nn.Module):
    """Add a border: one width, (left and right, top and bottom) or (left, top, right, bottom)."""

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: float | Sequence[float] = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, "
            f"padding_mode={self.padding_mode})"
        )


class RandomCrop(nn.Module):
    """Cut (h, w) out of a random place, after padding where that is asked for.

    Raises ValueError when the image is smaller than the crop and `pad_if_needed` is false.
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: float | Sequence[float] = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = pair(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Top, left, height and width of a random crop."""
        _, height, width = F.get_dimensions(img)
        crop_height, crop_width = output_size
        if height < crop_height or width < crop_width:
            raise ValueError(
                f"Required crop size {output_size} is larger than input image size "
                f"{(height, width)}"
            )
        if (height, width) == output_size:
            return 0, 0, height, width
        top = int(fb.randint(0, height - crop_height + 1, (1,)))
        left = int(fb.randint(0, width - crop_width + 1, (1,)))
        return top, left, crop_height, crop_width

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            _, height, width = F.get_dimensions(img)
            across, down = max(self.size[1] - width, 0), max(self.size[0] - height, 0)
            if across or down:
                img = F.pad(img, (across, down), self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class RandomHorizontalFlip(nn.Module):
    """Mirror left and right with probability `p`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.hflip(img) if float(fb.rand(1)) < self.p else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"
