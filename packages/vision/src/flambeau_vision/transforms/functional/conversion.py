"""Between Pillow images, arrays and tensors, and the normalisation of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

import flambeau_core as fb

__all__ = ["normalize", "pil_to_tensor", "to_pil_image", "to_tensor"]

# Modes of Pillow whose values are wider than a byte.
WIDE_MODES = {"I": np.int32, "F": np.float32, "I;16": np.int16}


def pil_array(pic: Image.Image) -> np.ndarray[Any, Any]:
    """The values of a Pillow image, writable, [H, W] or [H, W, C]."""
    array = np.array(pic, WIDE_MODES.get(pic.mode, np.uint8))
    return 255 * array if pic.mode == "1" else array


def channels_first(array: np.ndarray[Any, Any]) -> fb.Tensor:
    """A contiguous tensor [C, H, W] of an array [H, W] or [H, W, C]."""
    if array.ndim == 2:
        return fb.from_numpy(array).unsqueeze(0)
    return fb.from_numpy(array).permute(2, 0, 1).contiguous()


def to_tensor(pic: Any) -> fb.Tensor:
    """A Pillow image or an array [H, W] or [H, W, C] as a tensor [C, H, W].

    8-bit values become the default floating dtype in [0, 1], others stay as they are. Raises
    TypeError for anything else, ValueError for an array of other than 2 or 3 dimensions.
    """
    if isinstance(pic, Image.Image):
        tensor = channels_first(pil_array(pic))
    elif isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        tensor = channels_first(pic)
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    if tensor.dtype == fb.uint8:
        return tensor.to(fb.get_default_dtype()).div_(255)
    return tensor


def pil_to_tensor(pic: Any) -> fb.Tensor:
    """A Pillow image as a tensor [C, H, W] of the same values; raises TypeError for others."""
    if not isinstance(pic, Image.Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return channels_first(pil_array(pic))


def to_pil_image(pic: Any, mode: str | None = None) -> Image.Image:
    """A tensor [C, H, W] or [H, W], or an array [H, W, C] or [H, W], as a Pillow image.

    A floating tensor is taken to lie in [0, 1]. Without `mode`, the number of channels and the
    dtype choose it. Raises TypeError and ValueError for what no image can hold.
    """
    if isinstance(pic, fb.Tensor):
        array = tensor_array(pic, mode)
    elif isinstance(pic, np.ndarray):
        array = pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if array.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    if array.ndim == 2:
        array = array[:, :, None]
    channels = array.shape[2]
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    if channels == 1:
        return single_channel(array[:, :, 0], mode)
    permitted = {2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}[channels]
    if mode is not None and mode not in permitted:
        raise ValueError(f"Only modes {list(permitted)} are supported for {channels}D inputs")
    if array.dtype != np.uint8:
        raise TypeError(f"Input type {array.dtype} is not supported")
    chosen = mode or permitted[0]
    size = (array.shape[1], array.shape[0])
    return Image.frombytes(chosen, size, np.ascontiguousarray(array).tobytes())


def tensor_array(pic: fb.Tensor, mode: str | None) -> np.ndarray[Any, Any]:
    if pic.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    if pic.is_floating_point() and mode != "F":
        pic = pic.mul(255).to(fb.uint8)
    array: np.ndarray[Any, Any] = pic.detach().cpu().numpy()
    return array if array.ndim == 2 else np.transpose(array, (1, 2, 0))


def single_channel(array: np.ndarray[Any, Any], mode: str | None) -> Image.Image:
    modes = {"uint8": "L", "int16": "I;16", "int32": "I", "float32": "F"}
    natural = modes.get(str(array.dtype))
    if natural is None:
        raise TypeError(f"Input type {array.dtype} is not supported")
    if mode is not None and mode != natural:
        raise ValueError(
            f"Incorrect mode ({mode}) supplied for input type {array.dtype}. Should be {natural}"
        )
    size = (array.shape[1], array.shape[0])
    return Image.frombytes(natural, size, np.ascontiguousarray(array).tobytes())


def normalize(
    tensor: fb.Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> fb.Tensor:
    """(tensor - mean) / std for each channel of a floating tensor [..., C, H, W].

    Raises TypeError for another dtype or no tensor, ValueError for fewer dimensions or a standard
    deviation that is zero in the tensor's dtype.
    """
    if not isinstance(tensor, fb.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            "Expected tensor to be a tensor image of size (..., C, H, W). "
            f"Got tensor.size() = {tensor.size()}"
        )
    shift, scale = per_channel(tuple(mean), tuple(std), tensor.dtype, tensor.device)
    result = tensor if inplace else tensor.clone()
    return result.sub_(shift).div_(scale)


@lru_cache(maxsize=64)
def per_channel(
    mean: tuple[float, ...], std: tuple[float, ...], dtype: fb.dtype, device: fb.device
) -> tuple[fb.Tensor, fb.Tensor]:
    """Mean and standard deviation as tensors [C, 1, 1], made once for each setting."""
    shift = fb.tensor(mean, dtype=dtype, device=device).view(-1, 1, 1)
    scale = fb.tensor(std, dtype=dtype, device=device).view(-1, 1, 1)
    if bool((scale == 0).any()):
        raise ValueError(
            f"std evaluated to zero after conversion to {dtype}, leading to division by zero."
        )
    return shift, scale
