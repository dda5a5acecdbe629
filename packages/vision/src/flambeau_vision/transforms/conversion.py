"""Between Pillow images, arrays and tensors, and the normalisation of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_vision.transforms import functional as F

__all__ = ["Normalize", "PILToTensor", "ToPILImage", "ToTensor"]


class ToTensor:
    """A Pillow image or array [H, W, C] as a tensor [C, H, W]; 8-bit values become [0, 1]."""

    def __call__(self, pic: Any) -> fb.Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A Pillow image as a tensor [C, H, W] of the same values."""

    def __call__(self, pic: Any) -> fb.Tensor:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor [C, H, W] or an array [H, W, C] as a Pillow image."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        mode = f"mode={self.mode}" if self.mode is not None else ""
        return f"{type(self).__name__}({mode})"


class Normalize(nn.Module):
    """Subtract a mean and divide by a standard deviation, both given for each channel."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: fb.Tensor) -> fb.Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"
